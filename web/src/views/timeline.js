// SPDX-License-Identifier: BSD-3-Clause
//
// timeline.js - the events of a run: modules, operators and calls on lanes that fill the window, other runs or the base
// on the same scale, details below. A marked span is summed.

import {
  baseMethod,
  carryingRows,
  compared,
  comparedMethod,
  explain,
  explainRuns,
  hits,
  isHitName,
  labelOf,
  method,
  nearestText,
  profile,
  sectionOf,
  selection,
  stepOf,
  timelineOf,
  timeOf,
  timeWithUnit,
  times,
  unit,
  unitName,
  wholeTime,
} from '../base/app.js';
import {Columns, medianOf} from '../base/columns.js';
import {command} from '../base/commands.js';
import {
  CALL,
  DELEGATE,
  EXECUTE,
  INSIDE,
  KERNEL,
  isInterrupted,
  laneNameOf,
  moduleBoxes,
  sameEvents,
  sumSpan,
  timesOfRun,
  typicalModule,
} from '../base/events.js';
import {countText, numberText, lineText, shareText, signOf, sizeOf, stepText} from '../base/format.js';
import {html} from '../base/html.js';
import {relativePath, shortBackend, shortOp} from '../base/labels.js';
import {RUN_WORDS, placeOf, rowsInside} from '../base/method.js';
import {hueOf} from '../base/colors.js';
import {SYNTHETIC, makeRow} from '../base/rects.js';
import {allRowsOf, rowLabels} from '../base/rows.js';
import {nodeId} from '../base/selection.js';
import {declare, flag, get, list, number, oneOf, peek, set, text} from '../base/store.js';
import {Check, NodeLink, Segments, timeText} from '../parts/bits.js';
import {room} from '../parts/room.js';
import {AXIS_HEIGHT, OVERVIEW, Scene, SceneTools, colorOf, currentScene} from '../parts/scene.js';
import {SmallTable} from '../parts/table.js';
import {Definitions, detailsOfKind} from './details.js';
import {allRows, head, legendRows} from './time_picture.js';

const GAP = 6,
  MOST_OTHERS = 4,
  MOST_CALLS = 200,
  BARS = 96; // BARS: height of the page's bar and of the tools
const STRIP = 24; // height of another run
const STRIP_HUES = [
  ['less', 'faster in the other run'],
  ['more', 'slower in the other run'],
];
const BY = [
  ['op', 'Operator'],
  ['module', 'Module'],
  ['backend', 'Backend'],
  ['source', 'Source line'],
];

declare({
  'tl.from': number(0),
  'tl.to': number(0),
  'tl.span': text(),
  'tl.without': list(),
  'tl.raw': flag(false),
  'tl.full': flag(false), // other runs as they ran, and not what differs in them
  'tl.by': oneOf('op', ...BY.slice(1).map(([value]) => value)),
});

command({
  name: 'timeline-raw',
  keys: ['r'],
  text: 'Show the names of events as the runtime wrote them',
  views: ['timeline'],
  run: () => set({'tl.raw': !peek('tl.raw')}, {replace: true}),
});

/* ---- Which runs ---- */

const timesOf = runs => runs.map(({execute}) => execute);

/* The number of the run that the state asks for; null if it asks for none. */
const shownRunNumber = () => (get('stat') === 'run' ? Number(get('run')) : null);

/* The position of a run among those of a timeline: the one of the state, or the one to begin with. */
function runAt(timeline, wanted) {
  const found = wanted === null ? -1 : timeline.runs.findIndex(({run}) => run === wanted);
  return found >= 0 ? found : timeline.nearest;
}

/* Other runs to draw below: the fastest, the slowest, and the neighbors. */
function othersOf({runs}, at) {
  const times = timesOf(runs),
    wanted = [RUN_WORDS.fastest(times), RUN_WORDS.slowest(times), at - 1, at + 1];
  return [...new Set(wanted)]
    .filter(other => other >= 0 && other < runs.length && other !== at)
    .slice(0, MOST_OTHERS)
    .sort((a, b) => a - b);
}

/* ---- Lanes ---- */

/* The share of an operator, or of a kernel on no node, with all of its kind, in the time of an inference: how strong
   its color is. Keys are operators and names of kernels. */
function sharesOf(shown) {
  const shares = new Map(),
    whole = shown.execute.typical ?? wholeTime.value,
    typical = {stat: 'typical', of: shown.operators.numbers('typical'), whole};
  for (const row of allRowsOf(shown, typical))
    for (const key of row.rows?.length ? row.rows : [row.op]) shares.set(key, row.time / whole);
  return shares;
}

/* The color of an event: where it runs, as strong as its operator's share. */
function colorOfEvent(events, event, shares) {
  const {operators} = events.method,
    kind = events.kind[event],
    operator = events.operator[event],
    backend = events.backend(event);
  const hue =
    kind === KERNEL
      ? 'cpu'
      : kind === INSIDE || kind === DELEGATE
        ? hueOf(Math.max(0, placeOf(operators, backend)))
        : 'runtime';
  const own = kind === INSIDE ? events.duration[event] / events.execute : 0;
  return colorOf(hue, (shares.get(operator < 0 ? events.kernel(event) : operator) ?? own) || 0.02);
}

