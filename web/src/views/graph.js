// SPDX-License-Identifier: BSD-3-Clause
//
// graph.js - the view of the model's graphs, side by side: what each node is colored by, what leads to it and what it
// leads to, and its counterparts in the other graphs.

import {signal} from '@preact/signals';
import {useEffect, useMemo, useRef, useState} from 'preact/hooks';

import {
  baseMethod,
  comparedMethod,
  hits,
  labelOf,
  method,
  sectionOf,
  select,
  selection,
  selectRow,
  shownRun,
  times,
  timeWithUnit,
  unit,
} from '../base/app.js';
import {command, run as runCommand} from '../base/commands.js';
import {countText, sourceText} from '../base/format.js';
import {html} from '../base/html.js';
import {readSelection} from '../base/selection.js';
import {declare, flag, get, list, number, oneOf, peek, set, text} from '../base/store.js';
import {THEMES} from '../graph/colors.js';
import {GraphPicture} from '../graph/draw.js';
import {CLOSED, DELEGATE, MODULE, OPEN, REPEAT, UNFOLDED, chooseInstance, groupOf, setState} from '../graph/groups.js';
import {groupLabel, nodeLabel} from '../graph/labels.js';
import {legendOf} from '../graph/legend.js';
import {peersOf, textsOf, valueOf} from '../graph/overlay.js';
import {firstType} from '../graph/section.js';
import {acrossInstances, edgesAt, follow, longestPath, spreadMarks} from '../graph/walk.js';
import {Check, Choice, Link, NodeLink, Segments, hueOfBackend} from '../parts/bits.js';
import {download} from '../parts/export.js';
import {Legend} from './graph_legend.js';
import {overlays, readOwnValues, shortBytes} from './graph_overlays.js';
import {applyOpen, namesOf, openText, paneOf, readingOf, rowsInItem, TITLES} from './graph_panes.js';

const HOPS = [
  ['0', 'off'],
  ['1', '1 edge'],
  ['2', '2 edges'],
  ['3', '3 edges'],
  ['all', 'all'],
];
const ZOOM_STEP = 1.6,
  PAN_STEP = 80,
  LISTED = 300,
  AROUND_HOPS = 2;
/* What of the window the panes do not have: long chains break before there is a canvas to ask for its size. */
const AROUND_PANES = [32, 206];

declare({
  'graph.panes': list(),
  'graph.by': oneOf('module', 'delegate', 'flat'),
  'graph.color': text(),
  'graph.hops': oneOf('3', '0', '1', '2', 'all'),
  'graph.path': flag(false),
  'graph.only': text(),
  'graph.around': number(AROUND_HOPS),
  'graph.together': flag(false),
  'graph.list': flag(false),
  'graph.node': text(),
  'graph.open': text(),
  'graph.view': text(),
});

const own = signal(null); // values of a file that the reader dropped on the page: {name, values}
const fileProblem = signal('');
const drawnTrees = signal([]); // the trees of the panes, again whenever something in them was opened
const mounted = new Map(); // key of a pane -> {pane, picture, redraw()} of those on the page
let active = null; // key of the pane that was used last

/* ---- State of panes in the address: "edge=12o 15c|aten=3o" ---- */

const partsOf = said =>
  new Map(
    said
      .split('|')
      .filter(part => part.includes('='))
      .map(part => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]),
  );
const withPart = (said, key, value) =>
  [...partsOf(said).set(key, value)]
    .filter(([, part]) => part)
    .map(part => part.join('='))
    .join('|');

let saving = 0;
const unsaved = new Set(); // keys of panes that were moved

const viewText = ({x, y, zoom}) => [x, y, zoom].map(value => Number(value.toPrecision(5))).join(' ');

/* The address with zoom and position of some panes. */
const viewsOf = keys =>
  [...keys]
    .filter(key => mounted.has(key))
    .reduce(
      (said, key) => withPart(said, key, (mounted.get(key).said = viewText(mounted.get(key).picture))),
      peek('graph.view'),
    );

function saveViews() {
  clearTimeout(saving);
  if (unsaved.size && peek('view') === 'graph') set({'graph.view': viewsOf(unsaved)}, {replace: true});
  unsaved.clear();
}

/* Keeps zoom and position, when the reader has stopped moving. */
function keepView(key) {
  unsaved.add(key);
  clearTimeout(saving);
  saving = setTimeout(saveViews, 400);
}

/* Changes pictures as a step that Back takes back: what was moved before is kept first. */
function step(entries, change) {
  saveViews();
  for (const entry of entries) {
    change(entry);
    entry.redraw();
  }
  const opened = entries.reduce(
    (said, {pane, before}) => withPart(said, pane.key, openText(pane.tree, before)),
    peek('graph.open'),
  );
  set({'graph.open': opened, 'graph.view': viewsOf(entries.map(({pane}) => pane.key))});
}

/* Zoom and position of a picture that is shown for the first time, or by Back: those of the address, or all that can
   be read. */
function place(entry) {
  const {pane, picture} = entry,
    said = (entry.said = partsOf(peek('graph.view')).get(pane.key) ?? '').split(' ').map(Number),
    isSaid = said.length === 3 && said.every(Number.isFinite) && said[2] > 0,
    [chosen = -1] = chosenNodes(pane);
  picture.isPlaced = true;
  if (isSaid) [picture.x, picture.y, picture.zoom] = said;
  else picture.fit();
  if (!isSaid && chosen >= 0) picture.reveal(chosen);
}

/* ---- What is chosen in a pane ---- */

