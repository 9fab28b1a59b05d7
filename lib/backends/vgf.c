/* SPDX-License-Identifier: BSD-3-Clause
 *
 * vgf.c - events by their names, and what the metadata of one say: neural statistics, the JSON that
 * backends/arm/runtime/VGFNeuralStatistics.cpp of ExecuTorch writes.
 */
#include "backends/decoder.h"
#include "base/base64.h"
#include "formats/json.h"

#include <inttypes.h>

static const char statistics_name[] = "VGF_NEURAL_STATISTICS";

static const etr_known_event known_events[] = {
    {"VGF_EXECUTE", .role = ETR_ROLE_CONTAINER},
    {"VGF_COPY_INPUTS", .role = ETR_ROLE_PHASE, .phase = ETR_PHASE_COPY_IN},
    {"VGF_DISPATCH_AND_WAIT", .role = ETR_ROLE_CONTAINER},
    {"VGF_QUEUE_SUBMIT_AND_WAIT_FENCE", .role = ETR_ROLE_PHASE, .phase = ETR_PHASE_COMPUTE},
    {"VGF_TIMESTAMP_QUERY_READBACK", .role = ETR_ROLE_PHASE, .phase = ETR_PHASE_OTHER},
    {statistics_name, .role = ETR_ROLE_PHASE, .phase = ETR_PHASE_OTHER},
    {"VGF_COPY_OUTPUTS", .role = ETR_ROLE_PHASE, .phase = ETR_PHASE_COPY_OUT},
};

/* ---- Neural statistics ---- */

enum { KNOWN_VERSION = 1, MOST_TEXT = 160 };

/* The three blobs of a segment. What is in them is the driver's, and not described. */
static const char *const blobs[] = {"debug_database", "statistics_info", "statistics_memory"};
static const char *const blob_names[] = {"debug database", "description", "counters"};

typedef struct neural_statistics {
  bool is_json, has_right_schema; /* it is a JSON object; it says that it is of this schema */
  int64_t version;                /* -1: none */
  bool is_available, is_damaged;  /* a blob is there; the text of one is no base64 */
  size_t segment_count, filled_segments; /* segments; those with a blob */
  uint64_t bytes[ETR_COUNT(blobs)];
  const char *reason; /* why there is no data; NULL: not said */
} neural_statistics;

/* Returns a copy of the first MOST_TEXT bytes of a text; NULL if it is empty, or when out of
 * memory. */
static const char *copy_short_text(etr_arena *arena, etr_slice text) {
  return text.size
             ? etr_arena_text(arena, (etr_slice){text.data, ETR_MIN(text.size, (size_t)MOST_TEXT)})
             : NULL;
}

/* Reads one blob, {available, data: base64}, and adds its size in bytes to *bytes. Returns whether
 * it is available. Data that are not base64 set is_damaged. */
static bool read_blob(neural_statistics *out, etr_json *json, uint64_t *bytes, etr_arena *scratch) {
  etr_slice key;
  bool is_available = false;
  size_t size = 0;
  etr_json_object(json);
  while (etr_json_key(json, &key)) {
    if (etr_slice_is(key, "available")) {
      is_available = etr_json_bool(json);
    } else if (etr_slice_is(key, "data") && etr_json_peek(json) == ETR_JSON_STRING) {
      etr_slice text = etr_json_string(json);
      char *data = etr_arena_alloc_raw(scratch, text.size / 4 * 3 + 3);
      out->is_damaged |= data && !etr_base64_decode(data, &size, text);
    } else
      etr_json_skip(json);
  }
  if (!is_available)
    return false;
  *bytes = etr_add_up_to_most(*bytes, size);
  return true;
}

/* Reads the blobs of one segment of the VGF: adds their bytes to out->bytes, by kind of blob, and
 * counts the segment in segment_count, and in filled_segments if a blob is available. */
static void read_segment(neural_statistics *out, etr_json *json, etr_arena *scratch) {
  etr_slice key;
  bool is_filled = false;
  etr_json_object(json);
  while (etr_json_key(json, &key)) {
    size_t blob = 0;
    while (blob < ETR_COUNT(blobs) && !etr_slice_equal(key, etr_slice_of(blobs[blob])))
      blob++;
    if (blob < ETR_COUNT(blobs) && etr_json_peek(json) == ETR_JSON_OBJECT)
      is_filled |= read_blob(out, json, &out->bytes[blob], scratch);
    else
      etr_json_skip(json);
  }
  out->segment_count++;
  out->filled_segments += is_filled;
}

/* Reads neural statistics from the JSON that the VGF backend writes as metadata. Segments are read
 * only if the version is the known one. When out of memory, the arena has failed. */
