/* SPDX-License-Identifier: BSD-3-Clause
 *
 * layout.c - runs `dot` between two temporary files, with a time limit.
 */
#include "command/layout.h"

#include "command/ending.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REPORT = 2048 }; /* bytes of its messages that are kept */

extern char **environ;

/* A run of `dot`. */
typedef struct drawing {
  layout_patience patience;
  FILE *text, *picture; /* its input and output: files without a name */
  int report[2];        /* a pipe for its standard error; it ends with the program */
  pid_t process;
  char said[REPORT];
  size_t said_size;
} drawing;

/* ---- The program ---- */

static int spawn(drawing *d, const char *format) {
  char option[16];
  char *const arguments[] = {"dot", option, NULL};
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t ignored, before;
  (void)snprintf(option, sizeof option, "-T%s", format);
  (void)posix_spawn_file_actions_init(&files);
  (void)posix_spawn_file_actions_adddup2(&files, fileno(d->text), STDIN_FILENO);
  (void)posix_spawn_file_actions_adddup2(&files, fileno(d->picture), STDOUT_FILENO);
  (void)posix_spawn_file_actions_adddup2(&files, d->report[1], STDERR_FILENO);
  (void)posix_spawn_file_actions_addclose(&files, d->report[0]);
  (void)posix_spawn_file_actions_addclose(&files, d->report[1]);
  (void)posix_spawnattr_init(&attributes);
  ending_ignored_signals(&ignored);
  (void)posix_spawnattr_setsigdefault(&attributes, &ignored);
  ending_hold(&before); /* a signal in between would not kill the program */
  (void)posix_spawnattr_setsigmask(&attributes, &before);
  (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  int reason = posix_spawnp(&d->process, "dot", &files, &attributes, arguments, environ);
  if (reason == 0) ending_set_child(d->process);
  (void)sigprocmask(SIG_SETMASK, &before, NULL);
  (void)posix_spawnattr_destroy(&attributes);
  (void)posix_spawn_file_actions_destroy(&files);
  return reason;
}

static double seconds_now(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Reads messages. False once the program has ended. */
static bool listen_to(drawing *d) {
  char more[512];
  ssize_t size = read(d->report[0], more, sizeof more);
  if (size < 0) return errno == EINTR;
  size_t room = sizeof d->said - 1 - d->said_size, kept = (size_t)size < room ? (size_t)size : room;
  memcpy(d->said + d->said_size, more, kept);
  d->said_size += kept;
  return size > 0;
}

/* Waits for the program to end. False: it took too long and was killed. */
static bool watch(drawing *d) {
  double start = seconds_now();
  bool warned = false;
  for (;;) {
    double passed = seconds_now() - start, left = (warned ? d->patience.longest : d->patience.silent) - passed;
    struct pollfd report = {.fd = d->report[0], .events = POLLIN};
    if (left > 0) {
      int ready = poll(&report, 1, (int)(left * 1000) + 1);
      if (ready > 0 && !listen_to(d)) return true;
    } else if (!warned) {
      message_warning("Graphviz is still working; --focus, --top or a smaller --depth draw less and take less time");
      warned = true;
    } else {
      (void)kill(d->process, SIGKILL);
      return false;
    }
  }
}

/* ---- The result ---- */

/* The next line of the messages, or NULL. */
static char *next_line(char **at) {
  *at += strspn(*at, "\r\n");
  char *line = *at;
  if (*line == '\0') return NULL;
  *at += strcspn(line, "\r\n");
  if (**at != '\0') *(*at)++ = '\0';
  return line;
}

static etr_status judge(drawing *d, bool in_time, int status, etr_error *error) {
  static const char advice[] = "draw less with --focus, --top or a smaller --depth, or use --format dot";
  char *at = d->said, *line;
  if (!in_time)
    return message_fail(error, ETR_ERROR_CHOICE, "Graphviz did not finish within %d s: %s", d->patience.longest,
                        advice);
  if (WIFSIGNALED(status))
    return message_fail(error, ETR_ERROR_CHOICE, "Graphviz' program dot was killed by signal %d: %s", WTERMSIG(status),
                        advice);
  if (WEXITSTATUS(status) != 0 || fseek(d->picture, 0, SEEK_END) != 0 || ftell(d->picture) <= 0) {
    line = next_line(&at);
    return message_fail(error, ETR_ERROR_CHOICE, "Graphviz' program dot failed (exit status %d)%s%s",
                        WEXITSTATUS(status), line ? ": " : "", line ? line : "");
  }
  while ((line = next_line(&at)) != NULL) message_warning("dot: %s", line);
  return ETR_OK;
}

static etr_status copy(FILE *from, const etr_sink *sink, etr_error *error) {
  char piece[65536];
  rewind(from);
  for (size_t size; (size = fread(piece, 1, sizeof piece, from)) > 0;)
    if (!sink->write(sink->context, piece, size)) return message_fail(error, ETR_ERROR_IO, "cannot write the output");
  return ferror(from) ? message_fail(error, ETR_ERROR_IO, "cannot read a temporary file") : ETR_OK;
}

static etr_status run(drawing *d, const char *format, etr_error *error) {
  if (pipe(d->report) != 0)
    return message_fail(error, ETR_ERROR_CHOICE, "cannot start Graphviz' program dot: %s", strerror(errno));
  int reason = spawn(d, format), status = 0;
  (void)close(d->report[1]);
  if (reason != 0) {
    (void)close(d->report[0]);
    return message_fail(error, ETR_ERROR_CHOICE,
                        "cannot start Graphviz' program dot: %s; install graphviz, or use --format dot",
                        strerror(reason));
  }
  bool in_time = watch(d);
  ending_set_child(0); /* before its number can be given to another */
  (void)close(d->report[0]);
  while (waitpid(d->process, &status, 0) < 0 && errno == EINTR) continue;
  return judge(d, in_time, status, error);
}

static bool write_text(void *context, const void *data, size_t size) { return fwrite(data, 1, size, context) == size; }

static etr_status draw(drawing *d, const char *format, etr_emitter emit, void *context, const etr_sink *sink,
                       etr_error *error) {
  if (d->text == NULL || d->picture == NULL)
    return message_fail(error, ETR_ERROR_CHOICE, "cannot make a temporary file: %s", strerror(errno));
  etr_status status = emit(context, &(etr_sink){write_text, d->text}, error);
  if (status == ETR_OK && fflush(d->text) != 0) status = ETR_ERROR_IO;
  if (status == ETR_ERROR_IO)
    return message_fail(error, ETR_ERROR_CHOICE, "cannot write a temporary file: %s", strerror(errno));
  if (status != ETR_OK) return status;
  rewind(d->text);
  status = run(d, format, error);
  return status == ETR_OK ? copy(d->picture, sink, error) : status;
}

etr_status layout_write(const char *format, layout_patience patience, etr_emitter emit, void *context,
                        const etr_sink *sink, etr_error *error) {
  drawing d = {.patience = patience, .text = tmpfile(), .picture = tmpfile()};
  etr_status status = draw(&d, format, emit, context, sink, error);
  if (d.text != NULL) (void)fclose(d.text);
  if (d.picture != NULL) (void)fclose(d.picture);
  return status;
}
