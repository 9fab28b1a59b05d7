/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_shell_words.c - command lines as a shell splits them, and command lines with an open quote.
 */
#include "bench/program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes each word in brackets: "[a][b c]". */
static void join(char room[256], const char *const *words) {
  size_t used = 0;
  room[0] = '\0';
  for (; *words != NULL; words++)
    used += (size_t)snprintf(room + used, 256 - used, "[%s]", *words);
}

static void expect_words(const char *line, const char *expected) {
  char found[256];
  const char *problem;
  const char **words = program_words(line, &problem);
  cr_assert(words != NULL && problem == NULL, "%s: %s", line, problem);
  join(found, words);
  cr_expect_str_eq(found, expected, "%s", line);
  free(words);
}

static void expect_problem(const char *line, const char *expected) {
  const char *problem = NULL;
  cr_expect(program_words(line, &problem) == NULL, "%s", line);
  cr_assert(problem != NULL);
  cr_expect_str_eq(problem, expected, "%s", line);
}

Test(shell_words, blanks_separate_words) {
  expect_words("", "");
  expect_words(" \t\n ", "");
  expect_words("a", "[a]");
  expect_words("  ./runner\t--model_path  m.pte\n", "[./runner][--model_path][m.pte]");
}

Test(shell_words, quotes_keep_blanks) {
  expect_words("a 'b c' d", "[a][b c][d]");
  expect_words("a \"b c\" d", "[a][b c][d]");
  expect_words("--name='b c'\"d e\"f", "[--name=b cd ef]");
  expect_words("'' \"\" x''", "[][][x]");
  expect_words("'a\"b' \"a'b\"", "[a\"b][a'b]");
  expect_words("'a\\'b", "[a\\b]");
  expect_words("'a\nb'", "[a\nb]");
}

Test(shell_words, a_backslash_keeps_the_next_character) {
  expect_words("a\\ b \\\\ \\'c \\\"d \\n", "[a b][\\]['c][\"d][n]");
  expect_words("\"\\\\ \\\" \\$ \\` \\n \\'\"", "[\\ \" $ ` \\n \\']");
  expect_words("a\\\nb \"c\\\nd\"", "[ab][cd]");
  expect_words("a \\\n b", "[a][b]");
  expect_words("a \\\n", "[a]");
}

Test(shell_words, nothing_is_expanded) {
  expect_words("$HOME `id` $(id) ~ * ? [a-z] {a,b} # !",
               "[$HOME][`id`][$(id)][~][*][?][[a-z]][{a,b}][#][!]");
  expect_words("a|b && c; d > e 2>&1 &", "[a|b][&&][c;][d][>][e][2>&1][&]");
  expect_words("sh -c 'cd x && ./run > log'", "[sh][-c][cd x && ./run > log]");
}

Test(shell_words, many_words_are_read) {
  enum { WORDS = 5000 };
  char *line = calloc(2 * WORDS + 1, 1);
  const char *problem;
  size_t count = 0;
  cr_assert(line != NULL);
  for (size_t i = 0; i < WORDS; i++)
    memcpy(line + 2 * i, "x ", 2);
  line[2 * WORDS - 1] = '\0';
  const char **words = program_words(line, &problem);
  cr_assert(words != NULL);
  while (words[count] != NULL)
    cr_assert_str_eq(words[count++], "x");
  cr_expect_eq(count, WORDS);
  free(words);
  free(line);
}

Test(shell_words, an_open_quote_is_refused) {
  expect_problem("'", "a quote is not closed");
  expect_problem("a 'b c", "a quote is not closed");
  expect_problem("a \"b", "a quote is not closed");
  expect_problem("a \"b\\\"", "a quote is not closed");
  expect_problem("\"a\\", "a quote is not closed");
  expect_problem("a \\", "it ends with a backslash");
}
