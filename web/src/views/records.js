// SPDX-License-Identifier: BSD-3-Clause
//
// records.js - several records side by side: what each has and takes, and its verdict against the first, as the library
// gives them (schema/compare.schema.json); then a column of times for each record.

import {signal} from '@preact/signals';

import {method, source, timeOf, unitName} from '../base/app.js';
import {bytesText, numberText, rateText, relativeText, shareText} from '../base/format.js';
import {html} from '../base/html.js';
import {shortOp} from '../base/labels.js';
import {bar} from '../parts/bits.js';
import {SmallTable} from '../parts/table.js';
import {Verdict, intervalText, verdictText} from './changes.js';

const MOST_ROWS = 20;

/** The records side by side: null while they load, and of a page that has no more than two. */
const answer = signal(null);

/** Loads what is shown. */
export async function loadRecords() {
  answer.value = (await source.peek().sideBySide?.()) ?? null;
}

const known = (value, write) => (Number.isFinite(value) ? write(value) : '');

/* A column of a number that some of the records have. */
const number = (key, title, hint, write) => ({
  key,
  title,
  hint,
  number: true,
  value: row => row[key] ?? NaN,
  text: row => known(row[key], write),
  why: () => hint,
});
const time = (key, title, hint) => number(key, `${title}, ${unitName.value}`, hint, ns => timeOf(ns, 0));

function recordColumns(rows, first) {
  const most = Math.max(...rows.map(row => row.typical ?? 0)),
    name = row =>
      row.method && rows.some(other => other.method !== row.method) ? `${row.record}, ${row.method}` : row.record;
  return [
    {
      key: 'record',
      title: 'record',
      class: 'key',
      text: name,
      cell: row => html`<span title=${row.path}>${name(row)}</span>`,
    },
    time('typical', 'typical', 'time of the typical run'),
    {key: 'bar', title: '', cell: row => bar(row.typical ?? 0, most, 'runtime')},
    {
      key: 'range',
      title: 'least – most',
      hint: 'of the typical runs of its recordings; of one recording from p10 to p90 of its runs',
      number: true,
      text: row => (row.low === null ? '' : `${timeOf(row.low, 0)} – ${timeOf(row.high, 0)}`),
      why: () => 'of the typical runs of its recordings; of one recording from p10 to p90 of its runs',
    },
    {
      key: 'change',
      title: '%',
      hint: `change against ${first}`,
      number: true,
      value: row => row.relative_change ?? NaN,
      text: row => known(row.relative_change ?? NaN, relativeText),
      why: row => `change against ${first}; ${intervalText(row.interval) || 'no interval'}`,
    },
    {
      key: 'verdict',
      title: `against ${first}`,
      text: row => row.problem ?? verdictText(row.verdict),
      cell: row => row.problem ?? html`<${Verdict} verdict=${row.verdict} />`,
    },
    time('load', 'load', 'loading the program and the method'),
    time('first_run', 'first run', 'the first run after the load'),
    number('ms_per_token', 'ms a token', 'of the typical run', rateText),
    number('pte_bytes', '.pte bytes', 'size of the program', bytesText),
    number('planned_bytes', 'planned bytes', 'memory that the program plans', bytesText),
    number('delegated_nodes', 'delegated', 'share of the nodes of the Edge graph', share => shareText(share, 1)),
    number('delegated_time', 'of time', 'share of the typical time that calls of delegates take', share =>
      shareText(share, 1),
    ),
    number('macs', 'MACs', 'multiply-accumulates per inference', rateText),
    number('output_snr_db', 'SNR dB', 'of the worst output', snr => snr.toFixed(1)),
  ].filter(({key, value, text}) => key === 'record' || !value || rows.some(row => text(row) !== ''));
}

function timesTable({by, rows, records}) {
  const own = rows.filter(row => (row.method ?? method.value.name) === method.value.name),
    name = row => (by === 'op' ? shortOp(row.name) : row.name || '(top level)');
  return html`<${SmallTable} caption="Times of operators side by side" rows=${own} most=${MOST_ROWS}
    columns=${[
      {
        key: 'name',
        title: 'operator',
        class: 'key',
        text: name,
        cell: row => html`<span title=${row.name}>${name(row)}</span>`,
      },
      ...records.map(({record}, at) => ({
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

/** Several records side by side; nothing if there are no more than two. */
export function Records() {
  if (!answer.value) return null;
  const {records, rows, notes} = answer.value,
    first = records[0].record,
    list = records.flatMap(({methods, ...record}) =>
      methods.length ? methods.map(own => ({...record, ...own})) : [{...record, method: '', typical: null, low: null}],
    );
  return html`<section class="card records"><${SmallTable}
    caption=${`${numberText(records.length)} records side by side`} rows=${list}
    columns=${recordColumns(list, first)} command="etrecord-tb compare RECORD…" />
    ${notes.map(note => html`<p class="small quiet box-foot">${note}</p>`)}</section>
    ${rows?.length ? html`<section class="card records">${timesTable(answer.value)}</section>` : null}`;
}
