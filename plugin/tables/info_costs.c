/* SPDX-License-Identifier: BSD-3-Clause
 *
 * info_costs.c - rows of modules.
 */
#include "tables/info_costs.h"

#include "views/static_costs.h"

#include <stdlib.h>

enum { MOST_ROWS = 10, DEEPEST = 2, NAMED = ETR_IN_TABLES | ETR_IN_JSON };

static const etr_static_cost *at(const void *row) { return row; }

static etr_cell module(const void *row) {
  return etr_cell_text(at(row)->module[0] ? at(row)->module : "(the model itself)");
}

/* In FLOP, as torch counts. */
static etr_cell flop(const void *row) { return etr_cell_number(2 * at(row)->cost.macs); }

/* Whether some sizes are symbolic, and stand for the export's example. */
static bool tells_hinted(const void *context) {
  const etr_rows *rows = context;
  const etr_static_cost *list = rows->first;
  for (size_t i = 0; i < rows->count; i++)
    if (list[i].cost.hinted > 0) return true;
  return false;
}

#define ROW(name) ETR_AT(etr_static_cost, name)

static const etr_field fields[] = {
    {NULL, "module", ETR_CELL_NAME, ETR_IN_TABLES, .get = module},
    {"method", "method", ETR_CELL_NAME, NAMED, ROW(method)},
    {"module", NULL, ETR_CELL_NAME, ETR_IN_JSON, ROW(module), .says = "path; \"\": the model itself"},
    {"level", NULL, ETR_CELL_COUNT, ETR_IN_JSON, ROW(level)},
    {"operators", "operators", ETR_CELL_COUNT, NAMED, ROW(operators), .says = "in the module and all below"},
    {"macs", "macs", ETR_CELL_AMOUNT, NAMED, ROW(cost.macs),
     .says = "multiply-accumulates, half of the FLOP of torch's FlopCounterMode; null: not known of all operators",
     .nullable = true},
    {"flop", "flop", ETR_CELL_AMOUNT, NAMED, .get = flop, .nullable = true},
    {"bytes", "bytes", ETR_CELL_AMOUNT, NAMED, ROW(cost.bytes),
     .says = "read and written, each tensor once by each operator; views count as the copies that they are in the Edge "
             "dialect, whether the runtime makes them or not",
     .nullable = true},
    {"weight_bytes", "weight bytes", ETR_CELL_AMOUNT, NAMED, ROW(cost.weight_bytes), .spare = 1, .nullable = true},
    {"arithmetic", "arithmetic", ETR_CELL_WORD, NAMED, ROW(cost.arithmetic), .spare = 2, .type = "arithmetic",
     .nullable = true},
    {"unknown_costs", NULL, ETR_CELL_COUNT, ETR_IN_JSON, ROW(cost.unknown),
     .says = "operators whose macs or bytes are not known", .nullable = true},
    {"hinted_costs", "of example sizes", ETR_CELL_COUNT, NAMED, ROW(cost.hinted), .tells = tells_hinted,
     .says = "operators with symbolic sizes, for which the export's example stands", .nullable = true},
};
ETR_ROW_TYPE(module_cost, fields);

static int by_macs(const void *a, const void *b) {
  const etr_static_cost *x = a, *y = b;
  if (x->cost.macs != y->cost.macs) return x->cost.macs < y->cost.macs ? 1 : -1;
  return strcmp(x->module, y->module);
}

/* The model itself, and the largest of the modules near it. */
static size_t shorten(etr_static_cost *rows, size_t count) {
  size_t kept = ETR_MIN(count, (size_t)1);
  for (size_t i = 1; i < count; i++)
    if (rows[i].level <= DEEPEST && rows[i].cost.macs > 0) rows[kept++] = rows[i];
  if (kept > 2) qsort(rows + 1, kept - 1, sizeof *rows, by_macs);
  return ETR_MIN(kept, (size_t)MOST_ROWS + 1);
}

typedef etr_vec(etr_static_cost) cost_rows;

static bool add_method(etr_answer *answer, const etr_method *method, bool brief, cost_rows *rows) {
  const etr_profile *profile = answer->profile;
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
  size_t added;
  if (!graph || !graph->costs) return true;
  const etr_static_cost *list = etr_static_costs_make(&added, &answer->arena, profile, graph);
  if (!list) return false;
  if (brief) added = shorten(etr_unconst(list), added);
  for (size_t i = 0; i < added; i++) {
    etr_static_cost *row = etr_vec_push(&answer->arena, rows);
    if (!row) return false;
    *row = list[i];
  }
  return true;
}

etr_rows etr_info_costs(etr_answer *answer, bool brief) {
  cost_rows rows = {0};
  for (size_t i = 0; i < answer->profile->method_count; i++)
    if (!add_method(answer, &answer->profile->methods[i], brief, &rows)) break;
  return ETR_ROWS(rows.data, rows.count);
}
