/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tensor_meta.h - dtype and sizes of a tensor as torch.export serializes them. Layer 2.
 */
#ifndef ETR_TENSOR_META_H
#define ETR_TENSOR_META_H

#include "arena.h"
#include "json.h"

/**
 * Reads one value of tensor_values, {dtype, sizes, ...}, into dtype, dims and rank of *meta. Sizes and strings live in the arena of `strings`;
 * `scratch` holds what is needed while reading. Failures are the reader's and the arenas'.
 */
void etr_tensor_meta_read(etr_value *meta, etr_map *strings, etr_arena *scratch, etr_json *json);

/**
 * Reads a size, or another symbolic number: {as_int} or {as_expr}. *dim is to have the size ETR_DIM_SYMBOLIC, which
 * stays if none is told; its symbol is interned in `strings`.
 */
void etr_dim_read(etr_dim *dim, etr_map *strings, etr_json *json);

#endif
