// SPDX-License-Identifier: BSD-3-Clause
//
// The colours of the graph. Lightness says how much, so that they can be told apart without seeing red or green.

import {STEPS} from './overlay.js';

const LIGHT = {
  page: '#f6f7f9',
  frame: ['#ffffff', '#f7f9fb'],
  frameEdge: '#b9c4cf',
  title: '#eef2f6',
  box: '#ffffff',
  boxEdge: '#8d9aa8',
  closed: '#e9eef4',
  port: '#e0e8f1',
  text: '#1c2733',
  quiet: '#5b6773',
  line: '#74828f',
  faint: '#b7c1cb',
  chosen: '#1565d8',
  above: '#0a7d61',
  below: '#6b1080',
  path: '#c2410c',
  hit: '#d9a800',
  badge: '#7a5cc0',
  heat: [
    [255, 255, 255],
    [255, 244, 214],
    [255, 214, 140],
    [250, 160, 90],
    [226, 84, 58],
  ],
  less: [
    [255, 255, 255],
    [178, 203, 231],
    [26, 95, 180],
  ],
  more: [
    [255, 255, 255],
    [240, 190, 185],
    [179, 38, 30],
  ],
};
const DARK = {
  page: '#16181d',
  frame: ['#1f2228', '#23272e'],
  frameEdge: '#454c57',
  title: '#2a2f37',
  box: '#2a2e36',
  boxEdge: '#6b7583',
  closed: '#2f3540',
  port: '#323b47',
  text: '#e4e7eb',
  quiet: '#a3adba',
  line: '#8a95a3',
  faint: '#4d5560',
  chosen: '#7db4ff',
  above: '#4cc9a4',
  below: '#b070b8',
  path: '#ff7a3c',
  hit: '#fde047',
  badge: '#b49cf0',
  heat: [
    [42, 46, 54],
    [84, 66, 48],
    [140, 94, 48],
    [206, 130, 62],
    [255, 158, 94],
  ],
  less: [
    [42, 46, 54],
    [62, 88, 136],
    [120, 168, 255],
  ],
  more: [
    [42, 46, 54],
    [128, 70, 66],
    [255, 138, 125],
  ],
};
/* Eight colours that differ by 10 hundredths of Oklab or more for readers with all cones, and without those for red or
 * green, as a test computes. */
const CATEGORIES = ['#56b4e9', '#e69f00', '#99ccaa', '#9944ff', '#ccff44', '#008888', '#ee0033', '#77ffff'];

const mixed = (stops, share) => {
  const at = Math.min(0.9999, Math.max(0, share)) * (stops.length - 1),
    i = Math.floor(at),
    part = at - i;
  return `rgb(${stops[i].map((channel, k) => Math.round(channel + (stops[i + 1][k] - channel) * part)).join(',')})`;
};

const channels = colour =>
  colour.startsWith('#')
    ? [1, 3, 5].map(at => parseInt(colour.slice(at, at + 2), 16))
    : colour.match(/\d+/g).map(Number);
const luminance = colour =>
  channels(colour)
    .map(value => value / 255)
    .map(value => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);

/** The contrast of two colours, 1 to 21, as WCAG defines it. */
export function contrast(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/* The least contrast of text on a box. */
const READABLE = 4.5;

function makeTheme(colours) {
  const scale = stops => Array.from({length: STEPS + 1}, (_, i) => mixed(stops, i / STEPS));
  return {
    ...colours,
    heat: scale(colours.heat),
    less: scale(colours.less),
    more: scale(colours.more),
    isDark: colours === DARK,
    inks: new Map(),
  };
}

export const THEMES = {light: makeTheme(LIGHT), dark: makeTheme(DARK)};

/** The colours of text on a box of a colour: {text, quiet, badge}. What would be hard to read is written as the text is. */
export function inkOn(theme, colour) {
  if (!theme.inks.has(colour)) {
    const [best] = ['#000000', '#ffffff'].sort((a, b) => contrast(b, colour) - contrast(a, colour)),
      text = contrast(theme.text, colour) >= READABLE ? theme.text : best,
      readable = ink => (contrast(ink, colour) >= READABLE ? ink : text);
    theme.inks.set(colour, {text, quiet: readable(theme.quiet), badge: readable(theme.badge)});
  }
  return theme.inks.get(colour);
}

/** The number of hues of categories. */
export const HUES = CATEGORIES.length;

/** The colour of category number `index`, and the same as the tint of an area. */
export const categoryColour = index => CATEGORIES[index % HUES];
export const tintColour = index => `${categoryColour(index)}2e`;

/** The colour of a step of an overlay's scale (overlay.js). */
export function stepColour(theme, scale, step, empty) {
  if (scale === 'category') return Number.isNaN(step) ? empty : step < 0 ? theme.faint : categoryColour(step);
  if (step === 0) return empty;
  return scale === 'change' ? (step < 0 ? theme.less : theme.more)[Math.abs(step)] : theme.heat[Math.abs(step)];
}
