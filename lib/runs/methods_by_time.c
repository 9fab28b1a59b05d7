/* SPDX-License-Identifier: BSD-3-Clause
 *
 * methods_by_time.c - measures how much longer kernels that work on more data take than the others,
 * and groups runs by that.
 *
 * The limits were measured: 392 simulated kinds of recordings and 270 real ones, half of them on a
 * busy machine. No recording of one method was called two, and no run was given to a wrong method
 * in the real ones.
 */
#include "runs/fit.h"

#include "backends/operator.h"
#include "base/stats.h"
#include "inputs/maps.h"
#include "inputs/program_values.h"

#include <math.h>

/* Methods whose costs are nearer to each other stay unknown: the noise of a busy machine is as
 * large. */
static const double LEAST_COST_RATIO = 6;

/* A kernel scales if its bytes differ at least by the first factor, and is constant if they differ
 * at most by the second. */
static const double SCALES = 2, CONSTANT = 1.05;
enum { LEAST_SCALING = 5, LEAST_CONSTANT = 3 };

/* Added to each time, in microseconds, so that kernels of some nanoseconds do not count by the
 * step of the clock. */
static const double STEP = .05;

/* Two groups among the runs that are not behind a load. */
enum { LEAST_IN_GROUPS = 4, LEAST_IN_GROUP = 2 };
static const double LEAST_GAP = 2, LEAST_RATIO = 3, MOST_RATIO = 1.5;
static const double LEAST_ABOVE = .9, MOST_BELOW = .82;

/* One run behind a load that is unlike all other runs. */
enum { LEAST_OTHERS = 3, LOADS = 2 };
static const double LEAST_TO_OTHER = 2, LEAST_TO_MEDIAN = 2.5, MOST_TO_OTHERS = 3;
static const double LEAST_LEADING = .8, MOST_SPREAD = .4, NEAR_FIRST = 1.5, LEAST_NEAR = .85;

/* The band around the middle of both groups in which a run stays unknown. */
static const double BAND = 1.4;
static const double LEAST_OF_DEARER = .85, LEAST_OF_LEADING = .8;

const char *etr_time_rule_name(etr_time_rule rule) {
  static const char *const names[] = {"", "likely, by time", "likely, by loads and time"};
  return names[rule];
}

/* ---- How much longer the kernels that scale take in each run ---- */

/* What is measured of the runs. Scaling kernels work on more data in the dearer method, constant
 * ones on the same data in both; the stretch of a kernel in a run is its time by its usual one. */
typedef struct measuring {
  const etr_kernel_times *times;
  etr_arena scratch;
  size_t *scaling, *constant; /* the kernels of each group */
  size_t scaling_count, constant_count;
  double *usual;     /* per kernel: its second least time */
  double *scaled;    /* per run, the lower quartile of the stretch of scaling kernels */
  double *stretch;   /* x: per run, `scaled` by the median stretch of constant kernels */
  double *advantage; /* a: per run, the share of pairs of a scaling and a constant kernel in which
                        the scaling one is stretched more */
  double *room, *other_room; /* working memory: as long as there are kernels or runs */
} measuring;

/* Lists the kernels that work on more data in the dearer method, and those that work on the same
 * data in both; others are in neither list. Returns false when out of memory. */
static bool list_scaling_and_constant_kernels(measuring *m) {
  size_t count = m->times->kernel_count;
  m->scaling = etr_arena_alloc_array(&m->scratch, count, sizeof *m->scaling);
  m->constant = etr_arena_alloc_array(&m->scratch, count, sizeof *m->constant);
  for (size_t k = 0; m->scaling && m->constant && k < count; k++) {
    double ratio = m->times->ratios[k];
    if (ratio >= SCALES)
      m->scaling[m->scaling_count++] = k;
    else if (ratio <= CONSTANT && ratio >= 1 / CONSTANT)
      m->constant[m->constant_count++] = k;
  }
  return m->scaling && m->constant;
}

/* Sets the usual time of each kernel, in microseconds, to its second least time over all runs: the
 * least may be an error of the clock. */
static void find_usual_times(measuring *m) {
  for (size_t k = 0; k < m->times->kernel_count; k++) {
    double least = INFINITY, second = INFINITY;
    for (size_t r = 0; r < m->times->run_count; r++) {
      double us = m->times->us[r * m->times->kernel_count + k];
      if (us < least) {
        second = least;
        least = us;
      } else {
        second = ETR_MIN(second, us);
      }
    }
    m->usual[k] = isinf(second) ? least : second;
  }
}

