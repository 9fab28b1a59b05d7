/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_findings.c - names the parts of memory, and finds what could be spared.
 */
#include "views/memory_findings.h"

#include "output/label.h"
#include "views/input_bounds.h"

#include "base/natural.h"
#include "base/writer.h"

#include <math.h>

/** The data of the rules, and the findings so far. */
typedef struct etr_memory_finder {
  const etr_profile *profile;
  const etr_method *method;
  const etr_memory_plan *plan; /* NULL without a program */
  etr_arena *arena;
  etr_vec(etr_memory_finding) found;
} etr_memory_finder;

/* Adds a finding about some bytes, unless they are fewer than ETR_MEMORY_LEAST_BYTES or than
 * ETR_MEMORY_LEAST_SHARE of the whole. Returns NULL in these cases, and when out of memory. */
static etr_memory_finding *add_if_large(etr_memory_finder *finder, etr_memory_finding_kind kind,
                                        uint64_t bytes, uint64_t whole) {
  bool is_enough = bytes >= ETR_MEMORY_LEAST_BYTES &&
                   (double)bytes >= ETR_MEMORY_LEAST_SHARE * (double)whole;
  etr_memory_finding *added = is_enough ? etr_vec_push(finder->arena, &finder->found) : NULL;
  if (added)
    *added = (etr_memory_finding){
        .kind = kind, .title = "", .evidence = "", .bytes = bytes, .instruction = -1};
  return added;
}

static const char *bytes_text(const etr_memory_finder *f, uint64_t bytes) {
  return etr_count_text(f->arena, bytes);
}

/* Each rule adds its findings. When out of memory, the arena has failed. */

/* ---- Weights and constants summed up, tensors that are live ---- */

const etr_graph *etr_memory_graph(const etr_profile *profile, const etr_method *method) {
  return method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
}

bool etr_is_shared_memory(const etr_memory_plan *plan, size_t buffer) {
  uint64_t beside = 0, elsewhere = 0;
  bool has_state = false;
  for (size_t i = 0; i < plan->tensor_count; i++) {
    const etr_planned_tensor *tensor = &plan->tensors[i];
    has_state |= tensor->role == ETR_TENSOR_STATE && tensor->buffer == buffer;
    if (tensor->role == ETR_TENSOR_ACTIVATION)
      *(tensor->buffer == buffer ? &beside : &elsewhere) += tensor->size_bytes;
  }
  return has_state && beside <= elsewhere;
}

/* Returns the buffer of a method's plan with this id; NULL if there is none. */
static const etr_planned_buffer *buffer_of(const etr_method *method, uint32_t id) {
  const etr_memory_plan *plan = method->memory;
  for (size_t i = 0; plan && i < plan->buffer_count; i++)
    if (plan->buffers[i].id == id)
      return &plan->buffers[i];
  return NULL;
}

/* Returns true if two methods have the same memory for their states, so that what loads them has to
 * give all of them the same buffers. */
static bool do_methods_share(const etr_profile *profile) {
  for (size_t i = 0; i < profile->method_count; i++) {
    const etr_memory_plan *plan = profile->methods[i].memory;
    for (size_t b = 0; plan && b < plan->buffer_count; b++) {
      size_t others = etr_is_shared_memory(plan, b) ? i : 0; /* methods before that may share it */
      for (size_t k = 0; k < others; k++) {
        const etr_planned_buffer *other = buffer_of(&profile->methods[k], plan->buffers[b].id);
        if (other && other->size_bytes == plan->buffers[b].size_bytes)
          return true;
      }
    }
  }
  return false;
}

double etr_planned_bytes(const etr_profile *profile) {
  bool is_shared = do_methods_share(profile);
  double sum = NAN;
  for (size_t i = 0; i < profile->method_count; i++) {
    const etr_memory_plan *plan = profile->methods[i].memory;
    if (!plan)
      continue;
    sum = isnan(sum) ? 0 : sum;
    for (size_t b = 0; b < plan->buffer_count; b++) {
      uint64_t largest = 0; /* buffer with this id of the methods before */
      for (size_t k = 0; k < i && is_shared; k++) {
        const etr_planned_buffer *other = buffer_of(&profile->methods[k], plan->buffers[b].id);
        largest = other ? ETR_MAX(largest, other->size_bytes) : largest;
      }
      sum += (double)(ETR_MAX(plan->buffers[b].size_bytes, largest) - largest);
    }
  }
  return sum;
}

/* ---- Weights ---- */

/* Returns the name of a weight without its last part, "layers.0" for "layers.0.weight"; "" without
 * a dot. */
static const char *module_of_weight(etr_arena *arena, const char *name) {
  const char *dot = strrchr(name, '.');
  return dot ? etr_arena_copy(arena, (etr_slice){name, (size_t)(dot - name)}) : "";
}

/* How a program stores a weight. */
typedef struct storing {
  const char *type; /* all of its readers read it packed, as this type; NULL: as in the graph */
  uint64_t bytes;   /* if it is packed */
  bool is_read;
} storing;

