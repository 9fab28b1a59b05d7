/* SPDX-License-Identifier: BSD-3-Clause
 *
 * text_table.c - lays out and escapes tables.
 */
#include "output/text_table.h"

#include <math.h>

enum {
  GAP = 2,
  LEAST_WIDTH = 8,
  LEGIBLE_WIDTH = 20, /* columns; shorter names cannot be distinguished */
};

void etr_text_table_init(etr_text_table *table, etr_arena *arena, const etr_column *columns,
                         size_t column_count) {
  *table = (etr_text_table){.arena = arena, .columns = columns, .column_count = column_count};
}

void etr_text_table_may_hide_column(etr_text_table *table, size_t column) {
  size_t *spare = etr_vec_push(table->arena, &table->spare);
  if (spare)
    *spare = column;
}

void etr_text_table_add_cell(etr_text_table *table, const char *text) {
  const char **cell = etr_vec_push(table->arena, &table->cells);
  unsigned char *style = cell ? etr_vec_push(table->arena, &table->styles) : NULL;
  if (style)
    *cell = text ? etr_sanitized_copy(table->arena, text) : "";
}

void etr_text_table_style_last_cell(etr_text_table *table, etr_style style) {
  if (table->styles.count)
    table->styles.data[table->styles.count - 1] = (unsigned char)style;
}

void etr_put_share(etr_writer *writer, double part, double whole) {
  double percent = 100 * part / whole;
  bool is_below = percent > 0 && percent < 0.05; /* "0.0 %" would say nothing */
  etr_puts(writer, is_below ? "<" : "");
  etr_put_fixed(writer, is_below ? 0.1 : percent, 1);
  etr_puts(writer, " %");
}

int etr_time_decimals(const etr_profile *profile, double ticks, etr_unit unit, int digits) {
  /* No unit is shown finer than 100 ns, because no clock of a device supports more. */
  static const int most[] = {[ETR_UNIT_MS] = 4,
                             [ETR_UNIT_NS] = 0,
                             [ETR_UNIT_US] = 1,
                             [ETR_UNIT_S] = 7,
                             [ETR_UNIT_CYCLES] = 0};
  double time = fabs(etr_ticks_to_unit(profile, ticks, unit));
  int decimals = 0;
  for (double least = pow(10, digits - 1); time > 0 && time < least && decimals < most[unit];
       least /= 10)
    decimals++;
  return decimals;
}

void etr_put_time(etr_writer *writer, const etr_profile *profile, double ticks, etr_unit unit) {
  etr_put_fixed(writer, etr_ticks_to_unit(profile, ticks, unit),
                etr_time_decimals(profile, ticks, unit, ETR_TIME_DIGITS));
}

void etr_put_below_clock_step(etr_writer *writer, const etr_profile *profile, double step,
                              etr_unit unit) {
  enum { MOST_DECIMALS = 9 };
  double time = etr_ticks_to_unit(profile, step, unit);
  int decimals = 0; /* up to the first digit that is not 0 */
  for (double scaled = time; scaled < 1 && decimals < MOST_DECIMALS; scaled *= 10)
    decimals++;
  etr_puts(writer, "<");
  etr_put_fixed(writer, time, decimals);
}

/* ---- Text ---- */

/* The layout of a column. */
typedef struct layout {
  size_t width;
  etr_cut cut;
  bool is_left_out;
} layout;

/* Writes a cell in a style, cut to the width of its column and padded to it with blanks, on the
 * left if is_right. The last cell of a row is not padded on its right. */
static void put_cell(etr_writer *writer, const char *text, layout column, bool is_right,
                     bool is_last, etr_style style) {
  size_t width = column.width;
  size_t actual = ETR_MIN(etr_plain_width(writer, text), width); /* columns that it takes */
  bool has_style = style != ETR_STYLE_PLAIN && actual > 0;
  if (is_right)
    etr_put_blanks(writer, width - actual);
  if (has_style)
    etr_put_style(writer, style);
  actual = etr_put_cut(writer, text, width, column.cut);
  if (has_style)
    etr_put_style(writer, ETR_STYLE_PLAIN);
  if (!is_right && !is_last)
    etr_put_blanks(writer, width - actual);
}

