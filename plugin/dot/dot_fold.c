/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dot_fold.c - finds equal blocks.
 */
#include "dot/dot_plan.h"

#include "output/label.h"
#include "output/writer.h"

#include <stdlib.h>

/* A scope that may be equal to others, with its nodes at any depth. */
typedef struct block {
  uint32_t scope;
  etr_vec(uint32_t) nodes;
} block;

typedef struct folder {
  etr_arena *arena;
  const etr_graph *graph;
  const etr_scopes *scopes;
  const etr_dot_choice *choice;
  etr_map kinds;   /* description of a node without its position -> number */
  etr_map forms;   /* description of a block -> number */
  etr_text text;   /* a key that is being made */
  uint32_t *block; /* per scope: index of its block; ETR_NONE: it is not a block */
  etr_vec(block) blocks;
  uint32_t *seen_in, *place; /* per node: the block in whose form it was last seen, and its position there */
  uint32_t *stand_in, *same_as, *copies, *last;
} folder;

/* ---- Blocks ---- */

/* Lists the scopes of modules that repeat, with their nodes. */
static bool list_blocks(folder *f) {
  for (uint32_t i = 0; i < f->scopes->count; i++) {
    f->block[i] = ETR_NONE;
    f->same_as[i] = i;
    f->copies[i] = 1;
    f->last[i] = i;
    uint32_t module = f->scopes->list[i].module;
    if (module == ETR_NONE || strcmp(f->graph->modules[module].pattern, f->graph->modules[module].path) == 0) continue;
    block *added = etr_vec_push(f->arena, &f->blocks);
    if (added == NULL) return false;
    added->scope = i;
    f->block[i] = (uint32_t)f->blocks.count - 1;
  }
  for (uint32_t i = 0; i < f->graph->node_count; i++) {
    f->stand_in[i] = i;
    f->seen_in[i] = ETR_NONE;
    if (etr_dot_is_weight(&f->graph->nodes[i])) continue;
    for (uint32_t s = f->scopes->of_node[i]; s != ETR_NONE; s = f->scopes->list[s].parent) {
      uint32_t *slot = f->block[s] == ETR_NONE ? NULL : etr_vec_push(f->arena, &f->blocks.data[f->block[s]].nodes);
      if (slot != NULL) *slot = i;
    }
  }
  return !etr_arena_failed(f->arena);
}

/* ---- Forms ---- */

static void put_number(folder *f, uint32_t number) { (void)etr_text_add(&f->text, ETR_BYTES(number)); }

static void put_text(folder *f, const char *text) {
  (void)etr_text_add(&f->text, (etr_slice){text, strlen(text) + 1}); /* the NUL separates texts */
}

/* Returns the number of the key that was put since the text was begun. */
static uint32_t number_of_text(folder *f, etr_map *map) {
  etr_slice key = {f->text.data, f->text.size};
  uint32_t known = etr_map_get(map, key);
  if (known != ETR_NONE) return known;
  const char *copy = etr_arena_copy(f->arena, key);
  return copy != NULL ? etr_map_number(map, (etr_slice){copy, key.size}) : ETR_NONE;
}

static uint32_t kind_of_node(folder *f, uint32_t index) {
  const etr_node *node = &f->graph->nodes[index];
  const char *backend = f->graph->times != NULL ? f->graph->times[index].backend : NULL;
  f->text.size = 0;
  put_number(f, node->kind);
  put_text(f, node->kind == ETR_NODE_OP ? node->target : "");
  put_text(f, backend != NULL ? backend : "");
  for (size_t i = 0; i < node->output_count; i++) {
    const char *shape = etr_label_shape(f->arena, &node->outputs[i]);
    put_text(f, shape != NULL ? shape : "");
  }
  return number_of_text(f, &f->kinds);
}

enum { FROM_INSIDE, FROM_WEIGHT, FROM_OUTSIDE };

