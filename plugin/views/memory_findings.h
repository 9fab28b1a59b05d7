/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_findings.h - findings about a method's memory, most bytes first. Layer 4.
 *
 * A finding says what the program does and how many bytes that takes. Findings below the thresholds
 * in this header are left out.
 */
#ifndef ETR_MEMORY_FINDINGS_H
#define ETR_MEMORY_FINDINGS_H

#include "base/arena.h"
#include "etrecord_tb.h"

/* ---- Sums and lists of a method's memory that several outputs show ---- */

/** A weight of the model: a parameter, buffer or constant of the method's Edge graph, with or
 * without a program. */
typedef struct etr_weight {
  const etr_node *node;
  const etr_value *value; /* as in the graph */
  const char *dtype;      /* as the program stores it: "int4"; "" if unknown */
  const char *module; /* the weight's name without its last part: "layers.0.linear"; "" for weights
                         of the top level */
  uint64_t bytes;     /* as the program stores it: etr_packed_weight() */
  bool is_known;      /* false if `bytes` is not known, because dtype or shape is not */
} etr_weight;

/** Weights or constants that are summed up together. */
typedef struct etr_weight_sum {
  const char *module; /* "" for the top level, and if sums are not by module */
  const char *dtype;  /* "" if unknown */
  const char *place;  /* for constants: "segment 0", "inline", "external"; "" for weights */
  size_t count;
  uint64_t bytes;
} etr_weight_sum;

/** Returns true if a planned buffer has states, and no more bytes of what does not outlive a run
 * than the plan's other buffers have: the memory that several methods share has a buffer of its own
 * (MemoryPlanningPass(share_mutable_buffers=True)), in which only results are that are copied into
 * it. `buffer` is an index into plan->buffers. */
bool etr_is_shared_memory(const etr_memory_plan *plan, size_t buffer);

/** Returns the planned memory of all methods of a profile in bytes; NaN if it is not known. Methods
 * that share states share all buffers, each as large as the largest of them needs, as in
 * Module(share_memory_arenas) of ExecuTorch; others have buffers of their own. */
double etr_planned_bytes(const etr_profile *profile);

/** Returns the graph that has a method's nodes; NULL if there is none. */
const etr_graph *etr_memory_graph(const etr_profile *profile, const etr_method *method);

/** Lists the weights of a method, each name once, in the order of the graph, and sets *count, which
 * is 0 without a graph. Zero points that the program does not store are left out. Returns NULL only
 * when out of memory. */
const etr_weight *etr_weights_of(size_t *count, etr_arena *arena, const etr_profile *profile,
                                 const etr_method *method);

/** Adds up weights by module and number type, most bytes first. Returns NULL when out of memory. */
const etr_weight_sum *etr_weight_sums_make(size_t *count, etr_arena *arena,
                                           const etr_weight *weights, size_t weight_count);

/** Adds up the number and bytes of the program's constants by number type and by where they are
 * (a segment, inline or external), most bytes first. Returns NULL when out of memory. */
const etr_weight_sum *etr_constant_sums_make(size_t *count, etr_arena *arena,
                                             const etr_program_memory *memory);

/** The bytes that the program gives to the delegates of one backend. */
typedef struct etr_blob_sum {
  const char *backend;
  size_t delegates;
  uint64_t bytes, largest_bytes;
  int32_t largest_instruction; /* the first instruction that calls the delegate with the most bytes;
                                  -1 if none does */
} etr_blob_sum;

/** Adds up a method's payloads by backend, in the order of their calls. Returns NULL when out of
 * memory. */
const etr_blob_sum *etr_blob_sums_make(size_t *count, etr_arena *arena,
                                       const etr_memory_plan *plan);

/** Lists the tensors with memory of their own that are live at an instruction, most bytes first, as
 * indices into the plan's tensors. Returns NULL when out of memory. */
const uint32_t *etr_live_tensors_make(size_t *count, etr_arena *arena, const etr_memory_plan *plan,
                                      int32_t instruction);

/** Returns what an instruction runs: the node's operator, "aten.addmm.default", or else the
 * program's name for it; "" for -1. */
const char *etr_memory_step_op(const etr_profile *profile, const etr_method *method,
                               int32_t instruction);

/** Returns the path of a module of a method; "" for the top level, and if it is not known. */
const char *etr_memory_module(const etr_profile *profile, const etr_method *method,
                              uint32_t module);

/** A line about memory that the program does not describe. */
typedef struct etr_memory_unknown {
  const char
      *what; /* its name in JSON: "delegates", "allocators", "unplanned", "inputs_and_outputs" */
  const char *text;
} etr_memory_unknown;

/** Lists what is not known about a method's memory, and why. Returns NULL when out of memory. */
const etr_memory_unknown *etr_memory_unknowns_make(size_t *count, etr_arena *arena,
                                                   const etr_memory_plan *plan);

/** Returns, for each tensor of a plan, the index of a tensor over which an elementwise operator
 * could write it: one of its size and type that nothing needs afterwards; ETR_NONE if there is
 * none. Returns NULL when out of memory. */
const uint32_t *etr_memory_in_place_make(etr_arena *arena, const etr_memory_plan *plan);

/* ---- What in a method's memory is worth a look, most bytes first ---- */

typedef enum etr_memory_finding_kind {
  ETR_MEMORY_PEAK,          /* a few tensors are most of the peak */
  ETR_MEMORY_ONE_OPERATOR,  /* one instruction causes the peak: all others need much less */
  ETR_MEMORY_FRAGMENTATION, /* more bytes are planned than are ever live at once */
  ETR_MEMORY_IN_PLACE,      /* results are as large as an argument that is not needed afterwards */
  ETR_MEMORY_WAITING,       /* tensors are made before the peak and needed only after it */
  ETR_MEMORY_STORED_TWICE,  /* weights may be stored several times */
  ETR_MEMORY_FLOAT_BESIDE,  /* there are float32 weights beside int8 ones */
  ETR_MEMORY_UPPER_BOUNDS,  /* tensors have the largest sizes that their dynamic shapes allow */
} etr_memory_finding_kind;

/** A finding is at least this part of the peak, or of the whole that it is about. Less would not
 * change what memory a device needs. */
#define ETR_MEMORY_LEAST_SHARE 0.05
/** A finding has at least this many bytes, because small test models would otherwise have many
 * findings about nothing.
 */
enum { ETR_MEMORY_LEAST_BYTES = 256 };
/** The tensors of ETR_MEMORY_PEAK are together at least this part of the peak, and at most this
 * many: a longer list names nothing to start with. */
#define ETR_MEMORY_PEAK_SHARE 0.8
enum { ETR_MEMORY_PEAK_TENSORS = 4 };

typedef struct etr_memory_finding {
  etr_memory_finding_kind kind;
  const char *title;
  const char *evidence;
  uint64_t bytes;      /* the most that could be saved, or else what is taken */
  int32_t instruction; /* -1 if it is about no single instruction */
} etr_memory_finding;

/** Lists the findings about a method's memory, most bytes first, and sets *count. Returns NULL when
 * out of memory, and never NULL otherwise. */
const etr_memory_finding *etr_memory_findings_make(size_t *count, etr_arena *arena,
                                                   const etr_profile *profile,
                                                   const etr_method *method);

/** Returns the name of a kind in JSON: "peak", "one_operator", "fragmentation", "in_place",
 * "waiting", "stored_twice", "float_beside_int8" or "upper_bounds". Static. */
const char *etr_memory_finding_kind_name(etr_memory_finding_kind kind);

#endif
