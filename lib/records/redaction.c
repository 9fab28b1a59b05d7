/* SPDX-License-Identifier: BSD-3-Clause
 *
 * redaction.c - finds names in texts, and replaces them.
 */
#include "records/redaction.h"

#include "base/system.h"
#include "inputs/frame.h"

#include <stdio.h>

void etr_redaction_init(etr_redaction *redaction, bool renames) {
  *redaction = (etr_redaction){.renames = renames};
  etr_map *const maps[] = {&redaction->files, &redaction->parts, &redaction->classes,
                           &redaction->values, &redaction->taken};
  for (size_t i = 0; i < ETR_COUNT(maps); i++)
    etr_map_init(maps[i], &redaction->arena);
}

void etr_redaction_clear(etr_redaction *redaction) {
  etr_arena_clear(&redaction->arena);
}

/* ---- The redacted text, which the append functions put together in h->text ---- */

/* Appends bytes to the redacted text. When out of memory, the arena has failed. */
static void append_bytes(etr_redaction *h, etr_slice bytes) {
  for (size_t i = 0; i < bytes.size; i++) {
    char *slot = etr_vec_push(&h->arena, &h->text);
    if (slot)
      *slot = bytes.data[i];
  }
}

static void append_text(etr_redaction *h, const char *text) {
  append_bytes(h, etr_slice_of(text));
}

/* Appends a new name: a number between two texts, such as "m12" or "f3.py". */
static void append_numbered_name(etr_redaction *h, const char *before, uint32_t number,
                                 const char *behind) {
  char text[48];
  (void)snprintf(text, sizeof text, "%s%u%s", before, (unsigned)number, behind);
  append_text(h, text);
}

/* Returns the redacted text, which the next redaction overwrites. */
static etr_slice redacted_text(const etr_redaction *h) {
  return (etr_slice){h->text.data, h->text.count};
}

/* Returns true if a character is one of a string's. A text from a file may contain NUL, which
 * strchr() would find at the end of any string. */
static bool is_any_of(char character, const char *any) {
  return character != '\0' && strchr(any, character) != NULL;
}

/* Returns the index of the first character that is one of `any`; the size of the text if none is.
 */
static size_t find_any_of(etr_slice text, const char *any) {
  size_t at = 0;
  while (at < text.size && !is_any_of(text.data[at], any))
    at++;
  return at;
}

/* ---- Paths of modules and weights ---- */

#define BETWEEN_PARTS ".[]'\"@"

/* Returns true if a part of a path is a number, as of a layer in a torch.nn.Sequential, or empty.
 */
static bool is_number(etr_slice part) {
  for (size_t i = 0; i < part.size; i++)
    if (part.data[i] < '0' || part.data[i] > '9')
      return false;
  return true;
}

/* Returns true for names that torch gives to the weights of its own modules. */
static bool is_usual_weight_name(etr_slice part) {
  static const char *const names[] = {"weight", "bias", "running_mean", "running_var",
                                      "num_batches_tracked"};
  for (size_t i = 0; i < ETR_COUNT(names); i++)
    if (etr_slice_equal(part, etr_slice_of(names[i])))
      return true;
  return false;
}

/* Returns the size of the expression L['self'] for the model, with which torch 2.6 begins paths; 0
 * if the path does not. */
static size_t size_of_root(etr_slice path) {
  size_t end = etr_slice_starts(path, ETR_SLICE("L['self']")) ? sizeof "L['self']" - 1 : 0;
  return end;
}

/* Returns true for the name that torch writes if there is no module. */
static bool is_placeholder(etr_slice path) {
  return etr_slice_is(path, "_empty_nn_module_stack_from_metadata_hook");
}

/* Appends a path of modules, which may end in a weight, with "m" and a number for each part; a part
 * that is new gets the next number. Numbers, the usual names of weights and the names that torch
 * writes for the whole model or for no module say nothing about a model, so they stay. */
static void append_redacted_path(etr_redaction *h, etr_slice path) {
  size_t root = is_placeholder(path) ? path.size : size_of_root(path);
  append_bytes(h, etr_slice_before(path, root));
  for (etr_slice rest = etr_slice_after(path, root); rest.size > 0;) {
    etr_slice part = etr_slice_before(rest, find_any_of(rest, BETWEEN_PARTS));
    rest = etr_slice_after(rest, part.size);
    if (is_number(part) || (rest.size == 0 && is_usual_weight_name(part)))
      append_bytes(h, part);
    else
      append_numbered_name(h, "m", etr_map_number(&h->parts, part), "");
    append_bytes(h, etr_slice_before(rest, 1));
    rest = etr_slice_after(rest, 1);
  }
}

/* Returns the path itself if names of modules stay. */
etr_slice etr_redact_path(etr_redaction *h, etr_slice path) {
  if (!h->renames)
    return path;
  h->text.count = 0;
  append_redacted_path(h, path);
  return redacted_text(h);
}

/* ---- nn_module_stack ---- */

/* Appends the name of a module's class: "C" and a number, unless it is empty or a class of torch,
 * which stay. */
