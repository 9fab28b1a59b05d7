/* SPDX-License-Identifier: BSD-3-Clause
 *
 * commands.c - the commands: what those do that need no file of their own, and the table of all.
 */
#include "command/layout.h"
#include "command/option_table.h"

#include <string.h>

/* ---- Tables and documents ---- */

static etr_status command_info_json(const etr_profile *profile, const etr_node_filter *filter, etr_unit unit,
                                    const etr_sink *sink, etr_error *error) {
  (void)filter;
  return etr_emit_info_json(profile, unit, sink, error);
}

static etr_status command_info_tables(const etr_profile *profile, const etr_node_filter *filter,
                                      const etr_table_options *options, const etr_sink *sink, etr_error *error) {
  (void)filter;
  return etr_emit_info_tables(profile, options, sink, error);
}

static etr_status command_print(const etr_profile *profile, const cli_settings *settings, const etr_sink *sink,
                                etr_error *error) {
  const etr_node_filter filter = command_filter(settings);
  const etr_table_options options = command_table_options(settings);
  const table_emitter table = settings->values ? etr_emit_values_table : settings->command->table;
  if (settings->format == FORMAT_JSON) return settings->command->json(profile, &filter, settings->unit, sink, error);
  return table(profile, &filter, &options, sink, error);
}

static etr_status command_source(const etr_profile *profile, const cli_settings *settings, const etr_sink *sink,
                                 etr_error *error) {
  const etr_node_filter filter = command_filter(settings);
  const etr_table_options options = command_table_options(settings);
  const etr_source_options source = {
      .read_files = true, .root = settings->source_root, .by_pattern = settings->has_by && settings->by == 1};
  if (settings->format == FORMAT_JSON) return etr_emit_source_json(profile, &filter, settings->unit, sink, error);
  return etr_emit_source_tables(profile, &filter, &source, &options, sink, error);
}

/* ---- Files for viewers ---- */

static etr_status command_trace(const etr_profile *profile, const cli_settings *settings, const etr_sink *sink,
                                etr_error *error) {
  const etr_trace_options options = {.method = settings->method,
                                     .gzip = strcmp(command_extension(settings), ".gz") == 0};
  return etr_emit_trace(profile, &options, sink, error);
}

static exit_status command_check_export(const cli_settings *settings) {
  return settings->has_target ? EXIT_DONE : message_usage("export", "export needs a viewer: --to model-explorer");
}

static etr_status command_export(const etr_profile *profile, const cli_settings *settings, const etr_sink *sink,
                                 etr_error *error) {
  const etr_node_data_options options = {
      .statistic = settings->statistic, .unit = settings->unit, .adapter = settings->adapter};
  size_t graph;
  etr_status status = command_entry(&graph, profile, settings, error);
  return status == ETR_OK ? etr_emit_node_data(profile, graph, &options, sink, error) : status;
}

/* ---- dot: an entry point as DOT, or as a picture ---- */

typedef struct drawn_entry {
  const etr_profile *profile;
  size_t graph;
  etr_dot_options options;
} drawn_entry;

static etr_status emit_dot(void *context, const etr_sink *sink, etr_error *error) {
  const drawn_entry *entry = context;
  return etr_emit_dot(entry->profile, entry->graph, &entry->options, sink, error);
}

/* --format, or else by the file's extension. */
static drawing_format chosen_format(const cli_settings *settings) {
  const char *extension = settings->has_drawing ? "" : command_extension(settings);
  if (strcmp(extension, ".svg") == 0) return DRAWING_SVG;
  return strcmp(extension, ".png") == 0 ? DRAWING_PNG : settings->drawing;
}

/* DOT in a file with the extension of another format would look broken. */
static exit_status command_check_dot(const cli_settings *settings) {
  static const char *const known[] = {"", ".dot", ".gv", ".svg", ".png"};
  const char *extension = command_extension(settings);
  if (chosen_format(settings) == DRAWING_PNG && command_fills_terminal(settings))
    return message_usage("dot", "refusing to write a PNG to a terminal; use -o FILE");
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strcmp(extension, known[i]) == 0 || settings->has_drawing || !command_has_file(settings)) return EXIT_DONE;
  return message_usage("dot", "cannot write %s files; name FILE .svg, .png or .dot, or give --format", extension);
}

