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
  const char *next, *end; /* the unread part */
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
  return w->offset + (uint64_t)(w->next - w->start);
}

/* Fails at an offset, unless there is an error already. Returns false. */
static bool etr_window_fail_at(etr_window *w, uint64_t offset, const char *message) {
  if (!w->message) {
    w->message = message;
    w->error_offset = offset;
  }
  return false;
}

/* Fails with the offset of the next byte to read. Returns false. */
static bool etr_window_fail(etr_window *w, const char *message) {
  return etr_window_fail_at(w, etr_window_offset(w), message);
}

/* Fails because the document ends before a value does. Returns false. */
static bool etr_window_fail_at_end(etr_window *w) {
  return etr_window_fail(w, "unexpected end of document");
}

/* Reads more of the document into the window, until at least `needed` unread bytes are in it: moves
 * those that are there to its front and fills the rest. Returns false if the document ends before,
 * or if its source fails, which fails the window. */
static bool read_into_window(etr_window *w, size_t needed) {
  if (!w->read || w->message)
    return false;
  size_t available = (size_t)(w->end - w->next);
  memmove(w->buffer, w->next, available);
  w->offset = etr_window_offset(w);
  w->start = w->next = w->buffer;
  while (available < needed && w->read) {
    size_t room = ETR_WINDOW_BYTES - available;
    int64_t got = w->read(w->context, w->buffer + available, room);
    bool is_valid = got >= 0 && (uint64_t)got <= room;
    if (is_valid)
      available += (size_t)got;
    if (!is_valid || got == 0)
      w->read = NULL;
    if (!is_valid)
      w->source_failed = true;
  }
  w->end = w->buffer + available;
  if (w->source_failed)
    etr_window_fail_at(w, w->offset + available, "the document cannot be read on");
  return available >= needed;
}

/* Makes sure that at least `needed` unread bytes are in the window. Returns false if the document
 * ends before. */
static inline bool etr_window_fill(etr_window *w, size_t needed) {
  return (size_t)(w->end - w->next) >= needed || read_into_window(w, needed);
}

/* Makes sure that the byte after the next `size` bytes is in the window. Returns false if the
 * document ends before it, or if the window is smaller. */
