/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_pairing.c - pairing nodes: "o1/m.a:s@l#16x3%8x4<01" is operator o, named o1, in module m.a, with shape s, of
 * source line l, with a weight of 16 by 3 and an output of 8 by 4. It reads the results of items 0 and 1; "<i" is an
 * input, and "$8x2" is a state instead of a weight. Operator z only moves data. A capital is another name of the same
 * kind of operator.
 */
#include "compare/pairing.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16 };

static uint32_t number(etr_map *numbers, etr_slice text) {
  uint32_t known = etr_map_get(numbers, text);
  if (known == ETR_NONE) etr_map_set(numbers, text, known = (uint32_t)numbers->count + 1);
  return known;
}

/* Returns the text between a character and the next mark; an empty one if the character is missing. */
static etr_slice part_behind(const char *text, size_t size, char mark) {
  const char *from = memchr(text, mark, size);
  if (!from) return (etr_slice){0};
  size_t length = strcspn(from + 1, ":@#$%< ");
  return (etr_slice){from + 1, ETR_MIN(length, (size_t)(text + size - from - 1))};
}

static void read_producers(etr_pairing_item *out, etr_slice places, etr_arena *arena) {
  uint32_t *producers = etr_arena_alloc_array(arena, places.size, sizeof *producers);
  for (size_t i = 0; i < places.size; i++)
    producers[i] = places.data[i] == 'i' ? ETR_NONE : (uint32_t)(places.data[i] - '0');
  out->producers = producers;
  out->producer_count = places.size;
}

static uint32_t rank_of(etr_slice sizes) {
  uint32_t rank = sizes.size > 0;
  for (size_t i = 0; i < sizes.size; i++) rank += sizes.data[i] == 'x';
  return rank;
}

/* Makes items from words that are separated by blanks. */
static size_t read_items(etr_pairing_item *out, const char *text, etr_map *numbers) {
  size_t count = 0;
  while (*text) {
    size_t size = strcspn(text, " "), name = strcspn(text, "/");
    etr_slice source = part_behind(text, size, '@'), weight = part_behind(text, size, '#'),
              dims = part_behind(text, size, '%'), state = part_behind(text, size, '$');
    const char kind = (char)tolower((unsigned char)text[0]);
    out[count] = (etr_pairing_item){.path = etr_arena_copy(numbers->arena, part_behind(text, size, '/')),
                                    .op = number(numbers, (etr_slice){&kind, 1}),
                                    .target = number(numbers, (etr_slice){text, 1}),
                                    .weight = weight.size ? number(numbers, weight) : 0,
                                    .state = state.size ? number(numbers, state) : 0,
                                    .weight_rank = rank_of(weight),
                                    .dims = dims.size ? number(numbers, dims) : 0,
                                    .rank = rank_of(dims),
                                    .name = number(numbers, (etr_slice){text, name}),
                                    .shape = number(numbers, part_behind(text, size, ':')),
                                    .source = source.size ? number(numbers, source) : 0,
                                    .only_moves = text[0] == 'z'};
    read_producers(&out[count++], part_behind(text, size, '<'), numbers->arena);
    text += size + (text[size] == ' ');
  }
  return count;
}

typedef struct pairing_case {
  const char *base, *newer, *want; /* per base item: index of its partner and letter of the rule, or -- */
} pairing_case;

static void expect_pairs(const pairing_case *c, bool has_other_inputs) {
  static const char letters[] = "-nsmfo";
  etr_arena arena = {0};
  etr_map numbers;
  etr_pairing_item items[2][MOST];
  uint32_t partner[2][MOST];
  etr_pair_rule rules[2][MOST];
  char got[4 * MOST] = "";
  etr_map_init(&numbers, &arena);
  etr_pairing_side base = {items[0], read_items(items[0], c->base, &numbers), partner[0], rules[0], has_other_inputs};
  etr_pairing_side newer = {items[1], read_items(items[1], c->newer, &numbers), partner[1], rules[1], has_other_inputs};
  cr_assert(etr_pair_items(&base, &newer));
  for (size_t k = 0; k < base.count; k++) {
    char partner_text = partner[0][k] == ETR_NONE ? '-' : (char)('0' + partner[0][k]);
    snprintf(got + strlen(got), sizeof got - strlen(got), "%s%c%c", k ? " " : "", partner_text, letters[rules[0][k]]);
    if (partner[0][k] != ETR_NONE) cr_expect_eq(partner[1][partner[0][k]], k, "both sides name each other");
  }
  cr_expect_str_eq(got, c->want, "%s with %s: got %s, want %s", c->base, c->newer, got, c->want);
  etr_arena_clear(&arena);
}

