/* SPDX-License-Identifier: BSD-3-Clause
 *
 * arena.c - chunked memory, growable arrays, string maps.
 */
#include "base/arena.h"

#include "base/system.h"
#include "base/utf8.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct etr_arena_chunk {
  etr_arena_chunk *next,
      *previous; /* previous: of large ones, which may go before the arena does */
  alignas(max_align_t) char data[];
};

/* Chunks start small, because many arenas hold very little. Blocks larger than LARGE_BYTES have a
 * chunk of their own.
 */
enum { FIRST_CHUNK_BYTES = 2 * 1024, CHUNK_BYTES = 64 * 1024, LARGE_BYTES = CHUNK_BYTES / 4 };
enum { FIRST_CAPACITY = 8, MAP_FIRST = 64, MOST_EXPECTED = 4096 };

/* With this definition, every block has a chunk of its own that ends where the block ends, and
 * short arrays have no spare room. The address sanitizer then finds reads beyond the end, and
 * pointers that are kept across a push. */
#ifdef ETR_OWN_BLOCKS
enum { EXACT_CAPACITY = 256 };
static bool is_large(size_t size) {
  (void)size;
  return true;
}
static size_t next_capacity(size_t capacity) {
  return capacity < EXACT_CAPACITY ? capacity + 1 : capacity * 2;
}
#else
static bool is_large(size_t size) {
  return size > LARGE_BYTES;
}
static size_t next_capacity(size_t capacity) {
  return capacity ? capacity * 2 : FIRST_CAPACITY;
}
#endif

void etr_arena_init(etr_arena *arena) {
  *arena = (etr_arena){0};
}

/* Frees a chunk and all that follow it in its list. */
static void free_chunks(etr_arena_chunk *chunk) {
  for (etr_arena_chunk *next; chunk; chunk = next) {
    next = chunk->next;
    free(chunk);
  }
}

/* Frees all memory of the arena, which may then be used again. */
void etr_arena_clear(etr_arena *arena) {
  free_chunks(arena->chunks);
  free_chunks(arena->large);
  *arena = (etr_arena){0};
}

/* Makes the arena fail for good. Returns NULL, which is also false. */
static void *fail(etr_arena *arena) {
  arena->failed = true;
  return NULL;
}

/* Returns the chunk of a large block, which is the only one in it. */
static etr_arena_chunk *chunk_of(void *block) {
  return (etr_arena_chunk *)(void *)((char *)block - offsetof(etr_arena_chunk, data));
}

/* Makes the neighbors of a large chunk in the list, or the list itself, point to it: it is new or
 * has moved. */
static void relink_large_chunk(etr_arena *arena, etr_arena_chunk *chunk) {
  *(chunk->previous ? &chunk->previous->next : &arena->large) = chunk;
  if (chunk->next)
    chunk->next->previous = chunk;
}

/* Allocates a large block in a chunk of its own, zeroed if `zeroed` is set; NULL when out of
 * memory. It uses calloc(), which knows that new memory of the system is zero, and does not touch
 * its pages. */
static void *alloc_large_block(etr_arena *arena, size_t size, bool zeroed) {
  size_t bytes = sizeof(etr_arena_chunk) + size;
  etr_arena_chunk *chunk = zeroed ? calloc(1, bytes) : malloc(bytes);
  if (!chunk)
    return fail(arena);
  chunk->next = arena->large;
  chunk->previous = NULL;
  relink_large_chunk(arena, chunk);
  return chunk->data;
}

/* Grows a large block, which may move; NULL when out of memory. It uses realloc(), which moves
 * pages instead of copying their bytes where the system can. */
static void *grow_large_block(etr_arena *arena, void *block, size_t size) {
  etr_arena_chunk *chunk = size <= SIZE_MAX / 2 ? realloc(chunk_of(block), sizeof *chunk + size)
                                                : NULL;
  if (!chunk)
    return fail(arena);
  relink_large_chunk(arena, chunk);
  return chunk->data;
}

/* Frees a large block before the arena is cleared, because nothing points to it any more. A block
 * that is not large stays. */