/* Returns the columns of the terminal that a line takes, gaps included, if no shrinking column is
 * wider than `max_width`. Hidden columns take none. */
static size_t line_width(const etr_text_table *table, const layout *columns, size_t max_width) {
  size_t total = 0, count = 0;
  for (size_t i = 0; i < table->column_count; i++) {
    if (columns[i].is_left_out)
      continue;
    total += table->columns[i].shrinks ? ETR_MIN(columns[i].width, max_width) : columns[i].width;
    count++;
  }
  return total + GAP * (count ? count - 1 : 0);
}

/* Makes the widest shrinking column narrower until the line fits, or until all are at their least
 * width. */
static void shrink_columns(const etr_text_table *table, layout *columns, size_t width) {
  size_t total = line_width(table, columns, SIZE_MAX);
  while (total > width) {
    size_t widest = SIZE_MAX;
    for (size_t i = 0; i < table->column_count; i++) {
      bool can_shrink = table->columns[i].shrinks && !columns[i].is_left_out &&
                        columns[i].width > LEAST_WIDTH;
      if (can_shrink && (widest == SIZE_MAX || columns[i].width > columns[widest].width))
        widest = i;
    }
    if (widest == SIZE_MAX)
      return;
    columns[widest].width--;
    total--;
  }
}

/* Returns the text of a cell; row 0 is the titles. */
static const char *cell_at(const etr_text_table *table, size_t row, size_t column) {
  return row == 0 ? table->columns[column].title
                  : table->cells.data[(row - 1) * table->column_count + column];
}

static etr_style style_at(const etr_text_table *table, size_t row, size_t column) {
  return row == 0 ? ETR_STYLE_BOLD
                  : (etr_style)table->styles.data[(row - 1) * table->column_count + column];
}

/* Returns how many different texts a column shows if its cells are cut to this layout; fewer when
 * out of memory: the arena has failed then. model: the writer whose width of characters counts. */
static size_t count_shown_texts(const etr_text_table *table, const etr_writer *model, size_t column,
                                layout cut) {
  etr_map seen;
  etr_map_init(&seen, table->arena);
  for (size_t i = column; i < table->cells.count; i += table->column_count) {
    etr_text text;
    etr_writer writer;
    etr_text_begin(&text, table->arena, &writer);
    writer.ascii = model->ascii;
    (void)etr_put_cut(&writer, table->cells.data[i], cut.width, cut.cut);
    const char *shown = etr_text_end(&text, &writer);
    if (!shown || !etr_map_set(&seen, etr_slice_of(shown), 0))
      break;
  }
  return seen.count;
}

/* Chooses for each column that is narrower than wanted where its cells are cut: at the start if
 * that shows more different texts, else in the middle. The module paths of a model begin with the
 * same parts, and may all look the same if they are cut in the middle. */
static void choose_where_to_cut(const etr_text_table *table, const etr_writer *writer,
                                layout *columns, const layout *wanted) {
  for (size_t i = 0; i < table->column_count; i++) {
    if (columns[i].is_left_out || columns[i].width >= wanted[i].width)
      continue;
    size_t middle_count = count_shown_texts(table, writer, i, columns[i]);
    columns[i].cut = ETR_CUT_START;
    if (count_shown_texts(table, writer, i, columns[i]) <= middle_count)
      columns[i].cut = ETR_CUT_MIDDLE;
  }
}

