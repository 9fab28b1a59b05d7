// SPDX-License-Identifier: BSD-3-Clause
//
// details.js - the panel with all that is known of one operator.

import {distributionBar, linearScale} from './distribution.js';
import {element} from './dom.js';
import {callsText, cyclesText, rateText, shareText, sourceText} from './format.js';
import {TOP_LEVEL, matchText} from './model.js';

function operatorLink(app, operator) {
  return element('button', {type: 'button', class: 'text-link', onclick: () => app.select(operator)}, operator.name);
}

/** Returns the operators that were fused into this one: its time includes theirs. */
export function fusedInto(method, operator) {
  return method.operators.filter(other => other.carrier === operator.index);
}

function timeRows(app, operator) {
  if (!operator.timed) return [];
  const time = ns => `${app.time(ns)} ${app.unitName()}`;
  return [
    ['average', time(operator.avg)], ['share', shareText(operator.avg, app.method.execute.avg)], ['median', time(operator.p50)],
    ['p10 – p90', `${app.time(operator.p10)} – ${time(operator.p90)}`], ['min – max', `${app.time(operator.min)} – ${time(operator.max)}`],
    ['calls', `${callsText(operator.calls)} per inference, in ${operator.ranIn} of ${app.method.runs} runs`],
  ];
}

function untimedText(app, operator) {
  if (operator.timed) return null;
  const carrier = app.method.operators[operator.carrier];
  if (carrier) return element('p', {class: 'note'}, 'Fused into another operator; its time is part of ', operatorLink(app, carrier), '.');
  return element('p', {class: 'note'}, app.method.runs ? 'No event was matched to this operator, so it has no time.' : 'This record has no run times.');
}

function sourceBlock(source) {
  if (!source) return null;
  return element('section', {}, element('h3', {}, 'Source'), element('p', {class: 'path', title: source.file}, sourceText(source)),
    source.code ? element('pre', {}, source.code) : null);
}

function matchLine(operator) {
  if (!operator.match) return null;
  const text = operator.match === 'aligned' || !operator.estimated ? '' : '; its time is an estimate';
  return element('p', {class: operator.estimated ? 'match estimated' : 'match'},
    element('span', {class: 'badge'}, operator.match === 'aligned' ? 'estimated' : operator.match), ` matched ${matchText(operator.match)}${text}`);
}

/* Costs of one inference, or of one call if the operator was not timed. */
function costRows(operator) {
  const about = operator.hinted ? '≈ ' : '', known = (value, unit) => (value === null ? null : `${about}${rateText(value)}${unit}`);
  const rate = operator.arithmetic === 'integer' ? ' Gop/s (int)' : ' GFLOP/s';
  return [
    ['MACs', known(operator.macs, '')], ['bytes read and written', known(operator.bytes, '')], ['intensity', operator.macs > 0 ? known(operator.intensity, ' FLOP per byte') : null],
    ['rate', operator.macs > 0 ? known(operator.gflops, rate) : null], ['bandwidth', known(operator.gbs, ' GB/s')],
    ['of peak', operator.ofPeak === null ? null : `${shareText(operator.ofPeak, 1)} of ${operator.bound ? `the ${operator.bound} peak` : 'the best rate of this record’s large operators'}`],
  ];
}

function definitions(rows) {
  return element('dl', {}, rows.filter(([, value]) => value !== null && value !== undefined && value !== '')
    .flatMap(([key, value]) => [element('dt', {}, key), element('dd', {}, value)]));
}

function fusedBlock(app, operator) {
  const fused = fusedInto(app.method, operator);
  if (fused.length === 0) return null;
  return element('section', {}, element('h3', {}, 'Fused into this operator'), element('ul', {}, fused.map(other => element('li', {}, operatorLink(app, other)))));
}

/** Makes the panel beside the view. */
export function detailsPanel(app, operator) {
  const rows = [
    ['operator', operator.op], ['module', operator.module?.path || TOP_LEVEL], ['module type', operator.module?.type],
    ['output', operator.outputs], ['inputs', operator.inputs], ['arguments', operator.arguments], ['debug handle', operator.handle || 'none'], ['subgraph', operator.subgraph],
    ['backend', operator.backend], ['delegate', operator.delegate >= 0 ? `call at instruction ${operator.delegate}` : null], ['compute unit', operator.computeUnit],
    ['cycles', operator.cycles === null ? null : cyclesText(operator.cycles)], ['runs as', operator.runsAs],
  ];
  return element('aside', {class: 'details', 'aria-label': `Details of ${operator.name}`},
    element('header', {}, element('h2', {}, operator.name), element('button', {type: 'button', class: 'close', 'aria-label': 'Close details', onclick: () => app.select(null)}, '×')),
    matchLine(operator), untimedText(app, operator), operator.timed ? distributionBar(operator, linearScale(operator.max), ns => app.time(ns)) : null,
    definitions(timeRows(app, operator)), definitions(costRows(operator)), definitions(rows), sourceBlock(operator.source), fusedBlock(app, operator));
}
