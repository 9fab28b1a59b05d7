/* SPDX-License-Identifier: BSD-3-Clause
 *
 * balance.h - the parts that a method's time consists of, the same in every output. Layer 4.
 */
#ifndef ETR_BALANCE_H
#define ETR_BALANCE_H

#include "etrecord_tb.h"

typedef struct etr_balance_part {
  const char *name;         /* "nodes": the key in JSON */
  const char *text;         /* "on graph nodes" */
  uint64_t ticks;           /* over all runs */
  bool is_part_of_previous; /* "estimated" is contained in "nodes" */
} etr_balance_part;

enum { ETR_BALANCE_PARTS = 5 };

/** The parts in the order in which they are shown. Those that are not part of the previous one add up to method->execute_ticks. */
void etr_balance_list(const etr_method *method, etr_balance_part parts[ETR_BALANCE_PARTS]);

#endif
