/* SPDX-License-Identifier: BSD-3-Clause
 *
 * compare.c - compares two sides: pairs their methods by name, then what is in each method, and
 * loads.
 */
#include "backends/operator.h"
#include "base/method_parts.h"
#include "base/module_path.h"
#include "compare/compare_side.h"
#include "compare/noise.h"
#include "compare/pairing.h"
#include "compare/renames.h"
#include "etrecord_compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ---- Changes, judged alone or in families ---- */

/* One side of a change. */
typedef struct measure {
  bool exists; /* timed or not */
  double avg;  /* per inference, in ticks of its own profile */
  const etr_side_time *time;
  const etr_side_recordings *recordings; /* of a method; NULL of others */
} measure;

/* Changes of one kind, which are either all judged alone or all judged together. */
typedef struct family {
  etr_arena *scratch;
  double base_scale; /* as in etr_comparison */
  const etr_noise_rules *rules;
  etr_vec(etr_noise_test) tests;
} family;

/* Returns a time of one side in ticks of the other side's clock, which may have another frequency:
 * `factor` is its ticks in one tick of this side. Offset and spread are relative and remain. NULL
 * counts as untimed. */
static etr_side_time scaled_time(const etr_side_time *time, double factor) {
  static const etr_side_time untimed = {0};
  etr_side_time made = time ? *time : untimed;
  made.total *= factor;
  made.typical *= factor;
  made.p50 *= factor;
  made.steady *= factor;
  made.rounding *= factor;
  made.low *= factor;
  made.high *= factor;
  made.step *= factor;
  return made;
}

/* Returns the verdict on something that one side lacks, or that has no time on a side. Whatever
 * has times on both sides is undecided ("cannot tell") until its family is judged. */
static etr_verdict verdict_before_judging(const measure *base, const measure *newer,
                                          bool is_timed_twice) {
  if (!base->exists)
    return ETR_VERDICT_NEW;
  if (!newer->exists)
    return ETR_VERDICT_GONE;
  return is_timed_twice ? ETR_VERDICT_CANNOT_TELL : ETR_VERDICT_UNTIMED;
}

/* Fills a change except for its verdict, in ticks of the newer side's clock, and adds it to the
 * family's tests if both sides are timed. The change must not move in memory until the verdict is
 * set. Returns false when out of memory. */
static bool add_change_to_family(family *f, etr_change *change, const measure *base,
                                 const measure *newer) {
  const etr_side_time old = scaled_time(base->time, f->base_scale),
                      now = scaled_time(newer->time, 1);
  bool is_timed_twice = old.runs > 0 && now.runs > 0;
  *change = (etr_change){
      .base_typical = old.typical,
      .new_typical = now.typical,
      .base_avg = base->avg * f->base_scale,
      .new_avg = newer->avg,
      .base_p50 = old.p50,
      .new_p50 = now.p50,
      .base_runs = old.runs,
      .new_runs = now.runs,
      .base_recordings = old.recordings,
      .new_recordings = now.recordings,
      .relative = old.typical > 0 && now.typical > 0 ? now.typical / old.typical - 1 : (double)NAN,
      .low = NAN,
      .high = NAN,
      .least = NAN,
      .most = NAN,
      .verdict = verdict_before_judging(base, newer, is_timed_twice)};
  if (!is_timed_twice)
    return true;
  etr_noise_test *test = etr_vec_push(f->scratch, &f->tests);
  if (!test)
    return false;
  *test = (etr_noise_test){.base = old,
                           .newer = now,
                           .change = change,
                           .base_recordings = base->recordings,
                           .new_recordings = newer->recordings,
                           .base_scale = f->base_scale};
  return true;
}

/* Judges all changes together, so that few are reported by chance. Returns false when out of
 * memory. */
static bool family_judge(const family *f) {
  return etr_noise_judge_family(f->tests.data, f->tests.count, f->rules);
}

/* Judges each change by itself. Returns false when out of memory. */
static bool family_judge_each(const family *f) {
  for (size_t i = 0; i < f->tests.count; i++)
    if (!etr_noise_judge(&f->tests.data[i], f->rules))
      return false;
  return true;
}

/* ---- The rows of a method's comparison: pairs of nodes, sums of the same key ---- */

/* A method on one side. */
typedef struct method_side {
  const etr_method *method;        /* NULL if this side lacks the method */
  const etr_side_method *compared; /* empty if it is missing */
  uint32_t threads;                /* etr_profile.threads */
} method_side;

/* Everything that is needed to compute the rows of one method. */
typedef struct row_context {
  double base_scale; /* as in etr_comparison */
  const etr_noise_rules *rules;
  etr_arena *arena; /* of the comparison */
  etr_arena *scratch;
  etr_renames modules, patterns; /* of the method, once its nodes are paired */
} row_context;

/* ---- Nodes: what they are paired by, as numbers. Equal texts have equal numbers on both sides,
 * from 1 on; 0 stands for no text, or for an arena that has failed. ---- */

static uint32_t number_of_bytes(etr_map *numbers, const void *bytes, size_t size) {
  return etr_map_number(numbers, (etr_slice){bytes, size}) + 1;
}

static uint32_t number_of(etr_map *numbers, const char *text) {
  return number_of_bytes(numbers, text, strlen(text) + 1);
}

/* Returns a number for the types and dimensions of all outputs of an item, which is equal for equal
 * ones on both sides; 0 if they are unknown. Items of documents have no outputs, but their types
 * and dimensions as one text. */
static uint32_t number_of_shape(etr_map *numbers, const etr_side_item *item) {
  if (!item->of)
    return item->shape ? number_of(numbers, item->shape) : 0;
  /* Everything that was read so far has one number, which with the next two facts gives the next
   * number. So no text of the whole shape is needed. */
  struct {
    int64_t so_far, fact, other_fact;
  } link = {0};
  for (size_t i = 0; i < item->of->output_count; i++) {
    const etr_value *value = &item->of->outputs[i];
    link.fact = value->rank;
    link.other_fact = value->dtype ? number_of(numbers, value->dtype) : 0;
    link.so_far = number_of_bytes(numbers, &link, sizeof link);
    for (int32_t k = 0; k < value->rank; k++) {
      link.fact = value->dims[k].size;
      link.other_fact = value->dims[k].symbol ? number_of(numbers, value->dims[k].symbol) : 0;
      link.so_far = number_of_bytes(numbers, &link, sizeof link);
    }
  }
  return (uint32_t)link.so_far;
}

/* Returns a number for a source line, which is equal for lines of equal text in functions of equal
 * name, because files and line numbers change without a change of the line. Returns 0 if the line
 * is unknown. */
static uint32_t number_of_source(etr_map *numbers, const etr_side_item *item) {
  if (!item->code)
    return 0;
  const uint32_t line[] = {number_of(numbers, item->function), number_of(numbers, item->code)};
  return number_of_bytes(numbers, line, sizeof line);
}

/* Returns a number for the dimensions in a text like "f32[1,64]", which is equal for equal
 * dimensions on both sides, and sets *rank to how many there are. Returns 0, without setting *rank,
 * if there are none or if they are symbolic. */
static uint32_t number_of_dims(etr_map *numbers, const char *text, uint32_t *rank) {
  const char *open = text ? strchr(text, '[') : NULL;
  if (!open)
    return 0;
  size_t size = strspn(open + 1, "0123456789,");
  if (open[1 + size] != ']')
    return 0;
  *rank = size > 0;
  for (size_t i = 0; i < size; i++)
    *rank += open[1 + i] == ',';
  return number_of_bytes(numbers, open, size + 2);
}

/* Returns a number for the dimensions of an item's first output, which is equal for equal
 * dimensions, and sets *rank to how many there are. Returns 0, without setting *rank, if they are
 * unknown or symbolic. An item of a document has no node (item->of), but its types and shapes as
 * text. */
static uint32_t number_of_first_output_dims(etr_map *numbers, const etr_side_item *item,
                                            uint32_t *rank) {
  if (!item->of)
    return number_of_dims(numbers, item->shape, rank);
  const etr_value *value = item->of->output_count ? &item->of->outputs[0] : NULL;
  etr_arena *scratch = numbers->arena;
  const char *text = "[";
  if (!value || value->rank < 0)
    return 0;
  for (int32_t i = 0; text && i < value->rank; i++) {
    if (value->dims[i].symbol)
      return 0;
    text = etr_arena_format(scratch, "%s%s%" PRId64, text, i ? "," : "", value->dims[i].size);
  }
  text = text ? etr_arena_format(scratch, "%s]", text) : NULL;
  return number_of_dims(numbers, text, rank);
}

