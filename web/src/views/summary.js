// SPDX-License-Identifier: BSD-3-Clause
//
// summary.js - the first view: how long an inference takes and why, in one sentence, one picture, levers and rows.

import {
  STAT_TEXTS,
  clocksText,
  explainRuns,
  inferenceText,
  method,
  modesOf,
  nearestText,
  profile,
  select,
  selectedRows,
  show,
  stepOf,
  timeOf,
  timeWithUnit,
  times,
  unit,
  unitName,
  wholeTime,
} from '../base/app.js';
import {countText, savingText, shareText} from '../base/format.js';
import {html} from '../base/html.js';
import {sentence} from '../base/labels.js';
import {withSums} from '../base/rows.js';
import {declare, flag, get, set} from '../base/store.js';
import {Bold, Link} from '../parts/bits.js';
import {room} from '../parts/room.js';
import {SmallTable, isPrinting} from '../parts/table.js';
import {Decoder, firstTokenText, otherSpeeds, speedText} from './decoder.js';
import {kernelsCommand, operatorColumns} from './table.js';
import {TimePicture, allRows, clearFilter, filterText, heightsOf, isPartShown, shownOperators} from './time_picture.js';

declare({levers: flag(false)});

const ROWS = 12,
  CARDS = 3, // levers in sight below the width of two columns
  HIGH = 1200; // px: from this height on there is room for what is folded elsewhere

/* ---- The hero ---- */

/** The number of each run that counts, as the document numbers it. */
export const runNumbers = shown => shown.document.run_numbers;

/** Shows all views for one run, by its position among those that count. */
export const chooseRun = at => set({stat: 'run', run: String(runNumbers(method.peek())[at])});

/* The time of one run: only the clock limits its digits. */
const timeOfRun = ns => timeWithUnit(ns, stepOf());

/** A column for each run, in the order in which they ran; a click shows all views for it. */
function Runs() {
  const {perRun, document} = method.value,
    most = Math.max(...perRun),
    numbers = runNumbers(method.value),
    chosen = get('stat') === 'run' ? numbers.indexOf(Number(get('run'))) : -1;
  if (perRun.length < 2) return null;
  const width = Math.max(120, Math.min(200, perRun.length * 12)),
    height = 28,
    step = width / perRun.length,
    gap = step > 4 ? 2 : 0;
  const nearest = document.nearest_run,
    marked = chosen < 0 ? nearest : chosen;
  const explainRun = at =>
    `run ${numbers[at]}: ${timeOfRun(perRun[at])}${
      at === nearest ? `, ${nearestText()}` : ''
    }; ${explainRuns('measured once')}`;
  const pick = event => {
    const box = event.currentTarget.getBoundingClientRect();
    chooseRun(Math.min(perRun.length - 1, Math.floor(((event.clientX - box.left) / box.width) * perRun.length)));
  };
  const key = event => {
    const last = perRun.length - 1,
      at = {Home: 0, End: last, ArrowLeft: Math.max(0, marked - 1), ArrowRight: Math.min(last, marked + 1)}[event.key];
    if (at === undefined) return;
    chooseRun(at);
    event.preventDefault();
    event.stopPropagation();
  };
  return html`<svg class="run-bars" width=${width} height=${height} viewBox=${`0 0 ${width} ${height}`} role="slider"
    tabindex="0" aria-label=${`Time of each run, up to ${timeOfRun(most)}. Arrow keys choose a run.`}
    aria-valuemin="0" aria-valuemax=${perRun.length - 1} aria-valuenow=${marked}
      aria-valuetext=${`run ${numbers[marked]}, ${timeOfRun(perRun[marked])}`} onClick=${pick} onKeyDown=${key}>
    ${perRun.map(
      (ns, at) => html`<rect x=${at * step} y="0" width=${step} height=${height} class="hit-area"
      aria-description=${explainRun(at)}></rect><rect x=${at * step} width=${Math.max(0.5, step - gap)}
      y=${height - (ns / most) * height} height=${(ns / most) * height}
      class=${at === marked ? 'run chosen' : 'run'} />`,
    )}</svg>`;
}

/** Of how many runs times are; where both modes are said instead, with the typical time. */
export function runsText(label) {
  const {runs} = method.value,
    time = modesOf(method.value) && label === 'typical' ? ` ${timeWithUnit(wholeTime.value)}` : '';
  return runs < 2 ? '1 run' : `${label}${time} of ${countText(runs, 'run')}`;
}

