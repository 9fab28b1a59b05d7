/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_text.c - text as TensorBoard's graph tab can show it.
 */
#include "tb_text.h"

#include "plain_run.h"

static const char ellipsis[] = "...";

/* Bytes of the UTF-8 sequence that starts with this one; the profile promises valid UTF-8, but the end of the text is not passed anyway. */
static size_t sequence_length(const char *at, size_t left) {
  size_t length = 1;
  while (length < left && ((unsigned char)at[length] & 0xC0) == 0x80) length++;
  return length;
}

/* What stands for the character at the start of a text; *length tells how many bytes it has there. */
static etr_slice plain_character(const char *at, size_t left, size_t *length) {
  unsigned char c = (unsigned char)*at;
  *length = c < 0x80 ? 1 : sequence_length(at, left);
  if (c == '"' || c == '\'') return ETR_SLICE("`");
  if (c == '\\') return ETR_SLICE("/");
  if (c == '\n') return ETR_SLICE(" | ");
  if (c < ' ' || c == 0x7f) return ETR_SLICE(" ");
  if (c < 0x80) return (etr_slice){at, 1};
  etr_slice character = {at, *length};
  if (etr_slice_is(character, "\xC2\xB5") || etr_slice_is(character, "\xCE\xBC")) return ETR_SLICE("u"); /* the two micro signs */
  return ETR_SLICE("?");
}

etr_slice etr_tb_clean_text(char *room, etr_slice text) {
  const size_t most = ETR_TB_TEXT_ROOM - sizeof ellipsis;
  size_t plain = etr_plain_run(text, '"', '\'', '\\'), size = ETR_MIN(plain, most);
  if (plain == text.size && plain <= most) return text;
  memcpy(room, text.data, size);
  etr_slice rest = {text.data + size, text.size - size};
  while (rest.size > 0) {
    size_t length;
    etr_slice clean = plain_character(rest.data, rest.size, &length);
    if (clean.size > most - size) {
      memcpy(room + size, ellipsis, sizeof ellipsis);
      return (etr_slice){room, size + sizeof ellipsis - 1};
    }
    memcpy(room + size, clean.data, clean.size);
    size += clean.size;
    rest = (etr_slice){rest.data + length, rest.size - length};
  }
  room[size] = '\0';
  return (etr_slice){room, size};
}

/* The page looks for a box's colours by a selector that it makes of the name; of what has a meaning there it escapes only some. Letters, digits, and
 * _ - . , ( ) [ ]: a bit for each character. */
static bool is_name_character(char c) {
  static const uint64_t allowed[] = {0x03FF730000000000, 0x07FFFFFEAFFFFFFE};
  unsigned char byte = (unsigned char)c;
  return byte < 0x80 && (allowed[byte / 64] >> byte % 64 & 1);
}

size_t etr_tb_clean_name(char *to, etr_slice text) {
  static const char library[] = "__function_library__"; /* a prefix with a meaning to the page */
  size_t size = 0;
  for (size_t i = 0; i < text.size && size < ETR_TB_NAME_ROOM - 1;) {
    size_t length = sequence_length(text.data + i, text.size - i);
    to[size++] = is_name_character(text.data[i]) ? text.data[i] : '_';
    i += length;
  }
  if (size == 0) to[size++] = '_';
  to[size] = '\0';
  if (strncmp(to, library, sizeof library - 1) == 0) to[0] = '-';
  return size;
}

static bool is_summary(const char *op, size_t size) {
  static const char suffix[] = "Summary";
  return size >= sizeof suffix - 1 && memcmp(op + size - (sizeof suffix - 1), suffix, sizeof suffix - 1) == 0;
}

size_t etr_tb_clean_op(char *to, etr_slice text) {
  size_t size = etr_tb_clean_name(to, text);
  for (char *c; (c = strstr(to, "Const")) != NULL;) *c = 'c';
  if (is_summary(to, size)) to[size - strlen("Summary")] = 's';
  if (strcmp(to, "NoOp") == 0) to[0] = 'n';
  return size;
}
