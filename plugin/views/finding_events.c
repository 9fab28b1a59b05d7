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

static uint64_t usual_of(const etr_finder *finder, const etr_event *event) {
  return etr_finder_over_runs(finder, event->stats.typical);
}

/* The method's blocks, one after the other; NULL at the end. */
static const etr_block *next_block(const etr_finder *finder, size_t *at) {
  return *at < finder->method->block_count
             ? &finder->profile->blocks[finder->method->blocks[(*at)++]]
             : NULL;
}

/* ---- Layout inside delegates ---- */

/* One operator that a delegate ran without a node. */
typedef struct inserted {
  const char *name;
  const etr_block *block;
  size_t row; /* of its event in the block */
  int32_t instruction;
  uint64_t ticks;
} inserted;

typedef struct insertions {
  etr_arena *arena;
  etr_map index; /* "INSTRUCTION NAME" -> place in list: another block may have it, too */
  etr_vec(inserted) list;
  etr_vec(int32_t) instructions; /* those that have some, once each */
  uint64_t ticks;
  size_t transposes, converts, copies;
  etr_map interrupted;               /* events that interruptions made longer, by address */
  etr_vec(double) interrupted_ticks; /* of each, in the typical run */
} insertions;

/* Adds up what interruptions added to each event. Returns false when out of memory. */
static bool find_interrupted_events(insertions *in, const etr_finder *finder) {
  const etr_method *method = finder->method;
  const etr_interruptions *found = &finder->groups->interruptions;
  etr_map_init(&in->interrupted, in->arena);
  for (size_t i = 0; i < method->time_slice_count; i++) {
    if (!(found->of_slice[i] > 0))
      continue;
    const etr_event *event = method->time_slices[i].event;
    uint32_t number = etr_map_number(&in->interrupted, ETR_BYTES(event));
    if (number == ETR_NONE)
      return false;
    if (number == in->interrupted_ticks.count) {
      double *added = etr_vec_push(in->arena, &in->interrupted_ticks);
      if (!added)
        return false;
      *added = 0;
    }
    in->interrupted_ticks.data[number] += found->of_slice[i];
  }
  return true;
}

/* Returns what an event takes in the typical run without interruptions, in ticks over all runs. */
static uint64_t uninterrupted_of(const insertions *in, const etr_finder *finder,
                                 const etr_event *event) {
  uint32_t number = etr_map_get(&in->interrupted, ETR_BYTES(event));
  double lost = number == ETR_NONE ? 0 : in->interrupted_ticks.data[number];
  return etr_finder_over_runs(finder, fmax(event->stats.typical - lost, 0));
}

static bool is_called(const etr_event *event, const char *name) {
  return strncmp(event->name, name, strlen(name)) == 0;
}

static bool is_layout(const etr_event *event) {
  return is_called(event, "Transpose") || is_called(event, "Convert") || is_called(event, "Copy");
}

/* Adds an operator that the lowering inserted, or its time if it is known. */
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
  *added = (inserted){event->label, block, row, event->instruction_id, ticks};
  in->transposes += is_called(event, "Transpose");
  in->converts += is_called(event, "Convert");
  in->copies += is_called(event, "Copy");
  return true;
}

/* Rows [first, end) are one delegate's call and events. Events that add up to more than the call
 * count as shares of it, as they do in the balance. If nodes were estimated by order, it is not
 * known which operators have none. */
