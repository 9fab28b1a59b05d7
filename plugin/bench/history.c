/* SPDX-License-Identifier: BSD-3-Clause
 *
 * history.c - locks the folder of a name, makes the folder of a bench, reads and writes the file of
 * lines.
 */
#define _DEFAULT_SOURCE /* flock() */
#include "base/system.h"
#include "bench/job.h"
#include "command/ending.h"
#include "command/flat_json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define HISTORY_FILE "history.jsonl"
#define LOCK_FILE                                                                                  \
  ".etrecord-tb.bench" /* a bench holds its lock; hidden, and removed at the end                   \
                        */

enum { ATTEMPTS = 100, MOST_HISTORY_BYTES = 256 << 20 };

/* ---- Files of an unfinished bench ---- */

/* The bench whose files a signal handler removes; handlers get no context. */
static bench_history *volatile unfinished;

static void remove_files(const bench_history *history) {
  for (size_t i = history->file_count; i > 0; i--)
    if (unlink(history->files[i - 1]) != 0)
      (void)rmdir(history->files[i - 1]);
}

static void remove_unfinished(void) {
  if (unfinished != NULL)
    remove_files(unfinished);
}

static void path_of(const bench_history *history, const char *file, char path[PATH_MAX]) {
  (void)snprintf(path, PATH_MAX, "%.*s/%s", PATH_MAX - 32, history->folder, file);
}

static bool add_file(bench_history *history, const char *path) {
  char *copy = strdup(path);
  if (copy != NULL)
    history->files[history->file_count++] = copy;
  return copy != NULL;
}

static bool note_dumps(bench_history *history, const char *folder, size_t count) {
  char path[PATH_MAX], name[64];
  bool noted = true;
  for (size_t i = 0; noted && i < count; i++) {
    (void)snprintf(name, sizeof name, "%setdump-%zu.etdp", folder, i + 1);
    history_path(history, history->run, name, path);
    noted = add_file(history, path);
  }
  return noted;
}

static bool note_file(bench_history *history, const char *name) {
  char path[PATH_MAX];
  history_path(history, history->run, name, path);
  size_t size = strlen(path);
  if (path[size - 1] == '/')
    path[size - 1] = '\0';
  return add_file(history, path);
}

/* Lists the files of this bench. Folders come first, because files are removed from the last to the
 * first. */
static bool note_files(bench_history *history, size_t dump_count, bool has_base) {
  char path[PATH_MAX];
  history->files = calloc(2 * dump_count + 7, sizeof *history->files);
  if (history->files == NULL)
    return false;
  (void)snprintf(path, sizeof path, "%.*s", (int)(strrchr(history->folder, '/') - history->folder),
                 history->folder);
  bool noted = !history->made_logdir || add_file(history, path);
  noted = noted && (!history->made_folder || add_file(history, history->folder));
  path_of(history, LOCK_FILE, path);
  noted = noted && add_file(history, path);
  noted = noted && note_file(history, "") && note_file(history, "profile.json");
  noted = noted && (!has_base || note_file(history, "base"));
  history->first_dump = history->file_count;
  history->dump_count = dump_count;
  noted = noted && note_dumps(history, "", dump_count);
  noted = noted && (!has_base || note_dumps(history, "base/", dump_count));
  return noted && note_file(history, "warm-up.etdp");
}

const char *history_dump(const bench_history *history, size_t index) {
  return history->files[history->first_dump + index];
}

const char *history_base_dump(const bench_history *history, size_t index) {
  return history_dump(history, history->dump_count + index);
}

const char *history_spare(const bench_history *history) {
  return history->files[history->file_count - 1];
}

/* ---- Opening ---- */

void history_path(const bench_history *history, const char *run, const char *file,
                  char path[PATH_MAX]) {
  (void)snprintf(path, PATH_MAX, "%.*s/%s/%s", PATH_MAX - 256, history->folder, run, file);
}

/* Makes the folder and the folders above it. */
static bool make_folders(bench_history *history) {
  bool is_new = false;
  for (char *at = history->folder + 1; *at != '\0'; at++) {
    char slash = *at;
    if (!etr_is_slash(slash))
      continue;
    *at = '\0';
    is_new = mkdir(history->folder, 0777) == 0;
    *at = slash;
  }
  history->made_logdir |= is_new;
  is_new = mkdir(history->folder, 0777) == 0;
  history->made_folder |= is_new;
  return is_new || errno == EEXIST;
}

