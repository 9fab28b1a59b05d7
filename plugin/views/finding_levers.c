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

/* The part of the time that the lever is for, and which of its operators it is about. */
typedef struct largest {
  etr_finder *finder;
  const etr_headline_part *part;
  bool *marked; /* per node */
  size_t count;
  size_t left_out;     /* depthwise convolutions, which are not marked */
  uint32_t *depthwise; /* their nodes */
  double ticks;        /* of the operators that are marked, or of the part, in the typical run */
  bool is_first;       /* it takes more than any other part */
} largest;

static uint64_t over_runs(const largest *of, double typical) {
  return etr_finder_over_runs(of->finder, typical);
}

/* Marks the operators of the part; of convolutions in float32 those that int8 makes faster. */
static void mark_operators(largest *of, const etr_groups *groups) {
  const etr_finder *finder = of->finder;
  bool *is_in_row = etr_arena_alloc_array(finder->arena, groups->count, sizeof *is_in_row);
  for (size_t i = 0; is_in_row && i < groups->count; i++)
    is_in_row[groups->list[i].number] = etr_headline_has(of->part, &groups->list[i]);
  of->ticks = 0;
  for (uint32_t i = 0; is_in_row && i < finder->graph->node_count; i++) {
    uint32_t row = groups->row_of_node[i];
    of->marked[i] = row != ETR_NONE && is_in_row[row];
    of->count += of->marked[i];
    of->ticks += of->marked[i] ? finder->uninterrupted[i] : 0;
  }
}

/* Leaves out depthwise convolutions, which other types make slower. */
static void leave_out_depthwise(largest *of) {
  const etr_finder *finder = of->finder;
  for (uint32_t i = 0; i < finder->graph->node_count; i++) {
    if (!of->marked[i] || !etr_finder_depthwise_weight(finder, &finder->graph->nodes[i]))
      continue;
    of->marked[i] = false;
    of->depthwise[of->left_out++] = i;
    of->count--;
    of->ticks -= finder->uninterrupted[i];
  }
}

/* Returns the rows of the marked layers: 1 if most of their time is in layers with one row. */
static int64_t rows_of(const largest *of) {
  double of_one = 0;
  for (uint32_t i = 0; i < of->finder->graph->node_count; i++)
    if (of->marked[i] && etr_layer_rows(&of->finder->graph->nodes[i]) == 1)
      of_one += of->finder->uninterrupted[i];
  return of_one * 2 > of->ticks ? 1 : 2;
}

/* Returns true if another finding is about half of the marked time or more, and could save much. */
static bool is_said(const largest *of) {
  const etr_finder *finder = of->finder;
  double whole = finder->method->execute.typical;
  for (size_t i = 0; i < finder->found.count; i++) {
    const etr_finding *found = &finder->found.data[i];
    double same = 0;
    for (size_t k = 0; k < found->node_count; k++)
      if (of->marked[found->nodes[k]])
        same += finder->uninterrupted[found->nodes[k]];
    bool is_advice = found->kind != ETR_FINDING_SLOW_RATE && !found->is_once;
    if (is_advice && same * 2 >= of->ticks && found->potential >= ETR_FINDING_LEAST_SHARE * whole &&
        found->potential * 2 >= same)
      return true;
  }
  return false;
}

/* ---- Levers ---- */

static etr_finding *add_lever(const largest *of, etr_finding_kind kind, double low, double high) {
  etr_finder *finder = of->finder;
  double runs = (double)finder->method->run_count;
  etr_finding *added = etr_finder_add_if_large(finder, kind, over_runs(of, of->ticks),
                                               isnan(high) ? NAN : high * runs);
  if (!added)
    return NULL;
  if (!isnan(low))
    etr_finding_set_least_saving(finder, added, low * runs);
  etr_finding_set_sureness(added, isnan(high) ? ETR_POSSIBLE : ETR_RULE_OF_THUMB, NULL);
  if (finder->graph && of->count)
    etr_finding_set_nodes(finder, added, of->marked);
  return added;
}

static const char *time_of(const largest *of) {
  return etr_finder_time_text(of->finder, of->ticks);
}

