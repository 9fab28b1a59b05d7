// SPDX-License-Identifier: BSD-3-Clause
//
// compare.js - the view that compares two records: the verdict, from the base to this record step by step, the same
// modules on one scale, and what changed in each. The library pairs nodes, sums and judges (schema/diff.schema.json).

import {
  askedBase,
  bases,
  compared,
  comparedMethod,
  comparesInterruptions,
  explain,
  isHitRow,
  nameOfRecord,
  method,
  records,
  select,
  selectRow,
  selectedRows,
  source,
  timeOf,
  timeWithUnit,
  unitName,
} from '../base/app.js';
import {compareNames, sortRows} from '../base/columns.js';
import {hueOfVerdict, inkOn, isLikely, mixed} from '../base/colors.js';
import {recordLabel} from '../base/document.js';
import {countText, numberText, relativeText} from '../base/format.js';
import {html} from '../base/html.js';
import {fitted, headOf, relativePath, sentence, shortBackend, shortOp} from '../base/labels.js';
import {CPU, TOP_LEVEL} from '../base/method.js';
import {COMPUTING, PART_BOX_NAMES, partBox} from '../base/rows.js';
import {declare, flag, get, set} from '../base/store.js';
import {Bold, Choice, Link, changeOfTime, commandOf, timeColumn} from '../parts/bits.js';
import {room} from '../parts/room.js';
import {SmallTable} from '../parts/table.js';
import {neutral, theme, widthsOf} from '../parts/theme.js';
import {Verdict, baseOf, changeOf, intervalText, newOf, verdictText} from './changes.js';
import {AddRecords, Records} from './records.js';

declare({nodes: flag(false)}); // whether the table of nodes is open

const MOST_STEPS = 7,
  MOST_MODULES = 40,
  MOST_NODES = 300;

/* ---- The sentence ---- */

/** Returns the library's verdict, ", 55 % faster (between 12 and 78 %)"; '' unless the time changed. */
export const ratioText = answer =>
  /er$/.test(answer.execute.verdict) && !answer.may_differ ? `, ${answer.verdict_text}` : '';

/** Returns the library's sentence about what changed, or its verdict if nothing can be said about that. */
export const headline = ({answer, verdict_text: verdict}) =>
  sentence((answer?.text ?? verdict).replace(/-(?=\d)/g, '−').replace(/ us\b/g, ' µs'));

const LONGEST = 16; // letters of a record's name that heads of columns and bars have room for

/** Returns two names without the folders that both are in, each by its end or, where both end alike, by its start. */
export function shortNames(base, name) {
  const folders = base.split('/'),
    others = name.split('/'),
    shared = folders.findIndex((folder, at) => folder !== others[at]),
    both = [folders, others].map(parts => parts.slice(Math.max(0, shared)).join('/') || parts.at(-1));
  const ways = [
    text => (text.length > LONGEST ? `…${text.slice(1 - LONGEST)}` : text),
    text => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text),
  ];
  return ways.map(cut => both.map(cut)).find(([a, b]) => a !== b) ?? ['base', 'this'];
}

/** How both records are called, {base, name}, and in little room {shortBase, shortName}. */
export function sideNames() {
  const name = nameOfRecord(method.value.run),
    base = nameOfRecord(compared.value.base),
    [shortBase, shortName] = shortNames(base, name);
  return {base, name, shortBase, shortName};
}

const withInterruptions = () => (comparesInterruptions.value ? ', with interruptions' : '');

const sideText = (name, recordings, runs, skipped) =>
  `${name}: ${countText(recordings, 'recording')}, ${countText(runs, 'run')}${
    skipped ? `, ${numberText(skipped)} more left out` : ''
  }`;

const folderOf = run => recordLabel(run).replace(/\/?[^/]*$/, '');

/** Returns the runs that one write made beside a run, which are its ETDumps: "a/etdump-1", "a/etdump-2". */
export function recordsBeside(all, run) {
  const {written} = all.find(record => record.run === run);
  return all.filter(record => record.written === written && folderOf(record.run) === folderOf(run));
}

/* Says how to compare all ETDumps of a record: they are runs of their own, unless it was written with a step. Runs of
   a report are in no folder. */