/* Returns for each node of a graph, if it is a weight, how the program stores it. NULL when out of
 * memory. */
static storing *find_storings(etr_arena *arena, const etr_graph *graph) {
  storing *storings = etr_arena_alloc_array(arena, graph->node_count, sizeof *storings);
  for (size_t i = 0; storings && i < graph->node_count; i++) {
    const etr_node *reader = &graph->nodes[i];
    for (size_t k = 0; k < reader->input_count; k++) {
      storing *weight = &storings[reader->inputs[k].node];
      uint64_t bytes;
      const char *type = etr_packed_weight(graph, reader, k, &bytes);
      bool is_packed = type && (weight->type || !weight->is_read);
      *weight = (storing){is_packed ? type : NULL, is_packed ? bytes : 0, true};
    }
  }
  return storings;
}

const etr_weight *etr_weights_of(size_t *count, etr_arena *arena, const etr_profile *profile,
                                 const etr_method *method) {
  const etr_graph *graph = etr_memory_graph(profile, method);
  etr_weight *list = etr_arena_alloc_array(arena, graph ? graph->node_count : 0, sizeof *list);
  const storing *storings = graph ? find_storings(arena, graph) : NULL;
  etr_map names;
  etr_map_init(&names, arena);
  *count = 0;
  for (size_t i = 0; list && storings && i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    bool is_not_stored = storings[i].type && !storings[i].type[0];
    if (!node->weight_name || !etr_node_is_weight(node) || node->output_count == 0 || is_not_stored)
      continue;
    if (etr_map_count(&names, etr_slice_of(node->weight_name)) > 0)
      continue;
    etr_weight *weight = &list[(*count)++];
    *weight = (etr_weight){.node = node,
                           .value = &node->outputs[0],
                           .dtype = etr_or_empty(node->outputs[0].dtype),
                           .module = module_of_weight(arena, node->weight_name)};
    weight->is_known = etr_value_bytes(weight->value, &weight->bytes);
    if (storings[i].type) {
      weight->dtype = storings[i].type;
      weight->bytes = storings[i].bytes;
    }
  }
  return etr_arena_failed(arena) ? NULL : list;
}

/* ---- Sums ---- */

/* Weights or constants added up. */
typedef struct sums {
  etr_arena *arena;
  etr_map places; /* text by which rows are added up -> index in the list */
  etr_vec(etr_weight_sum) list;
} sums;

/* Adds a weight, or a constant, to the sum of its module, place and type, which is added if it is
 * new. When out of memory, the arena has failed. */
static void add_weight_to_sum(sums *s, etr_weight_sum row) {
  const char *key = etr_arena_format(s->arena, "%s\n%s\n%s", row.module, row.place, row.dtype);
  etr_map_slot *slot = key ? etr_map_at(&s->places, etr_slice_of(key)) : NULL;
  if (!slot)
    return;
  if (slot->value == ETR_NONE) {
    etr_weight_sum *added = etr_vec_push(s->arena, &s->list);
    if (!added)
      return;
    slot->value = (uint32_t)(s->list.count - 1);
    *added = (etr_weight_sum){.module = row.module, .dtype = row.dtype, .place = row.place};
  }
  s->list.data[slot->value].count++;
  s->list.data[slot->value].bytes = etr_add_up_to_most(s->list.data[slot->value].bytes, row.bytes);
}

/* Compares sums for qsort(): by bytes, the largest first, then by module, place and type. */
static int by_bytes(const void *a, const void *b) {
  const etr_weight_sum *x = a, *y = b;
  if (x->bytes != y->bytes)
    return x->bytes < y->bytes ? 1 : -1;
  int compared = etr_natural_compare(x->module, y->module);
  if (compared == 0)
    compared = etr_natural_compare(x->place, y->place);
  return compared ? compared : strcmp(x->dtype, y->dtype);
}

/* Returns the sums, sorted, and sets *count; NULL when out of memory, and never NULL otherwise. */
static const etr_weight_sum *finish_sums(sums *s, size_t *count) {
  static const etr_weight_sum none = {.module = "", .dtype = "", .place = ""};
  *count = s->list.count;
  if (etr_arena_failed(s->arena))
    return NULL;
  etr_sort(s->list.data, s->list.count, sizeof *s->list.data, by_bytes);
  return s->list.count ? s->list.data : &none;
}

const etr_weight_sum *etr_weight_sums_make(size_t *count, etr_arena *arena,
                                           const etr_weight *weights, size_t weight_count) {
  sums s = {.arena = arena};
  etr_map_init(&s.places, arena);
  for (size_t i = 0; i < weight_count; i++)
    add_weight_to_sum(&s, (etr_weight_sum){.module = weights[i].module,
                                           .dtype = weights[i].dtype,
                                           .place = "",
                                           .bytes = weights[i].bytes});
  return finish_sums(&s, count);
}

