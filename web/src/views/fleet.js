// SPDX-License-Identifier: BSD-3-Clause
//
// fleet.js - the list of all records in a logdir, with one row per record and method. Figures come from each record's
// head (schema/head.schema.json).

import {signal} from '@preact/signals';
import {useEffect} from 'preact/hooks';

import {records, shownRun, source, unit} from '../base/app.js';
import {sortRows} from '../base/columns.js';
import {UNITS, changeText, countText, dateText, shareText, shortType, timeText} from '../base/format.js';
import {html} from '../base/html.js';
import {declare, get, set, text} from '../base/store.js';
import {Choice} from '../parts/bits.js';
import {Table, declareTable} from '../parts/table.js';

const SCHEMA_OF_HEAD = 'etrecord-tb/head/1';
const TREND_HEIGHT = 100, // of the drawing in its own units
  SECONDS = 60, // in a minute, which is what is shown of a time
  TINTS = 5, // lines that are read out
  NAMED = 8, // lines whose names have room
  HPARAM_WIDTH = 80; // of an hparam's column with its gap, in pixels

declare({'fleet.q': text(), 'fleet.by': text()});
declareTable('fleet', 'written-');

const answer = signal({rows: null, error: ''}),
  ticked = signal(null); // {rows} or {error}; the row that is ticked

/* ---- Rows ---- */

/* When a record was recorded, in seconds; of an older one, when it was written. */
const timeOf = ({written, head}) => head?.recorded ?? written;

/* Records of one minute have no order but that of their names: a checkout or a copy gives all files about one time. */
const minuteOf = ({written}) => Math.floor(written / SECONDS);

function rowsOfRecord({run, label, written, head}) {
  const record = {
    run,
    label,
    written: timeOf({written, head}),
    hparams: head?.hparams ?? {},
    method: '',
    model: '',
    execute: {},
  };
  if (head?.schema !== SCHEMA_OF_HEAD) return [{...record, isBroken: true}];
  const rows = head.methods.map(
    ({method, model, parts, execute, runs, skipped_runs: skipped, delegated_time_share: delegated}) => ({
      ...record,
      method: method ?? '',
      model: shortType(model ?? ''),
      kind: JSON.stringify([method, model, parts]),
      execute,
      runs,
      skipped,
      delegated,
      ticksPerSecond: head.ticks_per_second,
    }),
  );
  return rows.length ? rows : [record];
}

/** Returns the rows of all records, oldest record first, those of one minute by name. */
export const fleetRows = heads => sortRows(sortRows(heads, ({label}) => label).flatMap(rowsOfRecord), minuteOf);

/** Returns the names of all hparams of the records, sorted. */
export const hparamsOf = rows => [...new Set(rows.flatMap(row => Object.keys(row.hparams)))].sort();

const fieldsOf = row => [
  ['record', row.label],
  ['model', row.model],
  ['method', row.method],
  ['recorded', dateText(row.written)],
  ...Object.entries(row.hparams),
];

/**
 * Returns the rows that contain every word of the text in some column. A word such as "device=pixel8" is looked for in
 * that column only.
 */
export function filterFleet(rows, said) {
  const words = said.toLowerCase().split(/\s+/).filter(Boolean),
    known = new Set(rows.flatMap(fieldsOf).map(([name]) => name.toLowerCase()));
  const wanted = words.map(word => {
    const at = word.indexOf('='),
      key = word.slice(0, at);
    return at > 0 && known.has(key) ? {key, part: word.slice(at + 1)} : {part: word};
  });
  const holds = (fields, {key, part}) =>
    fields.some(
      ([name, value]) => (key === undefined || name.toLowerCase() === key) && value.toLowerCase().includes(part),
    );
  return rows.filter(row => wanted.every(word => holds(fieldsOf(row), word)));
}

/**
 * Groups the timed rows into lines of the trend, [{label, rows}]: one line per model, method and value of the hparam
 * `by` ('': any value), oldest row first. Lines that would be called alike have the name of their first record.
 */
