/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_levers.c - the next step for what takes most of the time. It rests on ratios between
 * kernels: likely on processors of the family on which they were measured, else a rule of thumb.
 */
#include "base/stats.h"
#include "output/label.h"
#include "views/finder.h"
#include "views/finding_rules.h"
#include "views/headline.h"
#include "views/kernel_ratio.h"

#include <math.h>
#include <stdlib.h>

/* ---- What the rule is about ---- */

static bool is_floating(const char *dtype) {
  return dtype && (strcmp(dtype, "float32") == 0 || strcmp(dtype, "float16") == 0);
}

/* What a lever is sought for: a part of the time, and which of its operators it is about. */
typedef struct lever_target {
  etr_finder *finder;
  const etr_headline_part *part;
  bool *marked; /* per node of the graph: the lever is about it */
  size_t count;
  size_t left_out; /* depthwise convolutions, or layers without groups, which are not marked */
  uint32_t *left;  /* their nodes */
  /* Ticks in the typical run: of the operators that are marked, or of the part; of those of them
   * that are flat (ETR_RATIO_FLAT), and narrow; of the depthwise ones, and of the large of these.
   */
  double ticks, flat_ticks, narrow_ticks, depthwise_ticks, large_ticks;
  bool is_first; /* it takes more than any other part */
} lever_target;

/* Returns what is known of the processor that ran the target. Ratios of x86-64 without AVX-512 need
 * the layers' shapes, so without a graph it counts as one that is like none of the measured. */
static etr_vnni vnni_of(const lever_target *target) {
  etr_vnni vnni = target->finder->profile->vnni;
  return vnni == ETR_VNNI_AVX2 && !target->part->has_graph ? ETR_VNNI_LACKING : vnni;
}

/* Returns true for convolutions in floating point that a backend computes. */
static bool are_float_convolutions(const etr_headline_part *part) {
  return part->has_graph && part->is_convolution && part->backend && is_floating(part->dtype);
}

/* Marks the operators of the part, and sets their number and their ticks in the typical run,
 * without interruptions. In XNNPACK's payload depthwise convolutions are operators of their own:
 * with_depthwise: those beside convolutions of the part are marked, too. Marks none when out of
 * memory, which the arena remembers. */
static void mark_operators(lever_target *target, const etr_groups *groups, bool with_depthwise) {
  const etr_finder *finder = target->finder;
  etr_headline_part depthwise = *target->part;
  depthwise.op = "DepthwiseConv2d";
  bool *is_in_row = etr_arena_alloc_array(finder->arena, groups->count, sizeof *is_in_row);
  for (size_t i = 0; is_in_row && i < groups->count; i++)
    is_in_row[groups->list[i].number] = etr_headline_has(target->part, &groups->list[i]) ||
                                        (with_depthwise &&
                                         etr_headline_has(&depthwise, &groups->list[i]));
  target->count = 0;
  target->ticks = 0;
  for (uint32_t i = 0; is_in_row && i < finder->graph->node_count; i++) {
    uint32_t row = groups->row_of_node[i];
    target->marked[i] = row != ETR_NONE && is_in_row[row];
    target->count += target->marked[i];
    target->ticks += target->marked[i] ? finder->uninterrupted[i] : 0;
  }
}

/* Fewer channels than this, in or out, had none of the convolutions of 1 x 1 that the ratios were
 * measured with. */
enum { LEAST_CHANNELS = 32, CHANNELS_OF_IMAGE = 3 };

/* Returns the channels of a convolution of 1 x 1, the fewer of those in and out, or those in of one
 * with three; 0 for another one. XNNPACK's weights have their channels last. */
static int64_t flat_channels(const etr_finder *finder, const etr_node *node) {
  const etr_value *weight = etr_finder_convolution_weight(finder, node);
  if (!weight || weight->rank != 4)
    return 0;
  const etr_dim *dims = weight->dims;
  bool is_last = etr_is_program(finder->graph);
  int64_t channels = dims[is_last ? 3 : 1].size;
  if (dims[2].size == 1 && dims[is_last ? 1 : 3].size == 1)
    return ETR_MIN(dims[0].size, channels);
  return channels <= CHANNELS_OF_IMAGE ? channels : 0;
}

/* Returns true for filters of depthwise convolutions that are faster in floating point than in
 * int8, with the conversions around them: those of more than 3 x 3. */
static bool is_large(const etr_filters *filters) {
  enum { MOST_WEIGHTS_IN_INT8 = 9 };
  return filters->rows * filters->columns > MOST_WEIGHTS_IN_INT8;
}

/* Lists a depthwise convolution, and adds its time; but not one of 1 x 1 in XNNPACK's payload,
 * which is a batch norm that no quantizer sees. */
static void list_depthwise(lever_target *target, uint32_t node, const etr_filters *filters) {
  const etr_finder *finder = target->finder;
  double ticks = finder->uninterrupted[node];
  if (etr_is_program(finder->graph) && filters->rows == 1 && filters->columns == 1)
    return;
  target->left[target->left_out++] = node;
  target->depthwise_ticks += ticks;
  target->large_ticks += is_large(filters) ? ticks : 0;
}

/* Lists the large depthwise convolutions in floating point, beside linear layers that ran: the code
 * that quantizes the layers would quantize them, too. */
static void list_depthwise_beside(lever_target *target) {
  const etr_finder *finder = target->finder;
  for (uint32_t i = 0; i < finder->graph->node_count; i++) {
    const etr_cost *cost = finder->graph->costs ? &finder->graph->costs[i] : NULL;
    bool is_convolution = etr_is_program(finder->graph) ||
                          etr_slice_is(finder->ops[i], "convolution");
    etr_filters filters;
    if (is_convolution && finder->uninterrupted[i] > 0 && !(cost && cost->is_integer) &&
        etr_finder_depthwise_filters(finder, &finder->graph->nodes[i], &filters) &&
        is_large(&filters))
      list_depthwise(target, i, &filters);
  }
}

/* Unmarks depthwise convolutions, which other number types make slower, and lists them instead.
 * Adds up the time of flat ones, and of narrow ones, which stay marked. */
static void divide_convolutions(lever_target *target) {
  const etr_finder *finder = target->finder;
  for (uint32_t i = 0; i < finder->graph->node_count; i++) {
    const etr_node *node = &finder->graph->nodes[i];
    double ticks = finder->uninterrupted[i];
    if (!target->marked[i])
      continue;
    etr_filters filters;
    if (!etr_finder_depthwise_filters(finder, node, &filters)) {
      int64_t channels = flat_channels(finder, node);
      target->flat_ticks += channels > 0 ? ticks : 0;
      target->narrow_ticks += channels > CHANNELS_OF_IMAGE && channels < LEAST_CHANNELS ? ticks : 0;
      continue;
    }
    target->marked[i] = false;
    target->count--;
    target->ticks -= ticks;
    list_depthwise(target, i, &filters);
  }
}

