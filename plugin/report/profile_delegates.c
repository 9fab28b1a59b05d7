/* SPDX-License-Identifier: BSD-3-Clause
 *
 * profile_delegates.c - writes the time of a method that is on no operator, by delegate, and where
 * its delegates are in the model and why they end there.
 */
#include "report/profile_doc.h"
#include "views/delegation.h"

/* ---- The modules of delegates ---- */

/* Returns the innermost module that contains both modules. It relies on parents having lower
 * indices than their children. */
static uint32_t common_module(const etr_graph *graph, uint32_t a, uint32_t b) {
  while (a != b)
    if (a > b)
      a = graph->modules[a].parent;
    else
      b = graph->modules[b].parent;
  return a;
}

/* Returns per delegate the innermost module that contains all of its operators. ETR_NONE if that is
 * the whole model (module 0) or no operator is known. Returns NULL when out of memory. */
static uint32_t *find_delegate_modules(etr_arena *arena, const etr_method *method,
                                       const etr_graph *graph) {
  uint32_t *modules = etr_arena_alloc_array(arena, method->delegate_count, sizeof *modules);
  for (size_t i = 0; modules && i < method->delegate_count; i++)
    modules[i] = ETR_NONE;
  for (size_t i = 0; modules && graph && graph->times && i < graph->node_count; i++) {
    uint32_t delegate = etr_delegate_at(method, graph->times[i].delegate_instruction);
    uint32_t module = graph->nodes[i].module;
    if (delegate == ETR_NONE || graph->nodes[i].kind != ETR_NODE_OP)
      continue;
    modules[delegate] = modules[delegate] == ETR_NONE
                            ? module
                            : common_module(graph, modules[delegate], module);
  }
  for (size_t i = 0; modules && i < method->delegate_count; i++)
    if (modules[i] == 0)
      modules[i] = ETR_NONE;
  return modules;
}

/* ---- The time on no operator ---- */

typedef struct box {
  const char *part;
  uint32_t delegate, module;
  uint64_t ticks;
  double typical;
} box;

static const etr_field box_fields[] = {
    {"part", NULL, ETR_CELL_WORD, ETR_IN_DOCUMENT, ETR_AT(box, part),
     .says = ETR_SAYS("as in balance")},
    {"delegate", NULL, ETR_CELL_COUNT, ETR_IN_DOCUMENT, ETR_AT(box, delegate),
     .says = ETR_SAYS("index into delegates")},
    {"module", NULL, ETR_CELL_COUNT, ETR_IN_DOCUMENT, ETR_AT(box, module),
     .says = ETR_SAYS(
         "index into modules: the innermost one with all operators of the delegate; none: "
         "several, or the model")},
    {"total", NULL, ETR_CELL_TIME, ETR_IN_DOCUMENT, ETR_AT(box, ticks),
     .says = ETR_SAYS("over all runs")},
    {"typical", NULL, ETR_CELL_TIME, ETR_IN_DOCUMENT, ETR_AT(box, typical)},
};
ETR_ROW_TYPE(balance_box, box_fields);

typedef struct part_sum {
  uint64_t ticks;
  double typical;
} part_sum;

/* Adds a row with the time that one part of a method's time takes in a delegate (total ticks over
 * all runs, and typical ticks per inference), unless it took none. */
static void add_balance_box(box *rows, size_t *count, const char *part, uint32_t delegate,
                            uint32_t module, part_sum sum) {
  if (sum.ticks > 0)
    rows[(*count)++] = (box){part, delegate, module, sum.ticks, sum.typical};
}

/* Adds up the time slices that are on no operator of the graph, in ticks, over all included runs
 * and in the typical run, which is the weighted mean of the runs. Returns ETR_TIME_PARTS sums for
 * each delegate, and after them those of no known delegate; NULL when out of memory. */
static part_sum *sum_slices_by_delegate(etr_arena *arena, const etr_method *method) {
  part_sum *sums = etr_arena_alloc_array(arena, (method->delegate_count + 1) * ETR_TIME_PARTS,
                                         sizeof *sums);
  for (size_t i = 0; sums && i < method->time_slice_count; i++) {
    const etr_time_slice *slice = &method->time_slices[i];
    if (slice->part == ETR_TIME_OPERATORS)
      continue;
    uint32_t delegate = etr_delegate_at(method, slice->event->instruction_id);
    size_t delegate_index = delegate == ETR_NONE ? method->delegate_count : delegate;
    part_sum *sum = &sums[delegate_index * ETR_TIME_PARTS + slice->part];
    sum->ticks += slice->ticks;
    sum->typical += method->typical.weights[slice->run] * (double)slice->ticks /
                    method->typical.divisor;
  }
  return sums;
}

