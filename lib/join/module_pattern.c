/* SPDX-License-Identifier: BSD-3-Clause
 *
 * module_pattern.c - which modules repeat.
 */
#include "join/module_pattern.h"

#include "base/natural.h"

#include <stdlib.h>

enum {
  MOST_PARTS = 32, /* of a path that are looked at: comparing modules recurses once for each */
  MOST_KINDS = 8,  /* different kinds of siblings; if there are more, they do not repeat */
  LEAST_RUN = 3,   /* members of a container with roles that repeat */
};

/* One part of a path, with the parts inside it. */
typedef struct part {
  uint32_t parent;     /* ETR_NONE: the top level */
  uint32_t first, end; /* those inside, in `sorted` */
  etr_slice name;
  etr_slice digits; /* at the end of the name */
  const char *type; /* NULL: a list that is never called, such as a ModuleList; "": not known */
  bool repeats;
} part;

typedef struct folder {
  etr_arena *scratch;
  etr_map by_name; /* number of the parent, name -> part */
  etr_vec(part) parts;
  part **sorted; /* by parent, name and number */
} folder;

/* ---- Parts of paths ---- */

/* Returns the digits at the end of a module's name; none for "norm@1", which is the second call of
 * one module. */
static etr_slice trailing_digits(etr_slice name) {
  size_t start = name.size;
  while (start > 0 && name.data[start - 1] >= '0' && name.data[start - 1] <= '9')
    start--;
  if (start > 0 && name.data[start - 1] == '@')
    start = name.size;
  return (etr_slice){name.data + start, name.size - start};
}

/* Returns the index of the part of a module path that has this name inside its parent; adds it if
 * there is none yet. ETR_NONE when out of memory. */
static uint32_t find_or_add_path_part(folder *f, uint32_t parent, etr_slice name) {
  etr_slice key = etr_key_of(f->scratch, parent, name);
  etr_map_slot *slot = key.size ? etr_map_at(&f->by_name, key) : NULL;
  if (!slot || slot->value != ETR_NONE)
    return slot ? slot->value : ETR_NONE;
  part *added = etr_vec_push(f->scratch, &f->parts);
  if (!added)
    return ETR_NONE;
  *added = (part){.parent = parent, .name = name, .digits = trailing_digits(name)};
  slot->value = (uint32_t)(f->parts.count - 1);
  return slot->value;
}

/* Returns the index of the last part of a path such as "layers.0.norm", and adds all its
 * parts; ETR_NONE for the top level, and when out of memory. Whatever is behind MOST_PARTS is
 * one part. */
static uint32_t add_path(folder *f, const char *path) {
  uint32_t last = ETR_NONE;
  for (size_t count = 1; *path; count++) {
    size_t size = count < MOST_PARTS ? strcspn(path, ".") : strlen(path);
    last = find_or_add_path_part(f, last, (etr_slice){path, size});
    if (last == ETR_NONE)
      return last;
    path += size + (path[size] == '.');
  }
  return last;
}

/* ---- Siblings beside each other ---- */

/* Compares two texts byte by byte, like strcmp(). A text that begins with the other is greater. */
static int compare_text(etr_slice a, etr_slice b) {
  size_t size = ETR_MIN(a.size, b.size);
  int compared = size ? memcmp(a.data, b.data, size) : 0;
  return compared ? compared : (a.size > b.size) - (a.size < b.size);
}

static etr_slice stem_of(const part *p) {
  return (etr_slice){p->name.data, p->name.size - p->digits.size};
}

/* Compares by name: "a", "a1", "a2", "a10". */
static int compare_names(const part *a, const part *b) {
  int compared = compare_text(stem_of(a), stem_of(b));
  if (compared == 0)
    compared = etr_compare_digits(a->digits, b->digits);
  return compared ? compared : compare_text(a->digits, b->digits);
}

/* Orders parts by parent, then by name and number, so that siblings are neighbors. */
static int by_parent(const void *a, const void *b) {
  const part *x = *(const part *const *)a, *y = *(const part *const *)b;
  if (x->parent != y->parent)
    return x->parent < y->parent ? -1 : 1;
  return compare_names(x, y);
}

/* Sorts the parts of module paths by parent, and sets the range of each part's children in that
 * order. Returns false when out of memory. */
static bool sort_parts_by_parent(folder *f) {
  f->sorted = etr_arena_alloc_array(f->scratch, f->parts.count, sizeof *f->sorted);
  if (!f->sorted)
    return false;
  for (size_t i = 0; i < f->parts.count; i++)
    f->sorted[i] = &f->parts.data[i];
  etr_sort(f->sorted, f->parts.count, sizeof *f->sorted, by_parent);
  for (uint32_t i = 0; i < f->parts.count; i++) {
    uint32_t parent = f->sorted[i]->parent;
    if (parent == ETR_NONE)
      continue;
    if (f->parts.data[parent].end == 0)
      f->parts.data[parent].first = i;
    f->parts.data[parent].end = i + 1;
  }
  return true;
}

