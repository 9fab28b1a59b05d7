/* SPDX-License-Identifier: BSD-3-Clause
 *
 * grouping.c - turns runs into blocks in two passes: the first finds the row of each event, the
 * second stores the samples.
 */
#include "backends/operator.h"
#include "runs/blocks.h"
#include "runs/runs.h"

/* The key that distinguishes rows. Names are interned, so it is compared and hashed as bytes. */
typedef struct signature {
  const char *name, *delegate_id, *debug_name;
  int32_t instruction_id, chain_index;
} signature;
ETR_NO_PADDING(signature, 3 * sizeof(char *) + 2 * sizeof(int32_t));

typedef etr_vec(signature) signatures;

/* The events of one instruction and delegate id in a run. */
typedef struct group {
  uint32_t first_event, last_event; /* chained through run_rows.next */
  const char *debug_name;
} group;

/* The position of a run among the loads of its dump. */
typedef struct load_position {
  uint32_t dump;
  uint32_t further_loads; /* loads after a method of the dump was first executed */
  bool executes;          /* a method is executed in the run */
  bool any_executed;      /* a method was executed in the run or before it */
} load_position;

/* The key that all runs of a block share, besides their rows. Like a signature it is compared and
 * hashed as bytes. */
typedef struct block_key {
  const char *name;
  int64_t choice, bundled_input_index, further_loads;
} block_key;
ETR_NO_PADDING(block_key, sizeof(char *) + 3 * sizeof(int64_t));

/* Blocks while they are built, run by run. */
typedef struct builder {
  etr_arena *arena;
  etr_arena scratch; /* freed when the blocks are built */
  etr_arena per_run; /* freed when the run is added */
  const etr_options *options;
  bool splits_at_loads;
  etr_map by_signature; /* block's key -> index */
  etr_vec(etr_run) runs;
  etr_vec(etr_block) blocks;
  etr_blocks *out; /* has the lists of blocks and rows */
  etr_vec(signatures) rows_of_block;
  load_position at;           /* of the run being added */
  const etr_dump_run *before; /* the run added last */
  block_key key_before;       /* its key */
  etr_vec(uint32_t *)
      event_rows; /* per run: row of each event; ETR_NONE for a DebugEvent beside a timed one */
} builder;

/* ---- Rows of one run ---- */

/* Groups the events of a run by instruction (and delegate id), in order of first appearance:
 * next_in_group[i] is the event after event i in its group. A group has the name of its first
 * logged value as debug_name. Returns false when out of memory. */
static bool group_events(builder *b, const etr_dump_run *run, group **groups, size_t *count,
                         uint32_t *next_in_group) {
  etr_vec(group) list = {0};
  etr_map by_key;
  etr_map_init(&by_key, &b->per_run);
  for (size_t i = 0; i < run->event_count; i++) {
    const etr_dump_event *e = &run->events[i];
    const signature key = {.delegate_id = e->delegate_id,
                           .instruction_id = e->instruction_id,
                           .chain_index = e->chain_index};
    etr_slice bytes = {(const char *)&key, sizeof key};
    etr_map_slot *slot = etr_map_at(&by_key, bytes);
    if (!slot)
      return false;
    next_in_group[i] = ETR_NONE;
    if (slot->value == ETR_NONE) {
      group *added = etr_vec_push(&b->per_run, &list);
      if (!added)
        return false;
      added->first_event = (uint32_t)i;
      slot->value = (uint32_t)(list.count - 1);
    } else
      next_in_group[list.data[slot->value].last_event] = (uint32_t)i;
    list.data[slot->value].last_event = (uint32_t)i;
    if (e->is_debug && !list.data[slot->value].debug_name)
      list.data[slot->value].debug_name = e->name;
  }
  *groups = list.data;
  *count = list.count;
  return true;
}

/* Adds a row with the signature of an event to those of a run. `debug_name` is the name of the
 * values that its instruction logged; NULL if it logged none. Returns false when out of memory. */
static bool add_row(builder *b, signatures *rows, const etr_dump_event *event, const char *name,
                    const char *debug_name) {
  signature *row = etr_vec_push(&b->per_run, rows);
  if (row)
    *row = (signature){name, event->delegate_id, debug_name, event->instruction_id,
                       event->chain_index};
  return row != NULL;
}

/* The rows of a run. */
typedef struct run_rows {
  signatures *list;
  etr_map by_name;         /* (group, name) -> row */
  uint32_t *of_event;      /* per event */
  uint32_t *next_in_group; /* per event: the group's next; ETR_NONE */
} run_rows;