/* Fills `out` with how many times as long as usual each of these kernels took in a run, sorted.
 * STEP is added to both times, in microseconds, because the clock cannot tell such short ones
 * apart. */
static void list_sorted_stretches(const measuring *m, size_t run, const size_t *kernels,
                                  size_t count, double *out) {
  for (size_t i = 0; i < count; i++) {
    double us = m->times->us[run * m->times->kernel_count + kernels[i]];
    out[i] = (us + STEP) / (m->usual[kernels[i]] + STEP);
  }
  etr_sort(out, count, sizeof *out, etr_by_double);
}

/* Returns the share of all pairs of a number of `first` and one of `second` in which the former is
 * larger; equal ones count half. Both lists are sorted. */
static double share_larger(const double *first, size_t first_count, const double *second,
                           size_t second_count) {
  size_t below = 0, up_to = 0; /* numbers of `second` that are smaller, and not larger */
  double pairs = 0;
  for (size_t i = 0; i < first_count; i++) {
    while (below < second_count && second[below] < first[i])
      below++;
    while (up_to < second_count && second[up_to] <= first[i])
      up_to++;
    pairs += (double)(below + up_to) / 2;
  }
  return pairs / ((double)first_count * (double)second_count);
}

/* Sets for a run by how much its scaling kernels took longer than usual: `scaled` on their own (the
 * lower quartile), `stretch` divided by the median of the constant ones, and `advantage` as the
 * share of pairs of a scaling and a constant kernel in which the scaling one is stretched more. */
static void measure_stretch_of_run(measuring *m, size_t run) {
  list_sorted_stretches(m, run, m->scaling, m->scaling_count, m->room);
  list_sorted_stretches(m, run, m->constant, m->constant_count, m->other_room);
  m->scaled[run] = etr_percentile_of_sorted(m->room, m->scaling_count, 25);
  m->stretch[run] = m->scaled[run] / etr_median_of_sorted(m->other_room, m->constant_count);
  m->advantage[run] = share_larger(m->room, m->scaling_count, m->other_room, m->constant_count);
}

/* Measures for each run by how much the kernels of both kinds, scaling and constant, took longer
 * than usual, into `scaled`, `stretch` and `advantage`. Returns false when out of memory. */
static bool measure_runs(measuring *m) {
  size_t runs = m->times->run_count, room = ETR_MAX(m->times->kernel_count, runs) + 1;
  m->usual = etr_arena_alloc_array(&m->scratch, room, sizeof *m->usual);
  m->scaled = etr_arena_alloc_array(&m->scratch, runs, sizeof *m->scaled);
  m->stretch = etr_arena_alloc_array(&m->scratch, runs, sizeof *m->stretch);
  m->advantage = etr_arena_alloc_array(&m->scratch, runs, sizeof *m->advantage);
  m->room = etr_arena_alloc_array(&m->scratch, room, sizeof *m->room);
  m->other_room = etr_arena_alloc_array(&m->scratch, room, sizeof *m->other_room);
  if (etr_arena_failed(&m->scratch))
    return false;
  find_usual_times(m);
  for (size_t r = 0; r < runs; r++)
    measure_stretch_of_run(m, r);
  return true;
}

/* ---- Two groups of runs ---- */

/* What distinguishes the groups: the median stretch of each. */
typedef struct groups {
  double low, high;
} groups;

/* Returns the median advantage of those runs that are not behind a load and whose stretch is above
 * `cut`, or with `is_above` unset not above it. */
static double median_advantage(measuring *m, double cut, bool is_above) {
  size_t count = 0;
  for (size_t r = 0; r < m->times->run_count; r++)
    if (!m->times->behind_load[r] && (m->stretch[r] > cut) == is_above)
      m->other_room[count++] = m->advantage[r];
  etr_sort(m->other_room, count, sizeof *m->other_room, etr_by_double);
  return etr_median_of_sorted(m->other_room, count);
}

/* Sorts the stretches of the runs that are not behind a load into m->room, and returns their
 * number. */
static size_t sort_stretches_of_rest(measuring *m) {
  size_t count = 0;
  for (size_t r = 0; r < m->times->run_count; r++)
    if (!m->times->behind_load[r])
      m->room[count++] = m->stretch[r];
  etr_sort(m->room, count, sizeof *m->room, etr_by_double);
  return count;
}

/* Splits the runs that are not behind a load into two groups at the widest gap between their
 * stretches, and sets *out to the median stretches of the groups. Returns false if a group is too
 * small, or if the groups are not clear: the gap must be wide, the ratio of the groups must fit the
 * costs of the methods, and the scaling kernels must be stretched more than the constant ones in
 * the upper group (true), but not in the lower one (false). */
