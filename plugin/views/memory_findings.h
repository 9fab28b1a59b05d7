/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_findings.h - what in a method's memory is worth a look, most bytes first. Layer 4.
 *
 * A finding says what the program has and how many bytes that is. What is below the thresholds here is left out.
 */
#ifndef ETR_MEMORY_FINDINGS_H
#define ETR_MEMORY_FINDINGS_H

#include "base/arena.h"
#include "etrecord_tb.h"
#include "order/order_moves.h"

/* ---- Sums and lists of a method's memory that several outputs show ---- */

/** A weight of the model: a parameter, buffer or constant of the method's Edge graph, with or without a program. */
typedef struct etr_weight {
  const etr_node *node;
  const etr_value *value;
  const char *module; /* the weight's name without its last part: "layers.0.linear"; "" of the model's own */
  uint64_t bytes;
  bool is_known; /* false: its bytes are not, as dtype or shape tell none */
} etr_weight;

/** Weights or constants that are summed up together. */
typedef struct etr_weight_sum {
  const char *module; /* "" also where sums are not by module */
  const char *dtype;  /* "" if unknown */
  const char *place;  /* of constants: "segment 0", "inline", "external"; "" of weights */
  size_t count;
  uint64_t bytes;
} etr_weight_sum;

/** The graph that has a method's nodes; NULL if there is none. */
const etr_graph *etr_memory_graph(const etr_profile *profile, const etr_method *method);

/** The weights of a method, each name once, in the order of the graph. NULL when out of memory. */
const etr_weight *etr_weights_of(size_t *count, etr_arena *arena, const etr_profile *profile, const etr_method *method);

/** Sums of weights by module and number type, most bytes first. NULL when out of memory. */
const etr_weight_sum *etr_weight_sums_make(size_t *count, etr_arena *arena, const etr_weight *weights,
                                           size_t weight_count);

/** Sums of the program's constants by place and number type, most bytes first. NULL when out of memory. */
const etr_weight_sum *etr_constant_sums_make(size_t *count, etr_arena *arena, const etr_program_memory *memory);

/** What the program gives the delegates of one backend. */
typedef struct etr_blob_sum {
  const char *backend;
  size_t delegates;
  uint64_t bytes, largest_bytes;
  int32_t largest_instruction; /* that first calls the one with the most bytes; -1: none does */
} etr_blob_sum;

/** Sums of a method's blobs by backend, in the order of their calls. NULL when out of memory. */
const etr_blob_sum *etr_blob_sums_make(size_t *count, etr_arena *arena, const etr_memory_plan *plan);

/** Whether a planned tensor has memory of its own that is taken at an instruction. */
bool etr_tensor_is_live(const etr_planned_tensor *tensor, int32_t instruction);

/** The tensors with memory of their own that are live at an instruction, most bytes first; indices into the plan's.
 * NULL when out of memory. */
const uint32_t *etr_live_tensors_make(size_t *count, etr_arena *arena, const etr_memory_plan *plan,
                                      int32_t instruction);

/** What runs as an instruction: the node's operator, "aten.addmm.default", or what the program calls it; "" of -1. */
const char *etr_memory_step_op(const etr_profile *profile, const etr_method *method, int32_t instruction);

/** The module that an instruction is in; "" of the top level, and where nothing is known. */
const char *etr_memory_module(const etr_profile *profile, const etr_method *method, uint32_t module);

/** A line about memory that no program tells. */
typedef struct etr_memory_unknown {
  const char *what; /* as the JSON has it: "delegates", "allocators", "unplanned", "inputs_and_outputs" */
  const char *text;
} etr_memory_unknown;

/** What is not known of a method's memory, and why. NULL when out of memory. */
const etr_memory_unknown *etr_memory_unknowns_make(size_t *count, etr_arena *arena, const etr_memory_plan *plan);

/* ---- What in a method's memory is worth a look, most bytes first ---- */

typedef enum etr_memory_finding_kind {
  ETR_MEMORY_PEAK,          /* the few tensors that are most of the peak */
  ETR_MEMORY_ONE_OPERATOR,  /* the peak is one instruction's: all others stay well below */
  ETR_MEMORY_FRAGMENTATION, /* planned bytes beyond what is ever live at once */
  ETR_MEMORY_IN_PLACE,      /* results as large as an argument that is not needed afterwards */
  ETR_MEMORY_ORDER,         /* instructions that would need less in another order */
  ETR_MEMORY_WAITING,       /* tensors made before the peak and needed only after it */
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
