// SPDX-License-Identifier: BSD-3-Clause
//
// operators.js - the table of operators: each, or summed by type, module, pattern of modules, source line or backend.

import {computed} from '@preact/signals';

import {comparedMethod, hits, labelOf, method, pairs, select, selectRow, selectedRows, selection, shownRun, times, timeOf, unitName} from '../base/app.js';
import {medianOf, sumOver} from '../base/columns.js';
import {optionsOf, repeatedTerms, term, termsOf, without} from '../base/filter.js';
import {callsText, changeText, countText, rateText, shareText, signOf, sourceText} from '../base/format.js';
import {html, visibleText} from '../base/html.js';
import {TOP_LEVEL, backendsOf, estimatedOver, groupRows} from '../base/method.js';
import {declare, get, oneOf, set} from '../base/store.js';
import {Choice, Distribution, Segments, bar, logScale, operatorTime, shareOfWhole, timeCell, timeText} from '../parts/bits.js';
import {Table, declareTable} from '../parts/table.js';
import {VERDICTS, Verdict, intervalText} from './compare.js';
import {changeColourOf, changeOf} from './module_tree.js';

const GROUPS = [['none', 'Each'], ['op', 'Operator type'], ['pattern', 'Repeated', 'the same operators of repeated modules as one row'], ['module', 'Module'], ['source', 'Source line'], ['backend', 'Backend']];
const FOLDED_FROM = 4;  // equal modules from which a method opens folded

declare({'op.group': oneOf('auto', ...GROUPS.map(([value]) => value))});
declareTable('op', 'time-');
declareTable('group', 'time-');

/** Returns whether a method has so many equal modules that its tables begin folded. */
export const isRepetitive = shown => shown.patterns.some(({modules}) => modules >= FOLDED_FROM);

export const shownGroup = () => (get('op.group') === 'auto' ? (isRepetitive(method.value) ? 'pattern' : 'none') : get('op.group'));

/* ---- The columns ---- */

/** The columns that compare with the base; none without one. */
function baseColumns(operators) {
  const answer = comparedMethod.value;
  if (!answer || answer.may_differ) return [];
  const node = row => pairs.value.get(row);
  return [
    {key: 'base', title: `base p50 ${unitName.value}`, number: true, width: '92px', value: row => node(row)?.base_p50 ?? NaN, text: row => timeOf(node(row)?.base_p50), descending: true},
    {key: 'change', title: 'change', number: true, width: '92px', descending: true, value: row => (node(row) ? (node(row).new_p50 ?? 0) - (node(row).base_p50 ?? 0) : NaN),
      text: row => (node(row) ? signOf(timeOf((node(row).new_p50 ?? 0) - (node(row).base_p50 ?? 0))) : '')},
    {key: 'interval', title: 'between', number: true, width: '120px', from: 1200, sort: false, hint: 'interval in which the relative change lies', text: row => intervalText(node(row)?.interval)},
    {key: 'verdict', title: 'verdict', width: '86px', value: row => VERDICTS[node(row)?.verdict] ?? '', cell: row => (node(row) ? html`<${Verdict} verdict=${node(row).verdict} />` : '')},
  ];
}

/** The columns that compare rows of several operators with the base, by sums of medians; none without a base. `rowsOf` returns a row's operators. */
export function baseSumColumns(rowsOf) {
  const answer = comparedMethod.value, sums = new Map();
  if (!answer || answer.may_differ) return [];
  const sumOf = row => (sums.has(row) ? sums : sums.set(row, changeOf({rows: rowsOf(row)}, pairs.value))).get(row), change = row => (sumOf(row) ? sumOf(row).now - sumOf(row).base : NaN);
  return [
    {key: 'base', title: `base p50 ${unitName.value}`, hint: 'sum of the base’s medians of the paired operators', number: true, width: '92px', descending: true, value: row => sumOf(row)?.base ?? NaN, text: row => (sumOf(row) ? timeOf(sumOf(row).base) : '')},
    {key: 'change', title: 'change', hint: `sum of the medians less that of the base, in ${unitName.value}; an operator that the base lacks counts with all its time. Coloured if it is decided for enough of it`, number: true, width: '92px', descending: true, value: change, text: row => (sumOf(row) ? signOf(timeOf(change(row))) : ''),
      cell: row => (sumOf(row) ? html`<span class=${changeColourOf(sumOf(row)).slice(0, 6)}>${signOf(timeOf(change(row)))}</span>` : '')},
  ];
}

