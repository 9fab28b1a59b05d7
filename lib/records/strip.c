/* SPDX-License-Identifier: BSD-3-Clause
 *
 * strip.c - a record entry by entry: kept, written again, or replaced by nothing.
 */
#include "base/json_writer.h"
#include "etrecord_file.h"
#include "formats/archive_writer.h"
#include "formats/json.h"
#include "inputs/record.h"
#include "records/redaction.h"
#include "records/torch_save.h"

#include <stdio.h>

/* ---- Writes a serialized program again, in one pass and in constant memory: without the weights
 * of its lowered modules, and with new names if names are to be redacted ---- */

/* Bounds the recursion: of all documents that are nested in each other. */
enum { MOST_DEPTH = 1024 };

typedef enum object_kind {
  OF_PROGRAM = 1 << 0, /* anything that is not one of the others */
  OF_METADATA = 1 << 1,
  OF_LOWERED = 1 << 2, /* what a call of a delegate has in its first argument */
  OF_SPECS = 1 << 3,   /* of a lowered module, for its backend */
} object_kind;

/* A JSON document while it is copied. */
typedef struct copier {
  etr_json *in;
  etr_jw *out;
  etr_redaction *redaction; /* NULL: nothing is to be redacted */
  uint32_t depth;
  bool *out_of_memory; /* of any document */
} copier;

/* The position of a value in the document. */
typedef struct json_context {
  object_kind kind;
  bool calls_delegate; /* in a node that does */
} json_context;

static void copy_value(copier *c, json_context at);

/* ---- Texts ---- */

/* Changes nothing, where copy_string() wants a function that redacts. */
static etr_slice keep_text(etr_redaction *redaction, etr_slice text) {
  (void)redaction;
  return text;
}

static bool has_escapes(etr_slice raw) {
  return memchr(raw.data, '\\', raw.size) != NULL;
}

/* Copies a string that `redact` may change. With keep_text(), which changes none, it is copied byte
 * by byte with its escapes. One that has escapes, is empty, or is too long for the JSON reader to
 * lend it as a whole, is decoded before it is redacted. */
static void copy_string(copier *c, etr_slice (*redact)(etr_redaction *, etr_slice)) {
  etr_slice raw;
  bool is_lent = etr_json_peek_raw(c->in, &raw);
  if (is_lent && redact == keep_text) {
    etr_jw_string_begin(c->out);
    etr_put(c->out->writer, raw);
    etr_jw_string_end(c->out);
    etr_json_skip(c->in);
  } else if (is_lent && raw.size && !has_escapes(raw)) {
    etr_jw_slice(c->out, redact(c->redaction, raw));
    etr_json_skip(c->in);
  } else {
    etr_slice text = etr_json_string(c->in);
    etr_jw_slice(c->out, redact(c->redaction, text));
  }
}

/* ---- Documents in strings ---- */

/* A sink's write function: appends a piece of the inner document to the string of the outer one.
 * Returns false if writing the outer one has failed. */
static bool write_into_string(void *context, const void *data, size_t size) {
  etr_jw *outer = context;
  etr_jw_string_piece(outer, (etr_slice){data, size});
  return outer->writer->status == ETR_OK;
}

/* Copies a JSON document that is a string in another one; its root is an object of this kind. If
 * the inner document is damaged, the outer document's reader fails. A lack of memory of the inner
 * reader is recorded in c->out_of_memory. */
static void copy_document_in_string(copier *c, object_kind kind) {
  etr_writer writer;
  etr_jw out;
  etr_json *inner = etr_json_open_string(c->in);
  if (!inner)
    return;
  copier nested = *c;
  nested.in = inner;
  nested.out = &out;
  /* The inner document is written into a string of the outer one, which must not be used until that
   * ends. */
  etr_jw_string_begin(c->out);
  etr_writer_init(&writer, &(etr_sink){write_into_string, c->out});
  etr_jw_init(&out, &writer, ETR_JW_PYTHON_ASCII);
  copy_value(&nested, (json_context){.kind = kind});
  etr_json_end(inner);
  (void)etr_writer_finish(&writer, NULL); /* what failed is the outer document's writer */
  etr_jw_string_end(c->out);
  *c->out_of_memory |= etr_json_out_of_memory(inner);
  if (etr_json_failed(inner))
    etr_json_fail(c->in, "the document in this string is damaged");
  etr_json_close(inner);
}

