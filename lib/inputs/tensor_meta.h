/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tensor_meta.h - reads the dtype and the sizes of tensors that torch.export serialized. Layer 2.
 */
#ifndef ETR_TENSOR_META_H
#define ETR_TENSOR_META_H

#include "inputs/text_cache.h"

/** The tensors of one program while it is read. Many are equal, so each text is read once. */
typedef struct etr_tensor_metas {
  etr_map *strings; /* interns texts; sizes live in its arena */
  etr_arena *scratch;
  etr_text_cache known; /* numbers `values` */
  etr_vec(etr_value) values;
} etr_tensor_metas;

void etr_tensor_metas_init(etr_tensor_metas *metas, etr_map *strings, etr_arena *scratch);

/** Reads one value of tensor_values, {dtype, sizes, ...}, into dtype, dims and rank of *meta; its
 * name stays. Failures show on the reader or on the arenas. */
void etr_tensor_metas_read(etr_tensor_metas *metas, etr_value *meta, etr_json *json);

/**
 * Reads a size, or another symbolic number: {as_int} or {as_expr}. The caller sets the size of *dim
 * to ETR_DIM_SYMBOLIC, which stays if the file has no number. The symbol is interned in `strings`.
 */
void etr_dim_read(etr_dim *dim, etr_map *strings, etr_json *json);

#endif
