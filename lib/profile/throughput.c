/* SPDX-License-Identifier: BSD-3-Clause
 *
 * throughput.c - finds the sizes that token inputs had, and divides times by them.
 */
#include "profile/throughput.h"

#include "base/method_parts.h"
#include "base/stats.h"

#include <math.h>

typedef struct filler {
  etr_profile *profile;
  etr_run *runs;
  etr_method *methods;
  etr_arena *arena;
} filler;

static const etr_graph *graph_of(const filler *f, const etr_method *method) {
  return method->graph == ETR_NONE ? NULL : &f->profile->graphs[method->graph];
}

static const etr_value *token_input_of(const filler *f, const etr_method *method) {
  const etr_graph *graph = graph_of(f, method);
  return graph ? etr_token_input(graph) : NULL;
}

/* ---- Tokens of runs ---- */

/* Sets the number of tokens that each run of a method reads, excluded ones included:
 * tokens_of_run[run] or, if that list is NULL, the same number (`tokens_of_all`) for all. 0:
 * unknown. */
static void set_tokens(const filler *f, const etr_method *method, const uint64_t *tokens_of_run,
                       uint64_t tokens_of_all) {
  for (size_t i = 0; i < method->run_count; i++) {
    uint32_t run = method->runs[i];
    f->runs[run].token_count = tokens_of_run ? tokens_of_run[run] : tokens_of_all;
  }
  for (size_t i = 0; i < method->skipped_run_count; i++) {
    uint32_t run = method->skipped_runs[i];
    f->runs[run].token_count = tokens_of_run ? tokens_of_run[run] : tokens_of_all;
  }
}

/* Returns the size of a symbolic dimension that a logged tensor shows: the symbol is a dimension of
 * the node output that was logged. 0 if it is none. */
static uint64_t size_of_symbol(const filler *f, const etr_graph *graph,
                               const etr_debug_value *value, const char *symbol) {
  const etr_edge origin = etr_debug_value_origin(f->profile, value);
  if (value->kind != ETR_DEBUG_TENSOR || origin.node == ETR_NONE)
    return 0;
  const etr_node *node = &graph->nodes[origin.node];
  if (origin.output >= node->output_count || node->outputs[origin.output].rank != value->rank)
    return 0;
  for (int32_t i = 0; i < value->rank; i++) {
    const char *other = node->outputs[origin.output].dims[i].symbol;
    if (other && strcmp(other, symbol) == 0)
      return (uint64_t)ETR_MAX(value->sizes[i], 0);
  }
  return 0;
}

/* Returns whether all sizes of a tensor are known: none is symbolic or an upper bound. */
static bool has_static_shape(const etr_value *value) {
  for (int32_t i = 0; i < value->rank; i++)
    if (value->dims[i].size == ETR_DIM_SYMBOLIC)
      return false;
  return !value->is_bound;
}

/* Returns how many tokens each run reads: the number of elements of the token input; 0 if a size is
 * symbolic. */
static uint64_t tokens_by_shape(const etr_value *input) {
  uint64_t tokens = has_static_shape(input) ? 1 : 0;
  for (int32_t k = 0; k < input->rank && tokens > 0; k++)
    tokens *= (uint64_t)input->dims[k].size;
  return tokens;
}

/* Sets the tokens of each run to the number of elements of its token input, where symbolic sizes
 * are those of tensors that the run logged; 0, unknown, if it logged none that shows them. Returns
 * false when out of memory. */
