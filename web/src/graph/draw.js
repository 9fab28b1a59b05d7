// SPDX-License-Identifier: BSD-3-Clause
//
// Draws a graph on a canvas, or as SVG: only what is in view, with less detail the farther away. `GraphPicture` holds what is in view; it knows no events.

import {BODY, CLOSED, CONTROL, DELEGATE, OPEN, REPEAT, chooseInstance, groupOf, setState} from './groups.js';
import {categoryColour, stepColour, textOn, THEMES, tintColour} from './colours.js';
import {READABLE_ZOOM, SIZE, cutText, groupLabel, lineBelow, nodeLabel} from './labels.js';
import {breakAgain, layoutTree} from './layout.js';
import {STEPS, forgetPeers, spread, stepOf, valueOf} from './overlay.js';
import {SvgContext} from './svg.js';
import {ABOVE, BELOW, PATH} from './walk.js';

/* Zoom from which each thing is drawn, and the least sizes of text in pixels. */
const DETAIL = {lines: 0.04, tints: 0.08, corners: 0.3, arrows: 0.28, shapes: 0.78, bytes: 1.15};
const SMALLEST_BOX = 5, SMALLEST_TEXT = 6, SMALLEST_TITLE = 10.5;
/* Boxes times edges into the next pass of a loop for which a way around the boxes is sought. */
const MOST_TRIES = 1e6;
const MOST_ZOOM = 4, LEAST_ZOOM = 0.002;
/* The invisible characters that a terminal would obey, see base/html.js. */
const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u{feff}\u{e0000}-\u{e007f}]/gu;

const NO_VALUES = {name: '', values: [], adds: false, scale: 'heat', text: () => ''};

export class GraphPicture {
  /** `describe(node)` returns the texts of a node that the graph does not have: {shape, bytes}. */
  constructor(tree, {theme = 'light', describe = () => ({})} = {}) {
    Object.assign(this, {tree, describe, theme: THEMES[theme], zoom: 1, x: 0, y: 0, width: 0, height: 0, ratio: 1, chosen: new Set(), hovered: -1, counterparts: new Set(), found: null, marks: null, areas: [], boxes: 0, map: null, backward: null});
    this.layout = layoutTree(tree);
    this.tints = tintsOf(tree);
    this.show(NO_VALUES);
  }

  /** Shows an overlay (overlay.js). */
  show(overlay) {
    const values = overlay.values.length ? overlay.values : new Float64Array(this.tree.count).fill(NaN);
    this.shown = spread(this.tree, {...overlay, values});
    this.map = null;
  }

  themeOf(isDark) {
    return isDark ? THEMES.dark : THEMES.light;
  }

  /** Breaks long chains for the pane as it is now, if it has another size than the one that they were broken for. */
  rebreak() {
    if (breakAgain(this.tree, {width: this.width, height: this.height})) this.relayout();
  }

  relayout() {
    this.layout = layoutTree(this.tree);
    this.backward = null;
    forgetPeers(this.shown);
    this.map = null;
  }

  resize(width, height, ratio = 1) {
    Object.assign(this, {width, height, ratio, map: null});
  }

  // ---- What is in view ----

  /** Shows all; but if text would be smaller than `least` allows, the beginning. */
  fit(least = READABLE_ZOOM) {
    const {width, height} = this.layout, whole = Math.min(this.width / (width + 40), this.height / (height + 40), 1.2);
    this.zoom = Math.max(whole, least);
    this.x = width * this.zoom < this.width ? (this.width / this.zoom - width) / 2 : 20;
    this.y = height * this.zoom < this.height ? (this.height / this.zoom - height) / 2 : 20;
    if (width * this.zoom > this.width) this.x = this.startX();
  }

  /* Shows the first node in the middle, if not all fits. */
  startX() {
    const first = this.placeOf(this.tree.count ? 0 : this.tree.root);
    return first ? Math.max(this.width / this.zoom - this.layout.width - 20, Math.min(20, this.width / 2 / this.zoom - first.x - first.w / 2)) : 20;
  }

  zoomAt(x, y, factor) {
    const zoom = Math.max(LEAST_ZOOM, Math.min(MOST_ZOOM, this.zoom * factor));
    this.x += x / zoom - x / this.zoom;
    this.y += y / zoom - y / this.zoom;
    this.zoom = zoom;
  }

  pan(dx, dy) {
    this.x += dx / this.zoom;
    this.y += dy / this.zoom;
  }

  /** The innermost box that is drawn for an item, in pixels at zoom 1: {id, x, y, w, h}; null for the root, and in instances that are not shown. */
  placeOf(item) {
    const {tree} = this, way = [];
    for (let at = item; at >= 0; at = tree.parent[at]) way.unshift(at);
    let layout = this.layout, x = 0, y = 0, place = null;
    for (let k = 1; k < way.length && layout; k++) {
      if (way[k] === layout.group) continue;  // the instance that a folded repeat shows has no frame of its own
      const slot = layout.items.indexOf(way[k]);
      if (slot < 0) return place;
      x += layout.x[slot];
      y += layout.y[slot];
      place = {id: way[k], x, y, w: layout.w[slot], h: layout.h[slot]};
      layout = layout.inner[slot];
    }
    return place;
  }

