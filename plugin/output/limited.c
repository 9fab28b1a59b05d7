/* SPDX-License-Identifier: BSD-3-Clause
 *
 * limited.c - counts the bytes that an emitter writes.
 */
#include "base/base.h"
#include "etrecord_tb.h"

#include <inttypes.h>

/* The event file, DOT file and report of 100,000 nodes in three graphs and a million events take a
 * fraction of 4 GiB.
 */
static const uint64_t DEFAULT_MAX_BYTES = UINT64_C(4) << 30;

typedef struct counter {
  etr_limited *limited;
  const etr_sink *sink;
  uint64_t max_bytes;
  bool is_exceeded;
} counter;

/* Passes bytes on to the sink and counts them. Returns false if the sink refuses them or, with
 * is_exceeded set, if they would exceed the limit; then none of them is written. */
static bool count_bytes(void *context, const void *data, size_t size) {
  counter *count = context;
  uint64_t written = count->limited->written; /* by all calls */
  count->is_exceeded = written > count->max_bytes || size > count->max_bytes - written;
  if (count->is_exceeded || !count->sink->write(count->sink->context, data, size))
    return false;
  count->limited->written += size;
  return true;
}

etr_status etr_emit_limited(void *context, const etr_sink *sink, etr_error *error) {
  etr_limited *limited = context;
  counter c = {.limited = limited,
               .sink = sink,
               .max_bytes = limited->max_bytes ? limited->max_bytes : DEFAULT_MAX_BYTES};
  etr_status status = limited->emit(limited->context, &(etr_sink){count_bytes, &c}, error);
  if (status == ETR_OK || !c.is_exceeded)
    return status;
  return etr_fail(error, ETR_ERROR_FORMAT, NULL, NULL, ETR_NO_OFFSET,
                  "more than %" PRIu64 " bytes of output; raise this limit with --max-output",
                  c.max_bytes);
}
