/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_events.c - findings that need single events: what delegates insert, what calls cost,
 * which runs stand out.
 */
#include "base/natural.h"
#include "base/stats.h"
#include "output/label.h"
#include "views/balance.h"
#include "views/finder.h"
#include "views/finding_rules.h"

#include <math.h>
#include <stdlib.h>

/* Returns the method's blocks (runs with the same sequence of events), one after the other; NULL
 * after the last. next: 0 at first, then what the call before set. */
static const etr_block *next_block(const etr_finder *finder, size_t *next) {
  return *next < finder->method->block_count
             ? &finder->profile->blocks[finder->method->blocks[(*next)++]]
             : NULL;
}

/* ---- Layout inside delegates ---- */

/* Why a delegate has a Transpose that no node of the graph stands for. */
typedef enum transpose_reason {
  FOR_OTHERS,  /* an operator there computes in another layout */
  AT_BORDER,   /* an input or output of the method is channels-first, or without a graph may be */
  BY_FEW_DIMS, /* an operator there has an input with fewer than four dimensions */
  BY_PAD,      /* it is next to a pad of the call's input, which is slow in channels-last */
  TRANSPOSE_REASONS
} transpose_reason;

/* A Transpose, Convert or Copy that a delegate ran, and that no node of the graph stands for. */
typedef struct inserted {
  const char *name;
  const etr_block *block;
  size_t row; /* of its event in the block */
  int32_t instruction;
  uint64_t ticks; /* over all runs */
  transpose_reason reason;
} inserted;

/* The operators that delegates inserted. */
typedef struct insertions {
  etr_arena *arena;
  etr_map index; /* "INSTRUCTION NAME" -> index in list: another block may have it, too */
  etr_vec(inserted) list;
  etr_vec(int32_t) instructions; /* those that have some, once each */
  uint64_t ticks;
  size_t transposes, converts, copies;
  size_t of_reason[TRANSPOSE_REASONS]; /* transposes; set by find_reasons(), as the next two */
  uint64_t reason_ticks[TRANSPOSE_REASONS];
  const char *few_dims;    /* operators of BY_FEW_DIMS: "add, mul" */
  size_t at_numbers;       /* transposes of BY_FEW_DIMS whose operator has a number as an input */
  bool has_pools;          /* see is_pool(); of a dump alone: perhaps */
  size_t at_ends;          /* transposes of FOR_OTHERS at the start or the end of a delegate */
  uint64_t end_ticks;      /* of these */
  bool has_border_convert; /* one has no int8 operator before it in its call, or none after it */
  bool has_convolution;    /* a call that transposes computes one, which XNNPACK transposes for */
  etr_inner_transposes inner; /* that were removed from the list: see leave_out_inner() */
  etr_event_ticks event_ticks;
} insertions;

static bool name_starts_with(const etr_event *event, const char *name) {
  return strncmp(event->name, name, strlen(name)) == 0;
}

/* Returns true for XNNPACK's operators that only move or convert data. */
static bool changes_layout(const etr_event *event) {
  return name_starts_with(event, "Transpose") || name_starts_with(event, "Convert") ||
         name_starts_with(event, "Copy");
}

/* Adds an operator that the lowering inserted, and counts its kind, or only adds its ticks if the
 * list has one of this name in the instruction already, from another block. row: of its event in
 * the block. Returns false when out of memory. */
static bool add_inserted(insertions *in, const etr_block *block, size_t row, uint64_t ticks) {
  const etr_event *event = &block->events[row];
  char *key = etr_arena_format(in->arena, "%d %s", (int)event->instruction_id, event->name);
  uint32_t found = key ? etr_map_get(&in->index, etr_slice_of(key)) : ETR_NONE;
  in->ticks += ticks;
  if (found != ETR_NONE) {
    in->list.data[found].ticks += ticks;
    return true;
  }
  inserted *added = key ? etr_vec_push(in->arena, &in->list) : NULL;
  if (!added || !etr_map_set(&in->index, etr_slice_of(key), (uint32_t)(in->list.count - 1)))
    return false;
  *added = (inserted){event->label, block, row, event->instruction_id, ticks, FOR_OTHERS};
  in->transposes += name_starts_with(event, "Transpose");
  in->converts += name_starts_with(event, "Convert");
  in->copies += name_starts_with(event, "Copy");
  return true;
}

/* Returns true if a delegate's operator is a convolution. */
static bool is_convolution(const etr_event *event) {
  return event->kind >= ETR_EVENT_DELEGATE_CALL && strstr(event->label, "onvolution");
}

/* Returns true for a delegate's operator that only moves or converts data, and that the model does
 * not ask for. Without an Edge graph, which says what it asks for, Converts count, and Transposes
 * in a call with a convolution: most others are the model's own, as is a Copy, for a cat.
 * has_convolution: its call computes one. */
static bool may_be_inserted(const etr_finder *finder, const etr_event *event,
                            bool has_convolution) {
  if (!changes_layout(event))
    return false;
  if (etr_finder_has_edge(finder))
    return event->is_inserted;
  return event->kind == ETR_EVENT_DELEGATE_OPERATOR && event->is_in_sums &&
         (name_starts_with(event, "Convert") ||
          (has_convolution && name_starts_with(event, "Transpose")));
}

/* Returns true if one of the rows [first, end) of a block is an operator that computes in int8. */
static bool has_int8(const etr_block *block, size_t first, size_t end) {
  for (size_t i = first; i < end; i++)
    if (etr_event_is_int8(&block->events[i]))
      return true;
  return false;
}

/* Adds the inserted operators of one delegate's call, which has the rows [first, end) of a block.
 * Adds none if nodes were estimated by the order of events: it is not known then which
 * operators have no node. Converts around float operators between int8 ones are left to
 * etr_add_float_between_findings(). Returns false when out of memory. */
static bool add_inserted_of_call(insertions *in, const etr_finder *finder, const etr_block *block,
                                 size_t first, size_t end) {
  bool matched = false, estimated = false, has_convolution = false, has_mean = false;
  for (size_t i = first; i < end; i++) {
    const etr_event *e = &block->events[i];
    matched |= e->node_count > 0;
    estimated |= e->match == ETR_MATCH_ALIGNED;
    has_convolution |= is_convolution(e);
    has_mean |= name_starts_with(e, "Mean ");
  }
  if (etr_finder_has_edge(finder) && (!matched || estimated))
    return true;
  const etr_between *between = etr_find_between(finder, block, first, end);
  if (!between)
    return false;
  for (size_t i = first; i < end; i++) {
    const etr_event *e = &block->events[i];
    if (!may_be_inserted(finder, e, has_convolution) || between[i - first] == ETR_BETWEEN_CONVERT ||
        between[i - first] == ETR_BETWEEN_LEFT)
      continue;
    if (!add_inserted(in, block, i, etr_event_ticks_of(&in->event_ticks, finder, e)))
      return false;
    in->has_border_convert |= name_starts_with(e, "Convert") &&
                              !(has_int8(block, first, i) && has_int8(block, i + 1, end));
    in->has_convolution |= has_convolution && name_starts_with(e, "Transpose");
  }
  in->has_pools |= has_mean;
  return true;
}

