/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bytes_json.h - bytes of a file in JSON. Layer 4.
 */
#ifndef ETR_BYTES_JSON_H
#define ETR_BYTES_JSON_H

#include "output/json_writer.h"

/** Writes bytes as a text if they are valid UTF-8, else as "base64:" and their base64. None give null. */
void etr_jw_bytes(etr_jw *json, etr_arena *arena, etr_bytes bytes);

#endif
