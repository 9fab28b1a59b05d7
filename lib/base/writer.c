/* SPDX-License-Identifier: BSD-3-Clause
 *
 * writer.c - writes text into a sink through a buffer, and numbers independently of the locale.
 */
#include "base/writer.h"

#include "base/number.h"
#include "base/utf8.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
  MOST_DECIMALS = 17,
};

void etr_writer_init(etr_writer *writer, const etr_sink *sink) {
  writer->sink = *sink;
  writer->status = ETR_OK;
  writer->used = 0;
  writer->ascii = writer->color = false;
  writer->partial_size = 0;
}

void etr_writer_look(etr_writer *writer, bool ascii, bool color) {
  writer->ascii = ascii;
  writer->color = color;
}

void etr_put_style(etr_writer *writer, etr_style style) {
  static const char *const codes[] = {"\033[0m", "\033[1m", "\033[2m", "\033[33m", "\033[31m"};
  if (writer->color)
    etr_puts(writer, codes[style]);
}

/* Writes bytes to the sink, unless the writer has failed. If the sink refuses them, the writer
 * fails. */
static void send_to_sink(etr_writer *writer, const char *data, size_t size) {
  if (writer->status == ETR_OK && size > 0 && !writer->sink.write(writer->sink.context, data, size))
    writer->status = ETR_ERROR_IO;
}

/* Returns the ASCII text that replaces a character on a terminal that shows no Unicode; "?" if none
 * is similar. */
static const char *ascii_for(uint32_t code) {
  switch (code) {
  case 0xB7:
    return "-"; /* middle dot */
  case 0xD7:
    return "x"; /* times */
  case 0x2026:
    return "...";
  case 0x2588:
    return "#"; /* full block */
  default:
    return "?";
  }
}

/* Sends the ASCII replacement of the character in writer->partial, which may be incomplete, and
 * empties it. */
static void send_ascii_for_partial(etr_writer *writer) {
  size_t size;
  writer->partial[writer->partial_size] = '\0';
  const char *similar = ascii_for(etr_character_at(writer->partial, &size));
  send_to_sink(writer, similar, strlen(similar));
  writer->partial_size = 0;
}

/* Sends a text to the sink with ASCII in place of other characters. A character may be split across
 * two calls: its first bytes wait in writer->partial. */
static void send_as_ascii(etr_writer *writer, const char *data, size_t size) {
  for (size_t i = 0, end; i < size; i = end) {
    if (writer->partial_size > 0 && !etr_utf8_continues(data[i]))
      send_ascii_for_partial(writer); /* its end is missing */
    for (end = i; end < size && (unsigned char)data[end] < 0x80;)
      end++;
    send_to_sink(writer, data + i, end - i);
    if (end > i)
      continue;
    writer->partial[writer->partial_size++] = data[end++];
    if (writer->partial_size == 4 || etr_utf8_size(writer->partial, writer->partial_size) > 0)
      send_ascii_for_partial(writer);
  }
}

static void send(etr_writer *writer, const char *data, size_t size) {
  (writer->ascii ? send_as_ascii : send_to_sink)(writer, data, size);
}

static void flush_buffer(etr_writer *writer) {
  send(writer, writer->buffer, writer->used);
  writer->used = 0;
}

etr_status etr_writer_finish(etr_writer *writer, etr_error *error) {
  flush_buffer(writer);
  if (writer->status == ETR_OK)
    return ETR_OK;
  const char *reason = writer->status == ETR_ERROR_MEMORY ? "out of memory"
                                                          : "the output could not be written";
  return etr_fail(error, writer->status, NULL, NULL, ETR_NO_OFFSET, "%s", reason);
}

etr_status etr_writer_finish_with(etr_writer *writer, etr_arena *arena, etr_error *error) {
  if (etr_arena_failed(arena))
    writer->status = ETR_ERROR_MEMORY;
  etr_arena_clear(arena);
  return etr_writer_finish(writer, error);
}

/* Bytes that are more than the buffer holds go directly to the sink. */
void etr_put(etr_writer *writer, etr_slice bytes) {
  if (bytes.size > sizeof writer->buffer - writer->used)
    flush_buffer(writer);
  if (bytes.size > sizeof writer->buffer) {
    send(writer, bytes.data, bytes.size);
  } else if (bytes.size > 0) {
    memcpy(writer->buffer + writer->used, bytes.data, bytes.size);
    writer->used += bytes.size;
  }
}