/* Compares inserted operators for qsort(): by time, the longest first. */
static int by_ticks(const void *a, const void *b) {
  const inserted *x = a, *y = b;
  if (x->ticks != y->ticks)
    return x->ticks < y->ticks ? 1 : -1;
  if (x->instruction != y->instruction)
    return x->instruction < y->instruction ? -1 : 1;
  return etr_natural_compare(x->name, y->name);
}

/* Lists the instructions of the delegate calls that have inserted operators, once each, ascending.
 * Returns false when out of memory. */
static bool list_instructions(insertions *in) {
  for (size_t i = 0; i < in->list.count; i++) {
    int32_t *added = etr_vec_push(in->arena, &in->instructions);
    if (!added)
      return false;
    *added = in->list.data[i].instruction;
  }
  size_t kept = 0;
  etr_sort(in->instructions.data, in->instructions.count, sizeof(int32_t), etr_by_int);
  for (size_t i = 0; i < in->instructions.count; i++)
    if (i == 0 || in->instructions.data[i] != in->instructions.data[kept - 1])
      in->instructions.data[kept++] = in->instructions.data[i];
  in->instructions.count = kept;
  return true;
}

/* Returns true if an event is an operator that the model asks for: it has a node or, unless
 * needs_node, it computes something. */
static bool is_operator_of_model(const etr_finder *finder, const etr_event *event,
                                 bool needs_node) {
  if (event->node_count && finder->graph)
    return true;
  return !needs_node && event->kind == ETR_EVENT_DELEGATE_OPERATOR && event->is_in_sums &&
         !changes_layout(event);
}

/* Returns the event of the nearest operator of the model that ran before an inserted one (step -1)
 * or after it (step 1) in the same delegate; NULL if there is none. needs_node: only operators with
 * a node in the graph count. */
static const etr_event *find_neighbor(const etr_finder *finder, const inserted *copy, int step,
                                      bool needs_node) {
  for (size_t i = copy->row; step > 0 ? i + 1 < copy->block->event_count : i > 0;) {
    i = step > 0 ? i + 1 : i - 1;
    const etr_event *event = &copy->block->events[i];
    if (event->instruction_id != copy->instruction)
      return NULL;
    if (is_operator_of_model(finder, event, needs_node))
      return event;
  }
  return NULL;
}

/* Returns the name of the nearest node of the graph (needs_node is set) that ran before (step -1)
 * or after (step 1) in the same delegate; NULL if there is none. */
static const char *neighbor_name(const etr_finder *finder, const inserted *copy, int step) {
  const etr_event *event = find_neighbor(finder, copy, step, true);
  return event ? etr_finder_node_name(finder, event->nodes[0]) : NULL;
}

/* Writes " (after X, before Y)": the nodes between which the delegate runs an inserted operator,
 * the nearest before it (-1) and after it (1). */
static void put_neighbors(etr_writer *writer, const etr_finder *finder, const inserted *copy) {
  const char *before = neighbor_name(finder, copy, -1), *behind = neighbor_name(finder, copy, 1);
  if (before && behind)
    etr_putf(writer, " (after %s, before %s)", before, behind);
  if (before && !behind)
    etr_putf(writer, " (at the end, after %s)", before);
  if (!before && behind)
    etr_putf(writer, " (at the start, before %s)", behind);
}

/* ---- Permutes that the model asks for, between the two layouts ---- */

/* Permutes inside delegates from channels-first to channels-last, or back. XNNPACK computes in
 * channels-last, and runs each as a Transpose. */
typedef struct layout_permutes {
  bool *marked; /* per node: it is one of them; NULL without an Edge graph */
  size_t count, pairs;
  uint64_t ticks, pair_ticks; /* over all runs: of all, and of those around linear layers */
} layout_permutes;

/* Returns true for a permute from channels-first to channels-last, or with is_back for one from
 * channels-last to channels-first. */
static bool is_layout_permute(const etr_finder *finder, uint32_t node, bool is_back) {
  static const char *const names[] = {"permute_copy", "permute"};
  if (!etr_is_one_of(finder, &finder->graph->nodes[node], names, ETR_COUNT(names)))
    return false;
  const char *dims = etr_node_argument(&finder->graph->nodes[node], "dims");
  return dims && strcmp(dims, is_back ? "[0, 3, 1, 2]" : "[0, 2, 3, 1]") == 0;
}

/* Returns the first input of a node that is not constant; ETR_NONE if there is none. */
static uint32_t first_data_input(const etr_finder *finder, const etr_node *node) {
  for (size_t i = 0; i < node->input_count; i++)
    if (!finder->is_constant[node->inputs[i].node])
      return node->inputs[i].node;
  return ETR_NONE;
}

/* Returns the permute to channels-last (is_back false) that a permute back undoes, if at least one
 * linear layer and otherwise only elementwise operators lie between them, MOST_BETWEEN at most. A
 * 1x1 convolution computes the same without permutes. ETR_NONE if there is no such permute. */
static uint32_t find_undone_permute(const etr_finder *finder, uint32_t back) {
  static const char *const between[] = {"linear", "addmm",   "view_copy", "gelu", "relu",
                                        "clamp",  "sigmoid", "hardtanh",  "mul",  "add"};
  enum { MOST_BETWEEN = 8 };
  const etr_graph *graph = finder->graph;
  bool has_layer = false;
  uint32_t visited = back;
  for (int steps = 0; steps < MOST_BETWEEN; steps++) {
    const etr_node *node = &graph->nodes[visited];
    static const char *const linears[] = {"linear", "addmm"};
    has_layer |= etr_is_one_of(finder, node, linears, ETR_COUNT(linears));
    uint32_t input = first_data_input(finder, node);
    if (input == ETR_NONE || input >= visited)
      return ETR_NONE;
    if (has_layer && is_layout_permute(finder, input, false))
      return input;
    if (!etr_is_one_of(finder, &graph->nodes[input], between, ETR_COUNT(between)))
      return ETR_NONE;
    visited = input;
  }
  return ETR_NONE;
}

