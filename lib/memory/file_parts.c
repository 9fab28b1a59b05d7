/* SPDX-License-Identifier: BSD-3-Clause
 *
 * file_parts.c - finds what the bytes of a program's file hold.
 *
 * Ranges of the file are listed with what they hold: the file, in it the program and its segments,
 * in these payloads and constants. Each byte belongs to the innermost range around it.
 */
#include "memory/program_memory.h"

const char *etr_content_name(etr_content kind) {
  static const char *const names[] = {"program", "constant", "mutable", "weight", "delegate",
                                      "closed",  "named",    "unused",  "tests",  "padding"};
  return (size_t)kind < ETR_COUNT(names) ? names[kind] : "";
}

typedef struct file_range {
  etr_file_part part; /* its size is that of the range until the ranges inside are taken off */
  uint64_t end;
  uint32_t number;                 /* of two equal ranges the later one is inside */
  etr_vec(etr_delegate_use) calls; /* of a delegate */
} file_range;

typedef struct file_ranges {
  const etr_pte_data *data;
  etr_arena *arena, *scratch;
  etr_map by_extent; /* start and size of payloads and of delegates' weights -> index in the list */
  etr_map by_key;    /* key of named data -> its segment */
  etr_vec(file_range) list;
} file_ranges;

/* Adds the bytes [start, end) of the file to the list of ranges, with what they hold
 * (`part`); nothing if there are none. When out of memory, the scratch arena has failed. */
static void append_range(file_ranges *c, uint64_t start, uint64_t end, etr_file_part part) {
  file_range *added = start < end ? etr_vec_push(c->scratch, &c->list) : NULL;
  if (!added)
    return;
  part.offset_bytes = start;
  *added = (file_range){.part = part, .end = end, .number = (uint32_t)(c->list.count - 1)};
}

/* Adds a range of `size` bytes that begins `offset` bytes behind the start of the program, which a
 * file may have behind other content; what is outside the file is left out. */
static void add_range_of_program(file_ranges *c, uint64_t offset, uint64_t size,
                                 etr_file_part part) {
  uint64_t start = etr_add_up_to_most(c->data->program_at, offset);
  uint64_t end = etr_add_up_to_most(start, size);
  append_range(c, start, ETR_MIN(end, c->data->file_bytes), part);
}

/* Adds a range of the file that several delegates may use. Returns false if it was added before,
 * which only counts a further use, if it is empty, or when out of memory. */
static bool add_range_once(file_ranges *c, uint64_t offset, uint64_t size, etr_file_part part) {
  const uint64_t extent[] = {offset, size};
  etr_map_slot *slot = etr_map_at(&c->by_extent, (etr_slice){(const char *)extent, sizeof extent});
  if (!slot)
    return false;
  if (slot->value != ETR_NONE) {
    c->list.data[slot->value].part.uses++;
    return false;
  }
  size_t count = c->list.count;
  part.uses = 1;
  add_range_of_program(c, offset, size, part);
  if (c->list.count > count)
    slot->value = (uint32_t)count;
  return c->list.count > count;
}

/* ---- Segments and constants ---- */

/* Adds the segments of the file. A segment of constants or delegates counts as padding at first:
 * ranges inside it are added later, and only the bytes between them stay padding. Also fills the
 * map of named data, by key. */
static void add_segments(file_ranges *c) {
  static const etr_content kinds[] = {
      [ETR_SEGMENT_UNUSED] = ETR_CONTENT_UNUSED,   [ETR_SEGMENT_CONSTANTS] = ETR_CONTENT_PADDING,
      [ETR_SEGMENT_MUTABLE] = ETR_CONTENT_PADDING, [ETR_SEGMENT_DELEGATE] = ETR_CONTENT_PADDING,
      [ETR_SEGMENT_NAMED] = ETR_CONTENT_NAMED,
  };
  for (uint32_t i = 0; i < c->data->segment_count && c->data->segment_base > 0; i++) {
    const etr_segment *segment = &c->data->segments[i];
    uint64_t offset = etr_add_up_to_most(c->data->segment_base, segment->offset_bytes);
    const etr_file_part part = {.kind = kinds[segment->kind],
                                .tensor = {.name = segment->name, .rank = -1},
                                .method = ETR_NONE,
                                .instruction = -1};
    add_range_of_program(c, offset, segment->size_bytes, part);
  }
  for (size_t i = 0; i < c->data->named_count; i++)
    etr_map_set(&c->by_key, etr_slice_of(c->data->named[i].key), c->data->named[i].segment);
}

/* Adds the constants of the program that are in its file. Their offsets count from the start of the
 * file, but those of add_range_of_program() from that of the program. */
static void add_constants(file_ranges *c, const etr_program_constants *constants) {
  for (size_t i = 0; i < constants->list.count; i++) {
    const etr_constant *constant = &constants->list.data[i];
    if (constant->offset_bytes == ETR_UNKNOWN)
      continue;
    uint64_t offset = constant->offset_bytes - c->data->program_at;
    const etr_file_part part = {.kind = constant->is_mutable ? ETR_CONTENT_MUTABLE
                                                             : ETR_CONTENT_CONSTANT,
                                .tensor = constant->tensor,
                                .module = constant->module,
                                .method = constant->method,
                                .instruction = -1,
                                .uses = constant->uses};
    add_range_of_program(c, offset, constant->size_bytes, part);
  }
}

