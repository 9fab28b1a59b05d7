/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dump.c - an ETDump as it is in the file: runs, their events, and what their allocators gave out.
 * Schema: executorch/devtools/etdump/etdump_schema_flatcc.fbs
 */
#include "inputs/dump.h"

#include "base/arena.h"
#include "formats/element.h"
#include "formats/flatbuf.h"
#include "inputs/tensor_data.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- The values that events logged ---- */

/* How the runtime logs: executorch/devtools/etdump/etdump_flatcc.cpp, log_evalue and
 * log_intermediate_output_delegate. */

/* Fields, in the order of the schema. */
enum {
  VALUE_TYPE,
  VALUE_TENSOR,
  VALUE_TENSOR_LIST,
  VALUE_INT,
  VALUE_FLOAT,
  VALUE_DOUBLE,
  VALUE_BOOL,
  VALUE_OUTPUT
};
enum { TENSOR_SCALAR_TYPE, TENSOR_SIZES, TENSOR_STRIDES, TENSOR_OFFSET };
enum { ONLY_FIELD = 0 }; /* of Int, Bool, Float, Double, TensorList */
enum { TYPE_NULL, TYPE_INT, TYPE_BOOL, TYPE_FLOAT, TYPE_DOUBLE, TYPE_TENSOR, TYPE_TENSOR_LIST };

void etr_values_init(etr_value_reader *reader, etr_fb *fb, etr_arena *arena) {
  etr_arena_clear(&reader->scratch);
  *reader = (etr_value_reader){.fb = fb, .arena = arena};
  etr_map_init(&reader->counts, &reader->scratch);
}

void etr_values_start_run(etr_value_reader *reader, uint32_t run) {
  etr_arena_clear(&reader->scratch);
  etr_map_init(&reader->counts, &reader->scratch);
  reader->run = run;
}

/* Out of memory shows on the reader's arena. */
etr_debug_value *etr_values_end(etr_value_reader *reader, size_t *count) {
  if (etr_arena_failed(&reader->scratch))
    etr_arena_fail(reader->arena);
  etr_arena_clear(&reader->scratch);
  *count = reader->values.count;
  return reader->values.data;
}

/* Adds a value that an event logged to reader->values, as a copy of `origin`. Its index is the
 * number of values before it in this run that have the same instruction, delegate id and is_output.
 * Returns NULL when out of memory. */
static etr_debug_value *add_logged_value(etr_value_reader *reader, const etr_debug_value *origin) {
  etr_debug_value *added = etr_vec_push(reader->arena, &reader->values);
  if (!added)
    return NULL;
  *added = *origin;
  struct {
    const char *delegate_id;
    int32_t instruction_id, is_output;
  } key = {origin->delegate_id, origin->instruction_id, origin->is_output};
  ETR_NO_PADDING(key, sizeof(char *) + 2 * sizeof(int32_t));
  added->index = etr_map_count(&reader->counts, ETR_BYTES(key));
  return added;
}

/* Returns a table's vector of 64-bit integers, copied into the reader's arena, and sets *count to
 * the number of elements. Returns NULL, with *count 0, when out of memory; then the arena has
 * failed. */
static const int64_t *copy_int64_vector(etr_value_reader *reader, etr_fb_at table, unsigned field,
                                        uint32_t *count) {
  etr_fb_at vector = etr_fb_vector(reader->fb, table, field, sizeof(int64_t), count);
  int64_t *numbers = etr_arena_alloc_array(reader->arena, *count, sizeof *numbers);
  if (!numbers)
    *count = 0;
  for (uint32_t i = 0; i < *count; i++)
    numbers[i] = etr_fb_i64_at(reader->fb, vector, i);
  return numbers;
}

/* Adds a logged tensor: type, shape, strides, and offset and size of its data in the debug buffer,
 * in bytes. Strides of another rank are damage and left out. The size stays 0 if it cannot be
 * computed. */
