/* SPDX-License-Identifier: BSD-3-Clause
 *
 * layout.c - runs `dot` between two files without a name, with a time limit.
 */
#include "command/layout.h"

#include "command/runner.h"

#include <errno.h>
#include <string.h>

enum { LONGEST_REPORT = 2047 }; /* bytes of its messages that are shown */

/* Cuts the next line that is not empty off the messages, in place, and returns it; NULL after the
 * last one. */
static char *next_line(char **rest) {
  *rest += strspn(*rest, "\r\n");
  char *line = *rest;
  if (*line == '\0')
    return NULL;
  *rest += strcspn(line, "\r\n");
  if (**rest != '\0')
    *(*rest)++ = '\0';
  return line;
}

/* Returns ETR_OK if `dot` made a picture; its messages are then printed as warnings. Otherwise
 * returns an error that says how it failed and what to do. */
static etr_status check_outcome(const runner_outcome *outcome, FILE *picture, int longest_seconds,
                                etr_error *error) {
  static const char advice[] =
      "draw less with --focus, --top or a smaller --depth, or use --format dot";
  char *messages = outcome->output, *line;
  if (outcome->start_error != 0)
    return message_fail(
        error, ETR_ERROR_CHOICE,
        "cannot start Graphviz' program dot (%s): install graphviz, or use --format dot",
        strerror(outcome->start_error));
  if (outcome->is_late)
    return message_fail(error, ETR_ERROR_CHOICE, "Graphviz did not finish within %d s: %s",
                        longest_seconds, advice);
  if (outcome->signal_number != 0)
    return message_fail(error, ETR_ERROR_CHOICE,
                        "Graphviz' program dot was killed by signal %d: %s", outcome->signal_number,
                        advice);
  if (strlen(messages) > LONGEST_REPORT)
    messages[LONGEST_REPORT] = '\0';
  if (outcome->exit_status != 0 || fseek(picture, 0, SEEK_END) != 0 || ftell(picture) <= 0) {
    line = next_line(&messages);
    return message_fail(error, ETR_ERROR_CHOICE,
                        "Graphviz' program dot failed (exit status %d)%s%s", outcome->exit_status,
                        line ? ": " : "", line ? line : "");
  }
  while ((line = next_line(&messages)) != NULL)
    message_warning("dot: %s", line);
  return ETR_OK;
}

/* Copies a temporary file from its start into a sink. Fails if the file cannot be read or the sink
 * refuses. */
static etr_status copy_file(FILE *source, const etr_sink *sink, etr_error *error) {
  char piece[65536];
  rewind(source);
  for (size_t size; (size = fread(piece, 1, sizeof piece, source)) > 0;)
    if (!sink->write(sink->context, piece, size))
      return message_fail(error, ETR_ERROR_IO, "cannot write the output");
  return ferror(source) ? message_fail(error, ETR_ERROR_IO, "cannot read a temporary file")
                        : ETR_OK;
}

/* Runs `dot`, which turns the text into a picture in the given format, within the given patience.
 * */
static etr_status draw_picture(FILE *text, FILE *picture, const char *format,
                               layout_patience patience, etr_error *error) {
  char option[16];
  (void)snprintf(option, sizeof option, "-T%s", format);
  runner_outcome outcome;
  const runner_program program = {
      .arguments = (const char *const[]){"dot", option, NULL},
      .seconds = patience.longest_seconds,
      .input = text,
      .output = picture,
      .silent_seconds = patience.silent_seconds,
      .warning =
          "Graphviz is still working: to draw less, use --focus, --top or a smaller --depth"};
  rewind(text);
  runner_run(&outcome, &program);
  etr_status status = check_outcome(&outcome, picture, patience.longest_seconds, error);
  runner_clear(&outcome);
  return status;
}

etr_status layout_write(const char *format, layout_patience patience, etr_emitter emit,
                        void *context, const etr_sink *sink, etr_error *error) {
  FILE *text = tmpfile(), *picture = tmpfile();
  etr_status status = ETR_OK;
  if (text == NULL || picture == NULL) {
    status = message_fail(error, ETR_ERROR_CHOICE, "cannot make a temporary file: %s",
                          strerror(errno));
  } else {
    const etr_sink file = message_sink(text);
    status = emit(context, &file, error);
    if (status == ETR_OK && fflush(text) != 0)
      status = ETR_ERROR_IO;
    if (status == ETR_ERROR_IO)
      status = message_fail(error, ETR_ERROR_CHOICE, "cannot write a temporary file: %s",
                            strerror(errno));
    if (status == ETR_OK)
      status = draw_picture(text, picture, format, patience, error);
    if (status == ETR_OK)
      status = copy_file(picture, sink, error);
  }
  if (text != NULL)
    (void)fclose(text);
  if (picture != NULL)
    (void)fclose(picture);
  return status;
}
