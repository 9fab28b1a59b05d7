// SPDX-License-Identifier: BSD-3-Clause
//
// details.js - the panel beside the views: all that is known of what is selected, with links to everything that it has
// to do with.

import {signal} from '@preact/signals';

import {
  STAT_TEXTS,
  comparedMethod,
  explain,
  grainOf,
  method,
  pairs,
  sectionOf,
  select,
  selection,
  show,
  timeWithUnit,
  times,
  unitName,
  withInterruptions,
} from '../base/app.js';
import {sumOver} from '../base/columns.js';
import {DESCRIPTIONS} from '../base/descriptions.js';
import {repeatedTerms, term} from '../base/filter.js';
import {
  callsText,
  relativeText,
  countText,
  cyclesText,
  numberText,
  rateText,
  shareText,
  shortType,
  sourceText,
} from '../base/format.js';
import {html} from '../base/html.js';
import {DELEGATE_PARTS, TOP_LEVEL, estimatedOver, fusedInto, groupRows, lineKey, matchText} from '../base/method.js';
import {editorLink, readPattern} from '../parts/editor.js';
import {rowsOfDelegate} from '../base/rows.js';
import {KIND_TEXTS} from '../base/selection.js';
import {get} from '../base/store.js';
import {edgesAt} from '../graph/walk.js';
import {
  Distribution,
  Link,
  ModuleLink,
  NodeLink,
  estimateOf,
  linearScale,
  shareOfWhole,
  sumHint,
  timeText,
} from '../parts/bits.js';
import {Verdict, baseOf, intervalText} from './changes.js';
import {readingOf} from './graph_panes.js';
import {OF_PEAK, ofPeakText} from './table.js';

const MOST_LISTED = 12;

/** Rows of terms and what they are; rows without a value are left out. */
export const Definitions = ({rows}) =>
  html`<dl>${rows
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(
      ([key, value, title]) => html`<dt title=${title}>${key}</dt><dd aria-description=${title}>${value}</dd>`,
    )}</dl>`;