static bool add_delegate(insertions *in, const etr_finder *finder, const etr_block *block,
                         size_t first, size_t end) {
  uint64_t events = 0, call = 0;
  bool matched = false, estimated = false;
  for (size_t i = first; i < end; i++) {
    const etr_event *e = &block->events[i];
    if (e->kind == ETR_EVENT_DELEGATE_CALL)
      call += uninterrupted_of(in, finder, e);
    if (e->kind == ETR_EVENT_DELEGATE_OPERATOR && e->is_in_sums)
      events += uninterrupted_of(in, finder, e);
    matched |= e->node_count > 0;
    estimated |= e->match == ETR_MATCH_ALIGNED;
  }
  /* Only an Edge graph tells what was inserted from what the model asks for. */
  bool has_edge = etr_finder_has_edge(finder);
  if (has_edge && (!matched || estimated))
    return true;
  for (size_t i = first; i < end; i++) {
    const etr_event *e = &block->events[i];
    uint64_t ticks = uninterrupted_of(in, finder, e);
    bool is_operator = e->kind == ETR_EVENT_DELEGATE_OPERATOR && e->is_in_sums;
    if (!(has_edge ? e->is_inserted : is_operator) || !is_layout(e))
      continue;
    if (!add_inserted(in, block, i,
                      call > 0 && events > call ? etr_scale(ticks, call, events) : ticks))
      return false;
  }
  return true;
}

/* Orders inserted operators by time, the longest first. */
static int by_ticks(const void *a, const void *b) {
  const inserted *x = a, *y = b;
  if (x->ticks != y->ticks)
    return x->ticks < y->ticks ? 1 : -1;
  if (x->instruction != y->instruction)
    return x->instruction < y->instruction ? -1 : 1;
  return etr_natural_compare(x->name, y->name);
}

/* Lists the delegate calls that have inserted operators, once each. */
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

/* Returns whether an event is an operator that the model asks for: it has a node, or, unless only
 * those count, computes something. */
static bool is_of_model(const etr_finder *finder, const etr_event *event, bool needs_node) {
  if (event->node_count && finder->graph)
    return true;
  return !needs_node && event->kind == ETR_EVENT_DELEGATE_OPERATOR && event->is_in_sums &&
         !is_layout(event);
}

/* Returns the operator of the model that ran before or after in the same delegate, in the direction
 * of `step`; NULL if there is none. */
static const etr_event *find_neighbor(const etr_finder *finder, const inserted *of, int step,
                                      bool needs_node) {
  for (size_t i = of->row; step > 0 ? i + 1 < of->block->event_count : i > 0;) {
    i = step > 0 ? i + 1 : i - 1;
    const etr_event *event = &of->block->events[i];
    if (event->instruction_id != of->instruction)
      return NULL;
    if (is_of_model(finder, event, needs_node))
      return event;
  }
  return NULL;
}

/* Returns the name of the node that ran before or after; NULL if there is none. */
static const char *neighbor_name(const etr_finder *finder, const inserted *of, int step) {
  const etr_event *event = find_neighbor(finder, of, step, true);
  return event ? etr_finder_node_name(finder, event->nodes[0]) : NULL;
}

/* Puts " (after X, before Y)", in the order in which the delegate runs. */
static void put_place(etr_writer *writer, const etr_finder *finder, const inserted *of) {
  const char *before = neighbor_name(finder, of, -1), *behind = neighbor_name(finder, of, 1);
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
  bool *marked; /* per node; NULL: without an Edge graph */
  size_t count, pairs;
  uint64_t ticks, pair_ticks; /* of all, and of those around linear layers */
} layout_permutes;

/* Returns true for a permute to channels-last, or back from it. */
static bool is_layout_permute(const etr_finder *finder, uint32_t node, bool is_back) {
  static const char *const names[] = {"permute_copy", "permute"};
  if (!etr_is_one_of(finder, &finder->graph->nodes[node], names, ETR_COUNT(names)))
    return false;
  const char *dims = etr_node_argument(&finder->graph->nodes[node], "dims");
  return dims && strcmp(dims, is_back ? "[0, 3, 1, 2]" : "[0, 2, 3, 1]") == 0;
}

/* Returns the permute to channels-last that a permute back undoes, if only linear layers and
 * operators of each number alone are between them; ETR_NONE if there is none. */
