/* SPDX-License-Identifier: BSD-3-Clause
 *
 * flat_json.c - finds members of a JSON object on one line. It goes through the object once for
 * each key, because lines are short.
 */
#include "command/flat_json.h"

#include "formats/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The member that is looked for: its name, and what its value has. */
typedef struct member {
  const char *key;    /* NULL: none */
  etr_json_type type; /* ETR_JSON_END: there is no such member */
  double number;
  char *room; /* for a text; NULL: none is wanted */
  size_t size;
} member;

/* Reads the value that follows into the member if it is a number, or a string that has room. Else
 * skips it, and sets only the member's type (ETR_JSON_END for a string without room). */
static void read_value(etr_json *json, member *wanted) {
  wanted->type = etr_json_peek(json);
  if (wanted->type == ETR_JSON_NUMBER) {
    wanted->number = etr_json_number(json);
  } else if (wanted->type == ETR_JSON_STRING && wanted->room != NULL) {
    etr_slice text = etr_json_string(json);
    if (text.size < wanted->size)
      (void)snprintf(wanted->room, wanted->size, "%.*s", (int)text.size, text.data);
    else
      wanted->type = ETR_JSON_END;
  } else {
    etr_json_skip(json);
  }
}

/* Finds a member of the object with which a line begins (wanted->key is NULL: none); of several
 * with its key the last one counts. Returns false if the line does not begin with a whole object,
 * or when out of memory. */
static bool find_member(const char *line, member *wanted) {
  etr_json *json = etr_json_open_memory((etr_slice){line, strcspn(line, "\n")}, NULL);
  if (json == NULL)
    return false;
  etr_json_object(json);
  for (etr_slice key; etr_json_key(json, &key);) {
    if (wanted->key != NULL && etr_slice_equal(key, etr_slice_of(wanted->key)))
      read_value(json, wanted);
    else
      etr_json_skip(json);
  }
  bool is_whole = !etr_json_failed(json);
  etr_json_close(json);
  return is_whole;
}

bool flat_json_is_object(const char *line) {
  return find_member(line, &(member){.key = NULL});
}

bool flat_json_has(const char *line, const char *key) {
  member m = {.key = key};
  return find_member(line, &m) && m.type != ETR_JSON_END;
}

bool flat_json_number(const char *line, const char *key, double *out) {
  member m = {.key = key};
  if (!find_member(line, &m) || m.type != ETR_JSON_NUMBER || !isfinite(m.number))
    return false;
  *out = m.number;
  return true;
}

bool flat_json_text(const char *line, const char *key, char *room, size_t size) {
  member m = {.key = key, .room = room, .size = size};
  return find_member(line, &m) && m.type == ETR_JSON_STRING;
}
