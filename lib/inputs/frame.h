/* SPDX-License-Identifier: BSD-3-Clause
 *
 * frame.h - the frames of a Python traceback, and which of them is the model's own line. Layer 2.
 */
#ifndef ETR_FRAME_H
#define ETR_FRAME_H

#include "base/arena.h"

/** A line of a traceback that names a source line: `File "PATH", line N, in FUNCTION`. */
typedef struct etr_frame {
  etr_slice file, function; /* function.data is NULL if there is none */
  int64_t line;
} etr_frame;

/** Reads a line of a traceback that names a source line, `File "PATH", line N, in FUNCTION`, which
 * may be indented. Returns false for other lines. */
bool etr_frame_read(etr_frame *out, etr_slice line);

/** Returns the path from the package on, "torch/nn/modules/linear.py", of a file of torch, torchao,
 * ExecuTorch or transformers; empty for all other files. A package is recognized by the folder in
 * which it is installed (site-packages, dist-packages), or, if it is used from its repository, by
 * the folders that only it has. */
etr_slice etr_library_path(etr_slice file);

/** Returns true for code that has no file, such as <eval_with_key>. */
bool etr_is_generated_file(etr_slice file);

/** What a Python traceback says. */
typedef struct etr_trace {
  const etr_source *source; /* the model's line; NULL if there is none */
  const etr_source *frames; /* all frames, innermost first */
  size_t frame_count;
} etr_trace;

/**
 * Reads a Python traceback: all its frames, and which of them is the model's line. That is the
 * innermost frame of the best kind: below the folder `root` (NULL: none), then files of no
 * library, then models of ExecuTorch's examples and of transformers, then other files of the
 * libraries. Files of torch count only below `root`, and generated code never does. If it is of no
 * library but leads into one of models, its library_line is the innermost frame in there.
 *
 * A relative `root` names folders anywhere in a path: "torchvision/models".
 */
etr_trace etr_trace_read(etr_arena *arena, etr_map *strings, etr_slice trace, const char *root);

#endif
