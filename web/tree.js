// SPDX-License-Identifier: BSD-3-Clause
//
// tree.js - time by module: each box is as wide as its time, with the model on top and the parts of a module below it.

import {element, plainTable, timeCell} from './dom.js';
import {shareText, shortOp, shortType} from './format.js';
import {CPU, TOP_LEVEL, UNFILTERED, backendsOf, moduleTree} from './model.js';

const LEAST_SHARE = 0.002; // share of the width; narrower boxes are drawn as one
const MOST_LEVELS = 12;

const timeOf = item => item.avg;

/* Skips modules that contain one module and nothing else, because both boxes would be equally wide. */
function unfold(item) {
  return item.children.length === 1 && item.operators.length === 0 ? unfold(item.children[0]) : item;
}

/** Returns the contents of a box, modules and operators of the module itself, most time first. */
export function insideOf(item) {
  if (item.operator) return [];
  const operators = item.operators.map(operator => ({operator, avg: operator.avg, estimated: operator.estimated ? operator.avg : 0, count: 1, backends: {[operator.backend]: operator.avg}}));
  return [...item.children.map(unfold), ...operators].filter(inside => inside.avg > 0).sort((a, b) => b.avg - a.avg);
}

/** Places the boxes of the tree below `root`: {item, level, from, width}, where `from` and `width` are shares of its time. {rest} is a box for the boxes that are too narrow, with their number. */
export function layoutTree(root) {
  const boxes = [];
  const place = (item, level, from, around) => {
    boxes.push({item, level, from, around, width: timeOf(item) / timeOf(root)});
    if (level === MOST_LEVELS) return;
    const inside = insideOf(item);
    let at = from, rest = 0, restCount = 0;
    for (const child of inside) {
      const width = timeOf(child) / timeOf(root);
      if (width < LEAST_SHARE) {
        rest += width;
        restCount++;
      } else {
        place(child, level + 1, at, item);
        at += width;
      }
    }
    if (rest > 0) boxes.push({rest: restCount, level: level + 1, from: at, width: rest});
  };
  if (timeOf(root) > 0) place(root, 0, 0, null);
  return boxes;
}

/** Returns a module's name without the path of the module around it. */
export function labelIn(around, item) {
  if (item.operator) return shortOp(item.operator.op);
  const {path} = item.module, prefix = around?.module.path ? `${around.module.path}.` : '';
  return (path.startsWith(prefix) ? path.slice(prefix.length) : path) || '(the model)';
}

/* Returns the backend with the most time in a box. */
const mainBackend = item => Object.entries(item.backends).reduce((most, entry) => (entry[1] > most[1] ? entry : most), [CPU, 0])[0];

function backendStrip(order, item) {
  return element('span', {class: 'strip', 'aria-hidden': 'true'}, Object.entries(item.backends).sort((a, b) => order.indexOf(a[0]) - order.indexOf(b[0]))
    .map(([name, avg]) => element('span', {class: `backend-${backendIndex(order, name)}`, style: {'flex-grow': String(avg)}})));
}

/** Returns the number of a backend's colour, 0 for kernels. */
export function backendIndex(order, name) {
  return name === CPU ? 0 : 1 + (order.filter(other => other !== CPU).indexOf(name) % 4);
}

/** Makes the legend of the backends' colours. */
export function backendLegend(method) {
  const order = backendsOf(method.operators);
  return element('ul', {class: 'legend', 'aria-label': 'Backends'}, order.map(name => element('li', {}, element('span', {class: `swatch backend-${backendIndex(order, name)}`}), name)));
}

