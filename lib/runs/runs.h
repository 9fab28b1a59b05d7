/* SPDX-License-Identifier: BSD-3-Clause
 *
 * runs.h - from ETDumps to blocks of equal runs, each with its method, phases and times. Layer 3.
 *
 * The functions are called in this order.
 */
#ifndef ETR_RUNS_H
#define ETR_RUNS_H

#include "base/budget.h"
#include "inputs/dump.h"
#include "inputs/record.h"
#include "method/method.h"
#include "runs/blocks.h"
#include "runs/run_phases.h"

/* ---- Whether what a caller chose is possible with these inputs ---- */

/** Errors: ETR_ERROR_CHOICE: a clock outside of 1e-6 to 1e18 ticks per second, where times would become infinite. */
etr_status etr_choices_check_clock(const etr_options *options, etr_error *error);

/** Errors: ETR_ERROR_CHOICE: a run is mapped to a method that no input has, or a run is named that the dumps lack. */
etr_status etr_choices_check(const etr_options *options, const etr_blocks *blocks, const etr_method_inputs *inputs,
                             size_t method_count, etr_error *error);

/* ---- Runs grouped into event blocks, as ExecuTorch's Inspector groups them ---- */

/* After executorch/devtools/inspector/_inspector.py: InstructionEvent, EventSignature, RunSignature. Within a run,
 * events of one instruction (and delegate id) stand together at the place of the first; equal ones become one row.
 * Unlike the Inspector, a row keeps every occurrence of a loop, not only the last. Runs with the same name, rows and
 * bundled input are a block. */

/**
 * Groups the runs of all dumps. Equal runs are still not in one block
 *   - if the options choose different methods for them;
 *   - if a load stands between them that came when a method of the dump had run already: it may have brought another.
 *     Not so if method_count, how many methods there are to run, is 1; nor are loads themselves kept apart.
 *
 * All names must be interned in one map, so that equal texts are equal pointers. Errors: ETR_ERROR_MEMORY.
 */
etr_status etr_blocks_build(etr_blocks *out, etr_arena *arena, const etr_dump *dumps, size_t dump_count,
                            size_t method_count, const etr_options *options);

/* ---- Which method each block of runs is ---- */

/**
 * Decides the method of every block: sets block.method (an index into inputs) and block.method_rule. Blocks without
 * kernels or delegates (loads) get none. Of a block that fits several equally, a run right behind the load of one
 * method is told by the order of loads, and set apart: its block is its own then. Warns of blocks that fit no method,
 * and of ties. Out of memory shows on the warnings' arena.
 */
void etr_methods_decide(etr_blocks *blocks, const etr_method_inputs *inputs, size_t method_count,
                        const etr_options *options, etr_warnings *warnings);

/* ---- What the runs of a method and of its phases took, and how much they vary ---- */

/** Fills `noise`, the phases and the slow runs of a method that has its runs and its blocks' samples, and warns where
 * its averages are over several phases. False: out of memory. */
bool etr_phases_measure(etr_method *method, const etr_phases_told *told, const etr_blocks *blocks, etr_arena *arena,
                        etr_warnings *warnings);

/* ---- Inferences whose times do not count: warm-up, or what the caller left out ---- */

/** Sets is_skipped of the runs that the options leave out. Call it once each block has its method, and each run its
 * series and phase. False: out of memory. */
bool etr_skipped_find(etr_blocks *blocks, const etr_options *options);

/** Takes skipped runs and their samples out of a method's blocks, and measures these anew. Call it once their events
 * have nodes, which all runs help to find. False: out of memory. */
bool etr_skipped_drop(const etr_blocks *blocks, uint32_t method, etr_arena *scratch);

#endif
