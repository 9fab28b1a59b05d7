// SPDX-License-Identifier: BSD-3-Clause
//
// model.js - the document of schema/profile.schema.json as objects: methods, operators, modules. Knows no page.

const SCHEMA = 'etrecord-tb/profile/1';

/** Where an operator without a backend runs. */
export const CPU = 'cpu';

const MATCHES = {
  handle: 'by the debug handle map, the operator and, with the .pte, what it reads; or, by elimination, what is left',
  delegate_map: "by the backend's own map from its ids to debug handles",
  payload: "by the delegate's payload in the .pte, and by what its operators read",
  order: 'several nodes have the handle and operator: by the order in which the model is lowered, proved by the handle lists and the events',
  aligned: 'estimated: by the order of operator classes',
  delegate: "a delegate's call as a whole, or what its lowering inserted: no node",
  framework: 'framework: no node',
  none: 'could not be told',
};

/** What a match means, in words. */
export function matchText(match) {
  return MATCHES[match] ?? match;
}

function readModules(columns, texts) {
  const modules = columns.path.map((path, index) => ({index, path, type: texts[columns.type[index]] ?? '', parent: columns.parent[index], children: []}));
  for (const module of modules) {
    const parent = modules[module.parent];
    const prefix = parent?.path ? `${parent.path}.` : '';
    module.label = module.path.startsWith(prefix) && module.path !== '' ? module.path.slice(prefix.length) : module.path;
    parent?.children.push(module);
  }
  return modules;
}

function readOperator(index, columns, graph, texts, runs) {
  const text = column => texts[columns[column]?.[index]] ?? null;  // older documents have fewer columns
  const number = column => columns[column][index];
  const match = text('match');
  return {
    index, name: columns.name[index], op: text('op') ?? '', module: graph.modules[number('module')], source: graph.sources[number('source')] ?? null,
    handle: number('handle'), subgraph: text('subgraph'), inputs: text('inputs'), outputs: text('outputs'), arguments: text('arguments'), runsAs: text('runs_as'),
    backend: text('backend') ?? (match ? CPU : null), delegate: number('delegate'), carrier: number('carrier'), match, estimated: match === 'aligned',
    timed: match !== null, calls: number('calls'), ranIn: number('ran_in'), avg: match ? number('total') / runs : null,
    p10: number('p10'), p50: number('p50'), p90: number('p90'), min: number('min'), max: number('max'),
  };
}

function readGraph(graph, texts, runs) {
  if (!graph) return {modules: [], operators: []};
  const read = {modules: readModules(graph.modules, texts), sources: graph.sources};
  const operators = graph.operators.name.map((_, index) => readOperator(index, graph.operators, read, texts, runs));
  return {modules: read.modules, operators};
}

function readTimeline(timeline, texts) {
  if (!timeline) return null;
  const text = index => texts[index] ?? null;
  const events = timeline.name.map((name, i) => ({
    name: text(name) ?? '', start: timeline.start[i], duration: timeline.duration[i], instruction: timeline.instruction[i],
    backend: text(timeline.backend[i]), delegated: timeline.delegated[i] === 1, match: text(timeline.match[i]), operator: timeline.operator[i],
  }));
  return {run: timeline.run, execute: timeline.execute, events};
}

function readMethod(method, texts) {
  const runs = method.runs || 1;
  const graph = readGraph(method.graph, texts, runs);
  return {
    name: method.method ?? '(method unknown)', runs: method.runs, execute: method.execute, perRun: method.execute_per_run,
    balance: method.balance.map(part => ({...part, avg: part.total / runs})), clockHidden: method.clock_hidden / runs, delegation: method.delegation,
    delegates: method.delegates.map(delegate => ({...delegate, avg: delegate.call / runs})),
    findings: method.findings.map(finding => ({...finding, operators: finding.operators.map(index => graph.operators[index]).filter(Boolean)})), hasGraph: method.graph !== null, modules: graph.modules, operators: graph.operators, timeline: readTimeline(method.timeline, texts),
  };
}

/** The document as objects; throws where it is another one. */
export function readProfile(document) {
  if (document?.schema !== SCHEMA) throw new Error(`this is no ${SCHEMA}: ${String(document?.schema)}`);
  return {
    version: document.version, ticksPerSecond: document.ticks_per_second, inputs: document.inputs,
    methods: document.methods.map(method => readMethod(method, document.texts)), load: document.load, warnings: document.warnings,
  };
}

