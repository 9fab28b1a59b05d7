/* SPDX-License-Identifier: BSD-3-Clause
 *
 * commands.c - the table of commands, and the functions of commands that need no file of their own.
 */
#include "command/layout.h"
#include "command/option_table.h"
#include "command/output_file.h"

#include <string.h>
#include <strings.h>

/* ---- Tables and documents ---- */

/* Refuses options of `info` that would have no effect. */
static exit_status command_check_info(const cli_settings *settings) {
  if (settings->operators && (settings->sizes || settings->format != FORMAT_TEXT))
    return message_usage("info", "--operators is one line of text; JSON has operators, too");
  if (settings->sizes || settings->top == TOP_DEFAULT)
    return EXIT_DONE;
  return message_usage("info", "--top applies to --sizes");
}

/* Writes the answer of `info`: the operators, the sizes, or what the record has, as JSON or as
 * tables. */
static etr_status command_info(const etr_profile *profile, const cli_settings *settings,
                               const etr_sink *sink, etr_error *error) {
  const etr_table_options options = command_table_options(settings);
  if (settings->operators)
    return etr_emit_operators(profile, sink, error);
  if (settings->format == FORMAT_JSON)
    return (settings->sizes ? etr_emit_sizes_json : etr_emit_info_json)(profile, settings->unit,
                                                                        sink, error);
  return (settings->sizes ? etr_emit_sizes_tables : etr_emit_info_tables)(profile, &options, sink,
                                                                          error);
}

/* Writes the answer of a command that prints one table, as JSON or as that table. */
static etr_status command_print(const etr_profile *profile, const cli_settings *settings,
                                const etr_sink *sink, etr_error *error) {
  const etr_node_filter filter = command_filter(settings);
  const etr_table_options options = command_table_options(settings);
  const table_emitter table = settings->values ? etr_emit_values_table : settings->command->table;
  if (settings->format == FORMAT_JSON)
    return settings->command->json(profile, &filter, settings->unit, sink, error);
  return table(profile, &filter, &options, sink, error);
}

/* Returns true if the files of a record are ETDumps alone, which have no graph, and so no
 * operators. NULL and standard input, "-", are not looked into. */
static bool is_dump_alone(const char *record, const cli_settings *settings) {
  const etr_inputs chosen = {.etrecord = settings->etrecord, .pte = settings->pte};
  etr_inputs inputs = {0};
  if (!record || strcmp(record, "-") == 0 ||
      etr_inputs_find(&inputs, record, &chosen, NULL) != ETR_OK)
    return false;
  bool is_alone = inputs.etdump_count && !inputs.etrecord && !inputs.pte;
  etr_inputs_clear(&inputs);
  return is_alone;
}

/* Refuses a format that holds one table if the answer has several and --by chooses none. The
 * message has the command line that does: --by kernel for ETDumps alone. */
static exit_status command_check_by(const cli_settings *settings) {
  static const char *const formats[] = {[FORMAT_CSV] = "csv",
                                        [FORMAT_TSV] = "tsv",
                                        [FORMAT_JSON_LINES] = "jsonl",
                                        [FORMAT_PARQUET] = "parquet",
                                        [FORMAT_ARROW] = "arrow"};
  const char *command_name = settings->command->name;
  const char *more_dots = settings->more_count ? " ..." : "";
  bool is_table = settings->format < sizeof formats / sizeof *formats && formats[settings->format];
  if (!is_table || settings->has_by)
    return EXIT_DONE;
  return message_usage(command_name,
                       "%s has several tables, and this format holds one: choose it, as in "
                       "`etrecord-tb %s %s%s --by %s %s %s`; --format json has all",
                       command_name, command_name, settings->record ? settings->record : "RECORD",
                       more_dots, is_dump_alone(settings->record, settings) ? "kernel" : "op",
                       settings->has_format ? "--format" : "-o",
                       settings->has_format ? formats[settings->format] : settings->output);
}

/* Writes the answer of `source`: the lines of the source, which are read from their files, with
 * their times. With --by pattern, index 1 of its words "line|pattern", each line is split by the
 * modules that it runs for. */
static etr_status command_source(const etr_profile *profile, const cli_settings *settings,
                                 const etr_sink *sink, etr_error *error) {
  const etr_node_filter filter = command_filter(settings);
  const etr_table_options options = command_table_options(settings);
  const etr_source_options source = {.read_files = true,
                                     .root = settings->source_root,
                                     .by_pattern = settings->has_by && settings->by == 1};
  if (settings->format == FORMAT_JSON)
    return etr_emit_source_json(profile, &filter, settings->unit, sink, error);
  return etr_emit_source_tables(profile, &filter, &source, &options, sink, error);
}

/* ---- Files for viewers ---- */

/* Writes the answer of `trace`: a timeline in the format that was chosen, compressed if the file's
 * name ends in .gz. */
static etr_status command_trace(const etr_profile *profile, const cli_settings *settings,
                                const etr_sink *sink, etr_error *error) {
  const etr_trace_options options = {.method = settings->method,
                                     .gzip = strcmp(command_extension(settings), ".gz") == 0,
                                     .format = (etr_trace_format)settings->format};
  return etr_emit_trace(profile, &options, sink, error);
}

/* Refuses `export` without a viewer: there is no usual one. */
static exit_status command_check_export(const cli_settings *settings) {
  return settings->has_target
             ? EXIT_DONE
             : message_usage("export", "export needs a viewer: --to model-explorer");
}

