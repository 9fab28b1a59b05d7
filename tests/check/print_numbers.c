/* SPDX-License-Identifier: BSD-3-Clause
 *
 * print_numbers.c - for numbers.py: the text of each double whose bits are a line of standard
 * input, in hexadecimal.
 */
#include "base/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char line[64], text[ETR_DOUBLE_ROOM];
  while (fgets(line, sizeof line, stdin)) {
    uint64_t bits = strtoull(line, NULL, 16);
    double value;
    memcpy(&value, &bits, sizeof value);
    printf("%.*s\n", (int)etr_number_of_double(text, value), text);
  }
  return 0;
}