function DumpsNote() {
  const {run} = method.value,
    folder = folderOf(run),
    dumps = recordsBeside(records.value, run).length;
  return folder && dumps > 1
    ? html`<p class="note">One of ${dumps} recordings of ${folder}. <code>etrecord-tb diff</code>,
      or this page after <code>write --step 1</code>, compares all.</p>`
    : null;
}

function Hero({answer}) {
  const {execute, base, new: newer} = answer,
    names = sideNames(),
    reason = answer.reason_text ?? (execute.assumes?.includes('in_turns') ? 'assumed: recorded in turns' : '');
  const sides = [
    [names.shortBase, base],
    [names.shortName, newer],
  ];
  const steadiness = sides
    .filter(([, side]) => side?.steadiness)
    .map(([name, side]) => `Runs of ${name}: ${side.steadiness}.`);
  return html`<section class="hero"><div><h1 aria-description=${explain('typical time of Method::execute')}>
    ${timeWithUnit(newOf(execute))} per inference${ratioText(answer)}</h1>
      <p class="answer" aria-description=${explain('sums of what changed')}><${Bold} text=${headline(answer)} /></p></div>
    <div class="runs small"><div class="lead" aria-description=${explain('typical time of Method::execute')}><${Verdict}
      verdict=${execute.verdict} /> ${timeOf(baseOf(execute))} → ${timeWithUnit(newOf(execute))}</div>
      <div>${sideText(names.shortBase, execute.base_recordings, execute.base_runs, base?.skipped_runs)}</div>
      <div>${sideText(names.shortName, execute.new_recordings, execute.new_runs, newer?.skipped_runs)}</div>
      ${answer.odd_text ? html`<div>${answer.odd_text}</div>` : null}
      <div>${reason}</div></div></section>
    ${
      answer.unlike_text
        ? html`<p class="note warning" role=${answer.may_differ ? 'alert' : null}>${answer.unlike_text}.</p>`
        : null
    }
    ${steadiness.length ? html`<p class="note warning" role="alert">${steadiness.join(' ')}</p>` : null}
      <${DumpsNote} />`;
}

/* ---- From the base to this record ---- */

/* Returns "add, div, clamp"; of more than three the first two and "4 more". */
const listText = names => (names.length > 3 ? [...names.slice(0, 2), `${names.length - 2} more`] : names).join(', ');

/* Parts of the time that are calls of delegates, and what delegates insert. */
const CALLS = ['call_overhead', 'inserted'];

/* The parts whose time is in the rows of operators: without a graph on both sides rows are events, also inserted
   ones. */
const partsOfRows = ({by_events: isEvents}) =>
  isEvents ? ['operators', 'operators_unplaced', 'inserted'] : ['operators'];

/* Rows by operator, without a graph by kernel or event. */
const operatorRows = ({by_events: isEvents, by_kernel: kernels, by_op: operators}) =>
  isEvents && kernels?.length ? kernels : (operators ?? []);

const nameOf = ({kernel, op}) => shortOp(kernel ?? op);

/* The parts whose time is in no row by operator. */
const otherParts = answer => (answer.parts ?? []).filter(({part}) => !partsOfRows(answer).includes(part));

/* The verdict of several, if it is the same. */
const sharedVerdict = ([{verdict}, ...others]) => (others.every(one => one.verdict === verdict) ? verdict : null);

/* How new operators are called as one step: by their names, where these are short. */
const newText = rows =>
  [listText(rows.map(({label}) => label))].find(({length}) => length <= 24) ?? countText(rows.length, 'new operator');

/* One step of several. */
function stepOf(label, list) {
  const sum = key => list.reduce((all, row) => all + row[key], 0);
  return list.length ? [{label, base: sum('base'), change: sum('change'), verdict: sharedVerdict(list)}] : [];
}

/**
 * Returns the steps from the base to this record, the largest first: operator types and parts, as the sentence above
 * has them: new operators are one step, calls and copies are one. They add up to the change.
 */