static uint32_t permute_before(const etr_finder *finder, uint32_t back) {
  static const char *const between[] = {"linear", "addmm",   "view_copy", "gelu", "relu",
                                        "clamp",  "sigmoid", "hardtanh",  "mul",  "add"};
  enum { MOST_BETWEEN = 8 };
  const etr_graph *graph = finder->graph;
  bool has_layer = false;
  uint32_t at = back;
  for (int steps = 0; steps < MOST_BETWEEN; steps++) {
    const etr_node *node = &graph->nodes[at];
    static const char *const linears[] = {"linear", "addmm"};
    has_layer |= etr_is_one_of(finder, node, linears, ETR_COUNT(linears));
    uint32_t input = ETR_NONE;
    for (size_t k = 0; k < node->input_count; k++)
      if (!finder->is_constant[node->inputs[k].node])
        input = input == ETR_NONE ? node->inputs[k].node : input;
    if (input == ETR_NONE || input >= at)
      return ETR_NONE;
    if (has_layer && is_layout_permute(finder, input, false))
      return input;
    if (!etr_is_one_of(finder, &graph->nodes[input], between, ETR_COUNT(between)))
      return ETR_NONE;
    at = input;
  }
  return ETR_NONE;
}

/* Finds permutes that only change the layout, and pairs of them that cancel. */
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
    uint32_t before = is_layout_permute(finder, i, true) ? permute_before(finder, i) : ETR_NONE;
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

/* Returns the type of the operator that ran before or after, in the direction of `step`:
 * "Convolution" of "Convolution (NHWC, F32) IGEMM". NULL if there is none in the same delegate. */
static const char *neighbor_type(const etr_finder *finder, const inserted *of, int step) {
  const etr_event *event = find_neighbor(finder, of, step, false);
  if (!event)
    return NULL;
  if (event->node_count && finder->graph)
    return etr_arena_copy(finder->arena, finder->ops[event->nodes[0]]);
  size_t size = strcspn(event->label, "(,:");
  while (size && event->label[size - 1] == ' ')
    size--;
  return etr_arena_copy(finder->arena, (etr_slice){event->label, size});
}

/* Returns "before convolution", "after addmm", "between mul and conv" inside a delegate; "" if it
 * runs nothing else. */
static const char *place_text(const etr_finder *finder, const inserted *of) {
  const char *before = neighbor_type(finder, of, -1), *behind = neighbor_type(finder, of, 1);
  if (before && behind)
    return etr_arena_format(finder->arena, "between %s and %s", before, behind);
  if (before)
    return etr_arena_format(finder->arena, "after %s at the end", before);
  return behind ? etr_arena_format(finder->arena, "before %s at the start", behind) : "";
}

/* Says what to do, and where they are: "use channels-last inputs; in delegate 0, before convolution
 * at the start". The second place of one delegate follows where a line of a screen has room for it.
 */
static const char *layout_fact(const etr_finder *finder, const insertions *in,
                               const layout_permutes *permutes) {
  enum { ROOM = 34 }; /* characters of both places together */
  etr_text text;
  etr_writer writer;
  bool is_one = in->instructions.count == 1;
  etr_text_begin(&text, in->arena, &writer);
  if (in->transposes)
    etr_puts(&writer, "use channels-last inputs; ");
  else if (in->converts)
    etr_puts(&writer, "quantize inputs and outputs, too; ");
  if (is_one)
    etr_putf(&writer, "in delegate %d", (int)in->instructions.data[0]);
  else
    etr_putf(&writer, "in %zu delegates", in->instructions.count);
  for (size_t i = 0, used = 0; i < in->list.count && i < (is_one ? 2u : 1u); i++) {
    const char *place = etr_or_empty(place_text(finder, &in->list.data[i]));
    used += strlen(place);
    if (!place[0] || (i > 0 && used > ROOM))
      break;
    if (is_one)
      etr_putf(&writer, ", %s", place);
    else
      etr_putf(&writer, "; longest: in delegate %d, %s", (int)in->list.data[i].instruction, place);
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
  return etr_or_empty(where);
}

/* "Avoid 2 Transpose, 1 Convert" */
static const char *layout_title(const insertions *in, size_t permutes) {
  const struct {
    const char *name;
    size_t count;
  } kinds[] = {
      {"Transpose", in->transposes + permutes}, {"Convert", in->converts}, {"Copy", in->copies}};
  etr_text text;
  etr_writer writer;
  bool any = false;
  etr_text_begin(&text, in->arena, &writer);
  etr_puts(&writer, "Avoid ");
  for (size_t i = 0; i < ETR_COUNT(kinds); i++) {
    if (kinds[i].count)
      etr_putf(&writer, "%s%zu %s", any ? ", " : "", kinds[i].count, kinds[i].name);
    any |= kinds[i].count > 0;
  }
  return etr_text_end(&text, &writer);
}

/* Says what takes the time, where the longest are, and what to do about them. */
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
  etr_puts(&writer, in->list.count ? " Longest inserted: " : "");
  for (size_t i = 0; i < in->list.count && i < LISTED; i++) {
    etr_putf(&writer, "%s%s of delegate %d, %s", i ? "; " : "", in->list.data[i].name,
             (int)in->list.data[i].instruction,
             etr_finder_time_per_run(finder, in->list.data[i].ticks));
    put_place(&writer, finder, &in->list.data[i]);
  }
  etr_puts(&writer, in->list.count ? "." : "");
  if (in->transposes)
    etr_puts(&writer, " A transpose changes the layout: give the model channels-last inputs "
                      "(torch.channels_last), and "
                      "keep operators of another layout out from between convolutions.");
  if (in->converts)
    etr_puts(&writer, " A convert changes the number type: quantize inputs and outputs, too.");
  return etr_or_empty(etr_text_end(&text, &writer));
}

