/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Module stacks and ancestors, as torch.export writes them and damaged.
 */
#include "inputs/metadata.h"

#include <criterion/criterion.h>

static etr_arena arena;
static etr_map strings;

static void begin(void) {
  etr_map_init(&strings, &arena);
}
static void end(void) {
  etr_arena_clear(&arena);
}

TestSuite(metadata, .init = begin, .fini = end);

/* ---- nn_module_stack ---- */

Test(metadata, the_innermost_module_is_read) {
  static const struct {
    const char *stack, *path, *type, *parent;
  } cases[] = {
      {"", "", "__main__.M", NULL},
      {"L__self__,,__main__.M", "", "__main__.M", NULL},
      {"L__self__,,__main__.M;L__self__blocks,blocks,B", "blocks", "B", ""},
      {"L__self__,,__main__.M;L__self__blocks,blocks,B;L__self__blocks.0.fc,blocks.0.fc,torch.nn."
       "modules.linear.Linear",
       "blocks.0.fc", "torch.nn.modules.linear.Linear", "blocks"},
      {"k,blocks,B;k,blocks.1,C", "blocks.1", "C", "blocks"},
      {"L['self'],L['s'].block1,M", "block1", "M", ""},
      {"k,L['self'],M;k,L['self'].a.b,N", "a.b", "N", ""}, /* its parent, a name of the root */
      {"k,L['s'],M", "", "M", ""},
      {"k,L['s'].a['b c'].d[0].e,M", "a.b c.d.0.e", "M", ""},
      {"k,L['s']['a'][1],M", "a.1", "M", ""},
      {"k,L['s'].a[',M", "a.", "M", ""},
      {"k,L['s,M", "L['s", "M", ""},
      {"k,_empty_nn_module_stack_from_metadata_hook,", "", "", ""},
      {"k,a,b,T", "a,b", "T", ""}, /* the type is behind the last comma */
      {";;;", "", "__main__.M", NULL},
      {",,", "", "__main__.M", NULL},
  };
  etr_module_tree tree;
  cr_assert(etr_module_tree_init(&tree, &arena));
  etr_module_tree_add(&tree, &strings, ETR_SLICE("L__self__,,__main__.M"));
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    uint32_t index = etr_module_tree_add(&tree, &strings, etr_slice_of(cases[i].stack));
    cr_assert_lt(index, tree.list.count);
    const etr_module *module = &tree.list.data[index];
    cr_expect_str_eq(module->path, cases[i].path, "%s", cases[i].stack);
    cr_expect_str_eq(module->type, cases[i].type, "%s", cases[i].stack);
    if (cases[i].parent)
      cr_expect_str_eq(tree.list.data[module->parent].path, cases[i].parent, "%s", cases[i].stack);
    else
      cr_expect_eq(index, 0, "%s", cases[i].stack);
  }
}

Test(metadata, equal_modules_are_stored_once) {
  etr_module_tree tree;
  etr_module_tree_init(&tree, &arena);
  uint32_t a = etr_module_tree_add(&tree, &strings, ETR_SLICE("x,,M;y,a,A"));
  cr_expect_eq(etr_module_tree_add(&tree, &strings, ETR_SLICE("x,,M;y,a,A")), a);
  cr_expect_eq(etr_module_tree_add(&tree, &strings, ETR_SLICE("x,,M;other key,a,A")), a);
  cr_expect_neq(etr_module_tree_add(&tree, &strings, ETR_SLICE("x,,M;y,a,B")), a, "another type");
  cr_expect_eq(tree.list.count, 3);
}

Test(metadata, parents_come_first) {
  etr_module_tree tree;
  etr_module_tree_init(&tree, &arena);
  etr_module_tree_add(&tree, &strings, ETR_SLICE("k,a,A;k,a.b,B;k,a.b.c,C"));
  cr_expect_eq(tree.list.data[0].parent, ETR_NONE);
  for (uint32_t i = 1; i < tree.list.count; i++)
    cr_expect_lt(tree.list.data[i].parent, i);
}

