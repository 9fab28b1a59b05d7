/* SPDX-License-Identifier: BSD-3-Clause
 *
 * runner.c - starts a program and waits for SIGCHLD. The program's output goes into a file without
 * a name. A pipe would remain open as long as any process that the program leaves behind, such as
 * adb's server.
 */
#define _GNU_SOURCE /* fallocate() */
#include "command/runner.h"

#include "base/system.h"
#include "command/ending.h"
#include "command/message.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum {
  MOST_ON_DISK =
      64 << 20, /* bytes of a program's output that may be on the disk when they are counted */
  SECONDS_BETWEEN_COUNTS = 1,
};

/* Returns the seconds of a clock that is never set, for durations. */
static double seconds_now(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- Starting ---- */

/* Converts arguments for posix_spawn(), whose parameter is not const although it changes no text.
 */
typedef union spawn_arguments {
  const char *const *given;
  char *const *taken;
} spawn_arguments;

#if defined _WIN32
/* The system's posix_spawnp() looks a bare name up in PATH alone. */
static const char *find_program(const char *name, char room[PATH_MAX]) {
  (void)room;
  return name;
}
#else
/* Returns the path of a program, or NULL with errno set. A name with a slash is a path. A bare name
 * is looked up in the absolute folders of PATH: an empty or relative one would be in the working
 * directory, which may be a stranger's record. */
static const char *find_program(const char *name, char room[PATH_MAX]) {
  const char *folders = getenv("PATH");
  if (strchr(name, '/') != NULL)
    return name;
  if (folders == NULL)
    folders = "/usr/local/bin:/usr/bin:/bin";
  errno = ENOENT;
  for (const char *folder = folders; *folder != '\0';) {
    struct stat about;
    size_t length = strcspn(folder, ":");
    int size = snprintf(room, PATH_MAX, "%.*s/%s", (int)length, folder, name);
    bool is_searched = *folder == '/' && name[0] != '\0' && size > 0 && size < PATH_MAX;
    if (is_searched && stat(room, &about) == 0 && S_ISREG(about.st_mode)) {
      if (access(room, X_OK) == 0)
        return room;
      errno = EACCES;
    }
    folder += length + (folder[length] == ':');
  }
  return NULL;
}
#endif

/* Starts a program in a process group of its own. Returns 0 or an errno. The caller has blocked all
 * signals, because one before ending_set_child() would not kill the program, which starts with
 * `mask` instead. printed: descriptor that takes its output. ours: a descriptor that it does not
 * get; -1 for none. */
static int start_program(pid_t *process, const runner_program *program, int printed, int ours,
                         const sigset_t *mask) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t ignored;
  char room[PATH_MAX];
  const char *path = find_program(program->arguments[0], room);
  if (path == NULL)
    return errno;
  (void)posix_spawn_file_actions_init(&files);
  if (program->input != NULL)
    (void)posix_spawn_file_actions_adddup2(&files, fileno(program->input), STDIN_FILENO);
  else
    (void)posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  (void)posix_spawn_file_actions_adddup2(
      &files, program->output != NULL ? fileno(program->output) : printed, STDOUT_FILENO);
  if (!program->shows_errors)
    (void)posix_spawn_file_actions_adddup2(&files, printed, STDERR_FILENO);
  if (ours >= 0)
    (void)posix_spawn_file_actions_addclose(&files, ours);
  ending_ignored_signals(&ignored);
  (void)posix_spawnattr_init(&attributes);
  (void)posix_spawnattr_setsigdefault(&attributes, &ignored);
  (void)posix_spawnattr_setsigmask(&attributes, mask);
  (void)posix_spawnattr_setpgroup(&attributes, 0);
  (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                                  POSIX_SPAWN_SETPGROUP);
  const spawn_arguments list = {.given = program->arguments};
  int reason = posix_spawnp(process, path, &files, &attributes, list.taken, environ);
  if (reason == 0)
    ending_set_child(-*process);
  (void)posix_spawnattr_destroy(&attributes);
  (void)posix_spawn_file_actions_destroy(&files);
  return reason;
}

/* ---- Waiting ---- */

/* Frees the disk space of what was printed before the end that is kept, if it is much. */
#ifdef FALLOC_FL_PUNCH_HOLE
/* Frees the disk blocks of what a program printed before the end that is kept, once the file takes
 * too much of the disk. The size of the file stays, since the program goes on writing at its end.
 */
static void free_beginning(int printed) {
  enum { BLOCK = 512 };
  struct stat about;
  if (fstat(printed, &about) != 0 || about.st_blocks <= MOST_ON_DISK / BLOCK ||
      about.st_size <= RUNNER_MOST_OUTPUT)
    return;
  (void)fallocate(printed, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                  about.st_size - RUNNER_MOST_OUTPUT);
}
#else
static void free_beginning(int printed) {
  (void)printed;
}
#endif

/* Waits until the process ends, or until the deadline in seconds of seconds_now(). The caller has
 * blocked SIGCHLD, so that it stays pending until it is waited for. Meanwhile limits the disk space
 * of what the process printed. Returns false if it did not end in time. */