Test(pairing, nodes_are_paired_by_the_first_rule_that_applies) {
  static const pairing_case cases[] = {
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
      {"a1/m:x a2/n:y a3/o:z", "a1/m:y a2/n:z a3/o:w", "0n 1n 2n"}, /* half the size: shapes identify the module */
      {"a1/m:x a2/n:y a3/o:z", "a4/m:y a5/n:z a6/o:w", "0m 1m 2m"}, /* with other names, too */
      {"a1/m:x b1/m:y a2/m:x", "a1/m:x b1/m:y a2/m:x a3/m:x", "0n 1n 2n"},    /* one put in behind */
      {"a1/m:x b1/m:y a2/m:x", "a0/m:x a1/m:x b1/m:y a2/m:x", "1n 2n 3n"},    /* in front: the neighbours decide */
      {"a1/m:x", "a1/m:x a2/m:x", "0n"},                                      /* the first has nothing before it */
      {"a1/m:x a2/m:x a3/m:x", "a1/m:x a2/m:x a3/m:x a4/m:x", "0n 1n 3s"},    /* the last has nothing behind it */
      {"a1/m:x b1/m:y c1/m:y a2/m:x", "a1/m:x b1/m:y c1/m:y", "0n 1n 2n --"}, /* the last one is gone */
      {"a1/old.a:x b1/old.b:y a2/old.c:x", "a1/new.a:x b1/new.b:y a2/new.c:x", "0o 1o 2o"}, /* modules renamed */
      {"a1/p:x a2/p:x a3/q:x a4/q:x", "a1/p:x a2/r:x a3/q:x a4/q:x",
       "0n 1o 2n 3n"},                             /* moved to another module, between two that stayed */
      {"a1/m:x b1/m:y", "b1/k:y a1/k:x", "-- 0o"}, /* crossing: one of the two */
      /* Source lines. */
      {"a1/m:x@p", "a1/m:x@q", "--"},                      /* another line, and no evidence for a pair */
      {"a1/m:x@p", "a1/m:x", "0n"},                        /* unknown is no contradiction */
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
      {"a/m:x<i z/m:x<0 b/m:x<1", "a/m:x<i b/m:x<0", "0n -- 1n"},        /* operators that only move data are skipped */
      {"a/m:x<i b/m:x<0 a2/n:x<1 b2/n:x<2", "a/p:x<i b/p:x<0 a2/q:x<1 b2/q:x<2", "0f 1f 2f 3f"}, /* renamed */
      {"a/m:x<i b/n:x<0 a2/k:x<1", "a/k:x<i b/n:x<0 a2/m:x<1", "2s 1n 0s"}, /* blocks that changed places */
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) expect_pairs(&cases[i], false);
}

