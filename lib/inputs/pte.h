/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pte.h - the methods of a .pte as far as the join needs them: instruction lists, operators, delegates and where their
 * payloads lie. Layer 2. Schema: executorch/exir/_serialize/program.fbs; the extended header eh00 after
 * runtime/executor and exir/_serialize/_program.py.
 */
#ifndef ETR_PTE_H
#define ETR_PTE_H

#include "base/arena.h"
#include "base/file.h"
#include "inputs/pte_data.h"
#include "inputs/pte_value.h"

typedef enum etr_instruction_kind {
  ETR_INSTRUCTION_UNKNOWN,
  ETR_INSTRUCTION_KERNEL,
  ETR_INSTRUCTION_DELEGATE,
  ETR_INSTRUCTION_MOVE,
  ETR_INSTRUCTION_JUMP_FALSE,
  ETR_INSTRUCTION_FREE,
} etr_instruction_kind;

typedef struct etr_instruction {
  etr_instruction_kind kind;
  const char *op;       /* of a kernel call: "aten::add.out" as "aten::add"; "" if its number is senseless; else NULL */
  const char *overload; /* "out"; "" if it has none; NULL where op is */
  int32_t delegate;     /* of a delegate call: index into etr_pte_method.delegates; else -1 */
  int32_t jump_target;  /* of a jump: instruction, or instruction_count for the end; else -1 */
  const int32_t *args;  /* kernel and delegate calls: indices into the method's values; a move: {from, to}; a jump:
                           {condition}; free: {value}. Every index of a value in here is valid, or -1 where the file
                           has none or a senseless one */
  size_t arg_count;
} etr_instruction;

typedef struct etr_pte_delegate {
  const char *backend; /* "XnnpackBackend" */
  etr_slice payload;   /* processed bytes, or as many first ones as their graph takes; empty if the place is invalid or
                          absent */
  uint64_t payload_bytes;   /* all of them; 0 likewise */
  uint32_t payload_segment; /* index into etr_pte.segments; ETR_NONE: inside the program */
  uint64_t payload_at;      /* where they start in the file: delegates with one place share them */
} etr_pte_delegate;

typedef struct etr_pte_method {
  const char *name;
  const etr_instruction *instructions; /* of chain 0: index is the instruction id */
  size_t instruction_count;
  const etr_pte_delegate *delegates;
  size_t delegate_count;
  const etr_pte_value *values;
  size_t value_count;
  const int32_t *inputs, *outputs; /* indices of values */
  size_t input_count, output_count;
  etr_pte_buffers buffers; /* planned */
} etr_pte_method;

typedef struct etr_pte {
  const etr_pte_method *methods;
  size_t method_count;
  etr_cut_names cut;
  bool is_bundled; /* in a BundledProgram */
  const etr_test_set *test_sets;
  size_t test_set_count;
  etr_pte_data data;
} etr_pte;

/** How much is read. Zeroed: as much as there is of bytes, the default of delegates. */
typedef struct etr_pte_limits {
  uint64_t max_bytes;     /* of the program and what is read of segments, where a file is read */
  uint32_t max_delegates; /* of one method; 0: 8192 */
} etr_pte_limits;

/**
 * Reads a program, or the one in a BundledProgram. Strings and arrays live in the arena; payloads point into `bytes`,
 * which must outlive them, or were read into the arena from `file`, which holds the segments behind the program; NULL:
 * they are in `bytes`. Errors: ETR_ERROR_FORMAT with the offset (no identifier ET12, nor BP08 with a program; an offset
 * outside the file; payloads that are not the same and overlap), or without it beyond a limit; ETR_ERROR_MEMORY.
 */
etr_status etr_pte_read(etr_pte *out, etr_arena *arena, etr_slice bytes, const etr_seekable *file, const char *path,
                        const etr_pte_limits *limits, etr_error *error);

/**
 * Reads the program of a file, and of payloads in segments only what their backends need for the graph: never weights,
 * so that a program of many gigabytes costs what a small one does. A pipe and a BundledProgram are read whole. *program
 * gets the bytes that inline payloads point into: free it with etr_file_clear(), on failure as well. Errors: those of
 * etr_pte_read(), and ETR_ERROR_IO.
 */
etr_status etr_pte_read_file(etr_pte *out, etr_file *program, etr_arena *arena, const char *path,
                             const etr_pte_limits *limits, etr_error *error);

/**
 * The same of a program inside an ETRecord, which is read whole. Errors: those of etr_pte_read() and
 * etr_archive_read(), with the entry.
 */
etr_status etr_pte_read_entry(etr_pte *out, etr_file *program, etr_arena *arena, const char *record, const char *entry,
                              const etr_pte_limits *limits, etr_error *error);

#endif
