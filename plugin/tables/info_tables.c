/* SPDX-License-Identifier: BSD-3-Clause
 *
 * info_tables.c - what is in the inputs, as tables.
 */
#include "label.h"
#include "table.h"

typedef struct info {
  const etr_profile *profile;
  const etr_table_options *options;
  etr_arena arena;
  etr_writer writer;
  bool has_begun; /* something stands above */
} info;

static void put_line(info *i, const char *title, const char *text) {
  if (!text) return;
  i->has_begun = true;
  etr_putf(&i->writer, "%-10s ", title);
  etr_put_plain(&i->writer, text);
  etr_puts(&i->writer, "\n");
}

static void put_inputs(info *i) {
  put_line(i, "ETRecord", i->profile->etrecord ? i->profile->etrecord : "none");
  for (size_t k = 0; k < i->profile->etdump_count; k++) put_line(i, "ETDump", i->profile->etdumps[k]);
  if (i->profile->etdump_count == 0) put_line(i, "ETDump", "none: there are no times");
  put_line(i, ".pte", i->profile->pte ? i->profile->pte : "none");
  if (i->profile->has_reference_outputs) put_line(i, "", "has reference outputs");
  if (i->profile->has_representative_inputs) put_line(i, "", "has representative inputs");
}

/* "105 tensors and 3 scalars that 3 runs logged" */
static void put_values(info *i) {
  size_t tensors = 0, measured = 0, runs = 0, count = i->profile->debug_value_count;
  for (size_t k = 0; k < count; k++) {
    const etr_debug_value *value = &i->profile->debug_values[k];
    tensors += value->kind == ETR_DEBUG_TENSOR;
    measured += value->stats != NULL;
    runs += k == 0 || value->run != value[-1].run;
  }
  if (count == 0) return;
  const char *numbers = measured == tensors        ? ""
                        : i->profile->debug_buffer ? etr_arena_format(&i->arena, "; %zu of the tensors can be read", measured)
                                                   : "; no debug buffer, so the numbers of the tensors are not known";
  put_line(i, "buffer", i->profile->debug_buffer);
  put_line(i, "logged",
           etr_arena_format(&i->arena, "%zu tensors, %zu scalars in %zu run%s%s", tensors, count - tensors, runs, runs == 1 ? "" : "s", numbers));
}

static void put_table(info *i, etr_table *table, const char *title) {
  if (table->cells.count == 0) return;
  bool markdown = i->options->format == ETR_TABLE_MARKDOWN;
  etr_putf(&i->writer, "%s%s%s\n%s", i->has_begun ? "\n" : "", markdown ? "## " : "", title, markdown ? "\n" : "");
  i->has_begun = true;
  etr_table_write(table, &i->writer, i->options->format, i->options->width);
}

static void add_count(info *i, etr_table *table, size_t count) { etr_table_add(table, etr_arena_format(&i->arena, "%zu", count)); }

static void put_graphs(info *i) {
  static const etr_column columns[] = {{"entry point", false, true}, {"dialect", false, false}, {"schema", false, false}, {"operators", true, false},
                                       {"inputs", true, false},      {"weights", true, false},  {"nested", true, false},  {"entry", false, true}};
  etr_table table;
  etr_table_init(&table, &i->arena, columns, ETR_COUNT(columns));
  etr_table_may_leave_out(&table, 2);
  etr_table_may_leave_out(&table, 6);
  etr_table_may_leave_out(&table, 5);
  for (size_t k = 0; k < i->profile->graph_count; k++) {
    const etr_graph *graph = &i->profile->graphs[k];
    size_t kinds[ETR_NODE_CONSTANT + 1] = {0};
    for (size_t n = 0; n < graph->node_count; n++) kinds[graph->nodes[n].kind]++;
    etr_table_add(&table, etr_arena_format(&i->arena, "%s/%s", graph->module, graph->method));
    etr_table_add(&table, graph->dialect);
    etr_table_add(&table, graph->schema_version);
    add_count(i, &table, kinds[ETR_NODE_OP]);
    add_count(i, &table, kinds[ETR_NODE_INPUT]);
    add_count(i, &table, kinds[ETR_NODE_PARAMETER] + kinds[ETR_NODE_BUFFER] + kinds[ETR_NODE_CONSTANT]);
    add_count(i, &table, graph->subgraph_count);
    etr_table_add(&table, graph->entry);
  }
  put_table(i, &table, "entry points");
}

