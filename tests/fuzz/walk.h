/* SPDX-License-Identifier: BSD-3-Clause
 *
 * walk.h - what must hold of every profile, whatever it was read from.
 */
#ifndef ETR_FUZZ_WALK_H
#define ETR_FUZZ_WALK_H

#include "etrecord_tb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/**
 * Follows every index and pointer of a profile, adds up every balance, writes all outputs and reads
 * them again: JSON with our own reader, event files frame by frame with their checksums and
 * messages. Aborts where something does not hold.
 */
void walk_profile(const etr_profile *profile);

#endif
