/* SPDX-License-Identifier: BSD-3-Clause
 *
 * option_table.c - the commands and their options.
 */
#include "option_table.h"

#include "command.h"
#include "nearest.h"

#include <stddef.h>
#include <string.h>

const cli_command commands[] = {
    {.name = "write",
     .bit = COMMAND_WRITE,
     .arguments = "RECORD",
     .summary = "write TensorBoard run folders and DOT files (the default)",
     .help =
         "Writes LOGDIR/NAME/K_MODULE/METHOD/events.out.tfevents... and LOGDIR/NAME/dot/MODULE/METHOD.dot for every entry point of the record, and "
         "prints what it wrote. Writing the same record twice replaces the files of the first time.\n"
         "In TensorBoard, choose GRAPHS, Tag: profile/avg, Color by: Compute time.",
     .examples = {{"mobilenet_v2", "writes runs/mobilenet_v2/..., to be shown with `tensorboard --logdir runs`"},
                  {"write model.etrecord --etdump monday.etdp --name monday", "the runs of one dump, in a folder of their own"}},
     .run = command_write},
    {.name = "info",
     .bit = COMMAND_INFO,
     .arguments = "RECORD",
     .summary = "what is in the record: graphs, methods, delegates, runs",
     .help =
         "Prints what is in the inputs: entry points with dialect and node counts, methods with their delegates, runs with the method each was found "
         "to be of, and what is missing or unknown.",
     .examples = {{"info mobilenet_v2", "what there is to look at"}, {"info etdump.etdp", "what was run, where no ETRecord is at hand"}},
     .run = command_info},
    {.name = "nodes",
     .bit = COMMAND_NODES,
     .arguments = "RECORD",
     .need = NEEDS_GRAPHS,
     .summary = "the graphs' nodes, with the times joined to them",
     .help =
         "Prints the nodes of the graphs with the times joined to them: the text table has the nodes of timed graphs by time; JSON has every node of "
         "every graph.",
     .examples = {{"nodes mobilenet_v2 --top 10", "the ten nodes that take the longest"},
                  {"nodes mobilenet_v2 --op 'aten.conv*' --module features.1", "the convolutions of one block"},
                  {"nodes mobilenet_v2 --backend cpu", "what ran as kernels, in no delegate"},
                  {"nodes mobilenet_v2 --values", "minimum, maximum, mean, NaN of each logged tensor"},
                  {"nodes mobilenet_v2 --top 0 --format csv > nodes.csv", "everything, for a spreadsheet"}},
     .run = command_nodes},
    {.name = "events",
     .bit = COMMAND_EVENTS,
     .arguments = "RECORD",
     .need = NEEDS_RUNS,
     .edge_only = true,
     .summary = "the event table, as ExecuTorch's Inspector has it, joined to nodes",
     .help =
         "Prints the events of the ETDump in blocks of runs with the same events, as ExecuTorch's Inspector groups them, with the node each event's "
         "time was attributed to and how it was matched.",
     .examples = {{"events mobilenet_v2 --method forward", "the events of one method"},
                  {"events etdump.etdp --unit cycles", "what a dump counted, unconverted, without its ETRecord"}},
     .run = command_events},
    {.name = "summary",
     .bit = COMMAND_SUMMARY,
     .arguments = "RECORD",
     .need = NEEDS_RUNS,
     .edge_only = true,
     .summary = "where the time goes, by operator, module, backend and source line",
     .help =
         "Prints where each method's time goes: on graph nodes, in delegates beyond their nodes (operators that a "
         "lowering inserted, and the rest of the calls), in the framework, unexplained; these add up to Method::execute. "
         "Then the operators that take longest, sums by operator type, module, backend and source line, the first run against the rest, loading, and "
         "findings: what is worth a look, what it costs, and which events say so. --module, --op and --backend ask for a part.",
     .examples = {{"summary mobilenet_v2 --top 5", "the five largest of each kind"},
                  {"summary mobilenet_v2 --format markdown", "for a pull request"},
                  {"summary model.etrecord --etdump device.etdp --source-unit us", "a dump of a device that counts microseconds"}},
     .run = command_summary},
    {.name = "source",
     .bit = COMMAND_SOURCE,
     .arguments = "RECORD",
     .edge_only = true,
     .summary = "the model's own source lines, with their time",
     .help =
         "Prints the files of the model with the time of each line, from the stack traces that the export recorded: the innermost frame outside "
         "torch. "
         "Lines around them are printed where the file is still on disk and has the recorded code; --source-root says where the files moved to. What "
         "has no source stands as a row of its own, so that all adds up to the time on graph nodes.",
     .examples = {{"source mobilenet_v2", "every file, the one with the most time first"},
                  {"source mobilenet_v2 --source-root ~/work/models", "files that were recorded on another machine"},
                  {"source mobilenet_v2 --op 'aten.conv*' --top 5", "the five lines whose convolutions take longest"}},
     .run = command_source},
    {.name = "delegation",
     .bit = COMMAND_DELEGATION,
     .arguments = "RECORD",
     .need = NEEDS_GRAPHS,
     .edge_only = true,
     .summary = "what is delegated, per operator type, with times",
     .help = "Prints how many nodes of each operator type are delegated and how many are not, as ExecuTorch's print_delegation_info counts them, "
             "from the "
             "saved record alone, with their times.",
     .examples = {{"delegation mobilenet_v2", "which operators a backend did not take, and what they cost"}},
     .run = command_delegation},
    {.name = "dot",
     .bit = COMMAND_DOT,
     .arguments = "RECORD",
     .summary = "a graph as Graphviz DOT, SVG or PNG, coloured by time",
     .help =
         "Draws one entry point: modules as frames, time as heat, delegates by the colour of the border. Without --entry, the one that has the "
         "most to say. SVG and PNG are laid out by Graphviz' program `dot`, which has to be installed; so many boxes are opened as stay readable, "
         "unless --depth says otherwise.",
     .examples = {{"dot mobilenet_v2 -o mobilenet_v2.svg", "a picture for a browser, with all there is to know of a box in its tooltip"},
                  {"dot mobilenet_v2 --focus features.1 -o block.png", "one module, and what is next to it"},
                  {"dot mobilenet_v2 --top 10 -o top.svg", "where the ten nodes are that take the longest"}},
     .run = command_dot},
    {.name = "report",
     .bit = COMMAND_REPORT,
     .arguments = "RECORD",
     .edge_only = true,
     .summary = "one HTML file that shows it all, without TensorBoard or a network",
     .help =
         "Writes the ExecuTorch dashboard with the record's profile in it as one HTML file: where the time goes, operators, modules, the timeline of "
         "the median run, delegation. It opens in any browser from a disk or a mail and asks no server for anything.",
     .examples = {{"report mobilenet_v2 -o report.html", "a file to look at or to send"}},
     .run = command_report},
    {.name = "diff",
     .bit = COMMAND_DIFF,
     .arguments = "BASE [NEW]",
     .edge_only = true,
     .summary = "what became slower or faster, by node, operator, module, backend",
     .help =
         "Lines up two records, each an ETRecord, an ETDump or a directory, and prints what became slower or faster: medians over the runs, with a "
         "verdict that a change within the noise does not get. Two dumps of one record are given as BASE and NEW with --etrecord, or as two --etdump "
         "behind the record.\n"
         "With --fail-above 5% the exit status is 3 if the median of a method's Method::execute got slower by more than 5 % and by more than the "
         "noise. "
         "Single nodes do not decide.\n"
         "Text and Markdown leave out what is within noise; --top 0 lists everything. CSV does unless --top says otherwise; JSON always does.",
     .examples = {{"diff before after", "two directories"},
                  {"diff monday.etdp tuesday.etdp --etrecord model.etrecord", "two dumps of one record"},
                  {"diff before after --fail-above 5%", "for a pipeline: fails if it got slower"},
                  {"diff before after --format markdown", "for a comment on a pull request"}},
     .run = command_diff},
    {.name = "trace",
     .bit = COMMAND_TRACE,
     .arguments = "RECORD",
     .edge_only = true,
     .summary = "the runs on a time line, for Perfetto or chrome://tracing",
     .help =
         "Writes every run as Chrome trace events: a process for each method, in it a track of calls and kernels and one for each delegate. Events "
         "stand where they were measured; a delegate's events whose clock is another one, and XNNPACK's, which are never measured, are laid end to "
         "end inside the delegate's call, and say so. A FILE that ends in .gz is compressed.",
     .examples = {{"trace mobilenet_v2 -o mobilenet_v2.json.gz", "to be opened in ui.perfetto.dev"},
                  {"trace etdump.etdp --method forward > forward.json", "without an ETRecord: no nodes, but all times"}},
     .run = command_trace},
    {.name = "export",
     .bit = COMMAND_EXPORT,
     .arguments = "RECORD",
     .summary = "values of nodes for another viewer: Model Explorer",
     .help =
         "Writes node data that Google's Model Explorer lays over the graph that is open in it: the times of an entry point's nodes, or where they "
         "run. Keys are the names of nodes, as Model Explorer shows an exported program (.pt2) and Arm's ETRecord adapter an ETRecord; nodes of "
         "nested graphs, which it does not show, count for the node that holds them. One file is one column: for p50 beside avg, write two.",
     .examples = {{"export mobilenet_v2 --to model-explorer -o avg.json", "average times of edge/forward"},
                  {"export mobilenet_v2 --to model-explorer --value backend > b.json", "what runs where"},
                  {"export mobilenet_v2 --to model-explorer --entry aten/forward", "for the exported program"}},
     .run = command_export},
    {.name = "help",
     .bit = COMMAND_HELP,
     .arguments = "[COMMAND]",
     .summary = "what a command does, its options and examples",
     .help = "Prints the same as `etrecord-tb COMMAND --help`; without COMMAND, what commands there are.",
     .examples = {{"help nodes", "the options of `nodes`"}},
     .run = command_help},
    {.name = NULL},
};

