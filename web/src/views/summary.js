// SPDX-License-Identifier: BSD-3-Clause
//
// summary.js - the first view: where a method's time goes, in parts that add up to it; what to do about it; the runs.

import {STAT_TEXTS, compared, comparedMethod, explainRuns, hasHit, labelOf, method, profile, select, selection, show, stepOf, times, timeOf, timeWithUnit} from '../base/app.js';
import {sumOver} from '../base/columns.js';
import {term} from '../base/filter.js';
import {changeText, countText, shareText, shortOp, sourceText, stepText} from '../base/format.js';
import {html} from '../base/html.js';
import {RUN_WORDS, TOP_LEVEL, balanceParts, estimatedOver, groupRows, rowsInside} from '../base/method.js';
import {get, set} from '../base/store.js';
import {Figure, Link, commandOf, bar, shareColumn, sumHint, timeColumn} from '../parts/bits.js';
import {SmallTable, isPrinting} from '../parts/table.js';
import {Verdict, centreText, isPooled} from './compare.js';
import {foldRows, isRepetitive, openGroup} from './operators.js';

const ROWS = 8, FINDINGS_SHOWN = 5;

const partText = ({text}) => text;

/* The statistic in which parts of the time are shown: averages if they are chosen, or else the typical run, because medians and a run have none. */
const statOfParts = () => (times.value.stat === 'avg' ? 'avg' : 'typical');

/* The parts of the time as a bar and its legend, for a first look; the table below has the same parts with their times. */
function Balance() {
  const shown = method.value, stat = statOfParts(), parts = balanceParts(shown, stat).map(part => ({...part, share: shareText(part[stat], shown.execute[stat])}));
  return html`<div class="balance-bar" aria-hidden="true">${parts.map(part => html`<span class=${`part ${part.part}`} style=${{flexGrow: String(part[stat])}} title=${`${partText(part)}: ${part.share}`}></span>`)}</div>
    <ul class="legend" aria-hidden="true">${parts.map(part => html`<li><span class=${`swatch ${part.part}`}></span>${partText(part)} ${part.share}</li>`)}</ul>`;
}

function BalanceTable() {
  const {balance, execute} = method.value, stat = statOfParts(), whole = {part: 'execute', text: 'Method::execute', typical: execute.typical, avg: execute.avg};
  return html`<${SmallTable} caption="Where the time goes" rows=${[...balance, whole]} command=${commandOf('summary', {}, '--by part', ...(stat === 'avg' ? ['--stat avg'] : []))} columns=${[
    {key: 'part', title: 'part', text: partText, cell: part => html`${part.part === 'execute' ? null : html`<span class=${`swatch ${part.part}`}></span>`}${partText(part)}`},
    timeColumn(stat, stat, `${STAT_TEXTS[stat]}; the parts add up to Method::execute`, part => part[stat], {stat, rows: part => (part.part === 'operators' ? method.value.operators.timed : undefined)}),
    {key: 'share', title: 'share', hint: 'of Method::execute', number: true, text: part => shareText(part[stat], execute[stat])},
  ]} />`;
}

/* A table of delegates' time by `key`; nothing if every part has the value `plain`, which means that no backend recorded more. */
function DelegateParts({title, parts, name, plain}) {
  const stat = statOfParts();
  if (!parts.some(part => part[name] !== plain)) return null;
  return html`<section class="card"><${SmallTable} caption=${title} rows=${parts} columns=${[
    {key: 'backend', title: 'backend', class: 'key', text: part => part.backend ?? '(unknown)'}, {key: name, title: name.replace('_', ' '), text: part => part.text},
    timeColumn(stat, stat, `${STAT_TEXTS[stat]}, of all delegates`, part => part[stat], {stat}), {key: 'share', title: 'share', hint: 'of Method::execute', number: true, text: part => shareText(part[stat], method.value.execute[stat])},
  ]} /></section>`;
}

/** Says how much operator time the delegates' clock may have rounded away; null if none. */
export function clockNote(shown) {
  if (!(shown.clockHidden > 0)) return null;
  return `up to ${timeWithUnit(shown.clockHidden)} of calling delegates may be time of operators, because the delegates' clock counts whole microseconds`;
}

/** Says how many runs count, and how many are excluded. */
function runsText({runs, skippedRuns, skipped}) {
  const counted = countText(runs, 'run');
  return skippedRuns ? `${counted}; ${skippedRuns} more excluded (${timeWithUnit(skipped)})` : counted;
}

const TOLD_BY = {sizes: 'Distinguished by the sizes of the values that the runs logged', events: 'Distinguished by the events of the runs', times: 'Estimated from the operators’ times, which longer runs stretch by different factors'};
const STEADINESS = {steady: 'steady', noisy: 'noisy', two_modes: 'two modes', step: 'a step', drift: 'a drift'};
const cvText = cv => (cv > 1 ? 'over 100 %' : shareText(cv, 1));

