/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_delegates.c - operators of real XNNPACK delegates stand on nodes of their kind, with the .pte and without.
 */
#include "fixture.h"
#include "backend.h"

#include <criterion/criterion.h>

typedef struct counted {
  size_t events, on_nodes, of_another_kind, on_a_node_of_another;
} counted;

static counted count(const etr_profile *profile) {
  counted c = {0};
  for (size_t b = 0; b < profile->block_count; b++) {
    const etr_block *block = &profile->blocks[b];
    const etr_graph *graph = block->method == ETR_NONE ? NULL : &profile->graphs[profile->methods[block->method].graph];
    bool *used = graph ? calloc(graph->node_count, sizeof *used) : NULL;
    for (size_t i = 0; used && i < block->event_count; i++) {
      const etr_event *e = &block->events[i];
      const etr_backend *backend = etr_backend_of("XnnpackBackend");
      uint16_t class_ = e->delegate_id ? backend->class_of_event(e->delegate_id) : 0;
      c.events += class_ != 0;
      if (class_ == 0 || e->node_count == 0) continue;
      uint16_t of_node = backend->class_of_node(graph, &graph->nodes[e->nodes[0]]);
      c.on_nodes++;
      c.of_another_kind += of_node != class_ && !((backend->traits(class_) | backend->traits(of_node)) & ETR_CLASS_FUSES);
      c.on_a_node_of_another += used[e->nodes[0]];
      used[e->nodes[0]] = true;
    }
    free(used);
  }
  return c;
}

Test(delegates, operators_stand_on_nodes_of_their_kind) {
  static const struct {
    const char *fixture;
    size_t on_nodes[2];     /* at least: with the .pte, without */
    size_t of_another_kind; /* y * y, which runs as Square */
  } cases[] = {
      {"lstm_xnnpack", {131, 131}, 0}, /* one handle, 158 nodes, 14 delegates */
      {"vit_xnnpack", {438, 438}, 0},  {"llama_xnnpack", {906, 906}, 0}, {"mv2_xnnpack", {66, 66}, 0},  {"quantized_xnnpack", {13, 7}, 0},
      {"multi_method", {3, 3}, 0},     {"bundled_update", {19, 19}, 0},  {"unet_xnnpack", {23, 23}, 1}, /* all but what the layout needs */
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    for (int without = 0; without <= 1; without++) {
      etr_profile *profile = without ? open_without_program(cases[i].fixture) : open_fixture(cases[i].fixture);
      counted c = count(profile);
      cr_expect_geq(c.on_nodes, cases[i].on_nodes[without], "%s: %zu of %zu", cases[i].fixture, c.on_nodes, c.events);
      cr_expect_eq(c.of_another_kind, cases[i].of_another_kind, "%s: %zu", cases[i].fixture, c.of_another_kind);
      cr_expect_eq(c.on_a_node_of_another, 0, "%s: %zu", cases[i].fixture, c.on_a_node_of_another);
      etr_profile_close(profile);
    }
  }
}
