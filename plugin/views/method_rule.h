/* SPDX-License-Identifier: BSD-3-Clause
 *
 * method_rule.h - by which rule runs were taken for those of a method. Layer 4.
 */
#ifndef ETR_METHOD_RULE_H
#define ETR_METHOD_RULE_H

#include "base/arena.h"
#include "etrecord_tb.h"

/** Returns the event block that shows best by which rule runs were taken for those of the
 * method: the first with runs that has evidence for the rule (times or record.json decided it),
 * else the first with runs. Skipped runs count, too. NULL if there are no runs. */
const etr_block *etr_block_of_rule(const etr_profile *profile, const etr_method *method);

/** Returns why runs were taken for those of the method: "method likely, by loads and time: prefill
 * multiplies 64 times as many numbers as decode", or that several methods are possible. NULL if
 * neither is so, or when out of memory. */
const char *etr_method_rule_text(etr_arena *arena, const etr_profile *profile,
                                 const etr_method *method);

#endif