/* The events of the operators' lane: kernels, what runs in delegates, and delegates that recorded nothing inside. */
function isOperator(events, event) {
  const kind = events.kind[event],
    hasInside = events.inside.has(event);
  return !hasInside && (kind === KERNEL || kind === INSIDE || kind === DELEGATE);
}

const all = events => Array.from({length: events.count}, (_, event) => event),
  operatorsIn = events => all(events).filter(event => isOperator(events, event));

/* The events of operators on no node, such as the kernels of a record without a graph. */
const onNoNode = events => operatorsIn(events).filter(event => events.operator[event] < 0);

/* What the gray between and behind operators is. */
function groundLines(events) {
  const rest = operatorsIn(events).reduce((left, event) => left - events.duration[event], events.execute);
  return ['calls and runtime', `${measured(Math.max(0, rest))} in no operator`];
}

const MOST_RUNS = 12, // whose times are told side by side
  timesOnNoNode = new WeakMap(); // events of a run -> {event: its times in the first runs}

/* Returns the times in ns of an event on no node in the first runs of the page; NaN where a run lacks it. */
function timesInRuns(events, event) {
  if (!timesOnNoNode.has(events)) {
    const {timeline} = timelineOf(events.method),
      runs = timeline.runs.slice(0, MOST_RUNS),
      list = onNoNode(events),
      made = new Map(list.map(own => [own, runs.map(() => NaN)]));
    if (list.length)
      for (const at of runs.keys()) {
        const other = timeline.eventsOf(at);
        for (const [own, same] of sameEvents(events, list, other, onNoNode(other)))
          made.get(own)[at] = other.duration[same];
      }
    timesOnNoNode.set(events, made);
  }
  return timesOnNoNode.get(events).get(event) ?? [];
}

/* How long an event takes usually, in ns: [median, least, most] of its operator or, of a kernel on no node, of some
   runs. The typical run may contain an interruption, the median does not. */
function usualOf(events, event) {
  const {operators} = events.method,
    row = events.operator[event];
  if (row >= 0) return ['p50', 'min', 'max'].map(key => operators.numbers(key)[row]);
  const times = timesInRuns(events, event)
    .filter(ns => ns >= 0)
    .sort((a, b) => a - b);
  return [medianOf(times), times[0], times.at(-1)];
}

const isLong = (events, event) =>
  isInterrupted(events.duration[event], usualOf(events, event)[0], stepOf(events.backend(event)));

const LESS_BY = 0.2; // part of a time by which another run must differ to have a color

/* How much longer an event took than the same one of the run above, in ns; 0 if that says nothing. */
function differenceOf(events, event, own, same) {
  const [mine, its] = [own.duration[same], events.duration[event]],
    least = Math.max(LESS_BY * mine, 3 * stepOf(events.backend(event)));
  return Math.abs(its - mine) > least ? its - mine : 0;
}

/* A picture being made: lanes below each other, whose boxes have ids that go on at `next`. */
class Picture {
  constructor() {
    this.rows = [];
    this.lanes = [];
    this.sides = [];
    this.next = 0;
    this.overview = null;
    this.opening = null;
    this.height = AXIS_HEIGHT + 4;
    this.end = 1;
  }

  lane(label, height, row, note = '') {
    this.lanes.push({key: `${this.sides.length}.${this.lanes.length}`, label, note, top: this.height, height});
    this.rows.push({...row, top: this.height, height});
    this.height += height + GAP;
  }

  /* Adds a run with the lanes that `heights` names; a lane without a height is left out. */
  add(name, events, heights, {shares, label = '', headText}) {
    const boxes = moduleBoxes(events, headText),
      first = this.next,
      flat = boxes.flat();
    let id = first + events.count;
    const ids = boxes.map(level => level.map(() => id++)),
      boxOf = at => flat[at - first - events.count];
    boxes.forEach((level, at) => {
      if (!heights.module || level.length === 0) return;
      const color = box => colorOf((box - ids[at][0]) % 2 ? 'odd' : 'even'),
        flags = box => (boxOf(box).isSynthetic ? SYNTHETIC : 0);
      const title = at === 0 ? laneNameOf(headText) : 'module';
      this.lane(title, heights.module, {
        ...makeRow(ids[at], {start: box => boxOf(box).start, end: box => boxOf(box).end, color, flags: () => 0}),
        isBold: at === 0,
        flagsOf: flags,
      });
    });
    const rowOf = list =>
      makeRow(
        list.map(event => first + event),
        {
          start: at => events.start[at - first],
          end: at => events.stop[at - first],
          color: at => colorOfEvent(events, at - first, shares),
          flags: at => (events.measured[at - first] === 0 && events.kind[at - first] !== INSIDE ? SYNTHETIC : 0),
        },
      );
    const row = rowOf(operatorsIn(events));
    this.lane(
      label || 'operator',
      heights.operator,
      {
        ...row,
        marks: heights.module ? Array.from(row.id.keys()).filter(index => isLong(events, row.id[index] - first)) : [],
        ground: {end: events.execute, color: colorOf('runtime', 0.01), lines: groundLines(events)},
      },
      label ? timeOf(events.execute, stepOf()) : '',
    );
    this.overview ??= row;
    this.opening ??= heights.module ? typicalModule(boxes[0]) : null;
    if (heights.call)
      this.lane(
        'call',
        heights.call,
        rowOf(
          all(events).filter(
            event =>
              events.kind[event] === DELEGATE ||
              events.kind[event] === CALL ||
              (events.kind[event] === KERNEL && events.parent[event] < 0),
          ),
        ),
      );
    this.sides.push({name, events, boxes: flat, first});
    this.next = id;
    this.end = Math.max(this.end, events.end, events.execute || 0);
  }

