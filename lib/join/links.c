/* SPDX-License-Identifier: BSD-3-Clause
 *
 * links.c - follows values from the instructions that write them to those that read them.
 */
#include "join/links.h"

#include "inputs/pte.h"

#include <string.h>

typedef etr_vec(etr_edge) etr_edges;
typedef etr_vec(etr_value) etr_values;

enum {
  MOST_ITEMS = 256
}; /* longest list whose tensors are followed one by one; real programs have shorter ones */

/* ---- Values ---- */

/* Returns the type of a number, as Edge graphs have it; NULL for other values. */
static const char *number_type(const etr_pte_value *value) {
  switch (value->kind) {
  case ETR_PTE_VALUE_INT:
    return "int";
  case ETR_PTE_VALUE_BOOL:
    return "bool";
  case ETR_PTE_VALUE_DOUBLE:
    return "float";
  default:
    return NULL;
  }
}

/* Describes a value of the program: its name, type and shape. */
static void describe_value(etr_links *l, etr_value *out, int32_t index) {
  const etr_pte_value *value = &l->program->values[index];
  const char *number = number_type(value);
  etr_dim *dims = value->rank > 0
                      ? etr_arena_alloc_array(l->arena, (size_t)value->rank, sizeof *dims)
                      : NULL;
  *out = (etr_value){.name = etr_arena_numbered(l->arena, "value_", (uint32_t)index),
                     .dtype = number ? number : value->dtype,
                     .rank = -1,
                     .is_bound = value->dynamic};
  if (value->kind != ETR_PTE_VALUE_TENSOR || (value->rank > 0 && !dims))
    return;
  for (int32_t i = 0; i < value->rank; i++)
    dims[i] = (etr_dim){.size = value->sizes[i], .hint = -1};
  out->dims = dims;
  out->rank = value->rank;
}

static bool is_value(const etr_links *l, int32_t index) {
  return index >= 0 && (size_t)index < l->program->value_count;
}

/* ---- Writes ---- */

/* Calls `visit` for a value and for the values of a list, as far as the limit of items allows.
 * Returns false if a visit does. */
static bool visit_value_and_items(etr_links *l, int32_t index, int32_t id, etr_edge edge,
                                  bool (*visit)(etr_links *l, int32_t index, int32_t id,
                                                etr_edge edge)) {
  const etr_pte_value *value = &l->program->values[index];
  bool good = visit(l, index, id, edge);
  if (!etr_spend(&l->uses.items_left, value->item_count))
    return good;
  for (size_t i = 0; good && i < value->item_count; i++)
    if (is_value(l, value->items[i]))
      good = visit(l, value->items[i], id, edge);
  return good;
}

/* Notes that an instruction writes a value; `edge` is not used. Returns false when out of
 * memory. */
static bool note_write(etr_links *l, int32_t index, int32_t id, etr_edge edge) {
  (void)edge;
  l->known_since[index] = ETR_MIN(l->known_since[index], id);
  l->written_at[index] = id;
  etr_storages_write(&l->storages, index);
  return etr_reaching_add(&l->reaching, index, id);
}

/* Notes which output of the graph a write of a value is. Returns true, as visits do. */
static bool set_written_as(etr_links *l, int32_t index, int32_t id, etr_edge edge) {
  uint32_t write = etr_reaching_last(&l->reaching, index, id + 1);
  bool is_known = write != ETR_NONE && l->reaching.writes.data[write].instruction == id;
  if (is_known)
    l->written_as[write] = edge;
  l->written_at[index] = id;
  return true;
}

static bool set_at_start(etr_links *l, int32_t index, int32_t id, etr_edge edge) {
  l->at_start[index] = edge;
  l->known_since[index] = ETR_MIN(l->known_since[index], id);
  etr_storages_write(&l->storages, index);
  return true;
}

/* ---- What an instruction reads and writes ---- */

/* Picks the uses of an instruction that are followed: of a list its tensors, or, if they are more
 * than MOST_ITEMS, only the list. An argument of an opaque delegate is a result if no instruction
 * before uses it. */
static void pick_uses(etr_links *l, int32_t id) {
  etr_uses_list(&l->uses, id);
  const etr_use *uses = l->uses.list.data;
  l->picked.count = 0;
  for (size_t i = 0, end; i < l->uses.list.count; i = end) {
    for (end = i + 1; end < l->uses.list.count && uses[end].argument == uses[i].argument;)
      end++;
    bool is_list = uses[i].is_list && end - i > 1, is_whole = is_list && end - i > MOST_ITEMS;
    for (size_t k = is_list && !is_whole ? i + 1 : i; k < (is_whole ? i + 1 : end); k++) {
      etr_use *use = etr_vec_push(l->scratch, &l->picked);
      if (!use)
        return;
      *use = uses[k];
      bool is_new = l->known_since[use->value] >= id && !l->program->values[use->value].constant;
      if (use->is_unsure) {
        use->is_written = is_new;
        use->is_read &= !is_new;
      }
    }
  }
}

