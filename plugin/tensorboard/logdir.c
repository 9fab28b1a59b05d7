/* SPDX-License-Identifier: BSD-3-Clause
 *
 * logdir.c - the main job: run folders and DOT files for every entry point, all or nothing.
 */
#include "arena.h"
#include "dot.h"
#include "file_name.h"
#include "out_file.h"
#include "tb_event.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define EVENTS_PREFIX "events.out.tfevents."

/* A file of this call: written as temporary, then renamed to path. */
typedef struct output {
  char *folder, *path, *temporary;
  const char *entry_point; /* "edge/forward" */
  size_t graph;            /* of the profile that is being written */
  bool is_events, exists;  /* exists: the temporary one does */
} output;

typedef struct etr_logdir job;

struct etr_logdir {
  const etr_profile *profile; /* being written */
  const char *dump;           /* its ETDump, where there are several; else NULL */
  const etr_logdir_options *options;
  etr_arena arena;
  etr_vec(output) outputs;
  etr_map modules, paths;       /* module -> number of its folder; the outputs' paths */
  etr_vec(char *) made_folders; /* by this call, outermost first */
  char *root;                   /* LOGDIR/NAME; NULL before the first profile */
  etr_out_file *file;           /* what is being written: one after the other */
  etr_arena graph_arena;        /* of scopes */
  etr_scopes scopes;            /* of the graph that is being written, which both of its files are about */
  etr_error *error;
};

static etr_status fail_io(job *j, const char *path, const char *what) {
  return etr_fail(j->error, ETR_ERROR_IO, path, NULL, ETR_NO_OFFSET, "%s: %s", what, strerror(errno));
}

static etr_status out_of_memory(job *j) { return etr_fail(j->error, ETR_ERROR_MEMORY, NULL, NULL, ETR_NO_OFFSET, "out of memory"); }

/* ---- Names ---- */

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* In the folder of each of several ETDumps: says that it is ours to clean. */
static const char marker[] = ".etrecord-tb-dump";

/* The folder that the inputs lie in names the run: as the user called it, or, where that is "." or the like, as it is called. */
static char *default_name(job *j) {
  const char *input = j->profile->etrecord ? j->profile->etrecord : j->profile->etdump_count ? j->profile->etdumps[0] : "-";
  struct stat status;
  char *folder = etr_arena_copy(&j->arena, etr_slice_of(input));
  if (!folder) return NULL;
  bool is_folder = stat(folder, &status) == 0 && S_ISDIR(status.st_mode);
  if (!is_folder) folder[base_name(folder) - folder] = '\0';
  for (size_t size = strlen(folder); size > 1 && folder[size - 1] == '/';) folder[--size] = '\0';
  const char *base = base_name(folder);
  char *whole = base[0] == '\0' || base[0] == '.' ? realpath(folder[0] ? folder : ".", NULL) : NULL;
  if (whole) base = base_name(whole);
  char *name = etr_file_name(&j->arena, base[0] ? base : "record");
  free(whole);
  return name;
}

/* Folders are numbered by module, so that the graph tab opens the first. */
static uint32_t module_number(job *j, const char *module) {
  etr_slice key = etr_slice_of(module);
  uint32_t known = etr_map_get(&j->modules, key);
  if (known != ETR_NONE) return known;
  uint32_t number = (uint32_t)j->modules.count + 1;
  etr_map_set(&j->modules, key, number);
  return number;
}

static bool is_ours(const job *j, const char *path) { return etr_map_get(&j->paths, etr_slice_of(path)) != ETR_NONE; }

static bool add_output(job *j, size_t graph, char *folder, const char *file, bool is_events) {
  char *path = etr_arena_format(&j->arena, "%s/%s", folder ? folder : "", file ? file : "");
  if (path && is_ours(j, path)) path = etr_arena_format(&j->arena, "%s/%zu_%s", folder, graph + 1, file);
  char *temporary = etr_arena_format(&j->arena, "%s/.etrecord-tb.%ld.%zu.tmp", folder ? folder : "", j->options->pid, j->outputs.count);
  const etr_graph *g = &j->profile->graphs[graph];
  const char *entry_point = etr_arena_format(&j->arena, "%s/%s", g->module, g->method);
  bool named = path && temporary && entry_point && etr_map_set(&j->paths, etr_slice_of(path), 1);
  output *added = named ? etr_vec_push(&j->arena, &j->outputs) : NULL;
  if (added)
    *added = (output){.folder = folder, .path = path, .temporary = temporary, .entry_point = entry_point, .graph = graph, .is_events = is_events};
  return added != NULL;
}