/* Returns a number for the kind of an operator, which is equal for operators of one kind on both
 * sides. Lowerings give several names to one kind: portable kernels run a linear layer as addmm,
 * while XNNPACK and Core ML keep linear. Overloads remain different kinds, because they read
 * different inputs. */
static uint32_t number_of_operator_kind(etr_map *numbers, const char *op) {
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
    if (strcmp(op, kinds[i].op) == 0)
      return number_of(numbers, kinds[i].kind);
  return number_of(numbers, op);
}

/* Returns true for operators that are a layer because of their weight, and for operators that a
 * lowering puts between a layer and its weight. The shape of that weight identifies the layer. What
 * other operators read is a cache or a mask, whose size depends on the length of the context; so
 * does that of batched products (bmm), in attention. */
static bool is_of_layer(const char *op) {
  /* clang-format off */
  static const char *const layers[] = {
      "linear", "addmm", "mm", "convolution", "conv1d", "conv2d", "conv3d", "embedding",
      "layer_norm",
      "native_layer_norm", "group_norm", "batch_norm", "rms_norm", "permute_copy",
      "native_batch_norm_legit_no_training", "prelu", "t_copy", "transpose_copy",
      "native_group_norm",
      "native_batch_norm_legit",
  };
  /* clang-format on */
  etr_slice name = etr_operator_of_target(op);
  return etr_operator_is_one_of(name, layers, ETR_COUNT(layers)) ||
         etr_slice_starts(name, ETR_SLICE("dequantize_"));
}

/* Returns true if the inputs of the methods have different shapes. Then the shapes of operators
 * differ, too, and are no evidence. Types do not matter: only what is behind the "[" is compared.
 */
static bool has_other_inputs(const etr_side_method *base, const etr_side_method *newer) {
  if (base->input_count != newer->input_count)
    return true;
  for (size_t i = 0; i < base->input_count; i++) {
    const char *old = strchr(base->inputs[i].type, '['), *now = strchr(newer->inputs[i].type, '[');
    if (!old != !now || (old && strcmp(old, now) != 0))
      return true;
  }
  return false;
}

/* Makes what the pairing compares of an item. What a layer reads is its weight, and what other
 * operators read is a state. An event, which has no node, is in no module and no body, and its name
 * is that of a kernel: nothing but its name and operator identifies it. */
static etr_pairing_item make_pairing_item(etr_map *numbers, const etr_side_item *item) {
  bool is_event = item->node == ETR_NONE, is_layer = is_of_layer(item->op);
  uint32_t rank = 0, weight_rank = 0;
  uint32_t dims = is_event ? 0 : number_of_first_output_dims(numbers, item, &rank);
  (void)number_of_dims(numbers, item->weight, &weight_rank);
  uint32_t weight = item->weight ? number_of(numbers, item->weight) : 0;
  return (etr_pairing_item){.path = is_event ? NULL : item->module,
                            .name = number_of(numbers, item->name),
                            .op = is_event ? number_of(numbers, item->op)
                                           : number_of_operator_kind(numbers, item->op),
                            .target = number_of(numbers, item->op),
                            .weight = is_layer ? weight : 0,
                            .state = is_layer ? 0 : weight,
                            .weight_rank = is_layer ? weight_rank : 0,
                            .dims = dims,
                            .rank = rank,
                            .shape = number_of_shape(numbers, item),
                            .body = is_event ? 0 : number_of(numbers, item->body),
                            .source = number_of_source(numbers, item),
                            .only_moves = !is_event && etr_operator_only_moves(item->op),
                            .producers = item->producers,
                            .producer_count = item->producer_count};
}

/* Lists what the pairing compares of the items of a side. No item has a partner yet. Returns false
 * when out of memory. */
static bool list_pairing_items(row_context *context, etr_pairing_side *out,
                               const etr_side_method *side, etr_map *numbers) {
  etr_arena *scratch = context->scratch;
  etr_pairing_item *items = etr_arena_alloc_array(scratch, side->item_count, sizeof *items);
  for (size_t i = 0; items && i < side->item_count; i++)
    items[i] = make_pairing_item(numbers, &side->items[i]);
  *out = (etr_pairing_side){.items = items, .count = side->item_count};
  out->partner = etr_arena_alloc_array(scratch, side->item_count, sizeof *out->partner);
  out->rules = etr_arena_alloc_array(scratch, side->item_count, sizeof *out->rules);
  return !etr_arena_failed(scratch);
}

/* Returns the mean time per run of the method, in ticks, also over runs in which the thing did not
 * run; 0 if it is untimed. */
static double average_per_run(const etr_side_time *time, const etr_method *method) {
  return time->runs > 0 && method ? time->total / (double)method->run_count : 0;
}

/* Returns one side of a change, with the average per run of the method. If `time` is NULL, the
 * thing does not exist on that side. */
static measure side_measure(const method_side *side, const etr_side_time *time) {
  if (!time)
    return (measure){0};
  return (measure){.exists = true, .avg = average_per_run(time, side->method), .time = time};
}

/* Fills the row of a pair of nodes, or of a node that only one side has (the other of `items` is
 * NULL), and adds its times to the family's tests. Returns false when out of memory. */
static bool fill_node_pair(etr_node_pair *pair, const method_side sides[ETR_SIDES],
                           const etr_side_item *items[ETR_SIDES], etr_pair_rule rule, family *f) {
  const etr_side_item *base = items[ETR_BASE], *newer = items[ETR_NEWER];
  measure old = side_measure(&sides[ETR_BASE], base ? &base->time : NULL),
          now = side_measure(&sides[ETR_NEWER], newer ? &newer->time : NULL);
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
  return add_change_to_family(f, &pair->change, &old, &now);
}

/* Finds the partner of each item of a method's two sides, and the rule that paired it. Returns
 * false when out of memory. */
static bool find_partners(row_context *context, etr_pairing_side lists[ETR_SIDES],
                          const method_side sides[ETR_SIDES]) {
  const etr_side_method *base = sides[ETR_BASE].compared, *newer = sides[ETR_NEWER].compared;
  bool is_resized = has_other_inputs(base, newer);
  etr_map numbers;
  etr_map_init(&numbers, context->scratch);
  if (!list_pairing_items(context, &lists[ETR_BASE], base, &numbers) ||
      !list_pairing_items(context, &lists[ETR_NEWER], newer, &numbers))
    return false;
  for (int k = 0; k < ETR_SIDES; k++)
    lists[k].has_other_inputs = is_resized;
  return etr_pair_items(&lists[ETR_BASE], &lists[ETR_NEWER]);
}

/* Finds what modules of the base, and patterns of modules, are called on the newer side. Events
 * have none. Returns false when out of memory. */
static bool find_renames(row_context *context, const etr_pairing_side lists[ETR_SIDES],
                         const method_side sides[ETR_SIDES]) {
  const etr_side_method *base = sides[ETR_BASE].compared, *newer = sides[ETR_NEWER].compared;
  etr_renames_init(&context->modules, context->scratch);
  etr_renames_init(&context->patterns, context->scratch);
  for (size_t i = 0; i < newer->item_count; i++) {
    const etr_side_item *now = &newer->items[i];
    uint32_t partner = lists[ETR_NEWER].partner[i];
    if (partner == ETR_NONE || now->node == ETR_NONE)
      continue;
    const etr_side_item *old = &base->items[partner];
    if (!etr_renames_add(&context->modules, old->module, now->module) ||
        !etr_renames_add(&context->patterns, etr_or_empty(old->pattern),
                         etr_or_empty(now->pattern)))
      return false;
  }
  return etr_renames_find(&context->modules) && etr_renames_find(&context->patterns);
}

/* Counts the nodes of the method's pairs that have a time, and those of them with a partner. The
 * nodes of both sides are counted, so a pair counts 2 if both are timed. */
static void count_timed_nodes(etr_method_pair *method) {
  for (size_t i = 0; i < method->pair_count; i++) {
    const etr_node_pair *pair = &method->pairs[i];
    size_t timed = (pair->change.base_runs > 0) + (pair->change.new_runs > 0);
    method->timed_nodes += timed;
    if (pair->base_name && pair->new_name)
      method->timed_paired += timed;
  }
}

