// SPDX-License-Identifier: BSD-3-Clause
//
// module_tree.js - the time of a method as a tree that adds up: Method::execute, modules, operators, and the time beside operators where it arises. Equal modules are rolled up. It needs no page.

import {Columns, grouped, sumOver} from '../base/columns.js';
import {shortOp, shortType} from '../base/format.js';
import {CPU, PART_TEXTS, backendColour, rowsInside} from '../base/method.js';
import {ESTIMATED, ONE_SIDED, makeRow} from '../base/rects.js';

/** Equal modules from which they are rolled up. */
export const ROLLED_FROM = 4;
const NEGLIGIBLE = 1e-9; // share of the whole; what is missing below it is a rounding error

/** The key of the tree's root, which is Method::execute. */
export const ROOT = '';

/* Returns what makes two modules equal: their type, and the operators and modules in them, in order. */
function signature(module, operators) {
  module.signature ??= `${module.type}(${Array.from(module.own, row => operators.op(row)).sort()};${module.children.map(child => signature(child, operators)).sort()})`;
  return module.signature;
}

/* Skips modules that contain one module and nothing else, because both boxes would be equally wide. */
const unwrapped = module => (module.children.length === 1 && module.own.length === 0 ? unwrapped(module.children[0]) : module);

const groupBy = (list, keyOf) => [...grouped(list, keyOf).values()];

/* Splits a list where the key changes. */
function runsOf(list, keyOf) {
  const runs = [];
  for (const item of list) {
    if (runs.length && keyOf(runs.at(-1)[0]) === keyOf(item)) runs.at(-1).push(item);
    else runs.push([item]);
  }
  return runs;
}

/* Returns a name inside another one: "attention" for "layers.*.attention" in "layers.*". */
const nameIn = (outer, inner) => (outer && inner.startsWith(`${outer}.`) ? inner.slice(outer.length + 1) : inner);

/* A tree being made: of a method, with the times of operators and of the parts beside them. */
class Maker {
  constructor(method, of, parts, options) {
    Object.assign(this, {method, operators: method.operators, of, parts, options, first: new Map()});
  }

  /* A node without its contents. `modules` are the modules that it stands for, `rows` its operators. */
  node(kind, key, label, rest) {
    return {kind, key, label, modules: [], rows: [], children: [], time: 0, work: 0, estimated: 0, count: 0, order: Infinity, backends: new Map(), ...rest};
  }

  /* Adds up what a node contains. */
  sum(node, children) {
    node.children = children.filter(({time}) => time > 0);
    for (const child of children) {
      for (const key of ['time', 'work', 'estimated', 'count']) node[key] += child[key];
      node.order = Math.min(node.order, child.order);
      for (const [name, time] of child.backends) node.backends.set(name, (node.backends.get(name) ?? 0) + time);
    }
    node.children.sort(this.options.byTime ? (a, b) => b.time - a.time : (a, b) => a.order - b.order || b.time - a.time);
    return node;
  }

  operatorNode(rows, outer, number) {
    const {operators, of} = this, [row] = rows, op = shortOp(operators.op(row)), label = rows.length > 1 ? `${op} ×${rows.length}` : number ? `${op} ${number}` : op;
    const timed = rows.filter(at => of[at] >= 0), time = sumOver(of, timed), backends = new Map();
    for (const at of timed) backends.set(operators.backend(at) ?? CPU, (backends.get(operators.backend(at) ?? CPU) ?? 0) + of[at]);
    return this.node('operator', `${outer.key}/${rows.length > 1 ? op : operators.name(row)}`, label, {short: rows.length > 1 ? op : label, rows, time, work: time, estimated: sumOver(of, timed.filter(at => operators.isEstimated(at))), count: timed.length, order: row, backends});
  }

  /* The operators of modules: each one of a single module, numbered where several are the same; those of equal modules by type. */
  ownOf(modules, outer) {
    const rows = modules.flatMap(({own}) => [...own]).filter(row => this.of[row] >= 0), same = groupBy(rows, row => this.operators.op(row));
    if (modules.length > 1) return same.map(list => this.operatorNode(list, outer));
    return same.flatMap(list => list.map((row, at) => this.operatorNode([row], outer, list.length > 1 ? at + 1 : 0)));
  }

  /* The time beside operators in modules, by part. */
  partsOf(indices, outer) {
    const own = this.parts.filter(({module}) => indices.has(module)), isRoot = outer.kind === 'root';
    return groupBy(own, ({part, isDelegate}) => `${part} ${isRoot && isDelegate}`).map(list => {
      const [{part, text, isDelegate}] = list, said = PART_TEXTS[part] ?? text.trim(), isShared = isRoot && isDelegate;
      return this.node('part', `${outer.key}/+${part}${isShared ? '*' : ''}`, isShared ? `${said} (several modules)` : said, {short: said, part, time: list.reduce((sum, {avg}) => sum + avg, 0)});
    });
  }

