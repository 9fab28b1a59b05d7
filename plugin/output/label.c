/* SPDX-License-Identifier: BSD-3-Clause
 *
 * label.c - makes short texts for shapes, operators, source lines, devices and times.
 */
#include "output/label.h"

#include "base/system.h"
#include "base/writer.h"
#include "etrecord_tb.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Returns the short name of a number type, such as "f32" for "float32"; an unknown type keeps its
 * name. */
static const char *short_dtype(const char *dtype) {
  static const struct {
    const char *dtype, *label;
  } names[] = {
      {"float32", "f32"},   {"float64", "f64"},   {"float16", "f16"},     {"bfloat16", "bf16"},
      {"int8", "i8"},       {"int16", "i16"},     {"int32", "i32"},       {"int64", "i64"},
      {"uint8", "u8"},      {"uint16", "u16"},    {"uint32", "u32"},      {"uint64", "u64"},
      {"complex32", "c32"}, {"complex64", "c64"}, {"complex128", "c128"},
  };
  for (size_t i = 0; i < ETR_COUNT(names); i++) {
    if (strcmp(names[i].dtype, dtype) == 0)
      return names[i].label;
  }
  return dtype;
}

/* Appends as much of a text as fits into ETR_SHAPE_ROOM bytes. Returns the new size in bytes. */
static size_t append_shape_text(char *text, size_t used, const char *more) {
  etr_slice head = etr_slice_head(more, ETR_SHAPE_ROOM - 1 - used);
  memcpy(text + used, head.data, head.size);
  return used + head.size;
}

/* Appends a character if there is room for it. Returns the new size in bytes. */
static size_t append_shape_byte(char *text, size_t used, char byte) {
  if (used < ETR_SHAPE_ROOM - 1)
    text[used++] = byte;
  return used;
}

/* Appends a dimension to a text: its size, its symbol, or "?" if it has neither. Returns the new
 * length of the text. */
static size_t append_dim(char *text, size_t used, const etr_dim *dim) {
  char digits[ETR_UINT_ROOM];
  if (dim->symbol != NULL || dim->size < 0)
    return append_shape_text(text, used, dim->symbol != NULL ? dim->symbol : "?");
  size_t count = etr_format_uint(digits, (uint64_t)dim->size);
  for (size_t i = 0; i < count; i++)
    used = append_shape_byte(text, used, digits[i]);
  return used;
}

/* printf() would be slow for the thousands of shapes of a graph. */
size_t etr_format_shape(char *to, const etr_value *value) {
  size_t used = append_shape_text(to, 0, value->dtype != NULL ? short_dtype(value->dtype) : "");
  if (value->rank >= 0)
    used = append_shape_byte(to, used, '[');
  for (int32_t i = 0; i < value->rank && used < ETR_SHAPE_ROOM - 1; i++) {
    if (i > 0)
      used = append_shape_byte(to, used, ',');
    used = append_dim(to, used, &value->dims[i]);
  }
  if (value->rank >= 0)
    used = append_shape_byte(to, used, ']');
  return used;
}

char *etr_label_shape(etr_arena *arena, const etr_value *value) {
  char text[ETR_SHAPE_ROOM];
  return etr_arena_copy(arena, (etr_slice){text, etr_format_shape(text, value)});
}

size_t etr_format_argument(char *to, const char *value) {
  size_t size = 0;
  etr_slice head = etr_slice_head(value, ETR_ARGUMENT_ROOM);
  for (size_t i = 0; i < head.size; i++)
    if (head.data[i] != '"')
      to[size++] = head.data[i];
  return size;
}

bool etr_is_program(const etr_graph *graph) {
  return strcmp(graph->dialect, "program") == 0;
}

static bool is_separator(char c) {
  return c == '.' || c == ':';
}

/* Loops over characters, because most names are too short for the functions of string.h to pay. A
 * name of only underscores keeps them. */
