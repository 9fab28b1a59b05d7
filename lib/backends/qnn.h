/* SPDX-License-Identifier: BSD-3-Clause
 *
 * qnn.h - Qualcomm QNN as a backend. Layer 2.
 *
 * An event is a value, not an interval: it starts at 0, and its unit is a suffix of its id. Totals nest, as their names
 * tell. An operator's id starts with its node's name: "aten_add_tensor:OpId_61 (cycles)".
 */
#ifndef ETR_QNN_H
#define ETR_QNN_H

#include "backends/decoder.h"

extern const etr_decoder etr_qnn;

#endif