/* Puts the source of an input of a node in a block. Nodes outside the block are numbered when they are first read. */
static void put_input(folder *f, const uint32_t *kinds, uint32_t number, const block *of, uint32_t *outside,
                      const etr_edge *input) {
  uint32_t from = input->node;
  bool is_weight = etr_dot_is_weight(&f->graph->nodes[from]);
  bool is_new = f->seen_in[from] != number;
  if (is_weight) {
    put_number(f, FROM_WEIGHT);
    put_number(f, kinds[from]);
    return;
  }
  if (is_new) {
    f->seen_in[from] = number;
    f->place[from] = (uint32_t)of->nodes.count + (*outside)++;
  }
  put_number(f, f->place[from] < of->nodes.count ? FROM_INSIDE : FROM_OUTSIDE);
  put_number(f, f->place[from]);
  put_number(f, input->output);
}

/* Returns the form of a block; equal blocks have equal forms. Only siblings of one pattern are compared, and they are
 * only equal if the choice treats their nodes alike. */
static uint32_t form_of(folder *f, const uint32_t *kinds, uint32_t number) {
  const block *b = &f->blocks.data[number];
  const etr_scope *scope = &f->scopes->list[b->scope];
  uint32_t outside = 0;
  f->text.size = 0;
  put_number(f, scope->parent);
  put_text(f, f->graph->modules[scope->module].pattern);
  for (uint32_t i = 0; i < b->nodes.count; i++) {
    f->seen_in[b->nodes.data[i]] = number;
    f->place[b->nodes.data[i]] = i;
  }
  for (size_t i = 0; i < b->nodes.count; i++) {
    uint32_t index = b->nodes.data[i];
    const etr_node *node = &f->graph->nodes[index];
    put_number(f, kinds[index]);
    put_number(f, f->scopes->list[f->scopes->of_node[index]].depth);
    put_number(f, f->choice->rank[index] > 0 ? index : 0); /* each of the slowest nodes is drawn by itself */
    put_number(f, f->choice->drawn[index] * 2u + f->choice->focused[index]);
    size_t inputs = node->input_count + node->other_input_count;
    put_number(f, (uint32_t)inputs);
    for (size_t k = 0; k < inputs; k++) put_input(f, kinds, number, b, &outside, &node->inputs[k]);
  }
  return number_of_text(f, &f->forms);
}

/* ---- Folding ---- */

/* Finds equal blocks. If a block is drawn for another one, its nodes are drawn for the nodes of the other. Outer blocks
 * come first, and their result is kept. Returns false when out of memory. */
static bool find_equal_blocks(folder *f) {
  uint32_t *kinds = etr_arena_alloc_array(f->arena, f->graph->node_count, sizeof *kinds);
  uint32_t *first = etr_arena_alloc_array(f->arena, f->blocks.count, sizeof *first); /* the first block of each form */
  if (kinds == NULL || first == NULL) return false;
  for (uint32_t i = 0; i < f->graph->node_count; i++) kinds[i] = kind_of_node(f, i);
  for (uint32_t i = 0, forms = 0; i < f->blocks.count; i++) {
    uint32_t form = form_of(f, kinds, i);
    if (etr_arena_failed(f->arena)) return false;
    if (form == forms) {
      first[forms++] = i;
      continue;
    }
    const block *with = &f->blocks.data[first[form]], *hidden = &f->blocks.data[i];
    f->same_as[hidden->scope] = with->scope;
    f->copies[with->scope]++;
    f->last[with->scope] = hidden->scope;
    for (size_t k = 0; k < hidden->nodes.count; k++) {
      uint32_t *stand_in = &f->stand_in[hidden->nodes.data[k]];
      if (*stand_in == hidden->nodes.data[k]) *stand_in = with->nodes.data[k];
    }
  }
  return true;
}

typedef struct copy {
  uint32_t scope; /* scope that is drawn */
  double ticks;
} copy;

static int by_scope(const void *a, const void *b) {
  const copy *x = a, *y = b;
  if (x->scope != y->scope) return x->scope < y->scope ? -1 : 1;
  return (x->ticks > y->ticks) - (x->ticks < y->ticks);
}

