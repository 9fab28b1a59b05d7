/* SPDX-License-Identifier: BSD-3-Clause
 *
 * manual.c - a program that the build runs: `make_manual FOLDER OUT VERSION DATE GUIDE.md...`. It
 * writes into the folder OUT a manual page of section 1 for each command, a page of section 7 for
 * each guide, and the completions, which it makes from FOLDER/completion.
 */
#include "command/option_table.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

/* ---- Manual pages: roff with the macros of man(7) ---- */

/* Lines of the roff source are broken after this many columns, because linters of roff complain
 * about long lines. */
enum { LINE = 60 };

/* ---- Text ---- */

/* Writes the first `size` bytes of a text with the escapes that roff needs. */
static void put_characters(FILE *out, const char *text, size_t size) {
  static const char *const escapes[0x80] = {['\\'] = "\\e",  ['-'] = "\\-",   ['\''] = "\\(aq",
                                            ['^'] = "\\(ha", ['~'] = "\\(ti", ['"'] = "\\(dq"};
  size_t step;
  for (const char *at = text; at < text + size; at += step) {
    uint32_t character = etr_character_at(at, &step);
    if (character >= 0x80)
      fprintf(out, "\\[u%04X]", character);
    else if (escapes[character])
      fputs(escapes[character], out);
    else
      fputc(*at, out);
  }
}

/* Writes a word for roff; each backtick switches between bold and roman. *is_bold keeps the state
 * between words. */
static void put_word(FILE *out, const char *word, size_t size, bool *is_bold) {
  if (word[0] == '.')
    fputs("\\&", out);
  for (size_t position = 0; position < size;) {
    size_t plain = 0;
    while (position + plain < size && word[position + plain] != '`')
      plain++;
    put_characters(out, word + position, plain);
    position += plain;
    if (position == size)
      break;
    *is_bold = !*is_bold;
    fputs(*is_bold ? "\\fB" : "\\fR", out);
    position++;
  }
}

/* Writes a text for roff: `code` in bold, one paragraph for each line, and a line break after each
 * sentence and before a line becomes too long. */
static void put_text(FILE *out, const char *text) {
  bool bold = false;
  size_t column = 0;
  for (size_t size; *text; text += size + (text[size] == ' ')) {
    size = strcspn(text, " \n");
    if (size == 0) {
      fputs("\n.PP\n", out);
      column = 0;
      text++;
      continue;
    }
    if (column > 0 && (column + size > LINE || (text[-2] == '.' && column > 1))) {
      fputc('\n', out);
      column = 0;
    } else if (column > 0) {
      fputc(' ', out);
    }
    put_word(out, text, size, &bold);
    column += size + 1;
  }
  fputc('\n', out);
}

static void put_heading(FILE *out, const char *heading) {
  fprintf(out, ".SH %s\n", heading);
}

/* ---- Sections ---- */

/* The release that the pages describe. */
typedef struct release {
  const char *version, *date;
} release;

/* Writes the head of a page: a comment on its origin, its title line with section, date and
 * version, and its name with a summary. */
static void put_title(FILE *out, const char *command, int section, const char *summary,
                      const release *built) {
  fprintf(out, ".\\\" Generated: %s.\n.TH ETRECORD\\-TB",
          section == 1 ? "see option_table.c and commands.c" : "see docs");
  for (const char *c = command; *c; c++)
    fputc(*c == '-' ? '-' : *c - 'a' + 'A', out);
  fprintf(out, " %d %s \"etrecord\\-tb %s\" \"%s\"\n.nh\n.ad l\n", section, built->date,
          built->version, section == 1 ? "User Commands" : "Guides");
  put_heading(out, "NAME");
  fprintf(out, "etrecord\\-tb%s%s \\-\n", command[0] ? "\\" : "", command);
  put_text(out, summary);
}

/* Writes how a command is called: options before "-- ARGUMENTS" for a command that runs a program,
 * else after the arguments. */