static void read_tensor(etr_value_reader *reader, const etr_debug_value *origin, etr_fb_at tensor) {
  uint32_t rank, stride_count;
  uint64_t count = 0;
  etr_debug_value *value = add_logged_value(reader, origin);
  if (!value)
    return;
  value->kind = ETR_DEBUG_TENSOR;
  value->dtype = etr_scalar_type_name(etr_fb_u8(reader->fb, tensor, TENSOR_SCALAR_TYPE, 0));
  value->sizes = copy_int64_vector(reader, tensor, TENSOR_SIZES, &rank);
  value->strides = copy_int64_vector(reader, tensor, TENSOR_STRIDES, &stride_count);
  value->rank = (int32_t)rank;
  if (stride_count != rank)
    value->strides = NULL;
  value->offset = etr_fb_u64(reader->fb, tensor, TENSOR_OFFSET, 0);
  const etr_element *element = etr_element_of_dtype(value->dtype);
  if (element && etr_tensor_count(value->sizes, value->rank, element->size, &count))
    value->byte_size = count * element->size;
}

/* Adds a logged number from a Value table of this type. For other types the value has no kind. It
 * is added all the same, because the index of a value counts all values before it. */
static void read_scalar(etr_value_reader *reader, const etr_debug_value *origin, etr_fb_at table,
                        uint8_t type) {
  etr_fb *fb = reader->fb;
  etr_debug_value *value = add_logged_value(reader, origin);
  if (!value)
    return;
  switch (type) {
  case TYPE_INT:
    value->kind = ETR_DEBUG_INT;
    value->int_value = etr_fb_i64(fb, etr_fb_table(fb, table, VALUE_INT), ONLY_FIELD, 0);
    break;
  case TYPE_BOOL:
    value->kind = ETR_DEBUG_BOOL;
    value->int_value = etr_fb_u8(fb, etr_fb_table(fb, table, VALUE_BOOL), ONLY_FIELD, 0) != 0;
    break;
  case TYPE_FLOAT:
    value->kind = ETR_DEBUG_DOUBLE;
    value->double_value = (double)etr_fb_f32(fb, etr_fb_table(fb, table, VALUE_FLOAT), ONLY_FIELD,
                                             0);
    break;
  case TYPE_DOUBLE:
    value->kind = ETR_DEBUG_DOUBLE;
    value->double_value = etr_double_of_bits(
        etr_fb_u64(fb, etr_fb_table(fb, table, VALUE_DOUBLE), ONLY_FIELD, 0));
    break;
  default:
    break;
  }
}

/* Versions that do not mark outputs log them outside of all instructions and delegates. A value
 * gets its method and node later, from the join. */
bool etr_values_read(etr_value_reader *reader, etr_debug_value origin, etr_fb_at value) {
  etr_fb *fb = reader->fb;
  uint8_t type = etr_fb_u8(fb, value, VALUE_TYPE, TYPE_NULL);
  bool is_marked_as_output = etr_fb_u8(fb, etr_fb_table(fb, value, VALUE_OUTPUT), ONLY_FIELD, 0) !=
                             0;
  bool is_outside_instructions = origin.instruction_id < 0 && !origin.delegate_id;
  origin.run = reader->run;
  origin.is_output = is_marked_as_output || (is_outside_instructions && type != TYPE_NULL);
  origin.method = origin.node = ETR_NONE;
  if (type == TYPE_TENSOR)
    read_tensor(reader, &origin, etr_fb_table(fb, value, VALUE_TENSOR));
  else if (type == TYPE_TENSOR_LIST) {
    etr_fb_at list = etr_fb_table(fb, value, VALUE_TENSOR_LIST);
    uint32_t count;
    etr_fb_at vector = etr_fb_vector(reader->fb, list, ONLY_FIELD, 4, &count);
    for (uint32_t i = 0;
         i < count && !etr_fb_failed(reader->fb) && !etr_arena_failed(reader->arena); i++)
      read_tensor(reader, &origin, etr_fb_table_at(reader->fb, vector, i));
  } else
    read_scalar(reader, &origin, value, type);
  return is_marked_as_output;
}

/* ---- What the allocators of a run gave out ---- */

