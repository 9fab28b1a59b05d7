/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegate_payload.h - the processed bytes that a program passes to delegates, each once, with
 * their weights. Layer 4.
 */
#ifndef ETR_DELEGATE_PAYLOAD_H
#define ETR_DELEGATE_PAYLOAD_H

#include "base/arena.h"
#include "etrecord_tb.h"

/** The processed bytes of a delegate, which several may share. */
typedef struct etr_delegate_payload {
  const etr_file_part *part;
  bool
      is_closed; /* its format cannot be read: its weights are in part->size_bytes, and not known */
  size_t weight_count;   /* known weights, in the payload and in named data. Shared ones count for
                            the first payload that reads them */
  uint64_t weight_bytes; /* bytes of these; 0 if it is closed */
} etr_delegate_payload;

/** The payloads of a program, in the order of the file. */
typedef struct etr_delegate_payloads {
  const etr_delegate_payload *list;
  size_t count;
} etr_delegate_payloads;

/** Finds the payloads of all delegates, in the order of the file, with the number and bytes of
 * their known weights; none without a program. When out of memory, the arena has failed. */
etr_delegate_payloads etr_delegate_payloads_make(etr_arena *arena, const etr_profile *profile);

/** Returns the payload of the delegate that an instruction calls; NULL if it is not known. */
const etr_delegate_payload *etr_delegate_payload_of(const etr_delegate_payloads *payloads,
                                                    const etr_profile *profile,
                                                    const etr_method *method, int32_t instruction);

/** What stands where the bytes of weights would, for a payload of a closed format. */
#define ETR_CLOSED_FORMAT "closed format, weights included"

#endif
