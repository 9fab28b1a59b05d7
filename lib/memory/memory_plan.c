/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_plan.c - describes planned tensors and buffers, and computes the bytes that are live at
 * each instruction.
 */
#include "memory/memory_plan.h"

#include "base/writer.h"
#include "inputs/program_values.h"
#include "memory/method_allocator.h"
#include "memory/program_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Parts of a memory plan that follow from the program one by one: instructions, inputs and
 * outputs, delegates' blobs ---- */

/* Each function fills its part of the plan, in the arena, and returns false when out of memory. */

/* ---- Instructions ---- */

/* The texts of operators, shared by all instructions that run the same operator. */
typedef struct op_names {
  etr_map names; /* pointers to name and overload in the program -> index in texts */
  etr_vec(const char *) texts;
} op_names;

typedef struct op_key {
  const char *op, *overload;
} op_key;
ETR_NO_PADDING(op_key, 2 * sizeof(char *));

/* Returns the name of a kernel with its overload, such as "aten::add.out", made once for all
 * instructions that call it; "" when out of memory. */
static const char *kernel_name(op_names *names, const etr_instruction *instruction,
                               etr_arena *arena) {
  const op_key key = {instruction->op, instruction->overload};
  etr_map_slot *slot = etr_map_at(&names->names, ETR_BYTES(key));
  if (!slot)
    return "";
  if (slot->value != ETR_NONE)
    return names->texts.data[slot->value];
  const char **text = etr_vec_push(arena, &names->texts);
  if (!text)
    return "";
  slot->value = (uint32_t)(names->texts.count - 1);
  *text = etr_arena_format(arena, "%s%s%s", key.op, key.overload[0] ? "." : "", key.overload);
  return *text;
}

/* Returns what an instruction does, for display: the name of a kernel or of a backend, or a word
 * such as "move"; "" if unknown. */
static const char *name_of_operation(op_names *names, const etr_pte_method *program,
                                     const etr_instruction *instruction, etr_arena *arena) {
  const etr_pte_delegate *delegate = etr_delegate_of(program, instruction);
  switch (instruction->kind) {
  case ETR_INSTRUCTION_KERNEL:
    return kernel_name(names, instruction, arena);
  case ETR_INSTRUCTION_DELEGATE:
    return delegate ? delegate->backend : "";
  case ETR_INSTRUCTION_MOVE:
    return "move";
  case ETR_INSTRUCTION_JUMP_FALSE:
    return "jump";
  case ETR_INSTRUCTION_FREE:
    return "free";
  default:
    return "";
  }
}

/* Describes the instructions of a method for its memory plan: what each does, the Edge node of a
 * kernel, and the module of that node or of all nodes of a delegate. Sets plan->steps and its
 * count. Returns NULL when out of memory. */
static etr_memory_step *make_steps(etr_memory_plan *plan, const etr_placement *placement,
                                   etr_arena *arena) {
  const etr_pte_method *program = placement->method->program;
  const etr_graph *graph = placement->method->graph;
  size_t count = ETR_MIN(program->instruction_count, (size_t)INT32_MAX);
  etr_memory_step *steps = etr_arena_alloc_array(arena, count, sizeof *steps);
  op_names ops = {0};
  etr_map_init(&ops.names, arena);
  for (size_t i = 0; steps && i < count; i++) {
    const etr_instruction *instruction = &program->instructions[i];
    const etr_placed *placed = etr_placed_instruction(placement, (int32_t)i);
    bool is_delegate = instruction->kind == ETR_INSTRUCTION_DELEGATE;
    uint32_t node = graph && placed && !is_delegate ? placed->node : ETR_NONE;
    steps[i] = (etr_memory_step){.op = name_of_operation(&ops, program, instruction, arena),
                                 .is_delegate = is_delegate,
                                 .node = node};
    if (node != ETR_NONE)
      steps[i].module = graph->nodes[node].module;
    if (graph && is_delegate)
      steps[i].module = etr_module_of_delegate(placement, (int32_t)i);
  }
  plan->steps = steps;
  plan->instruction_count = steps ? count : 0;
  return etr_arena_failed(arena) ? NULL : steps;
}

/* ---- Inputs and outputs ---- */

/* Describes the inputs or the outputs (`role`) of a method that are tensors in `out`, which has
 * room for all. One without a name is called input_0, output_0 and so on, by its index. Returns how
 * many there are. */
static size_t list_boundary_tensors(etr_boundary_tensor *out, const etr_pte_method *program,
                                    const etr_value_name *names, etr_tensor_role role,
                                    etr_arena *arena) {
  bool is_input = role == ETR_TENSOR_INPUT;
  const int32_t *list = is_input ? program->inputs : program->outputs;
  size_t count = is_input ? program->input_count : program->output_count, added = 0;
  for (size_t i = 0; i < count; i++) {
    const etr_pte_value *value = etr_tensor_at(program, list[i]);
    if (!value)
      continue;
    etr_boundary_tensor *tensor = &out[added++];
    const char *prefix = is_input ? "input" : "output";
    *tensor = (etr_boundary_tensor){
        .role = role,
        .index = (uint32_t)i,
        .tensor = etr_describe_tensor(value, &names[list[i]], prefix, i, arena),
        .is_bound = value->dynamic,
        .is_planned = value->storage != 0};
    (void)etr_pte_value_bytes(value, &tensor->size_bytes);
  }
  return added;
}

