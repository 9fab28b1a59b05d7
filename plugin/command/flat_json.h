/* SPDX-License-Identifier: BSD-3-Clause
 *
 * flat_json.h - JSON objects on one line: what LLM runners print, and the lines of a history. Layer 6.
 */
#ifndef ETR_FLAT_JSON_H
#define ETR_FLAT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** True if a line is one whole object. The line ends with NUL or a line break. */
bool flat_json_is_object(const char *line);

/** A member's value. False: there is none of that name and kind; texts longer than the room are none. */
bool flat_json_number(const char *line, const char *key, double *out);
bool flat_json_text(const char *line, const char *key, char *room, size_t size);

/** Writes a text as a JSON string: characters that could steer a terminal, and bytes that are not UTF-8, become '?'. */
void flat_json_put_text(FILE *out, const char *text);

/** Writes ,"key":value, without the comma after an opening brace. */
typedef struct flat_json {
  FILE *out;
  bool has_members;
} flat_json;

void flat_json_begin(flat_json *object, FILE *out);
void flat_json_add_text(flat_json *object, const char *key, const char *text);
void flat_json_add_number(flat_json *object, const char *key, double number);

/** Writes a key; its value is to follow. */
void flat_json_add_key(flat_json *object, const char *key);

void flat_json_end(flat_json *object);

#endif
