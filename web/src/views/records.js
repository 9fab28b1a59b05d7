// SPDX-License-Identifier: BSD-3-Clause
//
// records.js - several records side by side: what each has and takes, and its verdict against the first, as the library
// gives them (schema/compare.schema.json); then a column of times for each record. A report holds them, and the page of
// TensorBoard joins the comparisons of the records that the reader adds.

import {signal} from '@preact/signals';

import {compared, labelOf, method, records, shownRun, source, timeOf, unitName} from '../base/app.js';
import {sortRows} from '../base/columns.js';
import {bytesText, numberText, rateText, relativeText, shareText} from '../base/format.js';
import {html} from '../base/html.js';
import {shortOp} from '../base/labels.js';
import {declare, get, list, set} from '../base/store.js';
import {Check, bar} from '../parts/bits.js';
import {SmallTable} from '../parts/table.js';
import {Verdict, baseOf, intervalText, newOf, verdictText} from './changes.js';

const MOST_ROWS = 20,
  MOST_RECORDS = 12;

declare({with: list()}); // in TensorBoard: the records that were added to the base and this one

/* What is shown, as schema/compare.schema.json has it: null while it loads, and if there are no more than two. */
const answer = signal(null);

/**
 * Joins the library's comparisons of one record with each of several others to what `compare` says of all of them, but
 * for what comparisons lack, and with verdicts that are those of two records alone. `names` are those of the records.
 */
export function joined(names, comparisons) {
  const records = names.map(record => ({record, path: record, problem: null, methods: []})),
    rows = new Map(),
    notes = [];
  comparisons.forEach((comparison, at) => {
    const place = at + 1;
    for (const {method: name, execute, by_op: ops, may_differ: differs} of comparison.methods) {
      if (!(execute.new_runs > 0)) continue;
      if (differs) notes.push(`${names[place]} and ${names[0]} look like two different models`);
      const {relative_change, interval, verdict} = differs ? {verdict: 'cannot_tell'} : execute;
      records[place].methods.push({method: name, typical: newOf(execute), relative_change, interval, verdict});
      if (!(execute.base_runs > 0)) continue;
      const [first] = records;
      if (!first.methods.some(other => other.method === name))
        first.methods.push({method: name, typical: baseOf(execute)});
      for (const row of ops ?? []) {
        const key = JSON.stringify([name, row.op]);
        if (!rows.has(key)) rows.set(key, {method: name, name: row.op, typical: names.map(() => null)});
        const {typical} = rows.get(key);
        typical[0] ??= baseOf(row);
        typical[place] = newOf(row);
      }
    }
  });
  const most = ({typical}) => Math.max(...typical.map(ns => ns ?? 0));
  return {records, by: 'op', rows: sortRows([...rows.values()], most, true), notes};
}

/** Loads the records side by side: those of a report; in TensorBoard the base, this one and those that were added. */
export async function loadRecords(base, run, added) {
  const {sideBySide, compare, isReport} = source.peek(),
    runs = [base, run, ...added.filter(other => other !== base && other !== run)].slice(0, MOST_RECORDS);
  answer.value = null;
  if (isReport) answer.value = await sideBySide();
  else if (runs.length > 2) {
    const comparisons = await Promise.all(runs.slice(1).map(other => compare(base, other)));
    answer.value = {...joined(runs.map(labelOf), comparisons), isOfPairs: true};
  }
}

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
      text: row => (!Number.isFinite(row.low) ? '' : `${timeOf(row.low, 0)} – ${timeOf(row.high, 0)}`),
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
  ].filter(({text}) => !text || rows.some(row => text(row) !== ''));
}

function timesTable({by, rows, records: all}) {
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

/** Several records side by side; nothing if there are no more than two. */
export function Records() {
  if (!answer.value) return null;
  const {records: all, rows, notes, isOfPairs} = answer.value,
    first = all[0].record,
    said = isOfPairs ? [...notes, `each is compared with ${first} alone`] : notes,
    lines = all.flatMap(({methods, ...record}) =>
      methods.length ? methods.map(own => ({...record, ...own})) : [{...record, method: '', typical: null, low: null}],
    );
  return html`<section class="card records"><${SmallTable}
    caption=${`${numberText(all.length)} records side by side`} rows=${lines}
    columns=${recordColumns(lines, first)} command="etrecord-tb compare RECORD…" />
    ${said.map(note => html`<p class="small quiet box-foot">${note}</p>`)}</section>
    ${rows?.length ? html`<section class="card records">${timesTable(answer.value)}</section>` : null}`;
}
