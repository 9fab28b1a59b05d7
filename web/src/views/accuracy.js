// SPDX-License-Identifier: BSD-3-Clause
//
// accuracy.js - the view of the values that the runs logged: how far each is from its reference, along the order of
// execution, and how both sides of a value are distributed. The library compares; see
// docs/accuracy.md.

import {method, sectionOf, selectRow, selectedRows, show, source} from '../base/app.js';
import {Columns, allRows} from '../base/columns.js';
import {DESCRIPTIONS} from '../base/descriptions.js';
import {countText} from '../base/format.js';
import {html} from '../base/html.js';
import {Link, NodeLink} from '../parts/bits.js';
import {Table, declareTable} from '../parts/table.js';

const WIDTH = 1000,
  HEIGHT = 180,
  LEFT = 40;

/** The SNR in dB from which on values are drawn as equal. */
export const MOST_DB = 100;

declareTable('acc', 'rank+');

/* The measures whose names need words. */
const MEASURES = {
  snr_db: 'signal to noise: 10·log10(Σ reference² / Σ (logged − reference)²)',
  psnr_db: 'peak signal to noise',
  mse: 'mean squared error',
  max_abs: 'largest difference',
};

/** Whether the method has values that were compared. */
export const hasAccuracy = () => Boolean(method.value && source.value?.has(method.value.run, method.value, 'accuracy'));

const db = value => (Number.isNaN(value) ? '' : value.toFixed(1));
const digits = value => (Number.isNaN(value) ? '' : Number(value.toPrecision(4)).toString());

/* The SNR of a value for drawing: 100 dB and more are equal. */
const drawnSnr = (values, row) =>
  values.raw('equal', row) ? MOST_DB : Math.min(MOST_DB, values.numbers('snr_db')[row]);

/**
 * Returns the lowest SNR of the values of each operator of the shown method, in dB, 100 where they are equal; NaN where
 * none was compared. All are NaN while the section loads.
 */
export function snrOfOperators() {
  const snr = new Float64Array(method.value.operators.count).fill(NaN),
    {value, texts} = hasAccuracy() ? sectionOf(method.value, 'accuracy').value : {};
  if (!value) return snr;
  const values = new Columns(value.values, value.values.count, texts);
  values.indices('operator').forEach((operator, row) => {
    const drawn = drawnSnr(values, row);
    if (operator >= 0 && !Number.isNaN(drawn))
      snr[operator] = Math.min(Number.isNaN(snr[operator]) ? MOST_DB : snr[operator], drawn);
  });
  return snr;
}

/** Writes an SNR: "equal", "41.3". */
export const snrText = snr => (snr >= MOST_DB ? 'equal' : db(snr));

function Curve({values, operators, rows, lowest}) {
  const step = (WIDTH - LEFT) / Math.max(1, rows.length),
    y = snr => HEIGHT * (1 - (snr - lowest) / (MOST_DB - lowest)),
    at = row => LEFT + (row + 0.5) * step,
    has = selectedRows.value,
    known = rows.filter(row => !Number.isNaN(drawnSnr(values, row)));
  const marks = [MOST_DB, 60, 40, 20, 0].filter(snr => snr >= lowest),
    pick = event => {
      const box = event.currentTarget.getBoundingClientRect(),
        wanted = ((event.clientX - box.left) / box.width) * WIDTH,
        found = known.reduce(
          (best, row) => (Math.abs(at(row) - wanted) < Math.abs(at(best) - wanted) ? row : best),
          known[0],
        );
      if (found !== undefined && values.indices('operator')[found] >= 0) selectRow(values.indices('operator')[found]);
    };
  return html`<section class="card"><h2>SNR in the order of execution</h2><svg class="snr-curve"
    viewBox=${`0 -8 ${WIDTH} ${HEIGHT + 16}`} preserveAspectRatio="none" role="img"
    aria-label="SNR of each value in the order of execution; the table lists them" onClick=${pick}>
    ${marks.map(
      snr => html`<line class="grid-line" x1=${LEFT} x2=${WIDTH} y1=${y(snr)} y2=${y(snr)} /><text
      class="axis" x=${LEFT - 6} y=${y(snr) + 4} text-anchor="end">${snr}</text>`,
    )}
    <path class="line" d=${known
      .map((row, index) => `${index ? 'L' : 'M'}${at(row)},${y(drawnSnr(values, row))}`)
      .join('')} />
    ${known.map(
      row => html`<circle class=${`dot${has?.[values.indices('operator')[row]] ? ' chosen' : ''}`}
      cx=${at(row)} cy=${y(drawnSnr(values, row))} r=${has?.[values.indices('operator')[row]] ? 6 : 3}><title>
      ${`${operators.name(values.indices('operator')[row])}: ${
        values.raw('equal', row) ? 'equal' : `${db(values.numbers('snr_db')[row])} dB`
      }`}</title></circle>`,
    )}</svg>
    <p class="note">Higher is better: 20 dB is an error of 10 %, 40 dB of 1 %; 100 dB and more count as equal.</p>
      </section>`;
}

