// SPDX-License-Identifier: BSD-3-Clause
//
// scene.js - draws rows of boxes (rects.js) on a canvas, and is how a user moves in them: zoom, pan, tooltip, choice,
// spans, keys. The timeline, the icicle and the map of memory are scenes.

import {render} from 'preact';
import {useEffect, useRef} from 'preact/hooks';

import {command, commandsOf, run as runCommand} from '../base/commands.js';
import {html, visibleText} from '../base/html.js';
import {HUES, STRENGTHS, inkOn, mixed, strengthStep} from '../base/colors.js';
import {fitted} from '../base/labels.js';
import {
  ESTIMATED,
  ONE_SIDED,
  SYNTHETIC,
  axisStep,
  boxAt,
  eachPiece,
  neighbor,
  rowWhere,
  textWidths,
} from '../base/rects.js';
import {escaped} from '../graph/svg.js';
import {download, savePicture} from './export.js';
import {FAMILY, neutral, theme} from './theme.js';

export const AXIS_HEIGHT = 24,
  OVERVIEW = 20; // height of the overview, in pixels
const GUTTER = 136, // width of the lanes' names, as in scene.css
  LEAST_LABEL = 16,
  LEAST_FRAME = 6,
  STRIP = 4,
  PADDING = 2,
  FONT = `12px ${FAMILY}`,
  SLACK = 3,
  LEAST_SPAN = 1e-6,
  SETTLED = 250,
  BEHIND = ['Home', 'End'];

/* ---- Colors: hue and strength, as everywhere ---- */

const NAMES = [
  ...HUES.flatMap(hue => Array.from({length: STRENGTHS}, (_, step) => `${hue}${step}`)),
  'even',
  'odd',
  'base',
  'less',
  'more',
];

/** Returns the number of a color, for makeRow(): of a hue with its share of the whole, or of "even" and "odd". */
export const colorOf = (name, share) => NAMES.indexOf(share === undefined ? name : `${name}${strengthStep(share)}`);

let colors = null; // {fills, texts: by number, and single colors by name}; made again when the theme changes

function makeColors() {
  const tokens = theme(),
    neutrals = {even: neutral(tokens, 0.08), odd: neutral(tokens, 0.15), base: neutral(tokens, 0.2)};
  const fillOf = name => {
    const [, hue, step] = name.match(/^([a-z]+)(\d+)$/) ?? [];
    return hue ? mixed(tokens.surface, tokens[hue], step / (STRENGTHS - 1)) : (neutrals[name] ?? tokens[name]);
  };
  const fills = NAMES.map(fillOf);
  return {...tokens, fills, texts: fills.map(fill => inkOn(fill, tokens.text)), hit: tokens.text};
}

/* What is in sight at first. */
const openingOf = ({opening, end}) => opening ?? [0, end];

/* Returns a pattern of diagonal lines, which stands for what is not measured. */
function hatch(context, color, ratio) {
  const size = 6 * ratio,
    tile = Object.assign(document.createElement('canvas'), {width: size, height: size}),
    lines = tile.getContext('2d');
  lines.strokeStyle = color;
  lines.lineWidth = 1.4 * ratio;
  for (const shift of [-size, 0, size]) {
    lines.moveTo(shift, size);
    lines.lineTo(shift + size, 0);
  }
  lines.stroke();
  const pattern = context.createPattern(tile, 'repeat');
  pattern.setTransform(new DOMMatrix().scale(1 / ratio));
  return pattern;
}

const Tip = ({lines: [first, ...rest]}) => html`<strong>${first}</strong>${rest.map(line => html`<div>${line}</div>`)}`;
const toldText = ({lines: [first, ...rest]}) => `${first}: ${rest.join(', ')}`;

/* ---- The canvas ---- */

