/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arenas, growable arrays, maps, and the cleaning of UTF-8.
 */
#include "base/arena.h"

#include <criterion/criterion.h>
#ifdef ETR_OWN_BLOCKS
#include <sanitizer/asan_interface.h>
#endif
#include <stdalign.h>
#include <stdio.h>

static etr_arena arena;

static void clear(void) {
  etr_arena_clear(&arena);
}

TestSuite(arena, .fini = clear);

Test(arena, blocks_are_zeroed_aligned_and_apart) {
  static const size_t sizes[] = {1, 3, 16, 17, 1000, 16 * 1024, 40000, 64 * 1024, 300000, 8};
  unsigned char *blocks[ETR_COUNT(sizes) * 20];
  for (size_t i = 0; i < ETR_COUNT(blocks); i++) {
    size_t size = sizes[i % ETR_COUNT(sizes)];
    blocks[i] = etr_arena_alloc(&arena, size);
    cr_assert_not_null(blocks[i]);
    cr_expect_eq((uintptr_t)blocks[i] % alignof(max_align_t), 0);
    for (size_t k = 0; k < size; k++)
      cr_assert_eq(blocks[i][k], 0);
    memset(blocks[i], (int)(i + 1), size);
  }
  for (size_t i = 0; i < ETR_COUNT(blocks); i++)
    for (size_t k = 0; k < sizes[i % ETR_COUNT(sizes)]; k++)
      cr_assert_eq(blocks[i][k], (unsigned char)(i + 1));
}

Test(arena, an_empty_block_has_an_address) {
  cr_expect_not_null(etr_arena_alloc(&arena, 0));
  cr_expect_not_null(etr_arena_alloc_array(&arena, 0, 8));
}

#ifdef ETR_OWN_BLOCKS
Test(arena, sanitizers_detect_writes_behind_a_block) {
  static const size_t sizes[] = {0, 1, 7, 16, 1000, 40000};
  for (size_t i = 0; i < ETR_COUNT(sizes); i++) {
    char *block = etr_arena_alloc(&arena, sizes[i]), *raw = etr_arena_alloc_raw(&arena, sizes[i]);
    cr_expect(__asan_address_is_poisoned(block + sizes[i]) &&
                  __asan_address_is_poisoned(raw + sizes[i]),
              "%zu", sizes[i]);
    cr_expect_not(sizes[i] && __asan_address_is_poisoned(block + sizes[i] - 1));
  }
}

Test(arena, elements_are_left_behind_and_have_no_room_to_spare) {
  etr_vec(int) list = {0};
  etr_vec_expect(&arena, &list, 10);
  for (int i = 0; i < 20; i++) {
    const int *before = list.data;
    cr_assert_not_null(etr_vec_push(&arena, &list));
    cr_expect(!before || __asan_address_is_poisoned(before));
    cr_expect(__asan_address_is_poisoned(list.data + list.count));
  }
}
#else
Test(arena, expected_elements_need_no_growth) {
  static const size_t counts[] = {1, 10, 4000, SIZE_MAX};
  for (size_t i = 0; i < ETR_COUNT(counts); i++) {
    etr_vec(uint64_t) numbers = {0};
    etr_vec_expect(&arena, &numbers, counts[i]);
    uint64_t *first = etr_vec_push(&arena, &numbers);
    cr_assert_not_null(first);
    while (numbers.count < counts[i] && numbers.count < 5000)
      cr_assert_not_null(etr_vec_push(&arena, &numbers));
    if (counts[i] < SIZE_MAX)
      cr_expect_eq(numbers.data, first, "%zu", counts[i]);
  }
  etr_vec(uint64_t) none = {0};
  etr_vec_expect(&arena, &none, 0);
  cr_expect_null(none.data);
}
#endif

Test(arena, failure_is_remembered) {
  cr_expect_null(etr_arena_alloc_array(&arena, SIZE_MAX / 2, 3));
  cr_expect(etr_arena_failed(&arena));
  cr_expect_null(etr_arena_alloc(&arena, 1));
  cr_expect_null(etr_arena_copy(&arena, ETR_SLICE("x")));
  etr_arena_clear(&arena);
  cr_expect_not_null(etr_arena_alloc(&arena, 1));
}

Test(arena, a_huge_block_fails) {
  cr_expect_null(etr_arena_alloc(&arena, SIZE_MAX - 8));
}

