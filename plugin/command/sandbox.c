/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sandbox.c - decides which rights each command keeps, and gives up the others by system calls of Linux. Defines what
 * the oldest supported headers lack.
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
} landlock_rules;

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

/* The newest struct landlock_ruleset_attr; older kernels accept it if the members that they do not know are zero. */
typedef struct rule_set {
  uint64_t files, network, scopes;
} rule_set;

static const uint64_t of_first_version = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
static const uint64_t of_single_files = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                                        LANDLOCK_ACCESS_FS_READ_FILE | TRUNCATE;

static uint64_t accesses_of(unsigned rights) {
  uint64_t accesses = 0;
  if (rights & RIGHT_READ) accesses |= LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
  if (rights & RIGHT_RUN) accesses |= LANDLOCK_ACCESS_FS_EXECUTE;
  if (rights & RIGHT_WRITE) accesses |= LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATE;
  if (rights & RIGHT_REPLACE)
    accesses |= LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATE;
  if (rights & RIGHT_MAKE_FOLDERS) accesses |= LANDLOCK_ACCESS_FS_MAKE_DIR | REFER;
  if (rights & RIGHT_LIST) accesses |= LANDLOCK_ACCESS_FS_READ_DIR;
  if (rights & RIGHT_EMPTY) accesses |= LANDLOCK_ACCESS_FS_REMOVE_DIR;
  return accesses;
}

/* Begins a set of rules that allows nothing. It forbids everything that the kernel can forbid, including TCP, abstract
 * sockets and signals to other processes. */
static landlock_rules landlock_begin(void) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  rule_set known = {.files = of_first_version};
  if (version < 1) return (landlock_rules){.descriptor = -1};
  if (version >= 2) known.files |= REFER;
  if (version >= 3) known.files |= TRUNCATE;
  if (version >= 4) known.network = 3;
  if (version >= 5) known.files |= IOCTL_DEVICE;
  if (version >= 6) known.scopes = 3;
  return (landlock_rules){.descriptor = (int)syscall(SYS_landlock_create_ruleset, &known, sizeof known, 0),
                          .accesses = known.files};
}

/* Allows `rights` on a path and follows links. Ignores a path that does not exist. */
static void landlock_allow(const landlock_rules *rules, const char *path, unsigned rights) {
  struct stat about;
  int place = rules->descriptor < 0 ? -1 : open(path, O_PATH | O_CLOEXEC);
  if (place < 0) return;
  uint64_t possible = rules->accesses;
  if (fstat(place, &about) == 0 && !S_ISDIR(about.st_mode)) possible &= of_single_files;
  struct landlock_path_beneath_attr rule = {.allowed_access = accesses_of(rights) & possible, .parent_fd = place};
  if (rule.allowed_access != 0)
    (void)syscall(SYS_landlock_add_rule, rules->descriptor, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  (void)close(place);
}

/* Forbids everything that the rules do not allow, also for programs that this process starts. Open files remain open.
 * Ends the rules. */
static void landlock_enforce(landlock_rules *rules) {
  if (rules->descriptor < 0) return;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) (void)syscall(SYS_landlock_restrict_self, rules->descriptor, 0);
  (void)close(rules->descriptor);
  rules->descriptor = -1;
}
#else
static landlock_rules landlock_begin(void) { return (landlock_rules){.descriptor = -1}; }

static void landlock_allow(const landlock_rules *rules, const char *path, unsigned rights) {
  (void)rules;
  (void)path;
  (void)rights;
}

static void landlock_enforce(landlock_rules *rules) { (void)rules; }
#endif

/* ---- seccomp: restricts the system calls of this process ---- */

#if defined ETR_SANDBOX && defined __linux__ &&                                                                        \
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

/* The system calls that are refused, except those that the headers have no name for or that a machine does not have. */
/* clang-format off */
static const int refused[] = {
    /* programs and processes */
    SYS_execve, SYS_execveat, SYS_clone,
#ifdef SYS_fork
    SYS_fork, SYS_vfork,
#endif
#ifdef SYS_clone3
    SYS_clone3,
#endif
    /* connections */
    SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4,
    /* other processes */
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_tkill,
#ifdef SYS_pidfd_open
    SYS_pidfd_open, SYS_pidfd_send_signal,
#endif
#ifdef SYS_pidfd_getfd
    SYS_pidfd_getfd,
#endif
    /* interfaces that bypass this filter, or with a history of holes */
#ifdef SYS_io_uring_setup
    SYS_io_uring_setup,
#endif
    SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_add_key, SYS_request_key, SYS_keyctl,
    /* mounts and namespaces */
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_setns, SYS_unshare,
#ifdef SYS_fsopen
    SYS_fsopen, SYS_open_tree, SYS_move_mount,
#endif
    /* the system */
    SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot,
    /* owners and permissions */
    SYS_setuid, SYS_setgid, SYS_setreuid, SYS_setregid, SYS_setresuid, SYS_setresgid, SYS_setgroups, SYS_capset,
#ifdef SYS_chmod
    SYS_chmod, SYS_chown, SYS_lchown,
#endif
    SYS_fchmodat, SYS_fchownat, SYS_setxattr, SYS_lsetxattr, SYS_removexattr, SYS_lremovexattr,
};
/* clang-format on */

