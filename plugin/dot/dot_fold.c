/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dot_fold.c - finds equal blocks: modules that repeat, and the steps of unrolled loops.
 */
#include "dot/dot_plan.h"

#include "base/writer.h"
#include "output/label.h"
#include "output/ranking.h"

#include <stdlib.h>

/* A scope that may be equal to its siblings, with its nodes at any depth. */
typedef struct block {
  uint32_t scope;
  etr_vec(uint32_t) nodes;
} block;

/* Finds equal blocks. The form of a block is the number of its description: equal blocks have the
 * same one. */
typedef struct folder {
  etr_arena *arena;
  const etr_graph *graph;
  etr_scopes *scopes;
  const etr_dot_choice *choice;
  uint32_t *kind;                   /* per node: number of its description without its position */
  etr_map kinds, forms, step_forms; /* descriptions of nodes, blocks and steps -> number */
  etr_vec(etr_scope) steps;         /* scopes of steps, which follow all others in the list */
  etr_vec(uint32_t) loops;          /* per step: its first one's index */
  etr_text text;                    /* a key that is being made */
  uint32_t *block;                  /* per scope: index of its block; ETR_NONE: it is not a block */
  etr_vec(block) blocks;
  uint32_t *seen_in,
      *position; /* per node: the form in which it was last seen, and its position there */
  uint32_t form; /* number of the form that is being made */
  uint32_t *stand_in, *same_as, *copies, *last;
  uint32_t *step_of; /* per node: its scope, a step or another */
} folder;

/* ---- Blocks ---- */

/* Lists the blocks: scopes of steps, and of modules of which there may be others with the same
 * pattern; each with its nodes at any depth, without weights. At first every scope and node is
 * drawn for itself. Returns false when out of memory. */
static bool list_blocks(folder *f) {
  for (uint32_t i = 0; i < f->scopes->count; i++) {
    f->block[i] = ETR_NONE;
    f->same_as[i] = i;
    f->copies[i] = 1;
    f->last[i] = i;
    uint32_t module = f->scopes->list[i].module;
    bool is_step = f->scopes->list[i].kind == ETR_SCOPE_STEP;
    bool is_module = module != ETR_NONE &&
                     strcmp(f->graph->modules[module].pattern, f->graph->modules[module].path) != 0;
    if (!is_step && !is_module)
      continue;
    block *added = etr_vec_push(f->arena, &f->blocks);
    if (added == NULL)
      return false;
    added->scope = i;
    f->block[i] = (uint32_t)f->blocks.count - 1;
  }
  for (uint32_t i = 0; i < f->graph->node_count; i++) {
    f->stand_in[i] = i;
    if (f->graph->nodes[i].kind >= ETR_NODE_PARAMETER)
      continue;
    for (uint32_t scope = f->scopes->of_node[i]; scope != ETR_NONE;
         scope = f->scopes->list[scope].parent) {
      uint32_t *slot = f->block[scope] == ETR_NONE
                           ? NULL
                           : etr_vec_push(f->arena, &f->blocks.data[f->block[scope]].nodes);
      if (slot != NULL)
        *slot = i;
    }
  }
  return !etr_arena_failed(f->arena);
}

/* ---- Forms ---- */

/* Appends a number to the description; when out of memory, the arena has failed. */
static void append_number(folder *f, uint32_t number) {
  (void)etr_text_add(&f->text, ETR_BYTES(number));
}

/* Appends a text to the description; when out of memory, the arena has failed. */
static void append_text(folder *f, const char *text) {
  (void)etr_text_add(&f->text, (etr_slice){text, strlen(text) + 1}); /* the NUL separates texts */
}

/* Returns the number of the description in f->text, which is copied into the map with the next
 * number if it is new; numbers count from 0. Returns ETR_NONE when out of memory. */
static uint32_t find_or_add_key(folder *f, etr_map *map) {
  etr_slice key = {f->text.data, f->text.size};
  uint32_t number = etr_map_get(map, key);
  if (number != ETR_NONE)
    return number;
  const char *text = etr_arena_copy(f->arena, key);
  return text != NULL ? etr_map_number(map, (etr_slice){text, key.size}) : ETR_NONE;
}

