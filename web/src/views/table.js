// SPDX-License-Identifier: BSD-3-Clause
//
// table.js - the view of all rows: operators of repeated modules, modules, source lines, backends, delegates or nodes,
// with
// their times, rates and, with a base, how they changed.

import {computed} from '@preact/signals';

import {
  STAT_TEXTS,
  comparedMethod,
  explain,
  hasInterruptions,
  hits,
  method,
  pairs,
  profile,
  select,
  selectRow,
  selectedRows,
  selection,
  times,
  unitName,
  withInterruptions,
} from '../base/app.js';
import {sumOver} from '../base/columns.js';
import {command} from '../base/commands.js';
import {DESCRIPTIONS} from '../base/descriptions.js';
import {optionsOf, termsOf, without} from '../base/filter.js';
import {
  callsText,
  countText,
  lineText,
  rateText,
  relativeText,
  shareText,
  shortType,
  sourceText,
} from '../base/format.js';
import {html} from '../base/html.js';
import {shortBackend, shortOp} from '../base/labels.js';
import {CPU, DELEGATE_PARTS} from '../base/method.js';
import {
  backendRows,
  delegateRows,
  eachModule,
  lineRows,
  moduleRows,
  operatorRows,
  partRows,
  rowLabels,
} from '../base/rows.js';
import {declare, flag, get, oneOf, peek, set} from '../base/store.js';
import {
  Distribution,
  RunsOn,
  Segments,
  changeOfTime,
  commandOf,
  estimateOf,
  hueOfBackend,
  logScale,
  plainTime,
  quoted,
  shareColumn,
  shareOfWhole,
  sumHint,
  timeColumn,
  timeText,
} from '../parts/bits.js';
import {Roofline} from '../parts/roofline.js';
import {room} from '../parts/room.js';
import {Table, declareTable} from '../parts/table.js';
import {hasAccuracy, snrOfOperators, snrText} from './accuracy.js';
import {Verdict, baseOf, changeOf as changedBy, changesBy, goneRows, intervalText} from './changes.js';
import {
  TimePicture,
  isPartChosen,
  clearFilter,
  filterText,
  head,
  isPartShown,
  partHint,
  shownOperators,
  hiddenIn,
  rangeText,
} from './time_picture.js';

const KINDS = [
  ['operator', 'Operator'],
  ['module', 'Module'],
  ['source', 'Source line'],
  ['backend', 'Backend'],
  ['delegate', 'Delegate'],
  ['node', 'Node'],
];

// each: repeated modules and delegates are rows of their own
// roof: the roofline above the rows of operators
declare({by: oneOf('operator', ...KINDS.slice(1).map(([value]) => value)), each: flag(false), roof: flag(false)});
for (const [kind] of KINDS) declareTable(kind, 'time-');

const UNFOLDED = {operator: {by: 'node'}, node: {by: 'operator'}};

command({
  name: 'unfold',
  keys: ['u'],
  text: 'Show each of what is one row, or all as one',
  views: ['table'],
  group: 'This view',
  isPossible: () => method.peek().hasGraph,
  run: () => set(UNFOLDED[shownKind()] ?? {each: !peek('each')}),
});

/** What the part of the peak is. */
export const OF_PEAK = 'the time that the peaks allow, as a part of the time taken';

/** Writes a part of the peak: "≈ 12 %" where the best rate is that of an estimated time. */
export const ofPeakText = part =>
  part >= 0 ? `${profile.value.peaks?.is_estimated ? '≈ ' : ''}${shareText(part, 1)}` : '';

/* ---- Columns ---- */

const cut = (text, title = text) => html`<span class="cut" title=${title}>${text}</span>`;

/* Other columns are left out where names have less, but on a phone. */
const NAME_WIDTH = 'minmax(min(220px, 30%), 2.4fr)';

/* A name with what is before it in gray: "self_attention · linear". */
const named = (where, what, title) =>
  html`<span class=${where ? 'cut head' : 'cut'} title=${title}><bdi>${
    where ? html`<span class="where">${where} · </span>` : null
  }${what}</bdi></span>`;

/* A function of a row that works once for each: columns are asked for it to show it, to sort by it and for rates. */
function kept(valueOf) {
  const values = new Map();
  return row => {
    if (!values.has(row)) values.set(row, valueOf(row));
    return values.get(row);
  };
}

/* Sums of what the operators of a row compute and move, and the rates that follow in its time: {macs, bytes, gflops,
   gbs}, functions of a row. */
