/* SPDX-License-Identifier: BSD-3-Clause
 *
 * method_rule.c - takes the rule of a method's blocks.
 */
#include "views/method_rule.h"

const etr_block *etr_block_of_rule(const etr_profile *profile, const etr_method *method) {
  const etr_block *found = NULL;
  for (size_t i = 0; i < method->block_count; i++) {
    const etr_block *block = &profile->blocks[method->blocks[i]];
    if (block->run_count + block->skipped_run_count == 0)
      continue;
    if (!found || (!found->method_evidence[0] && block->method_evidence[0]))
      found = block;
  }
  return found;
}

const char *etr_method_rule_text(etr_arena *arena, const etr_profile *profile,
                                 const etr_method *method) {
  const etr_block *block = etr_block_of_rule(profile, method);
  if (block && block->method_evidence[0])
    return etr_arena_format(arena, "method %s: %s", block->method_rule, block->method_evidence);
  return block && block->candidate_count ? block->method_rule : NULL;
}
