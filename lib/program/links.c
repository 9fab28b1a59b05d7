/* SPDX-License-Identifier: BSD-3-Clause
 *
 * links.c - the last writer of each value, instruction by instruction.
 */
#include "program/pte_builder.h"

typedef etr_vec(etr_edge) etr_edges;
typedef etr_vec(etr_value) etr_values;

enum { MOST_ITEMS = 256 }; /* of a list, whose tensors are told apart; beyond what real programs have */

/* ---- Values ---- */

static void describe_value(etr_links *l, etr_value *out, int32_t index) {
  const etr_pte_value *value = &l->program->values[index];
  etr_dim *dims = value->rank > 0 ? etr_arena_alloc_array(l->arena, (size_t)value->rank, sizeof *dims) : NULL;
  *out = (etr_value){.name = etr_arena_format(l->arena, "value_%d", index),
                     .dtype = value->dtype,
                     .rank = -1,
                     .is_bound = value->dynamic};
  if (value->kind != ETR_PTE_VALUE_TENSOR || (value->rank > 0 && !dims)) return;
  for (int32_t i = 0; i < value->rank; i++) dims[i] = (etr_dim){.size = value->sizes[i], .hint = -1};
  out->dims = dims;
  out->rank = value->rank;
}

static bool is_value(const etr_links *l, int32_t index) {
  return index >= 0 && (size_t)index < l->program->value_count;
}

/* Marks a value, and what a list holds, as written by an output of a node. */
static void set_writer(etr_links *l, int32_t index, uint32_t node, uint32_t output) {
  if (!is_value(l, index)) return;
  l->writer[index] = (etr_edge){node, output};
  l->is_view[index] = false;
  etr_storages_write(&l->storages, index);
}

static void mark_written(etr_links *l, int32_t index, uint32_t node, uint32_t output) {
  set_writer(l, index, node, output);
  const etr_pte_value *value = is_value(l, index) ? &l->program->values[index] : NULL;
  if (!value || !etr_spend(&l->uses.items_left, value->item_count)) return;
  for (size_t i = 0; i < value->item_count; i++) set_writer(l, value->items[i], node, output);
}

/* ---- What an instruction reads and writes ---- */

/* Nothing is added where nothing wrote. */
static bool add_written(etr_links *l, etr_node *node, etr_edges *inputs, etr_edge writer) {
  if (writer.node == ETR_NONE) return true;
  etr_edge *edge = etr_vec_push(l->arena, inputs);
  if (!edge) return false;
  *edge = writer;
  node->inputs = inputs->data;
  node->input_count = inputs->count;
  return true;
}

static bool note_source(etr_links *l, int32_t index) {
  l->misses_input = true;
  if (l->program->values[index].kind != ETR_PTE_VALUE_TENSOR || l->is_source[index]) return true;
  int32_t *source = etr_vec_push(l->arena, &l->sources);
  if (!source) return false;
  *source = index;
  return l->is_source[index] = true;
}

static bool add_input(etr_links *l, etr_node *node, etr_edges *inputs, int32_t index) {
  /* A view that memory planning made one with what it views belongs to the writer of that. */
  int32_t viewed = l->writer[index].node == ETR_NONE ? etr_storages_viewed(&l->storages, index) : -1;
  if (viewed >= 0) l->writer[index] = l->writer[viewed];
  if (viewed >= 0) l->is_view[index] = true;
  etr_edge writer = l->writer[index];
  if (writer.node == ETR_NONE) return note_source(l, index);
  int32_t *read = etr_vec_push(l->arena, &l->reads);
  if (!read) return false;
  *read = index;
  return add_written(l, node, inputs, writer);
}

static bool add_output(etr_links *l, etr_node *node, uint32_t place, etr_values *outputs, int32_t index) {
  if (l->writer[index].node == place) return true; /* an out argument is what the kernel returns, too */
  etr_value *output = etr_vec_push(l->arena, outputs);
  if (!output) return false;
  describe_value(l, output, index);
  if (l->writer[index].node != ETR_NONE) /* changed in place: another value with a name of its own */
    output->name = etr_arena_format(l->arena, "value_%d_%u", index, place);
  mark_written(l, index, place, (uint32_t)(outputs->count - 1));
  node->outputs = outputs->data;
  node->output_count = outputs->count;
  return true;
}

/* ---- Together ---- */

