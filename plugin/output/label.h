/* SPDX-License-Identifier: BSD-3-Clause
 *
 * label.h - makes short texts for people: shapes, operators, source lines, devices, times. Layer 4.
 *
 * Texts are not escaped for any format. A returned char * is in the arena, or NULL when out of
 * memory.
 */
#ifndef ETR_LABEL_H
#define ETR_LABEL_H

#include "base/arena.h"
#include "etrecord_tb.h"

/** Returns true for a graph of instructions, program/METHOD, which has no modules and no source
 * lines. */
bool etr_is_program(const etr_graph *graph);

/** Returns type and shape of a value: "f32[1,16,256]", "f32[s77,16]", "f32[]" for a scalar, "int"
 * for a symbolic number,
 * "" if unknown. */
char *etr_label_shape(etr_arena *arena, const etr_value *value);

enum { ETR_SHAPE_ROOM = 512 }; /* longer texts are cut */

/** Writes the text of etr_label_shape() to ETR_SHAPE_ROOM bytes, without a NUL. Returns the size in
 * bytes. */
size_t etr_format_shape(char *to, const etr_value *value);

enum { ETR_ARGUMENT_ROOM = 1024 }; /* longer texts are cut */

/** Writes the value of an argument without the quotes of its strings, "[1, s77]" or "float32", to
 * ETR_ARGUMENT_ROOM bytes, without a NUL. Returns the size in bytes. */
size_t etr_format_argument(char *to, const char *value);

/** Returns the operator of a target without namespace and overload: "linear" for
 * "aten.linear.default", "add" for "_operator.add", "softmax" for "aten._softmax.default". The
 * slice points into target. */
etr_slice etr_label_op(const char *target);

/** Returns a node's name, which is unique in its graph: for a node in the body of a cond or map,
 * the name has the path of the body in front, as in "true_graph_0/aten_sin_default". */
const char *etr_label_node(etr_arena *arena, const etr_graph *graph, uint32_t node);

/** Returns "modeling.py:42 in forward", or "" for NULL. */
char *etr_label_source(etr_arena *arena, const etr_source *source);

/** Returns when a jump of a program jumps, and where to: "if not value_15" or "always", the
 * separator, "go to instruction_8". NULL for other nodes. */
char *etr_label_jump(etr_arena *arena, const etr_node *node, const char *separator);

/** Returns a backend's label in capitals, digits, '-' and '_': "XNNPACK" for "XnnpackBackend",
 * "CPU" for NULL (kernels). */
const char *etr_label_device(etr_arena *arena, const char *backend);

/** Returns the runtime's name of an operator without the prefix that all kernels have: "add.out"
 * for "native_call_add.out". It points into name. */
const char *etr_label_kernel(const char *name);

/** Returns the short name of a backend: "XNNPACK" for "XnnpackBackend". Allocates in the arena if
 * the library knows none; NULL when out of memory. */
const char *etr_label_backend(etr_arena *arena, const char *backend);

/** Returns what the file system calls a folder, also one written as "." or "..": the last part of
 * its real path, "" for the root. NULL if it is not there, or when out of memory. */
const char *etr_label_folder(etr_arena *arena, etr_slice path);

/** Returns what a person calls the record: the name of the directory that was given, and of one
 * that `bench` made also its time, "net 13:40" for "net/2026-11-22_13-40-05". Of files, the
 * name of the ETRecord's, or of its folder if the file has the name that ExecuTorch's examples use;
 * without an ETRecord, the name of the ETDump. */
const char *etr_label_record(etr_arena *arena, const etr_profile *profile);

/** Returns what a person calls the recordings of a method: the name of the record; of ETDumps
 * alone, which may be of several programs, the name of the one that has the method's runs, or of
 * its folder if several have some. */
const char *etr_label_recordings(etr_arena *arena, const etr_profile *profile,
                                 const etr_method *method);

/** Returns the name of a method, or what people read if it is not known. Static, or the name
 * itself. */
const char *etr_label_method(const char *name);

/** Returns what a person calls the ETDump, without its ending: "pixel8" for "out/pixel8.etdp"; NULL
 * if the profile does not have exactly one ETDump. */
const char *etr_label_dump(etr_arena *arena, const etr_profile *profile);

/** What to say where cycles are shown in a unit of time. */
#define ETR_TICK_IS_TAKEN_AS_NS                                                                    \
  "1 tick is taken as 1 ns, but this clock counts cycles: give its rate, --ticks-per-second "      \
  "400e6 for 400 MHz"

/** What to say where an answer is in cycles, although nobody asked for them. */
#define ETR_CYCLES_HAVE_NO_RATE                                                                    \
  "this clock counts cycles, and its rate is not recorded: --ticks-per-second RATE gives times "   \
  "(400e6 if it runs at 400 MHz)"

/** Returns what to say where times are shown in a unit if they may be no times, because a clock
 * counts cycles and its rate was not given: "1 tick is taken as 1 ns, ...". NULL if there is
 * nothing to say. Static. */
const char *etr_label_clock(const etr_profile *profile, etr_unit unit);

/** Returns what an answer with these options says of a clock that counts cycles: that, or that the
 * answer is in cycles, if nobody chose them. NULL if there is nothing to say. Static. */
const char *etr_label_clock_note(const etr_profile *profile, const etr_table_options *options);

/** Returns a time in ticks as text with three digits: "0.437 ms", "43.7 us", "12.3 s"; "6054
 * cycles" if the clock counts them and its rate is not known. */
char *etr_label_ticks(etr_arena *arena, const etr_profile *profile, double ticks);

/** Returns "9,936,896", in the arena; "" when out of memory, which shows there. */
const char *etr_count_text(etr_arena *arena, uint64_t bytes);

#endif
