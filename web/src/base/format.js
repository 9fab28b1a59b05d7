// SPDX-License-Identifier: BSD-3-Clause
//
// format.js - formats numbers. Times are given in nanoseconds; the page shows all of them in one unit, with as many decimals as the command prints.

export const UNITS = {
  ms: {name: 'ms', ns: 1e6, decimals: 4},
  us: {name: 'µs', ns: 1e3, decimals: 1},
  ns: {name: 'ns', ns: 1, decimals: 0},
  s: {name: 's', ns: 1e9, decimals: 7},
  cycles: {name: 'cycles', ns: 1, decimals: 0},
};

// Formats are kept, because making one takes as long as formatting hundreds of numbers.
const formats = [], formatOf = digits => (formats[digits] ??= new Intl.NumberFormat('en-US', digits ? {maximumSignificantDigits: digits} : {}));

/** Formats a count: "1,234". */
export const numberText = count => formatOf(0).format(count);

const sizeOf = (unit, ticksPerSecond) => (unit === 'cycles' ? 1e9 / ticksPerSecond : UNITS[unit].ns);

/** Returns the number of decimals of a time that is known to `grain` ns: the last digit is that of the grain, or what the command prints. It is negative where not even the last whole digits are known. */
export function decimalsOf(grain, unit, ticksPerSecond = 1e9) {
  const {decimals} = UNITS[unit];
  return grain > 0 ? Math.min(decimals, Math.ceil(-Math.log10(grain / sizeOf(unit, ticksPerSecond)) - 1e-9)) : decimals;
}

/** Formats a time in ns in a unit, without the unit's name. `ticksPerSecond` is the ETDump's clock, for cycles; there are no digits behind that of `grain` ns. */
export function timeText(ns, unit, ticksPerSecond = 1e9, grain = 0) {
  if (ns === null || ns === undefined || !Number.isFinite(ns)) return '–';
  const decimals = decimalsOf(grain, unit, ticksPerSecond), value = ns / sizeOf(unit, ticksPerSecond), power = 10 ** -decimals;
  return decimals < 0 ? (Math.round(value / power) * power).toFixed(0) : value.toFixed(decimals);
}

/** Formats a rate or a count with three significant digits, from 10,000 on with k, M, G or T: "0.0123", "12.3", "4,321", "8.62 M"; "–" if it is unknown. */
export function rateText(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  const units = ['', ' k', ' M', ' G', ' T'], unit = value < 1e4 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3));
  return `${formatOf(unit ? 3 : Math.max(3, String(Math.trunc(value)).length)).format(value / 1000 ** unit)}${units[unit]}`;
}

/** Formats a share: "75.5 %". */
export function shareText(part, whole) {
  return whole > 0 && Number.isFinite(part) ? `${((100 * part) / whole).toFixed(1)} %` : '–';
}

/** Formats a relative change: "+12.3 %", "−0.4 %". */
export function changeText(from, to) {
  if (!(from > 0)) return '–';
  const change = (100 * (to - from)) / from;
  return `${signOf(change.toFixed(1))} %`;
}

/** Puts a plus sign, or a minus sign of the same width, before the text of a number. */
export function signOf(text) {
  if (Number(text) === 0) return text.replace('-', '');
  return text.startsWith('-') ? `−${text.slice(1)}` : `+${text}`;
}

/** Formats a number of bytes: "9,936,896". */
export function bytesText(bytes) {
  return numberText(bytes);
}

/** Formats a count with its noun: "1 operator", "20 operators". */
export function countText(count, noun) {
  return `${numberText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Formats the number of calls per inference: "1", "0.44". */
export function callsText(calls) {
  return calls === 0 ? '–' : String(Number(calls.toFixed(2)));
}

/** Formats a number of cycles: "44,507". */
export function cyclesText(cycles) {
  return numberText(Math.round(cycles));
}

/** Formats the step of a clock: "1 µs", "41.7 ns". */
export function stepText(ns) {
  return ns >= 1e3 ? `${Number((ns / 1e3).toPrecision(3))} µs` : `${Number(ns.toPrecision(3))} ns`;
}

/** Formats a source line: "model.py:12 in forward". */
export function sourceText(source) {
  return source ? `${source.file.split('/').pop()}:${source.line} in ${source.function}` : '';
}

/** Returns "linear" for "aten.linear.default". */
export function shortOp(op) {
  const parts = op.split('.');
  return parts.length >= 3 ? parts.slice(1, -1).join('.') : parts[parts.length - 1] || op;
}

/** Returns "Linear" for "torch.nn.modules.linear.Linear". */
export function shortType(type) {
  return type.split('.').pop();
}

/** Formats seconds since 1970 as "2026-11-22 14:05", in the reader's time zone. */
export function dateText(seconds) {
  const date = new Date(seconds * 1e3), two = number => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