/* Two distributions over the same buckets, or one of the errors. */
function Bars({title, lists, least, most}) {
  const top = lists.reduce((a, {counts}) => Math.max(a, ...counts), 1),
    wide = 300 / lists[0].counts.length,
    height = count => (count > 0 ? Math.max(1, (100 * Math.log1p(count)) / Math.log1p(top)) : 0);
  return html`<figure class="bars"><svg viewBox="0 0 300 100" preserveAspectRatio="none" role="img" aria-label=${title}>
    ${lists.map(({name, counts}, place) =>
      counts.map(
        (count, at) => html`<rect class=${name}
    x=${at * wide + (place * wide) / lists.length} width=${wide / lists.length - 0.5} y=${100 - height(count)}
    height=${height(count)} />`,
      ),
    )}</svg>
    <figcaption><span>${digits(least)}</span><span>${title}, log scale</span><span>${digits(most)}</span></figcaption>
      </figure>`;
}

function Spread({spread, values, operators}) {
  const row = values.indices('operator')[spread.value];
  return html`<section class="card"><h2>${
    row >= 0
      ? html`<${NodeLink} operators=${operators}
    row=${row} />`
      : values.text('name', spread.value)
  }</h2><div class="pair"><${Bars}
    title="elements: reference (gray) and logged" lists=${[
      {name: 'reference', counts: spread.reference},
      {name: 'logged', counts: spread.logged},
    ]} least=${spread.least} most=${spread.most} />
    <${Bars} title="logged − reference" lists=${[{name: 'error', counts: spread.errors}]} least=${spread.least_error}
      most=${spread.most_error} /></div></section>`;
}