export function stepsOf(answer, most = MOST_STEPS) {
  const made = (row, label) => ({
    label,
    part: row.part,
    base: baseOf(row) ?? 0,
    change: changeOf(row),
    verdict: row.verdict ?? null,
  });
  const bySize = list => sortRows(list, ({change}) => Math.abs(change), true),
    rows = bySize(operatorRows(answer).map(row => made(row, nameOf(row)))),
    parts = otherParts(answer).map(row => made(row, row.text)),
    calls = answer.by_events ? [] : parts.filter(({part}) => CALLS.includes(part));
  const isNew = ({verdict}) => verdict === 'new';
  const all = bySize(
      [
        ...rows.filter(row => !isNew(row)),
        ...stepOf(newText(rows.filter(isNew)), rows.filter(isNew)),
        ...parts.filter(part => !calls.includes(part)),
        ...stepOf(calls[1] ? 'calls and copies' : calls[0]?.label, calls),
      ].filter(({change}) => change !== 0),
    ),
    shown = all.length > most + 1 ? all.slice(0, most) : all,
    rest = all.slice(shown.length);
  return [...shown, ...stepOf(`${rest.length} others`, rest)];
}

/* The color of a verdict on a picture: likely ones at half strength; gray is what cannot be told, or several. */
const verdictColor = (colors, verdict, part = 1) =>
  mixed(colors.surface, colors[hueOfVerdict(verdict)], isLikely(verdict) ? part / 2 : part);

const ROW = 20;

/** The waterfall: a row for the base, for each step, and for this record. */
export function Waterfall({answer, width, name, baseName, most: mostSteps}) {
  const colors = theme(),
    {execute} = answer,
    steps = stepsOf(answer, mostSteps),
    from = baseOf(execute),
    to = newOf(execute);
  const most = Math.max(
      from,
      to,
      ...steps.map((_, at) => from + steps.slice(0, at + 1).reduce((sum, {change}) => sum + change, 0)),
    ),
    names = Math.min(200, 0.4 * width),
    scale = (width - names - Math.min(150, 0.25 * width)) / most,
    x = ns => names + Math.max(0, ns) * scale,
    widthOf = widthsOf(12);
  let at = from;
  const total = (
    label,
    ns,
    row,
  ) => html`<text x="0" y=${row * ROW + 14} font-size="12" font-weight="600" fill=${colors.text}>
    ${fitted(label, names - 12, widthsOf(12, 600))}</text>
    <rect x=${names} y=${row * ROW + 3} width=${ns * scale} height="14" rx="2" fill=${neutral(colors, 0.72)} /><text
      x=${x(ns) + 8} y=${row * ROW + 14} font-size="12" font-weight="600" fill=${colors.text}>${timeWithUnit(ns)}
      </text>`;
  const drawn = steps.map(({label, change, verdict}, index) => {
    const before = at,
      row = index + 1;
    at += change;
    const left = x(Math.min(before, at)),
      right = x(Math.max(before, at)),
      said = verdict === 'untimed' ? '' : verdictText(verdict);
    return html`<line x1=${x(before)} x2=${x(before)} y1=${row * ROW - 3} y2=${row * ROW + 3} stroke=${colors.quiet}
      stroke-dasharray="2 2" /><text x="0" y=${row * ROW + 14} font-size="12" fill=${colors.text}>
      ${fitted(label, names - 24 - widthOf(said), widthOf)}</text>
      <text x=${names - 12} y=${row * ROW + 14} font-size="12" text-anchor="end" fill=${colors.quiet}>
        ${said}</text><rect x=${left} y=${row * ROW + 3}
          width=${Math.max(2, right - left)} height="14"
        rx="2" fill=${verdictColor(colors, verdict)} />
      <text x=${right + 8} y=${row * ROW + 14} font-size="12" fill=${colors.text}>${changeOfTime(change)}</text>`;
  });
  return html`<svg class="waterfall" width=${width} height=${(steps.length + 2) * ROW} role="img"
    aria-label=${`From ${timeWithUnit(from)} to ${timeWithUnit(to)}: ${steps
      .map(({label, change}) => `${label} ${changeOfTime(change)}`)
      .join(', ')}`}>
    ${total(baseName, from, 0)}${drawn}${total(name, to, steps.length + 1)}</svg>`;
}

