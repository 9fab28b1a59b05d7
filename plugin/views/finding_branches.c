/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_branches.c - the finding about parallel branches of one value whose sum is one
 * convolution: RepVGG, MobileOne, FastViT and RepViT are trained so, and deployed without them.
 */
#include "views/finding_rules.h"

#include <stdlib.h>

/** Part of the time of what goes that was saved at least: docs/findings.md has the table. */
#define LEAST_SAVED 0.75

/** A sum of branches that are linear in one value. */
typedef struct branch_sum {
  uint32_t source;     /* the node whose first output all branches read; ETR_NONE: it is none */
  uint32_t largest;    /* the convolution that covers the filters of all others; ETR_NONE */
  size_t branches;     /* convolutions, batch norms of the source, and the source itself */
  size_t convolutions; /* of these */
  bool has_norm;       /* a batch norm is behind no convolution, so no export folds it */
} branch_sum;

/** What the rule knows while it looks for sums. */
typedef struct branch_finder {
  const etr_finder *finder;
  const etr_graph *graph;
  size_t *reader_counts; /* per node: how many inputs read it */
  uint32_t *last_reader; /* per node */
  branch_sum *sums;      /* per node: what it is the sum of */
} branch_finder;

static const branch_sum no_sum = {.source = ETR_NONE, .largest = ETR_NONE};

static bool is_norm(const branch_finder *f, uint32_t node) {
  return etr_is_operator(f->finder, &f->graph->nodes[node], "native_batch_norm_legit_no_training");
}

/* Returns true for an operator that keeps a sum linear if at most one of its inputs is a constant
 * for each channel, or all but the first are. */
static bool is_linear_step(const branch_finder *f, uint32_t node) {
  static const char *const names[] = {"add", "sub", "mul"};
  return is_norm(f, node) ||
         etr_is_one_of(f->finder, &f->graph->nodes[node], names, ETR_COUNT(names));
}

static bool has_value(const etr_node *node, const char *name, const char *value) {
  const char *argument = etr_node_argument(node, name);
  return argument && strcmp(argument, value) == 0;
}

static bool has_same_argument(const etr_node *a, const etr_node *b, const char *name) {
  const char *value = etr_node_argument(a, name);
  return value && has_value(b, name, value);
}

/* Returns a number of an argument like "[1, 2]", whose last one counts for further dimensions; -1
 * if there is none. */
static int64_t number_of_argument(const etr_node *node, const char *name, int32_t dim) {
  const char *text = etr_or_empty(etr_node_argument(node, name));
  int64_t number = -1;
  for (int32_t i = 0; i <= dim; i++) {
    text += strcspn(text, "0123456789");
    if (!*text)
      break;
    char *end;
    number = strtoll(text, &end, 10);
    text = end;
  }
  return number;
}

/* Returns true if the filter of one convolution lies, with all its weights, on weights of that of
 * the other: the merged convolution is as large as the other. */
static bool is_covered(const branch_finder *f, uint32_t small, uint32_t large) {
  const etr_node *inner = &f->graph->nodes[small], *outer = &f->graph->nodes[large];
  const etr_value *inner_weight = etr_finder_convolution_weight(f->finder, inner);
  const etr_value *outer_weight = etr_finder_convolution_weight(f->finder, outer);
  for (int32_t dim = 0; dim + 2 < outer_weight->rank; dim++) {
    int64_t step = number_of_argument(outer, "dilation", dim);
    int64_t last = inner_weight->dims[dim + 2].size - 1;
    int64_t outer_last = outer_weight->dims[dim + 2].size - 1;
    int64_t before = number_of_argument(outer, "padding", dim) -
                     number_of_argument(inner, "padding", dim);
    bool is_dense = last == 0 || number_of_argument(inner, "dilation", dim) == step;
    if (step < 1 || last < 0 || !is_dense || before < 0 || before % step != 0 ||
        before / step + last > outer_last)
      return false;
  }
  return true;
}

/* Returns which of two convolutions covers the other: ETR_NONE if none does, or if they differ in
 * more than their filters. */
static uint32_t larger_of(const branch_finder *f, uint32_t a, uint32_t b) {
  const etr_node *x = &f->graph->nodes[a], *y = &f->graph->nodes[b];
  const etr_value *weight = etr_finder_convolution_weight(f->finder, x);
  const etr_value *other = etr_finder_convolution_weight(f->finder, y);
  if (!has_same_argument(x, y, "stride") || !has_same_argument(x, y, "groups") ||
      weight->rank != other->rank || !etr_finder_has_same_shape(x->outputs, y->outputs))
    return ETR_NONE;
  if (is_covered(f, b, a))
    return a;
  return is_covered(f, a, b) ? b : ETR_NONE;
}

