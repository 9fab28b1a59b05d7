/* SPDX-License-Identifier: BSD-3-Clause
 *
 * json.h - a pull reader for JSON that never holds the document. Layer 1.
 *
 * torch.export documents run to hundreds of megabytes of which a graph needs little, carry bare NaN and Infinity, and
 * hold whole documents inside strings. So this reader keeps a window over a byte source, hands out strings as slices,
 * skips what is not asked for without storing it, and can read a document inside a string as a document of its own,
 * decoding it on the way.
 *
 *   etr_json_object(json);
 *   while (etr_json_key(json, &key))
 *     if (etr_slice_is(key, "nodes")) read_nodes(json);
 *     else etr_json_skip(json);
 *   if (etr_json_failed(json)) ...
 *
 * Errors are sticky: after the first, every call does nothing and returns 0, false or an empty slice, and loops end;
 * check once at the end. A value of another type than asked for is an error at that offset.
 */
#ifndef ETR_JSON_H
#define ETR_JSON_H

#include "base/base.h"

/** Gives the next bytes of a document: up to `size` into `into`; the number given, 0 at the end, or -1 on failure (the
 * source knows why). */
typedef int64_t (*etr_read)(void *context, char *into, size_t size);

typedef enum etr_json_type {
  ETR_JSON_END, /* of the document, or after an error */
  ETR_JSON_NULL,
  ETR_JSON_BOOL,
  ETR_JSON_NUMBER,
  ETR_JSON_STRING,
  ETR_JSON_ARRAY,
  ETR_JSON_OBJECT,
} etr_json_type;

/** Limits of one reader. */
typedef struct etr_json_limits {
  uint32_t max_depth;      /* nesting of arrays and objects; 0: 512 */
  size_t max_string_bytes; /* of a string that is asked for (a skipped one may be of any size); 0: 64 MiB */
} etr_json_limits;

typedef struct etr_json etr_json;

/**
 * Starts reading a document. Returns NULL only when out of memory. Free with etr_json_close(). `limits` may be NULL.
 */
etr_json *etr_json_open(etr_read read, void *context, const etr_json_limits *limits);

/** Starts reading a document that lies in memory; the bytes must outlive the reader. */
etr_json *etr_json_open_memory(etr_slice document, const etr_json_limits *limits);

void etr_json_close(etr_json *json);

/** Type of the next value, which stays unread. */
etr_json_type etr_json_peek(etr_json *json);

/** Enters an object. */
void etr_json_object(etr_json *json);
/** Moves to the next key of the object entered last; false at its end, which it leaves. Each key's value must be read
 * or skipped. The slice is unescaped and lives until the next call on this reader. */
bool etr_json_key(etr_json *json, etr_slice *key);

/** Passes over the rest of the object or array entered last, and leaves it: for callers that have read what they want.
 * Between keys or elements. */
void etr_json_leave(etr_json *json);

/** Enters an array. */
void etr_json_array(etr_json *json);
/** Moves to the next element of the array entered last; false at its end, which it leaves. Each element must be read or
 * skipped. */
bool etr_json_element(etr_json *json);

/** Reads a string, unescaped (unpaired surrogates become U+FFFD). Lives until the next call on this reader. */
etr_slice etr_json_string(etr_json *json);
/** Shows the string that is next as it stands in the document, escapes and all, and leaves it unread; lives until the
 * next call on this reader. False if no string is next, or if it is too long to be shown: a window's length at most. */
bool etr_json_peek_raw(etr_json *json, etr_slice *raw);
/** The same for an array or object too, with its quotes or brackets. Skipping it then checks nothing, not even that
 * brackets match: for texts that were read before. */
bool etr_json_peek_whole(etr_json *json, etr_slice *raw);
/** Reads an integer. A fraction, or a value that does not fit, is an error. */
int64_t etr_json_int(etr_json *json);
/** Reads a number, of at most 400 bytes; NaN, Infinity and -Infinity are numbers too. */
double etr_json_number(etr_json *json);
/** Reads a number as it stands in the document: "1e-05", "NaN". Lives until the next call on this reader. */
etr_slice etr_json_number_text(etr_json *json);
bool etr_json_bool(etr_json *json);
/** Reads a null if one is next, and says so; another value stays unread. */
bool etr_json_null(etr_json *json);
/** Passes over a value of any type and size in constant memory. Inside an array, an object or a string it checks no
 * more than that strings end, brackets match and max_depth is kept. */
void etr_json_skip(etr_json *json);

/**
 * Starts reading the document inside the string that is next, decoding its escapes on the way, to any depth of such
 * nesting, in constant memory. While the inner reader is open the outer must not be used. Closing it (at any point)
 * passes over the rest of the string, so that the outer goes on behind it; an error inside does not make the outer
 * fail. NULL, and the outer failed, when the next value is no string.
 */
etr_json *etr_json_open_string(etr_json *outer);

/** Checks that nothing but white space follows the value read last; otherwise the reader fails. */
void etr_json_end(etr_json *json);

/** True once anything went wrong. */
bool etr_json_failed(const etr_json *json);
/** What went wrong, a static text such as "unexpected end of document"; NULL if nothing. */
const char *etr_json_message(const etr_json *json);
/** Offset in bytes: of the error if there was one, else of what comes next. In an inner reader it counts the decoded
 * bytes. */
uint64_t etr_json_offset(const etr_json *json);
/** True when the failure was the source's, not the document's. An inner reader's source is its outer reader, which
 * knows why. */
bool etr_json_source_failed(const etr_json *json);
/** True when the failure was a lack of memory. */
bool etr_json_out_of_memory(const etr_json *json);
/** Makes the reader fail at the present place with a static text: for callers that find a value of the right type
 * senseless. */
void etr_json_fail(etr_json *json, const char *message);

#endif
