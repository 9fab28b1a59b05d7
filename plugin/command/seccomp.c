/* SPDX-License-Identifier: BSD-3-Clause
 *
 * seccomp.c - a seccomp filter that refuses the calls by which code planted by a hostile file could leave the process.
 * A list of allowed calls would have to follow every C library, preloaded profiler and kernel.
 */
#define _GNU_SOURCE /* syscall() */
#include "command/sandbox.h"

#if defined ETR_SANDBOX && defined __linux__ &&                                                                        \
    (defined __x86_64__ || defined __aarch64__ || (defined __riscv && __riscv_xlen == 64))
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/* Without calls that the headers have no name for, or that a machine does not have. */
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

/* A BPF program: a machine with one register; each step tells how many to skip if a comparison holds, and if not. */
typedef struct filter {
  struct sock_filter steps[MOST_STEPS];
  unsigned short count;
} filter;

static void add_step(filter *f, uint16_t code, uint32_t value, uint8_t skip_if, uint8_t skip_else) {
  f->steps[f->count++] = (struct sock_filter){code, skip_if, skip_else, value};
}

static void load(filter *f, size_t offset) { add_step(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0); }

static void refuse(filter *f) { add_step(f, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM, 0, 0); }

static void load_number(filter *f) { load(f, offsetof(struct seccomp_data, nr)); }

/* The processor may take calls of another machine, too, whose numbers differ. */
static void refuse_other_machines(filter *f) {
  load(f, offsetof(struct seccomp_data, arch));
  add_step(f, BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0);
  refuse(f);
  load_number(f);
#ifdef __x86_64__
  add_step(f, BPF_JMP | BPF_JGE | BPF_K, FIRST_OF_X32, 0, 1);
  refuse(f);
#endif
}

/* Refuses a call if the lower half of an argument is this value, or is not. */
static void refuse_argument(filter *f, int number, int argument, uint32_t value, int if_equal) {
  add_step(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 4);
  load(f, offsetof(struct seccomp_data, args) + (size_t)argument * sizeof(uint64_t));
  add_step(f, BPF_JMP | BPF_JEQ | BPF_K, value, if_equal ? 0 : 1, if_equal ? 1 : 0);
  refuse(f);
  load_number(f);
}

static void write_filter(filter *f) {
  f->count = 0;
  refuse_other_machines(f);
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    add_step(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)refused[i], 0, 1);
    refuse(f);
  }
  refuse_argument(f, SYS_kill, 0, (uint32_t)getpid(), 0);
  refuse_argument(f, SYS_tgkill, 0, (uint32_t)getpid(), 0);
  refuse_argument(f, SYS_ioctl, 1, TIOCSTI, 1);
  add_step(f, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}

void seccomp_enforce(void) {
  filter f;
  write_filter(&f);
  const struct sock_fprog program = {f.count, f.steps};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
  /* This process holds no secrets of others, so the kernel need not slow it down against speculation. */
  (void)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program);
}
#else
void seccomp_enforce(void) {}
#endif
