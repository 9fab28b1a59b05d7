/* SPDX-License-Identifier: BSD-3-Clause
 *
 * trend.c - each line of a history is a measure of a bench, with what is known of the bench.
 */
#include "bench/trend.h"

#include "command/flat_json.h"

#include <math.h>
#include <string.h>

enum { MOST_POINTS = 10, SHORT_COMMIT = 10 };

/* ---- Lines ---- */

static void put_line(FILE *out, const bench_job *job, const bench_measure *measure) {
  const bench_facts *facts = &job->facts;
  flat_json line;
  flat_json_begin(&line, out);
  flat_json_add_text(&line, "name", job->history.name);
  flat_json_add_text(&line, "run", job->history.run);
  flat_json_add_text(&line, "host", facts->host);
  flat_json_add_text(&line, "device", facts->device);
  flat_json_add_text(&line, "commit", facts->commit);
  flat_json_add_text(&line, "command", facts->command);
  if (facts->against != NULL) flat_json_add_text(&line, "against", facts->against);
  flat_json_add_number(&line, "repeat", (double)facts->repeat);
  flat_json_add_number(&line, "warmup", (double)facts->warmup);
  flat_json_add_number(&line, "failed", (double)job->newer.failed);
  flat_json_add_number(&line, "untraced_s", facts->untraced_seconds);
  flat_json_add_text(&line, "kind", bench_kind_name(measure->kind));
  flat_json_add_text(&line, "measure", measure->name);
  flat_json_add_text(&line, "unit", measure->unit);
  flat_json_add_number(&line, "count", (double)measure->count);
  flat_json_add_number(&line, "p50", measure->p50);
  flat_json_add_number(&line, "avg", measure->avg);
  flat_json_add_number(&line, "min", measure->min);
  flat_json_add_number(&line, "max", measure->max);
  flat_json_end(&line);
  fputc('\n', out);
}

void trend_write_lines(FILE *out, const bench_job *job, const bench_measures *measures) {
  for (size_t i = 0; i < measures->count; i++) put_line(out, job, &measures->list[i]);
}

/* ---- The trend ---- */

typedef struct point {
  const char *line; /* of the history */
  char run[BENCH_RUN_ROOM], commit[FACT_ROOM];
  double p50;
} point;

typedef struct points {
  point list[MOST_POINTS + 1]; /* the first only for the step to the second */
  size_t count, all;
} points;

static bool is_of(const char *line, const char *key, const char *text) {
  char value[1024];
  return flat_json_text(line, key, value, sizeof value) && strcmp(value, text) == 0;
}

static void add_point(points *p, const point *added) {
  if (p->count == MOST_POINTS + 1) memmove(p->list, p->list + 1, MOST_POINTS * sizeof *p->list);
  if (p->count == MOST_POINTS + 1) p->count--;
  p->list[p->count++] = *added;
  p->all++;
}

static points find_points(const char *history, const bench_measure *measure) {
  points found = {.count = 0};
  for (const char *line; (line = history_line(&history)) != NULL;) {
    point p = {.line = line, .run = "", .commit = ""};
    if (!is_of(line, "measure", measure->name) || !is_of(line, "unit", measure->unit)) continue;
    if (!flat_json_number(line, "p50", &p.p50)) continue;
    (void)flat_json_text(line, "run", p.run, sizeof p.run);
    (void)flat_json_text(line, "commit", p.commit, sizeof p.commit);
    add_point(&found, &p);
  }
  return found;
}

/* Eighths of a line's height, or ASCII: the least at the bottom, the most at the top. */
static void put_curve(FILE *out, const points *p, size_t first, bool ascii) {
  static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static const char letters[] = "_.,-=+*#";
  double least = INFINITY, most = -INFINITY;
  for (size_t i = first; i < p->count; i++) {
    if (p->list[i].p50 < least) least = p->list[i].p50;
    if (p->list[i].p50 > most) most = p->list[i].p50;
  }
  for (size_t i = first; i < p->count; i++) {
    size_t height = most > least ? (size_t)(7 * (p->list[i].p50 - least) / (most - least) + 0.5) : 3;
    if (ascii)
      fputc(letters[height], out);
    else
      fputs(blocks[height], out);
  }
}

