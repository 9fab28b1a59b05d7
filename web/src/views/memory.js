// SPDX-License-Identifier: BSD-3-Clause
//
// memory.js - the view of a method's planned memory: live bytes at each instruction, a map of all tensors by offset and
// time, what is live at an instruction, what a tensor's life is. All figures are in the document.

import {useEffect, useRef} from 'preact/hooks';

import {baseMethod, isHitRow, method, sectionOf, select, selectedRows, selection, show} from '../base/app.js';
import {Columns} from '../base/columns.js';
import {command} from '../base/commands.js';
import {bytesText, changeText, countText, shareText} from '../base/format.js';
import {html} from '../base/html.js';
import {shortBackend, shortOp} from '../base/labels.js';
import {hueOf} from '../base/colors.js';
import {TOP_LEVEL, placeOf} from '../base/method.js';
import {theme} from '../parts/theme.js';
import {declare, get, number, peek, set} from '../base/store.js';
import {Figure, Link, ModuleLink, NodeLink, commandOf} from '../parts/bits.js';
import {download, svgText} from '../parts/export.js';
import {SmallTable} from '../parts/table.js';
import {axisStep} from '../base/rects.js';
import {Definitions, detailsOfKind} from './details.js';
import {shortBytes} from './graph_overlays.js';

const CURVE_WIDTH = 1000,
  CURVE_HEIGHT = 160,
  MAP_HEIGHT = 260,
  MOST_STEPS = 1000;

declare({'mem.at': number(-1)});

/* ---- The plan ---- */

/** The planned tensors: rows with columns, and what is live when. */
export class Tensors extends Columns {
  constructor({tensors, users}, texts) {
    super(tensors, tensors.count, texts);
    const first = (this.first = this.indices('first_instruction')),
      life = this.numbers('life'),
      counts = this.numbers('users');
    this.bytes = this.numbers('bytes');
    this.last = Int32Array.from(first, (from, row) => from + (life[row] || 0));
    this.hasMemory = Uint8Array.from(first, (_, row) =>
      Number(this.bytes[row] > 0 && !(this.numbers('view_back')[row] > 0) && this.raw('misplaced', row) !== 1),
    );
    this.offsetOf = this.numbers('offset');
    this.start = new Int32Array(this.count + 1);
    for (let row = 0; row < this.count; row++) this.start[row + 1] = this.start[row] + (counts[row] || 0);
    this.steps = users;
  }

  /** Returns the instructions that read or write a tensor. */
  usersOf(row) {
    let at = this.first[row];
    return Array.from(
      {length: this.start[row + 1] - this.start[row]},
      (_, index) => (at += this.steps[this.start[row] + index]),
    );
  }

  /** Returns the tensors that are live at an instruction; their bytes add up to the curve. */
  liveAt(instruction) {
    const rows = [];
    for (let row = 0; row < this.count; row++)
      if (this.hasMemory[row] && this.first[row] <= instruction && instruction <= this.last[row]) rows.push(row);
    return rows;
  }

  nameOf(row, operators) {
    const own = this.text('name', row),
      at = this.indices('operator')[row];
    return own ?? (at >= 0 ? operators.name(at) : `value ${row}`);
  }
}

const kept = new WeakMap(); // section -> Tensors

/** Returns the planned tensors of the section `memory`; null if it has none. */
export function tensorsOf(section) {
  if (!section.value?.tensors) return null;
  if (!kept.has(section.value)) kept.set(section.value, new Tensors(section.value, section.texts));
  return kept.get(section.value);
}

/** Returns at most `most` points of the curve. Instructions that share a point are shown as their maximum. */
export function liveSteps(live, most = MOST_STEPS) {
  const size = Math.max(1, Math.ceil(live.length / most));
  return Array.from({length: Math.ceil(live.length / size)}, (_, step) =>
    live.slice(step * size, (step + 1) * size).reduce((a, b) => Math.max(a, b), 0),
  );
}