  /* Adds what differs in another run: the boxes of the run above, in the color of how much longer they took there. */
  addDifference(events, own, label) {
    const first = this.next,
      same = sameEvents(own, operatorsIn(own), events, operatorsIn(events)),
      back = new Map([...same].map(([mine, its]) => [its, mine]));
    const row = makeRow(
      [...same.values()].map(event => first + event),
      {
        start: at => own.start[back.get(at - first)],
        end: at => own.stop[back.get(at - first)],
        color: at => {
          const by = differenceOf(events, at - first, own, back.get(at - first));
          return colorOf(by > 0 ? 'more' : by < 0 ? 'less' : 'even');
        },
      },
    );
    this.lane(label, STRIP, row, signOf(timeOf(events.execute - own.execute, stepOf())));
    this.sides.push({name: 'other', events, boxes: [], first, back, own});
    this.next = first + events.count;
  }

  find(id) {
    const {name, events, boxes, first, back, own} = this.sides.findLast(side => side.first <= id),
      at = id - first;
    return at < events.count
      ? {name, events, event: at, box: null, own, same: back?.get(at)}
      : {name, events, event: -1, box: boxes[at - events.count], own: null, same: -1};
  }
}

const clamp = (least, value, most) => Math.max(least, Math.min(value, most));

/** The height of the details below the timeline. */
export const belowHeight = () => clamp(184, room.value.height * 0.26, 384);

/* The heights of lanes in the room that the window leaves: operators take what is left. */
function heightsFor(others, hasBase) {
  const space = Math.max(240, room.value.height - BARS - belowHeight() - 24 - OVERVIEW - 4),
    module = clamp(22, space * 0.06, 40),
    call = clamp(12, space * 0.03, 24);
  const isFull = get('tl.full'),
    strips = isFull ? 0 : others * (STRIP + GAP),
    left = space - AXIS_HEIGHT - 4 - 2 * (module + GAP) - (call + GAP) - strips;
  return {
    module,
    call,
    operator: Math.max(48, (hasBase ? left * 0.6 : isFull ? left / (1 + 0.62 * others) : left) - GAP),
    base: Math.max(32, left * 0.4 - GAP),
    other: Math.max(STRIP, (0.62 * left) / (1 + 0.62 * others) - GAP),
  };
}

let kept = {}; // the last picture and what it is made from: state that only changes marks makes no new rows

function pictureOf(own, base, others) {
  const key = [
    own,
    base,
    ...others,
    head.value,
    allRows.value,
    room.value.height,
    unitName.value,
    get('digits'),
    get('tl.full'),
  ];
  if (kept.key?.length === key.length && kept.key.every((part, at) => part === key[at])) return kept.picture;
  const picture = new Picture(),
    heights = heightsFor(others.length, Boolean(base)),
    shares = sharesOf(own.method),
    headText = head.value;
  picture.add('this', own, heights, {shares, headText});
  for (const other of others)
    if (get('tl.full'))
      picture.add('other', other, {operator: heights.other}, {shares, headText, label: `run ${other.run}`});
    else picture.addDifference(other, own, `run ${other.run}`);
  if (base)
    picture.add('base', base, {operator: heights.base}, {shares: sharesOf(base.method), headText, label: 'base'});
  kept = {key, picture};
  return picture;
}

/** Makes the rows that the view draws at first. */
export function prepareTimeline(shown) {
  const {timeline} = timelineOf(shown);
  if (!timeline || kept.key) return;
  const at = runAt(timeline, null);
  pictureOf(
    timeline.eventsOf(at),
    null,
    othersOf(timeline, at).map(other => timeline.eventsOf(other)),
  );
}

/* ---- Texts ---- */

const KIND_TEXT = {
  [EXECUTE]: 'the whole run',
  [CALL]: 'call of a kernel, with the runtime’s work around it',
  [KERNEL]: 'CPU kernel',
  [DELEGATE]: 'call of a delegate',
  [INSIDE]: 'inside a delegate',
};

