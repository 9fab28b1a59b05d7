// SPDX-License-Identifier: BSD-3-Clause
//
// table.js - the table: a long one that holds only the rows in sight, and a small one that holds all. Both sort, copy
// all their rows, and print. A column is
// {key, title, text(row) or value(row) or both, cell(row): what is drawn if it is not the text, number, hint, width: of
// CSS grid, from: the least width in pixels at which it is shown, optional: hidden
// until it is chosen, exact: the name of its values in JSON if they have another unit than the text, why(row): explains
// the number of a row if `hint` is not enough, descending: sorted so first, sort: false if it cannot be}.

import {signal} from '@preact/signals';
import {useEffect, useMemo, useRef, useState} from 'preact/hooks';

import {sortRows} from '../base/columns.js';
import {numberText} from '../base/format.js';
import {html} from '../base/html.js';
import {declare, get, list, set, text} from '../base/store.js';
import {NAMES_ARE_PATHS, closeMenu, focusOn} from './bits.js';
import {FORMATS, copy} from './export.js';

export const ROW_HEIGHT = 25;
const HEAD_HEIGHT = 24,
  COLUMN_GAP = 10; // in pixels, as in style.css
const ROWS_AROUND = 8,
  PRINTED = 100,
  MOST_WITH_BARS = 8; // columns of a table that is printed with its bars

/** Whether the page is being printed: tables then show their first rows, with their head on each page. */
export const isPrinting = signal(false);
function setPrinting(on) {
  isPrinting.value = on;
  document.documentElement.classList.toggle('printing', on);
  dispatchEvent(new Event('themechange')); // pictures are drawn again, in light colors
}
globalThis.addEventListener?.('beforeprint', () => setPrinting(true));
globalThis.addEventListener?.('afterprint', () => setPrinting(false));

/** Returns the range of rows, {first, end}, that is in sight or up to ROWS_AROUND rows away, out of `count`. */
export function rowsInSight(scrollTop, height, count) {
  const first = Math.max(0, Math.min(count, Math.floor(scrollTop / ROW_HEIGHT)) - ROWS_AROUND);
  return {first, end: Math.min(count, Math.ceil((scrollTop + height) / ROW_HEIGHT) + ROWS_AROUND)};
}

/** Declares the state of a long table: `sort` is a column's key with "+" or "-" behind it. */
export function declareTable(name, sort = '') {
  declare({[`${name}.sort`]: text(sort), [`${name}.columns`]: list()});
}

const sortingOf = said => ({key: said.slice(0, -1), descending: said.endsWith('-')});

/* What a row is sorted by: its value, or its text. */
const sortValue = column => row => (column.value ? column.value(row) : column.text(row));

const contentOf = (column, row) =>
  column.cell ? column.cell(row) : column.text ? column.text(row) : column.value(row);

/* What explains a number: that of the row, or what the column is. */
const whyOf = (column, row) => (column.number ? (column.why?.(row) ?? column.hint) : undefined);

/* Returns the rows as the state of a table, `said`, sorts them. */
function sortedBy(said, columns, rows) {
  const {key, descending} = sortingOf(said),
    column = columns.find(other => other.key === key);
  return column ? sortRows(rows, sortValue(column), descending) : Array.from(rows);
}

/* The columns that are shown, in the user's order: those of the state, or all that are not optional. */
function shownColumns(name, columns) {
  const chosen = get(`${name}.columns`);
  return chosen.length
    ? chosen.map(key => columns.find(column => column.key === key)).filter(Boolean)
    : columns.filter(({optional}) => !optional);
}

/**
 * Returns the columns that have room. Those that are shown from some width on are left out, the widest first, until the
 * least widths of the others fit: a comparison adds columns.
 */
export function fittingColumns(columns, room) {
  const found = columns.filter(({from}) => !(from > room)),
    least = ({width = '60'}) => Number(width.match(/\d+/)[0]) + COLUMN_GAP;
  while (room && found.reduce((sum, column) => sum + least(column), COLUMN_GAP) > room) {
    const last = found.reduce((most, {from = 0}, at) => (from > (found[most]?.from ?? 0) ? at : most), -1);
    if (last < 0) break;
    found.splice(last, 1);
  }
  return found;
}

/* ---- Taking away ---- */

/**
 * A menu that copies all rows of a table, and the command that prints the same. `command` is its text; null if no
 * command prints these rows.
 */