const largest = live => live.reduce((a, b) => Math.max(a, b), 0);

/** Returns the instruction that is looked at: that of the address, of the selection, or the peak. */
export function instructionOf(memory, tensors) {
  const count = memory.instructions.live_bytes.length,
    asked = get('mem.at');
  if (asked >= 0) return Math.min(count - 1, asked);
  const chosen = selection.value,
    row = chosen?.row ?? -1;
  if (tensors && row >= 0) {
    const made = tensors.indices('operator').indexOf(row);
    if (made >= 0 && tensors.first[made] >= 0) return Math.min(count - 1, tensors.first[made]);
    const call = method.value.operators.indices('instruction')[row]; // inside a delegate: its call
    if (call >= 0) return Math.min(count - 1, call);
  }
  if (chosen?.kind === 'delegate' && Number(chosen.id) >= 0) return Math.min(count - 1, Number(chosen.id));
  if (tensors && chosen?.kind === 'tensor' && tensors.first[Number(chosen.id)] >= 0)
    return Math.min(count - 1, tensors.first[Number(chosen.id)]);
  return Math.max(0, memory.peak?.instruction ?? 0);
}

const go = (memory, to) =>
  set({'mem.at': Math.max(0, Math.min(memory.instructions.live_bytes.length - 1, to))}, {replace: true});

/* ---- Axes ---- */

const NEAR = 0.09; // part of an axis that a text takes, in which no other one has room

/**
 * Returns the marks of an axis from 0 to `end`, [{at: part of the axis, text}], about `count` of them, and none near
 * those that are given.
 */
export function marksOf(end, count, textOf, given = []) {
  const step = Math.max(1, axisStep(end, count)),
    marks = Array.from({length: Math.floor(end / step) + 1}, (_, mark) => ({
      at: (mark * step) / end,
      text: textOf(mark * step),
    }));
  return [...marks.filter(({at}) => given.every(other => Math.abs(other.at - at) > NEAR)), ...given];
}

/* A picture with its axes: marks from the bottom up and from left to right. */
const Axes = ({up, across, children}) =>
  html`<div class="axes"><div class="axis-up" aria-hidden="true">${up.map(
    ({at, text}) => html`<span style=${{bottom: `${100 * at}%`}}>${text}</span>`,
  )}</div><div>${children}</div><div></div><div class="axis-across" aria-hidden="true">${across.map(
    ({at, text}) => html`<span style=${{left: `${100 * at}%`}}>${text}</span>`,
  )}</div></div>`;

/* The marks of instructions. */
const instructionMarks = ({instructions}) => marksOf(instructions.live_bytes.length, 10, String);

/* ---- The curve ---- */

function areaPath(live, top, isLine) {
  const steps = liveSteps(live),
    wide = CURVE_WIDTH / Math.max(1, steps.length),
    y = bytes => CURVE_HEIGHT * (1 - bytes / top),
    line = steps.map((bytes, step) => `${step ? '' : `M0 ${y(bytes)}`}V${y(bytes)}H${(step + 1) * wide}`).join('');
  return isLine ? line : `M0 ${CURVE_HEIGHT}${line.replace(/^M0 [^VH]*/, '')}V${CURVE_HEIGHT}Z`;
}

/* What an instruction runs, and where: an operator, or the backend of a delegate. */
const calledText = (op, module) => `${shortBackend(shortOp(op))}${module ? ` in ${module}` : ''}`;

/* Describes an instruction in the line below the curve. */
function stepText(memory, at) {
  const {op, module, names, live_bytes: live} = memory.instructions,
    pick = column => (Array.isArray(column) ? column[at] : column),
    called = calledText(names[pick(op)], names[pick(module)]);
  return `instruction ${at} of ${live.length}: ${bytesText(live[at])} bytes live · ${called}`;
}