/* The allocations of one run while it is read. */
typedef struct allocation_reader {
  etr_map *names;      /* of allocators; the list lives in its arena */
  etr_map index_by_id; /* id of an allocator -> index in the list */
  etr_vec(etr_allocations) list;
} allocation_reader;

/* Fields, in the order of the schema. */
enum { RUN_ALLOCATORS = 2 };
enum { ALLOCATOR_NAME };
enum { ALLOCATION_ALLOCATOR, ALLOCATION_SIZE };

/* Returns the name of the allocator of a run with this id, which counts from 1; "" if it has none.
 */
static const char *allocator_name(allocation_reader *reader, etr_fb *fb, etr_fb_at run,
                                  int32_t id) {
  uint32_t count;
  etr_fb_at vector = etr_fb_vector(fb, run, RUN_ALLOCATORS, 4, &count);
  if (id < 1 || (uint32_t)id > count)
    return "";
  etr_slice name = etr_fb_string(fb, etr_fb_table_at(fb, vector, (uint32_t)id - 1), ALLOCATOR_NAME);
  return name.size ? etr_intern(reader->names, name) : "";
}

/* Returns the entry of a run's list that has the count and bytes of what the allocator with this id
 * gave out. A new id gets an empty entry. The pointer is valid until the next new id. Returns NULL
 * when out of memory. */
static etr_allocations *find_or_add_allocations(allocation_reader *reader, etr_fb *fb,
                                                etr_fb_at run, int32_t id) {
  etr_map_slot *slot = etr_map_at(&reader->index_by_id, ETR_BYTES(id));
  if (!slot)
    return NULL;
  if (slot->value != ETR_NONE)
    return &reader->list.data[slot->value];
  etr_allocations *added = etr_vec_push(reader->names->arena, &reader->list);
  if (!added)
    return NULL;
  slot->value = (uint32_t)(reader->list.count - 1);
  added->allocator = allocator_name(reader, fb, run, id);
  return added;
}

/* Adds an AllocationEvent of the RunData table `run` to its allocator's entry: the count, the total
 * bytes, and the largest allocation in bytes. When out of memory, the arena of the names has
 * failed. */
static void add_allocation_event(allocation_reader *reader, etr_fb *fb, etr_fb_at run,
                                 etr_fb_at event) {
  etr_allocations *allocations = find_or_add_allocations(
      reader, fb, run, etr_fb_i32(fb, event, ALLOCATION_ALLOCATOR, 0));
  uint64_t bytes = etr_fb_u64(fb, event, ALLOCATION_SIZE, 0);
  if (!allocations)
    return;
  allocations->count++;
  allocations->total_bytes = etr_add_up_to_most(allocations->total_bytes, bytes);
  allocations->largest_bytes = ETR_MAX(allocations->largest_bytes, bytes);
}

/* ---- Runs and their events ---- */

/* Fields, in the order of the schema. */
enum { DUMP_RUN_DATA = 1 };
enum { RUN_NAME, RUN_BUNDLED_INPUT_INDEX, RUN_EVENTS = 3 };
enum { EVENT_PROFILE, EVENT_ALLOCATION, EVENT_DEBUG };
enum {
  PROFILE_NAME,
  PROFILE_CHAIN,
  PROFILE_INSTRUCTION,
  PROFILE_ID_INT,
  PROFILE_ID_STR,
  PROFILE_METADATA,
  PROFILE_START,
  PROFILE_END
};
enum { DEBUG_CHAIN, DEBUG_INSTRUCTION, DEBUG_ENTRY, DEBUG_ID_INT, DEBUG_ID_STR, DEBUG_NAME };

enum { PREFIX_BYTES = 4, NO_ID = -1, NO_CHAIN = -1 };

#define IDENTIFIER "ED00"

/* Events that have no time for one reason. */
typedef struct untimed {
  size_t count;
  const char *first; /* name of the first of them */
  etr_fb_at first_at;
} untimed;

