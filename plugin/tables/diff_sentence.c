/* SPDX-License-Identifier: BSD-3-Clause
 *
 * diff_sentence.c - the sentence of a comparison: what changed.
 */
#include "tables/diff_output.h"

#include "output/label.h"

#include <math.h>

/* ---- What changed ---- */

/* The operators of one verdict, the largest change first. */
typedef struct changed {
  const etr_node_group **groups;
  size_t count;
  double sum; /* of their changes, in ticks of the newer clock */
} changed;

/* The sentence while it is made. Times have the digits of the longer of both inferences. */
typedef struct sentence {
  etr_diff_output *o;
  const etr_method_pair *method;
  etr_unit unit;
  int decimals;
  double least; /* changes below this are not worth a word, in ticks of the newer clock */
  const char *text;
} sentence;

/* Orders operators by the size of their change, the largest first. */
static int by_change(const void *a, const void *b) {
  double x = fabs(etr_diff_typical(&(*(const etr_node_group *const *)a)->change)),
         y = fabs(etr_diff_typical(&(*(const etr_node_group *const *)b)->change));
  return (x < y) - (x > y);
}

/* Returns the sums by operator, or by kernel if events are compared. */
static const etr_node_groups *groups_of(const sentence *s) {
  return etr_diff_groups(s->method,
                         s->method->by_events ? ETR_DIFF_SECTION_KERNELS : ETR_DIFF_SECTION_OPS);
}

/* Lists the operators (kernels, if events are compared) whose verdict is from `first` to `last` in
 * the order of etr_verdict, the largest change first, and adds up their changes in out->sum, in
 * ticks of a typical run. Returns false when out of memory. */
static bool list_operators_with_verdict(changed *out, const sentence *s, etr_verdict first,
                                        etr_verdict last) {
  const etr_node_groups *groups = groups_of(s);
  *out = (changed){
      .groups = etr_arena_alloc_array(&s->o->answer.arena, groups->count, sizeof *out->groups)};
  if (!out->groups)
    return false;
  for (size_t i = 0; i < groups->count; i++) {
    const etr_node_group *group = &groups->rows[i];
    if (group->change.verdict < first || group->change.verdict > last)
      continue;
    out->groups[out->count++] = group;
    out->sum += etr_diff_typical(&group->change);
  }
  etr_sort(out->groups, out->count, sizeof *out->groups, by_change);
  return true;
}

/* Returns a time without its sign, as "395 us"; NULL if all of its digits are 0. */
static const char *time_text(const sentence *s, double ticks) {
  etr_text text;
  etr_writer writer;
  double time = fabs(etr_ticks_to_unit(s->o->comparison->newer, ticks, s->unit));
  if (time < 0.5 * pow(10, -s->decimals))
    return NULL;
  etr_text_begin(&text, &s->o->answer.arena, &writer);
  etr_put_fixed(&writer, time, s->decimals);
  etr_putf(&writer, " %s", etr_unit_name(s->unit));
  return etr_or_empty(etr_text_end(&text, &writer));
}

/* Returns the short name of an operator, "linear" for "aten.linear.default". A kernel, such as
 * "convolution.out", keeps its name, which has at most one dot. */
static const char *operator_name(const sentence *s, const etr_node_group *operator) {
  const char *dot = strchr(operator->key, '.');
  bool is_kernel = s->method->by_events && !(dot && strchr(dot + 1, '.'));
  if (is_kernel)
    return operator->key;
  return etr_or_empty(etr_arena_text(&s->o->answer.arena, etr_label_op(operator->key)));
}

/* Returns the names of operators, "log1p, gt, where and tanh"; of more than four the first three
 * and "5 more". */
static const char *names_text(const sentence *s, const changed *operators) {
  enum { MOST_NAMES = 4 };
  etr_arena *arena = &s->o->answer.arena;
  const char *names[MOST_NAMES];
  size_t name_count = operators->count > MOST_NAMES ? MOST_NAMES - 1 : operators->count;
  for (size_t i = 0; i < name_count; i++)
    names[i] = operator_name(s, operators->groups[i]);
  return etr_or_empty(etr_arena_list(arena, names, name_count, operators->count));
}

