/* SPDX-License-Identifier: BSD-3-Clause
 *
 * value_gaps.c - values of the same node in the same run of both sides.
 */
#include "compare/pairing.h"

#include "accuracy/debug_data.h"
#include "accuracy/numeric_gap.h"

/* What identifies a logged value on both sides: the pair of nodes that computed it, its index among
 * the method's outputs, or its instruction; nothing if it can be on one side only. */
typedef enum origin { ORIGIN_NODE, ORIGIN_OUTPUT, ORIGIN_INSTRUCTION, ORIGIN_NOWHERE } origin;

/* The key by which values of both sides are paired. */
typedef struct value_key {
  const char *delegate_id; /* interned over both sides; NULL if the node identifies the value */
  uint32_t origin, id;     /* index of the pair of nodes, or of the instruction */
  uint32_t output,
      index;    /* which of the node's outputs; which of several of them, or of the instruction */
  uint64_t run; /* which of the runs that logged; ETR_NONE: any */
} value_key;
ETR_NO_PADDING(value_key, sizeof(char *) + 4 * sizeof(uint32_t) + sizeof(uint64_t));

/* The values of a method on one side. */
typedef struct side {
  const etr_profile *profile;
  uint32_t method;
  uint32_t *pair_of; /* per node of its graph */
  etr_seekable file; /* its debug buffer */
  bool is_open;
} side;

typedef struct comparer {
  etr_method_pair *pair;
  etr_arena *arena, scratch;
  side sides[ETR_SIDES];
  bool by_instruction; /* instructions mean the same on both sides */
  etr_map ids;
  etr_map base_values;       /* value_key -> index */
  etr_map counts[ETR_SIDES]; /* value_key of index 0 -> values of this output in this run */
  etr_map known;             /* value_key of any run -> gap */
  etr_vec(etr_value_gap) gaps;
  etr_status status;
} comparer;

/* ---- What a value is ---- */

/* Returns whether both sides call the same delegates at the same instructions, because then they
 * have the same lowering and instructions are the same. Methods without delegates do not show that.
 */
static bool is_same_lowering(const etr_method *a, const etr_method *b) {
  if (a->delegate_count != b->delegate_count || a->delegate_count == 0)
    return false;
  for (size_t i = 0; i < a->delegate_count; i++) {
    const etr_delegate *x = &a->delegates[i], *y = &b->delegates[i];
    if (x->instruction_id != y->instruction_id || x->handle_count != y->handle_count ||
        strcmp(x->backend, y->backend) != 0)
      return false;
  }
  return true;
}

/* Sets `pair_of` each node of one side to the index of its pair, or to ETR_NONE if it has no
 * partner. Returns false when out of memory. */
static bool index_pairs_by_node(comparer *c, int which) {
  side *s = &c->sides[which];
  uint32_t graph = s->profile->methods[s->method].graph;
  size_t count = graph == ETR_NONE ? 0 : s->profile->graphs[graph].node_count;
  s->pair_of = etr_arena_alloc_array(&c->scratch, count, sizeof *s->pair_of);
  if (!s->pair_of)
    return false;
  for (size_t i = 0; i < count; i++)
    s->pair_of[i] = ETR_NONE;
  for (size_t i = 0; i < c->pair->pair_count; i++) {
    const etr_node_pair *p = &c->pair->pairs[i];
    uint32_t node = which == ETR_BASE ? p->base_node : p->new_node;
    if (p->base_node != ETR_NONE && p->new_node != ETR_NONE)
      s->pair_of[node] = (uint32_t)i;
  }
  return true;
}

/* Returns the key under which the values of an output in one run are counted, which is that of its
 * first value. */
static value_key key_of_output(const value_key *key) {
  value_key output = *key;
  output.index = 0;
  return output;
}

/* Returns how many values of the key's output were counted in its run. */
static uint32_t count_of_output(const etr_map *counts, const value_key *key) {
  const value_key output = key_of_output(key);
  uint32_t count = etr_map_get(counts, ETR_BYTES(output));
  return count == ETR_NONE ? 0 : count;
}

/* Sets the key of a value, by which the value of the other side is found. Its origin is returned,
 * and in key->origin it is set only for a node, whose key is used to count the values of the node's
 * output in `counts`. */
