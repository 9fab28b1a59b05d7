/* SPDX-License-Identifier: BSD-3-Clause
 *
 * number.h - reads and writes numbers like JSON does (RFC 8259), in any locale. Layer 0.
 */
#ifndef ETR_NUMBER_H
#define ETR_NUMBER_H

#include "base/base.h"

/** Longer texts are not read as numbers. */
enum { ETR_MOST_NUMBER_BYTES = 400 };

/** Room for a double in text: sign, digits, exponent, and a decimal point of several bytes. */
enum { ETR_DOUBLE_ROOM = 48 };

/** Returns true if the complete text is a number: "-0.5e3", but not "+1", "01" or ".5". */
bool etr_is_number(etr_slice text);

/** Returns the value of a text of at most ETR_MOST_NUMBER_BYTES for which etr_is_number() is true.
 */
double etr_number_to_double(etr_slice number);

/** Writes the number with the fewest digits that reads back as this finite value, as Python's
 * repr() does but without ".0", and returns its size. The text has no final NUL. */
size_t etr_number_of_double(char text[ETR_DOUBLE_ROOM], double value);

/** Replaces the locale's decimal separator by a point in a number that printf wrote, and returns
 * the size of the text, which may lack a final NUL. */
size_t etr_number_without_locale(char *text);

#endif
