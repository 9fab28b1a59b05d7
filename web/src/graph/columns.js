// SPDX-License-Identifier: BSD-3-Clause
//
// A long chain of ranks goes on in the next column, as in a newspaper.
//
// Where it breaks is chosen once for a group, between ranks that few values pass, so that opening a box moves none to
// another column. Results
// leave below the first column: what comes after the group stays in line with what is before it.

import {SIZE} from './labels.js';
import {packRails} from './structure.js';

/* A chain that is as high as the pane at this zoom stays one column. */
const ONE_COLUMN = 0.58;

/* Higher groups than can be read in the pane at once break, if at most MAX_PASSING values pass a gap. Columns are
   not used if they leave more than LEAST_GAIN of the height. */
const MAX_PASSING = 2,
  LEAST_GAIN = 0.75;
/* The last column is at least this part of the wanted height. */
const LEAST_COLUMN = 0.3;
/* Wanted is a group that is as much wider than high as the pane, but at most this much either way. */
const MOST_ASPECT = 1.6;
/* The pane if it is not known, in pixels. */
const PANE = {width: 1250, height: 754};
const LANE = 6;

/** The leftmost and the rightmost x of some vertices. */
export function extent(x, widths, among = _ => true) {
  let left = Infinity,
    right = -Infinity;
  for (let v = 0; v < x.length; v++) {
    if (!among(v)) continue;
    left = Math.min(left, x[v] - widths[v] / 2);
    right = Math.max(right, x[v] + widths[v] / 2);
  }
  return left <= right ? [left, right] : [0, 0];
}

/* How many values pass the gap below a rank, rails left out. */
function passing({gaps, wire}, r) {
  const seen = new Set();
  for (let k = gaps.start[r]; k < gaps.start[r + 1] && seen.size <= MAX_PASSING; k++) seen.add(wire[gaps.list[k]]);
  return seen.size;
}

/** The ranks after which a group breaks; none if it is low enough for the pane, or if no gap has few values. */
export function chooseBreaks(structure, {rankTop, rankHeight, header, bottom}, width, pane = PANE) {
  const aspect = Math.max(1 / MOST_ASPECT, Math.min(MOST_ASPECT, pane.width / pane.height));
  const {ranks} = structure,
    whole = bottom - header,
    wanted = whole > pane.height / ONE_COLUMN ? Math.round(Math.sqrt((aspect * whole) / (width + 60))) : 1;
  const breaks = [],
    goal = whole / wanted;
  if (wanted < 2) return breaks;
  let begin = header,
    best = null;
  for (let r = 1; r < ranks - 2; r++) {
    const height = rankTop[r] + rankHeight[r] - begin;
    if (height > 0.7 * goal) {
      const number = passing(structure, r);
      if (number <= MAX_PASSING && (!best || number < best.number || (number === best.number && height < goal)))
        best = {number, r};
    }
    if (!best || height + rankHeight[r + 1] < goal) continue;
    if (bottom - rankTop[best.r + 1] < LEAST_COLUMN * goal) break; // a few boxes are no column
    breaks.push(best.r);
    begin = rankTop[best.r + 1];
    best = null;
  }
  const starts = [header, ...breaks.map(r => rankTop[r + 1]), bottom];
  const highest = starts.slice(1).reduce((most, end, i) => Math.max(most, end - starts[i]), 0);
  return highest > LEAST_GAIN * whole ? [] : breaks;
}

/** The column of each rank. */
export function columnsOfRanks({ranks, breaks}) {
  const column = new Int32Array(ranks);
  for (let r = 0, c = 0; r < ranks; r++) {
    column[r] = c;
    if (breaks[c] === r) c++;
  }
  return column;
}

/**
 * Rails that stay in their column; the ends of all others are marked with the name of the value, and no line joins
 * them.
 */
export function splitRails(structure) {
  const {rails, rank} = structure,
    column = columnsOfRanks(structure),
    kept = [],
    marks = [];
  for (const rail of rails) {
    if (rail.targets.every(target => column[rank[target]] === column[rail.from])) {
      kept.push(rail);
      continue;
    }
    marks.push({wire: rail.wire, vertex: rail.source, target: -1, starts: true});
    rail.targets.forEach((target, i) =>
      marks.push({wire: rail.wire, vertex: target, target: rail.numbers[i], starts: false}),
    );
  }
  const tracks = new Int32Array(structure.breaks.length + 1);
  for (let c = 0; c < tracks.length; c++) tracks[c] = packRails(kept.filter(rail => column[rail.from] === c));
  return {column, rails: kept, marks, tracks};
}

