/* SPDX-License-Identifier: BSD-3-Clause
 *
 * json_outcome.h - reads any JSON document in every way that the reader offers and describes the
 * outcome, for the tests of lib/formats/json.c.
 */
#ifndef JSON_OUTCOME_H
#define JSON_OUTCOME_H

#include "formats/json.h"

#include <criterion/criterion.h>
#include <stdio.h>

/** A source that gives a document in pieces and fails after `failing_at` bytes. */
typedef struct source {
  etr_slice document;
  size_t at, piece, failing_at;
} source;

static inline int64_t read_source(void *context, char *into, size_t size) {
  source *from = context;
  if (from->at >= from->failing_at)
    return -1;
  size_t got = ETR_MIN(ETR_MIN(size, from->piece),
                       ETR_MIN(from->document.size, from->failing_at) - from->at);
  memcpy(into, from->document.data + from->at, got);
  from->at += got;
  return (int64_t)got;
}

/** The outcome of reading a document: its tokens as text, and the error, if any. */
typedef struct outcome {
  char text[4096];
  size_t size;
  const char *message;
  uint64_t offset;
} outcome;

static inline void put(outcome *out, const char *data, size_t size) {
  size = ETR_MIN(size, sizeof out->text - 1 - out->size);
  memcpy(out->text + out->size, data, size);
  out->size += size;
}

static inline void put_number(outcome *out, double number) {
  char text[64];
  put(out, text, (size_t)snprintf(text, sizeof text, "%g", number));
}

static inline void put_string(outcome *out, etr_slice string) {
  put(out, "<", 1);
  put(out, string.data, string.size);
  put(out, ">", 1);
}

static inline void put_value(outcome *out, etr_json *json);

static inline void put_array(outcome *out, etr_json *json) {
  etr_json_array(json);
  for (put(out, "[", 1); etr_json_element(json); put(out, ",", 1))
    put_value(out, json);
  put(out, "]", 1);
}

static inline void put_object(outcome *out, etr_json *json) {
  etr_slice key;
  etr_json_object(json);
  for (put(out, "{", 1); etr_json_key(json, &key); put(out, ",", 1)) {
    put_string(out, key);
    put_value(out, json);
  }
  put(out, "}", 1);
}

static inline void put_value(outcome *out, etr_json *json) {
  switch (etr_json_peek(json)) {
  case ETR_JSON_END:
    put(out, "!", 1);
    break;
  case ETR_JSON_NULL:
    put_string(out, etr_json_null(json) ? ETR_SLICE("null") : ETR_SLICE("!"));
    break;
  case ETR_JSON_BOOL:
    put(out, etr_json_bool(json) ? "T" : "F", 1);
    break;
  case ETR_JSON_NUMBER:
    put_number(out, etr_json_number(json));
    break;
  case ETR_JSON_STRING:
    put_string(out, etr_json_string(json));
    break;
  case ETR_JSON_ARRAY:
    put_array(out, json);
    break;
  case ETR_JSON_OBJECT:
    put_object(out, json);
    break;
  }
}

static inline outcome finish(outcome *out, etr_json *json) {
  etr_json_end(json);
  out->message = etr_json_message(json);
  out->offset = etr_json_offset(json);
  cr_expect_eq(etr_json_failed(json), out->message != NULL);
  etr_json_close(json);
  return *out;
}

static inline outcome read_memory(etr_slice document, const etr_json_limits *limits) {
  outcome out = {0};
  etr_json *json = etr_json_open_memory(document, limits);
  put_value(&out, json);
  return finish(&out, json);
}

static inline outcome read_pieces(etr_slice document, size_t piece, const etr_json_limits *limits) {
  outcome out = {0};
  source from = {document, 0, piece, SIZE_MAX};
  etr_json *json = etr_json_open(read_source, &from, limits);
  put_value(&out, json);
  return finish(&out, json);
}

static inline outcome skip_memory(etr_slice document, const etr_json_limits *limits) {
  outcome out = {0};
  etr_json *json = etr_json_open_memory(document, limits);
  etr_json_skip(json);
  return finish(&out, json);
}

static inline void expect_message(const outcome *out, const char *message, uint64_t offset,
                                  const char *what) {
  bool same = out->message && message ? strcmp(out->message, message) == 0
                                      : out->message == message;
  cr_expect(same, "%s: message is %s, not %s", what, out->message ? out->message : "none",
            message ? message : "none");
  cr_expect_eq(out->offset, offset, "%s: offset is %llu, not %llu", what,
               (unsigned long long)out->offset, (unsigned long long)offset);
}

/** Reads a document in every way that the reader offers; all must give the same outcome. */
static inline outcome read_alike(etr_slice document, const etr_json_limits *limits) {
  outcome whole = read_memory(document, limits);
  for (size_t piece = 1; piece <= 7; piece++) {
    outcome pieces = read_pieces(document, piece, limits);
    expect_message(&pieces, whole.message, whole.offset, whole.text);
    cr_expect_str_eq(pieces.text, whole.text, "in pieces of %zu", piece);
  }
  return whole;
}

/** The expected outcome of reading a document; message is NULL if it succeeds. */
typedef struct ending_case {
  const char *document, *message;
  uint64_t offset;
} ending_case;

#endif