function operatorColumns(operators, rows) {
  const {of, whole, label} = times.value, p50 = operators.numbers('p50'), order = operators.indices('instruction'), at = logScale(operators, operators.timed), text = key => row => operators.text(key, row) ?? '';
  const number = (key, title, hint, from) => ({key, title, hint, number: true, width: '76px', from, optional: true, descending: true, value: row => operators.numbers(key)[row], text: row => rateText(operators.numbers(key)[row])});
  let most = 0;
  for (const row of rows) if (of[row] > most) most = of[row];
  return [
    ...(rows.some(row => order[row] >= 0) ? [{key: 'order', title: '#', hint: 'order of execution: the number of the instruction that first runs the node or calls its delegate', number: true, width: '52px', value: row => (order[row] >= 0 ? order[row] : NaN), text: row => (order[row] >= 0 ? String(order[row]) : '')}] : []),
    {key: 'op', title: 'operator', width: 'minmax(120px, 1.4fr)', value: row => operators.op(row), cell: row => html`<span class="cut" title=${operators.op(row)}>${operators.op(row)}</span>`},
    {key: 'name', title: 'node', width: 'minmax(110px, 1.3fr)', from: 1100, value: row => operators.name(row), cell: row => html`<span class="cut quiet" title=${operators.name(row)}>${operators.name(row)}</span>`},
    {key: 'module', title: 'module', width: 'minmax(110px, 1.4fr)', value: row => operators.module(row)?.path ?? '', cell: row => html`<span class="cut head" title=${operators.module(row)?.path}><bdi>${operators.module(row)?.path ?? ''}</bdi></span>`},
    {key: 'time', title: `${label} ${unitName.value}`, number: true, width: '92px', descending: true, value: row => of[row], text: row => `${operators.isEstimated(row) ? '≈ ' : ''}${timeOf(of[row])}`, cell: row => operatorTime(operators, row, of[row])},
    {key: 'share', title: 'share', number: true, width: '64px', descending: true, value: row => of[row] / whole, text: row => shareText(Number.isNaN(of[row]) ? null : of[row], whole)},
    {key: 'bar', title: '', width: 'minmax(60px, 1fr)', sort: false, cell: row => bar(of[row], most)},
    ...(times.value.stat === 'p50' ? [] : [{key: 'p50', title: `p50 ${unitName.value}`, number: true, width: '88px', from: 900, descending: true, value: row => p50[row], text: row => timeOf(p50[row])}]),
    ...baseColumns(operators),
    {key: 'spread', title: 'min – max', hint: 'minimum to maximum, p10 to p90, median; the scale is logarithmic', width: 'minmax(100px, 1fr)', from: 1000, sort: false, cell: row => html`<${Distribution} operators=${operators} row=${row} at=${at} />`},
    {key: 'calls', title: 'calls', hint: 'calls per inference', number: true, width: '52px', from: 1300, value: row => operators.numbers('calls')[row], text: row => callsText(operators.numbers('calls')[row] || 0)},
    {key: 'backend', title: 'backend', width: 'minmax(80px, 0.7fr)', from: 820, value: row => operators.backend(row) ?? '', cell: row => html`<span class="cut" title=${operators.backend(row)}>${operators.backend(row) ?? ''}</span>`},
    {key: 'source', title: 'source', width: 'minmax(90px, 1fr)', from: 1400, value: row => sourceText(operators.source(row)), cell: row => html`<span class="cut" title=${operators.source(row)?.code}>${sourceText(operators.source(row))}</span>`},
    {key: 'match', title: 'match', width: '90px', optional: true, value: text('match')}, {key: 'runs_as', title: 'runs as', width: '140px', optional: true, value: text('runs_as')},
    {key: 'outputs', title: 'output', width: '160px', optional: true, value: text('outputs')},
    number('gflops', 'GFLOP/s', 'arithmetic rate'), number('gbs', 'GB/s', 'rate of bytes read and written'), number('bytes', 'bytes', 'bytes read and written'), number('macs', 'MACs', 'multiply-accumulates'), number('intensity', 'FLOP/byte', 'arithmetic intensity'),
    ...['p10', 'p90', 'min', 'max'].map(key => ({key, title: `${key} ${unitName.value}`, number: true, width: '88px', optional: true, descending: true, value: row => operators.numbers(key)[row], text: row => timeOf(operators.numbers(key)[row])})),
  ];
}

/* ---- Groups ---- */

const groupText = {op: key => key, module: key => key || TOP_LEVEL, pattern: key => key || TOP_LEVEL, source: key => key || '(not recorded)', backend: key => key || '(unknown)'};

