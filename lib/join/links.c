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

/* Fills the name, type and shape of a value of the program; a value without a shape has rank -1.
 * The sizes of a dynamic tensor are upper bounds. */
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

/* Calls `visit` for a value and, if it is a list, for the values in it, unless too many items of
 * lists were visited already. `id` is the instruction that writes the value, `edge` the output of
 * the graph that it is. Returns false if a visit does, which is when out of memory. */
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

/* Records that an instruction writes a value; `edge` is not used. Returns false when out of
 * memory. */
static bool record_write(etr_links *l, int32_t index, int32_t id, etr_edge edge) {
  (void)edge;
  l->known_since[index] = ETR_MIN(l->known_since[index], id);
  l->written_at[index] = id;
  etr_storages_write(&l->storages, index);
  return etr_reaching_add(&l->reaching, index, id);
}

/* Records which output of a node (`edge`) an instruction's write of a value is. Never fails. */
static bool set_written_as(etr_links *l, int32_t index, int32_t id, etr_edge edge) {
  uint32_t write = etr_reaching_last(&l->reaching, index, id + 1);
  bool is_known = write != ETR_NONE && l->reaching.writes.data[write].instruction == id;
  if (is_known)
    l->written_as[write] = edge;
  l->written_at[index] = id;
  return true;
}

/* Records that a value has been written when the method starts, as the output of an input's or a
 * constant's node (`edge`). Never fails. */
static bool set_written_at_start(etr_links *l, int32_t index, int32_t id, etr_edge edge) {
  l->at_start[index] = edge;
  l->known_since[index] = ETR_MIN(l->known_since[index], id);
  etr_storages_write(&l->storages, index);
  return true;
}

/* ---- What an instruction reads and writes ---- */

/* Fills l->followed with the uses of an instruction that become edges: of a list its tensors, or,
 * if they are more than MOST_ITEMS, only the list. An argument of an opaque delegate is a result if
 * no instruction before uses it. When out of memory, the scratch arena has failed. */
