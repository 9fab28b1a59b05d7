/* SPDX-License-Identifier: BSD-3-Clause
 *
 * qnn.c - values by the suffixes of their ids, totals by their names.
 */
#include "backends/decoder.h"

/* ---- Units ---- */

typedef struct suffix {
  const char *text;
  etr_event_unit unit;
} suffix;

static const suffix suffixes[] = {
    {" (us)", ETR_EVENT_UNIT_TIME},
    {" (cycles)", ETR_EVENT_UNIT_CYCLES},
    {" (count)", ETR_EVENT_UNIT_COUNT},
    {" (bytes)", ETR_EVENT_UNIT_BYTES},
};

/* Returns an id without the unit at its end, which it sets in *out. An id without a suffix is in
 * cycles. */
static etr_slice split_off_unit(etr_event_meaning *out, etr_slice id) {
  out->unit = ETR_EVENT_UNIT_CYCLES;
  for (size_t i = 0; i < ETR_COUNT(suffixes); i++) {
    etr_slice text = etr_slice_of(suffixes[i].text);
    if (!etr_slice_ends(id, text))
      continue;
    out->unit = suffixes[i].unit;
    return (etr_slice){id.data, id.size - text.size};
  }
  return id;
}

/* ---- Operators ---- */

/* Returns true for an OpId, which is a number of 32 bits. */
static bool is_id(etr_slice text) {
  int64_t number;
  bool is_digit = text.size > 0 && text.data[0] >= '0' && text.data[0] <= '9';
  return is_digit && etr_slice_to_int(text, &number) && number <= UINT32_MAX;
}

/* Returns the part of an id before a separator and a number at its end; a slice with data NULL if
 * the id does not end like that. */
static etr_slice before_number(etr_slice id, const char *separator) {
  size_t size = strlen(separator);
  for (size_t position = id.size; position-- > 0;) {
    etr_slice rest = {id.data + position, id.size - position};
    if (!etr_slice_starts(rest, etr_slice_of(separator)))
      continue;
    bool ends = is_id((etr_slice){rest.data + size, rest.size - size});
    return ends ? (etr_slice){id.data, position} : (etr_slice){0};
  }
  return (etr_slice){0};
}

/* Reads an event id such as "aten_add:OpId_31": a node of the graph, or the copy of an input or
 * output. Returns false if it is neither. */
static bool read_operator(etr_event_meaning *out, etr_slice id) {
  etr_slice end = before_number(id, " OpId_"), name = before_number(id, ":OpId_");
  bool is_input = etr_slice_is(end, "Input"), is_output = etr_slice_is(end, "Output");
  if (is_input || is_output) {
    out->role = ETR_ROLE_PHASE;
    out->phase = is_input ? ETR_PHASE_COPY_IN : ETR_PHASE_COPY_OUT;
    return true;
  }
  if (name.size == 0)
    return false;
  out->role = ETR_ROLE_OPERATOR;
  out->key = ETR_KEY_NODE;
  out->node = name;
  return true;
}

/* ---- Totals ---- */

enum { IN_QNN = 1, IN_ACCELERATOR };

static const char qnn_total[] = "QNN (execute) time";
static const char rpc_total[] = "RPC (execute) time";
static const char accelerator_total[] = "Accelerator (execute) time";
static const char *const other_totals[] = {
    "QNN accelerator (execute) time",
    "Accelerator (execute excluding wait) time",
    "Accelerator (critical path execute) time",
};

static bool is_time(const etr_event_meaning *meaning) {
  return meaning->unit == ETR_EVENT_UNIT_TIME;
}

/* The totals of one call. */
typedef struct totals {
  bool has_qnn;         /* the outermost */
  bool has_accelerator; /* the NPU's: HTP names them */
} totals;

static void make_wrapper(etr_event_meaning *out, uint8_t wrapper, etr_phase phase) {
  out->wrapper = wrapper;
  out->wrapper_phase = phase;
  out->inside = (uint8_t)(wrapper - 1);
}

/* Interprets the accelerator's total: operators get shares of it by their cycles. As time it is
 * also the phase in which the accelerator computes. */
