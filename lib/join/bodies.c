/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bodies.c - finds the nodes of kernels in bodies of cond, map or scan. It compares the
 * instructions that should have been emitted with the numbers of those that ran: a forward and a
 * backward pass over all possible numberings.
 *
 * The maps do not name instructions in bodies. However, instructions are numbered in the order in
 * which they are emitted (exir/emit/_emitter.py): a cond is a jump, its first body, a move for each
 * result, a jump, its second body and the moves again; a map is an instruction that takes a slice,
 * its body, and instructions that count; a scan also copies what it carries from round to round.
 * Only views may lack an instruction. The numbers of the instructions that ran therefore identify
 * their body, although the other body left no events.
 */
#include "backends/operator.h"
#include "inputs/graph_values.h"
#include "inputs/program_values.h"
#include "join/placement.h"

/* What the program or an event says about an instruction. */
typedef enum seen_kind { UNSEEN, NAMED_KERNEL, OTHER_KERNEL, JUMP, MOVE, CALL } seen_kind;

typedef struct seen {
  seen_kind kind;
  const etr_placed *instruction; /* set for kernels and calls */
} seen;

typedef enum item_kind {
  ITEM_NODE,  /* a kernel, unless it is a view */
  ITEM_CALL,  /* a call of a delegate, in a graph that has it */
  ITEM_NAMED, /* a kernel of a loop around a body, identified by its operator */
  ITEM_PRIM,  /* a kernel that logs no name; a program may have its name */
  ITEM_JUMP,
  ITEM_MOVE,
  ITEM_REST, /* any number of instructions around bodies */
} item_kind;

/* An instruction that should have been emitted. */
typedef struct item {
  item_kind kind;
  uint32_t node;
  const char *op;
  bool is_optional;
} item;

/* The cells of an item: for each instruction, whether the item may be next at that instruction. */
typedef struct row {
  size_t first_cell; /* index of the cell of instruction `first` */
  size_t first, end; /* instructions */
} row;

typedef struct numbering {
  etr_placement *placement;
  const etr_graph *graph;
  uint32_t *first_in,
      *next_in; /* linked list of the nodes of each subgraph; the graph's own list is the last */
  uint32_t *first_body, *next_body; /* linked list of the bodies of each node */
  seen *seen;                       /* per instruction */
  size_t count;
  etr_vec(item) items;
  size_t tail; /* items from here on may come after the last instruction that was seen */
  row *rows;   /* one for each item, and one more */
  etr_vec(uint8_t) cells;
  bool is_whole; /* the graph is as the program: each of its nodes is an item, and no other
                    instruction runs */
  bool has_map, has_calls, has_names, is_cut;
  uint32_t
      strange; /* a node with bodies whose instructions are not known; ETR_NONE: there is none */
  etr_arena *scratch;
} numbering;

/* ---- The instructions that were seen ---- */

static seen *seen_at(numbering *n, int32_t id) {
  return id >= 0 && (size_t)id < n->count ? &n->seen[id] : NULL;
}

/* Returns JUMP or MOVE if the name of an event shows such an instruction; UNSEEN for all other
 * events. */
static seen_kind kind_of_event(const etr_event *event) {
  if (strcmp(event->name, "JF_CALL") == 0) /* jump if false */
    return JUMP;
  return strcmp(event->name, "MOVE_CALL") == 0 ? MOVE : UNSEEN;
}

/* Records that an event shows a jump or a move, unless the kind of its instruction is known. */
static void record_kind_of_event(numbering *n, const etr_event *event) {
  seen *s = seen_at(n, event->instruction_id);
  if (s && s->kind == UNSEEN)
    s->kind = kind_of_event(event);
}

/* Records whether an instruction calls a delegate, is a kernel with a known operator, or another
 * kernel. Also records whether the method has kernels with known operators, and delegate calls that
 * the record's maps do not list: such a call may run any node. */
