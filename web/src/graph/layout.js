// SPDX-License-Identifier: BSD-3-Clause
//
// Places of the boxes and lines of a tree of groups. Nearly linear time; knows no page. What did not change is not
// computed again.

import {chooseBreaks, columnsOfRanks, extent, splitRails, wrapColumns} from './columns.js';
import {CLOSED, OPEN, REPEAT, groupOf, shownGroup} from './groups.js';
import {SIZE, boxWidth, titleWidth} from './labels.js';
import {placeVertices, portOffset, portPlace} from './places.js';
import {rowsOf} from './rows.js';
import {structureOf} from './structure.js';
import {Gap} from './tracks.js';

/* The tracks of a gap are closer together if they would need more than this. */
const MAX_TRACKS_HEIGHT = 120;

/* Sizes of all vertices, and the layouts of open boxes. */
function measure(tree, group, structure) {
  const count = structure.rank.length,
    widths = new Float64Array(count),
    heights = new Float64Array(count),
    inner = new Array(structure.items).fill(null);
  for (let i = 0; i < structure.items; i++) {
    const item = group.items[i],
      child = groupOf(tree, item);
    if (child && child.state !== CLOSED) inner[i] = layoutOf(tree, child);
    widths[i] = inner[i] ? inner[i].width : boxWidth(tree, item);
    heights[i] = inner[i] ? inner[i].height : child ? SIZE.groupHeight : SIZE.nodeHeight;
  }
  return {widths, heights, inner};
}

/* How far the end of a line is from the middle of its box. */
function endOffset(tree, group, {widths, inner}, slot, port, xs) {
  if (port < 0) return 0;
  return inner[slot]
    ? inner[slot][xs][port] - widths[slot] / 2
    : portOffset(xs === 'inX' ? portPlace(groupOf(tree, group.items[slot]), port) : port, widths[slot]);
}

/* The offsets of both ends of each piece. */
function pieceOffsets(tree, group, structure, boxes) {
  const {upper, lower, upperPort, lowerPort} = structure;
  return {
    upperOffset: Float64Array.from(upper, (vertex, piece) =>
      endOffset(tree, group, boxes, vertex, upperPort[piece], 'outX'),
    ),
    lowerOffset: Float64Array.from(lower, (vertex, piece) =>
      endOffset(tree, group, boxes, vertex, lowerPort[piece], 'inX'),
    ),
  };
}

/* The horizontals below each rank: bends of lines, and branches to and from rails. */
function fillGap(structure, r, x, {upperOffset, lowerOffset}, branches, railX) {
  const {gaps, upper, lower, wire} = structure;
  let gap = null;
  for (let k = gaps.start[r]; k < gaps.start[r + 1]; k++) {
    const piece = gaps.list[k],
      from = x[upper[piece]] + upperOffset[piece],
      to = x[lower[piece]] + lowerOffset[piece];
    if (Math.abs(from - to) > 0.5) (gap ??= new Gap()).add(wire[piece], from, to);
  }
  for (const {rail, vertex, starts} of branches ?? [])
    (gap ??= new Gap()).add(
      starts ? -1 - rail.wire : rail.wire + 0.5,
      starts ? x[vertex] : railX,
      starts ? railX : x[vertex],
    );
  return gap;
}

/* The ends of rails, by the gap in which they branch off. */
function railBranches(structure, rails) {
  const branches = [];
  for (const rail of rails) {
    (branches[rail.from] ??= []).push({rail, vertex: rail.source, target: -1, starts: true, rank: rail.from, y: 0});
    rail.targets.forEach((vertex, i) =>
      (branches[structure.rank[vertex] - 1] ??= []).push({
        rail,
        vertex,
        target: rail.numbers[i],
        starts: false,
        rank: structure.rank[vertex] - 1,
        y: 0,
      }),
    );
  }
  return branches;
}

