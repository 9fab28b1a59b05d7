/* SPDX-License-Identifier: BSD-3-Clause
 *
 * source_lines.c - reads source files, and adds up nodes by line and by pattern.
 */
#include "views/source_lines.h"

#include "base/file.h"
#include "base/natural.h"
#include "output/ranking.h"
#include "views/run_stats.h"

#include <stdlib.h>
#include <sys/stat.h>

/* ---- Finding and checking source files ---- */

enum {
  MAX_BYTES = 4 << 20, /* of a source file */
  MAX_FOLDERS = 32,    /* of a recorded path that are left out one after the other */
  TAB = 4,
};

/* Returns true for a regular file that states its size: neither a device nor a file that the kernel
 * generates. */
static bool is_plain_file(const char *path) {
  struct stat status;
  return strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
         status.st_size > 0;
}

static bool has_parent_folder(const char *path) {
  for (const char *at = path; (at = strstr(at, "..")) != NULL; at += 2)
    if ((at == path || at[-1] == '/') && (at[2] == '/' || at[2] == '\0'))
      return true;
  return false;
}

/* Returns a line as it is shown, with blanks for tabs. */
static const char *line_text(etr_arena *arena, const char *text, size_t size) {
  if (size > 0 && text[size - 1] == '\r')
    size--;
  size_t tabs = 0, used = 0;
  for (size_t i = 0; i < size; i++)
    tabs += text[i] == '\t';
  char *spread = etr_arena_alloc(arena, size + tabs * TAB + 1);
  for (size_t i = 0; spread && i < size; i++) {
    if (text[i] != '\t') {
      spread[used++] = text[i];
      continue;
    }
    for (size_t blanks = TAB - used % TAB; blanks > 0; blanks--)
      spread[used++] = ' ';
  }
  return spread ? etr_arena_text(arena, (etr_slice){spread, used}) : NULL;
}

static bool split_lines(etr_source_file *out, etr_arena *arena, const char *text, size_t size) {
  etr_vec(const char *) lines = {0};
  for (size_t at = 0; at < size;) {
    const char *end = memchr(text + at, '\n', size - at);
    size_t length = end ? (size_t)(end - text) - at : size - at;
    const char **line = etr_vec_push(arena, &lines);
    if (!line)
      return false;
    *line = line_text(arena, text + at, length);
    at += length + 1;
  }
  *out = (etr_source_file){lines.data, lines.count};
  return !etr_arena_failed(arena);
}

static bool read_lines(etr_source_file *out, etr_arena *arena, const char *path) {
  etr_file file;
  etr_status status = is_plain_file(path) ? etr_file_read(&file, path, MAX_BYTES, NULL)
                                          : ETR_ERROR_IO;
  if (status == ETR_ERROR_MEMORY)
    etr_arena_fail(arena); /* not the same as a file that is not there */
  if (status != ETR_OK)
    return false;
  bool good = split_lines(out, arena, (const char *)file.data, file.size);
  etr_file_clear(&file);
  return good && out->line_count > 0;
}

/* Returns true if two lines are equal without the blanks around them, because recorded code is
 * stripped. */
static bool is_code(const char *line, const char *code) {
  line += strspn(line, " ");
  size_t size = strlen(line), code_size = strlen(code);
  while (size > 0 && line[size - 1] == ' ')
    size--;
  return size == code_size && memcmp(line, code, size) == 0;
}

static bool has_recorded_code(const etr_source_file *file, etr_arena *arena,
                              const etr_source *const *lines, size_t count) {
  bool any = false;
  for (size_t i = 0; i < count; i++) {
    if (lines[i]->code[0] == '\0')
      continue;
    if (lines[i]->line < 1 || (uint64_t)lines[i]->line > file->line_count)
      return false;
    const char *code = line_text(arena, lines[i]->code, strlen(lines[i]->code));
    if (!code || !is_code(file->lines[lines[i]->line - 1], code))
      return false;
    any = true;
  }
  return any;
}

