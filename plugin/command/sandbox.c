/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sandbox.c - decides which rights each command keeps, and gives up the others by system calls of
 * Linux. Defines what the oldest supported headers lack.
 */
#define _GNU_SOURCE /* d_type, flock(), O_PATH, syscall() */
#include "command/sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- Landlock: restricts the files that this process may open, from Linux 5.13 on ---- */

/* Rights to a file, or to a folder and everything below it; a bit set. */
typedef enum landlock_right {
  RIGHT_READ = 1,          /* files and folders */
  RIGHT_RUN = 2,           /* programs */
  RIGHT_WRITE = 4,         /* existing files */
  RIGHT_REPLACE = 8,       /* make files, rename them in their folder, remove them */
  RIGHT_MAKE_FOLDERS = 16, /* make folders, and move files between folders */
  RIGHT_LIST = 32,         /* names in folders */
  RIGHT_EMPTY = 64,        /* remove empty folders */
} landlock_right;

/* A set of rules that is being built. */
typedef struct landlock_rules {
  int descriptor;              /* -1: no Landlock */
  unsigned long long accesses; /* accesses to files that this kernel knows */
  int failure;                 /* errno of what kept a rule from being added; 0: nothing */
} landlock_rules;

/* Returns true if an error says that the system lacks something, not that a path is wrong. */
static bool is_shortage(int reason) {
  return reason == EMFILE || reason == ENFILE || reason == ENOMEM;
}

#if defined ETR_SANDBOX && defined __has_include
#if __has_include(<linux/landlock.h>)
#define HAS_LANDLOCK
#endif
#endif

#ifdef HAS_LANDLOCK
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* Accesses of later versions of Landlock. */
enum {
  REFER = 1 << 13,
  TRUNCATE = 1 << 14,
  IOCTL_DEVICE = 1 << 15,
};

/* The newest struct landlock_ruleset_attr; older kernels accept it if the members that they do not
 * know are zero. */
typedef struct rule_set {
  uint64_t files, network, scopes;
} rule_set;

static const uint64_t of_first_version = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
static const uint64_t of_single_files = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                                        LANDLOCK_ACCESS_FS_READ_FILE | TRUNCATE;

/* Returns the accesses, as bits of Landlock, that our rights stand for. */
static uint64_t landlock_accesses(unsigned rights) {
  uint64_t accesses = 0;
  if (rights & RIGHT_READ)
    accesses |= LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
  if (rights & RIGHT_RUN)
    accesses |= LANDLOCK_ACCESS_FS_EXECUTE;
  if (rights & RIGHT_WRITE)
    accesses |= LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATE;
  if (rights & RIGHT_REPLACE)
    accesses |= LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATE;
  if (rights & RIGHT_MAKE_FOLDERS)
    accesses |= LANDLOCK_ACCESS_FS_MAKE_DIR | REFER;
  if (rights & RIGHT_LIST)
    accesses |= LANDLOCK_ACCESS_FS_READ_DIR;
  if (rights & RIGHT_EMPTY)
    accesses |= LANDLOCK_ACCESS_FS_REMOVE_DIR;
  return accesses;
}

/* Begins a set of rules that allows nothing of what the kernel can forbid, which each version of
 * Landlock adds to: network 3 is binding and connecting of TCP, scopes 3 abstract sockets and
 * signals to other processes. Its descriptor is -1 if the kernel has no Landlock. */
static landlock_rules landlock_begin(void) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  rule_set rules = {.files = of_first_version};
  if (version < 1)
    return (landlock_rules){.descriptor = -1};
  if (version >= 2)
    rules.files |= REFER;
  if (version >= 3)
    rules.files |= TRUNCATE;
  if (version >= 4)
    rules.network = 3;
  if (version >= 5)
    rules.files |= IOCTL_DEVICE;
  if (version >= 6)
    rules.scopes = 3;
  return (landlock_rules){
      .descriptor = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0),
      .accesses = rules.files};
}

