/* SPDX-License-Identifier: BSD-3-Clause
 *
 * record_set.h - records side by side: what each has and takes, and how it compares with the first.
 * Layer 4.
 *
 * Times are in ticks of the clock of etr_record_set.first. Numbers that are not known are NaN.
 */
#ifndef ETR_RECORD_SET_H
#define ETR_RECORD_SET_H

#include "base/arena.h"
#include "etrecord_tb.h"
#include "views/loads.h"

/** A method of a record. */
typedef struct etr_set_method {
  const char *name; /* "" if it is not known */
  double typical;   /* of Method::execute */
  etr_side_figures figures;
  double output_snr_db;     /* of the worst output; NaN also if all outputs are equal */
  bool are_outputs_equal;   /* outputs were compared, and nothing differs */
  size_t runs, recordings;  /* that count */
  const etr_change *change; /* against the first record; NULL: it is the first, or has no partner */
  etr_limit_answer limit;   /* of `change` */
  size_t verdict;           /* number of `change` in etr_record_set.verdicts, from 1 on */
} etr_set_method;

/** A record, or a problem in its place. */
typedef struct etr_set_record {
  const char *name, *path;
  const char *problem;        /* why it could not be read; NULL: it could */
  etr_comparison *comparison; /* with the first record; NULL: none was kept */
  etr_turns turns;            /* whether it and the first record were recorded in turns */
  uint64_t content;           /* see etr_record_source */
  double pte_bytes;           /* size of the program's file */
  double planned_bytes;       /* planned memory of all methods together */
  etr_vec(etr_set_method) methods;
} etr_set_record;

/** A row of --by: what the records have under one name. */
typedef struct etr_set_row {
  const char *method, *name;
  double most;             /* the largest of its times */
  etr_vec(double) typical; /* by record; NaN: it has no such row. Shorter if the last have none */
} etr_set_row;

enum { ETR_NAMED_RECORDS = 3 }; /* of a remark: the others are counted */

/** What is to be said about one record or several. */
typedef struct etr_set_remark {
  const char *kind; /* the text before figures and names were filled in; borrowed */
  const char *what;
  uint64_t group; /* remarks of other groups are not about the same, though the text is equal */
  const char *names[ETR_NAMED_RECORDS]; /* of the first records */
  const char *last;                     /* name of the last record */
  size_t count;                         /* of all records */
} etr_set_remark;

struct etr_record_set {
  etr_arena arena;
  etr_record_set_options options;
  const etr_profile *first;  /* the first record that could be read; NULL: none */
  bool clocks_differ;        /* some count cycles of a rate that is not known, others time */
  const etr_side *base;      /* of the first record; NULL: it could not be read */
  etr_vec(etr_side *) sides; /* those that stay open: of `first` and, of a set that keeps its
                                comparisons, of all records */
  etr_verdicts *verdicts;
  double recording_noise; /* the value that rule S used; 0: nothing was compared */
  etr_vec(etr_set_record) records;
  etr_vec(etr_set_row) rows;
  etr_map row_of; /* method and name -> index into rows */
  etr_vec(etr_set_remark) remarks;
  etr_vec(const char *) notes; /* what cannot be compared, as sentences made from the remarks */
};

/** Sets *out to the figures of a method of a profile, by its index: times in ticks of the profile,
 * shares from 0 to 1, NaN for what is not known. side: of the same profile. Returns false when out
 * of memory. */
bool etr_side_figures_of(etr_side_figures *out, etr_arena *scratch, const etr_profile *profile,
                         const etr_loads *loads, const etr_side *side, uint32_t method);

/** Returns the size of a profile's program in bytes; NaN if it is not known. */
double etr_pte_bytes(const etr_profile *profile);

/** Returns the time of a record in a row; NaN if it has none. */
double etr_set_row_time(const etr_set_row *row, size_t record);

#endif
