/* SPDX-License-Identifier: BSD-3-Clause
 *
 * compare_rows.c - nodes by pairing.c, sums by their keys; verdicts by noise.c.
 */
#include "compare/compare_rows.h"

#include "backends/operator.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ---- Nodes ---- */

/* 0 stands for none. */
static uint32_t number_of_bytes(etr_map *numbers, const void *bytes, size_t size) {
  return etr_map_number(numbers, (etr_slice){bytes, size}) + 1;
}

static uint32_t number_of(etr_map *numbers, const char *text) {
  return number_of_bytes(numbers, text, strlen(text) + 1);
}

/* Type and dimensions of all outputs, one number for each chain of them. */
static uint32_t number_of_outputs(etr_map *numbers, const etr_node *node) {
  int64_t link[3] = {0}; /* the number so far, what comes next */
  for (size_t i = 0; i < node->output_count; i++) {
    const etr_value *value = &node->outputs[i];
    link[1] = value->rank;
    link[2] = value->dtype ? number_of(numbers, value->dtype) : 0;
    link[0] = number_of_bytes(numbers, link, sizeof link);
    for (int32_t k = 0; k < value->rank; k++) {
      link[1] = value->dims[k].size;
      link[2] = value->dims[k].symbol ? number_of(numbers, value->dims[k].symbol) : 0;
      link[0] = number_of_bytes(numbers, link, sizeof link);
    }
  }
  return (uint32_t)link[0];
}

static uint32_t number_of_shape(etr_map *numbers, const etr_side_item *item) {
  if (item->of) return number_of_outputs(numbers, item->of);
  return item->shape ? number_of(numbers, item->shape) : 0;
}

/* The text of a source line, in its function; files and line numbers change without a change of the line. */
static uint32_t number_of_source(etr_map *numbers, const etr_side_item *item) {
  if (!item->code) return 0;
  const uint32_t line[] = {number_of(numbers, item->function), number_of(numbers, item->code)};
  return number_of_bytes(numbers, line, sizeof line);
}

/* Dimensions in "f32[1,64]", and how many. 0, *rank untouched: there are none, or they are symbolic. */
static uint32_t number_of_dims(etr_map *numbers, const char *text, uint32_t *rank) {
  const char *open = text ? strchr(text, '[') : NULL;
  if (!open) return 0;
  size_t size = strspn(open + 1, "0123456789,");
  if (open[1 + size] != ']') return 0;
  *rank = size > 0;
  for (size_t i = 0; i < size; i++) *rank += open[1 + i] == ',';
  return number_of_bytes(numbers, open, size + 2);
}

/* The same of the first output. */
static uint32_t number_of_output(etr_map *numbers, const etr_side_item *item, uint32_t *rank) {
  if (!item->of) return number_of_dims(numbers, item->shape, rank);
  const etr_value *value = item->of->output_count ? &item->of->outputs[0] : NULL;
  etr_arena *scratch = numbers->arena;
  const char *text = "[";
  if (!value || value->rank < 0) return 0;
  for (int32_t i = 0; text && i < value->rank; i++) {
    if (value->dims[i].symbol) return 0;
    text = etr_arena_format(scratch, "%s%s%" PRId64, text, i ? "," : "", value->dims[i].size);
  }
  text = text ? etr_arena_format(scratch, "%s]", text) : NULL;
  return number_of_dims(numbers, text, rank);
}

/* The kind of an operator. Lowerings give several names to one kind: portable kernels run a linear layer as addmm,
 * while XNNPACK and Core ML keep linear. Overloads are left alone, as they differ in what is read. */