/* Unmarks layers that 8da4w leaves out, since their inputs are no multiple of its groups, and lists
 * them instead. Returns false, and changes nothing, if none would be left. */
static bool leave_ungrouped(lever_target *target) {
  const etr_finder *finder = target->finder;
  size_t grouped = 0;
  for (uint32_t i = 0; i < finder->graph->node_count; i++)
    grouped += target->marked[i] && etr_layer_has_groups(finder, i);
  for (uint32_t i = 0; grouped && i < finder->graph->node_count; i++) {
    if (!target->marked[i] || etr_layer_has_groups(finder, i))
      continue;
    target->marked[i] = false;
    target->count--;
    target->ticks -= finder->uninterrupted[i];
    target->left[target->left_out++] = i;
  }
  return grouped > 0;
}

/* Returns true if most of the time of the marked layers is in those whose input has one row: they
 * take as long as reading their weights. */
static bool have_one_row(const lever_target *target) {
  double one_row_ticks = 0;
  for (uint32_t i = 0; i < target->finder->graph->node_count; i++)
    if (target->marked[i] && etr_layer_rows(&target->finder->graph->nodes[i]) == 1)
      one_row_ticks += target->finder->uninterrupted[i];
  return one_row_ticks * 2 > target->ticks;
}

/* Returns true if another finding advises on half of the marked time or more, and could save
 * half of that: a lever beside it would say less about the same operators. Findings about slow
 * rates name no change, and those about time that was spent once save none of later inferences:
 * neither counts. Nor does one to compute fewer rows of a layer, as the others are left. Times are
 * of the typical run. */
static bool has_better_finding(const lever_target *target) {
  const etr_finder *finder = target->finder;
  double whole = finder->method->execute.typical;
  for (size_t i = 0; i < finder->found.count; i++) {
    const etr_finding *found = &finder->found.data[i];
    double common_ticks = 0;
    for (size_t k = 0; k < found->node_count; k++)
      if (target->marked[found->nodes[k]])
        common_ticks += finder->uninterrupted[found->nodes[k]];
    bool has_fewer_rows = found->kind == ETR_FINDING_OUTPUT_LAYER &&
                          etr_layer_rows(&finder->graph->nodes[found->nodes[0]]) > 1;
    bool is_advice = found->kind != ETR_FINDING_SLOW_RATE && !found->is_once && !has_fewer_rows;
    bool saves_much = found->potential >= ETR_FINDING_LEAST_SHARE * whole &&
                      found->potential * 2 >= common_ticks;
    if (is_advice && common_ticks * 2 >= target->ticks && saves_much)
      return true;
  }
  return false;
}

/* ---- Levers ---- */

/* Adds a finding about the marked operators, or about the part if it has none. low, high: ticks
 * of the typical run that it saves, NaN: not known, and then the saving is only possible, or else a
 * rule of thumb. Returns NULL if it is below the threshold, or when out of memory. */
static etr_finding *add_lever(const lever_target *target, etr_finding_kind kind, double low,
                              double high) {
  etr_finder *finder = target->finder;
  double runs = (double)finder->method->run_count;
  etr_finding *added = etr_finder_add_if_large(
      finder, kind, etr_finder_over_runs(finder, target->ticks), isnan(high) ? NAN : high * runs);
  if (!added)
    return NULL;
  if (!isnan(low))
    etr_finding_set_least_saving(finder, added, low * runs);
  etr_finding_set_sureness(added, isnan(high) ? ETR_POSSIBLE : ETR_RULE_OF_THUMB, NULL);
  if (finder->graph && target->count)
    etr_finding_set_nodes(finder, added, target->marked);
  return added;
}

static const char *time_of(const lever_target *target) {
  return etr_finder_time_text(target->finder, target->ticks);
}

/* Returns what the operators are called, as in a sentence after their number: "linear layers". */
static const char *words_of(const lever_target *target) {
  etr_headline_part part = *target->part;
  part.count = target->count;
  return etr_or_empty(etr_headline_operators(target->finder->arena, &part));
}

/* Returns the ratios of all number types but the chosen one, " Other types: fp16 1 to 1.1 times.":
 * below 1 they are slower. "" if there is no other, or when out of memory. */
static const char *other_types(const lever_target *target, etr_ratio_layer layer,
                               const char *chosen) {
  etr_text text;
  etr_writer writer;
  const etr_type_ratio *type;
  bool any = false;
  etr_text_begin(&text, target->finder->arena, &writer);
  for (size_t i = 0; (type = etr_type_of(vnni_of(target), layer, i)) != NULL; i++) {
    if (strcmp(type->type, chosen) == 0)
      continue;
    etr_putf(&writer, "%s%s %g to %g times", any ? ", " : " Other types: ", type->type, type->low,
             type->high);
    any = true;
  }
  etr_puts(&writer, any ? "." : "");
  return etr_or_empty(etr_text_end(&text, &writer));
}

/* Returns "35 of 52 convolutions", or "49 linear layers" if none of them is left out. */
static const char *counted_words(const lever_target *target) {
  etr_arena *arena = target->finder->arena;
  etr_headline_part all = *target->part;
  bool are_others = target->part->is_linear && target->depthwise_ticks > 0;
  all.count = target->count + (are_others ? 0 : target->left_out);
  const char *words = etr_or_empty(etr_headline_operators(arena, &all));
  if (all.count == target->count)
    return etr_or_empty(etr_arena_format(arena, "%zu %s", target->count, words));
  return etr_or_empty(etr_arena_format(arena, "%zu of %zu %s", target->count, all.count, words));
}

/* Returns a sentence on the depthwise convolutions of which the saving counts only the loss, or
 * which the code of this variant leaves in float32, or on layers without groups, with the modules
 * of the first ones; "" if there are none. */
static const char *left_out_text(const lever_target *target, etr_finding_variant variant) {
  enum { LISTED = 6 };
  const etr_finder *finder = target->finder;
  const char *modules[LISTED];
  size_t listed = 0;
  for (size_t i = 0; i < target->left_out && i < LISTED; i++) {
    const etr_node *node = &finder->graph->nodes[target->left[i]];
    const char *path = finder->graph->modules[node->module].path;
    modules[listed++] = path[0] ? path : "(top level)";
  }
  if (!listed)
    return "";
  const char *why = "The code quantizes them, too, so that values between layers stay in one type: "
                    "what they may lose is deducted from the least saving.";
  if (variant == ETR_VARIANT_DEPTHWISE)
    why = target->part->is_linear
              ? "The code leaves them in float32: filters of more than 3 x 3 get slower."
              : "The code leaves those in float32 whose filters are larger than 3 x 3, as they get "
                "slower: what others may lose is deducted from the least saving.";
  if (variant == ETR_VARIANT_8DA4W)
    why = "Their inputs are no multiple of 32, as groups of 32 need: the code leaves them out.";
  return etr_or_empty(etr_arena_format(
      finder->arena, " Not counted: %zu %s%s (%s). %s", target->left_out,
      variant == ETR_VARIANT_8DA4W ? "layer" : "depthwise convolution",
      etr_plural(target->left_out),
      etr_or_empty(etr_arena_list(finder->arena, modules, listed, target->left_out)), why));
}