/* Finds the permutes inside delegates that only change the layout, and how many pairs of them
 * cancel but for linear layers between them. Only nodes whose time is certain, and not matched by
 * the order of events, are marked and added up. Returns false when out of memory. */
static bool find_layout_permutes(const etr_finder *finder, layout_permutes *out) {
  *out = (layout_permutes){0};
  if (!finder->graph || !etr_finder_has_edge(finder))
    return true;
  const etr_graph *graph = finder->graph;
  out->marked = etr_arena_alloc_array(finder->arena, graph->node_count, sizeof *out->marked);
  bool *is_pair = etr_arena_alloc_array(finder->arena, graph->node_count, sizeof *is_pair);
  if (!out->marked || !is_pair)
    return false;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    uint32_t before = is_layout_permute(finder, i, true) ? find_undone_permute(finder, i)
                                                         : ETR_NONE;
    if (before == ETR_NONE)
      continue;
    out->pairs++;
    is_pair[i] = is_pair[before] = true;
  }
  for (uint32_t i = 0; i < graph->node_count; i++) {
    const etr_node_time *time = &graph->times[i];
    bool is_timed = time->runs > 0 && time->match != ETR_MATCH_ALIGNED &&
                    finder->delegate_of[i] != ETR_NONE;
    if (!is_timed || (!is_layout_permute(finder, i, false) && !is_layout_permute(finder, i, true)))
      continue;
    out->marked[i] = true;
    out->count++;
    out->ticks += etr_finder_node_ticks(finder, i);
    out->pair_ticks += is_pair[i] ? etr_finder_node_ticks(finder, i) : 0;
  }
  return true;
}

/* Returns the type of the nearest operator, with a node in the graph or without one, that ran
 * before (step -1) or after (step 1) in the same delegate: "Convolution" of "Convolution (NHWC,
 * F32) IGEMM". NULL if there is none. */
static const char *neighbor_type(const etr_finder *finder, const inserted *copy, int step) {
  const etr_event *event = find_neighbor(finder, copy, step, false);
  if (!event)
    return NULL;
  if (event->node_count && finder->graph)
    return etr_arena_copy(finder->arena, finder->ops[event->nodes[0]]);
  size_t size = strcspn(event->label, "(,:");
  while (size && event->label[size - 1] == ' ')
    size--;
  return etr_arena_copy(finder->arena, (etr_slice){event->label, size});
}

/* Returns between which operators a delegate runs an inserted one, the nearest before it (-1) and
 * after it (1): "before convolution at the start", "after addmm at the end", "between mul and
 * conv"; "" if it runs nothing else. */
static const char *neighbors_text(const etr_finder *finder, const inserted *copy) {
  const char *before = neighbor_type(finder, copy, -1), *behind = neighbor_type(finder, copy, 1);
  if (before && behind)
    return etr_arena_format(finder->arena, "between %s and %s", before, behind);
  if (before)
    return etr_arena_format(finder->arena, "after %s at the end", before);
  return behind ? etr_arena_format(finder->arena, "before %s at the start", behind) : "";
}

/* ---- Why transposes are inserted ---- */

/* Returns how many dimensions the input of an operator with four has that has fewest; 4 for others.
 * XNNPACK's lowering computes it in channels-first if that is less than 4, such as of a scale of
 * (C, 1, 1) or a number (0): it turns inputs with four dimensions only. */
static int32_t fewest_dims(const etr_finder *finder, const etr_node *node) {
  static const char *const names[] = {"add", "sub", "mul", "div", "maximum", "minimum"};
  int32_t fewest = 4;
  if (!node->output_count || node->outputs[0].rank != 4 ||
      !etr_is_one_of(finder, node, names, ETR_COUNT(names)))
    return fewest;
  for (size_t i = 0; i < node->input_count; i++) {
    const etr_edge *edge = &node->inputs[i];
    int32_t rank = finder->graph->nodes[edge->node].outputs[edge->output].rank;
    fewest = rank >= 0 ? ETR_MIN(fewest, rank) : fewest;
  }
  return fewest;
}

/* Returns per node the operator with an input of few dimensions that it is, or that reads it;
 * ETR_NONE for others. NULL when out of memory. */
static uint32_t *find_few_dims(const etr_finder *finder) {
  const etr_graph *graph = finder->graph;
  uint32_t *operators = etr_arena_alloc_array(finder->arena, graph->node_count, sizeof *operators);
  for (size_t i = 0; operators && i < graph->node_count; i++)
    operators[i] = ETR_NONE;
  for (uint32_t i = 0; operators && i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    if (fewest_dims(finder, node) == 4)
      continue;
    operators[i] = i;
    for (size_t k = 0; k < node->input_count; k++)
      operators[node->inputs[k].node] = i;
  }
  return operators;
}

/* Returns how many images, values with four dimensions, a delegate reads from the method's inputs.
 */
static size_t count_input_images(const etr_finder *finder, uint32_t delegate) {
  const etr_graph *graph = finder->graph;
  bool *seen = etr_finder_node_flags(finder); /* NULL: the arena says so at the end */
  size_t count = 0;
  for (size_t i = 0; seen && i < graph->node_count; i++) {
    const etr_node *user = &graph->nodes[i];
    for (size_t k = 0; finder->delegate_of[i] == delegate && k < user->input_count; k++) {
      uint32_t maker = user->inputs[k].node;
      const etr_node *made = &graph->nodes[maker];
      bool is_image = made->kind == ETR_NODE_INPUT && made->subgraph == ETR_NONE &&
                      made->outputs[user->inputs[k].output].rank == 4;
      count += is_image && !seen[maker];
      seen[maker] |= is_image;
    }
  }
  return count;
}

/* Returns true if a node's result is an output of the method, as it is or dequantized. */
static bool is_returned(const etr_finder *finder, uint32_t node) {
  const etr_graph *graph = finder->graph;
  for (uint32_t i = node + 1; i < graph->node_count; i++) {
    const etr_node *user = &graph->nodes[i];
    bool is_end = user->kind == ETR_NODE_OUTPUT && user->subgraph == ETR_NONE;
    if (!is_end && !strstr(user->target, "dequantize_per_"))
      continue;
    for (size_t k = 0; k < user->input_count; k++)
      if (user->inputs[k].node == node)
        return is_end || is_returned(finder, i);
  }
  return false;
}