export function fleetLines(rows, by) {
  const lines = new Map();
  for (const row of rows.filter(({execute}) => execute.typical > 0)) {
    const value = row.hparams[by] ?? '',
      key = JSON.stringify([row.kind, value]),
      label = [row.model || row.label, row.method, value].filter(Boolean).join(' · ');
    if (!lines.has(key)) lines.set(key, {label, rows: []});
    lines.get(key).rows.push(row);
  }
  const made = [...lines.values()],
    isOnly = ({label}) => made.filter(line => line.label === label).length === 1;
  return made.map(line => (isOnly(line) ? line : {...line, label: `${line.rows[0].label} · ${line.label}`}));
}

/** Maps each row to the last row of its line that was surely before it, by a minute or more. */
export function previousRows(lines) {
  const found = new Map();
  for (const {rows} of lines)
    for (const row of rows) {
      const previous = rows.findLast(other => row.written - other.written >= SECONDS);
      if (previous) found.set(row, previous);
    }
  return found;
}

/* ---- The table ---- */

/* Ticks a row; when a second record is ticked, the newer one is compared with the older, or with the one that was
   ticked first if they have no order. */
function tick(row, isOn) {
  const other = ticked.peek();
  if (!isOn || !other || other.run === row.run) {
    ticked.value = isOn ? row : null;
    return;
  }
  const [older, newer] = minuteOf(other) <= minuteOf(row) ? [other, row] : [row, other];
  ticked.value = null;
  set({view: 'compare', record: newer.run, method: newer.method, base: older.run, sel: '', q: ''});
}

const cut = value => html`<span class="cut" title=${value}>${value}</span>`;

/* The text of a time of a row, with the digits of its typical time, unless the reader asks for all. */
const timeIn = ({execute, ticksPerSecond}, ns = execute.typical) =>
  timeText(ns, unit.value, {ticksPerSecond, whole: get('digits') ? 0 : execute.typical});

function TypicalCell({row}) {
  const {typical, min, max} = row.execute;
  if (row.isBroken)
    return html`<span class="quiet old">cannot be read: write it again
    </span>`; // the text covers the empty cells beside it
  if (!typical) return html`<span class="quiet">not timed</span>`;
  return html`<span class="cut fleet-typical"><strong>${timeIn(row)}</strong><span class="quiet">
    ${` ${timeIn(row, min)} – ${timeIn(row, max)}`}</span></span>`;
}

const TICK_HINT = 'tick two to compare: the older is the base, else the first';

