/* SPDX-License-Identifier: BSD-3-Clause
 *
 * event_nodes.c - kernels by their instruction; operators in delegates by delegates.c.
 */
#include "place/event_nodes.h"

#include "backends/backends.h"
#include "inputs/dump.h"
#include "place/delegates.h"

typedef struct finder {
  const etr_placement *placement;
  etr_arena *arena;
  bool logs_kernels; /* by their names */
  etr_delegate_reading reading;
} finder;

/* Some backends log events of their own as the runtime does. */
static bool is_of_delegate(const etr_event *e, const etr_placed *instruction) {
  const etr_decoder *decoder = instruction && instruction->is_delegate ? etr_decoder_of(instruction->backend) : NULL;
  return decoder && decoder->mark && e->kind == ETR_EVENT_FRAMEWORK && strstr(e->name, decoder->mark);
}

/* Until a backend says more, what ran inside a delegate is an operator. */
static void describe_role(etr_event *e, const etr_placed *instruction) {
  const etr_backend *backend = instruction ? etr_backend_of(instruction->backend) : NULL;
  static const etr_event_role roles[] = {[ETR_EVENT_FRAMEWORK] = ETR_ROLE_NONE,
                                         [ETR_EVENT_KERNEL] = ETR_ROLE_OPERATOR,
                                         [ETR_EVENT_DELEGATE_CALL] = ETR_ROLE_CONTAINER,
                                         [ETR_EVENT_DELEGATE_OPERATOR] = ETR_ROLE_OPERATOR};
  e->role = roles[e->kind];
  e->is_in_sums = e->role == ETR_ROLE_OPERATOR;
  e->has_no_place = backend && backend->has_no_places && e->kind == ETR_EVENT_DELEGATE_OPERATOR;
}

static void describe(etr_event *e, const etr_placed *instruction) {
  const etr_map_instruction *map = instruction ? instruction->map : NULL;
  static const etr_match matches[] = {[ETR_EVENT_FRAMEWORK] = ETR_MATCH_FRAMEWORK,
                                      [ETR_EVENT_KERNEL] = ETR_MATCH_NONE,
                                      [ETR_EVENT_DELEGATE_CALL] = ETR_MATCH_DELEGATE,
                                      [ETR_EVENT_DELEGATE_OPERATOR] = ETR_MATCH_DELEGATE};
  e->payload_operator = ETR_NONE;
  if (is_of_delegate(e, instruction)) e->kind = ETR_EVENT_DELEGATE_OPERATOR;
  e->match = matches[e->kind];
  describe_role(e, instruction);
  if (etr_event_is_in_delegate(e) && instruction) e->backend = instruction->backend;
  if (!map || e->kind == ETR_EVENT_DELEGATE_OPERATOR) return;
  e->handles = map->handles;
  e->handle_count = map->handle_count;
}

/* A kernel of the graph logs its name. What logs none though others do is the runtime's own: the loop of a map, of
 * which the handle map knows nothing, or arithmetic on sizes. */
static bool is_of_runtime(const finder *f, const etr_event *e, const etr_placed *instruction) {
  bool is_unknown = !instruction->map || instruction->map->handle_count == 0;
  if (instruction->is_prim) return true;
  if (is_unknown && (f->placement->method->graph || !f->placement->method->program) &&
      etr_slice_is(instruction->op, "sym_size"))
    return true;
  if (f->placement->method->program || !f->placement->method->graph || strcmp(e->name, "OPERATOR_CALL") != 0)
    return false;
  if (instruction->node == ETR_NONE) return is_unknown && f->logs_kernels;
  return strncmp(f->placement->method->graph->nodes[instruction->node].target, "_operator.", 10) == 0;
}

static bool join_kernel(finder *f, etr_event *e, const etr_placed *instruction) {
  if (!instruction) return true;
  if (is_of_runtime(f, e, instruction)) e->match = ETR_MATCH_FRAMEWORK;
  if (instruction->node == ETR_NONE || e->match == ETR_MATCH_FRAMEWORK) return true;
  uint32_t *node = etr_arena_alloc(f->arena, sizeof *node);
  if (!node) return false;
  *node = instruction->node;
  e->nodes = node;
  e->node_count = 1;
  e->match = instruction->match;
  e->confidence = e->match == ETR_MATCH_ALIGNED ? 0.5 : 1;
  return true;
}

static bool join_block(finder *f, const etr_block *block) {
  for (size_t i = 0, end; i < block->event_count; i = end) {
    const etr_placed *instruction = etr_placed_instruction(f->placement, block->events[i].instruction_id);
    end = etr_block_instruction_end(block, i);
    for (size_t k = i; k < end; k++) {
      etr_event *e = &etr_block_rows(block)[k];
      describe(e, instruction);
      if (e->kind == ETR_EVENT_KERNEL && !join_kernel(f, e, instruction)) return false;
    }
    if (instruction &&
        !etr_delegate_rows(f->placement, instruction, &etr_block_rows(block)[i], end - i, &f->reading, f->arena))
      return false;
  }
  return true;
}

bool etr_find_event_nodes(const etr_placement *placement, uint32_t method, const etr_blocks *blocks, etr_arena *arena,
                          etr_warnings *warnings) {
  finder f = {.placement = placement,
              .arena = arena,
              .reading = {.plans_left = ETR_DELEGATE_PLANS,
                          .ticks_per_ns = blocks->ticks_per_second / 1e9,
                          .decoding = {.ticks_left = ETR_DUMP_MOST_TICKS}}};
  size_t count;
  const uint32_t *mine = etr_blocks_of_method(blocks, method, &count);
  for (size_t i = 0; i < placement->instructions.count; i++)
    f.logs_kernels |= placement->instructions.data[i].op.size > 0;
  for (size_t i = 0; i < count; i++) {
    const etr_block *block = &blocks->blocks[mine[i]];
    if (etr_block_counts(blocks, block) && !join_block(&f, block)) return false;
  }
  if (f.reading.plans_left == 0)
    etr_warn(warnings, NULL, NULL, ETR_NO_OFFSET,
             "%s: too many runs with different events in delegates: what ran in some of them gets no node",
             etr_method_label(placement->method));
  etr_decoding_warn(&f.reading.decoding, etr_method_label(placement->method), warnings);
  return true;
}