/* Below the bars of the runs: how many, from least to most, and how long loading takes. */
function RunsText() {
  const {execute, runs, skippedRuns} = method.value,
    {stat, label} = times.value,
    /* The longest event contains the others. */
    load = Math.max(0, ...profile.value.load.map(event => event.typical ?? 0));
  const range = execute.min === null || runs < 2 ? '' : `, ${timeOf(execute.min)} – ${timeWithUnit(execute.max)}`;
  return html`<div aria-description=${explainRuns('the fastest and the slowest run')}>
    ${
      stat === 'run'
        ? html`${label} · <${Link} act=${() => set({stat: 'typical', run: ''})}>all runs
    <//>`
        : `${runsText(label)}${range}`
    }</div>
    ${
      firstTokenText()
        ? html`<div aria-description=${explainRuns('of the runs that read the prompt')}>${firstTokenText()}
    </div>`
        : null
    }
    ${otherSpeeds().map(said => html`<div aria-description=${explainRuns('of its runs')}>${said}</div>`)}
    ${skippedRuns ? html`<div aria-description="as warm-up, or by choice">${countText(skippedRuns, 'more run')} left out</div>` : null}
    <div><span aria-description=${explainRuns('of Method::execute')}>${method.value.document.variation}</span>${
      load > 0
        ? html` · <span
          aria-description="measured once, by the runtime’s clock">loading takes ${timeOfRun(load)}, once</span>`
        : null
    }</div>`;
}

/** Returns the answer without its first part, which is the time: "67 % is 49 float32 linear layers in XNNPACK." */
export const reasonText = ({answer}) => answer.slice(answer.indexOf('. ') + 2);

function Hero() {
  const shown = method.value,
    {stat} = times.value,
    time = stat === 'typical' ? undefined : [times.value.whole],
    tokens = stat === 'typical' ? speedText(shown.document.throughput) : '';
  return html`<section class="hero"><div><h1
    aria-description=${explainRuns(modesOf(shown) && !time ? 'the medians of two modes' : STAT_TEXTS[stat])}>
    ${`${inferenceText(time)}${tokens ? ` of ${tokens}` : ''}`.split(/(± \S+)/).map((text, at) => (at % 2 ? html`<span class="quiet">${text}</span>` : text))}</h1>
    <p class="answer" aria-description=${explainRuns('of the typical run')}>${stat === 'typical' ? '' : 'Typical run: '}<${Bold} text=${reasonText(shown)} /></p>
      </div><div class="runs small">${html`<${Runs} />`}<${RunsText} /></div></section>`;
}

/* ---- Levers ---- */

/** How sure a saving is: "rule of thumb". */
export const sureText = ({certainty}) => certainty.replaceAll('_', ' ');

function SavingBar({saves: {low, high}}) {
  const whole = wholeTime.value,
    part = ns => `${Math.min(100, (100 * (ns ?? 0)) / whole)}%`;
  return html`<span class="saving-bar" aria-hidden="true"><span class="most" style=${{width: part(high)}}></span><span
    class="least" style=${{width: part(low)}}></span></span>`;
}

/** What a lever saves, in words: "300 – 450 ms", "190 ms once"; "unknown, of 41 ms" where nothing is known of it. */
export function savesText({effort_text: effort, saves, cost}) {
  if (!saves) return '';
  if (saves.words) return saves.words;
  if (!effort) return 'unknown'; // looking saves nothing itself
  const isPart = saves.low === null && saves.high === null,
    known = isPart ? {low: cost || null, high: cost || null} : saves,
    text = savingText(known, unit.value, profile.value?.ticksPerSecond);
  return text ? `${isPart ? 'unknown, of ' : ''}${text} ${unitName.value}${saves.once ? ' once' : ''}` : '';
}

function Lever({finding, isWhole}) {
  const {title, fact, evidence, saves, effort_text: effort, index, shares_with: shares = []} = finding,
    isChosen = get('sel') === `finding:${index}`,
    rest = isWhole && fact && evidence !== fact ? evidence : '';
  const shared = shares.length ? ` · shares time with ${shares.map(at => at + 1).join(', ')}` : '';
  return html`<li class=${`lever${isChosen ? ' chosen' : ''}`}><h3 title=${title}
    aria-description=${explainRuns('of the typical run')}>${title}</h3><div
    class="saving">
    ${
      saves && !saves.once && !saves.words && saves.high !== null
        ? html`<${SavingBar} saves=${saves} />`
        : html`<span class="push">
    </span>`
    }<b aria-description=${explainRuns('what it could save')}>${savesText(finding)}</b></div>
    <p title=${fact} aria-description=${explainRuns('of the typical run')}>${sentence(fact || evidence)}</p>
    ${rest ? html`<p class="small why" aria-description=${explainRuns('of the typical run')}>${rest}</p>` : null}
    <div class="lever-foot">${effort ? html`<b>${effort}</b>` : null}<span>${sureText(finding)}${shared}</span><span
      class="push"></span>
      <${Link} title="how, and why it is believed" act=${() => select('finding', index)}>how<//></div></li>`;
}

