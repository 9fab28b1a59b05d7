/* SPDX-License-Identifier: BSD-3-Clause
 *
 * scope_bucket.c - boxes with too many children get buckets: runs of list members ("layers.0-15"), of nodes
 * ("ops.0000-0063"), and, where names do not help, of boxes ("modules.0000-0015"). A pass takes one step for every
 * overfull box; a few passes nest buckets as deep as it takes.
 */
#include "views/scope_tree.h"

enum {
  MAX_ON_TOP = 32,
  MAX_IN_BOX = 100,
  MAX_BUCKETS = 16, /* made of one box's nodes, or of one run, in one pass; what is too big then is split again */
  NODES_PER_BUCKET = 64,
  NODES_PER_BUCKET_ON_TOP =
      8,              /* a single box on top that holds most of a small model would be all that is seen of it */
  FEWEST_BUCKETS = 4, /* where that many are wanted, for the same reason */
  BOXES_PER_BUCKET = 8,
  SHORTEST_RUN = 3,
  MAX_PASSES = 16, /* each pass divides by more than ten: a bound for structs that break the contract, not for graphs */
};

typedef enum step { STEP_NONE, STEP_NODES, STEP_RUNS, STEP_BOXES } step;

/* What is done to one box in this pass. */
typedef struct box_plan {
  step step;
  uint32_t loose;       /* nodes directly inside that may go into buckets */
  uint32_t longest_run; /* of list members among the boxes inside */
  uint32_t buckets;     /* to be made of the nodes, or of the boxes */
  uint32_t seen;        /* things put into buckets so far */
  uint32_t bucket;      /* the one being filled */
} box_plan;

/* Siblings "layers.0", "layers.1", ..., whatever stands between them; kept at the first of them. */
typedef struct list_run {
  uint32_t first;
  uint32_t length, seen, bucket;
} list_run;

typedef struct pass {
  etr_tree *tree;
  size_t box_count; /* without those that the pass adds */
  box_plan *plans;
  list_run *runs;
} pass;

static uint32_t bucket_count(uint32_t things, uint32_t per_bucket) {
  return ETR_MIN((things + per_bucket - 1) / per_bucket, (uint32_t)MAX_BUCKETS);
}

/* Inputs and the output stay where they are, unless they are in a box of inputs. */
static bool is_loose(const etr_tree *tree, size_t node) {
  etr_node_kind kind = tree->graph->nodes[node].kind;
  return kind == ETR_NODE_OP ||
         (kind == ETR_NODE_INPUT && tree->boxes.data[tree->of_node[node]].kind == ETR_SCOPE_BUCKET);
}

/* Length of a label without the number at its end. */
static size_t stem_length(const char *label) {
  size_t stem = strlen(label);
  while (stem > 0 && label[stem - 1] >= '0' && label[stem - 1] <= '9') stem--;
  return stem;
}

/* The first member of the list that a box is in, as far as they are siblings; the box itself if it is the first, or in
 * none. */
static uint32_t first_of_list(const etr_tree *tree, etr_map *lists, uint32_t index) {
  const etr_box *box = &tree->boxes.data[index];
  size_t stem = stem_length(box->label);
  if (box->kind != ETR_SCOPE_MODULE || box->label[stem] == '\0') return index;
  etr_slice key = etr_key_of(tree->arena, box->parent, (etr_slice){box->label, stem});
  uint32_t known = etr_map_get(lists, key);
  if (known == ETR_NONE) etr_map_set(lists, key, index);
  return known == ETR_NONE ? index : known;
}

static step choose_step(const etr_box *box, box_plan *plan, bool on_top) {
  uint32_t limit = on_top ? MAX_ON_TOP : MAX_IN_BOX, others = box->node_count - plan->loose + box->box_count;
  if (plan->loose + others <= limit) return STEP_NONE;
  uint32_t wanted = bucket_count(plan->loose, on_top ? NODES_PER_BUCKET_ON_TOP : NODES_PER_BUCKET);
  uint32_t room = limit > others ? limit - others : 0;
  bool fits = room >= ETR_MIN(wanted, (uint32_t)FEWEST_BUCKETS);
  plan->buckets = fits ? ETR_MIN(wanted, room) : wanted;
  if (plan->loose > 1 && fits) return STEP_NODES;
  if (plan->longest_run >= SHORTEST_RUN) return STEP_RUNS;
  if (plan->loose > wanted) return STEP_NODES;
  plan->buckets = bucket_count(box->box_count, BOXES_PER_BUCKET);
  return box->box_count > 1 ? STEP_BOXES : STEP_NONE;
}

