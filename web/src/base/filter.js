// SPDX-License-Identifier: BSD-3-Clause
//
// filter.js - the language of the search box: words (all must be there), /regular expressions/, and terms such as
// op:conv*, module:layers.3, backend:cpu, avg>0.1 and timed:yes.
// It needs no page.

import {allRows, rowsWhere} from './columns.js';
import {UNITS} from './format.js';
import {isInside, lineKey} from './method.js';

const COMPARISONS = {
  '>': (a, b) => a > b,
  '<': (a, b) => a < b,
  '>=': (a, b) => a >= b,
  '<=': (a, b) => a <= b,
  '=': (a, b) => a === b,
};
const TIMES = ['typical', 'avg', 'p10', 'p50', 'p90', 'min', 'max'],
  NUMBERS = ['bytes', 'macs', 'calls', 'gflops', 'gbs', 'intensity', 'of_peak'];

/* Returns a test for a pattern with * and ?, as a shell has them and as `--op` of the command. */
function globTest(pattern) {
  const made = new RegExp(
    `^${pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    'i',
  );
  return said => made.test(said);
}

/* An operator's whole name means that operator, "conv" all whose names hold it, and a pattern those that it fits. */
function opTest(pattern, {operators}) {
  const test = globTest(pattern),
    part = pattern.toLowerCase();
  if (/[*?]/.test(pattern)) return test;
  for (let row = 0; row < operators.count; row++) if (operators.op(row) === pattern) return op => op === pattern;
  return op => op.toLowerCase().includes(part);
}

const FIELDS = {
  op: (pattern, method) => {
    const test = opTest(pattern, method);
    return (operators, row) => test(operators.op(row));
  },
  module: (path, {modulesByPath}) => {
    const outer = modulesByPath.get(path),
      test = globTest(path);
    const isIn = said => said === path || said.startsWith(`${path}.`);
    const isNamed = module => Boolean(module) && (isIn(module.pattern) || test(module.path) || test(module.pattern));
    return (operators, row) => (outer ? isInside(operators.module(row), outer) : isNamed(operators.module(row)));
  },
  own: path => (operators, row) =>
    (operators.module(row)?.path ?? '') === path || operators.module(row)?.pattern === path,
  backend: pattern => {
    const test = globTest(pattern);
    return (operators, row) => test(operators.backend(row) ?? '');
  },
  line: key => (operators, row) => lineKey(operators.source(row)) === key,
  src: said => (operators, row) => operators.sourceText(row).includes(said.toLowerCase()),
  delegate: id => (operators, row) => String(operators.raw('delegate', row) ?? -1) === id,
  match: word => (operators, row) => (operators.text('match', row) ?? '') === word,
  finding: (index, {findings}) => {
    const wanted = new Set(findings[Number(index)]?.rows ?? []);
    return (operators, row) => wanted.has(row);
  },
  timed: word => (operators, row) => word === 'all' || operators.isTimed(row) === (word !== 'no'),
};

/** Splits the text into terms at spaces; "quotes" and /slashes/ hold spaces together. */
export function termsOf(said) {
  return said.match(/(?:[a-z_]+:)?"[^"]*"?|\/(?:\\.|[^\\/])+\/|\S+/gi) ?? [];
}

const quoted = value => (/[\s"]/.test(value) || value === '' ? `"${value.replaceAll('"', '')}"` : value);

/** Returns a term of the language: term('op', 'aten.add.Tensor') is 'op:aten.add.Tensor'. */
export const term = (field, value) => `${field}:${quoted(String(value))}`;

/** Returns the terms of an operator type in the modules of a pattern. */
export const repeatedTerms = (pattern, op) => `${term('own', pattern)} ${term('op', op)}`;

/* Returns the test of a term: a function of operators and row. Throws if the term is not understood. */
function testOf(said, method, unit) {
  const field = said.match(/^([a-z]+):(.*)$/is),
    compared = said.match(/^([a-z_0-9]+)(>=|<=|>|<|=)(-?[\d.]+(?:e[+-]?\d+)?)$/i);
  if (said.length > 2 && said.startsWith('/') && said.endsWith('/')) {
    const test = new RegExp(said.slice(1, -1), 'im');
    return (operators, row) => test.test(operators.searchText(row));
  }
  if (field && Object.hasOwn(FIELDS, field[1].toLowerCase()))
    return FIELDS[field[1].toLowerCase()](field[2].replace(/^"(.*?)"?$/s, '$1'), method);
  if (compared && (TIMES.includes(compared[1]) || NUMBERS.includes(compared[1]))) {
    const [, key, sign, value] = compared,
      limit = Number(value) * (TIMES.includes(key) ? UNITS[unit].ns : 1),
      compare = COMPARISONS[sign];
    return (operators, row) => compare(key === 'avg' ? operators.avg[row] : operators.numbers(key)[row], limit);
  }
  const word = said.replace(/^"(.*?)"?$/s, '$1').toLowerCase();
  return (operators, row) => operators.searchText(row).includes(word);
}

/**
 * Returns {rows, problem} of a method: the operators that pass all terms. `unit` is that of times, as in avg>0.1. A
 * term that is not understood selects nothing and is the problem.
 */
export function search(method, said, unit = 'ms') {
  const {operators} = method;
  try {
    const tests = termsOf(said).map(part => testOf(part, method, unit));
    if (tests.length === 0) return {rows: allRows(operators.count), problem: null};
    return {rows: rowsWhere(operators.count, row => tests.every(test => test(operators, row))), problem: null};
  } catch (error) {
    return {rows: new Int32Array(0), problem: error.message};
  }
}

/** Returns the text without the terms of a field, or without one term. */
export function without(said, part) {
  return termsOf(said)
    .filter(other => other !== part && !other.startsWith(`${part}:`))
    .join(' ');
}

/** Returns the options of the command that select the same operators; null if the command cannot. */
export function optionsOf(said) {
  const names = {op: '--op', module: '--module', backend: '--backend'},
    options = [];
  for (const part of termsOf(said)) {
    const found = part.match(/^(op|module|backend):"?(.*?)"?$/i);
    if (!found) return null;
    const [, field, value] = found;
    options.push(
      names[field.toLowerCase()],
      `'${(field === 'op' && !/[*?]/.test(value) ? `*${value}*` : value).replaceAll("'", "'\\''")}'`,
    );
  }
  return options;
}
