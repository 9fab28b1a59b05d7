/* SPDX-License-Identifier: BSD-3-Clause
 *
 * coreml.h - Core ML as a backend. Layer 2.
 *
 * The delegate map leads from ids to handles. Times are not measured: the runtime shares out the prediction's by the
 * costs that the compute plan estimates.
 */
#ifndef ETR_COREML_H
#define ETR_COREML_H

#include "backends/decoder.h"

extern const etr_decoder etr_coreml;

#endif