/* ---- Siblings that repeat ---- */

static bool is_leaf(const part *p) {
  return p->first == p->end;
}

static const char *type_of(const part *p) {
  return p->type ? p->type : "";
}

static bool is_same_type(const part *a, const part *b) {
  return strcmp(type_of(a), type_of(b)) == 0;
}

/* Returns the part inside `outer` that has the same name as `wanted`; NULL if there is none. */
static const part *find_child(const folder *f, const part *outer, const part *wanted) {
  for (uint32_t from = outer->first, to = outer->end; from < to;) {
    uint32_t middle = from + (to - from) / 2;
    const part *part_of_middle = f->sorted[middle];
    int compared = compare_names(wanted, part_of_middle);
    if (compared == 0)
      return part_of_middle;
    if (compared < 0)
      to = middle;
    else
      from = middle + 1;
  }
  return NULL;
}

/* Returns whether the types of two modules agree, and those of all modules that both have inside
 * under the same name. Sets *shared to whether both have such a module at all. */
static bool types_agree(const folder *f, const part *a, const part *b, bool *shared) {
  bool child_shares;
  *shared = false;
  if (!is_same_type(a, b))
    return false;
  for (uint32_t i = b->first; i < b->end; i++) {
    const part *in_b = f->sorted[i], *in_a = find_child(f, a, in_b);
    if (!in_a)
      continue;
    if (!types_agree(f, in_a, in_b, &child_shares))
      return false;
    *shared = true;
  }
  return true;
}

/* Returns whether two modules are of the same kind: modules without children have the same known
 * type; others have at least one child in common, and all types agree. */
static bool are_alike_modules(const folder *f, const part *a, const part *b) {
  bool shared;
  if (is_leaf(a) && is_leaf(b))
    return is_same_type(a, b) && type_of(a)[0];
  return types_agree(f, a, b, &shared) && shared;
}

/* ---- What repeats ---- */

/* Siblings of one name but for their numbers, in `sorted`. */
typedef struct siblings {
  part *const *list;
  size_t count;
  uint32_t *kinds;             /* per sibling: index of the first sibling that it is like */
  uint32_t firsts[MOST_KINDS]; /* of each kind */
  size_t kind_count;
  bool has_roles; /* in a container that is called itself */
  bool all_alike, is_dense;
} siblings;

/* Returns the index of the first sibling that is like the i-th; i itself if there is none, or if
 * there are too many kinds to compare with all. */
static uint32_t first_of_kind(const folder *f, siblings *s, uint32_t i) {
  for (size_t k = 0; k < s->kind_count; k++)
    if (are_alike_modules(f, s->list[s->firsts[k]], s->list[i]))
      return s->firsts[k];
  if (s->kind_count < MOST_KINDS)
    s->firsts[s->kind_count++] = i;
  return i;
}

/* Returns whether the number b follows the number a; false if either is no number of 64 bits. */
static bool is_next_number(etr_slice a, etr_slice b) {
  int64_t before, after;
  return etr_slice_to_int(a, &before) && etr_slice_to_int(b, &after) && before < INT64_MAX &&
         after == before + 1;
}

/* Finds out which siblings are alike, whether their numbers follow each other, and whether their
 * position gives them a role: they are named by numbers alone, in a container that is called
 * itself, such as a Sequential. */
static void compare_siblings(const folder *f, siblings *s) {
  const part *first = s->list[0];
  bool are_numbers = first->digits.size == first->name.size;
  bool is_called = first->parent == ETR_NONE || f->parts.data[first->parent].type != NULL;
  s->has_roles = are_numbers && is_called;
  s->all_alike = s->is_dense = s->count > 1;
  for (uint32_t i = 0; i < s->count; i++) {
    s->kinds[i] = first_of_kind(f, s, i);
    s->all_alike &= s->kinds[i] == 0;
    s->is_dense &= i == 0 || is_next_number(s->list[i - 1]->digits, s->list[i]->digits);
  }
}

/* Returns how many siblings in a row around the i-th, itself included, are of its kind. Counts at
 * most LEAST_RUN in each direction, because more makes no difference. */
static size_t count_alike_in_a_row(const siblings *s, size_t i) {
  size_t from = i, to = i + 1;
  while (from > 0 && i - from < LEAST_RUN && s->kinds[from - 1] == s->kinds[i])
    from--;
  while (to < s->count && to - i < LEAST_RUN && s->kinds[to] == s->kinds[i])
    to++;
  return to - from;
}

