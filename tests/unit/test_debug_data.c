/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_debug_data.c - logged values: real debug buffers compared with the answers of ExecuTorch's
 * Inspector, damaged ones, and handmade ones.
 */
#include "accuracy/debug_data.h"

#include "fixture.h"
#include "tiny_join.h"

#include <math.h>
#include <unistd.h>

/* Returns the value of the first run that logged one. */
static const etr_debug_value *find_value(const etr_profile *profile, int32_t instruction,
                                         const char *delegate_id, bool is_output, uint32_t index) {
  for (size_t i = 0; i < profile->debug_value_count; i++) {
    const etr_debug_value *v = &profile->debug_values[i];
    bool same_id = delegate_id ? v->delegate_id && strcmp(v->delegate_id, delegate_id) == 0
                               : !v->delegate_id;
    if (v->instruction_id == instruction && same_id && v->is_output == is_output &&
        v->index == index)
      return v;
  }
  return NULL;
}

static const char *node_name(const etr_profile *profile, const etr_debug_value *value) {
  return value->node == ETR_NONE
             ? ""
             : profile->graphs[profile->methods[value->method].graph].nodes[value->node].name;
}

/* Without a program, the event of the call says which instruction is a delegate's. */
Test(debug_data, arguments_are_known_of_a_dump_alone) {
  static const struct {
    const char *folder;
    bool has_arguments;
  } cases[] = {{"bundled_update", true}, {"add_mul_debug", false}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    char dump[128], buffer[128];
    snprintf(dump, sizeof dump, "%s/etdump.etdp", cases[i].folder);
    snprintf(buffer, sizeof buffer, FIXTURES "/%s/debug_buffer.bin", cases[i].folder);
    etr_profile *profile = open_fixture_with(dump, buffer);
    size_t arguments = 0;
    for (size_t k = 0; k < profile->debug_value_count; k++)
      arguments += profile->debug_values[k].is_argument;
    cr_expect_gt(profile->debug_value_count, 0);
    cr_expect_eq(arguments > 0, cases[i].has_arguments, "%s: %zu", cases[i].folder, arguments);
    etr_profile_close(profile);
  }
}

Test(debug_data, tensors_are_those_of_the_inspector) {
  static const struct {
    const char *fixture;
    int32_t instruction;
    bool is_output, is_argument;
    uint32_t index;
    const char *node;
    uint64_t elements;
    double sum;
  } rows[] = {
      /* debug_data of inspector_debug_buffer in truth.json; run outputs from the same numbers */
      {"add_mul_debug", 0, false, false, 0, "aten_add_tensor", 8, 5.093847751617432},
      {"add_mul_debug", 4, false, false, 0, "aten_addmm_default", 8, -6.005903422832489},
      {"add_mul_debug", 5, false, false, 0, "aten_relu_default", 8, 3.2986483573913574},
      {"add_mul_debug", 16, false, false, 0, "aten_split_with_sizes_copy_default", 4,
       0.09548455476760864},
      {"add_mul_debug", 16, false, false, 1, "aten_split_with_sizes_copy_default", 4,
       0.07588641345500946},
      {"add_mul_debug", 32, false, false, 0, "aten_sum_dim_int_list", 1, 0.1713709682226181},
      {"add_mul_debug", -1, true, false, 0, "output", 8, 4.043216526508331},
      {"add_mul_debug", -1, true, false, 1, "output", 1, 0.1713709682226181},
      {"bundled_update", 0, false, true, 0, "", 4, 4},
      {"bundled_update", 0, false, true, 1, "", 4, 8},
      {"bundled_update", 0, false, true, 2, "", 1, 0.5},
      {"bundled_update", 1, false, false, 0, "aten_split_with_sizes_copy_default", 4,
       0.0954845529049635},
      {"bundled_update", 3, false, false, 0, "aten_sum_dim_int_list", 1, 0.1713709533214569},
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    etr_profile *profile = open_fixture_with(rows[i].fixture, NULL);
    const etr_debug_value *value = find_value(profile, rows[i].instruction, NULL, rows[i].is_output,
                                              rows[i].index);
    cr_assert(value && value->stats, "row %zu", i);
    cr_expect(value->kind == ETR_DEBUG_TENSOR && value->run == 1 &&
                  value->is_argument == rows[i].is_argument,
              "row %zu", i);
    cr_expect_str_eq(value->dtype, "float32");
    cr_expect_str_eq(node_name(profile, value), rows[i].node, "row %zu: %s", i,
                     node_name(profile, value));
    cr_expect_eq(value->stats->element_count, rows[i].elements);
    cr_expect_eq(value->byte_size, rows[i].elements * 4);
    double sum = value->stats->mean * (double)rows[i].elements;
    cr_expect(fabs(sum - rows[i].sum) <= 1e-12 * (1 + fabs(sum)), "row %zu: %.17g", i, sum);
    cr_expect_eq(profile->warning_count, 0, "row %zu: %s", i,
                 profile->warning_count ? profile->warnings[0].message : "");
    etr_profile_close(profile);
  }
}

