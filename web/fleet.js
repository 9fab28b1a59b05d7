// SPDX-License-Identifier: BSD-3-Clause
//
// fleet.js - the list of all records in a logdir, with one row per record and method. Figures come from each record's head (schema/head.schema.json).

import {choice, drawing, element, keepFocus, visibleText} from './dom.js';
import {UNITS, changeText, countText, dateText, shareText, shortType, timeText} from './format.js';
import {sortRows} from './model.js';
import {LongTable} from './table.js';

const SCHEMA_OF_HEAD = 'etrecord-tb/head/1';
const TREND_HEIGHT = 100, TINTS = 5, HPARAM_WIDTH = 80; // height of the drawing in its own units; number of colours; width of an hparam's column with its gap, in pixels

/* ---- Rows ---- */

function rowsOfRecord({run, label, written, head}) {
  const record = {run, label, written, hparams: head?.hparams ?? {}, method: '', model: '', execute: {}};
  if (head?.schema !== SCHEMA_OF_HEAD) return [{...record, isOld: true}];
  const rows = head.methods.map(({method, model, parts, execute, runs, skipped_runs: skipped, delegated_time_share: delegated}) => ({
    ...record, method: method ?? '', model: shortType(model ?? ''), kind: JSON.stringify([method, model, parts]), execute, runs, skipped, delegated, ticksPerSecond: head.ticks_per_second,
  }));
  return rows.length ? rows : [record];
}

/** Returns the rows of all records, oldest record first. */
export function fleetRows(records) {
  return sortRows(records, record => record.written).flatMap(rowsOfRecord);
}

/** Returns the names of all hparams of the records, sorted. */
export function hparamsOf(rows) {
  return [...new Set(rows.flatMap(row => Object.keys(row.hparams)))].sort();
}

function fieldsOf(row) {
  return [['record', row.label], ['model', row.model], ['method', row.method], ['written', dateText(row.written)], ...Object.entries(row.hparams)];
}

/** Returns the rows that contain every word of the text in some column. A word such as "device=pixel8" is looked for in that column only. */
export function filterFleet(rows, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean), known = new Set(rows.flatMap(fieldsOf).map(([name]) => name.toLowerCase()));
  const wanted = words.map(word => {
    const at = word.indexOf('='), key = word.slice(0, at);
    return at > 0 && known.has(key) ? {key, part: word.slice(at + 1)} : {part: word};
  });
  const holds = (fields, {key, part}) => fields.some(([name, value]) => (key === undefined || name.toLowerCase() === key) && value.toLowerCase().includes(part));
  return rows.filter(row => wanted.every(word => holds(fieldsOf(row), word)));
}

/** Groups the timed rows into lines of the trend, [{label, rows}]: one line per model, method and value of the hparam `by` ('': any value), oldest row first. */
export function fleetLines(rows, by) {
  const lines = new Map();
  for (const row of rows.filter(({execute}) => execute.p50 > 0)) {
    const value = row.hparams[by] ?? '', key = JSON.stringify([row.kind, value]), label = [row.model || row.label, row.method, value].filter(Boolean).join(' · ');
    if (!lines.has(key)) lines.set(key, {label, rows: []});
    lines.get(key).rows.push(row);
  }
  return [...lines.values()];
}

/* Maps each row to the row before it in its line. */
function previousRows(lines) {
  return new Map(lines.flatMap(line => line.rows.slice(1).map((row, at) => [row, line.rows[at]])));
}

/* ---- The table ---- */

function tickBox(row, ticked, tick) {
  const name = row.method ? `${row.label}, ${row.method}` : row.label;
  return element('input', {type: 'checkbox', 'aria-label': `Compare ${name}`, title: 'tick two records to compare them', checked: ticked() === row, disabled: row.isOld, onclick: event => event.stopPropagation(),
    onchange: event => tick(event.target.checked ? row : null)});
}

function recordCell(row) {
  const facts = Object.entries(row.hparams).map(([name, value]) => `${name}=${value}`);
  return element('button', {type: 'button', class: 'text-link cut head', title: [row.label, ...facts].join('\n')}, element('bdi', {}, row.label));
}