enum {
  ALL = ~0u,
  INPUTS = ALL & ~(unsigned)COMMAND_HELP,                                /* commands that read a record */
  FILES = COMMAND_DOT | COMMAND_TRACE | COMMAND_EXPORT | COMMAND_REPORT, /* that write one file about it */
  READING = INPUTS & ~(unsigned)(COMMAND_WRITE | FILES),                 /* that print tables about it */
  PER_METHOD = READING & ~(unsigned)COMMAND_INFO,
  BY_NODE = COMMAND_NODES | COMMAND_EVENTS | COMMAND_DIFF, /* with rows that have a name, an operator, a module, a place */
  FILTERED = COMMAND_NODES | COMMAND_EVENTS | COMMAND_SUMMARY | COMMAND_DELEGATION | COMMAND_SOURCE,
};

#define AT(member) offsetof(cli_settings, member)

/* A command's own come first, in --help too; then what says where the inputs are. */
const option_spec options[] = {
    {"logdir", 'o', "DIR", OPTION_TEXT, AT(logdir), 0, NULL, COMMAND_WRITE, "where to write (default: runs)"},
    {"output", 'o', "FILE", OPTION_TEXT, AT(output), 0, NULL, FILES, "where to write (default: standard output)"},
    {"name", 0, "NAME", OPTION_TEXT, AT(name), 0, NULL, COMMAND_WRITE, "folder below it (default: the record directory's name)"},
    {"depth", 0, "N", OPTION_COUNT, AT(depth), 0, NULL, COMMAND_WRITE, "levels of modules opened in DOT files (default: what stays readable)"},
    {"hparam", 0, "NAME=VALUE", OPTION_LIST, AT(hparam_texts), AT(hparam_count), NULL, COMMAND_WRITE,
     "a fact for TensorBoard's HParams table, as device=pixel8; may be repeated"},
    {"depth", 0, "N", OPTION_COUNT, AT(depth), 0, NULL, COMMAND_DOT, "levels of modules opened (default: what stays readable)"},
    {"to", 0, "VIEWER", OPTION_WORD, AT(target), AT(has_target), "model-explorer", COMMAND_EXPORT, "which viewer"},
    {"value", 0, "VALUE", OPTION_WORD, AT(statistic), 0, "avg|p50|p90|max|backend", COMMAND_EXPORT, "what of each node (default: avg)"},
    {"entry", 0, "ENTRY", OPTION_TEXT, AT(entry), 0, NULL, COMMAND_DOT | COMMAND_EXPORT, "this entry point: edge/forward, aten/forward, ..."},
    {"focus", 0, "MODULE", OPTION_TEXT, AT(focus), 0, NULL, COMMAND_DOT, "only this module of the model, and what is next to it"},
    {"top", 'n', "N", OPTION_COUNT, AT(most_expensive), 0, NULL, COMMAND_DOT,
     "only the N nodes that take most time by themselves, the rest summed up by module"},
    {"format", 'f', "FORMAT", OPTION_WORD, AT(drawing), AT(has_drawing), "dot|svg|png", COMMAND_DOT, "what to write (default: as FILE ends, or dot)"},
    {"depth", 0, "N", OPTION_COUNT, AT(depth), 0, NULL, COMMAND_SUMMARY, "levels of modules shown (default: as many as fill the table)"},
    {"format", 'f', "FORMAT", OPTION_WORD, AT(format), 0, "text|json|csv|tsv|markdown", READING, "how to print"},
    {"color", 0, "WHEN", OPTION_WORD, AT(color), 0, "auto|always|never", READING, "colour of text (default: auto, on a terminal)"},
    {"unit", 'u', "UNIT", OPTION_WORD, AT(unit), 0, "ms|ns|us|s|cycles", READING | COMMAND_REPORT | COMMAND_EXPORT, "unit of times (default: ms)"},
    {"method", 'm', "METHOD", OPTION_TEXT, AT(method), 0, NULL, PER_METHOD | COMMAND_DOT | COMMAND_TRACE | COMMAND_EXPORT, "only this method"},
    {"graph", 'g', "MODULE", OPTION_TEXT, AT(graph), 0, NULL, COMMAND_NODES, "only entry points of this module: edge, aten, ..."},
    {"module", 0, "PREFIX", OPTION_TEXT, AT(module), 0, NULL, FILTERED, "only nodes in this module of the model or below it"},
    {"op", 0, "GLOB", OPTION_TEXT, AT(op), 0, NULL, FILTERED, "only these operators: 'aten.conv*'"},
    {"backend", 0, "GLOB", OPTION_TEXT, AT(backend), 0, NULL, FILTERED, "only nodes that run in this backend; cpu: as kernels"},
    {"source-root", 0, "DIR", OPTION_TEXT, AT(source_root), 0, NULL, COMMAND_SOURCE, "where the model's files are now (default: where they were)"},
    {"sort", 0, "KEY", OPTION_WORD, AT(order), 0, "time|name|op|module|graph", BY_NODE, "order of the rows (default: time)"},
    {"sort", 0, "KEY", OPTION_WORD, AT(order), 0, "time|name", PER_METHOD & ~BY_NODE, "order of the rows (default: time)"},
    {"values", 0, NULL, OPTION_FLAG, AT(values), 0, NULL, COMMAND_NODES | COMMAND_EVENTS,
     "what the runs logged instead of times: minimum, maximum, mean, NaN (JSON has both)"},
    {"by", 0, "WHAT", OPTION_WORD, AT(by), AT(has_by), "node|op|module|backend|value", COMMAND_DIFF, "only this breakdown"},
    {"fail-above", 0, "PERCENT", OPTION_PERCENT, AT(fail_above), AT(has_fail_above), NULL, COMMAND_DIFF,
     "exit with 3 if a method got slower by more than this, beyond the noise"},
    {"top", 'n', "N", OPTION_COUNT, AT(top), 0, NULL, PER_METHOD,
     "only the first N rows (default: 30 of text, 10 of each table of summary and diff, otherwise all; 0: all)"},
    {"etrecord", 0, "FILE", OPTION_TEXT, AT(etrecord), 0, NULL, INPUTS, "the ETRecord, where RECORD has several or none"},
    {"etdump", 0, "FILE", OPTION_LIST, AT(etdumps), AT(etdump_count), NULL, INPUTS,
     "an ETDump instead of RECORD's; may be repeated, - is standard input"},
    {"pte", 0, "FILE", OPTION_TEXT, AT(pte), 0, NULL, INPUTS, "the program instead of RECORD's"},
    {"debug-buffer", 0, "FILE", OPTION_TEXT, AT(debug_buffer), 0, NULL, INPUTS, "the debug buffer instead of RECORD's"},
    {"map", 0, "RUNS=METHOD", OPTION_LIST, AT(map_texts), AT(map_count), NULL, INPUTS,
     "the method of runs that the files cannot tell: 3=decode, 3-8=decode; may be repeated, the last counts"},
    {"ticks-per-second", 0, "N", OPTION_NUMBER, AT(ticks_per_second), 0, NULL, INPUTS, "clock of the ETDump (default: its ticks are nanoseconds)"},
    {"source-unit", 0, "UNIT", OPTION_WORD, AT(source_unit), AT(has_source_unit), "ms|ns|us|s", INPUTS, "the same as a unit"},
    {"max-bytes", 0, "N", OPTION_NUMBER, AT(max_bytes), 0, NULL, INPUTS,
     "largest file, or entry of a record, that is read (default: 1 GiB, 16 GiB); weights do not count"},
    {"max-nodes", 0, "N", OPTION_COUNT, AT(max_nodes), 0, NULL, INPUTS, "most nodes of a graph (default: 2097152)"},
    {"help", 'h', NULL, OPTION_FLAG, AT(help), 0, NULL, ALL, "print this"},
    {"version", 0, NULL, OPTION_FLAG, AT(version), 0, NULL, ALL, "print the version"},
    {.name = NULL},
};

