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

/* Returns an event's id without the unit at its end, such as " (us)", and sets the unit of *out. An
 * id without one counts cycles. */
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

/* Returns true for the number of an operator of QNN (OpId), which has 32 bits. */
static bool is_op_id(etr_slice text) {
  int64_t number;
  bool is_digit = text.size > 0 && text.data[0] >= '0' && text.data[0] <= '9';
  return is_digit && etr_slice_to_int(text, &number) && number <= UINT32_MAX;
}

/* Returns the part of an id before its last separator, if only the number of an operator follows
 * that; else an empty slice. */
static etr_slice part_before_number(etr_slice id, const char *separator) {
  size_t size = strlen(separator);
  for (size_t position = id.size; position-- > 0;) {
    etr_slice rest = {id.data + position, id.size - position};
    if (!etr_slice_starts(rest, etr_slice_of(separator)))
      continue;
    bool ends_with_number = is_op_id((etr_slice){rest.data + size, rest.size - size});
    return ends_with_number ? (etr_slice){id.data, position} : (etr_slice){0};
  }
  return (etr_slice){0};
}

/* Gives an event its meaning if its id is that of an operator, "aten_add:OpId_31", whose node is
 * named before the colon, or that of copying an input or output, "Input OpId_2". Returns false for
 * other ids. */
static bool interpret_operator(etr_event_meaning *out, etr_slice id) {
  etr_slice copied = part_before_number(id, " OpId_");
  etr_slice name = part_before_number(id, ":OpId_");
  bool is_input = etr_slice_is(copied, "Input");
  bool is_output = etr_slice_is(copied, "Output");
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

/* Makes an event a wrapper of this depth, which is inside the wrapper of the depth above. The part
 * of its time that no enclosed event took is the phase. */
static void set_wrapper(etr_event_meaning *out, uint8_t wrapper, etr_phase phase) {
  out->wrapper = wrapper;
  out->wrapper_phase = phase;
  out->inside = (uint8_t)(wrapper - 1);
}

/* Gives the accelerator's total its meaning: the wrapper of the operators, which get shares of it
 * by their cycles. If it is a time, it is also the phase in which the accelerator computes. */
static void interpret_accelerator_total(etr_event_meaning *out) {
  set_wrapper(out, IN_ACCELERATOR, ETR_PHASE_COMPUTE);
  if (!is_time(out))
    return;
  out->role = ETR_ROLE_PHASE;
  out->phase = ETR_PHASE_COMPUTE;
  out->compute_unit = ETR_COMPUTE_UNIT_NPU;
}

/* Gives a total of the call its meaning by its name. The accelerator's total wraps the operators.
 * QNN's total, or that of the remote procedure call if QNN has none, is the outermost wrapper if it
 * is a time, and the part of that time which nothing inside it took is the phase "wait". Any other
 * total wraps nothing. Returns false if the name is not known. */
static bool interpret_total(etr_event_meaning *out, etr_slice id, const totals *call_totals) {
  bool is_accelerator = etr_slice_is(id, accelerator_total);
  bool is_qnn = etr_slice_is(id, qnn_total);
  bool is_rpc = etr_slice_is(id, rpc_total);
  bool is_other = false;
  for (size_t i = 0; i < ETR_COUNT(other_totals); i++)
    is_other |= etr_slice_equal(id, etr_slice_of(other_totals[i]));
  out->role = ETR_ROLE_CONTAINER;
  if (is_accelerator)
    interpret_accelerator_total(out);
  if (is_time(out) && (is_qnn || (is_rpc && !call_totals->has_qnn)))
    set_wrapper(out, IN_QNN, ETR_PHASE_WAIT);
  return is_accelerator || is_qnn || is_rpc || is_other;
}

/* ---- All ---- */

static bool is_wait_id(etr_slice id) {
  return etr_slice_starts(id, ETR_SLICE("Time for "));
}

/* Gives an event its meaning by its id. Only operators that are times are in sums: totals count as
 * wrappers, and waits are part of a wrapper. Operators that are cycles get estimated times. The
 * clock's step is 1000 ns, because times are whole microseconds. */
static void interpret_event(etr_event_meaning *out, const etr_event_facts *event,
                            const totals *call_totals, etr_arena *scratch) {
  etr_slice id = split_off_unit(out, etr_slice_of(event->name));
  out->is_in_sums = false;
  out->has_no_place = true;
  out->step_ns = is_time(out) ? 1000 : 0;
  if (event->is_number) {
    out->role = ETR_ROLE_COUNTER;
    out->is_unexpected = true;
  } else if (out->unit == ETR_EVENT_UNIT_COUNT || out->unit == ETR_EVENT_UNIT_BYTES) {
    out->role = ETR_ROLE_COUNTER;
  } else if (interpret_operator(out, id)) {
    out->is_in_sums = is_time(out);
    out->is_estimated = out->role == ETR_ROLE_OPERATOR && !is_time(out);
    out->inside = IN_ACCELERATOR;
    out->label = etr_arena_copy(scratch, id); /* without the unit, which is shown elsewhere */
    if (call_totals->has_accelerator)
      out->compute_unit = ETR_COMPUTE_UNIT_NPU;
  } else if (is_wait_id(id)) {
    out->role = ETR_ROLE_PHASE;
    out->phase = ETR_PHASE_WAIT;
  } else
    out->is_unexpected = !interpret_total(out, id, call_totals);
}

/* Gives the events of a call their meaning. Which totals it has (QNN's as a time, the accelerator's
 * in any unit) decides what is part of what, so they are looked for first. Returns false when out
 * of memory. */
static bool interpret_events(etr_event_meaning *out, const etr_event_facts *events, size_t count,
                             etr_arena *scratch) {
  totals call_totals = {0};
  for (size_t i = 0; i < count; i++) {
    etr_event_meaning unit;
    etr_slice id = split_off_unit(&unit, etr_slice_of(events[i].name));
    call_totals.has_qnn |= is_time(&unit) && etr_slice_is(id, qnn_total);
    call_totals.has_accelerator |= etr_slice_is(id, accelerator_total);
  }
  for (size_t i = 0; i < count; i++)
    interpret_event(&out[i], &events[i], &call_totals, scratch);
  return !etr_arena_failed(scratch);
}

/* Returns true for a name that only QNN writes: of an operator, or of a total with a unit. */
static bool is_own(const char *name) {
  etr_event_meaning meaning = {.role = ETR_ROLE_NONE};
  etr_slice id = split_off_unit(&meaning, etr_slice_of(name));
  return interpret_operator(&meaning, id) ||
         (id.size < strlen(name) && interpret_total(&meaning, id, &(totals){0}));
}

const etr_decoder etr_qnn = {
    .id = "QnnBackend",
    .label = "QNN",
    .is_own = is_own,
    .read = interpret_events,
};
