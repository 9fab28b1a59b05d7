/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cmd_dot.c - `etrecord-tb dot`: an entry point as DOT, or as a picture.
 */
#include "command.h"
#include "layout.h"

#include <string.h>

typedef struct drawn_entry {
  const etr_profile *profile;
  size_t graph;
  etr_dot_options options;
  drawing_format format;
} drawn_entry;

static etr_status emit_dot(void *context, const etr_sink *sink, etr_error *error) {
  const drawn_entry *entry = context;
  return etr_emit_dot(entry->profile, entry->graph, &entry->options, sink, error);
}

static etr_status emit_drawing(void *context, const etr_sink *sink, etr_error *error) {
  static const char *const formats[] = {[DRAWING_SVG] = "svg", [DRAWING_PNG] = "png"};
  const drawn_entry *entry = context;
  return entry->format == DRAWING_DOT ? emit_dot(context, sink, error) : layout_write(formats[entry->format], emit_dot, context, sink, error);
}

/* What is asked for, or else what the file is called like. */
static drawing_format chosen_format(const cli_settings *settings) {
  const char *ending = settings->output ? strrchr(settings->output, '.') : NULL;
  if (settings->has_drawing || !ending) return settings->drawing;
  return strcmp(ending, ".svg") == 0 ? DRAWING_SVG : strcmp(ending, ".png") == 0 ? DRAWING_PNG : DRAWING_DOT;
}

/* "gif" of a file that is called like a picture that is not drawn here: DOT under such a name would only look broken. NULL: it is not. */
static const char *other_picture(const cli_settings *settings) {
  static const char *const others[] = {"gif", "jpg", "jpeg", "pdf", "ps", "eps", "webp"};
  const char *ending = settings->output && !settings->has_drawing ? strrchr(settings->output, '.') : NULL;
  for (size_t i = 0; ending && i < sizeof others / sizeof others[0]; i++)
    if (strcmp(ending + 1, others[i]) == 0) return others[i];
  return NULL;
}

static etr_status write_dot(const etr_profile *profile, const cli_settings *settings, etr_error *error) {
  drawn_entry entry = {.profile = profile,
                       .options = {.depth = (int)settings->depth, .focus = settings->focus, .top = (size_t)settings->most_expensive},
                       .format = chosen_format(settings)};
  etr_status status = command_entry(&entry.graph, profile, settings, error);
  return status == ETR_OK ? command_put(settings, emit_drawing, &entry, error) : status;
}

exit_status command_dot(const cli_settings *settings) {
  if (chosen_format(settings) == DRAWING_PNG && command_fills_terminal(settings))
    return message_usage("dot", "a PNG is nothing for a terminal: give -o FILE");
  const char *picture = other_picture(settings);
  if (picture) return message_usage("dot", "--output: no %s is drawn here: let FILE end in .svg, .png or .dot, or give --format", picture);
  return command_run(settings, write_dot);
}