export function CopyMenu({label, columns, rows, command}) {
  const all = Array.from(rows),
    count = `${numberText(all.length)} row${all.length === 1 ? '' : 's'}`;
  const item = (text, act) =>
    html`<button type="button" role="menuitem" onClick=${event => (closeMenu(event.currentTarget.closest('details')), act())}>${text}</button>`;
  return html`<details class="menu"><summary
    aria-label=${`Copy ${label}`}>Copy</summary><div role="menu">
    ${Object.entries(FORMATS).map(([name, make]) =>
      item(`${count} as ${name}`, () => copy(make(columns, all), `${count} as ${name}`)),
    )}
    ${
      command
        ? item(`The command that prints them; ${NAMES_ARE_PATHS}`, () => copy(command, 'the command'))
        : html`<span
      class="quiet">No command prints this table.</span>`
    }</div></details>`;
}

/** A menu that chooses columns and their order. */
export function ColumnsMenu({name, columns}) {
  const shown = shownColumns(name, columns).map(({key}) => key);
  const change = keys => set({[`${name}.columns`]: keys}, {replace: true});
  const titled = columns.filter(({title}) => title),
    order = [
      ...shown.map(key => columns.find(column => column.key === key)),
      ...titled.filter(({key}) => !shown.includes(key)),
    ].filter(({title}) => title);
  const move = (key, by) => {
    const from = shown.indexOf(key),
      keys = shown.toSpliced(from, 1);
    change(keys.toSpliced(Math.max(0, from + by), 0, key));
  };
  return html`<details class="menu"><summary>Columns</summary><div>${order.map(
    ({
      key,
      title,
      hint,
    }) => html`<div key=${key} class="menu-row" title=${hint}><label class="check"><input type="checkbox"
      aria-label=${`Show the column ${title}`} checked=${shown.includes(key)}
    onChange=${event => change(event.target.checked ? [...shown, key] : shown.filter(other => other !== key))} />
      ${title}</label>
    ${
      shown.includes(key)
        ? html`<span class="push"><button type="button" aria-label=${`Move ${title} to the left`}
      onClick=${() => move(key, -1)}>←</button><button type="button" aria-label=${`Move ${title} to the right`}
      onClick=${() => move(key, 1)}>→</button></span>`
        : null
    }</div>`,
  )}
    <button type="button" onClick=${() => change([])}>As before</button></div></details>`;
}

/* ---- The long table ---- */

const widths = new Map(); // table and column -> width in pixels, for as long as the page is open

function Heading({name, column, index}) {
  const {key, descending} = sortingOf(get(`${name}.sort`)),
    isSorted = key === column.key;
  const next = `${column.key}${(isSorted ? !descending : Boolean(column.descending)) ? '-' : '+'}`,
    inside =
      column.sort === false || !column.title
        ? column.title
        : html`<button type="button" onClick=${() => set({[`${name}.sort`]: next})}>${column.title}
          ${isSorted ? (descending ? ' ↓' : ' ↑') : ''}</button>`;
  return html`<span role="columnheader" class=${column.number ? 'number' : ''}
    title=${column.hint ? undefined : column.title} aria-description=${column.hint} aria-colindex=${String(index + 1)}
    aria-sort=${isSorted ? (descending ? 'descending' : 'ascending') : undefined}>${inside}</span>`;
}

/* Lets a user drag the right edge of a heading. */
function Grip({name, column, changed}) {
  const press = event => {
    const grip = event.currentTarget,
      from = event.clientX,
      width = grip.previousSibling.getBoundingClientRect().width;
    const move = now => (widths.set(`${name}.${column.key}`, Math.max(30, width + now.clientX - from)), changed());
    grip.setPointerCapture(event.pointerId);
    grip.addEventListener('pointermove', move);
    grip.addEventListener('pointerup', () => grip.removeEventListener('pointermove', move), {once: true});
    event.preventDefault();
  };
  return html`<span class="grip" aria-hidden="true" onPointerDown=${press}></span>`;
}

/**
 * The long table. `name` is that of declareTable(); `rows` are sorted here. `isChosen(row)` marks rows and scrolls to
 * the first one, `isHit(row)` tints them; `open(row)` is called for a click and Enter;
 * `sum(rows)` describes marked rows (Ctrl or Shift and a click); `command` is what prints the same rows; `note` stands
 * above the table while no row is marked, `more` below.
 */
