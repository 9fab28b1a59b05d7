/* SPDX-License-Identifier: BSD-3-Clause
 *
 * methods_by_time.h - distinguishes the runs of two methods of equal structure by the times of
 * their kernels. Layer 3.
 *
 * The times of whole runs do not distinguish them: a stalled thread makes a run of the cheaper
 * method as long as one of the dearer. Kernels outside delegates run on one thread. Those that work
 * on more data in one method take longer there, those that work on the same data in both do not,
 * and a slow clock or a neighbouring process lengthens both. So the ratio between these two groups
 * of kernels distinguishes the methods, whatever the machine did.
 */
#ifndef ETR_METHODS_BY_TIME_H
#define ETR_METHODS_BY_TIME_H

#include "inputs/method.h"
#include "runs/blocks.h"

/** How times distinguished the runs of two methods. */
typedef enum etr_time_rule {
  ETR_TIME_RULE_NONE,  /* not at all */
  ETR_TIME_RULE_TIMES, /* the runs that are not behind a load are in two groups */
  ETR_TIME_RULE_LOADS, /* of the two runs behind loads, one is unlike all other runs */
} etr_time_rule;

/** Returns the rule as users read it: "likely, by time"; "" for none. Static. */
const char *etr_time_rule_name(etr_time_rule rule);

/** What times say of one run. */
typedef enum etr_time_label {
  ETR_TIME_LABEL_UNKNOWN,
  ETR_TIME_LABEL_DEARER, /* it is a run of the method that computes more */
  ETR_TIME_LABEL_CHEAPER,
} etr_time_label;

/** The times of kernels in the runs of two methods of one recording. */
typedef struct etr_kernel_times {
  size_t run_count, kernel_count;
  const double *us;        /* run by run: kernel_count times in microseconds */
  const double *ratios;    /* per kernel: bytes that it reads and writes in the dearer method,
                              divided by those in the cheaper one; 0: not known */
  const bool *behind_load; /* per run: the run directly follows a load */
  double cost_ratio;       /* multiply-accumulates of the dearer method by those of the cheaper */
} etr_kernel_times;

/**
 * Fills `labels`, one for each run, and *rule. Nothing is decided if the methods' costs are too
 * near to each other, if too few kernels are outside delegates, or if the runs are not in two
 * groups. Returns false when out of memory.
 */
bool etr_kernel_times_tell(etr_time_label *labels, etr_time_rule *rule,
                           const etr_kernel_times *times);

/** The runs of one recording that may be of either of two methods. */
typedef struct etr_time_question {
  const etr_blocks *blocks;
  const etr_method_inputs *dearer, *cheaper;
  const uint32_t *runs; /* indices into blocks->runs, ascending; their blocks have equal rows */
  const bool *behind_load;
  size_t run_count;
} etr_time_question;

/** Answers as etr_kernel_times_tell() does, with the times of the runs and the sizes that the
 * program or the graphs give. Returns false when out of memory. */
bool etr_methods_by_time(etr_time_label *labels, etr_time_rule *rule,
                         const etr_time_question *question);

#endif
