/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_accuracy.c - lib/accuracy: what a reference says about logged values, and what is wrong with
 * references. tests/check/accuracy.py compares the figures with ExecuTorch's.
 */
#include "accuracy/reference_file.h"

#include "open_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static const char int8_model[] = "../../examples/accuracy/int8",
                  float_model[] = "../../examples/accuracy/f32";
static const char float_reference[] = FIXTURES "/../../examples/accuracy/f32.safetensors";

static etr_accuracy *open_accuracy(const etr_profile *profile, const char *reference,
                                   const etr_profile *of) {
  etr_accuracy *accuracy = NULL;
  etr_error error;
  const etr_accuracy_options options = {.reference = reference, .reference_record = of};
  cr_assert_eq(etr_accuracy_open(&accuracy, profile, &options, &error), ETR_OK, "%s",
               error.message);
  return accuracy;
}

/* Returns the value of a node in the first run. */
static const etr_value_accuracy *find(const etr_accuracy *accuracy, const char *name) {
  const etr_value_accuracy *found = NULL;
  for (size_t i = accuracy->value_count; i-- > 0;)
    if (strcmp(accuracy->values[i].name, name) == 0)
      found = &accuracy->values[i];
  cr_assert(found, "no value %s", name);
  return found;
}

Test(accuracy, its_own_program_is_compared_node_by_node) {
  etr_profile *profile = open_fixture(float_model, NULL);
  etr_accuracy *accuracy = open_accuracy(profile, float_reference, NULL);
  cr_expect(accuracy->value_count == 102 && accuracy->ranked_count == 102 &&
            accuracy->reference_record == profile);
  for (size_t i = 0; i < accuracy->value_count; i++) {
    const etr_value_accuracy *value = &accuracy->values[i];
    cr_expect(!value->problem && etr_gap_is_equal(&value->gap) && value->drop_db == 0, "%s",
              value->name);
    cr_expect(value->evidence == ETR_PARTNER_SAME_GRAPH &&
              value->segment[value->segment_count - 1] == value->node);
  }
  const etr_value_accuracy *output = etr_accuracy_worst_output(accuracy);
  cr_assert(output && output->is_output && !output->is_tap);
  etr_accuracy_close(accuracy);
  etr_profile_close(profile);
}

Test(accuracy, records_are_joined_by_the_nodes_of_the_reference) {
  etr_profile *profile = open_fixture(int8_model, NULL), *of = open_fixture(float_model, NULL);
  etr_accuracy *accuracy = open_accuracy(profile, float_reference, of);
  const etr_value_accuracy *first = &accuracy->values[accuracy->ranked[0]];
  cr_expect_str_eq(first->name, "aten__softmax_default");
  cr_expect(fabs(first->gap.snr_db - 12.9) < 0.1 && fabs(first->drop_db - 24.2) < 0.1 &&
            first->segment_count == 17);
  cr_expect_str_eq(first->aten_node, "softmax");
  /* A quantize node stands for what it wraps, and its integers are dequantized. */
  const etr_value_accuracy *linear = find(accuracy,
                                          "quantized_decomposed_dequantize_per_tensor_default_98");
  cr_expect_str_eq(linear->reference_node, "linear_14");
  cr_expect_str_eq(profile->graphs[0].nodes[linear->computed_by].name, "aten_linear_default_14");
  cr_expect(linear->is_output && fabs(linear->gap.snr_db - 24.1) < 0.1);
  etr_accuracy_close(accuracy);
  etr_profile_close(of);
  etr_profile_close(profile);
}

/* ---- References made by hand ---- */

/* Writes a reference for the record add_mul_debug; *path is a template. metadata and tensors are
 * members of the header; a %s in the metadata is the hash of the record. Data are ones. */
static void write_reference(char *path, const etr_profile *profile, const char *metadata,
                            const char *tensors) {
  enum { ONES = 64 };
  char hash[17], texts[1024], header[2048];
  float ones[ONES];
  for (int i = 0; i < ONES; i++)
    ones[i] = 1;
  etr_record_hash(hash, profile);
  snprintf(texts, sizeof texts, metadata, hash);
  uint64_t size = (uint64_t)snprintf(header, sizeof header, "{\"__metadata__\":{%s}%s}", texts,
                                     tensors);
  int descriptor = mkstemp(path);
  cr_assert(descriptor >= 0);
  cr_assert(write(descriptor, &size, 8) == 8 && write(descriptor, header, size) == (ssize_t)size &&
            write(descriptor, ones, sizeof ones) == (ssize_t)sizeof ones);
  close(descriptor);
}

#define HEAD "\"producer\":\"etrecord-tb reference/2\",\"record\":\"%s\""
#define USUAL(members) HEAD ",\"methods\":\"{\\\"forward\\\":{" members "}}\""
#define INPUTS(n) "\\\"inputs\\\":" n
#define TENSOR(key, dtype, shape, begin, end)                                                      \
  ",\"" key "\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":[" begin "," end "]" \
  "}"

#define OTHER_INPUTS "aten_add_tensor of forward, computed from the inputs, has -2.2 dB"