/* Links to the views that can show the selection. */
const PLACES = [
  ['table', 'table'],
  ['timeline', 'timeline'],
  ['graph', 'graph'],
  ['memory', 'memory'],
];
const Places = () =>
  html`<nav class="places" aria-label="Show it in">${PLACES.map(
    ([view, text]) => html`<${Link} act=${() => show(view)}>
    ${text}<//>`,
  )}</nav>`;

function Nodes({operators, rows, title}) {
  if (rows.length === 0) return null;
  return html`<section><h3>${title}</h3><ul>${Array.from(rows)
    .slice(0, MOST_LISTED)
    .map(
      row =>
        html`<li><${NodeLink} operators=${operators} row=${row} />${
          times.value.of[row] >= 0
            ? html` <span class="quiet"
          aria-description=${explain(STAT_TEXTS[times.value.stat], [row])}>
          ${timeText(times.value.of[row], estimateOf(operators)(row), [row])} ${unitName.value}</span>`
            : null
        }
          </li>`,
    )}</ul>
    ${rows.length > MOST_LISTED ? html`<p class="quiet">${numberText(rows.length - MOST_LISTED)} more</p>` : null}
      </section>`;
}

function untimedText(operators, row) {
  if (operators.isTimed(row)) return null;
  const carrier = operators.indices('carrier')[row];
  if (carrier >= 0)
    return html`<p class="note">Fused into another operator; its time is part of <${NodeLink} operators=${operators}
      row=${carrier} />.</p>`;
  return html`<p class="note">
    ${method.value.runs ? 'No event was matched to this operator, so it has no time.' : 'This record has no run times.'}
    </p>`;
}

function MatchLine({operators, row}) {
  const match = operators.text('match', row),
    isEstimated = operators.isEstimated(row);
  if (!match) return null;
  return html`<p class=${isEstimated ? 'match estimated' : 'match'}><span class="badge">
    ${match === 'aligned' ? 'estimated' : match}</span> matched ${matchText(match)}
    ${match === 'aligned' || !isEstimated ? '' : '; its time is an estimate'}</p>`;
}

const TYPICAL_SHARE = 'of the typical time of Method::execute';

function timeRows(operators, row) {
  if (!operators.isTimed(row)) return [];
  const at = key => operators.numbers(key)[row],
    {runs} = method.value,
    estimated = estimateOf(operators)(row),
    said = ns => timeText(ns, estimated, [row]),
    line = (name, text, what) => [name, text, explain(what, [row])],
    withUnit = text => `${text} ${unitName.value}`;
  return [
    line('typical', withUnit(said(at('typical'))), STAT_TEXTS.typical),
    line('share', shareText(at('typical'), method.value.execute.typical), TYPICAL_SHARE),
    line('average', withUnit(said(operators.avg[row])), STAT_TEXTS.avg),
    line('median', withUnit(said(at('p50'))), STAT_TEXTS.p50),
    ...[
      ['p10', 'p90'],
      ['min', 'max'],
    ].map(([from, to]) =>
      line(
        `${from} – ${to}`,
        withUnit(`${said(at(from))} – ${timeText(at(to), 0, [row])}`),
        'over the runs in which it ran',
      ),
    ),
    line('calls', `${callsText(at('calls'))} per inference, in ${at('ran_in')} of ${runs} runs`, 'as recorded'),
  ];
}

/* Costs of one inference, or of one call if the operator was not timed. */
function costRows(operators, row) {
  const at = key => operators.numbers(key)[row],
    about = at('hinted_costs') > 0 ? '≈ ' : '',
    known = (key, unit) => (Number.isNaN(at(key)) ? null : `${about}${rateText(at(key))}${unit}`);
  const rate = operators.text('arithmetic', row) === 'integer' ? ' Gop/s (int)' : ' GFLOP/s',
    bound = operators.text('bound', row);
  return [
    ['MACs', known('macs', ''), DESCRIPTIONS.node.macs],
    ['bytes read and written', known('bytes', ''), DESCRIPTIONS.node.bytes],
    ['intensity', at('macs') > 0 ? known('intensity', ' FLOP per byte') : null, DESCRIPTIONS.node.intensity],
    ['rate', at('macs') > 0 ? known('gflops', rate) : null, DESCRIPTIONS.node.gflops],
    ['bandwidth', known('gbs', ' GB/s'), DESCRIPTIONS.node.gbs],
    [
      'of peak',
      Number.isNaN(at('of_peak'))
        ? null
        : `${ofPeakText(at('of_peak'))} of ${
            bound ? `the ${bound} peak` : 'the best rate of this record’s large operators'
          }`,
      OF_PEAK,
    ],
  ];
}

/* The counterpart in the base. */
function BaseRows({row}) {
  const node = pairs.value.get(row);
  if (!comparedMethod.value) return null;
  if (!node)
    return html`<section><h3>Compared with the base</h3><p
      class="note">The base has no operator that was paired with this one.</p></section>`;
  return html`<section><h3>Compared with the base</h3><${Definitions} rows=${[
    [
      'base',
      baseOf(node) === null ? null : timeWithUnit(baseOf(node), grainOf([row])),
      explain('typical time of the base’s operator', [row]),
    ],
    ['change', relativeText(node.relative_change), 'of the typical time, relative to the base'],
    ['between', intervalText(node), 'interval in which the relative change lies'],
    ['verdict', html`<${Verdict} verdict=${node.verdict} />`],
    ['base node', node.base_name && node.base_name !== node.new_name ? node.base_name : null],
  ]} /></section>`;
}

function SourceBlock({source}) {
  if (!source) return null;
  const link = editorLink(readPattern(), source);
  return html`<section><h3>Source</h3><p class="path" title=${source.file}><${Link}
    act=${() => show('table', {by: 'source', sel: `line:${lineKey(source)}`})}>${sourceText(source)}<//>
    ${link ? html` <a href=${link}>open in the editor</a>` : null}</p>${
      source.code
        ? html`<pre>${source.code}
    </pre>`
        : null
    }</section>`;
}

/* The operators whose results this one reads, and those that read its own, as the graph of the record has them. */
function Neighbors({row}) {
  const shown = method.value,
    {operators} = shown,
    reading = readingOf(sectionOf(shown, 'graphs').value, shown.graphName, shown);
  if (!reading) return null;
  const rows = down =>
    [
      ...new Set(
        reading
          .nodesOf(row)
          .flatMap(node =>
            edgesAt(reading.graph, node, down).flatMap(([, other]) => Array.from(reading.rowsOf[other])),
          ),
      ),
    ]
      .filter(other => other !== row)
      .sort((a, b) => a - b);
  return html`<${Nodes} operators=${operators} rows=${rows(false)} title="Reads the results of" /><${Nodes}
    operators=${operators} rows=${rows(true)} title="Its result is read by" />`;
}

function OperatorDetails({row}) {
  const {operators} = method.value,
    text = key => operators.text(key, row),
    delegate = operators.raw('delegate', row) ?? -1,
    module = operators.module(row),
    cycles = operators.raw('cycles', row);
  const rows = [
    ['operator', html`<${Link} act=${() => select('op', operators.op(row))}>${operators.op(row)}<//>`],
    ['module', module ? html`<${ModuleLink} module=${module} />` : TOP_LEVEL],
    ['module type', module?.type],
    ['output', text('outputs')],
    ['inputs', text('inputs')],
    ['arguments', text('arguments')],
    ['debug handle', operators.raw('handle', row) || 'none'],
    ['subgraph', text('subgraph')],
    ['backend', operators.backend(row)],
    [
      'delegate',
      delegate >= 0
        ? html`<${Link} act=${() => select('delegate', delegate)}>call at instruction ${delegate}<//>`
        : null,
    ],
    ['compute unit', text('compute_unit')],
    ['cycles', cycles === null ? null : cyclesText(cycles)],
    ['runs as', text('runs_as')],
  ];
  return html`<${MatchLine} operators=${operators} row=${row} />${untimedText(operators, row)}
    ${
      operators.isTimed(row)
        ? html`<${Distribution} operators=${operators} row=${row}
    at=${linearScale(operators.numbers('max')[row])} />`
        : null
    }
    <${Places} /><${Definitions} rows=${timeRows(operators, row)} /><${BaseRows} row=${row} /><${Definitions}
      rows=${costRows(operators, row)} /><${Definitions} rows=${rows} /><${SourceBlock}
      source=${operators.source(row)} />
    <${Nodes} operators=${operators} rows=${fusedInto(operators, row)} title="Fused into this operator" /><${Neighbors}
      row=${row} />`;
}

