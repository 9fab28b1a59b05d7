/* SPDX-License-Identifier: BSD-3-Clause
 *
 * table.h - tables whose columns are described once. Layer 4.
 *
 * A field describes one column: its names, its kind, the outputs that have it, and where its value
 * is in a row. A table writes one list of fields as text, Markdown, CSV, TSV and JSON Lines;
 * etr_field_put_members() writes the list as an object of a JSON document. Columns have the order
 * of the list. A field may have parts: lists of fields whose rows belong to the row, so that one
 * list describes a whole section of a document.
 *
 *   static const etr_field fields[] = {
 *       {"event_name", "event", ETR_CELL_NAME, ETR_IN_ALL, ETR_VIA(event_row, event, etr_event,
 * name)},
 *       {"p50", "p50", ETR_CELL_TIME, ETR_IN_ALL, ETR_VIA(event_row, event, etr_event, stats.p50),
 * .has = is_timed}, {NULL, "node", ETR_CELL_NAME, ETR_IN_TABLES, .get = node},
 *   };
 */
#ifndef ETR_TABLE_H
#define ETR_TABLE_H

#include "output/answer.h"
#include "output/ranking.h"
#include "output/text_table.h"

#include <math.h>
#include <stddef.h>

typedef enum etr_cell_kind {
  ETR_CELL_NAME,   /* text that may be cut to fit the line */
  ETR_CELL_ITEM,   /* a name that text indents below its title */
  ETR_CELL_WORD,   /* short text, never cut */
  ETR_CELL_FLAG,   /* true or false; 1 or 0 in the dashboard's document */
  ETR_CELL_UNIT,   /* the unit of times; has no value of its own */
  ETR_CELL_COUNT,  /* a whole number; this and the following kinds are numbers, aligned right */
  ETR_CELL_AMOUNT, /* a whole number that may be large: "8.62 M" for people */
  ETR_CELL_BYTES,  /* a whole number, "9,936,896" for people */
  ETR_CELL_TIME,   /* ticks, in the unit asked for: for people, all of a table with the decimals of
                      the longest; for   programs, with 9 decimals */
  ETR_CELL_SHARE,  /* a part of a whole: "12.3 %" for people, colored by heat; 0.123 for programs */
  ETR_CELL_NUMBER,
  ETR_CELL_RATE,   /* three significant digits for people, all for programs */
  ETR_CELL_STEP,   /* in the dashboard's document: a whole number, written as the distance from that
                      of the row before   that has one, or from 0; null: none */
  ETR_CELL_OBJECT, /* in JSON documents: an object of the first of `rows`; null if there is none */
  ETR_CELL_LIST,   /* in JSON documents: an array with an object for each of `rows` */
  ETR_CELL_VALUES, /* in JSON documents: an array with the first of `parts` of each of `rows` */
} etr_cell_kind;

/** The value of a field in a row. Zeroed: an empty text. */
typedef struct etr_cell {
  const char *text; /* replaces the number; NULL: there is no text */
  double number;    /* NaN: unknown */
  double whole;     /* of ETR_CELL_SHARE: what number is a part of; 0: unknown */
  double step;      /* of ETR_CELL_TIME: step of its clock, in ticks; people see shorter times as
                       "<0.001" */
  const char *unit; /* "cycles" of an ETR_CELL_TIME that is not a time, and of its ETR_CELL_UNIT;
                       NULL: the usual unit. For people it also follows an ETR_CELL_RATE */
  int decimals;     /* of ETR_CELL_NUMBER */
  int digits; /* of ETR_CELL_NUMBER: significant digits instead of decimals; ETR_ALL_DIGITS: as many
                 as are needed to read back the same number */
  etr_style style; /* plain: shares are colored by heat */
  bool is_cold;    /* of ETR_CELL_SHARE: it is not colored by heat */
  bool is_signed;  /* of ETR_CELL_TIME: times above 0 get a "+" */
  double apart; /* of ETR_CELL_TIME: the time whose digits it has, but no finer than the column's,
                   because it is no part of the column's sum, as that of a load; 0: the column's
                 */
} etr_cell;

enum { ETR_ALL_DIGITS = -1 };

