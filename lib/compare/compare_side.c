/* SPDX-License-Identifier: BSD-3-Clause
 *
 * compare_side.c - what is to be compared of a method, with its times.
 */
#include "compare/compare_side.h"

#include "backends/operator.h"
#include "base/arena.h"
#include "base/method_parts.h"
#include "base/stats.h"
#include "compare/noise.h"
#include "etrecord_compare.h"

#include <inttypes.h>
#include <math.h>

/* ---- What a comparison needs of a method's graph, besides times ---- */

/* ---- Producers ---- */

/* Follows values back to what made them, in and out of lowered modules. */
typedef struct tracer {
  const etr_graph *graph;
  uint32_t *item_of; /* per node: index of its item; for a delegate's call, the item of its lowered
                        module's output node */
  uint32_t *input_index; /* per input node: its index among the inputs of its subgraph */
  uint32_t *lowered;     /* per node: the lowered module that it calls; ETR_NONE */
  uint32_t *output;      /* per subgraph: its output node; ETR_NONE */
  etr_arena *scratch;
} tracer;

/* Prepares tracing of values through nested graphs: the item of each operator, the index of each
 * input, the lowered module that each delegate call owns, and the output node of each subgraph.
 * Returns false when out of memory. */
static bool tracer_init(tracer *t, const etr_graph *graph, etr_arena *scratch) {
  *t = (tracer){.graph = graph, .scratch = scratch};
  t->item_of = etr_arena_alloc_array(scratch, graph->node_count, sizeof *t->item_of);
  t->input_index = etr_arena_alloc_array(scratch, graph->node_count, sizeof *t->input_index);
  t->lowered = etr_arena_alloc_array(scratch, graph->node_count, sizeof *t->lowered);
  t->output = etr_arena_alloc_array(scratch, graph->subgraph_count, sizeof *t->output);
  uint32_t *inputs = etr_arena_alloc_array(scratch, graph->subgraph_count, sizeof *inputs),
           items = 0;
  if (etr_arena_failed(scratch))
    return false;
  for (size_t i = 0; i < graph->node_count; i++)
    t->lowered[i] = ETR_NONE;
  for (uint32_t i = 0; i < graph->subgraph_count; i++) {
    t->output[i] = ETR_NONE;
    if (graph->subgraphs[i].kind == ETR_SUBGRAPH_LOWERED)
      t->lowered[graph->subgraphs[i].owner] = i;
  }
  for (uint32_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    t->item_of[i] = node->kind == ETR_NODE_OP ? items++ : ETR_NONE;
    if (node->subgraph == ETR_NONE)
      continue;
    if (node->kind == ETR_NODE_INPUT)
      t->input_index[i] = inputs[node->subgraph]++;
    if (node->kind == ETR_NODE_OUTPUT)
      t->output[node->subgraph] = i;
  }
  return true;
}

/* Crosses one border of a lowered module (a delegate) towards the node that made a value: from an
 * input inside to what the delegate's call reads, or from the call to what its output node reads.
 * Returns NULL if there is no border, so that the edge's node made the value. */
static const etr_edge *cross_border(const tracer *t, const etr_edge *edge) {
  const etr_node *node = &t->graph->nodes[edge->node];
  if (node->kind == ETR_NODE_INPUT && node->subgraph != ETR_NONE) {
    const etr_subgraph *inside = &t->graph->subgraphs[node->subgraph];
    const etr_node *owner = &t->graph->nodes[inside->owner];
    bool is_known_outside = inside->kind == ETR_SUBGRAPH_LOWERED &&
                            t->input_index[edge->node] < owner->input_count;
    return is_known_outside ? &owner->inputs[t->input_index[edge->node]] : NULL;
  }
  uint32_t lowered = t->lowered[edge->node],
           end = lowered == ETR_NONE ? ETR_NONE : t->output[lowered];
  if (end == ETR_NONE || edge->output >= t->graph->nodes[end].input_count)
    return NULL;
  return &t->graph->nodes[end].inputs[edge->output];
}

/* Sets *item to the item that made a value that the item `user` reads: ETR_NONE for an input of the
 * method, and for an item that is not before its user, as in damaged records. Returns false if the
 * value is a weight, which is no producer. */
