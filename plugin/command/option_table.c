/* SPDX-License-Identifier: BSD-3-Clause
 *
 * option_table.c - the table of options; finds commands and options in the tables, also mistyped
 * ones.
 */
#include "command/option_table.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Groups of commands. */
enum {
  PER_METHOD = FOR_NODES | FOR_EVENTS | FOR_SUMMARY | FOR_SOURCE | FOR_DELEGATION | FOR_MEMORY |
               FOR_DIFF | FOR_COMPARE,
  TIMED = FOR_INFO | FOR_NODES | FOR_EVENTS | FOR_SUMMARY | FOR_SOURCE | FOR_DELEGATION | FOR_DIFF |
          FOR_COMPARE,
  PRINTING = FOR_INFO | PER_METHOD,
  LISTING = PRINTING | FOR_VALIDATE | FOR_ACCURACY,
  TIMED_NODES = FOR_NODES | FOR_EVENTS | FOR_SUMMARY | FOR_DELEGATION | FOR_SOURCE,
  FILTERED = TIMED_NODES | FOR_ACCURACY,
  STACKING = TIMED_NODES | FOR_MEMORY,
  ONE_FILE = FOR_DOT | FOR_TRACE | FOR_EXPORT | FOR_REPORT,
  RANKING = FOR_WRITE | TIMED_NODES | FOR_DOT,
  FILES = FOR_STRIP | FOR_PACK,
  READING = FOR_WRITE | PRINTING | ONE_FILE | FOR_ACCURACY,
  RUNNING = FOR_BENCH | FOR_WATCH,
  COMPARING = FOR_ACCURACY | FOR_SUMMARY | FOR_NODES | FOR_DOT | FOR_REPORT | FOR_WRITE |
              FOR_EXPORT,
  RATING = FOR_NODES | FOR_SUMMARY | FOR_SOURCE | FOR_REPORT | FOR_WRITE,
  SKIPPING = FOR_WRITE | FOR_INFO | FOR_NODES | FOR_SUMMARY | FOR_SOURCE | FOR_DELEGATION |
             FOR_DIFF | FOR_COMPARE | ONE_FILE | RUNNING,
};

/* AS: how an option is parsed, and the member of cli_settings that takes its value. AND: the member
 * that takes the count of a list, or that the option sets to true. */
#define AS(how, member) OPTION_##how, offsetof(cli_settings, member)
#define AND(member) .offset2 = offsetof(cli_settings, member)

/* What differs by command in an option: its words, or what --help says. */
static const option_values outputs[] = {{FOR_REFERENCE, NULL, "the safetensors file to write"},
                                        {PER_METHOD | ONE_FILE | FILES, NULL, NULL},
                                        {0, NULL, NULL}};
static const option_values skips[] = {{FOR_EVENTS, NULL,
                                       "exclude the first N runs after each load of each ETDump; "
                                       "auto excludes warm-up runs (default: 0)"},
                                      {SKIPPING, NULL, NULL},
                                      {0, NULL, NULL}};
static const option_values formats[] = {
    {FOR_DOT, "dot|svg|png|pdf",
     "format of the output (default: by the extension of FILE, or else dot)"},
    {FOR_TRACE, "chrome|speedscope|folded",
     "format of the output; folded stacks are lines of method, modules, operator and nanoseconds "
     "(default: chrome)"},
    {FOR_DIFF | FOR_COMPARE,
     "text|json|csv|tsv|markdown|jsonl|parquet|arrow|github-action-benchmark",
     "output format; jsonl has one JSON object for each row of csv. parquet and arrow (IPC) have "
     "the same rows with typed columns and need Python with pyarrow. github-action-benchmark is "
     "what that action reads (customSmallerIsBetter), of diff about NEW (default: by the extension "
     "of --output, or else text)"},
    {PER_METHOD & ~(unsigned)(FOR_DIFF | FOR_COMPARE),
     "text|json|csv|tsv|markdown|jsonl|parquet|arrow",
     "output format; jsonl has one JSON object for each row of csv. parquet and arrow (IPC) have "
     "the same rows with typed columns and need Python with pyarrow (default: by the extension of "
     "--output, or else text)"},
    {LISTING & ~PER_METHOD, "text|json|csv|tsv|markdown|jsonl", NULL},
    {FOR_BENCH, "text|github-action-benchmark",
     "format of the output: text, or the times as that action reads them (customSmallerIsBetter) "
     "(default: text)"},
    {0, NULL, NULL}};