static bool split_rest_at_widest_gap(measuring *m, groups *out) {
  size_t count = sort_stretches_of_rest(m), split = 0;
  double gap = 0;
  if (count < LEAST_IN_GROUPS)
    return false;
  for (size_t i = 1; i < count; i++) {
    double ratio = m->room[i] / m->room[i - 1];
    if (ratio <= gap)
      continue;
    gap = ratio;
    split = i;
  }
  double cut = sqrt(m->room[split - 1] * m->room[split]);
  *out = (groups){.low = etr_median_of_sorted(m->room, split),
                  .high = etr_median_of_sorted(m->room + split, count - split)};
  double ratio = out->high / out->low;
  return split >= LEAST_IN_GROUP && count - split >= LEAST_IN_GROUP && gap >= LEAST_GAP &&
         ratio >= LEAST_RATIO && ratio <= MOST_RATIO * m->times->cost_ratio &&
         median_advantage(m, cut, true) >= LEAST_ABOVE &&
         median_advantage(m, cut, false) <= MOST_BELOW;
}

/* Returns the median distance of the stretches of runs that are not behind a load from a center,
 * as a logarithm. */
static double spread_of(measuring *m, double center) {
  size_t count = 0;
  for (size_t r = 0; r < m->times->run_count; r++)
    if (!m->times->behind_load[r])
      m->other_room[count++] = fabs(log(m->stretch[r] / center));
  etr_sort(m->other_room, count, sizeof *m->other_room, etr_by_double);
  return etr_median_of_sorted(m->other_room, count);
}

/* Compares the two runs directly after loads with each other and with all other runs. Returns true
 * if one of them is clearly the only run of the dearer method: its stretch is far from that of the
 * other one and from the median of all, these are near to each other, and no run is like it. Then
 * *out has that median and its stretch. */
static bool compare_runs_behind_loads(measuring *m, groups *out) {
  size_t leading[LOADS], leading_count = 0, count = sort_stretches_of_rest(m);
  double median = etr_median_of_sorted(m->room, count);
  for (size_t r = 0; r < m->times->run_count; r++) {
    if (!m->times->behind_load[r])
      continue;
    if (leading_count == LOADS)
      return false;
    leading[leading_count++] = r;
  }
  if (leading_count < LOADS || count < LEAST_OTHERS)
    return false;
  bool first_is_longer = m->stretch[leading[0]] >= m->stretch[leading[1]];
  size_t longer = leading[first_is_longer ? 0 : 1];
  double first = m->stretch[longer], other = m->stretch[leading[first_is_longer ? 1 : 0]];
  bool is_far = first >= LEAST_TO_OTHER * other && first >= LEAST_TO_MEDIAN * median &&
                first <= MOST_TO_OTHERS * m->times->cost_ratio * ETR_MAX(median, other);
  if (!is_far || m->advantage[longer] < LEAST_LEADING || spread_of(m, median) >= MOST_SPREAD)
    return false;
  for (size_t r = 0; r < m->times->run_count; r++)
    if (!m->times->behind_load[r] && m->stretch[r] > first / NEAR_FIRST &&
        m->advantage[r] < LEAST_NEAR)
      return false;
  *out = (groups){.low = median, .high = first};
  return true;
}

/* Returns the geometric middle between the medians of `scaled` of the two groups, which the stretch
 * `middle` divides: the runs above it and the others. INFINITY if a group is empty. */
static double middle_of_scaled(measuring *m, double middle) {
  double medians[2];
  for (int above = 0; above < 2; above++) {
    size_t count = 0;
    for (size_t r = 0; r < m->times->run_count; r++)
      if ((m->stretch[r] > middle) == above)
        m->other_room[count++] = m->scaled[r];
    etr_sort(m->other_room, count, sizeof *m->other_room, etr_by_double);
    medians[above] = count ? etr_median_of_sorted(m->other_room, count) : INFINITY;
  }
  return sqrt(medians[0] * medians[1]);
}

/* Returns the method that a run is of, or unknown. A neighbor that stretches constant kernels
 * makes the dearer method look like the cheaper one; its scaling kernels still take as long as in
 * the dearer one, so such a run stays unknown. */
static etr_time_label label_of_run(const measuring *m, size_t run, double middle,
                                   double middle_scaled) {
  double least = m->times->behind_load[run] ? LEAST_OF_LEADING : LEAST_OF_DEARER;
  if (m->stretch[run] > BAND * middle && m->advantage[run] >= least)
    return ETR_TIME_LABEL_DEARER;
  return m->stretch[run] < middle / BAND && m->scaled[run] < middle_scaled ? ETR_TIME_LABEL_CHEAPER
                                                                           : ETR_TIME_LABEL_UNKNOWN;
}