typedef struct dump_reader {
  etr_fb fb;
  etr_arena *arena; /* of runs and events */
  etr_map *names;
  const etr_dump_shared *shared;
  uint64_t buffer_start;        /* where the buffer starts in the file */
  uint64_t file_size_by_prefix; /* size of the file by its size prefix; 0: it has none */
  uint64_t ticks_left;          /* that further events may take */
  size_t metadata_bytes_left;   /* bytes that a file can hold without sharing them */
  untimed backwards, too_long;  /* events that end before they start; events too long to be true */
  etr_value_reader values;
  const etr_dump_event
      *likely_event; /* the event at the same place of the run before, or one without names */
} dump_reader;

static bool out_of_memory(const dump_reader *reader) {
  return etr_arena_failed(reader->arena) || etr_arena_failed(reader->names->arena);
}

static bool has_failed(const dump_reader *reader) {
  return etr_fb_failed(&reader->fb) || out_of_memory(reader);
}

/* Interns a text. Runs repeat their events, so the text is mostly `probable`, that of the same
 * event in the run before, or else NULL. Comparing with it is cheaper than looking up. */
static const char *intern_probable(dump_reader *reader, etr_slice text, const char *probable) {
  return probable && etr_slice_equal(etr_slice_of(probable), text)
             ? probable
             : etr_intern(reader->names, text);
}

/* Reads a name; "" if it is absent. */
static const char *read_name(dump_reader *reader, etr_fb_at table, unsigned field) {
  etr_slice name = etr_fb_string(&reader->fb, table, field);
  return name.size ? intern_probable(reader, name, reader->likely_event->name) : "";
}

/* Counts an event among those that have no time for one reason, and keeps name and offset of the
 * first for the warning. */
static void count_untimed(untimed *events, const etr_dump_event *event, etr_fb_at profile) {
  if (events->count++ > 0)
    return;
  events->first = event->delegate_id ? event->delegate_id : event->name;
  events->first_at = profile;
}

/* Reads start and duration of an event, in ticks. An event that ends before it starts is untimed,
 * unless a counter of 32 bits wrapped in between. An event is also untimed if its duration is more
 * than reader->ticks_left, what is left of ETR_DUMP_MOST_TICKS for the whole ETDump, above which
 * sums would not be exact. Untimed events are counted for a warning. */
static void read_event_times(dump_reader *reader, etr_dump_event *event, etr_fb_at profile) {
  uint64_t start = etr_fb_u64(&reader->fb, profile, PROFILE_START, 0);
  uint64_t end = etr_fb_u64(&reader->fb, profile, PROFILE_END, 0);
  /* A wrap that would make the event take more than half of the counter's range is implausible. */
  bool wrapped = end < start && start <= UINT32_MAX && start - end > UINT32_MAX / 2;
  uint64_t ticks = end - start + (wrapped ? (uint64_t)UINT32_MAX + 1 : 0);
  bool is_forwards = wrapped || end >= start;
  event->start_ticks = start;
  event->is_untimed = !is_forwards || ticks > reader->ticks_left;
  if (event->is_untimed) {
    count_untimed(is_forwards ? &reader->too_long : &reader->backwards, event, profile);
    return;
  }
  event->duration_ticks = ticks;
  reader->ticks_left -= ticks;
}

/* Sets the delegate id of an event to its delegate debug identifier, a number or a text, as text.
 * It stays NULL if there is none. id_field is the number's field, which the text's field follows.
 */
static void read_delegate_id(dump_reader *reader, etr_dump_event *event, etr_fb_at table,
                             unsigned id_field) {
  int32_t number = etr_fb_i32(&reader->fb, table, id_field, NO_ID);
  etr_slice text = etr_fb_string(&reader->fb, table, id_field + 1);
  char digits[16];
  event->delegate_id_is_int = number != NO_ID;
  if (event->delegate_id_is_int)
    text = (etr_slice){digits, (size_t)snprintf(digits, sizeof digits, "%" PRId32, number)};
  if (text.size)
    event->delegate_id = intern_probable(reader, text, reader->likely_event->delegate_id);
}