/* Times of one run: only the step of the clock limits their digits. */
const measured = (ns, backend = undefined) => timeWithUnit(ns, stepOf(backend));

/* How long an event takes usually, after a separator: ", median 1.2, 1.0 – 3.4"; nothing of a single run. */
function usualText(events, event, separator) {
  if (method.value.runs < 2) return '';
  const [median, ...rest] = usualOf(events, event).map(ns => timeOf(ns, stepOf(events.backend(event))));
  return `${separator}median ${median}, ${rest.join(' – ')}`;
}

/* The three lines of a tooltip, and of what a screen reader says: what it is, its time, where it runs. */
function told({name, events, event, box, own, same}, raw) {
  const side = name === 'base' ? 'base · ' : name === 'other' ? `run ${events.run} · ` : '';
  const share = (ns, backend) => `${measured(ns, backend)} · ${shareText(ns, events.execute)} of the run`;
  if (box)
    return {
      lines: [
        `${side}${box.key}`,
        share(box.time),
        `${countText(box.events, 'event')}${box.isSynthetic ? ' · starts are not recorded' : ''}`,
      ],
    };
  const {operators} = events.method,
    rows = events.operatorsOf(event),
    row = rows.length === 1 ? rows[0] : -1,
    backend = events.backend(event);
  const kind = events.kind[event],
    where =
      kind === KERNEL || kind === CALL || kind === EXECUTE
        ? KIND_TEXT[kind]
        : `${kind === DELEGATE ? 'call of ' : ''}${shortBackend(backend) || 'a delegate'}`;
  const placed =
    events.measured[event] === 0
      ? 'placed by order: only durations are recorded'
      : `from ${measured(events.start[event])}`;
  return {
    lines: [
      `${side}${raw ? events.rawName(event) : events.label(event)}`,
      `${events.isEstimated(event) ? '≈ ' : ''}${share(events.duration[event], backend)}${
        isOperator(events, event) ? usualText(events, event, ' · ') : ''
      }`,
      own
        ? `${signOf(measured(events.duration[event] - own.duration[same], backend))} to run ${own.run}`
        : [
            isOperator(events, event) && isLong(events, event) ? 'far longer than usual: interrupted?' : '',
            where,
            row >= 0 ? lineText(operators.source(row)) : '',
            placed,
          ]
            .filter(Boolean)
            .join(' · '),
    ],
  };
}

/* ---- Marks, choices, the address ---- */

/* The operator of this record that a base's was paired with; -1 if there is none. */
function counterparts() {
  return new Map(
    (comparedMethod.value?.nodes ?? [])
      .filter(node => node.base_node >= 0)
      .map(node => [node.base_node, node.new_node ?? -1]),
  );
}

/* Returns the tests of ids for hits of the search and for the selection; null where there is none. */
function marksOf(picture) {
  const {isAll, has} = hits.value,
    chosen = selection.value,
    rows = carryingRows.value,
    [own] = picture.sides;
  const drawn = new Set(own.events.operator),
    pairs = counterparts(),
    isDrawn = rows?.some((isIn, row) => isIn && drawn.has(row));
  const test = (ofRow, ofModule, ofDelegate) => id => {
    const {name, events, event, box} = picture.find(id),
      isBase = name === 'base';
    const module = box?.module && isBase ? own.events.method.modulesByPath.get(box.module.path) : box?.module;
    if (box) return module ? ofModule(module) : false;
    if (isBase) return (pairs.get(events.operator[event]) ?? -1) >= 0 && ofRow(pairs.get(events.operator[event]));
    const row = events.operator[event];
    return row >= 0 ? ofRow(row) : events.kind[event] === DELEGATE && name === 'this' && ofDelegate(events, event);
  };
  // an operator of which the delegate recorded no event
  const inCall = (events, event, bitmap) => events.operatorsOf(event).some(row => bitmap[row] && !drawn.has(row));
  const isOf = module =>
    (chosen.kind === 'module' && chosen.id === module.path) ||
    // an operator without an event is in its module
    (chosen.row >= 0 && !isDrawn && own.events.method.operators.module(chosen.row) === module);
  const isCalled = (events, event) =>
    chosen.kind === 'delegate'
      ? chosen.id === String(events.instruction[event])
      : Boolean(rows) && !isDrawn && inCall(events, event, rows);
  const isOfKernel = id => {
    const {events, event, box} = picture.find(id);
    return !box && isCallOf(chosen.id)(events, event);
  };
  const isMarked =
    chosen?.kind === 'kernel' ? isOfKernel : chosen ? test(row => rows?.[row] === 1, isOf, isCalled) : null;
  return {
    isHit: isAll
      ? null
      : method.value.hasGraph
        ? test(
            row => has[row] === 1,
            module => rowsInside(module).some(row => has[row]),
            (events, event) => inCall(events, event, has),
          )
        : id => {
            const {events, event, box} = picture.find(id);
            return !box && isHitName(events.rawName(event));
          },
    isChosen: chosen ? id => picture.find(id).name !== 'other' && isMarked(id) : null,
  };
}