  /** Makes an item visible: chooses the instances of repeats that it is in and, if `open` is set, opens the groups around it. Returns its box. */
  reveal(item, {open = false, centre = false} = {}) {
    const {tree} = this;
    let changed = false;
    for (let at = item; tree.parent[at] >= 0; at = tree.parent[at]) {
      const outer = groupOf(tree, tree.parent[at]);
      if (open && outer.state === CLOSED) { setState(tree, outer, OPEN); changed = true; }
      if (outer.kind === REPEAT && outer.state === OPEN && outer.items[outer.chosen] !== at) { chooseInstance(tree, outer, tree.slot[at]); changed = true; }
    }
    if (changed) this.relayout();
    const place = this.placeOf(item);
    if (place) this.moveTo(place, centre);
    return place;
  }

  /* Moves a box into view if it is out of sight. */
  moveTo({x, y, w, h}, centre) {
    const left = (this.x + x) * this.zoom, top = (this.y + y) * this.zoom, bottom = top + Math.min(h * this.zoom, 60);
    if (!centre && left >= 0 && top >= 30 && left + Math.min(w * this.zoom, this.width) <= this.width && bottom <= this.height) return;
    this.x = this.width / 2 / this.zoom - x - w / 2;
    this.y = this.height / 2 / this.zoom - y - Math.min(h, this.height / this.zoom * 0.8) / 2;
  }

  /** Opens, closes, or unfolds a group. What is under the pointer stays there. */
  toggle(id, state) {
    const group = groupOf(this.tree, id), before = this.placeOf(id);
    setState(this.tree, group, state ?? (group.state === CLOSED ? OPEN : CLOSED));
    this.relayout();
    const after = this.placeOf(id);
    if (before && after) { this.x += before.x - after.x; this.y += before.y - after.y; }
  }

  /** Shows another instance of a folded repeat. */
  step(id, by) {
    const group = groupOf(this.tree, id), count = group.items.length;
    chooseInstance(this.tree, group, (group.chosen + by + count) % count);
    this.relayout();
  }

  /** What is at a place of the picture: {id, act}, act: 'previous', 'next' or undefined; null if nothing is. */
  at(x, y) {
    for (let i = this.areas.length - 1; i >= 0; i--) {
      const area = this.areas[i];
      if (x >= area.x && x < area.x + area.w && y >= area.y && y < area.y + area.h) return area;
    }
    return null;
  }

  /** The boxes in view, in reading order: what the text alternative lists. */
  visible() {
    return this.areas.filter(({act}) => !act).map(({id}) => id);
  }

  // ---- Drawing ----

  draw(context) {
    const {zoom, ratio} = this;
    this.c = context;
    this.areas = [];
    this.titles = [];
    this.boxes = 0;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = this.theme.page;
    context.fillRect(0, 0, this.width, this.height);
    this.drawItems(this.layout, this.x * zoom, this.y * zoom, 0);
    if (zoom > DETAIL.lines) this.drawBackward();
    this.drawTitles();
    if (context.drawImage) this.drawMap();
  }

  /** All that is open as SVG. */
  svg() {
    const kept = {x: this.x, y: this.y, zoom: this.zoom, width: this.width, height: this.height, ratio: this.ratio, areas: this.areas};
    Object.assign(this, {x: 20, y: 20, zoom: 1, width: this.layout.width + 40, height: this.layout.height + 40, ratio: 1});
    const context = new SvgContext(this.width, this.height);
    this.draw(context);
    Object.assign(this, kept);
    return context.text();
  }

  /* The slots of a layout whose boxes are in view. Where several ranks are on one row of pixels, one of them is drawn. */
  slotsInView(layout, ox, oy) {
    const {rankTop, rankHeight, boxTop, ranks, rankStart, vertices, items, x, y, w, h, column} = layout, {zoom: z} = this, slots = [], tiny = SIZE.nodeHeight * z < SMALLEST_BOX;
    for (let r = 0, last = -Infinity, lastColumn = 0; r < ranks; r++) {
      const top = oy + boxTop[r] * z, bottom = oy + (rankTop[r] + rankHeight[r]) * z;
      if (bottom < -20 || top > this.height + 20) continue;
      if (tiny && rankHeight[r] <= SIZE.groupHeight && boxTop[r] === rankTop[r] && Math.abs(bottom - last) < 2 && lastColumn === (column?.[r] ?? 0)) continue;
      last = bottom;
      lastColumn = column?.[r] ?? 0;
      for (let i = firstInView(layout, r, (-20 - ox) / z); i < rankStart[r + 1]; i++) {
        const slot = vertices[i];
        if (slot >= items.length) continue;
        if (ox + x[slot] * z > this.width + 20) break;
        if (ox + (x[slot] + w[slot]) * z < -20 || oy + y[slot] * z > this.height + 20 || oy + (y[slot] + h[slot]) * z < -20) continue;
        slots.push(slot);
      }
    }
    return slots;
  }

