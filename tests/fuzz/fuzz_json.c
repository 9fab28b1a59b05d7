/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuzz_json.c - lib/formats/json.c on any bytes. The first byte tells how a document is read: which
 * strings are opened as documents, what is skipped, and in what pieces the source gives it. Read
 * from memory and in pieces it must give the same tokens and end with the same error.
 */
#include "formats/json.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct source {
  etr_slice document;
  size_t at, piece;
} source;

/** What was read: a checksum over tokens, offsets and errors. `choice` is how. */
typedef struct trail {
  uint64_t hash;
  uint32_t values;
  uint8_t choice;
} trail;

static int64_t read_source(void *context, char *into, size_t size) {
  source *from = context;
  size_t got = ETR_MIN(ETR_MIN(size, from->piece), from->document.size - from->at);
  memcpy(into, from->document.data + from->at, got);
  from->at += got;
  return (int64_t)got;
}

/* FNV-1a */
static void note(trail *seen, const void *data, size_t size) {
  const uint8_t *bytes = data;
  for (size_t i = 0; i < size; i++)
    seen->hash = (seen->hash ^ bytes[i]) * 0x100000001B3;
}

static void note_end(trail *seen, const etr_json *json) {
  const char *message = etr_json_message(json);
  uint64_t offset = etr_json_offset(json);
  note(seen, &offset, sizeof offset);
  if (message)
    note(seen, message, strlen(message));
  if (etr_json_failed(json) != (message != NULL))
    abort();
}

static void walk(trail *seen, etr_json *json);

static void walk_string(trail *seen, etr_json *json) {
  if (seen->values % 3 != seen->choice % 3u) {
    etr_slice string = etr_json_string(json);
    note(seen, string.data, string.size);
    return;
  }
  etr_json *inner = etr_json_open_string(json);
  if (!inner)
    return;
  walk(seen, inner);
  if (seen->choice & 8)
    etr_json_end(inner);
  note_end(seen, inner);
  etr_json_close(inner);
}

static void walk_number(trail *seen, etr_json *json) {
  double number = seen->values & 1 ? etr_json_number(json) : (double)etr_json_int(json);
  if (number == number)
    note(seen, &number, sizeof number);
}

static void walk_object(trail *seen, etr_json *json) {
  etr_slice key;
  etr_json_object(json);
  while (etr_json_key(json, &key)) {
    note(seen, key.data, key.size);
    walk(seen, json);
  }
}

static void walk(trail *seen, etr_json *json) {
  etr_json_type type = etr_json_peek(json);
  note(seen, &type, sizeof type);
  if (++seen->values % 16 == seen->choice >> 4) {
    etr_json_skip(json);
    return;
  }
  switch (type) {
  case ETR_JSON_END:
    break;
  case ETR_JSON_NULL:
    etr_json_null(json);
    break;
  case ETR_JSON_BOOL:
    note(seen, etr_json_bool(json) ? "T" : "F", 1);
    break;
  case ETR_JSON_NUMBER:
    walk_number(seen, json);
    break;
  case ETR_JSON_STRING:
    walk_string(seen, json);
    break;
  case ETR_JSON_ARRAY:
    for (etr_json_array(json); etr_json_element(json);)
      walk(seen, json);
    break;
  case ETR_JSON_OBJECT:
    walk_object(seen, json);
    break;
  }
}

static uint64_t read_all(etr_json *json, uint8_t choice) {
  if (!json)
    return 0;
  trail seen = {.hash = 0xCBF29CE484222325, .choice = choice};
  walk(&seen, json);
  etr_json_end(json);
  note_end(&seen, json);
  etr_json_close(json);
  return seen.hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  uint8_t choice = data[0];
  etr_json_limits limits = {.max_depth = 40, .max_string_bytes = 50};
  source from = {{(const char *)data + 1, size - 1}, 0, 1 + choice % 7u};
  uint64_t whole = read_all(etr_json_open_memory(from.document, &limits), choice);
  uint64_t pieces = read_all(etr_json_open(read_source, &from, &limits), choice);
  if (whole != pieces) {
    fputs("memory and source differ\n", stderr);
    abort();
  }
  return 0;
}
