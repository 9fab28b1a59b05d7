/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nearest.c - finds the word that a mistyped one probably means.
 */
#include "base/base.h"
#include "etrecord_tb.h"

enum { LONGEST = 32 }; /* letters; longer words are not compared */

/* Returns the number of letters to leave out, insert, change or swap with a neighbor to get from a
 * to b: the edit distance of Damerau and Levenshtein, without edits inside swapped letters. Of
 * the table of distances between beginnings only three rows are kept, as swapping looks back two.
 */
static size_t edit_distance(const char *a, size_t a_size, const char *b, size_t b_size) {
  size_t rows[3][LONGEST + 1];
  for (size_t j = 0; j <= b_size; j++)
    rows[0][j] = j;
  for (size_t i = 1; i <= a_size; i++) {
    size_t *row = rows[i % 3], *before = rows[(i - 1) % 3], *two_before = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= b_size; j++) {
      size_t left_out_or_inserted = ETR_MIN(before[j], row[j - 1]) + 1;
      size_t kept_or_changed = before[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = ETR_MIN(left_out_or_inserted, kept_or_changed);
      bool is_swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swapped)
        row[j] = ETR_MIN(row[j], two_before[j - 2] + 1);
    }
  }
  return rows[a_size % 3][b_size];
}

/* Returns the largest edit distance at which a word of `size` letters is taken for a mistyped other
 * one. A short word has many neighbors at distance 2, of which none need be meant. */
static size_t largest_similar_distance(size_t size) {
  if (size < 4)
    return 1;
  return size < 9 ? 2 : 3;
}

/* Returns the edit distance between a text and a word; 0 if the text has at least 3 letters and
 * begins the word; SIZE_MAX if the distance is above the limit for that length, or if one of the
 * two is missing or too long. */
static size_t word_distance(const char *text, size_t size, const char *word) {
  if (!word || size == 0)
    return SIZE_MAX;
  size_t length = strlen(word);
  if (size >= 3 && strncmp(word, text, size) == 0)
    return 0;
  if (size > LONGEST || length > LONGEST)
    return SIZE_MAX;
  size_t distance = edit_distance(text, size, word, length);
  return distance > largest_similar_distance(size) ? SIZE_MAX : distance;
}

const char *etr_nearer_word(const char *text, size_t size, const char *best, const char *word) {
  size_t of_best = word_distance(text, size, best), of_word = word_distance(text, size, word);
  if (of_word < of_best)
    return word;
  return of_best < SIZE_MAX ? best : NULL;
}
