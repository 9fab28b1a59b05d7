/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_page.h - pages of Markdown, for TensorBoard's text tab. Layer 5.
 */
#ifndef ETR_TB_PAGE_H
#define ETR_TB_PAGE_H

#include "arena.h"
#include "etrecord_tb.h"
#include "tb_summary.h"

/** One page. */
typedef struct etr_tb_page {
  etr_tb_summary summary;
  ProtobufCBinaryData text;
} etr_tb_page;

/** Fills a page, which must not be moved then. Tag and Markdown (valid UTF-8) are borrowed. */
void etr_tb_page_init(etr_tb_page *page, double wall_time, const char *tag, const char *markdown);

/** Where a method's time goes: the balance to the nanosecond, as a table. NULL when out of memory. */
char *etr_tb_summary_page(etr_arena *arena, const etr_profile *profile, const etr_method *method);

#endif
