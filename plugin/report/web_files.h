/* SPDX-License-Identifier: BSD-3-Clause
 *
 * web_files.h - the dashboard's files, built into the library. Layer 4. web_files.cmake makes web_files.c of web/.
 */
#ifndef ETR_WEB_FILES_H
#define ETR_WEB_FILES_H

#include "base/base.h"

/** All modules as one, which calls render(); it cannot end an HTML <script>. */
extern const etr_slice etr_web_script;

/** The style table. */
extern const etr_slice etr_web_style;

/** A content security policy that allows these two and nothing else, no network either: "default-src 'none'; ...". */
extern const etr_slice etr_web_policy;

#endif
