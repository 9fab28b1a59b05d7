/* SPDX-License-Identifier: BSD-3-Clause
 *
 * runs.h - turns ETDumps into blocks of equal runs, each with its method, phases and times.
 * Layer 3.
 *
 * The functions are called in this order.
 */
#ifndef ETR_RUNS_H
#define ETR_RUNS_H

#include "base/budget.h"
#include "inputs/dump.h"
#include "inputs/method.h"
#include "inputs/record.h"
#include "runs/blocks.h"

/* ---- Checking the caller's choices against the inputs ---- */

/** Checks the rate of the clock. Errors: ETR_ERROR_CHOICE (it is outside 1e-6 to 1e18 ticks per
 * second, where times would become infinite). */
etr_status etr_choices_check_clock(const etr_options *options, etr_error *error);

/** Checks the chosen methods and runs. Errors: ETR_ERROR_CHOICE (a method is in no input, or a run
 * is not in the dumps). */
etr_status etr_choices_check(const etr_options *options, const etr_blocks *blocks,
                             const etr_method_inputs *inputs, size_t method_count,
                             etr_error *error);

/* ---- Runs grouped into event blocks, as ExecuTorch's Inspector groups them ---- */

/* After executorch/devtools/inspector/_inspector.py: InstructionEvent, EventSignature,
 * RunSignature. Within a run, events of one instruction (and delegate id) are moved to the position
 * of the first; equal events become one row. Unlike the Inspector, a row keeps every occurrence of
 * an event in a loop, not only the last. Runs with the same name, rows and bundled input form a
 * block. */

/**
 * Groups the runs of all dumps into blocks. Equal runs are nevertheless in separate blocks
 *   - if the options choose different methods for them;
 *   - if between them is a load that came after a method of the dump had run, because it may have
 * loaded another method. This does not apply if method_count, the number of methods that can run,
 * is 1, or to the loads themselves.
 *
 * All names must be interned in one map, so that equal names are equal pointers. Errors:
 * ETR_ERROR_MEMORY.
 */
etr_status etr_blocks_build(etr_blocks *out, etr_arena *arena, const etr_dump *dumps,
                            size_t dump_count, size_t method_count, const etr_options *options);

/* ---- Deciding the method of each block ---- */

/**
 * Decides the method of every block: sets block.method (an index into inputs), block.method_rule
 * and block.method_evidence. Blocks without kernels or delegates (loads) get no method. If a block
 * fits several methods equally, each of its runs is decided on its own, by blocks.recorded, by the
 * sizes of the values that it logged, by the order of loads or by its kernels' times, and runs of
 * different methods are moved into separate blocks. `dumps` are those of the blocks; NULL: logged
 * values are not used. Warns about blocks that fit no method, and about ties. When out of memory,
 * the arena of the warnings has failed.
 */
void etr_methods_decide(etr_blocks *blocks, const etr_method_inputs *inputs, size_t method_count,
                        const etr_dump *dumps, const etr_options *options, etr_warnings *warnings);

/* ---- Runs of a method that are of different kinds, such as prefill and decode ---- */

/** The phases of a method that are known before its runs are measured. */
typedef struct etr_known_phases {
  size_t count; /* 0: all runs are of one kind */
  etr_phase_rule rule;
  const char *names[2];
} etr_known_phases;

/**
 * Fills the series of each run, once each block has its method, and the phase of each inference, by
 * the first rule of etr_phase_rule that distinguishes any phases. Returns an entry for each method,
 * in the arena; NULL when out of memory.
 */
etr_known_phases *etr_run_phases_find(const etr_blocks *blocks, const etr_dump *dumps,
                                      const etr_method_inputs *inputs, size_t method_count,
                                      etr_arena *arena);

/* ---- Times of the runs of a method and of its phases, and how much they vary ---- */

/** Fills `noise`, the phases, the slow runs and starts_with_prompt of a method whose inputs are
 * known and whose runs and samples of blocks are filled. Returns false when out of memory. */
bool etr_phases_measure(etr_method *method, const etr_known_phases *known_phases,
                        const etr_blocks *blocks, etr_arena *arena);

/** Sets `interruptions` and `interrupted` of a method whose time slices and phases are known.
 * Returns false when out of memory. */
bool etr_interruptions_find(etr_method *method, double ticks_per_second, etr_arena *arena);

/* ---- Excluded inferences: warm-up, or runs that the caller excludes ---- */

/** Sets is_skipped of the runs that the options exclude. Of a method whose shapes are dynamic no
 * run is taken for warm-up, because a long first run may have a longer input. `inputs` are those of
 * the methods; NULL: nothing is known of them. Call it once each block has its method, and each run
 * its series and phase. Returns false when out of memory. */
bool etr_skipped_find(etr_blocks *blocks, const etr_method_inputs *inputs,
                      const etr_options *options);

/** Removes excluded runs and their samples from a method's blocks and measures the blocks again.
 * Call it once the events have nodes, because all runs help to find these. Returns false when out
 * of memory. */
bool etr_skipped_drop(const etr_blocks *blocks, uint32_t method);

#endif