static bool set_logged_tokens(const filler *f, const etr_method *method, const etr_value *input) {
  const etr_profile *profile = f->profile;
  const etr_graph *graph = graph_of(f, method);
  uint32_t index = (uint32_t)(method - f->methods);
  uint64_t *tokens = etr_arena_alloc_array(f->arena, profile->run_count, sizeof *tokens);
  uint64_t *sizes = etr_arena_alloc_array(f->arena, profile->run_count, sizeof *sizes);
  if (etr_arena_failed(f->arena))
    return false;
  for (size_t i = 0; i < profile->run_count; i++)
    tokens[i] = 1;
  for (int32_t k = 0; k < input->rank; k++) {
    const etr_dim *dim = &input->dims[k];
    bool is_known = dim->size != ETR_DIM_SYMBOLIC && !input->is_bound;
    for (size_t i = 0; i < profile->run_count; i++)
      sizes[i] = is_known ? (uint64_t)dim->size : 0;
    for (size_t i = 0; dim->symbol && i < profile->debug_value_count; i++) {
      const etr_debug_value *value = &profile->debug_values[i];
      if (value->method == index && sizes[value->run] == 0)
        sizes[value->run] = size_of_symbol(f, graph, value, dim->symbol);
    }
    for (size_t i = 0; i < profile->run_count; i++)
      tokens[i] *= sizes[i];
  }
  set_tokens(f, method, tokens, 0);
  return true;
}

/* Sets the number of tokens of each run of a method that reads tokens: by the shape of its token
 * input or, if that is dynamic, by logged values. Returns false when out of memory. */
static bool set_tokens_of_method(const filler *f, const etr_method *method) {
  const etr_value *input = token_input_of(f, method);
  if (!input)
    return true;
  if (!has_static_shape(input))
    return set_logged_tokens(f, method, input);
  set_tokens(f, method, NULL, tokens_by_shape(input));
  return true;
}

/* ---- The throughput ---- */

/* Returns the mean number of tokens of the runs that make up the typical run, by their weights in
 * it; NaN if one of them has an unknown number. */
static double mean_tokens(const filler *f, const etr_method *method,
                          const etr_typical_run *typical) {
  double sum = 0;
  for (size_t i = 0; typical->weights && i < method->run_count; i++) {
    uint64_t tokens = f->runs[method->runs[i]].token_count;
    if (typical->weights[i] <= 0)
      continue;
    if (tokens == 0)
      return NAN;
    sum += typical->weights[i] * (double)tokens;
  }
  double mean = typical->divisor > 0 ? sum / typical->divisor : NAN;
  return fabs(mean - round(mean)) < 1e-9 ? round(mean) : mean; /* weights are rounded */
}

/* Runs that have one throughput: a method's, or those of one of its phases. */
typedef struct measured_runs {
  const etr_typical_run *typical;
  double ticks; /* of the typical run */
  const uint32_t *runs;
  size_t run_count;
} measured_runs;

/* Sets the rates of the slowest and the fastest of these runs, whose tokens are all known. */
static void find_extreme_rates(const filler *f, etr_throughput *out, const measured_runs *of) {
  for (size_t i = 0; i < of->run_count; i++) {
    const etr_run *run = &f->runs[of->runs[i]];
    if (run->execute_ticks == 0 || run->token_count == 0)
      continue;
    double seconds = (double)run->execute_ticks / f->profile->ticks_per_second;
    double rate = (double)run->token_count / seconds;
    out->slowest_per_second = fmin(out->slowest_per_second, rate); /* which ignore a NaN */
    out->fastest_per_second = fmax(out->fastest_per_second, rate);
  }
}

/* Returns the throughput, in ms per token and tokens per second, of these runs of a method. What is
 * unknown is NaN, and `why` says the reason. NULL when out of memory. */
static etr_throughput *measure_throughput(const filler *f, const etr_method *method,
                                          const measured_runs *of) {
  etr_throughput *made = etr_arena_alloc(f->arena, sizeof *made);
  if (!made)
    return NULL;
  bool has_run = method->run_count > 0;
  uint64_t tokens = has_run ? 0 : tokens_by_shape(token_input_of(f, method));
  *made = (etr_throughput){.ms_per_token = NAN,
                           .tokens_per_second = NAN,
                           .slowest_per_second = NAN,
                           .fastest_per_second = NAN};
  if (has_run)
    made->tokens_per_run = mean_tokens(f, method, of->typical);
  else
    made->tokens_per_run = tokens ? (double)tokens : NAN;
  if (!has_run)
    made->why = "it did not run";
  else if (isnan(made->tokens_per_run))
    made->why = "the number of tokens is symbolic and was not logged: record with a debug buffer";
  else if (!(of->ticks > 0))
    made->why = "its runs have no time";
  else {
    double ms = of->ticks / f->profile->ticks_per_second * 1e3;
    made->ms_per_token = ms / made->tokens_per_run;
    made->tokens_per_second = made->tokens_per_run / ms * 1e3;
    find_extreme_rates(f, made, of);
  }
  return made;
}

