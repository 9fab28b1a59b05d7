/* SPDX-License-Identifier: BSD-3-Clause
 *
 * partners.h - which node of the reference has the value of a node. Layer 3.
 */
#ifndef ETR_PARTNERS_H
#define ETR_PARTNERS_H

#include "base/arena.h"
#include "etrecord_accuracy.h"

/** The node of the reference for a node of the profile's Edge graph. */
typedef struct etr_partner {
  const char *graph, *node; /* NULL: there is none */
  const char *aten;         /* name of the ATen node with this value in the reference's program; NULL: unknown */
  etr_partner_evidence evidence;
} etr_partner;

/** Returns the node whose value a quantize or dequantize node carries; other nodes are returned as they are. */
uint32_t etr_carried_node(const etr_graph *graph, uint32_t node);

/**
 * Finds the partners of all nodes of the graph of a method, in the arena. `reference` is the record that the reference
 * was computed from: the profile itself, or another one. Errors: ETR_ERROR_MEMORY.
 */
etr_status etr_partners_find(etr_partner **out, const etr_profile *profile, uint32_t method,
                             const etr_profile *reference, etr_arena *arena, etr_error *error);

#endif
