// SPDX-License-Identifier: BSD-3-Clause
//
// compare.js - the view that compares two records. The library pairs their nodes and decides the verdicts (schema/diff.schema.json).

import {choice, element, plainTable} from './dom.js';
import {changeText, countText, signOf} from './format.js';
import {CPU, PART_TEXTS, TOP_LEVEL, sortRows} from './model.js';

const MOST_ROWS = 300, MOST_GROUPS = 10;

const VERDICTS = {slower: 'slower', faster: 'faster', equal: 'equal', cannot_tell: 'cannot tell', new: 'new', gone: 'gone', untimed: 'not timed on both sides'};

function verdictCell({verdict}) {
  return element('span', {class: `badge verdict ${verdict}`}, VERDICTS[verdict]);
}

/* Formats the interval [-0.043, 0.132] as "−4.3 … +13.2 %"; a side without a bound stays empty. */
function intervalText(interval) {
  if (!interval) return '';
  const [low, high] = interval.map(bound => (bound === null || bound <= -1 ? '' : signOf((100 * bound).toFixed(1))));
  return `${low} … ${high} %`;
}

function changeCell(app, from, to) {
  return `${signOf(app.time(to - from))}${from > 0 ? ` (${changeText(from, to)})` : ''}`;
}

/** Returns the nodes that were timed on either side, largest change of the median first. A node on one side only counts with its whole time. */
export function timedNodes(nodes) {
  return sortRows(nodes.filter(node => node.base_runs > 0 || node.new_runs > 0), node => Math.abs((node.new_p50 ?? 0) - (node.base_p50 ?? 0)), true);
}

const PARTS = {delegate_only: PART_TEXTS.delegate_only, framework: PART_TEXTS.framework, unexplained: PART_TEXTS.unexplained, load: 'load, once'};

/* Returns rows of medians, because verdicts compare medians: the largest groups, the sum of the other groups, and the time outside operators. */
function explainedRows({explained: {rows}}) {
  const groups = rows.filter(({kind}) => !PARTS[kind] && kind !== 'rest'), more = groups.slice(MOST_GROUPS), sum = key => more.reduce((all, row) => all + (row[key] ?? 0), 0);
  const row = (text, {base_p50: base, new_p50: other, verdict}) => ({text, base, other, verdict});
  return [
    ...groups.slice(0, MOST_GROUPS).map(group => row(group.key || TOP_LEVEL, group)),
    ...(more.length ? [row(`${more.length.toLocaleString('en-US')} more, sum of their medians`, {base_p50: sum('base_p50'), new_p50: sum('new_p50')})] : []),
    ...rows.filter(({kind, base_p50: base, new_p50: other}) => PARTS[kind] && (base || other)).map(part => row(PARTS[part.kind], part)),
  ];
}

function totalsTable(app, method) {
  const {execute, may_differ: differ} = method;
  const rows = [{text: 'Method::execute', base: execute.base_p50, other: execute.new_p50, verdict: execute.verdict}, ...explainedRows(method)];
  return plainTable('Medians per inference', [
    {title: 'part', class: 'key', cell: row => row.text},
    {title: `base ${app.unitName()}`, class: 'number', cell: row => app.time(row.base)}, {title: `this ${app.unitName()}`, class: 'number', cell: row => app.time(row.other)},
    ...(differ ? [] : [{title: 'change', class: 'number', cell: row => changeCell(app, row.base ?? 0, row.other ?? 0)}, {title: 'verdict', cell: row => (row.verdict ? verdictCell(row) : '')}]),
  ], rows);
}

/* Returns "a", or "a → b" if the two sides differ. */
function eitherText(from, to) {
  return from === to || !from || !to ? to || from || '' : `${from} → ${to}`;
}

const opColumn = {title: 'operator', class: 'key', cell: node => node.op};

const placeColumns = [
  {title: 'module', class: 'key', cell: node => node.new_module ?? node.base_module ?? ''}, {title: 'node', class: 'key quiet', cell: node => eitherText(node.base_name, node.new_name)},
];

function medianColumns(app) {
  return [
    {title: `base p50 ${app.unitName()}`, class: 'number', cell: node => app.time(node.base_p50)}, {title: `this p50 ${app.unitName()}`, class: 'number', cell: node => app.time(node.new_p50)},
  ];
}

function timedOn(node) {
  return [node.base_runs > 0 ? node.base_backend ?? CPU : null, node.new_runs > 0 ? node.new_backend ?? CPU : null];
}

function openNode(app, node) {
  const operator = app.method.operators[node.new_node];
  if (operator) app.select(operator);
}

