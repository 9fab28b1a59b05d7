/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ETRecords as they are in the file: real ones, and damaged ones.
 */
#include "inputs/record.h"

#include <criterion/criterion.h>
#include <stdio.h>

typedef struct reading {
  etr_arena arena;
  etr_warnings warnings;
  etr_record record;
  etr_error error;
  etr_status status;
} reading;

static void read_record_within(reading *r, const char *path, etr_record_limits limits) {
  char full[512];
  *r = (reading){.warnings.arena = NULL};
  r->warnings.arena = &r->arena;
  etr_error_clear(&r->error);
  snprintf(full, sizeof full, FIXTURES "/%s", path);
  r->status = etr_record_read(&r->record, &r->arena, full, &limits, &r->warnings, &r->error);
}

static void read_record(reading *r, const char *path) {
  read_record_within(r, path, (etr_record_limits){0});
}

/* "MODULE/METHOD DIALECT OPERATORS" of each graph. */
static void describe(const etr_record *record, char *out, size_t size) {
  size_t used = 0;
  out[0] = '\0';
  for (size_t i = 0; i < record->graph_count; i++) {
    const etr_graph *graph = &record->graphs[i];
    size_t operators = 0;
    for (size_t k = 0; k < graph->node_count; k++)
      operators += graph->nodes[k].kind == ETR_NODE_OP;
    used += (size_t)snprintf(out + used, size - used, "%s%s/%s %s %zu", i ? ", " : "",
                             graph->module, graph->method, graph->dialect, operators);
  }
}

Test(record, entry_points_are_listed) {
  static const struct {
    const char *path, *graphs;
    size_t methods, unknown, warnings;
  } cases[] = {
      {"add_mul/etrecord.bin", "aten/forward aten 27, edge/forward edge 33", 1, 0, 0},
      {"multi_method/etrecord.bin", "edge/encode edge 4, edge/decode edge 6", 2, 0, 0},
      {"extra_modules/etrecord.bin",
       "aten/forward aten 27, edge/forward edge 33, aten~2/forward aten 27, post_quant/forward "
       "aten 27, "
       "two_methods/method1 edge 4, "
       "two_methods/method2 edge 2, odd name: \xC3\xA9\"<&>/forward aten 3",
       1, 0, 0},
      {"old_0_6_add_mul/etrecord.bin", "aten/forward aten 27, edge/forward edge 33", 1, 0, 0},
      {"old_1_0_1_add_mul/etrecord.bin",
       "aten/forward aten 27, edge/forward edge 33, aten~2/forward aten 27", 1, 0, 0},
      {"seed_2023/etrecord.bin", "aten/forward aten 27, edge/forward edge 33", 1, 0, 0},
      {"hostile/deflated.etrecord", "aten/forward aten 8, edge/forward edge 8", 1, 0, 0},
      {"hostile/prefix_junk.etrecord", "aten/forward aten 8, edge/forward edge 8", 1, 0, 0},
      {"hostile/missing_exported_program.etrecord", "edge/forward edge 8", 1, 0, 1},
      {"hostile/traversal_names.etrecord", "../../evil aten 8, edge/forward edge 8", 1, 0, 0},
      {"hostile/two_edge_programs.etrecord", "edge/forward edge 1, edge~2/forward edge 8", 1, 0, 1},
      {"hostile/bad_json_edge.etrecord", "aten/forward aten 8", 1, 0, 1},
      {"hostile/crc_mismatch.etrecord", "edge/forward edge 8", 1, 0, 1},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    reading r;
    char text[1024];
    read_record(&r, cases[i].path);
    cr_expect_eq(r.status, ETR_OK, "%s: %s", cases[i].path, r.error.message);
    describe(&r.record, text, sizeof text);
    cr_expect_str_eq(text, cases[i].graphs, "%s: %s", cases[i].path, text);
    cr_expect_eq(r.record.method_count, cases[i].methods, "%s", cases[i].path);
    cr_expect_eq(r.record.unknown_entry_count, cases[i].unknown, "%s", cases[i].path);
    cr_expect_geq(r.warnings.list.count, cases[i].warnings, "%s: %zu warnings", cases[i].path,
                  r.warnings.list.count);
    etr_arena_clear(&r.arena);
  }
}

/* Other programs keep only their names, and are read if there is no Edge program. */
Test(record, edge_only_reads_other_programs_if_there_is_no_edge_program) {
  static const struct {
    const char *path, *graphs;
    size_t warnings;
  } cases[] = {
      {"add_mul/etrecord.bin", "edge/forward edge 33, aten/forward  0", 0},
      {"multi_method/etrecord.bin", "edge/encode edge 4, edge/decode edge 6", 0},
      {"extra_modules/etrecord.bin",
       "edge/forward edge 33, aten/forward  0, aten~2/forward  0, post_quant/forward  0, "
       "two_methods/method1  0, "
       "two_methods/method2  0, "
       "odd name: \xC3\xA9\"<&>/forward  0",
       0},
      {"hostile/bad_json_edge.etrecord", "aten/forward aten 8", 1},
      {"hostile/crc_mismatch.etrecord", "edge/forward edge 8, aten/forward  0", 0},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    reading r;
    char text[1024];
    read_record_within(&r, cases[i].path, (etr_record_limits){.edge_only = true});
    cr_expect_eq(r.status, ETR_OK, "%s: %s", cases[i].path, r.error.message);
    describe(&r.record, text, sizeof text);
    cr_expect_str_eq(text, cases[i].graphs, "%s: %s", cases[i].path, text);
    cr_expect_geq(r.warnings.list.count, cases[i].warnings, "%s", cases[i].path);
    etr_arena_clear(&r.arena);
  }
}

