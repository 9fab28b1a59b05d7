/* SPDX-License-Identifier: BSD-3-Clause
 *
 * headline.h - where a method's time goes, in one sentence. Layer 4.
 */
#ifndef ETR_HEADLINE_H
#define ETR_HEADLINE_H

#include "views/groups.h"

/** Characters of `where` that a sentence has at most where shorter words help: a line of 100. */
enum { ETR_HEADLINE_LONGEST = 100 };

typedef enum etr_headline_kind {
  ETR_HEADLINE_OPERATORS, /* operators of one type, data type and backend */
  ETR_HEADLINE_KERNELS,   /* all kernels on the CPU together, beside delegates */
  ETR_HEADLINE_CALLS,     /* calling the delegates of a backend, and the copies that it inserted */
  ETR_HEADLINE_OPAQUE,    /* in a backend that records no operators */
  ETR_HEADLINE_PHASE,     /* a phase of a backend */
  ETR_HEADLINE_RUNTIME,
  ETR_HEADLINE_UNEXPLAINED,
} etr_headline_kind;

/** A part of the time that the sentence names. */
typedef struct etr_headline_part {
  etr_headline_kind kind;
  etr_phase phase;
  const char *op;      /* of ETR_HEADLINE_OPERATORS: operator, or kernel without a graph */
  const char *dtype;   /* NULL: not known */
  const char *backend; /* NULL: the CPU */
  size_t count;        /* operators, kernels or delegates; 0 for the runtime */
  double ticks;        /* in the typical run, without interruptions */
  double inserted;     /* of ETR_HEADLINE_CALLS: the part of ticks that inserted copies take */
  double low, high;    /* shares of Method::execute, without interruptions; they differ if a clock
                          hides what is computing */
  bool is_linear, is_convolution; /* of ETR_HEADLINE_OPERATORS */
  bool has_graph;                 /* op names a node's operator */
  bool is_between;                /* of kernels: nearly all run between calls of delegates */
} etr_headline_part;

/** The sentence and what it is made of. */
typedef struct etr_headline {
  const char *time; /* "913 ms per inference" */
  const char
      *where; /* "67 % is 49 float32 linear layers in XNNPACK; 18 % is ..."; "" without runs */
  const char *text;           /* both: "913 ms per inference. 67 % is ..." */
  etr_headline_part parts[2]; /* the largest disjoint parts of at least a tenth, or the largest */
  size_t count;
  double interrupted; /* share of Method::execute that interruptions take: see etr_interruptions */
} etr_headline;

/** Makes the sentence of a method. Returns false when out of memory. */
bool etr_headline_make(etr_headline *out, etr_arena *arena, const etr_profile *profile,
                       const etr_method *method, const etr_groups *groups, etr_unit unit);

/** Returns true if a row is part of what the sentence names. */
bool etr_headline_has(const etr_headline_part *part, const etr_group *group);

/** Returns the name of the operators of a part as a sentence has it: "linear layers", "softmax",
 * "Batch Matrix Multiply". NULL when out of memory. */
const char *etr_headline_operators(etr_arena *arena, const etr_headline_part *part);

/** Returns the unit in which a time is read unless the user chose one: microseconds below 1 ms,
 * milliseconds below 10 s, else seconds; cycles if the clock counts them and its rate is not
 * known. */
etr_unit etr_unit_of_ticks(const etr_profile *profile, double ticks);

/** Returns the unit that a screen of a method uses unless the user chose one: that of its typical
 * run. */
etr_unit etr_unit_of_method(const etr_profile *profile, const etr_method *method);

/** Returns the unit of a time that is spent once, as by loading or warming up, and so may be a
 * thousand times those of a table: its own, unless the user chose one. */
etr_unit etr_unit_apart(const etr_profile *profile, const etr_table_options *options, double ticks);

/** Returns a kind as written in JSON: "operators", "kernels", ... Static. */
const char *etr_headline_kind_name(etr_headline_kind kind);

/** Writes a share as people read it: whole per cent, one decimal below 1 %, "<0.1 %". */
void etr_put_percent(etr_writer *writer, double share);

#endif
