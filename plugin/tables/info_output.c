/* SPDX-License-Identifier: BSD-3-Clause
 *
 * info_output.c - what is in the inputs: as JSON and as tables.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/natural.h"
#include "output/label.h"
#include "output/table.h"
#include "tables/summary_output.h"
#include "views/breakdown.h"
#include "views/cost_figures.h"
#include "views/delegation.h"
#include "views/input_bounds.h"
#include "views/steadiness.h"

/* ---- Other inputs: logged values, tests of a BundledProgram, weights outside of the program ----
 */

typedef struct logged_value_counts {
  size_t tensors, scalars, outputs, read, with_nan, with_inf;
  size_t runs; /* that logged any */
} logged_value_counts;

enum { NAMED = ETR_IN_TABLES | ETR_IN_JSON, EXACT = ETR_IN_DATA | ETR_IN_JSON };

/* ---- Logged values ---- */

/* Counts the logged values of a profile: tensors and all others, outputs of methods, those with
 * statistics (`read`), of these the ones with NaN or infinities, and the runs that logged any.
 * Values are ordered by run. */
static logged_value_counts count_values(const etr_profile *profile) {
  logged_value_counts count = {0};
  for (size_t i = 0; i < profile->debug_value_count; i++) {
    const etr_debug_value *value = &profile->debug_values[i];
    count.tensors += value->kind == ETR_DEBUG_TENSOR;
    count.scalars += value->kind != ETR_DEBUG_TENSOR;
    count.outputs += value->is_output;
    count.read += value->stats != NULL;
    count.with_nan += value->stats && value->stats->nan_count > 0;
    count.with_inf += value->stats && value->stats->inf_count > 0;
    count.runs += i == 0 || value->run != value[-1].run;
  }
  return count;
}

static const etr_field logged_counts[] = {
    {"tensors", NULL, ETR_CELL_COUNT, EXACT, ETR_AT(logged_value_counts, tensors)},
    {"scalars", NULL, ETR_CELL_COUNT, EXACT, ETR_AT(logged_value_counts, scalars)},
    {"run_outputs", NULL, ETR_CELL_COUNT, EXACT, ETR_AT(logged_value_counts, outputs)},
    {"tensors_read", NULL, ETR_CELL_COUNT, EXACT, ETR_AT(logged_value_counts, read)},
    {"tensors_with_nan", NULL, ETR_CELL_COUNT, EXACT, ETR_AT(logged_value_counts, with_nan)},
    {"tensors_with_inf", NULL, ETR_CELL_COUNT, EXACT, ETR_AT(logged_value_counts, with_inf)},
};
ETR_ROW_TYPE(logged_count, logged_counts);

/* Returns how many values were logged, "105 tensors, 3 scalars in 3 runs", and if not all can be
 * read how many can; NULL if none were logged. */
static const char *logged_values_text(etr_arena *arena, const etr_profile *profile) {
  const logged_value_counts count = count_values(profile);
  const char *unread = "";
  if (profile->debug_value_count == 0)
    return NULL;
  if (count.read != count.tensors && profile->debug_buffer)
    unread = etr_arena_format(arena, "; %zu of the tensors can be read", count.read);
  else if (count.read != count.tensors)
    unread = "; without a debug buffer, tensor values are unknown";
  return etr_arena_format(arena, "%zu tensors, %zu scalars in %zu run%s%s", count.tensors,
                          count.scalars, count.runs, etr_plural(count.runs), unread ? unread : "");
}

/* ---- Around a program ---- */

static const etr_field test_sets[] = {
    {"method", "method", ETR_CELL_NAME, NAMED, ETR_AT(etr_test_set, method)},
    {"count", "tests", ETR_CELL_COUNT, NAMED, ETR_AT(etr_test_set, count)},
};
ETR_ROW_TYPE(test_set, test_sets);

static const etr_field weights[] = {
    {"path", "file", ETR_CELL_NAME, NAMED, ETR_AT(etr_weights, path)},
    {"tensors", "tensors", ETR_CELL_COUNT, NAMED, ETR_AT(etr_weights, tensor_count)},
    {"blobs", "blobs", ETR_CELL_COUNT, NAMED, ETR_AT(etr_weights, blob_count),
     .says = ETR_SAYS("data of delegates, which only their backends can read")},
    {"bytes", "bytes", ETR_CELL_COUNT, NAMED, ETR_AT(etr_weights, byte_count),
     .says = ETR_SAYS("of all data")},
};
ETR_ROW_TYPE(external_weight, weights);

/* Returns how many weights a file holds: "external weights: 5 tensors, 236 bytes". */
static const char *external_weights_text(etr_arena *arena, const etr_weights *external) {
  const char *blob_text = "";
  if (external->blob_count)
    blob_text = etr_arena_format(arena, ", %zu blob%s of delegates", external->blob_count,
                                 etr_plural(external->blob_count));
  return etr_arena_format(arena, "external weights: %zu tensor%s%s, %" PRIu64 " byte%s",
                          external->tensor_count, etr_plural(external->tensor_count),
                          blob_text ? blob_text : "", external->byte_count,
                          etr_plural(external->byte_count));
}

/* ---- What a graph computes and moves, by module, whether it ran or not ---- */

typedef struct static_cost {
  const char *method;
  const char *module;    /* path; "" is the top level, with all there is */
  uint32_t level;        /* 0: the top level */
  uint64_t operators;    /* including the operators of all modules below, as the figures do */
  etr_cost_figures cost; /* per inference, as the sum of its nodes; one call of each node if the
                            method did not run */
} static_cost;

/* Adds the cost of each operator to the element of its module in `sums`, and 1 to that in
 * `operators`: of its own module, without those around it. Both arrays have an element for each
 * module of the graph. */
static void add_operator_costs(etr_cost_sum *sums, uint64_t *operators, const etr_profile *profile,
                               const etr_graph *graph) {
  for (size_t i = 0; i < graph->node_count; i++) {
    uint32_t module = etr_counted_module(graph, graph->nodes[i].module);
    if (graph->nodes[i].kind != ETR_NODE_OP)
      continue;
    etr_cost_add(&sums[module], profile, graph, i);
    operators[module]++;
  }
}

/* Lists the costs of the graph's modules that have operators, each with everything below it,
 * parents first, beginning with the top level. Sets *count. Returns NULL when out of memory. */
