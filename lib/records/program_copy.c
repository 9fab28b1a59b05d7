/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program_copy.c - value by value. What is special is known by its key, in the kind of object that it stands in.
 */
#include "records/program_copy.h"

/* Bounds the recursion: of all documents that are nested in each other. */
enum { MOST_DEPTH = 1024 };

typedef enum object_kind {
  OF_PROGRAM = 1 << 0, /* anything that is not one of the others */
  OF_METADATA = 1 << 1,
  OF_LOWERED = 1 << 2, /* what a call of a delegate has in its first argument */
  OF_SPECS = 1 << 3,   /* of a lowered module, for its backend */
} object_kind;

typedef struct copier {
  etr_json *in;
  etr_json_out *out;
  etr_hiding *hiding; /* NULL: nothing is to be hidden */
  uint32_t depth;
  bool *out_of_memory; /* of any document */
} copier;

/* Where a value stands. */
typedef struct place {
  object_kind kind;
  bool calls_delegate; /* in a node that does */
} place;

static void copy_value(copier *c, place at);

/* ---- Texts ---- */

static etr_slice as_it_is(etr_hiding *hiding, etr_slice text) {
  (void)hiding;
  return text;
}

static bool has_escapes(etr_slice raw) { return memchr(raw.data, '\\', raw.size) != NULL; }

static void put_quoted(copier *c, etr_slice raw) {
  etr_json_out_raw(c->out, ETR_SLICE("\""));
  etr_json_out_raw(c->out, raw);
  etr_json_out_raw(c->out, ETR_SLICE("\""));
}

/* Byte for byte where nothing changes. */
static void copy_text(copier *c, etr_slice (*change)(etr_hiding *, etr_slice)) {
  etr_slice raw;
  bool is_shown = etr_json_peek_raw(c->in, &raw);
  if (is_shown && change == as_it_is) {
    put_quoted(c, raw);
    etr_json_skip(c->in);
  } else if (is_shown && raw.size && !has_escapes(raw)) {
    etr_json_out_string(c->out, change(c->hiding, raw));
    etr_json_skip(c->in);
  } else {
    etr_slice text = etr_json_string(c->in);
    etr_json_out_string(c->out, change(c->hiding, text));
  }
}

/* ---- Documents in strings ---- */

static void copy_document(copier *c, object_kind kind) {
  etr_json_out out;
  etr_json *inner = etr_json_open_string(c->in);
  if (!inner) return;
  copier nested = *c;
  nested.in = inner;
  nested.out = &out;
  etr_json_out_begin_inside(&out, c->out);
  copy_value(&nested, (place){.kind = kind});
  etr_json_end(inner);
  etr_json_out_end_inside(&out, c->out);
  *c->out_of_memory |= etr_json_out_of_memory(inner);
  if (etr_json_failed(inner)) etr_json_fail(c->in, "the document in this string is damaged");
  etr_json_close(inner);
}

/* ---- Members ---- */

typedef enum member_action {
  COPY,
  DROP,       /* the key, too */
  EMPTY_TEXT, /* which stands for no bytes, and for a state without tensors */
  EMPTY_LIST,
  NO_VALUE,
  TRACE,
  MODULE_STACK,
  PATH,
  ANCESTORS,
  TARGET,  /* tells what a node calls */
  LOWERED, /* if the node calls a delegate */
  SPECS,
  METADATA,
} member_action;

enum { ALWAYS, HIDING };

static const struct {
  const char *key;
  object_kind kind;
  int when;
  member_action action;
} members[] = {
    {"target", OF_PROGRAM, ALWAYS, TARGET},
    {"as_string", OF_PROGRAM, ALWAYS, LOWERED},
    {"processed_bytes", OF_LOWERED, ALWAYS, EMPTY_TEXT},
    {"original_state_dict", OF_LOWERED, ALWAYS, EMPTY_TEXT},
    {"original_constants", OF_LOWERED, ALWAYS, EMPTY_TEXT},
    {"named_data_store", OF_LOWERED, ALWAYS, NO_VALUE},
    {"compile_specs", OF_LOWERED, HIDING, SPECS},
    {"value", OF_SPECS, HIDING, EMPTY_TEXT},
    {"metadata", OF_PROGRAM, HIDING, METADATA},
    {"stack_trace", OF_METADATA, HIDING, TRACE},
    {"nn_module_stack", OF_METADATA, HIDING, MODULE_STACK},
    {"from_node", OF_METADATA, HIDING, ANCESTORS},
    {"debug_handle", OF_METADATA, HIDING, COPY},
    {"parameter_name", OF_PROGRAM, HIDING, PATH},
    {"buffer_name", OF_PROGRAM, HIDING, PATH},
    {"tensor_constant_name", OF_PROGRAM, HIDING, PATH},
    {"custom_obj_name", OF_PROGRAM, HIDING, PATH},
    {"fqn", OF_PROGRAM, HIDING, PATH},
    {"guards_code", OF_PROGRAM, HIDING, EMPTY_LIST},
};

