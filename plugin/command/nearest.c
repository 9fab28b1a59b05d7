/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nearest.c - distance of words: letters left out, put in, changed, or swapped with a neighbour.
 */
#include "nearest.h"

#include <stdbool.h>
#include <string.h>

enum { LONGEST = 32 };

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Of the table of distances between beginnings only three rows are kept: swapping looks back two. */
static size_t distance(const char *a, size_t a_size, const char *b, size_t b_size) {
  size_t rows[3][LONGEST + 1];
  for (size_t j = 0; j <= b_size; j++) rows[0][j] = j;
  for (size_t i = 1; i <= a_size; i++) {
    size_t *row = rows[i % 3], *before = rows[(i - 1) % 3], *two_before = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= b_size; j++) {
      row[j] = smaller(smaller(before[j], row[j - 1]) + 1, before[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = smaller(row[j], two_before[j - 2] + 1);
    }
  }
  return rows[a_size % 3][b_size];
}

/* Short words are near only if one letter differs: otherwise every word of three letters is near another. */
static size_t limit(size_t size) { return size < 4 ? 1 : size < 9 ? 2 : 3; }

void nearest_try(nearest *n, const char *word) {
  size_t size = strlen(word);
  if (n->size == 0 || n->size > LONGEST || size > LONGEST) return;
  bool begins = n->size >= 3 && strncmp(word, n->text, n->size) == 0;
  size_t found = begins ? 0 : distance(n->text, n->size, word, size);
  if (found > limit(n->size) || (n->best && found >= n->distance)) return;
  n->best = word;
  n->distance = found;
}
