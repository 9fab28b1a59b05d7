/* SPDX-License-Identifier: BSD-3-Clause
 *
 * operator.h - compares the names that the graph, the runtime and the .pte give to an operator.
 * Layer 2.
 *
 * The graph calls an operator "aten._softmax.default" or "_operator.mul", a kernel event calls it
 * "native_call__softmax.out", and the .pte calls it "aten::_softmax" with a separate overload.
 * Names are compared without namespace, overload and leading underscores, because out-variants have
 * other overloads than the graph.
 */
#ifndef ETR_OPERATOR_H
#define ETR_OPERATOR_H

#include "base/base.h"

/* ---- Comparing what the graph and the runtime call an operator ---- */

/** Returns the operator of a node's target: "softmax" for "aten._softmax.default". */
etr_slice etr_operator_of_target(const char *target);

/** Returns the operator of a kernel's event: "softmax" for "native_call__softmax.out"; empty for
 * other events. */
etr_slice etr_operator_of_event(const char *event_name);

/** Returns true for an operator that overwrites its first input with its result, which ATen marks
 * with an underscore: "copy_". The graphs of a record contain none: ExecuTorch inserts them when it
 * makes the program. */
bool etr_operator_is_in_place(etr_slice op);

/** Returns the operator of a kernel: "softmax" for "aten::_softmax". */
etr_slice etr_operator_of_kernel(const char *kernel_name);

/** Returns true if the operator is one of `names`. */
bool etr_operator_is_one_of(etr_slice op, const char *const *names, size_t count);

/** Returns the row of an operator in a table; NULL if it has none. A row has `size` bytes and
 * begins with the operator's name, a const char *; rows are sorted by name, as strcmp() does. */
const void *etr_operator_row(etr_slice op, const void *rows, size_t count, size_t size);

/** Returns true if the result is the data of the first input in another shape, or a copy of it:
 * memory planning may give both the same memory. */
bool etr_operator_is_view(etr_slice op);

/** Returns true for ATen's views, whose result uses the memory of their input, so that no bytes are
 * moved. Views of the Edge dialect copy.
 */
bool etr_operator_shares_memory(etr_slice op);

/** Returns true if the operator of a target moves or repeats data and computes nothing:
 * "aten.permute_copy.default". */
bool etr_operator_only_copies(const char *target);
/** As etr_operator_only_copies(), for the operator without its namespace and overload. */
bool etr_operator_only_copies_named(etr_slice op);

/** Returns true if etr_operator_only_copies() does, or if the operator converts numbers: quantize,
 * dequantize. */
bool etr_operator_only_moves(const char *target);

/** Returns true if torch tags the operator of a target as nondeterministic_seeded: it draws random
 * numbers, unless its arguments say that it does not. */
bool etr_operator_draws(const char *target);

/* ---- The names of ATen's arguments, which a .pte does not contain ---- */

/** Returns the name of an argument of an operator such as "convolution". `index` is the argument's
 * index; tensors count. NULL if it is not known. Static. */
const char *etr_argument_name(etr_slice op, size_t index);

#endif