  drawItems(layout, ox, oy, depth) {
    const {zoom: z, tree} = this, {items, x, y, w, h, inner} = layout, slots = this.slotsInView(layout, ox, oy), tiny = SIZE.nodeHeight * z < SMALLEST_BOX;
    if (z > DETAIL.tints) this.drawTints(layout, ox, oy, slots);
    for (const slot of slots) if (inner[slot]) this.drawFrame(groupOf(tree, items[slot]), inner[slot], ox + x[slot] * z, oy + y[slot] * z, w[slot] * z, h[slot] * z, depth);
    if (z > DETAIL.lines) this.drawLines(layout, ox, oy);
    const dots = tiny ? new Map() : null;
    for (const slot of slots) {
      const id = items[slot], box = [ox + x[slot] * z, oy + y[slot] * z, w[slot] * z, h[slot] * z];
      this.boxes++;
      if (inner[slot] && box[2] >= 6 && box[3] >= 6) this.drawItems(inner[slot], box[0], box[1], depth + 1);
      else {
        if (tiny) addDot(dots, this.colourOf(id, this.theme.faint), box);
        else if (id < tree.count) this.drawNode(id, ...box);
        else this.drawClosed(groupOf(tree, id), ...box);
        this.areas.push({x: box[0], y: box[1], w: Math.max(2, box[2]), h: Math.max(2, box[3]), id});
      }
      if (!dots) this.drawMarks(id, ...box);
    }
    if (dots) this.drawDots(dots);
    if (dots && (this.marks || this.found || this.chosen.size || this.counterparts.size || this.hovered >= 0)) for (const slot of slots) this.drawMarks(items[slot], ox + x[slot] * z, oy + y[slot] * z, w[slot] * z, h[slot] * z);
  }

  /* Boxes of a few pixels, by colour, on whole pixels. */
  drawDots(dots) {
    for (const [colour, boxes] of dots) {
      this.c.fillStyle = colour;
      for (const [x, y, w, h] of boxes) this.c.fillRect(Math.round(x), Math.round(y), Math.max(1, Math.round(w)), Math.max(1, Math.round(h > 3 ? h - 1 : h)));
    }
  }

  /* Delegates cut across modules: they are areas behind the boxes. */
  drawTints(layout, ox, oy, slots) {
    const {c, zoom: z} = this, {items, x, y, w, h} = layout;
    for (const slot of slots) {
      const tint = this.tints[items[slot]];
      if (tint < 0) continue;
      c.fillStyle = tintColour(tint);
      c.fillRect(ox + (x[slot] - 9) * z, oy + (y[slot] - 9) * z, (w[slot] + 18) * z, (h[slot] + 18) * z);
    }
  }

  colourOf(id, empty) {
    return stepColour(this.theme, this.shown.overlay.scale, stepOf(this.tree, this.shown, id), empty);
  }

  isFaded(id) {
    return this.marks !== null && !this.marks.item[id];
  }

  drawMarks(id, x, y, w, h) {
    const {c, theme} = this, mark = this.marks?.item[id] ?? 0, strong = this.chosen.has(id) || this.counterparts.has(id);
    const colour = strong ? theme.chosen : this.found?.[id] ? theme.hit : mark & PATH ? theme.path : mark & ABOVE ? theme.above : mark & BELOW ? theme.below : null;
    if (id !== this.hovered && !colour) return;
    c.strokeStyle = colour ?? theme.quiet;
    c.lineWidth = strong ? 3 : this.found?.[id] ? 2.5 : 1.8;
    if (this.counterparts.has(id) && !this.chosen.has(id)) c.setLineDash([5, 2]);
    c.strokeRect(x - 1.5, y - 1.5, w + 3, h + 3);
    c.setLineDash([]);
  }

  drawNode(id, x, y, w, h) {
    const {c, zoom: z, theme, tree} = this, {graph} = tree, operator = graph.kind[id] === 0, value = valueOf(tree, this.shown, id), step = stepOf(tree, this.shown, id);
    c.globalAlpha = this.isFaded(id) ? 0.35 : 1;
    c.fillStyle = operator || value.value === value.value ? stepColour(theme, this.shown.overlay.scale, step, operator ? theme.box : theme.port) : theme.port;
    c.strokeStyle = theme.boxEdge;
    c.lineWidth = Math.min(1, 0.5 + z / 2);
    c.beginPath();
    if (z > DETAIL.corners) c.roundRect(x, y, w, h, operator ? 4 * z : h / 2); else c.rect(x, y, w, h);
    c.fill();
    c.stroke();
    if (value.estimated || value.hatched) this.hatch(x, y, w, h, value.hatched);
    if (12 * z >= SMALLEST_TEXT) this.writeNode(id, x, y, w, value, textOn(theme, this.shown.overlay.scale, step), this.shown.overlay.scale === 'category' ? step >= 0 : Math.abs(step) > STEPS / 2);
    c.globalAlpha = 1;
  }

