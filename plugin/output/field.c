/* SPDX-License-Identifier: BSD-3-Clause
 *
 * field.c - finds the value of a field in a row, for people and for programs.
 */
#include "output/table.h"

/* ---- Cells ---- */

/* Reads a signed integer of 4 or 8 bytes as a double. */
static double read_signed(const char *bytes, size_t size) {
  int64_t wide;
  int32_t narrow;
  if (size == sizeof narrow) {
    memcpy(&narrow, bytes, sizeof narrow);
    return (double)narrow;
  }
  memcpy(&wide, bytes, sizeof wide);
  return (double)wide;
}

/* Reads a bool, or an unsigned integer of 4 or 8 bytes, as a double. ETR_NONE in 4 bytes means
 * unknown and becomes NAN. */
static double read_unsigned(const char *bytes, size_t size) {
  uint64_t wide;
  uint32_t narrow;
  if (size == sizeof(bool))
    return *(const bool *)bytes;
  if (size == sizeof narrow) {
    memcpy(&narrow, bytes, sizeof narrow);
    return narrow == ETR_NONE ? NAN : (double)narrow;
  }
  memcpy(&wide, bytes, sizeof wide);
  return (double)wide;
}

/* Reads a member of the struct `row`, or of the struct that a pointer in it leads to, as text or
 * number. Neither is known (NULL, NAN) if that pointer is NULL or a signed number is negative. A
 * field without a member has the number 0. Values are copied because their types are only known at
 * run time. */
static etr_plain_cell read_member(const etr_member *member, const char *row) {
  etr_plain_cell cell = {NULL, NAN};
  if (member->pointer != ETR_IN_ROW)
    memcpy(&row, row + member->pointer, sizeof row);
  if (!row)
    return cell;
  row += member->offset;
  switch (member->type) {
  case ETR_MEMBER_NONE:
    cell.number = 0;
    break;
  case ETR_MEMBER_TEXT:
    memcpy(&cell.text, row, sizeof cell.text);
    break;
  case ETR_MEMBER_REAL:
    memcpy(&cell.number, row, sizeof cell.number);
    break;
  case ETR_MEMBER_SIGNED:
    cell.number = read_signed(row, member->size);
    break;
  case ETR_MEMBER_UNSIGNED:
    cell.number = read_unsigned(row, member->size);
    break;
  }
  if (member->type == ETR_MEMBER_SIGNED && cell.number < 0)
    cell.number = NAN;
  return cell;
}

etr_plain_cell etr_field_plain_cell(const etr_field *field, const void *row) {
  if (field->has && !field->has(row))
    return (etr_plain_cell){NULL, NAN};
  if (!field->get)
    return read_member(&field->member, row);
  const etr_cell cell = field->get(row);
  return (etr_plain_cell){cell.text, cell.number};
}

etr_cell etr_field_cell(const etr_field *field, const void *row) {
  if (field->has && !field->has(row))
    return etr_cell_none();
  etr_cell cell = {0};
  if (field->get) {
    cell = field->get(row);
  } else {
    const etr_plain_cell plain = read_member(&field->member, row);
    cell.text = plain.text;
    cell.number = plain.number;
  }
  if (field->digits)
    cell.digits = field->digits;
  if (field->step)
    cell.step = field->step(row);
  if (field->own_unit)
    cell.unit = field->own_unit(row);
  return cell;
}

/* ---- JSON ---- */

/* Returns a text as a typed value; null for NULL and, with blank_is_null, for "". */
static etr_scalar text_scalar(const char *text, bool blank_is_null) {
  return (etr_scalar){!text || (blank_is_null && !text[0]) ? ETR_SCALAR_NULL : ETR_SCALAR_TEXT,
                      .text = text};
}

/* Returns an amount as a whole number. An average over inferences is rounded. A number that does
 * not fit into 64 bits with a sign, which end at 9.2e18, remains a real; NaN is handled before. */