/* Returns whether the i-th sibling, a module with children, repeats: all siblings are alike; or,
 * where their position gives them roles, LEAST_RUN in a row around it are; or, elsewhere, any other
 * one is of its kind. count_of_kind has the number of siblings of each kind, at the index of the
 * first. */
static bool is_one_of_several(const siblings *s, const size_t *count_of_kind, size_t i) {
  if (s->all_alike)
    return true;
  if (s->has_roles)
    return count_alike_in_a_row(s, i) >= LEAST_RUN;
  return count_of_kind[s->kinds[i]] > 1;
}

/* Marks the siblings that repeat, such as the layers of a model. Modules without children do so
 * only if all members of a list are alike and their numbers have no gaps. Returns false when out of
 * memory. */
static bool mark_repeats(folder *f, siblings *s) {
  size_t *count_of_kind = etr_arena_alloc_array(f->scratch, s->count, sizeof *count_of_kind);
  s->kinds = etr_arena_alloc_array(f->scratch, s->count, sizeof *s->kinds);
  if (etr_arena_failed(f->scratch))
    return false;
  compare_siblings(f, s);
  for (size_t i = 0; i < s->count; i++)
    count_of_kind[s->kinds[i]]++;
  for (size_t i = 0; i < s->count; i++) {
    part *p = s->list[i];
    bool is_in_list = p->digits.size == p->name.size;
    bool is_list_of_equals = is_in_list && s->all_alike && s->is_dense;
    p->repeats = is_leaf(p) ? is_list_of_equals : is_one_of_several(s, count_of_kind, i);
  }
  return true;
}

static bool is_sibling(const part *a, const part *b) {
  return a->parent == b->parent && a->digits.size && b->digits.size &&
         etr_slice_equal(stem_of(a), stem_of(b));
}

/* Marks the parts of paths that repeat, comparing each with its siblings. Returns false when out of
 * memory. */
static bool mark_all_repeats(folder *f) {
  for (size_t from = 0, to; from < f->parts.count; from = to) {
    for (to = from + 1; to < f->parts.count && is_sibling(f->sorted[from], f->sorted[to]);)
      to++;
    siblings s = {.list = &f->sorted[from], .count = to - from};
    if (s.count > 1 && !mark_repeats(f, &s))
      return false;
  }
  return true;
}

/* ---- Patterns ---- */

/* Returns the path whose last part is `last`, with '*' in place of each number that repeats; the
 * path itself if none does, and NULL when out of memory. */
static const char *pattern_of(const folder *f, uint32_t last, const char *path, etr_map *strings) {
  char *text = etr_arena_alloc(f->scratch, strlen(path) + 1);
  size_t count = 0, size = 0;
  uint32_t chain[MOST_PARTS];
  bool repeats = false;
  for (uint32_t i = last; i != ETR_NONE; i = f->parts.data[i].parent)
    chain[count++] = i;
  while (text && count-- > 0) {
    const part *p = &f->parts.data[chain[count]];
    etr_slice shown = p->repeats ? stem_of(p) : p->name;
    repeats |= p->repeats;
    memcpy(text + size, shown.data, shown.size);
    size += shown.size;
    if (p->repeats)
      text[size++] = '*';
    if (count > 0)
      text[size++] = '.';
  }
  if (!text)
    return NULL;
  return repeats ? etr_intern(strings, (etr_slice){text, size}) : path;
}

/* Takes all paths apart, marks the parts that repeat, and puts the patterns together. Of several
 * modules with one path the first known type counts. */
bool etr_module_patterns_set(etr_module *modules, size_t count, etr_map *strings,
                             etr_arena *scratch) {
  if (etr_arena_failed(strings->arena))
    return false; /* some modules may have no path */
  folder f = {.scratch = scratch};
  uint32_t *last = etr_arena_alloc_array(scratch, count, sizeof *last);
  etr_map_init(&f.by_name, scratch);
  for (size_t i = 0; last && i < count; i++) {
    last[i] = add_path(&f, modules[i].path);
    if (last[i] != ETR_NONE && !f.parts.data[last[i]].type)
      f.parts.data[last[i]].type = modules[i].type;
  }
  if (!last || etr_arena_failed(scratch) || !sort_parts_by_parent(&f) || !mark_all_repeats(&f))
    return false;
  for (size_t i = 0; i < count; i++) {
    modules[i].pattern = pattern_of(&f, last[i], modules[i].path, strings);
    if (!modules[i].pattern)
      return false;
  }
  return true;
}
