/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file etrecord_arrow.h
 * Tables for programs that keep data in columns: pyarrow, pandas, polars, DuckDB and others that
 * read Arrow.
 *
 * The three structs are the interface that Apache Arrow specifies for handing data over inside one
 * process ("The Arrow C data interface", "The Arrow C stream interface"). They are the same in
 * every library, so the include guards have the names that the specification gives. No Arrow
 * library is needed to fill or to read them.
 */
#ifndef ETRECORD_ARROW_H
#define ETRECORD_ARROW_H

#include "etrecord_tb.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

/** The type of the values of an array. */
struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data;
};

/** The values of an array. */
struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};
#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

/** A sequence of arrays of one type. */
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
  int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
  const char *(*get_last_error)(struct ArrowArrayStream *);
  void (*release)(struct ArrowArrayStream *);
  void *private_data;
};
#endif

/** The answers of which there is a table. */
typedef enum etr_answer_kind {
  ETR_ANSWER_EVENTS,
  ETR_ANSWER_NODES,
  ETR_ANSWER_SUMMARY,
  ETR_ANSWER_SOURCE,
  ETR_ANSWER_DELEGATION,
  ETR_ANSWER_MEMORY,
} etr_answer_kind;

/**
 * Gives the table of an answer as a stream, with the rows and columns that the command of that name
 * writes as JSON Lines. Otherwise it works like etr_stream_events().
 */
ETR_API etr_status etr_stream_table(etr_answer_kind kind, const etr_profile *profile,
                                    const etr_node_filter *filter, const etr_table_options *options,
                                    struct ArrowArrayStream *out, etr_error *error);

/** Gives the changes of a comparison as a stream, with the rows and columns of
 * etr_emit_diff_tables(). Otherwise it works like etr_stream_events(). */
ETR_API etr_status etr_stream_diff(const etr_comparison *comparison, const etr_diff_filter *filter,
                                   const etr_table_options *options, struct ArrowArrayStream *out,
                                   etr_error *error);

/**
 * Gives the events as a stream with the rows and columns that etr_emit_events_table() writes as
 * JSON Lines. Columns are typed: text is UTF-8, counts are int64, all other numbers float64, and
 * unknown values null. Times are in options->unit. options->format is ignored; filter and options
 * may be NULL.
 *
 * All data are copied: the stream may outlive the profile, and its arrays and schemas may outlive
 * each other. On success the caller owns *out and releases it by out->release(out); on failure it
 * is already released. Errors: those of etr_emit_events_table() except ETR_ERROR_IO.
 */
ETR_API etr_status etr_stream_events(const etr_profile *profile, const etr_node_filter *filter,
                                     const etr_table_options *options, struct ArrowArrayStream *out,
                                     etr_error *error);

/** Gives the operators as a stream, with the rows and columns of etr_emit_nodes_table(). Otherwise
 * it works like etr_stream_events(). */
ETR_API etr_status etr_stream_nodes(const etr_profile *profile, const etr_node_filter *filter,
                                    const etr_table_options *options, struct ArrowArrayStream *out,
                                    etr_error *error);

#ifdef __cplusplus
}
#endif

#endif