const etr_weight_sum *etr_constant_sums_make(size_t *count, etr_arena *arena,
                                             const etr_program_memory *memory) {
  sums s = {.arena = arena};
  etr_map_init(&s.places, arena);
  for (size_t i = 0; i < memory->constant_count; i++) {
    const etr_constant *constant = &memory->constants[i];
    const char *place = constant->place == ETR_CONSTANT_SEGMENT
                            ? etr_arena_format(arena, "segment %u", (unsigned)constant->segment)
                            : etr_constant_place_name(constant->place);
    add_weight_to_sum(&s, (etr_weight_sum){.module = "",
                                           .dtype = etr_or_empty(constant->tensor.dtype),
                                           .place = etr_or_empty(place),
                                           .bytes = constant->size_bytes});
  }
  return finish_sums(&s, count);
}

const etr_blob_sum *etr_blob_sums_make(size_t *count, etr_arena *arena,
                                       const etr_memory_plan *plan) {
  etr_blob_sum *list = etr_arena_alloc_array(arena, plan->blob_count, sizeof *list);
  etr_map backends;
  etr_map_init(&backends, arena);
  *count = 0;
  for (size_t i = 0; list && i < plan->blob_count; i++) {
    const etr_delegate_blob *blob = &plan->blobs[i];
    uint32_t number = etr_map_number(&backends, etr_slice_of(blob->backend));
    if (number == ETR_NONE)
      return NULL;
    if (number == *count) /* the first of its backend */
      list[(*count)++] = (etr_blob_sum){.backend = blob->backend, .largest_instruction = -1};
    etr_blob_sum *sum = &list[number];
    sum->delegates += blob->delegate_count;
    sum->bytes = etr_add_up_to_most(sum->bytes, blob->size_bytes);
    if (blob->size_bytes <= sum->largest_bytes)
      continue;
    sum->largest_bytes = blob->size_bytes;
    sum->largest_instruction = blob->instruction;
  }
  return list;
}

/* ---- What is live ---- */

/* Returns true if a planned tensor has memory of its own that is in use at an instruction. */
static bool is_live(const etr_planned_tensor *tensor, int32_t instruction) {
  return instruction >= 0 && tensor->view_of == ETR_NONE && !tensor->is_misplaced &&
         tensor->size_bytes > 0 && tensor->first_instruction <= instruction &&
         instruction <= tensor->last_instruction;
}

typedef struct live_tensor {
  uint64_t bytes;
  uint32_t index;
} live_tensor;

/* Compares tensors for qsort(): by bytes, the largest first, then by index in the plan. */
static int by_size(const void *a, const void *b) {
  const live_tensor *x = a, *y = b;
  if (x->bytes != y->bytes)
    return x->bytes < y->bytes ? 1 : -1;
  return (x->index > y->index) - (x->index < y->index);
}

const uint32_t *etr_live_tensors_make(size_t *count, etr_arena *arena, const etr_memory_plan *plan,
                                      int32_t instruction) {
  live_tensor *live = etr_arena_alloc_array(arena, plan->tensor_count, sizeof *live);
  uint32_t *list = etr_arena_alloc_array(arena, plan->tensor_count, sizeof *list);
  *count = 0;
  if (!live || !list)
    return NULL;
  for (uint32_t i = 0; i < plan->tensor_count; i++)
    if (is_live(&plan->tensors[i], instruction))
      live[(*count)++] = (live_tensor){plan->tensors[i].size_bytes, i};
  etr_sort(live, *count, sizeof *live, by_size);
  for (size_t i = 0; i < *count; i++)
    list[i] = live[i].index;
  return list;
}

const char *etr_memory_step_op(const etr_profile *profile, const etr_method *method,
                               int32_t instruction) {
  const etr_graph *graph = etr_memory_graph(profile, method);
  if (instruction < 0 || (size_t)instruction >= method->memory->instruction_count)
    return "";
  const etr_memory_step *step = &method->memory->steps[instruction];
  return graph && step->node != ETR_NONE ? graph->nodes[step->node].target : step->op;
}

const char *etr_memory_module(const etr_profile *profile, const etr_method *method,
                              uint32_t module) {
  const etr_graph *graph = etr_memory_graph(profile, method);
  return graph && module < graph->module_count ? graph->modules[module].path : "";
}

/* ---- What is not known ---- */

/* Returns the sentence that the delegates of a program, "3 delegates of XnnpackBackend", allocate
 * memory of an unknown size. The plan has at least one. NULL when out of memory. */
static const char *delegates_text(etr_arena *arena, const etr_memory_plan *plan) {
  size_t delegate_count = 0;
  const char *backend = plan->blobs[0].backend;
  bool has_one_backend = true;
  for (size_t i = 0; i < plan->blob_count; i++) {
    delegate_count += plan->blobs[i].delegate_count;
    has_one_backend &= strcmp(plan->blobs[i].backend, backend) == 0;
  }
  return etr_arena_format(arena,
                          "%zu delegate%s%s%.*s allocate%s working memory of %s own when loaded, "
                          "for packed weights and "
                          "intermediate results; a program does not say how much",
                          delegate_count, etr_plural(delegate_count), has_one_backend ? " of " : "",
                          ETR_HEAD(has_one_backend ? backend : "", 128),
                          delegate_count == 1 ? "s" : "", delegate_count == 1 ? "its" : "their");
}

