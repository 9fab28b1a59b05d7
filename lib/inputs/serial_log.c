/* SPDX-License-Identifier: BSD-3-Clause
 *
 * serial_log.c - from a log's characters to the ETDumps in it.
 */
#define _GNU_SOURCE /* memmem */
#include "inputs/serial_log.h"

#include "base/base64.h"
#include "base/file.h"
#include "inputs/dump.h"

#include <stdlib.h>

/* ---- Where an ETDump starts ---- */

enum {
  START_DIGITS = 16,
  START_BYTES = 12
}; /* hold the identifier, with a size in front of it or without */

enum { ESCAPE = 0x1b };

/* The parts of a log that are ignored: sequences that color a terminal, carriage returns, NULs. */
typedef enum filter_state { IN_TEXT, IN_ESCAPE, IN_SEQUENCE } filter_state;

/* Returns false for characters that a terminal or a serial line added to a log: escape sequences,
 * which color text, carriage returns and NULs. *state is that of the characters before. */
static bool is_text_character(filter_state *state, char c) {
  filter_state before = *state;
  if (before == IN_ESCAPE)
    *state = c == '[' ? IN_SEQUENCE : IN_TEXT;
  else if (before == IN_SEQUENCE)
    *state = c >= '@' && c <= '~' ? IN_TEXT : IN_SEQUENCE;
  else if (c == ESCAPE)
    *state = IN_ESCAPE;
  else
    return c != '\r' && c != '\0';
  return false;
}

/* The base64 digits in a row before a position of a log: the first ones, and their number. */
typedef struct digit_row {
  char digits[START_DIGITS];
  size_t count;
} digit_row;

/* Arm's runner prints this line before anything in base64. */
static const char announcement[] = "#[RUN THIS]\n";

/* Returns true if this character completes the line with which Arm's runner announces an ETDump.
 * *matched counts how many of the last characters of the log are the start of that line. */
static bool completes_announcement(size_t *matched, char c) {
  if (c != announcement[*matched])
    *matched = 0;
  if (c == announcement[*matched])
    ++*matched;
  if (*matched < sizeof announcement - 1)
    return false;
  *matched = 0;
  return true;
}

/* Adds a character to the digits in a row. Returns true if it completes START_DIGITS of them that
 * decode to the start of an ETDump. */
static bool completes_dump_start(digit_row *r, char c) {
  char bytes[START_BYTES];
  size_t size;
  r->count = etr_base64_is_digit(c) ? r->count + 1 : 0;
  if (r->count == 0 || r->count > START_DIGITS)
    return false;
  r->digits[r->count - 1] = c;
  return r->count == START_DIGITS &&
         etr_base64_decode(bytes, &size, (etr_slice){r->digits, START_DIGITS}) &&
         etr_dump_is((etr_slice){bytes, size});
}

/* ---- A text to read: only what counts ---- */

typedef struct reader {
  etr_arena *arena;
  char *text;
  size_t size;
  char *digits; /* of what is being read, without what separates lines */
  size_t digit_count;
  size_t counted_to, line, line_start; /* position, line and start of line of the last request */
  etr_slice debug_buffer;              /* the last one read, which belongs to the next ETDump */
  etr_vec(etr_log_dump) dumps;
  etr_serial_log *log;
} reader;

/* Returns the number of the line, from 1, at a position. Counting continues from the position of
 * the last call, so that positions must not go down. */
static size_t count_line_at(reader *r, size_t position) {
  for (; r->counted_to < position; r->counted_to++) {
    if (r->text[r->counted_to] != '\n')
      continue;
    r->line++;
    r->line_start = r->counted_to + 1;
  }
  return r->line + 1;
}

/* ---- From line to line ---- */

/* Returns the position of the end of the line at a position: of its line feed, or of the text's
 * end. */
static size_t line_end(const reader *r, size_t at) {
  const char *end = memchr(r->text + at, '\n', r->size - at);
  return end ? (size_t)(end - r->text) : r->size;
}

static bool is_digit_or_space(char c) {
  return (c >= '0' && c <= '9') || c == ' ';
}

/* Returns true if the first `size` characters of the lines that start at two positions are equal
 * apart from digits and spaces: prefixes of a logger, which differ only in the time. */
static bool have_same_prefix(const reader *r, size_t first, size_t line, size_t size) {
  for (size_t i = 0; i < size; i++) {
    char a = r->text[first + i];
    char b = r->text[line + i];
    if (a != b && !(is_digit_or_space(a) && is_digit_or_space(b)))
      return false;
  }
  return true;
}

