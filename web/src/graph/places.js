// SPDX-License-Identifier: BSD-3-Clause
//
// The x of each vertex of a group. Blocks are packed to the left, then moved to the middle of what they are connected
// to.

import {SIZE} from './labels.js';

/* More sweeps change little. */
const SWEEPS = 4;

/**
 * How far a port is from the middle of a closed box: the first in the middle, the next ones right and left of it in
 * turn.
 */
export function portOffset(port, width) {
  if (port <= 0) return 0;
  return Math.max(8 - width / 2, Math.min(width / 2 - 8, (port % 2 ? 1 : -1) * Math.ceil(port / 2) * SIZE.port));
}

/** The place of a port among those of its group: the port of the value made last changes places with the first. */
export const portPlace = (group, port) => (port === group.middle ? 0 : port === 0 ? group.middle : port);

/* Blocks with the distances of their vertices from the first, and how far each may move. */
class Blocks {
  constructor(structure, widths, upperOffset, lowerOffset) {
    this.structure = structure;
    this.widths = widths;
    this.upperOffset = upperOffset;
    this.lowerOffset = lowerOffset;
    this.at = new Float64Array(structure.heads.length);
    this.shift = new Float64Array(structure.rank.length);
    const {heads, next, lower} = structure;
    for (const head of heads) {
      for (let v = head; next[v] >= 0; v = lower[next[v]])
        this.shift[lower[next[v]]] = this.shift[v] + upperOffset[next[v]] - lowerOffset[next[v]];
    }
  }

  x(vertex) {
    return this.at[this.structure.block[vertex]] + this.shift[vertex];
  }

  /* The least distance between the middles of two neighbors of a rank. */
  apart(left, right) {
    const {items} = this.structure,
      between =
        left < items && right < items
          ? SIZE.between
          : left < items || right < items
            ? SIZE.betweenOther
            : SIZE.betweenLines;
    return (this.widths[left] + this.widths[right]) / 2 + between;
  }

  /* The least and the greatest place of a block that its neighbors leave. */
  room(block) {
    const {heads, next, lower, position, rankStart, rank, vertices} = this.structure;
    let low = -Infinity,
      high = Infinity;
    for (let v = heads[block]; v >= 0; v = next[v] < 0 ? -1 : lower[next[v]]) {
      const i = rankStart[rank[v]] + position[v];
      if (position[v] > 0)
        low = Math.max(low, this.x(vertices[i - 1]) + this.apart(vertices[i - 1], v) - this.shift[v]);
      if (i + 1 < rankStart[rank[v] + 1])
        high = Math.min(high, this.x(vertices[i + 1]) - this.apart(v, vertices[i + 1]) - this.shift[v]);
    }
    return [low, high];
  }

  /* Where each line to another block would have this block. */
  wishes(block, into) {
    const {heads, next, lower, upper, up, down, block: blockOf} = this.structure,
      {upperOffset, lowerOffset, shift} = this;
    into.length = 0;
    for (let v = heads[block]; v >= 0; v = next[v] < 0 ? -1 : lower[next[v]]) {
      for (let k = up.start[v]; k < up.start[v + 1]; k++) {
        const piece = up.list[k];
        if (blockOf[upper[piece]] !== block)
          into.push(this.x(upper[piece]) + upperOffset[piece] - lowerOffset[piece] - shift[v]);
      }
      for (let k = down.start[v]; k < down.start[v + 1]; k++) {
        const piece = down.list[k];
        if (blockOf[lower[piece]] !== block)
          into.push(this.x(lower[piece]) + lowerOffset[piece] - upperOffset[piece] - shift[v]);
      }
    }
    return into.length > 2 ? into.sort((a, b) => a - b) : into;
  }
}

/**
 * The middle of each vertex. Offsets are those of the ports at both ends of each piece, from the middles of their
 * boxes.
 */
export function placeVertices(structure, widths, upperOffset, lowerOffset) {
  const blocks = new Blocks(structure, widths, upperOffset, lowerOffset),
    {blockOrder} = structure,
    wishes = [];
  blocks.at.fill(NaN);
  for (const block of blockOrder) blocks.at[block] = leftmost(blocks, block);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (let i = 0; i < blockOrder.length; i++) {
      const block = blockOrder[sweep % 2 === 0 ? blockOrder.length - 1 - i : i];
      blocks.wishes(block, wishes);
      if (wishes.length === 0 && sweep > 0) continue;
      const half = wishes.length >> 1,
        [low, high] = blocks.room(block);
      const wish =
        wishes.length === 0
          ? blocks.at[block]
          : wishes.length % 2
            ? wishes[half]
            : (wishes[half - 1] + wishes[half]) / 2;
      blocks.at[block] = Math.max(low, Math.min(high, wish));
    }
  }
  return Float64Array.from(structure.rank, (_, vertex) => blocks.x(vertex));
}

/* The least place of a block whose left neighbors all have one. */
function leftmost(blocks, block) {
  const {heads, next, lower, position, rankStart, rank, vertices} = blocks.structure;
  let low = -Infinity;
  for (let v = heads[block]; v >= 0; v = next[v] < 0 ? -1 : lower[next[v]]) {
    if (position[v] === 0) continue;
    const left = vertices[rankStart[rank[v]] + position[v] - 1];
    low = Math.max(low, blocks.x(left) + blocks.apart(left, v) - blocks.shift[v]);
  }
  return low === -Infinity ? 0 : low;
}