static void release_block(etr_arena *arena, void *block, size_t size) {
  if (!block || !is_large(size))
    return;
  etr_arena_chunk *chunk = chunk_of(block);
  *(chunk->previous ? &chunk->previous->next : &arena->large) = chunk->next;
  if (chunk->next)
    chunk->next->previous = chunk->previous;
  free(chunk);
}

/* Adds a chunk for small blocks, with room for at least `size` bytes. Chunks grow fourfold up to
 * CHUNK_BYTES, so that small arenas take little. Returns false when out of memory. */
static bool add_small_chunk(etr_arena *arena, size_t size) {
  size_t usual_size = arena->chunks ? ETR_MIN((size_t)CHUNK_BYTES, arena->capacity * 4)
                                    : FIRST_CHUNK_BYTES;
  size_t capacity = ETR_MAX(size, usual_size);
  etr_arena_chunk *chunk = malloc(sizeof *chunk + capacity);
  if (!chunk)
    return fail(arena);
  *chunk = (etr_arena_chunk){.next = arena->chunks};
  arena->chunks = chunk;
  arena->used = 0;
  arena->capacity = capacity;
  return true;
}

/* Allocates a small block in the last chunk, or in a new one; NULL when out of memory. Its offset
 * in the chunk is a multiple of `align`, a power of two. Its bytes are not zeroed. */
static inline void *alloc_small_block(etr_arena *arena, size_t size, size_t align) {
  size_t start = (arena->used + align - 1) & ~(align - 1);
  if (start > arena->capacity || size > arena->capacity - start) {
    if (!add_small_chunk(arena, size))
      return NULL;
    start = 0;
  }
  arena->used = start + size;
  return arena->chunks->data + start;
}

void *etr_arena_alloc(etr_arena *arena, size_t size) {
  if (arena->failed || size > SIZE_MAX / 2)
    return fail(arena);
  if (is_large(size))
    return alloc_large_block(arena, size, true);
  void *block = alloc_small_block(arena, ETR_MAX(size, (size_t)1), alignof(max_align_t));
  return block ? memset(block, 0, size) : NULL;
}

/* Allocates memory that is not zeroed; NULL when out of memory. `align` counts for small blocks
 * only. */
static void *alloc_unzeroed(etr_arena *arena, size_t size, size_t align) {
  if (arena->failed || size > SIZE_MAX / 2)
    return fail(arena);
  return is_large(size) ? alloc_large_block(arena, size, false)
                        : alloc_small_block(arena, ETR_MAX(size, (size_t)1), align);
}

void *etr_arena_alloc_raw(etr_arena *arena, size_t size) {
  return alloc_unzeroed(arena, size, alignof(max_align_t));
}

void *etr_arena_alloc_array(etr_arena *arena, size_t count, size_t size) {
  if (size && count > SIZE_MAX / size)
    return fail(arena);
  return etr_arena_alloc(arena, count * size);
}

void *etr_arena_alloc_raw_array(etr_arena *arena, size_t count, size_t size) {
  if (size && count > SIZE_MAX / size)
    return fail(arena);
  return etr_arena_alloc_raw(arena, count * size);
}

char *etr_arena_copy(etr_arena *arena, etr_slice bytes) {
  if (bytes.size == SIZE_MAX)
    return fail(arena);
  char *copy = alloc_unzeroed(arena, bytes.size + 1, 1);
  if (!copy)
    return NULL;
  if (bytes.size)
    memcpy(copy, bytes.data, bytes.size);
  copy[bytes.size] = '\0';
  return copy;
}

/* Returns 0 if all of the 8 bytes at `at` are ASCII and not NUL; else a word in which the highest
 * bit of some byte is set. Subtracting 1 from each byte sets that of a byte that is 0. */
static uint64_t mark_bytes_not_plain(const char *at) {
  uint64_t word;
  memcpy(&word, at, sizeof word);
  return (word | (word - 0x0101010101010101u)) & 0x8080808080808080u;
}

/* Returns true if all bytes are ASCII characters other than NUL. Reads eight bytes at a time; the
 * last eight may overlap those before. */
