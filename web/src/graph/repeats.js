// SPDX-License-Identifier: BSD-3-Clause
//
// Repeated parts are drawn once: neighboring modules `name.N` that are alike, and the steps of unrolled loops.
//
// Two parts are alike if they have the same operators in the same modules, wired alike. Shapes and weights may differ.
// What comes from outside is
// numbered by first use, so that the ports of all instances of a repeat have the same numbers.

import {MODULE, REPEAT, STEP, CONTROL, DELEGATE, addGroup, leavesOf} from './groups.js';
import {hashText, mix} from './lists.js';

/* Fewer are drawn one by one. */
const MIN_INSTANCES = 3;
/* A shorter sequence of operators is no step of a loop: `add, relu, add, relu` is just that. */
const MIN_PERIOD = 3;
/* Distances that are tried as the period of a sequence, the most frequent first; and how often that is done, for
   loops around loops. */
const MAX_PERIODS = 8,
  MAX_NESTED = 8;
/* How many neighboring operators are looked for again, and in how many of the places before. */
const WORDS = [3, 12],
  LATEST = 4;
/* Places of a period that are tried as the beginning of a step. */
const MAX_CUTS = 4;

/* Hash of the modules and bodies between a depth and a node. Numbers in the names of bodies, control flow and
   delegates count instances. */
function scopeHash(tree, scope, depth) {
  let hash = 1;
  for (let at = scope; tree.scopes.depth[at] > depth; at = tree.scopes.parent[at]) {
    const kind = tree.scopes.kind[at],
      label = tree.scopes.label[at];
    hash = mix(
      hash,
      kind === CONTROL || kind === DELEGATE ? kind : hashText(kind === MODULE ? label : label.replace(/\d+/g, '')),
    );
  }
  return hash;
}