function medianCell(app, row) {
  const time = ns => timeText(ns, app.unit, row.ticksPerSecond), {p10, p50, p90} = row.execute;
  if (row.isOld) return element('span', {class: 'quiet old'}, 'written by an earlier version: write it again'); // the text covers the empty cells beside it
  if (!p50) return element('span', {class: 'quiet'}, 'not timed');
  return element('span', {class: 'cut fleet-median'}, element('strong', {}, time(p50)), element('span', {class: 'quiet'}, ` ${time(p10)}–${time(p90)}`));
}

function sinceCell(row, before) {
  return before ? element('span', {title: `change of the median against ${before.label}; tick both records to see whether it is more than noise`}, changeText(before.execute.p50, row.execute.p50)) : '';
}

const cutText = value => element('span', {class: 'cut', title: value}, value);

function fleetColumns(app, rows, previous, ticked, tick) {
  const names = hparamsOf(rows), methods = new Set(rows.map(row => row.method)), first = methods.size > 1 ? 1000 : 906;
  const change = row => (previous.has(row) ? row.execute.p50 / previous.get(row).execute.p50 - 1 : null);
  return [
    {title: '', hint: 'tick two records to compare them', width: '20px', cell: row => tickBox(row, ticked, tick)},
    {title: 'record', width: 'minmax(100px, 2fr)', sort: row => row.label, cell: recordCell},
    {title: 'model', width: 'minmax(96px, 1.2fr)', from: 880, sort: row => row.model, cell: row => cutText(row.model)},
    ...(methods.size > 1 ? [{title: 'method', width: '84px', sort: row => row.method, cell: row => cutText(row.method)}] : []),
    {title: `median, p10–p90 ${UNITS[app.unit].name}`, width: '196px', sort: row => row.execute.p50, descending: true, cell: row => medianCell(app, row)},
    {title: 'change', hint: 'change of the median against the previous record of the same line', width: '76px', class: 'number', sort: change, descending: true, cell: row => sinceCell(row, previous.get(row))},
    {title: 'runs', hint: 'inferences that count; warm-up runs are excluded', width: '44px', from: 940, class: 'number', sort: row => row.runs, descending: true, cell: row => element('span', {title: row.skipped ? `${countText(row.skipped, 'more run')} excluded` : ''}, String(row.runs ?? ''))},
    {title: 'delegated', hint: 'time of delegate calls, as a share of Method::execute', width: '76px', class: 'number', sort: row => row.delegated, descending: true, cell: row => (row.isOld ? '' : shareText(row.delegated ?? null, 1))},
    ...names.map((name, at) => ({title: name, width: 'minmax(70px, 1fr)', from: first + at * HPARAM_WIDTH, sort: row => row.hparams[name], cell: row => cutText(row.hparams[name] ?? '')})),
    {title: 'written', width: '124px', class: 'number', sort: row => row.written, descending: true, cell: row => dateText(row.written)},
  ];
}

/* ---- The trend ---- */

/* Maps a time in ns to a height from 0 (top) to TREND_HEIGHT. The scale is logarithmic if the longest time is more than 10 times the shortest. */
function verticalScale(rows) {
  const times = rows.flatMap(({execute}) => [execute.p10, execute.p90]), low = Math.min(...times), high = Math.max(...times), isLog = low > 0 && high > 10 * low;
  const from = isLog ? Math.log : Number, span = from(high) - from(low);
  return {low, high, isLog, at: time => (span > 0 ? 4 + ((TREND_HEIGHT - 8) * (from(high) - from(time))) / span : TREND_HEIGHT / 2)};
}

function lineDrawing({label, rows}, index, across, {at}, time) {
  const points = key => rows.map(row => `${across(row)},${at(row.execute[key])}`), dot = row => drawing('path', {class: 'dot', d: `M${across(row)},${at(row.execute.p50)}h0`}, drawing('title', {},
    `${row.label}: ${time(row)}, ${dateText(row.written)}`));
  const band = drawing('path', {class: 'band', d: `M${[...points('p10'), ...points('p90').toReversed()].join('L')}Z`});
  return drawing('g', {class: `trend-line tint-${index % TINTS}`, 'data-line': label}, band, drawing('path', {class: 'line', d: `M${points('p50').join('L')}`}), ...rows.map(dot));
}

