// SPDX-License-Identifier: BSD-3-Clause
//
// timeline.js - the events of a run on lanes: its modules, the calls, and what ran inside delegates; with a base, its run below, on the same scale. A marked span is summed.

import {STAT_TEXTS, baseMethod, carryingRows, compared, comparedMethod, explainRuns, hits, isHitRow, labelOf, method, sectionOf, selectedRows, selection, stepOf, timelineOf, timeOf, timeWithUnit, unitName} from '../base/app.js';
import {Columns} from '../base/columns.js';
import {command} from '../base/commands.js';
import {CALL, DELEGATE, EXECUTE, INSIDE, KERNEL, moduleBoxes, sumSpan} from '../base/events.js';
import {countText, numberText, shareText, shortOp, sourceText, stepText} from '../base/format.js';
import {html} from '../base/html.js';
import {CPU, RUN_WORDS, backendColour, matchText, rowsInside} from '../base/method.js';
import {ESTIMATED, SYNTHETIC, makeRow} from '../base/rects.js';
import {nodeId} from '../base/selection.js';
import {declare, flag, get, list, number, oneOf, peek, set, text} from '../base/store.js';
import {BackendLegend, Check, NodeLink, Segments, timeColumn, timeText} from '../parts/bits.js';
import {AXIS_HEIGHT, Scene, SceneTools, colourOf, currentScene} from '../parts/scene.js';
import {SmallTable} from '../parts/table.js';

const ROW = 22, GAP = 8, LONGEST = 12;
const BY = [['op', 'Operator'], ['module', 'Module'], ['backend', 'Backend'], ['source', 'Source line']];

declare({'tl.from': number(0), 'tl.to': number(0), 'tl.span': text(), 'tl.without': list(), 'tl.by': oneOf('op', ...BY.slice(1).map(([value]) => value)), 'tl.raw': flag(false)});

command({name: 'timeline-raw', keys: ['r'], text: 'Show the names of events as the runtime wrote them', views: ['timeline'], run: () => set({'tl.raw': !peek('tl.raw')}, {replace: true})});

/* ---- What is shown ---- */

/* The position of a run among those of a timeline: the one of the state, or the median one. */
function runAt({runs}, wanted) {
  const found = wanted === null ? -1 : runs.findIndex(({run}) => run === wanted);
  return found >= 0 ? found : RUN_WORDS.median(timesOf(runs));
}

const timesOf = runs => runs.map(({execute}) => execute);

/* ---- Lanes ---- */

function eventColour(events, event) {
  const kind = events.kind[event], {operators} = events.method;
  if (kind === INSIDE) return colourOf(`backend${Math.max(1, backendColour(operators, events.backend(event)))}`);
  if (kind === DELEGATE) return colourOf('delegate');
  return colourOf(kind === KERNEL ? 'backend0' : events.operatorsOf(event).length ? 'around0' : 'framework');
}

/* Lays out one side: adds rows and lanes to the picture, whose ids go on at picture.next. */
function addSide(picture, name, events) {
  const boxes = moduleBoxes(events), first = picture.next, flat = boxes.flat(), prefix = name === 'base' ? 'base: ' : '';
  const lane = (key, label, levels, rowOf, isEvents) => {
    if (levels === 0) return;
    picture.lanes.push({key: `${name}.${key}`, label: prefix + label, top: picture.height, height: levels * ROW, isEvents});
    for (let level = 0; level < levels; level++) picture.rows.push({...rowOf(level), top: picture.height + level * ROW, height: ROW - 2});
    picture.height += levels * ROW + GAP;
  };
  let id = first + events.count;
  const ids = boxes.map(level => level.map(() => id++)), boxOf = at => flat[at - first - events.count];
  lane('modules', 'modules', boxes.filter(level => level.length).length, level => makeRow(ids[level], {start: at => boxOf(at).start, end: at => boxOf(at).end, colour: at => colourOf((at - ids[level][0]) % 2 ? 'odd' : 'even'), flags: at => (boxOf(at).isSynthetic ? SYNTHETIC : 0)}));
  events.lanes.forEach((made, index) => {
    const levels = Array.from({length: made.levels}, () => []);
    for (let event = 0; event < events.count; event++) if (events.lane[event] === index) levels[events.level[event]]?.push(first + event);
    lane(String(index), made.delegated ? `inside ${made.backend ?? 'delegates'}` : made.backend ?? 'calls', made.levels, level => makeRow(levels[level], {start: at => events.start[at - first], end: at => events.stop[at - first],
      colour: at => eventColour(events, at - first), flags: at => (events.measured[at - first] === 0 ? SYNTHETIC : 0) | (events.isEstimated(at - first) ? ESTIMATED : 0)}), true);
  });
  picture.sides.push({name, events, boxes: flat, first});
  picture.next = id;
  picture.end = Math.max(picture.end, events.end);
}

