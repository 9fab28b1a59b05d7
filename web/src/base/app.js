// SPDX-License-Identifier: BSD-3-Clause
//
// app.js - what the views share: the record and method that the address asks for, its times in the chosen statistic,
// the hits of the search, the selection, the base. All are signals, computed from the
// state of store.js and the documents that were loaded.

import {computed, signal} from '@preact/signals';

import {sumOver} from './columns.js';
import {command} from './commands.js';
import {readTimeline, timesOfRun} from './events.js';
import {search, termsOf} from './filter.js';
import {UNITS, countText, dateText, stepText, timeText, unitFor} from './format.js';
import {shortBackend} from './labels.js';
import {firstMethod, matchText, readProfile} from './method.js';
import {nodeId, readSelection} from './selection.js';
import {declare, flag, get, list, oneOf, peek, set, text} from './store.js';

declare({
  view: text('summary'),
  record: text(),
  method: text(),
  base: text(),
  unit: text(),
  digits: flag(),
  stat: oneOf('typical', 'avg', 'p50', 'run'),
  run: text(),
  q: text(),
  sel: text(),
  with: list(), // the records that stand beside the base and this one
});

/** The records of the page, [{run, label, written}]. */
export const records = signal([]);
/** What is wrong with the record that is shown; null if nothing. */
export const problem = signal(null);
/** The profile that is shown; null while it loads. `shownRun` is its record. */
export const profile = signal(null);
export const shownRun = signal(null);
/** The comparison with the base: null, {base, isLoading}, {base, error} or {base, profile, comparison,
 * sideBySide}. */
export const compared = signal(null);
/** The source of openSource(). */
export const source = signal(null);

export const method = computed(
  () =>
    profile.value &&
    (profile.value.methods.find(({name, index}) => get('method') === name || get('method') === `#${index}`) ??
      firstMethod(profile.value)),
);

/**
 * The time of an inference of the method that is shown, in ns: it sets the digits of all times. 0 if it is not known.
 */
export const wholeTime = computed(() => {
  const {execute, operators} = method.value ?? {};
  return execute?.typical ?? (operators ? sumOver(operators.numbers('typical'), operators.timed) : 0);
});

/** The unit of all times: the one of the address, the report or the record, or what suits the time of an inference. */
export const unit = computed(() => {
  const given = [get('unit'), globalThis.document?.documentElement.dataset.unit, profile.value?.shownUnit];
  return given.find(name => Object.hasOwn(UNITS, name)) ?? unitFor(wholeTime.value);
});
export const unitName = computed(() => UNITS[unit.value].name);

/** The step in ns of the clock of a backend's operators, or of kernels and calls. */
export const stepOf = backend => method.value?.clocks[backend] ?? method.value?.clocks[''] ?? 0;

const NONE = [],
  evidences = new WeakMap(); // rows -> evidence

/* Returns how the times of operators were matched, and the steps of their clocks, as sets; without operators that
   of a backend, or of kernels and calls. */
function evidenceOf(rows, backend = undefined) {
  const kept = evidences.get(rows);
  if (kept) return kept;
  const {operators} = method.value ?? {},
    matches = new Set(),
    steps = new Set();
  if (operators) {
    const {of, first} = operators.kinds('evidence', row => `${operators.matches[row]} ${operators.backend(row)}`),
      seen = new Uint8Array(first.length);
    for (const row of rows) seen[of[row]] = 1;
    for (const row of first.filter((at, kind) => seen[kind] && operators.isTimed(at))) {
      matches.add(operators.text('match', row));
      steps.add(stepOf(operators.backend(row)));
    }
  }
  if (!steps.size) return {matches, steps: new Set([stepOf(backend)])};
  evidences.set(rows, {matches, steps});
  return evidences.get(rows);
}

/**
 * Returns the step in ns of the clocks by which the times of operators were measured: no digit is finer. Where there
 * are no operators, `backend` is what timed it.
 */
export const grainOf = (rows, backend = undefined) => Math.max(...evidenceOf(rows ?? NONE, backend).steps);

/** Formats a time in ns in the page's unit, without and with the unit's name; `grain` is the step of its clock. */
export const timeOf = (ns, grain = grainOf()) => {
  const whole = get('digits') ? 0 : wholeTime.value;
  return timeText(ns, unit.value, {ticksPerSecond: profile.value?.ticksPerSecond, whole, grain});
};
export const timeWithUnit = (ns, grain) => `${timeOf(ns, grain)} ${unitName.value}`;

/** The two times that runs of a method take, if its typical time is of neither. */
export const modesOf = ({document}) => document.answer?.modes;

