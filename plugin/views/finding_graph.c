/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_graph.c - what the graph says about nodes, and findings about kernels that only move data
 * or compute the same in every run.
 */
#include "output/label.h"
#include "views/delegation.h"
#include "views/finder.h"
#include "views/finding_rules.h"
#include "views/kernel_ratio.h"
#include "views/timed_node.h"

#include <stdlib.h>

/* ---- Delegates, kernels, constants ---- */

/* Sets, for each node, the index of the delegate that it runs in, or ETR_NONE. In a record that was
 * saved after lowering, nodes of delegates are in nested graphs; the nodes that call these get the
 * delegate, too. */
static void set_delegates(const etr_finder *finder, uint32_t *delegate_of) {
  const etr_graph *graph = finder->graph;
  for (size_t i = 0; i < graph->node_count; i++)
    delegate_of[i] = ETR_NONE;
  for (size_t i = 0; i < graph->node_count; i++) {
    if (graph->times[i].delegate_instruction < 0)
      continue;
    uint32_t subgraph = graph->nodes[i].subgraph;
    delegate_of[i] = etr_delegate_at(finder->method, graph->times[i].delegate_instruction);
    if (subgraph != ETR_NONE && graph->subgraphs[subgraph].kind == ETR_SUBGRAPH_LOWERED)
      delegate_of[graph->subgraphs[subgraph].owner] = delegate_of[i];
  }
}

/* Returns true for an operator that has the same result whenever it has the same inputs: it draws
 * no random numbers, and has inputs or is known to make constants. */
static bool is_repeatable(const etr_finder *finder, const etr_node *node) {
  static const char *const sources[] = {"full",          "arange", "zeros",   "ones",
                                        "scalar_tensor", "eye",    "linspace"};
  if (etr_node_draws(node))
    return false;
  return node->input_count > 0 || etr_is_one_of(finder, node, sources, ETR_COUNT(sources));
}

/* Returns true if no output of a node has a symbolic size. */
static bool is_static(const etr_node *node) {
  for (size_t i = 0; i < node->output_count; i++)
    for (int32_t d = 0; d < node->outputs[i].rank; d++)
      if (node->outputs[i].dims[d].size == ETR_DIM_SYMBOLIC)
        return false;
  return true;
}

/* Sets, for each node, whether it has the same value in every run: weights that nothing writes, and
 * operators that compute from them alone. Nodes in the bodies of control flow read the arguments of
 * their body, which are inputs, so none of them is constant. */
static void set_constants(const etr_finder *finder, bool *is_constant) {
  const etr_graph *graph = finder->graph;
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    is_constant[i] = etr_node_is_weight(node);
    if (node->kind != ETR_NODE_OP || !is_repeatable(finder, node) || !is_static(node))
      continue;
    is_constant[i] = node->subgraph == ETR_NONE;
    for (size_t k = 0; k < node->input_count; k++)
      is_constant[i] &= is_constant[node->inputs[k].node];
  }
}

/* Sets finder->ops to the names of operators without namespace, and finder->by_time to the nodes
 * that ran, the longest first: many rules need them. Returns false when out of memory. */
static bool set_operators_and_order(etr_finder *finder) {
  const etr_graph *graph = finder->graph;
  etr_slice *ops = etr_arena_alloc_array(finder->arena, graph->node_count, sizeof *ops);
  etr_timed_node *timed_nodes = etr_arena_alloc_array(finder->arena, graph->node_count,
                                                      sizeof *timed_nodes);
  uint32_t *by_time = etr_arena_alloc_array(finder->arena, graph->node_count, sizeof *by_time);
  if (!ops || !timed_nodes || !by_time)
    return false;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    if (graph->nodes[i].kind == ETR_NODE_OP)
      ops[i] = etr_label_op(graph->nodes[i].target);
    if (graph->times[i].runs)
      timed_nodes[finder->timed_count++] = (etr_timed_node){
          .ticks = (double)etr_finder_node_ticks(finder, i), .node = i};
  }
  etr_sort(timed_nodes, finder->timed_count, sizeof *timed_nodes, etr_timed_node_order);
  for (size_t i = 0; i < finder->timed_count; i++)
    by_time[i] = timed_nodes[i].node;
  finder->ops = ops;
  finder->by_time = by_time;
  return true;
}