static bool find_producer(const tracer *t, const etr_edge *edge, uint32_t user, uint32_t *item) {
  enum { MOST_BORDERS = 16 }; /* in a row: no lowering has more than two */
  for (int i = 0; i < MOST_BORDERS; i++) {
    const etr_edge *next = cross_border(t, edge);
    if (!next)
      break;
    edge = next;
  }
  *item = t->item_of[edge->node];
  if (*item != ETR_NONE && *item >= user)
    *item = ETR_NONE;
  return t->graph->nodes[edge->node].kind < ETR_NODE_PARAMETER;
}

/* ---- Weights ---- */

enum { MOST_DIMS_IN_TEXT = 16 }; /* as many as ExecuTorch's tensors can have */

/* Writes a decimal number, without a final NUL; returns how many bytes it takes, at most 20. */
static size_t write_number(char *into, int64_t number) {
  char digits[20], *end = digits + sizeof digits, *start = end;
  uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
  do {
    *--start = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest > 0);
  if (number < 0)
    *--start = '-';
  memcpy(into, start, (size_t)(end - start));
  return (size_t)(end - start);
}

/* Returns the first MOST_DIMS_IN_TEXT dimensions of a value as a text, "[1,s77]", or "" if it is
 * not a tensor. Returns NULL when out of memory. */
static const char *text_of_shape(const etr_value *value, etr_arena *arena) {
  enum { DIM_ROOM = 21 }; /* a number and a comma or bracket */
  int32_t count = ETR_MIN(value->rank, MOST_DIMS_IN_TEXT);
  size_t room = 3;
  if (value->rank < 0)
    return "";
  for (int32_t k = 0; k < count; k++)
    room += value->dims[k].symbol ? strlen(value->dims[k].symbol) + 1 : (size_t)DIM_ROOM;
  char *text = etr_arena_alloc_raw(arena, room), *end = text;
  if (!text)
    return NULL;
  *end++ = '[';
  for (int32_t k = 0; k < count; k++) {
    const char *symbol = value->dims[k].symbol;
    size_t size = symbol ? strlen(symbol) : 0;
    if (k)
      *end++ = ',';
    if (symbol)
      memcpy(end, symbol, size);
    end += symbol ? size : write_number(end, value->dims[k].size);
  }
  memcpy(end, "]", 2);
  return text;
}

/* Returns the weight that an edge brings; NULL if operators compute its value. Operators that only
 * move, convert or dequantize the weight are passed, so that the result is the weight that the
 * model stores, whatever the lowering. */
static const etr_value *find_weight(const tracer *t, const etr_edge *edge) {
  enum {
    MOST_STEPS = 16
  }; /* a dequantization, a permutation and the borders of a lowered module are 4 */
  for (int i = 0; i < MOST_STEPS; i++) {
    const etr_node *node = &t->graph->nodes[edge->node];
    const etr_edge *next = cross_border(t, edge);
    if (node->kind >= ETR_NODE_PARAMETER)
      return edge->output < node->output_count ? &node->outputs[edge->output] : NULL;
    if (!next && node->kind == ETR_NODE_OP && node->input_count &&
        etr_operator_only_moves(node->target))
      next = &node->inputs[0]; /* the others are scales and zero points */
    if (!next)
      return NULL;
    edge = next;
  }
  return NULL;
}

/* Sets the weight of an item to the shape of the weight with the most dimensions that it reads,
 * because biases and statistics have fewer; leaves it NULL if it reads no weight. Returns false
 * when out of memory. */
static bool set_weight_shape(const tracer *t, etr_side_item *item, etr_map *texts,
                             etr_arena *arena) {
  const etr_node *node = &t->graph->nodes[item->node];
  const etr_value *largest = NULL;
  for (size_t i = 0; i < node->input_count; i++) {
    const etr_value *weight = find_weight(t, &node->inputs[i]);
    if (weight && weight->rank > (largest ? largest->rank : 0))
      largest = weight;
  }
  if (!largest)
    return true;
  const char *text = text_of_shape(largest, arena);
  item->weight = text ? etr_intern(texts, etr_slice_of(text)) : NULL;
  return item->weight != NULL;
}

/* Fills producers and weights of items, which are the graph's operators in its order. Returns false
 * when out of memory. */
