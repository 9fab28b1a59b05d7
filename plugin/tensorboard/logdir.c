/* SPDX-License-Identifier: BSD-3-Clause
 *
 * logdir.c - the main job: run folders and DOT files for every entry point, all or nothing.
 */
#include "tensorboard/logdir.h"

#include "base/file.h"
#include "dot/dot.h"
#include "output/below.h"
#include "output/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* Emptied event files that stay in a run folder: TensorBoard looks for a newer one only while the one that it has read
 * last is there, whatever is in it. So many times a run may be written between two looks. */
enum { MOST_EMPTIED = 7 };

typedef struct etr_logdir job;

struct etr_logdir {
  const etr_profile *profile; /* being written */
  const char *dump;           /* its ETDump, where there are several; else NULL */
  const etr_logdir_options *options;
  etr_arena arena;
  etr_run_folder folder; /* path NULL: before the first profile */
  bool is_first;         /* there was no manifest */
  etr_unfinished made;
  etr_logdir_names names;
  etr_out_file file;     /* what is being written: one after the other */
  etr_limited limited;   /* what is written of all files */
  etr_arena graph_arena; /* of scopes */
  etr_scopes scopes;     /* of the graph that is being written, which both of its files are about */
  etr_error *error;
};

static const char *shown_path(job *j, const char *path) {
  const char *shown = etr_arena_format(&j->arena, "%s/%s", j->folder.path, path);
  return shown ? shown : path;
}

/* For errno, which making the path shown may change. */
static etr_status fail_at(job *j, const char *path, const char *what) {
  int reason = errno;
  return etr_fail_io(j->error, shown_path(j, path), NULL, what, reason);
}

/* ---- Writing ---- */

/* What etr_out_file_fill() hands to emit_file(). */
typedef struct emission {
  job *job;
  const etr_logdir_file *file;
} emission;

/* The given facts, behind the one that we know: they may say otherwise. */
static etr_status emit_events(job *j, const etr_logdir_file *file, const etr_sink *sink, etr_error *error) {
  const etr_logdir_options *o = j->options;
  etr_tag *hparams = etr_arena_alloc_array(&j->arena, o->hparam_count + 1, sizeof *hparams);
  size_t count = 0;
  if (!hparams) return etr_fail_memory(j->error);
  if (j->dump) hparams[count++] = (etr_tag){.name = "etdump", .value = j->dump};
  for (size_t i = 0; i < o->hparam_count; i++) hparams[count++] = o->hparams[i];
  const etr_events_options options = {.wall_time = o->wall_time, .hparams = hparams, .hparam_count = count};
  const etr_tb_entry entry = {.graph = file->graph, .scopes = &j->scopes, .tells_record = file->tells_record};
  return etr_tb_events_write(j->profile, &entry, &options, sink, error);
}

static etr_status emit_file(void *context, const etr_sink *sink, etr_error *error) {
  const emission *e = context;
  if (e->file->is_events) return emit_events(e->job, e->file, sink, error);
  const etr_dot_options options = {.depth = e->job->options->dot_depth};
  return etr_dot_write(e->job->profile, e->file->graph, &e->job->scopes, &options, sink, error);
}

/* The manifest may be lost: a copy without hidden files has none. */
static bool looks_like_ours(job *j, const char *path) {
  static const char start[] = "digraph etrecord {";
  char head[sizeof start - 1];
  const char *name;
  int folder = j->is_first ? etr_below_open(j->folder.descriptor, path, &name) : -1;
  int file = folder >= 0 ? openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
  bool is_ours = file >= 0 && read(file, head, sizeof head) == (ssize_t)sizeof head &&
                 memcmp(head, start, sizeof head) == 0;
  if (file >= 0) (void)close(file);
  if (folder >= 0) (void)close(folder);
  return is_ours;
}

/* What lies where a file is to go is found out before anything is put in place. */
static etr_status check_place(job *j, const char *path) {
  struct stat status;
  if (!etr_below_stat(j->folder.descriptor, path, &status))
    return errno == ENOENT ? ETR_OK : fail_at(j, path, "cannot write this file");
  if (S_ISREG(status.st_mode) && (etr_run_folder_lists(&j->folder, path) || looks_like_ours(j, path))) return ETR_OK;
  errno = EISDIR;
  if (S_ISDIR(status.st_mode)) return fail_at(j, path, "cannot write this file");
  return etr_fail(j->error, ETR_ERROR_IO, shown_path(j, path), NULL, ETR_NO_OFFSET,
                  "not written by etrecord-tb, and not replaced: move it away, or choose another --name");
}

static etr_status write_file(job *j, const etr_logdir_file *file) {
  ETR_TRY(check_place(j, file->path));
  if (!etr_unfinished_add(&j->made, &j->arena, j->folder.descriptor, file->temporary, false))
    return etr_fail_memory(j->error);
  if (!etr_out_file_make(&j->file, j->folder.descriptor, file->temporary))
    return etr_fail(j->error, ETR_ERROR_IO, j->folder.path, NULL, ETR_NO_OFFSET, "cannot write into this folder: %s",
                    strerror(errno));
  j->limited.context = &(emission){j, file};
  return etr_out_file_fill(&j->file, shown_path(j, file->path), etr_emit_limited, &j->limited, j->error);
}

