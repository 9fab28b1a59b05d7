// SPDX-License-Identifier: BSD-3-Clause
//
// format.js - formats numbers. Times are given in nanoseconds; the page shows all of them in one unit, with as many
// decimals as the command prints.

export const UNITS = {
  ms: {name: 'ms', ns: 1e6, decimals: 4},
  us: {name: 'µs', ns: 1e3, decimals: 1},
  ns: {name: 'ns', ns: 1, decimals: 0},
  s: {name: 's', ns: 1e9, decimals: 7},
  cycles: {name: 'cycles', ns: 1, decimals: 0},
};

// Formats are kept, because making one takes as long as formatting hundreds of numbers.
const formats = [],
  formatOf = digits =>
    (formats[digits] ??= new Intl.NumberFormat('en-US', digits ? {maximumSignificantDigits: digits} : {}));

/** Formats a count: "1,234". */
export const numberText = count => formatOf(0).format(count);

/* "1590", and "128,000" of long numbers, such as of cycles. */
const plainOrGrouped = value => (Math.abs(value) < 1e4 ? String(value) : numberText(value));

/** The size of a unit in ns; `ticksPerSecond` is the ETDump's clock, for cycles. */
export const sizeOf = (unit, ticksPerSecond = 1e9) => (unit === 'cycles' ? 1e9 / ticksPerSecond : UNITS[unit].ns);

/** The unit in which a page shows all times: microseconds below 1 ms in all, milliseconds below 10 s. */
export const unitFor = ns => (ns >= 1e10 ? 's' : ns >= 1e6 || !(ns > 0) ? 'ms' : 'us');

/** The last digit that is shown of a time of `whole`: three digits are. Both are in one unit. */
export const lastDigitOf = whole => 10 ** (Math.floor(Math.log10(whole) + 1e-9) - 2);

/* A power of ten that is not below a value; 0 of 0. */
const powerFrom = value => (value > 0 ? 10 ** Math.ceil(Math.log10(value) - 1e-9) : 0);

/**
 * Returns the last digit that is shown of a time. `last` is that of the whole: parts below a hundred of it get one
 * more. No digit is finer than `grain`, the step of the clock. All are in one unit.
 */
export function digitOf(value, last, grain = 0) {
  const ofValue = value === 0 ? 0 : lastDigitOf(Math.abs(value));
  return Math.max(Math.abs(value) >= 99.5 * last ? Math.max(last, ofValue) : last / 10, powerFrom(grain));
}

/** Formats a number to a last digit, a power of ten: "913", "42.7"; "<0.001" for what is less but not nothing. */
export function digitText(value, digit) {
  if (value === 0) return '0';
  if (Math.abs(value) < digit / 2) return `<${digitText(digit, digit)}`;
  const decimals = Math.round(-Math.log10(digit));
  if (decimals > 0) return value.toFixed(decimals);
  return plainOrGrouped(Math.round(value / digit) * digit);
}

/**
 * Formats a time in ns in a unit, without the unit's name; "–" if it is unknown. `whole` ns set the digits, and `grain`
 * ns are the step of the clock; without a whole all digits are shown that the command prints.
 */
export function timeText(ns, unit, {ticksPerSecond = 1e9, whole = 0, grain = 0} = {}) {
  if (ns === null || ns === undefined || !Number.isFinite(ns)) return '–';
  const size = sizeOf(unit, ticksPerSecond),
    value = ns / size;
  if (unit === 'cycles') return plainOrGrouped(Math.round(value)); // counted, not measured
  if (!(whole > 0)) return value.toFixed(UNITS[unit].decimals);
  return digitText(value, digitOf(value, lastDigitOf(whole / size), grain / size));
}

/**
 * Returns the mark before a sum of `ns`, of which `estimated` ns are estimated: "≈ " if that is at least 1 % of it, as
 * in what commands print.
 */
export const about = (estimated, ns) => (estimated > 0 && estimated >= 0.01 * ns ? '≈ ' : '');

/** Formats what a change could save, in two digits because it is a guess: "300 – 450", "up to 130", "11". */
export function savingText({low, high}, unit, ticksPerSecond = 1e9) {
  const two = ns => plainOrGrouped(Number((ns / sizeOf(unit, ticksPerSecond)).toPrecision(2)));
  if (high === null || high === undefined) return '';
  if (low === null || low === undefined || low === 0) return `up to ${two(high)}`;
  return two(low) === two(high) ? two(high) : `${two(low)} – ${two(high)}`;
}

/**
 * Formats a rate or a count with three significant digits, from 10,000 on with k, M, G or T: "0.0123", "12.3", "4,321",
 * "8.62 M"; "–" if it is unknown.
 */
export function rateText(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  const units = ['', ' k', ' M', ' G', ' T'],
    unit = value < 1e4 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3));
  return `${formatOf(unit ? 3 : Math.max(3, String(Math.trunc(value)).length)).format(
    value / 1000 ** unit,
  )}${units[unit]}`;
}

/** Formats a share in whole percent, with a decimal below 1 %: "76 %", "0.4 %", "<0.1 %". */
export function shareText(part, whole) {
  const percent = (100 * part) / whole;
  if (!(whole > 0) || part === null || !Number.isFinite(percent)) return '–';
  if (percent !== 0 && Math.abs(percent) < 0.05) return '<0.1 %';
  return `${Math.abs(percent) >= 0.95 || percent === 0 ? Math.round(percent) : percent.toFixed(1)} %`;
}

/** Formats a relative change: "+12 %", "−0.4 %". */
export function changeText(from, to) {
  return from > 0 ? relativeText((to - from) / from) : '–';
}

/** Formats a relative change, 0.12 as "+12 %", with a decimal below 10 %, and near -100 %; "" if unknown. */
export function relativeText(change) {
  if (!Number.isFinite(change)) return '';
  const percent = change < 10 ? 100 * change : Number((100 * change).toPrecision(3)),
    decimals = Math.abs(change) < 0.0995 || (change < -0.995 && change > -0.9995) ? 1 : 0;
  return `${signOf(percent.toFixed(decimals))} %`;
}

/** Puts a plus sign, or a minus sign of the same width, before the text of a number. */
export function signOf(text) {
  if (Number(text) === 0 || text.startsWith('<') || text === '–') return text.replace('-', '');
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

/** Formats the place of a source line: "model.py:12". */
export const lineText = source => (source ? `${source.file.split('/').pop()}:${source.line}` : '');

/** Formats a source line: "model.py:12 in forward". */
export const sourceText = source => (source ? `${lineText(source)} in ${source.function}` : '');

/** Returns "Linear" for "torch.nn.modules.linear.Linear". */
export function shortType(type) {
  return type.split('.').pop();
}

/** Formats seconds since 1970 as "2026-11-22 14:05", in the reader's time zone. */
export function dateText(seconds) {
  const date = new Date(seconds * 1e3),
    two = number => String(number).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
