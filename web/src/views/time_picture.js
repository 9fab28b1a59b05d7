// SPDX-License-Identifier: BSD-3-Clause
//
// time_picture.js - the icicle of the method that is shown, which filters rows, with its legend; and the rows that the
// filter and the search leave. Summary and Table show both.

import {computed} from '@preact/signals';

import {
  compared,
  explain,
  hasInterruptions,
  hits,
  isHitName,
  method,
  select,
  times,
  timeWithUnit,
  wholeTime,
  withInterruptions,
} from '../base/app.js';
import {sumOver} from '../base/columns.js';
import {command} from '../base/commands.js';
import {search} from '../base/filter.js';
import {about, lineText, shareText} from '../base/format.js';
import {html} from '../base/html.js';
import {shortBackend} from '../base/labels.js';
import {CPU, backendsOf, rowsInside} from '../base/method.js';
import {INTERRUPTIONS, PART_BOX_NAMES, allRowsOf, headOfRows, icicleOf, partBox} from '../base/rows.js';
import {declare, get, peek, set, text} from '../base/store.js';
import {Icicle} from '../parts/icicle.js';
import {Link, hueOfBackend, timeText} from '../parts/bits.js';
import {room} from '../parts/room.js';
import {bothTimes, changesBy} from './changes.js';

// in: the filter, in the language of the search; at: the module whose inside the icicle shows
declare({in: text(), at: text()});

/** All rows of the method, operators and parts, most time first; they add up to the whole. */
export const allRows = computed(() => (method.value && times.value ? allRowsOf(method.value, times.value) : []));

/** The rows inside the module that the icicle shows. */
const rowsInView = computed(() => {
  const at = get('at');
  return at
    ? allRows.value.filter(({pattern, kind}) => kind === 'operator' && (pattern === at || pattern.startsWith(`${at}.`)))
    : allRows.value;
});

/** The head that labels leave out. */
export const head = computed(() => headOfRows(rowsInView.value, get('at')));

/** The time that shares are shares of: that of an inference, or of the operators where there is none. */
export const whole = computed(() => times.value?.whole || allRows.value.reduce((sum, {time}) => sum + time, 0));

/** The boxes of the icicle. */
export const boxes = computed(() =>
  icicleOf(rowsInView.value, {head: head.value, whole: whole.value, method: method.value})
    .map(withHidden)
    .map(withEach),
);

const HIGH = 1200; // px: the height of a window from which there is room for each of equal modules

/* A box of equal modules has the time of each, where there is room to show it. */
function withEach(box) {
  if (box.count < 2 || room.value.height < HIGH) return box;
  const each = method.value.modules
    .filter(({pattern}) => pattern === box.pattern)
    .map(module => ({
      label: module.path.match(/\d+(?=\D*$)/)?.[0] ?? '',
      path: module.path,
      time: sumOver(times.value.of, rowsInside(module)),
    }));
  return {...box, each: [...new Map(each.map(one => [one.path, one])).values()]};
}

/** Returns how much of the time of calls may be something else: logging of values, or what a coarse clock hides. */
export function hiddenIn(time) {
  const {clockHidden, clockHiddenTypical, logsValues} = method.value;
  if (logsValues) return time;
  return Math.min(time, times.value.stat === 'avg' ? clockHidden : clockHiddenTypical);
}

/* What may be in calls beside calling. */
const hiddenText = () => (method.value.logsValues ? 'logging of values' : 'computing');

/* The box of calls says how much of it may be something else. */
function withHidden(box) {
  const kids = box.kids.map(kid =>
    kid.part === 'call_overhead' && hiddenIn(kid.time) > 0 ? {...kid, upper: hiddenIn(kid.time)} : kid,
  );
  return {...box, kids};
}

/** Whether the filter names a row of no operator, such as the runtime or a kernel on no node. */
export const isPartChosen = computed(() => get('in').startsWith('part:'));

/** The operators that the filter selects, as a bitmap; null without a filter. */
const chosenRows = computed(() => {
  const said = get('in');
  if (!said || isPartChosen.value) return null;
  const has = new Uint8Array(method.value.operators.count);
  for (const row of search(method.value, said).rows) has[row] = 1;
  return has;
});

/**
 * The operators of the filter and the search: of a record with times those that were timed, unless the search says
 * otherwise.
 */