/* Returns the sum that a convolution is: one branch of what it reads. Its weights are constant. */
static branch_sum sum_of_convolution(const branch_finder *f, uint32_t index) {
  const etr_node *node = &f->graph->nodes[index];
  const etr_value *weight = etr_finder_convolution_weight(f->finder, node);
  if (!weight || weight->rank < 3 || node->inputs[0].output != 0 || !node->output_count ||
      !has_value(node, "transposed", "false"))
    return no_sum;
  for (size_t i = 1; i < node->input_count; i++)
    if (!f->finder->is_constant[node->inputs[i].node])
      return no_sum;
  return (branch_sum){node->inputs[0].node, index, 1, 1, false};
}

/* Returns true if a node's sum is a part of the one of its reader. */
static bool is_part(const branch_finder *f, uint32_t node) {
  uint32_t reader = f->last_reader[node];
  return f->sums[node].source != ETR_NONE && f->reader_counts[node] == 1 && reader > node &&
         is_linear_step(f, reader) && f->sums[reader].source != ETR_NONE;
}

/* Returns the sum that an input of a linear step is: that of its node, if nothing else reads this,
 * or else one branch, the node's value itself. */
static branch_sum sum_of_input(const branch_finder *f, const etr_edge *input, uint32_t reader) {
  if (input->output != 0)
    return no_sum;
  bool is_own = input->node < reader && f->reader_counts[input->node] == 1 &&
                f->sums[input->node].source != ETR_NONE;
  return is_own ? f->sums[input->node] : (branch_sum){input->node, ETR_NONE, 1, 0, false};
}

/* Returns the sum of two sums; none if they are not linear in the same value, or if no convolution
 * covers all others. */
static branch_sum joined_sum(const branch_finder *f, const branch_sum *a, const branch_sum *b) {
  branch_sum sum = {a->source, a->largest, a->branches + b->branches,
                    a->convolutions + b->convolutions, a->has_norm || b->has_norm};
  if (a->source != b->source)
    return no_sum;
  if (a->largest == ETR_NONE)
    sum.largest = b->largest;
  else if (b->largest != ETR_NONE)
    sum.largest = larger_of(f, a->largest, b->largest);
  bool is_possible = sum.convolutions == 0 || sum.largest != ETR_NONE;
  return is_possible ? sum : no_sum;
}

/* Returns true for a constant with one number, or one for each channel of a result. */
static bool is_per_channel(const branch_finder *f, const etr_edge *input, int32_t rank) {
  const etr_node *node = &f->graph->nodes[input->node];
  if (!f->finder->is_constant[input->node] || input->output >= node->output_count)
    return false;
  const etr_value *value = &node->outputs[input->output];
  for (int32_t i = 0; i < value->rank; i++)
    if (value->dims[i].size != 1 && value->rank - i != rank - 1)
      return false;
  return value->rank >= 0 && value->rank <= rank;
}

/* Returns the sum that a batch norm, addition, subtraction or product with a constant is. */
static branch_sum sum_of_step(const branch_finder *f, uint32_t index) {
  const etr_node *node = &f->graph->nodes[index];
  branch_sum sum = no_sum;
  for (size_t i = 0; node->output_count && i < node->input_count; i++) {
    const etr_edge *input = &node->inputs[i];
    if (is_per_channel(f, input, is_norm(f, index) ? 2 : node->outputs[0].rank))
      continue;
    const etr_node *from = &f->graph->nodes[input->node];
    branch_sum part = sum_of_input(f, input, index);
    bool has_its_shape = part.source != ETR_NONE && from->output_count &&
                         etr_finder_has_same_shape(from->outputs, node->outputs);
    bool is_second = sum.source != ETR_NONE;
    if (!has_its_shape ||
        (is_second && !etr_is_one_of(f->finder, node, (const char *const[]){"add", "sub"}, 2)))
      return no_sum;
    sum = is_second ? joined_sum(f, &sum, &part) : part;
    if (sum.source == ETR_NONE)
      return no_sum;
  }
  if (is_norm(f, index) && sum.source != ETR_NONE)
    sum.has_norm |= !etr_is_operator(f->finder, &f->graph->nodes[node->inputs[0].node],
                                     "convolution");
  return sum;
}

/* Returns true if a sum is worth one convolution: it has a second one, or a batch norm that the
 * export does not fold. A value and one convolution of it stay as they are. */
