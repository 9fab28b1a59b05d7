/* SPDX-License-Identifier: BSD-3-Clause
 *
 * signature.c - a program's input_specs.
 */
#include "signature.h"

bool etr_names_values(etr_slice member) {
#define SLICE(text)                                                                                                                                  \
  { (text), sizeof(text) - 1 }
  static const etr_slice members[] = {SLICE("as_tensor"),         SLICE("as_tensors"),   SLICE("as_optional_tensor"), SLICE("as_optional_tensors"),
                                      SLICE("as_nested_tensors"), SLICE("as_sym_int"),   SLICE("as_sym_ints"),        SLICE("as_sym_bool"),
                                      SLICE("as_sym_bools"),      SLICE("as_sym_float"), SLICE("as_sym_floats"),      SLICE("as_custom_obj"),
                                      SLICE("as_token"),          SLICE("as_opaque_obj")};
#undef SLICE
  if (!etr_slice_starts(member, ETR_SLICE("as_"))) return false;
  for (size_t i = 0; i < ETR_COUNT(members); i++)
    if (etr_slice_equal(member, members[i])) return true;
  return false;
}

typedef struct reader {
  etr_json *json;
  etr_map *strings;
  etr_node *nodes; /* of the graph, its inputs first */
  size_t count;
  uint32_t subgraph;
} reader;

typedef struct input_spec {
  etr_node_kind kind;
  const char *argument; /* name of the input node */
  const char *weight;   /* the weight's own name */
} input_spec;

/* {arg: {name} or {as_tensor: {name}}, parameter_name | buffer_name | tensor_constant_name | custom_obj_name} */
static void read_spec_body(const reader *r, input_spec *spec) {
  etr_slice key;
  etr_json_object(r->json);
  while (etr_json_key(r->json, &key)) {
    if (etr_slice_is(key, "arg") || etr_names_values(key)) {
      if (etr_json_peek(r->json) == ETR_JSON_OBJECT)
        read_spec_body(r, spec);
      else
        etr_json_skip(r->json);
    } else if (etr_json_peek(r->json) != ETR_JSON_STRING)
      etr_json_skip(r->json);
    else if (etr_slice_is(key, "name") || etr_slice_is(key, "as_name"))
      spec->argument = etr_intern(r->strings, etr_json_string(r->json));
    else if (etr_slice_ends(key, ETR_SLICE("_name")))
      spec->weight = etr_intern(r->strings, etr_json_string(r->json));
    else
      etr_json_skip(r->json);
  }
}

static etr_node_kind kind_of_spec(etr_slice member) {
  if (etr_slice_is(member, "parameter")) return ETR_NODE_PARAMETER;
  if (etr_slice_is(member, "buffer")) return ETR_NODE_BUFFER;
  if (etr_slice_is(member, "tensor_constant") || etr_slice_is(member, "custom_obj")) return ETR_NODE_CONSTANT;
  return ETR_NODE_INPUT;
}

static void apply_spec(const reader *r, const input_spec *spec, size_t first) {
  for (size_t i = first; spec->argument && spec->kind != ETR_NODE_INPUT && i < r->count && r->nodes[i].subgraph == r->subgraph; i++) {
    etr_node *n = &r->nodes[i];
    if (n->kind == ETR_NODE_OP) return; /* inputs come first */
    if (n->name != spec->argument) continue;
    n->kind = spec->kind;
    n->weight_name = spec->weight;
    return;
  }
}

static void read_input_specs(const reader *r) {
  etr_slice member;
  size_t next = 0; /* specs are in the order of the inputs: the search mostly ends at once */
  etr_json_array(r->json);
  while (etr_json_element(r->json)) {
    input_spec spec = {.kind = ETR_NODE_INPUT};
    etr_json_object(r->json);
    while (etr_json_key(r->json, &member)) {
      if (etr_json_peek(r->json) != ETR_JSON_OBJECT) {
        etr_json_skip(r->json);
        continue;
      }
      spec.kind = kind_of_spec(member);
      read_spec_body(r, &spec);
    }
    bool in_place = next < r->count && r->nodes[next].name == spec.argument;
    apply_spec(r, &spec, in_place ? next : 0);
    next++;
  }
}

void etr_signature_read(etr_node *nodes, size_t count, uint32_t subgraph, etr_map *strings, etr_json *json) {
  const reader r = {json, strings, nodes, count, subgraph};
  etr_slice key;
  etr_json_object(json);
  while (etr_json_key(json, &key)) {
    if (etr_slice_is(key, "input_specs"))
      read_input_specs(&r);
    else
      etr_json_skip(json);
  }
}
