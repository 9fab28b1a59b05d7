// SPDX-License-Identifier: BSD-3-Clause
//
// The structure of a group: ranks, the order in each rank, and which pieces of lines are straight. It depends on the
// group's items and wires alone,
// not on what is open, and is computed once: opening a box moves others apart and never reorders them.
//
// Vertices are numbers: the items of the group, then its ports on top, its ports at the bottom, and the places where
// lines pass a rank.
// A piece is a part of a line between neighboring ranks.

import {groupOf} from './groups.js';
import {IntList, indexBy} from './lists.js';
import {ranksOf} from './ranks.js';

/* A line over more ranks than this runs on a rail at the side. The first of these limits is taken that needs few
   enough places on the way. */
const RAIL_LIMITS = [48, 16, 8, 4, 2, 1];
const passingLimit = items => (items < 1000 ? 40000 : 20000 + 6 * items);

/* Vertices, with their ranks, and pieces of a group. */
class Structure {
  constructor(tree, group) {
    const {wires} = tree,
      number = group.id - tree.count;
    this.wires = wires.list.subarray(wires.start[number], wires.start[number + 1]);
    const {rank, above, below, fed, slides} = ranksOf(tree, group, this.wires);
    this.items = group.items.length;
    this.ins = group.ins;
    this.outs = group.outs;
    this.fed = fed;
    this.slides = slides;
    this.ranks = rank.reduce((a, b) => Math.max(a, b), 1) + 2;
    this.real = this.items + this.ins + this.outs;
    this.rank = new IntList(2 * this.real + 16);
    this.above = new IntList(2 * this.real + 16);
    this.below = new IntList(2 * this.real + 16);
    for (let i = 0; i < this.items; i++) this.vertex(rank[i], above[i], below[i]);
    for (let i = 0; i < this.ins; i++) this.vertex(0, 0, 0);
    for (let i = 0; i < this.outs; i++) this.vertex(this.ranks - 1, 0, 0);
    this.upper = new IntList();
    this.lower = new IntList();
    this.wire = new IntList();
    this.upperInner = new IntList();
    this.target = new IntList();
    this.rails = [];
  }

  vertex(rank, above, below) {
    this.rank.push(rank);
    this.above.push(above);
    return this.below.push(below);
  }

  piece(upper, lower, wire, upperInner, target) {
    this.upper.push(upper);
    this.lower.push(lower);
    this.wire.push(wire);
    this.upperInner.push(upperInner); // the wire inside the upper box, which says by which port it goes on; -1: a node
    this.target.push(target); // the target of the wire that this piece reaches; -1: none, it passes or leaves
  }

  /* The vertex at which a wire begins, and those at which it ends, with the numbers of its targets. */
  ends(tree, wire) {
    const {wires} = tree,
      targets = [],
      numbers = [];
    for (let t = wires.targetStart[wire]; t < wires.targetStart[wire + 1]; t++) {
      targets.push(wires.target[t]);
      numbers.push(t);
    }
    if (wires.outPort[wire] >= 0) {
      targets.push(this.items + this.ins + wires.outPort[wire]);
      numbers.push(-1);
    }
    return {source: wires.source[wire] >= 0 ? wires.source[wire] : this.items + wires.inPort[wire], targets, numbers};
  }
}

/* How many ranks a line may span before it runs on a rail. */
function railLimit(tree, structure, ends) {
  const {rank} = structure,
    spans = ends.map(
      ({source, targets}) => targets.reduce((far, t) => Math.max(far, rank.values[t]), 0) - rank.values[source] - 1,
    );
  for (const limit of RAIL_LIMITS) {
    const passing = spans.reduce((sum, span) => sum + (span < limit ? span : 0), 0);
    if (passing <= passingLimit(structure.items) || limit === 1) return limit;
  }
}

