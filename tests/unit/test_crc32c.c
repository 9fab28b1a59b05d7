/* SPDX-License-Identifier: BSD-3-Clause
 *
 * CRC-32C against RFC 3720's examples, and the two ways to compute it against each other.
 */
#include "tensorboard/tfrecord.h"

#include <criterion/criterion.h>
#include <string.h>

static unsigned char zeros[32], ones[32], up[32], down[32];

static void fill(void) {
  for (unsigned i = 0; i < 32; i++) {
    ones[i] = 0xff;
    up[i] = (unsigned char)i;
    down[i] = (unsigned char)(31 - i);
  }
}

Test(crc32c, known_checksums_are_computed, .init = fill) {
  const struct {
    const void *data;
    size_t size;
    uint32_t crc;
  } cases[] = {
      {"", 0, 0},
      {"123456789", 9, 0xe3069283},
      {zeros, 32, 0x8a9136aa}, /* RFC 3720, B.4 */
      {ones, 32, 0x62a8ab43},
      {up, 32, 0x46dd794e},
      {down, 32, 0x113fdb5c},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    cr_expect_eq(etr_crc32c(0, cases[i].data, cases[i].size), cases[i].crc, "case %zu", i);
    cr_expect_eq(etr_crc32c_portable(0, cases[i].data, cases[i].size), cases[i].crc,
                 "case %zu, portable", i);
  }
}

/* The checksum is computed for any size and alignment, and in two parts. */
Test(crc32c, a_checksum_does_not_depend_on_pieces) {
  unsigned char bytes[80];
  for (unsigned i = 0; i < sizeof bytes; i++)
    bytes[i] = (unsigned char)(i * 151 + 7);
  for (size_t start = 0; start < 9; start++)
    for (size_t size = 0; size + start <= sizeof bytes; size++) {
      uint32_t whole = etr_crc32c(0, bytes + start, size);
      cr_expect_eq(whole, etr_crc32c_portable(0, bytes + start, size), "%zu bytes at %zu", size,
                   start);
      size_t half = size / 2;
      cr_expect_eq(
          whole, etr_crc32c(etr_crc32c(0, bytes + start, half), bytes + start + half, size - half),
          "%zu bytes at %zu in parts", size, start);
    }
}

Test(crc32c, a_checksum_is_masked) {
  cr_expect_eq(etr_crc32c_masked(0xe3069283), 0xc78ab0e5);
}
