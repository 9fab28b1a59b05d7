/* SPDX-License-Identifier: BSD-3-Clause
 *
 * json_out.h - JSON into a sink, as Python's json.dumps() writes it; also into a string of other such JSON. Layer 1.
 */
#ifndef ETR_JSON_OUT_H
#define ETR_JSON_OUT_H

#include "base/base.h"
#include "etrecord_file.h"

/** A document being written. The first failure stays, and nothing is written after it. */
typedef struct etr_json_out {
  etr_sink sink;
  bool failed;
  size_t used;
  char buffer[4096];
} etr_json_out;

/** Begins a document. */
void etr_json_out_begin(etr_json_out *out, const etr_sink *sink);

/** Begins a document inside a string of another, which must not be used until it ends. */
void etr_json_out_begin_inside(etr_json_out *out, etr_json_out *outer);
void etr_json_out_end_inside(etr_json_out *out, etr_json_out *outer);

/** Writes bytes as they are. */
void etr_json_out_raw(etr_json_out *out, etr_slice bytes);

/** Writes a string, with quotes, in ASCII. */
void etr_json_out_string(etr_json_out *out, etr_slice text);

/** Writes what is left in the buffer. False: the sink did not take everything. */
bool etr_json_out_end(etr_json_out *out);

#endif
