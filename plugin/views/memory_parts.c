/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_parts.c - weights and constants summed up, tensors that are live.
 */
#include "base/natural.h"
#include "output/writer.h"
#include "views/memory_findings.h"

const etr_graph *etr_memory_graph(const etr_profile *profile, const etr_method *method) {
  return method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
}

/* ---- Weights ---- */

static const char *module_of_weight(etr_arena *arena, const char *name) {
  const char *dot = strrchr(name, '.');
  return dot ? etr_arena_copy(arena, (etr_slice){name, (size_t)(dot - name)}) : "";
}

const etr_weight *etr_weights_of(size_t *count, etr_arena *arena, const etr_profile *profile,
                                 const etr_method *method) {
  const etr_graph *graph = etr_memory_graph(profile, method);
  etr_weight *list = etr_arena_alloc_array(arena, graph ? graph->node_count : 0, sizeof *list);
  etr_map names;
  etr_map_init(&names, arena);
  *count = 0;
  for (size_t i = 0; list && graph && i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    if (!node->weight_name || node->output_count == 0) continue;
    if (etr_map_count(&names, etr_slice_of(node->weight_name)) > 0) continue;
    etr_weight *weight = &list[(*count)++];
    *weight = (etr_weight){
        .node = node, .value = &node->outputs[0], .module = module_of_weight(arena, node->weight_name)};
    weight->is_known = etr_value_bytes(weight->value, &weight->bytes);
  }
  return etr_arena_failed(arena) ? NULL : list;
}

/* ---- Sums ---- */

typedef struct sums {
  etr_arena *arena;
  etr_map places; /* texts that rows go by -> place in the list */
  etr_vec(etr_weight_sum) list;
} sums;

static void add_row(sums *s, etr_weight_sum row) {
  const char *key = etr_arena_format(s->arena, "%s\n%s\n%s", row.module, row.place, row.dtype);
  etr_map_slot *slot = key ? etr_map_at(&s->places, etr_slice_of(key)) : NULL;
  if (!slot) return;
  if (slot->value == ETR_NONE) {
    etr_weight_sum *added = etr_vec_push(s->arena, &s->list);
    if (!added) return;
    slot->value = (uint32_t)(s->list.count - 1);
    *added = (etr_weight_sum){.module = row.module, .dtype = row.dtype, .place = row.place};
  }
  s->list.data[slot->value].count++;
  s->list.data[slot->value].bytes = etr_add_up_to_most(s->list.data[slot->value].bytes, row.bytes);
}

static int by_bytes(const void *a, const void *b) {
  const etr_weight_sum *x = a, *y = b;
  if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
  int order = etr_natural_compare(x->module, y->module);
  if (order == 0) order = etr_natural_compare(x->place, y->place);
  return order ? order : strcmp(x->dtype, y->dtype);
}

static const etr_weight_sum *finish(sums *s, size_t *count) {
  static const etr_weight_sum none = {.module = "", .dtype = "", .place = ""};
  *count = s->list.count;
  if (etr_arena_failed(s->arena)) return NULL;
  etr_sort(s->list.data, s->list.count, sizeof *s->list.data, by_bytes);
  return s->list.count ? s->list.data : &none;
}

static const char *or_empty(const char *text) { return text ? text : ""; }

const etr_weight_sum *etr_weight_sums_make(size_t *count, etr_arena *arena, const etr_weight *weights,
                                           size_t weight_count) {
  sums s = {.arena = arena};
  etr_map_init(&s.places, arena);
  for (size_t i = 0; i < weight_count; i++)
    add_row(&s, (etr_weight_sum){.module = weights[i].module,
                                 .dtype = or_empty(weights[i].value->dtype),
                                 .place = "",
                                 .bytes = weights[i].bytes});
  return finish(&s, count);
}

const etr_weight_sum *etr_constant_sums_make(size_t *count, etr_arena *arena, const etr_program_memory *memory) {
  sums s = {.arena = arena};
  etr_map_init(&s.places, arena);
  for (size_t i = 0; i < memory->constant_count; i++) {
    const etr_constant *constant = &memory->constants[i];
    const char *place = constant->place == ETR_CONSTANT_SEGMENT
                            ? etr_arena_format(arena, "segment %u", (unsigned)constant->segment)
                            : etr_constant_place_name(constant->place);
    add_row(&s, (etr_weight_sum){.module = "",
                                 .dtype = or_empty(constant->tensor.dtype),
                                 .place = or_empty(place),
                                 .bytes = constant->size_bytes});
  }
  return finish(&s, count);
}

const etr_blob_sum *etr_blob_sums_make(size_t *count, etr_arena *arena, const etr_memory_plan *plan) {
  etr_blob_sum *list = etr_arena_alloc_array(arena, plan->blob_count, sizeof *list);
  etr_map backends;
  etr_map_init(&backends, arena);
  *count = 0;
  for (size_t i = 0; list && i < plan->blob_count; i++) {
    const etr_delegate_blob *blob = &plan->blobs[i];
    uint32_t place = etr_map_number(&backends, etr_slice_of(blob->backend));
    if (place == ETR_NONE) return NULL;
    if (place == *count) list[(*count)++] = (etr_blob_sum){.backend = blob->backend, .largest_instruction = -1};
    etr_blob_sum *sum = &list[place];
    sum->delegates += blob->delegate_count;
    sum->bytes = etr_add_up_to_most(sum->bytes, blob->size_bytes);
    if (blob->size_bytes <= sum->largest_bytes) continue;
    sum->largest_bytes = blob->size_bytes;
    sum->largest_instruction = blob->instruction;
  }
  return list;
}

