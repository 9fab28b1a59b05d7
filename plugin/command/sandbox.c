/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sandbox.c - the rights that each command keeps.
 */
#define _DEFAULT_SOURCE /* d_type, flock() */
#include "command/sandbox.h"

#include "command/command.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- Inputs ---- */

static bool is_folder(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* Targets of links in a record's folder, if they are files. */
static void allow_linked(const landlock_rules *rules, const char *folder) {
  DIR *directory = opendir(folder);
  if (!directory) return;
  for (const struct dirent *entry; (entry = readdir(directory));) {
    char path[PATH_MAX];
    if (entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN) continue;
    int size = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (size > 0 && (size_t)size < sizeof path && !is_folder(path)) landlock_allow(rules, path, RIGHT_READ);
  }
  closedir(directory);
}

static void allow_input(const landlock_rules *rules, const char *path) {
  char file[PATH_MAX];
  size_t part;
  if (!path) return;
  snprintf(file, sizeof file, "%.*s", (int)etr_input_file(path, &part), path); /* too long: there is no such file */
  landlock_allow(rules, file, RIGHT_READ);
  allow_linked(rules, path);
}

/* A part's file, and those beside it that belong to it. */
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
                                settings->debug_buffer, settings->bundled,  settings->against_record};
  for (size_t i = 0; i < sizeof single / sizeof single[0]; i++) allow_input(rules, single[i]);
  for (size_t i = 0; i < settings->more_count; i++) allow_input(rules, settings->more[i]);
  for (size_t i = 0; i < settings->etdump_count; i++) allow_input(rules, settings->etdumps[i]);
  for (size_t i = 0; i < settings->part_count; i++) allow_part(rules, settings->parts[i].path);
  if (settings->command->answer == command_source) landlock_allow(rules, "/", RIGHT_READ);
}

/* ---- Outputs ---- */

static void allow_folder_of(const landlock_rules *rules, const char *path, unsigned rights) {
  char folder[PATH_MAX] = ".";
  const char *slash = strrchr(path, '/');
  size_t size = slash ? (size_t)(slash - path) + 1 : 1;
  if (size >= sizeof folder) return;
  if (slash) memcpy(folder, path, size);
  folder[size] = '\0';
  landlock_allow(rules, folder, rights);
}

/* A file is replaced by one that is created beside it, or beside a link's target; pipes and devices are written to. */
static void allow_output(const landlock_rules *rules, const char *path) {
  struct stat about;
  bool exists = stat(path, &about) == 0;
  char *target = realpath(path, NULL);
  if (!exists || S_ISREG(about.st_mode))
    allow_folder_of(rules, target ? target : path, RIGHT_REPLACE | RIGHT_LIST);
  else if (!S_ISDIR(about.st_mode))
    landlock_allow(rules, path, RIGHT_WRITE);
  free(target);
}

/* The folder of --logdir if it had to be created, "" otherwise, and how much of its path existed; for signal handlers.
 */
static char made_logdir[PATH_MAX];
static size_t kept_size;

/* The size of the part of a path that exists, with its last slash. */
static size_t existing_size(const char *path) {
  char above[PATH_MAX];
  size_t size = strlen(path);
  memcpy(above, path, size + 1);
  while (size > 0 && !is_folder(above)) {
    while (size > 0 && above[size - 1] == '/') size--;
    while (size > 0 && above[size - 1] != '/') size--;
    above[size] = '\0';
  }
  return size;
}

/* Creates a folder and those above it; remembers it first, so that a signal in between cleans up. */
static void make_logdir(const char *path) {
  size_t size = strlen(path);
  if (size >= sizeof made_logdir || is_folder(path)) return;
  kept_size = existing_size(path);
  memcpy(made_logdir, path, size + 1);
  for (size_t end = kept_size + 1; end <= size; end++) {
    char part[PATH_MAX];
    if (path[end] != '/' && path[end] != '\0') continue;
    memcpy(part, path, end);
    part[end] = '\0';
    (void)mkdir(part, 0777);
  }
}

/* A shared lock on the folder of --logdir: nobody removes it while another process has rights to it. -1: none. */
static int logdir_lock = -1;

/* True if the folder was removed before it was locked. */
static bool was_removed(void) {
  struct stat about;
  return logdir_lock >= 0 && flock(logdir_lock, LOCK_SH) == 0 && fstat(logdir_lock, &about) == 0 && about.st_nlink == 0;
}

static void enter_logdir(const char *path) {
  do {
    if (logdir_lock >= 0) (void)close(logdir_lock);
    make_logdir(path);
    logdir_lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  } while (was_removed());
}

/* Also allows removing created folders from the one above them. */
static void allow_logdir(const landlock_rules *rules, const char *path) {
  enter_logdir(path);
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
    while (size > kept_size && made_logdir[size - 1] == '/') size--;
    while (size > kept_size && made_logdir[size - 1] != '/') size--;
    made_logdir[size] = '\0';
  }
}

/* ---- Graphviz ---- */

/* Graphviz inherits the rights of this process. It reads and runs what it needs, and warns if it cannot cache fonts. */
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

/* ---- All of it ---- */

static void restrict_files(const cli_settings *settings, bool draws) {
  landlock_rules rules = landlock_begin();
  if (rules.descriptor < 0) return;
  allow_inputs(&rules, settings);
  if (settings->command->writes_logdir) allow_logdir(&rules, command_logdir(settings));
  if (command_has_file(settings)) allow_output(&rules, settings->output);
  if (draws) allow_graphviz(&rules);
  landlock_enforce(&rules);
}

void sandbox_enter(const cli_settings *settings) {
  bool draws = command_draws_picture(settings);
  tzset(); /* else libzip would read /etc/localtime later, for local times of entries */
  restrict_files(settings, draws);
  if (!draws) seccomp_enforce();
}