/* Pairs the nodes of a method, and fills and judges one row for each pair and for each node without
 * a partner: all nodes of the newer side, then those that only the base has. Returns false when out
 * of memory. */
static bool compare_nodes(row_context *context, etr_method_pair *method,
                          const method_side sides[ETR_SIDES]) {
  const etr_side_method *base = sides[ETR_BASE].compared, *newer = sides[ETR_NEWER].compared;
  etr_pairing_side lists[ETR_SIDES];
  family f = {
      .scratch = context->scratch, .base_scale = context->base_scale, .rules = context->rules};
  etr_node_pair *pairs = etr_arena_alloc_array(context->arena, base->item_count + newer->item_count,
                                               sizeof *pairs);
  if (!pairs || !find_partners(context, lists, sides))
    return false;
  size_t count = 0;
  for (size_t i = 0; i < newer->item_count; i++) {
    uint32_t partner = lists[ETR_NEWER].partner[i];
    const etr_side_item *items[ETR_SIDES] = {partner == ETR_NONE ? NULL : &base->items[partner],
                                             &newer->items[i]};
    if (!fill_node_pair(&pairs[count++], sides, items, lists[ETR_NEWER].rules[i], &f))
      return false;
  }
  for (size_t i = 0; i < base->item_count; i++) {
    const etr_side_item *items[ETR_SIDES] = {&base->items[i], NULL};
    if (lists[ETR_BASE].partner[i] != ETR_NONE)
      continue;
    if (!fill_node_pair(&pairs[count++], sides, items, lists[ETR_BASE].rules[i], &f))
      return false;
  }
  if (!find_renames(context, lists, sides))
    return false;
  method->pairs = pairs;
  method->pair_count = count;
  count_timed_nodes(method);
  return family_judge(&f);
}

/* ---- Sums ---- */

static double absolute_change(const etr_node_group *group) {
  return fabs(group->change.new_typical - group->change.base_typical);
}

/* Orders groups by how many ticks their typical time changed, the largest change first; equal ones
 * by key. */
static int by_change(const void *a, const void *b) {
  double x = absolute_change(a), y = absolute_change(b);
  if (x != y)
    return x < y ? 1 : -1;
  return strcmp(((const etr_node_group *)a)->key, ((const etr_node_group *)b)->key);
}

/* The sums with one key on both sides; NULL on a side where the key is missing. */
typedef struct sum_pair {
  const char *key; /* as it is on the newer side */
  const etr_side_sum *sums[ETR_SIDES];
} sum_pair;

typedef etr_vec(sum_pair) sum_pairs;

/* The sums of both sides by one kind of key. */
typedef struct key_sums {
  const etr_side_sums *sides[ETR_SIDES];
  etr_renames *renames; /* what the base's keys are called on the newer side; NULL: the same */
} key_sums;

/* Pairs the sums of both sides that have the same key, after the base's was renamed, and, if they
 * have any, the same operator or backend. Each pair is added to *out, with NULL for a side that
 * lacks the sum. Returns false when out of memory. */
static bool pair_sums(row_context *context, sum_pairs *out, const key_sums *sums) {
  etr_map index; /* key -> index into *out */
  etr_map_init(&index, context->scratch);
  for (int k = 0; k < ETR_SIDES; k++)
    for (size_t i = 0; i < sums->sides[k]->count; i++) {
      const etr_side_sum *sum = &sums->sides[k]->rows[i];
      const char *within = sum->op ? sum->op : sum->backend;
      const char *name = sum->key;
      if (sums->renames && k == ETR_BASE)
        name = etr_renames_of(sums->renames, name);
      const char *id = within ? etr_arena_format(context->scratch, "%s\n%s", name, within) : name;
      const etr_slice key = etr_slice_of(etr_or_empty(id));
      uint32_t found = etr_map_get(&index, key);
      if (found == ETR_NONE) {
        found = (uint32_t)out->count;
        if (!id || !etr_vec_push(context->scratch, out) || !etr_map_set(&index, key, found))
          return false;
      }
      out->data[found].sums[k] = sum;
      out->data[found].key = name;
    }
  return true;
}

/* Fills the row of a group of nodes, such as all of one operator, and adds its times to the
 * family's tests. Returns false when out of memory. */
static bool fill_group(row_context *context, etr_node_group *row, const sum_pair *pair,
                       const method_side sides[ETR_SIDES], family *f) {
  const etr_side_sum *base = pair->sums[ETR_BASE], *newer = pair->sums[ETR_NEWER];
  measure old = side_measure(&sides[ETR_BASE], base ? &base->time : NULL),
          now = side_measure(&sides[ETR_NEWER], newer ? &newer->time : NULL);
  const char *key = newer ? newer->key : base->key;
  bool is_renamed = base && strcmp(base->key, pair->key) != 0;
  if (!newer && is_renamed)
    key = etr_arena_copy(context->arena, etr_slice_of(pair->key));
  if (!key)
    return false;
  *row = (etr_node_group){.key = key,
                          .base_key = is_renamed ? base->key : NULL,
                          .op = base ? base->op : newer->op,
                          .backend = base ? base->backend : newer->backend,
                          .base_nodes = base ? base->timed : 0,
                          .new_nodes = newer ? newer->timed : 0};
  return add_change_to_family(f, &row->change, &old, &now);
}

/* Compares the sums of both sides by one kind of key, such as the operator: fills and judges a row
 * for each key, and sorts the rows by their change. Groups without timed nodes are left out.
 * Returns false when out of memory. */
static bool compare_groups(row_context *context, etr_node_groups *out,
                           const method_side sides[ETR_SIDES], const key_sums *sums) {
  sum_pairs pairs = {0};
  family f = {
      .scratch = context->scratch, .base_scale = context->base_scale, .rules = context->rules};
  size_t count = 0;
  if (!pair_sums(context, &pairs, sums))
    return false;
  etr_node_group *rows = etr_arena_alloc_array(context->arena, pairs.count, sizeof *rows);
  if (!rows)
    return false;
  for (size_t i = 0; i < pairs.count; i++) {
    /* The next pair overwrites a row that does not count. It has no test that points to it. */
    if (!fill_group(context, &rows[count], &pairs.data[i], sides, &f))
      return false;
    if (rows[count].base_nodes || rows[count].new_nodes)
      count++;
  }
  if (!family_judge(&f))
    return false;
  etr_sort(rows, count, sizeof *rows, by_change);
  *out = (etr_node_groups){rows, count};
  return true;
}

/* Adds the modules around a module to a set. Returns false when out of memory. */
static bool add_modules_around(etr_map *set, const char *path) {
  for (size_t level = 0, end = 0; etr_next_module_around(path, &level, &end);)
    if (path[end] && !etr_map_set(set, (etr_slice){path, end}, 1))
      return false;
  return true;
}

/* Orders rows by the length of their paths, the longest first, so that modules come before those
 * around them. */
static int by_path_length(const void *a, const void *b) {
  const etr_node_group *x = *(const etr_node_group *const *)a,
                       *y = *(const etr_node_group *const *)b;
  size_t length = strlen(x->key), other = strlen(y->key);
  if (length == other)
    return strcmp(x->key, y->key);
  return length < other ? 1 : -1;
}

/* Returns true if a module is below one of a set. */
static bool is_below_one_of(const etr_map *set, const char *path) {
  for (size_t level = 0, end = 0; etr_next_module_around(path, &level, &end);)
    if (path[end] && etr_map_get(set, (etr_slice){path, end}) != ETR_NONE)
      return true;
  return false;
}

/* Lists rows without those of modules below `joined`, in whose rows their time is: modules with
 * times as `own`, by their change, and then those that have times below them only, as `above`.
 * with_children of a row that has none below is the row itself. Returns false when out of memory.
 */
static bool list_modules(row_context *context, etr_node_groups *own, etr_node_groups *above,
                         const etr_node_groups *rows, const etr_map *joined) {
  etr_node_group *list = etr_arena_alloc_array(context->arena, rows->count, sizeof *list);
  size_t counts[2] = {0}, count = 0;
  for (int is_above = 0; list && is_above < 2; is_above++)
    for (size_t i = 0; i < rows->count; i++) {
      bool is_timed = rows->rows[i].base_nodes || rows->rows[i].new_nodes;
      if (is_timed == is_above || is_below_one_of(joined, rows->rows[i].key))
        continue;
      list[count++] = rows->rows[i];
      counts[is_above]++;
    }
  if (!list)
    return false;
  etr_sort(list, counts[0], sizeof *list, by_change);
  for (size_t i = 0; i < count; i++)
    if (!list[i].with_children)
      list[i].with_children = &list[i];
  *own = (etr_node_groups){list, counts[0]};
  *above = (etr_node_groups){list + counts[0], counts[1]};
  return true;
}