/* Returns a ratio with one decimal place below 10, and in whole above. */
static double rounded(double ratio) {
  double step = ratio < 10 ? 10 : 1;
  return round(ratio * step) / step;
}

/* Returns how many times as fast a type is as the one that the layers have. Both were measured
 * against float32. from: NULL for float32. */
static etr_ratio ratio_between(const etr_type_ratio *type, const etr_type_ratio *from) {
  if (!from)
    return (etr_ratio){type->low, type->high};
  return (etr_ratio){rounded(type->low / from->high), rounded(type->high / from->low)};
}

/* Returns how many times as fast depthwise convolutions are in a type as in the one that they have;
 * ratios of 1 if that was not measured. from: that of the others; NULL for float32. */
static etr_ratio depthwise_ratio(etr_vnni vnni, const char *name, const etr_type_ratio *from) {
  const etr_type_ratio *type = etr_type_named(vnni, ETR_RATIO_DEPTHWISE, name);
  if (!type)
    return (etr_ratio){1, 1};
  if (from)
    from = etr_type_named(vnni, ETR_RATIO_DEPTHWISE, from->type);
  return ratio_between(type, from);
}

/* Returns how much longer a ratio makes a time, 0.5 for half as long again; 0 if it is faster. */
static double lost_at(double ratio) {
  return ETR_MAX(1 / ratio - 1, 0);
}

/* Returns true if large depthwise convolutions should stay as they are, since they get slower. Sets
 * *loss to what the others lose at most, in ticks: about what conversions around them would cost.
 * Linear layers lose none of it, as the finding about convolutions deducts it. */
static bool keeps_depthwise(lever_target *target, const etr_type_ratio *type,
                            const etr_type_ratio *from, double *loss) {
  double share = lost_at(depthwise_ratio(vnni_of(target), type->type, from).low);
  if (target->part->is_linear && target->part->has_graph && strcmp(type->type, "int8") == 0)
    list_depthwise_beside(target);
  *loss = target->part->is_linear ? 0 : (target->depthwise_ticks - target->large_ticks) * share;
  return target->large_ticks * share > 0;
}

/* Finds out whether quantizers find the marked linear layers. XNNPACK's looks for aten.linear, and
 * torchao's quantize_() for modules of torch.nn.Linear: layers inside of an LSTM are part of
 * aten.lstm then, and a module of one's own may multiply with addmm. Returns ETR_VARIANT_8DA4W if
 * both find most of their time, ETR_VARIANT_USUAL if only XNNPACK's does, ETR_VARIANT_LAYERS if
 * none does. Sets *class to the module class of the longest layer that none finds. */
static etr_finding_variant quantizers_of_layers(const lever_target *target, const char **class) {
  const etr_finder *finder = target->finder;
  double hidden = 0, others = 0, longest = 0;
  for (uint32_t i = 0; i < finder->graph->node_count; i++) {
    if (!target->marked[i])
      continue;
    const char *name = etr_finder_module_class(finder, i);
    double ticks = finder->uninterrupted[i];
    bool is_linear = etr_slice_ends(etr_slice_of(name), ETR_SLICE("Linear")) || !name[0];
    bool is_hidden = etr_is_recurrent(name) ||
                     (!is_linear && !etr_slice_is(finder->ops[i], "linear"));
    others += is_linear ? 0 : ticks;
    hidden += is_hidden ? ticks : 0;
    if (is_hidden && ticks > longest) {
      longest = ticks;
      *class = name;
    }
  }
  if (hidden * 2 > target->ticks)
    return ETR_VARIANT_LAYERS;
  return others * 2 > target->ticks ? ETR_VARIANT_USUAL : ETR_VARIANT_8DA4W;
}

/* What is said of a ratio, which was measured on processors with VNNI, by what is known of the
 * recording's processor. */
static const struct {
  const char *where; /* behind the ratio */
  etr_sureness sureness;
  const char *caveat;
} by_vnni[] = {
    [ETR_VNNI_UNKNOWN] = {" on x86-64 with VNNI, unknown on Arm", ETR_RULE_OF_THUMB,
                          "this processor is not known (see --device), and accuracy may suffer"},
    [ETR_VNNI_LACKING] = {" with VNNI, which this processor lacks", ETR_POSSIBLE,
                          "the ratio is of processors with VNNI, which this one lacks; accuracy "
                          "may suffer"},
    [ETR_VNNI_AVX2] = {" on such processors", ETR_LIKELY, "accuracy may suffer"},
    [ETR_VNNI_THERE] = {" on such processors", ETR_LIKELY, "accuracy may suffer"},
};

/* Returns true for kernels that may be of depthwise convolutions with filters of 7 x 7 or more:
 * they have the same kernel as others, "Convolution (NHWC, F32) IGEMM", and get slower in other
 * types. Those of 1 x 1 have " GEMM". */
static bool may_be_large_depthwise(const etr_headline_part *part) {
  return !part->has_graph && part->is_convolution && !strstr(part->op, " GEMM");
}

/* Says in a finding that quantizes what its kernels can be, as there is no graph: XNNPACK has one
 * for linear layers and convolutions of 1 x 1, and one for convolutions and large depthwise ones.
 */
static void describe_kernels(const lever_target *target, etr_finding *added, const char *type,
                             const etr_ratio *ratio) {
  etr_arena *arena = target->finder->arena;
  const char *where = by_vnni[vnni_of(target)].where;
  if (target->part->is_linear)
    added->fact = etr_arena_format(
        arena, "%s of linear layers or 1x1 convolutions; %s is %g to %g times as fast%s",
        time_of(target), type, ratio->low, ratio->high, where);
  /* The code quantizes convolutions, too, some of which may be large depthwise ones: those of this
   * part, or those beside linear layers, without which there is no narrow_ticks. */
  if (may_be_large_depthwise(target->part) || target->narrow_ticks > 0)
    added->variant = ETR_VARIANT_DEPTHWISE;
  if (!may_be_large_depthwise(target->part))
    return;
  added->may_save_nothing = true;
  added->fact = etr_arena_format(
      arena, "%s; unless depthwise 7x7 (see the .pte), %s is %g to %g times as fast%s",
      time_of(target), type, ratio->low, ratio->high, where);
  etr_finding_set_sureness(added, ETR_POSSIBLE,
                           "depthwise ones of 7 x 7 get slower in int8, and accuracy may suffer");
}

/* Says in a finding that quantizes linear layers that no quantizer sees them. class: of the module
 * that they are inside of. */
