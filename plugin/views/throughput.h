/* SPDX-License-Identifier: BSD-3-Clause
 *
 * throughput.h - what people read of a language model's tokens. Layer 4.
 */
#ifndef ETR_THROUGHPUT_H
#define ETR_THROUGHPUT_H

#include "base/arena.h"
#include "etrecord_compare.h"
#include "etrecord_tb.h"

/** Returns "2,120 tokens/s"; NULL if that is not known, or when out of memory. execute: of the
 * runs; where these differ much, it has two digits instead of three. Of few runs of which one is
 * at least twice as fast as another: "40,000 tokens/s (28,000 – 91,000 by run)". of: the method
 * of these runs, whose interruptions it names: "160 tokens/s, with interruptions; 420 – 640
 * without"; NULL: it says nothing of interruptions. */
const char *etr_throughput_rate_text(etr_arena *arena, const etr_throughput *throughput,
                                     const etr_stats *execute, const etr_method *of);

/** Returns true if a time or a rate of runs, from the least to the most, needs both: the runs are
 * too few to judge noise, and one is at least twice another. False if they are not known (NaN). */
bool etr_are_few_far_apart(size_t runs, double least, double most);

/** Returns "1 token a run: 0.472 ms per token, 2,120 tokens/s", or why that is not known; NULL if
 * `throughput` is NULL, or when out of memory. tokens/s are those of etr_throughput_rate_text(). */
const char *etr_throughput_text(etr_arena *arena, const etr_throughput *throughput,
                                const etr_stats *execute, const etr_method *of);

/** The times of a token on both sides of a comparison. */
typedef struct etr_throughput_change {
  double base_tokens_per_run, new_tokens_per_run;       /* NaN: not known */
  double base_ms_per_token, new_ms_per_token;           /* of the typical times; NaN: not known */
  double base_tokens_per_second, new_tokens_per_second; /* NaN: not known */
  const char *verdict; /* that of Method::execute if runs of both sides read equally many tokens;
                          else NULL: other work cannot be judged by these runs */
  const char *text;    /* "1 token a run: 0.472 -> 0.301 ms per token, 2,117 -> 3,322 tokens/s" */
} etr_throughput_change;

/** Sets *out to the tokens of a method of both sides, their times, and a text that compares them.
 * Returns false if the runs of neither side are known to read tokens, or when out of memory. */
bool etr_throughput_change_of(etr_throughput_change *out, etr_arena *arena,
                              const etr_comparison *comparison, const etr_method_pair *method);

/** Returns whether a token takes longer at later positions in the cache, as a sentence: "a token
 * takes 1.21 ms longer for each 1,000 positions in the cache (between 1.10 and 1.32)". NULL if
 * `growth` is NULL, or when out of memory. */
const char *etr_cache_growth_text(etr_arena *arena, const etr_cache_growth *growth);

/** Returns the curve of a growth as one line of blocks of eight heights, from 0 to the longest
 * time: "from 64 to 2,048: ▁▂▄▅▇█". NULL if `growth` is NULL or has fewer than three
 * points, or when out of memory. */
const char *etr_cache_growth_line(etr_arena *arena, const etr_cache_growth *growth);

#endif