/* Writes "balance_boxes", the time that is on no operator: of each part of each delegate, of the
 * parts in no known delegate, and of the runtime. The page draws a box for each. Returns false when
 * out of memory. */
static bool put_balance_boxes(etr_profile_doc *doc, const etr_method *method,
                              const uint32_t *modules) {
  const part_sum *sums = sum_slices_by_delegate(&doc->arena, method);
  box *rows = etr_arena_alloc_array(&doc->arena, (method->delegate_count + 1) * ETR_TIME_PARTS + 1,
                                    sizeof *rows);
  size_t count = 0;
  if (!sums || !rows)
    return false;
  for (uint32_t i = 0; i <= method->delegate_count; i++)
    for (etr_time_part part = 0; part < ETR_TIME_PARTS; part++) {
      bool is_delegate = i < method->delegate_count;
      add_balance_box(rows, &count, etr_time_part_name(part), is_delegate ? i : ETR_NONE,
                      is_delegate ? modules[i] : ETR_NONE, sums[i * ETR_TIME_PARTS + part]);
    }
  for (size_t i = 0; i < method->part_count; i++)
    if (method->parts[i].part == ETR_TIME_RUNTIME)
      add_balance_box(rows, &count, etr_time_part_name(ETR_TIME_RUNTIME), ETR_NONE, ETR_NONE,
                      (part_sum){method->parts[i].ticks, method->parts[i].typical});
  etr_profile_put_columns(doc, "balance_boxes", &etr_balance_box_fields, ETR_IN_DOCUMENT,
                          ETR_ROWS(rows, count));
  return true;
}

/* ---- Where delegates are, and why they end ---- */

typedef struct delegate_place {
  const etr_delegate_facts *facts; /* NULL: not known */
  uint32_t module, cut_by;
} delegate_place;

#define FACT(kind, member)                                                                         \
  NULL, kind, ETR_IN_DOCUMENT, ETR_VIA(delegate_place, facts, etr_delegate_facts, member)

static const etr_field place_fields[] = {
    {"module", NULL, ETR_CELL_COUNT, ETR_IN_DOCUMENT, ETR_AT(delegate_place, module),
     .says = ETR_SAYS(
         "index into modules: the innermost one with all its operators; none: several, or the "
         "model")},
    {"calls", FACT(ETR_CELL_COUNT, calls), .says = ETR_SAYS("over all runs")},
    {"overhead", FACT(ETR_CELL_TIME, overhead),
     .says = ETR_SAYS("time of its calls in no event: their median times runs")},
    {"hidden", FACT(ETR_CELL_TIME, hidden),
     .says = ETR_SAYS(
         "the part of the overhead that is probably operator time, because their clock is coarse")},
    {"cut_by", NULL, ETR_CELL_COUNT, ETR_IN_DOCUMENT, ETR_AT(delegate_place, cut_by),
     .says = ETR_SAYS(
         "the first operator outside delegates that reads its result, and on which a later "
         "delegate of the backend "
         "depends")},
    {"cut_reason", FACT(ETR_CELL_WORD, cut_reason),
     .says = ETR_SAYS(
         "why the backend's partitioner leaves that operator out: the subject is the partitioner")},
};
ETR_ROW_TYPE(delegate_place, place_fields);

/* Writes "delegate_places": for each delegate its module, and the operator that cuts it off from
 * the next delegate. facts: one for each delegate; NULL if nothing is known, and then there is no
 * operator. Returns false when out of memory. */
static bool put_delegate_places(etr_profile_doc *doc, const etr_method *method,
                                const etr_profile_operators *ops, const uint32_t *modules,
                                const etr_delegate_facts *facts) {
  delegate_place *rows = etr_arena_alloc_array(&doc->arena, method->delegate_count, sizeof *rows);
  if (!rows)
    return false;
  for (size_t i = 0; i < method->delegate_count; i++) {
    uint32_t cutting_node = facts ? facts[i].cut_by : ETR_NONE;
    rows[i] = (delegate_place){facts ? &facts[i] : NULL, modules[i],
                               cutting_node == ETR_NONE ? ETR_NONE : ops->row_of[cutting_node]};
  }
  etr_profile_put_columns(doc, "delegate_places", &etr_delegate_place_fields, ETR_IN_DOCUMENT,
                          ETR_ROWS(rows, method->delegate_count));
  return true;
}

bool etr_profile_put_delegates(etr_profile_doc *doc, const etr_method *method,
                               const etr_profile_operators *ops, const etr_delegate_facts *facts) {
  const uint32_t *modules = find_delegate_modules(&doc->arena, method, ops->graph);
  return modules && put_balance_boxes(doc, method, modules) &&
         put_delegate_places(doc, method, ops, modules, facts);
}