static bool is_plain_text(etr_slice bytes) {
  uint64_t other_bits = 0;
  size_t i = 0;
  for (; i + 8 <= bytes.size; i += 8)
    other_bits |= mark_bytes_not_plain(bytes.data + i);
  if (bytes.size >= 8)
    return !(other_bits | mark_bytes_not_plain(bytes.data + bytes.size - 8));
  for (; i < bytes.size; i++)
    other_bits |= (bytes.data[i] & 0x80) || bytes.data[i] == 0;
  return !other_bits;
}

/* Each byte that is NUL or not part of a valid character becomes U+FFFD, which has three bytes. */
char *etr_arena_text(etr_arena *arena, etr_slice bytes) {
  if (is_plain_text(bytes))
    return etr_arena_copy(arena, bytes);
  if (bytes.size > SIZE_MAX / 4)
    return fail(arena);
  char *text = etr_arena_alloc_raw(arena, bytes.size * 3 + 1);
  if (!text)
    return NULL;
  char *end = text;
  for (size_t i = 0; i < bytes.size;) {
    size_t length = bytes.data[i] == '\0' ? 0 : etr_utf8_size(bytes.data + i, bytes.size - i);
    memcpy(end, length ? bytes.data + i : "\xEF\xBF\xBD", length ? length : 3);
    end += length ? length : 3;
    i += length ? length : 1;
  }
  *end = '\0';
  return text;
}

