/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cost_fields.h - the columns of costs, for lists of fields of rows that have etr_cost_figures.
 * Layer 5.
 */
#ifndef ETR_COST_FIELDS_H
#define ETR_COST_FIELDS_H

#include "output/table.h"
#include "views/cost_figures.h"

/* clang-format off */
/** The fields of costs. FIGURE(name) initializes the member of a row. `in` has the outputs that
 * show the fields, `rest` the outputs for fields that only programs need. `integers` is a function
 * that returns the unit of rates of integer operations; `part` is one that returns the share of the
 * peak. */
#define ETR_COST_FIELDS(FIGURE, in, rest, integers, part)                                          \
  {"macs", "macs", ETR_CELL_AMOUNT, in, FIGURE(macs), .nullable = true,                            \
   .says = ETR_SAYS("multiply-accumulates per inference, as torch's FlopCounterMode counts "       \
                    "them (half of its FLOP); of one call where nothing was timed; null: not "     \
                    "known")},                                                                     \
  {"bytes", "bytes", ETR_CELL_AMOUNT, in, FIGURE(bytes), .nullable = true,                         \
   .says = ETR_SAYS("read and written per inference, each tensor once; of what a delegate "        \
                    "fused what crosses the boundary")},                                           \
  {"weight_bytes", "weight bytes", ETR_CELL_AMOUNT, rest, FIGURE(weight_bytes), .nullable = true,  \
   .says = ETR_SAYS("the part of bytes that is weights: not buffers that are written, such "       \
                    "as caches")},                                                                 \
  {"gflops", "gflops", ETR_CELL_RATE, in, FIGURE(gflops), .own_unit = integers, .nullable = true,  \
   .says = ETR_SAYS("1e9 FLOP per second, two for each multiply-accumulate; operations of "        \
                    "integers where arithmetic says so; null: cost or time unknown, or the "       \
                    "clock's step too large a part of the time")},                                 \
  {"gbs", "gbs", ETR_CELL_RATE, in, FIGURE(gbs), .nullable = true,                                 \
   .says = ETR_SAYS("1e9 bytes per second")},                                                      \
  {"intensity", "intensity", ETR_CELL_RATE, in, FIGURE(intensity), .nullable = true,               \
   .says = ETR_SAYS("FLOP per byte")},                                                             \
  {"of_peak", "of peak", ETR_CELL_SHARE, in, .get = part, .nullable = true,                        \
   .says = ETR_SAYS("the time that `roofs` allow as a part of the time taken; null: no peak "      \
                    "is known, or the operator is faster than it")},                               \
  {"bound", "bound", ETR_CELL_WORD, in, FIGURE(bound), .type = "bound", .nullable = true,          \
   .says = ETR_SAYS("what limits it at the peaks; null unless peaks were given")},                 \
  {"arithmetic", "arithmetic", ETR_CELL_WORD, in, FIGURE(arithmetic), .type = "arithmetic",        \
   .nullable = true,                                                                               \
   .says = ETR_SAYS("what is multiplied; null: nothing")},                                         \
  {"unknown_costs", "unknown costs", ETR_CELL_COUNT, rest, FIGURE(unknown), .nullable = true,      \
   .says = ETR_SAYS("nodes whose macs or bytes are not known")},                                   \
  {"hinted_costs", "hinted costs", ETR_CELL_COUNT, in, FIGURE(hinted), .nullable = true,           \
   .says = ETR_SAYS("nodes with symbolic sizes, for which the export's example is taken")}

/** Fields of the costs of both sides of a comparison. BASE(name) and NEW(name) initialize the
 * member of a row. */
#define ETR_DIFF_COST_FIELDS(BASE, NEW, in, base_integers, new_integers)                           \
  {"base_macs", "base macs", ETR_CELL_AMOUNT, in, BASE(macs), .nullable = true,                    \
   .says = ETR_SAYS("multiply-accumulates per inference; null: not known, of documents, and "      \
                    "of what this side has not")},                                                 \
  {"new_macs", "new macs", ETR_CELL_AMOUNT, in, NEW(macs), .nullable = true},                      \
  {"base_bytes", "base bytes", ETR_CELL_AMOUNT, in, BASE(bytes), .nullable = true,                 \
   .says = ETR_SAYS("read and written per inference")},                                            \
  {"new_bytes", "new bytes", ETR_CELL_AMOUNT, in, NEW(bytes), .nullable = true},                   \
  {"base_gflops", "base gflops", ETR_CELL_RATE, in, BASE(gflops), .own_unit = base_integers,       \
   .nullable = true,                                                                               \
   .says = ETR_SAYS("1e9 FLOP per second; operations of integers where arithmetic says so; "       \
                    "null: cost or time unknown, or the clock's step too large a part of the "     \
                    "time")},                                                                      \
  {"new_gflops", "new gflops", ETR_CELL_RATE, in, NEW(gflops), .own_unit = new_integers,           \
   .nullable = true},                                                                              \
  {"base_gbs", "base gbs", ETR_CELL_RATE, in, BASE(gbs), .nullable = true,                         \
   .says = ETR_SAYS("1e9 bytes per second")},                                                      \
  {"new_gbs", "new gbs", ETR_CELL_RATE, in, NEW(gbs), .nullable = true},                           \
  {"base_intensity", "base intensity", ETR_CELL_RATE, in, BASE(intensity), .nullable = true,       \
   .says = ETR_SAYS("FLOP per byte")},                                                             \
  {"new_intensity", "new intensity", ETR_CELL_RATE, in, NEW(intensity), .nullable = true}
/* clang-format on */

/** Why nothing is said of peaks. */
#define ETR_NO_PEAK                                                                                \
  "no part of the peak: no operator here moves 1 MB in 50 us or more, so give --peak-bandwidth "   \
  "or --device"

/** Returns the share of the peak as a cell. If it exceeds 1, people read "above", because the rate
 * cannot be right, and programs get no value. */
static inline etr_cell etr_cost_part(const etr_cost_figures *figures, bool for_people) {
  if (figures && figures->exceeds_peak)
    return (etr_cell){.text = for_people ? "above" : NULL, .number = NAN};
  return (etr_cell){.number = figures ? figures->of_peak : NAN, .whole = 1, .is_cold = true};
}

/** Returns the unit after a rate of integer operations: "int", or "mixed" for a sum of both kinds,
 * NULL for floats. */
static inline const char *etr_cost_integers(const etr_cost_figures *figures) {
  if (!figures || !figures->arithmetic || strcmp(figures->arithmetic, "float") == 0)
    return NULL;
  return strcmp(figures->arithmetic, "integer") == 0 ? "int" : "mixed";
}

/** Writes lines below a table if people chose columns: which sizes are taken for nodes with
 * symbolic sizes, and why `of peak` is empty. */
static inline void etr_put_cost_notes(etr_answer *answer, double nodes) {
  const etr_effective_peaks *peaks = &answer->profile->effective_peaks;
  if (!answer->options->columns || answer->options->format != ETR_TABLE_TEXT)
    return;
  if (strstr(answer->options->columns, "peak") && !(peaks->gbs > 0))
    etr_puts(&answer->writer, ETR_NO_PEAK "\n");
  if (nodes > 0)
    etr_putf(&answer->writer,
             "%.0f node%s with symbolic sizes: costs are of the example that the export recorded\n",
             nodes, nodes == 1 ? "" : "s");
}

#endif
