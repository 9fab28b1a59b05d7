/* SPDX-License-Identifier: BSD-3-Clause
 *
 * trend.h - the lines of a history: written, and shown as what became of a measure. Layer 6.
 */
#ifndef ETR_TREND_H
#define ETR_TREND_H

#include "bench/job.h"
#include "bench/measure.h"

#include <stdio.h>

/** Writes the lines of this bench, one for each measure. */
void trend_write_lines(FILE *out, const bench_job *job, const bench_measures *measures);

/** Prints the medians of the last benches of each method, this one last: the steps between them, and a small curve.
 * Then a line for each figure that the runner printed. history: as text, with the lines of this bench. */
void trend_print(FILE *out, const char *history, const bench_measures *measures, bool ascii);

#endif
