/* SPDX-License-Identifier: BSD-3-Clause
 *
 * spawn.h - starting programs. What one starts ends with this process, and so does all that it
 * starts in turn.
 */
#ifndef ETR_WINDOWS_SPAWN_H
#define ETR_WINDOWS_SPAWN_H

#include "posix_name.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h> /* environ */

typedef struct posix_spawn_file_actions {
  int files[3];     /* what becomes standard input, output and error; -1: ours */
  bool opens_input; /* the first was opened, and is to be closed */
} posix_spawn_file_actions_t;

typedef struct posix_spawnattr {
  int unused; /* signals and groups are as they are */
} posix_spawnattr_t;

enum { POSIX_SPAWN_SETSIGDEF = 1, POSIX_SPAWN_SETSIGMASK = 2, POSIX_SPAWN_SETPGROUP = 4 };

int posix_spawn_file_actions_init(posix_spawn_file_actions_t *files) ETR_POSIX_NAME(spawn_init);
int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *files, int from, int to)
    ETR_POSIX_NAME(spawn_dup2);
int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *files, int to, const char *path,
                                     int flags, int mode) ETR_POSIX_NAME(spawn_open);
int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *files)
    ETR_POSIX_NAME(spawn_destroy);
int posix_spawnp(pid_t *out, const char *name, const posix_spawn_file_actions_t *files,
                 const posix_spawnattr_t *with, char *const *arguments, char **environment)
    ETR_POSIX_NAME(spawn);

#define posix_spawn_file_actions_addclose(files, file) 0 /* nothing else is inherited */
#define posix_spawnattr_init(attributes) ((attributes)->unused = 0)
#define posix_spawnattr_setsigdefault(attributes, set) ((void)(set), (attributes)->unused = 0)
#define posix_spawnattr_setsigmask(attributes, set) ((void)(set), (attributes)->unused = 0)
#define posix_spawnattr_setpgroup(attributes, group) ((attributes)->unused = 0)
#define posix_spawnattr_setflags(attributes, flags) ((attributes)->unused = 0)
#define posix_spawnattr_destroy(attributes) ((attributes)->unused = 0)

#endif