/* The pieces of a wire from rank to rank; targets that are too far away are on a rail. */
function addPieces(tree, structure, wire, {source, targets, numbers}, limit) {
  const {rank, above, below} = structure,
    start = rank.values[source],
    sourceWire = tree.wires.sourceWire[wire];
  let far = start,
    reach = 0;
  for (const t of targets) {
    far = Math.max(far, rank.values[t]);
    reach = Math.max(reach, below.values[t]);
  }
  if (source >= structure.items) below.values[source] = reach + 1;
  const end = far - start > limit ? start + 1 : far,
    passing = [source],
    onRail = [];
  for (let r = start + 1; r < end; r++) {
    const vertex = structure.vertex(r, above.values[source], reach);
    structure.piece(passing.at(-1), vertex, wire, passing.length === 1 ? sourceWire : -1, -1);
    passing.push(vertex);
  }
  targets.forEach((target, i) => {
    if (rank.values[target] > end) {
      onRail.push(i);
      return;
    }
    const upper = passing[rank.values[target] - 1 - start];
    structure.piece(upper, target, wire, upper === source ? sourceWire : -1, numbers[i]);
  });
  if (onRail.length)
    structure.rails.push({
      wire,
      source,
      targets: onRail.map(i => targets[i]),
      numbers: onRail.map(i => numbers[i]),
      from: start,
      to: far,
      track: 0,
    });
}

/* Rails side by side: each on the first track that is free. */
export function packRails(rails) {
  const ends = [];
  for (const rail of rails.sort((a, b) => a.from - b.from || b.to - a.to)) {
    let track = ends.findIndex(end => end < rail.from);
    if (track < 0) track = ends.length;
    ends[track] = rail.to;
    rail.track = track;
  }
  return ends.length;
}

/* The first order of each rank is that of the program; what reads weights alone is beside what reads data. */
function sortIntoRanks(structure) {
  const {rank, ranks, fed, items} = structure,
    count = rank.length,
    {start, list} = indexBy(rank.all(), ranks);
  const position = new Int32Array(count);
  for (let r = 0; r < ranks; r++) {
    const own = list.subarray(start[r], start[r + 1]),
      late = own.filter(v => v < items && !fed[v]);
    if (late.length) own.set([...own.filter(v => v >= items || fed[v]), ...late]);
    for (let i = 0; i < own.length; i++) position[own[i]] = i;
  }
  return {rankStart: start, vertices: list, position};
}

/* Sorts a rank by keys; equal keys keep their order. Most ranks have a few vertices and are sorted already. */
function sortRank(vertices, keys) {
  if (vertices.length > 24) {
    vertices.set(Array.from(vertices).sort((a, b) => keys[a] - keys[b]));
    return;
  }
  for (let i = 1; i < vertices.length; i++) {
    const vertex = vertices[i];
    let at = i;
    for (; at > 0 && keys[vertices[at - 1]] > keys[vertex]; at--) vertices[at] = vertices[at - 1];
    vertices[at] = vertex;
  }
}

/** One sweep down and one up: each vertex goes to the median of its neighbors in the rank before. */
export function orderRanks({ranks, rankStart, vertices, position, up, down, upper, lower}) {
  const keys = new Float64Array(position.length),
    around = [];
  for (const rising of [false, true]) {
    const {start, list} = rising ? down : up,
      ends = rising ? lower : upper;
    for (let step = 1; step < ranks; step++) {
      const r = rising ? ranks - 1 - step : step,
        own = vertices.subarray(rankStart[r], rankStart[r + 1]);
      if (own.length < 2) continue;
      let before = -1;
      for (const vertex of own) {
        around.length = 0;
        for (let k = start[vertex]; k < start[vertex + 1]; k++) around.push(position[ends[list[k]]]);
        if (around.length > 2) around.sort((a, b) => a - b);
        const half = around.length >> 1;
        before = keys[vertex] =
          around.length === 0 ? before : around.length % 2 ? around[half] : (around[half - 1] + around[half]) / 2;
      }
      sortRank(own, keys);
      for (let i = 0; i < own.length; i++) position[own[i]] = i;
    }
  }
}

// ---- Straight pieces
// --------------------------------------------------------------------------------------------------

/* Chooses, in each gap between ranks, the pieces that shall be straight: those of the longest paths first, none
   across another. */
function straightPieces(structure) {
  const {real, ranks, gaps, upper, lower, position, above, below} = structure,
    count = position.length;
  const next = new Int32Array(count).fill(-1),
    previous = new Int32Array(count).fill(-1); // of each vertex: the straight piece below and above it
  const weight = piece => {
    const a = upper[piece] < real,
      b = lower[piece] < real;
    return a !== b ? 0 : 1e6 * (a ? 2 : 1) + above[upper[piece]] + below[lower[piece]];
  };
  const lean = piece => Math.abs(position[upper[piece]] - position[lower[piece]]);
  for (let r = 0; r < ranks - 1; r++) {
    const own = gaps.list.subarray(gaps.start[r], gaps.start[r + 1]),
      taken = [];
    const sorted =
      own.length < 2 ? own : Array.from(own).sort((a, b) => weight(b) - weight(a) || lean(a) - lean(b) || a - b);
    for (const piece of sorted) {
      if (next[upper[piece]] >= 0 || previous[lower[piece]] >= 0) continue;
      let low = 0,
        high = taken.length; // taken pieces are sorted, at both ends
      while (low < high) {
        const middle = (low + high) >> 1;
        if (position[upper[taken[middle]]] < position[upper[piece]]) low = middle + 1;
        else high = middle;
      }
      if (low > 0 && position[lower[taken[low - 1]]] > position[lower[piece]]) continue;
      if (low < taken.length && position[lower[taken[low]]] < position[lower[piece]]) continue;
      taken.splice(low, 0, piece);
      next[upper[piece]] = previous[lower[piece]] = piece;
    }
  }
  return {next, previous};
}