static bool find_producers_and_weights(etr_side_item *items, size_t count, const etr_graph *graph,
                                       etr_arena *arena, etr_arena *scratch) {
  tracer t;
  etr_map texts;
  etr_map_init(&texts, arena);
  if (!tracer_init(&t, graph, scratch))
    return false;
  for (uint32_t i = 0; i < count; i++) {
    const etr_node *node = &graph->nodes[items[i].node];
    uint32_t *producers = etr_arena_alloc_array(arena, node->input_count, sizeof *producers);
    if (!producers)
      return false;
    for (size_t k = 0; k < node->input_count; k++)
      items[i].producer_count += find_producer(&t, &node->inputs[k], i,
                                               &producers[items[i].producer_count]);
    items[i].producers = producers;
    if (!set_weight_shape(&t, &items[i], &texts, scratch))
      return false;
  }
  return true;
}

/* ---- Facts ---- */

/* Lists the inputs of a method's graph with type and shape as one text, "float32[1,64]". Returns
 * false when out of memory. */
static bool list_inputs(etr_side_method *out, const etr_graph *graph, etr_arena *arena,
                        etr_arena *scratch) {
  etr_vec(etr_side_input) inputs = {0};
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    if (node->kind != ETR_NODE_INPUT || node->subgraph != ETR_NONE || node->output_count == 0)
      continue;
    const char *shape = text_of_shape(&node->outputs[0], scratch), *dtype = node->outputs[0].dtype;
    etr_side_input *added = shape ? etr_vec_push(arena, &inputs) : NULL;
    if (!added)
      return false;
    *added = (etr_side_input){node->name,
                              etr_arena_format(arena, "%s%s", dtype ? dtype : "", shape)};
  }
  out->inputs = inputs.data;
  out->input_count = inputs.count;
  return true;
}

/* Lists the shapes of the weights (kinds from ETR_NODE_PARAMETER on) that have at least two
 * dimensions, which show whether two models are the same; biases and statistics have fewer. Returns
 * false when out of memory. */
static bool list_weight_shapes(etr_side_method *out, const etr_graph *graph, etr_arena *arena) {
  etr_vec(const char *) weights = {0};
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    if (node->kind < ETR_NODE_PARAMETER || node->output_count == 0 || node->outputs[0].rank < 2)
      continue;
    const char **added = etr_vec_push(arena, &weights);
    if (!added)
      return false;
    *added = text_of_shape(&node->outputs[0], arena);
  }
  out->weights = weights.data;
  out->weight_count = weights.count;
  return true;
}

/* Lists the number types of the operators' outputs as one text, in the order below. Other integers
 * and bools are indices and masks, in which a model does not compute. Returns false when out of
 * memory. */
static bool list_dtypes(etr_side_method *out, const etr_graph *graph, etr_arena *arena) {
  static const char *const types[] = {"float64", "float32", "float16", "bfloat16", "int8", "uint8"};
  bool is_used[ETR_COUNT(types)] = {false};
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    for (size_t k = 0; node->kind == ETR_NODE_OP && k < node->output_count; k++)
      for (size_t t = 0; node->outputs[k].dtype && t < ETR_COUNT(types); t++)
        is_used[t] |= strcmp(node->outputs[k].dtype, types[t]) == 0;
  }
  out->dtypes = "";
  for (size_t t = 0; out->dtypes && t < ETR_COUNT(types); t++)
    if (is_used[t])
      out->dtypes = etr_arena_format(arena, "%s%s%s", out->dtypes, out->dtypes[0] ? ", " : "",
                                     types[t]);
  return out->dtypes != NULL;
}

/* Fills inputs, dtypes and weights of a method. Returns false when out of memory. */
static bool list_model_facts(etr_side_method *out, const etr_graph *graph, etr_arena *arena,
                             etr_arena *scratch) {
  return list_inputs(out, graph, arena, scratch) && list_weight_shapes(out, graph, arena) &&
         list_dtypes(out, graph, arena);
}

/* ---- What is to be compared of a method, with its times ---- */

/* The ticks of an event or a kernel in each run. A run may be in the list several times; its ticks
 * are added up. */
typedef etr_vec(etr_run_ticks) event_runs;

/* The runs of an item, in the list of all. */
typedef struct item_runs {
  const etr_run_ticks *each;
  size_t count;
} item_runs;

/* A method whose items, clocks and sums are being listed. */
typedef struct lister {
  const etr_profile *profile;
  const etr_method *method;
  etr_side_items kind;
  etr_arena *arena, scratch;
  etr_map clock_of; /* backend, "" for kernels and calls -> index into divisors and clocks */
  etr_vec(uint64_t) divisors;
  etr_vec(etr_side_clock) clocks;
  etr_vec(etr_side_item) items;
  etr_vec(item_runs) runs;     /* of each item */
  etr_vec(event_runs) events;  /* runs of the events */
  etr_side_runs side_runs;     /* the method's */
  etr_vec(const char *) files; /* of its recordings */
  etr_run_sums sums;
} lister;