/* Sets the throughput of a method that reads tokens, and of each phase of its runs, in a copy of
 * the phases. Returns false when out of memory. */
static bool set_throughput_of_method(const filler *f, etr_method *method) {
  if (!token_input_of(f, method))
    return true;
  etr_run_phase *phases = etr_arena_alloc_array(f->arena, method->run_phase_count, sizeof *phases);
  measured_runs all = {&method->typical, method->execute.typical, method->runs, method->run_count};
  method->throughput = measure_throughput(f, method, &all);
  if (!phases || !method->throughput)
    return false;
  for (size_t i = 0; i < method->run_phase_count; i++) {
    etr_run_phase *phase = &phases[i];
    *phase = method->run_phases[i];
    measured_runs some = {&phase->typical, phase->execute.typical, phase->runs, phase->run_count};
    phase->throughput = measure_throughput(f, method, &some);
    if (!phase->throughput)
      return false;
  }
  if (method->run_phase_count)
    method->run_phases = phases;
  return true;
}

/* ---- Loads ---- */

/* Sets profile->load to the event that takes longest, by its mean time, outside of inferences:
 * loading the program. */
static void find_longest_load(etr_profile *profile) {
  for (size_t i = 0; i < profile->block_count; i++) {
    const etr_block *block = &profile->blocks[i];
    for (size_t k = 0; block->method == ETR_NONE && k < block->event_count; k++)
      if (!profile->load || block->events[k].stats.avg > profile->load->stats.avg)
        profile->load = &block->events[k];
  }
}

/* ---- The first token ---- */

/* A method or a phase that reads a known number of tokens. */
typedef struct reader {
  uint32_t method, phase;
  const etr_throughput *throughput;
  double ticks;
} reader;

typedef etr_vec(reader) readers;

/* Adds a method or phase to those whose tokens per run are known; leaves out one whose are not.
 * Returns false when out of memory. */
static bool add_token_reader(readers *list, etr_arena *arena, reader added) {
  if (!added.throughput || isnan(added.throughput->tokens_per_run))
    return true;
  reader *slot = etr_vec_push(arena, list);
  if (slot)
    *slot = added;
  return slot != NULL;
}

/* Lists the methods that read a known number of tokens per run; of a method with several phases,
 * such as prefill and decode, its phases instead. Returns false when out of memory. */
static bool list_token_readers(const filler *f, readers *list) {
  for (uint32_t i = 0; i < f->profile->method_count; i++) {
    const etr_method *method = &f->methods[i];
    bool has_phases = method->mixed_phase_count > 1;
    const reader whole = {i, ETR_NONE, method->throughput, method->execute.typical};
    if (method->run_count && !has_phases && !add_token_reader(list, f->arena, whole))
      return false;
    for (uint32_t k = 0; has_phases && k < method->run_phase_count; k++) {
      const etr_run_phase *phase = &method->run_phases[k];
      const reader part = {i, k, phase->throughput, phase->execute.typical};
      if (phase->run_count && !add_token_reader(list, f->arena, part))
        return false;
    }
  }
  return true;
}

/* Sets the time to the first token, in ticks: that of the method or phase which reads the most
 * tokens per run, because it reads the prompt. Sets nothing if no other reads fewer. If a load was
 * recorded, with_load adds its typical time, once for each method that ran. Returns false when out
 * of memory. */