/* Makes one row of each module that is on both sides, but nothing below it: it was split into
 * parts, or has other ones. A part has nothing to be compared with. Returns false when out of
 * memory. */
static bool join_modules(row_context *context, etr_map *joined, etr_node_group *rows,
                         size_t count) {
  etr_map around; /* modules around those that both sides have */
  const etr_node_group **sorted = etr_arena_alloc_array(context->scratch, count, sizeof *sorted);
  etr_map_init(&around, context->scratch);
  if (!sorted)
    return false;
  for (size_t i = 0; i < count; i++) {
    sorted[i] = &rows[i];
    if (rows[i].base_nodes && rows[i].new_nodes && !add_modules_around(&around, rows[i].key))
      return false;
  }
  etr_sort(sorted, count, sizeof *sorted, by_path_length);
  for (size_t i = 0; i < count; i++) {
    const etr_node_group *all = sorted[i]->with_children;
    const etr_slice path = etr_slice_of(sorted[i]->key);
    if (!all || !path.size || !all->base_nodes || !all->new_nodes ||
        etr_map_get(&around, path) != ETR_NONE)
      continue;
    if (!etr_map_set(joined, path, 1) || !add_modules_around(&around, path.data))
      return false;
    rows[sorted[i] - rows] = *all;
  }
  return true;
}

/* Compares the sums of modules, or of patterns of modules, with everything below them, and links
 * them to the rows `own` of the same modules by with_children. Modules that have timed nodes only
 * below them have no such row yet: their rows are added behind, as `above`. `sums` are those with
 * everything below. Returns false when out of memory. */
static bool link_sums_with_children(row_context *context, etr_node_groups *own,
                                    etr_node_groups *above, const method_side sides[ETR_SIDES],
                                    const key_sums *sums) {
  etr_node_groups trees;
  etr_map index; /* key of a module -> its row */
  etr_map_init(&index, context->scratch);
  if (!compare_groups(context, &trees, sides, sums))
    return false;
  etr_node_group *rows = etr_arena_alloc_array(context->arena, own->count + trees.count,
                                               sizeof *rows);
  size_t count = own->count;
  for (size_t i = 0; rows && i < own->count; i++) {
    rows[i] = own->rows[i];
    if (!etr_map_set(&index, etr_slice_of(rows[i].key), (uint32_t)i))
      return false;
  }
  for (size_t i = 0; rows && i < trees.count; i++) {
    uint32_t row = etr_map_get(&index, etr_slice_of(trees.rows[i].key));
    if (row == ETR_NONE) {
      row = (uint32_t)count++;
      rows[row] = (etr_node_group){
          .key = trees.rows[i].key,
          .base_key = trees.rows[i].base_key,
          .change = {.relative = NAN, .low = NAN, .high = NAN, .verdict = ETR_VERDICT_UNTIMED}};
    }
    /* A module without timed nodes below is one thing, and so has one verdict. */
    bool has_children = trees.rows[i].base_nodes != rows[row].base_nodes ||
                        trees.rows[i].new_nodes != rows[row].new_nodes;
    rows[row].with_children = has_children ? &trees.rows[i] : NULL;
  }
  etr_map joined;
  etr_map_init(&joined, context->scratch);
  const etr_node_groups all = {rows, count};
  return rows && join_modules(context, &joined, rows, count) &&
         list_modules(context, own, above, &all, &joined);
}

/* Compares a method's sums by operator, module, pattern of modules, backend, source line,
 * kernel and part. Returns false when out of memory. */
static bool compare_all_groups(row_context *context, etr_method_pair *pair,
                               const method_side sides[ETR_SIDES]) {
  const etr_side_method *base = sides[ETR_BASE].compared, *newer = sides[ETR_NEWER].compared;
  const struct {
    etr_node_groups *rows;
    key_sums sums;
  } groups[] = {
      {&pair->ops, {{&base->ops, &newer->ops}, NULL}},
      {&pair->modules, {{&base->modules, &newer->modules}, &context->modules}},
      {&pair->patterns, {{&base->patterns, &newer->patterns}, &context->patterns}},
      {&pair->backends, {{&base->backends, &newer->backends}, NULL}},
      {&pair->sources, {{&base->sources, &newer->sources}, NULL}},
      {&pair->kernels, {{&base->kernels, &newer->kernels}, NULL}},
      {&pair->parts, {{&base->parts, &newer->parts}, NULL}},
      {&pair->pattern_ops, {{&base->pattern_ops, &newer->pattern_ops}, &context->patterns}},
  };
  const key_sums modules = {{&base->module_trees, &newer->module_trees}, &context->modules},
                 patterns = {{&base->pattern_trees, &newer->pattern_trees}, &context->patterns};
  for (size_t i = 0; i < ETR_COUNT(groups); i++)
    if (!compare_groups(context, groups[i].rows, sides, &groups[i].sums))
      return false;
  return link_sums_with_children(context, &pair->modules, &pair->modules_above, sides, &modules) &&
         link_sums_with_children(context, &pair->patterns, &pair->patterns_above, sides, &patterns);
}

/* ---- Whether two methods are like with like ---- */

const char *etr_difference_name(etr_difference_kind kind) {
  static const char *const names[] = {"model", "input", "dtype", "backend", "threads"};
  return (size_t)kind < ETR_COUNT(names) ? names[kind] : "model";
}

/* ---- Models ---- */

/* Returns true unless at least half of the modules with timed nodes are on both sides. If they
 * are, it is the same model with some rewritten operators. The top level, whose key is "", is in
 * every model and does not count. */
static bool has_other_modules(const etr_method_pair *pair) {
  size_t both = 0, inner = 0;
  for (size_t i = 0; i < pair->modules.count; i++) {
    const etr_node_group *module = &pair->modules.rows[i];
    bool is_inner = module->key[0] != '\0';
    inner += is_inner;
    both += is_inner && module->base_nodes && module->new_nodes;
  }
  return inner == 0 || both * 2 < inner;
}

/* Returns true if the sides may be two different models: if fewer than half of the weights have the
 * same shapes and fewer than half of the timed nodes have partners, or if no node has one. If a
 * side has fewer weights, half of these and of the modules are enough: branches were merged.
 * Without weights the nodes decide: fewer than a quarter have partners, or fewer than half and few
 * modules are on both sides. Of events only the quarter counts: quantized kernels have other names.
 * `shared` is the number of weights whose shape both sides have. */
static bool may_be_other_models(const etr_method_pair *pair, const etr_side_method *base,
                                const etr_side_method *newer, size_t shared) {
  size_t weights = ETR_MAX(base->weight_count, newer->weight_count),
         fewer = ETR_MIN(base->weight_count, newer->weight_count);
  bool few_are_paired = pair->timed_paired * 2 < pair->timed_nodes,
       hardly_any_is_paired = pair->timed_paired * 4 < pair->timed_nodes;
  if (base->weight_count && newer->weight_count)
    /* Weights that were quantized have other types; then the nodes decide. */
    return (shared * 2 < weights && few_are_paired &&
            (shared * 2 < fewer || has_other_modules(pair))) ||
           (pair->timed_nodes && !pair->timed_paired);
  return hardly_any_is_paired || (few_are_paired && !pair->by_events && has_other_modules(pair));
}

/* ---- Inputs, types, backends ---- */

/* The differences of a method that were found so far. */
typedef struct differences {
  etr_vec(etr_difference) list;
  etr_arena *arena;
} differences;

/* Adds a difference between the texts of both sides unless they are equal. A side that lacks the
 * thing has NULL, and so do both for a difference without texts; `name` is the name of an input,
 * and else NULL. Returns false when out of memory. */
static bool add_difference(differences *found, etr_difference_kind kind, const char *name,
                           const char *base, const char *newer) {
  if (base && newer && strcmp(base, newer) == 0)
    return true;
  etr_difference *added = etr_vec_push(found->arena, &found->list);
  if (added)
    *added = (etr_difference){kind, name, base, newer};
  return added != NULL;
}

/* Compares inputs by index, because names may change, and adds those whose types differ. Returns
 * false when out of memory. */
