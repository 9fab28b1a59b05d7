// SPDX-License-Identifier: BSD-3-Clause
//
// What boxes are colored and labeled by: values of nodes, their sums in groups and over the instances of a folded
// repeat. The color of a node and its number say the same value.
//
// hueOf(node): in which hue a node is on the scale 'heat', full: the value from which a color is full, if it is not
// that of the greatest, hues: those of categories.
// An overlay is {name, values: of each node, NaN if it has none, adds: whether values of several nodes add up
// (otherwise the greatest counts), scale: 'heat', 'change' or 'category', categories: texts,
// ofModule(path): the value of a module with all below it, where that is more than its nodes here, text(value),
// long(value): with all digits, none(node): what is written where a node has no value, clock: the step of each node's
// clock: a shorter time is counted as 0, estimated, hatched and judged: bitmaps of nodes, judgedModule(path): whether
// the change of a module is known to be more than noise; a change that is not is gray. Without `judged` all are}.

import {medianOf} from '../base/columns.js';
import {about} from '../base/format.js';
import {MODULE, REPEAT, UNFOLDED, groupOf} from './groups.js';
import {indexBy} from './lists.js';

/** The number of steps of a scale of colors. */
export const STEPS = 32;
/* A step or median that was not looked for yet. */
const UNKNOWN = -1e9;
const JUDGED = 4; // flag of an item whose change is more than noise, or that has such a node in it

const greater = (a, b) => (Number.isNaN(b) || Math.abs(a) > Math.abs(b) ? a : b);

/* A value that is added to those before: their sum, the greatest of them, or the category that all have. */
function joined({adds, scale}, before, value) {
  if (Number.isNaN(value) || Number.isNaN(before)) return Number.isNaN(before) ? value : before;
  return scale === 'category' ? (before === value ? value : -1) : adds ? before + value : greater(value, before);
}

/**
 * Values of all items: of groups those of what is inside, joined. `hottest` is the value at the end of the scale,
 * `whole` that of the root; see fold() for the others.
 */
export function spread(tree, overlay) {
  const {count, parent} = tree,
    items = count + tree.groups.length,
    values = new Float64Array(items).fill(NaN),
    flags = new Uint8Array(items),
    bounds = new Float64Array(items),
    guessed = new Float64Array(items); // the estimated part of the value of each group
  for (let node = 0; node < count; node++) {
    const value = overlay.values[node],
      flag =
        (overlay.estimated?.[node] ? 1 : 0) |
        (overlay.hatched?.[node] ? 2 : 0) |
        ((overlay.judged?.[node] ?? 1) * JUDGED),
      bound = value === 0 ? overlay.clock?.[node] || 0 : 0;
    values[node] = value;
    flags[node] = flag;
    bounds[node] = bound;
    if (Number.isNaN(value)) continue;
    for (let outer = parent[node]; outer >= 0; outer = parent[outer]) {
      flags[outer] |= flag & JUDGED;
      if (flag & 1) guessed[outer] += value;
      values[outer] = joined(overlay, values[outer], value);
      bounds[outer] += bound;
    }
  }
  for (const {id} of tree.groups) if (about(guessed[id], values[id])) flags[id] |= 1;
  if (overlay.ofModule) putModules(tree, overlay, values, flags);
  const shown = {
    overlay,
    values,
    flags,
    bounds,
    whole: values[tree.root],
    unfolded: null,
    steps: new Float64Array(items),
  };
  fold(tree, shown);
  return shown;
}

/* Whether an item stands for all nodes of a module: it is in modules alone, and the only box of its path. */
function isWholeModule(tree, group, boxes) {
  for (let at = group; at; at = at.parent < 0 ? null : groupOf(tree, at.parent))
    if (at.kind !== MODULE && at.kind !== REPEAT) return false;
  return group.kind === MODULE && boxes.get(group.path) === 1;
}

/* Replaces the sums of modules by what the overlay says of them: a comparison knows of nodes that are gone. */
function putModules(tree, overlay, values, flags) {
  const boxes = new Map();
  for (const {kind, path} of tree.groups) if (kind === MODULE) boxes.set(path, (boxes.get(path) ?? 0) + 1);
  for (const group of tree.groups.toReversed()) {
    const value = isWholeModule(tree, group, boxes) ? overlay.ofModule(group.path) : NaN,
      isKnown = !Number.isNaN(value);
    if (!isKnown && group.kind !== REPEAT) {
      if (group.kind === MODULE) flags[group.id] &= ~JUDGED; // nobody judged a part of a module
      continue;
    }
    const isJudgedGroup = isKnown ? overlay.judgedModule(group.path) : group.items.some(item => flags[item] & JUDGED);
    values[group.id] = isKnown ? value : group.items.reduce((sum, item) => joined(overlay, sum, values[item]), NaN);
    flags[group.id] = (flags[group.id] & ~JUDGED) | (isJudgedGroup ? JUDGED : 0);
  }
}

/* The item at the same place in the first instance of the folded repeats around each item. */
function representatives(tree) {
  const of = Int32Array.from({length: tree.count + tree.groups.length}, (_, item) => item);
  for (const stack = [tree.root]; stack.length;) {
    const group = groupOf(tree, stack.pop()),
      {items} = groupOf(tree, of[group.id]),
      isFolded = group.kind === REPEAT && group.state !== UNFOLDED;
    group.items.forEach((item, slot) => {
      of[item] = items[isFolded ? 0 : slot] ?? item;
      if (item >= tree.count) stack.push(item);
    });
  }
  return of;
}