/* Returns who takes memory of the method allocator beside Method::init: ", plus what the init of
 * XnnpackBackend takes"; "" without delegates. */
static const char *backend_init_text(etr_arena *arena, const etr_memory_plan *plan) {
  bool has_one_backend = true;
  if (plan->blob_count == 0)
    return "";
  const char *backend = plan->blobs[0].backend;
  for (size_t i = 1; i < plan->blob_count; i++)
    has_one_backend &= strcmp(plan->blobs[i].backend, backend) == 0;
  return etr_arena_format(arena, ", plus what the init of %.*s takes",
                          ETR_HEAD(has_one_backend ? backend : "each backend", 128));
}

const etr_memory_unknown *etr_memory_unknowns_make(size_t *count, etr_arena *arena,
                                                   const etr_memory_plan *plan) {
  enum { MOST = 4 };
  etr_memory_unknown *list = etr_arena_alloc_array(arena, MOST, sizeof *list);
  size_t callers = 0;
  for (size_t i = 0; i < plan->boundary_count; i++)
    callers += !plan->boundary[i].is_planned;
  *count = 0;
  if (!list)
    return NULL;
  if (plan->blob_count)
    list[(*count)++] = (etr_memory_unknown){"delegates", delegates_text(arena, plan)};
  list[(*count)++] = (etr_memory_unknown){
      "allocators",
      etr_arena_format(
          arena,
          "the runtime's method allocator needs at least %s bytes on 32 bits, %s on 64 "
          "(ExecuTorch 1.5)%s; the temporary allocator is sized by the application",
          etr_count_text(arena, plan->allocator_bytes_32),
          etr_count_text(arena, plan->allocator_bytes_64), backend_init_text(arena, plan))};
  if (plan->unplanned_count)
    list[(*count)++] = (etr_memory_unknown){
        "unplanned",
        etr_arena_format(arena, "%zu tensor%s without a bound %s allocated while the method runs",
                         plan->unplanned_count, etr_plural(plan->unplanned_count),
                         plan->unplanned_count == 1 ? "is" : "are")};
  if (callers)
    list[(*count)++] = (etr_memory_unknown){
        "inputs_and_outputs",
        etr_arena_format(
            arena, "%zu input%s or output%s outside the plan: the application provides the memory",
            callers, etr_plural(callers), callers == 1 ? " is" : "s are")};
  return etr_arena_failed(arena) ? NULL : list;
}

/* ---- Results that could take the place of an argument ---- */

/* Operators that compute each element of their result from the elements at the same position, or
 * that only change the shape of data. Their result may be written over an argument. */
static const char *const elementwise[] = {
    "abs",          "add",        "clamp",    "clone",
    "cos",          "div",        "elu",      "erf",
    "exp",          "gelu",       "hardtanh", "hardswish",
    "hardsigmoid",  "leaky_relu", "log",      "logical_not",
    "maximum",      "minimum",    "mul",      "neg",
    "pow",          "reciprocal", "relu",     "rsqrt",
    "sigmoid",      "silu",       "sin",      "sqrt",
    "squeeze_copy", "sub",        "tanh",     "unsqueeze_copy",
    "view_copy"};

/* Returns true for an operator, named like "aten::add.out", that computes each element of its
 * result from the same element of its arguments. */
static bool is_elementwise(const etr_memory_step *step) {
  const char *colons = step->is_delegate ? NULL : strstr(step->op, "::");
  etr_slice name = colons ? (etr_slice){colons + 2, strcspn(colons + 2, ".")} : (etr_slice){0};
  for (size_t i = 0; i < ETR_COUNT(elementwise); i++)
    if (name.size && etr_slice_equal(name, etr_slice_of(elementwise[i])))
      return true;
  return false;
}

/* The largest tensor that nothing needs after an instruction. */
typedef struct last_use {
  const etr_planned_tensor *tensor; /* NULL: none */
} last_use;

/* Returns true if one tensor could be written over the other: they have equal sizes and number
 * types in the same planned buffer. */
static bool has_same_size_and_type(const etr_planned_tensor *a, const etr_planned_tensor *b) {
  return a->size_bytes == b->size_bytes && a->buffer == b->buffer &&
         a->tensor.dtype == b->tensor.dtype;
}

static bool has_own_memory(const etr_planned_tensor *tensor) {
  return tensor->view_of == ETR_NONE && !tensor->is_misplaced && tensor->size_bytes > 0;
}

/* Returns, for each instruction, the largest activation that it is the last to use and that an
 * earlier one made; NULL when out of memory. */
