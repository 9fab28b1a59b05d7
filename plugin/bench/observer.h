/* SPDX-License-Identifier: BSD-3-Clause
 *
 * observer.h - lines "PyTorchObserver {...}": read from what ExecuTorch's LLM runner prints, and written for FAI-PEP
 * (AIBench). Layer 6.
 */
#ifndef ETR_OBSERVER_H
#define ETR_OBSERVER_H

#include "bench/job.h"
#include "bench/measure.h"

#include <stdio.h>

/** Adds what the runner printed in each recording, if it did: load, prefill, time to first token, rates. False when out
 * of memory. */
bool observer_add_measures(bench_measures *measures, const bench_job *job);

/** Writes a line for each value, as FAI-PEP's json_with_identifier_converter reads them (identifier
 * "PyTorchObserver "). link: where TensorBoard shows it. */
void observer_write(FILE *out, const bench_measures *measures, const char *link);

#endif
