// SPDX-License-Identifier: BSD-3-Clause
//
// roofline.js - the roofline: a point for each operator, by FLOP per byte and rate, below the lines of the peaks. The library computes rates and peaks.

import {drawing, element, plainTable} from './dom.js';
import {countText, rateText, shareText} from './format.js';
import {backendsOf} from './model.js';
import {backendIndex} from './tree.js';

const WIDTH = 900, HEIGHT = 420, LEFT = 64, RIGHT = 16, TOP = 14, BOTTOM = 46;

/** Returns the operators that have a point, because they multiply and their rate is known. Most time first, so that small points are drawn over large ones. */
export function rooflinePoints(operators) {
  return operators.filter(operator => operator.gflops > 0 && operator.intensity > 0).sort((a, b) => b.avg - a.avg);
}

/** Returns the lines of the peaks, {name, gflops, gbs, given}: one for floats and one for integers, if there are points of that kind. */
export function peakLines(peaks, points) {
  const line = (name, gflops, given) => ({name, gflops, gbs: peaks.gbs, given: given && peaks.bandwidth_given});
  const has = arithmetic => points.some(point => (point.arithmetic === 'integer') === (arithmetic === 'integer'));
  return [has('float') ? line('float', peaks.gflops, peaks.flops_given) : null, has('integer') ? line('integer', peaks.integer_gops, peaks.integer_given) : null]
    .filter(peak => peak && peak.gflops > 0 && peak.gbs > 0);
}

/** Returns a logarithmic axis from pixel `from` to pixel `to` that covers whole decades around all values: {at: position of a value, low, high, ticks}. */
export function decades(values, from, to) {
  const low = Math.floor(Math.log10(values.reduce((a, b) => Math.min(a, b), Infinity))), high = Math.max(low + 1, Math.ceil(Math.log10(values.reduce((a, b) => Math.max(a, b), 0))));
  const at = value => from + ((Math.log10(value) - low) / (high - low)) * (to - from);
  return {at, low: 10 ** low, high: 10 ** high, ticks: Array.from({length: high - low + 1}, (_, i) => 10 ** (low + i))};
}

function axes(x, y) {
  const text = (at, properties) => drawing('text', {class: 'axis', ...properties}, rateText(at));
  return drawing('g', {},
    ...x.ticks.map(value => drawing('line', {class: 'grid-line', x1: x.at(value), x2: x.at(value), y1: TOP, y2: HEIGHT - BOTTOM})),
    ...y.ticks.map(value => drawing('line', {class: 'grid-line', x1: LEFT, x2: WIDTH - RIGHT, y1: y.at(value), y2: y.at(value)})),
    ...x.ticks.map(value => text(value, {x: x.at(value), y: HEIGHT - BOTTOM + 18, 'text-anchor': 'middle'})),
    ...y.ticks.map(value => text(value, {x: LEFT - 8, y: y.at(value) + 4, 'text-anchor': 'end'})),
    drawing('text', {class: 'axis', x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 8, 'text-anchor': 'middle'}, 'intensity, FLOP per byte'),
    drawing('text', {class: 'axis', x: 14, y: (TOP + HEIGHT - BOTTOM) / 2, 'text-anchor': 'middle', transform: `rotate(-90 14 ${(TOP + HEIGHT - BOTTOM) / 2})`}, 'GFLOP/s'));
}

function peakDrawing(peak, x, y) {
  const ridge = peak.gflops / peak.gbs, start = Math.max(x.low, y.low / peak.gbs), points = [[start, start * peak.gbs]];
  if (ridge > start && ridge < x.high) points.push([ridge, peak.gflops]);
  points.push([x.high, Math.min(peak.gflops, x.high * peak.gbs)]);
  if (ridge <= start) points[0][1] = peak.gflops;
  const said = `${peak.given ? 'peak' : 'best rate of this record'}, ${peak.name}: ${rateText(peak.gflops)} ${peak.name === 'integer' ? 'Gop/s' : 'GFLOP/s'}, ${rateText(peak.gbs)} GB/s`;
  return drawing('path', {class: `peak ${peak.name}${peak.given ? '' : ' best'}`, d: `M${points.map(([a, b]) => `${x.at(a)},${y.at(b)}`).join('L')}`}, drawing('title', {}, said));
}

function pointText(app, operator) {
  const part = operator.ofPeak === null ? '' : `, ${shareText(operator.ofPeak, 1)} of peak`;
  return `${operator.name}, ${operator.op}: ${app.time(operator.avg)} ${app.unitName()}, ${rateText(operator.gflops)} ${operator.arithmetic === 'integer' ? 'Gop/s (int)' : 'GFLOP/s'}, ${rateText(operator.gbs)} GB/s, ${rateText(operator.intensity)} FLOP per byte${part}`;
}