/* Copies the metadata that a delegate wrote for an event. Fails the reader if the copies would take
 * more than the file has: many events may refer to the same bytes, so a small file could use up
 * memory. */
static void read_metadata(dump_reader *reader, etr_dump_event *event, etr_fb_at profile) {
  etr_slice bytes = etr_fb_bytes(&reader->fb, profile, PROFILE_METADATA);
  if (bytes.size == 0)
    return;
  if (bytes.size > reader->metadata_bytes_left) {
    etr_fb_fail(&reader->fb, profile, "events share their metadata");
    return;
  }
  reader->metadata_bytes_left -= bytes.size;
  const char *copy = etr_arena_copy(reader->names->arena, bytes);
  if (copy)
    event->metadata = (etr_slice){copy, bytes.size};
}

/* Reads a DebugEvent: adds the values that it logs to reader->values, and sets *event. Without a
 * chain there is no instruction, whatever the file says. Returns false if the values are outputs of
 * the run, for which no event is listed. */
static bool read_debug_event(dump_reader *reader, etr_dump_event *event, etr_fb_at debug) {
  *event = (etr_dump_event){0};
  etr_fb *fb = &reader->fb;
  uint64_t chain = etr_fb_u64(fb, debug, DEBUG_CHAIN, 0);
  event->is_debug = true;
  event->name = read_name(reader, debug, DEBUG_NAME);
  read_delegate_id(reader, event, debug, DEBUG_ID_INT);
  event->chain_index = chain <= INT32_MAX ? (int32_t)chain : NO_CHAIN;
  event->instruction_id = etr_fb_i32(fb, debug, DEBUG_INSTRUCTION, -1);
  if (event->chain_index == NO_CHAIN || event->instruction_id < 0)
    event->instruction_id = -1;
  const etr_debug_value origin = {
      .instruction_id = event->instruction_id,
      .delegate_id = event->delegate_id,
      .name = event->name,
  };
  return !etr_values_read(&reader->values, origin, etr_fb_table(&reader->fb, debug, DEBUG_ENTRY));
}

/* Reads a ProfileEvent: names, ids, metadata and times. An event outside of all chains has no
 * instruction, whatever the file says. */
static void read_profile_event(dump_reader *reader, etr_dump_event *event, etr_fb_at profile) {
  event->name = read_name(reader, profile, PROFILE_NAME);
  read_delegate_id(reader, event, profile, PROFILE_ID_INT);
  event->chain_index = etr_fb_i32(&reader->fb, profile, PROFILE_CHAIN, 0);
  event->instruction_id = etr_fb_i32(&reader->fb, profile, PROFILE_INSTRUCTION, -1);
  if (event->chain_index == NO_CHAIN || event->instruction_id < 0)
    event->instruction_id = -1;
  read_metadata(reader, event, profile);
  read_event_times(reader, event, profile);
}

/* Reads a RunData table: its events, the values that they log, and its allocations. All events with
 * a debug or an allocation part are counted; listed are those with times and those that logged
 * other values than outputs of the run. `before` is the run before it, or an empty one; its events
 * probably have the same texts in the same order. */
