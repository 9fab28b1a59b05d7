/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_partition.c - findings about what is not delegated: kernels between delegates, which cut
 * them apart; kernels that a partitioner would take, perhaps if they are rewritten; kernels that an
 * optimized library has.
 */
#include "base/method_parts.h"
#include "base/stats.h"
#include "output/label.h"
#include "views/delegation.h"
#include "views/finder.h"
#include "views/finding_rules.h"
#include "views/kernel_ratio.h"
#include "views/phases.h"
#include "views/softmax_check.h"

#include <stdlib.h>

/* ---- What a partitioner could do with a graph ---- */

/* Which nodes of a graph are in delegates of one backend, and which could be. */
typedef struct partition {
  etr_finder *finder;
  const char *backend;
  const char **reasons; /* per node outside delegates: why its partitioner leaves it out; NULL: the
                           rules are not known */
  bool *is_inside;      /* per node: in one of its delegates, or a call of one */
  bool *is_between;     /* per node: outside delegates; depends on some, and some depend on it */
  bool *is_check;       /* per node: a softmax without a check for masked rows does without it */
  bool *is_candidate;   /* per node: delegates are counted as if they had it, too */
  uint32_t *level;      /* per node, see count_levels() */
  size_t delegates;     /* of the backend */
  const etr_finding *removal; /* see leave_to_removal(); NULL: none */
  bool is_order; /* the graph is the order of execution of an ETDump alone: see order_finder */
  etr_inner_transposes inner; /* at ends of delegates that may be joined */
  bool has_convolutions;      /* is_order: in delegates */
} partition;

static bool is_getitem(const etr_node *node) {
  return strcmp(node->target, "_operator.getitem") == 0;
}

/* Returns the node whose result a getitem selects from, which is where the getitem is, too; another
 * node itself. */
static uint32_t behind_getitems(const partition *p, uint32_t node) {
  const etr_graph *graph = p->finder->graph;
  while (is_getitem(&graph->nodes[node]) && graph->nodes[node].input_count && !p->is_inside[node] &&
         graph->nodes[node].inputs[0].node < node)
    node = graph->nodes[node].inputs[0].node;
  return node;
}

/* Returns true if a node is in a delegate of the backend, or would be if it ran the candidates,
 * too. only_target: only candidates of this operator count; NULL: all. */
static bool is_in_delegate(const partition *p, uint32_t node, const char *only_target) {
  node = behind_getitems(p, node);
  const char *target = p->finder->graph->nodes[node].target;
  bool is_counted = p->is_candidate[node] && (!only_target || strcmp(target, only_target) == 0);
  return p->is_inside[node] || is_counted;
}

/* Returns the number of delegates that the backend needs at least, if it also ran the candidates,
 * or only those of one operator. The level of a node counts how often a path to it leaves
 * delegates. Nodes of one level can be one delegate: a path between two of them never leaves it.
 * Nodes of different levels cannot, because an operator outside delegates lies between some of
 * them. */
static size_t count_levels(const partition *p, const char *only_target) {
  const etr_graph *graph = p->finder->graph;
  uint32_t most = 0;
  size_t count = 0;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    bool is_in = is_in_delegate(p, i, only_target);
    p->level[i] = 0;
    for (size_t k = 0; k < graph->nodes[i].input_count; k++) {
      uint32_t input = graph->nodes[i].inputs[k].node;
      if (input < i)
        p->level[i] = ETR_MAX(p->level[i],
                              p->level[input] + (!is_in && is_in_delegate(p, input, only_target)));
    }
    if (is_in)
      most = ETR_MAX(most, p->level[i]);
  }
  bool *is_used = etr_arena_alloc_array(p->finder->arena, (size_t)most + 1, sizeof *is_used);
  for (uint32_t i = 0; is_used && i < graph->node_count; i++) {
    if (!is_in_delegate(p, i, only_target) || is_used[p->level[i]])
      continue;
    is_used[p->level[i]] = true;
    count++;
  }
  return count;
}

/* Returns how many of the backend's delegates remain if it also runs the candidates, or only those
 * of one operator. levels_now: count_levels() without candidates. There may be more delegates than
 * levels now, for reasons that the graph does not show, so only the difference is subtracted. */
static size_t count_remaining_delegates(const partition *p, size_t levels_now,
                                        const char *only_target) {
  size_t levels = count_levels(p, only_target);
  if (levels_now <= levels)
    return p->delegates;
  return p->delegates - ETR_MIN(levels_now - levels, p->delegates - 1);
}

static bool is_in_backend(const etr_finder *finder, uint32_t node, const char *backend) {
  uint32_t delegate = finder->delegate_of[node];
  return delegate != ETR_NONE && strcmp(finder->method->delegates[delegate].backend, backend) == 0;
}

/* Returns true for a branch or a loop, which runs in the program: no backend takes it. */
static bool is_control_flow(const etr_node *node) {
  return strncmp(node->target, "higher_order.", 13) == 0;
}

/* Sets is_between: of operators outside delegates that read, directly or not, the result of a
 * delegate of the backend, and whose result such a delegate reads. Others than views that did not
 * run are not in the program. It takes one pass forwards and one backwards, because nodes are in
 * execution order. Returns false when out of memory. */
static bool find_between(partition *p) {
  const etr_graph *graph = p->finder->graph;
  bool *depends = etr_arena_alloc_array(p->finder->arena, graph->node_count, sizeof *depends);
  bool *is_needed = etr_arena_alloc_array(p->finder->arena, graph->node_count, sizeof *is_needed);
  if (!depends || !is_needed)
    return false;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    if (p->finder->delegate_of[i] != ETR_NONE)
      continue;
    for (size_t k = 0; k < graph->nodes[i].input_count; k++) {
      uint32_t input = graph->nodes[i].inputs[k].node;
      depends[i] |= p->is_inside[input] || depends[input];
    }
  }
  for (uint32_t i = (uint32_t)graph->node_count; i-- > 0;)
    for (size_t k = 0; k < graph->nodes[i].input_count; k++) {
      uint32_t input = graph->nodes[i].inputs[k].node;
      bool is_outside = p->finder->delegate_of[input] == ETR_NONE;
      is_needed[input] |= is_outside && (p->is_inside[i] || is_needed[i]);
    }
  for (uint32_t i = 0; i < graph->node_count; i++)
    p->is_between[i] = (p->finder->is_kernel[i] || etr_is_view(&graph->nodes[i]) ||
                        is_getitem(&graph->nodes[i])) &&
                       depends[i] && is_needed[i] && !p->finder->is_constant[i] &&
                       !is_control_flow(&graph->nodes[i]);
  return true;
}

/* Sets *p to what a backend does with the graph: which operators it has, which it refuses and why
 * (NULL if the rules of its partitioner are not known), and which are between its delegates. How
 * many softmax checks there are does not matter here. Returns false when out of memory. */
static bool make_partition(partition *p, etr_finder *finder, const char *backend) {
  size_t count = finder->graph->node_count;
  etr_arena *arena = finder->arena;
  *p = (partition){.finder = finder,
                   .backend = backend,
                   .reasons = etr_arena_alloc_array(arena, count, sizeof *p->reasons),
                   .is_inside = etr_arena_alloc_array(arena, count, sizeof *p->is_inside),
                   .is_between = etr_arena_alloc_array(arena, count, sizeof *p->is_between),
                   .is_check = etr_arena_alloc_array(arena, count, sizeof *p->is_check),
                   .is_candidate = etr_arena_alloc_array(arena, count, sizeof *p->is_candidate),
                   .level = etr_arena_alloc_array(arena, count, sizeof *p->level)};
  if (!p->reasons || !p->is_inside || !p->is_between || !p->is_check || !p->is_candidate ||
      !p->level)
    return false;
  bool *is_outside = etr_arena_alloc_array(arena, count, sizeof *is_outside);
  if (!is_outside)
    return false;
  for (uint32_t i = 0; i < count; i++) {
    p->is_inside[i] = is_in_backend(finder, i, backend);
    is_outside[i] = finder->delegate_of[i] == ETR_NONE && !finder->is_constant[i] &&
                    !is_control_flow(&finder->graph->nodes[i]);
  }
  (void)etr_mark_softmax_checks(finder, p->is_check);
  for (size_t i = 0; i < finder->method->delegate_count; i++)
    p->delegates += strcmp(finder->method->delegates[i].backend, backend) == 0;
  if (!etr_partitioner_is_known(backend, finder->graph))
    p->reasons = NULL;
  else if (!etr_partition_refusals(p->reasons, backend, finder->graph, is_outside))
    return false;
  return find_between(p);
}

