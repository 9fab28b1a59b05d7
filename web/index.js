// SPDX-License-Identifier: BSD-3-Clause
//
// index.js - the dashboard: the selection, the bar on top and the views. TensorBoard, or a report, calls render().

import {carryOptions, sameOperator} from './carry.js';
import {compareView} from './compare.js';
import {delegationView} from './delegation.js';
import {detailsPanel} from './details.js';
import {choice, element, keepFocus, visibleText} from './dom.js';
import {fleetRows, fleetView} from './fleet.js';
import {UNITS, timeText} from './format.js';
import {memoryView} from './memory.js';
import {UNFILTERED, firstMethod, readProfile} from './model.js';
import {rooflineView} from './roofline.js';
import {openSource, recordLabel} from './source.js';
import {summaryView} from './summary.js';
import {operatorsView} from './table.js';
import {timelineView} from './timeline.js';
import {treeView} from './tree.js';

const VIEWS = [['fleet', 'Fleet', fleetView], ['summary', 'Summary', summaryView], ['operators', 'Operators', operatorsView], ['modules', 'Modules', treeView], ['roofline', 'Roofline', rooflineView], ['timeline', 'Timeline', timelineView],
  ['delegation', 'Delegation', delegationView], ['memory', 'Memory', memoryView], ['compare', 'Compare', compareView]];

const THEMES = [['auto', 'Theme: auto'], ['light', 'Light'], ['dark', 'Dark']];

const FRESH_OPTIONS = {
  fleet: {rows: null, filter: '', by: '', sorting: null, ticked: null},
  summary: {}, operators: {...UNFILTERED, group: 'none', ranking: 'avg', timed: true, sorting: null}, modules: {module: null, fold: false}, roofline: {}, timeline: {}, delegation: {}, memory: {}, compare: {},
};

/** The state that views read and change: the record and method shown, and the selection. If no profile could be loaded, only `problem` is shown. */
class Dashboard {
  constructor(root, source) {
    Object.assign(this, {root, source, records: [], run: null, profile: null, method: null, problem: null, view: 'summary', search: '', selected: null, unit: document.documentElement.dataset.unit || 'ms'});
    this.options = structuredClone(FRESH_OPTIONS);
    this.loaded = new Map();
    this.main = element('main', {class: 'view', id: 'view', role: 'tabpanel', tabindex: '-1'});
    this.side = element('div', {class: 'side'});
    this.bar = element('header', {class: 'bar'});
    root.append(this.bar, element('div', {class: 'page'}, this.main, this.side));
    document.addEventListener('keydown', event => this.key(event));
  }

  time(ns) {
    return timeText(ns, this.unit, this.profile.ticksPerSecond);
  }

  unitName() {
    return UNITS[this.unit].name;
  }

  recordOf(run) {
    return this.records.find(record => record.run === run);
  }

  label(run = this.run) {
    return this.recordOf(run)?.label ?? recordLabel(run ?? '');
  }

  bases() {
    return this.source.basesOf(this.run, this.records);
  }

  async profileOf(run) {
    if (!this.loaded.has(run)) this.loaded.set(run, this.source.load(run).then(readProfile));
    return this.loaded.get(run).catch(error => {
      this.loaded.delete(run);
      throw new Error(`This record cannot be shown: ${error.message}`, {cause: error});
    });
  }

  /** Shows the record `run`, in its method `name` if it has one. While the record loads, or if it cannot be loaded, no figures of another record are shown. `wanted` is the run to compare with. */
  async open(run, name, wanted) {
    Object.assign(this, {run, profile: null, method: null, problem: null, selected: null});
    this.options.compare = {wanted};
    if (this.view === 'compare' && this.bases().length === 0) this.view = 'summary';
    this.draw();
    const profile = await this.profileOf(run).catch(error => this.fail(run, error.message));
    if (!profile || this.run !== run) return;
    this.profile = profile;
    const named = profile.methods.findIndex(method => method.name === name);
    this.openMethod(named >= 0 ? named : firstMethod(profile));
  }