static bool name_root(job *j) {
  const char *name = j->options->name ? etr_file_name(&j->arena, j->options->name) : default_name(j);
  j->root = name ? etr_arena_format(&j->arena, "%s/%s", j->options->logdir ? j->options->logdir : "runs", name) : NULL;
  return j->root != NULL;
}

/* "": a single ETDump, whose folders are right below the root; "/pixel8" of several. */
static const char *dump_folder(job *j) {
  const char *name = j->dump ? etr_file_name(&j->arena, j->dump) : NULL;
  return name ? etr_arena_format(&j->arena, "/%s", name) : j->dump ? NULL : "";
}

static bool name_outputs(job *j) {
  const etr_logdir_options *o = j->options;
  const char *host = etr_file_name(&j->arena, o->host && o->host[0] ? o->host : "localhost"), *dump = dump_folder(j);
  char *events = host ? etr_arena_format(&j->arena, EVENTS_PREFIX "%010lld.%s.%ld.0", (long long)o->wall_time, host, o->pid) : NULL;
  if (!events || !dump) return false;
  etr_map_init(&j->modules, &j->arena);
  for (size_t i = 0; i < j->profile->graph_count; i++) {
    const etr_graph *graph = &j->profile->graphs[i];
    const char *module = etr_file_name(&j->arena, graph->module), *method = etr_file_name(&j->arena, graph->method);
    if (!module || !method) return false;
    char *run = etr_arena_format(&j->arena, "%s%s/%u_%s/%s", j->root, dump, module_number(j, graph->module), module, method);
    char *dot = etr_arena_format(&j->arena, "%s/dot%s/%s", j->root, dump, module), *dot_file = etr_arena_format(&j->arena, "%s.dot", method);
    if (!add_output(j, i, run, events, true) || !add_output(j, i, dot, dot_file, false)) return false;
  }
  return true;
}

/* ---- Writing ---- */

/* Makes a folder and those above it, remembering which. */
static etr_status make_folders(job *j, const char *path) {
  char *partial = etr_arena_copy(&j->arena, etr_slice_of(path));
  if (!partial) return out_of_memory(j);
  for (char *at = partial + 1;; at++) {
    if (*at && *at != '/') continue;
    char kept = *at;
    *at = '\0';
    if (mkdir(partial, 0777) == 0) {
      char **slot = etr_vec_push(&j->arena, &j->made_folders);
      if (!slot) return out_of_memory(j);
      *slot = etr_arena_copy(&j->arena, etr_slice_of(partial));
    } else if (errno != EEXIST)
      return fail_io(j, partial, "cannot make this folder");
    if (!kept) return ETR_OK;
    *at = kept;
  }
}

/* What etr_out_file_fill() hands to emit_output(). */
typedef struct emission {
  job *job;
  const output *out;
} emission;

/* The given facts, behind the one that we know: they may say otherwise. */
static etr_status emit_events(job *j, const output *out, const etr_sink *sink, etr_error *error) {
  const etr_logdir_options *o = j->options;
  etr_hparam *hparams = etr_arena_alloc_array(&j->arena, o->hparam_count + 1, sizeof *hparams);
  size_t count = 0;
  if (!hparams) return out_of_memory(j);
  if (j->dump) hparams[count++] = (etr_hparam){.name = "etdump", .value = j->dump};
  for (size_t i = 0; i < o->hparam_count; i++) hparams[count++] = o->hparams[i];
  const etr_events_options options = {.wall_time = o->wall_time, .hparams = hparams, .hparam_count = count};
  return etr_tb_events_write(j->profile, out->graph, &j->scopes, &options, sink, error);
}

