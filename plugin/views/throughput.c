/* SPDX-License-Identifier: BSD-3-Clause
 *
 * throughput.c - finds the token input, the sizes that it had, and divides times by them.
 */
#include "views/throughput.h"

#include "base/stats.h"
#include "base/writer.h"
#include "views/loads.h"

#include <math.h>

static const etr_graph *graph_of(const etr_profile *profile, const etr_method *method) {
  return method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
}

static const etr_value *token_input_of(const etr_profile *profile, const etr_method *method) {
  const etr_graph *graph = graph_of(profile, method);
  return graph ? etr_token_input(graph) : NULL;
}

/* ---- Sizes that runs logged ---- */

/* Returns the size that a logged value shows of a symbol; -1 if it does not show it. */
static int64_t size_of_symbol(const etr_profile *profile, const etr_graph *graph,
                              const etr_debug_value *value, const char *symbol) {
  const etr_edge origin = etr_debug_value_origin(profile, value);
  if (value->kind != ETR_DEBUG_TENSOR || origin.node == ETR_NONE)
    return -1;
  const etr_node *node = &graph->nodes[origin.node];
  if (origin.output >= node->output_count || node->outputs[origin.output].rank != value->rank)
    return -1;
  for (int32_t i = 0; i < value->rank; i++) {
    const char *other = node->outputs[origin.output].dims[i].symbol;
    if (other && strcmp(other, symbol) == 0)
      return value->sizes[i];
  }
  return -1;
}

/* Returns how many tokens each run of a profile read, by the sizes that it logged; 0: not known. */
static double *logged_tokens(const etr_profile *profile, const etr_method *method,
                             const etr_value *input, etr_arena *arena) {
  const etr_graph *graph = graph_of(profile, method);
  uint32_t index = (uint32_t)(method - profile->methods);
  double *tokens = etr_arena_alloc_array(arena, profile->run_count, sizeof *tokens);
  double *sizes = etr_arena_alloc_array(arena, profile->run_count, sizeof *sizes);
  for (size_t i = 0; tokens && sizes && i < profile->run_count; i++)
    tokens[i] = 1;
  for (int32_t k = 0; tokens && sizes && k < input->rank; k++) {
    const etr_dim *dim = &input->dims[k];
    for (size_t i = 0; i < profile->run_count; i++)
      sizes[i] = dim->size == ETR_DIM_SYMBOLIC ? 0 : (double)dim->size;
    for (size_t i = 0; dim->symbol && i < profile->debug_value_count; i++) {
      const etr_debug_value *value = &profile->debug_values[i];
      if (value->method != index || sizes[value->run] > 0)
        continue;
      int64_t size = size_of_symbol(profile, graph, value, dim->symbol);
      sizes[value->run] = size > 0 ? (double)size : 0;
    }
    for (size_t i = 0; i < profile->run_count; i++)
      tokens[i] *= sizes[i];
  }
  return sizes ? tokens : NULL;
}

static bool is_static(const etr_value *value) {
  for (int32_t i = 0; i < value->rank; i++)
    if (value->dims[i].size == ETR_DIM_SYMBOLIC)
      return false;
  return !value->is_bound;
}

/* Returns how many tokens each run of the profile read, if it is one of this method; 0: not known.
 * NULL when out of memory. */
static double *tokens_of_runs(const etr_profile *profile, const etr_method *method,
                              const etr_value *input, etr_arena *arena) {
  double *tokens;
  if (!is_static(input))
    return logged_tokens(profile, method, input, arena);
  tokens = etr_arena_alloc_array(arena, profile->run_count, sizeof *tokens);
  for (size_t i = 0; tokens && i < profile->run_count; i++) {
    tokens[i] = 1;
    for (int32_t k = 0; k < input->rank; k++)
      tokens[i] *= (double)input->dims[k].size;
  }
  return tokens;
}

double *etr_tokens_of_runs(etr_arena *arena, const etr_profile *profile, const etr_method *method) {
  const etr_value *input = token_input_of(profile, method);
  return input ? tokens_of_runs(profile, method, input, arena) : NULL;
}

/* ---- The throughput ---- */

static const etr_typical_run *typical_of(const etr_method *method, const etr_run_phase *phase) {
  return phase ? &phase->typical : &method->typical;
}

/* Returns the mean of the tokens over the typical run; NaN if they are not known of each of its
 * runs. */
static double mean_tokens(const double *tokens, const etr_method *method,
                          const etr_run_phase *phase) {
  const etr_typical_run *typical = typical_of(method, phase);
  double sum = 0;
  for (size_t i = 0; typical->weights && i < method->run_count; i++) {
    if (typical->weights[i] <= 0)
      continue;
    if (tokens[method->runs[i]] <= 0)
      return NAN;
    sum += typical->weights[i] * tokens[method->runs[i]];
  }
  return typical->divisor > 0 ? sum / typical->divisor : NAN;
}

