/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run_phases.h - detects runs of a method that are of different kinds, such as prefill and decode.
 * Layer 3.
 */
#ifndef ETR_RUN_PHASES_H
#define ETR_RUN_PHASES_H

#include "inputs/dump.h"
#include "runs/blocks.h"

/** The phases of a method that are known before its runs are measured. */
typedef struct etr_known_phases {
  size_t count; /* 0: all runs are of one kind */
  etr_phase_rule rule;
  const char *names[4];
} etr_known_phases;

/**
 * Fills the series of each run, once each block has its method, and the phase of each inference, by
 * the first rule of etr_phase_rule that distinguishes any phases. Returns an entry for each method,
 * in the arena; NULL when out of memory.
 */
etr_known_phases *etr_run_phases_find(const etr_blocks *blocks, const etr_dump *dumps,
                                      size_t method_count, etr_arena *arena);

#endif
