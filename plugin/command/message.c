/* SPDX-License-Identifier: BSD-3-Clause
 *
 * message.c - errors and warnings, one line each.
 */
#include "message.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NOT_UTF8 = 0x7FFFFFFF };

/* The first character of a text; *size tells its bytes. Paths may be anything. */
static uint32_t character_at(const char *text, size_t *size) {
  const unsigned char *at = (const unsigned char *)text;
  size_t length = at[0] < 0x80 ? 1 : at[0] < 0xC2 ? 0 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : at[0] < 0xF5 ? 4 : 0;
  uint32_t code = length < 2 ? at[0] : at[0] & (0xFFu >> (length + 1));
  *size = 1;
  for (size_t i = 1; i < length; i++) {
    if ((at[i] & 0xC0) != 0x80) return NOT_UTF8;
    code = code << 6 | (at[i] & 0x3F);
  }
  if (length > 1) *size = length;
  return length ? code : NOT_UTF8;
}

/* True of what could steer a terminal, turn the direction of writing, or cannot be shown. */
static bool is_strange(uint32_t code) {
  bool control = code < 0x20 || (code >= 0x7F && code < 0xA0), turning = code == 0x61C || code == 0x200E || code == 0x200F;
  return control || turning || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF ||
         (code >= 0xD800 && code < 0xE000) || code == NOT_UTF8 || (code >= 0xE0000 && code < 0xE0080);
}

void message_put_plain(FILE *out, const char *text) {
  for (size_t size; *text; text += size) {
    if (is_strange(character_at(text, &size)))
      fputc('?', out);
    else
      fwrite(text, 1, size, out);
  }
}

static void put_place(const char *file, const char *entry, uint64_t offset) {
  if (file && file[0]) {
    message_put_plain(stderr, file);
    fputs(": ", stderr);
  }
  if (entry && entry[0]) message_put_plain(stderr, entry);
  if (offset != ETR_NO_OFFSET) fprintf(stderr, "@%llu", (unsigned long long)offset);
  if ((entry && entry[0]) || offset != ETR_NO_OFFSET) fputs(": ", stderr);
}

exit_status message_error(const etr_error *error) {
  fputs("etrecord-tb: ", stderr);
  put_place(error->file, error->entry, error->offset);
  message_put_plain(stderr, error->message);
  fputc('\n', stderr);
  return EXIT_BAD_INPUT;
}

void message_warnings(const etr_profile *profile) {
  enum { SHOWN = 50 };
  for (size_t i = 0; i < profile->warning_count && i < SHOWN; i++) {
    const etr_warning *warning = &profile->warnings[i];
    fputs("etrecord-tb: warning: ", stderr);
    put_place(warning->file, warning->entry, warning->offset);
    message_put_plain(stderr, warning->message);
    fputc('\n', stderr);
  }
  if (profile->warning_count > SHOWN) fprintf(stderr, "etrecord-tb: warning: %zu more warnings\n", profile->warning_count - SHOWN);
}

void message_warning(const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fputs("etrecord-tb: warning: ", stderr);
  message_put_plain(stderr, text);
  fputc('\n', stderr);
}

exit_status message_usage(const char *command, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fputs("etrecord-tb: ", stderr);
  message_put_plain(stderr, text);
  fprintf(stderr, " (see etrecord-tb %s%s--help)\n", command ? command : "", command ? " " : "");
  return EXIT_USAGE;
}

static bool write_stdout(void *context, const void *data, size_t size) {
  (void)context;
  return fwrite(data, 1, size, stdout) == size;
}

etr_sink message_stdout(void) { return (etr_sink){write_stdout, NULL}; }

/* True if standard output is a pipe whose reader is gone: it has seen enough. */
static bool nobody_reads(void) {
  struct pollfd output = {.fd = STDOUT_FILENO};
  return poll(&output, 1, 0) == 1 && (output.revents & POLLERR);
}

exit_status message_written(etr_status status, const etr_error *error) {
  bool flushed = fflush(stdout) == 0 && !ferror(stdout);
  if (status == ETR_OK && flushed) return EXIT_DONE;
  if (status != ETR_OK && status != ETR_ERROR_IO) return message_error(error);
  if (nobody_reads()) return EXIT_DONE;
  fputs("etrecord-tb: cannot write to standard output\n", stderr);
  return EXIT_BAD_INPUT;
}
