/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_backend.c - users of nodes, and the time that a backend's coarse clock hides.
 */
#include "backends/backends.h"
#include "tiny_graph.h"

#include <criterion/criterion.h>

/* Half a microsecond for each operator, in ticks of any clock. */
Test(backend, a_coarse_clock_hides_half_a_step_per_operator) {
  static const struct {
    const char *backend;
    uint64_t operators;
    double ticks_per_second;
    uint64_t ticks;
  } cases[] = {
      {"XnnpackBackend", 0, 1e9, 0}, {"XnnpackBackend", 7, 1e9, 3500},
      {"XnnpackBackend", 7, 1e6, 3}, {"XnnpackBackend", 68, 2.4e9, 81600},
      {"XnnpackBackend", 1, 1e3, 0}, {"XnnpackBackend", UINT64_MAX, 1e300, UINT64_MAX},
      {"SomeBackend", 7, 1e9, 0},    {NULL, 7, 1e9, 0},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++)
    cr_expect_eq(etr_backend_clock_hides(etr_backend_of(cases[i].backend), cases[i].operators,
                                         cases[i].ticks_per_second),
                 cases[i].ticks, "case %zu", i);
}

/* Each reader is listed once and in order; the output of the graph is a reader. */
Test(backend, users_of_a_node_are_listed_once) {
  static const char *const want[] = {"x: a b", "a: b o", "b:", "o:"};
  etr_arena arena = {0};
  etr_users users;
  const tiny_graph *g = tiny_graph_of(&arena,
                                      "x input;a split (x) [2] [2];b add (a,a.1,x);o output (a)");
  cr_assert(etr_users_find(&users, &g->graph, &arena));
  for (uint32_t i = 0; i < g->graph.node_count; i++) {
    const char *got = etr_arena_format(&arena, "%s:", g->nodes[i].name);
    for (uint32_t k = users.starts[i]; k < users.starts[i + 1]; k++)
      got = etr_arena_format(&arena, "%s %s", got, g->nodes[users.list[k]].name);
    cr_expect_str_eq(got, want[i], "%s", got);
  }
  cr_expect(etr_users_find(&users, &(etr_graph){0}, &arena), "a graph without nodes");
  etr_arena_clear(&arena);
}
