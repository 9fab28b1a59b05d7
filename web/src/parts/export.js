// SPDX-License-Identifier: BSD-3-Clause
//
// export.js - what a user takes away: tables as Markdown, CSV or JSON, files, pictures.

import {signal} from '@preact/signals';

/** The line that says what was copied; views show it for screen readers and for eyes. */
export const said = signal('');

let forgets = null;

function say(text) {
  said.value = text;
  clearTimeout(forgets);
  forgets = setTimeout(() => (said.value = ''), 4000);
}

/**
 * Copies a text to the clipboard. A page opened from a disk may lack the clipboard's interface: then the document
 * copies a selection.
 */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = Object.assign(document.createElement('textarea'), {value: text, className: 'offscreen'});
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  say(`Copied ${what}.`);
}

/** Saves a text or a blob as a file. */
export function download(name, content, type = 'text/plain') {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], {type})),
    link = Object.assign(document.createElement('a'), {href: url, download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
  say(`Saved ${name}.`);
}

const cellText = (column, row) => String(column.text ? column.text(row) : (column.value(row) ?? ''));
const headText = ({head, title, key}) => head ?? (title || key);

/* A cell of a file that other programs read: a number without marks. */
const plainText = (column, row) => (column.plain ? column.plain(row) : cellText(column, row));

/* A spreadsheet takes a cell that begins like a formula for one: it gets an apostrophe in front, unless it is a
   number. */
const inert = text => (/^[=+\-@\t\r]/.test(text) && !Number.isFinite(Number(text)) ? `'${text}` : text);

const csvCell = text => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/* The name of a column's values in JSON, which are as they are stored: times in ns. */
const valueText = column => column.exact ?? headText(column);

/* Columns in a file: those that only draw, such as bars, are left out. */
const written = columns => columns.filter(column => column.text || column.value);

/** How rows of a table become text, by the name of the format. */
export const FORMATS = {
  Markdown: (columns, rows) => {
    const cells = written(columns),
      line = texts => `| ${texts.map(text => text.replaceAll('|', '\\|').replace(/\s+/g, ' ')).join(' | ')} |`;
    return [
      line(cells.map(headText)),
      `|${cells.map(({number}) => (number ? '--:' : '---')).join('|')}|`,
      ...rows.map(row => line(cells.map(column => cellText(column, row)))),
    ].join('\n');
  },
  CSV: (columns, rows) => {
    const cells = written(columns),
      line = texts => texts.map(text => csvCell(inert(text))).join(',');
    return [line(cells.map(headText)), ...rows.map(row => line(cells.map(column => plainText(column, row))))].join(
      '\n',
    );
  },
  JSON: (columns, rows) => {
    const cells = written(columns),
      value = (column, row) => {
        const text = cellText(column, row),
          made = column.value
            ? column.value(row)
            : column.number && /^[\d,.]+$/.test(text)
              ? Number(text.replaceAll(',', ''))
              : text;
        return made === undefined || Number.isNaN(made) ? null : made;
      };
    return JSON.stringify(
      rows.map(row => Object.fromEntries(cells.map(column => [valueText(column), value(column, row)]))),
      null,
      1,
    );
  },
};

/** Saves a canvas as a PNG. */
export function savePicture(name, canvas) {
  canvas.toBlob(blob => blob && download(name, blob));
}

/** Returns an SVG as text, with the colors that it has on the page. */
export function svgText(svg) {
  const made = svg.cloneNode(true),
    originals = svg.querySelectorAll('*'),
    KEPT = 'fill stroke stroke-width stroke-dasharray fill-opacity opacity font-size font-family text-anchor'.split(
      ' ',
    );
  const box = svg.getBoundingClientRect();
  made.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  made.setAttribute('width', box.width);
  made.setAttribute('height', box.height);
  made.querySelectorAll('*').forEach((node, at) => {
    const style = getComputedStyle(originals[at]);
    for (const key of KEPT) if (style.getPropertyValue(key)) node.setAttribute(key, style.getPropertyValue(key));
  });
  return new XMLSerializer().serializeToString(made);
}

/* Draws an SVG on a canvas. The picture is an image of a blob, so it may hold nothing but shapes and texts. */
async function drawn(svg, width, height) {
  const url = URL.createObjectURL(new Blob([svg], {type: 'image/svg+xml'})),
    image = new Image(width, height);
  try {
    await new Promise((done, fail) =>
      Object.assign(image, {onload: done, onerror: () => fail(new Error('the picture could not be drawn')), src: url}),
    );
    const canvas = Object.assign(document.createElement('canvas'), {width, height});
    canvas.getContext('2d').drawImage(image, 0, 0, width, height);
    return await new Promise(done => canvas.toBlob(done));
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Copies an SVG as a picture; where the clipboard takes none, as in a frame, saves it as a file. */
export async function copyPicture(svg, width, height) {
  const picture = await drawn(svg, width, height);
  try {
    await navigator.clipboard.write([new ClipboardItem({'image/png': picture})]);
    say('Copied the picture.');
  } catch {
    download('picture.png', picture);
  }
}