static bool set_time_to_first_token(const filler *f) {
  readers list = {0};
  if (!list_token_readers(f, &list))
    return false;
  const reader *most_tokens = NULL, *least_tokens = NULL;
  for (size_t i = 0; i < list.count; i++) {
    const reader *current = &list.data[i];
    double tokens = current->throughput->tokens_per_run;
    if (!most_tokens || tokens > most_tokens->throughput->tokens_per_run)
      most_tokens = current;
    if (!least_tokens || tokens < least_tokens->throughput->tokens_per_run)
      least_tokens = current;
  }
  if (!most_tokens)
    return true;
  if (!(most_tokens->throughput->tokens_per_run > least_tokens->throughput->tokens_per_run))
    return true;
  etr_first_token *found = etr_arena_alloc(f->arena, sizeof *found);
  if (!found)
    return false;
  *found = (etr_first_token){most_tokens->method, most_tokens->phase, most_tokens->ticks, NAN};
  if (f->profile->load)
    found->with_load = most_tokens->ticks + f->profile->load->stats.typical *
                                                (double)etr_loaded_method_count(f->profile);
  f->profile->first_token = found;
  return true;
}

/* ---- Time against position ---- */

enum { LEAST_RUNS = 10, MOST_RUNS = 400, MOST_POINTS = 32 };

/* A run of one token. */
typedef struct step {
  double position, ms;
} step;

typedef struct steps {
  step *list;
  size_t count, sequences;
} steps;

/* Returns whether inferences write buffers, so that a run can see those before it. Sets *most to
 * the largest dimension of these buffers: none of them has more positions. 0: not known. */
static bool has_cache(const etr_graph *graph, double *most) {
  bool found = false;
  *most = 0;
  for (size_t i = 0; graph && i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    if (node->kind != ETR_NODE_BUFFER || !node->is_written)
      continue;
    found = true;
    for (int32_t k = 0; node->output_count > 0 && k < node->outputs[0].rank; k++)
      *most = fmax(*most, (double)node->outputs[0].dims[k].size);
  }
  return found;
}

/* Returns whether a method computes the same at all positions: its operators are known ones of
 * static shapes, none of which reads up to a position, as ExecuTorch's attention with a cache does.
 */
static bool computes_the_same(const etr_graph *graph) {
  static const char *const known[] = {"aten.",    "dim_order_ops.", "quantized_decomposed.",
                                      "torchao.", "_operator.",     "llama.update_cache."};
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    bool is_known = node->kind != ETR_NODE_OP;
    for (size_t k = 0; k < ETR_COUNT(known) && !is_known; k++)
      is_known = etr_slice_starts(etr_slice_of(node->target), etr_slice_of(known[k]));
    if (!is_known)
      return false;
    for (size_t k = 0; k < node->output_count; k++)
      for (int32_t d = 0; d < node->outputs[k].rank; d++)
        if (node->outputs[k].dims[d].size == ETR_DIM_SYMBOLIC)
          return false;
  }
  return true;
}

static bool is_inference(const filler *f, uint32_t run) {
  return f->profile->blocks[f->runs[run].block].method != ETR_NONE;
}

/* A sequence of tokens, while its runs are walked over. */
typedef struct token_sequence {
  double position;             /* tokens before the next run; NAN: not known */
  size_t prompt_runs, singles; /* its runs of more tokens, and of one */
} token_sequence;

/* Returns whether the runs cannot be one sequence: they read more tokens than the cache has
 * positions (`most`; 0: not known), or a prompt of several runs has no more tokens behind it than
 * runs, as where each method is called as often as the others, with the same input each time. */
static bool is_no_sequence(const token_sequence *s, double most) {
  return (most > 0 && s->position > most) || (s->prompt_runs > 1 && s->singles <= s->prompt_runs);
}

/* Lists the included runs of a method that read one token, with their time in ms and their
 * position: the number of tokens before them in their sequence, which a cache keeps. A sequence
 * begins with a prompt, which is one or several runs of more tokens, or with the recording. Behind
 * a run whose tokens are not known, positions are not known; nor are they in a recording with runs
 * that are no sequence. */
