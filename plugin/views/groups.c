/* SPDX-License-Identifier: BSD-3-Clause
 *
 * groups.c - sorts a method's time slices into rows.
 */
#include "views/groups.h"

#include "base/method_parts.h"
#include "base/natural.h"
#include "base/stats.h"
#include "base/system.h"
#include "output/label.h"
#include "views/breakdown.h"
#include "views/phases.h"
#include "views/run_stats.h"

/* ---- The type in which an operator computes ---- */

/* Returns the number type that the name of an XNNPACK kernel says: "Fully Connected (NC, QD8, F32,
 * QB4W) GEMM" is "8da4w". NULL if it says none. Four-bit weights come first in the list, because
 * their kernels name the types of inputs, too. */
static const char *find_kernel_dtype(const char *kernel) {
  static const struct {
    const char *mark, *dtype;
  } marks[] = {{"QC4W", "8da4w"}, {"QB4W", "8da4w"}, {"QD8", "int8"},    {"QS8", "int8"},
               {"QC8", "int8"},   {"QU8", "int8"},   {"F16", "float16"}, {"F32", "float32"}};
  const char *arguments = kernel ? strchr(kernel, '(') : NULL;
  for (size_t i = 0; arguments && i < ETR_COUNT(marks); i++)
    if (strstr(arguments, marks[i].mark))
      return marks[i].dtype;
  return NULL;
}

/* Returns the weight of an operator, also one that is permuted first: the first input with two
 * dimensions or more, since a bias or a scalar does not make the work; NULL if there is none. The
 * kinds of nodes from ETR_NODE_PARAMETER on are weights. */
static const etr_node *find_weight(const etr_graph *graph, const etr_node *node) {
  for (size_t i = 0; i < node->input_count; i++) {
    uint32_t input_index = etr_graph_behind_copies(graph, node->inputs[i].node);
    const etr_node *weight = &graph->nodes[input_index];
    if (weight->kind >= ETR_NODE_PARAMETER && weight->output_count && weight->outputs[0].rank >= 2)
      return weight;
  }
  return NULL;
}

/* Returns true if the name of a kernel says that it computes with 32 bits: "Convert (NC, F32)". Its
 * number among kernels of this name, "#32", does not count. */
static bool has_32_bits(const char *kernel) {
  return etr_find_bytes(kernel, strcspn(kernel, "#"), "32", 2) != NULL;
}

/* Returns true for an operator of a delegate whose data all come from dequantizations that did not
 * run, because its kernel reads the integers. Not for one that only copies, of which no type is
 * shown, nor for a kernel whose name says 32 bits. */
static bool reads_integers(const etr_graph *graph, uint32_t node_index) {
  const etr_node *node = &graph->nodes[node_index];
  const char *kernel = graph->times[node_index].runs_as;
  size_t count = 0;
  if (!graph->times[node_index].backend || !kernel || has_32_bits(kernel) ||
      etr_node_only_copies(node))
    return false;
  for (size_t i = 0; i < node->input_count; i++) {
    uint32_t input = node->inputs[i].node;
    if (graph->nodes[input].kind >= ETR_NODE_PARAMETER)
      continue;
    if (!strstr(graph->nodes[input].target, "dequantize_per_") || graph->times[input].runs)
      return false;
    count++;
  }
  return count > 0;
}

/* Sets dtype and has_weight of a group from one of its nodes. The type is what a delegate's kernel
 * says, or else int8 if the graph shows that it computes with integers, or else that of the weight
 * or the first output. */
static void set_type_and_weight(etr_group *group, const etr_graph *graph, uint32_t node_index) {
  const etr_node *node = &graph->nodes[node_index], *weight = find_weight(graph, node);
  const char *kernel_dtype = find_kernel_dtype(graph->times[node_index].runs_as);
  const etr_value *value = weight ? weight->outputs : node->outputs;
  group->has_weight = weight != NULL ||
                      (graph->costs && graph->costs[node_index].weight_bytes > 0 &&
                       graph->costs[node_index].weight_bytes != ETR_UNKNOWN);
  group->dtype = node->output_count || weight ? value->dtype : NULL;
  if ((graph->costs && graph->costs[node_index].is_integer) || reads_integers(graph, node_index))
    group->dtype = "int8";
  if (kernel_dtype && graph->times[node_index].backend)
    group->dtype = kernel_dtype;
}

