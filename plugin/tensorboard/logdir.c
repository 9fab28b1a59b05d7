/* SPDX-License-Identifier: BSD-3-Clause
 *
 * logdir.c - writes run folders and DOT files for every entry point, all or nothing.
 */
#include "tensorboard/logdir.h"

#include "base/file.h"
#include "base/system.h"
#include "dot/dot_plan.h"
#include "output/below.h"
#include "output/file_name.h"
#include "output/label.h"
#include "output/temporary.h"
#include "tensorboard/tb_run.h"
#include "tensorboard/tb_view.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Number of emptied event files that remain in a run folder. TensorBoard looks for a newer file
 * only while the file that it read last exists, so a run may be written so many times between two
 * looks. */
enum { MOST_EMPTIED = 7 };

/* ---- Names of run folders and their files, made unique from names in a record, which may be any
 * text ---- */

#define EVENTS_PREFIX "events.out.tfevents."

enum { SECONDS_DIGITS = 10, STEP_DIGITS = 20 };

/* A file to be written, and its path below the run folder. */
typedef struct run_file {
  const char *path;        /* "1_edge/forward/events.out.tfevents..." */
  const char *temporary;   /* temporary name, directly in the run folder */
  const char *entry_point; /* "edge/forward" */
  size_t graph;            /* index into the graphs of its profile; ETR_NONE: it is about none */
  bool is_events;
  bool has_record;      /* of an event file: it contains the data about the whole record */
  bool has_others;      /* of an event file: the other graphs are values of its run */
  bool has_points_only; /* of a build's event file: it contains no more than its points */
} run_file;

typedef struct run_names {
  etr_arena *arena;
  const etr_logdir_options *options;
  int64_t seconds;         /* time in the names of event files */
  int64_t step;            /* of a build */
  bool is_next_first;      /* the next graph is the first of its profile */
  etr_map modules, paths;  /* module -> number of its folder; paths that are taken */
  etr_vec(run_file) files; /* for each graph its event file, then its DOT file if it has operators;
                              without a graph one event file */
} run_names;

/* Returns the default NAME below LOGDIR, encoded: the name of the folder of the inputs, as the user
 * wrote it or, if that is "." or "..", as the file system has it. An ETDump that was given by
 * itself, of which a folder may hold many, gives its own label, unless it is one of several. NULL
 * when out of memory. A folder without a name gives "record". */
static char *default_name(etr_arena *arena, const etr_profile *profile, bool is_one_of_several) {
  bool is_alone = !profile->folder && !profile->etrecord && !profile->pte && !is_one_of_several;
  const char *label = is_alone ? etr_label_dump(arena, profile) : NULL;
  if (label && label[0] != '\0')
    return etr_file_name(arena, label);
  const char *dump = profile->etdump_count ? profile->etdumps[0] : profile->pte;
  const char *file = profile->etrecord ? profile->etrecord : dump;
  const char *record = profile->folder ? profile->folder : file;
  const char *first_input = record ? record : "-";
  struct stat status;
  char *folder = etr_arena_copy(arena, etr_slice_of(first_input));
  if (!folder)
    return NULL;
  bool is_folder = stat(folder, &status) == 0 && S_ISDIR(status.st_mode);
  if (!is_folder)
    folder[etr_last_part(folder) - folder] = '\0';
  for (size_t size = strlen(folder); size > 1 && etr_is_slash(folder[size - 1]);)
    folder[--size] = '\0';
  const char *folder_name = etr_last_part(folder);
  bool has_own_name = folder_name[0] != '\0' && folder_name[0] != '.';
  etr_slice path = etr_slice_of(folder[0] ? folder : ".");
  const char *real_name = has_own_name ? NULL : etr_label_folder(arena, path);
  if (real_name)
    folder_name = real_name;
  return etr_file_name(arena, folder_name[0] ? folder_name : "record");
}

/* Returns the NAME that the user gave with each part encoded so that it can be a folder's name, and
 * without empty parts ("//", "a/"). It may be "a/b", because users of TensorBoard group runs by
 * folders. NULL when out of memory. */
