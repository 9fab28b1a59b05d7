/* SPDX-License-Identifier: BSD-3-Clause
 *
 * unit.c - converts units of time; the version.
 */
#include "base/base.h"
#include "etrecord_tb.h"

const char *etr_version(void) {
  return ETR_VERSION;
}

const char *etr_unit_name(etr_unit unit) {
  static const char *const names[] = {"ms", "ns", "us", "s", "cycles", "auto"};
  return (size_t)unit < ETR_COUNT(names) ? names[unit] : "ms";
}

double etr_ticks_to_unit(const etr_profile *profile, double ticks, etr_unit unit) {
  switch (unit) {
  case ETR_UNIT_NS:
    return etr_ticks_to_ns(profile, ticks);
  case ETR_UNIT_US:
    return etr_ticks_to_ns(profile, ticks) / 1e3;
  case ETR_UNIT_S:
    return etr_ticks_to_ns(profile, ticks) / 1e9;
  case ETR_UNIT_CYCLES:
    return ticks;
  default:
    return etr_ticks_to_ns(profile, ticks) / 1e6;
  }
}