bool etr_finder_classify_nodes(etr_finder *finder) {
  size_t count = finder->graph->node_count;
  uint32_t *delegate_of = etr_arena_alloc_array(finder->arena, count, sizeof *delegate_of);
  bool *is_constant = etr_arena_alloc_array(finder->arena, count, sizeof *is_constant);
  bool *is_kernel = etr_arena_alloc_array(finder->arena, count, sizeof *is_kernel);
  if (!delegate_of || !is_constant || !is_kernel || !set_operators_and_order(finder))
    return false;
  set_delegates(finder, delegate_of);
  set_constants(finder, is_constant);
  for (size_t i = 0; i < count; i++)
    is_kernel[i] = finder->graph->nodes[i].kind == ETR_NODE_OP &&
                   finder->graph->times[i].runs > 0 && delegate_of[i] == ETR_NONE &&
                   !finder->graph->times[i].backend;
  finder->delegate_of = delegate_of;
  finder->is_constant = is_constant;
  finder->is_kernel = is_kernel;
  return true;
}

/* ---- Work on constants ---- */

/* What constants take in each run, in ticks over all runs. */
typedef struct constant_work {
  bool *marked;   /* per node: the operators, and the products that may be delegated without them */
  bool *is_late;  /* per node: the lowering makes it, of an operator that is not constant */
  uint64_t ticks; /* of the operators, and of calls of delegates that contain nothing else */
  size_t products;        /* kernels whose weight becomes constant, so that XNNPACK takes them */
  size_t slower;          /* of which it takes longer: see etr_ratio_of_delegate() */
  size_t operators, late; /* all, and those that the lowering makes */
  uint64_t late_ticks;    /* of the latter */
  uint64_t product_ticks;
  double least, most;  /* what XNNPACK saves of the products */
  const char *product; /* operator of the last one */
  bool unpacks;        /* some of the operators are dequantizations */
} constant_work;

/* Returns the node that makes the weight of a product or convolution; ETR_NONE for another
 * operator.
 */
static uint32_t weight_node(const etr_finder *finder, const etr_node *node) {
  static const char *const layers[] = {"mm", "linear", "convolution"};
  size_t index;
  if (etr_is_one_of(finder, node, layers, ETR_COUNT(layers)))
    index = 1;
  else if (etr_is_operator(finder, node, "addmm"))
    index = 2; /* bias, input, weight */
  else
    return ETR_NONE;
  return index < node->input_count ? node->inputs[index].node : ETR_NONE;
}

/* Returns the key of the ATen operator that a node was made from: its debug handle. */
static etr_slice origin_of(const etr_node *node) {
  return (etr_slice){(const char *)&node->debug_handle, sizeof node->debug_handle};
}

/* Sets work->is_late: of nodes that were made from the same ATen operator as one that is not
 * constant, such as the mask of an attention, which the lowering takes apart. A pass at the export
 * does not see them, and the one behind the lowering skips dequantizations. None is known to be
 * late without debug handles (0). Returns false when out of memory. */
static bool find_late(const etr_finder *finder, constant_work *work) {
  const etr_graph *graph = finder->graph;
  etr_map changing; /* origins of nodes that are not constant */
  etr_map_init(&changing, finder->arena);
  work->is_late = etr_arena_alloc_array(finder->arena, graph->node_count, sizeof *work->is_late);
  if (!work->is_late)
    return false;
  for (uint32_t i = 0; i < graph->node_count; i++)
    if (graph->nodes[i].debug_handle && !finder->is_constant[i] &&
        !etr_map_set(&changing, origin_of(&graph->nodes[i]), i))
      return false;
  for (size_t i = 0; i < graph->node_count; i++)
    work->is_late[i] = finder->is_constant[i] && !strstr(graph->nodes[i].target, "dequantize") &&
                       etr_map_get(&changing, origin_of(&graph->nodes[i])) != ETR_NONE;
  return true;
}