static void record_instruction_kind(numbering *n, const etr_placed *instruction) {
  seen *s = seen_at(n, instruction->id);
  if (!s || (!instruction->is_kernel && !instruction->is_delegate))
    return;
  bool is_named = instruction->op.size && !instruction->is_prim;
  seen_kind kernel = is_named ? NAMED_KERNEL : OTHER_KERNEL;
  *s = (seen){instruction->is_delegate ? CALL : kernel, instruction};
  n->has_calls |= s->kind == CALL && !instruction->map && !n->is_whole;
  n->has_names |= s->kind == NAMED_KERNEL;
}

enum { MOST_INSTRUCTIONS = 1 << 20 };

/* Fills n->seen: per instruction id, its kind as far as the maps, the events or the program say.
 * Sets is_cut instead if there are too many instructions. Returns false when out of memory. */
static bool record_kinds(numbering *n, uint32_t method, const etr_blocks *blocks) {
  size_t block_count;
  const uint32_t *block_indices = etr_blocks_of_method(blocks, method, &block_count);
  const etr_placement *p = n->placement;
  int64_t last = p->instructions.count ? p->instructions.data[p->instructions.count - 1].id : -1;
  for (size_t b = 0; b < block_count; b++) {
    const etr_block *block = &blocks->blocks[block_indices[b]];
    for (size_t i = 0; i < block->event_count; i++)
      if (kind_of_event(&block->events[i]) != UNSEEN)
        last = ETR_MAX(last, block->events[i].instruction_id);
  }
  n->is_cut = last >= MOST_INSTRUCTIONS;
  if (n->is_cut)
    return true;
  n->count = (size_t)(last + 1);
  n->seen = etr_arena_alloc_array(n->scratch, n->count, sizeof *n->seen);
  if (!n->seen)
    return false;
  for (size_t i = 0; i < p->instructions.count; i++)
    record_instruction_kind(n, &p->instructions.data[i]);
  for (size_t b = 0; b < block_count; b++)
    for (size_t i = 0; i < blocks->blocks[block_indices[b]].event_count; i++)
      record_kind_of_event(n, &blocks->blocks[block_indices[b]].events[i]);
  /* The program says which instructions are jumps or moves. */
  const etr_pte_method *program = n->placement->method->program;
  for (size_t i = 0; program && i < program->instruction_count && i < n->count; i++) {
    if (program->instructions[i].kind == ETR_INSTRUCTION_JUMP_FALSE)
      n->seen[i].kind = JUMP;
    if (program->instructions[i].kind == ETR_INSTRUCTION_MOVE)
      n->seen[i].kind = MOVE;
  }
  return true;
}

/* ---- The instructions that should have been emitted ---- */

/* Makes linked lists of the nodes of each subgraph and of the bodies of each node, in their order.
 * Nodes outside subgraphs have the list behind that of the last subgraph. Builds them from the end,
 * because each entry goes to the front of its list. Returns false when out of memory. */
static bool link_nodes_and_bodies(numbering *n) {
  size_t subgraphs = n->graph->subgraph_count + 1;
  n->first_in = etr_arena_alloc_array(n->scratch, subgraphs, sizeof *n->first_in);
  n->next_in = etr_arena_alloc_array(n->scratch, n->graph->node_count, sizeof *n->next_in);
  if (etr_arena_failed(n->scratch))
    return false;
  n->first_body = etr_arena_alloc_array(n->scratch, n->graph->node_count, sizeof *n->first_body);
  n->next_body = etr_arena_alloc_array(n->scratch, subgraphs, sizeof *n->next_body);
  if (etr_arena_failed(n->scratch))
    return false;
  for (size_t i = 0; i < n->graph->node_count; i++)
    n->first_body[i] = ETR_NONE;
  for (uint32_t i = (uint32_t)n->graph->subgraph_count; i-- > 0;) {
    const etr_subgraph *s = &n->graph->subgraphs[i];
    if (s->kind != ETR_SUBGRAPH_BODY)
      continue;
    n->next_body[i] = n->first_body[s->owner];
    n->first_body[s->owner] = i;
  }
  for (size_t i = 0; i < subgraphs; i++)
    n->first_in[i] = ETR_NONE;
  for (uint32_t i = (uint32_t)n->graph->node_count; i-- > 0;) {
    uint32_t *first = &n->first_in[ETR_MIN((size_t)n->graph->nodes[i].subgraph, subgraphs - 1)];
    n->next_in[i] = *first;
    *first = i;
  }
  return true;
}

