// SPDX-License-Identifier: BSD-3-Clause
//
// index.js - the dashboard: what is chosen, the bar on top, the views. TensorBoard, or a report, calls render().

import {compareView} from './compare.js';
import {delegationView} from './delegation.js';
import {detailsPanel} from './details.js';
import {choice, element} from './dom.js';
import {UNITS, timeText} from './format.js';
import {firstMethod, readProfile} from './model.js';
import {openSource} from './source.js';
import {summaryView} from './summary.js';
import {operatorsView} from './table.js';
import {timelineView} from './timeline.js';
import {treeView} from './tree.js';

const VIEWS = [['summary', 'Summary', summaryView], ['operators', 'Operators', operatorsView], ['modules', 'Modules', treeView], ['timeline', 'Timeline', timelineView],
  ['delegation', 'Delegation', delegationView], ['compare', 'Compare', compareView]];

const THEMES = [['auto', 'Theme: auto'], ['light', 'Light'], ['dark', 'Dark']];

const FRESH_OPTIONS = {
  summary: {}, operators: {group: 'none', backend: '', timed: true, module: null, only: null, sorting: null}, modules: {module: null}, timeline: {}, delegation: {}, compare: {},
};

/** What the views see: the record and method shown, what is chosen, and ways to change that. */
class Dashboard {
  constructor(root, source) {
    Object.assign(this, {root, source, records: source.records, run: source.records[0]?.run, view: 'summary', search: '', selected: null, unit: document.documentElement.dataset.unit || 'ms'});
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

  label(run = this.run) {
    return this.records.find(record => record.run === run)?.label ?? run;
  }

  async profileOf(run) {
    if (!this.loaded.has(run)) this.loaded.set(run, this.source.load(run).then(readProfile));
    return this.loaded.get(run);
  }

  /** Shows a record. */
  async open(run) {
    this.run = run;
    this.main.replaceChildren(element('p', {class: 'note'}, 'Loading…'));
    try {
      const profile = await this.profileOf(run);
      if (this.run !== run) return;
      this.profile = profile;
      this.openMethod(firstMethod(profile));
    } catch (error) {
      this.loaded.delete(run);
      this.main.replaceChildren(element('p', {class: 'note error', role: 'alert'}, `This record cannot be shown: ${error.message}`));
    }
  }

  openMethod(index) {
    this.method = this.profile.methods[index];
    this.options = {...structuredClone(FRESH_OPTIONS), compare: this.options.compare};
    this.options.operators.timed = Boolean(this.method?.runs);
    this.selected = null;
    this.draw();
  }

  /** Goes to a view, with some of its options. */
  show(view, options = {}) {
    const {search, ...rest} = options;
    if (search !== undefined) this.search = search;
    Object.assign(this.options[view], rest);
    this.view = view;
    this.draw();
  }

  /** Changes options of the view. */
  change(options) {
    Object.assign(this.options[this.view], options);
    this.draw();
  }

  /** Shows an operator's details beside the view; null closes them. */
  select(operator) {
    this.selected = operator;
    this.drawSide();
  }

  async compareWith(run) {
    this.options.compare = {base: run};
    this.draw();
    if (!run) return;
    try {
      const baseProfile = await this.profileOf(run);
      if (this.options.compare.base === run) this.options.compare = {base: run, baseProfile};
    } catch (error) {
      this.options.compare = {base: run, baseError: error.message};
    }
    this.draw();
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
    const views = VIEWS.filter(([view]) => view !== 'compare' || this.records.length > 1);
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

  drawBar() {
    const records = this.records.map(record => [record.run, record.label]), methods = this.profile.methods.map((method, index) => [String(index), method.name]);
    const single = (list, text) => (list.length === 1 ? element('span', {class: 'single', title: text}, text) : null);
    const units = Object.entries(UNITS).map(([unit, {name}]) => [unit, name]);
    this.bar.replaceChildren(
      single(records, this.label()) ?? choice('Record', records, this.run, run => this.open(run), {class: 'record'}),
      single(methods, this.method?.name) ?? choice('Method', methods, String(this.profile.methods.indexOf(this.method)), index => this.openMethod(Number(index))),
      this.tabs(), this.searchBox(), choice('Unit of times', units, this.unit, unit => {
        this.unit = unit;
        this.draw();
      }), choice('Theme', THEMES, currentTheme(), theme => {
        setTheme(theme);
        this.draw();
      }));
  }

  drawSide() {
    this.side.replaceChildren(...(this.selected ? [detailsPanel(this, this.selected)] : []));
    this.root.classList.toggle('with-details', Boolean(this.selected));
  }

  draw() {
    const searching = document.activeElement?.classList.contains('search'), caret = searching ? document.activeElement.selectionStart : 0;
    this.drawBar();
    const [, title, make] = VIEWS.find(([view]) => view === this.view);
    this.main.setAttribute('aria-labelledby', `tab-${this.view}`);
    this.main.className = `view ${this.view}-view`;
    this.main.replaceChildren(this.method ? make(this, {...this.options[this.view], search: this.search}) : element('p', {class: 'note'}, 'The record has no method.'));
    this.drawSide();
    document.title = `${title} · ${this.label()}`;
    if (!searching) return;
    const box = this.bar.querySelector('.search');
    box.focus();
    box.setSelectionRange(caret, caret);
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

/* ---- Light and dark ---- */

function currentTheme() {
  return document.documentElement.dataset.theme ?? 'auto';
}

function setTheme(theme) {
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/* TensorBoard has a switch of its own, which the page around the frame tells. */
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

/** Fills the page. */
export async function render() {
  const root = element('div', {class: 'dashboard'});
  if (!document.getElementById('profile')) document.head.append(element('link', {rel: 'stylesheet', href: String(new URL('style.css', import.meta.url))}));
  document.body.append(root);
  try {
    const source = await openSource();
    if (source.records.length === 0) throw new Error('no record in this logdir has a profile; etrecord-tb RECORD writes one');
    const dashboard = new Dashboard(root, source);
    await dashboard.open(source.records[0].run);
    followTensorBoard(() => dashboard.method && dashboard.draw());
  } catch (error) {
    root.append(element('p', {class: 'note error', role: 'alert'}, error.message));
  }
}