static void read_run(dump_reader *reader, etr_dump_run *run, const etr_dump_run *before,
                     etr_fb_at table) {
  static const etr_dump_event no_event = {0};
  etr_fb *fb = &reader->fb;
  etr_vec(etr_dump_event) events = {0};
  uint32_t count;
  etr_map *names = reader->names;
  allocation_reader allocations = {.names = names};
  etr_map_init(&allocations.index_by_id, names->arena);
  reader->likely_event = &no_event;
  run->name = read_name(reader, table, RUN_NAME);
  run->bundled_input_index = etr_fb_i32(fb, table, RUN_BUNDLED_INPUT_INDEX, -1);
  etr_fb_at vector = etr_fb_vector(fb, table, RUN_EVENTS, 4, &count);
  const char *refused = etr_budget_take(reader->shared->budget, ETR_EVENTS, count);
  if (refused)
    etr_fb_fail(fb, vector, refused);
  etr_vec_expect(reader->arena, &events, count);
  for (uint32_t i = 0; i < count && !has_failed(reader); i++) {
    etr_fb_at event = etr_fb_table_at(fb, vector, i);
    etr_fb_at profile = etr_fb_table(fb, event, EVENT_PROFILE);
    etr_fb_at debug = etr_fb_table(fb, event, EVENT_DEBUG);
    etr_fb_at allocation = etr_fb_table(fb, event, EVENT_ALLOCATION);
    if (allocation)
      add_allocation_event(&allocations, fb, table, allocation);
    run->allocation_events += allocation != 0;
    run->debug_events += debug != 0;
    reader->likely_event = events.count < before->event_count ? &before->events[events.count]
                                                              : &no_event;
    etr_dump_event logged;
    if (!profile && (!debug || !read_debug_event(reader, &logged, debug)))
      continue;
    etr_dump_event *pushed = etr_vec_push(reader->arena, &events);
    if (pushed && profile)
      read_profile_event(reader, pushed, profile);
    else if (pushed)
      *pushed = logged;
  }
  run->events = events.data;
  run->event_count = events.count;
  run->allocations = allocations.list.data;
  run->allocation_count = allocations.list.count;
}

/* Warns once of all events that have no time for one reason; `what` is the reason, such as "ends
 * before it starts". */
static void warn_of_untimed(const dump_reader *reader, const untimed *events, const char *what) {
  char message[256];
  if (events->count == 0 || !reader->shared->warn)
    return;
  snprintf(message, sizeof message,
           "\"%.*s\" %s (%zu event%s in total): such events count as not timed. The clock was "
           "wrong or the file is "
           "damaged; record again",
           ETR_HEAD(events->first, 80), what, events->count, etr_plural(events->count));
  reader->shared->warn(reader->shared->context, reader->buffer_start + events->first_at, message);
}

/* Returns whether a text in an ETDump names a 16-bit type, as XNNPACK's event "Fully Connected (NC,
 * F16) GEMM #1" does. */
static bool names_16_bit_float(etr_slice bytes) {
  for (size_t i = 0; i + 4 <= bytes.size; i++)
    if (memcmp(bytes.data + i, " F16", 4) == 0 || memcmp(bytes.data + i, "BF16", 4) == 0)
      return true;
  return false;
}

/* Returns what probably damaged an ETDump, and what to do. When a kernel or a delegate logs tensors
 * of float16 or bfloat16, ExecuTorch 1.5 gives up in the middle of the event and leaves a file that
 * nothing can read. Only delegates name their types. */
static const char *advice_on_damage(etr_slice bytes) {
  if (etr_slice_is_text_copy(bytes))
    return ETR_TEXT_COPY_ADVICE;
  if (names_16_bit_float(bytes))
    return "; ExecuTorch writes such files when a delegate logs float16 or bfloat16 values: record "
           "without a debug buffer";
  return "; ExecuTorch writes such files when float16 or bfloat16 values are logged: if the model "
         "computes in them, record without a debug buffer";
}

/* Fails because the ETDump refers to bytes after the end of the file. The message has the size that
 * the file needs, if its prefix says it; a file that was copied as text has another message. */
static etr_status fail_as_cut_short(const dump_reader *reader, etr_slice bytes, const char *path,
                                    etr_error *error) {
  size_t size = bytes.size;
  uint64_t offset = reader->buffer_start + reader->fb.offset;
  if (etr_slice_is_text_copy(bytes))
    return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, offset, "damaged ETDump%s",
                    ETR_TEXT_COPY_ADVICE);
  if (reader->file_size_by_prefix > size)
    return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, offset,
                    "the ETDump is cut short: it has %zu bytes and needs %" PRIu64
                    "; was it copied completely?",
                    size, reader->file_size_by_prefix);
  return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, offset,
                  "the ETDump is cut short or damaged: an offset points past its end (%zu "
                  "bytes); was it copied completely?",
                  size);
}

/* Fails if the reader has failed: out of memory, beyond the budget, cut short or damaged. `bytes`
 * is the whole file. */
