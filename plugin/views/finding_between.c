/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_between.c - the finding about operators of a delegate in floating point between int8
 * ones, and what converts the numbers there and back.
 */
#include "views/finding_rules.h"

/* ---- Which operators they are ---- */

/* The numbers that an operator reads and writes, by its name. */
typedef enum operator_type {
  TYPE_UNKNOWN, /* the name does not say it: "Add (ND)" */
  TYPE_INT8,
  TYPE_FLOAT,
  TYPE_BOTH, /* such as layers with dynamic quantization, QD8, which write floating point */
} operator_type;

static bool has_any(const char *text, const char *const *parts, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strstr(text, parts[i]))
      return true;
  return false;
}

/* Returns the type that the name of an XNNPACK operator says: that of "Constant Pad (ND, X32)" is
 * floating point. */
static operator_type type_of(const etr_event *event) {
  static const char *const int8s[] = {"QS8", "QC8", "QU8", "X8", " S8", " U8"};
  static const char *const floats[] = {"F32", "X32", "F16", "X16"};
  const char *arguments = strchr(event->label, '(');
  if (!arguments)
    return TYPE_UNKNOWN;
  bool is_int8 = has_any(arguments, int8s, ETR_COUNT(int8s));
  bool is_float = has_any(arguments, floats, ETR_COUNT(floats));
  if (strstr(arguments, "QD8") || (is_int8 && is_float))
    return TYPE_BOTH;
  if (is_int8)
    return TYPE_INT8;
  return is_float ? TYPE_FLOAT : TYPE_UNKNOWN;
}

static bool is_operator(const etr_event *event) {
  return event->kind == ETR_EVENT_DELEGATE_OPERATOR && event->is_in_sums;
}

bool etr_event_is_int8(const etr_event *event) {
  return is_operator(event) && type_of(event) == TYPE_INT8;
}

/* Returns true for a Convert that the graph shows to make floating point of int8. */
static bool is_dequantize(const etr_finder *finder, const etr_event *event) {
  return finder->graph && event->node_count &&
         etr_slice_starts(finder->ops[event->nodes[0]], ETR_SLICE("dequantize"));
}

/* Where a walk over the operators of a call is. */
typedef enum walk_state {
  NOT_IN_INT8,
  IN_INT8,
  IN_GROUP,     /* behind a Convert that followed an int8 operator */
  BEHIND_GROUP, /* behind a Convert that followed a group with an operator in floating point */
} walk_state;

/* Takes out of a group what a quantizer was told to leave in floating point: all of it but
 * Converts, which remain as such. */
static void leave_out(etr_between *marks, size_t count) {
  for (size_t i = 0; i < count; i++)
    marks[i] = marks[i] == ETR_BETWEEN_CONVERT ? ETR_BETWEEN_LEFT : ETR_BETWEEN_NOT;
}

/* A group counts if an int8 operator, a Convert, at least one operator whose name says floating
 * point, a Convert and an int8 operator follow each other. An operator of an unknown type is of the
 * group between the Converts; behind one that dequantizes it is in floating point, too. */
const etr_between *etr_find_between(const etr_finder *finder, const etr_block *block, size_t first,
                                    size_t end) {
  etr_between *marks = etr_arena_alloc_array(finder->arena, end - first, sizeof *marks);
  walk_state state = NOT_IN_INT8;
  size_t start = first; /* of the group */
  bool has_float = false, has_convolution = false;
  for (size_t i = first; marks && i < end; i++) {
    const etr_event *event = &block->events[i];
    if (!is_operator(event))
      continue;
    bool is_convert = strncmp(event->label, "Convert", 7) == 0;
    operator_type type = type_of(event);
    bool is_in = state == IN_GROUP || state == BEHIND_GROUP;
    if (is_convert && state == IN_INT8) {
      state = IN_GROUP;
      start = i;
      has_float = is_dequantize(finder, event);
      has_convolution = false;
    } else if (is_convert && state == IN_GROUP && has_float) {
      state = BEHIND_GROUP;
    } else if (!is_convert && type == TYPE_FLOAT && is_in) {
      state = IN_GROUP;
      has_float = true;
      has_convolution |= strncmp(event->label, "Convolution", 11) == 0;
    } else if (!is_convert && type != TYPE_UNKNOWN) {
      bool is_closed = state == BEHIND_GROUP && type == TYPE_INT8;
      if (is_in && !is_closed)
        memset(&marks[start - first], 0, (i - start) * sizeof *marks);
      else if (is_in && has_convolution)
        leave_out(&marks[start - first], i - start);
      state = type == TYPE_INT8 ? IN_INT8 : NOT_IN_INT8;
      continue;
    }
    if (is_convert && state >= IN_GROUP)
      marks[i - first] = ETR_BETWEEN_CONVERT;
    else if (state == IN_GROUP)
      marks[i - first] = ETR_BETWEEN_OPERATOR;
  }
  if (marks && state >= IN_GROUP)
    memset(&marks[start - first], 0, (end - start) * sizeof *marks);
  return marks;
}

