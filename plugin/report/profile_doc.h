/* SPDX-License-Identifier: BSD-3-Clause
 *
 * profile_doc.h - what the parts of the dashboard's document share. Layer 5.
 *
 * The document is compact: nodes and events are written column by column, and a text that may repeat is an index into
 * one list at the document's end. Functions write into the open document.
 */
#ifndef ETR_PROFILE_DOC_H
#define ETR_PROFILE_DOC_H

#include "etrecord_compare.h"
#include "etrecord_tb.h"
#include "output/table.h"
#include "trace/trace_place.h"

/* ---- What the parts of the dashboard's document share ---- */

/** A text by its address, and its index. */
typedef struct etr_recent_text {
  const char *text;
  uint32_t index;
} etr_recent_text;

/** The document while it is written. */
typedef struct etr_profile_doc {
  etr_fields fields;
  etr_arena arena;
  etr_map texts; /* text -> its index in list */
  etr_vec(const char *) list;
  etr_recent_text recent[64]; /* texts that were written last: finding them takes no hash */
  etr_text joined;            /* a text being put together */
  etr_side *side;             /* what a comparison needs */
  etr_placer placer;
} etr_profile_doc;

/** The operators of a method's graph: the rows of its columns. Zeroed: none. */
typedef struct etr_profile_operators {
  const etr_graph *graph;
  const uint32_t *nodes; /* of each row */
  size_t count;
  const uint32_t *row_of;          /* of each node; ETR_NONE of what is no operator */
  const uint32_t *source_of;       /* of each row, its source line; ETR_NONE */
  const etr_side_method *compared; /* its items are the rows */
} etr_profile_operators;

/** Whether there is anything to show: not of a name in the maps that neither has a graph nor ever ran. */
bool etr_profile_shows(const etr_method *method);

/** Writes an index; -1 for ETR_NONE. */
void etr_profile_put_index(etr_profile_doc *doc, uint32_t index);

/** Writes the index of a text that lives as long as the document; -1 for NULL. */
void etr_profile_put_text(etr_profile_doc *doc, const char *text);

/** Writes the index of a text, copied if it is new; -1 for an empty one. */
void etr_profile_put_copy(etr_profile_doc *doc, etr_slice text);

/** Writes a time in the document's unit, nanoseconds. */
void etr_profile_put_ns(etr_profile_doc *doc, double ticks);

/** Writes an object under a key, or, with NULL, into the open one: a column for each field that is in one of the media
 * (ETR_IN_DOCUMENT, ...). Of texts, ETR_CELL_WORD must live as long as the document and ETR_CELL_NAME is copied: both
 * are indexes; ETR_CELL_ITEM is the text itself. Unknown counts and texts are -1, other unknown numbers null. A field's
 * `put` writes the value of a row alone. */
void etr_profile_put_columns(etr_profile_doc *doc, const char *key, const etr_row_type *list, unsigned media,
                             etr_rows rows);

/** Writes the method's graph: modules, source lines, operators; null if it has none. *out is set to the rows. False
 * when out of memory. */
bool etr_profile_put_graph(etr_profile_doc *doc, etr_profile_operators *out, const etr_method *method,
                           const etr_side_method *compared);

/** Writes what only a comparison needs: recordings, clocks, how times vary, sums, and the events of a method without a
 * graph. */
void etr_profile_put_side(etr_profile_doc *doc, const etr_method *method, const etr_side_method *compared);

/** Writes the times of loads, for a comparison. */
void etr_profile_put_loads(etr_profile_doc *doc);

/** Writes every event of the method's median run and where it is drawn; null if it never ran. False when out of memory.
 */
bool etr_profile_put_timeline(etr_profile_doc *doc, const etr_method *method, const etr_profile_operators *operators);

/* ---- What a list of many records shows of each (schema/head.schema.json), so that nobody reads their whole documents
 * for it ---- */

/** Writes the document. hparams: what the user said of the record; the last of a name counts. Errors: ETR_ERROR_IO,
 * ETR_ERROR_MEMORY. */
etr_status etr_head_write(const etr_profile *profile, const etr_tag *hparams, size_t hparam_count, const etr_sink *sink,
                          etr_error *error);

#endif