  writeNode(id, x, y, w, {value, median}, colour, isHot) {
    const {c, zoom: z, theme, tree} = this, {graph} = tree, operator = graph.kind[id] === 0, {overlay} = this.shown, number = Number.isNaN(value) ? '' : overlay.text(value);
    const below = Number.isNaN(median) || !number || !overlay.adds ? lineBelow(tree, id) : `median ${overlay.text(median)}`, room = number ? w - (SIZE.value - 2) * z : w - 12 * z;
    c.fillStyle = colour;
    this.write(nodeLabel(graph, id), x + 8 * z, y + (below ? 14 : 21) * z, 12 * z, room, operator ? '600 ' : '');
    if (number) this.write(number, x + w - 6 * z, y + 14 * z, 10.8 * z, SIZE.value * z, '', 'right');
    c.fillStyle = isHot || colour !== theme.text ? colour : theme.quiet;
    if (below) this.write(below, x + 8 * z, y + 28 * z, 10.4 * z, w - (graph.weights[id] ? 12 + SIZE.badge : 12) * z);
    if (!graph.weights[id] || !operator) return;
    c.fillStyle = isHot || colour !== theme.text ? colour : theme.badge;
    this.write(`◆${graph.weights[id] > 1 ? graph.weights[id] : ''}`, x + w - 5 * z, y + 29 * z, 10.4 * z, 24 * z, '', 'right');
  }

  drawClosed(group, x, y, w, h) {
    const {c, zoom: z, theme, tree} = this, {value, median, estimated} = valueOf(tree, this.shown, group.id), {overlay, whole} = this.shown, number = Number.isNaN(value) ? '' : overlay.text(value), dashed = group.kind === CONTROL || group.kind === BODY;
    c.globalAlpha = this.isFaded(group.id) ? 0.35 : 1;
    c.lineWidth = 1;
    c.strokeStyle = theme.boxEdge;
    if (group.kind === REPEAT && z > 0.15) this.drawStack(x, y, w, h, 3 * z, theme.boxEdge);
    c.fillStyle = theme.closed;
    c.fillRect(x, y, w, h);
    c.fillStyle = this.colourOf(group.id, theme.closed);
    c.fillRect(x, y, 7 * z, h);
    if (overlay.adds && value > 0) c.fillRect(x + 7 * z, y + h - 5 * z, (w - 7 * z) * Math.min(1, value / whole), 5 * z);
    if (estimated) this.hatch(x, y + h - 6 * z, w, 6 * z);
    if (dashed) c.setLineDash([5, 3]);
    c.strokeRect(x, y, w, h);
    c.setLineDash([]);
    if (12 * z >= SMALLEST_TEXT) {
      c.fillStyle = theme.text;
      this.write(`▸ ${groupLabel(group)}`, x + 12 * z, y + 15 * z, 12 * z, w - (number ? 70 : 18) * z, '600 ');
      if (number) this.write(number, x + w - 6 * z, y + 15 * z, 10.8 * z, 60 * z, '', 'right');
      c.fillStyle = theme.quiet;
      this.write(Number.isNaN(median) || !overlay.adds ? describeGroup(group) : `${describeGroup(group)}, median ${overlay.text(median)}`, x + 24 * z, y + 29.5 * z, 10.4 * z, w - 30 * z);
    }
    c.globalAlpha = 1;
  }

  /* The edges of the sheets below a repeat. */
  drawStack(x, y, w, h, by, edge) {
    const {c, theme} = this;
    for (const d of [2 * by, by]) {
      c.fillStyle = theme.closed;
      c.fillRect(x + d, y + d, w, h);
      c.strokeStyle = edge;
      c.strokeRect(x + d, y + d, w, h);
    }
  }

  drawFrame(group, layout, x, y, w, h, depth) {
    const {c, zoom: z, theme} = this, folded = group.kind === REPEAT && group.state === OPEN;
    c.lineWidth = 1;
    if (folded && z > 0.1) this.drawStack(x, y, w, h, 4 * z, theme.frameEdge);
    c.fillStyle = theme.frame[depth % 2];
    c.fillRect(x, y, w, h);
    if (group.kind === DELEGATE) { c.fillStyle = tintColour(this.tints[group.id] < 0 ? 0 : this.tints[group.id]); c.fillRect(x, y, w, h); }
    c.strokeStyle = group.kind === DELEGATE ? categoryColour(Math.max(0, this.tints[group.id])) : theme.frameEdge;
    c.lineWidth = group.kind === DELEGATE ? 2 : 1;
    if (group.kind === CONTROL || group.kind === BODY) c.setLineDash([5, 3]);
    c.strokeRect(x, y, w, h);
    c.setLineDash([]);
    if (layout.loops?.length && z > 0.1) this.drawLoops(group, layout, x, y, h);
    if (w < 30 || h < 14) { this.areas.push({x, y, w, h, id: group.id}); return; }
    const size = Math.max(SMALLEST_TITLE, Math.min(13, 12 * z)), bar = SIZE.header * z;
    if (bar > 5) {
      c.fillStyle = theme.title;
      c.fillRect(x, y, w, bar);
      c.fillStyle = this.colourOf(group.id, theme.title);
      c.fillRect(x, y, Math.min(5, 6 * z), bar);
    }
    this.areas.push({x, y, w, h: Math.max(bar, size + 4), id: group.id});
    this.titles.push({group, folded, x, y, w, h, size, bar});
  }