static inline etr_cell etr_cell_text(const char *text) {
  return (etr_cell){.text = text, .number = NAN};
}
static inline etr_cell etr_cell_number(double number) {
  return (etr_cell){.number = number};
}
static inline etr_cell etr_cell_share(double part, double whole) {
  return (etr_cell){.number = part, .whole = whole};
}
/** Returns how often something ran per inference, which is what `calls` means in every table. */
static inline etr_cell etr_cell_calls(uint64_t calls, size_t runs) {
  return (etr_cell){.number = (double)calls / (double)runs, .decimals = calls % runs ? 2 : 0};
}
/** Returns the cell of an unknown number or of a missing text. */
static inline etr_cell etr_cell_none(void) {
  return (etr_cell){.number = NAN};
}

/* ---- Members of rows ---- */

typedef enum etr_member_type {
  ETR_MEMBER_NONE,
  ETR_MEMBER_TEXT,
  ETR_MEMBER_REAL,
  ETR_MEMBER_SIGNED,   /* negative: unknown */
  ETR_MEMBER_UNSIGNED, /* ETR_NONE in 32 bits: unknown */
} etr_member_type;

/** The location of a value in a row. Zeroed: none. */
typedef struct etr_member {
  etr_member_type type;
  size_t size, offset;
  size_t pointer; /* offset in the row of a pointer to the struct with the member; ETR_IN_ROW: the
                     row has it itself */
} etr_member;

#define ETR_IN_ROW SIZE_MAX

#define ETR_MEMBER_OF(type, name, pointer)                                                         \
  .member = {_Generic(((type *)0)->name,                                                           \
                 char *: ETR_MEMBER_TEXT,                                                          \
                 const char *: ETR_MEMBER_TEXT,                                                    \
                 double: ETR_MEMBER_REAL,                                                          \
                 int32_t: ETR_MEMBER_SIGNED,                                                       \
                 int64_t: ETR_MEMBER_SIGNED,                                                       \
                 default: ETR_MEMBER_UNSIGNED),                                                    \
             sizeof((type *)0)->name, offsetof(type, name), pointer}

/** Initializes a field's `member`: a text or number of the row. */
#define ETR_AT(row, name) ETR_MEMBER_OF(row, name, ETR_IN_ROW)

/** Initializes a field's `member`: a text or number of the `type` that a pointer in the row leads
 * to. There is no value if the pointer is NULL. */
#define ETR_VIA(row, pointer, type, name) ETR_MEMBER_OF(type, name, offsetof(row, pointer))

/** The location of an array in a row. Zeroed: none. */
typedef struct etr_array {
  size_t size;    /* bytes of an element */
  size_t first;   /* offset of the pointer to the first element */
  size_t count;   /* offset of the number of elements, a size_t */
  size_t pointer; /* as in etr_member */
} etr_array;

/** Initializes a field's `array` by the pointer to the first element and the member with the number
 * of elements. */
#define ETR_ARRAY_OF(type, name, counted, pointer)                                                 \
  .array = {sizeof *((type *)0)->name, offsetof(type, name), offsetof(type, counted), pointer}
#define ETR_ARRAY_AT(row, name, counted) ETR_ARRAY_OF(row, name, counted, ETR_IN_ROW)
#define ETR_ARRAY_VIA(row, pointer, type, name, counted)                                           \
  ETR_ARRAY_OF(type, name, counted, offsetof(row, pointer))

/* ---- Fields ---- */

/** The outputs that have a field. */
enum {
  ETR_IN_TEXT = 1 << 0,
  ETR_IN_MARKDOWN = 1 << 1,
  ETR_IN_DATA = 1 << 2,     /* tables for programs: CSV, TSV, JSON Lines */
  ETR_IN_JSON = 1 << 3,     /* JSON documents */
  ETR_IN_DOCUMENT = 1 << 5, /* the dashboard's document, column by column */
  ETR_IN_OWN = 1 << 8,      /* this bit and higher ones: further tables of the same rows */
  ETR_IN_FULL = ETR_IN_MARKDOWN | ETR_IN_DATA,
  ETR_IN_TABLES = ETR_IN_TEXT | ETR_IN_FULL,
  ETR_IN_ALL = ETR_IN_TABLES | ETR_IN_JSON,
};

typedef struct etr_row_type etr_row_type;

/** An array of rows of one type. */
typedef struct etr_rows {
  const void *first;
  size_t count, size;
} etr_rows;

