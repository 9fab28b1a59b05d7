// SPDX-License-Identifier: BSD-3-Clause
//
// columns.js - tables of the document as typed arrays. In the document a column is a list, a single value if it is the
// same in all rows, or missing if no row has a value.
// Indices that mostly ascend may be stored as steps, in a column whose name ends so: each as the distance from the one
// before it that is there. It needs no page.

/** A table of `count` rows. Columns are made when they are first asked for, and kept. */
export class Columns {
  /** `table` holds the columns by name; `texts` are the document's texts, to which columns of texts refer by number. */
  constructor(table, count, texts) {
    this.table = table;
    this.count = count;
    this.texts = texts;
    this.kept = new Map();
    this.keptIndices = new Map();
    this.keptKinds = new Map();
  }

  has(key) {
    return this.table[key] !== undefined && this.table[key] !== null;
  }

  /** The value of a cell as it stands in the document; null if there is none. */
  raw(key, row) {
    const column = this.table[key];
    if (column === undefined && this.has(`${key}_step`))
      return this.indices(key)[row] < 0 ? null : this.indices(key)[row];
    return (Array.isArray(column) ? column[row] : column) ?? null;
  }

  make(kind, key, fallback) {
    const column = this.table[key],
      made = new kind(this.count);
    if (!Array.isArray(column)) return made.fill(column ?? fallback);
    for (let row = 0; row < this.count; row++) made[row] = column[row] ?? fallback;
    return made;
  }

  /** Returns a column of numbers, which are NaN where there is none: times in ns, bytes, rates. */
  numbers(key) {
    if (!this.kept.has(key)) this.kept.set(key, this.make(Float64Array, key, NaN));
    return this.kept.get(key);
  }

  /** Returns a column of indices, -1 where there is none. */
  indices(key) {
    const found = this.keptIndices.get(key);
    if (found) return found;
    const made = this.has(`${key}_step`)
      ? fromSteps(this.make(Float64Array, `${key}_step`, NaN))
      : this.make(Int32Array, key, -1);
    this.keptIndices.set(key, made);
    return made;
  }

  /**
   * Returns the kinds of rows that `keyOf(row)` tells apart, kept by a name: {of: the kind of each row, first: a row of
   * each}.
   */
  kinds(name, keyOf) {
    const found = this.keptKinds.get(name);
    if (found) return found;
    const numbers = new Map(),
      first = [],
      of = new Int32Array(this.count);
    for (let row = 0; row < this.count; row++) {
      const key = keyOf(row);
      if (!numbers.has(key)) numbers.set(key, first.push(row) - 1);
      of[row] = numbers.get(key);
    }
    const made = {of, first};
    this.keptKinds.set(name, made);
    return made;
  }

  /** Returns the text of a cell, whether the column has texts or their numbers; null if there is none. */
  text(key, row) {
    const value = this.raw(key, row);
    return typeof value === 'number' ? (this.texts[value] ?? null) : value;
  }
}

/** Returns the indices that are stored as steps; -1 where there is none. */
export function fromSteps(steps) {
  let last = 0;
  return Int32Array.from(steps, step => (Number.isNaN(step) ? -1 : (last += step)));
}

/** Returns the items of a list by key: a Map of lists. */
export function grouped(list, keyOf) {
  const groups = new Map();
  for (const item of list) {
    const key = keyOf(item);
    if (groups.has(key)) groups.get(key).push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Returns the row numbers 0, 1, ... count - 1. */
export function allRows(count) {
  return Int32Array.from({length: count}, (_, row) => row);
}

/** Returns the numbers of the rows that pass. */
export function rowsWhere(count, passes) {
  const rows = new Int32Array(count);
  let length = 0;
  for (let row = 0; row < count; row++) if (passes(row)) rows[length++] = row;
  return rows.slice(0, length);
}

/** Returns the sum of a column over rows; what is NaN does not count. */
export function sumOver(column, rows) {
  let sum = 0;
  for (const row of rows) if (column[row] > 0 || column[row] < 0) sum += column[row];
  return sum;
}

/** Returns the median of values that are sorted, the mean of the two in the middle; NaN of none. */
export function medianOf(sorted) {
  const half = sorted.length >> 1;
  return sorted.length === 0 ? NaN : sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/* Compares numbers in names by value, so that layer 2 comes before layer 10, as etr_natural_compare() does. */
const names = new Intl.Collator('en', {numeric: true});
export const compareNames = names.compare;

const isMissing = value => value === null || value === undefined || value === '' || Number.isNaN(value);

/**
 * Returns rows sorted by the value of each. Rows without a value come last in either direction; equal rows keep their
 * order.
 */
export function sortRows(rows, value, descending) {
  const keyed = Array.from(rows, (row, index) => ({row, index, value: value(row)}));
  keyed.sort((a, b) => {
    if (isMissing(a.value) || isMissing(b.value))
      return Number(isMissing(a.value)) - Number(isMissing(b.value)) || a.index - b.index;
    const order = typeof a.value === 'number' ? a.value - b.value : names.compare(a.value, b.value);
    return (descending ? -order : order) || a.index - b.index;
  });
  return keyed.map(entry => entry.row);
}