static origin find_key_and_origin(comparer *c, const side *s, const etr_debug_value *value,
                                  uint32_t run, etr_map *counts, value_key *key) {
  *key = (value_key){.index = value->index, .run = run};
  if (value->is_output)
    return ORIGIN_OUTPUT;
  if (value->node != ETR_NONE) {
    key->id = s->pair_of[value->node];
    if (key->id == ETR_NONE)
      return ORIGIN_NOWHERE;
    key->origin = ORIGIN_NODE;
    key->output = value->output;
    /* Several instructions, or operators of a delegate, can be one node: its values are
     * distinguished by their order. */
    const value_key output = key_of_output(key);
    uint32_t index = count_of_output(counts, key);
    etr_map_set(counts, ETR_BYTES(output), index + 1);
    key->index = index;
    return ORIGIN_NODE;
  }
  if (!c->by_instruction)
    return ORIGIN_NOWHERE;
  key->id = (uint32_t)value->instruction_id;
  key->delegate_id = value->delegate_id ? etr_intern(&c->ids, etr_slice_of(value->delegate_id))
                                        : NULL;
  return ORIGIN_INSTRUCTION;
}

/* Calls visit() with the key and the index of every value of the method on one side that may also
 * be on the other. Runs are numbered from 0 among the runs that logged values, because the sides
 * need not have the same runs. Clears `counts`, and counts the values of nodes in it. Stops when
 * out of memory. */
static void visit_values(comparer *c, int which, etr_map *counts,
                         void (*visit)(comparer *, const value_key *, size_t value)) {
  const side *s = &c->sides[which];
  uint32_t run = 0, last = ETR_NONE;
  etr_map_init(counts, &c->scratch);
  for (size_t i = 0;
       i < s->profile->debug_value_count && c->status == ETR_OK && !etr_arena_failed(&c->scratch);
       i++) {
    const etr_debug_value *value = &s->profile->debug_values[i];
    value_key key;
    if (value->method != s->method)
      continue;
    run += last != ETR_NONE && last != value->run;
    last = value->run;
    key.origin = find_key_and_origin(c, s, value, run, counts, &key);
    if (key.origin != ORIGIN_NOWHERE)
      visit(c, &key, i);
  }
}

/* ---- Gaps ---- */

/* Sets *out to the gap between two logged numbers (int, double, bool), as if both were tensors of
 * one element. Returns NULL on success; else the reason why it is impossible, for the user: one of
 * them is a tensor, or no value. The caller has excluded that both are tensors. */
static const char *compare_logged_numbers(etr_numeric_gap *out, const etr_debug_value *base,
                                          const etr_debug_value *newer) {
  etr_gap_sum sum = {0};
  const etr_debug_value *const values[ETR_SIDES] = {base, newer};
  double numbers[ETR_SIDES];
  for (int i = 0; i < ETR_SIDES; i++) {
    if (values[i]->kind == ETR_DEBUG_TENSOR)
      return "one is a tensor, the other is not";
    if (values[i]->kind == ETR_DEBUG_NONE)
      return "one has no value";
    numbers[i] = values[i]->kind == ETR_DEBUG_DOUBLE ? values[i]->double_value
                                                     : (double)values[i]->int_value;
  }
  etr_gap_add(&sum, &numbers[ETR_BASE], &numbers[ETR_NEWER], 1);
  *out = etr_gap_of(&sum);
  return NULL;
}

/* Sets *out to the gap between the values of both sides, which are tensors in the debug buffers or
 * numbers. Returns NULL on success, or the reason why it is impossible, for the user. Sets the
 * comparer's status when out of memory. */
static const char *compare_tensors_or_numbers(comparer *c, etr_numeric_gap *out,
                                              const etr_debug_value *base,
                                              const etr_debug_value *newer) {
  etr_tensor_view views[ETR_SIDES];
  int64_t strides[ETR_SIDES][ETR_MOST_RANK];
  const char *problem = NULL;
  if (base->kind != ETR_DEBUG_TENSOR || newer->kind != ETR_DEBUG_TENSOR)
    return compare_logged_numbers(out, base, newer);
  for (int i = 0; i < ETR_SIDES; i++) {
    if (!c->sides[i].profile->debug_buffer)
      return i == ETR_BASE ? "the base has no debug buffer" : "the newer side has no debug buffer";
    const etr_debug_value *value = i == ETR_BASE ? base : newer;
    if (!value->stats || !c->sides[i].is_open ||
        !etr_debug_view(&views[i], value, &c->sides[i].file, strides[i]))
      return "its numbers cannot be read";
  }
  if (etr_gap_measure(out, &problem, &views[ETR_BASE], &views[ETR_NEWER]) != ETR_OK)
    c->status = ETR_ERROR_MEMORY;
  return problem;
}

/* Returns true if `a` is the larger gap; values that cannot be compared are the worst. */
static bool is_worse_gap(const etr_value_gap *a, const etr_value_gap *b) {
  if (a->problem || b->problem)
    return a->problem && !b->problem;
  return etr_gap_worse(&a->gap, &b->gap) > 0;
}

