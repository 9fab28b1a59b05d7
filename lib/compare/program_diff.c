/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program_diff.c - compares two programs by their bytes and their structure.
 */
#include "etrecord_compare.h"

#include "base/arena.h"
#include "base/file.h"
#include "formats/archive.h"

#include <stdlib.h>

const char *etr_part_verdict_name(etr_part_verdict verdict) {
  static const char *const names[] = {"same", "changed", "added", "removed"};
  return (size_t)verdict < ETR_COUNT(names) ? names[verdict] : "";
}

const char *etr_structure_kind_name(etr_structure_kind kind) {
  static const char *const names[] = {"instructions", "operator", "delegate",
                                      "operator in delegates", "planned bytes"};
  return (size_t)kind < ETR_COUNT(names) ? names[kind] : "";
}

typedef struct differ {
  etr_arena *arena;
  etr_map rows; /* method, kind and name -> index in `structure` */
  etr_vec(etr_structure_change) structure;
  etr_vec(etr_part_change) parts;
} differ;

/* ---- Structure ---- */

/* Adds `count` to the row of something in a method, such as an operator, on one side: 0 the base, 1
 * the newer one. The row is added if it is new. When out of memory, the arena has failed. */
static void add_to_structure(differ *d, int side, const char *method, etr_structure_kind kind,
                             const char *name, uint64_t count) {
  const char *key = etr_arena_format(d->arena, "%d %zu %s %s", (int)kind, strlen(method), method,
                                     name);
  etr_map_slot *slot = key ? etr_map_at(&d->rows, etr_slice_of(key)) : NULL;
  if (!slot)
    return;
  if (slot->value == ETR_NONE) {
    etr_structure_change *added = etr_vec_push(d->arena, &d->structure);
    if (!added)
      return;
    *added = (etr_structure_change){.method = method, .kind = kind, .name = name};
    slot->value = (uint32_t)(d->structure.count - 1);
  }
  etr_structure_change *row = &d->structure.data[slot->value];
  uint64_t *sum = side == 0 ? &row->base_count : &row->new_count;
  *sum = etr_add_up_to_most(*sum, count);
}

/* Counts the operators, delegates and instructions of a program's graph. Nodes in a subgraph are
 * operators in a delegate: they are no instructions of the program. */
static void count_graph(differ *d, int side, const etr_graph *graph) {
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    if (node->kind != ETR_NODE_OP)
      continue;
    bool is_inside = node->subgraph != ETR_NONE;
    bool is_call = !is_inside && strncmp(node->target, "delegate.", strlen("delegate.")) == 0;
    etr_structure_kind kind = is_inside ? ETR_STRUCTURE_INSIDE : ETR_STRUCTURE_OPERATOR;
    add_to_structure(d, side, graph->method, is_call ? ETR_STRUCTURE_DELEGATE : kind,
                     is_call ? node->target + strlen("delegate.") : node->target, 1);
    if (!is_inside)
      add_to_structure(d, side, graph->method, ETR_STRUCTURE_INSTRUCTIONS, "", 1);
  }
}

/* Counts the structure of all program graphs of a side, and the bytes that its methods plan. */
static void count_side(differ *d, int side, const etr_profile *profile) {
  for (size_t i = 0; i < profile->graph_count; i++)
    if (strcmp(profile->graphs[i].dialect, "program") == 0)
      count_graph(d, side, &profile->graphs[i]);
  for (size_t i = 0; i < profile->method_count; i++) {
    const etr_memory_plan *plan = profile->methods[i].memory;
    if (plan)
      add_to_structure(d, side, profile->methods[i].name, ETR_STRUCTURE_PLANNED, "",
                       plan->planned_bytes);
  }
}

/* Orders rows by method, kind and name. */
static int by_method_kind_and_name(const void *a, const void *b) {
  const etr_structure_change *x = a, *y = b;
  int compared = strcmp(x->method, y->method);
  if (compared == 0)
    compared = (x->kind > y->kind) - (x->kind < y->kind);
  return compared ? compared : strcmp(x->name, y->name);
}

/* ---- The bytes of parts ---- */

/* A part of a program's file that is compared with those of the other program. */
typedef struct piece {
  const etr_file_part *part;
  const etr_profile *profile;
  uint64_t hash;
  uint32_t next; /* next piece with the same key; ETR_NONE: none */
  bool is_paired;
} piece;