/* The nodes of a pane that are selected: those of the selected operators, or the node that only this pane has. */
function chosenNodes(pane) {
  const [key, name] = [get('graph.node').split(':')[0], get('graph.node').slice(get('graph.node').indexOf(':') + 1)],
    chosen = selection.value;
  if (get('graph.node')) {
    const source = key === pane.key ? pane : mounted.get(key)?.pane,
      node = source?.graph.names.indexOf(name) ?? -1;
    if (key === pane.key) return node < 0 ? [] : [node];
    return node < 0 ? [] : [...new Set(source.rowsOf(node).flatMap(row => pane.nodesOf(row)))];
  }
  return chosen
    ? [...new Set(Array.from(chosen.rows).flatMap(row => pane.nodesOf(pane.fromMethod ? pane.fromMethod(row) : row)))]
    : [];
}

/* Selects a node: the operator behind it, or the node itself if there are none or several. */
function choose(pane, node) {
  const rows = Array.from(pane.rowsOf(node), row => (pane.toMethod ? pane.toMethod(row) : row)).filter(row => row >= 0);
  active = pane.key;
  if (rows.length === 1) {
    set({'graph.node': ''}, {replace: true});
    selectRow(rows[0]);
  } else set({sel: '', 'graph.node': `${pane.key}:${pane.graph.names[node]}`});
}

function chooseGroup(pane, group) {
  active = pane.key;
  set({'graph.node': ''}, {replace: true});
  const delegates =
    group.kind === DELEGATE
      ? new Set(Array.from(rowsInItem(pane, group.id), row => method.value.operators.raw('delegate', row)))
      : null;
  if (delegates?.size === 1) select('delegate', [...delegates][0]);
  else if (group.path) select('module', group.path);
}

/* ---- One pane ---- */

/* The buttons of a pane: commands by their names. */
const ACTIONS = [
  ['fit', 'Fit', 'Show the whole graph (0)'],
  ['start', 'Start', 'Show the beginning, as large as can be read (m)'],
  ['close-all', 'Close all', 'Close all groups (c); Back opens them again'],
  ['open-all', 'Open all', 'Open all groups (a); repeated parts stay folded; Back closes them again'],
];

const isDark = () => {
  const {dataset, classList} = document.documentElement;
  return dataset.theme
    ? dataset.theme === 'dark'
    : classList.contains('around-dark') ||
        (!classList.contains('around-light') && matchMedia('(prefers-color-scheme: dark)').matches);
};

/* What is written on the edges of a node: the type of its first output, and the bytes of all. */
function describe(pane, node) {
  const bytes = pane.bytes(node);
  return {shape: firstType(pane.shape(node)), bytes: Number.isNaN(bytes) ? '' : shortBytes(bytes)};
}

/* Everything that the picture shows beside the graph itself. */
function refresh({pane, picture}, overlay) {
  const {tree} = pane,
    nodes = chosenNodes(pane),
    {has, isAll} = hits.value,
    hops = get('graph.hops') === 'all' ? Infinity : Number(get('graph.hops'));
  if (picture.shown.overlay.source !== overlay) picture.show({...overlay, source: overlay});
  const places = new Set(nodes.map(node => picture.placeOf(node)?.id).filter(id => id !== undefined)),
    isActive = (active ?? pane.key) === pane.key;
  picture.chosen = isActive ? places : new Set();
  picture.counterparts = isActive ? new Set() : places;
  picture.found = null;
  if (!isAll) {
    picture.found = new Uint8Array(tree.count + tree.groups.length);
    for (let node = 0; node < tree.count; node++)
      if (Array.from(pane.rowsOf(node)).some(row => has[pane.toMethod ? pane.toMethod(row) : row]))
        for (let item = node; item >= 0; item = item === node || groupOf(tree, item).state ? tree.parent[item] : -1)
          picture.found[item] = item === node || !groupOf(tree, item).state ? 1 : picture.found[item];
  }
  const path = get('graph.path') ? longestPath(pane.graph, overlay.values) : null;
  picture.marks = path
    ? acrossInstances(tree, spreadMarks(tree, path))
    : nodes.length && hops > 0
      ? spreadMarks(tree, follow(pane.graph, nodes, hops))
      : null;
  picture.theme = picture.themeOf(isDark());
  shareScale();
  return nodes;
}

/* Of a box in a folded repeat, of how many instances the longest path passes it. */
function pathText({marks, shown}, id) {
  const peers = marks?.own ? Array.from(peersOf(shown, id)) : [],
    passed = peers.filter(peer => marks.own[peer]).length;
  return peers.length > 1 && passed ? `on the longest path in ${passed} of ${peers.length}` : null;
}

/* Pictures side by side have one scale: its end is the greatest value that is shown in one of them. */
function shareScale() {
  const entries = [...mounted.values()].filter(({pane}) => pane.tree),
    most = Math.max(0, ...entries.map(({picture}) => picture.shown.own));
  for (const entry of entries)
    if (entry.picture.shown.hottest !== most) {
      entry.picture.rescale(most);
      entry.redraw();
    }
  drawnTrees.value = entries.map(({pane}) => pane.tree);
}

/* The backend of a delegate; null if it is not known. */
function delegateBackend(pane, delegate) {
  const {operators} = pane.base ?? method.value,
    node = pane.graph.delegate.indexOf(delegate),
    [row] = node < 0 ? [] : pane.rowsOf(node);
  return row === undefined ? null : operators.backend(row);
}

/* The name of a delegate: its backend, and the instruction that calls it. */
const delegateName = (pane, delegate) => `${delegateBackend(pane, delegate) ?? 'delegate'} @${delegate}`;