/* Notes a read of a value by an instruction. A view that memory planning merged with the tensor
 * that it views has the writers of that tensor. Returns false when out of memory. */
static bool note_read(etr_links *l, int32_t index, int32_t id) {
  bool is_unwritten = l->written_at[index] < 0 && l->at_start[index].node == ETR_NONE;
  if (is_unwritten && l->viewed[index] < 0)
    l->viewed[index] = etr_storages_viewed(&l->storages, index);
  l->known_since[index] = ETR_MIN(l->known_since[index], id);
  etr_write *read = etr_vec_push(l->scratch, &l->all_reads);
  if (read)
    *read = (etr_write){index, id};
  return read != NULL;
}

/* Forgets which value was written where, to read the calls of the method from the first on.
 * Returns false when out of memory. */
static bool reset_uses(etr_links *l, const etr_method_inputs *method) {
  for (size_t i = 0; i < l->program->value_count; i++)
    l->written_at[i] = -1;
  if (!etr_uses_init(&l->uses, method, NULL, l->scratch))
    return false;
  l->uses.opens_graphs = true;
  l->uses.lists_numbers = true;
  return true;
}

/* Allocates what is known per value: at first no value is from the start, used, written or a
 * view. Returns false when out of memory. */
bool etr_links_init(etr_links *l, const etr_method_inputs *method, etr_arena *arena,
                    etr_arena *scratch) {
  const etr_pte_method *program = method->program;
  size_t count = program->value_count;
  *l = (etr_links){.program = program, .arena = arena, .scratch = scratch};
  etr_reaching_init(&l->reaching, program, scratch);
  etr_storages_init(&l->storages, program, scratch);
  l->at_start = etr_arena_alloc_array(scratch, count, sizeof *l->at_start);
  l->known_since = etr_arena_alloc_array(scratch, count, sizeof *l->known_since);
  l->written_at = etr_arena_alloc_array(scratch, count, sizeof *l->written_at);
  l->viewed = etr_arena_alloc_array(scratch, count, sizeof *l->viewed);
  l->is_source = etr_arena_alloc_array(scratch, count, sizeof *l->is_source);
  if (etr_arena_failed(scratch))
    return false;
  for (size_t i = 0; i < count; i++) {
    l->at_start[i].node = ETR_NONE;
    l->known_since[i] = INT32_MAX;
    l->viewed[i] = -1;
  }
  return reset_uses(l, method);
}

/* ---- Which writes a reader reads ---- */

/* Returns how many of the writes found are before an instruction. */
static size_t count_earlier_writes(const etr_links *l, int32_t id) {
  size_t count = 0;
  const etr_reaching *r = &l->reaching;
  while (count < r->found.count && r->writes.data[r->found.data[count]].instruction < id)
    count++;
  return count;
}

/* Finds the writes that an instruction may read from a value. Returns the value that they write:
 * a view may have those of the value that it views. Returns -1 when out of memory. */
static int32_t find_writes_of_read(etr_links *l, int32_t index, int32_t id) {
  if (!etr_reaching_find(&l->reaching, index, id))
    return -1;
  int32_t viewed = l->viewed[index];
  bool is_known = viewed < 0 || count_earlier_writes(l, id) || l->at_start[index].node != ETR_NONE;
  if (is_known)
    return index;
  return etr_reaching_find(&l->reaching, viewed, id) ? viewed : -1;
}

/* Lists the tensors that are read although nothing wrote them before. Returns false when out of
 * memory. */
static bool list_sources(etr_links *l) {
  for (size_t i = 0; i < l->all_reads.count; i++) {
    int32_t index = l->all_reads.data[i].value, id = l->all_reads.data[i].instruction;
    if (l->program->values[index].kind != ETR_PTE_VALUE_TENSOR || l->is_source[index])
      continue;
    int32_t read = find_writes_of_read(l, index, id);
    if (read < 0)
      return false;
    bool is_known = count_earlier_writes(l, id) || !l->reaching.from_start ||
                    l->at_start[read].node != ETR_NONE;
    if (is_known || l->is_source[read])
      continue;
    int32_t *source = etr_vec_push(l->scratch, &l->sources);
    if (!source)
      return false;
    *source = index;
    l->is_source[index] = true;
  }
  return true;
}

/* Notes all writes and reads in order, then prepares a second pass over the calls. Returns false
 * when out of memory. */
