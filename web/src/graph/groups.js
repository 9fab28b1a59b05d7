// SPDX-License-Identifier: BSD-3-Clause
//
// The tree of groups over the nodes of a graph: modules, delegates, control flow and its bodies, repeated parts.
//
// Items are numbers: 0 to count - 1 are the nodes of the graph, and count + g is group g. All is plain data, so that a
// worker can send it.

import {components} from './components.js';
import {indexBy} from './lists.js';
import {foldRepeats} from './repeats.js';
import {wireGroups} from './wires.js';

/** The kinds of groups. A repeat holds instances: modules that are alike, or steps of an unrolled loop. */
export const MODULE = 0,
  REPEAT = 1,
  STEP = 2,
  CONTROL = 3,
  BODY = 4,
  DELEGATE = 5;

/** What a group shows: nothing, its items (of a repeat: one instance), or all instances of a repeat. */
export const CLOSED = 0,
  OPEN = 1,
  UNFOLDED = 2;

/* Deeper groups are not drawn as boxes of their own: their nodes are in the box at this depth. */
const MAX_DEPTH = 64;

// ---- Scopes: the path of groups from the root to a node
// ---------------------------------------------------------------

/* The scopes of a graph: a scope is a group's label and kind below another scope; scope 0 is the root. */
class Scopes {
  constructor(graph, by) {
    this.graph = graph;
    this.by = by;
    this.label = [''];
    this.kind = [MODULE];
    this.parent = [-1];
    this.depth = [0];
    this.found = new Map();
    this.ofKey = new Map();
    this.cut = 0;
  }

  enter(parent, kind, label) {
    if (this.depth[parent] >= MAX_DEPTH) {
      this.cut++;
      return parent;
    }
    const key = `${parent} ${kind} ${label}`,
      known = this.found.get(key);
    if (known !== undefined) return known;
    this.label.push(label);
    this.kind.push(kind);
    this.parent.push(parent);
    this.depth.push(this.depth[parent] + 1);
    this.found.set(key, this.label.length - 1);
    return this.label.length - 1;
  }

  enterModules(parent, path, from) {
    let scope = parent;
    for (let i = from; i < path.length && i < MAX_DEPTH + from; i++) scope = this.enter(scope, MODULE, path[i]);
    if (path.length > MAX_DEPTH + from) this.cut++;
    return scope;
  }

  /* The scope of a node. Bodies are inside their operator; a delegate is inside the module that all its nodes share. */
  of(node) {
    const {graph, by} = this,
      body = graph.body[node],
      delegate = graph.frame[node],
      owns = graph.owns[node];
    if (by === 'flat') return 0;
    const key = `${graph.box[node]} ${body} ${delegate} ${owns ? node : -1}`,
      known = this.ofKey.get(key);
    if (known !== undefined) return known;
    const module = graph.boxes[graph.box[node]] ?? '',
      path = module === '' || by === 'delegate' ? [] : module.split('.');
    let scope = 0,
      entered = 0;
    if (body >= 0) scope = this.enter(this.of(graph.bodies[body].owner), BODY, graph.bodies[body].name);
    if (delegate >= 0) {
      const {label, path: around} = graph.frames[delegate];
      if (by !== 'delegate') {
        scope = this.enterModules(scope, around, 0);
        entered = Math.min(around.length, path.length);
      }
      scope = this.enter(scope, DELEGATE, label);
    }
    scope = this.enterModules(scope, path, entered);
    if (owns) scope = this.enter(scope, CONTROL, graph.names[node]);
    this.ofKey.set(key, scope);
    return scope;
  }

  /* The scopes from the root's child down to each scope. */
  paths() {
    const paths = [[]];
    for (let scope = 1; scope < this.label.length; scope++) paths.push([...paths[this.parent[scope]], scope]);
    return paths;
  }
}

// ---- Filling the tree
// -------------------------------------------------------------------------------------------------

/** Appends a group without items and returns it. */
export function addGroup(tree, kind, label, scope, path) {
  const group = {
    id: tree.count + tree.groups.length,
    kind,
    label,
    scope,
    path,
    parent: -1,
    items: [],
    state: CLOSED,
    chosen: 0,
    leaves: 0,
    first: -1,
    last: -1,
    structure: null,
    layout: null,
  };
  tree.groups.push(group);
  return group;
}

/* A module that is called twice, with others between the calls that read the first and are read by the second, would be
   in a circle. Only such
   modules become several boxes, one for each uninterrupted part. Renumbers `keys` and returns how many there are. */
