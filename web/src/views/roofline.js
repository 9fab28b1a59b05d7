// SPDX-License-Identifier: BSD-3-Clause
//
// roofline.js - the roofline: a point for each operator, or for the same operator of repeated modules, by FLOP per byte and rate, below the lines of the peaks. Operators without multiply-accumulates have
// a drawing of their own, by bytes and bandwidth. The library computes rates and peaks.

import {useEffect, useRef, useState} from 'preact/hooks';

import {STAT_TEXTS, baseMethod, comparedMethod, explain, hits, isHitRow, method, pairs, profile, select, selectedRows, selectRow, times, unitName} from '../base/app.js';
import {medianOf} from '../base/columns.js';
import {command} from '../base/commands.js';
import {DESCRIPTIONS} from '../base/descriptions.js';
import {countText, rateText, shareText, shortOp} from '../base/format.js';
import {html} from '../base/html.js';
import {TOP_LEVEL, backendColour, estimatedOver} from '../base/method.js';
import {repeatedId} from '../base/selection.js';
import {declare, get, oneOf, peek, set, text} from '../base/store.js';
import {BackendLegend, Link, Segments, estimateOf, sumHint, timeColumn, timeText} from '../parts/bits.js';
import {download, svgText} from '../parts/export.js';
import {SmallTable} from '../parts/table.js';
import {isRepetitive} from './operators.js';

/** What the part of the peak is. */
export const OF_PEAK = 'the time that the peaks allow, as a part of the time taken';

const WIDTH = 900, HEIGHT = 420, LEFT = 64, RIGHT = 16, TOP = 14, BOTTOM = 46, MOST_LISTED = 12, MOST_NAMED = 12, LETTER = 6; // LETTER: width of a letter of a name

declare({'roof.fold': oneOf('auto', 'each', 'pattern'), 'roof.zoom': text()});

/* ---- Points ---- */

const median = values => medianOf(Float64Array.from(values).sort());

/**
 * Returns the points of rows, most time first, so that small points are drawn over large ones: {rows, x, y, time}. `x` and `y` are columns; with `folded` the same operator of repeated modules is one point, at
 * the medians.
 */
export function pointsOf(operators, rows, xs, ys, of, folded) {
  const groups = new Map();
  for (const row of rows) {
    if (!(xs[row] > 0) || !(ys[row] > 0) || !(of[row] >= 0)) continue;
    const key = folded ? `${operators.module(row)?.pattern ?? ''}\n${operators.op(row)}\n${operators.text('arithmetic', row)}` : row;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(row);
  }
  return [...groups.values()].map(group => ({rows: group, x: median(group.map(row => xs[row])), y: median(group.map(row => ys[row])), time: group.reduce((sum, row) => sum + of[row], 0)})).sort((a, b) => b.time - a.time);
}

/** Returns the lines of the peaks, {name, gflops, gbs, given}: one for floats and one for integers, if there are points of that kind. */
export function peakLines(peaks, points, operators) {
  const line = (name, gflops, given) => ({name, gflops, gbs: peaks.gbs, given: given && peaks.bandwidth_given});
  const has = integer => points.some(({rows}) => (operators.text('arithmetic', rows[0]) === 'integer') === integer);
  return [has(false) ? line('float', peaks.gflops, peaks.flops_given) : null, has(true) ? line('integer', peaks.integer_gops, peaks.integer_given) : null]
    .filter(peak => peak && peak.gflops > 0 && peak.gbs > 0);
}

/** Returns a logarithmic axis from pixel `from` to pixel `to` that covers whole decades around all values: {at: position of a value, low, high, ticks}. */
export function decades(values, from, to) {
  const low = Math.floor(Math.log10(values.reduce((a, b) => Math.min(a, b), Infinity))), high = Math.max(low + 1, Math.ceil(Math.log10(values.reduce((a, b) => Math.max(a, b), 0))));
  return logAxis(10 ** low, 10 ** high, from, to);
}

function logAxis(low, high, from, to) {
  const a = Math.log10(low), b = Math.log10(high), first = Math.ceil(a - 1e-9), last = Math.floor(b + 1e-9);
  return {at: value => from + ((Math.log10(value) - a) / (b - a)) * (to - from), valueAt: place => 10 ** (a + ((place - from) / (to - from)) * (b - a)), low, high, ticks: Array.from({length: Math.max(0, last - first + 1)}, (_, i) => 10 ** (first + i))};
}

