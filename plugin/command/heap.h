/* SPDX-License-Identifier: BSD-3-Clause
 *
 * heap.h - how malloc() gets memory from the system while the command runs. Layer 6.
 */
#ifndef ETR_HEAP_H
#define ETR_HEAP_H

/**
 * To be called before anything is allocated. The process is short: what is freed is soon used again, so nothing is given back in between, and what
 * it grows by comes in pages of 2 MiB, where the system has such: a page fault each costs more than all else that malloc() does. Beyond the first of
 * these pages, no memory is taken until it is used. Does nothing but with glibc.
 */
void heap_prepare(void);

#endif