/** Draws the median of each line over the records, oldest first, with a band from p10 to p90. Returns null if nothing was timed. */
function trend(app, lines) {
  const rows = lines.flatMap(line => line.rows);
  if (rows.length === 0) return null;
  const runs = [...new Set(sortRows(rows, row => row.written).map(row => row.run))], positions = new Map(runs.map((run, position) => [run, position]));
  const across = row => 1 + (98 * (positions.get(row.run) + 0.5)) / runs.length, scale = verticalScale(rows), unit = UNITS[app.unit].name;
  const time = row => `${timeText(row.execute.p50, app.unit, row.ticksPerSecond)} ${unit}`, edge = ns => timeText(ns, app.unit, rows[0].ticksPerSecond);
  const said = `Medians of ${countText(runs.length, 'record')}, oldest first. ${lines.slice(0, TINTS).map(line => `${line.label}: ${time(line.rows[0])} to ${time(line.rows.at(-1))}`).join('; ')}`;
  return element('figure', {class: 'trend'},
    element('div', {class: 'trend-axis', 'aria-hidden': 'true'}, element('span', {}, `${edge(scale.high)} ${unit}`), element('span', {}, scale.isLog ? 'log scale' : ''), element('span', {}, edge(scale.low))),
    drawing('svg', {viewBox: `0 0 100 ${TREND_HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': said}, ...lines.map((line, index) => lineDrawing(line, index, across, scale, time))),
    element('figcaption', {}, element('span', {}, dateText(rows.reduce((a, b) => (a.written < b.written ? a : b)).written)),
      element('ul', {class: 'legend'}, lines.slice(0, 2 * TINTS).map((line, index) => element('li', {}, element('span', {class: `swatch backend-${index % TINTS}`}), line.label)), lines.length > 2 * TINTS ? element('li', {}, `${lines.length - 2 * TINTS} more`) : null),
      element('span', {}, dateText(rows.reduce((a, b) => (a.written > b.written ? a : b)).written))));
}

/* ---- The view ---- */

const hintText = ticked => (ticked ? `${ticked.label} is ticked: tick another to compare` : 'tick two records to compare them');

function fleetToolbar(app, options, shown, hint) {
  const names = hparamsOf(options.rows), records = new Set(shown.map(row => row.run)).size;
  return element('div', {class: 'toolbar'},
    element('input', {type: 'search', class: 'search', 'aria-label': 'Filter records', placeholder: 'Filter: pixel8, device=pixel8', value: options.filter, oninput: event => app.change({filter: event.target.value})}),
    names.length ? element('label', {}, 'A line for each ', choice('A line for each', [['', 'model'], ...names.map(name => [name, `model and ${name}`])], options.by, by => app.change({by}))) : null,
    element('span', {class: 'count', role: 'status'}, countText(records, 'record')),
    hint);
}

/** Makes the view. options: {rows: of fleetRows(), null while they load; error, filter, by, sorting, ticked: the row that is ticked}. */
export function fleetView(app, options) {
  if (options.error) return element('p', {class: 'note error', role: 'alert'}, options.error);
  if (!options.rows) return element('p', {class: 'note'}, 'Loading…');
  const ticked = () => app.options.fleet.ticked, hint = element('span', {class: 'hint', role: 'status'}, hintText(ticked()));
  const tick = row => {
    app.tick(row);
    hint.textContent = visibleText(hintText(ticked()));
    keepFocus(table.grid, () => table.draw());
  };
  const shown = filterFleet(options.rows, options.filter), lines = fleetLines(shown, options.by), columns = fleetColumns(app, options.rows, previousRows(lines), ticked, tick);
  const sorting = {...(options.sorting ?? {column: columns.length - 1, descending: true}), change: next => app.change({sorting: next})};
  const rows = sortRows(shown, columns[sorting.column].sort, sorting.descending), table = new LongTable('Records', columns, rows, sorting, row => app.openRow(row));
  return element('div', {class: 'fleet'}, fleetToolbar(app, options, shown, hint), trend(app, lines), rows.length ? table.grid : element('p', {class: 'note'}, 'No record matches.'));
}
