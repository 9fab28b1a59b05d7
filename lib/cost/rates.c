/* SPDX-License-Identifier: BSD-3-Clause
 *
 * rates.c - costs of nodes as sums, rates and parts of what can be reached.
 */
#include "cost/rates.h"

#include <math.h>

/* ---- Sums ---- */

/* How often it ran per inference; 1 of what was not timed, NaN where it is not known. */
static double calls_of(const etr_cost *cost, const etr_method *method) {
  if (!method || method->run_count == 0 || cost->executions == 0) return 1;
  return cost->executions == ETR_UNKNOWN ? NAN : (double)cost->executions / (double)method->run_count;
}

/* A duration is the difference of two readings, each rounded to the step: its variance is step^2 / 6. */
static void add_time(etr_cost_sum *sum, const etr_profile *profile, const etr_node_time *time, double runs) {
  double step = etr_ticks_to_ns(profile, etr_clock_step(profile, time->backend, NULL));
  sum->ns += etr_ticks_to_ns(profile, time->avg);
  sum->variance += (double)time->calls * step * step / 6;
  sum->runs = runs;
}

static bool is_known(uint64_t count, double calls) { return count == 0 || (count != ETR_UNKNOWN && !isnan(calls)); }

static double times(uint64_t count, double calls) { return count ? (double)count * calls : 0; }

void etr_cost_add(etr_cost_sum *sum, const etr_profile *profile, const etr_graph *graph, size_t node) {
  const etr_method *method = graph->profile_method == ETR_NONE ? NULL : &profile->methods[graph->profile_method];
  const etr_cost *cost = graph->costs ? &graph->costs[node] : NULL;
  if (!cost) return;
  double calls = calls_of(cost, method);
  bool bytes_are_known = is_known(cost->read_bytes, calls) && is_known(cost->written_bytes, calls);
  if (is_known(cost->macs, calls)) {
    sum->macs += times(cost->macs, calls);
    sum->integer_macs += cost->is_integer ? times(cost->macs, calls) : 0;
  }
  if (bytes_are_known) {
    sum->bytes += times(cost->read_bytes, calls) + times(cost->written_bytes, calls);
    sum->weight_bytes += times(cost->weight_bytes, calls);
  }
  sum->unknown_macs += !is_known(cost->macs, calls);
  sum->unknown_bytes += !bytes_are_known;
  sum->hinted += cost->from_hints;
  if (method && graph->times && graph->times[node].runs > 0)
    add_time(sum, profile, &graph->times[node], (double)method->run_count);
}

void etr_cost_add_sum(etr_cost_sum *sum, const etr_cost_sum *other) {
  sum->macs += other->macs;
  sum->integer_macs += other->integer_macs;
  sum->bytes += other->bytes;
  sum->weight_bytes += other->weight_bytes;
  sum->unknown_macs += other->unknown_macs;
  sum->unknown_bytes += other->unknown_bytes;
  sum->hinted += other->hinted;
  sum->ns += other->ns;
  sum->variance += other->variance;
  sum->runs = ETR_MAX(sum->runs, other->runs);
}

double etr_cost_macs(const etr_cost_sum *sum) { return sum->unknown_macs ? NAN : sum->macs; }
double etr_cost_bytes(const etr_cost_sum *sum) { return sum->unknown_bytes ? NAN : sum->bytes; }

double etr_cost_intensity(const etr_cost_sum *sum) {
  double bytes = etr_cost_bytes(sum);
  return bytes > 0 ? 2 * etr_cost_macs(sum) / bytes : NAN;
}

const char *etr_cost_arithmetic(const etr_cost_sum *sum) {
  if (!(sum->macs > 0)) return NULL;
  if (sum->integer_macs == 0) return "float";
  return sum->integer_macs == sum->macs ? "integer" : "mixed";
}

/* ---- Rates ---- */

static bool is_timed_well(const etr_cost_sum *sum) {
  double total = sum->ns * sum->runs;
  return total > 0 && sqrt(sum->variance) <= ETR_RATE_MOST_ERROR * total;
}

/* Per nanosecond is 1e9 per second. */
static double rate_of(const etr_cost_sum *sum, double amount) { return is_timed_well(sum) ? amount / sum->ns : NAN; }

double etr_cost_gflops(const etr_cost_sum *sum) { return rate_of(sum, 2 * etr_cost_macs(sum)); }
double etr_cost_gbs(const etr_cost_sum *sum) { return rate_of(sum, etr_cost_bytes(sum)); }

/* ---- Roofs ---- */

static void raise(double *roof, double rate) {
  if (rate > *roof) *roof = rate;
}

static void take_best(etr_roofs *best, const etr_profile *profile, const etr_graph *graph) {
  for (size_t i = 0; i < graph->node_count; i++) {
    etr_cost_sum sum = {0};
    if (graph->times[i].runs == 0) continue;
    etr_cost_add(&sum, profile, graph, i);
    raise(sum.integer_macs > 0 ? &best->integer_gops : &best->gflops, etr_cost_gflops(&sum));
    raise(&best->gbs, etr_cost_gbs(&sum));
  }
}

void etr_roofs_find(etr_profile *profile) {
  etr_roofs roofs = {0};
  for (size_t i = 0; i < profile->method_count; i++) {
    const etr_method *method = &profile->methods[i];
    const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
    if (graph && graph->times && graph->costs) take_best(&roofs, profile, graph);
  }
  roofs.flops_given = profile->peaks.flops > 0;
  roofs.integer_given = profile->peaks.integer_ops > 0;
  roofs.bandwidth_given = profile->peaks.bandwidth > 0;
  if (roofs.flops_given) roofs.gflops = profile->peaks.flops / 1e9;
  if (roofs.integer_given) roofs.integer_gops = profile->peaks.integer_ops / 1e9;
  if (roofs.bandwidth_given) roofs.gbs = profile->peaks.bandwidth / 1e9;
  profile->roofs = roofs;
}

const char *etr_bound_name(etr_bound bound) {
  static const char *const names[] = {NULL, "compute", "memory"};
  return names[bound];
}

/* 0 where there is nothing to do; NaN where there is no roof. */
static double time_at(double amount, double roof) {
  if (amount == 0) return 0;
  return roof > 0 ? amount / roof : NAN;
}

/* What a record's best nodes reach does not tell what the device could: both of them may be far from its peaks. */
static bool are_given(const etr_cost_sum *sum, const etr_roofs *roofs) {
  bool computes_floats = sum->macs > sum->integer_macs;
  return roofs->bandwidth_given && (roofs->flops_given || !computes_floats) &&
         (roofs->integer_given || sum->integer_macs == 0);
}

double etr_cost_least_ns(const etr_cost_sum *sum, const etr_roofs *roofs, etr_bound *bound) {
  double computing = time_at(2 * (etr_cost_macs(sum) - sum->integer_macs), roofs->gflops) +
                     time_at(2 * sum->integer_macs, roofs->integer_gops);
  double moving = time_at(etr_cost_bytes(sum), roofs->gbs);
  bool is_known = computing + moving > 0; /* not of NaN */
  if (bound) *bound = computing > moving ? ETR_BOUND_COMPUTE : ETR_BOUND_MEMORY;
  if (bound && !(is_known && are_given(sum, roofs))) *bound = ETR_BOUND_UNKNOWN;
  return is_known ? ETR_MAX(computing, moving) : NAN;
}

double etr_cost_of_peak(const etr_cost_sum *sum, const etr_roofs *roofs, etr_bound *bound) {
  double least = etr_cost_least_ns(sum, roofs, bound);
  return is_timed_well(sum) ? least / sum->ns : NAN;
}
