/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pairing_modules.c - trees of modules, and the best alignment of numbered children.
 */
#include "compare/evidence.h"

/* ---- Pairs that keep the order of both sides: the longest increasing subsequence ---- */

/* Patience sorting: a binary search finds how long a subsequence each item can extend, and
 * `previous` links the items of each subsequence from its end to its start. */
void etr_keep_increasing(uint32_t *partner, size_t count, uint32_t *const scratch[2]) {
  uint32_t *tail = scratch[0], /* tail[k]: item that ends the best subsequence of k + 1 items */
      *previous = scratch[1];  /* per item: the item before it in its subsequence */
  size_t length = 0;
  for (size_t i = 0; i < count; i++) {
    size_t low = 0, high = length;
    if (partner[i] == ETR_NONE)
      continue;
    while (low < high) {
      size_t middle = (low + high) / 2;
      if (partner[tail[middle]] < partner[i])
        low = middle + 1;
      else
        high = middle;
    }
    previous[i] = low ? tail[low - 1] : ETR_NONE;
    tail[low] = (uint32_t)i;
    if (low == length)
      length++;
  }
  uint32_t kept = length ? tail[length - 1] : ETR_NONE;
  for (size_t i = count; i-- > 0;) {
    if (i == kept)
      kept = previous[i];
    else
      partner[i] = ETR_NONE;
  }
}

/* ---- Trees ---- */

/* A module. Sums are over the operators in it and below, so that their order does not matter: a
 * backend may run them in another one. */
typedef struct module {
  etr_slice name; /* the last part of its path */
  uint32_t parent, partner;
  uint32_t first_child, last_child,
      next; /* children in the order in which they first run; ETR_NONE */
  uint32_t child_count;
  uint64_t products; /* operators that read a weight of two dimensions or more, with its shape */
  uint64_t others;   /* operators that do not, and do not only move data */
  uint64_t moves;    /* operators that only move data */
  uint64_t kinds;    /* of both products and others, the operators alone */
} module;

typedef struct tree {
  etr_vec(module) modules; /* parents precede their children; the top level is the first */
  etr_map by_path;
  uint32_t *of; /* per item */
} tree;

/* Adds the module of a path to the tree as the last child of its parent (ETR_NONE for the top
 * level), and returns its index; ETR_NONE when out of memory. Its name is the last part of the
 * path. */
static uint32_t add_module(tree *t, etr_slice path, uint32_t parent, etr_arena *arena) {
  uint32_t index = (uint32_t)t->modules.count;
  module *added = etr_vec_push(arena, &t->modules);
  if (!added || !etr_map_set(&t->by_path, path, index))
    return ETR_NONE;
  size_t start = path.size;
  while (start > 0 && path.data[start - 1] != '.')
    start--;
  *added = (module){.name = {path.data + start, path.size - start},
                    .parent = parent,
                    .partner = ETR_NONE,
                    .first_child = ETR_NONE,
                    .last_child = ETR_NONE,
                    .next = ETR_NONE};
  if (parent == ETR_NONE)
    return index;
  module *above = &t->modules.data[parent];
  if (above->first_child == ETR_NONE)
    above->first_child = index;
  else
    t->modules.data[above->last_child].next = index;
  above->last_child = index;
  above->child_count++;
  return index;
}

/* Returns the module of a path, which is added with its parents if it is new; ETR_NONE when out
 * of memory. */
static uint32_t find_or_add_module(tree *t, const char *path, etr_arena *arena) {
  enum {
    MOST_LEVELS = 64
  }; /* more than models have; the rest is one name, so that no path costs its length squared */
  uint32_t found = etr_map_get(&t->by_path, etr_slice_of(path)), parent = 0, level = 0;
  if (found != ETR_NONE)
    return found;
  for (size_t end = 0; parent != ETR_NONE; end++) {
    bool is_part = path[end] == '.' && level < MOST_LEVELS;
    if (!is_part && path[end] != '\0')
      continue;
    etr_slice part = {path, end};
    level++;
    found = etr_map_get(&t->by_path, part);
    parent = found == ETR_NONE ? add_module(t, part, parent, arena) : found;
    if (path[end] == '\0')
      break;
  }
  return parent;
}

/* Adds hashes of an item to the sums of its module `index` and of all modules around it, by which
 * modules of both sides are compared: to `moves` if the item only moves data, and else to `kinds`
 * and, hashed with the shape of its weight, to `products` (a weight of two dimensions or more) or
 * `others`. */