/* The axes that the address asks for, "lowX,highX,lowY,highY", or those that hold all. */
function zoomed(x, y, said) {
  const [lowX, highX, lowY, highY] = said.split(',').map(Number);
  if (![lowX, highX, lowY, highY].every(value => value > 0) || !(highX > lowX) || !(highY > lowY)) return [x, y];
  return [logAxis(lowX, highX, LEFT, WIDTH - RIGHT), logAxis(lowY, highY, HEIGHT - BOTTOM, TOP)];
}

function zoomBy(x, y, factor, px, py) {
  const part = (axis, from, to, place) => {
    const a = axis.valueAt(place + (from - place) * factor), b = axis.valueAt(place + (to - place) * factor);
    return [Math.min(a, b), Math.max(a, b)].map(value => value.toPrecision(4));
  };
  set({'roof.zoom': [...part(x, LEFT, WIDTH - RIGHT, px), ...part(y, HEIGHT - BOTTOM, TOP, py)].join(',')}, {replace: true});
}

/* ---- The drawing ---- */

const Axes = ({x, y, titleX, titleY}) => html`<g aria-hidden="true">${x.ticks.map(value => html`<line class="grid-line" x1=${x.at(value)} x2=${x.at(value)} y1=${TOP} y2=${HEIGHT - BOTTOM} />`)}${y.ticks.map(value => html`<line class="grid-line" x1=${LEFT} x2=${WIDTH - RIGHT} y1=${y.at(value)} y2=${y.at(value)} />`)}
  ${x.ticks.map(value => html`<text class="axis" x=${x.at(value)} y=${HEIGHT - BOTTOM + 18} text-anchor="middle">${rateText(value)}</text>`)}${y.ticks.map(value => html`<text class="axis" x=${LEFT - 8} y=${y.at(value) + 4} text-anchor="end">${rateText(value)}</text>`)}
  <text class="axis" x=${(LEFT + WIDTH - RIGHT) / 2} y=${HEIGHT - 8} text-anchor="middle">${titleX}</text><text class="axis" x="14" y=${(TOP + HEIGHT - BOTTOM) / 2} text-anchor="middle" transform=${`rotate(-90 14 ${(TOP + HEIGHT - BOTTOM) / 2})`}>${titleY}</text></g>`;

function Peak({peak, x, y}) {
  const ridge = peak.gflops / peak.gbs, start = Math.max(x.low, y.low / peak.gbs), points = [[start, start * peak.gbs]];
  if (ridge > start && ridge < x.high) points.push([ridge, peak.gflops]);
  points.push([x.high, Math.min(peak.gflops, x.high * peak.gbs)]);
  if (ridge <= start) points[0][1] = peak.gflops;
  const said = `${peak.given ? 'peak' : 'best rate of this record'}, ${peak.name}: ${rateText(peak.gflops)} ${peak.name === 'integer' ? 'Gop/s' : 'GFLOP/s'}, ${rateText(peak.gbs)} GB/s`;
  return html`<path class=${`peak ${peak.name}${peak.given ? '' : ' best'}`} d=${`M${points.map(([a, b]) => `${x.at(a)},${y.at(b)}`).join('L')}`}><title>${said}</title></path>`;
}

/** Returns what a point is: its module, operator, time and rates. */
function pointText({rows, time}) {
  const {operators} = method.value, [row] = rows, at = key => operators.numbers(key)[row], path = rows.length > 1 ? operators.module(row)?.pattern : operators.module(row)?.path;
  const rate = at('macs') > 0 ? `${rateText(at('gflops'))} ${operators.text('arithmetic', row) === 'integer' ? 'Gop/s (int)' : 'GFLOP/s'}, ` : '', peak = Number.isNaN(at('of_peak')) ? '' : `, ${shareText(at('of_peak'), 1)} of peak`;
  return `${path || TOP_LEVEL} · ${shortOp(operators.op(row))}${rows.length > 1 ? ` ×${rows.length}` : ` (${operators.name(row)})`}: ${timeText(time, estimatedOver(operators, rows, times.value.of), rows)} ${unitName.value}, ${rate}${rateText(at('gbs'))} GB/s${at('macs') > 0 ? `, ${rateText(at('intensity'))} FLOP per byte` : ''}${peak}`;
}

