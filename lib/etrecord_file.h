/* SPDX-License-Identifier: BSD-3-Clause
 *
 * etrecord_file.h - ETRecords as files: without their weights, checked, made from parts.
 *
 * Records are written into a sink, as they are read: one of many gigabytes takes little memory. The same input gives
 * the same bytes: entries are stored without compression, or copied as they are, and have no date. etr_write_file()
 * (etrecord_tb.h) puts them into a file, all or nothing:
 *
 *   static etr_status without_weights(void *record, const etr_sink *sink, etr_error *error) {
 *     return etr_record_strip(record, NULL, sink, error);
 *   }
 *   etr_write_file("small.etrecord", without_weights, "model.etrecord", &error);
 *
 * A record here is a zip, or a directory that one was unpacked into. etrecord.h tells of strings and errors.
 */
#ifndef ETRECORD_FILE_H
#define ETRECORD_FILE_H

#include "etrecord.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Sinks ---- */

/** Where bytes go. */
typedef struct etr_sink {
  /** Takes `size` bytes. False: cannot take them (a full disk, a closed pipe); the writer then stops and returns
   * ETR_ERROR_IO. */
  bool (*write)(void *context, const void *data, size_t size);
  void *context;
} etr_sink;

/** Writes bytes to a sink: a function that emits, with its arguments in `context`. */
typedef etr_status (*etr_emitter)(void *context, const etr_sink *sink, etr_error *error);

/* ---- Notes ---- */

/** Takes a line about something that a call below did and that its result does not show. */
typedef struct etr_notes {
  void (*take)(void *context, const char *entry, const char *text); /**< borrowed texts; NULL: nobody listens */
  void *context;
} etr_notes;

/* ---- Without weights ---- */

/** What else than weights is left out. Zeroed: nothing. */
typedef struct etr_strip_options {
  bool no_source;      /**< paths, functions and code of stack traces */
  bool rename_modules; /**< names of modules, of their classes and of weights too; implies no_source */
  etr_notes notes;     /**< what was left out whole */
} etr_strip_options;

/**
 * Writes the same record without weights and example inputs, which are not read: ExecuTorch's parse_etrecord() loads
 * it, and all that etrecord.h tells of it is the same. Programs keep all but the weights of modules that were lowered.
 *
 * With no_source a frame of a stack trace keeps its line and becomes `File "f0.py", line 12, in forward`, where f0.py
 * is the same file everywhere; torch's own files keep their names below torch/. With rename_modules modules become m0,
 * m1, ... and classes C0, C1, ...: one name for one name in the whole record, numbers in paths stay, and so do torch's
 * classes and `weight`, `bias` and the like at the end of a weight's name. Names of programs, methods, inputs and
 * operators stay. With either, nothing that no answer needs is kept of nodes, and what cannot be searched is left out
 * whole: a program inside the record, graphs that are pickled, entries that are unknown. The notes name them.
 *
 * options may be NULL. Errors: ETR_ERROR_IO (a file cannot be read, or the sink takes no more), ETR_ERROR_FORMAT (no
 * ETRecord, or an entry is damaged), ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_record_strip(const char *record, const etr_strip_options *options, const etr_sink *sink,
                                    etr_error *error);

/* ---- From parts ---- */

typedef enum etr_part_kind {
  ETR_PART_ENTRY,   /**< an entry, by name */
  ETR_PART_PTE,     /**< a program (.pte); has no name */
  ETR_PART_BUNDLED, /**< a BundledProgram (.bpte), of which inputs and expected outputs are taken; has no name */
} etr_part_kind;

/**
 * A part of a record: a file, or bytes. An entry's name is one of
 *   edge/METHOD, aten                  programs as torch.export serializes them: an entry of another record, or the
 *                                      serialized_exported_program.json of a .pt2
 *   MODULE/METHOD                      another program; MODULE alone is MODULE/forward. aten/forward is one, too: of a
 *                                      module called aten
 *   X_state_dict, X_constants, X_example_inputs   what belongs to a program X
 *   debug_handle_map, delegate_map, instruction_id_to_num_outs_map, export_graph_id, reference_outputs,
 *   representative_inputs              as they are in records
 * or the whole name of a program's entry in a record.
 */
