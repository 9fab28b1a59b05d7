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

/** Returns the number of methods that ran and are loaded, each once. Runs whose method is not known
 * are an entry of the profile's methods with an empty name: they are of other methods, unless there
 * is no other. */
size_t etr_loaded_method_count(const etr_profile *profile);

#endif
