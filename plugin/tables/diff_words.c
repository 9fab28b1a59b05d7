/* SPDX-License-Identifier: BSD-3-Clause
 *
 * diff_words.c - words of a comparison.
 */
#include "tables/diff_output.h"

#include <math.h>

/* ---- Words ---- */

/* Out of memory is found out in the end, when the arena says so. */
static const char *or_empty(const char *text) { return text ? text : ""; }

const char *etr_diff_signed_time(etr_diff_output *o, double ticks) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, &o->answer.arena, &writer);
  etr_puts(&writer, ticks < 0 ? "-" : "+");
  etr_put_time(&writer, o->comparison->newer, fabs(ticks), o->answer.options->unit);
  const char *made = or_empty(etr_text_end(&text, &writer));
  bool is_zero = made[0] && made[1 + strspn(made + 1, "0.")] == '\0';
  return is_zero ? made + 1 : made;
}

static const char *time_text(etr_diff_output *o, double ticks) {
  const char *text = etr_diff_signed_time(o, ticks);
  return text[0] == '+' ? text + 1 : text;
}

static const char *percent_text(etr_diff_output *o, double percent, const char *behind) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, &o->answer.arena, &writer);
  etr_put_fixed(&writer, percent, 1);
  etr_puts(&writer, behind);
  return or_empty(etr_text_end(&text, &writer));
}

const char *etr_diff_percent(etr_diff_output *o, const etr_change *change) {
  double percent = change->base_p50 > 0 ? 100 * etr_diff_median(change) / change->base_p50 : 0;
  if (!change->base_runs || !change->new_runs || change->base_p50 <= 0) return "";
  const char *text = percent_text(o, percent, " %");
  return percent >= 0.05 ? or_empty(etr_arena_format(&o->answer.arena, "+%s", text)) : text;
}

const char *etr_diff_verdict_text(etr_diff_output *o, const etr_change *execute) {
  double percent = execute->base_p50 > 0 ? 100 * fabs(etr_diff_median(execute)) / execute->base_p50 : 0;
  switch (execute->verdict) {
  case ETR_VERDICT_FASTER: return percent_text(o, percent, " % faster");
  case ETR_VERDICT_SLOWER: return percent_text(o, percent, " % slower");
  case ETR_VERDICT_WITHIN_NOISE: return "no change beyond the noise";
  case ETR_VERDICT_FEW_RUNS: return "too few runs to tell a change from noise";
  case ETR_VERDICT_GONE: return "only in the base";
  case ETR_VERDICT_NEW: return "new";
  case ETR_VERDICT_ONE_SIDE: return execute->base_runs ? "timed in the base only" : "not timed in the base";
  default: return "not timed";
  }
}

const char *etr_diff_medians_text(etr_diff_output *o, const etr_change *change) {
  const char *unit = etr_unit_name(o->answer.options->unit);
  const char *base = time_text(o, change->base_p50), *newer = time_text(o, change->new_p50);
  if (!change->base_runs && !change->new_runs) return "";
  if (!change->base_runs || !change->new_runs)
    return or_empty(etr_arena_format(&o->answer.arena, "%s %s", change->base_runs ? base : newer, unit));
  const char *noise = change->noise < 0 ? NULL : time_text(o, change->noise);
  return or_empty(etr_arena_format(&o->answer.arena, "%s \xE2\x86\x92 %s %s%s%s", base, newer, unit,
                                   noise ? ", noise \xC2\xB1" : "", or_empty(noise)));
}

const char *etr_diff_counts_text(etr_diff_output *o, const etr_diff_rows *rows) {
  static const struct {
    etr_verdict verdict;
    const char *text;
  } parts[] = {{ETR_VERDICT_SLOWER, "slower"},
               {ETR_VERDICT_FASTER, "faster"},
               {ETR_VERDICT_WITHIN_NOISE, "within noise"},
               {ETR_VERDICT_FEW_RUNS, "with too few runs to tell"},
               {ETR_VERDICT_ONE_SIDE, "timed on one side only"},
               {ETR_VERDICT_NEW, "new"},
               {ETR_VERDICT_GONE, "gone"},
               {ETR_VERDICT_UNTIMED, "not timed"}};
  const char *text = "";
  for (size_t i = 0; i < ETR_COUNT(parts); i++)
    if (rows->verdicts[parts[i].verdict])
      text = or_empty(etr_arena_format(&o->answer.arena, "%s%s%zu %s", text, text[0] ? ", " : "",
                                       rows->verdicts[parts[i].verdict], parts[i].text));
  return text;
}

