/* SPDX-License-Identifier: BSD-3-Clause
 *
 * strip.c - a record entry by entry: kept, written again, or replaced by nothing.
 */
#include "inputs/record.h"
#include "records/program_copy.h"
#include "records/torch_save.h"

typedef struct stripper {
  const char *path;
  const etr_strip_options *options;
  etr_archive *archive;
  etr_archive_writer *writer;
  etr_hiding *hiding; /* NULL: nothing is to be hidden */
} stripper;

static void note(const stripper *s, const char *entry, const char *text) {
  if (s->options->notes.take) s->options->notes.take(s->options->notes.context, entry, text);
}

/* ---- Programs ---- */

typedef struct program {
  const stripper *stripper;
  size_t index;
} program;

/* An error of the document or of the entry that holds it. */
static etr_status finish_program(const program *p, etr_json *json, etr_archive_entry *entry, etr_error *error) {
  if (etr_json_failed(json) && !etr_json_source_failed(json))
    return etr_fail(error, ETR_ERROR_FORMAT, p->stripper->path, etr_archive_name(p->stripper->archive, p->index),
                    etr_json_offset(json), "unexpected JSON: %s", etr_json_message(json));
  return etr_archive_entry_finish(entry, error);
}

static etr_status copy_program(const program *p, etr_archive_entry *entry, const etr_sink *sink, etr_error *error) {
  etr_json_out out;
  etr_hiding *hiding = p->stripper->hiding;
  etr_json *json = etr_json_open(etr_archive_entry_read, entry, NULL);
  if (!json) return etr_fail_memory(error);
  etr_json_out_begin(&out, sink);
  bool has_memory = etr_program_copy(json, &out, hiding) && !(hiding && etr_arena_failed(&hiding->arena));
  bool is_written = etr_json_out_end(&out);
  etr_status status = has_memory ? finish_program(p, json, entry, error) : etr_fail_memory(error);
  etr_json_close(json);
  return status == ETR_OK && !is_written ? etr_fail_sink(error) : status;
}

static etr_status emit_program(void *context, const etr_sink *sink, etr_error *error) {
  const program *p = context;
  etr_archive_entry *entry;
  ETR_TRY(etr_archive_entry_open(&entry, p->stripper->archive, p->index, 0, error));
  etr_status status = copy_program(p, entry, sink, error);
  etr_archive_entry_close(entry);
  return status;
}

/* The first records pickled their graphs. */
static etr_status is_pickled(bool *out, const stripper *s, size_t index, etr_error *error) {
  enum { PICKLE = 0x80 };
  char first = 0;
  etr_archive_entry *entry;
  ETR_TRY(etr_archive_entry_open(&entry, s->archive, index, 0, error));
  *out = etr_archive_entry_read(entry, &first, 1) == 1 && (unsigned char)first == PICKLE;
  etr_archive_entry_close(entry);
  return ETR_OK;
}

/* ---- Entries ---- */

static etr_status keep(const stripper *s, size_t index, etr_error *error) {
  return etr_archive_writer_copy(s->writer, etr_archive_name(s->archive, index), s->archive, index, error);
}

/* Keeps what nobody looks into, unless something is to be hidden. */
static etr_status keep_unless_hiding(const stripper *s, size_t index, const char *why_not, etr_error *error) {
  if (!s->hiding) return keep(s, index, error);
  note(s, etr_archive_name(s->archive, index), why_not);
  return ETR_OK;
}

static etr_status strip_program(const stripper *s, size_t index, etr_error *error) {
  bool pickled;
  program p = {s, index};
  ETR_TRY(is_pickled(&pickled, s, index, error));
  if (pickled) return keep_unless_hiding(s, index, "left out: names cannot be hidden in a pickled graph", error);
  return etr_archive_writer_add(s->writer, etr_archive_name(s->archive, index), emit_program, &p, error);
}