/* Returns the path of the body of control flow (of cond, map or scan) that a node is in; "" if it
 * is in none. A node in a lowered module is in the body that calls its delegate. */
static const char *body_of_node(const etr_graph *graph, const etr_node *node) {
  uint32_t subgraph = node->subgraph;
  while (subgraph != ETR_NONE && graph->subgraphs[subgraph].kind == ETR_SUBGRAPH_LOWERED)
    subgraph = graph->subgraphs[subgraph].parent;
  return subgraph == ETR_NONE ? "" : graph->subgraphs[subgraph].path;
}

/* ---- Steps of the clocks ---- */

/* Returns the backend of an operator in a delegate (which has a delegate id) or of a delegate call,
 * ETR_UNKNOWN_BACKEND if it has no name; NULL for a kernel. */
static const char *backend_of(const etr_event *event) {
  if (!event->delegate_id && event->match != ETR_MATCH_DELEGATE)
    return NULL;
  return event->backend ? event->backend : ETR_UNKNOWN_BACKEND;
}

/* Returns a backend as items name it, which may leave names out; NULL for kernels. */
static const char *name_backend(const lister *l, const char *backend) {
  return backend && l->kind == ETR_SIDE_UNNAMED_EVENTS ? ETR_UNKNOWN_BACKEND : backend;
}

/* Returns the backend whose clock timed an event; "" for the runtime's, which times everything but
 * operators inside delegates. */
static const char *clock_of(const etr_event *event) {
  return event->delegate_id ? backend_of(event) : "";
}

/* Includes the durations of an event in the greatest common divisor of the clock that timed it,
 * which is added if it is new. Returns false when out of memory. */
static bool add_to_clock_divisor(lister *l, const etr_event *event) {
  const char *clock = clock_of(event);
  uint32_t found = etr_map_get(&l->clock_of, etr_slice_of(clock));
  if (found == ETR_NONE) {
    uint64_t *divisor = etr_vec_push(&l->scratch, &l->divisors);
    etr_side_clock *added = etr_vec_push(l->arena, &l->clocks);
    found = (uint32_t)(l->divisors.count - 1);
    if (!divisor || !added || !etr_map_set(&l->clock_of, etr_slice_of(clock), found))
      return false;
    added->backend = clock;
  }
  for (size_t i = 0; i < event->sample_count; i++)
    l->divisors.data[found] = etr_common_divisor(event->durations[i], l->divisors.data[found]);
  return true;
}

/* Returns the step of a backend's clock, in ticks; 1 if the clock timed nothing. */
static double step_of_clock(const lister *l, const char *clock) {
  uint32_t found = etr_map_get(&l->clock_of, etr_slice_of(clock));
  return found == ETR_NONE ? 1 : l->clocks.data[found].step;
}

/* Finds the step of each clock that timed the method: the largest power of ten that divides all of
 * its durations. Events of the framework, such as Method::execute, do not count. Returns false when
 * out of memory. */
static bool find_clock_steps(lister *l) {
  for (size_t i = 0; i < l->method->block_count; i++) {
    const etr_block *block = &l->profile->blocks[l->method->blocks[i]];
    for (size_t k = 0; k < block->event_count; k++)
      if (block->events[k].match != ETR_MATCH_FRAMEWORK &&
          !add_to_clock_divisor(l, &block->events[k]))
        return false;
  }
  for (size_t i = 0; i < l->clocks.count; i++)
    l->clocks.data[i].step = etr_noise_step(l->divisors.data[i]);
  return true;
}

/* ---- Nodes ---- */

/* Adds an empty item with an empty list of runs. Returns NULL when out of memory. */
static etr_side_item *add_item(lister *l) {
  item_runs *runs = etr_vec_push(&l->scratch, &l->runs);
  etr_side_item *item = etr_vec_push(l->arena, &l->items);
  return runs ? item : NULL;
}

/* Adds the item of a node with all by which it is paired except its producers and its weight, and
 * its runs if it ran. The step of its time is that of its clock, once for each call in a run:
 * time->calls and time->runs are numbers over all runs. Returns false when out of memory. */
