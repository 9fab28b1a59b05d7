/* SPDX-License-Identifier: BSD-3-Clause
 *
 * throughput.h - what people read of a language model's tokens. Layer 4.
 */
#ifndef ETR_THROUGHPUT_H
#define ETR_THROUGHPUT_H

#include "base/arena.h"
#include "etrecord_tb.h"

/** Returns "1 token a run: 0.472 ms per token, 2,120 tokens/s", or why that is not known; NULL if
 * `throughput` is NULL, or when out of memory. */
const char *etr_throughput_text(etr_arena *arena, const etr_throughput *throughput);

/** Returns whether a token takes longer at later positions in the cache, as a sentence: "a token
 * takes 1.21 ms longer for each 1,000 positions in the cache (between 1.10 and 1.32)". NULL if
 * `growth` is NULL, or when out of memory. */
const char *etr_cache_growth_text(etr_arena *arena, const etr_cache_growth *growth);

/** Returns the curve of a growth as one line of blocks of eight heights, from 0 to the longest
 * time: "from 64 to 2,048: ▁▂▄▅▇█". NULL if `growth` is NULL or has fewer than three
 * points, or when out of memory. */
const char *etr_cache_growth_line(etr_arena *arena, const etr_cache_growth *growth);

/** Returns the block that shows best by what a method's runs were found to be of it: one that times
 * decided, else its first; NULL if it has no runs. */
const etr_block *etr_block_of_rule(const etr_profile *profile, const etr_method *method);

#endif
