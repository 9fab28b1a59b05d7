/* SPDX-License-Identifier: BSD-3-Clause
 *
 * json.c - the pull reader of json.h: a window that moves over the document, and a byte for each array or object that is open.
 *
 * All bytes pass through refill(): a reader over memory has the whole document as its window, one over a source has a buffer, and one over a
 * string of another reader has that string's decoder as its source. What is asked for is checked against the grammar; what is skipped only as
 * far as it takes to find its end: strings must end, brackets must match.
 */
#include "json.h"

#include "json_text.h"

#include <math.h>
#include <stdlib.h>

enum {
  window_bytes = 64 * 1024,
  default_max_depth = 512,
  default_max_string_bytes = 64 * 1024 * 1024,
};

static const char end_message[] = "unexpected end of document";

typedef struct block {
  char *data;
  size_t capacity;
} block;

/** What may be called next. */
typedef enum reader_state {
  AT_VALUE,
  AFTER_OPEN,  /* of an array or object: its first element or key, or its end */
  AFTER_KEY,   /* the colon is still unread, so that looking for it cannot move the window from under the key */
  AFTER_VALUE, /* the next element or key, or the end */
  IN_STRING,   /* only the inner reader may go on */
} reader_state;

struct etr_json {
  const char *at, *end; /* the unread part of the window */
  const char *window;
  uint64_t window_offset; /* of the window's first byte in the document */
  etr_json_read read;     /* NULL once nothing more will come */
  void *context;
  etr_json *outer; /* whose string this reads, or NULL */
  etr_json_limits limits;
  reader_state state;
  uint32_t depth;
  block stack;        /* the opening brackets of what is open */
  block decoded;      /* the string read last, where the window cannot lend it */
  uint64_t raw_start; /* of the value that etr_json_peek_raw() or etr_json_peek_whole() measured last */
  size_t raw_size;    /* with its quotes or brackets; 0: none was */
  const char *message;
  uint64_t error_offset;
  bool source_failed, out_of_memory;
  char buffer[]; /* window_bytes, unless the document lies in memory */
};

/* ---- Failing -------------------------------------------------------------------------------------------------------------------------- */

static uint64_t position(const etr_json *json) { return json->window_offset + (uint64_t)(json->at - json->window); }

static bool fail_at(etr_json *json, uint64_t offset, const char *message) {
  if (!json->message) {
    json->message = message;
    json->error_offset = offset;
  }
  return false;
}

static bool fail(etr_json *json, const char *message) { return fail_at(json, position(json), message); }

static bool reserve(etr_json *json, block *grown, size_t size) {
  if (size <= grown->capacity) return true;
  size_t capacity = ETR_MAX(size, ETR_MAX(grown->capacity * 2, 64));
  char *data = realloc(grown->data, capacity);
  if (!data) {
    json->out_of_memory = true;
    return fail(json, "out of memory");
  }
  grown->data = data;
  grown->capacity = capacity;
  return true;
}

/* ---- The window ----------------------------------------------------------------------------------------------------------------------- */

static bool refill(etr_json *json, size_t need) {
  if (!json->read || json->message) return false;
  size_t have = (size_t)(json->end - json->at);
  memmove(json->buffer, json->at, have);
  json->window_offset = position(json);
  json->window = json->at = json->buffer;
  while (have < need && json->read) {
    size_t room = window_bytes - have;
    int64_t got = json->read(json->context, json->buffer + have, room);
    bool sane = got >= 0 && (uint64_t)got <= room;
    if (sane) have += (size_t)got;
    if (!sane || got == 0) json->read = NULL;
    if (!sane) json->source_failed = true;
  }
  json->end = json->buffer + have;
  if (json->source_failed) fail_at(json, json->window_offset + have, "the document cannot be read on");
  return have >= need;
}

/** Brings at least `need` bytes into the window at json->at; false where the document ends before. May move the window. */
static inline bool fill(etr_json *json, size_t need) { return (size_t)(json->end - json->at) >= need || refill(json, need); }