/* The keys and the pointer by which an instruction is chosen in the curve and in the map. */
function moves(memory, at) {
  const where = event => {
    const box = event.currentTarget.getBoundingClientRect();
    return Math.floor(((event.clientX - box.left) / box.width) * memory.instructions.live_bytes.length);
  };
  return {
    onClick: event => go(memory, where(event)),
    onPointerMove: event => event.buttons === 1 && go(memory, where(event)),
    onKeyDown: event => {
      const to = {
        ArrowRight: at + (event.shiftKey ? 10 : 1),
        ArrowLeft: at - (event.shiftKey ? 10 : 1),
        Home: memory.peak?.instruction ?? 0,
        End: memory.instructions.live_bytes.length - 1,
      }[event.key];
      if (to === undefined) return;
      go(memory, to);
      event.preventDefault();
      event.stopPropagation();
    },
  };
}

function Curve({memory, at, base}) {
  const {live_bytes: live} = memory.instructions,
    baseLive = base?.instructions.live_bytes ?? [],
    top = Math.max(memory.planned_bytes, largest(live), largest(baseLive), 1),
    planned = CURVE_HEIGHT * (1 - memory.planned_bytes / top),
    x = ((at + 0.5) / live.length) * CURVE_WIDTH,
    up = marksOf(top, 4, shortBytes, [{at: memory.planned_bytes / top, text: shortBytes(memory.planned_bytes)}]);
  const box = useRef(null);
  return html`<section class="card"><h2>Live bytes at each instruction</h2>
    <${Axes} up=${up} across=${instructionMarks(memory)}><svg ref=${box} class="live-bytes"
    viewBox=${`0 0 ${CURVE_WIDTH} ${CURVE_HEIGHT}`} preserveAspectRatio="none" role="slider" tabindex="0"
    aria-label="Live bytes over the instructions. Arrow keys choose an instruction, Home shows the peak."
    aria-valuemin="0" aria-valuemax=${live.length - 1} aria-valuenow=${at}
      aria-valuetext=${stepText(memory, at)} ...${moves(memory, at)}>
    ${up.map(
      mark => html`<line class="grid-line" x1="0" x2=${CURVE_WIDTH} y1=${CURVE_HEIGHT * (1 - mark.at)}
      y2=${CURVE_HEIGHT * (1 - mark.at)} />`,
    )}<path class="area" d=${areaPath(live, top)} />
      ${baseLive.length ? html`<path class="base-line" d=${areaPath(baseLive, top, true)} />` : null}
    <line class="planned" x1="0" x2=${CURVE_WIDTH} y1=${planned} y2=${planned} /><line class="chosen" x1=${x} x2=${x}
      y1="0" y2=${CURVE_HEIGHT} /></svg><//><p class="said" role="status"
      aria-live="polite"
      aria-description="sum of the live tensors">${stepText(memory, at)}</p>
    <p class="note">The dashed line is the planned size${
      baseLive.length
        ? `; the thin line is the base, its ${countText(baseLive.length, 'instruction')} over the same width`
        : ''
    }. <span
        class="acts"><${Link} act=${() => set({'mem.at': -1, sel: ''})}>Go to the peak<//> · <${Link}
          act=${() => download('live_bytes.svg', svgText(box.current), 'image/svg+xml')}>save as SVG<//></span></p>
            </section>`;
}

/* ---- The map ---- */

