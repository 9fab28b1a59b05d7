/* SPDX-License-Identifier: BSD-3-Clause
 *
 * intruder.c - stands for code that a hostile file got into the command: preloaded, it tries what
 * such code would try, once at the start and once when the first archive is opened, and reports
 * "start NAME allowed" or "read NAME refused" to the file that INTRUDER_REPORT names.
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
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
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

static bool read_secret(void) {
  return opens("INTRUDER_SECRET", O_RDONLY);
}

static bool write_secret(void) {
  return opens("INTRUDER_SECRET", O_WRONLY | O_APPEND);
}

static bool write_input(void) {
  return opens("INTRUDER_INPUT", O_WRONLY | O_APPEND);
}

static bool make_and_remove(const char *variable) {
  const char *path = getenv(variable);
  return path && opens(variable, O_WRONLY | O_CREAT | O_EXCL) && unlink(path) == 0;
}

static bool make_elsewhere(void) {
  return make_and_remove("INTRUDER_ELSEWHERE");
}

static bool make_in_output(void) {
  return make_and_remove("INTRUDER_OUTPUT");
}

static bool make_in_current(void) {
  return make_and_remove("INTRUDER_CURRENT");
}

static bool make_in_input(void) {
  return make_and_remove("INTRUDER_BESIDE_INPUT");
}

/* Removes what lies below the working directory, and puts it back. */
static bool remove_secret(void) {
  const char *path = getenv("INTRUDER_DOOMED");
  return path && unlink(path) == 0 && opens("INTRUDER_DOOMED", O_WRONLY | O_CREAT | O_EXCL);
}

/* Renames one file over another one in the same folder, as with the temporary file and .bashrc. */
static bool rename_over(void) {
  const char *from = getenv("INTRUDER_DOOMED"), *to = getenv("INTRUDER_RENAMED");
  return from && to && rename(from, to) == 0 && opens("INTRUDER_DOOMED", O_WRONLY | O_CREAT);
}

static bool make_folder(void) {
  const char *path = getenv("INTRUDER_CURRENT");
  return path && mkdir(path, 0777) == 0 && rmdir(path) == 0;
}

static bool make_in_new(void) {
  return make_and_remove("INTRUDER_NEW");
}

static bool link_elsewhere(void) {
  const char *path = getenv("INTRUDER_ELSEWHERE");
  return path && symlink("/etc/passwd", path) == 0 && unlink(path) == 0;
}

static bool run_program(void) {
  static char *const arguments[] = {"true", NULL}, *const nothing[] = {NULL};
  pid_t child;
  int status = -1;
  return posix_spawn(&child, "/bin/true", NULL, NULL, arguments, nothing) == 0 &&
         waitpid(child, &status, 0) == child && status == 0;
}

static bool split_process(void) {
  pid_t child = fork();
  if (child == 0)
    _exit(0);
  return child > 0 && waitpid(child, NULL, 0) == child;
}

static bool make_socket(void) {
  int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
  return descriptor >= 0 && close(descriptor) == 0;
}

static bool signal_itself(void) {
  return kill(getpid(), 0) == 0;
}

/* Its own: those of others may be closed to it anyway. */
static bool read_process(void) {
  char from = 'a', to = 'b';
  return process_vm_readv(getpid(), &(struct iovec){&to, 1}, 1, &(struct iovec){&from, 1}, 1, 0) ==
         1;
}

/* Calls with arguments for which the kernel has no objection, or another one than EPERM. */
#define REACHES(name, call)                                                                        \
  static bool name(void) {                                                                         \
    return (long)(call) >= 0 || errno != EPERM;                                                    \
  }

static const char *secret(void) {
  return getenv("INTRUDER_SECRET");
}

static int input(void) {
  return open(getenv("INTRUDER_INPUT"), O_RDONLY | O_CLOEXEC);
}

/* A process of the same user. */
static pid_t victim(void) {
  return atoi(getenv("INTRUDER_VICTIM"));
}

/* Calls that the headers may not know; their numbers are the same on all machines. */
enum {
  PIDFD_SEND_SIGNAL = 424,
  CLONE3 = 435,
  FCHMODAT2 = 452,
  SETXATTRAT = 463,
  NOT_YET_GIVEN = 4000
};
enum { OF_PROCESS = 1, BEST_EFFORT = 2 << 13 }; /* of ioprio_set() */