static etr_status command_dot(const etr_profile *profile, const cli_settings *settings, const etr_sink *sink,
                              etr_error *error) {
  static const char *const formats[] = {[DRAWING_SVG] = "svg", [DRAWING_PNG] = "png"};
  static const layout_patience patience = {.silent = 10, .longest = 300};
  drawing_format format = chosen_format(settings);
  drawn_entry entry = {.profile = profile,
                       .options = {.depth = (int)settings->depth,
                                   .focus = settings->focus,
                                   .top = (size_t)settings->most_expensive,
                                   .fold = settings->fold}};
  etr_status status = command_entry(&entry.graph, profile, settings, error);
  if (status != ETR_OK) return status;
  return format == DRAWING_DOT ? emit_dot(&entry, sink, error)
                               : layout_write(formats[format], patience, emit_dot, &entry, sink, error);
}

bool command_draws_picture(const cli_settings *settings) {
  return settings->command->answer == command_dot && chosen_format(settings) != DRAWING_DOT;
}

/* ---- report ---- */

static exit_status command_check_report(const cli_settings *settings) {
  if (!command_fills_terminal(settings)) return EXIT_DONE;
  return message_usage("report", "refusing to write HTML to a terminal; use -o FILE");
}

static etr_status command_report(const etr_profile *profile, const cli_settings *settings, const etr_sink *sink,
                                 etr_error *error) {
  return etr_emit_report(profile, settings->unit, sink, error);
}

typedef struct two_records {
  const etr_profile *base, *newer;
  etr_unit unit;
} two_records;

static etr_status emit_two(void *context, const etr_sink *sink, etr_error *error) {
  const two_records *two = context;
  return etr_emit_report_of_two(two->base, two->newer, two->unit, sink, error);
}

static exit_status command_report_two(const etr_profile *base, const etr_profile *newer, const cli_settings *settings) {
  return command_put(settings, emit_two, &(two_records){base, newer, settings->unit});
}

/* ---- diff: what became slower or faster ---- */

static bool is_asked_for(const etr_method_pair *method, const cli_settings *settings) {
  return !settings->method || strcmp(method->name, settings->method) == 0;
}

static const char *name_of(const etr_method_pair *method) { return method->name[0] ? method->name : "a method"; }

exit_status command_check_limits(const etr_comparison *comparison, const cli_settings *settings) {
  double part = settings->fail_above / 100; /* 0.05 for 5 % */
  size_t compared = 0, exceeded = 0, untold = 0;
  if (!settings->has_fail_above) return EXIT_DONE;
  for (size_t i = 0; i < comparison->method_count; i++) {
    const etr_method_pair *method = &comparison->methods[i];
    const etr_change *execute = &method->execute;
    char text[512];
    if (!is_asked_for(method, settings) || !execute->base_runs || !execute->new_runs) continue;
    compared++;
    bool is_above = execute->low > part, is_below = execute->high < part; /* both are false without an interval */
    if (is_below) continue;
    etr_describe_change(text, sizeof text, comparison, execute);
    message_failed("%s: %s the limit of %g %%: %s", name_of(method),
                   is_above ? "above" : "cannot tell whether it is above", 100 * part, text);
    *(is_above ? &exceeded : &untold) += 1;
  }
  if (exceeded) return EXIT_ABOVE_LIMIT;
  if (untold) return EXIT_CANNOT_TELL;
  return compared ? EXIT_DONE : message_failed("--fail-above: no method was timed in both records");
}

exit_status command_check_noise(const cli_settings *settings, const char *command) {
  bool good = !settings->has_recording_noise || (settings->recording_noise > 0 && settings->recording_noise <= 100);
  return good ? EXIT_DONE : message_usage(command, "--recording-noise takes a percentage above 0, up to 100");
}

etr_compare_options command_compare_options(const cli_settings *settings) {
  return (etr_compare_options){.limit = settings->has_fail_above ? settings->fail_above / 100 : 0,
                               .recording_noise = settings->recording_noise / 100};
}

/* Warns if the two sides are not the same model or were given other inputs. Text and Markdown begin with that anyway.
 */
static void warn_of_differences(const etr_comparison *comparison, const cli_settings *settings) {
  if (settings->format == FORMAT_TEXT || settings->format == FORMAT_MARKDOWN) return;
  for (size_t i = 0; i < comparison->method_count; i++) {
    const etr_method_pair *method = &comparison->methods[i];
    if (!is_asked_for(method, settings) || !method->execute.base_runs || !method->execute.new_runs) continue;
    if (method->may_differ)
      message_warning("%s: these look like two different models: %zu of %zu timed nodes match", name_of(method),
                      method->timed_paired, method->timed_nodes);
    for (size_t k = 0; k < method->difference_count; k++)
      if (method->differences[k].kind == ETR_DIFFERS_INPUT) {
        message_warning("%s: inputs are not the same on both sides", name_of(method));
        break;
      }
  }
}

typedef struct compared {
  const etr_comparison *comparison;
  const cli_settings *settings;
} compared;

