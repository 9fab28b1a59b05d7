// SPDX-License-Identifier: BSD-3-Clause
//
// Texts on a canvas: as wide as they are drawn, cut where there is no room, and on edges only where they cover nothing.

import {cutText} from './labels.js';

/* Text that is wider than its room is drawn narrower, down to this share of its width; then it is cut. */
const NARROWEST = 0.86;
/** The least size of text in pixels that can be read. */
export const SMALLEST_TEXT = 6;
const MOST_WIDTHS = 20000;
/* The invisible characters that a terminal would obey, see base/html.js. */
const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u{feff}\u{e0000}-\u{e007f}]/gu;

const known = new Map(); // weight and text -> its width at a size of 1 px

/** Writes on one canvas, whose font it sets. */
export class Writer {
  constructor(context) {
    this.c = context;
    this.font = '';
    this.widths = context.widths ?? known;
  }

  setFont(font) {
    if (this.font !== font) this.c.font = this.font = font;
  }

  /** The width of a text in pixels. */
  width(text, size, weight = '') {
    const {widths} = this,
      key = weight + text;
    let width = widths.get(key);
    if (width === undefined) {
      this.setFont(`${weight}100px system-ui, sans-serif`);
      if (widths.size > MOST_WIDTHS) widths.clear();
      widths.set(key, (width = this.c.measureText(text).width / 100));
    }
    return width * size;
  }

  /** As many of some texts as have room, joined; the first one at least. */
  fitting(texts, size, room) {
    let fits = texts[0] ?? '';
    for (let i = 2; i <= texts.length && this.width(texts.slice(0, i).join(' · '), size) * NARROWEST <= room; i++)
      fits = texts.slice(0, i).join(' · ');
    return fits;
  }

  /**
   * Writes a text of any origin, if it can be read, and returns its width. What does not fit is cut, or left out if two
   * letters remain.
   */
  write(text, x, y, size, room, weight = '', align = 'left') {
    if (size < SMALLEST_TEXT || !text) return 0;
    let shown = text.replace(INVISIBLE, '?'),
      width = this.width(shown, size, weight);
    if (width * NARROWEST > room) {
      const fits = Math.floor((shown.length * room) / width);
      if (fits < 3) return 0;
      shown = cutText(shown, fits);
      width = this.width(shown, size, weight);
    }
    this.setFont(`${weight}${size.toFixed(1)}px system-ui, sans-serif`);
    this.c.textAlign = align;
    if (width > room) this.c.fillText(shown, x, y, room);
    else this.c.fillText(shown, x, y);
    return Math.min(width, room);
  }
}

/* The places for a text at a line [x, y, ..., x, y]: right and left of its start, right and left of its end. */
function placesAt(line, width, size) {
  const [x, y] = line,
    endX = line.at(-2),
    endY = line.at(-1);
  return [
    [x + 4, y + size + 1],
    [x - 4 - width, y + size + 1],
    [endX + 6, endY - 3],
    [endX - 6 - width, endY - 3],
  ];
}

/**
 * The first place for the text of a line, between two x, at which it covers no line, box or other text: [x, y of the
 * base], or null. `taken` has rectangles [x, y, x, y].
 */
export function freePlace(line, width, size, [from, to], taken) {
  return (
    placesAt(line, width, size).find(
      ([x, y]) =>
        x > from &&
        x + width < to &&
        !taken.some(
          ([left, top, right, bottom]) => x - 1 < right && left < x + width + 1 && y - size < bottom && top < y + 2,
        ),
    ) ?? null
  );
}

/** The pieces of a line as rectangles without an area. */
export function rectsOf(line) {
  const rects = [];
  for (let i = 0; i + 3 < line.length; i += 2)
    rects.push([
      Math.min(line[i], line[i + 2]),
      Math.min(line[i + 1], line[i + 3]),
      Math.max(line[i], line[i + 2]),
      Math.max(line[i + 1], line[i + 3]),
    ]);
  return rects;
}
