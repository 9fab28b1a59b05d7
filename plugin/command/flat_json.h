/* SPDX-License-Identifier: BSD-3-Clause
 *
 * flat_json.h - members of a JSON object on one line, such as those that LLM runners print.
 * Layer 6.
 */
#ifndef ETR_FLAT_JSON_H
#define ETR_FLAT_JSON_H

#include <stdbool.h>
#include <stddef.h>

/** Returns true if a line begins with a whole object. The line ends with NUL or a line break. */
bool flat_json_is_object(const char *line);

/** Returns true if the object has a member of that name, of any type. */
bool flat_json_has(const char *line, const char *key);

/** Reads a number from the JSON object with which a line begins. Returns false, and leaves *out, if
 * there is no number of that name. */
bool flat_json_number(const char *line, const char *key, double *out);
bool flat_json_text(const char *line, const char *key, char *room, size_t size);

#endif
