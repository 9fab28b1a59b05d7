/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_page.c - pages of Markdown as TensorFlow's events.
 */
#include "tb_page.h"

#include "balance.h"
#include "table.h"

void etr_tb_page_init(etr_tb_page *page, double wall_time, const char *tag, const char *markdown) {
  etr_tb_summary_init(&page->summary, wall_time, tag, 0, "text", TENSORBOARD__DATA_CLASS__DATA_CLASS_TENSOR);
  page->text = (ProtobufCBinaryData){strlen(markdown), (uint8_t *)(uintptr_t)markdown};
  page->summary.tensor.dtype = TENSORBOARD__DATA_TYPE__DT_STRING;
  page->summary.tensor.n_string_val = 1;
  page->summary.tensor.string_val = &page->text;
}

static void add_row(etr_table *table, const etr_profile *profile, const etr_method *method, const char *text, uint64_t ticks) {
  etr_table_add(table, text);
  etr_table_add_number(table, etr_ticks_to_ns(profile, (double)ticks / (double)method->run_count), 3);
  etr_table_add_share(table, (double)ticks, (double)method->execute_ticks);
}

char *etr_tb_summary_page(etr_arena *arena, const etr_profile *profile, const etr_method *method) {
  static const etr_column columns[] = {{"where the time goes", false, false}, {"avg ns", true, false}, {"share", true, false}};
  etr_balance_part parts[ETR_BALANCE_PARTS];
  etr_text text;
  etr_writer writer;
  etr_table table;
  etr_table_init(&table, arena, columns, ETR_COUNT(columns));
  etr_balance_list(method, parts);
  for (size_t i = 0; i < ETR_BALANCE_PARTS; i++) add_row(&table, profile, method, parts[i].text, parts[i].ticks);
  add_row(&table, profile, method, "Method::execute", method->execute_ticks);
  etr_text_begin(&text, arena, &writer);
  etr_putf(&writer, "%zu run%s\n\n", method->run_count, method->run_count == 1 ? "" : "s");
  etr_table_write(&table, &writer, ETR_TABLE_MARKDOWN, 0);
  return etr_text_end(&text, &writer);
}
