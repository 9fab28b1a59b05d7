// SPDX-License-Identifier: BSD-3-Clause
//
// method.js - reads a document of schema/profile.schema.json: its methods with their operators as columns, modules,
// delegates. It needs no page.

import {Columns, compareNames, fromSteps, rowsWhere} from './columns.js';
import {shortOp} from './labels.js';

const SCHEMA = 'etrecord-tb/profile/1';

/** The backend of operators that run as kernels, outside delegates. */
export const CPU = 'cpu';

/** Operators that belong to no module of the model. */
export const TOP_LEVEL = '(top level)';

const MATCHES = {
  handle: 'by the debug handle map, the operator and, with the .pte, the values it reads; or by elimination',
  delegate_map: "by the backend's own map from its ids to debug handles",
  payload: "by the delegate's payload in the .pte: its operators and the values they read",
  order: 'nodes that share a handle and operator: by the order of lowering, proved by the events',
  instruction: 'by the number of the instruction in the .pte that ran it',
  aligned: 'estimated: by the order of operator classes',
  delegate: 'no node: a delegate call as a whole, or an operator that the lowering inserted',
  framework: 'no node: time between and around kernels and delegates',
  none: 'no node was found',
};

/** Returns the meaning of a match in words. */
export const matchText = match => MATCHES[match] ?? match;

/* ---- Operators ---- */

/** The operators of a graph: a number each, 0 to count - 1, in the order of the graph. Times are in ns. */
export class Operators extends Columns {
  constructor(graph, texts, runs) {
    const {operators} = graph;
    super(operators, operators.count, texts);
    this.runs = runs;
    this.sources = graph.sources;
    this.modules = [];
    this.searchTexts = [];
    this.averages = null;
    this.timedRows = null;
    this.matches = this.indices('match');
    this.owners = this.indices('module');
  }

  name(row) {
    return this.raw('name', row);
  }

  op(row) {
    return this.text('op', row) ?? '';
  }

  /** Where it runs; null if that is not known. */
  backend(row) {
    return this.text('backend', row) ?? (this.isTimed(row) ? CPU : null);
  }

  module(row) {
    return this.modules[this.owners[row]] ?? null;
  }

  source(row) {
    return this.sources[this.indices('source')[row]] ?? null;
  }

  isTimed(row) {
    return this.matches[row] >= 0;
  }

  isEstimated(row) {
    return this.indices('estimated')[row] === 1;
  }

  /** The average time per inference of each operator, NaN if it was not timed. */
  get avg() {
    this.averages ??= Float64Array.from(this.numbers('total'), (total, row) =>
      this.isTimed(row) ? total / this.runs : NaN,
    );
    return this.averages;
  }

  /** The rows of the operators that were timed. */
  get timed() {
    this.timedRows ??= rowsWhere(this.count, row => this.isTimed(row));
    return this.timedRows;
  }

  /** The text in which a search looks for words: names and modules. */
  searchText(row) {
    const module = this.module(row);
    this.searchTexts[row] ??= [this.name(row), this.op(row), module?.path, module?.type]
      .filter(Boolean)
      .join('\n')
      .toLowerCase();
    return this.searchTexts[row];
  }

  /** The text in which `src:` looks: the source line. */
  sourceText(row) {
    const source = this.source(row);
    return source ? `${source.file}:${source.line}\n${source.function}\n${source.code ?? ''}`.toLowerCase() : '';
  }
}

/** Returns "model.py:12" with the whole path of the file: what identifies a source line. */
export const lineKey = source => (source ? `${source.file}:${source.line}` : '');

/** What operators can be grouped by: the key of each. */
export const GROUP_KEYS = {
  op: (operators, row) => operators.op(row),
  module: (operators, row) => operators.module(row)?.path ?? '',
  pattern: (operators, row) => operators.module(row)?.pattern ?? '',
  backend: (operators, row) => operators.backend(row) ?? '',
  source: (operators, row) => lineKey(operators.source(row)),
};

/**
 * Groups rows by a key of GROUP_KEYS and sums their `times` in ns: {key, rows, count, timed, time, estimated}, most
 * time first.
 */
