// SPDX-License-Identifier: BSD-3-Clause
//
// Reads a graph of the document's section `graphs`. Parameters of bodies and delegates are not drawn: their readers
// read what the owner reads. The results of
// control flow are those of its bodies, and a call of a delegate whose operators are known is replaced by them.

import {Columns} from '../base/columns.js';
import {INPUT, OPERATOR, OUTPUT, makeGraph} from './read.js';

const KINDS = {op: OPERATOR, input: INPUT, output: OUTPUT};

/* The nodes of a section, with what each reads after parameters and results are resolved. */
class Reader {
  constructor(section, operators, texts) {
    const {nodes} = section;
    this.section = section;
    this.count = nodes.count;
    this.columns = new Columns(nodes, this.count, texts);
    this.operators = operators;
    this.subgraph = this.columns.indices('subgraph');
    this.kinds = Array.from({length: this.count}, (_, row) => this.columns.text('kind', row));
    this.subgraphs = readSubgraphs(section.subgraphs, texts);
    this.start = startsOf(this.columns.numbers('inputs'), this.count, section.inputs.length);
    this.outputsOf = this.subgraphs.map(() => -1); // the row of the results of each subgraph
    this.hasParameters = this.subgraphs.map(() => false);
    for (let row = 0; row < this.count; row++) {
      if (this.subgraph[row] < 0) continue;
      if (this.kinds[row] === 'output') this.outputsOf[this.subgraph[row]] = row;
      if (this.kinds[row] === 'body_parameter') this.hasParameters[this.subgraph[row]] = true;
    }
    this.inside = new Map(); // the subgraphs of each owner
    this.subgraphs.forEach(({owner}, i) => {
      if (!this.inside.has(owner)) this.inside.set(owner, []);
      this.inside.get(owner).push(i);
    });
    this.known = new Map();
  }

  isDelegate(row) {
    return (this.inside.get(row) ?? []).some(i => this.subgraphs[i].isDelegate && this.hasParameters[i]);
  }

  /* Whether a node is a box. */
  isDrawn(row) {
    if (this.kinds[row] === 'body_parameter' || this.isDelegate(row)) return false;
    return !(this.kinds[row] === 'output' && this.subgraph[row] >= 0 && this.subgraphs[this.subgraph[row]].isDelegate);
  }

  /* What a node reads: [row, output]. */
  inputs(row) {
    const {inputs, outputs} = this.section;
    return Array.from({length: this.start[row + 1] - this.start[row]}, (_, i) => [
      row - inputs[this.start[row] + i],
      outputs?.[this.start[row] + i] ?? 0,
    ]);
  }

  /* The drawn rows that make an output of a row. Damaged records may have circles: what is being resolved resolves
     to nothing. */
  makers(row, output) {
    const key = `${row} ${output}`;
    if (this.known.has(key)) return this.known.get(key);
    this.known.set(key, []);
    const found = this.findMakers(row, output);
    this.known.set(key, found);
    return found;
  }

  findMakers(row, output) {
    if (this.kinds[row] === 'body_parameter')
      return this.inputs(row).flatMap(([from, which]) => this.makers(from, which));
    const inside = this.inside.get(row) ?? [];
    if (this.isDelegate(row))
      return inside.flatMap(i => {
        const result = this.outputsOf[i] < 0 ? undefined : this.inputs(this.outputsOf[i])[output];
        return result ? this.makers(...result) : [];
      });
    const results = inside
      .filter(i => !this.subgraphs[i].isDelegate && this.outputsOf[i] >= 0)
      .map(i => this.outputsOf[i]);
    return results.length ? results : [row];
  }
}

function readSubgraphs(table, texts) {
  if (!table) return [];
  const columns = new Columns(table, table.count, texts),
    owner = columns.indices('owner');
  return Array.from({length: table.count}, (_, i) => ({
    owner: owner[i],
    name: columns.text('path', i)?.split('/').at(-1) ?? '',
    role: columns.text('role', i) ?? 'body',
    isDelegate: columns.text('role', i) === 'delegate',
  }));
}

/* Where the entries of each row begin in a list, of which each row has a number. A damaged document may say more
   than there are. */
function startsOf(counts, count, length) {
  const start = new Int32Array(count + 1);
  for (let row = 0; row < count; row++)
    start[row + 1] = Math.min(length, start[row] + (counts[row] > 0 ? counts[row] : 0));
  return start;
}

/** Numbers of texts. */
class Texts {
  constructor() {
    this.list = [];
    this.found = new Map();
  }

  index(text) {
    if (!this.found.has(text)) this.found.set(text, this.list.push(text) - 1);
    return this.found.get(text);
  }
}

/**
 * Reads one graph of the section: {graph, title, rowsOf: the operators of the method behind each node, total: its own
 * time over all runs in ns, or NaN if it is that of these
 * operators, shape(node), bytes(node)}. `operators` are those of the method, whose own graph leaves out what they have;
 * `types` are those of the section.
 */