static static_cost *list_static_costs(size_t *count, etr_arena *arena, const etr_profile *profile,
                                      const etr_graph *graph) {
  static_cost *rows = etr_arena_alloc_array(arena, graph->module_count, sizeof *rows);
  etr_cost_sum *sums = etr_arena_alloc_array(arena, graph->module_count, sizeof *sums);
  uint64_t *operators = etr_arena_alloc_array(arena, graph->module_count, sizeof *operators);
  uint32_t *levels = etr_arena_alloc_array(arena, graph->module_count, sizeof *levels);
  *count = 0;
  if (etr_arena_failed(arena))
    return NULL;
  add_operator_costs(sums, operators, profile, graph);
  /* Parents have lower indices, so that going backwards, each sum is complete before it is added to
   * that of its parent. */
  for (size_t i = graph->module_count; i-- > 1;) {
    uint32_t parent = etr_counted_module(graph, graph->modules[i].parent);
    etr_cost_add_sum(&sums[parent], &sums[i]);
    operators[parent] += operators[i];
  }
  for (size_t i = 0; i < graph->module_count; i++) {
    if (i > 0)
      levels[i] = levels[etr_counted_module(graph, graph->modules[i].parent)] + 1;
    bool is_top_again = i > 0 && graph->modules[i].path[0] == '\0';
    if (operators[i] == 0 || is_top_again)
      continue;
    rows[(*count)++] = (static_cost){.method = graph->method,
                                     .module = graph->modules[i].path,
                                     .level = levels[i],
                                     .operators = operators[i],
                                     .cost = etr_cost_figures_of(profile, &sums[i])};
  }
  return rows;
}

/* ---- Rows of modules ---- */

enum { MOST_ROWS = 10, DEEPEST = 2 };

static const static_cost *as_row(const void *row) {
  return row;
}

static etr_cell module(const void *row) {
  return etr_cell_text(as_row(row)->module[0] ? as_row(row)->module : "(top level)");
}

/* Returns FLOP, which torch counts as two for each multiply-accumulate. */
static etr_cell flop(const void *row) {
  return etr_cell_number(2 * as_row(row)->cost.macs);
}

#define ROW(name) ETR_AT(static_cost, name)

static const etr_field module_cost_fields[] = {
    {NULL, "module", ETR_CELL_NAME, ETR_IN_TABLES, .get = module},
    {"method", "method", ETR_CELL_NAME, NAMED, ROW(method)},
    {"module", NULL, ETR_CELL_NAME, ETR_IN_JSON, ROW(module),
     .says = ETR_SAYS("path; \"\": the top level")},
    {"level", NULL, ETR_CELL_COUNT, ETR_IN_JSON, ROW(level)},
    {"operators", "operators", ETR_CELL_COUNT, NAMED, ROW(operators),
     .says = ETR_SAYS("in the module and all below")},
    {"macs", "macs", ETR_CELL_AMOUNT, NAMED, ROW(cost.macs),
     .says = ETR_SAYS(
         "multiply-accumulates per inference, half of the FLOP of torch's FlopCounterMode; of "
         "one call of each "
         "operator if the method did not run; null: not known of all operators"),
     .nullable = true},
    {"flop", "flop", ETR_CELL_AMOUNT, NAMED, .get = flop, .nullable = true},
    {"bytes", "bytes", ETR_CELL_AMOUNT, NAMED, ROW(cost.bytes),
     .says = ETR_SAYS(
         "read and written per inference, each tensor once by each operator; views of the Edge "
         "dialect are copies, "
         "except where memory planning needed none"),
     .nullable = true},
    {"weight_bytes", "weight bytes", ETR_CELL_AMOUNT, NAMED, ROW(cost.weight_bytes), .spare = 1,
     .nullable = true},
    {"arithmetic", "arithmetic", ETR_CELL_WORD, NAMED, ROW(cost.arithmetic), .spare = 2,
     .type = "arithmetic", .nullable = true},
    {"unknown_costs", NULL, ETR_CELL_COUNT, ETR_IN_JSON, ROW(cost.unknown),
     .says = ETR_SAYS("operators whose macs or bytes are not known"), .nullable = true},
    {"hinted_costs", "of example sizes", ETR_CELL_COUNT, NAMED, ROW(cost.hinted),
     .hides_zeros = true,
     .says = ETR_SAYS("operators with symbolic sizes, for which the export's example is taken"),
     .nullable = true},
};
ETR_ROW_TYPE(module_cost, module_cost_fields);

/* Orders modules by multiply-accumulates, the most first, then by path. */
static int by_macs(const void *a, const void *b) {
  const static_cost *x = a, *y = b;
  if (x->cost.macs != y->cost.macs)
    return x->cost.macs < y->cost.macs ? 1 : -1;
  return etr_natural_compare(x->module, y->module);
}

/* Keeps the first row, which is the whole model, and of the modules at most DEEPEST levels below it
 * the MOST_ROWS that compute most, the largest first. Returns the number of rows kept. */
static size_t keep_largest_modules(static_cost *rows, size_t count) {
  size_t kept_count = ETR_MIN(count, (size_t)1);
  for (size_t i = 1; i < count; i++)
    if (rows[i].level <= DEEPEST && rows[i].cost.macs > 0)
      rows[kept_count++] = rows[i];
  if (kept_count > 2)
    etr_sort(rows + 1, kept_count - 1, sizeof *rows, by_macs);
  return ETR_MIN(kept_count, (size_t)MOST_ROWS + 1);
}

typedef etr_vec(static_cost) cost_rows;

/* Adds the costs of a method's modules: of all, or with is_excerpt only of those that compute most,
 * but none if the method has no graph or the costs are not known. Returns false when out of memory.
 */
static bool add_module_costs(etr_answer *answer, const etr_method *method, bool is_excerpt,
                             cost_rows *rows) {
  const etr_profile *profile = answer->profile;
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
  size_t added_count;
  if (!graph || !graph->costs)
    return true;
  static_cost *costs = list_static_costs(&added_count, &answer->arena, profile, graph);
  if (!costs)
    return false;
  if (is_excerpt)
    added_count = keep_largest_modules(costs, added_count);
  for (size_t i = 0; i < added_count; i++) {
    static_cost *row = etr_vec_push(&answer->arena, rows);
    if (!row)
      return false;
    *row = costs[i];
  }
  return true;
}