static void list_followed_uses(etr_links *l, int32_t id) {
  etr_uses_list(&l->uses, id);
  const etr_use *uses = l->uses.list.data;
  l->followed.count = 0;
  for (size_t i = 0, end; i < l->uses.list.count; i = end) {
    for (end = i + 1; end < l->uses.list.count && uses[end].argument == uses[i].argument;)
      end++;
    /* The first use of a list is the list itself; those of its tensors follow. */
    bool is_list = uses[i].is_list && end - i > 1;
    bool is_followed_as_whole = is_list && end - i > MOST_ITEMS;
    size_t first = is_list && !is_followed_as_whole ? i + 1 : i;
    size_t after_last = is_followed_as_whole ? i + 1 : end;
    for (size_t k = first; k < after_last; k++) {
      etr_use *use = etr_vec_push(l->scratch, &l->followed);
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

/* Records that an instruction reads a value. If nothing wrote it, it may be a view that memory
 * planning merged with the tensor that it views: then finds that tensor. Returns false when out of
 * memory. */
static bool record_read(etr_links *l, int32_t index, int32_t id) {
  bool is_unwritten = l->written_at[index] < 0 && l->at_start[index].node == ETR_NONE;
  if (is_unwritten && l->viewed[index] < 0)
    l->viewed[index] = etr_storages_viewed(&l->storages, index);
  l->known_since[index] = ETR_MIN(l->known_since[index], id);
  etr_write *read = etr_vec_push(l->scratch, &l->all_reads);
  if (read)
    *read = (etr_write){index, id};
  return read != NULL;
}

/* Forgets which instruction wrote each value last, to visit the instructions of the method from the
 * first on. Uses then include those inside payloads that are shown as graphs, and numbers; how many
 * results other delegates have is taken as unknown. Returns false when out of memory. */
static bool restart_uses(etr_links *l, const etr_method_inputs *method) {
  for (size_t i = 0; i < l->program->value_count; i++)
    l->written_at[i] = -1;
  if (!etr_uses_init(&l->uses, method, NULL, l->scratch))
    return false;
  l->uses.opens_graphs = true;
  l->uses.lists_numbers = true;
  return true;
}

/* Allocates what is known per value: at first no value is used, written or a view. */
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
  return restart_uses(l, method);
}

/* ---- Which writes a reader reads ---- */

/* Returns how many of the writes that were found to reach a read, which are in the order of
 * instructions, are by instructions before this one; others reach it through a jump back. */
static size_t count_earlier_writes(const etr_links *l, int32_t id) {
  size_t count = 0;
  const etr_reaching *r = &l->reaching;
  while (count < r->found.count && r->writes.data[r->found.data[count]].instruction < id)
    count++;
  return count;
}

/* Finds the writes that may reach an instruction's read of a value. Returns the value that they
 * write: this one, or the value that it views, if nothing wrote the view itself. Returns -1 when
 * out of memory. */
static int32_t find_writes_of_read(etr_links *l, int32_t index, int32_t id) {
  if (!etr_reaching_find(&l->reaching, index, id))
    return -1;
  int32_t viewed = l->viewed[index];
  bool is_known = viewed < 0 || count_earlier_writes(l, id) || l->at_start[index].node != ETR_NONE;
  if (is_known)
    return index;
  return etr_reaching_find(&l->reaching, viewed, id) ? viewed : -1;
}

/* Lists the tensors that are read although nothing wrote them before, each once: constants and
 * buffers. A view of one that is listed already is left out. Returns false when out of memory. */
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

/* Records all writes and reads in order, then prepares a second pass over the instructions. The
 * results of the method count as reads behind the last instruction. */
bool etr_links_find_writes(etr_links *l, const etr_method_inputs *method) {
  size_t count = ETR_MIN(l->program->instruction_count, (size_t)INT32_MAX);
  for (int32_t id = 0; (size_t)id < count; id++) {
    list_followed_uses(l, id);
    for (size_t i = 0; i < l->followed.count; i++) {
      const etr_use *use = &l->followed.data[i];
      bool is_read = use->is_read && l->written_at[use->value] != id;
      if (is_read && !record_read(l, use->value, id))
        return false;
      if (use->is_written && !visit_value_and_items(l, use->value, id, (etr_edge){0}, record_write))
        return false;
    }
  }
  for (size_t i = 0; i < l->program->output_count; i++)
    if (is_value(l, l->program->outputs[i]) &&
        !record_read(l, l->program->outputs[i], (int32_t)count))
      return false;
  if (!etr_reaching_finish(&l->reaching) || !restart_uses(l, method))
    return false;
  l->written_as = etr_arena_alloc_array(l->scratch, l->reaching.writes.count,
                                        sizeof *l->written_as);
  l->last_reader = etr_arena_alloc_array(l->scratch, l->reaching.writes.count,
                                         sizeof *l->last_reader);
  if (etr_arena_failed(l->scratch))
    return false;
  for (size_t i = 0; i < l->reaching.writes.count; i++)
    l->written_as[i].node = l->last_reader[i] = ETR_NONE;
  return list_sources(l);
}

/* Adds another instruction that may have written what a node reads, unless this node, the reader,
 * has it already. Returns false when out of memory. */
static bool add_other_writer(etr_links *l, etr_other other) {
  if (other.write != ETR_NONE && l->last_reader[other.write] == other.reader)
    return true;
  if (other.write != ETR_NONE)
    l->last_reader[other.write] = other.reader;
  etr_other *added = etr_vec_push(l->scratch, &l->others);
  if (added)
    *added = other;
  return added != NULL;
}

/* Adds the producer of a value that a node reads to the node's inputs: of several that may be read,
 * because of jumps, the last before the node. The rest become its other writers. A value that no
 * node computes becomes no input, which is recorded unless the value is a number. Returns false
 * when out of memory. */
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
  bool is_view = index != read.value;
  *value_read = is_view ? -1 - read.value : index; /* negative: see `reads` in links.h */
  *edge = writer;
  node->inputs = inputs->data;
  node->input_count = inputs->count;
  return true;
}

/* Adds the value that an instruction writes to the outputs of its node. A location in memory that
 * held another value before is another value now, so its name gets the number of the node. Returns
 * false when out of memory. */
static bool add_node_output(etr_links *l, etr_node *node, uint32_t node_index, etr_values *outputs,
                            etr_write write) {
  int32_t index = write.value;
  if (l->written_at[index] == write.instruction)
    return true; /* an out argument is also returned */
  etr_value *output = etr_vec_push(l->arena, outputs);
  if (!output)
    return false;
  describe_value(l, output, index);
  bool held_another = l->written_at[index] >= 0 || l->at_start[index].node != ETR_NONE ||
                      l->viewed[index] >= 0;
  if (held_another)
    output->name = etr_arena_format(l->arena, "value_%d_%u", index, node_index);
  node->outputs = outputs->data;
  node->output_count = outputs->count;
  const etr_edge edge = {node_index, (uint32_t)(outputs->count - 1)};
  return visit_value_and_items(l, index, write.instruction, edge, set_written_as);
}

/* ---- Nodes ---- */

/* Makes the value the node's only output, as if it was written by an instruction before the first,
 * -1. Reads of the value that no other write reaches then read from this node. */
bool etr_links_add_input(etr_links *l, etr_node *node, uint32_t node_index, int32_t index) {
  etr_value *value = is_value(l, index) ? etr_arena_alloc(l->arena, sizeof *value) : NULL;
  if (!value)
    return false;
  describe_value(l, value, index);
  node->outputs = value;
  node->output_count = 1;
  return visit_value_and_items(l, index, -1, (etr_edge){node_index, 0}, set_written_at_start);
}

/* The node is named after the value. */
bool etr_links_add_source(etr_links *l, etr_node *node, uint32_t node_index, int32_t index) {
  const etr_pte_value *value = &l->program->values[index];
  const char *kind = value->constant ? "constant" : "buffer";
  node->kind = value->constant ? ETR_NODE_CONSTANT : ETR_NODE_BUFFER;
  node->is_written = !value->constant; /* what is only read is a constant */
  node->name = node->target = node->op_type = etr_arena_format(l->arena, "%s_%d", kind, index);
  node->weight_name = value->weight;
  return node->name && etr_links_add_input(l, node, node_index, index);
}

/* Records, for the inputs and outputs that were added to the node since the last call, which
 * argument of the instruction they are. Returns false when out of memory. */
static bool record_argument_index(etr_links *l, const etr_node *node, uint32_t argument) {
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

/* What the instruction reads becomes inputs of its node, what it writes outputs. A value that it
 * has just written itself is no input. */
bool etr_links_add_instruction(etr_links *l, etr_node *node, uint32_t node_index, int32_t id) {
  etr_edges inputs = {0};
  etr_values outputs = {0};
  begin_node(l);
  list_followed_uses(l, id);
  for (size_t i = 0; i < l->followed.count; i++) {
    const etr_use *use = &l->followed.data[i];
    const etr_write use_at = {use->value, id};
    bool is_input = use->is_read && l->written_at[use->value] != id;
    if (is_input && !add_node_input(l, node, node_index, &inputs, use_at))
      return false;
    if (use->is_written && !add_node_output(l, node, node_index, &outputs, use_at))
      return false;
    if (!record_argument_index(l, node, use->argument))
      return false;
  }
  return !etr_arena_failed(l->arena) && !etr_arena_failed(l->scratch);
}

/* The values that the method returns are read behind its last instruction. */
bool etr_links_add_method_results(etr_links *l, etr_node *node, uint32_t node_index) {
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

/* Appends to the inputs of each node the other producers that it may read from because of jumps,
 * with the index of the input that each may replace. */
bool etr_links_set_other_producers(const etr_links *l, etr_node *nodes) {
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

/* Sets *views to a value for each input of the node that reads its producer through a view: the
 * producer's data with the view's shape. NULL if no input does. l->reads has such an input as -1
 * minus the value. */
bool etr_links_find_views(etr_links *l, const etr_node *node, const etr_value **views) {
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