  /** Shows the record and method of a row of the fleet. */
  openRow({run, method}) {
    this.view = 'summary';
    this.open(run, method);
  }

  /** Ticks a row of the fleet; null unticks. When a second record is ticked, the newer one is compared with the older. */
  tick(row) {
    const {fleet} = this.options, {ticked} = fleet;
    fleet.ticked = row;
    if (!row || !ticked || ticked.run === row.run) return;
    const [older, newer] = ticked.written <= row.written ? [ticked, row] : [row, ticked];
    fleet.ticked = null;
    this.view = 'compare';
    this.open(newer.run, newer.method, older.run);
  }

  /* Loads the list of records and keeps the ticked row. The page is not redrawn if the list is unchanged. */
  async loadFleet() {
    const {fleet} = this.options;
    try {
      const records = await this.source.fleet(), said = JSON.stringify(records);
      if (said === fleet.said && !fleet.error) return;
      const rows = fleetRows(records), same = row => row.run === fleet.ticked?.run && row.method === fleet.ticked.method;
      Object.assign(fleet, {said, rows, error: null, ticked: rows.find(same) ?? null});
    } catch (error) {
      fleet.error = error.message;
    }
    if (this.view === 'fleet') this.redraw();
  }

  /** Shows only what is wrong with a record. */
  fail(run, problem) {
    if (this.run !== run) return;
    Object.assign(this, {profile: null, method: null, problem, selected: null});
    this.draw();
  }

  /** Looks for new and rewritten records. The selection and the scroll position stay. */
  async refresh() {
    let records;
    try {
      records = await this.source.list();
    } catch (error) {
      if (!this.run) this.fail(null, error.message); // otherwise TensorBoard shows that it cannot be reached
      return;
    }
    const before = new Map(this.records.map(({run, written}) => [run, written])), written = run => records.find(record => record.run === run)?.written;
    for (const run of before.keys()) if (written(run) !== before.get(run)) this.loaded.delete(run);
    this.records = records;
    if (this.view === 'fleet' && records.length < 2) this.show('summary');
    if (this.view === 'fleet') this.loadFleet();
    if (!this.run) await this.openFirst();
    else if (!this.recordOf(this.run)) this.fail(this.run, 'This record is no longer in the logdir.');
    else if (this.problem) await this.open(this.run);
    else if (written(this.run) !== before.get(this.run) || written(this.options.compare.base) !== before.get(this.options.compare.base)) await this.update();
    else if (records.length !== before.size || records.some(({run}) => !before.has(run))) this.drawMenus();
  }

  /* Draws the lists of records anew; the rest of the page stays as it is. */
  drawMenus() {
    if (this.view === 'compare') this.redraw();
    else keepFocus(this.root, () => this.drawBar());
  }

  async openFirst() {
    const [first] = this.records;
    if (first) await this.open(first.run);
    else this.fail(null, 'No record in this logdir has a profile. Run `etrecord-tb RECORD` to write one.');
  }

  /* Reloads the shown record and its base after one of them was rewritten. */
  async update() {
    const {run, method} = this, base = this.recordOf(this.options.compare.base)?.run;
    try {
      const profile = await this.profileOf(run), compare = base ? await this.comparison(base, run) : {};
      const now = profile.methods.find(other => other.name === method?.name);
      if (this.run !== run || this.method !== method) return;
      this.profile = profile;
      if (!now) return this.openMethod(firstMethod(profile));
      Object.assign(this, {method: now, options: {...carryOptions(this.options, method, now), compare}, selected: sameOperator(now, this.selected)});
      this.redraw();
    } catch (error) {
      this.fail(run, error.message);
    }
  }

  openMethod(index) {
    this.method = this.profile.methods[index];
    this.options = {...structuredClone(FRESH_OPTIONS), compare: this.options.compare, fleet: this.options.fleet};
    this.options.operators.timed = Boolean(this.method?.runs);
    this.selected = null;
    this.show(this.view);
  }

