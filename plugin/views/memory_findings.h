/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_findings.h - what in a method's memory is worth a look, most bytes first. Layer 4.
 *
 * A finding says what the program has and how many bytes that is. What is below the thresholds here is left out.
 */
#ifndef ETR_MEMORY_FINDINGS_H
#define ETR_MEMORY_FINDINGS_H

#include "views/memory_parts.h"
#include "views/order_moves.h"

typedef enum etr_memory_finding_kind {
  ETR_MEMORY_PEAK,          /* the few tensors that are most of the peak */
  ETR_MEMORY_ONE_OPERATOR,  /* the peak is one instruction's: all others stay well below */
  ETR_MEMORY_FRAGMENTATION, /* planned bytes beyond what is ever live at once */
  ETR_MEMORY_IN_PLACE,      /* results as large as an argument that is not needed afterwards */
  ETR_MEMORY_ORDER,         /* instructions that would need less in another order */
  ETR_MEMORY_WAITING,       /* tensors made before the peak and needed only behind it */
  ETR_MEMORY_STORED_TWICE,  /* weights in several places */
  ETR_MEMORY_FLOAT_BESIDE,  /* float32 weights beside int8 ones */
} etr_memory_finding_kind;

/** Least part of the peak, or of what it is about, that a finding has. */
#define ETR_MEMORY_LEAST_SHARE 0.05
/** Least bytes of a finding. */
enum { ETR_MEMORY_LEAST_BYTES = 256 };
/** Part of the peak that the tensors of ETR_MEMORY_PEAK make together, and how many they are at most. */
#define ETR_MEMORY_PEAK_SHARE 0.8
enum { ETR_MEMORY_PEAK_TENSORS = 4 };

typedef struct etr_memory_finding {
  etr_memory_finding_kind kind;
  const char *title;
  const char *evidence;
  uint64_t bytes;                /* that it is about: what could be saved at most, or what is taken */
  int32_t instruction;           /* -1: it is about none */
  const etr_memory_order *order; /* of ETR_MEMORY_ORDER; else NULL */
} etr_memory_finding;

/** Finds what is worth a look in a method's memory, most bytes first. NULL when out of memory. */
const etr_memory_finding *etr_memory_findings_make(size_t *count, etr_arena *arena, const etr_profile *profile,
                                                   const etr_method *method);

/** "peak", "one_operator", "fragmentation", "in_place", "order", "waiting", "stored_twice", "float_beside_int8": the
 * kind as the JSON has it. Static. */
const char *etr_memory_finding_kind_name(etr_memory_finding_kind kind);

#endif
