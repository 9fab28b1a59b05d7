/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegate_contents.h - what a delegate contains: modules, operators, multiply-accumulates.
 * Layer 4.
 */
#ifndef ETR_DELEGATE_CONTENTS_H
#define ETR_DELEGATE_CONTENTS_H

#include "base/arena.h"
#include "etrecord_tb.h"

/** Modules of one pattern with operators in a delegate. */
typedef struct etr_delegate_module {
  const char *pattern; /* as in etr_module; "": the top level */
  size_t count;        /* modules */
} etr_delegate_module;

/** Operators of one target in a delegate. */
typedef struct etr_delegate_op {
  const char *op; /* "aten.convolution.default" */
  size_t count;
} etr_delegate_op;

/** What a method's Edge graph has in a delegate. Empty without one. */
typedef struct etr_delegate_contents {
  const etr_delegate_module *modules; /* most modules first */
  size_t module_count;
  const etr_delegate_op *ops; /* most operators first */
  size_t op_count;
  double macs;    /* per inference; NaN: not known of all operators */
  double typical; /* of the call, in ticks per inference in the typical run; NaN: not timed */
  bool is_opaque; /* it was called and recorded no operators */
} etr_delegate_contents;

/** Finds it. Returns false when out of memory. */
bool etr_delegate_contents_make(etr_delegate_contents *out, etr_arena *arena,
                                const etr_profile *profile, const etr_method *method,
                                const etr_delegate *delegate);

#endif