/* ---- What is live ---- */

bool etr_tensor_is_live(const etr_planned_tensor *tensor, int32_t instruction) {
  return instruction >= 0 && tensor->view_of == ETR_NONE && !tensor->is_misplaced && tensor->size_bytes > 0 &&
         tensor->first_instruction <= instruction && instruction <= tensor->last_instruction;
}

typedef struct live_tensor {
  uint64_t bytes;
  uint32_t index;
} live_tensor;

static int by_size(const void *a, const void *b) {
  const live_tensor *x = a, *y = b;
  if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
  return (x->index > y->index) - (x->index < y->index);
}

const uint32_t *etr_live_tensors_make(size_t *count, etr_arena *arena, const etr_memory_plan *plan,
                                      int32_t instruction) {
  live_tensor *live = etr_arena_alloc_array(arena, plan->tensor_count, sizeof *live);
  uint32_t *list = etr_arena_alloc_array(arena, plan->tensor_count, sizeof *list);
  *count = 0;
  if (!live || !list) return NULL;
  for (uint32_t i = 0; i < plan->tensor_count; i++)
    if (etr_tensor_is_live(&plan->tensors[i], instruction))
      live[(*count)++] = (live_tensor){plan->tensors[i].size_bytes, i};
  etr_sort(live, *count, sizeof *live, by_size);
  for (size_t i = 0; i < *count; i++) list[i] = live[i].index;
  return list;
}

const char *etr_memory_step_op(const etr_profile *profile, const etr_method *method, int32_t instruction) {
  const etr_graph *graph = etr_memory_graph(profile, method);
  if (instruction < 0 || (size_t)instruction >= method->memory->instruction_count) return "";
  const etr_memory_step *step = &method->memory->steps[instruction];
  return graph && step->node != ETR_NONE ? graph->nodes[step->node].target : step->op;
}

const char *etr_memory_module(const etr_profile *profile, const etr_method *method, uint32_t module) {
  const etr_graph *graph = etr_memory_graph(profile, method);
  return graph && module < graph->module_count ? graph->modules[module].path : "";
}

/* ---- What is not known ---- */

/* "3 XnnpackBackend" of the delegates that the program has bytes of. */
static const char *delegates_text(etr_arena *arena, const etr_memory_plan *plan) {
  size_t delegates = 0;
  const char *backend = plan->blobs[0].backend;
  bool is_one = true;
  for (size_t i = 0; i < plan->blob_count; i++) {
    delegates += plan->blobs[i].delegate_count;
    is_one &= strcmp(plan->blobs[i].backend, backend) == 0;
  }
  return etr_arena_format(
      arena,
      "%zu delegate%s%s%.*s allocate%s working memory of %s own when loaded, for packed weights and "
      "intermediate results; a program does not say how much",
      delegates, delegates == 1 ? "" : "s", is_one ? " of " : "", ETR_HEAD(is_one ? backend : "", 128),
      delegates == 1 ? "s" : "", delegates == 1 ? "its" : "their");
}

const etr_memory_unknown *etr_memory_unknowns_make(size_t *count, etr_arena *arena, const etr_memory_plan *plan) {
  enum { MOST = 4 };
  etr_memory_unknown *list = etr_arena_alloc_array(arena, MOST, sizeof *list);
  size_t callers = 0;
  for (size_t i = 0; i < plan->boundary_count; i++) callers += !plan->boundary[i].is_planned;
  *count = 0;
  if (!list) return NULL;
  if (plan->blob_count) list[(*count)++] = (etr_memory_unknown){"delegates", delegates_text(arena, plan)};
  list[(*count)++] = (etr_memory_unknown){
      "allocators", "the runtime's method allocator (tensors' metadata, instructions) and temporary allocator "
                    "(scratch of kernels) are sized by the application"};
  if (plan->unplanned_count)
    list[(*count)++] = (etr_memory_unknown){
        "unplanned", etr_arena_format(arena, "%zu tensor%s without a bound %s allocated while the method runs",
                                      plan->unplanned_count, plan->unplanned_count == 1 ? "" : "s",
                                      plan->unplanned_count == 1 ? "is" : "are")};
  if (callers)
    list[(*count)++] = (etr_memory_unknown){
        "inputs_and_outputs",
        etr_arena_format(arena, "%zu input%s or output%s outside the plan: the application provides the memory",
                         callers, callers == 1 ? "" : "s", callers == 1 ? " is" : "s are")};
  return etr_arena_failed(arena) ? NULL : list;
}

const char *etr_bytes_text(etr_arena *arena, uint64_t bytes) {
  char digits[ETR_UINT_ROOM], text[2 * ETR_UINT_ROOM];
  size_t size = etr_format_uint(digits, bytes), used = 0;
  for (size_t i = 0; i < size; i++) {
    if (i > 0 && (size - i) % 3 == 0) text[used++] = ',';
    text[used++] = digits[i];
  }
  const char *copy = etr_arena_copy(arena, (etr_slice){text, used});
  return copy ? copy : "";
}