enum { MOST_STEPS = 2 * sizeof refused / sizeof refused[0] + 32, FIRST_OF_X32 = 0x40000000 };

/* A BPF program for a machine with one register. Each step has the number of steps to skip if its comparison holds, and
 * if it does not. */
typedef struct filter {
  struct sock_filter steps[MOST_STEPS];
  unsigned short count;
} filter;

static void add_step(filter *f, uint16_t code, uint32_t value, uint8_t skip_if, uint8_t skip_else) {
  f->steps[f->count++] = (struct sock_filter){code, skip_if, skip_else, value};
}

static void load(filter *f, size_t offset) { add_step(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0); }

static void refuse(filter *f) { add_step(f, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM, 0, 0); }

/* Refuses a call if the lower half of an argument is this value, or is not. */
static void refuse_argument(filter *f, int number, int argument, uint32_t value, int if_equal) {
  add_step(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 4);
  load(f, offsetof(struct seccomp_data, args) + (size_t)argument * sizeof(uint64_t));
  add_step(f, BPF_JMP | BPF_JEQ | BPF_K, value, if_equal ? 0 : 1, if_equal ? 1 : 0);
  refuse(f);
  load(f, offsetof(struct seccomp_data, nr));
}

static void seccomp_enforce(void) {
  filter f = {.count = 0};
  /* The processor may accept system calls of another machine, with other numbers. */
  load(&f, offsetof(struct seccomp_data, arch));
  add_step(&f, BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0);
  refuse(&f);
  load(&f, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
  add_step(&f, BPF_JMP | BPF_JGE | BPF_K, FIRST_OF_X32, 0, 1);
  refuse(&f);
#endif
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    add_step(&f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)refused[i], 0, 1);
    refuse(&f);
  }
  refuse_argument(&f, SYS_kill, 0, (uint32_t)getpid(), 0);
  refuse_argument(&f, SYS_tgkill, 0, (uint32_t)getpid(), 0);
  refuse_argument(&f, SYS_ioctl, 1, TIOCSTI, 1);
  add_step(&f, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
  const struct sock_fprog program = {f.count, f.steps};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
  /* This process holds no secrets of others, so the kernel need not slow it down against speculation. */
  (void)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program);
}
#else
static void seccomp_enforce(void) {}
#endif

/* ---- Inputs ---- */

/* Allows reading the targets of links in a record's folder, if they are files. */
static void allow_linked(const landlock_rules *rules, const char *folder) {
  DIR *directory = opendir(folder);
  if (!directory) return;
  for (const struct dirent *entry; (entry = readdir(directory));) {
    char path[PATH_MAX];
    if (entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN) continue;
    int size = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (size > 0 && (size_t)size < sizeof path && !command_is_folder(path)) landlock_allow(rules, path, RIGHT_READ);
  }
  closedir(directory);
}

static void allow_input(const landlock_rules *rules, const char *path) {
  char file[PATH_MAX];
  size_t part;
  if (!path) return;
  snprintf(file, sizeof file, "%.*s", (int)etr_input_file(path, &part),
           path); /* a path that is too long names no file */
  landlock_allow(rules, file, RIGHT_READ);
  allow_linked(rules, path);
}

/* Allows reading the file of a part, and the files next to it that belong to it. */
static void allow_part(const landlock_rules *rules, const char *path) {
  static const char *const ends[] = {"", "_state_dict", "_constants", "_example_inputs"};
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
    char beside[PATH_MAX];
    int size = snprintf(beside, sizeof beside, "%s%s", path, ends[i]);
    if (size > 0 && (size_t)size < sizeof beside) landlock_allow(rules, beside, RIGHT_READ);
  }
}

static void allow_inputs(const landlock_rules *rules, const cli_settings *settings) {
  const char *const single[] = {settings->record,       settings->etrecord, settings->pte,
                                settings->debug_buffer, settings->bundled,  settings->against_record,
                                settings->reference,    settings->reference_record};
  for (size_t i = 0; i < sizeof single / sizeof single[0]; i++) allow_input(rules, single[i]);
  for (size_t i = 0; i < settings->more_count; i++) allow_input(rules, settings->more[i]);
  for (size_t i = 0; i < settings->etdump_count; i++) allow_input(rules, settings->etdumps[i]);
  for (size_t i = 0; i < settings->part_count; i++) allow_part(rules, settings->parts[i].path);
  if (settings->command->reads_sources) landlock_allow(rules, "/", RIGHT_READ);
}

/* ---- Outputs ---- */

/* Allows writing an output. A file is replaced by one that is created next to it, or next to the target of a link;
 * pipes and devices are written to. */