static const char *clean_name_parts(etr_arena *arena, const char *given) {
  const char *name = NULL;
  for (size_t size; *given != '\0'; given += size) {
    size = strcspn(given, "/");
    const char *part = size > 0 ? etr_arena_copy(arena, (etr_slice){given, size}) : NULL;
    const char *encoded = part != NULL ? etr_file_name(arena, part) : NULL;
    if (size == 0)
      size = 1; /* the slash */
    else if (encoded == NULL)
      return NULL;
    else
      name = name != NULL ? etr_arena_format(arena, "%s/%s", name, encoded) : encoded;
  }
  return name != NULL ? name : etr_file_name(arena, "");
}

/* Returns the part of a path up to its last slash. */
static etr_slice folder_of(const char *path) {
  return (etr_slice){path, (size_t)(etr_last_part(path) - path)};
}

/* What the name of an event file says. */
typedef struct event_name {
  int64_t seconds, step;
  bool has_step;
  bool has_points_only; /* with a step: it is the first of the build's files */
} event_name;

/* Reads the name of an event file: its time in seconds (0 if that cannot be read) and, if it is of
 * a build, its step and whether the file has its points only, as one that ends in ".0". Returns
 * false if the path is no event file's. */
static bool read_event_name(event_name *out, const char *path) {
  const char *name = etr_last_part(path);
  const char *digits = name + sizeof EVENTS_PREFIX - 1;
  *out = (event_name){0};
  if (strncmp(name, EVENTS_PREFIX, sizeof EVENTS_PREFIX - 1) != 0)
    return false;
  size_t digit_count = strspn(digits, "0123456789");
  if (digit_count == STEP_DIGITS && digits[digit_count] == '.') {
    size_t size = strlen(name);
    out->has_step = true;
    out->step = strtoll(digits, NULL, 10);
    out->has_points_only = size > 2 && strcmp(name + size - 2, ".0") == 0;
    digits += digit_count + 1;
    digit_count = strspn(digits, "0123456789");
  }
  out->seconds = digit_count <= SECONDS_DIGITS ? strtoll(digits, NULL, 10) : 0;
  return true;
}

/* Begins the list of files to write, and the map of the paths that they take. A wall time that
 * cannot be part of a name, as one that is not finite, counts as 0. */
static void names_init(run_names *names, etr_arena *arena, const etr_logdir_options *options) {
  *names = (run_names){.arena = arena, .options = options};
  names->seconds = isfinite(options->wall_time) && fabs(options->wall_time) < 1e15
                       ? (int64_t)options->wall_time
                       : 0;
  etr_map_init(&names->paths, arena);
}

/* Returns FOLDER/NAME, or FOLDER/2_NAME if another graph has that path, and so on, and marks it as
 * taken. graph: index of the graph, from which numbers are counted. NULL when out of memory. */
static const char *reserve_path(run_names *names, const char *folder, const char *name,
                                size_t graph) {
  const char *path = folder && name ? etr_arena_format(names->arena, "%s/%s", folder, name) : NULL;
  while (path && etr_map_get(&names->paths, etr_slice_of(path)) != ETR_NONE)
    path = etr_arena_format(names->arena, "%s/%zu_%s", folder, ++graph, name);
  return path && etr_map_set(&names->paths, etr_slice_of(path), 1) ? path : NULL;
}

/* Appends a file to those that will be written, with a temporary name to write it under. Returns
 * false when out of memory, or without random numbers. */
static bool add_file(run_names *names, const run_file *file) {
  char temporary[ETR_TEMPORARY_ROOM];
  if (!file->path || !file->entry_point ||
      !etr_temporary_name(temporary, ETR_TEMPORARY_OF_RUN_FOLDER))
    return false;
  run_file *added = etr_vec_push(names->arena, &names->files);
  if (!added)
    return false;
  *added = *file;
  added->temporary = etr_arena_copy(names->arena, etr_slice_of(temporary));
  return added->temporary != NULL;
}

/* Returns "edge/forward". NULL when out of memory. */
static const char *entry_point_of(etr_arena *arena, const etr_graph *graph) {
  return etr_arena_format(arena, "%s/%s", graph->module, graph->method);
}

/* Lists the DOT file of a graph, unless it has no operators. dump: "" for one ETDump, whose folders
 * are directly below the root; otherwise a folder of its own, as "pixel8/". Returns false when out
 * of memory. */