static void put_synopsis(FILE *out, const char *command, const char *arguments,
                         bool has_options_first) {
  put_heading(out, "SYNOPSIS");
  fprintf(out, "\\fBetrecord\\-tb\\fR %s%s", command, command[0] ? " " : "");
  if (has_options_first)
    fprintf(out, "[\\fIoptions\\fR] \\-\\-\\fI%s\\fR\n", arguments + strlen("--"));
  else
    fprintf(out, "\\fI%s\\fR [\\fIoptions\\fR]\n", arguments);
}

/* Writes the words that an option takes, "(op, module)" for "op|module", on lines that are short
 * enough for any formatter. */
static void put_words(FILE *out, const char *words) {
  enum { MOST_ON_A_LINE = 70 };
  size_t column = 1;
  fputs("(", out);
  for (const char *letter = words; *letter; letter++, column++) {
    bool ends_line = *letter == '|' && column + strcspn(letter + 1, "|") > MOST_ON_A_LINE;
    if (*letter != '|')
      fputc(*letter, out);
    else
      fputs(ends_line ? ",\n" : ", ", out);
    column = ends_line ? 0 : column + (*letter == '|');
  }
  fputs(")\n", out);
}

/* Writes the options of a command with their help and words, or with NULL those that every command
 * has. */
static void put_options(FILE *out, const cli_command *command) {
  option_spec shown, *const spec = &shown;
  put_heading(out, "OPTIONS");
  for (size_t i = 0; option_table_shown(&shown, i); i++) {
    if (!option_table_has(spec, command))
      continue;
    fputs(".TP\n", out);
    if (spec->letter)
      fprintf(out, "\\fB\\-%c\\fR, ", spec->letter);
    fputs("\\fB\\-\\-", out);
    put_characters(out, spec->name, strlen(spec->name));
    fputs("\\fR", out);
    if (spec->argument)
      fprintf(out, " \\fI%s\\fR", spec->argument);
    fputc('\n', out);
    put_text(out, spec->help);
    if (!spec->words)
      continue;
    put_words(out, spec->words);
  }
}

/* Writes the examples of a command under a heading, if it has any. */
static void put_examples(FILE *out, const cli_command *command) {
  if (!command->examples[0].line)
    return;
  put_heading(out, "EXAMPLES");
  for (const cli_example *example = command->examples; example->line; example++) {
    fputs(".TP\n\\fBetrecord\\-tb ", out);
    put_characters(out, example->line, strlen(example->line));
    fputs("\\fR\n", out);
    put_text(out, example->what);
  }
}

/* Writes the exit statuses that a command can have. */
static void put_exit_statuses(FILE *out, const cli_command *command) {
  char room[EXIT_MEANING_ROOM];
  put_heading(out, "EXIT STATUS");
  for (const exit_spec *e = exit_statuses; e->meaning; e++) {
    if (!option_table_exits(e, command))
      continue;
    fprintf(out, ".TP\n\\fB%d\\fR\n", e->status);
    put_text(out, option_table_exit_meaning(e, command, room));
  }
}

/* ---- Guides: Markdown with headings, paragraphs, lists, tables and blocks of code ---- */

enum { LONGEST_LINE = 4096, LONGEST_PARAGRAPH = 1 << 16, MOST_CELLS = 12 };

typedef struct guide {
  FILE *out;
  char paragraph[LONGEST_PARAGRAPH]; /* lines of the current paragraph or list item */
  bool has_section;                  /* a heading was written */
  bool is_below_heading;    /* the text follows a heading, so that a paragraph needs no mark */
  bool in_code, in_table;   /* in_table: after the row of headings */
  char heads[LONGEST_LINE]; /* headings of the table */
} guide;

/* Turns Markdown inside a line into text for put_text(), in place: *word* and **word** become
 * `word`, [text](link) becomes text, and "\|" becomes "|". Code in backticks stays as it is. */
static void simplify(char *text) {
  char *written = text;
  bool is_code = false;
  for (const char *rest = text; *rest;) {
    const char *link = *rest == '[' ? strstr(rest, "](") : NULL;
    const char *link_end = link ? strchr(link, ')') : NULL;
    if (link_end && !is_code) {
      memmove(written, rest + 1, (size_t)(link - rest - 1));
      written += link - rest - 1;
      rest = link_end + 1;
    } else if (*rest == '*' && !is_code) {
      rest += strspn(rest, "*");
      *written++ = '`';
    } else if (rest[0] == '\\' && rest[1] == '|') {
      rest++;
    } else {
      is_code ^= *rest == '`';
      *written++ = *rest++;
    }
  }
  *written = '\0';
}

