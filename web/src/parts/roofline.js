// SPDX-License-Identifier: BSD-3-Clause
//
// roofline.js - rates over FLOP per byte, both logarithmic: what limits an operator, the device's arithmetic or its
// memory. A circle's area is time. Peaks are lines, where they are known.

import {useState} from 'preact/hooks';

import {mixed} from '../base/colors.js';
import {rateText} from '../base/format.js';
import {html} from '../base/html.js';
import {theme} from './theme.js';

const LEFT = 56,
  BOTTOM = 36,
  TOP = 12,
  LEAST = 4,
  MOST = 22; // px: room of the axes, and the radius of circles

/* Whole decades around values above 0: [least, most] as exponents of ten. */
function decadesOf(values) {
  const logs = values.filter(value => value > 0).map(Math.log10);
  return [Math.floor(Math.min(...logs)), Math.max(Math.floor(Math.min(...logs)) + 1, Math.ceil(Math.max(...logs)))];
}

/**
 * Returns the picture of points, {x: FLOP per byte, y: GFLOP/s, time}, for peaks {gflops, gbs}, each null if it is not
 * known: {at: [{x, y, r, point}] in pixels, most time first, ticksX, ticksY: [value, pixel], roof: points of the line}.
 */
export function placesOfRoofline(points, peaks, width, height) {
  const {gflops, gbs} = peaks ?? {},
    [fromX, toX] = decadesOf(points.map(({x}) => x)),
    [fromY, toY] = decadesOf([...points.map(({y}) => y), gflops ?? 0]),
    most = Math.max(...points.map(({time}) => time));
  const x = value => LEFT + ((width - LEFT - MOST) * (Math.log10(value) - fromX)) / (toX - fromX),
    y = value => TOP + (height - TOP - BOTTOM) * (1 - (Math.log10(value) - fromY) / (toY - fromY));
  const ticks = (from, to, scale) =>
      Array.from({length: to - from + 1}, (_, at) => [10 ** (from + at), scale(10 ** (from + at))]),
    at = points
      .toSorted((a, b) => b.time - a.time)
      .map(point => ({x: x(point.x), y: y(point.y), r: Math.max(LEAST, MOST * Math.sqrt(point.time / most)), point}));
  const allowed = value => Math.min(gflops ?? Infinity, (gbs ?? Infinity) * value),
    bend = gflops && gbs ? Math.log10(gflops / gbs) : fromX,
    roof = gflops || gbs ? [fromX, Math.min(toX, Math.max(fromX, bend)), toX].map(power => 10 ** power) : [];
  return {
    at,
    ticksX: ticks(fromX, toX, x),
    ticksY: ticks(fromY, toY, y),
    roof: roof.map(value => [x(value), Math.max(TOP, Math.min(height - BOTTOM, y(allowed(value))))]),
  };
}

/**
 * The roofline of points, {x, y, time, label, hue, told: lines of the tip, row}. `open(row)` is called for a click and
 * Enter; arrow keys go through the points, the one with the most time first, so that covered ones can be reached.
 */
export function Roofline({points, peaks, width, height, open, isChosen}) {
  const [focus, setFocus] = useState(-1),
    colors = theme(),
    {at, ticksX, ticksY, roof} = placesOfRoofline(points, peaks, width, height);
  const key = event => {
    const by = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (by) setFocus((Math.max(focus, by > 0 ? -1 : 0) + by + at.length) % at.length);
    else if (event.key === 'Enter' && at[focus]) open(at[focus].point.row);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const chosen = at[focus],
    text = (x, y, said, anchor = 'middle') =>
      html`<text x=${x} y=${y} font-size="12" text-anchor=${anchor} fill=${colors.quiet}>${said}</text>`;
  return html`<div class="roofline"><svg width=${width} height=${height} role="application" tabindex="0"
    aria-label="Rates over FLOP per byte. Arrow keys choose an operator, Enter selects it." onKeyDown=${key}
      onPointerLeave=${() => setFocus(-1)} onBlur=${() => setFocus(-1)}>
    ${ticksX.map(
      ([value, x]) => html`<line x1=${x} x2=${x} y1=${TOP} y2=${height - BOTTOM} stroke=${colors.line} />
      ${text(x, height - BOTTOM + 16, rateText(value))}`,
    )}${ticksY.map(
      ([value, y]) => html`<line x1=${LEFT} x2=${width - MOST} y1=${y} y2=${y} stroke=${colors.line} />
      ${text(LEFT - 8, y + 4, rateText(value), 'end')}`,
    )}
    ${text(width - MOST, height - 4, 'FLOP per byte', 'end')}${text(LEFT + 4, TOP + 10, 'GFLOP/s', 'start')}
    ${
      roof.length
        ? html`<polyline points=${roof.join(' ')} fill="none" stroke=${colors.text} stroke-width="2"
      stroke-dasharray=${peaks.is_estimated ? '6 4' : undefined} />`
        : null
    }
    ${at.map(
      ({x, y, r, point}, index) => html`<circle cx=${x} cy=${y} r=${r}
      fill=${mixed(colors.surface, colors[point.hue], 0.7)} stroke=${
        index === focus || isChosen(point.row) ? colors.text : colors.surface
      }
      stroke-width="2" onPointerEnter=${() => setFocus(index)} onClick=${() => open(point.row)} />`,
    )}</svg>
    ${
      chosen
        ? html`<div class="tip" role="tooltip"
      style=${{position: 'absolute', left: `${Math.min(chosen.x + 28, width - 260)}px`, top: `${chosen.y + 20}px`}}>
      <strong>${chosen.point.label}</strong>${chosen.point.told.map(line => html`<div>${line}</div>`)}</div>`
        : null
    }
    <p class="offscreen" role="status" aria-live="polite">
      ${chosen ? [chosen.point.label, ...chosen.point.told].join('; ') : ''}</p></div>`;
}