/* Writes a constant that a method returns as text, such as "[1, 2]"; of tensors, only that they are
 * some. `is_nested`: it is in a list, where a list is written as "[]", so that one that contains
 * itself ends. */
static void write_returned_value(etr_writer *writer, const etr_pte_method *program, int32_t index,
                                 bool is_nested) {
  const etr_pte_value *value = index >= 0 && (size_t)index < program->value_count
                                   ? &program->values[index]
                                   : NULL;
  switch (value ? value->kind : ETR_PTE_VALUE_OTHER) {
  case ETR_PTE_VALUE_INT:
    etr_putf(writer, "%lld", (long long)value->scalar.integer);
    return;
  case ETR_PTE_VALUE_BOOL:
    etr_puts(writer, value->scalar.integer ? "true" : "false");
    return;
  case ETR_PTE_VALUE_DOUBLE:
    etr_put_double(writer, value->scalar.real);
    return;
  case ETR_PTE_VALUE_STRING:
    etr_putf(writer, "\"%s\"", etr_or_empty(value->scalar.text));
    return;
  case ETR_PTE_VALUE_INT_LIST:
    etr_puts(writer, "[");
    for (size_t i = 0; i < value->item_count && !is_nested; i++) {
      etr_puts(writer, i ? ", " : "");
      write_returned_value(writer, program, value->items[i], true);
    }
    etr_puts(writer, "]");
    return;
  case ETR_PTE_VALUE_DOUBLE_LIST:
  case ETR_PTE_VALUE_BOOL_LIST:
    etr_puts(writer, "[");
    for (size_t i = 0; i < value->number_count; i++) {
      etr_puts(writer, i ? ", " : "");
      if (value->kind == ETR_PTE_VALUE_DOUBLE_LIST)
        etr_put_double(writer, value->numbers[i]);
      else
        etr_puts(writer, value->numbers[i] != 0 ? "true" : "false");
    }
    etr_puts(writer, "]");
    return;
  case ETR_PTE_VALUE_TENSOR:
    etr_puts(writer, "a tensor");
    return;
  case ETR_PTE_VALUE_TENSOR_LIST:
    etr_puts(writer, "a list of tensors");
    return;
  default:
    etr_puts(writer, "None");
  }
}

/* Returns the constants that a method without instructions returns, as text, "1, [2, 3]" ("" if it
 * returns nothing); NULL for other methods, and when out of memory. None of them is in a list
 * (false). */
static const char *text_of_returned_values(const etr_pte_method *program, etr_arena *arena) {
  etr_text text;
  etr_writer writer;
  if (program->instruction_count > 0)
    return NULL;
  etr_text_begin(&text, arena, &writer);
  for (size_t i = 0; i < program->output_count; i++) {
    etr_puts(&writer, i ? ", " : "");
    write_returned_value(&writer, program, program->outputs[i], false);
  }
  return etr_text_end(&text, &writer);
}

/* Lists the tensors that cross the boundary of a method, its inputs and then its outputs, with the
 * text of constants that it returns. Counts the tensors for which no memory is planned
 * (unplanned_count), so that the caller must provide it. Returns false when out of memory. */
static bool list_boundary(etr_memory_plan *plan, const etr_pte_method *program,
                          const etr_value_name *names, etr_arena *arena) {
  etr_boundary_tensor *list = etr_arena_alloc_array(
      arena, program->input_count + program->output_count, sizeof *list);
  if (!list)
    return false;
  size_t inputs = list_boundary_tensors(list, program, names, ETR_TENSOR_INPUT, arena);
  plan->boundary = list;
  plan->returned = text_of_returned_values(program, arena);
  plan->boundary_count = inputs + list_boundary_tensors(list + inputs, program, names,
                                                        ETR_TENSOR_OUTPUT, arena);
  for (size_t i = 0; i < program->value_count; i++) {
    const etr_pte_value *value = &program->values[i];
    plan->unplanned_count += value->kind == ETR_PTE_VALUE_TENSOR && value->unbound &&
                             !value->storage;
  }
  return !etr_arena_failed(arena);
}

/* ---- Blobs ---- */

/* Returns the entry for a delegate's payload (blob), and adds it if there is none yet: delegates
 * with the same bytes share it, and one without bytes has its own. Returns NULL when out of memory.
 */
