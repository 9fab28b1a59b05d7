/* SPDX-License-Identifier: BSD-3-Clause
 *
 * validate.c - a record entry by entry, and as a whole.
 */
#include "formats/archive.h"
#include "inputs/torch_archive.h"
#include "records/checks.h"

#include <stdlib.h>

static const char by_executorch[] = "ExecuTorch's parse_etrecord() raises";

/* What is returned, and what it is made with. */
typedef struct validator {
  etr_validation validation; /* first: it is what the caller has */
  etr_arena arena;
  etr_flaws flaws;
  etr_archive *archive;
  const char *path;
} validator;

const char *etr_flaw_kind_name(etr_flaw_kind kind) {
  static const char *const names[] = {"damage", "mismatch", "missing"};
  return names[kind];
}

/* ---- Entries ---- */

static etr_entry_kind kind_of(const char *name) { return etr_entry_kind_of(name, ETR_EDGE_ENTRY); }

static const char *loss_of(const char *name) {
  etr_entry_kind kind = kind_of(name);
  return kind == ETR_ENTRY_WEIGHTS ? by_executorch : etr_entry_loss(kind);
}

static void add_damage(validator *v, const etr_error *failure, const char *entry) {
  etr_flaws_add(&v->flaws, ETR_FLAW_DAMAGE, entry, loss_of(entry), "%s", failure->message);
  if (v->flaws.list.count) v->flaws.list.data[v->flaws.list.count - 1].offset = failure->offset;
}

/* Every byte, for the CRC. */
static etr_status read_entry(validator *v, size_t index, etr_error *error) {
  etr_archive_entry *entry;
  etr_error failure = {.offset = ETR_NO_OFFSET};
  etr_status status = etr_archive_entry_open(&entry, v->archive, index, 0, &failure);
  if (status == ETR_OK) status = etr_archive_entry_finish(entry, &failure);
  etr_archive_entry_close(entry);
  v->validation.entry_count++;
  v->validation.byte_count += etr_archive_size(v->archive, index);
  if (status == ETR_ERROR_FORMAT) add_damage(v, &failure, etr_archive_name(v->archive, index));
  if (status == ETR_OK || status == ETR_ERROR_FORMAT) return ETR_OK;
  if (error) *error = failure;
  return status;
}

static bool has_entry(const validator *v, const char *name) {
  return name && etr_archive_find(v->archive, name) != SIZE_MAX;
}

/* What ExecuTorch wants of names. */
static void check_name(validator *v, const char *name) {
  etr_entry_kind kind = kind_of(name);
  etr_slice program = etr_entry_program(etr_slice_of(name), NULL);
  if (kind == ETR_ENTRY_WEIGHTS && !has_entry(v, etr_arena_copy(&v->arena, program)))
    etr_flaws_add(&v->flaws, ETR_FLAW_DAMAGE, name, "there is no graph of it",
                  "the program that it belongs to is missing");
  if (kind == ETR_ENTRY_OTHER_PROGRAM && strcmp(name, ETR_ATEN_ENTRY) != 0 && etr_entry_is_reserved(name) &&
      strncmp(name, ETR_EARLY_ENTRY "/", sizeof ETR_EARLY_ENTRY) != 0)
    etr_flaws_add(&v->flaws, ETR_FLAW_MISMATCH, name, "ExecuTorch refuses such a module",
                  "the name contains one of the ETRecord's own");
  for (int i = 0; kind & ETR_ENTRY_PROGRAM && i < ETR_SIBLINGS; i++) {
    const char *sibling = etr_arena_format(&v->arena, "%s%s", name, etr_sibling_suffixes[i]);
    if (sibling && !has_entry(v, sibling))
      etr_flaws_add(&v->flaws, ETR_FLAW_MISSING, sibling, by_executorch, "the entry is missing");
  }
  if (kind == ETR_ENTRY_UNKNOWN)
    etr_flaws_add(&v->flaws, ETR_FLAW_MISMATCH, name, by_executorch, "nothing is known about this entry");
}

