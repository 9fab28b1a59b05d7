// SPDX-License-Identifier: BSD-3-Clause
//
// The rank of each item of a group: how far it is below what it reads.

import {IntList} from './lists.js';

/* Operators that only select or arrange data: each is drawn beside its reader, not beside its maker. */
const MOVES_DATA = new RegExp(
  '(^|[._])(slice|select|squeeze|unsqueeze|view|expand|permute|transpose|narrow)(_copy)?($|[._])' +
    '|^Static(Slice|Reshape|Transpose)',
);

/** Of each operator name, whether it only moves data. */
export const movesData = ops => Uint8Array.from(ops, op => (MOVES_DATA.test(op) ? 1 : 0));

/* The readers of each item inside the group: rows of slots. */
function readersOf(wires, own, count) {
  const start = new Int32Array(count + 1),
    list = new IntList(2 * own.length);
  const bySource = Array.from(own)
    .filter(wire => wires.source[wire] >= 0)
    .sort((a, b) => wires.source[a] - wires.source[b]);
  for (const wire of bySource) {
    for (let t = wires.targetStart[wire]; t < wires.targetStart[wire + 1]; t++) list.push(wires.target[t]);
    start[wires.source[wire] + 1] += wires.targetStart[wire + 1] - wires.targetStart[wire];
  }
  for (let i = 0; i < count; i++) start[i + 1] += start[i];
  return {start, list: list.all()};
}

/* Items that may slide down to their reader: they read only weights, or they move data of a value that others read
   anyway. */
function slidingItems(tree, group, own, order, fed) {
  const {wires, graph} = tree,
    count = group.items.length,
    maker = new Int32Array(count).fill(-1),
    slides = new Uint8Array(count);
  const NONE = -1,
    SHARED = -2,
    FIXED = -3;
  for (const wire of own) {
    const readers = wires.targetStart[wire + 1] - wires.targetStart[wire] + (wires.outPort[wire] >= 0 ? 1 : 0);
    for (let t = wires.targetStart[wire]; t < wires.targetStart[wire + 1]; t++) {
      const slot = wires.target[t];
      maker[slot] =
        maker[slot] !== NONE ? FIXED : readers > 1 ? SHARED : wires.source[wire] < 0 ? FIXED : wires.source[wire];
    }
  }
  for (const slot of order) {
    const item = group.items[slot],
      moves = item < tree.count && graph.kind[item] === 0 && graph.moves[graph.op[item]];
    slides[slot] =
      !fed[slot] || (moves && (maker[slot] === SHARED || (maker[slot] >= 0 && slides[maker[slot]]))) ? 1 : 0;
  }
  return slides;
}

/**
 * Ranks by the longest path, from 1 on. Also, of each item: `above` and `below`, the longest paths to it and from it;
 * `fed`, whether it reads more
 * than weights; and `slides`, whether it is just above its reader, not just below what it reads.
 */
export function ranksOf(tree, group, own) {
  const {wires} = tree,
    count = group.items.length,
    rank = new Int32Array(count).fill(1),
    waiting = new Int32Array(count),
    fromPort = new Uint8Array(count);
  for (const wire of own) {
    for (let t = wires.targetStart[wire]; t < wires.targetStart[wire + 1]; t++) {
      if (wires.source[wire] >= 0) waiting[wires.target[t]]++;
      else fromPort[wires.target[t]] = 1;
    }
  }
  const fed = Uint8Array.from(waiting, (degree, slot) => (degree > 0 || fromPort[slot] ? 1 : 0)),
    readers = readersOf(wires, own, count);
  const order = new IntList(count + 1); // each item after all that it reads
  for (let slot = 0; slot < count; slot++) if (waiting[slot] === 0) order.push(slot);
  for (let i = 0; i < order.length; i++) {
    const slot = order.values[i];
    for (let k = readers.start[slot]; k < readers.start[slot + 1]; k++) {
      const reader = readers.list[k];
      if (rank[reader] <= rank[slot]) rank[reader] = rank[slot] + 1;
      if (--waiting[reader] === 0) order.push(reader);
    }
  }
  const above = Int32Array.from(rank, (r, slot) => r + fromPort[slot]),
    below = new Int32Array(count),
    sorted = order.all(),
    slides = slidingItems(tree, group, own, sorted, fed);
  for (let i = sorted.length - 1; i >= 0; i--) {
    const slot = sorted[i];
    let nearest = Infinity;
    for (let k = readers.start[slot]; k < readers.start[slot + 1]; k++) {
      below[slot] = Math.max(below[slot], below[readers.list[k]] + 1);
      nearest = Math.min(nearest, rank[readers.list[k]]);
    }
    if (slides[slot] && nearest < Infinity) rank[slot] = nearest - 1;
  }
  return {rank, above, below, fed, slides};
}