/* ---- Delegates ---- */

typedef struct delegate_of {
  const etr_placement *placement;
  const etr_pte_delegate *delegate;
  etr_file_part part; /* what all parts of the delegate have in common */
} delegate_of;

/* Returns the path of the module of the node that an operator of the payload runs, or else (also
 * for SIZE_MAX, no operator) of the delegate; NULL without an Edge graph. */
static const char *module_of_operator(const delegate_of *d, size_t operator_) {
  const etr_graph *graph = d->placement->method->graph;
  if (!graph)
    return NULL;
  const etr_placed *placed = etr_placed_instruction(d->placement, d->part.instruction);
  bool is_known = placed && placed->payload && operator_ < placed->payload->count;
  uint32_t node = is_known ? placed->operator_nodes[operator_] : ETR_NONE;
  uint32_t module = node != ETR_NONE ? graph->nodes[node].module
                                     : etr_module_of_delegate(d->placement, d->part.instruction);
  return graph->modules[module].path;
}

/* Adds the bytes of a tensor that an operator of a payload reads: in the segment of named data that
 * its key names, or else in the payload itself. Data in neither is left out. */
static void add_weight(file_ranges *c, const delegate_of *d, const etr_own_data *data,
                       const etr_value *tensor, size_t operator_) {
  uint32_t segment = data->key ? etr_map_get(&c->by_key, etr_slice_of(data->key)) : ETR_NONE;
  bool is_inside = data->offset <= d->delegate->payload_bytes &&
                   data->bytes <= d->delegate->payload_bytes - data->offset;
  etr_file_part part = d->part;
  uint64_t offset = is_inside ? d->delegate->payload_at + data->offset : 0;
  if (segment < c->data->segment_count)
    offset = etr_add_up_to_most(c->data->segment_base, c->data->segments[segment].offset_bytes);
  if (offset == 0 || data->bytes == 0 || !tensor->name)
    return;
  part.kind = ETR_CONTENT_WEIGHT;
  part.tensor = *tensor;
  part.module = module_of_operator(d, operator_);
  (void)add_range_once(c, offset, data->bytes, part);
}

/* Adds a constant of a payload, and the scales by which its numbers are quantized, if it has any.
 */
static void add_payload_constant(file_ranges *c, const delegate_of *d, const etr_own_value *value,
                                 uint32_t id, size_t operator_) {
  etr_value tensor = value->value, scales = {.rank = -1};
  tensor.name = etr_arena_format(c->arena, "constant_%u", id);
  add_weight(c, d, &value->data, &tensor, operator_);
  if (value->scales.bytes == 0)
    return;
  scales.name = etr_arena_format(c->arena, "scales of constant_%u", id);
  add_weight(c, d, &value->scales, &scales, operator_);
}

/* Adds the constants that the operators of a payload read, each once, for the first that reads it.
 */
static void add_payload_constants(file_ranges *c, const delegate_of *d) {
  const etr_own_graph *graph = etr_method_own_graph(d->placement->method, d->part.instruction);
  bool *is_added = graph ? etr_arena_alloc_array(c->scratch, graph->value_count, sizeof *is_added)
                         : NULL;
  for (size_t i = 0; is_added && i < graph->count; i++) {
    const etr_own_operator *operator_ = &graph->operators[i];
    for (size_t k = 0; k < operator_->read_count; k++) {
      uint32_t id = operator_->reads[k];
      if (graph->values[id].is_constant && !is_added[id])
        add_payload_constant(c, d, &graph->values[id], id, i);
      is_added[id] = true;
    }
  }
}

/* Records, for the range of each payload, which instructions of a method call a delegate with it.
 */
static void record_calls(file_ranges *c, const etr_pte_method *program, uint32_t method) {
  for (size_t i = 0; i < program->instruction_count; i++) {
    if ((uint32_t)program->instructions[i].delegate >= program->delegate_count)
      continue;
    const etr_pte_delegate *delegate = &program->delegates[program->instructions[i].delegate];
    const uint64_t extent[] = {delegate->payload_at, delegate->payload_bytes};
    uint32_t number = etr_map_get(&c->by_extent, (etr_slice){(const char *)extent, sizeof extent});
    etr_delegate_use *added = number != ETR_NONE
                                  ? etr_vec_push(c->arena, &c->list.data[number].calls)
                                  : NULL;
    if (added)
      *added = (etr_delegate_use){method, (int32_t)i};
  }
}

/* Adds the payloads of a method's delegates, and in them the constants of those whose format can be
 * read; others are ETR_CONTENT_CLOSED. The instruction of a payload is the first that calls its
 * delegate; -1 if none does. The module is that of the delegate's nodes together. */