Test(debug_data, scalars_are_those_of_the_inspector) {
  static const struct {
    const char *delegate_id;
    uint32_t index;
    etr_debug_kind kind;
    int64_t number;
    double real;
  } rows[] = {
      {"2", 0, ETR_DEBUG_INT, 7, 0},        {"str id with spaces", 0, ETR_DEBUG_DOUBLE, 0, 2.5},
      {"3", 0, ETR_DEBUG_BOOL, 1, 0},       {NULL, 0, ETR_DEBUG_INT, 42, 0},
      {NULL, 1, ETR_DEBUG_DOUBLE, 0, 3.25}, {NULL, 2, ETR_DEBUG_BOOL, 1, 0},
  };
  etr_profile *profile = open_fixture("cpp_rich");
  cr_expect_eq(profile->debug_value_count, 24);
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    const etr_debug_value *value = find_value(profile, 3, rows[i].delegate_id, false,
                                              rows[i].index);
    cr_assert_not_null(value, "row %zu", i);
    cr_expect(value->kind == rows[i].kind && value->int_value == rows[i].number &&
                  value->double_value == rows[i].real,
              "row %zu", i);
    cr_expect_null(value->stats);
  }
  etr_profile_close(profile);
}

/* ---- Wrong debug buffers ---- */

/** Writes the debug buffer of add_mul_debug, or its first bytes, with one float replaced. */
static void make_buffer(char path[], size_t size, size_t at, float value) {
  etr_file file;
  int descriptor = mkstemp(path);
  cr_assert_eq(etr_file_read(&file, FIXTURES "/add_mul_debug/debug_buffer.bin", 1 << 20, NULL),
               ETR_OK);
  memcpy(file.data + at, &value, sizeof value);
  size = ETR_MIN(size, file.size);
  cr_assert_eq(write(descriptor, file.data, size), (ssize_t)size);
  close(descriptor);
  etr_file_clear(&file);
}

static size_t measured(const etr_profile *profile) {
  size_t count = 0;
  for (size_t i = 0; i < profile->debug_value_count; i++)
    count += profile->debug_values[i].stats != NULL;
  return count;
}

Test(debug_data, a_wrong_buffer_warns) {
  static const struct {
    size_t size, at;
    float value;
    size_t measured;
    const char *warning; /* NULL: none */
  } rows[] = {
      {SIZE_MAX, 48, 1, 108, NULL},
      {SIZE_MAX, 48, NAN, 108,
       "NaN in 1 logged tensor, first in node aten_add_tensor (instruction 0) of run 1: 1 of 8 "
       "elements"},
      {SIZE_MAX, 1072, NAN, 108,
       "NaN in 1 logged tensor, first in node aten_split_with_sizes_copy_default (instruction 16) "
       "of run 1: 1 of 4 "
       "elements"},
      {SIZE_MAX, 2288, INFINITY, 108,
       "infinity in 1 logged tensor, first in output 1 of the method of run 1: 1 of 1 elements"},
      {150, 48, 1, 2,
       "cannot read the 32-byte tensor logged by instruction 2 of run 1: it extends past the end "
       "of the file "
       "(and 105 more); was the debug buffer copied completely?"},
      {0, 0, 1, 0,
       "cannot read the 32-byte tensor logged by instruction 0 of run 1: it extends past the end "
       "of the file "
       "(and 107 more); was the debug buffer copied completely?"},
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    char path[] = "/tmp/test_debug_data.XXXXXX";
    make_buffer(path, rows[i].size, rows[i].at, rows[i].value);
    etr_profile *profile = open_fixture_with("add_mul_debug", path);
    cr_expect_eq(measured(profile), rows[i].measured, "row %zu: %zu", i, measured(profile));
    cr_expect_eq(profile->warning_count, rows[i].warning != NULL, "row %zu", i);
    if (rows[i].warning && profile->warning_count) {
      cr_expect_str_eq(profile->warnings[0].message, rows[i].warning, "row %zu: %s", i,
                       profile->warnings[0].message);
      cr_expect_neq(profile->warnings[0].offset, ETR_NO_OFFSET);
    }
    etr_profile_close(profile);
    unlink(path);
  }
}