static etr_delegate_blob *find_or_add_blob(etr_map *by_extent, etr_delegate_blob *blobs,
                                           size_t *count, const etr_pte_delegate *delegate) {
  const uint64_t extent[2] = {delegate->payload_at, delegate->payload_bytes};
  etr_map_slot *slot = etr_map_at(by_extent, (etr_slice){(const char *)extent, sizeof extent});
  if (!slot)
    return NULL;
  if (slot->value == ETR_NONE || delegate->payload_bytes == 0) {
    slot->value = (uint32_t)(*count)++;
    blobs[slot->value] = (etr_delegate_blob){.backend = delegate->backend,
                                             .instruction = -1,
                                             .size_bytes = delegate->payload_bytes,
                                             .segment = delegate->payload_segment};
  }
  return &blobs[slot->value];
}

/* Lists the payloads of the delegates. Delegates that share bytes share an entry, whose instruction
 * is the first that calls one of them; -1 if none does. Returns false when out of memory. */
static bool list_blobs(etr_memory_plan *plan, const etr_pte_method *program, etr_arena *arena,
                       etr_arena *scratch) {
  etr_delegate_blob *blobs = etr_arena_alloc_array(arena, program->delegate_count, sizeof *blobs);
  uint32_t *blob_of_delegate = etr_arena_alloc_array(scratch, program->delegate_count,
                                                     sizeof *blob_of_delegate);
  etr_map by_extent;
  etr_map_init(&by_extent, scratch);
  if (!blobs || !blob_of_delegate)
    return false;
  for (size_t i = 0; i < program->delegate_count; i++) {
    etr_delegate_blob *blob = find_or_add_blob(&by_extent, blobs, &plan->blob_count,
                                               &program->delegates[i]);
    if (!blob)
      return false;
    blob->delegate_count++;
    blob_of_delegate[i] = (uint32_t)(blob - blobs);
  }
  size_t count = ETR_MIN(program->instruction_count, (size_t)INT32_MAX);
  for (size_t i = 0; i < count; i++) {
    const etr_pte_delegate *delegate = etr_delegate_of(program, &program->instructions[i]);
    etr_delegate_blob *blob = delegate ? &blobs[blob_of_delegate[delegate - program->delegates]]
                                       : NULL;
    if (blob && blob->instruction < 0)
      blob->instruction = (int32_t)i;
  }
  plan->blobs = blobs;
  return true;
}

/* ---- Contradictions in a memory plan ---- */

/* Warnings about one method. Of each kind only the first few are shown. */
typedef struct memory_check {
  const etr_memory_source *source;
  const char *method;
  const etr_pte_method *program;
  size_t warned;
  uint64_t bytes; /* of all tensors that are in their buffers */
  bool is_cut;    /* a tensor shares memory with more tensors than are counted */
} memory_check;

enum { MOST_WARNINGS = 8 };

enum { SUBJECT_BYTES = 256 };

/* Writes the start of a warning about a tensor to `room`, which has SUBJECT_BYTES, and returns it:
 * "forward: tensor "x" (instruction 5)". */
static const char *subject_of_warning(const memory_check *check, const etr_planned_tensor *tensor,
                                      char *room) {
  snprintf(room, SUBJECT_BYTES, "%.*s: tensor \"%.*s\" (instruction %d)",
           ETR_HEAD(check->method, 64), ETR_HEAD(tensor->tensor.name, 96),
           (int)tensor->first_instruction);
  return room;
}

/* Counts a warning. Returns true if it is to be shown. */
static bool takes_warning(memory_check *check) {
  return check->warned++ < MOST_WARNINGS;
}

/* Warns that a tensor cannot be where the program plans it, unless enough warnings of the method
 * are shown. `what` ends the sentence that begins with the tensor. */
static void warn_of_misplaced(memory_check *check, const etr_planned_tensor *tensor,
                              const char *what) {
  char room[SUBJECT_BYTES];
  if (takes_warning(check))
    etr_warn(check->source->warnings, check->source->file, check->source->entry, ETR_NO_OFFSET,
             "%s %s; it is in no sum of the memory plan. The .pte is damaged: export it again",
             subject_of_warning(check, tensor, room), what);
}

/* ---- Locations ---- */

/* Sets whether a tensor is misplaced: it has a size that cannot be, or is not inside its buffer.
 * Such a tensor is warned of and left out of sums. The number of buffers that the warning gives
 * leaves out buffer 0, which ExecuTorch reserves. */