export const shownOperators = computed(() => {
  const {operators, runs} = method.value,
    has = chosenRows.value,
    isTimedOnly = runs > 0 && !get('q').includes('timed:');
  if (isPartChosen.value) return new Int32Array(0);
  return hits.value.rows.filter(row => (!has || has[row]) && (!isTimedOnly || operators.isTimed(row)));
});

/** Returns whether the part of a row is shown: if the filter names it, or if there is neither a filter nor a search. */
export const isPartShown = ({filter, op}) =>
  isPartChosen.value ? filter === get('in') : !get('in') && (hits.value.isAll || isHitName(op));

/** What the filter is called: "self_attention ×12". */
export const filterText = computed(() => {
  const said = get('in');
  if (!said) return '';
  for (const box of boxes.value) {
    if (box.filter === said) return `${box.label}${box.count > 1 ? ` ×${box.count}` : ''}`;
    const kid = box.kids.find(({filter}) => filter === said);
    if (kid) return kid.kind === 'part' || kid.label.includes(' ') ? kid.label : `${box.label} · ${kid.label}`;
  }
  return said;
});

export const clearFilter = () => set({in: ''});
command({
  name: 'clear-filter',
  keys: ['Escape'],
  text: 'Show all rows again',
  views: ['summary', 'table'],
  isPossible: () => peek('in') !== '' && peek('sel') === '',
  run: clearFilter,
});
command({
  name: 'icicle-up',
  keys: ['Backspace'],
  text: 'The icicle of the module around',
  views: ['summary', 'table'],
  isPossible: () => peek('at') !== '',
  run: () => set({at: ''}),
});

const isOf = (box, kid, said) => (kid ? kid.filter : box.filter) === said;

const HINTS = {
  call_overhead: 'in calls of delegates, around the operators',
  inserted: 'added by delegates, such as changes of layout',
  runtime: 'outside kernels and calls of delegates',
  interruptions: 'what operators took longer in some runs than usual',
};

/** Returns what the part of a row is: "runtime: outside kernels and calls of delegates". */
export const partHint = ({part, label}) => [label, HINTS[part]].filter(Boolean).join(': ');

function told(box, kid) {
  const {kind, pattern, label, time, estimated, count, backend, rows = []} = kid ?? {...box, kind: 'module'},
    [source] = Array.from(rows, row => method.value.operators.source(row)).filter(Boolean);
  const name =
    kind === 'operator'
      ? [pattern, label.split(' ').at(-1)].filter(Boolean).join(' · ')
      : kind === 'module' && pattern
        ? pattern
        : label;
  const lines = [
    `${name}${count > 1 ? ` ×${count}` : ''}`,
    `${about(estimated, time)}${timeWithUnit(time)} · ${shareText(time, whole.value)}`,
  ];
  const where = [
    kind === 'operator' ? shortBackend(backend) : (HINTS[kid?.part] ?? ''),
    lineText(source),
    kid?.upper > 0 ? `hatched: up to ${timeWithUnit(kid.upper)} of it may be ${hiddenText()}` : '',
  ].filter(Boolean);
  const change = bothTimes(changeOfBox(box, kid));
  return [...lines, where.join(' · '), change && `base ${change}`].filter(Boolean);
}

/** Returns the row of the comparison that a box stands for; nothing for a rest and for parts. */
export function changeOfBox(box, kid) {
  const by = changesBy.value;
  if (kid) return kid.kind === 'operator' ? by.row(kid) : undefined;
  if (!box.filter) return undefined;
  return box.filter.startsWith('own:') ? by.own(box.pattern) : by.pattern(box.pattern);
}

/**
 * Returns the share of a time of which `hidden` may be something else, as commands write it: a range if that shows in
 * whole percent, and a bound if nearly all may be.
 */
export function rangeText(time, hidden = 0) {
  const [low, high] = [time - hidden, time].map(ns => (100 * ns) / whole.value),
    said = shareText(time, whole.value);
  if (!(high >= 1) || Math.round(low) === Math.round(high)) return said;
  return low < 0.2 * high ? `≤ ${said}` : `${Math.round(low)} – ${said}`;
}

/* The time of a box: with its share where there is room. What a clock may hide is a range. */
export const TEXTS = {
  long: box => {
    const {time, upper, estimated} = box,
      low = upper > 0 ? `${timeText(time - upper)} – ` : '';
    return `${about(estimated, time)}${low}${timeWithUnit(time)} · ${rangeText(time, upper)}`;
  },
  short: box => timeText(box.time),
  each: withInterruptions, // modules' times contain them
};

