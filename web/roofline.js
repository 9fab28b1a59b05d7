// SPDX-License-Identifier: BSD-3-Clause
//
// roofline.js - operators by what they compute for each byte, and how fast: a point each, below the roofs. Rates and roofs are the library's.

import {drawing, element, plainTable} from './dom.js';
import {countText, rateText, shareText} from './format.js';
import {backendsOf} from './model.js';
import {backendIndex} from './tree.js';

const WIDTH = 900, HEIGHT = 420, LEFT = 64, RIGHT = 16, TOP = 14, BOTTOM = 46;

/** The operators that have a point: those that multiply, and whose rate is known. Most time first, so that small points stand on large ones. */
export function roofPoints(operators) {
  return operators.filter(operator => operator.gflops > 0 && operator.intensity > 0).sort((a, b) => b.avg - a.avg);
}

/** The roofs as {name, gflops, gbs, given}: of floats, and of integers where any are multiplied. */
export function roofLines(roofs, points) {
  const line = (name, gflops, given) => ({name, gflops, gbs: roofs.gbs, given: given && roofs.bandwidth_given});
  const has = arithmetic => points.some(point => (point.arithmetic === 'integer') === (arithmetic === 'integer'));
  return [has('float') ? line('float', roofs.gflops, roofs.flops_given) : null, has('integer') ? line('integer', roofs.integer_gops, roofs.integer_given) : null]
    .filter(roof => roof && roof.gflops > 0 && roof.gbs > 0);
}

/** From values to a place, by powers of ten: {at, ticks}; whole decades around all values. */
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

function roofDrawing(roof, x, y) {
  const ridge = roof.gflops / roof.gbs, start = Math.max(x.low, y.low / roof.gbs), points = [[start, start * roof.gbs]];
  if (ridge > start && ridge < x.high) points.push([ridge, roof.gflops]);
  points.push([x.high, Math.min(roof.gflops, x.high * roof.gbs)]);
  if (ridge <= start) points[0][1] = roof.gflops;
  const said = `${roof.given ? 'peak' : 'best of this record'}, ${roof.name}: ${rateText(roof.gflops)} ${roof.name === 'integer' ? 'Gop/s' : 'GFLOP/s'}, ${rateText(roof.gbs)} GB/s`;
  return drawing('path', {class: `roof ${roof.name}${roof.given ? '' : ' best'}`, d: `M${points.map(([a, b]) => `${x.at(a)},${y.at(b)}`).join('L')}`}, drawing('title', {}, said));
}

function pointText(app, operator) {
  const part = operator.ofPeak === null ? '' : `, ${shareText(operator.ofPeak, 1)} of the roof`;
  return `${operator.name}, ${operator.op}: ${app.time(operator.avg)} ${app.unitName()}, ${rateText(operator.gflops)} ${operator.arithmetic === 'integer' ? 'Gop/s of integers' : 'GFLOP/s'}, ${rateText(operator.gbs)} GB/s, ${rateText(operator.intensity)} FLOP per byte${part}`;
}

function pointDrawing(app, operator, order, most, x, y) {
  const said = pointText(app, operator), open = () => app.select(operator);
  return drawing('circle', {class: `roof-point tint-${backendIndex(order, operator.backend)}`, cx: x.at(operator.intensity), cy: y.at(operator.gflops), r: 4 + 10 * Math.sqrt(operator.avg / most), tabindex: '0', role: 'button', 'aria-label': said,
    onclick: open, onkeydown: event => event.key === 'Enter' && open()}, drawing('title', {}, said));
}

function plot(app, points, roofs) {
  const x = decades([...points.map(point => point.intensity), ...roofs.map(roof => roof.gflops / roof.gbs)], LEFT, WIDTH - RIGHT);
  const y = decades([...points.map(point => point.gflops), ...roofs.map(roof => roof.gflops)], HEIGHT - BOTTOM, TOP);
  const order = backendsOf(app.method.operators), most = points[0].avg;
  return drawing('svg', {class: 'roofline-plot', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'group', 'aria-label': 'Roofline: operators by intensity and rate'},
    axes(x, y), ...roofs.map(roof => roofDrawing(roof, x, y)), ...points.map(point => pointDrawing(app, point, order, most, x, y)));
}

function roofsText(roofs) {
  if (roofs.length === 0) return '';
  const each = roofs.map(roof => `${roof.name} ${rateText(roof.gflops)} ${roof.name === 'integer' ? 'Gop/s' : 'GFLOP/s'}${roof.given ? ' (peak)' : ''}`).join(', ');
  const best = roofs.every(roof => roof.given) ? '' : ' Dashed: no peaks were given, so the roofs are the best rates of this record; --peak-flops and --peak-bandwidth set the device’s.';
  return `Roofs: ${each}; ${rateText(roofs[0].gbs)} GB/s.${best}`;
}

/* What multiplies nothing has no place in the drawing: it can only move data. */
function moversTable(app) {
  const most = 12, movers = app.method.operators.filter(operator => operator.timed && operator.macs === 0 && operator.bytes > 0).sort((a, b) => b.avg - a.avg);
  if (movers.length === 0) return null;
  return element('section', {class: 'card'}, plainTable(`Operators that multiply nothing, the longest ${Math.min(most, movers.length)} of ${movers.length}`, [
    {title: 'operator', class: 'key', cell: row => row.op}, {title: 'node', class: 'key', cell: row => row.name},
    {title: `avg ${app.unitName()}`, class: 'number', cell: row => app.time(row.avg)}, {title: 'bytes', class: 'number', cell: row => rateText(row.bytes)},
    {title: 'GB/s', class: 'number', cell: row => rateText(row.gbs)}, {title: 'of peak', class: 'number', cell: row => shareText(row.ofPeak, 1)},
  ], movers.slice(0, most), row => app.select(row)));
}

/** The view. */
export function rooflineView(app) {
  const points = roofPoints(app.method.operators), roofs = roofLines(app.profile.roofs ?? {}, points), timed = app.method.operators.filter(operator => operator.timed && operator.macs > 0);
  const hidden = timed.length - points.length;
  const note = hidden > 0 ? ` ${countText(hidden, 'operator')} that multipl${hidden === 1 ? 'ies has' : 'y have'} no rate: the clock’s step is too large a part of the time, or sizes are unknown.` : '';
  return element('div', {class: 'roofline'},
    points.length ? element('section', {class: 'card'}, plot(app, points, roofs), element('p', {class: 'note'}, `${countText(points.length, 'operator')}; area by time, colour by backend. ${roofsText(roofs)}${note}`))
      : element('p', {class: 'note'}, `No rate of an operator is known.${note}`),
    moversTable(app));
}
