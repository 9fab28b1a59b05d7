/* SPDX-License-Identifier: BSD-3-Clause
 *
 * output_file.c - opens outputs early, and has the file of --output put in place by a process that
 * was split off before any input was read: the keeper. It gets bytes that say whether to keep
 * the file. If this process dies, it obeys the last one.
 */
#include "command/output_file.h"

#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined ETR_SANDBOX && defined __linux__
#include <signal.h>
#include <sys/socket.h>
#define HAS_KEEPER
#endif

static etr_new_file *file; /* of --output; NULL: not named, or closed */
static const char *output_path, *problem_path;
static FILE *problem_file;
static int problem_failure; /* errno of the first write to it that failed */
static bool is_printed;     /* the file is standard output */
static bool is_stepwise;    /* --each: what was answered is kept even if this process is killed */
static bool is_answered;    /* the file has an answer */

/* What the keeper answers. */
typedef struct verdict {
  etr_status status;
  etr_error error;
} verdict;

/* Closes the output file, if it is open, and puts it in place (`keeps`) or removes it. Returns the
 * status and the error of that. */
static verdict close_file(bool keeps) {
  verdict result = {ETR_OK, {.offset = ETR_NO_OFFSET}};
  if (file != NULL)
    result.status = etr_new_file_close(file, keeps, &result.error);
  file = NULL;
  return result;
}

/* ---- The keeper ---- */

#ifdef HAS_KEEPER
enum { KEEP = 1, AT_ONCE = 2 }; /* bits of what the keeper gets; without AT_ONCE, at the end */

static pid_t keeper; /* 0: none */
static int to_keeper = -1;

static bool tell_keeper(unsigned char what) {
  return write(to_keeper, &what, sizeof what) == (ssize_t)sizeof what;
}

/* Runs the keeper: waits for the byte that ends the file, or for the end of the command, closes the
 * file and reports the result. It holds no standard stream, so that nobody waits for it who waits
 * for the command's output. */
static _Noreturn void run_keeper(int from_command) {
  unsigned char last_byte = 0, byte;
  sigset_t all;
  (void)sigfillset(&all);
  (void)sigprocmask(SIG_SETMASK, &all, NULL);
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
    if (stream != from_command)
      (void)close(stream);
  while (!(last_byte & AT_ONCE) && read(from_command, &byte, sizeof byte) == (ssize_t)sizeof byte)
    last_byte = byte;
  const verdict result = close_file((last_byte & KEEP) != 0);
  (void)!write(from_command, &result, sizeof result);
  _exit(EXIT_DONE);
}

/* Starts the keeper, the process that completes or removes the output after this one ended, however
 * it ends. */
static exit_status start_keeper(void) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return message_failed("cannot make a pipe: %s", strerror(errno));
  (void)signal(SIGCHLD, SIG_DFL); /* if it were ignored, the keeper's end could not be awaited */
  keeper = fork();
  if (keeper == 0) {
    (void)close(ends[0]);
    run_keeper(ends[1]);
  }
  int reason = errno;
  (void)close(ends[1]);
  to_keeper = ends[0];
  if (keeper > 0)
    return EXIT_DONE;
  keeper = 0;
  (void)close(to_keeper);
  return message_failed("cannot start a process: %s", strerror(reason));
}

/* Waits until the keeper has ended. Closing the socket lets it end, if it was told nothing else. */
static void await_keeper(void) {
  (void)close(to_keeper);
  while (waitpid(keeper, NULL, 0) < 0 && errno == EINTR)
    continue;
  keeper = 0;
}

/* Puts the output file in place (`keeps`) or removes it, and returns the status and the error of
 * that. The keeper does it if there is one, since this process may no longer have the right to. */
static verdict end_file(bool keeps) {
  verdict result = {ETR_OK, {.offset = ETR_NO_OFFSET}};
  if (keeper == 0)
    return close_file(keeps);
  if (!tell_keeper(AT_ONCE | (keeps ? KEEP : 0)) ||
      read(to_keeper, &result, sizeof result) != (ssize_t)sizeof result)
    result.status = message_fail(&result.error, ETR_ERROR_IO,
                                 "the process that puts the output in place has ended");
  await_keeper();
  return result;
}

/* Lets the file be kept even if this process is killed. */
static void keep_from_now_on(void) {
  if (keeper != 0)
    (void)tell_keeper(KEEP);
}

void output_share(void) {
  if (keeper != 0)
    (void)fcntl(to_keeper, F_SETFD, 0);
}

void output_discard(void) {
  if (keeper == 0)
    return;
  if (is_stepwise && is_answered)
    (void)close(STDOUT_FILENO); /* the writer of rows, which the keeper waits for, waits for this */
  else
    (void)tell_keeper(AT_ONCE);
  await_keeper();
}
#else
static exit_status start_keeper(void) {
  return EXIT_DONE;
}

static verdict end_file(bool keeps) {
  return close_file(keeps);
}

static void keep_from_now_on(void) {
}

void output_share(void) {
}

void output_discard(void) {
}
#endif

/* ---- Opening ---- */

/* Returns true for a file that may be an input or another document: it has a content that cannot be
 * read, or that does not begin like a list of problems. Such a file must not be replaced by
 * --problems. */
static bool is_other_file(const char *path) {
  static const char begin[] = "{\"etdump\"";
  char head[sizeof begin] = "";
  struct stat about;
  if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0)
    return false;
  FILE *other = fopen(path, "rb");
  size_t size = other != NULL ? fread(head, 1, sizeof begin - 1, other) : 0;
  if (other != NULL)
    (void)fclose(other);
  return size < sizeof begin - 1 || strcmp(head, begin) != 0;
}