static etr_scalar amount_scalar(double number) {
  if (number > 9e18)
    return etr_scalar_of_number(number);
  return (etr_scalar){ETR_SCALAR_WHOLE, .whole = (int64_t)round(number)};
}

/* Sets *number to an unsigned member of 64 bits, which a double could not hold exactly. Returns
 * false if the field's value is no such member of the row, or if the pointer to it is NULL. */
static bool read_exact_uint64(const etr_field *field, const char *row, uint64_t *number) {
  const etr_member *member = &field->member;
  if (field->get || member->type != ETR_MEMBER_UNSIGNED || member->size != sizeof *number)
    return false;
  if (member->pointer != ETR_IN_ROW)
    memcpy(&row, row + member->pointer, sizeof row);
  if (!row)
    return false;
  memcpy(number, row + member->offset, sizeof *number);
  return true;
}

etr_scalar etr_field_scalar(const etr_profile *profile, etr_unit unit, const etr_field *field,
                            const void *row) {
  const etr_cell cell = etr_field_cell(field, row);
  if (field->kind == ETR_CELL_UNIT && !isnan(cell.number))
    /* false: a unit is never blank */
    return text_scalar(cell.unit ? cell.unit : etr_unit_name(unit), false);
  if (field->kind == ETR_CELL_FLAG)
    return (etr_scalar){isnan(cell.number) ? ETR_SCALAR_NULL : ETR_SCALAR_FLAG,
                        .whole = cell.number != 0};
  if (cell.text || field->kind < ETR_CELL_UNIT || isnan(cell.number))
    return text_scalar(cell.text, field->blank_is_null);
  if (field->kind == ETR_CELL_COUNT)
    return (etr_scalar){ETR_SCALAR_WHOLE, .whole = (int64_t)cell.number};
  uint64_t exact;
  bool is_amount = field->kind == ETR_CELL_AMOUNT || field->kind == ETR_CELL_BYTES;
  if (is_amount && read_exact_uint64(field, row, &exact))
    return (etr_scalar){exact > INT64_MAX ? ETR_SCALAR_HUGE : ETR_SCALAR_WHOLE, .huge = exact};
  if (is_amount)
    return amount_scalar(cell.number);
  if (field->kind == ETR_CELL_TIME && !cell.unit)
    return etr_scalar_of_number(etr_ticks_to_unit(profile, cell.number, unit));
  if (field->kind == ETR_CELL_SHARE)
    return etr_scalar_of_number(cell.whole > 0 ? cell.number / cell.whole : NAN);
  return etr_scalar_of_number(cell.number);
}

void etr_put_scalar(etr_jw *json, etr_scalar value) {
  switch (value.type) {
  case ETR_SCALAR_NULL:
    etr_jw_string(json, NULL);
    break;
  case ETR_SCALAR_TEXT:
    etr_jw_string(json, value.text);
    break;
  case ETR_SCALAR_FLAG:
    etr_jw_bool(json, value.whole);
    break;
  case ETR_SCALAR_WHOLE:
    etr_jw_int(json, value.whole);
    break;
  case ETR_SCALAR_HUGE:
    etr_jw_uint(json, value.huge);
    break;
  case ETR_SCALAR_REAL:
    etr_jw_double(json, value.real);
    break;
  }
}

/* ---- Fields with parts ---- */

/* Writes rows as a JSON array of objects. */
static void put_object_array(const etr_fields *fields, const etr_row_type *list, etr_rows rows) {
  etr_jw_array(fields->json);
  for (size_t i = 0; i < rows.count; i++) {
    etr_jw_object(fields->json);
    etr_field_put_members(fields, list, (const char *)rows.first + i * rows.size);
    etr_jw_end(fields->json);
  }
  etr_jw_end(fields->json);
}

/* Returns as rows the elements of an array whose pointer and count are members of the struct `row`,
 * or of the struct that a pointer in it leads to; none if that pointer is NULL. */