static void find_whether_misplaced(memory_check *check, etr_planned_tensor *tensor) {
  char what[SUBJECT_BYTES];
  const etr_pte_buffers *buffers = &check->program->buffers;
  uint64_t bytes;
  tensor->is_misplaced = true;
  if (!etr_pte_value_bytes(&check->program->values[tensor->value], &bytes)) {
    warn_of_misplaced(check, tensor, "has sizes or a number type that give no number of bytes");
    return;
  }
  if (tensor->buffer >= buffers->count) {
    snprintf(what, sizeof what, "is planned into buffer %" PRIu32 ", but there are %zu",
             tensor->buffer, buffers->count ? buffers->count - 1 : 0);
    warn_of_misplaced(check, tensor, what);
    return;
  }
  uint64_t size = buffers->sizes[tensor->buffer] > 0 ? (uint64_t)buffers->sizes[tensor->buffer] : 0;
  if (bytes > UINT64_MAX - check->bytes) {
    warn_of_misplaced(check, tensor, "has, with those before it, more bytes than can be counted");
    return;
  }
  tensor->is_misplaced = tensor->offset_bytes > size || bytes > size - tensor->offset_bytes;
  if (!tensor->is_misplaced) {
    check->bytes += bytes;
    return;
  }
  snprintf(what, sizeof what,
           "takes %" PRIu64 " bytes from offset %" PRIu64 " on, beyond buffer %" PRIu32
           " of %" PRId64,
           bytes, tensor->offset_bytes, tensor->buffer, buffers->sizes[tensor->buffer]);
  warn_of_misplaced(check, tensor, what);
}

/* ---- Overlaps ---- */

/* The tensors that are live, in a tree over all tensors by buffer and offset. Each node has the
 * highest end of the live tensors below it, in bytes from the start of the buffer; 0: none is live.
 */
typedef struct live_tree {
  const etr_planned_tensor **tensors; /* by buffer and offset; they are the leaves */
  size_t count;
  size_t *first_of_buffer; /* per leaf: the first leaf of the same buffer */
  size_t *leaf_of;         /* per tensor of the plan: its leaf */
  uint64_t *ends; /* the root at 1, the children of node i at 2i and 2i + 1, the leaves from
                     `leaves` on */
  size_t leaves;
} live_tree;

/* Warns that two tensors need the same bytes of a buffer at the same time, unless enough warnings
 * of the method are shown. */
static void warn_of_overlap(memory_check *check, const etr_planned_tensor *earlier,
                            const etr_planned_tensor *later) {
  char room[SUBJECT_BYTES];
  if (takes_warning(check))
    etr_warn(check->source->warnings, check->source->file, check->source->entry, ETR_NO_OFFSET,
             "%s shares memory of buffer %" PRIu32
             " with \"%.*s\", which is needed until instruction %d; both count",
             subject_of_warning(check, later, room), later->buffer,
             ETR_HEAD(earlier->tensor.name, 96), (int)earlier->last_instruction);
}

/* Orders pointers to tensors by the instruction that uses them first, then as in the plan. */
static int by_first_use(const void *a, const void *b) {
  const etr_planned_tensor *const *x = a, *const *y = b;
  if ((*x)->first_instruction != (*y)->first_instruction)
    return (*x)->first_instruction < (*y)->first_instruction ? -1 : 1;
  return (*x > *y) - (*x < *y);
}

/* Orders pointers to tensors by buffer and offset, then as in the plan. */
static int by_offset(const void *a, const void *b) {
  const etr_planned_tensor *const *x = a, *const *y = b;
  if ((*x)->buffer != (*y)->buffer)
    return (*x)->buffer < (*y)->buffer ? -1 : 1;
  if ((*x)->offset_bytes != (*y)->offset_bytes)
    return (*x)->offset_bytes < (*y)->offset_bytes ? -1 : 1;
  return (*x > *y) - (*x < *y);
}

/* Sets where a leaf's tensor ends in its buffer, in bytes; 0 if it is not live. Then updates the
 * highest end below each node on the way to the root; `at ^ 1` is the sibling of a node. */
static void set_end_of_leaf(live_tree *tree, size_t leaf, uint64_t end) {
  size_t at = tree->leaves + leaf;
  tree->ends[at] = end;
  for (; at > 1; at /= 2)
    tree->ends[at / 2] = ETR_MAX(tree->ends[at], tree->ends[at ^ 1]);
}

/* Returns the first leaf from `leaf` on whose tensor is live and ends above an offset in its
 * buffer; the number of tensors if there is none. Goes up the tree until a node to the right has
 * such a leaf below it, then down to the first one. */
static size_t find_live_above(const live_tree *tree, size_t leaf, uint64_t offset) {
  size_t tree_node = tree->leaves + leaf;
  if (leaf >= tree->count)
    return tree->count;
  while (tree->ends[tree_node] <= offset) {
    while (tree_node > 1 && tree_node % 2 == 1)
      tree_node /= 2;
    if (tree_node <= 1)
      return tree->count;
    tree_node++;
  }
  while (tree_node < tree->leaves)
    tree_node = 2 * tree_node + (tree->ends[2 * tree_node] <= offset);
  return tree_node - tree->leaves;
}

/* Warns about the live tensors that share memory with the tensor of a leaf, but not about all if
 * there are many, which is_cut then says. */