static const last_use *list_last_uses(etr_arena *arena, const etr_memory_plan *plan) {
  last_use *uses = etr_arena_alloc_array(arena, plan->instruction_count, sizeof *uses);
  for (size_t i = 0; uses && i < plan->tensor_count; i++) {
    const etr_planned_tensor *tensor = &plan->tensors[i];
    if (tensor->role != ETR_TENSOR_ACTIVATION || !has_own_memory(tensor) ||
        tensor->last_instruction < 0)
      continue;
    last_use *use = &uses[tensor->last_instruction];
    if (tensor->first_instruction < tensor->last_instruction &&
        (!use->tensor || use->tensor->size_bytes < tensor->size_bytes))
      use->tensor = tensor;
  }
  return uses;
}

const uint32_t *etr_memory_in_place_make(etr_arena *arena, const etr_memory_plan *plan) {
  const last_use *uses = list_last_uses(arena, plan);
  bool *is_taken = etr_arena_alloc_array(arena, plan->instruction_count, sizeof *is_taken);
  uint32_t *over = etr_arena_alloc_array(arena, plan->tensor_count, sizeof *over);
  if (!uses || !is_taken || !over)
    return NULL;
  for (size_t i = 0; i < plan->tensor_count; i++) {
    const etr_planned_tensor *result = &plan->tensors[i];
    over[i] = ETR_NONE;
    if (!has_own_memory(result) || result->made_by < 0 ||
        result->made_by != result->first_instruction)
      continue;
    const etr_planned_tensor *argument = uses[result->made_by].tensor;
    if (!argument || !is_elementwise(&plan->steps[result->made_by]) ||
        !has_same_size_and_type(result, argument))
      continue;
    if (is_taken[result->made_by]) /* only one result can be written over it */
      continue;
    is_taken[result->made_by] = true;
    over[i] = (uint32_t)(argument - plan->tensors);
  }
  return over;
}

/* Adds the finding about results that could be written over an argument, if that would lower the
 * peak of live bytes enough. When out of memory, the arena has failed. */
static void add_in_place_finding(etr_memory_finder *finder) {
  const etr_memory_plan *plan = finder->plan;
  const uint32_t *over = etr_memory_in_place_make(finder->arena, plan);
  /* Per instruction: the bytes that its result takes beside the argument. */
  uint64_t *spared = etr_arena_alloc_array(finder->arena, plan->instruction_count, sizeof *spared);
  uint64_t peak = 0;
  size_t operator_count = 0;
  if (!over || !spared)
    return;
  for (size_t i = 0; i < plan->tensor_count; i++) {
    if (over[i] == ETR_NONE)
      continue;
    spared[plan->tensors[i].made_by] = plan->tensors[i].size_bytes;
    operator_count++;
  }
  for (size_t i = 0; i < plan->instruction_count; i++)
    peak = ETR_MAX(peak, plan->live_bytes[i] - ETR_MIN(spared[i], plan->live_bytes[i]));
  etr_memory_finding *added = add_if_large(finder, ETR_MEMORY_IN_PLACE, plan->peak_bytes - peak,
                                           plan->peak_bytes);
  if (!added)
    return;
  added->title = etr_arena_format(
      finder->arena, "writing results in place would lower the peak of live bytes to %s",
      bytes_text(finder, peak));
  added->evidence = etr_arena_format(finder->arena,
                                     "%zu elementwise operator%s write%s a result as large as an "
                                     "argument that nothing needs afterwards",
                                     operator_count, etr_plural(operator_count),
                                     operator_count == 1 ? "s" : "");
}

/* ---- Weights stored twice ---- */

enum { MOST_USERS = 8 }; /* of a weight; more are not counted */

/* The delegates in which nodes that read a weight run, as instructions; -1 stands for kernels. */
typedef struct users {
  int32_t list[MOST_USERS];
  size_t count;
} users;

/* Adds an instruction to the users of a weight, unless it is among them or there are MOST_USERS. */
static void add_user(users *users_of_weight, int32_t instruction) {
  for (size_t i = 0; i < users_of_weight->count; i++)
    if (users_of_weight->list[i] == instruction)
      return;
  if (users_of_weight->count < MOST_USERS)
    users_of_weight->list[users_of_weight->count++] = instruction;
}

/* Returns true if the program has a segment of named data, from which several delegates can read
 * one weight. */
static bool shares_named_data(const etr_program_memory *memory) {
  for (size_t i = 0; memory && i < memory->segment_count; i++)
    if (memory->segments[i].kind == ETR_SEGMENT_NAMED)
      return true;
  return false;
}

/* Returns, for each node of the graph that is a weight, the delegates and kernels that read it.
 * NULL when out of memory. */
static users *find_users(const etr_memory_finder *finder, const etr_graph *graph) {
  users *users_of_node = etr_arena_alloc_array(finder->arena, graph->node_count,
                                               sizeof *users_of_node);
  for (size_t i = 0; users_of_node && i < graph->node_count; i++) {
    if (graph->nodes[i].kind != ETR_NODE_OP)
      continue;
    for (size_t k = 0; k < graph->nodes[i].input_count; k++) {
      uint32_t input = graph->nodes[i].inputs[k].node;
      if (graph->nodes[input].weight_name)
        add_user(&users_of_node[input], graph->times[i].delegate_instruction);
    }
  }
  return users_of_node;
}

