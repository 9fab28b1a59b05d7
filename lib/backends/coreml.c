/* SPDX-License-Identifier: BSD-3-Clause
 *
 * coreml.c - operations by the delegate map, their times estimated, their compute units planned.
 */
#include "backends/decoder.h"
#include "formats/json.h"

/* ---- What an event's metadata say ---- */

typedef struct plan_metadata {
  bool is_as_documented; /* a JSON object whose estimated cost, by which times are shared out, is a
                       share; or nothing */
  etr_compute_unit unit; /* what the compute plan prefers; none where they do not say */
} plan_metadata;

/* Returns the compute unit that Core ML names. "NE" is the Neural Engine. */
static etr_compute_unit compute_unit_of_name(etr_slice name) {
  static const struct {
    const char *name;
    etr_compute_unit unit;
  } units[] = {
      {"NE", ETR_COMPUTE_UNIT_NPU}, {"GPU", ETR_COMPUTE_UNIT_GPU}, {"CPU", ETR_COMPUTE_UNIT_CPU}};
  for (size_t i = 0; i < ETR_COUNT(units); i++)
    if (etr_slice_equal(name, etr_slice_of(units[i].name)))
      return units[i].unit;
  return ETR_COMPUTE_UNIT_NONE;
}

static etr_slice slice_of_metadata(etr_bytes metadata) {
  return (etr_slice){metadata.data, metadata.size};
}

/* Reads the compute unit from the metadata of an event, and sets is_as_documented to whether they
 * are what the delegate writes: nothing, or JSON with a cost from 0 to 1. If they are not, there is
 * no unit. When out of memory, the arena has failed. */
static plan_metadata read_metadata(etr_bytes metadata, etr_arena *scratch) {
  plan_metadata out = {.is_as_documented = true};
  if (metadata.size == 0)
    return out;
  etr_json *json = etr_json_open_memory(slice_of_metadata(metadata), NULL);
  if (!json) {
    etr_arena_fail(scratch);
    return out;
  }
  etr_slice key;
  double cost = 0;
  etr_json_object(json);
  while (etr_json_key(json, &key))
    if (etr_slice_is(key, "estimatedCost"))
      cost = etr_json_number(json);
    else if (etr_slice_is(key, "preferredComputeUnit") && etr_json_peek(json) == ETR_JSON_STRING)
      out.unit = compute_unit_of_name(etr_json_string(json));
    else
      etr_json_skip(json);
  etr_json_end(json);
  out.is_as_documented = !etr_json_failed(json) && cost >= 0 && cost <= 1;
  if (etr_json_out_of_memory(json))
    etr_arena_fail(scratch);
  if (!out.is_as_documented)
    out.unit = ETR_COMPUTE_UNIT_NONE;
  etr_json_close(json);
  return out;
}

/* ---- All ---- */

/* Returns true if an event is named like an operation of Core ML, OUTPUT:OPERATOR. */
static bool is_operation(const etr_event_facts *event) {
  return !event->is_number && strchr(event->name, ':');
}

/* Returns whether an event's metadata say the share of the time that Core ML's plan estimated for
 * it. */
static bool has_estimate(const etr_event_facts *event) {
  static const char key[] = "\"estimatedCost\"";
  enum { KEY_BYTES = sizeof key - 1 };
  etr_slice text = event->metadata_count ? slice_of_metadata(event->metadata[0]) : (etr_slice){0};
  for (size_t i = 0; i + KEY_BYTES <= text.size; i++)
    if (memcmp(text.data + i, key, KEY_BYTES) == 0)
      return true;
  return false;
}

/* Returns true if each event is an operation with an estimated share of the time, which no other
 * backend writes. */
static bool is_own_call(const etr_event_facts *events, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!is_operation(&events[i]) || !has_estimate(&events[i]))
      return false;
  return count > 0;
}

/* Returns the operator in the name of an operation: "conv" of "x_cast_fp16:ios17.conv". */
static etr_slice operator_of(const char *operation) {
  const char *colon = strrchr(operation, ':');
  const char *name = colon ? colon + 1 : operation;
  const char *dot = strncmp(name, "ios", 3) == 0 ? strchr(name, '.') : NULL;
  return etr_slice_of(dot ? dot + 1 : name);
}

/* Gives the events of a call their meaning. Their times are estimated, and the delegate lays them
 * end to end in topological order, so that their starts mean nothing. An operation that the
 * delegate map lacks was made by Core ML's own compiler, and has no node. Returns false when out of
 * memory. */
static bool interpret_events(etr_event_meaning *out, const etr_event_facts *events, size_t count,
                             etr_arena *scratch) {
  for (size_t i = 0; i < count; i++) {
    /* The metadata of all runs are compared. If they differ, the unit is not known, because another
     * load may have had another plan. */
    const etr_event_facts *event = &events[i];
    plan_metadata metadata = {.is_as_documented = true};
    for (size_t k = 0; k < event->metadata_count; k++) {
      if (k > 0 && etr_slice_equal(slice_of_metadata(event->metadata[k]),
                                   slice_of_metadata(event->metadata[k - 1])))
        continue;
      plan_metadata run_metadata = read_metadata(event->metadata[k], scratch);
      metadata.is_as_documented &= run_metadata.is_as_documented;
      metadata.unit = k == 0 || run_metadata.unit == metadata.unit ? run_metadata.unit
                                                                   : ETR_COMPUTE_UNIT_NONE;
      if (metadata.unit == ETR_COMPUTE_UNIT_NONE && !metadata.is_as_documented)
        break;
    }
    out[i].is_unexpected = !is_operation(&events[i]) || !metadata.is_as_documented;
    out[i].key = events[i].is_listed && !out[i].is_unexpected ? ETR_KEY_MAP : ETR_KEY_NONE;
    out[i].kernel = operator_of(events[i].name);
    out[i].is_estimated = true;
    out[i].has_no_place = true;
    out[i].compute_unit = metadata.unit;
    out[i].is_unit_planned = metadata.unit != ETR_COMPUTE_UNIT_NONE;
  }
  return !etr_arena_failed(scratch);
}

