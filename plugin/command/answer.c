/* SPDX-License-Identifier: BSD-3-Clause
 *
 * answer.c - runs a command that answers about one record, two records, or each of many ETDumps.
 */
#include "base/system.h"
#include "command/command.h"
#include "command/option_table.h"

#include <stdlib.h>
#include <string.h>

/* Returns true if `delegation` answers with delegates, which are known without a graph, so that the
 * lack of one needs no warning: with --by delegate, or in text with neither --by nor --columns,
 * which has delegates and operator types. */
static bool answers_by_delegate(const etr_profile *profile, const cli_settings *settings) {
  const etr_table_options options = command_table_options(settings);
  bool lists_delegates = options.by_delegate ||
                         (settings->format == FORMAT_TEXT && !options.by && !options.columns);
  return settings->command->bit == FOR_DELEGATION && lists_delegates && profile->method_count > 0;
}

/* Returns true if a summary is by what only a graph has. */
static bool sums_nodes(const cli_settings *settings) {
  etr_sum_by by = command_table_options(settings).by;
  bool is_of_graph = by == ETR_SUM_BY_OP || by == ETR_SUM_BY_MODULE || by == ETR_SUM_BY_PATTERN ||
                     by == ETR_SUM_BY_SOURCE || by == ETR_SUM_BY_LAYER_KIND;
  return settings->command->bit == FOR_SUMMARY && is_of_graph;
}

#define NO_MEMORY_PLAN                                                                             \
  "no memory plan, since there is no program: put the .pte into the record's directory, or name "  \
  "it with --pte"

/* Returns why there is nothing to show: `nodes` and `source` are asked about an ETDump alone, or
 * `memory` about one without logged allocations. NULL if there is something, or --force asks for
 * the empty answer. */
static const char *why_nothing_is_shown(const etr_profile *profile, const cli_settings *settings) {
  uint64_t command = settings->command->bit;
  size_t allocation_count = 0;
  if (profile->etrecord || profile->pte || settings->force)
    return NULL;
  for (size_t i = 0; i < profile->run_count; i++)
    allocation_count += profile->runs[i].allocation_count;
  if (command == FOR_MEMORY && allocation_count == 0)
    return NO_MEMORY_PLAN;
  return command == FOR_NODES || command == FOR_SOURCE ? MESSAGE_NO_GRAPH : NULL;
}

/* Opens the record, checks the names and filters of the settings, warns if it lacks what the
 * command needs, and prints the answer. */
static exit_status answer_one(const cli_settings *settings) {
  etr_profile *profile;
  const command_need need = settings->command->need;
  exit_status result = command_open(&profile, settings);
  if (result == EXIT_DONE)
    result = command_check_names(profile, settings);
  if (result == EXIT_DONE)
    result = command_check_filter(profile, settings);
  const char *problem = result == EXIT_DONE ? why_nothing_is_shown(profile, settings) : NULL;
  if (problem)
    result = message_failed("%s", problem);
  if (result == EXIT_DONE) {
    if (need == NEEDS_RUNS && profile->run_count == 0)
      message_warning("no times: there is no ETDump with runs");
    if (sums_nodes(settings) && profile->graph_count == 0 && profile->run_count)
      message_warning(MESSAGE_NO_LAYERS);
    if (need == NEEDS_GRAPHS && profile->graph_count == 0 &&
        !answers_by_delegate(profile, settings))
      message_warning(settings->command->bit == FOR_DELEGATION ? MESSAGE_NO_DELEGATED_NODES
                                                               : MESSAGE_NO_GRAPH);
    if (need == NEEDS_PROGRAM && !profile->program_memory)
      message_warning(NO_MEMORY_PLAN);
    /* Only text, Markdown and JSON say it themselves; a trace is in units of time. */
    bool says_clock = settings->format == FORMAT_TEXT || settings->format == FORMAT_MARKDOWN ||
                      settings->format == FORMAT_JSON;
    bool is_trace = settings->command->bit == FOR_TRACE;
    if (is_trace || (!says_clock && settings->unit != ETR_UNIT_CYCLES))
      message_clock(profile);
    result = command_emit_answer(profile, settings);
  }
  command_close(profile);
  return result;
}

/* Makes the settings of the two records to compare: those of two arguments, or one record that both
 * share with one ETDump each. Fails with a message if it is neither. */