/* Appends a clause to the sentence, behind a semicolon if it is not the first. */
static void add_clause(sentence *s, const char *clause) {
  s->text = etr_or_empty(etr_arena_format(&s->o->answer.arena, "%s%s%s", s->text,
                                          s->text[0] ? "; " : "", etr_or_empty(clause)));
}

/* Returns true for operators on both sides of which the newer one has more nodes. */
static bool has_more_nodes(const etr_node_group *operator) {
  return operator->base_nodes && operator->new_nodes > operator->base_nodes;
}

/* Returns what more nodes of operators that both sides have cost, in ticks of a typical run. */
static double cost_of_more_nodes(const sentence *s) {
  const etr_node_groups *groups = groups_of(s);
  double cost = 0;
  for (size_t i = 0; i < groups->count; i++)
    if (has_more_nodes(&groups->rows[i]))
      cost += fmax(etr_diff_typical(&groups->rows[i].change), 0);
  return cost;
}

/* Adds a clause on what the operators cost that only the newer record has, in a typical run; none
 * if they cost nothing. gone_count: how many operators they replace, together with more nodes of
 * operators that both have; a clause before this one named them. 0 for none. */
static void add_new_clause(sentence *s, const changed *added, size_t gone_count) {
  etr_arena *arena = &s->o->answer.arena;
  const char *added_time = time_text(s, added->sum + (gone_count ? cost_of_more_nodes(s) : 0));
  if (!added_time)
    return;
  if (gone_count)
    add_clause(s, etr_arena_format(arena, "what replaces %s costs %s",
                                   gone_count > 1 ? "them" : "it", added_time));
  else if (added->count)
    add_clause(s, etr_arena_format(arena, "%s %s %s", names_text(s, added),
                                   added->count > 1 ? "are new and cost" : "is new and costs",
                                   added_time));
}

/* Adds clauses on the operators that only the base has and on those that only the newer record has.
 * */
static void add_gone_and_new_clauses(sentence *s, const changed *gone, const changed *added) {
  const char *gone_time = time_text(s, gone->sum);
  bool is_said = gone->count && gone_time;
  if (is_said)
    add_clause(s, etr_arena_format(&s->o->answer.arena, "%s %s gone (-%s)", names_text(s, gone),
                                   gone->count > 1 ? "are" : "is", gone_time));
  add_new_clause(s, added, is_said ? gone->count : 0);
}

/* Adds a clause on a change in ticks, "mul takes 11 us more", if it is worth a word. */
static void add_change_clause(sentence *s, const char *what, const char *verb, double change) {
  const char *time = time_text(s, change);
  if (fabs(change) > s->least && time)
    add_clause(s, etr_arena_format(&s->o->answer.arena, "%s %s %s %s", what, verb, time,
                                   change > 0 ? "more" : "less"));
}

/* Adds a clause on the operator that changed most. judged: the operators on both sides that are
 * slower or faster, the largest change first. None if it has more nodes, which replace what is
 * gone. */
static void add_largest_change_clause(sentence *s, const changed *judged, const changed *gone) {
  if (!judged->count || (gone->count && has_more_nodes(judged->groups[0])))
    return;
  add_change_clause(s, operator_name(s, judged->groups[0]), "takes",
                    etr_diff_typical(&judged->groups[0]->change));
}

/* Returns true if the runs cannot tell whether a part changed. NULL: it was not judged. */
static bool is_undecided(const etr_change *change) {
  return change && change->verdict == ETR_VERDICT_CANNOT_TELL;
}

/* Adds a clause on how many ticks of a typical run calls of delegates and the copies around them
 * cost more or less, as far as the runs can tell. Where events are compared, copies are left out:
 * they are among the events, because a side without a graph does not say which were inserted.
 * Returns false when out of memory. */
