/* SPDX-License-Identifier: BSD-3-Clause
 *
 * budget.c - taking from what is left.
 */
#include "base/budget.h"

#include <inttypes.h>
#include <stdio.h>

/* The limits are far above real inputs. Entries are read as streams, and the entries of old records
 * contain weights, hence 16 GiB. A model of 100,000 nodes has some 500,000 nodes in its three
 * graphs, hence 2 million. An ETDump of the largest allowed size usually has fewer than 16 million
 * events. */
static const uint64_t defaults[] = {
    [ETR_BYTES] = (uint64_t)16 << 30, [ETR_NODES] = 2 << 20, [ETR_EVENTS] = 16 << 20};

void etr_budget_set(etr_budget *budget, etr_resource resource, uint64_t limit) {
  budget->limits[resource] = budget->left[resource] = limit ? limit : defaults[resource];
}

void etr_budget_init(etr_budget *budget) {
  *budget = (etr_budget){0};
  for (int resource = 0; resource < ETR_RESOURCES; resource++)
    etr_budget_set(budget, (etr_resource)resource, 0);
}

const char *etr_budget_take(etr_budget *budget, etr_resource resource, uint64_t count) {
  static const char *const names[] = {
      [ETR_BYTES] = "bytes", [ETR_NODES] = "nodes", [ETR_EVENTS] = "events"};
  if (!budget)
    return NULL;
  if (count <= budget->left[resource]) {
    budget->left[resource] -= count;
    return NULL;
  }
  snprintf(budget->message, sizeof budget->message,
           "more than %" PRIu64 " %s; raise this limit with --max-%s", budget->limits[resource],
           names[resource], names[resource]);
  return budget->message;
}
