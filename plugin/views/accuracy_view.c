/* SPDX-License-Identifier: BSD-3-Clause
 *
 * accuracy_view.c - words for the accuracy of values.
 */
#include "views/accuracy_view.h"

#include "output/label.h"
#include "views/logged.h"

etr_accuracy_row etr_accuracy_row_of(etr_arena *arena, const etr_accuracy *accuracy, const etr_value_accuracy *value) {
  const etr_graph *graph = etr_logged_graph(accuracy->profile, value->value);
  return (etr_accuracy_row){.arena = arena,
                            .accuracy = accuracy,
                            .value = value,
                            .graph = graph,
                            .node = &graph->nodes[value->node],
                            .gap = value->problem ? NULL : &value->gap,
                            .local = value->has_local ? &value->local : NULL};
}

const char *etr_accuracy_place(const etr_accuracy_row *row) {
  const char *module = row->graph->modules[row->node->module].path;
  const char *in = module[0] ? etr_arena_format(row->arena, " in %s", module) : "";
  if (!row->node->source) return etr_arena_format(row->arena, "%s%s", row->value->name, in ? in : "");
  const char *file = strrchr(row->node->source->file, '/');
  return etr_arena_format(row->arena, "%s%s (%s:%lld)", row->value->name, in ? in : "",
                          file ? file + 1 : row->node->source->file, (long long)row->node->source->line);
}

etr_cell etr_accuracy_snr(etr_arena *arena, const etr_numeric_gap *gap) {
  if (gap && etr_gap_is_equal(gap)) return etr_cell_text("equal");
  return etr_gap_snr(arena, gap);
}

/* "12.9 dB", "equal", "3 NaN/inf" */
static const char *snr_text(etr_arena *arena, const etr_numeric_gap *gap) {
  etr_cell cell = etr_accuracy_snr(arena, gap);
  return cell.text ? cell.text : etr_arena_format(arena, "%.1f dB", cell.number);
}

const char *etr_accuracy_line(etr_arena *arena, const etr_accuracy *accuracy) {
  if (accuracy->ranked_count == 0) return NULL;
  const etr_value_accuracy *output = etr_accuracy_worst_output(accuracy);
  const etr_value_accuracy *first = &accuracy->values[accuracy->ranked[0]];
  const char *end = output ? etr_arena_format(arena, "output %s from %s", snr_text(arena, &output->gap), accuracy->of)
                           : etr_arena_format(arena, "compared with %s", accuracy->of);
  if (etr_gap_is_equal(&first->gap)) return etr_arena_format(arena, "%s; all compared values are equal", end);
  const etr_accuracy_row row = etr_accuracy_row_of(arena, accuracy, first);
  return etr_arena_format(arena, "%s; %s %s: %s", end, etr_accuracy_place(&row),
                          first->has_local ? "adds most" : "is where it drops most", snr_text(arena, &first->gap));
}
