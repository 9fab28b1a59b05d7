// SPDX-License-Identifier: BSD-3-Clause
//
// A graph as columns: operators, inputs and outputs in program order, and what each reads. Weights are a number at
// their reader, not nodes.

import {isOfQuantization} from '../base/labels.js';
import {shortOperator} from './labels.js';
import {IntList} from './lists.js';
import {movesData} from './ranks.js';

/** The kinds of nodes. */
export const OPERATOR = 0,
  INPUT = 1,
  OUTPUT = 2;

/* More edges into the next pass of a loop are not drawn. */
const MOST_LOOPS = 1000;

/* Producers of each node, each once. Those that are not before their reader are those of the loops of a program, whose
   next pass reads them: {from, to, byFrom, byTo}.
   In other graphs they come from a damaged record, and are left out. */
function readEdges(count, inputCounts, inputs, hasLoops, cuts) {
  const start = new Int32Array(count + 1),
    from = new IntList(inputs.length + 1),
    latest = new Int32Array(count).fill(-1),
    loops = {from: [], to: [], byFrom: new Map(), byTo: new Map()};
  let at = 0,
    backward = 0,
    left = 0;
  for (let node = 0; node < count; node++) {
    for (let i = 0; i < (inputCounts[node] ?? 0); i++, at++) {
      const producer = node - inputs[at],
        isLoop = hasLoops && producer >= node && producer < count;
      if (!isLoop && !(producer >= 0 && producer < node)) {
        backward++;
        continue;
      }
      if (latest[producer] === node) continue;
      latest[producer] = node;
      if (!isLoop) from.push(producer);
      else if (loops.from.length === MOST_LOOPS) left++;
      else if (producer > node) addLoop(loops, producer, node);
    }
    start[node + 1] = from.length;
  }
  if (backward)
    cuts.push(
      `${backward} ${
        backward === 1 ? 'edge leads' : 'edges lead'
      } to an earlier node (the record is damaged) and ${backward === 1 ? 'is' : 'are'} not drawn.`,
    );
  if (left) cuts.push(`${left} edges into the next pass of a loop are not drawn: there are more than ${MOST_LOOPS}.`);
  return {start, from: from.all().slice(), loops};
}

function addLoop({from, to, byFrom, byTo}, producer, reader) {
  for (const [by, node] of [
    [byFrom, producer],
    [byTo, reader],
  ])
    by.set(node, [...(by.get(node) ?? []), from.length]);
  from.push(producer);
  to.push(reader);
}

/* The frames of delegates, with the path of the module that all their nodes share: the frame is drawn inside it. */
function makeFrames(labels, frame, module, modules) {
  const paths = new Array(labels.length).fill(null);
  for (let node = 0; node < frame.length; node++) {
    const path = frame[node] < 0 ? '' : (modules[module[node]] ?? '');
    if (path === '') continue;
    const parts = path.split('.'),
      before = paths[frame[node]],
      differs = before?.findIndex((part, i) => part !== parts[i]) ?? -1;
    paths[frame[node]] = before === null ? parts : differs < 0 ? before : before.slice(0, differs);
  }
  return labels.map((label, i) => ({label, path: paths[i] ?? []}));
}

/* The module around two: the beginning that their paths share. What is not known (null) does not count. */
function sharedPath(a, b) {
  if (a === null || b === null || a === b) return a ?? b;
  const [first, second] = [a.split('.'), b.split('.')],
    differs = first.findIndex((part, i) => part !== second[i]);
  return differs < 0 ? a : first.slice(0, differs).join('.');
}

/* The module in whose box each node is drawn: its own, or of inserted operators the one around what they read and a
   reader, the one that is nearest to what they read: outside of it they would be in a circle with it. */
function placeInModules(graph) {
  const {count, kind, op, ops, module, modules, start, from} = graph,
    path = node => modules[module[node]] ?? '',
    isInserted = ops.map(isOfQuantization);
  const moves = node => kind[node] === OPERATOR && isInserted[op[node]] && path(node) === '',
    above = new Array(count).fill(null),
    below = new Array(count).fill(null),
    boxes = modules.slice(),
    box = module.slice();
  if (!isInserted.includes(true)) return {box, boxes};
  const known = node => (kind[node] === OPERATOR ? path(node) : null);
  for (let node = 0; node < count; node++) {
    if (!moves(node)) above[node] = known(node);
    else for (let e = start[node]; e < start[node + 1]; e++) above[node] = sharedPath(above[node], above[from[e]]);
  }
  const number = new Map(boxes.map((name, i) => [name, i]));
  for (let node = count - 1; node >= 0; node--) {
    const around = moves(node) ? (below[node] ?? above[node] ?? '') : known(node);
    if (moves(node)) {
      if (!number.has(around)) number.set(around, boxes.push(around) - 1);
      box[node] = number.get(around);
    }
    if (around === null) continue;
    for (let e = start[node]; e < start[node + 1]; e++) {
      const maker = from[e],
        isFed = above[maker] !== null,
        shared = sharedPath(isFed ? above[maker] : below[maker], around);
      if (!isFed || shared.length >= (below[maker] ?? '').length) below[maker] = shared;
    }
  }
  return {box, boxes};
}

/* The operator of each body must be before its nodes; others are drawn as if they were in no body. */
function checkBodies(body, bodies, cuts) {
  let wrong = 0;
  for (let node = 0; node < body.length; node++)
    if (body[node] >= 0 && !(bodies[body[node]]?.owner < node && bodies[body[node]].owner >= 0)) {
      body[node] = -1;
      wrong++;
    }
  if (wrong) cuts.push(`${wrong} nodes are in a body whose operator is not known, and are drawn outside of it.`);
}

/**
 * Makes a graph of columns. `kind`, `name`, `op`, `module`, `weights`, `body` and `delegate` have a value per node;
 * `op` and `module` are
 * indices in `ops` and `modules`; `inputs` has the distances back to the producers, `inputCounts` how many of them each
 * node has; in a graph that `hasLoops`, a producer may come later; `bodies` are
 * {name, owner}; `frames` are the labels of delegates that are drawn as frames, and `frame` is that of each node.
 */
export function makeGraph({
  kind,
  name,
  op,
  ops,
  module,
  modules,
  inputCounts,
  inputs,
  hasLoops = false,
  weights,
  body,
  bodies = [],
  delegate,
  frame,
  frames = [],
}) {
  const count = kind.length,
    cuts = [],
    column = (values, empty) => (values ? Int32Array.from(values) : new Int32Array(count).fill(empty));
  const graph = {
    count,
    cuts,
    kind: Uint8Array.from(kind),
    names: name,
    op: column(op, 0),
    ops,
    module: column(module, 0),
    modules,
    weights: column(weights, 0),
    body: column(body, -1),
    bodies,
    delegate: column(delegate, -1),
    frame: column(frame, -1),
    owns: new Uint8Array(count),
  };
  checkBodies(graph.body, bodies, cuts);
  for (const {owner} of bodies) if (owner >= 0) graph.owns[owner] = 1;
  Object.assign(graph, readEdges(count, inputCounts, inputs, hasLoops, cuts));
  return Object.assign(graph, placeInModules(graph), {
    labels: ops.map(shortOperator),
    moves: movesData(ops),
    frames: makeFrames(frames, graph.frame, graph.module, modules),
  });
}
