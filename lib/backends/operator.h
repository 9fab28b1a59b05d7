/* SPDX-License-Identifier: BSD-3-Clause
 *
 * operator.h - comparing what the graph and the runtime call an operator. Layer 2.
 *
 * The graph says "aten._softmax.default" or "_operator.mul", a kernel event "native_call__softmax.out", the .pte
 * "aten::_softmax" with an overload beside it. They are compared without namespace, overload and leading underscores:
 * out-variants have overloads of their own.
 */
#ifndef ETR_OPERATOR_H
#define ETR_OPERATOR_H

#include "base/base.h"

/* ---- Comparing what the graph and the runtime call an operator ---- */

/** "aten._softmax.default" -> "softmax". */
etr_slice etr_operator_of_target(const char *target);

/** "native_call__softmax.out" -> "softmax"; empty if the event is no kernel's. */
etr_slice etr_operator_of_event(const char *event_name);

/** True of an operator that writes its result over its first input, which ATen marks with an underscore: "copy_". The
 * graphs of a record have none: ExecuTorch inserts them when it makes the program. */
bool etr_operator_is_in_place(etr_slice op);

/** "aten::_softmax" -> "softmax". */
etr_slice etr_operator_of_kernel(const char *kernel_name);

/** True if the operator is one of these. */
bool etr_operator_is_one_of(etr_slice op, const char *const *names, size_t count);

/** True if the operator's result is its first input's data in another shape, or a copy of it: memory planning may make
 * both one. */
bool etr_operator_is_view(etr_slice op);

/** True of ATen's views, whose result is the memory of their input: nothing is moved. Those of the Edge dialect copy.
 */
bool etr_operator_shares_memory(etr_slice op);

/** True if the operator of a target moves or repeats data and computes nothing: "aten.permute_copy.default". */
bool etr_operator_only_copies(const char *target);

/** The same, or converts it to other numbers: quantize, dequantize. */
bool etr_operator_only_moves(const char *target);

/* ---- What ATen calls the arguments of its operators: a .pte has no names ---- */

/** The name of the argument at a place, counted from 0 with tensors, of an operator as operator.h spells them:
 * "convolution". NULL if it is not known. Static. */
const char *etr_argument_name(etr_slice op, size_t place);

#endif
