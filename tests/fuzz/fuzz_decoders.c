/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuzz_decoders.c - events of any name and metadata as a delegate's of each backend that has a
 * decoder: what is not what it writes is on no node, and a node is one of the delegate's, with the
 * name, the handle or the kind that the event says.
 *
 * The first byte chooses the backend. Then lines: a byte of bits (1 the id is a number, 2 the
 * delegate map lists it, 12 with how many handles, 112 from which), the name, a tab and metadata.
 */
#include "backends/decoder.h"
#include "join/delegates.h"

#include <stdlib.h>

enum { MOST = 32, IN_DELEGATE = 5, NODES = 6, RUN_NS = 1000 };

static const char *const backends[] = {"CoreMLBackend", "EthosUBackend", "NeutronBackend",
                                       "QnnBackend",    "VgfBackend",    "VulkanBackend"};

static const char *const names[NODES] = {"aten_conv2d_default", "aten_linear_default",
                                         "aten_add_tensor",     "aten_add_tensor_1",
                                         "aten_relu_default",   "aten_mean_dim"};
static const char *const targets[NODES] = {"aten.convolution.default", "aten.addmm.default",
                                           "aten.add.Tensor",          "aten.add.Tensor",
                                           "aten.relu.default",        "aten.mean.dim"};

/* ---- A delegate of five nodes with handles 1 to 5; the sixth is outside ---- */

typedef struct scene {
  etr_arena arena;
  const etr_decoder *decoder;
  etr_node nodes[NODES];
  etr_graph graph;
  int32_t delegates[NODES];
  uint32_t uses[NODES];
  etr_map_delegate_id ids[MOST];
  uint32_t handles[16];
  etr_map_instruction map;
  etr_placed instruction;
  etr_method_inputs method;
  etr_placement placement;
  etr_event rows[MOST];
  etr_event_facts facts[MOST];
  etr_bytes metadata[MOST];
  uint64_t durations[MOST];
  size_t count;
} scene;

static void make_nodes(scene *s) {
  for (uint32_t i = 0; i < NODES; i++) {
    s->nodes[i] = (etr_node){.name = names[i], .target = targets[i], .debug_handle = i + 1};
    s->delegates[i] = i < IN_DELEGATE ? 0 : -1;
    if (i < IN_DELEGATE)
      *etr_vec_push(&s->arena, &s->placement.delegate_nodes) = (etr_delegate_node){0, i};
  }
  for (uint32_t i = 0; i < ETR_COUNT(s->handles); i++)
    s->handles[i] = i;
  s->graph = (etr_graph){.nodes = s->nodes, .node_count = NODES};
  s->map = (etr_map_instruction){.is_delegate = true, .backend = s->decoder->id, .ids = s->ids};
  s->instruction = (etr_placed){
      .map = &s->map, .is_delegate = true, .backend = s->decoder->id, .node = ETR_NONE};
  s->method.graph = &s->graph;
  s->placement.method = &s->method;
  s->placement.node_delegate = s->delegates;
  s->method.uses = s->uses;
}

/* ---- Its events ---- */

static bool is_known(const scene *s, const char *name) {
  for (size_t i = 0; i < s->count; i++)
    if (strcmp(s->facts[i].name, name) == 0)
      return true;
  return false;
}

static void add_event(scene *s, unsigned bits, etr_slice name, etr_slice metadata) {
  size_t i = s->count, handle_count = bits >> 2 & 3;
  const char *text = etr_arena_text(&s->arena, name);
  if (is_known(s, text))
    return; /* that would be one row */
  bool is_listed = bits >> 1 & 1;
  s->metadata[i] = (etr_bytes){metadata.data, metadata.size};
  s->durations[i] = RUN_NS;
  s->facts[i] = (etr_event_facts){.name = text,
                                  .is_number = bits & 1,
                                  .is_listed = is_listed,
                                  .handle_count = is_listed ? handle_count : 0,
                                  .metadata = &s->metadata[i],
                                  .metadata_count = metadata.size > 0};
  s->rows[i] = (etr_event){.name = text,
                           .label = text,
                           .kind = ETR_EVENT_DELEGATE_OPERATOR,
                           .delegate_id = text,
                           .delegate_id_is_int = bits & 1,
                           .match = ETR_MATCH_DELEGATE,
                           .metadata = &s->metadata[i],
                           .durations = &s->durations[i],
                           .sample_count = 1,
                           .stats = {.count = 1, .avg = RUN_NS}};
  if (is_listed)
    s->ids[s->map.id_count++] = (etr_map_delegate_id){text, &s->handles[bits >> 4 & 7],
                                                      handle_count, i};
  s->count++;
}

static int by_id(const void *a, const void *b) {
  const etr_map_delegate_id *x = a, *y = b;
  return strcmp(x->id, y->id);
}

