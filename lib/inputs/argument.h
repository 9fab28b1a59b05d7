/* SPDX-License-Identifier: BSD-3-Clause
 *
 * argument.h - the arguments of nodes that are no tensors: numbers, lists, texts, types. Layer 2.
 *
 * A program repeats the same few arguments for thousands of nodes: names and values are interned, and the text of a
 * list is read once. What a symbolic number stands for is told behind the nodes: until then its argument waits.
 */
#ifndef ETR_ARGUMENT_H
#define ETR_ARGUMENT_H

#include "inputs/text_cache.h"

enum { ETR_MOST_ARGUMENTS = 64 }; /* of a node */

/** An argument that is being read: the value, or for symbolic numbers their text in the document. */
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
  etr_map lists; /* whose texts became: */
  etr_vec(const char *) values;
  etr_vec(etr_argument_draft) drafts; /* of the nodes being read, the innermost graph's last */
  etr_vec(etr_argument_waiting) waiting;
} etr_arguments;

/** The expression of the symbolic number with this name; NULL if it has none. */
typedef const char *(*etr_symbol_of)(void *context, etr_slice name);

/** Texts are interned in `strings`, whose arena the arguments live in, too. */
void etr_arguments_init(etr_arguments *arguments, etr_map *strings, etr_arena *scratch);

/**
 * Reads the value that is next, that of a union's `member`: "as_ints"; it becomes a draft. A value that is no argument
 * (None, or null as old files write dead members) and one without a name are passed over.
 */
void etr_arguments_read(etr_arguments *arguments, const char *name, etr_slice member, etr_json *json);

/** The same of symbolic numbers, "as_sym_...", but leaves the value unread: its names are uses of values, too. */
void etr_arguments_note_symbolic(etr_arguments *arguments, const char *name, etr_slice member, etr_json *json);

/** Gives the drafts behind the first `base` to the node: at most ETR_MOST_ARGUMENTS, of several with one name the
 * first. */
void etr_arguments_take(etr_arguments *arguments, size_t base, etr_node *node);

/** Writes what waits behind the first `base`, now that expressions are known. */
void etr_arguments_resolve(etr_arguments *arguments, size_t base, etr_symbol_of symbol_of, void *context);

#endif
