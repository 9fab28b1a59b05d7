/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_pairing.c - pairing nodes.
 */
#include "compare/pairing.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16 };

static uint32_t number(etr_map *numbers, etr_slice text) {
  uint32_t known = etr_map_get(numbers, text);
  if (known == ETR_NONE)
    etr_map_set(numbers, text, known = (uint32_t)numbers->count + 1);
  return known;
}

/* A node that is paired. Its operator is the first letter of its name: "z" only moves data, and a
 * capital is another name of the same kind of operator. */
typedef struct made_node {
  const char *name, *module;
  const char *shape, *line;            /* NULL: unknown */
  const char *weight, *state, *output; /* sizes, "16x3"; NULL: unknown */
  uint32_t reads[2];                   /* indices of the nodes whose results it reads, and INPUT */
  size_t read_count;
} made_node;

typedef struct made_nodes {
  const made_node *list;
  size_t count;
} made_nodes;

#define INPUT ETR_NONE
#define READS(...)                                                                                 \
  .reads = {__VA_ARGS__}, .read_count = sizeof(uint32_t[]){__VA_ARGS__} / sizeof(uint32_t)
#define NODE(label, path) {.name = label, .module = path}
#define SHAPED(label, path, sizes) {.name = label, .module = path, .shape = sizes}
#define WEIGHED(label, path, sizes) {.name = label, .module = path, .weight = sizes}
#define NODES(...)                                                                                 \
  {(const made_node[]){__VA_ARGS__}, sizeof(const made_node[]){__VA_ARGS__} / sizeof(made_node)}
#define NO_NODES {NULL, 0}

static uint32_t number_of(etr_map *numbers, const char *text) {
  return text ? number(numbers, etr_slice_of(text)) : 0;
}

static uint32_t rank_of(const char *sizes) {
  uint32_t rank = sizes != NULL;
  for (const char *at = sizes; at && *at; at++)
    rank += *at == 'x';
  return rank;
}

static void make_items(etr_pairing_item *out, const made_nodes *nodes, etr_map *numbers) {
  for (size_t i = 0; i < nodes->count; i++) {
    const made_node *node = &nodes->list[i];
    const char kind = (char)tolower((unsigned char)node->name[0]);
    out[i] = (etr_pairing_item){.path = node->module,
                                .op = number(numbers, (etr_slice){&kind, 1}),
                                .target = number(numbers, (etr_slice){node->name, 1}),
                                .weight = number_of(numbers, node->weight),
                                .state = number_of(numbers, node->state),
                                .weight_rank = rank_of(node->weight),
                                .dims = number_of(numbers, node->output),
                                .rank = rank_of(node->output),
                                .name = number_of(numbers, node->name),
                                .shape = number_of(numbers, node->shape ? node->shape : ""),
                                .source = number_of(numbers, node->line),
                                .only_moves = node->name[0] == 'z',
                                .producers = node->reads,
                                .producer_count = node->read_count};
  }
}

typedef struct pairing_case {
  made_nodes base, newer;
  const char *want; /* for each node of the base: index of its partner, and first letter of the rule
                       (name, shape, module, flow or order); "--" if it has none */
} pairing_case;

static void expect_pairs(const pairing_case *c, size_t number_of_case, bool has_other_inputs) {
  static const char letters[] = "-nsmfo";
  etr_arena arena = {0};
  etr_map numbers;
  etr_pairing_item items[2][MOST];
  uint32_t partner[2][MOST];
  etr_pair_rule rules[2][MOST];
  char got[4 * MOST] = "";
  etr_map_init(&numbers, &arena);
  make_items(items[0], &c->base, &numbers);
  make_items(items[1], &c->newer, &numbers);
  etr_pairing_side base = {items[0], c->base.count, partner[0], rules[0], has_other_inputs};
  etr_pairing_side newer = {items[1], c->newer.count, partner[1], rules[1], has_other_inputs};
  cr_assert(etr_pair_items(&base, &newer));
  for (size_t k = 0; k < base.count; k++) {
    char partner_text = partner[0][k] == ETR_NONE ? '-' : (char)('0' + partner[0][k]);
    snprintf(got + strlen(got), sizeof got - strlen(got), "%s%c%c", k ? " " : "", partner_text,
             letters[rules[0][k]]);
    if (partner[0][k] != ETR_NONE)
      cr_expect_eq(partner[1][partner[0][k]], k, "both sides name each other");
  }
  cr_expect_str_eq(got, c->want, "case %zu: got %s, want %s", number_of_case, got, c->want);
  etr_arena_clear(&arena);
}