static etr_status check_reader(const dump_reader *reader, etr_slice bytes, const char *path,
                               etr_error *error) {
  if (out_of_memory(reader))
    return etr_fail_memory_of(error, path, NULL);
  if (etr_budget_refused(reader->shared->budget))
    return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, ETR_NO_OFFSET, "%s",
                    reader->shared->budget->message);
  bool is_shorter_than_prefix = etr_fb_failed(&reader->fb) &&
                                reader->file_size_by_prefix > bytes.size;
  if (reader->fb.points_past_end || is_shorter_than_prefix)
    return fail_as_cut_short(reader, bytes, path, error);
  if (etr_fb_failed(&reader->fb)) {
    return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, reader->buffer_start + reader->fb.offset,
                    "damaged ETDump: %s%s", reader->fb.message, advice_on_damage(bytes));
  }
  return ETR_OK;
}

/* Reads the ETDump in the `size` bytes from reader->buffer_start on; `bytes` is the whole file.
 * Fails if it is damaged or beyond a limit, or when out of memory. */
static etr_status read_buffer(dump_reader *reader, etr_dump *out, etr_slice bytes, uint64_t size,
                              const char *path, etr_error *error) {
  static const etr_dump_run no_run = {0};
  etr_fb_init(&reader->fb, bytes.data + reader->buffer_start, (size_t)size);
  reader->ticks_left = ETR_DUMP_MOST_TICKS;
  reader->metadata_bytes_left = (size_t)size;
  reader->backwards = reader->too_long = (untimed){0};
  etr_values_init(&reader->values, &reader->fb, reader->names->arena);
  etr_vec(etr_dump_run) runs = {0};
  uint32_t count;
  etr_fb_at vector = etr_fb_vector(&reader->fb, etr_fb_root(&reader->fb), DUMP_RUN_DATA, 4, &count);
  for (uint32_t i = 0; i < count && !has_failed(reader); i++) {
    etr_dump_run *run = etr_vec_push(reader->arena, &runs);
    etr_values_start_run(&reader->values, i);
    if (!run)
      break;
    read_run(reader, run, i ? run - 1 : &no_run, etr_fb_table_at(&reader->fb, vector, i));
  }
  *out = (etr_dump){.runs = runs.data, .run_count = runs.count};
  out->values = etr_values_end(&reader->values, &out->value_count);
  ETR_TRY(check_reader(reader, bytes, path, error));
  out->ticks = ETR_DUMP_MOST_TICKS - reader->ticks_left;
  warn_of_untimed(reader, &reader->backwards, "ends before it starts");
  warn_of_untimed(reader, &reader->too_long, "takes impossibly many ticks");
  return ETR_OK;
}

/* Reads an ETDump with a size prefix. Bytes after that size are ignored if what is before them is a
 * complete ETDump; that first attempt may fail without an error. Otherwise the prefix is wrong:
 * everything after the prefix is read, with a warning. Fails as read_buffer() does. */
static etr_status read_with_size_prefix(dump_reader *reader, etr_dump *out, etr_slice bytes,
                                        const char *path, etr_error *error) {
  uint64_t size_by_prefix = etr_load_le(bytes.data, PREFIX_BYTES);
  uint64_t bytes_after_prefix = bytes.size - PREFIX_BYTES;
  reader->file_size_by_prefix = size_by_prefix + PREFIX_BYTES;
  if (size_by_prefix == bytes_after_prefix)
    return read_buffer(reader, out, bytes, bytes_after_prefix, path, error);
  if (size_by_prefix < bytes_after_prefix &&
      read_buffer(reader, out, bytes, size_by_prefix, path, NULL) == ETR_OK)
    return ETR_OK;
  if (reader->shared->warn)
    reader->shared->warn(
        reader->shared->context, 0,
        size_by_prefix > bytes_after_prefix
            ? "the file is shorter than its size prefix says: was it copied completely?"
            : "wrong size prefix; reading to the end of the file");
  return read_buffer(reader, out, bytes, bytes_after_prefix, path, error);
}

