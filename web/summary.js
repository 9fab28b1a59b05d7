// SPDX-License-Identifier: BSD-3-Clause
//
// summary.js - the first view: where a method's time goes, in parts that add up to it.

import {drawing, element, figure, plainTable, timeCell} from './dom.js';
import {countText, shareText, shortOp, sourceText} from './format.js';
import {PART_TEXTS, TOP_LEVEL, UNFILTERED, estimatedOf, groupOperators, modulesByOwn} from './model.js';

const ROWS = 8;
const RESIDUE = 1e-6;  // ns; a part below it is a rounding error of the subtraction

/** Returns the parts of the bar, in ns. A part that another one contains is subtracted from it, so that all parts add up to Method::execute. */
export function balanceParts(method) {
  const parts = [];
  for (const part of method.balance) {
    if (!part.of_previous) parts.push({...part});
    else if (part.avg > 0) {
      parts.findLast(whole => !whole.of_previous).avg -= part.avg;
      parts.push({...part});
    }
  }
  return parts.filter(part => part.avg > RESIDUE);
}

/* Names a part of the time; the text of the document is for parts that this version does not know. */
const partText = ({part, text}) => PART_TEXTS[part] ?? text.trim();

function balanceBar(method) {
  const whole = method.execute.avg;
  return element('div', {class: 'balance-bar', 'aria-hidden': 'true'},
    balanceParts(method).map(part => element('span', {class: `part ${part.part}`, style: {'flex-grow': String(part.avg)}, title: `${partText(part)}: ${shareText(part.avg, whole)}`})));
}

function balanceTable(app) {
  const {method} = app;
  const whole = {part: 'execute', text: 'Method::execute', avg: method.execute.avg};
  const swatch = part => (part.part === 'execute' ? null : element('span', {class: `swatch ${part.part}`}));
  return plainTable('Where the time goes', [
    {title: 'part', cell: part => [swatch(part), element('span', {class: part.of_previous ? 'sub' : ''}, partText(part))]},
    {title: `avg ${app.unitName()}`, class: 'number', cell: part => app.time(part.avg)},
    {title: 'share', class: 'number', cell: part => shareText(part.avg, method.execute.avg)},
  ], [...shownParts(method.balance), whole]);
}

/** Makes a table of delegates' time by `key`; null if every part has the value `plain`, which means that no backend recorded more. */
function delegatePartsCard(app, title, parts, key, plain) {
  if (!parts.some(part => part[key] !== plain)) return null;
  return element('section', {class: 'card'}, plainTable(title, [
    {title: 'backend', class: 'key', cell: part => part.backend ?? '(unknown)'}, {title: key.replace('_', ' '), cell: part => part.text},
    {title: `avg ${app.unitName()}`, class: 'number', cell: part => app.time(part.avg)},
    {title: 'share', class: 'number', cell: part => shareText(part.avg, app.method.execute.avg)},
  ], parts));
}

function delegateCards(app) {
  const cards = [delegatePartsCard(app, 'Delegate overhead by phase', app.method.delegatePhases, 'phase', 'other'), delegatePartsCard(app, 'Delegates by compute unit', app.method.computeUnits, 'compute_unit', null)].filter(Boolean);
  return cards.length ? element('div', {class: 'grid'}, cards) : null;
}

/** Says how much operator time the delegates' clock may have rounded away; null if none. */
export function clockNote(app) {
  const {clockHidden} = app.method;
  if (!(clockHidden > 0)) return null;
  return `up to ${app.time(clockHidden)} ${app.unitName()} of the call overhead may be operator time, because the delegates' clock counts whole microseconds`;
}

/** Drops parts without time, and a part that is all of the part that contains it, as `summary` does. If no part has time, the first is shown. */
function shownParts(balance) {
  let whole = null;
  const shown = balance.filter(part => {
    if (!part.of_previous) whole = part;
    return part.total > 0 && (part === whole || part.total < whole.total);
  });
  return shown.length ? shown : balance.slice(0, 1);
}

/** Says how many runs count, and how many are excluded. */
function runsText(app) {
  const {runs, skippedRuns, skipped} = app.method, counted = countText(runs, 'run');
  return skippedRuns ? `${counted}; ${skippedRuns} more excluded (${app.time(skipped)} ${app.unitName()})` : counted;
}

const TOLD_BY = {sizes: 'Distinguished by the sizes of the values that the runs logged', events: 'Distinguished by the events of the runs', times: 'Estimated from the operators\u2019 times, which longer runs stretch by different factors'};

function cvText(cv) {
  return cv > 1 ? 'over 100 %' : shareText(cv, 1);
}

const STEADINESS = {steady: 'steady', noisy: 'noisy', two_modes: 'two modes', step: 'a step', drift: 'a drift'};

