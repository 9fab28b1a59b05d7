/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dot_label.c - labels and tooltips of a DOT file's boxes and clusters.
 */
#include "dot_text.h"

#include "label.h"

#include <inttypes.h>

enum {
  LONGEST_NAME = 44, /* bytes of a name in a label; the tooltip has all of it */
  MOST_WEIGHTS = 8,  /* in a tooltip */
  MOST_OUTPUTS = 4,
};

static void put_name(etr_writer *writer, const char *name) { etr_dot_put_short(writer, etr_slice_of(name), LONGEST_NAME); }

/* ---- Boxes ---- */

/* "encoder.mlp": the scopes from the cluster that a node is drawn in down to its own. */
static void put_frames(etr_writer *writer, const etr_dot_view *view, uint32_t scope, uint32_t cluster) {
  const etr_scope *scopes = view->plan->scopes.list;
  uint32_t chain[4]; /* more would not fit into a label */
  size_t count = 0;
  for (; scope != cluster && scope != ETR_NONE && count < ETR_COUNT(chain); scope = scopes[scope].parent) chain[count++] = scope;
  while (count-- > 0) {
    put_name(writer, scopes[chain[count]].label);
    if (count > 0) etr_puts(writer, scopes[chain[count - 1]].kind == ETR_SCOPE_MODULE ? "." : "/");
  }
}

/* "~0.437 ms  12.3 %" and who runs it, each where it is known. */
static void put_time_line(etr_writer *writer, const etr_dot_view *view, const etr_dot_sum *sum) {
  if (sum->timed) {
    etr_puts(writer, "\\n");
    etr_dot_put_time(writer, view, sum);
  }
  if (sum->delegate == ETR_NONE) return;
  etr_puts(writer, sum->timed ? "  " : "\\n");
  if (sum->delegated < sum->ops) etr_puts(writer, "partly ");
  const char *label = etr_dot_delegate_label(view, sum->delegate);
  if (label != NULL) etr_puts(writer, label);
  if (sum->several_delegates) etr_puts(writer, " \xE2\x80\xA6");
}

static void put_shape_line(etr_writer *writer, const etr_dot_view *view, const etr_node *node) {
  if (node->output_count == 0) return;
  const char *shape = etr_label_shape(view->arena, &node->outputs[0]);
  if (shape == NULL || shape[0] == '\0') return;
  etr_puts(writer, "\\n");
  put_name(writer, shape);
  if (node->output_count > 1) etr_putf(writer, "  +%zu", node->output_count - 1);
}

/* "#1  ", of a node in the top. */
static void put_rank(etr_writer *writer, const etr_dot_box *box) {
  if (box->rank > 0) etr_putf(writer, "#%" PRIu32 "  ", box->rank);
}

/* The operator; below it the module it is all of, or else its name where that says more. */
static void put_op_lines(etr_writer *writer, const etr_dot_view *view, const etr_dot_box *box, const etr_node *node) {
  etr_slice op = etr_label_op(node->target);
  put_rank(writer, box);
  etr_dot_put_short(writer, op, LONGEST_NAME);
  if (box->scope != box->cluster) {
    etr_puts(writer, "\\n");
    put_frames(writer, view, box->scope, box->cluster);
  } else if (!etr_slice_equal(op, etr_slice_of(node->name))) {
    etr_puts(writer, "\\n");
    put_name(writer, node->name);
  }
}

static void put_node_label(etr_writer *writer, const etr_dot_view *view, const etr_dot_box *box) {
  const etr_node *node = &view->graph->nodes[box->node];
  if (node->kind == ETR_NODE_OP) {
    put_op_lines(writer, view, box, node);
  } else {
    put_name(writer, node->name);
  }
  put_shape_line(writer, view, node);
  put_time_line(writer, view, &box->sum);
}

static void put_op_count(etr_writer *writer, uint32_t count) { etr_putf(writer, "%" PRIu32 " operator%s", count, count == 1 ? "" : "s"); }

static void put_scope_label(etr_writer *writer, const etr_dot_view *view, const etr_dot_box *box) {
  put_name(writer, view->plan->scopes.list[box->scope].label);
  etr_puts(writer, "\\n");
  put_op_count(writer, box->sum.ops);
  put_time_line(writer, view, &box->sum);
}

/* Consecutive operators that are not in the top, by the first and the last. */
static void put_run_label(etr_writer *writer, const etr_dot_view *view, const etr_dot_box *box) {
  put_op_count(writer, box->sum.ops);
  etr_puts(writer, "\\n");
  etr_dot_put_short(writer, etr_label_op(view->graph->nodes[box->node].target), LONGEST_NAME / 2);
  etr_puts(writer, box->sum.ops == 2 ? ", " : " \xE2\x80\xA6 ");
  etr_dot_put_short(writer, etr_label_op(view->graph->nodes[box->last].target), LONGEST_NAME / 2);
  put_time_line(writer, view, &box->sum);
}

char *etr_dot_box_label(const etr_dot_view *view, const etr_dot_box *box) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, view->arena, &writer);
  if (box->node == ETR_NONE) {
    put_scope_label(&writer, view, box);
  } else if (etr_dot_is_run(box)) {
    put_run_label(&writer, view, box);
  } else {
    put_node_label(&writer, view, box);
  }
  return etr_text_end(&text, &writer);
}

