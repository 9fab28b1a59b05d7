/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ranking.h - the statistic that a profile's outputs show first, rank by and give shares of.
 * Layer 4.
 */
#ifndef ETR_RANKING_H
#define ETR_RANKING_H

#include "etrecord.h"

#include <math.h>

/** Returns true if medians rank. profile is NULL for a table that is not about a profile. */
static inline bool etr_ranks_by_p50(const etr_profile *profile) {
  return profile && profile->statistic == ETR_STATISTIC_P50;
}

/** Return the one of average and median that ranks, and the other one. */
static inline double etr_ranking(const etr_profile *profile, double avg, double p50) {
  return etr_ranks_by_p50(profile) ? p50 : avg;
}
static inline double etr_not_ranking(const etr_profile *profile, double avg, double p50) {
  return etr_ranking(profile, p50, avg);
}

/** Returns what ticks over all runs of a method are per inference; NaN if it never ran. */
static inline double etr_ticks_per_run(const etr_method *method, uint64_t ticks) {
  return method->run_count ? (double)ticks / (double)method->run_count : NAN;
}

/** Returns ", on average", which follows an average among medians, or "" if averages rank. */
static inline const char *etr_on_average(const etr_profile *profile) {
  return etr_ranks_by_p50(profile) ? ", on average" : "";
}

#endif