/* ---- Rows ---- */

/* What a row counts: a node, an event of an instruction, or the call of a delegate. */
typedef struct counted_thing {
  uint32_t row;
  double typical; /* its part of the typical run, in ticks, without interruptions */
} counted_thing;

/* Collects the time slices of a method into rows. */
typedef struct collector {
  etr_arena *arena;
  const etr_method *method;
  const etr_graph *graph;
  const bool *chosen;    /* per node of the graph; NULL: everything has a row */
  etr_map rows, counted; /* keys of rows, and of the things */
  etr_vec(counted_thing) things;
  etr_text key;
  etr_vec(etr_group) list;
  int32_t first_delegate, last_delegate; /* instructions; no kernel is between if there is none */
} collector;

/* Appends a text, NULL like "", and a zero byte, which keeps neighbors apart. */
static void append_to_key(collector *c, const char *text) {
  etr_text_add(&c->key, etr_slice_of(etr_or_empty(text)));
  etr_text_add(&c->key, (etr_slice){"", 1});
}

/* Returns the backend of a time slice in a delegate: that of its event or, if that is not known,
 * the backend of its part of the method's time if only one has such a part; else
 * ETR_UNKNOWN_BACKEND. */
static const char *backend_of_slice(const collector *c, const etr_time_slice *slice) {
  const char *backend = NULL;
  if (slice->event->backend)
    return slice->event->backend;
  for (size_t i = 0; i < c->method->part_count; i++) {
    const etr_part_time *part = &c->method->parts[i];
    if (part->part != slice->part)
      continue;
    if (backend)
      return ETR_UNKNOWN_BACKEND;
    backend = part->backend;
  }
  return backend ? backend : ETR_UNKNOWN_BACKEND;
}

/* Returns a row for a time slice, without figures: what it is a row of. */
static etr_group make_row_of_slice(const collector *c, const etr_time_slice *slice) {
  const etr_event *event = slice->event;
  etr_group group = {.part = slice->part};
  if (etr_time_slice_is_in_delegate(slice))
    group.backend = backend_of_slice(c, slice);
  if (slice->part == ETR_TIME_DELEGATE_PHASES)
    group.phase = slice->phase;
  if (slice->part == ETR_TIME_UNPLACED || slice->part == ETR_TIME_INSERTED) {
    group.op = event->kernel ? event->kernel : event->label;
    group.dtype = find_kernel_dtype(group.op);
  }
  if (slice->node != ETR_NONE && c->graph) {
    const etr_node *node = &c->graph->nodes[slice->node];
    uint32_t module = etr_counted_module(c->graph, node->module);
    group.pattern = c->graph->modules[module].pattern;
    group.op = node->target;
    set_type_and_weight(&group, c->graph, slice->node);
  }
  return group;
}

/* Returns the index of the row of a time slice, which is added if it is new; ETR_NONE when out of
 * memory. */
static uint32_t find_or_add_row(collector *c, const etr_time_slice *slice) {
  const etr_group group = make_row_of_slice(c, slice);
  const unsigned char kinds[] = {(unsigned char)group.part, (unsigned char)group.phase};
  c->key.size = 0;
  etr_text_add(&c->key, ETR_BYTES(kinds));
  append_to_key(c, group.pattern);
  append_to_key(c, group.op);
  append_to_key(c, group.dtype);
  append_to_key(c, group.backend);
  etr_map_slot *slot = etr_map_at(&c->rows, (etr_slice){c->key.data, c->key.size});
  if (!slot)
    return ETR_NONE;
  if (slot->value != ETR_NONE)
    return slot->value;
  etr_group *added = etr_vec_push(c->arena, &c->list);
  if (!added)
    return ETR_NONE;
  *added = group;
  slot->value = (uint32_t)(c->list.count - 1);
  added->number = slot->value;
  return slot->value;
}

/* Returns the index of what a time slice is of in its row: a node, or an event of an instruction,
 * or a delegate's call. It is counted when it is added. Returns ETR_NONE when out of memory. */
