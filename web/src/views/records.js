// SPDX-License-Identifier: BSD-3-Clause
//
// records.js - several records side by side, as the library answers about them (schema/compare.schema.json): what each
// takes, and its verdict against the first; then a column of times for each record.

import {compared, method, records, shownRun, source, timeOf, timeWithUnit, unitName} from '../base/app.js';
import {bytesText, numberText, relativeText, shareText} from '../base/format.js';
import {html} from '../base/html.js';
import {shortOp} from '../base/labels.js';
import {get, set} from '../base/store.js';
import {Check, bar} from '../parts/bits.js';
import {SmallTable} from '../parts/table.js';
import {Verdict, intervalText, verdictText} from './changes.js';

const MOST_ROWS = 20;

/** Adds records to a comparison, in TensorBoard. */
export function AddRecords() {
  const added = get('with'),
    others = records.value.filter(({run}) => run !== shownRun.value && run !== compared.value?.base);
  if (source.value.isReport || others.length === 0) return null;
  return html`<details class="menu add-records"><summary>Add records</summary><div>${others.map(
    ({run, label}) => html`<${Check} label=${label} checked=${added.includes(run)}
    change=${() => set({with: added.includes(run) ? added.filter(other => other !== run) : [...added, run]})} />`,
  )}</div></details>`;
}

const known = (value, write) => (Number.isFinite(value) ? write(value) : '');

/**
 * What only the library's answer about all records has: what each needs beside its time, if it is known of one.
 * @type {[string, string, string, (value: number) => string][]}
 */
const MORE = [
  ['load', 'load', 'time to load the program', ns => timeWithUnit(ns, 0)],
  ['first_run', 'first run', 'median of the first runs, with warm-up', ns => timeWithUnit(ns, 0)],
  ['pte_bytes', '.pte', 'size of the program', bytesText],
  ['planned_bytes', 'planned', 'memory that the program plans', bytesText],
  ['delegated_nodes', 'delegated', 'share of the operators', share => shareText(share, 1)],
  [
    'delegated_time',
    'of time',
    'share of an inference without interruptions that delegates take',
    share => shareText(share, 1),
  ],
  [
    'output_snr_db',
    'SNR, dB',
    'of the worst output, against those of the first record',
    decibels => decibels.toFixed(1),
  ],
];
const moreColumns = rows =>
  MORE.filter(([key]) => rows.some(row => Number.isFinite(row[key]))).map(([key, title, hint, write]) => ({
    key,
    title,
    hint,
    number: true,
    value: row => row[key] ?? NaN,
    text: row => known(row[key], write),
    why: () => hint,
  }));

function recordColumns(rows, first) {
  const most = Math.max(...rows.map(row => row.typical ?? 0)),
    change = `change against ${first}`;
  return [
    {
      key: 'record',
      title: 'record',
      class: 'key',
      text: row =>
        row.method && rows.some(({method: other}) => other !== row.method)
          ? `${row.record}, ${row.method}`
          : row.record,
    },
    {
      key: 'typical',
      title: `typical, ${unitName.value}`,
      hint: 'time of the typical run',
      number: true,
      value: row => row.typical ?? NaN,
      text: row => known(row.typical, ns => timeOf(ns, 0)),
      why: () => 'time of the typical run',
    },
    {key: 'bar', title: '', cell: row => bar(row.typical ?? 0, most, 'runtime')},
    {
      key: 'change',
      title: 'change',
      hint: change,
      number: true,
      value: row => row.relative_change ?? NaN,
      text: row => row.change ?? relativeText(row.relative_change),
      why: () => change,
    },
    {
      key: 'between',
      title: 'between',
      hint: 'interval in which the change lies',
      number: true,
      text: row => intervalText(row),
    },
    {
      key: 'verdict',
      title: `against ${first}`,
      text: row => verdictText(row.verdict),
      cell: row => html`<${Verdict} verdict=${row.verdict} />`,
    },
    ...moreColumns(rows),
  ];
}

function timesTable({rows, records: all}) {
  const own = rows.filter(
      row => (row.method ?? method.value.name) === method.value.name && row.typical.some(ns => ns > 0),
    ),
    name = row => shortOp(row.name);
  return html`<${SmallTable} caption="Times of operators side by side" rows=${own} most=${MOST_ROWS}
    columns=${[
      {
        key: 'name',
        title: 'operator',
        class: 'key',
        text: name,
        cell: row => html`<span title=${row.name}>${name(row)}</span>`,
      },
      ...all.map(({record}, at) => ({
        key: `record.${at}`,
        title: `${record}, ${unitName.value}`,
        hint: 'time in the typical run',
        number: true,
        value: row => row.typical[at] ?? NaN,
        text: row => known(row.typical[at] ?? NaN, ns => timeOf(ns, 0)),
        why: () => `time in the typical run of ${record}`,
      })),
    ]} />`;
}

/* Shows a record of the table. */
const showRecord = ({record}) => {
  const {run} = records.value.find(({label}) => label.replace(/ \(base\)$/, '') === record) ?? {};
  if (run) set({record: run});
};

/** Several records side by side; nothing if there are no more than two. */
export function Records() {
  const answer = source.value.several ?? compared.value?.sideBySide;
  if (!answer) return null;
  const {records: all, notes} = answer,
    first = all[0].record,
    lines = all.flatMap(record => (record.methods.length ? record.methods : [{}]).map(own => ({...record, ...own}))),
    problems = all.filter(({problem}) => problem).map(({record, problem}) => `${record}: ${problem}`),
    rule = 'Verdicts are corrected for the number of records: of a pair alone one may be surer.';
  return html`<section class="card records"><${SmallTable} open=${showRecord}
    caption=${`${numberText(all.length)} records side by side`} rows=${lines} columns=${recordColumns(lines, first)} />
    ${[...problems, ...notes, rule].map(note => html`<p class="small quiet box-foot">${note}</p>`)}</section>
    ${answer.rows.length ? html`<section class="card records">${timesTable(answer)}</section>` : null}`;
}
