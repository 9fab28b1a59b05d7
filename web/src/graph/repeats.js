// SPDX-License-Identifier: BSD-3-Clause
//
// Repeated parts are drawn once: neighbouring modules `name.N` that are alike, and the steps of unrolled loops.
//
// Two parts are alike if they have the same operators in the same modules, wired alike. Shapes and weights may differ. What comes from outside is
// numbered by first use, so that the ports of all instances of a repeat have the same numbers.

import {MODULE, REPEAT, STEP, CONTROL, DELEGATE, addGroup, leavesOf} from './groups.js';
import {hashText, mix} from './lists.js';

/* Fewer are drawn one by one. */
const MIN_INSTANCES = 3;
/* A shorter sequence of operators is no step of a loop: `add, relu, add, relu` is just that. */
const MIN_PERIOD = 3;
/* Distances that are tried as the period of a sequence, the most frequent first. */
const MAX_PERIODS = 6;

/* Hash of the modules and bodies between a depth and a node. Numbers in the names of bodies, control flow and delegates count instances. */
function scopeHash(tree, scope, depth) {
  let hash = 1;
  for (let at = scope; tree.scopes.depth[at] > depth; at = tree.scopes.parent[at]) {
    const kind = tree.scopes.kind[at], label = tree.scopes.label[at];
    hash = mix(hash, kind === CONTROL || kind === DELEGATE ? kind : hashText(kind === MODULE ? label : label.replace(/\d+/g, '')));
  }
  return hash;
}

/* Hash of the operators and wires of a part, whose leaves are in program order; `depth` is that of its scope. */
function fingerprint(tree, leaves, depth) {
  const {graph, position, scopeOf} = tree, outside = new Map(), scopes = new Map();
  let hash = mix(7, leaves.length);
  for (let i = 0; i < leaves.length; i++) position[leaves[i]] = i;
  for (let i = 0; i < leaves.length; i++) {
    const leaf = leaves[i], scope = scopeOf[leaf];
    if (!scopes.has(scope)) scopes.set(scope, scopeHash(tree, scope, depth));
    hash = mix(mix(hash, graph.op[leaf]), scopes.get(scope));
    for (let e = graph.start[leaf]; e < graph.start[leaf + 1]; e++) {
      const from = graph.from[e];
      if (position[from] < 0 && !outside.has(from)) outside.set(from, outside.size);
      hash = mix(hash, position[from] < 0 ? -1 - outside.get(from) : i - position[from]);
    }
  }
  for (const leaf of leaves) position[leaf] = -1;
  return hash;
}

/* Leaves of several items, while the tree is still being filled. */
const leavesOfAll = (tree, items) => items.flatMap(item => leavesOf(tree, item)).sort((a, b) => a - b);

const scopeDepth = (tree, group) => tree.scopes.depth[group.scope];

/* The number of a repeat that holds these items of a group. If they are all items of a module, that module becomes the repeat. */
function makeRepeat(tree, group, items, label) {
  const whole = items.length === group.items.length && group.kind === MODULE && group.scope > 0;
  if (whole) { group.kind = REPEAT; group.label = `${group.label}.*`; return group.id; }
  const repeat = addGroup(tree, REPEAT, label, group.scope, group.path);
  repeat.items = items;
  return repeat.id;
}

/* Whether no path leads from some leaves to others outside and back, in which case one box for them would be in a circle. */
function isConvex({graph, position}, leaves) {
  const outside = new Set();
  let found = false;
  for (const leaf of leaves) position[leaf] = 0;
  for (let node = leaves[0]; node <= leaves.at(-1) && !found; node++) {
    for (let e = graph.start[node]; e < graph.start[node + 1]; e++) {
      const from = graph.from[e];
      if (position[node] < 0 && (position[from] >= 0 || outside.has(from))) outside.add(node);
      found ||= position[node] >= 0 && outside.has(from);
    }
  }
  for (const leaf of leaves) position[leaf] = -1;
  return !found;
}

/* Neighbouring modules `name.N` that are alike. */
function foldModules(tree, group) {
  const prints = group.items.map(item => {
    const child = item < tree.count ? null : tree.groups[item - tree.count];
    if (!child || child.kind !== MODULE || !/\d$/.test(child.label)) return null;
    return `${child.label.replace(/\d+$/, '')} ${fingerprint(tree, leavesOf(tree, child.id), scopeDepth(tree, child))}`;
  });
  const items = [];
  for (let i = 0, next; i < prints.length; i = next) {
    for (next = i + 1; next < prints.length && prints[i] !== null && prints[next] === prints[i]; next++);
    const run = group.items.slice(i, next), label = at => tree.groups[run.at(at) - tree.count].label;
    if (run.length < MIN_INSTANCES || !isConvex(tree, leavesOfAll(tree, run))) items.push(...run);
    else items.push(makeRepeat(tree, group, run, `${label(0)} … ${/\d+$/.exec(label(-1))[0]}`));
  }
  if (group.kind !== REPEAT) group.items = items;
}