static inline bool etr_window_fill_beyond(etr_window *w, size_t size) {
  return size < (size_t)(w->end - w->next) ||
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
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
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
/* Returns 64 bits, of which bit i says whether byte i after `at` is the character `wanted`. */
static inline uint64_t json_bits_of_char(const char *at, char wanted) {
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
static inline uint64_t json_bits_of_escaped(uint64_t backslashes, uint64_t *first_is_escaped) {
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
    uint64_t quotes = json_bits_of_char(at, '"') &
                      ~json_bits_of_escaped(json_bits_of_char(at, '\\'), is_escaped);
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

/* Returns the brace for a bracket, and a brace itself: '[' and '{', ']' and '}' differ in one bit.
 * Other characters do not become braces. */
static inline char json_to_brace(char c) {
  return (char)(c | 0x20);
}

/* The positions of JSON's marks among 64 bytes, as a bit for each byte. */
typedef struct json_marks {
  uint64_t quotes, backslashes, opening, closing; /* opening, closing: brackets of either kind */
} json_marks;

/* Returns where quotes, backslashes, braces and brackets are among the 64 bytes after `at`. Setting
 * the bit 0x20 makes a brace of a bracket, so that one comparison finds both. */
static inline json_marks json_bits_of_marks(const char *at) {
  json_marks found = {0};
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i open = _mm_set1_epi8('{');
  const __m128i close = _mm_set1_epi8('}');
  const __m128i brace_bit = _mm_set1_epi8(0x20);
  for (int i = 0; i < 64; i += 16) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(at + i));
    __m128i braces = _mm_or_si128(bytes, brace_bit);
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

/* Returns 64 bits, of which bit i is the parity of the bits 0 to i. For the bits of quotes these
 * are the bytes in strings: from each quote that opens a string to the byte before the one that
 * closes it. */
static inline uint64_t json_running_parity(uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2)
    bits ^= bits << shift;
  return bits;
}

/* Returns the first quote, bracket or brace in [at, end), or `end`. Setting the bit 0x20 makes a
 * brace of a bracket, so that one comparison finds both. */
static inline const char *json_find_bracket(const char *at, const char *end) {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i open = _mm_set1_epi8('{');
  const __m128i close = _mm_set1_epi8('}');
  const __m128i brace_bit = _mm_set1_epi8(0x20);
  for (; end - at >= 16; at += 16) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
    __m128i braces = _mm_or_si128(bytes, brace_bit);
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

/* Writes a character in UTF-8 and returns its size in bytes. */
static size_t write_utf8(char *into, uint32_t character) {
  static const uint8_t lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
  size_t size = 1 + (character >= 0x80) + (character >= 0x800) + (character >= 0x10000);
  for (size_t i = size - 1; i > 0; i--, character >>= 6)
    into[i] = (char)(0x80 | (character & 0x3F));
  into[0] = (char)(lead[size] | character);
  return size;
}

/* Returns the value of a hexadecimal digit; -1 if it is none. */
static int hex_digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  char lower = (char)(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Sets *unit to the number of the sequence \uXXXX at `at`. Returns false if there is none. */
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

/* Decodes the escape that starts at `at` with a backslash, and sets *written to the bytes written,
 * at most ETR_JSON_MAX_UTF8. Returns the bytes of the escape; 0 if it is invalid. A pair of
 * surrogates is one escape; a single surrogate becomes U+FFFD. */
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
    *written = write_utf8(into, 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
    return 12;
  }
  *written = write_utf8(
      into, is_high_surrogate(unit) || is_low_surrogate(unit) ? replacement_character : unit);
  return 6;
}

/* ---- Words, numbers and strings of a JSON document in a window ---- */

/* These functions move past what they read. Wrong input, or a document that ends too early, fails
 * the window. */

static inline bool json_is_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Skips all white space, also beyond the window, and returns the next byte, which stays unread; -1
 * at the end of the document. */
static int json_skip_space(etr_window *w) {
  do {
    while (w->next < w->end && json_is_space(*w->next))
      w->next++;
  } while (w->next == w->end && etr_window_fill(w, 1));
  return w->next < w->end ? (unsigned char)*w->next : -1;
}

/* Skips white space and returns the next byte, which stays unread; -1 at the end of the document.
 * Is inline for the usual case of one space or none. */
static inline int json_next_byte(etr_window *w) {
  if (w->end - w->next > 1 && *w->next == ' ')
    w->next++; /* mostly there is one blank, or nothing */
  return w->next < w->end && !json_is_space(*w->next) ? (unsigned char)*w->next
                                                      : json_skip_space(w);
}

/* ---- Words and numbers ---- */

/* Moves past this word, such as "null". Returns false, and fails the window, if it is not next. */
static bool json_read_word(etr_window *w, etr_slice word) {
  if (!etr_window_fill(w, word.size) || memcmp(w->next, word.data, word.size) != 0)
    return etr_window_fail(w, "expected a value");
  w->next += word.size;
  return true;
}

/* Returns NaN, Infinity or -Infinity by the first letter of the number that is next; an empty slice
 * if it starts with a digit. The rest of the word is not compared yet. */
static etr_slice word_of_number(const etr_window *w) {
  switch (*w->next) {
  case 'N':
    return ETR_SLICE("NaN");
  case 'I':
    return ETR_SLICE("Infinity");
  case '-':
    return w->end - w->next > 1 && w->next[1] == 'I' ? ETR_SLICE("-Infinity") : ETR_SLICE("");
  default:
    return ETR_SLICE("");
  }
}

static inline bool is_number_byte(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

/* ---- Strings ---- */

/* Decodes the escape that is next, moves past it, and returns the number of bytes written; 0 if it
 * is invalid, which fails the window. */
static size_t decode_escape(etr_window *w, char *into) {
  size_t written;
  etr_window_fill(w, ETR_JSON_MAX_ESCAPE);
  size_t taken = json_unescape(w->next, w->end, into, &written);
  if (taken == 0)
    etr_window_fail(w, "bad escape in a string");
  w->next += taken;
  return written;
}

/* Decodes the next part of a string, whose opening quote was read, into `size` bytes. Stops when
 * the string ends, which clears *open, or when less room is left than one escape may need. Returns
 * the number of bytes written. A string that is invalid or does not end fails the window. */
static size_t decode_string(etr_window *w, char *into, size_t size, bool *open) {
  size_t done = 0;
  while (*open && !w->message && size - done >= ETR_JSON_MAX_UTF8) {
    if (!etr_window_fill(w, 1)) {
      etr_window_fail_at_end(w);
      break;
    }
    const char *stop = json_find_quote(w->next,
                                       w->next + ETR_MIN(size - done, (size_t)(w->end - w->next)));
    size_t plain = (size_t)(stop - w->next);
    memcpy(into + done, w->next, plain);
    done += plain;
    w->next = stop;
    if (stop == w->end)
      continue;
    if (*stop == '"') {
      w->next++;
      *open = false;
    } else if (w->end - stop > 1 && stop[1] == '"' &&
               size > done) { /* an escaped quote: very common in a document in a string */
      into[done++] = '"';
      w->next += 2;
    } else if (*stop == '\\' && size - done >= ETR_JSON_MAX_UTF8) {
      done += decode_escape(w, into + done);
    }
  }
  return done;
}

/* Moves *at, a position in a string, past its closing quote, if it is in the window and no escape
 * comes before it, as in most strings. Returns false otherwise; *at is then at the first backslash
 * or at the window's end. */
static inline bool skip_string_without_escapes(const etr_window *w, const char **at) {
  *at = json_find_quote(*at, w->end);
  if (*at == w->end || **at != '"')
    return false;
  ++*at;
  return true;
}

/* Reads more of the document, so that there are bytes in the window after *at, which moves as they
 * do. Returns false at the end of the document, or if the window is full of unread bytes. */
static bool read_more_after(etr_window *w, const char **at) {
  size_t size = (size_t)(*at - w->next);
  bool shown = etr_window_fill_beyond(w, size);
  *at = w->next + size;
  return shown;
}

/* Moves *at, a position in a string, past its closing quote, reading more of the document into the
 * window as needed. Returns false if the string does not end, or is longer than the window. */
static bool find_end_of_string_in_next_windows(etr_window *w, const char **at) {
  uint64_t is_escaped = 0;
  while (read_more_after(w, at)) {
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

/* Searches the next `size` bytes of an array or object for the bracket that closes it. It reads 64
 * bytes: if `size` is less, those behind must be zero. Returns the number of bytes up to and with
 * the bracket, 0 if it is not among them, or -1 for a backslash outside of strings, which is no
 * JSON. *nesting is the state between calls. */
static int find_closing_bracket_64(json_nesting *nesting, const char *at, size_t size) {
  json_marks marks = json_bits_of_marks(at);
  if (marks.backslashes | nesting->escapes) {
    uint64_t escaped = json_bits_of_escaped(marks.backslashes, &nesting->escapes);
    if (size < 64)
      nesting->escapes = escaped >> size & 1;
    marks.quotes &= ~escaped;
  }
  uint64_t strings = json_running_parity(marks.quotes) ^ nesting->string;
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

/* Sets *size to the number of bytes of the string, array or object that is next, with its quotes or
 * brackets. Returns false, without failing the window, if it does not end or is longer than the
 * window. */
static bool measure_value(etr_window *w, size_t *size) {
  json_nesting nesting = {0};
  const char *at = w->next;
  int last = 0;
  if (*at == '"') {
    at++;
    if (!skip_string_without_escapes(w, &at) && !find_end_of_string_in_next_windows(w, &at))
      return false;
    *size = (size_t)(at - w->next);
    return true;
  }
  while (last == 0) {
    char rest[64] = {0};
    if (at == w->end && !read_more_after(w, &at))
      return false;
    size_t count = ETR_MIN((size_t)(w->end - at), sizeof rest);
    if (count < sizeof rest)
      memcpy(rest, at, count);
    last = find_closing_bracket_64(&nesting, count < sizeof rest ? rest : at, count);
    at += last > 0 ? (size_t)last : count;
  }
  *size = (size_t)(at - w->next);
  return last > 0;
}

/* ---- The pull reader of json.h: a window that moves over the document, and a byte for each array
 * or object that is open ---- */

enum { default_max_depth = 512, default_max_string_bytes = 64 * 1024 * 1024 };

typedef struct byte_buffer {
  char *data;
  size_t capacity;
} byte_buffer;

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
  etr_window window;
  etr_json *outer; /* the reader whose string this one reads; may be NULL */
  etr_json_limits limits;
  reader_state state;
  uint32_t depth;
  byte_buffer stack;   /* the opening brackets that are not closed yet */
  byte_buffer decoded; /* the last string, if it is not in the window in one piece */
  uint64_t raw_start;  /* offset of the value that was shown last */
  size_t raw_size;     /* size with its quotes or brackets; 0 if no value was shown */
  bool out_of_memory;
  char buffer[]; /* of the window, unless the document lies in memory */
};

static bool fail(etr_json *json, const char *message) {
  return etr_window_fail(&json->window, message);
}

/* Fails with the message, or, if the document ends here, because it does. Returns false. */
static bool fail_at_value(etr_json *json, const char *message) {
  return etr_window_fill(&json->window, 1) ? etr_window_fail(&json->window, message)
                                           : etr_window_fail_at_end(&json->window);
}

/* Grows a buffer to at least `size` bytes. Returns false when out of memory, which fails the
 * reader. */
static bool grow_buffer(etr_json *json, byte_buffer *grown, size_t size) {
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

/* Decodes the rest of a string into json->decoded, of which *out is a slice. `start` is the offset
 * of the string, for errors. Returns false if the string is invalid or too long, or when out of
 * memory. It decodes at most one escape more than the limit, wherever the window ends, so that the
 * error is always the same. */
static bool decode_long_string(etr_json *json, uint64_t start, etr_slice *out) {
  etr_window *w = &json->window;
  size_t size = 0;
  for (bool open = true; open && !w->message;) {
    if (size > json->limits.max_string_bytes)
      return etr_window_fail_at(w, start, "string too long");
    if (!grow_buffer(json, &json->decoded, size + ETR_JSON_MAX_UTF8))
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

/* Moves past the rest of a string and its closing quote. Returns false, and fails the window, if
 * the string does not end. */
static bool skip_string(etr_json *json) {
  json->state = AFTER_VALUE;
  uint64_t is_escaped = 0;
  if (skip_string_without_escapes(&json->window, &json->window.next))
    return true;
  while (etr_window_fill(&json->window, 1)) {
    json->window.next = find_end_of_string(json->window.next, json->window.end, &is_escaped);
    if (json->window.next == json->window.end)
      continue;
    json->window.next++;
    return true;
  }
  return etr_window_fail_at_end(&json->window);
}

/* Reads the string whose opening quote is next. *out is a slice of the window if all of the string
 * is there without escapes, else of json->decoded. Returns false if it is invalid or too long, or
 * when out of memory. */
static bool read_string(etr_json *json, etr_slice *out) {
  etr_window *w = &json->window;
  uint64_t start = etr_window_offset(w);
  w->next++;
  json->state = AFTER_VALUE;
  const char *stop = json_find_quote(w->next, w->end);
  if (stop == w->end || *stop != '"')
    return decode_long_string(json, start, out);
  size_t size = (size_t)(stop - w->next);
  if (size > json->limits.max_string_bytes)
    return etr_window_fail_at(w, start, "string too long");
  *out = (etr_slice){w->next, size};
  w->next = stop + 1;
  return true;
}

/* ---- Values ---- */

static bool read_word(etr_json *json, etr_slice word) {
  json->state = AFTER_VALUE;
  return json_read_word(&json->window, word);
}

/* Reads a number, or NaN, Infinity or -Infinity, as a slice of the window. Returns false if it is
 * malformed or too long. */
static bool read_number(etr_json *json, etr_slice *out) {
  json->state = AFTER_VALUE;
  if (!etr_window_fill(&json->window, ETR_MOST_NUMBER_BYTES + 1) && json->window.message)
    return false;
  *out = word_of_number(&json->window);
  if (out->size > 0)
    return json_read_word(&json->window, *out);
  size_t size = 0;
  size_t limit = ETR_MIN((size_t)(json->window.end - json->window.next), ETR_MOST_NUMBER_BYTES + 1);
  while (size < limit && is_number_byte(json->window.next[size]))
    size++;
  *out = (etr_slice){json->window.next, size};
  if (size > ETR_MOST_NUMBER_BYTES)
    return etr_window_fail(&json->window, "number too long");
  if (!etr_is_number(*out))
    return etr_window_fail(&json->window, "malformed number");
  json->window.next += size;
  return true;
}

/* Skips the colon if a key was read last. Returns whether a value may be read now; else the reader
 * has failed. */
static bool skip_to_value(etr_json *json) {
  if (json->state == AFTER_KEY) {
    if (json_next_byte(&json->window) != ':')
      return fail_at_value(json, "expected ':'");
    json->window.next++;
    json->state = AT_VALUE;
  }
  return json->state == AT_VALUE || fail(json, "no value is next");
}

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
  if (json->window.message || read_whole || !skip_to_value(json))
    return ETR_JSON_END;
  int byte = json_next_byte(&json->window);
  etr_json_type type = byte < 0 ? ETR_JSON_END : types[byte];
  if (type == ETR_JSON_END)
    fail_at_value(json, "expected a value");
  return type;
}

/* Returns whether the next value is of this type; else the reader fails with the message. */
static bool expect_type(etr_json *json, etr_json_type type, const char *message) {
  return etr_json_peek(json) == type || fail_at_value(json, message);
}

etr_slice etr_json_string(etr_json *json) {
  etr_slice string;
  return expect_type(json, ETR_JSON_STRING, "expected a string") && read_string(json, &string)
             ? string
             : ETR_SLICE("");
}

/* Returns false for other types, and if the value is longer than the window. The size is kept, so
 * that skipping the value next need not find its end again. */
bool etr_json_peek_whole(etr_json *json, etr_slice *raw) {
  if (etr_json_peek(json) < ETR_JSON_STRING || !measure_value(&json->window, &raw->size))
    return false;
  raw->data = json->window.next;
  json->raw_start = etr_window_offset(&json->window);
  json->raw_size = raw->size;
  return true;
}

/* A quote or bracket ends the text, so that no longer value can begin with it. */
bool etr_json_skip_same(etr_json *json, etr_slice raw) {
  etr_window *w = &json->window;
  if (etr_json_peek(json) < ETR_JSON_STRING || (size_t)(w->end - w->next) < raw.size)
    return false;
  if (memcmp(w->next, raw.data, raw.size) != 0)
    return false;
  w->next += raw.size;
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
  return expect_type(json, ETR_JSON_NUMBER, "expected a number") && read_number(json, &number)
             ? number
             : ETR_SLICE("");
}

int64_t etr_json_int(etr_json *json) {
  etr_slice number;
  if (!expect_type(json, ETR_JSON_NUMBER, "expected a number"))
    return 0;
  uint64_t start = etr_window_offset(&json->window);
  int64_t value = 0;
  if (read_number(json, &number) && !etr_slice_to_int(number, &value))
    etr_window_fail_at(&json->window, start, "expected an integer of 64 bits");
  return value;
}

double etr_json_number(etr_json *json) {
  etr_slice number;
  if (!expect_type(json, ETR_JSON_NUMBER, "expected a number") || !read_number(json, &number))
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
  if (!expect_type(json, ETR_JSON_BOOL, "expected a boolean"))
    return false;
  bool value = *json->window.next == 't';
  return read_word(json, value ? ETR_SLICE("true") : ETR_SLICE("false")) && value;
}

bool etr_json_null(etr_json *json) {
  return etr_json_peek(json) == ETR_JSON_NULL && read_word(json, ETR_SLICE("null"));
}

/* ---- Arrays and objects ---- */

/* Enters the array or object whose bracket is next. Returns false if it is nested too deeply, or
 * when out of memory. */
static bool enter_brackets(etr_json *json) {
  if (json->depth >= json->limits.max_depth)
    return fail(json, "nested too deeply");
  if (!grow_buffer(json, &json->stack, (size_t)json->depth + 1))
    return false;
  json->stack.data[json->depth++] = *json->window.next++;
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
static void leave_brackets(etr_json *json) {
  json->window.next++;
  json->depth--;
  json->state = AFTER_VALUE;
}

/* Moves to the next element or key of the innermost array or object, which `bracket` must have
 * opened. Returns false at its end, which is left, and if the reader has failed. `expected` is the
 * error if neither a comma nor the end is next. */
static bool find_next_element(etr_json *json, char bracket, const char *expected) {
  if (json->window.message)
    return false;
  if (!is_innermost(json, bracket) || (json->state != AFTER_OPEN && json->state != AFTER_VALUE))
    return fail(json, "no element or key is next");
  int byte = json_next_byte(&json->window);
  if (byte == closing(bracket)) {
    leave_brackets(json);
    return false;
  }
  if (json->state == AFTER_VALUE) {
    if (byte != ',')
      return fail_at_value(json, expected);
    json->window.next++;
    byte = json_next_byte(&json->window);
  }
  return byte >= 0 || fail_at_value(json, expected);
}

void etr_json_object(etr_json *json) {
  if (expect_type(json, ETR_JSON_OBJECT, "expected an object"))
    enter_brackets(json);
}

/* Reads a short key if it is written as Python writes it, `, "key"`, or `"key"` at the start of an
 * object: a fast way for nearly all keys. Returns false, and reads nothing, for any other. */
static inline bool read_python_key(etr_json *json, etr_slice *key) {
  enum { MOST_BYTES = 32 }; /* two steps of json_find_quote() */
  etr_window *w = &json->window;
  const char *at = w->next;
  if (json->window.message || !is_innermost(json, '{') || w->end - at < MOST_BYTES + 3)
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
  w->next = stop + 1;
  json->state = AFTER_KEY;
  return true;
}

bool etr_json_key(etr_json *json, etr_slice *key) {
  if (read_python_key(json, key))
    return true;
  *key = ETR_SLICE("");
  if (!find_next_element(json, '{', "expected ',' or '}'"))
    return false;
  if (*json->window.next != '"')
    return fail(json, "expected a key");
  if (!read_string(json, key))
    return false;
  json->state = AFTER_KEY;
  return true;
}

void etr_json_array(etr_json *json) {
  if (expect_type(json, ETR_JSON_ARRAY, "expected an array"))
    enter_brackets(json);
}

bool etr_json_element(etr_json *json) {
  if (!find_next_element(json, '[', "expected ',' or ']'"))
    return false;
  json->state = AT_VALUE;
  return true;
}

/* ---- Skipping ---- */

/* Skips the rest of the arrays and objects that are nested deeper than `depth`, from bracket to
 * bracket. What is between brackets is not checked. */
static void skip_nested(etr_json *json, uint32_t depth) {
  do {
    json->window.next = json_find_bracket(json->window.next, json->window.end);
    if (json->window.next == json->window.end) {
      if (!etr_window_fill(&json->window, 1))
        (void)etr_window_fail_at_end(&json->window);
    } else if (*json->window.next == '"') {
      json->window.next++;
      (void)skip_string(json);
    } else if (json_to_brace(*json->window.next) == '{') {
      (void)enter_brackets(json);
    } else if (closing(json->stack.data[json->depth - 1]) != *json->window.next) {
      (void)fail(json, "mismatched bracket");
    } else {
      leave_brackets(json);
    }
  } while (json->depth > depth && !json->window.message);
}

/* A value that etr_json_peek_whole() showed just before is skipped by its size. */
void etr_json_skip(etr_json *json) {
  etr_slice number;
  etr_json_type type = etr_json_peek(json);
  if (json->raw_size && json->raw_start == etr_window_offset(&json->window) &&
      type >= ETR_JSON_STRING) {
    json->window.next += json->raw_size;
    json->state = AFTER_VALUE;
    return;
  }
  switch (type) {
  case ETR_JSON_END:
    fail_at_value(json, "no value is next");
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
    json->window.next++;
    skip_string(json);
    break;
  case ETR_JSON_ARRAY:
  case ETR_JSON_OBJECT:
    skip_nested(json, json->depth);
    break;
  }
}

void etr_json_leave(etr_json *json) {
  if (json->window.message)
    return;
  if (json->depth == 0 || (json->state != AFTER_OPEN && json->state != AFTER_VALUE))
    fail(json, "no object or array is to be left");
  else
    skip_nested(json, json->depth - 1);
}

void etr_json_end(etr_json *json) {
  if (json->depth > 0 || json->state != AFTER_VALUE)
    fail(json, "a value is not read to its end");
  else if (json_next_byte(&json->window) >= 0)
    fail(json, "unexpected text after the document");
}

/* ---- Opening and closing ---- */

/* Allocates a reader with a window buffer of this size, 0 for a document in memory. Limits that are
 * 0, or NULL, get their defaults. Returns NULL when out of memory. */
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
  /* No sum with the limit may overflow. */
  json->limits.max_string_bytes = ETR_MIN(json->limits.max_string_bytes, SIZE_MAX / 4);
  return json;
}

etr_json *etr_json_open(etr_read read, void *context, const etr_json_limits *limits) {
  etr_json *json = new_reader(ETR_WINDOW_BYTES, limits);
  if (!json)
    return NULL;
  char *buffer = json->buffer;
  json->window = (etr_window){
      .next = buffer,
      .end = buffer,
      .start = buffer,
      .read = read,
      .context = context,
      .buffer = buffer,
  };
  return json;
}

etr_json *etr_json_open_memory(etr_slice document, const etr_json_limits *limits) {
  etr_json *json = new_reader(0, limits);
  const char *data = document.size ? document.data : "";
  if (json)
    json->window = (etr_window){
        .next = data,
        .end = data + document.size,
        .start = data,
    };
  return json;
}

/* The source of an inner reader: decodes the next part of the string that the outer reader, the
 * context, is in. Returns the number of bytes, 0 at the end of the string; -1 if the outer reader
 * has failed. */
static int64_t read_string_of_outer(void *context, char *into, size_t size) {
  etr_json *outer = context;
  bool open = outer->state == IN_STRING;
  size_t got = decode_string(&outer->window, into, size, &open);
  if (!open)
    outer->state = AFTER_VALUE;
  return got == 0 && outer->window.message ? -1 : (int64_t)got;
}

etr_json *etr_json_open_string(etr_json *outer) {
  if (!expect_type(outer, ETR_JSON_STRING, "expected a string"))
    return NULL;
  etr_json *json = etr_json_open(read_string_of_outer, outer, &outer->limits);
  if (!json) {
    outer->out_of_memory = true;
    fail(outer, "out of memory");
    return NULL;
  }
  json->outer = outer;
  outer->window.next++;
  outer->state = IN_STRING;
  return json;
}

/* Frees the reader. If it read a string of an outer reader, the rest of the string is skipped
 * there. */
void etr_json_close(etr_json *json) {
  if (!json)
    return;
  if (json->outer && json->outer->state == IN_STRING && !json->outer->window.message)
    skip_string(json->outer);
  free(json->stack.data);
  free(json->decoded.data);
  free(json);
}

/* ---- Errors ---- */

bool etr_json_failed(const etr_json *json) {
  return json->window.message;
}

const char *etr_json_message(const etr_json *json) {
  return json->window.message;
}

uint64_t etr_json_offset(const etr_json *json) {
  return json->window.message ? json->window.error_offset : etr_window_offset(&json->window);
}

bool etr_json_source_failed(const etr_json *json) {
  return json->window.source_failed;
}

bool etr_json_out_of_memory(const etr_json *json) {
  return json->out_of_memory;
}

void etr_json_fail(etr_json *json, const char *message) {
  fail(json, message);
}
