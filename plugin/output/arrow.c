/* SPDX-License-Identifier: BSD-3-Clause
 *
 * arrow.c - keeps columns in memory and fills the structs of Arrow's C interface with them.
 */
#include "output/arrow.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

/* The values of a column in Arrow's layout: one bit per value that is 0 for a null, and the values
 * in a row. Texts are stored without gaps, with the offsets at which each begins and the last one
 * ends. */
typedef etr_vec(uint8_t) bits;

typedef struct column {
  const char *name;
  etr_arrow_type type;
  int64_t null_count;
  bits valid, flags;
  etr_vec(int64_t) wholes;
  etr_vec(double) reals;
  etr_vec(int32_t) ends;
  etr_vec(char) text;
} column;

enum { MOST_BUFFERS = 3 };

typedef struct column_array {
  struct ArrowArray array;
  const void *buffers[MOST_BUFFERS];
} column_array;

struct etr_arrow {
  etr_arena arena;
  atomic_size_t owners;
  etr_vec(column) columns;
  size_t next; /* index of the column that the next value belongs to */
  int64_t row_count;
  bool is_too_long;
  column_array *arrays; /* one per column */
  struct ArrowArray **children;
  const void *no_buffers[1];
  bool given;
};

/* ---- Filling ---- */

etr_arrow *etr_arrow_new(void) {
  etr_arrow *table = calloc(1, sizeof *table);
  if (!table)
    return NULL;
  etr_arena_init(&table->arena);
  atomic_init(&table->owners, 1);
  return table;
}

/* Ends one owner's share in the table; the last owner frees it. Owners are the stream, each schema
 * and each array, which a consumer releases in any order and from any thread. */
static void disown(etr_arrow *table) {
  if (atomic_fetch_sub(&table->owners, 1) != 1)
    return;
  etr_arena_clear(&table->arena);
  free(table);
}

void etr_arrow_free(etr_arrow *table) {
  if (table)
    disown(table);
}

void etr_arrow_add_column(etr_arrow *table, const char *name, etr_arrow_type type) {
  column *added = etr_vec_push(&table->arena, &table->columns);
  if (!added)
    return;
  *added = (column){.name = etr_arena_copy(&table->arena, etr_slice_of(name)), .type = type};
  int32_t *begin = type == ETR_ARROW_TEXT ? etr_vec_push(&table->arena, &added->ends) : NULL;
  if (begin)
    *begin = 0;
}

/* Appends a bit to one of a column's bit lists, at the position of the row that is being added.
 * Arrow packs eight into a byte, the lowest bit first. When out of memory, the arena has failed. */
static void add_bit(etr_arrow *table, bits *column_bits, bool value) {
  int64_t bit = table->row_count % 8;
  uint8_t *byte = bit ? &column_bits->data[table->row_count / 8]
                      : etr_vec_push(&table->arena, column_bits);
  if (!byte)
    return;
  if (!bit)
    *byte = 0;
  *byte = (uint8_t)(*byte | value << bit);
}

/* Appends a text, or an empty one for NULL, to a column of texts. If the column then had more than
 * 2 GiB, which its 32-bit offsets cannot address, only marks the table as too long. */
static void add_column_text(etr_arrow *table, column *into, const char *text) {
  size_t size = text ? strlen(text) : 0;
  if (size > (size_t)INT32_MAX - into->text.count) {
    table->is_too_long = true;
    return;
  }
  for (size_t i = 0; i < size; i++) {
    char *at = etr_vec_push(&table->arena, &into->text);
    if (at)
      *at = text[i];
  }
  int32_t *end = etr_vec_push(&table->arena, &into->ends);
  if (end)
    *end = (int32_t)into->text.count;
}

/* Appends a value to a column. A null takes the place of a value too: an empty text, false or 0. */
static void add_column_value(etr_arrow *table, column *into, etr_arrow_value value) {
  add_bit(table, &into->valid, !value.is_null);
  into->null_count += value.is_null;
  if (into->type == ETR_ARROW_TEXT) {
    add_column_text(table, into, value.is_null ? NULL : value.text);
  } else if (into->type == ETR_ARROW_FLAG) {
    add_bit(table, &into->flags, !value.is_null && value.whole);
  } else if (into->type == ETR_ARROW_WHOLE) {
    int64_t *whole = etr_vec_push(&table->arena, &into->wholes);
    if (whole)
      *whole = value.is_null ? 0 : value.whole;
  } else {
    double *real = etr_vec_push(&table->arena, &into->reals);
    if (real)
      *real = value.is_null ? 0 : value.real;
  }
}

void etr_arrow_add_value(etr_arrow *table, etr_arrow_value value) {
  if (etr_arena_failed(&table->arena) || table->is_too_long)
    return;
  add_column_value(table, &table->columns.data[table->next], value);
  table->next = (table->next + 1) % table->columns.count;
  table->row_count += table->next == 0;
}

/* ---- The type ---- */

static void release_child_schema(struct ArrowSchema *schema) {
  disown(schema->private_data);
  schema->release = NULL;
}

/* Releases a schema. The schemas of the columns and the list of pointers to them are one block,
 * which the schema of the table owns. */
static void release_schema(struct ArrowSchema *schema) {
  etr_arrow *table = schema->private_data;
  for (int64_t i = 0; i < schema->n_children; i++)
    if (schema->children[i]->release)
      schema->children[i]->release(schema->children[i]);
  free(schema->children);
  schema->release = NULL;
  disown(table);
}

