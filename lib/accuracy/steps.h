/* SPDX-License-Identifier: BSD-3-Clause
 *
 * steps.h - the steps of a comparison: which node of the reference has a value (partners.c), which
 * input a run had (run_inputs.c), and which operators lie between compared values (segments.c).
 * Layer 3.
 */
#ifndef ETR_STEPS_H
#define ETR_STEPS_H

#include "accuracy/reference_file.h"
#include "base/warnings.h"

/* ---- Partners ---- */

/** The node of the reference for a node of the profile's Edge graph. */
typedef struct etr_partner {
  const char *graph, *node; /* NULL: there is none */
  const char
      *aten; /* name of the ATen node with this value in the reference's program; NULL: unknown */
  etr_partner_evidence evidence;
  const char *why; /* without a node: why there is none; static */
} etr_partner;

/** Returns the node whose value a quantize or dequantize node only converts, through several of
 * them; other nodes are returned as they are. */
uint32_t etr_node_before_quantization(const etr_graph *graph, uint32_t node);

/**
 * Finds the partners of all nodes of the graph of a method, in the arena. `reference` is the record
 * that the reference was computed from: the profile itself, or another one. Errors:
 * ETR_ERROR_MEMORY.
 */
etr_status etr_partners_find(etr_partner **out, const etr_profile *profile, uint32_t method,
                             const etr_profile *reference, etr_arena *arena, etr_error *error);

/** Replaces the partners of a profile's own Edge graph by the ATen nodes of the same values. */
void etr_partners_replace_by_aten(etr_partner *partners, size_t count);

/* ---- Inputs of runs ---- */

/** The input of a run. */
typedef struct etr_run_input {
  uint32_t input; /* ETR_NONE: none is known */
  etr_input_evidence evidence;
} etr_run_input;

/**
 * Finds the input of every run of a method that logged values, in the arena of the warnings; *out
 * has one entry per run of the profile. `debug_buffer` is the profile's debug buffer; NULL if there
 * is none. Warns about what is doubtful. Errors: ETR_ERROR_MEMORY.
 */
etr_status etr_run_inputs_find(etr_run_input **out, const etr_profile *profile, uint32_t method,
                               const etr_reference_file *reference,
                               const etr_seekable *debug_buffer, etr_warnings *warnings);

/* ---- Segments ---- */

/** The operators between a value and the nearest compared values that it depends on. */
typedef struct etr_value_segment {
  const uint32_t *nodes; /* in order of execution; the last one computes the value */
  size_t node_count;
  const uint32_t *sources; /* nodes of the nearest compared values; none: it depends on inputs and
                              weights only */
  size_t source_count;
} etr_value_segment;

/**
 * Finds the segments of the nodes of a graph that are marked in is_compared, in the arena; *out has
 * one entry per node, empty for others. Returns false if the work exceeded its limit: later
 * segments are then empty. Lack of memory shows on the arena.
 */
bool etr_segments_find(etr_value_segment **out, const etr_graph *graph, const uint8_t *is_compared,
                       etr_arena *arena);

#endif
