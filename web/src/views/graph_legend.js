// SPDX-License-Identifier: BSD-3-Clause
//
// graph_legend.js - what the colors of the graph mean.

import {html} from '../base/html.js';

const Entry = ({title, text, swatches, hatch}) =>
  title
    ? html`<strong>${title}</strong>`
    : html`<span class=${swatches || hatch ? '' : 'quiet'}>
      ${swatches?.map(background => html`<span class="swatch" style=${{background}}></span>`)}
      ${hatch ? html`<span class=${`swatch hatched ${hatch}`}></span>` : null}${text}</span>`;

/** Shows the entries of graph/legend.js. */
export const Legend = ({entries}) =>
  html`<div class="graph-legend" role="group" aria-label="Legend">
    ${entries.map(entry => html`<${Entry} ...${entry} />`)}</div>`;