function boxElement(app, box, open) {
  const place = {left: `${100 * box.from}%`, width: `${100 * box.width}%`, top: `${box.level * 40}px`};
  if (box.rest) return element('div', {class: 'box rest', style: place, title: `${box.rest} more, each less than ${100 * LEAST_SHARE} %`});
  const {item} = box, share = shareText(item.avg, app.method.execute.avg), label = labelIn(box.around, item), order = backendsOf(app.method.operators);
  const text = `${item.operator ? `${item.operator.op}, ${item.operator.name}` : item.module.path || 'the model'}: ${app.time(item.avg)} ${app.unitName()}, ${share}`;
  return element('div', {class: `box tint-${backendIndex(order, mainBackend(item))}${item.operator ? ' leaf' : ''}`, role: 'treeitem', tabindex: '-1', 'aria-level': String(box.level + 1), 'aria-label': text, title: text, style: place,
    'data-level': String(box.level), onclick: () => open(item)},
    element('span', {class: 'label'}, element('bdi', {}, label)), element('span', {class: 'time'}, timeCell(app, item.avg, item.estimated), ` · ${share}`), backendStrip(order, item));
}

/* Moves the focus with the arrow keys: to a neighbour on the same level, the box above, or the first box below. */
function moveFocus(boxes, elements, from, key) {
  const box = boxes[from], centre = box.from + box.width / 2;
  const holds = other => other.from <= centre && centre < other.from + other.width;
  const candidates = boxes.map((other, index) => ({other, index})).filter(({other}) => !other.rest);
  const onLevel = level => candidates.filter(({other}) => other.level === level).sort((a, b) => a.other.from - b.other.from);
  const same = onLevel(box.level), at = same.findIndex(({index}) => index === from);
  const inside = onLevel(box.level + 1).filter(({other}) => other.from >= box.from - 1e-12 && other.from < box.from + box.width);
  const to = {ArrowRight: same[at + 1], ArrowLeft: same[at - 1], ArrowUp: onLevel(box.level - 1).find(({other}) => holds(other)), ArrowDown: inside[0], Home: same[0], End: same[same.length - 1]}[key];
  if (to) elements[to.index].focus();
  return Boolean(to);
}

function icicle(app, root, open) {
  const boxes = layoutTree(root), elements = boxes.map(box => boxElement(app, box, open));
  const levels = boxes.reduce((most, box) => Math.max(most, box.level), 0) + 1;
  const tree = element('div', {class: 'icicle', role: 'tree', 'aria-label': 'Time by module', style: {height: `${levels * 40}px`}, onkeydown: event => {
    const from = elements.indexOf(event.target);
    if (from < 0) return;
    if (event.key === 'Enter' || event.key === ' ') open(boxes[from].item);
    else if (!moveFocus(boxes, elements, from, event.key)) return;
    event.preventDefault();
  }}, elements);
  elements[0]?.setAttribute('tabindex', '0');
  return tree;
}

function pathTo(root, wanted) {
  if (root === wanted) return [root];
  for (const child of root.children) {
    const path = pathTo(child, wanted);
    if (path) return [root, ...path];
  }
  return null;
}

function insideTable(app, item, open) {
  const whole = app.method.execute.avg, rows = insideOf(item).slice(0, 200), most = rows[0]?.avg ?? 0;
  return plainTable('Contents, most time first', [
    {title: 'module or operator', class: 'key', cell: row => (row.operator ? row.operator.op : labelIn(item, row))},
    {title: 'type or node', class: 'key quiet', cell: row => (row.operator ? row.operator.name : shortType(row.module.type))},
    {title: `total ${app.unitName()}`, class: 'number', cell: row => timeCell(app, row.avg, row.estimated)},
    {title: 'share', class: 'number', cell: row => shareText(row.avg, whole)},
    {title: 'nodes', class: 'number', cell: row => String(row.count)},
    {title: '', class: 'bar-cell', cell: row => element('span', {class: 'bar', style: {width: `${most ? (100 * row.avg) / most : 0}%`}})},
  ], rows, row => open(row));
}

/** Returns the patterns to show. The top level comes last and with its own time only, because its total is that of the model. */
export function shownPatterns(method) {
  return [...method.patterns.filter(row => row.pattern !== ''), ...method.patterns.filter(row => row.pattern === '' && row.count > 0)];
}