/* The runs that are not behind a load are tried first, because there are more of them. */
bool etr_label_runs_by_times(etr_time_label *labels, etr_time_rule *rule,
                             const etr_kernel_times *times) {
  measuring m = {.times = times};
  groups found = {0};
  *rule = ETR_TIME_RULE_NONE;
  for (size_t r = 0; r < times->run_count; r++)
    labels[r] = ETR_TIME_LABEL_UNKNOWN;
  bool good = list_scaling_and_constant_kernels(&m);
  bool can_tell = good && times->run_count > 1 && times->cost_ratio >= LEAST_COST_RATIO &&
                  m.scaling_count >= LEAST_SCALING && m.constant_count >= LEAST_CONSTANT;
  good = good && (!can_tell || measure_runs(&m));
  if (good && can_tell && split_rest_at_widest_gap(&m, &found))
    *rule = ETR_TIME_RULE_TIMES;
  else if (good && can_tell && compare_runs_behind_loads(&m, &found))
    *rule = ETR_TIME_RULE_LOADS;
  double middle = sqrt(found.low * found.high), middle_scaled = 0;
  if (good && *rule != ETR_TIME_RULE_NONE)
    middle_scaled = middle_of_scaled(&m, middle);
  for (size_t r = 0; good && *rule != ETR_TIME_RULE_NONE && r < times->run_count; r++)
    labels[r] = label_of_run(&m, r, middle, middle_scaled);
  etr_arena_clear(&m.scratch);
  return good;
}

/* ---- How many bytes a kernel reads and writes in a method ---- */

/* Returns true if a later argument of the instruction is the same value. */
static bool is_repeated_later(const etr_instruction *instruction, size_t arg) {
  for (size_t i = arg + 1; i < instruction->arg_count; i++)
    if (instruction->args[i] == instruction->args[arg])
      return true;
  return false;
}

/* Adds up the bytes of the tensors that an instruction of the program gets, each once. Returns 0
 * if they are not known. */
static double bytes_of_instruction(const etr_pte_method *program, int32_t id) {
  const etr_instruction *instruction = etr_instruction_at(program, id);
  double sum = 0;
  for (size_t i = 0; instruction && i < instruction->arg_count; i++) {
    uint64_t bytes;
    const etr_pte_value *tensor = etr_tensor_at(program, instruction->args[i]);
    if (!tensor || is_repeated_later(instruction, i))
      continue;
    if (!etr_pte_value_bytes(tensor, &bytes))
      return 0;
    sum += (double)bytes;
  }
  return sum;
}

/* Adds up the bytes that a node of the graph reads and writes. Returns 0 if they are not known. */
static double bytes_of_node(const etr_graph *graph, const etr_node *node) {
  double sum = 0;
  uint64_t bytes;
  for (size_t i = 0; i < node->input_count; i++) {
    const etr_edge *input = &node->inputs[i];
    if (input->node == ETR_NONE || input->output >= graph->nodes[input->node].output_count)
      continue;
    if (!etr_value_bytes(&graph->nodes[input->node].outputs[input->output], &bytes))
      return 0;
    sum += (double)bytes;
  }
  for (size_t i = 0; i < node->output_count; i++) {
    if (!etr_value_bytes(&node->outputs[i], &bytes))
      return 0;
    sum += (double)bytes;
  }
  return sum;
}

/* Adds up the bytes that the nodes of an instruction's handles with the kernel's operator read
 * and write. Returns 0 if they are not known, or if several nodes read and write different
 * amounts. */
static double bytes_of_nodes(const etr_method_inputs *method, const etr_event *event) {
  const etr_map_instruction *map = etr_maps_find(method->map, event->instruction_id);
  uint32_t number = etr_map_get(&method->operators, etr_operator_of_event(event->name));
  double found = 0;
  for (size_t i = 0; map && number != ETR_NONE && i < map->handle_count; i++) {
    size_t count;
    size_t first = etr_node_index_find(&method->by_operator, map->handles[i], number, &count);
    for (size_t k = 0; k < count; k++) {
      const etr_node *node = &method->graph->nodes[method->by_operator.slots[first + k].node];
      double bytes = bytes_of_node(method->graph, node);
      if (found > 0 && (bytes < found || bytes > found))
        return 0;
      found = bytes;
    }
  }
  return found;
}