  /* What an instance of a folded repeat hands to the next: from its bottom round the left side to its top. */
  drawLoops(group, layout, x, y, h) {
    const {c, zoom: z, theme} = this;
    c.strokeStyle = c.fillStyle = theme.badge;
    c.lineWidth = 1.3;
    layout.loops.forEach(([out, into], i) => {
      const left = x + (5 + 3 * i) * z, low = y + h - (4 + 2 * i) * z, high = y + (SIZE.header + 4 + 3 * i) * z, end = x + into * z;
      c.setLineDash([4, 3]);
      c.beginPath();
      drawPath(c, [x + out * z, y + h, x + out * z, low, left, low, left, high, end - 6 * z, high], 4 * z);
      c.stroke();
      c.setLineDash([]);
      c.beginPath();
      c.moveTo(end, high);
      c.lineTo(end - 7 * z, high - 3 * z);
      c.lineTo(end - 7 * z, high + 3 * z);
      c.closePath();
      c.fill();
    });
    if (z > 0.6) this.write(`next instance, ${group.items.length - 1} times`, x + 16 * z, y + h - 8 * z, Math.max(9, 9.5 * z), 160 * z);
  }

  /* The edges into the next pass of a loop: the boxes that they join, each pair once, their ends as nodes, and the x at which they go up or down beside all boxes. */
  backwardEdges() {
    const {from, to} = this.tree.graph.loops, found = new Map(), boxes = from.length ? boxesOf(this.layout, 0, 0, []) : [];
    from.forEach((node, i) => {
      const maker = this.placeOf(node), reader = this.placeOf(to[i]);
      if (!maker || !reader || maker.id === reader.id) return;
      const [top, bottom] = [Math.min(maker.y, reader.y), Math.max(maker.y + maker.h, reader.y + reader.h)], step = 14 + 5 * (found.size % 4);
      let right = Math.max(maker.x + maker.w, reader.x + reader.w) + step;
      for (let tries = 0; tries < 20 && boxes.length * from.length < MOST_TRIES; tries++) {
        const hit = boxes.find(box => box.y < bottom && box.y + box.h > top && box.x < right + 6 && box.x + box.w > right - 6);
        if (!hit) break;
        right = hit.x + hit.w + step;
      }
      found.set(`${maker.id} ${reader.id}`, {maker, reader, right, ends: [node, to[i]]});
    });
    return [...found.values()];
  }

  /* Edges into the next pass of a loop leave their maker at the bottom and enter their reader at the top, as all others, and keep to the gaps between the ranks. */
  drawBackward() {
    const {c, zoom: z, theme, marks} = this;
    this.backward ??= this.backwardEdges();
    c.strokeStyle = c.fillStyle = theme.badge;
    c.lineWidth = 1.3;
    this.backward.forEach(({maker, reader, right, ends}, i) => {
      const [x1, y1, x2, y2, x] = [this.x + maker.x + maker.w - 8, this.y + maker.y + maker.h, this.x + reader.x + reader.w - 8, this.y + reader.y, this.x + right].map(value => value * z);
      if (Math.max(y1, y2) < 0 || Math.min(y1, y2) > this.height) return;
      c.globalAlpha = marks && !ends.every(node => marks.item[node]) ? 0.3 : 1;
      c.setLineDash([4, 3]);
      c.beginPath();
      drawPath(c, [x1, y1, x1, y1 + 5 * z, x, y1 + 5 * z, x, y2 - 9 * z, x2, y2 - 9 * z, x2, y2], 4 * z);
      c.stroke();
      c.setLineDash([]);
      c.beginPath();
      c.moveTo(x2, y2);
      c.lineTo(x2 - 4 * z, y2 - 6.8 * z);
      c.lineTo(x2 + 4 * z, y2 - 6.8 * z);
      c.closePath();
      c.fill();
      if (z > 0.6 && i === 0) this.write('next pass', x + 4 * z, (y1 + y2) / 2, Math.max(9, 9.5 * z), 80 * z);
    });
    c.globalAlpha = 1;
  }

  /* Titles keep their size, and stay at the edge of the picture while their frame is partly in view. Outer ones come first; what finds no room is left out. */
  drawTitles() {
    const {c, theme, tree} = this, taken = [], {overlay} = this.shown;
    for (const {group, folded, x, y, w, h, size, bar} of this.titles) {
      const left = Math.max(x, 0) + 7, top = Math.max(y, 0), line = Math.max(bar, size + 6), room = Math.min(x + w, this.width) - left - 6;
      if (w < 46 || h < 20 || bar < size && (w < 90 || h < 36) || top + line > y + h || room < 30) continue;
      const label = `▾ ${groupLabel(group)}`, {value, median} = valueOf(tree, this.shown, group.id), number = Number.isNaN(value) ? '' : overlay.text(value);
      const shown = folded ? groupOf(tree, group.items[group.chosen]) : null, one = shown ? ` · each, median ${medianText(tree, this.shown, group)}` : Number.isNaN(median) || !overlay.adds ? '' : ` · median ${overlay.text(median)}`;
      const rest = [number && `${number}${overlay.adds ? one : ''}`, describeGroup(group)].filter(Boolean).join(' · '), used = Math.min(room, textWidth(label, size, true)), steps = folded && room > used + 110 ? 104 : 0;
      if (taken.some(box => left < box.x + box.w && box.x < left + used && top < box.y + box.h && box.y < top + line)) continue;
      taken.push({x: left, y: top, w: used + 4, h: line});
      if (bar < size + 4 || top > y) { c.globalAlpha = 0.9; c.fillStyle = theme.title; c.fillRect(left - 5, top, Math.min(room + 6, used + 10 + steps), line); c.globalAlpha = 1; }
      const base = top + line / 2 + size * 0.36;
      c.fillStyle = theme.text;
      this.write(label, left, base, size, room, '600 ');
      if (steps) this.drawSteps(group, shown, left + used + 8, top, line, size);
      c.fillStyle = theme.quiet;
      if (room - used - steps > 60) this.write(rest, left + used + 10 + steps, base, size * 0.88, room - used - steps - 12);
    }
  }