char *etr_arena_numbered(etr_arena *arena, const char *prefix, uint64_t number) {
  char digits[20], *end = digits + sizeof digits, *first = end; /* UINT64_MAX has 20 digits */
  do {
    *--first = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  size_t size = strlen(prefix);
  size_t count = (size_t)(end - first);
  char *text = alloc_unzeroed(arena, size + count + 1, 1);
  if (!text)
    return NULL;
  memcpy(text, prefix, size);
  memcpy(text + size, first, count);
  text[size + count] = '\0';
  return text;
}

const char *etr_arena_list(etr_arena *arena, const char *const *names, size_t shown, size_t count) {
  const char *text = names[0];
  for (size_t i = 1; i < shown && text; i++)
    text = etr_arena_format(arena, "%s%s%s", text, i + 1 == count ? " and " : ", ", names[i]);
  if (shown < count && text)
    text = etr_arena_format(arena, "%s and %zu more", text, count - shown);
  return text;
}

char *etr_arena_format(etr_arena *arena, const char *format, ...) {
  char first[256]; /* nearly every text fits: then it is formatted once */
  va_list arguments;
  va_start(arguments, format);
  int size = vsnprintf(first, sizeof first, format, arguments);
  va_end(arguments);
  char *text = size < 0 ? fail(arena) : etr_arena_alloc_raw(arena, (size_t)size + 1);
  if (!text)
    return NULL;
  if ((size_t)size < sizeof first)
    return memcpy(text, first, (size_t)size + 1);
  va_start(arguments, format);
  vsnprintf(text, (size_t)size + 1, format, arguments);
  va_end(arguments);
  return text;
}

/* Doubles the capacity of an array (etr_vec). Returns false when out of memory. A large array has a
 * chunk of its own, which is reallocated; a small one is copied into a new block, and the old one
 * stays unused in the arena. */
bool etr_vec_grow(etr_arena *arena, void **data, size_t *capacity, size_t element_size) {
  size_t new_capacity = next_capacity(*capacity);
  size_t size = *capacity * element_size;
  if (arena->failed || new_capacity > SIZE_MAX / element_size)
    return fail(arena);
  bool was_large = size > 0 && is_large(size);
  void *grown = was_large ? grow_large_block(arena, *data, new_capacity * element_size)
                          : etr_arena_alloc_raw(arena, new_capacity * element_size);
  if (!grown)
    return false;
  if (size > 0 && !was_large)
    memcpy(grown, *data, size);
  *data = grown;
  *capacity = new_capacity;
  return true;
}

/* Gives an empty array (etr_vec) room for `count` elements. The count may come from a damaged file,
 * so that it reserves at most MOST_EXPECTED. It may fail, because the array grows anyway. Nothing
 * is reserved if all blocks are large, as for the address sanitizer, which then finds more. */
void etr_vec_start(etr_arena *arena, void **data, size_t *capacity, size_t element_size,
                   size_t count) {
  count = is_large(0) ? 0 : ETR_MIN(count, (size_t)MOST_EXPECTED);
  if (*capacity || count == 0)
    return;
  *data = etr_arena_alloc_raw(arena, count * element_size);
  if (*data)
    *capacity = count;
}

/* ---- Maps ---- */

void etr_map_init(etr_map *map, etr_arena *arena) {
  *map = (etr_map){.arena = arena};
}

static uint64_t hash_seed, hash_multiplier;

/* Draws the random numbers with which keys are hashed, when the program starts, so that nobody can
 * write a file with many keys that collide. */
__attribute__((constructor)) static void draw_hash_secrets(void) {
  uint64_t drawn[2];
  if (!etr_random(drawn, sizeof drawn)) { /* then from addresses of the program and the time */
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    drawn[0] = (uint64_t)(uintptr_t)&hash_seed ^ (uint64_t)now.tv_nsec << 32;
    drawn[1] = (uint64_t)(uintptr_t)drawn ^ (uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec;
  }
  hash_seed = drawn[0];
  hash_multiplier = drawn[1] | (uint64_t)1 << 63 |
                    1; /* odd and large: no multiplication loses much */
}

__extension__ typedef unsigned __int128 product;

/* Adds 8 bytes of a key to its hash: multiplies by a secret number, and combines both halves of the
 * product. Which keys collide depends on the secret in each step, so that no file can have many of
 * them. */
static uint64_t mix_into_hash(uint64_t hash, uint64_t word) {
  product all = (product)(hash ^ word) * hash_multiplier;
  return (uint64_t)all ^ (uint64_t)(all >> 64);
}

/* Returns the 8 bytes at an address, which need not be aligned, as a number. */
static uint64_t load_u64(const char *at) {
  uint64_t word;
  memcpy(&word, at, sizeof word);
  return word;
}

/* Returns the 4 bytes at an address, which need not be aligned, as a number. */
static uint64_t load_u32(const char *at) {
  uint32_t word;
  memcpy(&word, at, sizeof word);
  return word;
}

/* Returns a word that is different for each key of one to three bytes of one size. */
static uint64_t load_up_to_3_bytes(etr_slice key) {
  const unsigned char *at = (const unsigned char *)key.data;
  return at[0] | (uint64_t)at[key.size / 2] << 8 | (uint64_t)at[key.size - 1] << 16;
}

/* Hashes eight bytes at a time. The last eight may overlap those before, which needs no loop for
 * the rest. */
uint32_t etr_hash(etr_slice key) {
  uint64_t hash = hash_seed + key.size;
  if (key.size == 0)
    return (uint32_t)(hash ^ hash >> 32); /* its data may be null */
  const char *last = key.data + key.size;
  for (size_t at = 0; at + 8 < key.size; at += 8)
    hash = mix_into_hash(hash, load_u64(key.data + at));
  if (key.size >= 8)
    hash = mix_into_hash(hash, load_u64(last - 8));
  else if (key.size >= 4)
    hash = mix_into_hash(hash, load_u32(key.data) | load_u32(last - 4) << 32);
  else
    hash = mix_into_hash(hash, load_up_to_3_bytes(key));
  hash = mix_into_hash(hash, hash_seed);
  return (uint32_t)(hash ^ hash >> 32);
}

/* Returns the slot of a key, whose hash is given, or the free slot where it belongs: the first from
 * the slot of its hash on. The map has free slots. */
static etr_map_slot *find_slot(const etr_map *map, etr_slice key, uint32_t hash) {
  size_t mask = map->capacity - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    etr_map_slot *slot = &map->slots[i];
    if (!slot->key ||
        (slot->hash == hash && etr_slice_equal((etr_slice){slot->key, slot->size}, key)))
      return slot;
  }
}

/* Doubles the slots of a map and moves its entries into them. Returns false when out of memory. */
static bool grow_map(etr_map *map) {
  etr_map grown = {
      .arena = map->arena,
      .count = map->count,
      .capacity = map->capacity ? map->capacity * 2 : MAP_FIRST,
      .cut = map->cut,
  };
  grown.slots = etr_arena_alloc_array(map->arena, grown.capacity, sizeof *grown.slots);
  if (!grown.slots)
    return false;
  for (size_t i = 0; i < map->capacity; i++) {
    const etr_map_slot *slot = &map->slots[i];
    if (slot->key)
      *find_slot(&grown, (etr_slice){slot->key, slot->size}, slot->hash) = *slot;
  }
  release_block(map->arena, map->slots, map->capacity * sizeof *map->slots);
  *map = grown;
  return true;
}

etr_slice etr_key_of(etr_arena *arena, uint32_t number, etr_slice text) {
  char *key = text.size > SIZE_MAX / 2 ? fail(arena)
                                       : etr_arena_alloc_raw(arena, sizeof number + text.size);
  if (!key)
    return (etr_slice){0};
  memcpy(key, &number, sizeof number);
  if (text.size)
    memcpy(key + sizeof number, text.data, text.size);
  return (etr_slice){key, sizeof number + text.size};
}

uint32_t etr_map_get(const etr_map *map, etr_slice key) {
  if (map->count == 0 || key.size > UINT32_MAX)
    return ETR_NONE;
  const etr_map_slot *slot = find_slot(map, key, etr_hash(key));
  return slot->key ? slot->value : ETR_NONE;
}

/* The map grows when three quarters of its slots are used. */
etr_map_slot *etr_map_at(etr_map *map, etr_slice key) {
  if (key.size > UINT32_MAX)
    return fail(map->arena);
  if (map->count * 4 >= map->capacity * 3 && !grow_map(map))
    return NULL;
  uint32_t hash = etr_hash(key);
  etr_map_slot *slot = find_slot(map, key, hash);
  if (!slot->key) {
    const char *copy = etr_arena_copy(map->arena, key);
    if (!copy)
      return NULL;
    *slot = (etr_map_slot){
        .key = copy,
        .size = (uint32_t)key.size,
        .hash = hash,
        .value = ETR_NONE,
    };
    map->count++;
  }
  return slot;
}

bool etr_map_set(etr_map *map, etr_slice key, uint32_t value) {
  etr_map_slot *slot = etr_map_at(map, key);
  if (slot)
    slot->value = value;
  return slot != NULL;
}

uint32_t etr_map_count(etr_map *map, etr_slice key) {
  etr_map_slot *slot = etr_map_at(map, key);
  if (!slot)
    return 0;
  if (slot->value == ETR_NONE)
    slot->value = 0;
  return slot->value++;
}

uint32_t etr_map_number(etr_map *map, etr_slice key) {
  etr_map_slot *slot = etr_map_at(map, key);
  if (slot && slot->value == ETR_NONE)
    slot->value = (uint32_t)map->count - 1;
  return slot ? slot->value : ETR_NONE;
}

/* Returns the start of a name that is longer than ETR_MOST_NAME_BYTES: at most so many bytes,
 * without splitting a character, which has at most four. */
static etr_slice cut_name(etr_slice bytes) {
  size_t size = ETR_MOST_NAME_BYTES;
  for (int i = 1; i < 4 && ((unsigned char)bytes.data[size] & 0xC0) == 0x80; i++)
    size--;
  return (etr_slice){bytes.data, size};
}

/* Returns the map's copy of a text, which is added if it is new, as valid UTF-8 without NUL.
 * Returns NULL when out of memory. */
static const char *intern_whole_text(etr_map *map, etr_slice bytes) {
  if (!is_plain_text(bytes)) {
    const char *text = etr_arena_text(map->arena, bytes);
    if (!text)
      return NULL;
    bytes = etr_slice_of(text);
  }
  const etr_map_slot *slot = etr_map_at(map, bytes);
  return slot ? slot->key : NULL;
}

/* Returns the map's copy of a name, as valid UTF-8; equal names have the same one. NULL when out of
 * memory. A name that is too long is cut, and counted in map->cut, unless what is left of it was
 * known before. */
const char *etr_intern(etr_map *map, etr_slice bytes) {
  if (bytes.size <= ETR_MOST_NAME_BYTES)
    return intern_whole_text(map, bytes);
  size_t count_before = map->count;
  const char *name = intern_whole_text(map, cut_name(bytes));
  if (map->count == count_before && map->cut.first)
    return name;
  if (map->cut.count++ == 0)
    map->cut.first = name;
  return name;
}
