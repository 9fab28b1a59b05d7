/* SPDX-License-Identifier: BSD-3-Clause
 *
 * safetensors.h - the table of a safetensors file: names, types, shapes and locations of its
 * tensors, and its metadata. Layer 2. The format: huggingface.co/docs/safetensors.
 *
 * Only the header is read, at most ETR_MOST_SAFETENSORS_HEADER bytes, and memory is proportional to
 * it. The numbers of a tensor are read in pieces with etr_tensor_reader, whatever the size of the
 * file.
 */
#ifndef ETR_SAFETENSORS_H
#define ETR_SAFETENSORS_H

#include "base/arena.h"
#include "inputs/tensor_data.h"

enum { ETR_MOST_SAFETENSORS_HEADER = 100000000 }; /* bytes, the limit of the format's own library */

/** A tensor of the file. Its elements are in the order of its dimensions, the last one fastest. */
typedef struct etr_safetensor {
  const char *name;
  const etr_element *element; /* NULL: a type that cannot be read, such as "F4" or "C64" */
  const int64_t *sizes;       /* rank entries */
  const int64_t *strides;     /* rank entries, in elements */
  int32_t rank;
  uint64_t offset, byte_size; /* location in the file */
} etr_safetensor;

typedef struct etr_safetensors {
  etr_vec(etr_safetensor) tensors;
  etr_map by_name;  /* name -> index */
  etr_map metadata; /* key -> index into texts */
  etr_vec(etr_slice) texts;
} etr_safetensors;

/**
 * Reads the table of a file, into the arena. Errors: ETR_ERROR_FORMAT (the header is damaged, too
 * long or longer than the file; a name appears twice; a tensor lies outside the file, has another
 * size than its shape or shares bytes with another one), ETR_ERROR_MEMORY.
 */
etr_status etr_safetensors_read(etr_safetensors *out, etr_arena *arena, const etr_seekable *file,
                                const char *path, etr_error *error);

/** Returns the tensor with this name; NULL if the file has none. */
const etr_safetensor *etr_safetensors_find(const etr_safetensors *table, etr_slice name);

/** Returns a text of the metadata; it has no data if there is none. */
etr_slice etr_safetensors_metadata(const etr_safetensors *table, const char *key);

#endif
