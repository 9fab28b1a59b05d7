// SPDX-License-Identifier: BSD-3-Clause
//
// Walking in a graph: what leads to a node and what it leads to, the longest path, the way along an edge, the
// neighborhood as a graph of its own.

import {OPEN, REPEAT, groupOf} from './groups.js';
import {indexBy} from './lists.js';
import {makeGraph} from './read.js';

/**
 * Marks of nodes, edges and lines, which add up: chosen, leads to what is chosen, is led to by it, is on the longest
 * path.
 */
export const CHOSEN = 1,
  ABOVE = 2,
  BELOW = 4,
  PATH = 8;

/** The edges of a graph by their producer, and the reader of each edge; kept with the graph. */
export function readersOf(graph) {
  if (!graph.readers) {
    const reader = new Int32Array(graph.from.length);
    for (let node = 0; node < graph.count; node++) reader.fill(node, graph.start[node], graph.start[node + 1]);
    Object.defineProperty(graph, 'readers', {value: {...indexBy(graph.from, graph.count), reader}, enumerable: false});
  }
  return graph.readers;
}

/**
 * The edges at a node, to its readers or to its producers: [edge, node at the other end]. Those into the next pass of a
 * loop come last, and are numbered behind all others.
 */
export function edgesAt(graph, node, down) {
  const {loops} = graph,
    next = ((down ? loops.byFrom : loops.byTo).get(node) ?? []).map(i => [
      graph.from.length + i,
      (down ? loops.to : loops.from)[i],
    ]);
  if (!down)
    return Array.from({length: graph.start[node + 1] - graph.start[node]}, (_, i) => [
      graph.start[node] + i,
      graph.from[graph.start[node] + i],
    ]).concat(next);
  const {start, list, reader} = readersOf(graph);
  return Array.from(list.subarray(start[node], start[node + 1]), edge => [edge, reader[edge]]).concat(next);
}

/** Marks what leads to the nodes and what they lead to, up to a number of edges: {node, edge}, a mark for each. */
export function follow(graph, nodes, hops = Infinity) {
  const marks = {node: new Uint8Array(graph.count), edge: new Uint8Array(graph.from.length)};
  for (const node of nodes) marks.node[node] = CHOSEN;
  for (const {mark, down} of [
    {mark: ABOVE, down: false},
    {mark: BELOW, down: true},
  ]) {
    let level = Array.from(nodes);
    for (let hop = 0; hop < hops && level.length; hop++) {
      const next = [];
      for (const node of level) {
        for (const [edge, other] of edgesAt(graph, node, down)) {
          marks.edge[edge] |= mark;
          if (marks.node[other] & (mark | CHOSEN)) continue;
          marks.node[other] |= mark;
          next.push(other);
        }
      }
      level = next;
    }
  }
  return marks;
}

/**
 * Marks the path with the greatest sum of `weights` (values below zero and NaN count as 0): {node, edge, nodes, sum}.
 */
export function longestPath(graph, weights) {
  const sums = new Float64Array(graph.count),
    by = new Int32Array(graph.count).fill(-1),
    marks = {node: new Uint8Array(graph.count), edge: new Uint8Array(graph.from.length), nodes: [], sum: 0};
  let last = -1;
  for (let node = 0; node < graph.count; node++) {
    for (let edge = graph.start[node]; edge < graph.start[node + 1]; edge++) {
      if (by[node] < 0 || sums[graph.from[edge]] > sums[node]) {
        sums[node] = sums[graph.from[edge]];
        by[node] = edge;
      }
    }
    sums[node] += weights[node] > 0 ? weights[node] : 0;
    if (last < 0 || sums[node] > sums[last]) last = node;
  }
  marks.sum = last < 0 ? 0 : sums[last];
  for (let node = last; node >= 0; node = by[node] < 0 ? -1 : graph.from[by[node]]) {
    marks.node[node] = PATH;
    if (by[node] >= 0) marks.edge[by[node]] = PATH;
    marks.nodes.unshift(node);
  }
  return marks;
}

/* The marks of a value's lines: of each wire, whether a marked reader is reached through its targets, or by leaving
   its group. */
function markWires(tree, value, own, readerMark, into) {
  const {wires, depth, groups, count} = tree,
    inner = new Map();
  const groupDepth = wire => depth[groups[into.group[wire]].id];
  const throughTargets = wire => {
    let mark = 0;
    for (let t = wires.targetStart[wire]; t < wires.targetStart[wire + 1]; t++) {
      const item = groups[into.group[wire]].items[wires.target[t]];
      into.target[t] |= item < count ? (readerMark.get(item) ?? 0) : (inner.get(wires.innerWire[t]) ?? 0);
      mark |= into.target[t];
    }
    return mark;
  };
  for (const wire of own.filter(w => wires.source[w] < 0).sort((a, b) => groupDepth(b) - groupDepth(a)))
    inner.set(wire, throughTargets(wire));
  let outside = 0; // outgoing wires are around one another: what is reached outside leaves those inside
  for (const wire of own.filter(w => wires.source[w] >= 0).sort((a, b) => groupDepth(a) - groupDepth(b))) {
    into.out[wire] = outside;
    outside |= throughTargets(wire);
  }
}

/**
 * Spreads marks of nodes and edges to the items and lines of a tree: {item, target: of each target of a wire, out: of
 * each wire at its port}.
 */