/* Returns true if a node quantizes an input of the method. */
static bool is_quantized_input(const etr_finder *finder, uint32_t node) {
  const etr_node *quantize = &finder->graph->nodes[node];
  return quantize->input_count &&
         strncmp(etr_finder_short_op(finder, quantize->target), "quantize_per_", 13) == 0 &&
         finder->graph->nodes[quantize->inputs[0].node].kind == ETR_NODE_INPUT;
}

/* Returns true for one of a delegate's first transposes, as many as the images that it reads from
 * the method's inputs, and for one behind the maker of an image that is an output: XNNPACK turns
 * inputs first, and results where they are made. */
static bool is_at_border(const etr_finder *finder, const inserted *copy) {
  const etr_event *before = find_neighbor(finder, copy, -1, true);
  const etr_event *behind = find_neighbor(finder, copy, 1, true);
  if (before) {
    const etr_node *maker = &finder->graph->nodes[before->nodes[0]];
    return maker->output_count && maker->outputs[0].rank == 4 &&
           (is_returned(finder, before->nodes[0]) || is_quantized_input(finder, before->nodes[0]));
  }
  const etr_event *events = copy->block->events;
  size_t place = 1;
  for (size_t i = copy->row; i > 0 && events[i - 1].instruction_id == copy->instruction; i--)
    place += name_starts_with(&events[i - 1], "Transpose");
  return behind && place <= count_input_images(finder, finder->delegate_of[behind->nodes[0]]);
}

/* Returns the operator with an input of few dimensions that a transpose is for; ETR_NONE if it is
 * for none. XNNPACK turns a result where it is made, which may be long before that operator.
 * few_dims: see find_few_dims(). */
static uint32_t find_reader_of_few_dims(const etr_finder *finder, const inserted *copy,
                                        const uint32_t *few_dims) {
  const etr_event *before = find_neighbor(finder, copy, -1, true);
  const etr_event *behind = find_neighbor(finder, copy, 1, true);
  if (before && few_dims[before->nodes[0]] != ETR_NONE)
    return few_dims[before->nodes[0]];
  return behind && few_dims[behind->nodes[0]] == behind->nodes[0] ? behind->nodes[0] : ETR_NONE;
}

/* Returns true for a transpose at the start of a call whose first operator is a pad: nothing but
 * pads computes before it, and it is before or behind one. */
static bool is_next_to_first_pad(const etr_finder *finder, const inserted *copy) {
  const etr_event *events = copy->block->events;
  bool is_behind = false;
  for (size_t i = copy->row; i > 0 && events[i - 1].instruction_id == copy->instruction; i--) {
    const etr_event *before = &events[i - 1];
    bool is_pad = name_starts_with(before, "Constant Pad");
    if (!is_pad && before->kind == ETR_EVENT_DELEGATE_OPERATOR && !changes_layout(before))
      return false;
    is_behind |= is_pad;
  }
  const etr_event *behind = find_neighbor(finder, copy, 1, false);
  return is_behind || (behind && name_starts_with(behind, "Constant Pad"));
}

/* Returns true if no delegate is called before an instruction, or none after it: it may have the
 * method's inputs or outputs. */
static bool is_first_or_last(const etr_method *method, int32_t instruction) {
  size_t before = 0, after = 0;
  for (size_t i = 0; i < method->delegate_count; i++) {
    before += method->delegates[i].instruction_id < instruction;
    after += method->delegates[i].instruction_id > instruction;
  }
  return before == 0 || after == 0;
}

/* Returns the name of the operator beside a transpose that may have an input of few dimensions,
 * "Add", by the names of XNNPACK's operators alone: one on either side of it, if both sides have
 * one. "" if there is none. */
static const char *arithmetic_beside(const etr_finder *finder, const inserted *copy) {
  static const char *const names[] = {"Add", "Subtract", "Multiply", "Divide"};
  const etr_event *beside[] = {find_neighbor(finder, copy, -1, false),
                               find_neighbor(finder, copy, 1, false)};
  for (size_t i = 0; beside[0] && beside[1] && i < ETR_COUNT(beside) * ETR_COUNT(names); i++)
    if (name_starts_with(beside[i % 2], names[i / 2]))
      return names[i / 2];
  return "";
}

/* Returns why a delegate has a transpose; of BY_FEW_DIMS it sets *op to the operator. few_dims: see
 * find_few_dims(); NULL without an Edge graph: all of the first and the last delegate may be at a
 * border then, or at an operator with an input of few dimensions. */
static transpose_reason find_reason(insertions *in, const etr_finder *finder, const inserted *copy,
                                    const uint32_t *few_dims, const char **op) {
  if (is_next_to_first_pad(finder, copy))
    return BY_PAD;
  if (!few_dims) {
    if (!is_first_or_last(finder->method, copy->instruction))
      return FOR_OTHERS;
    *op = arithmetic_beside(finder, copy);
    return (*op)[0] ? BY_FEW_DIMS : AT_BORDER;
  }
  uint32_t node = find_reader_of_few_dims(finder, copy, few_dims);
  if (is_at_border(finder, copy))
    return AT_BORDER;
  if (node == ETR_NONE)
    return FOR_OTHERS;
  *op = etr_finder_short_op(finder, finder->graph->nodes[node].target);
  in->at_numbers += fewest_dims(finder, &finder->graph->nodes[node]) == 0;
  return BY_FEW_DIMS;
}

/* Counts the inserted transposes by reason. Returns false when out of memory. */
static bool find_reasons(insertions *in, const etr_finder *finder) {
  bool has_edge = etr_finder_has_edge(finder) && finder->graph;
  const uint32_t *few_dims = has_edge ? find_few_dims(finder) : NULL;
  in->few_dims = "";
  if (has_edge && !few_dims)
    return false;
  for (size_t i = 0; i < in->list.count; i++) {
    inserted *copy = &in->list.data[i];
    copy->reason = FOR_OTHERS;
    if (strncmp(copy->name, "Transpose", 9) != 0)
      continue;
    const char *op = "";
    const transpose_reason reason = find_reason(in, finder, copy, few_dims, &op);
    copy->reason = reason;
    in->of_reason[reason]++;
    in->reason_ticks[reason] += copy->ticks;
    bool is_at_end = has_edge && reason == FOR_OTHERS &&
                     !(find_neighbor(finder, copy, -1, true) &&
                       find_neighbor(finder, copy, 1, true));
    in->at_ends += is_at_end;
    in->end_ticks += is_at_end ? copy->ticks : 0;
    if (op[0] && !strstr(in->few_dims, op))
      in->few_dims = etr_or_empty(
          etr_arena_format(in->arena, "%s%s%s", in->few_dims, in->few_dims[0] ? ", " : "", op));
  }
  return !etr_arena_failed(in->arena);
}