/** Returns the rows of an array. NULL has none: memory ran out. */
static inline etr_rows etr_rows_of(const void *first, size_t count, size_t size) {
  return (etr_rows){first, first ? count : 0, size};
}

#define ETR_ROWS(array, count) etr_rows_of((array), (count), sizeof *(array))

/** Initializes a field's `says`. Only the generator of schemas reads these texts, so that a small
 * build goes without. */
#ifdef ETR_WITHOUT_TEXTS_OF_FIELDS
#define ETR_SAYS(text) NULL
#else
#define ETR_SAYS(text) text
#endif

typedef struct etr_field {
  const char *key;   /* name for programs, in all formats; NULL: the title with '_' for blanks */
  const char *title; /* name for people; --columns takes both names */
  etr_cell_kind kind;
  unsigned in; /* ETR_IN_ bits */
  etr_member member;
  etr_cell (*get)(const void *row); /* returns the value; replaces `member` */
  bool (*has)(const void *row);     /* false: the row has no value; NULL: every row has one */
  void (*put)(const etr_fields *fields,
              const void *row);      /* writes keys and values of JSON documents; replaces `get` */
  etr_rows (*rows)(const void *row); /* of ETR_CELL_OBJECT, ETR_CELL_LIST and ETR_CELL_VALUES */
  etr_array array;                   /* replaces `rows` */
  const etr_row_type *parts;         /* fields of the rows of `rows` or `array` */
  double (*step)(const void *row);   /* etr_cell.step of a time; NULL: 0 */
  const char *(*own_unit)(const void *row); /* etr_cell.unit of a time; NULL: none */
  int digits;                               /* etr_cell.digits of a number in `member` */
  bool blank_is_null;                       /* JSON documents have null for "" */
  bool (*is_shown)(const void *context);    /* false: tables for people hide the column; NULL: they
                                            always    show it */
  bool hides_zeros;    /* text has the column only if a row has a text or a number
                          other than 0 */
  const char *says;    /* what the value is, for schemas and their documentation */
  const char *type;    /* type in schemas, of texts and of `put`; NULL: chosen by `kind` */
  bool nullable;       /* the value may be missing even without `has` */
  bool optional;       /* `put` may write nothing */
  const char *heading; /* title in text unless --columns names the column; NULL: `title` */
  unsigned stats;      /* bits 1u << etr_statistic: tables for people have the column only if one of
                          these ranks; 0: always. Tables for programs have all statistics */
  unsigned unit_in;    /* ETR_IN_ bits of outputs whose title names the unit, "avg ms" */
  unsigned spare;      /* narrow text hides columns with 1 first, then 2, ...; 0: never */
} etr_field;

/** The fields of one kind of rows. */
struct etr_row_type {
  const char
      *name; /* name in schemas and their documentation; NULL: the rows are only for people */
  const etr_field *first;
  size_t count;
};

/** A row type without a name, for a function that writes its own fields. */
#define ETR_FIELDS(array) (&(const etr_row_type){NULL, array, ETR_COUNT(array)})

/** Defines one of the row types declared below. */
#define ETR_ROW_TYPE(name, array)                                                                  \
  const etr_row_type etr_##name##_fields = {#name, array, ETR_COUNT(array)}

/** Returns the value of a field in a row: text, or number with times in ticks. A cell without
 * either is unknown. */
etr_cell etr_field_cell(const etr_field *field, const void *row);

/** The text and the number of a cell, without the members that only tables show. */
typedef struct etr_plain_cell {
  const char *text;
  double number;
} etr_plain_cell;

/** Returns text and number of a field in a row. It is cheaper than etr_field_cell(), for documents
 * with many cells. */
etr_plain_cell etr_field_plain_cell(const etr_field *field, const void *row);

typedef enum etr_scalar_type {
  ETR_SCALAR_NULL,
  ETR_SCALAR_TEXT,
  ETR_SCALAR_FLAG,
  ETR_SCALAR_WHOLE,
  ETR_SCALAR_HUGE, /* a whole number that fits into 64 bits only without a sign */
  ETR_SCALAR_REAL
} etr_scalar_type;

/** The typed value that programs get for a cell. */
typedef struct etr_scalar {
  etr_scalar_type type;
  union {
    const char *text;
    int64_t whole; /* also the value of a flag, 0 or 1 */
    uint64_t huge;
    double real;
  };
} etr_scalar;

