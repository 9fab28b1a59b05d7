/* SPDX-License-Identifier: BSD-3-Clause
 *
 * methods.h - which method each block of runs is. Layer 3.
 */
#ifndef ETR_METHODS_H
#define ETR_METHODS_H

#include "method/method.h"
#include "runs/blocks.h"

/**
 * Decides the method of every block: sets block.method (an index into inputs) and block.method_rule. Blocks without
 * kernels or delegates (loads) get none. Of a block that fits several equally, a run right behind the load of one
 * method is told by the order of loads, and set apart: its block is its own then. Warns of blocks that fit no method,
 * and of ties. Out of memory shows on the warnings' arena.
 */
void etr_methods_decide(etr_blocks *blocks, const etr_method_inputs *inputs, size_t method_count,
                        const etr_options *options, etr_warnings *warnings);

#endif
