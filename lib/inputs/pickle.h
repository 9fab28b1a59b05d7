/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pickle.h - reads lists, tuples and dicts of tensors, numbers and strings that torch.save or
 * pickle.dumps wrote. Layer 2.
 *
 * A pickle is a program for a stack machine that may call any function of Python. Here nothing is
 * called: the machine knows only the instructions that Python's pickler writes for such data, and
 * the few names that rebuild a tensor, and refuses everything else. A value that is used twice is
 * stored once, so the result is a graph that may contain cycles. It is not larger than the pickle,
 * but a walk through it must be bounded. Opcodes: CPython's Lib/pickletools.py. Tensors:
 * torch/_utils.py, _rebuild_tensor_v2 and _v3.
 *
 * torch.save keeps the bytes of tensors beside the pickle. pickle.dumps keeps them inside the
 * pickle: torch/storage.py, _load_from_bytes. Its argument is a storage in the format that
 * torch.save used before it wrote zips (torch/serialization.py, _legacy_save).
 */
#ifndef ETR_PICKLE_H
#define ETR_PICKLE_H

#include "base/arena.h"
#include "formats/element.h"

typedef enum etr_pickle_kind {
  ETR_PICKLE_NONE,
  ETR_PICKLE_BOOL,
  ETR_PICKLE_INT,
  ETR_PICKLE_FLOAT,
  ETR_PICKLE_STRING,
  ETR_PICKLE_BYTES,
  ETR_PICKLE_LIST, /* or a tuple */
  ETR_PICKLE_DICT, /* items are keys and values in turn */
  ETR_PICKLE_TENSOR,
  ETR_PICKLE_STORAGE, /* the bytes that tensors share */
  ETR_PICKLE_NAME,    /* a function or class */
} etr_pickle_kind;

/** The functions and classes that a pickle may name. */
typedef enum etr_pickle_name {
  ETR_NAME_REBUILD_TENSOR,       /* (storage, offset, size, stride, requires_grad, hooks, ...) */
  ETR_NAME_REBUILD_TYPED_TENSOR, /* as ETR_NAME_REBUILD_TENSOR, with a number type after the hooks
                                  */
  ETR_NAME_REBUILD_PARAMETER,    /* (tensor, requires_grad, hooks) */
  ETR_NAME_ORDERED_DICT,
  ETR_NAME_STORAGE,      /* element; NULL: untyped */
  ETR_NAME_LOAD_STORAGE, /* (bytes) */
  ETR_NAME_DTYPE,        /* element */
} etr_pickle_name;

typedef struct etr_pickle_value {
  etr_pickle_kind kind;
  etr_pickle_name name;
  int64_t number; /* value of a bool or an int */
  double real;
  etr_slice text; /* of a string or of bytes; points into the pickle. For a storage its key */
  struct {
    struct etr_pickle_value **data;
    size_t count, capacity;
  } items;
  const etr_element
      *element; /* number type of a name, a storage or a tensor; NULL: untyped bytes */
  const struct etr_pickle_value *storage; /* storage of a tensor */
  etr_slice memory; /* numbers of a storage inside the pickle; memory.data is NULL if they are
                       beside the pickle */
  uint64_t offset;  /* start of a tensor in its storage, in elements */
  const int64_t *sizes, *strides; /* rank entries each */
  int32_t rank;
} etr_pickle_value;

/** Limits beyond any real archive of outputs. They are needed because the size of a pickle does not
 * limit the memory that it may use. */
enum {
  ETR_MOST_PICKLE_VALUES = 1 << 18,
  ETR_MOST_PICKLE_BYTES = 4 << 20, /* the numbers of tensors inside it do not count */
};

/** The first bytes of a storage inside a pickle: the pickles of torch.save's magic number and of
 * its protocol version. */
#define ETR_SAVED_STORAGE "\x80\x02\x8a\x0al\xfc\x9c\x46\xf9 j\xa8P\x19.\x80\x02M\xe9\x03."

/** Returns true if bytes start like a pickle. Neither a zip nor JSON starts like that. */
static inline bool etr_is_pickle(etr_slice bytes) {
  return bytes.size > 0 && (uint8_t)bytes.data[0] == 0x80;
}

/**
 * Runs a pickle. *out and everything below it live in the arena; texts point into `bytes`. Returns
 * NULL on success, or else a text in the arena that says what is wrong, such as "out of memory";
 * *offset is then the byte where it failed.
 */
const char *etr_pickle_read(const etr_pickle_value **out, etr_arena *arena, etr_slice bytes,
                            uint64_t *offset);

#endif
