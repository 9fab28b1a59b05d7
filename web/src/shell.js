// SPDX-License-Identifier: BSD-3-Clause
//
// shell.js - the frame of the page: the bar on top, the tabs, the view, the panel of details, keys, and what
// TensorBoard asks of a dashboard.

import {effect} from '@preact/signals';
import {Component, render as renderInto} from 'preact';
import {useEffect, useLayoutEffect, useRef} from 'preact/hooks';

import {
  bases,
  explain,
  hasStats,
  showsDelegates,
  hits,
  labelOf,
  method,
  problem,
  profile,
  records,
  refresh,
  sectionOf,
  select,
  show,
  showBase,
  showRecord,
  shownRun,
  source,
  stepHit,
  unit,
  unitName,
} from './base/app.js';
import {openAddress} from './base/address.js';
import {command, commandsOf, runKey} from './base/commands.js';
import {openSource} from './base/document.js';
import {search} from './base/filter.js';
import {countText, UNITS} from './base/format.js';
import {html, visibleText} from './base/html.js';
import {declare, defaultsOf, flag, follow, get, peek, set} from './base/store.js';
import {Check, Choice, closeMenu, shareOfWhole, sumHint, timeText, focusOn} from './parts/bits.js';
import {askPattern} from './parts/editor.js';
import {Explanation, explainNumbers} from './parts/explain.js';
import {said} from './parts/export.js';
import {isPrinting} from './parts/table.js';
import {BaseChoice} from './views/compare.js';
import {Details} from './views/details.js';
import {VIEWS} from './views/index.js';
import {ShareMenu} from './views/share.js';

declare({help: flag(false), all: flag(false)}); // all: all views of the method below each other, as they are printed

const THEMES = [
  ['auto', 'auto'],
  ['light', 'light'],
  ['dark', 'dark'],
];
const STATS = [
  ['typical', 'typical run'],
  ['avg', 'average'],
  ['p50', 'median'],
];

/* ---- The bar ---- */

const shownViews = () => VIEWS.filter(({isThere}) => isThere?.() ?? true);

function Tabs() {
  const views = shownViews(),
    key = event => {
      const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (!by) return;
      const at = views.findIndex(({name}) => name === get('view')),
        next = views[(at + by + views.length) % views.length].name;
      show(next);
      requestAnimationFrame(() => document.getElementById(`tab-${next}`)?.focus());
      event.stopPropagation();
    };
  const tab = (
    {name, title, letter},
    at,
  ) => html`<button type="button" role="tab" title=${`${title} (${at < 9 ? `${at + 1} or ` : ''}g ${letter})`}
    id=${`tab-${name}`}
    aria-selected=${String(name === get('view'))} aria-controls="view" tabindex=${name === get('view') ? '0' : '-1'}
      onClick=${() => show(name)}>${title}</button>`;
  return html`<div class="tabs" role="tablist" aria-label="Views" onKeyDown=${key}>${views.map(tab)}</div>`;
}

/* A list with one entry is a text. */
const OneOf = ({label, options, chosen, change, ...rest}) =>
  options.length === 1
    ? html`<span class="single" title=${options[0][1]}>${options[0][1]}</span>`
    : html`<${Choice} label=${label} options=${options} chosen=${chosen} change=${change} ...${rest} />`;

function RecordChoice() {
  const options = records.value.map(({run, label}) => [run, label]);
  if (shownRun.value && !records.value.some(({run}) => run === shownRun.value))
    options.unshift([shownRun.value, labelOf(shownRun.value)]);
  if (options.length === 0) return null;
  // The fleet shows all records, so choosing one leaves it.
  const change = run =>
    set({
      record: run,
      method: '',
      sel: '',
      q: '',
      in: '',
      at: '',
      base: run === get('base') ? '' : get('base'),
      ...(get('view') === 'fleet' ? {view: 'summary'} : {}),
    });
  return html`<${OneOf} label="Record" class="record" options=${options} chosen=${shownRun.value} change=${change} />`;
}