/* The median of the base, its change and what the library decided, as Compare shows them; nothing without a base. */
function againstBase() {
  const {execute, may_differ: differs} = comparedMethod.value ?? {};
  if (!(execute?.base_p50 > 0 && execute.new_p50 > 0)) return null;
  return html`<span aria-description=${explainRuns(centreText(execute))}><${Link} act=${() => show('compare')} title=${`the base is ${labelOf(compared.value?.base)}`}>${isPooled(execute) ? `recordings ${timeWithUnit(execute.new_p50)}, ` : ''}base ${timeWithUnit(execute.base_p50)}<//></span>${differs ? null : html`, ${changeText(execute.base_p50, execute.new_p50)} <${Verdict} verdict=${execute.verdict} />`}`;
}

function Figures() {
  const {execute, operators, noise} = method.value, figure = (label, what, value, note) => html`<${Figure} label=${label} value=${value} note=${note} why=${explainRuns(what)} />`, range = (from, to) => `${timeOf(from)} – ${timeWithUnit(to)}`;
  return html`<div class="figures">${figure('typical run of Method::execute', 'the mean over the middle third of the runs, which all typical times are over', timeWithUnit(execute.typical), runsText(method.value))}${figure('median over runs', 'half of the runs took less', timeWithUnit(execute.p50), againstBase())}
    ${figure('p10 – p90', 'a tenth of the runs took less, a tenth more', range(execute.p10, execute.p90))}${figure('min – max', 'the fastest and the slowest run', range(execute.min, execute.max))}
    ${noise && noise.verdict !== 'few_runs' ? figure('noise', 'coefficient of variation of the runs: their spread, relative to their median', STEADINESS[noise.verdict] ?? noise.verdict, `cv ${cvText(noise.cv)}${noise.outliers ? `, ${countText(noise.outliers, 'outlier')}` : ''}`) : null}
    <${Figure} label="operators with a time" value=${`${operators.timed.length} of ${operators.count}`} why="operators of the graph that events were matched to" /></div>`;
}

/** The phases of the runs; nothing if there is only one. */
function Phases() {
  const {phases} = method.value, time = key => timeColumn(key, key, `${key} of the runs of this phase`, phase => phase[key]);
  if (phases.length === 0) return null;
  return html`<section class="card"><${SmallTable} caption="Phases of the runs" rows=${phases} columns=${[{key: 'phase', title: 'phase', class: 'key', text: phase => phase.phase}, {key: 'runs', title: 'runs', hint: 'runs of this phase that count', number: true, text: phase => String(phase.runs.length)},
    ...['typical', 'avg', 'p50', 'p90'].map(time), {key: 'cv', title: 'cv', hint: 'coefficient of variation: the spread of the runs, relative to their median', number: true, text: phase => (phase.noise.cv === null ? '' : cvText(phase.noise.cv))}]} />
    <p class="note">${TOLD_BY[phases[0].told_by]}. All other times are over the runs of all phases.</p></section>`;
}

/* ---- The runs ---- */

/** The number of each run that counts, as the document numbers it. */
export const runNumbers = shown => shown.document.run_numbers;

/** Shows all views for one run, by its position among those that count. */
export const chooseRun = at => set({stat: 'run', run: String(runNumbers(method.peek())[at])});

/* The time of one run: only the clock limits its digits. */
const timeOfRun = ns => timeWithUnit(ns, stepOf());

