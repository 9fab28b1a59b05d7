/* SPDX-License-Identifier: BSD-3-Clause
 *
 * phase_times.h - what the runs of a method and of its phases took, and how much they vary. Layer 3.
 */
#ifndef ETR_PHASE_TIMES_H
#define ETR_PHASE_TIMES_H

#include "inputs/record.h"
#include "runs/run_phases.h"

/** Fills `noise`, the phases and the slow runs of a method that has its runs and its blocks' samples, and warns where
 * its averages are over several phases. False: out of memory. */
bool etr_phases_measure(etr_method *method, const etr_phases_told *told, const etr_blocks *blocks, etr_arena *arena,
                        etr_warnings *warnings);

#endif