static void begin_section(guide *g, const char *heading) {
  put_heading(g->out, heading);
  g->has_section = g->is_below_heading = true;
}

/* Writes the roff request that separates a text from the text before it, except a paragraph
 * directly below a heading. Text before the first heading is the description. */
static void begin_text(guide *g, const char *request) {
  if (!g->has_section)
    begin_section(g, "DESCRIPTION");
  if (!g->is_below_heading || strcmp(request, ".PP\n") != 0)
    fputs(request, g->out);
  g->is_below_heading = false;
}

/* Writes the paragraph that was gathered, as a paragraph or as an item of a list, and empties it;
 * nothing if it is empty. */
static void end_paragraph(guide *g) {
  if (!g->paragraph[0])
    return;
  simplify(g->paragraph);
  bool is_item = strncmp(g->paragraph, "- ", 2) == 0;
  begin_text(g, is_item ? ".IP \\(bu 2\n" : ".PP\n");
  put_text(g->out, g->paragraph + (is_item ? 2 : 0));
  g->paragraph[0] = '\0';
}

/* Appends a line to the paragraph that is gathered: roff would end a sentence at each line of the
 * source. */
static void continue_paragraph(guide *g, const char *line) {
  size_t used = strlen(g->paragraph);
  line += strspn(line, " ");
  (void)snprintf(g->paragraph + used, sizeof g->paragraph - used, "%s%s", used ? " " : "", line);
}

/* Cuts a row of a Markdown table, "| a | b |", into its cells, in place and without the blanks
 * around them. An escaped "\|" is part of a cell. Returns the number of cells. */
static size_t cut_cells(char *row, char *cells[MOST_CELLS]) {
  size_t count = 0;
  for (char *cell_start = row + 1; *cell_start && count < MOST_CELLS;) {
    char *cell_end = cell_start;
    while (*cell_end && (*cell_end != '|' || cell_end[-1] == '\\'))
      cell_end++;
    if (!*cell_end)
      break;
    *cell_end = '\0';
    cell_start += strspn(cell_start, " ");
    for (char *text_end = cell_end; text_end > cell_start && text_end[-1] == ' ';)
      *--text_end = '\0';
    cells[count++] = cell_start;
    cell_start = cell_end + 1;
  }
  return count;
}

/* Writes a row of a table as a tagged paragraph, since roff's own tables need another program. The
 * first cell is the tag; the others follow, after the titles of their columns if there are several.
 */
static void put_row(guide *g, char *row) {
  char heads[LONGEST_LINE], text[LONGEST_PARAGRAPH], *titles[MOST_CELLS], *cells[MOST_CELLS];
  memcpy(heads, g->heads, sizeof heads);
  size_t count = cut_cells(row, cells);
  size_t title_count = cut_cells(heads, titles);
  size_t used = 0;
  if (count == 0)
    return;
  simplify(cells[0]);
  begin_text(g, ".TP\n");
  put_text(g->out, cells[0]);
  text[0] = '\0';
  for (size_t i = 1; i < count && used < sizeof text; i++) {
    bool has_head = count > 2 && i < title_count && titles[i][0];
    if (!cells[i][0])
      continue;
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s%s", used ? "; " : "",
                             has_head ? titles[i] : "", has_head ? ": " : "", cells[i]);
  }
  simplify(text);
  put_text(g->out, text);
}

/* Takes a line of a Markdown table: the first has the titles, which put_row() repeats in each row,
 * the second only dashes, and the others are rows to write. */
static void put_table_line(guide *g, char *line) {
  if (!g->in_table && !g->heads[0]) {
    end_paragraph(g);
    (void)snprintf(g->heads, sizeof g->heads, "%s", line);
  } else if (!g->in_table) {
    g->in_table = true; /* this is the line below the headings */
  } else {
    put_row(g, line);
  }
}

/* Writes a line of a code block as it is. roff takes a leading dot for a request, so an empty
 * character is put before it. */
