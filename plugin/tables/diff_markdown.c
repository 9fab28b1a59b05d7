/* SPDX-License-Identifier: BSD-3-Clause
 *
 * diff_markdown.c - a comparison as a comment of a pull request: the verdict first, one small table, details folded.
 */
#include "gap_output.h"

static void put_verdict(etr_diff_output *o, const etr_method_pair *method) {
  const char *medians = etr_diff_medians_text(o, &method->execute);
  etr_puts(&o->writer, "**");
  etr_put_markdown(&o->writer, method->name[0] ? method->name : "method not known");
  etr_putf(&o->writer, ": %s**", etr_diff_verdict_text(o, &method->execute));
  if (medians[0]) etr_putf(&o->writer, " (execute p50 %s)", medians);
  etr_puts(&o->writer, "\n\n");
}

static void start_details(etr_diff_output *o, const char *title, const char *counts) {
  etr_putf(&o->writer, "<details><summary>%ss: %s</summary>\n\n", title, counts);
}

static bool put_section(etr_diff_output *o, const etr_method_pair *method, etr_diff_section section) {
  etr_diff_rows rows;
  if (!etr_diff_rows_make(&rows, &o->arena, method, section, o->options->order)) return false;
  if (!etr_diff_has_rows(o, &rows)) return true;
  start_details(o, etr_diff_section_title(section), etr_diff_counts_text(o, &rows));
  size_t shown = etr_diff_write_section(o, method, &rows, section, ETR_TABLE_MARKDOWN);
  if (method->execute.base_runs || method->execute.new_runs) etr_putf(&o->writer, "\n%s", etr_diff_adds_up_text(o, method, &rows, shown));
  etr_puts(&o->writer, "\n</details>\n\n");
  return true;
}

static bool put_method(etr_diff_output *o, const etr_method_pair *method) {
  bool timed = method->execute.base_runs || method->execute.new_runs, both = method->execute.base_runs && method->execute.new_runs;
  put_verdict(o, method);
  if (both) {
    etr_diff_write_balance(o, method, ETR_TABLE_MARKDOWN);
    etr_putf(&o->writer, "\n%s\n\n", etr_diff_lined_up_text(o, method));
  }
  for (etr_diff_section s = 0; (both || !timed) && s < ETR_DIFF_SECTIONS; s++)
    if (etr_diff_takes_section(o->filter, s) && !put_section(o, method, s)) return false;
  if (etr_diff_takes_gaps(o->filter)) etr_gap_put_section(o, method, ETR_TABLE_MARKDOWN);
  return true;
}

bool etr_diff_markdown(etr_diff_output *o) {
  bool any_noise = false;
  for (size_t i = 0; i < o->comparison->method_count; i++) {
    const etr_method_pair *method = &o->comparison->methods[i];
    if (!etr_diff_takes_method(o->filter, method)) continue;
    if (!put_method(o, method)) return false;
    any_noise |= method->execute.noise >= 0;
  }
  if (any_noise) etr_putf(&o->writer, "<sub>%s</sub>\n", etr_diff_legend());
  return true;
}
