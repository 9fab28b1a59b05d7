/* SPDX-License-Identifier: BSD-3-Clause
 *
 * natural.c - numbers inside of names, compared by their size.
 */
#include "base/natural.h"

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* Returns digits without the zeros at their start. */
static etr_slice without_leading_zeros(etr_slice digits) {
  while (digits.size > 0 && digits.data[0] == '0')
    digits = etr_slice_after(digits, 1);
  return digits;
}

int etr_compare_digits(etr_slice a, etr_slice b) {
  etr_slice x = without_leading_zeros(a);
  etr_slice y = without_leading_zeros(b);
  if (x.size != y.size)
    return x.size < y.size ? -1 : 1;
  return x.size > 0 ? memcmp(x.data, y.data, x.size) : 0;
}

/* Compares the numbers with which both texts begin, and moves both past them. */
static int compare_leading_numbers(const char **x, const char **y) {
  etr_slice a = {*x, strspn(*x, "0123456789")};
  etr_slice b = {*y, strspn(*y, "0123456789")};
  *x += a.size;
  *y += b.size;
  return etr_compare_digits(a, b);
}

/* Texts that differ only in zeros before a number are compared once more, character by character.
 */
int etr_natural_compare(const char *a, const char *b) {
  const char *x = a, *y = b;
  int compared = 0;
  while (compared == 0 && *x != '\0' && *y != '\0') {
    if (is_digit(*x) && is_digit(*y))
      compared = compare_leading_numbers(&x, &y);
    else
      compared = (unsigned char)*x++ - (unsigned char)*y++;
  }
  if (compared == 0)
    compared = (*x != '\0') - (*y != '\0');
  return compared ? compared : strcmp(a, b);
}