/* Distances at which the operators of a sequence recur, the most frequent first. */
function likelyPeriods(sequence) {
  const latest = new Map(), seen = new Map();
  for (let i = 0; i + 2 < sequence.length; i++) {
    const words = mix(mix(sequence[i], sequence[i + 1]), sequence[i + 2]), before = latest.get(words);
    if (before !== undefined) seen.set(i - before, (seen.get(i - before) ?? 0) + 1);
    latest.set(words, i);
  }
  return [...seen].filter(([period, times]) => period >= MIN_PERIOD && times >= period).sort((a, b) => b[1] - a[1]).slice(0, MAX_PERIODS).map(([period]) => period).sort((a, b) => a - b);
}

/* Where a sequence has at least three instances of one period: [first, instances], not overlapping. */
function periodicParts(sequence, period) {
  const parts = [];
  for (let i = 0, same = 0; i + period <= sequence.length; i++) {
    if (i + period < sequence.length && sequence[i] === sequence[i + period] && sequence[i] !== null) { same++; continue; }
    const instances = Math.floor(same / period) + 1;
    if (instances >= MIN_INSTANCES) parts.push([i - same, instances]);
    same = 0;
  }
  return parts;
}

/* Replaces the steps of an unrolled loop by a repeat: parts of the items with one period that are wired alike. Items that
   overlap in program order are in no step, so that steps cannot form a circle. */
function foldSteps(tree, group) {
  let {items} = group;
  const print = item => {
    if (item < tree.count) return tree.graph.kind[item] === 0 ? tree.graph.op[item] : null;
    const child = tree.groups[item - tree.count];
    return child.kind === REPEAT || child.kind === STEP ? null : mix(fingerprint(tree, leavesOf(tree, item), scopeDepth(tree, child)), -2);
  };
  const sequence = items.map(print);
  for (let i = 0, end = -1, previous = -1; i < items.length; i++) {
    const leaves = items[i] < tree.count ? [items[i]] : leavesOf(tree, items[i]);
    if (leaves[0] < end) { sequence[i] = null; sequence[previous] = null; }
    if (leaves.at(-1) > end) { end = leaves.at(-1); previous = i; }
  }
  for (const period of likelyPeriods(sequence)) {
    const kept = [], keptSequence = [];
    let at = 0;
    const keep = to => { for (; at < to; at++) { kept.push(items[at]); keptSequence.push(sequence[at]); } };
    for (const [first, instances] of periodicParts(sequence, period)) {
      const steps = Array.from({length: instances}, (_, i) => items.slice(first + i * period, first + (i + 1) * period));
      const prints = steps.map(step => fingerprint(tree, leavesOfAll(tree, step), scopeDepth(tree, group)));
      for (let i = 0, next; i < instances; i = next) {
        for (next = i + 1; next < instances && prints[next] === prints[i]; next++);
        if (next - i < MIN_INSTANCES) continue;
        keep(first + i * period);
        kept.push(makeLoop(tree, group, steps.slice(i, next)));
        keptSequence.push(null);
        at = first + next * period;
      }
    }
    keep(items.length);
    items = kept;
    sequence.splice(0, sequence.length, ...keptSequence);
  }
  group.items = items;
}

/* A repeat whose instances are the steps of a loop. */
function makeLoop(tree, group, steps) {
  const repeat = addGroup(tree, REPEAT, 'steps', group.scope, group.path);
  repeat.items = steps.map((items, i) => {
    const step = addGroup(tree, STEP, `step ${i + 1}`, group.scope, group.path);
    step.items = items;
    return step.id;
  });
  return repeat.id;
}

/** Folds the repeated parts of a tree of groups that is filled and not yet numbered. */
export function foldRepeats(tree) {
  for (let i = 0; i < tree.groups.length; i++) {  // the list grows: repeats and steps are at its end
    const group = tree.groups[i];
    if (group.kind === REPEAT || group.kind === STEP) continue;
    foldModules(tree, group);
    if (group.kind !== REPEAT) foldSteps(tree, group);
  }
}