/* The lines of the tooltip of an area. */
function linesOfTint(pane, {shown, tints, delegates}, overlay, id) {
  const delegate = delegates[tints[id]],
    nodes = Array.from(pane.graph.delegate.keys()).filter(node => pane.graph.delegate[node] === delegate),
    known = nodes.map(node => shown.values[node]).filter(value => !Number.isNaN(value));
  return [
    `${delegateName(pane, delegate)}`,
    `one of ${countText(delegates.length, 'delegate')}, called by instruction ${delegate}`,
    countText(nodes.length, 'node'),
    overlay.adds && known.length
      ? `${overlay.name}: ${overlay.long(known.reduce((sum, value) => sum + value, 0))}`
      : null,
  ];
}

/* The lines of the tooltip. */
function linesOf(pane, picture, overlay, id) {
  const {tree} = pane,
    group = groupOf(tree, id),
    {value, instances, estimated, hatched, bound} = valueOf(tree, picture.shown, id),
    {number: written, median} = textsOf(tree, picture.shown, id, overlay.long);
  const number = Number.isNaN(value)
    ? null
    : `${overlay.name ? `${overlay.name.split(',')[0]}: ` : ''}${estimated ? '≈ ' : ''}${written}${
        overlay.more && value > 0 ? `, ${overlay.more(value)}` : ''
      }${bound > 0 && value === 0 ? ' (the step of the clock)' : ''}${
        median ? `, sum of ${instances}; median ${median}` : ''
      }`;
  if (group)
    return [
      group.path || groupLabel(group),
      group.kind === REPEAT ? `${group.items.length} that are alike` : null,
      `${countText(group.leaves, 'node')}`,
      number,
      group.kind === MODULE ? overlay.told?.(group.path) : null,
      pathText(picture, id),
      `click: ${group.state ? 'close' : 'open'}; Ctrl-click: select${
        group.kind === REPEAT ? '; Shift-click: all of them' : ''
      }`,
    ];
  const {operators} = pane.base ?? method.value,
    rows = Array.from(pane.rowsOf(id)),
    source = rows.length ? operators.source(rows[0]) : null,
    carriers = [...new Set(rows.map(row => operators.indices('carrier')[row]).filter(row => row >= 0))];
  return [
    pane.graph.names[id],
    pane.graph.kind[id] === 0 ? pane.graph.ops[pane.graph.op[id]] : null,
    pane.graph.modules[pane.graph.module[id]],
    pane.shape(id) || null,
    number,
    pathText(picture, id),
    hatched ? overlay.hatchedText : null,
    carriers.length
      ? `fused into ${carriers
          .slice(0, 3)
          .map(row => operators.name(row))
          .join(', ')}${carriers.length > 3 ? ', …' : ''}, whose time includes it`
      : null,
    !pane.base && rows.length && times.value.of[rows[0]] >= 0 && !overlay.more
      ? timeWithUnit(rows.reduce((sum, row) => sum + (times.value.of[row] || 0), 0))
      : null,
    overlay.more && Number.isNaN(value) && !carriers.length && pane.graph.kind[id] === 0
      ? 'no event was matched to it, so it has no time'
      : null,
    pane.graph.delegate[id] >= 0
      ? delegateName(pane, pane.graph.delegate[id])
      : rows.length && operators.backend(rows[0])
        ? operators.backend(rows[0])
        : null,
    pane.graph.weights[id] ? countText(pane.graph.weights[id], 'weight') : null,
    source ? sourceText(source) : null,
    rows.length > 1 ? `${rows.length} operators of the Edge graph` : null,
  ];
}

/* The events of a canvas: pointer and wheel. Keys are commands, see below. */
function listen(canvas, entry, tip, showInstances) {
  const at = event => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    },
    {pane, picture} = entry,
    stop = new AbortController(),
    on = (name, act, options = {}) => canvas.addEventListener(name, act, {signal: stop.signal, ...options});
  let drag = null,
    isMoved = false;
  on(
    'wheel',
    event => {
      event.preventDefault();
      const [x, y] = at(event);
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
        moveBy(entry, -(event.deltaX || event.deltaY), event.shiftKey ? 0 : -event.deltaY);
      else zoomBy(entry, x, y, Math.exp(-event.deltaY * 0.0015));
    },
    {passive: false},
  );
  on('pointerdown', event => {
    const [x, y] = (drag = at(event)),
      {mapArea} = picture;
    active = pane.key;
    isMoved = false;
    entry.onMap = mapArea && x >= mapArea.x && x < mapArea.x + mapArea.w && y >= mapArea.y && y < mapArea.y + mapArea.h;
    if (entry.onMap) moveToMap(entry, x, y);
    canvas.setPointerCapture(event.pointerId);
  });
  on('pointermove', event => {
    const [x, y] = at(event);
    if (drag && entry.onMap) return moveToMap(entry, x, y);
    if (drag) {
      isMoved ||= Math.hypot(x - drag[0], y - drag[1]) > 3;
      if (!isMoved) return;
      moveBy(entry, x - drag[0], y - drag[1]);
      drag = [x, y];
      return;
    }
    const found = picture.at(x, y),
      id = found && found.act !== 'tint' ? found.id : -1;
    if (id !== picture.hovered) {
      picture.hovered = id;
      entry.redraw();
    }
    tip(found && (!found.act || found.act === 'tint') ? {id: found.id, x, y, isTint: found.act === 'tint'} : null);
    canvas.style.cursor = found && found.act !== 'tint' ? 'pointer' : '';
  });
  on('pointerup', event => {
    const [x, y] = at(event),
      wasMoved = isMoved || entry.onMap;
    drag = null;
    entry.onMap = false;
    if (wasMoved) return;
    const found = picture.at(x, y),
      group = found ? groupOf(pane.tree, found.id) : null;
    tip(null);
    if (!found || found.act === 'tint') set({sel: '', 'graph.node': ''});
    else if (found.act === 'choose') showInstances({group, x: found.x, y: found.y + found.h});
    else if (found.act) changeOpen(entry, () => picture.step(group.id, found.act === 'next' ? 1 : -1));
    else if (!group) choose(pane, found.id);
    else if (event.ctrlKey || event.metaKey) chooseGroup(pane, group);
    else
      changeOpen(entry, () =>
        picture.toggle(
          group.id,
          event.shiftKey && group.kind === REPEAT ? (group.state === UNFOLDED ? OPEN : UNFOLDED) : undefined,
        ),
      );
  });
  on('pointerleave', () => {
    picture.hovered = -1;
    tip(null);
    entry.redraw();
  });
  return () => stop.abort();
}

