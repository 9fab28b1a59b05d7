// SPDX-License-Identifier: BSD-3-Clause
//
// dom.js - makes elements. Text from a record may be hostile, so it only becomes text nodes and attributes, never markup, and its invisible characters become visible.

const SVG = 'http://www.w3.org/2000/svg';

/* The characters for which etr_is_control() (plugin/output/plain_text.h) returns true, except those by which our own texts are laid out. */
const INVISIBLE = /(?![\t\n])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u{feff}\u{e0000}-\u{e007f}]/gu;
const SHOWN = new Set(['title', 'aria-label', 'placeholder']); // attributes that people read or hear; others, such as values of options, stay as they are

/** Returns the text with "?" for each control character and each mark that turns the direction of writing, like text in a terminal. */
export const visibleText = text => text.replace(INVISIBLE, '?');

const visibleChild = child => (typeof child === 'string' ? visibleText(child) : child);

function setProperties(made, properties) {
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (key === 'style') for (const [name, text] of Object.entries(value)) made.style.setProperty(name, text);
    else made.setAttribute(key, value === true ? '' : SHOWN.has(key) ? visibleText(String(value)) : value);
  }
}

/** Makes an HTML element, as in element('button', {class: 'tab', onclick: f, style: {width: '3px'}}, 'text', other, ...). Children that are null are skipped. */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  setProperties(made, properties);
  made.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false).map(visibleChild));
  return made;
}

/** Makes an SVG element, with the same arguments as element(); no child may be null. */
export function drawing(tag, properties = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  setProperties(made, properties);
  made.append(...children.map(visibleChild));
  return made;
}

/** Makes a <select>; options are [value, text] pairs. */
export function choice(label, options, chosen, onchange, properties = {}) {
  const select = element('select', {'aria-label': label, onchange: () => onchange(select.value), ...properties},
    options.map(([value, text]) => element('option', {value, selected: value === chosen}, text)));
  return select;
}

/** Makes a row of buttons of which one is pressed; options are [value, text] pairs. */
export function segments(label, options, chosen, onchange) {
  return element('div', {class: 'segments', role: 'group', 'aria-label': label},
    options.map(([value, text]) => element('button', {type: 'button', 'aria-pressed': String(value === chosen), onclick: () => onchange(value)}, text)));
}

/** Makes a table that holds all its rows; columns are {title, class, cell(row)}. A click on a row calls onrow(row). */
export function plainTable(caption, columns, rows, onrow) {
  const cells = row => columns.map(column => element('td', {class: column.class}, column.cell(row)));
  const line = row => {
    const open = onrow && (event => event.target.closest('button, tr') === event.currentTarget && onrow(row)); // a button inside the row handles its own click
    return element('tr', open ? {tabindex: '0', class: 'link', onclick: open, onkeydown: event => event.key === 'Enter' && open(event)} : {}, cells(row));
  };
  return element('table', {class: 'plain'}, element('caption', {}, caption),
    element('thead', {}, element('tr', {}, columns.map(column => element('th', {scope: 'col', class: column.class}, column.title)))),
    element('tbody', {}, rows.map(line)));
}

/** Makes a number with a label above it and a note below. */
export function figure(label, value, note) {
  return element('div', {class: 'figure'}, element('span', {class: 'label'}, label), element('strong', {}, value), note ? element('span', {class: 'label'}, note) : null);
}

/** Makes the cell of a time in ns; it is marked if `estimated` ns of it are estimated. */
export function timeCell(app, ns, estimated = 0) {
  return estimated > 0 ? estimatedCell(app, ns, estimated < ns ? `${app.time(estimated)} ${app.unitName()} of it estimated` : 'estimated') : app.time(ns);
}

/** Makes the cell of an estimated time in ns, which may be 0. */
export function estimatedCell(app, ns, title = 'estimated') {
  return element('span', {class: 'estimated-time', title}, `≈ ${app.time(ns)}`);
}

/* Returns a name that identifies a control among those of its kind. */
const controlName = control => control.getAttribute('aria-label') ?? (control.id || control.textContent);

/** Calls `draw`, which replaces the content of `root`, and gives the focus back to the control that had it. */
export function keepFocus(root, draw) {
  const before = document.activeElement, inside = root.contains(before), caret = inside ? before.selectionStart : null, name = inside && controlName(before);
  draw();
  if (!inside || before.isConnected) return;
  const after = [...root.getElementsByTagName(before.tagName)].find(control => controlName(control) === name);
  after?.focus({preventScroll: true});
  if (typeof caret === 'number') after?.setSelectionRange(caret, caret);
}
