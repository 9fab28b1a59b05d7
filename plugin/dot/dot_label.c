/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dot_label.c - makes the texts in a DOT file: labels and tooltips of its boxes and clusters, and
 * the legend.
 */
#include "dot/dot_plan.h"

#include "base/writer.h"
#include "output/label.h"
#include "output/plain_text.h"
#include "output/ranking.h"
#include "views/balance.h"
#include "views/heat.h"
#include "views/interruptions.h"
#include "views/phases.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum {
  LONGEST_NAME = 44, /* bytes of a name in a label; the tooltip has all of it */
  MOST_WEIGHTS = 8,  /* weights that a tooltip lists */
  MOST_OUTPUTS = 4,
  MOST_DELEGATES = 8, /* delegates in the legend, as many as there are colors */
  /* Room for a character of the legend, in points: that of a wide font. Graphviz measures texts
   * with its own fonts, and who shows the picture may have wider ones. */
  CHARACTER_WIDTH = 6,
  TITLE_CHARACTER_WIDTH = 11,
  MOST_WIDTH = 65535, /* Graphviz takes no more */
};

/* ---- Pieces ---- */

/* Returns true if a character needs no escape. DOT reads backslash sequences such as \N (the node's
 * own name) and HTML's entities even in plain labels, and SVG allows no control characters. */
static bool is_plain(char c) {
  return c >= ' ' && c <= '~' && c != '\\' && c != '&';
}

/* Writes a text with the escapes that DOT's labels need; control characters become blanks. */
static void put_slice(etr_writer *writer, etr_slice text) {
  for (size_t start = 0, size; start < text.size; start += size) {
    for (size = 0; start + size < text.size && is_plain(text.data[start + size]);)
      size++;
    etr_put(writer, (etr_slice){text.data + start, size});
    start += size;
    if (start == text.size)
      return;
    uint32_t code = etr_character_at(text.data + start, &size);
    if (code == '\\')
      etr_puts(writer, "\\\\");
    else if (code == '&')
      etr_puts(writer, "&amp;");
    else if (code == '\n')
      etr_puts(writer, "\\n");
    else if (etr_is_control(code))
      etr_puts(writer, " ");
    else
      etr_put(writer, (etr_slice){text.data + start, size});
  }
}

/* Writes a text as part of a plain label or tooltip. */
static void put_text(etr_writer *writer, const char *text) {
  put_slice(writer, etr_slice_of(text));
}

/* Writes a text, with an ellipsis for its middle if it is longer than `max_bytes`. */
static void put_short(etr_writer *writer, etr_slice text, size_t max_bytes) {
  if (text.size <= max_bytes) {
    put_slice(writer, text);
    return;
  }
  size_t head_bytes = etr_utf8_floor(text.data, max_bytes / 2),
         tail_start = text.size - max_bytes / 2;
  while (tail_start < text.size && etr_utf8_continues(text.data[tail_start]))
    tail_start++;
  put_slice(writer, (etr_slice){text.data, head_bytes});
  etr_puts(writer, "\xE2\x80\xA6");
  put_slice(writer, (etr_slice){text.data + tail_start, text.size - tail_start});
}

/* Writes a text as part of an HTML-like label, with references for characters of its markup. */
static void put_html(etr_writer *writer, const char *text) {
  for (size_t size; *text != '\0'; text += size) {
    uint32_t code = etr_character_at(text, &size);
    if (code < 0x80 && strchr("<>&\"\\", (int)code) != NULL) {
      etr_putf(writer, "&#%u;", (unsigned)code);
    } else {
      etr_put(writer, etr_is_control(code) ? ETR_SLICE(" ") : (etr_slice){text, size});
    }
  }
}

/* Writes a share, where 1 is the whole, as "12.3 %"; one above 0 that would be 0.0 becomes
 * "&lt;0.1 %". */
static void put_share(etr_writer *writer, double share) {
  if (share > 0 && share < 0.0005) {
    etr_puts(writer, "&lt;0.1");
  } else {
    etr_put_fixed(writer, share * 100, 1);
  }
  etr_puts(writer, " %");
}

/* Returns the whole of which shares are computed, in ticks: the method's typical or average time or
 * the sum of its nodes' medians, by the profile's statistic. 0 if there is no method. */
static double ticks_of_whole(const etr_dot_view *view) {
  if (view->method == NULL)
    return 0;
  const etr_times times = {view->method->execute.typical, view->method->execute.avg,
                           view->plan->total.ticks};
  return etr_ranking_time(view->profile, times);
}

/* Writes ticks as a time with unit: "0.437 ms". */
static void put_plain_time(etr_writer *writer, const etr_dot_view *view, double ticks) {
  const char *time = etr_label_ticks(view->arena, view->profile, ticks);
  if (time != NULL)
    etr_puts(writer, time);
}