function ratesOf(rowsOf, timeOf) {
  const {operators, clocks} = method.value,
    sum = key => kept(row => sumOver(operators.numbers(key), rowsOf(row)));
  const macs = sum('macs'),
    bytes = sum('bytes');
  // A rate of which the step of the clock could be a third says nothing.
  const isKnown = row =>
    rowsOf(row).length > 0 &&
    timeOf(row) / rowsOf(row).length >= 3 * (clocks[operators.backend(rowsOf(row)[0])] ?? clocks[''] ?? 0);
  const rate = of => row => (isKnown(row) && of(row) > 0 && timeOf(row) > 0 ? of(row) / timeOf(row) : NaN);
  return {macs, bytes, gflops: rate(row => 2 * macs(row)), gbs: rate(bytes)};
}

function rateColumns(rows, rowsOf, timeOf) {
  const {macs, bytes, gflops, gbs} = ratesOf(rowsOf, timeOf);
  const column = (key, title, hint, value, rest) => ({
    key,
    title,
    hint,
    number: true,
    width: '80px',
    descending: true,
    value,
    text: row => (Number.isFinite(value(row)) ? rateText(value(row)) : ''),
    plain: row => (Number.isFinite(value(row)) ? String(value(row)) : ''),
    ...rest,
  });
  return [
    column('gflops', 'GFLOP/s', DESCRIPTIONS.node.gflops, gflops, {
      from: 1060,
      optional: !rows.some(row => gflops(row) > 0),
    }),
    column('gbs', 'GB/s', DESCRIPTIONS.node.gbs, gbs, {from: 1400}),
    column('macs', 'MACs', DESCRIPTIONS.node.macs, macs, {optional: true}),
    column('bytes', 'bytes', DESCRIPTIONS.node.bytes, bytes, {optional: true}),
  ];
}

/* The columns that compare rows with the base, by the library's own sums. `changeOf(row)` is a row of the
   comparison, or none. */
function changeColumns(changeOf, rowsOf) {
  if (!comparedMethod.value) return [];
  return [
    timeColumn('base', 'base', 'of the base', row => (changeOf(row) ? (baseOf(changeOf(row)) ?? NaN) : NaN), {
      width: '84px',
      rows: rowsOf,
    }),
    {
      key: 'change',
      title: `change, ${unitName.value}`,
      head: `change ${unitName.value}`,
      exact: 'change ns',
      hint: 'this less the base',
      why: row => explain('this less the base', rowsOf(row)),
      number: true,
      width: '92px',
      descending: true,
      value: row => (changeOf(row) ? changedBy(changeOf(row)) : NaN),
      text: row => (changeOf(row) ? changeOfTime(changedBy(changeOf(row)), rowsOf(row)) : ''),
      plain: row => plainTime(changeOf(row) ? changedBy(changeOf(row)) : NaN),
    },
    {
      key: 'relative',
      title: '%',
      hint: 'change relative to the base',
      number: true,
      width: '80px',
      from: 1300,
      value: row => changeOf(row)?.relative_change ?? NaN,
      text: row => relativeText(changeOf(row)?.relative_change),
      plain: row => String(changeOf(row)?.relative_change ?? ''),
    },
    {
      key: 'between',
      title: 'between',
      number: true,
      width: '132px',
      from: 1400,
      sort: false,
      hint: 'interval in which the relative change lies',
      text: row => intervalText(changeOf(row)),
    },
    {
      key: 'verdict',
      title: 'verdict',
      width: '110px',
      value: row => changeOf(row)?.verdict ?? '',
      cell: row => (changeOf(row) ? html`<${Verdict} verdict=${changeOf(row).verdict} />` : ''),
    },
  ];
}

function timeColumns(rows, rest = {}) {
  const most = rows.reduce((a, {time}) => Math.max(a, time || 0), 0);
  return [
    timeColumn('time', times.value.stat === 'typical' ? '' : times.value.label, sumHint(), row => row.time, {
      rows: row => row.rows,
      estimated: row => row.estimated,
      width: '92px',
      mark: row => (row.upper ? '≤ ' : ''),
      ...rest,
    }),
    shareColumn(
      row => row.time,
      most,
      row => row.hue,
      {text: shareTextOf},
    ),
  ];
}

