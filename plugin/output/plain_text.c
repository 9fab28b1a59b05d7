/* SPDX-License-Identifier: BSD-3-Clause
 *
 * plain_text.c - classifies characters, measures, cuts and wraps text.
 */
#include "output/plain_text.h"

#include "etrecord_tb.h"

typedef struct range {
  uint32_t first, last;
} range;

/* Returns true if one of the ranges contains the code point. The ranges are in ascending order. */
static bool is_in_ranges(const range *ranges, size_t count, uint32_t code) {
  for (size_t i = 0; i < count && ranges[i].first <= code; i++)
    if (code <= ranges[i].last)
      return true;
  return false;
}

/* Returns how many columns of a terminal a character takes: 0 for combining marks, 2 for wide
 * characters such as Chinese, else 1. Text for an ASCII writer has one column a character. */
static size_t character_width(const etr_writer *writer, uint32_t code) {
  static const range no_column[] = {
      {0x0300, 0x036F}, {0x200B, 0x200D}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}};
  static const range two_columns[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},  {0x3041, 0xA4CF},
                                      {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},  {0xFE30, 0xFE6F},
                                      {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},  {0x1F300, 0x1F64F},
                                      {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
  if (code < 0x300 || writer->ascii)
    return 1;
  if (is_in_ranges(no_column, ETR_COUNT(no_column), code))
    return 0;
  return is_in_ranges(two_columns, ETR_COUNT(two_columns), code) ? 2 : 1;
}

char *etr_sanitized_copy(etr_arena *arena, const char *text) {
  char *copy = etr_arena_copy(arena, etr_slice_of(text)), *end = copy;
  for (size_t size; copy && *text; text += size) {
    bool control = etr_is_control(etr_character_at(text, &size));
    memcpy(end, control ? "?" : text, control ? 1 : size);
    end += control ? 1 : size;
  }
  if (end)
    *end = '\0';
  return copy;
}

void etr_put_sanitized(etr_writer *writer, const char *text) {
  for (size_t size; text && *text; text += size) {
    bool control = etr_is_control(etr_character_at(text, &size));
    etr_put(writer, control ? ETR_SLICE("?") : (etr_slice){text, size});
  }
}

bool etr_write_plain(const etr_sink *sink, const char *text) {
  for (etr_slice left = etr_slice_of(text); left.size > 0;) {
    size_t size = etr_utf8_size(left.data, left.size);
    bool plain = size > 0 && !etr_is_control(etr_utf8_code(left.data, size));
    if (!sink->write(sink->context, plain ? left.data : "?", plain ? size : 1))
      return false;
    left = (etr_slice){left.data + (size ? size : 1), left.size - (size ? size : 1)};
  }
  return true;
}

size_t etr_plain_width(const etr_writer *writer, const char *text) {
  size_t width = 0;
  for (size_t size; *text; text += size)
    width += character_width(writer, etr_character_at(text, &size));
  return width;
}

/* Returns the longest start of a text, in whole characters, that fits into `width` columns, and
 * sets *columns to the columns that it takes. */
static etr_slice head_within(const etr_writer *writer, const char *text, size_t width,
                             size_t *columns) {
  size_t end = 0;
  *columns = 0;
  for (size_t size; text[end]; end += size) {
    size_t character_columns = character_width(writer, etr_character_at(text + end, &size));
    if (*columns + character_columns > width)
      break;
    *columns += character_columns;
  }
  return (etr_slice){text, end};
}

size_t etr_put_cut(etr_writer *writer, const char *text, size_t width, etr_cut cut) {
  size_t whole = etr_plain_width(writer, text), head_width;
  if (width == 0)
    return 0;
  if (whole <= width) {
    etr_puts(writer, text);
    return whole;
  }
  size_t indent = cut == ETR_CUT_START ? strspn(text, " ")
                                       : 0; /* the indent of a list item is kept */
  if (indent > 0 && indent < width) {
    etr_put_blanks(writer, indent);
    return indent + etr_put_cut(writer, text + indent, width - indent, cut);
  }
  size_t mark = ETR_MIN(writer->ascii ? 3u : 1u, width); /* columns of "..." or "…" */
  size_t left = width - mark; /* columns for the head and the tail of the text */
  size_t tail_width = cut == ETR_CUT_START ? left : left / 2;
  etr_put(writer, head_within(writer, text, left - tail_width, &head_width));
  etr_put(writer, writer->ascii ? (etr_slice){"...", mark} : ETR_SLICE("\xE2\x80\xA6"));
  /* The tail is the longest end of the text that fits into tail_width. */
  const char *tail = text;
  for (size_t size, rest = whole; rest > tail_width; tail += size)
    rest -= character_width(writer, etr_character_at(tail, &size));
  tail_width = etr_plain_width(writer, tail);
  etr_puts(writer, tail);
  return head_width + mark + tail_width;
}

void etr_put_blanks(etr_writer *writer, size_t count) {
  while (count-- > 0)
    etr_puts(writer, " ");
}

/* The state of a line of wrapped text. */
typedef struct line {
  etr_writer *writer;
  etr_style style;
  size_t indent, room, used;
} line;

/* Ends a line of wrapped text and its style; does nothing if the line is still empty. */
static void end_wrapped_line(line *ending) {
  if (ending->used == 0)
    return;
  if (ending->style != ETR_STYLE_PLAIN)
    etr_put_style(ending->writer, ETR_STYLE_PLAIN);
  etr_puts(ending->writer, "\n");
  ending->used = 0;
}

/* Writes a character, on the next line if this one is full. Begins an empty line with its indent
 * and its style. A control character becomes "?". */
static void put_wrapped_character(line *l, const char *character, size_t size, uint32_t code) {
  size_t columns = etr_is_control(code) ? 1 : character_width(l->writer, code);
  if (l->used + columns > l->room)
    end_wrapped_line(l);
  if (l->used == 0)
    etr_put_blanks(l->writer, l->indent);
  if (l->used == 0 && l->style != ETR_STYLE_PLAIN)
    etr_put_style(l->writer, l->style);
  etr_put(l->writer, etr_is_control(code) ? ETR_SLICE("?") : (etr_slice){character, size});
  l->used += columns;
}

/* Returns true if a line may end here: at a blank, except the one between a number and its unit
 * ("0.2 ms"). */
static bool may_break_at(const char *text, const char *at) {
  return *at == ' ' && !(at > text && at[-1] >= '0' && at[-1] <= '9');
}

/* Returns the number of columns from `at` to the next position at which the line may end. */
static size_t word_columns(const etr_writer *writer, const char *text, const char *at) {
  size_t columns = 0;
  for (size_t size; *at && !may_break_at(text, at); at += size)
    columns += character_width(writer, etr_character_at(at, &size));
  return columns;
}

void etr_put_wrapped(etr_writer *writer, etr_style style, const char *text, size_t indent,
                     size_t width) {
  line l = {.writer = writer,
            .style = style,
            .indent = indent,
            .room = ETR_MAX(width, indent + 40) - indent};
  for (size_t size, i = 0; text[i]; i += size) {
    const char *at = text + i;
    uint32_t code = etr_character_at(at, &size);
    bool is_break = l.used > 0 && may_break_at(text, at);
    if (is_break && l.used + 1 + word_columns(writer, text, at + 1) > l.room)
      end_wrapped_line(&l);             /* in place of the blank */
    else if (code != ' ' || l.used > 0) /* no line begins with a blank */
      put_wrapped_character(&l, at, size, code);
  }
  end_wrapped_line(&l);
}