static bool is_base64_character(char c) {
  return etr_base64_is_digit(c) || c == '=';
}

/* Returns the position at which base64 begins in the line from `line` to `end`, if it continues the
 * base64 of an earlier line; `end` if it does not. The earlier line starts at `first`, and its
 * base64 at `start`. Before base64 there may only be a logger's prefix like that of the earlier
 * line. */
static size_t find_continuation(const reader *r, size_t first, size_t start, size_t line,
                                size_t end) {
  size_t digits_start = end;
  while (digits_start > line && is_base64_character(r->text[digits_start - 1]))
    digits_start--;
  bool continues = digits_start == line || (digits_start - line <= start - first &&
                                            have_same_prefix(r, first, line, digits_start - line));
  return continues ? digits_start : end;
}

/* Appends the base64 characters from a position on to r->digits, until r->digits has `most`
 * characters or another character follows, and returns how many it appended. */
static size_t copy_digits(reader *r, size_t at, size_t most) {
  size_t first = r->digit_count;
  while (at < r->size && r->digit_count < most && is_base64_character(r->text[at]))
    r->digits[r->digit_count++] = r->text[at++];
  return r->digit_count - first;
}

/* Returns the position at which base64 in the line from `line` ends at the latest: at a closing
 * quote, if it is in quotes, or at the end of the line. */
static size_t digits_end(const reader *r, size_t line, bool is_quoted) {
  size_t end = line_end(r, line);
  const char *quote = is_quoted ? memchr(r->text + line, '"', end - line) : NULL;
  return quote ? (size_t)(quote - r->text) : end;
}

/* Copies base64 from `start` on to r->digits, over all lines that continue it, but at most
 * most_digits characters. Returns the position of its end. All lines but the last have one length,
 * unless base64 is in quotes, which then end it. */
static size_t copy_digit_lines(reader *r, size_t start, size_t most_digits) {
  bool is_quoted = start > 0 && r->text[start - 1] == '"';
  r->digit_count = 0;
  count_line_at(r, start);
  size_t first = r->line_start;
  size_t width = copy_digits(r, start, most_digits);
  size_t count = width;
  size_t position = start + width;
  while (r->digit_count < most_digits && position < r->size && r->text[position] == '\n' &&
         (is_quoted || count == width)) {
    size_t end = digits_end(r, position + 1, is_quoted);
    size_t continuation = find_continuation(r, first, start, position + 1, end);
    bool is_padded = r->digit_count > 0 && r->digits[r->digit_count - 1] == '=';
    if (continuation == end || is_padded || (!is_quoted && end - continuation > width))
      break;
    count = copy_digits(r, continuation, most_digits);
    position = continuation + count;
  }
  return position;
}

/* ---- ETDumps ---- */

enum { PREFIX_BYTES = 4 };

/* Returns the size in bytes of the ETDump whose base64 starts here, by its size prefix, including
 * the prefix; 0 if it has none. */
static uint64_t size_by_prefix(const reader *r, size_t start) {
  char bytes[START_BYTES];
  size_t size;
  etr_base64_decode(bytes, &size, (etr_slice){r->text + start, START_DIGITS});
  return etr_dump_prefix((etr_slice){bytes, size}) ? PREFIX_BYTES + etr_load_le(bytes, PREFIX_BYTES)
                                                   : 0;
}

/* Returns the bytes that r->digits encode; an empty slice if they are not valid base64, or when out
 * of memory. */
static etr_slice decode_digits(reader *r) {
  etr_slice out = {0};
  char *bytes = etr_arena_alloc_raw(r->arena, r->digit_count / 4 * 3 + 1);
  if (bytes && etr_base64_decode(bytes, &out.size, (etr_slice){r->digits, r->digit_count}))
    out.data = bytes;
  return out;
}

#define CAPTURE_AGAIN "; capture the log again, to its end"

/* Sets log->problem, unless an ETDump before has set it: a text for the user with the lines
 * (counted from 1) in which the ETDump from `start` to `end` starts and ends, and how many bytes of
 * it were decoded, of how many that are expected (0: not known). */
