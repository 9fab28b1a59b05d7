/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuzz_document.c - lib/compare/side_document.c on any bytes: a document that is read can be
 * compared with itself, and nothing changed then.
 */
#include "base/base.h"
#include "etrecord_compare.h"
#include "etrecord_tb.h"

#include <stdlib.h>

static bool ignore(void *context, const void *bytes, size_t size) {
  *(size_t *)context += size;
  return bytes != NULL;
}

static void check_method(const etr_method_pair *method) {
  for (size_t i = 0; i < method->pair_count; i++)
    if (method->pairs[i].base_name == NULL && method->pairs[i].new_name == NULL)
      abort();
  if (method->timed_paired > method->timed_nodes)
    abort();
}

/* Puts the document beside itself. */
static void put_side_by_side(const etr_document *document) {
  const etr_record_set_options options = {.by = ETR_RECORDS_BY_OP, .keeps_comparisons = true};
  etr_record_set *set;
  size_t written = 0;
  if (etr_record_set_open(&set, &options, NULL) != ETR_OK ||
      etr_record_set_add_document(set, document, NULL) != ETR_OK ||
      etr_record_set_add_document(set, document, NULL) != ETR_OK ||
      etr_record_set_finish(set, NULL) != ETR_OK || !etr_record_set_comparison(set, 1) ||
      etr_emit_compare_json(set, ETR_UNIT_NS, &(etr_sink){ignore, &written}, NULL) != ETR_OK)
    abort();
  etr_record_set_close(set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = (const char *)data;
  etr_comparison *comparison;
  etr_error error;
  size_t written = 0;
  const etr_document document = {text, size, "fuzz"};
  etr_status status = etr_compare_documents(&comparison, &document, &document, NULL, &error);
  if ((status == ETR_OK) != (error.message[0] == '\0') ||
      (status == ETR_OK) != (comparison != NULL))
    abort();
  if (status != ETR_OK)
    return 0;
  for (size_t i = 0; i < comparison->method_count; i++)
    check_method(&comparison->methods[i]);
  if (etr_emit_diff_json(comparison, NULL, ETR_UNIT_NS, &(etr_sink){ignore, &written}, NULL) !=
          ETR_OK ||
      written == 0)
    abort();
  etr_comparison_close(comparison);
  put_side_by_side(&document);
  return 0;
}