static void list_single_token_runs(const filler *f, const etr_method *method, double most,
                                   steps *out) {
  size_t run_index = 0, number = 0, last_number = 0;
  token_sequence sequence = {0};
  steps before = *out; /* what the recordings before this one have */
  bool is_in_prompt = false, is_odd = false;
  for (uint32_t run = 0; run < f->profile->run_count; run++) {
    uint64_t tokens = f->runs[run].token_count;
    bool is_new = run == 0 || f->runs[run].dump != f->runs[run - 1].dump;
    if (!is_new && !is_inference(f, run))
      continue;
    if (is_new || (tokens > 1 && !is_in_prompt)) {
      is_odd |= is_no_sequence(&sequence, most);
      sequence = (token_sequence){0};
      number++;
    }
    if (is_new) {
      *out = is_odd ? before : *out;
      before = *out;
      is_odd = false;
    }
    is_in_prompt = tokens > 1;
    while (run_index < method->run_count && method->runs[run_index] < run)
      run_index++;
    bool is_of_method = run_index < method->run_count && method->runs[run_index] == run;
    if (is_of_method && tokens == 1 && !isnan(sequence.position)) {
      double ticks = (double)method->execute_per_run[run_index];
      out->list[out->count++] = (step){sequence.position,
                                       ticks / f->profile->ticks_per_second * 1e3};
      out->sequences += last_number != number;
      last_number = number;
    }
    if (is_inference(f, run))
      sequence.position = tokens ? sequence.position + (double)tokens : NAN;
    sequence.prompt_runs += tokens > 1;
    sequence.singles += tokens == 1;
  }
  if (is_odd || is_no_sequence(&sequence, most))
    *out = before;
}

/* Keeps at most MOST_RUNS runs of the list, evenly spaced, because all pairs are compared later.
 * Returns how many are left. */
static size_t keep_evenly_spaced(step *list, size_t count) {
  size_t kept = ETR_MIN(count, (size_t)MOST_RUNS);
  for (size_t i = 0; i < kept; i++)
    list[i] = list[i * count / kept];
  return kept;
}

/* Sets by how much the time of a run of one token grows with its position, in ms per 1000 tokens:
 * the median slope of all pairs of runs (Theil-Sen), which outliers hardly change. Its two-sided
 * interval of 95 % is the one of Kendall's rank statistic, whose distance in ranks counts from the
 * median slope. Sets *is_known to false if all positions are equal. Returns false when out of
 * memory. */
static bool find_slope(etr_cache_growth *out, const step *list, size_t count, etr_arena *scratch,
                       bool *is_known) {
  size_t pairs = 0;
  double *slopes = etr_arena_alloc_array(scratch, count * (count - 1) / 2, sizeof *slopes);
  if (!slopes)
    return false;
  for (size_t i = 0; i < count; i++)
    for (size_t k = i + 1; k < count; k++) {
      double distance = list[k].position - list[i].position;
      if (fabs(distance) > 0)
        slopes[pairs++] = 1e3 * (list[k].ms - list[i].ms) / distance;
    }
  *is_known = pairs > 0;
  if (pairs == 0)
    return true;
  etr_sort(slopes, pairs, sizeof *slopes, etr_by_double);
  double n = (double)count;
  double distance_of_ranks = etr_normal_quantile(.05) * sqrt(n * (n - 1) * (2 * n + 5) / 18);
  double middle = (double)pairs / 2;
  size_t low = (size_t)fmax(middle - distance_of_ranks / 2, 0);
  size_t high = (size_t)fmin(middle + distance_of_ranks / 2, (double)(pairs - 1));
  out->ms_per_1000 = etr_median_of_sorted(slopes, pairs);
  out->low = slopes[low];
  out->high = slopes[high];
  return true;
}

/* Orders runs by position in the sequence, then by time. */
static int by_position(const void *a, const void *b) {
  const step *x = a, *y = b;
  int compared = (x->position > y->position) - (x->position < y->position);
  return compared ? compared : (x->ms > y->ms) - (x->ms < y->ms);
}

/* Divides the positions into up to MOST_POINTS ranges of equal width, and sets a point for each
 * that has runs: their mean position, rounded down, and median time in ms. Sorts the runs by
 * position. Returns false when out of memory. */