/* Adds the rows of one group: one for each name of a timed event, which repeated events share.
 * Logged values (DebugEvents) have no rows beside timed events, but a group of nothing else has
 * one. Returns false when out of memory. */
static bool add_group_rows(builder *b, const etr_dump_run *run, const group *g, run_rows *rows) {
  size_t first_row = rows->list->count;
  bool is_alone = g->first_event == g->last_event; /* then its name need not be looked up */
  for (uint32_t i = g->first_event; i != ETR_NONE; i = rows->next_in_group[i]) {
    const etr_dump_event *e = &run->events[i];
    rows->of_event[i] = ETR_NONE;
    if (e->is_debug)
      continue;
    const void *const key[] = {g, e->name};
    etr_slice bytes = {(const char *)key, sizeof key};
    etr_map_slot *slot = is_alone ? NULL : etr_map_at(&rows->by_name, bytes);
    if (!slot && !is_alone)
      return false;
    uint32_t row = slot ? slot->value : ETR_NONE;
    if (row == ETR_NONE) {
      row = (uint32_t)rows->list->count;
      if (!add_row(b, rows->list, e, e->name, g->debug_name))
        return false;
      if (slot)
        slot->value = row;
    }
    rows->of_event[i] = row;
  }
  return rows->list->count > first_row ||
         add_row(b, rows->list, &run->events[g->first_event], g->debug_name, g->debug_name);
}

/* Finds the row of each event of a run (ETR_NONE for a logged value) and lists the rows'
 * signatures. Returns NULL when out of memory. */
static uint32_t *find_rows(builder *b, const etr_dump_run *run, signatures *list) {
  run_rows rows = {
      .list = list,
      .of_event = etr_arena_alloc_array(&b->scratch, run->event_count, sizeof *rows.of_event),
      .next_in_group = etr_arena_alloc_array(&b->per_run, run->event_count,
                                             sizeof *rows.next_in_group)};
  group *groups;
  size_t count;
  etr_map_init(&rows.by_name, &b->per_run);
  if (!rows.of_event || !rows.next_in_group ||
      !group_events(b, run, &groups, &count, rows.next_in_group))
    return NULL;
  for (size_t i = 0; i < count; i++)
    if (!add_group_rows(b, run, &groups[i], &rows))
      return NULL;
  return rows.of_event;
}

/* ---- Loads and choices ---- */

/* Returns true if a run executed a method, as its events show. */
static bool run_executes(const etr_dump_run *run) {
  for (size_t i = 0; i < run->event_count; i++) {
    const etr_dump_event *e = &run->events[i];
    if (etr_is_execute(e->name) || (e->instruction_id >= 0 && !etr_is_framework(e->name)))
      return true;
  }
  return false;
}

/* Returns true if a method was loaded in a run. */
static bool run_loads(const etr_dump_run *run) {
  for (size_t i = 0; i < run->event_count; i++)
    if (etr_is_load(run->events[i].name))
      return true;
  return false;
}

/* Returns a number for the method that the caller chose for a run, which separates its block from
 * those of other methods: the number, from 1, of the first choice of that method; 0 if none is
 * chosen, as for loads. */
static int64_t number_of_choice(const builder *b, size_t run_index) {
  const char *method = b->at.executes ? etr_chosen_method(b->options, run_index) : NULL;
  for (size_t i = 0; method && i < b->options->choice_count; i++)
    if (strcmp(b->options->choices[i].method, method) == 0)
      return (int64_t)i + 1;
  return 0;
}

/* ---- Blocks ---- */

/* Returns the block of a run with these rows, which is added if it is new; ETR_NONE when out of
 * memory. */
static uint32_t find_or_add_block(builder *b, const block_key *key, const signatures *rows) {
  size_t rows_size = rows->count * sizeof *rows->data, size = sizeof *key + rows_size;
  char *bytes = etr_arena_alloc(&b->per_run, size);
  if (!bytes)
    return ETR_NONE;
  memcpy(bytes, key, sizeof *key);
  if (rows_size)
    memcpy(bytes + sizeof *key, rows->data, rows_size);
  uint32_t found = etr_map_get(&b->by_signature, (etr_slice){bytes, size});
  if (found != ETR_NONE)
    return found;
  etr_block *block = etr_vec_push(b->arena, &b->blocks);
  signatures *kept = etr_vec_push(&b->scratch, &b->rows_of_block);
  signature *copy = etr_arena_alloc(&b->scratch, rows_size);
  uint32_t index = (uint32_t)(b->blocks.count - 1);
  if (!block || !kept || !copy || !etr_map_set(&b->by_signature, (etr_slice){bytes, size}, index))
    return ETR_NONE;
  *block = (etr_block){.name = key->name,
                       .method = ETR_NONE,
                       .method_rule = "",
                       .method_evidence = "",
                       .event_count = rows->count};
  if (rows_size)
    memcpy(copy, rows->data, rows_size);
  *kept = (signatures){copy, rows->count, rows->count};
  return index;
}

