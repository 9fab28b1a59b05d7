// SPDX-License-Identifier: BSD-3-Clause
//
// dom.js - making elements. Text from a record is hostile: it only ever becomes a text node or an attribute, never markup.

const SVG = 'http://www.w3.org/2000/svg';

function setProperties(made, properties) {
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (key === 'style') for (const [name, text] of Object.entries(value)) made.style.setProperty(name, text);
    else made.setAttribute(key, value === true ? '' : value);
  }
}

/** element('button', {class: 'tab', onclick: f, style: {width: '3px'}}, 'text', other, ...); null children are left out. */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  setProperties(made, properties);
  made.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
  return made;
}

/** The same for a drawing. */
export function drawing(tag, properties = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  setProperties(made, properties);
  made.append(...children);
  return made;
}

/** A <select>: options are [value, text] pairs. */
export function choice(label, options, chosen, onchange, properties = {}) {
  const select = element('select', {'aria-label': label, onchange: () => onchange(select.value), ...properties},
    options.map(([value, text]) => element('option', {value, selected: value === chosen}, text)));
  return select;
}

/** Buttons of which one is pressed: options are [value, text] pairs. */
export function segments(label, options, chosen, onchange) {
  return element('div', {class: 'segments', role: 'group', 'aria-label': label},
    options.map(([value, text]) => element('button', {type: 'button', 'aria-pressed': String(value === chosen), onclick: () => onchange(value)}, text)));
}

/** A table of few rows: columns are {title, class, cell(row)}. */
export function plainTable(caption, columns, rows, onrow) {
  const cells = row => columns.map(column => element('td', {class: column.class}, column.cell(row)));
  const line = row => {
    const open = onrow && (event => event.target.closest('button, tr') === event.currentTarget && onrow(row)); // buttons inside do what they say
    return element('tr', open ? {tabindex: '0', class: 'link', onclick: open, onkeydown: event => event.key === 'Enter' && open(event)} : {}, cells(row));
  };
  return element('table', {class: 'plain'}, element('caption', {}, caption),
    element('thead', {}, element('tr', {}, columns.map(column => element('th', {scope: 'col', class: column.class}, column.title)))),
    element('tbody', {}, rows.map(line)));
}

/** A number with what it is above it, and a note below. */
export function figure(label, value, note) {
  return element('div', {class: 'figure'}, element('span', {class: 'label'}, label), element('strong', {}, value), note ? element('span', {class: 'label'}, note) : null);
}

/** A time in a table; marked if a part of it is estimated. */
export function timeCell(app, ns, estimated = 0) {
  return estimated > 0 ? estimatedCell(app, ns, estimated < ns ? `${app.time(estimated)} ${app.unitName()} of it estimated` : 'estimated') : app.time(ns);
}

/** A time that is estimated, be it 0. */
export function estimatedCell(app, ns, title = 'estimated') {
  return element('span', {class: 'estimated-time', title}, `≈ ${app.time(ns)}`);
}

/* What tells a control from others of its kind. */
const controlName = control => control.getAttribute('aria-label') ?? (control.id || control.textContent);

/** Draws what is inside `root` anew; what had the focus has it again. */
export function keepFocus(root, draw) {
  const before = document.activeElement, inside = root.contains(before), caret = inside ? before.selectionStart : null, name = inside && controlName(before);
  draw();
  if (!inside || before.isConnected) return;
  const after = [...root.getElementsByTagName(before.tagName)].find(control => controlName(control) === name);
  after?.focus({preventScroll: true});
  if (typeof caret === 'number') after?.setSelectionRange(caret, caret);
}
