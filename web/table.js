// SPDX-License-Identifier: BSD-3-Clause
//
// table.js - the table of operators, with sorting, filters and groups. Only the visible rows are in the page, so that thousands of rows scroll smoothly.

import {distributionBar, logScale} from './distribution.js';
import {choice, element, segments, estimatedCell, timeCell} from './dom.js';
import {callsText, countText, rateText, shareText, sourceText} from './format.js';
import {TOP_LEVEL, backendsOf, filterOperators, groupOperators, sortRows, summedMedian, totalOf} from './model.js';

export const ROW_HEIGHT = 28;
const ROWS_AROUND = 8;

const GROUPS = [['none', 'Each'], ['op', 'Operator type'], ['module', 'Module'], ['source', 'Source line'], ['backend', 'Backend']];

/** Returns the range of rows, {first, end}, that is visible or up to ROWS_AROUND rows away, out of `count`. */
export function rowsInSight(scrollTop, height, count) {
  const first = Math.max(0, Math.min(count, Math.floor(scrollTop / ROW_HEIGHT) - ROWS_AROUND));
  return {first, end: Math.min(count, Math.ceil((scrollTop + height) / ROW_HEIGHT) + ROWS_AROUND)};
}

function shareBar(part, most) {
  return element('span', {class: 'bar', style: {width: `${most > 0 ? (100 * part) / most : 0}%`}});
}

function badge(operator) {
  if (!operator.match) return operator.carrier >= 0 ? element('span', {class: 'badge quiet', title: 'fused into another operator, which has its time'}, 'fused') : '';
  return element('span', {class: operator.match === 'aligned' ? 'badge estimated' : 'badge'}, operator.match === 'aligned' ? 'estimated' : operator.match);
}

/* Shares of medians refer to the sum of all medians, because medians do not add up to the method's. */
function shareColumn(app, ranking) {
  const {title, width, whole} = ranking === 'p50'
    ? {title: 'share of summed p50', width: '136px', whole: summedMedian(app.method.operators)} : {title: 'share', width: '68px', whole: app.method.execute.avg};
  return {title, width, class: 'number', sort: row => row[ranking], descending: true, cell: row => shareText(row[ranking], whole)};
}

/* Makes a column of costs, which only wide windows show. "≈" marks costs that use the sizes of the export's example. */
function costColumn(key, title, hint) {
  return {key, title, hint, width: '84px', from: 1480, class: 'number', sort: row => row[key], descending: true, cell: row => (row[key] === null ? '' : `${row.hinted ? '≈ ' : ''}${rateText(row[key])}`)};
}

const COST_COLUMNS = [
  costColumn('macs', 'MACs', 'multiply-accumulates, per inference'), costColumn('gflops', 'GFLOP/s', '10⁹ operations per second, floating-point or integer'),
  costColumn('gbs', 'GB/s', '10⁹ bytes read and written per second'),
];

function operatorColumns(app, scale, ranking) {
  const time = (key, title) => ({title: `${title} ${app.unitName()}`, width: '92px', class: 'number', sort: row => row[key], descending: true, cell: row => (row.estimated ? estimatedCell(app, row[key]) : app.time(row[key]))});
  return [
    {title: 'operator', width: 'minmax(170px, 1.7fr)', sort: row => row.op, cell: row => element('span', {class: 'cut', title: `${row.op}\n${row.name}`}, row.op)},
    {title: 'node', width: 'minmax(130px, 1.6fr)', from: 1320, class: 'quiet', sort: row => row.name, cell: row => element('span', {class: 'cut head', title: row.name}, element('bdi', {}, row.name))},
    {title: 'module', width: 'minmax(150px, 2.4fr)', sort: row => row.module?.path, cell: row => element('span', {class: 'cut head', title: row.module?.path}, element('bdi', {}, row.module?.path || ''))},
    {title: 'backend', width: '112px', from: 860, sort: row => row.backend, cell: row => element('span', {class: 'cut'}, row.backend ?? '')},
    {title: 'match', width: '98px', from: 1100, sort: row => row.match, cell: badge},
    {title: 'calls', width: '56px', from: 1180, class: 'number', sort: row => row.calls, descending: true, cell: row => callsText(row.calls)},
    time('avg', 'avg'), time('p50', 'p50'), {...time('p90', 'p90'), from: 1000},
    shareColumn(app, ranking), ...COST_COLUMNS.filter(({key}) => app.method.operators.some(row => row[key] !== null)),
    {title: 'spread (log)', hint: 'min, p10, p50, p90, max of the runs, on a logarithmic scale', width: 'minmax(110px, 1fr)', cell: row => distributionBar(row, scale, ns => app.time(ns))},
  ];
}