/* Marks the operators that compute the same in each run, and adds up their number and time. A time
 * in a delegate counts only if its node is certain, and not estimated from the order of events.
 * What folds late operators leaves those in delegates, and `full`. */
static void mark_constants(const etr_finder *finder, constant_work *work) {
  const etr_graph *graph = finder->graph;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    const etr_node_time *time = &graph->times[i];
    bool is_timed = finder->is_kernel[i] || (time->runs > 0 && time->match != ETR_MATCH_ALIGNED &&
                                             graph->nodes[i].kind == ETR_NODE_OP);
    bool is_left = work->is_late[i] &&
                   (!finder->is_kernel[i] || etr_slice_is(finder->ops[i], "full"));
    if (!finder->is_constant[i] || !is_timed || is_left)
      continue;
    work->marked[i] = true;
    work->operators++;
    work->late += work->is_late[i];
    work->late_ticks += work->is_late[i] ? etr_finder_kernel_ticks(finder, i) : 0;
    work->ticks += etr_finder_kernel_ticks(finder, i);
    work->unpacks |= strstr(graph->nodes[i].target, "dequantize") != NULL;
  }
}

/* Adds the overhead of the calls of delegates in which all operators are constant: these are not
 * needed then. Returns false when out of memory. */
static bool add_constant_calls(const etr_finder *finder, constant_work *work) {
  size_t count = finder->method->delegate_count;
  bool *has_constant = etr_arena_alloc_array(finder->arena, count, sizeof *has_constant);
  bool *has_other = etr_arena_alloc_array(finder->arena, count, sizeof *has_other);
  if (!has_constant || !has_other)
    return false;
  for (uint32_t i = 0; i < finder->graph->node_count; i++) {
    uint32_t delegate = finder->delegate_of[i];
    if (delegate == ETR_NONE || finder->graph->nodes[i].kind != ETR_NODE_OP)
      continue;
    if (finder->is_constant[i])
      has_constant[delegate] = true;
    else
      has_other[delegate] = true;
  }
  for (size_t i = 0; i < count; i++) {
    const uint64_t *ticks = finder->delegates[i].ticks;
    if (has_constant[i] && !has_other[i] && finder->delegates[i].operators)
      work->ticks += ticks[ETR_SPENT_AROUND] + ticks[ETR_SPENT_COPY];
  }
  return true;
}

/* Marks the products on the CPU whose weights are computed from constants, and adds up their
 * ticks and what the known partitioner's backend saves of them, or counts those that it slows down.
 * It takes only products with constant weights, so it takes these once the operators are folded at
 * the export. Adds none if its backend was not used, or if no ratio of its kernels is known. */
static void add_products_of_constants(const etr_finder *finder, constant_work *work) {
  const char *partitioner = etr_known_partitioner();
  bool is_lowered = false;
  for (size_t i = 0; i < finder->method->delegate_count; i++)
    is_lowered |= partitioner && strcmp(finder->method->delegates[i].backend, partitioner) == 0;
  for (uint32_t i = 0; i < finder->graph->node_count; i++) {
    uint32_t weight = weight_node(finder, &finder->graph->nodes[i]);
    bool is_product = finder->is_kernel[i] && !finder->is_constant[i] && weight != ETR_NONE;
    if (!is_product || !finder->is_constant[weight] || work->is_late[weight] ||
        finder->graph->nodes[weight].kind != ETR_NODE_OP)
      continue;
    etr_ratio ratio;
    if (!is_lowered || !etr_ratio_of_delegate(&ratio, finder->ops[i], &finder->graph->nodes[i]))
      continue;
    if (ratio.high < 1) {
      work->slower++;
      continue;
    }
    double ticks = (double)etr_finder_kernel_ticks(finder, i);
    work->marked[i] = true;
    work->products++;
    work->product = etr_finder_short_op(finder, finder->graph->nodes[i].target);
    work->product_ticks += etr_finder_kernel_ticks(finder, i);
    work->least += ticks * etr_saved_at(ratio.low);
    work->most += ticks * etr_saved_at(ratio.high);
  }
}