/* Writes "0.437 ms", or "<1.00 us" for a time below one step of its clock. Both are in ticks. */
static void put_ticks(etr_writer *writer, const etr_dot_view *view, double ticks, double step) {
  bool is_below = ticks < step;
  if (is_below)
    etr_puts(writer, "&lt;");
  put_plain_time(writer, view, is_below ? step : ticks);
}

/* Writes "~0.437 ms  12.3 %": a time per inference, or "<1.00 us" if it is below one step of its
 * clock, and its share of the method. '~' marks an estimate. */
static void put_time(etr_writer *writer, const etr_dot_view *view, const etr_dot_sum *sum) {
  double whole = ticks_of_whole(view);
  if (sum->estimated)
    etr_puts(writer, "~");
  put_ticks(writer, view, sum->ticks, sum->step);
  if (sum->ticks > 0 && whole > 0) {
    etr_puts(writer, "  ");
    put_share(writer, sum->ticks / whole);
  }
}

/* Returns "XNNPACK", with the instruction that calls it if there are several delegates: "XNNPACK
 * @3"; where no instruction is known, with the delegate's index: "XNNPACK 1". The text needs no
 * escapes. */
static const char *delegate_label(const etr_dot_view *view, size_t index) {
  const etr_dot_delegate *delegate = &view->plan->delegates[index];
  const char *device = etr_label_device(view->arena, delegate->backend);
  if (device == NULL || view->plan->delegate_count == 1)
    return device;
  if (delegate->instruction < 0)
    return etr_arena_format(view->arena, "%s %zu", device, index);
  return etr_arena_format(view->arena, "%s @%" PRId32, device, delegate->instruction);
}

/* Writes a name, shortened in the middle so that it fits into a label. */
static void put_name(etr_writer *writer, const char *name) {
  put_short(writer, etr_slice_of(name), LONGEST_NAME);
}

static const char *scope_name(const etr_dot_view *view, uint32_t scope) {
  return etr_scope_name(&view->plan->scopes.list[scope], view->graph);
}

/* Returns the digits that a scope's name ends with; "" if there are none. */
static const char *number_of_scope(const etr_dot_view *view, uint32_t scope) {
  const char *name = scope_name(view, scope), *number = name + strlen(name);
  while (number > name && number[-1] >= '0' && number[-1] <= '9')
    number--;
  return number;
}

/* Returns the name of a scope, with '*' for the number of each scope around it that is drawn for
 * several: "layers.*.mlp", because its time is that of all. */
static const char *drawn_name(const etr_dot_view *view, uint32_t scope) {
  const etr_scope *scopes = view->plan->scopes.list;
  const char *name = scope_name(view, scope);
  for (uint32_t outer = scopes[scope].parent; outer != ETR_NONE; outer = scopes[outer].parent) {
    const char *start = scope_name(view, outer), *number = number_of_scope(view, outer);
    size_t size = strlen(start);
    if (etr_dot_copies(&view->plan->fold, outer) == 1 || number[0] == '\0' ||
        strncmp(name, start, size) != 0 || name[size] != '.')
      continue;
    const char *made = etr_arena_format(view->arena, "%.*s*%s", (int)(number - start), name,
                                        name + size);
    name = made != NULL ? made : name;
  }
  return name;
}

/* Returns the last of the scopes that are drawn as one and that follow `from` without a gap in the
 * numbers at the end of their names, and sets *next to the first one after the gap; ETR_NONE: there
 * is none. shown: the scope that is drawn for all. */
static uint32_t last_of_stretch(const etr_dot_view *view, uint32_t shown, uint32_t from,
                                uint32_t *next) {
  const etr_dot_fold *fold = &view->plan->fold;
  uint32_t end = from;
  unsigned long long number = strtoull(number_of_scope(view, from), NULL, 10);
  *next = ETR_NONE;
  for (uint32_t scope = from + 1; scope <= fold->last[shown] && *next == ETR_NONE; scope++) {
    if (fold->same_as[scope] != shown)
      continue;
    if (strtoull(number_of_scope(view, scope), NULL, 10) == ++number)
      end = scope;
    else
      *next = scope;
  }
  return end;
}

/* Writes the name of a scope: "layers.3", or for several that are drawn as one "layers.0…31
 * ×32", "layers.0…2, 4…7 ×7" if others are between them, "layers.0, 2…12 ×7" if that
 * happens often. */