/** What the run is that Timeline begins with. */
export const nearestText = () => (modesOf(method.value) ? 'of the larger mode' : 'nearest to typical');

/** What an inference takes: "30.9 ms per inference". Without a time, that of the typical run as the library says it:
 * "31 ms ± 4 per inference", "25.5 or 37.0 ms per inference"; as a number if another unit or all digits are shown. */
export function inferenceText(given) {
  const [said] = method.value.answer.split('. ');
  return given || get('digits') || !said.includes(` ${unitName.value}`)
    ? `${(given ?? modesOf(method.value) ?? [wholeTime.value]).map(ns => timeOf(ns)).join(' or ')} ${unitName.value} per inference`
    : said;
}

command({
  name: 'digits',
  keys: ['.'],
  text: 'All digits of times, or those that are known',
  run: () => set({digits: !peek('digits')}, {replace: true}),
});

/* ---- Sections ---- */

const sections = new WeakMap(); // method -> {name: signal of {value, error}}

/** Returns a signal of a section of the method, {value, texts} or {error}; {} while it loads. */
export function sectionOf(shown, name) {
  if (!sections.has(shown)) sections.set(shown, {});
  const kept = sections.get(shown);
  if (!kept[name]) {
    const made = (kept[name] = signal({}));
    source
      .peek()
      .section(shown.run, shown, name)
      .then(
        section => (made.value = section),
        error => (made.value = {error: error.message}),
      );
  }
  return kept[name];
}

const timelines = new WeakMap(); // section -> timeline

/** Returns the timeline of a method: {timeline}, null if it never ran; {error}; or {} while it loads. */
export function timelineOf(shown) {
  const {value, texts, error} = sectionOf(shown, 'timeline').value;
  if (!value) return value === null ? {timeline: null} : {error};
  if (!timelines.has(value)) timelines.set(value, readTimeline(value, texts, shown));
  return {timeline: timelines.get(value)};
}

/* ---- Times ---- */

/** Whether rows of delegates are shown: the document has their times in the typical run alone. */
export const showsDelegates = () => get('view') === 'table' && get('by') === 'delegate' && method.value?.hasGraph;

/** Whether there is more than one statistic of a method: kernels on no node have typical times and those of a run. */
export const hasStats = ({operators}) => operators.timed.length > 0 && !showsDelegates();

/**
 * The times of all operators in the chosen statistic, in ns: {stat, of: a column, whole: to which shares refer, label,
 * run}. Medians do not add up to the median of the method, so their whole is their sum.
 */
export const times = computed(() => {
  const shown = method.value;
  if (!shown) return null;
  const {operators, execute} = shown,
    asked = (get('stat') === 'run' && !showsDelegates()) || hasStats(shown) ? get('stat') : 'typical';
  if (asked === 'p50') {
    const of = operators.numbers('p50');
    return {stat: 'p50', of, whole: sumOver(of, operators.timed), label: 'p50', run: NaN};
  }
  if (asked === 'run') {
    const run = readRun(shown, Number(get('run')));
    if (run) return run;
  }
  if (asked === 'avg') return {stat: 'avg', of: operators.avg, whole: execute.avg, label: 'avg', run: NaN};
  // The library compares times as they were recorded, with interruptions.
  const isRecorded = compared.value !== null;
  return {
    stat: 'typical',
    of: operators.numbers('typical'),
    whole: execute.typical,
    label: 'typical',
    run: NaN,
    isRecorded,
  };
});

const isInterrupted = ({groups}) => groups.some(({interrupted}) => interrupted > 0);

/** Whether typical times of operators, modules and nodes contain interruptions, which rows by operator have apart. */
export const hasInterruptions = computed(() => times.value.stat === 'typical' && isInterrupted(method.value));

/** What is said behind such a time. */
export const withInterruptions = () => (hasInterruptions.value ? ', with interruptions' : '');

/* Returns the times of a run; null while its events load, and if the record does not have them. */
function readRun(shown, wanted) {
  const {timeline} = timelineOf(shown),
    at = timeline?.runs.findIndex(({run}) => run === wanted) ?? -1;
  if (at < 0) return null;
  return {
    stat: 'run',
    of: timesOfRun(timeline, at, sectionOf(shown, 'per_run').value.value, shown.operators.count),
    events: timeline.eventsOf(at),
    whole: timeline.runs[at].execute,
    label: `run ${wanted}`,
    run: wanted,
  };
}

/** What each statistic is. */
export const STAT_TEXTS = {
  typical: 'time in the typical run, the mean over the middle third of the runs',
  avg: 'average over the runs',
  p50: 'median over the runs in which it ran',
  run: 'measured in this run',
};