/**
 * A scene. What it shows is set by show(): {rows, height, end: the unit's value at the right edge when all is shown,
 * label(id), note(id): texts of the first and the second line, of which the first that has room is drawn; the last
 * label is cut if none has; told(id): {lines} of the tooltip and of the line below, axis(value): text of a mark, or
 * none, wheel: whether the wheel zooms without Ctrl, isHit(id) and isChosen(id) or null, choose(id, isStep), open(id),
 * moved(from, to): what is in sight, both 0 for the view to begin with; opening: that view, [from, to], all of it if
 * there is none; lanes: {label, note, top} of each row and legend: [hue, text] each, of a picture that is taken away;
 * overview: a row that is drawn small above the others, whole, with a frame around what is in sight;
 * spanned(from, to or null)}. Rows may have `marks`: the indices of boxes that have a mark above them, and
 * a `ground` behind the boxes: {end, color, lines: what is told of it}.
 */
class SceneCanvas {
  constructor({canvas, tooltip, status, overview, sight}) {
    this.canvas = canvas;
    this.tooltip = tooltip;
    this.status = status;
    this.overview = overview;
    this.sight = sight;
    this.context = canvas.getContext('2d');
    this.width = 0;
    this.ratio = 1;
    this.from = 0;
    this.to = 1;
    this.span = null;
    this.cursor = -1;
    this.rows = [];
    this.hits = [];
    this.chosen = [];
    canvas.scene = this; // for tests
    this.widthOf = textWidths(letter => {
      this.context.font = FONT;
      return this.context.measureText(letter).width;
    });
    this.resized = new ResizeObserver(([{contentRect}]) => this.resize(contentRect.width));
    this.resized.observe(canvas);
    this.themed = () => {
      colors = null;
      this.patterns = null;
      this.drawOverview();
      this.draw(); // at once: printing does not wait for a frame
    };
    this.scheme = matchMedia('(prefers-color-scheme: dark)');
    addEventListener('themechange', this.themed);
    this.scheme.addEventListener('change', this.themed);
    canvas.addEventListener('wheel', event => this.wheel(event), {passive: false});
    for (const [name, act] of Object.entries({
      pointerdown: 'press',
      pointermove: 'hover',
      pointerleave: 'leave',
      dblclick: 'openAt',
      keydown: 'key',
      focus: 'focus',
      blur: 'rest',
    }))
      canvas.addEventListener(name, event => this[act](event));
    overview.addEventListener('pointerdown', event => this.travel(event));
    overview.addEventListener('pointermove', event => event.buttons && this.travel(event));
  }

  close() {
    cancelAnimationFrame(this.asked);
    clearTimeout(this.settles);
    this.resized.disconnect();
    removeEventListener('themechange', this.themed);
    this.scheme.removeEventListener('change', this.themed);
    if (current === this) current = null;
  }

  focus() {
    current = this;
  }

  /** Shows other rows, or the same with other marks. Returns whether the rows are others. */
  show(shown) {
    const isNew = shown.rows !== this.rows,
      same = !isNew && shown.height === this.shown?.height;
    this.shown = shown;
    this.tipped = -1; // the next move of the pointer asks for the words again
    if (isNew) {
      this.rows = shown.rows;
      this.places = new Map(); // id -> {row, index}
      shown.rows.forEach((row, at) => row.id.forEach((id, index) => this.places.set(id, {row: at, index})));
      this.cursor = -1;
      this.leave();
    }
    this.hits = shown.isHit ? this.rows.map(row => rowWhere(row, shown.isHit)) : null;
    this.chosen = shown.isChosen
      ? this.rows.flatMap((row, at) =>
          Array.from(row.id)
            .filter(shown.isChosen)
            .map(id => ({at, id})),
        )
      : [];
    if (!same) this.resize(this.width);
    else if (isNew) this.drawOverview();
    this.ask();
    if (document.activeElement !== this.canvas) this.rest();
    return isNew;
  }

  /* The line below says what a box is: the one to which keys have led, and without the focus the first that is
     chosen. */
  say(id) {
    this.status.textContent = id >= 0 ? visibleText(toldText(this.shown.told(id))) : '';
  }

  rest() {
    this.say(this.chosen[0]?.id ?? -1);
  }

  /* ---- What is in sight ---- */