/* Removes the transposes between other operators from the list, and counts them instead. Without an
 * Edge graph these are of delegates between the first and the last one. */
static void leave_out_inner(insertions *in) {
  size_t kept = 0;
  for (size_t i = 0; i < in->list.count; i++) {
    const inserted *copy = &in->list.data[i];
    if (strncmp(copy->name, "Transpose", 9) != 0 || copy->reason != FOR_OTHERS)
      in->list.data[kept++] = *copy;
  }
  in->list.count = kept;
  in->inner = (etr_inner_transposes){in->of_reason[FOR_OTHERS], in->reason_ticks[FOR_OTHERS]};
  in->of_reason[FOR_OTHERS] = 0;
  in->reason_ticks[FOR_OTHERS] = 0;
  in->transposes -= in->inner.count;
  in->ticks -= ETR_MIN(in->inner.ticks, in->ticks);
}

/* Returns true if transposes for inputs of few dimensions take longer than those of each other
 * reason. */
static bool is_mostly_few_dims(const insertions *in) {
  const uint64_t *ticks = in->reason_ticks;
  return ticks[BY_FEW_DIMS] > ETR_MAX(ticks[AT_BORDER], ticks[FOR_OTHERS]);
}

/* Returns true if most of the inserted time is at the start or the end of delegates that another
 * finding joins. */
static bool goes_with_joins(const insertions *in, const etr_finder *finder) {
  return in->end_ticks * 2 > in->ticks && (etr_finder_has_kind(finder, ETR_FINDING_FALLBACK) ||
                                           etr_finder_has_kind(finder, ETR_FINDING_COPIES));
}

/* Returns true for the mean of an adaptive_avg_pool2d to 1 x 1, as torch.export writes it. If its
 * input is in channels-last, torch adds an as_strided, which no backend takes. */
static bool is_pool(const etr_finder *finder, const etr_node *node) {
  const char *dims = etr_node_argument(node, "dim");
  return etr_is_operator(finder, node, "mean") && dims && strcmp(dims, "[-1, -2]") == 0 &&
         node->output_count && node->outputs[0].rank == 4;
}

static bool has_pools(const etr_finder *finder) {
  const etr_graph *graph = finder->graph;
  for (size_t i = 0; i < graph->node_count; i++)
    if (is_pool(finder, &graph->nodes[i]))
      return true;
  return false;
}

/* ---- What the finding says ---- */

/* Whether channels-last inputs can save transposes around convolutions. torch has that layout for
 * four dimensions only, so not for the inputs of a Conv1d. */
typedef enum channels_last {
  CHANNELS_LAST_NEVER,
  CHANNELS_LAST_IF_IMAGES, /* there is no graph, which has the inputs' dimensions */
  CHANNELS_LAST,
} channels_last;

/* Returns true if an input of the method has four dimensions. */
static bool has_image_input(const etr_graph *graph) {
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    bool is_input = node->kind == ETR_NODE_INPUT && node->subgraph == ETR_NONE;
    if (is_input && node->output_count && node->outputs[0].rank == 4)
      return true;
  }
  return false;
}

/* An Edge graph shows which transposes are at inputs and outputs of the method. */
static channels_last can_be_channels_last(const etr_finder *finder, const insertions *in) {
  if (!in->has_convolution || !in->of_reason[AT_BORDER] || in->of_reason[BY_PAD])
    return CHANNELS_LAST_NEVER;
  if (!finder->graph)
    return CHANNELS_LAST_IF_IMAGES;
  bool is_known = etr_finder_has_edge(finder) || has_image_input(finder->graph);
  return is_known ? CHANNELS_LAST : CHANNELS_LAST_NEVER;
}

/* Returns "delegate 3", with the instruction that calls it, or "the delegate" of a method that has
 * one. */
static const char *delegate_text(const etr_finder *finder, int32_t instruction) {
  return finder->method->delegate_count == 1
             ? "the delegate"
             : etr_or_empty(etr_arena_format(finder->arena, "delegate %d", (int)instruction));
}

/* Returns "1 of 20 takes 85 %" if at most a quarter of the inserted operators take 80 % of their
 * time or more, or else "". The list is sorted by time. */
static const char *few_that_matter(const insertions *in) {
  uint64_t sum = 0, ticks = 0;
  size_t few = 0;
  for (size_t i = 0; i < in->list.count; i++)
    sum += in->list.data[i].ticks;
  while (few < in->list.count && (double)ticks < 0.8 * (double)sum)
    ticks += in->list.data[few++].ticks;
  if (few == 0 || few * 4 > in->list.count)
    return "";
  return etr_or_empty(etr_arena_format(in->arena, "%zu of %zu take%s %.0f %%", few, in->list.count,
                                       few == 1 ? "s" : "",
                                       floor(100 * (double)ticks / (double)sum)));
}

/* Returns what to do about transposes around operators with an input of few dimensions. */
static const char *few_dims_fact(const etr_finder *finder, const insertions *in) {
  const char *likely = etr_finder_has_edge(finder) ? "" : "likely ";
  const char *numbers = in->at_numbers
                            ? etr_arena_format(in->arena, " (%zu at a number)", in->at_numbers)
                            : "";
  return etr_arena_format(in->arena,
                          "%zu around %s %swith an input of < 4 dimensions%s: make it (1, C, 1, 1)",
                          in->of_reason[BY_FEW_DIMS], in->few_dims, likely, etr_or_empty(numbers));
}

/* Returns what to do, and where inserted operators are: "use channels-last inputs; in the delegate,
 * before convolution at the start". If all are in one delegate, the second one's neighbors follow
 * if they fit into a line of a screen; if few take most of the time, their number is in place of
 * the delegate. With pools there is no room for neighbors. If the model has permutes of the layout
 * itself, it says what to do about these instead. */
