// SPDX-License-Identifier: BSD-3-Clause
//
// Lists of whole numbers that grow, and indices over them. The layout holds no object per node or edge.

/** A list of 32-bit numbers that grows. */
export class IntList {
  constructor(capacity = 64) {
    this.values = new Int32Array(capacity);
    this.length = 0;
  }

  /** Appends a number and returns its position. */
  push(value) {
    if (this.length === this.values.length) {
      const larger = new Int32Array(2 * this.length);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length] = value;
    return this.length++;
  }

  /** The numbers so far, as a typed array that is not copied. */
  all() {
    return this.values.subarray(0, this.length);
  }
}

/** Positions in `keys` by key: those with key k are list[start[k]] to list[start[k + 1] - 1], in ascending order. */
export function indexBy(keys, count) {
  const start = new Int32Array(count + 1),
    list = new Int32Array(keys.length);
  for (let i = 0; i < keys.length; i++) start[keys[i] + 1]++;
  for (let k = 0; k < count; k++) start[k + 1] += start[k];
  const next = start.slice();
  for (let i = 0; i < keys.length; i++) list[next[keys[i]]++] = i;
  return {start, list};
}

/** Mixes a number into a 32-bit hash (FNV-1a by words, with a final shift). */
export function mix(hash, value) {
  const mixed = Math.imul(hash ^ value, 0x01000193);
  return mixed ^ (mixed >>> 15);
}

/** Hash of a text. */
export function hashText(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = mix(hash, text.charCodeAt(i));
  return hash;
}