/* The share of a row: a range where a part of it may be something else, and a bound where all of it may be. */
function shareTextOf(row) {
  return row.upper && times.value.stat === 'typical' ? rangeText(row.time, hiddenIn(row.time)) : shareOfWhole(row.time);
}

const countColumn = (hint = 'operators of the graph') => ({
  key: 'count',
  title: 'count',
  hint,
  number: true,
  width: '64px',
  from: 480,
  descending: true,
  value: row => row.count,
  text: row => (row.count >= 1 ? `×${row.count}` : ''),
  plain: row => (row.count >= 1 ? String(row.count) : ''),
});

const lineOf = row => lineText(method.value.operators.source(row.rows[0]));

const eachColumn = () =>
  timeColumn('each', 'each', 'mean of one of them', row => (row.count >= 1 ? row.time / row.count : NaN), {
    rows: row => row.rows,
    width: '92px',
    from: 760,
  });

const spreadText = row =>
  row.max > 0 ? [row.min, row.max].map(ns => timeText(ns, 0, row.rows, row.clock)).join(' – ') : '';

/* What `least – most` is: with interruptions, so that it is hidden where rows by operator are without. */
const spreadHint = () => `the least and the most of the runs that count${withInterruptions()}`;

/* The least and the most of the runs that count, as the library has them of whole rows. */
const spreadColumn = rows => ({
  key: 'spread',
  title: `least – most, ${unitName.value}`,
  hint: spreadHint(),
  number: true,
  width: '124px',
  from: 1000,
  optional: method.value.runs < 2 || hasInterruptions.value || !rows.some(({max}) => max > 0),
  value: row => row.max,
  text: spreadText,
  cell: row => html`<span class="quiet">${spreadText(row)}</span>`,
  why: row => explain(spreadHint(), row.rows, row.backend),
});

/* What runs no operators. */
const PLACES = {runtime: 'runtime', call_overhead: 'runtime', interruptions: 'others'};

/** Where a row runs, in the words of `summary`: kernels of no node on the CPU as well. */
export const placeText = row => PLACES[row.part] ?? shortBackend(row.backend ?? (row.isComputing ? CPU : null));

/* The columns of rows of operators that only a graph fills. */
const graphColumns = isBrief => [
  {
    key: 'dtype',
    title: 'type',
    hint: 'of the weight, or else of the first output',
    width: '80px',
    optional: true,
    value: row => row.dtype ?? '',
  },
  {
    key: 'source',
    title: 'source',
    width: 'minmax(110px, 1fr)',
    from: 1500,
    optional: isBrief,
    value: lineOf,
    cell: row => cut(lineOf(row)),
  },
];

/** The columns of rows of operators, for the table and the summary. */
export function operatorColumns(rows, {isBrief = false} = {}) {
  const shownHead = head.value,
    rowsOf = row => row.rows,
    labelOf = rowLabels(rows, shownHead),
    title = shownHead ? `operator, in module ${shownHead}` : 'operator';
  return [
    {
      key: 'label',
      title,
      head: 'operator',
      hint: shownHead ? '"/" begins the path of what is not in this module' : undefined,
      width: NAME_WIDTH,
      value: row => labelOf(row).filter(Boolean).join(' · '),
      cell: row => named(...labelOf(row), row.kind === 'part' ? partHint(row) : `${row.pattern} · ${row.op}`),
    },
    {
      key: 'backend',
      title: 'runs on',
      width: 'minmax(96px, 0.8fr)',
      from: 520,
      value: placeText,
      cell: row =>
        row.kind === 'part'
          ? html`<span class="runs-on"><i class=${`dot ${row.hue}`}></i>${placeText(row)}</span>`
          : html`<${RunsOn} name=${row.backend} />`,
    },
    countColumn(),
    ...timeColumns(rows),
    eachColumn(),
    spreadColumn(rows),
    ...(method.value.hasGraph ? rateColumns(rows, rowsOf, row => row.time) : []),
    ...(isBrief ? [] : changeColumns(changesBy.value.row, rowsOf)),
    ...(method.value.hasGraph ? graphColumns(isBrief) : []),
  ];
}