let kept = {}; // the last picture and what it is made from: state that only changes marks makes no new rows

function pictureOf(own, base) {
  if (kept.own === own && kept.base === base) return kept.picture;
  const picture = {rows: [], lanes: [], sides: [], next: 0, height: AXIS_HEIGHT + 4, end: 1};
  addSide(picture, 'this', own);
  if (base) {
    picture.height += GAP;
    addSide(picture, 'base', base);
  }
  picture.find = id => {
    const {name, events, boxes, first} = picture.sides[picture.sides.length > 1 && id >= picture.sides[1].first ? 1 : 0], at = id - first;
    return at < events.count ? {name, events, event: at, box: null} : {name, events, event: -1, box: boxes[at - events.count]};
  };
  kept = {own, base, picture};
  return picture;
}

/** Makes the rows that the view draws at first. */
export function prepareTimeline(shown) {
  const {timeline} = timelineOf(shown);
  if (timeline && !kept.own) pictureOf(timeline.eventsOf(runAt(timeline, null)), null);
}

/* ---- Texts ---- */

const syntheticText = backend => `${backend ?? 'the backend'} recorded only how long its events took and their order; each is drawn after the one before it`;
const KIND_TEXT = {[EXECUTE]: 'the whole run', [CALL]: 'call of a kernel, with the runtime’s work around it', [KERNEL]: 'kernel', [DELEGATE]: 'call of a delegate', [INSIDE]: 'inside a delegate'};

/* Formats a share with two digits at least, because most events take less than a thousandth. */
const clockText = backend => `clock step ${stepText(stepOf(backend))}`;

/* Times of one run: only the step of the clock limits their digits. */
const measured = (ns, backend = undefined) => timeWithUnit(ns, stepOf(backend));

const shareDigits = (ns, whole) => (ns > 0 && ns < 0.001 * whole ? `${Number(((100 * ns) / whole).toPrecision(2))} %` : shareText(ns, whole));

/* What a tooltip and a screen reader say of a box: a title and pairs. */
function told({name, events, event, box}, raw) {
  const {operators} = events.method, backend = event >= 0 ? events.backend(event) : undefined, share = ns => `${measured(ns, backend)}, ${shareDigits(ns, events.execute)} of the run`, side = name === 'base' ? [['record', 'the base']] : [];
  if (box) return {title: box.module?.path ?? box.label, pairs: [...side, ['from first to last', share(box.end - box.start)], ['calls', countText(box.events, 'event')], ...(box.isSynthetic ? [['hatched', syntheticText(null)]] : [])]};
  const rows = events.operatorsOf(event), [row] = rows, source = rows.length === 1 ? operators.source(row) : null, p50 = rows.length === 1 && (events.kind[event] === KERNEL || events.kind[event] === INSIDE) ? operators.numbers('p50')[row] : NaN;
  return {
    title: raw ? events.rawName(event) : events.label(event),
    pairs: [...side, ['duration', share(events.duration[event])], ['median of all runs', p50 >= 0 ? `${timeText(p50, Number(operators.isEstimated(row)), [row], 'p50')} ${unitName.value}` : null], ['is', KIND_TEXT[events.kind[event]]],
      ['operator', rows.length === 1 ? `${operators.op(row)}, ${operators.name(row)}` : null], ['module', events.kind[event] === DELEGATE ? null : rows.length === 1 ? operators.module(row)?.path : null],
      ['backend', events.backend(event) ?? (events.kind[event] === KERNEL ? CPU : null)], ['source', source ? `${sourceText(source)}${source.code ? `: ${source.code.trim().split('\n')[0].slice(0, 100)}` : ''}` : null],
      ['instruction', events.instruction[event] >= 0 ? String(events.instruction[event]) : null], ['event', raw || events.rawName(event) === events.label(event) ? null : events.rawName(event)],
      ['start', events.measured[event] === 0 ? `synthetic: ${syntheticText(events.backend(event))}` : measured(events.start[event], backend)], ['clock step', stepText(stepOf(backend))], ['matched', row >= 0 && rows.length === 1 && events.text('match', event) ? matchText(operators.text('match', row) ?? events.text('match', event)) : null], ['estimated', events.isEstimated(event) ? 'the operator was found by the order of operator classes' : null]].filter(([, value]) => value),
  };
}