static uint32_t find_or_count(collector *c, uint32_t row, const etr_time_slice *slice) {
  const etr_event *event = slice->event;
  bool is_call = slice->part == ETR_TIME_CALL_OVERHEAD || slice->part == ETR_TIME_OPAQUE;
  c->key.size = 0;
  etr_text_add(&c->key, ETR_BYTES(row));
  if (slice->node != ETR_NONE) {
    etr_text_add(&c->key, ETR_BYTES(slice->node));
  } else {
    etr_text_add(&c->key, ETR_BYTES(event->instruction_id));
    if (!is_call)
      append_to_key(c, event->name);
  }
  etr_map_slot *slot = etr_map_at(&c->counted, (etr_slice){c->key.data, c->key.size});
  if (!slot)
    return ETR_NONE;
  if (slot->value != ETR_NONE)
    return slot->value;
  counted_thing *added = etr_vec_push(c->arena, &c->things);
  if (!added)
    return ETR_NONE;
  *added = (counted_thing){.row = row};
  c->list.data[row].count++;
  slot->value = (uint32_t)(c->things.count - 1);
  return slot->value;
}

/* Returns true if the node of a time slice, or its time on that, is an estimate. */
static bool is_estimate(const collector *c, const etr_time_slice *slice) {
  bool is_node_estimated = slice->node != ETR_NONE && slice->event->match == ETR_MATCH_ALIGNED;
  return is_node_estimated || (c->graph && slice->event->is_estimated);
}

/* Returns true for a kernel that ran after the first call of a delegate and before the last one. */
static bool is_kernel_between(const collector *c, const etr_time_slice *slice) {
  int32_t instruction = slice->event->instruction_id;
  return !etr_time_slice_is_in_delegate(slice) && instruction > c->first_delegate &&
         instruction < c->last_delegate;
}

static bool is_chosen(const collector *c, const etr_time_slice *slice) {
  return !c->chosen || (slice->node != ETR_NONE && c->chosen[slice->node]);
}

/* Sets rows[i] to the row of time slice i, or to ETR_NONE if its node was not chosen; and adds to
 * each row how much of its typical time is estimated, between delegates or interrupted. Returns
 * false when out of memory. */
static bool collect_slices(collector *c, uint32_t *rows) {
  const etr_method *method = c->method;
  uint32_t thing = ETR_NONE;
  for (size_t i = 0; i < method->time_slice_count; i++) {
    const etr_time_slice *slice = &method->time_slices[i];
    rows[i] = ETR_NONE;
    if (!is_chosen(c, slice))
      continue;
    /* Slices of one event in several runs often follow each other. */
    const etr_time_slice *last = i ? slice - 1 : NULL;
    bool is_same = last && last->event == slice->event && last->node == slice->node &&
                   last->part == slice->part && last->phase == slice->phase;
    rows[i] = is_same ? rows[i - 1] : find_or_add_row(c, slice);
    if (rows[i] == ETR_NONE)
      return false;
    thing = is_same ? thing : find_or_count(c, rows[i], slice);
    if (thing == ETR_NONE)
      return false;
    double typical = etr_slice_typical(method, slice);
    etr_group *row = &c->list.data[rows[i]];
    row->estimated += is_estimate(c, slice) ? typical : 0;
    row->between += is_kernel_between(c, slice) ? typical : 0;
    row->interrupted += etr_slice_interrupted(method, i);
    c->things.data[thing].typical += etr_slice_uninterrupted(method, i);
  }
  return true;
}

/* Adds the row of the runtime, if it took any time. Its statistics are over what no time slice has
 * of Method::execute in each run. Its typical time is that of the method's part, with which the
 * rows add up to the whole. Returns false when out of memory. */
static bool add_runtime_row(collector *c) {
  const etr_method *method = c->method;
  uint64_t *rest_ticks = etr_arena_alloc_array(c->arena, method->run_count, sizeof *rest_ticks);
  double typical = 0;
  if (!rest_ticks)
    return false;
  for (size_t i = 0; i < method->part_count; i++)
    if (method->parts[i].part == ETR_TIME_RUNTIME)
      typical = method->parts[i].typical;
  if (typical <= 0)
    return true;
  etr_group *added = etr_vec_push(c->arena, &c->list);
  if (!added)
    return false;
  *added = (etr_group){.part = ETR_TIME_RUNTIME, .number = (uint32_t)(c->list.count - 1)};
  for (size_t i = method->time_slice_count; i < etr_slice_count(method); i++) {
    rest_ticks[method->time_slices[i].run] += method->time_slices[i].ticks;
    added->interrupted += etr_slice_interrupted(method, i);
  }
  added->stats = etr_stats_of(rest_ticks, method->run_count);
  added->stats.typical = typical;
  return true;
}