/* Of nodes' metadata only what is known goes on where something is to be hidden. */
static member_action action_of(const copier *c, object_kind kind, etr_slice key) {
  for (size_t i = 0; i < ETR_COUNT(members); i++)
    if (members[i].kind == kind && (members[i].when == ALWAYS || c->hiding) &&
        etr_slice_equal(key, etr_slice_of(members[i].key)))
      return members[i].action;
  return kind == OF_METADATA && c->hiding ? DROP : COPY;
}

static void put_instead(copier *c, etr_slice value) {
  if (etr_json_peek(c->in) == ETR_JSON_NULL) value = ETR_SLICE("null");
  etr_json_skip(c->in);
  etr_json_out_raw(c->out, value);
}

static void copy_target(copier *c, place *at) {
  static const char call[] = "executorch_call_delegate";
  etr_slice raw;
  if (etr_json_peek_raw(c->in, &raw)) at->calls_delegate = etr_slice_ends(raw, ETR_SLICE(call));
  copy_value(c, *at);
}

static void copy_string_member(copier *c, member_action action) {
  switch (action) {
  case TRACE: copy_text(c, etr_hide_trace); break;
  case MODULE_STACK: copy_text(c, etr_hide_module_stack); break;
  case PATH: copy_text(c, etr_hide_path); break;
  case LOWERED: copy_document(c, OF_LOWERED); break;
  default: copy_document(c, OF_PROGRAM); break; /* ANCESTORS */
  }
}

static void copy_member(copier *c, place *at, member_action action) {
  bool is_text = etr_json_peek(c->in) == ETR_JSON_STRING;
  place inside = {OF_PROGRAM, at->calls_delegate};
  switch (action) {
  case EMPTY_TEXT: put_instead(c, ETR_SLICE("\"\"")); return;
  case EMPTY_LIST: put_instead(c, ETR_SLICE("[]")); return;
  case NO_VALUE: put_instead(c, ETR_SLICE("null")); return;
  case SPECS: inside.kind = OF_SPECS; break;
  case METADATA: inside.kind = OF_METADATA; break;
  case TARGET: copy_target(c, at); return;
  default: break;
  }
  bool is_special = is_text && action >= TRACE && action <= LOWERED && (action != LOWERED || at->calls_delegate);
  if (is_special)
    copy_string_member(c, action);
  else
    copy_value(c, inside);
}

/* ---- Values ---- */

static void put_key(copier *c, etr_slice key, bool is_first) {
  if (!is_first) etr_json_out_raw(c->out, ETR_SLICE(", "));
  etr_json_out_string(c->out, c->hiding ? etr_hide_name(c->hiding, key) : key);
  etr_json_out_raw(c->out, ETR_SLICE(": "));
}

static void copy_object(copier *c, place at) {
  etr_slice key;
  bool is_first = true;
  etr_json_object(c->in);
  etr_json_out_raw(c->out, ETR_SLICE("{"));
  while (etr_json_key(c->in, &key)) {
    member_action action = action_of(c, at.kind, key);
    if (action == DROP) {
      etr_json_skip(c->in);
      continue;
    }
    put_key(c, key, is_first);
    copy_member(c, &at, action);
    is_first = false;
  }
  etr_json_out_raw(c->out, ETR_SLICE("}"));
}

static void copy_array(copier *c, place at) {
  bool is_first = true;
  etr_json_array(c->in);
  etr_json_out_raw(c->out, ETR_SLICE("["));
  while (etr_json_element(c->in)) {
    if (!is_first) etr_json_out_raw(c->out, ETR_SLICE(", "));
    copy_value(c, at);
    is_first = false;
  }
  etr_json_out_raw(c->out, ETR_SLICE("]"));
}

static void copy_nested(copier *c, place at, void (*copy)(copier *, place)) {
  if (c->depth == MOST_DEPTH) etr_json_fail(c->in, "nested too deeply");
  c->depth++;
  if (!etr_json_failed(c->in)) copy(c, at);
  c->depth--;
}

static void copy_value(copier *c, place at) {
  switch (etr_json_peek(c->in)) {
  case ETR_JSON_OBJECT: copy_nested(c, at, copy_object); break;
  case ETR_JSON_ARRAY: copy_nested(c, at, copy_array); break;
  case ETR_JSON_STRING: copy_text(c, c->hiding ? etr_hide_name : as_it_is); break;
  case ETR_JSON_NUMBER: etr_json_out_raw(c->out, etr_json_number_text(c->in)); break;
  case ETR_JSON_BOOL: etr_json_out_raw(c->out, etr_json_bool(c->in) ? ETR_SLICE("true") : ETR_SLICE("false")); break;
  case ETR_JSON_NULL: put_instead(c, ETR_SLICE("null")); break;
  case ETR_JSON_END: break;
  }
}

bool etr_program_copy(etr_json *json, etr_json_out *out, etr_hiding *hiding) {
  bool out_of_memory = false;
  copier c = {.in = json, .out = out, .hiding = hiding, .out_of_memory = &out_of_memory};
  copy_value(&c, (place){.kind = OF_PROGRAM});
  etr_json_end(json);
  return !out_of_memory && !etr_json_out_of_memory(json);
}
