/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_renames.c - modules that have other numbers on the newer side.
 */
#include "compare/renames.h"

#include <criterion/criterion.h>

typedef struct names {
  const char *base, *newer;
} names;

Test(renames, votes_of_nodes_decide) {
  static const struct {
    const char *title;
    names pairs[6];  /* modules of paired nodes, up to the first without a base */
    names wanted[5]; /* what names of the base are called, up to the first without a base */
  } cases[] = {
      {"nothing is paired", {{0}}, {{"a", "a"}, {"", ""}}},
      {"names stay", {{"a", "a"}, {"a.b", "a.b"}}, {{"a", "a"}, {"a.b", "a.b"}, {"", ""}}},
      {"a layer was inserted",
       {{"f.1", "f.2"}, {"f.2", "f.3"}, {"f.0", "f.0"}},
       {{"f.0", "f.0"}, {"f.1", "f.2"}, {"f.2", "f.3"}, {"f", "f"}}},
      {"parents are renamed by what is below them",
       {{"l.0.q", "l.1.q"}, {"l.0.k", "l.1.k"}},
       {{"l.0", "l.1"}, {"l.0.q", "l.1.q"}, {"l", "l"}, {"", ""}}},
      {"the most votes win, and nobody has two partners",
       {{"a", "b"}, {"a", "b"}, {"a", "a"}, {"c", "b"}},
       {{"a", "b"}, {"c", "c"}}},
      {"of as many votes the own name wins", {{"a", "b"}, {"a", "a"}}, {{"a", "a"}}},
      {"a name that another module has now is not its own any more",
       {{"f.1", "f.2"}},
       {{"f.1", "f.2"}, {"f.2", "f.2 (base)"}, {"f.3", "f.3"}}},
      {"a module that moved to another depth keeps its name",
       {{"a", "m.a"}},
       {{"a", "a"}, {"", ""}}},
      {"a module that moved into another one keeps its name in its own parent",
       {{"l.0.q", "l.1.q"}, {"l.0.k", "l.1.k"}, {"l.0.v", "l.2.v"}},
       {{"l.0", "l.1"}, {"l.0.v", "l.1.v"}, {"l.0.q", "l.1.q"}}},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_renames renames;
    etr_renames_init(&renames, &arena);
    for (const names *pair = cases[i].pairs; pair->base; pair++)
      cr_assert(etr_renames_add(&renames, pair->base, pair->newer));
    cr_assert(etr_renames_find(&renames));
    for (const names *wanted = cases[i].wanted; wanted->base; wanted++)
      cr_expect_str_eq(etr_renames_of(&renames, wanted->base), wanted->newer, "%s: %s is %s",
                       cases[i].title, wanted->base, etr_renames_of(&renames, wanted->base));
    etr_arena_clear(&arena);
  }
}

Test(renames, only_so_many_levels_of_a_hostile_path_are_stepped_through) {
  enum { LEVELS = 20000 };
  static char path[2 * LEVELS];
  etr_arena arena = {0};
  etr_renames renames;
  for (size_t i = 0; i < sizeof path - 1; i++)
    path[i] = i % 2 ? '.' : 'a';
  etr_renames_init(&renames, &arena);
  cr_assert(etr_renames_add(&renames, path, path));
  cr_expect_leq(renames.votes.count, 66);
  cr_assert(etr_renames_find(&renames));
  cr_expect_str_eq(etr_renames_of(&renames, path), path);
  etr_arena_clear(&arena);
}
