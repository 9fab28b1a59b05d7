/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pte_delegate.h - what is nested in a delegate's call, in program/METHOD. Layer 3.
 */
#ifndef ETR_PTE_DELEGATE_H
#define ETR_PTE_DELEGATE_H

#include "program/pte_builder.h"

/**
 * Adds the nested graph of a call, whose node is the last one: the operators of its payload with the values that they
 * read and write; or, where no payload can be read and there is an Edge graph, the operators that its events name.
 * Where nothing is known of its inside, adds nothing. own: of its payload; NULL. False: no memory, or no budget, left.
 */
bool etr_pte_add_delegate(etr_pte_builder *b, int32_t instruction_id, const etr_own_graph *own);

#endif
