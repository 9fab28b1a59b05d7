/* SPDX-License-Identifier: BSD-3-Clause
 *
 * etrecord_file.h - write ETRecords without weights or from parts, and check them.
 *
 * A record is written to a sink while its input is read, so that a record of many gigabytes takes
 * little memory. The same input gives the same bytes: entries have no date, and they are stored
 * without compression or copied unchanged. etr_write_file() (etrecord_tb.h) writes a record to a
 * file completely or not at all:
 *
 *   static etr_status without_weights(void *record, const etr_sink *sink, etr_error *error) {
 *     return etr_record_strip(record, NULL, sink, error);
 *   }
 *   etr_write_file("small.etrecord", without_weights, "model.etrecord", &error);
 *
 * A record here is a zip file, or a directory into which one was unpacked. etrecord.h has the
 * conventions for strings and errors.
 */
#ifndef ETRECORD_FILE_H
#define ETRECORD_FILE_H

#include "etrecord.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Sinks ---- */

/** A destination for bytes. */
typedef struct etr_sink {
  /** Writes `size` bytes. Returns false if that is not possible, for example because of a full disk
   * or a closed pipe; the caller then stops and returns ETR_ERROR_IO. */
  bool (*write)(void *context, const void *data, size_t size);
  void *context;
} etr_sink;

/** A function that writes its output to a sink; `context` has its arguments. */
typedef etr_status (*etr_emitter)(void *context, const etr_sink *sink, etr_error *error);

/* ---- Notes ---- */

/** Receives notes: one line each about something that a function of this header did and that its
 * result does not show. */
typedef struct etr_notes {
  void (*take)(void *context, const char *entry,
               const char *text); /**< called with each note; the texts live until it returns. NULL:
                                     notes are dropped */
  void *context;
} etr_notes;

/* ---- Without weights ---- */

/** What is left out besides weights. If zeroed, nothing else is. */
typedef struct etr_strip_options {
  bool no_source;      /**< paths, functions and code of stack traces */
  bool rename_modules; /**< rename modules, their classes and weights, too; implies no_source */
  etr_notes notes;     /**< receives what was left out completely */
} etr_strip_options;

/**
 * Writes a copy of a record without weights and example inputs, which are not even read.
 * ExecuTorch's parse_etrecord() loads the copy, and etr_profile_open() gives the same profile for
 * it. Programs keep everything except the weights of lowered modules.
 *
 * With no_source a frame of a stack trace keeps its line number and becomes `File "f0.py", line 12,
 * in forward`, where f0.py is the same file everywhere. Files of torch, torchao, ExecuTorch and
 * transformers keep their names from that folder on. With rename_modules, modules become m0, m1,
 * ... and classes C0, C1, ...: each name gets one new name in the whole record. Numbers in paths
 * stay; so do torch's classes, and endings of weights' names such as `weight` and `bias`. The names
 * of programs, methods, inputs and operators stay. With either option nodes keep only what the
 * profile needs, and entries that cannot be searched are left out completely: a program inside the
 * record, pickled graphs, and unknown entries. The notes name them.
 *
 * `options` may be NULL. Errors: ETR_ERROR_IO (a file cannot be read, or the sink fails),
 * ETR_ERROR_FORMAT (not an ETRecord, or an entry is damaged), ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_record_strip(const char *record, const etr_strip_options *options,
                                    const etr_sink *sink, etr_error *error);

/* ---- From parts ---- */

typedef enum etr_part_kind {
  ETR_PART_ENTRY,   /**< an entry, by name */
  ETR_PART_PTE,     /**< a program (.pte); has no name */
  ETR_PART_BUNDLED, /**< a BundledProgram (.bpte), whose inputs and expected outputs are used; has
                       no name */
} etr_part_kind;

/**
 * A part of a record, given as a file or as bytes. The name of an entry is one of
 *
 * - edge/METHOD, aten: programs as torch.export serializes them: an entry of another record, or the
 *   serialized_exported_program.json of a .pt2
 * - MODULE/METHOD: another program; MODULE alone is MODULE/forward. aten/forward is one, too: of a
 *   module called aten
 * - X_state_dict, X_constants, X_example_inputs: what belongs to a program X
 * - debug_handle_map, delegate_map, instruction_id_to_num_outs_map, export_graph_id,
 *   reference_outputs, representative_inputs: as they are in records
 *
 * or the whole name of a program's entry in a record.
 */
