// SPDX-License-Identifier: BSD-3-Clause
//
// model.js - reads a document of schema/profile.schema.json into objects: methods, operators, modules. It needs no page.

const SCHEMA = 'etrecord-tb/profile/1';

/** The backend of operators that run as kernels, outside delegates. */
export const CPU = 'cpu';

/** Operators that belong to no module of the model. */
export const TOP_LEVEL = '(top level)';

/** The parts of a method's time by their names in the document, in the words of docs/terms.md. */
export const PART_TEXTS = {
  nodes: 'graph operators', estimated: 'estimated', delegate_only: 'delegate overhead (calls minus operators)', inserted: 'inserted operators', rest_of_calls: 'call overhead',
  framework: 'runtime, outside operators', unexplained: 'unexplained',
};

/* Compares numbers in names by value, so that layer 2 comes before layer 10, as etr_natural_compare() does. */
const names = new Intl.Collator('en', {numeric: true});

const MATCHES = {
  handle: 'by the debug handle map, the operator and, with the .pte, the values it reads; or by elimination',
  delegate_map: "by the backend's own map from its ids to debug handles",
  payload: "by the delegate's payload in the .pte: its operators and the values they read",
  order: 'several nodes share the handle and operator: by the order of lowering, proved by the handle lists and the events',
  instruction: 'by the number of the instruction in the .pte that ran it',
  aligned: 'estimated: by the order of operator classes',
  delegate: "no node: a delegate call as a whole, or an operator that the lowering inserted",
  framework: 'no node: time between and around kernels and delegates',
  none: 'no node was found',
};

/** Returns the meaning of a match in words. */
export function matchText(match) {
  return MATCHES[match] ?? match;
}

/* The columns that modules, operators and timelines have. One that is missing has no values. */
const COLUMNS = {
  modules: {path: '', type: -1, pattern: -1, parent: -1},
  operators: {
    name: '', op: -1, module: -1, source: -1, handle: 0, subgraph: -1, inputs: -1, outputs: -1, arguments: -1, backend: -1, delegate: -1, runs_as: -1, carrier: -1, match: -1, compute_unit: -1, calls: 0,
    ran_in: 0, total: null, p10: null, p50: null, p90: null, min: null, max: null,
  },
  timeline: {name: -1, duration: null, instruction: -1, backend: -1, match: -1, start: 0, scale: 1, lane: 0, level: 0, measured: 1, operator: -1},
};

/* Makes all columns arrays: one value may replace an array of equal ones. Older documents have arrays only, and no count. */
function fullColumns(columns, missing) {
  const {count} = columns;
  if (count === undefined) return columns;
  const full = {...Object.fromEntries(Object.entries(missing).map(([key, value]) => [key, new Array(count).fill(value)])), ...columns};
  for (const [key, column] of Object.entries(full)) if (key !== 'count' && !Array.isArray(column)) full[key] = new Array(count).fill(column);
  return full;
}

/* Reads the modules. A path may be listed twice, such as the empty one of the whole model; every index then refers to the first. */
function readModules(columns, texts) {
  const first = new Map();
  return columns.path.map((path, index) => {
    if (first.has(path)) return first.get(path);
    const parentPath = columns.path[columns.parent[index]], prefix = parentPath ? `${parentPath}.` : '';
    const label = path.startsWith(prefix) && path !== '' ? path.slice(prefix.length) : path;
    first.set(path, {index, path, label, type: texts[columns.type[index]] ?? '', parent: columns.parent[index]});
    return first.get(path);
  });
}

/* Reads the costs of an operator, which older documents lack. */
function readCost(text, number) {
  return {macs: number('macs'), bytes: number('bytes'), gflops: number('gflops'), gbs: number('gbs'), intensity: number('intensity'), ofPeak: number('of_peak'), bound: text('bound'), arithmetic: text('arithmetic'), hinted: number('hinted_costs') > 0};
}

function readOperator(index, columns, graph, texts, runs) {
  const text = column => texts[columns[column]?.[index]] ?? null;  // older documents lack some columns
  const number = column => columns[column][index];
  const match = text('match');
  return {
    index, name: columns.name[index], op: text('op') ?? '', module: graph.modules[number('module')], source: graph.sources[number('source')] ?? null,
    handle: number('handle'), subgraph: text('subgraph'), inputs: text('inputs'), outputs: text('outputs'), arguments: text('arguments'), runsAs: text('runs_as'),
    backend: text('backend') ?? (match ? CPU : null), delegate: number('delegate'), carrier: number('carrier'), match, estimated: columns.estimated ? number('estimated') === 1 : match === 'aligned',
    timed: match !== null, calls: number('calls'), ranIn: number('ran_in'), avg: match ? number('total') / runs : null,
    ...readCost(text, column => columns[column]?.[index] ?? null),
    p10: number('p10'), p50: number('p50'), p90: number('p90'), min: number('min'), max: number('max'), cycles: columns.cycles ? number('cycles') : null, computeUnit: text('compute_unit'), textOf: text, numberOf: number,
  };
}

