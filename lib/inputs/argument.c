/* SPDX-License-Identifier: BSD-3-Clause
 *
 * argument.c - arguments of nodes as JSON texts.
 */
#include "inputs/argument.h"

#include "base/number.h"
#include "formats/element.h"
#include "formats/json_excerpt.h"

void etr_arguments_init(etr_arguments *a, etr_map *strings, etr_arena *scratch) {
  *a = (etr_arguments){.strings = strings, .scratch = scratch};
  etr_text_cache_init(&a->lists, scratch);
}

static const char *intern_excerpt(etr_arguments *a, const etr_json_excerpt *excerpt) {
  return etr_intern(a->strings, etr_json_excerpt_text(excerpt));
}

/* ---- What a member of the union holds ---- */

typedef enum value_form {
  FORM_PLAIN, /* as the file has it */
  FORM_NONE,
  FORM_SCALAR_TYPE,
  FORM_MEMORY_FORMAT,
  FORM_LAYOUT,
  FORM_DEVICE,
} value_form;

/* Returns how the value of an argument is shown, by its member of the schema's Argument union.
 * Numbers of enumerations are shown as torch's words. */
static value_form form_of_member(etr_slice member) {
  if (etr_slice_is(member, "as_none"))
    return FORM_NONE;
  if (etr_slice_is(member, "as_scalar_type"))
    return FORM_SCALAR_TYPE;
  if (etr_slice_is(member, "as_memory_format"))
    return FORM_MEMORY_FORMAT;
  if (etr_slice_is(member, "as_layout"))
    return FORM_LAYOUT;
  return etr_slice_is(member, "as_device") ? FORM_DEVICE : FORM_PLAIN;
}

/* Returns torch's word for a number of the enumeration `form`; NULL if there is none. */
static const char *word_for_number(value_form form, etr_slice number) {
  int64_t value;
  if (!etr_slice_to_int(number, &value))
    return NULL;
  switch (form) {
  case FORM_SCALAR_TYPE:
    return etr_export_scalar_type_name(value);
  case FORM_MEMORY_FORMAT: {
    /* torch/_export/serde/schema.py: MemoryFormat */
    static const char *const names[] = {NULL, "contiguous_format", "channels_last",
                                        "channels_last_3d", "preserve_format"};
    return value >= 0 && value < (int64_t)ETR_COUNT(names) ? names[value] : NULL;
  }
  case FORM_LAYOUT: {
    /* torch/_export/serde/schema.py: Layout */
    static const char *const names[] = {NULL,         "sparse_coo", "sparse_csr", "sparse_csc",
                                        "sparse_bsr", "sparse_bsc", "_mkldnn",    "strided"};
    return value >= 0 && value < (int64_t)ETR_COUNT(names) ? names[value] : NULL;
  }
  default:
    return NULL;
  }
}

/* ---- Values ---- */

/* Reads a number, and returns it as JSON text, or torch's word for it as a JSON string if `form` is
 * an enumeration, such as the number types. */
static const char *number_text(etr_arguments *a, value_form form, etr_json *json) {
  etr_json_excerpt excerpt;
  etr_slice number = etr_json_number_text(json);
  const char *word = word_for_number(form, number);
  etr_json_excerpt_init(&excerpt);
  if (word)
    etr_json_excerpt_string(&excerpt, etr_slice_of(word));
  else
    etr_json_excerpt_number(&excerpt, number);
  return intern_excerpt(a, &excerpt);
}

/* Reads a list, object or string, and returns it as JSON text, shortened as excerpts are. Programs
 * repeat the same few, so each text is read only once. */
static const char *list_text(etr_arguments *a, etr_json *json) {
  bool is_known;
  uint32_t cache_index = etr_text_cache_next(&a->lists, json, &is_known);
  if (is_known)
    return a->values.data[cache_index];
  etr_json_excerpt excerpt;
  etr_json_excerpt_init(&excerpt);
  etr_json_excerpt_value(&excerpt, json);
  const char *text = intern_excerpt(a, &excerpt);
  const char **slot = cache_index == ETR_NONE ? NULL : etr_vec_push(a->scratch, &a->values);
  if (slot)
    *slot = text;
  return text;
}

/* Reads a device, {type: "cuda", index: 1}, and returns it as the JSON string "cuda:1", or "cuda"
 * if it has no index; NULL when out of memory. */
static const char *device_text(etr_arguments *a, etr_json *json) {
  etr_slice key;
  const char *type = "?";
  int64_t index = -1;
  etr_json_object(json);
  while (etr_json_key(json, &key)) {
    if (etr_slice_is(key, "type") && etr_json_peek(json) == ETR_JSON_STRING)
      type = etr_intern(a->strings, etr_json_string(json));
    else if (etr_slice_is(key, "index") && etr_json_peek(json) == ETR_JSON_NUMBER)
      (void)etr_slice_to_int(etr_json_number_text(json), &index);
    else
      etr_json_skip(json);
  }
  const char *name = index < 0 || !type
                         ? type
                         : etr_arena_format(a->scratch, "%s:%lld", type, (long long)index);
  if (!name)
    return NULL;
  etr_json_excerpt excerpt;
  etr_json_excerpt_init(&excerpt);
  etr_json_excerpt_string(&excerpt, etr_slice_of(name));
  return intern_excerpt(a, &excerpt);
}

/* Reads a value and returns it as JSON text, with numbers as `form` says; NULL for null, and when
 * out of memory. */
static const char *value_text(etr_arguments *a, value_form form, etr_json *json) {
  switch (etr_json_peek(json)) {
  case ETR_JSON_BOOL:
    return etr_json_bool(json) ? "true" : "false";
  case ETR_JSON_NUMBER:
    return number_text(a, form, json);
  case ETR_JSON_OBJECT:
    return form == FORM_DEVICE ? device_text(a, json) : list_text(a, json);
  case ETR_JSON_STRING:
  case ETR_JSON_ARRAY:
    return list_text(a, json);
  default:
    etr_json_skip(json);
    return NULL;
  }
}

