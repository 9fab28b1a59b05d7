/* SPDX-License-Identifier: BSD-3-Clause
 *
 * json.c - the pull reader of json.h: a window that moves over the document, and a byte for each
 * array or object that is open.
 *
 * A reader over memory has the whole document as its window, one over a source has a buffer, and
 * one over a string of another reader has that string's decoder as its source. What is asked for is
 * checked against the grammar; what is skipped only as far as it takes to find its end: strings
 * must end, brackets must match.
 */
#include "formats/json.h"

#include "base/number.h"

#include <math.h>
#include <stdlib.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* ---- The part of a document that is in memory while it is read from front to back ---- */

/* A document in memory is its own window. For any other document, the window is a buffer of
 * ETR_WINDOW_BYTES. Filling it moves the unread bytes to its beginning, so pointers into the window
 * are valid only until the next call that may fill it. The first error is kept, and nothing is read
 * after it. */

enum { ETR_WINDOW_BYTES = 64 * 1024 };

typedef struct etr_window {
  const char *at, *end; /* the unread part */
  const char *start;
  uint64_t offset; /* of the start in the document */
  etr_read read;   /* NULL once nothing more will come */
  void *context;
  char *buffer;        /* of ETR_WINDOW_BYTES, borrowed; NULL for a document in memory */
  const char *message; /* static; NULL until something is wrong */
  uint64_t error_offset;
  bool source_failed;
} etr_window;

/* Returns the offset in the document of the next byte to read. */
static inline uint64_t etr_window_offset(const etr_window *w) {
  return w->offset + (uint64_t)(w->at - w->start);
}

/* Fails at an offset, unless there is an error already. Returns false. */
static bool etr_window_fail_at(etr_window *w, uint64_t offset, const char *message) {
  if (!w->message) {
    w->message = message;
    w->error_offset = offset;
  }
  return false;
}

/* Fails with the offset of the next byte to read. */
static bool etr_window_fail(etr_window *w, const char *message) {
  return etr_window_fail_at(w, etr_window_offset(w), message);
}

/* Fails because the document ends. */
static bool etr_window_fail_at_end(etr_window *w) {
  return etr_window_fail(w, "unexpected end of document");
}

/* Does the work of etr_window_fill() if the window does not contain the bytes yet: moves what is
 * left to the front and reads on. Returns whether `need` bytes are there. */
static bool read_into_window(etr_window *w, size_t need) {
  if (!w->read || w->message)
    return false;
  size_t have = (size_t)(w->end - w->at);
  memmove(w->buffer, w->at, have);
  w->offset = etr_window_offset(w);
  w->start = w->at = w->buffer;
  while (have < need && w->read) {
    size_t room = ETR_WINDOW_BYTES - have;
    int64_t got = w->read(w->context, w->buffer + have, room);
    bool is_sane = got >= 0 && (uint64_t)got <= room;
    if (is_sane)
      have += (size_t)got;
    if (!is_sane || got == 0)
      w->read = NULL;
    if (!is_sane)
      w->source_failed = true;
  }
  w->end = w->buffer + have;
  if (w->source_failed)
    etr_window_fail_at(w, w->offset + have, "the document cannot be read on");
  return have >= need;
}

/* Brings at least `need` bytes into the window at `at`; false where the document ends before. */
static inline bool etr_window_fill(etr_window *w, size_t need) {
  return (size_t)(w->end - w->at) >= need || read_into_window(w, need);
}

/* Brings the byte at `at` + size into the window; false where the document ends before, or the
 * window cannot show as much. */
static inline bool etr_window_fill_to_show(etr_window *w, size_t size) {
  return size < (size_t)(w->end - w->at) ||
         (size < ETR_WINDOW_BYTES && etr_window_fill(w, size + 1));
}

/* ---- The bytes JSON is written in: searching them, and decoding escapes. Knows nothing of readers
 * ---- */

enum {
  ETR_JSON_MAX_ESCAPE = 12, /* bytes of an escape: a surrogate pair */
  ETR_JSON_MAX_UTF8 = 4,    /* bytes an escape decodes to */
};

/* Returns the first quote or backslash in [at, end), or `end`. */
static inline const char *json_find_quote(const char *at, const char *end) {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
  for (; end - at >= 16; at += 16) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
    int found = _mm_movemask_epi8(
        _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)));
    if (found)
      return at + __builtin_ctz((unsigned)found);
  }
#endif
  while (at < end && *at != '"' && *at != '\\')
    at++;
  return at;
}

#if defined(__SSE2__)
/* Returns 64 bits, each of which says whether that byte is `wanted`. */
static inline uint64_t json_find_64(const char *at, char wanted) {
  const __m128i each = _mm_set1_epi8(wanted);
  uint64_t found = 0;
  for (int i = 0; i < 4; i++) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(at + 16 * i));
    found |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, each)) << (16 * i);
  }
  return found;
}
#endif

