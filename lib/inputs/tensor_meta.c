/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tensor_meta.c - dtype and sizes of a serialized tensor.
 */
#include "inputs/tensor_meta.h"

#include "formats/element.h"

/* Reads a dimension. Old files write the member of the union that is not used as null. */
void etr_dim_read(etr_dim *dim, etr_map *strings, etr_json *json) {
  etr_slice key;
  if (etr_json_peek(json) == ETR_JSON_NUMBER) {
    dim->size = etr_json_int(json);
    return;
  }
  etr_json_object(json);
  while (etr_json_key(json, &key)) {
    if (etr_json_null(json))
      continue;
    if (etr_slice_is(key, "as_int")) {
      int64_t size = etr_json_int(json);
      *(dim->symbol ? &dim->hint : &dim->size) = size;
    } else if (etr_slice_is(key, "as_expr") || etr_slice_is(key, "hint")) {
      if (!dim->symbol)
        dim->symbol = "?";
      if (etr_json_peek(json) == ETR_JSON_OBJECT)
        etr_dim_read(dim, strings, json);
      else
        etr_json_skip(json);
    } else if (etr_slice_is(key, "expr_str")) {
      dim->symbol = etr_intern(strings, etr_json_string(json));
      dim->size = ETR_DIM_SYMBOLIC;
    } else
      etr_json_skip(json);
  }
}

static void read_sizes(const etr_tensor_metas *metas, etr_value *meta, etr_json *json) {
  etr_vec(etr_dim) dims = {0};
  etr_json_array(json);
  while (etr_json_element(json)) {
    etr_dim *dim = etr_vec_push(metas->scratch, &dims);
    if (!dim)
      return;
    *dim = (etr_dim){.size = ETR_DIM_SYMBOLIC, .hint = -1};
    etr_dim_read(dim, metas->strings, json);
  }
  etr_dim *kept = etr_arena_alloc_array(metas->strings->arena, dims.count, sizeof *kept);
  if (!kept || dims.count > INT32_MAX)
    return;
  if (dims.count)
    memcpy(kept, dims.data, dims.count * sizeof *kept);
  meta->dims = kept;
  meta->rank = (int32_t)dims.count;
}

static void read_tensor_meta(const etr_tensor_metas *metas, etr_value *meta, etr_json *json) {
  etr_slice key;
  bool has_dtype = false;
  etr_json_object(json);
  while (etr_json_key(json, &key)) {
    if (has_dtype &&
        meta->rank >= 0) { /* strides, device and so on are of no use: half of the text */
      etr_json_skip(json);
      etr_json_leave(json);
      return;
    }
    if (etr_json_null(json))
      continue;
    if (etr_slice_is(key, "dtype")) {
      meta->dtype = etr_export_scalar_type_name(etr_json_int(json));
      has_dtype = true;
    } else if (etr_slice_is(key, "sizes"))
      read_sizes(metas, meta, json);
    else if (etr_slice_is(key, "meta"))
      read_tensor_meta(metas, meta, json); /* 2023: one level more */
    else
      etr_json_skip(json);
  }
}

void etr_tensor_metas_init(etr_tensor_metas *metas, etr_map *strings, etr_arena *scratch) {
  *metas = (etr_tensor_metas){.strings = strings, .scratch = scratch};
  etr_text_cache_init(&metas->known, scratch);
}

void etr_tensor_metas_read(etr_tensor_metas *metas, etr_value *meta, etr_json *json) {
  bool known;
  const char *name = meta->name;
  uint32_t number = etr_text_cache_next(&metas->known, json, &known);
  if (known) {
    *meta = metas->values.data[number];
    meta->name = name;
    return;
  }
  read_tensor_meta(metas, meta, json);
  etr_value *slot = number == ETR_NONE ? NULL : etr_vec_push(metas->scratch, &metas->values);
  if (slot)
    *slot = *meta;
}
