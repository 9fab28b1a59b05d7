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

enum { MOST_CLAUSES = 3 }; /* more are a list, for which there are tables */

/* A clause, and the change that it explains, in ticks of the newer clock. */
typedef struct clause {
  const char *text;
  double change;
} clause;

/* The sentence while it is made. Times have the digits of the longer of both inferences. */
typedef struct sentence {
  etr_diff_output *o;
  const etr_method_pair *method;
  etr_unit unit;
  int decimals;
  double least; /* changes below this are not worth a word, in ticks of the newer clock */
  clause clauses[MOST_CLAUSES]; /* those that explain most, the largest change first */
  size_t count;
} sentence;

/* Returns the sums by operator, or by kernel if events are compared. */
static const etr_node_groups *groups_of(const sentence *s) {
  return etr_diff_groups(s->method,
                         s->method->by_events ? ETR_DIFF_SECTION_KERNELS : ETR_DIFF_SECTION_OPS);
}

/* Lists the operators (kernels, if events are compared) with a verdict, the largest change first,
 * and adds up their changes in out->sum, in ticks of a typical run. Returns false when out of
 * memory. */
static bool list_operators_with_verdict(changed *out, const sentence *s, etr_verdict verdict) {
  const etr_node_groups *groups = groups_of(s);
  *out = (changed){
      .groups = etr_arena_alloc_array(&s->o->answer.arena, groups->count, sizeof *out->groups)};
  if (!out->groups)
    return false;
  for (size_t i = 0; i < groups->count; i++) {
    const etr_node_group *group = &groups->rows[i];
    if (group->change.verdict != verdict)
      continue;
    out->groups[out->count++] = group;
    out->sum += etr_diff_typical(&group->change);
  }
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

/* Adds a clause on a change in ticks, unless enough others explain more. */
static void add_clause(sentence *s, const char *text, double change) {
  size_t at = s->count;
  while (at > 0 && fabs(s->clauses[at - 1].change) < fabs(change))
    at--;
  if (at == MOST_CLAUSES)
    return;
  s->count = ETR_MIN(s->count + 1, (size_t)MOST_CLAUSES);
  memmove(&s->clauses[at + 1], &s->clauses[at], (s->count - at - 1) * sizeof *s->clauses);
  s->clauses[at] = (clause){etr_or_empty(text), change};
}

/* Returns true if a change in ticks is worth a word, and has digits that are not 0. */
static bool is_worth_a_word(const sentence *s, double change) {
  return fabs(change) > s->least && time_text(s, change);
}

/* Returns true for operators that cost more because the newer side has more nodes of them, which
 * replace what is gone. */
static bool is_replacement(const etr_node_group *operator) {
  return operator->base_nodes && operator->new_nodes > operator->base_nodes &&
         etr_diff_typical(&operator->change) > 0;
}

/* Adds a clause on the operators that only the base has, with what those that replace them cost:
 * new ones, and more nodes of operators that both have. Returns false if what is gone is not worth
 * a word. */
static bool add_gone_clause(sentence *s, const changed *gone, const changed *added) {
  const etr_node_groups *groups = groups_of(s);
  const char *ending = "";
  double cost = added->sum;
  if (!is_worth_a_word(s, gone->sum))
    return false;
  for (size_t i = 0; i < groups->count; i++)
    if (is_replacement(&groups->rows[i]))
      cost += etr_diff_typical(&groups->rows[i].change);
  const char *cost_text = time_text(s, cost);
  if (cost_text)
    ending = etr_or_empty(etr_arena_format(&s->o->answer.arena, "; what replaces %s costs %s",
                                           gone->count > 1 ? "them" : "it", cost_text));
  add_clause(s,
             etr_arena_format(&s->o->answer.arena, "%s %s gone (-%s)%s", names_text(s, gone),
                              gone->count > 1 ? "are" : "is", time_text(s, gone->sum), ending),
             gone->sum + cost);
  return true;
}

/* Adds a clause on a change in ticks, "mul takes 11 us more", if it is worth a word. */
static void add_change_clause(sentence *s, const char *what, const char *verb, double change) {
  if (is_worth_a_word(s, change))
    add_clause(s,
               etr_arena_format(&s->o->answer.arena, "%s %s %s %s", what, verb,
                                time_text(s, change), change > 0 ? "more" : "less"),
               change);
}

/* Returns true if the runs tell that an operator on both sides changed, or else that the method
 * did, of whose change this is a third or more. */
static bool is_no_noise(const sentence *s, const etr_change *change) {
  const etr_change *execute = &s->method->execute;
  if (change->verdict != ETR_VERDICT_CANNOT_TELL)
    return change->verdict >= ETR_VERDICT_LIKELY_FASTER;
  return execute->verdict >= ETR_VERDICT_LIKELY_FASTER &&
         3 * etr_diff_typical(change) / etr_diff_typical(execute) >= 1;
}

/* Adds a clause for what is gone or else new, and one for each operator on both sides that is
 * slower or faster, unless it replaces what is gone. Returns false when out of memory. */
static bool add_operator_clauses(sentence *s) {
  const etr_node_groups *groups = groups_of(s);
  changed gone, added;
  if (!list_operators_with_verdict(&gone, s, ETR_VERDICT_GONE) ||
      !list_operators_with_verdict(&added, s, ETR_VERDICT_NEW))
    return false;
  bool is_replaced = add_gone_clause(s, &gone, &added);
  if (!is_replaced && is_worth_a_word(s, added.sum))
    add_clause(s,
               etr_arena_format(&s->o->answer.arena, "%s %s %s", names_text(s, &added),
                                added.count > 1 ? "are new and cost" : "is new and costs",
                                time_text(s, added.sum)),
               added.sum);
  for (size_t i = 0; i < groups->count; i++) {
    const etr_node_group *group = &groups->rows[i];
    if (is_no_noise(s, &group->change) && !(is_replaced && is_replacement(group)))
      add_change_clause(s, operator_name(s, group), "takes", etr_diff_typical(&group->change));
  }
  return true;
}

/* Returns true if the runs cannot tell whether a part changed. NULL: it was not judged. */
static bool is_undecided(const etr_change *change) {
  return change && change->verdict == ETR_VERDICT_CANNOT_TELL;
}

/* Adds clauses on how many ticks of a typical run calls of delegates and the copies around them
 * cost more or less, as far as the runs can tell: one clause if both do the same. Where events are
 * compared, copies are left out: they are among the events, because a side without a graph does not
 * say which were inserted. Returns false when out of memory. */
static bool add_calls_clauses(sentence *s) {
  etr_part_changes parts;
  double calls = 0, copies = 0;
  if (!etr_part_changes_make(&parts, &s->o->answer.arena, s->o->comparison, s->method))
    return false;
  for (size_t i = 0; i < parts.count; i++) {
    double change = parts.rows[i].new_typical - parts.rows[i].base_typical;
    if (is_undecided(parts.rows[i].change))
      continue;
    calls += parts.rows[i].part == ETR_TIME_CALL_OVERHEAD ? change : 0;
    copies += parts.rows[i].part == ETR_TIME_INSERTED && !s->method->by_events ? change : 0;
  }
  if (calls * copies > 0) {
    add_change_clause(s, "calls and copies", "cost", calls + copies);
    return true;
  }
  add_change_clause(s, "calls of delegates", "cost", calls);
  add_change_clause(s, "inserted copies", "cost", copies);
  return true;
}

const char *etr_diff_changes_text(etr_diff_output *o, const etr_method_pair *method,
                                  etr_unit unit) {
  /* Of the longer inference, and of its change: a sentence has no room for what nobody would
   * notice, nor for what explains next to nothing. */
  static const double WORTH_A_WORD = 0.02, WORTH_OF_CHANGE = 0.05;
  const etr_change *execute = &method->execute;
  if (!execute->base_runs || !execute->new_runs || etr_diff_may_be_other_models(method))
    return "";
  double longer = fmax(execute->base_typical, execute->new_typical);
  sentence s = {
      .o = o,
      .method = method,
      .unit = unit,
      .decimals = etr_time_decimals(o->comparison->newer, longer, unit, ETR_TIME_DIGITS),
      .least = fmax(WORTH_A_WORD * longer, WORTH_OF_CHANGE * fabs(etr_diff_typical(execute)))};
  /* Where the runs cannot tell, such a change is noise, as that of operators without a verdict. */
  bool is_judged = execute->verdict >= ETR_VERDICT_LIKELY_FASTER;
  if (!add_operator_clauses(&s) || (is_judged && !add_calls_clauses(&s)))
    return "";
  const char *text = s.count && etr_diff_uninterrupted_text(o, method)[0] ? "with interruptions, "
                                                                          : "";
  for (size_t i = 0; i < s.count; i++)
    text = etr_or_empty(
        etr_arena_format(&o->answer.arena, "%s%s%s", text, i ? "; " : "", s.clauses[i].text));
  return text;
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
