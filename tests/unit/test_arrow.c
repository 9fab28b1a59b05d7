/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arrow streams: values, nulls, and ownership when parts are released in any order.
 */
#include "output/arrow.h"

#include <criterion/criterion.h>
#include <stdio.h>

enum { ROWS = 19 };

/* name: "n0" ..., every third null; whole: the row's number, every fourth null; real: half of the
 * number, never null.
 */
static void make(struct ArrowArrayStream *stream) {
  etr_arrow *table = etr_arrow_new();
  char name[16];
  etr_arrow_add_column(table, "name", ETR_ARROW_TEXT);
  etr_arrow_add_column(table, "whole", ETR_ARROW_WHOLE);
  etr_arrow_add_column(table, "real", ETR_ARROW_REAL);
  for (int i = 0; i < ROWS; i++) {
    (void)snprintf(name, sizeof name, "n%d", i);
    etr_arrow_add_value(table, (etr_arrow_value){.is_null = i % 3 == 0, .text = name});
    etr_arrow_add_value(table, (etr_arrow_value){.is_null = i % 4 == 0, .whole = i});
    etr_arrow_add_value(table, (etr_arrow_value){.real = i / 2.0});
  }
  cr_assert_eq(etr_arrow_hand_over(table, stream, NULL), ETR_OK);
}

static bool is_valid(const struct ArrowArray *array, int row) {
  const uint8_t *bits = array->buffers[0];
  return !bits || (bits[row / 8] >> row % 8 & 1);
}

Test(arrow, a_stream_has_the_values_of_the_rows) {
  struct ArrowArrayStream stream;
  struct ArrowArray batch, end;
  make(&stream);
  cr_assert_eq(stream.get_next(&stream, &batch), 0);
  cr_assert_eq(batch.n_children, 3);
  for (int i = 0; i < 3; i++)
    cr_expect_eq(batch.children[i]->length, ROWS);
  const int32_t *ends = batch.children[0]->buffers[1];
  const char *text = batch.children[0]->buffers[2];
  for (int i = 0; i < ROWS; i++) {
    char name[16];
    (void)snprintf(name, sizeof name, "n%d", i);
    cr_expect_eq(is_valid(batch.children[0], i), i % 3 != 0);
    cr_expect_eq(is_valid(batch.children[1], i), i % 4 != 0);
    cr_expect(is_valid(batch.children[2], i));
    int length = ends[i + 1] - ends[i];
    cr_expect_eq(length, i % 3 ? (int)strlen(name) : 0);
    cr_expect_eq(memcmp(text + ends[i], name, (size_t)length), 0);
    if (i % 4)
      cr_expect_eq(((const int64_t *)batch.children[1]->buffers[1])[i], i);
    cr_expect_eq(((const double *)batch.children[2]->buffers[1])[i], i / 2.0);
  }
  cr_expect_eq(batch.children[0]->null_count, 7);
  cr_expect_eq(batch.children[2]->null_count, 0);
  cr_expect_eq(stream.get_next(&stream, &end), 0);
  cr_expect_null(end.release, "one batch");
  batch.release(&batch);
  stream.release(&stream);
  cr_expect_null(stream.release);
}

Test(arrow, columns_have_the_types_of_their_fields) {
  struct ArrowArrayStream stream;
  struct ArrowSchema first, second;
  static const char *const expected[][2] = {{"name", "u"}, {"whole", "l"}, {"real", "g"}};
  make(&stream);
  cr_assert_eq(stream.get_schema(&stream, &first), 0);
  cr_assert_eq(stream.get_schema(&stream, &second), 0);
  stream.release(&stream);
  first.release(&first);
  cr_expect_str_eq(second.format, "+s");
  for (int i = 0; i < 3; i++) {
    cr_expect_str_eq(second.children[i]->name, expected[i][0]);
    cr_expect_str_eq(second.children[i]->format, expected[i][1]);
  }
  second.release(&second);
}

/* A consumer moves a column, as the specification allows: it copies the struct and marks the
 * original as released. */
Test(arrow, a_moved_column_outlives_its_array) {
  struct ArrowArrayStream stream;
  struct ArrowArray batch;
  struct ArrowSchema schema;
  make(&stream);
  cr_assert_eq(stream.get_schema(&stream, &schema), 0);
  cr_assert_eq(stream.get_next(&stream, &batch), 0);
  struct ArrowArray column = *batch.children[2];
  struct ArrowSchema type = *schema.children[2];
  batch.children[2]->release = NULL;
  schema.children[2]->release = NULL;
  batch.release(&batch);
  schema.release(&schema);
  stream.release(&stream);
  cr_expect_eq(((const double *)column.buffers[1])[ROWS - 1], (ROWS - 1) / 2.0);
  cr_expect_str_eq(type.name, "real");
  type.release(&type);
  column.release(&column);
}

Test(arrow, a_stream_without_rows_or_readers_is_released) {
  struct ArrowArrayStream stream;
  struct ArrowArray end;
  struct ArrowSchema schema;
  etr_arrow *table = etr_arrow_new();
  etr_arrow_add_column(table, "a", ETR_ARROW_TEXT);
  cr_assert_eq(etr_arrow_hand_over(table, &stream, NULL), ETR_OK);
  cr_expect_eq(stream.get_next(&stream, &end), 0);
  cr_expect_null(end.release);
  cr_expect_eq(stream.get_schema(&stream, &schema), 0);
  schema.release(&schema);
  stream.release(&stream);
  make(&stream);
  stream.release(&stream);
  etr_arrow_free(etr_arrow_new());
}