/* ---- The same modules, or without a graph operators, on one scale ---- */

const kindOf = answer => (answer.by_events ? 'operator' : 'module');

/* Whether a module is `around`, or in it; all are in the top level, ''. */
const isIn = (module, around) => around === '' || module === around || Boolean(module?.startsWith(`${around}.`));

/**
 * Returns the blocks of both records, [{label, base, now, verdict}]: modules below the common head, or operators, and
 * the parts. They add up to both times.
 */
export function blocksOf(answer) {
  const rows = answer.by_module ?? [],
    longer = row => Math.max(baseOf(row) ?? 0, newOf(row) ?? 0),
    head = headOf(rows.map(row => ({pattern: row.module, typical: longer(row)}))),
    blocks = [];
  for (const row of rows) {
    const {module: path} = row,
      isItself = isIn(head, path);
    if (!isItself && !isIn(head, path.slice(0, Math.max(0, path.lastIndexOf('.'))))) continue; // in a block
    const {verdict, ...times} = isItself ? row : row.with_children;
    blocks.push({
      label: isItself ? `${path || 'forward'} itself` : relativePath(path, head) || path,
      path,
      base: baseOf(times) ?? 0,
      now: newOf(times) ?? 0,
      verdict,
    });
  }
  const ordered = answer.by_events
      ? operatorRows(answer).map(row => ({
          label: nameOf(row),
          base: baseOf(row) ?? 0,
          now: newOf(row) ?? 0,
          verdict: row.verdict,
        }))
      : blocks.sort((a, b) => compareNames(a.path, b.path)),
    parts = otherParts(answer),
    isInside = ({part}) => COMPUTING.includes(part);
  const add = (label, list) =>
    list.length &&
    ordered.push({
      label,
      base: list.reduce((sum, row) => sum + (baseOf(row) ?? 0), 0),
      now: list.reduce((sum, row) => sum + (newOf(row) ?? 0), 0),
      verdict: sharedVerdict(list),
    });
  add('in delegates, or on no node', parts.filter(isInside));
  for (const name of PART_BOX_NAMES)
    add(
      name,
      parts.filter(one => !isInside(one) && partBox(one.part) === name),
    );
  return {head, blocks: ordered.filter(({base, now}) => base > 0 || now > 0)};
}

const LEAST_SIDE = 88; // px: the least width of the names of both records

/** Both records as bars of their modules on one scale, joined by ribbons. */
export function Aligned({answer, width, height, name, baseName}) {
  const colors = theme(),
    {execute} = answer,
    {blocks} = blocksOf(answer),
    from = baseOf(execute),
    to = newOf(execute),
    widthOf = widthsOf(14),
    left = Math.min(160, Math.max(LEAST_SIDE, 12 + Math.max(widthOf(name), widthOf(baseName)))),
    scale = Math.max(0, width - left) / Math.max(from, to),
    tall = Math.max(28, (height - 16) * 0.36),
    low = height - tall - 2;
  const bold = widthsOf(14, 600),
    small = widthsOf(12);
  let [x0, x1] = [left, left];
  const side = (text, ns, y) =>
    html`<text x="0" y=${y + tall / 2 - 2} font-size="14" fill=${colors.text}>${fitted(text, left - 8, widthOf)}
      </text><text x="0" y=${y + tall / 2 + 15} font-size="12" fill=${colors.quiet}>${timeWithUnit(ns)}</text>`;
  const box = (block, x, wide, y, fill, ns) => {
    const last = block.path ? block.label.split('.').at(-1) : block.label,
      whole = [block.label, last].find(text => bold(text) <= wide - 10),
      label = wide > 16 ? (whole ?? fitted(block.label, wide - 10, bold)) : '',
      value = [timeWithUnit(ns), timeOf(ns)].find(text => small(text) < wide - 10);
    return html`<rect x=${x + 0.5} y=${y} width=${Math.max(1.5, wide - 1)} height=${tall} rx="2" fill=${fill} />
      ${
        label
          ? html`<text x=${x + 6} y=${y + 18} font-size="14" font-weight="600" fill=${inkOn(fill, colors.text)}>
      ${label}</text>`
          : null
      }${
        label && value && tall > 34
          ? html`<text x=${x + 6} y=${y + 35} font-size="12"
      fill=${inkOn(fill, colors.text)}>${value}</text>`
          : null
      }`;
  };
  const drawn = blocks.map(block => {
    const [wide0, wide1] = [block.base * scale, block.now * scale],
      fill = verdictColor(colors, block.verdict),
      [a, b] = [x0, x1];
    x0 += wide0;
    x1 += wide1;
    return html`<path d=${`M${a} ${tall}L${a + wide0} ${tall}L${b + wide1} ${low}L${b} ${low}Z`}
      fill=${mixed(colors.page, fill, 0.25)} />${box(block, a, wide0, 0, neutral(colors, 0.14), block.base)}
      ${block.now > 0 ? box(block, b, wide1, low, fill, block.now) : null}`;
  });
  return html`<svg class="aligned" width=${width} height=${height} role="img"
    aria-label=${`${baseName} and ${name} on one scale`}>${side(baseName, from, 0)}${side(name, to, low)}
    ${drawn}</svg>`;
}

