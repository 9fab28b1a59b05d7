/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dot_label.c - labels and tooltips of a DOT file's boxes and clusters.
 */
#include "dot/dot_label.h"

#include "output/label.h"
#include "output/plain_text.h"
#include "output/ranking.h"
#include "views/phases.h"

#include <inttypes.h>

enum {
  LONGEST_NAME = 44, /* bytes of a name in a label; the tooltip has all of it */
  MOST_WEIGHTS = 8,  /* in a tooltip */
  MOST_OUTPUTS = 4,
};

/* ---- Pieces ---- */

/* DOT knows backslash sequences such as \N (the node's own name) and HTML's entities, even in plain labels; SVG knows
 * no control characters. */
static void put_character(etr_writer *writer, etr_slice character, uint32_t code) {
  if (code == '\\') {
    etr_puts(writer, "\\\\");
  } else if (code == '&') {
    etr_puts(writer, "&amp;");
  } else if (code == '\n') {
    etr_puts(writer, "\\n");
  } else {
    etr_put(writer, etr_is_control(code) ? ETR_SLICE(" ") : character);
  }
}

static bool is_plain(char c) { return c >= ' ' && c <= '~' && c != '\\' && c != '&'; }

static void put_slice(etr_writer *writer, etr_slice text) {
  for (size_t at = 0, size; at < text.size; at += size) {
    for (size = 0; at + size < text.size && is_plain(text.data[at + size]);) size++;
    etr_put(writer, (etr_slice){text.data + at, size});
    at += size;
    if (at == text.size) return;
    uint32_t code = etr_character_at(text.data + at, &size);
    put_character(writer, (etr_slice){text.data + at, size}, code);
  }
}

void etr_dot_put(etr_writer *writer, const char *text) { put_slice(writer, etr_slice_of(text)); }

void etr_dot_put_short(etr_writer *writer, etr_slice text, size_t longest) {
  if (text.size <= longest) {
    put_slice(writer, text);
    return;
  }
  size_t head = etr_utf8_floor(text.data, longest / 2), tail = text.size - longest / 2;
  while (tail < text.size && etr_utf8_continues(text.data[tail])) tail++;
  put_slice(writer, (etr_slice){text.data, head});
  etr_puts(writer, "\xE2\x80\xA6");
  put_slice(writer, (etr_slice){text.data + tail, text.size - tail});
}

void etr_dot_put_html(etr_writer *writer, const char *text) {
  for (size_t size; *text != '\0'; text += size) {
    uint32_t code = etr_character_at(text, &size);
    if (code < 0x80 && strchr("<>&\"\\", (int)code) != NULL) {
      etr_putf(writer, "&#%u;", (unsigned)code);
    } else {
      etr_put(writer, etr_is_control(code) ? ETR_SLICE(" ") : (etr_slice){text, size});
    }
  }
}

void etr_dot_put_share(etr_writer *writer, double share) {
  if (share > 0 && share < 0.0005) {
    etr_puts(writer, "&lt;0.1");
  } else {
    etr_put_fixed(writer, share * 100, 1);
  }
  etr_puts(writer, " %");
}

double etr_dot_whole(const etr_dot_view *view) {
  return view->method == NULL ? 0 : etr_ranking(view->profile, view->method->execute.avg, view->plan->total.ticks);
}

/* "0.437 ms", or "<1.00 us" of what a clock with this step cannot tell from nothing. */
static void put_ticks(etr_writer *writer, const etr_dot_view *view, double ticks, double step) {
  bool is_below = ticks < step;
  const char *time = etr_label_time(view->arena, etr_ticks_to_ns(view->profile, is_below ? step : ticks));
  if (is_below) etr_puts(writer, "&lt;");
  if (time != NULL) etr_puts(writer, time);
}

