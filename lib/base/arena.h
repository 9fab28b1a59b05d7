/* SPDX-License-Identifier: BSD-3-Clause
 *
 * arena.h - arenas, freed together, with growable arrays and interned strings in them. Layer 0.
 *
 * An arena remembers its first failed allocation: later calls return NULL, and whoever built
 * something in it checks etr_arena_failed() once at the end. Nothing in an arena is freed
 * separately, except for the old memory of a growing array or map.
 */
#ifndef ETR_ARENA_H
#define ETR_ARENA_H

#include "base/base.h"

typedef struct etr_arena_chunk etr_arena_chunk;

typedef struct etr_arena {
  etr_arena_chunk *chunks; /* newest first */
  etr_arena_chunk *large;  /* blocks with a chunk of their own, newest first */
  size_t used, capacity;   /* bytes of the newest of `chunks` */
  bool failed;
} etr_arena;

/** Initializes an empty arena, which owns nothing. A zeroed struct is an empty arena too. */
void etr_arena_init(etr_arena *arena);
void etr_arena_clear(etr_arena *arena);

/** Returns true once any allocation failed. */
static inline bool etr_arena_failed(const etr_arena *arena) {
  return arena->failed;
}

/** Makes an arena fail because another arena failed, so that the check at the end finds out. */
static inline void etr_arena_fail(etr_arena *arena) {
  arena->failed = true;
}

/** Returns zeroed memory, aligned for any type; NULL when out of memory. Size 0 gives a valid
 * pointer that must not be used. */
void *etr_arena_alloc(etr_arena *arena, size_t size);

/** Returns memory that is not zeroed, for data that is written at once; otherwise like
 * etr_arena_alloc(). */
void *etr_arena_alloc_raw(etr_arena *arena, size_t size);

/** Returns zeroed memory for count elements. If the product overflows, it returns NULL and the
 * arena fails. */
void *etr_arena_alloc_array(etr_arena *arena, size_t count, size_t size);

/** Returns memory for count elements that is not zeroed; otherwise like etr_arena_alloc_array(). */
void *etr_arena_alloc_raw_array(etr_arena *arena, size_t count, size_t size);

/** Returns a NUL-terminated copy of bytes, unchanged; NULL when out of memory. */
char *etr_arena_copy(etr_arena *arena, etr_slice bytes);

/** Returns a NUL-terminated copy in which NULs and invalid UTF-8 are replaced by U+FFFD, as the
 * public header promises. */
char *etr_arena_text(etr_arena *arena, etr_slice bytes);

/** Formats a text like printf, in the arena. NULL when out of memory. */
char *etr_arena_format(etr_arena *arena, const char *format, ...) ETR_PRINTF(2, 3);

/** Returns a prefix and a number, "value_12", faster than etr_arena_format(). NULL when out of
 * memory. */
char *etr_arena_numbered(etr_arena *arena, const char *prefix, uint64_t number);

/** Returns the first `shown` of `count` names as a sentence has them, "float, int8 and 8da4w", or
 * with how many more there are, "float, int8 and 197 more". shown: at least 1, at most count. NULL
 * when out of memory. */
const char *etr_arena_list(etr_arena *arena, const char *const *names, size_t shown, size_t count);

/**
 * Growable array in an arena: `etr_vec(etr_node) nodes = {0};` then `etr_node *n =
 * etr_vec_push(arena, &nodes);`. A push gives a zeroed element, or NULL when out of memory. Growth
 * doubles and moves the elements: pointers to them do not outlive the next push.
 */
#define etr_vec(type)                                                                              \
  struct {                                                                                         \
    type *data;                                                                                    \
    size_t count, capacity;                                                                        \
  }
#define etr_vec_push(arena, vec)                                                                   \
  ((vec)->count < (vec)->capacity ||                                                               \
       etr_vec_grow((arena), (void **)&(vec)->data, &(vec)->capacity, sizeof *(vec)->data)         \
   ? (void)memset(&(vec)->data[(vec)->count], 0, sizeof *(vec)->data),                             \
   &(vec)->data[(vec)->count++] : NULL)
bool etr_vec_grow(etr_arena *arena, void **data, size_t *capacity, size_t element_size);

/** Reserves room for `count` elements in an empty array. This is a hint that saves the memory which
 * growing leaves behind. At most a few thousand elements are reserved, because the count in a file
 * may be wrong. */
#define etr_vec_expect(arena, vec, count)                                                          \
  etr_vec_start((arena), (void **)&(vec)->data, &(vec)->capacity, sizeof *(vec)->data, (count))
void etr_vec_start(etr_arena *arena, void **data, size_t *capacity, size_t element_size,
                   size_t count);

/**
 * Map from strings to uint32, and set of strings at the same time: each distinct key is stored once
 * in the arena.
 */
typedef struct etr_map_slot {
  const char *key; /* lives as long as the arena */
  uint32_t size, hash, value;
} etr_map_slot;

/** The number of texts that etr_intern() cut, and the first one. */
typedef struct etr_cut_names {
  size_t count;
  const char *first;
} etr_cut_names;

/** Returns a hash of bytes, the same in all runs of a program on one machine. */
uint32_t etr_hash(etr_slice key);

typedef struct etr_map {
  etr_arena *arena;
  etr_map_slot *slots; /* power of two */
  size_t count, capacity;
  etr_cut_names cut;
} etr_map;

void etr_map_init(etr_map *map, etr_arena *arena);

/** Returns a key made of a number and a text, in the arena; empty when out of memory. */
etr_slice etr_key_of(etr_arena *arena, uint32_t number, etr_slice text);

/** Returns the value of a key; ETR_NONE if the map does not have it. */
uint32_t etr_map_get(const etr_map *map, etr_slice key);

/** Sets the value of a key and replaces an older value. Returns false when out of memory. */
bool etr_map_set(etr_map *map, etr_slice key, uint32_t value);

/** Returns the slot of a key and adds the key if it is new, with the value ETR_NONE. The slot is
 * valid until the next new key. NULL when out of memory. */
etr_map_slot *etr_map_at(etr_map *map, etr_slice key);

/** Counts a key in its value, and returns how many times it was counted before; 0 also when out of
 * memory, which shows on the map's arena. */
uint32_t etr_map_count(etr_map *map, etr_slice key);

/** Returns the number of a key in a map that only numbers keys: 0 for the first one, and so on.
 * ETR_NONE when out of memory. */
uint32_t etr_map_number(etr_map *map, etr_slice key);

/**
 * Returns the only copy of a text in this map's arena, sanitized like etr_arena_text() does. Equal
 * bytes give the same pointer. A text longer than ETR_MOST_NAME_BYTES is cut between characters,
 * and the map counts it. NULL when out of memory.
 */
enum { ETR_MOST_NAME_BYTES = 64 * 1024 };
const char *etr_intern(etr_map *map, etr_slice bytes);

#endif
