/* SPDX-License-Identifier: BSD-3-Clause
 *
 * label.h - short texts for what a reader of a picture wants to see: shapes, operators, source lines, devices, times. Layer 4.
 *
 * The texts are not escaped for any format. What returns char * is in the arena, and NULL when out of memory.
 */
#ifndef ETR_LABEL_H
#define ETR_LABEL_H

#include "arena.h"

/** Type and shape of a value: "f32[1,16,256]", "f32[s77,16]", "f32[]" of a scalar, "int" of a symbolic number, "" if nothing is known. */
char *etr_label_shape(etr_arena *arena, const etr_value *value);

enum { ETR_SHAPE_ROOM = 512 }; /* what is longer is cut */

/** The same into memory with ETR_SHAPE_ROOM, without a NUL. Returns its size. */
size_t etr_format_shape(char *to, const etr_value *value);

enum { ETR_ARGUMENT_ROOM = 1024 }; /* what is longer is cut */

/** The value of an argument without the quotes of its strings: "[1, s77]", "float32"; into memory with
 *  ETR_ARGUMENT_ROOM, without a NUL. Returns its size. */
size_t etr_format_argument(char *to, const char *value);

/** The operator of a target without namespace and overload: "linear" of "aten.linear.default", "add" of "_operator.add", "softmax" of
 *  "aten._softmax.default". Part of target. */
etr_slice etr_label_op(const char *target);

/** A node's name, unique in its graph: in a body of cond or map with the way there, "true_graph_0/aten_sin_default". */
const char *etr_label_node(etr_arena *arena, const etr_graph *graph, uint32_t node);

/** "modeling.py:42 in forward"; "" of NULL. */
char *etr_label_source(etr_arena *arena, const etr_source *source);

/** What runs it, in capitals, digits, '-' and '_': "XNNPACK" of "XnnpackBackend"; "CPU" of NULL, that is, of kernels. */
const char *etr_label_device(etr_arena *arena, const char *backend);

/** What the runtime calls an operator, without what all kernels' names start with: "add.out" of "native_call_add.out". Part of name. */
const char *etr_label_kernel(const char *name);

/** The record as a person calls it: the file, or the folder it is in where the file is called as ExecuTorch's examples call it; of a dump alone, the
 *  dump. */
const char *etr_label_record(etr_arena *arena, const etr_profile *profile);

/** A time to three digits: "0.437 ms", "43.7 us", "12.3 s". */
char *etr_label_time(etr_arena *arena, double ns);

#endif
