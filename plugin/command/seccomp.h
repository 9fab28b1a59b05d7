/* SPDX-License-Identifier: BSD-3-Clause
 *
 * seccomp.h - restricts the system calls of this process. Layer 6.
 */
#ifndef ETR_SECCOMP_H
#define ETR_SECCOMP_H

/**
 * Makes the kernel refuse, with EPERM, what a reader of files never does: start programs and processes, connect,
 * inspect or signal other processes, mount, change owners and permissions, type into the terminal. Does nothing without
 * seccomp.
 */
void seccomp_enforce(void);

#endif