static void describe_hidden_layers(const lever_target *target, etr_finding *added,
                                   const char *class) {
  added->fact = etr_arena_format(
      target->finder->arena,
      "%s %s; quantizers see no linear layers in %s: write it with torch.nn.Linear",
      etr_they_take(target->count), time_of(target), class);
  etr_finding_set_sureness(
      added, ETR_POSSIBLE,
      "quantizers look for linear layers, and these are inside of another operator");
}

/* Returns the fastest type that the marked layers can have, and sets *variant to how they are
 * quantized; NULL if none is faster. 8da4w needs modules of torch.nn.Linear, and inputs that groups
 * of 32 divide: other layers are unmarked. class: see quantizers_of_layers(). */
static const etr_type_ratio *type_of_layers(lever_target *target, etr_ratio_layer layer,
                                            etr_finding_variant *variant, const char **class) {
  bool has_layers = target->part->has_graph && target->part->is_linear;
  const etr_type_ratio *type = etr_best_type(vnni_of(target), layer);
  bool is_grouped = type && strcmp(type->type, "8da4w") == 0;
  *variant = has_layers ? quantizers_of_layers(target, class) : ETR_VARIANT_USUAL;
  if (is_grouped && has_layers && (*variant != ETR_VARIANT_8DA4W || !leave_ungrouped(target))) {
    type = etr_type_named(vnni_of(target), layer, "int8");
    is_grouped = false;
  }
  if (!is_grouped && *variant == ETR_VARIANT_8DA4W)
    *variant = ETR_VARIANT_USUAL;
  return type;
}

/* Another type for layers in floating point that XNNPACK computes, and what it saves of them. */
typedef struct quantization {
  const char *dtype; /* of the layers now */
  etr_ratio_layer layer;
  const etr_type_ratio *type, *from; /* from: of dtype; NULL for float32 */
  etr_finding_variant variant;
  const char *class;  /* see quantizers_of_layers() */
  etr_ratio ratio;    /* over all of the layers */
  bool is_divided;    /* flat ones have one of their own */
  double least, most; /* ticks of the typical run; below 0: it takes longer */
} quantization;

/* Returns what a ratio saves of a time, as a part of it; below 0 if it is slower. */
static double saved_or_lost(double ratio) {
  return 1 - 1 / ratio;
}

/* Returns the ratio that float16 has to float32 for such layers; NULL if the layers are in float32.
 */
static const etr_type_ratio *type_of_dtype(etr_vnni vnni, etr_ratio_layer layer,
                                           const char *dtype) {
  return strcmp(dtype, "float16") == 0 ? etr_type_named(vnni, layer, "fp16") : NULL;
}

/* Sets what the type saves of convolutions some of which are flat, if these have a ratio of their
 * own. */
static void divide_saving(quantization *q, const lever_target *target) {
  const etr_vnni vnni = vnni_of(target);
  const etr_type_ratio *type = etr_type_named(vnni, ETR_RATIO_FLAT, q->type->type);
  double ticks = target->flat_ticks, others = target->ticks - ticks;
  if (q->layer != ETR_RATIO_CONVOLUTION || !type || ticks <= 0)
    return;
  const etr_ratio one = ratio_between(type, type_of_dtype(vnni, ETR_RATIO_FLAT, q->dtype));
  q->is_divided = true;
  q->least = others * saved_or_lost(q->ratio.low) + ticks * saved_or_lost(one.low);
  q->most = others * saved_or_lost(q->ratio.high) + ticks * saved_or_lost(one.high);
  bool has_others = others > 0;
  q->ratio.low = has_others ? ETR_MIN(q->ratio.low, one.low) : one.low;
  q->ratio.high = has_others ? ETR_MAX(q->ratio.high, one.high) : one.high;
}

/* Finds the type that is the fastest for the layers; int8 if each may be slower than float32.
 * dtype: of the layers now. Returns false if none was measured, or if it saves nothing. */
static bool find_quantization(quantization *q, lever_target *target, const char *dtype) {
  const etr_vnni vnni = vnni_of(target);
  bool has_layers = target->part->has_graph && target->part->is_linear;
  *q = (quantization){.dtype = dtype,
                      .layer = target->part->is_convolution ? ETR_RATIO_CONVOLUTION
                                                            : ETR_RATIO_LINEAR,
                      .class = ""};
  if (has_layers && have_one_row(target))
    q->layer = ETR_RATIO_LINEAR_ROW;
  q->type = type_of_layers(target, q->layer, &q->variant, &q->class);
  if (!q->type)
    q->type = etr_type_named(vnni, q->layer, "int8");
  if (!q->type)
    return false;
  q->from = type_of_dtype(vnni, q->layer, dtype);
  q->ratio = ratio_between(q->type, q->from);
  q->least = (target->ticks - target->narrow_ticks) * saved_or_lost(q->ratio.low);
  q->most = target->ticks * saved_or_lost(q->ratio.high);
  divide_saving(q, target);
  if (target->part->is_convolution) /* depthwise ones that are quantized, too, lose at least this */
    q->most -= (target->depthwise_ticks - target->large_ticks) *
               lost_at(depthwise_ratio(vnni, q->type->type, q->from).high);
  return q->most > 0;
}

/* Returns the evidence of the finding that quantizes layers. */
static const char *quantize_evidence(const lever_target *target, const quantization *q) {
  static const char *const names[] = {[ETR_RATIO_LINEAR_ROW] = "linear layers with one row",
                                      [ETR_RATIO_LINEAR] = "linear layers",
                                      [ETR_RATIO_CONVOLUTION] = "convolutions"};
  bool is_named = strcmp(target->part->backend, ETR_UNKNOWN_BACKEND) != 0;
  return etr_arena_format(
      target->finder->arena,
      "%s %s in %s. %s%sXNNPACK computes %s %g to %g times as fast in %s (%s, " ETR_DOCS
      "ratios.md).%s%s%s Quantizing and dequantizing what comes in and goes out is not deducted. "
      "Compare the outputs: " ETR_DOCS "accuracy.md.",
      etr_they_take(target->count), time_of(target), q->dtype,
      is_named ? "" : "The backend is taken for XNNPACK by the names of its kernels. ",
      may_be_large_depthwise(target->part)
          ? "Some may be depthwise with filters of 7 x 7 or more, which get slower in int8, and "
            "faster if split in four: they are counted, as only the .pte or the ETRecord says "
            "which they are. "
          : "",
      names[q->layer], q->ratio.low, q->ratio.high, q->type->type, etr_type_source(vnni_of(target)),
      q->from || q->is_divided ? "" : other_types(target, q->layer, q->type->type),
      left_out_text(target, q->variant),
      target->narrow_ticks > 0 && !q->is_divided
          ? " The least saving counts nothing of 1x1 convolutions with fewer than 32 channels, "
            "which were not measured."
          : "");
}

