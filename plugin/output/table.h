/* SPDX-License-Identifier: BSD-3-Clause
 *
 * table.h - tables whose columns are described once. Layer 4.
 *
 * A field describes one column: its names, its kind, the outputs that have it, and where its value is found in a row.
 * A table writes one list of fields as text, Markdown, CSV, TSV and JSON Lines; etr_field_put_all() writes it as an
 * object of a JSON document. Columns come in the order of the list. A field may have parts: lists of fields whose rows
 * are found from the row, so that one list describes a section of a document with all that is in it.
 *
 *   static const etr_field fields[] = {
 *       {"event_name", "event", ETR_CELL_NAME, ETR_IN_ALL, ETR_VIA(event_row, event, etr_event, name)},
 *       {"p50", "p50", ETR_CELL_TIME, ETR_IN_ALL, ETR_VIA(event_row, event, etr_event, stats.p50), .has = is_timed},
 *       {NULL, "node", ETR_CELL_NAME, ETR_IN_TABLES, .get = node},
 *   };
 */
#ifndef ETR_TABLE_H
#define ETR_TABLE_H

#include "output/answer.h"
#include "output/arrow.h"
#include "output/ranking.h"
#include "output/text_table.h"

#include <math.h>
#include <stddef.h>

typedef enum etr_cell_kind {
  ETR_CELL_NAME,   /* text that may be cut to fit the line */
  ETR_CELL_ITEM,   /* the same, indented below its title in text */
  ETR_CELL_WORD,   /* short text, never cut */
  ETR_CELL_FLAG,   /* true or false; 1 or 0 in the dashboard's document */
  ETR_CELL_UNIT,   /* the unit of times; has no value of its own */
  ETR_CELL_COUNT,  /* a whole number; this and the following kinds are numbers, aligned right */
  ETR_CELL_AMOUNT, /* a whole number that may be large: "8.62 M" for people */
  ETR_CELL_BYTES,  /* a whole number, "9,936,896" for people */
  ETR_CELL_TIME,   /* ticks, in the unit asked for: for people, all of a table with the decimals of the longest; for
                      programs, with 9 decimals */
  ETR_CELL_SHARE,  /* a part of a whole: "12.3 %" for people, coloured by heat; 0.123 for programs */
  ETR_CELL_NUMBER,
  ETR_CELL_RATE,   /* three significant digits for people, all for programs */
  ETR_CELL_OBJECT, /* in JSON documents: an object of the first of `rows`; null if there is none */
  ETR_CELL_LIST,   /* in JSON documents: an array with an object for each of `rows` */
  ETR_CELL_VALUES, /* in JSON documents: an array with the first of `parts` of each of `rows` */
} etr_cell_kind;

/** The value of a field in a row. Zeroed: an empty text. */
typedef struct etr_cell {
  const char *text; /* replaces the number, if there is one; NULL: none */
  double number;    /* NaN: not known */
  double whole;     /* of ETR_CELL_SHARE: number is a part of it; 0: not known */
  double step;      /* of ETR_CELL_TIME: what its clock cannot tell from nothing, for people "<0.001"; ticks */
  const char *unit; /* of ETR_CELL_TIME that is no time, and ETR_CELL_UNIT: "cycles"; NULL: the usual one. For people
                       it stands behind ETR_CELL_RATE, too */
  int decimals;     /* of ETR_CELL_NUMBER */
  int digits;       /* of ETR_CELL_NUMBER: significant digits instead of decimals; ETR_ALL_DIGITS: as many as needed to
                       read back the same number */
  etr_style style;  /* plain: shares are coloured by heat */
  bool is_cold;     /* of ETR_CELL_SHARE: it is not */
  bool is_signed;   /* of ETR_CELL_TIME: "+" is written before what is above 0 */
} etr_cell;

enum { ETR_ALL_DIGITS = -1 };

static inline etr_cell etr_cell_text(const char *text) { return (etr_cell){.text = text, .number = NAN}; }
static inline etr_cell etr_cell_number(double number) { return (etr_cell){.number = number}; }
static inline etr_cell etr_cell_share(double part, double whole) { return (etr_cell){.number = part, .whole = whole}; }
/** How often something ran per inference: what `calls` means in every table. */
static inline etr_cell etr_cell_calls(uint64_t calls, size_t runs) {
  return (etr_cell){.number = (double)calls / (double)runs, .decimals = calls % runs ? 2 : 0};
}
/** An unknown number, or no text. */
static inline etr_cell etr_cell_none(void) { return (etr_cell){.number = NAN}; }