static void append_redacted_class(etr_redaction *h, etr_slice name) {
  if (name.size == 0 || etr_slice_starts(name, ETR_SLICE("torch.")))
    append_bytes(h, name);
  else
    append_numbered_name(h, "C", etr_map_number(&h->classes, name), "");
}

/* Appends a level of an nn_module_stack, KEY,PATH,TYPE, where `depth` is its number from 0. The
 * path may contain commas, so it ends at the last one. The key only distinguishes levels, so it is
 * made anew: L__self__ and the redacted path, or for a level without path, other than the first,
 * L__self__root_ and the depth. */
static void append_redacted_level(etr_redaction *h, etr_slice level, uint32_t depth) {
  etr_slice rest = etr_slice_after(level, find_any_of(level, ",") + 1);
  size_t comma = rest.size;
  while (comma > 0 && rest.data[comma - 1] != ',')
    comma--;
  etr_slice path = etr_slice_before(rest, comma ? comma - 1 : 0);
  if (path.size || depth == 0) {
    append_text(h, "L__self__");
    append_redacted_path(h, path);
  } else
    append_numbered_name(h, "L__self__root_", depth, "");
  append_text(h, ",");
  append_redacted_path(h, path);
  append_text(h, ",");
  append_redacted_class(h, etr_slice_after(rest, comma));
}

/* A stack lists the modules that a node is in, KEY,PATH,TYPE;KEY,PATH,TYPE;... Returns the stack
 * itself if names of modules stay. */
etr_slice etr_redact_module_stack(etr_redaction *h, etr_slice stack) {
  if (!h->renames)
    return stack;
  h->text.count = 0;
  uint32_t depth = 0;
  for (etr_slice rest = stack; rest.size > 0; depth++) {
    etr_slice level = etr_slice_before(rest, find_any_of(rest, ";"));
    rest = etr_slice_after(rest, level.size + 1);
    if (depth)
      append_text(h, ";");
    append_redacted_level(h, level, depth);
  }
  return redacted_text(h);
}

/* ---- Names in graphs ---- */

/* Names of weights in a graph begin so: in exported programs, and in what torch made them from. */
static const char *const weight_prefixes[] = {"p_", "b_", "c_", "obj_"};
static const char *const other_prefixes[] = {"L__self_", "l__self_", "l_self_",
                                             "getattr_", "_lifted_", "lifted_"};

/* Returns the prefix with which a name begins; NULL if it begins with none of these. */
static const char *prefix_of(etr_slice name, const char *const *prefixes, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (etr_slice_starts(name, etr_slice_of(prefixes[i])))
      return prefixes[i];
  return NULL;
}

/* Returns the size of the longest known part of a path that is at the start of the text and ends
 * before an underscore, a dot or its end; 0 if there is none. */
static size_t size_of_known_part(const etr_redaction *h, etr_slice text) {
  enum { LONGEST = 256 }; /* names in models are shorter; so no text costs its length squared */
  for (size_t size = ETR_MIN(text.size, (size_t)LONGEST); size > 0; size--) {
    bool ends = size == text.size || text.data[size] == '_' || text.data[size] == '.';
    if (ends && !is_number(etr_slice_before(text, size)) &&
        etr_map_get(&h->parts, etr_slice_before(text, size)) != ETR_NONE)
      return size;
  }
  return 0;
}

/* Appends the name of a node in which parts of module paths that are known (h->parts) are replaced
 * by "m" and their number. Whatever else is between underscores and dots stays, and so do names
 * that torch gives to weights. */
static void append_redacted_parts(etr_redaction *h, etr_slice name) {
  for (etr_slice rest = name; rest.size > 0;) {
    size_t size = is_usual_weight_name(rest) ? 0 : size_of_known_part(h, rest);
    if (size)
      append_numbered_name(h, "m", etr_map_get(&h->parts, etr_slice_before(rest, size)), "");
    else
      append_bytes(h, etr_slice_before(rest, size = find_any_of(rest, "_.")));
    rest = etr_slice_after(rest, size);
    while (rest.size > 0 && (rest.data[0] == '_' || rest.data[0] == '.')) {
      append_bytes(h, etr_slice_before(rest, 1));
      rest = etr_slice_after(rest, 1);
    }
  }
}

/* Returns the size of the module's name if a node is named after a module that is known (h->parts),
 * with or without a number, as 4 in "gate_1"; 0 otherwise. */
static size_t size_of_module_name(const etr_redaction *h, etr_slice name) {
  size_t size = is_usual_weight_name(name) ? 0 : size_of_known_part(h, name);
  bool is_all = size == name.size ||
                (size && name.data[size] == '_' && is_number(etr_slice_after(name, size + 1)));
  return is_all ? size : 0;
}

/* Returns the new name of a weight's node, which was assigned by etr_redaction_learn(). In other
 * names that contain names of modules, these are replaced. Everything else is returned as it is. */