static bool is_mergeable(const branch_sum *sum) {
  return sum->source != ETR_NONE && sum->branches >= 2 &&
         (sum->convolutions >= 2 || (sum->convolutions == 1 && sum->has_norm));
}

/* Sets *f to a graph, with what each node is the sum of. Returns false when out of memory. */
static bool find_sums(branch_finder *f, const etr_finder *finder) {
  const etr_graph *graph = finder->graph;
  etr_arena *arena = finder->arena;
  *f = (branch_finder){
      .finder = finder,
      .graph = graph,
      .reader_counts = etr_arena_alloc_array(arena, graph->node_count, sizeof *f->reader_counts),
      .last_reader = etr_arena_alloc_array(arena, graph->node_count, sizeof *f->last_reader),
      .sums = etr_arena_alloc_array(arena, graph->node_count, sizeof *f->sums)};
  if (!f->reader_counts || !f->last_reader || !f->sums)
    return false;
  for (uint32_t i = 0; i < graph->node_count; i++)
    for (size_t k = 0; k < graph->nodes[i].input_count; k++) {
      f->reader_counts[graph->nodes[i].inputs[k].node]++;
      f->last_reader[graph->nodes[i].inputs[k].node] = i;
    }
  for (uint32_t i = 0; i < graph->node_count; i++) {
    f->sums[i] = no_sum;
    if (etr_is_operator(finder, &graph->nodes[i], "convolution"))
      f->sums[i] = sum_of_convolution(f, i);
    else if (is_linear_step(f, i))
      f->sums[i] = sum_of_step(f, i);
  }
  return true;
}

/** What merging all sums removes. */
typedef struct merged_branches {
  bool *marked;                  /* per node: what goes */
  size_t branches, convolutions; /* before and after */
} merged_branches;

/* Marks all operators of mergeable sums but the largest convolution of each. Returns false when out
 * of memory. */
static bool mark_branches(const branch_finder *f, merged_branches *merged) {
  uint32_t *whole = etr_arena_alloc_array(f->finder->arena, f->graph->node_count, sizeof *whole);
  merged->marked = etr_finder_node_flags(f->finder);
  if (!whole || !merged->marked)
    return false;
  for (uint32_t i = (uint32_t)f->graph->node_count; i-- > 0;) { /* readers come first */
    whole[i] = is_part(f, i) ? whole[f->last_reader[i]] : i;
    const branch_sum *sum = &f->sums[whole[i]];
    if (!is_mergeable(sum))
      continue;
    const etr_node_time *time = &f->graph->times[i];
    merged->marked[i] = i != sum->largest && time->runs > 0 && time->match != ETR_MATCH_ALIGNED;
    merged->branches += whole[i] == i ? sum->branches : 0;
    merged->convolutions += whole[i] == i;
  }
  return true;
}

/* Adds the finding about branches of one value that are one convolution, if there are any. It saves
 * all of their operators but the largest convolution of each sum, with the calls around kernels.
 * Returns false when out of memory. */
bool etr_add_branch_findings(etr_finder *finder) {
  branch_finder f;
  merged_branches merged = {0};
  if (!etr_finder_has_edge(finder))
    return true;
  if (!find_sums(&f, finder) || !mark_branches(&f, &merged))
    return false;
  uint64_t ticks = etr_finder_marked_ticks(finder, merged.marked);
  etr_finding *added = merged.convolutions ? etr_finder_add_if_large(finder, ETR_FINDING_BRANCHES,
                                                                     ticks, (double)ticks)
                                           : NULL;
  if (!added)
    return !etr_arena_failed(finder->arena);
  etr_finding_set_least_saving(finder, added, LEAST_SAVED * (double)ticks);
  added->title = etr_arena_format(finder->arena, "Merge %zu branches into %zu convolution%s",
                                  merged.branches, merged.convolutions,
                                  etr_plural(merged.convolutions));
  added->fact = "by timm's reparameterize_model or the model's own reparameterize()";
  added->evidence = etr_arena_format(
      finder->arena,
      "The branches of each sum read the same value, and no activation is between them, so that "
      "one convolution with the sum of their weights has the same result. What goes takes %s, "
      "calls included: %s. Before the export: timm.utils.model.reparameterize_model(model), or the "
      "model's own reparameterize() or fuse().",
      etr_finder_time_per_run(finder, ticks),
      etr_finder_operators_text(finder, merged.marked, true));
  etr_finding_set_sureness(added, ETR_LIKELY, "results differ by rounding");
  return etr_finding_set_nodes(finder, added, merged.marked);
}