static bool add_dot_file(run_names *names, const etr_profile *profile, size_t index,
                         const char *dump) {
  const etr_graph *graph = &profile->graphs[index];
  etr_arena *arena = names->arena;
  if (!etr_tb_has_operators(graph))
    return true;
  const char *module = etr_file_name(arena, graph->module);
  const char *method = etr_file_name(arena, graph->method);
  if (!module || !method)
    return false;
  const run_file file = {.path = reserve_path(names,
                                              etr_arena_format(arena, "dot/%s%s", dump, module),
                                              etr_arena_format(arena, "%s.dot", method), index),
                         .entry_point = entry_point_of(arena, graph),
                         .graph = index};
  return add_file(names, &file);
}

/* Lists the event file and the DOT file of a graph that has a run folder of its own, named by its
 * module. Only the first such graph gets the data about the record, since TensorBoard would show
 * them once for each run. dump: as in add_dot_file(). Returns false when out of memory. */
static bool add_graph_run(run_names *names, const etr_profile *profile, size_t index,
                          const char *dump, const char *events) {
  const etr_graph *graph = &profile->graphs[index];
  etr_arena *arena = names->arena;
  const char *module = etr_file_name(arena, graph->module);
  const char *method = etr_file_name(arena, graph->method);
  if (!module || !method)
    return false;
  /* Folders are numbered by module, so that the graph tab opens the first. */
  etr_slice key = etr_slice_of(graph->module);
  uint32_t known_number = etr_map_get(&names->modules, key);
  uint32_t number = known_number != ETR_NONE ? known_number : (uint32_t)names->modules.count + 1;
  etr_map_set(&names->modules, key, number);
  const char *run = reserve_path(names, etr_arena_format(arena, "%s%u_%s", dump, number, module),
                                 method, index);
  const run_file file = {.path = run ? etr_arena_format(arena, "%s/%s", run, events) : NULL,
                         .entry_point = entry_point_of(arena, graph),
                         .graph = index,
                         .is_events = true,
                         .has_record = names->is_next_first};
  names->is_next_first = false;
  if (!add_file(names, &file))
    return false;
  return add_dot_file(names, profile, index, dump);
}

/* Returns the name of an event file: prefix, step (of a build only), time, host, process and 0, or
 * 1 for the second file of a build. NULL when out of memory. */
static const char *events_name(run_names *names, bool is_second) {
  const etr_logdir_options *o = names->options;
  const char *host = etr_file_name(names->arena, o->host && o->host[0] ? o->host : "localhost");
  const char *step = o->has_step ? etr_arena_format(names->arena, "%0*lld.", STEP_DIGITS,
                                                    (long long)names->step)
                                 : "";
  return host && step
             ? etr_arena_format(names->arena, EVENTS_PREFIX "%s%0*lld.%s.%ld.%d", step,
                                SECONDS_DIGITS, (long long)names->seconds, host, o->pid, is_second)
             : NULL;
}

/* Lists the event file of a run that shows the whole record: all its graphs, if it has any, and
 * what was timed. `graph` is the one that TensorBoard opens first; ETR_NONE: there is none. dump:
 * as in add_dot_file(). Returns false when out of memory. Without a graph, the entry point that
 * users are told is "events/METHOD". */
static bool add_record_run(run_names *names, const etr_profile *profile, size_t graph,
                           const char *dump) {
  etr_arena *arena = names->arena;
  const etr_method *method = etr_tb_main_method(profile);
  const char *name = method && method->name[0] ? method->name : "unknown";
  const char *events = events_name(names, names->options->has_step);
  const run_file file = {.path = events ? etr_arena_format(arena, "%s%s", dump, events) : NULL,
                         .entry_point = graph == ETR_NONE
                                            ? etr_arena_format(arena, "events/%s", name)
                                            : entry_point_of(arena, &profile->graphs[graph]),
                         .graph = graph,
                         .is_events = true,
                         .has_record = true,
                         .has_others = true};
  return add_file(names, &file);
}

/* Lists the first file of a build, which has the points of its curves and a name that ends in ".0".
 * It shows no graph. Returns false when out of memory. */
static bool add_build_points(run_names *names) {
  const long long step = names->step;
  const run_file file = {.path = events_name(names, false),
                         .entry_point = etr_arena_format(names->arena, "build %lld", step),
                         .graph = ETR_NONE,
                         .is_events = true,
                         .has_points_only = true};
  return add_file(names, &file);
}

/* Lists the files of the chosen graphs of a profile. dump: as in etr_logdir_add(). is_highest: the
 * profile is no build, or the build with the highest step; other builds have only points. Returns
 * false when out of memory. */
