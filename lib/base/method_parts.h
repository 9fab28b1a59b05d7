/* SPDX-License-Identifier: BSD-3-Clause
 *
 * method_parts.h - checks that the parts of a method's time add up to it. Layer 0.
 */
#ifndef ETR_METHOD_PARTS_H
#define ETR_METHOD_PARTS_H

#include "base/base.h"

/** Returns true if the parts of execute_ticks add up to it, and if no part of a part is greater
 * than that part. */
bool etr_method_adds_up(const etr_method *method);

#endif
