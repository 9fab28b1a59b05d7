/* SPDX-License-Identifier: BSD-3-Clause
 *
 * intruder.c - stands for code that a hostile file got into the command: preloaded, it tries what such code would try,
 * once at the start and once when the first archive is opened, and reports "start NAME allowed" or "read NAME refused"
 * to the file that INTRUDER_REPORT names.
 *
 * INTRUDER_KERNEL=old makes it a kernel that has neither Landlock nor seccomp instead.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zip.h>

enum { FIRST_OF_LANDLOCK = 444, LAST_OF_LANDLOCK = 446 }; /* on every machine but Alpha */

static int report = -1;

/* ---- What it tries: each true if it worked ---- */

static bool opens(const char *variable, int flags) {
  const char *path = getenv(variable);
  int descriptor = path ? open(path, flags | O_CLOEXEC, 0666) : -1;
  return descriptor >= 0 && close(descriptor) == 0;
}

static bool read_secret(void) { return opens("INTRUDER_SECRET", O_RDONLY); }

static bool write_secret(void) { return opens("INTRUDER_SECRET", O_WRONLY | O_APPEND); }

static bool write_input(void) { return opens("INTRUDER_INPUT", O_WRONLY | O_APPEND); }

static bool make_and_remove(const char *variable) {
  const char *path = getenv(variable);
  return path && opens(variable, O_WRONLY | O_CREAT | O_EXCL) && unlink(path) == 0;
}

static bool make_elsewhere(void) { return make_and_remove("INTRUDER_ELSEWHERE"); }

static bool make_in_output(void) { return make_and_remove("INTRUDER_OUTPUT"); }

static bool make_in_new(void) { return make_and_remove("INTRUDER_NEW"); }

static bool link_elsewhere(void) {
  const char *path = getenv("INTRUDER_ELSEWHERE");
  return path && symlink("/etc/passwd", path) == 0 && unlink(path) == 0;
}

static bool change_mode(void) {
  const char *path = getenv("INTRUDER_SECRET");
  return path && chmod(path, 0600) == 0;
}

static bool run_program(void) {
  static char *const arguments[] = {"true", NULL}, *const nothing[] = {NULL};
  pid_t child;
  int status = -1;
  return posix_spawn(&child, "/bin/true", NULL, NULL, arguments, nothing) == 0 && waitpid(child, &status, 0) == child &&
         status == 0;
}

static bool split_process(void) {
  pid_t child = fork();
  if (child == 0) _exit(0);
  return child > 0 && waitpid(child, NULL, 0) == child;
}

static bool make_socket(void) {
  int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
  return descriptor >= 0 && close(descriptor) == 0;
}

static bool signal_parent(void) { return kill(getppid(), 0) == 0; }

static bool signal_itself(void) { return kill(getpid(), 0) == 0; }

/* Its own: those of others may be closed to it anyway. */
static bool read_process(void) {
  char from = 'a', to = 'b';
  return process_vm_readv(getpid(), &(struct iovec){&to, 1}, 1, &(struct iovec){&from, 1}, 1, 0) == 1;
}

static bool type_into_terminal(void) { return ioctl(STDIN_FILENO, TIOCSTI, "x") == 0 || errno != EPERM; }

static const struct {
  const char *name;
  bool (*works)(void);
} attempts[] = {
    {"read_secret", read_secret},       {"write_secret", write_secret},     {"write_input", write_input},
    {"make_elsewhere", make_elsewhere}, {"make_in_output", make_in_output}, {"make_in_new", make_in_new},
    {"link_elsewhere", link_elsewhere}, {"change_mode", change_mode},       {"run_program", run_program},
    {"split_process", split_process},   {"make_socket", make_socket},       {"signal_parent", signal_parent},
    {"signal_itself", signal_itself},   {"type", type_into_terminal},       {"read_process", read_process},
};

static void try_all(const char *when) {
  for (size_t i = 0; i < sizeof attempts / sizeof attempts[0]; i++)
    dprintf(report, "%s %s %s\n", when, attempts[i].name, attempts[i].works() ? "allowed" : "refused");
}

/* ---- When ---- */

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("INTRUDER_REPORT");
  report = path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;
  if (report >= 0) try_all("start");
}

zip_t *zip_open_from_source(zip_source_t *source, int flags, zip_error_t *error) {
  static bool once;
  zip_t *(*real)(zip_source_t *, int, zip_error_t *);
  *(void **)&real = dlsym(RTLD_NEXT, "zip_open_from_source");
  if (report >= 0 && !once) try_all("read");
  once = true;
  return real(source, flags, error);
}

/* ---- A kernel without ---- */

static bool is_old(void) {
  const char *kernel = getenv("INTRUDER_KERNEL");
  return kernel && strcmp(kernel, "old") == 0;
}

long syscall(long number, ...) {
  long (*real)(long, ...);
  long arguments[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; i++) arguments[i] = va_arg(list, long);
  va_end(list);
  if (is_old() && (number == SYS_seccomp || (number >= FIRST_OF_LANDLOCK && number <= LAST_OF_LANDLOCK))) {
    errno = ENOSYS;
    return -1;
  }
  *(void **)&real = dlsym(RTLD_NEXT, "syscall");
  return real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}