/* Adds the finding that layers in floating point, which XNNPACK computes, have faster kernels in
 * another number type. Returns false when out of memory. */
static bool add_quantize(lever_target *target, quantization *q) {
  etr_finder *finder = target->finder;
  bool is_named = strcmp(target->part->backend, ETR_UNKNOWN_BACKEND) != 0;
  const etr_vnni vnni = vnni_of(target);
  bool is_unsure = may_be_large_depthwise(target->part) || vnni == ETR_VNNI_LACKING;
  double loss = 0;
  bool keeps = q->variant == ETR_VARIANT_USUAL && keeps_depthwise(target, q->type, q->from, &loss);
  if (keeps)
    q->variant = ETR_VARIANT_DEPTHWISE;
  etr_finding *added = add_lever(target, ETR_FINDING_QUANTIZE,
                                 is_unsure ? 0 : ETR_MAX(q->least - loss, 0), q->most);
  if (!added)
    return !etr_arena_failed(finder->arena);
  added->title = etr_arena_format(finder->arena, "Quantize %s to %s", counted_words(target),
                                  q->type->type);
  bool has_four_bits = strcmp(q->type->type, "8da4w") == 0;
  const char *in = has_four_bits || keeps ? ""
                                          : etr_arena_format(finder->arena, " in %s", q->dtype);
  added->fact = etr_arena_format(
      finder->arena, "%s %s%s; %s%s%s is %g to %g times as fast%s%s", etr_they_take(target->count),
      time_of(target), etr_or_empty(in), is_named ? "" : "if XNNPACK, ", q->type->type,
      has_four_bits ? " (4-bit)" : "", q->ratio.low, q->ratio.high, by_vnni[vnni].where,
      keeps ? "; large depthwise stays float32" : "");
  added->evidence = quantize_evidence(target, q);
  etr_finding_set_sureness(added, by_vnni[vnni].sureness, by_vnni[vnni].caveat);
  if (vnni == ETR_VNNI_AVX2 && q->ratio.low < 1)
    etr_finding_set_sureness(added, ETR_POSSIBLE,
                             "some layers get slower without AVX-512: measure, and accuracy may "
                             "suffer");
  added->variant = q->variant;
  if (!target->part->has_graph)
    describe_kernels(target, added, q->type->type, &q->ratio);
  if (q->variant == ETR_VARIANT_LAYERS)
    describe_hidden_layers(target, added, q->class);
  return true;
}

/* Adds the ticks that XNNPACK would save on an operator to two estimates: *low at half of the
 * operator's lower ratio, as a margin, *high at its upper ratio. Adds nothing if no ratio is known
 * for the operator. node: see etr_ratio_of_delegate(). */
static void add_delegate_saving(etr_slice op, const etr_node *node, double ticks, double *low,
                                double *high) {
  etr_ratio ratio;
  if (!etr_ratio_of_delegate(&ratio, op, node))
    return;
  *low += ticks * etr_saved_at(ratio.low / 2);
  *high += ticks * etr_saved_at(ratio.high);
}

/* Copies the target to *taken, and unmarks there the operators that the known partitioner refuses,
 * or none if its rules are not known. Sets *reason to why it refuses one of them, or NULL. Returns
 * false when out of memory. */
static bool leave_accepted(lever_target *taken, const lever_target *target, const char **reason) {
  const etr_finder *finder = target->finder;
  const char *known = etr_known_partitioner();
  *taken = *target;
  *reason = NULL;
  if (!target->part->has_graph || !etr_partitioner_is_known(known, finder->graph))
    return true;
  size_t count = finder->graph->node_count;
  const char **reasons = etr_arena_alloc_array(finder->arena, count, sizeof *reasons);
  taken->marked = etr_arena_alloc_array(finder->arena, count, sizeof *taken->marked);
  if (!reasons || !taken->marked ||
      !etr_partition_refusals(reasons, known, finder->graph, target->marked))
    return false;
  for (uint32_t i = 0; i < count; i++) {
    /* Its rules were asked about marked operators only. */
    taken->marked[i] = target->marked[i] && !reasons[i];
    if (!target->marked[i] || !reasons[i])
      continue;
    *reason = reasons[i];
    taken->count--;
    taken->ticks -= finder->uninterrupted[i];
  }
  return true;
}

/* Adds the finding that XNNPACK has faster kernels than those that run on the CPU, if they take
 * long enough for a delegate. Returns false if it knows of none, so that another lever is to be
 * sought; true, too, when out of memory. */
static bool add_delegate(const lever_target *target) {
  etr_finder *finder = target->finder;
  double low = 0, high = 0;
  for (uint32_t i = 0; target->part->has_graph && i < finder->graph->node_count; i++)
    if (target->marked[i])
      add_delegate_saving(finder->ops[i], &finder->graph->nodes[i], finder->uninterrupted[i], &low,
                          &high);
  if (!target->part->has_graph) {
    etr_slice op = etr_slice_of(target->part->op);
    const char *dot = memchr(op.data, '.', op.size);
    op.size = dot ? (size_t)(dot - op.data) : op.size;
    add_delegate_saving(op, NULL, target->ticks, &low, &high);
  }
  double ns = etr_ticks_to_ns(finder->profile, target->ticks);
  if (high <= 0 || ns < ETR_FINDING_LEAST_KERNELS_NS)
    return false;
  etr_finding *added = add_lever(target, ETR_FINDING_DELEGATE, low, high);
  if (!added)
    return true;
  added->title = etr_arena_format(finder->arena, "Delegate %zu %s to XNNPACK", target->count,
                                  words_of(target));
  added->fact = etr_arena_format(finder->arena,
                                 "%s %s as CPU kernels; XNNPACK's are many times as fast on CPUs",
                                 etr_they_take(target->count), time_of(target));
  added->evidence = etr_arena_format(finder->arena,
                                     "%s %s as kernels on the CPU. The saving is at the ratio of "
                                     "XNNPACK's kernels to those of the "
                                     "CPU (%s, " ETR_DOCS "ratios.md), and at half of it.",
                                     etr_they_take(target->count), time_of(target),
                                     etr_ratio_source());
  added->caveat = "if these are the portable kernels, and the partitioner takes them";
  return true;
}

/* Adds a lever of which neither the least nor the most that it saves is known (the two NAN),
 * with its texts, which are kept and not copied. One that is about too little time is not added,
 * which is no failure. Returns false when out of memory. */
static bool add_unmeasured_lever(const lever_target *target, etr_finding_kind kind,
                                 const char *title, const char *fact, const char *evidence) {
  etr_finding *added = add_lever(target, kind, NAN, NAN);
  if (!added)
    return !etr_arena_failed(target->finder->arena);
  added->title = title;
  added->fact = fact;
  added->evidence = evidence;
  return true;
}