static const option_values alls[] = {
    {FOR_REFERENCE, NULL,
     "write the values of all nodes (default: of aten/METHOD, and of the Edge nodes that the "
     "ETDump logged)"},
    {FOR_SUMMARY, NULL,
     "all tables behind the first screen: parts, operators, modules, source lines, runs"},
    {0, NULL, NULL}};
static const option_values breakdowns[] = {
    {FOR_ACCURACY, "module|op|source|backend",
     "a row for each module, operator, source line or backend"},
    {FOR_SUMMARY, "op|module|pattern|backend|source|kernel|method|part|finding|layer_kind",
     "only this table, which CSV and other tables need; pattern adds up modules that repeat, as in "
     "layers.*.attention, and layer_kind what attention, projections and the like of a decoder "
     "take "
     "(JSON has all)"},
    {FOR_SOURCE, "line|pattern",
     "what has a row; pattern splits each line by the modules that it runs for, and adds up "
     "modules that repeat (JSON has both)"},
    {FOR_DELEGATION, "op|delegate",
     "only operator types, or only delegates with their phases and compute units (JSON has both)"},
    {FOR_DIFF, "node|op|module|pattern|backend|source|kernel|value|part|method",
     "only this breakdown, which the first table uses, too, and which CSV and other tables need"},
    {FOR_COMPARE, "op|module|kernel|pattern",
     "a row for each operator type, module, kernel or pattern of modules, and a column for each "
     "record"},
    {0, NULL, NULL}};
static const option_values orders[] = {
    {FOR_ACCURACY, "suspicion|local|drop|snr|order",
     "order of the rows: local error, drop of SNR, SNR, or order of execution (default: suspicion, "
     "which is local if the reference has local values, else drop)"},
    {FOR_NODES, "time|name|op|module|graph|order|macs|bytes",
     "order of the rows (default: time); `order` is the order of execution, macs and bytes put the "
     "most first"},
    {FOR_EVENTS | FOR_DIFF, "time|name|op|module|graph", NULL},
    {FOR_SUMMARY | FOR_SOURCE | FOR_DELEGATION, "time|name", NULL},
    {0, NULL, NULL}};

/* The order is that of --help: options of one command first, then the inputs and limits that
 * commands share. */