bool etr_add_layout_findings(etr_finder *finder) {
  insertions in = {.arena = finder->arena};
  layout_permutes permutes;
  size_t at = 0;
  if (!find_layout_permutes(finder, &permutes))
    return false;
  etr_map_init(&in.index, in.arena);
  if (!find_interrupted_events(&in, finder))
    return false;
  for (const etr_block *block; (block = next_block(finder, &at)) != NULL;)
    for (size_t i = 0, end; i < block->event_count; i = end) {
      end = etr_block_instruction_end(block, i);
      if (block->events[i].kind >= ETR_EVENT_DELEGATE_CALL &&
          !add_delegate(&in, finder, block, i, end))
        return false;
    }
  uint64_t ticks = in.ticks;
  bool has_edge = etr_finder_has_edge(finder);
  if (has_edge)
    ticks = ETR_MIN(ticks, etr_broad_part_ticks(finder->method, ETR_BROAD_DELEGATES));
  uint64_t inserted_ticks = ticks;
  ticks += permutes.ticks;
  etr_finding *added = in.list.count || permutes.count
                           ? etr_finder_add_if_large(finder, ETR_FINDING_LAYOUT, ticks,
                                                     (double)ticks)
                           : NULL;
  if (!added)
    return !etr_arena_failed(in.arena);
  if (permutes.count && !etr_finding_set_nodes(finder, added, permutes.marked))
    return false;
  /* Some are needed where the model's layout changes: about half of them in measured models. */
  if (has_edge)
    etr_finding_set_least_saving(finder, added, (double)(inserted_ticks + permutes.pair_ticks) / 2);
  etr_sort(in.list.data, in.list.count, sizeof *in.list.data, by_ticks);
  if (!list_instructions(&in))
    return false;
  added->instructions = in.instructions.data;
  added->instruction_count = in.instructions.count;
  added->title = permutes.pairs
                     ? etr_arena_format(in.arena, "Make %zu permute/linear pair%s convolutions",
                                        permutes.pairs, etr_plural(permutes.pairs))
                     : layout_title(&in, permutes.count);
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

/* Rows [first, end) are one instruction's: kernels, and the calls around them. Only one that has
 * both tells what calling took. */
static void measure_instruction(etr_finder *finder, const etr_block *block, size_t first,
                                size_t end) {
  uint64_t kernel = 0, call = 0;
  uint32_t node = ETR_NONE;
  bool both = false;
  for (size_t i = first; i < end; i++) {
    const etr_event *e = &block->events[i];
    bool is_call = strcmp(e->name, "OPERATOR_CALL") == 0 && e->kind == ETR_EVENT_FRAMEWORK;
    if (e->node_count)
      node = e->nodes[0];
    if (e->node_count)
      kernel += usual_of(finder, e);
    if (is_call)
      call += usual_of(finder, e);
    both |= is_call;
  }
  if (node == ETR_NONE || !both || call < kernel)
    return;
  finder->kernel_ticks[node] += kernel;
  finder->call_ticks[node] += call - kernel;
}

bool etr_finder_measure_calls(etr_finder *finder) {
  size_t at = 0;
  finder->kernel_ticks = etr_arena_alloc_array(finder->arena, finder->graph->node_count,
                                               sizeof *finder->kernel_ticks);
  finder->call_ticks = etr_arena_alloc_array(finder->arena, finder->graph->node_count,
                                             sizeof *finder->call_ticks);
  if (!finder->kernel_ticks || !finder->call_ticks)
    return false;
  for (const etr_block *block; (block = next_block(finder, &at)) != NULL;) {
    for (size_t i = 0, end; i < block->event_count; i = end) {
      end = etr_block_instruction_end(block, i);
      if (!block->events[i].delegate_id)
        measure_instruction(finder, block, i, end);
    }
  }
  return true;
}

bool etr_add_slow_call_findings(etr_finder *finder) {
  size_t node_count = finder->graph->node_count;
  uint64_t calls = 0;
  bool *marked = etr_arena_alloc_array(finder->arena, node_count, sizeof *marked);
  if (!marked)
    return false;
  for (size_t i = 0; i < node_count; i++) {
    marked[i] = finder->call_ticks[i] > finder->kernel_ticks[i];
    calls += marked[i] ? finder->call_ticks[i] : 0;
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

/* A node's longest run but for the first, which is cold and a finding of its own; NULL if it does
 * not stand out. Of a node whose median is below its clock's step, any tick would. */
static const etr_run_ticks *outlying_run(const etr_finder *finder, const etr_node_time *time,
                                         uint32_t phase) {
  const etr_method *method = finder->method;
  const etr_run_ticks *longest = NULL;
  for (uint32_t i = 0; time->each_run && i < time->runs; i++) {
    const etr_run_ticks *run = &time->each_run[i];
    bool is_cold = run->run == 0 && method->skipped_run_count == 0;
    bool is_usual = phase == ETR_NONE ||
                    finder->profile->runs[method->runs[run->run]].phase == phase;
    if (!is_cold && is_usual && (!longest || run->ticks > longest->ticks))
      longest = run;
  }
  bool is_known = time->runs >= ETR_FINDING_LEAST_RUNS && longest && time->per_run.p50 > 0;
  return is_known && (double)longest->ticks > ETR_FINDING_OUTLIER_FACTOR * time->per_run.p50
             ? longest
             : NULL;
}

static uint64_t excess_of(const etr_node_time *time, const etr_run_ticks *run) {
  return run->ticks - (uint64_t)time->per_run.p50;
}

bool etr_add_outlier_findings(etr_finder *finder) {
  const etr_graph *graph = finder->graph;
  bool *marked = etr_arena_alloc_array(finder->arena, graph->node_count, sizeof *marked);
  const etr_run_ticks *worst_run = NULL;
  /* The phase that most of a method's runs are of, and so mostly the medians; ETR_NONE where it has
   * none. */
  uint32_t phase = finder->method->run_phase_count ? 0 : ETR_NONE;
  for (uint32_t i = 1; i < finder->method->run_phase_count; i++)
    if (finder->method->run_phases[i].run_count > finder->method->run_phases[phase].run_count)
      phase = i;
  size_t worst = 0;
  uint64_t ticks = 0;
  if (!marked)
    return false;
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_run_ticks *run = outlying_run(finder, &graph->times[i], phase);
    if (!run)
      continue;
    marked[i] = true;
    ticks += excess_of(&graph->times[i], run);
    if (worst_run && excess_of(&graph->times[i], run) <= excess_of(&graph->times[worst], worst_run))
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
