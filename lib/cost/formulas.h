/* SPDX-License-Identifier: BSD-3-Clause
 *
 * formulas.h - how many multiply-accumulates an operator does. Layer 3.
 */
#ifndef ETR_FORMULAS_H
#define ETR_FORMULAS_H

#include "cost/amount.h"

/** The value that an input of a node is; NULL if there is none at that place. */
const etr_value *etr_input_of(const etr_graph *graph, const etr_node *node, size_t place);

/** What an operator multiplies: the places of its two factors among its inputs. */
typedef struct etr_factors {
  bool are_known;
  uint8_t first, second;
} etr_factors;

/** How a node works; ETR_WORK_BY_NAME in graphs that are no programs. */
etr_work etr_work_of(const etr_graph *graph, const etr_node *node);

/**
 * Multiply-accumulates of one call of an operator, by the formulas of torch/utils/flop_counter.py, which counts twice
 * as many FLOP: products of matrices, convolutions and attention; 0 of all else in ATen and in ExecuTorch's dialects.
 * Unknown of operators of others, and of those that are made of products in a way that shapes do not tell (LSTM,
 * einsum). Operators of delegates in program/METHOD have no ATen names: how they work says the graph. factors: what is
 * multiplied; may be NULL.
 */
etr_amount etr_macs_of(const etr_graph *graph, const etr_node *node, etr_factors *factors);

/** True of an operator that has a formula, or should have one: it multiplies matrices, and takes the time of what is
 * fused with it. */
bool etr_multiplies(const char *target);

#endif
