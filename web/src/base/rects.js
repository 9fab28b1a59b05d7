// SPDX-License-Identifier: BSD-3-Clause
//
// rects.js - rectangles on rows, as typed arrays: what the scene draws. Finding one, merging what is narrower than a
// pixel and fitting texts are functions on these arrays. It needs no page.

import {rowsWhere} from './columns.js';

/** What a box has beside its color, as bits. */
export const SYNTHETIC = 1,
  ESTIMATED = 2,
  ONE_SIDED = 4;

/**
 * A row of boxes that do not overlap, sorted: {top, height: in pixels, count, x0, x1: in the unit of the scene, color:
 * index into PALETTE of scene.js, flags, id: what the owner of the scene calls the box}.
 * `ids` are the boxes' own numbers in any order; the other arguments are functions of an id.
 */
export function makeRow(ids, {start, end, color = () => 0, flags = () => 0, ...rest}) {
  const id = Int32Array.from(ids).sort((a, b) => start(a) - start(b) || end(a) - end(b)),
    count = id.length;
  return {
    ...rest,
    count,
    id,
    x0: Float64Array.from(id, start),
    x1: Float64Array.from(id, end),
    color: Uint8Array.from(id, color),
    flags: Uint8Array.from(id, flags),
  };
}

/** Returns a row with some of the boxes of a row: those whose id passes. */
export function rowWhere(row, passes) {
  const kept = rowsWhere(row.count, index => passes(row.id[index])),
    count = kept.length;
  const take = (kind, column) => {
    const taken = new kind(count);
    for (let at = 0; at < count; at++) taken[at] = column[kept[at]];
    return taken;
  };
  return {
    ...row,
    count,
    id: take(Int32Array, row.id),
    x0: take(Float64Array, row.x0),
    x1: take(Float64Array, row.x1),
    color: take(Uint8Array, row.color),
    flags: take(Uint8Array, row.flags),
  };
}

/** Returns the first box, from `low` on, that ends behind x; the number of boxes if none does. */
export function firstEndingAfter({x1, count}, x, low = 0) {
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x1[middle] > x) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Calls draw(left, right, index, next) for each piece of a row that is in sight, from left to right in pixels of a
 * picture that is `width` wide and shows `from` to `to`. Boxes from `index` to `next` - 1 that
 * end in the same pixel are one piece, so that there are at most two pieces for each pixel, however many boxes there
 * are.
 */
export function eachPiece(row, from, to, width, draw) {
  const scale = width / (to - from),
    {x0, x1, count} = row;
  for (let index = firstEndingAfter(row, from); index < count && x0[index] < to;) {
    const left = (x0[index] - from) * scale,
      right = (x1[index] - from) * scale;
    if (right - left >= 1) draw(left, right, index, ++index);
    else {
      const end = Math.floor(left) + 1,
        next = Math.max(index + 1, firstEndingAfter(row, from + end / scale, index + 1));
      draw(left, Math.max(left + 1, (x1[next - 1] - from) * scale), index, next);
      index = next;
    }
  }
}

/** Returns the box at x, or the nearest one up to `slack` away; -1 if there is none. */
export function boxAt(row, x, slack = 0) {
  let best = -1,
    distance = slack;
  for (
    let index = firstEndingAfter(row, x - slack - Number.EPSILON * Math.abs(x));
    index < row.count && row.x0[index] <= x + slack;
    index++
  ) {
    const away = Math.max(0, row.x0[index] - x, x - row.x1[index]);
    if (away === 0) return index;
    if (away <= distance) [best, distance] = [index, away];
  }
  return best;
}

/**
 * Returns the box that an arrow key leads to from one, {row, index}: the next on the row, or the one above or below
 * that is nearest to its middle. Null if there is none.
 */
export function neighbor(rows, {row, index}, key) {
  const sideways = {ArrowRight: 1, ArrowLeft: -1}[key],
    vertical = {ArrowDown: 1, ArrowUp: -1}[key];
  if (sideways)
    return index + sideways >= 0 && index + sideways < rows[row].count ? {row, index: index + sideways} : null;
  const {x0, x1} = rows[row],
    middle = (x0[index] + x1[index]) / 2;
  for (let other = row + vertical; other >= 0 && other < rows.length; other += vertical) {
    const found = boxAt(rows[other], middle, (x1[index] - x0[index]) / 2);
    if (found >= 0) return {row: other, index: found};
  }
  return null;
}

/* ---- Texts ---- */

/**
 * Returns a function that gives the width of a text, from the widths of its characters, which `measure` gives and which
 * are kept.
 */
export function textWidths(measure) {
  const kept = new Map();
  return text => {
    let sum = 0;
    for (const letter of text) {
      if (!kept.has(letter)) kept.set(letter, measure(letter));
      sum += kept.get(letter);
    }
    return sum;
  };
}

/** Returns a round step of an axis that shows `span`, so that there are about `count` marks. */
export function axisStep(span, count = 6) {
  const rough = span / count,
    power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map(factor => factor * power).find(step => step >= rough * (1 - 1e-9)) ?? 10 * power;
}
