// SPDX-License-Identifier: BSD-3-Clause
//
// memory.js - the view of a method's planned memory: live bytes at each instruction, tensors live at the peak, buffers, weights, findings. All figures are in the document.

import {drawing, element, figure, plainTable, visibleText} from './dom.js';
import {bytesText, shareText} from './format.js';
import {TOP_LEVEL} from './model.js';

const CURVE_WIDTH = 1000, CURVE_HEIGHT = 180, MOST_STEPS = 1000;

/** Returns at most `most` points of the curve. Instructions that share a point are shown as their maximum. */
export function liveSteps(live, most = MOST_STEPS) {
  const size = Math.max(1, Math.ceil(live.length / most));
  return Array.from({length: Math.ceil(live.length / size)}, (_, step) => live.slice(step * size, (step + 1) * size).reduce((a, b) => Math.max(a, b), 0));
}

function areaPath(live, top) {
  const steps = liveSteps(live), wide = CURVE_WIDTH / steps.length, y = bytes => CURVE_HEIGHT * (1 - bytes / top);
  return `M0 ${CURVE_HEIGHT}${steps.map((bytes, step) => `V${y(bytes)}H${(step + 1) * wide}`).join('')}V${CURVE_HEIGHT}Z`;
}

/* Describes an instruction in the line below the curve. */
function stepText(memory, at) {
  const {op, module, names, live_bytes: live} = memory.instructions, where = names[module[at]];
  return `instruction ${at} of ${live.length}: ${bytesText(live[at])} bytes live · ${names[op[at]]}${where ? ` in ${where}` : ''}`;
}

function liveCurve(memory) {
  const {live_bytes: live} = memory.instructions, top = Math.max(memory.planned_bytes, ...liveSteps(live), 1);
  const planned = CURVE_HEIGHT * (1 - memory.planned_bytes / top);
  const said = element('p', {class: 'said', role: 'status', 'aria-live': 'polite'}), mark = drawing('line', {class: 'chosen', y1: 0, y2: CURVE_HEIGHT});
  let chosen = memory.peak.instruction;
  const choose = at => {
    chosen = Math.min(live.length - 1, Math.max(0, at));
    const x = String(((chosen + 0.5) / live.length) * CURVE_WIDTH);
    mark.setAttribute('x1', x);
    mark.setAttribute('x2', x);
    said.textContent = visibleText(stepText(memory, chosen));
  };
  const curve = drawing('svg', {class: 'live-bytes', viewBox: `0 0 ${CURVE_WIDTH} ${CURVE_HEIGHT}`, preserveAspectRatio: 'none', role: 'application', tabindex: '0',
    'aria-label': 'Live bytes over the instructions. Arrow keys choose an instruction, Home shows the peak.',
    onpointermove: event => {
      const box = curve.getBoundingClientRect();
      choose(Math.floor(((event.clientX - box.left) / box.width) * live.length));
    },
    onpointerleave: () => choose(memory.peak.instruction),
    onkeydown: event => {
      const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (by) choose(chosen + by);
      else if (event.key === 'Home') choose(memory.peak.instruction);
      else return;
      event.preventDefault();
    }},
  drawing('path', {class: 'area', d: areaPath(live, top)}), drawing('line', {class: 'planned', x1: 0, x2: CURVE_WIDTH, y1: planned, y2: planned}), mark);
  choose(chosen);
  return element('section', {class: 'card'}, element('h2', {}, 'Live bytes at each instruction'), curve, said,
    element('p', {class: 'note'}, 'The dashed line is the planned size.'));
}

function memoryFigures(memory) {
  const {peak, planned_bytes: planned} = memory;
  return element('div', {class: 'figures'}, figure('planned', `${bytesText(planned)} bytes`),
    figure('live at the peak', `${bytesText(peak?.bytes ?? 0)} bytes`, peak && shareText(peak.bytes, planned)),
    peak ? figure('peak at', `instruction ${peak.instruction}`, `${peak.op}${peak.module ? ` in ${peak.module}` : ''}`) : null);
}

