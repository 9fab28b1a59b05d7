/* SPDX-License-Identifier: BSD-3-Clause
 *
 * profile_doc.h - declarations that the parts of the dashboard's document share. Layer 5.
 *
 * The document is compact: nodes and events are written column by column, and a text that may
 * repeat is an index into one list at the document's end. Functions write into the open document.
 */
#ifndef ETR_PROFILE_DOC_H
#define ETR_PROFILE_DOC_H

#include "etrecord_compare.h"
#include "etrecord_tb.h"
#include "output/table.h"
#include "trace/trace_place.h"
#include "views/findings.h"

/* ---- The document ---- */

/** Parts of the document. TensorBoard's event file has all of them in one. A report has the first
 * one, and each of the others that a method has as a section of its own, which the page reads when
 * it shows it. */
typedef enum etr_profile_part {
  ETR_PROFILE_SHOWN = 1 << 0,    /* what the page shows first */
  ETR_PROFILE_COMPARED = 1 << 1, /* what only etr_compare_documents() needs */
  ETR_PROFILE_TIMELINE = 1 << 2,
  ETR_PROFILE_GRAPHS = 1 << 3,
  ETR_PROFILE_MEMORY = 1 << 4,
  ETR_PROFILE_ACCURACY = 1 << 5,
  ETR_PROFILE_RUNS = 1 << 6,
  ETR_PROFILE_ALL = (1 << 7) - 1,
} etr_profile_part;

/** Writes the document of a profile. parts: etr_profile_part bits of what it contains. known: the
 * findings of one method, which then are not made again; NULL for none. Errors: ETR_ERROR_IO,
 * ETR_ERROR_MEMORY. */
etr_status etr_profile_write(const etr_profile *profile, unsigned parts,
                             const etr_method_findings *known, const etr_sink *sink,
                             etr_error *error);

/** Returns the key of a part that belongs to a method, "timeline"; NULL for others. */
const char *etr_profile_part_name(etr_profile_part part);

/** Returns true if a method has anything to write in a part that is an object of a method. */
bool etr_profile_has_part(const etr_profile *profile, const etr_method *method,
                          etr_profile_part part);

/** Writes one part of a method as a document of its own, without data for comparisons: {"timeline":
 * {...}, "texts": [...]}. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY. */
etr_status etr_profile_write_section(const etr_profile *profile, const etr_method *method,
                                     etr_profile_part part, const etr_sink *sink, etr_error *error);

/** A text by its address, and its index. */
typedef struct etr_recent_text {
  const char *text;
  uint32_t index;
} etr_recent_text;

/** The document that is being written. */
typedef struct etr_profile_doc {
  etr_fields fields;
  etr_arena arena;
  etr_map texts; /* text -> its index in list */
  etr_vec(const char *) list;
  etr_recent_text recent[64]; /* the texts that were written last, which are found without a hash */
  etr_text joined;            /* a text that is being made from parts */
  unsigned parts;             /* etr_profile_part bits */
  etr_side *side;             /* the data that a comparison needs; NULL in sections */
  etr_placer placer;
  const etr_method_findings *known; /* of one method; NULL for none */
} etr_profile_doc;

/** The operators of a method's graph, which are the rows of its columns. Zeroed: none. */
typedef struct etr_profile_operators {
  const etr_graph *graph;
  const uint32_t *nodes; /* per row: index of its node */
  size_t count;
  const uint32_t *row_of;          /* per node: its row; ETR_NONE if it is not an operator */
  const uint32_t *source_of;       /* per row: index of its source line; ETR_NONE */
  const etr_side_method *compared; /* data for comparisons; its items are the rows */
} etr_profile_operators;

/** Returns true if a method is shown. A name in the maps that has no graph and never ran is not. */
bool etr_profile_shows(const etr_method *method);

/** Writes the keys schema, time_unit, version and ticks_per_second, with which a document begins.
 */
void etr_profile_put_schema(const etr_fields *fields, const char *schema);

/** Writes an index; -1 for ETR_NONE. */
void etr_profile_put_index(etr_profile_doc *doc, uint32_t index);

/** Writes the index of a text that lives as long as the document; -1 for NULL. */
void etr_profile_put_text(etr_profile_doc *doc, const char *text);

/** Returns a time as the document has it: in nanoseconds, rounded to the picosecond. */
double etr_profile_ns(const etr_profile_doc *doc, double ticks);

/** Writes a time in the document's unit, nanoseconds. */
void etr_profile_put_ns(etr_profile_doc *doc, double ticks);

/** Writes an object under a key, or, with NULL, into the open one: the number of rows as `count`,
 * and a column for each field that is in one of the media (ETR_IN_DOCUMENT, ...). A column is an
 * array; if several rows all have the same value, it is that value alone; if no row has a value, it
 * is left out. Texts of ETR_CELL_WORD must live as long as the document, and texts of ETR_CELL_NAME
 * are copied; both are written as indices. ETR_CELL_ITEM is written as the text itself and must
 * live as long as the rows. Unknown counts and texts are -1, other unknown numbers null. */
void etr_profile_put_columns(etr_profile_doc *doc, const char *key, const etr_row_type *list,
                             unsigned media, etr_rows rows);

/** Returns the row of each node of a graph, ETR_NONE for nodes that are no operators, and the
 * number of rows. NULL when out of memory. */
