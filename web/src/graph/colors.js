// SPDX-License-Identifier: BSD-3-Clause
//
// The colors of the graph: hue is where something runs, or whether it became less or more, and strength is how much.

import {HUES, PALEST, contrast, mixed} from '../base/colors.js';
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
  cpu: '#c46a00',
  delegate: '#06708d',
  second: '#7a3fb8',
  runtime: '#6b665f',
  less: '#1a5fb4',
  more: '#b3261e',
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
  cpu: '#eda24a',
  delegate: '#35b3d0',
  second: '#c29bff',
  runtime: '#948d86',
  less: '#78a8ff',
  more: '#ff8a7d',
};
/* The least contrast of text on a box. */
const READABLE = 4.5;

/* The colors of a hue by the steps of its strength, from the palest on: base/colors.js. */
const rampOf = (box, hue) =>
  Array.from({length: STEPS + 1}, (_, i) => mixed(box, hue, PALEST + ((1 - PALEST) * i) / STEPS));

function makeTheme(colors) {
  const ramps = Object.fromEntries([...HUES, 'less', 'more'].map(hue => [hue, rampOf(colors.box, colors[hue])]));
  return {...colors, ramps, isDark: colors === DARK, inks: new Map()};
}

export const THEMES = {light: makeTheme(LIGHT), dark: makeTheme(DARK)};

/**
 * The colors of text on a box of a color: {text, quiet, badge}. What would be hard to read is written as the text is.
 */
export function inkOn(theme, color) {
  if (!theme.inks.has(color)) {
    const [best] = ['#000000', '#ffffff'].sort((a, b) => contrast(b, color) - contrast(a, color)),
      text = contrast(theme.text, color) >= READABLE ? theme.text : best,
      readable = ink => (contrast(ink, color) >= READABLE ? ink : text);
    theme.inks.set(color, {text, quiet: readable(theme.quiet), badge: readable(theme.badge)});
  }
  return theme.inks.get(color);
}

/**
 * The color of a step of an overlay (overlay.js), in the hue of where it runs; `empty` of what has no value. A change
 * without a hue of its own is less or more.
 */
export function stepColor(theme, {scale, hues = []}, step, hue, empty) {
  if (Number.isNaN(step)) return empty;
  if (scale === 'category') return step < 0 ? theme.faint : theme[hues[step]];
  if (scale === 'change') return step === 0 ? empty : theme.ramps[hue ?? (step < 0 ? 'less' : 'more')][Math.abs(step)];
  return theme.ramps[hue][step];
}
