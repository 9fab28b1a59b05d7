/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_xnnpack_payload.c - reading payloads that are built by hand, in the notation of
 * tiny_xnnpack.h.
 */
#include "backends/xnnpack.h"
#include "tiny_xnnpack.h"

/* Writes a value: its argument, 'c' for a constant, 'q' for a quantized one. */
static const char *describe_value(etr_arena *arena, const etr_payload_value *value) {
  const char *argument = value->argument >= 0 ? etr_arena_format(arena, "%d", value->argument)
                                              : "-";
  return etr_arena_format(arena, "%s%s%s", argument, value->is_constant ? "c" : "",
                          value->is_quantized ? "q" : "");
}

/* Writes an operator as "CLASS#HANDLE(inputs)>output", followed by its other properties. */
static const char *describe_operator(etr_arena *arena, const etr_payload_operator *o) {
  const char *text = etr_arena_format(arena, "%s#%u(", etr_xnnpack.class_name(o->class_),
                                      o->handle);
  for (uint8_t i = 0; i < o->input_count; i++)
    text = etr_arena_format(arena, "%s%s%d", text, i ? "," : "", (int)o->inputs[i]);
  text = etr_arena_format(arena, "%s)>%d", text, (int)o->output);
  if (o->alternative)
    text = etr_arena_format(arena, "%s or %s", text, etr_xnnpack.class_name(o->alternative));
  if (o->activation)
    text = etr_arena_format(arena, "%s and %s", text, etr_xnnpack.class_name(o->activation));
  if (o->whole != o->output)
    text = etr_arena_format(arena, "%s whole %d", text, (int)o->whole);
  if (o->completes != ETR_NONE)
    text = etr_arena_format(arena, "%s completes %u", text, o->completes);
  return etr_arena_format(arena, "%s%s", text, o->is_idle ? " idle" : "");
}

#define V "2x3;"
#define V4 V V V V
#define V8 V4 V4
#define Q "2x3 q;"
#define LOOKUP "Invalid Unary Op"

