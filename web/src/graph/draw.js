// SPDX-License-Identifier: BSD-3-Clause
//
// Draws a graph on a canvas, or as SVG: only what is in view, with less detail the farther away. `GraphPicture` holds
// what is in view; it knows no events.

import {medianOf} from '../base/columns.js';
import {BODY, CLOSED, CONTROL, DELEGATE, OPEN, REPEAT, chooseInstance, groupOf, setAll, setState} from './groups.js';
import {inkOn, stepColor, THEMES} from './colors.js';
import {READABLE_ZOOM, SIZE, TEXT, cutText, groupLabel, lineBelow, moduleLabel, nodeLabel} from './labels.js';
import {breakAgain, layoutTree} from './layout.js';
import {drawLegend, legendHeight} from './legend.js';
import {fold, isJudged, setScale, spread, stepOf, textsOf, valueOf} from './overlay.js';
import {SvgContext} from './svg.js';
import {ABOVE, BELOW, PATH} from './walk.js';
import {SMALLEST_TEXT, Writer, freePlace, rectsOf} from './writing.js';

/* Zoom from which each thing is drawn, and the least sizes in pixels. */
const DETAIL = {lines: 0.04, tints: 0.08, arrows: 0.28, shapes: 0.78, bytes: 1.15};
const SMALLEST_BOX = 5,
  SMALLEST_TITLE = 12.5;
/* Boxes times edges into the next pass of a loop for which a way around the boxes is sought. */
const MOST_TRIES = 1e6;
const MOST_ZOOM = 4,
  LEAST_ZOOM = 0.002;
/* What can be done at a place: open or select what is there, or these. */
const ACTS = [undefined, 'previous', 'next', 'choose', 'tint'],
  PREVIOUS = 1,
  NEXT = 2,
  CHOOSE = 3,
  TINT = 4;
/* The zoom at which text is read with ease. */
const COMFORTABLE = 1;

const NO_VALUES = {name: '', values: [], adds: false, scale: 'heat', text: () => ''};

export class GraphPicture {
  /**
   * `describe(node)` returns the texts of a node that the graph does not have: {shape, bytes}; `hueOf(delegate)` the
   * hue of a delegate.
   */
  constructor(tree, /** @type {Record<string, any>} */ options = {}) {
    const {theme = 'light', describe = () => ({}), hueOf = () => 'delegate'} = options;
    this.tree = tree;
    this.describe = describe;
    this.hueOf = hueOf;
    this.theme = THEMES[theme];
    this.zoom = 1;
    this.x = 0;
    this.y = 0;
    this.width = 0;
    this.height = 0;
    this.ratio = 1;
    this.chosen = new Set();
    this.hovered = -1;
    this.counterparts = new Set();
    this.found = null;
    this.marks = null;
    this.areas = [];
    this.boxes = 0;
    this.map = null;
    this.backward = null;
    this.full = 0;
    this.strip = null;
    this.layout = layoutTree(tree);
    const {tints, delegates} = tintsOf(tree);
    this.tints = tints;
    this.delegates = delegates;
    this.show(NO_VALUES);
  }

  /** Shows an overlay (overlay.js). */
  show(overlay) {
    const values = overlay.values.length ? overlay.values : new Float64Array(this.tree.count).fill(NaN);
    this.shown = spread(this.tree, {...overlay, values});
    this.map = null;
  }

  /** Sets the value at the end of the scale of colors. */
  rescale(hottest) {
    if (hottest === this.shown.hottest) return;
    setScale(this.shown, hottest);
    this.map = null;
  }

  themeOf(isDark) {
    return isDark ? THEMES.dark : THEMES.light;
  }

  /** Breaks long chains for the pane as it is now, if it has another size than the one that they were broken for. */
  rebreak() {
    if (breakAgain(this.tree, {width: this.full, height: this.height})) this.relayout();
  }

  relayout() {
    this.layout = layoutTree(this.tree);
    this.backward = null;
    fold(this.tree, this.shown);
    this.map = null;
  }

  resize(width, height, ratio = 1) {
    this.full = width;
    this.width = width;
    this.height = height;
    this.ratio = ratio;
    this.map = null;
    this.strip = null;
  }

  // ---- What is in view ----

  /** Shows all; but if text would be smaller than `least` allows, the beginning, as large as the width allows. */
  fit(least = READABLE_ZOOM) {
    const {width, height} = this.layout,
      fitting = () => Math.min(this.width / (width + 40), 1.2);
    this.width = this.full;
    this.strip = null;
    this.zoom = Math.min(fitting(), this.height / (height + 40));
    if (this.zoom < least) {
      this.zoom = least;
      this.reserveStrip(true);
      this.zoom = Math.max(least, Math.min(fitting(), COMFORTABLE));
    }
    this.x = width * this.zoom < this.width ? (this.width / this.zoom - width) / 2 : 20;
    this.y = height * this.zoom < this.height ? (this.height / this.zoom - height) / 2 : 20;
    if (width * this.zoom > this.width) this.x = this.startX();
  }

