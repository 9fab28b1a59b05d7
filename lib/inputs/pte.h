/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pte.h - reads the methods of a .pte as far as the join needs them: instruction lists, operators,
 * delegates and the locations of their payloads. Layer 2. Schema:
 * executorch/exir/_serialize/program.fbs. The extended header eh00 is described in runtime/executor
 * and exir/_serialize/_program.py.
 */
#ifndef ETR_PTE_H
#define ETR_PTE_H

#include "base/arena.h"
#include "base/file.h"
#include "formats/flatbuf.h"

/* ---- The values of a method of a .pte: tensors, lists, and the numbers that instructions get ----
 */

typedef enum etr_pte_value_kind {
  ETR_PTE_VALUE_OTHER,
  ETR_PTE_VALUE_TENSOR,
  ETR_PTE_VALUE_TENSOR_LIST,
  ETR_PTE_VALUE_INT,
  ETR_PTE_VALUE_BOOL,
  ETR_PTE_VALUE_DOUBLE,
  ETR_PTE_VALUE_STRING,
  ETR_PTE_VALUE_INT_LIST,
  ETR_PTE_VALUE_DOUBLE_LIST,
  ETR_PTE_VALUE_BOOL_LIST,
} etr_pte_value_kind;

typedef struct etr_pte_value {
  etr_pte_value_kind kind;
  const char *dtype;    /* of a tensor: "float32"; NULL if unknown */
  const int32_t *sizes; /* of a tensor: rank entries */
  int32_t rank;
  bool dynamic;         /* the shape is not static */
  bool constant;        /* a tensor with data in the file or in a .ptd */
  const int32_t *items; /* for a list of tensors or integers: indices of values */
  size_t item_count;
  bool has_optional;     /* of a list of tensors: its elements may be absent */
  const double *numbers; /* for a list of doubles or bools: its elements; a bool is 0 or 1 */
  size_t number_count;
  uint32_t buffer; /* for a tensor: number of its planned buffer, from 1; 0: it is not planned */
  uint64_t offset; /* for a planned tensor: offset in its buffer, in bytes */
  uint32_t data;   /* for a tensor: index of its data among the constants, or among the initial data
                      of mutable tensors; 0: none */
  uint64_t mutable_table; /* index of the list of mutable data that contains its data */
  const char *weight;     /* its name in the file; NULL if it has none */
  bool external;          /* its data is in another file */
  bool unbound;           /* the runtime allocates it */
  uint64_t storage; /* for a tensor: number of the location that memory planning gave it. Values
                       with the same number use it at different times, or are views of the same
                       data. 0: not planned */
  union {
    int64_t integer; /* also of a bool */
    double real;
    const char *text; /* of a string */
  } scalar;           /* the initial value; an instruction may change it */
} etr_pte_value;

/** Computes the size of a program's tensor in bytes; if its sizes are bounds, this is the largest
 * size. Returns false, with *bytes 0, if the sizes are negative or overflow, or if the number type
 * is unknown or does not have whole bytes. */
bool etr_pte_value_bytes(const etr_pte_value *value, uint64_t *bytes);

/* ---- The data that a .pte holds beside its methods: segments, and which of them are constants.
 * Layer 2. Schema: executorch/exir/_serialize/program.fbs ---- */

/** The device of a planned buffer that is not in the CPU's memory. */
typedef struct etr_pte_device {
  int32_t buffer;
  uint8_t type, index; /* DeviceType of the schema: 0 CPU, 1 CUDA */
} etr_pte_device;

/** The planned buffers of a method. */
typedef struct etr_pte_buffers {
  const int64_t *sizes; /* in bytes; the index is the number of a buffer, and 0 is not used */
  size_t count;
  const etr_pte_device *devices;
  size_t device_count;
} etr_pte_buffers;

/** Bytes of the file. */
typedef struct etr_pte_range {
  uint64_t at, size; /* at ETR_UNKNOWN: there are none; size 0: it is not known */
} etr_pte_range;

/** Data of tensors, by number. */
typedef struct etr_pte_ranges {
  const etr_pte_range *list;
  size_t count;
} etr_pte_ranges;

/** A key of named data, and the segment that holds the data. */
typedef struct etr_pte_named {
  const char *key;
  uint32_t segment;
} etr_pte_named;

/** The sizes of the program and its segments, and where data is. Offsets are relative to the
 * program. */
typedef struct etr_pte_data {
  uint64_t file_bytes; /* size of the file that is, or contains, the program */
  uint64_t program_at; /* offset of the program in that file; above 0 in a BundledProgram */
  uint64_t program_bytes;
  uint64_t segment_base;          /* offset of the segments; 0: there are none */
  etr_pte_ranges constants;       /* data of constants */
  const etr_pte_ranges *mutables; /* initial data of mutable tensors: one entry for each list */
  etr_segment *
      segments; /* as in etr_program_memory; the caller sets the kinds of the delegates' segments */
  size_t segment_count;
  const etr_pte_named *named;
  size_t named_count;
  uint32_t constant_segment;        /* ETR_NONE: constants are inside the program */
  const uint32_t *mutable_segments; /* segment of each list of mutable data */
  size_t mutable_count;
} etr_pte_data;