/* The panes that move with one. */
const movedWith = entry => (peek('graph.together') ? [...mounted.values()] : [entry]);

function moveBy(entry, dx, dy) {
  for (const other of movedWith(entry)) {
    other.picture.pan(dx, dy);
    other.redraw();
    keepView(other.pane.key);
  }
}

function zoomBy(entry, x, y, factor) {
  for (const other of movedWith(entry)) {
    other.picture.zoomAt(x, y, factor);
    other.redraw();
    keepView(other.pane.key);
  }
}

function moveToMap(entry, x, y) {
  const {picture} = entry,
    [left, top] = picture.mapArea.to(x, y);
  picture.x = picture.width / 2 / picture.zoom - left;
  picture.y = picture.height / 2 / picture.zoom - top;
  entry.redraw();
  keepView(entry.pane.key);
}

/* Opens or closes something, and keeps that in the address. */
const changeOpen = (entry, change) => step([entry], change);

function Pane({pane, overlay}) {
  const canvas = useRef(null),
    entry = useRef(null),
    [tip, setTip] = useState(null),
    [instances, setInstances] = useState(null),
    [tree, setTree] = useState(pane.tree),
    [version, setVersion] = useState(0),
    latest = useRef(overlay);
  latest.current = overlay;
  useEffect(() => {
    let isCurrent = true;
    pane.ready.then(() => isCurrent && setTree(pane.tree));
    setTree(pane.tree);
    return () => (isCurrent = false);
  }, [pane]);
  useEffect(() => {
    if (!pane.tree) return undefined;
    const picture = (pane.picture ??= new GraphPicture(pane.tree, {
        describe: node => describe(pane, node),
        hueOf: delegate => hueOfBackend(delegateBackend(pane, delegate)),
      })),
      made = {
        pane,
        picture,
        before: (pane.before ??= pane.tree.groups.map(({state}) => state)),
        pending: 0,
        seen: null,
      };
    made.redraw = () =>
      (made.pending ||= requestAnimationFrame(() => {
        made.pending = 0;
        if (canvas.current) picture.draw(canvas.current.getContext('2d', {alpha: false}));
      }));
    entry.current = made;
    mounted.set(pane.key, made);
    const resize = () => {
        if (!canvas.current) return; // the view was left meanwhile
        const {clientWidth, clientHeight} = canvas.current,
          ratio = globalThis.devicePixelRatio || 1;
        if (clientWidth === 0) return;
        Object.assign(canvas.current, {width: clientWidth * ratio, height: clientHeight * ratio});
        picture.resize(clientWidth, clientHeight, ratio);
        // until the reader moves it, it fits
        if (!picture.isPlaced || !partsOf(peek('graph.view')).has(pane.key)) place(made);
        picture.draw(canvas.current.getContext('2d', {alpha: false}));
        canvas.current.picture = picture; // for tests, which cannot read pixels
      },
      observer = new ResizeObserver(resize),
      leave = listen(canvas.current, made, setTip, setInstances),
      theme = () => {
        refresh(made, latest.current);
        made.redraw();
      };
    observer.observe(canvas.current);
    addEventListener('themechange', theme);
    return () => {
      observer.disconnect();
      leave();
      removeEventListener('themechange', theme);
      cancelAnimationFrame(made.pending);
      if (mounted.get(pane.key) === made) mounted.delete(pane.key);
    };
  }, [pane, tree]);
  const open = partsOf(get('graph.open')).get(pane.key) ?? '',
    view = partsOf(get('graph.view')).get(pane.key) ?? '',
    said = `${selection.value?.said ?? ''} ${get('graph.node')}`,
    {rows: found} = hits.value;
  useEffect(() => {
    const made = entry.current;
    if (!made || !pane.tree) return;
    const isChanged =
      open !== openText(pane.tree, made.before) && applyOpen(pane.tree, made.before, open, {setState, chooseInstance});
    if (isChanged) made.picture.relayout();
    if (made.said !== undefined && made.said !== view && made.picture.full > 0) place(made); // Back
    // the list of boxes is drawn before this, with the values of the overlay before
    if (isChanged || made.listed !== overlay) setVersion(before => before + 1);
    made.listed = overlay;
    const nodes = refresh(made, overlay),
      isElsewhere = active !== pane.key || !made.seen;
    if (said !== made.seen && said.trim() && nodes.length && (isElsewhere || made.picture.chosen.size === 0)) {
      const before = openText(pane.tree, made.before);
      made.picture.reveal(nodes[0], {open: selection.value?.row >= 0});
      if (openText(pane.tree, made.before) !== before)
        set({'graph.open': withPart(peek('graph.open'), pane.key, openText(pane.tree, made.before))}, {replace: true});
      refresh(made, overlay);
    }
    made.seen = said;
    made.redraw();
  }, [tree, pane, overlay, open, view, said, found, get('graph.hops'), get('graph.path')]);
  const picture = entry.current?.pane === pane ? entry.current.picture : null,
    shownTip =
      tip && picture ? (tip.isTint ? linesOfTint : linesOf)(pane, picture, overlay, tip.id).filter(Boolean) : null;
  return html`<section class="graph-pane" aria-label=${`Graph ${pane.title}`}><header><strong>${pane.title}
    </strong> <${Path} pane=${pane} entry=${entry} /></header>
    <div class="graph-canvas"><canvas ref=${canvas} tabindex="0" role="img"
      aria-label=${`${pane.title}: ${countText(pane.graph.count, 'node')}; arrow keys walk along edges`}
      onFocus=${() => (active = pane.key)}></canvas>
    ${tree ? null : html`<p class="note">Laying out ${countText(pane.graph.count, 'node')}…</p>`}
    ${
      shownTip
        ? html`<div class="graph-tip"
      style=${{
        left: `${Math.min(tip.x + 14, Math.max(0, picture.full - 330))}px`,
        ...(tip.y > picture.height / 2 ? {bottom: `${picture.height - tip.y + 14}px`} : {top: `${tip.y + 14}px`}),
      }}>${shownTip.map(
        (line, i) => html`<div
          class=${i ? '' : 'head'}>${line}</div>`,
      )}</div>`
        : null
    }${
      instances
        ? html`<${Instances} entry=${entry.current} ...${instances} close=${() => {
            setInstances(null);
            canvas.current.focus();
          }} />`
        : null
    }</div>
    ${[
      ...pane.graph.cuts,
      ...(pane.tree?.cuts ?? []),
      ...(pane.cut ? ['Only the nearest 200 nodes are drawn.'] : []),
    ].map(cut => html`<p class="note">${cut}</p>`)}
    ${tree ? html`<${Boxes} pane=${pane} overlay=${overlay} state=${`${open} ${version}`} />` : null}</section>`;
}

