/* SPDX-License-Identifier: BSD-3-Clause
 *
 * writer.h - buffered text output into a sink. Layer 0.
 *
 * A writer remembers its first failure: later calls do nothing, and etr_writer_finish() reports it
 * at the end. Numbers look the same in every locale.
 */
#ifndef ETR_WRITER_H
#define ETR_WRITER_H

#include "base/arena.h"
#include "etrecord_file.h"

typedef struct etr_writer {
  etr_sink sink;
  etr_status status; /* status of the first failure */
  size_t used;       /* bytes used in the buffer */
  bool ascii, color; /* abilities of the reader, set by etr_writer_look() */
  char partial[5];   /* with `ascii`: the first bytes of a character that is not complete yet */
  size_t partial_size;
  char buffer[4096];
} etr_writer;

/** Starts writing. *sink is copied, its context borrowed until etr_writer_finish(). A writer owns
 * nothing. */
void etr_writer_init(etr_writer *writer, const etr_sink *sink);

/** Sets what the reader of a text can show. Styles are written only with `color`. With `ascii`,
 * characters that are not ASCII become similar ones, or '?'. */
void etr_writer_look(etr_writer *writer, bool ascii, bool color);

typedef enum etr_style {
  ETR_STYLE_PLAIN,
  ETR_STYLE_BOLD,
  ETR_STYLE_DIM,
  ETR_STYLE_WARM,
  ETR_STYLE_HOT
} etr_style;

/** Begins a style; ETR_STYLE_PLAIN ends it. Writes nothing if the reader shows no color. */
void etr_put_style(etr_writer *writer, etr_style style);

/** Flushes the buffer and returns the first failure: ETR_ERROR_IO if the sink refused anything,
 * ETR_ERROR_MEMORY. May be called more than once. */
etr_status etr_writer_finish(etr_writer *writer, etr_error *error);

/** Does what etr_writer_finish() does, and clears the arena that the output was made in. Also
 * returns ETR_ERROR_MEMORY if the arena has failed, because the output is incomplete then. */
etr_status etr_writer_finish_with(etr_writer *writer, etr_arena *arena, etr_error *error);

/** Writes bytes, or a text. */
void etr_put(etr_writer *writer, etr_slice bytes);
void etr_puts(etr_writer *writer, const char *text);

/** Writes one byte. Inline, because separators are half of all calls. */
static inline void etr_put_byte(etr_writer *writer, char byte) {
  if (writer->used < sizeof writer->buffer)
    writer->buffer[writer->used++] = byte;
  else
    etr_put(writer, (etr_slice){&byte, 1});
}

/** Writes like printf(), for integers and strings only: the decimal point of floating-point numbers
 * would depend on the locale. */
void etr_putf(etr_writer *writer, const char *format, ...) ETR_PRINTF(2, 3);

enum { ETR_UINT_ROOM = 20 }; /* digits of the largest number */

/** Writes a number's digits to ETR_UINT_ROOM bytes, without a NUL. Returns how many. */
size_t etr_format_uint(char *into, uint64_t value);

/** Writes a whole number, faster than etr_putf(). */
void etr_put_int(etr_writer *writer, int64_t value);
void etr_put_uint(etr_writer *writer, uint64_t value);

/** Writes the fewest digits that read back as the same double, in JSON's syntax. NaN and infinities
 * become null. */
void etr_put_double(etr_writer *writer, double value);

/** Writes `digits` significant digits (1 to 17) without trailing zeros: 1.5, -0.00123, 1e+30. NaN
 * and infinities become null. */
void etr_put_general(etr_writer *writer, double value, int digits);

/** Writes three significant digits, or all in front of the decimal point: 0.00123, 12.3, 4321. NaN
 * and infinities become null. */
void etr_put_significant(etr_writer *writer, double value);

/** Writes a count with three significant digits and a power of 1000 as k, M, G, T, P or E: 312,
 * 8.62 M, 1.2 G. NaN and infinities become null. */
void etr_put_amount(etr_writer *writer, double value);

/** Writes `decimals` decimals (at most 17), correctly rounded: 0.437. NaN and infinities become
 * null. */
void etr_put_fixed(etr_writer *writer, double value, int decimals);

enum { ETR_FIXED_ROOM = 360 }; /* sign, all digits of the largest double, decimal point, decimals */

/** Writes the text of etr_put_fixed() to ETR_FIXED_ROOM bytes, without a NUL. Returns the size in
 * bytes. */
size_t etr_format_fixed(char *into, double value, int decimals);

/** A text in an arena that is filled through a writer. */
typedef struct etr_text {
  etr_arena *arena;
  char *data;
  size_t size, capacity;
} etr_text;

/** Begins an empty text and a writer that fills it. */
void etr_text_begin(etr_text *text, etr_arena *arena, etr_writer *writer);

/** Appends bytes without a writer. Reset `size` to reuse the memory. Returns false when out of
 * memory; the arena has failed then. */
bool etr_text_add(etr_text *text, etr_slice bytes);

/** Appends to a text, as the function of a sink. `text` is an etr_text. */
bool etr_text_write(void *text, const void *data, size_t size);

/** Returns the text, NUL-terminated, in the arena. Returns NULL when out of memory; the arena has
 * failed then. */
char *etr_text_end(etr_text *text, etr_writer *writer);

#endif