static void put_scope_name(etr_writer *writer, const etr_dot_view *view, uint32_t scope) {
  enum { MOST_STRETCHES = 3 };
  uint32_t copies = etr_dot_copies(&view->plan->fold, scope), ends[MOST_STRETCHES],
           starts[MOST_STRETCHES];
  size_t count = 0;
  put_name(writer, drawn_name(view, scope));
  if (copies == 1)
    return;
  for (uint32_t from = scope, next; from != ETR_NONE; from = next, count++) {
    uint32_t end = last_of_stretch(view, scope, from, &next);
    if (count < MOST_STRETCHES) {
      starts[count] = from;
      ends[count] = end;
    }
  }
  /* With too many stretches, all but the first are written as one. */
  bool is_long = count > MOST_STRETCHES;
  size_t written_count = is_long ? 2 : count;
  if (is_long)
    ends[1] = view->plan->fold.last[scope];
  for (size_t i = 0; i < written_count; i++) {
    if (i > 0) {
      etr_puts(writer, ", ");
      put_name(writer, number_of_scope(view, starts[i]));
    }
    if (ends[i] == starts[i])
      continue;
    etr_puts(writer, "\xE2\x80\xA6");
    put_name(writer, number_of_scope(view, ends[i]));
  }
  etr_putf(writer, " \xC3\x97%" PRIu32, copies);
}

/* Writes "median 0.437 ms", that of the times of the scopes that are drawn as one; nothing for a
 * scope that is drawn for itself only, or was not timed. */
static void put_median(etr_writer *writer, const etr_dot_view *view, uint32_t scope) {
  if (etr_dot_copies(&view->plan->fold, scope) == 1 || !view->plan->scope_sums[scope].timed)
    return;
  etr_puts(writer, "median ");
  put_plain_time(writer, view, view->plan->fold.median[scope]);
}

/* ---- Boxes ---- */

/* Writes the scopes of a node below the cluster that it is drawn in: "encoder.mlp",
 * "encoder.mlp/true_graph_0". It ends at the first module, whose name includes the modules around
 * it, and at four scopes, because more would not fit into a label. */
static void put_scopes_below_cluster(etr_writer *writer, const etr_dot_view *view, uint32_t scope,
                                     uint32_t cluster) {
  const etr_scope *scopes = view->plan->scopes.list;
  uint32_t chain[4]; /* from the inside outwards */
  size_t count = 0;
  bool is_module = false;
  while (!is_module && scope != cluster && scope != ETR_NONE && count < ETR_COUNT(chain)) {
    chain[count++] = scope;
    is_module = scopes[scope].module != ETR_NONE;
    scope = scopes[scope].parent;
  }
  while (count-- > 0) {
    put_scope_name(writer, view, chain[count]);
    if (count > 0)
      etr_puts(writer, "/");
  }
}

/* Writes the lines with a box's SNR, in a picture by accuracy, and with its time, share and
 * delegate, as far as they are known. */
static void put_time_line(etr_writer *writer, const etr_dot_view *view, const etr_dot_sum *sum) {
  if (view->plan->by_accuracy && sum->gap != NULL) {
    const char *snr = etr_accuracy_snr_text(view->arena, sum->gap);
    etr_puts(writer, "\\nSNR ");
    etr_puts(writer, snr != NULL ? snr : "");
  }
  if (sum->timed) {
    etr_puts(writer, "\\n");
    put_time(writer, view, sum);
  }
  if (sum->delegate == ETR_NONE)
    return;
  etr_puts(writer, sum->timed ? "  " : "\\n");
  if (sum->delegated < sum->ops)
    etr_puts(writer, "partly ");
  const char *label = delegate_label(view, sum->delegate);
  if (label != NULL)
    etr_puts(writer, label);
  if (sum->several_delegates)
    etr_puts(writer, " \xE2\x80\xA6");
}

/* Writes the label of one node: the operator; below it the module if the operator is all that is
 * drawn of it, or else the node's name if that adds something and no node is drawn for others. Then
 * come the shape of its first output, the instruction that it jumps to in a program, its time and
 * its delegate. */
static void put_node_label(etr_writer *writer, const etr_dot_view *view, const etr_dot_box *box) {
  const etr_node *node = &view->graph->nodes[box->node];
  etr_slice op_label = etr_label_op(node->target);
  if (node->kind != ETR_NODE_OP) {
    put_name(writer, node->name);
  } else {
    if (box->rank > 0)
      etr_putf(writer, "#%" PRIu32 "  ", box->rank);
    put_short(writer, op_label, LONGEST_NAME);
    if (box->scope != box->cluster) {
      etr_puts(writer, "\\n");
      put_scopes_below_cluster(writer, view, box->scope, box->cluster);
    } else if (view->plan->folded == 0 && !etr_slice_equal(op_label, etr_slice_of(node->name))) {
      etr_puts(writer, "\\n");
      put_name(writer, node->name);
    }
  }
  const char *shape = node->output_count > 0 ? etr_label_shape(view->arena, &node->outputs[0])
                                             : NULL;
  if (shape != NULL && shape[0] != '\0') {
    etr_puts(writer, "\\n");
    put_name(writer, shape);
    if (node->output_count > 1)
      etr_putf(writer, "  +%zu", node->output_count - 1);
  }
  const char *jump = etr_label_jump(view->arena, node, "\n");
  if (jump != NULL) {
    etr_puts(writer, "\\n");
    put_text(writer, jump);
  }
  put_time_line(writer, view, &box->sum);
}

