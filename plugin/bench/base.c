/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base.c - opens the base's record and ETDumps, or the document of an earlier bench, compares, and
 * prints the comparison. The lines of a history are read twice: to find the base, then to find the
 * medians of each method.
 */
#include "bench/base.h"

#include "command/flat_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Whole files in memory ---- */

bool bench_document_add(void *context, const void *data, size_t size) {
  bench_document *d = context;
  char *more = realloc(d->text, d->size + size + 1);
  if (more == NULL)
    return false;
  d->text = more;
  memcpy(more + d->size, data, size);
  d->size += size;
  return true;
}

/* Reads a file. Returns NULL, or the reason why it cannot be read. */
static const char *read_document(bench_document *out, const char *path) {
  char piece[65536];
  const char *reason;
  FILE *file = command_open_file(path, &reason);
  if (file == NULL)
    return reason;
  bool is_whole = true;
  for (size_t got; is_whole && (got = fread(piece, 1, sizeof piece, file)) > 0;)
    is_whole = bench_document_add(out, piece, got);
  bool is_read = ferror(file) == 0;
  (void)fclose(file);
  if (!is_read)
    return "cannot be read";
  return is_whole ? NULL : "out of memory";
}

static etr_status emit_document(void *context, const etr_sink *sink, etr_error *error) {
  const bench_document *d = context;
  return sink->write(sink->context, d->text, d->size)
             ? ETR_OK
             : message_fail(error, ETR_ERROR_IO, "cannot write");
}

etr_status bench_document_write(const bench_document *document, const char *path,
                                etr_error *error) {
  bench_document borrowed = *document;
  return etr_write_file(path, emit_document, &borrowed, error);
}

void bench_document_clear(bench_document *document) {
  free(document->text);
  *document = (bench_document){0};
}

/* ---- The lines of a history ---- */

/* The texts that lines of comparable earlier benches have. */
typedef struct wanted {
  char *name, *host, *device, *command; /* facts of the new bench, as a line would contain them */
  char *room;                           /* buffer for a text as long as the longest of them */
  size_t size;                          /* bytes of the buffer */
} wanted;

/* Returns a text as it is read back from a line, where characters that could steer a terminal are
 * replaced. Free it. Returns NULL when out of memory. */
static char *as_in_a_line(const char *text) {
  char *line = NULL;
  size_t size = 0;
  flat_json object;
  FILE *out = open_memstream(&line, &size);
  if (out == NULL)
    return NULL;
  flat_json_begin(&object, out);
  flat_json_add_text(&object, "text", text);
  flat_json_end(&object);
  char *read = fclose(out) == 0 ? calloc(1, size + 1) : NULL;
  if (read != NULL)
    (void)flat_json_text(line, "text", read, size + 1);
  free(line);
  return read;
}

static bool has_wanted(const wanted *w, const char *line, const char *key, const char *text) {
  return flat_json_text(line, key, w->room, w->size) && strcmp(w->room, text) == 0;
}

/* Reads the folder of a line's bench. Returns false if the line names no folder, or one outside of
 * the history's. */
static bool read_run(const char *line, char run[BENCH_RUN_ROOM]) {
  return flat_json_text(line, "run", run, BENCH_RUN_ROOM) && run[0] != '\0' && run[0] != '.' &&
         strchr(run, '/') == NULL;
}

static bool is_of_machine(const wanted *w, const char *line) {
  return has_wanted(w, line, "name", w->name) && has_wanted(w, line, "host", w->host) &&
         has_wanted(w, line, "device", w->device);
}

static bool is_alike(const wanted *w, const char *line) {
  return is_of_machine(w, line) && has_wanted(w, line, "command", w->command);
}

/* Finds the base and counts earlier benches. A bench has several consecutive lines and is counted
 * once. */
static void find_base(earlier_benches *out, const char *history, const wanted *w) {
  char run[BENCH_RUN_ROOM], last[BENCH_RUN_ROOM] = "", last_of_machine[BENCH_RUN_ROOM] = "";
  for (const char *line; (line = history_line(&history)) != NULL;) {
    if (!read_run(line, run) || strcmp(run, last) == 0)
      continue;
    memcpy(last, run, sizeof last);
    bool alike = is_alike(w, line);
    *(alike ? &out->alike : &out->others) += 1;
    if (alike)
      memcpy(out->run, run, sizeof out->run);
    if (is_of_machine(w, line))
      memcpy(last_of_machine, run, sizeof last_of_machine);
  }
  out->is_alike = out->alike > 0;
  if (!out->is_alike)
    memcpy(out->run, last_of_machine, sizeof out->run);
}

/* Reads a method's median from a line; returns false if the line has none. A runner may print a
 * figure of the same name. Lines of earlier versions have no kind, but the lines of methods come
 * first in a bench. */
