/* SPDX-License-Identifier: BSD-3-Clause
 *
 * document_parts.h - the parts of the dashboard's document that a comparison needs, as they stand there. Layer 3.
 *
 * The document names texts by their place in a list at its end. So its columns are read as they are; what they mean is
 * looked up at the end.
 */
#ifndef ETR_DOCUMENT_PARTS_H
#define ETR_DOCUMENT_PARTS_H

#include "compare/compare_side.h"
#include "formats/json.h"

/** Columns; NAN stands for null, "" likewise. They live until the reader's scratch is cleared; texts with the side. */
typedef etr_vec(double) etr_doc_numbers;
typedef etr_vec(const char *) etr_doc_strings;

/** Columns of operators, and of events. */
typedef enum etr_doc_column {
  ETR_DOC_NAME,
  ETR_DOC_OP,
  ETR_DOC_MODULE,
  ETR_DOC_SOURCE,
  ETR_DOC_SUBGRAPH,
  ETR_DOC_OUTPUTS,
  ETR_DOC_BACKEND,
  ETR_DOC_CALLS,
  ETR_DOC_RAN_IN,
  ETR_DOC_TOTAL,
  ETR_DOC_P50,
  ETR_DOC_DEVIATION,
  ETR_DOC_STEP,
  ETR_DOC_COLUMNS
} etr_doc_column;

/** How times vary: columns of items or sums. Documents of older versions have `deviation`, the median distance from the
 * median, instead. */
typedef struct etr_doc_variation {
  etr_doc_numbers low, high;
  etr_doc_numbers recordings, offset, spread; /* empty where there is one recording */
} etr_doc_variation;

/** Times of sums, in the order in which their first items stand. */
typedef struct etr_doc_sums {
  etr_doc_variation vary;
  etr_doc_numbers p50, deviation;
  etr_doc_numbers runs, total; /* of the parts of Method::execute only */
} etr_doc_sums;

/** A source line of a graph. */
typedef struct etr_doc_source {
  const char *function, *code;
} etr_doc_source;

/** A method as it stands in the document. */
typedef struct etr_doc_method {
  etr_method method;
  etr_doc_numbers execute_per_run;
  etr_doc_numbers recordings; /* how many runs each has; none in documents of older versions */
  etr_doc_variation vary;     /* of operators or events */
  bool has_graph, has_items, has_sums;
  etr_doc_strings names, modules; /* of operators; paths */
  etr_doc_numbers patterns;       /* of each module */
  etr_doc_numbers columns[ETR_DOC_COLUMNS];
  etr_doc_strings bodies; /* paths */
  etr_map body_of;        /* path of a subgraph -> place in bodies */
  etr_vec(etr_doc_source) sources;
  etr_doc_numbers producer_counts, producers; /* of each operator; of all */
  etr_doc_strings input_names, input_types;   /* of what it is called with */
  etr_doc_numbers weights;                    /* shapes */
  etr_doc_numbers operator_weights;           /* of each operator; empty in documents of earlier versions */
  const char *dtypes;                         /* NULL: missing */
  etr_doc_sums sums[ETR_SIDE_BY];
  etr_doc_sums parts;     /* in the order of etr_side_part; none in documents of older versions */
  etr_doc_strings clocks; /* backends */
  etr_doc_numbers steps;  /* of the clocks */
} etr_doc_method;

/** A load event; NAN where the document has null. */
typedef struct etr_doc_load {
  const char *name;
  double runs, total, p50, deviation, low, high; /* the times in nanoseconds */
  double recordings, offset, spread;
} etr_doc_load;

/** What was read, as it stands in the document: times in nanoseconds, texts as places in `texts`. */
typedef struct etr_doc_reader {
  etr_json *json;
  etr_side_box *box;
  etr_arena scratch;
  etr_profile *profile;
  etr_vec(etr_doc_method) methods;
  etr_vec(etr_doc_load) loads;
  etr_doc_strings texts;
  const char *problem; /* of what was read as JSON */
} etr_doc_reader;

/** Notes what is wrong, unless something was before. */
void etr_doc_fail(etr_doc_reader *reader, const char *problem);

/** Ticks of a time of the document; 0 of NaN, which stands for null. */
double etr_doc_ticks(const etr_doc_reader *reader, double ns);

/** The same as a whole number; 0 of what is none. */
uint64_t etr_doc_whole_ticks(const etr_doc_reader *reader, double ns);

/** A count of things; of what is none, 0 and a problem. */
size_t etr_doc_count(etr_doc_reader *reader, double number);

/** Reads the document. Failures are the JSON reader's, the arenas', and reader->problem. */
void etr_doc_read(etr_doc_reader *reader);

#endif