/* Whether an event is one of a kernel on no node. */
const isCallOf = kernel => (events, event) =>
  events.operator[event] < 0 && isOperator(events, event) && events.kernel(event) === kernel;

function choose({name, events, event, box}, isStep) {
  const {operators} = method.peek(),
    step = {replace: isStep};
  if (box) return name === 'this' && box.module && set({sel: `module:${box.module.path}`}, step);
  const rows = events.operatorsOf(event);
  if (name === 'this' && events.kind[event] === DELEGATE)
    return set({sel: `delegate:${events.instruction[event]}`}, step);
  const row = rows.length !== 1 ? -1 : name === 'base' ? (counterparts().get(rows[0]) ?? -1) : rows[0];
  if (row >= 0) set({sel: nodeId(operators, row)}, step);
  else if (!rows.length && isOperator(events, event)) set({sel: `kernel:${events.kernel(event)}`}, step);
}

/** Reads a span of the address, "120~3400" in ns; null if there is none. */
export function readSpan(said) {
  const found = said.match(/^(\d+)~(\d+)$/);
  return found && Number(found[2]) > Number(found[1]) ? [Number(found[1]), Number(found[2])] : null;
}

/* ---- The table of a span ---- */

const keyText = (by, key) => (by === 'source' ? key.split('/').pop() : key);
const clockText = backend => `clock step ${stepText(stepOf(backend))}`;
const SUMS = ['count', 'total', 'self'];

function SpanTable({picture, span}) {
  const by = get('tl.by'),
    without = get('tl.without'),
    length = span[1] - span[0],
    sides = picture.sides.filter(({name}) => name !== 'other');
  const [own, base] = sides.map(side =>
    sumSpan(side.events, span, lane => !without.includes(`${side.name}.${lane}`), by),
  );
  const inBase = new Map((base ?? []).map(row => [row.key, row])),
    only = (base ?? []).filter(row => !own.some(({key}) => key === row.key));
  const sumOf = (rows, key) => rows.reduce((all, row) => all + (row[key] ?? 0), 0),
    all = rows => Object.fromEntries(SUMS.map(key => [key, sumOf(rows, key)]));
  const rows = [
    {isSum: true, key: 'sum', ...all(own)},
    ...own,
    ...only.map(({key}) => ({key, count: 0, total: 0, self: 0})),
  ];
  if (base) inBase.set('sum', all(base));
  const why = (hint, of) => row =>
    `${numberText(of(row))} ns; ${hint}; run ${picture.sides[0].events.run}; ${clockText()}`;
  const time = (title, hint, of) => ({
    key: title,
    title: `${title} ${unitName.value}`,
    exact: `${title} ns`,
    hint,
    number: true,
    value: of,
    text: row => timeOf(of(row), stepOf()),
    why: why(hint, of),
  });
  const columns = [
    {
      key: 'key',
      title: BY.find(([value]) => value === by)[1].toLowerCase(),
      class: 'key',
      text: row => keyText(by, row.key),
      cell: row => html`<span title=${row.key}>${row.isSum ? html`<strong>sum</strong>` : keyText(by, row.key)}</span>`,
    },
    {
      key: 'count',
      title: 'count',
      hint: 'events in the span',
      number: true,
      value: row => row.count,
      text: row => String(row.count),
    },
    time('total', 'the parts of the events that are inside the span', row => row.total),
    time('self', 'without what is in events inside them', row => row.self),
    {
      key: 'share',
      title: 'share',
      hint: 'of the span, without what is in events inside them',
      number: true,
      value: row => row.self / length,
      text: row => shareText(row.self, length),
    },
    ...(base
      ? [
          time('base total', 'of the base, in the same span', row => inBase.get(row.key)?.total ?? 0),
          time('base self', 'of the base, in the same span', row => inBase.get(row.key)?.self ?? 0),
        ]
      : []),
  ];
  const lanes = sides.flatMap(({name, events}) =>
    events.lanes.map((lane, at) => ({
      key: `${name}.${at}`,
      label: `${name === 'base' ? 'base: ' : ''}${
        lane.delegated ? `inside ${shortBackend(lane.backend) || 'delegates'}` : 'calls'
      }`,
    })),
  );
  const toggle = key =>
    set(
      {'tl.without': without.includes(key) ? without.filter(other => other !== key) : [...without, key]},
      {replace: true},
    );
  return html`<section class="span" aria-label="Span"><div class="toolbar"><strong
    aria-description=${`length of the span; ${clockText()}`}>${measured(length)}</strong>
    <span class="count"
      aria-description=${`from the start of the run; ${clockText()}`}>from ${measured(span[0])} to ${measured(span[1])}
        </span>
    <${Segments} label="Sum by" options=${BY} chosen=${by} change=${value => set({'tl.by': value}, {replace: true})} />
    ${
      lanes.length > 1
        ? lanes.map(
            ({key, label}) => html`<${Check} label=${label} checked=${!without.includes(key)}
      change=${() => toggle(key)} />`,
          )
        : null
    }
    <button type="button" onClick=${() => currentScene()?.look(...span)}>zoom to it</button>
    <button type="button" aria-label="Forget the span"
      onClick=${() => set({'tl.span': ''}, {replace: true})}>×</button>
      </div>
    <${SmallTable} caption="In the marked span" rows=${rows} columns=${columns} most=${24} /></section>`;
}