/** Returns a number as a typed value; NaN is null. */
static inline etr_scalar etr_scalar_of_number(double number) {
  return (etr_scalar){isnan(number) ? ETR_SCALAR_NULL : ETR_SCALAR_REAL, .real = number};
}

/** Returns the typed value of a field in a row for programs: null for what is unknown, times in the
 * unit, shares from 0 to 1. Integers above INT64_MAX are ETR_SCALAR_HUGE. The kinds before
 * ETR_CELL_UNIT are texts. */
etr_scalar etr_field_scalar(const etr_profile *profile, etr_unit unit, const etr_field *field,
                            const void *row);

/** Writes a typed value into a JSON document. */
void etr_put_scalar(etr_jw *json, etr_scalar value);

/** Writes the fields in ETR_IN_JSON of a row into an open JSON object. */
void etr_field_put_members(const etr_fields *fields, const etr_row_type *list, const void *row);

/** Writes the fields of a row that are in one of the media into an open JSON object. Inside their
 * parts, fields in ETR_IN_JSON are written. */
void etr_field_put_members_in(const etr_fields *fields, const etr_row_type *list, unsigned media,
                              const void *row);

/** The `parts` of fields of ETR_CELL_VALUES: numbers of 32 and 64 bits, and texts. */
extern const etr_row_type etr_values_u32, etr_values_u64, etr_values_text;

/** Writes a key and an array with an object for each row. */
void etr_field_put_rows(const etr_fields *fields, const char *key, const etr_row_type *list,
                        etr_rows rows);

/** Writes a key and an object of the fields in ETR_IN_JSON of a row, or null if `row` is NULL. */
void etr_field_put_row_or_null(const etr_fields *fields, const char *key, const etr_row_type *list,
                               const void *row);

/* ---- Lists ---- */

/** The row types that programs read. Each is defined next to its rows. tools/fields writes them as
 * JSON, from which schemas, the Python package and the documentation are generated. */
/* clang-format off */
#define ETR_ROW_TYPES(X) \
  X(node) X(event) X(logged_value) X(sum) X(source_line) X(operator_delegation) X(delegate) \
  X(delegate_module) \
  X(delegate_op) X(tensor) X(constant) \
  X(boundary) X(buffer) X(constant_sum) X(weight_sum) X(blob) X(blob_sum) X(allocation) \
  X(change) X(node_change) \
  X(group_change) X(difference) X(gap) X(entry_point) X(method) X(method_delegate) \
  X(module_cost) X(unknown_cost) \
  X(run) X(warning) \
  X(file_part) X(content_size) X(module_size) X(delegate_size) X(delegate_call) X(content_change) \
  X(structure_change) X(part_change) \
  X(logged_count) X(test_set) X(boundary_tensor) \
  X(constant_method) X(external_weight) X(info_value) X(flaw) X(balance) X(side_event) X(side_sum) \
  X(side_item) X(side_figures) \
  X(timeline_event) X(timeline_run) X(lane) X(slow_run) X(graph_node) X(graph_type) \
  X(graph_subgraph) X(module) X(document_tensor) X(balance_box) X(delegate_place) \
  X(statistics) X(noise) X(effective_peaks) X(numeric_gap) X(value_accuracy) \
  X(accuracy_measures) X(accuracy_group) \
  X(document_accuracy) X(tap_statistic) X(accuracy_tap) X(method_sum) X(method_part) \
  X(layer_kind) X(finding) \
  X(balance_change) X(throughput) X(throughput_change) X(first_token) X(cache_growth) \
  X(position_time) \
  X(kv_cache) X(cache_buffer) X(compared_record) X(compared_method)
/* clang-format on */

#define ETR_DECLARE_ROW_TYPE(name) extern const etr_row_type etr_##name##_fields;
ETR_ROW_TYPES(ETR_DECLARE_ROW_TYPE)
#undef ETR_DECLARE_ROW_TYPE

/* ---- Tables ---- */

/** A row that may be shown. */
typedef struct etr_table_row {
  const void *row;
  const char *key; /* sorts first */
  double weight;   /* sorts second, largest first */
  size_t sequence; /* sorts third; the number of the row in the order of adding */
} etr_table_row;