static etr_status emit_comparison(void *context, const etr_sink *sink, etr_error *error) {
  const etr_comparison *comparison = ((const compared *)context)->comparison;
  const cli_settings *settings = ((const compared *)context)->settings;
  etr_diff_filter filter = {.method = settings->method,
                            .by = settings->has_by ? ETR_DIFF_BY_NODE + settings->by : ETR_DIFF_BY_ALL};
  etr_table_options options = command_table_options(settings);
  return settings->format == FORMAT_JSON ? etr_emit_diff_json(comparison, &filter, settings->unit, sink, error)
                                         : etr_emit_diff_tables(comparison, &filter, &options, sink, error);
}

exit_status command_print_diff(const etr_comparison *comparison, const cli_settings *settings) {
  bool is_there = !settings->method;
  for (size_t i = 0; i < comparison->method_count && !is_there; i++)
    is_there = is_asked_for(&comparison->methods[i], settings);
  if (!is_there) return message_failed("neither record has a method named %s", settings->method);
  warn_of_differences(comparison, settings);
  return command_put(settings, emit_comparison, &(compared){comparison, settings});
}

static exit_status command_diff(const etr_profile *base, const etr_profile *newer, const cli_settings *settings) {
  etr_error error;
  etr_comparison *comparison;
  const etr_compare_options options = command_compare_options(settings);
  exit_status checked = command_check_noise(settings, "diff");
  if (checked != EXIT_DONE) return checked;
  if (etr_compare(&comparison, base, newer, &options, &error) != ETR_OK) return message_error(&error);
  exit_status result = command_print_diff(comparison, settings);
  if (result == EXIT_DONE) result = command_check_limits(comparison, settings);
  etr_comparison_close(comparison);
  return result;
}

/* ---- strip and pack: write records ---- */

typedef struct stripped {
  const char *record;
  etr_strip_options options;
} stripped;

static etr_status emit_stripped(void *context, const etr_sink *sink, etr_error *error) {
  const stripped *s = context;
  return etr_record_strip(s->record, &s->options, sink, error);
}

/* Runs an emitter with the record that RECORD names, which it finds at *record: the ETRecord that RECORD is or has in
 * it. A directory without one is itself, if parts are looked for. */
static exit_status put_record(const cli_settings *settings, const char **record, etr_emitter emit, void *context) {
  etr_error error;
  etr_inputs inputs = {0};
  exit_status result = EXIT_DONE;
  if (command_fills_terminal(settings))
    return message_usage(settings->command->name, "refusing to write a zip to a terminal; use -o FILE");
  if (settings->record) {
    etr_status status = etr_inputs_find(&inputs, settings->record, &(etr_inputs){.pte = settings->pte}, &error);
    bool may_be_parts = settings->command->takes_parts && (status == ETR_OK || status == ETR_ERROR_CHOICE);
    *record = status == ETR_OK ? inputs.etrecord : NULL;
    if (!*record && may_be_parts) *record = settings->record;
    if (!*record && status == ETR_OK) result = message_failed("%s: there is no ETRecord", settings->record);
    if (!*record && status != ETR_OK) result = message_error(&error);
  }
  if (result == EXIT_DONE) result = command_put(settings, emit, context);
  etr_inputs_clear(&inputs);
  return result;
}

static exit_status command_strip(const cli_settings *settings) {
  stripped s = {.options = {.no_source = settings->no_source,
                            .rename_modules = settings->rename_modules,
                            .notes = {.take = message_note}}};
  return put_record(settings, &s.record, emit_stripped, &s);
}

typedef struct packed {
  const etr_part *parts;
  size_t count;
  etr_pack_options options;
} packed;

static etr_status emit_packed(void *context, const etr_sink *sink, etr_error *error) {
  const packed *p = context;
  return etr_record_pack(p->parts, p->count, &p->options, sink, error);
}

static exit_status command_pack(const cli_settings *settings) {
  etr_part parts[MAX_LIST + 3];
  packed p = {.parts = parts, .count = settings->part_count, .options = {.notes = {.take = message_note}}};
  memcpy(parts, settings->parts, p.count * sizeof *parts);
  if (settings->pte) parts[p.count++] = (etr_part){.kind = ETR_PART_PTE, .path = settings->pte};
  if (settings->bundled) parts[p.count++] = (etr_part){.kind = ETR_PART_BUNDLED, .path = settings->bundled};
  if (!settings->record && p.count == 0)
    return message_usage("pack", "nothing to pack: name a record, or parts as NAME=FILE");
  return put_record(settings, &p.options.record, emit_packed, &p);
}

/* ---- validate: what is wrong with a record ---- */

