/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ethosu.h - Arm Ethos-U as a backend. Layer 2.
 *
 * Its runtime logs plain events, without an id: "EthosUBackend::execute()", and its parts with a "+" in front, in
 * ticks of whatever clock the runner has. None names an operator.
 */
#ifndef ETR_ETHOSU_H
#define ETR_ETHOSU_H

#include "backends/decoder.h"

extern const etr_decoder etr_ethosu;

#endif