/* Blocks: vertices that straight pieces join share one x. `blockOrder` has each block after all that are left of it
   in some rank. */
function blocksOf(structure) {
  const {vertices, rankStart, rank, position, lower, next, previous} = structure,
    count = position.length;
  const block = new Int32Array(count).fill(-1),
    heads = new IntList(count);
  for (const vertex of vertices) {
    if (previous[vertex] >= 0) continue;
    for (let v = vertex; v >= 0; v = next[v] < 0 ? -1 : lower[next[v]]) block[v] = heads.length;
    heads.push(vertex);
  }
  const waiting = new Int32Array(heads.length),
    order = new IntList(heads.length + 1);
  for (const vertex of vertices) if (position[vertex] > 0) waiting[block[vertex]]++;
  for (let b = 0; b < heads.length; b++) if (waiting[b] === 0) order.push(b);
  for (let i = 0; i < order.length; i++) {
    for (let v = heads.values[order.values[i]]; v >= 0; v = next[v] < 0 ? -1 : lower[next[v]]) {
      const right = rankStart[rank[v]] + position[v] + 1;
      if (right < rankStart[rank[v] + 1] && --waiting[block[vertices[right]]] === 0) order.push(block[vertices[right]]);
    }
  }
  return {block, heads: heads.all(), blockOrder: order.all()};
}

/* Of each piece, whether a value begins there: that is where its shape is written. */
function firstPieces({upper, wire, items}) {
  const seen = new Set(),
    first = new Uint8Array(upper.length);
  for (let piece = 0; piece < upper.length; piece++) {
    if (upper[piece] >= items || seen.has(wire[piece])) continue;
    seen.add(wire[piece]);
    first[piece] = 1;
  }
  return first;
}

/** The structure of a group. */
export function structureOf(tree, group) {
  const built = new Structure(tree, group),
    ends = Array.from(built.wires, wire => built.ends(tree, wire)),
    limit = railLimit(tree, built, ends);
  built.wires.forEach((wire, i) => addPieces(tree, built, wire, ends[i], limit));
  const ranked = sortIntoRanks(built),
    {items, ins, outs, real, ranks, rails, slides} = built;
  const column = name => built[name].all(),
    rank = column('rank'),
    upper = column('upper'),
    lower = column('lower');
  const structure = {
    up: indexBy(lower, rank.length),
    down: indexBy(upper, rank.length),
    gaps: indexBy(
      Int32Array.from(upper, vertex => rank[vertex]),
      ranks,
    ),
    breaks: null,
    items,
    ins,
    outs,
    real,
    ranks,
    rank,
    slides,
    above: column('above'),
    below: column('below'),
    upper,
    lower,
    wire: column('wire'),
    target: column('target'),
    rails,
    railTracks: packRails(rails),
    ...ranked,
  };
  orderRanks(structure);
  Object.assign(structure, straightPieces(structure));
  Object.assign(structure, blocksOf(structure), portsOf(tree, group, structure, built.upperInner), {
    first: firstPieces(structure),
  });
  return structure;
}

/* Of each piece, the ports of the boxes at its ends: numbers, or -1 for a node or a place on the way. */
function portsOf(tree, group, {upper, lower, items, target}, upperInner) {
  const {outPort, inPort, innerWire} = tree.wires,
    isGroup = vertex => vertex < items && groupOf(tree, group.items[vertex]) !== null;
  return {
    upperPort: Int32Array.from(upper, (vertex, piece) => (isGroup(vertex) ? outPort[upperInner.values[piece]] : -1)),
    lowerPort: Int32Array.from(lower, (vertex, piece) => (isGroup(vertex) ? inPort[innerWire[target[piece]]] : -1)),
  };
}
