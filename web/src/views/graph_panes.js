// SPDX-License-Identifier: BSD-3-Clause
//
// graph_panes.js - the graphs that the view "Graph" draws: those of the method, and that of the base, with the
// operators of the method behind each node. It needs no page.

import {CLOSED, OPEN, leavesOf} from '../graph/groups.js';
import {readGraph} from '../graph/section.js';
import {neighborhood, partOf} from '../graph/walk.js';
import {layOut} from '../graph/worker.js';

export const TITLES = {aten: 'ATen', edge: 'Edge', program: 'Program', base: 'Base'};
/** The most nodes of a neighborhood. */
const MOST_AROUND = 200;

const readings = new WeakMap(); // section -> {key: what readGraph() returned}

/** Returns the names of the graphs of a section. */
export const namesOf = section => (section?.value?.list ?? []).map(({module}) => module);

/**
 * Reads a graph of a section, {graph, rowsOf, shape, bytes, total, nodesOf(row), sharers}, or null. Readings are kept.
 */
export function readingOf(section, name, method) {
  const found = section?.value?.list.find(({module}) => module === name);
  if (!found) return null;
  if (!readings.has(found))
    readings.set(found, withNodes(readGraph(found, section.value.types, method.operators, section.texts), method));
  return readings.get(found);
}

/* Adds the way back: the nodes of each operator, and how many share its time. */
function withNodes(reading, {operators}) {
  const nodes = new Map(),
    sharers = new Int32Array(operators.count);
  reading.rowsOf.forEach((rows, node) => {
    for (const row of rows) {
      if (!nodes.has(row)) nodes.set(row, []);
      nodes.get(row).push(node);
      sharers[row]++;
    }
  });
  return {...reading, sharers, nodesOf: row => nodes.get(row) ?? []};
}

/**
 * Returns the values of the nodes of a pane: those of the operators behind them. What adds up and has several nodes is
 * shared evenly, which `estimated` says; of what does not add up, the greatest counts.
 */
export function valuesOfNodes(pane, perRow, adds) {
  const {graph, rowsOf, sharers} = pane,
    values = new Float64Array(graph.count).fill(NaN),
    shared = new Uint8Array(graph.count);
  for (let node = 0; node < graph.count; node++) {
    for (const row of rowsOf(node)) {
      const value = perRow[row];
      if (value === undefined || Number.isNaN(value)) continue;
      if (adds) {
        values[node] = (values[node] || 0) + value / sharers[row];
        shared[node] |= sharers[row] > 1 && value !== 0 ? 1 : 0;
      } else if (!(values[node] >= value)) values[node] = value;
    }
  }
  return {values, shared};
}

const panes = new WeakMap(); // reading -> {key: pane}

/**
 * Returns a pane: {key, title, reading, graph, by, ready: a promise of the tree, tree: null until then, rowsOf(node),
 * nodesOf(row), sharers, shape(node), cut}. `around` are {rows, hops} of which only the
 * neighborhood is drawn, or null. `size` is about that of the pane on the page, {width, height}. Panes are kept with
 * what is open in them and where their chains break.
 */
export function paneOf(reading, key, by, around, size) {
  if (!panes.has(reading)) panes.set(reading, new Map());
  const kept = panes.get(reading),
    name = `${by} ${around ? `${around.hops} ${around.rows.join()}` : ''}`;
  if (!kept.has(name)) kept.set(name, makePane(reading, key, by, around, size));
  return kept.get(name);
}

function makePane(reading, key, by, around, size) {
  const {nodes, cut} = around
    ? neighborhood(
        reading.graph,
        [...new Set(Array.from(around.rows).flatMap(reading.nodesOf))],
        around.hops,
        MOST_AROUND,
      )
    : {nodes: null, cut: false};
  const graph = nodes ? partOf(reading.graph, nodes) : reading.graph,
    origin = node => (nodes ? nodes[node] : node),
    at = nodes && new Map(Array.from(nodes, (node, i) => [node, i]));
  const pane = {
    key,
    title: TITLES[key] ?? key,
    reading,
    graph,
    by,
    tree: null,
    cut,
    sharers: reading.sharers,
    rowsOf: node => reading.rowsOf[origin(node)],
    shape: node => reading.shape(origin(node)),
    bytes: node => reading.bytes(origin(node)),
    total: node => reading.total[origin(node)],
    typical: node => reading.typical[origin(node)],
    nodesOf: row =>
      at
        ? reading
            .nodesOf(row)
            .filter(node => at.has(node))
            .map(node => at.get(node))
        : reading.nodesOf(row),
  };
  const keep = tree => {
    pane.tree = tree;
    pane.graph = tree.graph;
    return tree;
  };
  const made = layOut(graph, {by, budget: 140, pane: size});
  pane.ready = made instanceof Promise ? made.then(keep) : Promise.resolve(keep(made));
  return pane;
}

/** Returns the operators of the method in an item of a pane, ascending. */
export function rowsInItem(pane, item) {
  return Int32Array.from(new Set(leavesOf(pane.tree, item).flatMap(node => Array.from(pane.rowsOf(node))))).sort();
}

/* ---- What is open, as a text for the address: "12o 15c 9u 8i3" ---- */

const LETTERS = 'cou';
const allStates = (tree, state) => tree.groups.map(({id}) => (id === tree.root ? OPEN : state));

/**
 * Returns what differs from the beginning by the groups' numbers, or, if that is shorter, from "all closed" ("*c") or
 * "all open" ("*o").
 */
export function openText(tree, before) {
  const from = (states, head) =>
    [
      ...head,
      ...tree.groups.flatMap((group, i) => [
        ...(group.state === states[i] ? [] : [`${i}${LETTERS[group.state]}`]),
        ...(group.chosen ? [`${i}i${group.chosen}`] : []),
      ]),
    ].join(' ');
  return [from(before, []), from(allStates(tree, CLOSED), ['*c']), from(allStates(tree, OPEN), ['*o'])].reduce(
    (least, said) => (said.length < least.length ? said : least),
  );
}

/**
 * Sets what a text says; all other groups are as at the beginning. `change` and `choose` are setState() and
 * chooseInstance().
 */
export function applyOpen(tree, before, said, {setState, chooseInstance}) {
  const states = said.startsWith('*') ? allStates(tree, LETTERS.indexOf(said[1])) : before.slice(),
    chosen = new Map();
  for (const [, number, letter, instance] of said.matchAll(/(\d+)([coui])(\d*)/g)) {
    if (!tree.groups[number]) continue;
    if (letter === 'i') chosen.set(Number(number), Number(instance));
    else states[number] = LETTERS.indexOf(letter);
  }
  let changed = false;
  tree.groups.forEach((group, i) => {
    if (group.state !== states[i]) {
      setState(tree, group, states[i]);
      changed = true;
    }
  });
  tree.groups.forEach((group, i) => {
    const instance = chosen.get(i) ?? 0;
    if (group.chosen !== instance && instance < group.items.length) {
      chooseInstance(tree, group, instance);
      changed = true;
    }
  });
  return changed;
}