static const char *words_of(const largest *of) {
  etr_headline_part part = *of->part;
  part.count = of->count;
  return etr_or_empty(etr_headline_operators(of->finder->arena, &part));
}

/* Lists the ratios of the other types, "fp16 1 to 1.1 times": below 1 they are slower. */
static const char *other_types(const largest *of, etr_ratio_layer layer, const char *chosen) {
  etr_text text;
  etr_writer writer;
  const etr_type_ratio *type;
  bool any = false;
  etr_text_begin(&text, of->finder->arena, &writer);
  for (size_t i = 0; (type = etr_type_of(layer, i)) != NULL; i++) {
    if (strcmp(type->type, chosen) == 0)
      continue;
    etr_putf(&writer, "%s%s %g to %g times", any ? ", " : " Other types: ", type->type, type->low,
             type->high);
    any = true;
  }
  etr_puts(&writer, any ? "." : "");
  return etr_or_empty(etr_text_end(&text, &writer));
}

/* Returns "35 of 52 convolutions", or "49 linear layers" if none is left out. */
static const char *counted_words(const largest *of) {
  etr_arena *arena = of->finder->arena;
  etr_headline_part all = *of->part;
  all.count = of->count + of->left_out;
  const char *words = etr_or_empty(etr_headline_operators(arena, &all));
  if (!of->left_out)
    return etr_or_empty(etr_arena_format(arena, "%zu %s", of->count, words));
  return etr_or_empty(etr_arena_format(arena, "%zu of %zu %s", of->count, all.count, words));
}

/* Returns a sentence on the depthwise convolutions that are not counted, with the modules of the
 * first ones; "" if there are none. */
static const char *left_out_text(const largest *of) {
  enum { LISTED = 6 };
  const etr_finder *finder = of->finder;
  const char *modules[LISTED];
  size_t listed = 0;
  if (!of->part->is_convolution)
    return "";
  if (!of->part->has_graph)
    return " Depthwise convolutions may be slower in other types, and are not counted.";
  for (size_t i = 0; i < of->left_out && i < LISTED; i++) {
    const char *path = finder->graph->modules[finder->graph->nodes[of->depthwise[i]].module].path;
    modules[listed++] = path[0] ? path : "(top level)";
  }
  if (!listed)
    return "";
  return etr_or_empty(etr_arena_format(
      finder->arena,
      " Not counted: %zu depthwise convolution%s, which may be slower in other types (%s). The "
      "code quantizes %s, too, so that values between layers stay in one type.",
      of->left_out, etr_plural(of->left_out),
      etr_or_empty(etr_arena_list(finder->arena, modules, listed, of->left_out)),
      of->left_out == 1 ? "it" : "them"));
}

/* Returns a ratio with two digits. */
static double rounded(double ratio) {
  double step = ratio < 10 ? 10 : 1;
  return round(ratio * step) / step;
}

/* Returns the ratio of a type to the one that the layers have: it was measured against float32. */
static etr_ratio ratio_to(const etr_type_ratio *type, const etr_type_ratio *from) {
  if (!from)
    return (etr_ratio){type->low, type->high};
  return (etr_ratio){rounded(type->low / from->high), rounded(type->high / from->low)};
}

/* Finds out how quantizers see the marked linear layers. They look for aten.linear, and torchao's
 * quantize_() for modules of torch.nn.Linear: the layers inside of an LSTM are part of aten.lstm
 * when they look, and a module of one's own may multiply with addmm. Sets *class to the class of
 * most. */