static void put_op_count(etr_writer *writer, uint32_t count) {
  etr_putf(writer, "%" PRIu32 " operator%s", count, etr_plural(count));
}

/* The label of a closed scope has its name and its number of operators (of each, if it is drawn for
 * several). The label of consecutive operators that are not in the top has their number, the first
 * and the last. Both end with time, share and delegate. */
char *etr_dot_box_label(const etr_dot_view *view, const etr_dot_box *box) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, view->arena, &writer);
  if (box->node == ETR_NONE) {
    bool has_copies = etr_dot_copies(&view->plan->fold, box->scope) > 1;
    put_scope_name(&writer, view, box->scope);
    etr_puts(&writer, "\\n");
    put_op_count(&writer, box->sum.ops);
    if (has_copies)
      etr_puts(&writer, " each");
    put_time_line(&writer, view, &box->sum);
    if (has_copies && box->sum.timed) {
      etr_puts(&writer, "\\n");
      put_median(&writer, view, box->scope);
    }
  } else if (etr_dot_is_run(box)) {
    put_op_count(&writer, box->sum.ops);
    etr_puts(&writer, "\\n");
    put_short(&writer, etr_label_op(view->graph->nodes[box->node].target), LONGEST_NAME / 2);
    etr_puts(&writer, box->sum.ops == 2 ? ", " : " \xE2\x80\xA6 ");
    put_short(&writer, etr_label_op(view->graph->nodes[box->last].target), LONGEST_NAME / 2);
    put_time_line(&writer, view, &box->sum);
  } else {
    put_node_label(&writer, view, box);
  }
  return etr_text_end(&text, &writer);
}

/* Returns the label of a cluster: the scope's name and type, and its time if it was timed. */
char *etr_dot_cluster_label(const etr_dot_view *view, uint32_t scope) {
  const etr_scope *labeled = &view->plan->scopes.list[scope];
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, view->arena, &writer);
  put_scope_name(&writer, view, scope);
  if (labeled->module != ETR_NONE) {
    const char *type = view->graph->modules[labeled->module].type, *dot = strrchr(type, '.');
    const char *short_type = dot != NULL ? dot + 1 : type;
    if (short_type[0] != '\0') {
      etr_puts(&writer, "  \xC2\xB7  ");
      put_name(&writer, short_type);
    }
  }
  etr_puts(&writer, "\\l"); /* ends a line that is aligned left */
  if (view->plan->scope_sums[scope].timed) {
    put_time(&writer, view, &view->plan->scope_sums[scope]);
    if (etr_dot_copies(&view->plan->fold, scope) > 1) {
      etr_puts(&writer, "   ");
      put_median(&writer, view, scope);
    }
    etr_puts(&writer, "\\l");
  }
  return etr_text_end(&text, &writer);
}

/* ---- Tooltips ---- */

/* Writes a line "key: value" below the lines before; nothing if the value is NULL or empty. */
static void put_line(etr_writer *writer, const char *key, const char *value) {
  if (value == NULL || value[0] == '\0')
    return;
  etr_puts(writer, "\\n");
  etr_puts(writer, key);
  etr_puts(writer, ": ");
  put_text(writer, value);
}

/* Writes a line for each of the first weights that a node reads, with its shape, and how many more
 * there are. */
static void put_weight_lines(etr_writer *writer, const etr_dot_view *view, const etr_node *node) {
  size_t weight_count = 0;
  for (size_t i = 0; i < node->input_count; i++) {
    const etr_node *weight = &view->graph->nodes[node->inputs[i].node];
    if (weight->weight_name == NULL || weight_count++ >= MOST_WEIGHTS)
      continue;
    put_line(writer, etr_node_kind_name(weight->kind), weight->weight_name);
    const char *shape = weight->output_count > 0 ? etr_label_shape(view->arena, &weight->outputs[0])
                                                 : NULL;
    if (shape != NULL) {
      etr_puts(writer, " ");
      put_text(writer, shape);
    }
  }
  if (weight_count > MOST_WEIGHTS)
    etr_putf(writer, "\\nand %zu more weights", weight_count - MOST_WEIGHTS);
}

/* Writes where and how long a node ran: backend, compute unit and cycles, then how its time was
 * identified, and of its time per inference the typical one (in a picture of medians) or the
 * median, the least and the greatest. */