/* The instances of a folded repeat, with the value of each, to choose one from. */
const LISTED_INSTANCES = 12;

function Instances({entry: {pane, picture, redraw}, entry, group, x, y, close}) {
  const list = useRef(null),
    {tree} = pane,
    {shown} = picture,
    size = Math.max(2, Math.min(LISTED_INSTANCES, group.items.length)),
    write = shown.overlay.long ?? shown.overlay.text;
  useEffect(() => list.current.focus(), []);
  const pick = event => {
    const chosen = Number(list.current.value);
    if (chosen !== group.chosen) changeOpen(entry, () => picture.pick(group.id, chosen));
    redraw();
    event.preventDefault();
    close();
  };
  const key = event => {
    event.stopPropagation();
    if (event.key === 'Enter') pick(event);
    else if (event.key === 'Escape') close();
  };
  const value = item => (Number.isNaN(shown.values[item]) ? '' : ` · ${write(shown.values[item])}`);
  return html`<select class="graph-instances" ref=${list} size=${size} aria-label=${`Instances of ${groupLabel(group)}`}
    style=${{
      left: `${Math.max(4, Math.min(x, picture.full - 250))}px`,
      top: `${Math.max(4, Math.min(y, picture.height - 20 * size - 12))}px`,
    }} onKeyDown=${key} onClick=${pick} onBlur=${close}>${Array.from(
      group.items,
      (item, i) => html`<option value=${String(i)} selected=${i === group.chosen}>${groupLabel(groupOf(tree, item))}
          ${value(item)}</option>`,
    )}</select>`;
}

/* The modules around what is selected, each a link. */
function Path({pane, entry}) {
  if (!pane.tree) return null;
  const nodes = chosenNodes(pane),
    {tree} = pane,
    way = [];
  if (nodes.length === 0) return null;
  for (let item = nodes[0]; tree.parent[item] >= 0; item = tree.parent[item]) way.unshift(item);
  const reveal = item => {
    entry.current.picture.reveal(item, {center: true});
    entry.current.redraw();
  };
  return html`<nav class="graph-path" aria-label="Path">${way.map(
    (item, i) => html`${i ? ' / ' : ''}<button
    type="button" class="text-link" onClick=${() => reveal(item)}>
    ${item < tree.count ? pane.graph.names[item] : groupLabel(groupOf(tree, item))}</button>`,
  )}</nav>`;
}

/* The boxes as a list, for those who cannot see the picture; on the page if it is asked for. It is drawn again if
   `state` changes: what is open. */
function Boxes({pane, overlay}) {
  const {tree} = pane,
    lines = [],
    add = (item, depth) => {
      const group = groupOf(tree, item),
        shown = group?.kind === REPEAT && group.state === OPEN ? groupOf(tree, group.items[group.chosen]) : group;
      if (lines.length < LISTED) lines.push({item, depth, group});
      if (group && group.state) for (const inside of shown.items) add(inside, depth + 1);
    };
  for (const item of groupOf(tree, tree.root).items) add(item, 0);
  const entry = mounted.get(pane.key),
    number = item => {
      const {number: written = ''} = entry?.pane === pane ? textsOf(tree, entry.picture.shown, item, overlay.long) : {};
      return written && `, ${written}`;
    };
  const press = ({item, group}) => (group ? changeOpen(entry, () => entry.picture.toggle(item)) : choose(pane, item));
  return html`<ul class=${get('graph.list') ? 'graph-list' : 'offscreen'} aria-label=${`Boxes of ${pane.title}`}>
    ${lines.map(
      line => html`<li style=${{paddingLeft: `${line.depth * 14}px`}}><button type="button"
      tabindex=${get('graph.list') ? '0' : '-1'}
      aria-expanded=${line.group ? String(Boolean(line.group.state)) : undefined}
    onClick=${() => press(line)}>${line.group ? groupLabel(line.group) : nodeLabel(pane.graph, line.item)}
      ${number(line.item)}</button></li>`,
    )}${lines.length >= LISTED ? html`<li>and more: open fewer boxes</li>` : null}</ul>`;
}