/* ---- Members ---- */

/* What is done with a member of an object. */
typedef enum member_action {
  COPY,
  DROP,       /* the key, too */
  EMPTY_TEXT, /* which encodes no bytes, and a state without tensors */
  EMPTY_LIST,
  NO_VALUE,
  TRACE,
  MODULE_STACK,
  PATH,
  ANCESTORS,
  TARGET,  /* the operator that a node calls */
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

/* Returns what is done with a member `key` of an object of this kind, by the table `members`, whose
 * entries count always or only if names are redacted. Unknown members are copied; but if names are
 * redacted, those of nodes' metadata are dropped, because they might contain names. */
static member_action action_for_member(const copier *c, object_kind kind, etr_slice key) {
  for (size_t i = 0; i < ETR_COUNT(members); i++)
    if (members[i].kind == kind && (members[i].when == ALWAYS || c->redaction) &&
        etr_slice_equal(key, etr_slice_of(members[i].key)))
      return members[i].action;
  return kind == OF_METADATA && c->redaction ? DROP : COPY;
}

/* Skips a value and writes `value`, which is JSON, instead of it; null remains null. */
static void write_instead(copier *c, etr_slice value) {
  if (etr_json_peek(c->in) == ETR_JSON_NULL)
    value = ETR_SLICE("null");
  etr_json_skip(c->in);
  etr_jw_raw(c->out, value);
}

/* Copies the target of a node, and sets context->calls_delegate to whether the node calls a
 * delegate: only then its string arguments are documents of lowered modules. */
static void copy_target(copier *c, json_context *context) {
  static const char call[] = "executorch_call_delegate";
  etr_slice raw;
  if (etr_json_peek_raw(c->in, &raw))
    context->calls_delegate = etr_slice_ends(raw, ETR_SLICE(call));
  copy_value(c, *context);
}

/* Copies a string to which an action from TRACE to LOWERED applies. Stack traces, module stacks and
 * paths are redacted. A string that is a JSON document (the origins of a node, or a lowered module)
 * is copied as such, so that its members are replaced, too. */
static void copy_special_string(copier *c, member_action action) {
  switch (action) {
  case TRACE:
    copy_string(c, etr_redact_trace);
    break;
  case MODULE_STACK:
    copy_string(c, etr_redact_module_stack);
    break;
  case PATH:
    copy_string(c, etr_redact_path);
    break;
  case LOWERED:
    copy_document_in_string(c, OF_LOWERED);
    break;
  default: /* ANCESTORS */
    copy_document_in_string(c, OF_PROGRAM);
    break;
  }
}

/* Copies the value of a member as the action says, or writes what replaces it. Actions from TRACE
 * to LOWERED change only texts, and LOWERED only those of a node that calls a delegate. The target
 * of a node precedes its arguments, so that context->calls_delegate is known for these. */
static void copy_member(copier *c, json_context *context, member_action action) {
  bool is_text = etr_json_peek(c->in) == ETR_JSON_STRING;
  json_context inside = {OF_PROGRAM, context->calls_delegate};
  switch (action) {
  case EMPTY_TEXT:
    write_instead(c, ETR_SLICE("\"\""));
    return;
  case EMPTY_LIST:
    write_instead(c, ETR_SLICE("[]"));
    return;
  case NO_VALUE:
    write_instead(c, ETR_SLICE("null"));
    return;
  case SPECS:
    inside.kind = OF_SPECS;
    break;
  case METADATA:
    inside.kind = OF_METADATA;
    break;
  case TARGET:
    copy_target(c, context);
    return;
  default:
    break;
  }
  bool applies_to_text = action >= TRACE && action <= LOWERED &&
                         (action != LOWERED || context->calls_delegate);
  if (is_text && applies_to_text)
    copy_special_string(c, action);
  else
    copy_value(c, inside);
}

/* ---- Values ---- */

/* Copies an object without the members that are dropped; its kind (context.kind) decides which.
 * Keys may be names, too, and are redacted. */
static void copy_object(copier *c, json_context context) {
  etr_slice key;
  etr_json_object(c->in);
  etr_jw_object(c->out);
  while (etr_json_key(c->in, &key)) {
    member_action action = action_for_member(c, context.kind, key);
    if (action == DROP) {
      etr_json_skip(c->in);
      continue;
    }
    etr_jw_key_slice(c->out, c->redaction ? etr_redact_name(c->redaction, key) : key);
    copy_member(c, &context, action);
  }
  etr_jw_end(c->out);
}

/* Copies an array, each element of which is in the same context. */
static void copy_array(copier *c, json_context context) {
  etr_json_array(c->in);
  etr_jw_array(c->out);
  while (etr_json_element(c->in))
    copy_value(c, context);
  etr_jw_end(c->out);
}

/* Copies an array or object with `copy`; the reader fails if it is nested too deeply, which would
 * use up the stack. */
static void copy_nested(copier *c, json_context context, void (*copy)(copier *, json_context)) {
  if (c->depth == MOST_DEPTH)
    etr_json_fail(c->in, "nested too deeply");
  c->depth++;
  if (!etr_json_failed(c->in))
    copy(c, context);
  c->depth--;
}

/* Copies a value of any type in a context. Texts other than those with an action of their own may
 * be the name of a weight's node, so they are redacted as names if there is a redaction. Numbers
 * are copied as they were written. */
static void copy_value(copier *c, json_context context) {
  switch (etr_json_peek(c->in)) {
  case ETR_JSON_OBJECT:
    copy_nested(c, context, copy_object);
    break;
  case ETR_JSON_ARRAY:
    copy_nested(c, context, copy_array);
    break;
  case ETR_JSON_STRING:
    copy_string(c, c->redaction ? etr_redact_name : keep_text);
    break;
  case ETR_JSON_NUMBER:
    etr_jw_raw(c->out, etr_json_number_text(c->in));
    break;
  case ETR_JSON_BOOL:
    etr_jw_bool(c->out, etr_json_bool(c->in));
    break;
  case ETR_JSON_NULL:
    write_instead(c, ETR_SLICE("null"));
    break;
  case ETR_JSON_END:
    break;
  }
}

/* Copies a serialized program without weights and, unless `redaction` is NULL, without names. The
 * rest is written as Python's json.dumps() writes it, because ExecuTorch wrote it so. If the
 * document is damaged, `json` fails, which the caller asks etr_json_failed() for: that still
 * returns true. Returns false when out of memory. */
static bool copy_program_document(etr_json *json, etr_jw *out, etr_redaction *redaction) {
  bool out_of_memory = false;
  copier c = {.in = json, .out = out, .redaction = redaction, .out_of_memory = &out_of_memory};
  copy_value(&c, (json_context){.kind = OF_PROGRAM});
  etr_json_end(json);
  return !out_of_memory && !etr_json_out_of_memory(json);
}

/* ---- A record entry by entry: kept, written again, or replaced by nothing ---- */

typedef struct stripper {
  const char *path;
  const etr_strip_options *options;
  etr_archive *archive;
  etr_archive_writer *writer;
  etr_redaction *redaction; /* NULL: nothing is to be redacted */
} stripper;

/* Tells the caller of etr_record_strip() something about an entry. */
static void report_note(const stripper *s, const char *entry, const char *text) {
  if (s->options->notes.take)
    s->options->notes.take(s->options->notes.context, entry, text);
}

/* ---- Programs ---- */

/* A program of the record, for emit_program(). */
typedef struct program {
  const stripper *stripper;
  size_t index; /* of its entry */
} program;

/* Ends reading a program. Fails if its document was damaged, or if its entry was, whose CRC is
 * known now. */
static etr_status finish_program(const program *p, etr_json *json, etr_archive_entry *entry,
                                 etr_error *error) {
  if (etr_json_failed(json) && !etr_json_source_failed(json))
    return etr_fail(error, ETR_ERROR_FORMAT, p->stripper->path,
                    etr_archive_name(p->stripper->archive, p->index), etr_json_offset(json),
                    "unexpected JSON: %s", etr_json_message(json));
  return etr_archive_entry_finish(entry, error);
}

/* Copies a program without its weights and, with a redaction, without names. Fails if the program
 * is damaged or the sink fails, or when out of memory. The writer is not asked why writing failed
 * (NULL), because only the sink knows. */
static etr_status copy_program(const program *p, etr_archive_entry *entry, const etr_sink *sink,
                               etr_error *error) {
  etr_writer writer;
  etr_jw out;
  etr_redaction *redaction = p->stripper->redaction;
  etr_json *json = etr_json_open(etr_archive_entry_read, entry, NULL);
  if (!json)
    return etr_fail_memory(error);
  etr_writer_init(&writer, sink);
  etr_jw_init(&out, &writer, ETR_JW_PYTHON_ASCII);
  bool has_memory = copy_program_document(json, &out, redaction) &&
                    !(redaction && etr_arena_failed(&redaction->arena));
  bool is_written = etr_writer_finish(&writer, NULL) == ETR_OK;
  etr_status status = has_memory ? finish_program(p, json, entry, error) : etr_fail_memory(error);
  etr_json_close(json);
  return status == ETR_OK && !is_written ? etr_fail_sink(error) : status;
}

/* Writes the stripped program of an entry into a sink. Fails as copy_program() does. */
static etr_status emit_program(void *context, const etr_sink *sink, etr_error *error) {
  const program *p = context;
  etr_archive_entry *entry;
  ETR_TRY(etr_archive_entry_open(&entry, p->stripper->archive, p->index, 0, error));
  etr_status status = copy_program(p, entry, sink, error);
  etr_archive_entry_close(entry);
  return status;
}

/* ---- Entries ---- */

/* Copies an entry of the record as it is, still compressed. */
static etr_status keep_entry(const stripper *s, size_t index, etr_error *error) {
  return etr_archive_writer_copy(s->writer, etr_archive_name(s->archive, index), s->archive, index,
                                 error);
}

/* Keeps an entry in which names cannot be found, unless names are to be redacted: then it is left
 * out, which is a success, and a note tells the caller why (`why_not`). */
static etr_status keep_unless_redacting(const stripper *s, size_t index, const char *why_not,
                                        etr_error *error) {
  if (!s->redaction)
    return keep_entry(s, index, error);
  report_note(s, etr_archive_name(s->archive, index), why_not);
  return ETR_OK;
}

/* Returns the kind of an entry, also by the name that the first records gave their program. */
static etr_entry_kind kind_of_entry(const char *name) {
  etr_entry_kind kind = etr_entry_kind_of(name, ETR_EDGE_ENTRY);
  return kind == ETR_ENTRY_UNKNOWN ? etr_entry_kind_of(name, ETR_EARLY_ENTRY) : kind;
}

/* Writes a program without weights and, with a redaction, without names. The first versions of
 * ExecuTorch pickled graphs, which cannot be changed: such an entry is kept, or with a redaction
 * left out. Fails if the entry cannot be read or written. */
static etr_status strip_program(const stripper *s, size_t index, etr_error *error) {
  enum { PICKLE = 0x80 }; /* the first byte of a pickle */
  program p = {s, index};
  char first = 0;
  etr_archive_entry *entry;
  ETR_TRY(etr_archive_entry_open(&entry, s->archive, index, 0, error));
  bool is_pickled = etr_archive_entry_read(entry, &first, 1) == 1 && (unsigned char)first == PICKLE;
  etr_archive_entry_close(entry);
  if (is_pickled)
    return keep_unless_redacting(s, index, "left out: names cannot be hidden in a pickled graph",
                                 error);
  return etr_archive_writer_add(s->writer, etr_archive_name(s->archive, index), emit_program, &p,
                                error);
}

/* Writes an entry of weights, constants or example inputs as what torch.save writes for none: an
 * empty dict, or empty arguments for example inputs. ExecuTorch reads no record without the entry.
 * Fails if it cannot be written. */
static etr_status empty_weights(const stripper *s, size_t index, etr_error *error) {
  const char *name = etr_archive_name(s->archive, index);
  etr_sibling sibling = ETR_STATE_DICT;
  etr_entry_program(etr_slice_of(name), &sibling);
  etr_torch_object object = sibling == ETR_EXAMPLE_INPUTS ? etr_torch_no_inputs
                                                          : etr_torch_empty_dict;
  return etr_archive_writer_add(s->writer, name, etr_torch_save, &object, error);
}

/* Writes an entry of the stripped record, by its kind: stripped, emptied, kept or left out. Entries
 * in which names cannot be found are left out if names are to be redacted. Fails if the entry
 * cannot be read or written. */
static etr_status strip_entry(const stripper *s, size_t index, etr_error *error) {
  switch (kind_of_entry(etr_archive_name(s->archive, index))) {
  case ETR_ENTRY_EDGE_PROGRAM:
  case ETR_ENTRY_OTHER_PROGRAM:
    return strip_program(s, index, error);
  case ETR_ENTRY_WEIGHTS:
    return empty_weights(s, index, error);
  case ETR_ENTRY_PTE:
    if (!s->redaction)
      report_note(s, etr_archive_name(s->archive, index),
                  "kept with its weights: times are joined through it");
    return keep_unless_redacting(s, index, "left out: names cannot be hidden in a program", error);
  case ETR_ENTRY_DELEGATE_INFO:
  case ETR_ENTRY_UNKNOWN:
    return keep_unless_redacting(
        s, index, "left out: its contents are not known, so it may hold names", error);
  default:
    return keep_entry(s, index, error);
  }
}

/* Writes all entries of the stripped record and ends the zip. Fails as strip_entry() does. */
static etr_status strip_all(const stripper *s, etr_error *error) {
  for (size_t i = 0; i < etr_archive_count(s->archive); i++)
    ETR_TRY(strip_entry(s, i, error));
  return etr_archive_writer_finish(s->writer, error);
}

/* ---- All of it ---- */

/* Assigns new names to the modules and weights of all graphs in advance, because a program lists
 * them only after it used them. Warnings of the reader are dropped, because only the names are
 * wanted. Fails if the record cannot be read, or when out of memory. */
static etr_status assign_new_names(etr_redaction *redaction, const char *path, etr_error *error) {
  etr_arena arena = {0};
  etr_warnings warnings = {.arena = &arena};
  etr_budget budget;
  const etr_record_limits limits = {.budget = &budget};
  etr_record record;
  etr_budget_init(&budget);
  etr_status status = etr_record_read(&record, &arena, path, &limits, &warnings, error);
  for (size_t i = 0; status == ETR_OK && i < record.graph_count; i++)
    etr_redaction_learn(redaction, &record.graphs[i]);
  etr_arena_clear(&arena);
  return status == ETR_OK && etr_arena_failed(&redaction->arena) ? etr_fail_memory(error) : status;
}

/* Writes the stripped record, after new names were assigned if modules are to be renamed. Fails if
 * the file is no ETRecord, or as assign_new_names() and strip_entry() do. */
static etr_status strip_opened(stripper *s, const etr_sink *sink, etr_error *error) {
  if (etr_archive_find(s->archive, ETR_IDENTIFIER_ENTRY) == SIZE_MAX)
    return etr_record_fail_identity(s->path, error);
  if (s->redaction && s->redaction->renames)
    ETR_TRY(assign_new_names(s->redaction, s->path, error));
  s->writer = etr_archive_writer_new(sink);
  etr_status status = s->writer ? strip_all(s, error) : etr_fail_memory(error);
  etr_archive_writer_close(s->writer);
  return status;
}

/* s.redaction stays NULL if neither option asks for a redaction; it renames modules only with
 * rename_modules. Fails if the record cannot be opened, or as strip_opened() does. */
etr_status etr_record_strip(const char *record, const etr_strip_options *options,
                            const etr_sink *sink, etr_error *error) {
  static const etr_strip_options plain = {0};
  etr_redaction redaction;
  stripper s = {.path = record, .options = options ? options : &plain};
  etr_error_clear(error);
  bool redacts = s.options->no_source || s.options->rename_modules;
  ETR_TRY(etr_archive_open(&s.archive, record, error));
  etr_redaction_init(&redaction, s.options->rename_modules);
  if (redacts)
    s.redaction = &redaction;
  etr_status status = strip_opened(&s, sink, error);
  etr_redaction_clear(&redaction);
  etr_archive_close(s.archive);
  return status;
}
