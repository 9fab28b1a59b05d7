/* SPDX-License-Identifier: BSD-3-Clause
 *
 * scope_label.c - labels that fit into a box: the path where all of it does, else as little of its end as tells
 * siblings apart: "layer_3" of "encoder.layers.encoder_layer_3".
 */
#include "views/scope_tree.h"

enum {
  LONGEST = 13,     /* characters of a label that TensorBoard's page shows */
  WHOLE = ETR_NONE, /* parts of a path that is not cut */
};

typedef struct shortening {
  etr_tree *tree;
  uint32_t *family; /* of each box: the first with the same parent and the same label but for the number at its end:
                       they are cut alike */
  uint32_t *parts;  /* of each family: how many parts of the path are kept */
  size_t *longest;  /* of each family: its longest label */
} shortening;

/* The last so many parts of a dotted path; more where the last is only a number. */
static const char *last_parts(const char *label, uint32_t parts) {
  if (parts == WHOLE) return label;
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
    etr_slice key = etr_key_of(s->tree->arena, box->parent, (etr_slice){box->label, stem});
    uint32_t first = etr_map_get(&known, key);
    s->family[i] = first == ETR_NONE ? i : first;
    if (first == ETR_NONE && !etr_map_set(&known, key, i)) return;
    s->parts[i] = 1;
  }
}

static void measure_families(shortening *s) {
  const etr_box *boxes = s->tree->boxes.data;
  memset(s->longest, 0, s->tree->boxes.count * sizeof *s->longest);
  for (size_t i = 1; i < s->tree->boxes.count; i++)
    s->longest[s->family[i]] = ETR_MAX(s->longest[s->family[i]], strlen(boxes[i].label));
}

/* Only families that can: the count of a whole path must not go around. */
static void grow(shortening *s, uint32_t family) {
  if (s->parts[family] != WHOLE) s->parts[family]++;
}

static bool can_grow(const shortening *s, uint32_t box) {
  const char *label = s->tree->boxes.data[box].label;
  return last_parts(label, s->parts[s->family[box]]) != label;
}

/* ---- Words ---- */

/* "layer_3" of "encoder_layer_3", whose number the page would cut off; NULL if nothing is to be gained. */
static const char *last_words(const shortening *s, uint32_t box) {
  const char *label = s->tree->boxes.data[box].label, *start = NULL;
  size_t size = strlen(label), longest = s->longest[s->family[box]];
  if (s->tree->boxes.data[box].kind != ETR_SCOPE_MODULE || longest <= LONGEST || size == 0 || label[size - 1] < '0' ||
      label[size - 1] > '9' || strchr(label, '.'))
    return NULL;
  for (const char *at = strchr(label, '_'); at; at = strchr(at + 1, '_')) {
    if (at[1 + strspn(at + 1, "0123456789_")] == '\0') break;
    start = at + 1;
    if (strlen(start) + (longest - size) <= LONGEST) break;
  }
  return start;
}

/* All labels that siblings have, or could be cut to; the value is the family, AMBIGUOUS if two have it. */
enum { AMBIGUOUS = ETR_NONE - 1 };
static void note_label(shortening *s, etr_map *known, uint32_t box, const char *label) {
  etr_slice key = etr_key_of(s->tree->arena, s->tree->boxes.data[box].parent, etr_slice_of(label));
  uint32_t seen = etr_map_get(known, key);
  etr_map_set(known, key, seen == ETR_NONE ? s->family[box] : AMBIGUOUS);
}

/* Cuts families off which every label stays alone. */
static void cut_words(shortening *s) {
  etr_box *boxes = s->tree->boxes.data;
  uint32_t count = (uint32_t)s->tree->boxes.count;
  bool *can_be_cut = etr_arena_alloc_array(s->tree->arena, count, sizeof *can_be_cut);
  etr_map known;
  etr_map_init(&known, s->tree->arena);
  if (!can_be_cut) return;
  measure_families(s);
  for (uint32_t i = 1; i < count && !etr_arena_failed(s->tree->arena); i++) {
    const char *words = last_words(s, i);
    note_label(s, &known, i, boxes[i].label);
    if (words) note_label(s, &known, i, words);
    can_be_cut[s->family[i]] |= words != NULL;
  }
  for (uint32_t i = 1; i < count; i++) {
    const char *words = last_words(s, i);
    if (words && etr_map_get(&known, etr_key_of(s->tree->arena, boxes[i].parent, etr_slice_of(words))) == AMBIGUOUS)
      can_be_cut[s->family[i]] = false;
  }
  for (uint32_t i = 1; i < count; i++) {
    const char *words = last_words(s, i);
    if (words && can_be_cut[s->family[i]]) boxes[i].label = words;
  }
}

void etr_tree_shorten(etr_tree *tree) {
  enum { MOST_PASSES = 8 }; /* what is still alike then keeps its path */
  shortening s = {.tree = tree};
  s.family = etr_arena_alloc_array(tree->arena, tree->boxes.count, sizeof *s.family);
  s.parts = etr_arena_alloc_array(tree->arena, tree->boxes.count, sizeof *s.parts);
  s.longest = etr_arena_alloc_array(tree->arena, tree->boxes.count, sizeof *s.longest);
  if (!s.family || !s.parts || !s.longest) return;
  find_families(&s);
  measure_families(&s);
  for (size_t i = 1; i < s.tree->boxes.count; i++)
    if (s.longest[s.family[i]] <= LONGEST) s.parts[s.family[i]] = WHOLE;
  bool growing = true;
  for (int pass = 0; growing && pass < MOST_PASSES && !etr_arena_failed(tree->arena); pass++) {
    /* Families of which two boxes would be called alike keep one part more. True if there were any. */
    bool grown = false;
    etr_map known;
    etr_map_init(&known, s.tree->arena);
    for (uint32_t i = 1; i < s.tree->boxes.count && !etr_arena_failed(s.tree->arena); i++) {
      const etr_box *box = &s.tree->boxes.data[i];
      const char *shown = box->kind == ETR_SCOPE_MODULE ? last_parts(box->label, s.parts[s.family[i]]) : box->label;
      etr_slice key = etr_key_of(s.tree->arena, box->parent, etr_slice_of(shown));
      uint32_t other = etr_map_get(&known, key);
      if (other == ETR_NONE) etr_map_set(&known, key, i);
      if (other == ETR_NONE || (!can_grow(&s, i) && !can_grow(&s, other))) continue;
      grow(&s, s.family[i]);
      if (s.family[other] != s.family[i]) grow(&s, s.family[other]);
      grown = true;
    }
    growing = grown;
  }
  for (uint32_t i = 1; i < tree->boxes.count && !growing; i++)
    if (tree->boxes.data[i].kind == ETR_SCOPE_MODULE)
      tree->boxes.data[i].label = last_parts(tree->boxes.data[i].label, s.parts[s.family[i]]);
  if (!etr_arena_failed(tree->arena)) cut_words(&s);
}
