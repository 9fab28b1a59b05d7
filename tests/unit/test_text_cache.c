/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Texts that are repeated in a document get one number.
 */
#include "inputs/text_cache.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* Appends the number of each element, with a '+' before new ones. */
static void number_all(etr_text_cache *cache, etr_json *json, char *out, size_t size) {
  size_t used = 0;
  out[0] = '\0';
  etr_json_array(json);
  while (etr_json_element(json)) {
    bool known;
    uint32_t number = etr_text_cache_next(cache, json, &known);
    if (!known)
      etr_json_skip(json);
    used += (size_t)snprintf(out + used, size - used,
                             number == ETR_NONE ? " -"
                             : known            ? " %u"
                                                : " +%u",
                             (unsigned)number);
  }
  etr_json_end(json);
}

Test(text_cache, equal_elements_share_a_number) {
  static const struct {
    const char *document, *numbers;
  } cases[] = {
      {"[\"a\", \"a\", \"b\", \"a\", \"ab\"]", " +0 0 +1 0 +2"},
      {"[{\"a\": [1]}, {\"a\": [1]}, {\"a\":[1]}, [1], [1, 1], [1]]", " +0 0 +1 +2 +3 2"},
      {"[\"a\", \"b\", \"a\", \"b\", \"bc\", \"a\", \"b\", \"b\"]", " +0 +1 0 1 +2 0 1 1"},
      {"[7, null, \"7\", 7]", " - - +0 -"},
      {"[\"0\", \"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\", \"8\", \"9\", \"0\", \"9\", "
       "\"0\"]",
       " +0 +1 +2 +3 +4 +5 +6 +7 +8 +9 0 9 0"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_text_cache cache;
    char numbers[256];
    etr_text_cache_init(&cache, &arena);
    etr_json *json = etr_json_open_memory(etr_slice_of(cases[i].document), NULL);
    number_all(&cache, json, numbers, sizeof numbers);
    cr_expect_not(etr_json_failed(json), "%s", cases[i].document);
    cr_expect_str_eq(numbers, cases[i].numbers, "%s", numbers);
    etr_json_close(json);
    etr_arena_clear(&arena);
  }
}

/* Neither very long texts nor very many are kept. */
Test(text_cache, long_and_many_texts_are_not_kept) {
  enum { TEXTS = 5000, LONG = 5000 };
  static char document[TEXTS * 10 + 2 * LONG + 64];
  size_t size = (size_t)sprintf(document, "[\"%0*d\", \"%0*d\"", LONG, 1, LONG, 1);
  for (int i = 0; i < TEXTS; i++)
    size += (size_t)sprintf(document + size, ", \"%d\"", i);
  sprintf(document + size, ", \"0\", \"%d\"]", TEXTS - 1);
  etr_arena arena = {0};
  etr_text_cache cache;
  static char numbers[TEXTS * 10];
  etr_text_cache_init(&cache, &arena);
  etr_json *json = etr_json_open_memory(etr_slice_of(document), NULL);
  number_all(&cache, json, numbers, sizeof numbers);
  cr_expect(strncmp(numbers, " - - +0 +1", 10) == 0);
  const char *last = numbers + strlen(numbers) - 4;
  cr_expect_str_eq(last, " 0 -", "%s", last);
  cr_expect_leq(cache.texts.count, 4096);
  etr_json_close(json);
  etr_arena_clear(&arena);
}