/**
 * Joins the instances of folded repeats: `first` is the representative of each item, which has what is joined of all of
 * them; `most` is the greatest value of a node in each item, or the change of all of it, `hot` that node, `own` the
 * greatest of all.
 */
export function fold(tree, shown) {
  const unfolded = tree.groups
    .filter(({state}) => state === UNFOLDED)
    .map(({id}) => id)
    .join();
  if (unfolded === shown.unfolded) return;
  const {overlay, values, flags, bounds} = shown,
    first = representatives(tree),
    items = first.length,
    sums = new Float64Array(items).fill(NaN),
    most = new Float64Array(items).fill(NaN),
    allFlags = new Uint8Array(items),
    allBounds = new Float64Array(items);
  for (let item = 0; item < items; item++) {
    const at = first[item];
    sums[at] = joined(overlay, sums[at], values[item]);
    allFlags[at] |= flags[item];
    allBounds[at] += bounds[item];
  }
  const hot = Int32Array.from({length: items}, (_, item) => item);
  let own = 0;
  for (let node = 0; node < tree.count; node++) {
    const value = (most[node] = sums[first[node]]);
    if (Number.isNaN(value)) continue;
    own = Math.max(own, Math.abs(value));
    for (let outer = tree.parent[node]; outer >= 0; outer = tree.parent[outer]) {
      if (Number.isNaN(most[outer]) || Math.abs(value) > Math.abs(most[outer])) hot[outer] = node;
      most[outer] = overlay.scale === 'category' ? joined(overlay, most[outer], value) : greater(value, most[outer]);
    }
  }
  /* What became faster is not red because its new parts are: a group has the change of all inside. */
  if (overlay.scale === 'change') for (const {id} of tree.groups) most[id] = sums[first[id]];
  Object.assign(shown, {
    unfolded,
    first,
    peers: indexBy(first, items),
    sums,
    most,
    hot,
    allFlags,
    allBounds,
    own,
    medians: new Float64Array(items).fill(UNKNOWN),
  });
  setScale(shown, own);
}

/** Sets the value at the end of the scale: graphs side by side share it. */
export function setScale(shown, hottest) {
  shown.hottest = hottest;
  shown.steps.fill(UNKNOWN);
}

/** The items at the same place in all instances of the folded repeats around an item, itself included. */
export const peersOf = ({first, peers: {start, list}}, item) =>
  list.subarray(start[first[item]], start[first[item] + 1]);

/**
 * What is shown of an item: {value, median: of the instances, instances, estimated, hatched, bound: what 0 may hide};
 * inside a folded repeat of all instances.
 */
export function valueOf(tree, shown, item) {
  const at = shown.first[item],
    peers = peersOf(shown, item),
    instances = peers.length;
  if (shown.medians[at] === UNKNOWN)
    shown.medians[at] =
      instances < 2
        ? NaN
        : medianOf(
            Array.from(peers, peer => shown.values[peer])
              .filter(value => !Number.isNaN(value))
              .sort((a, b) => a - b),
          );
  return {
    value: shown.sums[at],
    median: shown.medians[at],
    instances,
    estimated: (shown.allFlags[at] & 1) > 0,
    hatched: (shown.flags[item] & 2) > 0,
    bound: shown.allBounds[at],
  };
}

/**
 * The texts of an item: {number, median: of one instance if there are several}. `write` is `text` or `long` of the
 * overlay. A time of 0 is less than the step of the clock, not nothing.
 */
export function textsOf(tree, shown, item, write = shown.overlay.text) {
  const {value, median, instances, bound} = valueOf(tree, shown, item),
    {overlay, values, bounds} = shown;
  const written = (of, act, least) =>
      Number.isNaN(of) ? '' : of === 0 && least > 0 ? `<${act(least).replace('<', '')}` : act(of),
    none = item < tree.count ? overlay.none?.(item) : '';
  const zero = median === 0 ? peersOf(shown, item).find(peer => values[peer] === 0) : undefined;
  return {
    number: written(value, write, bound) || none || '',
    median: instances > 1 && overlay.adds ? written(median, write, bounds[zero]) : '',
  };
}

/**
 * The step of the color of an item, 0 to STEPS; -STEPS to STEPS on a scale of changes; the number of a category, -1
 * for several, or NaN for none. A value of 0 is on a scale.
 */
export function stepOf(tree, shown, item) {
  if (shown.steps[item] === UNKNOWN) shown.steps[item] = findStep(shown, shown.most[item]);
  return shown.steps[item];
}

/** Whether the change of an item, or of some node in it, is more than noise. */
export const isJudged = (shown, item) => (shown.allFlags[shown.first[item]] & JUDGED) > 0;

function findStep({overlay, hottest}, value) {
  if (overlay.scale === 'category' || Number.isNaN(value)) return value;
  const part = Math.abs(value) / (overlay.full ?? hottest) || 0;
  return Math.sign(value) * Math.round(STEPS * Math.sqrt(Math.min(1, part)));
}