static bool add_node_item(lister *l, const etr_graph *graph, uint32_t index) {
  const etr_node *node = &graph->nodes[index];
  const etr_node_time *time = graph->times ? &graph->times[index] : NULL;
  etr_side_item *item = add_item(l);
  if (!item)
    return false;
  *item = (etr_side_item){.node = index,
                          .name = node->name,
                          .op = node->target,
                          .module = graph->modules[node->module].path,
                          .pattern = graph->modules[node->module].pattern,
                          .body = body_of_node(graph, node),
                          .of = node,
                          .backend = time ? time->backend : NULL};
  item->line = "";
  if (node->source)
    item->line = etr_arena_format(l->arena, "%s:%" PRId64, node->source->file, node->source->line);
  if (node->source && node->source->code[0]) {
    item->function = node->source->function;
    item->code = node->source->code;
  }
  if (!item->line)
    return false;
  if (!time || time->runs == 0)
    return true;
  l->runs.data[l->runs.count - 1] = (item_runs){time->each_run, time->runs};
  item->time.step = step_of_clock(l, time->backend ? time->backend : "") * (double)time->calls /
                    time->runs;
  return true;
}

/* Lists the operators of a graph as items, with their times, producers and weights. Returns false
 * when out of memory. */
static bool list_operators(lister *l, const etr_graph *graph) {
  for (uint32_t i = 0; i < graph->node_count; i++)
    if (graph->nodes[i].kind == ETR_NODE_OP && !add_node_item(l, graph, i))
      return false;
  return find_producers_and_weights(l->items.data, l->items.count, graph, l->arena, &l->scratch);
}

/* ---- Events ---- */

/* Returns the index of the item of an event, which is added if it is new. Events of one name and
 * instruction (and operator, inside a delegate) share it, in whatever block they are. Returns
 * ETR_NONE when out of memory. */
static uint32_t find_or_add_event_item(lister *l, etr_map *index, const etr_event *event) {
  const char *inside = event->delegate_id && strcmp(event->delegate_id, event->name) != 0
                           ? event->delegate_id
                           : NULL;
  char *id = etr_arena_format(l->arena, "%s (%d%s%s)", event->name, (int)event->instruction_id,
                              inside ? "/" : "", inside ? inside : "");
  uint32_t found = id ? etr_map_get(index, etr_slice_of(id)) : ETR_NONE;
  if (found != ETR_NONE)
    return found;
  etr_side_item *item = add_item(l);
  event_runs *runs = etr_vec_push(&l->scratch, &l->events);
  found = (uint32_t)(l->items.count - 1);
  if (!id || !item || !runs || !etr_map_set(index, etr_slice_of(id), found))
    return ETR_NONE;
  *item = (etr_side_item){.node = ETR_NONE,
                          .name = id,
                          .op = event->name,
                          .module = "",
                          .body = "",
                          .backend = name_backend(l, backend_of(event))};
  item->time.step = step_of_clock(l, clock_of(event));
  return found;
}

/* Lists the events of operators, whether their nodes are known or not, with their ticks in each
 * run. The ticks are those of time slices, so that the items add up to these parts of the method's
 * time. Returns false when out of memory. */
static bool list_events(lister *l) {
  const etr_event *last = NULL;
  uint32_t item = ETR_NONE;
  etr_map index;
  etr_map_init(&index, &l->scratch);
  for (size_t i = 0; i < l->method->time_slice_count; i++) {
    const etr_time_slice *slice = &l->method->time_slices[i];
    if (!etr_time_slice_is_work(slice))
      continue;
    if (slice->event != last)
      item = find_or_add_event_item(l, &index, slice->event);
    last = slice->event;
    etr_run_ticks *added = item == ETR_NONE ? NULL
                                            : etr_vec_push(&l->scratch, &l->events.data[item]);
    if (!added)
      return false;
    *added = (etr_run_ticks){slice->run, slice->ticks};
  }
  for (size_t i = 0; i < l->items.count; i++)
    l->runs.data[i] = (item_runs){l->events.data[i].data, l->events.data[i].count};
  return true;
}

/* ---- Kernels ---- */

/* The times of a kernel. */
typedef struct kernel {
  const char *name, *backend; /* as in etr_side_sum */
  double step;
  event_runs runs;
  uint32_t events; /* number of distinct events */
} kernel;

typedef etr_vec(kernel) kernels;

/* Returns the index of a kernel by its name and backend. It is added if it is new, with the step of
 * this clock. Returns ETR_NONE when out of memory. */
