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
                            .node = &graph->nodes[value->computed_by],
                            .gap = value->problem ? NULL : &value->gap,
                            .local = value->has_local ? &value->local : NULL};
}

const char *etr_accuracy_name(const etr_accuracy_row *row) {
  if (row->value->computed_by == row->value->node || row->node->kind != ETR_NODE_OP) return row->value->name;
  bool is_integer = !strstr(row->graph->nodes[row->value->node].target, "dequantize");
  return etr_arena_format(row->arena, "%s, %s", row->node->name, is_integer ? "quantized" : "dequantized");
}

const char *etr_accuracy_of(etr_arena *arena, const etr_accuracy *accuracy) {
  if (!accuracy->reference) return "the record's reference outputs";
  if (accuracy->reference_record == accuracy->profile) return "this record's own program";
  return etr_arena_format(arena, "the program of %s", etr_label_record(arena, accuracy->reference_record));
}

const char *etr_accuracy_place(const etr_accuracy_row *row) {
  const char *module = row->graph->modules[row->node->module].path, *name = etr_accuracy_name(row);
  const char *in = module[0] ? etr_arena_format(row->arena, " in %s", module) : "";
  if (!name || !in) return NULL;
  if (!row->node->source) return etr_arena_format(row->arena, "%s%s", name, in);
  const char *file = strrchr(row->node->source->file, '/');
  return etr_arena_format(row->arena, "%s%s (%s:%lld)", name, in, file ? file + 1 : row->node->source->file,
                          (long long)row->node->source->line);
}

etr_cell etr_accuracy_snr(etr_arena *arena, const etr_numeric_gap *gap) {
  if (gap && etr_gap_is_equal(gap)) return etr_cell_text("equal");
  return etr_gap_snr(arena, gap);
}

const char *etr_accuracy_snr_text(etr_arena *arena, const etr_numeric_gap *gap) {
  etr_cell cell = etr_accuracy_snr(arena, gap);
  return cell.text ? cell.text : etr_arena_format(arena, "%.1f dB", cell.number);
}

bool etr_accuracy_is_suspicious(const etr_value_accuracy *value) {
  if (value->problem || etr_gap_is_equal(&value->gap)) return false;
  if (value->has_local) return !etr_gap_is_equal(&value->local);
  return value->gap.unlike > 0 || value->drop_db > 0;
}

const char *etr_accuracy_line(etr_arena *arena, const etr_accuracy *accuracy) {
  if (accuracy->ranked_count == 0) return NULL;
  const etr_value_accuracy *output = etr_accuracy_worst_output(accuracy);
  const etr_value_accuracy *first = &accuracy->values[accuracy->ranked[0]];
  const char *snr = output ? etr_accuracy_snr_text(arena, &output->gap) : "unknown";
  const char *end = etr_arena_format(arena, "output %s", snr);
  if (!accuracy->reference) return end;
  if (!etr_accuracy_is_suspicious(first)) return etr_arena_format(arena, "%s; no value has an error of its own", end);
  const etr_accuracy_row row = etr_accuracy_row_of(arena, accuracy, first);
  return etr_arena_format(arena, "%s; %s %s: it has %s", end, etr_accuracy_place(&row),
                          first->has_local ? "adds most" : "drops most", etr_accuracy_snr_text(arena, &first->gap));
}

etr_cell etr_accuracy_source(etr_arena *arena, const etr_source *source) {
  const char *slash = source ? strrchr(source->file, '/') : NULL;
  if (!source) return etr_cell_text(NULL);
  return etr_cell_text(etr_arena_format(arena, "%s:%lld", slash ? slash + 1 : source->file, (long long)source->line));
}