/* Writes one row (0: the titles) as text, without blanks after its last cell that is not empty. */
static void write_text_row(const etr_text_table *table, etr_writer *writer, size_t row,
                           const layout *columns) {
  size_t count = table->column_count;
  while (count > 0 && (columns[count - 1].is_left_out || cell_at(table, row, count - 1)[0] == '\0'))
    count--;
  for (size_t i = 0, shown_count = 0; i < count; i++) {
    if (columns[i].is_left_out)
      continue;
    if (shown_count++ > 0)
      etr_put_blanks(writer, GAP);
    put_cell(writer, cell_at(table, row, i), columns[i], table->columns[i].right, i + 1 == count,
             style_at(table, row, i));
  }
  etr_puts(writer, "\n");
}

/* Writes the line below the table that names the hidden columns; writes nothing if none of them has
 * a title. */
static void put_hidden_columns(const etr_text_table *table, etr_writer *writer,
                               const layout *columns) {
  bool any = false;
  for (size_t i = 0; i < table->column_count; i++) {
    if (!columns[i].is_left_out || !table->columns[i].title[0])
      continue;
    if (!any)
      etr_put_style(writer, ETR_STYLE_DIM);
    etr_putf(writer, "%s%s", any ? ", " : "hidden: ", table->columns[i].title);
    any = true;
  }
  if (!any)
    return;
  etr_puts(writer, "; all: --width 0");
  etr_put_style(writer, ETR_STYLE_PLAIN);
  etr_puts(writer, "\n");
}

/* Returns true if a column has a title, so that there is a line of titles. */
static bool has_any_title(const etr_text_table *table) {
  for (size_t i = 0; i < table->column_count; i++)
    if (table->columns[i].title[0])
      return true;
  return false;
}

/* Writes the table as text that fits the width: spare columns are hidden first, in their order, as
 * long as the others would be cut to fewer than LEGIBLE_WIDTH columns; then cells are cut. */
static void write_text(const etr_text_table *table, etr_writer *writer, size_t width) {
  layout *columns = etr_arena_alloc_array(table->arena, table->column_count, sizeof *columns);
  layout *wanted = etr_arena_alloc_array(table->arena, table->column_count, sizeof *wanted);
  if (etr_arena_failed(table->arena))
    return;
  for (size_t i = 0; i < table->column_count; i++)
    wanted[i].width = etr_plain_width(writer, table->columns[i].title);
  for (size_t i = 0; i < table->cells.count; i++) {
    size_t *column = &wanted[i % table->column_count].width;
    *column = ETR_MAX(*column, etr_plain_width(writer, table->cells.data[i]));
  }
  memcpy(columns, wanted, table->column_count * sizeof *columns);
  for (size_t i = 0; i < table->spare.count; i++) {
    size_t spare = table->spare.data[i];
    /* A column without title has bars, which are hidden before any name is cut. */
    bool has_title = table->columns[spare].title[0] != '\0';
    size_t max_width = has_title ? LEGIBLE_WIDTH : SIZE_MAX;
    if (line_width(table, columns, max_width) > width)
      columns[spare].is_left_out = true;
  }
  shrink_columns(table, columns, width);
  choose_where_to_cut(table, writer, columns, wanted);
  size_t rows = table->cells.count / table->column_count;
  for (size_t row = has_any_title(table) ? 0 : 1; row <= rows; row++)
    write_text_row(table, writer, row, columns);
  put_hidden_columns(table, writer, columns);
  if (etr_arena_failed(table->arena))
    writer->status = ETR_ERROR_MEMORY; /* memory ran out while the cuts were chosen */
}

/* ---- For programs ---- */

/* Returns true for digits and points, perhaps after a minus sign. */
static bool is_number(const char *text) {
  size_t digits = strspn(text + (*text == '-'), "0123456789.");
  return digits > 0 && text[(*text == '-') + digits] == '\0';
}

/* Writes a cell of CSV, in quotes if it contains a comma or a quote. A text that a spreadsheet
 * would take for a formula gets a leading apostrophe. */