/* Sets *out to the stream's schema: a struct whose children are the columns. Each part shares
 * ownership of the table. The children and the list of pointers to them are one block, which
 * release_schema() frees. Returns 0, or ENOMEM. */
static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
  static const char *const formats[] = {[ETR_ARROW_TEXT] = "u",
                                        [ETR_ARROW_FLAG] = "b",
                                        [ETR_ARROW_WHOLE] = "l",
                                        [ETR_ARROW_REAL] = "g"};
  etr_arrow *table = stream->private_data;
  size_t count = table->columns.count;
  struct ArrowSchema **children = malloc((count + 1) * (sizeof *children + sizeof **children));
  *out = (struct ArrowSchema){0};
  if (!children)
    return ENOMEM;
  struct ArrowSchema *schemas = (struct ArrowSchema *)(children + count + 1);
  for (size_t i = 0; i < count; i++) {
    const column *source = &table->columns.data[i];
    schemas[i] = (struct ArrowSchema){.format = formats[source->type],
                                      .name = source->name,
                                      .flags = ARROW_FLAG_NULLABLE,
                                      .release = release_child_schema,
                                      .private_data = table};
    children[i] = &schemas[i];
  }
  *out = (struct ArrowSchema){.format = "+s",
                              .name = "",
                              .n_children = (int64_t)count,
                              .children = children,
                              .release = release_schema,
                              .private_data = table};
  atomic_fetch_add(&table->owners, count + 1);
  return 0;
}

/* ---- The values ---- */

static void release_child_array(struct ArrowArray *array) {
  disown(array->private_data);
  array->release = NULL;
}

/* Releases the array of the table, and those of its columns that the consumer has not taken out. */
static void release_array(struct ArrowArray *array) {
  for (int64_t i = 0; i < array->n_children; i++)
    if (array->children[i]->release)
      array->children[i]->release(array->children[i]);
  release_child_array(array);
}

/* Fills the array of a column with pointers into the table, in Arrow's order: which values are not
 * null (NULL if all are), then the values or, for texts, where each ends and all bytes. */
static void fill_array(etr_arrow *table, column_array *filled, const column *source) {
  filled->buffers[0] = source->null_count ? source->valid.data : NULL;
  if (source->type == ETR_ARROW_TEXT) {
    filled->buffers[1] = source->ends.data;
    filled->buffers[2] = source->text.data ? source->text.data : "";
  } else {
    const void *const values[] = {[ETR_ARROW_FLAG] = source->flags.data,
                                  [ETR_ARROW_WHOLE] = source->wholes.data,
                                  [ETR_ARROW_REAL] = source->reals.data};
    filled->buffers[1] = values[source->type];
  }
  filled->array = (struct ArrowArray){.length = table->row_count,
                                      .null_count = source->null_count,
                                      .n_buffers = source->type == ETR_ARROW_TEXT ? 3 : 2,
                                      .buffers = filled->buffers,
                                      .release = release_child_array,
                                      .private_data = table};
}

/* Sets *out to the one batch of the stream, with all rows, at the first call; at the second, or if
 * there are no rows, to a released array, which means the end. Returns 0: it cannot fail. */
static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
  etr_arrow *table = stream->private_data;
  *out = (struct ArrowArray){0};
  if (table->given || table->row_count == 0)
    return 0;
  table->given = true;
  for (size_t i = 0; i < table->columns.count; i++) {
    fill_array(table, &table->arrays[i], &table->columns.data[i]);
    table->children[i] = &table->arrays[i].array;
  }
  *out = (struct ArrowArray){.length = table->row_count,
                             .n_buffers = 1,
                             .n_children = (int64_t)table->columns.count,
                             .buffers = table->no_buffers,
                             .children = table->children,
                             .release = release_array,
                             .private_data = table};
  atomic_fetch_add(&table->owners, table->columns.count + 1);
  return 0;
}

/* ---- The stream ---- */

static const char *get_last_error(struct ArrowArrayStream *stream) {
  (void)stream;
  return "out of memory"; /* the only possible error */
}

static void release_stream(struct ArrowArrayStream *stream) {
  disown(stream->private_data);
  stream->release = NULL;
}

/* Writes nothing: the sink only carries the table, whose rows the answer adds itself. */
static bool drop_text(void *context, const void *data, size_t size) {
  (void)context;
  (void)data;
  (void)size;
  return true;
}

etr_sink etr_arrow_sink(etr_arrow *table) {
  return (etr_sink){.write = drop_text, .context = table};
}

etr_arrow *etr_arrow_of(const etr_sink *sink) {
  return sink->write == drop_text ? sink->context : NULL;
}

etr_status etr_arrow_hand_over(etr_arrow *table, struct ArrowArrayStream *out, etr_error *error) {
  *out = (struct ArrowArrayStream){0};
  table->arrays = etr_arena_alloc_array(&table->arena, table->columns.count, sizeof *table->arrays);
  table->children = etr_arena_alloc_array(&table->arena, table->columns.count,
                                          sizeof *table->children);
  if (etr_arena_failed(&table->arena) || table->is_too_long) {
    disown(table);
    return etr_fail_memory(error);
  }
  *out = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, table};
  return ETR_OK;
}
