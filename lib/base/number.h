/* SPDX-License-Identifier: BSD-3-Clause
 *
 * number.h - numbers as JSON writes them (RFC 8259), in any locale. Layer 0.
 */
#ifndef ETR_NUMBER_H
#define ETR_NUMBER_H

#include "base/base.h"

/** Longer texts are not read as numbers. */
enum { ETR_MOST_NUMBER_BYTES = 400 };

/** True if all of the text is a number: "-0.5e3", but not "+1", "01" or ".5". */
bool etr_is_number(etr_slice text);

/** The value of a text that etr_is_number(), of at most ETR_MOST_NUMBER_BYTES. */
double etr_number_to_double(etr_slice number);

#endif