static bool is_of_method(const wanted *w, const char *line, const char *method, double *median) {
  char kind[16];
  if (flat_json_text(line, "kind", kind, sizeof kind) &&
      strcmp(kind, bench_kind_name(MEASURE_METHOD)) != 0)
    return false;
  return has_wanted(w, line, "measure", method) && has_wanted(w, line, "unit", "ms") &&
         flat_json_number(line, "p50", median) && *median > 0 && isfinite(*median);
}

/* Adds the medians of a method in all benches that are alike. A method that the base does not have
 * is not compared, and needs no history. Returns false when out of memory. */
static bool add_history(earlier_benches *out, const char *history, const wanted *w,
                        const char *method) {
  char run[BENCH_RUN_ROOM], last[BENCH_RUN_ROOM] = "",
                            *written = as_in_a_line(bench_method_name(method));
  bool found = written != NULL;
  double median, *list = NULL;
  size_t count = 0;
  for (const char *line; found && (line = history_line(&history)) != NULL;) {
    if (!read_run(line, run) || !is_alike(w, line) || !is_of_method(w, line, written, &median))
      continue;
    if (strcmp(run, last) == 0)
      continue;
    double *more = realloc(list, (count + 1) * sizeof *more);
    found = more != NULL;
    if (!found)
      break;
    list = more;
    list[count++] = median;
    memcpy(last, run, sizeof last);
  }
  free(written);
  if (!found || count == 0 || strcmp(last, out->run) != 0) {
    free(list);
    return found;
  }
  out->medians[out->history_count] = list;
  out->histories[out->history_count++] = (etr_bench_history){method, list, count};
  if (out->fewest == 0 || count < out->fewest)
    out->fewest = count;
  return true;
}

static bool make_wanted(wanted *out, const char *name, const bench_facts *facts,
                        size_t longest_method) {
  *out = (wanted){as_in_a_line(name),
                  as_in_a_line(facts->host),
                  as_in_a_line(facts->device),
                  as_in_a_line(facts->command),
                  NULL,
                  longest_method + 1};
  const char *const texts[] = {out->name, out->host, out->device, out->command};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    if (texts[i] == NULL)
      return false;
    if (strlen(texts[i]) >= out->size)
      out->size = strlen(texts[i]) + 1;
  }
  out->room = malloc(out->size); /* a text of a line that does not fit cannot be equal */
  return out->room != NULL;
}

bool earlier_find(earlier_benches *out, const char *history, const char *name,
                  const bench_facts *facts, const char *const *methods, size_t method_count) {
  wanted w;
  size_t longest = 64; /* enough for kinds, and for a method without a name */
  *out = (earlier_benches){.histories = calloc(method_count + 1, sizeof *out->histories),
                           .medians = calloc(method_count + 1, sizeof *out->medians)};
  for (size_t i = 0; i < method_count; i++)
    if (strlen(methods[i]) > longest)
      longest = strlen(methods[i]);
  bool found = make_wanted(&w, name, facts, longest) && out->histories != NULL &&
               out->medians != NULL;
  if (found)
    find_base(out, history, &w);
  for (size_t i = 0; found && out->is_alike && i < method_count; i++)
    found = add_history(out, history, &w, methods[i]);
  char *const texts[] = {w.name, w.host, w.device, w.command, w.room};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    free(texts[i]);
  return found;
}

void earlier_clear(earlier_benches *earlier) {
  for (size_t i = 0; i < earlier->history_count; i++)
    free(earlier->medians[i]);
  free(earlier->medians);
  free(earlier->histories);
  *earlier = (earlier_benches){0};
}

/* ---- In turns ---- */

exit_status base_open(etr_profile **out, const cli_settings *settings, const bench_job *job) {
  cli_settings own = *settings;
  *out = NULL;
  if (job->base.arguments == NULL)
    return EXIT_DONE;
  if (settings->against_record !=
      NULL) { /* a record of its own replaces the files of the new side */
    own.record = settings->against_record;
    own.etrecord = own.pte = NULL;
  }
  return bench_open_side(out, &own, &job->base);
}

/* Prints a comparison. Returns the exit status by --fail-above. */
static exit_status print_and_check(const bench_newer *newer, const etr_comparison *comparison) {
  exit_status status = newer->prints ? command_print_diff(comparison, newer->text) : EXIT_DONE;
  return status == EXIT_DONE ? command_check_limits(comparison, newer->settings) : status;
}