etr_source_state etr_source_file_read(etr_source_file *out, etr_arena *arena, const char *path,
                                      const char *root, const etr_source *const *lines,
                                      size_t count) {
  etr_source_state state = ETR_SOURCE_ABSENT;
  if (!root) {
    if (!read_lines(out, arena, path))
      return ETR_SOURCE_ABSENT;
    return has_recorded_code(out, arena, lines, count) ? ETR_SOURCE_FOUND : ETR_SOURCE_DIFFERENT;
  }
  if (has_parent_folder(path))
    return ETR_SOURCE_ABSENT;
  const char *rest = path + strspn(path, "/");
  for (int i = 0; i < MAX_FOLDERS && rest[0]; i++) {
    const char *moved = etr_arena_format(arena, "%s/%s", root, rest), *slash = strchr(rest, '/');
    if (moved && read_lines(out, arena, moved)) {
      if (has_recorded_code(out, arena, lines, count))
        return ETR_SOURCE_FOUND;
      state = ETR_SOURCE_DIFFERENT;
    }
    if (!slash)
      break;
    rest = slash + strspn(slash, "/");
  }
  return state;
}

/* ---- Rows by file ---- */

/* Compares by file and line. Nodes whose source was not recorded come after all files. */
static int by_file_and_line(const void *a, const void *b) {
  const etr_source *x = (*(const etr_breakdown_row *const *)a)->source,
                   *y = (*(const etr_breakdown_row *const *)b)->source;
  if (!x || !y)
    return !x - !y;
  int order = strcmp(x->file, y->file);
  return order ? order : (x->line > y->line) - (x->line < y->line);
}

static int by_path(const void *a, const void *b) {
  const etr_source_lines *x = a, *y = b;
  if (!x->path || !y->path)
    return !x->path - !y->path;
  return etr_natural_compare(x->path, y->path);
}

static int by_weight(const void *a, const void *b) {
  const etr_source_lines *x = a, *y = b;
  if (x->weight != y->weight)
    return x->weight < y->weight ? 1 : -1;
  return by_path(a, b);
}

static bool is_same_file(const etr_breakdown_row *a, const etr_breakdown_row *b) {
  return a->source && b->source ? strcmp(a->source->file, b->source->file) == 0
                                : a->source == b->source;
}

/* Weighs the files. False when out of memory. */
static bool weigh(etr_source_lines *files, size_t count, etr_arena *arena, const etr_summary *s) {
  const etr_breakdown *by = &s->by[ETR_BY_SOURCE];
  size_t nodes = s->graph ? s->graph->node_count : 0;
  uint32_t *file_of_row = etr_arena_alloc_array(arena, by->count, sizeof *file_of_row);
  uint32_t *file_of_node = etr_arena_alloc_array(arena, nodes, sizeof *file_of_node);
  if (!file_of_row || !file_of_node)
    return false;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < files[i].count; k++)
      file_of_row[files[i].rows[k]->number] = (uint32_t)i;
  for (size_t i = 0; i < nodes; i++)
    file_of_node[i] = by->row_of_node[i] == ETR_NONE ? ETR_NONE : file_of_row[by->row_of_node[i]];
  const etr_stats *stats = etr_run_stats_of_nodes(arena, s->method, file_of_node, count);
  double summed_p50 = 0;
  for (size_t i = 0; stats && i < count; i++) {
    summed_p50 += files[i].p50 = stats[i].p50;
    files[i].weight = etr_ranking(s->profile, (double)files[i].total_ticks, stats[i].p50);
  }
  for (size_t i = 0; stats && i < count; i++)
    files[i].summed_p50 = summed_p50;
  return stats != NULL;
}

