/* SPDX-License-Identifier: BSD-3-Clause
 *
 * partition.h - which nodes a partitioner puts into which delegate. Layer 3.
 *
 * From the last node to the first, each group of nodes that have to stay together takes in every earlier one that it
 * can, so that no value would leave a delegate and come back into it. The record knows the delegates by the handles
 * they list: each partition is the delegate that lists its nodes' handles.
 */
#ifndef ETR_PARTITION_H
#define ETR_PARTITION_H

#include "place/fx_graph.h"
#include "place/roles.h"

/** Of which groups a partitioner makes partitions. */
typedef enum etr_partition_stage {
  ETR_STAGE_ALL,
  ETR_STAGE_DYNAMIC,     /* those with dynamic quantisation: XnnpackDynamicallyQuantizedPartitioner */
  ETR_STAGE_NOT_DYNAMIC, /* the others, after it */
  ETR_STAGE_LAYERS,      /* those, and layers that are not quantised, which it takes as well */
  ETR_STAGE_NO_LAYERS,   /* the others, after it */
  ETR_STAGE_SINGLE,      /* each group alone: per_op_mode */
} etr_partition_stage;

/** A graph that is partitioned. The caller sets the first members and zeroes the rest. */
typedef struct etr_partitioner {
  const etr_fx_graph *fx;
  const etr_placement *placement;
  const etr_roles *roles;
  const etr_placed **delegates;
  size_t delegate_count;
  int32_t *member; /* filled: per vertex, index of its delegate, -1: none. All -1 at first */
  uint32_t *
      leaving; /* filled: delegates in the order in which they are found, which is that in which they leave the graph */
  size_t leaving_count;
  size_t *budget; /* steps left; 0: there were too few */
  etr_arena *scratch;
  /* its own */
  bool *delegated, *is_named; /* per vertex; per delegate */
  bool *is_claimed; /* per vertex: a weight that others use, too, but is in the group of the first that it belongs to */
  uint32_t *leader; /* per vertex: a vertex of its group; itself at the root */
  bool *is_dynamic, *is_layer; /* per root */
} etr_partitioner;

/** Finds groups of delegated nodes, in a graph as it is recorded. False: out of memory. */
bool etr_partitioner_init(etr_partitioner *p);

/**
 * Makes partitions of a stage's groups in the graph as it is now, and adds them to `member` and `leaving`. False: they
 * are not the record's delegates, the budget is spent, or out of memory.
 */
bool etr_partition_find(etr_partitioner *p, etr_partition_stage stage);

/**
 * Fills delegate_of, one entry for each delegate: which one it really is, where several list the same handles. They
 * were told apart by where they end in the graph as it was recorded; calls follow each other as their instructions do.
 * call_at: per delegate, index of its call in the order. False: out of memory.
 */
bool etr_partition_rename(etr_partitioner *p, const uint32_t *call_at, uint32_t *delegate_of);

#endif