static etr_finding_variant see_layers(const largest *of, const char **class) {
  const etr_finder *finder = of->finder;
  double hidden = 0, others = 0, longest = 0;
  for (uint32_t i = 0; i < finder->graph->node_count; i++) {
    const char *name = of->marked[i] ? etr_finder_module_class(finder, i) : "";
    double ticks = of->marked[i] ? finder->uninterrupted[i] : 0;
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
  if (hidden * 2 > of->ticks)
    return ETR_VARIANT_LAYERS;
  return others * 2 > of->ticks ? ETR_VARIANT_USUAL : ETR_VARIANT_8DA4W;
}

/* Layers in floating point in XNNPACK. */
static bool add_quantize(const largest *of, const char *dtype) {
  etr_finder *finder = of->finder;
  int64_t rows = of->part->has_graph && of->part->is_linear ? rows_of(of) : 0;
  etr_ratio_layer layer = of->part->is_convolution ? ETR_RATIO_CONVOLUTION : ETR_RATIO_LINEAR;
  static const char *const names[] = {[ETR_RATIO_LINEAR_ROW] = "linear layers with one row",
                                      [ETR_RATIO_LINEAR] = "linear layers",
                                      [ETR_RATIO_CONVOLUTION] = "convolutions",
                                      [ETR_RATIO_DEPTHWISE] = "depthwise convolutions"};
  layer = rows == 1 ? ETR_RATIO_LINEAR_ROW : layer;
  const char *class = "";
  bool has_layers = of->part->has_graph && of->part->is_linear;
  etr_finding_variant variant = has_layers ? see_layers(of, &class) : ETR_VARIANT_USUAL;
  const etr_type_ratio *type = etr_best_type(layer);
  if (type && strcmp(type->type, "8da4w") == 0 && has_layers && variant != ETR_VARIANT_8DA4W)
    type = etr_type_named(layer, "int8"); /* 8da4w needs modules of torch.nn.Linear */
  if (!type)
    return true;
  if (strcmp(type->type, "8da4w") != 0 && variant == ETR_VARIANT_8DA4W)
    variant = ETR_VARIANT_USUAL;
  const etr_type_ratio *from = strcmp(dtype, "float16") == 0 ? etr_type_named(layer, "fp16") : NULL;
  const etr_ratio ratio = ratio_to(type, from);
  etr_finding *added = add_lever(of, ETR_FINDING_QUANTIZE, of->ticks * etr_saved_at(ratio.low),
                                 of->ticks * etr_saved_at(ratio.high));
  if (!added)
    return !etr_arena_failed(finder->arena);
  bool is_like = finder->profile->has_vnni;
  added->title = etr_arena_format(finder->arena, "Quantize %s to %s", counted_words(of),
                                  type->type);
  bool has_four_bits = strcmp(type->type, "8da4w") == 0;
  const char *in = has_four_bits ? "" : etr_arena_format(finder->arena, " in %s", dtype);
  added->fact = etr_arena_format(finder->arena, "%s %s%s; %s%s is %g to %g times as fast%s",
                                 etr_they_take(of->count), time_of(of), etr_or_empty(in),
                                 type->type, has_four_bits ? " (4-bit)" : "", ratio.low, ratio.high,
                                 is_like ? " on such processors" : ", measured on x86-64");
  added->evidence = etr_arena_format(
      finder->arena,
      "%s %s in %s. XNNPACK computes %s %g to %g times as fast in %s (%s, " ETR_DOCS
      "ratios.md).%s%s Compare the outputs: " ETR_DOCS "accuracy.md.",
      etr_they_take(of->count), time_of(of), dtype, names[layer], ratio.low, ratio.high, type->type,
      etr_ratio_source(), from ? "" : other_types(of, layer, type->type), left_out_text(of));
  etr_finding_set_sureness(added, is_like ? ETR_LIKELY : ETR_RULE_OF_THUMB,
                           is_like ? "accuracy may suffer"
                                   : "the ratio is of another processor, and accuracy may suffer");
  added->variant = variant;
  if (!of->part->has_graph && of->part->is_linear) /* XNNPACK has one kernel for both */
    added->fact = etr_arena_format(finder->arena,
                                   "%s %s: linear layers, or 1x1 convolutions; %s is %g to %g "
                                   "times as fast%s",
                                   etr_they_take(of->count), time_of(of), type->type, ratio.low,
                                   ratio.high, is_like ? "" : ", measured on x86-64");
  if (variant != ETR_VARIANT_LAYERS)
    return true;
  added->fact = etr_arena_format(
      finder->arena, "%s %s; quantizers see no linear layers in %s: write it with torch.nn.Linear",
      etr_they_take(of->count), time_of(of), class);
  etr_finding_set_sureness(
      added, ETR_POSSIBLE,
      "quantizers look for linear layers, and these are inside of another operator");
  return true;
}

/* Adds the ticks that XNNPACK would save on an operator to two estimates: *low at half of the
 * operator's lower ratio, *high at its upper ratio. Adds nothing if no ratio is known for the
 * operator. */
static void add_saved(etr_slice op, double ticks, double *low, double *high) {
  etr_ratio ratio;
  if (!etr_ratio_of_delegate(&ratio, op))
    return;
  *low += ticks * etr_saved_at(ratio.low / 2);
  *high += ticks * etr_saved_at(ratio.high);
}

/* Sets *taken to the operators that the partitioner's rules do not refuse: all if its rules are not
 * known; and *reason to why it refuses one, or NULL. False when out of memory. */
static bool find_taken(largest *taken, const largest *of, const char **reason) {
  const etr_finder *finder = of->finder;
  const char *known = etr_known_partitioner();
  *taken = *of;
  *reason = NULL;
  if (!of->part->has_graph || !etr_partitioner_is_known(known, finder->graph))
    return true;
  size_t count = finder->graph->node_count;
  const char **reasons = etr_arena_alloc_array(finder->arena, count, sizeof *reasons);
  taken->marked = etr_arena_alloc_array(finder->arena, count, sizeof *taken->marked);
  if (!reasons || !taken->marked ||
      !etr_partition_refusals(reasons, known, finder->graph, of->marked))
    return false;
  for (uint32_t i = 0; i < count; i++) {
    taken->marked[i] = of->marked[i] && !reasons[i];
    if (!of->marked[i] || !reasons[i])
      continue;
    *reason = reasons[i];
    taken->count--;
    taken->ticks -= finder->uninterrupted[i];
  }
  return true;
}

/* Kernels on the CPU for which XNNPACK has faster ones. */
static bool add_delegate(const largest *of) {
  etr_finder *finder = of->finder;
  double low = 0, high = 0;
  for (uint32_t i = 0; of->part->has_graph && i < finder->graph->node_count; i++)
    if (of->marked[i])
      add_saved(finder->ops[i], finder->uninterrupted[i], &low, &high);
  if (!of->part->has_graph) {
    etr_slice op = etr_slice_of(of->part->op);
    const char *dot = memchr(op.data, '.', op.size);
    op.size = dot ? (size_t)(dot - op.data) : op.size;
    add_saved(op, of->ticks, &low, &high);
  }
  double ns = etr_ticks_to_ns(finder->profile, of->ticks);
  if (high <= 0 || ns < ETR_FINDING_LEAST_KERNELS_NS)
    return false;
  etr_finding *added = add_lever(of, ETR_FINDING_DELEGATE, low, high);
  if (!added)
    return true;
  added->title = etr_arena_format(finder->arena, "Delegate %zu %s to XNNPACK", of->count,
                                  words_of(of));
  added->fact = etr_arena_format(finder->arena,
                                 "%s %s as CPU kernels; XNNPACK's are many times as fast on CPUs",
                                 etr_they_take(of->count), time_of(of));
  added->evidence = etr_arena_format(finder->arena,
                                     "%s %s as kernels on the CPU. The saving is at the ratio of "
                                     "XNNPACK's kernels to those of the "
                                     "CPU (%s, " ETR_DOCS "ratios.md), and at half of it.",
                                     etr_they_take(of->count), time_of(of), etr_ratio_source());
  added->caveat = "if these are the portable kernels, and the partitioner takes them";
  return true;
}

static bool add_words(const largest *of, etr_finding_kind kind, const char *title, const char *fact,
                      const char *evidence) {
  etr_finding *added = add_lever(of, kind, NAN, NAN);
  if (!added)
    return !etr_arena_failed(of->finder->arena);
  added->title = title;
  added->fact = fact;
  added->evidence = evidence;
  return true;
}

/* Returns true for convolutions in int8 of which most of the time is in depthwise ones, which int8
 * may make slower. */
static bool are_slow_in_int8(const largest *of) {
  const etr_finder *finder = of->finder;
  double depthwise = 0;
  bool is_int8 = of->part->is_convolution && of->part->dtype &&
                 strcmp(of->part->dtype, "int8") == 0;
  for (uint32_t i = 0; is_int8 && finder->graph && i < finder->graph->node_count; i++)
    if (of->marked[i] && etr_finder_depthwise_weight(finder, &finder->graph->nodes[i]))
      depthwise += finder->uninterrupted[i];
  return depthwise * 2 > of->ticks;
}

/* Returns how operators of this type cost nothing, which others in this record show that the
 * backend fused: "; directly after convolution they are fused and cost nothing (1 here)". "" if
 * none was fused. */
static const char *fused_text(const largest *of) {
  const etr_finder *finder = of->finder;
  size_t fused = 0;
  etr_slice carrier = {"", 0};
  for (uint32_t i = 0;
       of->part->has_graph && of->part->backend && finder->graph && i < finder->graph->node_count;
       i++) {
    uint32_t by = finder->graph->times[i].carried_by;
    if (by == ETR_NONE || strcmp(finder->graph->nodes[i].target, of->part->op) != 0)
      continue;
    fused++;
    carrier = finder->ops[by];
  }
  if (fused == 0 || of->part->is_linear || of->part->is_convolution)
    return "";
  return etr_or_empty(etr_arena_format(
      finder->arena, "; directly after %.*s they are fused and cost nothing (%zu here)",
      (int)carrier.size, carrier.data, fused));
}

/* Returns how the time of layers depends on the input: "; half the height and width: a quarter of
 * it". "" where that is not known. */
static const char *size_text(const largest *of) {
  if (!of->part->has_graph || !of->finder->graph)
    return "";
  if (of->part->is_convolution)
    return "; half the height and width: a quarter of it";
  return of->part->is_linear && rows_of(of) > 1 ? "; half as many rows: half of it" : "";
}

/* What only less work makes faster. reason: why the known partitioner refuses it; NULL: it is not
 * known, or the operators are in a delegate. */
static bool add_less_work(const largest *of, const char *reason) {
  etr_arena *arena = of->finder->arena;
  const char *backend = etr_finder_backend_name(of->finder, etr_known_partitioner());
  bool is_product = of->part->is_linear || of->part->is_convolution;
  const char *why = reason ? etr_arena_format(arena, "; %s: %s", backend, reason) : fused_text(of);
  if (!reason && is_product)
    why = size_text(of);
  const char *evidence = "No faster kernel of them is known for this backend and type.";
  const etr_type_ratio *type = etr_type_named(ETR_RATIO_DEPTHWISE, "int8");
  if (are_slow_in_int8(of) && type) {
    why = "; most of it is depthwise, which may be faster in float32";
    evidence = etr_arena_format(
        arena, "Depthwise convolutions were %g to %g times as fast in int8 as in float32 (%s, %s).",
        type->low, type->high, etr_ratio_source(), ETR_DOCS "ratios.md");
  }
  return add_words(of, ETR_FINDING_LESS_WORK,
                   is_product ? "Use a smaller input, or fewer channels"
                              : etr_arena_format(arena, "Use fewer or smaller %s", words_of(of)),
                   etr_arena_format(arena, "%zu %s%s%s take%s %s%s", of->count,
                                    etr_or_empty(of->part->dtype), of->part->dtype ? " " : "",
                                    words_of(of), of->count == 1 ? "s" : "", time_of(of),
                                    etr_or_empty(why)),
                   evidence);
}

static bool has_kind(const etr_finder *finder, etr_finding_kind kind) {
  for (size_t i = 0; i < finder->found.count; i++)
    if (finder->found.data[i].kind == kind)
      return true;
  return false;
}

/* Returns true for a kernel or an operator of a delegate that moves or converts data. */
static bool only_moves(const char *kernel) {
  return strncmp(kernel, "Transpose", 9) == 0 || strncmp(kernel, "Convert", 7) == 0 ||
         etr_kernel_only_copies(kernel);
}

/* Returns true for XNNPACK's name of a depthwise convolution: "Convolution (NHWC, F32) DWConv". */
static bool is_depthwise_kernel(const char *kernel) {
  return kernel && strstr(kernel, " DWConv");
}

/* The next step that the state of some operators allows. */
static bool add_for_operators(const largest *of) {
  const etr_headline_part *part = of->part;
  bool is_float = is_floating(part->dtype);
  bool is_layer = part->is_linear || part->is_convolution;
  bool is_xnnpack = part->backend &&
                    (strcmp(part->backend, etr_known_partitioner()) == 0 ||
                     (!part->has_graph && strcmp(part->backend, ETR_UNKNOWN_BACKEND) == 0));
  if (is_layer && is_float && is_xnnpack && of->count)
    return add_quantize(of, part->dtype);
  bool is_told = !part->has_graph && has_kind(of->finder, ETR_FINDING_NOT_DELEGATED);
  if (!part->backend && is_told)
    return true;
  bool has_copies = has_kind(of->finder, ETR_FINDING_LAYOUT) ||
                    has_kind(of->finder, ETR_FINDING_COPIES);
  if (!part->has_graph && has_copies && only_moves(part->op))
    return true;
  largest taken = *of;
  const char *reason = NULL;
  if (!part->backend && !find_taken(&taken, of, &reason))
    return false;
  if (!part->backend && (taken.count || !part->has_graph) && add_delegate(&taken))
    return !etr_arena_failed(of->finder->arena);
  bool has_library = !part->backend && part->op && has_kind(of->finder, ETR_FINDING_LIBRARY) &&
                     etr_is_optimized(etr_label_op(part->op));
  return (!of->is_first && !reason) || has_library || add_less_work(of, reason);
}

/* The next step for time in delegates that record no operators. */
static bool add_for_opaque(const largest *of) {
  etr_finder *finder = of->finder;
  bool is_computing = of->part->kind == ETR_HEADLINE_PHASE && of->part->phase == ETR_PHASE_COMPUTE;
  etr_delegates_time inside;
  if (of->part->kind == ETR_HEADLINE_COPIES && has_kind(finder, ETR_FINDING_LAYOUT))
    return true;
  if (has_kind(finder, ETR_FINDING_WAITING) || has_kind(finder, ETR_FINDING_PROFILER) ||
      has_kind(finder, ETR_FINDING_LESS_WORK))
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
  const char *fact = etr_arena_format(finder->arena, "%s are in %s%s", time_of(of),
                                      inside.ticks ? inside.where : "events that are not known",
                                      is_computing ? "" : see);
  return add_words(
      of, is_computing ? ETR_FINDING_LESS_WORK : ETR_FINDING_PROFILER,
      is_computing ? "Use a smaller input, or fewer channels" : "See what is in each delegate",
      fact, is_computing ? "docs/backends.md says what each backend can record." : evidence);
}

/* Adds the question why calls take much longer than usual. */
static bool add_slow_calls(const largest *of) {
  etr_finder *finder = of->finder;
  enum { FEW_RUNS = 3 }; /* of fewer, a first run is much of the typical one */
  bool are_few = finder->method->run_count < FEW_RUNS;
  const char *each = etr_finder_time_text(finder, of->ticks / (double)of->count);
  etr_finding *added = add_lever(of, ETR_FINDING_MORE_PER_CALL, NAN, NAN);
  if (!added)
    return !etr_arena_failed(finder->arena);
  added->variant = ETR_VARIANT_SLOW_CALLS;
  added->title = etr_arena_format(finder->arena, "See why calling %zu delegate%s takes %s",
                                  of->count, etr_plural(of->count), time_of(of));
  added->fact = etr_arena_format(
      finder->arena, "%s a call besides its operators, where 10 us is usual: %s", each,
      are_few ? "a first run allocates memory, so record 20 runs"
              : "threads that sleep, new shapes, or other work of the device");
  added->evidence = etr_arena_format(
      finder->arena,
      "Calling takes %s each, besides what is recorded of their operators; 3 to 10 us are usual. "
      "A first run allocates memory and starts threads. In later runs threads that slept, shapes "
      "that change, operators that the backend does not record, and other work of the device do.",
      each);
  etr_finding_set_sureness(added, ETR_POSSIBLE, "no event says what the calls did in this time");
  return true;
}

/* The next step for calls of delegates that nothing cuts apart: what a call consists of. */
static bool add_for_calls(const largest *of) {
  etr_finder *finder = of->finder;
  size_t count = of->part->count;
  const char *each = etr_finder_time_text(finder, of->ticks / (double)ETR_MAX(count, (size_t)1));
  const char *up_to = of->part->low < of->part->high ? "up to " : ""; /* a clock hides something */
  const char *what = "to pass inputs and outputs, start the backend, and write the ETDump";
  const char *fact = count > 1 ? etr_arena_format(finder->arena, "%zu calls take %s%s each %s",
                                                  count, up_to, each, what)
                               : etr_arena_format(finder->arena, "its call takes %s%s %s", up_to,
                                                  each, what);
  return add_words(
      of, ETR_FINDING_MORE_PER_CALL, "Do more work in each call of a delegate", fact,
      "This time does not grow with the operators' work: a batch, a larger model, or fewer "
      "delegates spread it over more. A release does not write an ETDump, and so takes less: "
      "compare the time of an inference without one.");
}

/* The next step for time that is in no operators. */
static bool add_for_rest(const largest *of) {
  etr_finder *finder = of->finder;
  bool is_call = of->part->kind == ETR_HEADLINE_CALLS;
  bool is_told = has_kind(finder, ETR_FINDING_FALLBACK) ||
                 has_kind(finder, ETR_FINDING_SMALL_CALLS);
  if (of->part->kind != ETR_HEADLINE_RUNTIME && !is_call)
    return add_for_opaque(of);
  if (is_call && is_told)
    return true;
  double ns = etr_ticks_to_ns(finder->profile, of->ticks);
  bool is_slow = ns >= ETR_FINDING_SLOW_CALL_NS * (double)of->count && of->count &&
                 !finder->profile->takes_cycles_as_ns;
  if (is_call)
    return is_slow ? add_slow_calls(of) : add_for_calls(of);
  if (!of->is_first)
    return true;
  return add_words(
      of, ETR_FINDING_MORE_PER_CALL, "Do more work in each inference",
      etr_arena_format(finder->arena, "%s are the runtime, outside operators", time_of(of)),
      "A batch, a larger model, or fewer and larger operators spread this time over more work. "
      "Recording takes a part of it, too, which a release does not do.");
}

/* Adds the lever of one part of the time, unless another finding says what to do about it. */
static bool add_for_part(etr_finder *finder, const etr_groups *groups,
                         const etr_headline_part *part, bool is_first) {
  largest of = {.finder = finder,
                .part = part,
                .count = part->count,
                .ticks = part->ticks,
                .is_first = is_first};
  size_t nodes = finder->graph ? finder->graph->node_count : 0;
  of.marked = etr_arena_alloc_array(finder->arena, nodes, sizeof *of.marked);
  of.depthwise = etr_arena_alloc_array(finder->arena, nodes, sizeof *of.depthwise);
  if (!of.marked || !of.depthwise)
    return false;
  if (part->kind == ETR_HEADLINE_KERNELS)
    return true; /* fallback, library and copies say what to do about many small kernels */
  if (part->kind != ETR_HEADLINE_OPERATORS)
    return add_for_rest(&of);
  if (!part->has_graph && is_depthwise_kernel(part->op)) /* other types make it slower */
    return !is_first || add_less_work(&of, NULL);
  if (part->has_graph) {
    of.count = 0;
    mark_operators(&of, groups);
    if (part->is_convolution && part->backend && is_floating(part->dtype))
      leave_out_depthwise(&of);
    if (of.count == 0) { /* all are depthwise: only less work makes them faster */
      mark_operators(&of, groups);
      return !is_first || is_said(&of) || add_less_work(&of, NULL);
    }
    if (is_said(&of))
      return true;
  }
  return add_for_operators(&of);
}

bool etr_add_lever_findings(etr_finder *finder) {
  etr_headline headline;
  if (!etr_headline_make(&headline, finder->arena, finder->profile, finder->method, finder->groups,
                         finder->unit))
    return false;
  for (size_t i = 0; i < headline.count; i++)
    if (!add_for_part(finder, finder->groups, &headline.parts[i], i == 0))
      return false;
  return !etr_arena_failed(finder->arena);
}
