/* SPDX-License-Identifier: BSD-3-Clause
 *
 * backend_clock.c - clocks of backends.
 */
#include "backend_clock.h"

uint64_t etr_backend_clock_step_ns(const char *backend) {
  static const struct {
    const char *backend;
    uint64_t step_ns;
  } coarse[] = {{"XnnpackBackend", 1000}};
  for (size_t i = 0; backend && i < ETR_COUNT(coarse); i++)
    if (strcmp(backend, coarse[i].backend) == 0) return coarse[i].step_ns;
  return 0;
}

uint64_t etr_backend_clock_hides(const char *backend, uint64_t operators, double ticks_per_second) {
  double ticks = (double)operators * (double)etr_backend_clock_step_ns(backend) / 2 * ticks_per_second / 1e9;
  return ticks < (double)UINT64_MAX ? (uint64_t)ticks : UINT64_MAX;
}