/* ---- from_node ---- */

Test(metadata, the_ancestor_of_a_graph_is_found) {
  static const struct {
    const char *text;
    int64_t graph_id;
    const char *name; /* NULL: none */
  } cases[] = {
      {"[{\"name\": \"a\", \"graph_id\": 7}]", 7, "a"},
      {"[{\"name\": \"a\", \"graph_id\": 8}]", 7, NULL},
      {"[{\"name\": \"new\", \"target\": \"t\", \"graph_id\": 9, \"pass_name\": \"p\", \"action\": "
       "\"replace\", "
       "\"from_node\": "
       "[{\"name\": \"old\", \"graph_id\": 7, \"from_node\": []}]}]",
       7, "old"},
      {"[{\"name\": \"x\", \"graph_id\": 1}, {\"name\": \"y\", \"graph_id\": 7}]", 7, "y"},
      {"[{\"name\": \"first\", \"graph_id\": 7, \"from_node\": [{\"name\": \"second\", "
       "\"graph_id\": 7}]}]",
       7, "first"},
      {"[]", 7, NULL},
      {"", 7, NULL},
      {"null", 7, NULL},
      {"[{\"name\": \"a\", \"graph_", 7, NULL},
      {"[[[[", 7, NULL},
      {"[{\"name\": 3, \"graph_id\": 7}]", 7, NULL},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const char *name = etr_ancestor_in_graph(&strings, etr_slice_of(cases[i].text),
                                             cases[i].graph_id);
    cr_expect_eq(name != NULL, cases[i].name != NULL, "%s", cases[i].text);
    if (name && cases[i].name)
      cr_expect_str_eq(name, cases[i].name);
  }
}

Test(metadata, the_oldest_ancestor_is_found) {
  static const char *const cases[][2] = {
      {"[{\"name\": \"a\", \"graph_id\": 7}]", "a"},
      {"[{\"name\": \"new\", \"graph_id\": 9, \"from_node\": [{\"name\": \"old\", \"graph_id\": 7, "
       "\"from_node\": "
       "[]}]}]",
       "old"},
      {"[{\"from_node\": [{\"name\": \"old\"}], \"name\": \"new\"}]", "old"},
      {"[{\"name\": \"x\", \"from_node\": []}, {\"name\": \"y\"}]", "x"},
      {"[{\"graph_id\": 7}]", NULL},
      {"[]", NULL},
      {"", NULL},
      {"null", NULL},
      {"[[[[", NULL},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const char *name = etr_oldest_ancestor(&strings, etr_slice_of(cases[i][0]));
    cr_expect_eq(name != NULL, cases[i][1] != NULL, "%s", cases[i][0]);
    if (name && cases[i][1])
      cr_expect_str_eq(name, cases[i][1]);
  }
}

#define OBJECT(name, target, graph_id, from)                                                       \
  "{\"name\": \"" name "\", \"target\": \"" target "\", \"graph_id\": " graph_id                   \
  ", \"from_node\": [" from "]}"
#define WRAPPED OBJECT("mm_1", "wrap_with_autocast", "7", "")