static void count_item_in_modules(tree *t, uint32_t index, const etr_pairing_item *item) {
  for (uint32_t i = index; i != ETR_NONE; i = t->modules.data[i].parent) {
    module *m = &t->modules.data[i];
    uint64_t kind = etr_mixed(item->op), whole = etr_mixed(item->op ^ etr_mixed(item->weight));
    if (item->only_moves) {
      m->moves += kind;
      continue;
    }
    m->kinds += kind;
    if (item->weight_rank >= 2)
      m->products += whole;
    else
      m->others += whole;
  }
}

/* ---- Likeness ---- */

/* Returns a hash of what distinguishes a module from its neighbors: its products, whose weights
 * neither the input size nor the backend changes. A module without products is distinguished by its
 * other operators, and a module that only moves data by that fact. */
static uint64_t content_hash(const module *m) {
  if (m->products)
    return m->products;
  return m->others ? etr_mixed(m->others) : etr_mixed(~m->moves);
}

/* Returns true for a name that ends in a digit, as those of layers in a torch.nn.Sequential do. */
static bool is_numbered(const module *m) {
  return m->name.size > 0 && m->name.data[m->name.size - 1] >= '0' &&
         m->name.data[m->name.size - 1] <= '9';
}

/* The scores of a pair in an alignment. A module with products counts 16, more than the three
 * modules without products that are usually between two of them (a norm, an activation, a pooling),
 * which count 3 * (4 + 1). The same operators with other weights, as in a layer that was widened,
 * count 2, less than the same operators without weights. The same name counts 1: it decides only
 * between alignments that are otherwise equal, or if everything in the module changed.
 */
enum { SCORE_PRODUCTS = 16, SCORE_OTHERS = 4, SCORE_KINDS = 2, SCORE_NAME = 1 };

/* Returns how alike two modules are; 0 if they have nothing in common. The same name counts
 * SCORE_NAME (1). Added to that is what equal contents count: 16 with products, 4 without, or 2 if
 * only the kinds of operators are equal. */
static uint32_t likeness_score(const module *a, const module *b) {
  uint32_t score = etr_slice_equal(a->name, b->name) ? SCORE_NAME : 0;
  if (content_hash(a) == content_hash(b))
    return score + (a->products ? SCORE_PRODUCTS : SCORE_OTHERS);
  return a->kinds == b->kinds ? score + SCORE_KINDS : score;
}

/* ---- Alignment ---- */

typedef struct aligner {
  tree trees[ETR_SIDES];
  etr_arena *arena;
} aligner;

/* The numbered children of a module, in order. */
typedef struct children {
  module *all;
  uint32_t *list; /* indices into all */
  size_t count;
} children;

static module *child_at(const children *c, size_t at) {
  return &c->all[c->list[at]];
}

/* Lists the numbered children of a module, such as the blocks of a model. Returns false when out
 * of memory. */
static bool list_children(children *out, tree *t, uint32_t parent, etr_arena *arena) {
  *out = (children){
      .all = t->modules.data,
      .list = etr_arena_alloc_array(arena, t->modules.data[parent].child_count, sizeof *out->list)};
  if (!out->list)
    return false;
  for (uint32_t i = t->modules.data[parent].first_child; i != ETR_NONE; i = t->modules.data[i].next)
    if (is_numbered(&t->modules.data[i]))
      out->list[out->count++] = i;
  return true;
}

/* Makes two children partners; `base` and `newer` are indices into the lists of children. */
static void align_pair(const children sides[ETR_SIDES], size_t base, size_t newer) {
  child_at(&sides[ETR_BASE], base)->partner = sides[ETR_NEWER].list[newer];
  child_at(&sides[ETR_NEWER], newer)->partner = sides[ETR_BASE].list[base];
}

/* Aligns the children [first, end) of both sides in order, so that the sum of their scores is
 * highest; children may be left without a partner. The table has the best sum for the children
 * from i and k on, filled from the ends; it is then followed from the front. Returns false when out
 * of memory. */
