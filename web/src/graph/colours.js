// SPDX-License-Identifier: BSD-3-Clause
//
// The colours of the graph. Lightness says how much, so that they can be told apart without seeing red or green.

import {STEPS} from './overlay.js';

const LIGHT = {
  page: '#f6f7f9', frame: ['#ffffff', '#f7f9fb'], frameEdge: '#b9c4cf', title: '#eef2f6', box: '#ffffff', boxEdge: '#8d9aa8', closed: '#e9eef4', port: '#e0e8f1', text: '#1c2733', hot: '#1c2733', quiet: '#5b6773', line: '#74828f', faint: '#b7c1cb',
  chosen: '#1565d8', above: '#0a7d61', below: '#8a3ffc', path: '#c2410c', hit: '#b58900', badge: '#7a5cc0',
  heat: [[255, 255, 255], [255, 244, 214], [255, 214, 140], [250, 160, 90], [226, 84, 58]], less: [[255, 255, 255], [203, 226, 246], [116, 173, 222]], more: [[255, 255, 255], [255, 224, 178], [236, 126, 62]],
};
const DARK = {
  page: '#16181d', frame: ['#1f2228', '#23272e'], frameEdge: '#454c57', title: '#2a2f37', box: '#2a2e36', boxEdge: '#6b7583', closed: '#2f3540', port: '#323b47', text: '#e4e7eb', hot: '#10141a', quiet: '#a3adba', line: '#8a95a3', faint: '#4d5560',
  chosen: '#7db4ff', above: '#4cc9a4', below: '#c49bff', path: '#ff9d5c', hit: '#e6c34a', badge: '#b49cf0',
  heat: [[42, 46, 54], [84, 66, 48], [140, 94, 48], [206, 130, 62], [255, 158, 94]], less: [[42, 46, 54], [46, 78, 112], [98, 160, 218]], more: [[42, 46, 54], [120, 78, 40], [240, 146, 74]],
};
/* Eight hues that people with any colour vision can tell apart (Okabe and Ito), light enough for text. */
const CATEGORIES = ['#56b4e9', '#e69f00', '#58c9a3', '#f0e442', '#7d9fe0', '#e8895a', '#dba0c4', '#b0b7bf'];

const mixed = (stops, share) => {
  const at = Math.min(0.9999, Math.max(0, share)) * (stops.length - 1), i = Math.floor(at), part = at - i;
  return `rgb(${stops[i].map((channel, k) => Math.round(channel + (stops[i + 1][k] - channel) * part)).join(',')})`;
};

function makeTheme(colours) {
  const scale = stops => Array.from({length: STEPS + 1}, (_, i) => mixed(stops, i / STEPS));
  return {...colours, heat: scale(colours.heat), less: scale(colours.less), more: scale(colours.more), isDark: colours === DARK};
}

export const THEMES = {light: makeTheme(LIGHT), dark: makeTheme(DARK)};

/** The colour of category number `index`, and the same as the tint of an area. */
export const categoryColour = index => CATEGORIES[index % CATEGORIES.length];
export const tintColour = index => `${categoryColour(index)}2e`;

/** The colour of a step of an overlay's scale (overlay.js), and the colour of text on it. */
export function stepColour(theme, scale, step, empty) {
  if (scale === 'category') return Number.isNaN(step) ? empty : step < 0 ? theme.faint : categoryColour(step);
  if (step === 0) return empty;
  return scale === 'change' ? (step < 0 ? theme.less : theme.more)[Math.abs(step)] : theme.heat[Math.abs(step)];
}

export const textOn = (theme, scale, step) => (theme.isDark && (scale === 'category' ? step >= 0 : Math.abs(step) > STEPS / 2) ? theme.hot : theme.text);
