/* SPDX-License-Identifier: BSD-3-Clause
 *
 * rates.h - the roofs of a profile; the rest of rates.c is public. Layer 3.
 */
#ifndef ETR_RATES_H
#define ETR_RATES_H

#include "base/base.h"

/** Sets the roofs of a profile that has its costs: its peaks, and in place of those that were not given the best rates
 * of its timed nodes. */
void etr_roofs_find(etr_profile *profile);

#endif