/* What is told of several operators: their sum, and what they are. */
function RowsDetails({chosen}) {
  const {operators} = method.value,
    {of} = times.value,
    time = sumOver(of, chosen.rows),
    estimated = estimatedOver(operators, chosen.rows, of),
    byTime = Array.from(chosen.rows).sort((a, b) => (of[b] || 0) - (of[a] || 0)),
    module = chosen.kind === 'module' ? method.value.modulesByPath.get(chosen.id) : null;
  const field = {
      module: ['module', chosen.id],
      line: ['line', chosen.id],
      pattern: ['module', chosen.id],
      backend: ['backend', chosen.id],
      op: ['op', chosen.id],
      finding: ['finding', chosen.id],
    }[chosen.kind],
    terms =
      chosen.kind === 'repeated'
        ? repeatedTerms(operators.module(chosen.rows[0])?.pattern ?? '', operators.op(chosen.rows[0]))
        : field
          ? term(...field)
          : '';
  return html`${chosen.kind === 'all' ? null : html`<${Places} />`}<${Definitions} rows=${[
    [
      'operators',
      html`<${Link} act=${() => show('table', {in: terms, q: '', by: 'node'})}>
        ${countText(chosen.rows.length, 'operator')}<//>`,
    ],
    ['type', module ? shortType(module.type) : null],
    [
      'time',
      `${timeText(time, estimated, chosen.rows)} ${unitName.value}${withInterruptions()}`,
      explain(sumHint(), chosen.rows),
    ],
    ['share', shareOfWhole(time), 'of Method::execute'],
    ['around', module?.parent ? html`<${ModuleLink} module=${module.parent} />` : null],
  ]} />
    ${
      module?.children.length
        ? html`<section><h3>Modules inside</h3><ul>
      ${module.children.slice(0, MOST_LISTED).map(inside => html`<li><${ModuleLink} module=${inside} /></li>`)}</ul>
      ${
        module.children.length > MOST_LISTED
          ? html`<p class="quiet">${module.children.length - MOST_LISTED} more
      </p>`
          : null
      }</section>`
        : null
    }
    <section><h3>By operator type, in ${unitName.value}</h3><${Definitions} rows=${groupRows(
      operators,
      chosen.rows,
      'op',
      of,
    )
      .slice(0, MOST_LISTED)
      .map(group => [
        group.key,
        `${timeText(group.time, group.estimated, group.rows)} ×${group.count}`,
        explain(sumHint(), group.rows),
      ])} /></section>
    ${chosen.kind === 'line' ? html`<${SourceBlock} source=${operators.source(chosen.rows[0])} />` : null}<${Nodes}
      operators=${operators} rows=${byTime} title="Most time first" />`;
}

/* The panel of a delegate: where it is, what is in it, why it ends where it ends. */
function DelegateDetails({chosen}) {
  const shown = method.value,
    delegate = shown.delegates.find(({instruction}) => String(instruction) === chosen.id),
    {operators} = shown,
    {of} = times.value;
  if (!delegate) return html`<p class="note">This method has no delegate at instruction ${chosen.id}.</p>`;
  const rows = rowsOfDelegate(shown, delegate),
    module = shown.modules[delegate.module] ?? null,
    time = (ns, inside) => (ns === null ? null : `${timeText(ns, 0, inside)} ${unitName.value}`),
    order = Array.from(rows).sort((a, b) => a - b),
    at = shown.delegates.indexOf(delegate);
  const neighbors = [...shown.delegates].sort((a, b) => a.instruction - b.instruction),
    place = neighbors.indexOf(delegate),
    link = other =>
      html`<${Link} act=${() => select('delegate', other.instruction)}>instruction ${other.instruction}<//>`;
  return html`<${Definitions} rows=${[
    ['backend', delegate.backend],
    ['module', module ? html`<${ModuleLink} module=${module} />` : delegate.nodes > 0 ? 'several modules' : ''],
    ['typical', time(delegate.call), explain(`the whole call, ${STAT_TEXTS.typical}`)],
    ['share', shareText(delegate.call, shown.execute.typical), TYPICAL_SHARE],
    ['graph operators', time(delegate.on_nodes, rows), explain('the operators inside, in the typical run', rows)],
    [
      'the rest of the call',
      time(delegate.call && delegate.call - delegate.on_nodes),
      explain('the call less the operators inside, in the typical run'),
    ],
    ...DELEGATE_PARTS.map(([key, title]) => [
      title,
      delegate[key] > 0 ? time(delegate[key]) : null,
      explain('as the backend recorded it, in the typical run'),
    ]),
    ['delegate before', neighbors[place - 1] ? link(neighbors[place - 1]) : null],
    ['delegate after', neighbors[place + 1] ? link(neighbors[place + 1]) : null],
    ['cut by', delegate.cutBy >= 0 ? html`<${NodeLink} operators=${operators} row=${delegate.cutBy} />` : null],
    [
      'because',
      delegate.cutReason &&
        `${delegate.backend}'s partitioner ${
          delegate.cutReason.startsWith('no ') ? `has ${delegate.cutReason}` : delegate.cutReason
        }`,
    ],
  ]} />
    <p><${Link} act=${() => show('table', {in: term('delegate', delegate.instruction), q: '', by: 'node'})}>
      ${countText(rows.length, 'operator')} in the table<//> · <${Link} act=${() => show('timeline')}>timeline
      <//> · <${Link} act=${() => show('graph')}>graph<//></p>
    <section><h3>By operator type, in ${unitName.value}</h3><${Definitions}
      rows=${groupRows(operators, rows, 'op', of).map(group => [
        group.key,
        `${timeText(group.time, group.estimated, group.rows)} ×${group.count}`,
        explain(sumHint(), group.rows),
      ])} /></section>
    <section><h3>Operators inside, in order</h3><ul class="inside">${order.slice(0, 200).map(
      row => html`<li
      key=${`${at}.${row}`}><${Link} act=${() => select('node', operators.name(row))}>${operators.name(row)}<//> <span
      class="quiet" aria-description=${explain(STAT_TEXTS[times.value.stat], [row])}>
      ${
        of[row] >= 0
          ? `${timeText(of[row], estimateOf(operators)(row), [row])} ${unitName.value}, ${shareOfWhole(of[row])}`
          : ''
      }</span></li>`,
    )}</ul>
    ${order.length > 200 ? html`<p class="quiet">${order.length - 200} more</p>` : null}<p class="note"
      aria-description=${explain(sumHint(), rows)}>Their sum is ${timeText(
        sumOver(of, rows),
        estimatedOver(operators, rows, of),
        rows,
      )} ${unitName.value}.</p></section>`;
}