function moduleColumns(rows) {
  const slowest = row => (row.modules.length > 1 ? eachModule(method.value.operators, row.rows, times.value.of) : null);
  return [
    {
      key: 'label',
      title: 'module',
      width: NAME_WIDTH,
      value: row => row.key,
      cell: row => html`<span class="cut head" title=${row.key}><bdi>${row.key}</bdi></span>`,
    },
    {
      key: 'type',
      title: 'type',
      width: 'minmax(100px, 1fr)',
      from: 900,
      value: row => shortType(row.type),
      cell: row => cut(shortType(row.type), row.type),
    },
    {...countColumn('equal modules'), text: row => (row.count > 1 ? `×${row.count}` : '')},
    ...timeColumns(rows),
    timeColumn('own', 'own', 'of its own operators, without those of modules inside', row => row.own, {
      rows: row => row.rows,
      width: '84px',
      from: 700,
    }),
    {...eachColumn(), from: 900},
    {
      key: 'nodes',
      title: 'nodes',
      hint: 'operators inside',
      number: true,
      width: '64px',
      from: 1000,
      descending: true,
      value: row => row.rows.length,
    },
    ...rateColumns(
      rows,
      row => row.rows,
      row => row.time,
    ),
    ...changeColumns(changesBy.value.module, row => row.rows),
    {
      key: 'modules',
      title: 'modules',
      optional: true,
      width: '120px',
      number: true,
      value: row => slowest(row)?.each.length ?? 1,
    },
  ];
}

/* The columns of figures of rows that stand for several operators. `changeOf` is that of changeColumns(). */
const figureColumns = (rows, changeOf) => [
  countColumn(),
  ...timeColumns(rows),
  ...rateColumns(
    rows,
    row => row.rows,
    row => row.time,
  ),
  ...changeColumns(changeOf, row => row.rows),
];

const lineColumns = rows => [
  {
    key: 'label',
    title: 'source line',
    width: 'minmax(160px, 1fr)',
    value: row => row.key,
    cell: row => html`<span class="cut head" title=${row.key}><bdi>${row.label}</bdi></span>`,
  },
  {
    key: 'code',
    title: 'code',
    width: 'minmax(180px, 2.2fr)',
    from: 760,
    value: row => row.source?.code?.trim() ?? '',
    cell: row =>
      html`<code class="cut" title=${sourceText(row.source)}>${row.source?.code?.trim().split('\n')[0] ?? ''}</code>`,
  },
  ...figureColumns(rows, changesBy.value.source),
];

const backendColumns = rows => [
  {
    key: 'label',
    title: 'runs on',
    width: 'minmax(160px, 1.4fr)',
    value: row => row.label,
    cell: row => html`<${RunsOn} name=${row.backend} />`,
  },
  ...figureColumns(rows, changesBy.value.backend),
];

function delegateColumns(rows) {
  const sum = key => row => row.delegates.reduce((all, delegate) => all + (delegate[key] ?? 0), 0),
    parts = DELEGATE_PARTS.filter(([key]) => rows.some(row => sum(key)(row) > 0));
  const first = row => row.delegates[0].instruction,
    why = row => [row.cutBy, row.why].filter(Boolean).join(': '),
    said = what => `${what}, ${STAT_TEXTS.typical}${withInterruptions()}`;
  return [
    {
      key: 'label',
      title: 'delegate',
      width: 'minmax(180px, 1.6fr)',
      value: row => row.label,
      cell: row => html`<span class="cut head" title=${row.label}><bdi>${row.label}</bdi></span>`,
    },
    {
      key: 'backend',
      title: 'runs on',
      width: 'minmax(90px, 0.7fr)',
      from: 700,
      value: row => shortBackend(row.backend),
      cell: row => html`<${RunsOn} name=${row.backend} />`,
    },
    {
      key: 'instruction',
      title: '#',
      hint: 'the instruction that calls it first',
      number: true,
      width: '52px',
      from: 900,
      value: first,
    },
    {...countColumn('delegates of the same modules and operators'), text: row => `×${row.count}`},
    {key: 'nodes', title: 'nodes', hint: 'operators inside one', number: true, width: '60px', value: row => row.nodes},
    ...(method.value.runs
      ? [
          ...timeColumns(rows, {title: `typical, ${unitName.value}`, hint: said('the whole call')}),
          timeColumn('inside', 'inside', said('the operators inside'), sum('on_nodes'), {
            rows: row => row.rows,
            width: '84px',
            from: 760,
          }),
          ...parts.map(([key, title]) =>
            timeColumn(key, title, said('as the backend recorded it'), sum(key), {width: '92px', from: 1000}),
          ),
        ]
      : []),
    {
      key: 'why',
      title: 'why it ends there',
      width: 'minmax(160px, 2fr)',
      from: 640,
      value: why,
      cell: row => cut(why(row)),
    },
  ];
}

