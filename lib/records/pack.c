/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pack.c - the plan of a record: which entries it has, and where each comes from.
 */
#include "base/memory_file.h"
#include "formats/archive_writer.h"
#include "inputs/record.h"
#include "records/part.h"
#include "records/torch_save.h"

/* A record while it is planned and written. */
typedef struct packer {
  const etr_pack_options *options;
  etr_arena arena;
  etr_archive *base; /* NULL: none */
  bool is_record;    /* the base is one, and so complete */
  etr_vec(etr_planned) plan;
  etr_map by_name; /* name -> index in the plan */
  etr_bundled bundled;
  bool takes_inputs; /* the library that wrote the record reads representative_inputs */
} packer;

/* Tells the caller of etr_record_pack() something about an entry. */
static void report_note(const packer *p, const char *entry, const char *text) {
  if (p->options->notes.take)
    p->options->notes.take(p->options->notes.context, entry, text);
}

static bool is_planned(const packer *p, const char *name) {
  return etr_map_get(&p->by_name, etr_slice_of(name)) != ETR_NONE;
}

/* Adds an entry to the plan, in place of a planned entry with that name. Fails when out of memory.
 */
static etr_status plan_entry(packer *p, const etr_planned *planned, etr_error *error) {
  uint32_t found = etr_map_get(&p->by_name, etr_slice_of(planned->name));
  etr_planned *slot = found == ETR_NONE ? etr_vec_push(&p->arena, &p->plan) : &p->plan.data[found];
  if (!slot)
    return etr_fail_memory(error);
  *slot = *planned;
  bool is_kept = found != ETR_NONE || etr_map_set(&p->by_name, etr_slice_of(planned->name),
                                                  (uint32_t)(p->plan.count - 1));
  return is_kept ? ETR_OK : etr_fail_memory(error);
}

/* ---- The record to begin with ---- */

/* Plans the entries of options->record, the record or directory of parts that is extended, if there
 * is one. In a directory without the identifier entry, names are those of parts, and contents are
 * checked, as those of parts are. Fails if it is no ETRecord or cannot be read, or when out of
 * memory. */
static etr_status plan_base_entries(packer *p, etr_error *error) {
  if (!p->options->record)
    return ETR_OK;
  ETR_TRY(etr_archive_open(&p->base, p->options->record, error));
  p->is_record = etr_archive_find(p->base, ETR_IDENTIFIER_ENTRY) != SIZE_MAX;
  if (!p->is_record && !etr_archive_is_directory(p->base))
    return etr_record_fail_identity(p->options->record, error);
  for (size_t i = 0; i < etr_archive_count(p->base); i++) {
    etr_planned planned = {.name = etr_archive_name(p->base, i), .archive = p->base, .index = i};
    if (!p->is_record)
      ETR_TRY(etr_part_entry(&planned.name, &p->arena, planned.name, error));
    if (!p->is_record)
      ETR_TRY(etr_planned_check(&planned, error));
    ETR_TRY(plan_entry(p, &planned, error));
  }
  return ETR_OK;
}

/* ---- Parts ---- */

/* Sets *out to whether the version of ExecuTorch that wrote the first planned Edge program stores
 * inputs and outputs with pickle.dumps, not torch.save: true if there is no such program (as in
 * 2023), if its entry names no method (as up to 1.1), or by its schema version. Fails if the
 * program cannot be read. */
static etr_status find_whether_pickled(bool *out, const packer *p, etr_error *error) {
  *out = true;
  for (size_t i = 0; i < p->plan.count; i++) {
    const etr_planned *planned = &p->plan.data[i];
    int64_t version[2];
    if (etr_entry_kind_of(planned->name, ETR_EDGE_ENTRY) != ETR_ENTRY_EDGE_PROGRAM)
      continue;
    if (!strchr(planned->name, '/'))
      return ETR_OK;
    ETR_TRY(etr_planned_schema(version, planned, error));
    /* ExecuTorch's pickles were in this schema, up to 1.2; later versions, which use torch.save,
     * have 5.4 or a later one.
     */
    *out = version[0] != 0 && (version[0] < 5 || (version[0] == 5 && version[1] < 4));
    return ETR_OK;
  }
  return ETR_OK;
}