  /** Switches to a view and sets some of its options. */
  show(view, options = {}) {
    const {search, ...rest} = options;
    if (search !== undefined) this.search = search;
    Object.assign(this.options[view], rest);
    this.view = view;
    if (view === 'compare' && this.method && this.options.compare.base === undefined) this.compareWith(this.options.compare.wanted ?? null);
    else this.draw();
    if (view === 'fleet') this.loadFleet();
  }

  /** Changes options of the current view. */
  change(options) {
    Object.assign(this.options[this.view], options);
    this.draw();
  }

  /** Shows the details of an operator beside the view; null closes them. */
  select(operator) {
    this.selected = operator;
    this.drawSide();
  }

  /** Compares with the record `base`. null stands for the newest record of the same model, '' for none. */
  async compareWith(base) {
    const {run} = this, asked = this.options.compare = {base: base ?? '', searching: base === null};
    this.draw();
    const found = base === null ? await this.source.baseFor(run).catch(() => null) : base;
    const compare = found ? await this.comparison(found, run) : {base: '', alone: base === null};
    if (this.run !== run || this.options.compare !== asked) return;
    this.options.compare = compare;
    this.draw();
  }

  async comparison(base, run) {
    try {
      return {base, comparison: await this.source.compare(base, run)};
    } catch (error) {
      return {base, error: error.message};
    }
  }

  searchBox() {
    return element('input', {type: 'search', class: 'search', 'aria-label': 'Search operators', placeholder: 'Search operators  /', value: this.search, oninput: event => {
      this.search = event.target.value;
      this.view = 'operators';
      this.draw();
    }, onkeydown: event => {
      if (event.key === 'ArrowDown' || event.key === 'Enter') this.main.querySelector('[role=grid]')?.focus();
      if (event.key === 'Escape' && this.search === '') event.target.blur();
    }});
  }

  tabs() {
    const isThere = {compare: this.bases().length > 0, fleet: Boolean(this.source.fleet) && this.records.length > 1};
    const views = VIEWS.filter(([view]) => isThere[view] ?? true);
    const tab = ([view, title]) => element('button', {type: 'button', role: 'tab', id: `tab-${view}`, 'aria-selected': String(view === this.view), 'aria-controls': 'view', tabindex: view === this.view ? '0' : '-1', onclick: () => this.show(view)}, title);
    const list = element('div', {class: 'tabs', role: 'tablist', 'aria-label': 'Views', onkeydown: event => {
      const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (!by) return;
      const at = views.findIndex(([view]) => view === this.view);
      this.show(views[(at + by + views.length) % views.length][0]);
      this.bar.querySelector('[role=tab][aria-selected=true]').focus();
    }}, views.map(tab));
    return list;
  }

  recordChoice() {
    const shown = this.records.map(record => [record.run, record.label]);
    if (this.run && !this.recordOf(this.run)) shown.unshift([this.run, this.label()]);
    if (shown.length === 0) return null;
    return oneText(shown) ?? choice('Record', shown, this.run, run => {
      if (this.view === 'fleet') this.view = 'summary'; // the fleet shows all records, so choosing one leaves it
      this.open(run);
    }, {class: 'record'});
  }

  methodChoice() {
    if (!this.profile) return null;
    const methods = this.profile.methods.map((method, index) => [String(index), method.name]);
    return oneText(methods) ?? choice('Method', methods, String(this.profile.methods.indexOf(this.method)), index => this.openMethod(Number(index)));
  }

  drawBar() {
    const units = Object.entries(UNITS).map(([unit, {name}]) => [unit, name]);
    this.bar.replaceChildren(...[this.recordChoice(), this.methodChoice(), this.tabs(), this.searchBox(), choice('Unit of times', units, this.unit, unit => {
      this.unit = unit;
      this.redraw();
    }), choice('Theme', THEMES, currentTheme(), theme => {
      setTheme(theme);
      this.redraw();
    })].filter(Boolean));
  }