/* Returns a bit for each of 64 bytes that is escaped, given a bit for each backslash.
 * *first_is_escaped says whether the first byte is escaped, and is set to whether the byte after
 * the last one is. In a run of backslashes every other one escapes the next byte. Subtracting the
 * run from the bits after its backslashes borrows through the run, and leaves bits whose
 * position, even or odd, shows which ones these are. */
static inline uint64_t json_escaped_64(uint64_t backslashes, uint64_t *first_is_escaped) {
  const uint64_t odd = 0xAAAAAAAAAAAAAAAAu;
  uint64_t runs = backslashes & ~*first_is_escaped;
  uint64_t codes = (((runs << 1) | odd) - runs) ^ odd;
  uint64_t escaped = codes ^ (backslashes | *first_is_escaped);
  *first_is_escaped = (codes & backslashes) >> 63;
  return escaped;
}

/* Returns the quote that ends a string in [at, end), or `end`. *is_escaped is 1 if the first byte
 * is escaped, and is set to 1 if the byte at the end is. */
static inline const char *find_end_of_string(const char *at, const char *end,
                                             uint64_t *is_escaped) {
#if defined(__SSE2__)
  for (; end - at >= 64; at += 64) {
    uint64_t quotes = json_find_64(at, '"') & ~json_escaped_64(json_find_64(at, '\\'), is_escaped);
    if (quotes)
      return at + __builtin_ctzll(quotes);
  }
#endif
  for (; at < end; at++) {
    if (*is_escaped == 0 && *at == '"')
      return at;
    *is_escaped = *is_escaped == 0 && *at == '\\';
  }
  return end;
}

/* Turns a bracket into a brace: '[' and '{', ']' and '}' differ in one bit, which this sets. */
static inline char json_to_brace(char c) {
  return (char)(c | 0x20);
}

/* The positions of JSON's marks among 64 bytes, as a bit for each byte. */
typedef struct json_marks {
  uint64_t quotes, backslashes, opening, closing; /* opening, closing: brackets of either kind */
} json_marks;

/* Returns a bit for each of 64 bytes that is a quote, a backslash, or a brace or bracket. */
static inline json_marks json_find_marks(const char *at) {
  json_marks found = {0};
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'),
                open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}'),
                brace_bit = _mm_set1_epi8(0x20);
  for (int i = 0; i < 64; i += 16) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(at + i)),
            braces = _mm_or_si128(bytes, brace_bit);
    found.quotes |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, quote)) << i;
    found.backslashes |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, backslash))
                         << i;
    found.opening |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(braces, open)) << i;
    found.closing |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(braces, close)) << i;
  }
#else
  for (int i = 0; i < 64; i++) {
    found.quotes |= (uint64_t)(at[i] == '"') << i;
    found.backslashes |= (uint64_t)(at[i] == '\\') << i;
    found.opening |= (uint64_t)(json_to_brace(at[i]) == '{') << i;
    found.closing |= (uint64_t)(json_to_brace(at[i]) == '}') << i;
  }
#endif
  return found;
}

/* Bit i of the result is the parity of the bits 0 to i. Given the quotes, it is set from each quote
 * that opens a string up to the one that closes it. */
static inline uint64_t json_parity_64(uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2)
    bits ^= bits << shift;
  return bits;
}

/* Returns the first quote, bracket or brace in [at, end), or `end`. */
static inline const char *json_find_bracket(const char *at, const char *end) {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"'), open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}'),
                brace_bit = _mm_set1_epi8(0x20);
  for (; end - at >= 16; at += 16) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at),
            braces = _mm_or_si128(bytes, brace_bit);
    __m128i brackets = _mm_or_si128(_mm_cmpeq_epi8(braces, open), _mm_cmpeq_epi8(braces, close));
    int found = _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), brackets));
    if (found)
      return at + __builtin_ctz((unsigned)found);
  }
#endif
  while (at < end && *at != '"' && json_to_brace(*at) != '{' && json_to_brace(*at) != '}')
    at++;
  return at;
}

enum { replacement_character = 0xFFFD };

/* ---- Escapes ---- */

