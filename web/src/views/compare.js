// SPDX-License-Identifier: BSD-3-Clause
//
// compare.js - the view that compares two records, and what other views say of a comparison. The library pairs their nodes and decides the verdicts (schema/diff.schema.json).

import {askedBase, baseMethod, bases, compared, comparedMethod, explain, isHitRow, labelOf, method, profile, selectRow, selectedRows, shownRun, timeOf, unitName} from '../base/app.js';
import {sortRows} from '../base/columns.js';
import {changeText, countText, numberText, shareText, signOf} from '../base/format.js';
import {html} from '../base/html.js';
import {CPU, PART_TEXTS, TOP_LEVEL} from '../base/method.js';
import {set} from '../base/store.js';
import {Choice, Link, changeOfTimes, timeColumn} from '../parts/bits.js';
import {SmallTable} from '../parts/table.js';

const MOST_ROWS = 300, MOST_GROUPS = 10, NOISY = 0.1; // NOISY: the cv of runs above which a warning stands before the first number

export const VERDICTS = {slower: 'slower', faster: 'faster', equal: 'equal', cannot_tell: 'cannot tell', new: 'new', gone: 'gone', untimed: 'not timed on both sides'};

export const Verdict = ({verdict}) => html`<span class=${`badge verdict ${verdict}`}>${VERDICTS[verdict]}</span>`;

/** Formats the interval [-0.043, 0.132] as "−4.3 … +13.2 %"; a side without a bound stays empty. */
export function intervalText(interval) {
  if (!interval) return '';
  const [low, high] = interval.map(bound => (bound === null || bound <= -1 ? '' : signOf((100 * bound).toFixed(1))));
  return `${low} … ${high} %`;
}

const changeCell = (from, to) => `${changeOfTimes(from, to)}${from > 0 ? ` (${changeText(from, to)})` : ''}`;

/** Returns the nodes that were timed on either side, largest change of the median first. A node on one side only counts with its whole time. */
export function timedNodes(nodes) {
  return sortRows(nodes.filter(node => node.base_runs > 0 || node.new_runs > 0), node => Math.abs((node.new_p50 ?? 0) - (node.base_p50 ?? 0)), true);
}

const PARTS = {delegate_only: 'in delegates, on no node', framework: PART_TEXTS.runtime, unexplained: PART_TEXTS.unexplained, load: 'load, once'};

/* Returns rows of medians, because verdicts compare medians: the largest groups, the sum of the other groups, and the time outside operators. */
function explainedRows({explained: {rows}}) {
  const groups = rows.filter(({kind}) => !PARTS[kind] && kind !== 'rest'), more = groups.slice(MOST_GROUPS), sum = key => more.reduce((all, row) => all + (row[key] ?? 0), 0);
  const row = (text, {base_p50: base, new_p50: other, verdict}) => ({text, base, other, verdict});
  return [
    ...groups.slice(0, MOST_GROUPS).map(group => row(group.key || TOP_LEVEL, group)),
    ...(more.length ? [row(`${numberText(more.length)} more, sum of their medians`, {base_p50: sum('base_p50'), new_p50: sum('new_p50')})] : []),
    ...rows.filter(({kind, base_p50: base, new_p50: other}) => PARTS[kind] && (base || other)).map(part => row(PARTS[part.kind], part)),
  ];
}

/* The columns "change" and "verdict", which a comparison of two models lacks. */
const judged = (differs, columns) => (differs ? [] : columns);

function TotalsTable({answer}) {
  const {execute, may_differ: differs} = answer;
  const rows = [{text: 'Method::execute', base: execute.base_p50, other: execute.new_p50, verdict: execute.verdict}, ...explainedRows(answer)];
  return html`<${SmallTable} caption=${`Medians per inference${isPooled(execute) ? ', means of recordings' : ', over runs'}`} command="etrecord-tb diff BASE RECORD" rows=${rows} columns=${[
    {key: 'part', title: 'part', class: 'key', text: row => row.text},
    timeColumn('base', 'base', `${centreText(execute)}, of the base`, row => row.base), timeColumn('this', 'this', `${centreText(execute)}, of this record`, row => row.other),
    ...judged(differs, [{key: 'change', title: 'change', hint: `this less the base, in ${unitName.value}, and as a part of the base`, number: true, text: row => changeCell(row.base ?? 0, row.other ?? 0)}, {key: 'verdict', title: 'verdict', text: row => VERDICTS[row.verdict] ?? '', cell: row => (row.verdict ? html`<${Verdict} verdict=${row.verdict} />` : '')}]),
  ]} />`;
}