  drawSide() {
    this.side.replaceChildren(...(this.selected ? [detailsPanel(this, this.selected)] : []));
    this.root.classList.toggle('with-details', Boolean(this.selected));
  }

  /* Makes what is shown below the bar. */
  content(make) {
    const error = text => element('p', {class: 'note error', role: 'alert'}, text);
    const isOfRecord = this.view !== 'fleet';
    if (isOfRecord && this.problem) return error(this.problem);
    if (isOfRecord && !this.profile) return element('p', {class: 'note'}, 'Loading…');
    if (isOfRecord && !this.method) return element('p', {class: 'note'}, 'This record has no method.');
    try {
      return make(this, {...this.options[this.view], search: this.search});
    } catch (problem) {
      return error(`This cannot be shown: ${problem.message}`);
    }
  }

  draw() {
    const [, title, make] = VIEWS.find(([view]) => view === this.view);
    keepFocus(this.root, () => {
      this.drawBar();
      this.main.setAttribute('aria-labelledby', `tab-${this.view}`);
      this.main.className = `view ${this.view}-view`;
      this.main.replaceChildren(this.content(make));
      this.drawSide();
    });
    document.title = visibleText(`${title} · ${this.label()}`);
  }

  /** Draws the same view again and keeps its scroll position. */
  redraw() {
    const scrolled = () => [this.main, this.main.querySelector('[role=grid]'), this.side.firstElementChild], tops = scrolled().map(part => part?.scrollTop);
    this.inPlace = true;
    this.draw();
    this.inPlace = false;
    scrolled().forEach((part, at) => part && tops[at] && (part.scrollTop = tops[at]));
  }

  key(event) {
    const typing = event.target.matches?.('input[type=search], select');
    if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      this.bar.querySelector('.search')?.focus();
    } else if (event.key === 'Escape') {
      if (this.selected) this.select(null);
      else if (this.search) this.show(this.view, {search: ''});
    }
  }
}

/* Returns the only entry of a list as text, or null if there are several. */
function oneText(list) {
  return list.length === 1 ? element('span', {class: 'single', title: list[0][1]}, list[0][1]) : null;
}

/* ---- Light and dark ---- */

function currentTheme() {
  return document.documentElement.dataset.theme ?? 'auto';
}

function setTheme(theme) {
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/* Follows TensorBoard's own light and dark switch, which sets a class on the body around our frame. */
function followTensorBoard(changed) {
  if (globalThis.parent === globalThis) return;
  const around = globalThis.parent.document.body;
  const follow = () => {
    document.documentElement.classList.toggle('around-dark', around.classList.contains('dark-mode'));
    document.documentElement.classList.toggle('around-light', !around.classList.contains('dark-mode'));
    changed();
  };
  new MutationObserver(follow).observe(around, {attributes: true, attributeFilter: ['class']});
  follow();
}

/* TensorBoard reloads a dashboard by calling `reload` of its element, which is our frame. It does not reload hidden ones, so we reload when the frame is shown. */
function followReloads(reload) {
  const frame = globalThis.frameElement;
  if (!frame) return;
  frame.reload = reload;
  new MutationObserver(() => frame.style.visibility !== 'hidden' && reload()).observe(frame, {attributes: true, attributeFilter: ['style']});
}

/** Fills the page with the dashboard. */
export async function render() {
  const root = element('div', {class: 'dashboard'});
  if (!document.getElementById('profile')) document.head.append(element('link', {rel: 'stylesheet', href: String(new URL('style.css', import.meta.url))}));
  document.body.append(root);
  try {
    const source = await openSource(), dashboard = new Dashboard(root, source);
    await dashboard.refresh();
    followTensorBoard(() => dashboard.redraw());
    if (source.changes) followReloads(() => dashboard.refresh());
  } catch (error) {
    root.append(element('p', {class: 'note error', role: 'alert'}, error.message));
  }
}
