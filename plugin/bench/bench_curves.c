/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench_curves.c - the curves over the benches of a name, from the lines of the history.
 */
#include "bench/job.h"
#include "command/flat_json.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_OP_TYPES = 10, NAME_ROOM = 512, NUMBER_ROOM = 16 };

/* ---- What a line keeps ---- */

static bool add_bytes(void *context, const void *data, size_t size) {
  return fwrite(data, 1, size, context) == size;
}

/* Puts the members of the object that the library writes into the line's object. */
bool bench_curves_put(FILE *out, const etr_profile *profile, const bench_measure *measure) {
  char *text = NULL;
  size_t size = 0;
  uint32_t method = 0;
  while (profile->methods[method].run_count == 0 ||
         strcmp(bench_method_name(profile->methods[method].name), measure->name) != 0)
    method++;
  FILE *object = open_memstream(&text, &size);
  if (object == NULL)
    return false;
  bool written = etr_emit_bench_facts(profile, method, &(etr_sink){add_bytes, object}, NULL) ==
                 ETR_OK;
  written = fclose(object) == 0 && written;
  char *end = written ? strrchr(text, '}') : NULL;
  if (end != NULL)
    fprintf(out, ", %.*s", (int)(end - text - 1), text + 1);
  free(text);
  return end != NULL;
}

/* ---- Lines ---- */

/* A line of a measure. */
typedef struct measured {
  const char *text;
  int64_t bench;
  double wall_time;
} measured;

/* The lines of one measure, at most one for each bench, oldest first. */
typedef struct measured_list {
  measured *lines;
  size_t count;
} measured_list;

/* Returns the time in the name of a bench's folder, "2026-11-22_13-40-05" (UTC), in seconds since
 * 1970; 0 if there is none. The days are counted from March on, so that a leap day is the last of
 * its year. */
static double time_of(const char *run) {
  int year, month, day, hour, minute, second;
  if (sscanf(run, "%4d-%2d-%2d_%2d-%2d-%2d", &year, &month, &day, &hour, &minute, &second) != 6 ||
      year < 1970 || month < 1 || month > 12)
    return 0;
  year -= month <= 2;
  int days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * ((month + 9) % 12) + 2) / 5 +
             day - 1;
  return (days - 719468) * 86400.0 + hour * 3600 + minute * 60 + second;
}

static bool is_of(const char *line, const bench_measure *measure) {
  char name[NAME_ROOM], unit[NUMBER_ROOM], kind[NUMBER_ROOM];
  return flat_json_text(line, "measure", name, sizeof name) && strcmp(name, measure->name) == 0 &&
         flat_json_text(line, "unit", unit, sizeof unit) && strcmp(unit, measure->unit) == 0 &&
         (!flat_json_text(line, "kind", kind, sizeof kind) ||
          strcmp(kind, bench_kind_name(measure->kind)) == 0);
}

/* Lists the lines of a measure. The lines of a bench are consecutive. The list is empty when out of
 * memory. */
static measured_list list_lines(const char *history, const bench_measure *measure) {
  char run[BENCH_RUN_ROOM], before[BENCH_RUN_ROOM] = "";
  measured_list list = {NULL, 0};
  size_t most = 0;
  int64_t bench = -1;
  for (const char *at = history; history_line(&at) != NULL;)
    most++;
  list.lines = calloc(most + 1, sizeof *list.lines);
  for (const char *line; list.lines != NULL && (line = history_line(&history)) != NULL;) {
    if (!flat_json_text(line, "run", run, sizeof run))
      continue;
    if (strcmp(run, before) != 0)
      bench++;
    memcpy(before, run, sizeof before);
    if (is_of(line, measure) && (list.count == 0 || list.lines[list.count - 1].bench != bench))
      list.lines[list.count++] = (measured){line, bench, time_of(run)};
  }
  return list;
}

/* ---- Curves ---- */

enum { MOST_CURVES = 4 + MOST_OP_TYPES };

typedef struct curves {
  const char *history;
  etr_bench_curve
      *list; /* their names, methods and points are freed with them, if they are not borrowed */
  etr_bench_spread *spreads;
  size_t count, room, spread_count;
  bool failed;
} curves;

static double value_of(const char *line, etr_bench_group group, const char *key, bool *found) {
  char name[NAME_ROOM];
  double value = 0;
  *found = false;
  if (group != ETR_BENCH_OP_TYPE) {
    *found = flat_json_number(line, key, &value);
    return value;
  }
  const char *at = flat_json_inside(line, "op_types");
  while (at != NULL && !*found && flat_json_next_member(&at, name, sizeof name, &value))
    *found = strcmp(name, key) == 0;
  return value;
}