typedef struct etr_part {
  etr_part_kind kind;
  const char *name; /**< NULL if the kind has no name */
  const char *path; /**< a file; NULL: the part is the `size` bytes at `bytes` */
  const void *bytes;
  size_t size;
} etr_part;

typedef struct etr_pack_options {
  const char *record; /**< record, or directory whose files are entries, from which the entries are
                         taken first; parts replace them. NULL: the parts are everything */
  etr_notes notes;    /**< receives what was made up or could not be used */
} etr_pack_options;

/**
 * Writes a record from its parts, by the rules of ExecuTorch's generate_etrecord(): there must be
 * an Edge program and a debug handle map, and the name of a module must not contain the name of a
 * fixed entry. The weights, constants and example inputs of a program become empty entries if they
 * are neither parts nor files beside the program's file (FILE_state_dict). A program (.pte) becomes
 * an entry that etr_profile_open() uses and ExecuTorch's parse_etrecord() ignores. The inputs of a
 * BundledProgram's first test of `forward` become representative_inputs, and its expected outputs
 * become reference_outputs. They are saved like in the version of ExecuTorch that wrote the Edge
 * program: up to 1.2 with pickle, later with torch.save. A record that may be from version 0.6,
 * which cannot read inputs, gets outputs only.
 *
 * If options->record is a record, no parts are needed. `options` may be NULL. Errors: ETR_ERROR_IO
 * (a file cannot be read, or the sink fails), ETR_ERROR_FORMAT (a part is damaged, or is not what
 * its name says), ETR_ERROR_CHOICE (a part is missing, is given twice or has a reserved name),
 * ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_record_pack(const etr_part *parts, size_t part_count,
                                   const etr_pack_options *options, const etr_sink *sink,
                                   etr_error *error);

/* ---- Checked ---- */

typedef enum etr_flaw_kind {
  ETR_FLAW_DAMAGE,   /**< bytes are wrong or have another format than they should */
  ETR_FLAW_MISMATCH, /**< parts contradict each other: they come from different exports */
  ETR_FLAW_MISSING, /**< something that an answer needs is missing; many good records lack something
                     */
} etr_flaw_kind;

/** Returns the name of a kind: "damage", "mismatch", "missing". Static. */
ETR_API const char *etr_flaw_kind_name(etr_flaw_kind kind);

/** Something that is wrong with a record. */
typedef struct etr_flaw {
  etr_flaw_kind kind;
  const char *
      entry; /**< entry of the record, or path of a program that is a file of its own; "" if none */
  uint64_t offset;     /**< byte offset in the entry; ETR_NO_OFFSET if none */
  const char *what;    /**< what is wrong, in one line */
  const char *suffers; /**< which answer is worse because of it, in one line */
} etr_flaw;

/** The result of checking a record. Read-only; everything lives until etr_validation_close(). */
typedef struct etr_validation {
  const char *record;
  const char *pte; /**< program that the record was checked against: a path, or an entry of the
                      record; NULL if there was none */
  const etr_flaw
      *flaws; /**< damage first, then mismatches, then what is missing; each sorted by entry */
  size_t flaw_count;
  size_t kind_counts[ETR_FLAW_MISSING + 1];
  size_t entry_count;
  uint64_t byte_count; /**< bytes that were read, counted after decompression */
} etr_validation;

/**
 * Checks a record: reads every byte, so that every CRC is checked; compares names with the names
 * that ExecuTorch reserves, the maps with the graphs, and both with the program, which is
 * inputs->pte or an entry of the record; and lists what is missing and which answer needs it.
 * inputs->etrecord is the record. Other members of `inputs` are ignored.
 *
 * On success close *out with etr_validation_close(); a record with flaws is a success. On failure
 * *out is NULL. Errors: ETR_ERROR_IO, ETR_ERROR_FORMAT (not a zip, or not an ETRecord),
 * ETR_ERROR_CHOICE (no record is given), ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_record_validate(etr_validation **out, const etr_inputs *inputs,
                                       etr_error *error);

/** Frees a validation. NULL is allowed. */
ETR_API void etr_validation_close(etr_validation *validation);

#ifdef __cplusplus
}
#endif

#endif