function splitCircles(tree, leaves, keys, count) {
  const last = new Int32Array(count),
    first = new Int32Array(count).fill(-1),
    {graph, position} = tree;
  let overlap = false;
  for (let i = 0; i < leaves.length; i++) {
    if (first[keys[i]] < 0) first[keys[i]] = i;
    last[keys[i]] = i;
  }
  for (let i = 0, reach = -1; i < leaves.length && !overlap; i++)
    if (first[keys[i]] === i) {
      overlap = i < reach;
      reach = Math.max(reach, last[keys[i]]);
    }
  if (!overlap) return count;
  const heads = [],
    tails = [];
  for (let i = 0; i < leaves.length; i++) position[leaves[i]] = i;
  for (let i = 0; i < leaves.length; i++) {
    for (let e = graph.start[leaves[i]]; e < graph.start[leaves[i] + 1]; e++) {
      const from = position[graph.from[e]];
      if (from >= 0 && keys[from] !== keys[i]) {
        heads.push(keys[from]);
        tails.push(keys[i]);
      }
    }
  }
  for (const leaf of leaves) position[leaf] = -1;
  const {start, list} = indexBy(heads, count),
    component = components({start, list: list.map(edge => tails[edge])}, count);
  const size = new Int32Array(count),
    latest = new Int32Array(count).fill(-1),
    part = new Int32Array(count).fill(-1);
  for (const c of component) size[c]++;
  let total = count;
  for (let i = 0; i < leaves.length; i++) {
    const key = keys[i],
      circle = component[key];
    if (size[circle] < 2) continue;
    if (latest[circle] !== key) part[key] = part[key] < 0 ? key : total++;
    latest[circle] = key;
    keys[i] = part[key];
  }
  return total;
}

/* Distributes the leaves of a group to its children at a depth of the scopes. */
function fillGroup(tree, group, leaves, depth) {
  const {paths, scopeOf} = tree,
    keyOf = new Map(),
    keys = new Int32Array(leaves.length);
  let count = 0,
    nested = false;
  for (let i = 0; i < leaves.length; i++) {
    const scope = paths[scopeOf[leaves[i]]][depth];
    if (scope === undefined) {
      keys[i] = count++;
      continue;
    }
    nested = true;
    if (!keyOf.has(scope)) keyOf.set(scope, count++);
    keys[i] = keyOf.get(scope);
  }
  if (!nested) {
    group.items = leaves;
    return;
  }
  const {start, list} = indexBy(keys, (count = splitCircles(tree, leaves, keys, count)));
  const order = Array.from({length: count}, (_, key) => key)
    .filter(key => start[key] < start[key + 1])
    .sort((a, b) => list[start[a]] - list[start[b]]);
  for (const key of order)
    addPart(
      tree,
      group,
      Array.from(list.subarray(start[key], start[key + 1]), i => leaves[i]),
      depth,
    );
}

/* One child: a node, or a group. Modules that hold only one other module are one box; a module with one node is that
   node. */
function addPart(tree, group, part, depth) {
  const {paths, scopeOf, scopes} = tree,
    path = paths[scopeOf[part[0]]];
  if (depth >= path.length) {
    group.items.push(part[0]);
    return;
  }
  if (part.length === 1 && scopes.kind[path[depth]] === MODULE) {
    tree.alias[part[0]] = path
      .slice(depth)
      .map(scope => scopes.label[scope])
      .join('.');
    group.items.push(part[0]);
    return;
  }
  let last = depth;
  const shared = at => scopes.kind[path[at]] === MODULE && part.every(leaf => paths[scopeOf[leaf]][at] === path[at]);
  while (scopes.kind[path[last]] === MODULE && last + 1 < path.length && shared(last + 1)) last++;
  const label = path
      .slice(depth, last + 1)
      .map(scope => scopes.label[scope])
      .join('.'),
    kind = scopes.kind[path[depth]];
  const modules = path
    .slice(0, last + 1)
    .filter(scope => scopes.kind[scope] === MODULE)
    .map(scope => scopes.label[scope])
    .join('.');
  const child = addGroup(tree, kind, label, path[last], modules);
  group.items.push(child.id);
  fillGroup(tree, child, part, last + 1);
}

/* Numbers that follow from the tree: parent, depth and slot of each item; nodes inside each group. */
function numberItems(tree) {
  const {count, groups} = tree,
    total = count + groups.length;
  Object.assign(tree, {
    parent: new Int32Array(total).fill(-1),
    depth: new Int32Array(total),
    slot: new Int32Array(total),
  });
  const {parent, depth, slot} = tree,
    outward = [];
  for (const stack = [groups[0]]; stack.length;) {
    const group = stack.pop();
    outward.push(group);
    group.items = Int32Array.from(group.items);
    for (let i = 0; i < group.items.length; i++) {
      const item = group.items[i];
      parent[item] = group.id;
      depth[item] = depth[group.id] + 1;
      slot[item] = i;
      if (item >= count) {
        groups[item - count].parent = group.id;
        stack.push(groups[item - count]);
      }
    }
  }
  for (const group of outward.reverse()) {
    for (const item of group.items) {
      const [leaves, first, last] =
        item < count
          ? [1, item, item]
          : [groups[item - count].leaves, groups[item - count].first, groups[item - count].last];
      group.leaves += leaves;
      group.first = group.first < 0 ? first : Math.min(group.first, first);
      group.last = Math.max(group.last, last);
    }
  }
}

