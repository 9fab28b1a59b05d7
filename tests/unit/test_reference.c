/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_reference.c - lib/accuracy/reference.c: the set of reference outputs that a run is compared
 * with. The figures of a real record are checked with numpy in tests/interop.
 */
#include "accuracy/reference.h"

#include "tiny_graph.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>
#include <zip.h>

Test(reference, a_single_set_is_compared_with_every_run) {
  etr_inputs inputs;
  etr_error error;
  etr_profile *profile;
  cr_assert_eq(etr_inputs_find(&inputs, FIXTURES "/bundled_update", NULL, &error), ETR_OK);
  cr_assert_eq(etr_profile_open(&profile, &inputs, NULL, &error), ETR_OK, "%s", error.message);
  cr_assert_eq(profile->output_gap_count, 6);
  for (size_t i = 0; i < 6; i++) {
    const etr_output_gap *gap = &profile->output_gaps[i];
    cr_expect(gap->run == 1 + i / 2 && gap->output == i % 2 && gap->set == 0 && !gap->problem,
              "%zu", i);
    cr_expect(gap->gap.element_count == (i % 2 ? 1 : 8) && gap->gap.snr_db > 140 &&
                  gap->gap.snr_db < 150 && gap->gap.unlike == 0,
              "%zu", i);
    cr_expect_str_eq(gap->rule, "the record's only set of reference outputs");
  }
  etr_profile_close(profile);
  inputs.debug_buffer = NULL;
  cr_assert_eq(etr_profile_open(&profile, &inputs, NULL, &error), ETR_OK);
  cr_assert_eq(profile->output_gap_count, 6);
  cr_expect_str_eq(profile->output_gaps[0].problem, "there is no debug buffer");
  etr_profile_close(profile);
  etr_inputs_clear(&inputs);
}

Test(reference, records_without_references_have_no_gaps) {
  static const char *const fixtures[] = {"add_mul_debug", "add_mul", "cpp_rich"};
  for (size_t i = 0; i < ETR_COUNT(fixtures); i++) {
    char path[256];
    etr_inputs inputs;
    etr_profile *profile;
    snprintf(path, sizeof path, FIXTURES "/%s", fixtures[i]);
    cr_assert_eq(etr_inputs_find(&inputs, path, NULL, NULL), ETR_OK);
    cr_assert_eq(etr_profile_open(&profile, &inputs, NULL, NULL), ETR_OK);
    cr_expect_eq(profile->output_gap_count, 0, "%s", fixtures[i]);
    etr_profile_close(profile);
    etr_inputs_clear(&inputs);
  }
}

/* ---- By hand ---- */

#define BYTES(literal) {(literal), sizeof(literal) - 1}
/* {"forward": VALUE} */
#define FORWARD(value) BYTES("\x80\2}X\7\0\0\0forward" value "s.")
/* float32[2] of the storage data/0 or data/1, which is missing */
#define TENSOR_OF(key)                                                                             \
  "ctorch._utils\n_rebuild_tensor_v2\n((X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0" key       \
  "X\3\0\0\0cpuK\2tQ"                                                                              \
  "K\0K\2\x85K\1\x85\x89"                                                                          \
  "ccollections\nOrderedDict\n)RtR"
#define TENSOR TENSOR_OF("0")

static const float tensor[] = {1, 2}, logged[] = {1, 2.5F};

enum { MOST_VALUES = 16 };

/*
 * runs: values that runs logged, joined by ' ', behind the number of each run's bundled input and
 * ':' ('-': none); runs are joined by '|'. "i3", "b1" and "d0.5" are numbers, "n" is nothing, "t"
 * the tensor above, "u" one that was not read, "w" one of an unknown type; a '.' in front: no
 * output; "!" for another method's. want: "RUN.OUTPUT/SET WHAT" of each gap, joined by ';': the
 * largest error, or part of what is wrong.
 */
typedef struct hand_case {
  const char *title;
  etr_slice pickle;
  const char *runs, *want, *warning;
} hand_case;

static void put_entry(zip_t *zip, const char *name, const void *data, size_t size) {
  zip_int64_t index = zip_file_add(zip, name, zip_source_buffer(zip, data, size, 0), 0);
  cr_assert_geq(index, 0);
  cr_assert_eq(zip_set_file_compression(zip, (zip_uint64_t)index, ZIP_CM_STORE, 0), 0);
}

/* Makes a record that contains a file as torch.save writes it. */
static void make_record(const char *path, etr_slice pickle) {
  char inner[64], bytes[4096];
  snprintf(inner, sizeof inner, "%s.pt", path);
  zip_t *zip = zip_open(inner, ZIP_CREATE | ZIP_TRUNCATE, NULL);
  put_entry(zip, "a/data.pkl", pickle.data, pickle.size);
  put_entry(zip, "a/data/0", tensor, sizeof tensor);
  cr_assert_eq(zip_close(zip), 0);
  FILE *file = fopen(inner, "rb");
  size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  unlink(inner);
  zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, NULL);
  put_entry(zip, "reference_outputs", bytes, size);
  cr_assert_eq(zip_close(zip), 0);
}