/* Returns a number that nodes share if they have the same kind, operator, backend and output
 * shapes. ETR_NONE when out of memory. */
static uint32_t number_kind(folder *f, uint32_t index) {
  const etr_node *node = &f->graph->nodes[index];
  const char *backend = f->graph->times != NULL ? f->graph->times[index].backend : NULL;
  f->text.size = 0;
  append_number(f, node->kind);
  append_text(f, node->kind == ETR_NODE_OP ? node->target : "");
  append_text(f, backend != NULL ? backend : "");
  for (size_t i = 0; i < node->output_count; i++) {
    const char *shape = etr_label_shape(f->arena, &node->outputs[i]);
    append_text(f, shape != NULL ? shape : "");
  }
  return find_or_add_key(f, &f->kinds);
}

enum { FROM_INSIDE, FROM_WEIGHT, FROM_OUTSIDE };

/* Appends what an input of a node reads to the description of a block of `count` nodes: a weight's
 * kind, a position in the block, or for a node outside a number from `count` on, which it gets when
 * it is first read. So blocks are equal that read different nodes in the same way. */
static void append_input(folder *f, size_t count, uint32_t *outside_count, const etr_edge *input) {
  uint32_t producer = input->node;
  if (f->graph->nodes[producer].kind >= ETR_NODE_PARAMETER) {
    append_number(f, FROM_WEIGHT);
    append_number(f, f->kind[producer]);
    return;
  }
  if (f->seen_in[producer] != f->form) {
    f->seen_in[producer] = f->form;
    f->position[producer] = (uint32_t)count + (*outside_count)++;
  }
  append_number(f, f->position[producer] < count ? FROM_INSIDE : FROM_OUTSIDE);
  append_number(f, f->position[producer]);
  append_number(f, input->output);
}

/* Appends what equal blocks have in common to the description: the kinds, depths and inputs of
 * their nodes, in order, and whether these are drawn, in focus, or among the slowest. f->form
 * numbers the descriptions, so that marks of nodes (seen_in) from earlier ones do not count. */
static void append_nodes(folder *f, const uint32_t *nodes, size_t count) {
  uint32_t outside_count = 0;
  f->form++;
  for (uint32_t i = 0; i < count; i++) {
    f->seen_in[nodes[i]] = f->form;
    f->position[nodes[i]] = i;
  }
  for (size_t i = 0; i < count; i++) {
    const etr_node *node = &f->graph->nodes[nodes[i]];
    uint32_t scope = f->scopes->of_node[nodes[i]];
    size_t inputs = node->input_count + node->other_input_count;
    append_number(f, f->kind[nodes[i]]);
    append_number(f, scope == ETR_NONE ? ETR_NONE : f->scopes->list[scope].depth);
    /* Each of the slowest nodes is drawn by itself, so its block equals no other. */
    append_number(f, f->choice->rank[nodes[i]] > 0 ? nodes[i] : 0);
    append_number(f, f->choice->drawn[nodes[i]] * 2u + f->choice->focused[nodes[i]]);
    append_number(f, (uint32_t)inputs);
    for (size_t input = 0; input < inputs; input++)
      append_input(f, count, &outside_count, &node->inputs[input]);
  }
}

/* Returns the form of a block, which equal blocks share. Its description includes the parent and
 * the pattern or loop, so that only siblings of one pattern and steps of one loop can be equal.
 * ETR_NONE when out of memory. */
static uint32_t form_of_block(folder *f, uint32_t number) {
  const block *numbered = &f->blocks.data[number];
  const etr_scope *scope = &f->scopes->list[numbered->scope];
  f->text.size = 0;
  append_number(f, scope->parent);
  if (scope->kind == ETR_SCOPE_STEP)
    append_number(f, f->loops.data[numbered->scope - (f->scopes->count - f->steps.count)]);
  else
    append_text(f, f->graph->modules[scope->module].pattern);
  append_nodes(f, numbered->nodes.data, numbered->nodes.count);
  return find_or_add_key(f, &f->forms);
}

