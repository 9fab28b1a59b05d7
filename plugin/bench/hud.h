/* SPDX-License-Identifier: BSD-3-Clause
 *
 * hud.h - the records that PyTorch's benchmark database takes (hud.pytorch.org). Layer 6.
 */
#ifndef ETR_HUD_H
#define ETR_HUD_H

#include "bench/job.h"
#include "bench/measure.h"

#include <stdio.h>

/** Writes a JSON array with a record for each measure, as schema v3 has them. backend: where the model ran. link: where
 * TensorBoard shows it. */
void hud_write(FILE *out, const bench_job *job, const bench_measures *measures, const char *backend, const char *link);

#endif