Test(pairing, nodes_are_paired_by_the_first_rule_that_applies) {
  const pairing_case cases[] = {
      {NO_NODES, NO_NODES, ""},
      {NODES(SHAPED("a", "m", "x")), NO_NODES, "--"},
      {NO_NODES, NODES(SHAPED("a", "m", "x")), ""},
      {NODES(SHAPED("a", "m", "x"), SHAPED("b", "m", "y")),
       NODES(SHAPED("a", "m", "x"), SHAPED("b", "m", "y")), "0n 1n"},
      {NODES(SHAPED("a1", "m", "x"), SHAPED("a2", "m", "x")),
       NODES(SHAPED("a2", "m", "x"), SHAPED("a1", "m", "x")),
       "1n 0n"}, /* the same names, in another order */
      {NODES(SHAPED("a", "m", "x")), NODES(SHAPED("b", "m", "x")), "--"}, /* another operator */
      {NODES(SHAPED("a1", "m", "x"), SHAPED("a2", "n", "x")),
       NODES(SHAPED("a5", "m", "x"), SHAPED("a6", "n", "x")), "0s 1s"}, /* numbering shifted */
      {NODES(SHAPED("a1", "m", "x"), SHAPED("a2", "n", "x")),
       NODES(SHAPED("a1", "k", "x"), SHAPED("a2", "m", "x"), SHAPED("a3", "n", "x")),
       "1s 2s"}, /* one put in: names shift */
      {NODES(SHAPED("a1", "m", "x"), SHAPED("a2", "m", "y")),
       NODES(SHAPED("a1", "m", "z"), SHAPED("a2", "m", "x"), SHAPED("a3", "m", "y")),
       "1s 2s"}, /* within a module: the same names are other nodes */
      {NODES(SHAPED("a1", "m", "x"), SHAPED("b1", "n", "y")),
       NODES(SHAPED("a1", "m", "z"), SHAPED("b1", "n", "w")), "0n 1n"}, /* another image size */
      {NODES(SHAPED("a1", "m", "x"), SHAPED("b1", "n", "y")),
       NODES(SHAPED("a4", "m", "z"), SHAPED("b4", "n", "w")), "0m 1m"}, /* with other names, too */
      {NODES(SHAPED("a1", "m", "x"), SHAPED("a2", "n", "y"), SHAPED("a3", "o", "z")),
       NODES(SHAPED("a1", "m", "y"), SHAPED("a2", "n", "z"), SHAPED("a3", "o", "w")),
       "0n 1n 2n"}, /* half the size: shapes identify the module */
      {NODES(SHAPED("a1", "m", "x"), SHAPED("a2", "n", "y"), SHAPED("a3", "o", "z")),
       NODES(SHAPED("a4", "m", "y"), SHAPED("a5", "n", "z"), SHAPED("a6", "o", "w")),
       "0m 1m 2m"}, /* with other names, too */
      {NODES(SHAPED("a1", "m", "x"), SHAPED("b1", "m", "y"), SHAPED("a2", "m", "x")),
       NODES(SHAPED("a1", "m", "x"), SHAPED("b1", "m", "y"), SHAPED("a2", "m", "x"),
             SHAPED("a3", "m", "x")),
       "0n 1n 2n"}, /* one put in behind */
      {NODES(SHAPED("a1", "m", "x"), SHAPED("b1", "m", "y"), SHAPED("a2", "m", "x")),
       NODES(SHAPED("a0", "m", "x"), SHAPED("a1", "m", "x"), SHAPED("b1", "m", "y"),
             SHAPED("a2", "m", "x")),
       "1n 2n 3n"}, /* in front: the neighbors decide */
      {NODES(SHAPED("a1", "m", "x")), NODES(SHAPED("a1", "m", "x"), SHAPED("a2", "m", "x")),
       "0n"}, /* the first has nothing before it */
      {NODES(SHAPED("a1", "m", "x"), SHAPED("a2", "m", "x"), SHAPED("a3", "m", "x")),
       NODES(SHAPED("a1", "m", "x"), SHAPED("a2", "m", "x"), SHAPED("a3", "m", "x"),
             SHAPED("a4", "m", "x")),
       "0n 1n 3s"}, /* the last has nothing behind it */
      {NODES(SHAPED("a1", "m", "x"), SHAPED("b1", "m", "y"), SHAPED("c1", "m", "y"),
             SHAPED("a2", "m", "x")),
       NODES(SHAPED("a1", "m", "x"), SHAPED("b1", "m", "y"), SHAPED("c1", "m", "y")),
       "0n 1n 2n --"}, /* the last one is gone */
      {NODES(SHAPED("a1", "old.a", "x"), SHAPED("b1", "old.b", "y"), SHAPED("a2", "old.c", "x")),
       NODES(SHAPED("a1", "new.a", "x"), SHAPED("b1", "new.b", "y"), SHAPED("a2", "new.c", "x")),
       "0o 1o 2o"}, /* modules renamed */
      {NODES(SHAPED("a1", "p", "x"), SHAPED("a2", "p", "x"), SHAPED("a3", "q", "x"),
             SHAPED("a4", "q", "x")),
       NODES(SHAPED("a1", "p", "x"), SHAPED("a2", "r", "x"), SHAPED("a3", "q", "x"),
             SHAPED("a4", "q", "x")),
       "0n 1o 2n 3n"}, /* moved to another module, between two that stayed */
      {NODES(SHAPED("a1", "m", "x"), SHAPED("b1", "m", "y")),
       NODES(SHAPED("b1", "k", "y"), SHAPED("a1", "k", "x")),
       "-- 0o"}, /* crossing: one of the two */
      /* Source lines. */
      {NODES({"a1", "m", .shape = "x", .line = "p"}), NODES({"a1", "m", .shape = "x", .line = "q"}),
       "--"}, /* another line, and no evidence for a pair */
      {NODES(WEIGHED("a1", "", "16x3")), NODES(WEIGHED("a1", "n", "16x3")),
       "0o"}, /* a weight of the model itself may move into a module */
      {NODES({"a", "m", .shape = "x", .line = "p", READS(INPUT)},
             {"b", "m", .shape = "x", .line = "p", READS(0)}),
       NODES({"a", "m", .shape = "x", .line = "q", READS(INPUT)},
             {"c", "m", .shape = "x", .line = "q", READS(0)}),
       "0n --"}, /* the line moved: the only one of its module, with the same producers */
      {NODES({"a1", "m", .shape = "x", .line = "p"}), NODES(SHAPED("a1", "m", "x")),
       "0n"}, /* unknown is no contradiction */
      {NODES({"a1", "m", .shape = "x", .line = "p"}, {"a2", "m", .shape = "x", .line = "q"}),
       NODES({"a1", "m", .shape = "x", .line = "q"}, {"a2", "m", .shape = "x", .line = "p"}),
       "1s 0s"}, /* lines that changed places: names shift */
      /* Producers and consumers. */
      {NODES({"a", "m", .shape = "x", .line = "p", READS(INPUT)},
             {"b", "m", .shape = "x", .line = "p", READS(0)},
             {"c", "m", .shape = "x", .line = "p", READS(1)}),
       NODES({"a", "m", .shape = "x", .line = "q", READS(INPUT)},
             {"b", "m", .shape = "x", .line = "q", READS(0)},
             {"c", "m", .shape = "x", .line = "q", READS(1)}),
       "0n 1n 2n"}, /* a line was reworded */
      {NODES({"a", "m", .shape = "x", READS(INPUT)}, {"b", "m", .shape = "x", READS(0)},
             {"b2", "m", .shape = "x", READS(1)}, {"c", "m", .shape = "x", READS(2)}),
       NODES({"a", "m", .shape = "x", READS(INPUT)}, {"d", "m", .shape = "x", READS(0)},
             {"b", "m", .shape = "x", READS(1)}, {"e", "m", .shape = "x", READS(2)},
             {"b2", "m", .shape = "x", READS(3)}, {"c", "m", .shape = "x", READS(4)}),
       "0n -- 4n 5n"}, /* others put in on both sides of the first b, and on one of the second */
      {NODES({"a", "m", .shape = "x", .line = "p", READS(INPUT)},
             {"t", "m", .shape = "x", .line = "p", READS(0)},
             {"b", "m", .shape = "x", .line = "p", READS(0, 1)},
             {"c", "m", .shape = "x", .line = "s", READS(2)}),
       NODES({"a", "m", .shape = "x", .line = "p", READS(INPUT)},
             {"e", "m", .shape = "x", .line = "q", READS(0)},
             {"b", "m", .shape = "x", .line = "q", READS(1)},
             {"d", "m", .shape = "x", .line = "q", READS(2)},
             {"b2", "m", .shape = "x", .line = "q", READS(0, 3)},
             {"c", "m", .shape = "x", .line = "s", READS(4)}),
       "0n -- -- 5n"}, /* x * tanh(x), and e * (e + 2): not the same b */
      {NODES({"a", "m", .shape = "x", READS(INPUT)}, {"b", "m", .shape = "x", READS(0)},
             {"d", "m", .shape = "x", READS(1)}),
       NODES({"c", "m", .shape = "x", READS(INPUT)}, {"b", "m", .shape = "x", READS(0)},
             {"e", "m", .shape = "x", READS(1)}),
       "-- 1n --"}, /* nothing around is the same, but it is the only one */
      {NODES({"a", "m", .shape = "x", .line = "p", READS(INPUT)},
             {"b", "n", .shape = "x", .line = "p", READS(0)}),
       NODES({"a", "m", .shape = "x", .line = "p", READS(INPUT)},
             {"c", "m", .shape = "x", .line = "p", READS(0)},
             {"b", "n", .shape = "x", .line = "p", READS(1)}),
       "0n 2n"}, /* the only one of its line */
      {NODES({"a", "m", .shape = "x", READS(INPUT)}, {"z", "m", .shape = "x", READS(0)},
             {"b", "m", .shape = "x", READS(1)}),
       NODES({"a", "m", .shape = "x", READS(INPUT)}, {"b", "m", .shape = "x", READS(0)}),
       "0n -- 1n"}, /* operators that only move data are skipped */
      {NODES({"a", "m", .shape = "x", READS(INPUT)}, {"b", "m", .shape = "x", READS(0)},
             {"a2", "n", .shape = "x", READS(1)}, {"b2", "n", .shape = "x", READS(2)}),
       NODES({"a", "p", .shape = "x", READS(INPUT)}, {"b", "p", .shape = "x", READS(0)},
             {"a2", "q", .shape = "x", READS(1)}, {"b2", "q", .shape = "x", READS(2)}),
       "0f 1f 2f 3f"}, /* renamed */
      {NODES({"a", "m", .shape = "x", READS(INPUT)}, {"b", "n", .shape = "x", READS(0)},
             {"a2", "k", .shape = "x", READS(1)}),
       NODES({"a", "k", .shape = "x", READS(INPUT)}, {"b", "n", .shape = "x", READS(0)},
             {"a2", "m", .shape = "x", READS(1)}),
       "2s 1n 0s"}, /* blocks that changed places */
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++)
    expect_pairs(&cases[i], i, false);
}