/** The group of an item number, or null for a node. */
export const groupOf = (tree, item) => (item < tree.count ? null : tree.groups[item - tree.count]);

/** The instance of a repeat that is shown, or the group itself. */
export function shownGroup(tree, group) {
  return group.kind === REPEAT && group.state === OPEN ? groupOf(tree, group.items[group.chosen]) : group;
}

/** The nodes inside an item, in program order. */
export function leavesOf(tree, item) {
  const leaves = [];
  for (const stack = [item]; stack.length;) {
    const next = stack.pop();
    if (next < tree.count) leaves.push(next);
    else stack.push(...groupOf(tree, next).items);
  }
  return leaves.sort((a, b) => a - b);
}

/** The groups of a graph `by` module (the default), by delegate or not at all ('flat'), each with its wires. */
export function buildTree(graph, {by = 'module', fold = true} = {}) {
  const scopes = new Scopes(graph, by),
    scopeOf = new Int32Array(graph.count);
  for (let node = 0; node < graph.count; node++) scopeOf[node] = scopes.of(node);
  const tree = {
    graph,
    count: graph.count,
    groups: [],
    alias: [],
    scopes,
    scopeOf,
    paths: scopes.paths(),
    position: new Int32Array(graph.count).fill(-1),
    cuts: [],
  };
  const root = addGroup(tree, MODULE, '', 0, '');
  fillGroup(
    tree,
    root,
    Array.from({length: graph.count}, (_, node) => node),
    0,
  );
  if (fold && by !== 'flat') foldRepeats(tree);
  numberItems(tree);
  tree.wires = wireGroups(tree);
  if (scopes.cut)
    tree.cuts.push(`Modules and bodies more than ${MAX_DEPTH} levels deep are drawn in the box at level ${MAX_DEPTH}.`);
  root.state = OPEN;
  return Object.assign(tree, {root: root.id, scopes: null, paths: null, position: null, scopeOf: null, living: null});
}

// ---- What is open
// -----------------------------------------------------------------------------------------------------

/** Opens or closes a group. Only its own layout and those around it are computed again. */
export function setState(tree, group, state) {
  group.state = state;
  if (group.kind === REPEAT && state === OPEN) {
    const shown = shownGroup(tree, group);
    shown.state = OPEN;
  }
  forgetLayout(tree, group.id);
}

/** Forgets the layout of a group and of all around it. */
export function forgetLayout(tree, id) {
  for (let outer = id; outer >= 0; outer = tree.parent[outer]) groupOf(tree, outer).layout = null;
}

/** Opens or closes all groups but the root; repeats stay folded. */
export function setAll(tree, state) {
  for (const group of tree.groups) if (group.id !== tree.root) group.state = state;
  for (const group of tree.groups) group.layout = null;
}

/** Chooses the instance that a folded repeat shows. What is open in the one before is open in it, too. */
export function chooseInstance(tree, repeat, chosen) {
  const copy = (from, to) => {
    if (from < tree.count || to < tree.count) return;
    const [a, b] = [groupOf(tree, from), groupOf(tree, to)];
    b.state = a.state;
    b.layout = null;
    for (let i = 0; i < Math.min(a.items.length, b.items.length); i++) copy(a.items[i], b.items[i]);
  };
  if (repeat.state === OPEN) copy(repeat.items[repeat.chosen], repeat.items[chosen]);
  repeat.chosen = chosen;
  forgetLayout(tree, repeat.id);
}

/**
 * Opens groups from the outside in while at most `budget` boxes are shown; of a repeat, one instance. Returns how many
 * are shown.
 */
export function openDefault(tree, budget = 140, weight = group => group.leaves) {
  const root = groupOf(tree, tree.root);
  let shown = root.items.length,
    level = [root];
  while (level.length) {
    const inside = level
      .flatMap(group => Array.from(group.kind === REPEAT ? group.items.slice(0, 1) : group.items))
      .filter(item => item >= tree.count)
      .map(item => groupOf(tree, item));
    for (const group of inside.slice().sort((a, b) => weight(b) - weight(a) || a.first - b.first)) {
      const more = group.kind === REPEAT ? groupOf(tree, group.items[0]).items.length : group.items.length;
      if (group.state !== CLOSED || shown + more > budget) continue;
      setState(tree, group, OPEN);
      shown += more;
    }
    level = inside.filter(group => group.state !== CLOSED);
  }
  return shown;
}