/* ---- Keys ---- */

const used = () => mounted.get(active) ?? [...mounted.values()][0];
const onPane = act => event => {
  const entry = used();
  if (entry?.pane.tree) act(entry, event);
};
const add = (name, keys, said, act) =>
  command({
    name: `graph-${name}`,
    keys,
    text: said,
    views: ['graph'],
    run: onPane(act),
    isPossible: () => !keys.includes('Enter') || !document.activeElement?.matches('button, summary'),
  }); // which Enter presses

/* Walks from the selected node along an edge, or with `sideways` to another node at the other end of the edge by
   which the walk came. */
function walk(entry, down, sideways) {
  const {pane} = entry,
    [from = -1] = chosenNodes(pane),
    go = node => {
      choose(pane, node);
      entry.picture.reveal(node, {open: true});
      keepView(pane.key);
      set({'graph.open': withPart(peek('graph.open'), pane.key, openText(pane.tree, entry.before))}, {replace: true});
    };
  if (from < 0) return go(0);
  if (!sideways) {
    const ends = edgesAt(pane.graph, from, down).map(([, node]) => node);
    entry.walk = {ends, at: 0};
    if (ends.length) go(ends[0]);
    return undefined;
  }
  const {ends = []} = entry.walk ?? {},
    known = ends.includes(from)
      ? ends
      : edgesAt(pane.graph, edgesAt(pane.graph, from, false)[0]?.[1] ?? from, true).map(([, node]) => node),
    at = known.indexOf(from);
  if (known.length > 1) go(known[(at + (down ? 1 : -1) + known.length) % known.length]);
  return undefined;
}

add('down', ['ArrowDown'], 'Walk to what reads the selected node', entry => walk(entry, true, false));
add('up', ['ArrowUp'], 'Walk to what the selected node reads', entry => walk(entry, false, false));
add('right', ['ArrowRight'], 'Walk to the next node beside it, at the same edge', entry => walk(entry, true, true));
add('left', ['ArrowLeft'], 'Walk to the node before, at the same edge', entry => walk(entry, false, true));
add('zoom-in', ['+', '=', 'w'], 'Zoom in', entry =>
  zoomBy(entry, entry.picture.width / 2, entry.picture.height / 2, ZOOM_STEP),
);
add('zoom-out', ['-', 's'], 'Zoom out', entry =>
  zoomBy(entry, entry.picture.width / 2, entry.picture.height / 2, 1 / ZOOM_STEP),
);
add('fit', ['0'], 'Show the whole graph', entry =>
  step(movedWith(entry), ({picture}) => {
    picture.rebreak();
    picture.fit(0);
  }),
);
add('start', ['m'], 'Show the beginning, as large as can be read', entry =>
  step(movedWith(entry), ({picture}) => {
    picture.rebreak();
    picture.fit();
  }),
);
add('close-all', ['c'], 'Close all groups', entry => step([entry], ({picture}) => picture.setAll(CLOSED)));
add('open-all', ['a'], 'Open all groups; repeated parts stay folded', entry =>
  step([entry], ({picture}) => picture.setAll(OPEN)),
);
add(
  'find',
  ['f'],
  'Move to what is selected',
  entry =>
    chosenNodes(entry.pane).length &&
    (entry.picture.reveal(chosenNodes(entry.pane)[0], {center: true}), entry.redraw()),
);
for (const {key, dx, dy, where} of [
  {key: 'ArrowLeft', dx: 1, dy: 0, where: 'left'},
  {key: 'ArrowRight', dx: -1, dy: 0, where: 'right'},
  {key: 'ArrowUp', dx: 0, dy: 1, where: 'up'},
  {key: 'ArrowDown', dx: 0, dy: -1, where: 'down'},
])
  add(`pan-${where}`, [`shift+${key}`], `Move ${where}`, entry => moveBy(entry, dx * PAN_STEP, dy * PAN_STEP));
add('open', ['Enter'], 'Open or close the group around the selected node', entry => {
  const [node = -1] = chosenNodes(entry.pane),
    place = node < 0 ? null : entry.picture.placeOf(node),
    id = place && place.id >= entry.pane.tree.count ? place.id : node < 0 ? -1 : entry.pane.tree.parent[node];
  if (id >= 0 && id !== entry.pane.tree.root) changeOpen(entry, () => entry.picture.toggle(id));
});
for (const [key, by, which] of [
  ['[', -1, 'previous'],
  [']', 1, 'next'],
])
  add(`${which}-instance`, [key], `Show the ${which} one of a repeated part`, entry => {
    const repeat = repeatAround(entry);
    if (repeat) changeOpen(entry, () => entry.picture.step(repeat.id, by));
  });
add('only', ['o'], 'Draw only the neighborhood of what is selected, or all again', () =>
  set({'graph.only': peek('graph.only') ? '' : peek('sel'), 'graph.view': '', 'graph.open': ''}),
);
add('path', ['p'], 'Mark the path with the most time', () => set({'graph.path': !peek('graph.path')}));
add('list', ['l'], 'Show the boxes as a list, too', () => set({'graph.list': !peek('graph.list')}));

/* The folded repeat around the selected node, or else the first one that is shown. */
function repeatAround({pane}) {
  const isFolded = group => group?.kind === REPEAT && group.state === OPEN,
    [node = -1] = chosenNodes(pane);
  for (let item = node; item >= 0; item = pane.tree.parent[item])
    if (isFolded(groupOf(pane.tree, item))) return groupOf(pane.tree, item);
  return pane.tree.groups.find(isFolded);
}