static uint32_t number_of_kind(etr_map *numbers, const char *op) {
  static const struct {
    const char *op, *kind;
  } kinds[] = {
      {"aten.addmm.default", "aten.linear.default"},
      {"aten.mm.default", "aten.linear.default"},
      {"aten.conv1d.default", "aten.convolution.default"},
      {"aten.conv2d.default", "aten.convolution.default"},
      {"aten.conv3d.default", "aten.convolution.default"},
      {"aten.matmul.default", "aten.bmm.default"},
      {"aten.softmax.int", "aten._softmax.default"},
      {"aten.log_softmax.int", "aten._log_softmax.default"},
      {"aten.layer_norm.default", "aten.native_layer_norm.default"},
      {"aten.group_norm.default", "aten.native_group_norm.default"},
      {"aten.batch_norm.default", "aten._native_batch_norm_legit_no_training.default"},
      {"aten.max_pool2d.default", "aten.max_pool2d_with_indices.default"},
      {"aten.adaptive_avg_pool2d.default", "aten._adaptive_avg_pool2d.default"},
  };
  for (size_t i = 0; i < ETR_COUNT(kinds); i++)
    if (strcmp(op, kinds[i].op) == 0) return number_of(numbers, kinds[i].kind);
  return number_of(numbers, op);
}

/* True of operators whose weight makes them the layer that they are, and of those that a lowering puts between a layer
 * and its weight. Others read caches and masks, whose size is that of the context; so do products of batches (bmm), in
 * attention. */
static bool is_of_layer(const char *op) {
  static const char *const layers[] = {"linear",
                                       "addmm",
                                       "mm",
                                       "convolution",
                                       "conv1d",
                                       "conv2d",
                                       "conv3d",
                                       "embedding",
                                       "layer_norm",
                                       "native_layer_norm",
                                       "group_norm",
                                       "batch_norm",
                                       "rms_norm",
                                       "permute_copy",
                                       "native_batch_norm_legit_no_training",
                                       "prelu",
                                       "t_copy",
                                       "transpose_copy",
                                       "native_group_norm",
                                       "native_batch_norm_legit"};
  etr_slice name = etr_operator_of_target(op);
  return etr_operator_is_one_of(name, layers, ETR_COUNT(layers)) || etr_slice_starts(name, ETR_SLICE("dequantize_"));
}

static etr_pairing_item key_of(etr_map *numbers, const etr_side_item *item) {
  bool is_event = item->node == ETR_NONE, is_layer = is_of_layer(item->op);
  uint32_t rank = 0, weight_rank = 0;
  uint32_t dims = is_event ? 0 : number_of_output(numbers, item, &rank);
  (void)number_of_dims(numbers, item->weight, &weight_rank);
  uint32_t weight = item->weight ? number_of(numbers, item->weight) : 0;
  return (etr_pairing_item){.path = is_event ? NULL : item->module,
                            .name = number_of(numbers, item->name),
                            .op = is_event ? number_of(numbers, item->op) : number_of_kind(numbers, item->op),
                            .target = number_of(numbers, item->op),
                            .weight = is_layer ? weight : 0,
                            .state = is_layer ? 0 : weight,
                            .weight_rank = is_layer ? weight_rank : 0,
                            .dims = dims,
                            .rank = rank,
                            .shape = number_of_shape(numbers, item),
                            .place = is_event ? 0 : number_of(numbers, item->body),
                            .source = number_of_source(numbers, item),
                            .only_moves = !is_event && etr_operator_only_moves(item->op),
                            .producers = item->producers,
                            .producer_count = item->producer_count};
}

/* True if methods are called with other shapes: what follows from these differs, too. Types do not matter. */
static bool has_other_inputs(const etr_side_method *base, const etr_side_method *newer) {
  if (base->input_count != newer->input_count) return true;
  for (size_t i = 0; i < base->input_count; i++) {
    const char *old = strchr(base->inputs[i].type, '['), *now = strchr(newer->inputs[i].type, '[');
    if (!old != !now || (old && strcmp(old, now) != 0)) return true;
  }
  return false;
}