static bool add_input_differences(differences *found, const etr_side_method *base,
                                  const etr_side_method *newer) {
  for (size_t i = 0; i < ETR_MAX(base->input_count, newer->input_count); i++) {
    const etr_side_input *old = i < base->input_count ? &base->inputs[i] : NULL,
                         *now = i < newer->input_count ? &newer->inputs[i] : NULL;
    const char *name = now ? now->name : old->name;
    if (!add_difference(found, ETR_DIFFERS_INPUT, name, old ? old->type : NULL,
                        now ? now->type : NULL))
      return false;
  }
  return true;
}

/* Returns the names of the backends that items are lowered to, in alphabetical order, as one
 * text; "" if there are none. Returns NULL when out of memory. */
static const char *list_backend_names(const etr_side_method *side, etr_arena *arena,
                                      etr_arena *scratch) {
  enum { MOST_NAMED = 8 }; /* no real record has more; the rest is "..." */
  etr_map seen;
  etr_vec(const char *) names = {0};
  const char *text = "";
  etr_map_init(&seen, scratch);
  for (size_t i = 0; i < side->item_count; i++) {
    const char *backend = side->items[i].backend;
    if (!backend || etr_map_count(&seen, etr_slice_of(backend)) > 0)
      continue;
    const char **added = etr_vec_push(scratch, &names);
    if (added)
      *added = backend;
  }
  if (etr_arena_failed(scratch))
    return NULL;
  etr_sort(names.data, names.count, sizeof *names.data, etr_by_text);
  for (size_t i = 0; text && i < ETR_MIN(names.count, (size_t)MOST_NAMED); i++)
    text = etr_arena_format(arena, "%s%s%s", text, i ? ", " : "", names.data[i]);
  return text && names.count > MOST_NAMED ? etr_arena_format(arena, "%s, ...", text) : text;
}

/* Counts the weights of the newer side that have a weight of the same shape on the base, each
 * counted once, into *shared. Returns false when out of memory. */
static bool count_shared_weights(size_t *shared, const etr_side_method *base,
                                 const etr_side_method *newer, etr_arena *scratch) {
  etr_map left_of_shape; /* shape -> weights of the base that have no counterpart yet */
  etr_map_init(&left_of_shape, scratch);
  *shared = 0;
  for (size_t i = 0; i < base->weight_count; i++)
    (void)etr_map_count(&left_of_shape, etr_slice_of(base->weights[i]));
  for (size_t i = 0; i < newer->weight_count; i++) {
    const etr_slice shape = etr_slice_of(newer->weights[i]);
    uint32_t left = etr_map_get(&left_of_shape, shape);
    if (left == ETR_NONE || left == 0)
      continue;
    if (!etr_map_set(&left_of_shape, shape, left - 1))
      return false;
    ++*shared;
  }
  return !etr_arena_failed(scratch);
}

/* Adds that the runtimes had other numbers of threads, if both are known. Returns false when out of
 * memory. */
static bool add_thread_difference(differences *found, uint32_t base, uint32_t newer) {
  return !base || !newer || base == newer ||
         add_difference(found, ETR_DIFFERS_THREADS, NULL,
                        etr_arena_format(found->arena, "%u", (unsigned)base),
                        etr_arena_format(found->arena, "%u", (unsigned)newer));
}

/* Finds whether the sides may be two different models, and how their inputs, types, backends and
 * threads differ. The rows of the method must be filled. Sets nothing if a side lacks the method.
 * Returns false when out of memory. */
static bool find_differences(etr_method_pair *pair, const method_side sides[ETR_SIDES],
                             etr_arena *arena, etr_arena *scratch) {
  const etr_side_method *base = sides[ETR_BASE].compared, *newer = sides[ETR_NEWER].compared;
  differences found = {.arena = arena};
  size_t shared;
  if (!sides[ETR_BASE].method || !sides[ETR_NEWER].method)
    return true;
  if (!count_shared_weights(&shared, base, newer, scratch))
    return false;
  const char *old = list_backend_names(base, arena, scratch),
             *now = list_backend_names(newer, arena, scratch);
  if (!old || !now)
    return false;
  /* Events pair kernels with kernels only, never with operators in a delegate. So if the backends
   * differ, or may differ, few pairs are no sign of another model. */
  bool are_events_alike = base->item_count && newer->item_count &&
                          pair->unnamed_side == ETR_UNNAMED_NEITHER && strcmp(old, now) == 0;
  bool are_pairs_evidence = !pair->by_events || are_events_alike;
  pair->may_differ = are_pairs_evidence && may_be_other_models(pair, base, newer, shared);
  if (pair->may_differ && !add_difference(&found, ETR_DIFFERS_MODEL, NULL, NULL, NULL))
    return false;
  bool have_graphs = base->has_graph && newer->has_graph;
  if (have_graphs &&
      (!add_input_differences(&found, base, newer) ||
       !add_difference(&found, ETR_DIFFERS_DTYPE, NULL, base->dtypes, newer->dtypes)))
    return false;
  if (strcmp(old, now) != 0 &&
      !add_difference(&found, ETR_DIFFERS_BACKEND, NULL, old[0] ? old : NULL, now[0] ? now : NULL))
    return false;
  if (!add_thread_difference(&found, sides[ETR_BASE].threads, sides[ETR_NEWER].threads))
    return false;
  pair->differences = found.list.data;
  pair->difference_count = found.list.count;
  return true;
}

/* ---- Joins two sides: methods by name, with what is in them; loads ---- */

/* The comparison, the arena that owns its contents, and both sides. */
typedef struct comparison_box {
  etr_comparison comparison;  /* first: an etr_comparison * is a comparison_box * */
  etr_execute_case *cases;    /* one for each method */
  etr_side *owned[ETR_SIDES]; /* closed with the comparison; NULL: the caller's */
  etr_arena arena;
  const etr_side *sides[ETR_SIDES];
} comparison_box;

typedef struct comparator {
  etr_comparison *out;
  const etr_side *sides[ETR_SIDES];
  bool has_events; /* both sides are profiles, so that events can be listed of methods with a graph
                    */
  etr_noise_rules rules;
  etr_execute_case **cases; /* set to those of the comparison */
  etr_arena *arena;
  etr_arena scratch; /* of one method */
  etr_error *error;
} comparator;

const char *etr_verdict_name(etr_verdict verdict) {
  static const char *const names[] = {"untimed",      "gone",  "new",           "cannot_tell",
                                      "likely_equal", "equal", "likely_faster", "likely_slower",
                                      "faster",       "slower"};
  return (size_t)verdict < ETR_COUNT(names) ? names[verdict] : "untimed";
}

bool etr_verdict_is_likely(etr_verdict verdict) {
  return verdict == ETR_VERDICT_LIKELY_EQUAL || verdict == ETR_VERDICT_LIKELY_FASTER ||
         verdict == ETR_VERDICT_LIKELY_SLOWER;
}

const char *etr_cause_name(etr_cause cause) {
  static const char *const names[] = {NULL,    "odd_recording", "warm_up", "interruptions",
                                      "modes", "step",          "drift"};
  return (size_t)cause < ETR_COUNT(names) ? names[cause] : NULL;
}

const char *etr_reason_name(etr_reason reason) {
  static const char *const names[] = {NULL,           "clock",    "few_runs", "one_recording",
                                      "not_in_turns", "too_near", "spread"};
  return (size_t)reason < ETR_COUNT(names) ? names[reason] : NULL;
}

const char *etr_pair_rule_name(etr_pair_rule rule) {
  static const char *const names[] = {"none", "name", "shape", "module", "flow", "order"};
  return (size_t)rule < ETR_COUNT(names) ? names[rule] : "none";
}

/* ---- Methods ---- */

static const etr_method *method_of(const etr_profile *profile, uint32_t method) {
  return method == ETR_NONE ? NULL : &profile->methods[method];
}

/* Returns true if so many first runs of a method were left out as warm-up that the others are too
 * few to judge: fewer than a judgment needs, or fewer than half. Runs that the caller left out do
 * not count. */
static bool is_mostly_warm_up(const etr_profile *profile, const etr_method *m) {
  size_t all = m->run_count + m->skipped_run_count;
  bool were_enough = all >= ETR_LEAST_RUNS && m->run_count < ETR_LEAST_RUNS;
  return profile->skip == ETR_SKIP_AUTO && (were_enough || m->skipped_run_count > all / 2);
}

