/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pickle_out.h - writes pickles of lists, dicts, numbers, texts and tensors, as torch.save or pickle.dumps makes them.
 * Layer 3. The other way round: inputs/pickle.h.
 */
#ifndef ETR_PICKLE_OUT_H
#define ETR_PICKLE_OUT_H

#include "formats/element.h"
#include "records/torch_save.h"

/** A pickle while it is written, value by value, items before what holds them is told of them. */
typedef struct etr_pickle_out {
  etr_arena *arena;
  bool is_inline; /* the storages are inside the pickle, as pickle.dumps writes them */
  etr_vec(char) bytes;
  etr_vec(etr_slice) storages;
  etr_vec(size_t) places; /* of the storages in the pickle */
} etr_pickle_out;

/** A dense tensor. Everything is borrowed; the bytes for as long as the object lives. */
typedef struct etr_pickle_tensor {
  const etr_element *element;
  const int64_t *sizes, *strides;
  size_t rank;
  etr_slice bytes;
} etr_pickle_tensor;

/** Begins a pickle whose storages are beside it, as torch.save writes them, or inside it. */
void etr_pickle_begin(etr_pickle_out *out, etr_arena *arena, bool is_inline);

void etr_pickle_put_text(etr_pickle_out *out, etr_slice text);
void etr_pickle_put_int(etr_pickle_out *out, int64_t value);
void etr_pickle_put_bool(etr_pickle_out *out, bool value);
void etr_pickle_put_double(etr_pickle_out *out, double value);
void etr_pickle_put_tensor(etr_pickle_out *out, const etr_pickle_tensor *tensor);

/** An empty list, to which values written behind it are added one by one. */
void etr_pickle_put_list(etr_pickle_out *out);
void etr_pickle_add_item(etr_pickle_out *out);

/** An empty dict, to which a key and a value written behind it are added. */
void etr_pickle_put_dict(etr_pickle_out *out);
void etr_pickle_add_member(etr_pickle_out *out);

/** Ends the pickle. The object lives as long as the arena, which has failed when out of memory. */
etr_torch_object etr_pickle_end(etr_pickle_out *out);

#endif