static const char *layout_fact(const etr_finder *finder, const insertions *in,
                               const layout_permutes *permutes) {
  enum { ROOM = 34 }; /* characters of both places together */
  etr_text text;
  etr_writer writer;
  bool is_one = in->instructions.count == 1;
  etr_text_begin(&text, in->arena, &writer);
  channels_last inputs = can_be_channels_last(finder, in);
  if (inputs != CHANNELS_LAST_NEVER)
    etr_putf(&writer, "%s%s; ",
             inputs == CHANNELS_LAST ? "use channels-last inputs" : "if images: channels-last",
             in->has_pools ? ", and mean for adaptive_avg_pool2d" : "");
  else if (in->of_reason[BY_PAD])
    etr_puts(&writer, "pad inside the first convolution, then channels-last; ");
  else if (in->has_border_convert && !in->transposes)
    etr_puts(&writer, "quantize inputs and outputs, too; ");
  const char *few = few_that_matter(in);
  if (few[0])
    etr_puts(&writer, few);
  else if (is_one)
    etr_putf(&writer, "in %s", delegate_text(finder, in->instructions.data[0]));
  else
    etr_putf(&writer, "in %zu delegates", in->instructions.count);
  size_t shown = 0, most = is_one ? 2 : 1;
  if (inputs != CHANNELS_LAST_NEVER && in->has_pools)
    most = 0; /* no room in a line */
  for (size_t i = 0, used = 0; i < in->list.count && shown < most; i++) {
    if (inputs != CHANNELS_LAST_NEVER && in->list.data[i].reason != AT_BORDER)
      continue;
    const char *place = etr_or_empty(neighbors_text(finder, &in->list.data[i]));
    used += strlen(place);
    if (!place[0] || (shown++ > 0 && used > ROOM))
      break;
    if (is_one)
      etr_putf(&writer, ", %s", place);
    else
      etr_putf(&writer, "; longest: in %s, %s", delegate_text(finder, in->list.data[i].instruction),
               place);
  }
  const char *where = etr_text_end(&text, &writer);
  if (permutes->pairs)
    return etr_arena_format(in->arena,
                            "they are 1x1 convolutions, which need none of %zu transposes",
                            permutes->count + in->list.count);
  if (permutes->count)
    return etr_arena_format(in->arena,
                            "%zu are permutes in the model: keep one layout, such as channels last",
                            permutes->count);
  if (is_mostly_few_dims(in))
    return few_dims_fact(finder, in);
  if (goes_with_joins(in, finder))
    return etr_arena_format(
        in->arena, "%s%zu at ends of delegates may go where these are joined",
        inputs == CHANNELS_LAST_NEVER
            ? ""
            : etr_or_empty(etr_arena_format(in->arena, "%zu by channels-last inputs; ",
                                            in->of_reason[AT_BORDER])),
        in->at_ends);
  return etr_or_empty(where);
}

/* Returns "Avoid 2 Transpose, 1 Convert", or "Avoid 2 of 9 Transpose" if some are left out.
 * permutes: how many of the model run as Transpose. */
static const char *layout_title(const insertions *in, size_t permutes) {
  const struct {
    const char *name;
    size_t count, inner;
  } kinds[] = {{"Transpose", in->transposes + permutes, in->inner.count},
               {"Convert", in->converts, 0},
               {"Copy", in->copies, 0}};
  etr_text text;
  etr_writer writer;
  bool any = false;
  etr_text_begin(&text, in->arena, &writer);
  etr_puts(&writer, "Avoid ");
  for (size_t i = 0; i < ETR_COUNT(kinds); i++) {
    if (kinds[i].count)
      etr_putf(&writer, "%s%zu ", any ? ", " : "", kinds[i].count);
    if (kinds[i].count && kinds[i].inner)
      etr_putf(&writer, "of %zu ", kinds[i].count + kinds[i].inner);
    if (kinds[i].count)
      etr_puts(&writer, kinds[i].name);
    any |= kinds[i].count > 0;
  }
  return etr_text_end(&text, &writer);
}

/* Writes sentences on the transposes around operators with an input of few dimensions. */
static void put_few_dims(etr_writer *writer, const etr_finder *finder, const insertions *in) {
  size_t count = in->of_reason[BY_FEW_DIMS];
  if (!count)
    return;
  etr_putf(writer,
           " %zu Transpose %s next to operators (%s)%s with an input of fewer than 4 dimensions, "
           "such as a scale of (C, 1, 1) or a number. XNNPACK computes these in channels-first. "
           "Give the input 4 dimensions, (1, C, 1, 1), or as a number (1, 1, 1, 1).",
           count, count == 1 ? "is" : "are", in->few_dims,
           etr_finder_has_edge(finder) ? "" : ", most likely");
  if (in->at_numbers)
    etr_putf(writer, " Of these %zu %s at a number; the 0 with which a sum begins can be left out.",
             in->at_numbers, in->at_numbers == 1 ? "is" : "are");
  if (in->at_numbers && etr_finder_has_kind(finder, ETR_FINDING_BRANCHES))
    etr_puts(writer, " Merging branches may remove such sums: do that first.");
}

/* Writes what channels-last inputs do to pools. */
static void put_pools(etr_writer *writer, const insertions *in) {
  if (in->has_pools)
    etr_puts(writer, " With such inputs torch adds an as_strided to adaptive_avg_pool2d to 1 x 1, "
                     "which cuts the delegate: write that as x.mean((2, 3), keepdim=True) first.");
}

/* Writes sentences on why transposes are inserted, and what to do about each reason. */
static void put_reasons(etr_writer *writer, const etr_finder *finder, const insertions *in) {
  const size_t *count = in->of_reason;
  if (count[BY_PAD])
    etr_putf(writer,
             " %zu Transpose %s next to a pad of the input, and not in the saving: a pad of a "
             "channels-last input took 13 times as long. Pad inside the convolution first.",
             count[BY_PAD], count[BY_PAD] == 1 ? "is" : "are");
  static const char *const inputs[] = {
      [CHANNELS_LAST_NEVER] = "",
      [CHANNELS_LAST_IF_IMAGES] = "give a model of images channels-last inputs "
                                  "(torch.channels_last), and ",
      [CHANNELS_LAST] = "give the model channels-last inputs (torch.channels_last), and "};
  if (!etr_finder_has_edge(finder)) {
    if (in->has_convolution)
      etr_putf(writer,
               " A transpose changes the layout: %skeep operators of another layout out from "
               "between convolutions.",
               inputs[can_be_channels_last(finder, in)]);
    if (can_be_channels_last(finder, in) != CHANNELS_LAST_NEVER)
      put_pools(writer, in);
    put_few_dims(writer, finder, in);
    if (in->inner.count)
      etr_putf(writer,
               " %zu more Transpose, %s, are in delegates between the first and the last one: only "
               "joining delegates spares these, and the saving leaves them out.",
               in->inner.count, etr_finder_time_per_run(finder, in->inner.ticks));
    return;
  }
  if (count[AT_BORDER] && in->has_convolution) {
    etr_putf(writer,
             " %zu Transpose %s at inputs or outputs of the model: give it channels-last inputs "
             "(torch.channels_last).",
             count[AT_BORDER], count[AT_BORDER] == 1 ? "is" : "are");
    put_pools(writer, in);
  }
  put_few_dims(writer, finder, in);
  if (count[FOR_OTHERS])
    etr_putf(writer,
             " The saving leaves out %zu Transpose between operators, %s: which of these operators "
             "needs another layout is not known.",
             count[FOR_OTHERS], etr_finder_time_per_run(finder, in->reason_ticks[FOR_OTHERS]));
}