/** The height of the icicle's rows, in pixels, by the room there is. */
export function heightsOf(isSmall) {
  if (isSmall) return {module: 24, kid: 40};
  if (room.value.height >= HIGH)
    return {module: 32, kid: 120, each: boxes.value.some(({each}) => each?.length > 1) ? 160 : 0};
  return {module: 32, kid: room.value.width >= 1600 ? 88 : 64};
}

/* Whether a time has a share that is more than "<0.1 %". */
const isShown = time => time / whole.value > 5e-4;

/** The colors of the picture, with the time of each. */
export function legendRows() {
  const {operators} = method.value,
    sums = new Map();
  for (const row of allRows.value) {
    const key = row.kind === 'part' && !row.isComputing ? partBox(row.part) : (row.backend ?? CPU);
    sums.set(key, (sums.get(key) ?? 0) + row.time);
  }
  const backends = [...backendsOf(operators), ...sums.keys()].filter(name => !PART_BOX_NAMES.includes(name)),
    named = [...new Set([...backends, ...PART_BOX_NAMES])].filter(name => isShown(sums.get(name)));
  const hue = name => (name === INTERRUPTIONS ? 'quiet' : 'runtime'),
    backendText = name => (name === CPU ? 'CPU kernels' : shortBackend(name));
  return named.map(name => {
    const isPart = PART_BOX_NAMES.includes(name);
    return {
      hue: isPart ? hue(name) : hueOfBackend(name),
      time: sums.get(name),
      text: isPart ? name : backendText(name),
    };
  });
}

const LEAST_TOLD = 0.02; // of the whole: a part from which the legend says what it is

/** What is in doubt and what the parts are, in one line each. */
export function doubts() {
  const {operators, clockHidden, logsValues} = method.value,
    isEstimated = allRows.value.some(({estimated, time}) => isShown(time) && about(estimated, time));
  return [
    isEstimated
      ? `≈ matched by order${
          operators.timed.some(row => operators.text('match', row) === 'payload') ? '' : ': pass the .pte to be exact'
        }`
      : '',
    logsValues ? 'hatched: may be logging of values; for times, run without a debug buffer' : '',
    clockHidden > 0 && !logsValues ? 'hatched: may be computing, the delegates’ clock counts whole µs' : '',
    compared.value && hasInterruptions.value ? 'with interruptions, as in diff' : '',
    ...['call_overhead', 'runtime']
      .filter(part => allRows.value.some(row => row.part === part && row.time > LEAST_TOLD * whole.value))
      .map(part => `${part === 'runtime' ? 'runtime' : 'calling'}: ${HINTS[part]}`),
  ].filter(Boolean);
}

export const Legend = () => html`<ul class="time-legend" aria-label="Colors">${legendRows().map(
  ({hue, text: said, time}) =>
    html`<li aria-description=${explain('in all')}><i class=${`swatch ${hue}`}></i>${said} <b>${timeWithUnit(time)}
      </b> ${shareText(time, whole.value)}</li>`,
)}
  <li>stronger: more time</li>${doubts().map(said => html`<li>${said}</li>`)}</ul>`;

/** The icicle with its legend. A click filters, a double click shows the inside of a module. */
export function TimePicture({isSmall = false}) {
  const said = get('in'),
    at = get('at');
  if (!(wholeTime.value > 0) || boxes.value.length === 0) return null;
  const choose = (box, kid) => {
    const filter = kid ? kid.filter : box.filter;
    if (filter || kid?.kind !== 'rest') set({in: filter === said ? '' : filter});
  };
  return html`<section class="time-picture">${
    at
      ? html`<p class="note">Inside <strong>${at}</strong> <${Link}
    act=${() => set({at: ''})}>the whole model<//></p>`
      : null
  }
    <${Icicle} label="Time by module, and by operator in it" boxes=${boxes.value} whole=${whole.value}
      heights=${heightsOf(isSmall)} texts=${TEXTS} told=${told} choose=${choose}
      chooseModule=${path => select('module', path)}
      open=${box => box.pattern && box.pattern !== head.value && set({at: box.pattern, in: ''})}
      isDim=${({box, kid}) =>
        said !== '' &&
        !isOf(box, kid, said) &&
        !(kid && box.filter === said) &&
        !(!kid && box.kids.some(({filter}) => filter === said))}
      isChosen=${({box, kid}) => said !== '' && isOf(box, kid, said)} /><${Legend} /></section>`;
}