/* ---- Toolbar ---- */

const NO_FRAMES =
  'Delegates are areas here, not boxes: this would be the same as no groups. ' + 'The program has them as boxes.';

/* Saves the picture of the pane that was used last. */
function savePicture(entries) {
  const entry = used(),
    name = `${labelOf(shownRun.value)}-${entry.pane.key}`.replace(/[^\w.-]+/g, '_');
  download(`${name}.svg`, entry.picture.svg(entries), 'image/svg+xml');
}

/* What is selected in one pane and has no operator, or several: with the numbers of each. */
function NodeLine({panes}) {
  const [key, name] = [get('graph.node').split(':')[0], get('graph.node').slice(get('graph.node').indexOf(':') + 1)],
    pane = panes.find(other => other.key === key),
    node = pane?.graph.names.indexOf(name) ?? -1;
  if (!get('graph.node') || node < 0) return null;
  const rows = Array.from(pane.rowsOf(node)),
    {operators} = method.value;
  return html`<p class="graph-node"><strong>${name}
    </strong> (${pane.title}): ${
      rows.length === 0
        ? 'no operator of the Edge graph'
        : html`${countText(rows.length, 'operator')}: ${rows.slice(0, 12).map(
            (row, i) => html`${i ? ', ' : ''}<${NodeLink} operators=${operators}
        row=${row} /> ${times.value.of[row] >= 0 ? timeWithUnit(times.value.of[row]) : ''}`,
          )}${rows.length > 12 ? ', …' : ''}`
    }</p>`;
}

function Toolbar({names, shown, all, color, by, isFramed, legend}) {
  const change = name => {
    const next = shown.includes(name)
      ? shown.filter(other => other !== name)
      : names.filter(other => shown.includes(other) || other === name);
    if (next.length) set({'graph.panes': next});
  };
  const frames = [
    ['module', 'Modules'],
    ['delegate', 'Delegates', isFramed ? undefined : NO_FRAMES, !isFramed],
    ['flat', 'No groups'],
  ];
  const only = get('graph.only'),
    onlyName = only.slice(only.indexOf(':') + 1);
  return html`<div class="toolbar">
    <label class="check">Color <${Choice} label="Color"
      options=${Object.entries(all).map(([key, {title}]) => [key, title])} chosen=${color}
      change=${key => set({'graph.color': key})} /></label>
    ${
      color === 'memory'
        ? html`<label class="check">at instruction <input type="number" class="short" min="0" aria-label="Instruction"
          value=${get('mem.at') < 0 ? '' : get('mem.at')}
      onChange=${event => set({'mem.at': event.target.value === '' ? -1 : Number(event.target.value)})} /></label>`
        : null
    }
    ${
      only
        ? html`<button type="button" class="chip"
          onClick=${() => set({'graph.only': '', 'graph.view': '', 'graph.open': ''})}>only around ${onlyName} ×
            </button>
      <${Choice} label="Edges around"
        options=${['1', '2', '3'].map(hops => [hops, `${hops} edge${hops === '1' ? '' : 's'}`])}
        chosen=${String(get('graph.around'))} change=${hops => set({'graph.around': Number(hops)})} />`
        : selection.value?.rows.length
          ? html`<button type="button"
            onClick=${() =>
              set({'graph.only': selection.value.said, 'graph.view': '', 'graph.open': ''})}>Only around it</button>`
          : null
    }
    <button type="button" title=${ACTIONS[0][2]} onClick=${event => runCommand('graph-fit', event)}>Fit</button>
    <span class="push"></span><details class="menu more"><summary
      aria-label="More of the graph" title="Graphs, groups, edges, list, values of your own">⋯</summary><div>
      <div class="segments" role="group" aria-label="Graphs">
    ${names.map(
      name => html`<button type="button" aria-pressed=${String(shown.includes(name))}
    onClick=${() => change(name)}>${TITLES[name] ?? name}</button>`,
    )}</div>
      <${Segments} label="Group boxes by" options=${frames} chosen=${by}
        change=${value => set({'graph.by': value, 'graph.open': '', 'graph.view': ''})} />
      <label class="menu-row"><span>Follow</span><${Choice} label="Follow edges" options=${HOPS}
        chosen=${get('graph.hops')} change=${hops => set({'graph.hops': hops})} /></label>
      <${Check} label="longest path" checked=${get('graph.path')} change=${on => set({'graph.path': on})}
        title="the path along edges with the greatest sum of what is colored" />
      ${
        shown.length > 1
          ? html`<${Check} label="move together" checked=${get('graph.together')}
        change=${on => set({'graph.together': on})} />`
          : null
      }
      <${Check} label="list" checked=${get('graph.list')} change=${on => set({'graph.list': on})}
        title="the boxes as a list below the picture" />
      <div class="menu-row">${ACTIONS.slice(1).map(
        ([name, said, title]) => html`<button type="button"
        title=${title} onClick=${event => runCommand(`graph-${name}`, event)}>${said}</button>`,
      )}</div>
      <${Link} act=${() => savePicture(legend())}>Save as SVG<//>
      <label class="check file"
        title="CSV or JSON of node,value; it can also be dropped on the picture">Own values… <input type="file"
        accept=".csv,.json,.tsv,text/csv,application/json" aria-label="File of node,value"
        onChange=${event => takeFile(event.target.files[0])} /></label></div></details></div>`;
}

/* Colors the boxes by the values of a file. */
async function takeFile(file) {
  if (!file) return;
  try {
    own.value = {name: file.name, values: readOwnValues(await file.text())};
    fileProblem.value = '';
    set({'graph.color': 'own'});
  } catch (error) {
    fileProblem.value = `${file.name}: ${error.message}`;
  }
}