static bool add_profile_files(run_names *names, const etr_profile *profile, const etr_tb_run *run,
                              const char *dump, bool is_highest) {
  const etr_logdir_options *o = names->options;
  etr_arena *arena = names->arena;
  const char *name = dump ? etr_file_name(arena, dump) : NULL;
  const char *folder = name ? etr_arena_format(arena, "%s/", name) : "";
  bool has_run_per_graph = o->graphs && strcmp(o->graphs, "all") == 0 && !o->has_step;
  if ((dump && !name) || !folder)
    return false;
  etr_map_init(&names->modules, arena);
  names->is_next_first = true;
  if (o->has_step && !add_build_points(names))
    return false;
  if (!is_highest)
    return true;
  if (!has_run_per_graph || profile->graph_count == 0) {
    if (!add_record_run(names, profile, run->graph, folder))
      return false;
    if (run->graph != ETR_NONE && !add_dot_file(names, profile, run->graph, folder))
      return false;
    for (size_t i = 0; i < run->other_count; i++)
      if (!add_dot_file(names, profile, run->others[i], folder))
        return false;
    return true;
  }
  const char *events = events_name(names, false);
  for (size_t i = 0; events && i < profile->graph_count; i++)
    if (!add_graph_run(names, profile, i, folder, events))
      return false;
  return events != NULL;
}

/* ---- The job ---- */

typedef struct etr_logdir job;

struct etr_logdir {
  const etr_profile *profile; /* being written */
  const char *dump;           /* name of its ETDump if there are several; otherwise NULL */
  const etr_logdir_options *options;
  etr_arena arena;
  etr_run_folder folder; /* path NULL: before the first profile */
  bool is_first;         /* there was no manifest before */
  int64_t highest_step;  /* of the builds in the folder; -1: there are none */
  etr_unfinished made;
  run_names names;
  etr_out_file file;     /* the file that is being written */
  etr_limited limited;   /* counts the bytes of all files */
  etr_arena graph_arena; /* memory of the run */
  etr_tb_run run;        /* graphs of the profile that is being written */
  etr_error *error;
};

static const char *shown_path(job *j, const char *path) {
  const char *shown = etr_arena_format(&j->arena, "%s/%s", j->folder.path, path);
  return shown ? shown : path;
}

/* Fails with the reason in errno, which is saved because making the shown path may change it. */
static etr_status fail_at(job *j, const char *path, const char *what) {
  int reason = errno;
  return etr_fail_io(j->error, shown_path(j, path), NULL, what, reason);
}

/* ---- Writing ---- */

/* The context that etr_out_file_fill() passes to emit_file(). */
typedef struct emission {
  job *job;
  const run_file *file;
} emission;

/* Returns when a profile was recorded, in seconds since 1970: by record.json, as a copied file has
 * the time of its copy; else when its newest ETDump was made; 0: unknown. */
static double time_of_recording(const etr_profile *profile) {
  if (!isnan(profile->recorded_at))
    return profile->recorded_at;
  return etr_newest_change(profile->etdumps, profile->etdump_count);
}

/* Writes the content of a DOT file or an event file into a sink. The hyperparameters of the user
 * follow the name of the ETDump, so that they can replace it. With several ETDumps (j->dump) the
 * record's name ends in that of the ETDump. */
static etr_status emit_file(void *context, const etr_sink *sink, etr_error *error) {
  const emission *e = context;
  job *j = e->job;
  const etr_logdir_options *o = j->options;
  if (!e->file->is_events) {
    const etr_dot_options drawing = {.depth = o->dot_depth};
    return etr_dot_write(j->profile, e->file->graph, &j->run.scopes[e->file->graph], &drawing, sink,
                         error);
  }
  etr_tag *hparams = etr_arena_alloc_array(&j->arena, o->hparam_count + 1, sizeof *hparams);
  size_t count = 0;
  if (!hparams)
    return etr_fail_memory(j->error);
  if (j->dump)
    hparams[count++] = (etr_tag){.name = "etdump", .value = j->dump};
  for (size_t i = 0; i < o->hparam_count; i++)
    hparams[count++] = o->hparams[i];
  const char *name = j->dump ? etr_arena_format(&j->arena, "%s/%s", j->folder.name, j->dump)
                             : j->folder.name;
  const etr_events_options options = {.wall_time = o->wall_time,
                                      .hparams = hparams,
                                      .hparam_count = count,
                                      .name = name,
                                      .recorded = time_of_recording(j->profile)};
  const etr_tb_entry entry = {.graph = e->file->graph,
                              .scopes = j->run.scopes,
                              .others = j->run.others,
                              .other_count = e->file->has_others ? j->run.other_count : 0,
                              .has_record = e->file->has_record,
                              .is_build = o->has_step,
                              .has_points_only = e->file->has_points_only,
                              .step = j->names.step,
                              .before = o->before};
  return etr_tb_events_write(j->profile, &entry, &options, sink, error);
}