function pointDrawing(app, operator, order, most, x, y) {
  const said = pointText(app, operator), open = () => app.select(operator);
  return drawing('circle', {class: `operator-point tint-${backendIndex(order, operator.backend)}`, cx: x.at(operator.intensity), cy: y.at(operator.gflops), r: 4 + 10 * Math.sqrt(operator.avg / most), tabindex: '0', role: 'button', 'aria-label': said,
    onclick: open, onkeydown: event => event.key === 'Enter' && open()}, drawing('title', {}, said));
}

function plot(app, points, peaks) {
  const x = decades([...points.map(point => point.intensity), ...peaks.map(peak => peak.gflops / peak.gbs)], LEFT, WIDTH - RIGHT);
  const y = decades([...points.map(point => point.gflops), ...peaks.map(peak => peak.gflops)], HEIGHT - BOTTOM, TOP);
  const order = backendsOf(app.method.operators), most = points[0].avg;
  return drawing('svg', {class: 'roofline-plot', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'group', 'aria-label': 'Roofline: operators by intensity and rate'},
    axes(x, y), ...peaks.map(peak => peakDrawing(peak, x, y)), ...points.map(point => pointDrawing(app, point, order, most, x, y)));
}

/** Says why there is no line: which peaks nobody gave, and that no operator is large enough to take their place. */
export function missingPeaksText(known, points) {
  const computes = points.some(point => (point.arithmetic === 'integer' ? known.integer_gops : known.gflops) > 0);
  const missing = [known.gbs > 0 ? null : 'bandwidth', computes ? null : 'compute'].filter(Boolean).join(' or ');
  return `No line is drawn, because no peak of ${missing} is known: --peak-flops and --peak-bandwidth give them. Without these, operators take their place that need 50 µs or more and move 1 MB or compute a million MACs in a call.`;
}

function peaksText(peaks, known, points) {
  if (peaks.length === 0) return missingPeaksText(known, points);
  const each = peaks.map(peak => `${peak.name} ${rateText(peak.gflops)} ${peak.name === 'integer' ? 'Gop/s' : 'GFLOP/s'}`).join(', ');
  const best = peaks.every(peak => peak.given) ? '' : ' Dashed: without the device’s peaks (--peak-flops, --peak-bandwidth), the best rates of this record’s large operators take their place.';
  return `Peaks: ${each}; ${rateText(peaks[0].gbs)} GB/s.${best}`;
}

/* Lists operators without multiply-accumulates. They have no point in the drawing, because only the bandwidth can limit them. */
function moversTable(app) {
  const most = 12, movers = app.method.operators.filter(operator => operator.timed && operator.macs === 0 && operator.bytes > 0).sort((a, b) => b.avg - a.avg);
  if (movers.length === 0) return null;
  return element('section', {class: 'card'}, plainTable(`Operators without MACs, the longest ${Math.min(most, movers.length)} of ${movers.length}`, [
    {title: 'operator', class: 'key', cell: row => row.op}, {title: 'node', class: 'key', cell: row => row.name},
    {title: `avg ${app.unitName()}`, class: 'number', cell: row => app.time(row.avg)}, {title: 'bytes', class: 'number', cell: row => rateText(row.bytes)},
    {title: 'GB/s', class: 'number', cell: row => rateText(row.gbs)}, {title: 'of peak', class: 'number', cell: row => shareText(row.ofPeak, 1)},
  ], movers.slice(0, most), row => app.select(row)));
}

/** Makes the view. */
export function rooflineView(app) {
  const points = rooflinePoints(app.method.operators), peaks = peakLines(app.profile.peaks ?? {}, points), timed = app.method.operators.filter(operator => operator.timed && operator.macs > 0);
  const hidden = timed.length - points.length;
  const note = hidden > 0 ? ` No rate is shown for ${countText(hidden, 'more operator')}: the clock’s resolution could explain more than 10 % of it, or sizes are unknown.` : '';
  return element('div', {class: 'roofline'},
    points.length ? element('section', {class: 'card'}, plot(app, points, peaks), element('p', {class: 'note'}, `${countText(points.length, 'operator')}; a point’s area is its time, its colour the backend. ${peaksText(peaks, app.profile.peaks ?? {}, points)}${note}`))
      : element('p', {class: 'note'}, `No operator has a rate.${note}`),
    moversTable(app));
}
