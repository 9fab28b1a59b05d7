// SPDX-License-Identifier: BSD-3-Clause
//
// events.js - the events of one run as columns: how they are nested, called and grouped, the modules that they belong
// to, and the sums over a span. It needs no page.

import {Columns, grouped} from './columns.js';
import {letteredEnd, phaseText, shortBackend, shortOp} from './labels.js';
import {TOP_LEVEL, isInside, lineKey, operatorLabel} from './method.js';
import {firstEndingAfter, makeRow} from './rects.js';

/**
 * What an event is: the whole run, the runtime's call of a kernel, a kernel, a call of a delegate, an event inside a
 * delegate.
 */
export const EXECUTE = 0,
  CALL = 1,
  KERNEL = 2,
  DELEGATE = 3,
  INSIDE = 4;

export const SEVERAL = '(several modules)';

/** Returns the innermost module that holds all rows; null if that is the model. */
export function commonModule(operators, rows) {
  let common = operators.module(rows[0]);
  for (const row of rows) while (common && !isInside(operators.module(row), common)) common = common.parent;
  return common?.path ? common : null;
}

/**
 * The events of a run. Columns: start, end, duration in ns, lane, level, operator, instruction, parent: the event
 * around each or -1, kind: one of the above.
 */
export class Events extends Columns {
  constructor(table, texts, method) {
    super(table, table.count, texts);
    this.method = method;
    this.lanes = table.lanes;
    this.execute = table.execute;
    this.run = table.run;
    this.duration = this.numbers('duration');
    this.start = this.numbers('start');
    this.lane = this.indices('lane');
    this.level = this.indices('level');
    this.operator = this.indices('operator');
    this.instruction = this.indices('instruction');
    this.measured = this.indices('measured');
    this.labels = new Map();
    const scale = this.numbers('scale'); // missing where it is 1
    this.stop = Float64Array.from(
      this.start,
      (start, event) => start + this.duration[event] * (scale[event] >= 0 ? scale[event] : 1),
    );
    this.end = this.stop.reduce((most, stop) => Math.max(most, stop), 1);
    this.nest();
  }

  /* Sets parent and kind. An event is inside the one of the level above that contains its middle; what runs in a
     delegate is inside the delegate's call. */
  nest() {
    const {count, lanes, lane, level, start, stop, operator, instruction} = this,
      all = Array.from({length: count}, (_, event) => event);
    const made = new Map(
      [...grouped(all, event => `${lane[event]}.${level[event]}`)].map(([key, ids]) => [
        key,
        makeRow(ids, {start: event => start[event], end: event => stop[event]}),
      ]),
    );
    const holder = (key, event) => {
      const row = made.get(key),
        at = row ? firstEndingAfter(row, start[event]) : 0,
        found = row && at < row.count && row.x0[at] <= start[event] ? row.id[at] : (row?.id[at - 1] ?? -1);
      return found >= 0 && start[found] <= start[event] && stop[event] <= stop[found] + 1e-6 * this.end ? found : -1;
    };
    const main = lanes.findIndex(({delegated}) => !delegated),
      calls = grouped(
        all.filter(event => lane[event] === main && this.isOfDelegate(event) && operator[event] < 0),
        event => instruction[event],
      );
    this.parent = new Int32Array(count).fill(-1);
    this.kind = new Uint8Array(count);
    for (let event = 0; event < count; event++) {
      const isInside = lanes[lane[event]].delegated;
      if (level[event] > 0) this.parent[event] = holder(`${lane[event]}.${level[event] - 1}`, event);
      else if (isInside)
        this.parent[event] = (calls.get(instruction[event]) ?? []).findLast(call => start[call] <= start[event]) ?? -1;
      this.kind[event] = isInside
        ? INSIDE
        : operator[event] >= 0
          ? KERNEL
          : this.isOfDelegate(event)
            ? DELEGATE
            : level[event] === 0 && instruction[event] < 0
              ? EXECUTE
              : this.text('match', event) === 'framework'
                ? CALL
                : KERNEL;
    }
    this.inside = grouped(
      all.filter(event => this.parent[event] >= 0),
      event => this.parent[event],
    );
  }