/* Returns the names of the points with the most time, beside them, where they cover neither another point nor another name: {text, x, y, anchor}. Positions in the drawing's units. */
function pointNames(points, place, radius) {
  const {operators} = method.value, taken = points.map(point => [place(point)[0] - radius(point), place(point)[1] - radius(point), place(point)[0] + radius(point), place(point)[1] + radius(point)]), names = [];
  for (const point of points.slice(0, MOST_NAMED)) {
    const [row] = point.rows, {path, pattern} = operators.module(row) ?? {}, text = `${(point.rows.length > 1 ? pattern : path) || TOP_LEVEL} · ${shortOp(operators.op(row))}`, width = text.length * LETTER, [x, y] = place(point);
    const away = radius(point) + 4, sides = [[x + away, y + 4, 'start'], [x - away - width, y + 4, 'end'], [x - width / 2, y - away, 'middle'], [x - width / 2, y + away + 8, 'middle']];
    for (const [left, base, anchor] of sides) {
      const box = [left, base - 10, left + width, base + 3];
      if (left < LEFT || box[2] > WIDTH - RIGHT || taken.some(other => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) continue;
      taken.push(box);
      names.push({text, x: left + {start: 0, middle: width / 2, end: width}[anchor], y: base, anchor});
      break;
    }
  }
  return names;
}

const openPoint = ({rows}) => (rows.length === 1 ? selectRow(rows[0]) : (({operators}) => select('repeated', repeatedId(operators, rows[0])))(method.value));

let zoomTo = null; // zooms the roofline that was drawn last around the chosen point

/* One drawing with one tab stop: arrow keys go through the points by time, Enter opens, + and - zoom. A click where points cover each other lists them. */
function Plot({label, points, x: wholeX, y: wholeY, titleX, titleY, peaks = [], zoom, before = []}) {
  const [at, setAt] = useState(-1), [list, setList] = useState(null), box = useRef(null), {operators} = method.value, has = selectedRows.value, [x, y] = zoom ? zoomed(wholeX, wholeY, get('roof.zoom')) : [wholeX, wholeY];
  const most = points[0]?.time || 1, radius = point => 4 + 10 * Math.sqrt(point.time / most), place = point => [x.at(point.x), y.at(point.y)], isChosen = point => Boolean(has) && point.rows.some(row => has[row]), isHit = point => hits.value.isAll || point.rows.some(row => hits.value.has[row]);
  useEffect(() => box.current.querySelector('.chosen')?.scrollIntoView({block: 'nearest'}), [get('sel')]);
  const where = event => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(box.current.getScreenCTM().inverse());
    return [point.x, point.y];
  };
  const click = event => {
    const [px, py] = where(event), under = points.filter(point => Math.hypot(place(point)[0] - px, place(point)[1] - py) <= radius(point) + 2);
    setList(under.length > 1 ? under : null);
    if (under.length) openPoint(under.at(-1));
  };
  const key = event => {
    const by = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (by) setAt((at + by + points.length) % points.length);
    else if (event.key === 'Enter' && points[at]) openPoint(points[at]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  if (zoom) zoomTo = factor => zoomBy(x, y, factor, ...(points[at] ? place(points[at]) : [(LEFT + WIDTH - RIGHT) / 2, (TOP + HEIGHT - BOTTOM) / 2]));
  const wheel = event => {
    if (!zoom) return;
    event.preventDefault();
    zoomBy(x, y, event.deltaY > 0 ? 1.25 : 0.8, ...where(event));
  };
  return html`<svg ref=${box} class="roofline-plot" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="application" tabindex="0" aria-label=${`${label}. Arrow keys choose a point, Enter opens it.`} aria-describedby=${`${label}-said`} onClick=${click} onKeyDown=${key} onWheel=${wheel}>
    <${Axes} x=${x} y=${y} titleX=${titleX} titleY=${titleY} /><svg overflow=${zoom && get('roof.zoom') ? 'hidden' : 'visible'} x=${LEFT} y=${TOP} width=${WIDTH - RIGHT - LEFT} height=${HEIGHT - BOTTOM - TOP} viewBox=${`${LEFT} ${TOP} ${WIDTH - RIGHT - LEFT} ${HEIGHT - BOTTOM - TOP}`}>${peaks.map(peak => html`<${Peak} peak=${peak} x=${x} y=${y} />`)}
    ${before.map(({point, x: from, y: at0}) => html`<path class="moved" d=${`M${x.at(from)},${y.at(at0)}L${place(point).join(',')}`}><title>from the base: ${rateText(at0)}, ${rateText(from)}</title></path>`)}
    ${points.map((point, index) => html`<circle class=${`operator-point tint-${backendColour(operators, operators.backend(point.rows[0]))}${index === at || isChosen(point) ? ' chosen' : ''}${isHit(point) ? '' : ' faded'}${point.rows.some(row => operators.isEstimated(row)) ? ' estimated' : ''}`} cx=${place(point)[0]} cy=${place(point)[1]} r=${radius(point)} aria-description=${`${pointText(point)}; ${explain(point.rows.length > 1 ? `time: ${sumHint()}; rates: medians` : `time: ${STAT_TEXTS[times.value.stat]}`, point.rows)}`} />`)}
    ${pointNames(points, place, radius).map(({text, x: left, y: base, anchor}) => html`<text class="point-name" x=${left} y=${base} text-anchor=${anchor} aria-hidden="true">${text}</text>`)}</svg></svg>
    <p class="said" role="status" aria-live="polite" id=${`${label}-said`}>${points[at] ? pointText(points[at]) : ''}</p>
    ${list ? html`<div class="covered"><p>${countText(list.length, 'point')} here:</p><ul>${list.map(point => html`<li><${Link} act=${() => openPoint(point)}>${pointText(point)}<//></li>`)}</ul></div>` : null}`;
}

/**
 * Returns where the operators of points were in the base: {point, x, y} for those that were paired and have a rate there, at the medians. `keys` are the columns of the axes.
 */
function baseOf(points, keys) {
  const base = baseMethod.value?.operators;
  if (!base || comparedMethod.value?.may_differ) return [];
  const [xs, ys] = keys.map(key => base.numbers(key));
  return points.flatMap(point => {
    const rows = point.rows.map(row => pairs.value.get(row)?.base_node ?? -1).filter(row => row >= 0 && xs[row] > 0 && ys[row] > 0);
    return rows.length ? [{point, x: median(rows.map(row => xs[row])), y: median(rows.map(row => ys[row]))}] : [];
  });
}

/* ---- What is said of it ---- */

/** Says why there is no line: which peaks nobody gave, and that no operator is large enough to take their place. */
export function missingPeaksText(known, points, operators) {
  const computes = points.some(({rows}) => (operators.text('arithmetic', rows[0]) === 'integer' ? known.integer_gops : known.gflops) > 0);
  const missing = [known.gbs > 0 ? null : 'bandwidth', computes ? null : 'compute'].filter(Boolean).join(' or ');
  return `No roof is drawn, because no peak of ${missing} is known: give it with --peak-flops and --peak-bandwidth. The best rate of a large operator would take its place (50 µs or more in a call that moves 1 MB or computes a million MACs), but this record has none.`;
}

function peaksText(peaks, known, points, operators) {
  if (peaks.length === 0) return missingPeaksText(known, points, operators);
  const each = peaks.map(peak => `${peak.name} ${rateText(peak.gflops)} ${peak.name === 'integer' ? 'Gop/s' : 'GFLOP/s'}`).join(', ');
  const best = peaks.every(peak => peak.given) ? '' : ' Dashed: without the device’s peaks (--peak-flops, --peak-bandwidth), the best rates of this record’s large operators take their place.';
  return `Peaks: ${each}; ${rateText(peaks[0].gbs)} GB/s.${best}`;
}

/* Operators without multiply-accumulates: only the bandwidth can limit them. */
function Movers({folded}) {
  const {operators} = method.value, {of, label} = times.value, macs = operators.numbers('macs'), bytes = operators.numbers('bytes'), gbs = operators.numbers('gbs'), rows = operators.timed.filter(row => macs[row] === 0 && bytes[row] > 0), points = pointsOf(operators, rows, bytes, gbs, of, folded);
  if (rows.length === 0) return null;
  const listed = [...rows].sort((a, b) => of[b] - of[a]);
  return html`<section class="card"><h2>Operators that only move data, by bandwidth</h2>${points.length ? html`<${Plot} label="Operators without MACs, by bytes and bandwidth" points=${points} x=${decades(points.map(({x}) => x), LEFT, WIDTH - RIGHT)} y=${decades(points.map(({y}) => y), HEIGHT - BOTTOM, TOP)} titleX="bytes read and written" titleY="GB/s" />` : null}
    <${SmallTable} caption=${`Operators without MACs, the longest ${Math.min(MOST_LISTED, listed.length)} of ${listed.length}`} rows=${listed} most=${MOST_LISTED} open=${selectRow} isChosen=${row => selectedRows.value?.[row] === 1} isHit=${isHitRow} columns=${[
    {key: 'op', title: 'operator', class: 'key', text: row => operators.op(row)}, {key: 'name', title: 'node', class: 'key', text: row => operators.name(row)}, timeColumn('time', label, STAT_TEXTS[times.value.stat], row => of[row], {rows: row => [row], estimated: estimateOf(operators)}),
    {key: 'bytes', title: 'bytes', hint: DESCRIPTIONS.node.bytes, number: true, text: row => rateText(bytes[row]), value: row => bytes[row]}, {key: 'gbs', title: 'GB/s', hint: DESCRIPTIONS.node.gbs, number: true, text: row => rateText(gbs[row]), value: row => gbs[row]}, {key: 'of_peak', title: 'of peak', hint: OF_PEAK, number: true, text: row => shareText(Number.isNaN(operators.numbers('of_peak')[row]) ? null : operators.numbers('of_peak')[row], 1)},
  ]} /></section>`;
}

command({name: 'roof-in', keys: ['+', '='], views: ['roofline'], text: 'Zoom in', run: () => zoomTo?.(0.8)});
command({name: 'roof-out', keys: ['-'], views: ['roofline'], text: 'Zoom out', run: () => zoomTo?.(1.25)});
command({name: 'roof-all', keys: ['0'], views: ['roofline'], text: 'Show the whole roofline', run: () => set({'roof.zoom': ''}, {replace: true})});
command({name: 'roof-fold', keys: ['f'], views: ['roofline'], text: 'One point for each operator, or for each repeated one', run: () => set({'roof.fold': peek('roof.fold') === 'each' ? 'pattern' : 'each'})});

export function RooflineView() {
  const {operators} = method.value, {of} = times.value, known = profile.value.peaks ?? {}, folded = get('roof.fold') === 'auto' ? isRepetitive(method.value) : get('roof.fold') === 'pattern', frame = useRef(null);
  const points = pointsOf(operators, operators.timed, operators.numbers('intensity'), operators.numbers('gflops'), of, folded), peaks = peakLines(known, points, operators), shown = points.reduce((sum, {rows}) => sum + rows.length, 0);
  const before = baseOf(points, ['intensity', 'gflops']);
  const hidden = operators.timed.filter(row => operators.numbers('macs')[row] > 0).length - shown;
  const note = hidden > 0 ? ` No rate is shown for ${countText(hidden, 'more operator')}: the clock’s resolution could explain more than 10 % of it, or sizes are unknown.` : '';
  return html`<div class="roofline"><div class="toolbar"><${Segments} label="Points" options=${[['pattern', 'Repeated operators as one'], ['each', 'Each operator']]} chosen=${folded ? 'pattern' : 'each'} change=${value => set({'roof.fold': value})} />${get('roof.zoom') ? html`<button type="button" onClick=${() => set({'roof.zoom': ''}, {replace: true})}>Show all</button>` : null}
    ${points.length ? html`<button type="button" onClick=${() => download('roofline.svg', svgText(frame.current.querySelector('svg')), 'image/svg+xml')}>Save as SVG</button>` : null}<${BackendLegend} operators=${operators} /></div>
    ${points.length ? html`<section class="card" ref=${frame}><${Plot} label="Roofline: operators by intensity and rate" zoom points=${points} peaks=${peaks} before=${before} titleX="intensity, FLOP per byte" titleY="GFLOP/s"
      x=${decades([...points.map(({x}) => x), ...before.map(({x}) => x), ...peaks.map(peak => peak.gflops / peak.gbs)], LEFT, WIDTH - RIGHT)} y=${decades([...points.map(({y}) => y), ...before.map(({y}) => y), ...peaks.map(peak => peak.gflops)], HEIGHT - BOTTOM, TOP)} />
      <p class="note">${countText(shown, 'operator')}${folded && points.length < shown ? ` in ${countText(points.length, 'point')}, each at the medians of its operators` : ''}; a point’s area is its time, its colour the backend.${before.length ? ' A line leads from where it was in the base.' : ''} ${peaksText(peaks, known, points, operators)}${note}</p></section>`
    : html`<p class="note">No operator has a rate.${note}</p>`}<${Movers} folded=${folded} /></div>`;
}