/* Plans an entry for a part that the caller gave, which may replace one of the base. A
 * BundledProgram is only read here, because it becomes two entries, whose form depends on the
 * planned Edge program. `given` has the names that were given before. Fails if a name is given
 * twice or the part is not what its name says, or when out of memory. */
static etr_status plan_part(packer *p, etr_map *given, const etr_part *part, etr_error *error) {
  const char *name = part->kind == ETR_PART_PTE ? ETR_RECORD_PTE_ENTRY : part->name;
  etr_planned planned = {.path = part->path, .bytes = {part->bytes, part->size}};
  etr_slice held;
  if (part->path && etr_memory_file_find(part->path, &held)) /* of a profile opened from memory */
    planned = (etr_planned){.bytes = held};
  if (part->kind == ETR_PART_BUNDLED) {
    /* 0.6 takes an entry that it does not know for a program, and stops. The output counts are as
     * new as 1.0. */
    bool is_pickle;
    if (p->bundled.path)
      return etr_fail(error, ETR_ERROR_CHOICE, part->path, NULL, ETR_NO_OFFSET,
                      "a BundledProgram is given already");
    ETR_TRY(find_whether_pickled(&is_pickle, p, error));
    p->takes_inputs = !is_pickle || is_planned(p, "instruction_id_to_num_outs_map");
    return etr_bundled_read(&p->bundled, part, is_pickle, error);
  }
  ETR_TRY(etr_part_entry(&planned.name, &p->arena, name, error));
  if (etr_map_get(given, etr_slice_of(planned.name)) != ETR_NONE)
    return etr_fail(error, ETR_ERROR_CHOICE, NULL, name, ETR_NO_OFFSET, "this part is given twice");
  if (!etr_map_set(given, etr_slice_of(planned.name), 1))
    return etr_fail_memory(error);
  ETR_TRY(etr_planned_check(&planned, error));
  return plan_entry(p, &planned, error);
}

/* The order of ExecuTorch: the exported program, the lowered programs, other programs, the maps
 * that join them. */
static const etr_entry_kind entry_order[] = {
    ETR_ENTRY_EDGE_PROGRAM,  ETR_ENTRY_OTHER_PROGRAM,     ETR_ENTRY_WEIGHTS,
    ETR_ENTRY_HANDLE_MAP,    ETR_ENTRY_DELEGATE_MAP,      ETR_ENTRY_OUTPUT_COUNTS,
    ETR_ENTRY_DELEGATE_INFO, ETR_ENTRY_REFERENCE_OUTPUTS, ETR_ENTRY_REPRESENTATIVE_INPUTS,
    ETR_ENTRY_GRAPH_ID};

/* Returns the position of a part in the order in which entries are written, which is ExecuTorch's:
 * 0 for the exported program ("aten"), then 1 plus the index in entry_order. Parts of other kinds
 * (a .pte or BundledProgram) and unknown entries come last. The name of a part says "edge" where
 * the name of the entry says ETR_EDGE_ENTRY. */
static size_t rank_of_part(const etr_part *part) {
  size_t rank = 0;
  if (part->kind != ETR_PART_ENTRY)
    return 1 + ETR_COUNT(entry_order);
  etr_entry_kind kind = etr_entry_kind_of(part->name, "edge");
  while (rank < ETR_COUNT(entry_order) && entry_order[rank] != kind)
    rank++;
  return strcmp(part->name, "aten") == 0 ? 0 : 1 + rank;
}

/* ---- What is not given ---- */

static bool is_program(const char *name) {
  return etr_entry_kind_of(name, ETR_EDGE_ENTRY) & ETR_ENTRY_PROGRAM;
}

