/* SPDX-License-Identifier: BSD-3-Clause
 *
 * landlock.c - the kernel's Landlock by system call. Defines what the oldest supported headers lack.
 */
#define _GNU_SOURCE /* O_PATH, syscall() */
#include "command/sandbox.h"

#if defined ETR_SANDBOX && defined __has_include
#if __has_include(<linux/landlock.h>)
#define HAS_LANDLOCK
#endif
#endif

#ifdef HAS_LANDLOCK
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/* Everything that the kernel can forbid, including TCP, abstract sockets and signals to other processes. */
static rule_set known_rules(long version) {
  rule_set known = {.files = of_first_version};
  if (version >= 2) known.files |= REFER;
  if (version >= 3) known.files |= TRUNCATE;
  if (version >= 4) known.network = 3;
  if (version >= 5) known.files |= IOCTL_DEVICE;
  if (version >= 6) known.scopes = 3;
  return known;
}

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

landlock_rules landlock_begin(void) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return (landlock_rules){.descriptor = -1};
  rule_set known = known_rules(version);
  return (landlock_rules){.descriptor = (int)syscall(SYS_landlock_create_ruleset, &known, sizeof known, 0),
                          .accesses = known.files};
}

void landlock_allow(const landlock_rules *rules, const char *path, unsigned rights) {
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

void landlock_enforce(landlock_rules *rules) {
  if (rules->descriptor < 0) return;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) (void)syscall(SYS_landlock_restrict_self, rules->descriptor, 0);
  (void)close(rules->descriptor);
  rules->descriptor = -1;
}
#else
landlock_rules landlock_begin(void) { return (landlock_rules){.descriptor = -1}; }

void landlock_allow(const landlock_rules *rules, const char *path, unsigned rights) {
  (void)rules;
  (void)path;
  (void)rights;
}

void landlock_enforce(landlock_rules *rules) { (void)rules; }
#endif
