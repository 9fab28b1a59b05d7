/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_summary_tables.c - the summary's tables of real records: rows that sum up others count all
 * of them, and statistics are in their columns.
 */
#include "base/writer.h"
#include "views/balance.h"
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
 * "<1000". */
typedef struct module_line {
  size_t level, modules; /* number of modules in the line */
  double total, off;
} module_line;

static module_line read_line(const char *line) {
  size_t indent = strspn(line, " "), name = indent;
  unsigned long more;
  char word[8];
  while (line[name] && strncmp(line + name, "  ", 2) != 0)
    name++;
  bool stands_for_more = sscanf(line + indent, "%lu %4s", &more, word) == 2 &&
                         strcmp(word, "more") == 0;
  while (line[name] == ' ')
    name++;
  bool is_below = line[name] == '<';
  bool is_top = strncmp(line + indent, "(top level", 10) == 0;
  return (module_line){.level = indent / 2,
                       .modules = stands_for_more ? more
                                  : is_top        ? 0
                                                  : 1,
                       .total = is_below ? 0 : strtod(line + name, NULL),
                       .off = is_below ? strtod(line + name + 1, NULL) : 1};
}

/* All modules directly below the model are listed, and their times add up to the graph operators.
 */
Test(summary_tables, omitted_modules_are_counted) {
  static const struct {
    const char *record;
    size_t top;
  } cases[] = {{"mv2_xnnpack", 3}, {"mv2_xnnpack", 10}, {"llama_xnnpack", 4},
               {"vit_xnnpack", 5}, {"cpp_rich", 2},     {"mv2_portable", 6}};
  size_t stand_ins = 0;
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_profile *profile = open_record(cases[i].record);
    const etr_method *method = &profile->methods[0];
    etr_breakdown by;
    etr_module_tree tree;
    cr_assert(etr_breakdown_make(&by, &arena, profile, method, ETR_BY_MODULE, NULL));
    cr_assert(etr_module_tree_make(&tree, &arena, profile, method, &by));
    size_t modules = 0, wanted = 0;
    double total = 0, off = 0;
    for (size_t k = 1; k < tree.count; k++)
      wanted += tree.rows[k].parent == 0;
    char *text = strstr(
        summary_of(&arena, profile, &(etr_table_options){.top = cases[i].top, .unit = ETR_UNIT_NS}),
        "by module");
    cr_assert_not_null(text);
    for (char *line = strchr(text, '\n') + 1; *line != '\n' && *line;
         line = strchr(line, '\n') + 1) {
      module_line read = read_line(line);
      if (read.level != 1)
        continue;
      stand_ins += read.modules > 1;
      modules += read.modules;
      total += read.total;
      off += read.off;
    }
    cr_expect_eq(modules, wanted, "%s, top %zu: %zu modules of %zu", cases[i].record, cases[i].top,
                 modules, wanted);
    double nodes = (double)method->nodes_ticks / (double)method->run_count;
    cr_expect_float_eq(total, nodes, off, "%s, top %zu: %g of %g", cases[i].record, cases[i].top,
                       total, nodes);
    etr_arena_clear(&arena);
    etr_profile_close(profile);
  }
  cr_expect_gt(stand_ins, 0, "some lines sum up several modules");
}

/* ---- Rows ---- */

/* The statistics of the first row of a section in CSV: method,section,key,avg,unit,share,p50,p90.
 */
static void expect_row(const char *csv, const char *section, const etr_stats *stats,
                       const char *record) {
  const char *at = strstr(csv, section);
  double p50 = -1, p90 = -1;
  cr_assert_not_null(at, "%s: %s", record, section);
  for (int comma = 0; *at && comma < 6; at++)
    if (*at == ',' && ++comma == 6)
      sscanf(at + 1, "%lf,%lf", &p50, &p90);
  cr_expect_float_eq(p50, stats->p50, 1e-6, "%s, %s: p50 %g instead of %g", record, section, p50,
                     stats->p50);
  cr_expect_float_eq(p90, stats->p90, 1e-6, "%s, %s: p90 %g instead of %g", record, section, p90,
                     stats->p90);
}

Test(summary_tables, statistics_are_in_their_columns) {
  static const char *const records[] = {"mv2_xnnpack", "llama_portable", "add_mul", "cpp_rich"};
  for (size_t i = 0; i < ETR_COUNT(records); i++) {
    etr_arena arena = {0};
    etr_profile *profile = open_record(records[i]);
    const char *csv = summary_of(
        &arena, profile, &(etr_table_options){.format = ETR_TABLE_CSV, .unit = ETR_UNIT_CYCLES});
    expect_row(csv, ",execute,", &profile->methods[0].execute, records[i]);
    cr_expect_neq(profile->methods[0].execute.p50, profile->methods[0].execute.p90,
                  "%s: p50 and p90 differ", records[i]);
    etr_arena_clear(&arena);
    etr_profile_close(profile);
  }
}

/* Rows are written after all methods were summed up; each has the statistics of its own method. */
Test(summary_tables, each_method_has_its_own_statistics) {
  etr_arena arena = {0};
  etr_profile *profile = open_record("multi_method");
  const char *csv = summary_of(
      &arena, profile, &(etr_table_options){.format = ETR_TABLE_CSV, .unit = ETR_UNIT_CYCLES});
  size_t compared = 0;
  for (size_t i = 0; i < profile->method_count; i++) {
    const char *section = etr_arena_format(&arena, "%s,other_runs,", profile->methods[i].name);
    etr_first_run first;
    cr_assert(etr_first_run_of(&first, &arena, profile, &profile->methods[i]));
    if (first.rest.count == 0)
      continue;
    expect_row(csv, section, &first.rest, "multi_method");
    compared++;
  }
  cr_expect_gt(compared, 1);
  etr_arena_clear(&arena);
  etr_profile_close(profile);
}
