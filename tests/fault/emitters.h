/* SPDX-License-Identifier: BSD-3-Clause
 *
 * emitters.h - every emitter behind one signature, for tests that do the same with all of them.
 */
#ifndef ETR_TEST_EMITTERS_H
#define ETR_TEST_EMITTERS_H

#include "etrecord_tb.h"

typedef etr_status (*emitter)(const etr_profile *profile, const etr_sink *sink, etr_error *error);

typedef struct named_emitter {
  const char *name;
  emitter emit;
  bool reads_record; /* once more, from its file, which may have become shorter */
} named_emitter;

/** Ended by one without name. */
extern const named_emitter emitters[];

#endif