/* Draws each tensor as a rectangle: from its first instruction to its last, from its offset to its end. */
function drawMap(canvas, tensors, memory, at, chosen) {
  const ratio = devicePixelRatio || 1,
    width = canvas.clientWidth,
    count = memory.instructions.live_bytes.length,
    context = canvas.getContext('2d');
  if (!width) return;
  canvas.width = width * ratio;
  canvas.height = MAP_HEIGHT * ratio;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const colors = theme(),
    {operators} = method.value;
  const colorOf = row => colors[row >= 0 ? hueOf(placeOf(operators, operators.backend(row))) : 'runtime'];
  for (const {id, top, height, bytes} of lanesOf(memory)) {
    const scale = height / Math.max(1, bytes);
    for (let row = 0; row < tensors.count; row++) {
      if (!tensors.hasMemory[row] || tensors.raw('buffer', row) !== id) continue;
      const left = (tensors.first[row] / count) * width,
        wide = Math.max(1, ((tensors.last[row] - tensors.first[row] + 1) / count) * width - 0.5),
        tall = Math.max(1, tensors.bytes[row] * scale - 0.5),
        y = top + height - (tensors.offsetOf[row] + tensors.bytes[row]) * scale,
        made = tensors.indices('operator')[row];
      context.globalAlpha = chosen.size && !chosen.has(row) ? 0.3 : 0.85;
      context.fillStyle = colorOf(made);
      context.fillRect(left, y, wide, tall);
      if (!chosen.has(row)) continue;
      context.globalAlpha = 1;
      context.strokeStyle = colors.text;
      context.strokeRect(left, y, wide, tall);
    }
  }
  context.globalAlpha = 1;
  context.fillStyle = colors.text;
  context.fillRect(((at + 0.5) / count) * width, 0, 1, MAP_HEIGHT);
}

/* The buffers below each other, each as high as its bytes. */
function lanesOf({buffers}) {
  const whole = buffers.reduce((sum, {planned_bytes: bytes}) => sum + bytes, 0) || 1,
    room = MAP_HEIGHT - 6 * (buffers.length - 1);
  let top = 0;
  return buffers.map(({id, planned_bytes: bytes}) => {
    const lane = {id, top, height: (room * bytes) / whole, bytes};
    top += lane.height + 6;
    return lane;
  });
}

/* The marks of offsets: of each buffer its own, as many as it has room for. */
const mapMarks = memory =>
  lanesOf(memory).flatMap(({id, top, height, bytes}) =>
    marksOf(bytes, Math.max(1, height / 60), shortBytes).map(({at, text}, first) => ({
      at: 1 - (top + height * (1 - at)) / MAP_HEIGHT,
      text: first || memory.buffers.length === 1 ? text : `buffer ${id}`,
    })),
  );

/* Returns the tensor at a point of the map, -1 if there is none. */
function tensorAt(tensors, memory, instruction, y) {
  const lane = lanesOf(memory).find(({top, height}) => y >= top && y <= top + height);
  if (!lane) return -1;
  const offset = ((lane.top + lane.height - y) / lane.height) * lane.bytes;
  return (
    tensors
      .liveAt(instruction)
      .find(
        row =>
          tensors.raw('buffer', row) === lane.id &&
          tensors.offsetOf[row] <= offset &&
          offset < tensors.offsetOf[row] + tensors.bytes[row],
      ) ?? -1
  );
}

function Map2D({tensors, memory, at, chosen}) {
  const canvas = useRef(null),
    tip = useRef(null);
  useEffect(() => {
    if (!canvas.current) return undefined; // the view was left before it was drawn
    const draw = () => canvas.current && drawMap(canvas.current, tensors, memory, at, chosen),
      resized = new ResizeObserver(draw);
    resized.observe(canvas.current);
    addEventListener('themechange', draw);
    draw();
    return () => (resized.disconnect(), removeEventListener('themechange', draw));
  });
  const hit = event =>
    tensorAt(
      tensors,
      memory,
      Math.floor((event.offsetX / event.currentTarget.clientWidth) * memory.instructions.live_bytes.length),
      event.offsetY,
    );
  const hover = event => {
    const row = hit(event);
    tip.current.textContent = row < 0 ? '' : tensorText(tensors, row);
  };
  const click = event => {
    const row = hit(event);
    if (row >= 0) select('tensor', row);
    else
      go(memory, Math.floor((event.offsetX / event.currentTarget.clientWidth) * memory.instructions.live_bytes.length));
  };
  return html`<section class="card"><h2>Every tensor, by time and offset</h2><${Axes} up=${mapMarks(memory)}
    across=${instructionMarks(memory)}><canvas ref=${canvas} class="memory-map"
    style=${{height: `${MAP_HEIGHT}px`}} role="img"
    aria-label="Planned tensors by instruction and offset; the tables list them" onPointerMove=${hover}
    onPointerLeave=${() => (tip.current.textContent = '')} onClick=${click}></canvas><//>
    <p class="said" ref=${tip} aria-description="as planned"></p><p class="note">
      Across: instructions. Up: offsets in the buffer.
      ${' The color is the backend of the operator that makes the tensor.'}
      </p></section>`;
}