/* Returns true if two runs have the same events in the same order, whatever their times. Programs
 * mostly repeat the same events, so that this saves most searches for rows. */
static bool has_equal_events(const etr_dump_run *run, const etr_dump_run *other) {
  if (run->event_count != other->event_count)
    return false;
  for (size_t i = 0; i < run->event_count; i++) {
    const etr_dump_event *a = &run->events[i], *b = &other->events[i];
    bool alike = a->name == b->name && a->delegate_id == b->delegate_id &&
                 a->instruction_id == b->instruction_id && a->chain_index == b->chain_index &&
                 a->is_debug == b->is_debug;
    if (!alike)
      return false;
  }
  return true;
}

/* Returns the key of the block of the next run, and updates its position among the loads of its
 * dump. A method that is loaded after one was executed may be another one. */
static block_key key_of_next_run(builder *b, const etr_dump_run *run, uint32_t dump) {
  if (b->at.dump != dump)
    b->at = (load_position){.dump = dump};
  if (b->splits_at_loads && b->at.any_executed && run_loads(run))
    b->at.further_loads++;
  b->at.executes = run_executes(run);
  b->at.any_executed |= b->at.executes;
  int64_t further_loads = b->at.executes ? b->at.further_loads : 0;
  return (block_key){run->name, number_of_choice(b, b->runs.count), run->bundled_input_index,
                     further_loads};
}

/* Sets the number of timed events of a run, and how long its inference took, in ticks. */
static void set_run_times(etr_run *out, const etr_dump_run *run) {
  for (size_t i = 0; i < run->event_count; i++) {
    const etr_dump_event *event = &run->events[i];
    out->profile_events += !event->is_debug;
    if (!event->is_debug && etr_is_execute(event->name))
      out->execute_ticks += event->duration_ticks;
  }
}

/* Adds a run, and counts it in the block of its kind, which is added if it is new. A run with the
 * same events and key as the one before has the same rows, which need not be found again. Returns
 * false when out of memory. */
static bool add_run(builder *b, const etr_dump_run *run, uint32_t dump, uint32_t index_in_dump) {
  size_t index = b->runs.count;
  block_key key = key_of_next_run(b, run, dump);
  bool is_repeated = b->before && has_equal_events(run, b->before) &&
                     memcmp(&key, &b->key_before, sizeof key) == 0;
  signatures rows = {0};
  uint32_t *event_rows = is_repeated ? b->event_rows.data[index - 1] : find_rows(b, run, &rows);
  uint32_t block = is_repeated ? b->runs.data[index - 1].block : ETR_NONE;
  if (!is_repeated && event_rows)
    block = find_or_add_block(b, &key, &rows);
  b->key_before = key;
  b->before = run;
  etr_run *added = block == ETR_NONE ? NULL : etr_vec_push(b->arena, &b->runs);
  uint32_t **rows_of_run = added ? etr_vec_push(&b->scratch, &b->event_rows) : NULL;
  if (!rows_of_run)
    return false;
  *rows_of_run = event_rows;
  *added = (etr_run){.name = run->name,
                     .dump = dump,
                     .index_in_dump = index_in_dump,
                     .block = block,
                     .bundled_input_index = run->bundled_input_index,
                     .debug_events = run->debug_events,
                     .allocation_events = run->allocation_events,
                     .allocations = run->allocations,
                     .allocation_count = run->allocation_count};
  set_run_times(added, run);
  b->blocks.data[block].run_count++;
  etr_arena_clear(&b->per_run);
  return true;
}

/* ---- Samples ---- */

/* Marks a row that has metadata until memory for it is allocated. */
static const etr_bytes some_metadata = {0};

/* Adds the samples of a run to the counts of its rows, for which memory is reserved later, and
 * records in each row whether its events have times, metadata, or numbers as delegate ids. A row
 * with metadata points to some_metadata until reserve_samples() gives it memory of its own. */