/* ---- Marks, choices, the address ---- */

/* Returns the tests of ids for hits of the search and for the selection; null where there is none. */
function marksOf(picture) {
  const {isAll, has} = hits.value, chosen = selection.value, rows = carryingRows.value, [own] = picture.sides, drawn = new Set(own.events.operator), counterparts = new Map((comparedMethod.value?.nodes ?? []).filter(node => node.base_node >= 0).map(node => [node.base_node, node.new_node])), isDrawn = rows?.some((isIn, row) => isIn && drawn.has(row));
  const test = (ofRow, ofModule, ofDelegate) => id => {
    const {name, events, event, box} = picture.find(id), isBase = name === 'base', module = box?.module && isBase ? own.events.method.modulesByPath.get(box.module.path) : box?.module;
    if (box) return module ? ofModule(module) : false;
    const row = isBase ? counterparts.get(events.operator[event]) ?? -1 : events.operator[event];
    if (isBase) return row >= 0 && ofRow(row); // instructions of the base have other numbers
    return row >= 0 ? ofRow(row) : events.kind[event] === DELEGATE && ofDelegate(events, event);
  };
  const inCall = (events, event, bitmap) => events.operatorsOf(event).some(row => bitmap[row] && !drawn.has(row)); // an operator of which the delegate recorded no event
  const isOf = module => (chosen.kind === 'module' && chosen.id === module.path) || (chosen.row >= 0 && !isDrawn && own.events.method.operators.module(chosen.row) === module); // an operator without an event is in its module
  return {
    isHit: isAll ? null : test(row => has[row] === 1, module => rowsInside(module).some(row => has[row]), (events, event) => inCall(events, event, has)),
    isChosen: !chosen ? null : test(row => rows?.[row] === 1, isOf, (events, event) => (chosen.kind === 'delegate' ? chosen.id === String(events.instruction[event]) : Boolean(rows) && !isDrawn && inCall(events, event, rows))),
  };
}

/* The operator of this record that a base's was paired with; -1 if there is none. */
function counterpart(row) {
  return comparedMethod.value?.nodes.find(node => node.base_node === row)?.new_node ?? -1;
}

function choose({name, events, event, box}, isStep) {
  const {operators} = method.peek(), step = {replace: isStep};
  if (box) return name === 'this' && box.module && set({sel: `module:${box.module.path}`}, step);
  const rows = events.operatorsOf(event);
  if (name === 'this' && events.kind[event] === DELEGATE) return set({sel: `delegate:${events.instruction[event]}`}, step);
  const row = rows.length !== 1 ? -1 : name === 'this' ? rows[0] : counterpart(rows[0]);
  if (row >= 0) set({sel: nodeId(operators, row)}, step);
}

/** Reads a span of the address, "120~3400" in ns; null if there is none. */
export function readSpan(said) {
  const found = said.match(/^(\d+)~(\d+)$/);
  return found && Number(found[2]) > Number(found[1]) ? [Number(found[1]), Number(found[2])] : null;
}

/* ---- The table of a span ---- */

function keyText(by, key) {
  return by === 'source' && key.includes('/') ? key.slice(key.lastIndexOf('/') + 1) : key;
}