/* ---- Tables ---- */

/* Returns "a", or "a → b" if the two sides differ. */
const eitherText = (from, to) => (from === to || !from || !to ? to || from || '' : `${from} → ${to}`);

/* Where a node runs: "CPU", or "CPU → XNNPACK" if it moved. */
const placeText = ({base_runs: baseRuns, base_backend: base, new_runs: newRuns, new_backend: newer}) =>
  eitherText(baseRuns > 0 ? shortBackend(base ?? CPU) : null, newRuns > 0 ? shortBackend(newer ?? CPU) : null);

/* What became of a node: "gone", "new", "CPU → XNNPACK"; '' if it is where it was. */
function fateOf(node) {
  const place = placeText(node);
  if (node.verdict === 'gone' || node.verdict === 'new') return node.verdict;
  return place.includes('→') ? place : '';
}

/* What changed in a module, which the base calls basePath: operators that are gone, new or moved, as the nodes say,
   those that took most first; not in the modules inside it. */
function whatChanged(answer, path, basePath) {
  const inside = answer.nodes.filter(({new_module: now, base_module: before}) =>
      now === null ? before === basePath : now === path,
    ),
    fates = {};
  for (const node of sortRows(inside, row => Math.abs(changeOf(row)), true)) {
    const op = shortOp(node.op),
      fate = fateOf(node);
    fates[op] = (fates[op] ?? fate) === fate && fate; // what is gone and new did not change
  }
  const ops = Object.keys(fates);
  return (
    [...new Set(Object.values(fates))]
      .filter(Boolean)
      .map(fate => `${listText(ops.filter(op => fates[op] === fate))} ${fate}`)
      .join('; ') || (ops[0] ? 'the same operators' : '')
  );
}

function changeBar(change, most, verdict) {
  const part = most > 0 ? (50 * Math.abs(change)) / most : 0;
  return html`<span class="change-bar"><span class=${`${hueOfVerdict(verdict)}${isLikely(verdict) ? ' likely' : ''}`}
    style=${{left: `${change < 0 ? 50 - part : 50}%`, width: `${part}%`}}></span></span>`;
}

/* The columns of rows that compare: base, this, change and what the library decided. */
function comparedColumns(rows) {
  const most = rows.reduce((a, {row}) => Math.max(a, Math.abs(changeOf(row) ?? 0)), 0),
    names = sideNames();
  return [
    timeColumn('base', names.shortBase, 'typical time of the base', ({row}) => baseOf(row) ?? NaN),
    timeColumn('this', names.shortName, 'typical time of this record', ({row}) => newOf(row) ?? NaN),
    {
      key: 'change',
      title: `change, ${unitName.value}`,
      exact: 'change ns',
      hint: 'this less the base',
      number: true,
      value: ({row}) => changeOf(row) ?? NaN,
      text: ({row}) => changeOfTime(changeOf(row) ?? NaN),
      why: () => explain('this less the base'),
    },
    {key: 'bar', title: '', cell: ({row}) => changeBar(changeOf(row) ?? 0, most, row.verdict)},
    {
      key: 'relative',
      title: '%',
      hint: 'change relative to the base',
      number: true,
      value: ({row}) => row.relative_change ?? NaN,
      text: ({row}) => relativeText(row.relative_change).replace(' %', ''),
    },
    {
      key: 'between',
      title: 'between',
      hint: 'interval in which the relative change lies',
      number: true,
      text: ({row}) => intervalText(row),
    },
    {
      key: 'verdict',
      title: 'verdict',
      text: ({row}) => verdictText(row.verdict),
      cell: ({row}) => html`<${Verdict} verdict=${row.verdict} />`,
    },
  ];
}