  resize(width) {
    this.width = width;
    this.ratio = globalThis.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round((this.shown?.height ?? 0) * this.ratio);
    this.patterns = null;
    this.drawOverview();
    this.draw(); // an empty canvas would flicker
  }

  x(value) {
    return ((value - this.from) / (this.to - this.from)) * this.width;
  }

  valueAt(x) {
    return this.from + (x / this.width) * (this.to - this.from);
  }

  /** Shows the part from `from` to `to`, moved into the whole. `isSilent`: it is the state that says so. */
  look(from, to, isSilent = false) {
    const {end} = this.shown,
      size = Math.min(end, Math.max(to - from, end * LEAST_SPAN)),
      at = Math.max(0, Math.min(from, end - size));
    if (at === this.from && at + size === this.to) return;
    this.from = at;
    this.to = at + size;
    if (!isSilent) this.settle();
    this.ask();
  }

  /* Tells the owner what is in sight when the user has come to rest: it writes it to the address, and browsers limit
     how often that changes. */
  settle() {
    clearTimeout(this.settles);
    this.canvas.ariaBusy = 'true';
    this.settles = setTimeout(() => {
      const [from, to] = openingOf(this.shown),
        isOpening = this.from <= from && this.to >= to && this.to - this.from <= to - from;
      this.canvas.ariaBusy = null;
      this.shown.moved?.(isOpening ? 0 : Math.floor(this.from), isOpening ? 0 : Math.ceil(this.to));
    }, SETTLED);
  }

