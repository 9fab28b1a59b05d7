/* SPDX-License-Identifier: BSD-3-Clause
 *
 * regions.c - lines and modules of nodes from regions.
 */
#include "inputs/regions.h"

#include "inputs/frame.h"

/* Stands for several nodes of one name. */
enum { SEVERAL = ETR_NONE - 1 };

/* Returns whether a subgraph is the body of a region. */
static bool is_region(const etr_graph *graph, uint32_t subgraph) {
  static const char wrapper[] = "higher_order." ETR_REGION_TARGET;
  if (subgraph == ETR_NONE || graph->subgraphs[subgraph].kind != ETR_SUBGRAPH_BODY)
    return false;
  const char *target = graph->nodes[graph->subgraphs[subgraph].owner].target;
  return strncmp(target, wrapper, sizeof wrapper - 1) == 0;
}

/* Indexes the operators in all regions by their names: the index of the node, or SEVERAL. When out
 * of memory, the map's arena has failed. */
static void index_regions(etr_map *by_name, const etr_graph *exported) {
  for (uint32_t i = 0; i < exported->node_count; i++) {
    const etr_node *node = &exported->nodes[i];
    if (node->kind != ETR_NODE_OP || !is_region(exported, node->subgraph))
      continue;
    etr_map_slot *slot = etr_map_at(by_name, etr_slice_of(node->name));
    if (slot)
      slot->value = slot->value == ETR_NONE ? i : SEVERAL;
  }
}

/* Returns the node that is this ancestor; NULL if there is none, or several of its name, or if it
 * has another target. Functions of Python have no name there that could be compared: "<built-in
 * function getitem>". */
static const etr_node *find_ancestor(const etr_map *by_name, const etr_graph *exported,
                                     etr_region_ancestor from) {
  uint32_t index = etr_map_get(by_name, etr_slice_of(from.name));
  if (index == ETR_NONE || index == SEVERAL)
    return NULL;
  const etr_node *node = &exported->nodes[index];
  bool is_same = !from.target || from.target[0] == '<' || strcmp(from.target, node->target) == 0;
  return is_same ? node : NULL;
}

static bool has_own_frame(const etr_node *node) {
  for (size_t i = 0; i < node->frame_count; i++)
    if (!etr_is_generated_file(etr_slice_of(node->frames[i].file)))
      return true;
  return false;
}

/* Sets index_of[i] to the index in `tree` of each module of the exported program that an ancestor
 * or a module inside it has, which is added if it is new. */
static void add_modules(etr_module_tree *tree, uint32_t *index_of, const etr_node *const *ancestors,
                        size_t count, const etr_graph *exported, etr_map *strings) {
  for (size_t i = 0; i < count; i++) {
    uint32_t module = ancestors[i] ? ancestors[i]->module : 0;
    for (; module && index_of[module] == 0; module = exported->modules[module].parent)
      index_of[module] = ETR_NONE; /* wanted */
  }
  for (size_t i = 1; i < exported->module_count; i++) {
    const etr_module *module = &exported->modules[i];
    if (index_of[i] == ETR_NONE)
      index_of[i] = etr_module_tree_add_child(tree, strings, index_of[module->parent], module);
  }
}

bool etr_regions_resolve(etr_graph *graph, etr_region_nodes *regions, const etr_graph *exported,
                         etr_map *strings) {
  etr_arena scratch = {0};
  etr_map by_name;
  size_t count = regions->list.count;
  etr_map_init(&by_name, &scratch);
  index_regions(&by_name, exported);
  const etr_node **ancestors = etr_arena_alloc_array(&scratch, count, sizeof *ancestors);
  uint32_t *index_of = etr_arena_alloc_array(&scratch, exported->module_count, sizeof *index_of);
  bool good = !etr_arena_failed(&scratch);
  for (size_t i = 0; good && i < count; i++)
    ancestors[i] = find_ancestor(&by_name, exported, regions->list.data[i].from);
  if (good)
    add_modules(&regions->modules, index_of, ancestors, count, exported, strings);
  for (size_t i = 0; good && i < count; i++) {
    etr_node *node = &regions->nodes[regions->list.data[i].node];
    const etr_node *from = ancestors[i];
    if (from && from->module)
      node->module = index_of[from->module];
    if (from && !has_own_frame(node) && has_own_frame(from)) {
      node->source = from->source;
      node->frames = from->frames;
      node->frame_count = from->frame_count;
    }
  }
  graph->modules = regions->modules.list.data;
  graph->module_count = regions->modules.list.count;
  etr_arena_clear(&scratch);
  return good && !etr_arena_failed(strings->arena);
}