static void read_accelerator(etr_event_meaning *out) {
  make_wrapper(out, IN_ACCELERATOR, ETR_PHASE_COMPUTE);
  if (!is_time(out))
    return;
  out->role = ETR_ROLE_PHASE;
  out->phase = ETR_PHASE_COMPUTE;
  out->compute_unit = ETR_COMPUTE_UNIT_NPU;
}

/* Interprets a total by its name: the accelerator's, QNN's or that of a remote call. Returns
 * false if it is not a known one. */
static bool read_total(etr_event_meaning *out, etr_slice id, const totals *call_totals) {
  bool is_accelerator = etr_slice_is(id, accelerator_total), is_qnn = etr_slice_is(id, qnn_total);
  bool is_rpc = etr_slice_is(id, rpc_total), is_other = false;
  for (size_t i = 0; i < ETR_COUNT(other_totals); i++)
    is_other |= etr_slice_equal(id, etr_slice_of(other_totals[i]));
  out->role = ETR_ROLE_CONTAINER;
  if (is_accelerator)
    read_accelerator(out);
  if (is_time(out) && (is_qnn || (is_rpc && !call_totals->has_qnn)))
    make_wrapper(out, IN_QNN, ETR_PHASE_WAIT);
  return is_accelerator || is_qnn || is_rpc || is_other;
}

/* ---- All ---- */

static bool is_wait(etr_slice id) {
  return etr_slice_starts(id, ETR_SLICE("Time for "));
}

/* Interprets an event by its id. Only operators are in sums: totals are summed as wrappers, and
 * waits are part of a wrapper. */
static void read_event(etr_event_meaning *out, const etr_event_facts *event,
                       const totals *call_totals, etr_arena *scratch) {
  etr_slice id = split_off_unit(out, etr_slice_of(event->name));
  out->is_in_sums = false;
  out->has_no_place = true;
  out->step_ns = is_time(out) ? 1000 : 0;
  if (event->is_number) {
    out->role = ETR_ROLE_COUNTER;
    out->is_odd = true;
  } else if (out->unit == ETR_EVENT_UNIT_COUNT || out->unit == ETR_EVENT_UNIT_BYTES) {
    out->role = ETR_ROLE_COUNTER;
  } else if (read_operator(out, id)) {
    out->is_in_sums = is_time(out);
    out->is_estimated = out->role == ETR_ROLE_OPERATOR && !is_time(out);
    out->inside = IN_ACCELERATOR;
    out->label = etr_arena_copy(scratch, id); /* without the unit, which is shown elsewhere */
    if (call_totals->has_accelerator)
      out->compute_unit = ETR_COMPUTE_UNIT_NPU;
  } else if (is_wait(id)) {
    out->role = ETR_ROLE_PHASE;
    out->phase = ETR_PHASE_WAIT;
  } else
    out->is_odd = !read_total(out, id, call_totals);
}

/* Interprets the events of a call after finding out which totals it has, because these decide
 * what is part of what. Returns false when out of memory. */
static bool read_events(etr_event_meaning *out, const etr_event_facts *events, size_t count,
                        etr_arena *scratch) {
  totals call_totals = {0};
  for (size_t i = 0; i < count; i++) {
    etr_event_meaning unit;
    etr_slice id = split_off_unit(&unit, etr_slice_of(events[i].name));
    call_totals.has_qnn |= is_time(&unit) && etr_slice_is(id, qnn_total);
    call_totals.has_accelerator |= etr_slice_is(id, accelerator_total);
  }
  for (size_t i = 0; i < count; i++)
    read_event(&out[i], &events[i], &call_totals, scratch);
  return !etr_arena_failed(scratch);
}

/* Returns true for an event that only QNN writes: an operator, or a total of the call. */
static bool is_own(const char *name) {
  etr_event_meaning meaning = {.role = ETR_ROLE_NONE};
  etr_slice id = split_off_unit(&meaning, etr_slice_of(name));
  return read_operator(&meaning, id) ||
         (id.size < strlen(name) && read_total(&meaning, id, &(totals){0}));
}

const etr_decoder etr_qnn = {
    .id = "QnnBackend", .label = "QNN", .is_own = is_own, .read = read_events};
