/* SPDX-License-Identifier: BSD-3-Clause
 *
 * decoder.h - where the time of a decoder goes, by kind of layer, and its caches of keys and
 * values. Layer 4.
 *
 * Kinds follow from what operators compute and from how data flows between them, never from names
 * of modules.
 */
#ifndef ETR_DECODER_H
#define ETR_DECODER_H

#include "base/arena.h"
#include "etrecord_tb.h"

typedef enum etr_layer_kind {
  ETR_LAYER_ATTENTION,    /* scores, softmax, values, mask, rotary embedding, views between them */
  ETR_LAYER_PROJECTIONS,  /* products whose result enters or leaves an attention, or its norm */
  ETR_LAYER_FEED_FORWARD, /* other products, and the operators between them */
  ETR_LAYER_EMBEDDING,
  ETR_LAYER_OUTPUT, /* the last product, which makes the logits */
  ETR_LAYER_CACHE,  /* writes into buffers */
  ETR_LAYER_NORM,
  ETR_LAYER_OTHER,
  ETR_LAYER_KINDS
} etr_layer_kind;

/** Returns the name in JSON: "attention", "feed_forward", ... Static. */
const char *etr_layer_kind_name(etr_layer_kind kind);

/** Returns the value that an operator scales or caps without mixing its numbers, as models do with
 * their logits (mul, div or tanh of one value, perhaps with constants); ETR_NONE for others. */
uint32_t etr_scaled_value(const etr_graph *graph, uint32_t node);

/** The operators of one kind that ran. */
typedef struct etr_layer_sum {
  etr_layer_kind kind;
  uint64_t ticks; /* over all runs */
  double typical; /* ticks per inference, in the typical run */
  size_t count;   /* operators that ran */
} etr_layer_sum;

/** The kinds of a method's operators. */
typedef struct etr_layers {
  bool is_decoder; /* it reads tokens and has an attention; else the rest is empty */
  etr_layer_kind
      *of_node; /* per node of the method's graph; ETR_LAYER_OTHER of what is no operator */
  etr_layer_sum sums[ETR_LAYER_KINDS]; /* in the order of etr_layer_kind; they add up to the
                                          operators on nodes */
} etr_layers;

/** Finds the kind of layer that each operator of a method is part of, and adds up the time of each
 * kind, if the method is a decoder. Returns false when out of memory. */
bool etr_layers_find(etr_layers *out, etr_arena *arena, const etr_profile *profile,
                     const etr_method *method);

/** A buffer that a write indexes along one dimension. */
typedef struct etr_cache_buffer {
  uint32_t node;    /* the buffer */
  uint32_t writer;  /* the operator that writes it */
  uint64_t bytes;   /* of the whole buffer */
  uint64_t context; /* size of the dimension */
} etr_cache_buffer;

/** The caches of a method. */
typedef struct etr_kv_cache {
  const etr_cache_buffer *buffers;
  size_t count;
  uint64_t bytes, per_token; /* of all buffers */
  uint64_t context;          /* the largest of the buffers */
} etr_kv_cache;

/** Finds the caches of a method: buffers that index_put, update_cache, slice_scatter or a copy into
 * a slice writes at a position. The dimension that is indexed so is the context, and a token takes
 * the bytes of one position. Returns false when out of memory. */
bool etr_kv_cache_find(etr_kv_cache *out, etr_arena *arena, const etr_profile *profile,
                       const etr_method *method);

/** Returns a line about the cache of a method: its bytes, its positions, what twice the context
 * takes more, also of all that is live at the peak, and whether other methods have such a cache of
 * their own. NULL without a cache, or when out of memory. */
const char *etr_kv_cache_text(etr_arena *arena, const etr_profile *profile,
                              const etr_method *method);

#endif