/* files: the two of one graph. */
static etr_status write_graph(job *j, const etr_logdir_file *files) {
  if (etr_scopes_build(&j->scopes, &j->graph_arena, &j->profile->graphs[files->graph]) != ETR_OK)
    return etr_fail_memory(j->error);
  ETR_TRY(write_file(j, &files[0]));
  ETR_TRY(write_file(j, &files[1]));
  etr_arena_clear(&j->graph_arena);
  return ETR_OK;
}

/* ---- Putting in place ---- */

static etr_status place(job *j, const etr_logdir_file *file) {
  if (file->is_events && !etr_unfinished_add(&j->made, &j->arena, j->folder.descriptor, file->path, false))
    return etr_fail_memory(j->error);
  return etr_below_move(j->folder.descriptor, file->temporary, file->path)
             ? ETR_OK
             : fail_at(j, file->path, "cannot put this file in place");
}

static etr_status place_all(job *j, bool events) {
  for (size_t i = 0; i < j->names.files.count; i++)
    if (j->names.files.data[i].is_events == events) ETR_TRY(place(j, &j->names.files.data[i]));
  return ETR_OK;
}

static etr_status note_files(job *j) {
  for (size_t i = 0; i < j->names.files.count; i++)
    if (!etr_run_folder_list(&j->folder, j->names.files.data[i].path)) return etr_fail_memory(j->error);
  return etr_run_folder_note(&j->folder, &j->file, j->error);
}

/* Event files first: those can be taken back, being new. */
static etr_status put_in_place(job *j) {
  for (size_t i = 0; i < j->names.files.count; i++)
    ETR_TRY(etr_run_folder_make(&j->folder, j->names.files.data[i].path, j->error));
  ETR_TRY(note_files(j));
  ETR_TRY(place_all(j, true));
  return place_all(j, false);
}

/* ---- What earlier calls wrote ---- */

/* By a new file, so that a reader, or another name of the old one, keeps what it has. */
static void empty_file(job *j, const char *path) {
  char name[ETR_TEMPORARY_ROOM];
  if (!etr_temporary_name(name, ETR_TEMPORARY_OF_RUN_FOLDER) ||
      !etr_out_file_make(&j->file, j->folder.descriptor, name))
    return;
  (void)close(j->file.descriptor);
  if (!etr_below_move(j->folder.descriptor, name, path)) (void)unlinkat(j->folder.descriptor, name, 0);
}

/* Keeps the names of the last emptied files of a folder that something new was written into. */
static bool is_to_stay(etr_map *folders, const char *path) {
  etr_slice folder = etr_logdir_folder(path);
  uint32_t kept = etr_map_get(folders, folder);
  return kept < MOST_EMPTIED && etr_map_set(folders, folder, kept + 1);
}

/* path: of an earlier call; later ones were retired before it. DOT files stay: somebody may have a use for them. */
static void retire(job *j, etr_map *folders, const char *path) {
  struct stat status;
  int64_t seconds;
  bool is_there = etr_below_stat(j->folder.descriptor, path, &status) && S_ISREG(status.st_mode);
  bool is_ending = is_there && etr_logdir_is_events(path, &seconds),
       stays = is_there && (!is_ending || is_to_stay(folders, path));
  if (is_ending && stays && status.st_size > 0) empty_file(j, path);
  if (is_ending && !stays) (void)etr_below_remove(j->folder.descriptor, path, false);
  if (stays) return;
  etr_run_folder_unlist(&j->folder, path);
  etr_run_folder_prune(&j->folder, path);
}

/* Everything is in place: what fails here is only left for the next call. */
static void retire_all(job *j) {
  etr_map folders, written;
  etr_map_init(&folders, &j->arena);
  etr_map_init(&written, &j->arena);
  for (size_t i = 0; i < j->names.files.count; i++) {
    const char *path = j->names.files.data[i].path;
    if (!etr_map_set(&written, etr_slice_of(path), 1) || !etr_map_set(&folders, etr_logdir_folder(path), 0)) return;
  }
  for (size_t i = j->folder.paths.count; i > 0; i--)
    if (etr_map_get(&written, etr_slice_of(j->folder.paths.data[i - 1])) == ETR_NONE)
      retire(j, &folders, j->folder.paths.data[i - 1]);
  (void)etr_run_folder_note(&j->folder, &j->file, NULL);
}

/* ---- The whole ---- */

etr_status etr_logdir_begin(etr_logdir **out, const etr_logdir_options *options, etr_error *error) {
  static const etr_logdir_options defaults = {0};
  etr_error_clear(error);
  *out = calloc(1, sizeof **out);
  if (!*out) return etr_fail_memory(error);
  (*out)->options = options ? options : &defaults;
  (*out)->folder.descriptor = -1;
  (*out)->limited = (etr_limited){.emit = emit_file, .max_bytes = (*out)->options->max_bytes};
  etr_unfinished_begin(&(*out)->made);
  etr_logdir_names_init(&(*out)->names, &(*out)->arena, (*out)->options);
  return ETR_OK;
}