typedef struct etr_table {
  etr_answer *answer;
  const etr_row_type *fields; /* borrowed */
  const char *title;          /* title of the first column shown; NULL: its own */
  const void *context;        /* argument of etr_field.is_shown; borrowed */
  unsigned medium;            /* an ETR_IN_ bit; may be changed before the first row is written */
  bool exact; /* values are written for programs; may be changed before the first row is written */
  size_t top; /* most rows that are shown; 0: all. Initially options.top */
  size_t others;            /* rows that are not shown and were never added */
  const etr_field **chosen; /* fields chosen by --columns; NULL: the fields of the medium */
  size_t chosen_count;
  const etr_field *
      *columns;            /* columns of the table being written; NULL: no table is being written */
  etr_slice *keys;         /* of the columns, if rows are lines of JSON: `"node":` */
  etr_text_table laid_out; /* the cells, if the output is text, Markdown, CSV or TSV */
  size_t column_count;     /* of `columns` */
  const etr_tag
      *origin; /* first columns of tables for programs, with the same value in every row */
  size_t origin_count;
  bool wants_origin; /* --columns names `record` or `run` */
  int time_digits; /* significant digits of the longest time, for people; initially ETR_TIME_DIGITS
                    */
  int time_decimals;           /* decimals of all times of the table being written, for people */
  bool each_has_digits;        /* for people: each time has time_digits of its own, but none below a
                                  tenth of its clock's step; time_decimals does not count */
  bool is_to_publish;          /* Markdown, too, has only the columns that tell something: it is
                                  pasted into a README or a paper, and no program reads it */
  etr_vec(etr_table_row) rows; /* rows that etr_table_lay_out_rows() will write */
} etr_table;

/** Begins a table of an answer. The options of the answer choose the medium. */
void etr_table_init(etr_table *table, etr_answer *answer, const etr_row_type *fields);

/** Uses the columns that options.columns names, separated by commas, if any, instead of the usual
 * ones. In a comparison a name may stand for two columns, "base NAME" and "new NAME". Tables for
 * programs also take `record` and `run`, for etr_table_add_origin_columns(). Refuses the answer if
 * a name is unknown: see etr_answer_refuse(). */
void etr_table_choose_columns(etr_table *table);

/** Uses the columns that options.columns names, but keeps the first `first` columns of the medium
 * before them and its last `last` columns after them. */
void etr_table_choose_columns_between(etr_table *table, size_t first, size_t last);

/** Makes the names of the record and of its ETDump and options.tags the first columns of tables for
 * programs, so that tables of many ETDumps can be stacked. Does nothing for tables for people. CSV
 * and TSV with chosen columns get them only if `record` or `run` is chosen, there are tags, or the
 * table is stacked. Call it after etr_table_choose_columns(). */
void etr_table_add_origin_columns(etr_table *table);

/** Adds a row, borrowed until etr_table_lay_out_rows(). etr_table_sort() sorts rows by key (may be
 * ""), then by weight, the largest first. When out of memory, the arena has failed. */
void etr_table_add_row(etr_table *table, const void *row, const char *key, double weight);

/** Adds rows in their order. */
void etr_table_add_rows(etr_table *table, etr_rows rows);

/** Sorts the rows added since etr_table_lay_out_rows(). */
void etr_table_sort(etr_table *table);

/** Returns how many of the rows added since etr_table_lay_out_rows() are shown. */
size_t etr_table_shown_count(const etr_table *table);

/** Lays out the rows that are shown, for etr_table_write(), or writes them at once as JSON Lines or
 * into Arrow's columns. The first call of a table also chooses its columns. Forgets all rows.
 * Returns the number of rows that are not shown. */
size_t etr_table_lay_out_rows(etr_table *table);

/** Writes the rows that were laid out and ends the table, also one without rows, and the next table
 * may have other columns. Writes nothing for JSON Lines, whose rows were written when they were
 * laid out. */
void etr_table_write(etr_table *table);

/** Calls etr_table_lay_out_rows() and etr_table_write(). Text and Markdown then say how many rows
 * are not shown. */
void etr_table_finish(etr_table *table);

/** Returns true if the table is text for people. */
static inline bool etr_table_is_text(const etr_table *table) {
  return table->medium == ETR_IN_TEXT;
}

#endif