/** The method to show first: the one with most time. */
export function firstMethod(profile) {
  const most = profile.methods.reduce((best, method) => (method.execute.total > (best?.execute.total ?? -1) ? method : best), null);
  return most ? profile.methods.indexOf(most) : 0;
}

const sumOf = (list, value) => list.reduce((sum, item) => sum + value(item), 0);

/** Time per inference of operators together. */
export function totalOf(operators) {
  return sumOf(operators, operator => operator.avg ?? 0);
}

function searchable(operator) {
  operator.text ??= [operator.name, operator.op, operator.module?.path, operator.module?.type, operator.backend, operator.runsAs, operator.arguments,
    operator.source && `${operator.source.file}:${operator.source.line}`, operator.source?.function, operator.source?.code].filter(Boolean).join('\n').toLowerCase();
  return operator.text;
}

/** Operators that hold every word of the search, run in the backend, are timed, are among `only`.list: what is not given takes all. */
export function filterOperators(operators, {search = '', backend = '', timed = false, module = null, only = null} = {}) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = only && new Set(only.list);
  return operators.filter(operator => (!wanted || wanted.has(operator)) && (!timed || operator.timed) && (!backend || operator.backend === backend) && (!module || isInside(operator.module, module))
    && words.every(word => searchable(operator).includes(word)));
}

function isInside(module, outer) {
  return module === outer || outer.path === '' || Boolean(module?.path.startsWith(`${outer.path}.`));
}

const KEYS = {
  op: operator => operator.op,
  module: operator => operator.module?.path ?? '',
  backend: operator => operator.backend ?? '',
  source: operator => (operator.source ? `${operator.source.file}:${operator.source.line}` : ''),
};

/** Sums by 'op', 'module', 'backend' or 'source': {key, first, count, timed, avg, estimated}, most time first. */
export function groupOperators(operators, by) {
  const groups = new Map();
  for (const operator of operators) {
    const key = KEYS[by](operator);
    if (!groups.has(key)) groups.set(key, {key, first: operator, count: 0, timed: 0, avg: 0, estimated: 0});
    const group = groups.get(key);
    group.count++;
    group.timed += operator.timed;
    group.avg += operator.avg ?? 0;
    group.estimated += operator.estimated ? operator.avg : 0;
  }
  return [...groups.values()].sort((a, b) => b.avg - a.avg || (a.key < b.key ? -1 : 1));
}

/** Sorted by a column, what has no value last; equal rows keep their order. */
export function sortRows(rows, value, descending) {
  const keyed = rows.map((row, index) => ({row, index, value: value(row)}));
  const missing = v => v === null || v === undefined || v === '';
  keyed.sort((a, b) => {
    if (missing(a.value) || missing(b.value)) return missing(a.value) - missing(b.value) || a.index - b.index;
    const order = typeof a.value === 'number' ? a.value - b.value : a.value < b.value ? -1 : a.value > b.value ? 1 : 0;
    return (descending ? -order : order) || a.index - b.index;
  });
  return keyed.map(entry => entry.row);
}

/** Backends that something runs in, most time first. */
export function backendsOf(operators) {
  return groupOperators(operators.filter(operator => operator.backend), 'backend').map(group => group.key);
}

/** Modules as a tree with the time in each: {module, avg, count, backends: {name: avg}, children, operators}, most time first. */
export function moduleTree(method) {
  const items = method.modules.map(module => ({module, avg: 0, count: 0, backends: {}, children: [], operators: []}));
  for (const operator of method.operators) if (operator.timed) items[operator.module.index].operators.push(operator);
  for (const item of items.toReversed()) {  // children stand behind their parents
    for (const operator of item.operators) {
      item.avg += operator.avg;
      item.backends[operator.backend] = (item.backends[operator.backend] ?? 0) + operator.avg;
    }
    item.count += item.operators.length;
    item.children.sort((a, b) => b.avg - a.avg);
    item.operators.sort((a, b) => b.avg - a.avg);
    const parent = items[item.module.parent];
    if (!parent || item.count === 0) continue;
    parent.children.push(item);
    parent.avg += item.avg;
    parent.count += item.count;
    for (const [name, avg] of Object.entries(item.backends)) parent.backends[name] = (parent.backends[name] ?? 0) + avg;
  }
  return items[0] ?? null;
}