bool etr_throughput_of(etr_throughput *out, etr_arena *arena, const etr_profile *profile,
                       const etr_method *method, const etr_run_phase *phase) {
  const etr_value *input = token_input_of(profile, method);
  *out = (etr_throughput){.reads_tokens = input != NULL,
                          .tokens_per_run = NAN,
                          .ms_per_token = NAN,
                          .tokens_per_second = NAN};
  if (!input)
    return true;
  double *tokens = tokens_of_runs(profile, method, input, arena);
  if (!tokens)
    return false;
  double ticks = phase ? phase->execute.typical : method->execute.typical;
  if (method->run_count == 0 && is_static(input))
    out->tokens_per_run = profile->run_count ? tokens[0] : NAN;
  else
    out->tokens_per_run = mean_tokens(tokens, method, phase);
  if (method->run_count == 0)
    out->why = "it did not run";
  else if (isnan(out->tokens_per_run))
    out->why = "the number of tokens is symbolic and was not logged: record with a debug buffer";
  else if (ticks > 0) {
    double ms = ticks / profile->ticks_per_second * 1e3;
    out->ms_per_token = ms / out->tokens_per_run;
    out->tokens_per_second = out->tokens_per_run / ms * 1e3;
  }
  return true;
}

/* Writes "0.472" or "2,120": three significant digits. */
static void put_number(etr_writer *writer, double value) {
  int digits = value >= 100 ? 0 : 2 - (int)floor(log10(value));
  etr_put_fixed(writer, value, ETR_MIN(digits, 9));
}

const char *etr_throughput_text(etr_arena *arena, const etr_throughput *throughput) {
  etr_text text;
  etr_writer writer;
  if (!throughput->reads_tokens)
    return NULL;
  if (throughput->why)
    return etr_arena_format(arena, "tokens per second: not known, %s", throughput->why);
  if (!(throughput->ms_per_token > 0))
    return NULL;
  etr_text_begin(&text, arena, &writer);
  double tokens = throughput->tokens_per_run;
  etr_put_fixed(&writer, tokens, fabs(tokens - floor(tokens)) > 0 ? 1 : 0);
  etr_putf(&writer, " token%s a run: ", fabs(tokens - 1) > 0 ? "s" : "");
  put_number(&writer, throughput->ms_per_token);
  etr_puts(&writer, " ms per token, ");
  put_number(&writer, throughput->tokens_per_second);
  etr_puts(&writer, " tokens/s");
  return etr_text_end(&text, &writer);
}

/* ---- The first token ---- */

/* A method or a phase that reads tokens. */
typedef struct reader {
  const etr_method *method;
  const etr_run_phase *phase;
  double tokens;
} reader;

typedef etr_vec(reader) readers;

static bool add_reader(readers *list, etr_arena *arena, const etr_profile *profile,
                       const etr_method *method, const etr_run_phase *phase) {
  etr_throughput throughput;
  if (!etr_throughput_of(&throughput, arena, profile, method, phase))
    return false;
  if (!throughput.reads_tokens || isnan(throughput.tokens_per_run))
    return true;
  reader *added = etr_vec_push(arena, list);
  if (added)
    *added = (reader){method, phase, throughput.tokens_per_run};
  return added != NULL;
}

/* Lists what reads a known number of tokens: phases of a method that has several, else methods. */
static bool list_readers(readers *list, etr_arena *arena, const etr_profile *profile) {
  for (size_t i = 0; i < profile->method_count; i++) {
    const etr_method *method = &profile->methods[i];
    if (method->run_count == 0)
      continue;
    bool has_phases = method->mixed_phase_count > 1;
    if (!has_phases && !add_reader(list, arena, profile, method, NULL))
      return false;
    for (size_t k = 0; has_phases && k < method->run_phase_count; k++)
      if (method->run_phases[k].run_count &&
          !add_reader(list, arena, profile, method, &method->run_phases[k]))
        return false;
  }
  return true;
}

bool etr_first_token_find(etr_first_token *out, etr_arena *arena, const etr_profile *profile) {
  readers list = {0};
  etr_loads loads;
  *out = (etr_first_token){.ticks = NAN, .with_load = NAN};
  if (!list_readers(&list, arena, profile) || !etr_loads_make(&loads, arena, profile))
    return false;
  const reader *most = NULL;
  bool differ = false;
  for (size_t i = 0; i < list.count; i++) {
    differ |= list.data[i].tokens < list.data[0].tokens ||
              list.data[i].tokens > list.data[0].tokens;
    if (!most || list.data[i].tokens > most->tokens)
      most = &list.data[i];
  }
  if (!differ)
    return true;
  *out = (etr_first_token){.method = most->method, .phase = most->phase, .with_load = NAN};
  out->ticks = most->phase ? most->phase->execute.typical : most->method->execute.typical;
  /* Each method that ran is loaded once. */
  if (loads.whole)
    out->with_load = out->ticks + loads.whole->stats.typical * (double)loads.timed_methods;
  return true;
}

/* ---- Time against position ---- */

