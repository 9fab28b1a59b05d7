/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory.c - allocations of ours made to fail in turn, from every place that makes one: memory
 * [--once] RECORD... [--read RECORD...]
 *
 * Once alone (something may go on without it, with a warning) and once with all behind it, or with
 * --once one of both in turn. Whatever fails says "out of memory" and leaks nothing, which the leak
 * sanitizer sees in a build with sanitizers. Of records behind --read nothing is written.
 */
#include "emitters.h"
#include "fault.h"

#include <stdio.h>
#include <string.h>

static bool is_once;

typedef etr_status (*attempt)(const char *record, const named_emitter *what, etr_profile **profile,
                              etr_error *error);

static bool swallow(void *context, const void *data, size_t size) {
  (void)data;
  *(size_t *)context += size;
  return true;
}

static etr_status open_record(const char *record, const named_emitter *what, etr_profile **profile,
                              etr_error *error) {
  etr_inputs inputs;
  (void)what;
  etr_status status = etr_inputs_find(&inputs, record, NULL, error);
  if (status == ETR_OK)
    status = etr_profile_open(profile, &inputs, NULL, error);
  etr_inputs_clear(&inputs);
  return status;
}

static etr_status emit(const char *record, const named_emitter *what, etr_profile **profile,
                       etr_error *error) {
  size_t written = 0;
  (void)record;
  return what->emit(*profile, &(etr_sink){swallow, &written}, error);
}

/* Compares the values of a profile with the reference among the files of its record, if it has one,
 * and writes that. */
static etr_status compare_values(const char *record, const named_emitter *what,
                                 etr_profile **profile, etr_error *error) {
  etr_inputs inputs;
  etr_accuracy *accuracy = NULL;
  size_t written = 0;
  const etr_sink sink = {swallow, &written};
  (void)what;
  etr_status status = etr_inputs_find(&inputs, record, NULL, error);
  if (status == ETR_OK && inputs.reference_count > 0) {
    const etr_accuracy_options options = {.reference = inputs.references[0], .spreads = 4};
    status = etr_accuracy_open(&accuracy, *profile, &options, error);
    if (status == ETR_OK)
      status = etr_emit_accuracy_json(accuracy, &sink, error);
    if (status == ETR_OK)
      status = etr_emit_accuracy_table(accuracy, NULL, NULL, NULL, &sink, error);
  }
  etr_accuracy_close(accuracy);
  etr_inputs_clear(&inputs);
  return status;
}

/* A failure without the planned fault, success in spite of lasting faults, or no words: gives a
 * description of it. */
static const char *fault_in(etr_status status, const etr_error *error, bool is_lasting) {
  if (status == ETR_OK)
    return is_lasting ? "went well without memory" : NULL;
  if (!error->message[0])
    return "failed without a message";
  return status == ETR_ERROR_MEMORY || !is_lasting ? NULL : "does not say that memory is short";
}

/* Watches where memory is asked for while all goes well. Returns whether it did. */
static bool watch(const char *record, const named_emitter *what, attempt try_it,
                  etr_profile *open) {
  etr_profile *profile = open;
  etr_error error;
  fault_watch(FAULT_MEMORY, what ? what->name : open ? "comparing values" : "reading");
  etr_status status = try_it(record, what, &profile, &error);
  fault_plan(FAULT_NONE, 0, false);
  if (!open)
    etr_profile_close(profile);
  return status == ETR_OK;
}

/* Makes one allocation fail, if it comes again. Returns whether all is as it should be then. */
static bool try_without(const char *record, const named_emitter *what, attempt try_it,
                        etr_profile *open, long number, bool is_lasting) {
  etr_profile *profile = open;
  etr_error error = {.offset = ETR_NO_OFFSET};
  fault_plan(FAULT_MEMORY, number, is_lasting);
  etr_status status = try_it(record, what, &profile, &error);
  bool happened = fault_happened();
  fault_plan(FAULT_NONE, 0, false);
  if (!open)
    etr_profile_close(profile);
  if (!happened)
    return status == ETR_OK;
  const char *wrong = fault_in(status, &error, is_lasting);
  if (wrong)
    printf("%s: %s: allocation %ld: %s: %s\n", record, what ? what->name : "reading", number, wrong,
           error.message);
  return !wrong;
}

/* Makes the allocations of every place fail, one after the other, but for places where they failed
 * before when the same was tried with another record. */
static bool sweep(const char *record, const named_emitter *what, attempt try_it, etr_profile *open,
                  size_t *checks) {
  size_t count;
  if (!watch(record, what, try_it, open))
    return false;
  const long *numbers = fault_places(&count);
  bool ok = true;
  for (size_t i = 0; i < count && ok; i++) {
    bool is_lasting = *checks % 2;
    ok = try_without(record, what, try_it, open, numbers[i], is_lasting) &&
         (is_once || try_without(record, what, try_it, open, numbers[i], !is_lasting));
    *checks += is_once ? 1 : 2;
  }
  return ok;
}

static bool sweep_record(const char *record, bool is_only_read, size_t *checks) {
  etr_profile *profile = NULL;
  etr_error error;
  bool ok = sweep(record, NULL, open_record, NULL, checks);
  if (open_record(record, NULL, &profile, &error) != ETR_OK)
    return false;
  if (!is_only_read)
    ok &= sweep(record, NULL, compare_values, profile, checks);
  for (const named_emitter *what = emitters; what->name && !is_only_read; what++)
    ok &= sweep(record, what, emit, profile, checks);
  etr_profile_close(profile);
  return ok;
}

int main(int argc, char **argv) {
  size_t checks = 0;
  int failed = 0, passed = 0;
  bool is_only_read = false;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--once") == 0)
      is_once = true;
    else if (strcmp(argv[i], "--read") == 0)
      is_only_read = true;
    else
      *(sweep_record(argv[i], is_only_read, &checks) ? &passed : &failed) += 1;
  }
  printf("%zu allocations failed; %d passed, %d failed\n", checks, passed, failed);
  return failed > 0 || checks == 0;
}
