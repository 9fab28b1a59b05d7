// SPDX-License-Identifier: BSD-3-Clause
//
// graph_legend.js - what the colours of the graph mean, with their scale.

import {html} from '../base/html.js';
import {THEMES, categoryColour} from '../graph/colours.js';
import {STEPS} from '../graph/overlay.js';

const SAMPLES = 9;

/* The colours of a scale, with the values at its ends. Colours are proportional to the square root of the value, so that small ones can be told apart. */
function Scale({overlay, theme}) {
  const most = overlay.hottest;
  if (!(most > 0)) return html`<span class="quiet">no values</span>`;
  const step = i => Math.round((STEPS * i) / (SAMPLES - 1)), long = overlay.long ?? overlay.text, cells = colours => Array.from({length: SAMPLES}, (_, i) => html`<span class="cell" style=${{background: colours(i)}}></span>`);
  const label = (value, title) => html`<span class="number" title=${title}>${value}</span>`;
  if (overlay.scale === 'change') return html`${label(long(-most))}<span class="scale">${cells(i => theme.less[STEPS - step(i)])}${cells(i => theme.more[step(i)])}</span>${label(long(most))}`;
  return html`${label(overlay.least ?? long(0))}<span class="scale">${cells(i => theme.heat[step(i)])}</span>${label(long(most), 'the greatest value of one node')}<span class="quiet">middle: ${long(most / 4)}</span>`;
}

export function Legend({overlays, isDark, isMarked, isPath}) {
  const [overlay] = overlays, theme = isDark ? THEMES.dark : THEMES.light, swatch = (colour, text) => html`<span><span class="swatch" style=${{background: colour}}></span>${text}</span>`;
  const categories = overlay.categories?.map((name, i) => swatch(categoryColour(i), name));
  return html`<p class="graph-legend" aria-label="Legend"><strong>${overlay.name}</strong>${categories ?? html`<${Scale} overlay=${overlay} theme=${theme} />`}
    ${overlay.adds ? html`<span class="quiet">the bar of a closed box is its share of the whole</span>` : null}${overlays.some(({estimated}) => estimated?.some(Boolean)) ? html`<span><span class="swatch hatched"></span>estimated</span>` : null}${overlays.filter(({hatched}) => hatched?.some(Boolean)).map(({hatchedText}) => html`<span><span class="swatch hatched left"></span>${hatchedText}</span>`)}
    ${isPath ? swatch(theme.path, 'longest path') : isMarked ? html`${swatch(theme.above, 'leads to it')}${swatch(theme.below, 'reads it')}` : null}<span class="quiet">◆ weights</span></p>`;
}