Test(debug_data, the_first_nan_is_located) {
  static const etr_tensor_stats nan = {.element_count = 4, .nan_count = 2},
                                finite = {.element_count = 4};
  static const etr_node node = {.name = "log"};
  static const etr_graph graph = {.nodes = &node, .node_count = 1};
  static const etr_method methods[] = {{.name = "drawn", .graph = 0},
                                       {.name = "bare", .graph = ETR_NONE}};
  static const struct {
    etr_debug_value value;
    const char *place;
  } rows[] = {
      {{.instruction_id = 3, .index = 2, .is_argument = true, .method = ETR_NONE, .node = ETR_NONE},
       "argument 2 of the delegate that instruction 3 calls"},
      {{.instruction_id = 4, .delegate_id = "Add #1", .node = ETR_NONE}, "Add #1 (instruction 4)"},
      {{.instruction_id = 5, .method = 1, .node = 0}, "instruction 5"},
      {{.instruction_id = 6, .node = 0}, "node log (instruction 6)"},
      {{.instruction_id = -1, .index = 1, .is_output = true}, "output 1 of the method"},
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    etr_arena arena = {0};
    etr_warnings warnings = {.arena = &arena};
    etr_profile profile = {.methods = methods,
                           .method_count = 2,
                           .graphs = &graph,
                           .graph_count = 1,
                           .debug_buffer = "buffer"};
    etr_debug_value values[] = {{.stats = NULL}, {.stats = &finite}, rows[i].value, rows[i].value};
    char want[256];
    values[2].stats = values[3].stats = &nan;
    etr_debug_warn_of_nan(&(etr_debug_data){.values = values, .count = 4}, &profile, &warnings);
    cr_assert_eq(warnings.list.count, 1, "row %zu", i);
    snprintf(want, sizeof want, "NaN in 2 logged tensors, first in %s of run 0: 2 of 4 elements",
             rows[i].place);
    cr_expect_str_eq(warnings.list.data[0].message, want, "row %zu: %s", i,
                     warnings.list.data[0].message);
    etr_arena_clear(&arena);
  }
}

Test(debug_data, tensors_without_a_buffer_have_no_statistics) {
  etr_error error;
  etr_profile *profile;
  const char *dumps[] = {FIXTURES "/add_mul_debug/etdump.etdp",
                         FIXTURES "/bundled_update/etdump.etdp"};
  etr_inputs inputs = {.etdumps = dumps, .etdump_count = 1};
  cr_assert_eq(etr_profile_open(&profile, &inputs, NULL, &error), ETR_OK);
  cr_expect(profile->debug_value_count == 108 && measured(profile) == 0 && !profile->debug_buffer &&
            profile->warning_count == 0);
  etr_profile_close(profile);
  inputs.debug_buffer = "/nowhere";
  cr_expect_eq(etr_profile_open(&profile, &inputs, NULL, &error), ETR_ERROR_IO);
  cr_expect_str_eq(error.file, "/nowhere");
  inputs = (etr_inputs){.etdumps = dumps,
                        .etdump_count = 2,
                        .debug_buffer = FIXTURES "/add_mul_debug/debug_buffer.bin"};
  cr_assert_eq(etr_profile_open(&profile, &inputs, NULL, &error), ETR_OK);
  cr_expect(profile->debug_value_count > 108 && profile->debug_values[108].run >= 4);
  cr_expect(measured(profile) == 0 && !profile->debug_buffer, "it is unknown whose buffer it is");
  cr_expect(strstr(profile->warnings[0].message, "several ETDumps logged tensors") != NULL);
  etr_profile_close(profile);
}

/* ---- Made by hand ---- */

/* A delegate of two operators logs the arguments of its call, the last of which is its result; if
 * it also logs its operators, the call only repeats them. */