const char *etr_diff_lined_up_text(etr_diff_output *o, const etr_method_pair *method) {
  return or_empty(etr_arena_format(&o->answer.arena, "%s%zu of %zu timed %s on both sides match%s",
                                   method->may_differ ? "only " : "", method->timed_paired, method->timed_nodes,
                                   method->by_events ? "events" : "nodes",
                                   method->may_differ ? ": trust sums more than single nodes" : ""));
}

/* What one side lacks, the other has alone. */
static const char *difference_text(etr_diff_output *o, const etr_difference *d) {
  static const char *const words[] = {"perhaps the model", "input ", "types ", "backend "};
  static const char *const without[] = {"", "none", "none", "cpu"};
  if (d->kind == ETR_DIFFERS_MODEL) return words[d->kind];
  return or_empty(etr_arena_format(&o->answer.arena, "%s%s%s%s \xE2\x86\x92 %s", words[d->kind], or_empty(d->name),
                                   d->name ? " " : "", d->base && d->base[0] ? d->base : without[d->kind],
                                   d->newer && d->newer[0] ? d->newer : without[d->kind]));
}

const char *etr_diff_unlike_text(etr_diff_output *o, const etr_method_pair *method) {
  enum { MOST_TOLD = 6 };
  const char *text = "";
  for (size_t i = 0; i < ETR_MIN(method->difference_count, (size_t)MOST_TOLD); i++)
    text = or_empty(etr_arena_format(&o->answer.arena, "%s%s%s", text, i ? ", " : "Not the same on both sides: ",
                                     difference_text(o, &method->differences[i])));
  if (method->difference_count > MOST_TOLD)
    text = or_empty(etr_arena_format(&o->answer.arena, "%s, and %zu more", text, method->difference_count - MOST_TOLD));
  return text;
}

static size_t left_out(const etr_profile *profile, uint32_t method) {
  return method == ETR_NONE ? 0 : profile->methods[method].skipped_run_count;
}

const char *etr_diff_left_out_text(etr_diff_output *o, const etr_method_pair *method) {
  const etr_comparison *c = o->comparison;
  size_t base = left_out(c->base, method->base_method), newer = left_out(c->newer, method->new_method);
  bool by_hand = c->base->skip == ETR_SKIP_RANGE || c->newer->skip == ETR_SKIP_RANGE;
  if (!base && !newer) return "";
  return or_empty(etr_arena_format(&o->answer.arena, "%zu and %zu more runs left out%s", base, newer,
                                   by_hand ? "" : " as warm-up"));
}

const char *etr_diff_legend(void) {
  return "Times in the tables are medians (p50) over the runs. A change counts as slower or faster if it exceeds the "
         "noise, which follows from the spread of the runs and the clock's resolution: at most 5 % of these rows are "
         "expected to be there by chance. Differences between the recordings as a whole, as in clock frequency, are "
         "not part of the noise. Averages add up; medians do not.";
}

const char *etr_diff_section_title(etr_diff_section section) {
  static const char *const titles[ETR_DIFF_SECTIONS] = {"node", "operator", "module", "module pattern", "backend"};
  return titles[section];
}

bool etr_diff_has_rows(const etr_diff_output *o, const etr_diff_rows *rows) {
  return (o->answer.options->top ? rows->news_count : rows->count) > 0;
}

const char *etr_diff_adds_up_text(etr_diff_output *o, const etr_method_pair *method, const etr_diff_rows *rows,
                                  size_t shown) {
  double whole = etr_diff_average(&method->execute), listed = 0;
  for (size_t i = 0; i < shown; i++) listed += etr_diff_average(rows->rows[i].change);
  const char *listed_text = etr_diff_signed_time(o, listed), *rest = etr_diff_signed_time(o, whole - listed),
             *sum = etr_diff_signed_time(o, whole);
  return or_empty(etr_arena_format(&o->answer.arena,
                                   "change of the average: these rows %s, rest %s, Method::execute %s %s", listed_text,
                                   rest, sum, etr_unit_name(o->answer.options->unit)));
}
