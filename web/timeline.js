// SPDX-License-Identifier: BSD-3-Clause
//
// timeline.js - the events of the median run on lanes: what calls what on the processor, and below what runs inside the delegates.

import {element, plainTable} from './dom.js';
import {countText, shareText} from './format.js';
import {backendsOf} from './model.js';
import {backendIndex} from './tree.js';

const LANE_HEIGHT = 30, LONGEST = 12, GAP = 6, AXIS_HEIGHT = 24, LEAST_LABEL = 46;

/* ---- Lanes ---- */

/* Longer first where two start together: what encloses stands before what is inside. */
const byStart = (a, b) => a.start - b.start || b.duration - a.duration;

/* Events into as many levels as are needed so that none overlaps another; an event inside another lands below it. */
function stack(events) {
  const levels = [];
  for (const event of [...events].sort(byStart)) {
    let level = levels.findLastIndex(end => end > event.start) + 1;
    if (level === levels.length) levels.push(0);
    levels[level] = event.start + event.duration;
    event.level = level;
  }
  return levels.length;
}

const endOf = event => event.start + event.duration;

/* True if each event starts where the one before ended. */
function areContiguous(events) {
  const sorted = [...events].sort((a, b) => a.start - b.start || a.duration - b.duration);
  return sorted.every((event, i) => i === 0 || event.start === endOf(sorted[i - 1]));
}

/** True if starts were not measured but laid end to end: events of each call do so, and in one at least that cannot be chance. */
export function isEndToEnd(calls) {
  return calls.some(events => events.length > 2) && calls.every(areContiguous);
}

/* Lays the events of one call end to end into it, shrunk where they take longer than the call: another clock timed them. */
function layIntoCall(call, events) {
  const sum = events.reduce((total, event) => total + event.duration, 0), scale = sum > call.duration ? call.duration / sum : 1;
  let at = call.start;
  for (const event of [...events].sort(byStart)) {
    event.start = at;
    event.shown = event.duration * scale;
    at += event.shown;
  }
}

/* The call that an event belongs to: of its instruction, the last that began before it; else the first. */
function callOf(calls, event) {
  const own = calls.filter(call => call.instruction === event.instruction);
  return own.findLast(call => call.start <= event.start) ?? own[0] ?? null;
}

/* Tells whether a backend's starts were measured; those that lie outside of their calls are laid into them. */
function placeDelegated(calls, events) {
  const groups = new Map();
  for (const event of events) {
    const call = callOf(calls, event);
    if (!groups.has(call)) groups.set(call, []);
    groups.get(call).push(event);
  }
  const isOutside = (call, group) => call !== null && group.some(event => event.start < call.start || endOf(event) > endOf(call));
  const outside = [...groups].some(([call, group]) => isOutside(call, group));
  const synthetic = outside || isEndToEnd([...groups.values()]);
  for (const [call, group] of groups) if (isOutside(call, group)) layIntoCall(call, group);
  for (const event of events) event.synthetic = synthetic;
}

/** Lanes from top to bottom: {label, backend, levels, events, synthetic}; each event has its level, and where it is drawn. */
export function layoutTimeline(timeline) {
  const events = timeline.events.map(event => ({...event, synthetic: false}));
  const host = events.filter(event => !event.delegated), delegated = events.filter(event => event.delegated);
  const calls = host.filter(event => event.name === 'DELEGATE_CALL').sort(byStart);
  const lanes = host.length ? [{label: 'processor', backend: null, events: host}] : [];
  for (const backend of new Set(delegated.map(event => event.backend))) {
    const own = delegated.filter(event => event.backend === backend);
    placeDelegated(calls, own);
    lanes.push({label: backend ?? 'delegate', backend, events: own});
  }
  for (const lane of lanes) {
    lane.synthetic = lane.events.some(event => event.synthetic);
    lane.levels = lane.synthetic ? 1 : stack(lane.events);
    if (lane.synthetic) for (const event of lane.events) event.level = 0;
  }
  const end = events.reduce((last, event) => Math.max(last, event.start + (event.shown ?? event.duration)), 0);
  return {lanes, end};
}

/* ---- Drawing ---- */

function colourOf(host, name) {
  const probe = element('span', {style: {color: `var(${name})`, display: 'none'}});
  host.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}

/* A round step that gives about six marks. */
function axisStep(span) {
  const rough = span / 6, power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map(factor => factor * power).find(step => step >= rough);
}

class TimelineCanvas {
  constructor(app, layout) {
    Object.assign(this, {app, layout, from: 0, to: layout.end || 1, chosen: null});
    this.order = backendsOf(app.method.operators);
    let top = AXIS_HEIGHT;
    for (const lane of layout.lanes) {
      lane.top = top;
      top += lane.levels * LANE_HEIGHT + GAP;
    }
    this.height = top;
    this.sequence = layout.lanes.flatMap(lane => [...lane.events].sort(byStart));
    this.laneOf = new Map(layout.lanes.flatMap(lane => lane.events.map(event => [event, lane])));
    this.canvas = element('canvas', {class: 'timeline-canvas', tabindex: '0', role: 'application', 'aria-label': 'Timeline. Arrow keys choose an event, plus and minus zoom, shift and arrows move, 0 shows all.',
      style: {height: `${this.height}px`}, onkeydown: event => this.key(event), onwheel: event => this.wheel(event), onpointerdown: event => this.press(event)});
    this.said = element('p', {class: 'said', role: 'status', 'aria-live': 'polite'}, 'No event chosen.');
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(this.canvas);
  }

  width() {
    return this.canvas.clientWidth;
  }

  x(ns) {
    return ((ns - this.from) / (this.to - this.from)) * this.width();
  }