  zoom(factor, at = this.middle()) {
    this.look(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  pan(part) {
    const by = part * (this.to - this.from);
    this.look(this.from + by, this.to + by);
  }

  boxOf(id) {
    const place = this.places?.get(id);
    return (
      place && {
        row: this.rows[place.row],
        from: this.rows[place.row].x0[place.index],
        to: this.rows[place.row].x1[place.index],
      }
    );
  }

  /* Where keys zoom: at the chosen box if it is in sight, or else in the middle. */
  middle() {
    const box = this.boxOf(this.cursor),
      at = box ? (box.from + box.to) / 2 : -1;
    return at >= this.from && at <= this.to ? at : (this.from + this.to) / 2;
  }

  /* The part that the chosen boxes occupy; null if none is chosen. */
  extent() {
    const boxes = [...this.chosen.map(({id}) => this.boxOf(id)), this.boxOf(this.cursor)].filter(Boolean);
    return boxes.length ? [Math.min(...boxes.map(box => box.from)), Math.max(...boxes.map(box => box.to))] : null;
  }

  fit() {
    const [from, to] = this.extent() ?? [0, this.shown.end],
      margin = 0.05 * (to - from) || this.shown.end * 1e-4;
    this.look(from - margin, to + margin);
  }

  /** Moves a box into sight. */
  reveal(id) {
    const box = this.boxOf(id);
    if (!box) return;
    const size = this.to - this.from,
      middle = (box.from + box.to) / 2;
    if (box.to <= this.from || box.from >= this.to) this.look(middle - size / 2, middle + size / 2);
    const around = this.canvas.closest('.view'),
      {top} = this.canvas.getBoundingClientRect(),
      place = around?.getBoundingClientRect();
    if (place && top + box.row.top < place.top) around.scrollTop -= place.top - top - box.row.top + 8;
    else if (place && top + box.row.top + box.row.height > place.bottom)
      around.scrollTop += top + box.row.top + box.row.height - place.bottom + 8;
  }

  /* ---- Drawing: no layout is read here ---- */

  ask() {
    this.asked ||= requestAnimationFrame(() => this.draw());
  }

  draw() {
    cancelAnimationFrame(this.asked);
    this.asked = 0;
    if (!this.width || !this.shown) return;
    colors ??= makeColors();
    const {context, ratio} = this;
    this.patterns ??= {
      [SYNTHETIC]: hatch(context, colors.surface, ratio),
      [ESTIMATED]: hatch(context, colors.surface, ratio),
      [ONE_SIDED]: hatch(context, `${colors.surface}70`, ratio),
    };
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.shown.height);
    context.font = FONT;
    context.textBaseline = 'middle';
    if (this.shown.axis) this.drawAxis();
    context.globalAlpha = this.hits ? 0.28 : 1;
    for (const row of this.rows) this.drawBoxes(row);
    context.globalAlpha = 1;
    for (const row of this.hits ?? []) this.drawBoxes(row, true);
    this.rows.forEach((row, at) => this.drawTexts(row, this.hits?.[at]));
    for (const row of this.rows) this.drawMarks(row);
    this.drawFrames();
    if (this.span) this.drawSpan();
    this.sight.style.left = `${(100 * this.from) / this.shown.end}%`;
    this.sight.style.width = `${(100 * (this.to - this.from)) / this.shown.end}%`;
  }

  /* Draws all of one row small, above the others. It changes with the rows and the theme only. */
  drawOverview() {
    const row = this.shown?.overview,
      {overview, ratio, width} = this;
    overview.hidden = !row;
    if (!row || !width) return;
    colors ??= makeColors();
    overview.width = Math.round(width * ratio);
    overview.height = Math.round(OVERVIEW * ratio);
    const context = overview.getContext('2d');
    context.scale(ratio, ratio);
    eachPiece(row, 0, this.shown.end, width, (left, right, index) => {
      context.fillStyle = colors.fills[row.color[index]];
      context.fillRect(left, 0, Math.max(1, right - left), OVERVIEW);
    });
  }

  /* Moves what is in sight to where the pointer is in the overview. */
  travel(event) {
    const half = (this.to - this.from) / 2,
      at = (event.offsetX / this.width) * this.shown.end;
    this.focus();
    this.look(at - half, at + half);
  }

  drawAxis() {
    const {context} = this,
      step = axisStep(this.to - this.from, Math.max(2, this.width / 150));
    for (let mark = Math.ceil(this.from / step) * step; mark <= this.to; mark += step) {
      const x = this.x(mark),
        text = this.shown.axis(mark, step);
      context.fillStyle = colors.line;
      context.fillRect(x, AXIS_HEIGHT - 6, 1, this.shown.height);
      context.fillStyle = colors.quiet;
      if (x + this.widthOf(text) + 3 < this.width) context.fillText(text, x + 3, AXIS_HEIGHT / 2);
    }
  }

  drawBoxes(row, isHit = false) {
    const {context} = this,
      {top, height, color, flags, ground} = row;
    if (ground && !isHit) {
      context.fillStyle = colors.fills[ground.color];
      context.fillRect(
        Math.max(0, this.x(0)),
        top,
        Math.min(this.width, this.x(ground.end)) - Math.max(0, this.x(0)),
        height,
      );
    }
    let last = -1;
    eachPiece(row, this.from, this.to, this.width, (left, right, index, next) => {
      const from = Math.max(left, -1),
        width = Math.max(isHit ? 2 : 1, Math.min(right, this.width + 1) - from - (right - left > 3 ? 1 : 0));
      if (color[index] !== last) context.fillStyle = colors.fills[(last = color[index])];
      context.fillRect(from, top, width, height);
      if (flags[index] && next === index + 1 && right - left >= 6) {
        this.drawFlags(flags[index], from, top, width, height);
        last = -1;
      }
      if (isHit) {
        context.fillStyle = colors.hit;
        context.fillRect(from, top, width, 3);
        last = -1;
      }
    });
  }

  /* Hatches a box: a strip at the bottom for a start or a time that is not measured, all of it for one that only one
     record has. */
  drawFlags(flags, left, top, width, height) {
    const {context} = this;
    let bottom = top + height;
    for (const flag of [SYNTHETIC, ESTIMATED]) {
      if (!(flags & flag)) continue;
      context.fillStyle = this.patterns[flag];
      context.fillRect(left, (bottom -= STRIP), width, STRIP);
    }
    if (!(flags & ONE_SIDED)) return;
    context.fillStyle = this.patterns[ONE_SIDED];
    context.fillRect(left, top, width, height);
  }

  /* The boxes of a row that have room for a text, with it. Equal things may have equal texts. */
  textsOf(row) {
    const {label} = this.shown,
      found = [];
    if (row.height < 11) return found;
    eachPiece(row, this.from, this.to, this.width, (left, right, index, next) => {
      const from = Math.max(0, left),
        room = Math.min(this.width, right) - from;
      if (room < LEAST_LABEL || next !== index + 1) return;
      const space = room - 2 * PADDING - 4,
        texts = label(row.id[index]).map(visibleText),
        text = texts.find(said => this.widthOf(said) <= space) ?? fitted(texts.at(-1), space, this.widthOf);
      if (text) found.push({index, left: from, room, text});
    });
    return found;
  }

  drawTexts(row, hits) {
    const {context} = this,
      {note} = this.shown;
    for (const {index, left, room, text} of this.textsOf(row)) {
      const second = note && row.height >= 48 ? note(row.id[index]).find(said => this.widthOf(said) <= room - 8) : null;
      const middle = row.height > 60 ? row.top + 14 : row.top + row.height / 2;
      context.globalAlpha = hits && !this.shown.isHit(row.id[index]) ? 0.45 : 1;
      context.fillStyle = colors.texts[row.color[index]];
      context.font = row.isBold ? `600 ${FONT}` : FONT;
      context.fillText(text, left + PADDING + 2, middle);
      context.font = FONT;
      if (second) context.fillText(second, left + PADDING + 2, middle + 18);
    }
    context.globalAlpha = 1;
  }

  /* A mark above each box that the row says: a triangle that points at it. */
  drawMarks({marks = [], x0, x1, top}) {
    const {context} = this;
    context.fillStyle = colors.text;
    for (const index of marks) {
      const x = this.x((x0[index] + x1[index]) / 2);
      if (x < 0 || x > this.width) continue;
      context.beginPath();
      context.moveTo(x - 5, top - 6);
      context.lineTo(x + 5, top - 6);
      context.lineTo(x, top + 3);
      context.fill();
    }
  }

  drawFrames() {
    const {context} = this,
      frame = (id, color, line) => {
        const box = this.boxOf(id);
        if (!box || box.to < this.from || box.from > this.to) return;
        const left = Math.max(-4, this.x(box.from)),
          width = Math.max(3, Math.min(this.width + 4, this.x(box.to)) - left);
        context.strokeStyle = context.fillStyle = color;
        context.lineWidth = line;
        if (width >= LEAST_FRAME) context.strokeRect(left + 0.5, box.row.top + 0.5, width - 1, box.row.height - 1);
        // a frame would hide the box
        else for (const y of [box.row.top - 1, box.row.top + box.row.height - 2]) context.fillRect(left, y, width, 3);
      };
    for (const {id} of this.chosen) frame(id, colors.text, 2);
    if (this.cursor >= 0) frame(this.cursor, colors.text, 3);
  }

  drawSpan() {
    const {context} = this,
      left = this.x(this.span[0]),
      right = this.x(this.span[1]);
    context.fillStyle = colors.accent;
    context.globalAlpha = 0.14;
    context.fillRect(left, 0, right - left, this.shown.height);
    context.globalAlpha = 1;
    for (const x of [left, right]) context.fillRect(x - 0.5, 0, 1, this.shown.height);
    const text = this.shown.spanText?.(this.span[1] - this.span[0]) ?? '',
      width = this.widthOf(text) + 10;
    if (!text) return;
    const at = Math.max(0, Math.min(this.width - width, (left + right - width) / 2));
    context.fillRect(at, 3, width, AXIS_HEIGHT - 8);
    context.fillStyle = colors.surface;
    context.fillText(text, at + 5, AXIS_HEIGHT / 2 - 1);
  }

  /* ---- The pointer ---- */

  placeOf({clientX, clientY}) {
    const {left, top} = this.canvas.getBoundingClientRect();
    return {x: clientX - left, y: clientY - top};
  }

  rowAt = y => this.rows.find(({top, height}) => y >= top && y < top + height);

  /* Returns what is told of the ground behind the boxes at a point, -1 if there is none. */
  groundAt({x, y}) {
    const ground = this.rowAt(y)?.ground;
    return ground && x >= this.x(0) && x < this.x(ground.end) ? ground : -1;
  }

  /* Returns the id of the box at a point, -1 if there is none. */
  idAt({x, y}) {
    const row = this.rowAt(y),
      index = row ? boxAt(row, this.valueAt(x), (SLACK / this.width) * (this.to - this.from)) : -1;
    return index < 0 ? -1 : row.id[index];
  }

  hover(event) {
    if (event.buttons) return this.leave();
    const at = this.placeOf(event),
      id = this.idAt(at),
      tipped = id < 0 ? this.groundAt(at) : id;
    if (tipped !== this.tipped) {
      this.tipped = tipped;
      this.tooltip.hidden = tipped === -1;
      if (tipped !== -1) render(html`<${Tip} ...${id < 0 ? tipped : this.shown.told(id)} />`, this.tooltip);
      this.canvas.style.cursor = id < 0 ? '' : 'pointer';
    }
    if (tipped === -1) return;
    const {style} = this.tooltip,
      isRight = event.clientX > innerWidth / 2,
      isLow = event.clientY > innerHeight * 0.55; // the box is not measured: it grows away from the nearer edges
    style.left = isRight ? 'auto' : `${event.clientX + 14}px`;
    style.right = isRight ? `${innerWidth - event.clientX + 14}px` : 'auto';
    style.top = isLow ? 'auto' : `${event.clientY + 14}px`;
    style.bottom = isLow ? `${innerHeight - event.clientY + 14}px` : 'auto';
  }

  leave() {
    this.tipped = -1;
    this.tooltip.hidden = true;
  }

  wheel(event) {
    if (!this.shown.wheel && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    this.focus();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      this.pan((event.deltaX || event.deltaY) / 1000);
    else this.zoom(Math.min(4, Math.max(0.25, 1.002 ** event.deltaY)), this.valueAt(this.placeOf(event).x));
  }

  press(event) {
    if (event.button !== 0) return;
    const {canvas, from, to} = this,
      start = this.placeOf(event),
      isSpan = this.shown.spanned && (event.shiftKey || (this.shown.axis && start.y < AXIS_HEIGHT)),
      perPixel = (to - from) / this.width;
    let moved = false;
    this.focus();
    const move = now => {
      const {x} = this.placeOf(now),
        inside = at => Math.max(0, Math.min(this.shown.end, at));
      moved ||= Math.abs(x - start.x) > 3;
      if (!moved) return;
      this.leave();
      if (isSpan)
        this.mark([inside(this.valueAt(Math.min(start.x, x))), inside(this.valueAt(Math.max(start.x, x)))], false);
      else this.look(from - (x - start.x) * perPixel, to - (x - start.x) * perPixel);
    };
    const end = now => {
      canvas.removeEventListener('pointermove', move);
      if (now.type === 'pointercancel') return;
      if (!moved) this.pick(start, isSpan);
      else if (isSpan) this.mark(this.span, true);
    };
    canvas.setPointerCapture(event.pointerId);
    canvas.addEventListener('pointermove', move);
    for (const name of ['pointerup', 'pointercancel']) canvas.addEventListener(name, end, {once: true});
  }

  /** Marks a span; null marks none. When it is done, the owner is told. */
  mark(span, isDone = true) {
    this.span = span && span[1] > span[0] ? span : null;
    this.ask();
    if (isDone) this.shown.spanned?.(this.span);
  }

  pick(at, isSpan) {
    const id = this.idAt(at);
    if (id >= 0) this.choose(id);
    else if (isSpan && this.span) this.mark(null);
  }

  openAt(event) {
    const id = this.idAt(this.placeOf(event));
    if (id >= 0) this.open(id);
  }

  open(id) {
    if (this.shown.open) this.shown.open(id);
    else this.fit();
  }

  /* ---- Choosing ---- */

  /** Chooses a box: the owner selects what it stands for. */
  choose(id, isStep = false) {
    this.cursor = id;
    this.say(id);
    this.shown.choose?.(id, isStep);
    this.reveal(id);
    this.ask();
  }

  step(key) {
    const rows = this.rows,
      at = this.places?.get(this.cursor) ?? this.places?.get(this.chosen[0]?.id);
    const to =
      BEHIND.includes(key) && at
        ? {row: at.row, index: key === 'Home' ? 0 : rows[at.row].count - 1}
        : at
          ? neighbor(rows, at, key)
          : this.firstInSight();
    if (document.activeElement !== this.canvas) this.canvas.focus({preventScroll: true});
    if (to) this.choose(rows[to.row].id[to.index], true);
  }

  firstInSight() {
    for (let row = 0; row < this.rows.length; row++) {
      const index = boxAt(this.rows[row], (this.from + this.to) / 2, (this.to - this.from) / 2);
      if (index >= 0) return {row, index};
    }
    return null;
  }

  key(event) {
    if (event.key === 'Enter' && this.cursor >= 0) {
      this.open(this.cursor);
      event.preventDefault();
      event.stopPropagation();
    }
  }
}

/* ---- Keys: of the scene that was used last ---- */

let current = null;

/** The views whose picture is a scene. */
export const SCENE_VIEWS = ['timeline'];

const hasFocus = () =>
  current && (document.activeElement === current.canvas || document.activeElement === document.body);
const sceneCommand = (name, keys, text, run, isPossible = () => current !== null, views = SCENE_VIEWS) =>
  command({name: `scene-${name}`, keys, text, views, run: event => run(current, event), isPossible});

sceneCommand('zoom-in', ['+', '=', 'w'], 'Zoom in', scene => scene.zoom(0.5));
sceneCommand('zoom-out', ['-', 's'], 'Zoom out', scene => scene.zoom(2));
sceneCommand('left', ['shift+ArrowLeft', 'a'], 'Move left', scene => scene.pan(-0.2));
sceneCommand('right', ['shift+ArrowRight', 'd'], 'Move right', scene => scene.pan(0.2));
sceneCommand('all', ['0'], 'Show all', scene => scene.look(0, scene.shown.end));
sceneCommand('fit', ['f'], 'Zoom to what is selected', scene => scene.fit());
sceneCommand(
  'mark',
  ['m'],
  'Mark what is selected as the span, whose events are summed',
  scene => scene.mark(scene.extent()),
  undefined,
  ['timeline'],
);
sceneCommand(
  'unmark',
  ['Escape'],
  'Forget the span',
  scene => scene.mark(null),
  () => Boolean(current?.span),
  ['timeline'],
);
sceneCommand(
  'step',
  ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'],
  'Choose the next box',
  (scene, event) => scene.step(event.key),
  hasFocus,
);

/** Returns the scene that keys move: what toolbars act on, and tests. */
export const currentScene = () => current;

/* ---- The component ---- */

/**
 * A scene as a part of a view. `shown` is what show() takes; `view` is [from, to] as the state has it, [0, 0] for all;
 * `span` likewise or null; `follow` an id that is moved into sight when it changes.
 */
export function Scene({label, shown, view = [0, 0], span = null, follow = null}) {
  const canvas = useRef(null),
    tooltip = useRef(null),
    status = useRef(null),
    overview = useRef(null),
    sight = useRef(null),
    scene = useRef(null);
  useEffect(() => {
    current = scene.current = new SceneCanvas({
      canvas: canvas.current,
      tooltip: tooltip.current,
      status: status.current,
      overview: overview.current,
      sight: sight.current,
    });
    return () => scene.current.close();
  }, []);
  useEffect(() => {
    const {current: made} = scene,
      [from, to] = view[1] > view[0] ? view : openingOf(shown);
    made.span = span;
    if (made.show(shown) || view.join() !== made.said) made.look(from, to, true);
    made.said = view.join();
  });
  useEffect(() => {
    if (follow !== null && !scene.current.chosen.some(({id}) => id === scene.current.cursor))
      scene.current.reveal(follow);
  }, [follow, shown.rows]);
  return html`<div class="scene"><div class="overview" aria-hidden="true"><canvas ref=${overview} hidden></canvas><i
    ref=${sight}></i></div><canvas ref=${canvas} class="scene-canvas" tabindex="0" role="application"
    aria-label=${label} style=${{height: `${shown.height}px`}}></canvas><div ref=${tooltip} class="scene-tip"
    role="tooltip" hidden></div><p ref=${status} class="said" role="status" aria-live="polite"></p></div>`;
}

/** Returns what a scene shows as SVG, made from its arrays: the names of the lanes, the boxes, and the legend below. */
export function sceneSvg(scene = current) {
  const {width, shown, from, to, widthOf} = scene,
    parts = [
      `<svg xmlns="http://www.w3.org/2000/svg" width="${GUTTER + width}" height="${shown.height + AXIS_HEIGHT}" ` +
        'font-family="system-ui, sans-serif" font-size="11">',
      `<rect width="100%" height="100%" fill="${colors.surface}"/>`,
    ];
  const text = (x, y, fill, said) =>
    parts.push(
      `<text x="${x.toFixed(2)}" y="${y.toFixed(2)}" fill="${fill}" ` +
        `dominant-baseline="central">${escaped(said)}</text>`,
    );
  for (const {label, note, top} of shown.lanes)
    text(PADDING, top + 8, colors.text, fitted(`${label} ${note}`.trim(), GUTTER - 8, widthOf));
  shown.legend.reduce((x, [hue, said]) => {
    parts.push(`<rect x="${x}" y="${shown.height + 7}" width="10" height="10" fill="${colors[hue]}"/>`);
    text(x + 16, shown.height + AXIS_HEIGHT / 2, colors.text, said);
    return Math.ceil(x + 32 + widthOf(said));
  }, GUTTER);
  parts.push(`<g transform="translate(${GUTTER})">`);
  if (shown.axis) {
    const step = axisStep(to - from, Math.max(2, width / 150));
    for (let mark = Math.ceil(from / step) * step; mark <= to; mark += step)
      text(scene.x(mark) + 3, AXIS_HEIGHT / 2, colors.quiet, shown.axis(mark, step));
  }
  for (const row of scene.rows) {
    eachPiece(row, from, to, width, (left, right, index) => {
      const x = Math.max(0, left),
        wide = Math.min(width, right) - x,
        stroke = row.flags[index]
          ? ` stroke="${row.flags[index] & ESTIMATED ? colors.text : colors.quiet}" stroke-dasharray="3 2"`
          : '';
      const drawn = Math.max(0.5, wide - (wide > 3 ? 1 : 0)).toFixed(2),
        fill = `fill="${colors.fills[row.color[index]]}"${stroke}`,
        title = escaped(visibleText(toldText(shown.told(row.id[index]))));
      parts.push(
        `<rect x="${x.toFixed(2)}" y="${row.top}" width="${drawn}" height="${row.height}" ${fill}>` +
          `<title>${title}</title></rect>`,
      );
    });
    for (const {index, left, text: said} of scene.textsOf(row))
      text(left + PADDING + 1, row.top + row.height / 2, colors.texts[row.color[index]], said);
  }
  return `${parts.join('\n')}\n</g></svg>\n`;
}

/** Buttons of a scene: zoom, and the picture as a file. */
export function SceneTools({name}) {
  const texts = {'scene-zoom-in': '+', 'scene-zoom-out': '−', 'scene-all': 'all'},
    known = commandsOf(SCENE_VIEWS[0]);
  return html`${Object.entries(texts).map(([command, text]) => {
    const {text: says, keys} = known.find(other => other.name === command);
    return html`<button type="button" aria-label=${says} title=${`${says} (${keys[0]})`}
      onClick=${() => runCommand(command)}>${text}</button>`;
  })}<details class="menu"><summary>Picture</summary><div role="menu"><button type="button" role="menuitem"
    onClick=${() => savePicture(`${name}.png`, current.canvas)}>PNG</button>
    <button type="button" role="menuitem" onClick=${() => download(`${name}.svg`, sceneSvg(), 'image/svg+xml')}>SVG
      </button></div></details>`;
}