export function spreadMarks(tree, {node, edge}) {
  const {graph, wires, parent, count} = tree,
    item = new Uint8Array(count + tree.groups.length),
    into = {
      target: new Uint8Array(wires.target.length),
      out: new Uint8Array(wires.value.length),
      group: groupsOfWires(tree),
    };
  item.set(node);
  for (let i = 0; i < count; i++)
    if (node[i])
      for (let outer = parent[i]; outer >= 0 && (item[outer] & node[i]) !== node[i]; outer = parent[outer])
        item[outer] |= node[i];
  const byValue = (tree.wiresByValue ??= indexBy(wires.value, count)),
    {start, list, reader} = readersOf(graph);
  for (let value = 0; value < count; value++) {
    const readerMark = new Map();
    for (let k = start[value]; k < start[value + 1]; k++)
      if (edge[list[k]]) readerMark.set(reader[list[k]], edge[list[k]]);
    if (readerMark.size)
      markWires(
        tree,
        value,
        Array.from(byValue.list.subarray(byValue.start[value], byValue.start[value + 1])),
        readerMark,
        into,
      );
  }
  return {item, target: into.target, out: into.out};
}

/* What each mark of the lines of a group is for, as a text that is the same in all instances of a repeat: act(text,
   list, position). */
function eachLine({wires, count}, {target, out}, group, act) {
  for (let k = wires.start[group.id - count]; k < wires.start[group.id - count + 1]; k++) {
    const wire = wires.list[k],
      from =
        wires.source[wire] < 0
          ? `in ${wires.inPort[wire]}`
          : `${wires.source[wire]} ${wires.sourceWire[wire] < 0 ? 0 : wires.outPort[wires.sourceWire[wire]]}`;
    act(from, out, wire);
    for (let t = wires.targetStart[wire]; t < wires.targetStart[wire + 1]; t++)
      act(`${from} ${wires.target[t]} ${wires.innerWire[t] < 0 ? 0 : wires.inPort[wires.innerWire[t]]}`, target, t);
  }
}

/* Gives the items and lines of groups that are alike the marks of all of them. */
function uniteGroups(tree, marks, groups) {
  const found = new Map(),
    [first] = groups;
  for (const group of groups)
    eachLine(tree, marks, group, (key, list, at) => found.set(key, (found.get(key) ?? 0) | list[at]));
  for (const group of groups)
    eachLine(tree, marks, group, (key, list, at) => {
      list[at] = found.get(key);
    });
  for (let slot = 0; slot < first.items.length; slot++) {
    const items = groups.map(group => group.items[slot]).filter(item => item !== undefined),
      inside = items.map(item => groupOf(tree, item)).filter(Boolean);
    const mark = items.reduce((sum, item) => sum | marks.item[item], 0);
    for (const item of items) marks.item[item] = mark;
    if (inside.length > 1) uniteGroups(tree, marks, inside);
  }
}

/**
 * Gives each instance of the folded repeats the marks of all of them: only one is drawn. `own` keeps the marks of the
 * items as they were.
 */
export function acrossInstances(tree, marks) {
  const own = marks.item.slice();
  for (const repeat of tree.groups)
    if (repeat.kind === REPEAT && repeat.state === OPEN)
      uniteGroups(
        tree,
        marks,
        Array.from(repeat.items, item => groupOf(tree, item)),
      );
  return {...marks, own};
}

/* The number of the group of each wire. */
function groupsOfWires(tree) {
  if (!tree.wireGroup) {
    tree.wireGroup = new Int32Array(tree.wires.value.length);
    for (let g = 0; g < tree.groups.length; g++)
      for (let k = tree.wires.start[g]; k < tree.wires.start[g + 1]; k++) tree.wireGroup[tree.wires.list[k]] = g;
  }
  return tree.wireGroup;
}

/**
 * The nodes up to a number of edges around some nodes, at most `most` of them, the nearest first; ascending. `cut` says
 * that there were more.
 */
export function neighborhood(graph, nodes, hops, most = 200) {
  const found = new Set(Array.from(nodes).slice(0, most));
  let level = [...found],
    cut = nodes.length > most;
  for (let hop = 0; hop < hops && level.length; hop++) {
    const next = [];
    for (const node of level) {
      for (const [, other] of [...edgesAt(graph, node, false), ...edgesAt(graph, node, true)]) {
        if (found.has(other)) continue;
        if (found.size >= most) {
          cut = true;
          break;
        }
        found.add(other);
        next.push(other);
      }
    }
    level = next;
  }
  return {nodes: Int32Array.from(found).sort(), cut};
}

/**
 * The graph of some nodes (ascending) and the edges between them. `origin` has the number of each node in the whole
 * graph.
 */
export function partOf(graph, nodes) {
  const at = new Int32Array(graph.count).fill(-1),
    pick = column => Array.from(nodes, node => column[node]);
  nodes.forEach((node, i) => {
    at[node] = i;
  });
  const inputCounts = [],
    inputs = [];
  nodes.forEach((node, i) => {
    const inside = edgesAt(graph, node, false)
      .map(([, from]) => at[from])
      .filter(from => from >= 0);
    inputCounts.push(inside.length);
    inputs.push(...inside.map(from => i - from));
  });
  const bodies = graph.bodies.map(({name, owner}) => ({name, owner: owner >= 0 ? at[owner] : -1})),
    body = pick(graph.body).map(number => (number >= 0 && bodies[number].owner >= 0 ? number : -1));
  const part = makeGraph({
    kind: pick(graph.kind),
    name: pick(graph.names),
    op: pick(graph.op),
    ops: graph.ops,
    module: pick(graph.module),
    modules: graph.modules,
    inputCounts,
    inputs,
    hasLoops: graph.loops.from.length > 0,
    weights: pick(graph.weights),
    body,
    bodies,
    delegate: pick(graph.delegate),
    frame: pick(graph.frame),
    frames: graph.frames.map(({label}) => label),
  });
  return Object.assign(part, {
    notes: graph.notes && pick(graph.notes),
    origin: Int32Array.from(nodes, node => graph.origin?.[node] ?? node),
  });
}