static void allow_output(const landlock_rules *rules, const char *path) {
  struct stat about;
  char *target = realpath(path, NULL), folder[PATH_MAX] = ".";
  if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
    if (!S_ISDIR(about.st_mode)) landlock_allow(rules, path, RIGHT_WRITE);
  } else {
    const char *file = target ? target : path, *slash = strrchr(file, '/');
    size_t size = slash ? (size_t)(slash - file) + 1 : 0;
    if (size > 0) (void)snprintf(folder, sizeof folder, "%.*s", (int)size, file);
    if (size < sizeof folder) landlock_allow(rules, folder, RIGHT_REPLACE | RIGHT_LIST);
  }
  free(target);
}

/* The path of the folder of --logdir if it had to be created, otherwise "", and the bytes of it that existed before.
 * Signal handlers read them. */
static char made_logdir[PATH_MAX];
static size_t kept_size;

/* Returns the size of a path without its last part. */
static size_t size_above(const char *path, size_t size) {
  while (size > 0 && path[size - 1] == '/') size--;
  while (size > 0 && path[size - 1] != '/') size--;
  return size;
}

/* Creates a folder and the folders above it. The path is stored first, so that a signal in between cleans up. */
static void make_logdir(const char *path) {
  char part[PATH_MAX];
  size_t size = strlen(path), kept = size;
  if (size >= sizeof made_logdir || command_is_folder(path)) return;
  memcpy(part, path, size + 1);
  for (; kept > 0 && !command_is_folder(part); part[kept] = '\0') kept = size_above(part, kept);
  kept_size = kept;
  memcpy(made_logdir, path, size + 1);
  for (size_t end = kept_size + 1; end <= size; end++) {
    if (path[end] != '/' && path[end] != '\0') continue;
    memcpy(part, path, end);
    part[end] = '\0';
    (void)mkdir(part, 0777);
  }
}

/* Descriptor of a shared lock on the folder of --logdir, so that no process removes the folder while another one has
 * rights to it. -1: none. */
static int logdir_lock = -1;

/* Creates and locks the folder, and tries again if it was removed before it was locked. Also allows removing created
 * folders from the folder above them. */
static void allow_logdir(const landlock_rules *rules, const char *path) {
  struct stat about = {.st_nlink = 1};
  do {
    if (logdir_lock >= 0) (void)close(logdir_lock);
    make_logdir(path);
    logdir_lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  } while (logdir_lock >= 0 && flock(logdir_lock, LOCK_SH) == 0 && fstat(logdir_lock, &about) == 0 &&
           about.st_nlink == 0);
  landlock_allow(rules, path, RIGHT_READ | RIGHT_REPLACE | RIGHT_MAKE_FOLDERS | RIGHT_EMPTY);
  if (made_logdir[0] == '\0') return;
  char above[PATH_MAX] = ".";
  if (kept_size > 0) (void)snprintf(above, sizeof above, "%.*s", (int)kept_size, made_logdir);
  landlock_allow(rules, above, RIGHT_LIST | RIGHT_EMPTY);
}

void sandbox_leave(void) {
  if (made_logdir[0] != '\0' && logdir_lock >= 0 && flock(logdir_lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return;
  for (size_t size = strlen(made_logdir); size > kept_size;) {
    (void)rmdir(made_logdir);
    size = size_above(made_logdir, size);
    made_logdir[size] = '\0';
  }
}

/* ---- Graphviz ---- */

/* Allows the files that Graphviz reads and runs, because it inherits the rights of this process. It warns if it cannot
 * cache fonts. */
static void allow_graphviz(const landlock_rules *rules) {
  static const char *const caches[][2] = {{"XDG_CACHE_HOME", "."}, {"HOME", ".cache"}};
  landlock_allow(rules, "/", RIGHT_READ | RIGHT_RUN);
  landlock_allow(rules, "/dev/null", RIGHT_WRITE);
  landlock_allow(rules, P_tmpdir, RIGHT_REPLACE);
  landlock_allow(rules, "/var/cache/fontconfig", RIGHT_REPLACE);
  for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++) {
    char path[PATH_MAX];
    const char *home = getenv(caches[i][0]);
    int size = home ? snprintf(path, sizeof path, "%s/%s", home, caches[i][1]) : 0;
    if (size > 0 && (size_t)size < sizeof path) landlock_allow(rules, path, RIGHT_REPLACE | RIGHT_MAKE_FOLDERS);
  }
}

/* ---- Giving up rights ---- */

void sandbox_enter(const cli_settings *settings) {
  bool draws = command_draws_picture(settings);
  tzset(); /* otherwise libzip would read /etc/localtime later, for local times of entries */
  landlock_rules rules = landlock_begin();
  if (rules.descriptor >= 0) {
    allow_inputs(&rules, settings);
    if (settings->command->writes_logdir) allow_logdir(&rules, command_logdir(settings));
    if (command_has_file(settings)) allow_output(&rules, settings->output);
    if (draws) allow_graphviz(&rules);
    landlock_enforce(&rules);
  }
  if (!draws) seccomp_enforce();
}