static bool wait_until(pid_t process, double deadline, int printed, int *status) {
  sigset_t child;
  (void)sigemptyset(&child);
  (void)sigaddset(&child, SIGCHLD);
  for (;;) {
    pid_t ended = waitpid(process, status, WNOHANG);
    if (ended == process || (ended < 0 && errno != EINTR))
      return true;
    double seconds_left = deadline - seconds_now();
    if (seconds_left <= 0)
      return false;
    if (seconds_left > SECONDS_BETWEEN_COUNTS)
      seconds_left = SECONDS_BETWEEN_COUNTS;
    const struct timespec timeout = {(time_t)seconds_left,
                                     (long)((seconds_left - (double)(time_t)seconds_left) * 1e9)};
    etr_wait_for_signal(&child, &timeout);
    free_beginning(printed);
  }
}

/* Waits for a program and sets how it ended. Prints its warning when it has run for
 * `silent_seconds`, and kills it and its group after `seconds`, both since `begin`, in seconds of
 * seconds_now(). */
static void await_program(runner_outcome *out, pid_t process, const runner_program *program,
                          double begin, int printed) {
  int status = 0;
  bool has_ended = program->warning != NULL &&
                   wait_until(process, begin + program->silent_seconds, printed, &status);
  if (program->warning != NULL && !has_ended)
    message_warning("%s", program->warning);
  out->is_late = !has_ended && !wait_until(process, begin + program->seconds, printed, &status);
  if (out->is_late) {
    (void)kill(-process, SIGKILL);
    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
      continue;
  }
  ending_set_child(0);
  out->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  out->signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* ---- Running a program ---- */

/* Returns the end of what a program printed, with '?' for NUL; *is_cut says whether there was more
 * before it. Returns NULL when out of memory. */
static char *read_output_end(FILE *file, bool *is_cut) {
  long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
  long start = size > RUNNER_MOST_OUTPUT ? size - RUNNER_MOST_OUTPUT : 0;
  *is_cut = start > 0;
  char *text = calloc(1, (size_t)(size > 0 ? size - start : 0) + 1);
  if (text == NULL || size <= 0 || fseek(file, start, SEEK_SET) != 0)
    return text;
  size_t read_size = fread(text, 1, (size_t)(size - start), file);
  for (size_t i = 0; i < read_size; i++)
    if (text[i] == '\0')
      text[i] = '?';
  text[read_size] = '\0';
  return text;
}

int runner_start(pid_t *out, const runner_program *program, int ours) {
  sigset_t before;
  /* If it were ignored, the exit status of the program would be lost. */
  (void)signal(SIGCHLD, SIG_DFL);
  ending_hold(&before);
  int reason = start_program(out, program, STDERR_FILENO, ours, &before);
  ending_set_child(0);
  (void)sigprocmask(SIG_SETMASK, &before, NULL);
  return reason;
}

void runner_run(runner_outcome *out, const runner_program *program) {
  sigset_t before, waiting;
  pid_t process = 0;
  FILE *printed = tmpfile();
  *out = (runner_outcome){.start_error = printed == NULL ? errno : 0, .exit_status = -1};
  if (printed != NULL) {
    /* If it were ignored, the exit status of the program would be lost. */
    (void)signal(SIGCHLD, SIG_DFL);
    ending_hold(&before);
    waiting = before;
    (void)sigaddset(&waiting, SIGCHLD); /* wait_until() waits for it */
    double begin = seconds_now();
    out->start_error = start_program(&process, program, fileno(printed), -1, &before);
    (void)sigprocmask(SIG_SETMASK, &waiting, NULL);
    if (out->start_error == 0)
      await_program(out, process, program, begin, fileno(printed));
    out->seconds = seconds_now() - begin;
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    out->output = read_output_end(printed, &out->is_cut);
    (void)fclose(printed);
  }
  if (out->output == NULL)
    out->output = calloc(1, 1);
  if (out->output == NULL && out->start_error == 0)
    out->start_error = ENOMEM;
}

bool runner_succeeded(const runner_outcome *outcome) {
  return outcome->start_error == 0 && !outcome->is_late && outcome->exit_status == 0;
}

void runner_reason(const runner_outcome *outcome, double seconds, char room[RUNNER_REASON_ROOM]) {
  if (outcome->start_error != 0)
    (void)snprintf(room, RUNNER_REASON_ROOM, "cannot start: %s", strerror(outcome->start_error));
  else if (outcome->is_late)
    (void)snprintf(room, RUNNER_REASON_ROOM, "not finished within %g s, and killed", seconds);
  else if (outcome->signal_number != 0)
    (void)snprintf(room, RUNNER_REASON_ROOM, "killed by signal %d", outcome->signal_number);
  else
    (void)snprintf(room, RUNNER_REASON_ROOM, "exit status %d", outcome->exit_status);
}

void runner_clear(runner_outcome *outcome) {
  free(outcome->output);
  outcome->output = NULL;
}