/* Plans a sibling of a program (its weights, constants or example inputs), because ExecuTorch
 * requires it, unless it is planned already: the file of that name beside the program's file, or
 * else an empty entry, which is one without path and bytes. Fails when out of memory. */
static etr_status plan_sibling(packer *p, const etr_planned *program, etr_sibling sibling,
                               etr_error *error) {
  const char *suffix = etr_sibling_suffixes[sibling];
  etr_planned planned = {.name = etr_arena_format(&p->arena, "%s%s", program->name, suffix)};
  const char *path = program->path ? etr_arena_format(&p->arena, "%s%s", program->path, suffix)
                                   : NULL;
  if (!planned.name || etr_arena_failed(&p->arena))
    return etr_fail_memory(error);
  if (is_planned(p, planned.name))
    return ETR_OK;
  if (path && etr_file_is_regular(path))
    planned.path = path;
  return plan_entry(p, &planned, error);
}

/* Fails if an entry of weights, constants or example inputs belongs to a program that is not
 * planned. Other entries are fine. */
static etr_status fail_without_program(const packer *p, const char *name, etr_error *error) {
  etr_slice program = etr_entry_program(etr_slice_of(name), NULL);
  bool is_sibling = etr_entry_kind_of(name, ETR_EDGE_ENTRY) == ETR_ENTRY_WEIGHTS;
  if (!is_sibling || etr_map_get(&p->by_name, program) != ETR_NONE)
    return ETR_OK;
  return etr_fail(error, ETR_ERROR_CHOICE, NULL, name, ETR_NO_OFFSET,
                  "the program that this belongs to is missing");
}

/* Fails if something is missing that ExecuTorch's generate_etrecord() requires, an Edge program and
 * the debug handle map, or a program to which planned weights belong. A record that is extended
 * (is_record) has them. */
static etr_status fail_if_incomplete(const packer *p, etr_error *error) {
  bool has_edge = false;
  if (p->is_record)
    return ETR_OK;
  for (size_t i = 0; i < p->plan.count; i++) {
    const char *name = p->plan.data[i].name;
    has_edge |= etr_entry_kind_of(name, ETR_EDGE_ENTRY) == ETR_ENTRY_EDGE_PROGRAM;
    ETR_TRY(fail_without_program(p, name, error));
  }
  if (!has_edge)
    return etr_fail(
        error, ETR_ERROR_CHOICE, NULL, ETR_EDGE_ENTRY, ETR_NO_OFFSET,
        "the Edge program is missing, without which there is no ETRecord: edge/forward=FILE");
  if (is_planned(p, "debug_handle_map"))
    return ETR_OK;
  return etr_fail(
      error, ETR_ERROR_CHOICE, NULL, "debug_handle_map", ETR_NO_OFFSET,
      "this part is missing, without which there is no ETRecord: debug_handle_map=FILE");
}

/* ---- Writing ---- */

static bool is_empty(const etr_planned *planned) {
  return !planned->archive && !planned->path && !planned->bytes.data;
}

/* Writes a planned entry: copied from an archive, or from a file or bytes, or for weights,
 * constants and example inputs that were not given, as an empty object of torch.save. Fails if it
 * cannot be read or written. */
static etr_status write_entry(etr_archive_writer *writer, etr_planned *planned, etr_error *error) {
  etr_sibling sibling;
  if (planned->archive)
    return etr_archive_writer_copy(writer, planned->name, planned->archive, planned->index, error);
  if (!is_empty(planned) || !etr_entry_program(etr_slice_of(planned->name), &sibling).size)
    return etr_archive_writer_add(writer, planned->name, etr_planned_emit, planned, error);
  etr_torch_object nothing = sibling == ETR_EXAMPLE_INPUTS ? etr_torch_no_inputs
                                                           : etr_torch_empty_dict;
  return etr_archive_writer_add(writer, planned->name, etr_torch_save, &nothing, error);
}