typedef struct pieces {
  piece *list;
  size_t count;
} pieces;

static uint64_t add_to_hash(uint64_t hash, const char *data, size_t size) {
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ (uint8_t)data[i]) * 0x100000001b3u; /* FNV-1a */
  return hash;
}

/* Adds the bytes [from, to) of a file to a hash. Returns false if they cannot be read. */
static bool hash_range(uint64_t *hash, const etr_seekable *file, uint64_t from, uint64_t to) {
  char block[1 << 16];
  while (from < to) {
    size_t size = (size_t)ETR_MIN(to - from, (uint64_t)sizeof block);
    if (!etr_seekable_read(file, from, block, size))
      return false;
    *hash = add_to_hash(*hash, block, size);
    from += size;
  }
  return true;
}

/* Hashes the bytes of a part without the parts inside it, which follow it in the list: if only a
 * part inside changed, the part itself is the same. Returns false if they cannot be read. */
static bool hash_part(uint64_t *hash, const etr_seekable *file, const etr_program_memory *program,
                      size_t index) {
  const etr_file_part *part = &program->parts[index];
  uint64_t offset = part->offset_bytes, end = offset + part->extent_bytes;
  *hash = 0xcbf29ce484222325u; /* the start of FNV-1a */
  for (size_t i = index + 1; i < program->part_count && program->parts[i].offset_bytes < end; i++) {
    const etr_file_part *inner = &program->parts[i];
    if (inner->offset_bytes > offset && !hash_range(hash, file, offset, inner->offset_bytes))
      return false;
    offset = ETR_MAX(offset, inner->offset_bytes + inner->extent_bytes);
  }
  return hash_range(hash, file, offset, end);
}

/* Lists the parts of a program with a hash of the bytes of each; padding is left out. Returns false
 * if the file cannot be read. When out of memory, the arena has failed. */
static bool list_pieces(pieces *out, etr_arena *arena, const etr_profile *profile,
                        const etr_seekable *file) {
  const etr_program_memory *program = profile->program_memory;
  out->list = etr_arena_alloc_array(arena, program->part_count, sizeof *out->list);
  for (size_t i = 0; out->list && i < program->part_count; i++) {
    piece *added = &out->list[out->count];
    if (program->parts[i].kind == ETR_CONTENT_PADDING)
      continue;
    *added = (piece){.part = &program->parts[i], .profile = profile, .next = ETR_NONE};
    if (!hash_part(&added->hash, file, program, i))
      return false;
    out->count++;
  }
  return true;
}

/* Reads the program's file, or its entry in the ETRecord, again, because a profile does not keep
 * its bytes, and lists its parts. Fails if it is gone or changed. When out of memory, the arena has
 * failed. */
static etr_status read_pieces(pieces *out, etr_arena *arena, const etr_profile *profile,
                              etr_error *error) {
  etr_seekable file;
  etr_file held = {0};
  if (profile->pte_entry) {
    etr_archive *archive;
    ETR_TRY(etr_archive_open(&archive, profile->etrecord, error));
    size_t index = etr_archive_find(archive, profile->pte_entry);
    etr_status status = index == SIZE_MAX
                            ? etr_fail(error, ETR_ERROR_IO, profile->pte, profile->pte_entry,
                                       ETR_NO_OFFSET, "the entry is gone")
                            : etr_archive_read(&held, archive, index, 0, error);
    etr_archive_close(archive);
    ETR_TRY(status);
    file = etr_seekable_of(etr_file_bytes(&held));
  } else
    ETR_TRY(etr_seekable_open(&file, profile->pte, error));
  bool good = list_pieces(out, arena, profile, &file);
  if (!profile->pte_entry)
    etr_seekable_close(&file);
  etr_file_clear(&held);
  return good ? ETR_OK
              : etr_fail(error, ETR_ERROR_IO, profile->pte, NULL, ETR_NO_OFFSET,
                         "the file changed while it was read");
}

/* ---- Pairs ---- */

/* What pairs parts, the surest evidence first. */
typedef enum pair_rule { PAIR_BY_BYTES, PAIR_BY_NAME, PAIR_IN_ORDER, PAIR_RULES } pair_rule;

/* Returns the type and dimensions of a tensor as a text, "float32,1,64", for keys; "" if it has
 * none. NULL when out of memory. */