/* Returns the median time of each scope that is drawn for others. Blocks around it may also be hidden. */
static const double *medians(folder *f) {
  const etr_scope *scopes = f->scopes->list;
  double *list = etr_arena_alloc_array(f->arena, f->scopes->count, sizeof *list);
  copy *copies = etr_arena_alloc_array(f->arena, f->blocks.count, sizeof *copies);
  size_t count = 0;
  for (size_t i = 0; copies != NULL && i < f->blocks.count; i++) {
    const block *b = &f->blocks.data[i];
    if (b->nodes.count == 0) continue;
    copy *added = &copies[count++];
    *added = (copy){.scope = f->scopes->of_node[f->stand_in[b->nodes.data[0]]]};
    while (scopes[added->scope].depth > scopes[b->scope].depth) added->scope = scopes[added->scope].parent;
    for (size_t k = 0; f->graph->times != NULL && k < b->nodes.count; k++) {
      const etr_node_time *time = &f->graph->times[b->nodes.data[k]];
      added->ticks += time->runs > 0 ? time->avg : 0;
    }
  }
  if (list == NULL || copies == NULL) return NULL;
  etr_sort(copies, count, sizeof *copies, by_scope);
  for (size_t from = 0, to; from < count; from = to) {
    for (to = from + 1; to < count && copies[to].scope == copies[from].scope;) to++;
    list[copies[from].scope] = (copies[(from + to - 1) / 2].ticks + copies[(from + to) / 2].ticks) / 2;
  }
  return list;
}

/* ---- The whole fold ---- */

bool etr_dot_fold_make(etr_dot_fold *out, etr_arena *arena, const etr_graph *graph, const etr_scopes *scopes,
                       etr_dot_choice *choice) {
  folder f = {.arena = arena, .graph = graph, .scopes = scopes, .choice = choice, .text = {.arena = arena}};
  size_t nodes = graph->node_count, count = scopes->count;
  etr_map_init(&f.kinds, arena);
  etr_map_init(&f.forms, arena);
  f.block = etr_arena_alloc_array(arena, count, sizeof *f.block);
  f.same_as = etr_arena_alloc_array(arena, count, sizeof *f.same_as);
  f.copies = etr_arena_alloc_array(arena, count, sizeof *f.copies);
  f.last = etr_arena_alloc_array(arena, count, sizeof *f.last);
  f.seen_in = etr_arena_alloc_array(arena, nodes, sizeof *f.seen_in);
  f.place = etr_arena_alloc_array(arena, nodes, sizeof *f.place);
  f.stand_in = etr_arena_alloc_array(arena, nodes, sizeof *f.stand_in);
  uint32_t *alike = etr_arena_alloc_array(arena, nodes, sizeof *alike);
  if (etr_arena_failed(arena) || !list_blocks(&f) || !find_equal_blocks(&f)) return false;
  for (uint32_t i = 0; i < nodes;
       i++) { /* from the outermost block inwards; each step leads to a node that is drawn for more nodes */
    while (f.stand_in[i] != f.stand_in[f.stand_in[i]]) f.stand_in[i] = f.stand_in[f.stand_in[i]];
    alike[f.stand_in[i]]++;
    if (f.stand_in[i] != i) choice->drawn[i] = choice->focused[i] = false;
  }
  *out = (etr_dot_fold){f.stand_in, alike, f.same_as, f.copies, f.last, medians(&f)};
  return !etr_arena_failed(arena);
}

bool etr_dot_fold_is_next(const etr_dot_fold *fold, const etr_scopes *scopes, uint32_t from, uint32_t to) {
  uint32_t a = scopes->of_node[from], b = scopes->of_node[to];
  if (fold->same_as == NULL || a == ETR_NONE || b == ETR_NONE) return false;
  while (scopes->list[a].depth > scopes->list[b].depth) a = scopes->list[a].parent;
  while (scopes->list[b].depth > scopes->list[a].depth) b = scopes->list[b].parent;
  while (scopes->list[a].parent != scopes->list[b].parent) a = scopes->list[a].parent, b = scopes->list[b].parent;
  return a != b && fold->same_as[a] == fold->same_as[b];
}