/* Modules as `diff --by module` has them, without the modules inside them, or operators: the rows add up. */
function ModulesTable({answer}) {
  const {execute, by_events: isEvents} = answer,
    kind = kindOf(answer),
    rows = sortRows(
      isEvents
        ? operatorRows(answer).map(row => ({key: nameOf(row), path: null, row, what: shortBackend(row.backend ?? '')}))
        : answer.by_module
            .filter(({base_nodes: before, new_nodes: now}) => before || now)
            .map(row => ({
              key: row.module ? `${row.module}${row.base_key ? ` (was ${row.base_key})` : ''}` : TOP_LEVEL,
              path: row.module,
              basePath: row.base_key ?? row.module,
              row,
            })),
      ({row}) => Math.abs(changeOf(row)),
      true,
    ),
    rest = rows.slice(MOST_MODULES),
    sumOfRest = of => rest.reduce((sum, {row}) => sum + (of(row) ?? 0), 0);
  const whole = {key: 'Method::execute', path: null, row: execute, what: 'the whole inference'};
  const parts = otherParts(answer).map(row => ({key: row.text, path: null, row, what: shortBackend(row.backend)}));
  const more = {
    key: `${rest.length} more`,
    path: null,
    row: {base_typical: sumOfRest(baseOf), new_typical: sumOfRest(newOf)},
    what: '',
  };
  const list = [whole, ...rows.slice(0, MOST_MODULES), ...(rest.length ? [more] : []), ...parts],
    columns = comparedColumns(list);
  return html`<${SmallTable} caption=${`Changes by ${kind}${withInterruptions()}`} rows=${list}
    command=${commandOf('diff', {}, `--by ${isEvents ? 'kernel' : kind}`)}
    open=${({path}) => path !== null && select('module', path)} columns=${[
      {
        key: kind,
        title: isEvents ? kind : 'module itself',
        class: 'key',
        text: ({key}) => key,
        cell: ({key, path, row}) =>
          path === null && !row.kernel && !row.op
            ? html`<b>${key}</b>`
            : html`<span class=${isEvents ? 'cut' : 'cut head'} title=${key}><bdi>${key}</bdi></span>`,
      },
      ...columns,
      {
        key: 'what',
        title: isEvents ? 'runs in' : 'what changed in it',
        class: 'key quiet whole',
        text: ({path, basePath, what}) => what ?? whatChanged(answer, path, basePath),
      },
    ]} />${
      rows.length && !isEvents
        ? html`<p class="box-foot small quiet">
        A module's row leaves out the modules inside it, which have rows of their own, unless one side alone
        has some.</p>`
        : null
    }`;
}

/** Returns the nodes that were timed on either side, largest change first. */
export const timedNodes = nodes =>
  sortRows(
    nodes.filter(node => node.base_runs > 0 || node.new_runs > 0),
    node => Math.abs(changeOf(node) ?? 0),
    true,
  );

