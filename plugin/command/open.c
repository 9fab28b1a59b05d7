/* SPDX-License-Identifier: BSD-3-Clause
 *
 * open.c - opens the record that a command answers about, with the comparison to its reference.
 */
#include "command/command.h"
#include "command/option_table.h"

/* ---- The comparison with a reference ---- */

/* Compares the values of a profile with the first usable reference among the record's files, on the
 * graph that --graph names (1 is aten). reference_profile: the record that it must be of; NULL for
 * the profile's own. A reference that cannot be used gets a warning, except one that `accuracy`
 * keeps: it may be of another record in the same folder. */
static void use_found_references(etr_profile *profile, const cli_settings *settings,
                                 const etr_inputs *inputs, const etr_profile *reference_profile) {
  etr_error error;
  for (size_t i = 0; i < inputs->reference_count && !profile->accuracy; i++) {
    const etr_accuracy_options options = {.reference = inputs->references[i],
                                          .reference_record = reference_profile,
                                          .on_aten = settings->accuracy_graph == 1,
                                          .spreads = settings->command->spreads};
    bool is_kept = command_ends_with(inputs->references[i], COMMAND_KEPT_REFERENCE);
    if (etr_accuracy_open(&profile->accuracy, profile, &options, &error) != ETR_OK && !is_kept)
      message_warning("%s: not used: %s", inputs->references[i], error.message);
  }
}

exit_status command_open_reference(etr_profile **out, const cli_settings *settings) {
  cli_settings own = *settings;
  cli_command command = *settings->command;
  command.compares_values = false;
  command.edge_only = false; /* a reference may be of any graph */
  own.command = &command;
  own.record = settings->reference_record;
  own.more_count = own.etdump_count = own.map_count = 0;
  own.etrecord = own.pte = own.debug_buffer = NULL;
  own.force = true;
  return command_open(out, &own);
}

exit_status command_compare_values(etr_profile *profile, const cli_settings *settings,
                                   const etr_inputs *inputs) {
  etr_error error;
  etr_profile *reference_profile = NULL;
  const char *record = settings->record ? settings->record : "RECORD";
  exit_status result = EXIT_DONE;
  if (!settings->command->compares_values)
    return EXIT_DONE;
  if (profile->debug_value_count == 0) {
    const char *named = settings->reference ? settings->reference : settings->reference_record;
    if (named)
      message_warning("the runs logged no values to compare with %s", named);
    return EXIT_DONE;
  }
  if (settings->reference_record)
    result = command_open_reference(&reference_profile, settings);
  if (result != EXIT_DONE)
    return result;
  if (settings->reference) {
    const etr_accuracy_options options = {.reference = settings->reference,
                                          .reference_record = reference_profile,
                                          .spreads = settings->command->spreads};
    if (etr_accuracy_open(&profile->accuracy, profile, &options, &error) != ETR_OK)
      result = message_error(&error);
  } else {
    use_found_references(profile, settings, inputs, reference_profile);
    if (reference_profile && !profile->accuracy)
      result = message_failed("%s: none of its files is a reference of %s; `etrecord-tb accuracy "
                              "%s --reference-record %s` makes one and keeps it",
                              record, settings->reference_record, record,
                              settings->reference_record);
  }
  if (!profile->accuracy)
    etr_profile_close(reference_profile);
  if (profile->accuracy)
    message_accuracy_warnings(profile->accuracy);
  return result;
}

void command_close(etr_profile *profile) {
  etr_accuracy *accuracy = profile ? profile->accuracy : NULL;
  etr_profile *reference_profile = accuracy ? (etr_profile *)(uintptr_t)accuracy->reference_record
                                            : NULL;
  etr_accuracy_close(accuracy);
  if (reference_profile != profile)
    etr_profile_close(reference_profile);
  etr_profile_close(profile);
}

/* ---- The record ---- */

/* Returns the record's name for messages that name no file: NULL if the command opens only one. */
static const char *name_among_several(const cli_settings *settings) {
  return settings->command->bit & (FOR_DIFF | FOR_COMPARE) ? settings->record : NULL;
}

exit_status command_open(etr_profile **out, const cli_settings *settings) {
  etr_error error;
  etr_inputs inputs;
  *out = NULL;
  exit_status found = command_find_inputs(&inputs, settings);
  if (found != EXIT_DONE)
    return found;
  etr_options reading = command_reading_options(settings);
  reading.edge_only &= !inputs.debug_buffer; /* logged values belong to nodes of all graphs */
  etr_status status = etr_profile_open(out, &inputs, &reading, &error);
  const char *record = name_among_several(settings);
  if (status != ETR_OK && record && !error.file[0])
    (void)snprintf(error.file, sizeof error.file, "%s", record);
  exit_status result = status == ETR_OK ? command_check_dump(*out, settings)
                                        : message_error(&error);
  if (result == EXIT_DONE)
    message_warnings(*out, record);
  if (result == EXIT_DONE)
    result = command_compare_values(*out, settings, &inputs);
  if (settings->record) /* otherwise the settings own all of it */
    etr_inputs_clear(&inputs);
  return result;
}