/* Adds the finding about weights of which several delegates, or a delegate and kernels, may each
 * hold a copy, unless the program shares data by name. When out of memory, the arena has failed. */
static void add_stored_twice_finding(etr_memory_finder *finder) {
  const etr_graph *graph = etr_memory_graph(finder->profile, finder->method);
  const users *users_of_node = finder->plan && graph && graph->times ? find_users(finder, graph)
                                                                     : NULL;
  size_t weight_count, shared_count = 0;
  const etr_weight *weights = etr_weights_of(&weight_count, finder->arena, finder->profile,
                                             finder->method);
  uint64_t bytes = 0, all_bytes = 0;
  const etr_weight *largest = NULL;
  if (!users_of_node || !weights || shares_named_data(finder->profile->program_memory))
    return;
  for (size_t i = 0; i < weight_count; i++) {
    const users *weight_users = &users_of_node[weights[i].node - graph->nodes];
    all_bytes = etr_add_up_to_most(all_bytes, weights[i].bytes);
    if (weight_users->count < 2 || !weights[i].is_known)
      continue;
    if (!largest || largest->bytes < weights[i].bytes)
      largest = &weights[i];
    shared_count++;
    bytes = etr_add_up_to_most(bytes, (weight_users->count - 1) * weights[i].bytes);
  }
  etr_memory_finding *added = largest
                                  ? add_if_large(finder, ETR_MEMORY_STORED_TWICE, bytes, all_bytes)
                                  : NULL;
  if (!added)
    return;
  added->title = etr_arena_format(finder->arena,
                                  "%zu weight%s used by several delegates, or also by kernels",
                                  shared_count, shared_count == 1 ? " is" : "s are");
  added->evidence = etr_arena_format(finder->arena,
                                     "the largest is %.*s, %s bytes; each delegate may hold a "
                                     "copy, as the program shares no named data",
                                     ETR_HEAD(largest->node->weight_name, 96),
                                     etr_count_text(finder->arena, largest->bytes));
}

/* ---- float32 beside int8 ---- */

/* Bytes of weights by number type. */
typedef struct by_type {
  uint64_t floats, bytes, half_bytes; /* of float32; of int8 and uint8; of int4 */
  const char *largest;                /* name of the largest float32 weight; NULL: there is none */
  uint64_t largest_bytes;
} by_type;

/* Adds the bytes of a weight to the sum of its type, small integers or float32; other types do not
 * count. Remembers the largest float32 weight. */
static void add_weight_to_types(by_type *types, const char *dtype, const char *name,
                                uint64_t bytes) {
  if (strcmp(dtype, "int8") == 0 || strcmp(dtype, "uint8") == 0)
    types->bytes = etr_add_up_to_most(types->bytes, bytes);
  if (strcmp(dtype, "int4") == 0)
    types->half_bytes = etr_add_up_to_most(types->half_bytes, bytes);
  if (strcmp(dtype, "float32") != 0)
    return;
  types->floats = etr_add_up_to_most(types->floats, bytes);
  if (bytes <= types->largest_bytes)
    return;
  types->largest = name;
  types->largest_bytes = bytes;
}

/* Sums the bytes of the graph's weights by type, or without a graph those of the program's
 * constants. */
static by_type sum_types(etr_memory_finder *finder) {
  const etr_program_memory *memory = finder->profile->program_memory;
  size_t count;
  by_type types = {0};
  const etr_weight *weights = etr_weights_of(&count, finder->arena, finder->profile,
                                             finder->method);
  for (size_t i = 0; weights && i < count; i++)
    add_weight_to_types(&types, weights[i].dtype, weights[i].node->weight_name, weights[i].bytes);
  if (etr_memory_graph(finder->profile, finder->method))
    return types;
  for (size_t i = 0; memory && i < memory->constant_count; i++)
    add_weight_to_types(&types, etr_or_empty(memory->constants[i].tensor.dtype),
                        memory->constants[i].tensor.name, memory->constants[i].size_bytes);
  return types;
}

/* Adds the finding about float32 weights in a model that also has int8 weights, if they are large
 * enough. When out of memory, the arena has failed. */
static void add_float_beside_finding(etr_memory_finder *finder) {
  const by_type types = sum_types(finder);
  uint64_t integers = etr_add_up_to_most(types.bytes, types.half_bytes);
  bool is_mostly_4_bits = types.half_bytes > types.bytes;
  const char *bits = types.bytes ? "8 bits" : "4 bits";
  if (types.bytes && types.half_bytes)
    bits = "4 and 8 bits";
  if (integers == 0 || !types.largest)
    return;
  etr_memory_finding *added = add_if_large(finder, ETR_MEMORY_FLOAT_BESIDE, types.floats,
                                           etr_add_up_to_most(types.floats, integers));
  if (!added)
    return;
  added->title = is_mostly_4_bits ? "float32 weights beside int4 ones"
                                  : "float32 weights beside int8 ones";
  added->evidence = etr_arena_format(
      finder->arena, "%s bytes of float32, %s of %s; the largest float32 one is %.*s, %s",
      etr_count_text(finder->arena, types.floats), etr_count_text(finder->arena, integers), bits,
      ETR_HEAD(types.largest, 96), etr_count_text(finder->arena, types.largest_bytes));
}