Test(debug_data, results_of_a_delegate_are_told_from_its_arguments) {
  enum { VALUES = 8 };
  static const int64_t four[] = {4};
  static const char id[] = "7";
  static const struct {
    const char *title;
    const char *logged; /* per value: c: of the call, o: of an operator, k: of a kernel, r: of the
                           call in the next run */
    const char *want;   /* per value: the node, "-" if there is none, and "!" for an argument */
  } cases[] = {
      {"the call alone", "cc", "-! b"},
      {"with a kernel before and behind", "kcck", "- -! b -"},
      {"operators before the call", "occ", "a -! -!"},
      {"operators behind the call", "cco", "-! -! a"},
      {"operators of the run behind", "ccR", "-! b a"},
      {"operators of the run before, calls of both", "coRr", "-! a a -!"},
      {"the second run alone has none", "occrr", "a -! -! -! b"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    const tiny_graph *g = tiny_graph_of(
        &arena, "x input [4];a neg (x) #1 @0 [4];b abs (a) #2 @0 [4];o output (b)");
    etr_placement placement = tiny_placement_of(&arena, g, "delegate of 1,2;neg of 9");
    placement.is_ordered = true;
    for (uint32_t node = 1; node < 3; node++)
      *etr_vec_push(&arena, &placement.delegate_nodes) = (etr_delegate_node){.node = node};
    const uint32_t of_operator[] = {1};
    const etr_event events[] = {{.kind = ETR_EVENT_DELEGATE_CALL},
                                {.kind = ETR_EVENT_DELEGATE_OPERATOR,
                                 .delegate_id = id,
                                 .nodes = of_operator,
                                 .node_count = 1}};
    etr_block block = {.events = events, .event_count = ETR_COUNT(events)};
    etr_run runs[2] = {{.block = 0}};
    const etr_blocks blocks = {.runs = runs, .run_count = 2, .blocks = &block, .block_count = 1};
    etr_debug_value values[VALUES];
    size_t count = strlen(cases[i].logged);
    for (size_t k = 0; k < count; k++) {
      char kind = cases[i].logged[k];
      values[k] = (etr_debug_value){.kind = ETR_DEBUG_TENSOR,
                                    .dtype = "float32",
                                    .sizes = four,
                                    .rank = 1,
                                    .node = ETR_NONE,
                                    .run = kind == 'r' || kind == 'R',
                                    .delegate_id = kind == 'o' || kind == 'R' ? id : NULL,
                                    .instruction_id = kind == 'k'};
    }
    etr_debug_data data = {.values = values, .count = count};
    cr_assert(etr_debug_join(&data, &blocks, &placement, 1));
    const char *got = "";
    for (size_t k = 0; k < count; k++)
      got = etr_arena_format(&arena, "%s%s%s%s", got, k > 0 ? " " : "",
                             tiny_name(g, values[k].node), values[k].is_argument ? "!" : "");
    cr_expect_str_eq(got, cases[i].want, "%s: %s", cases[i].title, got);
    etr_arena_clear(&arena);
  }
}

Test(debug_data, impossible_tensors_are_not_read) {
  enum { COUNT = 7, BYTES = 64 };
  static const int64_t sizes[] = {INT64_MAX, INT64_MAX}, strides[] = {INT64_MAX, INT64_MAX},
                       four[] = {4}, zero[] = {0};
  char path[] = "/tmp/test_debug_data.XXXXXX";
  const char bytes[BYTES] = {0};
  int descriptor = mkstemp(path);
  etr_arena arena = {0};
  etr_warnings warnings = {.arena = &arena};
  cr_assert_eq(write(descriptor, bytes, BYTES), BYTES);
  etr_debug_value values[COUNT];
  for (int i = 0; i < COUNT; i++)
    values[i] = (etr_debug_value){
        .kind = ETR_DEBUG_TENSOR, .dtype = "float32", .sizes = four, .rank = 1, .node = ETR_NONE};
  values[0].offset = UINT64_MAX - 8;
  values[1].sizes = sizes;
  values[1].rank = 2;
  values[2].strides = strides;
  values[3].strides = zero;
  values[4].dtype = NULL;
  values[5].rank = INT32_MAX; /* the sizes are not read */
  values[6].offset = BYTES - 16;
  etr_debug_data data = {.values = values, .count = COUNT};
  cr_assert_eq(
      etr_debug_measure(&data, &arena, &(etr_profile){.debug_buffer = path}, &warnings, NULL),
      ETR_OK);
  for (int i = 0; i < COUNT; i++)
    cr_expect_eq(values[i].stats != NULL, i == COUNT - 1, "value %d", i);
  cr_expect_eq(warnings.list.count, 6);
  etr_arena_clear(&arena);
  close(descriptor);
  unlink(path);
}

Test(debug_data, shared_bytes_are_read_a_limited_number_of_times) {
  enum { COUNT = 1000, BYTES = 4096 };
  static const int64_t all[] = {BYTES};
  static const char bytes[BYTES] = {0};
  static etr_debug_value values[COUNT];
  char path[] = "/tmp/test_debug_data.XXXXXX";
  int descriptor = mkstemp(path);
  etr_arena arena = {0};
  etr_warnings warnings = {.arena = &arena};
  cr_assert_eq(write(descriptor, bytes, BYTES), BYTES);
  for (int i = 0; i < COUNT; i++)
    values[i] = (etr_debug_value){.kind = ETR_DEBUG_TENSOR,
                                  .dtype = "uint8",
                                  .sizes = all,
                                  .rank = 1,
                                  .byte_size = BYTES,
                                  .node = ETR_NONE};
  etr_debug_data data = {.values = values, .count = COUNT};
  cr_assert_eq(
      etr_debug_measure(&data, &arena, &(etr_profile){.debug_buffer = path}, &warnings, NULL),
      ETR_OK);
  cr_expect(values[3].stats && !values[4].stats);
  cr_assert_eq(warnings.list.count, 1);
  cr_expect(strstr(warnings.list.data[0].message, "(and 995 more)") != NULL, "%s",
            warnings.list.data[0].message);
  etr_arena_clear(&arena);
  close(descriptor);
  unlink(path);
}