static etr_status check_entries(validator *v, etr_error *error) {
  for (size_t i = 0; i < etr_archive_count(v->archive); i++) {
    check_name(v, etr_archive_name(v->archive, i));
    ETR_TRY(read_entry(v, i, error));
  }
  return ETR_OK;
}

static bool is_damaged(const validator *v, const char *entry) {
  for (size_t i = 0; i < v->flaws.list.count; i++)
    if (v->flaws.list.data[i].kind == ETR_FLAW_DAMAGE && strcmp(v->flaws.list.data[i].entry, entry) == 0) return true;
  return false;
}

/* What torch.save wrote. */
static etr_status check_outputs(validator *v, etr_error *error) {
  static const char name[] = "reference_outputs";
  etr_error failure = {.offset = ETR_NO_OFFSET};
  etr_torch_archive archive;
  etr_file file;
  if (!has_entry(v, name) || is_damaged(v, name)) return ETR_OK;
  size_t index = etr_archive_find(v->archive, name);
  etr_status status = etr_archive_read(&file, v->archive, index, ETR_MOST_TORCH_BYTES, &failure);
  if (status == ETR_OK) status = etr_torch_open(&archive, etr_file_bytes(&file), v->path, name, &failure);
  if (status == ETR_OK) etr_torch_close(&archive);
  etr_file_clear(&file);
  if (status == ETR_ERROR_FORMAT) add_damage(v, &failure, name);
  return status == ETR_ERROR_MEMORY ? etr_fail_memory(error) : ETR_OK;
}

/* ---- The parts together ---- */

#define LEFT_OUT "; left out"

/* Warnings of the reader: damage that CRCs do not show, and oddities. */
static void take_warnings(validator *v, const etr_warnings *warnings) {
  for (size_t i = 0; i < warnings->list.count; i++) {
    const etr_warning *w = &warnings->list.data[i];
    if (!w->entry || is_damaged(v, w->entry) || kind_of(w->entry) == ETR_ENTRY_UNKNOWN) continue;
    etr_error failure;
    size_t size = strlen(w->message) -
                  (etr_slice_ends(etr_slice_of(w->message), ETR_SLICE(LEFT_OUT)) ? sizeof LEFT_OUT - 1 : 0);
    (void)etr_fail(&failure, ETR_ERROR_FORMAT, NULL, NULL, w->offset, "%.*s", (int)size, w->message);
    if (has_entry(v, w->entry)) add_damage(v, &failure, w->entry);
  }
}

static void add_missing(validator *v, const etr_record *record) {
  unsigned missing = etr_record_missing(record);
  if (!v->validation.pte) missing |= ETR_ENTRY_PTE;
  for (unsigned kind = 1; kind <= ETR_ENTRY_PTE; kind <<= 1) {
    const char *name = etr_entry_name((etr_entry_kind)kind);
    if (kind == ETR_ENTRY_EDGE_PROGRAM) name = ETR_EDGE_ENTRY;
    if (missing & kind)
      etr_flaws_add(&v->flaws, ETR_FLAW_MISSING, kind == ETR_ENTRY_PTE ? "" : name,
                    etr_entry_loss((etr_entry_kind)kind),
                    kind == ETR_ENTRY_PTE ? "there is no program (.pte)" : "the entry is missing");
  }
}

