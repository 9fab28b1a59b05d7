// SPDX-License-Identifier: BSD-3-Clause
//
// timeline.js - the events of the median run on lanes: one for the processor, with nested calls, and one for each backend's delegates below it. The
// document contains the position of each event.

import {element, plainTable, visibleText} from './dom.js';
import {countText, shareText} from './format.js';
import {backendsOf} from './model.js';
import {backendIndex} from './tree.js';

const LANE_HEIGHT = 30, LONGEST = 12, GAP = 6, AXIS_HEIGHT = 24, LEAST_LABEL = 46;

/* ---- Drawing ---- */

function colourOf(host, name) {
  const probe = element('span', {style: {color: `var(${name})`, display: 'none'}});
  host.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}

/* Returns a round step that gives about six marks. */
function axisStep(span) {
  const rough = span / 6, power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map(factor => factor * power).find(step => step >= rough);
}

class TimelineCanvas {
  constructor(app, timeline) {
    Object.assign(this, {app, end: timeline.end || 1, from: 0, to: timeline.end || 1, chosen: null, lanes: timeline.lanes});
    this.order = backendsOf(app.method.operators);
    let top = AXIS_HEIGHT;
    for (const lane of this.lanes) {
      lane.top = top;
      top += lane.levels * LANE_HEIGHT + GAP;
    }
    this.height = top;
    this.sequence = this.lanes.flatMap(lane => lane.events);
    this.kept = app.options.timeline; // {from, to: shares of the end, chosen: index}, which a page that is drawn anew starts with
    if (this.kept.to) Object.assign(this, {from: this.kept.from * this.end, to: this.kept.to * this.end});
    this.canvas = element('canvas', {class: 'timeline-canvas', tabindex: '0', role: 'application', 'aria-label': 'Timeline. Arrow keys choose an event, plus and minus zoom, shift and arrows move, 0 shows all.',
      style: {height: `${this.height}px`}, onkeydown: event => this.key(event), onwheel: event => this.wheel(event), onpointerdown: event => this.press(event)});
    this.said = element('p', {class: 'said', role: 'status', 'aria-live': 'polite'}, 'No event chosen.');
    if (this.sequence[this.kept.chosen]) this.describe(this.sequence[this.kept.chosen]);
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(this.canvas);
  }

  width() {
    return this.canvas.clientWidth;
  }

  x(ns) {
    return ((ns - this.from) / (this.to - this.from)) * this.width();
  }

  /** Shows the time from `from` to `to`, in ns, moved into the run. */
  span(from, to) {
    const {end} = this, size = Math.min(end, Math.max(to - from, end / 1e6));
    this.from = Math.max(0, Math.min(from, end - size));
    this.to = this.from + size;
    Object.assign(this.kept, {from: this.from / end, to: this.to / end});
    this.draw();
  }

  /* Returns the time to zoom around: the middle of the selected event if it is visible, or else of the view. */
  middle() {
    const at = this.chosen ? this.chosen.start + this.chosen.length / 2 : -1;
    return at >= this.from && at <= this.to ? at : (this.from + this.to) / 2;
  }

