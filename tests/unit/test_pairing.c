/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_pairing.c - lining up nodes: "o1/m.a:s@l<01" is operator o, named o1, in module m.a, with shape s, of source
 * line l, and reads what items 0 and 1 make; "<i" an input. Operator z only moves data.
 */
#include "compare/pairing.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16 };

static uint32_t number(etr_map *numbers, etr_slice text) {
  uint32_t known = etr_map_get(numbers, text);
  if (known == ETR_NONE) etr_map_set(numbers, text, known = (uint32_t)numbers->count + 1);
  return known;
}

/* What stands between a character and the next mark, with its length in the rest; nothing if there is none. */
static etr_slice part_behind(const char *text, size_t size, char mark) {
  const char *from = memchr(text, mark, size);
  if (!from) return (etr_slice){0};
  size_t length = strcspn(from + 1, ":@< ");
  return (etr_slice){from + 1, ETR_MIN(length, (size_t)(text + size - from - 1))};
}

static void read_producers(etr_pairing_item *out, etr_slice places, etr_arena *arena) {
  uint32_t *producers = etr_arena_alloc_array(arena, places.size, sizeof *producers);
  for (size_t i = 0; i < places.size; i++)
    producers[i] = places.data[i] == 'i' ? ETR_NONE : (uint32_t)(places.data[i] - '0');
  out->producers = producers;
  out->producer_count = places.size;
}

/* Items of words apart by blanks. */
static size_t read_items(etr_pairing_item *out, const char *text, etr_map *numbers) {
  size_t count = 0;
  while (*text) {
    size_t size = strcspn(text, " "), name = strcspn(text, "/");
    etr_slice source = part_behind(text, size, '@');
    out[count] = (etr_pairing_item){.op = number(numbers, (etr_slice){text, 1}),
                                    .name = number(numbers, (etr_slice){text, name}),
                                    .module = number(numbers, part_behind(text, size, '/')),
                                    .shape = number(numbers, part_behind(text, size, ':')),
                                    .source = source.size ? number(numbers, source) : 0,
                                    .only_moves = text[0] == 'z'};
    read_producers(&out[count++], part_behind(text, size, '<'), numbers->arena);
    text += size + (text[size] == ' ');
  }
  return count;
}