static void put_time_lines(etr_writer *writer, const etr_dot_view *view, uint32_t node) {
  if (view->graph->times == NULL)
    return;
  const etr_node_time *time = &view->graph->times[node];
  put_line(writer, "backend", time->backend);
  put_line(writer, "compute unit", etr_compute_units_text(view->arena, time->compute_units));
  double cycles = etr_cycles_of(view->method, time);
  if (!isnan(cycles)) {
    etr_puts(writer, "\\ncycles: ");
    etr_put_fixed(writer, cycles, 0);
  }
  if (time->runs == 0)
    return;
  put_line(writer, "runs as", time->runs_as);
  put_line(writer, "match", etr_match_name(time->match));
  if (time->is_estimated)
    put_line(writer, "time", "estimated");
  const double ticks[] = {etr_ranks_by(view->profile, ETR_STATISTIC_P50) ? time->typical
                                                                         : time->per_run.p50,
                          time->per_run.min, time->per_run.max};
  const char *const keys[] = {etr_ranks_by(view->profile, ETR_STATISTIC_P50) ? "typical" : "median",
                              "min", "max"};
  double step = etr_clock_step(view->profile, time->backend, NULL);
  for (size_t i = 0; i < ETR_COUNT(keys); i++) {
    etr_putf(writer, "\\n%s: ", keys[i]);
    put_ticks(writer, view, ticks[i], step);
  }
}

/* Writes a line with an SNR, "SNR: 12.9 dB", if there is one. */
static void put_snr_line(etr_writer *writer, const etr_dot_view *view, const char *key,
                         const etr_numeric_gap *gap) {
  if (gap != NULL)
    put_line(writer, key, etr_accuracy_snr_text(view->arena, gap));
}

/* Writes lines with the SNR of a node's value, its local SNR (of the error that its own segment
 * added), and how far the SNR drops there, in dB. Writes nothing if no value of the node was
 * compared. */
static void put_accuracy_lines(etr_writer *writer, const etr_dot_view *view, uint32_t node) {
  const etr_node_accuracy *accuracy = view->plan->accuracy != NULL ? &view->plan->accuracy[node]
                                                                   : NULL;
  if (accuracy == NULL || accuracy->gap == NULL)
    return;
  put_snr_line(writer, view, "SNR", accuracy->gap);
  put_snr_line(writer, view, "local SNR", accuracy->local);
  if (isnan(accuracy->drop_db))
    return;
  etr_puts(writer, "\\ndrop: ");
  etr_put_fixed(writer, accuracy->drop_db, 1);
  etr_puts(writer, " dB");
}

/* Writes everything that is known about a node, a line for each fact. */
static void put_node_tooltip(etr_writer *writer, const etr_dot_view *view, uint32_t index) {
  const etr_node *node = &view->graph->nodes[index];
  const etr_module *module = &view->graph->modules[node->module];
  const uint32_t *alike = view->plan->fold.alike;
  put_text(writer, node->name);
  if (alike != NULL && alike[index] > 1)
    etr_putf(writer, ", the first of %" PRIu32 " that are the same", alike[index]);
  if (node->kind == ETR_NODE_OP)
    put_line(writer, "op", node->target);
  put_line(writer, "module", module->path);
  put_line(writer, "type", module->type);
  for (size_t i = 0; i < node->output_count && i < MOST_OUTPUTS; i++)
    put_line(writer, "output", etr_label_shape(view->arena, &node->outputs[i]));
  if (node->output_count > MOST_OUTPUTS)
    etr_putf(writer, "\\nand %zu more outputs", node->output_count - MOST_OUTPUTS);
  put_weight_lines(writer, view, node);
  if (node->debug_handle != 0)
    etr_putf(writer, "\\ndebug handle: %" PRIu32, node->debug_handle);
  if (node->source != NULL) {
    put_line(writer, "source", etr_label_source(view->arena, node->source));
    put_line(writer, "code", node->source->code);
  }
  put_time_lines(writer, view, index);
  put_accuracy_lines(writer, view, index);
}

/* The tooltip lists quantizers separately, so that the time of the box can be compared with that of
 * the module in other outputs. */
char *etr_dot_scope_tooltip(const etr_dot_view *view, uint32_t index) {
  const etr_scope *scope = &view->plan->scopes.list[index];
  const etr_dot_sum *sum = &view->plan->scope_sums[index];
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, view->arena, &writer);
  put_text(&writer, scope_name(view, index));
  if (scope->module != ETR_NONE)
    put_line(&writer, "type", view->graph->modules[scope->module].type);
  etr_putf(&writer, "\\noperators: %" PRIu32, sum->ops);
  if (sum->guests > 0)
    etr_putf(&writer, "\\nincluding quantizers, which belong to no module: %" PRIu32, sum->guests);
  if (sum->guests > 0 && sum->guest_ticks > 0) {
    etr_puts(&writer, ", ");
    put_plain_time(&writer, view, sum->guest_ticks);
  }
  return etr_text_end(&text, &writer);
}

/* Returns the tooltip of a box: that of its scope, the first and last of a sequence of nodes, or
 * all that is known of one node. */