/* Where each column is moved to. */
function moveColumns(structure, {column, tracks}, x, widths, rows) {
  const {breaks, gaps, ranks, rank, items, ins, real} = structure,
    total = breaks.length + 1,
    {rankTop, header} = rows;
  const dx = new Float64Array(total),
    dy = new Float64Array(total),
    right = new Float64Array(total),
    low = new Float64Array(total).fill(Infinity),
    high = new Float64Array(total).fill(-Infinity);
  const isResult = v => v >= items + ins && v < real;
  for (let v = 0; v < x.length; v++) {
    if (isResult(v)) continue;
    const c = column[rank[v]];
    low[c] = Math.min(low[c], x[v] - widths[v] / 2);
    high[c] = Math.max(high[c], x[v] + widths[v] / 2);
  }
  let at = Math.min(...low),
    bottom = 0;
  const crossing = c => (c < 0 || c >= breaks.length ? 0 : gaps.start[breaks[c] + 1] - gaps.start[breaks[c]]);
  for (let c = 0; c < total; c++) {
    const above = c ? 22 + LANE * crossing(c - 1) : 0,
      next = c < breaks.length ? breaks[c] + 1 : ranks;
    dx[c] = at - low[c];
    dy[c] = c ? rankTop[breaks[c - 1] + 1] - header - above : 0;
    right[c] = high[c] + dx[c] + (tracks[c] ? 8 + tracks[c] * SIZE.rail : 0);
    at = right[c] + 40 + LANE * crossing(c);
    bottom = Math.max(bottom, (next < ranks ? rankTop[next] : rows.bottom) - dy[c] + 4 + LANE * crossing(c));
  }
  return {dx, dy, right, bottom, isResult};
}

/* Moves the pieces of lines with their columns. Where they go to the next column, they run down, up between the
   columns, and in from above. */
function movePieces(structure, {column}, rows, {dx, dy, right}) {
  const {ranks, gaps, breaks, wire} = structure,
    {pieces, rankTop, rankHeight, header} = rows,
    routes = new Map();
  for (let r = 0; r < ranks; r++) {
    const c = column[r],
      breaksHere = breaks[c] === r,
      to = breaksHere ? c + 1 : c,
      lanes = new Map();
    for (let k = gaps.start[r]; k < gaps.start[r + 1]; k++) {
      const piece = gaps.list[k],
        p = 5 * piece;
      pieces[p] += dx[c];
      pieces[p + 1] -= dy[c];
      pieces[p + 2] -= dy[c];
      pieces[p + 3] += dx[to];
      pieces[p + 4] -= dy[to];
      if (!breaksHere) continue;
      if (!lanes.has(wire[piece])) lanes.set(wire[piece], LANE * lanes.size);
      const lane = lanes.get(wire[piece]),
        low = rankTop[r] + rankHeight[r] - dy[c] + 9 + lane,
        high = header + 8 + lane,
        side = right[c] + 14 + lane;
      routes.set(piece, [pieces[p], low, side, low, side, high, pieces[p + 3], high]);
    }
  }
  return routes;
}

/**
 * Moves all columns but the first to the right and up. Returns the routes of lines between columns, and where the group
 * ends.
 */
export function wrapColumns(structure, split, x, widths, rows) {
  const {items, ins, outs, ranks, rank, lower} = structure,
    {column} = split,
    moved = moveColumns(structure, split, x, widths, rows),
    {dx, dy, isResult} = moved;
  for (let v = 0; v < x.length; v++) {
    const c = isResult(v) ? 0 : column[rank[v]];
    x[v] += dx[c];
    rows.y[v] -= dy[c];
  }
  const routes = movePieces(structure, split, rows, moved),
    bottom = moved.bottom + (outs ? 12 + LANE * outs : 0);
  for (let piece = 0; piece < lower.length; piece++) {
    if (!isResult(lower[piece])) continue;
    const p = 5 * piece,
      low = moved.bottom + 8 + LANE * (lower[piece] - items - ins);
    rows.pieces[p + 3] = x[lower[piece]];
    rows.pieces[p + 4] = bottom;
    routes.set(piece, [rows.pieces[p], low, rows.pieces[p + 3], low]);
  }
  for (const branch of rows.branches) branch.y -= dy[column[branch.rank]];
  for (let r = 0; r < ranks; r++) rows.rankTop[r] -= dy[column[r]];
  return {routes, bottom, right: moved.right, last: Math.max(...moved.right)};
}