static void report_damaged_dump(reader *r, size_t start, size_t end, uint64_t expected_bytes) {
  size_t line = count_line_at(r, start);
  size_t last = line;
  size_t bytes = r->digit_count / 4 * 3;
  for (size_t i = start; i < end; i++)
    last += r->text[i] == '\n';
  if (r->log->problem)
    return;
  const char *of_expected = expected_bytes ? etr_arena_format(r->arena, " of %llu",
                                                              (unsigned long long)expected_bytes)
                                           : "";
  r->log->problem = etr_arena_format(
      r->arena, "line %zu: the ETDump in base64 is %s on line %zu, after %zu%s bytes" CAPTURE_AGAIN,
      line, end == r->size ? "cut off" : "broken off or damaged", last, bytes,
      of_expected ? of_expected : "");
}

/* Adds the ETDump whose base64 starts here, with the debug buffer read before it, or reports that
 * it is damaged. Base64 in quotes ends at the closing quote, and is damaged if that is missing and
 * the ETDump has no size prefix. Without quotes it ends where the size prefix says. Returns the
 * position at which its base64 ends. */
static size_t read_dump(reader *r, size_t start) {
  uint64_t expected_bytes = size_by_prefix(r, start);
  bool is_quoted = start > 0 && r->text[start - 1] == '"';
  size_t most_digits = expected_bytes && !is_quoted && expected_bytes < r->size
                           ? etr_base64_size((size_t)expected_bytes)
                           : SIZE_MAX;
  size_t end = copy_digit_lines(r, start, most_digits);
  bool lacks_end_quote = !expected_bytes && is_quoted && (end == r->size || r->text[end] != '"');
  etr_slice bytes = lacks_end_quote ? (etr_slice){0} : decode_digits(r);
  r->log->found++;
  if (bytes.size == 0 || bytes.size < expected_bytes)
    report_damaged_dump(r, start, end, expected_bytes);
  else {
    etr_log_dump *dump = etr_vec_push(r->arena, &r->dumps);
    if (dump)
      *dump = (etr_log_dump){r->log->found, count_line_at(r, start), bytes, r->debug_buffer};
  }
  r->debug_buffer = (etr_slice){0};
  return end;
}

/* ---- Debug buffers ---- */

enum { MOST_NAME_DISTANCE = 64 };

/* Returns true if the rest of the line at a position names a debug buffer, as in
 * `" | base64 -d >debug_buffer.bin`. */
static bool is_named_debug_buffer(const reader *r, size_t end) {
  static const char name[] = "debug_buffer.bin";
  size_t size = ETR_MIN(r->size - end, MOST_NAME_DISTANCE);
  const char *line = memchr(r->text + end, '\n', size);
  if (line)
    size = (size_t)(line - r->text) - end;
  return memmem(r->text + end, size, name, sizeof name - 1) != NULL;
}

/* Decodes the debug buffer whose base64 is between quotes, of which the first is at `quote`.
 * Returns the position of the second; 0 if this is no debug buffer. */
static size_t read_debug_buffer(reader *r, size_t quote) {
  size_t end = copy_digit_lines(r, quote + 1, SIZE_MAX);
  if (end >= r->size || r->text[end] != '"' || !is_named_debug_buffer(r, end))
    return 0;
  r->debug_buffer = decode_digits(r);
  if (!r->debug_buffer.data && !r->log->lost_buffer)
    r->log->lost_buffer = etr_arena_format(
        r->arena,
        "line %zu: the debug buffer in base64 is damaged: logged values are unknown" CAPTURE_AGAIN,
        count_line_at(r, quote));
  return end;
}

/* Returns true if the quote at a position follows `echo` and precedes base64. */
static bool follows_echo(const reader *r, size_t quote) {
  return quote >= 5 && memcmp(r->text + quote - 5, "echo ", 5) == 0 && quote + 1 < r->size &&
         etr_base64_is_digit(r->text[quote + 1]);
}

/* ---- The log ---- */

/* If the log announces an ETDump, although none was found in it, sets this as the log's problem. */
static void report_missing_dump(reader *r) {
  const char *found = memmem(r->text, r->size, announcement, sizeof announcement - 1);
  if (!found)
    return;
  r->counted_to = r->line = 0;
  r->log->problem = etr_arena_format(
      r->arena, "line %zu: an ETDump is announced, but the log is cut off before it" CAPTURE_AGAIN,
      count_line_at(r, (size_t)(found - r->text)));
}

/* Copies the log without what a terminal added to it, and then decodes each ETDump and debug buffer
 * in it. */