/** A column for each run, in the order in which they ran; each is a button. */
function Runs() {
  const {perRun} = method.value, most = Math.max(...perRun), width = 360, height = 64, numbers = runNumbers(method.value), chosen = get('stat') === 'run' ? numbers.indexOf(Number(get('run'))) : -1;
  if (perRun.length < 2) return null;
  const explainRun = at => `run ${numbers[at]}: ${timeOfRun(perRun[at])}; ${explainRuns('measured once, so to the step of the clock')}`;
  const step = width / perRun.length, gap = step > 4 ? 2 : 0;
  const pick = event => {
    const box = event.currentTarget.getBoundingClientRect();
    chooseRun(Math.min(perRun.length - 1, Math.floor(((event.clientX - box.left) / box.width) * perRun.length)));
  };
  const key = event => {
    const by = {ArrowRight: 1, ArrowLeft: -1}[event.key], at = event.key === 'Home' ? 0 : event.key === 'End' ? perRun.length - 1 : by ? Math.max(0, Math.min(perRun.length - 1, (chosen < 0 ? (by > 0 ? -1 : perRun.length) : chosen) + by)) : -1;
    if (at < 0) return;
    chooseRun(at);
    event.preventDefault();
    event.stopPropagation();
  };
  return html`<figure class="runs"><svg viewBox=${`0 0 ${width} ${height}`} preserveAspectRatio="none" role="slider" tabindex="0" aria-label=${`Time of each run, up to ${timeOfRun(most)}. Arrow keys choose a run.`} aria-valuemin="0" aria-valuemax=${perRun.length - 1} aria-valuenow=${chosen}
    aria-valuetext=${chosen >= 0 ? `run ${numbers[chosen]}, ${timeOfRun(perRun[chosen])}` : 'no run chosen'} onClick=${pick} onKeyDown=${key}>
    ${perRun.map((ns, at) => html`<rect x=${at * step} y="0" width=${step} height=${height} class="hit-area" aria-description=${explainRun(at)}></rect><rect x=${at * step} width=${Math.max(0.5, step - gap)} y=${height - (ns / most) * height} height=${(ns / most) * height} class=${at === chosen ? 'run chosen' : 'run'} />`)}</svg>
    <figcaption aria-description=${explainRuns('Method::execute of one run')}>time of each run, first to last; longest ${timeOfRun(most)}. <span class="acts">${Object.entries(RUN_WORDS).map(([word, find], place) => html`${place ? ' · ' : ''}<${Link} title=${`show all views for the ${word} run`} act=${() => chooseRun(find(perRun))}>${word}<//>`)}</span>${chosen >= 0 ? html` <strong aria-description=${explainRun(chosen)}>run ${numbers[chosen]}: ${timeOfRun(perRun[chosen])}</strong> <${Link} act=${() => set({stat: 'typical', run: ''})}>all runs<//>` : null}</figcaption></figure>`;
}

/* ---- Findings ---- */

const FINDING_TIMES = 'medians over runs, of kernels with the calls around them';

// A finding is an action: what to do, why, what it could save.
function Finding({finding}) {
  const part = finding.potential_share, time = finding.potential, unknown = time === null;
  return html`<li class=${selection.value?.said === `finding:${finding.index}` ? 'chosen' : ''}><span class="cost" aria-description=${explainRuns('the most that it could save, of the median over runs')}><strong>${unknown ? '' : part === null ? 'once' : shareText(part, 1)}</strong><span>${unknown ? '' : timeWithUnit(time)}</span></span>
    <div aria-description=${explainRuns(FINDING_TIMES)}><strong>${finding.title}</strong>${finding.fact ? `: ${finding.fact}` : ''}<p>${finding.evidence} ${finding.saving}</p>
    ${finding.rows.length ? html`<span class="acts"><${Link} act=${() => select('finding', finding.index)}>show ${countText(finding.rows.length, 'operator')}<//> · <${Link} act=${() => show('operators', {q: term('finding', finding.index), 'op.group': 'none', sel: `finding:${finding.index}`})}>in the table<//></span>` : null}</div></li>`;
}

function Findings() {
  const {findings, runs} = method.value, rest = findings.slice(FINDINGS_SHOWN);
  if (findings.length === 0) return runs ? html`<p class="note">Nothing was found that would be worth changing.</p>` : null;
  return html`<section class="card findings" aria-label="Findings"><h2>What to do next, most to be saved first</h2><p class="note">Times are ${FINDING_TIMES}; tables show kernels alone.</p><ol>${findings.slice(0, FINDINGS_SHOWN).map(finding => html`<${Finding} finding=${finding} />`)}</ol>
    ${rest.length ? html`<details open=${isPrinting.value}><summary>${rest.length} more</summary><ol start=${FINDINGS_SHOWN + 1}>${rest.map(finding => html`<${Finding} finding=${finding} />`)}</ol></details>` : null}</section>`;
}

/* ---- Where the time is ---- */

/* A card of the groups with the most time. A click on a row selects it everywhere. */
function GroupCard({title, by, kind, label, groups, command = null, open, columns = []}) {
  const most = groups[0]?.time ?? 0;
  return html`<section class="card"><${SmallTable} caption=${title} most=${ROWS} rows=${groups} command=${command} open=${open ?? (group => (kind ? select(kind, group.key) : show('operators', {q: term(by, group.key), 'op.group': 'none'})))} isChosen=${group => Boolean(kind) && selection.value?.said === `${kind}:${group.key}`} isHit=${group => hasHit(group.rows)} columns=${[
    {key: 'key', title: title.toLowerCase(), class: 'key', text: group => group.key, cell: group => html`<span title=${group.key}>${label(group)}</span>`},
    timeColumn('time', times.value.label, sumHint(), group => group.time, {rows: group => group.rows, estimated: group => group.estimated}),
    shareColumn(group => group.time), {key: 'nodes', title: 'nodes', hint: 'operators of the graph with a time', number: true, text: group => String(group.count)}, ...columns,
    {key: 'bar', title: '', class: 'bar-cell', cell: group => bar(group.time, most, group.estimated)},
  ]} /></section>`;
}