static exit_status split_sides(cli_settings *base, cli_settings *newer,
                               const cli_settings *settings) {
  const char *name = settings->command->name;
  *base = *newer = *settings;
  if (settings->more_count > 0) {
    if (settings->etdump_count)
      return message_usage(name, "--etdump needs one record, but there are two: \"%s\" and \"%s\"",
                           settings->record, settings->more[0]);
    newer->record = settings->more[0];
    base->more_count = newer->more_count = 0;
    return EXIT_DONE;
  }
  if (settings->etdump_count != 2)
    return message_usage(
        name, "diff needs two records: name BASE and NEW, or one record and --etdump twice");
  /* It is unknown to which of the two ETDumps a debug buffer belongs. */
  base->without_buffer = newer->without_buffer = true;
  base->etdump_count = newer->etdump_count = 1;
  newer->etdumps++;
  return EXIT_DONE;
}

/* The kinds of files that a side has, as bits. */
enum { HAS_RECORD = 1, HAS_PROGRAM = 2, HAS_DUMP = 4 };

static unsigned kinds_of(const etr_inputs *inputs) {
  return (inputs->etrecord ? HAS_RECORD : 0u) | (inputs->pte ? HAS_PROGRAM : 0u) |
         (inputs->etdump_count ? HAS_DUMP : 0u);
}

/* Sets *kinds to the kinds of files of one side of a comparison, as HAS_ bits. Returns the failure
 * of finding them, and then sets 0. */
static exit_status find_kinds(unsigned *kinds, const cli_settings *settings) {
  etr_inputs inputs;
  exit_status status = command_find_inputs(&inputs, settings);
  *kinds = 0;
  if (status != EXIT_DONE)
    return status;
  *kinds = kinds_of(&inputs);
  if (settings->record)
    etr_inputs_clear(&inputs);
  return EXIT_DONE;
}

/* Returns true if two files lie in one folder. */
static bool share_folder(const char *a, const char *b) {
  size_t size = (size_t)(etr_last_part(a) - a);
  return size == (size_t)(etr_last_part(b) - b) && strncmp(a, b, size) == 0;
}

/* Finds whether both sides are programs (.pte) alone. Refuses two files of one folder that have no
 * kind of file in common, such as a record's ETRecord and its ETDump: they are parts of one record,
 * and there is nothing to compare. */
static exit_status check_sides(const cli_settings *base, const cli_settings *newer,
                               bool *are_programs) {
  unsigned kinds, new_kinds;
  exit_status status = find_kinds(&kinds, base);
  if (status == EXIT_DONE)
    status = find_kinds(&new_kinds, newer);
  if (status != EXIT_DONE)
    return status;
  *are_programs = kinds == HAS_PROGRAM && new_kinds == HAS_PROGRAM;
  bool are_parts = (kinds & new_kinds) == 0 && base->record && newer->record &&
                   share_folder(base->record, newer->record);
  if (!are_parts)
    return EXIT_DONE;
  return message_usage(base->command->name,
                       "%s and %s are parts of a record, with nothing to compare: name the files "
                       "of one kind, or the folder of a record, on each side",
                       base->record, newer->record);
}

/* Refuses to compare ticks that may be cycles with times in nanoseconds. Returns EXIT_USAGE, or
 * with --fail-above EXIT_CANNOT_TELL, since the limit was then neither kept nor exceeded; with a
 * message. Records without runs can be compared. */
static exit_status check_clocks(const etr_profile *base, const etr_profile *newer,
                                const char *base_name, const char *new_name,
                                const cli_settings *settings) {
  bool are_timed = base->run_count > 0 && newer->run_count > 0;
  if (!are_timed || base->takes_cycles_as_ns == newer->takes_cycles_as_ns)
    return EXIT_DONE;
  message_failed("%s counts cycles of a rate that is not recorded, and %s nanoseconds: their times "
                 "cannot be compared",
                 base->takes_cycles_as_ns ? base_name : new_name,
                 base->takes_cycles_as_ns ? new_name : base_name);
  return settings->has_fail_above ? EXIT_CANNOT_TELL : EXIT_USAGE;
}

/* Opens both records and prints the command's comparison of them; two programs alone are compared
 * by their sizes. */