char *etr_dot_box_tooltip(const etr_dot_view *view, const etr_dot_box *box) {
  if (box->node == ETR_NONE)
    return etr_dot_scope_tooltip(view, box->scope);
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, view->arena, &writer);
  if (etr_dot_is_run(box)) {
    etr_putf(&writer, "operators: %" PRIu32, box->sum.ops);
    put_line(&writer, "first", view->graph->nodes[box->node].name);
    put_line(&writer, "last", view->graph->nodes[box->last].name);
  } else {
    put_node_tooltip(&writer, view, box->node);
  }
  return etr_text_end(&text, &writer);
}

/* ---- The legend ---- */

double etr_dot_heat(const etr_dot_plan *plan, double ticks) {
  return plan->hottest > 0 && ticks > 0 ? sqrt(ticks / plan->hottest) : 0;
}

/* Writes a number and a noun, "1 run", "20 runs". */
static void put_count(etr_writer *writer, size_t count, const char *noun) {
  etr_putf(writer, "%zu %s%s", count, noun, etr_plural(count));
}

/* Returns true if the user chose medians, by which nodes are ranked then. */
static bool ranks_by_median(const etr_dot_view *view) {
  return etr_ranks_by(view->profile, ETR_STATISTIC_P50);
}

/* Writes the row of the legend with the number of operators, and with the runs and their time, or
 * that there are no times. A sum of medians gets no share, since it is itself the whole of which
 * shares are computed. */
static void put_totals_row(etr_writer *writer, const etr_dot_view *view) {
  etr_puts(writer, "<TR><TD ALIGN=\"LEFT\">");
  put_count(writer, view->plan->total.ops, "operator");
  if (!view->plan->total.timed || view->method == NULL) {
    bool has_run = view->method && view->method->run_count > 0;
    etr_puts(writer, has_run ? ", none of them timed" : ", no run times");
  } else {
    etr_puts(writer, ", ");
    put_count(writer, view->method->run_count, "run");
    etr_puts(writer, " of ");
    put_plain_time(writer, view, etr_execute_time(view->profile, view->method));
    if (view->method->run_count > 1)
      etr_putf(writer, " (%s)", etr_additive_statistic_word(view->profile));
    if (view->method->skipped_run_count)
      etr_putf(writer, " (%zu more left out%s)", view->method->skipped_run_count,
               view->profile->skip == ETR_SKIP_RANGE ? "" : " as warm-up");
    etr_puts(writer,
             ranks_by_median(view) ? "; on operators, sum of medians: " : "; on operators: ");
    put_plain_time(writer, view, view->plan->total.ticks);
    double whole = etr_execute_time(view->profile, view->method);
    if (!ranks_by_median(view) && whole > 0) {
      etr_puts(writer, ", ");
      put_share(writer, view->plan->total.ticks / whole);
    }
  }
  etr_puts(writer, "</TD></TR>");
}

/* Writes ticks as microseconds to the nanosecond, or as they are where they are cycles. */
static void put_exact_time(etr_writer *writer, const etr_dot_view *view, double ticks) {
  if (view->profile->takes_cycles_as_ns)
    etr_put_fixed(writer, ticks, 0);
  else
    etr_put_fixed(writer, etr_ticks_to_ns(view->profile, ticks) / 1e3, 3);
}

/* Writes the row with the parts of the time that other outputs have, in microseconds to the
 * nanosecond or in cycles, which add up to Method::execute. Writes nothing if there are none, or
 * when out of memory. */
static void put_balance_row(etr_writer *writer, const etr_dot_view *view) {
  etr_balance balance;
  if (!etr_balance_make(&balance, view->arena, view->profile, view->method) || balance.count == 0)
    return;
  etr_putf(writer, "<TR><TD ALIGN=\"LEFT\"><FONT COLOR=\"#4b5563\">in %s: ",
           etr_unit_name(view->profile->takes_cycles_as_ns ? ETR_UNIT_CYCLES : ETR_UNIT_US));
  for (size_t part = 0; part < balance.count; part++) {
    if (part > 0)
      etr_puts(writer, " + ");
    put_html(writer, balance.list[part].text);
    etr_puts(writer, " ");
    put_exact_time(writer, view, balance.list[part].time->typical);
  }
  etr_puts(writer, " = Method::execute ");
  put_exact_time(writer, view, view->method->execute.typical);
  etr_puts(writer, "</FONT></TD></TR>");
}

/* Begins a row of the legend, which is a table of its own, with its title. */
static void begin_row(etr_writer *writer, const char *title) {
  etr_putf(writer,
           "<TR><TD ALIGN=\"LEFT\"><TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"4\" "
           "CELLPADDING=\"3\"><TR><TD "
           "ALIGN=\"LEFT\">%s</TD>",
           title);
}

