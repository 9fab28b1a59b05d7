/* SPDX-License-Identifier: BSD-3-Clause
 *
 * crc32c.h - CRC-32C (Castagnoli), which TFRecords are checked with. zlib's crc32 is another polynomial. Layer 4.
 */
#ifndef ETR_CRC32C_H
#define ETR_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/** The CRC of bytes that follow others with the CRC `crc`; 0 to start. The processor's instruction is used where there is one. */
uint32_t etr_crc32c(uint32_t crc, const void *data, size_t size);

/** The same without the instruction. For etr_crc32c() and its test. */
uint32_t etr_crc32c_portable(uint32_t crc, const void *data, size_t size);

/** As TFRecords store it: a CRC of data that holds CRCs would be a weak one. */
static inline uint32_t etr_crc32c_masked(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }

#endif
