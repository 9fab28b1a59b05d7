/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_weights.c - weights in several places, and of several number types.
 */
#include "views/memory_rules.h"

/* ---- Weights stored twice ---- */

/* The delegates, by instruction, that nodes with a weight run in; -1 stands for kernels. */
enum { MOST_USERS = 8 };

typedef struct users {
  int32_t list[MOST_USERS];
  size_t count;
} users;

static void note_user(users *u, int32_t instruction) {
  for (size_t i = 0; i < u->count; i++)
    if (u->list[i] == instruction) return;
  if (u->count < MOST_USERS) u->list[u->count++] = instruction;
}

static bool shares_named_data(const etr_program_memory *memory) {
  for (size_t i = 0; memory && i < memory->segment_count; i++)
    if (memory->segments[i].kind == ETR_SEGMENT_NAMED) return true;
  return false;
}

/* Who uses each weight: per node of the graph. */
static users *find_users(const etr_memory_finder *f, const etr_graph *graph) {
  users *all = etr_arena_alloc_array(f->arena, graph->node_count, sizeof *all);
  for (size_t i = 0; all && i < graph->node_count; i++) {
    if (graph->nodes[i].kind != ETR_NODE_OP) continue;
    for (size_t k = 0; k < graph->nodes[i].input_count; k++) {
      uint32_t input = graph->nodes[i].inputs[k].node;
      if (graph->nodes[input].weight_name) note_user(&all[input], graph->times[i].delegate_instruction);
    }
  }
  return all;
}

void etr_memory_find_stored_twice(etr_memory_finder *f) {
  const etr_graph *graph = etr_memory_graph(f->profile, f->method);
  const users *all = f->plan && graph && graph->times ? find_users(f, graph) : NULL;
  size_t weight_count, copies = 0;
  const etr_weight *weights = etr_weights_of(&weight_count, f->arena, f->profile, f->method);
  uint64_t bytes = 0, whole = 0;
  const etr_weight *first = NULL;
  if (!all || !weights || shares_named_data(f->profile->program_memory)) return;
  for (size_t i = 0; i < weight_count; i++) {
    const users *u = &all[weights[i].node - graph->nodes];
    whole = etr_add_up_to_most(whole, weights[i].bytes);
    if (u->count < 2 || !weights[i].is_known) continue;
    if (!first || first->bytes < weights[i].bytes) first = &weights[i];
    copies++;
    bytes = etr_add_up_to_most(bytes, (u->count - 1) * weights[i].bytes);
  }
  etr_memory_finding *added = first ? etr_memory_finder_add(f, ETR_MEMORY_STORED_TWICE, bytes, whole) : NULL;
  if (!added) return;
  added->title = etr_arena_format(f->arena, "%zu weight%s used in several delegates, or by kernels as well", copies,
                                  copies == 1 ? " is" : "s are");
  added->evidence = etr_arena_format(
      f->arena, "the largest is %.*s, %s bytes; each delegate may hold a copy, as the program shares no named data",
      ETR_HEAD(first->node->weight_name, 96), etr_bytes_text(f->arena, first->bytes));
}

/* ---- float32 beside int8 ---- */

typedef struct by_type {
  uint64_t floats, bytes; /* float32; int8 and uint8 */
  const char *largest;
  uint64_t largest_bytes;
} by_type;

static void add_type(by_type *sums, const etr_value *value, const char *name, uint64_t bytes) {
  const char *dtype = value->dtype ? value->dtype : "";
  if (strcmp(dtype, "int8") == 0 || strcmp(dtype, "uint8") == 0) sums->bytes = etr_add_up_to_most(sums->bytes, bytes);
  if (strcmp(dtype, "float32") != 0) return;
  sums->floats = etr_add_up_to_most(sums->floats, bytes);
  if (bytes <= sums->largest_bytes) return;
  sums->largest = name;
  sums->largest_bytes = bytes;
}

/* Of the graph's weights; without a graph, of the constants. */
static by_type sum_types(etr_memory_finder *f) {
  const etr_program_memory *memory = f->profile->program_memory;
  size_t count;
  by_type sums = {0};
  const etr_weight *weights = etr_weights_of(&count, f->arena, f->profile, f->method);
  for (size_t i = 0; weights && i < count; i++)
    add_type(&sums, weights[i].value, weights[i].node->weight_name, weights[i].bytes);
  if (etr_memory_graph(f->profile, f->method)) return sums;
  for (size_t i = 0; memory && i < memory->constant_count; i++)
    add_type(&sums, &memory->constants[i].tensor, memory->constants[i].tensor.name, memory->constants[i].size_bytes);
  return sums;
}

void etr_memory_find_float_beside(etr_memory_finder *f) {
  const by_type sums = sum_types(f);
  if (sums.bytes == 0 || !sums.largest) return;
  etr_memory_finding *added = etr_memory_finder_add(f, ETR_MEMORY_FLOAT_BESIDE, sums.floats,
                                                    etr_add_up_to_most(sums.floats, sums.bytes));
  if (!added) return;
  added->title = "float32 weights beside int8 ones";
  added->evidence = etr_arena_format(f->arena, "%s bytes of float32, %s of 8 bits; the largest float32 one is %.*s, %s",
                                     etr_bytes_text(f->arena, sums.floats), etr_bytes_text(f->arena, sums.bytes),
                                     ETR_HEAD(sums.largest, 96), etr_bytes_text(f->arena, sums.largest_bytes));
}