/* Returns the version of the mlpackage, which is in the package's manifest near the start of the
 * payload: "mlpackage 1.0.0". NULL if it is not there, or when out of memory. */
static const char *find_package_version(etr_arena *arena, etr_slice head) {
  static const char key[] = "\"fileFormatVersion\": \"";
  enum { KEY_BYTES = sizeof key - 1, MOST_DIGITS = 16 };
  for (size_t i = 0; i + KEY_BYTES < head.size; i++) {
    if (memcmp(head.data + i, key, KEY_BYTES) != 0)
      continue;
    etr_slice version = {head.data + i + KEY_BYTES, 0};
    size_t room = head.size - i - KEY_BYTES;
    while (version.size < ETR_MIN(room, (size_t)MOST_DIGITS) &&
           strchr("0123456789.", version.data[version.size]) && version.data[version.size])
      version.size++;
    return etr_arena_format(arena, "mlpackage %.*s", (int)version.size, version.data);
  }
  return NULL;
}

/* Behind the files of an mlpackage, a payload ends with their list: a JSON object whose characters
 * are written from the last to the first, so that a reader starts at the payload's end
 * (backends/apple/coreml/runtime/inmemoryfs of ExecuTorch). */

/* Where a file of the package is in the payload. */
typedef struct package_file {
  uint64_t offset, size; /* in bytes; size 0: there is no such file */
} package_file;

/* Reads a size or offset in bytes; a negative number is read as 0. */
static uint64_t read_size(etr_json *json) {
  int64_t number = etr_json_int(json);
  return number > 0 ? (uint64_t)number : 0;
}

/* Reads an entry of the package's list of files, {name, dataRegion: {offset, size}}. Returns where
 * the file is in the payload if it is the model's specification, else a file of size 0. */
static package_file read_package_file(etr_json *json) {
  package_file file = {0};
  bool is_model = false;
  etr_slice key;
  etr_json_object(json);
  while (etr_json_key(json, &key))
    if (etr_slice_is(key, "name") && etr_json_peek(json) == ETR_JSON_STRING) {
      etr_slice name = etr_json_string(json);
      is_model = etr_slice_is(name, "model.mlmodel");
    } else if (etr_slice_is(key, "dataRegion") && etr_json_peek(json) == ETR_JSON_OBJECT) {
      etr_json_object(json);
      while (etr_json_key(json, &key))
        if (etr_slice_is(key, "offset"))
          file.offset = read_size(json);
        else if (etr_slice_is(key, "size"))
          file.size = read_size(json);
        else
          etr_json_skip(json);
    } else {
      etr_json_skip(json);
    }
  return is_model ? file : (package_file){0};
}

/* Returns where the model's specification is in the payload, by the package's list of files, which
 * is read only up to it; a file of size 0 if it is not listed. When out of memory, the arena has
 * failed. */
static package_file find_specification(etr_arena *arena, etr_slice list) {
  package_file found = {0};
  etr_json *json = etr_json_open_memory(list, NULL);
  if (!json) {
    etr_arena_fail(arena);
    return found;
  }
  etr_slice key;
  etr_json_object(json);
  while (found.size == 0 && etr_json_key(json, &key)) {
    if (!etr_slice_is(key, "nodes")) {
      etr_json_skip(json);
      continue;
    }
    etr_json_array(json);
    while (found.size == 0 && etr_json_element(json))
      found = read_package_file(json);
  }
  if (etr_json_failed(json))
    found = (package_file){0};
  if (etr_json_out_of_memory(json))
    etr_arena_fail(arena);
  etr_json_close(json);
  return found;
}

/* Returns specificationVersion, the first field of the protobuf message Model; 0 if the message
 * does not start with it or cannot be read. Versions are below 128, so that the number has one
 * byte. */
static unsigned read_specification(const etr_payload_source *source, package_file file) {
  enum { TAG = 1 << 3, NEEDED = 2, MORE_BYTES = 0x80 };
  char head[NEEDED];
  if (file.size < NEEDED || file.offset > source->size || file.size > source->size - file.offset ||
      !source->read(source->context, file.offset, head, NEEDED))
    return 0;
  unsigned char version = (unsigned char)head[1];
  return head[0] == TAG && version < MORE_BYTES ? version : 0;
}

/* Returns the version of Core ML's model specification as text, or that it is not written where
 * it can be read. The list of files is at the end of the payload, byte by byte backwards. */
static const char *describe_model_version(etr_arena *arena, const etr_payload_source *source) {
  enum { MOST_LIST_BYTES = 16 * 1024 }; /* bytes of the list that are read: some 100 files */
  char list[MOST_LIST_BYTES];
  size_t size = (size_t)ETR_MIN(source->size, (uint64_t)MOST_LIST_BYTES);
  unsigned version = 0;
  if (source->read(source->context, source->size - size, list, size)) {
    for (size_t i = 0; i < size / 2; i++) {
      char last = list[size - 1 - i];
      list[size - 1 - i] = list[i];
      list[i] = last;
    }
    version = read_specification(source, find_specification(arena, (etr_slice){list, size}));
  }
  return version ? etr_arena_format(arena, "specification %u", version)
                 : "specification version not written where it can be read";
}

const etr_decoder etr_coreml = {
    .id = "CoreMLBackend",
    .label = "Core ML",
    .is_own_call = is_own_call,
    .read = interpret_events,
    .payload_version = find_package_version,
    .model_version = describe_model_version,
};
