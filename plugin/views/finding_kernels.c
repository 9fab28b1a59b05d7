/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_kernels.c - findings about kernels by their names alone, for dumps without an Edge graph:
 * what a delegate or another library could take, what only moves data, what one run slows down.
 */
#include "base/method_parts.h"
#include "base/natural.h"
#include "output/label.h"
#include "views/balance.h"
#include "views/finder.h"
#include "views/finding_rules.h"
#include "views/kernel_ratio.h"
#include "views/kernels.h"

#include <math.h>

enum { LISTED = 4 };

/* The kernels outside delegates that a finding is about. */
typedef struct chosen_kernels {
  size_t events;
  uint64_t ticks;     /* over all runs */
  double least, most; /* ticks that another library saves of them */
  etr_text text;      /* "52 convolution.out 25.7 ms, 11 add.out 0.031 ms" */
  etr_writer writer;
  size_t listed, others; /* kinds of kernels */
} chosen_kernels;

/* Begins a list of kernels for a finding. */
static void begin_kernel_list(chosen_kernels *chosen, const etr_finder *finder) {
  *chosen = (chosen_kernels){0};
  etr_text_begin(&chosen->text, finder->arena, &chosen->writer);
}

/* Adds a kind of kernel to those of a finding. The text lists the first LISTED of them, and counts
 * the others. ticks: of all its events, over all runs. */
static void add_kernel(chosen_kernels *chosen, const etr_finder *finder, const etr_kernel_row *row,
                       uint64_t ticks) {
  chosen->events += row->event_count;
  chosen->ticks += ticks;
  if (chosen->listed == LISTED) {
    chosen->others++;
    return;
  }
  etr_putf(&chosen->writer, "%s%zu %s %s", chosen->listed ? ", " : "", row->event_count,
           etr_label_kernel(row->kernel), etr_finder_time_per_run(finder, ticks));
  chosen->listed++;
}

/* Ends the list, and returns its text; "" when out of memory. */
static const char *end_kernel_list(chosen_kernels *chosen) {
  if (chosen->others)
    etr_putf(&chosen->writer, ", %zu other kind%s", chosen->others, etr_plural(chosen->others));
  return etr_or_empty(etr_text_end(&chosen->text, &chosen->writer));
}

/* Returns the ticks of a kernel over all runs, if each is like the typical one without
 * interruptions. row: its index in kernels->rows. */
static uint64_t uninterrupted_kernel_ticks(const etr_finder *finder, const etr_kernels *kernels,
                                           size_t row) {
  const etr_method *method = finder->method;
  const etr_kernel_row *kernel = &kernels->rows[row];
  double typical = kernels->stats[kernel->number].typical;
  for (size_t i = 0; i < method->time_slice_count; i++) {
    const etr_time_slice *slice = &method->time_slices[i];
    double interrupted = etr_slice_interrupted(method, i);
    if (interrupted > 0 && etr_time_slice_is_work(slice) &&
        strcmp(etr_time_slice_kernel(slice), kernel->kernel) == 0 &&
        strcmp(etr_or_empty(etr_time_slice_backend(slice)), etr_or_empty(kernel->backend)) == 0)
      typical -= interrupted;
  }
  return etr_finder_over_runs(finder, fmax(typical, 0));
}

/* Returns the name of a kernel's operator, "softmax" for "_softmax.out". */
static etr_slice kernel_operator(const char *kernel) {
  etr_slice name = etr_slice_of(etr_label_kernel(kernel));
  while (name.size > 1 && name.data[0] == '_')
    name = (etr_slice){name.data + 1, name.size - 1};
  name.size = strcspn(name.data, ".");
  return name;
}

/* ---- What a delegate or another library could take ---- */

/* Returns true if the known partitioner could take kernels: on a processor with an operating system
 * (others count cycles), and if no other backend was used. */
static bool could_be_delegated(const etr_finder *finder, const char *partitioner) {
  if (finder->profile->takes_cycles_as_ns)
    return false;
  for (size_t i = 0; i < finder->method->part_count; i++) {
    const char *backend = finder->method->parts[i].backend;
    if (backend && strcmp(backend, partitioner) != 0 && strcmp(backend, ETR_UNKNOWN_BACKEND) != 0)
      return false;
  }
  return true;
}

/* Returns true if the method has delegates, so that a partitioner has seen its other operators. */
static bool has_delegates(const etr_method *method) {
  for (size_t i = 0; i < method->part_count; i++)
    if (method->parts[i].backend)
      return true;
  return false;
}