/* Returns the bytes that a kernel reads and writes in a method, by the program or else by the
 * graph; 0 if they are not known. */
static double bytes_of_kernel(const etr_method_inputs *method, const etr_event *event) {
  if (method->program)
    return bytes_of_instruction(method->program, event->instruction_id);
  return method->graph ? bytes_of_nodes(method, event) : 0;
}

/* ---- The times of a recording's runs ---- */

/* Recordings with more times, which would take 512 MB, stay unknown. */
enum { MOST_TIMES = 1 << 26 };

/* Adds the time of a kernel's event in each of the chosen runs, in microseconds, to column `kernel`
 * of the table of times. Samples and chosen runs are both sorted by run. */
static void add_times_of_kernel(double *us, const etr_time_question *question,
                                const etr_event *event, size_t kernel, size_t kernel_count) {
  for (size_t i = 0, r = 0; i < event->sample_count; i++) {
    while (r < question->run_count && question->runs[r] < event->sample_runs[i])
      r++;
    if (r == question->run_count)
      return;
    if (question->runs[r] == event->sample_runs[i])
      us[r * kernel_count + kernel] += (double)event->durations[i] * 1e6 /
                                       question->blocks->ticks_per_second;
  }
}

static size_t count_kernels(const etr_block *block) {
  size_t count = 0;
  for (size_t i = 0; i < block->event_count; i++)
    count += block->events[i].kind == ETR_EVENT_KERNEL;
  return count;
}

/* Adds the times of the kernels of a block to the table. All blocks have the same rows, so their
 * kernels have the same columns. */
static void add_times_of_block(double *us, const etr_time_question *q, const etr_block *block,
                               size_t kernel_count) {
  for (size_t i = 0, kernel = 0; i < block->event_count; i++)
    if (block->events[i].kind == ETR_EVENT_KERNEL)
      add_times_of_kernel(us, q, &block->events[i], kernel++, kernel_count);
}

/* Fills the table of the kernels' times with those of all blocks that the runs in question are in.
 */
static void add_times_of_runs(double *us, const etr_time_question *question, size_t kernel_count) {
  uint32_t block_before = ETR_NONE;
  for (size_t r = 0; r < question->run_count; r++) {
    uint32_t block = question->blocks->runs[question->runs[r]].block;
    bool is_new = block != block_before;
    for (size_t i = 0; is_new && i < r; i++)
      is_new = question->blocks->runs[question->runs[i]].block != block;
    if (is_new)
      add_times_of_block(us, question, &question->blocks->blocks[block], kernel_count);
    block_before = block;
  }
}

/* Sets the ratio of each kernel: the bytes that it reads and writes in the dearer method, which
 * computes more, divided by those in the cheaper one; 0 if unknown. */
static void find_byte_ratios(double *ratios, const etr_time_question *question,
                             const etr_block *block) {
  for (size_t i = 0, kernel = 0; i < block->event_count; i++) {
    if (block->events[i].kind != ETR_EVENT_KERNEL)
      continue;
    double dearer = bytes_of_kernel(question->dearer, &block->events[i]);
    double cheaper = bytes_of_kernel(question->cheaper, &block->events[i]);
    ratios[kernel++] = dearer > 0 && cheaper > 0 ? dearer / cheaper : 0;
  }
}

/* Leaves all runs unknown if there are too many times. */
bool etr_methods_by_time(etr_time_label *labels, etr_time_rule *rule,
                         const etr_time_question *question) {
  etr_arena scratch = {0};
  const etr_blocks *blocks = question->blocks;
  const etr_block *first = &blocks->blocks[blocks->runs[question->runs[0]].block];
  size_t kernels = count_kernels(first);
  *rule = ETR_TIME_RULE_NONE;
  if (question->run_count > MOST_TIMES / (kernels + 1))
    return true;
  double *us = etr_arena_alloc_array(&scratch, question->run_count * kernels, sizeof *us);
  double *ratios = etr_arena_alloc_array(&scratch, kernels, sizeof *ratios);
  bool good = us && ratios;
  if (good) {
    add_times_of_runs(us, question, kernels);
    find_byte_ratios(ratios, question, first);
    const etr_kernel_times times = {.run_count = question->run_count,
                                    .kernel_count = kernels,
                                    .us = us,
                                    .ratios = ratios,
                                    .behind_load = question->behind_load,
                                    .cost_ratio = (double)question->dearer->macs /
                                                  (double)question->cheaper->macs};
    good = etr_label_runs_by_times(labels, rule, &times);
  }
  etr_arena_clear(&scratch);
  return good;
}
