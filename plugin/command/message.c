/* SPDX-License-Identifier: BSD-3-Clause
 *
 * message.c - prints errors and warnings, each as one line.
 */
#include "command/message.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool write_file(void *context, const void *data, size_t size) {
  return fwrite(data, 1, size, context) == size;
}

void message_put_plain(FILE *out, const char *text) {
  (void)etr_write_plain(&(etr_sink){write_file, out}, text);
}

static char last[1024]; /* text of the last error */

const char *message_last(void) {
  return last;
}

static bool shows_progress; /* the last line of the terminal is that of message_progress() */

void message_end_progress(void) {
  if (shows_progress)
    fputs("\r\033[K", stderr);
  shows_progress = false;
}

/* Prints one line to stderr: a prefix, the location in a file as far as it is known, and the text.
 * */
static void put_line(const char *prefix, const char *file, const char *entry, uint64_t offset,
                     const char *text) {
  message_end_progress();
  fprintf(stderr, "etrecord-tb: %s", prefix);
  if (file && file[0]) {
    message_put_plain(stderr, file);
    fputs(": ", stderr);
  }
  if (entry && entry[0])
    message_put_plain(stderr, entry);
  if (offset != ETR_NO_OFFSET)
    fprintf(stderr, "@%llu", (unsigned long long)offset);
  if ((entry && entry[0]) || offset != ETR_NO_OFFSET)
    fputs(": ", stderr);
  message_put_plain(stderr, text);
  fputc('\n', stderr);
}

exit_status message_error(const etr_error *error) {
  (void)snprintf(last, sizeof last, "%s", error->message);
  put_line("", error->file, error->entry, error->offset, error->message);
  return EXIT_BAD_INPUT;
}

exit_status message_refused(etr_status status, const etr_error *error) {
  (void)message_error(error);
  return status == ETR_ERROR_OPTION ? EXIT_USAGE : EXIT_BAD_INPUT;
}

/* Returns true if a profile has a warning with the same file, entry and message. The profile may be
 * NULL. */
static bool has_warning(const etr_profile *profile, const etr_warning *warning) {
  for (size_t i = 0; profile && i < profile->warning_count; i++) {
    const etr_warning *other = &profile->warnings[i];
    if (strcmp(warning->message, other->message) == 0 &&
        strcmp(warning->entry, other->entry) == 0 && strcmp(warning->file, other->file) == 0)
      return true;
  }
  return false;
}

void message_new_warnings(message_count *count, const etr_profile *profile,
                          const etr_profile *other, const char *record) {
  enum { MOST_SHOWN = 50 };
  for (size_t i = 0; i < profile->warning_count; i++) {
    const etr_warning *w = &profile->warnings[i];
    if (has_warning(other, w))
      continue;
    if (count->shown < MOST_SHOWN) {
      put_line("warning: ", w->file[0] ? w->file : record, w->entry, w->offset, w->message);
      count->shown++;
    } else {
      count->hidden++;
    }
  }
}

void message_clock(const etr_profile *profile) {
  if (profile->takes_cycles_as_ns)
    message_warning("1 tick is taken as 1 ns, but this clock counts cycles: give its rate, "
                    "--ticks-per-second 400e6 for 400 MHz");
}

void message_hidden_warnings(const message_count *count) {
  if (count->hidden)
    message_warning("%zu more warnings", count->hidden);
}

void message_warnings(const etr_profile *profile, const char *record) {
  message_count count = {0};
  message_new_warnings(&count, profile, NULL, record);
  message_hidden_warnings(&count);
}

/* Formats the arguments after `format`. */
#define FORMAT_INTO(text, format)                                                                  \
  do {                                                                                             \
    va_list arguments;                                                                             \
    va_start(arguments, format);                                                                   \
    (void)vsnprintf(text, sizeof(text), format, arguments);                                        \
    va_end(arguments);                                                                             \
  } while (0)

void message_progress(const char *format, ...) {
  enum { SECONDS_BETWEEN_LINES = 5 };
  static time_t last_line;
  char text[1024];
  bool is_terminal = isatty(STDERR_FILENO);
  time_t now = time(NULL);
  last_line = last_line ? last_line : now;
  if (!is_terminal && now - last_line < SECONDS_BETWEEN_LINES)
    return;
  last_line = now;
  FORMAT_INTO(text, format);
  if (!is_terminal) {
    put_line("", NULL, NULL, ETR_NO_OFFSET, text);
    return;
  }
  fputs("\r\033[K", stderr);
  message_put_plain(stderr, text);
  shows_progress = true;
}

