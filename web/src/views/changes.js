// SPDX-License-Identifier: BSD-3-Clause
//
// changes.js - what changed against the base, for all views: rows of the library's comparison by node, module, line and
// backend, and its verdicts in words. Nothing is judged here.

import {computed} from '@preact/signals';

import {baseMethod, comparedMethod, method, timeOf, unitName} from '../base/app.js';
import {hueOf, hueOfVerdict, isLikely} from '../base/colors.js';
import {relativeText} from '../base/format.js';
import {html} from '../base/html.js';
import {shortOp} from '../base/labels.js';
import {CPU, placeOf} from '../base/method.js';
import {INTERRUPTIONS, partFilter, partRows, timeOfGroup} from '../base/rows.js';

/** The times of a row of the comparison on both sides, and its change, in ns: of the typical run. */
export const baseOf = row => row.base_typical ?? row.base_p50 ?? row.base_avg ?? null;
export const newOf = row => row.new_typical ?? row.new_p50 ?? row.new_avg ?? null;
export const changeOf = row => (newOf(row) ?? 0) - (baseOf(row) ?? 0);

const WORDS = {
  slower: 'slower',
  faster: 'faster',
  equal: 'equal',
  likely_slower: 'likely slower',
  likely_faster: 'likely faster',
  likely_equal: 'likely equal',
  cannot_tell: 'cannot tell',
  new: 'new',
  gone: 'gone',
  untimed: 'untimed',
};
const SIGNS = {slower: '▲ ', faster: '▼ ', likely_slower: '△ ', likely_faster: '▽ ', new: '▲ ', gone: '▼ '};

/** Returns a verdict in words. */
export const verdictText = verdict => WORDS[verdict] ?? verdict ?? '';

/** A verdict in words, with a sign and its color. */
export const Verdict = ({verdict}) =>
  verdict
    ? html`<span class=${`verdict ${hueOfVerdict(verdict)}${isLikely(verdict) ? ' likely' : ''}`}>
      ${SIGNS[verdict] ?? ''}${verdictText(verdict)}</span>`
    : null;

/** Formats the interval of a row, [-0.043, 0.132], as "−4.3 … +13 %". A side without a bound stays empty and, where
    nothing can be told, so does one of ten times or more: C has the same rule. */
export function intervalText(row) {
  const [low, high] = (row?.interval ?? []).map(bound =>
    Math.abs(Math.log10(1 + (bound ?? NaN))) < (row.verdict === 'cannot_tell' ? 1 : Infinity)
      ? relativeText(bound).replace(' %', '')
      : '',
  );
  return low || high ? `${low} … ${high} %` : '';
}

/** Formats a row of the comparison: "0.436 → 0.0768 ms, ▼ faster". */
export function bothTimes(row) {
  if (!row) return '';
  const [base, now] = [baseOf(row), newOf(row)].map(ns => (ns === null ? 'none' : timeOf(ns)));
  return `${base} → ${now} ${unitName.value}, ${SIGNS[row.verdict] ?? ''}${verdictText(row.verdict)}`;
}

const byKey = (list, keyOf) => new Map((list ?? []).map(row => [keyOf(row), row]));
const whole = row => row?.with_children ?? row;

/* Changes of parts by the filters of their rows: the comparison has whole parts; of kernels and phases in them both
   sides have rows, here with interruptions, as the comparison has all times; nothing judges these. */
function changesOfParts(parts = []) {
  const found = byKey(parts, partFilter);
  for (const [side, {groups = []}] of [
    ['base_typical', baseMethod.value ?? {}],
    ['new_typical', method.value ?? {}],
  ])
    for (const group of groups)
      if (group.pattern === null && group.part !== INTERRUPTIONS) {
        const filter = partFilter(group);
        found.set(filter, {...found.get(filter), [side]: timeOfGroup(group, true)});
      }
  return found;
}

/**
 * The rows of the comparison by what a row of a table, a box or a group stands for: a module or a pattern with all
 * below it.
 */
