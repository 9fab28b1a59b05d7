/* SPDX-License-Identifier: BSD-3-Clause
 *
 * number.h - numbers as JSON writes them (RFC 8259), in any locale. Layer 0.
 */
#ifndef ETR_NUMBER_H
#define ETR_NUMBER_H

#include "base/base.h"

/** Longer texts are not read as numbers. */
enum { ETR_MOST_NUMBER_BYTES = 400 };

/** Room for a double in text: sign, digits, exponent, and a decimal point of several bytes. */
enum { ETR_DOUBLE_ROOM = 48 };

/** True if all of the text is a number: "-0.5e3", but not "+1", "01" or ".5". */
bool etr_is_number(etr_slice text);

/** The value of a text that etr_is_number(), of at most ETR_MOST_NUMBER_BYTES. */
double etr_number_to_double(etr_slice number);

/** Writes the shortest text that reads back as a finite value; its size. It may not end in NUL. */
size_t etr_number_of_double(char text[ETR_DOUBLE_ROOM], double value);

/** Puts a point for whatever the locale has between the digits of a number that printf made; its size, behind which
 * there may be no NUL. */
size_t etr_number_without_locale(char *text);

#endif