function nodeColumns(rows) {
  const {operators} = method.value,
    {of, label, stat} = times.value,
    own = {rows: row => [row], estimated: estimateOf(operators)},
    order = operators.indices('instruction'),
    at = logScale(operators, operators.timed);
  const text = key => row => operators.text(key, row) ?? '',
    path = row => operators.module(row)?.path ?? '',
    most = rows.reduce((a, row) => Math.max(a, of[row] || 0), 0),
    hue = row => hueOfBackend(operators.backend(row)),
    snr = snrOfOperators();
  const number = (key, title, rest = {}) => ({
    key,
    title,
    hint: DESCRIPTIONS.node[key],
    number: true,
    width: '80px',
    descending: true,
    value: row => operators.numbers(key)[row],
    text: row => (operators.numbers(key)[row] >= 0 ? rateText(operators.numbers(key)[row]) : ''),
    ...rest,
  });
  return [
    ...(rows.some(row => order[row] >= 0)
      ? [
          {
            key: 'order',
            title: '#',
            hint: 'order of execution: the instruction that first runs the node or its delegate',
            number: true,
            width: '52px',
            value: row => (order[row] >= 0 ? order[row] : NaN),
            text: row => (order[row] >= 0 ? String(order[row]) : ''),
          },
        ]
      : []),
    {
      key: 'op',
      title: 'operator',
      width: 'minmax(110px, 1fr)',
      value: row => operators.op(row),
      cell: row => cut(shortOp(operators.op(row)), operators.op(row)),
    },
    {
      key: 'name',
      title: 'node',
      width: 'minmax(110px, 1.3fr)',
      from: 1000,
      value: row => operators.name(row),
      cell: row => html`<span class="cut quiet" title=${operators.name(row)}>${operators.name(row)}</span>`,
    },
    {
      key: 'module',
      title: 'module',
      width: 'minmax(110px, 1.4fr)',
      value: path,
      cell: row => html`<span class="cut head" title=${path(row)}><bdi>${path(row)}</bdi></span>`,
    },
    {
      key: 'backend',
      title: 'runs on',
      width: 'minmax(90px, 0.7fr)',
      from: 700,
      value: row => shortBackend(operators.backend(row)),
      cell: row => html`<${RunsOn} name=${operators.backend(row)} />`,
    },
    timeColumn('time', stat === 'typical' ? '' : label, STAT_TEXTS[stat], row => of[row], {...own, width: '92px'}),
    shareColumn(row => of[row], most, hue),
    ...(stat === 'p50'
      ? []
      : [
          timeColumn('p50', 'p50', STAT_TEXTS.p50, row => operators.numbers('p50')[row], {
            ...own,
            width: '88px',
            optional: true,
          }),
        ]),
    ...changeColumns(
      row => pairs.value.get(row),
      row => [row],
    ),
    {
      key: 'spread',
      title: 'least – most',
      hint: 'least to most, p10 to p90, median; the scale is logarithmic',
      width: 'minmax(100px, 1fr)',
      from: 1200,
      sort: false,
      cell: row => html`<${Distribution} operators=${operators} row=${row} at=${at} />`,
    },
    number('gflops', 'GFLOP/s', {from: 1100}),
    number('gbs', 'GB/s', {from: 1400}),
    {
      ...number('of_peak', 'of peak', {from: 1400}),
      hint: OF_PEAK,
      optional: !rows.some(row => operators.numbers('of_peak')[row] >= 0),
      text: row => ofPeakText(operators.numbers('of_peak')[row]),
    },
    ...(hasAccuracy()
      ? [
          {
            ...number('snr', 'SNR dB', {descending: false}),
            hint: 'of its logged values against the reference, the lowest: the suspects are first',
            value: row => snr[row],
            text: row => snrText(snr[row]),
          },
        ]
      : []),
    {
      key: 'source',
      title: 'source',
      width: 'minmax(90px, 1fr)',
      from: 1700,
      value: row => sourceText(operators.source(row)),
      cell: row => cut(sourceText(operators.source(row)), operators.source(row)?.code),
    },
    {
      key: 'calls',
      title: 'calls',
      hint: `calls ${DESCRIPTIONS.node.calls}`,
      number: true,
      width: '56px',
      optional: true,
      value: row => operators.numbers('calls')[row],
      text: row => callsText(operators.numbers('calls')[row] || 0),
    },
    {key: 'match', title: 'match', width: '90px', optional: true, value: text('match')},
    {key: 'runs_as', title: 'runs as', width: '140px', optional: true, value: text('runs_as')},
    {key: 'outputs', title: 'output', width: '160px', optional: true, value: text('outputs')},
    ...[
      ['bytes', 'bytes'],
      ['macs', 'MACs'],
      ['intensity', 'FLOP/byte'],
    ].map(([key, title]) => number(key, title, {optional: true})),
    ...['p10', 'p90', 'min', 'max'].map(key =>
      timeColumn(key, key, `${key} over the runs in which it ran`, row => operators.numbers(key)[row], {
        ...own,
        width: '88px',
        optional: true,
      }),
    ),
  ];
}