/* Lists the costs of all methods that have an Edge graph, by method and module. With is_excerpt,
 * which is for people, only the modules that compute most are listed, the largest first. When out
 * of memory, the arena has failed. */
static etr_rows list_module_costs(etr_answer *answer, bool is_excerpt) {
  cost_rows rows = {0};
  for (size_t i = 0; i < answer->profile->method_count; i++)
    if (!add_module_costs(answer, &answer->profile->methods[i], is_excerpt, &rows))
      break;
  return ETR_ROWS(rows.data, rows.count);
}

/* ---- Costs that are not known ---- */

/* Operators of one kind and method whose costs are not known for one reason. */
typedef struct unknown_cost {
  const char *method, *op, *why;
  uint64_t count;
} unknown_cost;

static const etr_field unknown_cost_fields[] = {
    {"method", "method", ETR_CELL_NAME, NAMED, ETR_AT(unknown_cost, method)},
    {"op", "operator", ETR_CELL_NAME, NAMED, ETR_AT(unknown_cost, op)},
    {"count", "count", ETR_CELL_COUNT, NAMED, ETR_AT(unknown_cost, count)},
    {"why", "why", ETR_CELL_NAME, NAMED, ETR_AT(unknown_cost, why),
     .says = ETR_SAYS("why macs or bytes are not known")},
};
ETR_ROW_TYPE(unknown_cost, unknown_cost_fields);

typedef struct unknown_costs {
  etr_vec(unknown_cost) list;
  etr_map at; /* method, operator and reason -> index in the list */
} unknown_costs;

/* Counts a node whose cost is unknown, together with nodes of the same method, operator and reason.
 * */
static void add_unknown_cost(etr_arena *arena, unknown_costs *costs, const etr_graph *graph,
                             size_t node) {
  const char *op = graph->nodes[node].target, *reason = etr_cost_unknown_reason(graph, node);
  if (!reason)
    return;
  const char *key = etr_arena_format(arena, "%s\n%s\n%s", graph->method, op, reason);
  uint32_t index = key ? etr_map_number(&costs->at, etr_slice_of(key)) : ETR_NONE;
  if (index == ETR_NONE)
    return;
  if (index == costs->list.count) {
    unknown_cost *added = etr_vec_push(arena, &costs->list);
    if (!added)
      return;
    *added = (unknown_cost){graph->method, op, reason, 0};
  }
  costs->list.data[index].count++;
}

/* Lists the operators whose costs are not known, in the order of the graphs, each with the reason
 * and its number of nodes. */
static etr_rows list_unknown_costs(etr_answer *answer) {
  const etr_profile *profile = answer->profile;
  unknown_costs costs = {0};
  etr_map_init(&costs.at, &answer->arena);
  for (size_t i = 0; i < profile->method_count; i++) {
    uint32_t index = profile->methods[i].graph;
    for (size_t node = 0; index != ETR_NONE && node < profile->graphs[index].node_count; node++)
      add_unknown_cost(&answer->arena, &costs, &profile->graphs[index], node);
  }
  return ETR_ROWS(costs.list.data, costs.list.count);
}

/* ---- Entry points ---- */

typedef struct graph_row {
  etr_arena *arena;
  const etr_graph *graph;
  size_t operators, inputs, weights;
  bool is_timed;
} graph_row;

static etr_cell entry_point(const void *row) {
  const graph_row *r = row;
  return etr_cell_text(etr_arena_format(r->arena, "%s/%s", r->graph->module, r->graph->method));
}

#define GRAPH(name) ETR_VIA(graph_row, graph, etr_graph, name)
#define COUNT(name) ETR_AT(graph_row, name)

static const etr_field graph_fields[] = {
    {NULL, "entry point", ETR_CELL_NAME, ETR_IN_TABLES, .get = entry_point},
    {"module", NULL, ETR_CELL_NAME, ETR_IN_JSON, GRAPH(module)},
    {"method", NULL, ETR_CELL_NAME, ETR_IN_JSON, GRAPH(method)},
    {"entry", NULL, ETR_CELL_NAME, ETR_IN_JSON, GRAPH(entry)},
    {"dialect", "dialect", ETR_CELL_WORD, NAMED, GRAPH(dialect), .blank_is_null = true},
    {"schema_version", "schema", ETR_CELL_WORD, NAMED, GRAPH(schema_version), .blank_is_null = true,
     .spare = 1, .nullable = true},
    {"nodes", NULL, ETR_CELL_COUNT, ETR_IN_JSON, GRAPH(node_count)},
    {"operators", "operators", ETR_CELL_COUNT, NAMED, COUNT(operators)},
    {"inputs", "inputs", ETR_CELL_COUNT, NAMED, COUNT(inputs)},
    {"weights", "weights", ETR_CELL_COUNT, NAMED, COUNT(weights), .spare = 3},
    {"subgraphs", "nested", ETR_CELL_COUNT, NAMED, GRAPH(subgraph_count), .spare = 2},
    {"timed", NULL, ETR_CELL_FLAG, ETR_IN_JSON, COUNT(is_timed)},
    {NULL, "entry", ETR_CELL_NAME, ETR_IN_TABLES, GRAPH(entry)},
};
ETR_ROW_TYPE(entry_point, graph_fields);

/* Lists the graphs with their numbers of operators, inputs and weights, and whether they have
 * times. */
static etr_rows list_entry_points(etr_answer *answer) {
  const etr_profile *profile = answer->profile;
  graph_row *rows = etr_arena_alloc_array(&answer->arena, profile->graph_count, sizeof *rows);
  for (size_t i = 0; rows && i < profile->graph_count; i++) {
    const etr_graph *graph = &profile->graphs[i];
    size_t operators = 0, inputs = 0, weight_count = 0;
    for (const etr_node *node = graph->nodes; node < graph->nodes + graph->node_count; node++) {
      operators += node->kind == ETR_NODE_OP;
      /* Inputs of nested graphs are no inputs of the entry point. */
      inputs += node->kind == ETR_NODE_INPUT && node->subgraph == ETR_NONE;
      weight_count += etr_node_is_weight(node);
    }
    rows[i] = (graph_row){
        .arena = &answer->arena,
        .graph = graph,
        .operators = operators,
        .inputs = inputs,
        .weights = weight_count,
        .is_timed = graph->times && graph->profile_method != ETR_NONE &&
                    profile->methods[graph->profile_method].run_count > 0,
    };
  }
  return ETR_ROWS(rows, rows ? profile->graph_count : 0);
}