/* ---- Tensors ---- */

const lifeText = (tensors, row) =>
  tensors.first[row] < 0 ? 'not known' : `${tensors.first[row]}–${tensors.last[row]}`;
const tensorText = (tensors, row) =>
  `${tensors.nameOf(row, method.value.operators)}: ${bytesText(tensors.bytes[row])} bytes, ${
    tensors.text('type', row) ?? ''
  }, live ${lifeText(tensors, row)}, ${moduleText(tensors, row)}`;
const moduleText = (tensors, row) => method.value.modules[tensors.indices('module')[row]]?.path || TOP_LEVEL;

function LiveTable({tensors, memory, at}) {
  const rows =
      at === memory.peak?.instruction && memory.peak.tensors
        ? memory.peak.tensors
        : tensors.liveAt(at).sort((a, b) => tensors.bytes[b] - tensors.bytes[a]),
    sum = rows.reduce((bytes, row) => bytes + tensors.bytes[row], 0),
    {operators} = method.value,
    chosen = selection.value;
  return html`<${SmallTable}
    caption=${at === memory.peak?.instruction ? 'Live at the peak' : `Live at instruction ${at}`} rows=${rows}
    most=${100} open=${row => select('tensor', row)} isChosen=${row => chosen?.said === `tensor:${row}`}
    isHit=${row => isHitRow(tensors.indices('operator')[row])}
    command=${at === memory.peak?.instruction ? commandOf('memory') : null} columns=${[
      {key: 'name', title: 'tensor', class: 'key', text: row => tensors.nameOf(row, operators)},
      {
        key: 'bytes',
        title: 'bytes',
        hint: 'as planned',
        number: true,
        text: row => bytesText(tensors.bytes[row]),
        value: row => tensors.bytes[row],
      },
      {
        key: 'share',
        title: 'share',
        hint: 'of the bytes that are live at this instruction',
        number: true,
        text: row => shareText(tensors.bytes[row], sum),
      },
      {key: 'type', title: 'type', text: row => tensors.text('type', row) ?? ''},
      {
        key: 'live',
        title: 'live',
        hint: 'first and last instruction that needs it',
        number: true,
        text: row => lifeText(tensors, row),
      },
      {
        key: 'op',
        title: 'operator',
        class: 'key',
        text: row =>
          tensors.indices('operator')[row] >= 0
            ? shortOp(operators.op(tensors.indices('operator')[row]))
            : (tensors.text('role', row) ?? ''),
      },
      {key: 'module', title: 'module', class: 'key', text: row => moduleText(tensors, row)},
    ]} />`;
}