/* ---- Kernels between delegates ---- */

/* What torch adds to an adaptive_avg_pool2d of a channels-last image. */
#define POOL "as_strided_copy"

/* Returns true for an operator that need not stay a kernel: the partitioner takes it, other
 * operators that it takes do the same, or it does nothing. With a partitioner whose rules are not
 * known, all operators count as such. A reason has what to write instead behind a colon. */
static bool is_removable(const partition *p, uint32_t node) {
  const char *reason = p->reasons ? p->reasons[node] : NULL;
  return p->is_check[node] || !reason || strchr(reason, ':') != NULL ||
         etr_finder_changes_nothing(p->finder, &p->finder->graph->nodes[node]);
}

/* Kernels of one operator that the partitioner leaves out for one reason, or takes. */
typedef struct kernel_kind {
  const char *target, *reason; /* reason NULL: the partitioner takes them */
  uint64_t ticks;
  size_t nodes;
  bool is_removable;
} kernel_kind;

/* Compares kinds of kernels for qsort(): by time, the longest first, then by number. */
static int by_ticks(const void *a, const void *b) {
  const kernel_kind *x = a, *y = b;
  if (x->ticks != y->ticks)
    return x->ticks < y->ticks ? 1 : -1;
  if (x->nodes != y->nodes)
    return x->nodes < y->nodes ? 1 : -1;
  return strcmp(x->target, y->target);
}

enum {
  MOST_KINDS = 256
}; /* targets and reasons that are told apart; the others are added to the last */

static const char check_reason[] =
    "goes with a plain softmax, which does not look for rows that are masked whole";

/* Lists the operators between delegates by kind, with their number and ticks over all runs, the
 * longest first. Equal reasons are the same static text, so their addresses are compared. Further
 * kinds than MOST_KINDS are added to the last one. Returns NULL when out of memory. */
static kernel_kind *list_kernels_between(const partition *p, size_t *count) {
  kernel_kind *list = etr_arena_alloc_array(p->finder->arena, MOST_KINDS, sizeof *list);
  *count = 0;
  for (uint32_t i = 0; list && i < p->finder->graph->node_count; i++) {
    const etr_node *node = &p->finder->graph->nodes[i];
    if (!p->is_between[i] || is_getitem(node))
      continue;
    const char *reason = p->reasons ? p->reasons[i] : NULL;
    if (p->is_check[i])
      reason = check_reason;
    size_t kind = 0;
    bool can_be_removed = is_removable(p, i);
    while (kind < *count &&
           (list[kind].reason != reason || list[kind].is_removable != can_be_removed ||
            strcmp(list[kind].target, node->target) != 0))
      kind++;
    if (kind == *count && kind < MOST_KINDS)
      list[(*count)++] = (kernel_kind){
          .target = node->target, .reason = reason, .is_removable = can_be_removed};
    kind = ETR_MIN(kind, (size_t)MOST_KINDS - 1);
    list[kind].ticks += etr_finder_kernel_ticks(p->finder, i);
    list[kind].nodes++;
  }
  if (list)
    etr_sort(list, *count, sizeof *list, by_ticks);
  return list;
}

/* The overhead of the backend's calls, over all runs. */
typedef struct overhead {
  uint64_t ticks;
  uint64_t hidden; /* the part that may be operator time, because their clock is coarse, or logging
                      of values */
  size_t calls;
} overhead;

/* Returns what calling a delegate takes over all runs: the ticks around operators and of copies,
 * and how many of these a coarse clock may hide of operators. None if its operators are not
 * recorded: all of it may be work. */
static overhead overhead_of(const etr_delegate_spending *spent) {
  overhead of = {.calls = spent->calls};
  if (spent->operators == 0)
    return of;
  of.hidden = ETR_MIN(spent->hidden, spent->ticks[ETR_SPENT_AROUND]);
  of.ticks = spent->ticks[ETR_SPENT_AROUND] + spent->ticks[ETR_SPENT_COPY];
  return of;
}

/* Returns the sum of overhead_of() of the backend's delegates. */
static overhead sum_overhead(const partition *p) {
  overhead sum = {0};
  for (size_t i = 0; i < p->finder->method->delegate_count; i++) {
    const etr_delegate_spending *spent = &p->finder->delegates[i];
    if (strcmp(spent->delegate->backend, p->backend) != 0)
      continue;
    overhead of = overhead_of(spent);
    sum.calls += of.calls;
    sum.hidden += of.hidden;
    sum.ticks += of.ticks;
  }
  return sum;
}

/* Adds to *out what calling takes less if `after` of the backend's delegates remain. A call takes
 * longer the more operators it has, and a joined one has them all. So of each call that goes at
 * least what the cheapest takes is saved; and at most the sum of those that could go, without the
 * longest, which stays part of a joined one, or as many times the mean if that is less. Returns
 * false when out of memory. */
static bool add_merged_calls(const partition *p, size_t after, etr_merged_calls *out) {
  const overhead around = sum_overhead(p);
  size_t count = 0, gone = p->delegates - after;
  double *ticks = etr_arena_alloc_array(p->finder->arena, p->finder->method->delegate_count,
                                        sizeof *ticks);
  double least = INFINITY, most = 0;
  out->before += p->delegates;
  out->after += after;
  for (size_t i = 0; ticks && i < p->finder->method->delegate_count; i++) {
    const etr_delegate_spending *spent = &p->finder->delegates[i];
    if (strcmp(spent->delegate->backend, p->backend) != 0)
      continue;
    overhead of = overhead_of(spent);
    ticks[count++] = (double)of.ticks;
    least = fmin(least, (double)(of.ticks - of.hidden));
    double each = (double)of.ticks / (double)ETR_MAX(of.calls, (size_t)1);
    if (each > 0 && (out->longest <= 0 || each < out->shortest))
      out->shortest = each;
    out->longest = fmax(out->longest, each);
  }
  if (!ticks || gone == 0)
    return ticks != NULL;
  etr_sort(ticks, count, sizeof *ticks, etr_by_double);
  for (size_t i = count - 1 - gone; i + 1 < count; i++)
    most += ticks[i];
  most = fmin(most, (double)around.ticks * (double)gone / (double)count);
  out->most += most;
  out->least += fmin(least * (double)gone, most);
  return true;
}

/* Returns ticks as "0.02 ms to 0.46 ms"; "up to 0.46 ms" from 0 on, and one time if both are equal.
 */
static const char *range_text(const etr_finder *finder, double low, double high) {
  const char *from = etr_finder_time_text(finder, low), *to = etr_finder_time_text(finder, high);
  if (low <= 0)
    return etr_or_empty(etr_arena_format(finder->arena, "up to %s", to));
  if (strcmp(from, to) == 0)
    return to;
  return etr_or_empty(etr_arena_format(finder->arena, "%s to %s", from, to));
}

/* Writes "64 aten.expand_copy.default (0.162 ms, without them 50 delegates remain): no
 * configuration." for the first kinds of kernels between delegates. levels: count_levels() without
 * candidates. */