const GROUP_LABELS = {
  op: group => group.key, module: group => group.key || TOP_LEVEL, backend: group => group.key || '(unknown)',
  source: group => (group.first.source ? `${sourceText(group.first.source)}: ${group.first.source.code}` : '(not recorded)'),
};

function groupColumns(app, by, rows) {
  const whole = app.method.execute.avg, most = rows.reduce((max, row) => Math.max(max, row.avg), 0), label = GROUP_LABELS[by];
  return [
    {title: GROUPS.find(([key]) => key === by)[1].toLowerCase(), width: 'minmax(260px, 3fr)', sort: row => row.key, cell: row => element('span', {class: 'cut', title: row.key}, label(row))},
    {title: 'nodes', width: '72px', class: 'number', sort: row => row.count, descending: true, cell: row => String(row.count)},
    {title: 'timed', width: '72px', class: 'number', sort: row => row.timed, descending: true, cell: row => String(row.timed)},
    {title: `${by === 'module' ? 'own' : 'avg'} ${app.unitName()}`, width: '110px', class: 'number', sort: row => row.avg, descending: true, cell: row => timeCell(app, row.avg, row.estimated)},
    {title: 'estimated', width: '110px', class: 'number', sort: row => row.estimated, descending: true, cell: row => (row.estimated > 0 ? app.time(row.estimated) : '–')},
    {title: 'share', width: '80px', class: 'number', sort: row => row.avg, descending: true, cell: row => shareText(row.avg, whole)},
    {title: '', width: 'minmax(140px, 2fr)', class: 'bar-cell', cell: row => shareBar(row.avg, most)},
  ];
}

/** A table that holds only the visible rows, and the columns that fit its width. `open` is called with a row that is clicked. */
export class LongTable {
  constructor(label, columns, rows, sorting, open) {
    Object.assign(this, {all: columns, columns: [], rows, sorting, open, chosen: -1, revealed: false});
    this.space = element('div', {class: 'space', style: {height: `${rows.length * ROW_HEIGHT}px`}});
    this.body = element('div', {class: 'rows', role: 'rowgroup'}, this.space);
    this.head = element('div', {class: 'head-group', role: 'rowgroup'});
    this.grid = element('div', {class: 'grid-table', role: 'grid', tabindex: '0', 'aria-label': label, 'aria-rowcount': String(rows.length + 1), 'aria-colcount': String(columns.length),
      onscroll: () => this.draw(), onkeydown: event => this.key(event), onclick: event => this.click(event)}, this.head, this.body);
    this.resized = new ResizeObserver(() => this.grid.isConnected && this.fit());
    this.resized.observe(this.grid);
  }

  heading(column) {
    const index = this.all.indexOf(column), {sorting} = this, sorted = sorting.column === index;
    const next = {column: index, descending: sorted ? !sorting.descending : Boolean(column.descending)};
    const inside = column.sort ? element('button', {type: 'button', onclick: () => sorting.change(next)}, column.title, sorted ? (sorting.descending ? ' ↓' : ' ↑') : '') : column.title;
    return element('span', {role: 'columnheader', class: column.class, title: column.hint ?? column.title, 'aria-colindex': String(index + 1), 'aria-sort': sorted ? (sorting.descending ? 'descending' : 'ascending') : undefined}, inside);
  }

  /** Chooses the columns that fit the width. */
  fit() {
    const width = this.grid.clientWidth;
    this.columns = this.all.filter(column => !(column.from > width));
    this.template = this.columns.map(column => column.width).join(' ');
    this.head.replaceChildren(element('div', {class: 'row head', role: 'row', 'aria-rowindex': '1', style: {'grid-template-columns': this.template}}, this.columns.map(column => this.heading(column))));
    if (this.chosen >= 0 && !this.revealed) this.reveal();
    this.revealed = true;
    this.draw();
  }

  row(index) {
    const row = this.rows[index], chosen = index === this.chosen;
    return element('div', {class: chosen ? 'row chosen' : 'row', role: 'row', id: `row-${index}`, 'data-row': String(index), 'aria-rowindex': String(index + 2), 'aria-selected': String(chosen),
      style: {top: `${index * ROW_HEIGHT}px`, 'grid-template-columns': this.template}},
      this.columns.map(column => element('span', {role: 'gridcell', class: column.class, 'aria-colindex': String(this.all.indexOf(column) + 1)}, column.cell(row))));
  }

  draw() {
    const {first, end} = rowsInSight(this.grid.scrollTop, this.grid.clientHeight, this.rows.length);
    const made = [];
    for (let index = first; index < end; index++) made.push(this.row(index));
    this.body.replaceChildren(this.space, ...made);
    if (this.chosen >= 0) this.grid.setAttribute('aria-activedescendant', `row-${this.chosen}`);
  }

