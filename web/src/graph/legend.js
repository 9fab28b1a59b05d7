// SPDX-License-Identifier: BSD-3-Clause
//
// The legend of a graph as a list of entries, which the page shows as HTML and an exported picture draws. An entry is {title}, {cells: colours, ticks: texts below them} or {text}, the last with
// `swatches`: colours, or with `hatch`: 'right' or 'left'.

import {numberText} from '../base/format.js';
import {CLOSED, REPEAT} from './groups.js';
import {HUES, categoryColour} from './colours.js';
import {STEPS} from './overlay.js';

const SAMPLES = 13,
  CELL = 12,
  LINE = 20,
  SIZE = 12,
  CHARACTER = 6.6;

/* The colours of a scale, and the values at its ends and between. Colours are proportional to the square root of the value, so that small ones can be told apart. */
function scaleOf({scale, text, least}, hottest, theme) {
  if (!(hottest > 0)) return {text: 'no values'};
  const at = i => i / (SAMPLES - 1),
    half = (SAMPLES - 1) / 2,
    step = i => Math.round(STEPS * i);
  if (scale === 'change')
    return {
      cells: Array.from({length: SAMPLES}, (_, i) =>
        i < half ? theme.less[step((half - i) / half)] : theme.more[step((i - half) / half)],
      ),
      ticks: [-1, -0.25, 0, 0.25, 1].map(part => text(part * hottest)),
    };
  return {
    cells: Array.from({length: SAMPLES}, (_, i) => theme.heat[step(at(i))]),
    ticks: [0, 1 / 9, 4 / 9, 1].map(part => (part === 0 && least ? least : text(part * hottest))),
  };
}

/* What the tints of delegates mean; there are fewer colours than some models have delegates. */
function tintEntries(delegates) {
  if (delegates.length <= HUES)
    return delegates.map((text, i) => ({swatches: [categoryColour(i)], isTint: true, text}));
  return [
    {
      swatches: Array.from({length: HUES}, (_, i) => categoryColour(i)),
      isTint: true,
      text: `areas of ${numberText(delegates.length)} delegates, in turn: the pointer shows which`,
    },
  ];
}

/**
 * Returns the entries of the legend. `overlays` are those of the panes, with `hottest` at the end of their scale, `trees` the trees of the panes, `delegates` the names of those that are tinted, by their
 * number; `isMarked` and `isPath` say what lines mean.
 */
export function legendOf({overlays, hottest, trees, delegates, theme, isMarked, isPath}) {
  const [overlay] = overlays,
    repeats = trees.some(tree => tree.groups.some(({kind, state}) => kind === REPEAT && state !== 2)),
    groups = trees.some(tree => tree.groups.length > 1),
    closed = trees.some(tree => tree.groups.some(({state}) => state === CLOSED));
  const list = [
    {title: overlay.name},
    ...(overlay.categories?.map((text, i) => ({swatches: [categoryColour(i)], text})) ??
      (overlay.name ? [scaleOf(overlay, hottest, theme)] : [])),
  ];
  if (overlay.adds && repeats) list.push({text: '×: colour and number are the sum of all instances'});
  if (overlay.name && !overlay.categories && groups)
    list.push({
      text: `stripe: the ${overlay.scale === 'change' ? 'greatest change' : 'hottest operator'} inside${overlay.adds && closed && overlay.scale === 'heat' ? '; bar: share of the whole' : ''}`,
    });
  if (overlays.some(({estimated}) => estimated?.some(Boolean))) list.push({hatch: 'right', text: 'estimated'});
  for (const {hatched, hatchedText} of overlays)
    if (hatched?.some(Boolean)) list.push({hatch: 'left', text: hatchedText});
  if (isPath) list.push({swatches: [theme.path], text: 'longest path'});
  else if (isMarked)
    list.push({swatches: [theme.above], text: 'leads to it'}, {swatches: [theme.below], text: 'reads it'});
  return [...list, ...tintEntries(delegates), {text: '◆ weights'}];
}

const widthOf = ({title, text, cells, ticks, swatches, hatch}) =>
  (cells
    ? Math.max(cells.length * CELL, ticks.join('  ').length * CHARACTER)
    : (title ?? text).length * CHARACTER + (hatch ? 18 : (swatches?.length ?? 0) * 14 + 4)) + 20;

/* Where each entry is, in lines: [entry, x, line]. */
function placed(entries, width) {
  const found = [];
  let x = 20,
    line = 0;
  for (const entry of entries) {
    if (x > 20 && x + widthOf(entry) > width) {
      x = 20;
      line += found.some(([{cells}, , at]) => cells && at === line) ? 1.7 : 1;
    }
    found.push([entry, x, line]);
    x += widthOf(entry);
  }
  return found;
}

/** The height that the legend needs in a picture. */
export const legendHeight = (entries, width) =>
  entries.length ? (placed(entries, width).at(-1)[2] + 2) * LINE + 14 : 0;

/** Draws the legend below a picture, from `top` on. */
export function drawLegend(c, theme, entries, top, width) {
  c.fillStyle = theme.page;
  c.fillRect(0, top, width, legendHeight(entries, width));
  c.textAlign = 'left';
  for (const [entry, x, line] of placed(entries, width)) drawEntry(c, theme, entry, x, top + 16 + line * LINE);
}

function drawEntry(c, theme, {title, text, cells, ticks, swatches = [], hatch, isTint}, x, base) {
  let left = x;
  const write = (said, at, y, weight = '', align = 'left') => {
    c.font = `${weight}${SIZE}px system-ui, sans-serif`;
    c.fillStyle = theme.text;
    c.textAlign = align;
    c.fillText(said, at, y);
  };
  const box = (colour, width) => {
    c.fillStyle = colour;
    c.fillRect(left, base - 10, width, 11);
  };
  if (cells) {
    for (const colour of cells) {
      box(colour, CELL);
      left += CELL;
    }
    c.strokeStyle = theme.frameEdge;
    c.lineWidth = 1;
    c.strokeRect(x, base - 10, cells.length * CELL, 11);
    const wide = widthOf({cells, ticks}) - 20;
    ticks.forEach((tick, i) =>
      write(
        tick,
        x + (wide * i) / (ticks.length - 1),
        base + 15,
        '',
        i === 0 ? 'left' : i === ticks.length - 1 ? 'right' : 'center',
      ),
    );
    return;
  }
  for (const colour of swatches) {
    c.globalAlpha = isTint ? 0.45 : 1;
    box(colour, 11);
    left += 14;
    c.globalAlpha = 1;
  }
  if (hatch) {
    c.strokeStyle = theme.quiet;
    c.lineWidth = 1;
    c.strokeRect(left, base - 10, 13, 11);
    c.beginPath();
    for (const d of [0, 4, 8]) {
      c.moveTo(left + d + (hatch === 'left' ? 0 : 5), base - 10);
      c.lineTo(left + d + (hatch === 'left' ? 5 : 0), base + 1);
    }
    c.stroke();
    left += 14;
  }
  write(title ?? text, left + (left > x ? 4 : 0), base, title ? '600 ' : '');
}