static void put_kernels_between(etr_writer *writer, const partition *p, const kernel_kind *list,
                                size_t count, size_t levels) {
  enum { LISTED = 4 };
  if (p->reasons)
    etr_putf(writer, " What the rules of the partitioner (ExecuTorch 1.5) say:");
  for (size_t i = 0; i < count && i < LISTED; i++) {
    etr_putf(writer, "%s %zu %s (%s", i ? ";" : "", list[i].nodes, list[i].target,
             etr_finder_time_per_run(p->finder, list[i].ticks));
    size_t remaining = count > 1 ? count_remaining_delegates(p, levels, list[i].target)
                                 : p->delegates;
    if (remaining < p->delegates)
      etr_putf(writer, "; without them %zu delegates remain", remaining);
    etr_puts(writer, ")");
    const char *taken =
        p->is_order ? "its types or shapes decide, which no ETDump has, or a computed weight"
                    : "takes them by these rules; its log (verbose=True) says why it did not";
    if (p->reasons)
      etr_putf(writer, ": %s", list[i].reason ? list[i].reason : taken);
  }
  if (count > LISTED)
    etr_putf(writer, "; %zu other kind%s", count - LISTED, etr_plural(count - LISTED));
  etr_puts(writer, ".");
  if (!p->reasons)
    etr_putf(writer, " What the partitioner of %s takes is not known here.", p->backend);
}

/* What lies between the delegates of a backend. */
typedef struct between {
  size_t operators, removable;     /* all, and those that need not stay kernels */
  size_t needless;                 /* of these, those that return what they read */
  uint64_t ticks, removable_ticks; /* over all runs */
  bool is_replaced; /* for some of those what is written instead is deducted by a general rule */
} between;

/* Returns sentences on how much time the operators between delegates take, how much calling the
 * delegates takes (if fewer would remain, and that is a hundredth of the time or more), and why the
 * operators are there. levels: count_levels() without candidates; after: delegates that would
 * remain. NULL when out of memory. */
static const char *fallback_evidence(const partition *p, const between *b,
                                     const etr_merged_calls *merged, size_t levels) {
  const overhead around = sum_overhead(p);
  size_t count;
  const kernel_kind *list = list_kernels_between(p, &count);
  etr_text text;
  etr_writer writer;
  if (!list)
    return NULL;
  etr_text_begin(&text, p->finder->arena, &writer);
  if (p->removal)
    etr_putf(&writer, "Counted is what is left after the change: %s. ",
             etr_or_empty(p->removal->title));
  etr_putf(&writer, "%zu operator%s between them take%s %s", b->operators, etr_plural(b->operators),
           b->operators == 1 ? "s" : "", etr_finder_time_per_run(p->finder, b->ticks));
  bool matters = (double)around.ticks >= ETR_FINDING_LEAST_SHARE *
                                             p->finder->method->execute.typical *
                                             (double)p->finder->method->run_count;
  if (merged->after < merged->before && matters) {
    etr_putf(&writer, ", and calling them %zu times takes %s, %s each",
             around.calls / p->finder->method->run_count,
             etr_finder_time_per_run(p->finder, around.ticks),
             range_text(p->finder, merged->shortest, merged->longest));
    if (p->finder->method->logs_values)
      etr_puts(&writer, " (with logging of values: what calls take without it is not known)");
    else if (around.hidden)
      etr_putf(&writer, " (up to %s of it may be operator time, because their clock is coarse)",
               etr_finder_time_per_run(p->finder, around.hidden));
  }
  etr_puts(&writer, ".");
  if (b->removable < b->operators)
    etr_putf(&writer, " %zu of them, %s, can go; the others stay, and are not counted.",
             b->removable, etr_finder_time_per_run(p->finder, b->removable_ticks));
  put_kernels_between(&writer, p, list, count, levels);
  if (p->inner.count)
    etr_putf(&writer, " %zu Transpose %s, %s, may go, too.", p->inner.count,
             p->is_order ? "of delegates between the first and the last one" : "at their ends",
             etr_finder_time_per_run(p->finder, p->inner.ticks));
  if (p->is_order)
    etr_puts(&writer, " The backend is taken for XNNPACK by the names of its kernels.");
  if (p->reasons && b->is_replaced)
    etr_puts(&writer, " What is written instead of those that XNNPACK's kernels were not compared "
                      "with is taken to need a tenth to half of their time.");
  return etr_text_end(&text, &writer);
}

/* Returns "Join 82 XNNPACK delegates into one" if fewer would remain, or else "Have XNNPACK run 14
 * more operators". after: delegates that would remain. */
static const char *fallback_title(const partition *p, size_t operators, size_t after) {
  const char *name = etr_finder_backend_name(p->finder, p->backend);
  if (after == p->delegates)
    return etr_arena_format(p->finder->arena, "Have %s run %zu more operator%s", name, operators,
                            etr_plural(operators));
  if (after == 1)
    return etr_arena_format(p->finder->arena, "Join %zu %s delegates into one", p->delegates, name);
  return etr_arena_format(p->finder->arena, "Join %zu %s delegates into %zu", p->delegates, name,
                          after);
}

/* Returns "GRU" if at least half of the operators between delegates are of one: a user wrote that,
 * and none of its operators. NULL otherwise. */
static const char *recurrent_class_between(const partition *p) {
  size_t count = 0, inside = 0;
  const char *found = NULL;
  for (uint32_t i = 0; i < p->finder->graph->node_count; i++) {
    if (!p->is_between[i] || is_getitem(&p->finder->graph->nodes[i]))
      continue;
    const char *name = etr_finder_module_class(p->finder, i);
    bool is_inside = etr_is_recurrent(name);
    found = is_inside ? name : found;
    inside += is_inside;
    count++;
  }
  return inside * 2 >= count ? found : NULL;
}

/* Returns how many operators check softmaxes for rows that are masked whole. */
static size_t count_checks(const kernel_kind *list, size_t count) {
  size_t checks = 0;
  for (size_t i = 0; i < count; i++)
    checks += list[i].reason == check_reason ? list[i].nodes : 0;
  return checks;
}

/* Returns which operators lie between the delegates: "rewrite 8 where and 4 pow between them; 50
 * native_layer_norm stay", or "64 expand_copy, 33 mean and 2 others are between them" if the
 * partitioner's rules are not known. NULL when out of memory. */
static const char *fallback_fact(const partition *p, const between *b) {
  /* Kinds, and characters: of them all, or beside "and 3 others", so that it fits in a line. */
  enum { LISTED = 3, ROOM = 56, ROOM_BESIDE = 42 };
  static const char plain[] = "a plain softmax in attention; ";
  size_t count, named = 0, used = 0, operators = b->removable, shown = 0;
  const kernel_kind *list = list_kernels_between(p, &count);
  etr_text text;
  etr_writer writer;
  if (!list)
    return NULL;
  if (count == 1 && p->reasons && strstr(list[0].target, POOL))
    return etr_arena_format(p->finder->arena,
                            "%zu " POOL " between them: write adaptive_avg_pool2d as "
                            "mean((2, 3), keepdim=True)",
                            operators);
  etr_text_begin(&text, p->finder->arena, &writer);
  const char *recurrent = recurrent_class_between(p);
  /* With a graph, these checks have a finding of their own. */
  size_t checks = p->is_order ? count_checks(list, count) : 0;
  operators -= checks;
  used = checks ? sizeof plain - 1 : 0;
  if (checks)
    etr_puts(&writer, plain);
  if (recurrent)
    etr_putf(&writer, "the steps of %s, ", recurrent);
  else if (p->reasons && operators)
    etr_puts(&writer, b->needless == operators ? "remove " : "rewrite ");
  for (size_t i = 0; i < count && shown < LISTED; i++) {
    if (!list[i].is_removable || (checks && list[i].reason == check_reason))
      continue;
    const char *op = etr_finder_short_op(p->finder, list[i].target);
    used += strlen(op) + 4; /* with a number and a comma */
    bool is_last = named + list[i].nodes == operators;
    if (shown && used > (is_last ? ROOM : ROOM_BESIDE))
      break;
    named += list[i].nodes;
    const char *before = named == operators ? " and " : ", ";
    etr_putf(&writer, "%s%zu %s", shown ? before : "", list[i].nodes, op);
    shown++;
  }
  if (operators > named)
    etr_putf(&writer, " and %zu other%s", operators - named, etr_plural(operators - named));
  size_t stay = b->operators - b->removable;
  if (recurrent)
    etr_puts(&writer, ", lie between them");
  else if (!p->reasons)
    etr_puts(&writer, operators == 1 ? " is between them" : " are between them");
  else
    etr_puts(&writer, operators ? " between them" : "no check for masked rows");
  for (size_t i = 0; i < count && stay; i++) { /* the longest kind that stays */
    if (list[i].is_removable)
      continue;
    etr_putf(&writer, "; %zu %s", list[i].nodes, etr_finder_short_op(p->finder, list[i].target));
    if (stay > list[i].nodes)
      etr_putf(&writer, " and %zu other%s", stay - list[i].nodes, etr_plural(stay - list[i].nodes));
    etr_puts(&writer, stay == 1 ? " stays" : " stay");
    stay = 0;
  }
  return etr_text_end(&text, &writer);
}