static bool align_by_score(const children sides[ETR_SIDES], const size_t first[ETR_SIDES],
                           const size_t end[ETR_SIDES], etr_arena *arena) {
  size_t rows = end[ETR_BASE] - first[ETR_BASE], columns = end[ETR_NEWER] - first[ETR_NEWER],
         width = columns + 1;
  uint32_t *best = etr_arena_alloc_array(arena, (rows + 1) * width, sizeof *best);
  if (!best)
    return false;
  for (size_t i = rows; i-- > 0;)
    for (size_t k = columns; k-- > 0;) {
      uint32_t *cell = &best[i * width + k];
      uint32_t score = likeness_score(child_at(&sides[ETR_BASE], first[ETR_BASE] + i),
                                      child_at(&sides[ETR_NEWER], first[ETR_NEWER] + k));
      uint32_t paired = score ? score + cell[width + 1] : 0;
      uint32_t skipped = ETR_MAX(cell[width], cell[1]);
      *cell = ETR_MAX(paired, skipped);
    }
  for (size_t i = 0, k = 0; i < rows && k < columns;) {
    const uint32_t *cell = &best[i * width + k];
    uint32_t score = likeness_score(child_at(&sides[ETR_BASE], first[ETR_BASE] + i),
                                    child_at(&sides[ETR_NEWER], first[ETR_NEWER] + k));
    if (score && *cell == score + cell[width + 1])
      align_pair(sides, first[ETR_BASE] + i++, first[ETR_NEWER] + k++);
    else if (*cell == cell[width])
      i++;
    else
      k++;
  }
  return true;
}

/* The children of a side that have no partner yet, by a hash of their content. */
typedef struct unaligned {
  etr_map counts; /* content -> number of such children */
  etr_map last;   /* content -> index of the last of them */
} unaligned;

/* Indexes the children without a partner by their content. Returns false when out of memory. */
static bool index_unaligned(unaligned *out, const children *list, etr_arena *arena) {
  etr_map_init(&out->counts, arena);
  etr_map_init(&out->last, arena);
  for (size_t i = 0; i < list->count; i++) {
    const uint64_t content = content_hash(child_at(list, i));
    if (child_at(list, i)->partner != ETR_NONE)
      continue;
    (void)etr_map_count(&out->counts, ETR_BYTES(content));
    if (!etr_map_set(&out->last, ETR_BYTES(content), (uint32_t)i))
      return false;
  }
  return true;
}

/* Aligns children that changed their order: those without a partner whose content only one such
 * child of either side has. Returns false when out of memory. */
static bool align_moved(const children sides[ETR_SIDES], etr_arena *arena) {
  unaligned base, newer;
  if (!index_unaligned(&base, &sides[ETR_BASE], arena) ||
      !index_unaligned(&newer, &sides[ETR_NEWER], arena))
    return false;
  for (size_t i = 0; i < sides[ETR_BASE].count; i++) {
    const uint64_t content = content_hash(child_at(&sides[ETR_BASE], i));
    const etr_slice key = ETR_BYTES(content);
    if (child_at(&sides[ETR_BASE], i)->partner != ETR_NONE)
      continue;
    if (etr_map_get(&base.counts, key) == 1 && etr_map_get(&newer.counts, key) == 1)
      align_pair(sides, i, etr_map_get(&newer.last, key));
  }
  return true;
}

static bool is_same_content(const children sides[ETR_SIDES], size_t base, size_t newer) {
  return content_hash(child_at(&sides[ETR_BASE], base)) ==
         content_hash(child_at(&sides[ETR_NEWER], newer));
}

/* Proposes partners for the children [first, end) of the base, at which a long list is divided: for
 * the k-th child of one content, the k-th such child of the newer side, if both sides have equally
 * many. partner[0] is that of the first; ETR_NONE means none. Returns false when out of memory. */
static bool find_anchors(uint32_t *partner, const children sides[ETR_SIDES],
                         const size_t first[ETR_SIDES], const size_t end[ETR_SIDES],
                         etr_arena *arena) {
  typedef struct content_key {
    uint64_t content, number; /* how many of the content come before */
  } content_key;
  etr_map counts[ETR_SIDES], newer_child; /* content_key -> child of the newer side */
  etr_map_init(&newer_child, arena);
  etr_map_init(&counts[ETR_BASE], arena);
  etr_map_init(&counts[ETR_NEWER], arena);
  for (size_t i = first[ETR_NEWER]; i < end[ETR_NEWER]; i++) {
    content_key key = {.content = content_hash(child_at(&sides[ETR_NEWER], i))};
    key.number = etr_map_count(&counts[ETR_NEWER], ETR_BYTES(key.content));
    if (!etr_map_set(&newer_child, ETR_BYTES(key), (uint32_t)i))
      return false;
  }
  for (size_t i = first[ETR_BASE]; i < end[ETR_BASE]; i++) {
    content_key key = {.content = content_hash(child_at(&sides[ETR_BASE], i))};
    key.number = etr_map_count(&counts[ETR_BASE], ETR_BYTES(key.content));
    partner[i - first[ETR_BASE]] = etr_map_get(&newer_child, ETR_BYTES(key));
  }
  for (size_t i = first[ETR_BASE]; i < end[ETR_BASE]; i++) {
    const uint64_t content = content_hash(child_at(&sides[ETR_BASE], i));
    uint32_t base_count = etr_map_get(&counts[ETR_BASE], ETR_BYTES(content));
    if (base_count != etr_map_get(&counts[ETR_NEWER], ETR_BYTES(content)))
      partner[i - first[ETR_BASE]] = ETR_NONE;
  }
  return !etr_arena_failed(arena);
}