static void warn_of_overlaps(memory_check *check, const live_tree *tree, size_t leaf) {
  enum { MOST_OVERLAPS = 8 };
  const etr_planned_tensor *tensor = tree->tensors[leaf];
  uint64_t end = tensor->offset_bytes + tensor->size_bytes;
  size_t other_leaf = find_live_above(tree, tree->first_of_buffer[leaf], tensor->offset_bytes);
  for (size_t found = 0; other_leaf < tree->count; found++) {
    const etr_planned_tensor *other = tree->tensors[other_leaf];
    if (other->buffer != tensor->buffer || other->offset_bytes >= end)
      return;
    check->is_cut |= found == MOST_OVERLAPS;
    if (found == MOST_OVERLAPS)
      return;
    warn_of_overlap(check, other, tensor);
    other_leaf = find_live_above(tree, other_leaf + 1, tensor->offset_bytes);
  }
}

static bool takes_memory(const etr_planned_tensor *tensor) {
  return tensor->view_of == ETR_NONE && !tensor->is_misplaced && tensor->size_bytes > 0;
}

/* Makes the tree, whose leaves are the tensors that take memory by buffer and offset; none is live
 * yet. Returns false when out of memory. */
static bool make_live_tree(live_tree *tree, const etr_planned_tensor *tensors, size_t count,
                           etr_arena *scratch) {
  *tree = (live_tree){.tensors = etr_arena_alloc_array(scratch, count, sizeof *tree->tensors),
                      .leaves = 1};
  tree->first_of_buffer = etr_arena_alloc_array(scratch, count, sizeof *tree->first_of_buffer);
  tree->leaf_of = etr_arena_alloc_array(scratch, count, sizeof *tree->leaf_of);
  if (!tree->tensors || !tree->first_of_buffer || !tree->leaf_of)
    return false;
  for (size_t i = 0; i < count; i++)
    if (takes_memory(&tensors[i]))
      tree->tensors[tree->count++] = &tensors[i];
  etr_sort(tree->tensors, tree->count, sizeof *tree->tensors, by_offset);
  for (size_t i = 0; i < tree->count; i++) {
    bool is_first = i == 0 || tree->tensors[i]->buffer != tree->tensors[i - 1]->buffer;
    tree->first_of_buffer[i] = is_first ? i : tree->first_of_buffer[i - 1];
    tree->leaf_of[tree->tensors[i] - tensors] = i;
  }
  while (tree->leaves < tree->count)
    tree->leaves *= 2;
  tree->ends = etr_arena_alloc_array(scratch, 2 * tree->leaves, sizeof *tree->ends);
  return tree->ends != NULL;
}

/* Warns about tensors that share memory while both are needed and neither is a view of the other:
 * the plan is damaged. Goes through the tensors by their first use, with a tree of those that are
 * live then. Returns false when out of memory. */
static bool find_overlaps(memory_check *check, const etr_planned_tensor *tensors, size_t count,
                          etr_arena *scratch) {
  live_tree tree;
  const etr_planned_tensor **starting = etr_arena_alloc_array(scratch, count, sizeof *starting),
                           **ending = etr_arena_alloc_array(scratch, count, sizeof *ending);
  size_t ended = 0;
  if (!starting || !ending || !make_live_tree(&tree, tensors, count, scratch))
    return false;
  for (size_t i = 0, listed = 0; i < count; i++)
    if (takes_memory(&tensors[i])) {
      starting[listed] = ending[listed] = &tensors[i];
      listed++;
    }
  etr_sort(starting, tree.count, sizeof *starting, by_first_use);
  etr_sort(ending, tree.count, sizeof *ending, etr_by_last_instruction);
  for (size_t i = 0; i < tree.count; i++) {
    const etr_planned_tensor *tensor = starting[i];
    size_t leaf = tree.leaf_of[tensor - tensors];
    /* Tensors that ended before this one began are not live any more. One that is never used ends
     * before it begins. */
    while (ended < tree.count && ending[ended]->last_instruction < tensor->first_instruction) {
      set_end_of_leaf(&tree, tree.leaf_of[ending[ended] - tensors], 0);
      ended++;
    }
    warn_of_overlaps(check, &tree, leaf);
    set_end_of_leaf(&tree, leaf, tensor->offset_bytes + tensor->size_bytes);
  }
  return true;
}

/* ---- Planned tensors in their buffers, and the live bytes at each instruction ---- */

typedef struct builder {
  const etr_placement *placement;
  const etr_pte_method *program;
  const etr_memory_source *source;
  etr_arena *arena, *scratch;
  etr_lifetimes lives;
  const etr_value_name *names;
  uint32_t *buffer_of_id; /* per id of a buffer: index into the plan's buffers; ETR_NONE: it is not
                             shown */
  etr_memory_plan *plan;
  etr_memory_step *steps;      /* steps of the plan */
  etr_planned_buffer *buffers; /* buffers of the plan */
} builder;

/* ---- Names ---- */

static const char *const role_names[] = {"activation", "input", "output", "state"};