export const changesBy = computed(() => {
  const {
      by_module,
      by_pattern,
      by_source,
      by_backend,
      by_pattern_op,
      by_kernel,
      by_events,
      parts: all,
    } = comparedMethod.value ?? {},
    parts = changesOfParts(all),
    modules = byKey(by_module, row => row.module),
    patterns = byKey(by_pattern, row => row.pattern),
    operators = byKey(by_pattern_op, row => `${row.pattern}\n${row.op}`),
    lines = byKey(by_source, row => row.source),
    kernels = byKey(by_events ? by_kernel : null, row => `${row.kernel}\n${row.backend}`), // of ETDumps alone
    backends = byKey(by_backend, row => row.backend);
  return {
    path: path => whole(modules.get(path)),
    pattern: pattern => whole(patterns.get(pattern)),
    own: pattern => patterns.get(pattern),
    row: row => {
      if (row.kind !== 'operator')
        return row.change ?? kernels.get(`${row.op}\n${row.backend}`) ?? parts.get(row.filter);
      return row.change ?? operators.get(`${row.pattern}\n${row.op}`);
    },
    module: row => {
      if (row.change || row.modules.length === 0) return row.change ?? modules.get('');
      return whole(row.modules.length > 1 ? patterns.get(row.key) : modules.get(row.modules[0].path));
    },
    source: row => row.change ?? lines.get(row.key) ?? lines.get(row.label),
    backend: row => row.change ?? backends.get(row.key),
  };
});

/* What only the base has, as rows of a table. */
const goneRow = (kind, label, change, rest) => ({
  kind,
  key: label,
  label,
  change,
  rows: [],
  modules: [],
  pattern: '',
  count: NaN,
  time: NaN,
  own: NaN,
  min: NaN,
  max: NaN,
  estimated: 0,
  hue: 'runtime',
  filter: '',
  ...rest,
});

/**
 * The rows of the comparison with a time in the base of which no row of `made` stands: what is gone, or was not timed
 * here. As rows of that table.
 */
export function goneRows(kind, made, isFolded) {
  const {
      by_module = [],
      by_pattern = [],
      by_source = [],
      by_backend = [],
      by_pattern_op = [],
      by_events: isEvents,
    } = comparedMethod.value ?? {},
    of = changesBy.value[kind === 'operator' ? 'row' : kind],
    shown = new Set(of && made.map(of));
  const gone = (list, rowOf) =>
    list.filter(row => baseOf(whole(row)) > 0 && !shown.has(whole(row)) && !shown.has(row)).map(rowOf);
  if (kind === 'operator') {
    const {groups = []} = baseMethod.value ?? {};
    const operators = gone(by_pattern_op, row => {
      const {pattern, op} = row,
        ran = groups.find(group => group.op === op && group.pattern === (row.base_key ?? pattern)),
        backend = ran && (ran.backend ?? CPU);
      const hue = backend ? hueOf(placeOf(method.value.operators, backend)) : 'runtime';
      return goneRow(kind, shortOp(op), row, {key: `${pattern}\n${op}`, pattern, op, backend, hue});
    });
    const parts =
      isEvents || !baseMethod.value
        ? []
        : partRows(baseMethod.value, {stat: 'typical', whole: 0, of: null, isRecorded: true});
    const goneParts = parts
      .filter(row => row.time > 0 && !(newOf(of(row)) > 0) && !shown.has(of(row)))
      .map(row => {
        const {key, label, part, isComputing, op, backend, hue} = row;
        return goneRow('part', label, of(row), {key, part, isComputing, op, backend, hue});
      });
    return [...operators, ...goneParts];
  }
  if (kind === 'module')
    return gone(
      (isFolded ? by_pattern : by_module).filter(row => (row.module ?? row.pattern) !== ''),
      row => goneRow(kind, row.module ?? row.pattern, whole(row)),
    );
  if (kind === 'source') return gone(by_source, row => goneRow(kind, row.source || '(not recorded)', row));
  return kind === 'backend' ? gone(by_backend, row => goneRow(kind, row.backend, row)) : [];
}
