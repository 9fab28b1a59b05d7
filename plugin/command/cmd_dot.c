/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cmd_dot.c - `etrecord-tb dot`: an entry point as DOT, or as a picture.
 */
#include "command/command.h"
#include "command/layout.h"

#include <string.h>

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

bool command_draws_picture(const cli_settings *settings) {
  return settings->command->answer == command_dot && chosen_format(settings) != DRAWING_DOT;
}

/* True if the file's extension is that of another format: DOT under such a name would look broken. */
static bool names_other_format(const cli_settings *settings) {
  static const char *const known[] = {"", ".dot", ".gv", ".svg", ".png"};
  if (settings->has_drawing || !command_has_file(settings)) return false;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strcmp(command_extension(settings), known[i]) == 0) return false;
  return true;
}

exit_status command_check_dot(const cli_settings *settings) {
  if (chosen_format(settings) == DRAWING_PNG && command_fills_terminal(settings))
    return message_usage("dot", "refusing to write a PNG to a terminal; use -o FILE");
  if (!names_other_format(settings)) return EXIT_DONE;
  return message_usage("dot", "cannot write %s files; name FILE .svg, .png or .dot, or give --format",
                       command_extension(settings));
}

etr_status command_dot(const etr_profile *profile, const cli_settings *settings, const etr_sink *sink,
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