/** Shows how steady the runs are, "steady (cv 1.2 %)"; null with too few runs. */
function noiseFigure({noise}) {
  if (!noise || noise.verdict === 'few_runs') return null;
  return figure('noise', STEADINESS[noise.verdict] ?? noise.verdict, `cv ${cvText(noise.cv)}${noise.outliers ? `, ${countText(noise.outliers, 'outlier')}` : ''}`);
}

/** Returns the document's sentence about two modes, a step, a drift or outliers; null if there is none, as in older documents. */
function noiseNote({noise}) {
  return noise?.text || null;
}

/** Lists the phases of the runs; null if there is only one. */
function phasesTable(app) {
  const {phases} = app.method, time = key => ({title: `${key} ${app.unitName()}`, class: 'number', cell: phase => app.time(phase[key])});
  if (phases.length === 0) return null;
  return element('section', {class: 'card'}, plainTable('Phases of the runs', [
    {title: 'phase', class: 'key', cell: phase => phase.phase}, {title: 'runs', class: 'number', cell: phase => String(phase.runs.length)},
    ...['avg', 'p50', 'p90'].map(time), {title: 'cv', class: 'number', cell: phase => (phase.noise.cv === null ? '' : cvText(phase.noise.cv))}], phases),
  element('p', {class: 'note'}, `${TOLD_BY[phases[0].told_by]}. All other times are over the runs of all phases.`));
}

function figures(app) {
  const {method} = app, {execute} = method, time = ns => `${app.time(ns)} ${app.unitName()}`;
  const timed = method.operators.filter(operator => operator.timed).length;
  return element('div', {class: 'figures'},
    figure('average of Method::execute', time(execute.avg), runsText(app)), figure('median', time(execute.p50)),
    figure('p10 – p90', `${app.time(execute.p10)} – ${time(execute.p90)}`), figure('min – max', `${app.time(execute.min)} – ${time(execute.max)}`),
    noiseFigure(method), figure('operators with a time', `${timed} of ${method.operators.length}`));
}

/** Draws a column for each run, in the order in which they ran. */
function runsChart(app) {
  const {perRun} = app.method, most = Math.max(...perRun), width = 360, height = 64;
  if (perRun.length < 2) return null;
  const step = width / perRun.length;
  const bars = perRun.map((ns, run) => drawing('rect', {x: run * step, width: Math.max(0.5, step - (step > 4 ? 2 : 0)), y: height - (ns / most) * height, height: (ns / most) * height, class: 'run'}));
  return element('figure', {class: 'runs'}, drawing('svg', {viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `Time of each run, up to ${app.time(most)} ${app.unitName()}`}, ...bars),
    element('figcaption', {}, `time of each run, first to last; longest ${app.time(most)} ${app.unitName()}`));
}

function sourceLine(source) {
  return source ? [sourceText(source), element('code', {}, source.code)] : '(not recorded)';
}

/* Makes a card of the groups with the most time. A click on a row shows its operators. */
function breakdown(app, by, groups, columns) {
  const rows = groups.slice(0, ROWS), most = groups[0]?.avg ?? 0, [{title}] = columns;
  const bar = group => element('span', {class: 'bar', style: {width: `${most ? (100 * group.avg) / most : 0}%`}});
  const table = plainTable(`${title[0].toUpperCase()}${title.slice(1)}`, [...columns, {title: '', class: 'bar-cell', cell: bar}], rows, group => showOperators(app, {groups: {[by]: group.key}}));
  const more = groups.length - rows.length;
  return element('section', {class: 'card'}, table, more > 0 ? element('button', {type: 'button', class: 'text-link', onclick: () => showOperators(app, {group: by})}, `${more} more`) : null);
}

/* Shows the table of operators with these filters and no others. */
function showOperators(app, options) {
  app.show('operators', {...UNFILTERED, group: 'none', sorting: null, ...options});
}

function groupCard(app, title, by, label) {
  const {method} = app;
  return breakdown(app, by, groupOperators(method.operators.filter(operator => operator.timed), by), [
    {title, class: 'key', cell: group => element('span', {title: group.key}, label(group))},
    {title: `avg ${app.unitName()}`, class: 'number', cell: group => timeCell(app, group.avg, group.estimated)},
    {title: 'share', class: 'number', cell: group => shareText(group.avg, method.execute.avg)},
    {title: 'nodes', class: 'number', cell: group => String(group.count)},
  ]);
}

