/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program_rows.c - instructions, and operators of payloads, as nodes of events.
 */
#include "program/program_rows.h"

#include "program/program_graph.h"

static bool set_node(etr_event *row, uint32_t node, etr_arena *arena) {
  uint32_t *nodes = etr_arena_alloc(arena, sizeof *nodes);
  if (!nodes) return false;
  *nodes = node;
  row->nodes = nodes;
  row->node_count = 1;
  row->is_inserted = false;
  return true;
}

static bool take_instruction(const etr_pte_graph *program, etr_event *row, etr_arena *arena) {
  uint32_t node = etr_pte_graph_node(program, row->instruction_id, NULL);
  if (node == ETR_NONE) return true;
  row->match = ETR_MATCH_INSTRUCTION;
  row->confidence = 1;
  return set_node(row, node, arena);
}

/* Copying and waiting is the call's, not what it was made for. */
static bool is_work(const etr_event *row) {
  if (row->shell) return row->shell_phase == ETR_PHASE_COMPUTE;
  return row->is_in_sums && (row->role == ETR_ROLE_OPERATOR || row->phase == ETR_PHASE_COMPUTE);
}

static bool take_operator(const etr_pte_graph *program, etr_event *row, etr_arena *arena) {
  uint32_t node = etr_pte_graph_operator(program, row->instruction_id, row->payload_operator);
  if (node != ETR_NONE) {
    row->phase = ETR_PHASE_NONE;
    return set_node(row, node, arena);
  }
  if (etr_pte_graph_is_open(program, row->instruction_id) || !is_work(row)) return true;
  return take_instruction(program, row, arena);
}

/* Whether events tell what some of a call's time was spent on. */
static bool tells_inside(const etr_event *rows, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (rows[i].kind == ETR_EVENT_DELEGATE_OPERATOR && (rows[i].is_in_sums || rows[i].shell)) return true;
  return false;
}

/* The rows of one instruction in one block. */
static bool take_rows(const etr_pte_graph *program, etr_event *rows, size_t count, etr_arena *arena) {
  bool is_closed = count && !etr_pte_graph_is_open(program, rows[0].instruction_id) && !tells_inside(rows, count);
  bool good = true;
  for (size_t i = 0; good && i < count; i++) {
    etr_event *row = &rows[i];
    if (row->kind == ETR_EVENT_DELEGATE_OPERATOR) good = take_operator(program, row, arena);
    bool is_whole = row->kind == ETR_EVENT_DELEGATE_CALL ? is_closed : row->kind == ETR_EVENT_KERNEL;
    if (is_whole && row->match != ETR_MATCH_FRAMEWORK) good = take_instruction(program, row, arena);
  }
  return good;
}

bool etr_program_rows(const etr_placement *placement, uint32_t method, const etr_blocks *blocks, etr_arena *arena) {
  size_t count;
  const uint32_t *mine = etr_blocks_of_method(blocks, method, &count);
  for (size_t b = 0; placement->program_graph && b < count; b++) {
    const etr_block *block = &blocks->blocks[mine[b]];
    for (size_t i = 0, end; etr_block_counts(blocks, block) && i < block->event_count; i = end) {
      end = etr_block_instruction_end(block, i);
      if (!take_rows(placement->program_graph, &etr_block_rows(block)[i], end - i, arena)) return false;
    }
  }
  return true;
}