export function Table({name, label, columns, rows, open, isChosen, isHit, sum, command, note, more}) {
  const grid = useRef(null),
    [size, setSize] = useState({width: 0, height: 0}),
    [top, setTop] = useState(0),
    [at, setAt] = useState(-1),
    [marked, setMarked] = useState(new Set()),
    [, drawAgain] = useState(0);
  const sorting = get(`${name}.sort`),
    all = useMemo(() => sortedBy(sorting, columns, rows), [sorting, columns, rows]),
    shown = fittingColumns(shownColumns(name, columns), size.width),
    chosen = isChosen ? all.findIndex(isChosen) : -1,
    focus = at >= 0 && at < all.length ? at : chosen;
  useEffect(() => {
    if (!grid.current) return undefined; // it is being printed
    const resized = new ResizeObserver(
      ([{contentRect}]) => contentRect.width && setSize({width: contentRect.width, height: contentRect.height}),
    );
    resized.observe(grid.current);
    return () => resized.disconnect();
  }, [isPrinting.value]);
  const reveal = row => {
    const {scrollTop, clientHeight} = grid.current;
    if (row * ROW_HEIGHT < scrollTop) grid.current.scrollTop = row * ROW_HEIGHT;
    else if ((row + 1) * ROW_HEIGHT + HEAD_HEIGHT > scrollTop + clientHeight)
      grid.current.scrollTop = (row + 1) * ROW_HEIGHT + HEAD_HEIGHT - clientHeight;
  };
  useEffect(() => {
    if (chosen >= 0 && size.height && grid.current) reveal(chosen);
    setAt(-1);
    // not where the row moves because times changed: then the reader stays where he is
  }, [get('sel'), get('q'), sorting, size.height > 0]);
  if (isPrinting.value)
    return html`<div class="long-table"><${SmallTable} caption=${label} columns=${shown} rows=${all}
      isChosen=${isChosen} isHit=${isHit} command=${command} /></div>`;
  const {first, end} = rowsInSight(top, size.height || 800, all.length);
  const template = shown
    .map(({key, width}) =>
      widths.has(`${name}.${key}`) ? `${widths.get(`${name}.${key}`)}px` : (width ?? 'minmax(60px, 1fr)'),
    )
    .join(' ');
  const mark = (row, to) => {
    const next = new Set(marked),
      from = at >= 0 ? at : row;
    if (to) for (let index = Math.min(from, row); index <= Math.max(from, row); index++) next.add(all[index]);
    else if (!next.delete(all[row])) next.add(all[row]);
    setMarked(next);
    setAt(row);
  };
  const click = event => {
    const row = Number(event.target.closest('[data-row]')?.dataset.row ?? -1);
    if (row < 0 || event.target.closest('a, button, input')) return;
    if (event.shiftKey || event.ctrlKey || event.metaKey) mark(row, event.shiftKey);
    else {
      setMarked(new Set());
      setAt(row);
      open?.(all[row]);
    }
  };
  const key = event => {
    const page = Math.max(1, Math.floor(size.height / ROW_HEIGHT) - 2);
    const to = {
      ArrowDown: focus + 1,
      ArrowUp: focus - 1,
      PageDown: focus + page,
      PageUp: focus - page,
      Home: 0,
      End: all.length - 1,
    }[event.key];
    if (all.length === 0 || event.target !== grid.current || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter' && focus >= 0) {
      open?.(all[focus]);
      // a group opens as another table in the place of this one
      requestAnimationFrame(() => document.activeElement === document.body && focusOn('#view [role=grid]'));
    } else if (event.key === ' ' && focus >= 0) mark(focus, false);
    else if (to === undefined) return;
    else {
      const row = Math.max(0, Math.min(all.length - 1, to));
      if (event.shiftKey) mark(row, true);
      setAt(row);
      reveal(row);
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const line = index => {
    const row = all[index],
      isMarked = marked.has(row);
    return html`<div key=${index}
      class=${`row${index === focus || isChosen?.(row) ? ' chosen' : ''}${index === at ? ' at' : ''}${
        isMarked ? ' marked' : ''
      }${isHit?.(row) ? ' hit' : ''}`} role="row" id=${`${name}-row-${index}`} data-row=${String(index)}
          aria-rowindex=${String(index + 2)} aria-selected=${String(index === focus || isMarked)}
      style=${{top: `${index * ROW_HEIGHT}px`, gridTemplateColumns: template}}>${shown.map(
        (column, place) => html`<span
        role="gridcell" class=${column.className ?? (column.number ? 'number' : '')} aria-colindex=${String(place + 1)}
        aria-description=${whyOf(column, row)}>${contentOf(column, row)}</span>`,
      )}</div>`;
  };
  return html`<div class="long-table"><div class="table-bar">${
    marked.size
      ? html`<span class="count" role="status">
    ${marked.size} marked: ${sum?.([...marked]) ?? ''}</span><button type="button" class="text-link"
    onClick=${() => setMarked(new Set())}>none</button>`
      : note
  }
    <span class="push"></span><${ColumnsMenu} name=${name} columns=${columns} /><${CopyMenu} label=${label}
      columns=${shown} rows=${marked.size ? all.filter(row => marked.has(row)) : all} command=${command} /></div>
    <div class="grid-table" role="grid" tabindex="0" ref=${grid} aria-label=${label}
      aria-rowcount=${String(all.length + 1)} aria-colcount=${String(shown.length)}
      aria-activedescendant=${focus >= 0 ? `${name}-row-${focus}` : undefined}
      onScroll=${event => setTop(event.currentTarget.scrollTop)} onKeyDown=${key} onClick=${click}>
      <div role="rowgroup" class="head-group"><div class="row head" role="row" aria-rowindex="1"
        style=${{gridTemplateColumns: template}}>${shown.map(
          (column, index) => html`<span class="head-cell"
        role="presentation"><${Heading} name=${name} column=${column} index=${index} /><${Grip} name=${name}
        column=${column} changed=${() => drawAgain(count => count + 1)} /></span>`,
        )}</div></div>
      <div class="rows" role="rowgroup"><div class="space" style=${{height: `${all.length * ROW_HEIGHT}px`}}></div>
        ${Array.from({length: Math.max(0, end - first)}, (_, place) => line(first + place))}</div></div>
    ${more ?? null}</div>`;
}

/* ---- The small table ---- */

/**
 * A table with all its rows. A click on a row, or Enter, calls open(row). `isChosen(row)` marks rows, `isHit(row)`
 * tints them. `most` rows are shown at first; `rest` says below all of them what they leave out.
 */
export function SmallTable({caption, columns: given, rows, open, isChosen, isHit, command, most = Infinity, rest}) {
  const [all, setAll] = useState(false),
    list = Array.from(rows),
    columns = isPrinting.value && given.length > MOST_WITH_BARS ? given.filter(({title}) => title) : given,
    shown = list.slice(0, isPrinting.value ? PRINTED : all ? Infinity : most),
    left = numberText(list.length - shown.length);
  const line = row => {
    // a button inside the row handles its own click
    const act = open && (event => event.target.closest('button, a, input, tr') === event.currentTarget && open(row));
    const cellClass = column =>
      [column.number && 'number', column.key === 'bar' && 'bar-cell', column.className, column.class]
        .filter(Boolean)
        .join(' ') || undefined;
    const name =
        [open && 'link', row.isInset && 'inset', isChosen?.(row) && 'chosen', isHit?.(row) && 'hit']
          .filter(Boolean)
          .join(' ') || undefined,
      properties = open ? {tabindex: '0', onClick: act, onKeyDown: event => event.key === 'Enter' && act(event)} : {};
    return html`<tr class=${name} ...${properties}>${columns.map(
      column => html`<td class=${cellClass(column)}
      aria-description=${whyOf(column, row)}>${contentOf(column, row)}</td>`,
    )}</tr>`;
  };
  return html`<div class="small-table"><table class="plain"><caption>${caption}</caption>
    <thead><tr>${columns.map(
      ({title, number, hint, className}) => html`<th scope="col"
      class=${className ?? (number ? 'number' : undefined)} aria-description=${hint}>${title}</th>`,
    )}</tr></thead><tbody>${shown.map(line)}</tbody></table>
    <div class="table-tail">
      ${
        list.length === shown.length
          ? html`<span class="small quiet">${rest}</span>`
          : isPrinting.value
            ? `${left} more${command ? `: ${command}` : ''}`
            : html`
        <button type="button" class="text-link" onClick=${() => setAll(true)}>${left} more</button>`
      }<span class="push">
          </span>
    <${CopyMenu} label=${caption} columns=${columns} rows=${list} command=${command} /></div></div>`;
}
