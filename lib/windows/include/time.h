/* SPDX-License-Identifier: BSD-3-Clause
 *
 * time.h - with what POSIX has for threads.
 */
#ifndef ETR_WINDOWS_TIME_H
#define ETR_WINDOWS_TIME_H

#ifndef _POSIX_THREAD_SAFE_FUNCTIONS
#define _POSIX_THREAD_SAFE_FUNCTIONS 200112L
#endif
#include <pthread_time.h>
#include_next <time.h>

#endif
