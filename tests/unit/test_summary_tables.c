/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_summary_tables.c - the summary's tables of real records: rows that sum up others count all
 * of them, and statistics are in their columns.
 */
#include "base/writer.h"
#include "views/balance.h"
#include "views/groups.h"
#include "views/headline.h"
#include "views/loads.h"
#include "views/module_tree.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static etr_profile *open_record(const char *name) {
  char path[512];
  etr_inputs inputs;
  etr_profile *profile = NULL;
  snprintf(path, sizeof path, "%s/%s", FIXTURES, name);
  cr_assert_eq(etr_inputs_find(&inputs, path, NULL, NULL), ETR_OK);
  cr_assert_eq(etr_profile_open(&profile, &inputs, NULL, NULL), ETR_OK);
  etr_inputs_clear(&inputs);
  return profile;
}

static char *summary_of(etr_arena *arena, const etr_profile *profile,
                        const etr_table_options *options) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, arena, &writer);
  cr_assert_eq(etr_emit_summary_tables(profile, NULL, options, &writer.sink, NULL), ETR_OK);
  return etr_text_end(&text, &writer);
}

/* ---- Modules ---- */

/* A line of "by module": its name behind 2 blanks per level, and its total with a tolerance, as in
 * "<1000"; the last line may say how many modules are not shown. */
typedef struct module_line {
  size_t level, modules; /* number of modules in the line */
  double total, off;
} module_line;

static module_line read_line(const char *line) {
  size_t indent = strspn(line, " "), name = indent;
  unsigned long more;
  char word[8];
  if (sscanf(line, "%lu %5s", &more, word) == 2 && strcmp(word, "more:") == 0)
    return (module_line){.modules = more};
  while (line[name] && strncmp(line + name, "  ", 2) != 0)
    name++;
  while (line[name] == ' ')
    name++;
  bool is_below = line[name] == '<';
  return (module_line){.level = indent / 2,
                       .modules = strncmp(line + indent, "(top level", 10) != 0,
                       .total = is_below ? 0 : strtod(line + name, NULL),
                       .off = is_below ? strtod(line + name + 1, NULL) : 1};
}

/* Each module has a line or is counted in the last one; if all have one, the times of those
 * directly below the model add up to the graph operators. */
/* Compares the share of a part, of which a clock may hide what is from `low` to `high` percent. */
static void expect_share(double low, double high, const char *cell, const char *words) {
  const etr_headline_part part = {.low = low / 100, .high = high / 100};
  for (int is_row = 0; is_row < 2; is_row++) {
    etr_arena arena = {0};
    etr_text text;
    etr_writer w;
    etr_text_begin(&text, &arena, &w);
    etr_headline_put_share(&w, &part, is_row);
    cr_expect_str_eq(etr_text_end(&text, &w), is_row ? cell : words);
    etr_arena_clear(&arena);
  }
}

Test(summary_tables, a_share_is_a_range_if_whole_percents_differ) {
  expect_share(1.45, 1.7, "1–2 %", "1 – 2 %");
  expect_share(38, 61, "38–61 %", "38 – 61 %");
  expect_share(1.6, 2.4, "2 %", "2 %");
  expect_share(0.8, 0.9, "0.9 %", "0.9 %");
  expect_share(0.3, 0.9, "0.9 %", "0.9 %");
  expect_share(0.1, 2, "≤2 %", "up to 2 %");
}

Test(summary_tables, a_sum_is_estimated_if_a_hundredth_of_it_is) {
  cr_expect(etr_is_estimated(1, 100));
  cr_expect(etr_is_estimated(0.5, 0.5));
  cr_expect_not(etr_is_estimated(0.9, 100));
  cr_expect_not(etr_is_estimated(0, 0));
}

Test(summary_tables, omitted_modules_are_counted) {
  static const struct {
    const char *record;
    size_t top;
  } cases[] = {{"mv2_xnnpack", 3}, {"mv2_xnnpack", 10}, {"llama_xnnpack", 4}, {"vit_xnnpack", 5},
               {"cpp_rich", 2},    {"mv2_portable", 6}, {"llama_xnnpack", 0}, {"vit_xnnpack", 0}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_profile *profile = open_record(cases[i].record);
    const etr_method *method = &profile->methods[0];
    etr_breakdown by;
    etr_module_tree tree;
    cr_assert(etr_breakdown_make(&by, &arena, profile, method, ETR_BY_MODULE, NULL));
    cr_assert(etr_module_tree_make(&tree, &arena, profile, method, &by));
    size_t modules = 0;
    double total = 0, off = 0;
    char *text = strstr(
        summary_of(&arena, profile,
                   &(etr_table_options){.top = cases[i].top, .unit = ETR_UNIT_NS, .all = true}),
        "by module");
    cr_assert_not_null(text);
    for (char *line = strchr(text, '\n') + 1; *line != '\n' && *line;
         line = strchr(line, '\n') + 1) {
      module_line read = read_line(line);
      modules += read.modules;
      if (read.level != 1)
        continue;
      total += read.total;
      off += read.off;
    }
    cr_expect_eq(modules, tree.count - 1, "%s, top %zu: %zu modules of %zu", cases[i].record,
                 cases[i].top, modules, tree.count - 1);
    double nodes = 0;
    for (size_t k = 0; k < method->part_count; k++)
      nodes += method->parts[k].part == ETR_TIME_OPERATORS ? method->parts[k].typical : 0;
    if (cases[i].top == 0)
      cr_expect_float_eq(total, nodes, off, "%s: %g of %g", cases[i].record, total, nodes);
    etr_arena_clear(&arena);
    etr_profile_close(profile);
  }
}

/* ---- Rows ---- */

/* Each method has a row with its own runs, and median and average of them, which differ. */
Test(summary_tables, statistics_are_in_their_columns) {
  static const char *const records[] = {"mv2_xnnpack", "llama_portable", "add_mul", "cpp_rich",
                                        "multi_method"};
  size_t compared = 0;
  for (size_t i = 0; i < ETR_COUNT(records); i++) {
    etr_arena arena = {0};
    etr_profile *profile = open_record(records[i]);
    const char *csv = summary_of(&arena, profile,
                                 &(etr_table_options){.format = ETR_TABLE_CSV,
                                                      .unit = ETR_UNIT_CYCLES,
                                                      .by = ETR_SUM_BY_METHOD});
    for (size_t k = 0; k < profile->method_count; k++) {
      const etr_method *method = &profile->methods[k];
      const char *name = etr_arena_format(&arena, ",%s,%zu,%zu,", method->name, method->run_count,
                                          method->skipped_run_count);
      const char *row = strstr(csv, name);
      double typical = -1, p50 = -1, avg = -1;
      if (method->computes_nothing) {
        cr_expect_null(row, "%s: a row%s", records[i], name);
        continue;
      }
      cr_assert_not_null(row, "%s: no row%s", records[i], name);
      if (method->run_count == 0)
        continue;
      sscanf(row + strlen(name), "%lf,%lf,%lf", &typical, &p50, &avg);
      cr_expect_float_eq(typical, method->execute.typical, 1e-6);
      cr_expect_float_eq(p50, method->execute.p50, 1e-6);
      cr_expect_float_eq(avg, method->execute.avg, 1e-6);
      cr_expect_neq(method->execute.p50, method->execute.avg);
      compared++;
    }
    etr_arena_clear(&arena);
    etr_profile_close(profile);
  }
  cr_expect_eq(compared, 6, "%zu methods ran", compared);
}