/* Weights, outputs and inputs of nodes, if both methods are called with the same shapes. */
Test(pairing, contradicting_nodes_are_not_paired) {
  const pairing_case cases[] = {
      /* Weights. */
      {NODES(WEIGHED("a", "m", "8x4")), NODES(WEIGHED("a", "m", "8x4")), "0n"},
      {NODES(WEIGHED("a", "m", "8x4")), NODES(WEIGHED("a", "m", "9x4")),
       "--"}, /* a layer that was widened is another one, with nothing else to pair it with */
      {NODES(WEIGHED("a", "m", "8x4")), NODES(NODE("a", "m")),
       "0n"}, /* unknown is no contradiction */
      {NODES(WEIGHED("a1", "m", "8x4"), WEIGHED("a2", "m", "4x4")),
       NODES(WEIGHED("a1", "m", "2x2"), WEIGHED("a2", "m", "8x4"), WEIGHED("a3", "m", "4x4")),
       "1s 2s"}, /* one put in, in one module */
      {NODES(WEIGHED("a", "m", "8x4")), NODES(WEIGHED("a", "k", "9x4")),
       "--"}, /* neither another module nor order alone is enough */
      {NODES(WEIGHED("a", "m", "8x4"), NODE("b", "m")),
       NODES(WEIGHED("A", "m", "8x4"), NODE("b", "m")), "0s 1n"}, /* addmm and linear */
      /* Outputs. */
      {NODES({"a", "m", .output = "8x4", READS(INPUT)}),
       NODES({"a", "m", .output = "4x4", READS(INPUT)}), "--"},
      {NODES({"a", "m", .output = "8x4"}), NODES(NODE("a", "m")), "0n"},
      {NODES({"a", "m", .output = "8x4"}), NODES({"A", "m", .output = "1x8x4"}),
       "0s"}, /* linear's output is not flattened */
      {NODES({"a1", "m", .output = "8x4", READS(INPUT)}, {"a2", "m", .output = "4x4", READS(0)}),
       NODES({"a1", "m", .output = "2x2", READS(INPUT)}, {"a2", "m", .output = "8x4", READS(INPUT)},
             {"a3", "m", .output = "4x4", READS(1)}),
       "1s 2s"},
      {NODES(WEIGHED("a", "m", "8x4"), NODE("b", "m")),
       NODES(NODE("b", "m"), WEIGHED("a", "k", "8x4")),
       "-- 0n"}, /* not in a new module, as m is still there */
      {NODES(WEIGHED("a", "m", "8x4")), NODES(WEIGHED("a", "k", "8x4")), "0o"},
      /* What is read. */
      {NODES({"a", "m", .output = "8x4", READS(INPUT)}, {"b", "m", .output = "1x1", READS(0)}),
       NODES({"c", "m", .output = "2x2", READS(INPUT)}, {"b", "m", .output = "1x1", READS(0)}),
       "-- --"},
      {NODES({"a", "m", .output = "8x4", READS(INPUT)}, {"z", "m", .output = "8x4", READS(0)},
             {"b", "m", .output = "1x1", READS(1)}),
       NODES({"a", "m", .output = "8x4", READS(INPUT)}, {"b", "m", .output = "1x1", READS(0)}),
       "0n -- 1n"}, /* it is only moved */
      {NODES({"b", "m", .output = "8x4", READS(INPUT)}),
       NODES({"z", "m", .output = "8x4", READS(INPUT)}, {"b", "m", .output = "8x4", READS(0)}),
       "1n"}, /* inputs are unknown, quantized or not */
      {NODES({"a", "m", .output = "8x4", READS(INPUT)}, {"b", "m", .output = "8x4", READS(0)}),
       NODES({"z", "m", .weight = "8x4", .output = "8x4"},
             {"a", "m", .output = "8x4", READS(INPUT)}, {"b", "m", .output = "8x4", READS(0, 1)}),
       "1n 2n"}, /* dequantized weights are not data */
      /* The image shrinks in another layer; the weights show that this layer is the same. */
      {NODES({"a", "m", .weight = "8x3", .output = "8x8", READS(INPUT)},
             {"b", "m", .output = "8x8", READS(0)},
             {"a2", "k", .weight = "4x8", .output = "4x4", READS(1)}),
       NODES({"a", "m", .weight = "8x3", .output = "4x4", READS(INPUT)},
             {"b", "m", .output = "4x4", READS(0)},
             {"a2", "k", .weight = "4x8", .output = "2x2", READS(1)}),
       "0n 1n 2n"},
      /* A longer cache. */
      {NODES({"a", "m", .state = "8x2", .output = "8x2", READS(INPUT)},
             {"b", "m", .output = "1x8", READS(0)}),
       NODES({"a", "m", .state = "9x2", .output = "9x2", READS(INPUT)},
             {"b", "m", .output = "1x9", READS(0)}),
       "0n 1n"},
      {NODES({"a", "m", .state = "8x2", .output = "8x2", READS(INPUT)},
             {"b", "m", .output = "1x8", READS(0)}),
       NODES({"a", "m", .state = "8x2", .output = "8x2", READS(INPUT)},
             {"b", "m", .output = "1x9", READS(0)}),
       "0n --"},
      /* More positions to compare with, which are made of nothing. */
      {NODES({"a", "m", .output = "8"}, {"b", "m", .output = "1x8", READS(0, INPUT)}),
       NODES({"a", "m", .output = "9"}, {"b", "m", .output = "1x9", READS(0, INPUT)}), "0n 1n"},
      {NODES({"a", "m", .output = "8"}, {"b", "m", .output = "1x8", READS(0, INPUT)}),
       NODES({"a", "m", .output = "9"}, {"a2", "m", .output = "8"},
             {"b", "m", .output = "1x8", READS(1, INPUT)}),
       "1s 2n"}, /* another one was put in */
      {NODES({"a", "m", .weight = "8x3", .output = "8x8", READS(INPUT)},
             {"b", "m", .output = "8x8", READS(0)}),
       NODES({"a", "m", .weight = "8x3", .output = "4x4", READS(INPUT)},
             {"a2", "k", .weight = "8x3", .output = "8x8", READS(INPUT)},
             {"b", "m", .output = "4x4", READS(0)}),
       "-- --"}, /* not if there is another */
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++)
    expect_pairs(&cases[i], i, false);
}