/* A rule of the partitioner that leaves out an operator, and how to write that so that it is taken.
 */
typedef struct rewrite {
  const char *op, *rule; /* rule: a part of the partitioner's reason */
  etr_finding_variant variant;
  const char *action, *object; /* of the title, before and behind the number of operators */
  const char *how;             /* as a sentence goes on behind "XNNPACK takes it" */
  const char *caveat;
} rewrite;

static const rewrite rewrites[] = {
    {"softmax", "(SoftmaxConfig)", ETR_VARIANT_SOFTMAX, "Write", "softmax over the last dimension",
     "in three dimensions, with dim -1", "what transposes and its softmax take is not known"},
    {"mean", "(MeanDimConfig)", ETR_VARIANT_MEANS, "Keep the dimensions of", "mean",
     "with keepdim=True, and a flatten behind", "at the ratio of its kernels to those of the CPU"},
    {"avg_pool2d", "count_include_pad", ETR_VARIANT_PADDED, "Pad before", "avg_pool2d",
     "without padding of its own", "padding before it takes time, too"},
};

/* Returns true for a mean of an image in four dimensions. */
static bool is_of_image(const partition *p, uint32_t node) {
  const etr_value *image = etr_finder_first_input(p->finder->graph, &p->finder->graph->nodes[node]);
  return p->is_order ? p->has_convolutions : image && image->rank == 4;
}

/* Returns true for a mean that keeps the first two dimensions of an image alone. */
static bool drops_height_and_width(const partition *p, uint32_t node) {
  const etr_node *mean = &p->finder->graph->nodes[node];
  const etr_value *in = etr_finder_first_input(p->finder->graph, mean);
  const etr_value *out = mean->output_count ? &mean->outputs[0] : NULL;
  return in && out && in->rank == 4 && out->rank == 2 && in->dims[0].size == out->dims[0].size &&
         in->dims[1].size == out->dims[1].size;
}

/* Returns true if the partitioner takes an operator that is rewritten so. */
static bool is_rewritten_by(const partition *p, uint32_t node, const rewrite *how) {
  const char *reason = p->reasons[node];
  return reason && etr_slice_equal(p->finder->ops[node], etr_slice_of(how->op)) &&
         strstr(reason, how->rule) &&
         (how->variant != ETR_VARIANT_MEANS || drops_height_and_width(p, node));
}

/* Returns true for a sum over the height and width of an image. */
static bool is_sum_of_image(const partition *p, uint32_t node) {
  const char *reason = p->reasons[node];
  return etr_slice_is(p->finder->ops[node], "sum") && reason && strstr(reason, "height and width");
}

/* Returns the variant of the finding, which has code for splits of a tensor, for means and sums
 * over the height and width of images, and for pools, if these are among the candidates. An ETDump
 * alone may have images if it has convolutions. */
static etr_finding_variant fallback_variant(const partition *p) {
  const etr_graph *graph = p->finder->graph;
  bool has_split = false, has_mean = false, has_softmax = false, has_pool = false;
  bool is_padded = false;
  uint64_t of_means = 0, of_sums = 0; /* ticks over all runs */
  for (uint32_t i = 0; i < graph->node_count; i++) {
    if (!p->is_candidate[i] || !p->reasons)
      continue;
    const uint64_t ticks = etr_finder_kernel_ticks(p->finder, i);
    of_means += etr_slice_is(p->finder->ops[i], "mean") ? ticks : 0;
    of_sums += is_sum_of_image(p, i) ? ticks : 0;
    has_split |= etr_slice_starts(p->finder->ops[i], ETR_SLICE("split_"));
    has_mean |= etr_slice_is(p->finder->ops[i], "mean") && is_of_image(p, i);
    has_softmax |= is_rewritten_by(p, i, &rewrites[0]);
    is_padded |= is_rewritten_by(p, i, &rewrites[2]);
    has_pool |= etr_slice_is(p->finder->ops[i], POOL);
  }
  if (has_split)
    return has_mean ? ETR_VARIANT_SPLITS_MEANS : ETR_VARIANT_SPLITS;
  if (of_sums > of_means)
    return ETR_VARIANT_SUMS;
  if (has_mean)
    return ETR_VARIANT_MEANS;
  if (is_padded)
    return ETR_VARIANT_PADDED;
  if (has_softmax)
    return ETR_VARIANT_SOFTMAX;
  return has_pool ? ETR_VARIANT_POOLS : ETR_VARIANT_USUAL;
}

/* Sets the instructions of a finding to those that call the backend's delegates, ascending. Returns
 * false when out of memory. */
static bool set_delegate_calls(const partition *p, etr_finding *finding) {
  const etr_method *method = p->finder->method;
  int32_t *list = etr_arena_alloc_array(p->finder->arena, method->delegate_count, sizeof *list);
  for (size_t i = 0; list && i < method->delegate_count; i++)
    if (strcmp(method->delegates[i].backend, p->backend) == 0)
      list[finding->instruction_count++] = method->delegates[i].instruction_id;
  finding->instructions = list;
  return list != NULL;
}

/* What it saves if kernels are removed or delegated, in ticks over all runs. */
typedef struct saving {
  double least, most;
  bool is_replaced; /* see between.is_replaced */
} saving;

/* Adds what the backend saves of the marked kernels, in ticks over all runs, to *saved. Operators
 * that it takes still do their work, at the ratio of its kernels, and at least at half of that.
 * Copies that change nothing, also of pools, and a softmax's check for masked rows are saved whole.
 * What replaces the others takes a tenth to half of their time (is_replaced): that was measured of
 * `where` and of a mean. */
static void add_saved_kernels(const partition *p, const bool *marked, saving *saved) {
  const etr_finder *finder = p->finder;
  for (uint32_t i = 0; i < finder->graph->node_count; i++) {
    if (!marked[i] || is_getitem(&finder->graph->nodes[i]))
      continue;
    double ticks = (double)etr_finder_kernel_ticks(finder, i);
    etr_ratio ratio;
    bool is_known = etr_ratio_of_delegate(&ratio, finder->ops[i], &finder->graph->nodes[i]);
    bool is_needless = p->is_check[i] || etr_slice_is(finder->ops[i], POOL) ||
                       etr_finder_changes_nothing(finder, &finder->graph->nodes[i]);
    if (is_needless) {
      saved->least += ticks;
      saved->most += ticks;
      continue;
    }
    saved->is_replaced |= !is_known;
    saved->least += ticks * (is_known ? etr_saved_at(ratio.low / 2) : 0.5);
    saved->most += ticks * (is_known ? etr_saved_at(ratio.high) : 0.9);
  }
}

/* Returns the ticks, over all runs, of kernels whose results only the operators between delegates
 * read, directly or not, such as a mask: without these operators, they may not be needed. It goes
 * backwards so that the readers of a node are known before it. 0 when out of memory. */