function NodesTable({answer}) {
  const rows = timedNodes(answer.nodes).map(row => ({row})),
    chosen = selectedRows.value,
    {operators} = method.value;
  const isOwn = ({row}) => row.new_node !== null && row.new_node >= 0 && row.new_node < operators.count;
  if (rows.length === 0) return html`<p class="note">No operator was timed in either record.</p>`;
  const caption = `Operators, largest change first${withInterruptions()}${rows.length > MOST_NODES ? ` (${numberText(rows.length)})` : ''}`;
  return html`<${SmallTable} caption=${caption} rows=${rows} most=${MOST_NODES}
    open=${row => isOwn(row) && selectRow(row.row.new_node)} isChosen=${({row}) => chosen?.[row.new_node] === 1}
    isHit=${({row}) => isHitRow(row.new_node)} command=${commandOf('diff')}
    columns=${[
      {
        key: 'op',
        title: 'operator',
        class: 'key',
        text: ({row}) => shortOp(row.op),
        cell: ({row}) => html`<span title=${row.op}>${shortOp(row.op)}</span>`,
      },
      ...comparedColumns(rows),
      {key: 'module', title: 'module', class: 'key', text: ({row}) => row.new_module ?? row.base_module ?? ''},
      {key: 'node', title: 'node', class: 'key quiet', text: ({row}) => eitherText(row.base_name, row.new_name)},
      {key: 'backend', title: 'runs on', class: 'key', text: ({row}) => placeText(row)},
    ]} />`;
}

const ChangeLegend = () =>
  html`<ul class="time-legend" aria-label="Colors of changes"><li><i class="swatch less"></i>less: faster, gone</li>
    <li><i class="swatch more"></i>more: slower, new</li><li><i class="swatch runtime"></i>cannot tell, or several</li>
    <li>paler: likely</li></ul>`;

/* The comparison lists the methods in the order of the newer document. */
function Answer() {
  const asked = compared.value,
    answer = comparedMethod.value;
  if (!asked)
    return html`<p class="note">Choose a base above, or compare with the <${Link}
      act=${() => set({base: 'auto'})}>newest record of the same model before it<//>.</p>`;
  if (asked.error) return html`<p class="note error" role="alert">${asked.error}</p>`;
  if (asked.isAlone)
    return html`<p class="note">
      No older record of the same model with run times is in this logdir: choose any.</p>`;
  if (asked.isLoading || !answer) return html`<p class="note">Loading…</p>`;
  if (answer.execute.base_runs === 0 || answer.execute.new_runs === 0)
    return html`<p class="note">One of the two records has no run times.</p>`;
  const {width, height} = room.value,
    wide = Math.max(280, width - 48 - (get('sel') ? 360 : 0)),
    names = sideNames(),
    sides = {name: names.shortName, baseName: names.shortBase};
  return html`<${Hero} answer=${answer} /><${AddRecords} /><${Records} />
    <section><div class="head-line"><h2>From ${names.base} to ${names.name}</h2>
        <span class="small quiet">${unitName.value} per inference${withInterruptions()}</span><span class="push"></span>
        <${ChangeLegend} /></div><${Waterfall}
        answer=${answer} width=${wide} ...${sides} /></section>
    <section><div class="head-line"><h2>The same ${kindOf(answer)}s, the same scale</h2></div>
      <${Aligned} answer=${answer} width=${wide}
      height=${Math.max(144, Math.min(320, Math.round(height * 0.19)))} ...${sides} /></section>
    <section class="card"><${ModulesTable} answer=${answer} /></section>
    <details class="nodes-of-both" open=${get('nodes')}
      onToggle=${event => set({nodes: event.currentTarget.open}, {replace: true})}>
      <summary>Operators, one by one</summary>${
        get('nodes')
          ? html`<section class="card"><${NodesTable}
      answer=${answer} /></section>`
          : null
      }</details>`;
}

/** A list of the records to compare with. */
export function BaseChoice() {
  const others = bases.value,
    asked = askedBase.value === 'auto' ? (compared.value?.base ?? 'none') : askedBase.value;
  return html`<${Choice} label="Base" class="base"
    options=${[
      ['none', others.length ? 'no base' : 'no other record'],
      ...others.map(({run}) => [run, `vs ${nameOfRecord(run)}`]),
    ]} chosen=${asked} change=${run => set({base: run})} />`;
}

export function CompareView() {
  if (bases.value.length === 0)
    return source.value.several
      ? html`<div class="compare"><${Records} /></div>`
      : html`<p class="note">There is only one record. Write a second one to the same logdir to compare them.</p>`;
  return html`<div class="compare"><${Answer} /></div>`;
}