/* Sets `hidden` of the rows of calls: all of their time if it may be that of logging values. Else
 * the operator time that coarse clocks hide in all calls of the method is divided among them in
 * proportion to their time. */
static void spread_hidden(collector *c) {
  double call_time = 0;
  for (size_t i = 0; i < c->list.count; i++)
    if (c->list.data[i].part == ETR_TIME_CALL_OVERHEAD)
      call_time += c->list.data[i].stats.typical;
  if (!(call_time > 0))
    return;
  double hidden = c->method->logs_values ? call_time
                                         : ETR_MIN(c->method->clock_hidden_typical, call_time);
  for (size_t i = 0; i < c->list.count; i++) {
    etr_group *row = &c->list.data[i];
    if (row->part == ETR_TIME_CALL_OVERHEAD)
      row->hidden = hidden * row->stats.typical / call_time;
  }
}

/* Compares rows for qsort(): by time, the longest first, and then by what they are of, so that no
 * order depends on chance. */
static int by_typical(const void *a, const void *b) {
  const etr_group *x = a, *y = b;
  if (x->stats.typical != y->stats.typical)
    return x->stats.typical < y->stats.typical ? 1 : -1;
  if (x->part != y->part)
    return x->part < y->part ? -1 : 1;
  int compared = etr_natural_compare(etr_or_empty(x->pattern), etr_or_empty(y->pattern));
  if (compared == 0)
    compared = etr_natural_compare(etr_or_empty(x->op), etr_or_empty(y->op));
  if (compared == 0)
    compared = strcmp(etr_or_empty(x->backend), etr_or_empty(y->backend));
  if (compared == 0)
    compared = strcmp(etr_or_empty(x->dtype), etr_or_empty(y->dtype));
  return compared ? compared : (x->phase > y->phase) - (x->phase < y->phase);
}

/* Sets `largest` of each row: the typical time of the longest of what it counts, without
 * interruptions. */
static void set_largest(collector *c) {
  for (size_t i = 0; i < c->things.count; i++) {
    etr_group *group = &c->list.data[c->things.data[i].row];
    group->largest = ETR_MAX(group->largest, c->things.data[i].typical);
  }
}

/* Subtracts interruptions from the typical times of the rows, and adds a row that has them, if
 * there are any. rows: for each time slice the index of its row, or ETR_NONE. Returns false when
 * out of memory. */
static bool split_interruptions(collector *c, const uint32_t *rows) {
  etr_group interruption_row = {.part = ETR_TIME_UNEXPLAINED, .is_interruptions = true};
  uint64_t *ticks_per_run = etr_arena_alloc_array(c->arena, c->method->run_count,
                                                  sizeof *ticks_per_run);
  double typical = 0;
  if (!ticks_per_run)
    return false;
  for (size_t i = 0; i < c->list.count; i++) {
    etr_group *group = &c->list.data[i];
    double *remaining = &group->stats.typical;
    group->interrupted = ETR_MIN(group->interrupted, *remaining);
    *remaining -= group->interrupted;
    /* Parts of the time are no larger than what remains of it. */
    group->estimated = ETR_MIN(group->estimated, *remaining);
    group->between = ETR_MIN(group->between, *remaining);
    typical += group->interrupted;
  }
  if (!(typical > 0))
    return true;
  for (size_t i = 0; i < etr_slice_count(c->method); i++) {
    bool is_counted = i < c->method->time_slice_count ? rows[i] != ETR_NONE : !c->chosen;
    if (is_counted)
      ticks_per_run[c->method->time_slices[i].run] += (uint64_t)c->method->interruptions[i];
  }
  interruption_row.stats = etr_stats_of(ticks_per_run, c->method->run_count);
  interruption_row.stats.typical = typical;
  interruption_row.number = (uint32_t)c->list.count;
  etr_group *added = etr_vec_push(c->arena, &c->list);
  if (added)
    *added = interruption_row;
  return added != NULL;
}