  backend(event) {
    return this.text('backend', event);
  }

  /** Whether an event is of a delegate, whose backend a record may not say. */
  isOfDelegate(event) {
    return this.indices('delegate')[event] >= 0 || this.backend(event) !== null;
  }

  /**
   * The operators that an event stands for: one, those of a delegate, or none. A call stands for the operator of its
   * kernel.
   */
  operatorsOf(event) {
    if (this.operator[event] >= 0) return [this.operator[event]];
    if (this.kind[event] === DELEGATE) return this.ofDelegate(this.instruction[event]);
    const inside = this.kind[event] === CALL ? (this.inside.get(event) ?? []) : [];
    return inside.length === 1 ? this.operatorsOf(inside[0]) : [];
  }

  /** The events inside an event, at any depth. */
  allInside(event) {
    return (this.inside.get(event) ?? []).flatMap(part => [part, ...this.allInside(part)]);
  }

  /** The operators of a delegate, by the instruction that calls it. */
  ofDelegate(instruction) {
    if (!this.delegates) {
      const column = this.method.operators.indices('delegate');
      this.delegates = grouped(column.keys(), row => column[row]);
    }
    return instruction < 0 ? [] : (this.delegates.get(instruction) ?? []);
  }

  /** Whether the operator or the time of an event is an estimate. */
  isEstimated(event) {
    if (this.has('estimated')) return this.raw('estimated', event) === 1;
    return (
      this.text('match', event) === 'aligned' ||
      (this.operator[event] >= 0 && this.method.operators.isEstimated(this.operator[event]))
    );
  }

  /** The name of the event as the runtime wrote it. */
  rawName(event) {
    return this.text('name', event) ?? '';
  }