const etr_source_lines *etr_source_lines_make(size_t *count, etr_arena *arena,
                                              const etr_summary *summary, bool paths_first) {
  const etr_breakdown *by = &summary->by[ETR_BY_SOURCE];
  const etr_breakdown_row **rows = etr_arena_alloc_array(arena, by->count, sizeof *rows);
  const etr_source **sources = etr_arena_alloc_array(arena, by->count, sizeof *sources);
  etr_source_lines *files = etr_arena_alloc_array(arena, by->count, sizeof *files);
  *count = 0;
  if (!rows || !sources || !files)
    return NULL;
  for (size_t i = 0; i < by->count; i++)
    rows[i] = &by->rows[i];
  etr_sort(rows, by->count, sizeof *rows, by_file_and_line);
  for (size_t i = 0; i < by->count; i++) {
    sources[i] = rows[i]->source;
    if (i == 0 || !is_same_file(rows[i - 1], rows[i]))
      files[(*count)++] = (etr_source_lines){
          .path = sources[i] ? sources[i]->file : NULL, .rows = &rows[i], .sources = &sources[i]};
    etr_source_lines *file = &files[*count - 1];
    file->count++;
    file->total_ticks += rows[i]->total_ticks;
    file->node_count += rows[i]->node_count;
  }
  if (!weigh(files, *count, arena, summary))
    return NULL;
  etr_sort(files, *count, sizeof *files, paths_first ? by_path : by_weight);
  return files;
}

/* ---- Nodes by source line and pattern ---- */

/* A node that was timed. */
typedef struct timed {
  const char *pattern, *path; /* of its module */
  uint32_t line;
  uint64_t ticks;
} timed;

static int by_module(const void *a, const void *b) {
  const timed *x = a, *y = b;
  if (x->line != y->line)
    return x->line < y->line ? -1 : 1;
  int order = strcmp(x->pattern, y->pattern);
  return order ? order : strcmp(x->path, y->path);
}

static int by_time(const void *a, const void *b) {
  const etr_line_pattern *x = a, *y = b;
  if (x->line != y->line)
    return x->line < y->line ? -1 : 1;
  if (x->total_ticks != y->total_ticks)
    return x->total_ticks < y->total_ticks ? 1 : -1;
  return strcmp(x->pattern, y->pattern);
}

static timed *list_nodes(size_t *count, etr_arena *arena, const etr_summary *s) {
  timed *list = etr_arena_alloc_array(arena, s->node_count, sizeof *list);
  for (*count = 0; list && *count < s->node_count; ++*count) {
    uint32_t node = s->nodes[*count];
    const etr_module
        *module = &s->graph->modules[etr_counted_module(s->graph, s->graph->nodes[node].module)];
    list[*count] = (timed){module->pattern, module->path, s->by[ETR_BY_SOURCE].row_of_node[node],
                           s->graph->times[node].total_ticks};
  }
  etr_sort(list, *count, sizeof *list, by_module);
  return list;
}

bool etr_line_patterns_make(etr_line_patterns *out, etr_arena *arena, const etr_summary *summary) {
  size_t lines = summary->by[ETR_BY_SOURCE].count, nodes;
  const timed *list = list_nodes(&nodes, arena, summary);
  etr_line_pattern *rows = etr_arena_alloc_array(arena, nodes, sizeof *rows);
  size_t *first = etr_arena_alloc_array(arena, lines + 1, sizeof *first);
  if (!list || !rows || !first)
    return false;
  /* Adds up adjacent nodes of the same line and pattern. Returns the number of rows. */
  size_t count = 0;
  for (size_t i = 0; i < nodes; i++) {
    bool is_same = i > 0 && list[i].line == list[i - 1].line &&
                   strcmp(list[i].pattern, list[i - 1].pattern) == 0;
    if (!is_same)
      rows[count++] = (etr_line_pattern){.pattern = list[i].pattern, .line = list[i].line};
    etr_line_pattern *row = &rows[count - 1];
    row->module_count += !is_same || strcmp(list[i].path, list[i - 1].path) != 0;
    row->total_ticks += list[i].ticks;
    row->node_count++;
  }
  etr_sort(rows, count, sizeof *rows, by_time);
  for (size_t i = 0; i < count; i++)
    first[rows[i].line + 1] = i + 1;
  for (size_t line = 1; line <= lines; line++)
    first[line] = ETR_MAX(first[line], first[line - 1]);
  *out = (etr_line_patterns){rows, first};
  return true;
}
