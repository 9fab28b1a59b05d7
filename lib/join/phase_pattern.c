/* SPDX-License-Identifier: BSD-3-Clause
 *
 * phase_pattern.c - a prompt comes again and again; what disturbs a run comes at any time and takes any time.
 */
#include "join/phase_pattern.h"

static const double EQUAL = 1.1;

static void end_stretch(etr_phase_pattern *p, size_t length, bool is_last) {
  size_t *shortest = is_last ? &p->shortest_last : &p->shortest, *longest = is_last ? &p->longest_last : &p->longest;
  *shortest = *longest ? ETR_MIN(*shortest, length) : length;
  *longest = ETR_MAX(*longest, length);
}

/* Runs [first, end) of a series. */
static void add_series(etr_phase_pattern *p, const etr_pattern_run *runs, size_t first, size_t end) {
  size_t stretch = 0;
  bool any = false;
  for (size_t i = first; i < end; i++) {
    bool starts_group = runs[i].is_long && (i == first || !runs[i - 1].is_long);
    *(runs[i].is_long ? &p->long_runs : &p->short_runs) += 1;
    if (starts_group && i > first) p->inner_groups++;
    if (starts_group && any) end_stretch(p, stretch, false);
    any |= runs[i].is_long;
    stretch = runs[i].is_long ? 0 : stretch + 1;
  }
  if (any && stretch) end_stretch(p, stretch, true);
}

etr_phase_pattern etr_phase_pattern_of(const etr_pattern_run *runs, size_t count) {
  etr_phase_pattern p = {.leads = true};
  for (size_t i = 0, end; i < count; i = end) {
    for (end = i; end < count && runs[end].series == runs[i].series;) end++;
    p.leads &= runs[i].is_long;
    add_series(&p, runs, i, end);
  }
  return p;
}

static bool are_equal(size_t least, size_t most) { return (double)most <= EQUAL * (double)least; }

/* In equal distances; what is behind the last group may have been cut off. */
static bool is_periodic(const etr_phase_pattern *p) {
  return p->longest > 0 && are_equal(p->shortest, p->longest) && (double)p->longest_last <= EQUAL * (double)p->longest;
}

/* The leading group of a series may be warm-up, and says nothing: it takes inner ones. Where they come in unequal
 * distances, more of them, which lie closer together than runs that something disturbed would. */
bool etr_phase_pattern_is_plausible(const etr_phase_pattern *p, double width, double gap) {
  bool is_close = width * width <= gap;
  if (p->inner_groups >= 3) return is_close || is_periodic(p);
  if (!p->leads) return false;
  if (p->inner_groups == 2) return is_periodic(p);
  return p->inner_groups == 1 && is_close && is_periodic(p) && p->longest > 1 &&
         are_equal(p->shortest_last, p->longest);
}
