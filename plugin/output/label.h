/* SPDX-License-Identifier: BSD-3-Clause
 *
 * label.h - short texts for people: shapes, operators, source lines, devices, times. Layer 4.
 *
 * Texts are not escaped for any format. A char * returned is in the arena, and NULL when out of memory.
 */
#ifndef ETR_LABEL_H
#define ETR_LABEL_H

#include "base/arena.h"

/** True of a graph of instructions, program/METHOD: it knows no modules and no source. */
bool etr_is_program(const etr_graph *graph);

/** Type and shape of a value: "f32[1,16,256]", "f32[s77,16]", "f32[]" for a scalar, "int" for a symbolic number, "" if
 * unknown. */
char *etr_label_shape(etr_arena *arena, const etr_value *value);

enum { ETR_SHAPE_ROOM = 512 }; /* longer texts are cut */

/** Writes the same to ETR_SHAPE_ROOM bytes, without a NUL. Returns the size. */
size_t etr_format_shape(char *to, const etr_value *value);

enum { ETR_ARGUMENT_ROOM = 1024 }; /* longer texts are cut */

/** Writes the value of an argument without the quotes of its strings, "[1, s77]" or "float32", to ETR_ARGUMENT_ROOM
 * bytes, without a NUL. Returns the size. */
size_t etr_format_argument(char *to, const char *value);

/** The operator of a target without namespace and overload: "linear" of "aten.linear.default", "add" of
 * "_operator.add", "softmax" of "aten._softmax.default". Part of target. */
etr_slice etr_label_op(const char *target);

/** A node's name, unique in its graph: in a body of cond or map with its path, "true_graph_0/aten_sin_default". */
const char *etr_label_node(etr_arena *arena, const etr_graph *graph, uint32_t node);

/** "modeling.py:42 in forward"; "" of NULL. */
char *etr_label_source(etr_arena *arena, const etr_source *source);

/** What runs it, in capitals, digits, '-' and '_': "XNNPACK" for "XnnpackBackend", "CPU" for NULL (kernels). */
const char *etr_label_device(etr_arena *arena, const char *backend);

/** The runtime's name of an operator without the prefix of all kernels: "add.out" of "native_call_add.out". Part of
 * name. */
const char *etr_label_kernel(const char *name);

/** What a person calls the record: the file's name, or its folder's if the file has the name that ExecuTorch's examples
 * use; without an ETRecord, the ETDump's. */
const char *etr_label_record(etr_arena *arena, const etr_profile *profile);

/** The same of the one ETDump, without its ending: "pixel8" of "out/pixel8.etdp"; NULL if there are none or several. */
const char *etr_label_dump(etr_arena *arena, const etr_profile *profile);

/** A time to three digits: "0.437 ms", "43.7 us", "12.3 s". */
char *etr_label_time(etr_arena *arena, double ns);

/** Returns "9,936,896", in the arena; "" when out of memory, which shows there. */
const char *etr_count_text(etr_arena *arena, uint64_t bytes);

#endif
