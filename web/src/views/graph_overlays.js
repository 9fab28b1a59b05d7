// SPDX-License-Identifier: BSD-3-Clause
//
// graph_overlays.js - what the boxes of the graph are colored by: times, shares, changes, backends, rates, bytes,
// memory, accuracy, or values of the reader's own.

import {
  comparedMethod,
  method,
  sectionOf,
  source,
  timeOf,
  timeWithUnit,
  times,
  unitName,
  withInterruptions,
} from '../base/app.js';
import {bytesText, rateText, shareText, signOf} from '../base/format.js';
import {FULL, hueOf, hueOfVerdict} from '../base/colors.js';
import {CPU, backendsOf, placeOf} from '../base/method.js';
import {backendHues} from '../parts/bits.js';
import {MOST_DB, hasAccuracy, snrOfOperators} from './accuracy.js';
import {changeOf, bothTimes, changesBy} from './changes.js';
import {valuesOfNodes} from './graph_panes.js';
import {instructionOf, tensorsOf} from './memory.js';

/* In boxes there is room for three digits, which is what the page shows. */
const shortTime = ns => timeOf(ns);
const longTime = timeWithUnit;

const shareOf = shareText;
/** Formats bytes with three digits. */
export const shortBytes = bytes =>
  bytes >= 1e9
    ? `${(bytes / 1e9).toPrecision(3)} GB`
    : bytes >= 1e6
      ? `${(bytes / 1e6).toPrecision(3)} MB`
      : bytes >= 1e3
        ? `${(bytes / 1e3).toPrecision(3)} kB`
        : `${bytes} B`;

/* Which nodes have an estimated value: those of an operator with an estimated time, and those that share one. */
function estimatedNodes(pane, shared) {
  const operators = pane.base?.operators ?? method.value.operators;
  return Uint8Array.from(shared, (is, node) =>
    is || Array.from(pane.rowsOf(node)).some(row => operators.isEstimated(row)) ? 1 : 0,
  );
}

/* A node's own time, where the document has one, is that of all runs. */
function timesOfNodes(pane, of) {
  const {values, shared} = valuesOfNodes(pane, of, true);
  const {stat} = times.value,
    own = {avg: node => pane.total(node) / (method.value.runs || 1), typical: pane.typical}[stat];
  if (own)
    for (let node = 0; node < values.length; node++)
      if (!Number.isNaN(own(node))) {
        values[node] = own(node);
        shared[node] = 0;
      }
  return {values, shared};
}

/* The step of the clock that took each node's time. */
function clocksOf(pane, operators, clocks) {
  return Float64Array.from({length: pane.graph.count}, (_, node) =>
    Array.from(pane.rowsOf(node)).reduce((most, row) => {
      const backend = operators.backend(row);
      return Math.max(most, clocks[backend === CPU ? '' : backend] ?? 0);
    }, 0),
  );
}

/* A node without a time of its own whose operators were fused into others says so. */
const fusedText = (pane, operators) => node =>
  Array.from(pane.rowsOf(node)).some(row => operators.indices('carrier')[row] >= 0) ? 'fused' : '';

/* The hue of each node, where it runs, and what the hues mean. */
function huesOf(pane) {
  const {operators} = pane.base?.method ?? method.value,
    hue = name => (name ? hueOf(placeOf(operators, name)) : 'runtime');
  return {
    hueOf: node => hue(Array.from(pane.rowsOf(node), row => operators.backend(row)).find(Boolean)),
    legend: backendHues(operators),
  };
}

function timeOverlay(pane) {
  const {of, whole} = times.value,
    {values, shared} = pane.base
      ? {values: pane.base.values(pane), shared: new Uint8Array(pane.graph.count)}
      : timesOfNodes(pane, of);
  const all = pane.base?.whole ?? whole,
    share = ns => shareOf(ns, all),
    {operators, clocks} = pane.base?.method ?? method.value;
  return {
    name: `${times.value.label}${withInterruptions()}, ${unitName.value}`,
    values,
    adds: true,
    scale: 'heat',
    estimated: estimatedNodes(pane, shared),
    none: fusedText(pane, operators),
    clock: clocksOf(pane, operators, clocks),
    ...huesOf(pane),
    full: FULL * all,
    text: shortTime,
    long: longTime,
    more: share,
  };
}