  /** Shows a span, kept inside of the run. */
  span(from, to) {
    const end = this.layout.end || 1, size = Math.min(end, Math.max(to - from, end / 1e6));
    this.from = Math.max(0, Math.min(from, end - size));
    this.to = this.from + size;
    this.draw();
  }

  zoom(factor, at = (this.from + this.to) / 2) {
    this.span(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  pan(part) {
    const by = part * (this.to - this.from);
    this.span(this.from + by, this.to + by);
  }

  rectangle(event) {
    const lane = this.laneOf.get(event), left = this.x(event.start), right = this.x(event.start + (event.shown ?? event.duration));
    return {left, width: Math.max(1, right - left), top: lane.top + event.level * LANE_HEIGHT, height: LANE_HEIGHT - 3};
  }

  fill(event, lane) {
    if (event.match === 'framework' && event.operator < 0) return this.colours.framework;
    if (lane.backend !== null) return this.colours[`backend${Math.max(1, backendIndex(this.order, lane.backend))}`];
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
    for (const lane of this.layout.lanes) this.drawLane(context, lane, width);
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
    const drawn = new Array(lane.levels).fill(-1); // right end of what is drawn on each level: events narrower than a pixel share it
    for (const event of lane.events.toSorted(byStart)) {
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
    context.fillText(event.name, left + 5, top + height / 2);
    context.restore();
  }

  drawFrame(context, {left, top, width, height}) {
    context.strokeStyle = this.colours.text;
    context.lineWidth = 2;
    context.strokeRect(left, top, Math.max(3, width), height);
    context.lineWidth = 1;
  }

  /** Chooses an event, tells about it and brings it into sight. */
  choose(event) {
    this.chosen = event;
    const time = ns => `${this.app.time(ns)} ${this.app.unitName()}`, operator = this.app.method.operators[event.operator];
    this.said.replaceChildren(element('strong', {}, event.name), ` ${time(event.duration)}, from ${time(event.start)}${event.synthetic ? ' (order known, start not measured)' : ''}`,
      event.instruction >= 0 ? `, instruction ${event.instruction}` : '', event.backend ? `, ${event.backend}` : '', operator ? ', on ' : '',
      operator ? element('button', {type: 'button', class: 'text-link', onclick: () => this.app.select(operator)}, operator.name) : '');
    const middle = event.start + event.duration / 2;
    if (middle < this.from || middle > this.to) this.span(middle - (this.to - this.from) / 2, middle + (this.to - this.from) / 2);
    else this.draw();
  }

  step(by) {
    const at = this.sequence.indexOf(this.chosen);
    const next = this.sequence[at < 0 ? 0 : Math.max(0, Math.min(this.sequence.length - 1, at + by))];
    if (next) this.choose(next);
  }

  key(event) {
    const actions = {'+': () => this.zoom(0.5), '=': () => this.zoom(0.5), '-': () => this.zoom(2), 0: () => this.span(0, this.layout.end), ArrowRight: () => (event.shiftKey ? this.pan(0.2) : this.step(1)),
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
  const inside = canvas.sequence.some(event => event.delegated); // then calls of delegates say nothing new
  const rows = canvas.sequence.filter(event => event.match !== 'framework' && !(inside && event.name === 'DELEGATE_CALL')).sort((a, b) => b.duration - a.duration).slice(0, LONGEST);
  if (rows.length === 0) return null;
  return element('section', {class: 'card'}, plainTable('Longest events of this run', [
    {title: 'event', class: 'key', cell: event => event.name}, {title: 'on', class: 'key quiet', cell: event => app.method.operators[event.operator]?.name ?? '(no node)'},
    {title: 'backend', class: 'key', cell: event => event.backend ?? ''}, {title: 'instruction', class: 'number', cell: event => (event.instruction >= 0 ? String(event.instruction) : '')},
    {title: `start ${app.unitName()}`, class: 'number', cell: event => (event.synthetic ? 'not measured' : app.time(event.start))},
    {title: `time ${app.unitName()}`, class: 'number', cell: event => app.time(event.duration)}, {title: 'share', class: 'number', cell: event => shareText(event.duration, app.method.timeline.execute)},
  ], rows, event => canvas.choose(event)));
}

function laneLabels(layout) {
  return element('div', {class: 'lane-labels', 'aria-hidden': 'true'}, layout.lanes.map(lane => element('span', {title: lane.label, style: {top: `${lane.top}px`}}, lane.label)));
}

/** The view. */
export function timelineView(app) {
  const {timeline} = app.method;
  if (!timeline) return element('p', {class: 'note'}, 'No run of this method was recorded.');
  const layout = layoutTimeline(timeline), canvas = new TimelineCanvas(app, layout);
  const button = (label, text, action) => element('button', {type: 'button', 'aria-label': label, title: label, onclick: action}, text);
  const synthetic = layout.lanes.filter(lane => lane.synthetic).map(lane => lane.label);
  return element('div', {class: 'timeline'},
    element('div', {class: 'toolbar'}, element('span', {class: 'count'}, `Run ${timeline.run}, the median one: ${app.time(timeline.execute)} ${app.unitName()} · ${countText(timeline.events.length, 'event')}`),
      button('Zoom in', '+', () => canvas.zoom(0.5)), button('Zoom out', '−', () => canvas.zoom(2)), button('Show all', 'all', () => canvas.span(0, layout.end)),
      element('span', {class: 'hint'}, 'wheel zooms, drag moves, ← → step, + − zoom')),
    synthetic.length ? element('p', {class: 'note synthetic'}, `Hatched: ${synthetic.join(', ')} recorded durations and their order, not starts: they stand end to end.`) : null,
    element('div', {class: 'timeline-frame'}, laneLabels(layout), element('div', {class: 'timeline-scroll'}, canvas.canvas)), canvas.said, longestTable(app, canvas));
}