/* ---- The methods of a .pte as far as the join needs them: instruction lists, operators, delegates
 * and the locations of their payloads ---- */

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
  const char *op; /* for a kernel call: "aten::add" for "aten::add.out"; "" if its index is invalid;
                     NULL for other kinds */
  const char *overload; /* "out"; "" if it has none; NULL if op is NULL */
  int32_t
      delegate; /* for a delegate call: index into etr_pte_method.delegates; -1 for other kinds */
  int32_t jump_target; /* for a jump: instruction, or instruction_count for the end; -1 for other
                          kinds */
  const int32_t *args; /* indices into the method's values. Kernel and delegate calls: their
                          arguments; a move: {from, to}; a jump: {condition}; free: {value}. Each
                          index is valid, or -1 if the file has none or an invalid one */
  size_t arg_count;
} etr_instruction;

typedef struct etr_pte_delegate {
  const char *backend; /* "XnnpackBackend" */
  const char *format;  /* what is written about format, version and target; NULL: nothing */
  etr_slice payload;   /* the processed bytes, or only the first ones, up to the end of their graph;
                          or of a format that is not known some of the first ones; empty if the
                          location is invalid or absent */
  uint64_t payload_bytes; /* size of all processed bytes; 0 if the location is invalid or absent */
  uint32_t payload_segment; /* index into etr_pte.segments; ETR_NONE: inside the program */
  uint64_t payload_at;      /* offset in the file; delegates with the same offset share a payload */
  size_t spec_count;        /* compile specs, which the runtime lists when it loads the delegate */
} etr_pte_delegate;

typedef struct etr_pte_method {
  const char *name;
  const etr_instruction
      *instructions; /* instructions of chain 0; the index is the instruction id */
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
  bool is_bundled; /* the program is in a BundledProgram */
  const etr_test_set *test_sets;
  size_t test_set_count;
  etr_pte_data data;
  etr_file file; /* bytes that inline payloads point into, if etr_pte_read_file() or
                    etr_pte_read_entry() read them */
} etr_pte;

/** Limits for reading. Zeroed: no limit of bytes, and the default limit of delegates. */
typedef struct etr_pte_limits {
  uint64_t
      max_bytes; /* bytes of the program and of what is read from its segments, if a file is read */
  uint32_t max_delegates; /* delegates of one method; 0: 8192 */
} etr_pte_limits;

/** The location of a program. */
typedef struct etr_pte_source {
  const char *path;
  etr_slice bytes; /* bytes of the program. They must outlive the payloads, which point into them */
  const etr_seekable
      *file; /* file with the segments that follow the program; NULL: they are in `bytes` */
} etr_pte_source;

/**
 * Reads a program, or the one in a BundledProgram. Strings, arrays and the payloads that are read
 * from the source's file live in the arena. Errors: ETR_ERROR_FORMAT with the offset (neither the
 * identifier ET12 nor BP08 with a program; an offset outside the file; different payloads that
 * overlap), or without an offset if a limit is exceeded; ETR_ERROR_MEMORY.
 */
etr_status etr_pte_read(etr_pte *out, etr_arena *arena, const etr_pte_source *source,
                        const etr_pte_limits *limits, etr_error *error);

/**
 * Reads the program of a file. Of payloads in segments it reads only what their backends need for
 * the graph, and never weights, so that a program of many gigabytes takes no more time than a small
 * one. A pipe and a BundledProgram are read completely. Free out->file with etr_file_clear(), also
 * after a failure. Errors: those of etr_pte_read(), and ETR_ERROR_IO.
 */
etr_status etr_pte_read_file(etr_pte *out, etr_arena *arena, const char *path,
                             const etr_pte_limits *limits, etr_error *error);

/**
 * Reads a program inside an ETRecord completely. Free out->file with etr_file_clear(), also after a
 * failure. Errors: those of etr_pte_read() and etr_archive_read(), with the entry.
 */
etr_status etr_pte_read_entry(etr_pte *out, etr_arena *arena, const char *record, const char *entry,
                              const etr_pte_limits *limits, etr_error *error);

/** Returns for each instruction whether it may be in the body of a cond, map or scan: between a
 * jump and its target. ExecuTorch's maps leave bodies out (exir/emit/_emitter.py). NULL when out of
 * memory. */
bool *etr_pte_find_bodies(const etr_pte_method *program, etr_arena *arena);

#endif