const isKnown = ({verdict}) => hueOfVerdict(verdict) !== 'runtime';

/* The change of each operator against the base, and of each module with what is gone of it, as the library says;
   what only one record has counts with its whole time, and is hatched. What cannot be told is gray. */
export function changeOverlay(pane) {
  const side = pane.base ? 'base' : 'new',
    other = pane.base ? 'new' : 'base',
    perRow = new Float64Array(pane.base?.operators.count ?? method.value.operators.count).fill(NaN),
    alone = new Set(),
    known = new Set(),
    isGone = comparedMethod.value?.nodes.some(({verdict}) => verdict === 'gone');
  for (const node of comparedMethod.value?.nodes ?? []) {
    const row = node[`${side}_node`];
    if (row === null || row < 0 || node.verdict === 'untimed') continue;
    perRow[row] = changeOf(node);
    if (isKnown(node)) known.add(row);
    if (node[`${other}_node`] === null || node[`${other}_node`] < 0) alone.add(row);
  }
  const {values} = valuesOfNodes(pane, perRow, true),
    nodesOf = rows =>
      Uint8Array.from({length: pane.graph.count}, (_, node) =>
        Array.from(pane.rowsOf(node)).some(row => rows.has(row)) ? 1 : 0,
      ),
    sign = ns => (shortTime(ns).includes('<') || shortTime(ns).includes('>') ? '≈ 0' : signOf(shortTime(ns)));
  return {
    name: `change, ${unitName.value}`,
    values,
    adds: true,
    scale: 'change',
    legend: [
      ['less', 'less: faster, gone'],
      ['more', 'more: slower, new'],
      ['runtime', 'cannot tell'],
      ...(isGone && !pane.base ? [['', 'gone from the base: not drawn, but in the sum of its module']] : []),
    ],
    ofModule: path => (changesBy.value.path(path) ? changeOf(changesBy.value.path(path)) : NaN),
    told: path => bothTimes(changesBy.value.path(path)),
    text: sign,
    long: ns => (sign(ns) === '≈ 0' ? sign(ns) : `${signOf(timeOf(ns))} ${unitName.value}`),
    hatchedText: pane.base ? 'gone' : 'new',
    hatched: nodesOf(alone),
    judged: nodesOf(known),
    judgedModule: path => isKnown(changesBy.value.path(path)),
  };
}

function backendOverlay(pane) {
  const operators = pane.base?.operators ?? method.value.operators,
    categories = backendsOf(method.value.operators),
    legend = backendHues(method.value.operators),
    perRow = Float64Array.from({length: operators.count}, (_, row) => {
      const at = categories.indexOf(operators.backend(row));
      return at < 0 ? NaN : at;
    });
  return {
    name: 'backend',
    values: valuesOfNodes(pane, perRow, false).values,
    adds: false,
    scale: 'category',
    hues: legend.map(([hue]) => hue),
    legend,
    text: () => '',
    long: at => legend[at]?.[1] ?? 'several',
  };
}

const numberOverlay =
  (key, name, adds, text, long = text) =>
  pane => ({
    name,
    values: valuesOfNodes(pane, (pane.base?.operators ?? method.value.operators).numbers(key), adds).values,
    adds,
    scale: 'heat',
    ...huesOf(pane),
    text,
    long,
  });

/* How many bytes of planned memory hold what each node computed, at the instruction that the view "Memory" shows. */
function memoryOverlay(pane) {
  const section = sectionOf(method.value, 'memory').value,
    tensors = tensorsOf(section),
    perRow = new Float64Array(method.value.operators.count).fill(NaN);
  const at = section.value?.instructions ? instructionOf(section.value, tensors) : 0,
    operator = tensors?.indices('operator');
  for (const row of tensors?.liveAt(at) ?? [])
    if (operator[row] >= 0) perRow[operator[row]] = (perRow[operator[row]] || 0) + tensors.bytes[row];
  return {
    name: `bytes in memory at instruction ${at}`,
    values: valuesOfNodes(pane, perRow, true).values,
    adds: true,
    scale: 'heat',
    ...huesOf(pane),
    text: shortBytes,
    long: bytes => `${bytesText(bytes)} bytes`,
  };
}