static void make_events(scene *s, etr_slice text) {
  while (text.size > 0 && s->count < MOST) {
    const char *end = memchr(text.data, '\n', text.size);
    etr_slice line = {text.data, end ? (size_t)(end - text.data) : text.size};
    text = (etr_slice){text.data + line.size + (end != NULL),
                       text.size - line.size - (end != NULL)};
    if (line.size == 0)
      continue;
    const char *tab = memchr(line.data + 1, '\t', line.size - 1);
    etr_slice name = {line.data + 1, tab ? (size_t)(tab - line.data) - 1 : line.size - 1};
    etr_slice metadata = {tab ? tab + 1 : NULL, tab ? line.size - name.size - 2 : 0};
    add_event(s, (unsigned char)line.data[0], name, metadata);
  }
  etr_sort(s->ids, s->map.id_count, sizeof *s->ids, by_id);
}

/* ---- What must hold ---- */

static void check(bool holds) {
  if (!holds)
    abort();
}

static void check_meaning(const etr_event_meaning *m, const etr_event_facts *facts) {
  check(m->role >= ETR_ROLE_OPERATOR && m->role <= ETR_ROLE_COUNTER);
  check(m->phase <= ETR_PHASE_OTHER && m->wrapper_phase <= ETR_PHASE_OTHER &&
        m->unit <= ETR_EVENT_UNIT_BYTES);
  check(m->wrapper <= ETR_MOST_WRAPPERS && m->inside <= ETR_MOST_WRAPPERS &&
        (!m->wrapper || m->inside < m->wrapper));
  check(m->role != ETR_ROLE_COUNTER || !m->is_in_sums);
  if (m->key == ETR_KEY_NODE)
    check(m->node.size > 0 && m->node.data >= facts->name && m->node.size <= strlen(facts->name));
  if (m->key == ETR_KEY_OPERATOR)
    check(m->operator_ && m->operator_number >= 0);
  if (m->key == ETR_KEY_MAP)
    check(facts->is_listed);
}

static bool lists(const scene *s, const etr_event *row, uint32_t handle) {
  const etr_map_delegate_id *listed = etr_maps_find_id(&s->map, row->delegate_id);
  for (size_t i = 0; listed && i < listed->handle_count; i++)
    if (listed->handles[i] == handle)
      return true;
  return false;
}

static void check_node(const scene *s, const etr_event *row, const etr_event_meaning *m) {
  if (row->node_count == 0)
    return;
  const etr_node *node = &s->nodes[row->nodes[0]];
  check(row->node_count == 1 && row->nodes[0] < IN_DELEGATE && !m->is_unexpected &&
        row->confidence > 0);
  switch (m->key) {
  case ETR_KEY_NONE:
    abort();
  case ETR_KEY_MAP:
    check(lists(s, row, node->debug_handle));
    break;
  case ETR_KEY_NODE:
    check(etr_slice_equal(m->node, etr_slice_of(node->name)));
    break;
  case ETR_KEY_OPERATOR:
    check(etr_slice_equal(s->decoder->kind_of(m->operator_), s->decoder->kind_of(node->target)));
  }
}

static void check_row(const scene *s, const etr_event *row, const etr_event_meaning *m) {
  check_node(s, row, m);
  check(row->unit == ETR_EVENT_UNIT_TIME || !row->is_in_sums);
  check(row->role != ETR_ROLE_CONTAINER || !row->is_in_sums);
  check(row->stats.avg >= 0 && row->label);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static scene s;
  etr_event_meaning meanings[MOST];
  const etr_samples samples = {.durations = s.durations};
  etr_delegate_reading reading = {
      .plans_left = ETR_DELEGATE_PLANS,
      .steps_left = ETR_DELEGATE_STEPS,
      .ticks_per_ns = 1,
      .decoding = {.samples = &samples, .ticks_left = (uint64_t)1 << 53}};
  if (size == 0)
    return 0;
  s = (scene){.decoder = etr_decoder_of(backends[data[0] % ETR_COUNT(backends)])};
  make_nodes(&s);
  make_events(&s, (etr_slice){(const char *)data + 1, size - 1});
  for (size_t i = 0; i < s.count; i++)
    meanings[i] = (etr_event_meaning){.role = ETR_ROLE_OPERATOR, .is_in_sums = true};
  check(s.decoder->read(meanings, s.facts, s.count, &s.arena));
  check(etr_delegate_rows(&s.placement, &s.instruction, s.rows, s.count, &reading, &s.arena));
  size_t odd = 0;
  for (size_t i = 0; i < s.count; i++) {
    check_meaning(&meanings[i], &s.facts[i]);
    check_row(&s, &s.rows[i], &meanings[i]);
    const etr_decoder *told = etr_decoder_of_event(s.facts[i].name);
    check(told != s.decoder || s.facts[i].is_number ||
          !meanings[i].is_unexpected); /* it knows what it is known by */
    odd += meanings[i].is_unexpected;
  }
  check(reading.decoding.odd.count == (odd > 0)); /* one warning for all of them */
  etr_arena_clear(&s.arena);
  return 0;
}