static void count_samples(builder *b, const etr_dump_run *run, size_t run_index) {
  etr_event *rows = etr_block_rows(b->out, &b->blocks.data[b->runs.data[run_index].block]);
  for (size_t i = 0; i < run->event_count; i++) {
    if (b->event_rows.data[run_index][i] == ETR_NONE)
      continue;
    etr_event *row = &rows[b->event_rows.data[run_index][i]];
    row->sample_count += !run->events[i].is_untimed;
    row->is_logged_only = false;
    if (run->events[i].metadata.size)
      row->metadata = &some_metadata;
    row->delegate_id_is_int = run->events[i].delegate_id_is_int;
  }
}

/* Stores the samples of a run in its rows, with times in ticks. Logged values and untimed events
 * have none. */
static void store_samples(builder *b, const etr_dump_run *run, size_t run_index) {
  etr_event *rows = etr_block_rows(b->out, &b->blocks.data[b->runs.data[run_index].block]);
  for (size_t i = 0; i < run->event_count; i++) {
    const etr_dump_event *e = &run->events[i];
    uint32_t row = b->event_rows.data[run_index][i];
    if (row != ETR_NONE && !e->is_untimed)
      etr_samples_put(&b->out->samples, &rows[row],
                      (etr_sample){e->duration_ticks,
                                   e->start_ticks,
                                   {e->metadata.data, e->metadata.size},
                                   (uint32_t)run_index});
  }
}

/* Makes the rows of a block from their signatures, behind those of the blocks before. An operator
 * in a delegate is shown under its delegate id. A row counts as logged only until count_samples()
 * finds an event of it. */
static void make_rows(builder *b, size_t block_index) {
  const signatures *rows = &b->rows_of_block.data[block_index];
  etr_event *events = b->out->rows + b->out->row_count;
  for (size_t i = 0; i < rows->count; i++) {
    const signature *row = &rows->data[i];
    const char *shown = row->delegate_id ? row->delegate_id : row->name;
    events[i] = (etr_event){
        .name = shown,
        .label = shown,
        .instruction_id = etr_is_framework(row->name) ? -1 : row->instruction_id,
        .delegate_id = row->delegate_id,
        .is_logged_only = true,
        .match = etr_is_framework(row->name) ? ETR_MATCH_FRAMEWORK : ETR_MATCH_NONE};
  }
  b->blocks.data[block_index].events = events;
  b->out->row_count += rows->count;
}

/* Makes the lists of rows and of runs of all blocks, of which each block gets its part. Returns
 * false when out of memory. */
static bool make_rows_and_run_lists(builder *b) {
  size_t row_count = 0;
  for (size_t i = 0; i < b->blocks.count; i++)
    row_count += b->blocks.data[i].event_count;
  uint32_t *runs = b->out->run_lists = etr_arena_alloc_array(b->arena, b->runs.count, sizeof *runs);
  size_t *end = etr_arena_alloc_array(&b->scratch, b->blocks.count, sizeof *end);
  b->out->rows = etr_arena_alloc_raw_array(b->arena, row_count, sizeof *b->out->rows);
  if (!runs || !end || !b->out->rows)
    return false;
  for (size_t i = 0, first = 0; i < b->blocks.count; i++) {
    make_rows(b, i);
    b->blocks.data[i].runs = runs + first;
    end[i] = first;
    first += b->blocks.data[i].run_count;
  }
  for (size_t i = 0; i < b->runs.count; i++)
    runs[end[b->runs.data[i].block]++] = (uint32_t)i;
  return true;
}

/* Gives each row memory for its samples, which were counted, and for their metadata if the row was
 * found to have some. The counts start at 0 again, for store_samples(). Returns false when out of
 * memory. */
static bool reserve_samples(builder *b) {
  etr_samples *samples = &b->out->samples;
  size_t count = 0;
  bool any_metadata = false;
  for (size_t i = 0; i < b->out->row_count; i++) {
    count += b->out->rows[i].sample_count;
    any_metadata |= b->out->rows[i].metadata != NULL;
  }
  *samples = (etr_samples){
      .durations = etr_arena_alloc_raw_array(b->arena, count, sizeof *samples->durations),
      .starts = etr_arena_alloc_raw_array(b->arena, count, sizeof *samples->starts),
      .runs = etr_arena_alloc_raw_array(b->arena, count, sizeof *samples->runs),
      .metadata = etr_arena_alloc_raw_array(b->arena, any_metadata ? count : 0,
                                            sizeof *samples->metadata)};
  if (etr_arena_failed(b->arena))
    return false;
  for (size_t i = 0, first = 0; i < b->out->row_count; i++) {
    etr_event *row = &b->out->rows[i];
    row->durations = samples->durations + first;
    row->starts = samples->starts + first;
    row->sample_runs = samples->runs + first;
    row->metadata = row->metadata ? samples->metadata + first : NULL;
    first += row->sample_count;
    row->sample_count = 0;
  }
  return true;
}

