/* SPDX-License-Identifier: BSD-3-Clause
 *
 * earlier.h - the earlier benches in a history: which one a new bench is compared with, and how its medians came about.
 * Layer 6.
 *
 * Benches are alike if they have the same name, host, device and command. Only steps between benches that are alike say
 * what a machine differs by from one session to the next.
 */
#ifndef ETR_EARLIER_H
#define ETR_EARLIER_H

#include "bench/job.h"

/** Zeroed: none. */
typedef struct earlier_benches {
  char run[BENCH_RUN_ROOM]; /* folder of the base: of the last bench that is alike, or else of the last on the same host
                               and device; "" if there is neither */
  bool is_alike;            /* it ran the same command, too */
  size_t alike, others;     /* benches */
  etr_bench_history *histories; /* of the methods, if the base is alike and has them: medians in ms, the oldest first */
  size_t history_count;
  double **medians; /* of the histories */
  size_t fewest;    /* medians of one of these; 0: there are none */
} earlier_benches;

/**
 * Reads a history's text, from before the new bench. name, facts: of the new bench. methods: its methods' names,
 * borrowed; lines of no such method, without a median above 0, or damaged, count for nothing. False when out of memory.
 */
bool earlier_find(earlier_benches *out, const char *history, const char *name, const bench_facts *facts,
                  const char *const *methods, size_t method_count);

void earlier_clear(earlier_benches *earlier);

#endif
