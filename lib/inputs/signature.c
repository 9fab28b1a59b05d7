/* SPDX-License-Identifier: BSD-3-Clause
 *
 * signature.c - a program's input_specs and output_specs.
 */
#include "inputs/signature.h"

bool etr_names_values(etr_slice member) {
#define SLICE(text)                                                                                                    \
  { (text), sizeof(text) - 1 }
  static const etr_slice members[] = {
      SLICE("as_tensor"),         SLICE("as_tensors"),   SLICE("as_optional_tensor"), SLICE("as_optional_tensors"),
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
  etr_arena scratch;
  etr_map by_name; /* interned name of an input -> place of the first that has it; filled when specs are out of order */
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

static bool is_input(const reader *r, size_t place) {
  return place < r->count && r->nodes[place].subgraph == r->subgraph && r->nodes[place].kind != ETR_NODE_OP;
}

static etr_slice bytes_of(const char *const *name) { return (etr_slice){(const char *)name, sizeof *name}; }

/* Inputs come first. */
static void index_inputs(reader *r) {
  for (size_t i = 0; is_input(r, i); i++) {
    etr_map_slot *slot = etr_map_at(&r->by_name, bytes_of(&r->nodes[i].name));
    if (slot && slot->value == ETR_NONE) slot->value = (uint32_t)i;
  }
}

static uint32_t find_input(reader *r, const char *name) {
  if (r->by_name.count == 0) index_inputs(r);
  return etr_map_get(&r->by_name, bytes_of(&name));
}

/* next: where the input is if specs are in the order of the inputs, as they mostly are. */
static void apply_spec(reader *r, const input_spec *spec, size_t next) {
  if (!spec->argument || spec->kind == ETR_NODE_INPUT) return;
  bool in_place = is_input(r, next) && r->nodes[next].name == spec->argument;
  size_t place = in_place ? next : find_input(r, spec->argument);
  if (place == ETR_NONE) return;
  r->nodes[place].kind = spec->kind;
  r->nodes[place].weight_name = spec->weight;
}

static void read_input_specs(reader *r) {
  etr_slice member;
  size_t next = 0;
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
    apply_spec(r, &spec, next++);
  }
}

/* [{buffer_mutation | user_input_mutation | user_output | ...: {...}}] */
static size_t count_mutations(etr_json *json) {
  etr_slice member;
  size_t count = 0;
  etr_json_array(json);
  while (etr_json_element(json)) {
    etr_json_object(json);
    while (etr_json_key(json, &member)) {
      count += etr_slice_is(member, "buffer_mutation") || etr_slice_is(member, "user_input_mutation");
      etr_json_skip(json);
    }
  }
  return count;
}

size_t etr_signature_read(etr_node *nodes, size_t count, uint32_t subgraph, etr_map *strings, etr_json *json) {
  reader r = {.json = json, .strings = strings, .nodes = nodes, .count = count, .subgraph = subgraph};
  etr_slice key;
  size_t mutations = 0;
  etr_map_init(&r.by_name, &r.scratch);
  etr_json_object(json);
  while (etr_json_key(json, &key)) {
    if (etr_slice_is(key, "input_specs"))
      read_input_specs(&r);
    else if (etr_slice_is(key, "output_specs"))
      mutations = count_mutations(json);
    else
      etr_json_skip(json);
  }
  if (etr_arena_failed(&r.scratch)) etr_arena_fail(strings->arena);
  etr_arena_clear(&r.scratch);
  return mutations;
}
