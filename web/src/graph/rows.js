// SPDX-License-Identifier: BSD-3-Clause
//
// The rows of boxes: one for each rank. Beside a much higher box, a chain of low boxes goes on in the same row, so that
// opening a box pulls no chain
// beside it apart.

import {SIZE} from './labels.js';

/* In lower rows, boxes are aligned at the middle. In higher ones, what reads something is at the top, and what
   belongs to its reader at the bottom. */
const MIDDLE_UP_TO = 80;

/* Boxes that rails lead to or from. They stay in the row of their rank, where the rail branches off. */
const onRails = rails => new Set(rails.flatMap(({source, targets}) => [source, ...targets]));

/**
 * Chooses the row of each vertex: {base, offset, height}. `base` is the vertex in whose rank's row it is: itself, or
 * the box of its chain beside a
 * higher box; `offset` is how far it is below the top of that row, and `height` is that of the row of each rank.
 * Columns are not left.
 */
export function rowsOf(structure, {widths, heights}, {upperOffset, lowerOffset}, x, column) {
  const {items, ranks, rank, rankStart, vertices, position, up, down, upper, slides} = structure,
    count = x.length,
    rails = onRails(structure.rails);
  const base = Int32Array.from({length: count}, (_, v) => v),
    offset = new Float64Array(count),
    height = new Float64Array(ranks);
  const low = Float64Array.from(x, (at, v) => at - widths[v] / 2),
    high = Float64Array.from(x, (at, v) => at + widths[v] / 2); // of all in the row that are in the chain of a vertex
  const isAlone = ({start, list}, v) => (start[v + 1] - start[v] === 1 ? list[start[v]] : -1);
  const hasRoom = (b, v) => {
    const i = rankStart[rank[b]] + position[b];
    return (
      (position[b] === 0 || high[vertices[i - 1]] + SIZE.betweenLines <= low[v]) &&
      (i + 1 === rankStart[rank[b] + 1] || low[vertices[i + 1]] - SIZE.betweenLines >= high[v])
    );
  };
  /* The box that a vertex follows in its row: the only one that it reads, which nothing else reads, straight above
     it, with room below. */
  const before = v => {
    const piece = v < items && !slides[v] && !rails.has(v) ? isAlone(up, v) : -1,
      u = piece < 0 ? -1 : upper[piece];
    if (u < 0 || u >= items || slides[u] || rails.has(u) || isAlone(down, u) !== piece) return -1;
    const b = base[u],
      row = rank[b],
      at = x[v] + lowerOffset[piece],
      isBelow = k => Math.abs(x[v] + upperOffset[down.list[k]] - at) <= 0.5;
    if (
      height[row] <= MIDDLE_UP_TO ||
      offset[u] + heights[u] + SIZE.gap + heights[v] > height[row] ||
      Math.abs(x[u] + upperOffset[piece] - at) > 0.5
    )
      return -1;
    for (let k = down.start[v]; k < down.start[v + 1]; k++) if (!isBelow(k)) return -1;
    return (!column || column[row] === column[rank[v]]) && hasRoom(b, v) ? u : -1;
  };
  for (let r = 0; r < ranks; r++) {
    const own = vertices.subarray(rankStart[r], rankStart[r + 1]);
    for (const v of own) {
      const u = before(v);
      if (u < 0) {
        height[r] = Math.max(height[r], heights[v]);
        continue;
      }
      const b = (base[v] = base[u]);
      offset[v] = offset[u] + heights[u] + SIZE.gap;
      low[b] = Math.min(low[b], low[v]);
      high[b] = Math.max(high[b], high[v]);
    }
    for (const v of own)
      if (base[v] === v)
        offset[v] =
          height[r] <= MIDDLE_UP_TO
            ? (height[r] - heights[v]) / 2
            : v < items && slides[v]
              ? height[r] - heights[v]
              : 0;
  }
  return {base, offset, height};
}