/* Allows `rights` on a path, of which links are followed. A path that cannot be opened is ignored,
 * since whoever opens it gets the same error; other failures are noted in the rules. */
static void landlock_allow(landlock_rules *rules, const char *path, unsigned rights) {
  struct stat about;
  int opened = rules->descriptor < 0 ? -1 : open(path, O_PATH | O_CLOEXEC);
  if (opened < 0) {
    if (rules->descriptor >= 0 && is_shortage(errno))
      rules->failure = errno;
    return;
  }
  uint64_t possible = rules->accesses;
  if (fstat(opened, &about) == 0 && !S_ISDIR(about.st_mode))
    possible &= of_single_files;
  struct landlock_path_beneath_attr rule = {.allowed_access = landlock_accesses(rights) & possible,
                                            .parent_fd = opened};
  if (rule.allowed_access != 0 &&
      syscall(SYS_landlock_add_rule, rules->descriptor, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0)
    rules->failure = errno;
  (void)close(opened);
}

/* Forbids everything that the rules do not allow, also for programs that this process starts, and
 * ends the rules. Files that are open remain so. If the kernel refuses, all rights stay, without a
 * message. */
static void landlock_enforce(landlock_rules *rules) {
  if (rules->descriptor < 0)
    return;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
    (void)syscall(SYS_landlock_restrict_self, rules->descriptor, 0);
  (void)close(rules->descriptor);
  rules->descriptor = -1;
}
#else
static landlock_rules landlock_begin(void) {
  return (landlock_rules){.descriptor = -1};
}

/* Does nothing: this system, or its headers, have no Landlock. */
static void landlock_allow(landlock_rules *rules, const char *path, unsigned rights) {
  (void)rules;
  (void)path;
  (void)rights;
}

static void landlock_enforce(landlock_rules *rules) {
  (void)rules;
}
#endif

/* ---- seccomp: restricts the system calls of this process ---- */

#if defined ETR_SANDBOX && defined __linux__ &&                                                    \
    (defined __x86_64__ || defined __aarch64__ || (defined __riscv && __riscv_xlen == 64))
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined __x86_64__
#define MACHINE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define MACHINE AUDIT_ARCH_AARCH64
#else
#define MACHINE AUDIT_ARCH_RISCV64
#endif

#ifndef SECCOMP_FILTER_FLAG_SPEC_ALLOW
#define SECCOMP_FILTER_FLAG_SPEC_ALLOW (1UL << 2)
#endif

/* The request by which newer C libraries ask whether a file is a terminal. <sys/ioctl.h> does not
 * have its struct. */
#define ASK_TERMINAL _IOC(_IOC_READ, 'T', 0x2a, 44)

/* The system calls that commands need, with any arguments. All others are refused, including those
 * that later kernels add. A C library may use another call for the same purpose than the next one
 * does, so that all calls for a purpose are listed. */
/* clang-format off */
static const int allowed[] = {
    /* open files */
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_lseek, SYS_fsync, SYS_flock,
    SYS_close, SYS_ppoll,
    SYS_pselect6, SYS_inotify_init1, SYS_inotify_add_watch,
    /* paths, which Landlock restricts further */
    SYS_openat, SYS_fstat, SYS_newfstatat, SYS_faccessat, SYS_readlinkat, SYS_getcwd,
    SYS_getdents64, SYS_mkdirat,
    SYS_unlinkat, SYS_renameat2,
#ifdef SYS_statx
    SYS_statx,
#endif
#ifdef SYS_faccessat2
    SYS_faccessat2,
#endif
#ifdef SYS_renameat
    SYS_renameat,
#endif
    /* memory */
    SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise,
    /* time, randomness, and what this process and the system are */
    SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_gettimeofday, SYS_nanosleep,
    SYS_getrandom,
    SYS_getpid, SYS_gettid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_uname,
    SYS_sysinfo,
    /* signals to this process, locks in memory, the end */
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall,
    SYS_futex, SYS_exit,
    SYS_exit_group,
    /* the end of the program that writes Parquet */
    SYS_wait4,
#ifdef __x86_64__
    /* what newer machines do not have */
    SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_mkdir, SYS_rmdir, SYS_unlink,
    SYS_rename, SYS_poll,
    SYS_select, SYS_time,
#endif
};

/* The groups of system calls that are refused to Graphviz and to the Python that writes rows. Which
 * calls their versions and the system's libraries need is unknown, and newer calls are allowed to
 * them. */
static const int refused_to_programs[] = {
    /* connections */
    SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4,
    /* other processes */
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo, SYS_prlimit64,
    SYS_setpriority, SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr,
    SYS_sched_setaffinity,
    SYS_ioprio_set,
    /* owners and permissions */
    SYS_setuid, SYS_setgid, SYS_setreuid, SYS_setregid, SYS_setresuid, SYS_setresgid,
    SYS_setgroups, SYS_capset,
    SYS_fchmod, SYS_fchmodat, SYS_fchown, SYS_fchownat, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr, SYS_fremovexattr,
    /* the system, and interfaces that bypass a filter or had many holes */
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_setns, SYS_unshare, SYS_init_module,
    SYS_finit_module,
    SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd,
    SYS_add_key,
    SYS_request_key, SYS_keyctl,
#ifdef SYS_pidfd_send_signal
    SYS_pidfd_send_signal, SYS_io_uring_setup, SYS_open_tree, SYS_move_mount, SYS_fsopen,
#endif
#ifdef __x86_64__
    SYS_chmod, SYS_chown, SYS_lchown,
#endif
};
/* clang-format on */

/* A system call that is allowed if an argument has this value. */
typedef struct condition {
  int number;   /* of the system call */
  int argument; /* index of the argument, whose lower half is compared: the kernel reads no more of
                   it */
  uint32_t value;
} condition;

enum { MOST_LISTED = 128, MOST_STEPS = MOST_LISTED + 64 }; /* a step skips at most 255 others */
_Static_assert(sizeof allowed <= MOST_LISTED * sizeof *allowed, "all steps have room");
_Static_assert(sizeof refused_to_programs <= MOST_LISTED * sizeof *allowed, "all steps have room");

/* A BPF program for a machine with one register. Each step has the number of steps to skip if its
 * comparison holds, and if it does not. */
typedef struct filter {
  struct sock_filter steps[MOST_STEPS];
  unsigned short count;
} filter;

static void add_step(filter *f, uint16_t code, uint32_t value, size_t skip_if, size_t skip_else) {
  f->steps[f->count++] = (struct sock_filter){code, (uint8_t)skip_if, (uint8_t)skip_else, value};
}

/* Adds a step that loads 32 bits of struct seccomp_data into the register. */
static void load_word(filter *f, size_t offset) {
  add_step(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* Adds a step that compares the register with a value, and skips the first number of steps if it is
 * equal, else the second. */
static void skip_if_equal(filter *f, uint32_t value, size_t skip_if, size_t skip_else) {
  add_step(f, BPF_JMP | BPF_JEQ | BPF_K, value, skip_if, skip_else);
}

static void refuse(filter *f) {
  add_step(f, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM, 0, 0);
}

static void allow(filter *f) {
  add_step(f, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}

/* Adds the steps that allow a system call if one of its arguments has the value of the condition.
 * For another call they skip the four steps after the first, else they leave the number of the call
 * in the register, for the steps after them. */
static void allow_if(filter *f, const condition *call) {
  skip_if_equal(f, (uint32_t)call->number, 0, 4);
  load_word(f, offsetof(struct seccomp_data, args) + (size_t)call->argument * sizeof(uint64_t));
  skip_if_equal(f, call->value, 0, 1);
  allow(f);
  load_word(f, offsetof(struct seccomp_data, nr));
}

/* Adds the steps that end the filter: allows only the listed system calls if `allows` is set,
 * otherwise refuses only these. A comparison that holds skips the remaining comparisons and the
 * next step, which is the verdict on calls that are not listed; one that does not hold skips
 * nothing. */
static void filter_listed_calls(filter *f, const int *numbers, size_t count, bool allows) {
  for (size_t i = 0; i < count; i++)
    skip_if_equal(f, (uint32_t)numbers[i], count - i, 0);
  (allows ? refuse : allow)(f);
  (allows ? allow : refuse)(f);
}

/* Gives up the system calls that no command needs or, if this process starts Graphviz or Python,
 * those that these do not need. Does nothing if the kernel refuses. */
static void seccomp_enforce(bool starts_program) {
  const uint32_t own = (uint32_t)getpid(); /* also the number of the only thread */
  /* raise() and abort(); limits of this process; isatty() and the width of the terminal; flags of
   * open files, as F_SETOWN could signal other processes */
  const condition conditions[] = {
      {SYS_kill, 0, own},         {SYS_tgkill, 0, own},    {SYS_tkill, 0, own},
      {SYS_prlimit64, 0, 0},      {SYS_ioctl, 1, TCGETS},  {SYS_ioctl, 1, ASK_TERMINAL},
      {SYS_ioctl, 1, TIOCGWINSZ}, {SYS_fcntl, 1, F_GETFL}, {SYS_fcntl, 1, F_GETFD},
      {SYS_fcntl, 1, F_SETFD},
  };
  filter f = {.count = 0};
  /* The processor may accept system calls of another machine, with other numbers. */
  load_word(&f, offsetof(struct seccomp_data, arch));
  skip_if_equal(&f, MACHINE, 1, 0);
  refuse(&f);
  load_word(&f, offsetof(struct seccomp_data, nr));
  for (size_t i = 0; i < sizeof conditions / sizeof conditions[0]; i++)
    allow_if(&f, &conditions[i]);
  if (starts_program)
    filter_listed_calls(&f, refused_to_programs,
                        sizeof refused_to_programs / sizeof *refused_to_programs, false);
  else
    filter_listed_calls(&f, allowed, sizeof allowed / sizeof *allowed, true);
  const struct sock_fprog program = {f.count, f.steps};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return;
  /* This process holds no secrets of others, so the kernel need not slow it down against
   * speculation. */
  (void)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program);
}
#else
static void seccomp_enforce(bool starts_program) {
  (void)starts_program;
}
#endif

/* ---- Inputs ---- */

/* Allows reading the files to which links in a record's folder lead, since rights on a folder do
 * not include them. If the path is no folder there is nothing to allow; a shortage of descriptors
 * or memory is noted as a failure. */
static void allow_linked(landlock_rules *rules, const char *folder) {
  DIR *directory = opendir(folder);
  if (!directory) {
    if (is_shortage(errno))
      rules->failure = errno;
    return;
  }
  for (const struct dirent *entry; (entry = readdir(directory));) {
    char path[PATH_MAX];
    if (entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN)
      continue;
    int size = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (size > 0 && (size_t)size < sizeof path && !command_is_folder(path))
      landlock_allow(rules, path, RIGHT_READ);
  }
  closedir(directory);
}

/* Allows reading an input, a file or a folder, and what links in a folder lead to. path: may be
 * NULL, or name a part of a file. */
static void allow_input(landlock_rules *rules, const char *path) {
  char file[PATH_MAX];
  size_t part;
  if (!path)
    return;
  /* A path that is too long names no file. */
  snprintf(file, sizeof file, "%.*s", (int)etr_input_file(path, &part), path);
  landlock_allow(rules, file, RIGHT_READ);
  allow_linked(rules, path);
}

/* Allows reading the file of a part, and the files next to it that belong to it. */
static void allow_part(landlock_rules *rules, const char *path) {
  char file[PATH_MAX];
  for (size_t i = 0; i < COMMAND_PART_FILES; i++)
    if (command_part_file(file, path, i))
      landlock_allow(rules, file, RIGHT_READ);
}

/* Allows reading all inputs that the settings name, or everything if the command reads files that
 * only its inputs name. */
static void allow_inputs(landlock_rules *rules, const cli_settings *settings) {
  const char *const single[] = {
      settings->record,  settings->etrecord,       settings->pte,       settings->debug_buffer,
      settings->bundled, settings->against_record, settings->reference, settings->reference_record};
  for (size_t i = 0; i < sizeof single / sizeof single[0]; i++)
    allow_input(rules, single[i]);
  for (size_t i = 0; i < settings->more_count; i++)
    allow_input(rules, settings->more[i]);
  for (size_t i = 0; i < settings->etdump_count; i++)
    allow_input(rules, settings->etdumps[i]);
  for (size_t i = 0; i < settings->part_count; i++)
    allow_part(rules, settings->parts[i].path);
  allow_input(rules,
              settings->each_from && strcmp(settings->each_from, "-") ? settings->each_from : NULL);
  bool reads_anywhere = settings->command->reads_sources || settings->each_from;
  if (reads_anywhere)
    landlock_allow(rules, "/", RIGHT_READ);
}

/* ---- Outputs ---- */

/* The path of the folder of --logdir if it had to be created, otherwise "", and the bytes of it
 * that existed before. Signal handlers read them. */
static char made_logdir[PATH_MAX];
static size_t kept_size;

/* Returns the size of the first `size` bytes of a path without their last part, but with the slash
 * before it. */
static size_t parent_size(const char *path, size_t size) {
  while (size > 0 && path[size - 1] == '/')
    size--;
  while (size > 0 && path[size - 1] != '/')
    size--;
  return size;
}

/* Creates a folder and the folders above it. made_logdir and kept_size, the bytes of the part of
 * the path that existed, are set first, so that sandbox_leave() can remove the folders even if a
 * signal comes in between. Does nothing for a path that is too long, which fails later, when the
 * logdir is written. Returns 0 or an errno. */
static int make_logdir(const char *path) {
  char part[PATH_MAX];
  size_t size = strlen(path), existing_size = size;
  if (size >= sizeof made_logdir || command_is_folder(path))
    return 0;
  memcpy(part, path, size + 1);
  for (; existing_size > 0 && !command_is_folder(part); part[existing_size] = '\0')
    existing_size = parent_size(part, existing_size);
  kept_size = existing_size;
  memcpy(made_logdir, path, size + 1);
  for (size_t part_end = kept_size + 1; part_end <= size; part_end++) {
    if (path[part_end] != '/' && path[part_end] != '\0')
      continue;
    memcpy(part, path, part_end);
    part[part_end] = '\0';
    if (mkdir(part, 0777) != 0 && errno != EEXIST)
      return errno;
  }
  return 0;
}

/* Descriptor of a shared lock on the folder of --logdir, so that no process removes the folder
 * while another one has rights to it. -1: none. */
static int logdir_lock = -1;

/* Creates the folder and allows writing into it, and removing it and the folders that were created
 * above it. Locks it as shared, so that no other process that leaves removes it; creates it again
 * if that happened before it was locked. Returns 0 or an errno. */
static int allow_logdir(landlock_rules *rules, const char *path) {
  struct stat about = {.st_nlink = 1};
  do {
    if (logdir_lock >= 0)
      (void)close(logdir_lock);
    int reason = make_logdir(path);
    if (reason != 0)
      return reason;
    logdir_lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  } while (logdir_lock >= 0 && flock(logdir_lock, LOCK_SH) == 0 &&
           fstat(logdir_lock, &about) == 0 && about.st_nlink == 0);
  landlock_allow(rules, path, RIGHT_READ | RIGHT_REPLACE | RIGHT_MAKE_FOLDERS | RIGHT_EMPTY);
  if (made_logdir[0] == '\0')
    return 0;
  char parent[PATH_MAX] = ".";
  if (kept_size > 0)
    (void)snprintf(parent, sizeof parent, "%.*s", (int)kept_size, made_logdir);
  landlock_allow(rules, parent, RIGHT_LIST | RIGHT_EMPTY);
  return 0;
}

void sandbox_leave(void) {
  if (made_logdir[0] != '\0' && logdir_lock >= 0 && flock(logdir_lock, LOCK_EX | LOCK_NB) != 0 &&
      errno == EWOULDBLOCK)
    return;
  for (size_t size = strlen(made_logdir); size > kept_size;) {
    (void)rmdir(made_logdir);
    size = parent_size(made_logdir, size);
    made_logdir[size] = '\0';
  }
}

/* ---- Graphviz ---- */

/* Allows what Graphviz needs, because it inherits the rights of this process: reading and running
 * files everywhere, temporary files, and caches of fonts, without which it warns. */
static void allow_graphviz(landlock_rules *rules) {
  static const char *const caches[][2] = {{"XDG_CACHE_HOME", "."}, {"HOME", ".cache"}};
  landlock_allow(rules, "/", RIGHT_READ | RIGHT_RUN);
  landlock_allow(rules, "/dev/null", RIGHT_WRITE);
  landlock_allow(rules, P_tmpdir, RIGHT_REPLACE);
  landlock_allow(rules, "/var/cache/fontconfig", RIGHT_REPLACE);
  for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++) {
    char path[PATH_MAX];
    const char *home = getenv(caches[i][0]);
    int size = home ? snprintf(path, sizeof path, "%s/%s", home, caches[i][1]) : 0;
    if (size > 0 && (size_t)size < sizeof path)
      landlock_allow(rules, path, RIGHT_REPLACE | RIGHT_MAKE_FOLDERS);
  }
}

/* ---- Giving up rights ---- */

/* Allows what the settings require: their inputs, the logdir, Graphviz. Fails with a message if a
 * folder cannot be made. */
static exit_status allow_all(landlock_rules *rules, const cli_settings *settings) {
  allow_inputs(rules, settings);
  if (settings->command->writes_logdir) {
    const char *logdir = command_logdir(settings);
    int reason = allow_logdir(rules, logdir);
    if (reason != 0)
      return message_failed("%s: cannot make this folder: %s", logdir, strerror(reason));
  }
  if (command_draws_picture(settings))
    allow_graphviz(rules);
  return EXIT_DONE;
}

/* Gives up the rights that the rules do not allow. Fails with a message, and keeps all rights, if a
 * rule could not be added: a file would then be forbidden, and the error on it would be misleading.
 */
static exit_status enforce(landlock_rules *rules) {
  if (rules->failure != 0)
    return message_failed("cannot give up rights: %s", strerror(rules->failure));
  landlock_enforce(rules);
  return EXIT_DONE;
}

exit_status sandbox_enter(const cli_settings *settings) {
  exit_status status = EXIT_DONE;
  tzset(); /* otherwise libzip would read /etc/localtime later, for local times of entries */
  landlock_rules rules = landlock_begin();
  if (rules.descriptor >= 0) {
    status = allow_all(&rules, settings);
    if (status == EXIT_DONE)
      status = enforce(&rules);
  }
  if (status == EXIT_DONE)
    seccomp_enforce(command_draws_picture(settings));
  return status;
}

exit_status sandbox_enter_with_writer(void) {
  exit_status status = EXIT_DONE;
  landlock_rules rules = landlock_begin();
  if (rules.descriptor >= 0) {
    landlock_allow(&rules, "/", RIGHT_READ | RIGHT_RUN);
    landlock_allow(&rules, "/dev/null", RIGHT_WRITE);
    status = enforce(&rules);
  }
  if (status == EXIT_DONE)
    seccomp_enforce(true); /* the writer is a program in Python */
  return status;
}