const option_spec option_specs[] = {
    {"record", 0, "RECORD", AS(TEXT, record), FOR_BENCH,
     .help = "the ETRecord of RUNNER's model, or its directory"},
    {"against", 0, "COMMAND", AS(TEXT, against), FOR_BENCH,
     .help = "the base: a program with its arguments, which is recorded in turns with RUNNER. "
             "COMMAND is split into words as by a shell, with quotes and backslashes, but nothing "
             "is expanded"},
    {"against-record", 0, "RECORD", AS(TEXT, against_record), FOR_BENCH,
     .help =
         "the ETRecord of the base's model, or its directory (default: the RECORD of --record)"},
    {"repeat", 0, "N", AS(COUNT, repeat), FOR_BENCH,
     .help = "number of recordings (ETDumps) of each program that count (default: 5)",
     AND(has_repeat)},
    {"warmup", 0, "N", AS(COUNT, warmup), FOR_BENCH,
     .help =
         "number of recordings of each program that are made first and do not count (default: 1)",
     AND(has_warmup)},
    {"timeout", 0, "S", AS(NUMBER, timeout), FOR_BENCH,
     .help = "seconds after which a recording is ended: the process and all that it started are "
             "killed (default: "
             "600)"},
    {"pull", 0, "FILE", AS(TEXT, pull), FOR_BENCH,
     .help = "file in which RUNNER and the base leave their ETDumps; a file on the device if the "
             "program is adb "
             "(default: the program's own --etdump_path)"},
    {"logdir", 'o', "DIR", AS(TEXT, logdir), FOR_WRITE | RUNNING,
     .help = "directory to write to (default: runs)"},
    {"output", 'o', "DIR", AS(TEXT, folder), FOR_RECORD, .help = "folder to make"},
    {"recipe", 0, "RECIPE", AS(WORD, recipe), FOR_RECORD,
     .help = "how the model is lowered: xnnpack is FP32, xnnpack-int8 static with weights by "
             "channel, xnnpack-8da4w dynamic with weights of 4 bits in groups of 32, portable "
             "without a backend (default: xnnpack)",
     .words = "xnnpack|xnnpack-int8|xnnpack-8da4w|portable"},
    {"repeat", 0, "N", AS(COUNT, repeat), FOR_RECORD,
     .help = "number of recordings (ETDumps), each of a process of its own (default: 3)",
     AND(has_repeat)},
    {"inferences", 0, "N", AS(COUNT, inferences), FOR_RECORD,
     .help = "number of runs in each recording (default: 20)", AND(has_inferences)},
    {"threads", 0, "N", AS(COUNT, threads), FOR_RECORD,
     .help = "threads of the runtime (default: as many as it chooses)", AND(has_threads)},
    {"debug-buffer", 0, NULL, AS(FLAG, logs_values), FOR_RECORD,
     .help = "also log all values, in one more run, into the record DIR/values"},
    {"on", 0, "PLACE", AS(WORD, record_on), FOR_RECORD,
     .help = "where the program runs: in Python here, or on a device by adb (default: here)",
     .words = "here|adb"},
    {"runner", 0, "FILE", AS(TEXT, runner), FOR_RECORD,
     .help = "with --on adb: the executor_runner that is pushed to the device, built with event "
             "tracing"},
    {"device", 0, "SERIAL", AS(TEXT, serial), FOR_RECORD,
     .help = "with --on adb: serial number of the device, if there are several"},
    {"force", 0, NULL, AS(FLAG, force), FOR_RECORD, .help = "replace a record that DIR has"},
    {"output", 'o', "FILE", AS(TEXT, output), PER_METHOD | ONE_FILE | FILES | FOR_REFERENCE,
     .help = "file to write (default: standard output)", .values = outputs},
    {"name", 0, "NAME", AS(TEXT, name), FOR_WRITE | RUNNING,
     .help = "folder in DIR, or a/b for a folder in a folder (default: the name of the record's "
             "directory)"},
    {"graphs", 0, "NAMES", AS(TEXT, graphs), FOR_WRITE,
     .help =
         "only these graphs: edge, aten or program, or several, as in edge,aten; all: a run for "
         "each entry point, with all statistics (default: all graphs in one run)"},
    {"step", 0, "N", AS(TEXT, step_text), FOR_WRITE,
     .help = "the record is build N of a series: its times become points of curves over the builds "
             "in the run LOGDIR/NAME; a step that is written again is replaced"},
    {"step-from", 0, "WHAT", AS(WORD, step_from), FOR_WRITE,
     .help = "the step of --step is the number of commits of HEAD in the working directory, or the "
             "time of the recording in seconds since 1970: that of record.json, or of the newest "
             "ETDump",
     .words = "git|time", AND(has_step_from)},
    {"against", 0, "RECORD", AS(TEXT, against_record), FOR_WRITE,
     .help = "with a step: the record of an earlier build; the curves are marked where `diff` says "
             "that the build surely got slower or faster"},
    {"hparam", 0, "NAME=VALUE", AS(LIST, hparam_texts), FOR_WRITE | RUNNING,
     .help = "a column of TensorBoard's HParams table: device=pixel8; a plain decimal value is a "
             "number, "
             "others and those of device and commit are text; may be repeated",
     AND(hparam_count)},
    {"depth", 0, "N", AS(COUNT, depth), FOR_WRITE | FOR_DOT | FOR_SUMMARY,
     .help = "levels of modules to draw or list (default: as many as remain readable)"},
    {"to", 0, "VIEWER", AS(WORD, target), FOR_EXPORT, .help = "the viewer that reads the file",
     .words = "model-explorer", AND(has_target)},
    {"value", 0, "VALUE", AS(WORD, statistic), FOR_EXPORT,
     .help = "the value of each node; snr is in dB, see --reference (default: typical)",
     .words = "typical|avg|p50|p90|max|backend|snr"},
    {"adapter", 0, "ADAPTER", AS(WORD, adapter), FOR_EXPORT,
     .help = "the adapter with which Model Explorer shows the graph (default: auto, by the entry "
             "point)",
     .words = "auto|etrecord|pt2|pte"},
    {"entry", 0, "ENTRY", AS(TEXT, entry), FOR_DOT | FOR_EXPORT,
     .help = "the entry point: edge/forward, aten/forward, ..."},
    {"focus", 0, "MODULE", AS(TEXT, focus), FOR_DOT,
     .help = "draw only this module of the model and its neighbors"},
    {"color-by", 0, "WHAT", AS(WORD, color_by), FOR_DOT,
     .help = "what colors mean: time, or the accuracy of logged values (default: accuracy with "
             "--reference, else time)",
     .words = "time|accuracy", AND(has_color_by)},
    {"fold", 0, NULL, AS(FLAG, fold), FOR_DOT,
     .help = "draw equal blocks, and equal steps of unrolled loops, once, with their number, total "
             "time and median, so "
             "that a model fits a page"},
    {"no-fold", 0, NULL, AS(FLAG, no_fold), FOR_DOT,
     .help = "draw all blocks also in SVG, PNG and PDF of large graphs (default: a graph of more "
             "than 100 operators is folded there)"},
    {"top", 'n', "N", AS(COUNT, most_expensive), FOR_DOT,
     .help = "draw only the N slowest nodes as boxes; the others are summed by module"},
    {"format", 'f', "FORMAT", AS(WORD, format), LISTING | FOR_DOT | FOR_TRACE | FOR_BENCH,
     .help = "output format; jsonl has one JSON object for each row of csv", .values = formats,
     AND(has_format)},
    {"reference", 0, "FILE", AS(TEXT, reference), COMPARING | FOR_COMPARE,
     .help = "compare logged values with this reference, which `etrecord-tb reference` wrote "
             "(default: a reference of "
             "the record among its files)"},
    {"reference-record", 0, "RECORD", AS(TEXT, reference_record), COMPARING,
     .help = "the record from which the reference was made, if it is another one, such as the "
             "float model. Alone, `accuracy` makes the reference, with local values, and keeps it "
             "where other commands find it"},
    {"no-keep", 0, NULL, AS(FLAG, no_keep), FOR_ACCURACY,
     .help =
         "with --reference-record alone: do not keep the reference that is made (default: it is "
         "kept beside the record, or in the user's cache, and used again)"},
    {"input", 0, "N", AS(COUNT, input), FOR_ACCURACY,
     .help = "only this input of the reference, from 0 (default: for each node the worst)",
     AND(has_input)},
    {"graph", 'g', "GRAPH", AS(WORD, accuracy_graph), FOR_ACCURACY,
     .help = "the graph of the record's own reference that is compared with (default: edge, which "
             "is node by node)",
     .words = "edge|aten"},
    {"fail-below", 0, "DB", AS(DECIBEL, fail_below), FOR_ACCURACY,
     .help = "exit with 3 if an output of the model has an SNR below DB, 30dB, and with 4 if no "
             "output was compared",
     AND(has_fail_below)},
    {"inputs", 0, "FILE", AS(TEXT, inputs_file), FOR_REFERENCE | FOR_ACCURACY,
     .help = "inputs for the model, a list of tuples of tensors that torch.save wrote; for several "
             "methods a dict of "
             "such lists by method (default: the record's representative inputs, or else its "
             "example inputs)"},
    {"all", 0, NULL, AS(FLAG, all), FOR_REFERENCE | FOR_SUMMARY, .values = alls},
    {"local", 0, NULL, AS(FLAG, local), FOR_REFERENCE,
     .help = "also run the graph with the values that the device logged, which shows what each "
             "segment adds"},
    {"for", 0, "RECORD", AS(LIST, device_texts), FOR_REFERENCE,
     .help = "with --local: the record that logged the values, if it is another one, such as the "
             "quantized model (default: RECORD); repeated for each of its files",
     AND(device_count)},
    {"tag", 0, "NAME=VALUE", AS(LIST, tag_texts), STACKING,
     .help = "a column of JSON Lines, CSV and TSV that has the same value in every row: "
             "device=pixel8; may be repeated",
     AND(tag_count)},
    {"each", 0, NULL, AS(FLAG, each), STACKING,
     .help = "print the answer about each ETDump: RECORD is the first argument, and the others are "
             "ETDumps or "
             "directories, which are searched with all directories in them (default: the ETDumps "
             "of RECORD). The "
             "record is read once"},
    {"each-from", 0, "FILE", AS(TEXT, each_from), STACKING,
     .help = "like --each, with ETDumps or directories from a list, one on each line; - is "
             "standard input. The list "
             "may be a table with tabs between its cells: its first line names the columns, of "
             "which `etdump` has the "
             "paths and the others are tags of each ETDump"},
    {"problems", 0, "FILE", AS(TEXT, problems), STACKING,
     .help = "with --each: file for a line of JSON for each ETDump that could not be used: its "
             "path and the problem"},
    {"columns", 0, "NAMES", AS(TEXT, columns), PER_METHOD | FOR_ACCURACY,
     .help = "only these columns of the table, in this order: avg,share. In the text of summary, "
             "diff and source these follow the names, as in macs,bytes,gflops; a column of diff "
             "without a side stands for both"},
    {"color", 0, "WHEN", AS(WORD, color), LISTING | FOR_BENCH,
     .help = "when to color text (default: auto, on a terminal)", .words = "auto|always|never"},
    {"width", 0, "N", AS(COUNT, width), LISTING | FOR_BENCH,
     .help = "columns of text; 0 cuts nothing (default: the width of the terminal, or 0 if the "
             "output is not a "
             "terminal)",
     AND(has_width)},
    {"unit", 'u', "UNIT", AS(WORD, unit), TIMED | FOR_REPORT | FOR_EXPORT,
     .help = "unit of times (default: ms; of `report` and of summary's first screen: chosen by the "
             "time of an inference)",
     .words = "ms|ns|us|s|cycles", AND(has_unit)},
    {"method", 'm', "METHOD", AS(TEXT, method), PER_METHOD | FOR_DOT | FOR_TRACE | FOR_EXPORT,
     .help = "only this method"},
    {"graph", 'g', "MODULE", AS(TEXT, graph), FOR_NODES,
     .help = "only entry points of this graph module: edge, aten, ..."},
    {"module", 0, "PREFIX", AS(TEXT, module), FILTERED,
     .help = "only nodes in this module of the model or below it"},
    {"op", 0, "GLOB", AS(TEXT, op), FILTERED,
     .help = "only these operators: convolution, 'aten.conv*'; of events also by their own "
             "names: 'Transpose*'"},
    {"backend", 0, "GLOB", AS(TEXT, backend), FILTERED,
     .help = "only nodes that run in this backend; cpu selects nodes that ran as kernels"},
    {"source-root", 0, "DIR", AS(TEXT, source_root), READING,
     .help = "directory of the model's files: source lines are those of frames in it, where a "
             "stack trace has one "
             "(default: outside torch, torchao, ExecuTorch and transformers); `source` also looks "
             "there for files "
             "that have moved"},
    {"by", 0, "WHAT", AS(WORD, by),
     FOR_ACCURACY | FOR_SUMMARY | FOR_SOURCE | FOR_DELEGATION | FOR_DIFF | FOR_COMPARE,
     .help = "what has a row", .values = breakdowns, AND(has_by)},
    {"sort", 0, "KEY", AS(WORD, order), TIMED_NODES | FOR_DIFF | FOR_ACCURACY,
     .help = "order of the rows (default: time)", .values = orders},
    {"stat", 0, "STAT", AS(WORD, ranking), RANKING,
     .help = "statistic to show and to rank by: typical is the mean over the middle third of the "
             "runs, of several ETDumps the mean of theirs; with p50, shares are of the sum of all "
             "rows' medians (default: typical)",
     .words = "typical|avg|p50"},
    {"force", 0, NULL, AS(FLAG, force), FORCIBLE,
     .help = "continue if a filter selects nothing, or if the ETDump is of another model"},
    {"values", 0, NULL, AS(FLAG, values), FOR_NODES | FOR_EVENTS,
     .help = "show logged values instead of times: minimum, maximum, mean and number of NaN (JSON "
             "has both)"},
    {"operators", 0, NULL, AS(FLAG, operators), FOR_INFO,
     .help = "print the operators that kernels need, as gen_oplist takes them (--root_ops)"},
    {"sizes", 0, NULL, AS(FLAG, sizes), FOR_INFO | FOR_DIFF,
     .help = "show where the bytes of the program are: weights by module and type, delegates, "
             "largest parts"},
    {"fail-above", 0, "PERCENT", AS(PERCENT, fail_above), FOR_DIFF | FOR_BENCH | FOR_COMPARE,
     .help = "exit with 3 if a method surely got slower by more than PERCENT, and with 4 if the "
             "data do not "
             "decide. Smaller changes count as equal",
     AND(has_fail_above)},
    {"recording-noise", 0, "PERCENT", AS(PERCENT, recording_noise),
     FOR_DIFF | FOR_BENCH | FOR_COMPARE,
     .help = "how much recordings (ETDumps) of one program differ on this device; used if a side "
             "has fewer than three, whose verdicts are at most likely (default: 3%)",
     AND(has_recording_noise)},
    {"in-turns", 0, NULL, AS(FLAG, in_turns), FOR_DIFF | FOR_COMPARE,
     .help =
         "the recordings of both sides were taken in turns, as bench takes them; without it the "
         "times of the files are asked"},
    {"top", 'n', "N", AS(COUNT, top), PRINTING | FOR_BENCH | FOR_ACCURACY,
     .help = "at most N rows for each table; 0: all (default: 30 in text; 10 in summary, memory, "
             "diff and "
             "info; "
             "otherwise all)"},
    {"explain", 0, "N", AS(TEXT, explain_text), FOR_SUMMARY,
     .help = "why finding N is given, what it could save, and the code to change; all: of all of "
             "them"},
    {"full-names", 0, NULL, AS(FLAG, full_names), FOR_SUMMARY,
     .help = "operators with namespace and overload: aten.linear.default"},
    {"findings", 0, "N", AS(COUNT, findings), FOR_SUMMARY | FOR_DIFF,
     .help = "at most N findings for each method, of diff about the newer record; 0: all (default: "
             "5 in summary, none in diff; JSON has all)"},
    {"no-source", 0, NULL, AS(FLAG, no_source), FOR_STRIP,
     .help = "remove paths, functions and code from the stack traces"},
    {"rename-modules", 0, NULL, AS(FLAG, rename_modules), FOR_STRIP,
     .help = "do what --no-source does, and rename modules, classes and weights"},
    {"pte", 0, "FILE", AS(TEXT, pte), FOR_PACK,
     .help = "the program (.pte) to put into the record"},
    {"bundled", 0, "FILE", AS(TEXT, bundled), FOR_PACK,
     .help = "a BundledProgram (.bpte) whose inputs and reference outputs are taken"},
    {"etrecord", 0, "FILE", AS(TEXT, etrecord), READING | FOR_VALIDATE | RUNNING | FOR_REFERENCE,
     .help = "the ETRecord, if RECORD has none or several"},
    {"etdump", 0, "FILE", AS(FILES, etdumps), READING | FOR_REFERENCE,
     .help = "an ETDump, or a log that contains one as base64, instead of the ETDumps of RECORD; "
             "may be repeated; "
             "- is standard input",
     AND(etdump_count)},
    {"pte", 0, "FILE", AS(TEXT, pte), READING | FOR_VALIDATE | RUNNING | FOR_REFERENCE,
     .help = "the program, a .pte or .bpte, instead of the program of RECORD"},
    {"debug-buffer", 0, "FILE", AS(TEXT, debug_buffer), READING | FOR_REFERENCE,
     .help = "the debug buffer, instead of the one of RECORD"},
    {"map", 0, "RUNS=METHOD", AS(LIST, map_texts), READING | RUNNING | FOR_REFERENCE,
     .help = "the method of runs, if the files do not identify it: 3=decode or 3-8=decode; may be "
             "repeated, and the last one counts, for all records",
     AND(map_count)},
    {"skip-runs", 0, "N", AS(TEXT, skip_text), SKIPPING | FOR_EVENTS,
     .help = "exclude the first N runs after each load of each ETDump (default: auto, which "
             "excludes warm-up runs: "
             "leading runs that take more than 1.5 times the median of the runs after them, and "
             "more than 1.2 "
             "times what four fifths of these take)",
     .values = skips},
    {"runs", 0, "RUNS", AS(TEXT, runs_text), READING | RUNNING,
     .help = "only these inferences, 3 or 3-8, numbered as in `info`"},
    {"ticks-per-second", 0, "N", AS(NUMBER, ticks_per_second), READING | RUNNING,
     .help = "ticks of the ETDump's clock in a second (default: 1e9, nanoseconds); runners of "
             "microcontrollers count cycles: 400e6 at 400 MHz"},
    {"source-unit", 0, "UNIT", AS(WORD, source_unit), READING | RUNNING,
     .help = "length of a tick of the ETDump's clock, instead of --ticks-per-second",
     .words = "ms|ns|us|s", AND(has_source_unit)},
    {"peak-flops", 0, "N", AS(NUMBER, peak_flops), RATING,
     .help = "peak of the device in FLOP per second, for `of peak`, `bound` and findings: 1.2e11 "
             "(default: the "
             "best rate of the record's large operators, if it has any)"},
    {"peak-int-ops", 0, "N", AS(NUMBER, peak_int_ops), RATING,
     .help = "peak of the device for quantized models, in integer operations per second: 4.8e11"},
    {"peak-bandwidth", 0, "N", AS(NUMBER, peak_bandwidth), RATING,
     .help = "peak bandwidth of the device, in bytes per second: 5e10"},
    {"device", 0, "NAME", AS(TEXT, device), RATING | FOR_BENCH,
     .help = "the device whose peaks, clock and instructions are taken from the file of --devices; "
             "here: this machine's instructions"},
    {"devices", 0, "FILE", AS(TEXT, devices), RATING | FOR_BENCH,
     .help = "file with the peaks of devices: on each line a JSON object with device, peak_flops, "
             "peak_int_ops, peak_bandwidth, ticks_per_second and instructions (default: "
             "~/.config/etrecord-tb/devices.jsonl)"},
    {"max-bytes", 0, "N", AS(NUMBER, max_bytes), READING | RUNNING,
     .help = "limit on bytes read, after decompression (default: 16 GiB in all, 1 GiB for one "
             "ETDump or program); "
             "weights are not read"},
    {"max-nodes", 0, "N", AS(COUNT, max_nodes), READING | RUNNING,
     .help = "limit on the nodes of all graphs (default: 2097152)"},
    {"max-events", 0, "N", AS(COUNT, max_events), READING | RUNNING,
     .help = "limit on the events of all ETDumps (default: 16777216)"},
    {"max-delegates", 0, "N", AS(COUNT, max_delegates), READING | RUNNING,
     .help = "limit on the delegates of a method of a .pte (default: 8192)"},
    {"max-comparisons", 0, "N", AS(COUNT, max_comparisons), READING | RUNNING,
     .help = "limit on comparisons of runs with methods, which find the method that ran (default: "
             "33554432)"},
    {"max-output", 0, "N", AS(NUMBER, max_output), READING | FOR_VALIDATE | FILES | RUNNING,
     .help = "limit on bytes written to all files (default: 4 GiB)"},
    {"help", 'h', NULL, AS(FLAG, help), 0,
     .help = "print all options; -h prints those that matter most"},
    {"version", 'V', NULL, AS(FLAG, version), 0, .help = "print the version"},
    {.name = NULL},
};

