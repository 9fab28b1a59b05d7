/* SPDX-License-Identifier: BSD-3-Clause
 *
 * choices.c - checks the caller's choices against the inputs.
 */
#include "runs/runs.h"

/* Fails if the clock rate is impossible; 0 stands for the default. */
etr_status etr_choices_check_clock(const etr_options *options, etr_error *error) {
  double clock = options->ticks_per_second;
  if (clock == 0 || (clock >= 1e-6 && clock <= 1e18))
    return ETR_OK;
  return etr_fail(error, ETR_ERROR_CHOICE, NULL, NULL, ETR_NO_OFFSET,
                  "impossible clock rate of %g ticks per second: give 1e-6 to 1e18", clock);
}

/* Fails if the ETDumps have no run of this index. */
static etr_status check_run(const etr_blocks *blocks, size_t run, etr_error *error) {
  if (run < blocks->run_count)
    return ETR_OK;
  return etr_fail(error, ETR_ERROR_CHOICE, NULL, NULL, ETR_NO_OFFSET,
                  "no run %zu: the ETDumps have %zu", run, blocks->run_count);
}

/* Fails if a chosen method or run does not exist, or if the range of runs is inverted. */
etr_status etr_choices_check(const etr_options *options, const etr_blocks *blocks,
                             const etr_method_inputs *inputs, size_t method_count,
                             etr_error *error) {
  for (size_t i = 0; i < options->choice_count; i++) {
    const etr_method_choice *choice = &options->choices[i];
    bool is_known = false;
    for (size_t k = 0; k < method_count; k++)
      is_known |= strcmp(inputs[k].name, choice->method) == 0;
    if (!is_known)
      return etr_fail(error, ETR_ERROR_CHOICE, NULL, NULL, ETR_NO_OFFSET,
                      "cannot map run %zu to %s: no such method", choice->run, choice->method);
    ETR_TRY(check_run(blocks, ETR_MAX(choice->run, choice->last), error));
  }
  if (options->skip != ETR_SKIP_RANGE)
    return ETR_OK;
  if (options->first_run > options->last_run)
    return etr_fail(error, ETR_ERROR_CHOICE, NULL, NULL, ETR_NO_OFFSET,
                    "the range of runs that count is inverted: %zu to %zu", options->first_run,
                    options->last_run);
  return check_run(blocks, options->last_run, error);
}