/* If the clock is too coarse, that is the explanation, and no other is needed. */
etr_cause etr_cause_named(etr_cause seen, etr_reason reason) {
  return reason == ETR_REASON_NONE || reason == ETR_REASON_CLOCK ? ETR_CAUSE_NONE : seen;
}

/* Returns what the runs of both sides show that would explain why no verdict is sure, the first of
 * several causes in the order below; ETR_CAUSE_NONE if they show nothing, or if a side lacks the
 * method. */
static etr_cause find_cause_in_runs(const comparator *c, const etr_method_pair *pair) {
  static const struct {
    etr_noise_verdict seen;
    etr_cause cause;
  } causes[] = {{ETR_NOISE_TWO_MODES, ETR_CAUSE_MODES},
                {ETR_NOISE_STEP, ETR_CAUSE_STEP},
                {ETR_NOISE_DRIFT, ETR_CAUSE_DRIFT}};
  const etr_method *base = method_of(c->out->base, pair->base_method),
                   *newer = method_of(c->out->newer, pair->new_method);
  if (!base || !newer)
    return ETR_CAUSE_NONE;
  if (pair->execute.base_odd_count || pair->execute.new_odd_count)
    return ETR_CAUSE_ODD_RECORDING;
  if (is_mostly_warm_up(c->out->base, base) || is_mostly_warm_up(c->out->newer, newer))
    return ETR_CAUSE_WARM_UP;
  if (base->interrupted > 0 || newer->interrupted > 0)
    return ETR_CAUSE_INTERRUPTIONS;
  for (size_t i = 0; i < ETR_COUNT(causes); i++)
    if (base->noise.verdict == causes[i].seen || newer->noise.verdict == causes[i].seen)
      return causes[i].cause;
  return ETR_CAUSE_NONE;
}

/* Sets what the interval of a method's change must contain, too, if a side has interruptions: the
 * change without them, from the usual or the fastest run of either side. */
static void set_uninterrupted(etr_noise_test *test, const etr_method *base, const etr_method *newer,
                              double base_scale) {
  if (!(base->interrupted > 0 || newer->interrupted > 0))
    return;
  double most = etr_uninterrupted_most(newer) / (etr_uninterrupted_least(base) * base_scale),
         least = etr_uninterrupted_least(newer) / (etr_uninterrupted_most(base) * base_scale);
  bool are_known = isfinite(log(most)) && isfinite(log(least));
  test->uninterrupted_high = are_known ? log(most) : 0;
  test->uninterrupted_low = are_known ? log(least) : 0;
}

/* Compares the execution time of a method on both sides, which is judged by itself, and keeps in
 * *execute_case what it was judged by, for etr_verdicts_add(). Returns false when out of memory. */
static bool compare_execute(comparator *c, etr_method_pair *pair, etr_execute_case *execute_case,
                            const method_side sides[ETR_SIDES]) {
  measure measures[ETR_SIDES];
  family f = {.scratch = &c->scratch, .base_scale = c->out->base_scale, .rules = &c->rules};
  for (int k = 0; k < ETR_SIDES; k++) {
    measures[k] = side_measure(&sides[k], sides[k].method ? &sides[k].compared->execute : NULL);
    measures[k].recordings = &sides[k].compared->recordings;
  }
  if (!add_change_to_family(&f, &pair->execute, &measures[ETR_BASE], &measures[ETR_NEWER]))
    return false;
  if (f.tests.count)
    set_uninterrupted(&f.tests.data[0], sides[ETR_BASE].method, sides[ETR_NEWER].method,
                      f.base_scale);
  if (!family_judge_each(&f))
    return false;
  pair->execute.base_odd = measures[ETR_BASE].recordings->odd;
  pair->execute.base_odd_count = measures[ETR_BASE].recordings->odd_count;
  pair->execute.new_odd = measures[ETR_NEWER].recordings->odd;
  pair->execute.new_odd_count = measures[ETR_NEWER].recordings->odd_count;
  execute_case->seen = find_cause_in_runs(c, pair);
  if (f.tests.count)
    execute_case->test = f.tests.data[0];
  pair->execute.cause = etr_cause_named(execute_case->seen, pair->execute.reason);
  return true;
}

/* Sets *out to a list of the method's events, which replaces the list of its graph's nodes if the
 * other side has no graph, or a list that names backends if the other side names none. Fails with
 * ETR_ERROR_CHOICE if there are no events to list, as in documents, or when out of memory. */
static etr_status list_events_instead(comparator *c, const etr_side_method **out,
                                      const etr_side *side, uint32_t method, etr_side_items items) {
  const char *name = side->profile->methods[method].name;
  etr_side_method *listed = etr_arena_alloc(c->arena, sizeof *listed);
  if (!c->has_events)
    return etr_fail(c->error, ETR_ERROR_CHOICE, NULL, NULL, ETR_NO_OFFSET,
                    "method \"%.*s\" has a graph on one side only; to compare its events, run "
                    "\"etrecord-tb diff\" on the records",
                    ETR_HEAD(name, 80));
  if (!listed || !etr_side_list(listed, side->profile, method, items, c->arena))
    return ETR_ERROR_MEMORY;
  *out = listed;
  return ETR_OK;
}

/* Returns true if one side has the graph of a .pte and the other that of an ETRecord, whose nodes
 * have neither names nor operators in common, so that events are compared instead. Returns false
 * for documents (has_events is unset), which have no events to compare instead. */
static bool are_graphs_of_other_kinds(const comparator *c, const method_side sides[ETR_SIDES]) {
  bool is_program[ETR_SIDES];
  for (int k = 0; k < ETR_SIDES; k++) {
    const etr_method *method = sides[k].method;
    if (!c->has_events || !method || method->graph == ETR_NONE)
      return false;
    is_program[k] = strcmp(c->sides[k]->profile->graphs[method->graph].dialect, "program") == 0;
  }
  return is_program[ETR_BASE] != is_program[ETR_NEWER];
}

/* What a method's delegates say of their backends. */
typedef enum backend_names { NO_DELEGATES, UNNAMED_BACKENDS, NAMED_BACKENDS } backend_names;

/* Returns whether the delegates that a method called have backends with names; UNNAMED_BACKENDS if
 * any has none. */
static backend_names find_backend_names(const etr_method *method) {
  backend_names names = NO_DELEGATES;
  for (size_t i = 0; method && i < method->delegate_count; i++) {
    if (!method->delegates[i].backend[0])
      return UNNAMED_BACKENDS;
    names = NAMED_BACKENDS;
  }
  return names;
}

/* Returns the side whose delegates alone have backends without names, while those of the other side
 * are named: by backend, their events would not be paired. A side without delegates counts as
 * neither. */
static etr_unnamed_side find_unnamed_side(const method_side sides[ETR_SIDES]) {
  backend_names base = find_backend_names(sides[ETR_BASE].method),
                newer = find_backend_names(sides[ETR_NEWER].method);
  if (base == UNNAMED_BACKENDS && newer == NAMED_BACKENDS)
    return ETR_UNNAMED_BASE;
  if (base == NAMED_BACKENDS && newer == UNNAMED_BACKENDS)
    return ETR_UNNAMED_NEWER;
  return ETR_UNNAMED_NEITHER;
}

/* Chooses what is compared of a method on each side: the nodes of its graphs if both sides have
 * graphs of one kind, else its events (by_events). If only one side names the backends of its
 * delegates, that side is listed without the names. Fails as list_events_instead() does. */
static etr_status choose_compared_items(comparator *c, etr_method_pair *pair,
                                        method_side sides[ETR_SIDES]) {
  static const etr_side_method nothing = {0};
  const uint32_t indices[ETR_SIDES] = {pair->base_method, pair->new_method};
  for (int k = 0; k < ETR_SIDES; k++) {
    bool exists = indices[k] != ETR_NONE;
    sides[k] = (method_side){method_of(c->sides[k]->profile, indices[k]),
                             exists ? &c->sides[k]->methods[indices[k]] : &nothing,
                             c->sides[k]->profile->threads};
    pair->by_events |= exists && !sides[k].compared->has_graph;
  }
  pair->by_events |= are_graphs_of_other_kinds(c, sides);
  if (c->has_events && pair->by_events)
    pair->unnamed_side = find_unnamed_side(sides);
  /* The side that has names compares without them. */
  const bool loses_names[ETR_SIDES] = {
      [ETR_BASE] = pair->unnamed_side == ETR_UNNAMED_NEWER,
      [ETR_NEWER] = pair->unnamed_side == ETR_UNNAMED_BASE,
  };
  for (int k = 0; k < ETR_SIDES; k++)
    if (loses_names[k])
      ETR_TRY(list_events_instead(c, &sides[k].compared, c->sides[k], indices[k],
                                  ETR_SIDE_UNNAMED_EVENTS));
    else if (pair->by_events && sides[k].compared->has_graph)
      ETR_TRY(list_events_instead(c, &sides[k].compared, c->sides[k], indices[k], ETR_SIDE_EVENTS));
  return ETR_OK;
}