function readGraph(graph, texts, runs) {
  if (!graph) return {modules: [], operators: []};
  const read = {modules: readModules(fullColumns(graph.modules, COLUMNS.modules), texts), sources: graph.sources};
  const columns = fullColumns(graph.operators, COLUMNS.operators);
  const operators = columns.name.map((_, index) => readOperator(index, columns, read, texts, runs));
  return {modules: read.modules, operators};
}

/* Reads the lanes with their events, ordered by start. Older documents have no lanes. */
function readTimeline(drawn, textsOfDocument) {
  if (!drawn) return null;
  const {run, execute, lanes: drawnLanes, texts = textsOfDocument, ...columns} = drawn, timeline = fullColumns(columns, COLUMNS.timeline), text = index => texts[index] ?? null;
  const lanes = drawnLanes?.map(({delegated, backend, levels}) => ({label: delegated ? backend ?? 'delegate' : 'processor', delegated, backend, levels, events: []}));
  if (!lanes) return {run, execute, lanes: null};
  timeline.name.forEach((name, i) => {
    const lane = lanes[timeline.lane[i]], duration = timeline.duration[i];
    lane.events.push({
      name: text(name) ?? '', start: timeline.start[i], duration, length: duration * timeline.scale[i], instruction: timeline.instruction[i], backend: text(timeline.backend[i]),
      match: text(timeline.match[i]), operator: timeline.operator[i], lane, level: timeline.level[i], synthetic: timeline.measured[i] === 0,
    });
  });
  const end = lanes.flatMap(lane => lane.events).reduce((last, event) => Math.max(last, event.start + event.length), 0);
  return {run, execute, lanes, end};
}

const DELEGATE_TIMES = ['call', 'on_nodes', 'estimated', 'copy_in', 'compute', 'wait', 'copy_out', 'other', 'npu', 'gpu', 'cpu'];

/* Reads a delegate, with times per inference; a time that an older document lacks is null. */
function readDelegate(delegate, runs) {
  return {...delegate, ...Object.fromEntries(DELEGATE_TIMES.map(key => [key, delegate[key] === undefined || delegate[key] === null ? null : delegate[key] / runs]))};
}

const perInference = (parts, runs) => (parts ?? []).map(part => ({...part, avg: part.total / runs})); // older documents lack these parts

function readMethod(method, texts) {
  const runs = method.runs || 1;
  const graph = readGraph(method.graph, texts, runs);
  return {
    name: method.method ?? '(method unknown)', runs: method.runs, skippedRuns: method.skipped_runs, skipped: method.skipped, execute: method.execute, perRun: method.execute_per_run,
    noise: method.noise ?? null, phases: method.phases_of_runs ?? [],  // older documents lack both
    balance: method.balance.map(part => ({...part, avg: part.total / runs})), clockHidden: method.clock_hidden / runs, delegation: method.delegation, memory: method.memory,
    notes: method.notes ?? [], delegates: method.delegates.map(delegate => readDelegate(delegate, runs)), delegatePhases: perInference(method.phases, runs), computeUnits: perInference(method.compute_units, runs),
    findings: method.findings.map(finding => ({...finding, operators: finding.operators.map(index => graph.operators[index]).filter(Boolean)})), hasGraph: method.graph !== null, patterns: method.by_pattern ?? [], modules: graph.modules, operators: graph.operators, timeline: readTimeline(method.timeline, texts),
  };
}

/** Reads the document. Throws if it has another schema or is broken. */
export function readProfile(document) {
  if (document?.schema !== SCHEMA) throw new Error(`not an ${SCHEMA} document: ${String(document?.schema)}`);
  try {
    return {
      version: document.version, ticksPerSecond: document.ticks_per_second, inputs: document.inputs,
      methods: document.methods.map(method => readMethod(method, document.texts)), load: document.load, warnings: document.warnings, peaks: document.roofs ?? null,
    };
  } catch (error) {
    throw new Error(`broken document (${error.message})`, {cause: error});
  }
}

/** Returns the index of the method with the most time, which is shown first. */
export function firstMethod(profile) {
  const most = profile.methods.reduce((best, method) => (method.execute.total > (best?.execute.total ?? -1) ? method : best), null);
  return most ? profile.methods.indexOf(most) : 0;
}

const sumOf = (list, value) => list.reduce((sum, item) => sum + value(item), 0);

/** Returns the summed time per inference of operators, in ns. */
export function totalOf(operators) {
  return sumOf(operators, operator => operator.avg ?? 0);
}

