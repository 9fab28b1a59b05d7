/* SPDX-License-Identifier: BSD-3-Clause
 *
 * scope_label.c - labels as short as they tell siblings apart: "encoder_layer_3" of "encoder.layers.encoder_layer_3".
 */
#include "scope_tree.h"

#include <limits.h>

/* The page cuts labels at a dozen characters, so the end of a path, which tells siblings apart, stands alone where it does. */
typedef struct shortening {
  etr_tree *tree;
  uint32_t *family; /* of each box: the first with the same parent and the same label but for the number at its end: they are cut alike */
  uint32_t *parts;  /* of each family: how many parts of the path are kept */
} shortening;

/* The last so many parts of a dotted path; more where the last is only a number. */
static const char *last_parts(const char *label, uint32_t parts) {
  const char *start = label + strlen(label);
  while (start > label) {
    const char *end = start;
    for (start--; start > label && start[-1] != '.';) start--;
    bool number = start + strspn(start, "0123456789") >= end;
    if (!number && --parts == 0) break;
    if (start > label) start--; /* the dot */
  }
  if (*start == '.') start++;
  return *start ? start : label; /* nothing but dots */
}

static void find_families(shortening *s) {
  etr_map known;
  etr_map_init(&known, s->tree->arena);
  for (uint32_t i = 1; i < s->tree->boxes.count; i++) {
    const etr_box *box = &s->tree->boxes.data[i];
    size_t stem = strlen(box->label);
    while (stem > 0 && box->label[stem - 1] >= '0' && box->label[stem - 1] <= '9') stem--;
    const char *key = etr_arena_format(s->tree->arena, "%u/%.*s", (unsigned)box->parent, (int)ETR_MIN(stem, (size_t)INT_MAX), box->label);
    if (!key) return;
    uint32_t first = etr_map_get(&known, etr_slice_of(key));
    s->family[i] = first == ETR_NONE ? i : first;
    if (first == ETR_NONE) etr_map_set(&known, etr_slice_of(key), i);
    s->parts[i] = 1;
  }
}

static bool can_grow(const shortening *s, uint32_t box) {
  const char *label = s->tree->boxes.data[box].label;
  return last_parts(label, s->parts[s->family[box]]) != label;
}

/* Families of which two boxes would be called alike keep one part more. True if there were any. */
static bool grow_families(shortening *s) {
  bool grown = false;
  etr_map known;
  etr_map_init(&known, s->tree->arena);
  for (uint32_t i = 1; i < s->tree->boxes.count && !etr_arena_failed(s->tree->arena); i++) {
    const etr_box *box = &s->tree->boxes.data[i];
    const char *shown = box->kind == ETR_SCOPE_MODULE ? last_parts(box->label, s->parts[s->family[i]]) : box->label;
    const char *key = etr_arena_format(s->tree->arena, "%u/%s", (unsigned)box->parent, shown);
    uint32_t other = key ? etr_map_get(&known, etr_slice_of(key)) : ETR_NONE;
    if (key && other == ETR_NONE) etr_map_set(&known, etr_slice_of(key), i);
    if (other == ETR_NONE || (!can_grow(s, i) && !can_grow(s, other))) continue;
    s->parts[s->family[i]]++;
    if (s->family[other] != s->family[i]) s->parts[s->family[other]]++;
    grown = true;
  }
  return grown;
}

void etr_tree_shorten(etr_tree *tree) {
  enum { MOST_PASSES = 8 }; /* what is still alike then keeps its path */
  shortening s = {.tree = tree};
  s.family = etr_arena_alloc_array(tree->arena, tree->boxes.count, sizeof *s.family);
  s.parts = etr_arena_alloc_array(tree->arena, tree->boxes.count, sizeof *s.parts);
  if (!s.family || !s.parts) return;
  find_families(&s);
  bool growing = true;
  for (int pass = 0; growing && pass < MOST_PASSES && !etr_arena_failed(tree->arena); pass++) growing = grow_families(&s);
  for (uint32_t i = 1; i < tree->boxes.count && !growing; i++)
    if (tree->boxes.data[i].kind == ETR_SCOPE_MODULE) tree->boxes.data[i].label = last_parts(tree->boxes.data[i].label, s.parts[s.family[i]]);
}