/* Adds what a delegate saves of a kernel to the chosen ones' `least` and `most`: at half of the
 * operator's lowest measured ratio, as a margin, and at its highest. The least is 0 if the
 * optimized library has the kernel, since that may have been linked. Without a ratio it may save
 * all. ticks: of the kernel, over all runs. */
static void add_delegate_savings(chosen_kernels *chosen, const char *kernel, uint64_t ticks) {
  etr_ratio ratio;
  etr_slice op = kernel_operator(kernel);
  bool is_known = etr_ratio_of_delegate(&ratio, op, NULL);
  chosen->most += (double)ticks * (is_known ? etr_saved_at(ratio.high) : 1);
  if (is_known && !etr_is_optimized(op))
    chosen->least += (double)ticks * etr_saved_at(ratio.low / 2);
}

/* Adds the finding that a partitioner takes operators which ran as kernels, if they take enough
 * time. If it has left them beside delegates, it is not known that anything can be saved.
 * partitioner: its backend, "XnnpackBackend", shown as "XnnpackPartitioner"; kernel_count: of all
 * kernels; optimized_ticks: of the taken ones that an optimized library has, over all runs, or 0
 * not to name it. Returns false when out of memory. */
static bool add_not_delegated_finding(etr_finder *finder, const char *partitioner,
                                      chosen_kernels *taken, size_t kernel_count,
                                      uint64_t optimized_ticks) {
  const char *list = end_kernel_list(taken);
  if (etr_finder_ns_per_run(finder, taken->ticks) < ETR_FINDING_LEAST_KERNELS_NS)
    return true;
  etr_finding *added = etr_finder_add_if_large(finder, ETR_FINDING_NOT_DELEGATED, taken->ticks,
                                               taken->most);
  if (!added)
    return !etr_arena_failed(finder->arena);
  bool is_left = has_delegates(finder->method);
  const char *label = etr_label_backend(finder->arena, partitioner);
  added->title = etr_arena_format(finder->arena, "Delegate %zu kernel%s to %s", taken->events,
                                  etr_plural(taken->events), label ? label : "");
  if (is_left) {
    added->variant = ETR_VARIANT_LEFT;
    added->fact = etr_arena_format(
        finder->arena, "a partitioner left them, %s: by type or shape, or a computed weight",
        etr_finder_time_per_run(finder, taken->ticks));
  } else {
    etr_finding_set_least_saving(finder, added, taken->least);
    added->fact = etr_arena_format(
        finder->arena, "%.*sPartitioner takes operators of the types of %zu of %zu kernels, %s",
        (int)(strlen(partitioner) - strlen("Backend")), partitioner, taken->events, kernel_count,
        etr_finder_time_per_run(finder, taken->ticks));
  }
  added->evidence = etr_arena_format(
      finder->arena, "%s %s, and its partitioner takes operators of these types: %s.%s%s%s%s",
      etr_they_take(taken->events), etr_finder_time_per_run(finder, taken->ticks), list,
      is_left ? " A partitioner has left them, as there are delegates beside them: by their types "
                "or shapes, or since a weight is computed, as by weight_norm, which "
                "constant_prop_pass makes constant at the export."
              : "",
      optimized_ticks ? " Without a delegate, link " : "",
      optimized_ticks ? etr_optimized_library : "",
      optimized_ticks ? etr_arena_format(finder->arena, ": it has %s of it.",
                                         etr_finder_time_per_run(finder, optimized_ticks))
                      : "");
  etr_finding_set_sureness(added, ETR_POSSIBLE,
                           finder->graph
                               ? "with the ETRecord its rules for types and shapes are checked, "
                                 "and the delegate needs time, too"
                               : "types and shapes decide, which no ETDump has, and the "
                                 "delegate needs time, too");
  return true;
}

/* Adds the finding that an optimized library has faster kernels, if they take enough time. What it
 * saves is not known (NAN). Returns false when out of memory. */
static bool add_library_finding(etr_finder *finder, chosen_kernels *kernels) {
  const char *list = end_kernel_list(kernels);
  if (etr_finder_ns_per_run(finder, kernels->ticks) < ETR_FINDING_LEAST_KERNELS_NS)
    return true;
  etr_finding *added = etr_finder_add_if_large(finder, ETR_FINDING_LIBRARY, kernels->ticks, NAN);
  if (!added)
    return !etr_arena_failed(finder->arena);
  added->title = "Link the optimized CPU kernels";
  added->fact = etr_arena_format(
      finder->arena, "if not linked yet: %s has faster ones for %zu kernel%s of %s",
      etr_optimized_library, kernels->events, etr_plural(kernels->events),
      etr_finder_time_per_run(finder, kernels->ticks));
  added->evidence = etr_arena_format(finder->arena,
                                     "It has faster kernels than the portable library: %s.", list);
  etr_finding_set_sureness(added, ETR_POSSIBLE, "which library ran is not recorded");
  return true;
}

