// SPDX-License-Identifier: BSD-3-Clause
//
// graph_legend.js - what the colours of the graph mean, with their scale.

import {html} from '../base/html.js';

const Entry = ({title, text, cells, ticks, swatches, hatch, isTint}) =>
  title
    ? html`<strong>${title}</strong>`
    : cells
      ? html`<span class="scale" title="Colours are proportional to the square root of the value."><span class="cells">
        ${cells.map(background => html`<span style=${{background}}></span>`)}</span><span class="ticks number">
        ${ticks.map(tick => html`<span>${tick}</span>`)}</span></span>`
      : html`<span class=${swatches || hatch ? '' : 'quiet'}>${swatches?.map(background => html`<span class="swatch"
        style=${{background, opacity: isTint ? 0.45 : 1}}></span>`)}${hatch ? html`<span
        class=${`swatch hatched ${hatch}`}></span>` : null}${text}</span>`;

/** Shows the entries of graph/legend.js. */
export const Legend = ({entries}) =>
  html`<div class="graph-legend" role="group" aria-label="Legend">
    ${entries.map(entry => html`<${Entry} ...${entry} />`)}</div>`;