/* Returns "s" if several products have a name that is a word: "2 convolutions", but "2 mm". */
static const char *product_plural(const constant_work *work) {
  return strstr(work->product, "mm") ? "" : etr_plural(work->products);
}

/* Returns the fact of the finding: how the operators can be computed at export. */
static const char *constants_fact(const etr_finder *finder, const constant_work *work) {
  if (work->products)
    return etr_arena_format(
        finder->arena,
        "constant_prop_pass; then XNNPACK also takes %zu %s%s, whose weights become constant",
        work->products, work->product, product_plural(work));
  if (work->late == work->operators)
    return "the lowering makes them: to_executorch(), with do_quant_fusion_and_const_prop";
  bool matters = work->late_ticks * 10 > work->ticks;
  return matters ? etr_arena_format(finder->arena,
                                    "constant_prop_pass; of %zu, which the lowering makes: "
                                    "do_quant_fusion_and_const_prop",
                                    work->late)
                 : "their inputs never change: constant_prop_pass at the export";
}

/* Adds the finding about operators that compute the same in each run, if there are any. It saves
 * their time with the calls around kernels (true), calls of delegates that have no others, and what
 * XNNPACK saves of products whose weights become constant. Returns false when out of memory. */
bool etr_add_constant_findings(etr_finder *finder) {
  constant_work work = {.marked = etr_arena_alloc_array(finder->arena, finder->graph->node_count,
                                                        sizeof *work.marked)};
  if (!work.marked)
    return false;
  if (!find_late(finder, &work))
    return false;
  mark_constants(finder, &work);
  if (work.operators == 0)
    return true;
  const char *list = etr_finder_operators_text(finder, work.marked, true);
  add_products_of_constants(finder, &work);
  if (!add_constant_calls(finder, &work))
    return false;
  etr_finding *added = etr_finder_add_if_large(finder, ETR_FINDING_CONSTANTS,
                                               work.ticks + work.product_ticks,
                                               (double)work.ticks + work.most);
  if (!added)
    return !etr_arena_failed(finder->arena);
  if (!etr_finding_set_nodes(finder, added, work.marked))
    return false;
  etr_finding_set_least_saving(finder, added, (double)work.ticks + work.least);
  added->title = etr_arena_format(finder->arena, "Compute %zu constant operator%s at export",
                                  work.operators, etr_plural(work.operators));
  added->fact = constants_fact(finder, &work);
  added->evidence = etr_arena_format(
      finder->arena,
      "What depends on parameters and constants only has the same result in every run. %s %s, "
      "calls included: %s.%s",
      etr_they_take(work.operators), etr_finder_time_per_run(finder, work.ticks), list,
      work.late < work.operators ? " ExecuTorch's constant_prop_pass folds it." : "");
  if (work.late)
    added->evidence = etr_arena_format(
        finder->arena,
        "%s The lowering makes %zu of them, behind any pass at the export: "
        "ExecutorchBackendConfig(do_quant_fusion_and_const_prop=True) folds these.",
        added->evidence, work.late);
  if (work.late_ticks * 2 > work.ticks && !work.products)
    added->variant = ETR_VARIANT_LATE;
  if (work.products)
    added->evidence = etr_arena_format(
        finder->arena,
        "%s %zu %s%s on the CPU (%s) read%s the results: with a constant weight XNNPACK's "
        "partitioner takes %s (%s, " ETR_DOCS "ratios.md).",
        added->evidence, work.products, work.product, product_plural(&work),
        etr_finder_time_per_run(finder, work.product_ticks), work.products == 1 ? "s" : "",
        work.products == 1 ? "it" : "them", etr_ratio_source());
  const char *caveat = work.unpacks ? "folded weights are no longer quantized, and larger" : NULL;
  etr_finding_set_sureness(added, work.products ? ETR_LIKELY : ETR_SURE, caveat);
  if (work.slower) { /* how much slower is not known */
    added->least = NAN;
    added->may_save_nothing = true;
    etr_finding_set_sureness(
        added, ETR_POSSIBLE,
        etr_arena_format(finder->arena,
                         "XNNPACK then takes %zu transposed convolution%s in groups, too, and "
                         "computed such ones slower than the CPU",
                         work.slower, etr_plural(work.slower)));
  }
  return true;
}