/* ---- The rows ---- */

const FOLDED_FROM = 4; // equal modules from which they are one row

const isFolded = () => !get('each') && method.value.patterns.some(({modules}) => modules >= FOLDED_FROM);

const MAKE = {
  operator: rows => {
    const list = [
      ...operatorRows(method.value, times.value, rows),
      ...partRows(method.value, times.value).filter(isPartShown),
    ];
    return list.sort((a, b) => b.time - a.time);
  },
  module: rows => moduleRows(method.value, times.value, rows, isFolded()),
  source: rows => lineRows(method.value, times.value, rows),
  backend: rows => backendRows(method.value, times.value, rows),
  delegate: rows => {
    const has = new Set(rows),
      list = delegateRows(method.value, !get('each'));
    return rows.length === method.value.operators.timed.length
      ? list
      : list.filter(row => row.rows.some(at => has.has(at)));
  },
  node: rows => rows,
};
const COLUMNS = {
  operator: operatorColumns,
  module: moduleColumns,
  source: lineColumns,
  backend: backendColumns,
  delegate: delegateColumns,
  node: nodeColumns,
};

/** The kind of rows that is shown: of a method without a graph always those of operators and parts. */
export const shownKind = () => (method.value.hasGraph ? get('by') : 'operator');

const shown = computed(() => {
  const kind = shownKind(),
    isAll = !get('in') && hits.value.isAll && comparedMethod.value,
    made = MAKE[kind](shownOperators.value),
    rows = isAll ? [...made, ...goneRows(kind, made, isFolded())] : made;
  return {kind, rows, columns: COLUMNS[kind](rows)};
});

/* Opens a row of operators: those of the graph, or the calls of a kernel, without a graph in the timeline. */
function openOperators(row) {
  if (row.kind === 'operator') select('repeated', `${row.pattern} ${row.op}`);
  else if (row.isKernel) set({sel: `kernel:${row.op}`, ...(method.value.hasGraph ? {} : {view: 'timeline'})});
}

/* What a click on a row selects everywhere. */
const SELECT = {
  operator: row => row.change || openOperators(row),
  module: row =>
    row.modules.length === 0
      ? undefined
      : row.modules.length > 1
        ? select('pattern', row.key)
        : select('module', row.modules[0].path),
  source: row => row.key && !row.change && select('line', row.key),
  backend: row => row.change || select('backend', row.key),
  delegate: row => select('delegate', row.delegates[0].instruction),
  node: selectRow,
};

/** The command that prints the kernels of a method without a graph; null if there is one. */
export const kernelsCommand = () => (method.value.hasGraph ? null : commandOf('summary', {isSum: true}, '--by kernel'));

/* The command that prints the rows; null if none does. */
function tableCommand(kind) {
  const options = optionsOf([get('in'), get('q')].filter(Boolean).join(' '));
  if (!options || isPartChosen.value || get('q').includes('timed:')) return null;
  if (kind === 'node')
    return commandOf(
      'nodes',
      {hasStat: true},
      method.value.graphName ? `--graph ${quoted(method.value.graphName)}` : '',
      ...options,
    );
  if (kind === 'delegate') return options.length ? null : commandOf('delegation', {}, '--by delegate');
  if (kind === 'operator') return kernelsCommand();
  return commandOf('summary', {isSum: true}, `--by ${kind === 'module' && isFolded() ? 'pattern' : kind}`, ...options);
}

const Chips = () =>
  html`${
    get('in')
      ? html`<button type="button" class="chip" aria-label="Show all" onClick=${clearFilter}>
    ${filterText.value} ×</button>`
      : null
  }${termsOf(get('q'))
    .filter(part => part.includes(':'))
    .map(
      part =>
        html`<button type="button" class="chip" aria-label=${`Remove ${part}`}
          onClick=${() => set({q: without(get('q'), part)})}>${part} ×</button>`,
    )}`;