/** Fails with the message, or because nothing is there to match it. */
static bool refuse(etr_json *json, const char *message) { return fail(json, fill(json, 1) ? message : end_message); }

static inline bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

static int next_byte_behind_space(etr_json *json) {
  do {
    while (json->at < json->end && is_space(*json->at)) json->at++;
  } while (json->at == json->end && fill(json, 1));
  return json->at < json->end ? (unsigned char)*json->at : -1;
}

/** Passes over white space: the byte behind it, which stays unread, or -1 at the end. Mostly there is one blank, or nothing. */
static inline int next_byte(etr_json *json) {
  if (json->end - json->at > 1 && *json->at == ' ') json->at++;
  if (json->at < json->end && !is_space(*json->at)) return (unsigned char)*json->at;
  return next_byte_behind_space(json);
}

/* ---- Strings -------------------------------------------------------------------------------------------------------------------------- */

/** Decodes the escape that is next; gives the bytes written, 0 after a failure. */
static size_t decode_escape(etr_json *json, char *into) {
  size_t written;
  fill(json, ETR_JSON_MAX_ESCAPE);
  size_t taken = etr_json_unescape(json->at, json->end, into, &written);
  if (taken == 0) fail(json, "bad escape in a string");
  json->at += taken;
  return written;
}

/**
 * Decodes on in the string that is open until it ends or fewer than ETR_JSON_MAX_UTF8 of room are left; `size` is at least that much. Gives the
 * bytes written.
 */
static size_t decode(etr_json *json, char *into, size_t size) {
  size_t done = 0;
  while (json->state == IN_STRING && !json->message && size - done >= ETR_JSON_MAX_UTF8) {
    if (!fill(json, 1)) {
      fail(json, end_message);
      break;
    }
    const char *stop = etr_json_find_quote(json->at, json->at + ETR_MIN(size - done, (size_t)(json->end - json->at)));
    size_t plain = (size_t)(stop - json->at);
    memcpy(into + done, json->at, plain);
    done += plain;
    json->at = stop;
    if (stop == json->end) continue;
    if (*stop == '"') {
      json->at++;
      json->state = AFTER_VALUE;
    } else if (json->end - stop > 1 && stop[1] == '"' && size > done) { /* of a document in a string, every other word */
      into[done++] = '"';
      json->at += 2;
    } else if (*stop == '\\' && size - done >= ETR_JSON_MAX_UTF8) {
      done += decode_escape(json, into + done);
    }
  }
  return done;
}

/** Reads the rest of a string into json->decoded. The room given depends on the limit alone in the end, so that the error does not depend on where
 *  the window ends. */
static bool decode_all(etr_json *json, uint64_t start, etr_slice *out) {
  size_t size = 0;
  json->state = IN_STRING;
  while (json->state == IN_STRING && !json->message) {
    if (size > json->limits.max_string_bytes) return fail_at(json, start, "string too long");
    if (!reserve(json, &json->decoded, size + ETR_JSON_MAX_UTF8)) return false;
    size_t room = ETR_MIN(json->decoded.capacity, json->limits.max_string_bytes + ETR_JSON_MAX_UTF8) - size;
    size += decode(json, json->decoded.data + size, room);
  }
  if (json->message) return false;
  if (size > json->limits.max_string_bytes) return fail_at(json, start, "string too long");
  *out = (etr_slice){json->decoded.data, size};
  return true;
}

/** Reads the string whose quote is next: a slice of the window if it lies there as it is. */
static bool read_string(etr_json *json, etr_slice *out) {
  uint64_t start = position(json);
  json->at++;
  const char *stop = etr_json_find_quote(json->at, json->end);
  if (stop == json->end || *stop != '"') return decode_all(json, start, out);
  size_t size = (size_t)(stop - json->at);
  if (size > json->limits.max_string_bytes) return fail_at(json, start, "string too long");
  *out = (etr_slice){json->at, size};
  json->at = stop + 1;
  json->state = AFTER_VALUE;
  return true;
}

