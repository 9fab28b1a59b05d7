/* SPDX-License-Identifier: BSD-3-Clause
 *
 * diff_explained.c - sums of nodes, and what is on no node.
 */
#include "views/diff_explained.h"

#include <math.h>

const char *etr_explained_kind_name(etr_explained_kind kind) {
  static const char *const names[ETR_EXPLAINED_KINDS] = {"changed",   "gone",        "new",  "delegate_only",
                                                         "framework", "unexplained", "rest", "load"};
  return names[kind];
}

/* ---- The balance ---- */

static const etr_method *side_of(const etr_profile *profile, uint32_t method) {
  static const etr_method nothing = {0};
  return method == ETR_NONE ? &nothing : &profile->methods[method];
}

static double per_run(const etr_method *method, uint64_t ticks) {
  return method->run_count ? (double)ticks / (double)method->run_count : NAN;
}

void etr_diff_balance(etr_balance_change out[ETR_BALANCE_PARTS], etr_balance_part parts[ETR_BALANCE_PARTS],
                      const etr_comparison *comparison, const etr_method_pair *method) {
  const etr_method *base = side_of(comparison->base, method->base_method),
                   *newer = side_of(comparison->newer, method->new_method);
  etr_balance_part base_parts[ETR_BALANCE_PARTS];
  etr_balance_list(base, base_parts);
  etr_balance_list(newer, parts);
  for (size_t i = 0; i < ETR_BALANCE_PARTS; i++)
    out[i] = (etr_balance_change){&parts[i], per_run(base, base_parts[i].ticks) * comparison->base_scale,
                                  per_run(newer, parts[i].ticks)};
}

/* ---- Rows ---- */

typedef struct explainer {
  const etr_comparison *comparison;
  const etr_method_pair *method;
  etr_arena *arena;
  etr_vec(etr_explained) rows;
} explainer;

static bool add_row(explainer *e, etr_explained row) {
  etr_explained *added = etr_vec_push(e->arena, &e->rows);
  if (added) *added = row;
  return added != NULL;
}

static bool add_groups(explainer *e, const etr_node_groups *groups) {
  for (size_t i = 0; i < groups->count; i++) {
    const etr_change *change = &groups->rows[i].change;
    etr_explained row = {ETR_EXPLAINED_CHANGED, &groups->rows[i], change, change->base_runs ? change->base_avg : NAN,
                         change->new_runs ? change->new_avg : NAN};
    if (change->verdict == ETR_VERDICT_GONE) row.kind = ETR_EXPLAINED_GONE;
    if (change->verdict == ETR_VERDICT_NEW) row.kind = ETR_EXPLAINED_NEW;
    if (!add_row(e, row)) return false;
  }
  return true;
}

static bool add_parts(explainer *e) {
  static const struct {
    etr_explained_kind kind;
    etr_side_part part;
    const char *name;
  } kinds[] = {{ETR_EXPLAINED_DELEGATES, ETR_SIDE_DELEGATE_ONLY, "delegate_only"},
               {ETR_EXPLAINED_FRAMEWORK, ETR_SIDE_FRAMEWORK, "framework"},
               {ETR_EXPLAINED_UNEXPLAINED, ETR_SIDE_UNEXPLAINED, "unexplained"}};
  etr_balance_change changes[ETR_BALANCE_PARTS];
  etr_balance_part parts[ETR_BALANCE_PARTS];
  etr_diff_balance(changes, parts, e->comparison, e->method);
  for (size_t i = 0; i < ETR_BALANCE_PARTS; i++)
    for (size_t k = 0; k < ETR_COUNT(kinds); k++)
      if (strcmp(parts[i].name, kinds[k].name) == 0 &&
          !add_row(e, (etr_explained){kinds[k].kind, NULL, &e->method->parts[kinds[k].part], changes[i].base,
                                      changes[i].newer}))
        return false;
  return true;
}

static double or_nothing(double time) { return isnan(time) ? 0 : time; }

static bool add_rest(explainer *e) {
  double base = e->method->execute.base_avg, newer = e->method->execute.new_avg;
  for (size_t i = 0; i < e->rows.count; i++) {
    base -= or_nothing(e->rows.data[i].base);
    newer -= or_nothing(e->rows.data[i].newer);
  }
  return add_row(e, (etr_explained){ETR_EXPLAINED_REST, NULL, NULL, base, newer});
}

/* The longest event of a load contains the others. Of several methods it cannot be told whose load it was. */
static bool add_load(explainer *e) {
  size_t timed = 0;
  double base = NAN, newer = NAN;
  const etr_change *longest = NULL;
  for (size_t i = 0; i < e->comparison->method_count; i++)
    timed += e->comparison->methods[i].execute.base_runs || e->comparison->methods[i].execute.new_runs;
  for (size_t i = 0; i < e->comparison->load_count; i++) {
    const etr_change *load = &e->comparison->loads[i].change;
    if (load->base_runs) base = fmax(base, load->base_avg);
    if (load->new_runs) newer = fmax(newer, load->new_avg);
    if (!longest || load->new_p50 > longest->new_p50) longest = load;
  }
  if (timed > 1 || (isnan(base) && isnan(newer))) return true;
  return add_row(e, (etr_explained){ETR_EXPLAINED_LOAD, NULL, longest, base, newer});
}

static etr_diff_section section_of(const etr_diff_filter *filter, const etr_method_pair *method) {
  switch (filter ? filter->by : ETR_DIFF_BY_ALL) {
  case ETR_DIFF_BY_MODULE: return method->by_events ? ETR_DIFF_SECTION_OPS : ETR_DIFF_SECTION_MODULES;
  case ETR_DIFF_BY_PATTERN: return method->by_events ? ETR_DIFF_SECTION_OPS : ETR_DIFF_SECTION_PATTERNS;
  case ETR_DIFF_BY_BACKEND: return ETR_DIFF_SECTION_BACKENDS;
  default: return ETR_DIFF_SECTION_OPS;
  }
}

bool etr_explanation_make(etr_explanation *out, etr_arena *arena, const etr_comparison *comparison,
                          const etr_method_pair *method, const etr_diff_filter *filter) {
  explainer e = {.comparison = comparison, .method = method, .arena = arena};
  out->by = section_of(filter, method);
  const etr_node_groups *groups = etr_diff_groups(method, out->by);
  if (!add_groups(&e, groups) || !(method->by_events ? add_rest(&e) : add_parts(&e)) || !add_load(&e)) return false;
  out->rows = e.rows.data;
  out->count = e.rows.count;
  out->groups = groups->count;
  return true;
}
