/* SPDX-License-Identifier: BSD-3-Clause
 *
 * writer.h - buffered text output into a sink. Layer 4.
 *
 * A writer remembers its first failure (sticky): later calls do nothing, and whoever wrote checks etr_writer_finish() once at the end. Numbers
 * look the same in every locale.
 */
#ifndef ETR_WRITER_H
#define ETR_WRITER_H

#include "arena.h"
#include "etrecord_tb.h"

typedef struct etr_writer {
  etr_sink sink;
  etr_status status; /* of the first failure */
  size_t used;       /* of buffer */
  bool ascii, color; /* what the reader can show: etr_writer_look() */
  uint32_t replaced; /* the character that is being replaced, as far as its bytes were handed over */
  unsigned missing;  /* how many of them are still to come */
  char buffer[4096];
} etr_writer;

/** *sink is copied; its context is borrowed until etr_writer_finish(). Nothing has to be freed. */
void etr_writer_init(etr_writer *writer, const etr_sink *sink);

/**
 * Says what the reader of a text can show: styles are written only with options->color, and with options->ascii other characters are replaced by
 * similar ones, or '?'. For ETR_TABLE_TEXT only; other formats are written as they are.
 */
void etr_writer_look(etr_writer *writer, const etr_table_options *options);

typedef enum etr_style { ETR_STYLE_PLAIN, ETR_STYLE_BOLD, ETR_STYLE_DIM, ETR_STYLE_WARM, ETR_STYLE_HOT } etr_style;

/** Starts a style; ETR_STYLE_PLAIN ends it. Nothing without colour. */
void etr_put_style(etr_writer *writer, etr_style style);

/** Hands over what is still buffered. ETR_ERROR_IO if the sink refused anything, ETR_ERROR_MEMORY. May be called more than once. */
etr_status etr_writer_finish(etr_writer *writer, etr_error *error);

/** The same for what was made in an arena of its own, which is cleared: ETR_ERROR_MEMORY too if the arena has failed, since then something is
 * missing. */
etr_status etr_writer_finish_with(etr_writer *writer, etr_arena *arena, etr_error *error);

void etr_put(etr_writer *writer, etr_slice bytes);
void etr_puts(etr_writer *writer, const char *text);

/** One byte: what stands between all the others, so it is no call where there is room. */
static inline void etr_put_byte(etr_writer *writer, char byte) {
  if (writer->used < sizeof writer->buffer)
    writer->buffer[writer->used++] = byte;
  else
    etr_put(writer, (etr_slice){&byte, 1});
}

/** printf for integers and strings; not for floating point, whose decimal point depends on the locale. */
void etr_putf(etr_writer *writer, const char *format, ...) ETR_PRINTF(2, 3);

enum { ETR_UINT_ROOM = 20 }; /* digits of the largest */

/** The digits of a number into memory with ETR_UINT_ROOM, without a NUL. Returns how many. */
size_t etr_format_uint(char *to, uint64_t value);

/** Whole numbers, faster than etr_putf(). */
void etr_put_int(etr_writer *writer, int64_t value);
void etr_put_uint(etr_writer *writer, uint64_t value);

/** As few digits as read back as the same double, in JSON's syntax; NaN and infinities, which JSON has not, become null. */
void etr_put_double(etr_writer *writer, double value);

/** So many significant digits (1 to 17), without superfluous zeros: 1.5, -0.00123, 1e+30. NaN and infinities become null. */
void etr_put_general(etr_writer *writer, double value, int digits);

/** So many decimals (at most 17), correctly rounded: 0.437. NaN and infinities become null. */
void etr_put_fixed(etr_writer *writer, double value, int decimals);

enum { ETR_FIXED_ROOM = 360 }; /* sign, all digits of the largest double, decimal point, decimals */

/** The same into memory with ETR_FIXED_ROOM, without a NUL. Returns its size. */
size_t etr_format_fixed(char *to, double value, int decimals);

/** Text collected in an arena. It is filled through a writer on its sink and read with etr_text_end(). */
typedef struct etr_text {
  etr_arena *arena;
  char *data;
  size_t size, capacity;
} etr_text;

/** Starts an empty text and a writer that fills it. */
void etr_text_begin(etr_text *text, etr_arena *arena, etr_writer *writer);

/** Appends bytes without a writer. `size` may be set back, to use the memory again. False when out of memory, and then the arena has failed, too. */
bool etr_text_add(etr_text *text, etr_slice bytes);

/** The text, NUL-terminated, in the arena. NULL when out of memory, and then the arena has failed, too. */
char *etr_text_end(etr_text *text, etr_writer *writer);

#endif