static void add_delegate_payloads(file_ranges *c, const etr_placement *placement, uint32_t method) {
  const etr_pte_method *program = placement->method->program;
  int32_t *first = etr_arena_alloc_array(c->scratch, program->delegate_count, sizeof *first);
  for (size_t i = 0; first && i < program->delegate_count; i++)
    first[i] = -1;
  for (size_t i = program->instruction_count; first && i-- > 0;)
    if ((uint32_t)program->instructions[i].delegate < program->delegate_count)
      first[program->instructions[i].delegate] = (int32_t)i;
  for (size_t i = 0; first && i < program->delegate_count; i++) {
    const etr_pte_delegate *delegate = &program->delegates[i];
    delegate_of d = {placement,
                     delegate,
                     {.kind = ETR_CONTENT_DELEGATE,
                      .tensor.rank = -1,
                      .backend = delegate->backend,
                      .format = delegate->format,
                      .method = method,
                      .instruction = first[i]}};
    bool is_read = first[i] < 0 ? etr_own_graph_reader_of(delegate->backend) != NULL
                                : etr_method_own_graph(placement->method, first[i]) != NULL;
    if (!is_read)
      d.part.kind = ETR_CONTENT_CLOSED;
    if (placement->method->graph && first[i] >= 0)
      d.part.module = module_of_operator(&d, SIZE_MAX);
    bool is_new = add_range_once(c, delegate->payload_at, delegate->payload_bytes, d.part);
    if (is_new && first[i] >= 0)
      add_payload_constants(c, &d);
  }
  record_calls(c, program, method);
}

/* ---- All ---- */

/* Orders ranges by offset, then the longest first, then as they were added: so a range comes before
 * those inside it. */
static int by_extent(const void *a, const void *b) {
  const file_range *x = a, *y = b;
  if (x->part.offset_bytes != y->part.offset_bytes)
    return x->part.offset_bytes < y->part.offset_bytes ? -1 : 1;
  if (x->end != y->end)
    return x->end > y->end ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

/* Sorts the ranges, and takes the size of each off that of the range around it, so that each byte
 * counts once. A range that is partly outside the one around it is cut. `open` has the ranges
 * around the current one, the innermost last. */
static void nest_ranges(file_ranges *c) {
  etr_vec(file_range *) open = {0};
  etr_sort(c->list.data, c->list.count, sizeof *c->list.data, by_extent);
  for (size_t i = 0; i < c->list.count; i++) {
    file_range *inner = &c->list.data[i];
    while (open.count > 0 && open.data[open.count - 1]->end <= inner->part.offset_bytes)
      open.count--;
    file_range *outer = open.count > 0 ? open.data[open.count - 1] : NULL;
    if (outer)
      inner->end = ETR_MIN(inner->end, outer->end);
    inner->part.size_bytes = inner->part.extent_bytes = inner->end - inner->part.offset_bytes;
    if (outer)
      outer->part.size_bytes -= inner->part.size_bytes;
    file_range **added = etr_vec_push(c->scratch, &open);
    if (added)
      *added = inner;
  }
}

/* Lists the ranges of the file that have bytes of their own, outside the ranges in them, in
 * out->parts, which is the arena's. Returns false when out of memory. */
static bool list_parts(file_ranges *c, etr_program_memory *out) {
  etr_file_part *parts = etr_arena_alloc_array(c->arena, c->list.count, sizeof *parts);
  for (size_t i = 0; parts && i < c->list.count; i++) {
    file_range *made = &c->list.data[i];
    made->part.calls = made->calls.data;
    made->part.call_count = made->calls.count;
    if (made->part.size_bytes > 0)
      parts[out->part_count++] = made->part;
  }
  out->parts = parts;
  out->file_bytes = c->data->file_bytes;
  return parts != NULL;
}

/* Lists the ranges of the file from the outermost to the innermost: the file, the program,
 * segments, constants and payloads. A byte counts for the innermost range around it. A program that
 * does not begin the file is a bundled one, and what is around it are its tests. */
bool etr_file_parts_find(etr_program_memory *out, const etr_program_constants *constants,
                         const etr_placement *placements, size_t method_count) {
  etr_arena scratch;
  etr_arena_init(&scratch);
  file_ranges c = {.data = constants->data, .arena = constants->arena, .scratch = &scratch};
  const etr_file_part none = {.tensor.rank = -1, .method = ETR_NONE, .instruction = -1};
  etr_file_part file = none, program = none;
  etr_map_init(&c.by_extent, &scratch);
  etr_map_init(&c.by_key, &scratch);
  file.kind = c.data->program_at > 0 ? ETR_CONTENT_TESTS : ETR_CONTENT_PADDING;
  program.kind = ETR_CONTENT_PROGRAM;
  append_range(&c, 0, c.data->file_bytes, file);
  add_range_of_program(&c, 0, c.data->program_bytes, program);
  add_segments(&c);
  add_constants(&c, constants);
  for (uint32_t i = 0; i < method_count; i++)
    if (placements[i].method->program)
      add_delegate_payloads(&c, &placements[i], i);
  if (!etr_arena_failed(&scratch))
    nest_ranges(&c);
  bool good = !etr_arena_failed(&scratch) && list_parts(&c, out);
  etr_arena_clear(&scratch);
  return good;
}
