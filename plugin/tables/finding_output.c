/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_output.c - writes findings.
 */
#include "tables/finding_output.h"

#include "output/label.h"
#include "output/section.h"

void etr_findings_put(etr_answer *answer, const etr_findings *findings, const char *heading) {
  size_t shown = answer->options->findings ? answer->options->findings : ETR_FINDINGS_SHOWN;
  if (findings->count == 0)
    return;
  etr_puts(&answer->writer, "\n");
  etr_put_style(&answer->writer, ETR_STYLE_BOLD);
  etr_putf(&answer->writer, "%s (medians, kernels with calls; savings may overlap)", heading);
  etr_put_style(&answer->writer, ETR_STYLE_PLAIN);
  etr_puts(&answer->writer, etr_section_is_markdown(answer) ? "\n\n" : "\n");
  for (size_t i = 0; i < findings->count && i < shown; i++) {
    const etr_finding *finding = &findings->list[i];
    etr_section_item(answer, etr_arena_format(&answer->arena, "%zu. %s", i + 1, finding->title),
                     etr_arena_format(&answer->arena, "%s %s", finding->evidence, finding->saving));
  }
  if (findings->count > shown)
    etr_putf(&answer->writer, "%zu more: --findings 0\n", findings->count - shown);
}

void etr_finding_put(const etr_fields *f, const etr_finding *finding, bool all) {
  if (all)
    etr_field_text(f, "kind", etr_finding_kind_name(finding->kind));
  etr_field_text(f, "title", finding->title);
  etr_field_text(f, "evidence", finding->evidence);
  etr_field_text(f, "saving", finding->saving);
  etr_field_ticks(f, "potential", finding->potential);
  etr_field_number(f, "potential_share", finding->potential_share);
  if (all)
    etr_field_text(f, "sureness", etr_sureness_name(finding->sureness));
  if (all)
    etr_field_text(f, "caveat", finding->caveat[0] ? finding->caveat : NULL);
  etr_field_ticks(f, "cost", finding->cost);
  etr_field_number(f, "share", finding->share);
  if (all)
    etr_field_flag(f, "once", finding->is_once);
  if (all)
    etr_field_ticks(f, "slope", finding->slope);
}

static void put_finding(etr_answer *answer, const etr_finding *finding, const etr_graph *graph) {
  const etr_fields *f = &answer->fields;
  etr_jw_object(f->json);
  etr_finding_put(f, finding, true);
  etr_field_list(f, "nodes");
  for (size_t i = 0; i < finding->node_count; i++)
    etr_jw_string(f->json, etr_label_node(&answer->arena, graph, finding->nodes[i]));
  etr_jw_end(f->json);
  etr_field_list(f, "instructions");
  for (size_t i = 0; i < finding->instruction_count; i++)
    etr_jw_int(f->json, finding->instructions[i]);
  etr_jw_end(f->json);
  etr_field_list(f, "overlaps");
  for (size_t i = 0; i < finding->overlap_count; i++)
    etr_jw_int(f->json, finding->overlaps[i]);
  etr_jw_end(f->json);
  etr_jw_end(f->json);
}

void etr_field_findings(etr_answer *answer, const etr_findings *findings, const etr_graph *graph) {
  etr_field_list(&answer->fields, "findings");
  for (size_t i = 0; i < findings->count; i++)
    put_finding(answer, &findings->list[i], graph);
  etr_jw_end(answer->fields.json);
}