/* Returns the only method that ran; ETR_NONE if several or none ran. */
static uint32_t only_method_that_ran(const etr_profile *profile) {
  uint32_t only = ETR_NONE;
  for (uint32_t i = 0; i < profile->method_count; i++) {
    if (profile->methods[i].run_count == 0)
      continue;
    if (only != ETR_NONE)
      return ETR_NONE;
    only = i;
  }
  return only;
}

/* Returns the key by which a method is paired: its name, or for the k-th method without a name a
 * text that no name can be. *unnamed counts these. Returns NULL when out of memory. */
static const char *pairing_key(const etr_method *method, uint32_t *unnamed, etr_arena *scratch) {
  if (method->name[0])
    return method->name;
  return etr_arena_format(scratch, "\n%u", (unsigned)(*unnamed)++);
}

/* Pairs methods by name, and the k-th method without a name with the k-th such method of the other
 * side. If each side ran exactly one method and these have no partners, they are paired, too,
 * whatever their names. Sets base_of of each method of the newer side and new_of of each method of
 * the base to the index of the partner, or to ETR_NONE. Returns false when out of memory. */
static bool pair_methods(comparator *c, uint32_t *base_of, uint32_t *new_of) {
  const etr_profile *base = c->out->base, *newer = c->out->newer;
  etr_map index; /* key -> method of the base */
  etr_map_init(&index, &c->scratch);
  for (uint32_t i = 0, unnamed = 0; i < base->method_count; i++) {
    const char *key = pairing_key(&base->methods[i], &unnamed, &c->scratch);
    new_of[i] = ETR_NONE;
    if (!key || !etr_map_set(&index, etr_slice_of(key), i))
      return false;
  }
  for (uint32_t i = 0, unnamed = 0; i < newer->method_count; i++) {
    const char *key = pairing_key(&newer->methods[i], &unnamed, &c->scratch);
    if (!key)
      return false;
    base_of[i] = etr_map_get(&index, etr_slice_of(key));
    if (base_of[i] != ETR_NONE)
      new_of[base_of[i]] = i;
  }
  uint32_t base_only = only_method_that_ran(base), new_only = only_method_that_ran(newer);
  if (base_only != ETR_NONE && new_only != ETR_NONE && base_of[new_only] == ETR_NONE &&
      new_of[base_only] == ETR_NONE) {
    base_of[new_only] = base_only;
    new_of[base_only] = new_only;
  }
  return true;
}

/* Returns false for a method that only returns constants, and for ETR_NONE, which is no method. */
static bool computes_anything(const etr_profile *profile, uint32_t index) {
  const etr_method *method = method_of(profile, index);
  return method && !method->computes_nothing;
}

/* Lists the methods of the newer side with their partners, then those that only the base has. A
 * pair has the name in the newer side, or if that is empty, in the base. Methods that only return
 * constants are left out. Returns NULL when out of memory. */
static etr_method_pair *list_method_pairs(comparator *c, size_t *count) {
  const etr_profile *base = c->out->base, *newer = c->out->newer;
  uint32_t *base_of = etr_arena_alloc_array(c->arena, newer->method_count, sizeof *base_of);
  uint32_t *new_of = etr_arena_alloc_array(c->arena, base->method_count, sizeof *new_of);
  etr_method_pair *pairs = etr_arena_alloc_array(c->arena, base->method_count + newer->method_count,
                                                 sizeof *pairs);
  if (!base_of || !new_of || !pairs || !pair_methods(c, base_of, new_of))
    return NULL;
  *count = 0;
  for (uint32_t i = 0; i < newer->method_count; i++) {
    const etr_method *partner = method_of(base, base_of[i]);
    const char *name = newer->methods[i].name;
    if (!computes_anything(newer, i) && !computes_anything(base, base_of[i]))
      continue;
    pairs[(*count)++] = (etr_method_pair){.name = !name[0] && partner ? partner->name : name,
                                          .base_method = base_of[i],
                                          .new_method = i};
  }
  for (uint32_t i = 0; i < base->method_count; i++)
    if (new_of[i] == ETR_NONE && computes_anything(base, i))
      pairs[(*count)++] = (etr_method_pair){
          .name = base->methods[i].name, .base_method = i, .new_method = ETR_NONE};
  return pairs;
}

/* Compares one method: its execution, its nodes and their sums, how its sides differ, and the
 * values that both logged. Fails when out of memory, or if events are needed and missing. */
static etr_status compare_method(comparator *c, etr_method_pair *pair,
                                 etr_execute_case *execute_case) {
  method_side sides[ETR_SIDES];
  row_context context = {.base_scale = c->out->base_scale,
                         .rules = &c->rules,
                         .arena = c->arena,
                         .scratch = &c->scratch};
  ETR_TRY(choose_compared_items(c, pair, sides));
  bool good = compare_execute(c, pair, execute_case, sides) &&
              compare_nodes(&context, pair, sides) && compare_all_groups(&context, pair, sides) &&
              find_differences(pair, sides, c->arena, &c->scratch);
  good = good && !etr_arena_failed(&c->scratch) && etr_value_gaps_make(pair, c->out, c->arena);
  etr_arena_clear(&c->scratch);
  return good ? ETR_OK : ETR_ERROR_MEMORY;
}

/* Compares each method with its counterpart. Fails as compare_method() does. */
static etr_status compare_methods(comparator *c) {
  size_t count;
  etr_method_pair *pairs = list_method_pairs(c, &count);
  if (!pairs)
    return ETR_ERROR_MEMORY;
  etr_execute_case *cases = etr_arena_alloc_array(c->arena, count, sizeof *cases);
  if (!cases)
    return ETR_ERROR_MEMORY;
  c->out->methods = pairs;
  c->out->method_count = count;
  *c->cases = cases;
  for (size_t i = 0; i < count; i++)
    ETR_TRY(compare_method(c, &pairs[i], &cases[i]));
  return ETR_OK;
}

/* ---- Loads ---- */

/* Fills the row of a load, which is NULL on a side that lacks it, and adds its times to the
 * family's tests. Averages are per occurrence of the load. Returns false when out of memory. */
static bool compare_load(etr_load_pair *out, const etr_side_load *base, const etr_side_load *newer,
                         family *f) {
  const etr_side_load *const loads[ETR_SIDES] = {base, newer};
  measure measures[ETR_SIDES] = {0};
  *out = (etr_load_pair){.name = newer ? newer->name : base->name};
  for (int k = 0; k < ETR_SIDES; k++)
    if (loads[k])
      measures[k] = (measure){.exists = true,
                              .avg = loads[k]->time.total / (double)loads[k]->time.runs,
                              .time = &loads[k]->time};
  return add_change_to_family(f, &out->change, &measures[ETR_BASE], &measures[ETR_NEWER]);
}

/* Indexes the loads of a side by name. Returns false when out of memory. */
static bool index_loads(etr_map *index, const etr_side *side, etr_arena *scratch) {
  etr_map_init(index, scratch);
  for (uint32_t i = 0; i < side->load_count; i++)
    if (!etr_map_set(index, etr_slice_of(side->loads[i].name), i))
      return false;
  return true;
}

/* Compares the loads of both sides by name: those of the newer side, then those that only the base
 * has. Each is judged by itself. Returns false when out of memory. */
