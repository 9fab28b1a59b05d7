/* SPDX-License-Identifier: BSD-3-Clause
 *
 * method_parts.h - the parts of a method's time: whether they add up to it, and what time slices
 * take of the typical run. Layer 0.
 */
#ifndef ETR_METHOD_PARTS_H
#define ETR_METHOD_PARTS_H

#include "base/base.h"

/** Returns the number of a method's time slices, those of the runtime included. */
static inline size_t etr_slice_count(const etr_method *method) {
  return method->time_slice_count + method->runtime_slice_count;
}

/** Returns what a time slice takes of the method's typical run, in ticks. */
static inline double etr_slice_typical(const etr_method *method, const etr_time_slice *slice) {
  const etr_typical_run *typical = &method->typical;
  double weight = typical->divisor > 0 ? typical->weights[slice->run] / typical->divisor : 0;
  return weight * (double)slice->ticks;
}

/** Returns the typical time of a method without its interruptions, in ticks. */
static inline double etr_uninterrupted_ticks(const etr_method *method) {
  return method->execute.typical - method->execute.typical * method->interrupted;
}

/** At most this part of a time is clearly less than it. */
#define ETR_CLEARLY_LESS 0.9

/** Returns the least that a method takes without interruptions, in ticks: the same, or its fastest
 * run, if that took clearly less. Where most runs are interrupted or slow as a whole, their usual
 * time is that of such a run. */
static inline double etr_uninterrupted_least(const etr_method *method) {
  double usual = etr_uninterrupted_ticks(method), fastest = (double)method->execute.min;
  return fastest < ETR_CLEARLY_LESS * usual ? fastest : usual;
}

/** Returns the most that a method takes without interruptions, in ticks: the same, or its fastest
 * run, if that took clearly more. Each run may have been interrupted somewhere, but none shows that
 * less is possible. */
static inline double etr_uninterrupted_most(const etr_method *method) {
  double usual = etr_uninterrupted_ticks(method), fastest = (double)method->execute.min;
  return method->interrupted > 0 && ETR_CLEARLY_LESS * fastest > usual ? fastest : usual;
}

/** Returns true if what a method takes without interruptions is a range, as its fastest run took
 * clearly less or more. */
static inline bool etr_is_uninterrupted_range(const etr_method *method) {
  return etr_uninterrupted_least(method) < etr_uninterrupted_most(method);
}

/** Returns true if what a method takes without interruptions is one time, and only a bound: usual
 * times are of interrupted runs, and no run was clearly faster. */
static inline bool etr_is_uninterrupted_bound(const etr_method *method) {
  return method->are_medians_interrupted && !etr_is_uninterrupted_range(method);
}

/** Returns the part of it that is an interruption, of the time slice with this index. */
static inline double etr_slice_interrupted(const etr_method *method, size_t slice) {
  const etr_typical_run *typical = &method->typical;
  return method->interruptions
             ? method->interruptions[slice] * typical->weights[method->time_slices[slice].run] /
                   typical->divisor
             : 0;
}

/** Returns what the time slice with this index takes of the typical run without that. */
static inline double etr_slice_uninterrupted(const etr_method *method, size_t slice) {
  return etr_slice_typical(method, &method->time_slices[slice]) -
         etr_slice_interrupted(method, slice);
}

/** Returns the graph and the times that stand for a method in every output: its own, or those that
 * the methods share which its runs may be of. The graph is NULL if the method has none. */
etr_shared_times etr_times_of_method(const etr_profile *profile, const etr_method *method);

/** Returns true if the parts of execute_ticks add up to it, and if no part of a part is greater
 * than that part. */
bool etr_method_adds_up(const etr_method *method);

/** Returns the number of methods of the profile that ran and compute something. An entry with an
 * empty name stands for runs whose method is not known: they are taken to be runs of the named
 * methods, so that such entries count only if no method has a name. */
size_t etr_loaded_method_count(const etr_profile *profile);

#endif