/** The levers, the most to be saved first: three cards, or all where there is room beside. */
export function Levers({isWide}) {
  const {findings, runs, document} = method.value,
    shown = isWide || isPrinting.value || get('levers') ? findings : findings.slice(0, CARDS),
    rest = findings.slice(shown.length);
  if (findings.length === 0)
    return runs
      ? html`<section class="levers"><h2>What to change</h2><p class="note">Nothing stands out; largest: ${allRows.value
          .slice(0, 3)
          .map(({label}) => label)
          .join(', ')}.</p></section>`
      : null;
  const again = document.answer?.measure_again ? findings.find(({effort}) => effort === 'record_again') : null;
  return html`<section class="levers findings" aria-label="Findings"><div class="head-line"><h2>What to change</h2>${
    again
      ? html`<b class="small">first <${Link} title=${again.title} act=${() => select('finding', again.index)}>measure
          again<//></b>`
      : null
  }<span class="small quiet">by what it saves and how sure that is</span><span class="push"></span>${
    rest.length
      ? html`<button type="button" class="text-link small"
    aria-description=${explainRuns('what the first could save')}
    onClick=${() => set({levers: true})}>${rest.length} more: ${rest[0].title}
    ${savesText(rest[0]) ? `, ${savesText(rest[0])}` : ''}</button>`
      : null
  }</div>
    <ol class="cards">${shown.map(
      finding => html`<${Lever} key=${finding.index} finding=${finding}
      isWhole=${isWide && room.value.height >= HIGH} />`,
    )}</ol>
    ${[document.findings_note, document.findings_times_note]
      .filter(Boolean)
      .map(note => html`<p class="note">${sentence(note)}</p>`)}
      </section>`;
}

/* ---- Rows ---- */

/* The rows with the most time, of the filter if there is one. Rows below the clock are one line. */
function Rows() {
  const {operators, hasGraph} = method.value,
    text = filterText.value,
    chosen = selectedRows.value;
  const inside = new Set(shownOperators.value),
    rows = allRows.value.filter(row => (row.kind === 'part' ? isPartShown(row) : row.rows.some(at => inside.has(at))));
  const sum = rows.reduce((all, {time}) => all + time, 0),
    most = isPrinting.value
      ? 100
      : get('view') === 'summary' && room.value.width >= 1600
        ? Math.max(
            ROWS,
            Math.floor((room.value.height - 270 - heightsOf(false).kid - (heightsOf(false).each ?? 0)) / 25),
          )
        : ROWS;
  const list = rows.length > most ? rows.filter(({time}) => !/^(<|0$)/.test(timeOf(time))) : rows;
  const ofOperators = rows.filter(({kind}) => kind === 'operator').length,
    isFolded = ofOperators < operators.timed.length;
  const said = text
    ? `${timeWithUnit(sum)}, ${shareText(sum, wholeTime.value)}`
    : `${countText(operators.timed.length, 'operator')}${
        isFolded ? ` in ${countText(ofOperators, 'row')}: the same of repeated modules is one` : ''
      }`;
  const shown = text ? list : withSums(list, method.value.document.answer?.parts, profile.value.leastInside),
    summed = list.length - shown.filter(({kind}) => kind !== 'several').length,
    rest = [
      [summed, 'in a sum above'],
      [rows.length - list.length, `below ${timeWithUnit(1e-9).slice(1)}`],
    ]
      .filter(([count]) => count)
      .map(([count, what]) => `${count} more ${what}`)
      .join(', ');
  const space = room.value.width - 48 - (room.value.width >= 1600 ? 504 : 0) - (get('sel') ? 360 : 0),
    columns = operatorColumns(shown, {isBrief: true}).filter(({from, optional}) => !optional && !(from > space));
  return html`<section class="rows-section"><div class="head-line"><h2>Where the time goes${text ? ` in ${text}` : ''}
    </h2><span class="small quiet" aria-description=${explainRuns('in all')}>${hasGraph ? said : ''}</span><span
    class="push"></span>
    ${text ? html`<button type="button" class="text-link small" onClick=${clearFilter}>show all (Esc)</button>` : null}
      <${Link} act=${() => show('table')}>all in Table<//></div>
    <div class="box"><${SmallTable} caption="Where the time goes" rows=${shown} most=${most} columns=${columns}
      open=${row => (row.kind === 'operator' ? select('repeated', `${row.pattern} ${row.op}`) : set({in: row.filter}))}
      isChosen=${row => Boolean(chosen) && row.rows.some(at => chosen[at])} command=${text ? null : kernelsCommand()}
      rest=${rest} /></div>
      </section>`;
}

/* ---- What else is known ---- */

const TOLD_BY = {
  sizes: 'Distinguished by the sizes of the values that the runs logged',
  events: 'Distinguished by the events of the runs',
  times: 'Estimated from the operators’ times, which longer runs stretch by different factors',
};

/** The phases of the runs, such as prefill and decode; nothing if there is only one. */
function Phases() {
  const {phases} = method.value;
  if (phases.length === 0) return null;
  const time = (key, title) => ({
    key,
    title: `${title}, ${unitName.value}`,
    hint: `of the runs of this phase`,
    number: true,
    value: phase => phase[key],
    text: phase => timeOf(phase[key]),
    why: () => explainRuns('of the runs of this phase'),
  });
  return html`<section class="card"><${SmallTable} caption="Phases of the runs" rows=${phases}
    columns=${[
      {key: 'phase', title: 'phase', class: 'key', text: phase => phase.phase},
      {
        key: 'runs',
        title: 'runs',
        hint: 'runs of this phase that count',
        number: true,
        text: phase => String(phase.runs.length),
      },
      time('typical', 'typical'),
      time('p90', 'p90'),
      {key: 'tokens', title: 'tokens', text: phase => speedText(phase.throughput)},
    ]} />
    <p class="note">${TOLD_BY[phases[0].told_by]}. All other times are over the runs of all phases.</p></section>`;
}

/* The notes and warnings that change what the times mean, which are above them. */
const cautions = () => [
  ...[method.value.document.method_note].filter(Boolean),
  ...method.value.cautions,
  ...profile.value.warnings.filter(warning => warning.is_caution).map(({message}) => message),
];

function Notes() {
  const {notes, noise, document} = method.value,
    said = [...notes, noise?.text, document.memory === null && 'Memory needs the .pte.'].filter(Boolean);
  return html`${said.map(
    note => html`<p class="note small"
    aria-description=${explainRuns('of Method::execute')}>${note}</p>`,
  )}`;
}

function Warnings() {
  const warnings = profile.value.warnings.filter(warning => !warning.is_caution);
  if (warnings.length === 0) return null;
  return html`<section class="warnings" aria-label="Warnings"><h2>${countText(warnings.length, 'warning')}</h2><ul>
    ${warnings.map(
      warning => html`<li>${[warning.file, warning.entry, warning.message].filter(Boolean).join(': ')}
    </li>`,
    )}</ul></section>`;
}

function Inputs() {
  const {inputs, version} = profile.value;
  const rows = [
    ['read', inputs.join(', ')],
    ['clock step', clocksText(), 'least time of the clock'],
    ['written by', `etrecord-tb ${version}`],
  ];
  return html`<details class="inputs small" open=${isPrinting.value}><summary>Inputs</summary><dl>
    ${rows.map(
      ([key, value, why]) =>
        value &&
        html`<dt>${key}</dt><dd aria-description=${why}>
    ${value}</dd>`,
    )}</dl></details>`;
}

function NotRun() {
  const {operators, delegation} = method.value;
  return html`<section class="hero"><div><h1>Not run</h1><p class="answer">${countText(operators.count, 'operator')}
    ${delegation ? `, ${delegation.delegated_nodes} delegated` : ''}. Add an ETDump to see times.</p></div></section>`;
}

export function SummaryView() {
  const shown = method.value;
  if (shown.runs === 0)
    return html`<div class="summary"><${NotRun} /><${Levers} isWide=${true} /><${Warnings} /><${Inputs} /></div>`;
  return html`<div class="summary"><${Hero} />${cautions().map(text => html`<p class="note caution">${text}</p>`)}<div
    class="two"><div class="left"><${TimePicture} /></div><div class="right"><${Levers}
    isWide=${room.value.width >= 1600} /></div>
    <div class="left"><${Rows} /><${Phases} /><${Decoder} /></div></div><${Notes} /><${Warnings} /><${Inputs} /></div>`;
}