/* Ranks below one another, with as much room between them as the bends need. Pieces are [x, y, y of the bend, x, y]. */
function stackRanks(structure, boxes, offsets, x, rails, header) {
  const {widths, heights} = boxes,
    placed = rowsOf(structure, boxes, offsets, x, structure.breaks?.length ? columnsOfRanks(structure) : null),
    {items, ins, ranks, rank, rankStart, vertices, gaps, upper, lower, wire} = structure,
    {upperOffset, lowerOffset} = offsets;
  const y = new Float64Array(x.length),
    rankTop = new Float64Array(ranks),
    rankHeight = placed.height,
    pieces = new Float64Array(5 * upper.length);
  const branchesOf = railBranches(structure, rails),
    railX = extent(x, widths)[1] + 8;
  let top = header;
  for (let r = 0; r < ranks; r++) {
    const own = vertices.subarray(rankStart[r], rankStart[r + 1]),
      branches = branchesOf[r],
      height = rankHeight[r];
    rankTop[r] = top;
    for (const v of own) y[v] = rankTop[rank[placed.base[v]]] + placed.offset[v];
    const gap = fillGap(structure, r, x, offsets, branches, railX),
      tracks = gap ? gap.pack() : 0,
      bend = top + height + 9;
    const step = Math.min(SIZE.track, MAX_TRACKS_HEIGHT / (tracks + 1)),
      empty = !branches && height === 0 && (gaps.start[r] === gaps.start[r + 1] || (r > 0 && tracks === 0));
    const space = empty
      ? r === 0
        ? SIZE.pad / 2
        : 0
      : (r === 0 && rankStart[1] === 0 ? 0 : SIZE.gap) + (tracks > 0 ? (tracks - 1) * step + 4 : 0);
    for (let k = gaps.start[r]; k < gaps.start[r + 1]; k++) {
      const piece = gaps.list[k],
        u = upper[piece],
        p = 5 * piece;
      pieces[p] = x[u] + upperOffset[piece];
      pieces[p + 1] = u < items ? y[u] + heights[u] : u < items + ins ? header : top;
      pieces[p + 2] = bend + (gap ? gap.trackOf(wire[piece]) : 0) * step;
      pieces[p + 3] = x[lower[piece]] + lowerOffset[piece];
      pieces[p + 4] = top + height + space; // for items: see below
    }
    for (const branch of branches ?? [])
      branch.y = bend + gap.trackOf(branch.starts ? -1 - branch.rail.wire : branch.rail.wire + 0.5) * step;
    top += height + space;
  }
  for (let piece = 0; piece < lower.length; piece++) if (lower[piece] < items) pieces[5 * piece + 4] = y[lower[piece]];
  return {y, rankTop, rankHeight, pieces, branches: branchesOf.flat().filter(Boolean), bottom: top, header};
}

/* Rails with their branches, when all else has its place. */
function drawnRails(tree, group, structure, boxes, x, rows, rails, railX) {
  const drawn = new Map(
    rails.map(rail => [rail, {wire: rail.wire, x: railX(rail), top: Infinity, bottom: -Infinity, branches: []}]),
  );
  for (const {rail, vertex, target, starts, y} of rows.branches) {
    const line = drawn.get(rail),
      end = lineEnd(tree, group, structure, boxes, x, rows, {vertex, target, starts, wire: rail.wire});
    line.top = Math.min(line.top, y);
    line.bottom = Math.max(line.bottom, y);
    line.branches.push({starts, x: end.x, y, end: vertex < structure.items || starts ? end.y : y + 20, target});
  }
  return [...drawn.values()];
}

/* Where a rail or a mark meets its box or port. */
function lineEnd(tree, group, {items}, boxes, x, rows, {vertex, target, starts, wire}) {
  const {wires} = tree,
    child = vertex < items ? groupOf(tree, group.items[vertex]) : null;
  const port = !child ? -1 : starts ? wires.outPort[wires.sourceWire[wire]] : wires.inPort[wires.innerWire[target]];
  const offset = endOffset(tree, group, boxes, vertex, port, starts ? 'outX' : 'inX');
  return {
    x: x[vertex] + offset,
    y: vertex >= items ? rows.header : rows.y[vertex] + (starts ? boxes.heights[vertex] : 0),
  };
}

/* The rails of a group: all of them, or with columns those that stay in one. */
function railsOf(structure) {
  if (structure.breaks?.length) return (structure.split ??= splitRails(structure));
  return {rails: structure.rails, marks: [], tracks: [structure.railTracks], column: null};
}

/* Boxes and lines of an open group that is no folded repeat. */
function layoutItems(tree, group) {
  const structure = (group.structure ??= structureOf(tree, group)),
    boxes = measure(tree, group, structure),
    offsets = pieceOffsets(tree, group, structure, boxes),
    {widths} = boxes;
  const x = placeVertices(structure, widths, offsets.upperOffset, offsets.lowerOffset),
    isRoot = group.id === tree.root,
    header = isRoot ? SIZE.pad : SIZE.header;
  const [left, right] = extent(x, widths),
    title = isRoot ? 0 : titleWidth(group);
  const rail = tracks => (tracks ? 8 + tracks * SIZE.rail : 0);
  let split = railsOf(structure),
    rows = stackRanks(structure, boxes, offsets, x, split.rails, header);
  if (structure.breaks === null) {
    structure.breaks = chooseBreaks(structure, rows, right - left, tree.pane);
    if (structure.breaks.length) {
      split = railsOf(structure);
      rows = stackRanks(structure, boxes, offsets, x, split.rails, header);
    }
  }
  const wrapped = structure.breaks.length ? wrapColumns(structure, split, x, widths, rows) : null;
  const needed =
      (wrapped ? wrapped.last - Math.min(left, extent(x, widths)[0]) : right - left + rail(split.tracks[0])) +
      2 * SIZE.pad,
    width = Math.max(title, needed);
  const shift = SIZE.pad - extent(x, widths)[0] + Math.max(0, width - needed) / 2;
  shiftX(x, rows.pieces, wrapped, shift);
  const railX = ({from, track}) =>
    shift +
    (wrapped ? wrapped.right[split.column[from]] - rail(split.tracks[split.column[from]]) : right) +
    8 +
    track * SIZE.rail;
  const height = wrapped?.bottom ?? rows.bottom,
    outer = isRoot ? height + SIZE.pad : Math.max(height + (group.ins + group.outs ? 0 : SIZE.pad), header + 20);
  return result(tree, group, structure, {boxes, x, rows, wrapped, split, railX, width, height: outer});
}

