// SPDX-License-Identifier: BSD-3-Clause
//
// theme.js - the colors of the style sheet as pictures take them, "#rrggbb", and the widths of texts.

import {signal} from '@preact/signals';

import {mixed, strengthOf} from '../base/colors.js';
import {textWidths} from '../base/rects.js';

const TOKENS = [
  'page',
  'surface',
  'text',
  'quiet',
  'line',
  'soft',
  'cpu',
  'delegate',
  'second',
  'runtime',
  'accent',
  'less',
  'more',
];

let tokens = null; // {token: color}; read again when the theme changes

/* Counts changes of the theme: what reads it is drawn again. */
const changes = signal(0);

function forget() {
  tokens = null;
  changes.value++;
}
globalThis.addEventListener?.('themechange', forget);
globalThis.matchMedia?.('(prefers-color-scheme: dark)').addEventListener('change', forget);

function readTokens() {
  const probe = document.body.appendChild(document.createElement('span'));
  const canvas = Object.assign(document.createElement('canvas'), {width: 1, height: 1});
  const dot = canvas.getContext('2d', {willReadFrequently: true});
  const read = name => {
    probe.style.color = `var(--${name})`;
    dot.fillStyle = getComputedStyle(probe).color;
    dot.fillRect(0, 0, 1, 1);
    const parts = [...dot.getImageData(0, 0, 1, 1).data.slice(0, 3)];
    return `#${parts.map(part => part.toString(16).padStart(2, '0')).join('')}`;
  };
  const made = Object.fromEntries(TOKENS.map(name => [name, read(name)]));
  probe.remove();
  return made;
}

/** Returns the colors of the theme by name. A component that calls it is drawn again when the theme changes. */
export function theme() {
  void changes.value;
  return (tokens ??= readTokens());
}

/** Returns the color of a hue, as strong as its share of the whole says. */
export const hueColor = (colors, hue, share) => mixed(colors.surface, colors[hue], strengthOf(share));

/** Returns a neutral color, `part` of the text's. */
export const neutral = (colors, part) => mixed(colors.surface, colors.text, part);

/** The fonts of pictures, as CSS and SVG have them. */
export const FAMILY = 'system-ui, sans-serif';
const measures = new Map();

/** Returns the function that gives the width in pixels of a text of a size and weight. */
export function widthsOf(size, weight = 400) {
  const font = `${weight} ${size}px ${FAMILY}`;
  if (!measures.has(font)) {
    const context = document.createElement('canvas').getContext('2d');
    context.font = font;
    measures.set(
      font,
      textWidths(letter => context.measureText(letter).width),
    );
  }
  return measures.get(font);
}