/* ---- Steps of unrolled loops ---- */

/* A loop in a module without submodules is a sequence of operators with a period. The page folds it
 * by the same rules (web/src/graph/repeats.js), but leaves what add_inputs_of_steps() moves where
 * it is. */
enum {
  MIN_STEPS = 3,
  MIN_PERIOD = 3, /* a shorter sequence is no step of a loop: "add, relu, add, relu" is just that */
  MOST_PERIODS = 6,
};

/* The operators directly in a scope, in order. ETR_NONE stands for others between them, which are
 * in no step. */
typedef etr_vec(uint32_t) sequence;

/* Returns, for each scope and last for the top level, the operators directly in it, in order, with
 * ETR_NONE where something else is between them. NULL when out of memory. */
static sequence *list_sequences(folder *f) {
  size_t count = f->scopes->count;
  sequence *sequences = etr_arena_alloc_array(f->arena, count + 1,
                                              sizeof *sequences); /* the last is that of the top */
  bool *is_broken = etr_arena_alloc_array(f->arena, count + 1, sizeof *is_broken);
  if (sequences == NULL || is_broken == NULL)
    return NULL;
  for (uint32_t i = 0; i < f->graph->node_count; i++) {
    uint32_t scope = f->scopes->of_node[i],
             sequence_index = scope == ETR_NONE ? (uint32_t)count : scope;
    if (f->graph->nodes[i].kind >= ETR_NODE_PARAMETER)
      continue;
    bool is_operator = f->graph->nodes[i].kind == ETR_NODE_OP;
    uint32_t *gap = is_broken[sequence_index] || !is_operator
                        ? etr_vec_push(f->arena, &sequences[sequence_index])
                        : NULL;
    if (gap != NULL)
      *gap = ETR_NONE;
    uint32_t *item = is_operator ? etr_vec_push(f->arena, &sequences[sequence_index]) : NULL;
    if (item != NULL)
      *item = i;
    is_broken[sequence_index] = false;
    /* For the scopes around it, this node is something between their own operators. */
    for (; scope != ETR_NONE; scope = f->scopes->list[scope].parent) {
      uint32_t parent = f->scopes->list[scope].parent;
      is_broken[parent == ETR_NONE ? count : parent] = true;
    }
  }
  return etr_arena_failed(f->arena) ? NULL : sequences;
}

static bool is_same_kind(const folder *f, uint32_t a, uint32_t b) {
  return a != ETR_NONE && b != ETR_NONE && f->kind[a] == f->kind[b];
}