  zoom(factor, at = this.middle()) {
    this.span(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  pan(part) {
    const by = part * (this.to - this.from);
    this.span(this.from + by, this.to + by);
  }

  rectangle(event) {
    const left = this.x(event.start), right = this.x(event.start + event.length);
    return {left, width: Math.max(1, right - left), top: event.lane.top + event.level * LANE_HEIGHT, height: LANE_HEIGHT - 3};
  }

  fill(event, lane) {
    if (event.match === 'framework' && event.operator < 0) return this.colours.framework;
    if (lane.delegated) return this.colours[`backend${Math.max(1, backendIndex(this.order, lane.backend))}`];
    if (event.name === 'DELEGATE_CALL') return this.colours.delegate;
    return this.colours.backend0;
  }

  draw() {
    const ratio = globalThis.devicePixelRatio || 1, width = this.width();
    if (width === 0) return;
    this.canvas.width = width * ratio;
    this.canvas.height = this.height * ratio;
    const names = {text: '--text', quiet: '--quiet', line: '--line', surface: '--surface', accent: '--accent', framework: '--framework', delegate: '--delegate-only', backend0: '--backend-0', backend1: '--backend-1', backend2: '--backend-2', backend3: '--backend-3', backend4: '--backend-4', bar: '--on-backend'};
    const host = this.canvas.parentElement;
    this.colours = Object.fromEntries(Object.entries(names).map(([key, name]) => [key, colourOf(host, name)]));
    const context = this.canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, this.height);
    this.drawAxis(context, width);
    for (const lane of this.lanes) this.drawLane(context, lane, width);
    if (this.chosen) this.drawFrame(context, this.rectangle(this.chosen));
  }

  drawAxis(context, width) {
    const step = axisStep(this.to - this.from);
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    for (let ns = Math.ceil(this.from / step) * step; ns <= this.to; ns += step) {
      const x = this.x(ns);
      context.fillStyle = this.colours.line;
      context.fillRect(x, AXIS_HEIGHT - 6, 1, this.height);
      context.fillStyle = this.colours.quiet;
      const text = `${Number(this.app.time(ns))} ${this.app.unitName()}`;
      if (x + context.measureText(text).width < width) context.fillText(text, x + 3, AXIS_HEIGHT / 2);
    }
  }

  drawLane(context, lane, width) {
    const drawn = new Array(lane.levels).fill(-1); // right end of the last event drawn on each level; events that would share a pixel are drawn once
    for (const event of lane.events) {
      const {left, width: wide, top, height} = this.rectangle(event);
      if (left > width || left + wide < 0 || left + wide <= drawn[event.level] + 0.5) continue;
      drawn[event.level] = left + wide;
      context.fillStyle = this.fill(event, lane);
      context.fillRect(left, top, wide > 3 ? wide - 1 : wide, height);
      if (event.synthetic) this.hatch(context, left, top, wide > 3 ? wide - 1 : wide, height);
      if (wide > LEAST_LABEL) this.label(context, event, Math.max(left, 0), top, Math.min(left + wide, width) - Math.max(left, 0), height);
    }
  }

  hatch(context, left, top, width, height) {
    if (width < 6) return;
    context.save();
    context.beginPath();
    context.rect(left, top + height - 4, width, 4);
    context.clip();
    context.strokeStyle = this.colours.surface;
    context.beginPath();
    for (let x = Math.max(left, -8) - 4; x < Math.min(left + width, this.width() + 8); x += 5) {
      context.moveTo(x, top + height);
      context.lineTo(x + 4, top + height - 4);
    }
    context.stroke();
    context.restore();
  }

  label(context, event, left, top, width, height) {
    context.save();
    context.beginPath();
    context.rect(left, top, width - 4, height);
    context.clip();
    context.fillStyle = this.colours.bar;
    context.fillText(visibleText(event.name), left + 5, top + height / 2);
    context.restore();
  }

  drawFrame(context, {left, top, width, height}) {
    context.strokeStyle = this.colours.text;
    context.lineWidth = 2;
    context.strokeRect(left, top, Math.max(3, width), height);
    context.lineWidth = 1;
  }

  /** Selects an event, describes it and scrolls to it. */
  choose(event) {
    this.describe(event);
    this.kept.chosen = this.sequence.indexOf(event);
    const middle = event.start + event.duration / 2;
    if (middle < this.from || middle > this.to) this.span(middle - (this.to - this.from) / 2, middle + (this.to - this.from) / 2);
    else this.draw();
  }

  describe(event) {
    this.chosen = event;
    const time = ns => `${this.app.time(ns)} ${this.app.unitName()}`, operator = this.app.method.operators[event.operator];
    this.said.replaceChildren(element('strong', {}, event.name), ` ${time(event.duration)}, from ${time(event.start)}${event.synthetic ? ' (synthetic start: only the order is known)' : ''}`,
      event.instruction >= 0 ? `, instruction ${event.instruction}` : '', event.backend ? visibleText(`, ${event.backend}`) : '', operator ? ', on ' : '',
      operator ? element('button', {type: 'button', class: 'text-link', onclick: () => this.app.select(operator)}, operator.name) : '', operator && event.match === 'aligned' ? ' (estimated)' : '');
  }

  step(by) {
    const at = this.sequence.indexOf(this.chosen);
    const next = this.sequence[at < 0 ? 0 : Math.max(0, Math.min(this.sequence.length - 1, at + by))];
    if (next) this.choose(next);
  }

  key(event) {
    const actions = {'+': () => this.zoom(0.5), '=': () => this.zoom(0.5), '-': () => this.zoom(2), 0: () => this.span(0, this.end), ArrowRight: () => (event.shiftKey ? this.pan(0.2) : this.step(1)),
      ArrowLeft: () => (event.shiftKey ? this.pan(-0.2) : this.step(-1)), Home: () => this.choose(this.sequence[0]), End: () => this.choose(this.sequence[this.sequence.length - 1]),
      Enter: () => this.chosen && this.app.select(this.app.method.operators[this.chosen.operator] ?? null)};
    if (!Object.hasOwn(actions, event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    actions[event.key]();
    event.preventDefault();
  }

  nsAt(x) {
    return this.from + (x / this.width()) * (this.to - this.from);
  }

  wheel(event) {
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan((event.deltaX || event.deltaY) / 1000);
    else this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.nsAt(event.offsetX));
  }

  press(event) {
    const start = event.offsetX, from = this.from, to = this.to;
    let moved = false;
    const move = now => {
      moved ||= Math.abs(now.offsetX - start) > 3;
      if (moved) this.span(from - ((now.offsetX - start) / this.width()) * (to - from), to - ((now.offsetX - start) / this.width()) * (to - from));
    };
    const end = () => {
      this.canvas.removeEventListener('pointermove', move);
      if (!moved) this.pick(start, event.offsetY);
    };
    this.canvas.setPointerCapture(event.pointerId);
    this.canvas.addEventListener('pointermove', move);
    this.canvas.addEventListener('pointerup', end, {once: true});
  }

  pick(x, y) {
    const hit = this.sequence.findLast(event => {
      const {left, width, top, height} = this.rectangle(event);
      return x >= left - 1 && x <= left + width + 1 && y >= top && y <= top + height;
    });
    if (hit) this.choose(hit);
  }
}

function longestTable(app, canvas) {
  const inside = canvas.sequence.some(event => event.lane.delegated); // then the events inside are listed instead of the delegate call
  const rows = canvas.sequence.filter(event => event.match !== 'framework' && !(inside && event.name === 'DELEGATE_CALL')).sort((a, b) => b.duration - a.duration).slice(0, LONGEST);
  if (rows.length === 0) return null;
  return element('section', {class: 'card'}, plainTable('Longest events of this run', [
    {title: 'event', class: 'key', cell: event => event.name},
    {title: `time ${app.unitName()}`, class: 'number', cell: event => app.time(event.duration)}, {title: 'share', class: 'number', cell: event => shareText(event.duration, app.method.timeline.execute)},
    {title: 'node', class: 'key quiet', cell: event => `${event.match === 'aligned' ? '≈ ' : ''}${app.method.operators[event.operator]?.name ?? '(no node)'}`},
    {title: 'backend', class: 'key', cell: event => event.backend ?? ''}, {title: 'instruction', class: 'number', cell: event => (event.instruction >= 0 ? String(event.instruction) : '')},
    {title: `start ${app.unitName()}`, class: 'number', cell: event => (event.synthetic ? 'synthetic' : app.time(event.start))},
  ], rows, event => canvas.choose(event)));
}

function laneLabels(lanes) {
  return element('div', {class: 'lane-labels', 'aria-hidden': 'true'}, lanes.map(lane => element('span', {title: lane.label, style: {top: `${lane.top}px`}}, lane.label)));
}

/** Makes the view. */
export function timelineView(app) {
  const {timeline} = app.method;
  if (!timeline) return element('p', {class: 'note'}, 'No run of this method was recorded.');
  if (!timeline.lanes) return element('p', {class: 'note'}, 'This record was written by an earlier version, which did not store event positions. Write it again to see its timeline.');
  const canvas = new TimelineCanvas(app, timeline);
  const button = (label, text, action) => element('button', {type: 'button', 'aria-label': label, title: label, onclick: action}, text);
  const synthetic = timeline.lanes.filter(lane => lane.events.some(event => event.synthetic)).map(lane => lane.label);
  return element('div', {class: 'timeline'},
    element('div', {class: 'toolbar'}, element('span', {class: 'count'}, `Run ${timeline.run}, the median one: ${app.time(timeline.execute)} ${app.unitName()} · ${countText(canvas.sequence.length, 'event')}`),
      button('Zoom in', '+', () => canvas.zoom(0.5)), button('Zoom out', '−', () => canvas.zoom(2)), button('Show all', 'all', () => canvas.span(0, timeline.end)),
      element('span', {class: 'hint'}, 'wheel zooms, drag moves, ← → step, + − zoom')),
    synthetic.length ? element('p', {class: 'note synthetic'}, `Hatched: synthetic start. ${synthetic.join(', ')} recorded only the duration and order of events, so each is placed after the one before it.`) : null,
    element('div', {class: 'timeline-frame'}, laneLabels(timeline.lanes), element('div', {class: 'timeline-scroll'}, canvas.canvas)), canvas.said, longestTable(app, canvas));
}
