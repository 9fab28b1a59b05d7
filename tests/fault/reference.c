/* SPDX-License-Identifier: BSD-3-Clause
 *
 * reference.c - a reference that becomes shorter while values are compared: reference RECORD
 * REFERENCE COPY
 *
 * In front of each read in turn, a copy of the reference loses its last bytes: the scales and zero
 * points by channel. What is then still dequantized by channel gives the numbers that it gives from
 * the complete reference.
 */
#include "etrecord_accuracy.h"
#include "fault.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { REFERENCE_BYTES = 1 << 16, CONSTANT_BYTES = 160, MOST_VALUES = 64 };

static bool copy_file(const char *from, const char *to, size_t *size) {
  static char data[REFERENCE_BYTES];
  FILE *in = fopen(from, "rb"), *out = in ? fopen(to, "wb") : NULL;
  *size = in ? fread(data, 1, sizeof data, in) : 0;
  bool is_copied = out && *size > CONSTANT_BYTES && fwrite(data, 1, *size, out) == *size;
  if (in)
    fclose(in);
  return out && fclose(out) == 0 && is_copied;
}

/* Compares the profile with a reference and gives the largest number of each value or its
 * reference. Returns how many values were dequantized by channel; -1 if one of them has another
 * largest number than in `complete`, unless that is NULL. A comparison that fails has none. */
static int compare(const etr_profile *profile, const char *reference, const double *complete,
                   double largest[MOST_VALUES]) {
  etr_accuracy *accuracy = NULL;
  etr_error error;
  int count = 0;
  const etr_accuracy_options options = {.reference = reference, .spreads = MOST_VALUES};
  if (etr_accuracy_open(&accuracy, profile, &options, &error) != ETR_OK)
    return 0;
  for (size_t i = 0; i < accuracy->value_count && i < MOST_VALUES && count >= 0; i++) {
    const etr_value_accuracy *value = &accuracy->values[i];
    if (value->problem || !isnan(value->scale) || !value->spread)
      continue;
    largest[i] = value->spread->most;
    count = complete && largest[i] != complete[i] ? -1 : count + 1;
  }
  etr_accuracy_close(accuracy);
  return count;
}

int main(int argc, char **argv) {
  etr_inputs inputs;
  etr_error error;
  etr_profile *profile = NULL;
  double complete[MOST_VALUES], largest[MOST_VALUES];
  size_t size = 0;
  if (argc != 4 || etr_inputs_find(&inputs, argv[1], NULL, &error) != ETR_OK)
    return 1;
  bool is_good = etr_profile_open(&profile, &inputs, NULL, &error) == ETR_OK &&
                 compare(profile, argv[2], NULL, complete) > 0;
  etr_inputs_clear(&inputs);
  long number = 0, fewer = 0;
  for (bool happened = true; is_good && happened; number++) {
    is_good = copy_file(argv[2], argv[3], &size);
    fault_shrink(argv[3], (off_t)(size - CONSTANT_BYTES));
    fault_plan(FAULT_SHRINK, number, false);
    int count = is_good ? compare(profile, argv[3], complete, largest) : -1;
    happened = fault_happened();
    fault_plan(FAULT_NONE, 0, false);
    is_good = count >= 0;
    fewer += count == 0;
  }
  unlink(argv[3]);
  etr_profile_close(profile);
  printf("%ld cuts, %ld without a value by channel; the last one: %s\n", number, fewer,
         is_good ? "passed" : "other numbers");
  return !is_good || fewer == 0;
}
