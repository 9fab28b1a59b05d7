/* SPDX-License-Identifier: BSD-3-Clause
 *
 * reference_file.h - the safetensors file that `etrecord-tb reference` writes. Layer 3.
 *
 * Keys of tensors, which all begin with METHOD/:
 *   INPUT/GRAPH/NODE        the value of a node for an input: "forward/0/edge/aten_mm_default".
 * GRAPH is "edge" or "aten" INPUT/GRAPH/NODE/OUTPUT one of the values of a node that returns a list
 * INPUT/input/K           the method's argument K INPUT/output/K          what the method returns
 * RUN/local/NODE[/OUTPUT] the value that the graph computes from the values that the device logged
 * before. RUN is an index into etr_profile.runs, NODE a node of the device's graph
 * RUN/impact/NODE/K       the method's output K if the error of this node's segment were the only
 * one constant/edge/NAME      a scale or zero point by channel, by the name of its placeholder
 * Metadata, all texts: "producer" ("etrecord-tb reference/2"), "record" (etr_record_hash() of the
 * record), "methods" (a JSON object: of each method the number of its "inputs", the buffers that an
 * inference changes as "state", and the operators that torch tags as random as "random"), "aliases"
 * (a JSON object from keys to the key of the tensor with the same bytes), "local" (record_hash and
 * recording_hash of the record whose runs the local values are of).
 */
#ifndef ETR_REFERENCE_FILE_H
#define ETR_REFERENCE_FILE_H

#include "etrecord_accuracy.h"
#include "inputs/safetensors.h"

/** What a reference has of one method. Texts are "" if there is none. */
typedef struct etr_reference_method {
  const char *name, *state, *random;
  size_t input_count;
} etr_reference_method;

typedef struct etr_reference_file {
  etr_seekable file;
  etr_safetensors table;
  etr_map aliases; /* key -> index into table.tensors */
  etr_arena *arena;
  const char *path, *record, *local; /* texts are "" if there is none */
  etr_vec(etr_reference_method) methods;
  const etr_reference_method *method; /* whose values are found; NULL at first */
  bool is_open;
} etr_reference_file;

/** Opens a reference and reads its table, into the arena. Always close it. Errors: those of
 * etr_safetensors_read(), ETR_ERROR_IO, and ETR_ERROR_FORMAT if `etrecord-tb reference` did not
 * write it. */
etr_status etr_reference_open(etr_reference_file *out, etr_arena *arena, const char *path,
                              etr_error *error);

void etr_reference_close(etr_reference_file *file);

/** Chooses the method whose values are found. Returns false if the reference does not have it. */
bool etr_reference_choose_method(etr_reference_file *file, const char *method);

/** A key without its first two parts: "edge", "aten", "local", "input", "output", "impact", and a
 * node or a number. */
typedef struct etr_reference_key {
  const char *graph, *node;
  uint32_t output;
} etr_reference_key;

/** Returns the value of the chosen method for input or run `number` (a run for "local" and
 * "impact"); NULL if the reference does not have it, or no method is chosen. */
const etr_safetensor *etr_reference_find(const etr_reference_file *file, uint32_t number,
                                         const etr_reference_key *key);

/** Returns the constant NAME of the chosen method's Edge graph, such as a weight or scales (key
 * METHOD/constant/edge/NAME); NULL if there is none. */
const etr_safetensor *etr_reference_constant(const etr_reference_file *file, const char *name);

/** Fills *view with how to read a tensor. Returns false if its type cannot be read. */
bool etr_reference_view(etr_tensor_view *view, const etr_reference_file *file,
                        const etr_safetensor *tensor);

/** Fills `hash` with 16 hexadecimal digits and a NUL: a hash of the Edge graphs (names, operators,
 * arguments, shapes and connections of their nodes) and of export_graph_id. Weights do not count,
 * nor do stack traces. */
void etr_record_hash(char hash[17], const etr_profile *profile);

/** Fills `hash` with 16 hexadecimal digits and a NUL: a hash of what the runs logged and of their
 * times, which no two recordings have in common. */
void etr_recording_hash(char hash[17], const etr_profile *profile);

#endif
