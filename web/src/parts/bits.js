// SPDX-License-Identifier: BSD-3-Clause
//
// bits.js - small pieces that views are made of: figures, cells of times, bars, choices, links to what can be selected.

import {
  STAT_TEXTS,
  compared,
  explain,
  grainOf,
  method,
  nameOfRecord,
  profile,
  select,
  selectRow,
  show,
  shownRun,
  timeOf,
  timeWithUnit,
  times,
  unit,
  unitName,
} from '../base/app.js';
import {UNITS, about, shareText, signOf, sizeOf} from '../base/format.js';
import {html} from '../base/html.js';
import {hueOf} from '../base/colors.js';
import {shortBackend} from '../base/labels.js';
import {CPU, backendsOf, placeOf} from '../base/method.js';

/** A number with a label above it and a note below; `why` explains it. */
export const Figure = ({label, value, note, why}) =>
  html`<div class="figure" aria-description=${why}><span class="label">${label}</span><strong>${value}</strong>
    ${note ? html`<span class="label">${note}</span>` : null}</div>`;

/**
 * Returns the text of a time in ns of `rows`, of which `estimated` ns are estimated: "≈ 1.23". `clock` is the backend
 * that timed it where there are no rows.
 */
export const timeText = (ns, estimated = 0, rows = undefined, clock = undefined) =>
  `${about(estimated, ns)}${timeOf(ns, grainOf(rows, clock))}`;

/** Returns the cell of a time. */
export const timeCell = (ns, estimated, rows, clock = undefined) =>
  html`<span class="doubt">${about(estimated, ns)}</span>${timeText(ns, 0, rows, clock)}`;

/** Returns a time as a number in the page's unit, for files. */
export const plainTime = ns =>
  (Number.isFinite(ns) ? ns / sizeOf(unit.value, profile.value?.ticksPerSecond) : NaN)
    .toFixed(UNITS[unit.value].decimals)
    .replace('NaN', '');

/**
 * A column of times: `of(row)` gives ns; `rows(row)` the operators that it is the time of, `estimated(row)` the ns of
 * it
 * that are estimated. `hint` says what the time is. The column's name in files has the unit, which the page leaves out
 * where the title is empty.
 */
export function timeColumn(
  key,
  title,
  hint,
  of,
  /** @type {Record<string, any>} */ {rows = () => undefined, estimated = () => 0, mark = () => '', ...rest} = {},
) {
  const about = row => {
    if (!(estimated(row) > 0)) return '';
    return `, ${estimated(row) < of(row) ? `${timeWithUnit(estimated(row))} of it ` : ''}estimated`;
  };
  return {
    key,
    title: title ? `${title}, ${unitName.value}` : unitName.value,
    head: `${title || times.value.label} ${unitName.value}`,
    exact: `${title || times.value.label} ns`,
    hint,
    number: true,
    descending: true,
    value: of,
    plain: row => plainTime(of(row)),
    text: row =>
      Number.isFinite(of(row)) ? `${mark(row)}${timeText(of(row), estimated(row), rows(row), row.clock)}` : '',
    cell: row =>
      Number.isFinite(of(row))
        ? html`${mark(row) ? html`<span class="doubt">${mark(row)}</span>` : null}
          ${timeCell(of(row), estimated(row), rows(row), row.clock)}`
        : '',
    why: row => explain(`${row.kind === 'part' ? PART : hint}${about(row)}`, rows(row), row.backend),
    ...rest,
  };
}

/** Returns the text of a change of a time in ns, "+0.12". */
export const changeOfTime = (ns, rows) => (Number.isFinite(ns) ? signOf(timeOf(ns, grainOf(rows))) : '');

/* What a time is that is of no operator of the graph. */
const PART = 'part of Method::execute';

/** What a time of several operators is, in the chosen statistic. */
export const sumHint = () => `sum of its operators, each the ${STAT_TEXTS[times.value.stat]}`;