exit_status message_failed(const char *format, ...) {
  char text[1024];
  FORMAT_INTO(text, format);
  (void)snprintf(last, sizeof last, "%s", text);
  put_line("", NULL, NULL, ETR_NO_OFFSET, text);
  return EXIT_BAD_INPUT;
}

etr_status message_fail(etr_error *error, etr_status status, const char *format, ...) {
  *error = (etr_error){.offset = ETR_NO_OFFSET};
  FORMAT_INTO(error->message, format);
  return status;
}

void message_warning(const char *format, ...) {
  char text[1024];
  FORMAT_INTO(text, format);
  put_line("warning: ", NULL, NULL, ETR_NO_OFFSET, text);
}

void message_note(void *context, const char *entry, const char *text) {
  (void)context;
  put_line("warning: ", NULL, entry, ETR_NO_OFFSET, text);
}

void message_accuracy_warnings(const etr_accuracy *accuracy) {
  for (size_t i = 0; i < accuracy->warning_count; i++)
    message_warning("%s%s%s", accuracy->warnings[i].file, accuracy->warnings[i].file[0] ? ": " : "",
                    accuracy->warnings[i].message);
}

exit_status message_usage(const char *command, const char *format, ...) {
  char text[1024];
  FORMAT_INTO(text, format);
  fputs("etrecord-tb: ", stderr);
  message_put_plain(stderr, text);
  fprintf(stderr, " (see etrecord-tb %s%s--help)\n", command ? command : "", command ? " " : "");
  return EXIT_USAGE;
}

etr_sink message_sink(FILE *file) {
  return (etr_sink){write_file, file};
}

/* ---- Lines to standard output ---- */

enum { MOST_BYTES = 1 << 16 }; /* of a line that stays whole */

/* Output that is not written yet. */
typedef struct line_buffer {
  size_t used;
  char data[MOST_BYTES];
} line_buffer;

/* Writes the first `size` bytes of the buffer to stdout, in one call unless the system interrupts
 * it, and removes them. Returns false on failure. */
static bool write_buffered(line_buffer *lines, size_t size) {
  for (size_t written = 0; written < size;) {
    ssize_t step = write(STDOUT_FILENO, lines->data + written, size - written);
    if (step < 0 && errno != EINTR)
      return false;
    if (step > 0)
      written += (size_t)step;
  }
  lines->used -= size;
  memmove(lines->data, lines->data + size, lines->used);
  return true;
}

/* Gathers bytes in a buffer, as the function of a sink. When the buffer is full, writes the
 * complete lines in it, or all of it if it has no line end. Returns false if writing fails. */
static bool buffer_lines(void *context, const void *data, size_t size) {
  line_buffer *lines = context;
  for (const char *rest = data; size > 0;) {
    size_t room = sizeof lines->data - lines->used;
    size_t part = size < room ? size : room;
    size_t end;
    memcpy(lines->data + lines->used, rest, part);
    lines->used += part;
    rest += part;
    size -= part;
    if (lines->used < sizeof lines->data)
      continue;
    for (end = lines->used; end > 0 && lines->data[end - 1] != '\n';)
      end--;
    if (!write_buffered(lines, end > 0 ? end : lines->used))
      return false;
  }
  return true;
}

etr_status message_print(etr_emitter emit, void *context, etr_error *error) {
  static line_buffer lines;
  if (fflush(stdout) != 0)
    return ETR_ERROR_IO;
  etr_status status = emit(context, &(etr_sink){buffer_lines, &lines}, error);
  bool written = write_buffered(&lines, lines.used);
  lines.used = 0;
  return status == ETR_OK && !written ? ETR_ERROR_IO : status;
}

bool message_nobody_reads(void) {
  struct pollfd output = {.fd = STDOUT_FILENO};
  return poll(&output, 1, 0) == 1 && (output.revents & POLLERR);
}

exit_status message_written(etr_status status, const etr_error *error) {
  bool flushed = fflush(stdout) == 0 && !ferror(stdout);
  if (status == ETR_OK && flushed)
    return EXIT_DONE;
  if (status != ETR_OK && status != ETR_ERROR_IO)
    return message_refused(status, error);
  return message_nobody_reads() ? EXIT_DONE : message_failed("cannot write to standard output");
}
