// SPDX-License-Identifier: BSD-3-Clause
//
// distribution.js - a bar that shows how a time varies over the runs: a line from minimum to maximum, a box from p10 to p90, a mark at the median.

import {element} from './dom.js';

/** Returns a logarithmic scale over the times of all rows, because rows differ by orders of magnitude. It maps a time in ns to a position in percent; 0 ns is at 0. */
export function logScale(rows) {
  const times = rows.flatMap(row => [row.min, row.max]).filter(time => time > 0);
  const low = Math.log(times.reduce((a, b) => Math.min(a, b), Infinity)), high = Math.log(times.reduce((a, b) => Math.max(a, b), 0));
  return time => (time > 0 && high > low ? (100 * (Math.log(time) - low)) / (high - low) : 0);
}

/** Returns a linear scale: it maps a time from 0 to `most` ns to a position in percent. */
export function linearScale(most) {
  return time => (most > 0 ? (100 * time) / most : 0);
}

/** Makes the bar. `at` is one of the scales above; `time` formats a time in ns. */
export function distributionBar(row, at, time) {
  if (row.p50 === null || row.p50 === undefined) return element('span', {class: 'distribution empty'});
  const label = `min ${time(row.min)}, p10 ${time(row.p10)}, median ${time(row.p50)}, p90 ${time(row.p90)}, max ${time(row.max)}`;
  const part = (name, from, to) => element('span', {class: name, style: {left: `${at(from)}%`, width: `${at(to) - at(from)}%`}});
  return element('span', {class: 'distribution', role: 'img', 'aria-label': label, title: label},
    part('range', row.min, row.max), part('box', row.p10, row.p90), part('median', row.p50, row.p50));
}