static etr_debug_value value_of(const char *text) {
  static const etr_tensor_stats stats = {.element_count = 2};
  static const int64_t sizes[] = {2};
  etr_debug_value value = {.is_output = *text != '.', .instruction_id = -1};
  const char *kind = value.is_output ? text : text + 1;
  switch (*kind) {
  case 'i':
    value.kind = ETR_DEBUG_INT;
    break;
  case 'b':
    value.kind = ETR_DEBUG_BOOL;
    break;
  case 'd':
    value.kind = ETR_DEBUG_DOUBLE;
    break;
  case 'n':
    value.kind = ETR_DEBUG_NONE;
    break;
  case '!':
    value.kind = ETR_DEBUG_INT;
    value.method = ETR_NONE;
    break;
  default:
    value.kind = ETR_DEBUG_TENSOR;
  }
  value.int_value = atoi(text + 1);
  value.double_value = atof(text + 1);
  if (value.kind != ETR_DEBUG_TENSOR)
    return value;
  value.dtype = *text == 'w' ? NULL : "float32";
  value.stats = *text == 'u' ? NULL : &stats;
  value.sizes = sizes;
  value.rank = 1;
  return value;
}

static void make_runs(etr_profile *profile, etr_arena *arena, const char *text) {
  etr_run *runs = etr_arena_alloc_array(arena, MOST_VALUES, sizeof *runs);
  etr_debug_value *values = etr_arena_alloc_array(arena, MOST_VALUES, sizeof *values);
  char *rest = etr_arena_copy(arena, etr_slice_of(text));
  for (char *run; (run = tiny_piece(&rest, "|")); profile->run_count++) {
    uint32_t output = 0;
    char *bundled = tiny_piece(&run, ":");
    runs[profile->run_count] = (etr_run){.bundled_input_index = *bundled == '-' ? -1
                                                                                : atoi(bundled)};
    for (char *value; (value = tiny_piece(&run, " "));) {
      etr_debug_value *added = &values[profile->debug_value_count++];
      *added = value_of(value);
      added->run = (uint32_t)profile->run_count;
      if (added->is_output)
        added->index = output++;
    }
  }
  profile->runs = runs;
  profile->debug_values = values;
}

static void describe(char *out, size_t size, const etr_profile *profile) {
  size_t used = 0;
  for (size_t i = 0; i < profile->output_gap_count; i++) {
    const etr_output_gap *gap = &profile->output_gaps[i];
    used += (size_t)snprintf(out + used, size - used, "%s%u.%u/%u ", i ? ";" : "", gap->run,
                             gap->output, gap->set);
    if (gap->problem)
      used += (size_t)snprintf(out + used, size - used, "%s", gap->problem);
    else
      used += (size_t)snprintf(out + used, size - used, "%g", gap->gap.max_abs_error);
  }
}

static void expect_gaps(const hand_case *c, const char *record, const char *buffer) {
  static const etr_method method = {.name = "forward"};
  etr_arena arena = {0};
  etr_warnings warnings = {.arena = &arena};
  etr_error error = {.offset = ETR_NO_OFFSET};
  etr_profile profile = {.etrecord = record,
                         .debug_buffer = buffer,
                         .has_reference_outputs = true,
                         .methods = &method,
                         .method_count = 1};
  char got[512] = "";
  make_record(record, c->pickle);
  make_runs(&profile, &arena, c->runs);
  cr_expect_eq(etr_reference_compare(&profile, &arena, &warnings, &error), ETR_OK, "%s: %s",
               c->title, error.message);
  describe(got, sizeof got, &profile);
  cr_expect_str_eq(got, c->want, "%s:\n  got  %s\n  want %s", c->title, got, c->want);
  const char *warning = warnings.list.count ? warnings.list.data[0].message : "";
  cr_expect(c->warning ? strstr(warning, c->warning) != NULL : !*warning, "%s: \"%s\"", c->title,
            warning);
  etr_arena_clear(&arena);
}