  /* The node of equal modules, or of one. */
  moduleNode(modules, outer, label) {
    const key = modules.length === 1 ? modules[0].path : outer.key ? `${outer.key}.${label}` : label, several = modules.length > 1;
    const said = /^[\d*.]+$/.test(label) && modules[0].type ? `${label} ${shortType(modules[0].type)}` : label; // a number alone says too little
    const made = this.node(several ? 'group' : 'module', key, several ? `${said} ×${modules.length}` : said, {modules, short: label, pattern: several ? modules[0].pattern : modules[0].path, type: modules[0].type, rows: modules.flatMap(module => [...rowsInside(module)])});
    return this.sum(made, this.inside(modules, made));
  }

  inside(modules, outer) {
    const children = modules.flatMap(module => module.children.map(unwrapped)), indices = new Set(modules.flatMap(module => this.chainOf(module)));
    return [...this.modulesIn(children, outer, modules.length > 1), ...this.ownOf(modules, outer), ...this.partsOf(indices, outer)];
  }

  /* The indices of a module and of the modules around it that unwrapped() skipped. */
  chainOf(module) {
    const chain = [module.index];
    for (let at = module.parent; at?.path && at.children.length === 1 && at.own.length === 0; at = at.parent) chain.push(at.index);
    return chain;
  }

  /* The nodes of child modules. In equal modules all children of a pattern are one; in a single one those that are equal and follow one another, where there are enough. */
  modulesIn(children, outer, isRolled) {
    const keyOf = module => (isRolled ? module.pattern : `${module.pattern}\n${signature(module, this.operators)}`), lists = isRolled ? groupBy(children, keyOf) : runsOf(children, keyOf), taken = new Map();
    return lists.flatMap(list => {
      if (!isRolled && !(this.options.rolled && list.length >= ROLLED_FROM)) return list.map(module => this.moduleNode([module], outer, nameIn(outer.pattern, module.path)));
      const name = nameIn(outer.pattern, list[0].pattern), before = taken.get(name) ?? 0;
      taken.set(name, before + 1);
      return [this.moduleNode(list, outer, before ? `${name} from ${list[0].label}` : name)];
    });
  }
}

/* Returns the time beside operators: where the document says to which module each part belongs, or else once for the method. Averages and typical times have parts; one run has a rest. */
function partsOf(method, times) {
  if (times.stat === 'p50') return [];
  if (times.stat === 'run') {
    const rest = times.whole - sumOver(times.of, method.operators.timed);
    return rest > NEGLIGIBLE * times.whole ? [{part: 'beside', text: method.delegates.length ? 'calling delegates, in them, and the runtime' : PART_TEXTS.runtime, avg: rest, module: -1}] : [];
  }
  const table = method.document.balance_boxes, boxes = new Columns(table, table.count, method.texts), [modules, delegates] = ['module', 'delegate'].map(key => boxes.indices(key)), totals = boxes.numbers(times.stat === 'avg' ? 'total' : 'typical'), runs = times.stat === 'avg' ? method.runs : 1;
  return Array.from(totals, (total, row) => ({part: boxes.text('part', row), text: boxes.text('part', row), avg: total / runs, module: method.modules[modules[row]]?.index ?? -1, isDelegate: delegates[row] >= 0}));
}

/**
 * Returns the tree of a method's time: its root is Method::execute, or the sum of all operators where `times` are medians, which do not add up. A node has {kind: root, module, group: of equal modules, operator, part,
 * key, label, time, work: the time on operators, estimated: in ns, count: timed operators, children: without those that took no time, rows, modules}. The children of a node add up to it. `options`: {rolled, byTime}.
 */
