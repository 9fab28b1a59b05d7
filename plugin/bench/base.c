/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base.c - the base's record and dumps, or the document of an earlier bench; the comparison; what is said about it.
 */
#include "bench/base.h"

#include "bench/earlier.h"
#include "bench/shared.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- In turns ---- */

/* The settings that find the base's record: a record of its own comes without the new side's files. */
static cli_settings base_settings(const cli_settings *settings) {
  cli_settings own = *settings;
  if (settings->against_record == NULL) return own;
  own.record = settings->against_record;
  own.etrecord = own.pte = NULL;
  return own;
}

exit_status base_open(etr_profile **out, const cli_settings *settings, const bench_job *job) {
  const bench_side *side = &job->base;
  *out = NULL;
  if (side->arguments == NULL) return EXIT_DONE;
  const cli_settings own = base_settings(settings);
  return bench_open_side(out, &own, side);
}

/* Prints a comparison, and returns what --fail-above makes of it. */
static exit_status judge(const bench_newer *newer, const etr_comparison *comparison) {
  exit_status status = newer->prints ? command_print_diff(comparison, newer->text) : EXIT_DONE;
  return status == EXIT_DONE ? command_check_limits(comparison, newer->settings) : status;
}

static exit_status compare_in_turns(const bench_newer *newer, const etr_profile *base) {
  etr_error error;
  etr_comparison *comparison;
  etr_compare_options options = command_compare_options(newer->settings);
  options.is_in_turns = true;
  if (etr_compare(&comparison, base, newer->profile, &options, &error) != ETR_OK) return message_error(&error);
  if (newer->prints) {
    fputs("\nrecorded in turns with ", stdout);
    message_put_plain(stdout, newer->job->facts.against);
    fputs(":\n\n", stdout);
  }
  exit_status status = judge(newer, comparison);
  etr_comparison_close(comparison);
  return status;
}

/* ---- With an earlier bench ---- */

static const char *plural(size_t count) { return count == 1 ? "" : "es"; }

/* Why there is no base: the line is printed, and with --fail-above it is an error. */
static exit_status say_nothing(const bench_newer *newer, const char *text) {
  const char *name = newer->job->history.name;
  if (newer->prints) {
    putchar('\n');
    message_put_plain(stdout, name);
    printf(": nothing to compare with: %s\n", text);
  }
  if (!newer->settings->has_fail_above) return EXIT_DONE;
  (void)message_failed("%s: cannot tell whether it is above the limit of %g %%: %s", name, newer->settings->fail_above,
                       text);
  return EXIT_CANNOT_TELL;
}

static exit_status say_no_base(const bench_newer *newer, const earlier_benches *earlier) {
  char text[160] = "this is the first bench of that name";
  if (earlier->others > 0)
    (void)snprintf(text, sizeof text, "%zu earlier bench%s of that name ran on another host or device", earlier->others,
                   plural(earlier->others));
  return say_nothing(newer, text);
}

/* Says which bench is the base, and how the sessions are known to differ. */
static void introduce(const earlier_benches *earlier, const etr_comparison *comparison) {
  size_t known = earlier->fewest > 0 ? earlier->fewest : earlier->alike;
  double assumed = 100 * comparison->recording_noise;
  fputs("\ncompared with the bench of ", stdout);
  message_put_plain(stdout, earlier->run);
  if (!earlier->is_alike)
    printf(", which ran another command\nBenches of other commands do not show how much sessions differ: %g %% is "
           "assumed.\n\n",
           assumed);
  else if (known < ETR_LEAST_BENCHES)
    printf(", an earlier session\n%zu earlier bench%s: too few to know how much sessions differ (%d are enough), so "
           "%g %% is assumed.\n\n",
           known, plural(known), (int)ETR_LEAST_BENCHES, assumed);
  else
    printf(", an earlier session\n%zu earlier benches show how much sessions differ: a change counts only beyond "
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
    return say_nothing(newer, "the last bench cannot be read");
  }
  if (newer->prints) introduce(earlier, comparison);
  exit_status status = judge(newer, comparison);
  etr_comparison_close(comparison);
  return status;
}

static exit_status compare_with(const bench_newer *newer, const earlier_benches *earlier) {
  char path[PATH_MAX];
  bench_document old = {NULL, 0};
  if (earlier->run[0] == '\0') return say_no_base(newer, earlier);
  history_path(&newer->job->history, earlier->run, "profile.json", path);
  exit_status status;
  if (bench_document_read(&old, path)) {
    status = compare_documents(newer, earlier, &old, path);
  } else {
    message_warning("%s: %s", path, strerror(errno));
    status = say_nothing(newer, "the last bench's folder is gone");
  }
  bench_document_clear(&old);
  return status;
}

static exit_status compare_with_earlier(const bench_newer *newer) {
  const etr_profile *profile = newer->profile;
  const bench_history *history = &newer->job->history;
  earlier_benches earlier = {.run = ""};
  const char **methods = calloc(profile->method_count + 1, sizeof *methods);
  for (size_t i = 0; methods != NULL && i < profile->method_count; i++) methods[i] = profile->methods[i].name;
  bool found = methods != NULL &&
               earlier_find(&earlier, history->text, history->name, &newer->job->facts, methods, profile->method_count);
  exit_status status = found ? compare_with(newer, &earlier) : message_failed("out of memory");
  earlier_clear(&earlier);
  free(methods);
  return status;
}

exit_status base_compare(const bench_newer *newer, const etr_profile *base) {
  return base != NULL ? compare_in_turns(newer, base) : compare_with_earlier(newer);
}
