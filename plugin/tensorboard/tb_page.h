/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_page.h - pages of Markdown, for TensorBoard's text tab. Layer 5.
 */
#ifndef ETR_TB_PAGE_H
#define ETR_TB_PAGE_H

#include "base/arena.h"
#include "etrecord_tb.h"
#include "tensorboard/tb_summary.h"

enum {
  ETR_TB_PAGE_ROWS = 50,
  ETR_TB_MOST_ROWS = 100
}; /* TensorBoard turns Markdown into HTML whenever the page is looked at */

/** One page. */
typedef struct etr_tb_page {
  etr_tb_summary summary;
  ProtobufCBinaryData text;
} etr_tb_page;

/** Fills a page, which must not be moved afterwards. Tag and Markdown (valid UTF-8) are borrowed. */
void etr_tb_page_init(etr_tb_page *page, double wall_time, const char *tag, const char *markdown);

/* Each returns a page in the arena, or NULL when out of memory; the arena has failed then. */

/** Where a method's time goes: the balance to the nanosecond, and the largest operators, modules, backends and source
 * lines. */
char *etr_tb_summary_page(etr_arena *arena, const etr_profile *profile, const etr_method *method);

/** The operators that took longest, as etr_emit_nodes_table() lists them: ETR_TB_PAGE_ROWS at most. */
char *etr_tb_operators_page(etr_arena *arena, const etr_profile *profile, const etr_method *method);

/** What is delegated, per operator type: ETR_TB_MOST_ROWS at most. */
char *etr_tb_delegation_page(etr_arena *arena, const etr_profile *profile, const etr_method *method);

/** The findings of findings.h. NULL also if there are none. */
char *etr_tb_findings_page(etr_arena *arena, const etr_profile *profile, const etr_method *method);

/** The memory that a method's program plans. NULL also if no program tells. */
char *etr_tb_memory_page(etr_arena *arena, const etr_profile *profile, const etr_method *method);

#endif