/* New event files are called by a later time than those before, whatever the clock says: TensorBoard reads them in the
 * order of their names. */
static etr_status open_folder(job *j) {
  const char *name = etr_logdir_name(&j->arena, j->options, j->profile);
  if (!name) return etr_fail_memory(j->error);
  ETR_TRY(etr_run_folder_open(&j->folder, j->options->logdir ? j->options->logdir : "runs", name, &j->arena, &j->made,
                              j->error));
  j->is_first = !j->folder.has_manifest;
  for (size_t i = 0; i < j->folder.paths.count; i++) {
    int64_t seconds;
    if (etr_logdir_is_events(j->folder.paths.data[i], &seconds) && seconds >= j->names.seconds)
      j->names.seconds = seconds + 1;
  }
  return ETR_OK;
}

/* "edge, aten": each once, as graphs of a module stand together. NULL when out of memory. */
static const char *list_modules(job *j) {
  const char *list = "";
  for (size_t i = 0; i < j->profile->graph_count && list; i++) {
    const char *module = j->profile->graphs[i].module;
    if (i == 0 || strcmp(module, j->profile->graphs[i - 1].module) != 0)
      list = etr_arena_format(&j->arena, "%s%s%s", list, i ? ", " : "", module);
  }
  return list;
}

static bool has_module(const etr_profile *profile, const char *name) {
  for (size_t i = 0; i < profile->graph_count; i++)
    if (strcmp(profile->graphs[i].module, name) == 0) return true;
  return false;
}

/* Each name that is given has to be there: others are misspelt, or of another record. */
static etr_status check_graphs(job *j) {
  for (const char *at = j->options->graphs; at;) {
    size_t size = strcspn(at, ",");
    const char *name = etr_arena_copy(&j->arena, (etr_slice){at, size}), *there = list_modules(j);
    if (!name || !there) return etr_fail_memory(j->error);
    if (!has_module(j->profile, name))
      return etr_fail(j->error, ETR_ERROR_CHOICE, j->profile->etrecord, NULL, ETR_NO_OFFSET,
                      "there is no graph \"%.*s\"; there are: %s", ETR_HEAD(name, 80), there);
    at = at[size] ? at + size + 1 : NULL;
  }
  return ETR_OK;
}

etr_status etr_logdir_add(etr_logdir *j, const etr_profile *profile, const char *dump, etr_error *error) {
  size_t first = j->names.files.count;
  etr_error_clear(error);
  j->error = error;
  j->profile = profile;
  j->dump = dump;
  if (profile->graph_count == 0)
    return etr_fail(error, ETR_ERROR_CHOICE, profile->etdump_count ? profile->etdumps[0] : NULL, NULL, ETR_NO_OFFSET,
                    "no graph to write: an ETDump has none; add its ETRecord");
  ETR_TRY(check_graphs(j));
  if (!j->folder.path) ETR_TRY(open_folder(j));
  if (!etr_logdir_names_add(&j->names, profile, dump)) return etr_fail_memory(j->error);
  for (size_t i = first; i < j->names.files.count; i += 2) ETR_TRY(write_graph(j, &j->names.files.data[i]));
  return ETR_OK;
}

static void end(job *j) {
  etr_unfinished_end(&j->made);
  etr_run_folder_close(&j->folder);
  etr_arena_clear(&j->graph_arena);
  etr_arena_clear(&j->arena);
  free(j);
}

static void tell_of_files(job *j) {
  for (size_t i = 0; i < j->names.files.count; i++) {
    const etr_logdir_file *file = &j->names.files.data[i];
    j->options->on_file(j->options->context, shown_path(j, file->path), file->entry_point,
                        file->is_events ? "events" : "dot");
  }
}

/* A signal that ends the process comes before all of it or behind: all files are new then, or none. */
static etr_status put_in_place_undisturbed(job *j) {
  sigset_t all, before;
  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);
  etr_status status = put_in_place(j);
  if (status == ETR_OK)
    retire_all(j);
  else
    etr_unfinished_remove(&j->made);
  etr_unfinished_end(&j->made);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  return status;
}

etr_status etr_logdir_finish(etr_logdir *j, etr_error *error) {
  etr_error_clear(error);
  j->error = error;
  etr_status status = j->names.files.count ? put_in_place_undisturbed(j) : ETR_OK;
  if (status == ETR_OK && j->options->on_file) tell_of_files(j);
  end(j);
  return status;
}

void etr_logdir_discard(etr_logdir *j) {
  if (!j) return;
  etr_unfinished_remove(&j->made);
  end(j);
}

etr_status etr_write_logdir(const etr_profile *profile, const etr_logdir_options *options, etr_error *error) {
  etr_logdir *logdir;
  ETR_TRY(etr_logdir_begin(&logdir, options, error));
  etr_status status = etr_logdir_add(logdir, profile, NULL, error);
  if (status == ETR_OK) return etr_logdir_finish(logdir, error);
  etr_logdir_discard(logdir);
  return status;
}
