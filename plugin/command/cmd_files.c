/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cmd_files.c - the commands that write records: `etrecord-tb strip`, `etrecord-tb pack`.
 */
#include "command/command.h"

#include <string.h>

typedef struct stripped {
  const char *record;
  etr_strip_options options;
} stripped;

static etr_status emit_stripped(void *context, const etr_sink *sink, etr_error *error) {
  const stripped *s = context;
  return etr_record_strip(s->record, &s->options, sink, error);
}

/* Finds the ETRecord that RECORD is or has in it. A directory without one is itself, if parts are looked for. */
static exit_status find_record(const char **out, etr_inputs *inputs, const cli_settings *settings) {
  etr_error error;
  *out = NULL;
  *inputs = (etr_inputs){0};
  if (!settings->record) return EXIT_DONE;
  etr_status status = etr_inputs_find(inputs, settings->record, &(etr_inputs){.pte = settings->pte}, &error);
  *out = status == ETR_OK ? inputs->etrecord : NULL;
  bool takes_parts = settings->command->run == command_pack;
  if (!*out && takes_parts && (status == ETR_OK || status == ETR_ERROR_CHOICE)) *out = settings->record;
  if (*out) return EXIT_DONE;
  return status == ETR_OK ? message_failed("%s: there is no ETRecord", settings->record) : message_error(&error);
}

/* Runs an emitter with the record that RECORD names, which it finds at *record. */
static exit_status put_record(const cli_settings *settings, const char **record, etr_emitter emit, void *context) {
  etr_inputs inputs;
  if (command_fills_terminal(settings))
    return message_usage(settings->command->name, "refusing to write a zip to a terminal; use -o FILE");
  exit_status result = find_record(record, &inputs, settings);
  if (result == EXIT_DONE) result = command_put(settings, emit, context);
  etr_inputs_clear(&inputs);
  return result;
}

exit_status command_strip(const cli_settings *settings) {
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

exit_status command_pack(const cli_settings *settings) {
  etr_part parts[MAX_LIST + 3];
  packed p = {.parts = parts, .count = settings->part_count, .options = {.notes = {.take = message_note}}};
  memcpy(parts, settings->parts, p.count * sizeof *parts);
  if (settings->pte) parts[p.count++] = (etr_part){.kind = ETR_PART_PTE, .path = settings->pte};
  if (settings->bundled) parts[p.count++] = (etr_part){.kind = ETR_PART_BUNDLED, .path = settings->bundled};
  if (!settings->record && p.count == 0)
    return message_usage("pack", "nothing to pack: name a record, or parts as NAME=FILE");
  return put_record(settings, &p.options.record, emit_packed, &p);
}