  reveal() {
    const top = this.chosen * ROW_HEIGHT, {scrollTop, clientHeight} = this.grid;
    if (top < scrollTop) this.grid.scrollTop = top;
    else if (top + 2 * ROW_HEIGHT > scrollTop + clientHeight) this.grid.scrollTop = top + 2 * ROW_HEIGHT - clientHeight;
  }

  /** Selects a row and scrolls to it. */
  choose(index) {
    this.chosen = Math.max(0, Math.min(this.rows.length - 1, index));
    this.reveal();
    this.draw();
  }

  click(event) {
    const row = event.target.closest('[data-row]');
    if (!row) return;
    this.choose(Number(row.dataset.row));
    this.open(this.rows[this.chosen]);
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.grid.clientHeight / ROW_HEIGHT) - 2);
    const to = {ArrowDown: this.chosen + 1, ArrowUp: this.chosen - 1, PageDown: this.chosen + page, PageUp: this.chosen - page, Home: 0, End: this.rows.length - 1}[event.key];
    if (this.rows.length === 0 || event.target !== this.grid || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter' && this.chosen >= 0) this.open(this.rows[this.chosen]);
    else if (to === undefined) return;
    else this.choose(to);
    event.preventDefault();
  }
}

const chip = (label, text, onclick) => element('button', {type: 'button', class: 'chip', 'aria-label': label, onclick}, `${text} ×`);

/* Makes a chip for each filter that no other control shows; a click removes the filter. */
function chips(app, {module, only, groups}) {
  const without = wanted => Object.fromEntries(Object.entries(groups).filter(([by]) => by !== wanted));
  const groupText = {op: key => key, module: key => (key ? `directly in ${key}` : TOP_LEVEL), backend: key => key || '(unknown)', source: key => key.split('/').pop() || '(not recorded)'};
  return [
    only ? chip('Show all operators', only.text, () => app.change({only: null})) : null,
    module ? chip(`Show all modules, not only ${module.path}`, `in ${module.path || 'the model'}`, () => app.change({module: null})) : null,
    ...Object.entries(groups).map(([by, key]) => chip(`Show all, not only ${key}`, groupText[by](key), () => app.change({groups: without(by)}))),
  ];
}

function toolbar(app, options, shown) {
  const backends = backendsOf(app.method.operators);
  return element('div', {class: 'toolbar'},
    segments('Group by', GROUPS, options.group, group => app.change({group, sorting: null})),
    options.group === 'none' ? segments('Rank by', [['avg', 'avg'], ['p50', 'p50']], options.ranking, ranking => app.change({ranking, sorting: null})) : null,
    choice('Backend', [['', 'all backends'], ...backends.map(name => [name, name])], options.backend, backend => app.change({backend})),
    element('label', {class: 'check'}, element('input', {type: 'checkbox', checked: options.timed, 'aria-label': 'timed only', onchange: event => app.change({timed: event.target.checked})}), 'timed only'),
    chips(app, options),
    element('span', {class: 'count', role: 'status'}, `${countText(shown.length, 'operator')}, ${app.time(totalOf(shown))} ${app.unitName()}, ${shareText(totalOf(shown), app.method.execute.avg)}`));
}

/** Makes the view. options: {search, backend, timed, module, only, groups, group, ranking, sorting}; the first six are filters of filterOperators(). */
export function operatorsView(app, options) {
  const shown = filterOperators(app.method.operators, options), each = options.group === 'none';
  let rows = each ? shown : groupOperators(shown, options.group);
  const columns = each ? operatorColumns(app, logScale(shown), options.ranking) : groupColumns(app, options.group, rows);
  const byTime = columns.findIndex(column => (each ? column.title.startsWith(`${options.ranking} `) : /^(avg|own) /.test(column.title)));
  const sorting = {...(options.sorting ?? {column: byTime, descending: true}), change: next => app.change({sorting: next})};
  rows = sortRows(rows, columns[sorting.column].sort, sorting.descending);
  const open = row => (each ? app.select(row) : app.change({group: 'none', sorting: null, groups: {...options.groups, [options.group]: row.key}}));
  const table = new LongTable(each ? 'Operators' : 'Operators, grouped', columns, rows, sorting, open);
  if (each && app.selected) table.chosen = rows.indexOf(app.selected);
  table.revealed = app.inPlace;
  return element('div', {class: 'operators'}, toolbar(app, options, shown), rows.length ? table.grid : element('p', {class: 'note'}, app.method.hasGraph ? 'No operator matches.' : 'The graph is missing, because no ETRecord was given. The timeline shows the events.'));
}
