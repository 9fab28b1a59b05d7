// SPDX-License-Identifier: BSD-3-Clause
//
// Graphs for the tests of the layout: from `etrecord-tb nodes RECORD --format json --all-graphs`, and made ones of any size.

import {INPUT, OPERATOR, OUTPUT, makeGraph} from '../../../web/src/graph/read.js';

const WEIGHTS = new Set(['parameter', 'buffer', 'constant']);

class Texts {
  constructor() { this.list = []; this.found = new Map(); }
  index(text) {
    if (!this.found.has(text)) this.found.set(text, this.list.push(text) - 1);
    return this.found.get(text);
  }
}

/* The columns of nodes as the command prints them. Parameters of bodies and delegates stand for the operands of their owner. */
class Columns {
  constructor(nodes) {
    Object.assign(this, {kind: [], name: [], op: [], module: [], inputCounts: [], inputs: [], weights: [], body: [], bodies: [], delegate: [], frame: [], frames: [], avg: [], ops: new Texts(), modules: new Texts(), values: new Map(), calls: new Map(), owners: new Map(), parameters: new Map(), bodyOf: new Map(), frameNumbers: new Map(), callOf: new Map()});
    for (const {kind, subgraph} of nodes) if (kind === 'input' && subgraph) this.parameters.set(subgraph, (this.parameters.get(subgraph) ?? 0) + 1);
    this.opaque = new Set(nodes.map(({subgraph}) => subgraph).filter(subgraph => /^delegate_\d+$/.test(subgraph ?? '') && !this.parameters.has(subgraph)));
    nodes.forEach(node => this.read(node));
  }

  scope(name) {
    if (!this.values.has(name)) this.values.set(name, new Map());
    return this.values.get(name);
  }

  define(scope, node, value) {
    this.scope(scope).set(node.name, value);
    for (const output of node.outputs ?? []) this.scope(scope).set(output.name, value);
  }

  /* A call of a delegate whose operators are known: they take its place. */
  call(node, scope) {
    const inside = `delegate_${node.delegate_instruction}`, results = node.outputs.map(() => []);
    this.calls.set(inside, {operands: node.inputs.map(name => this.scope(scope).get(name) ?? -1), results, next: 0, frame: this.frames.push(`${node.backend} @${node.delegate_instruction}`) - 1});
    node.outputs.forEach((output, i) => this.scope(scope).set(output.name, results[i]));
  }

  /* A delegate whose operators are known, but not what they read: its call is in its frame, and the operators that read nothing follow it. */
  frameOf(node, scope) {
    const inside = node.kind === 'op' && node.target.startsWith('delegate.') ? `delegate_${node.delegate_instruction}` : scope;
    if (!this.opaque.has(inside)) return -1;
    if (!this.frameNumbers.has(inside)) this.frameNumbers.set(inside, this.frames.push(`${node.backend} @${node.delegate_instruction}`) - 1);
    return this.frameNumbers.get(inside);
  }

  read(node) {
    const scope = node.subgraph ?? '', call = this.calls.get(scope);
    if (node.kind === 'op' && node.target.startsWith('delegate.') && this.parameters.has(`delegate_${node.delegate_instruction}`)) return this.call(node, scope);
    if (WEIGHTS.has(node.kind)) return this.define(scope, node, -1);
    if (call && node.kind === 'input') return this.define(scope, node, call.operands[call.next++] ?? -1);
    if (call && node.kind === 'output') return node.inputs.forEach((name, i) => call.results[i]?.push(...[this.scope(scope).get(name) ?? -1].flat().filter(value => value >= 0)));
    const outer = scope.slice(0, Math.max(0, scope.lastIndexOf('/')));
    if (scope !== '' && !call && !this.opaque.has(scope) && !this.bodyOf.has(scope)) this.bodyOf.set(scope, this.bodies.push({name: scope.slice(scope.lastIndexOf('/') + 1), owner: this.owners.get(outer) ?? -1, next: 0}) - 1);
    const body = call || scope === '' || this.opaque.has(scope) ? -1 : this.bodyOf.get(scope);
    if (body >= 0 && node.kind === 'input') {
      const {owner} = this.bodies[body], operands = this.operands.get(owner) ?? [], operand = operands[operands.length - this.parameters.get(scope) + this.bodies[body].next++];
      return this.define(scope, node, this.scope(outer).get(operand) ?? -1);
    }
    this.add(node, scope, body, call);
  }

