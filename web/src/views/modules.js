// SPDX-License-Identifier: BSD-3-Clause
//
// modules.js - the time by module as an icicle: Method::execute on top, below it modules, operators, and what passes beside them. A click opens a module; with a base the boxes are coloured by their change.

import {STAT_TEXTS, carryingRows, comparedMethod, explain, hasHit, hits, method, pairs, selectedRows, selection, show, times, timeWithUnit, unitName} from '../base/app.js';
import {medianOf} from '../base/columns.js';
import {command} from '../base/commands.js';
import {term} from '../base/filter.js';
import {changeText, countText, shareText, shortType} from '../base/format.js';
import {html} from '../base/html.js';
import {operatorLabel} from '../base/method.js';
import {ONE_SIDED, makeRow} from '../base/rects.js';
import {nodeId, repeatedId} from '../base/selection.js';
import {declare, flag, get, number, oneOf, peek, set, text} from '../base/store.js';
import {BackendLegend, Check, Link, Segments, bar, changeOfTimes, sumHint, timeColumn, timeText} from '../parts/bits.js';
import {Scene, SceneTools, colourOf} from '../parts/scene.js';
import {SmallTable} from '../parts/table.js';
import {VERDICTS, Verdict} from './compare.js';
import {baseSumColumns} from './operators.js';
import {ROOT, backendColourOf, changeColourOf, changeOf, flagsOf, icicleRows, moduleTree, pathTo, placed} from './module_tree.js';

const LEVEL = 38, MOST_LISTED = 40;

declare({'mod.at': text(ROOT), 'mod.rolled': flag(true), 'mod.order': oneOf('model', 'time'), 'mod.colour': oneOf('change', 'backend'), 'mod.from': number(0), 'mod.to': number(0)});

const roll = () => set({'mod.rolled': !peek('mod.rolled'), 'mod.at': ROOT, 'mod.from': 0, 'mod.to': 0});
command({name: 'roll-up', keys: ['u'], text: 'Roll up equal modules, or show each', views: ['modules'], run: roll});
command({name: 'module-up', keys: ['Backspace'], text: 'To the module around', views: ['modules'], run: () => drill(kept.picture?.path.at(-2)?.key ?? ROOT)});

const drill = (key, changes = {}) => set({'mod.at': key, 'mod.from': 0, 'mod.to': 0, ...changes});

/* ---- The tree of the state ---- */

let kept = {}; // the last tree and picture, and what they are made from

function treeOf() {
  const shown = method.value, of = times.value, options = {rolled: get('mod.rolled'), byTime: get('mod.order') === 'time'};
  if (kept.shown !== shown || kept.of !== of || kept.options.rolled !== options.rolled || kept.options.byTime !== options.byTime) kept = {shown, of, options, root: moduleTree(shown, of, options)};
  return kept.root;
}

const isCompared = () => comparedMethod.value !== null && !comparedMethod.value.may_differ;

/* The operators of the base that this record lacks, as boxes below the icicle on the same scale. */
function goneRow(top, answer) {
  const gone = answer.nodes.filter(({verdict, base_p50: time}) => verdict === 'gone' && time > 0).map(node => ({node, from: 0, time: node.base_p50}));
  let at = 0;
  for (const box of gone) {
    box.from = at;
    at += box.time;
  }
  return {gone, end: at, row: first => makeRow(gone.keys().map(index => first + index), {start: id => gone[id - first].from, end: id => gone[id - first].from + gone[id - first].time, colour: () => colourOf('faster1'), flags: () => ONE_SIDED, top, height: LEVEL - 1})};
}

/* The nodes from the root to the one that is open. What is selected is shown: a module without it is left. */
function shownPath(root) {
  const path = pathTo(root, get('mod.at')), bitmap = carryingRows.value;
  while (bitmap && path.length > 1 && !path.at(-1).rows.some(row => bitmap[row])) path.pop();
  return path;
}