/* Returns true for XNNPACK's name of a depthwise convolution: "Convolution (NHWC, F32) DWConv". */
static bool is_depthwise_kernel(const char *kernel) {
  return kernel && strstr(kernel, " DWConv");
}

/* Leaves only large depthwise convolutions in a target of convolutions in int8.
 * Leaves none if they are in another type, or if others take most of the time. */
static void leave_large_depthwise_in_int8(lever_target *target) {
  const etr_finder *finder = target->finder;
  double all = target->ticks;
  bool is_int8 = target->part->dtype && strcmp(target->part->dtype, "int8") == 0;
  target->count = 0;
  target->ticks = 0;
  for (uint32_t i = 0; finder->graph && i < finder->graph->node_count; i++) {
    etr_filters filters;
    target->marked[i] &= is_int8 &&
                         etr_finder_depthwise_filters(finder, &finder->graph->nodes[i], &filters) &&
                         is_large(&filters);
    target->count += target->marked[i];
    target->ticks += target->marked[i] ? finder->uninterrupted[i] : 0;
  }
  if (target->ticks * 2 <= all)
    target->count = 0;
}

/* Adds the finding that depthwise convolutions in int8, which the target is about, may be faster in
 * float32. Returns false when out of memory. */
static bool add_float_depthwise(const lever_target *target, const etr_type_ratio *int8) {
  etr_arena *arena = target->finder->arena;
  const etr_vnni vnni = vnni_of(target);
  etr_finding *added = add_lever(target, ETR_FINDING_QUANTIZE, 0, target->ticks * (1 - int8->low));
  if (!added)
    return !etr_arena_failed(arena);
  added->variant = ETR_VARIANT_DEPTHWISE;
  added->title = etr_arena_format(arena, "Leave %zu depthwise convolution%s in float32",
                                  target->count, etr_plural(target->count));
  added->fact = etr_arena_format(arena, "%s %s; int8 is %g to %g times as fast as float32%s",
                                 etr_they_take(target->count), time_of(target), int8->low,
                                 int8->high, by_vnni[vnni].where);
  added->evidence = etr_arena_format(
      arena,
      "Depthwise convolutions were %g to %g times as fast in int8 as in float32 (%s, " ETR_DOCS
      "ratios.md). Quantizing and dequantizing around them is not deducted.",
      int8->low, int8->high, etr_type_source(vnni));
  etr_finding_set_sureness(added, by_vnni[vnni].sureness, "it depends on their shapes");
  return true;
}

/* Returns where operators like those of the part cost nothing, if the backend fused others of the
 * same name in this record: "; directly after convolution they are fused and cost nothing (1
 * here)". "" if it fused none, or if they are layers. */
static const char *fused_text(const lever_target *target) {
  const etr_finder *finder = target->finder;
  const etr_headline_part *part = target->part;
  size_t fused = 0;
  etr_slice fused_into = {"", 0};
  if (!part->has_graph || !part->backend || !finder->graph)
    return "";
  if (part->is_linear || part->is_convolution)
    return "";
  for (uint32_t i = 0; i < finder->graph->node_count; i++) {
    uint32_t carrier = finder->graph->times[i].carried_by; /* the node that it is fused into */
    if (carrier == ETR_NONE || strcmp(finder->graph->nodes[i].target, part->op) != 0)
      continue;
    fused++;
    fused_into = finder->ops[carrier];
  }
  if (fused == 0)
    return "";
  return etr_or_empty(etr_arena_format(
      finder->arena, "; directly after %.*s they are fused and cost nothing (%zu here)",
      (int)fused_into.size, fused_into.data, fused));
}

/* Returns how the time of layers depends on the input: "; half the height and width: a quarter of
 * it". "" if that is not known, as for layers with one row, whose weights take the time. */
static const char *input_size_text(const lever_target *target) {
  if (!target->part->has_graph || !target->finder->graph)
    return "";
  if (target->part->is_convolution)
    return "; half the height and width: a quarter of it";
  bool has_rows = target->part->is_linear && !have_one_row(target);
  return has_rows ? "; half as many rows: half of it" : "";
}

/* Returns why a partitioner refuses operators, as a fact of `before` goes on: "; XNNPACK: no
 * configuration: write it as slices", without what is behind a colon, or without a reason, if it is
 * too long else. */
static const char *refused_text(etr_arena *arena, const char *before, const char *backend,
                                const char *reason) {
  const char *colon = strchr(reason, ':');
  size_t room = ETR_FACT_LONGEST -
                ETR_MIN(strlen(before) + strlen(backend) + 4, (size_t)ETR_FACT_LONGEST);
  size_t size = strlen(reason) <= room || !colon ? strlen(reason) : (size_t)(colon - reason);
  if (size > room)
    return etr_arena_format(arena, "; %s leaves them to the CPU", backend);
  return etr_arena_format(arena, "; %s: %.*s", backend, (int)size, reason);
}

/* Adds the finding that only less work makes the operators faster. reason: why the known
 * partitioner refuses them; NULL: it is not known, or they are in a delegate. Returns false when
 * out of memory. */
static bool add_less_work(const lever_target *target, const char *reason) {
  etr_arena *arena = target->finder->arena;
  const char *backend = etr_finder_backend_name(target->finder, etr_known_partitioner());
  bool is_product = target->part->is_linear || target->part->is_convolution;
  const char *why = is_product ? input_size_text(target) : fused_text(target);
  const char *evidence = "No faster kernel of them is known for this backend and type.";
  const char *words = words_of(target);
  /* A long name would be cut. */
  bool fits = strlen("Use fewer or smaller ") + strlen(words) <= ETR_TITLE_LONGEST;
  const char *less = fits ? "Use fewer or smaller %s" : "Compute less in %s";
  bool has_one_row = target->part->is_linear && target->part->has_graph && have_one_row(target);
  const char *of_product = has_one_row ? "Use fewer channels, or fewer layers"
                                       : "Use a smaller input, or fewer channels";
  const char *title = is_product ? of_product : etr_arena_format(arena, less, words);
  const char *dtype = target->part->dtype;
  const char *fact = etr_or_empty(etr_arena_format(arena, "%zu %s%s%s take%s %s", target->count,
                                                   etr_or_empty(dtype), dtype ? " " : "", words,
                                                   target->count == 1 ? "s" : "", time_of(target)));
  if (reason) {
    why = refused_text(arena, fact, backend, reason);
    evidence = etr_arena_format(arena, "The partitioner of %s leaves them to the CPU: %s.", backend,
                                reason);
  }
  fact = etr_arena_format(arena, "%s%s", fact, etr_or_empty(why));
  return add_unmeasured_lever(target, ETR_FINDING_LESS_WORK, title, fact, evidence);
}

/* Adds the lever where no other type is faster: float32 for large depthwise convolutions in int8,
 * or else less work. reason: as of add_less_work(). Returns false when out of memory. */