/** Returns when the record was written, in seconds, as the page knows it. */
export const writtenTime = () => records.value.find(({run}) => run === shownRun.value)?.written;

const writtenText = () => (writtenTime() ? `written ${dateText(writtenTime())}` : '');

/** The step of the runtime's clock, and those of backends, which a sum may contain. */
export const clocksText = () =>
  Object.entries(method.value?.clocks ?? {})
    .map(([backend, ns]) => `${backend && `${shortBackend(backend)} `}${stepText(ns)}`)
    .join(', ');

/**
 * Explains a number: what it is, and of a time also how it was matched to operators, over how many runs, by which clock
 * and when it was written. `rows` are the operators that it is of; where there are none, `backend` is what timed it.
 */
export function explain(formula, /** @type {Iterable<number>} */ rows = NONE, backend = undefined) {
  const {matches, steps} = evidenceOf(rows, backend),
    evidence =
      matches.size === 1
        ? `matched ${matchText([...matches][0])}`
        : matches.size
          ? `matched by ${[...matches].join(', ')}`
          : '';
  return [
    formula,
    evidence,
    times.value?.stat === 'run' ? `run ${times.value.run}` : countText(method.value?.runs ?? 0, 'run'),
    `clock step ${rows === NONE && backend === undefined ? clocksText() : [...steps].map(stepText).join(' and ')}`,
    writtenText(),
  ]
    .filter(Boolean)
    .join('; ');
}

/** Explains a number of the method as a whole: by all its runs. */
export const explainRuns = what =>
  [what, countText(method.value.runs, 'run'), `clock step ${clocksText()}`, writtenText()].filter(Boolean).join('; ');

/* ---- Search and selection ---- */

/** The operators that the search selects: {rows, problem, isAll, time, has: a bitmap}. */
export const hits = computed(() => {
  const shown = method.value,
    said = get('q').trim();
  if (!shown) return {rows: new Int32Array(0), problem: null, isAll: true, time: 0, has: new Uint8Array(0)};
  const {rows, problem: wrong} = search(shown, said, unit.value),
    has = new Uint8Array(shown.operators.count);
  for (const row of rows) has[row] = 1;
  return {rows, problem: wrong, isAll: said === '', time: sumOver(times.value.of, rows), has};
});

/** Whether a kernel is a hit of the search, by its name: of a method without a graph there is no other. */
export const isHitName = name =>
  !method.value.hasGraph &&
  termsOf(get('q')).every(word => name.toLowerCase().includes(word.replaceAll('"', '').toLowerCase()));

/** Whether an operator is a hit of the search; false without a search. */
export const isHitRow = row => !hits.value.isAll && hits.value.has[row] === 1;

/** What is selected, as readSelection() returns it. */
export const selection = computed(() => readSelection(method.value, get('sel')));

/** A bitmap of the operators that are selected; null if none is. */
export const selectedRows = computed(() => {
  const chosen = selection.value;
  if (!chosen?.rows.length) return null;
  const has = new Uint8Array(method.value.operators.count);
  for (const row of chosen.rows) has[row] = 1;
  return has;
});

/**
 * A bitmap of the operators that have the time of what is selected: of an operator that is fused into another one, that
 * one. Null if nothing is selected.
 */
export const carryingRows = computed(() => {
  const has = selectedRows.value,
    {row} = selection.value ?? {row: -1},
    carrier = has && row >= 0 ? method.value.operators.indices('carrier')[row] : -1;
  return carrier >= 0 ? Uint8Array.from(has, (_, other) => Number(other === row || other === carrier)) : has;
});

/** Selects something by its kind and id; null selects nothing. */
export const select = (kind, id) => set({sel: kind === null ? '' : `${kind}:${id}`});

/** Selects an operator. */
export const selectRow = row => set({sel: nodeId(method.peek().operators, row)});

/** Selects the next hit of the search, or the one before with -1. */
export function stepHit(by) {
  const {rows} = hits.peek(),
    chosen = selection.peek();
  if (rows.length === 0) return;
  const at = rows.indexOf(chosen?.row ?? -1);
  selectRow(rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : (at + by + rows.length) % rows.length]);
}

/** Shows a view with changes of the state. */
export const show = (view, changes = {}) => set({view, ...changes});

/* ---- Loading ---- */

const loaded = new Map(); // run -> promise of a profile

export const labelOf = run => records.value.find(record => record.run === run)?.label ?? run ?? '';

