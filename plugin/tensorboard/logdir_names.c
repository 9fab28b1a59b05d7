/* SPDX-License-Identifier: BSD-3-Clause
 *
 * logdir_names.c - names from those in a record, which may be anything, and told apart where two are alike.
 */
#include "base/system.h"
#include "output/file_name.h"
#include "output/temporary.h"
#include "tensorboard/logdir.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#define EVENTS_PREFIX "events.out.tfevents."

enum { SECONDS_DIGITS = 10 };

/* ---- The run folder ---- */

/* The folder that the inputs lie in names the run: as the user called it, or, where that is "." or the like, as it is
 * called. */
static char *default_name(etr_arena *arena, const etr_profile *profile) {
  const char *dump = profile->etdump_count ? profile->etdumps[0] : profile->pte;
  const char *record = profile->etrecord ? profile->etrecord : dump, *input = record ? record : "-";
  struct stat status;
  char *folder = etr_arena_copy(arena, etr_slice_of(input));
  if (!folder) return NULL;
  bool is_folder = stat(folder, &status) == 0 && S_ISDIR(status.st_mode);
  if (!is_folder) folder[etr_last_part(folder) - folder] = '\0';
  for (size_t size = strlen(folder); size > 1 && etr_is_slash(folder[size - 1]);) folder[--size] = '\0';
  const char *base = etr_last_part(folder);
  const char *path = folder[0] ? folder : ".";
  char *whole = base[0] == '\0' || base[0] == '.' ? realpath(path, NULL) : NULL;
  if (whole) base = etr_last_part(whole);
  char *name = etr_file_name(arena, base[0] ? base : "record");
  free(whole);
  return name;
}

/* "a/b": TensorBoard's users group runs by folders. What leads nowhere ("//", "a/") is left out. */
static const char *given_name(etr_arena *arena, const char *given) {
  const char *name = NULL;
  for (size_t size; *given != '\0'; given += size) {
    size = strcspn(given, "/");
    const char *part = size > 0 ? etr_arena_copy(arena, (etr_slice){given, size}) : NULL;
    const char *clean = part != NULL ? etr_file_name(arena, part) : NULL;
    if (size == 0)
      size = 1; /* the slash */
    else if (clean == NULL)
      return NULL;
    else
      name = name != NULL ? etr_arena_format(arena, "%s/%s", name, clean) : clean;
  }
  return name != NULL ? name : etr_file_name(arena, "");
}

const char *etr_logdir_name(etr_arena *arena, const etr_logdir_options *options, const etr_profile *profile) {
  return options->name ? given_name(arena, options->name) : default_name(arena, profile);
}

bool etr_logdir_takes(const etr_logdir_options *options, const etr_graph *graph) {
  size_t wanted = strlen(graph->module);
  if (!options->graphs) return true;
  for (const char *at = options->graphs;; at++) {
    size_t size = strcspn(at, ",");
    if (size == wanted && memcmp(at, graph->module, size) == 0) return true;
    at += size;
    if (*at == '\0') return false;
  }
}

/* ---- The files ---- */

etr_slice etr_logdir_folder(const char *path) { return (etr_slice){path, (size_t)(etr_last_part(path) - path)}; }

bool etr_logdir_is_events(const char *path, int64_t *seconds) {
  const char *name = etr_last_part(path), *digits = name + sizeof EVENTS_PREFIX - 1;
  if (strncmp(name, EVENTS_PREFIX, sizeof EVENTS_PREFIX - 1) != 0) return false;
  *seconds = strspn(digits, "0123456789") <= SECONDS_DIGITS ? strtoll(digits, NULL, 10) : 0;
  return true;
}

void etr_logdir_names_init(etr_logdir_names *names, etr_arena *arena, const etr_logdir_options *options) {
  *names = (etr_logdir_names){.arena = arena, .options = options};
  names->seconds = isfinite(options->wall_time) && fabs(options->wall_time) < 1e15 ? (int64_t)options->wall_time : 0;
  etr_map_init(&names->paths, arena);
}

