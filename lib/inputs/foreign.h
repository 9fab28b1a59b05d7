/* SPDX-License-Identifier: BSD-3-Clause
 *
 * foreign.h - files that people give for a part of a record and that are none. Layer 2.
 */
#ifndef ETR_FOREIGN_H
#define ETR_FOREIGN_H

#include "base/base.h"

/** Bytes at the start of a file that suffice to say what it is. */
enum { ETR_FOREIGN_HEAD = 512 };

/** Returns true for what stands in place of a file: a pointer of Git LFS or git-annex. */
bool etr_foreign_is_pointer(etr_slice head);

/** Returns what a file is and what to do with it, such as "compressed with xz: unpack it with
 * `unxz`". `head` are its first bytes (ETR_FOREIGN_HEAD, or all). NULL: it is not known. The file
 * is opened again only where its bytes are those of a zip. */
const char *etr_foreign_description(etr_slice head, const char *path);

#endif