function SpanTable({picture, span}) {
  const by = get('tl.by'), without = get('tl.without'), length = span[1] - span[0], [own, base] = picture.sides.map(side => {
    const chosen = side.events.lanes.map((_, lane) => !without.includes(`${side.name}.${lane}`));
    return sumSpan(side.events, span, lane => chosen[lane], by);
  });
  const inBase = new Map((base ?? []).map(row => [row.key, row])), rows = [...own, ...(base ?? []).filter(row => !own.some(({key}) => key === row.key)).map(row => ({key: row.key, count: 0, total: 0, self: 0}))];
  const sum = (list, key) => list.reduce((all, row) => all + (row?.[key] ?? 0), 0), all = {isSum: true, key: 'sum', ...Object.fromEntries(['count', 'total', 'self'].map(key => [key, sum(own, key)]))};
  inBase.set('sum', base && Object.fromEntries(['count', 'total', 'self'].map(key => [key, sum(base, key)])));
  const time = (key, title, hint, of) => ({key: title, title: `${title} ${unitName.value}`, exact: `${title} ns`, hint, number: true, value: of, text: row => timeOf(of(row), stepOf()), why: row => `${numberText(of(row))} ns; ${hint}; run ${picture.sides[0].events.run}; ${clockText()}`});
  const columns = [
    {key: 'key', title: BY.find(([value]) => value === by)[1].toLowerCase(), class: 'key', text: row => keyText(by, row.key), cell: row => html`<span title=${row.key}>${row.isSum ? html`<strong>sum</strong>` : keyText(by, row.key)}</span>`},
    {key: 'count', title: 'count', hint: 'events in the span', number: true, value: row => row.count, text: row => String(row.count)},
    time('total', 'total', 'the parts of the events that are inside the span', row => row.total), time('self', 'self', 'without what is in events inside them', row => row.self),
    {key: 'share', title: 'share', hint: 'of the span, without what is in events inside them', number: true, value: row => row.self / length, text: row => shareText(row.self, length)},
    ...(base ? [time('base total', 'base total', 'of the base, in the same span', row => inBase.get(row.key)?.total ?? 0), time('base self', 'base self', 'of the base, in the same span', row => inBase.get(row.key)?.self ?? 0)] : []),
  ];
  const lanes = picture.lanes.filter(({isEvents}) => isEvents), toggle = key => set({'tl.without': without.includes(key) ? without.filter(other => other !== key) : [...without, key]}, {replace: true});
  return html`<section class="card span" aria-label="Span"><div class="toolbar"><strong aria-description=${`length of the span; ${clockText()}`}>${measured(length)}</strong><span class="count" aria-description=${`from the start of the run; ${clockText()}`}>from ${measured(span[0])} to ${measured(span[1])}</span>
    <${Segments} label="Sum by" options=${BY} chosen=${by} change=${value => set({'tl.by': value}, {replace: true})} />${lanes.length > 1 ? lanes.map(({key, label}) => html`<${Check} label=${label} checked=${!without.includes(key)} change=${() => toggle(key)} />`) : null}
    <button type="button" onClick=${() => currentScene()?.look(...span)}>zoom to it</button><button type="button" aria-label="Forget the span" onClick=${() => set({'tl.span': ''}, {replace: true})}>×</button></div>
    <${SmallTable} caption="In the marked span" rows=${[all, ...rows]} columns=${columns} most=${24} /></section>`;
}

/* ---- Around the picture ---- */

function RunChoice({timeline, at}) {
  const {runs} = timeline, words = new Map();
  for (const [word, find] of Object.entries(RUN_WORDS)) {
    const found = find(timesOf(runs));
    words.set(found, words.has(found) ? `${words.get(found)}, ${word}` : word);
  }
  const text = ({run, execute}, index) => `run ${run}: ${measured(execute)}${words.has(index) ? `, ${words.get(index)}` : ''}`;
  if (runs.length === 1) return html`<span class="count" aria-description=${explainRuns('Method::execute of one run')}>Run ${runs[0].run}, the median one: ${measured(runs[0].execute)}</span>`;
  const named = [...words.keys()].sort((a, b) => runs[a].execute - runs[b].execute);
  return html`<select aria-label="Run" value=${String(runs[at].run)} onChange=${event => set({stat: 'run', run: event.target.value})}>
    <optgroup label="fastest to slowest">${named.map(index => html`<option value=${String(runs[index].run)} selected=${index === at}>${text(runs[index], index)}</option>`)}</optgroup>
    <optgroup label="all runs">${runs.map((run, index) => (words.has(index) ? null : html`<option value=${String(run.run)} selected=${index === at}>${text(run, index)}</option>`))}</optgroup></select>`;
}