function pictureOf(root) {
  const path = shownPath(root), top = path.at(-1), byChange = isCompared() && get('mod.colour') === 'change', answer = byChange ? comparedMethod.value : null;
  if (kept.picture?.top === top && kept.picture.answer === answer) return kept.picture;
  const boxes = placed(top), {operators} = method.value, changes = new Map(), change = node => (changes.has(node) ? changes : changes.set(node, changeOf(node, pairs.value))).get(node);
  const rows = icicleRows(boxes, LEVEL, node => colourOf(byChange && node.kind !== 'part' ? changeColourOf(change(node)) : backendColourOf(operators, node)), node => flagsOf(node, byChange && node.kind !== 'part' && change(node)?.isNew));
  let height = rows.length * LEVEL, end = top.time, gone = [];
  if (answer) {
    const made = goneRow(height + LEVEL / 2, answer);
    if (made.gone.length) {
      gone = made.gone;
      rows.push(made.row(boxes.length));
      end = Math.max(end, made.end);
      height += 1.5 * LEVEL;
    }
  }
  return (kept.picture = {path, top, answer, boxes, rows, gone, height, end, change});
}

/* ---- Texts ---- */

const shareOf = node => shareText(node.time, kept.root.time);

function told({boxes, gone, change}, id) {
  if (id >= boxes.length) {
    const {node} = gone[id - boxes.length];
    return {title: `${node.base_module ?? ''} · ${node.op}`, pairs: [['gone', 'the base has it, this record has not'], ['base median', timeWithUnit(node.base_p50)], ['base node', node.base_name]]};
  }
  const {node} = boxes[id], {operators} = method.value, [row] = node.rows, single = node.kind === 'operator' && node.rows.length === 1, made = node.kind === 'part' ? null : isCompared() ? change(node) : null, slowest = slowestOf(node);
  return {
    title: single ? operatorLabel(operators, row) : node.kind === 'module' || node.kind === 'group' ? `${node.pattern}${node.modules.length > 1 ? ` ×${node.modules.length}` : ''}` : node.label,
    pairs: [[times.value.label, `${timeText(node.time, node.estimated, node.rows)} ${unitName.value}, ${shareOf(node)} of Method::execute`], ['is', explain(single ? STAT_TEXTS[times.value.stat] : node.kind === 'part' ? 'average' : sumHint(), node.rows)], ['on operators', node.kind !== 'part' && node.work < node.time ? `${timeText(node.work, 0, node.rows)} ${unitName.value}` : null], ['estimated', node.estimated > 0 ? `${timeWithUnit(node.estimated)} of it` : null], ['type', node.type ? shortType(node.type) : null],
      ['operators', single || node.kind === 'part' ? null : String(node.count)], ['node', single ? operators.name(row) : null], ['median of one', slowest ? timeWithUnit(slowest.median) : null], ['slowest', slowest ? `${slowest.module.path}, ${timeWithUnit(slowest.time)}` : null],
      ['backend', [...node.backends].sort((a, b) => b[1] - a[1]).map(([name, time]) => `${name} ${shareText(time, node.time)}`).join(', ')],
      ['base median', made ? timeWithUnit(made.base) : null], ['change', made ? (made.isNew ? 'new' : `${changeOfTimes(made.base, made.now, node.rows)} ${unitName.value} (${changeText(made.base, made.now)})`) : null], ['verdict', made?.verdict ? VERDICTS[made.verdict] : null]].filter(([, value]) => value),
  };
}

const notesOf = node => {
  const time = `${timeText(node.time, node.estimated, node.rows)} ${unitName.value}`;
  return [`${time} · ${shareOf(node)}`, time, shareOf(node)];
};

/* The slowest of equal modules and their median; null for other nodes. */
function slowestOf(node) {
  if (node.kind !== 'group') return null;
  const {of} = times.value, {operators} = method.value, sums = new Map(node.modules.map(module => [module, 0]));
  const owner = new Map(node.modules.map(module => [module, module]));
  for (const row of node.rows) {
    if (!(of[row] > 0)) continue;
    let at = operators.module(row);
    while (at && !owner.has(at)) at = at.parent;
    if (at) sums.set(at, sums.get(at) + of[row]);
  }
  const sorted = [...sums].map(([module, time]) => ({module, time})).sort((a, b) => a.time - b.time);
  return {...sorted.at(-1), median: medianOf(sorted.map(({time}) => time))};
}

/* ---- What a click does ---- */

