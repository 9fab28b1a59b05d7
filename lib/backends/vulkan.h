/* SPDX-License-Identifier: BSD-3-Clause
 *
 * vulkan.h - Vulkan as a backend. Layer 2.
 *
 * The host's steps have fixed names. A dispatch of a shader has JSON for an id, which tells the operator of the
 * delegate's graph; it is timed by the GPU's clock, so that its duration counts, but not its place.
 */
#ifndef ETR_VULKAN_H
#define ETR_VULKAN_H

#include "backends/decoder.h"

extern const etr_decoder etr_vulkan;

/** etr_vulkan's payload_needed() and read_graph(); vulkan_graph.c. */
uint64_t etr_vulkan_payload_needed(etr_slice head, uint64_t size);
bool etr_vulkan_graph_read(etr_own_graph *out, etr_arena *arena, etr_slice payload);

#endif