static bool add_last_lever(const lever_target *target, const char *reason) {
  const etr_type_ratio *int8 = etr_type_named(vnni_of(target), ETR_RATIO_DEPTHWISE, "int8");
  size_t nodes = target->finder->graph ? target->finder->graph->node_count : 0;
  lever_target slow = *target;
  slow.marked = etr_arena_alloc_array(target->finder->arena, nodes, sizeof *slow.marked);
  if (!slow.marked)
    return false;
  if (nodes)
    memcpy(slow.marked, target->marked, nodes * sizeof *slow.marked);
  leave_large_depthwise_in_int8(&slow);
  return int8 && slow.count ? add_float_depthwise(&slow, int8) : add_less_work(target, reason);
}

/* Returns true for a kernel or an operator of a delegate that moves or converts data. */
static bool only_moves(const char *kernel) {
  return strncmp(kernel, "Transpose", 9) == 0 || strncmp(kernel, "Convert", 7) == 0 ||
         etr_kernel_only_copies(kernel);
}

/* Adds the lever for index kernels of an ETDump alone: what they take goes if they look up
 * constants. Returns false when out of memory. */
static bool add_perhaps_constant(const lever_target *target) {
  etr_arena *arena = target->finder->arena;
  etr_finding *added = add_lever(target, ETR_FINDING_CONSTANTS, NAN, target->ticks);
  if (!added)
    return !etr_arena_failed(arena);
  added->title = etr_arena_format(arena, "Compute %zu %s at export", target->count,
                                  words_of(target));
  added->fact = "if their inputs never change, as of position biases: by constant_prop_pass";
  added->evidence = etr_arena_format(
      arena,
      "They take %s. Attention on images often looks its position biases up in a table, in each "
      "run anew; what a model looks up by its inputs stays.",
      time_of(target));
  etr_finding_set_sureness(added, ETR_POSSIBLE,
                           "the .pte or the ETRecord says whether their inputs change");
  return !etr_arena_failed(arena);
}

/* Adds the lever for operators, the first of these that is possible: quantize layers in XNNPACK,
 * compute index kernels at export, delegate kernels, do less work. Adds none where another finding
 * says what to do, and no "less work" for a part that is not the largest. Returns false when out of
 * memory. */
static bool add_operator_lever(lever_target *target) {
  const etr_headline_part *part = target->part;
  bool is_float = is_floating(part->dtype);
  bool is_layer = part->is_linear || part->is_convolution;
  bool is_xnnpack = part->backend &&
                    (strcmp(part->backend, etr_known_partitioner()) == 0 ||
                     (!part->has_graph && strcmp(part->backend, ETR_UNKNOWN_BACKEND) == 0));
  if (is_layer && is_float && is_xnnpack && target->count) {
    quantization q;
    return !find_quantization(&q, target, part->dtype) || add_quantize(target, &q);
  }
  /* Without a graph, a finding about kernels is about all of them. */
  if (!part->backend && !part->has_graph &&
      etr_finder_has_kind(target->finder, ETR_FINDING_NOT_DELEGATED))
    return true;
  if (!part->backend && !part->has_graph && part->op && strncmp(part->op, "index.", 6) == 0)
    return add_perhaps_constant(target);
  bool has_copies = etr_finder_has_kind(target->finder, ETR_FINDING_LAYOUT) ||
                    etr_finder_has_kind(target->finder, ETR_FINDING_COPIES);
  if (!part->has_graph && has_copies && only_moves(part->op))
    return true;
  lever_target taken = *target;
  const char *reason = NULL;
  if (!part->backend && !leave_accepted(&taken, target, &reason))
    return false;
  if (!part->backend && (taken.count || !part->has_graph) && add_delegate(&taken))
    return !etr_arena_failed(target->finder->arena);
  bool has_library = !part->backend && part->op &&
                     etr_finder_has_kind(target->finder, ETR_FINDING_LIBRARY) &&
                     etr_is_optimized(etr_label_op(part->op));
  if (has_library || (!target->is_first && !reason))
    return true;
  return add_last_lever(target, reason);
}

/* Adds the next step for time in delegates that record no operators: less work if the backend says
 * that it computes then, or else how to see what is inside. Adds none where another finding says
 * what to do. Returns false when out of memory. */
static bool add_opaque_lever(const lever_target *target) {
  etr_finder *finder = target->finder;
  bool is_computing = target->part->kind == ETR_HEADLINE_PHASE &&
                      target->part->phase == ETR_PHASE_COMPUTE;
  etr_delegates_time inside;
  if (target->part->kind == ETR_HEADLINE_COPIES && etr_finder_has_kind(finder, ETR_FINDING_LAYOUT))
    return true;
  if (etr_finder_has_kind(finder, ETR_FINDING_WAITING) ||
      etr_finder_has_kind(finder, ETR_FINDING_PROFILER) ||
      etr_finder_has_kind(finder, ETR_FINDING_LESS_WORK))
    return true;
  if (!etr_find_time_of_delegates(finder, &inside))
    return false;
  const char *see = ": add the .pte, which names their backends";
  const char
      *evidence = "The .pte or the ETRecord must be of the export that was recorded; nothing "
                  "is recorded again.";
  if (etr_finder_has_edge(finder)) {
    see = "; what it runs: `etrecord-tb delegation RECORD`";
    evidence = "It lists each delegate's operators, modules and MACs with the time of its call, "
               "from this record. docs/backends.md names profilers, which time what is inside.";
  } else if (finder->graph) {
    see = ": add the ETRecord, which lists what it runs";
  }
  const char *fact = etr_arena_format(finder->arena, "%s are in %s%s", time_of(target),
                                      inside.ticks ? inside.where : "events that are not known",
                                      is_computing ? "" : see);
  return add_unmeasured_lever(
      target, is_computing ? ETR_FINDING_LESS_WORK : ETR_FINDING_PROFILER,
      is_computing ? "Use a smaller input, or fewer channels" : "See what is in each delegate",
      fact, is_computing ? "docs/backends.md says what each backend can record." : evidence);
}

/* Returns what a call takes besides its operators: "1.35 ms a call", or if one call takes most of
 * the time of all "2.69 ms of it in one call". ticks: of all calls in the typical run, `count` of
 * them. */
static const char *time_of_calls(etr_finder *finder, double ticks, size_t count) {
  const double MOST = 0.6; /* of the time of all calls */
  uint64_t longest = 0;
  for (size_t i = 0; finder->delegates && i < finder->method->delegate_count; i++)
    longest = ETR_MAX(longest, finder->delegates[i].ticks[ETR_SPENT_AROUND]);
  double alone = (double)longest / (double)finder->method->run_count;
  if (count > 1 && alone > MOST * ticks)
    return etr_arena_format(finder->arena, "%s of it in one call",
                            etr_finder_time_text(finder, alone));
  return etr_arena_format(finder->arena, "%s a call",
                          etr_finder_time_text(finder, ticks / (double)count));
}

