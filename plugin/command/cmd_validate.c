/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cmd_validate.c - `etrecord-tb validate`: what is wrong with a record.
 */
#include "command/command.h"

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

exit_status command_validate(const cli_settings *settings) {
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