/** What shares are shares of. */
export const wholeText = () =>
  times.value.stat === 'p50' ? 'of the sum of all operators’ medians' : 'of Method::execute';

/**
 * A column of shares of the method, of times in ns, each with its bar; `most` is the longest time and `hue` a color.
 */
export function shareColumn(of, most, hue, /** @type {Record<string, any>} */ rest = {}) {
  const textOf = rest.text ?? (row => shareOfWhole(of(row)));
  return {
    key: 'share',
    title: 'share',
    hint: wholeText(),
    number: true,
    descending: true,
    value: row => of(row) / times.value.whole,
    plain: row => (of(row) >= 0 ? (of(row) / times.value.whole).toFixed(6) : ''),
    text: textOf,
    width: 'minmax(112px, 1.2fr)',
    className: 'share-cell',
    cell: row => html`${bar(of(row), most, hue(row))}<span class="share">${textOf(row)}</span>`,
    ...rest,
  };
}

/** The `estimated` of a column of single operators: an estimate may be 0. */
export const estimateOf = operators => row => (operators.isEstimated(row) ? Infinity : 0);

/** Gives the focus to the first element that a selector finds. */
export function focusOn(selector) {
  const found = document.querySelector(selector);
  if (found instanceof HTMLElement) found.focus();
}

/** Closes a menu, and gives the focus back to the button that opened it. */
export function closeMenu(menu) {
  menu.removeAttribute('open');
  menu.querySelector('summary').focus();
}

/** What menus say of commandOf(). */
export const NAMES_ARE_PATHS = 'names of records stand for their paths';

