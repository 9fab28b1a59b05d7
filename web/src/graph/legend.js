// SPDX-License-Identifier: BSD-3-Clause
//
// The legend of a graph as a list of entries, which the page shows as HTML and an exported picture draws. An entry is
// {title} or {text}, with `swatches`: colors, or with `hatch`: 'right' or 'left'.

import {countText} from '../base/format.js';
import {CLOSED, OPEN, REPEAT, UNFOLDED, groupOf} from './groups.js';

const LINE = 20,
  SIZE = 12,
  CHARACTER = 6.6;

/* Whether a group and all around it are open; -1 is the drawing. */
const isInView = (tree, id) => id < 0 || (groupOf(tree, id).state !== CLOSED && isInView(tree, tree.parent[id]));

/**
 * Returns the entries of the legend. `overlays` are those of the panes, `trees` the trees of the panes, `delegates` how
 * many are outlined; `isMarked` and `isPath` say what lines mean.
 */
export function legendOf({overlays, trees, delegates, theme, isMarked, isPath}) {
  const [overlay] = overlays,
    repeats = trees.flatMap(tree => tree.groups.filter(group => group.kind === REPEAT && isInView(tree, group.parent))),
    groups = trees.some(tree => tree.groups.length > 1),
    closed = trees.some(tree => tree.groups.some(({state}) => state === CLOSED));
  const list = [
    {title: overlay.name},
    ...(overlay.legend ?? []).map(([hue, text]) => ({swatches: hue ? [theme[hue]] : [], text})),
    ...(overlay.legend && overlay.scale === 'heat' ? [{text: 'stronger: more'}] : []),
  ];
  if (repeats.some(({state}) => state === OPEN))
    list.push({swatches: [theme.badge], text: 'dashed: to the next instance'});
  if (overlay.adds && repeats.some(({state}) => state !== UNFOLDED))
    list.push({text: '×: color and number are the sum of all instances'});
  if (overlay.name && !overlay.categories && groups)
    list.push({
      text: `stripe: the ${overlay.scale === 'change' ? 'change of all' : 'hottest operator'} inside${
        overlay.adds && closed && overlay.scale === 'heat' ? '; bar: share of the whole' : ''
      }`,
    });
  if (overlays.some(({estimated}) => estimated?.some(Boolean))) list.push({hatch: 'right', text: 'estimated'});
  for (const {hatched, hatchedText} of overlays)
    if (hatched?.some(Boolean)) list.push({hatch: 'left', text: hatchedText});
  if (isPath) list.push({swatches: [theme.path], text: 'longest path'});
  else if (isMarked)
    list.push({swatches: [theme.above], text: 'leads to it'}, {swatches: [theme.below], text: 'reads it'});
  if (delegates)
    list.push({
      text: `outline with a number: one of ${countText(delegates, 'delegate')}, by the instruction that calls it`,
    });
  return [...list, {text: '◆ weights'}];
}

const widthOf = ({title, text, swatches, hatch}) =>
  (title ?? text).length * CHARACTER + (hatch ? 18 : (swatches?.length ?? 0) * 14 + 4) + 20;

/* Where each entry is, in lines: [entry, x, line]. */
function placed(entries, width) {
  const found = [];
  let x = 20,
    line = 0;
  for (const entry of entries) {
    if (x > 20 && x + widthOf(entry) > width) {
      x = 20;
      line++;
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

function drawEntry(c, theme, {title, text, swatches = [], hatch}, x, base) {
  let left = x;
  const write = (said, at, y, weight = '', align = 'left') => {
    c.font = `${weight}${SIZE}px system-ui, sans-serif`;
    c.fillStyle = theme.text;
    c.textAlign = align;
    c.fillText(said, at, y);
  };
  const box = (color, width) => {
    c.fillStyle = color;
    c.fillRect(left, base - 10, width, 11);
  };
  for (const color of swatches) {
    box(color, 11);
    left += 14;
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
