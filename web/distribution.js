// SPDX-License-Identifier: BSD-3-Clause
//
// distribution.js - a bar that tells how a time varies over the runs: a line from the least to the most, a box from p10 to p90, a mark at the median.

import {element} from './dom.js';

/** Where a time stands on the bar, in percent, for rows of very different times: logarithmic. Times of 0 stand at its beginning. */
export function logScale(rows) {
  const times = rows.flatMap(row => [row.min, row.max]).filter(time => time > 0);
  const low = Math.log(times.reduce((a, b) => Math.min(a, b), Infinity)), high = Math.log(times.reduce((a, b) => Math.max(a, b), 0));
  return time => (time > 0 && high > low ? (100 * (Math.log(time) - low)) / (high - low) : 0);
}

/** The same from 0 to `most`: linear. */
export function linearScale(most) {
  return time => (most > 0 ? (100 * time) / most : 0);
}

/** `at` is one of the scales; `time` makes a text of a time. */
export function distributionBar(row, at, time) {
  if (row.p50 === null || row.p50 === undefined) return element('span', {class: 'distribution empty'});
  const label = `min ${time(row.min)}, p10 ${time(row.p10)}, median ${time(row.p50)}, p90 ${time(row.p90)}, max ${time(row.max)}`;
  const part = (name, from, to) => element('span', {class: name, style: {left: `${at(from)}%`, width: `${at(to) - at(from)}%`}});
  return element('span', {class: 'distribution', role: 'img', 'aria-label': label, title: label},
    part('range', row.min, row.max), part('box', row.p10, row.p90), part('median', row.p50, row.p50));
}