Test(pairing, rules) {
  static const struct {
    const char *base, *newer, *want; /* per base item: place of its partner and the rule's letter, or -- */
  } cases[] = {
      {"", "", ""},
      {"a/m:x", "", "--"},
      {"", "a/m:x", ""},
      {"a/m:x b/m:y", "a/m:x b/m:y", "0n 1n"},
      {"a1/m:x a2/m:x", "a2/m:x a1/m:x", "1n 0n"},        /* the same names, in another order */
      {"a/m:x", "b/m:x", "--"},                           /* another operator */
      {"a1/m:x a2/n:x", "a5/m:x a6/n:x", "0s 1s"},        /* numbering shifted */
      {"a1/m:x a2/n:x", "a1/k:x a2/m:x a3/n:x", "1s 2s"}, /* one put in: names shift */
      {"a1/m:x a2/m:y", "a1/m:z a2/m:x a3/m:y", "1s 2s"}, /* within a module: the same names are other nodes */
      {"a1/m:x b1/n:y", "a1/m:z b1/n:w", "0n 1n"},        /* another image size */
      {"a1/m:x b1/n:y", "a4/m:z b4/n:w", "0m 1m"},        /* with other names, too */
      {"a1/m:x a2/n:y a3/o:z", "a1/m:y a2/n:z a3/o:w", "0n 1n 2n"}, /* half the size: the module is told from shapes */
      {"a1/m:x a2/n:y a3/o:z", "a4/m:y a5/n:z a6/o:w", "0m 1m 2m"}, /* with other names, too */
      {"a1/m:x b1/m:y a2/m:x", "a1/m:x b1/m:y a2/m:x a3/m:x", "0n 1n 2n"}, /* one put in behind */
      {"a1/m:x b1/m:y a2/m:x", "a0/m:x a1/m:x b1/m:y a2/m:x", "1n 2n 3n"}, /* in front: what stands around it tells */
      {"a1/m:x", "a1/m:x a2/m:x", "0n"},                                   /* the first has nothing before it */
      {"a1/m:x a2/m:x a3/m:x", "a1/m:x a2/m:x a3/m:x a4/m:x", "0n 1n 3s"}, /* the last has nothing behind it */
      {"a1/m:x b1/m:y c1/m:y a2/m:x", "a1/m:x b1/m:y c1/m:y", "0n 1n 2n --"},               /* the last one is gone */
      {"a1/old.a:x b1/old.b:y a2/old.c:x", "a1/new.a:x b1/new.b:y a2/new.c:x", "0o 1o 2o"}, /* modules renamed */
      {"a1/p:x a2/p:x a3/q:x a4/q:x", "a1/p:x a2/r:x a3/q:x a4/q:x",
       "0n 1o 2n 3n"},                             /* moved to another module, between two that stayed */
      {"a1/m:x b1/m:y", "b1/k:y a1/k:x", "-- 0o"}, /* crossing: one of the two */
      /* Source lines. */
      {"a1/m:x@p", "a1/m:x@q", "--"},                      /* another line, and nothing speaks for it */
      {"a1/m:x@p", "a1/m:x", "0n"},                        /* not told is no contradiction */
      {"a1/m:x@p a2/m:x@q", "a1/m:x@q a2/m:x@p", "1s 0s"}, /* lines that changed places: names shift */
      /* Producers and consumers. */
      {"a/m:x@p<i b/m:x@p<0 c/m:x@p<1", "a/m:x@q<i b/m:x@q<0 c/m:x@q<1", "0n 1n 2n"}, /* a line was reworded */
      {"a/m:x<i b/m:x<0 b2/m:x<1 c/m:x<2", "a/m:x<i d/m:x<0 b/m:x<1 e/m:x<2 b2/m:x<3 c/m:x<4",
       "0n -- 4n 5n"}, /* others put in on both sides of the first b, and on one of the second */
      {"a/m:x@p<i t/m:x@p<0 b/m:x@p<01 c/m:x@s<2", "a/m:x@p<i e/m:x@q<0 b/m:x@q<1 d/m:x@q<2 b2/m:x@q<03 c/m:x@s<4",
       "0n -- -- 5n"}, /* x * tanh(x), and e * (e + 2): not the same b */
      {"a/m:x<i b/m:x<0 d/m:x<1", "c/m:x<i b/m:x<0 e/m:x<1",
       "-- 1n --"}, /* nothing around is the same, but it is the only one */
      {"a/m:x@p<i b/n:x@p<0", "a/m:x@p<i c/m:x@p<0 b/n:x@p<1", "0n 2n"}, /* the only one of its line */
      {"a/m:x<i z/m:x<0 b/m:x<1", "a/m:x<i b/m:x<0", "0n -- 1n"},        /* what only moves is looked through */
      {"a/m:x<i b/m:x<0 a2/n:x<1 b2/n:x<2", "a/p:x<i b/p:x<0 a2/q:x<1 b2/q:x<2", "0f 1f 2f 3f"}, /* renamed */
      {"a/m:x<i b/n:x<0 a2/k:x<1", "a/k:x<i b/n:x<0 a2/m:x<1", "2s 1n 0s"}, /* blocks that changed places */
  };
  static const char letters[] = "-nsmfo";
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_map numbers;
    etr_pairing_item items[2][MOST];
    uint32_t partner[2][MOST];
    etr_pair_rule rules[2][MOST];
    char got[4 * MOST] = "";
    etr_map_init(&numbers, &arena);
    etr_pairing_side base = {items[0], read_items(items[0], cases[i].base, &numbers), partner[0], rules[0]};
    etr_pairing_side newer = {items[1], read_items(items[1], cases[i].newer, &numbers), partner[1], rules[1]};
    cr_assert(etr_pair_items(&base, &newer));
    for (size_t k = 0; k < base.count; k++) {
      char partner_text = partner[0][k] == ETR_NONE ? '-' : (char)('0' + partner[0][k]);
      snprintf(got + strlen(got), sizeof got - strlen(got), "%s%c%c", k ? " " : "", partner_text, letters[rules[0][k]]);
      if (partner[0][k] != ETR_NONE) cr_expect_eq(partner[1][partner[0][k]], k, "both sides name each other");
    }
    cr_expect_str_eq(got, cases[i].want, "%s with %s: got %s, want %s", cases[i].base, cases[i].newer, got,
                     cases[i].want);
    etr_arena_clear(&arena);
  }
}

/* Nothing is quadratic: would it be, this would not end within the time that a test has. */
Test(pairing, many_nodes_that_are_all_alike) {
  enum { COUNT = 100000 };
  etr_pairing_item *items = calloc(2 * COUNT, sizeof *items);
  uint32_t *partner = calloc(2 * COUNT, sizeof *partner);
  etr_pair_rule *rules = calloc(2 * COUNT, sizeof *rules);
  for (uint32_t i = 0; i < 2 * COUNT; i++)
    items[i] = (etr_pairing_item){.name = i, .op = 1 + i % 7 / 6, .module = 1, .shape = 1 + i % 3};
  etr_pairing_side base = {items, COUNT, partner, rules};
  etr_pairing_side newer = {items + COUNT, COUNT - 1, partner + COUNT, rules + COUNT};
  cr_assert(etr_pair_items(&base, &newer));
  size_t paired = 0;
  for (size_t i = 0; i < COUNT; i++) {
    if (partner[i] == ETR_NONE) continue;
    paired++;
    cr_assert_eq(items[i].op, newer.items[partner[i]].op);
  }
  cr_expect_gt(paired, COUNT / 2);
  free(items);
  free(partner);
  free(rules);
}