static etr_rows rows_of_array(const etr_array *array, const char *row) {
  etr_rows rows = {.size = array->size};
  if (array->pointer != ETR_IN_ROW)
    memcpy(&row, row + array->pointer, sizeof row);
  if (!row)
    return rows;
  memcpy(&rows.first, row + array->first, sizeof rows.first);
  memcpy(&rows.count, row + array->count, sizeof rows.count);
  return rows;
}

/* Writes one element of an array of numbers or texts as JSON. An unsigned integer of 64 bits is
 * written as it is, because a double would not hold it exactly. */
static void put_array_value(const etr_fields *fields, const etr_field *field, const void *value) {
  uint64_t wide;
  if (field->member.size != sizeof wide || field->member.type != ETR_MEMBER_UNSIGNED) {
    etr_put_scalar(fields->json, etr_field_scalar(fields->profile, fields->unit, field, value));
    return;
  }
  memcpy(&wide, value, sizeof wide);
  etr_jw_uint(fields->json, wide);
}

/* Writes the rows that belong to a row as the JSON value that the field's kind says: an array of
 * objects, an array of values, or else the first as an object, which is null if there are no rows.
 */
static void put_field_parts(const etr_fields *fields, const etr_field *field, const void *row) {
  etr_rows rows = field->rows ? field->rows(row) : rows_of_array(&field->array, row);
  if (field->kind == ETR_CELL_LIST) {
    put_object_array(fields, field->parts, rows);
  } else if (field->kind == ETR_CELL_VALUES) {
    etr_jw_array(fields->json);
    for (size_t i = 0; i < rows.count; i++)
      put_array_value(fields, field->parts->first, (const char *)rows.first + i * rows.size);
    etr_jw_end(fields->json);
  } else if (rows.count == 0) {
    etr_jw_null(fields->json);
  } else {
    etr_jw_object(fields->json);
    etr_field_put_members(fields, field->parts, rows.first);
    etr_jw_end(fields->json);
  }
}

void etr_field_put_members_in(const etr_fields *fields, const etr_row_type *list, unsigned media,
                              const void *row) {
  for (const etr_field *field = list->first; field < list->first + list->count; field++) {
    if (!(field->in & media) || !field->key)
      continue;
    if (field->put) {
      field->put(fields, row);
      continue;
    }
    etr_jw_key(fields->json, field->key);
    if (field->parts)
      put_field_parts(fields, field, row);
    else
      etr_put_scalar(fields->json, etr_field_scalar(fields->profile, fields->unit, field, row));
  }
}

void etr_field_put_members(const etr_fields *fields, const etr_row_type *list, const void *row) {
  etr_field_put_members_in(fields, list, ETR_IN_JSON, row);
}

void etr_field_put_rows(const etr_fields *fields, const char *key, const etr_row_type *list,
                        etr_rows rows) {
  etr_jw_key(fields->json, key);
  put_object_array(fields, list, rows);
}

void etr_field_put_row_or_null(const etr_fields *fields, const char *key, const etr_row_type *list,
                               const void *row) {
  etr_jw_key(fields->json, key);
  if (!row) {
    etr_jw_null(fields->json);
    return;
  }
  etr_jw_object(fields->json);
  etr_field_put_members(fields, list, row);
  etr_jw_end(fields->json);
}

#define VALUES(name, cell_kind, type, size)                                                        \
  const etr_row_type etr_values_##name = {                                                         \
      NULL, &(const etr_field){.kind = cell_kind, .member = {type, size, 0, ETR_IN_ROW}}, 1}
VALUES(u32, ETR_CELL_COUNT, ETR_MEMBER_UNSIGNED, sizeof(uint32_t));
VALUES(u64, ETR_CELL_BYTES, ETR_MEMBER_UNSIGNED, sizeof(uint64_t));
VALUES(text, ETR_CELL_NAME, ETR_MEMBER_TEXT, sizeof(char *));