/* Findings about what is on no operator name those beside it, whose times are others. */
const NEIGHBORS = {layout: 'Operators beside them, in the same delegates'};

/* A lever: why it is believed, the code before and after, and what it is about. */
function FindingDetails({chosen}) {
  const {kind, evidence, saving, code, docs = ''} = method.value.findings[Number(chosen.id)] ?? {};
  return html`<p>${evidence} ${saving}</p>${
    /^https:/.test(docs) ? html`<p>How: <a class="text-link" href=${docs}>${docs.split('/').pop()}</a></p>` : null
  }${
    code
      ? html`<h3>Before</h3><pre>${code.before}</pre><h3>After</h3><pre>
    ${code.after}</pre>`
      : null
  }${chosen.rows.length && NEIGHBORS[kind] ? html`<h3>${NEIGHBORS[kind]}</h3>` : null}${
    chosen.rows.length ? html`<${RowsDetails} chosen=${chosen} />` : null
  }`;
}

const titleOf = chosen => {
  if (chosen.kind === 'finding') return method.value.findings[Number(chosen.id)]?.title ?? 'finding';
  if (chosen.kind === 'all') return method.value.name;
  if (chosen.kind === 'delegate') return `delegate at instruction ${chosen.id}`;
  if (chosen.kind === 'tensor') return `tensor ${chosen.id}`;
  if (chosen.kind === 'line') return chosen.id.split('/').pop();
  return chosen.row >= 0 ? method.value.operators.name(chosen.row) : chosen.id || 'the whole model';
};