static void put_code_line(guide *g, const char *line) {
  if (line[0] == '.')
    fputs("\\&", g->out);
  put_characters(g->out, line, strlen(line));
  fputc('\n', g->out);
}

/* Writes a line of a guide in Markdown, or gathers it into a paragraph. Lines with a picture are
 * left out. */
static void put_guide_line(guide *g, char *line) {
  line[strcspn(line, "\n")] = '\0';
  bool is_fence = strncmp(line, "```", 3) == 0;
  bool is_table = line[0] == '|' && !g->in_code;
  if (!is_table)
    g->in_table = false;
  if (!is_table)
    g->heads[0] = '\0';
  if (is_fence) {
    end_paragraph(g);
    if (!g->in_code)
      begin_text(g, ".PP\n");
    fputs(g->in_code ? ".EE\n" : ".EX\n", g->out);
    g->in_code = !g->in_code;
  } else if (g->in_code) {
    put_code_line(g, line);
  } else if (is_table) {
    put_table_line(g, line);
  } else if (line[0] == '#') {
    end_paragraph(g);
    begin_section(g, line + strspn(line, "# "));
  } else if (!line[0] || strncmp(line, "- ", 2) == 0) {
    end_paragraph(g);
    if (line[0])
      continue_paragraph(g, line);
  } else if (line[0] != '!') { /* a picture */
    continue_paragraph(g, line);
  }
}

/* Writes the page of a guide from its Markdown, whose first line is its title. An empty file gives
 * an empty page. */
static void put_guide(FILE *out, FILE *markdown, const char *name, const release *built) {
  static guide state;
  char line[LONGEST_LINE];
  state = (guide){.out = out};
  if (!fgets(line, sizeof line, markdown))
    return;
  line[strcspn(line, "\n")] = '\0';
  put_title(out, name, 7, line + strspn(line, "# "), built);
  while (fgets(line, sizeof line, markdown))
    put_guide_line(&state, line);
  end_paragraph(&state);
  put_heading(out, "SEE ALSO");
  fputs("\\fBetrecord\\-tb\\fR(1)\n", out);
}

/* Writes the name of a guide, as it follows "etrecord-tb" in the name of its page: "-comparing" for
 * docs/comparing.md. */
static void name_guide(char *name, size_t size, const char *path) {
  const char *slash = strrchr(path, '/');
  const char *start = slash ? slash + 1 : path;
  (void)snprintf(name, size, "-%.*s", (int)strcspn(start, "."), start);
}

/* ---- Pages ---- */

typedef struct guide_paths {
  char *const *list;
  size_t count;
} guide_paths;

/* Writes the page of the program, with links to its commands and guides. Its own options come after
 * the arguments (false). */
static void put_program(FILE *out, guide_paths guides, const release *built) {
  put_title(out, "", 1, "find out which line of a PyTorch model costs what on a device", built);
  put_synopsis(out, "", "[COMMAND] RECORD...", false);
  put_heading(out, "DESCRIPTION");
  put_text(out, help_introduction());
  put_heading(out, "COMMANDS");
  for (const cli_command *c = commands; c->name; c++) {
    fprintf(out, ".TP\n\\fBetrecord\\-tb\\-%s\\fR(1)\n", c->name);
    put_text(out, c->summary);
  }
  put_options(out, NULL);
  put_exit_statuses(out, NULL);
  put_examples(out, &commands[0]);
  put_heading(out, "SEE ALSO");
  for (size_t i = 0; i < guides.count; i++) {
    char name[64];
    name_guide(name, sizeof name, guides.list[i]);
    fputs("\\fBetrecord\\-tb", out);
    put_characters(out, name, strlen(name));
    fprintf(out, "\\fR(7)%s\n", i + 1 < guides.count ? "," : "");
  }
}

/* Writes the page of a command. */
static void put_command(FILE *out, const cli_command *command, const release *built) {
  char name[64], room[HELP_ROOM];
  snprintf(name, sizeof name, "-%s", command->name);
  put_title(out, name, 1, command->summary, built);
  put_synopsis(out, command->name, command->arguments, command->runs_program);
  put_heading(out, "DESCRIPTION");
  put_text(out, help_text(command, room));
  put_options(out, command);
  put_examples(out, command);
  put_exit_statuses(out, command);
  put_heading(out, "SEE ALSO");
  fputs("\\fBetrecord\\-tb\\fR(1)\n", out);
}

