/* SPDX-License-Identifier: BSD-3-Clause
 *
 * slow_runs.h - runs that take much longer than others, though they do the same work. Layer 3.
 */
#ifndef ETR_SLOW_RUNS_H
#define ETR_SLOW_RUNS_H

#include "runs/blocks.h"

/** Finds the slow ones among a method's runs that count: its runs are of one kind, and its blocks hold their samples.
 * Their indices are in the arena. False: out of memory. */
bool etr_slow_runs_find(etr_slow_runs *out, const etr_method *method, const etr_blocks *blocks, etr_arena *arena);

#endif