/* ---- Methods ---- */

typedef struct method_row {
  etr_arena *arena;
  const etr_method *method;
} method_row;

static const etr_method *method_of(const void *row) {
  return ((const method_row *)row)->method;
}
static bool has_run(const void *row) {
  return method_of(row)->execute.count > 0;
}

static etr_cell method_title(const void *row) {
  return etr_cell_text(method_of(row)->name[0] ? method_of(row)->name : "(not known)");
}

static etr_cell planned_bytes(const void *row) {
  const etr_memory_plan *plan = method_of(row)->memory;
  return plan ? etr_cell_number((double)plan->planned_bytes) : etr_cell_none();
}

static etr_cell delegates(const void *row) {
  return etr_cell_text(etr_backends_text(((const method_row *)row)->arena, method_of(row)));
}

static const etr_field delegate_fields[] = {
    {"instruction_id", NULL, ETR_CELL_COUNT, ETR_IN_JSON, ETR_AT(etr_delegate, instruction_id)},
    {"backend", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(etr_delegate, backend)},
    {"nodes", NULL, ETR_CELL_COUNT, ETR_IN_JSON, ETR_AT(etr_delegate, handle_count)},
};
ETR_ROW_TYPE(method_delegate, delegate_fields);

#define METHOD(name) ETR_VIA(method_row, method, etr_method, name)

static const etr_field method_fields[] = {
    {NULL, "method", ETR_CELL_NAME, ETR_IN_TEXT, .get = method_title},
    {"method", "method", ETR_CELL_NAME, NAMED & ~ETR_IN_TEXT, METHOD(name), .blank_is_null = true},
    {"runs", "runs", ETR_CELL_COUNT, NAMED, METHOD(run_count)},
    {"skipped_runs", "excluded", ETR_CELL_COUNT, NAMED, METHOD(skipped_run_count), .spare = 1,
     .says = ETR_SAYS(
         "inferences that are excluded, as warm-up or by choice; `runs` counts the others")},
    {"planned_bytes", "planned bytes", ETR_CELL_BYTES, NAMED, .get = planned_bytes, .spare = 2,
     .nullable = true, .says = ETR_SAYS("memory that the program plans; null: there is no .pte")},
    {"execute_avg", "execute avg", ETR_CELL_TIME, NAMED, METHOD(execute.avg), .has = has_run,
     .unit_in = ETR_IN_TABLES},
    {NULL, "delegates", ETR_CELL_NAME, ETR_IN_TABLES, .get = delegates},
    {"delegates", NULL, ETR_CELL_LIST, ETR_IN_JSON, .parts = &etr_method_delegate_fields,
     .type = "method_delegates",
     ETR_ARRAY_VIA(method_row, method, etr_method, delegates, delegate_count)},
};
ETR_ROW_TYPE(method, method_fields);

/* Makes a row for each method of the profile, in the profile's order; none when out of memory: the
 * arena has failed. */
static etr_rows list_methods(etr_answer *answer) {
  const etr_profile *profile = answer->profile;
  method_row *rows = etr_arena_alloc_array(&answer->arena, profile->method_count, sizeof *rows);
  for (size_t i = 0; rows && i < profile->method_count; i++)
    rows[i] = (method_row){&answer->arena, &profile->methods[i]};
  return ETR_ROWS(rows, rows ? profile->method_count : 0);
}

/* ---- A program's card: what its methods take and return, constants, operators ---- */

typedef struct boundary_row {
  etr_arena *arena;
  const etr_method *method;
  const etr_boundary_tensor *tensor;
  const char *bounds;
} boundary_row;

static etr_cell boundary_role(const void *row) {
  return etr_cell_text(etr_tensor_role_name(((const boundary_row *)row)->tensor->role));
}
/* Returns "f32[1,3,224,224]"; "f32[1,5000] at most" if the sizes are bounds. */
static etr_cell boundary_type(const void *row) {
  const boundary_row *r = row;
  const char *shape = etr_label_shape(r->arena, &r->tensor->tensor);
  return etr_cell_text(
      r->tensor->is_bound ? etr_arena_format(r->arena, "%s at most", etr_or_empty(shape)) : shape);
}

#define TENSOR(name) ETR_VIA(boundary_row, tensor, etr_boundary_tensor, name)

static const etr_field boundary_tensor_fields[] = {
    {"method", "method", ETR_CELL_NAME, NAMED, ETR_VIA(boundary_row, method, etr_method, name)},
    {"role", "role", ETR_CELL_WORD, NAMED, .get = boundary_role, .type = "boundary_role"},
    {"index", "index", ETR_CELL_COUNT, NAMED, TENSOR(index)},
    {"name", "name", ETR_CELL_NAME, NAMED, TENSOR(tensor.name)},
    {"type", "type", ETR_CELL_NAME, NAMED, .get = boundary_type,
     .says = ETR_SAYS(
         "number type and sizes; \"at most\": the sizes are the bounds of a dynamic shape")},
    {"bounds", "bounds", ETR_CELL_NAME, NAMED, ETR_AT(boundary_row, bounds), .nullable = true,
     .hides_zeros = true, .spare = 2,
     .says = ETR_SAYS(
         "dynamic dimensions with the sizes that they may have; null: the shape is static, or no "
         "ETRecord says which dimensions are dynamic")},
    {"bytes", "bytes", ETR_CELL_BYTES, NAMED, TENSOR(size_bytes)},
    {"planned", "planned", ETR_CELL_FLAG, NAMED, TENSOR(is_planned), .spare = 1,
     .says = ETR_SAYS("false: the application provides the memory")},
};
ETR_ROW_TYPE(boundary_tensor, boundary_tensor_fields);

/* Lists the inputs and outputs of all methods with a memory plan, each with the bounds of its sizes
 * as text, NULL where they are static or unknown. When out of memory, the arena has failed. */
static etr_rows list_inputs_and_outputs(etr_answer *answer) {
  const etr_profile *profile = answer->profile;
  size_t count = 0;
  for (size_t i = 0; i < profile->method_count; i++)
    count += profile->methods[i].memory ? profile->methods[i].memory->boundary_count : 0;
  boundary_row *rows = etr_arena_alloc_array(&answer->arena, count, sizeof *rows);
  size_t at = 0;
  for (size_t i = 0; rows && i < profile->method_count; i++) {
    const etr_method *method = &profile->methods[i];
    if (!method->memory)
      continue;
    const char *const *bounds = etr_boundary_bounds(&answer->arena, profile, method);
    for (size_t k = 0; k < method->memory->boundary_count; k++)
      rows[at++] = (boundary_row){.arena = &answer->arena,
                                  .method = method,
                                  .tensor = &method->memory->boundary[k],
                                  .bounds = bounds ? bounds[k] : NULL};
  }
  return ETR_ROWS(rows, rows ? count : 0);
}

