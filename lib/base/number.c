/* SPDX-License-Identifier: BSD-3-Clause
 *
 * number.c - numbers as JSON writes them, in any locale.
 */
#include "base/number.h"

#include "base/shortest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Moves *at past all digits. Returns false if there is none. */
static bool skip_digits(const char **at, const char *end) {
  const char *start = *at;
  while (*at < end && **at >= '0' && **at <= '9')
    ++*at;
  return *at > start;
}

/* Moves *at past a character if it is in the set. Returns whether it was. */
static bool skip_one_of(const char **at, const char *end, etr_slice set) {
  bool found = *at < end && memchr(set.data, **at, set.size);
  if (found)
    ++*at;
  return found;
}

bool etr_is_number(etr_slice text) {
  const char *next = text.data;
  const char *end = text.data + text.size;
  skip_one_of(&next, end, ETR_SLICE("-"));
  if (!skip_one_of(&next, end, ETR_SLICE("0")) && !skip_digits(&next, end))
    return false;
  if (skip_one_of(&next, end, ETR_SLICE(".")) && !skip_digits(&next, end))
    return false;
  if (skip_one_of(&next, end, ETR_SLICE("eE"))) {
    skip_one_of(&next, end, ETR_SLICE("+-"));
    if (!skip_digits(&next, end))
      return false;
  }
  return next == end;
}

/* Returns the number in an exponent such as "e-12"; 0 if the text is empty. Digits
 * after the sixth are ignored, because every such number is 0 or infinite. */
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

/* strtod() expects the locale's decimal point, so it gets a number without one: 125e2 for 12.5e3.
 */
double etr_number_to_double(etr_slice number) {
  char text[ETR_MOST_NUMBER_BYTES + 32];
  const char *next = number.data;
  const char *end = number.data + number.size;
  const char *point = NULL;
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

/* A locale's decimal separator may have several bytes. */
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

/* Writes a number's digits so that they end before `end`, and returns where they start. */
static char *write_digits_before(char *end, uint64_t digits) {
  do {
    *--end = (char)('0' + digits % 10);
    digits /= 10;
  } while (digits > 0);
  return end;
}

/* Writes an exponent with at least two digits, "e-05", and returns where it ends. */
static char *write_exponent(char *next, int exponent) {
  char text[8], *end = text + sizeof text,
                *start = write_digits_before(end, (uint64_t)abs(exponent));
  *next++ = 'e';
  *next++ = exponent < 0 ? '-' : '+';
  if (end - start < 2)
    *next++ = '0';
  memcpy(next, start, (size_t)(end - start));
  return next + (end - start);
}

/* Numbers below 1e-4 and from 1e16 on are written with an exponent, others with zeros. */
size_t etr_number_of_double(char text[ETR_DOUBLE_ROOM], double value) {
  enum { LEAST_EXPONENT = -4, MOST_EXPONENT = 15 }; /* without "e", as in Python */
  char buffer[24], *end = buffer + sizeof buffer, *next = text;
  if (signbit(value))
    *next++ = '-';
  const etr_decimal decimal = etr_shortest(fabs(value));
  const char *digits = write_digits_before(end, decimal.digits);
  int count = (int)(end - digits), point = count + decimal.exponent; /* digits before the point */
  if (decimal.digits > 0 && (point <= LEAST_EXPONENT || point > MOST_EXPONENT + 1)) {
    *next++ = digits[0];
    if (count > 1)
      *next++ = '.';
    memcpy(next, digits + 1, (size_t)count - 1);
    return (size_t)(write_exponent(next + count - 1, point - 1) - text);
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