static uint64_t ticks_only_read_between(const partition *p) {
  const etr_finder *finder = p->finder;
  const etr_graph *graph = finder->graph;
  bool *is_read = etr_arena_alloc_array(finder->arena, graph->node_count, sizeof *is_read);
  bool *is_read_else = etr_arena_alloc_array(finder->arena, graph->node_count, sizeof *is_read);
  uint64_t ticks = 0;
  for (uint32_t i = (uint32_t)graph->node_count; is_read && is_read_else && i-- > 0;) {
    bool is_before = is_read[i] && !is_read_else[i] && finder->is_kernel[i] &&
                     !finder->is_constant[i] && !p->is_between[i];
    ticks += is_before ? etr_finder_kernel_ticks(finder, i) : 0;
    bool *is_read_by = is_before || p->is_between[i] ? is_read : is_read_else;
    for (size_t k = 0; k < graph->nodes[i].input_count; k++)
      is_read_by[graph->nodes[i].inputs[k].node] = true;
  }
  return ticks;
}

/* Returns the number and time of the operators between delegates, and marks those that need not
 * stay kernels as candidates. */
static between sum_between(partition *p) {
  between b = {0};
  for (uint32_t i = 0; i < p->finder->graph->node_count; i++) {
    p->is_candidate[i] = p->is_between[i] && is_removable(p, i);
    if (!p->is_between[i] || is_getitem(&p->finder->graph->nodes[i]))
      continue;
    uint64_t ticks = etr_finder_kernel_ticks(p->finder, i);
    b.operators++;
    b.ticks += ticks;
    b.removable += p->is_candidate[i];
    b.needless += etr_finder_changes_nothing(p->finder, &p->finder->graph->nodes[i]);
    b.removable_ticks += p->is_candidate[i] ? ticks : 0;
  }
  return b;
}

/* Returns what to compare where delegates become one: a softmax in four dimensions may get behind
 * a convolution there (etr_xnn_find_misread()). "" if there is none. */
static const char *joined_softmax_text(const partition *p) {
  const etr_graph *graph = p->finder->graph;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    if (etr_slice_is(p->finder->ops[i], "softmax") && node->output_count &&
        node->outputs[0].rank == 4)
      return " Behind a convolution in one delegate XNNPACK computes a softmax in four dimensions "
             "over channels, which is wrong: give it three, and compare outputs (" ETR_DOCS
             "findings.md#wrong-softmax).";
  }
  return "";
}

/* Adds the finding about operators that run on the CPU between the delegates of the backend, if
 * some need not (sum_between() makes these candidates). It saves their kernels, and the overhead of
 * the delegates that become one if all candidates go, whatever their operator (NULL). As many
 * delegates become one as there are fewer levels then: operators of one level can be in one
 * delegate. Returns false when out of memory. */
static bool add_fallback_finding(partition *p) {
  etr_finder *finder = p->finder;
  size_t levels = count_levels(p, NULL); /* nothing is a candidate yet */
  between b = sum_between(p);
  if (b.removable == 0 || p->delegates < 2)
    return true;
  size_t after = count_remaining_delegates(p, levels, NULL);
  if (p->is_order && after == p->delegates)
    return true; /* the types and shapes decide, of which nothing is known */
  etr_merged_calls merged = {0};
  if (!add_merged_calls(p, after, &merged))
    return false;
  saving saved = {.least = merged.least, .most = merged.most};
  if (b.removable == b.operators)
    saved.most += (double)ticks_only_read_between(p);
  saved.most += (double)(p->delegates - after) / (double)p->delegates * (double)p->inner.ticks;
  add_saved_kernels(p, p->is_candidate, &saved);
  b.is_replaced = saved.is_replaced;
  /* Nothing says what a partitioner takes whose rules are not known. */
  etr_finding *added = etr_finder_add_if_large(
      finder, ETR_FINDING_FALLBACK, b.removable_ticks + sum_overhead(p).ticks + p->inner.ticks,
      p->reasons ? saved.most : NAN);
  if (!added)
    return !etr_arena_failed(finder->arena);
  added->title = fallback_title(p, b.removable, after);
  added->fact = fallback_fact(p, &b);
  added->evidence = etr_arena_format(finder->arena, "%s%s",
                                     etr_or_empty(fallback_evidence(p, &b, &merged, levels)),
                                     after < p->delegates ? joined_softmax_text(p) : "");
  added->variant = fallback_variant(p);
  if (p->reasons && !p->is_order)
    etr_finding_set_least_saving(finder, added, saved.least);
  etr_finding_set_sureness(added, ETR_POSSIBLE,
                           p->is_order
                               ? "if all of them can go; which of them reads what is not known"
                               : "if all of them can go; the backend still has to compute what it "
                                 "takes");
  if (after < p->delegates && !set_delegate_calls(p, added))
    return false;
  return p->is_order || etr_finding_set_nodes(finder, added, p->is_candidate);
}

/* ---- Calls that go with operators between delegates ---- */

/* Returns true if no delegate before this one is of its backend. */
static bool is_first_of_backend(const etr_method *method, size_t delegate) {
  for (size_t i = 0; i < delegate; i++)
    if (strcmp(method->delegates[i].backend, method->delegates[delegate].backend) == 0)
      return false;
  return true;
}

bool etr_find_merged_calls(etr_finder *finder, const bool *marked, etr_merged_calls *out) {
  const etr_method *method = finder->method;
  partition p;
  *out = (etr_merged_calls){0};
  for (size_t i = 0; i < method->delegate_count; i++) {
    if (!is_first_of_backend(method, i))
      continue;
    if (!make_partition(&p, finder, method->delegates[i].backend))
      return false;
    /* Without candidates so far, then with the marked nodes as candidates (NULL: of any operator).
     */
    size_t levels = count_levels(&p, NULL);
    memcpy(p.is_candidate, marked, finder->graph->node_count * sizeof *marked);
    if (!add_merged_calls(&p, count_remaining_delegates(&p, levels, NULL), out))
      return false;
  }
  if (out->after == out->before)
    return true;
  out->transposes_share = (double)(out->before - out->after) / (double)out->before;
  return etr_find_inner_transposes(&out->transposes, finder);
}

const char *etr_with_merged_calls(const etr_finder *finder, const char *text,
                                  const etr_merged_calls *merged) {
  if (merged->after == merged->before)
    return text;
  double runs = (double)finder->method->run_count;
  text = etr_arena_format(finder->arena, "%s Without them %zu of %zu delegates would remain",
                          etr_or_empty(text), merged->after, merged->before);
  if (merged->transposes.count)
    text = etr_arena_format(finder->arena, "%s, and %zu Transpose at their ends, %s, may go, too",
                            etr_or_empty(text), merged->transposes.count,
                            etr_finder_time_per_run(finder, merged->transposes.ticks));
  if (merged->most <= 0)
    return etr_arena_format(finder->arena, "%s.", etr_or_empty(text));
  return etr_arena_format(finder->arena, "%s: calls take %s each, and %s less in all.",
                          etr_or_empty(text), range_text(finder, merged->shortest, merged->longest),
                          range_text(finder, merged->least / runs, merged->most / runs));
}

/* ---- Kernels that the partitioner takes ---- */

/* Operators that ExecuTorch's optimized library has: what the one of ExecuTorch 1.5.1 exports as
 * opt_add_out and so on. */
bool etr_is_optimized(etr_slice op) {
  static const char *const names[] = {"add",     "bmm",    "div",
                                      "elu",     "exp",    "fft_c2r",
                                      "fft_r2c", "gelu",   "grid_sampler_2d",
                                      "le",      "linear", "log_softmax",
                                      "mm",      "mul",    "native_layer_norm",
                                      "sub",     "sum",    "where"};
  for (size_t i = 0; i < ETR_COUNT(names); i++)
    if (etr_slice_equal(op, etr_slice_of(names[i])))
      return true;
  return false;
}

const char etr_optimized_library[] = "optimized_native_cpu_ops_lib";

/* Returns what one more call of the backend takes, in ticks: as its calls in this record do, less
 * what a coarse clock may hide of operators; ETR_FINDING_DELEGATE_CALL_NS if it has none. */
static double ticks_per_call(const partition *p) {
  const overhead around = sum_overhead(p);
  double measured = (double)(around.ticks - ETR_MIN(around.hidden, around.ticks));
  if (around.calls && measured > 0)
    return measured / (double)around.calls;
  return ETR_FINDING_DELEGATE_CALL_NS / etr_ticks_to_ns(p->finder->profile, 1);
}