/* Returns true if most kernels of a row are between delegates, and part of the finding about what
 * cuts these apart. joined: the numbers of its kernels, by name. */
static bool is_joined(const etr_map *joined, const etr_kernel_row *row) {
  uint32_t count = etr_map_get(joined, etr_slice_of(etr_label_kernel(row->kernel)));
  return !row->backend && count != ETR_NONE && (size_t)count * 2 > row->event_count;
}

/* Adds the findings about kernels that a known partitioner takes, and about others that an
 * optimized library has. The library is also named for the kernels that the partitioner takes, if
 * it has more than half of their time. joined: see is_joined(). Returns false when out of memory.
 */
static bool add_delegable_findings(etr_finder *finder, const etr_kernels *kernels,
                                   const etr_map *joined) {
  const char *partitioner = etr_known_partitioner();
  chosen_kernels taken, other;
  uint64_t optimized_ticks = 0;
  size_t kernel_count = 0;
  if (!partitioner || !could_be_delegated(finder, partitioner))
    return true;
  begin_kernel_list(&taken, finder);
  begin_kernel_list(&other, finder);
  for (size_t i = 0; i < kernels->count; i++) {
    const etr_kernel_row *row = &kernels->rows[i];
    uint64_t ticks = uninterrupted_kernel_ticks(finder, kernels, i);
    bool has_library = !row->backend && etr_is_optimized(kernel_operator(row->kernel));
    bool is_taken = !row->backend && !is_joined(joined, row) &&
                    etr_partitioner_takes_kernel(partitioner, etr_label_kernel(row->kernel));
    kernel_count += row->backend ? 0 : row->event_count;
    if (is_taken) {
      add_kernel(&taken, finder, row, ticks);
      add_delegate_savings(&taken, row->kernel, ticks);
    }
    if (is_taken && has_library)
      optimized_ticks += ticks;
    if (has_library && !is_taken)
      add_kernel(&other, finder, row, ticks);
  }
  bool is_much = optimized_ticks * 2 > taken.ticks;
  return add_not_delegated_finding(finder, partitioner, &taken, kernel_count,
                                   is_much ? optimized_ticks : 0) &&
         add_library_finding(finder, &other);
}

/* ---- Copies ---- */

/* Returns how many products of matrices an inference computes: bmm kernels, and XNNPACK's in
 * delegates. */
static size_t count_products(const etr_kernels *kernels) {
  size_t count = 0;
  for (size_t i = 0; i < kernels->count; i++) {
    const etr_kernel_row *row = &kernels->rows[i];
    etr_slice name = row->backend ? etr_slice_of(row->kernel) : kernel_operator(row->kernel);
    bool is_product = row->backend ? etr_slice_starts(name, ETR_SLICE("Batch Matrix Multiply"))
                                   : etr_slice_is(name, "bmm");
    count += is_product ? row->event_count : 0;
  }
  return count;
}

/* Returns how many kernels of a row may be expands that torch.export splits matmul into, two and a
 * bmm; 0 if these would be fewer than half. */
static size_t count_of_matmul(const etr_kernels *kernels, const etr_kernel_row *row) {
  if (!etr_slice_is(kernel_operator(row->kernel), "expand_copy"))
    return 0;
  size_t most = ETR_MIN(row->event_count, 2 * count_products(kernels));
  return most * 2 >= row->event_count ? most : 0;
}

/* Adds a finding for each kind of kernel outside delegates that only copies, if it takes enough
 * time; others are passed over, and so are joined ones, unless a pass removes them: see
 * is_joined(). What avoiding them saves is not known (NAN). Returns false when out of memory. */
