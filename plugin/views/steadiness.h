/* SPDX-License-Identifier: BSD-3-Clause
 *
 * steadiness.h - how steady the runs of a method are, in one sentence. Layer 4.
 */
#ifndef ETR_STEADINESS_H
#define ETR_STEADINESS_H

#include "base/arena.h"
#include "base/writer.h"
#include "etrecord_tb.h"
#include "views/groups.h"

/** Describes two modes, a step, a drift or outliers of a method's runs: "two modes: 41 runs
 * at 1.0500 ms, 9 at 8.4000 ms", "12 % slower from run 26 on", "10 % slower over 40 runs", "steady
 * but for 3 of 40 runs, 1.6-4.1" and a times sign. The name of the phase precedes it if the method
 * has several: "decode: 22 % slower over 12 runs". Outliers are left out where etr_method.slow_runs
 * has another number of slow runs. If there is nothing of all that, it returns etr_spread_text(),
 * which is "" of documents of the dashboard; NULL when out of memory. */
const char *etr_steadiness_text(etr_arena *arena, const etr_profile *profile,
                                const etr_method *method, etr_unit unit);

/** Returns how much the runs vary: "steady (cv 1.2 %)", "steady but for 3 of 40 runs, 1.6-4.1× (cv
 * 1.2 %)", "12 % slower from run 26 on", "too few runs to judge noise". The coefficient of
 * variation (cv) says nothing of runs with two modes, a step or a drift, and is left out for them.
 * NULL when out of memory. */
const char *etr_variation_text(etr_arena *arena, const etr_profile *profile,
                               const etr_method *method, etr_unit unit);

/** Returns true if no time of one inference is sure: the runs of a method take one of two times, or
 * half the range of their times is above a quarter of the typical time: from the 10th to the 90th
 * percentile (etr_stats_spread()) or, of fewer than five runs, from the fastest to the slowest.
 * False for runs of several phases. */
bool etr_runs_differ_much(const etr_method *method);

/** Returns true if an inference should be measured again: operators were interrupted, or the runs
 * differ much. groups: those of the method. */
bool etr_is_unsure(const etr_groups *groups, const etr_method *method);

/** Returns how many times the fastest run the slowest took, if the runs are noisy or few, they
 * differ much or it is at least three times, and nothing else says so: outliers, a finding about
 * slow runs, phases; else 0. */
double etr_spread_factor(const etr_method *method);

/** Returns "the slowest of 5 runs took 4.1 times the fastest"; "" if etr_spread_factor() is 0, or
 * when out of memory. */
const char *etr_spread_text(etr_arena *arena, const etr_method *method);

/** Describes the noise of the runs of one phase in the words of etr_steadiness_text(), without the
 * name of the phase: "12 % slower from run 26 on"; "" if the runs are merely steady or noisy, or
 * too few. execute: Method::execute of these runs. unit: of times in the text. Returns NULL when
 * out of memory. */
const char *etr_noise_text(etr_arena *arena, const etr_profile *profile, const etr_noise *noise,
                           const etr_stats *execute, etr_unit unit);

/** Names the recordings that typical times leave out (etr_method.odd_recordings), three at most:
 * "odd, left out: a.etdp, 29 % slower than the others". Of others whose own typical times differ by
 * more than a quarter it gives these: "recordings: 36.2 and 25.5 ms", of more than four the least
 * and the most. Returns "" if they are alike, and NULL when out of memory. */
const char *etr_recordings_text(etr_arena *arena, const etr_profile *profile,
                                const etr_method *method, etr_unit unit);

/** Returns true if a time is as good as that of one of two modes (0: the faster): it is no further
 * from the mode's median than a tenth of it, or than a quarter of the gap between the modes. */
bool etr_is_of_mode(const etr_noise *noise, size_t mode, double ticks);

/** Returns true if runs take one of two times and the typical time is of neither
 * (etr_is_of_mode()). */
bool etr_is_between_modes(const etr_method *method);

/** Writes both times if etr_is_between_modes(), "1.35 or 5.55 ms", and returns that it did. */
bool etr_put_modes(etr_writer *writer, const etr_profile *profile, const etr_method *method,
                   etr_unit unit);

/** Writes the time of Method::execute by the statistic that ranks and their spread
 * (etr_stats_spread()), if etr_has_spread(): "82.4 ms ± 1.0"; both times if it is between two
 * modes: "1.35 or 5.55 ms". */
void etr_put_execute(etr_writer *writer, const etr_profile *profile, const etr_method *method,
                     etr_unit unit);

/** Returns true if etr_put_execute() writes the spread of the runs: there is one, below the typical
 * time, and they are of one phase and not in two modes, between which no run is. */
bool etr_has_spread(const etr_method *method);

/** Returns what a time of few runs needs said: that ± is rough where etr_put_execute() writes it,
 * else that noise cannot be judged; "" if there are enough runs. Static. */
const char *etr_few_runs_text(const etr_method *method);

/** Writes a relative change of a time, 0.12 for one that became 12 % longer: "12 % slower", "9.8 %
 * faster", "2.5 times as slow". */
void etr_put_change_of_time(etr_writer *writer, double change);

/** Writes by what factors runs are slower: "1.6-4.1", or "4.1" if both are about the same. */
void etr_put_factors(etr_writer *writer, double least, double most);

#endif