static neural_statistics read_statistics(etr_bytes metadata, etr_arena *scratch) {
  neural_statistics out = {.version = -1};
  etr_json *json = etr_json_open_memory((etr_slice){metadata.data, metadata.size}, NULL);
  etr_slice key;
  if (!json) {
    etr_arena_fail(scratch);
    return out;
  }
  etr_json_object(json);
  while (etr_json_key(json, &key)) {
    if (etr_slice_is(key, "schema") && etr_json_peek(json) == ETR_JSON_STRING) {
      out.has_right_schema = etr_slice_equal(etr_json_string(json),
                                             etr_slice_of("executorch.vgf.neural_statistics"));
    } else if (etr_slice_is(key, "schema_version")) {
      out.version = etr_json_int(json);
    } else if (etr_slice_is(key, "data_available")) {
      out.is_available = etr_json_bool(json);
    } else if (etr_slice_is(key, "reason") && etr_json_peek(json) == ETR_JSON_STRING) {
      out.reason = copy_short_text(scratch, etr_json_string(json));
    } else if (etr_slice_is(key, "segments") && etr_json_peek(json) == ETR_JSON_ARRAY &&
               out.version == KNOWN_VERSION) {
      etr_json_array(json);
      while (etr_json_element(json))
        read_segment(&out, json, scratch);
    } else
      etr_json_skip(json);
  }
  etr_json_end(json);
  out.is_json = !etr_json_failed(json);
  if (etr_json_out_of_memory(json))
    etr_arena_fail(scratch);
  etr_json_close(json);
  return out;
}

/* Returns how much data there is, as "1 of 2 segments: 3 bytes of debug database, 256 bytes of
 * counters"; NULL when out of memory. */
static const char *describe_data_sizes(const neural_statistics *s, etr_arena *scratch) {
  const char *text = etr_arena_format(scratch, "%zu of %zu segment%s", s->filled_segments,
                                      s->segment_count, s->segment_count == 1 ? "" : "s");
  bool is_first = true;
  for (size_t i = 0; text && i < ETR_COUNT(blobs); i++) {
    if (s->bytes[i] == 0)
      continue;
    text = etr_arena_format(scratch, "%s%s %" PRIu64 " bytes of %s", text, is_first ? ":" : ",",
                            s->bytes[i], blob_names[i]);
    is_first = false;
  }
  return text;
}

/* Returns one line that says what neural statistics have, or why they cannot be read; NULL when out
 * of memory. */
static const char *describe_statistics(const neural_statistics *s, etr_arena *scratch) {
  if (!s->is_json || !s->has_right_schema)
    return "neural statistics cannot be read: the metadata are not what VGF writes";
  if (s->version < 0)
    return "neural statistics without a version cannot be read";
  if (s->version != KNOWN_VERSION)
    return etr_arena_format(
        scratch, "neural statistics of version %" PRId64 " are not known, only version %d",
        s->version, KNOWN_VERSION);
  if (!s->is_available)
    return etr_arena_format(scratch, "no neural statistics: %s",
                            s->reason ? s->reason : "no reason");
  const char *data = describe_data_sizes(s, scratch);
  if (!data)
    return NULL;
  return etr_arena_format(scratch, "neural statistics of %s%s", data,
                          s->is_damaged ? "; some data is damaged: it is no base64" : "");
}

/* Returns one line about the neural statistics in an event's metadata, of which each run has its
 * own: about the first run with data, or else the first, and in how many runs there are data. NULL
 * if there are no metadata, or when out of memory. */
static const char *describe_statistics_of_runs(const etr_event_facts *event, etr_arena *scratch) {
  neural_statistics shown = {0};
  size_t count = 0, runs_with_data = 0;
  for (size_t i = 0; i < event->metadata_count; i++) {
    if (event->metadata[i].size == 0)
      continue;
    neural_statistics run_statistics = read_statistics(event->metadata[i], scratch);
    if (count == 0 || (run_statistics.is_available && runs_with_data == 0))
      shown = run_statistics;
    runs_with_data += run_statistics.is_available;
    count++;
  }
  if (count == 0)
    return NULL;
  const char *text = describe_statistics(&shown, scratch);
  if (runs_with_data == 0 || runs_with_data == count || !text)
    return text;
  return etr_arena_format(scratch, "%s (in %zu of %zu runs)", text, runs_with_data, count);
}

/* ---- All ---- */

/* Gives the events of a call their meaning by their names. What encloses an event with an unknown
 * name is not known, so that its time is in no sum. Returns false when out of memory. */
static bool interpret_events(etr_event_meaning *out, const etr_event_facts *events, size_t count,
                             etr_arena *scratch) {
  static const etr_known_event unknown = {.role = ETR_ROLE_CONTAINER};
  for (size_t i = 0; i < count; i++) {
    const etr_known_event *event = etr_known_event_find(known_events, ETR_COUNT(known_events),
                                                        events[i].name);
    out[i].is_unexpected = !event;
    etr_known_event_fill(&out[i], event ? event : &unknown);
    if (event && event->name == statistics_name)
      out[i].note = describe_statistics_of_runs(&events[i], scratch);
  }
  return !etr_arena_failed(scratch);
}

static bool is_own(const char *name) {
  return etr_known_event_find(known_events, ETR_COUNT(known_events), name) != NULL;
}

/* Returns the version of a VGF file, "VGF 0.5.0": major, minor and patch are bytes after the magic,
 * the version of Vulkan's header and two unused bytes. NULL for other bytes, or when out of memory.
 */
static const char *read_payload_version(etr_arena *arena, etr_slice head) {
  enum { VERSION_AT = 8, VERSION_BYTES = 3 };
  if (head.size < VERSION_AT + VERSION_BYTES || !etr_slice_starts(head, ETR_SLICE("VGF1")))
    return NULL;
  const uint8_t *version = (const uint8_t *)head.data + VERSION_AT;
  return etr_arena_format(arena, "VGF %u.%u.%u", version[0], version[1], version[2]);
}

const etr_decoder etr_vgf = {
    .id = "VgfBackend",
    .label = "VGF",
    .is_own = is_own,
    .read = interpret_events,
    .payload_version = read_payload_version,
};