/* Writes the expected outputs and the inputs of a BundledProgram, if there are any, as entries,
 * unless the parts or the base have such entries, which are planned then. Inputs are left out, with
 * a note, if the record may be of a version that cannot read them. Fails if writing does. */
static etr_status write_entries_of_bundle(const packer *p, etr_archive_writer *writer,
                                          etr_error *error) {
  static const char outputs[] = "reference_outputs", inputs[] = "representative_inputs";
  etr_torch_object object;
  if (p->bundled.outputs.pickle.size && !is_planned(p, outputs)) {
    object = p->bundled.outputs;
    ETR_TRY(etr_archive_writer_add(writer, outputs, etr_torch_save, &object, error));
  }
  if (!p->bundled.inputs.pickle.size || is_planned(p, inputs))
    return ETR_OK;
  if (!p->takes_inputs) {
    report_note(
        p, inputs,
        "left out: ExecuTorch 0.6 reads no record with them, and this record may be of 0.6");
    return ETR_OK;
  }
  object = p->bundled.inputs;
  return etr_archive_writer_add(writer, inputs, etr_torch_save, &object, error);
}

/* Writes all entries of the record and ends the zip; the identifier, an empty entry that every
 * record has, comes first unless the base has it. Fails as soon as an entry cannot be written. */
static etr_status write_record(packer *p, etr_archive_writer *writer, etr_error *error) {
  if (!is_planned(p, ETR_IDENTIFIER_ENTRY))
    ETR_TRY(etr_archive_writer_add_bytes(writer, ETR_IDENTIFIER_ENTRY, (etr_slice){0}, error));
  for (size_t i = 0; i < p->plan.count; i++)
    ETR_TRY(write_entry(writer, &p->plan.data[i], error));
  ETR_TRY(write_entries_of_bundle(p, writer, error));
  return etr_archive_writer_finish(writer, error);
}

/* Plans all entries in ExecuTorch's order (rank_of_part() gives the position of a part in it),
 * checks that the record is complete, adds the weights, constants and example inputs that programs
 * need, and writes the record. Fails if parts are missing or unusable, or if writing fails. */
static etr_status pack_record(packer *p, const etr_part *parts, size_t count, const etr_sink *sink,
                              etr_error *error) {
  ETR_TRY(plan_base_entries(p, error));
  etr_map given;
  etr_map_init(&given, &p->arena);
  for (size_t rank = 0; rank <= 1 + ETR_COUNT(entry_order); rank++)
    for (size_t i = 0; i < count; i++)
      if (rank_of_part(&parts[i]) == rank)
        ETR_TRY(plan_part(p, &given, &parts[i], error));

  ETR_TRY(fail_if_incomplete(p, error));
  for (size_t i = 0; i < p->plan.count; i++) {
    const etr_planned program = p->plan.data[i]; /* planning moves them */
    for (int k = 0; is_program(program.name) && k < ETR_SIBLINGS; k++)
      ETR_TRY(plan_sibling(p, &program, (etr_sibling)k, error));
  }

  if (p->bundled.problem)
    report_note(p, p->bundled.path, p->bundled.problem);
  etr_archive_writer *writer = etr_archive_writer_new(sink);
  etr_status status = writer ? write_record(p, writer, error) : etr_fail_memory(error);
  etr_archive_writer_close(writer);
  return status;
}

/* Fails as pack_record() does. */
etr_status etr_record_pack(const etr_part *parts, size_t part_count,
                           const etr_pack_options *options, const etr_sink *sink,
                           etr_error *error) {
  static const etr_pack_options none = {0};
  packer p = {.options = options ? options : &none};
  etr_error_clear(error);
  etr_map_init(&p.by_name, &p.arena);
  etr_status status = pack_record(&p, parts, part_count, sink, error);
  etr_bundled_clear(&p.bundled);
  etr_archive_close(p.base);
  etr_arena_clear(&p.arena);
  return status;
}
