/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pairing_order.c - the longest increasing subsequence.
 */
#include "compare/pairing_order.h"

#include "base/base.h"

void etr_keep_increasing(uint32_t *partner, size_t count, uint32_t *const scratch[2]) {
  uint32_t *tail = scratch[0], *before = scratch[1]; /* tail[k]: item that ends the best run of length k + 1 */
  size_t length = 0;
  for (size_t i = 0; i < count; i++) {
    size_t low = 0, high = length;
    if (partner[i] == ETR_NONE) continue;
    while (low < high) {
      size_t middle = (low + high) / 2;
      if (partner[tail[middle]] < partner[i])
        low = middle + 1;
      else
        high = middle;
    }
    before[i] = low ? tail[low - 1] : ETR_NONE;
    tail[low] = (uint32_t)i;
    if (low == length) length++;
  }
  uint32_t keep = length ? tail[length - 1] : ETR_NONE;
  for (size_t i = count; i-- > 0;) {
    if (i == keep)
      keep = before[i];
    else
      partner[i] = ETR_NONE;
  }
}