const char *etr_tensor_role_name(etr_tensor_role role) {
  return (size_t)role < ETR_COUNT(role_names) ? role_names[role] : "";
}

const char *etr_segment_kind_name(etr_segment_kind kind) {
  static const char *const names[] = {"unused", "constants", "mutable", "delegate", "named"};
  return (size_t)kind < ETR_COUNT(names) ? names[kind] : "";
}

const char *etr_constant_place_name(etr_constant_place place) {
  static const char *const names[] = {"inline", "segment", "external"};
  return (size_t)place < ETR_COUNT(names) ? names[place] : "";
}

/* ---- Tensors ---- */

/* Returns the name and the node of a tensor; those of the tensor that it views, if it is a view
 * without a name. */
static const etr_value_name *name_of_tensor(const builder *b, const etr_planned_tensor *tensor) {
  const etr_value_name *own = &b->names[tensor->value];
  if (own->name || tensor->view_of == ETR_NONE)
    return own;
  return &b->names[b->lives.tensors.data[tensor->view_of].value];
}

/* ---- Buffers ---- */

/* Returns the name of a device, such as "cuda:0"; no device (NULL) is the CPU. When out of memory,
 * the arena has failed. */
static const char *device_name(const etr_pte_device *device, etr_arena *arena) {
  static const char *const types[] = {"cpu", "cuda"};
  if (!device || device->type == 0)
    return "cpu";
  if (device->type >= ETR_COUNT(types))
    return etr_arena_format(arena, "device %u:%u", (unsigned)device->type, (unsigned)device->index);
  return etr_arena_format(arena, "%s:%u", types[device->type], (unsigned)device->index);
}

/* Returns, per buffer, the first device that the program lists for it (so the list is read from its
 * end); NULL for the CPU. Returns NULL instead of the list when out of memory. */
static const etr_pte_device **devices_by_buffer(const etr_pte_buffers *buffers,
                                                etr_arena *scratch) {
  const etr_pte_device **devices = etr_arena_alloc_array(scratch, buffers->count, sizeof *devices);
  for (size_t i = buffers->device_count; devices && i > 0; i--) {
    const etr_pte_device *device = &buffers->devices[i - 1];
    if (device->buffer >= 0 && (size_t)device->buffer < buffers->count)
      devices[device->buffer] = device;
  }
  return devices;
}

/* Lists the program's buffers that have a size or tensors, with their device, size in bytes and
 * number of tensors, and sets b->buffer_of_id to the index of each buffer in this list. Returns
 * false when out of memory. */
static bool list_buffers(builder *b) {
  size_t count = b->program->buffers.count;
  /* Counts the tensors of the method that are planned into each buffer. */
  size_t *tensors = etr_arena_alloc_array(b->scratch, count, sizeof *tensors);
  for (size_t i = 0; tensors && i < b->lives.tensors.count; i++) {
    const etr_planned_tensor *tensor = &b->lives.tensors.data[i];
    if (tensor->buffer < count)
      tensors[tensor->buffer]++;
  }
  etr_planned_buffer *buffers = etr_arena_alloc_array(b->arena, count, sizeof *buffers);
  b->buffer_of_id = etr_arena_alloc_array(b->scratch, count, sizeof *b->buffer_of_id);
  const etr_pte_device **devices = devices_by_buffer(&b->program->buffers, b->scratch);
  if (!tensors || !buffers || !b->buffer_of_id || !devices)
    return false;
  for (uint32_t id = 0; id < count; id++) {
    int64_t size = b->program->buffers.sizes[id];
    bool is_shown = tensors[id] > 0 || size > 0;
    b->buffer_of_id[id] = is_shown ? (uint32_t)b->plan->buffer_count : ETR_NONE;
    if (!is_shown)
      continue;
    buffers[b->plan->buffer_count++] = (etr_planned_buffer){
        .id = id,
        .device = device_name(devices[id], b->arena),
        .size_bytes = size > 0 ? (uint64_t)size : 0,
        .peak_instruction = -1,
        .tensor_count = tensors[id]};
  }
  b->plan->buffers = b->buffers = buffers;
  return !etr_arena_failed(b->arena);
}

/* ---- Live bytes ---- */

/* The tensors that count, listed by the instruction that uses them first, and by the one after
 * their last use. */
typedef struct lists_by_instruction {
  uint32_t *starting, *ended; /* per instruction: the first tensor of its list; ETR_NONE: none */
  uint32_t *next_starting, *next_ended; /* per tensor: the next tensor of its list */
} lists_by_instruction;

/* Returns `count` numbers that are all ETR_NONE; NULL when out of memory. */
static uint32_t *new_list_of_none(size_t count, etr_arena *arena) {
  uint32_t *list = etr_arena_alloc_raw_array(arena, count, sizeof *list);
  for (size_t i = 0; list && i < count; i++)
    list[i] = ETR_NONE;
  return list;
}