bool etr_links_find_writes(etr_links *l, const etr_method_inputs *method) {
  size_t count = ETR_MIN(l->program->instruction_count, (size_t)INT32_MAX);
  for (int32_t id = 0; (size_t)id < count; id++) {
    pick_uses(l, id);
    for (size_t i = 0; i < l->picked.count; i++) {
      const etr_use *use = &l->picked.data[i];
      bool is_read = use->is_read && l->written_at[use->value] != id;
      if (is_read && !note_read(l, use->value, id))
        return false;
      if (use->is_written && !visit_value_and_items(l, use->value, id, (etr_edge){0}, note_write))
        return false;
    }
  }
  for (size_t i = 0; i < l->program->output_count; i++)
    if (is_value(l, l->program->outputs[i]) &&
        !note_read(l, l->program->outputs[i], (int32_t)count))
      return false;
  if (!etr_reaching_finish(&l->reaching) || !reset_uses(l, method))
    return false;
  l->written_as = etr_arena_alloc_array(l->scratch, l->reaching.writes.count,
                                        sizeof *l->written_as);
  l->noted_for = etr_arena_alloc_array(l->scratch, l->reaching.writes.count, sizeof *l->noted_for);
  if (etr_arena_failed(l->scratch))
    return false;
  for (size_t i = 0; i < l->reaching.writes.count; i++)
    l->written_as[i].node = l->noted_for[i] = ETR_NONE;
  return list_sources(l);
}

/* Adds another possible writer of what a node reads, once for each reader. Returns false when out
 * of memory. */
static bool add_other_writer(etr_links *l, etr_other other) {
  if (other.write != ETR_NONE && l->noted_for[other.write] == other.reader)
    return true;
  if (other.write != ETR_NONE)
    l->noted_for[other.write] = other.reader;
  etr_other *added = etr_vec_push(l->scratch, &l->others);
  if (added)
    *added = other;
  return added != NULL;
}

/* Adds the last producer before node `node_index` to its inputs, and all others that may be read
 * to the others. An input without a producer is missing unless it is a number. Returns false when
 * out of memory. */
static bool add_node_input(etr_links *l, etr_node *node, uint32_t node_index, etr_edges *inputs,
                           etr_write read) {
  int32_t index = find_writes_of_read(l, read.value, read.instruction);
  if (index < 0)
    return false;
  const etr_reaching *r = &l->reaching;
  size_t earlier = count_earlier_writes(l, read.instruction);
  etr_edge start = r->from_start ? l->at_start[index] : (etr_edge){ETR_NONE, 0};
  etr_edge writer = earlier ? l->written_as[r->found.data[earlier - 1]] : start;
  etr_other other = {node_index, ETR_NONE,
                     writer.node == ETR_NONE ? ETR_NONE : (uint32_t)inputs->count, start};
  if (earlier && start.node != ETR_NONE && !add_other_writer(l, other))
    return false;
  for (size_t i = 0; i < r->found.count; i++) {
    other.write = r->found.data[i];
    if (i + 1 != earlier && !add_other_writer(l, other))
      return false;
  }
  if (writer.node == ETR_NONE) {
    l->misses_input |= !number_type(&l->program->values[read.value]);
    return true;
  }
  int32_t *value_read = etr_vec_push(l->scratch, &l->reads);
  etr_edge *edge = etr_vec_push(l->arena, inputs);
  if (!value_read || !edge)
    return false;
  *value_read = index == read.value ? index : -1 - read.value;
  *edge = writer;
  node->inputs = inputs->data;
  node->input_count = inputs->count;
  return true;
}

/* Adds an output of an instruction's node; a location that held another value before gets a name
 * of its own. Returns false when out of memory. */
static bool add_node_output(etr_links *l, etr_node *node, uint32_t node_index, etr_values *outputs,
                            etr_write write) {
  int32_t index = write.value;
  if (l->written_at[index] == write.instruction)
    return true; /* an out argument is also returned */
  etr_value *output = etr_vec_push(l->arena, outputs);
  if (!output)
    return false;
  describe_value(l, output, index);
  bool is_changed = l->written_at[index] >= 0 || l->at_start[index].node != ETR_NONE ||
                    l->viewed[index] >= 0;
  if (is_changed) /* this is another value with another name */
    output->name = etr_arena_format(l->arena, "value_%d_%u", index, node_index);
  node->outputs = outputs->data;
  node->output_count = outputs->count;
  return visit_value_and_items(l, index, write.instruction,
                               (etr_edge){node_index, (uint32_t)(outputs->count - 1)},
                               set_written_as);
}

/* ---- Nodes ---- */

/* Gives the node a value as its only output, which the values read before any write then have.
 * Returns false when out of memory, or if there is no such value. */
bool etr_links_add_input(etr_links *l, etr_node *node, uint32_t node_index, int32_t index) {
  etr_value *value = is_value(l, index) ? etr_arena_alloc(l->arena, sizeof *value) : NULL;
  if (!value)
    return false;
  describe_value(l, value, index);
  node->outputs = value;
  node->output_count = 1;
  return visit_value_and_items(l, index, -1, (etr_edge){node_index, 0}, set_at_start);
}

