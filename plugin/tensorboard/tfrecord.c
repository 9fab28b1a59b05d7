/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tfrecord.c - writes the framing of event files.
 */
#include "tensorboard/tfrecord.h"

#include "base/system.h"

#if defined(__aarch64__) && defined(__GNUC__)
#include <arm_acle.h>
#elif defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#include <stdatomic.h>
#endif

/* ---- CRC-32C: with the instructions of SSE 4.2 or ARMv8, or four bits at a time ---- */

/* CRCs of the 16 values of four bits, with the reflected polynomial 0x82F63B78. The table is small
 * enough to be checked by eye, and is used if the processor has no CRC instructions. */
static const uint32_t nibble_crc[16] = {
    0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
    0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

uint32_t etr_crc32c_portable(uint32_t crc, const void *data, size_t size) {
  const unsigned char *bytes = data;
  crc = ~crc;
  for (size_t i = 0; i < size; i++) {
    crc ^= bytes[i];
    crc = (crc >> 4) ^ nibble_crc[crc & 15];
    crc = (crc >> 4) ^ nibble_crc[crc & 15];
  }
  return ~crc;
}

#if defined(__x86_64__) && defined(__GNUC__)

/* clang has a separate feature name for the instruction since version 16. */
#if defined __clang__
#define HAS_SSE42 __attribute__((target("sse4.2,crc32")))
#else
#define HAS_SSE42 __attribute__((target("sse4.2")))
#endif

/* Returns the CRC-32C of bytes that continue those of `crc`, by SSE 4.2's instructions. */
HAS_SSE42 static uint32_t crc32c_sse42(uint32_t crc, const void *data, size_t size) {
  const unsigned char *bytes = data;
  uint64_t wide = ~crc;
  for (; size >= 8; size -= 8, bytes += 8) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    wide = __builtin_ia32_crc32di(wide, word);
  }
  crc = (uint32_t)wide;
  for (; size > 0; size--)
    crc = __builtin_ia32_crc32qi(crc, *bytes++);
  return ~crc;
}

/* Returns whether the processor has SSE 4.2. The instruction that says so is slow in virtual
 * machines, so its answer is kept. The compiler's __builtin_cpu_supports is not used: its runtime
 * library would be linked for it, and bring slower copies of memcpy and strlen into the wheels. */
static bool has_sse42(void) {
  enum { NOT_ASKED, ABSENT, PRESENT };
  static atomic_int answer = NOT_ASKED;
  int found = atomic_load_explicit(&answer, memory_order_relaxed);
  if (found == NOT_ASKED) {
    unsigned int eax = 0, ebx = 0, ecx = 0, edx = 0;
    found = __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_SSE4_2) ? PRESENT : ABSENT;
    atomic_store_explicit(&answer, found, memory_order_relaxed);
  }
  return found == PRESENT;
}

uint32_t etr_crc32c(uint32_t crc, const void *data, size_t size) {
  return has_sse42() ? crc32c_sse42(crc, data, size) : etr_crc32c_portable(crc, data, size);
}

#elif defined(__aarch64__) && defined(__GNUC__)

#if defined __clang__
#define HAS_CRC __attribute__((target("crc")))
#else
#define HAS_CRC __attribute__((target("+crc")))
#endif

/* Returns the CRC-32C of bytes that continue those of `crc`, by ARMv8's instructions. */
HAS_CRC static uint32_t crc32c_armv8(uint32_t crc, const void *data, size_t size) {
  const unsigned char *bytes = data;
  crc = ~crc;
  for (; size >= 8; size -= 8, bytes += 8) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    crc = __crc32cd(crc, word);
  }
  for (; size > 0; size--)
    crc = __crc32cb(crc, *bytes++);
  return ~crc;
}

uint32_t etr_crc32c(uint32_t crc, const void *data, size_t size) {
  return etr_has_crc32c() ? crc32c_armv8(crc, data, size) : etr_crc32c_portable(crc, data, size);
}

#else

uint32_t etr_crc32c(uint32_t crc, const void *data, size_t size) {
  return etr_crc32c_portable(crc, data, size);
}

#endif

/* ---- Records ---- */

static void put_data(etr_tfrecord *writer, const void *data, size_t size) {
  if (!writer->failed && size > 0)
    writer->failed = !writer->sink->write(writer->sink->context, data, size);
}

static void put_little_endian(unsigned char *to, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    to[i] = (unsigned char)(value >> (8 * i));
}

void etr_tfrecord_write(etr_tfrecord *writer, etr_slice data) {
  unsigned char header[12], footer[4];
  put_little_endian(header, data.size, 8);
  put_little_endian(header + 8, etr_crc32c_masked(etr_crc32c(0, header, 8)), 4);
  put_little_endian(footer, etr_crc32c_masked(etr_crc32c(0, data.data, data.size)), 4);
  put_data(writer, header, sizeof header);
  put_data(writer, data.data, data.size);
  put_data(writer, footer, sizeof footer);
}
