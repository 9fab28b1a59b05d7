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

/* Bytes at the start that steer a terminal: control characters, and what turns the direction of writing. 0 if they do not. */
static size_t steering_bytes(const char *text) {
  static const struct {
    unsigned char lead[2], least, most; /* the first bytes (one 0: of two), and what the last may be */
  } ranges[] = {{{0xC2, 0}, 0x80, 0x9F},    {{0xD8, 0}, 0x9C, 0x9C},    {{0xE2, 0x80}, 0x8E, 0x8F},
                {{0xE2, 0x80}, 0xA8, 0xAE}, {{0xE2, 0x81}, 0xA6, 0xA9}, {{0xEF, 0xBB}, 0xBF, 0xBF}};
  const unsigned char *at = (const unsigned char *)text;
  if (*at < 0x20 || *at == 0x7F) return 1;
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
    size_t leads = ranges[i].lead[1] ? 2 : 1;
    if (memcmp(at, ranges[i].lead, leads) == 0 && at[leads] >= ranges[i].least && at[leads] <= ranges[i].most) return leads + 1;
  }
  return 0;
}

void message_put_plain(FILE *out, const char *text) {
  while (*text) {
    size_t steering = steering_bytes(text);
    fputc(steering ? '?' : *text, out);
    text += steering ? steering : 1;
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