void etr_dot_put_time(etr_writer *writer, const etr_dot_view *view, const etr_dot_sum *sum) {
  double whole = etr_dot_whole(view);
  if (sum->estimated) etr_puts(writer, "~");
  put_ticks(writer, view, sum->ticks, sum->step);
  if (sum->ticks > 0 && whole > 0) {
    etr_puts(writer, "  ");
    etr_dot_put_share(writer, sum->ticks / whole);
  }
}

const char *etr_dot_delegate_label(const etr_dot_view *view, size_t delegate) {
  const char *device = etr_label_device(view->arena, view->plan->delegates[delegate].backend);
  if (device == NULL || view->plan->delegate_count == 1) return device;
  return etr_arena_format(view->arena, "%s %zu", device, delegate);
}

static void put_name(etr_writer *writer, const char *name) {
  etr_dot_put_short(writer, etr_slice_of(name), LONGEST_NAME);
}

static const char *scope_name(const etr_dot_view *view, uint32_t scope) {
  return etr_scope_name(&view->plan->scopes.list[scope], view->graph);
}

/* "layers.3", or "layers.0…31 ×32" of several that are drawn as one. */
static void put_scope_name(etr_writer *writer, const etr_dot_view *view, uint32_t scope) {
  const etr_dot_fold *fold = &view->plan->fold;
  put_name(writer, scope_name(view, scope));
  if (etr_dot_copies(fold, scope) == 1) return;
  const char *last = scope_name(view, fold->last[scope]), *number = last + strlen(last);
  while (number > last && number[-1] >= '0' && number[-1] <= '9') number--;
  etr_puts(writer, "\xE2\x80\xA6");
  put_name(writer, number);
  etr_putf(writer, " \xC3\x97%" PRIu32, fold->copies[scope]);
}

/* Of each of several that are drawn as one. */
static void put_median(etr_writer *writer, const etr_dot_view *view, uint32_t scope) {
  if (etr_dot_copies(&view->plan->fold, scope) == 1 || !view->plan->scope_sums[scope].timed) return;
  etr_puts(writer, "median ");
  const char *time = etr_label_time(view->arena, etr_ticks_to_ns(view->profile, view->plan->fold.median[scope]));
  if (time != NULL) etr_puts(writer, time);
}

/* ---- Boxes ---- */

/* "encoder.mlp", "encoder.mlp/true_graph_0": what a node is in below the cluster that it is drawn in. A module's name
 * tells all that is around it. */