/* ---- Around the picture ---- */

function RunChoice({timeline, at}) {
  const {runs} = timeline,
    words = new Map([[timeline.nearest, nearestText()]]);
  for (const [word, find] of Object.entries(RUN_WORDS)) {
    const found = find(timesOf(runs));
    words.set(found, [words.get(found), word].filter(Boolean).join(', '));
  }
  const said = ({run, execute, isFirst}, index) =>
    `run ${run}: ${measured(execute)}${isFirst ? ', first' : ''}${words.has(index) ? `, ${words.get(index)}` : ''}`;
  if (runs.length === 1)
    return html`<span class="count"
      aria-description=${explainRuns('Method::execute of one run')}>run ${runs[0].run}: ${measured(runs[0].execute)}
      </span>`;
  const named = [...words.keys()].sort((a, b) => runs[a].execute - runs[b].execute),
    option = index =>
      html`<option value=${String(runs[index].run)} selected=${index === at}>${said(runs[index], index)}</option>`;
  return html`<select aria-label="Run" value=${String(runs[at].run)}
    onChange=${event => set({stat: 'run', run: event.target.value})}>
    <optgroup label="fastest to slowest">${named.map(option)}</optgroup>
    <optgroup label="all runs">${runs.map((_, index) => (words.has(index) ? null : option(index)))}</optgroup>
      </select>`;
}

/* Names the operators that made a run slow, as the document does; nothing for other runs. */
function SlowRun({events}) {
  const shown = events.method,
    table = sectionOf(shown, 'per_run').value.value?.slow,
    slow = table?.count ? new Columns(table, table.count, []) : null;
  const at = slow ? slow.indices('run').indexOf((shown.document.run_numbers ?? []).indexOf(events.run)) : -1;
  if (at < 0 || get('stat') !== 'run') return null;
  const rows = [1, 2, 3]
    .map(place => ({row: slow.indices(`operator_${place}`)[at], more: slow.numbers(`excess_${place}`)[at]}))
    .filter(({row, more}) => row >= 0 && more > 0);
  const longest = rows.map(
    ({row, more}, index) =>
      html`${index ? ', ' : ''}<${NodeLink} operators=${shown.operators}
        row=${row} /> +${measured(more, shown.operators.backend(row))}`,
  );
  const rare = slow.raw('outlier', at) === 1 ? ', far more than others' : '';
  return html`<p class="note" aria-description=${explainRuns('this run less the median over runs')}>
    ${`This run took ${measured(events.execute - shown.execute.p50)} longer than the median${rare}.`}${
      rows.length ? html` Longest beyond their medians: ${longest}.` : null
    }</p>`;
}

const LaneLabels = ({lanes}) =>
  html`<div class="lane-labels">${lanes.map(
    ({key, label, note, top, height}) =>
      html`<span key=${key} title=${label} style=${{top: `${top}px`, height: `${height}px`}}>${label}${
        note
          ? html` <i>
        ${note}</i>`
          : null
      }</span>`,
  )}</div>`;

/* The names of a delegate's call, the longest first: module and number of nodes, the end of that, the backend. */
function delegateNames(events, event) {
  const name = events.label(event),
    module = events.module(event),
    end = module ? relativePath(module.pattern, head.value) : '';
  return [name, ...(end ? [name.replace(module.path, end), end] : []), shortBackend(events.backend(event))];
}

/* The colors of what ran: [hue, text] each. */
const ranOn = () => [
  ...legendRows()
    .filter(({hue}) => hue !== 'runtime' && hue !== 'quiet')
    .map(({hue, text}) => [hue, text]),
  ['runtime', 'calls and runtime'],
];

/* What the colors of a picture that is taken away mean. */
const legendOf = ({sides}) => [...ranOn(), ...(sides.some(({own}) => own) ? STRIP_HUES : [])];

const SCENE_LABEL =
  'Timeline. Arrow keys choose an event, plus and minus zoom, shift and arrows move, 0 shows all, M marks a span.';