/* Makes the node a constant or a buffer that is named after the value. Returns false when out of
 * memory. */
bool etr_links_add_source(etr_links *l, etr_node *node, uint32_t node_index, int32_t index) {
  const etr_pte_value *value = &l->program->values[index];
  const char *kind = value->constant ? "constant" : "buffer";
  node->kind = value->constant ? ETR_NODE_CONSTANT : ETR_NODE_BUFFER;
  node->name = node->target = node->op_type = etr_arena_format(l->arena, "%s_%d", kind, index);
  node->weight_name = value->weight;
  return node->name && etr_links_add_input(l, node, node_index, index);
}

/* Records the argument of the inputs and outputs that were added last. Returns false when out of
 * memory. */
static bool record_argument(etr_links *l, const etr_node *node, uint32_t argument) {
  while (l->read_args.count < node->input_count || l->written_args.count < node->output_count) {
    bool is_read = l->read_args.count < node->input_count;
    uint32_t *added = is_read ? etr_vec_push(l->arena, &l->read_args)
                              : etr_vec_push(l->arena, &l->written_args);
    if (!added)
      return false;
    *added = argument;
  }
  return true;
}

static void begin_node(etr_links *l) {
  l->read_args.count = l->written_args.count = l->reads.count = 0;
  l->misses_input = false;
}

/* Adds the followed uses of an instruction as inputs and outputs of its node. Returns false when
 * out of memory. */
bool etr_links_add(etr_links *l, etr_node *node, uint32_t node_index, int32_t id) {
  etr_edges inputs = {0};
  etr_values outputs = {0};
  begin_node(l);
  pick_uses(l, id);
  for (size_t i = 0; i < l->picked.count; i++) {
    const etr_use *use = &l->picked.data[i];
    const etr_write use_at = {use->value, id};
    if (use->is_read && l->written_at[use->value] != id &&
        !add_node_input(l, node, node_index, &inputs, use_at))
      return false;
    if (use->is_written && !add_node_output(l, node, node_index, &outputs, use_at))
      return false;
    if (!record_argument(l, node, use->argument))
      return false;
  }
  return !etr_arena_failed(l->arena) && !etr_arena_failed(l->scratch);
}

/* Adds what the method returns as inputs of the output node. Returns false when out of memory. */
bool etr_links_add_results(etr_links *l, etr_node *node, uint32_t node_index) {
  etr_edges inputs = {0};
  int32_t end = (int32_t)ETR_MIN(l->program->instruction_count, (size_t)INT32_MAX);
  begin_node(l);
  for (size_t i = 0; i < l->program->output_count; i++) {
    const etr_write result = {l->program->outputs[i], end};
    if (is_value(l, result.value) && !add_node_input(l, node, node_index, &inputs, result))
      return false;
  }
  return true;
}

/* Appends to each reader's inputs the other writers that it may read, with the position of the
 * input that each replaces. Returns false when out of memory. */
bool etr_links_set_others(const etr_links *l, etr_node *nodes) {
  for (size_t i = 0, end; i < l->others.count; i = end) {
    const etr_other *others = l->others.data;
    for (end = i + 1; end < l->others.count && others[end].reader == others[i].reader;)
      end++;
    etr_node *node = &nodes[others[i].reader];
    etr_edge *list = etr_arena_alloc_array(l->arena, node->input_count + (end - i), sizeof *list);
    uint32_t *positions = etr_arena_alloc_array(l->arena, end - i, sizeof *positions);
    if (etr_arena_failed(l->arena))
      return false;
    if (node->input_count)
      memcpy(list, node->inputs, node->input_count * sizeof *list);
    node->inputs = list;
    node->other_places = positions;
    for (size_t k = i; k < end; k++) {
      etr_edge edge = others[k].write == ETR_NONE ? others[k].edge : l->written_as[others[k].write];
      if (edge.node == ETR_NONE)
        continue;
      positions[node->other_input_count] = others[k].input;
      list[node->input_count + node->other_input_count++] = edge;
    }
  }
  return true;
}

/* Sets *views to the values that the node's inputs read through a view, NULL if none does.
 * Returns false when out of memory. */
bool etr_links_views(etr_links *l, const etr_node *node, const etr_value **views) {
  etr_value *list = NULL;
  *views = NULL;
  for (size_t i = 0; i < node->input_count && i < l->reads.count; i++) {
    if (l->reads.data[i] >= 0)
      continue;
    if (!list)
      *views = list = etr_arena_alloc_array(l->arena, node->input_count, sizeof *list);
    if (!list)
      return false;
    describe_value(l, &list[i], -1 - l->reads.data[i]);
  }
  return !etr_arena_failed(l->arena);
}