typedef struct etr_part {
  etr_part_kind kind;
  const char *name; /**< NULL of what has none */
  const char *path; /**< a file; NULL: the part is `size` bytes */
  const void *bytes;
  size_t size;
} etr_part;

typedef struct etr_pack_options {
  const char *record; /**< begin with the entries of this record, or of this directory, in which entries are files;
                         parts replace them. NULL: there are only parts */
  etr_notes notes;    /**< what was made up or could not be taken */
} etr_pack_options;

/**
 * Writes a record from its parts, by the rules of ExecuTorch's generate_etrecord(): there is an Edge program and a
 * debug handle map, and no module has a name that contains one of the record's own. Siblings of a program that are
 * neither parts nor beside its file (FILE_state_dict) become empty ones. A program (.pte) becomes an entry that
 * etr_profile_open() uses and ExecuTorch's parse_etrecord() passes over. The inputs of a BundledProgram's first test of
 * `forward` become representative_inputs, expected outputs reference_outputs, as the version of ExecuTorch that wrote
 * the Edge program saves them: up to 1.2 with pickle, later with torch.save. A record that may be of 0.6, which cannot
 * read inputs, gets outputs alone.
 *
 * If options->record is a record, it needs no further parts. options may be NULL. Errors: ETR_ERROR_IO (a file cannot
 * be read, or the sink takes no more), ETR_ERROR_FORMAT (a part is not what its name says, or damaged),
 * ETR_ERROR_CHOICE (a part is missing, given twice or has a reserved name), ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_record_pack(const etr_part *parts, size_t part_count, const etr_pack_options *options,
                                   const etr_sink *sink, etr_error *error);

/* ---- Checked ---- */

typedef enum etr_flaw_kind {
  ETR_FLAW_DAMAGE,   /**< bytes are wrong, or not what they should be */
  ETR_FLAW_MISMATCH, /**< parts contradict each other: they are not of one export */
  ETR_FLAW_MISSING,  /**< something is not there that an answer needs; many good records lack some of it */
} etr_flaw_kind;

/** "damage", "mismatch", "missing". Static. */
ETR_API const char *etr_flaw_kind_name(etr_flaw_kind kind);

/** Something that is wrong with a record. */
typedef struct etr_flaw {
  etr_flaw_kind kind;
  const char *entry;   /**< of the record; "" if none; of a program that is a file its path */
  uint64_t offset;     /**< in it; ETR_NO_OFFSET if none */
  const char *what;    /**< one line */
  const char *suffers; /**< one line: which answer is worse for it */
} etr_flaw;

/** What is wrong with a record. Read-only; everything lives until etr_validation_close(). */
typedef struct etr_validation {
  const char *record;
  const char *pte; /**< the program it was held against: a path, or an entry of the record; NULL: there was none */
  const etr_flaw *flaws; /**< damage first, then mismatches, then what is missing; by entry */
  size_t flaw_count;
  size_t kind_counts[ETR_FLAW_MISSING + 1];
  size_t entry_count;
  uint64_t byte_count; /**< read, decompressed: all of it */
} etr_validation;

/**
 * Checks a record: reads every byte, so that every CRC is checked; holds names against those that ExecuTorch reserves,
 * maps against graphs, and both against the program, which is inputs->pte or an entry of the record; and tells what is
 * missing, and which answer needs it. inputs->etrecord is the record; its other members are not looked at.
 *
 * On success close *out with etr_validation_close(); a record with flaws is a success. On failure *out is NULL. Errors:
 * ETR_ERROR_IO, ETR_ERROR_FORMAT (no zip, or no ETRecord), ETR_ERROR_CHOICE (no record is given), ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_record_validate(etr_validation **out, const etr_inputs *inputs, etr_error *error);

/** Frees it. NULL is allowed. */
ETR_API void etr_validation_close(etr_validation *validation);

#ifdef __cplusplus
}
#endif

#endif