export function moduleTree(method, times, options) {
  const maker = new Maker(method, times.of, partsOf(method, times), options), {modulesByPath, modules, operators} = method, top = modulesByPath.get(''), orphans = operators.timed.filter(row => operators.indices('module')[row] < 0);
  const root = maker.node('root', ROOT, times.stat === 'p50' ? 'sum of the medians of all operators' : 'Method::execute', {pattern: '', modules: top ? [top] : []});
  const tops = top ? top.children : [...new Set(modules)].filter(module => !module.parent), own = top ? [top] : [];
  const children = [...maker.modulesIn(tops.map(unwrapped), root, false), ...maker.ownOf([...own, {own: orphans}].filter(({own: rows}) => rows.length).slice(0, 1), root), ...(own.length && orphans.length ? maker.ownOf([{own: orphans}], root) : [])];
  const beside = maker.partsOf(new Set([-1, ...own.map(({index}) => index)]), root);
  maker.sum(root, [...children, ...beside]);
  root.rows = Array.from({length: operators.count}, (_, row) => row);
  const missing = times.stat === 'p50' ? 0 : times.whole - root.time;
  if (missing > NEGLIGIBLE * times.whole && missing > 1) {
    root.children.push(maker.node('part', '/+missing', PART_TEXTS.unexplained, {part: 'unexplained', time: missing}));
    root.time += missing;
  }
  return root;
}

/** Returns the nodes from the root to the one with a key: what breadcrumbs show. Only the root if there is none. */
export function pathTo(root, key) {
  const find = (node, path) => {
    if (node.key === key) return [...path, node];
    if (key && node.key && !key.startsWith(node.key) && node.kind !== 'root') return null;
    for (const child of node.children) {
      const found = child.kind === 'module' || child.kind === 'group' ? find(child, [...path, node]) : null;
      if (found) return found;
    }
    return null;
  };
  return find(root, []) ?? [root];
}

/** Returns all nodes of a tree with their level, and where each begins, in ns from the beginning of the top: [{node, level, from, around}]. */
export function placed(top) {
  const boxes = [], place = (node, level, from, around) => {
    boxes.push({node, level, from, around});
    let at = from;
    for (const child of node.children) {
      place(child, level + 1, at, boxes.length && node);
      at += child.time;
    }
  };
  place(top, 0, 0, null);
  return boxes;
}

const PART_COLOURS = {runtime: 'framework', unexplained: 'unexplained', operators_unplaced: 'unexplained', beside: 'framework'};

/** Returns the name of a node's colour: that of the backend with most of its time. */
export function backendColourOf(operators, node) {
  if (node.kind === 'root') return 'even';
  if (node.kind === 'part') return PART_COLOURS[node.part] ?? 'delegate';
  const [name] = [...node.backends].reduce((most, entry) => (entry[1] > most[1] ? entry : most), [CPU, 0]);
  return `${node.kind === 'operator' ? 'own' : 'around'}${backendColour(operators, name)}`;
}

/** Returns the rows of a scene for the boxes of placed(); the ids are indices of the boxes. */
export function icicleRows(boxes, height, colour, flags) {
  const levels = grouped(boxes.keys(), index => boxes[index].level);
  return [...levels].sort(([a], [b]) => a - b).map(([level, ids]) => makeRow(ids, {start: id => boxes[id].from, end: id => boxes[id].from + boxes[id].node.time, colour: id => colour(boxes[id].node), flags: id => flags(boxes[id].node), top: level * height, height: height - 1}));
}

/** The flags of a node: estimated where most of its time is, or one-sided. */
export const flagsOf = (node, isOneSided = false) => (node.kind !== 'root' && node.estimated > node.time / 2 ? ESTIMATED : 0) | (isOneSided ? ONE_SIDED : 0);

/* ---- Compared with a base ---- */

/**
 * Returns how the time of a node's operators changed: {base, now: sums of medians in ns, isNew, verdict: of a single operator}. `pairs` gives the library's pair of an operator. Null if none of them is paired.
 */
export function changeOf(node, pairs) {
  let base = 0, now = 0, isNew = node.rows.length > 0, verdict = null, decided = 0;
  for (const row of node.rows) {
    const pair = pairs.get(row);
    if (!pair) continue;
    base += pair.base_p50 ?? 0;
    now += pair.new_p50 ?? 0;
    if (pair.verdict === 'slower' || pair.verdict === 'faster') decided += pair.new_p50 - pair.base_p50;
    else if (pair.verdict === 'new') decided += pair.new_p50 ?? 0;
    isNew &&= pair.verdict === 'new';
    verdict = pair.verdict;
  }
  return base > 0 || now > 0 ? {base, now, decided, isNew, verdict: node.rows.length === 1 ? verdict : null} : null;
}

/** Returns the name of the colour of a change: what the library decided counts, relative to the base; what it could not tell is grey. */
export function changeColourOf(change) {
  if (!change) return 'same';
  if (change.isNew) return 'slower1';
  const part = change.base > 0 ? change.decided / change.base : 0;
  if (Math.abs(part) < 0.01) return 'same';
  return `${part > 0 ? 'slower' : 'faster'}${Math.abs(part) > 0.1 ? 2 : 1}`;
}