/* Returns what takes the time, where the longest are, and what to do about them. ticks: of all,
 * over all runs. */
static const char *layout_evidence(const etr_finder *finder, const insertions *in,
                                   const layout_permutes *permutes, uint64_t ticks) {
  enum { LISTED = 3 };
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, in->arena, &writer);
  etr_putf(&writer, "%s %s.", etr_they_take(in->list.count + permutes->count),
           etr_finder_time_per_run(finder, ticks));
  if (permutes->count)
    etr_putf(
        &writer,
        " Of these, %zu permute%s of the model change%s the layout, and run%s as Transpose, %s.",
        permutes->count, etr_plural(permutes->count), permutes->count == 1 ? "s" : "",
        permutes->count == 1 ? "s" : "", etr_finder_time_per_run(finder, permutes->ticks));
  if (permutes->pairs)
    etr_putf(
        &writer,
        " %zu linear layer%s between two of them %s what a convolution of 1x1 computes without "
        "a transpose.",
        permutes->pairs, etr_plural(permutes->pairs), permutes->pairs == 1 ? "is" : "are");
  if (in->list.count)
    etr_puts(&writer, etr_finder_has_edge(finder) ? " Longest inserted: " : " Longest: ");
  for (size_t i = 0; i < in->list.count && i < LISTED; i++) {
    etr_putf(&writer, "%s%s of %s, %s", i ? "; " : "", in->list.data[i].name,
             delegate_text(finder, in->list.data[i].instruction),
             etr_finder_time_per_run(finder, in->list.data[i].ticks));
    put_neighbors(&writer, finder, &in->list.data[i]);
  }
  etr_puts(&writer, in->list.count ? "." : "");
  put_reasons(&writer, finder, in);
  if (in->has_border_convert)
    etr_puts(&writer, " A convert changes the number type: quantize inputs and outputs, too.");
  return etr_or_empty(etr_text_end(&text, &writer));
}

/* Adds the finding, if what it is about takes long enough. It could save all of `ticks` but what
 * transposes of an unknown reason take; if that leaves too little, what it could save is not known.
 * Returns NULL if it is not added. */
static etr_finding *add_layout_finding(etr_finder *finder, uint64_t ticks, uint64_t unknown) {
  etr_finding *added = NULL;
  if (ticks > unknown)
    added = etr_finder_add_if_large(finder, ETR_FINDING_LAYOUT, ticks, (double)(ticks - unknown));
  if (!added && unknown > 0)
    added = etr_finder_add_if_large(finder, ETR_FINDING_LAYOUT, ticks, NAN);
  return added;
}

/* Sets *in to the operators that delegates inserted, with reasons. Returns false when out of
 * memory.
 */
static bool find_insertions(insertions *in, const etr_finder *finder) {
  size_t next = 0;
  *in = (insertions){.arena = finder->arena};
  etr_map_init(&in->index, in->arena);
  if (!etr_event_ticks_make(&in->event_ticks, finder))
    return false;
  for (const etr_block *block; (block = next_block(finder, &next)) != NULL;)
    for (size_t i = 0, end; i < block->event_count; i = end) {
      end = etr_block_instruction_end(block, i);
      if (block->events[i].kind >= ETR_EVENT_DELEGATE_CALL &&
          !add_inserted_of_call(in, finder, block, i, end))
        return false;
    }
  if (!find_reasons(in, finder))
    return false;
  if (etr_finder_has_edge(finder) && finder->graph)
    in->has_pools = has_pools(finder);
  if (!etr_finder_has_edge(finder))
    leave_out_inner(in);
  return true;
}

bool etr_find_inner_transposes(etr_inner_transposes *out, etr_finder *finder) {
  insertions in;
  if (!finder->inner) {
    etr_inner_transposes *found = etr_arena_alloc(finder->arena, sizeof *found);
    if (!found || !find_insertions(&in, finder))
      return false;
    bool has_edge = etr_finder_has_edge(finder);
    *found = has_edge ? (etr_inner_transposes){in.at_ends, in.end_ticks} : in.inner;
    finder->inner = found;
  }
  *out = *finder->inner;
  return true;
}

/* Adds the finding about operators in delegates that only change the layout or the number type,
 * inserted ones and permutes of the model, if they take long enough. Returns false when out of
 * memory. */
bool etr_add_layout_findings(etr_finder *finder) {
  insertions in;
  layout_permutes permutes;
  if (!find_layout_permutes(finder, &permutes) || !find_insertions(&in, finder))
    return false;
  uint64_t ticks = in.ticks;
  bool has_edge = etr_finder_has_edge(finder);
  if (has_edge) /* inserted operators are on no node, and so no more than all such time */
    ticks = ETR_MIN(ticks, etr_broad_part_ticks(finder->method, ETR_BROAD_DELEGATES));
  uint64_t avoidable = ticks -
                       ETR_MIN(in.reason_ticks[FOR_OTHERS] + in.reason_ticks[BY_PAD], ticks);
  uint64_t unknown = ticks - avoidable;
  ticks += permutes.ticks;
  etr_finding *added = in.list.count || permutes.count ? add_layout_finding(finder, ticks, unknown)
                                                       : NULL;
  if (!added)
    return !etr_arena_failed(in.arena);
  if (permutes.count && !etr_finding_set_nodes(finder, added, permutes.marked))
    return false;
  /* Some are needed where the model's layout changes: about half of them in measured models. */
  if (has_edge && !isnan(added->potential))
    etr_finding_set_least_saving(finder, added, (double)(avoidable + permutes.pair_ticks) / 2);
  etr_sort(in.list.data, in.list.count, sizeof *in.list.data, by_ticks);
  if (!list_instructions(&in))
    return false;
  added->instructions = in.instructions.data;
  added->instruction_count = in.instructions.count;
  added->title = permutes.pairs
                     ? etr_arena_format(in.arena, "Make %zu permute/linear pair%s convolutions",
                                        permutes.pairs, etr_plural(permutes.pairs))
                     : layout_title(&in, permutes.count);
  if (is_mostly_few_dims(&in))
    added->variant = ETR_VARIANT_DIMS;
  else if (in.transposes && can_be_channels_last(finder, &in) == CHANNELS_LAST_NEVER)
    added->variant = ETR_VARIANT_MOVES;
  else if (in.transposes && in.has_pools)
    added->variant = ETR_VARIANT_POOLS;
  added->fact = layout_fact(finder, &in, &permutes);
  added->evidence = layout_evidence(finder, &in, &permutes, ticks);
  etr_finding_set_sureness(
      added, ETR_POSSIBLE,
      has_edge ? "some may be needed where the model's layout changes"
               : "without the ETRecord it is not known which of them the model asks "
                 "for");
  return true;
}

