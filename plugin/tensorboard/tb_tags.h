/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_tags.h - the tags of curves and distributions: what they mean, and the charts that
 * TensorBoard's tab CUSTOM SCALARS makes of them. Layer 5.
 *
 * TensorBoard sorts tags by name and opens the first two groups, so names begin with a number, in
 * the order in which a reader asks. TIME SERIES shows nothing but the tag, so the tag has the unit.
 * SCALARS has one description for a tag of all records, so it has no figures and no names of a
 * record.
 */
#ifndef ETR_TB_TAGS_H
#define ETR_TB_TAGS_H

#include "base/arena.h"

/* ---- Tags: GROUP/NAME, and GROUP/NAME/METHOD if the record has several methods ---- */

/* Curves over the builds of a model, whose step is that of `write --step`. */
#define ETR_TB_BUILDS "0_builds_ms"
#define ETR_TB_BUILDS_TEXT "0_builds"
#define ETR_TB_BUILDS_PARTS "0_builds_parts_ms"
#define ETR_TB_BUILDS_KERNELS "0_builds_kernel_ms"
#define ETR_TB_BUILDS_TOKENS "0_builds_tokens"
#define ETR_TB_BUILDS_BYTES "0_builds_bytes"
/* Curves inside one record. */
#define ETR_TB_INFERENCE "1_inference_ms"
#define ETR_TB_TOKENS "1_tokens"
#define ETR_TB_PARTS "2_parts_ms"
#define ETR_TB_DELEGATE "3_delegate_ms"
#define ETR_TB_OP_TYPE "3_op_type_ms"
#define ETR_TB_MEMORY "4_memory_bytes"
#define ETR_TB_TIMELINE_GROUP "5_timeline_ms"
#define ETR_TB_ACCURACY "6_accuracy_db"
#define ETR_TB_ERROR_SPREAD "9_accuracy_error"
#define ETR_TB_INFERENCE_SPREAD "9_inference_spread_ms"
/* One number for the record. TensorBoard sorts "~" behind digits and letters. */
#define ETR_TB_METRICS "~metrics"
#define ETR_TB_TEXT "1_summary"

/** Returns the description of a tag in Markdown: what it is, its unit, its step, and the command
 * that prints the same. Static; "" if the tag is none of those above. */
const char *etr_tb_description(const char *tag);

/** Unique tags of one run. */
typedef struct etr_tb_tags {
  etr_arena *arena;
  etr_map taken;
} etr_tb_tags;

void etr_tb_tags_init(etr_tb_tags *tags, etr_arena *arena);

/** Returns a unique tag GROUP/NAME and suffix; the name, which may be any text, is cut if it is
 * long. NULL when out of memory. */
const char *etr_tb_tag(etr_tb_tags *tags, const char *group, const char *name, const char *suffix);

/** Returns the tag of a graph that is a value of its run: "edge/forward", unique, and none of the
 * tags of this file. NULL when out of memory. */
const char *etr_tb_graph_tag(etr_tb_tags *tags, const char *module, const char *method);

/* ---- The layout of CUSTOM SCALARS ---- */

struct etr_packer; /* pack.h */

#define ETR_TB_LAYOUT "custom_scalars__config__"

/** Packs the layout of a record, or that of builds, which is the same for all records: TensorBoard
 * merges the layouts of all runs, and charts that differ would appear twice. */
void etr_tb_layout_pack(struct etr_packer *packer, bool of_builds);

#endif