/** Returns a text as a word of a shell. */
export const quoted = text => (/^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/**
 * Returns the command that prints a table of the shown method, with these options; null for the times of one run, and
 * for sums of medians: of these tables commands print averages, and the medians of sums.
 * `hasStat` says that the table shows the chosen statistic of single operators, `isSum` that it shows sums.
 * Records have the names that the page has for them: it does not know their paths.
 */
export function commandOf(verb, {hasStat = false, isSum = false} = {}, ...options) {
  const {name, document: known} = method.value,
    isDiff = verb === 'diff', // of all methods: the base may call this one otherwise
    runs = isDiff ? [compared.value.base, shownRun.value] : [shownRun.value],
    {stat} = times.value ?? {};
  if ((hasStat && stat === 'run') || (isSum && stat !== 'typical' && stat !== 'avg')) return null;
  return [
    'etrecord-tb',
    verb,
    ...runs.map(run => quoted(nameOfRecord(run))),
    known.method && !isDiff ? `--method ${quoted(name)}` : '',
    ...options,
    (hasStat || isSum) && stat !== 'typical' ? `--stat ${stat}` : '',
    '--top 0',
  ]
    .filter(Boolean)
    .join(' ');
}

/** Returns a bar as wide as its share of the most, in a hue. */
export const bar = (part, most, hue = 'delegate') =>
  html`<span class=${`part-bar ${hue}`} style=${{'--part': most > 0 && part > 0 ? part / most : 0}}></span>`;

/** Returns the share of a time of the method in the chosen statistic: "12.3 %". */
export const shareOfWhole = ns => shareText(ns ?? null, times.value.whole);

/** Buttons of which one is pressed; options are [value, text, title, whether it cannot be chosen]. */
export const Segments = ({label, options, chosen, change}) =>
  html`<div class="segments" role="group" aria-label=${label}>${options.map(
    ([
      value,
      text,
      title,
      disabled,
    ]) => html`<button type="button" title=${title} disabled=${disabled} aria-pressed=${String(value === chosen)}
  onClick=${() => change(value)}>${text}</button>`,
  )}</div>`;

/** A list to choose from; options are [value, text]. */
export const Choice = ({label, options, chosen, change, ...rest}) =>
  html`<select aria-label=${label} value=${chosen} onChange=${event => change(event.target.value)} ...${rest}>
    ${options.map(([value, text]) => html`<option value=${value} selected=${value === chosen}>${text}</option>`)}
    </select>`;

export const Check = ({label, checked, change, title}) =>
  html`<label class="check" title=${title}><input type="checkbox" checked=${checked} aria-label=${label}
    onChange=${event => change(event.target.checked)} />${label}</label>`;

/** A link that acts in the page. */
export const Link = ({act, title, children, ...rest}) =>
  html`<button type="button" class="text-link" title=${title} onClick=${act} ...${rest}>${children}</button>`;

/** A link that selects an operator. */
export const NodeLink = ({operators, row}) =>
  html`<${Link} act=${() => selectRow(row)} title=${operators.op(row)}>${operators.name(row)}<//>`;

/** A link that selects a module and shows it in a view. */
export const ModuleLink = ({module, view}) =>
  html`<${Link} act=${() => (view ? show(view, {sel: `module:${module.path}`}) : select('module', module.path))}>
    ${module.path || 'the whole model'}<//>`;

/** The hue of a backend's operators. */
export const hueOfBackend = name => hueOf(placeOf(method.value.operators, name));

/** A dot in the hue of a backend, with its short name. */
export const RunsOn = ({name}) =>
  html`<span class="runs-on"><i class=${`dot ${hueOfBackend(name)}`}></i>${shortBackend(name)}</span>`;

/** What the colors of the operators' backends mean: [hue, text] each. */
export const backendHues = operators =>
  backendsOf(operators).map(name => [
    hueOf(placeOf(operators, name)),
    name === CPU ? 'CPU kernels' : shortBackend(name),
  ]);

/* ---- How a time varies over the runs ---- */

/**
 * Returns a logarithmic scale over the times of rows, because rows differ by orders of magnitude. It maps a time in ns
 * to a position in percent; 0 ns is at 0.
 */
export function logScale(operators, rows) {
  const min = operators.numbers('min'),
    max = operators.numbers('max');
  let low = Infinity,
    high = 0;
  for (const row of rows) {
    if (min[row] > 0 && min[row] < low) low = min[row];
    if (max[row] > high) high = max[row];
  }
  const from = Math.log(low),
    to = Math.log(high);
  return time => (time > 0 && to > from ? (100 * (Math.log(time) - from)) / (to - from) : 0);
}

/** Returns a linear scale: it maps a time from 0 to `most` ns to a position in percent. */
export const linearScale = most => time => (most > 0 ? (100 * time) / most : 0);

/**
 * A bar: a line from minimum to maximum, a box from p10 to p90, a mark at the median. `at` is one of the scales above.
 */
export function Distribution({operators, row, at}) {
  const [min, p10, p50, p90, max] = ['min', 'p10', 'p50', 'p90', 'max'].map(key => operators.numbers(key)[row]);
  if (Number.isNaN(p50)) return html`<span class="distribution empty"></span>`;
  const said = ns => timeText(ns, estimateOf(operators)(row), [row]),
    named = {min, p10, median: p50, p90, max},
    label = `${Object.keys(named)
      .map(key => `${key} ${said(named[key])}`)
      .join(', ')} ${unitName.value}`;
  const part = (name, from, to) =>
    html`<span class=${name} style=${{left: `${at(from)}%`, width: `${at(to) - at(from)}%`}}></span>`;
  return html`<span class="distribution" role="img" aria-label=${label} aria-description=${explain(label, [row])}>
    ${part('range', min, max)}${part('box', p10, p90)}${part('median', p50, p50)}</span>`;
}

/** A sentence with its numbers in bold. */
export const Bold = ({text}) =>
  text
    .split(/([−+]?\d[\d.,]*(?: – \d[\d.,]*)? (?:%|ms|µs|ns|s)(?![\w/]))/)
    .map((part, at) => (at % 2 ? html`<b>${part.replaceAll(' ', '\u00a0')}</b>` : part));