static const char *text_of_type(etr_arena *arena, const etr_value *value) {
  const char *text = etr_arena_format(arena, "%s", value->dtype ? value->dtype : "");
  for (int32_t i = 0; text && i < value->rank; i++)
    text = etr_arena_format(arena, "%s,%lld", text, (long long)value->dims[i].size);
  return text;
}

/* Returns the key by which a rule pairs a part with a part of the other program; NULL if the rule
 * does not pair such parts, or when out of memory. A constant that has a module has its own name,
 * which remains when its type changes. The names of others are numbers, which mean the same only
 * for the same type. In order (default), delegates of a method are paired, and constants of a
 * module. */
static const char *key_by_rule(etr_arena *arena, const piece *p, pair_rule rule) {
  const etr_file_part *part = p->part;
  const char *method = part->method != ETR_NONE ? p->profile->methods[part->method].name : "";
  const char *backend = part->backend ? part->backend : "",
             *module = part->module ? part->module : "";
  const char *name = part->tensor.name ? part->tensor.name : "",
             *type = text_of_type(arena, &part->tensor);
  bool is_delegate = part->kind == ETR_CONTENT_DELEGATE || part->kind == ETR_CONTENT_CLOSED,
       is_inside = part->kind == ETR_CONTENT_WEIGHT;
  if (!type)
    return NULL;
  switch (rule) {
  case PAIR_BY_BYTES:
    return etr_arena_format(arena, "%d %llx %llu %s", (int)part->kind, (unsigned long long)p->hash,
                            (unsigned long long)part->size_bytes, type);
  case PAIR_BY_NAME:
    if (part->kind == ETR_CONTENT_UNUSED)
      return NULL;
    if (!is_delegate && !is_inside && part->module)
      type = "";
    return etr_arena_format(arena, "%d %s %s %d %s %s", (int)part->kind,
                            is_inside || is_delegate ? method : "", backend, (int)part->instruction,
                            name, type);
  default:
    if (!is_delegate && !part->module)
      return NULL;
    return etr_arena_format(arena, "%d %s %s %s %s", (int)part->kind, method, backend,
                            is_delegate ? "" : module, type);
  }
}

/* Adds a row for two parts, of which one may be NULL. Returns false when out of memory. */
static bool add_part_change(differ *d, const piece *base, const piece *newer,
                            etr_part_verdict verdict) {
  etr_part_change *added = etr_vec_push(d->arena, &d->parts);
  if (added)
    *added = (etr_part_change){
        .verdict = verdict, .base = base ? base->part : NULL, .newer = newer ? newer->part : NULL};
  return added != NULL;
}

/* Pairs the parts that have no partner yet and the same key by a rule, in their order. Parts that
 * are not paired by their bytes are changed. Returns false when out of memory. */
static bool pair_by_rule(differ *d, pieces *base, pieces *newer, pair_rule rule,
                         etr_arena *scratch) {
  /* The first part of the base with each key that has no partner; `next` links the others. They are
   * linked from the last to the first, so that they are taken in their order. */
  etr_map first;
  etr_map_init(&first, scratch);
  for (size_t i = base->count; i-- > 0;) {
    const char *key = base->list[i].is_paired ? NULL : key_by_rule(scratch, &base->list[i], rule);
    etr_map_slot *slot = key ? etr_map_at(&first, etr_slice_of(key)) : NULL;
    if (!slot)
      continue;
    base->list[i].next = slot->value;
    slot->value = (uint32_t)i;
  }
  for (size_t i = 0; i < newer->count; i++) {
    const char *key = newer->list[i].is_paired ? NULL : key_by_rule(scratch, &newer->list[i], rule);
    etr_map_slot *slot = key ? etr_map_at(&first, etr_slice_of(key)) : NULL;
    if (!slot || slot->value == ETR_NONE)
      continue;
    piece *other = &base->list[slot->value];
    slot->value = other->next;
    other->is_paired = newer->list[i].is_paired = true;
    if (!add_part_change(d, other, &newer->list[i],
                         rule == PAIR_BY_BYTES ? ETR_PART_SAME : ETR_PART_CHANGED))
      return false;
  }
  return !etr_arena_failed(scratch);
}

/* Returns the larger of both parts' sizes, in bytes. */
static uint64_t larger_size(const etr_part_change *change) {
  uint64_t base = change->base ? change->base->size_bytes : 0,
           newer = change->newer ? change->newer->size_bytes : 0;
  return ETR_MAX(base, newer);
}