/* Hash of the operators and wires of a part, whose leaves are in program order; `depth` is that of its scope. */
function fingerprint(tree, leaves, depth) {
  const {graph, position, scopeOf} = tree,
    outside = new Map(),
    scopes = new Map();
  let hash = mix(7, leaves.length);
  for (let i = 0; i < leaves.length; i++) position[leaves[i]] = i;
  for (let i = 0; i < leaves.length; i++) {
    const leaf = leaves[i],
      scope = scopeOf[leaf];
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

/* The number of a repeat that holds these items of a group. If they are all items of a module, that module becomes
   the repeat. */
function makeRepeat(tree, group, items, label) {
  const whole = items.length === group.items.length && group.kind === MODULE && group.scope > 0;
  if (whole) {
    group.kind = REPEAT;
    group.label = `${group.label}.*`;
    return group.id;
  }
  const repeat = addGroup(tree, REPEAT, label, group.scope, group.path);
  repeat.items = items;
  return repeat.id;
}

/* Whether no path leads from some leaves to others outside and back, in which case one box for them would be in a
   circle. */
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

/* Neighboring modules `name.N` that are alike. */
function foldModules(tree, group) {
  const prints = group.items.map(item => {
    const child = item < tree.count ? null : tree.groups[item - tree.count];
    if (!child || child.kind !== MODULE || !/\d$/.test(child.label)) return null;
    return `${child.label.replace(/\d+$/, '')} ${fingerprint(tree, leavesOf(tree, child.id), scopeDepth(tree, child))}`;
  });
  const items = [];
  for (let i = 0, next; i < prints.length; i = next) {
    for (next = i + 1; next < prints.length && prints[i] !== null && prints[next] === prints[i]; next++);
    const run = group.items.slice(i, next),
      label = at => tree.groups[run.at(at) - tree.count].label;
    if (run.length < MIN_INSTANCES || !isConvex(tree, leavesOfAll(tree, run))) items.push(...run);
    else items.push(makeRepeat(tree, group, run, `${label(0)} … ${/\d+$/.exec(label(-1))[0]}`));
  }
  if (group.kind !== REPEAT) group.items = items;
}

/* Distances at which a few neighboring operators of a sequence recur, the most frequent first. The nearest place is
   not always in the layer before: a layer of a
   decoder has two attentions. */
function likelyPeriods(sequence) {
  const seen = new Map();
  for (const length of WORDS) {
    const places = new Map();
    for (let i = 0; i + length <= sequence.length; i++) {
      let word = length;
      for (let k = 0; k < length; k++) word = mix(word, sequence[i + k]);
      const before = places.get(word) ?? [];
      for (const place of before) seen.set(i - place, (seen.get(i - place) ?? 0) + 1);
      places.set(word, [...before.slice(1 - LATEST), i]);
    }
  }
  return [...seen]
    .filter(([period, times]) => period >= MIN_PERIOD && times >= period)
    .sort((a, b) => b[1] - a[1])
    .slice(0, MAX_PERIODS)
    .map(([period]) => period);
}

/* Whether a part of a sequence is a shorter one over and over: that is its step, or it is too short to be one. */
function hasShorter(sequence, first, period) {
  for (let shorter = 1; shorter <= period / 2; shorter++) {
    if (period % shorter) continue;
    let i = first;
    while (i < first + period - shorter && sequence[i] === sequence[i + shorter]) i++;
    if (i === first + period - shorter) return true;
  }
  return false;
}

/* Where a sequence has at least three instances of one period: [first, length], not overlapping. */
function periodicParts(sequence, period) {
  const parts = [];
  for (let i = 0, same = 0; i + period <= sequence.length; i++) {
    if (i + period < sequence.length && sequence[i] === sequence[i + period] && sequence[i] !== null) {
      same++;
      continue;
    }
    if (same + period >= MIN_INSTANCES * period && !hasShorter(sequence, i - same, period))
      parts.push({start: i - same, length: same + period});
    same = 0;
  }
  return parts;
}

/* What each item of a group is, as a number that is the same for items that are alike; null for what is in no step:
   inputs, outputs, and items that
   overlap in program order. Steps that do not overlap cannot form a circle. */
function sequenceOf(tree, {items}) {
  const sequence = items.map(item =>
    item >= tree.count
      ? mix(fingerprint(tree, leavesOf(tree, item), scopeDepth(tree, tree.groups[item - tree.count])), -2)
      : tree.graph.kind[item] === 0
        ? tree.graph.op[item]
        : null,
  );
  for (let i = 0, end = -1, previous = -1; i < items.length; i++) {
    const leaves = items[i] < tree.count ? [items[i]] : leavesOf(tree, items[i]);
    if (leaves[0] < end) {
      sequence[i] = null;
      sequence[previous] = null;
    }
    if (leaves.at(-1) > end) {
      end = leaves.at(-1);
      previous = i;
    }
  }
  return sequence;
}

/* How many values are alive before each node: made earlier, and read there or later. */
function livingValues({count, start, from}) {
  const last = Int32Array.from({length: count}, (_, node) => node),
    living = new Int32Array(count + 1);
  for (let node = 0; node < count; node++) for (let e = start[node]; e < start[node + 1]; e++) last[from[e]] = node;
  for (let node = 0; node < count; node++) {
    living[node + 1]++;
    living[last[node] + 1]--;
  }
  for (let node = 0; node < count; node++) living[node + 1] += living[node];
  return living;
}

/* Whether the second of two steps reads what the first makes. Parts side by side, such as the projections of
   attention, are no loop. */
function isChained({graph}, before, after) {
  const made = new Set(before);
  return after.some(node => {
    for (let e = graph.start[node]; e < graph.start[node + 1]; e++) if (made.has(graph.from[e])) return true;
    return false;
  });
}

/* The loops with a period from `first` on: {first, period, instances, print: what a step is}. Their steps are wired
   alike, and each reads the one before. */
function loopsFrom(tree, group, first, period, end) {
  const found = [],
    steps = [];
  for (let at = first; at + period <= end; at += period)
    steps.push(leavesOfAll(tree, group.items.slice(at, at + period)));
  const prints = steps.map(step => fingerprint(tree, step, scopeDepth(tree, group)));
  for (let i = 0, next; i < prints.length; i = next) {
    for (
      next = i + 1;
      next < prints.length && prints[next] === prints[i] && isChained(tree, steps[next - 1], steps[next]);
      next++
    );
    if (next - i >= MIN_INSTANCES)
      found.push({first: first + i * period, period, instances: next - i, print: prints[i]});
  }
  return found;
}

/* The loops of one period in a part of a sequence. A step begins where the fewest values are alive, unless that
   makes fewer steps than the first place that is possible. */
function loopsIn(tree, group, {start, length}, period) {
  const living = Array.from({length: period}, (_, i) => {
    const item = group.items[start + period + i];
    return tree.living[item < tree.count ? item : leavesOf(tree, item)[0]];
  });
  const fewest = living.reduce((a, b) => Math.min(a, b), Infinity),
    cuts = [...living.keys()].filter(i => living[i] === fewest).slice(0, MAX_CUTS),
    steps = loops => loops.reduce((sum, {instances}) => sum + instances, 0);
  let best = [];
  for (const cut of new Set([...cuts, 0])) {
    const loops = loopsFrom(tree, group, start + cut, period, start + length);
    if (steps(loops) > steps(best)) best = loops;
  }
  return best;
}

/* The loops of a sequence that do not overlap, in its order; those that cover the most items win. */
function findLoops(tree, group, sequence) {
  const taken = new Uint8Array(sequence.length),
    found = likelyPeriods(sequence).flatMap(period =>
      periodicParts(sequence, period).flatMap(part => loopsIn(tree, group, part, period)),
    );
  return found
    .sort((a, b) => b.period * b.instances - a.period * a.instances || a.period - b.period)
    .filter(({first, period, instances}) => {
      const own = taken.subarray(first, first + period * instances),
        isFree = !own.includes(1);
      if (isFree) own.fill(1);
      return isFree;
    })
    .sort((a, b) => a.first - b.first);
}

/* Replaces the steps of unrolled loops by repeats: parts of the items with one period. A loop that is folded is one
   item, so that a loop around it folds as well. */
function foldSteps(tree, group) {
  let sequence = sequenceOf(tree, group);
  for (let round = 0; round < MAX_NESTED; round++) {
    const loops = findLoops(tree, group, sequence),
      items = [],
      kept = [];
    if (loops.length === 0) return;
    for (let i = 0, next = 0; i < sequence.length;) {
      const {first, period, instances, print} = loops[next] ?? {};
      if (i !== first) {
        items.push(group.items[i]);
        kept.push(sequence[i++]);
        continue;
      }
      items.push(
        makeLoop(
          tree,
          group,
          Array.from({length: instances}, (_, step) => group.items.slice(i + step * period, i + (step + 1) * period)),
        ),
      );
      kept.push(mix(print, instances));
      i += period * instances;
      next++;
    }
    group.items = items;
    sequence = kept;
  }
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
  tree.living = livingValues(tree.graph);
  for (let i = 0; i < tree.groups.length; i++) {
    // the list grows: repeats and steps are at its end
    const group = tree.groups[i];
    if (group.kind === REPEAT) continue;
    if (group.kind !== STEP) foldModules(tree, group);
    if (group.kind !== REPEAT) foldSteps(tree, group);
  }
}