/* Modules by the time of their own operators, with that of all inside. */
function ModuleCard({operators}) {
  const {of} = times.value, {modulesByPath} = method.value;
  const groups = groupRows(operators, operators.timed, 'module', of), inside = group => (modulesByPath.has(group.key) ? rowsInside(modulesByPath.get(group.key)) : group.rows);
  return html`<${GroupCard} title="Module" command=${commandOf('summary', {isSum: true}, '--by module')} by="own" kind="module" groups=${groups} label=${group => html`<span class="cut head"><bdi>${group.key || TOP_LEVEL}</bdi></span>`}
    columns=${[timeColumn('total', 'total', `${sumHint()}, with all modules inside`, group => sumOver(of, inside(group)), {rows: inside, estimated: group => estimatedOver(operators, inside(group), of)})]} />`;
}

/* Repeated modules as one row: their operators by pattern. */
function RepeatedCard({operators}) {
  const groups = foldRows(operators, operators.timed, times.value.of).sort((a, b) => b.time - a.time).map(group => ({...group, key: `${group.pattern || TOP_LEVEL} · ${shortOp(group.op)}`}));
  return html`<${GroupCard} title="Repeated operator" groups=${groups} open=${group => openGroup('pattern', group, {view: 'operators', q: ''})} label=${group => html`<span class="cut head"><bdi>${group.key}${group.each.length > 1 ? html` <span class="badge">×${group.each.length}</span>` : null}</bdi></span>`} />`;
}

function Groups() {
  const {operators, hasGraph} = method.value, {of} = times.value;
  if (!hasGraph || operators.timed.length === 0) return null;
  const line = group => {
    const source = operators.source(group.rows[0]);
    return source ? html`${sourceText(source)}<code>${source.code}</code>` : '(not recorded)';
  };
  return html`<div class="grid"><${GroupCard} title="Operator" command=${commandOf('summary', {isSum: true}, '--by op')} by="op" kind="op" groups=${groupRows(operators, operators.timed, 'op', of)} label=${group => shortOp(group.key)} />
    ${isRepetitive(method.value) ? html`<${RepeatedCard} operators=${operators} />` : null}<${ModuleCard} operators=${operators} />
    <${GroupCard} title="Source line" command=${commandOf('summary', {isSum: true}, '--by source')} by="line" kind="line" groups=${groupRows(operators, operators.timed, 'source', of)} label=${line} /><${GroupCard} title="Backend" command=${commandOf('summary', {isSum: true}, '--by backend')} by="backend" groups=${groupRows(operators, operators.timed, 'backend', of)} label=${group => group.key} /></div>`;
}

/* ---- What was read ---- */

function Warnings() {
  const {warnings} = profile.value;
  if (warnings.length === 0) return null;
  return html`<section class="card warnings" aria-label="Warnings"><h2>${countText(warnings.length, 'warning')}</h2><ul>${warnings.map(warning => html`<li>${[warning.file, warning.entry, warning.message].filter(Boolean).join(': ')}</li>`)}</ul></section>`;
}

function Inputs() {
  const {load, inputs, version} = profile.value, loads = load.map(event => `${event.event_name} ${timeOfRun(event.avg)}`).join(', ');
  const clocks = Object.entries(method.value.clocks).map(([backend, ns]) => `${backend || 'the runtime'} ${stepText(ns)}`).join(', ');
  const rows = [['read', inputs.join(', ')], ['load', loads, explainRuns('average of all loads')], ['step of the clock', clocks, 'least time of the clock'], ['written by', `etrecord-tb ${version}`]];
  return html`<section class="card inputs"><h2>Inputs</h2><dl>${rows.filter(([, value]) => value).map(([key, value, why]) => html`<dt>${key}</dt><dd aria-description=${why}>${value}</dd>`)}</dl></section>`;
}

export function SummaryView() {
  const shown = method.value;
  if (shown.runs === 0) return html`<div class="summary"><p class="note">This record has no run times for this method. Its graph is shown in Operators and Delegation.</p><${Findings} /><${Warnings} /><${Inputs} /></div>`;
  const notes = [...shown.notes, clockNote(shown), shown.noise?.text].filter(Boolean), parts = [html`<${DelegateParts} title="Delegate overhead by phase" parts=${shown.delegatePhases} name="phase" plain="other" />`, html`<${DelegateParts} title="Delegates by compute unit" parts=${shown.computeUnits} name="compute_unit" plain=${null} />`];
  return html`<div class="summary"><section class="card balance"><${Figures} /><${Balance} /></section><${Findings} />
    <section class="card balance"><div class="columns"><${BalanceTable} /><${Runs} /></div>${notes.map(note => html`<p class="note" aria-description=${explainRuns('of Method::execute')}>${note}</p>`)}</section><${Phases} /><div class="grid">${parts}</div><${Groups} /><${Warnings} /><${Inputs} /></div>`;
}