/* Changes a tensor's buffer from the program's number to the index in the plan. Puts the tensor
 * into the list of the instruction at which it becomes live, and of the one after its last use, if
 * its bytes count: those of views and of misplaced tensors do not. */
static void list_tensor_by_instruction(const builder *b, lists_by_instruction *lists,
                                       uint32_t index) {
  etr_planned_tensor *tensor = &b->lives.tensors.data[index];
  tensor->buffer = tensor->buffer < b->program->buffers.count ? b->buffer_of_id[tensor->buffer]
                                                              : ETR_NONE;
  if (tensor->buffer == ETR_NONE)
    tensor->is_misplaced = true;
  if (tensor->is_misplaced)
    return;
  etr_planned_buffer *buffer = &b->buffers[tensor->buffer];
  buffer->top_bytes = ETR_MAX(buffer->top_bytes, tensor->offset_bytes + tensor->size_bytes);
  bool is_view = tensor->view_of != ETR_NONE;
  if (is_view || tensor->first_instruction < 0 || b->plan->instruction_count == 0)
    return;
  lists->next_starting[index] = lists->starting[tensor->first_instruction];
  lists->starting[tensor->first_instruction] = index;
  size_t end = (size_t)tensor->last_instruction + 1;
  if (end >= b->plan->instruction_count)
    return;
  lists->next_ended[index] = lists->ended[end];
  lists->ended[end] = index;
}

/* Raises a peak to the bytes that are live at an instruction, if these are more. */
static void raise_peak(uint64_t live, size_t instruction, uint64_t *peak,
                       int32_t *peak_instruction) {
  if (live <= *peak)
    return;
  *peak = live;
  *peak_instruction = (int32_t)instruction;
}

/* Computes the bytes that are live at each instruction, in all buffers together, and the peak of
 * each buffer and of all. Goes through the instructions once: tensors that have ended are taken
 * off, and those that start are added. Returns false when out of memory. */
static bool compute_live_bytes(builder *b) {
  size_t count = b->plan->instruction_count, tensors = b->lives.tensors.count;
  uint64_t *live_in_all = etr_arena_alloc_array(b->arena, count, sizeof *live_in_all), whole = 0;
  uint64_t *live = etr_arena_alloc_array(b->scratch, b->plan->buffer_count, sizeof *live);
  lists_by_instruction lists = {.starting = new_list_of_none(count, b->scratch),
                                .ended = new_list_of_none(count, b->scratch),
                                .next_starting = new_list_of_none(tensors, b->scratch),
                                .next_ended = new_list_of_none(tensors, b->scratch)};
  if (!live_in_all || !live || etr_arena_failed(b->scratch))
    return false;
  for (size_t i = 0; i < tensors; i++)
    list_tensor_by_instruction(b, &lists, (uint32_t)i);
  b->plan->peak_instruction = -1;
  for (size_t i = 0; i < count; i++) {
    for (uint32_t k = lists.ended[i]; k != ETR_NONE; k = lists.next_ended[k]) {
      const etr_planned_tensor *tensor = &b->lives.tensors.data[k];
      live[tensor->buffer] -= tensor->size_bytes;
      whole -= tensor->size_bytes;
    }
    for (uint32_t k = lists.starting[i]; k != ETR_NONE; k = lists.next_starting[k]) {
      const etr_planned_tensor *tensor = &b->lives.tensors.data[k];
      live[tensor->buffer] += tensor->size_bytes;
      whole += tensor->size_bytes;
      /* The last tensor of the buffer that starts here gives the peak; the sum only rises until
       * then. */
      etr_planned_buffer *buffer = &b->buffers[tensor->buffer];
      raise_peak(live[tensor->buffer], i, &buffer->peak_bytes, &buffer->peak_instruction);
    }
    live_in_all[i] = whole;
    raise_peak(whole, i, &b->plan->peak_bytes, &b->plan->peak_instruction);
  }
  for (size_t k = 0; k < b->plan->buffer_count; k++)
    b->plan->planned_bytes = etr_add_up_to_most(b->plan->planned_bytes, b->buffers[k].size_bytes);
  b->plan->live_bytes = live_in_all;
  return true;
}

/* ---- All ---- */

/* Returns the innermost module that a name is in, "encoder.layers.0" of "encoder.layers.0.cache";
 * the root if it is in none, or NULL. */
static uint32_t module_of_name(const etr_graph *graph, const char *name) {
  uint32_t found = 0;
  size_t longest = 0;
  for (uint32_t i = 0; name && i < graph->module_count; i++) {
    size_t length = strlen(graph->modules[i].path);
    if (length > longest && strncmp(graph->modules[i].path, name, length) == 0 &&
        name[length] == '.') {
      longest = length;
      found = i;
    }
  }
  return found;
}

/* Sets name, shape, node and module of a planned tensor. The module is that of the node or
 * instruction that computes the tensor, of a state that of its name, or else the root. */