const uint32_t *etr_profile_rows(size_t *count, etr_arena *arena, const etr_graph *graph);

/** Lists the operators of the method's graph; none if it has no graph. compared: its data for
 * comparisons, or NULL. Returns false when out of memory. */
bool etr_profile_list_operators(etr_profile_doc *doc, etr_profile_operators *out,
                                const etr_method *method, const etr_side_method *compared);

/** Writes how accurate the values of a method are, which were compared. Returns false when out of
 * memory. */
bool etr_profile_put_accuracy(etr_profile_doc *doc, const etr_method *method,
                              const etr_profile_operators *operators);

/** Writes the method's graph: modules, source lines, operators; null if it has none. Sets the rows'
 * source lines. Returns false when out of memory. */
bool etr_profile_put_graph(etr_profile_doc *doc, etr_profile_operators *operators);

/** Writes the modules of a graph under the key `modules`. */
void etr_profile_put_modules(etr_profile_doc *doc, const etr_graph *graph);

/** Writes the number of runs of each recording, and the step of each backend's clock, in
 * nanoseconds. */
void etr_profile_put_clocks(etr_profile_doc *doc, const etr_method *method,
                            const etr_side_method *compared);

/** Writes the data of a method that only a comparison needs: how times vary, sums, the identities
 * of operators or, without a graph, the events, and the figures of a table of records. timed: the
 * method of the profile. Returns false when out of memory. */
bool etr_profile_put_side(etr_profile_doc *doc, const etr_method *method,
                          const etr_side_method *compared);

/** Writes what a comparison needs of the whole record: its bytes, and the times of loads, in
 * nanoseconds. "offset" and "spread" are of the logarithms of the recordings' times, without a
 * unit. */
void etr_profile_put_record(etr_profile_doc *doc);

/* ---- The runs of a method that a document has event by event and operator by operator ---- */

/** The most events of one method that a document has, unless the run nearest to the typical one
 * alone has more. 200,000 events take about half a megabyte in a report. */
enum { ETR_PROFILE_MOST_EVENTS = 200000 };

/** Runs of a method. */
typedef struct etr_profile_runs {
  const uint32_t *run_indices; /* indices among its included runs, ascending */
  size_t count;
} etr_profile_runs;

/** Returns true if a run, an index among the method's included ones, is its first one after a load:
 * no excluded run, such as warm-up, was before it. */
bool etr_profile_is_first_run(const etr_profile *profile, const etr_method *method, size_t at);

/** Finds the run that is most like the typical one: its parts differ least from the typical parts,
 * in all, and of equal runs its time. First runs after a load count only if there are no others.
 * Returns false when out of memory. */
bool etr_profile_nearest_run(uint32_t *out, etr_arena *arena, const etr_profile *profile,
                             const etr_method *method);

/** Chooses the runs whose events are written: all of them, or as many as ETR_PROFILE_MOST_EVENTS
 * allows: the nearest, slowest, fastest and first one, then others that are evenly spaced. Returns
 * false when out of memory. */
bool etr_profile_choose_runs(etr_profile_runs *out, etr_arena *arena, const etr_profile *profile,
                             const etr_method *method);

/** Writes, of the runs that have their events in the timeline, the times of operators that these
 * events do not give, and the operators that make slow runs slow. Returns false when out of memory.
 */
bool etr_profile_put_runs(etr_profile_doc *doc, const etr_method *method,
                          const etr_profile_operators *operators);

/** Writes the events of the method's runs with their positions in the picture, as an object: of all
 * runs, or of those that etr_profile_choose_runs() chooses. Returns false when out of memory. */
bool etr_profile_put_timeline(etr_profile_doc *doc, const etr_method *method,
                              const etr_profile_operators *operators);

/** Writes the time of a method that is on no operator, by delegate, and what is known about its
 * delegates. facts: of each delegate, or NULL. Returns false when out of memory. */
bool etr_profile_put_delegates(etr_profile_doc *doc, const etr_method *method,
                               const etr_profile_operators *operators,
                               const etr_delegate_facts *facts);

/** Writes the memory that the program plans for a method, as an object. Returns false when out of
 * memory. */
bool etr_profile_put_memory(etr_profile_doc *doc, const etr_method *method,
                            const etr_profile_operators *operators);

/** Writes the graphs of a method as a list: what is drawn of each, and how they belong together.
 * Returns false when out of memory. */
bool etr_profile_put_graphs(etr_profile_doc *doc, const etr_method *method,
                            const etr_profile_operators *operators);

/* ---- The figures that a list of many records shows (schema/head.schema.json), so that it need not
 * read whole documents ---- */

/** What a record's files do not say. */
typedef struct etr_head_facts {
  const etr_tag *hparams; /* that the user gave; the last one of a name counts */
  size_t hparam_count;
  double recorded; /* when it was recorded, in seconds since 1970; 0: unknown */
  bool has_step;
  int64_t step; /* of a build */
} etr_head_facts;

/** Writes a short document about a record, the few figures that the dashboard's list of all records
 * shows: methods, their times, and facts about the recording, of which unknown ones are null.
 * Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY. */
etr_status etr_head_write(const etr_profile *profile, const etr_head_facts *facts,
                          const etr_sink *sink, etr_error *error);

#endif