/* ---- The view ---- */

/* The base's graph, in which operators are those of the base. */
function basePane(by, size) {
  const base = baseMethod.value;
  if (!base || !comparedMethod.value) return null;
  const section = sectionOf(base, 'graphs').value,
    reading = readingOf(section, base.graphName, base);
  if (!reading) return null;
  const pane = paneOf(reading, 'base', by, null, size),
    toNew = new Map(
      comparedMethod.value.nodes
        .filter(node => node.base_node >= 0 && node.new_node >= 0 && node.base_node !== null && node.new_node !== null)
        .map(node => [node.base_node, node.new_node]),
    ),
    toBase = new Map([...toNew].map(([from, to]) => [to, from]));
  const of = base.operators.avg;
  return Object.assign(pane, {
    toMethod: row => toNew.get(row) ?? -1,
    fromMethod: row => toBase.get(row) ?? -1,
    base: {
      method: base,
      operators: base.operators,
      whole: base.execute.avg,
      values: shown =>
        Float64Array.from({length: shown.graph.count}, (_, node) =>
          Array.from(shown.rowsOf(node)).reduce(
            (sum, row) => (Number.isNaN(of[row]) ? sum : (sum || 0) + of[row]),
            NaN,
          ),
        ),
    },
  });
}

/* The panes that are shown, and what is wrong with graphs of damaged documents. */
function panesOf(shown, section, by, around) {
  const panes = [],
    problems = [],
    size = {width: (innerWidth - AROUND_PANES[0]) / shown.length, height: innerHeight - AROUND_PANES[1]};
  for (const name of shown) {
    try {
      const pane =
        name === 'base' ? basePane(by, size) : paneOf(readingOf(section, name, method.value), name, by, around, size);
      if (pane) panes.push(pane);
    } catch (error) {
      problems.push(
        `The graph ${name} cannot be drawn, because this document is damaged (${error.message}). Write it again.`,
      );
    }
  }
  return {panes, problems};
}

/* Whether some graph has delegates as boxes, so that grouping by them differs from no groups. */
function hasFrames(section, shown) {
  try {
    return shown.some(name => readingOf(section, name, method.value)?.graph.frames.length > 0);
  } catch {
    return false; // a damaged document, see panesOf()
  }
}

/* The entries of the legend of what is shown. */
function legendEntries(overlays, panes) {
  const marked = Boolean(selection.value?.rows.length || get('graph.node')),
    tinted = panes
      .map(({key}) => mounted.get(key))
      .filter(entry => entry?.picture.delegates.length)
      .sort((a, b) => b.picture.delegates.length - a.picture.delegates.length)[0];
  return legendOf({
    overlays,
    trees: drawnTrees.value,
    theme: isDark() ? THEMES.dark : THEMES.light,
    isMarked: marked,
    isPath: get('graph.path'),
    delegates: tinted?.picture.delegates.length ?? 0,
  });
}

const PanesLegend = ({overlays: made, panes}) => html`<${Legend} entries=${legendEntries(made, panes)} />`;

export function GraphView() {
  const section = sectionOf(method.value, 'graphs').value,
    names = [...namesOf(section), ...(comparedMethod.value && method.value.graphName ? ['base'] : [])],
    asked = get('graph.panes').filter(name => names.includes(name));
  const shown = asked.length ? asked : names.filter(name => name === method.value.graphName).slice(0, 1),
    only = get('graph.only') ? readSelection(method.value, get('graph.only')) : null,
    grouping = get('graph.by');
  const all = overlays(own.value),
    color = Object.hasOwn(all, get('graph.color')) ? get('graph.color') : all.change ? 'change' : Object.keys(all)[0];
  const isFramed = hasFrames(section, shown),
    by = grouping === 'delegate' && !isFramed ? 'module' : grouping,
    {panes, problems} = panesOf(
      shown,
      section,
      by,
      only?.rows.length ? {rows: only.rows, hops: get('graph.around')} : null,
    );
  const made = useMemo(
    () => panes.map(pane => all[color].make(pane)),
    [
      ...panes,
      ...Array(4 - Math.min(4, panes.length)).fill(null),
      color,
      times.value,
      own.value,
      comparedMethod.value,
      unit.value,
      ...(color === 'memory'
        ? [get('mem.at'), selection.value, sectionOf(method.value, 'memory').value]
        : color === 'accuracy'
          ? [sectionOf(method.value, 'accuracy').value, null, null]
          : [null, null, null]),
    ],
  );
  if (section.error) return html`<p class="note error">${section.error}</p>`;
  if (section.value === undefined) return html`<p class="note">Loading…</p>`;
  if (names.length === 0) return html`<p class="note">The graph is missing, because no ETRecord was given.</p>`;
  const drop = event => {
    event.preventDefault();
    takeFile(event.dataTransfer.files[0]);
  };
  return html`<div class="graph" onDragOver=${event => event.preventDefault()} onDrop=${drop}><${Toolbar} names=${names}
    shown=${shown} all=${all} color=${color} by=${by} isFramed=${isFramed}
    legend=${() => legendEntries(made, panes)} />${
      fileProblem.value
        ? html`<p class="note error" role="alert">
    ${fileProblem.value}</p>`
        : null
    }${problems.map(problem => html`<p class="note error" role="alert">${problem}</p>`)}
    <${NodeLine} panes=${panes} />
    <div class="graph-panes">${panes.map(
      (pane, i) => html`<${Pane} key=${pane.key} pane=${pane}
      overlay=${made[i]} />`,
    )}</div>${made.length ? html`<${PanesLegend} overlays=${made} panes=${panes} />` : null}
      </div>`;
}
