/* SPDX-License-Identifier: BSD-3-Clause
 *
 * earlier.c - goes through the lines of a history twice: for the base, then for the medians of each method.
 */
#include "bench/earlier.h"

#include "bench/measure.h"
#include "command/flat_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a line says, as far as it matters here. */
typedef struct wanted {
  char *name, *host, *device, *command; /* of the new bench, as a line has them */
  char *room;                           /* for a text as long as the longest of these */
  size_t size;                          /* of the room */
} wanted;

/* ---- Lines ---- */

/* A text as it is read from a line: characters that could steer a terminal are replaced there. NULL: out of memory. */
static char *as_in_a_line(const char *text) {
  char *line = NULL;
  size_t size = 0;
  flat_json object;
  FILE *out = open_memstream(&line, &size);
  if (out == NULL) return NULL;
  flat_json_begin(&object, out);
  flat_json_add_text(&object, "text", text);
  flat_json_end(&object);
  char *read = fclose(out) == 0 ? calloc(1, size + 1) : NULL;
  if (read != NULL) (void)flat_json_text(line, "text", read, size + 1);
  free(line);
  return read;
}

static bool says(const wanted *w, const char *line, const char *key, const char *text) {
  return flat_json_text(line, key, w->room, w->size) && strcmp(w->room, text) == 0;
}

/* The folder of a line's bench; false: the line names none, or one that is elsewhere. */
static bool read_run(const char *line, char run[BENCH_RUN_ROOM]) {
  return flat_json_text(line, "run", run, BENCH_RUN_ROOM) && run[0] != '\0' && run[0] != '.' &&
         strchr(run, '/') == NULL;
}

static bool is_of_machine(const wanted *w, const char *line) {
  return says(w, line, "name", w->name) && says(w, line, "host", w->host) && says(w, line, "device", w->device);
}

static bool is_alike(const wanted *w, const char *line) {
  return is_of_machine(w, line) && says(w, line, "command", w->command);
}

/* ---- The base ---- */

/* A bench has several lines, one behind the other: they are counted once. */
static void find_base(earlier_benches *out, const char *history, const wanted *w) {
  char run[BENCH_RUN_ROOM], last[BENCH_RUN_ROOM] = "", last_of_machine[BENCH_RUN_ROOM] = "";
  for (const char *line; (line = history_line(&history)) != NULL;) {
    if (!read_run(line, run) || strcmp(run, last) == 0) continue;
    memcpy(last, run, sizeof last);
    bool alike = is_alike(w, line);
    *(alike ? &out->alike : &out->others) += 1;
    if (alike) memcpy(out->run, run, sizeof out->run);
    if (is_of_machine(w, line)) memcpy(last_of_machine, run, sizeof last_of_machine);
  }
  out->is_alike = out->alike > 0;
  if (!out->is_alike) memcpy(out->run, last_of_machine, sizeof out->run);
}

/* ---- Medians ---- */

static bool add_median(double **medians, size_t *count, double median) {
  double *more = realloc(*medians, (*count + 1) * sizeof *more);
  if (more == NULL) return false;
  *medians = more;
  more[(*count)++] = median;
  return true;
}

/* True if a line has a method's median. A runner may print a figure of the same name; lines of earlier versions do not
 * say of what kind they are, but a bench's methods come first. */
static bool is_of_method(const wanted *w, const char *line, const char *method, double *median) {
  char kind[16];
  if (flat_json_text(line, "kind", kind, sizeof kind) && strcmp(kind, bench_kind_name(MEASURE_METHOD)) != 0)
    return false;
  return says(w, line, "measure", method) && says(w, line, "unit", "ms") && flat_json_number(line, "p50", median) &&
         *median > 0 && isfinite(*median);
}

/* The medians of a method in all benches that are alike. */
typedef struct median_list {
  double *list;
  size_t count;
  bool has_last; /* the base has one */
} median_list;

/* False when out of memory. */
static bool find_medians(median_list *out, const earlier_benches *earlier, const char *history, const wanted *w,
                         const char *method) {
  char run[BENCH_RUN_ROOM], last[BENCH_RUN_ROOM] = "";
  double median;
  for (const char *line; (line = history_line(&history)) != NULL;) {
    if (!read_run(line, run) || !is_alike(w, line) || !is_of_method(w, line, method, &median)) continue;
    if (strcmp(run, last) == 0) continue;
    if (!add_median(&out->list, &out->count, median)) return false;
    memcpy(last, run, sizeof last);
  }
  out->has_last = strcmp(last, earlier->run) == 0;
  return true;
}

/* A method that the base does not have is not compared, and needs no history. */
static bool add_history(earlier_benches *out, const char *history, const wanted *w, const char *method) {
  median_list medians = {0};
  char *written = as_in_a_line(bench_method_name(method));
  bool found = written != NULL && find_medians(&medians, out, history, w, written);
  free(written);
  if (!found || !medians.has_last || medians.count == 0) {
    free(medians.list);
    return found;
  }
  out->medians[out->history_count] = medians.list;
  out->histories[out->history_count++] = (etr_bench_history){method, medians.list, medians.count};
  if (out->fewest == 0 || medians.count < out->fewest) out->fewest = medians.count;
  return true;
}

/* ---- The whole ---- */

static bool begin(wanted *out, const char *name, const bench_facts *facts, size_t longest_method) {
  *out = (wanted){
      as_in_a_line(name), as_in_a_line(facts->host), as_in_a_line(facts->device), as_in_a_line(facts->command), NULL,
      longest_method + 1};
  const char *const texts[] = {out->name, out->host, out->device, out->command};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    if (texts[i] == NULL) return false;
    if (strlen(texts[i]) >= out->size) out->size = strlen(texts[i]) + 1;
  }
  out->room = malloc(out->size); /* a text of a line that does not fit is another one */
  return out->room != NULL;
}

static void end(wanted *w) {
  free(w->name);
  free(w->host);
  free(w->device);
  free(w->command);
  free(w->room);
}

bool earlier_find(earlier_benches *out, const char *history, const char *name, const bench_facts *facts,
                  const char *const *methods, size_t method_count) {
  wanted w;
  size_t longest = 64; /* kinds, and a method without a name */
  *out = (earlier_benches){.histories = calloc(method_count + 1, sizeof *out->histories),
                           .medians = calloc(method_count + 1, sizeof *out->medians)};
  for (size_t i = 0; i < method_count; i++)
    if (strlen(methods[i]) > longest) longest = strlen(methods[i]);
  bool found = begin(&w, name, facts, longest) && out->histories != NULL && out->medians != NULL;
  if (found) find_base(out, history, &w);
  for (size_t i = 0; found && out->is_alike && i < method_count; i++) found = add_history(out, history, &w, methods[i]);
  end(&w);
  return found;
}

void earlier_clear(earlier_benches *earlier) {
  for (size_t i = 0; i < earlier->history_count; i++) free(earlier->medians[i]);
  free(earlier->medians);
  free(earlier->histories);
  *earlier = (earlier_benches){0};
}