Test(record, damaged_records_are_refused) {
  static const struct {
    const char *path;
    etr_status status;
    const char *entry;
  } cases[] = {
      {"hostile/missing_ETRECORD_V0.etrecord", ETR_ERROR_FORMAT, "ETRECORD_V0"},
      {"hostile/not_zip.etrecord", ETR_ERROR_FORMAT, ""},
      {"hostile/empty.etrecord", ETR_ERROR_FORMAT, ""},
      {"hostile/trunc_half.etrecord", ETR_ERROR_FORMAT,
       "ETRECORD_V0"}, /* only the end of an inner zip remains */
      {"add_mul/etdump.etdp", ETR_ERROR_FORMAT, ""},
      {"hostile", ETR_ERROR_FORMAT, "ETRECORD_V0"},
      {"no/such/file", ETR_ERROR_IO, ""},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    reading r;
    read_record(&r, cases[i].path);
    cr_expect_eq(r.status, cases[i].status, "%s", cases[i].path);
    cr_expect_str_eq(r.error.entry, cases[i].entry, "%s: %s", cases[i].path, r.error.entry);
    cr_expect_str_not_empty(r.error.message);
    cr_expect_not_null(strstr(r.error.file, cases[i].path));
    etr_arena_clear(&r.arena);
  }
}

Test(record, other_entries_are_noticed) {
  reading r;
  read_record(&r, "bundled_update/etrecord.bin");
  cr_expect(r.record.has_reference_outputs);
  cr_expect(r.record.has_representative_inputs);
  cr_expect(r.record.has_handle_map);
  cr_expect(r.record.has_delegate_map);
  etr_arena_clear(&r.arena);
  read_record(&r, "add_mul/etrecord.bin");
  cr_expect_not(r.record.has_reference_outputs);
  cr_expect_str_eq(r.record.export_graph_id, "140258532868368");
  etr_arena_clear(&r.arena);
}

/* The Edge node in truth.json: name, handle, module, source, shape. */
Test(record, a_node_has_name_handle_module_source_and_shape) {
  reading r;
  read_record(&r, "multi_method/etrecord.bin");
  cr_assert_eq(r.status, ETR_OK);
  const etr_graph *graph = &r.record.graphs[1];
  const etr_node *found = NULL;
  for (size_t i = 0; i < graph->node_count; i++)
    if (strcmp(graph->nodes[i].name, "aten_addmm_default") == 0)
      found = &graph->nodes[i];
  cr_assert_not_null(found);
  cr_expect_str_eq(found->target, "aten.addmm.default");
  cr_expect_eq(found->kind, ETR_NODE_OP);
  cr_expect_str_eq(graph->modules[found->module].path, "up");
  cr_expect_str_eq(graph->modules[found->module].type, "torch.nn.modules.linear.Linear");
  cr_expect_eq(found->output_count, 1);
  cr_expect_str_eq(found->outputs[0].dtype, "float32");
  cr_expect_eq(found->outputs[0].rank, 2);
  cr_expect_eq(found->outputs[0].dims[1].size, 12);
  cr_expect_eq(found->input_count, 3);
  cr_assert_not_null(found->source);
  cr_expect_str_eq(found->source->function, "forward");
  cr_expect_eq(found->source->line, 28);
  cr_expect_str_eq(found->source->code, "return torch.softmax(s.n(s.up(x)), -1) * 2");
  etr_arena_clear(&r.arena);
}

/* Without the Edge program, no other entry that belongs to it is reported as missing. */
Test(record, missing_entries_warn) {
  const etr_graph edge = {.module = "edge", .entry = ETR_EDGE_ENTRY},
                  aten = {.module = "aten", .entry = ETR_ATEN_ENTRY};
  const struct {
    const char *title;
    etr_graph graphs[2];
    size_t count;
    bool has_maps;
    unsigned missing;
  } cases[] = {
      {"nothing is there",
       {{0}},
       0,
       false,
       ETR_ENTRY_EDGE_PROGRAM | ETR_ENTRY_OTHER_PROGRAM | ETR_ENTRY_REFERENCE_OUTPUTS},
      {"no Edge program", {aten}, 1, false, ETR_ENTRY_EDGE_PROGRAM | ETR_ENTRY_REFERENCE_OUTPUTS},
      {"an Edge program alone",
       {edge},
       1,
       false,
       ETR_ENTRY_HANDLE_MAP | ETR_ENTRY_DELEGATE_MAP | ETR_ENTRY_OTHER_PROGRAM |
           ETR_ENTRY_REFERENCE_OUTPUTS},
      {"both, with maps", {edge, aten}, 2, true, ETR_ENTRY_GRAPH_ID | ETR_ENTRY_REFERENCE_OUTPUTS},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    etr_graph graphs[2] = {cases[i].graphs[0], cases[i].graphs[1]};
    const etr_record record = {.graphs = graphs,
                               .graph_count = cases[i].count,
                               .has_handle_map_entry = cases[i].has_maps,
                               .has_delegate_map_entry = cases[i].has_maps};
    cr_expect_eq(etr_record_missing(&record), cases[i].missing, "%s: %u", cases[i].title,
                 etr_record_missing(&record));
  }
}