/* ---- Copies ---- */

/* Numbers of copies by one operator: all; those that return what they read; those that read the
 * result of another one; those that convert the number type. */
typedef struct copies {
  size_t count, unchanged, of_copies, casts;
  size_t of_products; /* expands that a product reads: torch splits a matmul into these */
  uint64_t ticks;
} copies;

/* Returns the value that an input reads; NULL if it is not known. */
static const etr_value *value_of(const etr_graph *graph, const etr_edge *edge) {
  const etr_node *node = &graph->nodes[edge->node];
  return edge->output < node->output_count ? &node->outputs[edge->output] : NULL;
}

/* Marks the nodes whose results products read, directly or through copies: torch.export splits
 * matmul into expand, view and bmm. It goes backwards, so that the readers of a node come before
 * it; a copy reads data by its first input only. */
static void mark_read_by_products(const etr_finder *finder, bool *marked) {
  const etr_graph *graph = finder->graph;
  for (uint32_t i = (uint32_t)graph->node_count; i-- > 0;) {
    const etr_node *node = &graph->nodes[i];
    bool is_product = etr_is_operator(finder, node, "bmm");
    bool is_copy = marked[i] && etr_node_only_copies(node) && node->input_count;
    size_t data_inputs = is_copy ? 1 : 0;
    if (is_product)
      data_inputs = node->input_count;
    for (size_t k = 0; k < data_inputs; k++)
      marked[node->inputs[k].node] = true;
  }
}

/* Counts a copy, its time (ticks over all runs), and what kind of copy it is. */
static void count_copy(copies *sums, const etr_finder *finder, uint32_t index) {
  const etr_node *node = &finder->graph->nodes[index];
  sums->ticks += etr_finder_kernel_ticks(finder, index);
  sums->count++;
  sums->unchanged += etr_finder_changes_nothing(finder, node);
  if (node->input_count == 0 || node->output_count == 0)
    return;
  const etr_node *source = &finder->graph->nodes[node->inputs[0].node];
  const etr_value *from = value_of(finder->graph, &node->inputs[0]), *to = &node->outputs[0];
  sums->of_copies += source->kind == ETR_NODE_OP && strcmp(source->target, node->target) == 0;
  sums->casts += from && from->dtype && to->dtype && strcmp(from->dtype, to->dtype) != 0;
}

/* Returns what the copies of a finding do, how long they take, and what to do about them; NULL when
 * out of memory. */