/* Does nothing, for a walk whose only purpose is that visit_values() counts. */
static void visit_nothing(comparer *c, const value_key *key, size_t value) {
  (void)c;
  (void)key;
  (void)value;
}

/* Indexes a value of the base by its key. */
static void index_base_value(comparer *c, const value_key *key, size_t value) {
  etr_map_set(&c->base_values, ETR_BYTES(*key), (uint32_t)value);
}

/* Compares a value of the newer side with that of the base which has the same key, if any, and
 * keeps the worst gap over all runs in c->gaps, with the number of runs that were compared. Nodes
 * that logged different numbers of values in a run are not compared, because it is unknown which of
 * them belong together. When out of memory, an arena has failed. */
static void compare_newer_value(comparer *c, const value_key *key, size_t value) {
  uint32_t partner = etr_map_get(&c->base_values, ETR_BYTES(*key));
  if (partner == ETR_NONE)
    return;
  if (key->origin == ORIGIN_NODE &&
      count_of_output(&c->counts[ETR_BASE], key) != count_of_output(&c->counts[ETR_NEWER], key))
    return;
  etr_value_gap gap = {.base = &c->sides[ETR_BASE].profile->debug_values[partner],
                       .newer = &c->sides[ETR_NEWER].profile->debug_values[value],
                       .pair = key->origin == ORIGIN_NODE ? key->id : ETR_NONE,
                       .run_pairs = 1};
  value_key any_run = *key;
  any_run.run = ETR_NONE;
  gap.problem = compare_tensors_or_numbers(c, &gap.gap, gap.base, gap.newer);
  uint32_t found = etr_map_get(&c->known, ETR_BYTES(any_run));
  if (found == ETR_NONE) {
    etr_value_gap *added = etr_vec_push(c->arena, &c->gaps);
    if (!added || !etr_map_set(&c->known, ETR_BYTES(any_run), (uint32_t)(c->gaps.count - 1)))
      return;
    *added = gap;
    return;
  }
  etr_value_gap *worst = &c->gaps.data[found];
  size_t run_pairs = worst->run_pairs + 1;
  if (is_worse_gap(&gap, worst))
    *worst = gap;
  worst->run_pairs = run_pairs;
}

/* ---- Together ---- */

/* Opens the debug buffers of both sides, as far as they have one that can be read, and sets is_open
 * of these. No error is wanted (NULL), because tensors of a side without an open buffer are
 * reported as not comparable. */
static void open_debug_buffers(comparer *c) {
  for (int i = 0; i < ETR_SIDES; i++) {
    const char *path = c->sides[i].profile->debug_buffer;
    c->sides[i].is_open = path &&
                          etr_debug_open(&c->sides[i].file, c->sides[i].profile, NULL) == ETR_OK;
  }
}

/* Lists the worst gap over all runs of each value that both sides logged; nothing if a side logged
 * none. Returns false when out of memory. */
bool etr_value_gaps_make(etr_method_pair *pair, const etr_comparison *comparison,
                         etr_arena *arena) {
  comparer c = {.pair = pair,
                .arena = arena,
                .sides = {{.profile = comparison->base, .method = pair->base_method},
                          {.profile = comparison->newer, .method = pair->new_method}}};
  if (pair->base_method == ETR_NONE || pair->new_method == ETR_NONE)
    return true;
  if (comparison->base->debug_value_count == 0 || comparison->newer->debug_value_count == 0)
    return true;
  const etr_method *base = &comparison->base->methods[pair->base_method],
                   *newer = &comparison->newer->methods[pair->new_method];
  c.by_instruction = pair->by_events || is_same_lowering(base, newer);
  etr_map_init(&c.ids, &c.scratch);
  etr_map_init(&c.base_values, &c.scratch);
  etr_map_init(&c.known, &c.scratch);
  if (index_pairs_by_node(&c, ETR_BASE) && index_pairs_by_node(&c, ETR_NEWER)) {
    open_debug_buffers(&c);
    /* The values of the newer side are walked twice: a comparison needs to know first how many
     * values each output logged. */
    etr_map counts_so_far;
    visit_values(&c, ETR_BASE, &c.counts[ETR_BASE], index_base_value);
    visit_values(&c, ETR_NEWER, &c.counts[ETR_NEWER], visit_nothing);
    visit_values(&c, ETR_NEWER, &counts_so_far, compare_newer_value);
    for (int i = 0; i < ETR_SIDES; i++)
      if (c.sides[i].is_open)
        etr_seekable_close(&c.sides[i].file);
  }
  pair->gaps = c.gaps.data;
  pair->gap_count = c.gaps.count;
  bool good = !etr_arena_failed(&c.scratch) && !etr_arena_failed(arena) && c.status == ETR_OK;
  etr_arena_clear(&c.scratch);
  return good;
}