/** Groups rows by the pattern of their module and by operator type: the same operator of repeated modules is one row, with the sum of each module in order. */
export function foldRows(operators, rows, of) {
  const groups = [], byPattern = new Map();
  for (const row of rows) {
    const module = operators.module(row), pattern = module?.pattern ?? '', op = operators.op(row), time = of[row] > 0 ? of[row] : 0;
    let ofPattern = byPattern.get(pattern);
    if (!ofPattern) byPattern.set(pattern, ofPattern = new Map());
    let group = ofPattern.get(op);
    if (!group) groups.push(group = {key: `${pattern}\n${op}`, pattern, op, rows: [], time: 0, estimated: 0, modules: new Map()}), ofPattern.set(op, group);
    group.rows.push(row);
    group.time += time;
    group.estimated += operators.isEstimated(row) ? time : 0;
    group.modules.set(module, (group.modules.get(module) ?? 0) + time);
  }
  return groups.map(group => {
    const each = [...group.modules].map(([module, time]) => ({module, time})), ordered = each.map(({time}) => time).sort((a, b) => a - b);
    return {...group, count: group.rows.length, each, median: medianOf(ordered), slowest: each.reduce((a, b) => (b.time > a.time ? b : a))};
  });
}

/* The times of repeated modules as bars in their order, one drawing for all: a click selects the module, and the pointer tells which it is. */
function Strip({group, most}) {
  const {each, slowest} = group, HEIGHT = 20;
  if (each.length < 2) return '';
  const bar = at => `M${at} ${HEIGHT}v${-Math.max(1.5, most > 0 ? (HEIGHT * each[at].time) / most : 0)}h.8V${HEIGHT}z`, describe = ({module, time}) => `${module?.path || TOP_LEVEL}: ${timeOf(time)} ${unitName.value}`;
  const under = event => {
    const box = event.currentTarget.getBoundingClientRect();
    return each[Math.max(0, Math.min(each.length - 1, Math.floor(((event.clientX - box.left) / box.width) * each.length)))];
  };
  return html`<svg class="cells" viewBox=${`0 0 ${each.length} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label=${`${each.length} modules; the slowest is ${describe(slowest)}`} onPointerMove=${event => (event.currentTarget.firstChild.textContent = visibleText(describe(under(event))))}
    onClick=${event => (event.stopPropagation(), select('module', under(event).module?.path ?? ''))}><title>${describe(slowest)}</title><path d=${each.map((_, at) => bar(at)).join('')} /><path class="slowest" d=${bar(each.indexOf(slowest))} /></svg>`;
}

function groupColumns(by, rows) {
  const most = rows.reduce((a, row) => Math.max(a, row.time), 0), {whole, label} = times.value, of = times.value.of;
  const folded = by === 'pattern', key = folded ? [
    {key: 'key', title: 'repeated operator', width: 'minmax(240px, 3.4fr)', value: row => `${row.pattern || TOP_LEVEL} · ${row.op}${row.each.length > 1 ? ` ×${row.each.length}` : ''}`,
      cell: row => html`<span class="cut head" title=${`${row.pattern} · ${row.op}`}><bdi>${row.pattern || TOP_LEVEL} · <strong>${row.op}</strong>${row.each.length > 1 ? html` <span class="badge">×${row.each.length}</span>` : ''}</bdi></span>`},
  ] : [{key: 'key', title: GROUPS.find(([value]) => value === by)[1].toLowerCase(), width: 'minmax(200px, 2fr)', value: row => groupText[by](row.key), cell: row => html`<span class="cut head" title=${row.key}><bdi>${groupText[by](row.key)}</bdi></span>`}];
  return [
    ...key,
    {key: 'count', title: 'nodes', number: true, width: '64px', descending: true, value: row => row.count},
    {key: 'time', title: `${label} ${unitName.value}`, number: true, width: '100px', descending: true, value: row => row.time, text: row => timeText(row.time, row.estimated), cell: row => timeCell(row.time, row.estimated)},
    {key: 'share', title: 'share', number: true, width: '72px', descending: true, value: row => row.time / whole, text: row => shareOfWhole(row.time)},
    {key: 'bar', title: '', width: 'minmax(80px, 1fr)', sort: false, cell: row => bar(row.time, most)},
    ...baseSumColumns(row => row.rows),
    ...(folded ? [
      {key: 'median', title: 'median of one', number: true, width: '100px', from: 900, descending: true, value: row => row.median, text: row => (row.each.length > 1 ? timeOf(row.median) : '')},
      {key: 'slowest', title: 'slowest', width: 'minmax(120px, 1.1fr)', from: 1000, value: row => (row.each.length > 1 ? row.slowest.module?.path ?? '' : ''), cell: row => (row.each.length > 1 ? html`<span class="cut head" title=${row.slowest.module?.path}><bdi>${row.slowest.module?.path ?? ''}</bdi></span>` : '')},
      {key: 'each', title: 'each', width: 'minmax(120px, 1.2fr)', from: 800, sort: false, cell: row => html`<${Strip} group=${row} most=${row.slowest.time} />`},
    ] : []),
    {key: 'estimated', title: `estimated ${unitName.value}`, number: true, width: '100px', optional: true, descending: true, value: row => row.estimated, text: row => (row.estimated > 0 ? timeOf(row.estimated) : '–')},
  ];
}

/** Narrows the search, the one of the page or the one given, to a group and shows each operator. */
export function openGroup(by, group, {q: said, ...changes} = {q: get('q')}) {
  const field = {op: 'op', module: 'own', source: 'line', backend: 'backend'}[by], terms = by === 'pattern' ? repeatedTerms(group.pattern, group.op) : term(field, group.key);
  set({...changes, 'op.group': 'none', q: [said, terms].filter(Boolean).join(' ')});
}

/* ---- The view ---- */

/** Returns the command that prints the operators of the search; null if its options cannot say them. */
function nodesCommand() {
  const options = optionsOf(get('q')), {name} = method.value, record = shownRun.value === 'profile' ? 'RECORD' : labelOf(shownRun.value);
  if (!options) return null;
  return ['etrecord-tb nodes', record, name.startsWith('(') ? '' : `--method ${name}`, method.value.graphName ? `--graph ${method.value.graphName}` : '', ...options, times.value.stat === 'p50' ? '--stat p50' : '', '--top 0'].filter(Boolean).join(' ');
}

/* A chip for each term of the search; a click removes it. */
const Chips = () => html`${termsOf(get('q')).filter(part => part.includes(':')).map(part => html`<button type="button" class="chip" aria-label=${`Remove ${part}`} onClick=${() => set({q: without(get('q'), part)})}>${part} ×</button>`)}`;

/* The rows of the table, and its columns: what a filter selects and the statistic gives, computed once for both. Of a record with times the timed operators, unless the search says otherwise. */
const isTimedOnly = computed(() => method.value.runs > 0 && !get('q').includes('timed:'));
const shownRows = computed(() => (isTimedOnly.value ? hits.value.rows.filter(row => method.value.operators.isTimed(row)) : hits.value.rows));
const each = computed(() => ({rows: shownRows.value, columns: operatorColumns(method.value.operators, shownRows.value)}));
const grouped = computed(() => {
  const {operators} = method.value, by = shownGroup(), {of} = times.value, rows = by === 'pattern' ? foldRows(operators, shownRows.value, of) : groupRows(operators, shownRows.value, by, of);
  return {rows, columns: groupColumns(by, rows)};
});

export function OperatorsView() {
  const {operators, hasGraph} = method.value, by = shownGroup(), {of} = times.value, isEach = by === 'none';
  if (!hasGraph) return html`<p class="note">The graph is missing, because no ETRecord was given. The timeline shows the events.</p>`;
  const rows = shownRows.value, backends = backendsOf(operators), {time} = hits.value, estimated = estimatedOver(operators, rows, of), chosenBackend = get('q').match(/\bbackend:(\S+)/)?.[1] ?? '';
  const setBackend = name => set({q: [without(get('q'), 'backend'), name && term('backend', name)].filter(Boolean).join(' ')});
  const describe = marked => {
    const inside = isEach ? marked : marked.flatMap(group => group.rows), sum = sumOver(of, inside);
    return `${countText(inside.length, 'operator')}, ${timeOf(sum)} ${unitName.value}, ${shareOfWhole(sum)}`;
  };
  const chosen = selectedRows.value;
  const note = html`<span class="count" role="status">${countText(rows.length, 'operator')}, ${timeOf(time)} ${unitName.value}, ${shareOfWhole(time)}${estimated > 0 ? ` (≈ ${timeOf(estimated)} estimated)` : ''}</span>`;
  return html`<div class="operators"><div class="toolbar">
    <${Segments} label="Group by" options=${GROUPS} chosen=${by} change=${value => set({'op.group': value})} />
    <${Choice} label="Backend" options=${[['', 'all backends'], ...backends.map(name => [name, name])]} chosen=${chosenBackend} change=${setBackend} />
    <label class="check"><input type="checkbox" aria-label="timed only" checked=${isTimedOnly.value} disabled=${method.value.runs === 0} onChange=${event => set({q: event.target.checked ? without(get('q'), 'timed') : `${get('q')} timed:all`.trim()})} />timed only</label>
    <${Chips} /></div>
    ${rows.length === 0 ? html`<p class="note">No operator matches.</p>`
    : isEach ? html`<${Table} key="op" name="op" label="Operators" note=${note} ...${each.value} open=${selectRow} isChosen=${row => chosen?.[row] === 1} sum=${describe} command=${nodesCommand()} />`
    : html`<${Table} key=${`group ${by}`} name="group" label="Operators, grouped" note=${note} ...${grouped.value} open=${group => openGroup(by, group)} isChosen=${group => Boolean(chosen) && group.rows.some(row => chosen[row])} sum=${describe} />`}</div>`;
}
