// SPDX-License-Identifier: BSD-3-Clause
//
// What boxes are coloured and labelled by: values of nodes, their sums in groups and over the instances of a folded repeat.
//
// An overlay is {name, values: of each node, NaN if it has none, adds: whether values of several nodes add up (otherwise the greatest counts),
// scale: 'heat', 'change' or 'category', categories: texts, text(value), estimated and hatched: bitmaps of nodes, hottest: the greatest value of graphs beside it, which share the scale}.

import {medianOf} from '../base/columns.js';
import {OPEN, REPEAT, groupOf} from './groups.js';

/** The number of steps of a scale of colours. */
export const STEPS = 32;
/* A step that was not looked for yet. */
const UNKNOWN = -1e9;

/** Values of all items: of groups the sum, or the greatest, of what is inside. `hottest` is the greatest value of a node, `whole` that of the root. */
export function spread(tree, overlay) {
  const {count, parent} = tree, items = count + tree.groups.length, values = new Float64Array(items).fill(NaN), most = new Float64Array(items).fill(NaN), flags = new Uint8Array(items);
  let hottest = 0;
  for (let node = 0; node < count; node++) {
    const value = overlay.values[node], flag = (overlay.estimated?.[node] ? 1 : 0) | (overlay.hatched?.[node] ? 2 : 0);
    values[node] = most[node] = value;
    flags[node] = flag;
    if (Number.isNaN(value) && !flag) continue;
    hottest = Math.max(hottest, Math.abs(value) || 0);
    for (let outer = parent[node]; outer >= 0; outer = parent[outer]) {
      flags[outer] |= flag & 1;
      if (Number.isNaN(value)) continue;
      const greater = Number.isNaN(most[outer]) || Math.abs(value) > Math.abs(most[outer]);
      if (overlay.scale === 'category') { most[outer] = values[outer] = Number.isNaN(most[outer]) || most[outer] === value ? value : -1; continue; }
      if (greater) most[outer] = value;
      values[outer] = overlay.adds ? (values[outer] || 0) + value : most[outer];
    }
  }
  hottest = Math.max(hottest, overlay.hottest ?? 0);
  return {overlay, values, most, flags, hottest, whole: values[tree.root], peers: new Map(), steps: new Float64Array(items).fill(UNKNOWN)};
}

/** The items at the same place in all instances of the folded repeats around an item, itself included. */
export function peersOf(tree, item, known = new Map()) {
  if (known.has(item)) return known.get(item);
  const outer = tree.parent[item];
  let peers = [item];
  if (outer >= 0) {
    const around = groupOf(tree, outer), same = peersOf(tree, outer, known), folded = around.kind === REPEAT && around.state === OPEN;
    if (folded || same.length > 1) peers = same.flatMap(other => { const {items} = groupOf(tree, other); return folded ? Array.from(items) : [items[tree.slot[item]]]; });
  }
  known.set(item, peers);
  return peers;
}

/** What is shown of an item: {value, median, instances, estimated, hatched}; inside a folded repeat the sum and the median of all instances. */
export function valueOf(tree, shown, item) {
  const peers = peersOf(tree, item, shown.peers), {values, flags} = shown, estimated = peers.some(peer => flags[peer] & 1), hatched = (flags[item] & 2) > 0;
  if (peers.length === 1) return {value: values[item], median: NaN, instances: 1, estimated, hatched};
  const known = peers.map(peer => values[peer]).filter(value => !Number.isNaN(value)).sort((a, b) => a - b);
  const value = known.length === 0 ? NaN : shown.overlay.scale === 'category' ? (known[0] === known.at(-1) ? known[0] : -1) : shown.overlay.adds ? known.reduce((a, b) => a + b, 0) : known.at(-1);
  return {value, median: medianOf(known), instances: peers.length, estimated, hatched};
}

/** Forgets what depends on which repeats are folded. */
export function forgetPeers(shown) {
  shown.peers.clear();
  shown.steps.fill(UNKNOWN);
}

/** The step of the colour of an item, 0 to STEPS; -STEPS to STEPS on a scale of changes; the number of a category, -1 for several, or NaN for none. */
export function stepOf(tree, shown, item) {
  if (shown.steps[item] === UNKNOWN) shown.steps[item] = findStep(tree, shown, item);
  return shown.steps[item];
}

function findStep(tree, shown, item) {
  const {overlay, most, hottest} = shown, peers = peersOf(tree, item, shown.peers);
  if (overlay.scale === 'category') return valueOf(tree, shown, item).value;
  let value = NaN;
  for (const peer of peers) if (Number.isNaN(value) || Math.abs(most[peer]) > Math.abs(value)) value = most[peer];
  if (!(hottest > 0) || Number.isNaN(value)) return 0;
  return Math.sign(value) * Math.round(STEPS * Math.sqrt(Math.min(1, Math.abs(value) / hottest)));
}