/* Where methods are called with other shapes. */
Test(pairing, other_input_shapes_do_not_contradict) {
  const pairing_case cases[] = {
      {NODES({"a", "m", .weight = "8x3", .output = "8x8", READS(INPUT)},
             {"b", "m", .output = "8x8", READS(0)}),
       NODES({"a", "m", .weight = "8x3", .output = "9x9", READS(INPUT)},
             {"b", "m", .output = "9x9", READS(0)}),
       "0n 1n"},
      {NODES({"a", "m", .weight = "8x3", .output = "8x8", READS(INPUT)}),
       NODES({"a", "m", .weight = "8x4", .output = "9x9", READS(INPUT)}),
       "--"}, /* weights do not depend on it */
      {NODES({"b", "m", .output = "8x8", READS(INPUT)}),
       NODES({"b", "m", .output = "1x8x8", READS(INPUT)}), "--"}, /* nor do ranks */
      {NODES({"z", "m", .output = "8x8", READS(INPUT)}),
       NODES({"z", "m", .output = "1x8x8", READS(INPUT)}), "0n"}, /* but those of views may */
      {NODES({"a", "m", .weight = "8x3", .output = "8x8"}, {"b", "m", .output = "8x8", READS(0)}),
       NODES({"a", "m", .weight = "8x3", .output = "8x8"}, {"b", "m", .output = "9x9", READS(0)}),
       "0n --"}, /* depends on no input */
      /* A lowering folds the weight norm b, so that a no longer has its bias for a weight. */
      {NODES({"c", "k", .output = "8x9"}, {"b", "m", .output = "8x3"},
             {"a", "m", .weight = "8", .output = "8x8", READS(0, 1)}),
       NODES({"c", "k", .output = "8x9"}, {"a", "m", .weight = "8x3", .output = "8x8", READS(0)}),
       "0n -- 1n"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++)
    expect_pairs(&cases[i], i, true);
}

/* Inserting or removing a numbered module shifts the numbers of the modules behind it. */
Test(pairing, shifted_module_numbers_are_recognized) {
  const pairing_case cases[] = {
      {NODES(WEIGHED("a", "f.0", "8x3"), NODE("b", "f.1"), WEIGHED("a2", "f.2", "4x8"),
             NODE("b2", "f.3")),
       NODES(WEIGHED("a", "f.0", "8x3"), NODE("b", "f.1"), WEIGHED("a2", "f.2", "8x8"),
             NODE("b2", "f.3"), WEIGHED("a3", "f.4", "4x8"), NODE("b3", "f.5")),
       "0n 1n 4s 5s"},
      {NODES(WEIGHED("a", "f.0", "8x3"), NODE("b", "f.1"), WEIGHED("a2", "f.2", "4x8"),
             NODE("b2", "f.3")),
       NODES(WEIGHED("a", "f.0", "4x8"), NODE("b", "f.1")),
       "-- -- 0s 1s"}, /* the first two were taken out */
      {NODES(WEIGHED("a", "f.0", "8x3"), NODE("b", "f.1"), WEIGHED("a2", "f.2", "4x8"),
             NODE("b2", "f.3")),
       NODES(WEIGHED("a", "f.0", "8x3"), NODE("b", "f.1"), NODE("c", "f.2"),
             WEIGHED("a2", "f.3", "4x8"), NODE("b2", "f.4")),
       "0n 1n 3n 4n"},
      {NODES(WEIGHED("a", "f.0.c", "8x3"), NODE("b", "f.0"), WEIGHED("a2", "f.1.c", "4x8"),
             NODE("b2", "f.1")),
       NODES(WEIGHED("a", "f.0.c", "9x9"), NODE("b", "f.0"), WEIGHED("a2", "f.1.c", "8x3"),
             NODE("b2", "f.1"), WEIGHED("a3", "f.2.c", "4x8"), NODE("b3", "f.2")),
       "2s 3s 4s 5s"}, /* blocks, with what is in them */
      {NODES(WEIGHED("a", "c1", "8x3"), WEIGHED("a2", "c2", "4x8")),
       NODES(WEIGHED("a", "c1", "8x3"), WEIGHED("a2", "c2", "8x8"), WEIGHED("a3", "c3", "4x8")),
       "0n 2s"}, /* attributes that were numbered anew */
      {NODES(WEIGHED("a", "f.0", "8x3"), WEIGHED("a2", "f.1", "4x8")),
       NODES(WEIGHED("a", "f.0", "4x8"), WEIGHED("a2", "f.1", "8x3")),
       "1s 0s"}, /* changed places */
      {NODES(WEIGHED("a", "f.0", "8x3"), WEIGHED("a2", "f.1", "4x8"), WEIGHED("a3", "f.2", "2x4")),
       NODES(WEIGHED("a", "f.0", "8x3"), WEIGHED("a2", "f.1", "5x8"), WEIGHED("a3", "f.2", "2x5")),
       "0n -- --"}, /* one was widened */
      {NODES(WEIGHED("a", "f.0", "8x3"), NODE("b", "f.1"), WEIGHED("a2", "f.2", "8x3"),
             NODE("b2", "f.3")),
       NODES(WEIGHED("a", "f.0", "8x3"), NODE("b", "f.1"), WEIGHED("a2", "f.2", "8x3"),
             NODE("b2", "f.3"), WEIGHED("a3", "f.4", "8x3"), NODE("b3", "f.5")),
       "0n 1n 2n 3n"}, /* equal layers: it is unknown which is new, so names decide */
      {NODES(WEIGHED("a", "f.0", "8x3"), WEIGHED("a2", "f.1", "4x8")),
       NODES(WEIGHED("a", "g.0", "8x3"), WEIGHED("a2", "g.1", "8x8"), WEIGHED("a3", "g.2", "4x8")),
       "0o 2o"} /* in a renamed module, which is recognized by its contents */,
      {NODES(NODE("c", "f.0"), WEIGHED("a", "f.1", "8x3"), NODE("d", "f.2"), NODE("c2", "f.3")),
       NODES(NODE("c", "f.0"), WEIGHED("a", "f.1", "8x3"), NODE("d", "f.2"),
             WEIGHED("a2", "f.3", "8x3"), NODE("d2", "f.4"), NODE("c2", "f.5")),
       "0n 1n 2n 5n"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++)
    expect_pairs(&cases[i], i, false);
}

/* Pairing takes no quadratic time; otherwise the test would exceed its time limit. */
Test(pairing, many_equal_nodes_are_paired_in_time) {
  enum { COUNT = 50000 };
  etr_pairing_item *items = calloc(2 * COUNT, sizeof *items);
  uint32_t *partner = calloc(2 * COUNT, sizeof *partner);
  etr_pair_rule *rules = calloc(2 * COUNT, sizeof *rules);
  for (uint32_t i = 0; i < 2 * COUNT; i++)
    items[i] = (etr_pairing_item){
        .name = i, .op = 1 + i % 7 / 6, .target = 1 + i % 7 / 6, .shape = 1 + i % 3};
  etr_pairing_side base = {.items = items, .count = COUNT, .partner = partner, .rules = rules};
  etr_pairing_side newer = {.items = items + COUNT,
                            .count = COUNT - 1,
                            .partner = partner + COUNT,
                            .rules = rules + COUNT};
  cr_assert(etr_pair_items(&base, &newer));
  size_t paired = 0;
  for (size_t i = 0; i < COUNT; i++) {
    if (partner[i] == ETR_NONE)
      continue;
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
  enum { COUNT = 50000, MORE = COUNT + 2, SECOND = COUNT - 2 };
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
  etr_pairing_side newer = {
      .items = items + COUNT, .count = MORE, .partner = partner + COUNT, .rules = rules + COUNT};
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