/* Orders changes: parts that are not the same come first, then the larger ones; equal ones by
 * verdict and position in the file. */
static int by_importance(const void *a, const void *b) {
  const etr_part_change *x = a, *y = b;
  bool is_same[] = {x->verdict == ETR_PART_SAME, y->verdict == ETR_PART_SAME};
  if (is_same[0] != is_same[1])
    return is_same[0] ? 1 : -1;
  uint64_t sizes[] = {larger_size(x), larger_size(y)};
  if (sizes[0] != sizes[1])
    return sizes[0] < sizes[1] ? 1 : -1;
  const etr_file_part *parts[] = {x->newer ? x->newer : x->base, y->newer ? y->newer : y->base};
  if (x->verdict != y->verdict)
    return x->verdict < y->verdict ? -1 : 1;
  return (parts[0]->offset_bytes > parts[1]->offset_bytes) -
         (parts[0]->offset_bytes < parts[1]->offset_bytes);
}

/* Pairs parts by each rule in turn and adds what remains as removed or added. Returns false when
 * out of memory. */
static bool pair_parts(differ *d, pieces *base, pieces *newer) {
  for (int rule = 0; rule < PAIR_RULES; rule++) {
    etr_arena scratch;
    etr_arena_init(&scratch);
    bool good = pair_by_rule(d, base, newer, (pair_rule)rule, &scratch);
    etr_arena_clear(&scratch);
    if (!good)
      return false;
  }
  for (size_t i = 0; i < base->count; i++)
    if (!base->list[i].is_paired && !add_part_change(d, &base->list[i], NULL, ETR_PART_REMOVED))
      return false;
  for (size_t i = 0; i < newer->count; i++)
    if (!newer->list[i].is_paired && !add_part_change(d, NULL, &newer->list[i], ETR_PART_ADDED))
      return false;
  return true;
}

/* ---- All ---- */

typedef struct program_diff {
  etr_program_diff diff;
  etr_arena arena;
} program_diff;

/* Compares two programs: their structure and the parts of their files. Fails if a file cannot be
 * read again, or when out of memory. */
static etr_status compare_programs(program_diff *box, etr_error *error) {
  differ d = {.arena = &box->arena};
  pieces base = {0}, newer = {0};
  etr_map_init(&d.rows, &box->arena);
  ETR_TRY(read_pieces(&base, &box->arena, box->diff.base, error));
  ETR_TRY(read_pieces(&newer, &box->arena, box->diff.newer, error));
  count_side(&d, 0, box->diff.base);
  count_side(&d, 1, box->diff.newer);
  if (etr_arena_failed(&box->arena) || !pair_parts(&d, &base, &newer))
    return etr_fail_memory(error);
  if (d.structure.count > 0)
    etr_sort(d.structure.data, d.structure.count, sizeof *d.structure.data,
             by_method_kind_and_name);
  if (d.parts.count > 0)
    etr_sort(d.parts.data, d.parts.count, sizeof *d.parts.data, by_importance);
  box->diff.structure = d.structure.data;
  box->diff.structure_count = d.structure.count;
  box->diff.parts = d.parts.data;
  box->diff.part_count = d.parts.count;
  return ETR_OK;
}

/* Fails if a side has no program, or as compare_programs() does; *out is NULL then. */
etr_status etr_program_diff_open(etr_program_diff **out, const etr_profile *base,
                                 const etr_profile *newer, etr_error *error) {
  *out = NULL;
  etr_error_clear(error);
  const etr_profile *sides[] = {base, newer};
  for (size_t i = 0; i < ETR_COUNT(sides); i++)
    if (!sides[i]->program_memory)
      return etr_fail(error, ETR_ERROR_CHOICE, sides[i]->etrecord, NULL, ETR_NO_OFFSET,
                      "no program to compare: give the .pte");
  program_diff *box = calloc(1, sizeof *box);
  if (!box)
    return etr_fail_memory(error);
  etr_arena_init(&box->arena);
  box->diff.base = base;
  box->diff.newer = newer;
  etr_status status = compare_programs(box, error);
  if (status == ETR_OK)
    *out = &box->diff;
  else
    etr_program_diff_close(&box->diff);
  return status;
}

/* Frees a comparison of programs; NULL is allowed. */
void etr_program_diff_close(etr_program_diff *diff) {
  program_diff *box = (program_diff *)diff;
  if (!box)
    return;
  etr_arena_clear(&box->arena);
  free(box);
}