/* Opens a module, or goes to the one around the top; selects an operator. */
function open(node, isStep = false) {
  const {path, top} = kept.picture, {operators} = method.peek(), selected = node.kind === 'module' ? {sel: `module:${node.pattern}`} : node.kind === 'group' ? {sel: `pattern:${node.pattern}`} : {};
  if (node.kind === 'operator') {
    const [row] = node.rows;
    set({sel: node.rows.length === 1 ? nodeId(operators, row) : `repeated:${repeatedId(operators, row)}`}, {replace: isStep});
  } else if (isStep) set(selected, {replace: true});
  else if (node === top) drill(path.at(-2)?.key ?? ROOT);
  else if (node.kind !== 'part') drill(node.key, selected);
}

/* Returns the innermost module's box that holds a selected operator. */
function innermost(boxes, bitmap) {
  let best = -1;
  boxes.forEach(({node, level}, id) => {
    if (node.kind !== 'part' && node.kind !== 'operator' && (best < 0 || level > boxes[best].level) && node.rows.some(row => bitmap[row])) best = id;
  });
  return best;
}

/* Returns the tests of boxes for hits of the search and for the selection. */
function marksOf({boxes}) {
  const {isAll, has} = hits.value, chosen = selection.value, bitmap = carryingRows.value;
  const isModule = chosen && ['module', 'pattern'].includes(chosen.kind), holds = (node, rows) => node.kind === 'operator' && node.rows.some(row => rows[row]);
  const drawn = bitmap && boxes.some(({node}) => holds(node, bitmap)), around = bitmap && !drawn ? innermost(boxes, bitmap) : -1; // an operator without time has no box
  return {
    isHit: isAll ? null : id => id < boxes.length && (boxes[id].node.kind === 'operator' ? holds(boxes[id].node, has) : boxes[id].node.kind !== 'part' && boxes[id].node.kind !== 'root' && boxes[id].node.rows.some(row => has[row])),
    isChosen: !chosen ? null : isModule ? id => id < boxes.length && boxes[id].level > 0 && (boxes[id].node.pattern === chosen.id || boxes[id].node.modules.some(({path, pattern}) => path === chosen.id || (chosen.kind === 'pattern' && pattern === chosen.id))) : bitmap && drawn ? id => id < boxes.length && holds(boxes[id].node, bitmap) : around >= 0 ? id => id === around : null,
  };
}

function Icicle({picture}) {
  const {boxes, rows, gone, height, end} = picture, marks = marksOf(picture), follow = marks.isChosen ? boxes.findIndex((_, id) => marks.isChosen(id)) : -1, node = id => boxes[id]?.node;
  const shown = {
    rows, height, end, ...marks, label: id => node(id)?.label ?? gone[id - boxes.length].node.op, short: id => node(id)?.short ?? node(id)?.label ?? gone[id - boxes.length].node.op, family: id => boxes[id]?.around?.key ?? 'gone',
    note: id => (node(id) ? notesOf(node(id)) : [`gone, ${timeWithUnit(gone[id - boxes.length].time)}`]),
    told: id => told(picture, id),
    choose: (id, isStep) => node(id) && open(node(id), isStep), open: id => node(id) && open(node(id)), moved: (from, to) => set({'mod.from': from, 'mod.to': to}, {replace: true}),
  };
  return html`<${Scene} label="Time by module. Arrow keys choose a box, Enter opens it, Backspace goes up, plus and minus zoom." shown=${shown} view=${[get('mod.from'), get('mod.to')]} follow=${follow < 0 ? null : follow} />`;
}

/* ---- Around the picture ---- */