function accuracyColumns(values, operators) {
  const operator = values.indices('operator'),
    number = (key, title, format = db) => ({
      key,
      title,
      hint: DESCRIPTIONS.document_accuracy[key] ?? MEASURES[key],
      number: true,
      width: '84px',
      value: row => values.numbers(key)[row],
      text: row => format(values.numbers(key)[row]),
    });
  const path = row => operators.module(operator[row])?.path ?? '',
    told = row =>
      values.text('statistics', row) ? `tap: ${values.text('statistics', row)}` : (values.text('problem', row) ?? '');
  return [
    {
      key: 'rank',
      title: 'rank',
      hint: 'the most suspicious first',
      number: true,
      width: '56px',
      value: row => values.numbers('rank')[row],
      text: row => digits(values.numbers('rank')[row] + 1),
    },
    {
      key: 'order',
      title: '#',
      hint: 'order of execution',
      number: true,
      width: '48px',
      value: row => row,
      text: row => String(row),
    },
    {
      key: 'node',
      title: 'node',
      width: 'minmax(140px, 1.6fr)',
      value: row => (operator[row] >= 0 ? operators.name(operator[row]) : (values.text('name', row) ?? '')),
      cell: row =>
        html`<span class="cut">${operator[row] >= 0 ? operators.name(operator[row]) : values.text('name', row)}</span>`,
    },
    {
      key: 'module',
      title: 'module',
      width: 'minmax(100px, 1.3fr)',
      value: path,
      cell: row => html`<span class="cut head" title=${path(row)}><bdi>${path(row)}</bdi></span>`,
    },
    {key: 'role', title: 'role', width: '64px', value: row => values.text('role', row) ?? ''},
    {
      ...number('snr_db', 'SNR dB'),
      value: row => drawnSnr(values, row),
      text: row => (values.raw('equal', row) ? 'equal' : db(values.numbers('snr_db')[row])),
    },
    {...number('drop_db', 'drop dB'), descending: true},
    number('local_snr_db', 'local dB'),
    number('psnr_db', 'PSNR dB'),
    number('mse', 'MSE', digits),
    number('max_abs', 'max error', digits),
    number('steps_off', 'off', value => (Number.isNaN(value) ? '' : `${(100 * value).toFixed(1)} %`)),
    {...number('input', 'input', digits), width: '52px'},
    {
      key: 'problem',
      title: 'not compared',
      width: 'minmax(110px, 1.4fr)',
      sort: false,
      value: told,
      cell: row => html`<span class="cut quiet" title=${told(row)}>${told(row)}</span>`,
    },
  ];
}

export function AccuracyView() {
  const {value: accuracy, texts, error} = sectionOf(method.value, 'accuracy').value,
    {operators} = method.value;
  if (error) return html`<p class="note error" role="alert">${error}</p>`;
  if (accuracy === undefined) return html`<p class="note">Loading…</p>`;
  if (!accuracy)
    return html`<p class="note">
      The values of this record were not compared with a reference.
      ${' `etrecord-tb reference RECORD -o REF.safetensors` makes one, and `report --reference` uses it.'}
      </p>`;
  const values = new Columns(accuracy.values, accuracy.values.count, texts),
    rows = allRows(values.count),
    lowest = Math.min(0, Math.floor(rows.reduce((a, row) => Math.min(a, drawnSnr(values, row) || 0), 0) / 10) * 10),
    operator = values.indices('operator');
  const shown = accuracy.spreads.filter(({value}) => selectedRows.value?.[operator[value]]),
    spreads = shown.length ? shown : accuracy.spreads.slice(0, 3);
  return html`<div class="accuracy"><p class="lead">${accuracy.text}</p><p
    class="note">Compared ${accuracy.against}, ${
      accuracy.ranked_by === 'local'
        ? 'ranked by the local SNR'
        : 'ranked by the drop of SNR, which can name the wrong node where every layer is inexact'
    }.
    ${
      accuracy.candidates.length
        ? html` Most suspicious: ${accuracy.candidates.map(
            ({value, segment}, i) => html`${i ? ', ' : ''}<${NodeLink} operators=${operators}
              row=${operator[value]} /> (${countText(segment.length, 'operator')} since the nearest values)`,
          )}.`
        : null
    }
 ${' '}<span class="acts"><${Link} act=${() => show('graph', {'graph.color': 'accuracy'})}>In the graph<//></span></p>
    <${Curve} values=${values} operators=${operators} rows=${Array.from(rows)} lowest=${lowest} />
      ${spreads.map(spread => html`<${Spread} spread=${spread} values=${values} operators=${operators} />`)}
    <div class="accuracy-table"><${Table} name="acc" label="Values" columns=${accuracyColumns(values, operators)}
      rows=${rows} open=${row => operator[row] >= 0 && selectRow(operator[row])}
      isChosen=${row => selectedRows.value?.[operator[row]] === 1}
      command="etrecord-tb accuracy RECORD --reference REF.safetensors --top 0" /></div></div>`;
}
