// SPDX-License-Identifier: BSD-3-Clause
//
// delegation.js - the view that counts delegated and non-delegated operators by type, as ExecuTorch's print_delegation_info does, and lists each delegate.

import {element, plainTable, timeCell} from './dom.js';
import {countText, shareText} from './format.js';

function operatorsTable(app) {
  const rows = [...app.method.delegation.operators].sort((a, b) => (b.non_delegated_avg ?? 0) - (a.non_delegated_avg ?? 0) || b.non_delegated - a.non_delegated || (b.delegated_avg ?? 0) - (a.delegated_avg ?? 0));
  return plainTable('Operator types, most time outside delegates first', [
    {title: 'operator type', class: 'key', cell: row => row.op_type},
    {title: 'delegated', class: 'number', cell: row => String(row.delegated)},
    {title: `avg ${app.unitName()}`, class: 'number', cell: row => app.time(row.delegated_avg)},
    {title: 'non-delegated', class: 'number', cell: row => String(row.non_delegated)},
    {title: `avg ${app.unitName()}`, class: 'number', cell: row => app.time(row.non_delegated_avg)},
    {title: 'share outside delegates', class: 'number', cell: row => shareText(row.non_delegated_avg, app.method.execute.avg)},
  ], rows);
}

/* Columns that some backends record: the delegate overhead by phase, then the whole call by compute unit. */
const DELEGATE_PARTS = [['copy_in', 'copying in'], ['compute', 'computing'], ['wait', 'waiting'], ['copy_out', 'copying out'], ['other', 'other overhead'], ['npu', 'NPU'], ['gpu', 'GPU'], ['cpu', 'CPU']];

function delegatesTable(app) {
  return plainTable('Delegates', [
    {title: 'instruction', class: 'number', cell: row => String(row.instruction)},
    {title: 'backend', class: 'key', cell: row => row.backend},
    {title: 'nodes', class: 'number', cell: row => String(row.nodes ?? '–')},
    {title: `call avg ${app.unitName()}`, class: 'number', cell: row => (app.method.runs ? app.time(row.call) : '–')},
    {title: `graph operators ${app.unitName()}`, class: 'number', cell: row => (app.method.runs ? timeCell(app, row.on_nodes, row.estimated ?? 0) : '–')},
    ...DELEGATE_PARTS.filter(([key]) => app.method.delegates.some(row => row[key] > 0)).map(([key, title]) => ({title: `${title} ${app.unitName()}`, class: 'number', cell: row => app.time(row[key])})),
    {title: 'share', class: 'number', cell: row => shareText(app.method.runs ? row.call : null, app.method.execute.avg)},
  ], [...app.method.delegates].sort((a, b) => b.call - a.call || a.instruction - b.instruction));
}

/** Makes the view. */
export function delegationView(app) {
  const {delegation} = app.method;
  if (!app.method.hasGraph) return element('p', {class: 'note'}, 'The graph is missing, because no ETRecord was given; delegated operators cannot be counted.');
  const all = delegation.delegated_nodes + delegation.non_delegated_nodes;
  const part = (name, count) => element('span', {class: `part ${name}`, style: {'flex-grow': String(count)}});
  return element('div', {class: 'delegation'},
    element('p', {class: 'lead'}, `${countText(delegation.delegated_subgraphs, 'delegated subgraph')} · ${delegation.delegated_nodes} of ${countText(all, 'node')} delegated, ${delegation.non_delegated_nodes} not`),
    delegation.ambiguous ? element('p', {class: 'note'}, `${countText(delegation.ambiguous, 'node')} may be counted on the wrong side, because debug handles do not say which of several nodes was delegated.`) : null,
    all ? element('div', {class: 'balance-bar thin', 'aria-hidden': 'true'}, part('backend-1', delegation.delegated_nodes), part('backend-0', delegation.non_delegated_nodes)) : null,
    element('div', {class: 'grid wide'}, element('section', {class: 'card'}, operatorsTable(app)), app.method.delegates.length ? element('section', {class: 'card'}, delegatesTable(app)) : null));
}
