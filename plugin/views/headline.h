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
  ETR_HEADLINE_CALLS,     /* calling the delegates of a backend */
  ETR_HEADLINE_COPIES,    /* copies that a backend inserted */
  ETR_HEADLINE_OPAQUE,    /* in a backend that records no operators */
  ETR_HEADLINE_PHASE,     /* a phase of a backend */
  ETR_HEADLINE_RUNTIME,
  ETR_HEADLINE_UNEXPLAINED,
} etr_headline_kind;

/** A part of the time that the sentence may name: the sum of some rows. */
typedef struct etr_headline_part {
  etr_headline_kind kind;
  etr_phase phase;
  uint32_t number;     /* while the parts are sorted: which one it is */
  const char *op;      /* of ETR_HEADLINE_OPERATORS: operator, or kernel without a graph */
  const char *dtype;   /* NULL: not known */
  const char *backend; /* NULL: the CPU */
  size_t count;        /* operators, kernels or delegates; 0 for the runtime */
  double ticks;        /* in the typical run, without interruptions */
  double low, high;    /* shares of Method::execute; they differ if a clock hides what is computing.
                          No time of a part contains interruptions. */
  bool is_linear, is_convolution; /* of ETR_HEADLINE_OPERATORS */
  bool has_graph;                 /* op names a node's operator */
  bool is_between;                /* of kernels: nearly all run between calls of delegates */
  bool is_beside; /* of a phase: operators of its backend have times of their own, which it lacks */
} etr_headline_part;

/** The sentence and what it is made of. */
typedef struct etr_headline {
  const char *time; /* "913 ms per inference" */
  const char
      *where; /* "67 % is 49 float32 linear layers in XNNPACK; 18 % is ..."; "" without runs */
  const char *text;           /* both, the time with its spread as etr_put_execute() writes it:
                                 "913 ms ± 21 per inference. 67 % is ...", and of two modes
                                 (etr_is_between_modes()) both times */
  etr_headline_part parts[2]; /* the largest disjoint parts of at least a tenth, or the largest */
  size_t count;
  double interrupted;             /* share of Method::execute that interruptions take: see
                                     etr_method.interruptions */
  double usual;                   /* ticks of the typical Method::execute without interruptions */
  const etr_headline_part *types; /* all parts, the longest first; they add up to the usual time */
  size_t type_count;
  const uint32_t *type_of_row; /* per row of the groups: its index in `types`; ETR_NONE of the row
                                  of interruptions */
} etr_headline;

/** Makes the sentence about a method, in fewer words where it is longer than ETR_HEADLINE_LONGEST,
 * and the list of parts behind it. All texts are "" for a method without times. unit: of its times.
 * Returns false when out of memory. */
bool etr_headline_make(etr_headline *out, etr_arena *arena, const etr_profile *profile,
                       const etr_method *method, const etr_groups *groups, etr_unit unit);

/** Returns true if a row of the groups is among those that a part sums up. */
bool etr_headline_has(const etr_headline_part *part, const etr_group *group);

/** Returns the name of a part as a row has it: "float32 linear layers", "calling 82 delegates",
 * "waiting in QNN". NULL when out of memory. */
const char *etr_headline_part_name(etr_arena *arena, const etr_headline_part *part);

/** Writes the share of a part, or its range where a clock hides something: "38 – 61 %", "up to
 * 41 %". is_row: as a cell of a table has it, "38–61 %", "≤41 %". */
void etr_headline_put_share(etr_writer *writer, const etr_headline_part *part, bool is_row);

/** Returns the name of the operators of a part as a sentence has it: "linear layers", "softmax"; of
 * a backend's operators without a graph the backend's own name for them, without what it has in
 * parentheses: "Batch Matrix Multiply". NULL when out of memory. */
const char *etr_headline_operators(etr_arena *arena, const etr_headline_part *part);

/** Returns the unit in which a time is read unless the user chose one: microseconds below 1 ms,
 * milliseconds below 10 s, else seconds; cycles if the clock counts them and its rate is not
 * known. */
etr_unit etr_unit_of_ticks(const etr_profile *profile, double ticks);

/** Returns the unit that a screen of a method uses unless the user chose one: that of its typical
 * run. */
etr_unit etr_unit_of_method(const etr_profile *profile, const etr_method *method);

/** Returns the unit in which a time is read that is spent once, such as by loading: it may be a
 * thousand times the times of the table, so its size decides, and not theirs; unless the user chose
 * a unit. */
etr_unit etr_unit_of_single_time(const etr_profile *profile, const etr_table_options *options,
                                 double ticks);

/** Returns a kind as written in JSON: "operators", "kernels", ... Static. */
const char *etr_headline_kind_name(etr_headline_kind kind);

/** Writes a share as people read it: whole per cent, one decimal below 1 %, "<0.1 %". */
void etr_put_percent(etr_writer *writer, double share);

/** Writes what a method takes without interruptions, with so many digits: "37.0", or
 * "23.5 – 37.0" if the fastest run took clearly less or more, "at most 37.0" if so many runs were
 * interrupted that their usual times are of such runs. */
void etr_put_uninterrupted(etr_writer *writer, const etr_profile *profile, const etr_method *method,
                           etr_unit unit, int digits);

#endif