/* ---- What the finding says ---- */

/* The operators in floating point between int8 ones, and the Converts around them. */
typedef struct float_groups {
  etr_arena *arena;
  etr_event_ticks event_ticks;
  etr_map index;                 /* "INSTRUCTION NAME" of what was counted: blocks share them */
  size_t operators, converts;    /* per inference */
  uint64_t ticks, convert_ticks; /* over all runs: of both, and of the Converts */
  uint64_t longest_ticks;        /* of the longest operator */
  const etr_event *longest;      /* NULL: there is none */
  const char *name;              /* "Constant Pad" if all are called so; else NULL */
  bool *marked;                  /* per node of the graph; NULL without one */
  etr_vec(int32_t) instructions; /* of their calls, once each */
} float_groups;

/* Returns the name of an operator without what is in parentheses; NULL when out of memory. */
static const char *short_name(etr_arena *arena, const char *label) {
  size_t size = strcspn(label, "(");
  while (size && label[size - 1] == ' ')
    size--;
  return etr_arena_copy(arena, (etr_slice){label, size});
}

/* Adds the calls' instruction unless it is the list's last one. Returns false when out of memory.
 */
static bool add_instruction(float_groups *groups, int32_t instruction) {
  for (size_t i = 0; i < groups->instructions.count; i++)
    if (groups->instructions.data[i] == instruction)
      return true;
  int32_t *added = etr_vec_push(groups->arena, &groups->instructions);
  if (added)
    *added = instruction;
  return added != NULL;
}

/* Adds an operator or a Convert of a group. Returns false when out of memory. */
static bool add_member(float_groups *groups, const etr_finder *finder, const etr_event *event,
                       bool is_convert) {
  char *key = etr_arena_format(groups->arena, "%d %s", (int)event->instruction_id, event->name);
  if (!key)
    return false;
  /* etr_add_layout_findings() is about these. */
  if (strncmp(event->label, "Transpose", 9) == 0)
    return true;
  bool is_new = etr_map_count(&groups->index, etr_slice_of(key)) == 0;
  uint64_t ticks = etr_event_ticks_of(&groups->event_ticks, finder, event);
  groups->ticks += ticks;
  groups->convert_ticks += is_convert ? ticks : 0;
  groups->converts += is_convert && is_new;
  for (size_t i = 0; groups->marked && i < event->node_count; i++)
    groups->marked[event->nodes[i]] = true;
  if (is_convert)
    return add_instruction(groups, event->instruction_id);
  const char *name = short_name(groups->arena, event->label);
  if (!name)
    return false;
  if (groups->operators == 0)
    groups->name = name;
  else if (groups->name && strcmp(groups->name, name) != 0)
    groups->name = NULL;
  groups->operators += is_new;
  if (!groups->longest || ticks > groups->longest_ticks) {
    groups->longest = event;
    groups->longest_ticks = ticks;
  }
  return true;
}