const exit_spec exit_statuses[] = {
    {EXIT_DONE, 0, "done"},
    {EXIT_BAD_INPUT, 0,
     "an input cannot be read or is damaged, an output cannot be written, or a name matches "
     "nothing"},
    {EXIT_USAGE, 0, "wrong usage"},
    {EXIT_ABOVE_LIMIT, FOR_DIFF | FOR_BENCH | FOR_COMPARE,
     "with --fail-above: a method surely got slower by more than the limit"},
    {EXIT_ABOVE_LIMIT, FOR_ACCURACY,
     "with --fail-below: an output of the model has a lower SNR than the limit"},
    {EXIT_CANNOT_TELL, FOR_DIFF | FOR_BENCH | FOR_COMPARE,
     "with --fail-above: the data do not decide whether one did, or there is nothing to compare "
     "with; a message says "
     "what would help"},
    {EXIT_CANNOT_TELL, FOR_ACCURACY, "with --fail-below: no output of the model was compared"},
    {EXIT_SOME_FAILED, FOR_BENCH, "some recordings failed; the others were written and compared"},
    {EXIT_SOME_FAILED, FOR_COMPARE, "some records could not be read; the others were compared"},
    {EXIT_SOME_FAILED,
     FOR_NODES | FOR_EVENTS | FOR_SUMMARY | FOR_SOURCE | FOR_DELEGATION | FOR_MEMORY,
     "with --each: some ETDumps could not be used; the answers about the others were printed"},
    {.meaning = NULL},
};