  /** The name of a kernel without what the runtime or the backend adds to it: all calls of one kernel have one. */
  kernel(event) {
    return this.rawName(event).replace(/^native_call_| #\d+$|(_\d+)?:OpId_\d+$/g, '');
  }

  /** The drawn time of each event in ns, without what is in events inside it unless it is a kernel. */
  ownTimes() {
    const lengths = this.stop.map((stop, event) => stop - this.start[event]),
      own = lengths.slice();
    this.parent.forEach((parent, event) => this.kind[parent] !== KERNEL && (own[parent] -= lengths[event]));
    return own;
  }

  /** How an event is called: by its module and operator. */
  label(event) {
    if (!this.labels.has(event)) this.labels.set(event, this.makeLabel(event));
    return this.labels.get(event);
  }

  makeLabel(event) {
    const {operators, delegates} = this.method,
      kind = this.kind[event],
      [row] = this.operatorsOf(event),
      parent = this.parent[event];
    if (kind === DELEGATE) {
      const rows = this.operatorsOf(event),
        count = rows.length || delegates.find(({instruction}) => instruction === this.instruction[event])?.nodes || 0;
      return `${rows.length ? (commonModule(operators, rows)?.path ?? SEVERAL) : shortBackend(this.backend(event) ?? 'unknown')}${
        count ? ` (${count} node${count === 1 ? '' : 's'})` : ''
      }`;
    }
    if (row !== undefined)
      return kind === KERNEL && parent >= 0 && this.kind[parent] === CALL
        ? shortOp(operators.op(row))
        : operatorLabel(operators, row);
    if (kind === INSIDE)
      return this.text('phase', event)
        ? phaseText(this.text('phase', event), this.backend(event))
        : this.rawName(event).replace(/ #\d+$|:OpId_\d+$/, '');
    const inside = kind === CALL ? (this.inside.get(event) ?? []) : [];
    if (inside.length === 1) return this.label(inside[0]);
    if (kind === CALL) return this.instruction[event] >= 0 ? `instruction ${this.instruction[event]}` : 'runtime';
    const [, called] = this.rawName(event).match(/^native_call_(\w+?)(\.\w+)?$/) ?? [];
    return (
      called ??
      (kind === KERNEL && this.instruction[event] >= 0 ? `instruction ${this.instruction[event]}` : this.rawName(event))
    );
  }

  /**
   * The module that an event belongs to: that of its operator, or of all operators of a delegate. Null if there is
   * none.
   */
  module(event) {
    const rows = this.operatorsOf(event);
    return rows.length ? commonModule(this.method.operators, rows) : null;
  }

  /** The keys by which a table over a span adds events up. */
  groupKey(event, by) {
    const {operators} = this.method,
      [row] = this.operatorsOf(event),
      kind = this.kind[event],
      own = this.operator[event] >= 0;
    // what is not an operator itself
    const beside = kind === EXECUTE || kind === CALL ? 'runtime' : kind === DELEGATE ? 'delegate calls' : null;
    if (by === 'backend')
      return beside === 'runtime' ? beside : (this.backend(event) ?? (this.isOfDelegate(event) ? 'unknown' : 'cpu'));
    if (by === 'module') return this.module(event)?.path ?? (beside && row === undefined ? beside : TOP_LEVEL);
    if (beside) return beside;
    if (by === 'source') return own ? lineKey(operators.source(row)) || '(not recorded)' : '(not recorded)';
    return own ? shortOp(operators.op(row)) : this.label(event);
  }
}

/* Sets start and duration of a run's events from what the document has: of each start the gap to the event before,
   of each duration what is left behind the last event directly inside. */
function withTimes(table) {
  const columns = new Columns(table, table.count, []),
    gap = columns.numbers('gap'),
    time = columns.numbers('time'),
    lane = columns.indices('lane'),
    level = columns.indices('level'),
    {count} = table;
  const start = new Float64Array(count),
    duration = Float64Array.from(time, left => left || 0),
    around = new Int32Array(count).fill(-1),
    last = new Int32Array(count).fill(-1);
  const isIn = (event, other) =>
    Math.max(0, lane[event]) === Math.max(0, lane[other]) ? level[event] > level[other] : lane[event] > lane[other];
  for (let event = 1; event < count; event++) {
    start[event] =
      start[event - 1] + (gap[event] || 0) + (isIn(event, event - 1) ? 0 : Math.floor(duration[event - 1]));
    for (around[event] = event - 1; around[event] >= 0 && !isIn(event, around[event]);)
      around[event] = around[around[event]];
  }
  for (let event = count - 1; event >= 0; event--) {
    if (last[event] >= 0) duration[event] += start[last[event]] + duration[last[event]] - start[event];
    if (around[event] >= 0 && last[around[event]] < 0) last[around[event]] = event;
  }
  return {...table, start: Array.from(start), duration: Array.from(duration)};
}

/**
 * Reads the section `timeline`: {runs: [{run: its number, execute, isFirst: after a load}], nearest: the position of
 * the one to begin with, leftOut: number of runs without events, eventsOf(at)}. Runs with the same events share
 * a structure.
 * Null if no run was recorded.
 */
export function readTimeline(said, texts, method) {
  if (!said?.runs.length) return null;
  const {run_numbers: numbers, runs_after_load: firsts, nearest_run: nearest} = method.document,
    kept = [],
    runs = said.runs.map(({run}) => ({
      run: numbers[run] ?? run,
      execute: method.perRun[run],
      isFirst: firsts.includes(run),
    }));
  const tableOf = at => withTimes({...said.structures[said.runs[at].structure], ...said.runs[at]});
  return {
    runs,
    nearest: Math.max(
      0,
      said.runs.findIndex(({run}) => run === nearest),
    ),
    leftOut: said.runs_left_out,
    eventsOf: at => (kept[at] ??= new Events({...tableOf(at), ...runs[at]}, texts, method)),
  };
}

/**
 * Returns the times of all operators in a run, in ns: the sums of their events, but for the operators that the section
 * `per_run` lists, such as those that have a share of an event.
 */
export function timesOfRun(timeline, at, perRun, count) {
  const events = timeline.eventsOf(at),
    of = new Float64Array(count).fill(NaN);
  for (let event = 0; event < events.count; event++) {
    const row = events.operator[event];
    if (row >= 0 && row < count) of[row] = (of[row] || 0) + events.duration[event];
  }
  perRun?.operators.forEach((row, index) => (of[row] = perRun.times[index * timeline.runs.length + at] ?? NaN));
  return of;
}

/**
 * Whether an event took so much longer than the median of its operator that something must have interrupted it: five
 * times as long, and by more than five steps of the clock.
 */
export const isInterrupted = (ns, median, step) => ns > 5 * median && ns - median > 5 * step;

/* What an event is in any run: the operator, or the call of a delegate. */
const keyOfEvent = ({operator, instruction}, event) =>
  operator[event] >= 0 ? `o${operator[event]}` : `i${instruction[event]}`;

/** Returns for each of some events of a run the event of another run that is the same: a Map. */
export function sameEvents(own, list, other, others) {
  const known = grouped(others, event => keyOfEvent(other, event)),
    found = new Map();
  for (const [key, events] of grouped(list, event => keyOfEvent(own, event)))
    events.forEach((event, at) => known.get(key)?.[at] >= 0 && found.set(event, known.get(key)[at]));
  return found;
}

/* ---- Modules over time ---- */

/**
 * Returns how deep the modules of the first lane are: equal ones, such as layers, below the head that all labels leave
 * out. `head` is a pattern: "encoder.layers.encoder_layer_*" are the layers themselves, in "features" they are inside.
 */
const depthOf = head => (head === '' ? 1 : head.split('.').length + (head.split('.').at(-1).includes('*') ? 0 : 1));

/** Returns the name of the lane of modules below a head: "encoder_layer" for "encoder.layers.encoder_layer_*". */
export function laneNameOf(head) {
  const parts = head.split('.'),
    last = parts.at(-1) === '*' ? (parts.at(-2) ?? '') : parts.at(-1);
  return last.replace(/[._]?\*$/, '') || 'module';
}

/* Returns the boxes of two lanes that a module is in, outermost first: [{key, label}]. */
function chainIn(module, head) {
  const path = module?.path ?? '';
  if (!path) return [];
  const parts = path.split('.'),
    depth = depthOf(head);
  if (head !== '' && module.pattern !== head && !module.pattern.startsWith(`${head}.`))
    return [{key: path, label: letteredEnd(path)}];
  if (parts.length < depth) return [];
  const number = parts[depth - 1].match(/^(?:.*?[_.])?(\d+)$/)?.[1],
    inside = parts.slice(0, depth + 1).join('.');
  const first = {
    key: parts.slice(0, depth).join('.'),
    label: head === '' || number === undefined ? parts[depth - 1] : number,
  };
  return parts.length > depth ? [first, {key: inside, label: parts[depth]}] : [first];
}

/**
 * Returns the time of modules on two lanes, each {module, label, start, end, time, events, isSynthetic}: consecutive
 * events of one module are one box, which ends where anything else begins; `time` is that of its events. A call whose
 * operators belong to one module is one event; one with several modules is drawn by its inner events, whose starts may
 * not be measured.
 */
export function moduleBoxes(events, head = '') {
  const levels = [[], []],
    open = [null, null], // the boxes that the next event may be in
    {modulesByPath} = events.method;
  const add = (level, place, event) => {
    const isSynthetic = events.measured[event] === 0;
    if (open[level]?.key !== place?.key || open[level]?.isSynthetic !== isSynthetic) {
      open[level] = place && {
        ...place,
        module: modulesByPath.get(place.key) ?? null,
        start: events.start[event],
        end: 0,
        time: 0,
        events: 0,
        isSynthetic,
      };
      if (place) levels[level].push(open[level]);
    }
    const box = open[level];
    if (!box) return;
    box.end = Math.max(box.end, events.stop[event]);
    box.time += events.duration[event];
    box.events++;
  };
  const chainOf = event => chainIn(events.module(event), head);
  for (let event = 0; event < events.count; event++) {
    const {kind, parent, operator, start} = events;
    if (kind[event] === EXECUTE || kind[event] === INSIDE || (parent[event] >= 0 && kind[parent[event]] !== EXECUTE))
      continue;
    const chain = chainOf(event),
      parts = events
        .allInside(event)
        .filter(part => operator[part] >= 0 && !(operator[parent[part]] >= 0))
        .sort((a, b) => start[a] - start[b]);
    for (const level of [0, 1]) {
      if (chain[level] || parts.length === 0) add(level, chain[level], event);
      else for (const part of parts) add(level, chainOf(part)[level], part);
    }
  }
  return levels;
}

/* The least number of equal modules, and of events in each; how many times as long as half of them nine in ten may
   be. */
const REPEATS = 4,
  PARTS = 4,
  ALIKE = 2;

/**
 * Returns from when to when the repeated module runs whose time is the median of its kind: [from, to] in ns. Null if
 * there is none: where few modules are equal, or take unequal times. `boxes` are those of the first lane.
 */
export function typicalModule(boxes) {
  const modules = grouped(
      boxes.filter(({module}) => module?.pattern.includes('*')),
      ({key}) => key,
    ),
    kinds = grouped([...modules.values()], ([{module}]) => module.pattern),
    [most] = [...kinds.values()].filter(kind => kind.length >= REPEATS).sort((a, b) => b.length - a.length);
  if (!most) return null;
  const spans = most
    .map(parts => ({
      from: Math.min(...parts.map(({start}) => start)),
      to: Math.max(...parts.map(({end}) => end)),
      events: parts.reduce((sum, {events}) => sum + events, 0),
    }))
    .sort((a, b) => a.to - a.from - (b.to - b.from));
  const {from, to, events} = spans[spans.length >> 1],
    long = spans[Math.floor(0.9 * (spans.length - 1))];
  return events >= PARTS && long.to - long.from <= ALIKE * (to - from) ? [from, to] : null;
}

/* ---- Sums over a span ---- */

/**
 * Returns, for each event of the chosen lanes, the ns of it inside the span, and those that are in no event inside it:
 * {total, self: Float64Array, touched: the events}.
 */
export function clippedTimes(events, [from, to], isChosen) {
  const {count, start, stop, lane, parent, duration} = events,
    total = new Float64Array(count),
    self = new Float64Array(count),
    touched = [];
  for (let event = 0; event < count; event++) {
    const length = stop[event] - start[event],
      inside = Math.min(to, stop[event]) - Math.max(from, start[event]);
    if (!isChosen(lane[event]) || inside < 0 || (length > 0 ? inside <= 0 : start[event] >= to)) continue;
    const time =
      // an event that was scaled to fit counts with its duration
      length > 0 ? (inside >= length ? duration[event] : duration[event] * (inside / length)) : duration[event];
    total[event] = time;
    self[event] += time;
    touched.push(event);
    if (parent[event] >= 0) self[parent[event]] -= time;
  }
  for (const event of touched) self[event] = Math.max(0, self[event]);
  return {total, self, touched};
}

/** Returns the rows of the table over a span: {key, count, total, self, operators}, most self time first. */
export function sumSpan(events, span, isChosen, by) {
  const {total, self, touched} = clippedTimes(events, span, isChosen),
    groups = new Map();
  for (const event of touched) {
    const key = events.groupKey(event, by);
    if (!groups.has(key)) groups.set(key, {key, count: 0, total: 0, self: 0, event});
    const group = groups.get(key);
    group.count++;
    group.total += total[event];
    group.self += self[event];
  }
  return [...groups.values()].sort((a, b) => b.self - a.self || b.total - a.total);
}
