// SPDX-License-Identifier: BSD-3-Clause
//
// selection.js - what is selected, once for all views: a node, a module, a source line, a delegate, a tensor, a pattern
// of modules, an operator type in them, a kernel on no node, or a finding. It stands in the address by name, so
// that a link still means the same after the record was written again. It needs no page.

import {rowsWhere} from './columns.js';
import {lineKey, rowsInside} from './method.js';

const NONE = new Int32Array(0);

/* Returns the name of a node: with the body of control flow that it is in, because names are unique only there. */
function nodeName(operators, row) {
  const body = operators.text('subgraph', row),
    name = operators.name(row);
  return body ? `${body}/${name}` : name;
}

/** Returns the id of an operator type in the modules of a pattern: "layers.*.attention aten.bmm.default". */
export const repeatedId = (operators, row) => `${operators.module(row)?.pattern ?? ''} ${operators.op(row)}`;

/* Each kind: the rows of a method that it means, by its id. */
const KINDS = {
  node: ({operators}, id) => rowsWhere(operators.count, row => nodeName(operators, row) === id),
  module: ({modulesByPath}, id) => (modulesByPath.has(id) ? rowsInside(modulesByPath.get(id)) : NONE),
  line: ({operators}, id) => rowsWhere(operators.count, row => lineKey(operators.source(row)) === id),
  delegate: ({operators}, id) => rowsWhere(operators.count, row => String(operators.raw('delegate', row) ?? -1) === id),
  pattern: ({modules}, id) =>
    Int32Array.from(
      new Set(modules.filter(({pattern}) => pattern === id).flatMap(module => [...rowsInside(module)])),
    ).sort(),
  repeated: ({operators}, id) => rowsWhere(operators.count, row => repeatedId(operators, row) === id),
  backend: ({operators}, id) => rowsWhere(operators.count, row => operators.backend(row) === id),
  op: ({operators}, id) => rowsWhere(operators.count, row => operators.op(row) === id),
  finding: ({findings}, id) => findings[Number(id)]?.rows ?? NONE,
  tensor: () => NONE,
  kernel: () => NONE,
};

export const KIND_TEXTS = {
  node: 'operator',
  module: 'module',
  line: 'source line',
  delegate: 'delegate',
  pattern: 'pattern',
  repeated: 'repeated operator',
  op: 'operator type',
  backend: 'backend',
  finding: 'what to change',
  tensor: 'tensor',
  kernel: 'operator on no node',
  all: 'all operators with a time',
};

/** Returns the text of the address for an operator. */
export const nodeId = (operators, row) => `node:${nodeName(operators, row)}`;

/**
 * Reads the text of the address: {kind, id, rows: the operators it means, row: the operator if it is one, -1
 * otherwise}; null if nothing is selected. `isGone` says that the method lacks it.
 */
export function readSelection(method, said) {
  const kind = said.slice(0, said.indexOf(':')),
    id = said.slice(kind.length + 1);
  if (!method || !Object.hasOwn(KINDS, kind)) return null;
  const rows = KINDS[kind](method, id);
  return {
    kind,
    id,
    said,
    rows,
    row: kind === 'node' ? (rows[0] ?? -1) : -1,
    isGone: kind === 'node' && rows.length === 0,
  };
}