/* Adds the finding that asks why calls of delegates take much longer than usual. What it saves is
 * not known (the two NAN). target->ticks are those of all calls in the typical run. Returns false
 * when out of memory. */
static bool add_slow_calls(const lever_target *target) {
  etr_finder *finder = target->finder;
  enum { FEW_RUNS = 3 }; /* of fewer, a first run is much of the typical one */
  bool are_few = finder->method->run_count < FEW_RUNS;
  const char *each = time_of_calls(finder, target->ticks, target->count);
  etr_finding *added = add_lever(target, ETR_FINDING_MORE_PER_CALL, NAN, NAN);
  if (!added)
    return !etr_arena_failed(finder->arena);
  added->variant = ETR_VARIANT_SLOW_CALLS;
  added->title = etr_arena_format(finder->arena, "See why calling %zu delegate%s takes %s",
                                  target->count, etr_plural(target->count), time_of(target));
  added->fact = etr_arena_format(
      finder->arena, "%s besides operators, where 10 us a call is usual: %s", each,
      are_few ? "record 20 runs, as a first one allocates"
              : "threads that sleep, new shapes, or other work of the device");
  added->evidence = etr_arena_format(
      finder->arena,
      "Calling takes %s, besides what is recorded of operators; 3 to 10 us a call are usual. "
      "A first run allocates memory and starts threads. In later runs threads that slept, shapes "
      "that change, operators that the backend does not record, and other work of the device do.",
      each);
  etr_finding_set_sureness(added, ETR_POSSIBLE, "no event says what the calls did in this time");
  return true;
}

/* Adds the next step for calls of delegates that no other operator cuts apart: more work in each.
 * It says what one call takes in the typical run, and not what could be saved. Returns false when
 * out of memory. */
static bool add_call_lever(const lever_target *target) {
  etr_finder *finder = target->finder;
  size_t count = target->part->count;
  const char *each = etr_finder_time_text(finder,
                                          target->ticks / (double)ETR_MAX(count, (size_t)1));
  const char *up_to = target->part->low < target->part->high ? "up to "
                                                             : ""; /* a clock hides something */
  const char *what = "to pass inputs and outputs, start the backend, and write the ETDump";
  const char *fact = count > 1 ? etr_arena_format(finder->arena, "%zu calls take %s%s each %s",
                                                  count, up_to, each, what)
                               : etr_arena_format(finder->arena, "its call takes %s%s %s", up_to,
                                                  each, what);
  return add_unmeasured_lever(
      target, ETR_FINDING_MORE_PER_CALL, "Do more work in each call of a delegate", fact,
      "This time does not grow with the operators' work: a batch, a larger model, or fewer "
      "delegates spread it over more. A release does not write an ETDump, and so takes less: "
      "compare the time of an inference without one.");
}

/* Adds the next step for time that is in no operators, unless another finding says what to do.
 * Returns false when out of memory. */
static bool add_other_lever(const lever_target *target) {
  etr_finder *finder = target->finder;
  bool is_call = target->part->kind == ETR_HEADLINE_CALLS;
  bool has_finding = etr_finder_has_kind(finder, ETR_FINDING_FALLBACK) ||
                     etr_finder_has_kind(finder, ETR_FINDING_SMALL_CALLS);
  if (target->part->kind != ETR_HEADLINE_RUNTIME && !is_call)
    return add_opaque_lever(target);
  if (is_call && has_finding)
    return true;
  double ns = etr_ticks_to_ns(finder->profile, target->ticks);
  bool is_slow = ns >= ETR_FINDING_SLOW_CALL_NS * (double)target->count && target->count &&
                 !finder->profile->takes_cycles_as_ns;
  if (is_call)
    return is_slow ? add_slow_calls(target) : add_call_lever(target);
  if (!target->is_first)
    return true;
  return add_unmeasured_lever(
      target, ETR_FINDING_MORE_PER_CALL, "Do more work in each inference",
      etr_arena_format(finder->arena, "%s are the runtime, outside operators", time_of(target)),
      "A batch, a larger model, or fewer and larger operators spread this time over more work. "
      "Recording takes a part of it, too, which a release does not do.");
}

/* Returns true if XNNPACK computes convolutions of more than 1 x 1, whose kernels have that name.
 */
static bool has_convolution_kernel(const etr_groups *groups) {
  for (size_t i = 0; i < groups->count; i++)
    if (groups->list[i].op && strncmp(groups->list[i].op, "Convolution", 11) == 0)
      return true;
  return false;
}

/* Adds the lever for one part of the time, unless another finding says what to do about it. A part
 * that only less work makes faster has one only if it is the largest (NULL: no partitioner refuses
 * it). is_first: it takes more than any other part. Returns false when out of memory. */
static bool add_part_lever(etr_finder *finder, const etr_groups *groups,
                           const etr_headline_part *part, bool is_first) {
  lever_target target = {.finder = finder,
                         .part = part,
                         .count = part->count,
                         .ticks = part->ticks,
                         .is_first = is_first};
  size_t nodes = finder->graph ? finder->graph->node_count : 0;
  target.marked = etr_arena_alloc_array(finder->arena, nodes, sizeof *target.marked);
  target.left = etr_arena_alloc_array(finder->arena, nodes, sizeof *target.left);
  if (!target.marked || !target.left)
    return false;
  if (part->kind == ETR_HEADLINE_KERNELS)
    return true; /* fallback, library and copies say what to do about many small kernels */
  if (part->kind != ETR_HEADLINE_OPERATORS)
    return add_other_lever(&target);
  if (!part->has_graph && is_depthwise_kernel(part->op)) /* other types make it slower */
    return !is_first || add_less_work(&target, NULL);
  if (!part->has_graph && part->is_linear && has_convolution_kernel(groups))
    target.narrow_ticks = part->ticks; /* layers beside them may be 1 x 1, and narrow */
  if (part->has_graph) {
    bool is_divided = are_float_convolutions(part);
    mark_operators(&target, groups, is_divided);
    if (is_divided)
      divide_convolutions(&target);
    if (target.count == 0) { /* all are depthwise: only less work makes them faster */
      mark_operators(&target, groups, false);
      return !is_first || has_better_finding(&target) || add_less_work(&target, NULL);
    }
    if (has_better_finding(&target))
      return true;
  }
  return add_operator_lever(&target);
}

/* Adds levers for the parts of the time that the headline names, which are the largest. Returns
 * false when out of memory. */
bool etr_add_lever_findings(etr_finder *finder) {
  etr_headline headline;
  if (!etr_headline_make(&headline, finder->arena, finder->profile, finder->method, finder->groups,
                         finder->unit))
    return false;
  for (size_t i = 0; i < headline.count; i++)
    if (!add_part_lever(finder, finder->groups, &headline.parts[i], i == 0))
      return false;
  return !etr_arena_failed(finder->arena);
}