etr_slice etr_label_op(const char *target) {
  const char *name = target;
  while (*name && !is_separator(*name))
    name++;
  if (!*name)
    return (etr_slice){target, (size_t)(name - target)};
  while (is_separator(*name))
    name++;
  const char *plain = name;
  while (*plain == '_')
    plain++;
  if (*plain && *plain != '.')
    name = plain;
  const char *end = name;
  while (*end && *end != '.')
    end++;
  return end > name ? (etr_slice){name, (size_t)(end - name)} : etr_slice_of(target);
}

/* Returns true if a node is in the body of a cond, map or the like, or in a graph nested there. */
static bool is_in_subgraph_body(const etr_graph *graph, const etr_node *node) {
  for (uint32_t s = node->subgraph; s != ETR_NONE; s = graph->subgraphs[s].parent)
    if (graph->subgraphs[s].kind == ETR_SUBGRAPH_BODY)
      return true;
  return false;
}

const char *etr_label_node(etr_arena *arena, const etr_graph *graph, uint32_t node) {
  const etr_node *n = &graph->nodes[node];
  return is_in_subgraph_body(graph, n)
             ? etr_arena_format(arena, "%s/%s", graph->subgraphs[n->subgraph].path, n->name)
             : n->name;
}

char *etr_label_source(etr_arena *arena, const etr_source *source) {
  if (source == NULL)
    return etr_arena_copy(arena, ETR_SLICE(""));
  const char *file = source->file;
  for (const char *c = file; *c != '\0'; c++) {
    if ((*c == '/' || *c == '\\') && c[1] != '\0')
      file = c + 1;
  }
  const char *in = source->function[0] != '\0' ? " in " : "";
  return etr_arena_format(arena, "%s:%" PRId64 "%s%s", file, source->line, in, source->function);
}

char *etr_label_jump(etr_arena *arena, const etr_node *node, const char *separator) {
  const char *condition = etr_node_argument(node, "if_not"),
             *target = etr_node_argument(node, "go_to");
  if (condition == NULL || target == NULL)
    return NULL;
  char value[ETR_ARGUMENT_ROOM], place[ETR_ARGUMENT_ROOM];
  bool is_always = strcmp(condition, "false") == 0;
  int value_size = (int)etr_format_argument(value, condition),
      place_size = (int)etr_format_argument(place, target);
  if (is_always)
    return etr_arena_format(arena, "always%sgo to %.*s", separator, place_size, place);
  return etr_arena_format(arena, "if not %.*s%sgo to %.*s", value_size, value, separator,
                          place_size, place);
}

/* Returns the character of a device label for one of a name: letters become capitals, and what is
 * no letter, digit, '-' or '_' becomes '_': ':' and '/' have a meaning in TensorBoard's device
 * names. toupper() would depend on the locale. */
static char device_char(char c) {
  if (c >= 'a' && c <= 'z')
    return (char)(c - 'a' + 'A');
  bool plain = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  return plain ? c : '_';
}

const char *etr_label_device(etr_arena *arena, const char *backend) {
  if (backend == NULL)
    return "CPU";
  etr_slice name = etr_slice_of(backend);
  const etr_slice suffix = ETR_SLICE("Backend");
  if (name.size > suffix.size && etr_slice_ends(name, suffix))
    name.size -= suffix.size;
  char *label = etr_arena_copy(arena, name);
  for (char *c = label; c != NULL && *c != '\0'; c++)
    *c = device_char(*c);
  return label;
}

const char *etr_label_kernel(const char *name) {
  static const char prefix[] = "native_call_";
  return strncmp(name, prefix, sizeof prefix - 1) == 0 ? name + sizeof prefix - 1 : name;
}

const char *etr_label_backend(etr_arena *arena, const char *backend) {
  const char *known = etr_backend_label(backend);
  static const char suffix[] = "Backend";
  etr_slice name = etr_slice_of(backend);
  if (known)
    return known;
  if (etr_slice_is(name, "unknown"))
    return "delegate"; /* an ETDump alone does not name the backend */
  if (name.size > sizeof suffix - 1 && etr_slice_ends(name, etr_slice_of(suffix)))
    name.size -= sizeof suffix - 1;
  return etr_arena_copy(arena, name);
}

/* Returns the last part of a path, ignoring slashes at its end; the slice is empty if there is
 * none. */