/* Adds a curve of the values that the lines have under a key. */
static void add_curve(curves *c, etr_bench_curve curve, const measured_list *list,
                      const char *key) {
  etr_bench_point *points = calloc(list->count, sizeof *points);
  char *name = strdup(curve.name);
  c->failed |= points == NULL || name == NULL;
  for (size_t i = 0; points != NULL && i < list->count; i++) {
    const measured *line = &list->lines[i];
    bool found;
    double value = value_of(line->text, curve.group, key, &found);
    if (found)
      points[curve.count++] = (etr_bench_point){line->bench, line->wall_time, value};
  }
  curve.name = name;
  curve.points = points;
  c->list[c->count++] = curve;
}

static void add_spread(curves *c, const char *method, const measured *line) {
  etr_bench_spread *spread = &c->spreads[c->spread_count];
  const char *at = flat_json_inside(line->text, "counts");
  *spread = (etr_bench_spread){
      .method = method, .bench = line->bench, .wall_time = line->wall_time};
  if (at == NULL || !flat_json_number(line->text, "min", &spread->least) ||
      !flat_json_number(line->text, "max", &spread->most))
    return;
  while (spread->buckets < ETR_BENCH_BUCKETS &&
         flat_json_next_number(&at, &spread->counts[spread->buckets]))
    spread->buckets++;
  c->spread_count += spread->buckets > 0;
}

/* Adds the times of a method, and the operator types that take longest in its newest bench, which
 * lists them first. */
static void add_method(curves *c, const char *method, const measured_list *list) {
  static const char *const keys[][2] = {
      {"p50", "p50"}, {"p10", "p10"}, {"p90", "p90"}, {"load", "load_ms"}};
  char name[NAME_ROOM];
  double value;
  const char *at = flat_json_inside(list->lines[list->count - 1].text, "op_types");
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    add_curve(c, (etr_bench_curve){ETR_BENCH_TIME, keys[i][0], method, NULL, 0}, list, keys[i][1]);
  for (size_t i = 0;
       at != NULL && i < MOST_OP_TYPES && flat_json_next_member(&at, name, sizeof name, &value);
       i++)
    add_curve(c, (etr_bench_curve){ETR_BENCH_OP_TYPE, name, method, NULL, 0}, list, name);
  etr_bench_spread *more = realloc(c->spreads, (c->spread_count + list->count) * sizeof *more);
  c->failed |= more == NULL;
  if (more == NULL)
    return;
  c->spreads = more;
  for (size_t i = 0; i < list->count; i++)
    add_spread(c, method, &list->lines[i]);
}

/* Adds a measure: "generation rate (tokens per s)" of a figure, because a slash would begin another
 * part of the tag. */
static void add_measure(curves *c, const bench_measure *measure, bool is_only) {
  char name[NAME_ROOM];
  measured_list list = list_lines(c->history, measure);
  c->failed |= list.lines == NULL;
  if (list.count > 1 && measure->kind == MEASURE_METHOD)
    add_method(c, is_only ? NULL : measure->name, &list);
  if (list.count > 1 && measure->kind == MEASURE_RUNNER) {
    const char *unit = strcmp(measure->unit, "tokens/s") == 0 ? "tokens per s" : measure->unit;
    (void)snprintf(name, sizeof name, "%s (%s)", measure->name, unit);
    add_curve(c, (etr_bench_curve){ETR_BENCH_FIGURE, name, NULL, NULL, 0}, &list, "p50");
  }
  free(list.lines);
}

static void clear(curves *c) {
  for (size_t i = 0; i < c->count; i++) {
    free((void *)(uintptr_t)c->list[i].name);
    free((void *)(uintptr_t)c->list[i].points);
  }
  free(c->list);
  free(c->spreads);
}

/* ---- The run ---- */

static exit_status write_run(const curves *c, const bench_job *job, const cli_settings *settings) {
  const etr_benches benches = {c->list, c->count, c->spreads, c->spread_count};
  char host[256] = "localhost";
  etr_logdir_options options;
  etr_error error;
  bench_logdir_options(&options, settings, host);
  options.logdir = job->history.folder;
  options.name = "0_benches"; /* sorts in front of the benches, and of the record */
  return etr_write_benches(&benches, &options, &error) == ETR_OK ? EXIT_DONE
                                                                 : message_error(&error);
}

exit_status bench_curves_write(const bench_job *job, const cli_settings *settings,
                               const bench_measures *measures, const char *lines) {
  curves c = {.list = calloc(measures->count * MOST_CURVES + 1, sizeof *c.list)};
  size_t methods = 0, size = 0;
  char *history = NULL;
  FILE *all = open_memstream(&history, &size);
  if (all != NULL)
    fprintf(all, "%s%s", job->history.text, lines);
  c.failed = c.list == NULL || all == NULL || fclose(all) != 0;
  c.history = history;
  for (size_t i = 0; i < measures->count; i++)
    methods += measures->list[i].kind == MEASURE_METHOD;
  for (size_t i = 0; !c.failed && i < measures->count; i++)
    add_measure(&c, &measures->list[i], methods == 1);
  exit_status status = c.failed ? message_failed("out of memory") : EXIT_DONE;
  if (status == EXIT_DONE && c.count > 0)
    status = write_run(&c, job, settings);
  clear(&c);
  free(history);
  return status;
}