/* Adds the finding that a backend takes operators which ran as kernels, if that saves more than the
 * calls of the delegates take that this adds, with everything that its partitioner takes as
 * candidates (NULL: of any operator). ticks: of the marked operators, over all runs, with the calls
 * around kernels (true). optimized: the part of these ticks that is of operators in the optimized
 * library. Returns false when out of memory. */
static bool add_not_delegated_finding(partition *p, const bool *marked, uint64_t ticks,
                                      uint64_t optimized) {
  etr_finder *finder = p->finder;
  for (uint32_t i = 0; i < finder->graph->node_count; i++)
    p->is_candidate[i] = finder->graph->nodes[i].kind == ETR_NODE_OP && !p->reasons[i] &&
                         finder->delegate_of[i] == ETR_NONE && !finder->is_constant[i];
  size_t delegates = count_levels(p, NULL);
  size_t more = delegates > p->delegates ? delegates - p->delegates : 0;
  double each = ticks_per_call(p);
  double calls = (double)more * each * (double)finder->method->run_count;
  saving saved = {.least = -calls, .most = -calls};
  add_saved_kernels(p, marked, &saved);
  if (saved.most <= 0)
    return true;
  etr_finding *added = etr_finder_add_if_large(finder, ETR_FINDING_NOT_DELEGATED, ticks,
                                               saved.most);
  if (!added)
    return !etr_arena_failed(finder->arena);
  if (!etr_finding_set_nodes(finder, added, marked))
    return false;
  added->title = etr_arena_format(finder->arena, "Delegate %zu operator%s to %s", added->node_count,
                                  etr_plural(added->node_count),
                                  etr_finder_backend_name(finder, p->backend));
  added->fact = etr_arena_format(
      finder->arena, "%s %s as kernels on the CPU, and its partitioner takes them",
      etr_they_take(added->node_count), etr_finder_time_per_run(finder, ticks));
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, finder->arena, &writer);
  etr_putf(&writer,
           "%s %s, and the partitioner takes that by its rules, in %zu delegate%s at least: %s.",
           etr_they_take(added->node_count), etr_finder_time_per_run(finder, ticks), delegates,
           etr_plural(delegates), etr_finder_operators_text(finder, marked, true));
  if (optimized * 2 > ticks && !finder->profile->has_optimized_kernels)
    etr_putf(&writer, " Without a delegate, link %s: it has %s of it.", etr_optimized_library,
             etr_finder_time_per_run(finder, optimized));
  added->evidence = etr_text_end(&text, &writer);
  etr_finding_set_sureness(
      added, ETR_LIKELY,
      etr_arena_format(finder->arena,
                       "at the ratio of its kernels to those of the CPU (" ETR_DOCS
                       "ratios.md), less %s for each of %zu call%s more",
                       etr_finder_time_text(finder, each), more, etr_plural(more)));
  etr_finding_set_least_saving(finder, added, saved.least);
  return true;
}

/* Adds the finding that an optimized library has faster kernels for the marked operators. What it
 * saves is not known (NAN). ticks: of these operators, over all runs, with the calls around kernels
 * (true). Returns false when out of memory. */
static bool add_library_finding(etr_finder *finder, const bool *marked, uint64_t ticks) {
  etr_finding *added = etr_finder_add_if_large(finder, ETR_FINDING_LIBRARY, ticks, NAN);
  if (!added)
    return !etr_arena_failed(finder->arena);
  if (!etr_finding_set_nodes(finder, added, marked))
    return false;
  added->title = "Link the optimized CPU kernels";
  added->fact = etr_arena_format(
      finder->arena, "if not linked yet: %s has faster ones for %zu operator%s of %s",
      etr_optimized_library, added->node_count, etr_plural(added->node_count),
      etr_finder_time_per_run(finder, ticks));
  added->evidence = etr_arena_format(finder->arena,
                                     "It has faster kernels than the portable library: %s.",
                                     etr_finder_operators_text(finder, marked, true));
  etr_finding_set_sureness(added, ETR_POSSIBLE, "which library ran is not recorded");
  return true;
}

/* Adds the findings about kernels that the partitioner takes, apart from those between delegates,
 * which have a finding of their own, and about others that an optimized library has. Returns false
 * when out of memory. */
static bool add_kernel_findings(partition *p) {
  etr_finder *finder = p->finder;
  size_t count = finder->graph->node_count;
  uint64_t taken = 0, optimized = 0, library_ticks = 0;
  bool *is_accepted = etr_arena_alloc_array(finder->arena, count, sizeof *is_accepted);
  bool *is_in_library = etr_arena_alloc_array(finder->arena, count, sizeof *is_in_library);
  if (!is_accepted || !is_in_library)
    return false;
  for (uint32_t i = 0; i < count; i++) {
    if (!finder->is_kernel[i] || finder->is_constant[i])
      continue;
    uint64_t ticks = etr_finder_kernel_ticks(finder, i);
    is_accepted[i] = p->reasons && !p->reasons[i] && !p->is_between[i] &&
                     !is_getitem(&finder->graph->nodes[i]);
    bool has_library = etr_is_optimized(finder->ops[i]);
    is_in_library[i] = !is_accepted[i] && has_library;
    if (is_accepted[i])
      taken += ticks;
    if (has_library && is_accepted[i])
      optimized += ticks;
    if (is_in_library[i])
      library_ticks += ticks;
  }
  if (etr_finder_ns_per_run(finder, taken) >= ETR_FINDING_LEAST_KERNELS_NS &&
      !add_not_delegated_finding(p, is_accepted, taken, optimized))
    return false;
  return finder->profile->has_optimized_kernels ||
         etr_finder_ns_per_run(finder, library_ticks) < ETR_FINDING_LEAST_KERNELS_NS ||
         add_library_finding(finder, is_in_library, library_ticks);
}

/* ---- Kernels that the partitioner takes if they are written in another way ---- */

/* Adds the finding about the marked kernels, which a delegate takes if they are rewritten so.
 * ticks: theirs over all runs, with the calls around kernels. A softmax over another dimension than
 * the last was not compared with XNNPACK's, so nothing is sure of the least. Returns false when out
 * of memory. */
static bool add_rewrite_finding(const partition *p, const rewrite *how, const bool *marked,
                                uint64_t ticks) {
  etr_finder *finder = p->finder;
  bool has_ratio = how->variant != ETR_VARIANT_SOFTMAX;
  saving saved = {.most = 0};
  add_saved_kernels(p, marked, &saved);
  etr_finding *added = etr_finder_add_if_large(finder, ETR_FINDING_REWRITE, ticks,
                                               has_ratio ? saved.most : (double)ticks);
  if (!added)
    return !etr_arena_failed(finder->arena);
  if (!etr_finding_set_nodes(finder, added, marked))
    return false;
  size_t count = added->node_count;
  const char *backend = etr_finder_backend_name(finder, p->backend);
  const char *them = count == 1 ? "it" : "them";
  const char *time = etr_finder_time_per_run(finder, ticks);
  added->variant = how->variant;
  added->title = etr_arena_format(finder->arena, "%s %zu %s", how->action, count, how->object);
  added->fact = etr_arena_format(finder->arena, "%s %s on the CPU; %s takes %s %s",
                                 etr_they_take(count), time, backend, them, how->how);
  added->evidence = etr_arena_format(finder->arena,
                                     "%s %s as kernels on the CPU: %s. The partitioner of %s "
                                     "leaves %s out by its rules (ExecuTorch "
                                     "1.5): %s.",
                                     etr_they_take(count), time,
                                     etr_finder_operators_text(finder, marked, true), backend, them,
                                     p->reasons[added->nodes[0]]);
  if (has_ratio)
    etr_finding_set_least_saving(finder, added, saved.least);
  etr_finding_set_sureness(added, ETR_LIKELY, how->caveat);
  return true;
}