const LEAST_RECORDINGS = 3; // of each side, from which the library compares their medians: etr_change in lib/etrecord_compare.h

/** Whether the medians of a comparison are those of recordings: not those over all runs, which other views show. */
export const isPooled = execute => Math.min(execute.base_recordings, execute.new_recordings) >= LEAST_RECORDINGS;

/** What the medians of a comparison are. */
export const centreText = execute => (isPooled(execute) ? 'geometric mean of the recordings’ medians, where other views show the median over all runs' : 'median over runs');

/* Returns "a", or "a → b" if the two sides differ. */
const eitherText = (from, to) => (from === to || !from || !to ? to || from || '' : `${from} → ${to}`);

const timedOn = node => [node.base_runs > 0 ? node.base_backend ?? CPU : null, node.new_runs > 0 ? node.new_backend ?? CPU : null];

const cut = text => html`<span class="cut" title=${text}>${text}</span>`;

function NodesTable({answer}) {
  const differs = answer.may_differ, nodes = timedNodes(answer.nodes).filter(node => !differs || (node.base_runs > 0 && node.new_runs > 0)), chosen = selectedRows.value;
  const rows = node => (node.new_node >= 0 && node.new_node < method.value.operators.count ? [node.new_node] : undefined);
  if (nodes.length === 0) return html`<p class="note">${differs ? 'No operator was timed and found on both sides.' : 'No operator was timed in either record.'}</p>`;
  const caption = `${differs ? 'Operators found on both sides' : 'Operators, largest change of the median first'}${nodes.length > MOST_ROWS ? ` (${numberText(nodes.length)})` : ''}`;
  return html`<${SmallTable} caption=${caption} rows=${nodes} most=${MOST_ROWS} open=${node => node.new_node !== null && node.new_node >= 0 && node.new_node < method.value.operators.count && selectRow(node.new_node)} isChosen=${node => chosen?.[node.new_node] === 1} isHit=${node => isHitRow(node.new_node)}
    command=${`etrecord-tb diff BASE RECORD --top 0`} columns=${[
    {key: 'op', title: 'operator', class: 'key', text: node => node.op},
    timeColumn('base', 'base p50', `${centreText(answer.execute)}, of the base`, node => node.base_p50, {rows, stat: 'p50'}), timeColumn('this', 'this p50', `${centreText(answer.execute)}, of this record`, node => node.new_p50, {rows, stat: 'p50'}),
    ...judged(differs, [{key: 'change', title: 'change', hint: `this less the base, in ${unitName.value}, and as a part of the base`, number: true, text: node => changeCell(node.base_p50 ?? 0, node.new_p50 ?? 0)}, {key: 'verdict', title: 'verdict', text: node => VERDICTS[node.verdict], cell: node => html`<${Verdict} verdict=${node.verdict} />`},
      {key: 'between', title: 'between', hint: 'interval in which the relative change lies', number: true, text: node => intervalText(node.interval)}]),
    {key: 'module', title: 'module', class: 'key', text: node => node.new_module ?? node.base_module ?? '', cell: node => cut(node.new_module ?? node.base_module ?? '')},
    {key: 'node', title: 'node', class: 'key quiet', text: node => eitherText(node.base_name, node.new_name)},
    {key: 'backend', title: 'backend', class: 'key', text: node => eitherText(...timedOn(node))},
  ]} />`;
}

const LEGEND = 'A row is slower or faster if its interval is on one side of 0, as in `etrecord-tb diff`. At most 5 % of these verdicts are expected to be due to chance.';

