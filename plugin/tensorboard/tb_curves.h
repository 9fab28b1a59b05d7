/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_curves.h - a method's times as curves and distributions, for TensorBoard's time series and
 * histograms. Layer 5.
 *
 * tb_tags.h has the tags, and says what they mean. All times are in ms. Points have the number of
 * an inference among all of the method in the ETDump, or the number of an instruction, as step.
 * What was measured only once has no curve: TensorBoard would draw a dot.
 */
#ifndef ETR_TB_CURVES_H
#define ETR_TB_CURVES_H

#include "base/arena.h"
#include "etrecord_tb.h"

enum {
  ETR_TB_MAX_POINTS = 1000
}; /* points of a curve: TensorBoard keeps no more. With more inferences or instructions, every n-th
      is shown */

typedef struct etr_tb_curve {
  const char *tag;
  const double *values;
  const int64_t *steps; /* ascending */
  size_t count;
} etr_tb_curve;

typedef struct etr_tb_curves {
  const etr_tb_curve *list;
  size_t count;
} etr_tb_curves;

/** Returns true if data about a method are written: it ran, and its times are on a graph, or there
 * is no graph at all, as with an ETDump alone. */
static inline bool etr_tb_shows_method(const etr_profile *profile, uint32_t method) {
  size_t i = 0;
  if (profile->graph_count == 0)
    return profile->methods[method].run_count > 0;
  while (i < profile->graph_count && profile->graphs[i].profile_method != method)
    i++;
  return i < profile->graph_count && profile->methods[method].run_count > 0;
}

/** Returns true if several methods of a record compute anything, so that their names are needed. */
static inline bool etr_tb_has_several_methods(const etr_profile *profile) {
  size_t count = 0;
  for (size_t i = 0; i < profile->method_count && count < 2; i++)
    count += !profile->methods[i].computes_nothing;
  return count > 1;
}

/** Returns the end of the tags of a method: "/METHOD" if the record has several, else "". NULL when
 * out of memory. */
const char *etr_tb_suffix(etr_arena *arena, const etr_profile *profile, const etr_method *method);

/**
 * Builds all curves of a method over its inferences and instructions: those of times if it ran and
 * they are on a graph, those of memory if its program plans any, and those of accuracy if its
 * values were compared. Tags are unique. A part that takes almost nothing has no curve. Returns
 * false when out of memory.
 */
bool etr_tb_curves_build(etr_tb_curves *out, etr_arena *arena, const etr_profile *profile,
                         const etr_method *method);

/* ---- Distributions ---- */

/** Buckets of a distribution, as many as TensorBoard's page draws. */
enum { ETR_TB_BUCKETS = 30 };

/** How many values are in each of some buckets of equal width. */
typedef struct etr_tb_spread {
  double least, most, counts[ETR_TB_BUCKETS];
  size_t buckets;
} etr_tb_spread;

/** Counts finite values, at least one, in buckets from the least to the largest. The last bucket
 * includes both its ends. No bucket is empty at either end, or narrower than `tick`, the step of
 * the clock (0: unknown). */
void etr_tb_spread_of(etr_tb_spread *out, const double *values, size_t count, double tick);

/** Returns the step of the clock of a method's inferences in ms: all times are multiples of it. 0:
 * unknown. */
double etr_tb_clock_tick(const etr_profile *profile, const etr_method *method);

/** How the differences between a value and its reference are distributed. */
typedef struct etr_tb_error {
  const char *tag;
  etr_tb_spread spread;
} etr_tb_error;

enum { ETR_TB_MOST_ERRORS = 10 }; /* values whose differences are shown: a page of distributions */

/** Lists the histograms of the errors of a method's values: of those that are suspicious, the worst
 * ones first. Returns their number, which is 0 also when out of memory. An error is the value minus
 * its reference. If all errors of a value are equal, they are in one bucket. */
size_t etr_tb_errors_build(etr_tb_error out[ETR_TB_MOST_ERRORS], etr_arena *arena,
                           const etr_profile *profile, const etr_method *method);

/** Blocks of consecutive inferences, whose times are shown as distributions. */
typedef struct etr_tb_blocks {
  const char *tag;
  const double *values; /* ms of each inference that counts */
  const int64_t *steps; /* number of each of these inferences */
  size_t count, blocks; /* inferences; 0 blocks: there are too few */
} etr_tb_blocks;

/** Divides the inferences of a method into at most 20 consecutive blocks of at least 10, each of
 * which becomes a histogram. There are none for less than 20 inferences. Returns false when out of
 * memory. The values are in ms, and the step of each is the number of its run among all runs. */
bool etr_tb_blocks_build(etr_tb_blocks *out, etr_arena *arena, const etr_profile *profile,
                         const etr_method *method);

/** Returns the index of the first inference of a block; that of block `blocks` is the number of
 * inferences. */
static inline size_t etr_tb_block_start(const etr_tb_blocks *blocks, size_t block) {
  return blocks->count * block / blocks->blocks;
}

/* ---- The points of one build on the curves over builds; times are of the typical run ---- */

enum { ETR_TB_MOST_KERNELS = 10 }; /* curves of kernels: those that take longest in the build */

/** A point of a build on a curve. */
typedef struct etr_tb_build_point {
  const char *tag;
  double value;
  const char *text; /* Markdown instead of the value; NULL: it is a value */
} etr_tb_build_point;

typedef struct etr_tb_build_points {
  etr_vec(etr_tb_build_point) list;
} etr_tb_build_points;

/**
 * Lists the points of a build, with unique tags in the arena.
 *
 * before: an earlier build, with which it is compared as `diff` does. Where a method surely got
 * slower or faster, its typical time is also a point of the curve with that name, and a text says
 * by how much. NULL: nothing is marked. Errors: ETR_ERROR_MEMORY.
 */
etr_status etr_tb_build_points_make(etr_tb_build_points *out, etr_arena *arena,
                                    const etr_profile *profile, const etr_profile *before,
                                    etr_error *error);

#endif
