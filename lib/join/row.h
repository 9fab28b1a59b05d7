/* SPDX-License-Identifier: BSD-3-Clause
 *
 * row.h - what a row of a block is. Layer 3.
 */
#ifndef ETR_ROW_H
#define ETR_ROW_H

#include "blocks.h"

typedef enum etr_row_kind {
  ETR_ROW_FRAMEWORK,      /* Method::*, Program::*, control flow, executorch_prim, an OPERATOR_CALL around a kernel */
  ETR_ROW_KERNEL,         /* native_call_*, or an OPERATOR_CALL that logged no kernel */
  ETR_ROW_DELEGATE_CALL,  /* a delegate as a whole */
  ETR_ROW_DELEGATE_EVENT, /* one operator inside a delegate */
} etr_row_kind;

/** The kind of a row; looks at its neighbours: rows of one instruction stand together. */
etr_row_kind etr_row_kind_of(const etr_block *block, size_t row);

#endif