static uint32_t find_or_add_kernel(lister *l, kernels *list, etr_map *index, const char *name,
                                   const char *backend, const char *clock) {
  char *id = etr_arena_format(&l->scratch, "%s\n%s", name, etr_or_empty(backend));
  uint32_t found = id ? etr_map_get(index, etr_slice_of(id)) : ETR_NONE;
  if (found != ETR_NONE)
    return found;
  kernel *added = etr_vec_push(&l->scratch, list);
  found = (uint32_t)(list->count - 1);
  if (!id || !added || !etr_map_set(index, etr_slice_of(id), found))
    return ETR_NONE;
  *added = (kernel){.name = name, .backend = backend, .step = step_of_clock(l, clock)};
  return found;
}

/* Computes the time of each kernel over all runs of the method (true), where a run without it
 * counts as 0. The step of its clock is added in quadrature, once for each of its events. Returns
 * false when out of memory. */
static bool time_kernels(lister *l, etr_side_sums *out, const kernels *list) {
  etr_side_sum *rows = etr_arena_alloc_array(l->arena, list->count, sizeof *rows);
  *out = (etr_side_sums){rows, list->count};
  for (size_t i = 0; rows && i < list->count; i++) {
    const kernel *kernel_events = &list->data[i];
    rows[i] = (etr_side_sum){.key = kernel_events->name,
                             .backend = kernel_events->backend,
                             .timed = kernel_events->events};
    etr_run_sums_begin(&l->sums);
    if (!etr_run_sums_add(&l->sums, kernel_events->runs.data, kernel_events->runs.count) ||
        !etr_run_sums_end(&l->sums, &rows[i].time, true,
                          kernel_events->step * sqrt((double)kernel_events->events)))
      return false;
  }
  return rows != NULL;
}

/* Lists and times the kernels and operators of delegates by name, whether on nodes or not. Slices
 * of one event follow each other. An event that several blocks have, by its name and instruction,
 * is counted once. Returns false when out of memory. */
static bool list_kernels(lister *l, etr_side_sums *out) {
  kernels list = {0};
  const etr_event *last = NULL;
  uint32_t row = ETR_NONE;
  etr_map index, events;
  etr_map_init(&index, &l->scratch);
  etr_map_init(&events, &l->scratch);
  for (size_t i = 0; i < l->method->time_slice_count; i++) {
    const etr_time_slice *slice = &l->method->time_slices[i];
    if (!etr_time_slice_is_work(slice))
      continue;
    if (slice->event != last) {
      char *event = etr_arena_format(&l->scratch, "%s\n%d", slice->event->name,
                                     (int)slice->event->instruction_id);
      row = find_or_add_kernel(l, &list, &index, etr_time_slice_kernel(slice),
                               name_backend(l, etr_time_slice_backend(slice)),
                               clock_of(slice->event));
      if (row == ETR_NONE || !event)
        return false;
      if (etr_map_count(&events, etr_slice_of(event)) == 0)
        list.data[row].events++; /* once, in whatever block it is */
    }
    last = slice->event;
    etr_run_ticks *added = etr_vec_push(&l->scratch, &list.data[row].runs);
    if (!added)
      return false;
    *added = (etr_run_ticks){slice->run, slice->ticks};
  }
  return time_kernels(l, out, &list);
}

/* ---- Parts of Method::execute ---- */

/* Adds the ticks of a run to a part, whose step is that of the clock of its backend. Returns false
 * when out of memory. */
static bool add_to_part(lister *l, kernels *list, etr_map *index, const etr_part_time *part,
                        etr_run_ticks ticks) {
  uint32_t row = find_or_add_kernel(l, list, index, etr_time_part_name(part->part),
                                    name_backend(l, part->backend), etr_or_empty(part->backend));
  if (row == ETR_NONE)
    return false;
  list->data[row].events = 1;
  etr_run_ticks *added = ticks.ticks ? etr_vec_push(&l->scratch, &list->data[row].runs) : NULL;
  if (added)
    *added = ticks;
  return added || !ticks.ticks;
}

/* Lists and times the parts of Method::execute by their backend, in the order of etr_method.parts.
 * Returns false when out of memory. */