/* "4 XnnpackBackend"; several backends one after the other. */
static const char *delegates_text(info *i, const etr_method *method) {
  const char *text = "";
  for (size_t k = 0; k < method->delegate_count; k++) {
    size_t same = 0;
    bool first = true;
    for (size_t d = 0; d < method->delegate_count; d++) {
      bool equal = strcmp(method->delegates[d].backend, method->delegates[k].backend) == 0;
      same += equal;
      first &= !(equal && d < k);
    }
    const char *backend = method->delegates[k].backend[0] ? method->delegates[k].backend : "unknown backend";
    if (first && text) text = etr_arena_format(&i->arena, "%s%s%zu %s", text, text[0] ? ", " : "", same, backend);
  }
  return text;
}

static void put_methods(info *i) {
  char *execute = etr_arena_format(&i->arena, "execute avg %s", etr_unit_name(i->options->unit));
  const etr_column columns[] = {{"method", false, true}, {"runs", true, false}, {execute, true, false}, {"delegates", false, true}};
  etr_table table;
  etr_table_init(&table, &i->arena, columns, ETR_COUNT(columns));
  for (size_t k = 0; k < i->profile->method_count; k++) {
    const etr_method *method = &i->profile->methods[k];
    etr_table_add(&table, method->name);
    add_count(i, &table, method->run_count);
    if (method->run_count)
      etr_table_add_time(&table, i->profile, method->execute.avg, i->options->unit);
    else
      etr_table_add(&table, "");
    etr_table_add(&table, delegates_text(i, method));
  }
  put_table(i, &table, "methods");
}

static void put_blocks(info *i) {
  static const etr_column columns[] = {{"block", false, true},  {"runs", true, false},   {"first run", true, false},
                                       {"events", true, false}, {"method", false, true}, {"told by", false, true}};
  etr_table table;
  etr_table_init(&table, &i->arena, columns, ETR_COUNT(columns));
  etr_table_may_leave_out(&table, 2);
  for (size_t k = 0; k < i->profile->block_count; k++) {
    const etr_block *block = &i->profile->blocks[k];
    etr_table_add(&table, block->name);
    add_count(i, &table, block->run_count);
    add_count(i, &table, block->runs[0]);
    add_count(i, &table, block->event_count);
    etr_table_add(&table, block->method == ETR_NONE ? "" : i->profile->methods[block->method].name);
    etr_table_add(&table, block->method_rule);
  }
  put_table(i, &table, "runs");
}

static void put_unknown(info *i) {
  static const etr_column columns[] = {{"entry", false, true}};
  etr_table table;
  etr_table_init(&table, &i->arena, columns, ETR_COUNT(columns));
  for (size_t k = 0; k < i->profile->unknown_entry_count; k++) etr_table_add(&table, i->profile->unknown_entries[k]);
  put_table(i, &table, "unknown entries, left alone");
}

etr_status etr_emit_info_tables(const etr_profile *profile, const etr_table_options *options, const etr_sink *sink, etr_error *error) {
  static const etr_table_options defaults = {0};
  info i = {.profile = profile, .options = options ? options : &defaults};
  etr_error_clear(error);
  etr_writer_init(&i.writer, sink);
  etr_writer_look(&i.writer, i.options);
  if (i.options->format == ETR_TABLE_TEXT) {
    put_inputs(&i);
    put_values(&i);
  }
  put_graphs(&i);
  put_methods(&i);
  put_blocks(&i);
  put_unknown(&i);
  return etr_writer_finish_with(&i.writer, &i.arena, error);
}
