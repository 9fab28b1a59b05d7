// SPDX-License-Identifier: BSD-3-Clause
//
// delegation.js - the view that counts delegated and non-delegated operators by type, as ExecuTorch's print_delegation_info does, and lists each delegate with what is in it.

import {STAT_TEXTS, baseMethod, explain, hasHit, method, select, selection, show, times, unitName} from '../base/app.js';
import {grouped, rowsWhere, sumOver} from '../base/columns.js';
import {term} from '../base/filter.js';
import {countText, shareText} from '../base/format.js';
import {html} from '../base/html.js';
import {estimatedOver, groupRows} from '../base/method.js';
import {Link, ModuleLink, NodeLink, bar, commandOf, shareOfWhole, sumHint, timeColumn, timeText} from '../parts/bits.js';
import {SmallTable} from '../parts/table.js';
import {Definitions, detailsOfKind} from './details.js';

const SEVERAL = 'several modules';

/* The same operator types in the base: what was delegated there. Nothing is judged. */
function baseColumns() {
  const base = baseMethod.value?.delegation;
  if (!base) return [];
  const byType = new Map(base.operators.map(row => [row.op_type, row])), count = (key, title) => ({key: `base_${key}`, title, hint: 'in the base', number: true, text: row => String(byType.get(row.op_type)?.[key] ?? 0), value: row => byType.get(row.op_type)?.[key] ?? 0});
  return [count('delegated', 'base: delegated'), count('non_delegated', 'base: not'),
    timeColumn('base_non_delegated_avg', 'base avg', 'average in the base, outside delegates', row => byType.get(row.op_type)?.non_delegated_avg)];
}

function OperatorTypes() {
  const rows = [...method.value.delegation.operators].sort((a, b) => (b.non_delegated_avg ?? 0) - (a.non_delegated_avg ?? 0) || b.non_delegated - a.non_delegated || (b.delegated_avg ?? 0) - (a.delegated_avg ?? 0));
  const where = {delegated: 'inside delegates', non_delegated: 'outside delegates'}, {operators} = method.value, rowsOfType = grouped(operators.timed, row => operators.name(row).replace(/_\d+$/, ''));
  const count = key => ({key, title: key.replace('_', '-'), hint: `operators of this type ${where[key]}`, number: true, text: row => String(row[key])}), avg = key => timeColumn(`${key}_avg`, `${key.replace('_', '-')} avg`, `average per inference ${where[key]}`, row => row[`${key}_avg`], {rows: row => rowsOfType.get(row.op_type)});
  return html`<${SmallTable} caption="Operator types, most time outside delegates first" rows=${rows} command=${commandOf('delegation', {}, '--by op')} most=${40} columns=${[
    {key: 'op_type', title: 'operator type', class: 'key', text: row => row.op_type},
    count('delegated'), avg('delegated'), count('non_delegated'), avg('non_delegated'),
    {key: 'share', title: 'share outside delegates', hint: 'of Method::execute', number: true, text: row => shareText(row.non_delegated_avg, method.value.execute.avg)}, ...baseColumns(),
  ]} />`;
}

/* ---- Delegates ---- */

/* Columns that some backends record: the delegate overhead by phase, then the whole call by compute unit. */
const DELEGATE_PARTS = [['copy_in', 'copying in'], ['compute', 'computing'], ['wait', 'waiting'], ['copy_out', 'copying out'], ['other', 'other overhead'], ['npu', 'NPU'], ['gpu', 'GPU'], ['cpu', 'CPU']];

/* Returns the rows of the operators inside a delegate. */
function rowsOf({operators}, delegate) {
  const of = operators.indices('delegate');
  delegate.rows ??= rowsWhere(operators.count, row => of[row] === delegate.instruction);
  return delegate.rows;
}

/* Returns the module that holds all operators of a delegate; null if several do, or only the model. */
const moduleOf = (shown, delegate) => shown.modules[delegate.module] ?? null;

const moduleText = delegate => moduleOf(method.value, delegate)?.path ?? (delegate.nodes > 0 ? SEVERAL : '');

/* The parts that some delegate has; the overhead alone, with no phase, is a column already. */
function recordedParts(shown) {
  const parts = DELEGATE_PARTS.filter(([key]) => shown.delegates.some(row => row[key] > 0));
  return parts.length === 1 && parts[0][0] === 'other' ? [] : parts;
}

function DelegatesTable() {
  const shown = method.value, isTimed = shown.runs > 0, rows = [...shown.delegates].sort((a, b) => b.call - a.call || a.instruction - b.instruction), most = rows[0]?.call ?? 0;
  const overhead = row => (row.call ?? 0) - (row.on_nodes ?? 0), time = (key, title, hint, of, rest) => timeColumn(key, title, hint, row => (isTimed ? of(row) : NaN), rest);
  return html`<${SmallTable} caption="Delegates, longest call first" rows=${rows} command=${commandOf('delegation', {}, '--by delegate')} open=${row => select('delegate', row.instruction)} isChosen=${row => selection.value?.said === `delegate:${row.instruction}`} isHit=${row => hasHit(rowsOf(shown, row))} columns=${[
    {key: 'instruction', title: 'instruction', hint: 'the instruction that calls the delegate', number: true, text: row => String(row.instruction), value: row => row.instruction}, {key: 'module', title: 'module', class: 'key', text: moduleText, cell: row => html`<span class="cut head" title=${moduleText(row)}><bdi>${moduleText(row)}</bdi></span>`},
    {key: 'backend', title: 'backend', class: 'key', text: row => row.backend}, {key: 'nodes', title: 'nodes', hint: 'operators of the graph inside', number: true, text: row => String(row.nodes ?? '–'), value: row => row.nodes},
    time('call', 'call avg', 'average of the whole call', row => row.call), time('on_nodes', 'graph operators', 'average of the operators inside', row => row.on_nodes, {rows: row => rowsOf(shown, row), estimated: row => row.estimated ?? 0}), time('overhead', 'overhead', 'the call less the operators inside', overhead),
    ...recordedParts(shown).map(([key, title]) => time(key, title, 'as the backend recorded it', row => row[key])),
    {key: 'share', title: 'share', hint: 'of the average of Method::execute', number: true, text: row => shareText(isTimed ? row.call : null, shown.execute.avg)}, {key: 'bar', title: '', class: 'bar-cell', cell: row => bar(row.call, most)},
  ]} />`;
}