/* ---- Calls of kernels ---- */

/* Adds the finding about kernels that take longer to be called than to run, if there are any.
 * Its time is that of their calls, at most all time of the runtime; what it could save is not
 * known. Returns false when out of memory. */
bool etr_add_slow_call_findings(etr_finder *finder) {
  size_t node_count = finder->graph->node_count;
  uint64_t calls = 0;
  bool *marked = etr_arena_alloc_array(finder->arena, node_count, sizeof *marked);
  if (!marked)
    return false;
  for (size_t i = 0; i < node_count; i++) {
    marked[i] = finder->calls[i] > finder->uninterrupted[i];
    calls += marked[i] ? etr_finder_over_runs(finder, finder->calls[i]) : 0;
  }
  calls = ETR_MIN(calls, etr_broad_part_ticks(finder->method, ETR_BROAD_FRAMEWORK));
  etr_finding *added = etr_finder_add_if_large(finder, ETR_FINDING_CALLS, calls, NAN);
  if (!added)
    return !etr_arena_failed(finder->arena);
  if (!etr_finding_set_nodes(finder, added, marked))
    return false;
  added->title = "Use fewer, larger operators on the CPU";
  added->fact = etr_arena_format(finder->arena, "%zu kernel%s longer to start than to run",
                                 added->node_count, added->node_count == 1 ? " takes" : "s take");
  added->evidence = etr_arena_format(
      finder->arena, "The runtime takes %s to call them; the kernels alone: %s.",
      etr_finder_time_per_run(finder, calls), etr_finder_operators_text(finder, marked, false));
  etr_finding_set_sureness(added, ETR_POSSIBLE,
                           "most of it may be the recording itself, which a release does not do");
  return true;
}

/* ---- Operators that one run makes look slow: something came in between, and the average does not
 * say so ---- */

/* Returns a node's longest run, if it takes more than ETR_FINDING_OUTLIER_FACTOR times the median,
 * or else NULL. The first run is cold, and does not count. Nor do runs of other phases than
 * `phase`, unless that is ETR_NONE: they do other work. A median of 0 is below the step of the
 * clock, and any run would stand out from it. */
static const etr_run_ticks *find_outlying_run(const etr_finder *finder, const etr_node_time *time,
                                              uint32_t phase) {
  const etr_method *method = finder->method;
  const etr_run_ticks *longest = NULL;
  for (uint32_t i = 0; time->each_run && i < time->runs; i++) {
    const etr_run_ticks *run = &time->each_run[i];
    bool is_cold = run->run == 0 && method->skipped_run_count == 0;
    bool is_of_phase = phase == ETR_NONE ||
                       finder->profile->runs[method->runs[run->run]].phase == phase;
    if (!is_cold && is_of_phase && (!longest || run->ticks > longest->ticks))
      longest = run;
  }
  double median = time->per_run.p50;
  if (!longest || time->runs < ETR_FINDING_LEAST_RUNS || !(median > 0))
    return NULL;
  return (double)longest->ticks > ETR_FINDING_OUTLIER_FACTOR * median ? longest : NULL;
}

static uint64_t ticks_above_median(const etr_node_time *time, const etr_run_ticks *run) {
  return run->ticks - (uint64_t)time->per_run.p50;
}

/* Returns the phase that most of a method's runs are of, and so the median, too; ETR_NONE if its
 * runs have no phases. */
static uint32_t most_common_phase(const etr_method *method) {
  uint32_t phase = method->run_phase_count ? 0 : ETR_NONE;
  for (uint32_t i = 1; i < method->run_phase_count; i++)
    if (method->run_phases[i].run_count > method->run_phases[phase].run_count)
      phase = i;
  return phase;
}

/* Adds the finding about operators that took many times their median in one run, if there are any.
 * What they took beyond their medians was lost once, and not in each inference, so it is no share
 * of that. Returns false when out of memory. */
bool etr_add_outlier_findings(etr_finder *finder) {
  const etr_graph *graph = finder->graph;
  bool *marked = etr_arena_alloc_array(finder->arena, graph->node_count, sizeof *marked);
  const etr_run_ticks *worst_run = NULL;
  uint32_t phase = most_common_phase(finder->method);
  size_t worst = 0; /* node */
  uint64_t ticks = 0;
  if (!marked)
    return false;
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_run_ticks *run = find_outlying_run(finder, &graph->times[i], phase);
    if (!run)
      continue;
    marked[i] = true;
    ticks += ticks_above_median(&graph->times[i], run);
    if (worst_run && ticks_above_median(&graph->times[i], run) <=
                         ticks_above_median(&graph->times[worst], worst_run))
      continue;
    worst = i;
    worst_run = run;
  }
  etr_finding *added = worst_run ? etr_finder_add_if_large(finder, ETR_FINDING_OUTLIER, ticks, NAN)
                                 : NULL;
  if (!added)
    return !etr_arena_failed(finder->arena);
  added->cost = added->potential = (double)ticks;
  added->share = NAN;
  added->is_once = true;
  if (!etr_finding_set_nodes(finder, added, marked))
    return false;
  const etr_node_time *time = &graph->times[worst];
  const char *longest = etr_label_node(finder->arena, graph, (uint32_t)worst);
  const char *whose = added->node_count == 1 ? " took over ten times its"
                                             : "s took over ten times their";
  added->title = "Measure again without other load";
  added->fact = etr_arena_format(finder->arena, "%zu operator%s median in one run",
                                 added->node_count, whose);
  etr_finding_set_sureness(added, ETR_LIKELY, "an interruption, which averages contain");
  added->evidence = etr_arena_format(
      finder->arena, "Worst: %s took %s in run %u; its median is %s, its average %s.",
      longest ? longest : "", etr_finder_time_text(finder, (double)worst_run->ticks),
      (unsigned)finder->method->runs[worst_run->run],
      etr_finder_time_text(finder, time->per_run.p50), etr_finder_time_text(finder, time->avg));
  return true;
}
