/* SPDX-License-Identifier: BSD-3-Clause
 *
 * json.h - a pull reader for JSON that never holds the document. Layer 1.
 *
 * torch.export writes documents of hundreds of megabytes of which a graph needs little. They
 * contain bare NaN and Infinity, and whole documents inside strings. This reader therefore keeps
 * only a window of its source in memory, returns strings as slices, skips values without storing
 * them, and can read a document inside a string while it decodes the string.
 *
 *   etr_json_object(json);
 *   while (etr_json_key(json, &key))
 *     if (etr_slice_is(key, "nodes")) read_nodes(json);
 *     else etr_json_skip(json);
 *   if (etr_json_failed(json)) ...
 *
 * Errors are sticky: after the first one, every call does nothing and returns 0, false or an empty
 * slice, so that loops end. Check for errors once at the end. A value of another type than
 * requested is an error at its offset.
 */
#ifndef ETR_JSON_H
#define ETR_JSON_H

#include "base/base.h"

/** Writes up to `size` next bytes of a document to `into`. Returns their number, 0 at the end, or
 * -1 on failure; the source knows the reason. */
typedef int64_t (*etr_read)(void *context, char *into, size_t size);

typedef enum etr_json_type {
  ETR_JSON_END, /* end of the document, or after an error */
  ETR_JSON_NULL,
  ETR_JSON_BOOL,
  ETR_JSON_NUMBER,
  ETR_JSON_STRING,
  ETR_JSON_ARRAY,
  ETR_JSON_OBJECT,
} etr_json_type;

/** Limits of one reader. */
typedef struct etr_json_limits {
  uint32_t max_depth; /* deepest nesting of arrays and objects; 0: 512 */
  size_t
      max_string_bytes; /* longest string that is read (skipped strings may be longer); 0: 64 MiB */
} etr_json_limits;

typedef struct etr_json etr_json;

/**
 * Starts reading a document. Returns NULL only when out of memory. Free with etr_json_close().
 * `limits` may be NULL.
 */
etr_json *etr_json_open(etr_read read, void *context, const etr_json_limits *limits);

/** Starts reading a document in memory. The bytes must outlive the reader. Returns NULL only when
 * out of memory. `limits` may be NULL. */
etr_json *etr_json_open_memory(etr_slice document, const etr_json_limits *limits);

void etr_json_close(etr_json *json);

/** Returns the type of the next value, which stays unread; ETR_JSON_END behind the last value, or
 * if the reader has failed. */
etr_json_type etr_json_peek(etr_json *json);

/** Enters the next value, which must be an object, for etr_json_key(). */
void etr_json_object(etr_json *json);
/** Moves to the next key of the object entered last; false at its end, which it leaves. Each key's
 * value must be read or skipped. The slice is unescaped and lives until the next call on this
 * reader. */
bool etr_json_key(etr_json *json, etr_slice *key);

/** Skips the rest of the object or array entered last, and leaves it. Call it between keys or
 * elements. */
void etr_json_leave(etr_json *json);

/** Enters the next value, which must be an array, for etr_json_element(). */
void etr_json_array(etr_json *json);
/** Moves to the next element of the array entered last; false at its end, which it leaves. Each
 * element must be read or skipped. */
bool etr_json_element(etr_json *json);

/** Reads a string, unescaped (unpaired surrogates become U+FFFD); "" if the reader fails. It lives
 * until the next call on this reader. */
etr_slice etr_json_string(etr_json *json);
/** Returns the next string as it is written in the document, with its escapes, and leaves it
 * unread. It lives until the next call on this reader. Returns false if the next value is not a
 * string, or if it is longer than the window. */
bool etr_json_peek_raw(etr_json *json, etr_slice *raw);
/** Returns the next string, array or object as it is written in the document, with its quotes or
 * brackets, and leaves it unread. If it is then skipped, nothing in it is checked, not even whether
 * brackets match: use it for texts that were read before. */
bool etr_json_peek_whole(etr_json *json, etr_slice *raw);
/** Skips the next value if it is written exactly like this string, array or object, which was read
 * before. False, and nothing skipped, if it is not, or if the window does not show all of it. */
bool etr_json_skip_same(etr_json *json, etr_slice raw);
/** Reads an integer. A fraction, or a value that does not fit, is an error; the result is 0 then.
 */
int64_t etr_json_int(etr_json *json);
/** Reads a number of at most 400 bytes. NaN, Infinity and -Infinity are accepted. Returns 0 if the
 * reader fails. */
double etr_json_number(etr_json *json);
/** Reads a number as it is written in the document: "1e-05", "NaN"; "" if the reader fails. The
 * text lives until the next call on this reader. */
etr_slice etr_json_number_text(etr_json *json);
/** Reads true or false. Returns false, too, if the next value is neither, which fails the reader.
 */
bool etr_json_bool(etr_json *json);
/** Reads a null and returns true. If the next value is not null, it stays unread, and false is
 * returned. */
bool etr_json_null(etr_json *json);
/** Skips a value of any type and size in constant memory. Inside an array, an object or a string it
 * checks only that strings end, brackets match and max_depth is not exceeded. */
void etr_json_skip(etr_json *json);

/**
 * Starts reading the document inside the next string, decoding its escapes on the way, in constant
 * memory and to any depth of such nesting. While the inner reader is open, the outer one must not
 * be used. Closing the inner reader at any point skips the rest of the string, so that the outer
 * reader continues after it. An error inside does not make the outer reader fail. Returns NULL, and
 * the outer reader fails, if the next value is not a string.
 */
etr_json *etr_json_open_string(etr_json *outer);

/** Checks that nothing but white space follows the value read last; otherwise the reader fails. */
void etr_json_end(etr_json *json);

/** Returns true after any error. */
bool etr_json_failed(const etr_json *json);
/** Returns the error, a static text such as "unexpected end of document"; NULL if there was none.
 */
const char *etr_json_message(const etr_json *json);
/** Returns the byte offset of the error if there was one, or else of what comes next. An inner
 * reader counts decoded bytes. */
uint64_t etr_json_offset(const etr_json *json);
/** Returns true if the source failed, and not the document. The source of an inner reader is its
 * outer reader, which knows the reason. */
bool etr_json_source_failed(const etr_json *json);
/** Returns true if the failure was a lack of memory. */
bool etr_json_out_of_memory(const etr_json *json);
/** Makes the reader fail at the current offset with a static text, for callers that find an invalid
 * value of the right type. */
void etr_json_fail(etr_json *json, const char *message);

#endif