typedef struct constant_method {
  const char *method, *value;
} constant_method;

static const etr_field constant_method_fields[] = {
    {"method", "constant method", ETR_CELL_NAME, NAMED, ETR_AT(constant_method, method)},
    {"value", "returns", ETR_CELL_NAME, NAMED, ETR_AT(constant_method, value),
     .says = ETR_SAYS("the values as text")},
};
ETR_ROW_TYPE(constant_method, constant_method_fields);

/* Lists the methods that compute nothing, but return constants, with their values as text. */
static etr_rows list_constant_methods(etr_answer *answer) {
  const etr_profile *profile = answer->profile;
  constant_method *rows = etr_arena_alloc_array(&answer->arena, profile->method_count,
                                                sizeof *rows);
  size_t count = 0;
  for (size_t i = 0; rows && i < profile->method_count; i++) {
    const etr_method *method = &profile->methods[i];
    if (method->memory && method->memory->returned)
      rows[count++] = (constant_method){method->name, method->memory->returned};
  }
  return ETR_ROWS(rows, count);
}

/* Lists the names of the operators that the kernels of all methods need ("aten::add.out"), sorted,
 * each once, and sets *count. When out of memory, the arena has failed. Instructions that call no
 * operator, such as jumps, have no "::" in their name. */
static const char *const *list_operators(etr_answer *answer, size_t *count) {
  const etr_profile *profile = answer->profile;
  etr_vec(const char *) names = {0};
  for (size_t i = 0; i < profile->method_count; i++) {
    const etr_memory_plan *plan = profile->methods[i].memory;
    for (size_t k = 0; plan && k < plan->instruction_count; k++) {
      bool is_kernel = !plan->steps[k].is_delegate && strstr(plan->steps[k].op, "::");
      const char **added = is_kernel ? etr_vec_push(&answer->arena, &names) : NULL;
      if (added)
        *added = plan->steps[k].op;
    }
  }
  *count = 0;
  if (names.count)
    etr_sort(names.data, names.count, sizeof *names.data, etr_by_text);
  for (size_t i = 0; i < names.count; i++)
    if (i == 0 || strcmp(names.data[i], names.data[*count - 1]) != 0)
      names.data[(*count)++] = names.data[i];
  return names.data;
}

etr_status etr_emit_operators(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  etr_answer answer;
  size_t count;
  /* NULL: no filter, and the usual options. */
  etr_answer_begin(&answer, profile, NULL, NULL, sink);
  const char *const *names = list_operators(&answer, &count);
  for (size_t i = 0; i < count; i++) {
    etr_puts(&answer.writer, i ? "," : "");
    etr_put_sanitized(&answer.writer, names[i]);
  }
  etr_puts(&answer.writer, "\n");
  /* true: if memory ran out, the arena of the answer tells. */
  return etr_answer_end(&answer, true, error);
}

/* ---- Runs: JSON lists each run, tables list blocks of equal runs ---- */

typedef struct run_row {
  const etr_block *block;
  const etr_method *method; /* NULL: none */
  const etr_run *run;
  const char *etdump;
  uint32_t first_run;
  size_t runs; /* including excluded runs */
} run_row;

static etr_cell bundled_input(const void *row) {
  int32_t index = ((const run_row *)row)->run->bundled_input_index;
  return index < 0 ? etr_cell_none() : etr_cell_number(index);
}

static const etr_field run_fields[] = {
    {"name", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_VIA(run_row, run, etr_run, name)},
    {"etdump", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(run_row, etdump)},
    {NULL, "block", ETR_CELL_NAME, ETR_IN_TABLES, ETR_VIA(run_row, block, etr_block, name)},
    {NULL, "runs", ETR_CELL_COUNT, ETR_IN_TABLES, ETR_AT(run_row, runs)},
    {NULL, "first run", ETR_CELL_COUNT, ETR_IN_TABLES, ETR_AT(run_row, first_run), .spare = 1},
    {NULL, "events", ETR_CELL_COUNT, ETR_IN_TABLES,
     ETR_VIA(run_row, block, etr_block, event_count)},
    {"method", "method", ETR_CELL_NAME, NAMED, ETR_VIA(run_row, method, etr_method, name),
     .blank_is_null = true},
    {"method_rule", "why", ETR_CELL_NAME, NAMED, ETR_VIA(run_row, block, etr_block, method_rule)},
    {"profile_events", NULL, ETR_CELL_COUNT, ETR_IN_JSON,
     ETR_VIA(run_row, run, etr_run, profile_events)},
    {"debug_events", NULL, ETR_CELL_COUNT, ETR_IN_JSON,
     ETR_VIA(run_row, run, etr_run, debug_events)},
    {"allocation_events", NULL, ETR_CELL_COUNT, ETR_IN_JSON,
     ETR_VIA(run_row, run, etr_run, allocation_events)},
    {"execute", NULL, ETR_CELL_TIME, ETR_IN_JSON, ETR_VIA(run_row, run, etr_run, execute_ticks)},
    {"skipped", NULL, ETR_CELL_FLAG, ETR_IN_JSON, ETR_VIA(run_row, run, etr_run, is_skipped),
     .says = ETR_SAYS("an inference that is excluded from all times, as warm-up or by choice")},
    {"bundled_input_index", NULL, ETR_CELL_COUNT, ETR_IN_JSON, .get = bundled_input,
     .nullable = true, .says = ETR_SAYS("which input of a BundledProgram the run had")},
};
ETR_ROW_TYPE(run, run_fields);

/* Makes the row of a block of runs, warm-up included: the block lists the runs that count before
 * the excluded ones, each in their order, so that the first run is the lower of the first of both.
 */
static run_row make_run_row(const etr_profile *profile, const etr_block *block) {
  uint32_t first_run = block->run_count ? block->runs[0] : ETR_NONE;
  if (block->skipped_run_count)
    first_run = ETR_MIN(first_run, block->runs[block->run_count]);
  return (run_row){.block = block,
                   .method = block->method == ETR_NONE ? NULL : &profile->methods[block->method],
                   .first_run = first_run,
                   .runs = block->run_count + block->skipped_run_count};
}