/** Returns the label of a record without what marks the base of a report. */
export const nameOfRecord = run => labelOf(run).replace(/ \(base\)$/, '');

/** Loads the profile of a record, or returns the one that was loaded. */
export async function profileOf(run) {
  if (!loaded.has(run))
    loaded.set(
      run,
      source
        .peek()
        .load(run)
        .then(whole => {
          const made = readProfile(whole);
          for (const shown of made.methods) shown.run = run;
          return made;
        }),
    );
  try {
    return await loaded.get(run);
  } catch (error) {
    loaded.delete(run);
    throw new Error(`This record cannot be shown: ${error.message}`, {cause: error});
  }
}

const seen = new Set(); // records that were there

/* Shows the record that the address asks for: the first one only if it asks for none. While a record loads, or if it
   cannot be loaded, no figures of another one are shown. */
async function showRecord() {
  const asked = get('record'),
    run = asked || shownRun.peek() || records.peek()[0]?.run;
  if (!run) {
    problem.value = 'No record in this logdir has a profile. Run `etrecord-tb RECORD` to write one.';
    return;
  }
  if (run !== shownRun.peek()) profile.value = null;
  shownRun.value = run;
  try {
    if (!records.peek().some(record => record.run === run))
      throw new Error(
        seen.has(run) ? 'This record is no longer in the logdir.' : `There is no record ${run} in this logdir.`,
      );
    seen.add(run);
    const read = await profileOf(run);
    if (shownRun.peek() !== run) return;
    problem.value = null;
    profile.value = read;
  } catch (error) {
    if (shownRun.peek() === run) {
      profile.value = null;
      problem.value = error.message;
    }
  }
}

/** The records that the shown one can be compared with. */
export const bases = computed(() =>
  source.value && shownRun.value ? source.value.basesOf(shownRun.value, records.value) : [],
);

/**
 * The base that the address asks for: a record, "auto" for the newest one of the same model before the shown one, or
 * "none"; a report that holds a base begins with it.
 */
export const askedBase = computed(
  () => get('base') || (source.value?.isReport && bases.value.length ? bases.value[0].run : 'none'),
);

/* Compares with the base. */
async function showBase() {
  const asked = askedBase.value,
    run = shownRun.value,
    added = get('with');
  if (asked === 'none' || asked === run || !run || !profile.value) {
    compared.value = null;
    return;
  }
  const mine = (compared.value = {isLoading: true});
  try {
    const base = asked === 'auto' ? await source.peek().baseFor(run) : asked;
    const others = added.filter(other => other !== base && other !== run);
    const made = base
      ? {base, profile: await profileOf(base), ...(await source.peek().compare(base, run, others, labelOf))}
      : {isAlone: true};
    if (compared.peek() === mine) compared.value = made;
  } catch (error) {
    if (compared.peek() === mine) compared.value = {base: asked, error: error.message};
  }
}

/** Looks for new and rewritten records; what is shown stays, and is loaded again if it was rewritten. */
export async function refresh() {
  const before = new Map(records.peek().map(({run, written}) => [run, written])),
    now = await source.peek().list();
  const writtenNow = new Map(now.map(({run, written}) => [run, written]));
  const changed = run => before.has(run) && before.get(run) !== writtenNow.get(run);
  for (const run of before.keys()) if (changed(run)) loaded.delete(run);
  if (JSON.stringify(now) !== JSON.stringify(records.peek())) records.value = now;
  if (!shownRun.peek() || problem.peek() || changed(shownRun.peek()) || !writtenNow.has(shownRun.peek()))
    await showRecord();
  if (compared.peek()?.base && changed(compared.peek().base)) await showBase();
}

export {showBase, showRecord};

/** The comparison of the shown method by the library (schema/diff.schema.json), null without a base. */
export const comparedMethod = computed(() => compared.value?.comparison?.methods[method.value?.index] ?? null);

/** The same method of the base: by its name, or the only one that the base has; null without a base. */
export const baseMethod = computed(() => {
  const methods = compared.value?.profile?.methods ?? [];
  return methods.find(({name}) => name === method.value?.name) ?? (methods.length === 1 ? methods[0] : null);
});

/** Whether the times of the comparison contain interruptions, on either side. */
export const comparesInterruptions = computed(() =>
  [baseMethod.value, method.value].some(side => side && isInterrupted(side)),
);

/** Returns the pair of the comparison for each operator of the shown method: {row: node}; empty without a base. */
export const pairs = computed(
  () =>
    new Map((comparedMethod.value?.nodes ?? []).filter(node => node.new_node >= 0).map(node => [node.new_node, node])),
);