static bool has_identifier_at(etr_slice bytes, size_t at) {
  return bytes.size >= at + 4 && memcmp(bytes.data + at, IDENTIFIER, 4) == 0;
}

bool etr_dump_prefix(etr_slice head) {
  return has_identifier_at(head, 4 + PREFIX_BYTES);
}

bool etr_dump_is(etr_slice head) {
  return etr_dump_prefix(head) || has_identifier_at(head, 4);
}

/* ---- The number of events, without reading them ---- */

/* Reads a little-endian number of up to four bytes at an offset of the file; 0 past its end. */
static uint32_t read_number_at(FILE *file, uint64_t offset, size_t bytes) {
  unsigned char read[4] = {0};
  uint32_t number = 0;
  if (offset > INT64_MAX || fseeko(file, (off_t)offset, SEEK_SET) != 0 ||
      fread(read, 1, bytes, file) != bytes)
    return 0;
  for (size_t i = bytes; i-- > 0;)
    number = number << 8 | read[i];
  return number;
}

/* Returns the offset in the file of a FlatBuffers table's vector field, found by the table's
 * vtable; 0 if the table does not have the field. `table` is an offset in the file. */
static uint64_t find_vector_of_field(FILE *file, uint64_t table, unsigned field) {
  uint64_t vtable = table - (uint64_t)(int64_t)(int32_t)read_number_at(file, table, 4);
  unsigned entry = 4 + 2 * field;
  uint32_t offset = read_number_at(file, vtable, 2) > entry
                        ? read_number_at(file, vtable + entry, 2)
                        : 0;
  uint64_t entry_offset = table + offset;
  return offset > 0 ? entry_offset + read_number_at(file, entry_offset, 4) : 0;
}

/* Follows offsets without checking them, because a wrong count does no harm. */
uint64_t etr_dump_count_events(FILE *file, uint64_t enough) {
  enum { MOST_RUNS = 1 << 16 }; /* more would take long; 0 events are then returned */
  char head[12];
  uint64_t events = 0, buffer_start = 0;
  rewind(file);
  etr_slice start = {head, fread(head, 1, sizeof head, file)};
  if (!etr_dump_is(start))
    return 0;
  if (etr_dump_prefix(start))
    buffer_start = PREFIX_BYTES;
  uint64_t runs = find_vector_of_field(file, buffer_start + read_number_at(file, buffer_start, 4),
                                       DUMP_RUN_DATA);
  uint32_t count = runs > 0 ? read_number_at(file, runs, 4) : 0;
  for (uint32_t i = 0; i < count && count <= MOST_RUNS && events <= enough; i++) {
    uint64_t entry = runs + 4 + 4 * (uint64_t)i;
    uint64_t run = entry + read_number_at(file, entry, 4);
    uint64_t vector = find_vector_of_field(file, run, RUN_EVENTS);
    events += vector > 0 ? read_number_at(file, vector, 4) : 0;
  }
  return events;
}

/* *out is empty after a failure. */
etr_status etr_dump_read(etr_dump *out, const etr_dump_shared *shared, etr_slice bytes,
                         const char *path, etr_error *error) {
  dump_reader reader = {
      .arena = shared->arena,
      .names = shared->names,
      .shared = shared,
  };
  etr_status status;
  if (bytes.size == 0)
    status = etr_fail(error, ETR_ERROR_FORMAT, path, NULL, 0, "the file is empty");
  else if (etr_dump_prefix(bytes)) {
    reader.buffer_start = PREFIX_BYTES;
    status = read_with_size_prefix(&reader, out, bytes, path, error);
  } else if (has_identifier_at(bytes, 4))
    status = read_buffer(&reader, out, bytes, bytes.size, path, error);
  else
    status = etr_fail(error, ETR_ERROR_FORMAT, path, NULL, 8,
                      "not an ETDump, which has " IDENTIFIER
                      " here or at byte 4: name the etdump.etdp of the run");
  if (status != ETR_OK)
    *out = (etr_dump){0};
  return status;
}
