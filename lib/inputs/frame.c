/* SPDX-License-Identifier: BSD-3-Clause
 *
 * frame.c - reads frames of tracebacks and chooses the model's line.
 */
#include "inputs/frame.h"

#include "base/system.h"

/* ---- Texts and paths ---- */

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/* Returns a text without the spaces around it. */
static etr_slice strip_spaces(etr_slice text) {
  while (text.size && is_space(text.data[0]))
    text = etr_slice_after(text, 1);
  while (text.size && is_space(text.data[text.size - 1]))
    text.size--;
  return text;
}

/* Records of Windows have backslashes. */
static bool is_separator(char c) {
  return c == '/' || c == '\\';
}

/* Returns whether a path starts with a text, whose separators are slashes. */
static bool starts_path(etr_slice path, etr_slice start) {
  if (start.size > path.size)
    return false;
  for (size_t i = 0; i < start.size; i++)
    if (path.data[i] != start.data[i] &&
        !(is_separator(start.data[i]) && is_separator(path.data[i])))
      return false;
  return true;
}

/* Returns whether a path begins with these folders, and something is in them. */
static bool is_in_folder(etr_slice path, etr_slice folder) {
  return starts_path(path, folder) && path.size > folder.size &&
         is_separator(path.data[folder.size]);
}

/* Returns the rest of a path after its first component; empty if there is none. */
static etr_slice next_component(etr_slice path) {
  size_t at = 0;
  while (at < path.size && !is_separator(path.data[at]))
    at++;
  return etr_slice_after(path, at + 1);
}

/* ---- Libraries ---- */

enum { MOST_FOLDERS = 12 };

/* A library whose files are not the model's. */
typedef struct library {
  const char *name;
  bool is_never_source; /* its files are no source lines, even if there are no others */
  const char *models;   /* folder with models; NULL: none */
  const char *parent;   /* folder of its repository that contains it; NULL: any */
  bool is_wrapped;      /* people call its models from a file of their own */
  const char
      *folders[MOST_FOLDERS]; /* what follows the name in its repository. A user's folder may have
                                 the same name, so these are names that a model hardly has */
} library;

static const library libraries[] = {
    {"torch",
     true,
     NULL,
     NULL,
     false,
     {"nn/modules/", "nn/functional.", "_dynamo/", "_export/", "_functorch/", "_higher_order_ops/",
      "_decomp/", "_ops.", "_refs/", "_prims", "fx/", "ao/"}},
    {"torchao",
     false,
     NULL,
     NULL,
     false,
     {"quantization/", "dtypes/", "kernel/", "experimental/", "prototype/", "core/", "float8/",
      "utils."}},
    {"executorch",
     false,
     "examples/",
     NULL,
     false,
     {"exir/", "backends/", "extension/", "devtools/", "examples/", "export/", "kernels/",
      "runtime/", "codegen/", "src/executorch/"}},
    {"transformers", false, "models/", "src", true, {""}},
};

/* Returns whether a path starts with one of `count` texts; a NULL ends the list before. */
static bool starts_with_any(etr_slice path, const char *const *starts, size_t count) {
  for (size_t i = 0; i < count && starts[i]; i++)
    if (starts_path(path, etr_slice_of(starts[i])))
      return true;
  return false;
}

/* Returns the library whose folder is the first component of `path`, the rest of a longer path, or
 * NULL if there is none. `parent` is the component before it, empty if there is none. A library's
 * name alone is not enough, because a user's folder may have it: either the parent is empty or one
 * into which packages are installed, or a folder follows that only the library's repository has. */
static const library *library_starting_at(etr_slice path, etr_slice parent) {
  bool is_installed = parent.size == 0 || etr_slice_is(parent, "site-packages") ||
                      etr_slice_is(parent, "dist-packages");
  for (size_t i = 0; i < ETR_COUNT(libraries); i++) {
    const library *l = &libraries[i];
    if (!is_in_folder(path, etr_slice_of(l->name)))
      continue;
    bool is_in_repository = !l->parent || etr_slice_equal(parent, etr_slice_of(l->parent));
    if (is_installed ||
        (is_in_repository && starts_with_any(next_component(path), l->folders, MOST_FOLDERS)))
      return l;
  }
  return NULL;
}

/* Returns the library to which a file belongs; NULL if to none. Sets *path to the path from the
 * library's folder on. The last library in the path counts, because a virtual environment may be
 * below the folder of another one. */
static const library *find_library(etr_slice *path) {
  const library *found = NULL;
  /* An empty parent stands for a path that starts with the library. The first component of an
   * absolute path has none either, but is no library's folder, so "/" is its parent. */
  etr_slice parent = {"/", 1};
  if (path->size && !is_separator(path->data[0]))
    parent.size = 0;
  for (etr_slice rest = *path, next; rest.size > 0; rest = next) {
    const library *library_here = library_starting_at(rest, parent);
    next = next_component(rest);
    if (library_here) {
      found = library_here;
      *path = rest;
    }
    parent = etr_slice_before(rest, rest.size - next.size);
    if (parent.size > 0 && is_separator(parent.data[parent.size - 1]))
      parent.size--;
    if (parent.size == 0)
      parent = (etr_slice){"/", 1};
  }
  return found;
}

etr_slice etr_library_path(etr_slice file) {
  return find_library(&file) ? file : (etr_slice){0};
}

bool etr_is_generated_file(etr_slice file) {
  return etr_slice_starts(file, ETR_SLICE("<"));
}

/* ---- Frames ---- */

