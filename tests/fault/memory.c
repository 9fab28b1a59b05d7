/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory.c - every allocation of ours made to fail in turn: memory RECORD...
 *
 * Once alone (something may go on without it, with a warning) and once with all behind it. Whatever fails says "out of memory" and leaks nothing,
 * which the leak sanitizer sees in a build with sanitizers.
 */
#include "emitters.h"
#include "fault.h"

#include <stdio.h>
#include <string.h>

/* Beyond so many, only every n-th is made to fail: neighbours do the same thing for the next node. */
enum { ALL_UP_TO = 1500 };

typedef etr_status (*attempt)(const char *record, const named_emitter *what, etr_profile **profile, etr_error *error);

static bool swallow(void *context, const void *data, size_t size) {
  (void)data;
  *(size_t *)context += size;
  return true;
}

static etr_status open_record(const char *record, const named_emitter *what, etr_profile **profile, etr_error *error) {
  etr_inputs inputs;
  (void)what;
  etr_status status = etr_inputs_find(&inputs, record, NULL, error);
  if (status == ETR_OK) status = etr_profile_open(profile, &inputs, NULL, error);
  etr_inputs_clear(&inputs);
  return status;
}

static etr_status emit(const char *record, const named_emitter *what, etr_profile **profile, etr_error *error) {
  size_t written = 0;
  (void)record;
  return what->emit(*profile, &(etr_sink){swallow, &written}, error);
}

/* A failure without the planned fault, success in spite of lasting faults, or no words: gives a description of it. */
static const char *fault_in(etr_status status, const etr_error *error, bool is_lasting) {
  if (status == ETR_OK) return is_lasting ? "went well without memory" : NULL;
  if (!error->message[0]) return "failed without a message";
  return status == ETR_ERROR_MEMORY || !is_lasting ? NULL : "does not say that memory is short";
}

/* Makes one allocation after the other fail until none is left. Returns their number, or -1. */
static long sweep(const char *record, const named_emitter *what, attempt try_it, etr_profile *open, bool is_lasting, size_t *checks) {
  long number = 0;
  for (long step = 1;; number += step) {
    etr_profile *profile = open;
    etr_error error = {.offset = ETR_NO_OFFSET};
    fault_plan(FAULT_MEMORY, number, is_lasting);
    etr_status status = try_it(record, what, &profile, &error);
    bool happened = fault_happened();
    fault_plan(FAULT_NONE, 0, false);
    if (!open) etr_profile_close(profile);
    if (!happened) return status == ETR_OK ? number : -1;
    const char *wrong = fault_in(status, &error, is_lasting);
    if (wrong) {
      printf("%s: %s: allocation %ld: %s: %s\n", record, what ? what->name : "reading", number, wrong, error.message);
      return -1;
    }
    (*checks)++;
    if (number >= ALL_UP_TO) step = number / 100;
  }
}

static bool sweep_record(const char *record, size_t *checks) {
  etr_profile *profile = NULL;
  etr_error error;
  bool ok = sweep(record, NULL, open_record, NULL, false, checks) > 0 && sweep(record, NULL, open_record, NULL, true, checks) > 0;
  if (open_record(record, NULL, &profile, &error) != ETR_OK) return false;
  for (const named_emitter *what = emitters; what->name; what++)
    ok &= sweep(record, what, emit, profile, false, checks) >= 0 && sweep(record, what, emit, profile, true, checks) >= 0;
  etr_profile_close(profile);
  return ok;
}

int main(int argc, char **argv) {
  size_t checks = 0;
  int failed = 0;
  for (int i = 1; i < argc; i++) failed += !sweep_record(argv[i], &checks);
  printf("%zu allocations failed; %d passed, %d failed\n", checks, argc - 1 - failed, failed);
  return failed > 0 || checks == 0;
}