/* Moves all that has an x. */
function shiftX(x, pieces, wrapped, shift) {
  for (let v = 0; v < x.length; v++) x[v] += shift;
  for (let p = 0; p < pieces.length; p += 5) {
    pieces[p] += shift;
    pieces[p + 3] += shift;
  }
  for (const route of wrapped?.routes.values() ?? []) for (let i = 0; i < route.length; i += 2) route[i] += shift;
}

/* The top of the highest box of each rank. It is above the row of the rank where boxes are beside a higher one. */
const boxTops = ({ranks, rankStart, vertices, items}, {rankTop, y}) =>
  Float64Array.from({length: ranks}, (_, r) =>
    vertices
      .subarray(rankStart[r], rankStart[r + 1])
      .reduce((top, v) => (v < items ? Math.min(top, y[v]) : top), rankTop[r]),
  );

/* What drawing needs, relative to the group's corner. */
function result(tree, group, structure, {boxes, x, rows, wrapped, split, railX, width, height}) {
  const {items, ins, outs, wire, gaps, ranks, rankStart, vertices} = structure;
  const marks = split.marks.map(mark => ({
    ...lineEnd(tree, group, structure, boxes, x, rows, mark),
    wire: mark.wire,
    target: mark.target,
    starts: mark.starts,
  }));
  return {
    group: group.id,
    width,
    height,
    items: group.items,
    inner: boxes.inner,
    header: rows.header,
    x: Float64Array.from({length: items}, (_, i) => x[i] - boxes.widths[i] / 2),
    y: rows.y.subarray(0, items),
    w: boxes.widths.subarray(0, items),
    h: boxes.heights.subarray(0, items),
    inX: x.subarray(items, items + ins),
    outX: x.subarray(items + ins, items + ins + outs),
    rankTop: rows.rankTop,
    rankHeight: rows.rankHeight,
    boxTop: boxTops(structure, rows),
    ranks,
    rankStart,
    vertices,
    structure,
    pieces: rows.pieces,
    pieceWire: wire,
    gaps,
    routes: wrapped?.routes ?? null,
    column: wrapped ? split.column : null,
    rails: drawnRails(tree, group, structure, boxes, x, rows, split.rails, railX),
    marks,
    loops: null,
  };
}

/* A folded repeat is drawn as one instance. Its ports are those of all instances; each is where the instance has the
   port of the same number. */
function layoutRepeat(tree, repeat) {
  const shown = shownGroup(tree, repeat),
    layout = layoutOf(tree, shown),
    number = repeat.id - tree.count,
    {wires} = tree;
  const inX = new Float64Array(repeat.ins),
    outX = new Float64Array(repeat.outs),
    loops = [],
    known = new Set();
  const at = (xs, port) => xs[port] ?? layout.width / 2;
  for (let k = wires.start[number]; k < wires.start[number + 1]; k++) {
    const wire = wires.list[k],
      out = wires.sourceWire[wire] < 0 ? 0 : wires.outPort[wires.sourceWire[wire]];
    for (let t = wires.targetStart[wire]; t < wires.targetStart[wire + 1]; t++) {
      const into = wires.innerWire[t] < 0 ? 0 : wires.inPort[wires.innerWire[t]];
      if (wires.inPort[wire] >= 0) {
        if (t === wires.targetStart[wire]) inX[wires.inPort[wire]] = at(layout.inX, into);
        continue;
      }
      if (wires.target[t] !== wires.source[wire] + 1 || known.has(`${out} ${into}`)) continue;
      known.add(`${out} ${into}`);
      loops.push([at(layout.outX, out), at(layout.inX, into)]);
    }
    if (wires.outPort[wire] >= 0) outX[wires.outPort[wire]] = at(layout.outX, out);
  }
  return {...layout, inX, outX, loops};
}

/** The layout of an open group; kept until something in it is opened or closed. */
export function layoutOf(tree, group) {
  return (group.layout ??=
    group.kind === REPEAT && group.state === OPEN ? layoutRepeat(tree, group) : layoutItems(tree, group));
}

/** The layout of all that is open. */
export const layoutTree = tree => layoutOf(tree, groupOf(tree, tree.root));

/* Panes whose sizes differ by less than this need no other columns. */
const SAME_SIZE = 1.15;

/**
 * Forgets where chains break, if the pane, {width, height}, is not of the size that they were broken for. Returns
 * whether it did.
 */
export function breakAgain(tree, pane) {
  const isSame = (a, b) => a < SAME_SIZE * b && b < SAME_SIZE * a;
  if (tree.pane && isSame(tree.pane.width, pane.width) && isSame(tree.pane.height, pane.height)) return false;
  tree.pane = pane;
  for (const group of tree.groups) {
    if (group.structure) Object.assign(group.structure, {breaks: null, split: null});
    group.layout = null;
  }
  return true;
}