  add(node, scope, body, call) {
    const index = this.kind.length, found = node.inputs.map(name => this.scope(scope).get(name) ?? -1), producers = found.flat().filter(value => value >= 0), frame = call?.frame ?? this.frameOf(node, scope);
    if (frame >= 0 && !call && scope === '') this.callOf.set(frame, index);
    else if (frame >= 0 && !call && producers.length === 0) producers.push(this.callOf.get(frame));
    this.kind.push(node.kind === 'op' ? OPERATOR : node.kind === 'input' ? INPUT : OUTPUT);
    this.name.push(node.name);
    this.op.push(this.ops.index(node.kind === 'op' ? node.target : ''));
    this.module.push(this.modules.index(node.kind === 'op' ? node.module ?? '' : ''));
    this.inputCounts.push(producers.length);
    this.inputs.push(...producers.map(value => index - value));
    this.weights.push(found.filter(value => value === -1).length);
    this.body.push(body);
    this.delegate.push(node.delegate_instruction ?? -1);
    this.frame.push(frame);
    this.avg.push(node.avg ?? NaN);
    const results = node.kind === 'op' && node.target.startsWith('higher_order.') ? [] : null;
    this.define(scope, node, results ?? index);
    if (results) { this.owners.set(scope, index); (this.operands ??= new Map()).set(index, node.inputs); (this.results ??= new Map()).set(index, results); }
    if (body >= 0 && node.kind === 'output') this.results.get(this.bodies[body].owner)?.push(index);
  }
}

/** A graph of the nodes that the command prints. */
export function graphOfNodes(nodes) {
  const columns = new Columns(nodes);
  return Object.assign(makeGraph({...columns, ops: columns.ops.list, modules: columns.modules.list}), {avg: columns.avg});
}

/** Nodes of a decoder of `layers` layers, which repeat a layer of a recorded one. */
export function decoderNodes(nodes, layers) {
  const layerOf = node => /^layers\.\d+/.exec(node.module ?? '')?.[0], isTail = node => /^(norm|output)/.test(node.module ?? '') || node.kind === 'output';
  const before = nodes.filter(node => !layerOf(node) && !isTail(node)), after = nodes.filter(isTail), layer = nodes.filter(node => layerOf(node) === 'layers.1');
  const ends = nodes.filter(node => layerOf(node)), lastOf = name => ends.filter(node => layerOf(node) === name).at(-1).name, first = lastOf('layers.0'), end = lastOf(layerOf(ends.at(-1))), result = layer.at(-1).name;
  const own = new Set(layer.flatMap(node => [node.name, ...node.outputs.map(output => output.name)])), embedding = before.filter(node => node.kind === 'op' && /embedding/.test(node.target)).at(-1).name;
  const all = [...before];
  for (let i = 0; i < layers; i++) {
    const rename = name => own.has(name) ? `${name}_L${i}` : name === first ? (i ? `${result}_L${i - 1}` : embedding) : name;
    for (const node of layer) all.push({...node, name: rename(node.name), inputs: node.inputs.map(rename), outputs: node.outputs.map(output => ({...output, name: rename(output.name)})), module: node.module.replace('layers.1', `layers.${i}`)});
  }
  for (const node of after) all.push({...node, inputs: node.inputs.map(name => name === end ? `${result}_L${layers - 1}` : name)});
  return all;
}

/** A graph from lists of producers, for made cases: `[[], [0], [0, 1]]`; `more` may have other columns. */
export function graphOfEdges(producers, more = {}) {
  const count = producers.length;
  return makeGraph({kind: new Uint8Array(count), name: producers.map((_, i) => `node_${i}`), op: new Int32Array(count), ops: ['aten.add.Tensor'], modules: [''], inputCounts: producers.map(list => list.length), inputs: producers.flatMap((list, node) => list.map(producer => node - producer)), ...more});
}