/* Lists each run or, with by_block, each block of runs with the same sequence of events. */
static etr_rows list_runs(etr_answer *answer, bool by_block) {
  const etr_profile *profile = answer->profile;
  size_t count = by_block ? profile->block_count : profile->run_count;
  run_row *rows = etr_arena_alloc_array(&answer->arena, count, sizeof *rows);
  for (size_t i = 0; rows && i < count; i++) {
    const etr_run *run = by_block ? NULL : &profile->runs[i];
    rows[i] = make_run_row(profile, &profile->blocks[run ? run->block : i]);
    rows[i].run = run;
    rows[i].etdump = run ? profile->etdumps[run->dump] : NULL;
  }
  return ETR_ROWS(rows, rows ? count : 0);
}

/* ---- JSON ---- */

#define PROFILE(kind, in, name) NULL, kind, in, ETR_AT(etr_profile, name)
#define LIST(kind, name, count) NULL, kind, ETR_IN_JSON, ETR_ARRAY_AT(etr_profile, name, count)

static bool has_threads(const void *row) {
  return ((const etr_profile *)row)->threads > 0;
}

static const etr_field input_fields[] = {
    {"etrecord", PROFILE(ETR_CELL_NAME, EXACT, etrecord)},
    {"etdumps", LIST(ETR_CELL_VALUES, etdumps, etdump_count), .parts = &etr_values_text},
    {"pte", PROFILE(ETR_CELL_NAME, EXACT, pte)},
    {"pte_entry", PROFILE(ETR_CELL_NAME, EXACT, pte_entry)},
    {"debug_buffer", PROFILE(ETR_CELL_NAME, ETR_IN_DATA, debug_buffer)},
    {"bundled", PROFILE(ETR_CELL_FLAG, ETR_IN_JSON, is_bundled)},
    {"test_sets", LIST(ETR_CELL_LIST, test_sets, test_set_count), .parts = &etr_test_set_fields},
    {"external_weights", LIST(ETR_CELL_LIST, weights, weight_count),
     .parts = &etr_external_weight_fields},
    {"export_graph_id", PROFILE(ETR_CELL_NAME, EXACT, export_graph_id)},
    {"reference_outputs", PROFILE(ETR_CELL_FLAG, EXACT, has_reference_outputs)},
    {"representative_inputs", PROFILE(ETR_CELL_FLAG, EXACT, has_representative_inputs)},
    {"debug_buffer", PROFILE(ETR_CELL_NAME, ETR_IN_JSON, debug_buffer)},
    {"threads", PROFILE(ETR_CELL_COUNT, ETR_IN_JSON, threads), .has = has_threads},
};

static const etr_field warning_fields[] = {
    {"file", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(etr_warning, file), .blank_is_null = true},
    {"entry", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(etr_warning, entry), .blank_is_null = true},
    {"message", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(etr_warning, message)},
};
ETR_ROW_TYPE(warning, warning_fields);

etr_status etr_emit_info_json(const etr_profile *profile, etr_unit unit, const etr_sink *sink,
                              etr_error *error) {
  etr_answer answer;
  const etr_fields *f = &answer.fields;
  const logged_value_counts counts = count_values(profile);
  /* NULL: no filter. */
  etr_answer_begin_document(&answer, profile, NULL, unit, sink, "info/1");
  etr_field_put_members(f, ETR_FIELDS(input_fields), profile);
  etr_field_begin_object(f, "debug_values");
  etr_field_put_members(f, &etr_logged_count_fields, &counts);
  etr_jw_end(f->json);
  etr_field_put_rows(f, "entry_points", &etr_entry_point_fields, list_entry_points(&answer));
  etr_field_put_rows(f, "methods", &etr_method_fields, list_methods(&answer));
  etr_field_put_rows(f, "inputs_outputs", &etr_boundary_tensor_fields,
                     list_inputs_and_outputs(&answer));
  etr_field_put_rows(f, "delegates", &etr_delegate_size_fields,
                     etr_delegate_sizes_list(&answer.arena, profile));
  etr_field_put_rows(f, "constant_methods", &etr_constant_method_fields,
                     list_constant_methods(&answer));
  size_t operator_count;
  const char *const *operators = list_operators(&answer, &operator_count);
  etr_field_texts(f, "operators", operators, operator_count);
  etr_field_put_rows(f, "costs", &etr_module_cost_fields, list_module_costs(&answer, false));
  etr_field_put_rows(f, "unknown_costs", &etr_unknown_cost_fields, list_unknown_costs(&answer));
  etr_field_put_rows(f, "runs", &etr_run_fields, list_runs(&answer, false));
  etr_field_texts(f, "unknown_entries", profile->unknown_entries, profile->unknown_entry_count);
  etr_field_put_rows(f, "warnings", &etr_warning_fields,
                     ETR_ROWS(profile->warnings, profile->warning_count));
  /* true: if memory ran out, the arena of the answer tells. */
  return etr_answer_end(&answer, true, error);
}

/* ---- Tables ---- */

static etr_cell entry_name(const void *row) {
  return etr_cell_text(*(const char *const *)row);
}
typedef struct info {
  etr_answer answer;
  bool has_begun; /* something was written before */
} info;

/* Writes a line with a title in 10 columns; nothing if its text is NULL. */
static void put_line(info *output, const char *title, const char *text) {
  if (!text)
    return;
  output->has_begun = true;
  etr_putf(&output->answer.writer, "%-10s ", title);
  etr_put_sanitized(&output->answer.writer, text);
  etr_puts(&output->answer.writer, "\n");
}

/* Writes " (runs 22-41)": which runs of several ETDumps are inferences of this one, as --runs has
 * them. *run: the first run of the ETDump, then of the next. */
static void put_run_numbers(etr_writer *writer, const etr_profile *profile, size_t dump,
                            size_t *run) {
  size_t first = SIZE_MAX, last = 0;
  for (; *run < profile->run_count && profile->runs[*run].dump == dump; ++*run) {
    if (profile->blocks[profile->runs[*run].block].method == ETR_NONE)
      continue;
    first = ETR_MIN(first, *run);
    last = *run;
  }
  if (profile->etdump_count > 1 && first <= last)
    etr_putf(writer, first < last ? " (runs %zu-%zu)" : " (run %zu)", first, last);
}