static exit_status compare_in_turns(const bench_newer *newer, const etr_profile *base) {
  etr_error error;
  etr_comparison *comparison;
  etr_compare_options options = command_compare_options(newer->settings);
  options.is_in_turns = true;
  if (etr_compare(&comparison, base, newer->profile, &options, &error) != ETR_OK)
    return message_error(&error);
  if (newer->prints) {
    fputs("\nrecorded in turns with ", stdout);
    message_put_plain(stdout, newer->job->facts.against);
    fputs(":\n\n", stdout);
  }
  exit_status status = print_and_check(newer, comparison);
  etr_comparison_close(comparison);
  return status;
}

/* ---- With an earlier bench ---- */

static const char *plural(size_t count) {
  return count == 1 ? "" : "es";
}

/* Prints why there is no base. With --fail-above that is an error. */
static exit_status report_no_base(const bench_newer *newer, const char *text) {
  const char *name = newer->job->history.name;
  if (newer->prints) {
    putchar('\n');
    message_put_plain(stdout, name);
    printf(": nothing to compare with: %s\n", text);
  }
  if (!newer->settings->has_fail_above)
    return EXIT_DONE;
  (void)message_failed("%s: cannot tell whether it is above the limit of %g %%: %s", name,
                       newer->settings->fail_above, text);
  return EXIT_CANNOT_TELL;
}

/* Prints which bench is the base, and how much sessions are known to differ. */
static void print_base(const earlier_benches *earlier, const etr_comparison *comparison) {
  size_t known = earlier->fewest > 0 ? earlier->fewest : earlier->alike;
  double assumed = 100 * comparison->recording_noise;
  fputs("\ncompared with the bench of ", stdout);
  message_put_plain(stdout, earlier->run);
  if (!earlier->is_alike)
    printf(", which ran another command\nBenches of other commands do not show how much sessions "
           "differ: %g %% is "
           "assumed.\n\n",
           assumed);
  else if (known < ETR_LEAST_BENCHES)
    printf(", an earlier session\n%zu earlier bench%s: too few to know how much sessions differ "
           "(%d are enough), so "
           "%g %% is assumed.\n\n",
           known, plural(known), (int)ETR_LEAST_BENCHES, assumed);
  else
    printf(", an earlier session\n%zu earlier benches show how much sessions differ: a change "
           "counts only beyond "
           "that.\n\n",
           known);
}

static exit_status compare_documents(const bench_newer *newer, const earlier_benches *earlier,
                                     const bench_document *old, const char *path) {
  etr_error error;
  etr_comparison *comparison;
  etr_compare_options options = command_compare_options(newer->settings);
  options.is_other_session = true;
  options.histories = earlier->histories;
  options.history_count = earlier->history_count;
  const etr_document base = {old->text, old->size, path},
                     now = {newer->document->text, newer->document->size, "this bench"};
  if (etr_compare_documents(&comparison, &base, &now, &options, &error) != ETR_OK) {
    message_warning("%s: %s", path, error.message);
    return report_no_base(newer, "the last bench cannot be read");
  }
  if (newer->prints)
    print_base(earlier, comparison);
  exit_status status = print_and_check(newer, comparison);
  etr_comparison_close(comparison);
  return status;
}

static exit_status compare_with(const bench_newer *newer, const earlier_benches *earlier) {
  char path[PATH_MAX], text[160] = "this is the first bench of that name";
  bench_document old = {NULL, 0};
  if (earlier->others > 0)
    (void)snprintf(text, sizeof text,
                   "%zu earlier bench%s of that name ran on another host or device",
                   earlier->others, plural(earlier->others));
  if (earlier->run[0] == '\0')
    return report_no_base(newer, text);
  history_path(&newer->job->history, earlier->run, "profile.json", path);
  exit_status status;
  const char *reason = read_document(&old, path);
  if (reason == NULL) {
    status = compare_documents(newer, earlier, &old, path);
  } else {
    message_warning("%s: %s", path, reason);
    status = report_no_base(newer, access(path, F_OK) == 0 ? "the last bench cannot be read"
                                                           : "the last bench's folder was removed");
  }
  bench_document_clear(&old);
  return status;
}

exit_status base_compare(const bench_newer *newer, const etr_profile *base) {
  const etr_profile *profile = newer->profile;
  const bench_history *history = &newer->job->history;
  earlier_benches earlier = {.run = ""};
  if (base != NULL)
    return compare_in_turns(newer, base);
  const char **methods = calloc(profile->method_count + 1, sizeof *methods);
  for (size_t i = 0; methods != NULL && i < profile->method_count; i++)
    methods[i] = profile->methods[i].name;
  bool found = methods != NULL && earlier_find(&earlier, history->text, history->name,
                                               &newer->job->facts, methods, profile->method_count);
  exit_status status = found ? compare_with(newer, &earlier) : message_failed("out of memory");
  earlier_clear(&earlier);
  free(methods);
  return status;
}
