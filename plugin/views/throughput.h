/* SPDX-License-Identifier: BSD-3-Clause
 *
 * throughput.h - tokens that a language model reads in a run, and how fast. Layer 4.
 *
 * The token input of a method is its integer input of rank 2; of several the one named "tokens",
 * "input_ids" or "ids", or with "tok" in its name, else the first. A run reads as many tokens as
 * that input has elements. A method without such an input reads no tokens.
 */
#ifndef ETR_THROUGHPUT_H
#define ETR_THROUGHPUT_H

#include "base/arena.h"
#include "etrecord_tb.h"

/** Tokens and their times, in the typical run of a method or of a phase. */
typedef struct etr_throughput {
  bool reads_tokens;     /* false: the method has no token input, or its graph is not known */
  double tokens_per_run; /* mean over the runs of the typical run; NaN: not known */
  double ms_per_token, tokens_per_second; /* NaN: not known */
  const char *why; /* why it is not known, in words; NULL if it is known. Static */
} etr_throughput;

/** Returns how many tokens each run of the profile read, by the index of the run, as far as it is
 * one of this method; 0: not known. NULL if the method reads no tokens, or when out of memory, in
 * which case the arena has failed. */
double *etr_tokens_of_runs(etr_arena *arena, const etr_profile *profile, const etr_method *method);

/** Computes the throughput of a method, or of one of its phases if `phase` is not NULL. Returns
 * false when out of memory. */
bool etr_throughput_of(etr_throughput *out, etr_arena *arena, const etr_profile *profile,
                       const etr_method *method, const etr_run_phase *phase);

/** The time until the first token: that of the prompt's run. */
typedef struct etr_first_token {
  const etr_method *method;   /* the method that reads prompts; NULL: none is known to */
  const etr_run_phase *phase; /* its phase; NULL: all its runs */
  double ticks;               /* of the typical run */
  double with_load; /* together with all loads of the typical recording; NaN: none was recorded */
} etr_first_token;

/** Finds the method or phase that reads the most tokens a run, if others read fewer. Returns false
 * when out of memory. */
bool etr_first_token_find(etr_first_token *out, etr_arena *arena, const etr_profile *profile);

/** How the time of a token grows with its position in the cache. */
typedef struct etr_cache_growth {
  const etr_method *method; /* the method that reads single tokens; NULL: it is not known to grow */
  double per_1000;          /* milliseconds per token for each 1000 positions: the median of the
                               slopes of all pairs of runs (Theil and Sen) */
  double low, high;         /* its 95 % interval, by Kendall's distribution */
} etr_cache_growth;

/** Compares the times of runs of one token with their positions behind the prompt. Nothing is known
 * of a method without a cache, or with fewer than ten such runs. Returns false when out of memory.
 */
bool etr_cache_growth_find(etr_cache_growth *out, etr_arena *arena, const etr_profile *profile);

/** Returns "1 token a run: 0.472 ms per token, 2,120 tokens/s", or why that is not known; NULL if
 * the method reads no tokens, or when out of memory. */
const char *etr_throughput_text(etr_arena *arena, const etr_throughput *throughput);

/** Returns the block that shows best by what a method's runs were found to be of it: one that times
 * decided, else its first; NULL if it has no runs. */
const etr_block *etr_block_of_rule(const etr_profile *profile, const etr_method *method);

#endif