/* Writes a character in UTF-8 and returns its size. */
static size_t put_utf8(char *into, uint32_t character) {
  static const uint8_t lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
  size_t size = 1 + (character >= 0x80) + (character >= 0x800) + (character >= 0x10000);
  for (size_t i = size - 1; i > 0; i--, character >>= 6)
    into[i] = (char)(0x80 | (character & 0x3F));
  into[0] = (char)(lead[size] | character);
  return size;
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  char lower = (char)(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Reads \uXXXX into *unit. Returns false if there is no such sequence at `at`. */
static bool read_utf16_unit(const char *at, const char *end, uint32_t *unit) {
  if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
    return false;
  uint32_t value = 0;
  for (int i = 2; i < 6; i++) {
    int digit = hex_digit(at[i]);
    if (digit < 0)
      return false;
    value = value << 4 | (uint32_t)digit;
  }
  *unit = value;
  return true;
}

static bool is_high_surrogate(uint32_t unit) {
  return unit >= 0xD800 && unit < 0xDC00;
}
static bool is_low_surrogate(uint32_t unit) {
  return unit >= 0xDC00 && unit < 0xE000;
}

/* * Decodes the escape at `at`, a backslash, into at most ETR_JSON_MAX_UTF8 bytes: *written.
 * Returns the bytes it took, 0 if it is not one. A pair of surrogates is one escape; a single
 * surrogate becomes U+FFFD. */
static size_t json_unescape(const char *at, const char *end, char *into, size_t *written) {
  static const char plain[256] = {['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
                                  ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t'};
  char escaped = end - at >= 2 ? plain[(unsigned char)at[1]] : '\0';
  if (escaped != '\0') {
    *into = escaped;
    *written = 1;
    return 2;
  }
  uint32_t unit, low;
  *written = 0;
  if (!read_utf16_unit(at, end, &unit))
    return 0;
  if (is_high_surrogate(unit) && read_utf16_unit(at + 6, end, &low) && is_low_surrogate(low)) {
    *written = put_utf8(into, 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
    return 12;
  }
  *written = put_utf8(
      into, is_high_surrogate(unit) || is_low_surrogate(unit) ? replacement_character : unit);
  return 6;
}

/* ---- Words, numbers and strings of a JSON document in a window ---- */

/* These functions move past what they read. Wrong input, or a document that ends too early, fails
 * the window. */

static inline bool json_is_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Does the work of json_next_byte() if more than one blank is next: skips all blanks and returns
 * the next byte, -1 at the end. */
static int json_skip_space(etr_window *w) {
  do {
    while (w->at < w->end && json_is_space(*w->at))
      w->at++;
  } while (w->at == w->end && etr_window_fill(w, 1));
  return w->at < w->end ? (unsigned char)*w->at : -1;
}

/* Skips white space and returns the byte after it, which stays unread, or -1 at the end. */
static inline int json_next_byte(etr_window *w) {
  if (w->end - w->at > 1 && *w->at == ' ')
    w->at++; /* mostly there is one blank, or nothing */
  return w->at < w->end && !json_is_space(*w->at) ? (unsigned char)*w->at : json_skip_space(w);
}

/* ---- Words and numbers ---- */

/* Reads this word. */
static bool json_read_word(etr_window *w, etr_slice word) {
  if (!etr_window_fill(w, word.size) || memcmp(w->at, word.data, word.size) != 0)
    return etr_window_fail(w, "expected a value");
  w->at += word.size;
  return true;
}

/* Returns the word for a number that is next (NaN, Infinity, -Infinity); an empty text if none
 * is. */
static etr_slice word_of_number(const etr_window *w) {
  switch (*w->at) {
  case 'N':
    return ETR_SLICE("NaN");
  case 'I':
    return ETR_SLICE("Infinity");
  case '-':
    return w->end - w->at > 1 && w->at[1] == 'I' ? ETR_SLICE("-Infinity") : ETR_SLICE("");
  default:
    return ETR_SLICE("");
  }
}

static inline bool is_number_byte(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

/* ---- Strings ---- */

/* Decodes the escape that is next, and returns the number of bytes written; 0 if it is bad, which
 * fails the window. */
static size_t decode_escape(etr_window *w, char *into) {
  size_t written;
  etr_window_fill(w, ETR_JSON_MAX_ESCAPE);
  size_t taken = json_unescape(w->at, w->end, into, &written);
  if (taken == 0)
    etr_window_fail(w, "bad escape in a string");
  w->at += taken;
  return written;
}

/* Decodes on in the string whose quote was read, until it ends, which clears *open, or fewer than
 * ETR_JSON_MAX_UTF8 of room are left; `size` is at least that much. Returns the number of bytes
 * written. Failures are the window's. */
static size_t decode_string(etr_window *w, char *into, size_t size, bool *open) {
  size_t done = 0;
  while (*open && !w->message && size - done >= ETR_JSON_MAX_UTF8) {
    if (!etr_window_fill(w, 1)) {
      etr_window_fail_at_end(w);
      break;
    }
    const char *stop = json_find_quote(w->at,
                                       w->at + ETR_MIN(size - done, (size_t)(w->end - w->at)));
    size_t plain = (size_t)(stop - w->at);
    memcpy(into + done, w->at, plain);
    done += plain;
    w->at = stop;
    if (stop == w->end)
      continue;
    if (*stop == '"') {
      w->at++;
      *open = false;
    } else if (w->end - stop > 1 && stop[1] == '"' &&
               size > done) { /* of a document in a string, every other word */
      into[done++] = '"';
      w->at += 2;
    } else if (*stop == '\\' && size - done >= ETR_JSON_MAX_UTF8) {
      done += decode_escape(w, into + done);
    }
  }
  return done;
}

/* Moves *at past the rest of a string and its closing quote, if both are in the window and there
 * are no escapes, as in most strings. Returns false otherwise; *at is then at the first backslash
 * or the window's end. */
static inline bool skip_string_without_escapes(const etr_window *w, const char **at) {
  *at = json_find_quote(*at, w->end);
  if (*at == w->end || **at != '"')
    return false;
  ++*at;
  return true;
}

/* Reads more bytes into the window, so that there are some after *at. Returns false at the end of
 * the document. */
static bool show_more(etr_window *w, const char **at) {
  size_t size = (size_t)(*at - w->at);
  bool shown = etr_window_fill_to_show(w, size);
  *at = w->at + size;
  return shown;
}

/* Goes on inside a string whose end is not in the window yet: moves *at past the quote that ends
 * it, showing more of the document as needed. Returns false if the string does not end or does
 * not fit into the window. */
static bool find_end_beyond_window(etr_window *w, const char **at) {
  uint64_t is_escaped = 0;
  while (show_more(w, at)) {
    *at = find_end_of_string(*at, w->end, &is_escaped);
    if (*at == w->end)
      continue;
    ++*at;
    return true;
  }
  return false;
}

/* The state after measuring a part of an array or object. */
typedef struct json_nesting {
  uint64_t escapes; /* 1 if the next byte is escaped */
  uint64_t string;  /* all bits are set if the next byte is in a string */
  size_t open;      /* number of open brackets */
} json_nesting;

/* Looks at the next `size` bytes of an array or object, at most 64; the bytes after them, up to
 * 64, are zero. Returns the number of bytes up to the bracket that closes the outermost one, 0 if
 * it is not among them, or -1 if a backslash is outside of strings, which is no JSON. */
static int find_closing_bracket_64(json_nesting *nesting, const char *at, size_t size) {
  json_marks marks = json_find_marks(at);
  if (marks.backslashes | nesting->escapes) {
    uint64_t escaped = json_escaped_64(marks.backslashes, &nesting->escapes);
    if (size < 64)
      nesting->escapes = escaped >> size & 1;
    marks.quotes &= ~escaped;
  }
  uint64_t strings = json_parity_64(marks.quotes) ^ nesting->string;
  nesting->string = strings >> 63 ? UINT64_MAX : 0;
  if (marks.backslashes & ~strings)
    return -1;
  for (uint64_t left = (marks.opening | marks.closing) & ~strings; left; left &= left - 1) {
    bool opens = marks.opening >> __builtin_ctzll(left) & 1;
    nesting->open += opens ? 1 : SIZE_MAX;
    if (nesting->open == 0)
      return __builtin_ctzll(left) + 1;
  }
  return 0;
}

/* Sets *size to the bytes of the string, array or object that is next, with its quotes or
 * brackets. Returns false, and nothing failed, if it does not end or is longer than the window
 * may show. */
static bool measure_value(etr_window *w, size_t *size) {
  json_nesting nesting = {0};
  const char *at = w->at;
  int last = 0;
  if (*at == '"') {
    at++;
    if (!skip_string_without_escapes(w, &at) && !find_end_beyond_window(w, &at))
      return false;
    *size = (size_t)(at - w->at);
    return true;
  }
  while (last == 0) {
    char rest[64] = {0};
    if (at == w->end && !show_more(w, &at))
      return false;
    size_t count = ETR_MIN((size_t)(w->end - at), sizeof rest);
    if (count < sizeof rest)
      memcpy(rest, at, count);
    last = find_closing_bracket_64(&nesting, count < sizeof rest ? rest : at, count);
    at += last > 0 ? (size_t)last : count;
  }
  *size = (size_t)(at - w->at);
  return last > 0;
}

/* ---- The pull reader of json.h: a window that moves over the document, and a byte for each array
 * or object that is open ---- */

enum { default_max_depth = 512, default_max_string_bytes = 64 * 1024 * 1024 };

typedef struct block {
  char *data;
  size_t capacity;
} block;

/* Which function may be called next. */
typedef enum reader_state {
  AT_VALUE,
  AFTER_OPEN, /* of an array or object: its first element or key, or its end */
  AFTER_KEY,  /* the colon is still unread, so that looking for it cannot move the window from under
                 the key */
  AFTER_VALUE, /* the next element or key, or the end */
  IN_STRING,   /* only the inner reader may go on */
} reader_state;

struct etr_json {
  etr_window in;
  etr_json *outer; /* the reader whose string this one reads; may be NULL */
  etr_json_limits limits;
  reader_state state;
  uint32_t depth;
  block stack;        /* the opening brackets that are not closed yet */
  block decoded;      /* the last string, if it is not in the window in one piece */
  uint64_t raw_start; /* offset of the value that was shown last */
  size_t raw_size;    /* size with its quotes or brackets; 0 if no value was shown */
  bool out_of_memory;
  char buffer[]; /* of the window, unless the document lies in memory */
};

static bool fail(etr_json *json, const char *message) {
  return etr_window_fail(&json->in, message);
}

static bool refuse(etr_json *json, const char *message) {
  return etr_window_fill(&json->in, 1) ? etr_window_fail(&json->in, message)
                                       : etr_window_fail_at_end(&json->in);
}

/* Grows a block to at least `size` bytes. Returns false when out of memory, which fails the
 * reader. */
static bool grow_block(etr_json *json, block *grown, size_t size) {
  if (size <= grown->capacity)
    return true;
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

/* ---- Strings ---- */

/* Reads the rest of a string into json->decoded. The room given depends on the limit alone in the
 * end, so that the error does not depend on where the window ends. Returns false if the string is
 * bad or too long, or when out of memory. */
static bool decode_long_string(etr_json *json, uint64_t start, etr_slice *out) {
  etr_window *w = &json->in;
  size_t size = 0;
  for (bool open = true; open && !w->message;) {
    if (size > json->limits.max_string_bytes)
      return etr_window_fail_at(w, start, "string too long");
    if (!grow_block(json, &json->decoded, size + ETR_JSON_MAX_UTF8))
      return false;
    size_t room = ETR_MIN(json->decoded.capacity,
                          json->limits.max_string_bytes + ETR_JSON_MAX_UTF8) -
                  size;
    size += decode_string(w, json->decoded.data + size, room, &open);
  }
  if (w->message)
    return false;
  if (size > json->limits.max_string_bytes)
    return etr_window_fail_at(w, start, "string too long");
  *out = (etr_slice){json->decoded.data, size};
  return true;
}

/* Passes over the rest of a string and its quote. Returns false, and the window has failed, if it
 * does not end. */
static bool skip_string(etr_json *json) {
  json->state = AFTER_VALUE;
  /* Passes over the rest of a string and its quote. False, and the window failed, if it does not
   * end. */
  uint64_t is_escaped = 0;
  if (skip_string_without_escapes(&json->in, &json->in.at))
    return true;
  while (etr_window_fill(&json->in, 1)) {
    json->in.at = find_end_of_string(json->in.at, json->in.end, &is_escaped);
    if (json->in.at == json->in.end)
      continue;
    json->in.at++;
    return true;
  }
  return etr_window_fail_at_end(&json->in);
}

/* Reads the string whose quote is next: a slice of the window if it lies there as it is, else
 * decoded. Returns false if it is bad or too long, or when out of memory. */
static bool read_string(etr_json *json, etr_slice *out) {
  etr_window *w = &json->in;
  uint64_t start = etr_window_offset(w);
  w->at++;
  json->state = AFTER_VALUE;
  const char *stop = json_find_quote(w->at, w->end);
  if (stop == w->end || *stop != '"')
    return decode_long_string(json, start, out);
  size_t size = (size_t)(stop - w->at);
  if (size > json->limits.max_string_bytes)
    return etr_window_fail_at(w, start, "string too long");
  *out = (etr_slice){w->at, size};
  w->at = stop + 1;
  return true;
}

/* ---- Values ---- */

static bool read_word(etr_json *json, etr_slice word) {
  json->state = AFTER_VALUE;
  return json_read_word(&json->in, word);
}

/* Reads a number, or NaN, Infinity or -Infinity, as a slice of the window. Returns false if it is
 * malformed or too long. */
static bool read_number(etr_json *json, etr_slice *out) {
  json->state = AFTER_VALUE;
  /* Reads a number, or NaN, Infinity or -Infinity: a slice of the window. */
  if (!etr_window_fill(&json->in, ETR_MOST_NUMBER_BYTES + 1) && json->in.message)
    return false;
  *out = word_of_number(&json->in);
  if (out->size > 0)
    return json_read_word(&json->in, *out);
  size_t size = 0, limit = ETR_MIN((size_t)(json->in.end - json->in.at), ETR_MOST_NUMBER_BYTES + 1);
  while (size < limit && is_number_byte(json->in.at[size]))
    size++;
  *out = (etr_slice){json->in.at, size};
  if (size > ETR_MOST_NUMBER_BYTES)
    return etr_window_fail(&json->in, "number too long");
  if (!etr_is_number(*out))
    return etr_window_fail(&json->in, "malformed number");
  json->in.at += size;
  return true;
}

/* Skips the colon between a key and its value. Returns whether a value may be read here; else the
 * reader has failed. */
static bool skip_to_value(etr_json *json) {
  if (json->state == AFTER_KEY) {
    if (json_next_byte(&json->in) != ':')
      return refuse(json, "expected ':'");
    json->in.at++;
    json->state = AT_VALUE;
  }
  return json->state == AT_VALUE || fail(json, "no value is next");
}

/* Returns the type of the next value by its first byte; ETR_JSON_END at the end, or if the reader
 * has failed. */
etr_json_type etr_json_peek(etr_json *json) {
  static const uint8_t types[256] = {
      ['n'] = ETR_JSON_NULL,   ['t'] = ETR_JSON_BOOL,   ['f'] = ETR_JSON_BOOL,
      ['"'] = ETR_JSON_STRING, ['['] = ETR_JSON_ARRAY,  ['{'] = ETR_JSON_OBJECT,
      ['N'] = ETR_JSON_NUMBER, ['I'] = ETR_JSON_NUMBER, ['-'] = ETR_JSON_NUMBER,
      ['0'] = ETR_JSON_NUMBER, ['1'] = ETR_JSON_NUMBER, ['2'] = ETR_JSON_NUMBER,
      ['3'] = ETR_JSON_NUMBER, ['4'] = ETR_JSON_NUMBER, ['5'] = ETR_JSON_NUMBER,
      ['6'] = ETR_JSON_NUMBER, ['7'] = ETR_JSON_NUMBER, ['8'] = ETR_JSON_NUMBER,
      ['9'] = ETR_JSON_NUMBER,
  };
  bool read_whole = json->state == AFTER_VALUE && json->depth == 0;
  if (json->in.message || read_whole || !skip_to_value(json))
    return ETR_JSON_END;
  int byte = json_next_byte(&json->in);
  etr_json_type type = byte < 0 ? ETR_JSON_END : types[byte];
  if (type == ETR_JSON_END)
    refuse(json, "expected a value");
  return type;
}

static bool expect(etr_json *json, etr_json_type type, const char *message) {
  return etr_json_peek(json) == type || refuse(json, message);
}

etr_slice etr_json_string(etr_json *json) {
  etr_slice string;
  return expect(json, ETR_JSON_STRING, "expected a string") && read_string(json, &string)
             ? string
             : ETR_SLICE("");
}

/* Shows the text of the next string, array or object without reading it. Returns false if it is
 * none, or is longer than the window may show. */
bool etr_json_peek_whole(etr_json *json, etr_slice *raw) {
  if (etr_json_peek(json) < ETR_JSON_STRING || !measure_value(&json->in, &raw->size))
    return false;
  raw->data = json->in.at;
  json->raw_start = etr_window_offset(&json->in);
  json->raw_size = raw->size;
  return true;
}

/* Skips the next value if it is this text, and returns whether it is. A quote or bracket ends the
 * text, so no longer value begins with it. */
bool etr_json_skip_same(etr_json *json, etr_slice raw) {
  etr_window *w = &json->in;
  if (etr_json_peek(json) < ETR_JSON_STRING || (size_t)(w->end - w->at) < raw.size)
    return false;
  if (memcmp(w->at, raw.data, raw.size) != 0)
    return false;
  w->at += raw.size;
  json->state = AFTER_VALUE;
  return true;
}

bool etr_json_peek_raw(etr_json *json, etr_slice *raw) {
  if (etr_json_peek(json) != ETR_JSON_STRING || !etr_json_peek_whole(json, raw))
    return false;
  *raw = (etr_slice){raw->data + 1, raw->size - 2};
  return true;
}

etr_slice etr_json_number_text(etr_json *json) {
  etr_slice number;
  return expect(json, ETR_JSON_NUMBER, "expected a number") && read_number(json, &number)
             ? number
             : ETR_SLICE("");
}

/* Reads an integer; anything else fails the reader and gives 0. */
int64_t etr_json_int(etr_json *json) {
  etr_slice number;
  if (!expect(json, ETR_JSON_NUMBER, "expected a number"))
    return 0;
  uint64_t start = etr_window_offset(&json->in);
  int64_t value = 0;
  if (read_number(json, &number) && !etr_slice_to_int(number, &value))
    etr_window_fail_at(&json->in, start, "expected an integer of 64 bits");
  return value;
}

/* Reads a number, also NaN and infinite ones; anything else fails the reader and gives 0. */
double etr_json_number(etr_json *json) {
  etr_slice number;
  if (!expect(json, ETR_JSON_NUMBER, "expected a number") || !read_number(json, &number))
    return 0;
  if (etr_slice_is(number, "NaN"))
    return NAN;
  if (etr_slice_is(number, "Infinity"))
    return INFINITY;
  if (etr_slice_is(number, "-Infinity"))
    return -INFINITY;
  return etr_number_to_double(number);
}

bool etr_json_bool(etr_json *json) {
  if (!expect(json, ETR_JSON_BOOL, "expected a boolean"))
    return false;
  bool value = *json->in.at == 't';
  return read_word(json, value ? ETR_SLICE("true") : ETR_SLICE("false")) && value;
}

bool etr_json_null(etr_json *json) {
  return etr_json_peek(json) == ETR_JSON_NULL && read_word(json, ETR_SLICE("null"));
}

/* ---- Arrays and objects ---- */

/* Enters the array or object whose bracket is next. Returns false if it is nested too deeply, or
 * when out of memory. */
static bool open_bracket(etr_json *json) {
  if (json->depth >= json->limits.max_depth)
    return fail(json, "nested too deeply");
  if (!grow_block(json, &json->stack, (size_t)json->depth + 1))
    return false;
  json->stack.data[json->depth++] = *json->in.at++;
  json->state = AFTER_OPEN;
  return true;
}

static bool is_innermost(const etr_json *json, char bracket) {
  return json->depth > 0 && json->stack.data[json->depth - 1] == bracket;
}

static char closing(char bracket) {
  return (char)(bracket + 2);
}

/* Leaves the array or object whose closing bracket is next. */
static void close_bracket(etr_json *json) {
  json->in.at++;
  json->depth--;
  json->state = AFTER_VALUE;
}

/* Moves to the next element or key of what was entered by `bracket`. Returns false at its end,
 * which it leaves, and if the reader has failed. */
static bool find_next_element(etr_json *json, char bracket, const char *expected) {
  if (json->in.message)
    return false;
  if (!is_innermost(json, bracket) || (json->state != AFTER_OPEN && json->state != AFTER_VALUE))
    return fail(json, "no element or key is next");
  int byte = json_next_byte(&json->in);
  if (byte == closing(bracket)) {
    close_bracket(json);
    return false;
  }
  if (json->state == AFTER_VALUE) {
    if (byte != ',')
      return refuse(json, expected);
    json->in.at++;
    byte = json_next_byte(&json->in);
  }
  return byte >= 0 || refuse(json, expected);
}

void etr_json_object(etr_json *json) {
  if (expect(json, ETR_JSON_OBJECT, "expected an object"))
    open_bracket(json);
}

/* Reads a short key that is written as Python does, `, "key"`, or `"key"` at the start. Returns
 * false, and reads nothing, for any other, which is read step by step. */
static inline bool read_python_key(etr_json *json, etr_slice *key) {
  enum { MOST_BYTES = 32 }; /* two steps of json_find_quote() */
  etr_window *w = &json->in;
  const char *at = w->at;
  if (json->in.message || !is_innermost(json, '{') || w->end - at < MOST_BYTES + 3)
    return false;
  if (json->state == AFTER_VALUE && at[0] == ',' && at[1] == ' ')
    at += 2;
  else if (json->state != AFTER_OPEN)
    return false;
  if (*at++ != '"')
    return false;
  const char *stop = json_find_quote(at, at + MOST_BYTES);
  *key = (etr_slice){at, (size_t)(stop - at)};
  if (key->size == MOST_BYTES || *stop != '"' || key->size > json->limits.max_string_bytes)
    return false;
  w->at = stop + 1;
  json->state = AFTER_KEY;
  return true;
}

/* Reads the next key of an object. Returns false at the object's end, and if the reader has
 * failed. */
bool etr_json_key(etr_json *json, etr_slice *key) {
  if (read_python_key(json, key))
    return true;
  *key = ETR_SLICE("");
  if (!find_next_element(json, '{', "expected ',' or '}'"))
    return false;
  if (*json->in.at != '"')
    return fail(json, "expected a key");
  if (!read_string(json, key))
    return false;
  json->state = AFTER_KEY;
  return true;
}

void etr_json_array(etr_json *json) {
  if (expect(json, ETR_JSON_ARRAY, "expected an array"))
    open_bracket(json);
}

bool etr_json_element(etr_json *json) {
  if (!find_next_element(json, '[', "expected ',' or ']'"))
    return false;
  json->state = AT_VALUE;
  return true;
}

/* ---- Skipping ---- */

/* Goes from bracket to bracket until only `depth` of them are open, or the reader has failed. */
static void skip_nested(etr_json *json, uint32_t depth) {
  do {
    json->in.at = json_find_bracket(json->in.at, json->in.end);
    if (json->in.at == json->in.end) {
      if (!etr_window_fill(&json->in, 1))
        (void)etr_window_fail_at_end(&json->in);
    } else if (*json->in.at == '"') {
      json->in.at++;
      (void)skip_string(json);
    } else if (json_to_brace(*json->in.at) == '{') {
      (void)open_bracket(json);
    } else if (closing(json->stack.data[json->depth - 1]) != *json->in.at) {
      (void)fail(json, "mismatched bracket");
    } else {
      close_bracket(json);
    }
  } while (json->depth > depth && !json->in.message);
}

/* Skips the next value, whatever it is; a value that was measured before is skipped at once. */
void etr_json_skip(etr_json *json) {
  etr_slice number;
  etr_json_type type = etr_json_peek(json);
  if (json->raw_size && json->raw_start == etr_window_offset(&json->in) &&
      type >= ETR_JSON_STRING) {
    json->in.at += json->raw_size;
    json->state = AFTER_VALUE;
    return;
  }
  switch (type) {
  case ETR_JSON_END:
    refuse(json, "no value is next");
    break;
  case ETR_JSON_NULL:
    etr_json_null(json);
    break;
  case ETR_JSON_BOOL:
    etr_json_bool(json);
    break;
  case ETR_JSON_NUMBER:
    read_number(json, &number);
    break;
  case ETR_JSON_STRING:
    json->in.at++;
    skip_string(json);
    break;
  case ETR_JSON_ARRAY:
  case ETR_JSON_OBJECT:
    skip_nested(json, json->depth);
    break;
  }
}

/* Skips the rest of the array or object that was entered last. */
void etr_json_leave(etr_json *json) {
  if (json->in.message)
    return;
  if (json->depth == 0 || (json->state != AFTER_OPEN && json->state != AFTER_VALUE))
    fail(json, "no object or array is to be left");
  else
    skip_nested(json, json->depth - 1);
}

void etr_json_end(etr_json *json) {
  if (json->depth > 0 || json->state != AFTER_VALUE)
    fail(json, "a value is not read to its end");
  else if (json_next_byte(&json->in) >= 0)
    fail(json, "unexpected text after the document");
}

/* ---- Opening and closing ---- */

/* Makes a reader with room for a buffer behind it; limits that are 0 or NULL have their defaults.
 * Returns NULL when out of memory. */
static etr_json *new_reader(size_t buffer_bytes, const etr_json_limits *limits) {
  etr_json *json = malloc(sizeof *json + buffer_bytes);
  if (!json)
    return NULL;
  *json = (etr_json){.state = AT_VALUE};
  if (limits)
    json->limits = *limits;
  if (json->limits.max_depth == 0)
    json->limits.max_depth = default_max_depth;
  if (json->limits.max_string_bytes == 0)
    json->limits.max_string_bytes = default_max_string_bytes;
  /* So that no sum with it overflows. */
  json->limits.max_string_bytes = ETR_MIN(json->limits.max_string_bytes, SIZE_MAX / 4);
  return json;
}

/* Makes a reader of what `read` gives, piece by piece. Returns NULL when out of memory. */
etr_json *etr_json_open(etr_read read, void *context, const etr_json_limits *limits) {
  etr_json *json = new_reader(ETR_WINDOW_BYTES, limits);
  if (!json)
    return NULL;
  char *buffer = json->buffer;
  json->in = (etr_window){.at = buffer,
                          .end = buffer,
                          .start = buffer,
                          .read = read,
                          .context = context,
                          .buffer = buffer};
  return json;
}

/* Makes a reader of a document that is in memory. Returns NULL when out of memory. */
etr_json *etr_json_open_memory(etr_slice document, const etr_json_limits *limits) {
  etr_json *json = new_reader(0, limits);
  const char *data = document.size ? document.data : "";
  if (json)
    json->in = (etr_window){.at = data, .end = data + document.size, .start = data};
  return json;
}

/* Reads for an inner reader, whose source is a string of the outer one. Returns the number of
 * bytes, or -1 if the outer reader has failed. */
static int64_t read_string_of_outer(void *context, char *into, size_t size) {
  etr_json *outer = context;
  bool open = outer->state == IN_STRING;
  size_t got = decode_string(&outer->in, into, size, &open);
  if (!open)
    outer->state = AFTER_VALUE;
  return got == 0 && outer->in.message ? -1 : (int64_t)got;
}

/* Opens the next string of a reader as a document. Returns NULL if it is no string, or when out
 * of memory; the outer reader has failed then. */
etr_json *etr_json_open_string(etr_json *outer) {
  if (!expect(outer, ETR_JSON_STRING, "expected a string"))
    return NULL;
  etr_json *json = etr_json_open(read_string_of_outer, outer, &outer->limits);
  if (!json) {
    outer->out_of_memory = true;
    fail(outer, "out of memory");
    return NULL;
  }
  json->outer = outer;
  outer->in.at++;
  outer->state = IN_STRING;
  return json;
}

/* Frees the reader; the string of an outer reader is skipped to its end. */
void etr_json_close(etr_json *json) {
  if (!json)
    return;
  if (json->outer && json->outer->state == IN_STRING && !json->outer->in.message)
    skip_string(json->outer);
  free(json->stack.data);
  free(json->decoded.data);
  free(json);
}

/* ---- Errors ---- */

bool etr_json_failed(const etr_json *json) {
  return json->in.message;
}

const char *etr_json_message(const etr_json *json) {
  return json->in.message;
}

uint64_t etr_json_offset(const etr_json *json) {
  return json->in.message ? json->in.error_offset : etr_window_offset(&json->in);
}

bool etr_json_source_failed(const etr_json *json) {
  return json->in.source_failed;
}

bool etr_json_out_of_memory(const etr_json *json) {
  return json->out_of_memory;
}

void etr_json_fail(etr_json *json, const char *message) {
  fail(json, message);
}