/* Finds the groups in all calls of the method. Returns false when out of memory. */
static bool find_groups(float_groups *groups, const etr_finder *finder) {
  const etr_method *method = finder->method;
  groups->arena = finder->arena;
  etr_map_init(&groups->index, groups->arena);
  groups->marked = finder->graph ? etr_finder_node_flags(finder) : NULL;
  if (!etr_event_ticks_make(&groups->event_ticks, finder))
    return false;
  for (size_t k = 0; k < method->block_count; k++) {
    const etr_block *block = &finder->profile->blocks[method->blocks[k]];
    for (size_t i = 0, end; i < block->event_count; i = end) {
      end = etr_block_instruction_end(block, i);
      const etr_between *between = etr_find_between(finder, block, i, end);
      if (!between)
        return false;
      for (size_t row = i; row < end; row++)
        if (between[row - i] >= ETR_BETWEEN_CONVERT &&
            !add_member(groups, finder, &block->events[row],
                        between[row - i] == ETR_BETWEEN_CONVERT))
          return false;
    }
  }
  return !etr_arena_failed(groups->arena);
}

/* Sets the texts of the finding. XNNPACK's partitioner takes no pads in int8, so that quantizing
 * them saves nothing. */
static void set_texts(etr_finding *finding, const etr_finder *finder, const float_groups *groups) {
  etr_arena *arena = groups->arena;
  bool are_pads = groups->name && strcmp(groups->name, "Constant Pad") == 0;
  const char *time = etr_finder_time_per_run(finder, groups->ticks);
  const char *title = are_pads ? "Let convolutions pad, not %zu %s"
                               : "Quantize %zu %s between int8 layers";
  finding->title = etr_arena_format(arena, title, groups->operators,
                                    groups->name ? groups->name : "operators");
  if (finding->title && strlen(finding->title) > ETR_TITLE_LONGEST)
    finding->title = etr_arena_format(arena, title, groups->operators, "operators");
  finding->fact = etr_arena_format(
      arena,
      are_pads
          ? "%s with %zu Convert: pads, such as of \"SAME\" padding, stay float32 in int8 models"
          : "%s with %zu Convert, in float32 between int8 layers: annotate them in the quantizer",
      time, groups->converts);
  finding->evidence = etr_arena_format(
      arena,
      "%s %s in floating point, and %zu Convert around them %s. Longest: %s of instruction %d, %s. "
      "%s",
      etr_they_take(groups->operators),
      etr_finder_time_per_run(finder, groups->ticks - groups->convert_ticks), groups->converts,
      etr_finder_time_per_run(finder, groups->convert_ticks), groups->longest->label,
      (int)groups->longest->instruction_id, etr_finder_time_per_run(finder, groups->longest_ticks),
      are_pads ? "XNNPACK has no int8 pad for them: models of TensorFlow (\"SAME\" padding) pad "
                 "so; take a variant whose convolutions pad on both sides alike, such as one "
                 "without \"tf_\" of timm."
               : "The quantizer did not annotate them, so that the values become float32 before "
                 "and int8 behind them.");
  finding->variant = are_pads ? ETR_VARIANT_MOVES : ETR_VARIANT_USUAL;
  etr_finding_set_sureness(finding, are_pads ? ETR_LIKELY : ETR_POSSIBLE,
                           are_pads ? "another variant has other weights"
                                    : "if the quantizer and XNNPACK have them in int8");
}

/* Adds the finding about operators in floating point between int8 ones, if they take long enough.
 * It saves the Converts at least, and at most the operators, too. Returns false when out of memory.
 */
bool etr_add_float_between_findings(etr_finder *finder) {
  float_groups groups = {0};
  if (!find_groups(&groups, finder))
    return false;
  etr_finding *added = groups.longest ? etr_finder_add_if_large(finder, ETR_FINDING_FLOAT_BESIDE,
                                                                groups.ticks, (double)groups.ticks)
                                      : NULL;
  if (!added)
    return !etr_arena_failed(finder->arena);
  if (groups.marked && !etr_finding_set_nodes(finder, added, groups.marked))
    return false;
  etr_sort(groups.instructions.data, groups.instructions.count, sizeof(int32_t), etr_by_int);
  added->instructions = groups.instructions.data;
  added->instruction_count = groups.instructions.count;
  etr_finding_set_least_saving(finder, added, (double)groups.convert_ticks);
  set_texts(added, finder, &groups);
  return !etr_arena_failed(finder->arena);
}