REACHES(change_mode, chmod(secret(), 0600))
REACHES(change_mode_open, fchmod(input(), 0644))
REACHES(change_mode_newly, syscall(FCHMODAT2, AT_FDCWD, secret(), 0600, 0))
REACHES(change_owner, chown(secret(), geteuid(), getegid()))
REACHES(change_owner_open, fchown(input(), geteuid(), getegid()))
REACHES(change_attribute, setxattr(secret(), "user.x", "y", 1, 0))
REACHES(change_attribute_open, fsetxattr(input(), "user.x", "y", 1, 0))
REACHES(change_attribute_newly, syscall(SETXATTRAT, AT_FDCWD, secret(), 0, "user.x", NULL, 0))
REACHES(change_times, utimensat(AT_FDCWD, secret(), NULL, 0))
REACHES(change_user, setuid(geteuid()))
REACHES(signal_other, kill(victim(), 0))
REACHES(signal_other_thread, syscall(SYS_tgkill, victim(), victim(), 0))
REACHES(signal_other_queue, syscall(SYS_rt_sigqueueinfo, victim(), 0, NULL))
REACHES(signal_other_newly, syscall(PIDFD_SEND_SIGNAL, -1, 0, NULL, 0))
REACHES(signal_other_by_file, fcntl(input(), F_SETOWN, victim()))
REACHES(limit_other, prlimit(victim(), RLIMIT_CORE, NULL, NULL))
REACHES(slow_other, setpriority(PRIO_PROCESS, (id_t)victim(), 0))
REACHES(schedule_other, syscall(SYS_sched_setscheduler, victim(), 0, &(int){0}))
REACHES(move_other, syscall(SYS_sched_setaffinity, victim(), sizeof(long), &(long){-1}))
REACHES(slow_disk_of_other, syscall(SYS_ioprio_set, OF_PROCESS, victim(), BEST_EFFORT | 4))
REACHES(trace_other, syscall(SYS_ptrace, PTRACE_DETACH, victim(), 0, 0))
REACHES(mount_folder, mount("none", "/nonexistent", "tmpfs", 0, NULL))
REACHES(type_into_terminal, ioctl(STDIN_FILENO, TIOCSTI, "x"))
REACHES(start_thread_newly, syscall(CLONE3, NULL, 0))
REACHES(call_of_the_future, syscall(NOT_YET_GIVEN))

#define ATTEMPT(name) {#name, name}
static const struct {
  const char *name;
  bool (*works)(void);
} attempts[] = {
    ATTEMPT(read_secret),
    ATTEMPT(write_secret),
    ATTEMPT(write_input),
    ATTEMPT(make_elsewhere),
    ATTEMPT(make_in_output),
    ATTEMPT(make_in_current),
    ATTEMPT(make_in_input),
    ATTEMPT(make_folder),
    ATTEMPT(remove_secret),
    ATTEMPT(rename_over),
    ATTEMPT(make_in_new),
    ATTEMPT(link_elsewhere),
    ATTEMPT(run_program),
    ATTEMPT(split_process),
    ATTEMPT(make_socket),
    ATTEMPT(signal_itself),
    ATTEMPT(read_process),
    ATTEMPT(change_mode),
    ATTEMPT(change_mode_open),
    ATTEMPT(change_mode_newly),
    ATTEMPT(change_owner),
    ATTEMPT(change_owner_open),
    ATTEMPT(change_attribute),
    ATTEMPT(change_attribute_open),
    ATTEMPT(change_attribute_newly),
    ATTEMPT(change_times),
    ATTEMPT(change_user),
    ATTEMPT(signal_other),
    ATTEMPT(signal_other_thread),
    ATTEMPT(signal_other_queue),
    ATTEMPT(signal_other_newly),
    ATTEMPT(signal_other_by_file),
    ATTEMPT(limit_other),
    ATTEMPT(slow_other),
    ATTEMPT(schedule_other),
    ATTEMPT(move_other),
    ATTEMPT(slow_disk_of_other),
    ATTEMPT(trace_other),
    ATTEMPT(mount_folder),
    ATTEMPT(type_into_terminal),
    ATTEMPT(start_thread_newly),
    ATTEMPT(call_of_the_future),
};

static void try_all(const char *when) {
  for (size_t i = 0; i < sizeof attempts / sizeof attempts[0]; i++)
    dprintf(report, "%s %s %s\n", when, attempts[i].name,
            attempts[i].works() ? "allowed" : "refused");
}

/* ---- When ---- */

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("INTRUDER_REPORT");
  report = path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;
  if (report >= 0)
    try_all("start");
}

zip_t *zip_open_from_source(zip_source_t *source, int flags, zip_error_t *error) {
  static bool once;
  zip_t *(*real)(zip_source_t *, int, zip_error_t *);
  *(void **)&real = dlsym(RTLD_NEXT, "zip_open_from_source");
  if (report >= 0 && !once)
    try_all("read");
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
  for (int i = 0; i < 6; i++)
    arguments[i] = va_arg(list, long);
  va_end(list);
  if (is_old() &&
      (number == SYS_seccomp || (number >= FIRST_OF_LANDLOCK && number <= LAST_OF_LANDLOCK))) {
    errno = ENOSYS;
    return -1;
  }
  *(void **)&real = dlsym(RTLD_NEXT, "syscall");
  return real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
              arguments[5]);
}
