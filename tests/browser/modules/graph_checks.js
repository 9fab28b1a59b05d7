// SPDX-License-Identifier: BSD-3-Clause
//
// What must be true of any layout, and figures about how good it is.

/** All layouts that are drawn, with the absolute place of each: {layout, x, y}. */
export function drawnLayouts(layout, x = 0, y = 0, into = []) {
  into.push({layout, x, y});
  layout.inner.forEach((inner, i) => inner && drawnLayouts(inner, x + layout.x[i], y + layout.y[i], into));
  return into;
}

/** Pairs of boxes of one group that overlap. */
export function overlaps({x, y, w, h}) {
  const order = Array.from(x, (_, i) => i).sort((a, b) => y[a] - y[b]), found = [];
  let active = [];
  for (const i of order) {
    active = active.filter(j => y[j] + h[j] > y[i] + 0.5);
    for (const j of active) if (x[i] < x[j] + w[j] - 0.5 && x[j] < x[i] + w[i] - 0.5) found.push([i, j]);
    active.push(i);
  }
  return found;
}

/** Boxes and lines of one group that leave its frame. */
export function outside({x, y, w, h, width, height, pieces, rails, routes}) {
  const found = [], inside = (left, top, right, bottom) => left >= -0.5 && top >= -0.5 && right <= width + 0.5 && bottom <= height + 0.5;
  for (let i = 0; i < x.length; i++) if (!inside(x[i], y[i], x[i] + w[i], y[i] + h[i])) found.push(`box ${i}`);
  for (let p = 0; p < pieces.length; p += 5) if (!inside(Math.min(pieces[p], pieces[p + 3]), Math.min(pieces[p + 1], pieces[p + 4]), Math.max(pieces[p], pieces[p + 3]), Math.max(pieces[p + 1], pieces[p + 4]))) found.push(`piece ${p / 5}`);
  for (const rail of rails) if (!inside(rail.x, rail.top, rail.x, rail.bottom)) found.push(`rail of ${rail.wire}`);
  for (const route of routes?.values() ?? []) for (let i = 0; i < route.length; i += 2) if (!inside(route[i], route[i + 1], route[i], route[i + 1])) found.push('route');
  return found;
}

/* The straight parts of one piece. */
function partsOf({pieces, routes}, piece) {
  const p = 5 * piece, [x1, y1, bend, x2, y2] = pieces.subarray(p, p + 5), route = routes?.get(piece);
  const points = route ? [[x1, y1], ...Array.from({length: route.length / 2}, (_, i) => [route[2 * i], route[2 * i + 1]]), [x2, y2]] : Math.abs(x1 - x2) < 0.6 ? [[x1, y1], [x2, y2]] : [[x1, y1], [x1, bend], [x2, bend], [x2, y2]];
  return points.slice(1).map((end, i) => [...points[i], ...end]);
}

/** Lines of one group that run through a box. */
export function throughBoxes(layout) {
  const {x, y, w, h, pieces} = layout, found = [], order = Array.from(x, (_, i) => i).sort((a, b) => y[a] - y[b]), tallest = h.reduce((a, b) => Math.max(a, b), 0);
  const tops = order.map(i => y[i]);
  const firstAt = from => { let low = 0, high = tops.length; while (low < high) { const middle = low + high >> 1; if (tops[middle] < from) low = middle + 1; else high = middle; } return low; };
  for (let piece = 0; piece < pieces.length / 5; piece++) {
    for (const [x1, y1, x2, y2] of partsOf(layout, piece)) {
      const [left, right, top, bottom] = [Math.min(x1, x2), Math.max(x1, x2), Math.min(y1, y2), Math.max(y1, y2)];
      for (let k = firstAt(top - tallest); k < order.length && tops[k] < bottom; k++) {
        const i = order[k];
        if (left < x[i] + w[i] - 1 && right > x[i] + 1 && top < y[i] + h[i] - 1 && bottom > y[i] + 1) found.push([piece, i]);
      }
    }
  }
  return found;
}

/** Lines of one group that lead up, to a box that is not below: its items would form a circle. */
export function upward({structure: {upper, lower, rank}}) {
  return Array.from(upper, (vertex, piece) => piece).filter(piece => rank[lower[piece]] <= rank[upper[piece]]);
}

/** The order in each rank of each open group, and where it breaks into columns: what opening another group must not change. */
export function ordersOf(layout) {
  const orders = new Map();
  for (const {layout: {group, ranks, rankStart, vertices, items, x, column}} of drawnLayouts(layout)) {
    const rows = [];
    for (let r = 0; r < ranks; r++) rows.push(Array.from(vertices.subarray(rankStart[r], rankStart[r + 1])).filter(v => v < items.length).sort((a, b) => x[a] - x[b]).map(v => items[v]).join());
    orders.set(group, `${rows.join('|')} ${column ? Array.from(column).join('') : ''}`);
  }
  return orders;
}

/** Crossings of lines of different values, their bends and their length. */
export function quality(layout) {
  const vertical = [], horizontal = [];
  let bends = 0, length = 0;
  const add = (x1, y1, x2, y2, wire) => {
    length += Math.abs(x1 - x2) + Math.abs(y1 - y2);
    if (Math.abs(x1 - x2) < 0.6) vertical.push([x1, Math.min(y1, y2), Math.max(y1, y2), wire]);
    else { bends++; horizontal.push([y1, Math.min(x1, x2), Math.max(x1, x2), wire]); }
  };
  for (const {layout: drawn, x, y} of drawnLayouts(layout)) {
    for (let piece = 0; piece < drawn.pieceWire.length; piece++) for (const [x1, y1, x2, y2] of partsOf(drawn, piece)) add(x + x1, y + y1, x + x2, y + y2, drawn.pieceWire[piece]);
    for (const rail of drawn.rails) {
      add(x + rail.x, y + rail.top, x + rail.x, y + rail.bottom, rail.wire);
      for (const branch of rail.branches) { add(x + rail.x, y + branch.y, x + branch.x, y + branch.y, rail.wire); add(x + branch.x, y + branch.y, x + branch.x, y + branch.end, rail.wire); }
    }
  }
  return {crossings: crossings(vertical, horizontal), bends, length: Math.round(length)};
}

function crossings(vertical, horizontal) {
  const ROW = 200, rows = new Map(), seen = new Set();
  for (const line of vertical) for (let row = Math.floor(line[1] / ROW); row <= Math.floor(line[2] / ROW); row++) { if (!rows.has(row)) rows.set(row, []); rows.get(row).push(line); }
  for (const [y, left, right, wire] of horizontal) {
    for (const [x, top, bottom, other] of rows.get(Math.floor(y / ROW)) ?? []) {
      if (other !== wire && x > left + 1 && x < right - 1 && top < y - 0.5 && bottom > y + 0.5) seen.add(`${wire} ${other} ${Math.round(x)} ${Math.round(y)}`);
    }
  }
  return seen.size;
}
