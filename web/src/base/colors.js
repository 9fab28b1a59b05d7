// SPDX-License-Identifier: BSD-3-Clause
//
// colors.js - what colors mean in all views: hue is where something runs, strength is how much. It needs no page.

/** Hues by what they stand for, as the style sheet names them. */
export const HUES = ['cpu', 'delegate', 'second', 'runtime'];

/** Returns the hue of operators of a backend, by its place among the record's delegates: -1 of kernels on the CPU. */
export const hueOf = place => (place < 0 ? 'cpu' : place === 0 ? 'delegate' : 'second');

/** The strength of what takes nothing, and the share of the whole from which a color is full. */
export const PALEST = 0.22,
  FULL = 0.2;

/** Returns how strong the color of a share of the whole is, from 0 to 1. */
export const strengthOf = share => Math.min(1, PALEST + (1 - PALEST) * Math.sqrt(Math.max(0, share || 0) / FULL));

/** The number of steps of strength that pictures draw, and the step of a share. */
export const STRENGTHS = 12;
export const strengthStep = share => Math.round(strengthOf(share) * (STRENGTHS - 1));

const channels = color => [1, 3, 5].map(at => parseInt(color.slice(at, at + 2), 16));
const hex = parts => `#${parts.map(part => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

/** Mixes two colors, "#rrggbb" each: `part` of the second. */
export function mixed(one, other, part) {
  const to = channels(other);
  return hex(channels(one).map((from, at) => from + (to[at] - from) * part));
}

const linear = value => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);

function luminance(color) {
  const [red, green, blue] = channels(color).map(value => linear(value / 255));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast of two colors, 1 to 21, as WCAG defines it. */
export function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const READABLE = 4.5;

/** Returns the color of text on a color: white where it can be read, or else the page's text or black. */
export function inkOn(ground, text) {
  if (contrast(ground, '#ffffff') >= READABLE) return '#ffffff';
  if (contrast(ground, text) >= READABLE) return text;
  return contrast(ground, '#ffffff') > contrast(ground, '#000000') ? '#ffffff' : '#000000';
}

const SIDES = {slower: 'more', new: 'more', likely_slower: 'more', faster: 'less', gone: 'less', likely_faster: 'less'};

/** Returns the hue of a verdict: "less", "more", or "runtime", the gray of what cannot be told. */
export const hueOfVerdict = verdict => SIDES[verdict] ?? 'runtime';
export const isLikely = verdict => /^likely_/.test(verdict ?? '');
