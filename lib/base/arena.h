/* SPDX-License-Identifier: BSD-3-Clause
 *
 * arena.h - arenas, freed together, with growable arrays and interned strings in them. Layer 0.
 *
 * An arena remembers its first failed allocation (sticky): later calls return NULL, and whoever built something in it
 * checks etr_arena_failed() once at the end. Nothing in an arena is freed by itself, but what a growing array or map
 * leaves behind.
 */
#ifndef ETR_ARENA_H
#define ETR_ARENA_H

#include "base/base.h"

typedef struct etr_arena_chunk etr_arena_chunk;

typedef struct etr_arena {
  etr_arena_chunk *chunks; /* newest first */
  etr_arena_chunk *large;  /* blocks with a chunk of their own, newest first */
  size_t used, capacity;   /* of the newest of `chunks` */
  bool failed;
} etr_arena;

/** An empty arena owns nothing; a zeroed struct is one too. */
void etr_arena_init(etr_arena *arena);
void etr_arena_clear(etr_arena *arena);

/** True once any allocation failed. */
static inline bool etr_arena_failed(const etr_arena *arena) { return arena->failed; }

/** Makes it fail, as what was built in another one failed: whoever checks once at the end is told. */
static inline void etr_arena_fail(etr_arena *arena) { arena->failed = true; }

/** Zeroed memory, aligned for any type. size 0 gives a valid, unusable pointer. NULL when out of memory. */
void *etr_arena_alloc(etr_arena *arena, size_t size);

/** The same, but not zeroed: for what is written over at once. */
void *etr_arena_alloc_raw(etr_arena *arena, size_t size);

/** Like etr_arena_alloc() for count elements; NULL, and failed, if the product overflows. */
void *etr_arena_alloc_array(etr_arena *arena, size_t count, size_t size);

/** The same, but not zeroed. */
void *etr_arena_alloc_raw_array(etr_arena *arena, size_t count, size_t size);

/** A NUL-terminated copy of bytes as they are. */
char *etr_arena_copy(etr_arena *arena, etr_slice bytes);

/** A NUL-terminated copy in which NULs and invalid UTF-8 became U+FFFD, as the public header promises. */
char *etr_arena_text(etr_arena *arena, etr_slice bytes);

/** printf into the arena. */
char *etr_arena_format(etr_arena *arena, const char *format, ...) ETR_PRINTF(2, 3);

/**
 * Growable array in an arena: `etr_vec(etr_node) nodes = {0};` then `etr_node *n = etr_vec_push(arena, &nodes);`. A
 * push gives a zeroed element, or NULL when out of memory. Growth doubles and moves the elements: pointers to them do
 * not outlive the next push.
 */
#define etr_vec(type)                                                                                                  \
  struct {                                                                                                             \
    type *data;                                                                                                        \
    size_t count, capacity;                                                                                            \
  }
#define etr_vec_push(arena, vec)                                                                                       \
  ((vec)->count < (vec)->capacity ||                                                                                   \
       etr_vec_grow((arena), (void **)&(vec)->data, &(vec)->capacity, sizeof *(vec)->data)                             \
   ? (void)memset(&(vec)->data[(vec)->count], 0, sizeof *(vec)->data),                                                 \
   &(vec)->data[(vec)->count++] : NULL)
bool etr_vec_grow(etr_arena *arena, void **data, size_t *capacity, size_t element_size);

/** Makes room for so many elements in an empty array: a hint, which saves what growing leaves behind. A file's word for
 * a count may be a lie, so that more than a few thousand are not believed. */
#define etr_vec_expect(arena, vec, count)                                                                              \
  etr_vec_start((arena), (void **)&(vec)->data, &(vec)->capacity, sizeof *(vec)->data, (count))
void etr_vec_start(etr_arena *arena, void **data, size_t *capacity, size_t element_size, size_t count);

/**
 * Map from strings to uint32, and set of strings at the same time: each distinct key is stored once in the arena.
 */
typedef struct etr_map_slot {
  const char *key; /* lives as long as the arena */
  uint32_t size, hash, value;
} etr_map_slot;

/** Texts that etr_intern() cut, and the first of them. */
typedef struct etr_cut_names {
  size_t count;
  const char *first;
} etr_cut_names;

typedef struct etr_map {
  etr_arena *arena;
  etr_map_slot *slots; /* power of two */
  size_t count, capacity;
  etr_cut_names cut;
} etr_map;

void etr_map_init(etr_map *map, etr_arena *arena);

/** A key made of a number and a text, in the arena; empty when out of memory. */
etr_slice etr_key_of(etr_arena *arena, uint32_t number, etr_slice text);

/** The value of a key, or ETR_NONE. */
uint32_t etr_map_get(const etr_map *map, etr_slice key);

/** Sets a key's value, replacing an older one. False when out of memory. */
bool etr_map_set(etr_map *map, etr_slice key, uint32_t value);

/** The slot of a key, whose value is ETR_NONE if the key is new; until the next new one. NULL when out of memory. */
etr_map_slot *etr_map_at(etr_map *map, etr_slice key);

/** Counts a key by its value: how often it was counted before. */
uint32_t etr_map_count(etr_map *map, etr_slice key);

/** The number of a key in a map that only numbers keys: 0 of the first, and so on. ETR_NONE when out of memory. */
uint32_t etr_map_number(etr_map *map, etr_slice key);

/**
 * The one copy of a text in this map's arena, sanitised as etr_arena_text() does. Equal bytes give the same pointer. Of
 * a text longer than ETR_MOST_NAME_BYTES only as much is kept, cut between characters: the map counts them. NULL when
 * out of memory.
 */
enum { ETR_MOST_NAME_BYTES = 64 * 1024 };
const char *etr_intern(etr_map *map, etr_slice bytes);

#endif
