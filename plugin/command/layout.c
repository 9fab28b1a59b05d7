/* SPDX-License-Identifier: BSD-3-Clause
 *
 * layout.c - runs `dot` between two temporary files, with an eye on the clock.
 */
#include "layout.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  PATIENCE = 10, /* seconds after which a word is said */
  LONGEST = 300, /* seconds after which it is ended */
  REPORT = 2048, /* bytes of what `dot` says that are kept */
};

extern char **environ;

/* A run of `dot`. */
typedef struct drawing {
  FILE *text, *picture; /* its input and output: files without a name */
  int report[2];        /* a pipe for its standard error; it ends with the program */
  pid_t process;
  char said[REPORT];
  size_t said_size;
} drawing;

static etr_status fail(etr_error *error, etr_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

static etr_status fail(etr_error *error, etr_status status, const char *format, ...) {
  va_list arguments;
  *error = (etr_error){.offset = ETR_NO_OFFSET};
  va_start(arguments, format);
  (void)vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return status;
}

/* ---- The program ---- */

static int spawn(drawing *d, const char *format) {
  char option[16];
  char *const arguments[] = {"dot", option, NULL};
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t pipe_signal;
  (void)snprintf(option, sizeof option, "-T%s", format);
  (void)posix_spawn_file_actions_init(&files);
  (void)posix_spawn_file_actions_adddup2(&files, fileno(d->text), STDIN_FILENO);
  (void)posix_spawn_file_actions_adddup2(&files, fileno(d->picture), STDOUT_FILENO);
  (void)posix_spawn_file_actions_adddup2(&files, d->report[1], STDERR_FILENO);
  (void)posix_spawn_file_actions_addclose(&files, d->report[0]);
  (void)posix_spawn_file_actions_addclose(&files, d->report[1]);
  (void)posix_spawnattr_init(&attributes); /* the command ignores SIGPIPE: a program that it starts should not */
  (void)sigemptyset(&pipe_signal);
  (void)sigaddset(&pipe_signal, SIGPIPE);
  (void)posix_spawnattr_setsigdefault(&attributes, &pipe_signal);
  (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  int reason = posix_spawnp(&d->process, "dot", &files, &attributes, arguments, environ);
  (void)posix_spawnattr_destroy(&attributes);
  (void)posix_spawn_file_actions_destroy(&files);
  return reason;
}

static double seconds_now(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Takes what the program says. False once it has ended. */
static bool listen_to(drawing *d) {
  char more[512];
  ssize_t size = read(d->report[0], more, sizeof more);
  if (size < 0) return errno == EINTR;
  size_t room = sizeof d->said - 1 - d->said_size, kept = (size_t)size < room ? (size_t)size : room;
  memcpy(d->said + d->said_size, more, kept);
  d->said_size += kept;
  return size > 0;
}

/* Waits for the end of the program. False: it took too long, and was ended. */
static bool watch(drawing *d) {
  double start = seconds_now();
  bool warned = false;
  for (;;) {
    double passed = seconds_now() - start, left = (warned ? LONGEST : PATIENCE) - passed;
    struct pollfd report = {.fd = d->report[0], .events = POLLIN};
    if (left > 0) {
      int ready = poll(&report, 1, (int)(left * 1000) + 1);
      if (ready > 0 && !listen_to(d)) return true;
    } else if (!warned) {
      message_warning("Graphviz is still laying it out; less of it with --focus, --top or a smaller --depth takes less time");
      warned = true;
    } else {
      (void)kill(d->process, SIGKILL);
      return false;
    }
  }
}

/* ---- What came of it ---- */

/* Next line of what the program said; NULL: no more. */
static char *next_line(char **at) {
  while (**at == '\n') (*at)++;
  char *line = *at;
  if (*line == '\0') return NULL;
  *at += strcspn(line, "\n");
  if (**at != '\0') *(*at)++ = '\0';
  return line;
}

static etr_status judge(drawing *d, bool in_time, int status, etr_error *error) {
  static const char advice[] = "draw less with --focus, --top or a smaller --depth, or take --format dot";
  char *at = d->said, *line;
  if (!in_time) return fail(error, ETR_ERROR_CHOICE, "Graphviz did not lay it out within %d s: %s", LONGEST, advice);
  if (WIFSIGNALED(status)) return fail(error, ETR_ERROR_CHOICE, "Graphviz' program dot was ended by signal %d: %s", WTERMSIG(status), advice);
  if (WEXITSTATUS(status) != 0 || fseek(d->picture, 0, SEEK_END) != 0 || ftell(d->picture) <= 0) {
    line = next_line(&at);
    return fail(error, ETR_ERROR_CHOICE, "Graphviz' program dot failed (exit status %d)%s%s", WEXITSTATUS(status), line ? ": " : "",
                line ? line : "");
  }
  while ((line = next_line(&at)) != NULL) message_warning("dot: %s", line);
  return ETR_OK;
}

static etr_status copy(FILE *from, const etr_sink *sink, etr_error *error) {
  char piece[65536];
  rewind(from);
  for (size_t size; (size = fread(piece, 1, sizeof piece, from)) > 0;)
    if (!sink->write(sink->context, piece, size)) return fail(error, ETR_ERROR_IO, "the output could not be written");
  return ferror(from) ? fail(error, ETR_ERROR_IO, "a temporary file could not be read") : ETR_OK;
}

static etr_status run(drawing *d, const char *format, etr_error *error) {
  if (pipe(d->report) != 0) return fail(error, ETR_ERROR_CHOICE, "cannot start Graphviz' program dot: %s", strerror(errno));
  int reason = spawn(d, format), status = 0;
  (void)close(d->report[1]);
  if (reason != 0) {
    (void)close(d->report[0]);
    return fail(error, ETR_ERROR_CHOICE, "cannot start Graphviz' program dot: %s; install graphviz, or take --format dot", strerror(reason));
  }
  bool in_time = watch(d);
  (void)close(d->report[0]);
  while (waitpid(d->process, &status, 0) < 0 && errno == EINTR) continue;
  return judge(d, in_time, status, error);
}

static bool write_text(void *context, const void *data, size_t size) { return fwrite(data, 1, size, context) == size; }

static etr_status draw(drawing *d, const char *format, etr_emitter emit, void *context, const etr_sink *sink, etr_error *error) {
  if (d->text == NULL || d->picture == NULL) return fail(error, ETR_ERROR_CHOICE, "cannot make a temporary file: %s", strerror(errno));
  etr_status status = emit(context, &(etr_sink){write_text, d->text}, error);
  if (status == ETR_OK && fflush(d->text) != 0) status = ETR_ERROR_IO;
  if (status == ETR_ERROR_IO) return fail(error, ETR_ERROR_CHOICE, "cannot write a temporary file: %s", strerror(errno));
  if (status != ETR_OK) return status;
  rewind(d->text);
  status = run(d, format, error);
  return status == ETR_OK ? copy(d->picture, sink, error) : status;
}

etr_status layout_write(const char *format, etr_emitter emit, void *context, const etr_sink *sink, etr_error *error) {
  drawing d = {.text = tmpfile(), .picture = tmpfile()};
  etr_status status = draw(&d, format, emit, context, sink, error);
  if (d.text != NULL) (void)fclose(d.text);
  if (d.picture != NULL) (void)fclose(d.picture);
  return status;
}