static bool list_parts(lister *l, etr_side_sums *out) {
  const etr_method *method = l->method;
  kernels list = {0};
  etr_map index;
  etr_map_init(&index, &l->scratch);
  for (size_t i = 0; i < method->part_count; i++) /* no ticks: this sets the order of the rows */
    if (!add_to_part(l, &list, &index, &method->parts[i], (etr_run_ticks){0}))
      return false;
  for (size_t i = 0; i < etr_slice_count(method); i++) {
    const etr_time_slice *slice = &method->time_slices[i];
    const char *backend = slice->part == ETR_TIME_OPERATORS ? NULL : etr_time_slice_backend(slice);
    const etr_part_time part = {.part = slice->part, .backend = backend};
    if (slice->ticks &&
        !add_to_part(l, &list, &index, &part, (etr_run_ticks){slice->run, slice->ticks}))
      return false;
  }
  return time_kernels(l, out, &list);
}

/* ---- Times ---- */

/* Sets the time of each item, whose step is known already. The median is over the runs in which the
 * item ran, and not over the others (false). Returns false when out of memory. */
static bool time_items(lister *l) {
  for (size_t i = 0; i < l->items.count; i++) {
    etr_side_time *time = &l->items.data[i].time;
    double step = time->step;
    etr_run_sums_begin(&l->sums);
    if (!etr_run_sums_add(&l->sums, l->runs.data[i].each, l->runs.data[i].count) ||
        !etr_run_sums_end(&l->sums, time, false, step))
      return false;
  }
  return true;
}

/* Groups the items by a key, such as the operator, and computes the time of each group, whose step
 * and steady time are known from the grouping. The median is over all runs of the method (true): a
 * run in which no item of the group ran counts as 0. Returns false when out of memory. */
static bool sum_items_by(lister *l, etr_side_sums *out, etr_side_by by) {
  etr_side_groups groups;
  if (!etr_side_group(&groups, l->items.data, l->items.count, by, l->arena, &l->scratch))
    return false;
  for (size_t g = 0; g < groups.count; g++) {
    const etr_side_time of_items = groups.rows[g].time;
    etr_run_sums_begin(&l->sums);
    for (uint32_t i = groups.first[g]; i < groups.first[g + 1]; i++) {
      const item_runs *runs = &l->runs.data[groups.items[i]];
      if (!etr_run_sums_add(&l->sums, runs->each, runs->count))
        return false;
    }
    if (!etr_run_sums_end(&l->sums, &groups.rows[g].time, true, of_items.step))
      return false;
    groups.rows[g].time.steady = of_items.steady;
    groups.rows[g].time.rounding = of_items.rounding;
  }
  *out = (etr_side_sums){groups.rows, groups.count};
  return true;
}

/* ---- Together ---- */

/* Computes the time of Method::execute, whose clock may differ from the clocks of delegates.
 * Returns false when out of memory. */
static bool time_execute(lister *l, etr_side_time *out) {
  const uint64_t *ticks = l->method->execute_per_run;
  double step = etr_noise_step_of(ticks, l->method->run_count);
  return etr_side_time_of_ticks(out, ticks, &l->side_runs, step, &l->scratch);
}

/* Numbers the recordings of the method's runs, and lists their files: consecutive runs of one
 * ETDump are one recording. Then chooses the typical runs of l->side_runs. Returns false when out
 * of memory. */
static bool number_recordings(lister *l) {
  const etr_method *method = l->method;
  uint32_t *recording_of = etr_arena_alloc_array(&l->scratch, method->run_count,
                                                 sizeof *recording_of),
           count = 0;
  for (size_t i = 0; recording_of && i < method->run_count; i++) {
    uint32_t dump = l->profile->runs[method->runs[i]].dump;
    bool is_new = i == 0 || dump != l->profile->runs[method->runs[i - 1]].dump;
    const char **file = is_new ? etr_vec_push(&l->scratch, &l->files) : NULL;
    if (is_new && !file)
      return false;
    if (file)
      *file = dump < l->profile->etdump_count ? l->profile->etdumps[dump] : "";
    count += i > 0 && is_new;
    recording_of[i] = count;
  }
  return recording_of && etr_side_runs_of(&l->side_runs, method->execute_per_run, recording_of,
                                          method->run_count, &l->scratch);
}

/* Lists the ticks of a method's first runs in their order, warm-up included: merges the runs that
 * count with those that are skipped. first_count says by one more than there is room for that the
 * method has more runs. */