/* Names the operators that made a run slow, as the document does; nothing for other runs. */
function SlowRun({events}) {
  const shown = events.method, table = sectionOf(shown, 'per_run').value.value?.slow, slow = table?.count ? new Columns(table, table.count, []) : null, at = slow ? slow.indices('run').indexOf((shown.document.run_numbers ?? []).indexOf(events.run)) : -1;
  if (at < 0) return null;
  const rows = [1, 2, 3].map(number => ({row: slow.indices(`operator_${number}`)[at], more: slow.numbers(`excess_${number}`)[at]})).filter(({row, more}) => row >= 0 && more > 0);
  return html`<p class="note" aria-description=${explainRuns('this run less the median over runs')}>This run took ${measured(events.execute - shown.execute.p50)} longer than the median${slow.raw('outlier', at) === 1 ? ', far more than others' : ''}.${rows.length ? html` Longest beyond their medians: ${rows.map(({row, more}, index) => html`${index ? ', ' : ''}<${NodeLink} operators=${shown.operators} row=${row} /> +${measured(more, shown.operators.backend(row))}`)}.` : null}</p>`;
}

function Longest({events}) {
  const hasInside = events.kind.includes(INSIDE), rows = Array.from(events.kind.keys()).filter(event => [KERNEL, INSIDE].includes(events.kind[event]) || (events.kind[event] === DELEGATE && !(hasInside && events.inside.has(event)))).sort((a, b) => events.duration[b] - events.duration[a]).slice(0, LONGEST), {operators} = events.method;
  if (rows.length === 0) return null;
  const row = event => events.operator[event];
  return html`<section class="card"><${SmallTable} caption="Longest events of this run" rows=${rows} open=${event => choose({name: 'this', events, event, box: null})} isChosen=${event => row(event) >= 0 && selectedRows.value?.[row(event)] === 1} isHit=${event => isHitRow(row(event))} columns=${[
    {key: 'event', title: 'event', class: 'key', text: event => (row(event) >= 0 ? `${operators.module(row(event))?.path ?? ''} · ${shortOp(operators.op(row(event)))}`.replace(/^ · /, '') : events.label(event))},
    {key: 'time', title: `time ${unitName.value}`, exact: 'time ns', hint: `duration in run ${events.run}`, number: true, value: event => events.duration[event], text: event => `${events.isEstimated(event) ? '≈ ' : ''}${timeOf(events.duration[event], stepOf(events.backend(event)))}`, why: event => `duration in run ${events.run}; ${row(event) >= 0 ? `matched ${matchText(operators.text('match', row(event)))}; ` : ''}${clockText(events.backend(event))}`}, {key: 'share', title: 'share', hint: 'of this run', number: true, text: event => shareText(events.duration[event], events.execute)},
    timeColumn('p50', 'p50', STAT_TEXTS.p50, event => (row(event) >= 0 ? operators.numbers('p50')[row(event)] : NaN), {stat: 'p50', rows: event => (row(event) >= 0 ? [row(event)] : undefined)}),
    {key: 'node', title: 'node', class: 'key quiet', text: event => (row(event) >= 0 ? `${events.isEstimated(event) ? '≈ ' : ''}${operators.name(row(event))}` : '')},
    {key: 'backend', title: 'backend', class: 'key', text: event => events.backend(event) ?? CPU}, {key: 'start', title: `start ${unitName.value}`, hint: `from the start of the run; ${clockText()}`, number: true, text: event => (events.measured[event] ? timeOf(events.start[event], stepOf()) : 'synthetic')},
  ]} /></section>`;
}

const LaneLabels = ({lanes}) => html`<div class="lane-labels">${lanes.map(({key, label, top, height}) => html`<span key=${key} title=${label} style=${{top: `${top}px`, height: `${height}px`}}><bdi>${label}</bdi></span>`)}</div>`;

