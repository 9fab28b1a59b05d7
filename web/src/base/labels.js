// SPDX-License-Identifier: BSD-3-Clause
//
// labels.js - how operators, modules and backends are called in all views. It needs no page.

/** Returns "softmax" for "aten._softmax.default". Other names, such as those of kernels, stay as they are. */
export function shortOp(op) {
  const parts = op.split('.');
  const name = parts.length >= 3 ? parts.slice(1, -1).join('.') : op;
  return name.replace(/^_+(?=\w)/, '');
}

const BACKENDS = {
  unknown: 'delegate',
  openvino: 'OpenVINO',
  coreml: 'Core ML',
  ethosu: 'Ethos-U',
  cortexm: 'Cortex-M',
  mps: 'MPS',
};

/** Returns "XNNPACK" for "XnnpackBackend", and "CPU kernel" for kernels outside delegates. */
export function shortBackend(name) {
  if (!name) return '';
  if (name === 'cpu') return 'CPU kernel';
  const base = name.replace(/(Backend|Delegate)$/, '');
  const known = BACKENDS[base.toLowerCase()];
  if (known) return known;
  return /^(xnnpack|qnn|vgf|mps|tosa)$/i.test(base) ? base.toUpperCase() : base || name;
}

const PHASES = {
  copy_in: 'copying into',
  compute: 'computing in',
  wait: 'waiting for',
  copy_out: 'copying out of',
  other: 'other work of',
};

/** Returns "computing in Ethos-U". */
export const phaseText = (phase, backend) => `${PHASES[phase] ?? phase} ${shortBackend(backend)}`;

/** Returns a text of the library with a capital, unless it begins with the name of an operator, and a full stop. */
export function sentence(text) {
  const isName = /^\w*([_.]\w|,| takes )/.test(text),
    capital = isName ? text[0] : text[0].toUpperCase();
  return `${capital}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

const hasLetter = part => /\p{L}/u.test(part);

/** Returns the end of a path from the last part that has a letter: "conv.1.0" for "features.3.conv.1.0". */
export function letteredEnd(path) {
  const parts = path.split('.');
  let at = parts.length - 1;
  while (at > 0 && !hasLetter(parts[at])) at--;
  return parts.slice(at).join('.');
}

const isInside = (path, outer) => outer !== '' && path.startsWith(`${outer}.`);

/**
 * Returns a path relative to a head: "mlp.3" for "layers.*.mlp.3" in "layers.*", "" for the head itself. What has no
 * letter goes left until it has one. A path outside the head begins with "/".
 */
export function relativePath(path, head) {
  if (path === head) return '';
  if (isInside(path, head)) {
    const rest = path.slice(head.length + 1);
    return hasLetter(rest.split('.')[0]) ? rest : letteredEnd(path);
  }
  return head && path ? `/${path}` : path;
}

/** Returns a path with the last part of the head before it, so that equal ends differ: "features.*.conv.1.0". */
export const longerPath = (path, head) => (isInside(path, head) ? path.slice(head.lastIndexOf('.') + 1) : path);

const QUANTIZATION = /quantize|choose_qparams/;

/** Returns whether quantization inserted an operator: it has no module, though it is between operators of one. */
export const isOfQuantization = op => QUANTIZATION.test(op);

/** Returns what a module does between its children: "blocks itself". */
export const itselfText = (path, method = 'forward') =>
  `${path ? letteredEnd(path).replace(/[._]?\*$/, '') || path : method} itself`;

/**
 * Returns the deepest path that holds nine tenths of a time, part by part: the head that all labels leave out. `rows`
 * are {pattern, typical}.
 */
export function headOf(rows, within = '') {
  const inside = rows.filter(({pattern}) => within === '' || pattern === within || isInside(pattern, within));
  const whole = inside.reduce((sum, {typical}) => sum + typical, 0);
  for (let head = within; ;) {
    const times = new Map();
    for (const {pattern, typical} of inside) {
      if (head !== '' && !isInside(pattern, head)) continue;
      const part = pattern.slice(head ? head.length + 1 : 0).split('.')[0];
      if (part) times.set(part, (times.get(part) ?? 0) + typical);
    }
    const found = [...times].find(([, time]) => time >= 0.9 * whole && time > 0);
    if (!found) return head;
    head = head ? `${head}.${found[0]}` : found[0];
  }
}

/**
 * Returns what tells a name from others that begin alike, "…4d" for "inception4d" beside "inception3b"; the name itself
 * if none does.
 */
export function tellingEnd(name, others) {
  let same = 0;
  for (const other of others) {
    let at = 0;
    while (other !== name && at < name.length && name[at] === other[at]) at++;
    same = Math.max(same, at);
  }
  const start = name.slice(0, same).replace(/\d+$/, '').length; // a number stays whole
  return start >= LEAST_CUT ? `…${name.slice(start)}` : name;
}

const LEAST_CUT = 4,
  WORD = 6; // letters of a text that is cut; a word below WORD letters is never cut

/**
 * Returns as much of a text as has room: all of it, its beginning up to the first "_", or as many letters as fit; ""
 * if that would be no word. A rest, "7 more", becomes "+7". `widthOf` gives the width of a text.
 */
export function fitted(text, room, widthOf) {
  if (widthOf(text) <= room) return text;
  const rest = text.match(/^\+?(\d+) more$/);
  if (rest) return widthOf(`+${rest[1]}`) <= room ? `+${rest[1]}` : '';
  if (text.length < WORD) return '';
  const [first] = text.split('_');
  for (let end = text.length - 1; end >= LEAST_CUT; end--) {
    const cut = `${text.slice(0, end).trimEnd()}…`;
    if (widthOf(cut) > room) continue;
    const whole = `${first}…`;
    return first.length >= 3 && first.length < end && first.length + 4 > end && widthOf(whole) <= room ? whole : cut;
  }
  return '';
}
