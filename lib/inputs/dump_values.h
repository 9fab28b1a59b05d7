/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dump_values.h - the values that the DebugEvents of an ETDump logged. Layer 2.
 * How the runtime logs: executorch/devtools/etdump/etdump_flatcc.cpp, log_evalue and
 * log_intermediate_output_delegate.
 */
#ifndef ETR_DUMP_VALUES_H
#define ETR_DUMP_VALUES_H

#include "base/arena.h"
#include "formats/flatbuf.h"

/** Collects the values of a dump. */
typedef struct etr_value_reader {
  etr_fb *fb;
  etr_arena *arena;
  etr_arena scratch; /* cleared for each run */
  etr_map
      counts; /* number of values of the run with the same instruction, delegate id and is_output */
  uint32_t run;
  etr_vec(etr_debug_value) values;
} etr_value_reader;

/** Prepares for reading. Failures show on fb or on the arena. Owns nothing until a run is started.
 */
void etr_values_init(etr_value_reader *reader, etr_fb *fb, etr_arena *arena);

/** Starts a run: the values that are read from now on belong to it. */
void etr_values_start_run(etr_value_reader *reader, uint32_t run);

/** Reads the Value table of a DebugEvent. `origin` has the event's name and ids. Returns true if
 * the file marks the value as an output of the method. */
bool etr_values_read(etr_value_reader *reader, etr_debug_value origin, etr_fb_at value);

/** Returns all values that were read, in the arena, and frees everything else. */
etr_debug_value *etr_values_end(etr_value_reader *reader, size_t *count);

#endif