/* Weights, outputs and inputs of nodes, if both methods are called with the same shapes. */
Test(pairing, contradicting_nodes_are_not_paired) {
  static const pairing_case cases[] = {
      /* Weights. */
      {"a/m#8x4", "a/m#8x4", "0n"},
      {"a/m#8x4", "a/m#9x4", "--"}, /* a layer that was widened is another one, with nothing else to pair it with */
      {"a/m#8x4", "a/m", "0n"},     /* unknown is no contradiction */
      {"a1/m#8x4 a2/m#4x4", "a1/m#2x2 a2/m#8x4 a3/m#4x4", "1s 2s"}, /* one put in, in one module */
      {"a/m#8x4", "a/k#9x4", "--"},            /* neither another module nor order alone is enough */
      {"a/m#8x4 b/m", "A/m#8x4 b/m", "0s 1n"}, /* addmm and linear */
      /* Outputs. */
      {"a/m%8x4", "a/m%4x4", "--"},
      {"a/m%8x4", "a/m", "0n"},
      {"a/m%8x4", "A/m%1x8x4", "0s"}, /* linear's output is not flattened */
      {"a1/m%8x4<i a2/m%4x4<0", "a1/m%2x2<i a2/m%8x4<i a3/m%4x4<1", "1s 2s"},
      {"a/m#8x4 b/m", "b/m a/k#8x4", "-- 0n"}, /* not in a new module, as m is still there */
      {"a/m#8x4", "a/k#8x4", "0o"},
      /* What is read. */
      {"a/m%8x4<i b/m%1x1<0", "c/m%2x2<i b/m%1x1<0", "-- --"},
      {"a/m%8x4<i z/m%8x4<0 b/m%1x1<1", "a/m%8x4<i b/m%1x1<0", "0n -- 1n"}, /* it is only moved */
      {"b/m%8x4<i", "z/m%8x4<i b/m%8x4<0", "1n"},                           /* inputs are unknown, quantized or not */
      {"a/m%8x4<i b/m%8x4<0", "z/m#8x4%8x4 a/m%8x4<i b/m%8x4<01", "1n 2n"}, /* dequantized weights are not data */
      /* The image shrinks in another layer; the weights show that this layer is the same. */
      {"a/m#8x3%8x8<i b/m%8x8<0 a2/k#4x8%4x4<1", "a/m#8x3%4x4<i b/m%4x4<0 a2/k#4x8%2x2<1", "0n 1n 2n"},
      /* A longer cache. */
      {"a/m$8x2%8x2<i b/m%1x8<0", "a/m$9x2%9x2<i b/m%1x9<0", "0n 1n"},
      {"a/m$8x2%8x2<i b/m%1x8<0", "a/m$8x2%8x2<i b/m%1x9<0", "0n --"},
      {"a/m#8x3%8x8<i b/m%8x8<0", "a/m#8x3%4x4<i a2/k#8x3%8x8<i b/m%4x4<0", "-- --"}, /* not if there is another */
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) expect_pairs(&cases[i], false);
}

/* Where methods are called with other shapes. */
Test(pairing, other_input_shapes_do_not_contradict) {
  static const pairing_case cases[] = {
      {"a/m#8x3%8x8<i b/m%8x8<0", "a/m#8x3%9x9<i b/m%9x9<0", "0n 1n"},
      {"a/m#8x3%8x8<i", "a/m#8x4%9x9<i", "--"},                    /* weights do not depend on it */
      {"b/m%8x8<i", "b/m%1x8x8<i", "--"},                          /* nor do ranks */
      {"z/m%8x8<i", "z/m%1x8x8<i", "0n"},                          /* but those of views may */
      {"a/m#8x3%8x8 b/m%8x8<0", "a/m#8x3%8x8 b/m%9x9<0", "0n --"}, /* depends on no input */
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) expect_pairs(&cases[i], true);
}

