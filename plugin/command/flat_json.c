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

/* Reads or skips the value that follows. */
static void read_value(etr_json *json, member *m) {
  m->type = etr_json_peek(json);
  if (m->type == ETR_JSON_NUMBER) {
    m->number = etr_json_number(json);
  } else if (m->type == ETR_JSON_STRING && m->room != NULL) {
    etr_slice text = etr_json_string(json);
    if (text.size < m->size)
      (void)snprintf(m->room, m->size, "%.*s", (int)text.size, text.data);
    else
      m->type = ETR_JSON_END;
  } else {
    etr_json_skip(json);
  }
}

/* Returns true if the line begins with a whole object. Of members with the same name the last one
 * counts. */
static bool find_member(const char *line, member *m) {
  etr_json *json = etr_json_open_memory((etr_slice){line, strcspn(line, "\n")}, NULL);
  if (json == NULL)
    return false;
  etr_json_object(json);
  for (etr_slice key; etr_json_key(json, &key);) {
    if (m->key != NULL && etr_slice_equal(key, etr_slice_of(m->key)))
      read_value(json, m);
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