/* Folders are numbered by module, so that the graph tab opens the first. */
static uint32_t module_number(etr_logdir_names *names, const char *module) {
  etr_slice key = etr_slice_of(module);
  uint32_t known = etr_map_get(&names->modules, key);
  if (known != ETR_NONE) return known;
  uint32_t number = (uint32_t)names->modules.count + 1;
  etr_map_set(&names->modules, key, number);
  return number;
}

/* FOLDER/NAME, or, where another graph has that, FOLDER/2_NAME. */
static const char *take_path(etr_logdir_names *names, const char *folder, const char *name, size_t graph) {
  const char *path = folder && name ? etr_arena_format(names->arena, "%s/%s", folder, name) : NULL;
  while (path && etr_map_get(&names->paths, etr_slice_of(path)) != ETR_NONE)
    path = etr_arena_format(names->arena, "%s/%zu_%s", folder, ++graph, name);
  return path && etr_map_set(&names->paths, etr_slice_of(path), 1) ? path : NULL;
}

static bool add_file(etr_logdir_names *names, const etr_logdir_file *file) {
  char temporary[ETR_TEMPORARY_ROOM];
  if (!file->path || !file->entry_point || !etr_temporary_name(temporary, ETR_TEMPORARY_OF_RUN_FOLDER)) return false;
  etr_logdir_file *added = etr_vec_push(names->arena, &names->files);
  if (!added) return false;
  *added = *file;
  added->temporary = etr_arena_copy(names->arena, etr_slice_of(temporary));
  return added->temporary != NULL;
}

/* dump: "" of a single ETDump, whose folders are right below the root; "pixel8/" of several. */
static bool add_graph(etr_logdir_names *names, const etr_profile *profile, size_t index, const char *dump,
                      const char *events) {
  const etr_graph *graph = &profile->graphs[index];
  etr_arena *arena = names->arena;
  const char *module = etr_file_name(arena, graph->module), *method = etr_file_name(arena, graph->method);
  if (!module || !method) return false;
  const char *dot_name = etr_arena_format(arena, "%s.dot", method);
  const char *run = take_path(
      names, etr_arena_format(arena, "%s%u_%s", dump, module_number(names, graph->module), module), method, index);
  const char *dot = take_path(names, etr_arena_format(arena, "dot/%s%s", dump, module), dot_name, index);
  etr_logdir_file file = {.entry_point = etr_arena_format(arena, "%s/%s", graph->module, graph->method),
                          .graph = index,
                          .tells_record = names->is_next_first};
  names->is_next_first = false;
  file.path = run ? etr_arena_format(arena, "%s/%s", run, events) : NULL;
  file.is_events = true;
  if (!add_file(names, &file)) return false;
  file.path = dot;
  file.is_events = false;
  return add_file(names, &file);
}

bool etr_logdir_names_add(etr_logdir_names *names, const etr_profile *profile, const char *dump) {
  const etr_logdir_options *o = names->options;
  etr_arena *arena = names->arena;
  const char *host = etr_file_name(arena, o->host && o->host[0] ? o->host : "localhost");
  const char *name = dump ? etr_file_name(arena, dump) : NULL,
             *folder = name ? etr_arena_format(arena, "%s/", name) : "";
  if (!host || (dump && !name) || !folder) return false;
  const char *events = etr_arena_format(arena, EVENTS_PREFIX "%0*lld.%s.%ld.0", SECONDS_DIGITS,
                                        (long long)names->seconds, host, o->pid);
  etr_map_init(&names->modules, arena);
  names->is_next_first = true;
  for (size_t i = 0; events && i < profile->graph_count; i++)
    if (etr_logdir_takes(o, &profile->graphs[i]) && !add_graph(names, profile, i, folder, events)) return false;
  return events != NULL;
}