static void list_first_runs(etr_side_recordings *out, const etr_profile *profile,
                            const etr_method *method) {
  size_t counted = 0, skipped = 0, count = method->run_count + method->skipped_run_count;
  out->first_count = ETR_MIN(count, ETR_COUNT(out->first) + 1);
  for (size_t i = 0; i < ETR_MIN(count, ETR_COUNT(out->first)); i++) {
    bool is_skipped = skipped < method->skipped_run_count &&
                      (counted == method->run_count ||
                       method->skipped_runs[skipped] < method->runs[counted]);
    if (is_skipped)
      out->first[i] = (double)profile->runs[method->skipped_runs[skipped++]].execute_ticks;
    else
      out->first[i] = (double)method->execute_per_run[counted++];
  }
}

/* Copies the typical times of the recordings and the files of odd ones. `dump` of an odd recording
 * is here its number among the recordings of the method. Returns false when out of memory. */
bool etr_side_recordings_of(etr_side_recordings *out, const etr_side_runs *runs,
                            const char *const *files, size_t file_count, etr_arena *arena) {
  double *typical = etr_arena_alloc_array(arena, runs->recording_count, sizeof *typical);
  etr_side_odd *odd = etr_arena_alloc_array(arena, runs->choice.odd_count, sizeof *odd);
  if (etr_arena_failed(arena))
    return false;
  for (size_t i = 0; i < runs->recording_count; i++)
    typical[i] = runs->sums[i];
  for (size_t i = 0; i < runs->choice.odd_count; i++) {
    const etr_odd_recording *recording = &runs->choice.odd[i];
    odd[i] = (etr_side_odd){recording->dump < file_count ? files[recording->dump] : "",
                            recording->change};
  }
  out->typical = typical;
  out->count = runs->recording_count;
  out->odd = odd;
  out->odd_count = runs->choice.odd_count;
  return true;
}

/* Lists everything about a method that a comparison needs: runs, recordings, items, clocks,
 * kernels, parts and sums. The items are operators of the graph, or events without one. Returns
 * false when out of memory. */
static bool list_method(lister *l, etr_side_method *out, const etr_graph *graph) {
  etr_side_time execute;
  etr_side_recordings recordings = {0};
  bool good = number_recordings(l) && time_execute(l, &execute) &&
              etr_side_recordings_of(&recordings, &l->side_runs, l->files.data, l->files.count,
                                     l->arena) &&
              find_clock_steps(l) && etr_run_sums_init(&l->sums, &l->side_runs, &l->scratch) &&
              (graph ? list_operators(l, graph) : list_events(l)) && time_items(l);
  if (!good)
    return false;
  list_first_runs(&recordings, l->profile, l->method);
  *out = (etr_side_method){.has_graph = graph != NULL,
                           .execute = execute,
                           .recordings = recordings,
                           .dtypes = "",
                           .items = l->items.data,
                           .item_count = l->items.count,
                           .clocks = l->clocks.data,
                           .clock_count = l->clocks.count};
  good = list_kernels(l, &out->kernels) && list_parts(l, &out->parts);
  if (graph)
    good = good && list_model_facts(out, graph, l->arena, &l->scratch);
  for (int by = 0; good && by < ETR_SIDE_BY; by++)
    if (graph || !etr_side_by_is_of_graphs(by))
      good = sum_items_by(l, etr_side_sums_of(out, by), by);
  return good;
}

/* Lists a method by its graph, or by its events. Returns false when out of memory. */
bool etr_side_list(etr_side_method *out, const etr_profile *profile, uint32_t method,
                   etr_side_items items, etr_arena *arena) {
  lister l = {
      .profile = profile, .method = &profile->methods[method], .kind = items, .arena = arena};
  bool has_graph = l.method->graph != ETR_NONE && items == ETR_SIDE_NODES;
  etr_map_init(&l.clock_of, &l.scratch);
  bool good = list_method(&l, out, has_graph ? &profile->graphs[l.method->graph] : NULL);
  good = good && !etr_arena_failed(&l.scratch) && !etr_arena_failed(arena);
  etr_arena_clear(&l.scratch);
  return good;
}

/* Lists only the clocks of a method. Returns false when out of memory. */
bool etr_side_list_clocks(etr_side_method *out, const etr_profile *profile, uint32_t method,
                          etr_arena *arena) {
  lister l = {.profile = profile, .method = &profile->methods[method], .arena = arena};
  etr_map_init(&l.clock_of, &l.scratch);
  bool good = find_clock_steps(&l) && !etr_arena_failed(&l.scratch) && !etr_arena_failed(arena);
  *out = (etr_side_method){.clocks = l.clocks.data, .clock_count = l.clocks.count};
  etr_arena_clear(&l.scratch);
  return good;
}