/* Sets out->row_of_node: the row of each node, ETR_NONE for those without a time slice; NULL
 * without a graph. rows: of each time slice. Returns false when out of memory. */
static bool set_row_of_node(etr_groups *out, const collector *c, const uint32_t *rows) {
  size_t count = c->graph ? c->graph->node_count : 0;
  uint32_t *row_of_node = etr_arena_alloc_raw_array(c->arena, count, sizeof *row_of_node);
  if (!row_of_node)
    return false;
  for (size_t i = 0; i < count; i++)
    row_of_node[i] = ETR_NONE;
  for (size_t i = 0; i < c->method->time_slice_count; i++)
    if (c->graph && c->method->time_slices[i].node != ETR_NONE)
      row_of_node[c->method->time_slices[i].node] = rows[i];
  out->row_of_node = c->graph ? row_of_node : NULL;
  return true;
}

bool etr_groups_make(etr_groups *out, etr_arena *arena, const etr_profile *profile,
                     const etr_method *method, const bool *chosen) {
  const etr_shared_times times = etr_times_of_method(profile, method);
  collector c = {.arena = arena,
                 .method = times.method,
                 .graph = times.graph && times.graph->times ? times.graph : NULL,
                 .chosen = chosen,
                 .key = {.arena = arena},
                 .first_delegate = INT32_MAX,
                 .last_delegate = -1};
  uint32_t *rows = etr_arena_alloc_raw_array(arena, c.method->time_slice_count, sizeof *rows);
  *out = (etr_groups){.whole = c.method->execute.typical};
  if (!rows || c.method->run_count == 0)
    return rows != NULL;
  for (size_t i = 0; i < c.method->delegate_count; i++) {
    int32_t id = c.method->delegates[i].instruction_id;
    c.first_delegate = ETR_MIN(c.first_delegate, id);
    c.last_delegate = ETR_MAX(c.last_delegate, id);
  }
  etr_map_init(&c.rows, arena);
  etr_map_init(&c.counted, arena);
  if (!collect_slices(&c, rows))
    return false;
  const etr_stats *stats = etr_run_stats(arena, c.method, rows, c.list.count);
  if (!stats || !set_row_of_node(out, &c, rows))
    return false;
  for (size_t i = 0; i < c.list.count; i++)
    c.list.data[i].stats = stats[i];
  if (!chosen && !add_runtime_row(&c))
    return false;
  for (size_t i = 0; i < c.list.count; i++)
    out->interrupted += c.list.data[i].interrupted;
  if (!split_interruptions(&c, rows))
    return false;
  set_largest(&c);
  spread_hidden(&c);
  etr_sort(c.list.data, c.list.count, sizeof *c.list.data, by_typical);
  out->list = c.list.data;
  out->count = c.list.count;
  return !etr_arena_failed(arena);
}

/* ---- What a row is ---- */

/* Returns true if a row is of one of these operators, named without namespace and overload. */
static bool has_operator(const etr_group *group, const char *const *names, size_t count) {
  etr_slice op = group->op ? etr_label_op(group->op) : (etr_slice){"", 0};
  for (size_t i = 0; i < count; i++)
    if (etr_slice_equal(op, etr_slice_of(names[i])))
      return true;
  return false;
}

bool etr_group_is_linear(const etr_group *group) {
  static const char *const layers[] = {"addmm", "mm"}, *const linear[] = {"linear",
                                                                          "FullyConnected"};
  if (group->part != ETR_TIME_OPERATORS)
    return group->op && strncmp(group->op, "Fully Connected", 15) == 0;
  return has_operator(group, linear, ETR_COUNT(linear)) ||
         (group->has_weight && has_operator(group, layers, ETR_COUNT(layers)));
}

bool etr_group_is_convolution(const etr_group *group) {
  static const char *const names[] = {"convolution", "conv1d", "conv2d", "Conv2d"};
  if (group->part != ETR_TIME_OPERATORS)
    return group->op && (strncmp(group->op, "Convolution", 11) == 0 ||
                         strncmp(group->op, "convolution", 11) == 0);
  return has_operator(group, names, ETR_COUNT(names));
}