/** Panels for kinds of selection that only one view knows, by kind: components with {chosen}. */
export const detailsOfKind = {delegate: DelegateDetails, finding: FindingDetails};

const WIDE_VIEWS = ['table', 'graph', 'memory']; // those that have details beside them where there is room
const room = globalThis.matchMedia?.('(min-width: 2000px)'),
  isWide = signal(room?.matches ?? false);
room?.addEventListener('change', () => (isWide.value = room.matches));

/** The panel: what is selected, or all operators where there is room. */
export function Details() {
  const isAll = !selection.value,
    chosen =
      selection.value ??
      (isWide.value && WIDE_VIEWS.includes(get('view'))
        ? {kind: 'all', id: '', rows: method.value.operators.timed, row: -1, isGone: false}
        : null);
  if (!chosen) return null;
  const Kind = detailsOfKind[chosen.kind],
    title = titleOf(chosen);
  return html`<aside class="details" aria-label=${`Details of ${title}`}><header><h2>${title}</h2>
    ${
      isAll
        ? null
        : html`<button type="button" class="close" aria-label="Close details"
    onClick=${() => select(null)}>×</button>`
    }</header>
    <p class="quiet">${KIND_TEXTS[chosen.kind]}</p>${
      chosen.isGone
        ? html`<p
      class="note">This method has no such operator.</p>`
        : chosen.row >= 0
          ? html`<${OperatorDetails}
      row=${chosen.row} />`
          : Kind
            ? html`<${Kind} chosen=${chosen} />`
            : html`<${RowsDetails} chosen=${chosen} />`
    }
      </aside>`;
}