function Drawing({picture}) {
  const raw = get('tl.raw'),
    span = readSpan(get('tl.span')),
    marks = marksOf(picture),
    find = id => picture.find(id);
  const follow = marks.isChosen
    ? (Array.from({length: picture.next}, (_, id) => id).find(marks.isChosen) ?? null)
    : null;
  const namesOf = ({events, event, box, own, same}) => {
    if (box) return [box.label];
    if (own) {
      const by = differenceOf(events, event, own, same);
      return [by ? signOf(timeOf(by, stepOf(events.backend(event)))) : ''];
    }
    const {operators} = events.method,
      [row] = events.operatorsOf(event);
    if (raw) return [events.rawName(event)];
    if (events.kind[event] === DELEGATE) return delegateNames(events, event);
    if (row === undefined) return [events.label(event)];
    const what = shortOp(operators.op(row)),
      where = relativePath(operators.module(row)?.pattern ?? '', head.value);
    return where ? [`${where} ${what}`, what] : [what];
  };
  const shown = {
    rows: picture.rows,
    lanes: picture.lanes,
    legend: legendOf(picture),
    height: picture.height,
    end: picture.end,
    wheel: true,
    label: id => namesOf(find(id)),
    overview: picture.overview,
    opening: picture.opening,
    axis: axisText,
    spanText: ns => measured(ns),
    ...marks,
    note: id => (find(id).box ? [] : [measured(find(id).events.duration[find(id).event])]),
    told: id => told(find(id), raw),
    choose: (id, isStep) => choose(find(id), isStep),
    moved: (from, to) => set({'tl.from': from, 'tl.to': to}, {replace: true}),
    spanned: marked =>
      set({'tl.span': marked ? `${Math.floor(marked[0])}~${Math.ceil(marked[1])}` : ''}, {replace: true}),
  };
  return html`<div class="timeline-frame"><${LaneLabels} lanes=${picture.lanes} />
    <${Scene} label=${SCENE_LABEL} shown=${shown} view=${[get('tl.from'), get('tl.to')]} span=${span}
      follow=${follow} /></div>`;
}

/* Formats a mark of the axis, with as many decimals as its steps need. */
function axisText(ns, step) {
  const size = sizeOf(unit.value, profile.value.ticksPerSecond);
  const decimals = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
  return `${(ns / size).toFixed(decimals)} ${unitName.value}`;
}

/* ---- Below the picture ---- */

/* The same operator in all its places and runs: a row of dots for each run. `timeOf(place, run)` is in ns, or NaN. */
function Dots({runs, places, timeOf: timeAt, chosen = -1, hue}) {
  if (places.length < 2 && runs.length < 2) return null;
  const times = runs.map((_, at) => places.map(place => timeAt(place, at))),
    most = Math.max(...times.flat().map(ns => ns || 0), 1),
    width = 420,
    height = 24 + runs.length * 14,
    x = ns => 56 + (ns / most) * (width - 64),
    y = at => 10 + at * 14;
  const dot = (ns, at, isChosen) =>
    ns >= 0
      ? html`<circle cx=${x(ns)} cy=${y(at)} r=${isChosen ? 5 : 3.5}
        class=${isChosen ? 'dot-mark chosen' : `dot-mark ${hue}`} />`
      : null;
  const dots = isChosen =>
    times.map((list, at) => list.map((ns, place) => (places[place] === chosen) === isChosen && dot(ns, at, isChosen)));
  return html`<div class="places-and-runs"><h2>
    ${places.length > 1 ? `The same operator in ${places.length} places, ` : ''}${countText(runs.length, 'run')}
    </h2><svg class="dots" viewBox=${`0 0 ${width} ${height}`} width=${width} height=${height} role="img"
    aria-label="Its time in each place and run">
    ${runs.map((run, place) => html`<text x="0" y=${y(place) + 4} class="axis">run ${run.run}</text>`)}<line x1="56"
      x2=${width} y1=${height - 16} y2=${height - 16} class="grid-line" />
    <text x="56" y=${height - 2} class="axis">0</text><text x=${width - 2} y=${height - 2} text-anchor="end"
      class="axis">${measured(most)}</text>${dots(false)}${dots(true)}</svg></div>`;
}

/* The dots of what is selected, an operator or a kernel on no node; nothing for the rest. */
function SelectedDots({timeline, events}) {
  const {kind, id, row: chosen} = selection.value,
    runs = timeline.runs.slice(0, MOST_RUNS);
  if (kind === 'kernel') {
    const hue = allRows.value.find(({op}) => op === id)?.hue;
    return html`<${Dots} runs=${runs} places=${callsOf(events, id)} hue=${hue}
      timeOf=${(call, at) => timesInRuns(events, call)[at]} />`;
  }
  const row = allRows.value.find(({rows}) => rows.includes(chosen)),
    perRun = sectionOf(method.value, 'per_run').value.value;
  if (!row) return null;
  const times = runs.map((_, at) => timesOfRun(timeline, at, perRun, method.value.operators.count));
  return html`<${Dots} runs=${runs} places=${row.rows} hue=${row.hue} chosen=${chosen}
    timeOf=${(operator, at) => times[at][operator]} />`;
}

const callsOf = (events, kernel) => all(events).filter(event => isCallOf(kernel)(events, event));