static void end_row(etr_writer *writer) {
  etr_puts(writer, "</TR></TABLE></TD></TR>");
}

/* Writes the row of the legend with the colors of times, from 0 to the hottest box; colors follow
 * the square root of the time. */
static void put_heat_row(etr_writer *writer, const etr_dot_view *view) {
  enum { SWATCHES = 6 };
  begin_row(writer, ranks_by_median(view) ? "median per run" : "time per run");
  for (int i = 0; i < SWATCHES; i++) {
    double heat = (double)i / (SWATCHES - 1);
    etr_putf(writer, "<TD BORDER=\"1\" COLOR=\"#9ca3af\" BGCOLOR=\"%s\">",
             etr_heat_color(heat).text);
    put_plain_time(writer, view, heat * heat * view->plan->hottest);
    etr_puts(writer, "</TD>");
  }
  etr_puts(writer,
           "<TD BORDER=\"1\" COLOR=\"#d1d5db\"><FONT COLOR=\"#6b7280\">not timed</FONT></TD>");
  end_row(writer);
}

/* Writes a row of the legend with a text; an empty row for NULL, as when out of memory. */
static void put_text_row(etr_writer *writer, const char *text) {
  etr_puts(writer, "<TR><TD ALIGN=\"LEFT\">");
  put_html(writer, text != NULL ? text : "");
  etr_puts(writer, "</TD></TR>");
}

/* Writes the row of the legend with the colors of SNR, the coolest first, then what the values were
 * compared with, and the result. */
static void put_accuracy_rows(etr_writer *writer, const etr_dot_view *view) {
  enum { SWATCHES = 6 };
  begin_row(writer, "SNR, worst input");
  for (int i = 0; i < SWATCHES; i++) {
    double heat = (double)i / (SWATCHES - 1);
    etr_putf(writer, "<TD BORDER=\"1\" COLOR=\"#9ca3af\" BGCOLOR=\"%s\">",
             etr_heat_color(heat).text);
    if (i == 0)
      etr_puts(writer, "from ");
    if (i == SWATCHES - 1)
      etr_puts(writer, "up to ");
    etr_put_fixed(writer, ETR_COOL_DB * (1 - heat), 0);
    etr_puts(writer, " dB</TD>");
  }
  etr_puts(writer,
           "<TD BORDER=\"1\" COLOR=\"#d1d5db\"><FONT COLOR=\"#6b7280\">not compared</FONT></TD>");
  end_row(writer);
  put_text_row(writer, etr_accuracy_against(view->arena, view->profile->accuracy));
  const etr_accuracy *accuracy = etr_accuracy_of_graph(view->profile, view->graph);
  put_text_row(writer, accuracy != NULL ? etr_accuracy_line(view->arena, accuracy) : NULL);
}

/* Writes the row of the legend with the colors of the first delegates and their numbers of
 * operators, and how many more there are. */
static void put_delegate_row(etr_writer *writer, const etr_dot_view *view) {
  size_t count = view->plan->delegate_count;
  begin_row(writer, "delegate (operators)");
  for (size_t i = 0; i < count && i < MOST_DELEGATES; i++) {
    const char *label = delegate_label(view, i);
    if (label != NULL)
      etr_putf(writer, "<TD BORDER=\"2\" COLOR=\"%s\">%s (%" PRIu32 ")</TD>", etr_delegate_color(i),
               label, view->plan->delegates[i].ops);
  }
  if (count > MOST_DELEGATES)
    etr_putf(writer, "<TD>and %zu more</TD>", count - MOST_DELEGATES);
  end_row(writer);
}

/* Writes a row of the legend with a note in gray. note: in DOT's HTML. */
static void put_note_row(etr_writer *writer, const char *note) {
  etr_putf(writer, "<TR><TD ALIGN=\"LEFT\"><FONT COLOR=\"#4b5563\">%s</FONT></TD></TR>", note);
}

/* Writes the row of the legend about the slowest nodes: how they are marked, their time and their
 * share. */
static void put_top_row(etr_writer *writer, const etr_dot_view *view) {
  const etr_dot_choice *choice = &view->plan->choice;
  etr_puts(writer, choice->top == 1 ? "<TR><TD ALIGN=\"LEFT\">#1: the slowest node"
                                    : "<TR><TD ALIGN=\"LEFT\">");
  if (choice->top > 1)
    etr_putf(writer, "#1 to #%zu: the slowest nodes", choice->top);
  etr_puts(writer, choice->top == 1 ? ", " : ", together ");
  put_plain_time(writer, view, choice->top_ticks);
  if (ticks_of_whole(view) > 0) {
    etr_puts(writer, ", ");
    put_share(writer, choice->top_ticks / ticks_of_whole(view));
  }
  etr_puts(writer, "; the rest in gray, runs of operators and whole modules as one box</TD></TR>");
}