/* Warns if inputs, types or backends differ, so that the records cannot be compared directly. */
function differencesText({differences}) {
  const words = {input: 'input', dtype: 'types', backend: 'backend'}, none = {input: 'none', dtype: 'none', backend: CPU};
  return differences.filter(({kind}) => words[kind]).map(({kind, name, base, new: newer}) => `${[words[kind], name].filter(Boolean).join(' ')} ${base || none[kind]} → ${newer || none[kind]}`).join(', ');
}

const sideText = (recordings, runs) => `${countText(recordings, 'recording')} with ${countText(runs, 'run')}`;

/* The lines above the tables. They contain no verdict if the two records may be of different models. */
function Headline({answer}) {
  const {execute, timed_nodes: timed, timed_paired: paired, may_differ: differs, by_events: events, verdict_text: verdict, reason_text: reason, base, new: newer} = answer, differences = differencesText(answer);
  const linedUp = `${numberText(paired)} of ${countText(timed, events ? 'timed event' : 'timed operator')} were paired`, runs = `${sideText(execute.base_recordings, execute.base_runs)} against ${sideText(execute.new_recordings, execute.new_runs)}`;
  const medians = html`${isPooled(execute) ? 'Mean of the recordings’ medians' : 'Median over runs'} ${timeOf(execute.base_p50)} → ${timeOf(execute.new_p50)} ${unitName.value}`, steadiness = [['the base', base, baseMethod.value], ['this record', newer, method.value]].map(([name, side, {noise} = {}]) => [name, side?.steadiness || (noise?.cv > NOISY ? `noisy, cv ${shareText(noise.cv, 1)}` : '')]).filter(([, said]) => said);
  return html`${differences ? html`<p class="note warning">The two sides differ: ${differences}.</p>` : null}${differs
    ? html`<p class="lead warning differs" role="alert">Only ${linedUp}: these look like two different models, so no change is judged.</p><p class="note" aria-description=${explain(centreText(execute))}>${medians}; ${runs}.</p>`
    : html`${steadiness.length ? html`<p class="lead warning" role="alert">${steadiness.map(([name, said]) => html`<span>Runs of ${name}: ${said}. </span>`)}</p>` : null}
      <p class="lead" aria-description=${explain(`${centreText(execute)}; the bounds are those of the relative change`)}>${medians} <${Verdict} verdict=${execute.verdict} /> ${verdict.replace(/^cannot tell: /, '').replace(/^-/, '−')}</p>${reason ? html`<p class="note">${reason[0].toUpperCase()}${reason.slice(1)}.</p>` : null}
      <p class="note">${runs}; ${linedUp}. ${LEGEND}</p>`}`;
}

/* The comparison lists the methods in the order of the newer document. */
function Answer() {
  const asked = compared.value, answer = comparedMethod.value;
  if (!asked) return html`<p class="note">Choose a base above, or compare with the <${Link} act=${() => set({base: 'auto'})}>newest record of the same model<//>.</p>`;
  if (asked.error) return html`<p class="note error" role="alert">${asked.error}</p>`;
  if (asked.isAlone) return html`<p class="note">No other record of the same model with run times was found in this logdir. Choose any record to compare with it.</p>`;
  if (asked.isLoading || !answer) return html`<p class="note">Loading…</p>`;
  if (answer.execute.base_runs === 0 || answer.execute.new_runs === 0) return html`<p class="note">One of the two records has no run times.</p>`;
  return html`<${Headline} answer=${answer} /><section class="card"><${TotalsTable} answer=${answer} /></section><section class="card"><${NodesTable} answer=${answer} /></section>`;
}

/** A list of the records to compare with. */
export function BaseChoice() {
  const others = bases.value, asked = askedBase.value === 'auto' ? compared.value?.base ?? 'none' : askedBase.value;
  return html`<${Choice} label="Base" class="base" options=${[['none', others.length ? 'no base' : 'no other record'], ...others.map(({run, label}) => [run, `vs ${label}`])]} chosen=${asked} change=${run => set({base: run})} />`;
}

export function CompareView() {
  if (bases.value.length === 0) return html`<p class="note">There is only one record. Write a second one to the same logdir to compare them.</p>`;
  return html`<div class="compare"><div class="toolbar"><span class="count">this: ${labelOf(shownRun.value)} · ${method.value?.name ?? profile.value?.version}</span></div><${Answer} /></div>`;
}
