/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_tensor_meta.c - dtype and sizes as each version of torch.export writes them.
 */

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>

#include "inputs/metadata.h"

/* Writes "float32[2,s77~16,?]": a size, an expression with its hint, an unknown size. */
static void describe(char *out, size_t size, const etr_value *meta) {
  size_t used = (size_t)snprintf(out, size, "%s%s", meta->dtype ? meta->dtype : "",
                                 meta->rank < 0 ? "" : "[");
  for (int32_t i = 0; i < meta->rank; i++) {
    const etr_dim *dim = &meta->dims[i];
    used += (size_t)snprintf(out + used, size - used, "%s", i ? "," : "");
    if (dim->symbol)
      used += (size_t)snprintf(out + used, size - used, "%s", dim->symbol);
    else if (dim->size == ETR_DIM_SYMBOLIC)
      used += (size_t)snprintf(out + used, size - used, "?");
    else
      used += (size_t)snprintf(out + used, size - used, "%" PRId64, dim->size);
    if (dim->hint >= 0)
      used += (size_t)snprintf(out + used, size - used, "~%" PRId64, dim->hint);
  }
  snprintf(out + used, size - used, "%s", meta->rank < 0 ? "" : "]");
}

Test(tensor_meta, types_and_sizes_of_all_versions_are_read) {
  static const struct {
    const char *document, *want;
  } cases[] = {
      {"{\"dtype\":7,\"sizes\":[{\"as_int\":2},{\"as_int\":3}]}", "float32[2,3]"},
      {"{\"sizes\":[],\"dtype\":5}", "int64[]"},
      {"{\"dtype\":7,\"sizes\":[{\"as_int\":2}],\"requires_grad\":false,\"device\":{\"type\":"
       "\"cpu\"}}",
       "float32[2]"},
      {"{\"layout\":7,\"device\":{\"type\":\"cpu\"},\"dtype\":7}", "float32"},
      {"{\"sizes\":[{\"as_int\":1}]}", "[1]"},
      {"{}", ""},
      /* symbolic sizes */
      {"{\"dtype\":7,\"sizes\":[{\"as_expr\":{\"expr_str\":\"s77\",\"hint\":{\"as_int\":16}}}]}",
       "float32[s77~16]"},
      {"{\"dtype\":7,\"sizes\":[{\"as_expr\":{\"hint\":{\"as_int\":16},\"expr_str\":\"2*s0\"}}]}",
       "float32[2*s0~16]"},
      {"{\"dtype\":7,\"sizes\":[{\"as_expr\":{\"expr_str\":\"s0\",\"hint\":null}}]}",
       "float32[s0]"},
      {"{\"dtype\":7,\"sizes\":[{\"as_expr\":\"s0\"},{\"as_name\":\"n\"}]}", "float32[?,?]"},
      /* unused members are null */
      {"{\"dtype\":null,\"sizes\":[{\"as_int\":4,\"as_expr\":null},{\"as_expr\":null,\"as_int\":5}]"
       "}",
       "[4,5]"},
      /* 2023: plain numbers, one level more */
      {"{\"meta\":{\"dtype\":6,\"sizes\":[7,8]},\"name\":\"x\"}", "float16[7,8]"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0}, scratch = {0};
    etr_map strings;
    etr_tensor_metas metas;
    etr_value meta = {.rank = -1};
    char got[256];
    etr_map_init(&strings, &arena);
    etr_json *json = etr_json_open_memory(etr_slice_of(cases[i].document), NULL);
    etr_tensor_metas_init(&metas, &strings, &scratch);
    etr_tensor_metas_read(&metas, &meta, json);
    etr_json_end(json);
    describe(got, sizeof got, &meta);
    cr_expect(!etr_json_failed(json), "%s: %s", cases[i].document, etr_json_message(json));
    cr_expect_str_eq(got, cases[i].want, "%s is %s", cases[i].document, got);
    etr_json_close(json);
    etr_arena_clear(&scratch);
    etr_arena_clear(&arena);
  }
}