Test(metadata, the_ancestor_in_a_region_is_right_before_its_wrapper) {
  static const struct {
    const char *text, *name, *target; /* name NULL: none */
  } cases[] = {
      {"[" OBJECT("bmm", "aten.bmm", "1", OBJECT("mm", "aten.mm", "2", WRAPPED)) "]", "mm",
       "aten.mm"},
      {"[" OBJECT("mm", "aten.mm", "1", OBJECT("w", "wrap_with_autocast", "3", WRAPPED)) "]", "mm",
       "aten.mm"}, /* the wrapper itself was copied */
      {"[" OBJECT("mm", "aten.mm", "1",
                  OBJECT("no_grad", "wrap_with_set_grad_enabled", "3", WRAPPED)) "]",
       "mm", "aten.mm"}, /* the innermost region */
      {"[" OBJECT("mm", "aten.mm", "1", OBJECT("w", "wrap_with_autocast", "3", "")) "]", NULL,
       NULL}, /* of another graph */
      {"[" OBJECT("mm", "aten.mm", "7", OBJECT("w", "wrap_with_autocast", "3", "")) "]", NULL,
       NULL},                        /* the region was gone before */
      {"[" WRAPPED "]", NULL, NULL}, /* what reads its result */
      {"[" OBJECT("a", "aten.a", "1",
                  OBJECT("x", "wrap_with_x", "3", "")) ", " OBJECT("b", "aten.b", "7", "") "]",
       NULL, NULL}, /* two ancestors */
      {"[" OBJECT("a", "aten.a", "1", "") ", " OBJECT("mm", "aten.mm", "1", WRAPPED) "]", "mm",
       "aten.mm"},
      {"[{\"name\": \"mm\", \"from_node\": [" WRAPPED "]}]", "mm", NULL},
      {"[{\"target\": \"aten.mm\", \"from_node\": [" WRAPPED "]}]", NULL, NULL},
      {"[" OBJECT("mm", "cond", "1", OBJECT("cond", "cond", "7", "")) "]", NULL, NULL},
      {"[{\"name\": \"mm\", \"from_node\": [{\"target\": \"wrap_with_autocast\"", NULL, NULL},
      {"", NULL, NULL},
      {"null", NULL, NULL},
      {"[[[[", NULL, NULL},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_region_ancestor found = etr_ancestor_in_region(&strings, etr_slice_of(cases[i].text), 7);
    cr_expect_eq(found.name != NULL, cases[i].name != NULL, "%s", cases[i].text);
    cr_expect_eq(found.target != NULL, cases[i].target != NULL, "%s", cases[i].text);
    if (found.name && cases[i].name)
      cr_expect_str_eq(found.name, cases[i].name);
    if (found.target && cases[i].target)
      cr_expect_str_eq(found.target, cases[i].target);
  }
}

/* The text as it is in a document, with every quote escaped. */
Test(metadata, an_ancestor_is_found_in_escaped_text) {
  static const struct {
    const char *text;
    bool is_known;
    const char *name;
  } cases[] = {
      {"[{\\\"name\\\": \\\"a\\\", \\\"target\\\": \\\"t\\\", \\\"graph_id\\\": 7, "
       "\\\"from_node\\\": []}]",
       true, "a"},
      {"[{\\\"name\\\": \\\"a\\\", \\\"graph_id\\\": 8, \\\"from_node\\\": [{\\\"name\\\": "
       "\\\"b\\\", "
       "\\\"graph_id\\\": 7, \\\"x\\\": 1}]}]",
       true, "b"},
      {"[{\\\"name\\\": \\\"a\\\", \\\"graph_id\\\": 8, \\\"from_node\\\": []}]", true, NULL},
      {"[{\\\"graph_id\\\": 7, \\\"name\\\": \\\"a\\\"}]", false, NULL}, /* another order */
      {"[{\\\"name\\\": \\\"a\\\", \\\"graph_id\\\":7}]", false, NULL},  /* another spacing */
      {"[{\\\"name\\\": \\\"a\\\\b\\\", \\\"graph_id\\\": 7, \\\"x\\\": 1}]", false,
       NULL}, /* escapes in the name */
      {"", true, NULL},
  };
  const char *seven = etr_escaped_graph_id(strings.arena, 7);
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const char *name = "";
    cr_expect_eq(etr_ancestor_in_escaped(&name, &strings, etr_slice_of(cases[i].text), seven),
                 cases[i].is_known, "%s", cases[i].text);
    if (cases[i].is_known && cases[i].name)
      cr_expect_str_eq(name, cases[i].name);
    if (cases[i].is_known && !cases[i].name)
      cr_expect_null(name, "%s", cases[i].text);
  }
}