  /* Shows the first node in the middle, if not all fits. */
  startX() {
    const first = this.placeOf(this.tree.count ? 0 : this.tree.root);
    return first
      ? Math.max(
          this.width / this.zoom - this.layout.width - 20,
          Math.min(20, this.width / 2 / this.zoom - first.x - first.w / 2),
        )
      : 20;
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

  /**
   * The innermost box that is drawn for an item, in pixels at zoom 1: {id, x, y, w, h}; null for the root, and in
   * instances that are not shown.
   */
  placeOf(item) {
    const {tree} = this,
      way = [];
    for (let at = item; at >= 0; at = tree.parent[at]) way.unshift(at);
    let layout = this.layout,
      x = 0,
      y = 0,
      place = null;
    for (let k = 1; k < way.length && layout; k++) {
      if (way[k] === layout.group) continue; // the instance that a folded repeat shows has no frame of its own
      const slot = layout.items.indexOf(way[k]);
      if (slot < 0) return place;
      x += layout.x[slot];
      y += layout.y[slot];
      place = {id: way[k], x, y, w: layout.w[slot], h: layout.h[slot]};
      layout = layout.inner[slot];
    }
    return place;
  }

  /**
   * Makes an item visible: chooses the instances of repeats that it is in and, if `open` is set, opens the groups
   * around it. Returns its box.
   */
  reveal(item, {open = false, center = false} = {}) {
    const {tree} = this;
    let changed = false;
    for (let at = item; tree.parent[at] >= 0; at = tree.parent[at]) {
      const outer = groupOf(tree, tree.parent[at]);
      if (open && outer.state === CLOSED) {
        setState(tree, outer, OPEN);
        changed = true;
      }
      if (outer.kind === REPEAT && outer.state === OPEN && outer.items[outer.chosen] !== at) {
        chooseInstance(tree, outer, tree.slot[at]);
        changed = true;
      }
    }
    if (changed) this.relayout();
    const place = this.placeOf(item);
    if (place) this.moveTo(place, center);
    return place;
  }

  /* Moves a box into view if it is out of sight. */
  moveTo({x, y, w, h}, center) {
    const left = (this.x + x) * this.zoom,
      top = (this.y + y) * this.zoom,
      bottom = top + Math.min(h * this.zoom, 60);
    if (
      !center &&
      left >= 0 &&
      top >= 30 &&
      left + Math.min(w * this.zoom, this.width) <= this.width &&
      bottom <= this.height
    )
      return;
    this.x = this.width / 2 / this.zoom - x - w / 2;
    this.y = this.height / 2 / this.zoom - y - Math.min(h, (this.height / this.zoom) * 0.8) / 2;
  }

  /** Opens, closes, or unfolds a group. What is under the pointer stays there. */
  toggle(id, state) {
    const group = groupOf(this.tree, id),
      before = this.placeOf(id);
    setState(this.tree, group, state ?? (group.state === CLOSED ? OPEN : CLOSED));
    this.relayout();
    const after = this.placeOf(id);
    if (before && after) {
      this.x += before.x - after.x;
      this.y += before.y - after.y;
    }
  }

  /** Shows another instance of a folded repeat: one by its number, or the next or previous one. */
  pick(id, instance) {
    chooseInstance(this.tree, groupOf(this.tree, id), instance);
    this.relayout();
  }

  step(id, by) {
    const {
      chosen,
      items: {length},
    } = groupOf(this.tree, id);
    this.pick(id, (chosen + by + length) % length);
  }

  /** Opens or closes all groups, and shows the beginning. */
  setAll(state) {
    setAll(this.tree, state);
    this.relayout();
    this.fit();
  }

  /**
   * What is at a place of the picture: {x, y, w, h, id, act}, act: 'previous', 'next', 'choose', 'tint' (inside the
   * outline of a delegate) or undefined; null if nothing is.
   */
  at(x, y) {
    const {areas} = this;
    if (x >= this.width) return null; // the strip of the map
    for (let i = areas.length - 6; i >= 0; i -= 6) {
      if (x >= areas[i] && x < areas[i] + areas[i + 2] && y >= areas[i + 1] && y < areas[i + 1] + areas[i + 3])
        return {
          x: areas[i],
          y: areas[i + 1],
          w: areas[i + 2],
          h: areas[i + 3],
          id: areas[i + 4],
          act: ACTS[areas[i + 5]],
        };
    }
    return null;
  }

  // ---- Drawing ----

  draw(context) {
    const {zoom, ratio} = this;
    this.c = context;
    this.writer = new Writer(context);
    this.reserveStrip(Boolean(context.drawImage) && !this.isAllInView());
    this.areas = [];
    this.titles = [];
    this.loops = [];
    this.closed = [];
    this.marked = [];
    this.plain = new Map();
    this.boxes = 0;
    this.isFar = zoom <= DETAIL.arrows && !this.marks;
    this.isPlain = 12 * zoom < SMALLEST_TEXT;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = this.theme.page;
    context.fillRect(0, 0, this.full, this.height);
    context.beginPath();
    this.drawItems(this.layout, this.x * zoom, this.y * zoom, 0);
    if (this.isFar) this.strokePath(zoom < 0.2 ? this.theme.faint : this.theme.line, this.lineWidth);
    if (zoom > DETAIL.lines) this.drawBackward();
    for (const [group, ...box] of this.closed) this.drawClosed(group, ...box);
    this.drawPlain();
    for (const loops of this.loops) this.drawLoops(...loops);
    for (const box of this.marked) this.drawMarks(...box);
    this.drawTitles();
    if (context.drawImage) this.drawMap();
  }

  /** All that is open as SVG, with the legend below it (legend.js). */
  svg(legend = []) {
    const kept = {
        x: this.x,
        y: this.y,
        zoom: this.zoom,
        width: this.width,
        full: this.full,
        height: this.height,
        ratio: this.ratio,
        areas: this.areas,
        strip: this.strip,
        isTaken: false,
      },
      width = Math.max(520, this.layout.width + 40),
      height = this.layout.height + 40;
    this.x = 20;
    this.y = 20;
    this.zoom = 1;
    this.width = width;
    this.full = width;
    this.height = height;
    this.ratio = 1;
    this.isTaken = true;
    const context = new SvgContext(width, height + legendHeight(legend, width));
    this.draw(context);
    drawLegend(context, this.theme, legend, height, width);
    Object.assign(this, kept);
    return context.text();
  }

  /* The slots of a layout whose boxes are in view. Where several ranks are on one row of pixels, one of them is
     drawn. */
  slotsInView(layout, ox, oy) {
    const {rankTop, rankHeight, boxTop, ranks, rankStart, vertices, items, x, y, w, h, column} = layout,
      {zoom: z} = this,
      slots = [],
      tiny = SIZE.nodeHeight * z < SMALLEST_BOX;
    for (let r = 0, last = -Infinity, lastColumn = 0; r < ranks; r++) {
      const top = oy + boxTop[r] * z,
        bottom = oy + (rankTop[r] + rankHeight[r]) * z;
      if (bottom < -20 || top > this.height + 20) continue;
      if (
        tiny &&
        rankHeight[r] <= SIZE.groupHeight &&
        boxTop[r] === rankTop[r] &&
        Math.abs(bottom - last) < 2 &&
        lastColumn === (column?.[r] ?? 0)
      )
        continue;
      last = bottom;
      lastColumn = column?.[r] ?? 0;
      for (let i = firstInView(layout, r, (-20 - ox) / z); i < rankStart[r + 1]; i++) {
        const slot = vertices[i];
        if (slot >= items.length) continue;
        if (ox + x[slot] * z > this.width + 20) break;
        if (
          ox + (x[slot] + w[slot]) * z < -20 ||
          oy + y[slot] * z > this.height + 20 ||
          oy + (y[slot] + h[slot]) * z < -20
        )
          continue;
        slots.push(slot);
      }
    }
    return slots;
  }

  /* From far away, the lines of all groups are one path, which is open on the context while the frames are drawn;
     boxes come after it. */
  drawItems(layout, ox, oy, depth, within = -1) {
    const {zoom: z, tree, isFar, isPlain} = this,
      {items, x, y, w, h, inner} = layout,
      slots = this.slotsInView(layout, ox, oy);
    this.ground = depth ? this.theme.frame[(depth - 1) % 2] : this.theme.page;
    if (z > DETAIL.tints) this.drawOutlines(layout, ox, oy, slots, within);
    for (const slot of slots)
      if (inner[slot])
        this.drawFrame(
          groupOf(tree, items[slot]),
          inner[slot],
          ox + x[slot] * z,
          oy + y[slot] * z,
          w[slot] * z,
          h[slot] * z,
          depth,
        );
    if (z > DETAIL.lines) this.drawLines(layout, ox, oy, slots);
    // The boxes in a group have a ground of their own.
    for (const slot of slots) {
      const id = items[slot],
        left = ox + x[slot] * z,
        top = oy + y[slot] * z,
        width = w[slot] * z,
        height = h[slot] * z;
      this.boxes++;
      if (inner[slot] && width >= 6 && height >= 6) this.drawItems(inner[slot], left, top, depth + 1, this.tints[id]);
      else {
        if (isPlain && (id < tree.count || height < SMALLEST_BOX)) this.addPlain(id, left, top, width, height);
        else if (id < tree.count) this.drawNode(id, left, top, width, height);
        else if (isFar) this.closed.push([groupOf(tree, id), left, top, width, height]);
        else this.drawClosed(groupOf(tree, id), left, top, width, height);
        this.areas.push(left, top, Math.max(2, width), Math.max(2, height), id, 0);
      }
      if (this.markOf(id)) this.marked.push([id, left, top, width, height]);
    }
  }

  /* Boxes without text are drawn together with those of their color. */
  addPlain(id, x, y, w, h) {
    const {theme, tree, plain} = this,
      isTiny = h < SMALLEST_BOX,
      isPort = id < tree.count && tree.graph.kind[id] !== 0,
      color = this.colorOf(id, isTiny ? theme.faint : isPort ? theme.port : theme.box),
      key = this.isFaded(id) ? `faded ${color}` : color;
    let group = plain.get(key);
    if (!group) plain.set(key, (group = {color, alpha: key === color ? 1 : 0.35, rects: [], hatched: [], isTiny}));
    if (isTiny)
      group.rects.push(
        Math.round(x),
        Math.round(y),
        Math.max(1, Math.round(w)),
        Math.max(1, Math.round(h > 3 ? h - 1 : h)),
      );
    else group.rects.push(x, y, w, h);
    const {first, flags, allFlags} = this.shown,
      isHatched = flags[id] & 2;
    if (h > 7 && (isHatched || allFlags[first[id]] & 1)) group.hatched.push([x, y, w, h, isHatched]);
  }

  drawPlain() {
    const {c, zoom: z, theme} = this;
    for (const {color, alpha, rects, hatched, isTiny} of this.plain.values()) {
      c.globalAlpha = alpha;
      c.fillStyle = color;
      for (let i = 0; i < rects.length; i += 4) c.fillRect(rects[i], rects[i + 1], rects[i + 2], rects[i + 3]);
      if (!isTiny) {
        c.beginPath();
        for (let i = 0; i < rects.length; i += 4) c.rect(rects[i], rects[i + 1], rects[i + 2], rects[i + 3]);
        this.strokePath(theme.boxEdge, Math.min(1, 0.5 + z / 2));
      }
      for (const box of hatched) this.hatch(...box);
    }
    c.globalAlpha = 1;
  }

  strokePath(color, width) {
    const {c} = this;
    c.strokeStyle = color;
    c.lineWidth = width;
    c.stroke();
  }

  get lineWidth() {
    return Math.max(0.5, Math.min(1.3, 1.3 * this.zoom));
  }

  /* Delegates cut across modules: each is an outline around its boxes, with its instruction. The ground of each box
     covers what of the outline is inside. */
  drawOutlines(layout, ox, oy, slots, within) {
    const {c, zoom: z, theme, delegates, ground} = this,
      {items, x, y, w, h} = layout,
      boxes = new Map();
    for (const slot of slots) {
      const tint = this.tints[items[slot]];
      if (tint < 0 || tint === within) continue; // all around is in the same delegate
      const box = [ox + (x[slot] - 9) * z, oy + (y[slot] - 9) * z, (w[slot] + 18) * z, (h[slot] + 18) * z];
      if (!boxes.has(tint)) boxes.set(tint, []);
      boxes.get(tint).push(box);
      this.areas.push(...box, items[slot], TINT);
    }
    for (const [tint, list] of boxes) {
      const hue = theme[this.hueOf(delegates[tint])];
      c.strokeStyle = hue;
      c.lineWidth = 3;
      const joined = [...list, ...joints(list, 10 * z)];
      for (const box of joined) c.strokeRect(...box);
      c.fillStyle = ground;
      for (const box of joined) c.fillRect(...box);
      const [left, top] = list.reduce((first, box) => (box[1] < first[1] ? box : first));
      if (12 * z < SMALLEST_TEXT) continue;
      c.fillStyle = hue;
      this.writer.write(String(delegates[tint]), left - 4, top + TEXT.small, TEXT.small, 40, '600 ', 'right');
    }
  }

  colorOf(id, empty) {
    const {overlay, hot} = this.shown,
      ofHot = hot[id] < this.tree.count && overlay.hueOf ? overlay.hueOf(hot[id]) : 'runtime',
      hue = overlay.scale !== 'change' ? ofHot : isJudged(this.shown, id) ? null : 'runtime';
    return stepColor(this.theme, overlay, stepOf(this.tree, this.shown, id), hue, empty);
  }

  isFaded(id) {
    return this.marks !== null && !this.marks.item[id];
  }

  /* The color of the mark around a box; null if it has none. */
  markOf(id) {
    const {theme} = this,
      mark = this.marks?.item[id] ?? 0;
    return this.chosen.has(id) || this.counterparts.has(id)
      ? theme.chosen
      : this.found?.[id]
        ? theme.hit
        : mark & PATH
          ? theme.path
          : mark & ABOVE
            ? theme.above
            : mark & BELOW
              ? theme.below
              : id === this.hovered
                ? theme.quiet
                : null;
  }

  drawMarks(id, x, y, w, h) {
    const {c} = this,
      isStrong = this.chosen.has(id) || this.counterparts.has(id);
    c.strokeStyle = this.markOf(id);
    c.lineWidth = isStrong ? 3 : this.found?.[id] ? 2.5 : 1.8;
    if (this.counterparts.has(id) && !this.chosen.has(id)) c.setLineDash([5, 2]);
    c.strokeRect(x - 1.5, y - 1.5, w + 3, h + 3);
    c.setLineDash([]);
  }

  drawNode(id, x, y, w, h) {
    const {c, zoom: z, theme, tree} = this,
      operator = tree.graph.kind[id] === 0,
      {estimated, hatched} = valueOf(tree, this.shown, id),
      color = this.colorOf(id, operator ? theme.box : theme.port);
    c.globalAlpha = this.isFaded(id) ? 0.35 : 1;
    c.fillStyle = color;
    c.strokeStyle = theme.boxEdge;
    c.lineWidth = Math.min(1, 0.5 + z / 2);
    c.beginPath();
    c.roundRect(x, y, w, h, operator ? 4 * z : h / 2);
    c.fill();
    c.stroke();
    if (estimated || hatched) this.hatch(x, y, w, h, hatched);
    this.writeNode(id, x, y, w, inkOn(theme, color));
    c.globalAlpha = 1;
  }

  /* The label with the number at its right; below it the median of a repeat's instances, a second number, the
     module, or the shape of an input. */
  writeNode(id, x, y, w, ink) {
    const {c, zoom: z, tree, writer} = this,
      {graph} = tree,
      operator = graph.kind[id] === 0,
      {number, median} = textsOf(tree, this.shown, id),
      weights = operator ? graph.weights[id] : 0;
    const room = w - (weights ? 12 + SIZE.badge : 14) * z,
      shape = operator ? '' : lineBelow(tree, id),
      below = writer.fitting(
        [
          median && `median ${median}`,
          operator ? moduleLabel(tree, id) : writer.width(shape, TEXT.small * z) <= room ? shape : '',
        ].filter(Boolean),
        TEXT.small * z,
        room,
      ),
      base = y + (below || weights ? 14 : 21) * z;
    c.fillStyle = ink.text;
    const used = number ? writer.write(number, x + w - 6 * z, base, TEXT.small * z, w / 2, '', 'right') + 6 * z : 0;
    writer.write(nodeLabel(graph, id), x + 8 * z, base, TEXT.label * z, w - used - 14 * z, operator ? '600 ' : '');
    c.fillStyle = ink.quiet;
    writer.write(below, x + 8 * z, y + 28 * z, TEXT.small * z, room);
    c.fillStyle = ink.badge;
    if (weights)
      writer.write(`◆${weights > 1 ? weights : ''}`, x + w - 5 * z, y + 29 * z, TEXT.small * z, 24 * z, '', 'right');
  }

  drawClosed(group, x, y, w, h) {
    const {c, zoom: z, theme, tree} = this,
      {value, estimated} = valueOf(tree, this.shown, group.id),
      {overlay, whole} = this.shown;
    c.globalAlpha = this.isFaded(group.id) ? 0.35 : 1;
    c.lineWidth = 1;
    c.strokeStyle = theme.boxEdge;
    if (group.kind === REPEAT && z > 0.15) this.drawStack(x, y, w, h, 3 * z, theme.boxEdge);
    c.fillStyle = theme.closed;
    c.fillRect(x, y, w, h);
    c.fillStyle = this.colorOf(group.id, theme.closed);
    c.fillRect(x, y, 7 * z, h);
    if (overlay.adds && overlay.scale === 'heat' && value > 0)
      c.fillRect(x + 7 * z, y + h - 5 * z, (w - 7 * z) * Math.min(1, value / whole), 5 * z);
    if (estimated) this.hatch(x, y + h - 6 * z, w, 6 * z);
    if (group.kind === CONTROL || group.kind === BODY) c.setLineDash([5, 3]);
    c.strokeRect(x, y, w, h);
    c.setLineDash([]);
    if (12 * z >= SMALLEST_TEXT) this.writeClosed(group, x, y, w);
    c.globalAlpha = 1;
  }

  writeClosed(group, x, y, w) {
    const {c, zoom: z, theme, writer} = this,
      {number, median} = textsOf(this.tree, this.shown, group.id);
    c.fillStyle = theme.text;
    const used = number
      ? writer.write(number, x + w - 6 * z, y + 15 * z, TEXT.small * z, w / 2, '', 'right') + 6 * z
      : 0;
    writer.write(this.signed('▸', group), x + 12 * z, y + 15 * z, TEXT.label * z, w - used - 18 * z, '600 ');
    c.fillStyle = theme.quiet;
    writer.write(
      writer.fitting([describeGroup(group), median && `median ${median}`].filter(Boolean), TEXT.small * z, w - 30 * z),
      x + 24 * z,
      y + 29.5 * z,
      TEXT.small * z,
      w - 30 * z,
    );
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
    const {c, zoom: z, theme} = this,
      folded = group.kind === REPEAT && group.state === OPEN;
    c.lineWidth = 1;
    if (folded && z > 0.1) this.drawStack(x, y, w, h, 4 * z, theme.frameEdge);
    c.fillStyle = theme.frame[depth % 2];
    c.fillRect(x, y, w, h);
    c.strokeStyle = group.kind === DELEGATE ? theme[this.hueOf(this.delegates[this.tints[group.id]])] : theme.frameEdge;
    c.lineWidth = group.kind === DELEGATE ? 2 : 1;
    if (group.kind === CONTROL || group.kind === BODY) c.setLineDash([5, 3]);
    c.strokeRect(x, y, w, h);
    c.setLineDash([]);
    if (layout.loops?.length && z > 0.1) this.loops.push([group, layout, x, y, h]);
    if (w < 30 || h < 14) {
      this.areas.push(x, y, w, h, group.id, 0);
      return;
    }
    const size = Math.max(SMALLEST_TITLE, Math.min(13, 13 * z)),
      bar = SIZE.header * z;
    if (bar > 5) {
      c.fillStyle = theme.title;
      c.fillRect(x, y, w, bar);
      c.fillStyle = this.colorOf(group.id, theme.title);
      c.fillRect(x, y, Math.min(5, 6 * z), bar);
    }
    this.areas.push(x, y, w, Math.max(bar, size + 4), group.id, 0);
    this.titles.push({group, folded, x, y, w, h, size, bar});
  }

  /* What an instance of a folded repeat hands to the next: from its bottom round the left side to its top. */
  drawLoops(group, layout, x, y, h) {
    const {c, zoom: z, theme} = this;
    c.strokeStyle = c.fillStyle = theme.badge;
    c.lineWidth = 1.3;
    layout.loops.forEach(([out, into], i) => {
      const left = x + (5 + 3 * i) * z,
        low = y + h - (4 + 2 * i) * z,
        high = y + (SIZE.header + 4 + 3 * i) * z,
        end = x + into * z;
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
  }

  /* A text where lines may run. */
  writeOnGround(text, x, base, size, align = 'left') {
    const {c, writer} = this,
      width = Math.min(190, writer.width(text, size)),
      left = align === 'right' ? x - width : x,
      ink = c.fillStyle;
    c.fillStyle = this.ground;
    c.fillRect(left - 2, base - size, width + 4, size + 3);
    c.fillStyle = ink;
    writer.write(text, x, base, size, 190, '', align);
    return [left, base - size, left + width, base + 2];
  }

  /* The edges into the next pass of a loop: the boxes that they join, each pair once, their ends as nodes, and the x
     at which they go up or down beside all boxes. */
  backwardEdges() {
    const {from, to} = this.tree.graph.loops,
      found = new Map(),
      boxes = from.length ? boxesOf(this.layout, 0, 0, []) : [];
    from.forEach((node, i) => {
      const maker = this.placeOf(node),
        reader = this.placeOf(to[i]);
      if (!maker || !reader || maker.id === reader.id) return;
      const [top, bottom] = [Math.min(maker.y, reader.y), Math.max(maker.y + maker.h, reader.y + reader.h)],
        step = 14 + 5 * (found.size % 4);
      let right = Math.max(maker.x + maker.w, reader.x + reader.w) + step;
      for (let tries = 0; tries < 20 && boxes.length * from.length < MOST_TRIES; tries++) {
        const hit = boxes.find(
          box => box.y < bottom && box.y + box.h > top && box.x < right + 6 && box.x + box.w > right - 6,
        );
        if (!hit) break;
        right = hit.x + hit.w + step;
      }
      found.set(`${maker.id} ${reader.id}`, {maker, reader, right, ends: [node, to[i]]});
    });
    return [...found.values()];
  }

  /* Edges into the next pass of a loop leave their maker at the bottom and enter their reader at the top, as all
     others, and keep to the gaps between the ranks. */
  drawBackward() {
    const {c, zoom: z, theme, marks} = this;
    this.backward ??= this.backwardEdges();
    c.strokeStyle = c.fillStyle = theme.badge;
    c.lineWidth = 1.3;
    this.backward.forEach(({maker, reader, right, ends}, i) => {
      const [x1, y1, x2, y2, x] = [
        this.x + maker.x + maker.w - 8,
        this.y + maker.y + maker.h,
        this.x + reader.x + reader.w - 8,
        this.y + reader.y,
        this.x + right,
      ].map(value => value * z);
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
      if (z > 0.6 && i === 0) this.writeOnGround('next pass', x + 4 * z, (y1 + y2) / 2, TEXT.small);
    });
    c.globalAlpha = 1;
  }

  /* Titles keep their size, and stay at the edge of the picture while their frame is partly in view. Outer ones come
     first; what finds no room is left out. A title that reaches below its bar, or is not in
     it, has a ground of its own, because lines run there; small frames have no such title, which would cover what is
     in them. */
  drawTitles() {
    const {c, zoom: z, theme, writer} = this,
      taken = [];
    for (const {group, folded, x, y, w, h, size, bar} of this.titles) {
      const left = Math.max(x, 0) + 7,
        top = Math.max(y, 0),
        line = Math.max(bar, size + 2.5),
        room = Math.min(x + w, this.width) - left - 6,
        isOut = line > bar || top > y;
      if (
        w < 46 ||
        top + line > y + h ||
        room < 30 ||
        (line > (SIZE.header + SIZE.gap) * z && (h < 6 * line || w < 90))
      )
        continue;
      const label = this.signed('▾', group),
        wanted = writer.width(label, size, '600 '),
        chooser = folded && !this.isTaken ? this.stepsOf(group, size, room) : null,
        steps = chooser && wanted + chooser.width <= room ? chooser : null;
      const own = Math.min(room, wanted),
        start = own + 8 + (steps?.width ?? 0),
        parts = this.partsOfTitle(group, folded).slice(0, line > bar ? 1 : 4),
        fits = writer.fitting(parts, size * 0.88, room - start),
        rest = start + writer.width(fits, size * 0.88) <= room + 2 ? fits : '';
      const used = rest ? start + writer.width(rest, size * 0.88) : start - 8;
      if (taken.some(box => left < box.x + box.w && box.x < left + used && top < box.y + box.h && box.y < top + line))
        continue;
      taken.push({x: left, y: top, w: used + 4, h: line});
      if (isOut) {
        c.fillStyle = theme.title;
        c.fillRect(left - 5, top, Math.min(room + 6, used + 10), line);
      }
      const base = top + line / 2 + size * 0.36;
      c.fillStyle = theme.text;
      writer.write(label, left, base, size, own, '600 ');
      if (steps) this.drawSteps(group, steps, left + own + 6, top, line, size);
      c.fillStyle = theme.quiet;
      writer.write(rest, left + start, base, size * 0.88, room - start);
    }
  }

  /* The name of a group behind the sign of the button that opens or closes it, which a picture that is taken away has
     not. */
  signed(sign, group) {
    return this.isTaken ? groupLabel(group) : `${sign} ${groupLabel(group)}`;
  }

  /* What a title says of its group, the most important first. */
  partsOfTitle(group, folded) {
    const {number, median} = textsOf(this.tree, this.shown, group.id),
      each = folded ? medianText(this.tree, this.shown, group) : median;
    return [number, each && number && `median ${each}${folded ? ' each' : ''}`, describeGroup(group)].filter(Boolean);
  }

  /* The buttons that choose an instance of a folded repeat: which one of how many it is, and its name if there is
     room. */
  stepsOf(group, size, room) {
    const {writer} = this,
      count = `${group.chosen + 1} of ${group.items.length}`,
      name = cutText(groupOf(this.tree, group.items[group.chosen]).label, 30),
      long = `${name} (${count})`;
    const text = writer.width(long, size * 0.88) < room / 2 - 60 && name !== String(group.chosen) ? long : count;
    return {text, width: writer.width(text, size * 0.88) + 42};
  }

  drawSteps(group, {text, width}, x, top, line, size) {
    const {theme, c, writer} = this,
      base = top + line / 2 + size * 0.36,
      right = x + width - 8;
    c.fillStyle = theme.chosen;
    writer.write('‹', x + 4, base, size * 1.2, 20, '600 ');
    writer.write('›', right - 12, base, size * 1.2, 20, '600 ');
    writer.write(text, x + 16, base, size * 0.88, width);
    this.areas.push(
      x,
      top,
      15,
      line,
      group.id,
      PREVIOUS,
      x + 15,
      top,
      right - x - 30,
      line,
      group.id,
      CHOOSE,
      right - 15,
      top,
      16,
      line,
      group.id,
      NEXT,
    );
  }

  // ---- Lines ----

  drawLines(layout, ox, oy, slots) {
    const {zoom: z} = this,
      {gaps, rankTop, boxTop, ranks, height, column, routes} = layout,
      batch = {plain: [], above: [], below: [], path: [], tips: [], texts: []};
    for (let r = 0, previous = -Infinity, previousColumn = 0; r < ranks; r++) {
      const top = oy + boxTop[r] * z,
        breaks = routes && column && r + 1 < ranks && column[r + 1] !== column[r],
        bottom = oy + (breaks || r + 1 >= ranks ? height : rankTop[r + 1]) * z;
      if (!breaks && (bottom < -40 || top > this.height + 40)) continue;
      if (Math.abs(bottom - previous) < 1.5 && previousColumn === (column?.[r] ?? 0) && !this.marks && !breaks)
        continue;
      previous = bottom;
      previousColumn = column?.[r] ?? 0;
      for (let k = gaps.start[r]; k < gaps.start[r + 1]; k++) this.addPiece(layout, gaps.list[k], ox, oy, batch);
    }
    for (const rail of layout.rails) this.addRail(layout, rail, ox, oy, batch);
    for (const mark of layout.marks) this.addMark(mark, ox, oy, batch);
    if (this.isFar) {
      for (const line of batch.plain) drawPath(this.c, line, 5 * z);
      return;
    }
    this.strokeLines(batch);
    this.writeEdges(layout, ox, oy, slots, batch);
  }

  /* Which lines are on the way between marked nodes. */
  batchOf(batch, layout, wire, target, lower) {
    if (!this.marks) return batch.plain;
    const {marks, tree} = this;
    let mark = target >= 0 ? marks.target[target] : 0;
    if (target < 0) {
      const {structure} = layout,
        rank = structure.rank[lower];
      for (let t = tree.wires.targetStart[wire]; t < tree.wires.targetStart[wire + 1]; t++)
        if (structure.rank[tree.wires.target[t]] > rank) mark |= marks.target[t];
      mark |= marks.out[wire];
    }
    return mark & PATH ? batch.path : mark & ABOVE ? batch.above : mark & BELOW ? batch.below : batch.plain;
  }

  addPiece(layout, piece, ox, oy, batch) {
    const {zoom: z, tree} = this,
      {pieces, pieceWire, structure, routes} = layout,
      p = 5 * piece,
      x1 = ox + pieces[p] * z,
      x2 = ox + pieces[p + 3] * z,
      y1 = oy + pieces[p + 1] * z,
      y2 = oy + pieces[p + 4] * z,
      route = routes?.get(piece);
    if (!route && (Math.max(x1, x2) < 0 || Math.min(x1, x2) > this.width)) return;
    const wire = pieceWire[piece],
      target = structure.target[piece],
      bend = oy + pieces[p + 2] * z;
    if (this.isFar && !route) {
      tracePiece(this.c, x1, y1, bend, x2, y2, 5 * z);
      return;
    }
    const points = route
      ? [x1, y1, ...route.map((value, i) => (i % 2 ? oy : ox) + value * z), x2, y2]
      : Math.abs(x1 - x2) < 0.6
        ? [x1, y1, x2, y2]
        : [x1, y1, x1, bend, x2, bend, x2, y2];
    if (this.isFar) {
      drawPath(this.c, points, 5 * z);
      return;
    }
    this.batchOf(batch, layout, wire, target, structure.lower[piece]).push(points);
    if (z > DETAIL.arrows && target >= 0) batch.tips.push([x2, y2]);
    if (z > DETAIL.shapes && structure.first[piece] && !layout.inner[structure.upper[piece]])
      batch.texts.push({line: points, text: this.edgeText(tree.wires.value[wire])});
  }

  addRail(layout, rail, ox, oy, batch) {
    const {zoom: z} = this,
      x = ox + rail.x * z;
    if (oy + rail.bottom * z < 0 || oy + rail.top * z > this.height) return;
    const points = ({x: end, y, end: low}) => [x, oy + y * z, ox + end * z, oy + y * z, ox + end * z, oy + low * z],
      start = rail.branches.find(({starts}) => starts);
    batch.plain.push([x, oy + rail.top * z, x, oy + rail.bottom * z]);
    for (const branch of rail.branches) {
      const by = oy + branch.y * z,
        lines = branch.starts ? batch.plain : this.batchOf(batch, layout, rail.wire, branch.target, -1);
      // the way to a marked reader
      if (lines !== batch.plain && start) lines.push(points(start), [x, oy + start.y * z, x, by]);
      if (by < -40 || by > this.height + 40) continue;
      lines.push(points(branch));
      if (z > DETAIL.arrows && !branch.starts) batch.tips.push(points(branch).slice(-2));
    }
  }

  /* The end of a line that goes on far away: a stub, with the name of the value. */
  addMark({x, y, wire, starts}, ox, oy, batch) {
    const {zoom: z, tree} = this,
      sx = ox + x * z,
      sy = oy + y * z;
    if (sx < -200 || sx > this.width || sy < -20 || sy > this.height + 20 || z < 0.2) return;
    const length = starts ? 9 * z : -9 * z,
      side = starts ? 12 : -12;
    batch.plain.push([sx, sy, sx, sy + length, sx + side * z, sy + length]);
    if (!starts) batch.tips.push([sx, sy]);
    if (z > DETAIL.shapes)
      batch.texts.push({
        at: [sx + (starts ? 14 * z : -14 * z), sy + length + 3 * z],
        text: starts ? 'to readers far below' : `from ${nodeLabel(tree.graph, tree.wires.value[wire])}`,
        align: starts ? 'left' : 'right',
      });
  }

  strokeLines({plain, above, below, path, tips}) {
    const {c, zoom: z, theme} = this;
    c.globalAlpha = this.marks ? 0.3 : 1;
    this.strokeBatch(plain, z < 0.2 ? theme.faint : theme.line, this.lineWidth);
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
  }

  /* Texts of edges stand where they cover no line, box or other text, or are left out; the ends of lines that go on
     far away always have theirs, on a ground of its own. */
  writeEdges({items, x, y, w, h, width: frameWidth}, ox, oy, slots, {plain, above, below, path, texts}) {
    if (texts.length === 0) return;
    const {c, zoom: z, theme, writer} = this,
      size = TEXT.small,
      inView = line =>
        line[1] < this.height &&
        line.at(-1) > 0 &&
        Math.min(line[0], line.at(-2)) > -200 &&
        Math.min(line[0], line.at(-2)) < this.width;
    const taken = [
      ...[plain, above, below, path].flatMap(lines =>
        lines.filter(line => line.length > 4 || inView(line)).flatMap(rectsOf),
      ),
      ...slots.map(slot => {
        const stack = groupOf(this.tree, items[slot])?.kind === REPEAT ? 8 * z : 0;
        return [
          ox + x[slot] * z,
          oy + y[slot] * z,
          ox + (x[slot] + w[slot]) * z + stack,
          oy + (y[slot] + h[slot]) * z + stack,
        ];
      }),
    ];
    for (const {
      at: [left, base],
      text,
      align,
    } of texts.filter(({at}) => at)) {
      c.fillStyle = theme.quiet;
      taken.push(this.writeOnGround(text, left, base, size, align));
    }
    c.fillStyle = theme.quiet;
    for (const {line, text} of texts) {
      if (!line || !text || !inView(line)) continue;
      const width = Math.min(190, writer.width(text, size)),
        place = freePlace(line, width, size, [ox + 2, ox + frameWidth * z - 2], taken);
      if (!place) continue;
      taken.push(this.writeOnGround(text, ...place, size));
    }
  }

  /* What is written on an edge: the shape, and nearer the bytes. */
  edgeText(node) {
    const {shape = '', bytes = ''} = this.describe(node);
    return this.zoom > DETAIL.bytes && bytes ? `${shape} · ${bytes}` : shape;
  }

  strokeBatch(lines, color, width) {
    if (lines.length === 0) return;
    const {c, zoom: z} = this;
    c.beginPath();
    for (const line of lines) drawPath(c, line, 5 * z);
    this.strokePath(color, width);
  }

  // ---- Text and hatching ----

  /* Lines across a box: what is estimated leans to the right; what only one record has, to the left. */
  hatch(x, y, w, h, left = false) {
    const {c, theme} = this,
      step = 7;
    if (w < 4 || h < 3) return;
    c.strokeStyle = theme.quiet;
    c.lineWidth = 0.7;
    c.beginPath();
    for (let d = step; d < w + h; d += step) {
      const x1 = Math.min(d, w),
        y1 = d - x1,
        y2 = Math.min(d, h),
        x2 = d - y2;
      c.moveTo(x + (left ? w - x1 : x1), y + y1);
      c.lineTo(x + (left ? w - x2 : x2), y + y2);
    }
    c.stroke();
  }

  // ---- The map ----

  isAllInView() {
    const {
      layout: {width, height},
      zoom: z,
      x,
      y,
    } = this;
    return x * z >= -1 && y * z >= -1 && (x + width) * z <= this.full + 1 && (y + height) * z <= this.height + 1;
  }

  /* The map is at the right, in a strip of its own, so that it covers no box. */
  reserveStrip(isNeeded) {
    const {layout, full, height} = this,
      scale = Math.min(Math.min(130, full * 0.16) / layout.width, Math.min(420, height * 0.6) / layout.height, 0.2),
      w = Math.max(14, layout.width * scale),
      h = Math.max(4, layout.height * scale);
    this.strip = isNeeded && typeof document !== 'undefined' ? {scale, x: full - w - 10, y: 10, w, h} : null;
    this.width = this.strip ? this.strip.x - 10 : full;
  }

  /* All of the graph, if not all is in view; drawn once for a layout. */
  drawMap() {
    const {c, layout, theme} = this;
    this.mapArea = null;
    if (!this.strip) return;
    const {scale, x, y, w, h} = this.strip;
    this.map ??= this.paintMap(w, h, w / layout.width, scale);
    c.fillStyle = theme.frame[0];
    c.fillRect(this.width, 0, this.full - this.width, this.height);
    c.drawImage(this.map, x, y, w, h);
    c.strokeStyle = theme.frameEdge;
    c.lineWidth = 1;
    c.strokeRect(this.width + 0.5, -1, this.full, this.height + 2);
    const sx = w / layout.width,
      left = Math.max(0, -this.x * sx),
      top = Math.max(0, -this.y * scale);
    c.strokeStyle = theme.chosen;
    c.lineWidth = 1.5;
    c.strokeRect(
      x + left,
      y + top,
      Math.max(4, Math.min(w - left, (this.width / this.zoom) * sx)),
      Math.max(3, Math.min(h - top, (this.height / this.zoom) * scale)),
    );
    this.mapArea = {x: x - 4, y: y - 4, w: w + 8, h: h + 8, to: (px, py) => [(px - x) / sx, (py - y) / scale]};
  }

  paintMap(w, h, scaleX, scale) {
    const {theme, tree} = this,
      map = Object.assign(document.createElement('canvas'), {
        width: Math.ceil(w * this.ratio),
        height: Math.ceil(h * this.ratio),
      }),
      c = map.getContext('2d');
    c.scale(this.ratio * scaleX, this.ratio * scale);
    const paint = (layout, ox, oy) =>
      layout.items.forEach((id, i) => {
        const x = ox + layout.x[i],
          y = oy + layout.y[i];
        if (layout.inner[i]) {
          c.strokeStyle = theme.frameEdge;
          c.lineWidth = 1 / scale;
          c.strokeRect(x, y, layout.w[i], layout.h[i]);
          if (layout.h[i] * scale > 2) {
            paint(layout.inner[i], x, y);
            return;
          }
        }
        c.fillStyle =
          Math.abs(stepOf(tree, this.shown, id)) > 2 || this.shown.overlay.scale === 'category'
            ? this.colorOf(id, theme.faint)
            : theme.faint;
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
    if (layout.inner[i]) boxesOf(layout.inner[i], box.x, box.y, found);
    else found.push(box);
  });
  return found;
}

/* The first vertex of a rank that may be in view, by bisection in ranks of many boxes; the last box before `left`
   may reach into view. */
function firstInView({rankStart, vertices, x, items}, r, left) {
  let low = rankStart[r],
    high = rankStart[r + 1];
  if (high - low < 40) return low;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (vertices[middle] < items.length && x[vertices[middle]] < left) low = middle + 1;
    else high = middle;
  }
  return Math.max(rankStart[r], low - 1);
}

/* What joins boxes [x, y, w, h] that are nearly one below the other, so that an outline goes around all of them. */
function joints(boxes, gap) {
  const found = [],
    sorted = boxes.toSorted((a, b) => a[1] - b[1]);
  sorted.forEach(([x, y, w, h], at) => {
    for (let i = at + 1; i < sorted.length && sorted[i][1] <= y + h + gap; i++) {
      const [other, top, width] = sorted[i],
        left = Math.max(x, other),
        right = Math.min(x + w, other + width);
      if (right > left && top >= y + h - gap) found.push([left, y + h - 2, right - left, top - y - h + 4]);
    }
  });
  return found.filter(([, , , h]) => h > 0);
}

/* A line from one rank to the next, with at most one horizontal. */
function tracePiece(c, x1, y1, bend, x2, y2, radius) {
  c.moveTo(x1, y1);
  if (Math.abs(x1 - x2) >= 0.6) {
    if (radius >= 0.8) {
      drawPath(c, [x1, y1, x1, bend, x2, bend, x2, y2], radius);
      return;
    }
    c.lineTo(x1, bend);
    c.lineTo(x2, bend);
  }
  c.lineTo(x2, y2);
}

/* A line of horizontals and verticals through points [x, y, x, y, ...], with rounded corners. */
function drawPath(c, points, radius) {
  const last = points.length - 2;
  c.moveTo(points[0], points[1]);
  for (let i = 2; i < last; i += 2) {
    const x0 = points[i - 2],
      y0 = points[i - 1],
      x = points[i],
      y = points[i + 1],
      x2 = points[i + 2],
      y2 = points[i + 3];
    const before = Math.abs(x - x0) + Math.abs(y - y0),
      after = Math.abs(x2 - x) + Math.abs(y2 - y),
      r = Math.min(radius, before / 2, after / 2);
    if (r < 0.8) {
      c.lineTo(x, y);
      continue;
    }
    c.lineTo(x + ((x0 - x) * r) / before, y + ((y0 - y) * r) / before);
    c.quadraticCurveTo(x, y, x + ((x2 - x) * r) / after, y + ((y2 - y) * r) / after);
  }
  c.lineTo(points[last], points[last + 1]);
}

const counted = new Intl.NumberFormat('en-US');
const describeGroup = group =>
  `${
    group.kind === CONTROL ? 'control flow · ' : group.kind === BODY ? 'body · ' : ''
  }${counted.format(group.leaves)} ${group.leaves === 1 ? 'node' : 'nodes'}`;

/* The median of the instances of a repeat. */
function medianText(tree, {values, overlay}, repeat) {
  const known = Array.from(repeat.items, item => values[item])
    .filter(value => !Number.isNaN(value))
    .sort((a, b) => a - b);
  return known.length === 0 || !overlay.adds ? '' : overlay.text(medianOf(known));
}

/* The place of the delegate of each item among those of the graph, or of that of all in a group; -1: none or
   several. */
function tintsOf(tree) {
  const {graph, count, parent} = tree,
    UNKNOWN = -2,
    tints = new Int32Array(count + tree.groups.length).fill(UNKNOWN),
    delegates = [...new Set(graph.delegate)].filter(delegate => delegate >= 0).sort((a, b) => a - b),
    number = new Map(delegates.map((delegate, i) => [delegate, i]));
  for (let node = 0; node < count; node++) {
    tints[node] = number.get(graph.delegate[node]) ?? -1;
    for (let outer = parent[node]; outer >= 0; outer = parent[outer])
      tints[outer] = tints[outer] === UNKNOWN || tints[outer] === tints[node] ? tints[node] : -1;
  }
  return {tints, delegates};
}