/* The panel of a delegate: where it is, what is in it, why it ends where it ends. */
function DelegateDetails({chosen}) {
  const shown = method.value, delegate = shown.delegates.find(({instruction}) => String(instruction) === chosen.id), {operators} = shown, {of} = times.value;
  if (!delegate) return html`<p class="note">This method has no delegate at instruction ${chosen.id}.</p>`;
  const rows = rowsOf(shown, delegate), module = moduleOf(shown, delegate), time = (ns, inside) => (shown.runs ? `${timeText(ns, 0, inside)} ${unitName.value}` : null), order = Array.from(rows).sort((a, b) => a - b), at = shown.delegates.indexOf(delegate);
  const neighbours = [...shown.delegates].sort((a, b) => a.instruction - b.instruction), place = neighbours.indexOf(delegate), link = other => html`<${Link} act=${() => select('delegate', other.instruction)}>instruction ${other.instruction}<//>`;
  return html`<${Definitions} rows=${[
    ['backend', delegate.backend], ['module', module ? html`<${ModuleLink} module=${module} />` : moduleText(delegate)], ['call', time(delegate.call), explain('average of the whole call')], ['share', shareText(shown.runs ? delegate.call : null, shown.execute.avg), 'of the average of Method::execute'],
    ['graph operators', time(delegate.on_nodes, rows), explain('average of the operators inside', rows)], ['overhead of a call', time((delegate.call ?? 0) - (delegate.on_nodes ?? 0)), explain('the call less the operators inside')], ...DELEGATE_PARTS.map(([key, title]) => [title, delegate[key] > 0 ? time(delegate[key]) : null, explain('as the backend recorded it')]),
    ['delegate before', neighbours[place - 1] ? link(neighbours[place - 1]) : null], ['delegate after', neighbours[place + 1] ? link(neighbours[place + 1]) : null], ['cut by', delegate.cutBy >= 0 ? html`<${NodeLink} operators=${operators} row=${delegate.cutBy} />` : null], ['because', delegate.cutReason && `${delegate.backend}'s partitioner ${delegate.cutReason.startsWith('no ') ? `has ${delegate.cutReason}` : delegate.cutReason}`]]} />
    <p><${Link} act=${() => show('operators', {q: term('delegate', delegate.instruction), 'op.group': 'none'})}>${countText(rows.length, 'operator')} in the table<//> · <${Link} act=${() => show('timeline')}>timeline<//> · <${Link} act=${() => show('graph')}>graph<//></p>
    <section><h3>By operator type, in ${unitName.value}</h3><${Definitions} rows=${groupRows(operators, rows, 'op', of).map(group => [group.key, `${timeText(group.time, group.estimated, group.rows)} ×${group.count}`, explain(sumHint(), group.rows)])} /></section>
    <section><h3>Operators inside, in order</h3><ul class="inside">${order.slice(0, 200).map(row => html`<li key=${`${at}.${row}`}><${Link} act=${() => select('node', operators.name(row))}>${operators.name(row)}<//> <span class="quiet" aria-description=${explain(STAT_TEXTS[times.value.stat], [row])}>${of[row] >= 0 ? `${timeText(of[row], Number(operators.isEstimated(row)), [row])} ${unitName.value}, ${shareOfWhole(of[row])}` : ''}</span></li>`)}</ul>
    ${order.length > 200 ? html`<p class="quiet">${order.length - 200} more</p>` : null}<p class="note" aria-description=${explain(sumHint(), rows)}>Their sum is ${timeText(sumOver(of, rows), estimatedOver(operators, rows, of), rows)} ${unitName.value}.</p></section>`;
}
detailsOfKind.delegate = DelegateDetails;

export function DelegationView() {
  const {delegation, hasGraph, delegates} = method.value;
  if (!hasGraph) return html`<p class="note">The graph is missing, because no ETRecord was given; delegated operators cannot be counted.</p>`;
  const all = delegation.delegated_nodes + delegation.non_delegated_nodes, part = (name, count) => html`<span class=${`part ${name}`} style=${{flexGrow: String(count)}}></span>`;
  return html`<div class="delegation"><p class="lead">${countText(delegation.delegated_subgraphs, 'delegated subgraph')}${baseMethod.value?.delegation ? ` (base ${countText(baseMethod.value.delegation.delegated_subgraphs, 'subgraph')})` : ''} · ${delegation.delegated_nodes} of ${countText(all, 'node')} delegated, ${delegation.non_delegated_nodes} not</p>
    ${delegation.ambiguous ? html`<p class="note">${countText(delegation.ambiguous, 'node')} may be counted on the wrong side, because debug handles do not say which of several nodes was delegated.</p>` : null}
    ${all ? html`<div class="balance-bar thin" aria-hidden="true">${part('backend-1', delegation.delegated_nodes)}${part('backend-0', delegation.non_delegated_nodes)}</div>` : null}
    <div class="grid wide">${delegates.length ? html`<section class="card"><${DelegatesTable} /></section>` : null}<section class="card"><${OperatorTypes} /></section></div></div>`;
}