typedef struct validated {
  const etr_validation *validation;
  const cli_settings *settings;
} validated;

static etr_status emit_flaws(void *context, const etr_sink *sink, etr_error *error) {
  const validated *v = context;
  const etr_table_options options = command_table_options(v->settings);
  return v->settings->format == FORMAT_JSON ? etr_emit_validation_json(v->validation, sink, error)
                                            : etr_emit_validation_table(v->validation, &options, sink, error);
}

static exit_status command_validate(const cli_settings *settings) {
  etr_error error;
  etr_inputs inputs;
  etr_validation *validation;
  exit_status result = command_find(&inputs, settings);
  if (result != EXIT_DONE) return result;
  etr_status status = etr_record_validate(&validation, &inputs, &error);
  if (settings->record) etr_inputs_clear(&inputs);
  if (status != ETR_OK) return message_error(&error);
  result = command_put(settings, emit_flaws, &(validated){validation, settings});
  bool is_good = validation->kind_counts[ETR_FLAW_DAMAGE] + validation->kind_counts[ETR_FLAW_MISMATCH] == 0;
  etr_validation_close(validation);
  return result == EXIT_DONE && !is_good ? EXIT_BAD_INPUT : result;
}

/* ---- The table ---- */

/* What a command needs that shows times and nodes. */
enum { TIMES_ONLY = ETR_WITHOUT_COSTS | ETR_WITHOUT_MEMORY | ETR_WITHOUT_SOURCES };