/* ---- Rules about planned tensors, and all findings together ---- */

const char *etr_memory_finding_kind_name(etr_memory_finding_kind kind) {
  static const char *const names[] = {
      "peak",    "one_operator", "fragmentation",     "in_place",
      "waiting", "stored_twice", "float_beside_int8", "upper_bounds"};
  return (size_t)kind < ETR_COUNT(names) ? names[kind] : "";
}

/* ---- What rules share ---- */

/* Returns "instruction 9, aten.hardtanh.default". */
static const char *step_text(const etr_memory_finder *f, int32_t instruction) {
  const char *text = etr_arena_format(
      f->arena, "instruction %d, %.*s", (int)instruction,
      ETR_HEAD(etr_memory_step_op(f->profile, f->method, instruction), 128));
  return text ? text : "";
}

/* Appends a tensor to a list of names with bytes, "NAME 1,024"; "..." stands for the fifth, and
 * others are left out. */
static void put_tensor(const etr_memory_finder *finder, etr_writer *writer, size_t index,
                       const etr_planned_tensor *tensor) {
  enum { LISTED = 4 };
  if (index < LISTED)
    etr_putf(writer, "%s%.*s %s", index ? ", " : "", ETR_HEAD(tensor->tensor.name, 96),
             bytes_text(finder, tensor->size_bytes));
  else if (index == LISTED)
    etr_puts(writer, ", ...");
}

/* ---- The peak ---- */

/* Adds the finding that a few tensors, the largest ones, are most of the live bytes at the peak.
 * There is none if it takes many. When out of memory, the arena has failed. */
static void add_peak_finding(etr_memory_finder *finder) {
  size_t count, tensor_count = 0;
  uint64_t bytes = 0;
  etr_text text;
  etr_writer writer;
  const uint32_t *live = etr_live_tensors_make(&count, finder->arena, finder->plan,
                                               finder->plan->peak_instruction);
  double most_of_peak = ETR_MEMORY_PEAK_SHARE * (double)finder->plan->peak_bytes;
  etr_text_begin(&text, finder->arena, &writer);
  while (live && tensor_count < count && (double)bytes < most_of_peak) {
    const etr_planned_tensor *tensor = &finder->plan->tensors[live[tensor_count]];
    put_tensor(finder, &writer, tensor_count, tensor);
    bytes += tensor->size_bytes;
    tensor_count++;
  }
  const char *names = etr_text_end(&text, &writer);
  if (tensor_count > ETR_MEMORY_PEAK_TENSORS)
    return;
  etr_memory_finding *added = add_if_large(finder, ETR_MEMORY_PEAK, bytes,
                                           finder->plan->peak_bytes);
  if (!added)
    return;
  added->title = etr_arena_format(finder->arena, "%zu of %zu live tensors set%s the peak",
                                  tensor_count, count, tensor_count == 1 ? "s" : "");
  added->evidence = etr_arena_format(finder->arena, "%s: %s",
                                     step_text(finder, finder->plan->peak_instruction),
                                     names ? names : "");
  added->instruction = finder->plan->peak_instruction;
}

/* Adds the finding that live tensors at the peak are planned for the upper bounds of dynamic
 * shapes, if any are. When out of memory, the arena has failed. */
static void add_upper_bounds_finding(etr_memory_finder *finder) {
  size_t count, bound_count = 0;
  uint64_t bytes = 0;
  const uint32_t *live = etr_live_tensors_make(&count, finder->arena, finder->plan,
                                               finder->plan->peak_instruction);
  for (size_t i = 0; live && i < count; i++) {
    const etr_planned_tensor *tensor = &finder->plan->tensors[live[i]];
    if (!tensor->is_bound)
      continue;
    bound_count++;
    bytes += tensor->size_bytes;
  }
  etr_memory_finding *added = add_if_large(finder, ETR_MEMORY_UPPER_BOUNDS, bytes,
                                           finder->plan->peak_bytes);
  if (!added)
    return;
  const char *inputs = etr_or_empty(
      etr_input_bounds(finder->arena, finder->profile, finder->method));
  added->title = etr_arena_format(finder->arena, "sizes are upper bounds: %s",
                                  inputs[0] ? inputs : "shapes depend on data");
  added->evidence = etr_arena_format(finder->arena,
                                     "%zu of %zu live tensors are planned for the largest shape; a "
                                     "smaller bound in torch.export's dynamic_shapes plans less",
                                     bound_count, count);
  added->instruction = finder->plan->peak_instruction;
}

/* Adds the finding that one operator alone causes the peak: at all other instructions, much less is
 * live. When out of memory, the arena has failed. */
