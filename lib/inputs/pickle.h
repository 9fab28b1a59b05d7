/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pickle.h - lists, tuples and dicts of tensors, numbers and strings as torch.save and pickle.dumps write them.
 * Layer 2.
 *
 * A pickle is a program for a stack machine that may call any function of Python. Here nothing is called: the machine
 * knows the instructions that Python's pickler writes for such data, and the few names that stand for a tensor, and
 * refuses all else. A value that is used twice is one value, so that the whole is a graph, and may be cyclic; it is no
 * larger than the pickle, but a walk through it must be bounded. Opcodes: CPython's Lib/pickletools.py. Tensors:
 * torch/_utils.py, _rebuild_tensor_v2 and _v3.
 *
 * torch.save keeps the bytes of tensors beside the pickle. pickle.dumps keeps them in it: torch/storage.py,
 * _load_from_bytes, whose argument is a storage as torch.save wrote it before it wrote zips (torch/serialization.py,
 * _legacy_save).
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

/** What a name stands for. */
typedef enum etr_pickle_name {
  ETR_NAME_REBUILD_TENSOR,       /* (storage, offset, size, stride, requires_grad, hooks, ...) */
  ETR_NAME_REBUILD_TYPED_TENSOR, /* the same with a number type behind the hooks */
  ETR_NAME_REBUILD_PARAMETER,    /* (tensor, requires_grad, hooks) */
  ETR_NAME_ORDERED_DICT,
  ETR_NAME_STORAGE,      /* element; NULL: untyped */
  ETR_NAME_LOAD_STORAGE, /* (bytes) */
  ETR_NAME_DTYPE,        /* element */
} etr_pickle_name;

typedef struct etr_pickle_value {
  etr_pickle_kind kind;
  etr_pickle_name name;
  int64_t number; /* of a bool or an int */
  double real;
  etr_slice text; /* of a string or of bytes; points into the pickle */
  struct {
    struct etr_pickle_value **data;
    size_t count, capacity;
  } items;
  const etr_element *element;             /* of a name, a storage, a tensor; NULL: untyped bytes */
  const struct etr_pickle_value *storage; /* of a tensor; a storage's text is its key */
  etr_slice memory;               /* of a storage inside the pickle: its numbers. Without data: it is beside it */
  uint64_t offset;                /* of a tensor in its storage, in elements */
  const int64_t *sizes, *strides; /* rank entries each */
  int32_t rank;
} etr_pickle_value;

/** More than any real archive of outputs has: what a pickle may use of memory does not follow from its size alone. */
enum {
  ETR_MOST_PICKLE_VALUES = 1 << 18,
  ETR_MOST_PICKLE_BYTES = 4 << 20, /* without the numbers of tensors inside it */
};

/** How the bytes of a storage inside a pickle begin: the pickles of torch.save's magic number and of its version. */
#define ETR_SAVED_STORAGE "\x80\x02\x8a\x0al\xfc\x9c\x46\xf9 j\xa8P\x19.\x80\x02M\xe9\x03."

/** Whether bytes begin as a pickle does, which no zip and no JSON does. */
static inline bool etr_is_pickle(etr_slice bytes) { return bytes.size > 0 && (uint8_t)bytes.data[0] == 0x80; }

/**
 * Runs a pickle. *out and all below live in the arena; texts point into `bytes`. *offset is where it failed.
 * Gives NULL, or a text in the arena that says what is wrong (also "out of memory").
 */
const char *etr_pickle_read(const etr_pickle_value **out, etr_arena *arena, etr_slice bytes, uint64_t *offset);

#endif