/* Returns true for a DOT file that begins as this library's do, if the folder has no manifest
 * (is_first): that may be lost, as in a copy without hidden files. */
static bool looks_like_ours(job *j, const char *path) {
  static const char start[] = "digraph etrecord {";
  char head[sizeof start - 1];
  const char *name;
  int folder = j->is_first ? etr_below_open(j->folder.descriptor, path, &name) : -1;
  int file = folder >= 0 ? openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
                         : -1;
  bool is_ours = file >= 0 && read(file, head, sizeof head) == (ssize_t)sizeof head &&
                 memcmp(head, start, sizeof head) == 0;
  if (file >= 0)
    (void)close(file);
  if (folder >= 0)
    (void)close(folder);
  return is_ours;
}

/* Fails if something that this library did not write is at the path of a file, since that would be
 * replaced. This is done for all files before any is put in place. */
static etr_status check_path_is_ours(job *j, const char *path) {
  struct stat status;
  if (!etr_below_stat(j->folder.descriptor, path, &status))
    return errno == ENOENT ? ETR_OK : fail_at(j, path, "cannot write this file");
  if (S_ISREG(status.st_mode) &&
      (etr_run_folder_has_listed(&j->folder, path) || looks_like_ours(j, path)))
    return ETR_OK;
  errno = EISDIR;
  if (S_ISDIR(status.st_mode))
    return fail_at(j, path, "cannot write this file");
  return etr_fail(
      j->error, ETR_ERROR_IO, shown_path(j, path), NULL, ETR_NO_OFFSET,
      "not written by etrecord-tb, and not replaced: move it away, or choose another --name");
}

/* Writes a file under its temporary name, once its path is known to be free. The file (false: it is
 * no folder) is removed if the job does not end. */
static etr_status write_file(job *j, const run_file *file) {
  ETR_TRY(check_path_is_ours(j, file->path));
  if (!etr_unfinished_add(&j->made, &j->arena, j->folder.descriptor, file->temporary, false))
    return etr_fail_memory(j->error);
  if (!etr_out_file_make(&j->file, j->folder.descriptor, file->temporary))
    return etr_fail(j->error, ETR_ERROR_IO, j->folder.path, NULL, ETR_NO_OFFSET,
                    "cannot write into this folder: %s", strerror(errno));
  j->limited.context = &(emission){j, file};
  return etr_out_file_fill(&j->file, shown_path(j, file->path), etr_emit_limited, &j->limited,
                           j->error);
}

/* ---- Putting in place ---- */

/* Moves the event files (are_events), or all others, from their temporary names to their own. Event
 * files are added to the list of what is removed if a later step fails. */
static etr_status rename_files(job *j, bool are_events) {
  for (size_t i = 0; i < j->names.files.count; i++) {
    const run_file *file = &j->names.files.data[i];
    if (file->is_events != are_events)
      continue;
    if (are_events &&
        !etr_unfinished_add(&j->made, &j->arena, j->folder.descriptor, file->path, false))
      return etr_fail_memory(j->error);
    if (!etr_below_move(j->folder.descriptor, file->temporary, file->path))
      return fail_at(j, file->path, "cannot put this file in place");
  }
  return ETR_OK;
}

/* Makes the folders, notes all files in the manifest and puts them in place, event files (true)
 * first: these can be removed again if a step fails, because their names are new. */
static etr_status put_in_place(job *j) {
  const run_file *files = j->names.files.data;
  size_t count = j->names.files.count;
  for (size_t i = 0; i < count; i++)
    ETR_TRY(etr_run_folder_make_parents(&j->folder, files[i].path, j->error));
  for (size_t i = 0; i < count; i++)
    if (!etr_run_folder_add_to_manifest(&j->folder, files[i].path))
      return etr_fail_memory(j->error);
  ETR_TRY(etr_run_folder_write_manifest(&j->folder, &j->file, j->error));
  ETR_TRY(rename_files(j, true));
  return rename_files(j, false);
}