/* The noise of the values that were logged: the color is the distance from the best signal-to-noise ratio. */
function accuracyOverlay(pane) {
  const noiseOf = snrOfOperators().map(snr => MOST_DB - snr);
  const text = noise => `${(MOST_DB - noise).toFixed(0)} dB`;
  return {
    name: 'signal-to-noise ratio',
    values: valuesOfNodes(pane, noiseOf, false).values,
    adds: false,
    scale: 'heat',
    ...huesOf(pane),
    text,
    long: noise => `SNR ${(MOST_DB - noise).toFixed(1)} dB`,
  };
}

function ownOverlay(pane, own) {
  const values = Float64Array.from(
      {length: pane.graph.count},
      (_, node) => own.values.get(pane.graph.names[node]) ?? NaN,
    ),
    {operators} = pane.base ?? method.value;
  for (let node = 0; node < values.length; node++) {
    if (!Number.isNaN(values[node])) continue;
    for (const row of pane.rowsOf(node)) {
      const value = own.values.get(operators.name(row));
      if (value !== undefined && !(values[node] >= value)) values[node] = value;
    }
  }
  const negative = values.some(value => value < 0);
  return {
    name: own.name,
    values,
    adds: false,
    scale: negative ? 'change' : 'heat',
    ...huesOf(pane),
    text: value => String(Number(value.toPrecision(3))),
    long: value => String(value),
  };
}

/**
 * Returns the overlays that can be shown, {key: {title, make(pane): an overlay of graph/overlay.js with `long(value)`,
 * the text with all digits}}. `own` are values that the reader dropped on the page,
 * {name, values: by the name of a node}, or null.
 */
export function overlays(own) {
  const {operators, runs} = method.value,
    has = key => operators.has(key);
  const all = {
    time: runs > 0 && {title: 'Time', make: timeOverlay},
    change: comparedMethod.value && {title: 'Change', make: changeOverlay},
    backend: backendsOf(operators).length > 0 && {title: 'Backend', make: backendOverlay},
    gflops: has('gflops') && {title: 'GFLOP/s', make: numberOverlay('gflops', 'GFLOP/s', false, rateText)},
    gbs: has('gbs') && {title: 'GB/s', make: numberOverlay('gbs', 'GB/s', false, rateText)},
    bytes: has('bytes') && {
      title: 'Bytes',
      make: numberOverlay('bytes', 'bytes read and written', true, shortBytes, bytes => `${bytesText(bytes)} bytes`),
    },
    memory: source.value.has(method.value.run, method.value, 'memory') && {title: 'Memory', make: memoryOverlay},
    accuracy: hasAccuracy() && {title: 'Accuracy', make: accuracyOverlay},
    own: own && {title: own.name, make: pane => ownOverlay(pane, own)},
    none: {
      title: 'No color',
      make: pane => ({
        name: '',
        values: new Float64Array(pane.graph.count).fill(NaN),
        adds: false,
        scale: 'heat',
        text: () => '',
        long: () => '',
      }),
    },
  };
  return Object.fromEntries(Object.entries(all).filter(([, made]) => made));
}

/**
 * Reads a file of the reader's own: CSV of "node,value" with or without a head, or JSON, {node: value} or [{node,
 * value}]. Returns values by name; throws if there are none.
 */
export function readOwnValues(text) {
  const values = new Map(),
    add = (name, value) =>
      typeof name === 'string' &&
      value !== '' &&
      value !== null &&
      Number.isFinite(Number(value)) &&
      values.set(name, Number(value));
  if (/^\s*[[{]/.test(text)) {
    const read = JSON.parse(text);
    if (Array.isArray(read)) for (const row of read) add(row?.node ?? row?.name, row?.value);
    else for (const [name, value] of Object.entries(read)) add(name, value);
  } else {
    for (const line of text.split(/\r?\n/)) {
      const [, name, value] = /^\s*"?([^",;\t]+)"?\s*[,;\t]\s*"?([^",;\t]+)"?\s*$/.exec(line) ?? [];
      if (name !== undefined) add(name.trim(), value);
    }
  }
  if (values.size === 0) throw new Error('no line of the form node,value with a number');
  return values;
}
