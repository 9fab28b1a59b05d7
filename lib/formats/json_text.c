/* SPDX-License-Identifier: BSD-3-Clause
 *
 * json_text.c - decodes JSON's escapes.
 */
#include "formats/json_text.h"

enum { replacement_character = 0xFFFD };

/* ---- Escapes ---- */

static size_t put_utf8(char *into, uint32_t character) {
  static const uint8_t lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
  size_t size = 1 + (character >= 0x80) + (character >= 0x800) + (character >= 0x10000);
  for (size_t i = size - 1; i > 0; i--, character >>= 6) into[i] = (char)(0x80 | (character & 0x3F));
  into[0] = (char)(lead[size] | character);
  return size;
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  char lower = (char)(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/** Reads \uXXXX; false if that is not what is at `at`. */
static bool read_unit(const char *at, const char *end, uint32_t *unit) {
  if (end - at < 6 || at[0] != '\\' || at[1] != 'u') return false;
  uint32_t value = 0;
  for (int i = 2; i < 6; i++) {
    int digit = hex_digit(at[i]);
    if (digit < 0) return false;
    value = value << 4 | (uint32_t)digit;
  }
  *unit = value;
  return true;
}

static bool is_high_surrogate(uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
static bool is_low_surrogate(uint32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

size_t etr_json_unescape(const char *at, const char *end, char *into, size_t *written) {
  static const char plain[256] = {
      ['"'] = '"', ['\\'] = '\\', ['/'] = '/', ['b'] = '\b', ['f'] = '\f', ['n'] = '\n', ['r'] = '\r', ['t'] = '\t'};
  *written = 1;
  if (end - at >= 2 && (*into = plain[(unsigned char)at[1]])) return 2;
  uint32_t unit, low;
  *written = 0;
  if (!read_unit(at, end, &unit)) return 0;
  if (is_high_surrogate(unit) && read_unit(at + 6, end, &low) && is_low_surrogate(low)) {
    *written = put_utf8(into, 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
    return 12;
  }
  *written = put_utf8(into, is_high_surrogate(unit) || is_low_surrogate(unit) ? replacement_character : unit);
  return 6;
}
