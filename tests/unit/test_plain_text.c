/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Text for a terminal: replaced characters, width, cutting and wrapping.
 */
#include "output/plain_text.h"

#include "etrecord_tb.h"

#include <criterion/criterion.h>

typedef struct output {
  etr_arena arena;
  etr_text text;
  etr_writer writer;
} output;

static etr_writer *start(output *out, bool ascii, bool color) {
  *out = (output){0};
  etr_text_begin(&out->text, &out->arena, &out->writer);
  etr_writer_look(&out->writer, ascii, color);
  return &out->writer;
}

static void expect_end(output *out, const char *expected) {
  const char *written = etr_text_end(&out->text, &out->writer);
  cr_expect_str_eq(written, expected);
  etr_arena_clear(&out->arena);
}

Test(plain_text, control_characters_are_replaced) {
  static const struct {
    const char *text, *plain;
  } cases[] = {
      {"", ""},
      {"a\nb\tc", "a?b?c"},
      {"\033[31mred", "?[31mred"},
      {"a\xC2\x9B"
       "31m",
       "a?31m"}, /* CSI as one character */
      {"name\xE2\x80\xAE"
       "txt",
       "name?txt"}, /* right-to-left override */
      {"a\xE2\x81\xA6"
       "b",
       "a?b"}, /* an isolate */
      {"gr\xC3\xBC\xC3\x9F"
       "e",
       "gr\xC3\xBC\xC3\x9F"
       "e"},
      {"\xE6\xA8\xA1\xE5\x9E\x8B", "\xE6\xA8\xA1\xE5\x9E\x8B"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    output out;
    etr_put_sanitized(start(&out, false, false), cases[i].text);
    cr_expect_str_eq(etr_sanitized_copy(&out.arena, cases[i].text), cases[i].plain,
                     "copy of case %zu", i);
    expect_end(&out, cases[i].plain);
  }
}

static bool append(void *context, const void *data, size_t size) {
  return strncat(context, data, size) != NULL;
}

static bool refuse(void *context, const void *data, size_t size) {
  (void)context;
  (void)data;
  (void)size;
  return false;
}

Test(plain_text, invalid_utf8_is_replaced) {
  static const struct {
    const char *text, *plain;
  } cases[] = {
      {"", ""},
      {"a\nb", "a?b"},
      {"gr\xC3\xBC\xC3\x9F", "gr\xC3\xBC\xC3\x9F"},
      {"\xE2\x80\xAEx", "?x"},
      {"\xC3x", "?x"},                   /* cut short */
      {"\xC3", "?"},                     /* at the end */
      {"\x80\xBFx", "??x"},              /* no first byte */
      {"\xC0\xAF\xE0\x80\xAF", "?????"}, /* overlong */
      {"\xED\xA0\x80", "???"},           /* a surrogate */
      {"\xF4\x90\x80\x80", "????"},      /* above U+10FFFF */
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    char written[32] = "";
    cr_expect(etr_write_plain(&(etr_sink){append, written}, cases[i].text), "case %zu", i);
    cr_expect_str_eq(written, cases[i].plain, "case %zu", i);
  }
  cr_expect(!etr_write_plain(&(etr_sink){refuse, NULL}, "a"));
}

Test(plain_text, text_is_cut_to_its_width) {
  static const struct {
    const char *text;
    size_t width, room;
    const char *cut;
    bool ascii;
  } cases[] = {
      {"abcdef", 6, 6, "abcdef", false},
      {"abcdef", 6, 5,
       "ab\xE2\x80\xA6"
       "ef",
       false},
      {"abcdef", 6, 4,
       "ab\xE2\x80\xA6"
       "f",
       false},
      {"abcdef", 6, 1, "\xE2\x80\xA6", false},
      {"abcdef", 6, 0, "", false},
      {"abcdefgh", 8, 7, "ab...gh", true},
      {"abcdefgh", 8, 2, "..", true},
      {"\xE6\xA8\xA1\xE5\x9E\x8B\xE6\xA8\xA1", 6, 5, "\xE6\xA8\xA1\xE2\x80\xA6\xE6\xA8\xA1",
       false}, /* two columns each */
      {"\xE6\xA8\xA1\xE5\x9E\x8B\xE6\xA8\xA1", 6, 4, "\xE6\xA8\xA1\xE2\x80\xA6",
       false},                                 /* the next one does not fit */
      {"e\xCC\x81", 1, 1, "e\xCC\x81", false}, /* an accent has no width */
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    output out;
    etr_writer *writer = start(&out, cases[i].ascii, false);
    cr_expect_eq(etr_plain_width(writer, cases[i].text), cases[i].width, "width of case %zu", i);
    size_t took = etr_put_cut(writer, cases[i].text, cases[i].room, ETR_CUT_MIDDLE);
    cr_expect_leq(took, cases[i].room, "case %zu", i);
    cr_expect_eq(took, etr_plain_width(writer, cases[i].cut), "case %zu: %zu", i, took);
    expect_end(&out, cases[i].cut);
  }
}

/* The first and the last characters that take two columns or none, and their neighbors. */
Test(plain_text, characters_have_their_terminal_width) {
  static const struct {
    const char *before, *first, *last, *after;
    size_t width, around;
  } cases[] = {
      {"\u02FF", "\u0300", "\u036F", "\u0370", 0, 1},
      {"\u20CF", "\u20D0", "\u20FF", "\u2100", 0, 1},
      {"\uFDFF", "\uFE00", "\uFE0F", "\uFE10", 0, 1},
      {"\u10FF", "\u1100", "\u115F", "\u1160", 2, 1},
      {"\u2E7F", "\u2E80", "\u303E", "\u303F", 2, 1},
      {"\u3040", "\u3041", "\uA4CF", "\uA4D0", 2, 1},
      {"\uABFF", "\uAC00", "\uD7A3", "\uD7A4", 2, 1},
      {"\uF8FF", "\uF900", "\uFAFF", "\uFB00", 2, 1},
      {"\uFE2F", "\uFE30", "\uFE6F", "\uFE70", 2, 1},
      {"\uFEFE", "\uFF00", "\uFF60", "\uFF61", 2, 1},
      {"\uFFDF", "\uFFE0", "\uFFE6", "\uFFE7", 2, 1},
      {"\U0001F2FF", "\U0001F300", "\U0001F64F", "\U0001F650", 2, 1},
      {"\U0001F8FF", "\U0001F900", "\U0001F9FF", "\U0001FA00", 2, 1},
      {"\U0001FFFF", "\U00020000", "\U0003FFFD", "\U0003FFFE", 2, 1},
  };
  etr_writer writer = {0};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    cr_expect_eq(etr_plain_width(&writer, cases[i].before), cases[i].around, "before case %zu", i);
    cr_expect_eq(etr_plain_width(&writer, cases[i].first), cases[i].width, "first of case %zu", i);
    cr_expect_eq(etr_plain_width(&writer, cases[i].last), cases[i].width, "last of case %zu", i);
    cr_expect_eq(etr_plain_width(&writer, cases[i].after), cases[i].around, "after case %zu", i);
  }
  writer.ascii = true;
  cr_expect_eq(etr_plain_width(&writer, "\uAC00\u0300"), 2); /* a replacement each */
}

