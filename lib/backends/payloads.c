/* SPDX-License-Identifier: BSD-3-Clause
 *
 * payloads.c - finds payloads by the address of their bytes.
 */
#include "backends/backends.h"

#include <inttypes.h>

void etr_payloads_init(etr_payloads *payloads, const etr_payloads *known, etr_arena *arena) {
  *payloads = (etr_payloads){.known = known, .arena = arena};
  etr_map_init(&payloads->by_place, arena);
  etr_map_init(&payloads->graph_by_place, arena);
  etr_map_init(&payloads->shown, arena);
}

/* Counts the events that an operator may log, by class. */
static void count_events(etr_payload *payload, const etr_payload_operator *of) {
  payload->most_events[of->class_]++;
  payload->least_events[of->class_] += !of->alternative && !of->is_idle;
  if (of->alternative)
    payload->most_events[of->alternative]++;
  if (of->activation)
    payload->most_events[of->activation]++;
}

/* Reads a payload with its backend's reader and counts its operators by class. Returns NULL if it
 * cannot be read, or when out of memory. */
static const etr_payload *read_payload(etr_arena *arena, const etr_backend *backend,
                                       etr_slice bytes) {
  etr_payload *payload = etr_arena_alloc(arena, sizeof *payload);
  if (!payload || !backend->read_payload(payload, arena, bytes))
    return NULL;
  for (size_t i = 0; i < payload->count; i++)
    count_events(payload, &payload->operators[i]);
  return payload;
}

/* Each payload is read once, also by several profiles of one program (known). A failure is
 * remembered as NULL. */
const etr_payload *etr_payloads_read(etr_payloads *payloads, const etr_backend *backend,
                                     etr_slice bytes) {
  const struct {
    etr_slice bytes;
    const etr_backend *backend;
  } key = {bytes, backend};
  ETR_NO_PADDING(key, sizeof bytes + sizeof backend);
  const etr_payloads *known = payloads->known;
  uint32_t known_index = known ? etr_map_get(&known->by_place, ETR_BYTES(key)) : ETR_NONE;
  if (bytes.size == 0)
    return NULL;
  if (known_index != ETR_NONE)
    return known->list.data[known_index];
  etr_map_slot *slot = etr_map_at(&payloads->by_place, ETR_BYTES(key));
  if (!slot)
    return NULL;
  if (slot->value != ETR_NONE)
    return payloads->list.data[slot->value];
  const etr_payload **added = etr_vec_push(payloads->arena, &payloads->list);
  if (!added)
    return NULL;
  slot->value = (uint32_t)(payloads->list.count - 1);
  *added = read_payload(payloads->arena, backend, bytes);
  return *added;
}

/* ---- Graphs ---- */

/* Adds a backend to those with a payload that could not be read as a graph, unless it is there. */
static void note_unread_backend(etr_payloads *payloads, const char *backend) {
  for (size_t i = 0; i < payloads->unread.count; i++)
    if (strcmp(payloads->unread.data[i], backend) == 0)
      return;
  const char **added = etr_vec_push(payloads->arena, &payloads->unread);
  if (added)
    *added = backend;
}

/* Sets graph->written: the indices of the call's arguments that operators of the graph write,
 * ascending, each once. Returns false when out of memory. */
static bool list_written_arguments(etr_own_graph *graph, etr_arena *arena) {
  etr_vec(uint32_t) written = {0};
  for (size_t i = 0; i < graph->count; i++)
    for (size_t k = 0; k < graph->operators[i].write_count; k++) {
      int32_t argument = graph->values[graph->operators[i].writes[k]].argument;
      uint32_t *added = argument >= 0 ? etr_vec_push(arena, &written) : NULL;
      if (added)
        *added = (uint32_t)argument;
    }
  if (written.count)
    etr_sort(written.data, written.count, sizeof *written.data, etr_by_number);
  for (size_t i = 0; i < written.count; i++)
    if (i == 0 || written.data[i] != written.data[i - 1])
      written.data[graph->written_count++] = written.data[i];
  graph->written = written.data;
  return !etr_arena_failed(arena);
}

/* Sets graph->titles: of each operator its name and id, such as "Conv2d #3". Returns false when out
 * of memory. */
static bool make_titles(etr_own_graph *graph, etr_arena *arena) {
  const char **titles = etr_arena_alloc_array(arena, graph->count, sizeof *titles);
  for (size_t i = 0; titles && i < graph->count; i++)
    titles[i] = etr_arena_format(arena, "%s #%" PRId64, graph->operators[i].name,
                                 graph->operators[i].id);
  graph->titles = titles;
  return !etr_arena_failed(arena);
}

/* Reads the graph of a payload with the backend's reader. Returns NULL when out of memory, or if it
 * cannot be read, which is noted for the backend. */
static const etr_own_graph *read_graph(etr_payloads *payloads, etr_own_graph_reader reader,
                                       const char *backend, etr_slice bytes) {
  etr_own_graph *graph = etr_arena_alloc(payloads->arena, sizeof *graph);
  if (!graph)
    return NULL;
  if (bytes.size && reader(graph, payloads->arena, bytes))
    return list_written_arguments(graph, payloads->arena) && make_titles(graph, payloads->arena)
               ? graph
               : NULL;
  note_unread_backend(payloads, backend);
  return NULL;
}

/* Each graph is read once, also by several profiles of one program (known). A failure is remembered
 * as NULL. */
const etr_own_graph *etr_payloads_graph(etr_payloads *payloads, const char *backend,
                                        etr_slice bytes) {
  etr_own_graph_reader reader = etr_own_graph_reader_of(backend);
  const struct {
    etr_slice bytes;
    etr_own_graph_reader reader;
  } key = {bytes, reader};
  ETR_NO_PADDING(key, sizeof bytes + sizeof reader);
  const etr_payloads *known = payloads->known;
  uint32_t known_index = known && reader ? etr_map_get(&known->graph_by_place, ETR_BYTES(key))
                                         : ETR_NONE;
  if (known_index != ETR_NONE) {
    if (!known->graphs.data[known_index])
      note_unread_backend(payloads, backend);
    return known->graphs.data[known_index];
  }
  etr_map_slot *slot = reader ? etr_map_at(&payloads->graph_by_place, ETR_BYTES(key)) : NULL;
  if (!slot || slot->value != ETR_NONE)
    return slot ? payloads->graphs.data[slot->value] : NULL;
  const etr_own_graph **added = etr_vec_push(payloads->arena, &payloads->graphs);
  if (!added)
    return NULL;
  slot->value = (uint32_t)(payloads->graphs.count - 1);
  *added = read_graph(payloads, reader, backend, bytes);
  return *added;
}

/* ---- Showing ---- */

/* Most operators and values that are shown again, in all payloads together. Equal layers share the
 * payloads of their parts without weights, which have a few operators each. */
enum { MOST_REPEATED = 1 << 14 };

/* Adds what is shown again (operators and values) to payloads->repeated, whose limit is
 * MOST_REPEATED, and counts a delegate that is not shown in payloads->hidden. Returns false also
 * when out of memory. */
bool etr_payloads_show(etr_payloads *payloads, const etr_own_graph *graph) {
  etr_map_slot *slot = etr_map_at(&payloads->shown, ETR_BYTES(graph));
  if (!slot)
    return false;
  size_t size = graph->count + graph->value_count;
  bool is_new = slot->value == ETR_NONE;
  bool is_shown = is_new || size <= MOST_REPEATED - payloads->repeated;
  slot->value = 1;
  if (!is_new && is_shown)
    payloads->repeated += size;
  if (!is_shown)
    payloads->hidden++;
  return is_shown;
}
