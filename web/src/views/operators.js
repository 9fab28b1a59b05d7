// SPDX-License-Identifier: BSD-3-Clause
//
// operators.js - the table of operators: each, or summed by type, module, pattern of modules, source line or backend.

import {computed} from '@preact/signals';

import {STAT_TEXTS, comparedMethod, explain, hits, method, pairs, select, selectRow, selectedRows, times, unitName} from '../base/app.js';
import {medianOf, sumOver} from '../base/columns.js';
import {DESCRIPTIONS} from '../base/descriptions.js';
import {optionsOf, repeatedTerms, term, termsOf, without} from '../base/filter.js';
import {callsText, countText, rateText, sourceText} from '../base/format.js';
import {html, visibleText} from '../base/html.js';
import {TOP_LEVEL, backendsOf, estimatedOver, groupRows} from '../base/method.js';
import {declare, get, oneOf, set} from '../base/store.js';
import {Choice, Distribution, Segments, bar, changeOfTimes, commandOf, estimateOf, quoted, logScale, shareColumn, shareOfWhole, sumHint, timeColumn, timeText} from '../parts/bits.js';
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
    timeColumn('base', 'base p50', 'median of the base’s operator', row => node(row)?.base_p50 ?? NaN, {width: '92px', stat: 'p50', rows: row => [row]}),
    {key: 'change', title: 'change', exact: 'change ns', hint: `median less that of the base, in ${unitName.value}`, number: true, width: '92px', descending: true, value: row => (node(row) ? (node(row).new_p50 ?? 0) - (node(row).base_p50 ?? 0) : NaN),
      text: row => (node(row) ? changeOfTimes(node(row).base_p50, node(row).new_p50, [row]) : '')},
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
    ...(times.value.stat === 'p50' ? [] : [timeColumn('p50', 'p50', 'sum of the medians of the paired operators', row => sumOf(row)?.now ?? NaN, {width: '88px', stat: 'p50', rows: rowsOf})]),
    timeColumn('base', 'base p50', 'sum of the base’s medians of the paired operators', row => sumOf(row)?.base ?? NaN, {width: '92px', stat: 'p50', rows: rowsOf}),
    {key: 'change', title: 'change', exact: 'change ns', hint: `sum of the medians less that of the base, in ${unitName.value}; an operator that the base lacks counts with all its time. Coloured if it is decided for enough of it`, number: true, width: '92px', descending: true, value: change, text: row => (sumOf(row) ? changeOfTimes(sumOf(row).base, sumOf(row).now, rowsOf(row)) : ''),
      cell: row => (sumOf(row) ? html`<span class=${changeColourOf(sumOf(row)).slice(0, 6)}>${changeOfTimes(sumOf(row).base, sumOf(row).now, rowsOf(row))}</span>` : '')},
  ];
}

