/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegated.h - which nodes are in delegates, told by how often the delegates list each debug handle. Layer 3.
 */
#ifndef ETR_DELEGATED_H
#define ETR_DELEGATED_H

#include "place/partition.h"

/**
 * Fills p->delegated. Of the nodes of a handle that run as no kernel as many are delegated as the delegates list. The
 * others stay in the program, whatever has most reason to first: numbers, what the backend's partitioner does not take,
 * views. Where not all that have a reason stay, whole operators do: a partitioner takes an operator or leaves it.
 * False: the lists do not come out, or out of memory.
 */
bool etr_find_delegated(etr_partitioner *p);

#endif
