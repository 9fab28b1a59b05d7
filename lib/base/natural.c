/* SPDX-License-Identifier: BSD-3-Clause
 *
 * natural.c - numbers inside of names, compared by their size.
 */
#include "base/natural.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* Skips the numbers that both begin with, if they are equal; numbers of any length. */
static int compare_numbers(const char **x, const char **y) {
  *x += strspn(*x, "0");
  *y += strspn(*y, "0");
  size_t x_size = strspn(*x, "0123456789"), y_size = strspn(*y, "0123456789");
  int order = x_size == y_size ? memcmp(*x, *y, x_size) : (x_size > y_size) - (x_size < y_size);
  *x += x_size;
  *y += y_size;
  return order;
}

int etr_natural_compare(const char *a, const char *b) {
  const char *x = a, *y = b;
  int order = 0;
  while (order == 0 && *x != '\0' && *y != '\0') {
    if (is_digit(*x) && is_digit(*y))
      order = compare_numbers(&x, &y);
    else
      order = (unsigned char)*x++ - (unsigned char)*y++;
  }
  if (order == 0)
    order = (*x != '\0') - (*y != '\0');
  return order ? order : strcmp(a, b);
}
