/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sums.h - times and what they are of, as every output has them: parts of the balance, operators, modules, backends,
 * source lines, events, runs, loads. Layer 5.
 */
#ifndef ETR_SUMS_H
#define ETR_SUMS_H

#include "tables/cost_fields.h"
#include "views/balance.h"
#include "views/module_tree.h"
#include "views/phases.h"

/** A time, per inference unless said otherwise, and what it is of. */
typedef struct etr_sum {
  const etr_profile *profile; /* set when it is written, like `answer` */
  etr_answer *answer;         /* of tables */
  const etr_method *method;   /* NULL: of none, as of loads */
  const char *section;        /* for programs: "node", "by_op", "load", ... */
  const char *key;            /* for programs; for people, too, where `text` is NULL and `by` does not say otherwise */
  const char *text;           /* for people */
  const char *note;           /* for programs */
  etr_breakdown_by by;        /* of a breakdown's row */
  const etr_source *source;   /* of ETR_BY_SOURCE; NULL: not recorded */
  double ticks;               /* the average */
  double p50;                 /* the median; NaN: that of `stats` */
  double part, whole;         /* the share of Method::execute is part / whole; NaN: none */
  double summed_p50;          /* of all rows of its list; 0: the sum has no share in it */
  double step;                /* of the coarsest clock that timed it; ticks */
  double estimated;           /* a part of `part` */
  double own;                 /* of a module: time of its own nodes that ranks; 0: people need not see it */
  size_t modules;             /* of a pattern */
  double median;              /* of a pattern's modules */
  const char *slowest;        /* of a pattern, and its ticks */
  double slowest_ticks;
  size_t nodes;                 /* 0: not known */
  int32_t instruction;          /* of an event; negative: none */
  const etr_stats *stats;       /* over runs; NULL: not known */
  const etr_cost_figures *cost; /* NULL: not of nodes */
  bool has_bar;                 /* people see the share as a bar */
  etr_style style;
} etr_sum;

/** The tables that have sums as rows, besides those of table.h: ETR_IN_TEXT and ETR_IN_PAGE have breakdowns,
 * ETR_IN_DATA source lines. */
enum {
  ETR_IN_ROWS = ETR_IN_OWN, /* a summary for programs: all sections under each other */
  ETR_IN_BALANCE = ETR_IN_OWN << 1,
  ETR_IN_BALANCE_PAGE = ETR_IN_OWN << 2,
  ETR_IN_EVENTS = ETR_IN_OWN << 3,
  ETR_IN_MODULES = ETR_IN_OWN << 4,
  ETR_IN_RUNS = ETR_IN_OWN << 5,
  ETR_IN_LOADS = ETR_IN_OWN << 6,
  ETR_IN_PATTERNS = ETR_IN_OWN << 7,      /* for people */
  ETR_IN_PATTERN_ROWS = ETR_IN_OWN << 8,  /* for programs */
  ETR_IN_LINE_PATTERNS = ETR_IN_OWN << 9, /* likewise: source lines by pattern */
};

/** A sum of ticks over all runs of a method. */
etr_sum etr_sum_make(const etr_method *method, uint64_t total_ticks);

/** The sum of a breakdown's row. */
etr_sum etr_sum_of(const etr_method *method, etr_breakdown_by by, const etr_breakdown *rows,
                   const etr_breakdown_row *row);

/** The time of a sum that ranks. */
double etr_sum_ranking(const etr_profile *profile, const etr_sum *sum);

/** Its share, as the document of a profile has it: of Method::execute, or of the summed medians; NaN: none. */
double etr_sum_share(const etr_profile *profile, const etr_sum *sum);

/** The time of a pattern's modules: with what is below them, or that of their own nodes. */
etr_sum etr_sum_of_pattern(const etr_method *method, const etr_pattern_row *row, bool is_own);

/** Writes what the sum is of (except of ETR_BY_MODULE), avg, share, estimated, count, p50 and p90 into an open JSON
 * object: see schema/summary.schema.json. */
void etr_sum_put(const etr_fields *fields, const etr_sum *sum);

/** Starts a table of sums. medium: an ETR_IN_ bit; title: of the first column, for people; NULL: none. */
void etr_sum_table_init(etr_table *table, etr_answer *answer, unsigned medium, const char *title);

/** A time that is the average of stats; NULL: it was taken once, and is its own median. */
etr_sum etr_sum_of_stats(double ticks, const etr_stats *stats);

/** Adds a copy of a sum. */
void etr_sum_table_add(etr_table *table, etr_sum sum);

/** Adds the rows of a breakdown. */
void etr_sum_table_add_all(etr_table *table, const etr_method *method, etr_breakdown_by by, const etr_breakdown *rows);

/** Adds parts of delegates' time. */
void etr_sum_table_add_parts(etr_table *table, const etr_method *method, const etr_delegate_parts *parts);

/** "where the time goes", and by which statistic, if another one ranks. Static. */
const char *etr_balance_title(const etr_profile *profile);

/** Adds the parts of a method's balance that people need to see. */
void etr_balance_add(etr_table *table, const etr_method *method);

#endif