  /* The buttons that choose an instance of a folded repeat. */
  drawSteps(group, shown, x, top, line, size) {
    const {theme, c} = this, base = top + line / 2 + size * 0.36;
    c.fillStyle = theme.chosen;
    this.write('‹', x + 3, base, size * 1.2, 20, '600 ');
    this.write('›', x + 88, base, size * 1.2, 20, '600 ');
    c.fillStyle = theme.text;
    this.write(`${cutText(shown.label, 9)} (${group.chosen + 1})`, x + 16, base, size * 0.88, 70);
    this.areas.push({x, y: top, w: 14, h: line, id: group.id, act: 'previous'}, {x: x + 84, y: top, w: 16, h: line, id: group.id, act: 'next'});
  }

  // ---- Lines ----

  drawLines(layout, ox, oy) {
    const {zoom: z} = this, {gaps, rankTop, boxTop, ranks, height, column, routes} = layout, batch = {plain: [], above: [], below: [], path: [], tips: [], texts: []};
    for (let r = 0, previous = -Infinity, previousColumn = 0; r < ranks; r++) {
      const top = oy + boxTop[r] * z, breaks = routes && column && r + 1 < ranks && column[r + 1] !== column[r], bottom = oy + (breaks || r + 1 >= ranks ? height : rankTop[r + 1]) * z;
      if (!breaks && (bottom < -40 || top > this.height + 40)) continue;
      if (Math.abs(bottom - previous) < 1.5 && previousColumn === (column?.[r] ?? 0) && !this.marks && !breaks) continue;
      previous = bottom;
      previousColumn = column?.[r] ?? 0;
      for (let k = gaps.start[r]; k < gaps.start[r + 1]; k++) this.addPiece(layout, gaps.list[k], ox, oy, batch);
    }
    for (const rail of layout.rails) this.addRail(layout, rail, ox, oy, batch);
    for (const mark of layout.marks) this.addMark(mark, ox, oy, batch);
    this.strokeLines(batch);
  }

  /* Which lines are on the way between marked nodes. */
  batchOf(batch, layout, wire, target, lower) {
    if (!this.marks) return batch.plain;
    const {marks, tree} = this;
    let mark = target >= 0 ? marks.target[target] : 0;
    if (target < 0) {
      const {structure} = layout, rank = structure.rank[lower];
      for (let t = tree.wires.targetStart[wire]; t < tree.wires.targetStart[wire + 1]; t++) if (structure.rank[tree.wires.target[t]] > rank) mark |= marks.target[t];
      mark |= marks.out[wire];
    }
    return mark & PATH ? batch.path : mark & ABOVE ? batch.above : mark & BELOW ? batch.below : batch.plain;
  }

  addPiece(layout, piece, ox, oy, batch) {
    const {zoom: z, tree} = this, {pieces, pieceWire, structure, routes} = layout, p = 5 * piece, x1 = ox + pieces[p] * z, x2 = ox + pieces[p + 3] * z, y1 = oy + pieces[p + 1] * z, y2 = oy + pieces[p + 4] * z, route = routes?.get(piece);
    if (!route && (Math.max(x1, x2) < 0 || Math.min(x1, x2) > this.width)) return;
    const wire = pieceWire[piece], target = structure.target[piece], bend = oy + pieces[p + 2] * z;
    const points = route ? [x1, y1, ...route.map((value, i) => (i % 2 ? oy : ox) + value * z), x2, y2] : Math.abs(x1 - x2) < 0.6 ? [x1, y1, x2, y2] : [x1, y1, x1, bend, x2, bend, x2, y2];
    this.batchOf(batch, layout, wire, target, structure.lower[piece]).push(points);
    if (z > DETAIL.arrows && target >= 0) batch.tips.push([x2, y2]);
    if (z > DETAIL.shapes && structure.first[piece] && !layout.inner[structure.upper[piece]]) batch.texts.push([x1 + 4, y1 + 10 * z, tree.wires.value[wire]]);
  }

  addRail(layout, rail, ox, oy, batch) {
    const {zoom: z} = this, x = ox + rail.x * z;
    if (oy + rail.bottom * z < 0 || oy + rail.top * z > this.height) return;
    const points = ({x: end, y, end: low}) => [x, oy + y * z, ox + end * z, oy + y * z, ox + end * z, oy + low * z], start = rail.branches.find(({starts}) => starts);
    batch.plain.push([x, oy + rail.top * z, x, oy + rail.bottom * z]);
    for (const branch of rail.branches) {
      const by = oy + branch.y * z, lines = branch.starts ? batch.plain : this.batchOf(batch, layout, rail.wire, branch.target, -1);
      if (lines !== batch.plain && start) lines.push(points(start), [x, oy + start.y * z, x, by]);  // the way to a marked reader
      if (by < -40 || by > this.height + 40) continue;
      lines.push(points(branch));
      if (z > DETAIL.arrows && !branch.starts) batch.tips.push(points(branch).slice(-2));
    }
  }

