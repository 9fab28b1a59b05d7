/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pte_payload.h - the processed bytes of a .pte's delegates: inside the program, or in segments behind it. Layer 2.
 */
#ifndef ETR_PTE_PAYLOAD_H
#define ETR_PTE_PAYLOAD_H

#include "base/arena.h"
#include "base/file.h"
#include "formats/flatbuf.h"

/** The payloads of one program while it is read. Zeroed but for what the caller sets. */
typedef struct etr_pte_payloads {
  etr_fb *fb; /* of the program; failures show there */
  etr_arena *arena;
  etr_slice bytes;          /* the file, or its part without segments */
  const etr_seekable *file; /* holds the segments; NULL: they are in `bytes` */
  uint64_t left;            /* bytes that may still be read of the file */
  uint64_t segment_base;    /* 0: there are no segments */
  etr_fb_at inline_data, segments;
  uint32_t inline_count, segment_count;
  etr_map places; /* of a payload -> its index in the list */
  etr_vec(etr_slice) list;
  uint64_t total; /* bytes of all of them */
} etr_pte_payloads;

/** Where processed bytes lie. */
typedef struct etr_pte_payload_place {
  uint64_t at, size; /* in the file; size 0: nowhere */
  uint32_t segment;  /* ETR_NONE: inside the program */
} etr_pte_payload_place;

/** The error where more is to be read than `left` allows: compared as a pointer. */
extern const char etr_pte_beyond_limit[];

/** Finds the program's inline data and segments. `fb`, `arena`, `bytes`, `file`, `left` and `segment_base` are set. */
void etr_pte_payloads_init(etr_pte_payloads *payloads, etr_fb_at program);

/**
 * The processed bytes of a BackendDelegate, or of those in a file as many first ones as its backend needs for the
 * graph; empty if it refers to none, or to a place outside the file. Delegates may share a payload, which is read once;
 * payloads that overlap otherwise are an error.
 */
etr_slice etr_pte_payload(etr_pte_payloads *payloads, etr_fb_at delegate);

/** Where they lie, all of them. */
etr_pte_payload_place etr_pte_payload_where(etr_pte_payloads *payloads, etr_fb_at delegate);

#endif