static bool add_copy_kernel_findings(etr_finder *finder, const etr_kernels *kernels,
                                     const etr_map *joined) {
  for (size_t i = 0; i < kernels->count; i++) {
    const etr_kernel_row *row = &kernels->rows[i];
    const char *name = etr_label_kernel(row->kernel);
    uint64_t ticks = uninterrupted_kernel_ticks(finder, kernels, i);
    size_t of_matmul = row->backend ? 0 : count_of_matmul(kernels, row);
    bool is_told = is_joined(joined, row) && !of_matmul;
    if (row->backend || !etr_kernel_only_copies(name) || is_told)
      continue;
    etr_finding *added = etr_finder_add_if_large(finder, ETR_FINDING_COPIES, ticks, NAN);
    if (!added)
      continue;
    added->variant = ETR_VARIANT_MOVES;
    added->title = etr_arena_format(finder->arena, "Avoid %zu %s", row->event_count, name);
    added->fact = etr_arena_format(finder->arena, "%s %s to move data",
                                   etr_they_take(row->event_count),
                                   etr_finder_time_per_run(finder, ticks));
    added->evidence = etr_arena_format(
        finder->arena, "%s %s. With the ETRecord or the .pte, it is known between which operators.",
        etr_they_take(row->event_count), etr_finder_time_per_run(finder, ticks));
    etr_finding_set_sureness(added, ETR_POSSIBLE, "the model may need some of them");
    if (!of_matmul)
      continue;
    added->variant = ETR_VARIANT_EXPORT;
    added->fact = etr_arena_format(
        finder->arena,
        "perhaps %sof matmul, which torch splits into two of these and a bmm: see how",
        of_matmul < row->event_count ? "most " : "");
    added->evidence = etr_arena_format(
        finder->arena,
        "%s Those that torch makes of matmul return what they read, and a pass of the lowering "
        "removes them.",
        etr_or_empty(added->evidence));
  }
  return !etr_arena_failed(finder->arena);
}

/* ---- Events that one run makes look slow ---- */

/* A run in which an event took much longer than usual. */
typedef struct outlier {
  const etr_event *event; /* NULL: there is none */
  uint64_t ticks, excess; /* in that run; beyond the median */
  uint32_t run;
} outlier;

/* Returns true for an event that computes: a kernel, or an operator in a delegate whose time
 * counts. */
static bool is_kernel_or_operator(const etr_event *event) {
  bool is_kernel = event->kind == ETR_EVENT_KERNEL;
  return is_kernel || (event->kind == ETR_EVENT_DELEGATE_OPERATOR && event->is_in_sums &&
                       event->role == ETR_ROLE_OPERATOR);
}

/* Returns the run in which an event took longest, if it took more than ETR_FINDING_OUTLIER_FACTOR
 * times the median; else an empty outlier. A cold first run does not count. Events that occur
 * several times in a run, or in few runs, have none. */
static outlier find_outlier(const etr_finder *finder, const etr_block *block,
                            const etr_event *event) {
  outlier longest = {0};
  bool is_once = event->sample_count == block->run_count;
  if (!is_kernel_or_operator(event) || !is_once || event->sample_count < ETR_FINDING_LEAST_RUNS ||
      event->stats.p50 <= 0)
    return longest;
  for (size_t i = 0; i < event->sample_count; i++) {
    bool is_cold = event->sample_runs[i] == finder->method->runs[0] &&
                   finder->method->skipped_run_count == 0;
    uint64_t ticks = event->durations[i];
    if (!is_cold && ticks > longest.ticks)
      longest = (outlier){.event = event,
                          .ticks = ticks,
                          .excess = ticks - (uint64_t)event->stats.p50,
                          .run = event->sample_runs[i]};
  }
  bool stands_out = (double)longest.ticks > ETR_FINDING_OUTLIER_FACTOR * event->stats.p50;
  return stands_out ? longest : (outlier){0};
}

/* Adds the finding about operators that took over ten times their median in one run. What they took
 * beyond their medians was lost once, and not in each inference, so it is no share of that. Returns
 * false when out of memory. */
static bool add_outlier_event_finding(etr_finder *finder) {
  const etr_method *method = finder->method;
  outlier worst = {0};
  size_t count = 0;
  uint64_t ticks = 0;
  for (size_t block_index = 0; block_index < method->block_count; block_index++) {
    const etr_block *block = &finder->profile->blocks[method->blocks[block_index]];
    for (size_t i = 0; i < block->event_count; i++) {
      outlier found = find_outlier(finder, block, &block->events[i]);
      count += found.event != NULL;
      ticks += found.excess;
      if (found.excess > worst.excess)
        worst = found;
    }
  }
  etr_finding *added = worst.event
                           ? etr_finder_add_if_large(finder, ETR_FINDING_OUTLIER, ticks, NAN)
                           : NULL;
  if (!added)
    return !etr_arena_failed(finder->arena);
  added->cost = added->potential = (double)ticks;
  added->share = NAN;
  added->is_once = true;
  added->title = "Measure again without other load";
  added->fact = etr_arena_format(finder->arena, "%zu operator%s median in one run", count,
                                 count == 1 ? " took over ten times its"
                                            : "s took over ten times their");
  added->evidence = etr_arena_format(
      finder->arena, "Worst: %s took %s in run %u; its median is %s, its average %s.",
      etr_label_kernel(worst.event->label), etr_finder_time_text(finder, (double)worst.ticks),
      (unsigned)worst.run, etr_finder_time_text(finder, worst.event->stats.p50),
      etr_finder_time_text(finder, worst.event->stats.avg));
  etr_finding_set_sureness(added, ETR_LIKELY, "an interruption, which averages contain");
  return !etr_arena_failed(finder->arena);
}