static void put_csv(etr_writer *writer, const char *text) {
  bool is_formula = *text && strchr("=+-@", *text) && !is_number(text);
  if (!is_formula && !strpbrk(text, ",\"")) {
    etr_puts(writer, text);
    return;
  }
  etr_puts(writer, is_formula ? "\"'" : "\"");
  for (; *text; text++)
    etr_put(writer, *text == '"' ? ETR_SLICE("\"\"") : (etr_slice){text, 1});
  etr_puts(writer, "\"");
}

/* Writes a cell of TSV. A text that a spreadsheet would take for a formula gets a leading
 * apostrophe. Cells have no tabs: control characters were replaced. */
static void put_tsv(etr_writer *writer, const char *text) {
  if (*text && strchr("=+-@", *text) && !is_number(text))
    etr_puts(writer, "'");
  etr_puts(writer, text);
}

/* Returns the HTML reference for a character that Markdown would read as markup, or NULL for other
 * characters. Every Markdown processor knows references; not every one allows a backslash before
 * these. */
static const char *markdown_reference(uint32_t code) {
  switch (code) {
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '&':
    return "&amp;";
  case '~':
    return "&#126;";
  default:
    return NULL;
  }
}

void etr_put_markdown(etr_writer *writer, const char *text) {
  for (size_t size; *text; text += size) {
    uint32_t code = etr_character_at(text, &size);
    const char *reference = etr_is_control(code) ? "?" : markdown_reference(code);
    if (code < 0x80 && strchr("\\`*_{}[]|#!", *text))
      etr_puts(writer, "\\");
    etr_put(writer, reference ? etr_slice_of(reference) : (etr_slice){text, size});
  }
}

/* Writes a cell. Blanks that indent it are kept: Markdown would drop them. */
static void put_markdown_cell(etr_writer *writer, const char *text) {
  for (; *text == ' '; text++)
    etr_puts(writer, "&nbsp;");
  etr_put_markdown(writer, text);
}

/* The texts around the cells of a row, and the function that writes a cell. */
typedef struct row_format {
  const char *before, *between, *behind;
  void (*put)(etr_writer *, const char *);
} row_format;

/* Writes the table as CSV, TSV or Markdown. Row 0 has the titles, which CSV and TSV leave out if
 * without_head is set. */
static void write_rows(const etr_text_table *table, etr_writer *writer, etr_table_format format) {
  static const row_format formats[] = {
      [ETR_TABLE_CSV] = {"", ",", "\r\n", put_csv},
      [ETR_TABLE_TSV] = {"", "\t", "\n", put_tsv},
      [ETR_TABLE_MARKDOWN] = {"| ", " | ", " |\n", put_markdown_cell}};
  bool markdown = format == ETR_TABLE_MARKDOWN;
  size_t rows = table->cells.count / table->column_count;
  for (size_t row = table->without_head && !markdown; row <= rows; row++) {
    for (size_t i = 0; i < table->column_count; i++) {
      etr_puts(writer, i ? formats[format].between : formats[format].before);
      formats[format].put(writer, cell_at(table, row, i));
    }
    etr_puts(writer, formats[format].behind);
    for (size_t i = 0; markdown && row == 0 && i < table->column_count; i++)
      etr_puts(writer, table->columns[i].right ? "|---:" : "|---");
    if (markdown && row == 0)
      etr_puts(writer, "|\n");
  }
}

void etr_text_table_write(const etr_text_table *table, etr_writer *writer, etr_table_format format,
                          size_t width) {
  if (etr_arena_failed(table->arena))
    writer->status = ETR_ERROR_MEMORY;
  else if (format == ETR_TABLE_TEXT)
    write_text(table, writer, width ? width : 100);
  else
    write_rows(table, writer, format);
}

void etr_put_hidden_count(etr_writer *writer, size_t count) {
  if (count == 0)
    return;
  etr_put_style(writer, ETR_STYLE_DIM);
  etr_putf(writer, "%zu more: --top 0", count);
  etr_put_style(writer, ETR_STYLE_PLAIN);
  etr_puts(writer, "\n");
}