static void add_one_operator_finding(etr_memory_finder *finder) {
  if (finder->plan->instruction_count < 2)
    return;
  /* The most that is live at any instruction but one. */
  uint64_t rest = 0;
  for (size_t i = 0; i < finder->plan->instruction_count; i++)
    if ((int32_t)i != finder->plan->peak_instruction)
      rest = ETR_MAX(rest, finder->plan->live_bytes[i]);
  etr_memory_finding *added = add_if_large(
      finder, ETR_MEMORY_ONE_OPERATOR, finder->plan->peak_bytes - rest, finder->plan->peak_bytes);
  if (!added)
    return;
  added->title = "one operator alone causes the peak";
  added->evidence = etr_arena_format(
      finder->arena, "%s: %s bytes are live; at no other instruction more than %s",
      step_text(finder, finder->plan->peak_instruction),
      bytes_text(finder, finder->plan->peak_bytes), bytes_text(finder, rest));
  added->instruction = finder->plan->peak_instruction;
}

/* Adds the finding about planned bytes that are never live, if there are enough: gaps between
 * tensors, and padding. When out of memory, the arena has failed. */
static void add_fragmentation_finding(etr_memory_finder *finder) {
  uint64_t peak_bytes = 0;
  for (size_t i = 0; i < finder->plan->buffer_count; i++)
    peak_bytes += finder->plan->buffers[i].peak_bytes;
  if (peak_bytes >= finder->plan->planned_bytes)
    return;
  etr_memory_finding *added = add_if_large(finder, ETR_MEMORY_FRAGMENTATION,
                                           finder->plan->planned_bytes - peak_bytes,
                                           finder->plan->planned_bytes);
  if (!added)
    return;
  added->title = "planned, but never live at once (gaps between tensors, padding)";
  added->evidence = etr_arena_format(finder->arena, "%s bytes are planned, at most %s are live",
                                     bytes_text(finder, finder->plan->planned_bytes),
                                     bytes_text(finder, peak_bytes));
}

/* Returns true for a tensor that is made before the peak and needed only after it. */
static bool spans_peak(const etr_memory_finder *f, const etr_planned_tensor *tensor) {
  int32_t peak = f->plan->peak_instruction;
  return tensor->role == ETR_TENSOR_ACTIVATION && is_live(tensor, peak) &&
         tensor->first_instruction < peak && tensor->last_instruction > peak;
}

/* Adds the finding about tensors that are made before the peak and needed only after it, if they
 * are large enough. When out of memory, the arena has failed. */
static void add_waiting_finding(etr_memory_finder *finder) {
  uint64_t bytes = 0;
  size_t count = 0;
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, finder->arena, &writer);
  for (size_t i = 0; i < finder->plan->tensor_count; i++) {
    const etr_planned_tensor *tensor = &finder->plan->tensors[i];
    if (!spans_peak(finder, tensor))
      continue;
    put_tensor(finder, &writer, count++, tensor);
    bytes += tensor->size_bytes;
  }
  const char *names = etr_text_end(&text, &writer);
  etr_memory_finding *added = add_if_large(finder, ETR_MEMORY_WAITING, bytes,
                                           finder->plan->peak_bytes);
  if (!added)
    return;
  added->title = etr_arena_format(finder->arena,
                                  "%zu tensor%s made before the peak %s needed after it", count,
                                  etr_plural(count), count == 1 ? "is" : "are");
  added->evidence = etr_arena_format(
      finder->arena, "%s; another order, or computing %s again, could save at most that",
      names ? names : "", count == 1 ? "it" : "them");
  added->instruction = finder->plan->peak_instruction;
}

/* ---- All ---- */

/* Compares findings for qsort(): by bytes, the most first, then by kind. */
static int by_spared_bytes(const void *a, const void *b) {
  const etr_memory_finding *x = a, *y = b;
  if (x->bytes != y->bytes)
    return x->bytes < y->bytes ? 1 : -1;
  return (x->kind > y->kind) - (x->kind < y->kind);
}

const etr_memory_finding *etr_memory_findings_make(size_t *count, etr_arena *arena,
                                                   const etr_profile *profile,
                                                   const etr_method *method) {
  static const etr_memory_finding none = {.title = "", .evidence = ""};
  etr_memory_finder f = {
      .profile = profile, .method = method, .plan = method->memory, .arena = arena};
  *count = 0;
  if (f.plan && f.plan->peak_instruction >= 0) {
    add_peak_finding(&f);
    add_upper_bounds_finding(&f);
    add_one_operator_finding(&f);
    add_fragmentation_finding(&f);
    add_waiting_finding(&f);
    add_in_place_finding(&f);
  }
  add_stored_twice_finding(&f);
  add_float_beside_finding(&f);
  if (etr_arena_failed(arena))
    return NULL;
  etr_sort(f.found.data, f.found.count, sizeof *f.found.data, by_spared_bytes);
  *count = f.found.count;
  return *count ? f.found.data : &none;
}
