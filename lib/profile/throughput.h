/* SPDX-License-Identifier: BSD-3-Clause
 *
 * throughput.h - tokens that language models read, and how fast. Layer 3.
 */
#ifndef ETR_PROFILE_THROUGHPUT_H
#define ETR_PROFILE_THROUGHPUT_H

#include "base/arena.h"

/** Fills etr_run.token_count of `runs`, the throughput of `methods` and of their phases, and the
 * profile's first_token, cache_growth and load. `runs` and `methods` are those of the profile,
 * whose graphs and logged values are joined. Returns false when out of memory. */
bool etr_throughput_fill(etr_profile *profile, etr_run *runs, etr_method *methods,
                         etr_arena *arena);

#endif