/* The items of a side as pairing.c wants them, not paired yet. False when out of memory. */
static bool list_keys(etr_rows *c, etr_pairing_side *out, const etr_side_method *side, etr_map *numbers) {
  etr_pairing_item *keys = etr_arena_alloc_array(c->scratch, side->item_count, sizeof *keys);
  for (size_t i = 0; keys && i < side->item_count; i++) keys[i] = key_of(numbers, &side->items[i]);
  *out = (etr_pairing_side){.items = keys,
                            .count = side->item_count,
                            .partner = etr_arena_alloc_array(c->scratch, side->item_count, sizeof(uint32_t)),
                            .rules = etr_arena_alloc_array(c->scratch, side->item_count, sizeof(etr_pair_rule))};
  return !etr_arena_failed(c->scratch);
}

static double average(const etr_side_time *time, const etr_method *method) {
  return time->runs > 0 && method ? time->total / (double)method->run_count : 0;
}

/* NULL: it does not exist on that side. */
etr_measure etr_side_measure(const etr_method_side *side, const etr_side_time *time) {
  if (!time) return (etr_measure){0};
  return (etr_measure){.exists = true, .avg = average(time, side->method), .time = time};
}

static bool fill_pair(etr_node_pair *pair, const etr_method_side sides[ETR_SIDES],
                      const etr_side_item *items[ETR_SIDES], etr_pair_rule rule, etr_family *f) {
  const etr_side_item *base = items[ETR_BASE], *newer = items[ETR_NEWER];
  etr_measure old = etr_side_measure(&sides[ETR_BASE], base ? &base->time : NULL),
              now = etr_side_measure(&sides[ETR_NEWER], newer ? &newer->time : NULL);
  *pair = (etr_node_pair){.base_node = base ? base->node : ETR_NONE,
                          .new_node = newer ? newer->node : ETR_NONE,
                          .rule = rule,
                          .base_name = base ? base->name : NULL,
                          .new_name = newer ? newer->name : NULL,
                          .op = newer ? newer->op : base->op,
                          .base_module = base ? base->module : NULL,
                          .new_module = newer ? newer->module : NULL,
                          .base_backend = base ? base->backend : NULL,
                          .new_backend = newer ? newer->backend : NULL};
  return etr_family_add(f, &pair->change, &old, &now);
}

static void count_timed(etr_method_pair *method, const etr_node_pair *pair) {
  size_t timed = (pair->change.base_runs > 0) + (pair->change.new_runs > 0);
  method->timed_nodes += timed;
  if (pair->base_name && pair->new_name) method->timed_paired += timed;
}

bool etr_rows_pair(etr_rows *c, etr_method_pair *method, const etr_method_side sides[ETR_SIDES]) {
  const etr_side_method *base = sides[ETR_BASE].compared, *newer = sides[ETR_NEWER].compared;
  etr_pairing_side lists[ETR_SIDES];
  bool is_resized = has_other_inputs(base, newer);
  etr_map numbers;
  etr_family f = {.scratch = c->scratch, .base_scale = c->base_scale, .options = c->options};
  etr_map_init(&numbers, c->scratch);
  etr_node_pair *pairs = etr_arena_alloc_array(c->arena, base->item_count + newer->item_count, sizeof *pairs);
  if (!pairs || !list_keys(c, &lists[ETR_BASE], base, &numbers) || !list_keys(c, &lists[ETR_NEWER], newer, &numbers))
    return false;
  for (int s = 0; s < ETR_SIDES; s++) lists[s].has_other_inputs = is_resized;
  if (!etr_pair_items(&lists[ETR_BASE], &lists[ETR_NEWER])) return false;
  method->pairs = pairs;
  for (size_t i = 0; i < newer->item_count + base->item_count; i++) {
    bool gone = i >= newer->item_count;
    size_t place = gone ? i - newer->item_count : i;
    const etr_pairing_side *list = &lists[gone ? ETR_BASE : ETR_NEWER];
    uint32_t partner = list->partner[place];
    if (gone && partner != ETR_NONE) continue;
    uint32_t base_place = gone ? (uint32_t)place : partner;
    const etr_side_item *items[ETR_SIDES] = {base_place == ETR_NONE ? NULL : &base->items[base_place],
                                             gone ? NULL : &newer->items[place]};
    etr_node_pair *pair = &pairs[method->pair_count++];
    if (!fill_pair(pair, sides, items, list->rules[place], &f)) return false;
    count_timed(method, pair);
  }
  return etr_family_judge(&f);
}

