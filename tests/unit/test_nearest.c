/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A mistyped word finds the most similar word only.
 */
#include "base/base.h"
#include "etrecord_tb.h"

#include <criterion/criterion.h>

static const char *nearest(const char *text) {
  static const char *const words[] = {"avg",    "p50",        "share", "summary",
                                      "source", "features.0", "min",   "max"};
  const char *best = NULL;
  for (size_t i = 0; i < ETR_COUNT(words); i++)
    best = etr_nearer_word(text, strlen(text), best, words[i]);
  return best;
}

Test(nearest, the_nearest_word_is_found) {
  static const struct {
    const char *text, *word; /* NULL: no word is similar */
  } cases[] = {
      {"avgg", "avg"},
      {"agv", "avg"},
      {"av", "avg"},
      {"mni", "min"},
      {"sumary", "summary"},
      {"sum", "summary"},
      {"sourec", "source"},
      {"shrae", "share"},
      {"avg", "avg"},
      {"", NULL},
      {"nothing", NULL},
      {"x", NULL},
      {"p5", "p50"},
      {"mox", "max"},
      {"featurez.0", "features.0"},
      {"a_text_that_is_longer_than_any_word_that_is_compared", NULL},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const char *found = nearest(cases[i].text);
    cr_expect(cases[i].word ? found && strcmp(found, cases[i].word) == 0 : !found, "%s: %s",
              cases[i].text, found ? found : "none");
  }
}