  /* The end of a line that goes on far away: a stub, with the name of the value. */
  addMark({x, y, wire, starts}, ox, oy, batch) {
    const {zoom: z, tree} = this, sx = ox + x * z, sy = oy + y * z;
    if (sx < -200 || sx > this.width || sy < -20 || sy > this.height + 20 || z < 0.2) return;
    const length = starts ? 9 * z : -9 * z, side = starts ? 12 : -12;
    batch.plain.push([sx, sy, sx, sy + length, sx + side * z, sy + length]);
    if (!starts) batch.tips.push([sx, sy]);
    if (z > DETAIL.shapes) batch.texts.push([sx + (starts ? 14 * z : -14 * z), sy + length + 3 * z, tree.wires.value[wire], starts ? 'to readers far below' : `from ${nodeLabel(tree.graph, tree.wires.value[wire])}`, starts ? 'left' : 'right']);
  }

  strokeLines({plain, above, below, path, tips, texts}) {
    const {c, zoom: z, theme} = this;
    c.globalAlpha = this.marks ? 0.3 : 1;
    this.strokeBatch(plain, z < 0.2 ? theme.faint : theme.line, Math.max(0.5, Math.min(1.3, 1.3 * z)));
    c.fillStyle = theme.line;
    c.beginPath();
    for (const [x, y] of tips) {
      c.moveTo(x, y);
      c.lineTo(x - 4 * z, y - 6.8 * z);
      c.lineTo(x + 4 * z, y - 6.8 * z);
      c.closePath();
    }
    c.fill();
    c.globalAlpha = 1;
    this.strokeBatch(above, theme.above, 2);
    this.strokeBatch(below, theme.below, 2);
    this.strokeBatch(path, theme.path, 2.5);
    c.fillStyle = theme.quiet;
    for (const [x, y, node, text, align] of texts) if (x > -80 && x < this.width && y > 0 && y < this.height) this.write(text ?? this.edgeText(node), x, y, Math.max(9, Math.min(11, 9 * z)), 190, '', align);
  }

  /* What is written on an edge: the shape, and nearer the bytes. */
  edgeText(node) {
    const {shape = '', bytes = ''} = this.describe(node);
    return this.zoom > DETAIL.bytes && bytes ? `${shape} · ${bytes}` : shape;
  }

  strokeBatch(lines, colour, width) {
    if (lines.length === 0) return;
    const {c, zoom: z} = this;
    c.strokeStyle = colour;
    c.lineWidth = width;
    c.beginPath();
    for (const line of lines) drawPath(c, line, 5 * z);
    c.stroke();
  }

  // ---- Text and hatching ----

  write(text, x, y, size, room, weight = '', align = 'left') {
    if (size < SMALLEST_TEXT || !text) return;
    const {c} = this, fits = Math.floor(room / (size * 0.56)), clean = text.replace(INVISIBLE, '?');
    if (clean.length > fits && fits < 3) return;
    const font = `${weight}${size.toFixed(1)}px system-ui, sans-serif`;
    if (c.font !== font) c.font = font;
    c.textAlign = align;
    c.fillText(clean.length > fits ? cutText(clean, fits) : clean, x, y);
  }

  /* Lines across a box: what is estimated leans to the right; what only one record has, to the left. */
  hatch(x, y, w, h, left = false) {
    const {c, theme} = this, step = 7;
    if (w < 4 || h < 3) return;
    c.strokeStyle = theme.quiet;
    c.lineWidth = 0.7;
    c.beginPath();
    for (let d = step; d < w + h; d += step) {
      const x1 = Math.min(d, w), y1 = d - x1, y2 = Math.min(d, h), x2 = d - y2;
      c.moveTo(x + (left ? w - x1 : x1), y + y1);
      c.lineTo(x + (left ? w - x2 : x2), y + y2);
    }
    c.stroke();
  }

  // ---- The map ----

  /* All of the graph at the right, if not all is in view; drawn once for a layout. */
  drawMap() {
    const {c, layout, theme} = this, scale = Math.min(Math.min(130, this.width * 0.16) / layout.width, Math.min(220, this.height * 0.35) / layout.height, 0.2), w = Math.max(14, layout.width * scale), h = Math.max(4, layout.height * scale), x = this.width - w - 10, y = 10;
    this.mapArea = null;
    if (layout.width * this.zoom <= this.width && layout.height * this.zoom <= this.height || typeof document === 'undefined') return;
    this.map ??= this.paintMap(w, h, w / layout.width, scale);
    c.globalAlpha = 0.92;
    c.fillStyle = theme.frame[0];
    c.fillRect(x - 4, y - 4, w + 8, h + 8);
    c.globalAlpha = 1;
    c.drawImage(this.map, x, y, w, h);
    c.strokeStyle = theme.frameEdge;
    c.lineWidth = 1;
    c.strokeRect(x - 4, y - 4, w + 8, h + 8);
    const sx = w / layout.width, left = Math.max(0, -this.x * sx), top = Math.max(0, -this.y * scale);
    c.strokeStyle = theme.chosen;
    c.lineWidth = 1.5;
    c.strokeRect(x + left, y + top, Math.max(4, Math.min(w - left, this.width / this.zoom * sx)), Math.max(3, Math.min(h - top, this.height / this.zoom * scale)));
    this.mapArea = {x: x - 4, y: y - 4, w: w + 8, h: h + 8, to: (px, py) => [(px - x) / sx, (py - y) / scale]};
  }