/* ---- Members of rows ---- */

typedef enum etr_member_type {
  ETR_MEMBER_NONE,
  ETR_MEMBER_TEXT,
  ETR_MEMBER_REAL,
  ETR_MEMBER_SIGNED,   /* negative: not known */
  ETR_MEMBER_UNSIGNED, /* ETR_NONE in 32 bits: not known */
} etr_member_type;

/** Where a row keeps a value. Zeroed: nowhere. */
typedef struct etr_member {
  etr_member_type type;
  size_t size, offset;
  size_t pointer; /* offset of a pointer in the row to what holds the member; ETR_IN_ROW: the row itself does */
} etr_member;

#define ETR_IN_ROW SIZE_MAX

#define ETR_MEMBER_OF(type, name, pointer)                                                                             \
  .member = {_Generic(((type *)0)->name,                                                                               \
             char *: ETR_MEMBER_TEXT,                                                                                  \
             const char *: ETR_MEMBER_TEXT,                                                                            \
             double: ETR_MEMBER_REAL,                                                                                  \
             int32_t: ETR_MEMBER_SIGNED,                                                                               \
             int64_t: ETR_MEMBER_SIGNED,                                                                               \
             default: ETR_MEMBER_UNSIGNED),                                                                            \
             sizeof((type *)0)->name, offsetof(type, name), pointer}

/** Initializes a field's `member`: a text or number of the row. */
#define ETR_AT(row, name) ETR_MEMBER_OF(row, name, ETR_IN_ROW)

/** The same of the `type` that a pointer in the row leads to; a NULL pointer has no value. */
#define ETR_VIA(row, pointer, type, name) ETR_MEMBER_OF(type, name, offsetof(row, pointer))

/** Where a row keeps an array. Zeroed: nowhere. */
typedef struct etr_array {
  size_t size;  /* of an element */
  size_t first; /* offset of the pointer to the first one */
  size_t count; /* offset of how many there are, a size_t */
  size_t pointer;
} etr_array;

/** Initializes the `array` of a field: a pointer in the row, and how many elements are behind it. */
#define ETR_ARRAY_OF(type, name, counted, pointer)                                                                     \
  .array = {sizeof *((type *)0)->name, offsetof(type, name), offsetof(type, counted), pointer}
#define ETR_ARRAY_AT(row, name, counted) ETR_ARRAY_OF(row, name, counted, ETR_IN_ROW)
#define ETR_ARRAY_VIA(row, pointer, type, name, counted) ETR_ARRAY_OF(type, name, counted, offsetof(row, pointer))

/* ---- Fields ---- */

/** The outputs that have a field. */
enum {
  ETR_IN_TEXT = 1 << 0,
  ETR_IN_MARKDOWN = 1 << 1,
  ETR_IN_DATA = 1 << 2,     /* tables for programs: CSV, TSV, JSON Lines */
  ETR_IN_JSON = 1 << 3,     /* JSON documents */
  ETR_IN_PAGE = 1 << 4,     /* TensorBoard's pages, in Markdown */
  ETR_IN_DOCUMENT = 1 << 5, /* the dashboard's document, column by column */
  ETR_IN_OWN = 1 << 8,      /* this and higher bits: further tables of the same rows */
  ETR_IN_FULL = ETR_IN_MARKDOWN | ETR_IN_DATA,
  ETR_IN_TABLES = ETR_IN_TEXT | ETR_IN_FULL,
  ETR_IN_ALL = ETR_IN_TABLES | ETR_IN_JSON,
};

typedef struct etr_row_type etr_row_type;

/** Rows of one type, one behind the other. */
typedef struct etr_rows {
  const void *first;
  size_t count, size;
} etr_rows;

#define ETR_ROWS(array, count) ((etr_rows){(array), (count), sizeof *(array)})