export function groupRows(operators, rows, by, times = operators.avg) {
  const groups = new Map(),
    keyOf = GROUP_KEYS[by];
  for (const row of rows) {
    const key = keyOf(operators, row);
    let group = groups.get(key);
    if (!group) groups.set(key, (group = {key, rows: [], count: 0, timed: 0, time: 0, estimated: 0}));
    const time = times[row] > 0 ? times[row] : 0;
    group.rows.push(row);
    group.count++;
    group.timed += operators.isTimed(row);
    group.time += time;
    group.estimated += operators.isEstimated(row) ? time : 0;
  }
  return [...groups.values()].sort((a, b) => b.time - a.time || compareNames(a.key, b.key));
}

/** Returns the backends that run operators, most time first. The position of one decides its color. */
export function backendsOf(operators) {
  operators.backendList ??= groupRows(
    operators,
    rowsWhere(operators.count, row => operators.backend(row) !== null),
    'backend',
  ).map(group => group.key);
  return operators.backendList;
}

/** Returns the place of a backend among those that are no CPU kernels, which decides its color; -1 of CPU kernels. */
export function placeOf(operators, name) {
  return name === CPU || !name
    ? -1
    : Math.max(
        0,
        backendsOf(operators)
          .filter(other => other !== CPU)
          .indexOf(name),
      );
}

/** Returns how an operator is called in pictures: its module and what it does, "layers.3.attention · bmm". */
export function operatorLabel(operators, row) {
  const path = operators.module(row)?.path,
    op = shortOp(operators.op(row));
  return path ? `${path} · ${op}` : op;
}

/* ---- Modules ---- */

/* Reads the modules, parents before children. A path may be listed twice, such as the empty one of the whole model;
   every index then refers to the first. */
function readModules(table, texts) {
  const columns = new Columns(table, table.count ?? table.path.length, texts),
    parents = columns.indices('parent'),
    byPath = new Map();
  const list = Array.from({length: columns.count}, (_, index) => {
    const path = columns.raw('path', index);
    if (byPath.has(path)) return byPath.get(path);
    const parent = byPath.get(columns.raw('path', parents[index])) ?? null,
      prefix = parent?.path ? `${parent.path}.` : '';
    const label = path !== '' && path.startsWith(prefix) ? path.slice(prefix.length) : path;
    const module = {
      index,
      path,
      label,
      type: columns.text('type', index) ?? '',
      pattern: columns.text('pattern', index) ?? path,
      parent,
      children: [],
      own: [],
    };
    byPath.set(path, module);
    parent?.children.push(module);
    return module;
  });
  return {list, byPath};
}

/** Returns the rows of the operators in a module and the modules inside it, ascending. */
export function rowsInside(module) {
  module.inside ??= Int32Array.from([module.own, ...module.children.map(rowsInside)].flatMap(rows => [...rows])).sort();
  return module.inside;
}

/** Returns whether `module` is `outer` or inside it. */
export function isInside(module, outer) {
  for (let at = module; at; at = at.parent) if (at === outer) return true;
  return outer.path === '';
}

function readGraph(graph, texts, runs) {
  if (!graph)
    return {
      operators: new Operators({operators: {count: 0, name: []}, sources: []}, texts, runs),
      modules: [],
      modulesByPath: new Map(),
    };
  const operators = new Operators(graph, texts, runs),
    {list, byPath} = readModules(graph.modules, texts),
    {owners} = operators;
  operators.modules = list;
  for (let row = 0; row < operators.count; row++) list[owners[row]]?.own.push(row);
  return {operators, modules: list, modulesByPath: byPath};
}

/* ---- Methods ---- */

/** The parts of a delegate's time that a backend may record: key in the document, and words. */
export const DELEGATE_PARTS = [
  ['off_nodes', 'on no node'],
  ['copy_in', 'copying in'],
  ['compute', 'computing'],
  ['wait', 'waiting'],
  ['copy_out', 'copying out'],
  ['other', 'other'],
  ['npu', 'NPU'],
  ['gpu', 'GPU'],
  ['cpu', 'CPU'],
];

/* Reads a delegate, with times in the typical run; a time that was not recorded is null. `places` say where it is and
   why it ends there: `cutBy` is the operator behind it. */
