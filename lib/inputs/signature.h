/* SPDX-License-Identifier: BSD-3-Clause
 *
 * signature.h - what the inputs and outputs of a serialized program are: its graph signature. Layer 2.
 */
#ifndef ETR_SIGNATURE_H
#define ETR_SIGNATURE_H

#include "base/arena.h"
#include "formats/json.h"

/** True for the members of the schema's Argument union that name values: as_tensor, as_tensors, as_sym_int, ... */
bool etr_names_values(etr_slice member);

/**
 * Reads {input_specs, output_specs} and says of the graph's input nodes which are parameters, buffers and constants,
 * and of which weights: `kind` and `weight_name`. nodes: of the graph with this subgraph index, its inputs first, names
 * interned in `strings`. Returns how many outputs are new values of buffers and inputs. Failures are the reader's and
 * the arena's.
 */
size_t etr_signature_read(etr_node *nodes, size_t count, uint32_t subgraph, etr_map *strings, etr_json *json);

#endif