/* ---- Files of earlier calls ---- */

/* Empties a file by putting an empty one in its place, so that a reader, or another name of the old
 * file, keeps the old data. On failure the file stays as it is. */
static void empty_file(job *j, const char *path) {
  char name[ETR_TEMPORARY_ROOM];
  if (!etr_temporary_name(name, ETR_TEMPORARY_OF_RUN_FOLDER) ||
      !etr_out_file_make(&j->file, j->folder.descriptor, name))
    return;
  (void)close(j->file.descriptor);
  if (!etr_below_move(j->folder.descriptor, name, path))
    (void)unlinkat(j->folder.descriptor, name, 0);
}

/* The folder of the last path that was retired. The manifest lists the files of a folder one after
 * the other, and many of them may be gone, so the folder is opened once. */
typedef struct retired_folder {
  const char *path; /* the last path in it; NULL: there was none */
  int descriptor;   /* -1: there is no such folder */
  bool has_lost;    /* a file in it is not listed any more, so that it may be empty */
} retired_folder;

static bool are_neighbors(const char *a, const char *b) {
  etr_slice x = folder_of(a), y = folder_of(b);
  return x.size == y.size && memcmp(x.data, y.data, x.size) == 0;
}

/* Closes the folder whose files are being retired, and removes it and the folders above it if they
 * lost their last file. */
static void close_retired_folder(job *j, retired_folder *folder) {
  if (folder->path && folder->descriptor >= 0)
    (void)close(folder->descriptor);
  if (folder->path && folder->descriptor >= 0 && folder->has_lost)
    etr_run_folder_remove_empty_parents(&j->folder, folder->path);
  *folder = (retired_folder){.descriptor = -1};
}

/* Removes the event file of an earlier call, or empties it if it is among the last few of a folder
 * in which something new was written: TensorBoard looks for newer files only while the one that it
 * read exists. Later files must come first. kept_counts: per such folder, how many were kept so
 * far. DOT files stay, because people may still use them. A file that is gone is only removed from
 * the manifest. */