static const char *copies_evidence(const etr_finder *finder, const copies *sums,
                                   const etr_finding *finding) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, finder->arena, &writer);
  etr_putf(&writer, "%s %s to move data, calls included; longest: %s, %s.",
           etr_they_take(sums->count), etr_finder_time_per_run(finder, sums->ticks),
           etr_finder_node_name(finder, finding->nodes[0]),
           etr_finder_time_per_run(finder, etr_finder_kernel_ticks(finder, finding->nodes[0])));
  if (sums->unchanged == sums->count)
    etr_puts(&writer, " Each returns what it reads.");
  if (sums->of_products == sums->count)
    etr_puts(&writer, " torch.export splits matmul, and scaled_dot_product_attention, into these "
                      "and a bmm: no line of the model says expand, but a pass of the lowering "
                      "removes them.");
  else if (sums->of_products && sums->unchanged == sums->count)
    etr_putf(&writer,
             " torch.export splits matmul into %zu of these; a pass of the lowering removes all.",
             sums->of_products);
  if (sums->unchanged && sums->unchanged < sums->count)
    etr_putf(&writer, " %zu return what they read: remove them.", sums->unchanged);
  if (sums->casts)
    etr_putf(&writer, " %zu convert the number type: keep one type throughout.", sums->casts);
  if (sums->of_copies)
    etr_putf(&writer, " %zu read another one's result: fuse the two.", sums->of_copies);
  etr_cost_sum sum = {0};
  for (size_t i = 0; i < finding->node_count; i++)
    etr_cost_add(&sum, finder->profile, finder->graph, finding->nodes[i]);
  if (etr_cost_bytes(&sum) > 0) {
    etr_puts(&writer, " Together they read and write ");
    etr_put_amount(&writer, etr_cost_bytes(&sum));
    etr_puts(&writer, etr_cost_bytes(&sum) < 999.5 ? " bytes." : "B.");
  }
  return etr_text_end(&text, &writer);
}

/* Returns what conversions between number types do, to follow "They take 2 ms". If some are to
 * float16, in a module with a softmax, they come from torch: it computes attention in float32. */
static const char *casts_text(const etr_finder *finder, const bool *marked) {
  bool is_half = false, is_attention = false;
  for (uint32_t i = 0; i < finder->graph->node_count; i++) {
    const etr_node *node = &finder->graph->nodes[i];
    if (!marked[i] || node->output_count == 0)
      continue;
    is_half |= etr_or_empty(node->outputs[0].dtype)[0] &&
               strcmp(node->outputs[0].dtype, "float16") == 0;
    for (uint32_t k = 0; !is_attention && k < finder->graph->node_count; k++)
      is_attention = etr_slice_is(finder->ops[k], "softmax") &&
                     finder->graph->nodes[k].module == node->module;
  }
  return is_half && is_attention
             ? " to convert float16 and float32: torch's attention computes in float32; write it "
               "in one type"
             : " to convert types of numbers: keep one throughout";
}

/* Adds the finding about the copies by one operator: to remove them if each returns what it reads,
 * which saves them and the calls of delegates that they cut apart; or else to avoid them, of which
 * nothing is known. row: of the operator among `rows`. Returns false when out of memory. */
