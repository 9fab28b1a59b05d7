/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cost_fields.h - the columns of costs, for lists of fields of rows that have etr_cost_figures. Layer 5.
 */
#ifndef ETR_COST_FIELDS_H
#define ETR_COST_FIELDS_H

#include "output/sheet.h"
#include "views/cost_figures.h"

/** Fields of costs. FIGURE(name) initializes the member of a row; `in` is where they are, `rest` where those are that
 * only programs need; integers: a function that gives the unit of rates that are of integers; part: one that gives the
 * part of what can be reached as a share. */
#define ETR_COST_FIELDS(FIGURE, in, rest, integers, part)                                                              \
  {"macs", "macs", ETR_CELL_AMOUNT, in, FIGURE(macs)}, {"bytes", "bytes", ETR_CELL_AMOUNT, in, FIGURE(bytes)},         \
      {"weight_bytes", "weight bytes", ETR_CELL_AMOUNT, rest, FIGURE(weight_bytes)},                                   \
      {"gflops", "gflops", ETR_CELL_RATE, in, FIGURE(gflops), .own_unit = integers},                                   \
      {"gbs", "gbs", ETR_CELL_RATE, in, FIGURE(gbs)},                                                                  \
      {"intensity", "intensity", ETR_CELL_RATE, in, FIGURE(intensity)},                                                \
      {"of_peak", "of peak", ETR_CELL_SHARE, in, .get = part}, {"bound", "bound", ETR_CELL_WORD, in, FIGURE(bound)},   \
      {"arithmetic", "arithmetic", ETR_CELL_WORD, in, FIGURE(arithmetic)},                                             \
      {"unknown_costs", "unknown costs", ETR_CELL_COUNT, rest, FIGURE(unknown)}, {                                     \
    "hinted_costs", "hinted costs", ETR_CELL_COUNT, in, FIGURE(hinted)                                                 \
  }

/** Fields of the costs of both sides of a comparison. BASE(name) and NEW(name) initialize the member of a row. */
#define ETR_DIFF_COST_FIELDS(BASE, NEW, in, base_integers, new_integers)                                               \
  {"base_macs", "base macs", ETR_CELL_AMOUNT, in, BASE(macs)},                                                         \
      {"new_macs", "new macs", ETR_CELL_AMOUNT, in, NEW(macs)},                                                        \
      {"base_bytes", "base bytes", ETR_CELL_AMOUNT, in, BASE(bytes)},                                                  \
      {"new_bytes", "new bytes", ETR_CELL_AMOUNT, in, NEW(bytes)},                                                     \
      {"base_gflops", "base gflops", ETR_CELL_RATE, in, BASE(gflops), .own_unit = base_integers},                      \
      {"new_gflops", "new gflops", ETR_CELL_RATE, in, NEW(gflops), .own_unit = new_integers},                          \
      {"base_gbs", "base gbs", ETR_CELL_RATE, in, BASE(gbs)}, {"new_gbs", "new gbs", ETR_CELL_RATE, in, NEW(gbs)},     \
      {"base_intensity", "base intensity", ETR_CELL_RATE, in, BASE(intensity)}, {                                      \
    "new_intensity", "new intensity", ETR_CELL_RATE, in, NEW(intensity)                                                \
  }

/** for_people: says so where the part is above the whole, and no rate. */
static inline etr_cell etr_cost_part(const etr_cost_figures *figures, bool for_people) {
  if (figures && figures->exceeds_peak) return (etr_cell){.text = for_people ? "above" : NULL, .number = NAN};
  return (etr_cell){.number = figures ? figures->of_peak : NAN, .whole = 1, .is_cold = true};
}

/** Behind a rate whose operations are of integers: "int"; "mixed" of a sum of both. */
static inline const char *etr_cost_integers(const etr_cost_figures *figures) {
  if (!figures || !figures->arithmetic || strcmp(figures->arithmetic, "float") == 0) return NULL;
  return strcmp(figures->arithmetic, "integer") == 0 ? "int" : "mixed";
}

/** Where people asked for columns and some nodes have symbolic sizes: says what stands for these. */
static inline void etr_put_hinted(etr_answer *answer, double nodes) {
  if (nodes > 0 && answer->options->columns && answer->options->format == ETR_TABLE_TEXT)
    etr_putf(&answer->writer, "%.0f node%s with symbolic sizes: costs are of the example that the export recorded\n",
             nodes, nodes == 1 ? "" : "s");
}

#endif