/* What a bench and the one before do not have in common, so that their times are not like with like; NULL: nothing, or
 * there is none before. */
static const char *other_of(const points *p, size_t i) {
  static const char *const keys[] = {"host", "device", "command"};
  char before[4096], now[sizeof before];
  for (size_t k = 0; i > 0 && k < sizeof keys / sizeof *keys; k++)
    if (flat_json_text(p->list[i - 1].line, keys[k], before, sizeof before) &&
        flat_json_text(p->list[i].line, keys[k], now, sizeof now) && strcmp(before, now) != 0)
      return keys[k];
  return NULL;
}

/* What a median differs by from the one before, in percent; NaN: there is none before, or none that is alike. No word
 * is said of whether it counts: sessions differ. */
static double step_to(const points *p, size_t i) {
  if (other_of(p, i) != NULL) return (double)NAN;
  return i > 0 && p->list[i - 1].p50 > 0 ? 100 * (p->list[i].p50 / p->list[i - 1].p50 - 1) : (double)NAN;
}

static void put_step(FILE *out, double step) {
  if (step > -0.05 && step < 0.05) step = 0; /* instead of -0.0 */
  fprintf(out, "  %+8.1f %%", step);
}

static void put_point(FILE *out, const points *p, size_t i) {
  const point *at = &p->list[i];
  char names[BENCH_RUN_ROOM + FACT_ROOM];
  (void)snprintf(names, sizeof names, "  %-21s  %-*.*s", at->run, SHORT_COMMIT, SHORT_COMMIT, at->commit);
  message_put_plain(out, names);
  fprintf(out, "  %12.4f", at->p50);
  if (isfinite(step_to(p, i))) put_step(out, step_to(p, i));
  if (other_of(p, i) != NULL) fprintf(out, "  other %s", other_of(p, i));
  fputc('\n', out);
}

static void print_method(FILE *out, const char *history, const bench_measure *measure, bool ascii) {
  const points p = find_points(history, measure);
  size_t first = p.count > MOST_POINTS ? 1 : 0;
  if (p.count < 2) return;
  fputs("\ntrend of ", out);
  message_put_plain(out, measure->name);
  fprintf(out, ", median in %s, last %zu of %zu benches: ", measure->unit, p.count - first, p.all);
  put_curve(out, &p, first, ascii);
  fputc('\n', out);
  for (size_t i = first; i < p.count; i++) put_point(out, &p, i);
}

/* A line each: an LLM runner has several. */
static void print_figure(FILE *out, const char *history, const bench_measure *measure, bool ascii) {
  const points p = find_points(history, measure);
  double step = p.count > 0 ? step_to(&p, p.count - 1) : (double)NAN;
  fprintf(out, "%-19s  %10.2f %-8s", measure->name, measure->p50, measure->unit);
  if (isfinite(step)) fprintf(out, "  %+8.1f %%  ", step);
  if (isfinite(step)) put_curve(out, &p, p.count > MOST_POINTS ? 1 : 0, ascii);
  fputc('\n', out);
}

static bool has_figures(const bench_measures *measures) {
  for (size_t i = 0; i < measures->count; i++)
    if (measures->list[i].kind == MEASURE_RUNNER) return true;
  return false;
}

void trend_print(FILE *out, const char *history, const bench_measures *measures, bool ascii) {
  for (size_t i = 0; i < measures->count; i++)
    if (measures->list[i].kind == MEASURE_METHOD) print_method(out, history, &measures->list[i], ascii);
  if (has_figures(measures)) fprintf(out, "\n%-19s  %10s %8s  %10s\n", "printed by runner", "median", "", "last step");
  for (size_t i = 0; i < measures->count; i++)
    if (measures->list[i].kind == MEASURE_RUNNER) print_figure(out, history, &measures->list[i], ascii);
}