function MethodChoice() {
  if (!profile.value?.methods.length) return null;
  const options = profile.value.methods.map(({name, index}) => [String(index), name]),
    names = options.map(([, name]) => name);
  const idOf = index => (names.indexOf(names[index]) === names.lastIndexOf(names[index]) ? names[index] : `#${index}`);
  const change = index => set({method: idOf(index), sel: '', q: '', in: '', at: '', ...defaultsOf('tl')});
  return html`<${OneOf} label="Method" class="method" options=${options} chosen=${String(method.value.index)}
    change=${change} />`;
}

/* The statistic of all views; null if there is no choice. One run is chosen by its bar in the summary. */
function statChoice() {
  const options = [
    ...STATS.slice(0, method.value?.runs && hasStats(method.value) ? 3 : 1),
    ...(get('stat') === 'run' && !showsDelegates() ? [['run', `run ${get('run')}`]] : []),
  ];
  if (options.length < 2) return null;
  return html`<${Choice} label="Statistic of times" options=${options} chosen=${get('stat')}
    change=${stat => set({stat})} />`;
}

/* How many operators of the graph the search finds, below its box. */
function Hits() {
  const {rows, problem: wrong, isAll, time} = hits.value,
    looksLikePattern = /^[^/]*[|()[\]^$\\+][^/]*$/.test(get('q'));
  if (isAll || !method.value?.hasGraph) return html`<span class="hits" role="status"></span>`;
  const said = wrong
    ? 'not understood'
    : !rows.length && looksLikePattern
      ? '0 hits; /…/ is a regular expression'
      : `${countText(rows.length, 'hit')}, ${timeText(time, 0, rows)} ${unitName.value}, ${shareOfWhole(time)}`;
  return html`<span class=${`count hits${wrong ? ' error' : ''}`} role="status" title=${wrong ?? ''}
    aria-description=${wrong ? undefined : explain(sumHint(), rows)}>${said}</span>`;
}

const SEARCH_HINT = 'words in names and modules, or terms such as op:conv*; ? lists them';