/* Writes the answer of `export`: node data of one graph for Model Explorer. */
static etr_status command_export(const etr_profile *profile, const cli_settings *settings,
                                 const etr_sink *sink, etr_error *error) {
  const etr_node_data_options options = {
      .statistic = settings->statistic, .unit = settings->unit, .adapter = settings->adapter};
  size_t graph;
  etr_status status = command_find_entry_point(&graph, profile, settings, error);
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

/* Refuses PNG and PDF on a terminal, and files with an unknown extension if no format is given: DOT
 * under the extension of another format would look broken. */
static exit_status command_check_dot(const cli_settings *settings) {
  static const char *const extensions[] = {"", ".dot", ".gv", ".svg", ".png", ".pdf"};
  const char *extension = command_extension(settings);
  drawing_format format = command_drawing(settings);
  if (settings->fold && settings->no_fold)
    return message_usage("dot", "--fold and --no-fold exclude each other");
  if ((format == DRAWING_PNG || format == DRAWING_PDF) && command_fills_terminal(settings))
    return message_usage("dot", "refusing to write a %s to a terminal: use -o FILE",
                         format == DRAWING_PNG ? "PNG" : "PDF");
  for (size_t i = 0; i < sizeof extensions / sizeof extensions[0]; i++)
    if (strcmp(extension, extensions[i]) == 0 || settings->has_format ||
        !command_has_file(settings))
      return EXIT_DONE;
  return message_usage(
      "dot", "cannot write %s files: name FILE .svg, .png, .pdf or .dot, or give --format",
      extension);
}

enum { MOST_UNFOLDED = 100 }; /* operators whose labels can still be read on a page */

/* Returns true if equal blocks of the model are drawn once: where the user asks for it and, unless
 * the user chose a part of it, in pictures of large graphs, which are too large to read otherwise.
 * DOT files are for programs, and never folded unasked. */
static bool folds_blocks(const etr_graph *graph, const cli_settings *settings) {
  if (settings->fold || settings->no_fold || command_drawing(settings) == DRAWING_DOT)
    return settings->fold;
  if (settings->focus != NULL || settings->most_expensive > 0)
    return false;
  size_t operators = 0;
  for (size_t i = 0; i < graph->node_count; i++)
    operators += graph->nodes[i].kind == ETR_NODE_OP;
  return operators > MOST_UNFOLDED;
}

/* Writes the answer of `dot`: DOT, or a drawing of it by Graphviz, which is killed after 300 s,
 * with a warning after 10 s. Colors are by time or accuracy, as --color-by says (1 is accuracy), or
 * else by accuracy if there is a reference. */
static etr_status command_dot(const etr_profile *profile, const cli_settings *settings,
                              const etr_sink *sink, etr_error *error) {
  static const char *const formats[] = {
      [DRAWING_SVG] = "svg", [DRAWING_PNG] = "png", [DRAWING_PDF] = "pdf"};
  static const layout_patience patience = {.silent_seconds = 10, .longest_seconds = 300};
  drawing_format format = command_drawing(settings);
  drawn_entry entry = {.profile = profile,
                       .options = {.depth = (int)settings->depth,
                                   .focus = settings->focus,
                                   .top = (size_t)settings->most_expensive,
                                   .by_accuracy = settings->has_color_by
                                                      ? settings->color_by == 1
                                                      : settings->reference != NULL}};
  etr_status status = command_find_entry_point(&entry.graph, profile, settings, error);
  if (status != ETR_OK)
    return status;
  entry.options.fold = folds_blocks(&profile->graphs[entry.graph], settings);
  return format == DRAWING_DOT
             ? emit_dot(&entry, sink, error)
             : layout_write(formats[format], patience, emit_dot, &entry, sink, error);
}

/* ---- report ---- */

/* Refuses to write a report to a terminal, or to a file with the extension of another format. */
static exit_status command_check_report(const cli_settings *settings) {
  static const char *const other_extensions[] = {".pdf",  ".csv",  ".tsv", ".json", ".jsonl",
                                                 ".md",   ".txt",  ".svg", ".png",  ".jpg",
                                                 ".xlsx", ".docx", ".zip", ".gz",   ".mhtml"};
  if (command_fills_terminal(settings))
    return message_usage("report", "refusing to write HTML to a terminal: use -o FILE");
  if (!command_extension_is_one_of(settings, other_extensions,
                                   sizeof other_extensions / sizeof *other_extensions))
    return EXIT_DONE;
  return message_usage("report",
                       "cannot write %s files: a report is HTML; name FILE .html, and print it to "
                       "PDF in a browser",
                       command_extension(settings));
}

/* Returns the unit that the user asked for; without one the page chooses. */
static etr_unit report_unit(const cli_settings *settings) {
  return settings->has_unit ? settings->unit : ETR_UNIT_AUTO;
}

static etr_status command_report(const etr_profile *profile, const cli_settings *settings,
                                 const etr_sink *sink, etr_error *error) {
  return etr_emit_report(profile, report_unit(settings), sink, error);
}

/* Writes one HTML report with all records. */
static etr_status emit_combined_report(void *context, const etr_sink *sink, etr_error *error) {
  const command_records *records = context;
  return etr_emit_report_of(records->profiles, records->names, records->count, records->unit, sink,
                            error);
}

static exit_status command_report_several(command_records *records, const cli_settings *settings) {
  records->unit = report_unit(settings);
  return command_emit(settings, emit_combined_report, records);
}

/* ---- diff: what became slower or faster ---- */

/* Returns the option that was given although it only applies to times; NULL if none was. */
static const char *option_about_times(const cli_settings *settings) {
  if (settings->has_by)
    return "by";
  if (settings->has_fail_above)
    return "fail-above";
  if (settings->has_recording_noise)
    return "recording-noise";
  if (settings->in_turns)
    return "in-turns";
  return settings->columns ? "columns" : NULL;
}

/* Runs `diff`: prints the comparison of two profiles, or of the sizes of their programs, and
 * returns the exit status that the limits give. */
static exit_status command_diff(const etr_profile *base, const etr_profile *newer,
                                const cli_settings *settings) {
  etr_error error;
  etr_comparison *comparison;
  const etr_compare_options options = command_compare_options(settings);
  exit_status check_status = command_check_noise(settings, "diff");
  if (check_status != EXIT_DONE)
    return check_status;
  const char *of_times = option_about_times(settings);
  if (settings->sizes && of_times)
    return message_usage(
        "diff", "--%s applies to times; --sizes, and two .pte files alone, have none", of_times);
  if (settings->sizes)
    return command_diff_programs(base, newer, settings);
  check_status = command_check_by(settings);
  if (check_status != EXIT_DONE)
    return check_status;
  if (etr_compare(&comparison, base, newer, &options, &error) != ETR_OK)
    return message_error(&error);
  exit_status result = settings->format == FORMAT_BENCHMARK
                           ? command_print_benchmark(newer, settings)
                           : command_print_diff(comparison, settings);
  if (result == EXIT_DONE)
    result = command_check_limits(comparison, settings);
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

/* Finds the ETRecord that RECORD names or contains, points *record to it, and writes what `emit`
 * makes of it. If the command takes parts, *record is RECORD itself for a directory without an
 * ETRecord, which may also have nothing that is an input, or several files of one kind
 * (ETR_ERROR_CHOICE). It is unchanged without RECORD. */
static exit_status emit_from_etrecord(const cli_settings *settings, const char **record,
                                      etr_emitter emit, void *context) {
  etr_error error;
  etr_inputs inputs = {0};
  exit_status result = EXIT_DONE;
  if (command_fills_terminal(settings))
    return message_usage(settings->command->name,
                         "refusing to write a zip to a terminal: use -o FILE");
  if (settings->record) {
    etr_status status = etr_inputs_find(&inputs, settings->record,
                                        &(etr_inputs){.pte = settings->pte}, &error);
    bool may_be_folder_of_parts = settings->command->takes_parts &&
                                  (status == ETR_OK || status == ETR_ERROR_CHOICE);
    *record = status == ETR_OK ? inputs.etrecord : NULL;
    if (!*record && may_be_folder_of_parts)
      *record = settings->record;
    if (!*record && status == ETR_OK)
      result = message_failed("%s: there is no ETRecord", settings->record);
    if (!*record && status != ETR_OK)
      result = message_error(&error);
  }
  if (result == EXIT_DONE)
    result = output_check_record(*record);
  if (result == EXIT_DONE)
    result = command_emit(settings, emit, context);
  etr_inputs_clear(&inputs);
  return result;
}

/* Runs `strip`: writes a copy of the ETRecord without weights, and with options also without source
 * code and names. */
static exit_status command_strip(const cli_settings *settings) {
  stripped s = {.options = {.no_source = settings->no_source,
                            .rename_modules = settings->rename_modules,
                            .notes = {.take = message_note}}};
  return emit_from_etrecord(settings, &s.record, emit_stripped, &s);
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

/* Refuses an output that would replace the file of a part, or one of the files next to it that
 * belong to it. */
static exit_status check_part(const char *path) {
  char file[PATH_MAX];
  exit_status status = EXIT_DONE;
  for (size_t i = 0; status == EXIT_DONE && i < COMMAND_PART_FILES; i++)
    if (command_part_file(file, path, i))
      status = output_check_input(file);
  return status;
}

/* Runs `pack`: packs the parts that were given into a new record, or into a copy of RECORD. */
static exit_status command_pack(const cli_settings *settings) {
  etr_part parts[MAX_LIST + 3];
  packed p = {
      .parts = parts, .count = settings->part_count, .options = {.notes = {.take = message_note}}};
  memcpy(parts, settings->parts, p.count * sizeof *parts);
  if (settings->pte)
    parts[p.count++] = (etr_part){.kind = ETR_PART_PTE, .path = settings->pte};
  if (settings->bundled)
    parts[p.count++] = (etr_part){.kind = ETR_PART_BUNDLED, .path = settings->bundled};
  if (!settings->record && p.count == 0)
    return message_usage("pack", "nothing to pack: name a record, or parts as NAME=FILE");
  for (size_t i = 0; i < p.count; i++) {
    exit_status status = check_part(parts[i].path);
    if (status != EXIT_DONE)
      return status;
  }
  return emit_from_etrecord(settings, &p.options.record, emit_packed, &p);
}

/* ---- validate: what is wrong with a record ---- */

typedef struct validated {
  const etr_validation *validation;
  const cli_settings *settings;
} validated;

/* Writes the flaws of the files as JSON or as a table. */
static etr_status emit_flaws(void *context, const etr_sink *sink, etr_error *error) {
  const validated *v = context;
  const etr_table_options options = command_table_options(v->settings);
  return v->settings->format == FORMAT_JSON
             ? etr_emit_validation_json(v->validation, sink, error)
             : etr_emit_validation_table(v->validation, &options, sink, error);
}

/* Runs `validate`: prints the flaws of the files. Returns EXIT_BAD_INPUT if there is damage or a
 * contradiction among them. */
static exit_status command_validate(const cli_settings *settings) {
  etr_error error;
  etr_inputs inputs;
  etr_validation *validation;
  exit_status result = command_find_inputs(&inputs, settings);
  if (result != EXIT_DONE)
    return result;
  etr_status status = etr_record_validate(&validation, &inputs, &error);
  if (settings->record)
    etr_inputs_clear(&inputs);
  if (status != ETR_OK)
    return message_error(&error);
  result = command_emit(settings, emit_flaws, &(validated){validation, settings});
  bool is_good = validation->kind_counts[ETR_FLAW_DAMAGE] +
                     validation->kind_counts[ETR_FLAW_MISMATCH] ==
                 0;
  etr_validation_close(validation);
  return result == EXIT_DONE && !is_good ? EXIT_BAD_INPUT : result;
}

/* ---- The table ---- */

/* Parts of a profile that a command does without if it shows only times and nodes. */
enum {
  TIMES_ONLY = ETR_WITHOUT_COSTS | ETR_WITHOUT_MEMORY | ETR_WITHOUT_SOURCES |
               ETR_WITHOUT_INTERRUPTIONS
};

enum { MOST_SPREADS = 256 }; /* values whose distributions a page shows */

const cli_command commands[] = {
    {.name = "write",
     .bit = FOR_WRITE,
     .compares_values = true,
     .spreads = MOST_SPREADS,
     .arguments = "RECORD...",
     .summary = "write TensorBoard runs and DOT files (the default command)",
     .help =
         "Writes LOGDIR/NAME/events.out.tfevents..., a run of TensorBoard with all graphs of the "
         "record, and LOGDIR/NAME/dot/MODULE/METHOD.dot for each entry point, and prints their "
         "paths. Writing a record again replaces its files, even while TensorBoard is running. "
         "Emptied event files remain, because TensorBoard needs them to find the new ones. Files "
         "that etrecord-tb did not write are never replaced or removed: "
         "LOGDIR/NAME/.etrecord-tb lists the files that it wrote. Symbolic links below LOGDIR "
         "are not followed. Writers of the same folder take turns.\n"
         "In TensorBoard, TEXT says what to look at first. Open GRAPHS, choose Tag: "
         "profile/typical and color by Compute time. The other tags are graphs of other entry "
         "points with their typical times; with --graphs all each of them is a run with all "
         "statistics.\n"
         "With --step the record is a build of a series: all builds are one run, with curves of "
         "typical time, parts, kernels, tokens per second and bytes over the steps. Graph and "
         "text are those of the highest step.",
     .examples = {{"mobilenet_v2",
                   "writes runs/mobilenet_v2/...; `tensorboard --logdir runs` shows it"},
                  {"write model.etrecord --etdump monday.etdp --name monday",
                   "writes the runs of one ETDump to a folder of their own"},
                  {"write new --name nightly --step-from git --against before",
                   "adds a build to the curves of nightly builds, and marks what got slower"}},
     .prepare = command_choose_step,
     .run = command_write,
     .writes_logdir = true},
    {.name = "info",
     .bit = FOR_INFO,
     .arguments = "RECORD...",
     .summary = "show what a record contains: graphs, methods, delegates, runs",
     .help =
         "Lists what the inputs contain: entry points with their dialect and number of nodes, "
         "methods with their "
         "delegates, and runs with the method that each executed. It also lists what is missing or "
         "unknown. With a program it shows what methods take and return, and methods that compute "
         "nothing with their values. With --operators it prints the operators that a selective "
         "build needs.\n"
         "With --sizes it shows where the bytes of the program are: the program itself, constants, "
         "delegates and "
         "their weights, named data and padding, which add up to the file. Weights are also summed "
         "by module and "
         "type; their modules are known with an ETRecord. CSV has a row for each part of the file.",
     .without = ETR_WITHOUT_INTERRUPTIONS,
     .rows = 10,
     .examples = {{"info mobilenet_v2", "an overview of a record"},
                  {"info etdump.etdp", "the runs of an ETDump without its ETRecord"},
                  {"info model.pte --operators",
                   "for gen_oplist --root_ops, for a selective build"},
                  {"info model.pte --sizes", "where the bytes of a program are"}},
     .check = command_check_info,
     .answer = command_info},
    {.name = "nodes",
     .bit = FOR_NODES,
     .compares_values = true,
     .arguments = "RECORD...",
     .without = ETR_WITHOUT_MEMORY,
     .summary = "list graph nodes with their times",
     .help = "Prints graph nodes with their times. The text table lists the nodes of timed graphs, "
             "slowest first; "
             "JSON has every node of every graph. The column `order` is the number of the "
             "instruction that first "
             "runs the node or calls its delegate.",
     .examples = {{"nodes mobilenet_v2 --top 10", "the ten slowest nodes"},
                  {"nodes mobilenet_v2 --op 'aten.conv*' --module features.1",
                   "the convolutions of one block"},
                  {"nodes mobilenet_v2 --backend cpu",
                   "nodes that ran as kernels, outside delegates"},
                  {"nodes mobilenet_v2 --values",
                   "minimum, maximum, mean and number of NaN of each logged tensor"},
                  {"nodes mobilenet_v2 --top 0 --format csv > nodes.csv",
                   "all nodes, for a spreadsheet"}},
     .answer = command_print,
     .json = etr_emit_nodes_json,
     .table = etr_emit_nodes_table,
     .need = NEEDS_GRAPHS},
    {.name = "events",
     .bit = FOR_EVENTS,
     .arguments = "RECORD...",
     .without = TIMES_ONLY & ~(unsigned)ETR_WITHOUT_INTERRUPTIONS,
     .summary = "list the events of ExecuTorch's Inspector, joined to nodes",
     .help =
         "Prints the events of the ETDump in blocks of runs with the same events, as ExecuTorch's "
         "Inspector "
         "groups them. Each event shows the node that got its time, and how the node was found.",
     .examples = {{"events mobilenet_v2 --method forward", "the events of one method"},
                  {"events etdump.etdp --unit cycles",
                   "clock ticks of an ETDump without its ETRecord"}},
     .answer = command_print,
     .json = etr_emit_events_json,
     .table = etr_emit_events_table,
     .need = NEEDS_RUNS,
     .edge_only = true,
     .shows_all = true},
    {.name = "summary",
     .bit = FOR_SUMMARY,
     .compares_values = true,
     .arguments = "RECORD...",
     .without = ETR_WITHOUT_MEMORY,
     .summary = "show where the time goes: operators, modules, backends, source lines",
     .help =
         "Splits the time of each method into graph operators, operators on no node, what "
         "delegates take beside them, the runtime outside operators, and unexplained time. The "
         "parts add up to Method::execute. "
         "Tables follow: the "
         "slowest operators; sums by operator type, module, backend and source line; the first "
         "run compared with "
         "the others; and load times. Findings say what to change, why, what that could save, "
         "and how sure it is. "
         "--module, --op and --backend restrict the tables.\n"
         "With a reference (see `accuracy`), a line says how far the outputs are off, and a "
         "finding what makes them "
         "inexact.\n"
         "--by chooses one of the tables, which CSV and other formats of tables need. The columns "
         "here are those of --by op; schema/columns.md has the others.",
     .examples = {{"summary mobilenet_v2 --top 5", "five rows in each table"},
                  {"summary llama --by pattern",
                   "attention or feed-forward? One line for all layers"},
                  {"summary mobilenet_v2 --format markdown", "for a pull request"},
                  {"summary mobilenet_v2 --by op -o operators.csv", "one table, for a spreadsheet"},
                  {"summary model.etrecord --etdump device.etdp --source-unit us",
                   "an ETDump of a device whose clock counts microseconds"}},
     .answer = command_print,
     .check = command_check_by,
     .json = etr_emit_summary_json,
     .table = etr_emit_summary_tables,
     .rows = 10,
     .need = NEEDS_RUNS,
     .edge_only = true},
    {.name = "source",
     .bit = FOR_SOURCE,
     .arguments = "RECORD...",
     .without = ETR_WITHOUT_MEMORY,
     .summary = "show the model's source lines with their times",
     .help = "Prints the model's source files with the time of each line. Lines come from the "
             "stack traces that the "
             "export recorded: the innermost frame outside torch. Where one line only wraps a "
             "model of a "
             "library, the lines inside the library count, unless --source-root chooses. "
             "Surrounding lines are shown if "
             "the file is on this "
             "disk and still contains the recorded code; --source-root says where files have "
             "moved. Nodes without a "
             "source line are listed separately, so that everything adds up to the time of the "
             "graph operators.",
     .examples = {{"source mobilenet_v2", "every file, slowest first"},
                  {"source mobilenet_v2 --source-root work/models",
                   "files that were recorded on another machine"},
                  {"source mobilenet_v2 --op 'aten.conv*' --top 5",
                   "the five lines whose convolutions take longest"}},
     .answer = command_source,
     .reads_sources = true,
     .need = NEEDS_GRAPHS,
     .edge_only = true},
    {.name = "delegation",
     .bit = FOR_DELEGATION,
     .arguments = "RECORD...",
     .without = ETR_WITHOUT_SOURCES,
     .summary = "show which operator types are delegated, with times",
     .help = "Counts the delegated and the other nodes of each operator type, as ExecuTorch's "
             "print_delegation_info "
             "does, but with times and from the saved record alone. For backends that record how "
             "their delegates "
             "spend their time, it also lists each delegate by phase (copying, computing, waiting) "
             "and by compute "
             "unit. Without an ETRecord, it counts the operators inside delegates and the kernels "
             "of the .pte.",
     .examples = {{"delegation mobilenet_v2", "operators that no backend took, and their times"},
                  {"delegation mobilenet_v2 --by delegate --format csv",
                   "one row for each delegate"}},
     .answer = command_print,
     .json = etr_emit_delegation_json,
     .table = etr_emit_delegation_tables,
     .need = NEEDS_GRAPHS,
     .edge_only = true},
    {.name = "memory",
     .bit = FOR_MEMORY,
     .arguments = "RECORD...",
     .without = ETR_WITHOUT_COSTS | ETR_WITHOUT_TIES | ETR_WITHOUT_INTERRUPTIONS,
     .summary = "show planned buffers, tensors at the peak, weights, constants",
     .help = "Shows the memory that each method plans, as the program (.pte) describes it. For "
             "each buffer it lists "
             "the bytes that are live at the peak, tensor by tensor, with the operator and module "
             "that made them. It "
             "also lists inputs and outputs, the bytes given to delegates, constants by segment, "
             "weights by module "
             "(with an ETRecord), and allocations that an ETDump logged. Planned bytes that are "
             "not live are gaps "
             "between tensors. A tensor is live from the first instruction that uses it to the "
             "last, as in "
             "ExecuTorch's memory planning. Findings name what sets the peak. Memory that the "
             "program does not describe, such as what delegates allocate, is "
             "listed as unknown.\n"
             "CSV, TSV and JSON Lines have one row for each planned tensor and each constant. JSON "
             "also has the live "
             "bytes at each instruction.",
     .examples = {{"memory mobilenet_v2", "what sets the peak, and how many bytes are lost"},
                  {"memory mobilenet_v2 --format csv > tensors.csv",
                   "each tensor with its offset and lifetime"},
                  {"memory llama --method decode --top 20", "one method, with longer tables"}},
     .answer = command_print,
     .json = etr_emit_memory_json,
     .table = etr_emit_memory_tables,
     .rows = 10,
     .need = NEEDS_PROGRAM,
     .edge_only = true},
    {.name = "dot",
     .bit = FOR_DOT,
     .compares_values = true,
     .arguments = "RECORD...",
     .without = ETR_WITHOUT_MEMORY,
     .summary = "draw a graph as Graphviz DOT, SVG, PNG or PDF, colored by time",
     .help = "Draws one entry point: modules as frames, time as color, delegates by the color of "
             "the border. "
             "Without --entry, it draws the first entry point of the record. SVG, PNG and PDF need "
             "the program `dot` of Graphviz; of a graph of more than 100 operators they show equal "
             "blocks once, so that it fits a page. Without --depth, it expands as many modules as "
             "remain readable. With "
             "--reference, colors are "
             "those of accuracy: the SNR of logged values. A report has the better picture, with "
             "boxes that open.",
     .examples = {{"dot mobilenet_v2 -o mobilenet_v2.svg",
                   "a picture for a browser, with details in tooltips"},
                  {"dot mobilenet_v2 --focus features.1 -o block.png",
                   "one module and its neighbors"},
                  {"dot llama -o llama.pdf", "32 equal layers as one block, for a document"},
                  {"dot mobilenet_v2 --top 10 -o top.svg",
                   "the ten slowest nodes and what surrounds them"}},
     .check = command_check_dot,
     .answer = command_dot,
     .draws = true},
    {.name = "report",
     .bit = FOR_REPORT,
     .compares_values = true,
     .spreads = MOST_SPREADS,
     .arguments = "[BASE] RECORD...",
     .summary = "write everything to one HTML file, without TensorBoard",
     .help = "Writes the ExecuTorch dashboard with the record's profile as one HTML file: where "
             "the time goes, "
             "operators, modules, the timeline of the median run, and delegation. The file opens "
             "in any browser and "
             "loads nothing from the network.\n"
             "With BASE, the file shows both records and what became slower or faster, as `diff` "
             "does; of more records also all of them side by side, as `compare` does. "
             "Directories, or files of the same kind, are a base and records. Other files "
             "belong to one record.",
     .examples = {{"report mobilenet_v2 -o report.html", "a file to view or to send"},
                  {"report etrecord.bin etdump.etdp model.pte -o report.html",
                   "the files of one record"},
                  {"report before after -o report.html", "two records and what changed"},
                  {"report portable xnnpack int8 -o report.html", "variants side by side"}},
     .check = command_check_report,
     .answer = command_report,
     .several = command_report_several},
    {.name = "diff",
     .bit = FOR_DIFF,
     .arguments = "BASE [NEW]",
     .without = ETR_WITHOUT_MEMORY,
     .summary = "compare two records: what became slower or faster, and how sure",
     .help =
         "Compares two records, each an ETRecord, an ETDump or a directory, by their typical runs, "
         "and shows how sure each change is. To compare two ETDumps of one record, give them as "
         "BASE and NEW with --etrecord, or give the record and --etdump twice.\n"
         "A recording is one ETDump; a run is one inference. Recordings of the same program "
         "differ, "
         "so `diff` compares recordings: with three or more on each side, it compares their "
         "typical "
         "runs. With fewer it compares all runs (at least 10 on each side), assumes that "
         "recordings "
         "differ by 3 % (--recording-noise) or as much as those of a side that has several, and is "
         "never sure: likely slower, likely faster. It "
         "prints the interval that contains the true change in 95 of 100 such comparisons. The "
         "interval decides: slower, faster, equal (within the limit of --fail-above) or cannot "
         "tell, with the reason and what would help. A method is obviously slower or faster, with "
         "two runs on each side or more and any number of recordings, if all runs of one side take "
         "at least 4 times as long as all of the other.\n"
         "With --fail-above 5%, the exit status is 3 if Method::execute is surely above 5 %, 0 if "
         "it is surely below, and 4 otherwise. Single nodes do not count.\n"
         "A warning comes first if inputs, types, backends or models differ. The first table leads "
         "from the typical run of the base to that of the new record, by operator or as --by "
         "says.\n"
         "Text and Markdown list only changes that exceed the noise; --top 0 lists everything. "
         "CSV, which needs --by, lists everything unless --top is given, and JSON always does.\n"
         "With --sizes, and for two .pte files alone, it compares the programs instead: where "
         "their bytes are, "
         "which operators and delegates they call, and which constants, weights and delegates "
         "were added, removed "
         "or changed. CSV then has a row for each of these.",
     .examples = {{"diff before after", "two directories"},
                  {"diff before.pte after.pte", "two programs, by bytes and structure"},
                  {"diff monday.etdp tuesday.etdp --etrecord model.etrecord",
                   "two ETDumps of one record"},
                  {"diff before after --fail-above 5%",
                   "for CI: fails if a method surely got slower"},
                  {"diff before after --format markdown", "for a comment on a pull request"}},
     .compare = command_diff,
     .rows = 10,
     .edge_only = true},
    {.name = "compare",
     .bit = FOR_COMPARE,
     .arguments = "RECORD...",
     .without = ETR_WITHOUT_SOURCES,
     .summary = "put several records side by side: variants, backends, devices",
     .help =
         "Prints a row for each RECORD (an ETRecord, an ETDump or a directory) and method: the "
         "typical time of an inference, between the least and the most of its recordings' typical "
         "runs (of one recording, between p10 and p90 of its runs), loading, the first run, the "
         "time of a token, bytes of the program and of planned memory, the share of the operators "
         "that is delegated and of the time that delegates take, multiply-accumulates, and the SNR "
         "of the worst output. ETDumps of one record are given with --etrecord.\n"
         "The first record is the base. Each other one is compared with it as by `diff`; since "
         "there are several, the verdicts are corrected (Holm), so that at most 5 % of such tables "
         "call anything slower or faster by chance. SNR is against the outputs that the first "
         "record logged or, with --reference, against a reference of the first record.\n"
         "With --by, rows are operator types, modules, kernels or patterns, and records are "
         "columns. What cannot be compared, such as other inputs, is said below the table. A "
         "record "
         "that cannot be read is shown as such, and the exit status is 5.",
     .examples = {{"compare portable xnnpack int8", "three variants of a model"},
                  {"compare portable xnnpack int8 --format markdown", "a table for a README"},
                  {"compare portable xnnpack int8 --by op", "where they differ"},
                  {"compare a.etdp b.etdp c.etdp --etrecord model.etrecord",
                   "three devices, one model"},
                  {"compare base new1 new2 --fail-above 5%", "for CI"}},
     .run = command_compare,
     .table = command_compare_table,
     .rows = 30},
    {.name = "accuracy",
     .bit = FOR_ACCURACY,
     .compares_values = true,
     .arguments = "RECORD...",
     .without = TIMES_ONLY & ~(unsigned)ETR_WITHOUT_SOURCES,
     .summary = "show which layer loses accuracy: logged values against a reference",
     .help =
         "Compares the values that the runs logged with the reference that `etrecord-tb "
         "reference` computed, and "
         "lists those that are most suspicious first. With the reference of the record itself, "
         "the question is "
         "whether the backend does what the program says. With the reference of another record "
         "(the float model, "
         "named by --reference-record), it is what quantization or the backend cost. Every "
         "answer names its "
         "reference.\n"
         "SNR is 10 * log10(mean of reference^2 / mean of squared error); above 100 dB values "
         "are called equal. "
         "The drop is the lowest SNR of the nearest compared values that a node depends on, "
         "minus its own, where "
         "only SNRs between 0 and 20 dB above the worst output's count. The local SNR, if the "
         "reference was made "
         "with --local, is that of the error which was added since these "
         "values: it finds the layer even where every layer is inexact. Quantized values are "
         "compared after "
         "dequantization.\n"
         "--reference-record without --reference makes the reference of that record first, with "
         "local values, as `reference --local --for` does, and keeps it as "
         "NAME.reference.safetensors beside the record, or in the user's cache, until one of "
         "the records differs.\n"
         "Without both, the outputs are compared with the record's reference outputs. "
         "Several records, each "
         "a directory or an ETRecord, are put side by side.",
     .examples = {{"accuracy model_dir --reference ref.safetensors",
                   "does the backend do what the program says?"},
                  {"accuracy int8 --reference-record f32",
                   "what did quantization cost, and where? Makes the reference with torch"},
                  {"accuracy f32 int8 int4 --reference f32.safetensors",
                   "three records side by side"},
                  {"accuracy model_dir --reference ref.safetensors --fail-below 30dB", "for CI"}},
     .prepare = command_prepare_accuracy,
     .run = command_accuracy,
     .table = command_accuracy_table},
    {.name = "reference",
     .bit = FOR_REFERENCE,
     .arguments = "RECORD...",
     .summary = "compute with torch what the values of a record should be",
     .help = "Runs the graphs of the ETRecord on its representative inputs, or on those of "
             "--inputs, and writes the "
             "values of the nodes to a safetensors file that `etrecord-tb accuracy` reads. This is "
             "the only command "
             "that needs torch and executorch: it starts Python with the package etrecord_tb and "
             "its extra "
             "(pip install \".[reference]\" in its sources), before it gives up rights. "
             "ETRECORD_TB_PYTHON names the Python "
             "(default: that of the environment in which the command is installed, or python3).\n"
             "With --local, it also runs the graph once more and continues with the values that "
             "the device logged, "
             "and for the ten worst nodes it measures what their error alone does to the output. "
             "--for names the "
             "record of the device if it is another one: the quantized model, while RECORD is the "
             "float model.",
     .examples = {{"reference model_dir -o ref.safetensors", "the values that the ETDump logged"},
                  {"reference model_dir -o ref.safetensors --local", "and what each segment adds"},
                  {"reference f32 -o f32.safetensors --local --for int8",
                   "what each segment of int8 adds"}},
     .prepare = command_make_reference,
     .run = command_reference},
    {.name = "record",
     .bit = FOR_RECORD,
     .arguments = "MODULE:FACTORY",
     .summary = "export and run a PyTorch model, and make its record",
     .help = "Imports MODULE, the name of a module or of a file that ends in .py, and calls "
             "FACTORY(), which returns (model, example_inputs): a torch.nn.Module and the tuple of "
             "its inputs, or dicts of these by method. A dict of further arguments of "
             "etrecord_tb.record() may follow. The model is exported, lowered and run in --repeat "
             "processes of --inferences runs each. DIR then has the ETRecord, the program, the "
             "ETDumps, the inputs, record.json with versions and machine, and record.py, which "
             "does the same by hand.\n"
             "This needs torch and executorch: it starts Python with the package etrecord_tb and "
             "its extra (pip install \".[record]\" in its sources), before it gives up rights. "
             "ETRECORD_TB_PYTHON names the Python (default: that of the environment in which the "
             "command is installed, or python3). Only this command runs code from the working "
             "directory, because MODULE names it.\n"
             "With --on adb, the runner and the program are pushed to the device, and `bench` runs "
             "them. The runner fills the inputs. A folder named record is ./record.",
     .examples = {{"record model.py:make -o mobilenet", "three recordings of twenty runs"},
                  {"record model.py:make -o small --recipe xnnpack-int8", "quantized"},
                  {"record model.py:make -o mobilenet --debug-buffer", "and mobilenet/values"},
                  {"record model.py:make -o phone --on adb --runner executor_runner",
                   "on a phone"}},
     .prepare = command_make_record},
    {.name = "trace",
     .bit = FOR_TRACE,
     .arguments = "RECORD...",
     .without = ETR_WITHOUT_MEMORY | ETR_WITHOUT_COSTS | ETR_WITHOUT_INTERRUPTIONS,
     .summary = "write the runs as a timeline for Perfetto or chrome://tracing",
     .help = "Writes the runs as Chrome trace events: one process for each method, with a track "
             "for calls and "
             "kernels and a track for each backend. Bars have the names of modules and operators. "
             "Warm-up runs are "
             "included with --skip-runs 0. Events start where they were measured. If the start of "
             "a delegate's event "
             "is unknown, because the delegate has another clock or records only durations, as "
             "XNNPACK does, its "
             "events are placed one after the other inside the call and marked as synthetic. If "
             "the name of FILE "
             "ends in .gz, the output is compressed.\n"
             "The formats speedscope and folded are for flame graphs: equal operators of a module "
             "have one name, whose times add up.",
     .examples = {{"trace mobilenet_v2 -o mobilenet_v2.json.gz",
                   "a file to open in ui.perfetto.dev"},
                  {"trace mobilenet_v2 --format speedscope -o scope.json",
                   "a file to open in speedscope"},
                  {"trace etdump.etdp --method forward > forward.json",
                   "all times without an ETRecord, and so without nodes"}},
     .answer = command_trace,
     .edge_only = true},
    {.name = "export",
     .bit = FOR_EXPORT,
     .compares_values = true,
     .arguments = "RECORD...",
     .without = TIMES_ONLY,
     .summary = "write times or backends of nodes for Model Explorer",
     .help = "Writes node data for Google's Model Explorer, which shows them on the open graph: "
             "the time of each "
             "node of an entry point, or its backend. The file fits the graph that Arm's adapter "
             "shows for the "
             "ETRecord (pip install executorch-extension-model-explorer). For aten/forward, it "
             "fits the graph that "
             "Model Explorer shows for the exported program saved as a .pt2. Model Explorer does "
             "not show their nested "
             "graphs; the times of their nodes count for the node that contains them. For "
             "program/forward, which is "
             "what there is without an ETRecord, it fits the graphs that Arm's adapter shows for "
             "the .pte (pip install "
             "pte-adapter-model-explorer): the instructions and, in graphs of their own, XNNPACK's "
             "operators. One file "
             "is one column: to see "
             "p50 next to the typical time, write two files.",
     .examples = {{"export mobilenet_v2 --to model-explorer -o avg.json",
                   "average times of edge/forward"},
                  {"export mobilenet_v2 --to model-explorer --value backend > b.json",
                   "the backend of each node"},
                  {"export mobilenet_v2 --to model-explorer --entry aten/forward",
                   "times for the exported program"},
                  {"export etdump.etdp model.pte --to model-explorer",
                   "times for the program, without an ETRecord"}},
     .check = command_check_export,
     .answer = command_export},
    {.name = "strip",
     .bit = FOR_STRIP,
     .arguments = "RECORD",
     .summary = "write an ETRecord without weights, to attach to an issue",
     .help = "Writes the ETRecord again without weights and example inputs. Every command gives "
             "the same answers "
             "about it, and ExecuTorch reads it. It keeps the inputs and reference outputs of a "
             "BundledProgram, and "
             "a program inside the record.\n"
             "--no-source removes paths, functions and code from the stack traces; their lines "
             "then belong to f0.py, "
             "f1.py, and so on. --rename-modules also renames modules to m0, m1, their classes to "
             "C0, C1, and their "
             "weights. Numbers in paths remain, and so do names of methods, inputs and operators. "
             "With either "
             "option, parts that cannot be searched for names are left out with a warning: a "
             "program inside the "
             "record, and unknown entries.",
     .examples = {{"strip model.etrecord -o small.etrecord", "a few MB instead of hundreds"},
                  {"strip model.etrecord --rename-modules -o issue.etrecord",
                   "without paths, code, and names of modules and weights"}},
     .run = command_strip},
    {.name = "pack",
     .bit = FOR_PACK,
     .arguments = "[RECORD] [NAME=FILE...]",
     .summary = "make an ETRecord from its parts, or put a program into one",
     .help =
         "Writes an ETRecord from its parts, or a record with parts added or replaced. RECORD is "
         "an ETRecord, or "
         "a directory of files that are named like the entries of one.\n"
         "NAME is edge/METHOD or aten for a program that torch.export serialized, MODULE/METHOD "
         "for any other "
         "program, debug_handle_map, delegate_map, instruction_id_to_num_outs_map, "
         "export_graph_id, "
         "reference_outputs or representative_inputs. FILE_state_dict, FILE_constants and "
         "FILE_example_inputs "
         "next to a program's FILE belong to it; missing ones become empty. As with ExecuTorch's "
         "generate_etrecord, a record needs an Edge program and a debug_handle_map, and reserved "
         "names are "
         "refused. ExecuTorch reads the result.\n"
         "With --pte, the record also contains the program, so that one file has everything but "
         "the runs.",
     .examples = {{"pack mobilenet_v2 --pte mobilenet_v2/model.pte -o whole.etrecord",
                   "the record and its program in one file"},
                  {"pack edge=edge.json debug_handle_map=map.json -o new.etrecord",
                   "an ETRecord from its parts"},
                  {"pack model.etrecord --bundled model.bpte -o tested.etrecord",
                   "with reference outputs, to which a run's outputs are compared"}},
     .run = command_pack,
     .takes_parts = true},
    {.name = "validate",
     .bit = FOR_VALIDATE,
     .arguments = "RECORD...",
     .summary = "check an ETRecord for damage, mismatches and missing parts",
     .help = "Reads every byte of the ETRecord and checks its CRCs and names, its maps against its "
             "graphs, and both "
             "against the program (.pte) if there is one: instructions, calls of delegates, and "
             "whether both have quantized numbers. Then it lists what is missing and which "
             "answers suffer.\n"
             "The exit status is 1 if there is damage or a mismatch. Missing parts are not an "
             "error: most records "
             "have no reference outputs.",
     .examples = {{"validate mobilenet_v2", "an ETRecord with its program"},
                  {"validate model.etrecord --format json", "output for a script"}},
     .run = command_validate},
    {.name = "bench",
     .bit = FOR_BENCH,
     .arguments = "-- RUNNER [ARGS...]",
     .summary = "record a program's ETDumps and compare them with a base",
     .help =
         "Runs a program that leaves an ETDump (executor_runner, a Python script, adb shell ...), "
         "first --warmup "
         "times, which do not count, then --repeat times. Each time is a recording: one process, "
         "one ETDump. A "
         "run is one inference in it. `bench` moves each ETDump to LOGDIR/NAME/TIME/etdump-N.etdp "
         "and writes all "
         "of them as one TensorBoard run, LOGDIR/NAME/TIME, whose steps are the inferences and "
         "whose hparams are "
         "host, device, commit, side (base or new) and options. It prints the summary, the `diff` "
         "against the base, "
         "what tracing costs, the command that shows the recordings again, with their graph, and "
         "the one that opens TensorBoard, with the address of the run.\n"
         "With --against, the base and RUNNER take turns, the base first, so that changes of the "
         "machine affect "
         "both: this finds the smallest changes. The ETDumps of the base go to "
         "LOGDIR/NAME/TIME/base. COMMAND is "
         "split into words as by a shell: blanks separate words, quotes and backslashes keep them "
         "together. "
         "Nothing is expanded: $, *, ~, | and > are ordinary characters; `sh -c '...'` runs a "
         "shell. If the base "
         "runs another model, --against-record names its record.\n"
         "Without --against nothing is compared. Folders of recordings are compared later with "
         "`diff`, which cannot know how the machine changed between them.\n"
         "The ETDump is the file that --pull names, or else --etdump_path among the program's "
         "arguments, or else "
         "the newest ETDump that appears in the working directory or in --record. An ETDump from "
         "before the "
         "recording is never taken. If it is a link, it is copied instead of moved. If the program "
         "is adb, the "
         "file is removed from the device before each recording and pulled after it.\n"
         "To measure what tracing costs, one more process runs without --etdump_path; it counts "
         "only if it leaves "
         "no ETDump. Lines \"PyTorchObserver {...}\", which ExecuTorch's LLM runner prints, add "
         "load and prefill "
         "times, the time to the first token, and tokens per second. A recording that fails, "
         "exceeds --timeout or "
         "leaves no ETDump is reported with the end of the program's output and does not count. Of "
         "what a program "
         "prints, the last 4 MiB are kept; a warning says if there was more.",
     .examples = {{"bench --record mv2 -- ./executor_runner --etdump_path dump.etdp",
                   "one recording as a warm-up, then five that count"},
                  {"bench --record mv2 --device here --against './a mv2' -- ./b mv2",
                   "two programs in turns, five recordings of each, on this processor"},
                  {"bench --record mv2 --pull /sdcard/d -- adb shell sh /sdcard/run.sh",
                   "a program on a phone"},
                  {"bench --record mv2 --fail-above 5% --against ./old -- ./new",
                   "for CI: fails if a method surely got slower"}},
     .prepare = bench_collect,
     .run = command_bench,
     .rows = 10,
     .writes_logdir = true,
     .runs_program = true},
    {.name = "watch",
     .bit = FOR_WATCH,
     .arguments = "DIR",
     .summary = "add each new ETDump in a folder to TensorBoard as it arrives",
     .help = "Waits for ETDumps in DIR, which also contains the ETRecord unless --etrecord names "
             "it. As soon as an "
             "ETDump is complete (its writer has closed it, or it was moved in), it is written to "
             "LOGDIR/NAME/DUMP, and a line is printed. An ETDump that is written "
             "again replaces its "
             "runs. ETDumps that were in DIR before are not added; `write` adds them. A damaged "
             "ETDump is reported, "
             "and `watch` continues. Ctrl-C ends it.",
     .examples = {{"watch mobilenet_v2", "while a device pushes ETDumps into mobilenet_v2"},
                  {"watch dumps --etrecord model.etrecord --hparam device=pixel8",
                   "with a record in another place"}},
     .run = command_watch,
     .writes_logdir = true},
    {.name = "help",
     .bit = FOR_HELP,
     .arguments = "[COMMAND]",
     .summary = "describe a command, its options and examples",
     .help = "Prints what `etrecord-tb COMMAND --help` prints or, without COMMAND, the list of "
             "commands.",
     .examples = {{"help nodes", "describes `nodes`"}}},
    {.name = NULL},
};
