/* SPDX-License-Identifier: BSD-3-Clause
 *
 * input.c - which files of a directory belong to a record.
 */
#include "archive.h"
#include "arena.h"
#include "file.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

typedef enum file_kind { FILE_OTHER, FILE_ETRECORD, FILE_DAMAGED_RECORD, FILE_ETDUMP, FILE_PTE, FILE_DEBUG_BUFFER, FILE_KINDS } file_kind;

typedef struct finder {
  etr_arena arena;
  etr_vec(const char *) found[FILE_KINDS];
} finder;

static etr_status out_of_memory(etr_error *error) { return etr_fail(error, ETR_ERROR_MEMORY, NULL, NULL, ETR_NO_OFFSET, "out of memory"); }

/* ---- What a file is ---- */

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool has_record_identifier(const char *path) {
  etr_archive *archive;
  if (etr_archive_open(&archive, path, NULL) != ETR_OK) return false;
  bool found = etr_archive_find(archive, "ETRECORD_V0") != SIZE_MAX;
  etr_archive_close(archive);
  return found;
}

static bool is_directory(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* A zip may have anything before its first header, so only the archive can tell one; a file that is called like a record is taken for one. */
static file_kind kind_of(const char *path) {
  char head[12] = {0};
  size_t got = 0;
  etr_slice name = etr_slice_of(base_name(path));
  if (is_directory(path) || etr_file_peek(path, head, sizeof head, &got, NULL) != ETR_OK) return FILE_OTHER;
  if (etr_slice_is(name, "debug_buffer.bin")) return FILE_DEBUG_BUFFER;
  if (got >= 8 && memcmp(head + 4, "ET12", 4) == 0) return FILE_PTE;
  if ((got >= 12 && memcmp(head + 8, "ED00", 4) == 0) || (got >= 8 && memcmp(head + 4, "ED00", 4) == 0)) return FILE_ETDUMP;
  if (has_record_identifier(path)) return FILE_ETRECORD;
  if (etr_slice_is(name, "etrecord.bin") || etr_slice_ends(name, ETR_SLICE(".etrecord"))) return FILE_DAMAGED_RECORD;
  if (etr_slice_ends(name, ETR_SLICE(".etdp")) || etr_slice_ends(name, ETR_SLICE(".etdump"))) return FILE_ETDUMP;
  return FILE_OTHER;
}

/* ---- Finding ---- */

static bool note(finder *f, file_kind kind, const char *path) {
  const char *copy = etr_arena_copy(&f->arena, etr_slice_of(path));
  const char **slot = copy ? etr_vec_push(&f->arena, &f->found[kind]) : NULL;
  if (slot) *slot = copy;
  return slot != NULL;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static etr_status list_directory(finder *f, const char *path, etr_error *error) {
  etr_vec(char *) names = {0};
  DIR *directory = opendir(path);
  if (!directory) return etr_fail(error, ETR_ERROR_IO, path, NULL, ETR_NO_OFFSET, "cannot read this directory");
  for (const struct dirent *entry; (entry = readdir(directory));) {
    if (entry->d_name[0] == '.') continue;
    char **slot = etr_vec_push(&f->arena, &names);
    if (slot) *slot = etr_arena_format(&f->arena, "%s%s%s", path, path[0] && path[strlen(path) - 1] == '/' ? "" : "/", entry->d_name);
  }
  closedir(directory);
  if (etr_arena_failed(&f->arena)) return out_of_memory(error);
  if (names.count) qsort(names.data, names.count, sizeof *names.data, by_name);
  for (size_t i = 0; i < names.count; i++)
    if (!note(f, kind_of(names.data[i]), names.data[i])) return out_of_memory(error);
  return ETR_OK;
}

static etr_status look(finder *f, const char *path, etr_error *error) {
  struct stat status;
  char head[1];
  size_t got;
  if (strcmp(path, "-") == 0) return note(f, FILE_ETDUMP, path) ? ETR_OK : out_of_memory(error);
  if (stat(path, &status) != 0) return etr_file_peek(path, head, sizeof head, &got, error); /* says why */
  if (!S_ISDIR(status.st_mode)) {
    file_kind kind = kind_of(path);
    return note(f, kind == FILE_OTHER ? FILE_DAMAGED_RECORD : kind, path) ? ETR_OK : out_of_memory(error);
  }
  if (has_record_identifier(path)) return note(f, FILE_ETRECORD, path) ? ETR_OK : out_of_memory(error);
  return list_directory(f, path, error);
}

enum { MOST_LISTED = 8 };

static etr_status fail_several(finder *f, file_kind kind, const char *what, const char *option, const char *directory, etr_error *error) {
  const char *list = "";
  for (size_t i = 0; i < f->found[kind].count && i <= MOST_LISTED && list; i++)
    list = etr_arena_format(&f->arena, "%s%s%s", list, i ? ", " : "", i == MOST_LISTED ? "..." : base_name(f->found[kind].data[i]));
  return etr_fail(error, ETR_ERROR_CHOICE, directory, NULL, ETR_NO_OFFSET, "%zu %s in here (%s): choose one with %s FILE", f->found[kind].count, what,
                  list ? list : "", option);
}

/* What the caller chose, or else the one file of a kind. */
static etr_status choose_one(finder *f, file_kind kind, const char *what, const char *option, const char *directory, const char *chosen,
                             const char **out, etr_error *error) {
  *out = chosen;
  if (!chosen && f->found[kind].count > 1) return fail_several(f, kind, what, option, directory, error);
  if (!chosen && f->found[kind].count == 1) *out = f->found[kind].data[0];
  return ETR_OK;
}

static etr_status find(finder *f, etr_inputs *out, const char *path, const etr_inputs *chosen, etr_error *error) {
  ETR_TRY(look(f, path, error));
  ETR_TRY(choose_one(f, FILE_ETRECORD, "ETRecords", "--etrecord", path, chosen->etrecord, &out->etrecord, error));
  if (!out->etrecord) ETR_TRY(choose_one(f, FILE_DAMAGED_RECORD, "files that may be ETRecords", "--etrecord", path, NULL, &out->etrecord, error));
  ETR_TRY(choose_one(f, FILE_PTE, ".pte programs", "--pte", path, chosen->pte, &out->pte, error));
  ETR_TRY(choose_one(f, FILE_DEBUG_BUFFER, "debug buffers", "--debug-buffer", path, chosen->debug_buffer, &out->debug_buffer, error));
  out->etdumps = chosen->etdump_count ? chosen->etdumps : f->found[FILE_ETDUMP].data;
  out->etdump_count = chosen->etdump_count ? chosen->etdump_count : f->found[FILE_ETDUMP].count;
  if (!out->etrecord && out->etdump_count == 0)
    return etr_fail(error, ETR_ERROR_CHOICE, path, NULL, ETR_NO_OFFSET,
                    "no ETRecord and no ETDump in here; export with generate_etrecord=True to get one");
  return ETR_OK;
}

/* ---- Handing out: one block, so that a caller's struct can be freed by itself ---- */

static char *put(char **at, const char *text) {
  if (!text) return NULL;
  size_t size = strlen(text) + 1;
  char *copy = memcpy(*at, text, size);
  *at += size;
  return copy;
}

static etr_status hand_out(etr_inputs *out, const etr_inputs *found, etr_error *error) {
  const char *const single[] = {found->etrecord, found->pte, found->debug_buffer};
  size_t size = (found->etdump_count + 1) * sizeof(char *);
  for (size_t i = 0; i < ETR_COUNT(single); i++) size += single[i] ? strlen(single[i]) + 1 : 0;
  for (size_t i = 0; i < found->etdump_count; i++) size += strlen(found->etdumps[i]) + 1;
  const char **block = malloc(size);
  if (!block) return out_of_memory(error);
  char *text = (char *)(block + found->etdump_count + 1);
  *out = (etr_inputs){.etdumps = block, .etdump_count = found->etdump_count};
  out->etrecord = put(&text, found->etrecord);
  out->pte = put(&text, found->pte);
  out->debug_buffer = put(&text, found->debug_buffer);
  for (size_t i = 0; i < found->etdump_count; i++) block[i] = put(&text, found->etdumps[i]);
  return ETR_OK;
}

etr_status etr_inputs_find(etr_inputs *out, const char *path, const etr_inputs *chosen, etr_error *error) {
  static const etr_inputs nothing = {0};
  finder f = {0};
  etr_inputs found = {0};
  *out = (etr_inputs){0};
  etr_error_clear(error);
  etr_status status = find(&f, &found, path, chosen ? chosen : &nothing, error);
  if (status == ETR_OK) status = etr_arena_failed(&f.arena) ? out_of_memory(error) : hand_out(out, &found, error);
  etr_arena_clear(&f.arena);
  return status;
}

void etr_inputs_clear(etr_inputs *inputs) {
  free((void *)inputs->etdumps);
  *inputs = (etr_inputs){0};
}
