/* SPDX-License-Identifier: BSD-3-Clause
 *
 * partition.h - which nodes GroupBasedPartitioner puts into which delegate. Layer 3.
 *
 * From the last node to the first, each group of nodes that have to stay together takes in every earlier one that it can, so that no value would
 * leave a delegate and come back into it. The record knows the delegates by the handles they list: each partition is the delegate that lists its
 * nodes' handles.
 */
#ifndef ETR_PARTITION_H
#define ETR_PARTITION_H

#include "fx_graph.h"
#include "join.h"

typedef struct etr_partition {
  const etr_fx_graph *fx; /* with its users found */
  const etr_method_join *join;
  const bool *kernel_of; /* per node: an instruction is known to run it as a kernel */
  const etr_join_instruction **delegates;
  size_t delegate_count;
  int32_t *member;   /* filled: per vertex, index of its delegate, -1: none. All -1 at first */
  uint32_t *leaving; /* filled: delegates in the order in which they are found, which is that in which they leave the graph */
  uint64_t *budget;  /* steps left */
  etr_arena *scratch;
} etr_partition;

/** False: the nodes cannot be told, the partitions are not the record's delegates, the budget is spent, or out of memory. */
bool etr_partition_find(etr_partition *p);

#endif
