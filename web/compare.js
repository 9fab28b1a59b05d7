// SPDX-License-Identifier: BSD-3-Clause
//
// compare.js - two records side by side: operators matched by name, module and operator, then by operator and shape; medians and what changed.

import {choice, element, plainTable} from './dom.js';
import {changeText, countText, signOf} from './format.js';
import {sortRows} from './model.js';

const MOST_ROWS = 300;

const NAMED = operator => `${operator.name}\n${operator.module?.path ?? ''}\n${operator.op}`;
const SHAPED = operator => `${operator.op}\n${operator.outputs ?? ''}`;

/* Pairs operators of equal keys in their order. */
function pairBy(key, left, right, pairs) {
  const waiting = new Map();
  for (const operator of right) waiting.set(key(operator), [...(waiting.get(key(operator)) ?? []), operator]);
  const lonely = [];
  for (const operator of left) {
    const other = waiting.get(key(operator))?.shift();
    if (other) pairs.push({base: operator, other});
    else lonely.push(operator);
  }
  return {left: lonely, right: [...waiting.values()].flat()};
}

/** Timed operators of two methods: {pairs: [{base, other}], onlyBase, onlyOther}. */
export function matchOperators(base, other) {
  const timed = method => method.operators.filter(operator => operator.timed), pairs = [];
  const rest = pairBy(NAMED, timed(base), timed(other), pairs);
  const {left, right} = pairBy(SHAPED, rest.left, rest.right, pairs);
  return {pairs, onlyBase: left, onlyOther: right};
}

/** What a change of medians means: 'unknown' if a side has one run only, 'within' if p10 to p90 of both overlap, 'slower' or 'faster' otherwise. */
export function verdictOf(base, other, baseRuns, otherRuns) {
  if (baseRuns < 2 || otherRuns < 2) return 'unknown';
  if (base.p10 <= other.p90 && other.p10 <= base.p90) return 'within';
  return other.p50 > base.p50 ? 'slower' : 'faster';
}

const VERDICTS = {unknown: 'one run: spread unknown', within: 'within spread', slower: 'slower', faster: 'faster'};

function changeCell(app, from, to) {
  return `${signOf(app.time(to - from))} (${changeText(from, to)})`;
}

function verdictCell(verdict) {
  return element('span', {class: `badge verdict ${verdict}`}, VERDICTS[verdict]);
}

/** Undefined if the document, an older one, does not tell of the part. */
function averageOf(method, name) {
  return method.balance.find(({part}) => part === name)?.avg;
}

function totalsTable(app, base, other) {
  const rows = [{text: 'Method::execute, median', base: base.execute.p50, other: other.execute.p50}, {text: 'Method::execute, average', base: base.execute.avg, other: other.execute.avg},
    ...base.balance.filter(({part}) => averageOf(other, part) !== undefined).map(part => ({text: `${part.text.trim()}, average`, base: part.avg, other: averageOf(other, part.part)}))];
  return plainTable('Totals', [
    {title: 'what', class: 'key', cell: row => row.text},
    {title: `base ${app.unitName()}`, class: 'number', cell: row => app.time(row.base)}, {title: `this ${app.unitName()}`, class: 'number', cell: row => app.time(row.other)},
    {title: 'change', class: 'number', cell: row => changeCell(app, row.base, row.other)},
  ], rows);
}

function pairsTable(app, pairs) {
  if (pairs.length === 0) return element('p', {class: 'note'}, 'No operator of one is in the other.');
  const verdict = pair => verdictOf(pair.base, pair.other, pair.base.ranIn, pair.other.ranIn);
  const rows = sortRows(pairs, pair => Math.abs(pair.other.p50 - pair.base.p50), true).slice(0, MOST_ROWS);
  return plainTable(`Operators, largest change of the median first${pairs.length > rows.length ? ` (${MOST_ROWS} of ${pairs.length})` : ''}`, [
    {title: 'operator', class: 'key', cell: pair => pair.other.op}, {title: 'node', class: 'key quiet', cell: pair => (pair.base.name === pair.other.name ? pair.other.name : `${pair.base.name} → ${pair.other.name}`)},
    {title: 'module', class: 'key', cell: pair => pair.other.module?.path ?? ''},
    {title: 'backend', class: 'key', cell: pair => (pair.base.backend === pair.other.backend ? pair.other.backend : `${pair.base.backend} → ${pair.other.backend}`)},
    {title: `base p50 ${app.unitName()}`, class: 'number', cell: pair => app.time(pair.base.p50)}, {title: `this p50 ${app.unitName()}`, class: 'number', cell: pair => app.time(pair.other.p50)},
    {title: 'change', class: 'number', cell: pair => changeCell(app, pair.base.p50, pair.other.p50)}, {title: 'spread', cell: pair => verdictCell(verdict(pair))},
  ], rows, pair => app.select(pair.other));
}

function onlyTable(app, caption, operators, select) {
  if (operators.length === 0) return null;
  const rows = sortRows(operators, operator => operator.avg, true).slice(0, 50);
  return element('section', {class: 'card'}, plainTable(`${caption}: ${operators.length}`, [
    {title: 'operator', class: 'key', cell: operator => operator.op}, {title: 'node', class: 'key quiet', cell: operator => operator.name}, {title: 'module', class: 'key', cell: operator => operator.module?.path ?? ''},
    {title: `p50 ${app.unitName()}`, class: 'number', cell: operator => app.time(operator.p50)},
  ], rows, select));
}

function comparison(app, base) {
  const {pairs, onlyBase, onlyOther} = matchOperators(base, app.method);
  const overall = verdictOf(base.execute, app.method.execute, base.runs, app.method.runs);
  return [
    element('p', {class: 'lead'}, `Median ${app.time(base.execute.p50)} → ${app.time(app.method.execute.p50)} ${app.unitName()}, ${changeText(base.execute.p50, app.method.execute.p50)} `, verdictCell(overall)),
    element('p', {class: 'note'}, `${countText(base.runs, 'run')} against ${countText(app.method.runs, 'run')}; ${countText(pairs.length, 'operator')} matched by name, module and operator, or by operator and shape. A change is called slower or faster where p10 to p90 of both sides do not overlap.`),
    element('section', {class: 'card'}, totalsTable(app, base, app.method)), element('section', {class: 'card'}, pairsTable(app, pairs)),
    onlyTable(app, 'Only in this record', onlyOther, operator => app.select(operator)), onlyTable(app, 'Only in the base', onlyBase),
  ];
}

/** The view. options: {base: run, baseProfile, baseError}. */
export function compareView(app, options) {
  const others = app.records.filter(record => record.run !== app.run);
  if (others.length === 0) return element('p', {class: 'note'}, 'There is one record only: write a second one into the same logdir to compare with it.');
  const chooser = choice('Base', [['', 'choose a record…'], ...others.map(record => [record.run, record.label])], options.base ?? '', run => app.compareWith(run));
  const base = options.baseProfile?.methods.find(method => method.name === app.method.name) ?? options.baseProfile?.methods[0];
  const answer = options.baseError ? [element('p', {class: 'note error'}, options.baseError)] : !options.base ? [] : !base ? [element('p', {class: 'note'}, 'Loading…')]
    : base.runs === 0 || app.method.runs === 0 ? [element('p', {class: 'note'}, 'One of the two has no run times.')] : comparison(app, base);
  return element('div', {class: 'compare'}, element('div', {class: 'toolbar'}, element('label', {}, 'Base ', chooser), element('span', {class: 'count'}, `this: ${app.label()} · ${app.method.name}`)), answer);
}