static bool compare_loads(comparator *c) {
  const etr_side *base = c->sides[ETR_BASE], *newer = c->sides[ETR_NEWER];
  etr_map base_index, new_index;
  family f = {.scratch = &c->scratch, .base_scale = c->out->base_scale, .rules = &c->rules};
  etr_load_pair *pairs = etr_arena_alloc_array(c->arena, base->load_count + newer->load_count,
                                               sizeof *pairs);
  if (!pairs || !index_loads(&base_index, base, &c->scratch) ||
      !index_loads(&new_index, newer, &c->scratch))
    return false;
  for (size_t i = 0; i < newer->load_count; i++) {
    uint32_t partner = etr_map_get(&base_index, etr_slice_of(newer->loads[i].name));
    if (!compare_load(&pairs[c->out->load_count++],
                      partner == ETR_NONE ? NULL : &base->loads[partner], &newer->loads[i], &f))
      return false;
  }
  for (size_t i = 0; i < base->load_count; i++)
    if (etr_map_get(&new_index, etr_slice_of(base->loads[i].name)) == ETR_NONE &&
        !compare_load(&pairs[c->out->load_count++], &base->loads[i], NULL, &f))
      return false;
  c->out->loads = pairs;
  return family_judge_each(&f);
}

/* ---- Together ---- */

/* Returns whether two paths, neither of them NULL, name files in one folder. */
static bool are_in_one_folder(const char *base, const char *newer) {
  const char *base_end = strrchr(base, '/'), *new_end = strrchr(newer, '/');
  size_t base_size = base_end ? (size_t)(base_end - base) : 0;
  size_t new_size = new_end ? (size_t)(new_end - newer) : 0;
  return base_size == new_size && memcmp(base, newer, base_size) == 0;
}

/* Returns whether both sides are recordings of one record: its file has the same path, their
 * ETDumps are in one folder and, of documents, which have only the ends of paths, its program has
 * as many bytes. ETDumps of several folders may be of several devices or runtimes. */
static bool are_of_one_record(const etr_side *base, const etr_side *newer) {
  const char *paths[] = {base->profile->etrecord ? base->profile->etrecord : base->profile->pte,
                         newer->profile->etrecord ? newer->profile->etrecord : newer->profile->pte};
  return base->is_of_document == newer->is_of_document && paths[0] && paths[1] &&
         strcmp(paths[0], paths[1]) == 0 && base->first_dump && newer->first_dump &&
         are_in_one_folder(base->first_dump, newer->first_dump) &&
         (!base->is_of_document || base->pte_bytes == newer->pte_bytes);
}

/* Compares two sides: finds in which order their recordings were made, then compares their methods
 * and their loads. Fails when out of memory, for which the caller fills the error, or if events are
 * needed and missing. */
static etr_status compare_sides(comparison_box *box, const etr_compare_options *options,
                                etr_error *error) {
  static const etr_compare_options defaults = {0};
  const etr_side *base = box->sides[ETR_BASE], *newer = box->sides[ETR_NEWER];
  comparator c = {.out = &box->comparison,
                  .sides = {base, newer},
                  .has_events = !base->is_of_document && !newer->is_of_document,
                  .rules = {.options = options ? options : &defaults, .level = ETR_NOISE_LEVEL},
                  .cases = &box->cases,
                  .arena = &box->arena,
                  .error = error};
  box->comparison = (etr_comparison){
      .base = base->profile,
      .newer = newer->profile,
      .base_scale = newer->profile->ticks_per_second / base->profile->ticks_per_second,
      .limit = ETR_MAX(c.rules.options->limit, 0),
      .recording_noise = etr_noise_between_recordings(c.rules.options)};
  c.rules.scratch = &c.scratch;
  if (!etr_turns_find(&box->comparison.turns, base, newer, c.rules.options, &c.scratch))
    return ETR_ERROR_MEMORY;
  c.rules.turns = box->comparison.turns;
  c.rules.is_one_program = box->comparison.is_one_program = c.rules.options->recording_noise <= 0 &&
                                                            are_of_one_record(base, newer);
  etr_status status = compare_methods(&c);
  if (status == ETR_OK && (!compare_loads(&c) || etr_arena_failed(&box->arena)))
    status = ETR_ERROR_MEMORY;
  etr_arena_clear(&c.scratch);
  return status;
}

/* Compares the sides unless opening them failed with `status`, and sets *out to the comparison.
 * After a failure, all that was opened is closed and the error is set. */
static etr_status compare_or_close(etr_comparison **out, comparison_box *box, etr_status status,
                                   const etr_compare_options *options, etr_error *error) {
  /* The caller's sides are set already; others are owned. */
  for (int k = 0; k < ETR_SIDES; k++)
    if (!box->sides[k])
      box->sides[k] = box->owned[k];
  if (status == ETR_OK)
    status = compare_sides(box, options, error);
  if (status == ETR_OK)
    *out = &box->comparison;
  if (status != ETR_OK)
    etr_comparison_close(&box->comparison);
  if (status == ETR_ERROR_MEMORY)
    return etr_fail_memory(error);
  return status;
}

/* Clears *out and the error, and returns an empty comparison; NULL, with the error filled, when out
 * of memory. */
static comparison_box *comparison_box_new(etr_comparison **out, etr_error *error) {
  *out = NULL;
  etr_error_clear(error);
  comparison_box *box = calloc(1, sizeof *box);
  if (!box)
    (void)etr_fail_memory(error);
  return box;
}

/* Makes sides of two profiles, which the comparison then owns, and compares them. Fails when out
 * of memory. */
etr_status etr_compare(etr_comparison **out, const etr_profile *base, const etr_profile *newer,
                       const etr_compare_options *options, etr_error *error) {
  comparison_box *box = comparison_box_new(out, error);
  if (!box)
    return ETR_ERROR_MEMORY;
  etr_status status = etr_side_open(&box->owned[ETR_BASE], base, error);
  if (status == ETR_OK)
    status = etr_side_open(&box->owned[ETR_NEWER], newer, error);
  return compare_or_close(out, box, status, options, error);
}

/* Compares two sides that the caller keeps. Fails when out of memory. */
etr_status etr_compare_sides(etr_comparison **out, const etr_side *base, const etr_side *newer,
                             const etr_compare_options *options, etr_error *error) {
  comparison_box *box = comparison_box_new(out, error);
  if (!box)
    return ETR_ERROR_MEMORY;
  box->sides[ETR_BASE] = base;
  box->sides[ETR_NEWER] = newer;
  return compare_or_close(out, box, ETR_OK, options, error);
}

static etr_status read_side(etr_side **out, const etr_document *document, etr_error *error) {
  return etr_side_read(out, document->text, document->size, document->name, error);
}

/* Reads sides of two documents, which the comparison then owns, and compares them. Fails if a
 * document is damaged, if events are needed and missing, or when out of memory. */
etr_status etr_compare_documents(etr_comparison **out, const etr_document *base,
                                 const etr_document *newer, const etr_compare_options *options,
                                 etr_error *error) {
  comparison_box *box = comparison_box_new(out, error);
  if (!box)
    return ETR_ERROR_MEMORY;
  etr_status status = read_side(&box->owned[ETR_BASE], base, error);
  if (status == ETR_OK)
    status = read_side(&box->owned[ETR_NEWER], newer, error);
  return compare_or_close(out, box, status, options, error);
}

const etr_execute_case *etr_execute_cases(const etr_comparison *comparison) {
  return ((const comparison_box *)comparison)->cases;
}

/* The answer is open if the interval contains the limit, if there are too few recordings, or if
 * one side was recorded before the other, so that the device may have changed in between. An
 * obvious change needs no interval: if it is slower, it is above the limit, because it was not
 * called obvious otherwise. */
etr_limit_answer etr_limit_answer_of(double limit, etr_turns turns, const etr_change *change) {
  bool are_recordings_enough = change->base_recordings >= ETR_LEAST_RECORDINGS &&
                               change->new_recordings >= ETR_LEAST_RECORDINGS;
  if (change->is_obvious)
    return change->verdict == ETR_VERDICT_SLOWER ? ETR_LIMIT_ABOVE : ETR_LIMIT_BELOW;
  if (!are_recordings_enough || etr_is_one_side_first(turns))
    return ETR_LIMIT_OPEN;
  if (change->low > limit)
    return ETR_LIMIT_ABOVE;
  return change->high < limit ? ETR_LIMIT_BELOW : ETR_LIMIT_OPEN;
}

etr_limit_answer etr_change_against_limit(const etr_comparison *comparison,
                                          const etr_change *change) {
  return etr_limit_answer_of(comparison->limit, comparison->turns, change);
}

/* Frees a comparison with the sides that it owns; NULL is allowed. */
void etr_comparison_close(etr_comparison *comparison) {
  if (!comparison)
    return;
  comparison_box *box = (comparison_box *)comparison;
  for (int k = 0; k < ETR_SIDES; k++)
    etr_side_close(box->owned[k]);
  etr_arena_clear(&box->arena);
  free(box);
}
