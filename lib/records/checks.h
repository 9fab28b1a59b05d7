/* SPDX-License-Identifier: BSD-3-Clause
 *
 * checks.h - what a record's parts say of each other: maps, graphs and the program. Layer 3.
 */
#ifndef ETR_CHECKS_H
#define ETR_CHECKS_H

#include "etrecord_file.h"
#include "inputs/pte.h"
#include "inputs/record.h"

/** Flaws that are being found, in an arena. */
typedef struct etr_flaws {
  etr_arena *arena;
  etr_vec(etr_flaw) list;
} etr_flaws;

/** Adds a flaw; texts are copied. `suffers` is static. */
void etr_flaws_add(etr_flaws *flaws, etr_flaw_kind kind, const char *entry, const char *suffers, const char *format,
                   ...) ETR_PRINTF(5, 6);

/** Holds the maps against the graphs. */
void etr_check_graphs(etr_flaws *flaws, const etr_record *record);

/** Holds the maps against the program. `place` is its path or entry. */
void etr_check_program(etr_flaws *flaws, const etr_record *record, const etr_pte *pte, const char *place);

#endif