static etr_status empty_sibling(const stripper *s, size_t index, etr_error *error) {
  const char *name = etr_archive_name(s->archive, index);
  etr_sibling sibling = ETR_STATE_DICT;
  etr_entry_program(etr_slice_of(name), &sibling);
  etr_torch_object object = sibling == ETR_EXAMPLE_INPUTS ? etr_torch_no_inputs : etr_torch_empty_dict;
  return etr_archive_writer_add(s->writer, name, etr_torch_save, &object, error);
}

static etr_entry_kind kind_of(const char *name) {
  etr_entry_kind kind = etr_entry_kind_of(name, ETR_EDGE_ENTRY);
  return kind == ETR_ENTRY_UNKNOWN ? etr_entry_kind_of(name, ETR_EARLY_ENTRY) : kind;
}

static etr_status strip_entry(const stripper *s, size_t index, etr_error *error) {
  switch (kind_of(etr_archive_name(s->archive, index))) {
  case ETR_ENTRY_EDGE_PROGRAM:
  case ETR_ENTRY_OTHER_PROGRAM: return strip_program(s, index, error);
  case ETR_ENTRY_WEIGHTS: return empty_sibling(s, index, error);
  case ETR_ENTRY_PTE:
    if (!s->hiding) note(s, etr_archive_name(s->archive, index), "kept with its weights: times are joined through it");
    return keep_unless_hiding(s, index, "left out: names cannot be hidden in a program", error);
  case ETR_ENTRY_UNKNOWN:
    return keep_unless_hiding(s, index, "left out: nothing is known about this entry, so it may hold names", error);
  default: return keep(s, index, error);
  }
}

static etr_status strip_all(const stripper *s, etr_error *error) {
  for (size_t i = 0; i < etr_archive_count(s->archive); i++) ETR_TRY(strip_entry(s, i, error));
  return etr_archive_writer_finish(s->writer, error);
}

/* ---- All of it ---- */

/* What modules and weights are called, which programs tell only behind where they use it. */
static etr_status learn_names(etr_hiding *hiding, const char *path, etr_error *error) {
  etr_arena arena = {0};
  etr_warnings warnings = {.arena = &arena};
  etr_budget budget;
  const etr_record_limits limits = {.budget = &budget};
  etr_record record;
  etr_budget_init(&budget);
  etr_status status = etr_record_read(&record, &arena, path, &limits, &warnings, error);
  for (size_t i = 0; status == ETR_OK && i < record.graph_count; i++) etr_hiding_learn(hiding, &record.graphs[i]);
  etr_arena_clear(&arena);
  return status == ETR_OK && etr_arena_failed(&hiding->arena) ? etr_fail_memory(error) : status;
}

static etr_status strip_opened(stripper *s, const etr_sink *sink, etr_error *error) {
  if (etr_archive_find(s->archive, ETR_IDENTIFIER_ENTRY) == SIZE_MAX) return etr_record_fail_identity(s->path, error);
  if (s->hiding && s->hiding->renames) ETR_TRY(learn_names(s->hiding, s->path, error));
  s->writer = etr_archive_writer_new(sink);
  etr_status status = s->writer ? strip_all(s, error) : etr_fail_memory(error);
  etr_archive_writer_close(s->writer);
  return status;
}

etr_status etr_record_strip(const char *record, const etr_strip_options *options, const etr_sink *sink,
                            etr_error *error) {
  static const etr_strip_options plain = {0};
  etr_hiding hiding;
  stripper s = {.path = record, .options = options ? options : &plain};
  etr_error_clear(error);
  bool hides = s.options->no_source || s.options->rename_modules;
  ETR_TRY(etr_archive_open(&s.archive, record, error));
  etr_hiding_init(&hiding, s.options->rename_modules);
  if (hides) s.hiding = &hiding;
  etr_status status = strip_opened(&s, sink, error);
  etr_hiding_clear(&hiding);
  etr_archive_close(s.archive);
  return status;
}