static void retire_file(job *j, etr_map *kept_counts, retired_folder *current, const char *path) {
  struct stat status;
  event_name event;
  const char *name = etr_last_part(path);
  etr_slice folder = folder_of(path);
  if (current->path && !are_neighbors(current->path, path))
    close_retired_folder(j, current);
  if (!current->path)
    current->descriptor = etr_below_open(j->folder.descriptor, path, &name);
  current->path = path;
  uint32_t kept_count = etr_map_get(kept_counts, folder);
  bool is_there = current->descriptor >= 0 &&
                  fstatat(current->descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                  S_ISREG(status.st_mode);
  bool is_event_file = is_there && read_event_name(&event, path);
  bool stays = is_there;
  if (is_event_file)
    stays = kept_count < MOST_EMPTIED && etr_map_set(kept_counts, folder, kept_count + 1);
  bool has_data = is_event_file && status.st_size > 0;
  if (has_data && j->options->replaced)
    *j->options->replaced = true;
  if (has_data && stays)
    empty_file(j, path);
  if (is_event_file && !stays)
    (void)unlinkat(current->descriptor, name, 0);
  if (stays)
    return;
  etr_run_folder_remove_from_manifest(&j->folder, path);
  current->has_lost = true;
}

/* Returns true if a file of an earlier call belongs to another build and stays: its points always,
 * its graph unless this build writes one (has_graph), which is then the newest. */
static bool is_of_other_build(const job *j, const char *path, bool has_graph) {
  event_name event;
  if (!j->options->has_step || !read_event_name(&event, path) || !event.has_step)
    return false;
  return event.step != j->names.step && (event.has_points_only || !has_graph);
}

/* Retires the files of earlier calls, the newest first, after all new files are in place. What
 * cannot be retired is left for the next call. A manifest that cannot be written is no error
 * (NULL), as the old one lists more. */
static void retire_all(job *j) {
  etr_map kept_counts, written_paths;
  retired_folder current = {.descriptor = -1};
  etr_map_init(&kept_counts, &j->arena);
  etr_map_init(&written_paths, &j->arena);
  for (size_t i = 0; i < j->names.files.count; i++) {
    const char *path = j->names.files.data[i].path;
    if (!etr_map_set(&written_paths, etr_slice_of(path), 1) ||
        !etr_map_set(&kept_counts, folder_of(path), 0))
      return;
  }
  bool has_second_file = j->names.files.count >
                         1; /* of a build: its second file is among the new ones */
  for (size_t i = j->folder.paths.count; i > 0; i--) {
    const char *path = j->folder.paths.data[i - 1];
    if (etr_map_get(&written_paths, etr_slice_of(path)) == ETR_NONE &&
        !is_of_other_build(j, path, has_second_file))
      retire_file(j, &kept_counts, &current, path);
  }
  close_retired_folder(j, &current);
  (void)etr_run_folder_write_manifest(&j->folder, &j->file, NULL);
}

/* ---- The public functions ---- */

etr_status etr_logdir_begin(etr_logdir **out, const etr_logdir_options *options, etr_error *error) {
  static const etr_logdir_options defaults = {0};
  etr_error_clear(error);
  *out = calloc(1, sizeof **out);
  if (!*out)
    return etr_fail_memory(error);
  (*out)->options = options ? options : &defaults;
  (*out)->folder.descriptor = -1;
  (*out)->highest_step = -1;
  (*out)->limited = (etr_limited){.emit = emit_file, .max_bytes = (*out)->options->max_bytes};
  etr_unfinished_begin(&(*out)->made);
  names_init(&(*out)->names, &(*out)->arena, (*out)->options);
  return ETR_OK;
}

/* Opens the run folder and chooses the time in the names of new event files: later than that of
 * earlier ones, whatever the clock says, because TensorBoard reads them in the order of their
 * names. Fails for a record without a step where builds are. Sets highest_step to the highest one
 * of the builds that are there: a build whose file of points was emptied is none. */
static etr_status open_run_folder(job *j) {
  const char *given = j->options->name;
  const char *name = given ? clean_name_parts(&j->arena, given)
                           : default_name(&j->arena, j->profile, j->dump != NULL);
  if (!name)
    return etr_fail_memory(j->error);
  ETR_TRY(etr_run_folder_open(&j->folder, j->options->logdir ? j->options->logdir : "runs", name,
                              &j->arena, &j->made, j->error));
  j->is_first = !j->folder.has_manifest;
  for (size_t i = 0; i < j->folder.paths.count; i++) {
    const char *path = j->folder.paths.data[i];
    event_name event;
    struct stat status;
    if (!read_event_name(&event, path))
      continue;
    if (event.seconds >= j->names.seconds)
      j->names.seconds = event.seconds + 1;
    bool is_build = event.has_step && event.has_points_only &&
                    etr_below_stat(j->folder.descriptor, path, &status) && status.st_size > 0;
    if (is_build && event.step > j->highest_step)
      j->highest_step = event.step;
  }
  if (j->highest_step >= 0 && !j->options->has_step)
    return etr_fail(j->error, ETR_ERROR_CHOICE, j->folder.path, NULL, ETR_NO_OFFSET,
                    "has the curves of builds, which a record without a step would replace: give "
                    "--step, or another --name");
  return ETR_OK;
}

/* Returns the names of all modules that have a graph, as "edge, aten". Graphs of a module are next
 * to each other, so each name occurs once. NULL when out of memory. */
static const char *list_modules(job *j) {
  const char *list = "";
  for (size_t i = 0; i < j->profile->graph_count && list; i++) {
    const char *module = j->profile->graphs[i].module;
    if (i == 0 || strcmp(module, j->profile->graphs[i - 1].module) != 0)
      list = etr_arena_format(&j->arena, "%s%s%s", list, i ? ", " : "", module);
  }
  return list;
}

/* Fails if a name in the option `graphs` is not that of a module with a graph: it is misspelt, or
 * belongs to another record. */
static etr_status check_graph_names(job *j) {
  const char *names = j->options->graphs;
  for (const char *rest = names && strcmp(names, "all") != 0 ? names : NULL; rest;) {
    size_t size = strcspn(rest, ",");
    const char *name = etr_arena_copy(&j->arena, (etr_slice){rest, size});
    const char *existing = list_modules(j);
    if (!name || !existing)
      return etr_fail_memory(j->error);
    bool exists = false;
    for (size_t i = 0; i < j->profile->graph_count; i++)
      exists |= strcmp(j->profile->graphs[i].module, name) == 0;
    if (!exists)
      return etr_fail(j->error, ETR_ERROR_CHOICE, j->profile->etrecord, NULL, ETR_NO_OFFSET,
                      "there is no graph \"%.*s\"; there are: %s", ETR_HEAD(name, 80), existing);
    rest = rest[size] ? rest + size + 1 : NULL;
  }
  return ETR_OK;
}

/* Sets the step of a build: the one of the options, or the time of the recording in seconds since
 * 1970. Fails for a record without a timed inference, and for an ETDump without a time.
 * input: its file, for messages. */
static etr_status choose_step(job *j, const char *input) {
  bool is_of_time = j->options->step == ETR_STEP_OF_TIME;
  if (etr_tb_main_method(j->profile) == NULL)
    return etr_fail(j->error, ETR_ERROR_CHOICE, input, NULL, ETR_NO_OFFSET,
                    "nothing to write: a build without a timed inference has no point on a curve");
  j->names.step = j->options->step;
  if (is_of_time)
    j->names.step = (int64_t)time_of_recording(j->profile);
  if (is_of_time && j->names.step <= 0)
    return etr_fail(j->error, ETR_ERROR_CHOICE, input, NULL, ETR_NO_OFFSET,
                    "the ETDump is no file, and so has no time for a step: give --step N");
  return ETR_OK;
}

etr_status etr_logdir_add(etr_logdir *j, const etr_profile *profile, const char *dump,
                          etr_error *error) {
  size_t first = j->names.files.count;
  etr_error_clear(error);
  j->error = error;
  j->profile = profile;
  j->dump = dump;
  const char *input = profile->etdump_count ? profile->etdumps[0] : profile->etrecord;
  if (!input)
    input = profile->pte;
  if (profile->graph_count == 0 && etr_tb_main_method(profile) == NULL)
    return etr_fail(error, ETR_ERROR_CHOICE, input, NULL, ETR_NO_OFFSET,
                    "nothing to write: there is neither a graph nor an inference");
  if (j->options->has_step)
    ETR_TRY(choose_step(j, input));
  ETR_TRY(check_graph_names(j));
  if (!j->folder.path)
    ETR_TRY(open_run_folder(j));
  const char *modules = j->options->graphs;
  if (modules && strcmp(modules, "all") == 0)
    modules = NULL;
  etr_arena_clear(&j->graph_arena);
  bool is_highest = !j->options->has_step || j->names.step >= j->highest_step;
  if (etr_tb_run_make(&j->run, &j->graph_arena, profile, modules) != ETR_OK ||
      !add_profile_files(&j->names, profile, &j->run, dump, is_highest))
    return etr_fail_memory(j->error);
  for (size_t i = first; i < j->names.files.count; i++)
    ETR_TRY(write_file(j, &j->names.files.data[i]));
  etr_arena_clear(&j->graph_arena);
  return ETR_OK;
}

/* Closes the run folder, which ends its lock, and frees the job. */
static void free_job(job *j) {
  etr_unfinished_end(&j->made);
  etr_run_folder_close(&j->folder);
  etr_arena_clear(&j->graph_arena);
  etr_arena_clear(&j->arena);
  free(j);
}

/* Signals that end the process are held back while files are put in place, so that either all files
 * are new or none. */
etr_status etr_logdir_finish(etr_logdir *j, etr_error *error) {
  sigset_t all, before;
  etr_status status = ETR_OK;
  etr_error_clear(error);
  j->error = error;
  if (j->names.files.count > 0) {
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    status = put_in_place(j);
    if (status == ETR_OK)
      retire_all(j);
    else
      etr_unfinished_remove(&j->made);
    etr_unfinished_end(&j->made);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  }
  for (size_t i = 0; status == ETR_OK && j->options->on_file && i < j->names.files.count; i++) {
    const run_file *file = &j->names.files.data[i];
    j->options->on_file(j->options->context, shown_path(j, file->path), file->entry_point,
                        file->is_events ? "events" : "dot");
  }
  free_job(j);
  return status;
}

void etr_logdir_discard(etr_logdir *j) {
  if (!j)
    return;
  etr_unfinished_remove(&j->made);
  free_job(j);
}

etr_status etr_write_logdir(const etr_profile *profile, const etr_logdir_options *options,
                            etr_error *error) {
  etr_logdir *logdir;
  ETR_TRY(etr_logdir_begin(&logdir, options, error));
  etr_status status = etr_logdir_add(logdir, profile, NULL, error);
  if (status == ETR_OK)
    return etr_logdir_finish(logdir, error);
  etr_logdir_discard(logdir);
  return status;
}