function Picture({picture}) {
  const raw = get('tl.raw'), span = readSpan(get('tl.span')), marks = marksOf(picture), find = picture.find;
  const follow = marks.isChosen ? Array.from({length: picture.next}, (_, id) => id).find(marks.isChosen) ?? null : null;
  const nameOf = ({events: of, event, box}) => (box ? box.label : raw ? of.rawName(event) : of.label(event));
  const shown = {
    rows: picture.rows, height: picture.height, end: picture.end, wheel: true, label: id => nameOf(find(id)), short: id => nameOf(find(id)).replace(/(?<=\S) \(.*$/, ''), axis: (ns, step) => axisText(ns, step), spanText: ns => measured(ns), ...marks,
    told: id => told(find(id), raw),
    choose: (id, isStep) => choose(find(id), isStep), moved: (from, to) => set({'tl.from': from, 'tl.to': to}, {replace: true}), spanned: marked => set({'tl.span': marked ? `${Math.floor(marked[0])}~${Math.ceil(marked[1])}` : ''}, {replace: true}),
  };
  return html`<div class="timeline-frame"><${LaneLabels} lanes=${picture.lanes} /><${Scene} label="Timeline. Arrow keys choose an event, plus and minus zoom, shift and arrows move, 0 shows all, M marks a span." shown=${shown} view=${[get('tl.from'), get('tl.to')]} span=${span} follow=${follow} /></div>`;
}

/* Formats a mark of the axis, with as many decimals as its steps need. */
function axisText(ns, step) {
  const whole = timeOf(ns, 0), decimals = (timeOf(step, 0).replace(/0+$/, '').split('.')[1] ?? '').length;
  return Number.isFinite(Number(whole)) ? `${Number(whole).toFixed(decimals)} ${unitName.value}` : whole;
}

export function TimelineView() {
  const shown = method.value, {timeline, error} = timelineOf(shown), other = baseMethod.value, base = other ? timelineOf(other).timeline : null;
  if (error) return html`<p class="note error" role="alert">${error}</p>`;
  if (timeline === undefined) return html`<p class="note">Loading…</p>`;
  if (timeline === null) return html`<p class="note">No run of this method was recorded.</p>`;
  const wanted = get('stat') === 'run' ? Number(get('run')) : null, at = runAt(timeline, wanted), events = timeline.eventsOf(at), baseEvents = base ? base.eventsOf(runAt(base, null)) : null;
  const synthetic = [...new Set(Array.from(events.measured.keys()).filter(event => events.measured[event] === 0).map(event => events.backend(event) ?? 'a delegate'))];
  const said = `${countText(events.count, 'event')}${timeline.leftOut ? `; ${countText(timeline.leftOut, 'more run')} not in the page` : ''}${baseEvents ? `; base ${labelOf(compared.value.base)}, run ${baseEvents.run}: ${measured(baseEvents.execute)}` : ''}`, picture = pictureOf(events, baseEvents), span = readSpan(get('tl.span'));
  return html`<div class="timeline"><div class="toolbar"><${RunChoice} timeline=${timeline} at=${at} /><span class="count fits" title=${said} aria-description=${clockText()}>${said}</span>
    <${SceneTools} name="timeline" /><${Check} label="names of the runtime" title="names of events as the runtime wrote them (r)" checked=${get('tl.raw')} change=${on => set({'tl.raw': on}, {replace: true})} />
    <span class="hint">wheel zooms · drag moves · shift-drag sums · ? lists keys</span></div>
    ${wanted !== null && events.run !== wanted ? html`<p class="note">The events of run ${wanted} are not in the page: it has those of ${countText(timeline.runs.length, 'run')}. Run ${events.run} is shown.</p>` : null}<${SlowRun} events=${events} />
    <div class="beside"><div><${Picture} picture=${picture} /><div class="under">${shown.hasGraph ? html`<${BackendLegend} operators=${shown.operators} />` : null}${synthetic.length ? html`<p class="note synthetic">Hatched at the bottom: synthetic start. ${synthetic.join(', ')} recorded only the duration and order of events, so each is placed after the one before it.</p>` : null}</div></div>
    <div>${span ? html`<${SpanTable} picture=${picture} span=${span} />` : null}<${Longest} events=${events} /></div></div></div>`;
}