Test(accuracy, what_is_doubtful_is_said) {
  static const struct {
    const char *metadata, *tensors, *problem, *warning;
  } rows[] = {
      {USUAL(INPUTS("1")), TENSOR("forward/0/edge/aten_add_tensor", "F32", "[2,4]", "0", "32"),
       NULL, OTHER_INPUTS},
      {USUAL(INPUTS("1")), TENSOR("forward/0/edge/aten_add_tensor/0", "F32", "[2,4]", "0", "32"),
       NULL, OTHER_INPUTS},
      {USUAL(INPUTS("1")) ",\"aliases\":\"{\\\"forward/0/edge/aten_add_tensor\\\":\\\"x\\\"}\"",
       TENSOR("x", "F32", "[2,4]", "0", "32"), NULL, OTHER_INPUTS},
      {USUAL(INPUTS("1")), TENSOR("forward/0/edge/aten_add_tensor", "F32", "[4,2]", "0", "32"),
       "the shapes differ", NULL},
      {USUAL(INPUTS("1")), TENSOR("forward/0/edge/aten_add_tensor", "C64", "[2,4]", "0", "64"),
       "the type of its reference cannot be read", NULL},
      {USUAL(INPUTS("1")), "", "the reference does not have its value", NULL},
      {USUAL(INPUTS("1") ",\\\"state\\\":\\\"cache\\\""), "",
       "the reference does not have its value", "the model keeps state (cache)"},
      {USUAL(INPUTS("3") ",\\\"state\\\":\\\"cache\\\""), "",
       "the reference does not have its value",
       "the model keeps state (cache): values agree only if the runs had the inputs of the "
       "reference in its order"},
      {USUAL(INPUTS("2")), "", "the reference does not have its value",
       "it has 2 inputs, but 3 runs logged values: the inputs of 1 runs are unknown"},
      {USUAL(INPUTS("1") ",\\\"random\\\":\\\"aten.rand\\\""), "",
       "the reference does not have its value", "the model draws random numbers (aten.rand)"},
      {HEAD, "", "the reference does not have its method",
       "it has no values of the method forward"},
      {HEAD ",\"methods\":\"{\\\"forwards\\\":{}}\"", "", "the reference does not have its method",
       "it has no values of the method forward"},
      {USUAL(INPUTS("0")), "", "the input of its run is not known",
       "it has 0 inputs, but 3 runs logged values"},
      {USUAL(INPUTS("9")), "", "the reference does not have its value",
       "it has 9 inputs, but 3 runs logged values"},
  };
  etr_profile *profile = open_fixture("add_mul_debug", NULL);
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    char path[] = "/tmp/test_accuracy-XXXXXX";
    write_reference(path, profile, rows[i].metadata, rows[i].tensors);
    etr_accuracy *accuracy = open_accuracy(profile, path, NULL);
    const etr_value_accuracy *value = find(accuracy, "aten_add_tensor");
    cr_expect_str_eq(value->problem ? value->problem : "", rows[i].problem ? rows[i].problem : "",
                     "row %zu", i);
    cr_expect(value->problem || (value->gap.element_count == 8 && value->gap.snr_db < 100),
              "row %zu", i);
    const char *said = accuracy->warning_count ? accuracy->warnings[0].message : "";
    cr_expect(rows[i].warning ? strncmp(said, rows[i].warning, strlen(rows[i].warning)) == 0
                              : said[0] == '\0',
              "row %zu: %s", i, said);
    etr_accuracy_close(accuracy);
    unlink(path);
  }
  etr_profile_close(profile);
}

Test(accuracy, what_is_no_reference_is_refused) {
  static const struct {
    const char *metadata, *message;
  } rows[] = {
      {"\"format\":\"pt\"", "not a reference that this version reads: write one with `etrecord-tb "
                            "reference RECORD -o FILE`"},
      {USUAL(INPUTS("{}")), "damaged reference: methods: expected a number"},
      {HEAD ",\"aliases\":\"[]\"", "damaged reference: aliases: expected an object"},
  };
  etr_profile *profile = open_fixture("add_mul_debug", NULL);
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    char path[] = "/tmp/test_accuracy-XXXXXX";
    etr_accuracy *accuracy;
    etr_error error;
    write_reference(path, profile, rows[i].metadata, "");
    cr_expect_eq(
        etr_accuracy_open(&accuracy, profile, &(etr_accuracy_options){.reference = path}, &error),
        ETR_ERROR_FORMAT);
    cr_expect_str_eq(error.message, rows[i].message, "row %zu: %s", i, error.message);
    cr_expect_null(accuracy);
    unlink(path);
  }
  etr_profile_close(profile);
}

Test(accuracy, without_a_reference_values_are_listed) {
  etr_profile *profile = open_fixture(int8_model, NULL);
  etr_accuracy *accuracy = open_accuracy(profile, NULL, NULL);
  cr_expect(accuracy->value_count == 105 && accuracy->ranked_count == 3 &&
            !accuracy->reference_record);
  const etr_value_accuracy *output = etr_accuracy_worst_output(accuracy);
  cr_assert(output && output->evidence == ETR_PARTNER_OUTPUT);
  cr_expect(fabs(output->gap.snr_db - 21.98) < 0.01 && isnan(output->drop_db));
  etr_accuracy_close(accuracy);
  etr_profile_close(profile);
}