bool etr_links_init(etr_links *l, const etr_method_inputs *method, etr_arena *arena) {
  const etr_pte_method *program = method->program;
  *l = (etr_links){.program = program, .arena = arena};
  etr_storages_init(&l->storages, program, arena);
  l->writer = etr_arena_alloc_array(arena, program->value_count, sizeof *l->writer);
  for (size_t i = 0; l->writer && i < program->value_count; i++) l->writer[i].node = ETR_NONE;
  l->is_source = etr_arena_alloc_array(arena, program->value_count, sizeof *l->is_source);
  l->is_view = etr_arena_alloc_array(arena, program->value_count, sizeof *l->is_view);
  if (!l->writer || !l->is_source || !l->is_view || !etr_uses_init(&l->uses, method, NULL, arena)) return false;
  return l->uses.opens_graphs = true;
}

bool etr_links_add_input(etr_links *l, etr_node *node, uint32_t place, int32_t index) {
  etr_value *value = is_value(l, index) ? etr_arena_alloc(l->arena, sizeof *value) : NULL;
  if (!value) return false;
  describe_value(l, value, index);
  node->outputs = value;
  node->output_count = 1;
  mark_written(l, index, place, 0);
  return true;
}

bool etr_links_add_source(etr_links *l, etr_node *node, uint32_t place, int32_t index) {
  const etr_pte_value *value = &l->program->values[index];
  const char *kind = value->constant ? "constant" : "buffer";
  node->kind = value->constant ? ETR_NODE_CONSTANT : ETR_NODE_BUFFER;
  node->name = node->target = node->op_type = etr_arena_format(l->arena, "%s_%d", kind, index);
  node->weight_name = value->weight;
  return node->name && etr_links_add_input(l, node, place, index);
}

/* What was added last came with this argument. */
static bool note_argument(etr_links *l, const etr_node *node, uint32_t argument) {
  while (l->read_args.count < node->input_count || l->written_args.count < node->output_count) {
    bool is_read = l->read_args.count < node->input_count;
    uint32_t *added = is_read ? etr_vec_push(l->arena, &l->read_args) : etr_vec_push(l->arena, &l->written_args);
    if (!added) return false;
    *added = argument;
  }
  return true;
}

/* The tensors of a list are used one by one; a list that is longer than any operator's is one value. */
bool etr_links_add(etr_links *l, etr_node *node, uint32_t place, int32_t instruction_id) {
  etr_edges inputs = {0};
  etr_values outputs = {0};
  l->read_args.count = l->written_args.count = 0;
  l->misses_input = false;
  l->reads.count = 0;
  etr_uses_list(&l->uses, instruction_id);
  const etr_use *uses = l->uses.list.data;
  for (size_t i = 0, end; i < l->uses.list.count; i = end) {
    for (end = i + 1; end < l->uses.list.count && uses[end].argument == uses[i].argument;) end++;
    bool is_whole = end - i == 1 || end - i > MOST_ITEMS;
    for (size_t k = is_whole ? i : i + 1; k < (is_whole ? i + 1 : end); k++) {
      /* Of a delegate that nothing can look into, what nothing wrote before is a result. */
      const etr_use *use = &uses[k];
      bool is_new = l->writer[use->value].node == ETR_NONE && !l->program->values[use->value].constant;
      bool is_written = use->is_written || (use->is_unsure && is_new);
      bool is_read = use->is_read && !(use->is_unsure && is_new) && l->writer[use->value].node != place;
      if (is_read && !add_input(l, node, &inputs, use->value)) return false;
      if (is_written && !add_output(l, node, place, &outputs, use->value)) return false;
      if (!note_argument(l, node, use->argument)) return false;
    }
  }
  return !etr_arena_failed(l->arena);
}

bool etr_links_views(etr_links *l, const etr_node *node, const etr_value **views) {
  etr_value *list = NULL;
  *views = NULL;
  for (size_t i = 0; i < node->input_count && i < l->reads.count; i++) {
    if (!l->is_view[l->reads.data[i]]) continue;
    if (!list) *views = list = etr_arena_alloc_array(l->arena, node->input_count, sizeof *list);
    if (!list) return false;
    describe_value(l, &list[i], l->reads.data[i]);
  }
  return !etr_arena_failed(l->arena);
}

bool etr_links_add_output(etr_links *l, etr_node *node) {
  etr_edges inputs = {0};
  for (size_t i = 0; i < l->program->output_count; i++)
    if (is_value(l, l->program->outputs[i]) && !add_written(l, node, &inputs, l->writer[l->program->outputs[i]]))
      return false;
  return true;
}