typedef struct etr_field {
  const char *key;   /* for programs, in all formats; NULL: the title with '_' for blanks */
  const char *title; /* for people; --columns takes both */
  etr_cell_kind kind;
  unsigned in; /* ETR_IN_ bits */
  etr_member member;
  etr_cell (*get)(const void *row);                       /* instead of `member` */
  bool (*has)(const void *row);                           /* false: the row has no value; NULL: every row has one */
  void (*put)(const etr_fields *fields, const void *row); /* writes keys and values into JSON documents instead */
  etr_rows (*rows)(const void *row);                      /* of ETR_CELL_OBJECT, ETR_CELL_LIST and ETR_CELL_VALUES */
  etr_array array;                                        /* instead of `rows` */
  const etr_row_type *parts;                              /* of the same: what these rows have */
  double (*step)(const void *row);                        /* of a time: as in etr_cell; NULL: 0 */
  const char *(*own_unit)(const void *row);               /* likewise; NULL: none */
  int digits;                                             /* of a number in `member`: as in etr_cell */
  bool blank_is_null;                                     /* JSON documents have null for "" */
  bool (*tells)(const void *context);  /* false: tables for people leave the column out; NULL: they never do */
  const char *says;                    /* what the value is, for schemas and their documentation */
  const char *type;                    /* of texts and of `put`: what schemas call it; NULL: by `kind` */
  bool nullable;                       /* also without `has` there may be no value */
  bool optional;                       /* `put` may write nothing */
  const char *heading;                 /* title in text unless --columns names the column; NULL: the same */
  const char *p50_title, *p50_heading; /* the same of tables that rank by p50; NULL: the same */
  bool p50_only;                       /* other tables do not have it */
  unsigned unit_in;                    /* ETR_IN_ bits: where the title names the unit, "avg ms" */
  unsigned spare;                      /* narrow text leaves out columns with 1 first, then 2, ...; 0: never. See
                                          etr_text_table_may_leave_out() */
} etr_field;

/** All that is known of one kind of rows. */
struct etr_row_type {
  const char *name; /* in schemas and their documentation; NULL: it is for people only */
  const etr_field *first;
  size_t count;
};

/** Fields without a name, of a function that writes them itself. */
#define ETR_FIELDS(array) (&(const etr_row_type){NULL, array, ETR_COUNT(array)})

/** Defines one of the lists below. */
#define ETR_ROW_TYPE(name, array) const etr_row_type etr_##name##_fields = {#name, array, ETR_COUNT(array)}

/** The value of a field in a row. */
etr_cell etr_field_cell(const etr_field *field, const void *row);

/** The text and the number of a cell: all that some documents have of it. */
typedef struct etr_plain_cell {
  const char *text;
  double number;
} etr_plain_cell;

/** The same, without what only tables show: cheaper, for documents with many cells. */
etr_plain_cell etr_field_plain_cell(const etr_field *field, const void *row);

typedef enum etr_scalar_type {
  ETR_SCALAR_NULL,
  ETR_SCALAR_TEXT,
  ETR_SCALAR_FLAG,
  ETR_SCALAR_WHOLE,
  ETR_SCALAR_REAL
} etr_scalar_type;

/** What programs get for a cell. */
typedef struct etr_scalar {
  etr_scalar_type type;
  const char *text;
  int64_t whole; /* a flag's, too */
  double real;
} etr_scalar;

/** The typed value of a field in a row, times in the unit. */
etr_scalar etr_field_scalar(const etr_profile *profile, etr_unit unit, const etr_field *field, const void *row);

/** Writes one into a JSON document. */
void etr_put_scalar(etr_jw *json, etr_scalar value);

/** Writes the fields in ETR_IN_JSON of a row into an open JSON object. */
void etr_field_put_all(const etr_fields *fields, const etr_row_type *list, const void *row);

/** Writes those that are in one of the media instead. What is inside their parts is in ETR_IN_JSON. */
void etr_field_put_medium(const etr_fields *fields, const etr_row_type *list, unsigned media, const void *row);

/** Fields of ETR_CELL_VALUES: numbers of 32 and 64 bits, texts. */
extern const etr_row_type etr_values_u32, etr_values_i32, etr_values_u64, etr_values_text;

/** Writes a key and an array with an object for each row. */
void etr_field_put_rows(const etr_fields *fields, const char *key, const etr_row_type *list, etr_rows rows);

/* ---- Lists ---- */

/** The lists that programs read the rows of, each defined where its rows are: tools/fields writes them as JSON, from
 * which schemas, the Python package and the documentation are generated. */