function fleetColumns(rows, previous) {
  const names = hparamsOf(rows),
    methods = new Set(rows.map(row => row.method)),
    first = methods.size > 1 ? 1000 : 906;
  const change = row => (previous.has(row) ? row.execute.typical / previous.get(row).execute.typical - 1 : NaN),
    changeSaid = row => (previous.has(row) ? changeText(previous.get(row).execute.typical, row.execute.typical) : '');
  const label = row => (row.method ? `${row.label}, ${row.method}` : row.label),
    facts = row => Object.entries(row.hparams).map(([name, value]) => `${name}=${value}`);
  return [
    {
      key: 'tick',
      title: '',
      hint: TICK_HINT,
      width: '20px',
      sort: false,
      cell: row =>
        html`<input type="checkbox" aria-label=${`Compare ${label(row)}`} title=${TICK_HINT}
          checked=${ticked.value === row} disabled=${row.isBroken}
          onChange=${event => tick(row, event.target.checked)} />`,
    },
    {
      key: 'record',
      title: 'record',
      width: 'minmax(100px, 2fr)',
      value: row => row.label,
      cell: row =>
        html`<span class="cut head fleet-record" title=${[row.label, ...facts(row)].join('\n')}><bdi>${row.label}</bdi>
          </span>`,
    },
    {
      key: 'model',
      title: 'model',
      width: 'minmax(96px, 1.2fr)',
      from: 880,
      value: row => row.model,
      cell: row => cut(row.model),
    },
    ...(methods.size > 1
      ? [{key: 'method', title: 'method', width: '84px', value: row => row.method, cell: row => cut(row.method)}]
      : []),
    {
      key: 'typical',
      title: `typical, least – most ${UNITS[unit.value].name}`,
      hint: 'time of the typical run, of the fastest and of the slowest',
      number: true,
      width: '196px',
      value: row => row.execute.typical ?? NaN,
      descending: true,
      cell: row => html`<${TypicalCell} row=${row} />`,
    },
    {
      key: 'change',
      title: 'change',
      hint: 'change against the last record of this line that is a minute older; not judged',
      width: '76px',
      number: true,
      value: change,
      descending: true,
      text: changeSaid,
      cell: row =>
        html`<span title=${previous.has(row) ? `change against ${previous.get(row).label}` : ''}>${changeSaid(row)}</span>`,
    },
    {
      key: 'runs',
      title: 'runs',
      hint: 'inferences that count; warm-up runs are excluded',
      width: '44px',
      from: 940,
      number: true,
      value: row => row.runs ?? NaN,
      text: row => String(row.runs ?? ''),
      descending: true,
      cell: row =>
        html`<span title=${row.skipped ? `${countText(row.skipped, 'more run')} excluded` : ''}>${row.runs ?? ''}
          </span>`,
    },
    {
      key: 'delegated',
      title: 'delegated',
      hint: 'share of an inference without interruptions that delegates take',
      width: '76px',
      number: true,
      value: row => row.delegated ?? NaN,
      descending: true,
      text: row => (row.isBroken ? '' : shareText(row.delegated ?? null, 1)),
    },
    ...names.map((name, at) => ({
      key: `hparam.${name}`,
      title: name,
      width: 'minmax(70px, 1fr)',
      from: first + at * HPARAM_WIDTH,
      value: row => row.hparams[name] ?? '',
      cell: row => cut(row.hparams[name] ?? ''),
    })),
    {
      key: 'written',
      title: 'recorded',
      hint: 'by record.json or the ETDump',
      width: '124px',
      number: true,
      value: minuteOf,
      text: row => dateText(row.written),
      descending: true,
    },
  ];
}

/* ---- The trend ---- */

/* Maps a time in ns to a height from 0 (top) to TREND_HEIGHT. The scale is logarithmic if the longest time is more
   than 10 times the shortest. */
function verticalScale(rows) {
  const all = rows.flatMap(({execute}) => [execute.min, execute.max]),
    low = Math.min(...all),
    high = Math.max(...all),
    isLog = low > 0 && high > 10 * low;
  const from = isLog ? Math.log : Number,
    span = from(high) - from(low);
  return {
    low,
    high,
    isLog,
    at: time => (span > 0 ? 4 + ((TREND_HEIGHT - 8) * (from(high) - from(time))) / span : TREND_HEIGHT / 2),
  };
}

/**
 * The typical time of each line over the records, oldest first, with a band from the fastest to the slowest run;
 * nothing if nothing was timed.
 */