/* Inserting or removing a numbered module shifts the numbers of the modules behind it. */
Test(pairing, shifted_module_numbers_are_recognized) {
  static const pairing_case cases[] = {
      {"a/f.0#8x3 b/f.1 a2/f.2#4x8 b2/f.3", "a/f.0#8x3 b/f.1 a2/f.2#8x8 b2/f.3 a3/f.4#4x8 b3/f.5", "0n 1n 4s 5s"},
      {"a/f.0#8x3 b/f.1 a2/f.2#4x8 b2/f.3", "a/f.0#4x8 b/f.1", "-- -- 0s 1s"}, /* the first two were taken out */
      {"a/f.0#8x3 b/f.1 a2/f.2#4x8 b2/f.3", "a/f.0#8x3 b/f.1 c/f.2 a2/f.3#4x8 b2/f.4", "0n 1n 3n 4n"},
      {"a/f.0.c#8x3 b/f.0 a2/f.1.c#4x8 b2/f.1", "a/f.0.c#9x9 b/f.0 a2/f.1.c#8x3 b2/f.1 a3/f.2.c#4x8 b3/f.2",
       "2s 3s 4s 5s"},                                                 /* blocks, with what is in them */
      {"a/c1#8x3 a2/c2#4x8", "a/c1#8x3 a2/c2#8x8 a3/c3#4x8", "0n 2s"}, /* attributes that were numbered anew */
      {"a/f.0#8x3 a2/f.1#4x8", "a/f.0#4x8 a2/f.1#8x3", "1s 0s"},       /* changed places */
      {"a/f.0#8x3 a2/f.1#4x8 a3/f.2#2x4", "a/f.0#8x3 a2/f.1#5x8 a3/f.2#2x5", "0n -- --"}, /* one was widened */
      {"a/f.0#8x3 b/f.1 a2/f.2#8x3 b2/f.3", "a/f.0#8x3 b/f.1 a2/f.2#8x3 b2/f.3 a3/f.4#8x3 b3/f.5",
       "0n 1n 2n 3n"}, /* equal layers: it is unknown which is new, so names decide */
      {"a/f.0#8x3 a2/f.1#4x8", "a/g.0#8x3 a2/g.1#8x8 a3/g.2#4x8",
       "0o 2o"} /* in a renamed module, which is recognized by its contents */,
      {"c/f.0 a/f.1#8x3 d/f.2 c2/f.3", "c/f.0 a/f.1#8x3 d/f.2 a2/f.3#8x3 d2/f.4 c2/f.5", "0n 1n 2n 5n"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) expect_pairs(&cases[i], false);
}

/* Pairing takes no quadratic time; otherwise the test would exceed its time limit. */
Test(pairing, many_equal_nodes_are_paired_in_time) {
  enum { COUNT = 100000 };
  etr_pairing_item *items = calloc(2 * COUNT, sizeof *items);
  uint32_t *partner = calloc(2 * COUNT, sizeof *partner);
  etr_pair_rule *rules = calloc(2 * COUNT, sizeof *rules);
  for (uint32_t i = 0; i < 2 * COUNT; i++)
    items[i] = (etr_pairing_item){.name = i, .op = 1 + i % 7 / 6, .target = 1 + i % 7 / 6, .shape = 1 + i % 3};
  etr_pairing_side base = {.items = items, .count = COUNT, .partner = partner, .rules = rules};
  etr_pairing_side newer = {
      .items = items + COUNT, .count = COUNT - 1, .partner = partner + COUNT, .rules = rules + COUNT};
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

/* One module has as many children, and one is inserted at the front and one near the end. */
Test(pairing, many_children_are_paired_in_time) {
  enum { COUNT = 100000, MORE = COUNT + 2, SECOND = COUNT - 2 };
  etr_pairing_item *items = calloc(COUNT + MORE, sizeof *items);
  uint32_t *partner = calloc(COUNT + MORE, sizeof *partner);
  etr_pair_rule *rules = calloc(COUNT + MORE, sizeof *rules);
  etr_arena arena = {0};
  for (uint32_t i = 0; i < COUNT + MORE; i++) {
    uint32_t at = i < COUNT ? i : i - COUNT, same = i < COUNT ? at : at - (at > 0) - (at > SECOND);
    bool is_new = i >= COUNT && (at == 0 || at == SECOND);
    items[i] = (etr_pairing_item){.path = etr_arena_format(&arena, "layers.%u", at),
                                  .name = 1 + i,
                                  .op = 1,
                                  .target = 1,
                                  .weight = is_new ? 9 : 1 + same % 3,
                                  .weight_rank = 2};
  }
  etr_pairing_side base = {.items = items, .count = COUNT, .partner = partner, .rules = rules};
  etr_pairing_side newer = {.items = items + COUNT, .count = MORE, .partner = partner + COUNT, .rules = rules + COUNT};
  cr_assert(etr_pair_items(&base, &newer));
  for (uint32_t i = 0; i < COUNT; i++) {
    uint32_t want = i + 1 + (i + 1 >= SECOND);
    cr_assert_eq(partner[i], want, "%u: %u instead of %u", i, partner[i], want);
  }
  free(items);
  free(partner);
  free(rules);
  etr_arena_clear(&arena);
}