/* The function may be missing. */
bool etr_frame_read(etr_frame *out, etr_slice line) {
  line = strip_spaces(line);
  if (!etr_slice_starts(line, ETR_SLICE("File \"")))
    return false;
  line = etr_slice_after(line, 6);
  size_t quote = etr_slice_find(line, '"');
  out->file = etr_slice_before(line, quote);
  line = etr_slice_after(line, quote);
  if (!etr_slice_starts(line, ETR_SLICE("\", line ")))
    return false;
  line = etr_slice_after(line, 8);
  size_t comma = etr_slice_find(line, ',');
  if (!etr_slice_to_int(etr_slice_before(line, comma), &out->line))
    return false;
  line = etr_slice_after(line, comma);
  out->function = etr_slice_starts(line, ETR_SLICE(", in ")) ? etr_slice_after(line, 5)
                                                             : (etr_slice){0};
  return true;
}

/* How likely a frame is the model's line, the least likely first. */
typedef enum frame_kind {
  FRAME_NEVER,
  FRAME_OF_LIBRARY,
  FRAME_OF_LIBRARY_MODEL,
  FRAME_OF_USER,
  FRAME_BELOW_ROOT
} frame_kind;

/* Returns true if a file is in the root folder; a relative root may be anywhere in its path. */
static bool is_below_root(etr_slice file, const char *root) {
  etr_slice folder = etr_slice_of(root);
  bool is_absolute = folder.size &&
                     (is_separator(folder.data[0]) || (folder.size > 1 && folder.data[1] == ':'));
  while (folder.size > 1 && is_separator(folder.data[folder.size - 1]))
    folder.size--;
  if (folder.size == 0)
    return false;
  if (is_absolute)
    return is_in_folder(file, folder) || (folder.size == 1 && starts_path(file, folder));
  for (; file.size > 0; file = next_component(file))
    if (is_in_folder(file, folder))
      return true;
  return false;
}

/* Returns how likely a frame in this file is the model's line, by whose code it is. `root` is the
 * folder whose files the user wants; NULL: none. */
static frame_kind kind_of_frame_in(etr_slice file, const char *root) {
  if (etr_is_generated_file(file))
    return FRAME_NEVER;
  if (root && is_below_root(file, root))
    return FRAME_BELOW_ROOT;
  const library *l = find_library(&file);
  if (!l)
    return FRAME_OF_USER;
  if (l->is_never_source)
    return FRAME_NEVER;
  bool is_model = l->models && starts_path(next_component(file), etr_slice_of(l->models));
  return is_model ? FRAME_OF_LIBRARY_MODEL : FRAME_OF_LIBRARY;
}

/* Returns whether a file belongs to a library whose models people call from a line of their own. */
static bool is_of_wrapped_library(etr_slice file) {
  const library *l = find_library(&file);
  return l && l->is_wrapped;
}

/* Cuts the last line off *text, and returns it without the spaces around it. */
static etr_slice pop_last_line(etr_slice *text) {
  const char *newline_found = etr_find_last(text->data, text->size, '\n');
  size_t newline = newline_found ? (size_t)(newline_found - text->data) : text->size;
  etr_slice line = newline_found ? etr_slice_after(*text, newline + 1) : *text;
  *text = etr_slice_before(*text, newline_found ? newline : 0);
  return strip_spaces(line);
}

/* A frame with the text of its line. */
typedef struct frame_with_code {
  etr_frame frame;
  etr_slice code;
} frame_with_code;

/* Returns a frame as a source line, with its texts interned. */
static etr_source to_source(etr_map *strings, const frame_with_code *from) {
  return (etr_source){
      .file = etr_intern(strings, from->frame.file),
      .line = from->frame.line,
      .function = etr_intern(strings, from->frame.function),
      .code = etr_intern(strings, from->code),
  };
}

/* Allocates a frame as a source line; NULL when out of memory. */
static etr_source *make_source(etr_arena *arena, etr_map *strings, const frame_with_code *from) {
  etr_source *source = etr_arena_alloc(arena, sizeof *source);
  if (source)
    *source = to_source(strings, from);
  return source;
}

/* Returns the number of lines of a stack trace that are frames. */
static size_t count_frames(etr_slice trace) {
  etr_frame frame;
  size_t count = 0;
  while (trace.size > 0)
    count += etr_frame_read(&frame, pop_last_line(&trace));
  return count;
}

/* Reads lines from the last to the first, because the innermost frame is the last in a traceback:
 * of equally likely frames the first one read is chosen. */
etr_trace etr_trace_read(etr_arena *arena, etr_map *strings, etr_slice trace, const char *root) {
  frame_with_code current = {0}, best = {0}, in_library = {0};
  frame_kind best_kind = FRAME_NEVER;
  size_t count = count_frames(trace);
  size_t frame_index = 0;
  etr_source *frames = count > 0 ? etr_arena_alloc_array(arena, count, sizeof *frames) : NULL;
  while (frames && trace.size > 0) {
    etr_slice line = pop_last_line(&trace);
    if (!etr_frame_read(&current.frame, line)) {
      if (line.size > 0)
        current.code = line; /* going up: the line right below the frame comes last */
      continue;
    }
    frames[frame_index++] = to_source(strings, &current);
    frame_kind kind = kind_of_frame_in(current.frame.file, root);
    if (!in_library.frame.file.data && is_of_wrapped_library(current.frame.file))
      in_library = current;
    if (kind > best_kind) {
      best = current;
      best_kind = kind;
    }
    current.code = (etr_slice){0};
  }
  etr_source *source = best_kind == FRAME_NEVER ? NULL : make_source(arena, strings, &best);
  if (source && best_kind == FRAME_OF_USER && in_library.frame.file.data)
    source->library_line = make_source(arena, strings, &in_library);
  return (etr_trace){
      .source = source,
      .frames = frames,
      .frame_count = frame_index,
  };
}
