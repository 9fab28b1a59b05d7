/* SPDX-License-Identifier: BSD-3-Clause
 *
 * method_parts.h - whether the parts of a method's time are all of it, wherever they come from. Layer 0.
 */
#ifndef ETR_METHOD_PARTS_H
#define ETR_METHOD_PARTS_H

#include "base/base.h"

/** True if the parts of execute_ticks add up to it, and parts of a part take no more than that. */
bool etr_method_adds_up(const etr_method *method);

#endif