/* Adds an item, which is an instruction that should have been emitted, of a node (ETR_NONE: of
 * none) or of an operator. ITEM_REST stands for any number of instructions, so several in a row
 * are one. A node may lack an instruction if it is a view, has no tensor, or may have run in a
 * delegate that the maps do not list. */
static void push_item(numbering *n, item_kind kind, uint32_t node, const char *op) {
  bool repeats = kind == ITEM_REST && n->items.count &&
                 n->items.data[n->items.count - 1].kind == ITEM_REST;
  item *added = repeats ? NULL : etr_vec_push(n->scratch, &n->items);
  if (!added)
    return;
  *added = (item){.kind = kind, .node = node, .op = op};
  if (kind != ITEM_NODE)
    return;
  const etr_node *graph_node = &n->graph->nodes[node];
  added->is_optional = etr_is_view(graph_node) || !etr_has_tensor(graph_node) || n->has_calls;
}

static void push_body(numbering *n, uint32_t subgraph);

/* The arguments of a scan: carried from round to round, cut into slices, and all others. */
typedef struct scan {
  size_t carried, sliced;
} scan;

static int32_t rank_of(const etr_graph *graph, const etr_edge *edge) {
  const etr_node *producer = &graph->nodes[edge->node];
  return edge->output < producer->output_count ? producer->outputs[edge->output].rank : -1;
}

/* Counts the arguments that a scan slices: the first row of consecutive ones that have one
 * dimension less in the body. The arguments before them are carried from round to round. Returns
 * false if the number of the body's arguments or results does not fit the node's. */
static bool read_scan(const numbering *n, uint32_t node, uint32_t body, scan *out) {
  const etr_node *owner = &n->graph->nodes[node];
  size_t count = 0, results = 0;
  *out = (scan){0};
  for (uint32_t i = n->first_in[body]; i != ETR_NONE; i = n->next_in[i]) {
    const etr_node *inner = &n->graph->nodes[i];
    if (inner->kind == ETR_NODE_OUTPUT)
      results = inner->input_count;
    if (inner->kind != ETR_NODE_INPUT || count == owner->input_count || inner->output_count == 0)
      continue;
    int32_t outer_rank = rank_of(n->graph, &owner->inputs[count++]);
    bool is_slice = inner->outputs[0].rank >= 0 && inner->outputs[0].rank == outer_rank - 1;
    if (is_slice && count == out->carried + out->sliced + 1)
      out->sliced++;
    else if (out->sliced == 0)
      out->carried++;
  }
  return count == owner->input_count && out->sliced && results >= out->carried &&
         results == owner->output_count;
}

static void push_items(numbering *n, item_kind kind, const char *op, size_t count) {
  for (size_t i = 0; i < count; i++)
    push_item(n, kind, ETR_NONE, op);
}

/* Adds the items of a scan: the loop copies the first carried values, takes slices, runs its
 * body, copies the next carried values and the results, counts, compares, jumps back, and counts
 * from 0 again. */
static void push_scan(numbering *n, uint32_t node, uint32_t body, const scan *s) {
  push_item(n, ITEM_PRIM, ETR_NONE, "sym_size");
  push_items(n, ITEM_NAMED, "copy_", s->carried);
  push_items(n, ITEM_NAMED, "select_copy", s->sliced);
  push_body(n, body);
  push_items(n, ITEM_NAMED, "copy_", s->carried);
  size_t copied_results = n->graph->nodes[node].output_count - s->carried;
  push_items(n, ITEM_PRIM, NULL, copied_results + 2); /* then it counts and compares */
  push_item(n, ITEM_JUMP, ETR_NONE, NULL);
  push_item(n, ITEM_PRIM, ETR_NONE, NULL);
}