Test(xnnpack_payload, operators_of_a_payload_are_read) {
  static const struct {
    const char *title, *values, *xnodes, *want; /* operators joined by "; " */
  } cases[] = {
      {"nothing", V, "", ""},
      {"handles, and none", V4, "Sigmoid#7(0)>1 Transpose(1)>2 Softmax#0(2)>3",
       "Sigmoid#7(0)>1; Transpose#0(1)>2; Softmax#0(2)>3"},
      {"fields of each kind", V8,
       "Conv2d#1(0,1)>2 Deconv2d#2(0,1)>3 FullyConnected#3(0,1)>4 Bmm#4(0,1)>5",
       "Convolution or Fully Connected#1(0,1)>2; Deconvolution#2(0,1)>3; Convolution or Fully "
       "Connected#3(0,1)>4; "
       "Batch Matrix Multiply#4(0,1)>5"},
      {"a type that is not known", V4, "Unheard#1(0)>1 None#2 Sigmoid#3(1)>2",
       "Operator#1()>-1; Operator#2()>-1; Sigmoid#3(1)>2"},
      {"values that do not exist", V, "Sigmoid#1(5)>6", "Sigmoid#1(-1)>-1"},
      {"finite limits of a binary operator: a Clamp of its own", V4, "Add#1(0,1)>2{}",
       "Add#1(0,1)>2 and Clamp"},
      {"infinite limits: none", V4, "Add#1(0,1)>2{inf}", "Add#1(0,1)>2"},
      {"limits of a convolution are part of it", V4, "Conv2d#1(0,1)>2{}",
       "Convolution or Fully Connected#1(0,1)>2"},
      {"of a Clamp they are itself", V4, "Clamp#1(0)>2{}", "Clamp#1(0)>2"},
      {"a value times itself", V4, "Multiply#1(0,0)>1 Multiply#2(0,1)>2",
       "Multiply#1(0,0)>1 or Square; Multiply#2(0,1)>2"},
      {"a lookup", Q V V Q, "Convert#1(0)>1 Sigmoid#2(1)>2 Convert#2(2)>3",
       "Convert#1(0)>1; Sigmoid#2(1)>2 or " LOOKUP "; Convert#2(2)>3"},
      {"the last of a chain represents it", Q V V V Q,
       "Convert#1(0)>1 Sqrt#2(1)>2 Rsqrt#3(2)>3 Convert#3(3)>4",
       "Convert#1(0)>1; Square Root#2(1)>2; Reciprocal Square Root#3(2)>3 or " LOOKUP
       "; Convert#3(3)>4"},
      {"a Clamp is one", Q V V Q, "Convert#1(0)>1 Clamp#2(1)>2 Convert#2(2)>3",
       "Convert#1(0)>1; Clamp#2(1)>2 or " LOOKUP "; Convert#2(2)>3"},
      {"without conversions, squares too", Q Q Q, "Clamp#1(0)>1 Multiply#2(1,1)>2",
       "Clamp#1(0)>1 or " LOOKUP "; Multiply#2(1,1)>2 or " LOOKUP},
      {"two lookups in a row", Q V V Q V Q,
       "Convert#1(0)>1 Sigmoid#2(1)>2 Convert#2(2)>3 Sigmoid#3(3)>4 Convert#3(4)>5",
       "Convert#1(0)>1; Sigmoid#2(1)>2 or " LOOKUP "; Convert#2(2)>3; Sigmoid#3(3)>4 or " LOOKUP
       "; Convert#3(4)>5"},
      {"nothing converts back", Q V4, "Convert#1(0)>1 Sigmoid#2(1)>2",
       "Convert#1(0)>1; Sigmoid#2(1)>2"},
      {"nothing came from 8-bit numbers", V V Q, "Sigmoid#2(0)>1 Convert#2(1)>2",
       "Sigmoid#2(0)>1; Convert#2(1)>2"},
      {"nothing unary between", Q V V4, "Convert#1(0)>1 Convert#1(1)>2 Softmax#2(2)>3",
       "Convert#1(0)>1; Convert#1(1)>2; Softmax#2(2)>3"},
      {"Softmax is none", Q V V Q, "Convert#1(0)>1 Softmax#2(1)>2 Convert#2(2)>3",
       "Convert#1(0)>1; Softmax#2(1)>2; Convert#2(2)>3"},
      {"the chain is broken: it reads something else", Q V V Q V4,
       "Convert#1(0)>1 Sigmoid#2(4)>2 Convert#2(2)>3",
       "Convert#1(0)>1; Sigmoid#2(4)>2; Convert#2(2)>3"},
      {"or converts something else back", Q V V Q V4,
       "Convert#1(0)>1 Sigmoid#2(1)>2 Convert#2(4)>3",
       "Convert#1(0)>1; Sigmoid#2(1)>2; Convert#2(4)>3"},
      {"a concatenation in parts: the first has the handle and the last its shape", V8,
       "Concatenate5#1(0,1,2,3)>4 Concatenate4(4,0,1,2)>5 Concatenate2(5,3)>6",
       "Copy#1(0,1,2,3,0)>4 whole 6; Copy#0(4,0,1,2)>5 completes 0; Copy#0(5,3)>6 completes 0"},
      {"two of them", V8,
       "Concatenate2#1(0,1)>2 Concatenate2(2,1)>3 Concatenate2#2(0,1)>4 Concatenate2(4,1)>5",
       "Copy#1(0,1)>2 whole 3; Copy#0(2,1)>3 completes 0; Copy#2(0,1)>4 whole 5; Copy#0(4,1)>5 "
       "completes 2"},
      {"one behind another of its own", V8, "Concatenate2#1(0,1)>2 Concatenate2#2(2,1)>3",
       "Copy#1(0,1)>2; Copy#2(2,1)>3"},
      {"one that does not read it", V8, "Concatenate2#1(0,1)>2 Concatenate2(0,1)>3",
       "Copy#1(0,1)>2; Copy#0(0,1)>3"},
      {"a copy completes nothing", V8, "Concatenate2#1(0,1)>2 Copy(2)>3",
       "Copy#1(0,1)>2; Copy#0(2)>3"},
      {"of two reshapes the first is idle", V4, "Reshape#1(0)>1 Reshape#2(1)>2 Sigmoid#3(2)>3",
       "Static Reshape#1(0)>1 idle; Static Reshape#2(1)>2; Sigmoid#3(2)>3"},
      {"not if something else reads it", V4, "Reshape#1(0)>1 Reshape#2(1)>2 Add#3(2,1)>3",
       "Static Reshape#1(0)>1; Static Reshape#2(1)>2; Add#3(2,1)>3"},
      {"nor if it leaves the delegate", "2x3;2x3 out0;2x3;2x3",
       "Reshape#1(0)>1 Reshape#2(1)>2 Sigmoid#3(2)>3",
       "Static Reshape#1(0)>1; Static Reshape#2(1)>2; Sigmoid#3(2)>3"},
      {"of two Clamps that read the same, neither", V4, "Clamp#1(0)>1 Clamp#2(0)>2",
       "Clamp#1(0)>1; Clamp#2(0)>2"},
      {"nor behind one whose output does not exist", V, "Clamp#1(0)>9 Clamp#2(9)>1",
       "Clamp#1(0)>-1; Clamp#2(-1)>1"},
      {"a Clamp behind something else", V4, "Sigmoid#1(0)>1 Clamp#2(1)>2",
       "Sigmoid#1(0)>1; Clamp#2(1)>2"},
      {"parts of a concatenation that do not follow each other", V4,
       "Concatenate2#1(0,1)>2 Concatenate2(0,1)>3", "Copy#1(0,1)>2; Copy#0(0,1)>3"},
      {"of two Clamps the second", V4, "Clamp#1(0)>1 Clamp#2(1)>2",
       "Clamp#1(0)>1; Clamp#2(1)>2 idle"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_payload payload;
    const char *got = "";
    cr_assert(etr_xnn_payload_read(&payload, &arena,
                                   tiny_xnnpack(&arena, cases[i].values, cases[i].xnodes)),
              "%s", cases[i].title);
    for (size_t k = 0; k < payload.count; k++)
      got = etr_arena_format(&arena, "%s%s%s", got, k ? "; " : "",
                             describe_operator(&arena, &payload.operators[k]));
    cr_expect_str_eq(got, cases[i].want, "%s: got '%s', want '%s'", cases[i].title, got,
                     cases[i].want);
    etr_arena_clear(&arena);
  }
}

Test(xnnpack_payload, values_of_a_payload_are_read) {
  static const struct {
    const char *value, *want;
    int64_t sizes[3];
    size_t rank;
  } cases[] = {
      {"2x3", "-", {2, 3}, 2},
      {"2x3 in0", "0", {2, 3}, 2},
      {"2x3 out4", "4", {2, 3}, 2},
      {"2x3 const", "-c", {2, 3}, 2},
      {"2x3 q", "-q", {2, 3}, 2},
      {"2x3 Q", "-q", {2, 3}, 2},
      {"- in1", "1", {0}, 0},
      {"2x3 in2 Q", "2q", {2, 3}, 2},
      {"5x6x7 Q const", "-cq", {5, 6, 7}, 3},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_payload payload;
    cr_assert(etr_xnn_payload_read(&payload, &arena, tiny_xnnpack(&arena, cases[i].value, "")),
              "%s", cases[i].value);
    cr_assert_geq(payload.value_count, 1);
    const char *got = describe_value(&arena, &payload.values[0]);
    cr_expect_str_eq(got, cases[i].want, "%s: %s", cases[i].value, got);
    cr_expect_eq(payload.values[0].shape, etr_shape_hash(cases[i].sizes, cases[i].rank),
                 "%s: its shape", cases[i].value);
    etr_arena_clear(&arena);
  }
}

/* With a header, the graph is at an offset, and weights follow it. */
static etr_slice with_header(etr_arena *arena, etr_slice graph, uint32_t offset, uint32_t size) {
  tiny_fb fb = {.bytes = etr_arena_alloc(arena, graph.size + 64),
                .capacity = (uint32_t)graph.size + 64};
  memcpy(fb.bytes + 4, "XH00", 4);
  tiny_set(&fb, 10, 4, offset);
  tiny_set(&fb, 14, 4, size);
  memcpy(fb.bytes + 32, graph.data, graph.size);
  return (etr_slice){(const char *)fb.bytes, graph.size + 64};
}

Test(xnnpack_payload, headers_locate_the_graph) {
  etr_arena arena = {0};
  etr_slice graph = tiny_xnnpack(&arena, V4, "Sigmoid#7(0)>1");
  uint32_t size = (uint32_t)graph.size;
  const struct {
    const char *title;
    etr_slice bytes;
    uint64_t needed;
    bool good;
  } cases[] = {
      {"none", graph, size, true},
      {"one", with_header(&arena, graph, 32, size), 32 + size, true},
      {"the graph ends behind the payload", with_header(&arena, graph, 32, size + 33), size + 64,
       false},
      {"it starts behind the payload", with_header(&arena, graph, UINT32_MAX, size), size + 64,
       false},
      {"it is empty", with_header(&arena, graph, 32, 0), 32, false},
      {"it starts elsewhere", with_header(&arena, graph, 31, size), 31 + size, false},
      {"nothing", (etr_slice){0}, 0, false},
      {"another format", ETR_SLICE("\1\2\3\4VK00 and so on, more than thirty bytes"), 0, false},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_payload payload;
    etr_slice head = {cases[i].bytes.data,
                      ETR_MIN(cases[i].bytes.size, (size_t)ETR_PAYLOAD_HEAD_BYTES)};
    bool good = etr_xnn_payload_read(&payload, &arena, cases[i].bytes);
    cr_expect_eq(etr_xnn_payload_needed(head, cases[i].bytes.size), cases[i].needed,
                 "%s: %llu bytes", cases[i].title,
                 (unsigned long long)etr_xnn_payload_needed(head, cases[i].bytes.size));
    cr_expect(good == cases[i].good && payload.count == good, "%s", cases[i].title);
  }
  etr_arena_clear(&arena);
}

/* A payload that is cut short or has a changed byte is refused or read; operators that are read
 * name existing values.
 */
Test(xnnpack_payload, damaged_payloads_are_refused_or_read) {
  etr_arena arena = {0};
  etr_slice whole = tiny_xnnpack(
      &arena, V8, "Convert#1(0)>1 Sqrt#2(1)>2 Convert#3(2)>3 Reshape#4(3)>4 Concatenate2#5(4,3)>5");
  for (size_t size = 0; size < whole.size; size++) {
    etr_arena scratch = {0};
    etr_payload payload;
    char *bytes = malloc(
        size ? size : 1); /* of exactly that size, so that a sanitizer detects reads past it */
    if (size)
      memcpy(bytes, whole.data, size);
    cr_expect_not(etr_xnn_payload_read(&payload, &scratch, (etr_slice){bytes, size}) &&
                      size < whole.size / 2,
                  "%zu bytes", size);
    free(bytes);
    etr_arena_clear(&scratch);
  }
  for (size_t at = 0; at < whole.size; at++) {
    etr_arena scratch = {0};
    etr_payload payload;
    char *bytes = malloc(whole.size);
    memcpy(bytes, whole.data, whole.size);
    bytes[at] = (char)(bytes[at] ^ 0x55);
    bool good = etr_xnn_payload_read(&payload, &scratch, (etr_slice){bytes, whole.size});
    cr_expect(good || (payload.count == 0 && payload.value_count == 0), "byte %zu", at);
    for (size_t i = 0; good && i < payload.count; i++) {
      const etr_payload_operator *o = &payload.operators[i];
      cr_expect(o->output == ETR_NONE || o->output < payload.value_count, "byte %zu", at);
      for (uint8_t k = 0; k < o->input_count; k++)
        cr_expect(o->inputs[k] == ETR_NONE || o->inputs[k] < payload.value_count, "byte %zu", at);
    }
    free(bytes);
    etr_arena_clear(&scratch);
  }
  etr_arena_clear(&arena);
}
