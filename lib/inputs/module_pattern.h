/* SPDX-License-Identifier: BSD-3-Clause
 *
 * module_pattern.h - modules that repeat: one name for all of them, "layers.*.attention.wv". Layer 2.
 *
 * Only what is known of the modules is used: their paths and types. A number at the end of a name becomes '*' where
 * siblings repeat:
 *   - Siblings have the same name but for the number: "layers.0" and "layers.1", "encoder_layer_0" and
 *     "encoder_layer_1".
 *   - They are alike: of the same type, and modules that both have inside, at least one, agree in their types, at every
 *     level. So a block that also has a `downsample` is like its siblings.
 *   - Members of a container that is called itself, such as a Sequential, have roles by their place: there, all members
 *     have to be alike, or three in a row.
 *   - Modules with nothing inside repeat only as all members of a list, without gaps: the numbers of conv1 and conv2,
 *     w1 and w3, or those of Linear and ReLU in turns, are roles.
 */
#ifndef ETR_MODULE_PATTERN_H
#define ETR_MODULE_PATTERN_H

#include "base/arena.h"

/** Sets the pattern of each module of a graph. Texts are interned in `strings`. False when out of memory. */
bool etr_module_patterns_set(etr_module *modules, size_t count, etr_map *strings, etr_arena *scratch);

#endif