const cli_command commands[] = {
    {.name = "write",
     .bit = FOR_WRITE,
     .arguments = "RECORD...",
     .summary = "write TensorBoard run folders and DOT files (the default)",
     .help =
         "Writes LOGDIR/NAME/K_MODULE/METHOD/events.out.tfevents... and LOGDIR/NAME/dot/MODULE/METHOD.dot for every "
         "entry point of the record, and prints their paths. Writing a record again replaces its files, even while "
         "TensorBoard is running; emptied event files stay, because TensorBoard needs them to find the new ones. Files "
         "that etrecord-tb did not write are never replaced or removed: LOGDIR/NAME/.etrecord-tb lists its own. "
         "Symbolic links below LOGDIR are not followed. A second writer of the same folder waits for the first.\n"
         "In TensorBoard, choose GRAPHS, Tag: profile/avg, Color by: Compute time. Curves, histograms and text are in "
         "the "
         "record's first run. TensorBoard selects no run by itself where there are more than 40: write many records "
         "with "
         "--graphs edge.",
     .examples = {{"mobilenet_v2", "writes runs/mobilenet_v2/...; view it with `tensorboard --logdir runs`"},
                  {"write model.etrecord --etdump monday.etdp --name monday",
                   "the runs of one dump, in their own folder"},
                  {"write mobilenet_v2 --graphs edge --name nightly/monday", "one of many records to compare"}},
     .run = command_write,
     .writes_logdir = true},
    {.name = "info",
     .bit = FOR_INFO,
     .arguments = "RECORD...",
     .without = ETR_WITHOUT_MEMORY,
     .summary = "what a record contains: graphs, methods, delegates, runs",
     .help = "Lists what the inputs contain: entry points with dialect and node counts, methods with their delegates, "
             "runs with the method that each executed, and anything missing or unknown.",
     .examples = {{"info mobilenet_v2", "an overview of a record"},
                  {"info etdump.etdp", "the runs in a dump whose ETRecord is not at hand"}},
     .answer = command_print,
     .json = command_info_json,
     .table = command_info_tables},
    {.name = "nodes",
     .bit = FOR_NODES,
     .arguments = "RECORD...",
     .without = ETR_WITHOUT_MEMORY,
     .summary = "graph nodes with their times",
     .help =
         "Prints graph nodes with their times. The text table lists the nodes of timed graphs, slowest first; JSON has "
         "every node of every graph. The column order is the number of the instruction that runs a node first, or "
         "calls "
         "its delegate.",
     .examples = {{"nodes mobilenet_v2 --top 10", "the ten slowest nodes"},
                  {"nodes mobilenet_v2 --op 'aten.conv*' --module features.1", "the convolutions of one block"},
                  {"nodes mobilenet_v2 --backend cpu", "nodes that ran as CPU kernels, not in a delegate"},
                  {"nodes mobilenet_v2 --values", "minimum, maximum, mean and NaN count of each logged tensor"},
                  {"nodes mobilenet_v2 --top 0 --format csv > nodes.csv", "all nodes, for a spreadsheet"}},
     .answer = command_print,
     .json = etr_emit_nodes_json,
     .table = etr_emit_nodes_table,
     .need = NEEDS_GRAPHS},
    {.name = "events",
     .bit = FOR_EVENTS,
     .arguments = "RECORD...",
     .without = TIMES_ONLY,
     .summary = "the event table of ExecuTorch's Inspector, joined to nodes",
     .help =
         "Prints the events of the ETDump in blocks of runs with the same events, grouped as ExecuTorch's Inspector "
         "groups them. Each event shows the node that its time was attributed to and how it was matched.",
     .examples = {{"events mobilenet_v2 --method forward", "the events of one method"},
                  {"events etdump.etdp --unit cycles", "raw tick counts of a dump without its ETRecord"}},
     .answer = command_print,
     .json = etr_emit_events_json,
     .table = etr_emit_events_table,
     .need = NEEDS_RUNS,
     .edge_only = true,
     .shows_all = true},
    {.name = "summary",
     .bit = FOR_SUMMARY,
     .arguments = "RECORD...",
     .without = ETR_WITHOUT_MEMORY,
     .summary = "where the time goes, by operator, module, backend and source line",
     .help = "Breaks down the time of each method: on graph nodes, in delegates beyond their nodes (operators that the "
             "lowering inserted, and the rest of the calls), in the framework, and unexplained. The parts add up to "
             "Method::execute. Then lists the slowest operators; sums by operator type, module, backend and source "
             "line; the first run against the others; load times; and findings: likely problems with their cost and "
             "the events that show them. --module, --op and --backend select a part.",
     .examples = {{"summary mobilenet_v2 --top 5", "the top five of each list"},
                  {"summary llama --by pattern", "attention or feed-forward? All layers in one line each"},
                  {"summary mobilenet_v2 --format markdown", "for a pull request"},
                  {"summary model.etrecord --etdump device.etdp --source-unit us",
                   "a dump from a device whose clock counts microseconds"}},
     .answer = command_print,
     .json = etr_emit_summary_json,
     .table = etr_emit_summary_tables,
     .rows = 10,
     .need = NEEDS_RUNS,
     .edge_only = true},
    {.name = "source",
     .bit = FOR_SOURCE,
     .arguments = "RECORD...",
     .without = ETR_WITHOUT_MEMORY,
     .summary = "the model's source lines with their time",
     .help = "Prints the model's source files with the time of each line. Lines come from the stack traces that the "
             "export recorded: the innermost frame outside torch. Surrounding lines are shown if the file is on disk "
             "and still contains the recorded code; --source-root tells where files have moved. Nodes without a source "
             "are listed separately, so that everything adds up to the time on graph nodes.",
     .examples = {{"source mobilenet_v2", "every file, slowest first"},
                  {"source mobilenet_v2 --source-root ~/work/models", "files recorded on another machine"},
                  {"source mobilenet_v2 --op 'aten.conv*' --top 5", "the five lines with the slowest convolutions"}},
     .answer = command_source,
     .reads_sources = true,
     .edge_only = true},
    {.name = "delegation",
     .bit = FOR_DELEGATION,
     .arguments = "RECORD...",
     .without = TIMES_ONLY,
     .summary = "what is delegated, by operator type, with times",
     .help =
         "Counts the delegated and other nodes of each operator type, as ExecuTorch's print_delegation_info does, "
         "but from the saved record alone and with times. Where backends tell, also lists each delegate with its own "
         "time by phase (copying, computing, waiting) and all of its time by compute unit. Without an ETRecord, "
         "counts operators inside delegates and kernels of the .pte.",
     .examples = {{"delegation mobilenet_v2", "the operators that no backend took, and what they cost"},
                  {"delegation mobilenet_v2 --by delegate --format csv", "each delegate in a row"}},
     .answer = command_print,
     .json = etr_emit_delegation_json,
     .table = etr_emit_delegation_tables,
     .need = NEEDS_GRAPHS,
     .edge_only = true},
    {.name = "memory",
     .bit = FOR_MEMORY,
     .arguments = "RECORD...",
     .without = ETR_WITHOUT_COSTS,
     .summary = "planned buffers, tensors at the peak, weights, constants",
     .help = "Tells from the program (.pte) what memory each method plans: buffers, and what of them is live at the "
             "peak, tensor by tensor, with the operator and module that made it; inputs and outputs; what delegates "
             "are given; constants by segment; with the ETRecord the weights by module; allocations that an ETDump "
             "logged. The difference between planned and live bytes is what gaps between tensors cost. Lifetimes are "
             "those of ExecuTorch's memory planning: from the first instruction that uses a tensor to the last. "
             "Findings name what sets the peak, and which instructions would lower it if they ran elsewhere. What a "
             "program cannot tell, such as the working memory of delegates, is a line that says so.\n"
             "CSV, TSV and JSON Lines have a row for each planned tensor and constant; JSON also the live bytes of "
             "each instruction.",
     .examples = {{"memory mobilenet_v2", "what sets the peak, and what is lost"},
                  {"memory mobilenet_v2 --format csv > tensors.csv", "each tensor with its offset and lifetime"},
                  {"memory llama --method decode --top 20", "one method, longer lists"}},
     .answer = command_print,
     .json = etr_emit_memory_json,
     .table = etr_emit_memory_tables,
     .rows = 10,
     .need = NEEDS_PROGRAM,
     .edge_only = true},
    {.name = "dot",
     .bit = FOR_DOT,
     .arguments = "RECORD...",
     .without = ETR_WITHOUT_MEMORY,
     .summary = "a graph as Graphviz DOT, SVG or PNG, coloured by time",
     .help = "Draws one entry point: modules as frames, time as colour, delegates by the colour of the border. Without "
             "--entry, draws the record's first. SVG and PNG need Graphviz' `dot` program. Without --depth, expands as "
             "many boxes as remain readable.",
     .examples = {{"dot mobilenet_v2 -o mobilenet_v2.svg", "a picture for a browser; tooltips have the details"},
                  {"dot mobilenet_v2 --focus features.1 -o block.png", "one module and its neighbours"},
                  {"dot llama --fold -o llama.svg", "each of 32 layers as one block, for a document"},
                  {"dot mobilenet_v2 --top 10 -o top.svg", "the ten slowest nodes in their surroundings"}},
     .check = command_check_dot,
     .answer = command_dot},
    {.name = "report",
     .bit = FOR_REPORT,
     .arguments = "[BASE] RECORD...",
     .summary = "everything in one HTML file, without TensorBoard or a network",
     .help =
         "Writes the ExecuTorch dashboard and the record's profile as one HTML file: where the time goes, "
         "operators, modules, the timeline of the median run, delegation. It opens in any browser and loads "
         "nothing from the network.\n"
         "With BASE, the file shows both records, and what became slower or faster, as `diff` does. Two directories, "
         "or two files of the same kind, are a base and a record; other files are those of one record.",
     .examples = {{"report mobilenet_v2 -o report.html", "a file to view or send"},
                  {"report etrecord.bin etdump.etdp model.pte -o report.html", "the files of one record"},
                  {"report before after -o report.html", "two records and what changed between them"}},
     .check = command_check_report,
     .answer = command_report,
     .compare = command_report_two,
     .edge_only = true},
    {.name = "diff",
     .bit = FOR_DIFF,
     .arguments = "BASE [NEW]",
     .without = ETR_WITHOUT_MEMORY,
     .summary = "what became slower or faster, by node, operator, module, backend",
     .help =
         "Compares two records, each an ETRecord, an ETDump or a directory: medians, and how far the change can be "
         "trusted. To compare two dumps of one record, give them as BASE and NEW with --etrecord, or give the record "
         "and --etdump twice.\n"
         "A recording is one ETDump, a run one inference. Recordings of one program differ as a whole, so a change is "
         "judged by them: with three or more on each side by their medians, with fewer by all runs (at least 10 on "
         "each side) and an assumed difference of 3 % (--recording-noise). The interval that is printed holds the true "
         "change in 95 of 100 comparisons. It decides: slower, faster, equal (within the limit), or cannot tell, with "
         "the reason and what would help.\n"
         "With --fail-above 5%, the exit status is 3 if even the lower end of the interval of a method's "
         "Method::execute is above 5 %, 0 if even the upper end is below it, and 4 otherwise. Single nodes do not "
         "count.\n"
         "If inputs, types, backends or perhaps the models differ, the first line says so. The first table goes from "
         "the base's median to the new one, by operator or by what --by names.\n"
         "Text and Markdown omit what did not change or cannot be told; --top 0 lists everything. CSV lists "
         "everything unless --top limits it, JSON always does.",
     .examples = {{"diff before after", "two directories"},
                  {"diff monday.etdp tuesday.etdp --etrecord model.etrecord", "two dumps of one record"},
                  {"diff before after --fail-above 5%", "for CI: fails if a method surely got slower"},
                  {"diff before after --format markdown", "for a comment on a pull request"}},
     .compare = command_diff,
     .rows = 10,
     .edge_only = true},
    {.name = "trace",
     .bit = FOR_TRACE,
     .arguments = "RECORD...",
     .without = ETR_WITHOUT_MEMORY | ETR_WITHOUT_COSTS,
     .summary = "the runs on a timeline, for Perfetto or chrome://tracing",
     .help =
         "Writes the runs as Chrome trace events (with --skip-runs 0, warm-up runs too): a process for each method, "
         "with a track for calls and kernels and one for each backend. Bars have the names of modules and "
         "operators. Events stand where they were "
         "measured. Delegate events whose start is unknown "
         "(another clock, or XNNPACK, which records durations only) are laid end to end inside the delegate's call "
         "and marked as such. If FILE ends in .gz, it is compressed.",
     .examples = {{"trace mobilenet_v2 -o mobilenet_v2.json.gz", "open it in ui.perfetto.dev"},
                  {"trace etdump.etdp --method forward > forward.json",
                   "without an ETRecord: all times, but no nodes"}},
     .answer = command_trace,
     .edge_only = true},
    {.name = "export",
     .bit = FOR_EXPORT,
     .arguments = "RECORD...",
     .without = TIMES_ONLY,
     .summary = "node data for another viewer: Model Explorer",
     .help = "Writes node data that Google's Model Explorer lays over the open graph: the time of each node of an "
             "entry point, or the backend it runs in. The file fits the graph as Arm's adapter shows the ETRecord "
             "(pip install executorch-extension-model-explorer); of aten/forward, as Model Explorer shows the exported "
             "program saved as a .pt2. Nested graphs are not shown there; their nodes count "
             "towards the node that holds them. One file is one column: for p50 beside avg, write two.",
     .examples = {{"export mobilenet_v2 --to model-explorer -o avg.json", "average times of edge/forward"},
                  {"export mobilenet_v2 --to model-explorer --value backend > b.json", "the backend of each node"},
                  {"export mobilenet_v2 --to model-explorer --entry aten/forward", "for the exported program"}},
     .check = command_check_export,
     .answer = command_export},
    {.name = "strip",
     .bit = FOR_STRIP,
     .arguments = "RECORD",
     .summary = "the same ETRecord without weights: small enough to attach to an issue",
     .help = "Writes the ETRecord again without weights and example inputs. Every command gives the same answers about "
             "it, and ExecuTorch reads it. Inputs and reference outputs of a BundledProgram stay, as does a program "
             "inside the record.\n"
             "--no-source takes paths, functions and code out of the stack traces; lines are then those of f0.py, "
             "f1.py. --rename-modules also renames modules to m0, m1, their classes to C0, C1, and weights with them; "
             "numbers in paths stay, as do names of methods, inputs and operators. With either option, what cannot be "
             "searched for names is left out, and a warning says so: a program inside the record, unknown entries.",
     .examples = {{"strip model.etrecord -o small.etrecord", "some MB instead of hundreds"},
                  {"strip model.etrecord --rename-modules -o issue.etrecord",
                   "without paths, code, and names of modules and weights"}},
     .run = command_strip},
    {.name = "pack",
     .bit = FOR_PACK,
     .arguments = "[RECORD] [NAME=FILE...]",
     .summary = "an ETRecord from its parts, or a program put into a record",
     .help =
         "Writes an ETRecord from its parts, or a record with parts added or replaced. RECORD is an ETRecord, or a "
         "directory with parts in files that are named like entries.\n"
         "NAME is edge/METHOD or aten for a program as torch.export serializes it, MODULE/METHOD for any other, "
         "debug_handle_map, delegate_map, instruction_id_to_num_outs_map, export_graph_id, reference_outputs or "
         "representative_inputs. FILE_state_dict, FILE_constants and FILE_example_inputs beside a program's FILE "
         "belong to it; those that are missing become empty ones. As with ExecuTorch's generate_etrecord, a record "
         "has an Edge program and a debug_handle_map, and reserved names are refused. ExecuTorch reads the result.\n"
         "With --pte the program is in the record, too, so that one file has everything but the runs.",
     .examples = {{"pack mobilenet_v2 --pte mobilenet_v2/model.pte -o whole.etrecord",
                   "the record and its program in one file"},
                  {"pack edge=edge.json debug_handle_map=map.json -o new.etrecord", "from parts"},
                  {"pack model.etrecord --bundled model.bpte -o tested.etrecord",
                   "with reference outputs, to see how far a run's are from them"}},
     .run = command_pack,
     .takes_parts = true},
    {.name = "validate",
     .bit = FOR_VALIDATE,
     .arguments = "RECORD...",
     .summary = "what is wrong with an ETRecord: damage, mismatches, what is missing",
     .help = "Reads every byte of the ETRecord and checks CRCs, names, maps against graphs, and both against the "
             "program (.pte) if there is one; then tells what is missing, and which answer suffers.\n"
             "The exit status is 1 if there is damage or a mismatch. That something is missing is no error: most "
             "records have no reference outputs.",
     .examples = {{"validate mobilenet_v2", "an ETRecord with its program"},
                  {"validate model.etrecord --format json", "for a script"}},
     .run = command_validate},
    {.name = "bench",
     .bit = FOR_BENCH,
     .arguments = "-- RUNNER [ARGS...]",
     .summary = "record a program's ETDumps, and compare with a base or the last bench",
     .help =
         "Runs a program that leaves an ETDump (executor_runner, a Python script, adb shell ...): --warmup times, then "
         "--repeat times that count. Each is a recording: one process, one ETDump. A run is one inference in it. Moves "
         "each dump to LOGDIR/NAME/TIME/etdump-N.etdp and writes them together as one TensorBoard run, "
         "LOGDIR/NAME/TIME, whose steps are the inferences; host, device, commit and options are its hparams. Prints "
         "the summary, the `diff` against the base, the trend of the medians, what tracing costs, and the line that "
         "opens TensorBoard.\n"
         "With --against, the base and RUNNER take turns, the base first, so that whatever happens to the machine "
         "meets both alike: that shows the smallest changes. The base's dumps go to LOGDIR/NAME/TIME/base. COMMAND is "
         "split into words as by a shell: blanks separate them, quotes and backslashes keep them together. Nothing is "
         "expanded: $, *, ~, | and > are characters like any other; `sh -c '...'` runs a shell. If the base runs "
         "another model, --against-record names its record.\n"
         "Without --against, the base is the last bench of that NAME on the same host and device with the same "
         "command, or else with another command. It is another session, and sessions differ by more than recordings "
         "do. From eight benches with the same command on, a change counts if it exceeds what successive benches "
         "differ by; with fewer, they are assumed to differ by --recording-noise, and a line says so.\n"
         "The dump is the file named by --pull, or else by --etdump_path among the program's arguments; without "
         "either, the newest ETDump that appears in the working directory or in --record. A dump from before the "
         "recording is never taken. If the program is adb, the file is removed from the device before each recording "
         "and pulled after it.\n"
         "To measure the cost of tracing, one more process leaves out --etdump_path; it counts only if it leaves no "
         "dump. Lines \"PyTorchObserver {...}\", as ExecuTorch's LLM runner prints them, add load and prefill times, "
         "the time to the first token, and rates. A recording that fails, exceeds --timeout or leaves no dump is "
         "reported with the end of the program's output and does not count; the others do.\n"
         "LOGDIR/NAME/history.jsonl has a line for each measure of each bench (of RUNNER, not of the base), and is "
         "only ever replaced as a whole. Folders of old benches may be removed.",
     .examples = {{"bench --record mv2 -- ./executor_runner --etdump_path dump.etdp",
                   "one recording for warm-up, then five that count"},
                  {"bench --record mv2 --against 'python3 old.py' -- python3 new.py",
                   "two programs in turns, five recordings of each"},
                  {"bench --record mv2 --pull /sdcard/d -- adb shell sh /sdcard/run.sh", "on a phone"},
                  {"bench --record mv2 --fail-above 5% -- python3 run.py",
                   "for CI, with earlier benches: fails if a method surely got slower"},
                  {"bench --record mv2 --to hud -o mv2.json -- python3 run.py", "for PyTorch's benchmark database"}},
     .prepare = bench_collect,
     .run = command_bench,
     .rows = 10,
     .writes_logdir = true,
     .runs_program = true},
    {.name = "watch",
     .bit = FOR_WATCH,
     .arguments = "DIR",
     .summary = "add each new ETDump in a folder to the logdir as it comes",
     .help = "Waits for ETDumps in DIR, which also holds the ETRecord unless --etrecord names it. As soon as a dump is "
             "complete (its writer has closed it, or it was moved in), it becomes runs of its own, "
             "LOGDIR/NAME/DUMP/K_MODULE/METHOD, and a line says so. A dump written again replaces its runs. Dumps that "
             "were there before are left to `write`. A damaged dump is reported, and the watch goes on. Ctrl-C ends "
             "it.",
     .examples = {{"watch mobilenet_v2", "while a device pushes dumps into mobilenet_v2"},
                  {"watch dumps --etrecord model.etrecord --hparam device=pixel8", "a record that is elsewhere"}},
     .run = command_watch,
     .writes_logdir = true},
    {.name = "help",
     .bit = FOR_HELP,
     .arguments = "[COMMAND]",
     .summary = "describe a command, its options and examples",
     .help = "Prints the same as `etrecord-tb COMMAND --help`; without COMMAND, the list of commands.",
     .examples = {{"help nodes", "describes `nodes`"}},
     .run = command_help},
    {.name = NULL},
};