/* ---- Completions: the scripts of completion/, with their placeholders filled in ---- */

/* Writes a text that goes into single quotes for a shell. Characters of `escaped` get a backslash.
 * */
static void put_quoted(FILE *out, const char *text, const char *escaped) {
  for (; *text; text++) {
    if (*text == '\'')
      fputs("'\\''", out);
    else
      fprintf(out, "%s%c", strchr(escaped, *text) ? "\\" : "", *text);
  }
}

/* Writes the names of all commands (spec is NULL), or of those that have an option, with a
 * separator between. */
static void put_names(FILE *out, const option_spec *spec, const char *separator) {
  const char *lead = "";
  for (const cli_command *c = commands; c->name; c++) {
    if (spec && !option_table_has(spec, c))
      continue;
    fprintf(out, "%s%s", lead, c->name);
    lead = separator;
  }
}

static void put_commands(FILE *out, const char *between) {
  put_names(out, NULL, between);
}

/* Writes all options that take a value, long and short names, with a separator between. */
static void put_options_with_value(FILE *out, const char *separator) {
  const char *lead = "";
  for (const option_spec *spec = option_specs; spec->name; spec++) {
    if (!spec->argument)
      continue;
    fprintf(out, "%s--%s", lead, spec->name);
    lead = separator;
    if (spec->letter)
      fprintf(out, "%s-%c", lead, spec->letter);
  }
}

/* The syntax of a shell's script for the completions of a value. */
typedef struct value_syntax {
  const char *words, *after_words; /* texts before and after the words "text json" */
  const char *file, *directory, *other;
} value_syntax;

/* Writes how a shell completes the value of an option: from its words ("op|module"), with files,
 * with folders, or not at all. `syntax` has the texts of the shell for each of them. */
static void put_value(FILE *out, const option_spec *spec, const value_syntax *syntax) {
  if (spec->words) {
    fputs(syntax->words, out);
    for (const char *letter = spec->words; *letter; letter++)
      fputc(*letter == '|' ? ' ' : *letter, out);
    fputs(syntax->after_words, out);
  } else if (strcmp(spec->argument, "FILE") == 0) {
    fputs(syntax->file, out);
  } else {
    fputs(strcmp(spec->argument, "DIR") == 0 ? syntax->directory : syntax->other, out);
  }
}

/* ---- bash ---- */

/* Writes the arms of bash's `case $command:$option`, which complete the value of an option: one arm
 * for all commands in which the option takes the same values. */
static void put_bash_values(FILE *out) {
  option_spec shown, *const spec = &shown;
  static const value_syntax syntax = {"      _etrecord_tb_words '", "'\n",
                                      "      _etrecord_tb_paths -f\n",
                                      "      _etrecord_tb_paths -d\n", ""};
  for (size_t i = 0; option_table_shown(&shown, i); i++) {
    const char *lead = "    ";
    if (!spec->argument)
      continue;
    for (const cli_command *c = commands; c->name; c++) {
      if (!option_table_has(spec, c))
        continue;
      fprintf(out, "%s%s:--%s", lead, c->name, spec->name);
      lead = "|";
      if (spec->letter)
        fprintf(out, "|%s:-%c", c->name, spec->letter);
    }
    fputs(")\n", out);
    put_value(out, spec, &syntax);
    fputs("      return\n      ;;\n", out);
  }
}

/* Writes the arms of bash's `case $command`, which complete the names of its options. */
static void put_bash_options(FILE *out) {
  for (const cli_command *c = commands; c->name; c++) {
    fprintf(out, "      %s) _etrecord_tb_words '", c->name);
    for (const option_spec *spec = option_specs; spec->name; spec++)
      if (option_table_has(spec, c))
        fprintf(out, "--%s ", spec->name);
    fputs("' ;;\n", out);
  }
}

/* ---- zsh ---- */