/* ---- Sums ---- */

static double moved(const etr_node_group *group) { return fabs(group->change.new_p50 - group->change.base_p50); }

static int by_change(const void *a, const void *b) {
  double x = moved(a), y = moved(b);
  if (x != y) return x < y ? 1 : -1;
  return strcmp(((const etr_node_group *)a)->key, ((const etr_node_group *)b)->key);
}

/* Sums of the same key on both sides; NULL where it is missing. */
typedef struct sum_pair {
  const etr_side_sum *sums[ETR_SIDES];
} sum_pair;

typedef etr_vec(sum_pair) sum_pairs;

/* False when out of memory. */
static bool pair_sums(etr_rows *c, sum_pairs *out, const etr_side_sums *const sums[ETR_SIDES]) {
  etr_map index;
  etr_map_init(&index, c->scratch);
  for (int k = 0; k < ETR_SIDES; k++)
    for (size_t i = 0; i < sums[k]->count; i++) {
      const etr_slice key = etr_slice_of(sums[k]->rows[i].key);
      uint32_t known = etr_map_get(&index, key);
      if (known == ETR_NONE) {
        known = (uint32_t)out->count;
        if (!etr_vec_push(c->scratch, out) || !etr_map_set(&index, key, known)) return false;
      }
      out->data[known].sums[k] = &sums[k]->rows[i];
    }
  return true;
}

static bool fill_group(etr_node_group *row, const sum_pair *pair, const etr_method_side sides[ETR_SIDES],
                       etr_family *f) {
  const etr_side_sum *base = pair->sums[ETR_BASE], *newer = pair->sums[ETR_NEWER];
  etr_measure old = etr_side_measure(&sides[ETR_BASE], base ? &base->time : NULL),
              now = etr_side_measure(&sides[ETR_NEWER], newer ? &newer->time : NULL);
  *row = (etr_node_group){.key = base ? base->key : newer->key,
                          .base_nodes = base ? base->timed : 0,
                          .new_nodes = newer ? newer->timed : 0};
  return etr_family_add(f, &row->change, &old, &now);
}

static bool group_nodes(etr_rows *c, etr_node_groups *out, const etr_method_side sides[ETR_SIDES],
                        const etr_side_sums *base, const etr_side_sums *newer) {
  const etr_side_sums *const sums[ETR_SIDES] = {base, newer};
  sum_pairs pairs = {0};
  etr_family f = {.scratch = c->scratch, .base_scale = c->base_scale, .options = c->options};
  size_t count = 0;
  if (!pair_sums(c, &pairs, sums)) return false;
  etr_node_group *rows = etr_arena_alloc_array(c->arena, pairs.count, sizeof *rows);
  if (!rows) return false;
  for (size_t i = 0; i < pairs.count; i++) {
    if (!fill_group(&rows[count], &pairs.data[i], sides, &f)) return false;
    if (rows[count].base_nodes || rows[count].new_nodes) count++;
  }
  if (!etr_family_judge(&f)) return false;
  if (count) qsort(rows, count, sizeof *rows, by_change);
  *out = (etr_node_groups){rows, count};
  return true;
}

bool etr_rows_add_up(etr_rows *c, etr_method_pair *pair, const etr_method_side sides[ETR_SIDES]) {
  const etr_side_method *base = sides[ETR_BASE].compared, *newer = sides[ETR_NEWER].compared;
  return group_nodes(c, &pair->ops, sides, &base->ops, &newer->ops) &&
         group_nodes(c, &pair->modules, sides, &base->modules, &newer->modules) &&
         group_nodes(c, &pair->patterns, sides, &base->patterns, &newer->patterns) &&
         group_nodes(c, &pair->backends, sides, &base->backends, &newer->backends);
}