/* inputs->pte, or what the record has. */
static etr_status check_pte(validator *v, const etr_record *record, const etr_inputs *inputs, etr_error *error) {
  static const etr_pte_limits limits = {.max_bytes = (uint64_t)16 << 30};
  const char *entry = inputs->pte ? NULL : record->pte_entry, *place = entry ? entry : inputs->pte;
  etr_pte pte;
  etr_file file;
  etr_error failure = {.offset = ETR_NO_OFFSET};
  if (!place || is_damaged(v, place)) return ETR_OK;
  v->validation.pte = etr_arena_copy(&v->arena, etr_slice_of(place));
  etr_status status = entry ? etr_pte_read_entry(&pte, &file, &v->arena, v->path, entry, &limits, &failure)
                            : etr_pte_read_file(&pte, &file, &v->arena, place, &limits, &failure);
  if (status == ETR_OK) etr_check_program(&v->flaws, record, &pte, place);
  etr_file_clear(&file);
  if (status == ETR_ERROR_FORMAT) {
    add_damage(v, &failure, place);
    v->flaws.list.data[v->flaws.list.count - 1].suffers = etr_entry_loss(ETR_ENTRY_PTE);
  } else if (status != ETR_OK && error)
    *error = failure;
  return status == ETR_ERROR_FORMAT ? ETR_OK : status;
}

static etr_status check_parts(validator *v, const etr_inputs *inputs, etr_error *error) {
  etr_record record;
  etr_warnings warnings = {.arena = &v->arena};
  etr_budget budget;
  const etr_record_limits limits = {.budget = &budget};
  etr_error failure = {.offset = ETR_NO_OFFSET};
  etr_budget_init(&budget);
  etr_status status = etr_record_read(&record, &v->arena, v->path, &limits, &warnings, &failure);
  take_warnings(v, &warnings);
  if (status == ETR_ERROR_FORMAT) {
    if (!is_damaged(v, failure.entry)) add_damage(v, &failure, failure.entry);
    return ETR_OK;
  }
  if (status != ETR_OK && error) *error = failure;
  if (status != ETR_OK) return status;
  etr_check_graphs(&v->flaws, &record);
  ETR_TRY(check_pte(v, &record, inputs, error));
  add_missing(v, &record);
  return ETR_OK;
}

/* ---- All of it ---- */

static int by_kind_and_entry(const void *a, const void *b) {
  const etr_flaw *x = a, *y = b;
  if (x->kind != y->kind) return (x->kind > y->kind) - (x->kind < y->kind);
  int order = strcmp(x->entry, y->entry);
  return order ? order : strcmp(x->what, y->what);
}

static etr_status check_all(validator *v, const etr_inputs *inputs, etr_error *error) {
  v->validation.record = etr_arena_copy(&v->arena, etr_slice_of(v->path));
  ETR_TRY(etr_archive_open(&v->archive, v->path, error));
  if (!has_entry(v, ETR_IDENTIFIER_ENTRY)) return etr_record_fail_identity(v->path, error);
  ETR_TRY(check_entries(v, error));
  ETR_TRY(check_outputs(v, error));
  ETR_TRY(check_parts(v, inputs, error));
  if (etr_arena_failed(&v->arena)) return etr_fail_memory(error);
  etr_sort(v->flaws.list.data, v->flaws.list.count, sizeof(etr_flaw), by_kind_and_entry);
  v->validation.flaws = v->flaws.list.data;
  v->validation.flaw_count = v->flaws.list.count;
  for (size_t i = 0; i < v->flaws.list.count; i++) v->validation.kind_counts[v->flaws.list.data[i].kind]++;
  return ETR_OK;
}

etr_status etr_record_validate(etr_validation **out, const etr_inputs *inputs, etr_error *error) {
  *out = NULL;
  etr_error_clear(error);
  if (!inputs->etrecord)
    return etr_fail(error, ETR_ERROR_CHOICE, NULL, NULL, ETR_NO_OFFSET, "there is no ETRecord to check");
  validator *v = calloc(1, sizeof *v);
  if (!v) return etr_fail_memory(error);
  v->path = inputs->etrecord;
  v->flaws.arena = &v->arena;
  etr_status status = check_all(v, inputs, error);
  etr_archive_close(v->archive);
  v->archive = NULL;
  if (status == ETR_OK)
    *out = &v->validation;
  else
    etr_validation_close(&v->validation);
  return status;
}

void etr_validation_close(etr_validation *validation) {
  validator *v = (validator *)validation;
  if (!v) return;
  etr_arena_clear(&v->arena);
  free(v);
}
