/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pte_data.h - the data that a .pte holds beside its methods: segments, and which of them are constants. Layer 2.
 * Schema: executorch/exir/_serialize/program.fbs.
 */
#ifndef ETR_PTE_DATA_H
#define ETR_PTE_DATA_H

#include "base/arena.h"
#include "formats/flatbuf.h"

/** Where a planned buffer is, if it is not the CPU's. */
typedef struct etr_pte_device {
  int32_t buffer;
  uint8_t type, index; /* DeviceType of the schema: 0 CPU, 1 CUDA */
} etr_pte_device;

/** The planned buffers of a method. */
typedef struct etr_pte_buffers {
  const int64_t *sizes; /* index is the number of a buffer; 0 is not used */
  size_t count;
  const etr_pte_device *devices;
  size_t device_count;
} etr_pte_buffers;

/** Program and segments, as far as they are about memory. */
typedef struct etr_pte_data {
  uint64_t program_bytes;
  etr_segment *segments; /* as the public header has them; kinds of delegates' segments are the caller's to tell */
  size_t segment_count;
  uint32_t constant_segment;        /* ETR_NONE: constants are inside the program */
  const uint32_t *mutable_segments; /* by list of mutable data */
  size_t mutable_count;
} etr_pte_data;

/** Reads those of an execution plan. Failures show as below. */
void etr_pte_buffers_read(etr_pte_buffers *out, etr_fb *fb, etr_arena *arena, etr_fb_at plan);

/** Reads the program's tables. What lies outside of them shows on `fb`, out of memory on the arena. */
void etr_pte_data_read(etr_pte_data *out, etr_fb *fb, etr_map *names, etr_arena *arena, etr_fb_at program);

#endif
