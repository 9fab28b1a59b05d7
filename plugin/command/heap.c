/* SPDX-License-Identifier: BSD-3-Clause
 *
 * heap.c - settings of glibc's malloc().
 */
#define _DEFAULT_SOURCE /* madvise() */
#include "heap.h"

#include <stdlib.h> /* tells whether this is glibc */

#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__ /* which has a malloc() of its own */
#include <limits.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

enum { MiB = 1 << 20, HUGE_PAGE = 2 * MiB, LARGEST_ON_HEAP = 32 * MiB, BLOCK = 31 * MiB, BLOCKS = 8 };

/* The heap is made as long as eight blocks; as nothing is given back, all of it serves later. What is beyond it comes in small pages. */
static void use_huge_pages(void) {
  char *blocks[BLOCKS];
  size_t count = 0;
  while (count < BLOCKS && (blocks[count] = malloc(BLOCK)) != NULL) count++;
  uintptr_t start = count ? (uintptr_t)blocks[0] : 0, first = (start + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
  uintptr_t end = count ? (uintptr_t)blocks[count - 1] + BLOCK : 0;
  bool in_a_row = count == BLOCKS && end > start && end - start <= (uintptr_t)BLOCK * BLOCKS + MiB;
  if (in_a_row) (void)madvise((void *)first, (end - first) / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
  while (count > 0) free(blocks[--count]);
}

void heap_prepare(void) {
  (void)mallopt(M_TRIM_THRESHOLD, INT_MAX);
  (void)mallopt(M_TOP_PAD, MiB);
  (void)mallopt(M_MMAP_THRESHOLD, LARGEST_ON_HEAP); /* the highest there is */
  use_huge_pages();
}
#else
void heap_prepare(void) {}
#endif