/* Adds a finding for each way to rewrite kernels so that the partitioner takes them, apart from
 * those between delegates, which have a finding of their own. Returns false when out of memory. */
static bool add_rewrite_findings(const partition *p) {
  etr_finder *finder = p->finder;
  size_t count = finder->graph->node_count;
  for (const rewrite *how = rewrites; how < rewrites + ETR_COUNT(rewrites); how++) {
    bool *marked = etr_arena_alloc_array(finder->arena, count, sizeof *marked);
    if (!marked)
      return false;
    for (uint32_t i = 0; i < count; i++)
      marked[i] = finder->is_kernel[i] && !finder->is_constant[i] && !p->is_between[i] &&
                  is_rewritten_by(p, i, how);
    uint64_t ticks = etr_finder_marked_ticks(finder, marked);
    if (etr_finder_ns_per_run(finder, ticks) >= ETR_FINDING_LEAST_KERNELS_NS &&
        !add_rewrite_finding(p, how, marked, ticks))
      return false;
  }
  return true;
}

/* ---- What cuts delegates apart ---- */

/* Sets cut_by and cut_reason of each of the backend's delegates: the first operator between
 * delegates that reads its result, perhaps through getitems, and why the partitioner leaves that
 * out. Delegates whose result none reads stay as they are. */
static void set_cuts(const partition *p) {
  const etr_graph *graph = p->finder->graph;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    if (!p->is_between[i] || is_getitem(&graph->nodes[i]))
      continue;
    for (size_t k = 0; k < graph->nodes[i].input_count; k++) {
      uint32_t source = behind_getitems(p, graph->nodes[i].inputs[k].node);
      if (!p->is_inside[source])
        continue;
      etr_delegate_facts *facts = &p->finder->facts[p->finder->delegate_of[source]];
      if (facts->cut_by != ETR_NONE)
        continue;
      facts->cut_by = i;
      facts->cut_reason = p->reasons ? p->reasons[i] : NULL;
    }
  }
}

/* Sets finder->facts to the calls and the overhead of each delegate, still without what cuts it
 * from the next one. Returns false when out of memory. */
static bool alloc_facts(etr_finder *finder) {
  finder->facts = etr_arena_alloc_array(finder->arena, finder->method->delegate_count,
                                        sizeof *finder->facts);
  for (size_t i = 0; finder->facts && i < finder->method->delegate_count; i++) {
    const etr_delegate_spending *spent = &finder->delegates[i];
    finder->facts[i] = (etr_delegate_facts){
        .cut_by = ETR_NONE,
        .calls = spent->calls,
        .overhead = spent->ticks[ETR_SPENT_AROUND],
        .hidden = ETR_MIN(spent->hidden, spent->ticks[ETR_SPENT_AROUND])};
  }
  return finder->facts != NULL;
}

/* ---- All ---- */

/* Adds the findings about what is not delegated, for each backend, or without delegates for the
 * backend whose partitioner is known; and sets finder->facts. Returns false when out of memory. */
bool etr_add_partition_findings(etr_finder *finder) {
  enum { MOST_BACKENDS = 64 }; /* more than any model has */
  const etr_method *method = finder->method;
  const char *known = etr_known_partitioner();
  partition p;
  if (!alloc_facts(finder))
    return false;
  for (size_t i = 0, looked = 0; i < method->delegate_count && looked < MOST_BACKENDS; i++) {
    if (!is_first_of_backend(method, i))
      continue;
    if (!make_partition(&p, finder, method->delegates[i].backend) ||
        !etr_find_inner_transposes(&p.inner, finder) || !add_fallback_finding(&p))
      return false;
    if (p.reasons && !(add_kernel_findings(&p) && add_rewrite_findings(&p)))
      return false;
    set_cuts(&p);
    looked++;
  }
  if (method->delegate_count || !known)
    return true;
  return make_partition(&p, finder, known) && (!p.reasons || add_kernel_findings(&p));
}

/* Makes the operators that another finding removes part of the delegates between which they are,
 * and lowers the number of these. Nothing is a candidate before. */
static void leave_to_removal(partition *p, const etr_finding *removal) {
  size_t levels = count_levels(p, NULL);
  for (size_t i = 0; i < removal->node_count; i++)
    p->is_candidate[removal->nodes[i]] = true;
  p->delegates = count_remaining_delegates(p, levels, NULL);
  for (size_t i = 0; i < removal->node_count; i++) {
    p->is_candidate[removal->nodes[i]] = p->is_between[removal->nodes[i]] = false;
    p->is_inside[removal->nodes[i]] = true;
  }
  p->removal = removal;
}

/* Returns the finding about copies to remove that has at least half of the operators of another
 * one, which joins delegates, and saves at least half of what that does; NULL if there is none. */
static const etr_finding *most_of_join(const etr_finder *finder, const etr_finding *join) {
  for (size_t i = 0; i < finder->found.count; i++) {
    const etr_finding *found = &finder->found.data[i];
    if (found->kind != ETR_FINDING_COPIES || !(found->potential * 2 >= join->potential))
      continue;
    size_t shared = 0;
    for (size_t k = 0; k < join->node_count; k++)
      for (size_t n = 0; n < found->node_count; n++)
        shared += join->nodes[k] == found->nodes[n];
    if (shared && shared * 2 >= join->node_count)
      return found;
  }
  return NULL;
}

bool etr_recount_joins(etr_finder *finder) {
  size_t count = finder->found.count; /* of those to look at; others are added behind them */
  for (size_t i = 0; i < count;) {
    const etr_finding join = finder->found.data[i];
    const etr_finding *most = join.kind == ETR_FINDING_FALLBACK && join.instruction_count
                                  ? most_of_join(finder, &join)
                                  : NULL;
    if (!most) {
      i++;
      continue;
    }
    const etr_finding removal = *most; /* which moves */
    uint32_t delegate = etr_delegate_at(finder->method, join.instructions[0]);
    partition p;
    if (!make_partition(&p, finder, finder->method->delegates[delegate].backend))
      return false;
    count--;
    finder->found.count--;
    memmove(&finder->found.data[i], &finder->found.data[i + 1],
            (finder->found.count - i) * sizeof join);
    leave_to_removal(&p, &removal);
    if (!etr_find_inner_transposes(&p.inner, finder) || !add_fallback_finding(&p))
      return false;
  }
  return true;
}

/* ---- An ETDump alone: the order of execution in place of a graph ---- */

/* A kernel, or a call of a delegate. */
typedef struct step {
  int32_t instruction;
  uint32_t delegate;  /* index; ETR_NONE for a kernel */
  const char *kernel; /* its name, "mean.out"; NULL for a call */
  double ticks;       /* of a kernel in the typical run, without interruptions */
} step;

typedef etr_vec(step) step_list;

/* Compares steps for qsort(), by instruction. */
static int by_instruction(const void *a, const void *b) {
  const step *x = a, *y = b;
  return (x->instruction > y->instruction) - (x->instruction < y->instruction);
}

/* Lists the calls of delegates and the kernels outside them, by instruction. Returns false when out
 * of memory. */
static bool list_steps(step_list *out, const etr_finder *finder) {
  const etr_method *method = finder->method;
  etr_map index; /* of kernels, by instruction */
  etr_map_init(&index, finder->arena);
  *out = (step_list){0};
  for (size_t i = 0; i < method->time_slice_count; i++) {
    const etr_time_slice *slice = &method->time_slices[i];
    int32_t instruction = slice->event->instruction_id;
    if (etr_time_slice_is_in_delegate(slice) || !etr_time_slice_is_work(slice))
      continue;
    etr_map_slot *slot = etr_map_at(&index, ETR_BYTES(instruction));
    if (!slot)
      return false;
    if (slot->value == ETR_NONE) {
      step *added = etr_vec_push(finder->arena, out);
      if (!added)
        return false;
      const char *kernel = etr_or_empty(etr_time_slice_kernel(slice));
      *added = (step){instruction, ETR_NONE, etr_label_kernel(kernel), 0};
      slot->value = (uint32_t)(out->count - 1);
    }
    out->data[slot->value].ticks += etr_slice_uninterrupted(method, i);
  }
  for (uint32_t i = 0; i < method->delegate_count; i++) {
    step *added = etr_vec_push(finder->arena, out);
    if (!added)
      return false;
    *added = (step){method->delegates[i].instruction_id, i, NULL, 0};
  }
  etr_sort(out->data, out->count, sizeof *out->data, by_instruction);
  return true;
}

