/* SPDX-License-Identifier: BSD-3-Clause
 *
 * torch_save.h - writes files like torch.save or pickle.dumps. Layer 3. inputs/torch_archive.h
 * reads them.
 */
#ifndef ETR_TORCH_SAVE_H
#define ETR_TORCH_SAVE_H

#include "formats/archive_writer.h"
#include "formats/element.h"

/** A pickle, and the bytes of the storages with the keys "0", "1", ... */
typedef struct etr_torch_object {
  etr_slice pickle;
  const etr_slice *storages;
  size_t storage_count;
  bool is_inline;        /* the storages are inside the pickle, like pickle.dumps writes them */
  const size_t *offsets; /* if is_inline: offsets in the pickle at which the bytes of each storage
                           must be inserted, ascending */
} etr_torch_object;

/** The pickles of torch.save({}) and torch.save(((), {})), for programs without weights and without
 * example inputs. */
extern const etr_torch_object etr_torch_empty_dict, etr_torch_no_inputs;

/** A pickle of lists, dicts, numbers, texts and tensors while it is written, value by value, as
 * torch.save or pickle.dumps makes it; inputs/pickle.h reads it. Items are written before they are
 * added to the list that contains them. */
typedef struct etr_pickler {
  etr_arena *arena;
  bool is_inline; /* the storages are inside the pickle, as pickle.dumps writes them */
  etr_vec(char) bytes;
  etr_vec(etr_slice) storages;
  etr_vec(size_t) offsets; /* where the bytes of each storage are inserted into the pickle */
} etr_pickler;

/** A dense tensor. Everything is borrowed; the bytes for as long as the object lives. */
typedef struct etr_pickler_tensor {
  const etr_element *element;
  const int64_t *sizes, *strides; /* strides in elements */
  size_t rank;
  etr_slice bytes;
} etr_pickler_tensor;

/** Starts a pickle whose storages are beside it, like torch.save writes them, or inside it. When
 * out of memory, the arena fails. */
void etr_pickler_begin(etr_pickler *out, etr_arena *arena, bool is_inline);

/** Put a value. */
void etr_pickler_put_text(etr_pickler *out, etr_slice text);
void etr_pickler_put_int(etr_pickler *out, int64_t value);
void etr_pickler_put_bool(etr_pickler *out, bool value);
void etr_pickler_put_double(etr_pickler *out, double value);
void etr_pickler_put_tensor(etr_pickler *out, const etr_pickler_tensor *tensor);

/** Puts an empty list, to which etr_pickler_add_item() adds the value that was put last. */
void etr_pickler_put_list(etr_pickler *out);
void etr_pickler_add_item(etr_pickler *out);

/** Puts an empty dict, to which etr_pickler_add_member() adds the key and the value that were put
 * last. */
void etr_pickler_put_dict(etr_pickler *out);
void etr_pickler_add_member(etr_pickler *out);

/** Ends the pickle. The object lives as long as the arena, which has failed when out of memory. */
etr_torch_object etr_pickler_end(etr_pickler *out);

/** An emitter whose context is an etr_torch_object: writes a zip as torch.save does, or if
 * is_inline a pickle as pickle.dumps does. Errors: ETR_ERROR_IO (the sink fails), ETR_ERROR_MEMORY.
 */
etr_status etr_torch_save(void *object, const etr_sink *sink, etr_error *error);

#endif