/* The panel of a tensor: its life, what makes and reads it, what would free it. */
function TensorDetails({chosen}) {
  const section = sectionOf(method.value, 'memory').value,
    tensors = tensorsOf(section),
    row = Number(chosen.id),
    memory = section.value;
  if (!tensors) return html`<p class="note">Loading…</p>`;
  if (!(row >= 0 && row < tensors.count)) return html`<p class="note">The plan has no tensor ${chosen.id}.</p>`;
  const {operators, modules} = method.value,
    made = tensors.indices('operator')[row],
    users = tensors.usersOf(row),
    module = modules[tensors.indices('module')[row]],
    over = tensors.raw('over_back', row),
    view = tensors.raw('view_back', row),
    tensor = other => html`<${Link} act=${() => select('tensor', other)}>${tensors.nameOf(other, operators)}<//>`;
  const at = instruction => html`<${Link} act=${() => show('memory', {'mem.at': instruction})}>${instruction}<//> `,
    last = users.at(-1);
  return html`<${Definitions} rows=${[
    ['tensor', tensors.nameOf(row, operators)],
    ['bytes', bytesText(tensors.bytes[row])],
    ['type', `${tensors.text('type', row) ?? ''}${tensors.raw('largest_shape', row) === 1 ? ', at its largest' : ''}`],
    ['role', tensors.text('role', row)],
    ['buffer', `${tensors.raw('buffer', row)}, offset ${bytesText(tensors.offsetOf[row] || 0)}`],
    ['live', `instructions ${lifeText(tensors, row)}`],
    ['made by', made >= 0 ? html`<${NodeLink} operators=${operators} row=${made} />` : tensors.text('role', row)],
    ['module', module ? html`<${ModuleLink} module=${module} />` : null],
    [
      'used at',
      users.length
        ? html`${users.slice(0, 40).map(at)}${users.length > 40 ? `and ${users.length - 40} more` : ''}`
        : 'not known',
    ],
    ['shares memory with', view > 0 ? tensor(row - view) : null],
    ['freed after', last >= 0 ? html`instruction ${at(last)}, the last that needs it` : null],
    [
      'could be written over',
      over > 0
        ? html`${tensor(row - over)}, which nothing needs afterwards: ${bytesText(
            Math.min(tensors.bytes[row], tensors.bytes[row - over]),
          )} bytes less`
        : null,
    ],
  ]} /><p><${Link} act=${() => show('memory')}>in the map<//>
    ${memory.peak?.tensors?.includes(row) ? ' · live at the peak' : ''}</p>`;
}
detailsOfKind.tensor = TensorDetails;

/* ---- The view ---- */

const Card = ({children}) => html`<section class="card">${children}</section>`;
const bytesColumn = (key, title, hint) => ({
  key,
  title,
  hint,
  number: true,
  text: row => bytesText(row[key]),
  value: row => row[key],
});

function Tables({memory}) {
  return html`${
    memory.findings.length
      ? html`<${Card}><h2>Findings</h2><ul>${memory.findings.map(
          finding => html`<li
    aria-description="bytes that it would save">${finding.title}: ${bytesText(finding.bytes)} bytes<div class="quiet">
    ${finding.evidence}</div></li>`,
        )}</ul><//>`
      : null
  }
    ${
      memory.buffers.length
        ? html`<${Card}><${SmallTable} caption="Planned buffers" rows=${memory.buffers}
      command=${commandOf('memory')}
      columns=${[
        {
          key: 'id',
          title: 'buffer',
          hint: 'number of the buffer in the plan',
          number: true,
          text: row => String(row.id),
        },
        {key: 'device', title: 'device', text: row => row.device},
        bytesColumn('planned_bytes', 'planned', 'size of the buffer in the program'),
        bytesColumn('peak_bytes', 'live at peak', 'bytes of the live tensors, where they are most'),
        bytesColumn('unused_bytes', 'not live at peak', 'planned less live'),
        {
          key: 'tensors',
          title: 'tensors',
          hint: 'planned tensors in the buffer',
          number: true,
          text: row => String(row.tensors),
        },
      ]} /><//>`
        : null
    }
    ${
      memory.delegates.length
        ? html`<${Card}><${SmallTable} caption="Bytes given to delegates" rows=${memory.delegates}
      command=${commandOf('memory')}
      columns=${[
        {key: 'backend', title: 'backend', class: 'key', text: row => shortBackend(row.backend)},
        {
          key: 'delegates',
          title: 'delegates',
          hint: 'delegates of the backend',
          number: true,
          text: row => String(row.delegates),
        },
        bytesColumn('bytes', 'bytes', 'of the payloads in the program'),
        bytesColumn('largest_bytes', 'largest', 'largest payload'),
      ]} /><//>`
        : null
    }
    ${
      memory.weight_sums.length
        ? html`<${Card}><${SmallTable} caption="Weights, by module and type"
      rows=${memory.weight_sums} most=${20} command=${commandOf('memory')}
      open=${row => method.value.modulesByPath.has(row.module) && select('module', row.module)}
      columns=${[
        {key: 'module', title: 'module', class: 'key', text: row => row.module || TOP_LEVEL},
        {key: 'dtype', title: 'dtype', text: row => row.dtype},
        {
          key: 'count',
          title: 'tensors',
          hint: 'weights of the module and type',
          number: true,
          text: row => String(row.count),
        },
        bytesColumn('bytes', 'bytes', 'of these weights'),
      ]} /><//>`
        : null
    }
    <${Card}><h2>Memory that the program does not describe</h2><ul>${memory.not_in_program.map(
      ({text}) => html`<li>
      ${text}</li>`,
    )}</ul><//>`;
}