void etr_puts(etr_writer *writer, const char *text) {
  etr_put(writer, etr_slice_of(text));
}

/* Writes a formatted text of `length` bytes, which does not fit into the rest of the buffer. Fails
 * the writer when out of memory. */
static void write_long_formatted(etr_writer *writer, size_t length, const char *format,
                                 va_list arguments) {
  char *text = malloc(length + 1);
  if (text == NULL) {
    writer->status = writer->status == ETR_OK ? ETR_ERROR_MEMORY : writer->status;
    return;
  }
  (void)vsnprintf(text, length + 1, format, arguments);
  etr_put(writer, (etr_slice){text, length});
  free(text);
}

/* Formats directly into the buffer if the text fits there. */
void etr_putf(etr_writer *writer, const char *format, ...) {
  va_list arguments, arguments_again;
  va_start(arguments, format);
  va_copy(arguments_again, arguments);
  size_t room = sizeof writer->buffer - writer->used;
  int length = vsnprintf(writer->buffer + writer->used, room, format, arguments);
  if (length >= 0 && (size_t)length < room) {
    writer->used += (size_t)length;
  } else if (length >= 0) {
    write_long_formatted(writer, (size_t)length, format, arguments_again);
  }
  va_end(arguments_again);
  va_end(arguments);
}

/* Writes the digits of a number so that they end at `end`, two at a time. Returns where they begin.
 */
static char *write_digits_before(char *end, uint64_t number) {
  static const char pairs[] =
      "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
      "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
      "8081828384858687888990919293949596979899";
  for (; number >= 100; number /= 100) {
    end -= 2;
    memcpy(end, pairs + number % 100 * 2, 2);
  }
  if (number >= 10)
    return memcpy(end - 2, pairs + number * 2, 2);
  *--end = (char)('0' + number);
  return end;
}

size_t etr_format_uint(char *into, uint64_t value) {
  size_t size = 1;
  for (uint64_t limit = 10; size < ETR_UINT_ROOM && value >= limit; limit *= 10)
    size++;
  (void)write_digits_before(into + size, value);
  return size;
}

/* Writes a whole number in decimal. Small ones are so common that they have a shorter way. */
void etr_put_uint(etr_writer *writer, uint64_t value) {
  if (value < 10) {
    etr_put_byte(writer, (char)('0' + value));
    return;
  }
  if (sizeof writer->buffer - writer->used < ETR_UINT_ROOM)
    flush_buffer(writer);
  writer->used += etr_format_uint(writer->buffer + writer->used, value);
}

