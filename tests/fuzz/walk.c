/* SPDX-License-Identifier: BSD-3-Clause
 *
 * walk.c - following, adding up, writing and reading again.
 */
#include "walk.h"

#include "../fault/emitters.h"
#include "formats/json.h"
#include "tensorboard.pb-c.h"
#include "tensorboard/tfrecord.h"

#include <math.h>

static void require(bool holds, const char *what) {
  if (holds)
    return;
  fprintf(stderr, "does not hold: %s\n", what);
  abort();
}

static bool is_index(uint32_t index, size_t count) {
  return index == ETR_NONE || index < count;
}

static void read_json(etr_slice written) {
  etr_json *json = etr_json_open_memory(written, NULL);
  require(json != NULL, "there is memory");
  etr_json_skip(json);
  etr_json_end(json);
  require(!etr_json_failed(json), "what is written as JSON is JSON");
  etr_json_close(json);
}

/* ---- Structs ---- */

static void walk_node(const etr_graph *graph, const etr_node *node) {
  require(node->name && node->target && node->op_type, "a node has names");
  require(node->module < graph->module_count && is_index(node->subgraph, graph->subgraph_count),
          "a node's module and subgraph exist");
  for (size_t i = 0; i < node->input_count; i++)
    require(node->inputs[i].node < graph->node_count &&
                node->inputs[i].output < graph->nodes[node->inputs[i].node].output_count,
            "an input exists");
  for (size_t i = 0; i < node->argument_count; i++)
    read_json(etr_slice_of(node->arguments[i].value));
}

static uint64_t walk_graph(const etr_profile *profile, const etr_graph *graph) {
  uint64_t total = 0;
  require(is_index(graph->profile_method, profile->method_count), "a graph's method exists");
  for (size_t i = 0; i < graph->node_count; i++) {
    walk_node(graph, &graph->nodes[i]);
    if (!graph->times)
      continue;
    require(is_index(graph->times[i].carried_by, graph->node_count), "a carrier exists");
    total += graph->times[i].total_ticks;
  }
  return total;
}

static void walk_method(const etr_profile *profile, const etr_method *method) {
  require(is_index(method->graph, profile->graph_count), "a method's graph exists");
  uint64_t sum = 0, operators = etr_method_part_ticks(method, ETR_TIME_OPERATORS);
  double typical = 0;
  for (size_t i = 0; i < method->part_count; i++) {
    require(method->parts[i].typical >= 0, "no part is negative");
    sum += method->parts[i].ticks;
    typical += method->parts[i].typical;
  }
  require(sum == method->execute_ticks, "the parts add up to Method::execute");
  require(fabs(typical - method->execute.typical) <= 1e-6 * typical,
          "the typical times of the parts add up");
  require(method->clock_hidden_ticks <= etr_method_part_ticks(method, ETR_TIME_CALL_OVERHEAD),
          "clocks hide a part of calling delegates");
  require(method->estimated_ticks <= operators, "what is estimated is a part of what is on nodes");
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
  require(operators == 0 || (graph && graph->times),
          "times on nodes are on the nodes of the method's graph");
  if (graph && graph->times)
    require(walk_graph(profile, graph) == operators, "the nodes add up");
}

static void walk_block(const etr_profile *profile, const etr_block *block) {
  require(is_index(block->method, profile->method_count) && block->method_rule,
          "a block's method exists");
  for (size_t i = 0; i < block->event_count; i++) {
    const etr_event *event = &block->events[i];
    for (size_t k = 0; k < event->sample_count; k++)
      require(event->sample_runs[k] < profile->run_count, "a sample's run exists");
    const etr_graph *graph = block->method == ETR_NONE ||
                                     profile->methods[block->method].graph == ETR_NONE
                                 ? NULL
                                 : &profile->graphs[profile->methods[block->method].graph];
    for (size_t k = 0; k < event->node_count; k++)
      require(graph && event->nodes[k] < graph->node_count, "an event's node exists");
  }
}

/* ---- Outputs ---- */

typedef struct text {
  char *data;
  size_t size, capacity;
} text;

static bool collect(void *context, const void *data, size_t size) {
  text *into = context;
  if (into->capacity - into->size < size) {
    into->capacity = (into->size + size) * 2;
    into->data = realloc(into->data, into->capacity);
    require(into->data != NULL, "there is memory");
  }
  memcpy(into->data + into->size, data, size);
  into->size += size;
  return true;
}

static uint32_t read_u32(const char *at) {
  uint32_t value = 0;
  for (int i = 3; i >= 0; i--)
    value = value << 8 | (uint8_t)at[i];
  return value;
}

static void read_event_files(const text *written) {
  for (size_t at = 0; at < written->size;) {
    require(written->size - at >= 16, "a record has a head and a foot");
    const char *head = written->data + at;
    size_t length = read_u32(head);
    require(read_u32(head + 4) == 0 && length <= written->size - at - 16, "a record's length fits");
    require(read_u32(head + 8) == etr_crc32c_masked(etr_crc32c(0, head, 8)),
            "a length's checksum fits");
    require(read_u32(head + 12 + length) == etr_crc32c_masked(etr_crc32c(0, head + 12, length)),
            "a record's checksum fits");
    Tensorboard__Event *event = tensorboard__event__unpack(NULL, length,
                                                           (const uint8_t *)head + 12);
    require(event != NULL, "a record is an event");
    if (event->what_case == TENSORBOARD__EVENT__WHAT_GRAPH_DEF) {
      Tensorboard__GraphDef *graph = tensorboard__graph_def__unpack(NULL, event->graph_def.len,
                                                                    event->graph_def.data);
      require(graph != NULL, "a graph is a graph");
      tensorboard__graph_def__free_unpacked(graph, NULL);
    }
    tensorboard__event__free_unpacked(event, NULL);
    at += 16 + length;
  }
}

/* Each line is a document, and ends. */
static void read_json_lines(etr_slice written) {
  while (written.size > 0) {
    const char *end = memchr(written.data, '\n', written.size);
    require(end != NULL, "a line of JSON Lines ends");
    size_t size = (size_t)(end - written.data);
    read_json((etr_slice){written.data, size});
    written = (etr_slice){end + 1, written.size - size - 1};
  }
}

static void write_and_read(const etr_profile *profile, const named_emitter *what) {
  text written = {0};
  etr_error error = {.offset = ETR_NO_OFFSET};
  bool ends_well = what->emit(profile, &(etr_sink){collect, &written}, &error) == ETR_OK;
  if (!ends_well)
    fprintf(stderr, "%s: %s\n", what->name, error.message);
  require(ends_well || (what->reads_record && error.message[0]),
          "an emitter ends well, or says what is wrong with the record");
  if (!ends_well)
    written.size = 0;
  if (strstr(what->name, "JSON Lines"))
    read_json_lines((etr_slice){written.data, written.size});
  else if (strstr(what->name, "JSON") && written.size > 0)
    read_json((etr_slice){written.data, written.size});
  if (strcmp(what->name, "event files") == 0)
    read_event_files(&written);
  free(written.data);
}

void walk_profile(const etr_profile *profile) {
  for (size_t i = 0; i < profile->graph_count; i++)
    walk_graph(profile, &profile->graphs[i]);
  for (size_t i = 0; i < profile->method_count; i++)
    walk_method(profile, &profile->methods[i]);
  for (size_t i = 0; i < profile->block_count; i++)
    walk_block(profile, &profile->blocks[i]);
  for (const named_emitter *what = emitters; what->name; what++)
    write_and_read(profile, what);
}