static bool add_calls_clause(sentence *s) {
  etr_part_changes parts;
  double change = 0;
  bool has_copies = !s->method->by_events;
  if (!etr_part_changes_make(&parts, &s->o->answer.arena, s->o->comparison, s->method))
    return false;
  for (size_t i = 0; i < parts.count; i++)
    if (!is_undecided(parts.rows[i].change) &&
        (parts.rows[i].part == ETR_TIME_CALL_OVERHEAD ||
         (has_copies && parts.rows[i].part == ETR_TIME_INSERTED)))
      change += parts.rows[i].new_typical - parts.rows[i].base_typical;
  add_change_clause(s, has_copies ? "calls and copies" : "calls of delegates", "cost", change);
  return true;
}

const char *etr_diff_changes_text(etr_diff_output *o, const etr_method_pair *method,
                                  etr_unit unit) {
  /* Of the longer inference, and of its change: a sentence has no room for what nobody would
   * notice, nor for what explains next to nothing. */
  static const double WORTH_A_WORD = 0.02, WORTH_OF_CHANGE = 0.05;
  const etr_change *execute = &method->execute;
  changed gone, added, judged;
  if (!execute->base_runs || !execute->new_runs || etr_diff_may_be_other_models(method))
    return "";
  double longer = fmax(execute->base_typical, execute->new_typical);
  sentence s = {
      .o = o,
      .method = method,
      .unit = unit,
      .decimals = etr_time_decimals(o->comparison->newer, longer, unit, ETR_TIME_DIGITS),
      .least = fmax(WORTH_A_WORD * longer, WORTH_OF_CHANGE * fabs(etr_diff_typical(execute))),
      .text = ""};
  if (!list_operators_with_verdict(&gone, &s, ETR_VERDICT_GONE, ETR_VERDICT_GONE) ||
      !list_operators_with_verdict(&added, &s, ETR_VERDICT_NEW, ETR_VERDICT_NEW) ||
      !list_operators_with_verdict(&judged, &s, ETR_VERDICT_LIKELY_FASTER, ETR_VERDICT_SLOWER))
    return "";
  add_gone_and_new_clauses(&s, &gone, &added);
  add_largest_change_clause(&s, &judged, &gone);
  /* Where the runs cannot tell, such a change is noise, as that of operators without a verdict. */
  bool is_judged = execute->verdict >= ETR_VERDICT_LIKELY_FASTER;
  if (is_judged && !add_calls_clause(&s))
    return "";
  bool is_interrupted = etr_diff_uninterrupted_text(o, method)[0] != 0;
  return s.text[0] && is_interrupted
             ? etr_or_empty(etr_arena_format(&o->answer.arena, "with interruptions, %s", s.text))
             : s.text;
}

const char *etr_diff_sentence_text(etr_diff_output *o, const etr_method_pair *method,
                                   etr_unit unit) {
  const etr_change *execute = &method->execute;
  const char *changes = etr_diff_changes_text(o, method, unit), *no_change = "";
  bool has_no_verdict = execute->base_runs && execute->new_runs && !method->may_differ &&
                        execute->verdict < ETR_VERDICT_LIKELY_FASTER;
  const char *size = etr_diff_has_interval(execute) ? etr_diff_interval_text(o, execute)
                                                    : etr_diff_percent(o, execute);
  bool is_equal = execute->verdict == ETR_VERDICT_EQUAL ||
                  execute->verdict == ETR_VERDICT_LIKELY_EQUAL;
  const char *undecided = etr_diff_is_of_one_program(o, execute)
                              ? "Recordings of one program differ, measure again"
                              : "The runs cannot tell whether it changed";
  if (has_no_verdict)
    no_change = etr_or_empty(etr_arena_format(&o->answer.arena, "%s%s%s%s",
                                              is_equal ? "As long as before" : undecided,
                                              size[0] ? " (" : "", size, size[0] ? ")" : ""));
  const char *without = method->may_differ ? "" : etr_diff_uninterrupted_text(o, method);
  bool has_text = no_change[0] || changes[0];
  return etr_or_empty(etr_arena_format(&o->answer.arena, "%s%s%s%s%s", no_change,
                                       no_change[0] && changes[0] ? "; " : "", changes,
                                       has_text && without[0] ? "; " : "", without));
}