/* Makes the folder and locks it for benches, and tries again if another process removed the folder
 * or the file of the lock before it was locked. The folder's own lock is left to those who write
 * run folders into it, which does not take long. */
static exit_status take_folder(bench_history *history) {
  struct stat opened, named;
  char path[PATH_MAX];
  path_of(history, LOCK_FILE, path);
  for (int i = 0; i < ATTEMPTS; i++) {
    if (!make_folders(history))
      return message_failed("%s: cannot make this folder: %s", history->folder, strerror(errno));
    history->lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (history->lock < 0 && errno == ENOENT)
      continue;
    if (history->lock < 0)
      return message_failed("%s: cannot open this file: %s", path, strerror(errno));
    bool is_free = flock(history->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (is_free && fstat(history->lock, &opened) == 0 && lstat(path, &named) == 0 &&
        opened.st_ino == named.st_ino && opened.st_dev == named.st_dev)
      return EXIT_DONE;
    (void)close(history->lock);
    history->lock = -1;
    if (!is_free)
      return message_failed(
          "%s: another bench of this name is running: wait until it ends, or choose another --name",
          history->folder);
  }
  return message_failed("%s: other processes keep removing this folder", history->folder);
}

/* ---- The file ---- */

/* Reads a file whole. Returns NULL on failure and sets errno. */
static char *read_all(FILE *file, size_t *size) {
  struct stat about = {.st_mode = 0};
  bool fits = fstat(fileno(file), &about) == 0 && about.st_size <= MOST_HISTORY_BYTES;
  errno = EFBIG;
  char *bytes = fits ? calloc(1, (size_t)about.st_size + 2) : NULL;
  size_t got = bytes != NULL ? fread(bytes, 1, (size_t)about.st_size, file) : 0;
  if (got > 0 && bytes[got - 1] != '\n')
    bytes[got++] = '\n'; /* the last line was cut off; appended text begins a new line */
  *size = got;
  return bytes;
}

/* Returns a copy without NULs, in which lines with a NUL are damaged. Returns NULL when out of
 * memory. */
static char *text_of(const char *bytes, size_t size) {
  char *text = calloc(1, size + 1);
  if (text == NULL)
    return NULL;
  memcpy(text, bytes, size);
  for (size_t i = 0, line = 0; i < size; i++) {
    if (text[i] == '\n')
      line = i + 1;
    if (text[i] == '\0')
      text[i] = text[line] = '?';
  }
  return text;
}

/* Reads the history before any program runs, because a file that cannot be read could not be
 * replaced. */
static exit_status read_file(bench_history *history) {
  char path[PATH_MAX];
  const char *reason;
  path_of(history, HISTORY_FILE, path);
  FILE *file = command_open_file(path, &reason);
  if (file == NULL && errno != ENOENT)
    return message_failed("%s: cannot open this file: %s", path, reason);
  history->bytes = file != NULL ? read_all(file, &history->size) : calloc(1, 1);
  if (file != NULL)
    (void)fclose(file);
  if (history->bytes == NULL)
    return message_failed("%s: cannot read this file: %s", path, strerror(errno));
  history->text = text_of(history->bytes, history->size);
  return history->text != NULL ? EXIT_DONE : message_failed("out of memory");
}

/* ---- The folder of a bench ---- */

/* Makes the folder of this bench. Two benches in one second get different folders. */
static exit_status make_run_folder(bench_history *history) {
  char path[PATH_MAX], stamp[BENCH_RUN_ROOM / 2 + 8], member[BENCH_RUN_ROOM + 16];
  time_t now = time(NULL);
  struct tm parts;
  if (gmtime_r(&now, &parts) == NULL)
    parts = (struct tm){.tm_mday = 1};
  (void)strftime(stamp, sizeof stamp, "%Y-%m-%d_%H-%M-%S", &parts);
  for (unsigned i = 1; i < ATTEMPTS; i++) {
    (void)snprintf(history->run, sizeof history->run, i > 1 ? "%s~%u" : "%s", stamp, i);
    history_path(history, history->run, "", path);
    (void)snprintf(member, sizeof member, "\"run\": \"%s\"", history->run);
    if (strstr(history->text, member) != NULL)
      continue; /* an earlier bench, whose folder may have been removed */
    if (mkdir(path, 0777) == 0)
      return EXIT_DONE;
    if (errno != EEXIST)
      break;
  }
  return message_failed("%s: cannot make this folder: %s", path, strerror(errno));
}

exit_status history_open(bench_history *history, const char *logdir, const char *name,
                         size_t dump_count, bool has_base) {
  *history = (bench_history){.lock = -1};
  int size = snprintf(history->folder, sizeof history->folder, "%s/%s", logdir, name);
  if (strlen(name) >= sizeof history->name || size < 0 || size >= PATH_MAX - 256)
    return message_failed("%s/%s: this path is too long", logdir, name);
  (void)snprintf(history->name, sizeof history->name, "%s", name);
  exit_status status = take_folder(history);
  if (status == EXIT_DONE)
    status = read_file(history);
  if (status == EXIT_DONE)
    status = make_run_folder(history);
  if (status == EXIT_DONE && !note_files(history, dump_count, has_base))
    status = message_failed("out of memory");
  if (status != EXIT_DONE)
    return status;
  unfinished = history;
  ending_set_cleanup(remove_unfinished);
  char path[PATH_MAX]; /* of the base, so that each folder has the recordings of one program */
  history_path(history, history->run, "base", path);
  return !has_base || mkdir(path, 0777) == 0
             ? EXIT_DONE
             : message_failed("%s: cannot make this folder: %s", path, strerror(errno));
}

void history_keep(bench_history *history) {
  ending_set_cleanup(NULL);
  unfinished = NULL;
  history->made_folder = false;
  history->keeps = true;
}

void history_close(bench_history *history) {
  char path[PATH_MAX];
  ending_set_cleanup(NULL);
  unfinished = NULL;
  if (!history->keeps)
    remove_files(history);
  path_of(history, LOCK_FILE, path);
  if (history->lock >= 0 && (history->keeps || history->file_count == 0))
    (void)unlink(path);
  if (history->file_count == 0 && history->made_folder)
    (void)rmdir(history->folder);
  for (size_t i = 0; i < history->file_count; i++)
    free(history->files[i]);
  free(history->files);
  free(history->text);
  free(history->bytes);
  if (history->lock >= 0)
    (void)close(history->lock);
  *history = (bench_history){.lock = -1};
}

/* ---- Lines ---- */

void history_warn(const bench_history *history) {
  char path[PATH_MAX];
  size_t number = 1, others = 0, first = 0;
  for (const char *at = history->text; *at != '\0'; number++) {
    if (!flat_json_is_object(at) && others++ == 0)
      first = number;
    at += strcspn(at, "\n");
    at += *at == '\n';
  }
  path_of(history, HISTORY_FILE, path);
  if (others > 0)
    message_warning(
        "%s: line %zu is damaged%s: damaged lines stay in the file and are excluded from the trend",
        path, first, others > 1 ? ", and so are others" : "");
}

const char *history_line(const char **at) {
  while (**at != '\0') {
    const char *line = *at;
    *at += strcspn(line, "\n");
    *at += **at == '\n';
    if (flat_json_is_object(line))
      return line;
  }
  return NULL;
}

typedef struct two_texts {
  const bench_history *history;
  const char *lines;
} two_texts;

static etr_status emit_two(void *context, const etr_sink *sink, etr_error *error) {
  const two_texts *texts = context;
  if (sink->write(sink->context, texts->history->bytes, texts->history->size) &&
      sink->write(sink->context, texts->lines, strlen(texts->lines)))
    return ETR_OK;
  return message_fail(error, ETR_ERROR_IO, "cannot write the history");
}

exit_status history_append(bench_history *history, const char *lines) {
  char path[PATH_MAX];
  etr_error error;
  path_of(history, HISTORY_FILE, path);
  if (etr_write_file(path, emit_two, &(two_texts){history, lines}, &error) != ETR_OK)
    return message_error(&error);
  return EXIT_DONE;
}