function Contents({picture}) {
  const {top, change} = picture, rows = [...top.children].sort((a, b) => b.time - a.time), most = rows[0]?.time ?? 0, {operators} = method.value, hasGroups = rows.some(({kind}) => kind === 'group'), hasParts = rows.some(({kind, work, time}) => kind !== 'part' && work < time), slowest = new Map(rows.map(node => [node, slowestOf(node)]));
  const made = node => (node.kind === 'part' ? null : change(node));
  return html`<section class="card"><${SmallTable} caption="Contents, most time first" most=${MOST_LISTED} rows=${rows} open=${node => open(node)} isChosen=${node => node.kind === 'operator' && node.rows.some(row => selectedRows.value?.[row])} isHit=${node => node.kind !== 'part' && hasHit(node.rows)} columns=${[
    {key: 'label', title: 'module or operator', class: 'key', text: node => node.label}, {key: 'type', title: 'type or node', class: 'key quiet', text: node => (node.kind === 'operator' ? (node.rows.length === 1 ? operators.name(node.rows[0]) : countText(node.rows.length, 'node')) : shortType(node.type ?? ''))},
    timeColumn('time', times.value.label, `${sumHint()}, and its delegates’ overhead`, node => node.time, {rows: node => node.rows, estimated: node => node.estimated}),
    {key: 'share', title: 'share', hint: 'of Method::execute', number: true, value: node => node.time / kept.root.time, text: shareOf},
    ...(hasParts ? [timeColumn('work', 'on operators', 'without the overhead of delegates', node => (node.kind === 'part' ? NaN : node.work), {rows: node => node.rows})] : []), {key: 'nodes', title: 'nodes', hint: 'operators that took time; those of 0 are not counted', number: true, value: node => node.count, text: node => (node.count ? String(node.count) : '')},
    ...(hasGroups ? [timeColumn('median', 'median of one', 'median of the sums of each module’s operators', node => slowest.get(node)?.median ?? NaN, {rows: node => node.rows}), {key: 'slowest', title: 'slowest', class: 'key', text: node => (slowest.get(node) ? `${slowest.get(node).module.path}, ${timeText(slowest.get(node).time, 0, node.rows)}` : '')}] : []),
    ...(isCompared() ? [...baseSumColumns(node => node.rows),
      {key: 'verdict', title: 'verdict', text: node => VERDICTS[made(node)?.verdict] ?? '', cell: node => (made(node)?.verdict ? html`<${Verdict} verdict=${made(node).verdict} />` : '')}] : []),
    {key: 'bar', title: '', class: 'bar-cell', cell: node => bar(node.time, most, node.estimated)},
  ]} /></section>`;
}

function Crumbs({path, top}) {
  return html`<nav class="crumbs" aria-label="Module">${path.map((node, index) => html`<button type="button" aria-current=${index === path.length - 1 ? 'true' : undefined} onClick=${() => drill(node.key)}>${node.label}</button>`)}
    <span class="count" aria-description=${explain(sumHint(), top.rows)}>${top.type ? `${shortType(top.type)} · ` : ''}${timeText(top.time, top.estimated, top.rows)} ${unitName.value} · ${shareOf(top)} · ${countText(top.count, 'operator')} with time</span>
    ${top.kind === 'root' ? null : html`<${Link} act=${() => show('operators', {q: term('module', top.pattern), 'op.group': 'none'})}>show its operators<//>`}</nav>`;
}

const ChangeLegend = () => html`<ul class="legend" aria-label="Change against the base">${[['faster', 'faster'], ['same', 'equal, or it cannot be told'], ['slower', 'slower'], ['one-sided', 'hatched: new, or gone']].map(([name, said]) => html`<li><span class=${`swatch change-${name}`}></span>${said}</li>`)}</ul>`;

export function ModulesView() {
  const shown = method.value, {operators} = shown, root = shown.hasGraph ? treeOf() : null;
  if (!root || !(root.time > 0)) return html`<p class="note">${shown.hasGraph ? 'No operator of the graph was timed.' : 'The graph is missing, because no ETRecord was given. The timeline shows the events.'}</p>`;
  const picture = pictureOf(root), byChange = picture.answer !== null, isRolled = get('mod.rolled');
  return html`<div class="modules"><div class="toolbar"><${Crumbs} path=${picture.path} top=${picture.top} /></div>
    <div class="toolbar"><${Check} label="roll up equal modules" title="equal modules as one box (u)" checked=${isRolled} change=${roll} /><${Segments} label="Order" options=${[['model', 'Model order'], ['time', 'By time']]} chosen=${get('mod.order')} change=${order => set({'mod.order': order})} />
    ${isCompared() ? html`<${Segments} label="Colour" options=${[['change', 'Change'], ['backend', 'Backend']]} chosen=${get('mod.colour')} change=${colour => set({'mod.colour': colour})} />` : null}<${SceneTools} name="modules" />
    <span class="hint">click opens · Ctrl-wheel zooms</span></div>
    ${times.value.stat === 'p50' ? html`<p class="note">Medians do not add up to the median of Method::execute: the picture shows the operators’ medians only.</p>` : null}
    <div class="beside"><div><div class="icicle-frame"><${Icicle} picture=${picture} /></div><div class="under">${byChange ? html`<${ChangeLegend} />` : html`<${BackendLegend} operators=${operators} />`}</div></div><${Contents} picture=${picture} /></div></div>`;
}