/** Passes over the rest of a string. */
static bool skip_string(etr_json *json) {
  uint64_t carry = 0;
  while (fill(json, 1)) {
    if (!carry) json->at = etr_json_find_quote(json->at, json->end);
    if (json->at < json->end && (carry || *json->at != '"')) json->at = etr_json_find_end(json->at, json->end, &carry);
    if (json->at == json->end) continue;
    json->at++;
    json->state = AFTER_VALUE;
    return true;
  }
  return fail(json, end_message);
}

/* ---- Words and numbers ---------------------------------------------------------------------------------------------------------------- */

static bool read_word(etr_json *json, etr_slice word) {
  if (!fill(json, word.size) || memcmp(json->at, word.data, word.size) != 0) return fail(json, "expected a value");
  json->at += word.size;
  json->state = AFTER_VALUE;
  return true;
}

/** The word for a number that is next, or an empty slice. */
static etr_slice number_word(const etr_json *json) {
  switch (*json->at) {
  case 'N': return ETR_SLICE("NaN");
  case 'I': return ETR_SLICE("Infinity");
  case '-': return json->end - json->at > 1 && json->at[1] == 'I' ? ETR_SLICE("-Infinity") : ETR_SLICE("");
  default: return ETR_SLICE("");
  }
}

static inline bool is_number_byte(char c) { return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'; }

/** Reads the number, or the word for one, that is next. */
static bool read_number(etr_json *json, etr_slice *out) {
  if (!fill(json, ETR_JSON_MAX_NUMBER + 1) && json->message) return false;
  *out = number_word(json);
  if (out->size > 0) return read_word(json, *out);
  size_t size = 0, limit = ETR_MIN((size_t)(json->end - json->at), ETR_JSON_MAX_NUMBER + 1);
  while (size < limit && is_number_byte(json->at[size])) size++;
  *out = (etr_slice){json->at, size};
  if (size > ETR_JSON_MAX_NUMBER) return fail(json, "number too long");
  if (!etr_json_is_number(*out)) return fail(json, "malformed number");
  json->at += size;
  json->state = AFTER_VALUE;
  return true;
}

/* ---- Values --------------------------------------------------------------------------------------------------------------------------- */

/** Passes over what stands between a key and its value, and makes sure that a value may be read at all. */
static bool come_to_value(etr_json *json) {
  if (json->state == AFTER_KEY) {
    if (next_byte(json) != ':') return refuse(json, "expected ':'");
    json->at++;
    json->state = AT_VALUE;
  }
  return json->state == AT_VALUE || fail(json, "no value is next");
}

etr_json_type etr_json_peek(etr_json *json) {
  static const uint8_t types[256] = {
      ['n'] = ETR_JSON_NULL,   ['t'] = ETR_JSON_BOOL,   ['f'] = ETR_JSON_BOOL,   ['"'] = ETR_JSON_STRING, ['['] = ETR_JSON_ARRAY,
      ['{'] = ETR_JSON_OBJECT, ['N'] = ETR_JSON_NUMBER, ['I'] = ETR_JSON_NUMBER, ['-'] = ETR_JSON_NUMBER, ['0'] = ETR_JSON_NUMBER,
      ['1'] = ETR_JSON_NUMBER, ['2'] = ETR_JSON_NUMBER, ['3'] = ETR_JSON_NUMBER, ['4'] = ETR_JSON_NUMBER, ['5'] = ETR_JSON_NUMBER,
      ['6'] = ETR_JSON_NUMBER, ['7'] = ETR_JSON_NUMBER, ['8'] = ETR_JSON_NUMBER, ['9'] = ETR_JSON_NUMBER,
  };
  bool read_whole = json->state == AFTER_VALUE && json->depth == 0;
  if (json->message || read_whole || !come_to_value(json)) return ETR_JSON_END;
  int byte = next_byte(json);
  etr_json_type type = byte < 0 ? ETR_JSON_END : types[byte];
  if (type == ETR_JSON_END) refuse(json, "expected a value");
  return type;
}

static bool expect(etr_json *json, etr_json_type type, const char *message) { return etr_json_peek(json) == type || refuse(json, message); }

etr_slice etr_json_string(etr_json *json) {
  etr_slice string;
  return expect(json, ETR_JSON_STRING, "expected a string") && read_string(json, &string) ? string : ETR_SLICE("");
}

/** Brings the byte at json->at + size into the window, if it may show that much. */
static bool fill_to_show(etr_json *json, size_t size) {
  return size < (size_t)(json->end - json->at) || (size < window_bytes && fill(json, size + 1));
}

/** Measures on in a string: *size is moved behind the quote that ends it. */
static bool measure_string(etr_json *json, size_t *size) {
  uint64_t carry = 0;
  while (fill_to_show(json, *size)) {
    const char *stop = carry ? NULL : etr_json_find_quote(json->at + *size, json->end); /* most strings have no escapes */
    if (!stop || (stop < json->end && *stop != '"')) stop = etr_json_find_end(stop ? stop : json->at + *size, json->end, &carry);
    *size = (size_t)(stop - json->at);
    if (stop == json->end) continue;
    ++*size;
    return true;
  }
  return false;
}

/** Measures a string, array or object, with its quotes or brackets. */
static bool measure_whole(etr_json *json, size_t *size) {
  size_t open = 0;
  *size = 0;
  do {
    if (!fill_to_show(json, *size)) return false;
    const char *stop = etr_json_find_bracket(json->at + *size, json->end);
    *size = (size_t)(stop - json->at);
    if (stop == json->end) continue;
    ++*size;
    if (*stop == '"') {
      if (!measure_string(json, size)) return false;
    } else if (etr_json_to_brace(*stop) == '{')
      open++;
    else
      open--;
  } while (open > 0);
  return true;
}

static void note_measured(etr_json *json, size_t size) {
  json->raw_start = position(json);
  json->raw_size = size;
}

bool etr_json_peek_raw(etr_json *json, etr_slice *raw) {
  size_t size = 1; /* behind the first quote */
  if (etr_json_peek(json) != ETR_JSON_STRING || !measure_string(json, &size)) return false;
  note_measured(json, size);
  *raw = (etr_slice){json->at + 1, size - 2};
  return true;
}

bool etr_json_peek_whole(etr_json *json, etr_slice *raw) {
  size_t size;
  if (etr_json_peek(json) < ETR_JSON_STRING || !measure_whole(json, &size)) return false;
  note_measured(json, size);
  *raw = (etr_slice){json->at, size};
  return true;
}

/* Quotes and brackets end the text, so that nothing longer begins with it. */
bool etr_json_skip_same(etr_json *json, etr_slice raw) {
  if (etr_json_peek(json) < ETR_JSON_STRING || (size_t)(json->end - json->at) < raw.size || memcmp(json->at, raw.data, raw.size) != 0) return false;
  json->at += raw.size;
  json->state = AFTER_VALUE;
  return true;
}

etr_slice etr_json_number_text(etr_json *json) {
  etr_slice number;
  return expect(json, ETR_JSON_NUMBER, "expected a number") && read_number(json, &number) ? number : ETR_SLICE("");
}

int64_t etr_json_int(etr_json *json) {
  etr_slice number;
  if (!expect(json, ETR_JSON_NUMBER, "expected a number")) return 0;
  uint64_t start = position(json);
  int64_t value = 0;
  if (read_number(json, &number) && !etr_slice_to_int(number, &value)) fail_at(json, start, "expected an integer of 64 bits");
  return value;
}

double etr_json_number(etr_json *json) {
  etr_slice number;
  if (!expect(json, ETR_JSON_NUMBER, "expected a number") || !read_number(json, &number)) return 0;
  if (etr_slice_is(number, "NaN")) return NAN;
  if (etr_slice_is(number, "Infinity")) return INFINITY;
  if (etr_slice_is(number, "-Infinity")) return -INFINITY;
  return etr_json_to_double(number);
}

bool etr_json_bool(etr_json *json) {
  if (!expect(json, ETR_JSON_BOOL, "expected a boolean")) return false;
  bool value = *json->at == 't';
  return read_word(json, value ? ETR_SLICE("true") : ETR_SLICE("false")) && value;
}

bool etr_json_null(etr_json *json) { return etr_json_peek(json) == ETR_JSON_NULL && read_word(json, ETR_SLICE("null")); }

/* ---- Arrays and objects --------------------------------------------------------------------------------------------------------------- */

/** Enters the array or object whose bracket is next. */
static bool enter(etr_json *json) {
  if (json->depth >= json->limits.max_depth) return fail(json, "nested too deeply");
  if (!reserve(json, &json->stack, (size_t)json->depth + 1)) return false;
  json->stack.data[json->depth++] = *json->at++;
  json->state = AFTER_OPEN;
  return true;
}

static bool is_innermost(const etr_json *json, char bracket) { return json->depth > 0 && json->stack.data[json->depth - 1] == bracket; }

static char closing(char bracket) { return (char)(bracket + 2); }

/** Leaves the array or object whose closing bracket is next. */
static void leave(etr_json *json) {
  json->at++;
  json->depth--;
  json->state = AFTER_VALUE;
}

/** Moves to the next element or key of what was entered by `bracket`; false at its end, which it leaves. */
static bool advance(etr_json *json, char bracket, const char *expected) {
  if (json->message) return false;
  if (!is_innermost(json, bracket) || (json->state != AFTER_OPEN && json->state != AFTER_VALUE)) return fail(json, "no element or key is next");
  int byte = next_byte(json);
  if (byte == closing(bracket)) {
    leave(json);
    return false;
  }
  if (json->state == AFTER_VALUE) {
    if (byte != ',') return refuse(json, expected);
    json->at++;
    byte = next_byte(json);
  }
  return byte >= 0 || refuse(json, expected);
}

void etr_json_object(etr_json *json) {
  if (expect(json, ETR_JSON_OBJECT, "expected an object")) enter(json);
}

bool etr_json_key(etr_json *json, etr_slice *key) {
  *key = ETR_SLICE("");
  if (!advance(json, '{', "expected ',' or '}'")) return false;
  if (*json->at != '"') return fail(json, "expected a key");
  if (!read_string(json, key)) return false;
  json->state = AFTER_KEY;
  return true;
}

void etr_json_array(etr_json *json) {
  if (expect(json, ETR_JSON_ARRAY, "expected an array")) enter(json);
}

bool etr_json_element(etr_json *json) {
  if (!advance(json, '[', "expected ',' or ']'")) return false;
  json->state = AT_VALUE;
  return true;
}

/* ---- Skipping ------------------------------------------------------------------------------------------------------------------------- */

/** Goes from bracket to bracket until so few are open. */
static bool skip_nested(etr_json *json, uint32_t depth) {
  do {
    json->at = etr_json_find_bracket(json->at, json->end);
    if (json->at == json->end) {
      if (!fill(json, 1)) return fail(json, end_message);
    } else if (*json->at == '"') {
      json->at++;
      if (!skip_string(json)) return false;
    } else if (etr_json_to_brace(*json->at) == '{') {
      if (!enter(json)) return false;
    } else {
      if (closing(json->stack.data[json->depth - 1]) != *json->at) return fail(json, "mismatched bracket");
      leave(json);
    }
  } while (json->depth > depth);
  return true;
}

void etr_json_skip(etr_json *json) {
  etr_slice number;
  etr_json_type type = etr_json_peek(json);
  if (json->raw_size && json->raw_start == position(json) && type >= ETR_JSON_STRING) {
    json->at += json->raw_size;
    json->state = AFTER_VALUE;
    return;
  }
  switch (type) {
  case ETR_JSON_END: refuse(json, "no value is next"); break;
  case ETR_JSON_NULL: etr_json_null(json); break;
  case ETR_JSON_BOOL: etr_json_bool(json); break;
  case ETR_JSON_NUMBER: read_number(json, &number); break;
  case ETR_JSON_STRING:
    json->at++;
    skip_string(json);
    break;
  case ETR_JSON_ARRAY:
  case ETR_JSON_OBJECT: skip_nested(json, json->depth); break;
  }
}

void etr_json_leave(etr_json *json) {
  if (json->message) return;
  if (json->depth == 0 || (json->state != AFTER_OPEN && json->state != AFTER_VALUE))
    fail(json, "no object or array is to be left");
  else
    skip_nested(json, json->depth - 1);
}

void etr_json_end(etr_json *json) {
  if (json->depth > 0 || json->state != AFTER_VALUE)
    fail(json, "a value is not read to its end");
  else if (next_byte(json) >= 0)
    fail(json, "unexpected text after the document");
}

/* ---- Opening and closing -------------------------------------------------------------------------------------------------------------- */

static etr_json *new_reader(size_t buffer_bytes, const etr_json_limits *limits) {
  etr_json *json = malloc(sizeof *json + buffer_bytes);
  if (!json) return NULL;
  *json = (etr_json){.window = json->buffer, .at = json->buffer, .end = json->buffer, .state = AT_VALUE};
  if (limits) json->limits = *limits;
  if (json->limits.max_depth == 0) json->limits.max_depth = default_max_depth;
  if (json->limits.max_string_bytes == 0) json->limits.max_string_bytes = default_max_string_bytes;
  json->limits.max_string_bytes = ETR_MIN(json->limits.max_string_bytes, SIZE_MAX / 4); /* so that no sum with it overflows */
  return json;
}

etr_json *etr_json_open(etr_json_read read, void *context, const etr_json_limits *limits) {
  etr_json *json = new_reader(window_bytes, limits);
  if (!json) return NULL;
  json->read = read;
  json->context = context;
  return json;
}

etr_json *etr_json_open_memory(etr_slice document, const etr_json_limits *limits) {
  etr_json *json = new_reader(0, limits);
  if (!json || document.size == 0) return json;
  json->window = json->at = document.data;
  json->end = document.data + document.size;
  return json;
}

/** The source of an inner reader. */
static int64_t read_outer(void *context, char *into, size_t size) {
  etr_json *outer = context;
  size_t got = decode(outer, into, size);
  return got == 0 && outer->message ? -1 : (int64_t)got;
}

etr_json *etr_json_open_string(etr_json *outer) {
  if (!expect(outer, ETR_JSON_STRING, "expected a string")) return NULL;
  etr_json *json = etr_json_open(read_outer, outer, &outer->limits);
  if (!json) {
    outer->out_of_memory = true;
    fail(outer, "out of memory");
    return NULL;
  }
  json->outer = outer;
  outer->at++;
  outer->state = IN_STRING;
  return json;
}

void etr_json_close(etr_json *json) {
  if (!json) return;
  if (json->outer && json->outer->state == IN_STRING && !json->outer->message) skip_string(json->outer);
  free(json->stack.data);
  free(json->decoded.data);
  free(json);
}

/* ---- Errors --------------------------------------------------------------------------------------------------------------------------- */

bool etr_json_failed(const etr_json *json) { return json->message; }

const char *etr_json_message(const etr_json *json) { return json->message; }

uint64_t etr_json_offset(const etr_json *json) { return json->message ? json->error_offset : position(json); }

bool etr_json_source_failed(const etr_json *json) { return json->source_failed; }

bool etr_json_out_of_memory(const etr_json *json) { return json->out_of_memory; }

void etr_json_fail(etr_json *json, const char *message) { fail(json, message); }