/* The sum of what is shown: "669 operators, 903 ms, 99 %". */
function Count({rows, operators}) {
  const time = sumOver(times.value.of, operators);
  const sum =
    isPartChosen.value || operators.length === 0
      ? ''
      : `${countText(operators.length, 'operator')}, ${timeText(
          time,
          0,
          operators,
        )} ${unitName.value}, ${shareOfWhole(time)}${withInterruptions()}`;
  return html`<span class="count" role="status" aria-description=${explain(sumHint(), operators)}>${sum}
    ${rows.length !== operators.length ? `${sum ? '; ' : ''}${countText(rows.length, 'row')}` : ''}</span>`;
}

/* The rows of operators whose rates are known, as points of the roofline. */
function pointsOf(rows) {
  const {gflops, gbs} = ratesOf(
      row => row.rows,
      row => row.time,
    ),
    labelOf = rowLabels(rows, head.value);
  return rows
    .filter(row => gflops(row) > 0 && gbs(row) > 0)
    .map(row => ({
      row,
      x: gflops(row) / gbs(row),
      y: gflops(row),
      time: row.time,
      hue: row.hue,
      label: `${labelOf(row).filter(Boolean).join(' · ')}${row.count > 1 ? ` ×${row.count}` : ''}`,
      told: [
        `${timeText(row.time, row.estimated, row.rows)} ${unitName.value} · ${shareOfWhole(row.time)}`,
        `${rateText(gflops(row))} GFLOP/s · ${rateText(gbs(row))} GB/s`,
      ],
    }));
}

export function TableView() {
  const {hasGraph, delegates, operators} = method.value,
    {kind, rows, columns} = shown.value,
    chosen = selectedRows.value,
    points = kind === 'operator' ? pointsOf(rows) : [],
    hasRoof = points.length > 1;
  const kinds = KINDS.filter(
    ([name]) =>
      hasGraph && (name !== 'delegate' || delegates.length) && (name !== 'source' || operators.sources.length),
  );
  const isChosen =
    kind === 'node'
      ? row => chosen?.[row] === 1
      : kind === 'delegate'
        ? row =>
            selection.value?.kind === 'delegate' &&
            row.delegates.some(({instruction}) => String(instruction) === selection.value.id)
        : row => Boolean(chosen) && row.rows.some(at => chosen[at]);
  const describe = marked => {
    const inside = kind === 'node' ? marked : marked.flatMap(row => [...row.rows]),
      sum = kind === 'node' ? sumOver(times.value.of, marked) : marked.reduce((all, row) => all + (row.time || 0), 0);
    return `${countText(inside.length, 'operator')}, ${timeText(
      sum,
      0,
      inside,
    )} ${unitName.value}, ${shareOfWhole(sum)}`;
  };
  return html`<div class="table-page"><div class="toolbar">${
    kinds.length
      ? html`<${Segments} label="Group by"
    options=${kinds} chosen=${kind} change=${by => set({by})} />`
      : null
  }<${Chips} /><${Count} rows=${rows} operators=${shownOperators.value} /></div>
    <${TimePicture} isSmall=${true} />
    ${
      hasRoof && get('roof')
        ? html`<${Roofline} points=${points} peaks=${profile.value.peaks} open=${SELECT[kind]} isChosen=${isChosen}
          width=${room.value.width - 48 - (get('sel') ? 360 : 0)}
          height=${Math.max(200, Math.round(room.value.height * 0.3))} />`
        : null
    }
    ${
      rows.length === 0
        ? html`<p class="note">${hits.value.isAll && !get('in') ? 'No operator was timed.' : 'No row matches.'}</p>`
        : html`<${Table} key=${kind} name=${kind}
          label=${`Rows by ${KINDS.find(([name]) => name === kind)[1].toLowerCase()}`} columns=${columns} rows=${rows}
          open=${SELECT[kind]} isChosen=${isChosen} sum=${describe} command=${tableCommand(kind)}
          note=${
            hasRoof
              ? html`<button type="button" class="text-link" aria-pressed=${String(get('roof'))}
          title="GFLOP/s over FLOP per byte" onClick=${() => set({roof: !get('roof')})}>Roofline</button>`
              : null
          } />`
    }</div>`;
}
