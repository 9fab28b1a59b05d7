/* SPDX-License-Identifier: BSD-3-Clause
 *
 * neutron.h - NXP Neutron as a backend. Layer 2.
 *
 * A kernel's id is its number, which the delegate map leads to handles. One more event, with the highest number, is the
 * dump of the others: it spans them all again.
 */
#ifndef ETR_NEUTRON_H
#define ETR_NEUTRON_H

#include "backends/decoder.h"

extern const etr_decoder etr_neutron;

#endif
