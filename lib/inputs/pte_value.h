/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pte_value.h - the values of a method of a .pte: tensors, lists, and the numbers that instructions get. Layer 2.
 */
#ifndef ETR_PTE_VALUE_H
#define ETR_PTE_VALUE_H

#include "base/arena.h"
#include "formats/flatbuf.h"

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

/** Reads EValues. Texts are interned in `names`; what does not fit in memory, or in the file, shows on arena and fb. */
typedef struct etr_pte_values {
  etr_fb *fb;
  etr_arena *arena;
  etr_map *names;
} etr_pte_values;

/** Fills a zeroed value from its EValue. value_count: of the method, for indices. */
void etr_pte_value_read(const etr_pte_values *values, etr_pte_value *out, etr_fb_at entry, uint32_t value_count);

/** Indices of values in a vector of 32-bit numbers: valid ones, or -1. */
int32_t *etr_pte_indices(const etr_pte_values *values, etr_fb_at table, unsigned field, size_t value_count,
                         size_t *count);

/** Bytes of a program's tensor: of its largest sizes where they are bounds. False, *bytes 0: the sizes are negative or
 * too many, or the number type is unknown or has no whole bytes. */
bool etr_pte_value_bytes(const etr_pte_value *value, uint64_t *bytes);

#endif