/* Returns the path of an ETDump with its runs and, for each method in which it is odd, by how much:
 * "2.etdp (runs 11-20) (odd: 30 % slower than the others, left out)". NULL when out of memory.
 * run: as in put_run_numbers(). */
static const char *recording_text(info *output, size_t dump, size_t *run) {
  const etr_profile *profile = output->answer.profile;
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, &output->answer.arena, &writer);
  etr_puts(&writer, profile->etdumps[dump]);
  put_run_numbers(&writer, profile, dump, run);
  for (size_t m = 0; m < profile->method_count; m++) {
    const etr_method *method = &profile->methods[m];
    for (size_t k = 0; k < method->odd_recording_count; k++) {
      if (method->odd_recordings[k].dump != dump)
        continue;
      etr_puts(&writer, " (odd: ");
      if (profile->method_count > 1)
        etr_putf(&writer, "%s ", etr_label_method(method->name));
      etr_put_change_of_time(&writer, method->odd_recordings[k].change);
      etr_puts(&writer, " than the others, left out)");
    }
  }
  return etr_text_end(&text, &writer);
}

/* Returns how many weights of a program are in a .ptd file that was not given, and their bytes, as
 * text; NULL if there are none, or when out of memory. */
static const char *missing_weights(etr_arena *arena, const etr_program_memory *program) {
  size_t count = 0;
  uint64_t bytes = 0;
  for (size_t i = 0; program && i < program->constant_count; i++) {
    bool is_external = program->constants[i].place == ETR_CONSTANT_EXTERNAL;
    count += is_external;
    bytes += is_external ? program->constants[i].size_bytes : 0;
  }
  if (count == 0)
    return NULL;
  return etr_arena_format(
      arena, "none: the program needs one, with %zu weight%s of %s bytes, to run: add it", count,
      etr_plural(count), etr_count_text(arena, bytes));
}

/* Writes a line for each file that was read (ETRecord, ETDumps, program, weights, debug buffer), or
 * that it is missing, and lines that say what is in it. put_line() writes nothing for NULL, which
 * stands for what is not known or not there. */
static void put_lines(info *output) {
  const etr_profile *profile = output->answer.profile;
  size_t run = 0;
  put_line(output, "ETRecord", profile->etrecord ? profile->etrecord : "none");
  for (size_t k = 0; k < profile->etdump_count; k++)
    put_line(output, "ETDump", recording_text(output, k, &run));
  if (profile->etdump_count == 0)
    put_line(output, "ETDump", "none: there are no times");
  if (profile->threads)
    put_line(output, "",
             etr_arena_format(&output->answer.arena, "recorded with %u thread%s",
                              (unsigned)profile->threads, etr_plural(profile->threads)));
  const char *pte = profile->pte_entry ? profile->pte_entry : profile->pte;
  put_line(output, profile->is_bundled && !profile->pte_entry ? ".bpte" : ".pte",
           pte ? pte : "none");
  for (size_t k = 0; k < profile->test_set_count; k++)
    put_line(output, "", /* "has 3 tests of forward" */
             etr_arena_format(&output->answer.arena, "has %zu test%s of %s",
                              profile->test_sets[k].count, etr_plural(profile->test_sets[k].count),
                              profile->test_sets[k].method));
  for (size_t k = 0; k < profile->weight_count; k++) {
    put_line(output, ".ptd", profile->weights[k].path);
    put_line(output, "", external_weights_text(&output->answer.arena, &profile->weights[k]));
  }
  if (profile->weight_count == 0)
    put_line(output, ".ptd", missing_weights(&output->answer.arena, profile->program_memory));
  if (profile->has_reference_outputs)
    put_line(output, "", "has reference outputs");
  if (profile->has_representative_inputs)
    put_line(output, "", "has representative inputs");
  put_line(output, "buffer", profile->debug_value_count ? profile->debug_buffer : NULL);
  put_line(output, "logged", logged_values_text(&output->answer.arena, profile));
}

/* Writes a table with all rows under its title; nothing if it has no rows. */
static void put_table(info *output, const char *title, const etr_row_type *type, etr_rows rows) {
  etr_table table;
  if (rows.count == 0)
    return;
  bool is_markdown = output->answer.options->format == ETR_TABLE_MARKDOWN;
  etr_putf(&output->answer.writer, "%s%s%s\n%s", output->has_begun ? "\n" : "",
           is_markdown ? "## " : "", title, is_markdown ? "\n" : "");
  output->has_begun = true;
  etr_table_init(&table, &output->answer, type);
  table.top = 0;
  etr_table_add_rows(&table, rows);
  etr_table_finish(&table);
}

/* ---- For programs: one table, with a row for each cell of the others ---- */

typedef struct value_row {
  const char *section, *key;
  etr_cell value;
} value_row;

static etr_cell value_of(const void *row) {
  return ((const value_row *)row)->value;
}

static const etr_field value_row_fields[] = {
    {NULL, "section", ETR_CELL_WORD, ETR_IN_DATA, ETR_AT(value_row, section)},
    {NULL, "key", ETR_CELL_NAME, ETR_IN_DATA, ETR_AT(value_row, key)},
    {NULL, "value", ETR_CELL_NUMBER, ETR_IN_DATA, .get = value_of},
};
ETR_ROW_TYPE(info_value, value_row_fields);

/* Adds a row to the table for programs: a value with all of its digits. Nothing is added if key is
 * NULL: memory ran out. */
static void add_value(etr_table *table, const char *section, const char *key, etr_cell value) {
  value_row *row = etr_arena_alloc_array(&table->answer->arena, 1, sizeof *row);
  if (!row || !key)
    return;
  if (!value.text)
    value.digits = ETR_ALL_DIGITS;
  *row = (value_row){section, key, value};
  /* "", 0: rows stay in the order in which they are added. */
  etr_table_add_row(table, row, "", 0);
}

/* Returns the name of a fact, ROW.COLUMN, with the unit of a time and '_' for blanks in the column:
 * "forward.execute_avg_ms". NULL when out of memory. */
static const char *fact_key(etr_answer *answer, const char *row, const etr_field *field) {
  bool is_time = field->kind == ETR_CELL_TIME;
  char *key = etr_arena_format(&answer->arena, "%s.%s%s%s", row, field->title, is_time ? "_" : "",
                               is_time ? etr_unit_name(answer->options->unit) : "");
  for (size_t i = strlen(row); key && key[i]; i++)
    if (key[i] == ' ')
      key[i] = '_';
  return key;
}

