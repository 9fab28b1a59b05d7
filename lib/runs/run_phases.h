/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run_phases.h - runs of a method that are of different kinds, as a language model's prompt and its single steps.
 * Layer 3.
 */
#ifndef ETR_RUN_PHASES_H
#define ETR_RUN_PHASES_H

#include "inputs/dump.h"
#include "runs/blocks.h"

/** What is known of the phases of a method before its runs are measured. */
typedef struct etr_phases_told {
  size_t count; /* 0: all runs are of one kind */
  etr_phase_rule rule;
  const char *names[4];
} etr_phases_told;

/**
 * Fills the series of each run, once each block has its method, and the phase of each that is an inference: by the
 * first rule of etr_phase_rule that tells any. What it returns has an entry for each method, in the arena; NULL: out of
 * memory.
 */
etr_phases_told *etr_run_phases_find(const etr_blocks *blocks, const etr_dump *dumps, size_t method_count,
                                     etr_arena *arena);

#endif