/* ---- Finding commands and options ---- */

bool option_table_has(const option_spec *spec, const cli_command *command) {
  return spec->commands && command ? (spec->commands & command->bit) != 0 : !spec->commands;
}

bool option_table_exits(const exit_spec *spec, const cli_command *command) {
  return !command || !spec->commands || (spec->commands & command->bit) != 0;
}

const char *option_table_exit_meaning(const exit_spec *spec, const cli_command *command,
                                      char room[EXIT_MEANING_ROOM]) {
  size_t used = 0;
  if (command || !spec->commands)
    return spec->meaning;
  for (const cli_command *c = commands; c->name && used < EXIT_MEANING_ROOM; c++)
    if (spec->commands & c->bit)
      used += (size_t)snprintf(room + used, EXIT_MEANING_ROOM - used, "%s%s", used ? ", " : "",
                               c->name);
  if (used < EXIT_MEANING_ROOM)
    (void)snprintf(room + used, EXIT_MEANING_ROOM - used, ": %s", spec->meaning);
  return room;
}

bool option_table_shown(option_spec *out, size_t index) {
  static const option_values same[] = {{1, NULL, NULL}, {0, NULL, NULL}};
  for (const option_spec *spec = option_specs; spec->name; spec++) {
    for (const option_values *v = spec->values ? spec->values : same; v->commands; v++) {
      if (index-- > 0)
        continue;
      *out = *spec;
      if (v == same)
        return true;
      out->commands = v->commands;
      out->words = v->words;
      out->help = v->help ? v->help : spec->help;
      return true;
    }
  }
  return false;
}

