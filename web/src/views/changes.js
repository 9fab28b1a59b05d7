// SPDX-License-Identifier: BSD-3-Clause
//
// changes.js - what changed against the base, for all views: rows of the library's comparison by node, module, line and
// backend, and its verdicts in words. Nothing is judged here.

import {computed} from '@preact/signals';

import {baseMethod, comparedMethod, method} from '../base/app.js';
import {hueOfVerdict, isLikely} from '../base/colours.js';
import {grouped} from '../base/columns.js';
import {relativeText} from '../base/format.js';
import {html} from '../base/html.js';

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
  untimed: 'not timed on both sides',
};
const SIGNS = {slower: '▲ ', faster: '▼ ', likely_slower: '△ ', likely_faster: '▽ ', new: '▲ ', gone: '▼ '};

/** Returns a verdict in words. */
export const verdictText = verdict => WORDS[verdict] ?? verdict ?? '';

/** A verdict in words, with a sign and its colour. */
export const Verdict = ({verdict}) =>
  verdict
    ? html`<span class=${`verdict ${hueOfVerdict(verdict)}${isLikely(verdict) ? ' likely' : ''}`}>
      ${SIGNS[verdict] ?? ''}${verdictText(verdict)}</span>`
    : null;

/** Formats the interval [-0.043, 0.132] as "−4.3 … +13 %"; a side without a bound stays empty. */
export function intervalText(interval) {
  if (!interval) return '';
  const [low, high] = interval.map(bound =>
    bound === null || bound <= -1 ? '' : relativeText(bound).replace(/ %$/, ''),
  );
  return `${low} … ${high} %`;
}

/* The sum of rows of the comparison: what one row says, or without a verdict the sum of several. */
function sumOfRows(rows) {
  if (!rows?.length) return undefined;
  if (rows.length === 1) return rows[0];
  const sum = of => rows.reduce((all, row) => all + (of(row) ?? 0), 0),
    base = sum(baseOf),
    change = sum(changeOf),
    verdicts = new Set(rows.map(({verdict}) => verdict));
  return {
    base_typical: base,
    new_typical: sum(newOf),
    change_typical: change,
    relative_change: base > 0 ? change / base : NaN,
    interval: null,
    verdict: verdicts.size === 1 ? rows[0].verdict : null,
  };
}

/* The pattern of a node's module, as the library has it; of what is gone, that of the base. */
function patternOf({new_module: own, base_module: gone}) {
  const find = (shown, path) => shown?.modulesByPath.get(path ?? '')?.pattern;
  return (own === null || own === undefined ? find(baseMethod.value, gone) : find(method.value, own)) ?? own ?? gone ?? '';
}

/** The rows of the comparison by what a row of a table stands for: functions of that row. */
export const changesBy = computed(() => {
  const answer = comparedMethod.value;
  const nodes = grouped(
    (answer?.nodes ?? []).filter(({verdict}) => verdict !== 'untimed'),
    node => `${patternOf(node)}\n${node.op}`,
  );
  const byKey = (list, key) => new Map((list ?? []).map(row => [row[key] ?? '', row]));
  const modules = byKey(answer?.by_module, 'module'),
    patterns = byKey(answer?.by_pattern, 'pattern'),
    lines = byKey(answer?.by_source, 'source'),
    backends = byKey(answer?.by_backend, 'backend');
  const whole = row => row?.with_children ?? row;
  return {
    row: row => (row.kind === 'operator' ? sumOfRows(nodes.get(`${row.pattern}\n${row.op}`)) : undefined),
    module: row => whole(row.modules.length > 1 ? patterns.get(row.key) : modules.get(row.modules[0]?.path ?? '')),
    source: row => lines.get(row.key) ?? lines.get(row.label),
    backend: row => backends.get(row.key),
  };
});