void etr_put_int(etr_writer *writer, int64_t value) {
  if (value < 0)
    etr_put_byte(writer, '-');
  etr_put_uint(writer, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* Writes a number that is a whole number divided by `power` = 10^decimals, without zeros at its
 * end. Division rounds correctly, so that the digits read back as the same number. Returns false,
 * and writes nothing, for other numbers. */
static bool write_decimal_fraction(etr_writer *writer, double value, double power, int decimals) {
  double scaled = round(value * power);
  if (scaled / power != value)
    return false;
  uint64_t digits = (uint64_t)scaled;
  char text[32], *end = text + sizeof text, *start = end;
  for (int i = 0; i < decimals; i++, digits /= 10)
    *--start = (char)('0' + digits % 10);
  *--start = '.';
  while (end[-1] == '0')
    end--;
  if (end[-1] == '.')
    end--;
  start = write_digits_before(start, digits);
  etr_put(writer, (etr_slice){start, (size_t)(end - start)});
  return true;
}

/* Writes a number that is whole, or has up to three decimals, or below a million up to nine,
 * because it was rounded, as most have: faster than etr_number_of_double(), and the same text.
 * Returns false, and writes nothing, for other numbers, among them those below 1e-4, which have an
 * exponent. */
static bool write_short_double(etr_writer *writer, double value) {
  if (signbit(value) || !(value < 1e12))
    return false;
  if ((double)(int64_t)value == value) {
    etr_put_uint(writer, (uint64_t)value);
    return true;
  }
  if (write_decimal_fraction(writer, value, 1e3, 3))
    return true;
  return value >= 1e-4 && value < 1e6 && write_decimal_fraction(writer, value, 1e9, 9);
}

void etr_put_double(etr_writer *writer, double value) {
  if (!isfinite(value)) {
    etr_puts(writer, "null");
    return;
  }
  if (write_short_double(writer, value))
    return;
  char text[ETR_DOUBLE_ROOM];
  etr_put(writer, (etr_slice){text, etr_number_of_double(text, value)});
}

void etr_put_general(etr_writer *writer, double value, int digits) {
  char text[ETR_DOUBLE_ROOM];
  if (!isfinite(value)) {
    etr_puts(writer, "null");
    return;
  }
  (void)snprintf(text, sizeof text, "%.*g", ETR_MIN(ETR_MAX(digits, 1), DBL_DECIMAL_DIG), value);
  etr_put(writer, (etr_slice){text, etr_number_without_locale(text)});
}

/* Limits such as 9.995 are where rounding to three digits makes one digit more before the point. */
void etr_put_significant(etr_writer *writer, double value) {
  int decimals = 2;
  double rest = fabs(value);
  for (; rest >= 9.995 && decimals > 0; rest /= 10)
    decimals--;
  for (; rest > 0 && rest < 0.9995 && decimals < DBL_DECIMAL_DIG; rest *= 10)
    decimals++;
  etr_put_fixed(writer, value, value == 0 ? 0 : decimals);
}

/* From 999.5 on, rounding would make four digits. */
void etr_put_amount(etr_writer *writer, double value) {
  static const char *const units[] = {"", " k", " M", " G", " T", " P", " E"};
  size_t unit = 0;
  for (; fabs(value) >= 999.5 && unit + 1 < ETR_COUNT(units); unit++)
    value /= 1000;
  if (unit == 0)
    etr_put_fixed(writer, value, 0);
  else
    etr_put_significant(writer, value);
  etr_puts(writer, units[unit]);
}

/* Formats a number of usual size with `decimals` decimals, a dozen times as fast as printf().
 * Returns the size in bytes; 0 if it cannot: the number is negative or too large, or so close to
 * the middle of two results that a product of doubles does not decide how it is rounded. */
static size_t format_small_fixed(char *into, double value, int decimals) {
  static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
  if (decimals < 0 || (size_t)decimals >= ETR_COUNT(powers) || value < 0 || signbit(value) ||
      value * powers[decimals] > 1e12)
    return 0;
  double scaled = value * powers[decimals];
  double whole = floor(scaled);
  if (fabs(scaled - whole - 0.5) < 1e-3)
    return 0;
  uint64_t digits = (uint64_t)whole + (scaled - whole > 0.5);
  char text[32];
  size_t start = sizeof text;
  for (int i = 0; i < decimals; i++, digits /= 10)
    text[--start] = (char)('0' + digits % 10);
  if (decimals > 0)
    text[--start] = '.';
  start = (size_t)(write_digits_before(text + start, digits) - text);
  memcpy(into, text + start, sizeof text - start);
  return sizeof text - start;
}

size_t etr_format_fixed(char *into, double value, int decimals) {
  if (!isfinite(value)) {
    memcpy(into, "null", 4);
    return 4;
  }
  size_t size = format_small_fixed(into, value, decimals);
  if (size > 0)
    return size;
  (void)snprintf(into, ETR_FIXED_ROOM, "%.*f", ETR_MIN(ETR_MAX(decimals, 0), MOST_DECIMALS), value);
  return etr_number_without_locale(into);
}

void etr_put_fixed(etr_writer *writer, double value, int decimals) {
  char text[ETR_FIXED_ROOM];
  etr_put(writer, (etr_slice){text, etr_format_fixed(text, value, decimals)});
}

bool etr_text_add(etr_text *text, etr_slice bytes) {
  while (bytes.size > text->capacity - text->size)
    if (!etr_vec_grow(text->arena, (void **)&text->data, &text->capacity, 1))
      return false;
  if (bytes.size > 0)
    memcpy(text->data + text->size, bytes.data, bytes.size);
  text->size += bytes.size;
  return true;
}

bool etr_text_write(void *context, const void *data, size_t size) {
  return etr_text_add(context, (etr_slice){data, size});
}

void etr_text_begin(etr_text *text, etr_arena *arena, etr_writer *writer) {
  *text = (etr_text){.arena = arena};
  etr_writer_init(writer, &(etr_sink){etr_text_write, text});
}

char *etr_text_end(etr_text *text, etr_writer *writer) {
  etr_put(writer, (etr_slice){"", 1});
  return etr_writer_finish(writer, NULL) == ETR_OK ? text->data : NULL;
}