etr_slice etr_redact_name(etr_redaction *h, etr_slice name) {
  if (!h->renames || name.size == 0)
    return name;
  uint32_t found = etr_map_get(&h->values, name);
  if (found != ETR_NONE)
    return etr_slice_of(h->new_values.data[found]);
  const char *prefix = prefix_of(name, weight_prefixes, ETR_COUNT(weight_prefixes));
  if (!prefix)
    prefix = prefix_of(name, other_prefixes, ETR_COUNT(other_prefixes));
  if (!prefix && !size_of_module_name(h, name))
    return name;
  h->text.count = 0;
  if (prefix)
    append_text(h, prefix);
  append_redacted_parts(h, prefix ? etr_slice_after(name, strlen(prefix)) : name);
  return redacted_text(h);
}

/* ---- Learning ---- */

/* Returns a new name for the node of a weight: the prefix and the weight's redacted path with
 * underscores, and a number if another weight has that name, in the arena. NULL when out of memory.
 * Uses h->text. */
static const char *make_name_of_weight_node(etr_redaction *h, const char *prefix,
                                            const char *weight) {
  etr_redact_path(h, etr_slice_of(weight));
  for (size_t i = 0; i < h->text.count; i++)
    if (is_any_of(h->text.data[i], BETWEEN_PARTS))
      h->text.data[i] = '_';
  const char *name = etr_arena_format(&h->arena, "%s%.*s", prefix, (int)h->text.count,
                                      redacted_text(h).data);
  const char *given = name;
  for (uint32_t k = 1; given && etr_map_get(&h->taken, etr_slice_of(given)) != ETR_NONE; k++)
    given = etr_arena_format(&h->arena, "%s_%u", name, (unsigned)k);
  if (given)
    etr_map_set(&h->taken, etr_slice_of(given), 1);
  return given;
}

/* Assigns new names to the parts of a weight's path, and to the weight's node if that has no new
 * name yet and begins with a prefix that torch gives to nodes of weights. When out of memory, the
 * arena has failed. */
static void assign_names_of_weight(etr_redaction *h, const etr_node *node) {
  etr_slice name = etr_slice_of(node->name);
  const char *prefix = prefix_of(name, weight_prefixes, ETR_COUNT(weight_prefixes));
  etr_redact_path(h, etr_slice_of(node->weight_name));
  if (!prefix || etr_map_get(&h->values, name) != ETR_NONE)
    return;
  const char *given = make_name_of_weight_node(h, prefix, node->weight_name);
  const char **slot = given ? etr_vec_push(&h->arena, &h->new_values) : NULL;
  if (!slot)
    return;
  *slot = given;
  etr_map_set(&h->values, name, (uint32_t)(h->new_values.count - 1));
}

/* Redacting a path assigns new names to its parts, which is all that the calls are for. */
void etr_redaction_learn(etr_redaction *h, const etr_graph *graph) {
  for (size_t i = 0; i < graph->module_count; i++)
    etr_redact_path(h, etr_slice_of(graph->modules[i].recorded));
  for (size_t i = 0; i < graph->node_count; i++)
    if (graph->nodes[i].weight_name)
      assign_names_of_weight(h, &graph->nodes[i]);
}

/* ---- Stack traces ---- */

/* Appends the name of a source file: that of a library stays from the library's folder on, a
 * generated one becomes "<generated>", and others become "f", the file's number and ".py". */
static void append_redacted_file(etr_redaction *h, etr_slice file) {
  etr_slice in_library = etr_library_path(file);
  if (in_library.size)
    append_bytes(h, in_library);
  else if (etr_is_generated_file(file))
    append_text(h, "<generated>");
  else
    append_numbered_name(h, "f", etr_map_number(&h->files, file), ".py");
}

/* Appends a frame of a stack trace with its line number, without the user's names: File "f0.py",
 * line 12, in function. Functions in files of libraries and in generated code keep their names, and
 * so does "forward". A frame without a function stays so. */
static void append_redacted_frame(etr_redaction *h, const etr_frame *frame) {
  char line[32];
  bool is_plain = etr_library_path(frame->file).size || etr_is_generated_file(frame->file) ||
                  etr_slice_is(frame->function, "forward");
  (void)snprintf(line, sizeof line, "\", line %lld", (long long)frame->line);
  append_text(h, "  File \"");
  append_redacted_file(h, frame->file);
  append_text(h, line);
  if (frame->function.data)
    append_text(h, ", in ");
  if (frame->function.data)
    append_bytes(h, is_plain ? frame->function : ETR_SLICE("function"));
  append_text(h, "\n");
}

/* Lines that are no frames, such as those with code, are left out. Redacts also if names of modules
 * stay, because files and functions are always redacted. */
etr_slice etr_redact_trace(etr_redaction *h, etr_slice trace) {
  h->text.count = 0;
  for (etr_slice rest = trace; rest.size > 0;) {
    etr_slice line = etr_slice_before(rest, find_any_of(rest, "\n"));
    etr_frame frame;
    rest = etr_slice_after(rest, line.size + 1);
    if (etr_frame_read(&frame, line))
      append_redacted_frame(h, &frame);
  }
  return redacted_text(h);
}