function Trend({lines, rows: all}) {
  const rows = all.filter(({execute}) => execute.typical > 0);
  if (rows.length === 0) return null;
  const runs = [...new Set(rows.map(row => row.run))],
    positions = new Map(runs.map((run, position) => [run, position]));
  const across = row => 1 + (98 * (positions.get(row.run) + 0.5)) / runs.length,
    scale = verticalScale(rows),
    unitName = UNITS[unit.value].name;
  const time = row => `${timeIn(row)} ${unitName}`,
    edge = ns => timeIn({...rows[0], execute: {typical: ns}});
  const said = `Typical times of ${countText(runs.length, 'record')}, oldest first. ${lines
    .slice(0, TINTS)
    .map(line => `${line.label}: ${time(line.rows[0])} to ${time(line.rows.at(-1))}`)
    .join('; ')}`;
  // Lines are gray; that of the record that is shown, or ticked, is not.
  const isChosen = its => its.some(row => row === ticked.value || row.run === shownRun.value);
  const drawn = ({label, rows: its}) => {
    const points = key => its.map(row => `${across(row)},${scale.at(row.execute[key])}`);
    return html`<g class=${isChosen(its) ? 'trend-line chosen' : 'trend-line'} data-line=${label}><path class="band"
      d=${`M${[...points('min'), ...points('max').toReversed()].join('L')}Z`} /><path class="line"
      d=${`M${points('typical').join('L')}`} />
      ${its.map(
        row => html`<path class="dot" d=${`M${across(row)},${scale.at(row.execute.typical)}h0`}><title>
        ${`${row.label}: ${time(row)}, ${dateText(row.written)}`}</title></path>`,
      )}</g>`;
  };
  // The name of a line is at its end; names keep their distance. A dot alone has its name in its hint, and in the list.
  let last = -Infinity;
  const named = lines.filter(line => line.rows.length > 1 || isChosen(line.rows)),
    ends = named.map(line => ({line, at: scale.at(line.rows.at(-1).execute.typical)}));
  const placed = sortRows(ends, ({at}) => at, false)
    .slice(0, NAMED)
    .map(({line, at}) => {
      last = Math.max(at - 8, last + 14);
      return {line, top: last};
    });
  let room = TREND_HEIGHT - 14; // below it no name begins
  for (const name of placed.toReversed()) {
    name.top = Math.min(name.top, room);
    room = name.top - 14;
  }
  return html`<figure class="trend"><div class="trend-axis" aria-hidden="true"><span>${edge(scale.high)} ${unitName}
    </span><span>${scale.isLog ? 'log scale' : ''}</span><span>${edge(scale.low)}</span></div>
    <div class="trend-picture"><svg viewBox=${`0 0 100 ${TREND_HEIGHT}`} preserveAspectRatio="none" role="img"
      aria-label=${said}>${lines.map(drawn)}</svg>
    <div class="trend-names">${placed.map(
      ({line, top}) => html`<span class=${isChosen(line.rows) ? 'chosen' : ''}
      style=${{top: `${top}px`}} title=${line.label}>${line.label}</span>`,
    )}</div></div>
    <figcaption><span>${dateText(rows[0].written)}</span>
      ${named.length > NAMED ? html`<span>${named.length - NAMED} more lines have no name here</span>` : null}
      <span>${dateText(rows.at(-1).written)}</span></figcaption></figure>`;
}

/* ---- The view ---- */

async function load() {
  try {
    const rows = fleetRows(await source.peek().fleet()),
      kept = ticked.peek();
    answer.value = {rows, error: ''};
    ticked.value = rows.find(row => row.run === kept?.run && row.method === kept.method) ?? null;
  } catch (error) {
    answer.value = {rows: null, error: error.message};
  }
}

export function FleetView() {
  useEffect(() => {
    load();
  }, [records.value]);
  const {rows, error} = answer.value;
  if (error) return html`<p class="note error" role="alert">${error}</p>`;
  if (!rows) return html`<p class="note">Loading…</p>`;
  const shown = filterFleet(rows, get('fleet.q')),
    lines = fleetLines(shown, get('fleet.by')),
    names = hparamsOf(rows);
  return html`<div class="fleet"><div class="toolbar"><input type="search" class="search" aria-label="Filter records"
    placeholder="Filter: pixel8, device=pixel8" value=${get('fleet.q')}
    onInput=${event => set({'fleet.q': event.target.value}, {replace: true})} />
    ${
      names.length
        ? html`<label>A line for each <${Choice} label="A line for each"
      options=${[['', 'model'], ...names.map(name => [name, `model and ${name}`])]} chosen=${get('fleet.by')}
      change=${by => set({'fleet.by': by})} /></label>`
        : null
    }
    <span class="count" role="status">${countText(new Set(shown.map(row => row.run)).size, 'record')}${
      get('fleet.sort') === 'written-' ? ', the last recorded first' : ''
    }</span><span
      class="hint" role="status">
      ${ticked.value ? `tick another: the older is the base, else ${ticked.value.label}` : TICK_HINT}
      </span></div>
    <${Trend} lines=${lines} rows=${shown} />${
      shown.length
        ? html`<${Table} name="fleet" label="Records"
      columns=${fleetColumns(rows, previousRows(lines))} rows=${shown}
      open=${({run, method}) => set({view: 'summary', record: run, method, sel: '', q: ''})} />`
        : html`<p
      class="note">No record matches.</p>`
    }</div>`;
}
