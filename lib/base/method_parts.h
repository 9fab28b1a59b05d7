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

/** Returns the number of methods of the profile that ran and compute something. An entry with an
 * empty name stands for runs whose method is not known: they are taken to be runs of the named
 * methods, so that such entries count only if no method has a name. */
size_t etr_loaded_method_count(const etr_profile *profile);

#endif