/* The panel of a kernel on no node: its calls in the run that is shown. */
function KernelDetails({chosen}) {
  const {timeline} = timelineOf(method.value);
  if (!timeline) return null;
  const events = timeline.eventsOf(runAt(timeline, shownRunNumber())),
    calls = callsOf(events, chosen.id).slice(0, MOST_CALLS);
  return html`<h3>Calls in run ${events.run}</h3><${Definitions} rows=${calls.map(call => [
    `instruction ${events.instruction[call]}${events.rawName(call).match(/ #\d+$|:OpId_\d+$/)?.[0] ?? ''}`,
    `${isLong(events, call) ? '▼ ' : ''}${measured(events.duration[call], events.backend(call))}${usualText(events, call, ', ')}`,
  ])} />`;
}
detailsOfKind.kernel = KernelDetails;

function Longest() {
  const rows = allRows.value.slice(0, Math.max(5, Math.floor((belowHeight() - 44) / 24))),
    labelOf = rowLabels(allRows.value, head.value);
  const {label} = times.value;
  return html`<div class="longest"><h2>Longest, ${label}</h2><table class="plain"><tbody>${rows.map(row => {
    const [where, what] = labelOf(row);
    return html`<tr key=${row.key}><td title=${[where, what].filter(Boolean).join(' · ')}><i class=${`dot ${row.hue}`}></i>${
      where
        ? html`<span class="where">
      ${where} · </span>`
        : null
    }${what}</td><td class="number" aria-description="operators of the graph">
      ${row.count >= 1 ? `×${row.count}` : ''}</td><td class="number" aria-description=${explain(label)}>
      ${timeText(row.time, row.estimated, row.rows)} ${unitName.value}</td></tr>`;
  })}</tbody></table></div>`;
}

/* What the record says of the run where nothing is selected. */
const RunFacts = ({events, said, hasOthers}) =>
  html`<div class="run-facts"><h2>run ${events.run}</h2><dl><dt>time</dt>
    <dd aria-description=${clockText()}>${measured(events.execute)}</dd><dt>events</dt>
    <dd aria-description=${clockText()}>${said}</dd></dl><p
      class="hint">wheel zooms · drag moves · shift-drag sums · ? lists keys${
        hasOthers
          ? html`<br />strips: the fastest, the slowest, the run before and after; blue is faster there, red slower,
  gray alike`
          : null
      }
    </p></div>`;

export function TimelineView() {
  const shown = method.value,
    {timeline, error} = timelineOf(shown),
    other = baseMethod.value,
    base = other ? timelineOf(other).timeline : null;
  if (error) return html`<p class="note error" role="alert">${error}</p>`;
  if (timeline === undefined) return html`<p class="note">Loading…</p>`;
  if (timeline === null) return html`<p class="note">No run of this method was recorded.</p>`;
  const wanted = shownRunNumber(),
    at = runAt(timeline, wanted),
    events = timeline.eventsOf(at);
  const baseEvents = base ? base.eventsOf(runAt(base, null)) : null,
    others = baseEvents ? [] : othersOf(timeline, at).map(place => timeline.eventsOf(place));
  const picture = pictureOf(events, baseEvents, others),
    span = readSpan(get('tl.span')),
    isPlaced = events.measured.includes(0),
    chosen = selection.value;
  const said = `${countText(events.count, 'event')}${isPlaced ? ', inside delegates placed by order' : ''}${
    timeline.leftOut ? `; ${countText(timeline.leftOut, 'more run')} not in the page` : ''
  }${baseEvents ? `; ${labelOf(compared.value.base)}, run ${baseEvents.run}: ${measured(baseEvents.execute)}` : ''}`;
  return html`<div class="timeline"><div class="toolbar"><${RunChoice} timeline=${timeline} at=${at} />
    <${SceneTools} name="timeline" />
    ${
      others.length
        ? html`<${Check} label="other runs in full" checked=${get('tl.full')}
      change=${() => set({'tl.full': !get('tl.full')}, {replace: true})} />`
        : null
    }
    <span class="push"></span>
      <ul class="legend" aria-label="Backends">${ranOn().map(
        ([hue, text]) => html`<li><i class=${`swatch ${hue}`}></i>${text}</li>`,
      )}</ul></div>
    ${
      wanted !== null && events.run !== wanted
        ? html`<p
      class="note">The events of run ${wanted} are not in the page: it has those of ${countText(
        timeline.runs.length,
        'run',
      )}. Run ${events.run} is shown.</p>`
        : null
    }<${SlowRun} events=${events} />
    <${Drawing} picture=${picture} /><div class="below" style=${{minHeight: `${belowHeight()}px`}}>
      ${
        chosen
          ? null
          : html`<${RunFacts} events=${events} said=${said}
        hasOthers=${others.length > 0 && !get('tl.full')} />`
      }
      ${
        span
          ? html`<${SpanTable} picture=${picture} span=${span} />`
          : html`${chosen ? html`<${SelectedDots} timeline=${timeline} events=${events} />` : null}<${Longest} />`
      }</div></div>`;
}
