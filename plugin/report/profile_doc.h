/* SPDX-License-Identifier: BSD-3-Clause
 *
 * profile_doc.h - what the parts of the dashboard's document share. Layer 5.
 *
 * The document is compact: nodes and events column by column, and a text that may repeat is an index into one list at the document's end.
 */
#ifndef ETR_PROFILE_DOC_H
#define ETR_PROFILE_DOC_H

#include "fields.h"

enum { ETR_PROFILE_RECENT = 64 }; /* texts; a power of two */

/** The document while it is written. */
typedef struct etr_profile_doc {
  etr_fields fields;
  etr_arena arena;
  etr_map texts; /* text -> its index in list */
  etr_vec(const char *) list;
  struct {
    const char *text;
    uint32_t index;
  } recent[ETR_PROFILE_RECENT]; /* by address: a column says the same few texts over and over */
  etr_text joined;              /* a text being put together */
} etr_profile_doc;

/** What the rows of a method's columns are: the operators of its graph. Zeroed: none. */
typedef struct etr_profile_operators {
  const etr_graph *graph;
  const uint32_t *nodes; /* of each row */
  size_t count;
  const uint32_t *row_of;    /* of each node; ETR_NONE of what is no operator */
  const uint32_t *source_of; /* of each row, its source line; ETR_NONE */
  double runs;               /* of the method */
} etr_profile_operators;

/** An index, -1 for ETR_NONE. */
void etr_profile_put_index(etr_profile_doc *doc, uint32_t index);

/** The index of a text, which must live as long as the document; -1 for NULL. */
void etr_profile_put_text(etr_profile_doc *doc, const char *text);

/** The index of a text that is copied if it is new; -1 for an empty one. */
void etr_profile_put_copy(etr_profile_doc *doc, etr_slice text);

/** A time in the document's unit, nanoseconds. */
void etr_profile_put_ns(etr_profile_doc *doc, double ticks);

/** The method's graph: modules, source lines, operators; null where there is none. Tells the rows. False when out of memory. */
bool etr_profile_put_graph(etr_profile_doc *doc, etr_profile_operators *out, const etr_method *method);

/** Every event of the method's median run; null where there is none. */
void etr_profile_put_timeline(etr_profile_doc *doc, const etr_method *method, const etr_profile_operators *operators);

#endif