static etr_slice last_part(etr_slice path) {
  while (path.size > 0 && etr_is_slash(path.data[path.size - 1]))
    path.size--;
  size_t start = path.size;
  while (start > 0 && !etr_is_slash(path.data[start - 1]))
    start--;
  return (etr_slice){path.data + start, path.size - start};
}

/* Returns true for names of files and folders that do not tell records apart, because ExecuTorch's
 * examples use them for every model. */
static bool is_generic_name(etr_slice name) {
  return name.size == 0 || etr_slice_is(name, ".") || etr_slice_is(name, "..") ||
         etr_slice_is(name, "etrecord.bin") || etr_slice_is(name, "etdump.etdp") ||
         etr_slice_is(name, "model.pte");
}

const char *etr_label_folder(etr_arena *arena, etr_slice path) {
  const char *folder = etr_arena_copy(arena, path);
  char *whole = folder ? realpath(folder, NULL) : NULL;
  const char *name = whole ? etr_arena_copy(arena, last_part(etr_slice_of(whole))) : NULL;
  free(whole);
  return name;
}

/* Returns a short name for a file: "stdin" for "-"; its own name; or its folder's, if the file has
 * one of the usual names that say nothing and the folder has not. */
static const char *label_file(etr_arena *arena, const char *path) {
  if (strcmp(path, "-") == 0)
    return "stdin";
  etr_slice file = last_part(etr_slice_of(path));
  etr_slice parent = {path, (size_t)(file.data - path)};
  etr_slice folder = last_part(parent);
  if (!is_generic_name(file))
    return etr_arena_copy(arena, file);
  if (etr_slice_is(folder, ".") || etr_slice_is(folder, "..")) {
    const char *name = etr_label_folder(arena, parent);
    if (name && name[0])
      return name;
  }
  return etr_arena_copy(arena, is_generic_name(folder) ? file : folder);
}

/* Returns true for the name of a folder that `bench` made, "2026-11-22_13-40-05", in which 0 stands
 * for any digit here. */
static bool is_time_of_bench(etr_slice name) {
  static const char form[] = "0000-00-00_00-00-00";
  for (size_t i = 0; i < sizeof form - 1; i++) {
    bool is_digit = i < name.size && name.data[i] >= '0' && name.data[i] <= '9';
    if (i >= name.size || (form[i] == '0' ? !is_digit : name.data[i] != form[i]))
      return false;
  }
  return true;
}

/* Returns the name of a folder of `bench`, "net 13:40" for "net/2026-11-22_13-40-05"; NULL
 * for others, or when out of memory. */
static const char *label_bench(etr_arena *arena, etr_slice path) {
  enum { HOUR = 11, MINUTE = 14 }; /* where these begin in the name */
  etr_slice folder = last_part(path);
  etr_slice name = last_part((etr_slice){path.data, (size_t)(folder.data - path.data)});
  if (!is_time_of_bench(folder) || is_generic_name(name))
    return NULL;
  return etr_arena_format(arena, "%.*s %.2s:%.2s", (int)name.size, name.data, folder.data + HOUR,
                          folder.data + MINUTE);
}

/* Returns the name of a folder; NULL if it has none, as "/". */
static const char *label_folder(etr_arena *arena, etr_slice path) {
  etr_slice folder = last_part(path);
  const char *bench = label_bench(arena, path);
  if (bench)
    return bench;
  bool has_name = folder.size > 0 && !etr_slice_is(folder, ".") && !etr_slice_is(folder, "..");
  const char *name = has_name ? etr_arena_copy(arena, folder) : etr_label_folder(arena, path);
  return name && name[0] ? name : NULL;
}

const char *etr_label_record(etr_arena *arena, const etr_profile *profile) {
  const char *given = profile->folder;
  const char *folder = given ? label_folder(arena, etr_slice_of(given)) : NULL;
  if (folder)
    return folder;
  const char *dump = profile->etdump_count ? profile->etdumps[0] : profile->pte;
  const char *path = profile->etrecord ? profile->etrecord : dump;
  return path ? label_file(arena, path) : "-";
}