enum { LEAST_RUNS = 10, MOST_RUNS = 400 };

/* A run of one token. */
typedef struct step {
  double position, ms;
} step;

/* Returns whether inferences write buffers, so that a run can see those before it. */
static bool has_cache(const etr_graph *graph) {
  for (size_t i = 0; graph && i < graph->node_count; i++)
    if (graph->nodes[i].kind == ETR_NODE_BUFFER && graph->nodes[i].is_written)
      return true;
  return false;
}

/* Sets the tokens of each run, over all methods; 0: not known. */
static double *all_tokens(const etr_profile *profile, etr_arena *arena) {
  double *all = etr_arena_alloc_array(arena, profile->run_count, sizeof *all);
  for (size_t i = 0; all && i < profile->method_count; i++) {
    const etr_method *method = &profile->methods[i];
    const double *tokens = etr_tokens_of_runs(arena, profile, method);
    if (etr_arena_failed(arena))
      return NULL;
    for (size_t k = 0; tokens && k < method->run_count; k++)
      all[method->runs[k]] = tokens[method->runs[k]];
    for (size_t k = 0; tokens && k < method->skipped_run_count; k++)
      all[method->skipped_runs[k]] = tokens[method->skipped_runs[k]];
  }
  return all;
}

/* Lists the runs of one token of a method, with the number of tokens since the prompt. */
static size_t list_steps(step *steps, const etr_profile *profile, const etr_method *method,
                         const double *tokens) {
  size_t count = 0, place = 0;
  double position = 0;
  for (uint32_t run = 0; run < profile->run_count; run++) {
    bool is_new = run > 0 && profile->runs[run].dump != profile->runs[run - 1].dump;
    if (is_new || tokens[run] > 1)
      position = 0;
    while (place < method->run_count && method->runs[place] < run)
      place++;
    bool is_mine = place < method->run_count && method->runs[place] == run;
    if (is_mine && tokens[run] > 0 && tokens[run] <= 1)
      steps[count++] = (step){position, (double)method->execute_per_run[place] /
                                            profile->ticks_per_second * 1e3};
    position += tokens[run];
  }
  return count;
}

/* Keeps evenly spaced runs, so that pairs stay few. */
static size_t thin_out(step *steps, size_t count) {
  size_t kept = ETR_MIN(count, (size_t)MOST_RUNS);
  for (size_t i = 0; i < kept; i++)
    steps[i] = steps[i * count / kept];
  return kept;
}

static bool measure_growth(etr_cache_growth *out, const step *steps, size_t count,
                           etr_arena *arena) {
  size_t pairs = 0;
  double *slopes = etr_arena_alloc_array(arena, count * (count - 1) / 2, sizeof *slopes);
  if (!slopes)
    return false;
  for (size_t i = 0; i < count; i++)
    for (size_t k = i + 1; k < count; k++) {
      double distance = steps[k].position - steps[i].position;
      if (fabs(distance) > 0)
        slopes[pairs++] = 1e3 * (steps[k].ms - steps[i].ms) / distance;
    }
  if (pairs == 0)
    return true;
  etr_sort(slopes, pairs, sizeof *slopes, etr_by_double);
  double n = (double)count;
  double reach = etr_normal_quantile(.05) * sqrt(n * (n - 1) * (2 * n + 5) / 18);
  double middle = (double)pairs / 2;
  size_t low = (size_t)fmax(middle - reach / 2, 0);
  size_t high = (size_t)fmin(middle + reach / 2, (double)(pairs - 1));
  out->per_1000 = etr_median_of_sorted(slopes, pairs);
  out->low = slopes[low];
  out->high = slopes[high];
  return true;
}

bool etr_cache_growth_find(etr_cache_growth *out, etr_arena *arena, const etr_profile *profile) {
  const double *tokens = all_tokens(profile, arena);
  *out = (etr_cache_growth){.per_1000 = NAN, .low = NAN, .high = NAN};
  for (size_t i = 0; tokens && i < profile->method_count; i++) {
    const etr_method *method = &profile->methods[i];
    if (method->run_count < LEAST_RUNS || !has_cache(graph_of(profile, method)))
      continue;
    step *steps = etr_arena_alloc_array(arena, profile->run_count, sizeof *steps);
    if (!steps)
      return false;
    size_t count = thin_out(steps, list_steps(steps, profile, method, tokens));
    if (count < LEAST_RUNS)
      continue;
    out->method = method;
    return measure_growth(out, steps, count, arena);
  }
  return tokens != NULL;
}

/* ---- By what the method is known ---- */

const etr_block *etr_block_of_rule(const etr_profile *profile, const etr_method *method) {
  const etr_block *found = NULL;
  for (size_t i = 0; i < method->block_count; i++) {
    const etr_block *block = &profile->blocks[method->blocks[i]];
    if (block->run_count + block->skipped_run_count == 0)
      continue;
    if (!found || (!found->method_evidence[0] && block->method_evidence[0]))
      found = block;
  }
  return found;
}
