/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_hparams.h - what tells one run from another, for TensorBoard's hparams tab: one row for each method that ran. Layer 5.
 *
 * There is no `_hparams_/experiment`: of several, TensorBoard takes any one, and then shows only the columns that it names. Without one it collects
 * the columns from all runs, and shows the first five scalars by name: benchmark_ms/.
 */
#ifndef ETR_TB_HPARAMS_H
#define ETR_TB_HPARAMS_H

#include "arena.h"
#include "etrecord_tb.h"
#include "tb_summary.h"

/** The start of a session, or its end. */
typedef struct etr_tb_session {
  etr_tb_summary summary;
  Tensorboard__TensorShapeProto__Dim dim, *dims;
} etr_tb_session;

/** Fills the event of the start, which must not be moved then: the given facts, and of those that are not among them what the profile tells. The
 *  contents live in the arena; a failed allocation is the arena's. */
void etr_tb_session_start(etr_tb_session *session, etr_arena *arena, double wall_time, const etr_profile *profile, const etr_method *method,
                          const etr_hparam *given, size_t given_count);

/** Likewise the event of the end: it went well. */
void etr_tb_session_end(etr_tb_session *session, etr_arena *arena, double wall_time);

#endif