/* What an ETDump alone says of order, as a finder whose graph is a chain: each step reads the one
 * before it. Its delegates are of the backend whose partitioner is known. */
typedef struct order_finder {
  etr_finder finder;
  etr_method method;
  etr_graph graph;
} order_finder;

/* Returns the target of an Edge operator that a kernel may be of: "aten.mean.out",
 * "llama.update_cache.out". */
static const char *target_of_kernel(etr_arena *arena, const char *kernel) {
  const char *colons = strstr(kernel, "::");
  return colons ? etr_arena_format(arena, "%.*s.%s", (int)(colons - kernel), kernel, colons + 2)
                : etr_arena_format(arena, "aten.%s", kernel);
}

/* Sets the nodes of a chain, and what the finder knows of them. Returns false when out of memory.
 */
static bool set_chain(order_finder *o, const step_list *steps) {
  static const etr_module root = {.path = "", .type = ""};
  etr_arena *arena = o->finder.arena;
  etr_node *nodes = etr_arena_alloc_array(arena, steps->count, sizeof *nodes);
  etr_edge *edges = etr_arena_alloc_array(arena, steps->count, sizeof *edges);
  etr_slice *ops = etr_arena_alloc_array(arena, steps->count, sizeof *ops);
  double *ticks = etr_arena_alloc_array(arena, steps->count, sizeof *ticks);
  bool *is_kernel = etr_arena_alloc_array(arena, steps->count, sizeof *is_kernel);
  uint32_t *delegate_of = etr_arena_alloc_array(arena, steps->count, sizeof *delegate_of);
  o->finder.calls = etr_arena_alloc_array(arena, steps->count, sizeof *o->finder.calls);
  o->finder.is_constant = etr_arena_alloc_array(arena, steps->count, sizeof(bool));
  if (!nodes || !edges || !ops || !ticks || !is_kernel || !delegate_of || !o->finder.calls ||
      !o->finder.is_constant)
    return false;
  for (uint32_t i = 0; i < steps->count; i++) {
    const step *of = &steps->data[i];
    edges[i] = (etr_edge){.node = i ? i - 1 : 0};
    nodes[i] = (etr_node){.name = "",
                          .target = of->kernel ? target_of_kernel(arena, of->kernel) : "delegate",
                          .op_type = "",
                          .kind = ETR_NODE_OP,
                          .subgraph = ETR_NONE,
                          .inputs = &edges[i],
                          .input_count = i > 0};
    if (!nodes[i].target)
      return false;
    ops[i] = of->kernel ? etr_label_op(nodes[i].target) : (etr_slice){0};
    ticks[i] = ETR_MAX(of->ticks, 0);
    is_kernel[i] = of->kernel != NULL;
    delegate_of[i] = of->delegate;
  }
  o->graph = (etr_graph){.dialect = "edge",
                         .nodes = nodes,
                         .node_count = steps->count,
                         .modules = &root,
                         .module_count = 1};
  o->finder.graph = &o->graph;
  o->finder.ops = ops;
  o->finder.uninterrupted = ticks;
  o->finder.is_kernel = is_kernel;
  o->finder.delegate_of = delegate_of;
  return true;
}

/* Sets the delegates whose operators have names like XNNPACK's, "Convolution (NHWC, F32)", with the
 * layout in brackets, to be of a backend. Returns false when out of memory. */
static bool set_backend(order_finder *o, const etr_finder *finder, const char *backend) {
  size_t count = finder->method->delegate_count;
  etr_delegate *delegates = etr_arena_alloc_array(finder->arena, count, sizeof *delegates);
  etr_delegate_spending *spent = etr_arena_alloc_array(finder->arena, count, sizeof *spent);
  o->method = *finder->method;
  if (!delegates || !spent)
    return false;
  for (size_t i = 0; i < count; i++) {
    delegates[i] = finder->method->delegates[i];
    delegates[i].backend = ETR_UNKNOWN_BACKEND;
    spent[i] = finder->delegates[i];
    spent[i].delegate = &delegates[i];
  }
  for (size_t i = 0; i < finder->method->time_slice_count; i++) {
    const etr_time_slice *slice = &finder->method->time_slices[i];
    uint32_t delegate = etr_delegate_at(finder->method, slice->event->instruction_id);
    if (delegate != ETR_NONE && etr_time_slice_is_work(slice) &&
        strstr(etr_or_empty(etr_time_slice_kernel(slice)), " (N"))
      delegates[delegate].backend = backend;
  }
  o->method.delegates = delegates;
  o->finder.method = &o->method;
  o->finder.delegates = spent;
  return true;
}

/* Marks the last `count` steps of an operator in [begin, end). Returns how many there are. */
static size_t mark_last(const order_finder *o, const char *op, size_t count, uint32_t begin,
                        uint32_t end, bool *marked) {
  size_t found = 0;
  for (uint32_t i = end; i-- > begin && found < count;) {
    if (!etr_slice_equal(o->finder.ops[i], etr_slice_of(op)))
      continue;
    marked[i] = true;
    found++;
  }
  return found;
}

/* Marks the operators of softmaxes' checks for masked rows by their names: between a `where` and
 * the one before it are those of one check, in some order (see softmax_check.c). Each step is
 * looked at with one `where` only. Returns false when out of memory. */
static bool mark_checks_by_name(const order_finder *o, bool *is_check) {
  uint32_t count = (uint32_t)o->graph.node_count;
  bool *marked = etr_arena_alloc_array(o->finder.arena, count, sizeof *marked);
  for (uint32_t i = 0, begin = 0; marked && i < count; i++) {
    if (!etr_slice_is(o->finder.ops[i], "where"))
      continue;
    bool is_whole = mark_last(o, "eq", 1, begin, i, marked) == 1;
    is_whole &= mark_last(o, "any", 1, begin, i, marked) == 1;
    is_whole &= mark_last(o, "logical_not", 2, begin, i, marked) == 2;
    (void)mark_last(o, "full_like", 1, begin, i, marked);
    marked[i] = true;
    for (uint32_t k = begin; is_whole && k <= i; k++)
      is_check[k] |= marked[k];
    begin = i + 1;
  }
  return marked != NULL;
}

bool etr_add_order_finding(etr_finder *finder, const char *backend, etr_map *joined) {
  order_finder o = {.finder = *finder};
  step_list steps;
  partition p;
  size_t before = finder->found.count;
  if (finder->method->delegate_count < 2)
    return true;
  if (!list_steps(&steps, finder) || !set_backend(&o, finder, backend) || !set_chain(&o, &steps) ||
      !make_partition(&p, &o.finder, backend) || !mark_checks_by_name(&o, p.is_check))
    return false;
  p.is_order = true;
  for (size_t i = 0; i < finder->method->time_slice_count; i++)
    p.has_convolutions |= etr_slice_starts(
        etr_slice_of(etr_or_empty(finder->method->time_slices[i].event->name)),
        ETR_SLICE("Convolution"));
  /* How many tensors a cat reads is not known, and each step reads one here. */
  for (uint32_t i = 0; p.reasons && i < o.graph.node_count; i++)
    if (etr_slice_is(o.finder.ops[i], "cat"))
      p.reasons[i] = NULL;
  if (!etr_find_inner_transposes(&p.inner, finder) || !add_fallback_finding(&p))
    return false;
  finder->found = o.finder.found;
  if (finder->found.count == before)
    return true;
  for (size_t i = 0; i < steps.count; i++)
    if (p.is_candidate[i])
      (void)etr_map_count(joined, etr_slice_of(steps.data[i].kernel));
  return !etr_arena_failed(finder->arena);
}