const char *option_table_words(const option_spec *spec, const cli_command *command) {
  const option_values *v = spec->values;
  while (v && v->commands && !(v->commands & command->bit))
    v++;
  return v ? v->words : spec->words;
}

const cli_command *option_table_command(const char *name) {
  for (const cli_command *c = commands; c->name; c++)
    if (strcmp(c->name, name) == 0)
      return c;
  return NULL;
}

/* Counts the words of a text that blanks separate, without those in brackets if is_needed_only is
 * set. */
static size_t count_words(const char *text, bool is_needed_only) {
  size_t count = 0;
  for (; *text; text += strspn(text, " ")) {
    if (!is_needed_only || text[0] != '[')
      count++;
    text += strcspn(text, " ");
  }
  return count;
}

size_t option_table_needed(const cli_command *command) {
  return count_words(command->arguments, true);
}

size_t option_table_allowed(const cli_command *command) {
  return strstr(command->arguments, "...") ? SIZE_MAX : count_words(command->arguments, false);
}

/* ---- Mistyped words ---- */

const char *option_table_nearest(const char *name) {
  const char *best = NULL;
  for (const cli_command *c = commands; c->name; c++)
    best = etr_nearer_word(name, strlen(name), best, c->name);
  return best;
}

const char *option_table_nearest_option(const cli_command *command, const char *name, size_t size) {
  const char *best = NULL;
  for (const option_spec *spec = option_specs; spec->name; spec++)
    if (option_table_has(spec, command))
      best = etr_nearer_word(name, size, best, spec->name);
  return best;
}

exit_status option_table_refuse_command(const char *name) {
  const char *near = option_table_nearest(name);
  if (near)
    return message_usage(NULL, "unknown command \"%s\"; did you mean %s?", name, near);
  return message_usage(NULL, "unknown command \"%s\"", name);
}