static bool set_time_by_position(etr_cache_growth *out, step *list, size_t count, etr_arena *arena,
                                 etr_arena *scratch) {
  etr_position_time *curve = etr_arena_alloc_array(arena, MOST_POINTS, sizeof *curve);
  double *ms = etr_arena_alloc_array(scratch, count, sizeof *ms);
  if (!curve || !ms)
    return false;
  etr_sort(list, count, sizeof *list, by_position);
  double first = list[0].position;
  double width = (list[count - 1].position - first + 1) / MOST_POINTS;
  for (size_t i = 0, end; i < count; i = end) {
    double range = floor((list[i].position - first) / width), sum = 0;
    for (end = i; end < count && floor((list[end].position - first) / width) <= range; end++) {
      ms[end - i] = list[end].ms;
      sum += list[end].position;
    }
    etr_sort(ms, end - i, sizeof *ms, etr_by_double);
    curve[out->curve_count++] = (etr_position_time){floor(sum / (double)(end - i)),
                                                    etr_median_of_sorted(ms, end - i), end - i};
  }
  out->curve = curve;
  return true;
}

/* Returns whether runs of a method, or of one of its phases, have one of two verdicts. */
static bool has_verdict(const etr_method *method, etr_noise_verdict one, etr_noise_verdict other) {
  etr_noise_verdict verdict = method->noise.verdict;
  bool found = verdict == one || verdict == other;
  for (size_t i = 0; i < method->run_phase_count; i++) {
    verdict = method->run_phases[i].noise.verdict;
    found |= verdict == one || verdict == other;
  }
  return found;
}

/* Sets the profile's cache_growth: how the time of a run of one token grows with the tokens in the
 * cache. Sets nothing if all positions are equal. Returns false when out of memory. */
static bool measure_cache_growth(const filler *f, uint32_t method, steps *found,
                                 etr_arena *scratch) {
  etr_cache_growth *growth = etr_arena_alloc(f->arena, sizeof *growth);
  bool is_known;
  if (!growth)
    return false;
  const etr_method *of = &f->methods[method];
  *growth = (etr_cache_growth){.method = method,
                               .sequence_count = found->sequences,
                               .has_drift = has_verdict(of, ETR_NOISE_STEP, ETR_NOISE_DRIFT),
                               .is_noisy = has_verdict(of, ETR_NOISE_NOISY, ETR_NOISE_TWO_MODES)};
  size_t count = keep_evenly_spaced(found->list, found->count);
  if (!find_slope(growth, found->list, count, scratch, &is_known) ||
      !set_time_by_position(growth, found->list, count, f->arena, scratch))
    return false;
  if (is_known)
    f->profile->cache_growth = growth;
  return true;
}

/* Measures how time grows with the cache for the first method that has a cache, does not compute
 * the same at all positions, and has at least LEAST_RUNS runs of one token at different ones.
 * Returns false when out of memory. */
static bool find_cache_growth(const filler *f) {
  etr_arena scratch = {0};
  steps found = {etr_arena_alloc_array(&scratch, f->profile->run_count, sizeof *found.list), 0, 0};
  bool good = found.list != NULL;
  for (uint32_t i = 0; good && !f->profile->cache_growth && i < f->profile->method_count; i++) {
    const etr_method *method = &f->methods[i];
    double most;
    const etr_graph *graph = graph_of(f, method);
    if (method->run_count < LEAST_RUNS || !has_cache(graph, &most) || computes_the_same(graph))
      continue;
    found.count = found.sequences = 0;
    list_single_token_runs(f, method, most, &found);
    if (found.count >= LEAST_RUNS)
      good = measure_cache_growth(f, i, &found, &scratch);
  }
  etr_arena_clear(&scratch);
  return good;
}

/* ---- Together ---- */

/* Methods without a token input get no throughput. */
bool etr_throughput_fill(etr_profile *profile, etr_run *runs, etr_method *methods,
                         etr_arena *arena) {
  const filler f = {profile, runs, methods, arena};
  find_longest_load(profile);
  for (size_t i = 0; i < profile->method_count; i++)
    if (!set_tokens_of_method(&f, &methods[i]) || !set_throughput_of_method(&f, &methods[i]))
      return false;
  return set_time_to_first_token(&f) && find_cache_growth(&f);
}
