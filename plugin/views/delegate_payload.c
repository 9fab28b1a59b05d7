/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegate_payload.c - sums up the weights of each payload.
 */
#include "views/delegate_payload.h"

/* Returns true for a part of a program's file that is the processed bytes of a delegate. */
static bool is_payload(const etr_file_part *part) {
  return part->kind == ETR_CONTENT_DELEGATE || part->kind == ETR_CONTENT_CLOSED;
}

/* Returns the method and the first instruction that call the delegate of a part, as a key of a map.
 * The key is in `call`. */
static etr_slice key_of(const etr_file_part *part, uint32_t call[2]) {
  call[0] = part->method;
  call[1] = (uint32_t)part->instruction;
  return (etr_slice){(const char *)call, 2 * sizeof *call};
}

etr_delegate_payloads etr_delegate_payloads_make(etr_arena *arena, const etr_profile *profile) {
  const etr_program_memory *program = profile->program_memory;
  etr_vec(etr_delegate_payload) list = {0};
  etr_map by_call;
  uint32_t call[2];
  etr_map_init(&by_call, arena);
  for (size_t i = 0; program && i < program->part_count; i++) {
    const etr_file_part *part = &program->parts[i];
    etr_delegate_payload *added = is_payload(part) ? etr_vec_push(arena, &list) : NULL;
    if (!added)
      continue;
    *added = (etr_delegate_payload){.part = part, .is_closed = part->kind == ETR_CONTENT_CLOSED};
    etr_map_set(&by_call, key_of(part, call), (uint32_t)(list.count - 1));
  }
  /* Weights in named data may be before the payload that reads them. */
  for (size_t i = 0; program && i < program->part_count; i++) {
    const etr_file_part *part = &program->parts[i];
    uint32_t owner = part->kind == ETR_CONTENT_WEIGHT ? etr_map_get(&by_call, key_of(part, call))
                                                      : ETR_NONE;
    if (owner == ETR_NONE)
      continue;
    list.data[owner].weight_count++;
    list.data[owner].weight_bytes += part->size_bytes;
  }
  return (etr_delegate_payloads){list.data, list.count};
}

const etr_delegate_payload *etr_delegate_payload_of(const etr_delegate_payloads *payloads,
                                                    const etr_profile *profile,
                                                    const etr_method *method, int32_t instruction) {
  uint32_t index = (uint32_t)(method - profile->methods);
  for (size_t i = 0; i < payloads->count; i++)
    for (size_t k = 0; k < payloads->list[i].part->call_count; k++)
      if (payloads->list[i].part->calls[k].method == index &&
          payloads->list[i].part->calls[k].instruction == instruction)
        return &payloads->list[i];
  return NULL;
}