export function readGraph(section, types, operators, texts) {
  const reader = new Reader(section, operators, texts),
    {columns, count} = reader,
    drawn = [],
    at = new Int32Array(count).fill(-1);
  for (let row = 0; row < count; row++) if (reader.isDrawn(row)) at[row] = drawn.push(row) - 1;
  const own = ownRows(reader),
    made = {
      kind: [],
      name: [],
      op: [],
      module: [],
      inputCounts: [],
      inputs: [],
      weights: [],
      body: [],
      delegate: [],
      frame: [],
    },
    ops = new Texts(),
    modules = new Texts();
  const {frames, frameOf} = framesOf(reader),
    weights = columns.numbers('weights'),
    module = columns.indices('module'),
    delegate = columns.indices('delegate'),
    paths = section.modules ? new Columns(section.modules, section.modules.count, texts) : null;
  const bodyAt = reader.subgraphs.map(({owner, isDelegate}) => (!isDelegate && owner >= 0 ? at[owner] : -1));
  drawn.forEach((row, index) => {
    const operator = own[row],
      makers = [...new Set(reader.inputs(row).flatMap(([from, output]) => reader.makers(from, output)))]
        .map(from => at[from])
        .filter(from => from >= 0);
    const callOf =
      reader.subgraph[row] >= 0 && frameOf.get(row) !== undefined && makers.length === 0
        ? (at[reader.subgraphs[reader.subgraph[row]].owner] ?? -1)
        : -1;
    if (callOf >= 0 && callOf < index) makers.push(callOf); // nothing says what the operators of this delegate read
    made.kind.push(KINDS[reader.kinds[row]] ?? OPERATOR);
    made.name.push(operator >= 0 ? operators.name(operator) : (columns.raw('name', row) ?? ''));
    made.op.push(
      ops.index(
        reader.kinds[row] !== 'op' ? '' : operator >= 0 ? operators.op(operator) : (columns.text('op', row) ?? ''),
      ),
    );
    made.module.push(
      modules.index(
        operator >= 0
          ? (operators.module(operator)?.path ?? '')
          : reader.kinds[row] !== 'op'
            ? ''
            : paths
              ? (paths.text('path', module[row]) ?? '')
              : (operators.modules[module[row]]?.path ?? ''),
      ),
    );
    made.inputCounts.push(makers.length);
    made.inputs.push(...makers.map(from => index - from));
    made.weights.push(weights[row] > 0 ? weights[row] : 0);
    made.body.push(reader.subgraph[row] >= 0 && bodyAt[reader.subgraph[row]] >= 0 ? reader.subgraph[row] : -1);
    made.delegate.push(operator >= 0 ? (operators.raw('delegate', operator) ?? -1) : delegate[row]);
    made.frame.push(frameOf.get(row) ?? -1);
  });
  const graph = makeGraph({
    ...made,
    hasLoops: section.dialect === 'program',
    ops: ops.list,
    modules: modules.list,
    frames,
    bodies: reader.subgraphs.map(({name, role}, i) => ({
      name: role === 'body' ? name || role : `${role}: ${name}`,
      owner: bodyAt[i],
    })),
  });
  const totals = columns.numbers('total'),
    typical = columns.numbers('typical'),
    described = typesOf(reader, types, drawn, texts);
  graph.notes = drawn.map((_, node) => (graph.kind[node] === OPERATOR ? '' : firstType(described.shape(node))));
  return {
    graph,
    title: section.module,
    entry: section.entry,
    isOwn: Boolean(section.has_operators),
    rowsOf: rowsOf(reader, own, drawn),
    total: Float64Array.from(drawn, row => totals[row]),
    typical: Float64Array.from(drawn, row => typical[row]),
    ...described,
  };
}

/* The operator of the method that each row is; -1 for all others. The rows of operators of the method's own graph
   are in its order, and have no name. */
function ownRows({section, kinds, count}) {
  const own = new Int32Array(count).fill(-1);
  for (let row = 0, next = 0; section.has_operators && row < count; row++) if (kinds[row] === 'op') own[row] = next++;
  return own;
}

/* The frames of delegates: one for each whose operators are in this graph. */
function framesOf({subgraphs, subgraph, columns, operators, count, inside}) {
  const frames = [],
    frameOf = new Map(),
    number = new Map();
  subgraphs.forEach(({isDelegate, owner, name}, i) => {
    if (!isDelegate || !subgraph.includes(i)) return;
    const delegate = columns.raw('delegate', owner);
    number.set(
      i,
      frames.push(
        `${(columns.text('op', owner) ?? name).replace(/^delegate\./, '')}${delegate === null ? '' : ` @${delegate}`}`,
      ) - 1,
    );
  });
  for (let row = 0; row < count; row++) if (number.has(subgraph[row])) frameOf.set(row, number.get(subgraph[row]));
  for (const [owner, list] of inside) for (const i of list) if (number.has(i)) frameOf.set(owner, number.get(i));
  return {frames, frameOf, operators};
}

/* The operators of the method behind each drawn node. The document has each as the distance to the one before. */
function rowsOf({columns, section, count}, own, drawn) {
  const start = startsOf(columns.numbers('counterparts'), count, section.counterparts?.length ?? 0),
    list = (section.counterparts ?? []).slice();
  for (let i = 1; i < list.length; i++) list[i] += list[i - 1];
  return drawn.map(row => (own[row] >= 0 ? [own[row]] : list.slice(start[row], start[row + 1])));
}

/** The first of the types of a node. */
export function firstType(types) {
  const [first, ...others] = types.split(/, (?=\w+\[)/);
  return others.length ? `${first}, …` : first;
}

/* What is known of the outputs of each node. */
function typesOf({columns}, table, drawn, texts) {
  const types = table?.count ? new Columns(table, table.count, texts) : null,
    of = columns.indices('type'),
    known = bytes => (bytes >= 0 ? bytes : NaN);
  return {
    shape: node => columns.text('jump', drawn[node]) ?? types?.text('text', of[drawn[node]]) ?? '',
    bytes: node => known(types?.numbers('bytes')[of[drawn[node]]]),
  };
}
