/* SPDX-License-Identifier: BSD-3-Clause
 *
 * backend_clock.h - how finely a backend times the operators inside its delegates. Layer 3.
 */
#ifndef ETR_BACKEND_CLOCK_H
#define ETR_BACKEND_CLOCK_H

#include "base.h"

/** Step of the clock that a backend times its operators with, in ns; 0 if it is the ETDump's own. NULL is allowed. */
uint64_t etr_backend_clock_step_ns(const char *backend);

/**
 * What such a clock can hide of the time of so many operators, in ticks of the ETDump: half a step each, by which what
 * it counts falls short on average.
 */
uint64_t etr_backend_clock_hides(const char *backend, uint64_t operators, double ticks_per_second);

#endif