/** Returns the sum of the operators' medians, in ns. Shares of medians refer to it, because medians do not add up to the method's. */
export function summedMedian(operators) {
  return sumOf(operators, operator => operator.p50 ?? 0);
}

/** Returns the summed estimated time of operators, in ns. */
export function estimatedOf(operators) {
  return sumOf(operators, operator => (operator.estimated ? operator.avg : 0));
}

function searchable(operator) {
  operator.text ??= [operator.name, operator.op, operator.module?.path, operator.module?.type, operator.backend, operator.runsAs, operator.arguments,
    operator.source && `${operator.source.file}:${operator.source.line}`, operator.source?.function, operator.source?.code].filter(Boolean).join('\n').toLowerCase();
  return operator.text;
}

const KEYS = {
  op: operator => operator.op,
  module: operator => operator.module?.path ?? '',
  backend: operator => operator.backend ?? '',
  source: operator => (operator.source ? `${operator.source.file}:${operator.source.line}` : ''),
};

/** Options of filterOperators() that select all operators. */
export const UNFILTERED = {search: '', backend: '', module: null, only: null, groups: {}};

/**
 * Returns the operators that pass all filters: they contain every word of `search`, run in `backend`, are timed, are in `module` or a module inside it, are in `only`.list, and belong to the
 * groups of groupOperators() that `groups` names as {by: key}. A filter that is not given selects all.
 */
export function filterOperators(operators, {search = '', backend = '', timed = false, module = null, only = null, groups = {}} = {}) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean), keys = Object.entries(groups);
  const wanted = only && new Set(only.list);
  return operators.filter(operator => (!wanted || wanted.has(operator)) && (!timed || operator.timed) && (!backend || operator.backend === backend) && (!module || isInside(operator.module, module))
    && keys.every(([by, key]) => KEYS[by](operator) === key) && words.every(word => searchable(operator).includes(word)));
}

function isInside(module, outer) {
  return module === outer || outer.path === '' || Boolean(module?.path.startsWith(`${outer.path}.`));
}

/** Groups operators by 'op', 'module', 'backend' or 'source' and sums their times in ns: {key, first, count, timed, avg, estimated}, most time first. */
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
  return [...groups.values()].sort((a, b) => b.avg - a.avg || names.compare(a.key, b.key));
}

/** Returns the rows sorted by a column. Rows without a value come last in either direction; equal rows keep their order. */
export function sortRows(rows, value, descending) {
  const keyed = rows.map((row, index) => ({row, index, value: value(row)}));
  const missing = v => v === null || v === undefined || v === '';
  keyed.sort((a, b) => {
    if (missing(a.value) || missing(b.value)) return missing(a.value) - missing(b.value) || a.index - b.index;
    const order = typeof a.value === 'number' ? a.value - b.value : names.compare(a.value, b.value);
    return (descending ? -order : order) || a.index - b.index;
  });
  return keyed.map(entry => entry.row);
}

/** Returns the backends that run operators, most time first. */
export function backendsOf(operators) {
  return groupOperators(operators.filter(operator => operator.backend), 'backend').map(group => group.key);
}

/* Sums the operators of each module. The document lists parents before their children, so the reversed loop finishes children first. */
function moduleItems(method) {
  const items = new Map(method.modules.map(module => [module, {module, avg: 0, own: 0, estimated: 0, count: 0, backends: {}, children: [], operators: []}]));
  for (const operator of method.operators) if (operator.timed) items.get(operator.module).operators.push(operator);
  for (const item of [...items.values()].toReversed()) {
    item.own = totalOf(item.operators);
    item.avg += item.own;
    item.estimated += estimatedOf(item.operators);
    for (const operator of item.operators) item.backends[operator.backend] = (item.backends[operator.backend] ?? 0) + operator.avg;
    item.count += item.operators.length;
    item.children.sort((a, b) => b.avg - a.avg);
    item.operators.sort((a, b) => b.avg - a.avg);
    const parent = items.get(method.modules[item.module.parent]);
    if (!parent || item.count === 0) continue;
    parent.children.push(item);
    parent.avg += item.avg;
    parent.estimated += item.estimated;
    parent.count += item.count;
    for (const [name, avg] of Object.entries(item.backends)) parent.backends[name] = (parent.backends[name] ?? 0) + avg;
  }
  return [...items.values()];
}

/** Returns the root of the tree of modules: {module, own, avg, estimated, count, backends: {name: avg}, children, operators}. `own` excludes the modules inside, all other sums include them. Most time first. */
export function moduleTree(method) {
  return moduleItems(method)[0] ?? null;
}

/** Returns the items of the tree that have timed operators of their own, largest own time first. */
export function modulesByOwn(method) {
  return moduleItems(method).filter(item => item.operators.length > 0).sort((a, b) => b.own - a.own || names.compare(a.module.path, b.module.path));
}