  paintMap(w, h, scaleX, scale) {
    const {theme, tree} = this, map = Object.assign(document.createElement('canvas'), {width: Math.ceil(w * this.ratio), height: Math.ceil(h * this.ratio)}), c = map.getContext('2d');
    c.scale(this.ratio * scaleX, this.ratio * scale);
    const paint = (layout, ox, oy) => layout.items.forEach((id, i) => {
      const x = ox + layout.x[i], y = oy + layout.y[i];
      if (layout.inner[i]) {
        c.strokeStyle = theme.frameEdge;
        c.lineWidth = 1 / scale;
        c.strokeRect(x, y, layout.w[i], layout.h[i]);
        if (layout.h[i] * scale > 2) { paint(layout.inner[i], x, y); return; }
      }
      c.fillStyle = Math.abs(stepOf(tree, this.shown, id)) > 2 || this.shown.overlay.scale === 'category' ? this.colourOf(id, theme.faint) : theme.faint;
      c.fillRect(x, y, layout.w[i], Math.max(layout.h[i], 0.8 / scale));
    });
    paint(this.layout, 0, 0);
    return map;
  }
}

/* ---- Helpers ---- */

/* The boxes without boxes in them. */
function boxesOf(layout, x, y, found) {
  layout.items.forEach((_, i) => {
    const box = {x: x + layout.x[i], y: y + layout.y[i], w: layout.w[i], h: layout.h[i]};
    if (layout.inner[i]) boxesOf(layout.inner[i], box.x, box.y, found); else found.push(box);
  });
  return found;
}

/* The first vertex of a rank that may be in view, by bisection in ranks of many boxes; the last box before `left` may reach into view. */
function firstInView({rankStart, vertices, x, items}, r, left) {
  let low = rankStart[r], high = rankStart[r + 1];
  if (high - low < 40) return low;
  while (low < high) { const middle = low + high >> 1; if (vertices[middle] < items.length && x[vertices[middle]] < left) low = middle + 1; else high = middle; }
  return Math.max(rankStart[r], low - 1);
}

function addDot(dots, colour, box) {
  if (!dots.has(colour)) dots.set(colour, []);
  dots.get(colour).push(box);
}

/* A line with rounded corners through points [x, y, x, y, ...]. */
function drawPath(c, points, radius) {
  c.moveTo(points[0], points[1]);
  for (let i = 2; i < points.length - 2; i += 2) {
    const [x0, y0, x, y, x2, y2] = points.slice(i - 2, i + 4), before = Math.hypot(x - x0, y - y0), after = Math.hypot(x2 - x, y2 - y), r = Math.min(radius, before / 2, after / 2);
    if (r < 0.5) { c.lineTo(x, y); continue; }
    c.lineTo(x + (x0 - x) * r / before, y + (y0 - y) * r / before);
    c.quadraticCurveTo(x, y, x + (x2 - x) * r / after, y + (y2 - y) * r / after);
  }
  c.lineTo(points.at(-2), points.at(-1));
}

const textWidth = (text, size, bold) => text.length * size * (bold ? 0.66 : 0.56);

const describeGroup = group => `${group.kind === CONTROL ? 'control flow · ' : group.kind === BODY ? 'body · ' : ''}${group.leaves.toLocaleString('en-US')} ${group.leaves === 1 ? 'node' : 'nodes'}`;

/* The median of the instances of a repeat. */
function medianText(tree, {values, overlay}, repeat) {
  const known = Array.from(repeat.items, item => values[item]).filter(value => !Number.isNaN(value)).sort((a, b) => a - b), half = known.length >> 1;
  return known.length === 0 ? '' : overlay.text(known.length % 2 ? known[half] : (known[half - 1] + known[half]) / 2);
}

/* The tint of each item: the number of its delegate, or of that of all in a group; -1: none or several. */
function tintsOf(tree) {
  const {graph, count, parent} = tree, UNKNOWN = -2, tints = new Int32Array(count + tree.groups.length).fill(UNKNOWN), number = new Map();
  for (let node = 0; node < count; node++) {
    const delegate = graph.delegate[node];
    if (delegate >= 0 && !number.has(delegate)) number.set(delegate, number.size);
    tints[node] = delegate < 0 ? -1 : number.get(delegate);
    for (let outer = parent[node]; outer >= 0; outer = parent[outer]) tints[outer] = tints[outer] === UNKNOWN || tints[outer] === tints[node] ? tints[node] : -1;
  }
  return tints;
}
