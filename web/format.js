// SPDX-License-Identifier: BSD-3-Clause
//
// format.js - numbers as texts. Times come in nanoseconds; a page shows all of them in one unit, with the decimals that the command prints.

export const UNITS = {
  ms: {name: 'ms', ns: 1e6, decimals: 4},
  us: {name: 'µs', ns: 1e3, decimals: 1},
  ns: {name: 'ns', ns: 1, decimals: 0},
  s: {name: 's', ns: 1e9, decimals: 7},
  cycles: {name: 'cycles', ns: 1, decimals: 0},
};

/** A time in a unit, without its name; ticksPerSecond is needed for cycles. */
export function timeText(ns, unit, ticksPerSecond = 1e9) {
  if (ns === null || ns === undefined || !Number.isFinite(ns)) return '–';
  const {ns: size, decimals} = UNITS[unit];
  const value = unit === 'cycles' ? ns * (ticksPerSecond / 1e9) : ns / size;
  return value.toFixed(decimals);
}

/** Three significant digits, in thousands from 10,000 on: "0.0123", "12.3", "4,321", "8.62 M"; "–" where it is not known. */
export function rateText(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  const units = ['', ' k', ' M', ' G', ' T'], unit = value < 1e4 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3));
  return `${(value / 1000 ** unit).toLocaleString('en-US', {maximumSignificantDigits: unit ? 3 : Math.max(3, String(Math.trunc(value)).length)})}${units[unit]}`;
}

/** "75.5 %" */
export function shareText(part, whole) {
  return whole > 0 && part !== null ? `${((100 * part) / whole).toFixed(1)} %` : '–';
}

/** "+12.3 %", "−0.4 %" */
export function changeText(from, to) {
  if (!(from > 0)) return '–';
  const change = (100 * (to - from)) / from;
  return `${signOf(change.toFixed(1))} %`;
}

/** A number's text with a plus, or a minus that is as wide. */
export function signOf(text) {
  if (Number(text) === 0) return text.replace('-', '');
  return text.startsWith('-') ? `−${text.slice(1)}` : `+${text}`;
}

/** "9,936,896" */
export function bytesText(bytes) {
  return bytes.toLocaleString('en-US');
}

/** "1 operator", "20 operators" */
export function countText(count, noun) {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}

/** How often something runs per inference: "1", "0.44". */
export function callsText(calls) {
  return calls === 0 ? '–' : String(Number(calls.toFixed(2)));
}

/** "44,507" */
export function cyclesText(cycles) {
  return Math.round(cycles).toLocaleString('en-US');
}

/** "model.py:12 in forward" */
export function sourceText(source) {
  return source ? `${source.file.split('/').pop()}:${source.line} in ${source.function}` : '';
}

/** "linear" of "aten.linear.default" */
export function shortOp(op) {
  const parts = op.split('.');
  return parts.length >= 3 ? parts.slice(1, -1).join('.') : parts[parts.length - 1] || op;
}

/** "Linear" of "torch.nn.modules.linear.Linear" */
export function shortType(type) {
  return type.split('.').pop();
}

/** "2026-11-22 14:05" of seconds since 1970, where the reader is. */
export function dateText(seconds) {
  const date = new Date(seconds * 1e3), two = number => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