/* Writes the notes that apply: the meanings of "~", what is not drawn, and what is drawn as one.
 * "~" means that the match of a node is an estimate, that its time is one, or both. The match of
 * some node is one if no times are, or if the method has a confidence of such matches. */
static void put_note_rows(etr_writer *writer, const etr_dot_view *view) {
  const etr_dot_plan *plan = view->plan;
  bool has_estimated_slices = view->method && view->method->estimated_time_ticks > 0;
  const char *interrupted = view->method && plan->total.timed && !ranks_by_median(view)
                                ? etr_interrupted_text(view->arena, view->profile, view->method)
                                : NULL;
  if (interrupted)
    put_note_row(writer, etr_or_empty(etr_arena_format(
                             view->arena, "these times contain interruptions: %s", interrupted)));
  if (plan->total.estimated && (!has_estimated_slices || view->method->estimated_confidence > 0))
    put_note_row(writer, "~ estimated: matched by the order of operator classes, not by an id");
  if (plan->total.estimated && has_estimated_slices)
    put_note_row(writer, "~ estimated: the time was not measured operator by operator");
  /* Without this note, sums by module, which do not include quantizers, would seem wrong. */
  if (plan->total.guest_ticks > 0) {
    etr_puts(writer,
             "<TR><TD ALIGN=\"LEFT\"><FONT COLOR=\"#4b5563\">modules include adjacent quantizers, "
             "which belong to no module: ");
    put_plain_time(writer, view, plan->total.guest_ticks);
    etr_puts(writer, "</FONT></TD></TR>");
  }
  if (plan->choice.focus != NULL) {
    etr_puts(writer, "<TR><TD ALIGN=\"LEFT\">only module <B>");
    put_html(writer, plan->choice.focus);
    etr_puts(writer, "</B>; its neighbors in gray</TD></TR>");
  }
  if (plan->choice.top > 0)
    put_top_row(writer, view);
  if (plan->folded > 0) {
    etr_puts(writer, "<TR><TD ALIGN=\"LEFT\"><FONT COLOR=\"#4b5563\">\xC3\x97N: N modules, or "
                     "steps of a loop, that are the same, "
                     "drawn once with the time of all; not drawn: ");
    put_count(writer, plan->folded, "operator");
    etr_puts(writer, "</FONT></TD></TR>");
  }
  if (plan->fold.stand_in != NULL && plan->folded == 0)
    put_note_row(writer, "no modules or steps of a loop are the same: none are folded");
  if (plan->has_closed)
    put_note_row(writer, "a rounded box stands for a whole module or step");
}

/* Returns the number of characters of the row of the legend that has most, tags aside. */
static size_t longest_row(const char *html) {
  size_t longest = 0, length = 0;
  bool is_tag = false;
  for (const char *at = html; *at; at++) {
    if (*at == '<')
      is_tag = true;
    if (strncmp(at, "</TR>", 5) == 0)
      length = 0;
    bool is_inside_character = ((unsigned char)*at & 0xC0) == 0x80; /* a later byte of UTF-8 */
    length += !is_tag && !is_inside_character;
    longest = ETR_MAX(longest, length);
    if (*at == '>')
      is_tag = false;
  }
  return longest;
}

char *etr_dot_legend(const etr_dot_view *view) {
  const etr_dot_plan *plan = view->plan;
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, view->arena, &writer);
  etr_puts(&writer, "<TR><TD ALIGN=\"LEFT\"><FONT POINT-SIZE=\"16\"><B>");
  put_html(&writer, view->graph->module);
  etr_puts(&writer, "/");
  put_html(&writer, view->graph->method);
  etr_puts(&writer, "</B></FONT></TD></TR>");
  put_totals_row(&writer, view);
  if (view->method != NULL && view->method->run_count > 0)
    put_balance_row(&writer, view);
  if (plan->by_accuracy)
    put_accuracy_rows(&writer, view);
  else if (plan->total.timed)
    put_heat_row(&writer, view);
  if (plan->total.timed && ranks_by_median(view))
    put_note_row(
        &writer,
        "times are medians, of several nodes the sum of theirs; shares are of the summed p50");
  if (plan->delegate_count > 0)
    put_delegate_row(&writer, view);
  put_note_rows(&writer, view);
  const char *rows = etr_text_end(&text, &writer);
  if (rows == NULL)
    return NULL;
  size_t title = strlen(view->graph->module) + 1 + strlen(view->graph->method);
  size_t width = ETR_MAX(longest_row(rows) * CHARACTER_WIDTH, title * TITLE_CHARACTER_WIDTH);
  return etr_arena_format(view->arena,
                          "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" "
                          "CELLPADDING=\"2\" WIDTH=\"%zu\">%s</TABLE>",
                          ETR_MIN(width, (size_t)MOST_WIDTH), rows);
}