static bool is_nonempty(const char *name) {
  return name && name[0] != '\0';
}

void etr_arguments_read(etr_arguments *a, const char *name, etr_slice member, etr_json *json) {
  value_form form = form_of_member(member);
  if (form == FORM_NONE || !is_nonempty(name)) {
    etr_json_skip(json);
    return;
  }
  const char *value = value_text(a, form, json);
  etr_argument_draft *draft = value ? etr_vec_push(a->scratch, &a->drafts) : NULL;
  if (draft)
    draft->argument = (etr_argument){name, value};
}

/* ---- Symbolic numbers ---- */

void etr_arguments_note_symbolic(etr_arguments *a, const char *name, etr_slice member,
                                 etr_json *json) {
  etr_slice text;
  if (!is_nonempty(name) || !etr_slice_starts(member, ETR_SLICE("as_sym_")) ||
      !etr_json_peek_whole(json, &text))
    return;
  const char *copy = etr_arena_copy(a->scratch, text);
  etr_argument_draft *draft = copy ? etr_vec_push(a->scratch, &a->drafts) : NULL;
  if (draft)
    *draft = (etr_argument_draft){{name, ""}, {copy, text.size}};
}

typedef struct symbols {
  etr_symbol_of symbol_of;
  void *context;
} symbols;

/* Appends the expression of the symbolic number with this name, or the name if it is not known; as
 * a number in JSON if it is one. */
static void append_symbol(etr_json_excerpt *excerpt, const symbols *s, etr_slice name) {
  const char *known = s->symbol_of(s->context, name);
  etr_slice expression = known ? etr_slice_of(known) : name;
  if (etr_is_number(expression))
    etr_json_excerpt_number(excerpt, expression);
  else
    etr_json_excerpt_string(excerpt, expression);
}

/* Reads an element that may be symbolic, {as_name: ...} or {as_int: ...}, and appends its
 * expression or number; "" if it has neither. Only the first member that is not null counts,
 * because old files write the unused ones, too, as null. */
static void append_symbolic_value(etr_json_excerpt *excerpt, etr_json *json, void *context) {
  etr_slice key;
  size_t start = etr_json_excerpt_text(excerpt).size;
  if (etr_json_peek(json) != ETR_JSON_OBJECT) {
    etr_json_excerpt_value(excerpt, json);
    return;
  }
  etr_json_object(json);
  while (etr_json_key(json, &key)) {
    bool is_symbol = etr_slice_is(key, "as_name") && etr_json_peek(json) == ETR_JSON_STRING;
    if (etr_json_excerpt_text(excerpt).size > start)
      etr_json_skip(json);
    else if (is_symbol)
      append_symbol(excerpt, context, etr_json_string(json));
    else if (!etr_json_null(json))
      etr_json_excerpt_value(excerpt, json);
  }
  if (etr_json_excerpt_text(excerpt).size == start)
    etr_json_excerpt_string(excerpt, ETR_SLICE(""));
}

/* Returns the JSON text of a value, or list of values, whose names of symbolic numbers are replaced
 * by their expressions; "null" if `text`, as it is in the document, is damaged. When out of memory,
 * the scratch arena has failed, and the result is not to be used. */
static const char *symbolic_text(etr_arguments *a, etr_slice text, symbols *s) {
  etr_json *json = etr_json_open_memory(text, NULL);
  etr_json_excerpt excerpt;
  etr_json_excerpt_init(&excerpt);
  if (!json) {
    etr_arena_fail(a->scratch);
    return "";
  }
  if (etr_json_peek(json) == ETR_JSON_ARRAY)
    etr_json_excerpt_list(&excerpt, json, append_symbolic_value, s);
  else
    append_symbolic_value(&excerpt, json, s);
  bool damaged = etr_json_failed(json);
  etr_json_close(json);
  return damaged ? "null" : intern_excerpt(a, &excerpt);
}

void etr_arguments_resolve(etr_arguments *a, size_t base, etr_symbol_of symbol_of, void *context) {
  symbols s = {symbol_of, context};
  for (size_t i = base; i < a->waiting.count; i++)
    a->waiting.data[i].argument->value = symbolic_text(a, a->waiting.data[i].symbolic, &s);
  a->waiting.count = base;
}

/* ---- Nodes ---- */

/* Returns whether one of the arguments has this interned name. */
static bool contains_name(const etr_argument *arguments, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (arguments[i].name == name)
      return true;
  return false;
}

/* Arguments with symbolic numbers also wait for etr_arguments_resolve(). */
void etr_arguments_take(etr_arguments *a, size_t base, etr_node *node) {
  size_t count = ETR_MIN(a->drafts.count - base, (size_t)ETR_MOST_ARGUMENTS);
  size_t kept = 0;
  etr_argument *arguments = count
                                ? etr_arena_alloc_array(a->strings->arena, count, sizeof *arguments)
                                : NULL;
  for (size_t i = base; arguments && i < a->drafts.count && kept < count; i++) {
    const etr_argument_draft *draft = &a->drafts.data[i];
    if (contains_name(arguments, kept, draft->argument.name))
      continue;
    arguments[kept] = draft->argument;
    etr_argument_waiting *waiting = draft->symbolic.size ? etr_vec_push(a->scratch, &a->waiting)
                                                         : NULL;
    if (waiting)
      *waiting = (etr_argument_waiting){&arguments[kept], draft->symbolic};
    kept++;
  }
  node->arguments = arguments;
  node->argument_count = kept;
  a->drafts.count = base;
}