/* Adds the items of a cond: for each of its two bodies a jump, the body, and a move for each
 * result. */
static void push_cond(numbering *n, uint32_t node, const uint32_t bodies[2]) {
  for (int i = 0; i < 2; i++) {
    push_item(n, ITEM_JUMP, ETR_NONE, NULL);
    push_body(n, bodies[i]);
    for (size_t k = 0; k < n->graph->nodes[node].output_count; k++)
      push_item(n, ITEM_MOVE, ETR_NONE, NULL);
  }
}

/* Adds the items (instructions that the program should have) of a map: it takes a slice, runs its
 * body, copies the result, counts, compares, jumps back, and counts from 0 again. */
static void push_map(numbering *n, uint32_t body) {
  push_item(n, ITEM_PRIM, ETR_NONE, "sym_size");
  push_item(n, ITEM_NAMED, ETR_NONE, "select_copy");
  push_body(n, body);
  push_items(n, ITEM_PRIM, NULL, 3);
  push_item(n, ITEM_JUMP, ETR_NONE, NULL);
  push_item(n, ITEM_PRIM, ETR_NONE, NULL);
}

/* Adds the items of a node with bodies; where its instructions are not known, one item that stands
 * for any number of them, and the node is n->strange, for a warning. Returns false if the node has
 * no bodies. */
static bool push_node_with_bodies(numbering *n, uint32_t node) {
  uint32_t bodies[2];
  scan s;
  etr_slice op = etr_operator_of_target(n->graph->nodes[node].target);
  if (strncmp(n->graph->nodes[node].target, "higher_order.", 13) != 0)
    return false;
  size_t count = 0;
  for (uint32_t i = n->first_body[node]; i != ETR_NONE; i = n->next_body[i], count++)
    if (count < 2)
      bodies[count] = i;
  if (count == 0)
    return false;
  if (count == 2 && etr_slice_is(op, "cond")) {
    push_cond(n, node, bodies);
  } else if (count == 1 && etr_slice_starts(op, ETR_SLICE("map"))) {
    push_map(n, bodies[0]);
  } else if (count == 1 && etr_slice_is(op, "scan") && read_scan(n, node, bodies[0], &s)) {
    push_scan(n, node, bodies[0], &s);
  } else {
    n->strange = node;
    push_item(n, ITEM_REST, ETR_NONE, NULL);
  }
  return true;
}

/* Adds the item of an operator without bodies; none for an allocation, which makes no instruction.
 */
static void push_operator(numbering *n, uint32_t node) {
  const char *target = n->graph->nodes[node].target;
  if (strcmp(target, "higher_order.executorch_call_delegate") == 0)
    push_item(n, ITEM_CALL, node, NULL);
  else if (strcmp(target, "memory.alloc") != 0)
    push_item(n, ITEM_NODE, node, NULL);
}

/* Adds the items of all operators of a subgraph, in order. */
static void push_body(numbering *n, uint32_t subgraph) {
  for (uint32_t i = n->first_in[subgraph]; i != ETR_NONE; i = n->next_in[i])
    if (n->graph->nodes[i].kind == ETR_NODE_OP && !push_node_with_bodies(n, i))
      push_operator(n, i);
}

/* Adds the items of the whole graph. If the record has delegate maps, they identify the
 * instructions outside bodies, so that one item stands for any number of those. Without maps each
 * node is an item. Sets n->tail: a dump may end before the items from there on, because their
 * branch did not run, or they logged nothing. */
static void push_all_items(numbering *n) {
  if (n->is_whole) {
    push_body(n, (uint32_t)n->graph->subgraph_count);
    n->tail = n->items.count;
    return;
  }
  push_item(n, ITEM_REST, ETR_NONE, NULL);
  for (uint32_t i = n->first_in[n->graph->subgraph_count]; i != ETR_NONE; i = n->next_in[i]) {
    size_t before = n->items.count;
    bool is_owner = n->graph->nodes[i].kind == ETR_NODE_OP && push_node_with_bodies(n, i);
    if (!is_owner && n->graph->nodes[i].kind == ETR_NODE_OP && !n->has_map)
      push_item(n, ITEM_NODE, i, NULL);
    if (n->items.count > before)
      n->tail = is_owner ? before + 1 : n->items.count;
    if (is_owner && n->has_map)
      push_item(n, ITEM_REST, ETR_NONE, NULL);
  }
  push_item(n, ITEM_REST, ETR_NONE, NULL);
}