/* Opens the list of problems, which grows while the command runs. It replaces an earlier list; any
 * other file is refused. */
static exit_status open_problems(const char *path) {
  if (is_other_file(path))
    return message_failed("%s: this is no list of problems and would be lost: name another file "
                          "with --problems",
                          path);
  problem_path = path;
  problem_file = fopen(path, "wb");
  return problem_file != NULL
             ? EXIT_DONE
             : message_failed("%s: cannot write this file: %s", path, strerror(errno));
}

exit_status output_open(const char *output, const char *problems) {
  etr_error error;
  exit_status status = problems != NULL ? open_problems(problems) : EXIT_DONE;
  if (status != EXIT_DONE || output == NULL)
    return status;
  output_path = output;
  if (etr_new_file_open(&file, output, &error) != ETR_OK)
    return message_error(&error);
  status = start_keeper();
  if (status != EXIT_DONE)
    (void)close_file(false); /* removes it */
  return status;
}

exit_status output_redirect_stdout(void) {
  if (dup2(etr_new_file_descriptor(file), STDOUT_FILENO) < 0)
    return message_failed("%s: %s", output_path, strerror(errno));
  is_printed = true;
  return EXIT_DONE;
}

void output_keep_partial(void) {
  is_stepwise = true;
}

FILE *output_problems(void) {
  return problem_file;
}

int output_descriptor(void) {
  return file != NULL ? etr_new_file_descriptor(file) : -1;
}

bool output_is_file(void) {
  return file != NULL && etr_new_file_target(file) != NULL;
}

/* ---- Inputs that an output would replace ---- */

/* Returns true if both paths name the same file or folder. */
static bool is_same(const char *path, const char *other) {
  struct stat first, second;
  return stat(path, &first) == 0 && stat(other, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

/* Returns true if a file exists and is in this folder, not in one below it. */
static bool is_in_folder(const char *path, const char *folder) {
  struct stat about;
  char parent[PATH_MAX] = ".";
  size_t size = (size_t)(etr_last_part(path) - path);
  if (size >= sizeof parent || stat(path, &about) != 0)
    return false;
  if (size > 0)
    (void)snprintf(parent, sizeof parent, "%.*s", (int)size, path);
  return is_same(parent, folder);
}

exit_status output_check_input(const char *path) {
  char input[PATH_MAX];
  size_t part;
  const char *target = file != NULL ? etr_new_file_target(file) : NULL;
  if (path == NULL || target == NULL)
    return EXIT_DONE;
  (void)snprintf(input, sizeof input, "%.*s", (int)etr_input_file(path, &part), path);
  if (!is_same(target, input))
    return EXIT_DONE;
  return message_failed("%s: this is an input, which the output would replace: name another file "
                        "with -o",
                        input);
}

exit_status output_check_record(const char *path) {
  struct stat about;
  const char *target = file != NULL ? etr_new_file_target(file) : NULL;
  bool is_folder = path != NULL && stat(path, &about) == 0 && S_ISDIR(about.st_mode);
  if (is_folder && target != NULL && is_in_folder(target, path))
    return output_check_input(target);
  return output_check_input(path);
}

exit_status output_check_inputs(const etr_inputs *inputs) {
  const char *const single[] = {inputs->pte, inputs->debug_buffer, inputs->taps};
  exit_status status = output_check_record(inputs->etrecord);
  for (size_t i = 0; i < sizeof single / sizeof *single && status == EXIT_DONE; i++)
    status = output_check_input(single[i]);
  for (size_t i = 0; i < inputs->etdump_count && status == EXIT_DONE; i++)
    status = output_check_input(inputs->etdumps[i]);
  for (size_t i = 0; i < inputs->weight_count && status == EXIT_DONE; i++)
    status = output_check_input(inputs->weights[i]);
  for (size_t i = 0; i < inputs->reference_count && status == EXIT_DONE; i++)
    status = output_check_input(inputs->references[i]);
  return status;
}

/* ---- Writing ---- */

exit_status output_write(etr_emitter emit, void *context) {
  etr_error error;
  etr_status status = etr_new_file_fill(file, emit, context, &error);
  if (status == ETR_OK)
    output_note_answer();
  return status == ETR_OK ? EXIT_DONE : message_refused(status, &error);
}

void output_note_answer(void) {
  if (!is_answered && is_stepwise)
    keep_from_now_on();
  is_answered = true;
}

void output_flush_problems(void) {
  if (problem_file != NULL && fflush(problem_file) != 0 && problem_failure == 0)
    problem_failure = errno;
}

static exit_status fail_to_write(const char *path, int reason) {
  return message_failed("%s: cannot write this file: %s", path, strerror(reason));
}

/* Flushes what was written to a descriptor. Returns 0 or an errno. A file system that cannot flush
 * is no failure, and a pipe cannot. */
static int flush_to_disk(int descriptor) {
  return fsync(descriptor) == 0 || errno == EINVAL || errno == ENOSYS ? 0 : errno;
}

exit_status output_finish(exit_status status) {
  bool keeps = is_answered && status != EXIT_BAD_INPUT && status != EXIT_USAGE;
  int reason = 0;
  output_flush_problems();
  if (problem_failure != 0)
    status = fail_to_write(problem_path, problem_failure);
  if (file == NULL)
    return status;
  if (keeps && is_printed && fflush(stdout) != 0)
    reason = errno;
  if (keeps && reason == 0 && output_descriptor() >= 0)
    reason = flush_to_disk(output_descriptor());
  if (reason != 0)
    status = fail_to_write(output_path, reason);
  const verdict result = end_file(keeps && reason == 0);
  return result.status == ETR_OK ? status : message_error(&result.error);
}