function operatorColumns(operators, rows) {
  const {of, label, stat} = times.value, own = {rows: row => [row], estimated: estimateOf(operators)}, p50 = operators.numbers('p50'), order = operators.indices('instruction'), at = logScale(operators, operators.timed), text = key => row => operators.text(key, row) ?? '';
  const number = (key, title, from) => ({key, title, hint: DESCRIPTIONS.node[key], number: true, width: '76px', from, optional: true, descending: true, value: row => operators.numbers(key)[row], text: row => rateText(operators.numbers(key)[row])});
  let most = 0;
  for (const row of rows) if (of[row] > most) most = of[row];
  return [
    ...(rows.some(row => order[row] >= 0) ? [{key: 'order', title: '#', hint: 'order of execution: the number of the instruction that first runs the node or calls its delegate', number: true, width: '52px', value: row => (order[row] >= 0 ? order[row] : NaN), text: row => (order[row] >= 0 ? String(order[row]) : '')}] : []),
    {key: 'op', title: 'operator', width: 'minmax(120px, 1.4fr)', value: row => operators.op(row), cell: row => html`<span class="cut" title=${operators.op(row)}>${operators.op(row)}</span>`},
    {key: 'name', title: 'node', width: 'minmax(110px, 1.3fr)', from: 1100, value: row => operators.name(row), cell: row => html`<span class="cut quiet" title=${operators.name(row)}>${operators.name(row)}</span>`},
    {key: 'module', title: 'module', width: 'minmax(110px, 1.4fr)', value: row => operators.module(row)?.path ?? '', cell: row => html`<span class="cut head" title=${operators.module(row)?.path}><bdi>${operators.module(row)?.path ?? ''}</bdi></span>`},
    timeColumn('time', label, STAT_TEXTS[stat], row => of[row], {...own, width: '92px'}),
    shareColumn(row => of[row], {width: '64px'}),
    {key: 'bar', title: '', width: 'minmax(60px, 1fr)', sort: false, cell: row => bar(of[row], most, own.estimated(row))},
    ...(stat === 'p50' ? [] : [timeColumn('p50', 'p50', STAT_TEXTS.p50, row => p50[row], {...own, stat: 'p50', width: '88px', from: 900})]),
    ...baseColumns(operators),
    {key: 'spread', title: 'min – max', hint: 'minimum to maximum, p10 to p90, median; the scale is logarithmic', width: 'minmax(100px, 1fr)', from: 1000, sort: false, cell: row => html`<${Distribution} operators=${operators} row=${row} at=${at} />`},
    {key: 'calls', title: 'calls', hint: `calls ${DESCRIPTIONS.node.calls}`, number: true, width: '52px', from: 1300, value: row => operators.numbers('calls')[row], text: row => callsText(operators.numbers('calls')[row] || 0)},
    {key: 'backend', title: 'backend', width: 'minmax(80px, 0.7fr)', from: 820, value: row => operators.backend(row) ?? '', cell: row => html`<span class="cut" title=${operators.backend(row)}>${operators.backend(row) ?? ''}</span>`},
    {key: 'source', title: 'source', width: 'minmax(90px, 1fr)', from: 1400, value: row => sourceText(operators.source(row)), cell: row => html`<span class="cut" title=${operators.source(row)?.code}>${sourceText(operators.source(row))}</span>`},
    {key: 'match', title: 'match', width: '90px', optional: true, value: text('match')}, {key: 'runs_as', title: 'runs as', width: '140px', optional: true, value: text('runs_as')},
    {key: 'outputs', title: 'output', width: '160px', optional: true, value: text('outputs')},
    ...[['gflops', 'GFLOP/s'], ['gbs', 'GB/s'], ['bytes', 'bytes'], ['macs', 'MACs'], ['intensity', 'FLOP/byte']].map(([key, title]) => number(key, title)),
    ...['p10', 'p90', 'min', 'max'].map(key => timeColumn(key, key, `${key} over the runs in which it ran`, row => operators.numbers(key)[row], {...own, stat: key, width: '88px', optional: true})),
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
  const bar = at => `M${at} ${HEIGHT}v${-Math.max(1.5, most > 0 ? (HEIGHT * each[at].time) / most : 0)}h.8V${HEIGHT}z`, describe = ({module, time}) => `${module?.path || TOP_LEVEL}: ${timeText(time, 0, group.rows)} ${unitName.value}`;
  const under = event => {
    const box = event.currentTarget.getBoundingClientRect();
    return each[Math.max(0, Math.min(each.length - 1, Math.floor(((event.clientX - box.left) / box.width) * each.length)))];
  };
  return html`<svg class="cells" viewBox=${`0 0 ${each.length} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label=${`${each.length} modules; the slowest is ${describe(slowest)}`} onPointerMove=${event => (event.currentTarget.firstChild.textContent = visibleText(describe(under(event))))}
    onClick=${event => (event.stopPropagation(), select('module', under(event).module?.path ?? ''))}><title>${describe(slowest)}</title><path d=${each.map((_, at) => bar(at)).join('')} /><path class="slowest" d=${bar(each.indexOf(slowest))} /></svg>`;
}

function groupColumns(by, rows) {
  const most = rows.reduce((a, row) => Math.max(a, row.time), 0), {label} = times.value;
  const folded = by === 'pattern', key = folded ? [
    {key: 'key', title: 'repeated operator', width: 'minmax(240px, 3.4fr)', value: row => `${row.pattern || TOP_LEVEL} · ${row.op}${row.each.length > 1 ? ` ×${row.each.length}` : ''}`,
      cell: row => html`<span class="cut head" title=${`${row.pattern} · ${row.op}`}><bdi>${row.pattern || TOP_LEVEL} · <strong>${row.op}</strong>${row.each.length > 1 ? html` <span class="badge">×${row.each.length}</span>` : ''}</bdi></span>`},
  ] : [{key: 'key', title: GROUPS.find(([value]) => value === by)[1].toLowerCase(), width: 'minmax(200px, 2fr)', value: row => groupText[by](row.key), cell: row => html`<span class="cut head" title=${row.key}><bdi>${groupText[by](row.key)}</bdi></span>`}];
  return [
    ...key,
    {key: 'count', title: 'nodes', hint: 'operators of the graph', number: true, width: '64px', descending: true, value: row => row.count},
    timeColumn('time', label, sumHint(), row => row.time, {rows: row => row.rows, estimated: row => row.estimated, width: '100px'}),
    shareColumn(row => row.time, {width: '72px'}),
    {key: 'bar', title: '', width: 'minmax(80px, 1fr)', sort: false, cell: row => bar(row.time, most, row.estimated)},
    ...baseSumColumns(row => row.rows),
    ...(folded ? [
      timeColumn('median', 'median of one', 'median of the sums of each module', row => (row.each.length > 1 ? row.median : NaN), {rows: row => row.rows, width: '120px', from: comparedMethod.value ? 1300 : 900}),
      {key: 'slowest', title: 'slowest', width: 'minmax(120px, 1fr)', from: comparedMethod.value ? 1500 : 1000, value: row => (row.each.length > 1 ? row.slowest.module?.path ?? '' : ''), cell: row => (row.each.length > 1 ? html`<span class="cut head" title=${row.slowest.module?.path}><bdi>${row.slowest.module?.path ?? ''}</bdi></span>` : '')},
      {key: 'each', title: 'each', width: 'minmax(120px, 1.2fr)', from: 800, sort: false, cell: row => html`<${Strip} group=${row} most=${row.slowest.time} />`},
    ] : []),
    timeColumn('estimated', 'estimated', 'the part that is estimated', row => row.estimated || NaN, {rows: row => row.rows, width: '100px', optional: true}),
  ];
}

/** Narrows the search, the one of the page or the one given, to a group and shows each operator. */
export function openGroup(by, group, {q: said, ...changes} = {q: get('q')}) {
  const field = {op: 'op', module: 'own', source: 'line', backend: 'backend'}[by], terms = by === 'pattern' ? repeatedTerms(group.pattern, group.op) : term(field, group.key);
  set({...changes, 'op.group': 'none', q: [said, terms].filter(Boolean).join(' ')});
}

/* ---- The view ---- */

/* The command that prints the operators of the search, or the sums of groups; null if its options cannot say them. */
function tableCommand(by) {
  const options = optionsOf(get('q'));
  if (!options || by === 'pattern' || get('q').includes('timed:')) return null;
  return by === 'none' ? commandOf('nodes', {hasStat: true}, method.value.graphName ? `--graph ${quoted(method.value.graphName)}` : '', ...options) : commandOf('summary', {isSum: true}, `--by ${by}`, ...options);
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
    return `${countText(inside.length, 'operator')}, ${timeText(sum, 0, inside)} ${unitName.value}, ${shareOfWhole(sum)}`;
  };
  const chosen = selectedRows.value;
  const note = html`<span class="count" role="status" aria-description=${explain(sumHint(), rows)}>${countText(rows.length, 'operator')}, ${timeText(time, 0, rows)} ${unitName.value}, ${shareOfWhole(time)}${estimated > 0 ? ` (${timeText(estimated, 1, rows)} estimated)` : ''}</span>`;
  return html`<div class="operators"><div class="toolbar">
    <${Segments} label="Group by" options=${GROUPS} chosen=${by} change=${value => set({'op.group': value})} />
    <${Choice} label="Backend" options=${[['', 'all backends'], ...backends.map(name => [name, name])]} chosen=${chosenBackend} change=${setBackend} />
    <label class="check"><input type="checkbox" aria-label="timed only" checked=${isTimedOnly.value} disabled=${method.value.runs === 0} onChange=${event => set({q: event.target.checked ? without(get('q'), 'timed') : `${get('q')} timed:all`.trim()})} />timed only</label>
    <${Chips} /></div>
    ${rows.length === 0 ? html`<p class="note">No operator matches.</p>`
    : isEach ? html`<${Table} key="op" name="op" label="Operators" note=${note} ...${each.value} open=${selectRow} isChosen=${row => chosen?.[row] === 1} sum=${describe} command=${tableCommand('none')} />`
    : html`<${Table} key=${`group ${by}`} name="group" label="Operators, grouped" note=${note} ...${grouped.value} open=${group => openGroup(by, group)} isChosen=${group => Boolean(chosen) && group.rows.some(row => chosen[row])} sum=${describe} command=${tableCommand(by)} />`}</div>`;
}