/* ---- Numberings ---- */

/* Returns whether the maps say what the instruction is. Those of a changed graph do not. */
static bool is_mapped(const numbering *n, const seen *s) {
  return !n->is_whole && s->instruction && s->instruction->map;
}

static bool is_named(const seen *s, const char *op) {
  return op && s->kind == NAMED_KERNEL && etr_slice_equal(s->instruction->op, etr_slice_of(op));
}

/* Returns true if an instruction can be the kernel of an item's node: its operator, shapes and
 * types agree. A kernel without a known operator is a view or computes no tensor, unless the
 * operator of no kernel is known. */
static bool is_kernel_of(const numbering *n, const seen *s, const item *i) {
  const etr_node *node = &n->graph->nodes[i->node];
  if (s->kind == OTHER_KERNEL)
    return !n->has_names || !etr_has_tensor(node) || etr_is_view(node);
  return s->kind == NAMED_KERNEL &&
         etr_slice_equal(s->instruction->op, etr_operator_of_target(node->target)) &&
         etr_instruction_agrees(n->placement->method->program, s->instruction->id, node);
}

/* Returns whether the item may be this instruction. An instruction of which nothing is known may be
 * any item. ITEM_REST is no instruction itself: may_pass() says which may come in its place. */
static bool item_fits(const numbering *n, const item *i, const seen *s) {
  if (is_mapped(n, s))
    return false;
  if (s->kind == UNSEEN)
    return i->kind != ITEM_REST;
  switch (i->kind) {
  case ITEM_NODE:
    return is_kernel_of(n, s, i);
  case ITEM_CALL:
    return s->kind == CALL;
  case ITEM_NAMED:
    return is_named(s, i->op);
  case ITEM_PRIM:
    return s->kind == OTHER_KERNEL || is_named(s, i->op);
  case ITEM_JUMP:
    return s->kind == JUMP;
  case ITEM_MOVE:
    return s->kind == MOVE;
  case ITEM_REST:
    break;
  }
  return false;
}

/* Returns whether an instruction that is no item may come before the item: outside bodies any
 * except jumps and moves. Inside bodies only a delegate call that the maps do not list; in a graph
 * that has an item for each instruction, only one that logs nothing, because it frees memory. */
static bool may_pass(const numbering *n, const item *i, const seen *s) {
  if (i->kind == ITEM_REST)
    return s->kind != JUMP && s->kind != MOVE;
  if (n->is_whole)
    return s->kind == UNSEEN;
  return n->has_calls && !is_mapped(n, s) && (s->kind == CALL || s->kind == UNSEEN);
}

static bool may_be_absent(const item *i) {
  return i->is_optional || i->kind == ITEM_REST;
}

/* Cell (i, k) of the table is the state in which the items before i and the instructions before k
 * are matched or passed. The flags say that steps lead to it from the start, and from it to the
 * end. */
typedef enum cell { FROM_START = 1, TO_END = 2 } cell;

enum { MOST_CELLS = 1 << 24 };

static uint8_t cell_at(const numbering *n, size_t i, size_t k) {
  const row *r = &n->rows[i];
  return k >= r->first && k < r->end ? n->cells.data[r->first_cell + k - r->first] : 0;
}

/* Appends a cell to a row of the table of items and instructions. Returns false if the table is
 * full (sets is_cut), or when out of memory. */
static bool push_cell(numbering *n, row *r, uint8_t value) {
  uint8_t *added = n->cells.count < MOST_CELLS ? etr_vec_push(n->scratch, &n->cells) : NULL;
  n->is_cut |= n->cells.count == MOST_CELLS;
  if (added)
    *added = value;
  r->end++;
  return added != NULL;
}