command({
  name: 'memory-peak',
  keys: ['p'],
  views: ['memory'],
  text: 'Go to the peak',
  run: () => set({'mem.at': -1, ...(peek('sel').startsWith('tensor:') ? {sel: ''} : {})}, {replace: true}),
});

/* The memory of the same method in the base. */
function baseMemory() {
  const base = baseMethod.value;
  return base ? sectionOf(base, 'memory').value.value : null;
}

/* The base's bytes and the change; nothing without a base. */
const against = (now, before) => (before > 0 ? `base ${bytesText(before)}, ${changeText(before, now)}` : null);

export function MemoryView() {
  const section = sectionOf(method.value, 'memory').value,
    memory = section.value,
    tensors = memory ? tensorsOf(section) : null;
  if (section.error) return html`<p class="note error" role="alert">${section.error}</p>`;
  if (memory === undefined) return html`<p class="note">Loading…</p>`;
  if (!memory) return html`<p class="note">The memory plan is in the program (.pte), which was not given.</p>`;
  const {peak, planned_bytes: planned} = memory,
    at = instructionOf(memory, tensors),
    has = selectedRows.value,
    chosen = new Set();
  for (let row = 0; tensors && row < tensors.count; row++)
    if ((has && has[tensors.indices('operator')[row]] === 1) || selection.value?.said === `tensor:${row}`)
      chosen.add(row);
  return html`<div class="memory"><div class="figures"><${Figure} label="planned" value=${`${bytesText(planned)} bytes`}
    note=${against(planned, baseMemory()?.planned_bytes)} why="size of all planned buffers in the program" /><${Figure}
    label="live at the peak" value=${`${bytesText(peak?.bytes ?? 0)} bytes`}
    note=${
      peak &&
      [shareText(peak.bytes, planned), against(peak.bytes, baseMemory()?.peak?.bytes)].filter(Boolean).join('; ')
    }
        why="bytes of the live tensors, where they are most, and their share of the planned size" />
    ${
      peak
        ? html`<${Figure} label="peak at" value=${`instruction ${peak.instruction}`}
      note=${calledText(peak.op, peak.module)} why="where the most bytes are live" />`
        : null
    }
      ${
        chosen.size
          ? html`<${Figure} label="selected" value=${countText(chosen.size, 'tensor')}
      note=${`${bytesText(
        [...chosen].reduce((sum, row) => sum + (tensors.hasMemory[row] ? tensors.bytes[row] : 0), 0),
      )} bytes`} why="tensors that the selected operators make" />`
          : null
      }</div>${memory.cache && html`<p>${memory.cache}</p>`}
    ${peak ? html`<${Curve} memory=${memory} at=${at} base=${baseMemory()} />` : null}
      ${
        tensors && memory.buffers.length
          ? html`<${Map2D} tensors=${tensors} memory=${memory} at=${at}
      chosen=${chosen} />`
          : null
      }
    <div class="grid wide">${
      tensors && peak
        ? html`<${Card}><${LiveTable} tensors=${tensors} memory=${memory}
      at=${at} /><//>`
        : null
    }<${Tables} memory=${memory} /></div></div>`;
}
