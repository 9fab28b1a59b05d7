/* SPDX-License-Identifier: BSD-3-Clause
 *
 * plain_run.h - how much of a text stands for itself, so that it is copied at once and only the rest looked at character by character. Layer 4.
 */
#ifndef ETR_PLAIN_RUN_H
#define ETR_PLAIN_RUN_H

#include "base.h"

/* Every byte of a word. */
#define ETR_EACH_BYTE(value) (UINT64_C(0x0101010101010101) * (value))

/* The high bit of some byte of `word` that is 0; none if no byte is. */
static inline uint64_t etr_zero_bytes(uint64_t word) { return (word - ETR_EACH_BYTE(1)) & ~word & ETR_EACH_BYTE(0x80); }

/** Bytes at the start of a text that are printable ASCII and none of three that have a meaning: nearly always all, so eight are looked at at once. */
static inline size_t etr_plain_run(etr_slice text, unsigned char a, unsigned char b, unsigned char c) {
  size_t size = 0;
  for (uint64_t word; size + sizeof word <= text.size; size += sizeof word) {
    memcpy(&word, text.data + size, sizeof word);
    uint64_t control = (word - ETR_EACH_BYTE(' ')) & ~word, beyond = word | (word + ETR_EACH_BYTE(1)); /* below a blank; 0x7f and above */
    uint64_t special = etr_zero_bytes(word ^ ETR_EACH_BYTE(a)) | etr_zero_bytes(word ^ ETR_EACH_BYTE(b)) | etr_zero_bytes(word ^ ETR_EACH_BYTE(c));
    if (((control | beyond) & ETR_EACH_BYTE(0x80)) || special) break;
  }
  for (; size < text.size; size++) {
    unsigned char at = (unsigned char)text.data[size];
    if (at < ' ' || at >= 0x7f || at == a || at == b || at == c) break;
  }
  return size;
}

#endif