static void read_log_text(reader *r, etr_slice bytes) {
  filter_state state = IN_TEXT;
  for (size_t i = 0; i < bytes.size; i++)
    if (is_text_character(&state, bytes.data[i]))
      r->text[r->size++] = bytes.data[i];
  r->text[r->size] = '\0';

  digit_row digits = {.count = 0};
  for (size_t position = 0; position < r->size && !etr_arena_failed(r->arena); position++) {
    size_t end = 0;
    if (completes_dump_start(&digits, r->text[position]))
      end = read_dump(r, position + 1 - START_DIGITS);
    else if (r->text[position] == '"' && follows_echo(r, position))
      end = read_debug_buffer(r, position);
    if (!end)
      continue;
    digits.count = 0;
    position = end - 1; /* continue at `end` */
  }
  if (r->log->found == 0)
    report_missing_dump(r);
}

bool etr_serial_log_read(etr_serial_log *out, etr_arena *arena, etr_slice bytes) {
  etr_arena scratch = {0};
  reader r = {.arena = arena, .log = out};
  *out = (etr_serial_log){0};
  r.text = etr_arena_alloc_raw(&scratch, bytes.size + 1);
  r.digits = etr_arena_alloc_raw(&scratch, bytes.size + 1);
  bool good = r.text && r.digits;
  if (good)
    read_log_text(&r, bytes);
  etr_arena_clear(&scratch);
  out->dumps = r.dumps.data;
  out->dump_count = r.dumps.count;
  return good && !etr_arena_failed(arena);
}

/* ---- Logs that were read once ---- */

#define MOST_LOG_BYTES ((uint64_t)1 << 30)

struct etr_decoded_logs {
  etr_arena arena;
  etr_map by_path; /* path -> index in list */
  etr_vec(etr_decoded_log *) list;
};

/* Allocates an empty list of logs; NULL when out of memory. */
static etr_decoded_logs *make_logs(void) {
  etr_decoded_logs *logs = calloc(1, sizeof *logs);
  if (logs)
    etr_map_init(&logs->by_path, &logs->arena);
  return logs;
}

/* etr_decoded_logs_find() finds the log again, so that it need not be decoded twice. A file that
 * cannot be read is no failure here, because reading it as an input says why. */
bool etr_decoded_logs_read(etr_decoded_logs **logs, const char *path, const etr_decoded_log **out) {
  etr_file file;
  *out = NULL;
  if (!*logs)
    *logs = make_logs();
  if (!*logs)
    return false;
  if (etr_file_read(&file, path, MOST_LOG_BYTES, NULL) != ETR_OK)
    return true;
  etr_arena *arena = &(*logs)->arena;
  etr_decoded_log *log = etr_arena_alloc(arena, sizeof *log);
  etr_decoded_log **slot = etr_vec_push(arena, &(*logs)->list);
  bool good = log && slot && etr_serial_log_read(&log->log, arena, etr_file_bytes(&file)) &&
              etr_map_set(&(*logs)->by_path, etr_slice_of(path), (uint32_t)(*logs)->list.count - 1);
  if (good)
    log->file_bytes = file.size;
  if (good)
    *out = *slot = log;
  etr_file_clear(&file);
  return good;
}

const etr_decoded_log *etr_decoded_logs_find(const etr_decoded_logs *logs, etr_slice path) {
  uint32_t found = logs ? etr_map_get(&logs->by_path, path) : ETR_NONE;
  return found != ETR_NONE ? logs->list.data[found] : NULL;
}

void etr_decoded_logs_free(etr_decoded_logs *logs) {
  if (logs)
    etr_arena_clear(&logs->arena);
  free(logs);
}

/* ---- What a file is ---- */

enum { MOST_NULS = 64 }; /* a line that is switched on may give some */

bool etr_serial_log_is(const char *path) {
  char piece[16 * 1024];
  filter_state state = IN_TEXT;
  digit_row digits = {.count = 0};
  bool found = false;
  size_t nuls = 0, matched = 0;
  etr_seekable file;
  if (etr_seekable_open(&file, path, NULL) != ETR_OK)
    return false;
  for (uint64_t piece_offset = 0; !found && nuls < MOST_NULS && piece_offset < file.size;
       piece_offset += sizeof piece) {
    size_t size = (size_t)ETR_MIN(file.size - piece_offset, (uint64_t)sizeof piece);
    if (!etr_seekable_read(&file, piece_offset, piece, size))
      break;
    for (size_t i = 0; i < size && !found; i++) {
      nuls += piece[i] == '\0';
      found = is_text_character(&state, piece[i]) && (completes_dump_start(&digits, piece[i]) ||
                                                      completes_announcement(&matched, piece[i]));
    }
  }
  etr_seekable_close(&file);
  return found;
}