static bool add_copies_of_operator(etr_finder *finder, const etr_breakdown *rows,
                                   const etr_breakdown_row *row) {
  const etr_graph *graph = finder->graph;
  copies sums = {0};
  bool *marked = etr_arena_alloc_array(finder->arena, graph->node_count, sizeof *marked);
  if (!marked)
    return false;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    marked[i] = rows->row_of_node[i] == row->number;
    if (marked[i])
      count_copy(&sums, finder, i);
  }
  bool *is_read = etr_arena_alloc_array(finder->arena, graph->node_count, sizeof *is_read);
  if (!is_read)
    return false;
  mark_read_by_products(finder, is_read);
  for (uint32_t i = 0; i < graph->node_count; i++)
    sums.of_products += marked[i] && is_read[i] &&
                        etr_is_operator(finder, &graph->nodes[i], "expand_copy");
  bool is_all = sums.unchanged == sums.count, is_exported = is_all && sums.of_products > 0;
  const char *by_pass = sums.of_products < sums.count ? "a pass removes them"
                                                      : "torch makes them of matmul, a pass "
                                                        "removes them";
  etr_merged_calls merged = {0};
  if (is_all && !etr_find_merged_calls(finder, marked, &merged))
    return false;
  double most = (double)sums.ticks + merged.most +
                merged.transposes_share * (double)merged.transposes.ticks;
  etr_finding *added = etr_finder_add_if_large(finder, ETR_FINDING_COPIES, sums.ticks,
                                               is_all ? most : NAN);
  if (!added)
    return !etr_arena_failed(finder->arena);
  if (!etr_finding_set_nodes(finder, added, marked))
    return false;
  const char *moves = sums.casts == sums.count ? casts_text(finder, marked) : " to move data";
  added->title = etr_arena_format(
      finder->arena, is_all ? "Remove %zu %s that change%s nothing" : "Avoid %zu %s", sums.count,
      etr_finder_short_op(finder, row->key), sums.count == 1 ? "s" : "");
  added->fact = etr_arena_format(finder->arena, "%s %s%s", etr_they_take(sums.count),
                                 etr_finder_time_per_run(finder, sums.ticks),
                                 is_all ? ", and each returns what it reads" : moves);
  if (is_exported) {
    added->variant = ETR_VARIANT_EXPORT;
    added->fact = etr_arena_format(finder->arena, "%s %s; %s", etr_they_take(sums.count),
                                   etr_finder_time_per_run(finder, sums.ticks), by_pass);
  }
  added->evidence = copies_evidence(finder, &sums, added);
  if (is_all)
    etr_finding_set_least_saving(finder, added, (double)sums.ticks + merged.least);
  bool are_merged = merged.after < merged.before;
  if (are_merged)
    added->fact = etr_arena_format(
        finder->arena, "%s %s, and cut delegates apart: %zu of %zu would remain%s",
        etr_they_take(sums.count), etr_finder_time_per_run(finder, sums.ticks), merged.after,
        merged.before, is_exported ? "; a pass removes them" : "");
  added->evidence = etr_with_merged_calls(finder, added->evidence, &merged);
  /* The example code is of these two: an expand to the same shape and a slice of the whole. */
  bool has_example = is_exported ||
                     etr_is_operator(finder, &graph->nodes[added->nodes[0]], "expand_copy") ||
                     etr_is_operator(finder, &graph->nodes[added->nodes[0]], "slice_copy");
  if (!has_example || !is_all)
    added->variant = ETR_VARIANT_MOVES;
  if (!is_all) {
    etr_finding_set_sureness(added, ETR_POSSIBLE, "the model may need some of them");
    return true;
  }
  etr_finding_set_sureness(added, are_merged ? ETR_LIKELY : ETR_SURE,
                           are_merged ? "the partitioner joins what nothing cuts apart" : NULL);
  return true;
}

/* Unmarks the nodes of earlier findings about what cuts delegates apart, which say more about them
 * than that they copy, unless these nodes can just be removed. */
static void unmark_fallback(const etr_finder *finder, bool *marked) {
  for (size_t i = 0; i < finder->found.count; i++) {
    const etr_finding *found = &finder->found.data[i];
    if (found->kind != ETR_FINDING_FALLBACK)
      continue;
    for (size_t k = 0; k < found->node_count; k++) {
      const etr_node *node = &finder->graph->nodes[found->nodes[k]];
      marked[found->nodes[k]] &= etr_finder_changes_nothing(finder, node);
    }
  }
}

/* Adds a finding for each operator of which kernels only copy, by their time with the calls around
 * them (true). Those on constants have a finding of their own. Then counts joins again. Returns
 * false when out of memory. */
bool etr_add_copy_findings(etr_finder *finder) {
  const etr_graph *graph = finder->graph;
  etr_breakdown rows;
  bool *marked = etr_arena_alloc_array(finder->arena, graph->node_count, sizeof *marked);
  if (!marked)
    return false;
  for (size_t i = 0; i < graph->node_count; i++)
    marked[i] = finder->is_kernel[i] && !finder->is_constant[i] &&
                etr_node_only_copies(&graph->nodes[i]);
  unmark_fallback(finder, marked);
  if (!etr_finder_sum_by_operator(finder, &rows, marked, true))
    return false;
  for (size_t i = 0; i < rows.count; i++)
    if (!add_copies_of_operator(finder, &rows, &rows.rows[i]))
      return false;
  return etr_recount_joins(finder);
}