static etr_status emit_output(void *context, const etr_sink *sink, etr_error *error) {
  const emission *e = context;
  if (e->out->is_events) return emit_events(e->job, e->out, sink, error);
  const etr_dot_options options = {.depth = e->job->options->dot_depth};
  return etr_dot_write(e->job->profile, e->out->graph, &e->job->scopes, &options, sink, error);
}

/* A folder that has the file's name is found out before anything is put in place. */
static bool is_folder(const char *path) {
  struct stat status;
  return lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static etr_status write_output(job *j, output *out) {
  ETR_TRY(make_folders(j, out->folder));
  if (is_folder(out->path)) {
    errno = EISDIR;
    return fail_io(j, out->path, "cannot write this file");
  }
  if (!etr_out_file_make(j->file, out->temporary)) return fail_io(j, out->folder, "cannot write into this folder");
  out->exists = true;
  return etr_out_file_fill(j->file, out->path, emit_output, &(emission){j, out}, j->error);
}

/* outputs: the two of one graph. */
static etr_status write_graph(job *j, output *outputs) {
  if (etr_scopes_build(&j->scopes, &j->graph_arena, &j->profile->graphs[outputs->graph]) != ETR_OK) return out_of_memory(j);
  ETR_TRY(write_output(j, &outputs[0]));
  ETR_TRY(write_output(j, &outputs[1]));
  etr_arena_clear(&j->graph_arena);
  return ETR_OK;
}

/* ---- Putting in place ---- */

typedef void (*visitor)(job *j, const char *folder, const char *name);

static void each_entry(job *j, const char *folder, visitor visit) {
  DIR *directory = opendir(folder);
  if (!directory) return;
  for (const struct dirent *entry; (entry = readdir(directory));)
    if (entry->d_name[0] != '.') visit(j, folder, entry->d_name);
  closedir(directory);
}

static void remove_stale_events(job *j, const char *folder, const char *name) {
  char *path = etr_arena_format(&j->arena, "%s/%s", folder, name);
  if (path && strncmp(name, EVENTS_PREFIX, sizeof EVENTS_PREFIX - 1) == 0 && !is_ours(j, path)) unlink(path);
}

static void clean_method_folder(job *j, const char *folder, const char *name) {
  char *path = etr_arena_format(&j->arena, "%s/%s", folder, name);
  if (!path) return;
  each_entry(j, path, remove_stale_events);
  rmdir(path); /* succeeds only where nothing is left */
}

/* NUMBER_MODULE folders are ours: an earlier call may have numbered modules otherwise. */
static void clean_module_folder(job *j, const char *folder, const char *name) {
  size_t digits = strspn(name, "0123456789");
  char *path = digits && name[digits] == '_' ? etr_arena_format(&j->arena, "%s/%s", folder, name) : NULL;
  if (!path) return;
  each_entry(j, path, clean_method_folder);
  rmdir(path);
}

static bool has_marker(job *j, const char *folder) {
  const char *path = etr_arena_format(&j->arena, "%s/%s", folder, marker);
  struct stat status;
  return path && lstat(path, &status) == 0;
}

/* Marks the folder of an ETDump, unless it is marked. */
static etr_status mark_folder(job *j, const char *folder) {
  const char *path = etr_arena_format(&j->arena, "%s/%s", folder, marker);
  if (!path) return out_of_memory(j);
  int descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor < 0 || close(descriptor) != 0) return fail_io(j, path, "cannot write this file");
  return ETR_OK;
}

/* True if this call writes into a folder. */
static bool is_written_into(const job *j, const char *folder) {
  size_t size = strlen(folder);
  for (size_t i = 0; i < j->outputs.count; i++) {
    const char *path = j->outputs.data[i].path;
    if (strncmp(path, folder, size) == 0 && path[size] == '/') return true;
  }
  return false;
}

/* Folders of ETDumps that an earlier call wrote; those that nothing is left in go. */
static void clean_dump_folder(job *j, const char *folder, const char *name) {
  char *path = etr_arena_format(&j->arena, "%s/%s", folder, name);
  if (!path || !has_marker(j, path)) return;
  each_entry(j, path, clean_module_folder);
  const char *mark = etr_arena_format(&j->arena, "%s/%s", path, marker);
  if (mark && !is_written_into(j, path) && unlink(mark) == 0) rmdir(path);
}