/* Fills row i of the table. Its cell k is reached from the start if the item before may be absent
 * (from cell k of the row before) or is instruction k - 1 (from cell k - 1 of the row before), or
 * if instruction k - 1 may be passed (from the cell before). Stores only the cells between the
 * first and the last that are reached. Returns false if there are too many cells, or when out of
 * memory. */
static bool fill_row(numbering *n, size_t i) {
  row *r = &n->rows[i];
  const row *before = i ? &n->rows[i - 1] : NULL;
  size_t k = before ? before->first : 0, last = before ? before->end : 1;
  *r = (row){.first_cell = n->cells.count, .first = k, .end = k};
  for (bool is_next_reached = false; k <= n->count && (k <= last || is_next_reached); k++) {
    const item *previous = i ? &n->items.data[i - 1] : NULL;
    bool reached = i == 0 ? k == 0 : may_be_absent(previous) && cell_at(n, i - 1, k);
    reached |= i && k && cell_at(n, i - 1, k - 1) && item_fits(n, previous, &n->seen[k - 1]);
    reached |= is_next_reached;
    if (!reached && r->end == r->first)
      r->first = r->end = k + 1; /* not begun yet */
    else if (!push_cell(n, r, reached ? FROM_START : 0))
      return false;
    is_next_reached = reached && k < n->count && i < n->items.count &&
                      may_pass(n, &n->items.data[i], &n->seen[k]);
  }
  while (r->end > r->first && n->cells.data[n->cells.count - 1] == 0) {
    n->cells.count--;
    r->end--;
  }
  return true;
}

/* ---- All ---- */

/* The node of an instruction in the possible numberings. */
typedef struct finding {
  uint32_t node;  /* the first node that is not taken; ETR_NONE: none */
  bool is_unsure; /* other numberings give it another node, or none */
  bool is_loop;   /* a numbering says that it is a kernel of a loop around a body */
  bool is_passed; /* a numbering gives it no part */
} finding;

/* Returns whether an instruction is a kernel whose node is to be found: no map says it. */
static bool is_searched(const numbering *n, const seen *s) {
  return s->kind == NAMED_KERNEL && !is_mapped(n, s);
}

/* Records what the possible numberings that pass cell (i, k) say of instruction k: it is item i, or
 * it is no item. Its node is that of the first such item whose node is not taken. If a numbering
 * says otherwise, the node is unsure. */
static void record_finding(const numbering *n, finding *f, size_t i, size_t k, const bool *taken) {
  const item *candidate = &n->items.data[i];
  if (!(cell_at(n, i, k) & FROM_START) || !is_searched(n, &n->seen[k]))
    return;
  bool is_candidate = item_fits(n, candidate, &n->seen[k]) && cell_at(n, i + 1, k + 1) & TO_END;
  bool is_passed = may_pass(n, candidate, &n->seen[k]) && cell_at(n, i, k + 1) & TO_END;
  bool is_left = is_candidate && candidate->kind == ITEM_NODE && !taken[candidate->node];
  f->is_unsure |= is_passed || (is_candidate && (f->node != ETR_NONE || !is_left));
  f->is_passed |= is_passed;
  f->is_loop |= is_candidate && candidate->kind == ITEM_NAMED;
  if (is_left && f->node == ETR_NONE)
    f->node = candidate->node;
}

/* Marks the cells from which steps lead to the end, from the last cell to the first. The end is
 * behind the last instruction; items from n->tail on may be left over there. */
static void mark_cells_to_end(numbering *n) {
  for (size_t i = n->items.count + 1; i-- > 0;) {
    const item *next_item = i < n->items.count ? &n->items.data[i] : NULL;
    for (size_t k = n->rows[i].end; k-- > n->rows[i].first;) {
      uint8_t *current_cell = &n->cells.data[n->rows[i].first_cell + k - n->rows[i].first];
      bool has_both = next_item && k < n->count;
      bool reaches_end = k == n->count && i >= n->tail;
      reaches_end |= next_item && may_be_absent(next_item) && cell_at(n, i + 1, k) & TO_END;
      reaches_end |= has_both && item_fits(n, next_item, &n->seen[k]) &&
                     cell_at(n, i + 1, k + 1) & TO_END;
      reaches_end |= has_both && may_pass(n, next_item, &n->seen[k]) &&
                     cell_at(n, i, k + 1) & TO_END;
      if (reaches_end && *current_cell)
        *current_cell |= TO_END;
    }
  }
}