char *etr_dot_cluster_label(const etr_dot_view *view, uint32_t scope) {
  const etr_scope *of = &view->plan->scopes.list[scope];
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, view->arena, &writer);
  put_name(&writer, of->label);
  if (of->module != ETR_NONE) {
    const char *type = view->graph->modules[of->module].type, *dot = strrchr(type, '.');
    const char *last = dot != NULL ? dot + 1 : type;
    if (last[0] != '\0') etr_puts(&writer, "  \xC2\xB7  "), put_name(&writer, last);
  }
  etr_puts(&writer, "\\l"); /* ends a line that stands to the left */
  if (view->plan->scope_sums[scope].timed) {
    etr_dot_put_time(&writer, view, &view->plan->scope_sums[scope]);
    etr_puts(&writer, "\\l");
  }
  return etr_text_end(&text, &writer);
}

/* ---- Tooltips ---- */

/* A line "key: value", if there is a value. */
static void put_line(etr_writer *writer, const char *key, const char *value) {
  if (value == NULL || value[0] == '\0') return;
  etr_puts(writer, "\\n");
  etr_puts(writer, key);
  etr_puts(writer, ": ");
  etr_dot_put(writer, value);
}

static void put_module_line(etr_writer *writer, const etr_dot_view *view, uint32_t index) {
  if (index == ETR_NONE) return;
  const etr_module *module = &view->graph->modules[index];
  put_line(writer, "module", module->path);
  put_line(writer, "type", module->type);
}

static void put_output_lines(etr_writer *writer, const etr_dot_view *view, const etr_node *node) {
  for (size_t i = 0; i < node->output_count && i < MOST_OUTPUTS; i++) put_line(writer, "output", etr_label_shape(view->arena, &node->outputs[i]));
  if (node->output_count > MOST_OUTPUTS) etr_putf(writer, "\\nand %zu more outputs", node->output_count - MOST_OUTPUTS);
}

static void put_weight_lines(etr_writer *writer, const etr_dot_view *view, const etr_node *node) {
  size_t weights = 0;
  for (size_t i = 0; i < node->input_count; i++) {
    const etr_node *from = &view->graph->nodes[node->inputs[i].node];
    if (from->weight_name == NULL || weights++ >= MOST_WEIGHTS) continue;
    put_line(writer, etr_node_kind_name(from->kind), from->weight_name);
    const char *shape = from->output_count > 0 ? etr_label_shape(view->arena, &from->outputs[0]) : NULL;
    if (shape != NULL) etr_puts(writer, " "), etr_dot_put(writer, shape);
  }
  if (weights > MOST_WEIGHTS) etr_putf(writer, "\\nand %zu more weights", weights - MOST_WEIGHTS);
}

static void put_source_lines(etr_writer *writer, const etr_dot_view *view, const etr_source *source) {
  if (source == NULL) return;
  put_line(writer, "source", etr_label_source(view->arena, source));
  put_line(writer, "code", source->code);
}

static void put_time_lines(etr_writer *writer, const etr_dot_view *view, uint32_t node) {
  if (view->graph->times == NULL) return;
  const etr_node_time *time = &view->graph->times[node];
  put_line(writer, "backend", time->backend);
  if (time->runs == 0) return;
  put_line(writer, "runs as", time->runs_as);
  put_line(writer, "matched by", etr_match_name(time->match));
  const double ticks[] = {time->per_run.p50, time->per_run.min, time->per_run.max};
  static const char *const keys[] = {"median", "min", "max"};
  for (size_t i = 0; i < ETR_COUNT(keys); i++) put_line(writer, keys[i], etr_label_time(view->arena, etr_ticks_to_ns(view->profile, ticks[i])));
}

static void put_node_tooltip(etr_writer *writer, const etr_dot_view *view, uint32_t index) {
  const etr_node *node = &view->graph->nodes[index];
  etr_dot_put(writer, node->name);
  if (node->kind == ETR_NODE_OP) put_line(writer, "op", node->target);
  put_module_line(writer, view, node->module);
  put_output_lines(writer, view, node);
  put_weight_lines(writer, view, node);
  if (node->debug_handle != 0) etr_putf(writer, "\\ndebug handle: %" PRIu32, node->debug_handle);
  put_source_lines(writer, view, node->source);
  put_time_lines(writer, view, index);
}

/* So that the box's time can be compared with that of its module elsewhere. */
static void put_guests_line(etr_writer *writer, const etr_dot_view *view, const etr_dot_sum *sum) {
  if (sum->guests == 0) return;
  etr_putf(writer, "\\nof these quantizers, which are in no module: %" PRIu32, sum->guests);
  const char *time = sum->guest_ticks > 0 ? etr_label_time(view->arena, etr_ticks_to_ns(view->profile, sum->guest_ticks)) : NULL;
  if (time != NULL) etr_puts(writer, ", "), etr_dot_put(writer, time);
}

static void put_run_tooltip(etr_writer *writer, const etr_dot_view *view, const etr_dot_box *box) {
  etr_putf(writer, "operators: %" PRIu32, box->sum.ops);
  put_line(writer, "first", view->graph->nodes[box->node].name);
  put_line(writer, "last", view->graph->nodes[box->last].name);
}

char *etr_dot_scope_tooltip(const etr_dot_view *view, uint32_t index) {
  const etr_scope *scope = &view->plan->scopes.list[index];
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, view->arena, &writer);
  etr_dot_put(&writer, scope->label);
  put_module_line(&writer, view, scope->module);
  etr_putf(&writer, "\\noperators: %" PRIu32, view->plan->scope_sums[index].ops);
  put_guests_line(&writer, view, &view->plan->scope_sums[index]);
  return etr_text_end(&text, &writer);
}

char *etr_dot_box_tooltip(const etr_dot_view *view, const etr_dot_box *box) {
  if (box->node == ETR_NONE) return etr_dot_scope_tooltip(view, box->scope);
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, view->arena, &writer);
  if (etr_dot_is_run(box)) {
    put_run_tooltip(&writer, view, box);
  } else {
    put_node_tooltip(&writer, view, box->node);
  }
  return etr_text_end(&text, &writer);
}