function Search() {
  const box = useRef(null);
  const key = event => {
    if (event.key === 'Enter') stepHit(event.shiftKey ? -1 : 1);
    else if (event.key === 'ArrowDown') focusOn('#view [role=grid], #view [tabindex="0"]');
    else if (event.key === 'Escape') peek('q') ? set({q: ''}, {replace: true}) : box.current.blur();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return html`<div class="search-box"><input ref=${box} type="search" class="search" aria-label="Search operators"
    placeholder="Search  /" title=${SEARCH_HINT} value=${get('q')}
    onInput=${event => set({q: event.target.value}, {replace: true})} onKeyDown=${key} /><${Hits} /></div>`;
}

/* What is set seldom: the statistic, the unit, the theme, digits, help. */
function Settings() {
  const row = (text, inside) => (inside ? html`<label class="menu-row"><span>${text}</span>${inside}</label>` : null);
  return html`<details class="menu settings"><summary aria-label="Settings" title="Settings">⋯</summary><div>
    ${row('Times are of', statChoice())}
    ${row(
      'Unit',
      html`<${Choice} label="Unit of times"
      options=${Object.entries(UNITS).map(([name, made]) => [name, made.name])} chosen=${unit.value}
      change=${name => set({unit: name})} />`,
    )}
    ${row(
      'Theme',
      html`<${Choice} label="Theme" class="theme" options=${THEMES} chosen=${currentTheme()}
      change=${setTheme} />`,
    )}
    <${Check} label="all digits" title="all digits of times, or those that are known (.)" checked=${get('digits')}
      change=${digits => set({digits}, {replace: true})} />
    <button type="button" onClick=${askPattern}>Links to an editor…</button>
    <button type="button"
      onClick=${event => (
        closeMenu(event.currentTarget.closest('details')),
        set({help: true}, {replace: true})
      )}>Keys and help (?)</button></div></details>`;
}

function Bar() {
  return html`<header class="bar"><${RecordChoice} /><${MethodChoice} />
    ${bases.value.length ? html`<${BaseChoice} />` : null}<${Tabs} /><span class="push"></span><${Search} />
    <${ShareMenu} /><${Settings} /></header>`;
}

/* ---- Keys ---- */

command({name: 'search', keys: ['/'], text: 'Search', run: () => focusOn('.bar .search')});
command({name: 'next-hit', keys: ['n'], text: 'Next hit of the search', run: () => stepHit(1)});
command({name: 'previous-hit', keys: ['N'], text: 'Previous hit', run: () => stepHit(-1)});
command({
  name: 'help',
  keys: ['?'],
  text: 'Show or hide this list',
  run: () => set({help: !peek('help')}, {replace: true}),
});
command({
  name: 'one',
  keys: ['Escape'],
  text: 'Show one view again',
  isPossible: () => peek('all'),
  run: () => set({all: false}),
});
command({
  name: 'leave',
  keys: ['Escape'],
  text: 'Close the list, the details, then the search',
  run: () => (peek('sel') ? select(null) : set({q: ''})),
});
command({
  name: 'view',
  keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9'],
  text: 'Show the first to ninth view in the row',
  run: event => {
    const wanted = shownViews()[Number(event.key) - 1];
    if (wanted) show(wanted.name);
  },
});

for (const {name, title, letter, isThere} of VIEWS)
  command({
    name: `view-${name}`,
    keys: [`g ${letter}`],
    text: title,
    group: 'Views',
    isPossible: () => isThere?.() ?? true,
    run: () => show(name),
  });

/* Prints all views. The browser's own command prints the view that is shown. */
command({
  name: 'print',
  keys: ['P'],
  text: 'Print all views',
  run: async () => {
    set({all: true});
    for (
      let left = 50;
      left > 0 && (left > 48 || document.getElementById('view').textContent.includes('Loading…'));
      left--
    )
      await new Promise(done => setTimeout(done, 100)); // sections are unpacked, then pictures are drawn
    print();
    set({all: false}, {replace: true});
  },
});

const KEY_NAMES = {ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓', ' ': 'space'};
const keyText = key => key.replace('shift+', '⇧ ').replace(/Arrow\w+|^ $/, name => KEY_NAMES[name]);
const Keys = ({keys}) => keys.map(key => html`<kbd>${keyText(key)}</kbd> `);

// The keys of a table that has the focus (parts/table.js).
const TABLE_KEYS = [
  [['ArrowUp', 'ArrowDown'], 'The row before or after; with ⇧ all between are marked'],
  [['PageUp', 'PageDown'], 'A page'],
  [['Home', 'End'], 'The first or last row'],
  [['Enter'], 'Open the row'],
  [[' '], 'Mark the row, or Ctrl and a click: marked rows are summed and copied'],
];

function Help() {
  const box = useRef(null);
  useEffect(() => {
    if (!box.current) return undefined;
    const before = /** @type {HTMLElement} */ (document.activeElement);
    box.current.focus();
    return () => before.focus();
  }, [get('help')]);
  if (!get('help')) return null;
  const groups = Map.groupBy(
    commandsOf(get('view')).filter(({keys, group, isPossible}) => keys?.length && (!group || isPossible())),
    ({group, views}) => group ?? (views ? 'This view' : 'Everywhere'),
  );
  return html`<div class="help" role="dialog" aria-label="Keys" tabindex="-1" ref=${box}>
    ${[...groups].map(
      ([title, list]) => html`<section><h2>${title}</h2><dl>${list.map(
        ({keys, text}) => html`<dt>
    <${Keys} keys=${keys.length > 4 ? [`${keys[0]} … ${keys.at(-1)}`] : keys} /></dt><dd>${text}</dd>`,
      )}</dl>
    </section>`,
    )}
    <section><h2>Tables</h2><dl>${TABLE_KEYS.map(
      ([keys, text]) => html`<dt><${Keys} keys=${keys} /></dt><dd>${text}
      </dd>`,
    )}</dl></section>
    <section><h2>Search</h2><dl>${[
      ['conv relu', 'both words, in names, modules or their types'],
      ['src:model.py:12', 'source lines'],
      ['/layers\\.(1|2)/', 'a regular expression'],
      ['op:conv*', 'operators'],
      ['module:layers.3', 'a module and all inside'],
      ['backend:cpu', 'kernels outside delegates'],
      ['avg>0.1', 'times, in the unit shown'],
      ['Enter', 'the next hit; with ⇧ the one before'],
    ].map(([key, text]) => html`<dt><kbd>${key}</kbd></dt><dd>${text}</dd>`)}</dl></section></div>`;
}

function onKey(event) {
  const typing = event.target.matches?.('input:not([type=checkbox]), select, textarea');
  if (typing && event.key !== 'Escape') return;
  const menu = document.querySelector('details.menu[open]');
  if (event.key === 'Escape' && menu) return closeMenu(menu);
  // before what Escape means in a view
  if (event.key === 'Escape' && peek('help')) return set({help: false}, {replace: true});
  if (runKey(peek('view'), event)) event.preventDefault();
}

/* A press or the focus outside an open menu closes it. */
function closeMenus({target}) {
  for (const menu of document.querySelectorAll('details.menu[open]'))
    if (!menu.contains(target)) menu.removeAttribute('open');
}

/* ---- The page ---- */

const Problem = ({text}) => html`<p class="note error" role="alert">${text}</p>`;

/* What a view cannot draw, as of a damaged document, it says; the rest of the page works. */
class Guard extends Component {
  static getDerivedStateFromError(error) {
    return {error};
  }

  render({children}, {error}) {
    return error
      ? html`<${Problem}
        text=${`This view cannot be shown: ${error.message}. The document may be damaged; write the record again.`} />`
      : children;
  }
}

/* A view with its title, which only a page with all views and paper show. */
function Shown({view: {name, title, View, isOfAllRecords}}) {
  const inside =
    !isOfAllRecords && problem.value
      ? html`<${Problem} text=${problem.value} />`
      : !isOfAllRecords && !profile.value
        ? html`<p class="note">Loading…</p>`
        : !isOfAllRecords && !method.value
          ? html`<p class="note">This record has no method.</p>`
          : html`<${View} />`;
  return html`${
    isPrinting.value || get('all')
      ? html`<h1 class="view-title">${title} · ${labelOf(shownRun.value)}
    ${method.value ? ` · ${method.value.name}` : ''}</h1>`
      : null
  }<${Guard}
    key=${`${name} ${shownRun.value} ${method.value?.name}`}>${inside}<//>`;
}

/* The view that is shown: the one of the address, or the first that says most. */
const shownView = () => VIEWS.find(({name}) => name === get('view')) ?? VIEWS.find(({name}) => name === 'summary');

function Content() {
  const view = shownView(),
    {name} = view,
    isAll = get('all'),
    main = useRef(null);
  useLayoutEffect(() => {
    // before a view moves what is selected into sight
    main.current.scrollTop = 0;
  }, [name, isAll, shownRun.value, method.value?.name]);
  const each = () =>
    shownViews().map(
      other => html`<section key=${other.name} class=${`${other.name}-view`}><${Shown} view=${other} /></section>`,
    );
  return html`<main class=${isAll ? 'view all-views' : `view ${name}-view`} id="view" role="tabpanel" tabindex="-1"
    aria-labelledby=${`tab-${name}`} ref=${main}>${isAll ? each() : html`<${Shown} view=${view} />`}</main>`;
}

function Page() {
  const isBelow = get('view') === 'timeline' && !get('all'),
    details = method.value && profile.value ? html`<${Details} />` : null;
  return html`<${Bar} /><div class=${isBelow ? 'page has-below' : 'page'}><${Content} /><div class="side">${details}
    </div></div><${Help} /><${Explanation} /><p class="toast" role="status" aria-live="polite">${said.value}</p>`;
}

/* ---- Light and dark ---- */

function currentTheme() {
  return document.documentElement.dataset.theme ?? 'auto';
}

function setTheme(theme) {
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  dispatchEvent(new Event('themechange'));
}

/* Follows TensorBoard's own light and dark switch, which sets a class on the body around our frame. */
function followTensorBoard() {
  if (window.parent === window) return;
  const around = globalThis.parent.document.body;
  const follows = () => {
    document.documentElement.classList.toggle('around-dark', around.classList.contains('dark-mode'));
    document.documentElement.classList.toggle('around-light', !around.classList.contains('dark-mode'));
    dispatchEvent(new Event('themechange'));
  };
  new MutationObserver(follows).observe(around, {attributes: true, attributeFilter: ['class']});
  follows();
}

/* TensorBoard reloads a dashboard by calling `reload` of its element, which is our frame. It does not reload hidden
   ones, so we reload when the frame is shown. */
function followReloads() {
  const frame = /** @type {HTMLElement} */ (globalThis.frameElement);
  if (!frame) return;
  // otherwise TensorBoard shows that it cannot be reached
  const reload = () => refresh().catch(error => shownRun.peek() || (problem.value = error.message));
  Object.assign(frame, {reload});
  new MutationObserver(() => frame.style.visibility !== 'hidden' && reload()).observe(frame, {
    attributes: true,
    attributeFilter: ['style'],
  });
}

/* ---- Before it is asked for ---- */

// Safari has none
const idle = act => (globalThis.requestIdleCallback ? requestIdleCallback(act, {timeout: 5000}) : setTimeout(act, 500));

/* Unpacks the sections of the views that were not shown yet, and makes what they draw, one by one when the page is
   idle: then the first switch to them takes no longer than the next, and so does the first key of a search. A section
   is being unpacked when the next step comes, so the steps of unpacking go first. */
function prepareViews(shown) {
  const views = shownViews().filter(({section, name}) => section && name !== peek('view')),
    steps = [
      ...views.map(
        ({section}) =>
          () =>
            sectionOf(shown, section),
      ),
      ...views
        .filter(({prepare}) => prepare)
        .map(
          ({prepare}) =>
            () =>
              prepare(shown),
        ),
      () => search(shown, 'a'), // which makes the texts that all searches look into
    ];
  const next = () => {
    if (method.peek() !== shown) return;
    try {
      steps.shift()?.();
    } catch {
      // the view itself says what is wrong
    }
    if (steps.length) idle(next);
  };
  idle(next);
}

/** Fills the page. */
export async function render() {
  const root = document.createElement('div');
  root.className = 'dashboard';
  if (!document.getElementById('profile'))
    document.head.append(
      Object.assign(document.createElement('link'), {
        rel: 'stylesheet',
        href: String(new URL('page.css', import.meta.url)),
      }),
    );
  document.body.append(root);
  follow(openAddress());
  document.addEventListener('keydown', onKey);
  document.addEventListener('pointerdown', closeMenus);
  document.addEventListener('focusin', closeMenus);
  explainNumbers();
  renderInto(html`<${Page} />`, root);
  try {
    source.value = await openSource();
    await refresh();
  } catch (error) {
    problem.value = error.message;
    return;
  }
  if (source.value.isReport && bases.value.length && !new URLSearchParams(location.hash.slice(1)).has('view'))
    set({view: 'compare'}, {replace: true});
  effect(() => {
    get('record');
    showRecord();
  });
  effect(() => {
    showBase();
  });
  effect(() => {
    const {title} = VIEWS.find(({name}) => name === get('view')) ?? VIEWS[0];
    document.title = visibleText(`${title} · ${labelOf(shownRun.value)}`);
  });
  effect(() => {
    if (method.value) prepareViews(method.value);
  });
  followTensorBoard();
  if (!source.value.isReport) followReloads();
}