function nodesTable(app, all, differ) {
  const nodes = timedNodes(all).filter(node => !differ || (node.base_runs > 0 && node.new_runs > 0)), rows = nodes.slice(0, MOST_ROWS);
  if (nodes.length === 0) return element('p', {class: 'note'}, 'No operator was timed in either record.');
  return plainTable(`${differ ? 'Operators found on both sides' : 'Operators, largest change of the median first'}${nodes.length > rows.length ? ` (${MOST_ROWS} of ${nodes.length})` : ''}`, [
    opColumn, ...medianColumns(app),
    ...(differ ? [] : [{title: 'change', class: 'number', cell: node => changeCell(app, node.base_p50 ?? 0, node.new_p50 ?? 0)}, {title: 'verdict', cell: verdictCell}, {title: 'between', class: 'number', cell: node => intervalText(node.interval)}]),
    ...placeColumns, {title: 'backend', class: 'key', cell: node => eitherText(...timedOn(node))},
  ], rows, node => openNode(app, node));
}

const LEGEND = 'A row is slower or faster if its interval is on one side of 0, as in `etrecord-tb diff`. At most 5 % of these verdicts are expected to be due to chance.';

/* Warns if inputs, types or backends differ, so that the records cannot be compared directly. */
function differencesNote({differences}) {
  const words = {input: 'input', dtype: 'types', backend: 'backend'}, none = {input: 'none', dtype: 'none', backend: CPU};
  const texts = differences.filter(({kind}) => words[kind]).map(({kind, name, base, new: newer}) => `${[words[kind], name].filter(Boolean).join(' ')} ${base || none[kind]} → ${newer || none[kind]}`);
  return texts.length ? element('p', {class: 'note warning'}, `The two sides differ: ${texts.join(', ')}.`) : null;
}

function sideText(recordings, runs) {
  return `${countText(recordings, 'recording')} with ${countText(runs, 'run')}`;
}

/* Makes the lines above the tables. They contain no verdict if the two records may be of different models. */
function headline(app, method) {
  const {execute, timed_nodes: timed, timed_paired: paired, may_differ: differ, by_events: events} = method;
  const {verdict_text: verdict, reason_text: reason, base, new: newer} = method;
  const linedUp = `${paired.toLocaleString('en-US')} of ${countText(timed, events ? 'timed event' : 'timed operator')} were paired`, runs = `${sideText(execute.base_recordings, execute.base_runs)} against ${sideText(execute.new_recordings, execute.new_runs)}`;
  const medians = `Median ${app.time(execute.base_p50)} → ${app.time(execute.new_p50)} ${app.unitName()}`;
  if (differ) return [element('p', {class: 'lead warning', role: 'alert'}, `Only ${linedUp}: these look like two different models, so no change is judged.`), element('p', {class: 'note'}, `${medians}; ${runs}.`)];
  return [
    element('p', {class: 'lead'}, `${medians}: ${verdict} `, verdictCell(execute)), ...(reason ? [element('p', {class: 'note'}, `${reason[0].toUpperCase()}${reason.slice(1)}.`)] : []),
    ...[['the base', base], ['this record', newer]].filter(([, side]) => side?.steadiness).map(([name, side]) => element('p', {class: 'note'}, `Runs of ${name}: ${side.steadiness}.`)),
    element('p', {class: 'note'}, `${runs}; ${linedUp}. ${LEGEND}`),
  ];
}

function comparisonCards(app, method) {
  return [
    differencesNote(method), ...headline(app, method), element('section', {class: 'card'}, totalsTable(app, method)), element('section', {class: 'card'}, nodesTable(app, method.nodes, method.may_differ)),
  ];
}

/* The comparison lists the methods in the order of the newer document. */
function answerCards(app, {base, comparison, error, searching, alone}) {
  const method = comparison?.methods[app.profile.methods.indexOf(app.method)];
  if (error) return element('p', {class: 'note error', role: 'alert'}, error);
  if (alone) return element('p', {class: 'note'}, 'No other record of the same model with run times was found in this logdir. Choose any record to compare with it.');
  if (!base && !searching) return null;
  if (!method) return element('p', {class: 'note'}, 'Loading…');
  if (method.execute.base_runs === 0 || method.execute.new_runs === 0) return element('p', {class: 'note'}, 'One of the two records has no run times.');
  return comparisonCards(app, method);
}

/** Makes the view. options: {base: the run to compare with ('': none), comparison: the library's answer, error, searching: true while a base is looked for, alone: true if none was found}. */
export function compareView(app, options) {
  const others = app.bases();
  if (others.length === 0) return element('p', {class: 'note'}, 'There is only one record. Write a second one to the same logdir to compare them.');
  const chooser = choice('Base', [['', 'choose a record…'], ...others.map(record => [record.run, record.label])], options.base ?? '', run => app.compareWith(run));
  return element('div', {class: 'compare'}, element('div', {class: 'toolbar'}, element('label', {}, 'Base ', chooser), element('span', {class: 'count'}, `this: ${app.label()} · ${app.method.name}`)), answerCards(app, options));
}