function shapeText(tensor) {
  return `${tensor.dtype ?? ''}${tensor.shape ? `[${tensor.shape.join(', ')}]` : ''}`;
}

function peakTable(memory) {
  const {bytes, tensors} = memory.peak;
  const caption = tensors.length > memory.peak_tensors.length ? `Live at the peak: the largest ${memory.peak_tensors.length} of ${tensors.length} tensors` : 'Live at the peak';
  return plainTable(caption, [
    {title: 'tensor', class: 'key', cell: row => row.name},
    {title: 'bytes', class: 'number', cell: row => bytesText(row.bytes)},
    {title: 'share', class: 'number', cell: row => shareText(row.bytes, bytes)},
    {title: 'type', cell: shapeText},
    {title: 'live', class: 'number', cell: row => `${row.first_instruction}–${row.last_instruction}`},
    {title: 'operator', class: 'key', cell: row => row.op ?? row.role},
    {title: 'module', class: 'key', cell: row => row.module ?? ''},
  ], memory.peak_tensors);
}

function buffersTable(memory) {
  return plainTable('Planned buffers', [
    {title: 'buffer', class: 'number', cell: row => String(row.id)},
    {title: 'device', cell: row => row.device},
    {title: 'planned', class: 'number', cell: row => bytesText(row.planned_bytes)},
    {title: 'live at peak', class: 'number', cell: row => bytesText(row.peak_bytes)},
    {title: 'not live at peak', class: 'number', cell: row => bytesText(row.unused_bytes)},
    {title: 'tensors', class: 'number', cell: row => String(row.tensors)},
  ], memory.buffers);
}

function blobsTable(memory) {
  return plainTable('Bytes given to delegates', [
    {title: 'backend', class: 'key', cell: row => row.backend},
    {title: 'delegates', class: 'number', cell: row => String(row.delegates)},
    {title: 'bytes', class: 'number', cell: row => bytesText(row.bytes)},
    {title: 'largest', class: 'number', cell: row => bytesText(row.largest_bytes)},
  ], memory.delegates);
}

function weightsTable(memory) {
  return plainTable('Weights, by module and type', [
    {title: 'module', class: 'key', cell: row => row.module || TOP_LEVEL},
    {title: 'dtype', cell: row => row.dtype},
    {title: 'tensors', class: 'number', cell: row => String(row.count)},
    {title: 'bytes', class: 'number', cell: row => bytesText(row.bytes)},
  ], memory.weight_sums);
}

function memoryFindings(memory) {
  const line = finding => element('li', {}, `${finding.title}: ${bytesText(finding.bytes)} bytes`, element('div', {class: 'quiet'}, finding.evidence));
  return [element('h2', {}, 'Findings'), element('ul', {}, memory.findings.map(line))];
}

const memoryCard = content => element('section', {class: 'card'}, content);

/** Makes the view. */
export function memoryView(app) {
  const {memory} = app.method;
  if (!memory) return element('p', {class: 'note'}, 'The memory plan is in the program (.pte), which was not given.');
  return element('div', {class: 'memory'}, memoryFigures(memory), memory.peak ? liveCurve(memory) : null,
    element('div', {class: 'grid wide'}, memory.findings.length ? memoryCard(memoryFindings(memory)) : null, memory.peak ? memoryCard(peakTable(memory)) : null,
      memory.buffers.length ? memoryCard(buffersTable(memory)) : null, memory.delegates.length ? memoryCard(blobsTable(memory)) : null,
      memory.weight_sums.length ? memoryCard(weightsTable(memory)) : null,
      element('section', {class: 'card'}, element('h2', {}, 'Memory that the program does not describe'), element('ul', {}, memory.not_in_program.map(line => element('li', {}, line.text))))));
}
