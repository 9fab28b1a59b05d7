/* SPDX-License-Identifier: BSD-3-Clause
 *
 * argument.h - the arguments of nodes that are not tensors: numbers, lists, texts, types. Layer 2.
 *
 * A program repeats the same few arguments for thousands of nodes, so names and values are
 * interned, and each text of a list is read once. The expression of a symbolic number comes after
 * the nodes in the file; until then its argument waits.
 */
#ifndef ETR_ARGUMENT_H
#define ETR_ARGUMENT_H

#include "inputs/text_cache.h"

enum { ETR_MOST_ARGUMENTS = 64 }; /* of a node */

/** An argument that is being read: the value, or for symbolic numbers their text in the document.
 */
typedef struct etr_argument_draft {
  etr_argument argument;
  etr_slice symbolic;
} etr_argument_draft;

/** An argument that waits for the expressions of its symbolic numbers. */
typedef struct etr_argument_waiting {
  etr_argument *argument;
  etr_slice symbolic;
} etr_argument_waiting;

/** The arguments of one program while it is read. */
typedef struct etr_arguments {
  etr_map *strings;
  etr_arena *scratch;
  etr_text_cache lists; /* numbers `values` */
  etr_vec(const char *) values;
  etr_vec(etr_argument_draft)
      drafts; /* arguments of the nodes being read; those of the innermost graph come last */
  etr_vec(etr_argument_waiting) waiting;
} etr_arguments;

/** Returns the expression of the symbolic number with this name; NULL if it has none. */
typedef const char *(*etr_symbol_of)(void *context, etr_slice name);

/** Prepares for reading. Texts are interned in `strings`; arguments live in its arena. */
void etr_arguments_init(etr_arguments *arguments, etr_map *strings, etr_arena *scratch);

/**
 * Reads the next value, which belongs to a union's `member` such as "as_ints", and adds it as a
 * draft. A value that is not an argument (None, or the null that old files write for unused
 * members) and a value without a name are skipped.
 */
void etr_arguments_read(etr_arguments *arguments, const char *name, etr_slice member,
                        etr_json *json);

/** Adds a draft for symbolic numbers ("as_sym_..."), but leaves the value unread, because the
 * caller needs its names as uses of values. */
void etr_arguments_note_symbolic(etr_arguments *arguments, const char *name, etr_slice member,
                                 etr_json *json);

/** Moves the drafts from index `base` on to the node: at most ETR_MOST_ARGUMENTS, and the first one
 * of each name. */
void etr_arguments_take(etr_arguments *arguments, size_t base, etr_node *node);

/** Writes the symbolic arguments that were read before their symbols, those from index `base` on of
 * the list `waiting`, and removes them from it. symbol_of() returns the expression of a symbol. */
void etr_arguments_resolve(etr_arguments *arguments, size_t base, etr_symbol_of symbol_of,
                           void *context);

#endif