/* ---- All ---- */

/* Adds the findings about kernels by their names. With an Edge graph there are none, because other
 * rules know more then. Returns false when out of memory. */
bool etr_add_kernel_findings(etr_finder *finder) {
  etr_kernels kernels;
  etr_map joined;
  if (etr_finder_has_edge(finder))
    return true;
  etr_map_init(&joined, finder->arena);
  if (!etr_kernels_make(&kernels, finder->arena, finder->profile, finder->method))
    return false;
  const char *partitioner = etr_known_partitioner();
  bool may_be_joined = !finder->graph && partitioner && could_be_delegated(finder, partitioner);
  if (may_be_joined && !etr_add_order_finding(finder, partitioner, &joined))
    return false;
  if (!add_delegable_findings(finder, &kernels, &joined))
    return false;
  /* A program's graph has copies and outliers by node. */
  return finder->graph ||
         (add_copy_kernel_findings(finder, &kernels, &joined) && add_outlier_event_finding(finder));
}

/* ---- Where most of the time of delegates is, if it is on no node ---- */

/* Returns the part of the time of delegates on no node that is largest over all runs. NULL if there
 * is none. */
static const etr_part_time *largest_delegate_part(const etr_finder *finder) {
  const etr_part_time *largest = NULL;
  for (size_t i = 0; i < finder->method->part_count; i++) {
    const etr_part_time *part = &finder->method->parts[i];
    if (etr_broad_part_of(part) == ETR_BROAD_DELEGATES &&
        (!largest || part->ticks > largest->ticks))
      largest = part;
  }
  return largest;
}

/* Returns true if more than half of the time of a backend's delegates in phases is computing. */
static bool is_computing(const etr_finder *finder, const char *backend) {
  uint64_t computing_ticks = 0, all_ticks = 0;
  for (size_t i = 0; i < finder->method->time_slice_count; i++) {
    const etr_time_slice *slice = &finder->method->time_slices[i];
    bool is_of_backend = slice->part == ETR_TIME_DELEGATE_PHASES && slice->event->backend &&
                         strcmp(slice->event->backend, backend) == 0;
    all_ticks += is_of_backend ? slice->ticks : 0;
    computing_ticks += is_of_backend && slice->phase == ETR_PHASE_COMPUTE ? slice->ticks : 0;
  }
  return computing_ticks * 2 > all_ticks;
}

bool etr_find_time_of_delegates(const etr_finder *finder, etr_delegates_time *out) {
  const etr_part_time *part = largest_delegate_part(finder);
  *out = (etr_delegates_time){0};
  if (!part)
    return true;
  etr_arena *arena = finder->arena;
  bool is_known = part->backend && strcmp(part->backend, ETR_UNKNOWN_BACKEND) != 0;
  const char *label = is_known ? etr_label_backend(arena, part->backend) : "delegates";
  if (!label)
    return false;
  out->ticks = part->ticks;
  switch (part->part) {
  case ETR_TIME_CALL_OVERHEAD:
    out->where = "calls of delegates, around their operators";
    break;
  case ETR_TIME_OPAQUE:
    out->where = etr_arena_format(arena, "%s, which %s no operators", label,
                                  is_known ? "records" : "record");
    break;
  case ETR_TIME_DELEGATE_PHASES:
    if (is_computing(finder, etr_or_empty(part->backend)))
      out->where = etr_arena_format(arena, "%s, mostly computing", label);
    else
      out->where = etr_arena_format(arena, "%s, mostly copying and waiting", label);
    break;
  case ETR_TIME_INSERTED:
    out->where = etr_arena_format(arena, "copies that %s inserted", label);
    break;
  default:
    out->where = etr_arena_format(arena, "operators of %s without a node in the graph", label);
    break;
  }
  return !etr_arena_failed(arena);
}
