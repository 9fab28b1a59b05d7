// SPDX-License-Identifier: BSD-3-Clause
//
// random.js - numbers that only depend on the seed: a test that fails, fails again.

/** Returns a function that gives whole numbers from 0 to `below` - 1. */
export function randomFrom(seed) {
  let state = seed;
  return below => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * below);
  };
}