static void describe_planned_tensor(const builder *b, etr_planned_tensor *tensor) {
  const etr_graph *graph = b->placement->method->graph;
  const etr_value_name *name = name_of_tensor(b, tensor);
  tensor->tensor = etr_describe_tensor(&b->program->values[tensor->value], name, "value",
                                       tensor->value, b->arena);
  if (name->is_computed)
    tensor->node = name->node;
  if (graph && tensor->role == ETR_TENSOR_STATE)
    tensor->module = module_of_name(graph, tensor->tensor.name);
  else if (graph && name->node != ETR_NONE)
    tensor->module = graph->nodes[name->node].module;
  else if (graph && tensor->made_by >= 0)
    tensor->module = b->plan->steps[tensor->made_by].module;
}

/* Fills the memory plan of a method: instructions, tensors with their lifetimes, buffers, and the
 * bytes that are live. Warns about what contradicts itself. Returns false when out of memory. */
static bool fill_plan(builder *b, uint32_t method) {
  memory_check check = {
      .source = b->source, .method = b->placement->method->name, .program = b->program};
  b->names = etr_value_names_make(b->placement, b->scratch, b->scratch);
  b->plan->allocator_bytes_32 = etr_method_allocator_bytes(b->program, ETR_PROCESSOR_32);
  b->plan->allocator_bytes_64 = etr_method_allocator_bytes(b->program, ETR_PROCESSOR_64);
  b->steps = b->names ? make_steps(b->plan, b->placement, b->arena) : NULL;
  if (!b->steps || !etr_lifetimes_find(&b->lives, b->placement, b->arena, b->scratch))
    return false;
  for (size_t i = 0; i < b->lives.tensors.count; i++)
    describe_planned_tensor(b, &b->lives.tensors.data[i]);
  b->plan->tensors = b->lives.tensors.data;
  b->plan->tensor_count = b->lives.tensors.count;
  if (etr_arena_failed(b->arena))
    return false;
  /* Marks tensors with an impossible location or size, with a warning for each. `buffer` is still
   * the program's number of the buffer. */
  for (size_t i = 0; i < b->lives.tensors.count; i++)
    find_whether_misplaced(&check, &b->lives.tensors.data[i]);
  if (!find_overlaps(&check, b->lives.tensors.data, b->lives.tensors.count, b->scratch))
    return false;
  /* Warns about the number of warnings that are not shown. */
  if (check.warned > MOST_WARNINGS)
    etr_warn(check.source->warnings, check.source->file, check.source->entry, ETR_NO_OFFSET,
             "%.*s: %s%zu more contradictions in the memory plan", ETR_HEAD(check.method, 64),
             check.is_cut ? "at least " : "", check.warned - MOST_WARNINGS);
  etr_program_constants_add(b->source->constants, b->program, method, b->names);
  if (!list_buffers(b) || !compute_live_bytes(b) ||
      !list_boundary(b->plan, b->program, b->names, b->arena) ||
      !list_blobs(b->plan, b->program, b->arena, b->scratch))
    return false;
  if (b->lives.is_cut)
    etr_warn(b->source->warnings, b->source->file, b->source->entry, ETR_NO_OFFSET,
             "%s: too long lists of tensors, or loops that overlap: tensors may live longer than "
             "is shown",
             etr_method_label(b->placement->method));
  return true;
}

/* Returns the memory plan of a method, in the arena of the source; NULL when out of memory. */
static const etr_memory_plan *make_plan(const etr_placement *placement, uint32_t method,
                                        const etr_memory_source *source) {
  etr_arena scratch;
  etr_arena_init(&scratch);
  builder b = {.placement = placement,
               .program = placement->method->program,
               .source = source,
               .arena = source->arena,
               .scratch = &scratch};
  b.plan = etr_arena_alloc(source->arena, sizeof *b.plan);
  bool good = b.plan && fill_plan(&b, method) && !etr_arena_failed(source->arena) &&
              !etr_arena_failed(&scratch);
  etr_arena_clear(&scratch);
  return good ? b.plan : NULL;
}

/* Methods without a program get no plan. What the file holds comes last, because the methods add
 * their constants. */
bool etr_memory_plan_all(etr_profile *profile, etr_method *methods, const etr_placement *placements,
                         const etr_pte *pte, etr_warnings *warnings, etr_arena *arena) {
  etr_program_constants constants;
  const etr_memory_source source = {.file = profile->pte,
                                    .entry = profile->pte_entry,
                                    .warnings = warnings,
                                    .constants = &constants,
                                    .arena = arena};
  if (pte->method_count == 0)
    return true;
  etr_program_constants_init(&constants, &pte->data, arena);
  for (uint32_t i = 0; i < profile->method_count; i++) {
    if (!placements[i].method->program)
      continue;
    methods[i].memory = make_plan(&placements[i], i, &source);
    if (!methods[i].memory)
      return false;
  }
  profile->program_memory = etr_program_memory_make(&constants, placements, profile->method_count);
  return profile->program_memory != NULL;
}
