/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tensor_meta.h - dtype and sizes of a tensor as torch.export serializes them. Layer 2.
 */
#ifndef ETR_TENSOR_META_H
#define ETR_TENSOR_META_H

#include "inputs/text_cache.h"

/** Those of one program while it is read: as many are alike, each text is read once. */
typedef struct etr_tensor_metas {
  etr_map *strings; /* interns texts; sizes live in its arena, too */
  etr_arena *scratch;
  etr_map known; /* a memo of: */
  etr_vec(etr_value) values;
} etr_tensor_metas;

void etr_tensor_metas_init(etr_tensor_metas *metas, etr_map *strings, etr_arena *scratch);

/** Reads one value of tensor_values, {dtype, sizes, ...}, into dtype, dims and rank of *meta, whose name stays.
 * Failures are the reader's and the arenas'. */
void etr_tensor_metas_read(etr_tensor_metas *metas, etr_value *meta, etr_json *json);

/**
 * Reads a size, or another symbolic number: {as_int} or {as_expr}. *dim is to have the size ETR_DIM_SYMBOLIC, which
 * stays if none is told; its symbol is interned in `strings`.
 */
void etr_dim_read(etr_dim *dim, etr_map *strings, etr_json *json);

#endif