/* Assigns nodes to instructions: those on which all possible numberings agree are certain. A kernel
 * without a node is one of a loop around a body (is_of_loop) if a numbering says so and none passes
 * it over. Assigns none if the table is too large (is_cut). Returns false when out of memory. */
static bool assign_nodes(numbering *n, bool *taken) {
  n->rows = etr_arena_alloc_array(n->scratch, n->items.count + 1, sizeof *n->rows);
  finding *found = etr_arena_alloc_array(n->scratch, n->count, sizeof *found);
  if (etr_arena_failed(n->scratch))
    return false;
  for (size_t i = 0; i <= n->items.count; i++)
    if (!fill_row(n, i))
      return n->is_cut;
  mark_cells_to_end(n);
  for (size_t k = 0; k < n->count; k++)
    found[k].node = ETR_NONE;
  for (size_t i = 0; i < n->items.count; i++)
    for (size_t k = n->rows[i].first; k < n->rows[i].end && k < n->count; k++)
      record_finding(n, &found[k], i, k, taken);
  for (size_t k = 0; k < n->count; k++) {
    etr_placed *kernel = etr_placed_instruction(n->placement, (int32_t)k);
    if (!kernel)
      continue;
    if (found[k].node == ETR_NONE)
      kernel->is_of_loop = found[k].is_loop && !found[k].is_passed;
    if (found[k].node == ETR_NONE || taken[found[k].node])
      continue;
    kernel->node = found[k].node;
    /* A graph that has an item for each instruction was changed, so that its handles prove nothing.
     */
    etr_match certain = n->is_whole ? ETR_MATCH_ORDER : ETR_MATCH_HANDLE;
    kernel->match = found[k].is_unsure ? ETR_MATCH_ALIGNED : certain;
    taken[kernel->node] = true;
  }
  return true;
}

/* Compares the instructions that the graph should have been emitted as with those that ran, and
 * warns of what stays unknown. Does nothing if the maps name all kernels: there are maps, and the
 * graph has no bodies. */
bool etr_place_bodies(etr_placement *placement, uint32_t method, const etr_blocks *blocks,
                      bool *taken, etr_warnings *warnings, etr_arena *scratch) {
  const etr_method_inputs *inputs = placement->method;
  numbering n = {
      .placement = placement, .graph = inputs->graph, .scratch = scratch, .strange = ETR_NONE};
  n.is_whole = n.graph->is_changed;
  n.has_map = inputs->map && inputs->map->instruction_count && !n.is_whole;
  bool has_bodies = false;
  for (size_t i = 0; i < n.graph->subgraph_count; i++)
    has_bodies |= n.graph->subgraphs[i].kind == ETR_SUBGRAPH_BODY;
  if (!has_bodies && n.has_map)
    return true;
  if (!link_nodes_and_bodies(&n) || !record_kinds(&n, method, blocks))
    return false;
  if (n.count)
    push_all_items(&n);
  bool good = !etr_arena_failed(scratch) && (n.count == 0 || assign_nodes(&n, taken));
  if (good && n.is_cut)
    etr_warn(warnings, NULL, NULL, ETR_NO_OFFSET,
             "%s: too many nodes and instructions to number those of bodies of cond, map and scan: "
             "kernels in them get no node",
             etr_method_label(inputs));
  if (good && n.strange != ETR_NONE)
    etr_warn(warnings, NULL, NULL, ETR_NO_OFFSET,
             "%s: it is not known which instructions run %s (%s): kernels in its body get no node",
             etr_method_label(inputs), n.graph->nodes[n.strange].name,
             n.graph->nodes[n.strange].target);
  return good;
}
