/* SPDX-License-Identifier: BSD-3-Clause
 *
 * number.c - numbers as JSON writes them, in any locale.
 */
#include "base/number.h"

#include "base/shortest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool take_digits(const char **at, const char *end) {
  const char *start = *at;
  while (*at < end && **at >= '0' && **at <= '9')
    ++*at;
  return *at > start;
}

static bool take_one_of(const char **at, const char *end, etr_slice set) {
  bool found = *at < end && memchr(set.data, **at, set.size);
  if (found)
    ++*at;
  return found;
}

/* Returns whether a text is a number as JSON writes them. */
bool etr_is_number(etr_slice text) {
  const char *next = text.data, *end = text.data + text.size;
  take_one_of(&next, end, ETR_SLICE("-"));
  if (!take_one_of(&next, end, ETR_SLICE("0")) && !take_digits(&next, end))
    return false;
  if (take_one_of(&next, end, ETR_SLICE(".")) && !take_digits(&next, end))
    return false;
  if (take_one_of(&next, end, ETR_SLICE("eE"))) {
    take_one_of(&next, end, ETR_SLICE("+-"));
    if (!take_digits(&next, end))
      return false;
  }
  return next == end;
}

/* Returns the exponent of "e-12"; 0 for "". An exponent so large that more of it makes no
 * difference is cut. */
static long parse_exponent(const char *next, const char *end) {
  if (next == end)
    return 0;
  long value = 0;
  bool negative = *++next == '-';
  for (next += negative || *next == '+'; next < end; next++)
    if (value < 100000)
      value = value * 10 + (*next - '0');
  return negative ? -value : value;
}

/* Converts a number. strtod() expects the locale's decimal point, so it gets a number without one:
 * 125e2 for 12.5e3. */
double etr_number_to_double(etr_slice number) {
  char text[ETR_MOST_NUMBER_BYTES + 32];
  const char *next = number.data, *end = number.data + number.size, *point = NULL;
  size_t used = 0;
  for (; next < end && *next != 'e' && *next != 'E'; next++) {
    if (*next == '.')
      point = next;
    else
      text[used++] = *next;
  }
  long fraction = point ? (long)(next - point) - 1 : 0;
  snprintf(text + used, sizeof text - used, "e%ld", parse_exponent(next, end) - fraction);
  return strtod(text, NULL);
}

/* Replaces the decimal point of any locale in what printf() wrote by a dot, and returns the new
 * size. */
size_t etr_number_without_locale(char *text) {
  char *point = text + strspn(text, "+-0123456789eE");
  if (*point == '\0')
    return (size_t)(point - text);
  const char *rest = point + strcspn(point, "0123456789");
  size_t size = strlen(rest);
  *point = '.';
  memmove(point + 1, rest, size);
  return (size_t)(point + 1 - text) + size;
}

/* Writes digits before `end`, and returns where they start. */
static char *digits_before(char *end, uint64_t digits) {
  do {
    *--end = (char)('0' + digits % 10);
    digits /= 10;
  } while (digits > 0);
  return end;
}

/* Writes an exponent with at least two digits, "e-05", and returns where it ends. */
static char *put_exponent(char *next, int exponent) {
  char text[8], *end = text + sizeof text, *start = digits_before(end, (uint64_t)abs(exponent));
  *next++ = 'e';
  *next++ = exponent < 0 ? '-' : '+';
  if (end - start < 2)
    *next++ = '0';
  memcpy(next, start, (size_t)(end - start));
  return next + (end - start);
}

/* Writes a number with the fewest digits that read back as the same one, as Python does, and
 * returns the size. */
size_t etr_number_of_double(char text[ETR_DOUBLE_ROOM], double value) {
  enum { LEAST_EXPONENT = -4, MOST_EXPONENT = 15 }; /* without "e", as in Python */
  char buffer[24], *end = buffer + sizeof buffer, *next = text;
  if (signbit(value))
    *next++ = '-';
  const etr_decimal decimal = etr_shortest(fabs(value));
  const char *digits = digits_before(end, decimal.digits);
  int count = (int)(end - digits), point = count + decimal.exponent; /* digits before the point */
  if (decimal.digits > 0 && (point <= LEAST_EXPONENT || point > MOST_EXPONENT + 1)) {
    *next++ = digits[0];
    if (count > 1)
      *next++ = '.';
    memcpy(next, digits + 1, (size_t)count - 1);
    return (size_t)(put_exponent(next + count - 1, point - 1) - text);
  }
  if (point <= 0) {
    memcpy(next, "0.0000", 6);
    next += 2 - point;
    memcpy(next, digits, (size_t)count);
    return (size_t)(next + count - text);
  }
  int whole = point < count ? point : count;
  memcpy(next, digits, (size_t)whole);
  next += whole;
  for (int i = count; i < point; i++)
    *next++ = '0';
  if (whole < count)
    *next++ = '.';
  memcpy(next, digits + whole, (size_t)(count - whole));
  return (size_t)(next + (count - whole) - text);
}
