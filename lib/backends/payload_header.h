/* SPDX-License-Identifier: BSD-3-Clause
 *
 * payload_header.h - the header that several backends put before the FlatBuffer of their graph. Layer 2.
 *
 * Its magic stands at byte 4, where a FlatBuffer has its identifier; behind it are, unaligned, the header's length
 * (u16), then offset and size of the FlatBuffer (u32).
 */
#ifndef ETR_PAYLOAD_HEADER_H
#define ETR_PAYLOAD_HEADER_H

#include "base/base.h"

/** So many first bytes of a payload tell how much of it is of use. */
#define ETR_PAYLOAD_HEAD_BYTES 30

/** True if there is such a header. */
bool etr_payload_has_header(etr_slice payload, const char magic[4]);

/** The FlatBuffer behind the header; without one the payload, as older versions wrote it. Empty if it would lie outside
 * of the payload. */
etr_slice etr_payload_graph(etr_slice payload, const char magic[4]);

/** How many bytes of a payload of this size hold header and FlatBuffer. head has a header. */
uint64_t etr_payload_graph_end(etr_slice head, uint64_t size);

#endif