/* Returns the name of the folder that holds a file; for a folder without a name, as "/", the short
 * name of the file. */
static const char *label_parent_folder(etr_arena *arena, const char *path) {
  etr_slice file = last_part(etr_slice_of(path));
  const char *name = label_folder(arena, (etr_slice){path, (size_t)(file.data - path)});
  return name ? name : label_file(arena, path);
}

const char *etr_label_recordings(etr_arena *arena, const etr_profile *profile,
                                 const etr_method *method) {
  bool is_alone = !profile->etrecord && !profile->pte && method->run_count > 0;
  if (!is_alone || profile->etdump_count == 1)
    return etr_label_record(arena, profile);
  uint32_t dump = profile->runs[method->runs[0]].dump;
  for (size_t i = 1; i < method->run_count; i++)
    if (profile->runs[method->runs[i]].dump != dump)
      return label_parent_folder(arena, profile->etdumps[dump]);
  return label_file(arena, profile->etdumps[dump]);
}

size_t etr_dump_name_stem(const char *name) {
  static const etr_slice endings[] = {ETR_SLICE(".etdp"), ETR_SLICE(".etdump"), ETR_SLICE(".bin")};
  etr_slice file = etr_slice_of(name);
  for (size_t i = 0; i < ETR_COUNT(endings); i++)
    if (file.size > endings[i].size && etr_slice_ends(file, endings[i]))
      return file.size - endings[i].size;
  return file.size;
}

const char *etr_label_dump(etr_arena *arena, const etr_profile *profile) {
  if (profile->etdump_count != 1)
    return NULL;
  const char *label = label_file(arena, profile->etdumps[0]);
  return label ? etr_arena_copy(arena, (etr_slice){label, etr_dump_name_stem(label)}) : NULL;
}

char *etr_label_ticks(etr_arena *arena, const etr_profile *profile, double ticks) {
  static const struct {
    double from, divisor;
    const char *name;
  } units[] = {{1e10, 1e9, " s"}, {1e5, 1e6, " ms"}, {-INFINITY, 1e3, " us"}};
  double ns = etr_ticks_to_ns(profile, ticks);
  size_t unit = 0;
  etr_text text;
  etr_writer writer;
  while (unit + 1 < ETR_COUNT(units) && !(ns >= units[unit].from))
    unit++;
  double value = ns / units[unit].divisor;
  int decimals = value > 0 ? 3 : 0; /* less one for each digit before the point */
  for (double above = 1; decimals > 0 && value >= above; above *= 10)
    decimals--;
  if (profile->takes_cycles_as_ns)
    return etr_arena_format(arena, "%.0f cycles", ticks);
  etr_text_begin(&text, arena, &writer);
  etr_put_fixed(&writer, value, decimals);
  etr_puts(&writer, units[unit].name);
  return etr_text_end(&text, &writer);
}

const char *etr_label_method(const char *name) {
  return name[0] ? name : "method not known";
}

const char *etr_count_text(etr_arena *arena, uint64_t bytes) {
  char digits[ETR_UINT_ROOM], text[2 * ETR_UINT_ROOM];
  size_t size = etr_format_uint(digits, bytes), used = 0;
  for (size_t i = 0; i < size; i++) {
    if (i > 0 && (size - i) % 3 == 0)
      text[used++] = ',';
    text[used++] = digits[i];
  }
  const char *copy = etr_arena_copy(arena, (etr_slice){text, used});
  return copy ? copy : "";
}

const char *etr_label_clock(const etr_profile *profile, etr_unit unit) {
  if (unit == ETR_UNIT_CYCLES || !profile->takes_cycles_as_ns)
    return NULL;
  return ETR_TICK_IS_TAKEN_AS_NS ", or --unit cycles";
}

const char *etr_label_clock_note(const etr_profile *profile, const etr_table_options *options) {
  bool is_decided = options->unit == ETR_UNIT_CYCLES && !options->has_unit;
  if (profile->takes_cycles_as_ns && is_decided)
    return ETR_CYCLES_HAVE_NO_RATE;
  return etr_label_clock(profile, options->unit);
}
