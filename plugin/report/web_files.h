/* SPDX-License-Identifier: BSD-3-Clause
 *
 * web_files.h - the dashboard's files, which are built into the library. Layer 4. web_files.cmake
 * makes web_files.c from web/.
 */
#ifndef ETR_WEB_FILES_H
#define ETR_WEB_FILES_H

#include "base/base.h"

/** The page as one script, compressed by gzip. */
extern const etr_slice etr_web_script;

/** The script of a report that unpacks the page and its style sheet. It contains no text that would
 * end an HTML <script>. */
extern const etr_slice etr_web_loader;

/** The style sheet, compressed by gzip. */
extern const etr_slice etr_web_style;

/** A content security policy that allows only the two scripts, workers made of it, and the style
 * sheet, and no network: "default-src 'none'; ...". */
extern const etr_slice etr_web_policy;

#endif