function patternTable(app, open) {
  const {method} = app, whole = method.execute.avg, rows = shownPatterns(method), repeats = row => row.modules > 1;
  const time = row => (row.pattern === '' ? row.avg : row.total), most = Math.max(...rows.map(time));
  return plainTable('By pattern', [
    {title: 'pattern', class: 'key', cell: row => row.pattern || TOP_LEVEL},
    {title: 'type', class: 'key quiet', cell: row => shortType(row.module_type ?? '')},
    {title: 'modules', class: 'number', cell: row => (repeats(row) ? `×${row.modules}` : '')},
    {title: `total ${app.unitName()}`, class: 'number', cell: row => app.time(time(row))},
    {title: 'share', class: 'number', cell: row => shareText(time(row), whole)},
    {title: `own ${app.unitName()}`, class: 'number', cell: row => (row.count > 0 ? timeCell(app, row.avg, row.estimated) : '')},
    {title: 'median', class: 'number', cell: row => (repeats(row) ? app.time(row.median) : '')},
    {title: 'slowest', class: 'number', cell: row => (repeats(row) ? app.time(row.slowest_total) : '')},
    {title: 'which', class: 'key', cell: row => (repeats(row) ? row.slowest : '')},
    {title: '', class: 'bar-cell', cell: row => element('span', {class: 'bar', style: {width: `${most ? (100 * time(row)) / most : 0}%`}})},
  ], rows, row => open(method.modules.find(({path}) => path === row.slowest)));
}

function foldSwitch(app, folded) {
  return element('label', {class: 'check'}, element('input', {type: 'checkbox', checked: folded, 'aria-label': 'fold repeated modules', onchange: event => app.change({fold: event.target.checked})}), 'fold repeated modules');
}

/* Shows repeated modules as one row. A click opens the slowest of them in the tree. */
function foldedView(app) {
  return element('div', {class: 'modules'}, element('div', {class: 'toolbar'}, foldSwitch(app, true)), element('section', {class: 'card'}, patternTable(app, module => app.change({module, fold: false}))));
}

/** Makes the view. options.module is the module that fills the width; options.fold shows repeated modules as one row. */
export function treeView(app, options) {
  const whole = moduleTree(app.method);
  if (!whole || whole.avg === 0) return element('p', {class: 'note'}, 'No operator of the graph was timed.');
  if (options.fold) return foldedView(app);
  const path = (options.module && pathTo(whole, whole && findItem(whole, options.module))) || [whole];
  const shown = path[path.length - 1];
  const open = item => (item.operator ? app.select(item.operator) : app.change({module: item === shown && path.length > 1 ? path[path.length - 2].module : item.module}));
  const crumbs = element('nav', {class: 'crumbs', 'aria-label': 'Module'}, path.map((item, index) => element('button', {type: 'button', 'aria-current': index === path.length - 1 ? 'true' : undefined, onclick: () => app.change({module: item.module})}, item.module.label || '(the model)')),
    element('span', {class: 'count'}, `${shown.module.type ? `${shortType(shown.module.type)} · ` : ''}${app.time(shown.avg)} ${app.unitName()} on ${shown.count} nodes`),
    element('button', {type: 'button', class: 'text-link', onclick: () => app.show('operators', {...UNFILTERED, module: shown.module, group: 'none', sorting: null})}, 'show its operators'));
  return element('div', {class: 'modules'}, element('div', {class: 'toolbar'}, crumbs, foldSwitch(app, false), backendLegend(app.method)), icicle(app, shown, open), element('section', {class: 'card'}, insideTable(app, shown, open)));
}

function findItem(root, module) {
  if (root.module === module) return root;
  for (const child of root.children) {
    const found = findItem(child, module);
    if (found) return found;
  }
  return null;
}
