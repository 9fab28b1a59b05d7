/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegate_fields.c - the columns of delegates.
 */
#include "tables/delegate_fields.h"

static const etr_delegate_cells *at(const void *row) { return row; }

/* ---- Cells ---- */

static etr_cell time_of(const void *row, uint64_t ticks) {
  return etr_cell_number(at(row)->runs > 0 ? (double)ticks / at(row)->runs : NAN);
}

static etr_cell call(const void *row) { return time_of(row, at(row)->row->delegate->call_ticks); }
static etr_cell on_nodes(const void *row) { return time_of(row, at(row)->row->ticks); }
static etr_cell estimated(const void *row) { return time_of(row, at(row)->row->estimated_ticks); }

#define PHASE(name, phase)                                                                                             \
  static etr_cell name(const void *row) { return time_of(row, at(row)->row->phases[phase]); }                          \
  static bool tells_##name(const void *context) { return ((const etr_delegate_table *)context)->phases[phase]; }
#define UNIT(name, unit)                                                                                               \
  static etr_cell name(const void *row) { return time_of(row, at(row)->row->units[unit]); }                            \
  static bool tells_##name(const void *context) { return ((const etr_delegate_table *)context)->units[unit]; }

PHASE(copy_in, ETR_PHASE_COPY_IN)
PHASE(compute, ETR_PHASE_COMPUTE)
PHASE(wait, ETR_PHASE_WAIT)
PHASE(copy_out, ETR_PHASE_COPY_OUT)
PHASE(other, ETR_PHASE_OTHER)
UNIT(npu, ETR_COMPUTE_UNIT_NPU)
UNIT(gpu, ETR_COMPUTE_UNIT_GPU)
UNIT(cpu, ETR_COMPUTE_UNIT_CPU)

static bool tells_time(const void *context) { return ((const etr_delegate_table *)context)->timed; }

/* ---- Fields ---- */

static etr_cell instruction(const void *row) { return etr_cell_number(at(row)->row->delegate->instruction_id); }
static etr_cell backend(const void *row) { return etr_cell_text(at(row)->row->delegate->backend); }
static etr_cell handles(const void *row) { return etr_cell_number((double)at(row)->row->delegate->handle_count); }

enum { EVERYWHERE = ETR_IN_ALL | ETR_IN_PAGE };

#define TIME(key, title, getter, tell, says_what)                                                                      \
  {                                                                                                                    \
    key, title, ETR_CELL_TIME, EVERYWHERE, .get = getter, .tells = tell, .unit_in = ETR_IN_PAGE, .says = says_what,    \
                                           .nullable = true                                                            \
  }

static const etr_field fields[] = {
    {NULL, "method", ETR_CELL_NAME, ETR_IN_FULL, ETR_VIA(etr_delegate_cells, method, etr_method, name)},
    {"instruction", "delegate", ETR_CELL_COUNT, EVERYWHERE, .get = instruction, .says = "instruction of its call"},
    {"backend", "backend", ETR_CELL_NAME, EVERYWHERE, .get = backend},
    {"handles", NULL, ETR_CELL_COUNT, ETR_IN_JSON, .get = handles, .says = "entries in the debug handle map"},
    {"nodes", "nodes", ETR_CELL_COUNT, EVERYWHERE, ETR_VIA(etr_delegate_cells, row, etr_delegate_row, nodes),
     .says = "operators of the graph that run in it"},
    TIME("call", "call", call, tells_time, "the whole call"),
    TIME("on_nodes", "on nodes", on_nodes, tells_time, "the part of it that is on its nodes"),
    {"estimated", "estimated", ETR_CELL_TIME, ETR_IN_DATA | ETR_IN_JSON, .get = estimated,
     .says = "the part of on_nodes that is estimated", .nullable = true},
    TIME("copy_in", "copying in", copy_in, tells_copy_in, "its own time, by phase"),
    TIME("compute", "computing", compute, tells_compute, NULL),
    TIME("wait", "waiting", wait, tells_wait, NULL),
    TIME("copy_out", "copying out", copy_out, tells_copy_out, NULL),
    TIME("other", "other", other, tells_other, NULL),
    TIME("npu", "NPU", npu, tells_npu, "by compute unit, on nodes or not; what is on none of them is not told"),
    TIME("gpu", "GPU", gpu, tells_gpu, NULL),
    TIME("cpu", "CPU", cpu, tells_cpu, NULL),
    {NULL, "unit", .kind = ETR_CELL_UNIT, .in = ETR_IN_FULL},
};
ETR_ROW_TYPE(delegate, fields);

/* ---- Rows ---- */

const etr_delegate_cells *etr_delegate_cells_make(etr_arena *arena, const etr_profile *profile,
                                                  const etr_method *method, const etr_node_filter *filter, double runs,
                                                  size_t *count) {
  const etr_delegate_row *rows = etr_delegate_rows_make(arena, profile, method, filter, count);
  etr_delegate_cells *cells = rows ? etr_arena_alloc_array(arena, *count, sizeof *cells) : NULL;
  for (size_t i = 0; cells && i < *count; i++)
    cells[i] = (etr_delegate_cells){.method = method, .row = &rows[i], .runs = runs};
  return cells;
}

void etr_delegate_table_add(etr_delegate_table *table, const etr_delegate_cells *cells, size_t count) {
  for (size_t i = 0; i < count; i++) {
    table->timed |= cells[i].row->delegate->call_ticks > 0;
    for (size_t p = 0; p < ETR_PHASES; p++) table->phases[p] |= cells[i].row->phases[p] > 0;
    for (size_t u = 0; u < ETR_COMPUTE_UNITS; u++) table->units[u] |= cells[i].row->units[u] > 0;
  }
}

bool etr_delegate_table_tells(const etr_delegate_table *table) {
  bool any = false;
  for (size_t p = ETR_PHASE_COPY_IN; p < ETR_PHASE_OTHER; p++) any |= table->phases[p];
  for (size_t u = ETR_COMPUTE_UNIT_NPU; u < ETR_COMPUTE_UNITS; u++) any |= table->units[u];
  return any;
}