/* clang-format off */
#define ETR_ROW_TYPES(X) \
  X(node) X(event) X(logged_value) X(sum) X(source_line) X(operator_delegation) X(delegate) X(tensor) X(constant) \
  X(boundary) X(buffer) X(constant_sum) X(weight_sum) X(blob) X(blob_sum) X(allocation) X(change) X(node_change) \
  X(group_change) X(difference) X(gap) X(entry_point) X(method) X(method_delegate) X(module_cost) X(run) X(warning) \
  X(logged_count) X(test_set) X(external_weight) X(info_value) X(flaw) X(balance) X(side_event) X(side_sum) \
  X(side_item) X(side_part) X(timeline_event) X(lane) \
  X(statistics) X(noise) X(effective_peaks) X(numeric_gap)
/* clang-format on */

#define ETR_DECLARE_ROW_TYPE(name) extern const etr_row_type etr_##name##_fields;
ETR_ROW_TYPES(ETR_DECLARE_ROW_TYPE)
#undef ETR_DECLARE_ROW_TYPE

/* ---- Sheets ---- */

/** A row that may be shown. */
typedef struct etr_table_row {
  const void *row;
  const char *key; /* sorts first */
  double weight;   /* sorts second, largest first */
  size_t place;    /* sorts third: the order of adding */
} etr_table_row;

typedef struct etr_table {
  etr_answer *answer;
  const etr_row_type *fields; /* borrowed */
  const char *title;          /* of the first column shown, in place of its own; NULL: its own */
  const void *context;        /* of `tells`; borrowed */
  unsigned medium;            /* an ETR_IN_ bit; may be changed before the first row is written */
  bool exact;                 /* values as programs need them; may be changed likewise */
  size_t top;                 /* rows shown at most; 0: all. options.top unless changed */
  size_t others;              /* rows that are not shown, besides those that were added: nobody made them */
  const etr_field **chosen;   /* by --columns; NULL: the fields of the medium */
  size_t chosen_count;
  const etr_field **columns; /* of the table being written; NULL: none */
  etr_text_table laid_out;   /* the same as text or CSV */
  const etr_tag *origin;     /* columns before all others in JSON Lines and Arrow, the same in every row */
  size_t origin_count;
  int time_digits;             /* significant digits of the longest time, for people: ETR_TIME_DIGITS unless changed */
  int time_decimals;           /* of all times of the table being written, for people */
  etr_arrow *arrow;            /* takes the rows instead of the output; NULL: the output does */
  etr_vec(etr_table_row) rows; /* those that etr_table_fill() will write */
} etr_table;

/** Starts a table of an answer, whose options choose the medium. */
void etr_table_init(etr_table *table, etr_answer *answer, const etr_row_type *fields);

/** Takes the columns that options.columns names, if any, instead of the usual ones. An unknown name refuses the answer:
 * see etr_answer_refuse(). */
void etr_table_choose(etr_table *table);

/** The same of a table of which some columns stay: so many of the medium's first stand before the chosen ones, so many
 * of its last behind them. */
void etr_table_choose_between(etr_table *table, size_t first, size_t last);

/** Has the rows taken as columns, all of them, instead of written; NULL: no change. */
void etr_table_take_arrow(etr_table *table, etr_arrow *arrow);

/** Takes the record's name, its ETDump's and options.tags as the first columns of JSON Lines and Arrow. */
void etr_table_say_origin(etr_table *table);

/** Adds a row, borrowed until etr_table_fill(). key may be "". */
void etr_table_add(etr_table *table, const void *row, const char *key, double weight);

/** Adds rows in their order. */
void etr_table_add_rows(etr_table *table, etr_rows rows);

/** Sorts the rows added since etr_table_fill(). */
void etr_table_sort(etr_table *table);

/** How many of them are shown. */
size_t etr_table_shown(const etr_table *table);

/** Writes those that are shown into the table, or as JSON Lines, and forgets all rows. Returns how many were not shown.
 */
size_t etr_table_fill(etr_table *table);

/** Ends the table and writes it; the next one may have other columns. Nothing of JSON Lines. */
void etr_table_write(etr_table *table);

/** etr_table_fill() and etr_table_write(); then text and Markdown say how many rows are not shown. */
void etr_table_finish(etr_table *table);

/** True if people read it as text. */
static inline bool etr_table_is_text(const etr_table *table) { return table->medium == ETR_IN_TEXT; }

#endif
