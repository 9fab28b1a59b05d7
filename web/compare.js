// SPDX-License-Identifier: BSD-3-Clause
//
// compare.js - two records side by side, as the library lines them up and judges them (schema/diff.schema.json).

import {choice, element, plainTable} from './dom.js';
import {changeText, countText, signOf} from './format.js';
import {CPU, sortRows} from './model.js';

const MOST_ROWS = 300, MOST_GROUPS = 10;

const VERDICTS = {slower: 'slower', faster: 'faster', within_noise: 'within noise', few_runs: 'too few runs', one_side: 'timed on one side', new: 'new', gone: 'gone', untimed: 'not timed'};

function verdictCell({verdict}) {
  return element('span', {class: `badge verdict ${verdict}`}, VERDICTS[verdict]);
}

function changeCell(app, from, to) {
  return `${signOf(app.time(to - from))}${from > 0 ? ` (${changeText(from, to)})` : ''}`;
}

/** Rows of the library's list of nodes that were timed, largest change of the median first: what is new or gone stands where its change puts it. */
export function timedNodes(nodes) {
  return sortRows(nodes.filter(node => node.base_runs > 0 || node.new_runs > 0), node => Math.abs((node.new_p50 ?? 0) - (node.base_p50 ?? 0)), true);
}

const PARTS = {delegate_only: 'delegates, beyond their nodes', framework: 'framework, between operators', unexplained: 'unexplained', rest: 'outside of events', load: 'load, once'};

/* Averages that add up: the largest of the library's sums, all others together, and what is on no node. */
function explainedRows({explained: {rows}}) {
  const groups = rows.filter(({kind}) => !PARTS[kind]), more = groups.slice(MOST_GROUPS), sum = key => more.reduce((all, row) => all + (row[key] ?? 0), 0);
  const row = (text, {base_avg: base, new_avg: other}) => ({text, base, other});
  return [
    ...groups.slice(0, MOST_GROUPS).map(group => row(group.key || '(the model itself)', group)),
    ...(more.length ? [row(`${more.length.toLocaleString('en-US')} more`, {base_avg: sum('base_avg'), new_avg: sum('new_avg')})] : []),
    ...rows.filter(({kind, base_avg: base, new_avg: other}) => PARTS[kind] && (base || other)).map(part => row(PARTS[part.kind], part)),
  ];
}

function totalsTable(app, method) {
  const {execute, may_differ: differ} = method;
  const rows = [{text: 'Method::execute, median', base: execute.base_p50, other: execute.new_p50}, {text: 'Method::execute, average', base: execute.base_avg, other: execute.new_avg},
    ...explainedRows(method).map(row => ({...row, text: `${row.text}, average`}))];
  return plainTable('Totals', [
    {title: 'what', class: 'key', cell: row => row.text},
    {title: `base ${app.unitName()}`, class: 'number', cell: row => app.time(row.base)}, {title: `this ${app.unitName()}`, class: 'number', cell: row => app.time(row.other)},
    ...(differ ? [] : [{title: 'change', class: 'number', cell: row => changeCell(app, row.base ?? 0, row.other ?? 0)}]),
  ], rows);
}

/* "a", or "a → b" where they differ. */
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
  if (nodes.length === 0) return element('p', {class: 'note'}, 'No operator was timed in both records.');
  return plainTable(`${differ ? 'Operators that match' : 'Operators, largest change of the median first'}${nodes.length > rows.length ? ` (${MOST_ROWS} of ${nodes.length})` : ''}`, [
    opColumn, ...medianColumns(app),
    ...(differ ? [] : [{title: 'change', class: 'number', cell: node => changeCell(app, node.base_p50 ?? 0, node.new_p50 ?? 0)}, {title: 'verdict', cell: verdictCell}]),
    ...placeColumns, {title: 'backend', class: 'key', cell: node => eitherText(...timedOn(node))},
    ...(differ ? [] : [{title: `noise ± ${app.unitName()}`, class: 'number', cell: node => app.time(node.noise)}]),
  ], rows, node => openNode(app, node));
}

const LEGEND = "A change counts as slower or faster if it exceeds the noise, which follows from the spread of the runs and the clock's resolution, as in `etrecord-tb diff`.";

/* What makes the two no like with like, beyond the model. */
function differencesNote({differences}) {
  const words = {input: 'input', dtype: 'types', backend: 'backend'}, none = {input: 'none', dtype: 'none', backend: CPU};
  const texts = differences.filter(({kind}) => words[kind]).map(({kind, name, base, new: newer}) => `${[words[kind], name].filter(Boolean).join(' ')} ${base || none[kind]} → ${newer || none[kind]}`);
  return texts.length ? element('p', {class: 'note warning'}, `Not the same on both sides: ${texts.join(', ')}.`) : null;
}

/* What the records are to each other, and nothing of slower or faster where that would compare different models. */
function headline(app, {execute, timed_nodes: timed, timed_paired: paired, may_differ: differ, by_events: events}) {
  const linedUp = `${paired.toLocaleString('en-US')} of ${countText(timed, events ? 'timed event' : 'timed operator')} on both sides match`, runs = `${countText(execute.base_runs, 'run')} against ${countText(execute.new_runs, 'run')}`;
  const medians = `Median ${app.time(execute.base_p50)} → ${app.time(execute.new_p50)} ${app.unitName()}`;
  if (differ) return [element('p', {class: 'lead warning', role: 'alert'}, `Only ${linedUp}: these may be different models, so no change is judged.`), element('p', {class: 'note'}, `${medians}; ${runs}.`)];
  return [element('p', {class: 'lead'}, `${medians}, ${changeText(execute.base_p50, execute.new_p50)} `, verdictCell(execute)), element('p', {class: 'note'}, `${runs}; ${linedUp}. ${LEGEND}`)];
}

function comparisonCards(app, method) {
  return [
    differencesNote(method), ...headline(app, method), element('section', {class: 'card'}, totalsTable(app, method)), element('section', {class: 'card'}, nodesTable(app, method.nodes, method.may_differ)),
  ];
}

/* The library lists the methods of the newer document in its order. */
function answerCards(app, {base, comparison, error, searching, alone}) {
  const method = comparison?.methods[app.profile.methods.indexOf(app.method)];
  if (error) return element('p', {class: 'note error', role: 'alert'}, error);
  if (alone) return element('p', {class: 'note'}, 'No other record in this logdir seems to be of the same model and has run times: choose one to compare with it all the same.');
  if (!base && !searching) return null;
  if (!method) return element('p', {class: 'note'}, 'Loading…');
  if (method.execute.base_runs === 0 || method.execute.new_runs === 0) return element('p', {class: 'note'}, 'One of the two records has no run times.');
  return comparisonCards(app, method);
}

/** The view. options: {base: run, '' for none, comparison: the library's, error, searching: for a base, alone: none was found}. */
export function compareView(app, options) {
  const others = app.bases();
  if (others.length === 0) return element('p', {class: 'note'}, 'There is only one record; write a second one to the same logdir to compare them.');
  const chooser = choice('Base', [['', 'choose a record…'], ...others.map(record => [record.run, record.label])], options.base ?? '', run => app.compareWith(run));
  return element('div', {class: 'compare'}, element('div', {class: 'toolbar'}, element('label', {}, 'Base ', chooser), element('span', {class: 'count'}, `this: ${app.label()} · ${app.method.name}`)), answerCards(app, options));
}