/* Writes the names and summaries of all commands for zsh. */
static void put_zsh_commands(FILE *out) {
  for (const cli_command *c = commands; c->name; c++) {
    fprintf(out, "    '%s:", c->name);
    put_quoted(out, c->summary, "");
    fputs("'\n", out);
  }
}

/* Writes for each command the specifications of its options for zsh's _arguments, such as
 * '(--format -f)'{--format,-f}'[help]:FORMAT:(text json)'. */
static void put_zsh_options(FILE *out) {
  option_spec shown, *const spec = &shown;
  static const value_syntax syntax = {"(", ")", "_files", "_files -/", ""};
  for (const cli_command *c = commands; c->name; c++) {
    fprintf(out, "    (%s)\n      _arguments -s -S \\\n", c->name);
    for (size_t i = 0; option_table_shown(&shown, i); i++) {
      if (!option_table_has(spec, c))
        continue;
      fputs("        ", out);
      if (spec->letter)
        fprintf(out, "'(--%s -%c)'{--%s%s,-%c%s}'[", spec->name, spec->letter, spec->name,
                spec->argument ? "=" : "", spec->letter, spec->argument ? "+" : "");
      else
        fprintf(out, "'%s--%s%s[",
                spec->kind == OPTION_LIST || spec->kind == OPTION_FILES ? "*" : "", spec->name,
                spec->argument ? "=" : "");
      put_quoted(out, spec->help, "[]:\\");
      fputc(']', out);
      if (spec->argument) {
        fprintf(out, ":%s:", spec->argument);
        put_value(out, spec, &syntax);
      }
      fputs("' \\\n", out);
    }
    fputs("        $argument\n      ;;\n", out);
  }
}

/* ---- fish ---- */

/* Writes the names and summaries of all commands for fish, as commands and as arguments of `help`.
 * */
static void put_fish_commands(FILE *out) {
  for (const cli_command *c = commands; c->name; c++) {
    fprintf(out, "complete -c etrecord-tb -n __etrecord_tb_is_first -a %s -d '", c->name);
    put_quoted(out, c->summary, "\\");
    fprintf(out, "'\ncomplete -c etrecord-tb -n '__etrecord_tb_is help' -f -a %s -d '", c->name);
    put_quoted(out, c->summary, "\\");
    fputs("'\n", out);
  }
}

/* Writes each option for fish, with the commands that have it, its value and its help. */
static void put_fish_options(FILE *out) {
  option_spec shown, *const spec = &shown;
  static const value_syntax syntax = {" -x -a '", "'", " -r -F",
                                      " -x -a '(__fish_complete_directories)'", " -x"};
  for (size_t i = 0; option_table_shown(&shown, i); i++) {
    fputs("complete -c etrecord-tb -n '__etrecord_tb_is ", out);
    put_names(out, spec, " ");
    fprintf(out, "' -l %s", spec->name);
    if (spec->letter)
      fprintf(out, " -s %c", spec->letter);
    if (spec->argument)
      put_value(out, spec, &syntax);
    fputs(" -d '", out);
    put_quoted(out, spec->help, "\\");
    fputs("'\n", out);
  }
}

/* ---- Filling ---- */

static const struct {
  const char *name;
  void (*put)(FILE *out);
  void (*put_list)(FILE *out, const char *between); /* of a list of names: the text that separates
                                                       them, by which the placeholder ends */
} pieces[] = {
    {"commands", NULL, put_commands},
    {"options_with_value", NULL, put_options_with_value},
    {"bash_values", put_bash_values, NULL},
    {"bash_options", put_bash_options, NULL},
    {"zsh_commands", put_zsh_commands, NULL},
    {"zsh_options", put_zsh_options, NULL},
    {"fish_commands", put_fish_commands, NULL},
    {"fish_options", put_fish_options, NULL},
};

/* Writes what a placeholder of a completion script stands for; one that takes a separator has it as
 * the last character of its name. Returns false if the name is unknown. */
static bool put_placeholder(FILE *out, const char *name, size_t size) {
  for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
    size_t length = strlen(pieces[i].name);
    if (length + (pieces[i].put_list != NULL) != size || memcmp(pieces[i].name, name, length) != 0)
      continue;
    if (pieces[i].put)
      pieces[i].put(out);
    else
      pieces[i].put_list(out, (const char[]){name[length], '\0'});
    return true;
  }
  return false;
}