static const hand_case hand_cases[] = {
    {"scalars of each kind", FORWARD("]](K\3\x88G\x3F\xE0\0\0\0\0\0\0K\2G\x3F\xF8\0\0\0\0\0\0ea"),
     "-:i3 b1 d0.75 d2 i1", "0.0/0 0;0.1/0 0;0.2/0 0.25;0.3/0 0;0.4/0 0.5", NULL},
    {"a value that is no number is none", FORWARD("]](K\3X\1\0\0\0aea"), "-:n i3",
     "0.0/0 one is no number;0.1/0 one is no number", NULL},
    {"a tensor beside a number, both ways", FORWARD("]](K\3" TENSOR "ea"), "-:t i3",
     "0.0/0 one is a tensor, the other is not;0.1/0 one is a tensor, the other is not", NULL},
    {"tensors", FORWARD("]](" TENSOR TENSOR TENSOR "ea"), "-:t u w",
     "0.0/0 0.5;0.1/0 its numbers cannot be read;0.2/0 its numbers cannot be read", NULL},
    {"a storage that is missing", FORWARD("]](" TENSOR_OF("1") "K\3ea"), "-:t i3",
     "0.0/0 a/data/1 is missing;0.1/0 0", NULL},
    {"a set that is an output itself", FORWARD("]K\3a"), "-:i4", "0.0/0 1", NULL},
    {"lists within a set are logged one by one, empty ones not at all",
     FORWARD("]](](K\1K\2e]K\3ea"), "-:i1 i2 i4", "0.0/0 0;0.1/0 0;0.2/0 1", NULL},
    {"a missing value is reported once", FORWARD("]](K\1K\2K\3ea"), "-:i1",
     "0.0/0 0;0.1/0 the run logged fewer outputs than the reference has", NULL},
    {"a missing value within a list is reported once", FORWARD("]](](K\1K\2K\3eK\4ea"), "-:i1",
     "0.0/0 0;0.1/0 the run logged fewer outputs than the reference has", NULL},
    {"more was logged than the reference has", FORWARD("]]K\1aa"), "-:i1 i2", "0.0/0 0", NULL},
    {"values that are no outputs, runs of no method, runs without outputs", FORWARD("]]K\1aa"),
     "-:.i7 i1|-:!|-:.i1|-:i3", "0.0/0 0;3.0/0 2", NULL},
    {"as many sets as runs", FORWARD("](]K\1a]K\2ae"), "-:i1|-:i1", "0.0/0 0;1.0/1 1", NULL},
    {"the bundled input says which", FORWARD("](]K\1a]K\2ae"), "1:i1|0:i1|1:i2",
     "0.0/1 1;1.0/0 0;2.0/1 0", NULL},
    {"a bundled input beyond the sets", FORWARD("](]K\1a]K\2ae"), "2:i1|0:i1", "0.0/0 0;1.0/0 0",
     NULL},
    {"other sets than runs", FORWARD("](]K\1a]K\2ae"), "-:i1|-:i2|-:i3", "",
     "which belong together is unknown"},
    {"one set for many runs", FORWARD("]](]K\1ea"), "-:i1|-:i2", "0.0/0 0;1.0/0 1", NULL},
    {"no sets", FORWARD("]"), "-:i1", "", NULL},
    {"sets that are no list", FORWARD("K\1"), "-:i1", "", NULL},
    {"of another method, and of a key that is no text",
     BYTES("\x80\2}(X\5\0\0\0other]]K\1aaK\7]]K\1aau."), "-:i1", "", NULL},
    {"no map", BYTES("]K\1a."), "-:i1", "", "not a map from methods"},
    {"a pickle that calls something", BYTES("cos\nsystem\n."), "-:i1", "",
     "os.system, which no tensor needs; the outputs are not compared"},
};

Test(reference, gaps_are_found_for_each_run_and_output) {
  char record[] = "/tmp/etr_reference_XXXXXX", buffer[] = "/tmp/etr_buffer_XXXXXX";
  int file = mkstemp(buffer);
  close(mkstemp(record));
  cr_assert_eq(write(file, logged, sizeof logged), sizeof logged);
  close(file);
  for (size_t i = 0; i < ETR_COUNT(hand_cases); i++)
    expect_gaps(&hand_cases[i], record, buffer);
  unlink(record);
  unlink(buffer);
}

Test(reference, vanished_files_are_an_error) {
  char record[] = "/tmp/etr_reference_XXXXXX";
  etr_arena arena = {0};
  etr_warnings warnings = {.arena = &arena};
  etr_error error;
  etr_profile profile = {
      .etrecord = record, .debug_buffer = "/nowhere/buffer", .has_reference_outputs = true};
  close(mkstemp(record));
  make_record(record, (etr_slice)FORWARD("]"));
  make_runs(&profile, &arena, "-:i1");
  cr_expect_eq(etr_reference_compare(&profile, &arena, &warnings, &error), ETR_ERROR_IO);
  cr_expect_str_eq(error.file, "/nowhere/buffer");
  unlink(record);
  cr_expect_eq(etr_reference_compare(&profile, &arena, &warnings, &error), ETR_ERROR_IO);
  cr_expect_eq(etr_reference_compare(&profile, &arena, &warnings, NULL), ETR_ERROR_IO);
  etr_arena_clear(&arena);
}
