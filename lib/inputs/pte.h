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
#include "formats/flatbuf.h"

/* ---- The values of a method of a .pte: tensors, lists, and the numbers that instructions get ---- */

typedef enum etr_pte_value_kind {
  ETR_PTE_VALUE_OTHER,
  ETR_PTE_VALUE_TENSOR,
  ETR_PTE_VALUE_TENSOR_LIST,
  ETR_PTE_VALUE_INT,
  ETR_PTE_VALUE_BOOL,
  ETR_PTE_VALUE_DOUBLE,
  ETR_PTE_VALUE_STRING,
  ETR_PTE_VALUE_INT_LIST,
} etr_pte_value_kind;

typedef struct etr_pte_value {
  etr_pte_value_kind kind;
  const char *dtype;    /* of a tensor: "float32"; NULL if unknown */
  const int32_t *sizes; /* of a tensor: rank entries */
  int32_t rank;
  bool dynamic;         /* shape is not static */
  bool constant;        /* tensor with data in the file, or in a .ptd */
  const int32_t *items; /* of a list of tensors or integers: indices of values */
  size_t item_count;
  uint32_t buffer; /* of a tensor: number of the planned buffer it is in, from 1; 0: it is not planned */
  uint64_t offset; /* likewise, in it */
  uint32_t data;   /* of a tensor: index of its data among constants, or of those that a mutable one starts with; 0:
                      none */
  uint64_t mutable_table; /* which list of mutable data has it */
  const char *weight;     /* what the file calls it; NULL if nothing */
  bool external;          /* its data is in another file */
  bool unbound;           /* the runtime allocates it */
  uint64_t storage; /* of a tensor: where memory planning put it; values in one place are there at different times, or
                       are the same data looked at otherwise. 0: not planned */
  union {
    int64_t integer; /* also of a bool */
    double real;
    const char *text; /* of a string */
  } scalar;           /* what the program starts with: an instruction may write another one */
} etr_pte_value;

/** Bytes of a program's tensor: of its largest sizes where they are bounds. False, *bytes 0: the sizes are negative or
 * too many, or the number type is unknown or has no whole bytes. */
bool etr_pte_value_bytes(const etr_pte_value *value, uint64_t *bytes);

/* ---- The data that a .pte holds beside its methods: segments, and which of them are constants. Layer 2. Schema:
 * executorch/exir/_serialize/program.fbs ---- */

/** Where a planned buffer is, if it is not the CPU's. */
typedef struct etr_pte_device {
  int32_t buffer;
  uint8_t type, index; /* DeviceType of the schema: 0 CPU, 1 CUDA */
} etr_pte_device;

/** The planned buffers of a method. */
typedef struct etr_pte_buffers {
  const int64_t *sizes; /* index is the number of a buffer; 0 is not used */
  size_t count;
  const etr_pte_device *devices;
  size_t device_count;
} etr_pte_buffers;

/** Program and segments, as far as they are about memory. */
typedef struct etr_pte_data {
  uint64_t program_bytes;
  etr_segment *segments; /* as the public header has them; kinds of delegates' segments are the caller's to tell */
  size_t segment_count;
  uint32_t constant_segment;        /* ETR_NONE: constants are inside the program */
  const uint32_t *mutable_segments; /* by list of mutable data */
  size_t mutable_count;
} etr_pte_data;

/* ---- The methods of a .pte as far as the join needs them: instruction lists, operators, delegates and where their
 * payloads lie. Layer 2. Schema: executorch/exir/_serialize/program.fbs; the extended header eh00 after
 * runtime/executor and exir/_serialize/_program.py ---- */

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
  etr_file file; /* the bytes that inline payloads point into, where etr_pte_read_file() or _entry() read them */
} etr_pte;

/** How much is read. Zeroed: as much as there is of bytes, the default of delegates. */
typedef struct etr_pte_limits {
  uint64_t max_bytes;     /* of the program and what is read of segments, where a file is read */
  uint32_t max_delegates; /* of one method; 0: 8192 */
} etr_pte_limits;

/** Where a program is. */
typedef struct etr_pte_source {
  const char *path;
  etr_slice bytes;          /* of the program; payloads point into them, so that they must outlive these */
  const etr_seekable *file; /* holds the segments behind the program; NULL: they are in `bytes` */
} etr_pte_source;

/**
 * Reads a program, or the one in a BundledProgram. Strings and arrays live in the arena, and payloads that are read
 * from the source's file. Errors: ETR_ERROR_FORMAT with the offset (no identifier ET12, nor BP08 with a program; an
 * offset outside the file; payloads that are not the same and overlap), or without it beyond a limit; ETR_ERROR_MEMORY.
 */
etr_status etr_pte_read(etr_pte *out, etr_arena *arena, const etr_pte_source *source, const etr_pte_limits *limits,
                        etr_error *error);

/**
 * Reads the program of a file, and of payloads in segments only what their backends need for the graph: never weights,
 * so that a program of many gigabytes costs what a small one does. A pipe and a BundledProgram are read whole. Free
 * out->file with etr_file_clear(), on failure as well. Errors: those of etr_pte_read(), and ETR_ERROR_IO.
 */
etr_status etr_pte_read_file(etr_pte *out, etr_arena *arena, const char *path, const etr_pte_limits *limits,
                             etr_error *error);

/**
 * The same of a program inside an ETRecord, which is read whole. Errors: those of etr_pte_read() and
 * etr_archive_read(), with the entry.
 */
etr_status etr_pte_read_entry(etr_pte *out, etr_arena *arena, const char *record, const char *entry,
                              const etr_pte_limits *limits, etr_error *error);

#endif