const exit_spec exit_statuses[] = {
    {EXIT_DONE, ALL, "done"},
    {EXIT_BAD_INPUT, ALL, "bad input or could not write"},
    {EXIT_USAGE, ALL, "wrong usage"},
    {EXIT_ABOVE_LIMIT, COMMAND_DIFF, "a method got slower than --fail-above allows"},
    {.meaning = NULL},
};

const cli_command *option_table_command(const char *name) {
  for (const cli_command *c = commands; c->name; c++)
    if (strcmp(c->name, name) == 0) return c;
  return NULL;
}

static size_t count_words(const char *text, bool needed_only) {
  size_t count = 0;
  for (; *text; text += strspn(text, " ")) {
    if (!needed_only || text[0] != '[') count++;
    text += strcspn(text, " ");
  }
  return count;
}

size_t option_table_needed(const cli_command *command) { return count_words(command->arguments, true); }

size_t option_table_allowed(const cli_command *command) {
  return strstr(command->arguments, "...") ? SIZE_MAX : count_words(command->arguments, false);
}

const char *option_table_nearest(const char *name) {
  nearest near = {.text = name, .size = strlen(name)};
  for (const cli_command *c = commands; c->name; c++) nearest_try(&near, c->name);
  return near.best;
}

exit_status option_table_no_command(const char *name) {
  const char *near = option_table_nearest(name);
  return message_usage(NULL, "\"%s\" is no command%s%s%s", name, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}
