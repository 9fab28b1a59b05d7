/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_limited.c - plugin/output/limited.c: an emitter's output up to a limit, over several calls.
 */
#include "etrecord_tb.h"

#include <criterion/criterion.h>
#include <string.h>

typedef struct taken {
  size_t size;
  bool is_full;
} taken;

static bool take_bytes(void *context, const void *data, size_t size) {
  taken *t = context;
  (void)data;
  t->size += size;
  return !t->is_full;
}

/* Writes a text byte by byte. */
static etr_status emit_text(void *context, const etr_sink *sink, etr_error *error) {
  (void)error;
  for (const char *text = context; *text; text++)
    if (!sink->write(sink->context, text, 1))
      return ETR_ERROR_IO;
  return ETR_OK;
}

static etr_status emit_nothing(void *context, const etr_sink *sink, etr_error *error) {
  (void)context;
  (void)sink;
  (void)error;
  return ETR_ERROR_MEMORY;
}

Test(limited, output_stops_at_the_limit) {
  static const struct {
    uint64_t max_bytes, written;
    etr_status status;
    size_t size;
  } cases[] = {
      {0, 0, ETR_OK, 5},
      {5, 0, ETR_OK, 5},
      {4, 0, ETR_ERROR_FORMAT, 4},
      {10, 5, ETR_OK, 5},
      {10, 6, ETR_ERROR_FORMAT, 4},
      {10, 11, ETR_ERROR_FORMAT, 0},
      {UINT64_MAX, UINT64_MAX - 5, ETR_OK, 5},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    taken t = {0};
    etr_error error = {0};
    etr_limited limited = {emit_text, "texts", cases[i].max_bytes, cases[i].written};
    cr_expect_eq(etr_emit_limited(&limited, &(etr_sink){take_bytes, &t}, &error), cases[i].status,
                 "case %zu", i);
    cr_expect(t.size == cases[i].size && limited.written == cases[i].written + cases[i].size,
              "case %zu: %zu", i, t.size);
    cr_expect_eq(cases[i].status != ETR_OK,
                 strstr(error.message, "raise this limit with --max-output") != NULL, "case %zu",
                 i);
  }
}

Test(limited, other_failures_are_passed_on) {
  taken t = {.is_full = true};
  etr_limited full = {.emit = emit_text, .context = "texts"}, other = {.emit = emit_nothing};
  cr_expect_eq(etr_emit_limited(&full, &(etr_sink){take_bytes, &t}, NULL), ETR_ERROR_IO);
  cr_expect_eq(etr_emit_limited(&other, &(etr_sink){take_bytes, &t}, NULL), ETR_ERROR_MEMORY);
}
