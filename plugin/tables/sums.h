/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sums.h - sums of time in every output: parts of the balance, operators, modules, backends, source
 * lines, events, runs, loads. Layer 5.
 */
#ifndef ETR_SUMS_H
#define ETR_SUMS_H

#include "output/ranking.h"
#include "tables/cost_fields.h"
#include "views/kernels.h"
#include "views/phases.h"
#include "views/summary.h"

/** A sum of time and what it was summed over. Times are ticks per inference, unless something else
 * is stated. */
typedef struct etr_sum {
  const etr_profile *profile; /* set when the sum is written, like `answer` */
  etr_answer *answer;         /* only in tables */
  const etr_method *method;   /* NULL if it belongs to no method, as loads do */
  const char *key;  /* the operator, module, ...; also for people if `text` is NULL and `by` has no
                       other text for them */
  const char *text; /* for people */
  const char *module_type;  /* of a module or pattern; "" if it is not known */
  etr_breakdown_by by;      /* only for a row of a breakdown */
  const etr_source *source; /* only for ETR_BY_SOURCE; NULL if it was not recorded */
  etr_times times;          /* times.p50 NaN stands for the median of `stats` */
  etr_times whole;  /* what `times` are a share of: Method::execute and, for medians, the sum of the
                       medians of all rows of its list; NaN if medians are not added up */
  double step;      /* step of the coarsest clock that timed it, in ticks */
  double estimated; /* the part of times.avg that is estimated */
  double own; /* for a module: time of its own nodes, by the statistic that ranks; 0 if people need
                 not see it */
  uint32_t level;     /* for a module or pattern: 0 is the top level */
  etr_times total;    /* for a module or pattern: with everything below; NaN if it is not known */
  double total_share; /* the same, of `whole` */
  size_t total_nodes;
  const etr_cost_figures *total_cost;
  size_t modules;      /* for a pattern: number of its modules */
  double median;       /* for a pattern: median of its modules */
  const char *slowest; /* for a pattern: its slowest module */
  double slowest_ticks;
  size_t nodes;                 /* 0 if not known */
  const char *backend;          /* for a kernel; NULL outside delegates */
  int32_t instruction;          /* for an event: its instruction; negative if it has none */
  const etr_stats *stats;       /* statistics over the runs; NULL if not known */
  const etr_cost_figures *cost; /* NULL unless it is a sum of nodes */
  bool is_part;                 /* of a balance: people see a bar for the share */
} etr_sum;

/** Tables of sums, besides those of table.h: there, ETR_IN_TEXT is breakdowns. A table for programs
 * is ETR_IN_DATA together with one of the bits that have the columns of its keys. */
enum {
  ETR_IN_BALANCE = ETR_IN_OWN,
  ETR_IN_EVENTS = ETR_IN_OWN << 1,
  ETR_IN_MODULES = ETR_IN_OWN << 2, /* for people */
  ETR_IN_RUNS = ETR_IN_OWN << 3,
  ETR_IN_LOADS = ETR_IN_OWN << 4,
  ETR_IN_PATTERNS = ETR_IN_OWN << 5,      /* for people */
  ETR_IN_LINE_PATTERNS = ETR_IN_OWN << 6, /* for programs: source lines by pattern, alone */
  ETR_BY_KEY = ETR_IN_OWN << 7, /* this bit and the next ones, in the order of etr_breakdown_by */
  ETR_BY_KERNEL = ETR_BY_KEY << ETR_BREAKDOWNS,
  ETR_IN_KERNELS = ETR_BY_KERNEL << 1, /* for people */
};

/** Returns the bits of the table for programs that has a breakdown. */
static inline unsigned etr_sum_medium(etr_breakdown_by by) {
  return ETR_IN_DATA | (unsigned)ETR_BY_KEY << by;
}

/** Returns the sum that has these ticks over all runs of a method, and in its typical run. */
etr_sum etr_sum_make(const etr_method *method, uint64_t total_ticks, double typical);

/** Returns the times per run, shares and costs of a row of a breakdown by operator, backend or
 * source line. sum.stats and sum.cost point into `rows`, which must live as long. */
etr_sum etr_sum_of(const etr_method *method, etr_breakdown_by by, const etr_breakdown *rows,
                   const etr_breakdown_row *row);

/** Returns the time by which a sum is ranked. */
double etr_sum_ranking(const etr_profile *profile, const etr_sum *sum);

/** Returns the share of a sum in its whole, by the statistic that ranks; NaN if it has none. */
double etr_sum_share(const etr_profile *profile, const etr_sum *sum);

/** Returns the share of a sum in Method::execute, of the averages of both if averages rank, else of
 * their typical times. */
etr_cell etr_sum_additive_share(const etr_sum *sum);

/** Returns the sum of a module's own nodes in ticks per run, with its totals, which include
 * everything inside it, in the members that begin with `total`. */
etr_sum etr_sum_of_module(const etr_summary *summary, const etr_module_row *row);

/** Returns the sum of a pattern's modules including those below them, or with is_own only of their
 * own nodes. In both cases sum.own has the time of the own nodes, and the members that begin with
 * `total` that of all. */
etr_sum etr_sum_of_pattern(const etr_profile *profile, const etr_method *method,
                           const etr_pattern_row *row, bool is_own);

/** Returns the times and shares in Method::execute of a kernel, or of a kind of operator in
 * delegates. sum.nodes is the number of its events. */
etr_sum etr_sum_of_kernel(const etr_method *method, const etr_kernels *kernels,
                          const etr_kernel_row *row);

/** Writes a row of a breakdown into an open JSON object, as in schema/summary.schema.json: its key,
 * its times and costs, and of a module or pattern the totals. */
void etr_sum_put_members(const etr_fields *fields, const etr_sum *sum);

/** Starts a table of sums. `medium` is one of the ETR_IN_ bits, or that of etr_sum_medium().
 * `title` is the title of the first column for people; it may be NULL. The table is exact if
 * `medium` is one for programs. */
void etr_sum_table_init(etr_table *table, etr_answer *answer, unsigned medium, const char *title);

/** Returns the sum of a time that `stats` are of. If `stats` is NULL, the time was taken once, and
 * is each of its statistics. */
etr_sum etr_sum_of_stats(double ticks, const etr_stats *stats);

/** Adds a copy of a sum as a row. When out of memory, the arena has failed. */
void etr_sum_table_add_row(etr_table *table, etr_sum sum);

/** Adds the rows of a breakdown, each as its sum, in their order. */
void etr_sum_table_add_breakdown(etr_table *table, const etr_method *method, etr_breakdown_by by,
                                 const etr_breakdown *rows);

/** Adds a row for each phase or compute unit of delegates' time, with its backend, "unknown
 * backend" for NULL, and its share in Method::execute. When out of memory, the arena has failed. */
void etr_sum_table_add_delegate_parts(etr_table *table, const etr_method *method,
                                      const etr_delegate_parts *parts);

/** Adds a row for each part of a method's balance (graph operators, calls of delegates, runtime,
 * ...), except parts of 0 ticks. */
void etr_balance_add_rows(etr_table *table, const etr_method *method);

#endif
