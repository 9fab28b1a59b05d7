/* SPDX-License-Identifier: BSD-3-Clause
 *
 * partition.h - repeats how a partitioner puts nodes into delegates. Layer 3.
 *
 * Nodes that the backend keeps together form groups. From the last node to the first, each group is
 * merged with every earlier group for which no value would leave the delegate and come back into
 * it, unless the record says that they are of two delegates: it lists the handles of each. Other
 * partitioners make a partition of each group, which then are the nodes that only one delegate can
 * have. Each partition is the delegate that lists the handles of its nodes.
 */
#ifndef ETR_PARTITION_H
#define ETR_PARTITION_H

#include "join/fx_graph.h"
#include "join/roles.h"

/** The groups that a partitioner takes. */
typedef enum etr_partition_groups {
  ETR_GROUPS_ALL,
  ETR_GROUPS_DYNAMIC,     /* with dynamic quantization: XnnpackDynamicallyQuantizedPartitioner */
  ETR_GROUPS_NOT_DYNAMIC, /* the others, after ETR_GROUPS_DYNAMIC */
  ETR_GROUPS_LAYERS,      /* with dynamic quantization, and layers that are not quantized */
  ETR_GROUPS_NO_LAYERS,   /* the others, after ETR_GROUPS_LAYERS */
} etr_partition_groups;

/** How a partitioner makes partitions of groups, and which of them leaves the graph first. */
typedef enum etr_partition_order {
  ETR_ORDER_MERGED, /* what the backend keeps together is merged where it fits; the partition that
                       ends last leaves first */
  ETR_ORDER_LISTED, /* the same of what only one delegate can have, whichever way it was merged */
  ETR_ORDER_SINGLE, /* what only one delegate can have is a partition, as with per_op_mode; the one
                       that ends first leaves first */
} etr_partition_order;

/** What one partitioner does. */
typedef struct etr_partition_stage {
  etr_partition_groups groups;
  etr_partition_order order;
} etr_partition_stage;

/** Vertices in groups. Each has a root: a vertex that is its own leader. */
typedef struct etr_vertex_groups {
  uint32_t *leader;            /* per vertex: a vertex of its group (union-find) */
  bool *is_dynamic, *is_layer; /* per root */
  uint32_t *owner; /* per root: delegate that alone lists a handle of the group; ETR_NONE: none */
} etr_vertex_groups;

/** The state of partitioning a graph. The caller sets the members from `fx` to `delegate_count`,
 * `budget`, `scratch` and the arrays marked as filled, and zeroes the rest. */
typedef struct etr_partitioner {
  const etr_fx_graph *fx;
  const etr_placement *placement;
  const etr_roles *roles;
  const etr_placed **delegates;
  size_t delegate_count;
  int32_t
      *member; /* filled: per vertex, index of its delegate; -1: none. The caller sets all to -1 */
  uint32_t
      *leaving; /* filled: delegates in the order in which they are found and leave the graph */
  size_t leaving_count;
  size_t *budget; /* steps left; 0: it is spent */
  etr_arena *scratch;
  /* private members */
  bool *delegated; /* per vertex: some delegate contains it */
  bool *is_found;  /* per delegate: a partition is this delegate */
  bool *is_shared; /* per vertex: a weight with several users that was put into the group of the
                      first one */
  etr_map owners;  /* handle -> index of the only delegate that lists it, or more than any index */
  etr_vertex_groups kept;   /* of what the backend keeps together */
  etr_vertex_groups listed; /* also of what only one delegate can have */
} etr_partitioner;

/** Finds the groups of delegated nodes in a graph as recorded. Returns false when out of memory. */
bool etr_partitioner_init(etr_partitioner *p);

/**
 * Makes partitions of a stage's groups in the current graph, finds which of the record's delegates
 * each is, and adds them to `member` and `leaving`. Returns false if one is no delegate, if the
 * budget is spent, or when out of memory.
 */
bool etr_partition_find(etr_partitioner *p, etr_partition_stage stage);

/**
 * Corrects the identity of delegates that list the same handles: fills delegate_of, which has an
 * entry for each delegate, with the delegate that it really is. At first such delegates were
 * distinguished by where they end in the graph as recorded, but calls must follow each other as
 * their instructions do. call_at has, per delegate, the index of its call in the order. Returns
 * false when out of memory.
 */
bool etr_partition_reassign(etr_partitioner *p, const uint32_t *call_at, uint32_t *delegate_of);

#endif