/* Aligns the children [first, end) of both sides by their scores. Ranges whose table would be too
 * large are left unaligned. Returns false when out of memory. */
static bool align_if_small(const children sides[ETR_SIDES], const size_t first[ETR_SIDES],
                           const size_t end[ETR_SIDES], etr_arena *arena) {
  enum {
    MOST_CELLS = 1 << 16
  }; /* of a table: 256 children on each side. So all tables of a model take at most 256
        steps for each of its modules, which is linear in them */
  uint64_t cells = (uint64_t)(end[ETR_BASE] - first[ETR_BASE]) *
                   (end[ETR_NEWER] - first[ETR_NEWER]);
  return cells > MOST_CELLS || align_by_score(sides, first, end, arena);
}

/* Aligns the children [first, end) of both sides by a table of scores. Lists that are too long for
 * one table are divided into parts at children that find_anchors() pairs; each part is aligned by
 * its own table. Returns false when out of memory. */
static bool align_or_divide(const children sides[ETR_SIDES], const size_t first[ETR_SIDES],
                            const size_t end[ETR_SIDES], etr_arena *arena) {
  enum { LONG = 256 }; /* as many children on each side as a table may have */
  size_t count = end[ETR_BASE] - first[ETR_BASE],
         start_of_part[ETR_SIDES] = {first[ETR_BASE], first[ETR_NEWER]};
  if (count <= LONG && end[ETR_NEWER] - first[ETR_NEWER] <= LONG)
    return align_if_small(sides, first, end, arena);
  uint32_t *partner = etr_arena_alloc_array(arena, count, sizeof *partner);
  uint32_t *const scratch[] = {etr_arena_alloc_array(arena, count, sizeof *partner),
                               etr_arena_alloc_array(arena, count, sizeof *partner)};
  if (!partner || !scratch[0] || !scratch[1] || !find_anchors(partner, sides, first, end, arena))
    return false;
  etr_keep_increasing(partner, count, scratch);
  for (size_t i = 0; i < count; i++) {
    if (partner[i] == ETR_NONE)
      continue;
    const size_t end_of_part[ETR_SIDES] = {first[ETR_BASE] + i, partner[i]};
    if (!align_if_small(sides, start_of_part, end_of_part, arena))
      return false;
    align_pair(sides, end_of_part[ETR_BASE], end_of_part[ETR_NEWER]);
    start_of_part[ETR_BASE] = end_of_part[ETR_BASE] + 1;
    start_of_part[ETR_NEWER] = end_of_part[ETR_NEWER] + 1;
  }
  return align_if_small(sides, start_of_part, end, arena);
}

/* Aligns the numbered children of two modules: those of equal content from the front and from the
 * end, which are most after a small change, then those between, then those that moved. Returns
 * false when out of memory. */
static bool align_in_order(const children sides[ETR_SIDES], etr_arena *arena) {
  size_t first[ETR_SIDES] = {0}, end[ETR_SIDES] = {sides[ETR_BASE].count, sides[ETR_NEWER].count};
  while (first[ETR_BASE] < ETR_MIN(end[ETR_BASE], end[ETR_NEWER]) &&
         is_same_content(sides, first[ETR_BASE], first[ETR_NEWER])) {
    align_pair(sides, first[ETR_BASE], first[ETR_NEWER]);
    first[ETR_BASE]++;
    first[ETR_NEWER]++;
  }
  while (end[ETR_BASE] > first[ETR_BASE] && end[ETR_NEWER] > first[ETR_NEWER] &&
         is_same_content(sides, end[ETR_BASE] - 1, end[ETR_NEWER] - 1))
    align_pair(sides, --end[ETR_BASE], --end[ETR_NEWER]);
  return align_or_divide(sides, first, end, arena) && align_moved(sides, arena);
}

