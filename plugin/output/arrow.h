/* SPDX-License-Identifier: BSD-3-Clause
 *
 * arrow.h - builds a table of typed columns and hands it over through Arrow's C stream interface.
 * Layer 4.
 *
 * The columns live in one block of memory that the stream, its arrays and its schemas own together:
 * a consumer may release them in any order, and from any thread. Format: the Arrow specification,
 * "The Arrow C data interface" and "The Arrow C stream interface".
 */
#ifndef ETR_ARROW_H
#define ETR_ARROW_H

#include "base/arena.h"
#include "etrecord_arrow.h"
#include "etrecord_tb.h"

typedef enum etr_arrow_type {
  ETR_ARROW_TEXT,  /* UTF-8 */
  ETR_ARROW_FLAG,  /* bool */
  ETR_ARROW_WHOLE, /* int64 */
  ETR_ARROW_REAL,  /* float64 */
} etr_arrow_type;

/** A value of a column, or a null if the value is unknown. */
typedef struct etr_arrow_value {
  bool is_null;
  const char *text;
  int64_t whole; /* also the value of a flag, 0 or 1 */
  double real;
} etr_arrow_value;

typedef struct etr_arrow etr_arrow;

/** Returns an empty table, or NULL when out of memory. */
etr_arrow *etr_arrow_new(void);

/** Frees a table that was not handed over. NULL is allowed. */
void etr_arrow_free(etr_arrow *table);

/** Adds a column. All columns are added before the first row. `name` is copied. When out of memory,
 * the arena of the table has failed. */
void etr_arrow_add_column(etr_arrow *table, const char *name, etr_arrow_type type);

/** Adds the next value of the current row. A row has one value for each column, in the order of the
 * columns. Failures are reported by etr_arrow_hand_over(). */
void etr_arrow_add_value(etr_arrow *table, etr_arrow_value value);

/** Returns a sink that stands for the table: an answer that gets it adds the rows of its tables to
 * `table` and writes nothing. Text that is written into the sink is dropped. */
etr_sink etr_arrow_sink(etr_arrow *table);

/** Returns the table that a sink stands for; NULL for any other sink. */
etr_arrow *etr_arrow_of(const etr_sink *sink);

/** Hands the table over as a stream of one batch, or of none if the table has no rows. The stream
 * owns the table then. Error: ETR_ERROR_MEMORY, also if memory ran out in an earlier call, or if a
 * column has more than 2 GiB of text; the table is then freed and *out is released. */
etr_status etr_arrow_hand_over(etr_arrow *table, struct ArrowArrayStream *out, etr_error *error);

#endif
