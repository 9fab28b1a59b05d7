/* SPDX-License-Identifier: BSD-3-Clause
 *
 * instructions.c - instructions from program, maps and events.
 */
#include "instructions.h"

#include "operator.h"
#include "row.h"

typedef struct collector {
  etr_method_join *join;
  etr_arena *arena;
  etr_map index; /* id -> place */
} collector;

static etr_join_instruction *add_instruction(collector *c, int32_t id) {
  etr_slice key = {(const char *)&id, sizeof id};
  etr_map_slot *known = etr_map_at(&c->index, key);
  if (!known) return NULL;
  if (known->value != ETR_NONE) return &c->join->instructions.data[known->value];
  etr_join_instruction *added = etr_vec_push(c->arena, &c->join->instructions);
  if (!added) return NULL;
  known->value = (uint32_t)(c->join->instructions.count - 1);
  *added = (etr_join_instruction){.id = id, .node = ETR_NONE};
  return added;
}

static bool add_from_program(collector *c) {
  const etr_pte_method *program = c->join->program;
  for (size_t i = 0; program && i < program->instruction_count && i <= INT32_MAX; i++) {
    const etr_instruction *source = &program->instructions[i];
    if (source->kind != ETR_INSTRUCTION_KERNEL && source->kind != ETR_INSTRUCTION_DELEGATE) continue;
    etr_join_instruction *added = add_instruction(c, (int32_t)i);
    if (!added) return false;
    added->is_delegate = source->kind == ETR_INSTRUCTION_DELEGATE;
    added->is_kernel = !added->is_delegate;
    if (added->is_delegate && source->delegate >= 0 && (size_t)source->delegate < program->delegate_count)
      added->backend = program->delegates[source->delegate].backend;
    added->is_prim = added->is_kernel && strncmp(source->op, "executorch_prim::", 17) == 0;
    if (added->is_kernel) added->op = etr_operator_of_kernel(source->op);
  }
  return true;
}

static bool add_from_map(collector *c) {
  const etr_map_method *map = c->join->map;
  for (size_t i = 0; map && i < map->instruction_count; i++) {
    etr_join_instruction *added = add_instruction(c, map->instructions[i].id);
    if (!added) return false;
    added->map = &map->instructions[i];
    if (!added->backend) added->backend = map->instructions[i].backend;
    if (!added->is_kernel) added->is_delegate = map->instructions[i].is_delegate;
  }
  return true;
}

/* What ran decides: an instruction with a kernel's event is a kernel, whatever the map says. */
static bool add_from_blocks(collector *c, uint32_t method, const etr_blocks *blocks) {
  for (size_t b = 0; b < blocks->block_count; b++) {
    const etr_block *block = &blocks->blocks[b];
    for (size_t i = 0; block->method == method && i < block->event_count; i++) {
      const etr_event *e = &block->events[i];
      etr_row_kind kind = etr_row_kind_of(block, i);
      if (kind == ETR_ROW_FRAMEWORK || e->instruction_id < 0) continue;
      etr_join_instruction *added = add_instruction(c, e->instruction_id);
      if (!added) return false;
      added->is_kernel = kind == ETR_ROW_KERNEL;
      added->is_delegate = !added->is_kernel;
      if (added->is_kernel && added->op.size == 0) added->op = etr_operator_of_event(e->name);
    }
  }
  return true;
}

static int by_id(const void *a, const void *b) {
  int32_t x = ((const etr_join_instruction *)a)->id, y = ((const etr_join_instruction *)b)->id;
  return (x > y) - (x < y);
}

bool etr_instructions_collect(etr_method_join *join, uint32_t method, const etr_blocks *blocks, etr_arena *arena,
                              etr_arena *scratch) {
  collector c = {.join = join, .arena = arena};
  etr_map_init(&c.index, scratch);
  if (!add_from_program(&c) || !add_from_map(&c) || !add_from_blocks(&c, method, blocks)) return false;
  etr_sort(join->instructions.data, join->instructions.count, sizeof *join->instructions.data, by_id);
  return true;
}