static void put_frames(etr_writer *writer, const etr_dot_view *view, uint32_t scope, uint32_t cluster) {
  const etr_scope *scopes = view->plan->scopes.list;
  uint32_t chain[4]; /* more would not fit into a label */
  size_t count = 0;
  for (bool more = true; more && scope != cluster && scope != ETR_NONE && count < ETR_COUNT(chain);) {
    chain[count++] = scope;
    more = scopes[scope].module == ETR_NONE;
    scope = scopes[scope].parent;
  }
  while (count-- > 0) {
    put_scope_name(writer, view, chain[count]);
    if (count > 0) etr_puts(writer, "/");
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

/* The operator; below it the module it is all of, or else its name where that says more: not of one of several. */
static void put_op_lines(etr_writer *writer, const etr_dot_view *view, const etr_dot_box *box, const etr_node *node) {
  etr_slice op = etr_label_op(node->target);
  put_rank(writer, box);
  etr_dot_put_short(writer, op, LONGEST_NAME);
  if (box->scope != box->cluster) {
    etr_puts(writer, "\\n");
    put_frames(writer, view, box->scope, box->cluster);
  } else if (view->plan->folded == 0 && !etr_slice_equal(op, etr_slice_of(node->name))) {
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

static void put_op_count(etr_writer *writer, uint32_t count) {
  etr_putf(writer, "%" PRIu32 " operator%s", count, count == 1 ? "" : "s");
}

static void put_scope_label(etr_writer *writer, const etr_dot_view *view, const etr_dot_box *box) {
  bool several = etr_dot_copies(&view->plan->fold, box->scope) > 1;
  put_scope_name(writer, view, box->scope);
  etr_puts(writer, "\\n");
  put_op_count(writer, box->sum.ops);
  if (several) etr_puts(writer, " each");
  put_time_line(writer, view, &box->sum);
  if (several && box->sum.timed) etr_puts(writer, "\\n"), put_median(writer, view, box->scope);
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
  put_scope_name(&writer, view, scope);
  if (of->module != ETR_NONE) {
    const char *type = view->graph->modules[of->module].type, *dot = strrchr(type, '.');
    const char *last = dot != NULL ? dot + 1 : type;
    if (last[0] != '\0') etr_puts(&writer, "  \xC2\xB7  "), put_name(&writer, last);
  }
  etr_puts(&writer, "\\l"); /* ends a line that stands to the left */
  if (view->plan->scope_sums[scope].timed) {
    etr_dot_put_time(&writer, view, &view->plan->scope_sums[scope]);
    if (etr_dot_copies(&view->plan->fold, scope) > 1) etr_puts(&writer, "   "), put_median(&writer, view, scope);
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
  const etr_module *module = &view->graph->modules[index];
  put_line(writer, "module", module->path);
  put_line(writer, "type", module->type);
}

static void put_output_lines(etr_writer *writer, const etr_dot_view *view, const etr_node *node) {
  for (size_t i = 0; i < node->output_count && i < MOST_OUTPUTS; i++)
    put_line(writer, "output", etr_label_shape(view->arena, &node->outputs[i]));
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

static void put_cycles(etr_writer *writer, const etr_dot_view *view, const etr_node_time *time) {
  double cycles = etr_cycles_of(view->method, time);
  if (isnan(cycles)) return;
  etr_puts(writer, "\\ncycles: ");
  etr_put_fixed(writer, cycles, 0);
}

static void put_time_lines(etr_writer *writer, const etr_dot_view *view, uint32_t node) {
  if (view->graph->times == NULL) return;
  const etr_node_time *time = &view->graph->times[node];
  put_line(writer, "backend", time->backend);
  put_line(writer, "compute unit", etr_compute_units_text(view->arena, time->compute_units));
  put_cycles(writer, view, time);
  if (time->runs == 0) return;
  put_line(writer, "runs as", time->runs_as);
  put_line(writer, "matched by", etr_match_name(time->match));
  if (time->is_estimated) put_line(writer, "time", "estimated");
  const double ticks[] = {etr_not_ranking(view->profile, time->avg, time->per_run.p50), time->per_run.min,
                          time->per_run.max};
  const char *const keys[] = {etr_ranks_by_p50(view->profile) ? "average" : "median", "min", "max"};
  double step = etr_clock_step(view->profile, time->backend, NULL);
  for (size_t i = 0; i < ETR_COUNT(keys); i++) {
    etr_putf(writer, "\\n%s: ", keys[i]);
    put_ticks(writer, view, ticks[i], step);
  }
}

static void put_node_tooltip(etr_writer *writer, const etr_dot_view *view, uint32_t index) {
  const etr_node *node = &view->graph->nodes[index];
  const uint32_t *alike = view->plan->fold.alike;
  etr_dot_put(writer, node->name);
  if (alike != NULL && alike[index] > 1) etr_putf(writer, ", the first of %" PRIu32 " that are the same", alike[index]);
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
  etr_putf(writer, "\\nincluding quantizers, which belong to no module: %" PRIu32, sum->guests);
  const char *time = sum->guest_ticks > 0
                         ? etr_label_time(view->arena, etr_ticks_to_ns(view->profile, sum->guest_ticks))
                         : NULL;
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
  etr_dot_put(&writer, scope_name(view, index));
  if (scope->module != ETR_NONE) put_line(&writer, "type", view->graph->modules[scope->module].type);
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
