/* SPDX-License-Identifier: BSD-3-Clause
 *
 * summary_json.h - what the summary and the dashboard's document have in common. Layer 5.
 */
#ifndef ETR_SUMMARY_JSON_H
#define ETR_SUMMARY_JSON_H

#include "fields.h"

/** "load", as in schema/summary.schema.json. False when out of memory. */
bool etr_summary_put_loads(const etr_fields *fields, etr_arena *arena);

#endif