static bool choose_steps(pass *p) {
  bool any = false;
  for (size_t i = 0; i < p->tree->graph->node_count; i++)
    if (!etr_node_is_weight(&p->tree->graph->nodes[i])) p->plans[p->tree->of_node[i]].loose += is_loose(p->tree, i);
  for (size_t i = 0; i < p->box_count; i++) {
    p->plans[i].step = choose_step(&p->tree->boxes.data[i], &p->plans[i], i == ETR_TREE_TOP);
    any |= p->plans[i].step != STEP_NONE;
  }
  return any;
}

/* Even buckets: 65 things are 33 and 32, not 64 and 1. */
static uint32_t bucket_size(uint32_t things, uint32_t buckets) { return (things + buckets - 1) / buckets; }

/* The bucket of the next of `things` in a box; numbers go on where the box, being a bucket itself, starts. */
static uint32_t next_bucket(pass *p, uint32_t box, const char *stem, uint32_t things) {
  box_plan *plan = &p->plans[box];
  uint32_t size = bucket_size(things, plan->buckets), at = plan->seen++;
  if (at % size != 0) return plan->bucket;
  const etr_box *around = &p->tree->boxes.data[box];
  uint32_t base = 0;
  if (around->stem) {
    stem = around->stem;
    base = around->base;
  }
  unsigned first = base + at, last = base + ETR_MIN(at + size, things) - 1;
  plan->bucket = etr_tree_add(p->tree, box, etr_arena_format(p->tree->arena, "%s.%04u-%04u", stem, first, last),
                              ETR_SCOPE_BUCKET);
  p->tree->boxes.data[plan->bucket].stem = stem;
  p->tree->boxes.data[plan->bucket].base = first;
  return plan->bucket;
}

/* The bucket of the next member of a run. It is called like its first member until the last one is in. */
static uint32_t next_run_bucket(pass *p, list_run *run, uint32_t box) {
  uint32_t size = bucket_size(run->length, bucket_count(run->length, BOXES_PER_BUCKET)), at = run->seen++;
  const char *label = p->tree->boxes.data[box].label;
  if (at % size == 0) run->bucket = etr_tree_add(p->tree, p->tree->boxes.data[box].parent, label, ETR_SCOPE_BUCKET);
  bool is_last = at % size == size - 1 || at == run->length - 1;
  if (is_last && at % size != 0) {
    etr_box *bucket = &p->tree->boxes.data[run->bucket];
    const char *range = etr_arena_format(p->tree->arena, "%s-%s", bucket->label, label + stem_length(label));
    if (range) bucket->label = range;
  }
  return run->bucket;
}

void etr_tree_bucket(etr_tree *tree) {
  for (int i = 0; i < MAX_PASSES; i++) {
    etr_tree_count(tree);
    pass p = {.tree = tree, .box_count = tree->boxes.count};
    p.plans = etr_arena_alloc_array(tree->arena, p.box_count, sizeof *p.plans);
    p.runs = etr_arena_alloc_array(tree->arena, p.box_count, sizeof *p.runs);
    if (etr_arena_failed(tree->arena)) return;
    /* Lists of boxes that follow each other. */
    etr_map lists;
    etr_map_init(&lists, p.tree->arena);
    for (uint32_t j = 1; j < p.box_count; j++) {
      box_plan *around = &p.plans[p.tree->boxes.data[j].parent];
      p.runs[j].first = first_of_list(p.tree, &lists, j);
      uint32_t length = ++p.runs[p.runs[j].first].length;
      around->longest_run = ETR_MAX(around->longest_run, length);
    }
    if (!choose_steps(&p)) return;
    /* Boxes go into the bucket that their parent's plan wants. */
    for (uint32_t m = 1; m < p.box_count; m++) {
      uint32_t parent = p.tree->boxes.data[m].parent, bucket = parent;
      list_run *run = &p.runs[p.runs[m].first];
      if (p.plans[parent].step == STEP_RUNS && run->length >= SHORTEST_RUN) bucket = next_run_bucket(&p, run, m);
      if (p.plans[parent].step == STEP_BOXES)
        bucket = next_bucket(&p, parent, "modules", p.tree->boxes.data[parent].box_count);
      p.tree->boxes.data[m].parent = bucket;
    }
    /* Nodes of boxes that have too many. */
    for (size_t k = 0; k < p.tree->graph->node_count; k++) {
      if (etr_node_is_weight(&p.tree->graph->nodes[k])) continue;
      uint32_t box = p.tree->of_node[k];
      if (p.plans[box].step == STEP_NODES && is_loose(p.tree, k))
        p.tree->of_node[k] = next_bucket(&p, box, "ops", p.plans[box].loose);
    }
    etr_tree_settle(tree);
    if (etr_arena_failed(tree->arena)) return;
  }
}
