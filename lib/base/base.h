/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base.h - errors and small helpers that every file of lib/ uses. Layer 0.
 */
#ifndef ETR_BASE_H
#define ETR_BASE_H

#include "etrecord.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#if defined(__GNUC__)
#define ETR_PRINTF(format_at, arguments_at) __attribute__((format(printf, format_at, arguments_at)))
#else
#define ETR_PRINTF(format_at, arguments_at)
#endif

/** Bytes that something else owns; not NUL-terminated. */
typedef struct etr_slice {
  const char *data;
  size_t size;
} etr_slice;

#define ETR_SLICE(literal) ((etr_slice){(literal), sizeof(literal) - 1})

static inline bool etr_slice_equal(etr_slice a, etr_slice b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/** Compares a slice with a string literal, whose size is known at compile time, so that no function
 * is called. */
#define etr_slice_is(slice, literal)                                                               \
  ((slice).size == sizeof(literal) - 1 && memcmp((slice).data, (literal), sizeof(literal) - 1) == 0)

bool etr_slice_starts(etr_slice slice, etr_slice prefix);
bool etr_slice_ends(etr_slice slice, etr_slice suffix);

/** Returns true if binary bytes were copied in text mode, which writes a carriage return before
 * each line feed: no line feed is without one, and there are too many for that to be chance. */
bool etr_slice_is_text_copy(etr_slice bytes);

/** What an error says of such a file, behind what is wrong with it. */
#define ETR_TEXT_COPY_ADVICE                                                                       \
  ": it was copied as text, which changes line ends: copy it again in binary mode"

/** Returns the start of a text: at most `most` bytes, cut between characters. */
etr_slice etr_slice_head(const char *text, size_t most);

/** Expands to the two arguments of printf's %.*s for the start of a text: at most `most` bytes. */
#define ETR_HEAD(text, most) (int)etr_slice_head((text), (most)).size, (text)

/** Returns the slice of a NUL-terminated string. */
static inline etr_slice etr_slice_of(const char *text) {
  return (etr_slice){text, strlen(text)};
}

/** Expands to the bytes of an object, which can be the key of a map. */
#define ETR_BYTES(object) ((etr_slice){(const char *)&(object), sizeof(object)})

/** Returns the first `count` bytes of a slice, or all of them if it has fewer. */
static inline etr_slice etr_slice_before(etr_slice slice, size_t count) {
  return (etr_slice){slice.data, count < slice.size ? count : slice.size};
}

/** Returns what follows the first `count` bytes of a slice. */
static inline etr_slice etr_slice_after(etr_slice slice, size_t count) {
  if (count > slice.size)
    count = slice.size;
  return (etr_slice){slice.data + count, slice.size - count};
}

/** Returns the index of a character in a slice, or the slice's size if it is not in it. */
static inline size_t etr_slice_find(etr_slice slice, char wanted) {
  const char *at = slice.size ? memchr(slice.data, wanted, slice.size) : NULL;
  return at ? (size_t)(at - slice.data) : slice.size;
}

/** Returns the text, or "" for NULL. */
static inline const char *etr_or_empty(const char *text) {
  return text ? text : "";
}

/** Returns what the noun behind a count ends with. */
static inline const char *etr_plural(uint64_t count) {
  return count == 1 ? "" : "s";
}

/**
 * Parses a complete slice as a decimal integer with optional '-'. Returns false and leaves *out
 * unchanged if it is not one or does not fit.
 */
bool etr_slice_to_int(etr_slice slice, int64_t *out);

/** Sorts like qsort(), but accepts an empty list, and does not change a list that is already in
 * order. */
void etr_sort(void *list, size_t count, size_t size, int (*compare)(const void *, const void *));

/** Returns the first index in a sorted list whose element is not less than *wanted; count if there
 * is none. compare is called like by bsearch().
 */
size_t etr_lower_bound(const void *wanted, const void *list, size_t count, size_t size,
                       int (*compare)(const void *, const void *));

/** Returns the index of the first element that starts with `wanted`, in a list that is sorted by
 * the int32_t with which its elements start; count if there is none. */
size_t etr_find_int(int32_t wanted, const void *list, size_t count, size_t size);

/** Compare elements that start with an int32_t, with a uint32_t, or with two uint32_t, for sorting
 * and searching. */
int etr_by_int(const void *a, const void *b);
int etr_by_number(const void *a, const void *b);
int etr_by_two_numbers(const void *a, const void *b);

/** Orders an array of texts, const char *, by their bytes. */
int etr_by_text(const void *a, const void *b);

/** Fills *error (which may be NULL) and returns status, so that `return etr_fail(...)` reads well.
 * file and entry may be NULL. */
etr_status etr_fail(etr_error *error, etr_status status, const char *file, const char *entry,
                    uint64_t offset, const char *format, ...) ETR_PRINTF(6, 7);

/** These fill *error and return ETR_ERROR_MEMORY, without a file or for the file that is being
 * read. */
etr_status etr_fail_memory(etr_error *error);
etr_status etr_fail_memory_of(etr_error *error, const char *file, const char *entry);

/** Fills *error and returns ETR_ERROR_IO for a sink that failed; the sink knows the reason. */
etr_status etr_fail_sink(etr_error *error);

/** Clears an error before a call chain starts. NULL is allowed. */
void etr_error_clear(etr_error *error);

/** Returns from the function if a call does not return ETR_OK. */
#define ETR_TRY(call)                                                                              \
  do {                                                                                             \
    etr_status etr_try_status = (call);                                                            \
    if (etr_try_status != ETR_OK)                                                                  \
      return etr_try_status;                                                                       \
  } while (0)

/** Stops a sanitizer build if a condition is false that must be true for every input. Other builds
 * do not check it.
 */
#ifdef ETR_CHECKS
#define ETR_CHECK(condition)                                                                       \
  ((condition) ? (void)0 : etr_check_failed(#condition, __FILE__, __LINE__))
_Noreturn void etr_check_failed(const char *condition, const char *file, int line);
#else
#define ETR_CHECK(condition) ((void)sizeof(condition))
#endif

/** Reads a little-endian number of up to 8 bytes. */
static inline uint64_t etr_load_le(const void *bytes, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; i++)
    value |= (uint64_t)((const uint8_t *)bytes)[i] << (8 * i);
  return value;
}

/** Returns the number whose IEEE 754 bits these are. */
static inline double etr_double_of_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/** Drops const. It is for functions of C and of other libraries whose parameters are not const
 * although they only free or read them, and for tests that change their own data. */
static inline void *etr_for_foreign(const void *data) {
  return (void *)(uintptr_t)data;
}

/** Spreads the bits of a number as splitmix64 does, so that sums of such numbers distinguish sets.
 */
static inline uint64_t etr_mixed(uint64_t number) {
  number += 0x9e3779b97f4a7c15u;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
  number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
  return number ^ (number >> 31);
}

/** Returns a + b, or UINT64_MAX if that overflows. */
static inline uint64_t etr_add_up_to_most(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/** Subtracts steps from a limit of work. Returns false, and sets *left to 0, if fewer steps were
 * left. It limits the work on data that several things in a file can share. */
static inline bool etr_spend(size_t *left, size_t steps) {
  bool enough = steps <= *left;
  *left = enough ? *left - steps : 0;
  return enough;
}

/** Refuses to compile a struct with padding, for structs whose bytes are compared or hashed.
 * `members` is the sum of the members' sizes. */
#define ETR_NO_PADDING(type, members)                                                              \
  static_assert(sizeof(type) == (members), "padding is not to be compared")

#define ETR_MIN(a, b) ((a) < (b) ? (a) : (b))
#define ETR_MAX(a, b) ((a) > (b) ? (a) : (b))
#define ETR_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
