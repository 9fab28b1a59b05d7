/* SPDX-License-Identifier: BSD-3-Clause
 *
 * views.h - nodes that only look at a value otherwise. Layer 3.
 */
#ifndef ETR_VIEWS_H
#define ETR_VIEWS_H

#include "base.h"

/** Whether the node's result is its first input's data in another shape, or a copy of it: memory planning may make both
 * one. */
bool etr_is_view(const etr_node *node);

/** Whether the node makes a tensor: not a symbolic number. */
bool etr_has_tensor(const etr_node *node);

#endif