/* Compares numbers for qsort(), in ascending order. */
static int by_size(const void *a, const void *b) {
  const size_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* Sets `periods` to the most frequent distances, in operators, at which three operators in a row
 * recur in a sequence, at most MOST_PERIODS, in ascending order: steps of a loop may have one of
 * these lengths. Returns how many there are; 0 when out of memory, too. */
static size_t find_periods(folder *f, const sequence *operators, size_t *periods) {
  etr_map latest;
  uint32_t *recurrences = etr_arena_alloc_array(f->arena, operators->count + 1,
                                                sizeof *recurrences);
  size_t period_count = 0;
  etr_map_init(&latest, f->arena);
  for (uint32_t i = 0; recurrences != NULL && i + 2 < operators->count; i++) {
    const uint32_t *triple = &operators->data[i];
    if (triple[0] == ETR_NONE || triple[1] == ETR_NONE || triple[2] == ETR_NONE)
      continue;
    const uint32_t kinds[3] = {f->kind[triple[0]], f->kind[triple[1]], f->kind[triple[2]]};
    etr_map_slot *slot = etr_map_at(&latest, ETR_BYTES(kinds));
    if (slot == NULL)
      return 0;
    if (slot->value != ETR_NONE)
      recurrences[i - slot->value]++;
    slot->value = i;
  }
  /* A loop with two steps or more has each of its operators recur after a period. */
  for (; recurrences != NULL && period_count < MOST_PERIODS; period_count++) {
    size_t most_frequent = 0;
    for (size_t period = MIN_PERIOD; period < operators->count; period++)
      if (recurrences[period] >= period && recurrences[period] > recurrences[most_frequent])
        most_frequent = period;
    if (most_frequent == 0)
      break;
    recurrences[most_frequent] = 0;
    periods[period_count] = most_frequent;
  }
  etr_sort(periods, period_count, sizeof *periods, by_size);
  return period_count;
}

/* Returns the form of a possible step, the `count` nodes at `nodes`, as a number that equal steps
 * share; ETR_NONE when out of memory. */
static uint32_t form_of_step(folder *f, const uint32_t *nodes, size_t count) {
  f->text.size = 0;
  append_nodes(f, nodes, count);
  return find_or_add_key(f, &f->step_forms);
}

/* Adds `count` steps of `period` operators each, which follow each other in `items`, as scopes of
 * one loop, "step 1" and so on, puts the operators into them (f->step_of), and replaces these in
 * the sequence by ETR_NONE, so that other periods do not find them. When out of memory, the arena
 * has failed. */
static void add_steps(folder *f, uint32_t parent, uint32_t *items, size_t period, size_t count) {
  size_t first_step = f->steps.count;
  for (size_t i = 0; i < count; i++) {
    etr_scope *scope = etr_vec_push(f->arena, &f->steps);
    uint32_t *loop = etr_vec_push(f->arena, &f->loops);
    if (scope == NULL || loop == NULL)
      return;
    *loop = (uint32_t)first_step;
    *scope = (etr_scope){.label = etr_arena_numbered(f->arena, "step ", i + 1),
                         .parent = parent,
                         .depth = parent == ETR_NONE ? 0 : f->scopes->list[parent].depth + 1,
                         .kind = ETR_SCOPE_STEP,
                         .module = ETR_NONE,
                         .op_count = (uint32_t)period};
    for (size_t item = 0; item < period; item++) {
      f->step_of[items[i * period + item]] = (uint32_t)(f->scopes->count + f->steps.count - 1);
      items[i * period + item] = ETR_NONE;
    }
  }
}

/* Adds the steps of a part of a sequence, which has `count` periods of operators, wherever at least
 * MIN_STEPS in a row have the same form. */
static void add_equal_steps(folder *f, uint32_t parent, uint32_t *items, size_t period,
                            size_t count) {
  for (size_t i = 0, end; i < count; i = end) {
    uint32_t first_form = form_of_step(f, items + i * period, period);
    for (end = i + 1; end < count && form_of_step(f, items + end * period, period) == first_form;)
      end++;
    if (end - i >= MIN_STEPS)
      add_steps(f, parent, items + i * period, period, end - i);
  }
}

/* Returns true if `period` operators are a shorter sequence over and over: that is their step, or
 * it is too short to be one. The smallest period of a sequence divides every other one. */
static bool has_shorter_period(const folder *f, const uint32_t *items, size_t period) {
  for (size_t shorter = 1; shorter <= period / 2; shorter++) {
    size_t same_count = 0;
    while (period % shorter == 0 && same_count < period - shorter &&
           is_same_kind(f, items[same_count], items[same_count + shorter]))
      same_count++;
    if (same_count == period - shorter)
      return true;
  }
  return false;
}

/* Adds the steps of loops in a sequence: in stretches in which each operator is of the same kind as
 * the one a period later, for each likely period. parent: the scope of the sequence. */
static void find_steps_in_sequence(folder *f, uint32_t parent, sequence *operators) {
  size_t periods[MOST_PERIODS], count = find_periods(f, operators, periods);
  for (size_t p = 0; p < count; p++) {
    size_t period = periods[p], same_count = 0;
    for (size_t i = 0; i + period <= operators->count; i++) {
      if (i + period < operators->count &&
          is_same_kind(f, operators->data[i], operators->data[i + period])) {
        same_count++;
        continue;
      }
      size_t step_count = same_count / period + 1; /* the last step has none after it */
      uint32_t *items = operators->data + (i - same_count);
      if (step_count >= MIN_STEPS && !has_shorter_period(f, items, period))
        add_equal_steps(f, parent, items, period, step_count);
      same_count = 0;
    }
  }
}

/* Returns true for a scope that add_steps() added, while the others are still counted alone. */
static bool is_step(const folder *f, uint32_t scope) {
  return scope != ETR_NONE && scope >= f->scopes->count;
}

/* Returns the number of steps of the loop that begins with a step; 0 if none begins with it. */
static size_t count_steps(const folder *f, uint32_t scope) {
  size_t first = is_step(f, scope) ? scope - f->scopes->count : f->loops.count, end = first;
  while (end < f->loops.count && f->loops.data[end] == first)
    end++;
  return end - first;
}

/* Moves operators of one kind, `count` nodes from `first` on, into the steps of a loop in their
 * scope where each is read in one step alone, and each step reads one: an unrolled loop cuts its
 * input into slices before its first step. read_in: per node, as in add_inputs_of_steps(). */
static void move_into_steps(folder *f, const uint32_t *read_in, size_t first, size_t count) {
  for (size_t i = first; i < first + count; i++) {
    size_t steps = count_steps(f, read_in[i]), same = 0;
    if (steps == 0 || steps > first + count - i ||
        f->steps.data[read_in[i] - f->scopes->count].parent != f->step_of[i])
      continue;
    while (same < steps && read_in[i + same] == read_in[i] + same)
      same++;
    for (size_t step = 0; same == steps && step < steps; step++) {
      f->step_of[i + step] = read_in[i + step];
      f->steps.data[read_in[i + step] - f->scopes->count].op_count++;
    }
  }
}

/* Adds what the steps of a loop read, operators of one kind in a row, to the steps. It goes
 * backwards, so that what these read is added, too. Returns false when out of memory. */
static bool add_inputs_of_steps(folder *f) {
  enum { ELSEWHERE = ETR_NONE - 1 };
  const etr_node *nodes = f->graph->nodes;
  size_t count = f->graph->node_count;
  /* per node: the step whose nodes read it; ETR_NONE: none read it; ELSEWHERE: others do, too */
  uint32_t *read_in = etr_arena_alloc_array(f->arena, count, sizeof *read_in);
  if (read_in == NULL)
    return false;
  memset(read_in, 0xff, count * sizeof *read_in);
  for (size_t first, end = count; end > 0; end = first) {
    for (first = end - 1; first > 0 && f->kind[first - 1] == f->kind[end - 1] &&
                          f->step_of[first - 1] == f->step_of[end - 1];)
      first--;
    if (nodes[first].kind == ETR_NODE_OP && !is_step(f, f->step_of[first]))
      move_into_steps(f, read_in, first, end - first);
    for (size_t i = first; i < end; i++)
      for (size_t k = 0; k < nodes[i].input_count + nodes[i].other_input_count; k++) {
        uint32_t *in = &read_in[nodes[i].inputs[k].node],
                 here = is_step(f, f->step_of[i]) ? f->step_of[i] : ELSEWHERE;
        *in = *in == ETR_NONE || *in == here ? here : ELSEWHERE;
      }
  }
  return true;
}

/* Appends a scope for each step of an unrolled loop to the scopes, and moves the loop's nodes into
 * it. Returns false when out of memory. */
static bool add_step_scopes(folder *f) {
  etr_scopes *scopes = f->scopes;
  size_t scope_count = scopes->count, nodes = f->graph->node_count;
  sequence *sequences = list_sequences(f);
  f->step_of = etr_arena_alloc_array(f->arena, nodes, sizeof *f->step_of);
  if (sequences == NULL || f->step_of == NULL)
    return false;
  for (size_t i = 0; i < nodes; i++)
    f->step_of[i] = scopes->of_node[i];
  for (uint32_t i = 0; i <= scope_count; i++)
    find_steps_in_sequence(f, i == scope_count ? ETR_NONE : i, &sequences[i]);
  if (f->steps.count && !add_inputs_of_steps(f))
    return false;
  etr_scope *all_scopes = etr_arena_alloc_array(f->arena, scope_count + f->steps.count,
                                                sizeof *all_scopes);
  if (etr_arena_failed(f->arena))
    return false;
  if (scope_count)
    memcpy(all_scopes, scopes->list, scope_count * sizeof *all_scopes);
  if (f->steps.count)
    memcpy(all_scopes + scope_count, f->steps.data, f->steps.count * sizeof *all_scopes);
  *scopes = (etr_scopes){all_scopes, scope_count + f->steps.count, f->step_of, scopes->is_guest};
  return true;
}

/* ---- Folding ---- */

/* Finds equal blocks, of which the first is drawn for all: sets stand_in of nodes, and same_as,
 * copies and last of scopes. Outer blocks come first, and what they set stays. Forms are numbered
 * as they are found, so the number after the last one is a new form. Returns false when out of
 * memory. */
static bool find_equal_blocks(folder *f) {
  /* The first block of each form. */
  uint32_t *first_blocks = etr_arena_alloc_array(f->arena, f->blocks.count, sizeof *first_blocks);
  if (first_blocks == NULL)
    return false;
  for (uint32_t i = 0, form_count = 0; i < f->blocks.count; i++) {
    uint32_t form = form_of_block(f, i);
    if (etr_arena_failed(f->arena))
      return false;
    if (form == form_count) {
      first_blocks[form_count++] = i;
      continue;
    }
    const block *shown = &f->blocks.data[first_blocks[form]], *hidden = &f->blocks.data[i];
    f->same_as[hidden->scope] = shown->scope;
    f->copies[shown->scope]++;
    f->last[shown->scope] = hidden->scope;
    for (size_t node = 0; node < hidden->nodes.count; node++) {
      uint32_t *stand_in = &f->stand_in[hidden->nodes.data[node]];
      if (*stand_in == hidden->nodes.data[node])
        *stand_in = shown->nodes.data[node];
    }
  }
  return true;
}

/* A block, by the scope that is drawn for it. */
typedef struct block_copy {
  uint32_t scope; /* scope that is drawn */
  double ticks;
} block_copy;

/* Compares blocks for qsort(): by the scope that is drawn for them, then by time, the shortest
 * first, so that the median is in the middle. */
static int by_scope(const void *a, const void *b) {
  const block_copy *x = a, *y = b;
  if (x->scope != y->scope)
    return x->scope < y->scope ? -1 : 1;
  return (x->ticks > y->ticks) - (x->ticks < y->ticks);
}

/* Returns, for each scope that is drawn for others, the median of their times, each the sum of its
 * nodes' times per inference, by the profile's statistic, in ticks; 0 for other scopes. A block in
 * a block that is not drawn counts for the scope that is drawn at its depth. NULL when out of
 * memory. */
static const double *find_medians(folder *f, const etr_profile *profile) {
  const etr_scope *scopes = f->scopes->list;
  double *medians = etr_arena_alloc_array(f->arena, f->scopes->count, sizeof *medians);
  block_copy *copies = etr_arena_alloc_array(f->arena, f->blocks.count, sizeof *copies);
  size_t count = 0;
  for (size_t i = 0; copies != NULL && i < f->blocks.count; i++) {
    const block *counted = &f->blocks.data[i];
    if (counted->nodes.count == 0)
      continue;
    block_copy *added = &copies[count++];
    *added = (block_copy){.scope = f->scopes->of_node[f->stand_in[counted->nodes.data[0]]]};
    while (scopes[added->scope].depth > scopes[counted->scope].depth)
      added->scope = scopes[added->scope].parent;
    for (size_t node = 0; f->graph->times != NULL && node < counted->nodes.count; node++) {
      const etr_node_time *time = &f->graph->times[counted->nodes.data[node]];
      added->ticks += time->runs > 0 ? etr_ranking_time(profile, etr_times_of_node(time)) : 0;
    }
  }
  if (medians == NULL || copies == NULL)
    return NULL;
  etr_sort(copies, count, sizeof *copies, by_scope);
  for (size_t first = 0, end; first < count; first = end) {
    for (end = first + 1; end < count && copies[end].scope == copies[first].scope;)
      end++;
    medians[copies[first].scope] = (copies[(first + end - 1) / 2].ticks +
                                    copies[(first + end) / 2].ticks) /
                                   2;
  }
  return medians;
}

/* ---- The whole fold ---- */

/* Sets the kind of each node, adds the steps of loops as scopes, and allocates what is known of
 * each scope. Returns false when out of memory. */
static bool find_kinds_and_steps(folder *f) {
  size_t nodes = f->graph->node_count;
  etr_map_init(&f->kinds, f->arena);
  etr_map_init(&f->forms, f->arena);
  etr_map_init(&f->step_forms, f->arena);
  f->kind = etr_arena_alloc_array(f->arena, nodes, sizeof *f->kind);
  f->seen_in = etr_arena_alloc_array(f->arena, nodes, sizeof *f->seen_in);
  f->position = etr_arena_alloc_array(f->arena, nodes, sizeof *f->position);
  f->stand_in = etr_arena_alloc_array(f->arena, nodes, sizeof *f->stand_in);
  if (etr_arena_failed(f->arena))
    return false;
  for (uint32_t i = 0; i < nodes; i++)
    f->kind[i] = number_kind(f, i);
  if (!add_step_scopes(f))
    return false;
  f->block = etr_arena_alloc_array(f->arena, f->scopes->count, sizeof *f->block);
  f->same_as = etr_arena_alloc_array(f->arena, f->scopes->count, sizeof *f->same_as);
  f->copies = etr_arena_alloc_array(f->arena, f->scopes->count, sizeof *f->copies);
  f->last = etr_arena_alloc_array(f->arena, f->scopes->count, sizeof *f->last);
  return !etr_arena_failed(f->arena);
}

bool etr_dot_fold_make(etr_dot_fold *out, etr_arena *arena, const etr_profile *profile,
                       const etr_graph *graph, etr_scopes *scopes, etr_dot_choice *choice) {
  folder f = {
      .arena = arena, .graph = graph, .scopes = scopes, .choice = choice, .text = {.arena = arena}};
  size_t nodes = graph->node_count;
  uint32_t *alike = etr_arena_alloc_array(arena, nodes, sizeof *alike);
  if (alike == NULL || !find_kinds_and_steps(&f) || !list_blocks(&f) || !find_equal_blocks(&f))
    return false;
  for (uint32_t i = 0; i < nodes; i++) {
    /* From the outermost block inwards: a node that is drawn for others in an outer block may not
     * be drawn in an inner one. */
    while (f.stand_in[i] != f.stand_in[f.stand_in[i]])
      f.stand_in[i] = f.stand_in[f.stand_in[i]];
    alike[f.stand_in[i]]++;
    if (f.stand_in[i] != i)
      choice->drawn[i] = choice->focused[i] = false;
  }
  *out = (etr_dot_fold){f.stand_in, alike, f.same_as, f.copies, f.last, find_medians(&f, profile)};
  return !etr_arena_failed(arena);
}

bool etr_dot_fold_is_next(const etr_dot_fold *fold, const etr_scopes *scopes, uint32_t from,
                          uint32_t to) {
  uint32_t a = scopes->of_node[from], b = scopes->of_node[to];
  if (fold->same_as == NULL || a == ETR_NONE || b == ETR_NONE)
    return false;
  /* Goes up to the two siblings that contain the nodes. */
  while (scopes->list[a].depth > scopes->list[b].depth)
    a = scopes->list[a].parent;
  while (scopes->list[b].depth > scopes->list[a].depth)
    b = scopes->list[b].parent;
  while (scopes->list[a].parent != scopes->list[b].parent) {
    a = scopes->list[a].parent;
    b = scopes->list[b].parent;
  }
  return a != b && fold->same_as[a] == fold->same_as[b];
}