Test(plain_text, text_is_cut_at_the_start) {
  static const struct {
    const char *text;
    size_t room;
    const char *cut;
    bool ascii;
  } cases[] = {
      {"layers.0.attention", 18, "layers.0.attention", false},
      {"layers.0.attention", 12,
       "\xE2\x80\xA6"
       "0.attention",
       false},
      {"layers.0.attention", 12, "...attention", true},
      {"layers.0.attention", 1, "\xE2\x80\xA6", false},
      {"\xE6\xA8\xA1\xE5\x9E\x8B\xE6\xA8\xA1", 4, "\xE2\x80\xA6\xE6\xA8\xA1",
       false}, /* half of a wide character does not fit */
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    output out;
    etr_writer *writer = start(&out, cases[i].ascii, false);
    cr_expect_eq(etr_put_cut(writer, cases[i].text, cases[i].room, ETR_CUT_START),
                 etr_plain_width(writer, cases[i].cut), "case %zu", i);
    expect_end(&out, cases[i].cut);
  }
}

Test(plain_text, lines_are_wrapped) {
  static const struct {
    const char *text;
    size_t indent, width;
    const char *lines;
  } cases[] = {
      {"", 2, 50, ""},
      {"one two", 2, 50, "  one two\n"},
      {"  one  two ", 0, 50, "one  two \n"},
      {"aaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbbb cc", 0, 40,
       "aaaaaaaaaaaaaaaaaaaa\nbbbbbbbbbbbbbbbbbbbb cc\n"},
      {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa b", 0, 40,
       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\naaaa b\n"},
      {"a\nb", 1, 80, " a?b\n"},
      {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 0.2 ms b", 0, 40,
       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n0.2 ms b\n"}, /* the number keeps its unit */
      {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bbbb", 10, 20,
       "          aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n          bbbb\n"}, /* at least 40 */
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    output out;
    etr_put_wrapped(start(&out, false, false), ETR_STYLE_DIM, cases[i].text, cases[i].indent,
                    cases[i].width);
    expect_end(&out, cases[i].lines);
  }
}

Test(plain_text, wrapped_lines_keep_their_style) {
  output out;
  etr_put_wrapped(start(&out, false, true), ETR_STYLE_DIM,
                  "aaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbbb cc", 1, 40);
  expect_end(&out, " \033[2maaaaaaaaaaaaaaaaaaaa\033[0m\n \033[2mbbbbbbbbbbbbbbbbbbbb cc\033[0m\n");
}

Test(plain_text, ascii_replaces_other_characters) {
  output out;
  etr_writer *writer = start(&out, true, false);
  etr_puts(writer, "a \xC2\xB7 3.5\xC3\x97 \xE2\x96\x88\xE2\x96\x88 \xE2\x80\xA6 ");
  etr_put(writer, (etr_slice){"\xC3", 1}); /* byte by byte */
  etr_put(writer, (etr_slice){"\xA9", 1});
  etr_puts(writer, "\xF0\x9F\x98\x80.");
  expect_end(&out, "a - 3.5x ## ... ??.");
}

Test(plain_text, styles_only_with_color) {
  for (int color = 0; color < 2; color++) {
    output out;
    etr_writer *writer = start(&out, false, color == 1);
    etr_put_style(writer, ETR_STYLE_BOLD);
    etr_puts(writer, "a");
    etr_put_style(writer, ETR_STYLE_PLAIN);
    expect_end(&out, color ? "\033[1ma\033[0m" : "a");
  }
}

Test(plain_text, a_reader_without_colors_gets_none) {
  output out;
  etr_writer *writer = start(&out, false, false);
  etr_put_style(writer, ETR_STYLE_HOT);
  etr_puts(writer, "\xC2\xB7");
  expect_end(&out, "\xC2\xB7");
}