/* Adds a row to the table for programs for each cell of a list of rows that tables show. Its key is
 * ROW.COLUMN: rows are named by their first column if is_named, or else numbered from 0. Times are
 * in the unit of the options. */
static void add_list(etr_table *table, const char *section, const etr_row_type *list, etr_rows rows,
                     bool is_named) {
  etr_answer *answer = table->answer;
  for (size_t i = 0; i < rows.count; i++) {
    const void *row = (const char *)rows.first + i * rows.size;
    const char *name = is_named ? etr_field_cell(list->first, row).text
                                : etr_arena_format(&answer->arena, "%zu", i);
    const etr_field *first = list->first + is_named; /* the name of the row is no cell of it */
    for (const etr_field *field = first; name && field < list->first + list->count; field++) {
      if (!(field->in & ETR_IN_TABLES))
        continue;
      etr_cell value = etr_field_cell(field, row);
      if (field->kind == ETR_CELL_TIME)
        value.number = etr_ticks_to_unit(answer->profile, value.number, answer->options->unit);
      add_value(table, section, fact_key(answer, name, field), value);
    }
  }
}

/* Adds to the table for programs each field of one row that programs get, under the field's key. */
static void add_facts(etr_table *table, const char *section, const etr_row_type *list,
                      const void *row) {
  for (const etr_field *field = list->first; field < list->first + list->count; field++)
    if (field->in & ETR_IN_DATA)
      add_value(table, section, field->key, etr_field_cell(field, row));
}

/* Writes all facts about the inputs as one table for programs, a row for each. Rows of lists are
 * keyed by their first column (true) or by their number (false), as add_list() says; costs are
 * those of all modules, and runs are listed by block. */
static void write_values(etr_answer *answer) {
  const etr_profile *profile = answer->profile;
  const logged_value_counts counts = count_values(profile);
  etr_table table;
  etr_table_init(&table, answer, &etr_info_value_fields);
  table.top = 0;
  /* The ETDumps, which are a list, have their place behind the first field, the ETRecord. */
  add_facts(&table, "inputs", &(etr_row_type){NULL, input_fields, 1}, profile);
  for (size_t i = 0; i < profile->etdump_count; i++)
    add_value(&table, "inputs", "etdump", etr_cell_text(profile->etdumps[i]));
  add_facts(&table, "inputs", &(etr_row_type){NULL, input_fields + 1, ETR_COUNT(input_fields) - 1},
            profile);
  add_facts(&table, "debug_values", &etr_logged_count_fields, &counts);
  add_list(&table, "entry_points", &etr_entry_point_fields, list_entry_points(answer), true);
  add_list(&table, "methods", &etr_method_fields, list_methods(answer), true);
  add_list(&table, "inputs_outputs", &etr_boundary_tensor_fields, list_inputs_and_outputs(answer),
           false);
  add_list(&table, "delegates", &etr_delegate_size_fields,
           etr_delegate_sizes_list(&answer->arena, profile), false);
  add_list(&table, "constant_methods", &etr_constant_method_fields, list_constant_methods(answer),
           true);
  add_list(&table, "costs", &etr_module_cost_fields, list_module_costs(answer, false), false);
  add_list(&table, "unknown_costs", &etr_unknown_cost_fields, list_unknown_costs(answer), false);
  add_list(&table, "runs", &etr_run_fields, list_runs(answer, true), false);
  add_list(&table, "test_sets", &etr_test_set_fields,
           ETR_ROWS(profile->test_sets, profile->test_set_count), true);
  add_list(&table, "external_weights", &etr_external_weight_fields,
           ETR_ROWS(profile->weights, profile->weight_count), true);
  for (size_t i = 0; i < profile->unknown_entry_count; i++)
    add_value(&table, "unknown_entries", "entry", etr_cell_text(profile->unknown_entries[i]));
  for (size_t i = 0; i < profile->warning_count; i++)
    add_value(&table, "warnings", "message", etr_cell_text(profile->warnings[i].message));
  etr_table_finish(&table);
}

/* Writes what is in the inputs for people: in text a line for each file, then tables. For people
 * there are only costs of the largest modules (true), and a row for each block of runs with the
 * same events (true), not for each run. */
static void write_tables(info *output) {
  static const etr_field entry_fields[] = {
      {NULL, "entry", ETR_CELL_NAME, ETR_IN_TABLES, .get = entry_name}};
  if (output->answer.options->format == ETR_TABLE_TEXT)
    put_lines(output);
  put_table(output, "entry points", &etr_entry_point_fields, list_entry_points(&output->answer));
  put_table(output, "methods", &etr_method_fields, list_methods(&output->answer));
  put_table(output, "inputs and outputs", &etr_boundary_tensor_fields,
            list_inputs_and_outputs(&output->answer));
  put_table(output, "delegates", &etr_delegate_size_fields,
            etr_delegate_sizes_list(&output->answer.arena, output->answer.profile));
  put_table(output, "methods that compute nothing", &etr_constant_method_fields,
            list_constant_methods(&output->answer));
  put_table(output, "costs of one inference, largest modules (all: JSON)", &etr_module_cost_fields,
            list_module_costs(&output->answer, true));
  put_table(output, "costs that are not known", &etr_unknown_cost_fields,
            list_unknown_costs(&output->answer));
  put_table(output, "runs", &etr_run_fields, list_runs(&output->answer, true));
  put_table(output, "unknown entries, ignored", ETR_FIELDS(entry_fields),
            ETR_ROWS(output->answer.profile->unknown_entries,
                     output->answer.profile->unknown_entry_count));
}

etr_status etr_emit_info_tables(const etr_profile *profile, const etr_table_options *options,
                                const etr_sink *sink, etr_error *error) {
  info output = {0};
  /* NULL: no filter. */
  etr_answer_begin(&output.answer, profile, NULL, options, sink);
  etr_table_format format = output.answer.options->format;
  if (format == ETR_TABLE_TEXT || format == ETR_TABLE_MARKDOWN)
    write_tables(&output);
  else
    write_values(&output.answer);
  /* true: if memory ran out, the arena of the answer tells. */
  return etr_answer_end(&output.answer, true, error);
}
