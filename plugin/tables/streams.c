/* SPDX-License-Identifier: BSD-3-Clause
 *
 * streams.c - tables handed over as Arrow streams.
 */
#include "tables/streams.h"

typedef etr_status table_writer(const etr_profile *profile, const etr_node_filter *filter,
                                const etr_table_options *options, etr_table_target target, etr_error *error);

static bool write_nothing(void *context, const void *data, size_t size) {
  (void)context, (void)data, (void)size;
  return true;
}

static etr_status stream(table_writer *write, const etr_profile *profile, const etr_node_filter *filter,
                         const etr_table_options *options, struct ArrowArrayStream *out, etr_error *error) {
  static const etr_sink nowhere = {.write = write_nothing};
  etr_arrow *table = etr_arrow_new();
  *out = (struct ArrowArrayStream){0};
  if (!table) return etr_fail_memory(error);
  etr_status status = write(profile, filter, options, (etr_table_target){&nowhere, table}, error);
  if (status == ETR_OK) return etr_arrow_hand_over(table, out, error);
  etr_arrow_free(table);
  return status;
}

etr_status etr_stream_events(const etr_profile *profile, const etr_node_filter *filter,
                             const etr_table_options *options, struct ArrowArrayStream *out, etr_error *error) {
  return stream(etr_write_events, profile, filter, options, out, error);
}

etr_status etr_stream_nodes(const etr_profile *profile, const etr_node_filter *filter, const etr_table_options *options,
                            struct ArrowArrayStream *out, etr_error *error) {
  return stream(etr_write_nodes, profile, filter, options, out, error);
}
