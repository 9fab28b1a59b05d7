// SPDX-License-Identifier: BSD-3-Clause
//
// colors.js - what colors of a page can be told apart: contrast as WCAG 2 defines it, and distances as readers without red or green cones see them.

const linear = value => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const light = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);

/** Returns the contrast of two colors, [r, g, b] of 0 to 255: 1 to 21. */
export function contrast(one, other) {
  const [high, low] = [light(one), light(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

/** How colors look without a kind of cone: matrices of linear RGB (Machado, Oliveira and Fernandes 2009, severity 1). */
export const CONES = {
  all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  'no green': [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  'no red': [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
};

/* Oklab's three coordinates, in which equal distances look about equal. */
function oklab([r, g, b]) {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b), m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b), s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s, 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s];
}

/** Returns the distance of two colors for a reader with such cones: 0 to about 100. */
export function distance(one, other, cones) {
  const [a, b] = [one, other].map(color => oklab(CONES[cones].map(row => Math.min(1, Math.max(0, row.reduce((sum, part, at) => sum + part * linear(color[at] / 255), 0))))));
  return 100 * Math.hypot(...a.map((value, at) => value - b[at]));
}

/** Returns colors as the page computes them, [r, g, b] each: "var(--nodes)", or mixes of several. */
export const computed = (page, said) => page.evaluate(list => {
  const probe = document.body.appendChild(document.createElement('span')), dot = Object.assign(document.createElement('canvas'), {width: 1, height: 1}).getContext('2d', {willReadFrequently: true});
  const made = list.map(color => {
    probe.style.color = color;
    dot.fillStyle = getComputedStyle(probe).color;
    dot.fillRect(0, 0, 1, 1);
    return [...dot.getImageData(0, 0, 1, 1).data.slice(0, 3)];
  });
  probe.remove();
  return made;
}, said);

/** Returns the texts that are in the page with the colors they have, {text, color, ground, isLarge}; each pair of colors once. */
export const textsWithColors = page => page.evaluate(() => {
  const dot = Object.assign(document.createElement('canvas'), {width: 1, height: 1}).getContext('2d', {willReadFrequently: true}), found = new Map();
  const known = new Map();
  const rgba = color => {
    if (known.has(color)) return known.get(color);
    dot.clearRect(0, 0, 1, 1);
    dot.fillStyle = color;
    dot.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = dot.getImageData(0, 0, 1, 1).data;
    known.set(color, [r, g, b, a / 255]);
    return known.get(color);
  };
  const over = (top, under) => [0, 1, 2].map(at => top[at] * top[3] + under[at] * (1 - top[3]));
  for (const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); walker.nextNode();) {
    const text = walker.currentNode.data.trim(), element = walker.currentNode.parentElement;
    if (!text || element.closest('svg title, script, style, option, [disabled], .icicle-picture, .waterfall, .aligned') || !element.checkVisibility({visibilityProperty: true})) continue;
    const {fontSize, fontWeight, color: given, fill} = getComputedStyle(element), layers = [];
    let opacity = 1;
    for (let at = element; at && layers.at(-1)?.[3] !== 1; at = at.parentElement) {
      opacity *= Number(getComputedStyle(at).opacity);
      layers.push(rgba(getComputedStyle(at).backgroundColor));
    }
    const ground = layers.reverse().reduce((under, layer) => over(layer, under), [255, 255, 255]), own = rgba(element.closest('svg') ? fill : given), color = over([...own.slice(0, 3), own[3] * opacity], ground);
    found.set(`${color} ${ground}`, {text, color, ground, isLarge: parseFloat(fontSize) >= 24 || (parseFloat(fontSize) >= 18.66 && Number(fontWeight) >= 700)});
  }
  return [...found.values()];
});
