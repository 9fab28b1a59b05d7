/* SPDX-License-Identifier: BSD-3-Clause
 *
 * answer.c - runs a command that answers about one record, two records, or each of many ETDumps.
 */
#include "command/command.h"

static exit_status run_one(const cli_settings *settings) {
  etr_profile *profile;
  const command_need need = settings->command->need;
  exit_status result = command_open(&profile, settings);
  if (result == EXIT_DONE)
    result = command_check_names(profile, settings);
  if (result == EXIT_DONE)
    result = command_check_filter(profile, settings);
  if (result == EXIT_DONE) {
    if (need == NEEDS_RUNS && profile->run_count == 0)
      message_warning("no times: there is no ETDump with runs");
    if (need == NEEDS_GRAPHS && profile->graph_count == 0)
      message_warning(MESSAGE_NO_GRAPH);
    if (need == NEEDS_PROGRAM && !profile->program_memory)
      message_warning("no memory plan, since there is no program: put the .pte into the record's "
                      "directory, or name it with --pte");
    result = command_put_answer(profile, settings);
  }
  command_close(profile);
  return result;
}

/* Fills the settings of each side: a record of its own, or one ETDump of a record that both sides
 * share. */
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
  base->without_buffer = newer->without_buffer = true;
  base->etdump_count = newer->etdump_count = 1;
  newer->etdumps++;
  return EXIT_DONE;
}

/* Returns true if a side is a program and nothing else. */
static bool is_program_alone(const cli_settings *settings) {
  etr_inputs inputs;
  if (command_find(&inputs, settings) != EXIT_DONE)
    return false;
  bool is_alone = inputs.pte && !inputs.etrecord && inputs.etdump_count == 0;
  if (settings->record)
    etr_inputs_clear(&inputs);
  return is_alone;
}

static exit_status run_two(const cli_settings *given) {
  cli_settings with_sizes = *given;
  const cli_settings *settings = &with_sizes;
  etr_profile *base = NULL, *newer = NULL;
  cli_settings base_settings, new_settings;
  exit_status result = split_sides(&base_settings, &new_settings, settings);
  if (result == EXIT_DONE && is_program_alone(&base_settings) && is_program_alone(&new_settings))
    with_sizes.sizes = base_settings.sizes = new_settings.sizes = true;
  if (result == EXIT_DONE)
    result = command_open(&base, &base_settings);
  if (result == EXIT_DONE)
    result = command_open(&newer, &new_settings);
  if (result == EXIT_DONE)
    result = settings->command->compare(base, newer, settings);
  command_close(newer);
  command_close(base);
  return result;
}

/* Returns true if the arguments are files of one record. Two arguments are if they are files of
 * different kinds; otherwise each is a record of its own. */
static bool is_one_record(const cli_settings *settings) {
  etr_inputs found;
  if (settings->more_count != 1)
    return true;
  const char *paths[] = {settings->record, settings->more[0]};
  if (command_is_folder(paths[0]) || command_is_folder(paths[1]))
    return false;
  if (etr_inputs_find_all(&found, paths, 2, NULL, NULL) != ETR_OK)
    return false;
  bool one = found.etdump_count < 2;
  etr_inputs_clear(&found);
  return one;
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
  bool compares = command->compare && (!command->answer || !is_one_record(settings));
  return compares ? run_two(settings) : run_one(settings);
}