static exit_status answer_two(const cli_settings *given) {
  cli_settings own = *given;
  const cli_settings *settings = &own;
  etr_profile *base = NULL, *newer = NULL;
  cli_settings base_settings, new_settings;
  exit_status result = split_sides(&base_settings, &new_settings, settings);
  bool are_programs = false;
  if (result == EXIT_DONE)
    result = check_sides(&base_settings, &new_settings, &are_programs);
  if (are_programs)
    own.sizes = base_settings.sizes = new_settings.sizes = true;
  if (result == EXIT_DONE)
    result = command_open(&base, &base_settings);
  if (result == EXIT_DONE)
    result = command_open(&newer, &new_settings);
  if (result == EXIT_DONE)
    result = check_clocks(base, newer, settings->record ? settings->record : "the base",
                          settings->more_count ? settings->more[0] : "the newer record", settings);
  if (result == EXIT_DONE)
    result = settings->command->compare(base, newer, settings);
  command_close(newer);
  command_close(base);
  return result;
}

/* Opens each record and finds its name. records->count becomes the number of records that were
 * begun, also on failure: the caller closes their profiles, of which the last may be NULL, and
 * frees the names. */
static exit_status open_several(command_records *records, etr_profile **profiles, char **names,
                                const cli_settings *settings) {
  char name[PATH_MAX];
  cli_settings own = *settings;
  own.more_count = 0;
  for (size_t i = 0; i <= settings->more_count; i++) {
    etr_profile *profile = NULL;
    own.record = command_record_path(settings, i);
    command_name_record(name, settings, i);
    names[i] = strdup(name);
    exit_status result = names[i] ? command_open(&profile, &own) : message_failed("out of memory");
    profiles[i] = profile;
    records->count = i + 1;
    if (result != EXIT_DONE)
      return result;
  }
  return EXIT_DONE;
}

/* Opens all records and prints the command's answer about them together. */
static exit_status answer_several(const cli_settings *settings) {
  size_t record_count = settings->more_count + 1;
  if (settings->etdump_count)
    return message_usage(settings->command->name, "--etdump needs one record, but there are %zu",
                         record_count);
  etr_profile **profiles = calloc(record_count, sizeof *profiles);
  char **names = calloc(record_count, sizeof *names);
  command_records records = {.profiles = (const etr_profile *const *)profiles,
                             .names = (const char *const *)names};
  exit_status result = profiles && names ? open_several(&records, profiles, names, settings)
                                         : message_failed("out of memory");
  for (size_t i = 1; i < records.count && result == EXIT_DONE; i++)
    result = check_clocks(profiles[0], profiles[i], names[0], names[i], settings);
  if (result == EXIT_DONE)
    result = settings->command->several(&records, settings);
  for (size_t i = 0; i < records.count; i++) {
    command_close(profiles[i]);
    free(names[i]);
  }
  free(names);
  free(profiles);
  return result;
}

/* Returns true if the arguments are files of one record: none is a folder, and two that follow each
 * other differ in kind. Otherwise each argument is a record of its own. */
static bool is_one_record(const cli_settings *settings) {
  unsigned kinds_before = 0;
  if (settings->more_count == 0)
    return true;
  for (size_t i = 0; i <= settings->more_count; i++) {
    const char *path = command_record_path(settings, i);
    etr_inputs inputs;
    unsigned kinds = 0; /* no kind: a debug buffer, or a file that cannot be read */
    if (command_is_folder(path))
      return false;
    if (etr_inputs_find_all(&inputs, &path, 1, NULL, NULL) == ETR_OK) {
      kinds = kinds_of(&inputs);
      etr_inputs_clear(&inputs);
    }
    if (i > 0 && kinds != kinds_before)
      return true;
    kinds_before = kinds;
  }
  return false;
}

exit_status command_run(const cli_settings *settings) {
  const cli_command *command = settings->command;
  bool is_for_people = settings->format == FORMAT_TEXT || settings->format == FORMAT_MARKDOWN;
  if (settings->tag_count && (is_for_people || settings->format == FORMAT_JSON))
    return message_usage(command->name,
                         "--tag applies to tables for programs (--format jsonl, csv or tsv)");
  if (settings->columns && settings->format == FORMAT_JSON)
    return message_usage(command->name, "--columns applies to tables; JSON has all columns");
  exit_status checked = command->check ? command->check(settings) : EXIT_DONE;
  if (checked != EXIT_DONE)
    return checked;
  if (each_is_wanted(settings))
    return each_run(settings);
  if (command->several && !is_one_record(settings))
    return answer_several(settings);
  return command->compare ? answer_two(settings) : answer_one(settings);
}