/* Makes the cell of a module's time including the modules inside it. If operators inside add to it, a click shows all of them. */
function totalCell(app, {module, avg, estimated, count, operators}) {
  const time = timeCell(app, avg, estimated);
  if (count === operators.length) return time;
  const title = `${countText(count, 'operator')} in ${module.path || 'the model'} and the modules inside it`;
  return element('button', {type: 'button', class: 'text-link', title, onclick: () => showOperators(app, {module})}, time);
}

function moduleCard(app) {
  const {method} = app;
  const groups = modulesByOwn(method).map(item => ({key: item.module.path, avg: item.own, item}));
  return breakdown(app, 'module', groups, [
    {title: 'module', class: 'key', cell: ({key}) => element('span', {class: 'cut head', title: key}, element('bdi', {}, key || TOP_LEVEL))},
    {title: `own ${app.unitName()}`, class: 'number', cell: ({item}) => timeCell(app, item.own, estimatedOf(item.operators))},
    {title: 'share', class: 'number', cell: ({item}) => shareText(item.own, method.execute.avg)},
    {title: 'nodes', class: 'number', cell: ({item}) => String(item.operators.length)},
    {title: `total ${app.unitName()}`, class: 'number', cell: ({item}) => totalCell(app, item)},
  ]);
}

const FINDINGS_SHOWN = 5;

// A finding is an action: what to do, why, what it could save. A document of an older version has no saving, but what it costs.
function findingItem(app, finding) {
  const isOlder = finding.saving === undefined;
  const part = isOlder ? finding.share : finding.potential_share;
  const time = isOlder ? finding.cost : finding.potential;
  const unknown = !isOlder && time === null;
  const share = unknown ? '' : part === null ? 'once' : shareText(part, 1);
  const show = () => showOperators(app, {only: {text: finding.title, list: finding.operators}});
  return element('li', {}, element('span', {class: 'cost'}, element('strong', {}, share), element('span', {}, unknown ? '' : `${app.time(time)} ${app.unitName()}`)),
    element('div', {}, element('strong', {}, finding.title), element('p', {}, isOlder ? finding.evidence : `${finding.evidence} ${finding.saving}`),
      finding.operators.length ? element('button', {type: 'button', class: 'text-link', onclick: show}, `show ${countText(finding.operators.length, 'operator')}`) : null));
}

function findingsList(app) {
  const {findings} = app.method;
  if (findings.length === 0) return null;
  const items = findings.map(finding => findingItem(app, finding)), rest = items.slice(FINDINGS_SHOWN);
  return element('section', {class: 'card findings', 'aria-label': 'Findings'}, element('h2', {}, 'Findings'), element('ol', {}, items.slice(0, FINDINGS_SHOWN)),
    rest.length ? element('details', {}, element('summary', {}, `${rest.length} more`), element('ol', {start: FINDINGS_SHOWN + 1}, rest)) : null);
}

function warningsList(app) {
  const {warnings} = app.profile;
  if (warnings.length === 0) return null;
  return element('section', {class: 'card warnings', 'aria-label': 'Warnings'}, element('h2', {}, countText(warnings.length, 'warning')),
    element('ul', {}, warnings.map(warning => element('li', {}, [warning.file, warning.entry, warning.message].filter(Boolean).join(': ')))));
}

function inputsList(app) {
  const {profile} = app;
  const load = profile.load.map(event => `${event.event_name} ${app.time(event.avg)} ${app.unitName()}`).join(', ');
  const rows = [['read', profile.inputs.join(', ')], ['load', load], ['written by', `etrecord-tb ${profile.version}`]];
  return element('section', {class: 'card inputs'}, element('h2', {}, 'Inputs'), element('dl', {}, rows.filter(([, value]) => value).flatMap(([key, value]) => [element('dt', {}, key), element('dd', {}, value)])));
}

/** Makes the view. */
export function summaryView(app) {
  const {method} = app;
  if (method.runs === 0)
    return element('div', {class: 'summary'}, element('p', {class: 'note'}, 'This record has no run times for this method. Its graph is shown in Operators and Delegation.'), findingsList(app), warningsList(app), inputsList(app));
  return element('div', {class: 'summary'},
    element('section', {class: 'card balance'}, figures(app), balanceBar(method), element('div', {class: 'columns'}, balanceTable(app), runsChart(app)),
      [...method.notes, clockNote(app), noiseNote(method)].filter(Boolean).map(note => element('p', {class: 'note'}, note))),
    phasesTable(app), findingsList(app), delegateCards(app),
    method.hasGraph && method.operators.some(operator => operator.timed) ? element('div', {class: 'grid'},
      groupCard(app, 'operator', 'op', group => shortOp(group.key)), moduleCard(app), groupCard(app, 'source line', 'source', group => sourceLine(group.first.source)),
      groupCard(app, 'backend', 'backend', group => group.key)) : null,
    warningsList(app), inputsList(app));
}
