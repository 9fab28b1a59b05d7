/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_hparams.h - what tells one run from another, for TensorBoard's hparams tab: one row for each record
 * with a method that ran. Layer 5.
 *
 * There is no `_hparams_/experiment`: of several, TensorBoard takes any one, and then shows only the columns that it
 * names. Without one it collects the columns from all runs, and shows the first five scalars by name: benchmark_ms/.
 */
#ifndef ETR_TB_HPARAMS_H
#define ETR_TB_HPARAMS_H

#include "base/arena.h"
#include "etrecord_tb.h"
#include "tensorboard/tb_summary.h"

/** Fills the event of a session's start, which must not move afterwards: the given facts, and what the profile knows
 * beyond them. The contents live in the arena; a failed allocation is the arena's. */
void etr_tb_session_start(etr_tb_summary *session, etr_arena *arena, double wall_time, const etr_profile *profile,
                          const etr_tag *given, size_t given_count);

/** Likewise the event of its end: it succeeded. */
void etr_tb_session_end(etr_tb_summary *session, etr_arena *arena, double wall_time);

#endif