/* Writes a line with its placeholders filled in. A placeholder is a name between two @ on one line,
 * without a quote, so that "$@" is none. Returns false if one is unknown. */
static bool fill_line(FILE *out, const char *line) {
  for (const char *mark; (mark = strchr(line, '@'));) {
    const char *mark_end = mark + 1 + strcspn(mark + 1, "@\"\n");
    fwrite(line, 1, (size_t)(mark - line), out);
    if (*mark_end != '@') {
      fputc('@', out);
      line = mark + 1;
      continue;
    }
    if (!put_placeholder(out, mark + 1, (size_t)(mark_end - mark - 1)))
      return false;
    line = mark_end + 1;
  }
  fputs(line, out);
  return true;
}

/* ---- The files ---- */

/* Opens the file FOLDER/NAME with an ending appended. Returns NULL, with a message, on failure. */
static FILE *open_in_folder(const char *folder, const char *name, const char *ending,
                            const char *mode) {
  char path[4096];
  int length = snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
  bool is_short_enough = length > 0 && (size_t)length < sizeof path;
  FILE *file = is_short_enough ? fopen(path, mode) : NULL;
  if (!file)
    perror(path);
  return file;
}

static bool close_all_written(FILE *file) {
  bool written = !ferror(file);
  return fclose(file) == 0 && written;
}

/* Writes the manual page of a command, or of the program if it is NULL, into `folder`. Returns
 * false, with a message, on failure. */
static bool write_page(const char *folder, const cli_command *command, guide_paths guides,
                       const release *built) {
  char name[64];
  snprintf(name, sizeof name, "etrecord-tb%s%s", command ? "-" : "", command ? command->name : "");
  FILE *page = open_in_folder(folder, name, ".1", "w");
  if (page && command)
    put_command(page, command, built);
  else if (page)
    put_program(page, guides, built);
  return page && close_all_written(page);
}

/* Writes the page of section 7 that a guide, a Markdown file of docs, becomes. Returns false, with
 * a message, on failure. */
static bool write_guide(const char *folder, const char *path, const release *built) {
  char name[64], file[128];
  name_guide(name, sizeof name, path);
  (void)snprintf(file, sizeof file, "etrecord-tb%s", name);
  FILE *markdown = fopen(path, "r"),
       *page = markdown ? open_in_folder(folder, file, ".7", "w") : NULL;
  if (!markdown)
    perror(path);
  if (page)
    put_guide(page, markdown, name, built);
  if (markdown)
    fclose(markdown);
  return page && close_all_written(page);
}

/* Writes a completion script from its template. Returns false on failure, also if a placeholder is
 * unknown. */
static bool write_completion(const char *folder, const char *out, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/completion", folder);
  FILE *script = open_in_folder(path, name, ".in", "r"),
       *file = script ? open_in_folder(out, name, "", "w") : NULL;
  bool is_filled = file != NULL;
  for (char line[1024]; is_filled && fgets(line, sizeof line, script);)
    is_filled = fill_line(file, line);
  if (script)
    fclose(script);
  /* Also false if the name of a placeholder is unknown. */
  return file && close_all_written(file) && is_filled;
}

/* Writes all manual pages and completion scripts. Arguments: the folder of the templates, the
 * folder to write, the version, its date, and the Markdown files of the guides. */
int main(int argc, char **argv) {
  static const char *const completions[] = {"etrecord-tb.bash", "_etrecord-tb", "etrecord-tb.fish"};
  if (argc < 5)
    return EXIT_FAILURE;
  const char *folder = argv[1], *out = argv[2];
  const release r = {.version = argv[3], .date = argv[4]};
  const guide_paths guides = {argv + 5, (size_t)argc - 5};
  bool done = write_page(out, NULL, guides, &r);
  for (const cli_command *c = commands; c->name && done; c++)
    done = write_page(out, c, guides, &r);
  for (size_t i = 0; i < guides.count && done; i++)
    done = write_guide(out, guides.list[i], &r);
  for (size_t i = 0; i < 3 && done; i++)
    done = write_completion(folder, out, completions[i]);
  return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