/* Finds the partners of the children of two modules that are partners. Children of one name are.
 * But if any two numbered children of one name differ in content, numbers were shifted, as by an
 * inserted layer; then all numbered ones are aligned by content. Returns false when out of
 * memory. */
static bool align_children(aligner *a, uint32_t base, uint32_t newer) {
  module *old = a->trees[ETR_BASE].modules.data, *now = a->trees[ETR_NEWER].modules.data;
  bool is_shifted = false;
  etr_map names;
  etr_map_init(&names, a->arena);
  for (uint32_t i = old[base].first_child; i != ETR_NONE; i = old[i].next)
    if (!etr_map_set(&names, old[i].name, i))
      return false;
  for (uint32_t k = now[newer].first_child; k != ETR_NONE; k = now[k].next) {
    uint32_t i = etr_map_get(&names, now[k].name);
    is_shifted |= i != ETR_NONE && is_numbered(&now[k]) &&
                  content_hash(&old[i]) != content_hash(&now[k]);
  }
  for (uint32_t k = now[newer].first_child; k != ETR_NONE; k = now[k].next) {
    uint32_t i = etr_map_get(&names, now[k].name);
    if (i != ETR_NONE && !(is_shifted && is_numbered(&now[k]))) {
      old[i].partner = k;
      now[k].partner = i;
    }
  }
  if (!is_shifted)
    return true;
  children sides[ETR_SIDES];
  return list_children(&sides[ETR_BASE], &a->trees[ETR_BASE], base, a->arena) &&
         list_children(&sides[ETR_NEWER], &a->trees[ETR_NEWER], newer, a->arena) &&
         align_in_order(sides, a->arena);
}

/* Numbers the module of each item so that partners have one number on both sides: that of the base.
 * Modules that only the newer side has are numbered after the `base_count` modules of the base.
 * Returns false when out of memory. */
static bool number_modules_of_items(etr_item_modules *out, const tree *t, int side,
                                    uint32_t base_count, size_t count, etr_arena *arena) {
  out->number = etr_arena_alloc_array(arena, count, sizeof *out->number);
  out->has_partner = etr_arena_alloc_array(arena, count, sizeof *out->has_partner);
  if (etr_arena_failed(arena))
    return false;
  for (size_t i = 0; i < count; i++) {
    uint32_t own = t->of[i], partner = t->modules.data[own].partner;
    out->has_partner[i] = own != 0 && partner != ETR_NONE;
    out->number[i] = own;
    if (side == ETR_NEWER)
      out->number[i] = partner == ETR_NONE ? base_count + own : partner;
  }
  return true;
}

/* Builds the tree of modules of each side, aligns both from the top, and numbers the modules of
 * items. Returns false when out of memory. */
bool etr_pairing_find_modules(etr_item_modules out[ETR_SIDES],
                              const etr_pairing_side *const sides[ETR_SIDES], etr_arena *arena) {
  aligner a = {.arena = arena};
  for (int s = 0; s < ETR_SIDES; s++) {
    tree *t = &a.trees[s];
    const etr_pairing_side *side = sides[s];
    etr_map_init(&t->by_path, arena);
    t->of = etr_arena_alloc_array(arena, side->count, sizeof *t->of);
    if (!t->of || add_module(t, (etr_slice){"", 0}, ETR_NONE, arena) == ETR_NONE)
      return false;
    for (size_t i = 0; i < side->count; i++) {
      t->of[i] = find_or_add_module(t, side->items[i].path ? side->items[i].path : "", arena);
      if (t->of[i] == ETR_NONE)
        return false;
      count_item_in_modules(t, t->of[i], &side->items[i]);
    }
  }
  module *old = a.trees[ETR_BASE].modules.data, *now = a.trees[ETR_NEWER].modules.data;
  uint32_t count = (uint32_t)a.trees[ETR_BASE].modules.count;
  old[0].partner = now[0].partner = 0;
  for (uint32_t i = 0; i < count; i++)
    if (old[i].partner != ETR_NONE && !align_children(&a, i, old[i].partner))
      return false;
  for (int s = 0; s < ETR_SIDES; s++)
    if (!number_modules_of_items(&out[s], &a.trees[s], s, count, sides[s]->count, arena))
      return false;
  return !etr_arena_failed(arena);
}
