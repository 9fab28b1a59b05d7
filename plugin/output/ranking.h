/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ranking.h - the statistic that a profile's outputs show first, rank by and give shares of.
 * Layer 4.
 */
#ifndef ETR_RANKING_H
#define ETR_RANKING_H

#include "etrecord.h"

#include <math.h>

/** Above a table of what adds up, where medians rank. */
#define ETR_NO_MEDIANS "below is the typical run, because medians do not add up"

/** A time per inference by each statistic, in ticks. */
typedef struct etr_times {
  double typical, avg, p50;
} etr_times;

/** Returns true if a statistic ranks. profile is NULL for a table that is not about a profile. */
static inline bool etr_ranks_by(const etr_profile *profile, etr_statistic statistic) {
  return (profile ? profile->statistic : ETR_STATISTIC_TYPICAL) == statistic;
}

/** Returns the time by which outputs rank. */
static inline double etr_ranking_time(const etr_profile *profile, etr_times times) {
  if (etr_ranks_by(profile, ETR_STATISTIC_P50))
    return times.p50;
  return etr_ranks_by(profile, ETR_STATISTIC_AVG) ? times.avg : times.typical;
}

/** Returns the times of a node. */
static inline etr_times etr_times_of_node(const etr_node_time *time) {
  return (etr_times){time->typical, time->avg, time->per_run.p50};
}

/** Returns the times of a whole that statistics were taken of, such as Method::execute. */
static inline etr_times etr_times_of(const etr_stats *stats) {
  return (etr_times){stats->typical, stats->avg, stats->p50};
}

/** Returns what adds up whatever ranks: the average if averages rank, else the typical time. */
static inline double etr_additive_time(const etr_profile *profile, double typical, double avg) {
  return etr_ranks_by(profile, ETR_STATISTIC_AVG) ? avg : typical;
}

/** Returns what ticks over all runs of a method are per inference; NaN if it never ran. */
static inline double etr_ticks_per_run(const etr_method *method, uint64_t ticks) {
  return method->run_count ? (double)ticks / (double)method->run_count : NAN;
}

/** Returns etr_additive_time() of ticks over all runs of a method. typical: in the typical run. */
static inline double etr_additive_ticks(const etr_profile *profile, const etr_method *method,
                                        double typical, uint64_t ticks) {
  return etr_additive_time(profile, typical, etr_ticks_per_run(method, ticks));
}

/** Returns the time of Method::execute that outputs show a part of. */
static inline double etr_execute_time(const etr_profile *profile, const etr_method *method) {
  return etr_additive_time(profile, method->execute.typical, method->execute.avg);
}

/** Returns what the statistic of parts is called in a sentence: "typical run" or "average". Static.
 */
static inline const char *etr_additive_statistic_word(const etr_profile *profile) {
  return etr_ranks_by(profile, ETR_STATISTIC_AVG) ? "average" : "typical run";
}

/** Returns what a statistic is called in a sentence: "typical", "average", "median". Static. */
static inline const char *etr_statistic_word(const etr_profile *profile) {
  if (etr_ranks_by(profile, ETR_STATISTIC_P50))
    return "median";
  return etr_ranks_by(profile, ETR_STATISTIC_AVG) ? "average" : "typical";
}

#endif