/* Calls `visit` for every run of every dump, with the index of the run over all dumps. */
static void each_run(builder *b, const etr_dump *dumps, size_t dump_count,
                     void (*visit)(builder *, const etr_dump_run *, size_t)) {
  size_t run_index = 0;
  for (size_t d = 0; d < dump_count; d++)
    for (size_t i = 0; i < dumps[d].run_count; i++)
      visit(b, &dumps[d].runs[i], run_index++);
}

/* ---- The kinds of rows ---- */

/* Returns true for an event with the name of an operator, as kernels log it. */
static bool is_kernel(const etr_event *event) {
  return etr_operator_of_event(event->name).size > 0;
}

/* Returns the kind of an event. With `logs_kernel`, another event of the instruction has the name
 * of a kernel, so that an OPERATOR_CALL encloses it and counts as framework; otherwise
 * OPERATOR_CALL is all that is known of the kernel. Kernels of executorch_prim compute sizes, not
 * tensors. */
static etr_event_kind kind_of_event(const etr_event *event, bool logs_kernel) {
  if (event->delegate_id)
    return ETR_EVENT_DELEGATE_OPERATOR;
  if (event->instruction_id < 0 || event->is_logged_only ||
      strncmp(event->name, "native_call_executorch_prim::", 29) == 0)
    return ETR_EVENT_FRAMEWORK;
  if (strcmp(event->name, "DELEGATE_CALL") == 0)
    return ETR_EVENT_DELEGATE_CALL;
  if (is_kernel(event))
    return ETR_EVENT_KERNEL;
  return strcmp(event->name, "OPERATOR_CALL") == 0 && !logs_kernel ? ETR_EVENT_KERNEL
                                                                   : ETR_EVENT_FRAMEWORK;
}

/* Sets the kind of each event: kernel, delegate call, operator in a delegate, or framework. */
static void set_kinds(const etr_blocks *blocks, const etr_block *block) {
  etr_event *rows = etr_block_rows(blocks, block);
  for (size_t i = 0, end; i < block->event_count; i = end) {
    bool logs_kernel = false;
    end = etr_block_instruction_end(block, i);
    for (size_t k = i; k < end; k++)
      logs_kernel |= is_kernel(&rows[k]);
    for (size_t k = i; k < end; k++)
      rows[k].kind = kind_of_event(&rows[k], logs_kernel);
  }
}

/* ---- Together ---- */

/* Makes the rows of all blocks, with their samples, statistics and kinds. The samples are counted
 * before they are stored, so that each row gets its part of one list. Returns false when out of
 * memory. */
static bool fill_blocks(builder *b, const etr_dump *dumps, size_t dump_count) {
  if (!make_rows_and_run_lists(b))
    return false;
  each_run(b, dumps, dump_count, count_samples);
  if (!reserve_samples(b))
    return false;
  each_run(b, dumps, dump_count, store_samples);
  uint64_t *sorted = etr_arena_alloc_raw_array(
      &b->scratch, etr_samples_most(b->blocks.data, b->blocks.count), sizeof *sorted);
  for (size_t i = 0; sorted && i < b->blocks.count; i++) {
    etr_samples_measure(b->out, &b->blocks.data[i], sorted);
    set_kinds(b->out, &b->blocks.data[i]);
  }
  return sorted != NULL;
}

/* Adds all runs of all dumps in order, then fills the blocks. Fails when out of memory. */
etr_status etr_blocks_build(etr_blocks *out, etr_arena *arena, const etr_dump *dumps,
                            size_t dump_count, size_t method_count, const etr_options *options) {
  builder b = {
      .arena = arena, .options = options, .splits_at_loads = method_count != 1, .out = out};
  bool good = true;
  *out = (etr_blocks){.ticks_per_second = options && options->ticks_per_second > 0
                                              ? options->ticks_per_second
                                              : 1e9};
  etr_map_init(&b.by_signature, &b.scratch);
  for (size_t d = 0; good && d < dump_count; d++)
    for (size_t i = 0; good && i < dumps[d].run_count; i++)
      good = add_run(&b, &dumps[d].runs[i], (uint32_t)d, (uint32_t)i);
  good = good && fill_blocks(&b, dumps, dump_count);
  etr_arena_clear(&b.scratch);
  etr_arena_clear(&b.per_run);
  out->runs = b.runs.data;
  out->run_count = b.runs.count;
  out->blocks = b.blocks.data;
  out->block_count = b.blocks.count;
  return good ? ETR_OK : ETR_ERROR_MEMORY;
}
