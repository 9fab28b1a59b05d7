/* SPDX-License-Identifier: BSD-3-Clause
 *
 * module_pattern.h - gives modules that repeat one name, such as "layers.*.attention.wv". Layer 3.
 *
 * The patterns follow from the paths and types of the modules only. A number at the end of a name
 * becomes '*' if siblings repeat:
 *   - Siblings have the same name except for the number: "layers.0" and "layers.1",
 * "encoder_layer_0" and "encoder_layer_1".
 *   - They are alike: they have the same type, and the modules that both contain (at least one)
 * have the same types at every level. A block with an additional `downsample` is therefore like its
 * siblings.
 *   - The position of a module in a container that is called itself, such as a Sequential, gives it
 * a role. There, all members must be alike, or three in a row.
 *   - Modules without children repeat only if they are all members of a list, without gaps. The
 * numbers of conv1 and conv2, of w1 and w3, or of alternating Linear and ReLU are roles.
 */
#ifndef ETR_MODULE_PATTERN_H
#define ETR_MODULE_PATTERN_H

#include "base/arena.h"

/** Sets the pattern of each module of a graph. Texts are interned in `strings`. Returns false when
 * out of memory. */
bool etr_module_patterns_set(etr_module *modules, size_t count, etr_map *strings,
                             etr_arena *scratch);

#endif
