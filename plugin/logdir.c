/* SPDX-License-Identifier: BSD-3-Clause
 *
 * logdir.c - the main job: run folders and DOT files for every entry point, all or nothing.
 */
#include "arena.h"
#include "etrecord_tb.h"
#include "file_name.h"
#include "out_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define EVENTS_PREFIX "events.out.tfevents."

/* A file of this call: written as temporary, then renamed to path. */
typedef struct output {
  char *folder, *path, *temporary;
  size_t graph;
  bool is_events, exists; /* exists: the temporary one does */
} output;

typedef struct job {
  const etr_profile *profile;
  const etr_logdir_options *options;
  etr_arena arena;
  etr_vec(output) outputs;
  etr_map modules, paths;       /* module -> number of its folder; the outputs' paths */
  etr_vec(char *) made_folders; /* by this call, outermost first */
  char *root;                   /* LOGDIR/NAME */
  etr_out_file *file;              /* what is being written: one after the other */
  etr_error *error;
} job;

static etr_status fail_io(job *j, const char *path, const char *what) {
  return etr_fail(j->error, ETR_ERROR_IO, path, NULL, ETR_NO_OFFSET, "%s: %s", what, strerror(errno));
}

static etr_status out_of_memory(job *j) { return etr_fail(j->error, ETR_ERROR_MEMORY, NULL, NULL, ETR_NO_OFFSET, "out of memory"); }

/* ---- Names ---- */

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

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
  output *added = path && temporary && etr_map_set(&j->paths, etr_slice_of(path), 1) ? etr_vec_push(&j->arena, &j->outputs) : NULL;
  if (added) *added = (output){.folder = folder, .path = path, .temporary = temporary, .graph = graph, .is_events = is_events};
  return added != NULL;
}

static bool name_outputs(job *j) {
  const etr_logdir_options *o = j->options;
  const char *name = o->name ? etr_file_name(&j->arena, o->name) : default_name(j);
  const char *host = etr_file_name(&j->arena, o->host && o->host[0] ? o->host : "localhost");
  j->root = name ? etr_arena_format(&j->arena, "%s/%s", o->logdir ? o->logdir : "runs", name) : NULL;
  char *events = host ? etr_arena_format(&j->arena, EVENTS_PREFIX "%010lld.%s.%ld.0", (long long)o->wall_time, host, o->pid) : NULL;
  if (!j->root || !events) return false;
  for (size_t i = 0; i < j->profile->graph_count; i++) {
    const etr_graph *graph = &j->profile->graphs[i];
    const char *module = etr_file_name(&j->arena, graph->module), *method = etr_file_name(&j->arena, graph->method);
    if (!module || !method) return false;
    char *run = etr_arena_format(&j->arena, "%s/%u_%s/%s", j->root, module_number(j, j->profile->graphs[i].module), module, method);
    char *dot = etr_arena_format(&j->arena, "%s/dot/%s", j->root, module), *dot_file = etr_arena_format(&j->arena, "%s.dot", method);
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
  const job *job;
  const output *out;
} emission;

static etr_status emit_output(void *context, const etr_sink *sink, etr_error *error) {
  const emission *e = context;
  const etr_logdir_options *options = e->job->options;
  const etr_events_options events = {.wall_time = options->wall_time, .hparams = options->hparams, .hparam_count = options->hparam_count};
  if (e->out->is_events) return etr_emit_events(e->job->profile, e->out->graph, &events, sink, error);
  return etr_emit_dot(e->job->profile, e->out->graph, &(etr_dot_options){.depth = options->dot_depth}, sink, error);
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

static etr_status put_in_place(job *j) {
  for (size_t i = 0; i < j->outputs.count; i++) {
    output *out = &j->outputs.data[i];
    if (rename(out->temporary, out->path) != 0) return fail_io(j, out->path, "cannot put this file in place");
    out->exists = false;
  }
  each_entry(j, j->root, clean_module_folder);
  return ETR_OK;
}

static void clean_up(job *j) {
  for (size_t i = 0; i < j->outputs.count; i++)
    if (j->outputs.data[i].exists) unlink(j->outputs.data[i].temporary);
  for (size_t i = j->made_folders.count; i > 0; i--)
    if (j->made_folders.data[i - 1]) rmdir(j->made_folders.data[i - 1]);
}

static etr_status run(job *j) {
  if (j->profile->graph_count == 0)
    return etr_fail(j->error, ETR_ERROR_CHOICE, j->profile->etdump_count ? j->profile->etdumps[0] : NULL, NULL, ETR_NO_OFFSET,
                    "there is no graph to write: an ETDump alone has none, give its ETRecord too");
  j->file = etr_arena_alloc(&j->arena, sizeof *j->file);
  if (!j->file || !name_outputs(j)) return out_of_memory(j);
  for (size_t i = 0; i < j->outputs.count; i++) ETR_TRY(write_output(j, &j->outputs.data[i]));
  return put_in_place(j);
}

etr_status etr_write_logdir(const etr_profile *profile, const etr_logdir_options *options, etr_error *error) {
  job j = {.profile = profile, .options = options, .error = error};
  etr_error_clear(error);
  etr_map_init(&j.modules, &j.arena);
  etr_map_init(&j.paths, &j.arena);
  etr_status status = run(&j);
  if (status != ETR_OK) clean_up(&j);
  for (size_t i = 0; status == ETR_OK && options->on_file && i < j.outputs.count; i++)
    options->on_file(options->context, j.outputs.data[i].path, j.outputs.data[i].graph, j.outputs.data[i].is_events ? "events" : "dot");
  etr_arena_clear(&j.arena);
  return status;
}
