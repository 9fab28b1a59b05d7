// SPDX-License-Identifier: BSD-3-Clause
//
// decoder.js - what a decoder of language has beside others: tokens per second, the first token, kinds of layers, and
// whether a token takes longer the more are before it. The library counts and adds up.

import {explainRuns, method, profile, timeOf, timeWithUnit, unitName, withInterruptions} from '../base/app.js';
import {countText, shareText} from '../base/format.js';
import {html} from '../base/html.js';
import {bar} from '../parts/bits.js';
import {SmallTable} from '../parts/table.js';

const NS = 1e6; // ns in a ms, in which times of a token are

/**
 * Returns "8 tokens, 3,800 tokens/s" of a method or of a phase of its runs; "" if the tokens are not known.
 */
export const speedText = throughput =>
  throughput?.rate_text ? `${countText(throughput.tokens_per_run, 'token')}, ${throughput.rate_text}` : '';

/** When the first token is there, with the method that reads the prompt if it is not the one that is shown. */
export function firstTokenText() {
  const {firstToken: first} = profile.value;
  if (!first) return '';
  const loaded = profile.value.methods.filter(({document}) => document.runs && document.method).length;
  return `first token after ${timeWithUnit(first.typical)}${first.method === method.value.name ? '' : ` (${first.method})`}${
    first.with_load
      ? `, ${timeWithUnit(first.with_load)} with ${loaded > 1 ? `loading ${loaded} methods` : 'the load'}`
      : ''
  }`;
}

/** The tokens per second of phases and of other methods, beside the first token: "decode: 1 token, 33 tokens/s". */
export const otherSpeeds = () =>
  [
    ...method.value.phases.map(({phase, throughput}) => [phase, throughput]),
    ...profile.value.methods
      .filter(other => other !== method.value)
      .map(({name, document}) => [name, document.throughput]),
  ]
    .filter(([, throughput]) => speedText(throughput))
    .map(([name, throughput]) => `${name}: ${speedText(throughput)}`);

const WIDTH = 420,
  HEIGHT = 132,
  LEFT = 56,
  BOTTOM = 22;

/* The time of a token at each position, with axes. */
function Curve({curve, text}) {
  const most = Math.max(...curve.map(point => point.ms_per_token)),
    last = Math.max(1, ...curve.map(({position}) => position)),
    first = Math.min(...curve.map(({position}) => position)),
    x = position => LEFT + ((WIDTH - LEFT - 8) * (position - first)) / Math.max(1, last - first),
    y = ms => 8 + (HEIGHT - BOTTOM - 8) * (1 - ms / most),
    label = (at, top, anchor, said) => html`<text x=${at} y=${top} text-anchor=${anchor} font-size="12">${said}</text>`;
  return html`<section class="card"><h2>Time of a token by its position</h2><svg class="token-curve" width=${WIDTH}
    height=${HEIGHT} role="img" aria-label=${`${text}; ${countText(curve.length, 'position')}`}>
    <path class="axis" d=${`M${LEFT} 8V${HEIGHT - BOTTOM}H${WIDTH - 8}`} />
    <path class="line" d=${`M${curve.map(point => `${x(point.position)} ${y(point.ms_per_token)}`).join('L')}`} />
    ${
      curve.length < 80
        ? curve.map(point => html`<circle cx=${x(point.position)} cy=${y(point.ms_per_token)} r="2" />`)
        : null
    }
    ${label(LEFT - 6, 14, 'end', timeOf(most * NS))}${label(LEFT - 6, HEIGHT - BOTTOM, 'end', '0')}
    ${label(LEFT, HEIGHT - 6, 'start', `token ${Math.round(first)}`)}
    ${label(WIDTH - 8, HEIGHT - 6, 'end', Math.round(last))}</svg>
    <p class="note small">In ${unitName.value}: ${text}.</p></section>`;
}

/** The time by kind of layer, and the curve of a token's time; nothing of a model that is no decoder. */
export function Decoder() {
  const kinds = (method.value.document.layer_kinds ?? []).filter(({typical}) => typical > 0),
    {cacheGrowth: growth} = profile.value,
    most = Math.max(0, ...kinds.map(({typical}) => typical));
  const table = html`<section class="card"><${SmallTable} caption=${`By kind of layer${withInterruptions()}`}
    rows=${kinds.toSorted((a, b) => b.typical - a.typical)} columns=${[
      {key: 'kind', title: 'kind of layer', class: 'key', text: ({kind}) => kind.replace('_', ' ')},
      {
        key: 'count',
        title: 'operators',
        number: true,
        text: ({count}) => String(count),
        why: () => explainRuns('operators of the kind that ran'),
      },
      {
        key: 'time',
        title: unitName.value,
        exact: 'typical ns',
        number: true,
        value: ({typical}) => typical,
        text: ({typical}) => timeOf(typical),
        why: () => explainRuns('typical time of all layers of the kind'),
      },
      {key: 'bar', title: '', cell: ({typical}) => bar(typical, most, 'runtime')},
      {
        key: 'share',
        title: 'share',
        number: true,
        text: ({share}) => shareText(share, 1),
        why: () => explainRuns('of the typical time of Method::execute'),
      },
    ]} /></section>`;
  return html`<div class="decoder">${kinds.length > 1 ? table : null}
    ${growth?.method === method.value.name && growth.curve.length > 1 ? html`<${Curve} ...${growth} />` : null}</div>`;
}
