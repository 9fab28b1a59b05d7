// SPDX-License-Identifier: BSD-3-Clause
//
// summary.js - the first view: where a method's time goes, in parts that add up.

import {drawing, element, plainTable} from './dom.js';
import {countText, shareText, shortOp, sourceText} from './format.js';
import {groupOperators} from './model.js';

const ROWS = 8;
const RESIDUE = 1e-6;  // ns: what subtracting leaves of a part that consists of others
const WHOLE = {module: null, search: '', backend: '', only: null};

/** The parts of the bar: what is part of another is taken out of it, so that they add up to the whole. */
export function balanceParts(method) {
  const parts = [];
  for (const part of method.balance) {
    if (!part.of_previous) parts.push({...part});
    else if (part.avg > 0) {
      parts.findLast(whole => !whole.of_previous).avg -= part.avg;
      parts.push({...part, text: part.text.trim()});
    }
  }
  return parts.filter(part => part.avg > RESIDUE);
}

function balanceBar(method) {
  const whole = method.execute.avg;
  return element('div', {class: 'balance-bar', 'aria-hidden': 'true'},
    balanceParts(method).map(part => element('span', {class: `part ${part.part}`, style: {'flex-grow': String(part.avg)}, title: `${part.text}: ${shareText(part.avg, whole)}`})));
}

function balanceTable(app) {
  const {method} = app;
  const whole = {part: 'execute', text: 'Method::execute', avg: method.execute.avg};
  const swatch = part => (part.part === 'execute' ? null : element('span', {class: `swatch ${part.part}`}));
  return plainTable('Where the time goes', [
    {title: 'part', cell: part => [swatch(part), element('span', {class: part.of_previous ? 'sub' : ''}, part.text.trim())]},
    {title: `avg ${app.unitName()}`, class: 'number', cell: part => app.time(part.avg)},
    {title: 'share', class: 'number', cell: part => shareText(part.avg, method.execute.avg)},
  ], [...toldParts(method.balance), whole]);
}

/** What the clocks of delegates hide; null if that is nothing. */
export function clockNote(app) {
  const {clockHidden} = app.method;
  if (!(clockHidden > 0)) return null;
  return `up to ${app.time(clockHidden)} ${app.unitName()} of the rest of the calls can be operators' time that the delegates' clock of whole microseconds cannot show`;
}

/** Parts of a part that is nothing say nothing. */
function toldParts(balance) {
  let whole = null;
  return balance.filter(part => {
    if (!part.of_previous) whole = part;
    return part === whole || whole.total > 0;
  });
}

function figure(label, value, note) {
  return element('div', {class: 'figure'}, element('span', {class: 'label'}, label), element('strong', {}, value), note ? element('span', {class: 'label'}, note) : null);
}

function figures(app) {
  const {method} = app, {execute} = method, time = ns => `${app.time(ns)} ${app.unitName()}`;
  const timed = method.operators.filter(operator => operator.timed).length;
  return element('div', {class: 'figures'},
    figure('average of Method::execute', time(execute.avg), countText(method.runs, 'run')), figure('median', time(execute.p50)),
    figure('p10 – p90', `${app.time(execute.p10)} – ${time(execute.p90)}`), figure('min – max', `${app.time(execute.min)} – ${time(execute.max)}`),
    figure('operators with a time', `${timed} of ${method.operators.length}`));
}

/** A column for each run, from the first to the last. */
function runsChart(app) {
  const {perRun} = app.method, most = Math.max(...perRun), width = 360, height = 64;
  if (perRun.length < 2) return null;
  const step = width / perRun.length;
  const bars = perRun.map((ns, run) => drawing('rect', {x: run * step, width: Math.max(0.5, step - (step > 4 ? 2 : 0)), y: height - (ns / most) * height, height: (ns / most) * height, class: 'run'}));
  return element('figure', {class: 'runs'}, drawing('svg', {viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `Time of each run, up to ${app.time(most)} ${app.unitName()}`}, ...bars),
    element('figcaption', {}, `each run, first to last; highest ${app.time(most)} ${app.unitName()}`));
}

/** What shows the operators of a group in the table. */
export function narrowTo(group, by) {
  const {source, module} = group.first;
  if (by === 'module') return {...WHOLE, module};
  if (by === 'backend') return {...WHOLE, backend: group.key};
  if (by === 'source') return {...WHOLE, search: source ? `${source.file}:${source.line}` : ''};
  return {...WHOLE, search: group.key};
}

function sourceLine(source) {
  return source ? [sourceText(source), element('code', {}, source.code)] : '(not recorded)';
}

function breakdown(app, title, by, label) {
  const {method} = app, groups = groupOperators(method.operators.filter(operator => operator.timed), by);
  const rows = groups.slice(0, ROWS), most = groups[0]?.avg ?? 0;
  const bar = group => element('span', {class: 'bar', style: {width: `${most ? (100 * group.avg) / most : 0}%`}});
  const table = plainTable(title, [
    {title: title.toLowerCase(), class: 'key', cell: group => element('span', {title: group.key}, label(group))},
    {title: `avg ${app.unitName()}`, class: 'number', cell: group => app.time(group.avg)},
    {title: 'share', class: 'number', cell: group => shareText(group.avg, method.execute.avg)},
    {title: 'nodes', class: 'number', cell: group => String(group.count)},
    {title: '', class: 'bar-cell', cell: bar},
  ], rows, group => app.show('operators', {group: 'none', ...narrowTo(group, by)}));
  const more = groups.length - rows.length;
  return element('section', {class: 'card'}, table,
    more > 0 ? element('button', {type: 'button', class: 'text-link', onclick: () => app.show('operators', {group: by, search: ''})}, `${more} more`) : null);
}

function findingItem(app, finding) {
  const share = finding.share === null ? 'once' : shareText(finding.share, 1);
  const show = () => app.show('operators', {group: 'none', search: '', module: null, backend: '', sorting: null, only: {text: finding.title, list: finding.operators}});
  return element('li', {}, element('span', {class: 'cost'}, element('strong', {}, share), element('span', {}, `${app.time(finding.cost)} ${app.unitName()}`)),
    element('div', {}, element('strong', {}, finding.title), element('p', {}, finding.evidence),
      finding.operators.length ? element('button', {type: 'button', class: 'text-link', onclick: show}, `show ${countText(finding.operators.length, 'operator')}`) : null));
}

function findingsList(app) {
  const {findings} = app.method;
  if (findings.length === 0) return null;
  return element('section', {class: 'card findings', 'aria-label': 'Findings'}, element('h2', {}, 'Worth a look'), element('ol', {}, findings.map(finding => findingItem(app, finding))));
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

/** The view. */
export function summaryView(app) {
  const {method} = app;
  if (method.runs === 0)
    return element('div', {class: 'summary'}, element('p', {class: 'note'}, 'The record has no run times for this method: Operators and Delegation show its graph.'), findingsList(app), warningsList(app), inputsList(app));
  return element('div', {class: 'summary'},
    element('section', {class: 'card balance'}, figures(app), balanceBar(method), element('div', {class: 'columns'}, balanceTable(app), runsChart(app)),
      clockNote(app) ? element('p', {class: 'note'}, clockNote(app)) : null),
    findingsList(app),
    method.hasGraph ? element('div', {class: 'grid'},
      breakdown(app, 'Operator', 'op', group => shortOp(group.key)), breakdown(app, 'Module', 'module', group => group.key || '(the model itself)'),
      breakdown(app, 'Source line', 'source', group => sourceLine(group.first.source)), breakdown(app, 'Backend', 'backend', group => group.key)) : null,
    warningsList(app), inputsList(app));
}