const readDelegate = (delegate, index, places) => ({
  ...delegate,
  index,
  module: places.indices('module')[index],
  cutBy: places.indices('cut_by')[index],
  cutReason: places.text('cut_reason', index),
});

/* ns; a part below it is a rounding error */
const RESIDUE = 1e-6;

/** Returns the parts of the bar, in ns: all that take time. They add up to Method::execute. */
export const balanceParts = (shown, key = 'typical') => shown.balance.filter(part => part[key] > RESIDUE);

/* A text of the library, which writes "us" where terminals may lack the letter, as the page writes it. */
const withMicro = text => text?.replace(/(\d) us\b/g, '$1 µs');

function readMethod(method, index, texts) {
  const runs = method.runs || 1,
    graph = readGraph(method.graph, texts, runs),
    places = new Columns(method.delegate_places, method.delegates.length, texts);
  const rowsOf = finding =>
    Int32Array.from(fromSteps(finding.operator_steps).filter(row => row >= 0 && row < graph.operators.count));
  return {
    index,
    document: method,
    texts,
    name: method.method ?? 'method not known',
    runs: method.runs,
    skippedRuns: method.skipped_runs,
    skipped: method.skipped,
    execute: method.execute,
    perRun: method.execute_per_run ?? [],
    noise: method.noise,
    phases: method.phases_of_runs,
    balance: method.balance.map(part => ({...part, avg: part.total / runs})),
    clockHidden: method.clock_hidden / runs,
    clockHiddenTypical: method.clock_hidden_typical ?? 0,
    logsValues: method.logs_values === true,
    answer: withMicro(method.answer?.text) ?? '',
    groups: method.groups ?? [],
    clocks: method.clocks ?? {},
    delegation: method.delegation,
    cautions: method.cautions ?? [],
    notes: method.notes ?? [],
    delegates: method.delegates.map((delegate, at) => readDelegate(delegate, at, places)),
    findings: method.findings.map((finding, at) => ({
      ...finding,
      title: withMicro(finding.title),
      fact: withMicro(finding.fact),
      evidence: withMicro(finding.evidence),
      index: at,
      rows: rowsOf(finding),
    })),
    hasGraph: Boolean(method.graph),
    patterns: method.by_pattern ?? [],
    graphName: method.graph?.module ?? null,
    ...graph,
  };
}

/** Reads the document. Throws if it has another schema or is broken. */
export function readProfile(document) {
  if (document?.schema !== SCHEMA)
    throw new Error(
      `This page reads documents of ${SCHEMA}, and this one is ${String(document?.schema ?? 'none')}${
        document?.version ? `, written by etrecord-tb ${document.version}` : ''
      }: show it with the page of that version.`,
    );
  try {
    return {
      version: document.version,
      ticksPerSecond: document.ticks_per_second,
      shownUnit: document.shown_unit,
      inputs: document.inputs,
      methods: document.methods.map((method, index) => readMethod(method, index, document.texts)),
      load: document.load,
      firstToken: document.first_token ?? null,
      cacheGrowth: document.cache_growth ?? null,
      leastInside: document.least_inside,
      warnings: document.warnings,
      peaks: document.roofs ?? null,
    };
  } catch (error) {
    throw new Error(`broken document (${error.message})`, {cause: error});
  }
}

const byTime = times => Array.from(times.keys()).sort((a, b) => times[a] - times[b]);

/** The runs that have a name: functions of the times of all runs that return the position of one. */
export const RUN_WORDS = {fastest: times => byTime(times)[0], slowest: times => byTime(times).at(-1)};

/** Returns the method with the most time, which is shown first; null if there is none. */
export function firstMethod(profile) {
  return profile.methods.reduce(
    (best, method) => ((method.execute.total ?? 0) > (best?.execute.total ?? -1) ? method : best),
    null,
  );
}

/** Returns the operators that were fused into this one: its time includes theirs. */
export function fusedInto(operators, row) {
  const carriers = operators.indices('carrier');
  return rowsWhere(operators.count, other => carriers[other] === row);
}

/** Returns the summed estimated time of rows. */
export function estimatedOver(operators, rows, times = operators.avg) {
  let sum = 0;
  for (const row of rows) if (times[row] > 0 && operators.isEstimated(row)) sum += times[row];
  return sum;
}