Test(arena, texts_are_copied_and_formatted) {
  cr_expect_str_eq(etr_arena_copy(&arena, (etr_slice){"abcdef", 3}), "abc");
  cr_expect_str_eq(etr_arena_copy(&arena, (etr_slice){NULL, 0}), "");
  cr_expect_str_eq(etr_arena_format(&arena, "%s-%d", "x", 7), "x-7");
  cr_expect_str_eq(etr_arena_numbered(&arena, "value_", 0), "value_0");
  cr_expect_str_eq(etr_arena_numbered(&arena, "value_", UINT64_MAX), "value_18446744073709551615");
}

Test(arena, names_are_listed_as_in_a_sentence) {
  static const char *const names[] = {"float", "int8", "8da4w"};
  cr_expect_str_eq(etr_arena_list(&arena, names, 1, 1), "float");
  cr_expect_str_eq(etr_arena_list(&arena, names, 2, 2), "float and int8");
  cr_expect_str_eq(etr_arena_list(&arena, names, 3, 3), "float, int8 and 8da4w");
  cr_expect_str_eq(etr_arena_list(&arena, names, 2, 199), "float, int8 and 197 more");
}

#define FFFD "\xEF\xBF\xBD"

Test(arena, utf8_is_cleaned) {
  static const struct {
    etr_slice bytes;
    const char *text;
  } cases[] = {
      {{"plain", 5}, "plain"},
      {{"", 0}, ""},
      {{"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 9}, "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"},
      {{"a\0b", 3}, "a" FFFD "b"},
      {{"\x80", 1}, FFFD},
      {{"\xFF\xFE", 2}, FFFD FFFD},
      {{"\xC0\xAF", 2}, FFFD FFFD},                   /* overlong '/' */
      {{"\xE0\x80\xAF", 3}, FFFD FFFD FFFD},          /* overlong */
      {{"\xF0\x80\x80\xAF", 4}, FFFD FFFD FFFD FFFD}, /* overlong */
      {{"\xED\xA0\x80", 3}, FFFD FFFD FFFD},          /* surrogate */
      {{"\xED\x9F\xBF", 3}, "\xED\x9F\xBF"},          /* just below */
      {{"\xF4\x8F\xBF\xBF", 4}, "\xF4\x8F\xBF\xBF"},  /* U+10FFFF */
      {{"\xF4\x90\x80\x80", 4}, FFFD FFFD FFFD FFFD}, /* above */
      {{"\xE2\x82", 2}, FFFD FFFD},                   /* cut */
      {{"\xE2\x82 x", 4}, FFFD FFFD " x"},
      {{"\xC3", 1}, FFFD},
  };
  etr_map map;
  etr_map_init(&map, &arena);
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    cr_expect_str_eq(etr_arena_text(&arena, cases[i].bytes), cases[i].text, "case %zu", i);
    cr_expect_str_eq(etr_intern(&map, cases[i].bytes), cases[i].text, "case %zu", i);
  }
}

/* A name: `before` bytes, then one character many times. */
static etr_slice long_name(size_t before, const char *character, size_t size) {
  char *text = etr_arena_alloc(&arena, size);
  memset(text, 'a', before);
  for (size_t i = before; i < size; i++)
    text[i] = character[(i - before) % strlen(character)];
  return (etr_slice){text, size};
}

Test(arena, long_names_are_cut_between_characters) {
  enum { MOST = ETR_MOST_NAME_BYTES };
  static const struct {
    size_t before;
    const char *character;
    size_t size, kept, cut;
  } cases[] = {
      {0, "n", MOST, MOST, 0},
      {0, "n", MOST + 1, MOST, 1},
      {0, "\xC3\xA9", MOST + 2, MOST, 1},
      {1, "\xC3\xA9", MOST + 1, MOST - 1, 1},
      {1, "\xE2\x82\xAC", MOST + 1, MOST, 1},
      {2, "\xE2\x82\xAC", MOST + 3, MOST - 2, 1}, /* the limit is not a multiple of the character */
      {1, "\xF0\x9F\x98\x80", MOST + 1, MOST - 3, 1},
      {3, "\xF0\x9F\x98\x80", MOST + 3, MOST - 1, 1},
      {0, "\xF0\x9F\x98\x80", 4 * MOST, MOST, 1},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_map map;
    etr_map_init(&map, &arena);
    etr_slice text = long_name(cases[i].before, cases[i].character, cases[i].size);
    const char *name = etr_intern(&map, text);
    cr_expect_eq(strlen(name), cases[i].kept, "case %zu: %zu", i, strlen(name));
    cr_expect(memcmp(name, text.data, cases[i].kept) == 0, "case %zu", i);
    cr_expect(map.cut.count == cases[i].cut && map.cut.first == (cases[i].cut ? name : NULL),
              "case %zu", i);
    cr_expect(etr_intern(&map, text) == name && map.cut.count == cases[i].cut,
              "case %zu: counted once", i);
  }
}

Test(arena, vectors_keep_what_was_pushed) {
  etr_vec(uint32_t) numbers = {0};
  for (uint32_t i = 0; i < 10000; i++) {
    uint32_t *slot = etr_vec_push(&arena, &numbers);
    cr_assert_not_null(slot);
    cr_assert_eq(*slot, 0);
    *slot = i * 7;
  }
  cr_expect_eq(numbers.count, 10000);
  for (uint32_t i = 0; i < 10000; i++)
    cr_assert_eq(numbers.data[i], i * 7);
}

/* Large blocks move when they grow, and their neighbors must stay reachable. */
Test(arena, large_vectors_grow_in_turn) {
  enum { VECTORS = 5, ELEMENTS = 20000 };
  etr_vec(uint64_t) vectors[VECTORS] = {0};
  for (uint64_t i = 0; i < ELEMENTS; i++)
    for (size_t k = i % 3; k < VECTORS; k++) {
      uint64_t *slot = etr_vec_push(&arena, &vectors[k]);
      cr_assert_not_null(slot);
      *slot = i << 8 | k;
      if (i % 4096 == 0)
        cr_assert_not_null(etr_arena_alloc(&arena, 20000 + i));
    }
  for (size_t k = 0; k < VECTORS; k++) {
    size_t at = 0;
    for (uint64_t i = 0; i < ELEMENTS; i++)
      if (i % 3 <= k)
        cr_assert_eq(vectors[k].data[at++], (i << 8 | k));
    cr_expect_eq(vectors[k].count, at);
  }
}

Test(arena, maps_with_thousands_of_keys) {
  enum { KEYS = 20000 };
  etr_map map;
  char key[64];
  etr_map_init(&map, &arena);
  cr_expect_eq(etr_map_get(&map, ETR_SLICE("x")), ETR_NONE);
  for (uint32_t i = 0; i < KEYS; i++) {
    snprintf(key, sizeof key, "layers.%u.self_attn.q_proj_%u", i % 100, i);
    cr_assert(etr_map_set(&map, etr_slice_of(key), i));
  }
  for (uint32_t i = 0; i < KEYS; i++) {
    snprintf(key, sizeof key, "layers.%u.self_attn.q_proj_%u", i % 100, i);
    cr_assert_eq(etr_map_get(&map, etr_slice_of(key)), i, "%s", key);
  }
  cr_expect_eq(map.count, KEYS);
  cr_expect_eq(etr_map_get(&map, ETR_SLICE("layers.1.self_attn.q_proj_0")), ETR_NONE);
}

Test(arena, map_values_are_replaced_and_keys_are_bytes) {
  static const uint32_t zero = 0, other = 256;
  etr_map map;
  etr_map_init(&map, &arena);
  etr_map_set(&map, ETR_SLICE("a"), 1);
  etr_map_set(&map, ETR_SLICE("a"), 2);
  etr_map_set(&map, (etr_slice){(const char *)&zero, 4}, 3);
  etr_map_set(&map, (etr_slice){"", 0}, 4);
  cr_expect_eq(map.count, 3);
  cr_expect_eq(etr_map_get(&map, ETR_SLICE("a")), 2);
  cr_expect_eq(etr_map_get(&map, (etr_slice){(const char *)&zero, 4}), 3);
  cr_expect_eq(etr_map_get(&map, (etr_slice){(const char *)&other, 4}), ETR_NONE);
  cr_expect_eq(etr_map_get(&map, (etr_slice){"", 0}), 4);
}

Test(arena, equal_texts_are_one_pointer) {
  etr_map map;
  char text[] = "same";
  etr_map_init(&map, &arena);
  const char *first = etr_intern(&map, ETR_SLICE("same"));
  text[0] = 's';
  cr_expect_eq(etr_intern(&map, etr_slice_of(text)), first);
  cr_expect_neq(etr_intern(&map, ETR_SLICE("sam")), first);
  cr_expect_eq(etr_intern(&map, ETR_SLICE("\xFF")), etr_intern(&map, ETR_SLICE(FFFD)),
               "equal once cleaned");
}