static etr_status put_in_place(job *j) {
  for (size_t i = 0; i < j->outputs.count; i++) {
    output *out = &j->outputs.data[i];
    if (rename(out->temporary, out->path) != 0) return fail_io(j, out->path, "cannot put this file in place");
    out->exists = false;
  }
  each_entry(j, j->root, clean_module_folder);
  each_entry(j, j->root, clean_dump_folder);
  return ETR_OK;
}

static void clean_up(job *j) {
  for (size_t i = 0; i < j->outputs.count; i++)
    if (j->outputs.data[i].exists) unlink(j->outputs.data[i].temporary);
  for (size_t i = j->made_folders.count; i > 0; i--) {
    const char *made = j->made_folders.data[i - 1], *mark = made ? etr_arena_format(&j->arena, "%s/%s", made, marker) : NULL;
    if (mark) unlink(mark);
    if (made) rmdir(made);
  }
}

/* ---- The whole ---- */

etr_status etr_logdir_begin(etr_logdir **out, const etr_logdir_options *options, etr_error *error) {
  static const etr_logdir_options defaults = {0};
  etr_error_clear(error);
  *out = calloc(1, sizeof **out);
  if (!*out) return etr_fail(error, ETR_ERROR_MEMORY, NULL, NULL, ETR_NO_OFFSET, "out of memory");
  (*out)->options = options ? options : &defaults;
  etr_map_init(&(*out)->paths, &(*out)->arena);
  return ETR_OK;
}

etr_status etr_logdir_add(etr_logdir *j, const etr_profile *profile, const char *dump, etr_error *error) {
  size_t first = j->outputs.count;
  etr_error_clear(error);
  j->error = error;
  j->profile = profile;
  j->dump = dump;
  if (profile->graph_count == 0)
    return etr_fail(error, ETR_ERROR_CHOICE, profile->etdump_count ? profile->etdumps[0] : NULL, NULL, ETR_NO_OFFSET,
                    "there is no graph to write: an ETDump alone has none, give its ETRecord too");
  if (!j->file) j->file = etr_arena_alloc(&j->arena, sizeof *j->file);
  if (!j->file || (!j->root && !name_root(j)) || !name_outputs(j)) return out_of_memory(j);
  for (size_t i = first; i < j->outputs.count; i += 2) ETR_TRY(write_graph(j, &j->outputs.data[i]));
  const char *folder = dump_folder(j);
  if (!folder) return out_of_memory(j);
  return dump ? mark_folder(j, etr_arena_format(&j->arena, "%s%s", j->root, folder)) : ETR_OK;
}

etr_status etr_logdir_finish(etr_logdir *j, etr_error *error) {
  etr_error_clear(error);
  j->error = error;
  etr_status status = j->outputs.count ? put_in_place(j) : ETR_OK;
  if (status != ETR_OK) clean_up(j);
  for (size_t i = 0; status == ETR_OK && j->options->on_file && i < j->outputs.count; i++) {
    const output *out = &j->outputs.data[i];
    j->options->on_file(j->options->context, out->path, out->entry_point, out->is_events ? "events" : "dot");
  }
  etr_arena_clear(&j->graph_arena);
  etr_arena_clear(&j->arena);
  free(j);
  return status;
}

void etr_logdir_discard(etr_logdir *j) {
  if (!j) return;
  clean_up(j);
  etr_arena_clear(&j->graph_arena);
  etr_arena_clear(&j->arena);
  free(j);
}

etr_status etr_write_logdir(const etr_profile *profile, const etr_logdir_options *options, etr_error *error) {
  etr_logdir *logdir;
  ETR_TRY(etr_logdir_begin(&logdir, options, error));
  etr_status status = etr_logdir_add(logdir, profile, NULL, error);
  if (status == ETR_OK) return etr_logdir_finish(logdir, error);
  etr_logdir_discard(logdir);
  return status;
}
