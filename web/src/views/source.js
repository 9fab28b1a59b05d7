// SPDX-License-Identifier: BSD-3-Clause
//
// source.js - the model's source lines with their time in the gutter, file by file, as `perf annotate` shows a program. The record holds the lines that made operators, and no others.

import {useEffect, useRef} from 'preact/hooks';

import {explain, hasHit, method, select, selectedRows, times, unitName} from '../base/app.js';
import {compareNames, sumOver} from '../base/columns.js';
import {countText, sourceText} from '../base/format.js';
import {html} from '../base/html.js';
import {estimatedOver, lineKey} from '../base/method.js';
import {declare, get, oneOf, set} from '../base/store.js';
import {Segments, shareColumn, shareOfWhole, sumHint, timeCell, timeColumn, timeText} from '../parts/bits.js';
import {CopyMenu} from '../parts/table.js';
import {baseSumColumns} from './operators.js';

declare({'src.order': oneOf('line', 'time')});

const LINK_KEY = 'etrecord-tb.source-link';

/** Returns the source lines of a method, by file: [{file, lines: [{key, source, rows, time}], time}], most time first. */
export function sourceFiles(operators, of) {
  const files = new Map(), numbers = operators.indices('source'), byLine = new Map();
  for (let row = 0; row < operators.count; row++) {
    const source = operators.sources[numbers[row]], key = lineKey(source);
    if (!source) continue;
    if (!byLine.has(key)) {
      byLine.set(key, {key, source, rows: []});
      if (!files.has(source.file)) files.set(source.file, []);
      files.get(source.file).push(byLine.get(key));
    }
    byLine.get(key).rows.push(row);
  }
  for (const line of byLine.values()) line.time = sumOver(of, line.rows);
  return [...files].map(([file, lines]) => ({file, lines: lines.sort((a, b) => a.source.line - b.source.line), time: lines.reduce((sum, {time}) => sum + time, 0)})).sort((a, b) => b.time - a.time || compareNames(a.file, b.file));
}

/* ---- Links to an editor ---- */

const readPattern = () => {
  try {
    return localStorage.getItem(LINK_KEY) ?? '';
  } catch {
    return ''; // a file opened with cookies blocked
  }
};

/** Returns the address that a pattern such as "vscode://file/{file}:{line}" gives for a line; null if there is no pattern, or if it would run a script. */
export function editorLink(pattern, {file, line}) {
  if (!pattern.includes('{file}') || /^\s*(javascript|data|vbscript):/i.test(pattern) || !/^[a-z][a-z0-9+.-]*:/i.test(pattern)) return null;
  return pattern.replaceAll('{file}', encodeURI(file)).replaceAll('{line}', String(line));
}

function askPattern() {
  const said = globalThis.prompt('Pattern of links to source lines, with {file} and {line}. An empty one makes none.', readPattern() || 'vscode://file/{file}:{line}');
  if (said === null) return;
  try {
    localStorage.setItem(LINK_KEY, said);
  } catch {
    return;
  }
  dispatchEvent(new Event('themechange')); // whatever shows links is drawn again
  set({}, {replace: true});
}

/* ---- The view ---- */

function Line({line, before, most, pattern, change}) {
  const {operators} = method.value, {source, rows, time, key} = line, has = selectedRows.value, chosen = Boolean(has) && rows.some(row => has[row]), hit = hasHit(rows), box = useRef(null);
  useEffect(() => {
    if (chosen) box.current.scrollIntoView({block: 'nearest'});
  }, [chosen]);
  const link = editorLink(pattern, source), heat = most > 0 ? time / most : 0;
  return html`${before && source.function !== before.source.function ? html`<tr class="gap"><td colspan="5"></td><td>in ${source.function}</td></tr>` : before && source.line > before.source.line + 1 && get('src.order') === 'line' ? html`<tr class="gap"><td colspan="5"></td><td>⋯</td></tr>` : null}
    <tr ref=${box} tabindex="0" class=${`link${chosen ? ' chosen' : ''}${hit ? ' hit' : ''}`} aria-selected=${String(chosen)} onClick=${event => event.target.closest('a') || select('line', key)} onKeyDown=${event => event.key === 'Enter' && select('line', key)}>
    <td class="number" aria-description=${explain(sumHint(), rows)}>${time > 0 ? timeCell(time, estimatedOver(operators, rows, times.value.of), rows) : ''}</td><td class="number" aria-description=${shareColumn().hint}>${time > 0 ? shareOfWhole(time) : ''}</td><td class="number" aria-description=${change?.hint}>${change?.cell(line)}</td>
    <td class="number quiet" aria-description="operators of the line">${rows.length}</td><td class="heat"><span style=${{opacity: String(Math.sqrt(heat))}}></span></td>
    <td class="code">${link ? html`<a href=${link} title="open in the editor">${source.line}</a>` : html`<span class="quiet">${source.line}</span>`}<code>${source.code || '(not recorded)'}</code></td></tr>`;
}

export function SourceView() {
  const {operators, hasGraph} = method.value, files = hasGraph ? sourceFiles(operators, times.value.of) : [], pattern = readPattern();
  if (files.length === 0) return html`<p class="note">${hasGraph ? 'The record holds no stack traces, so no operator has a source line.' : 'The graph is missing, because no ETRecord was given.'}</p>`;
  const most = files.reduce((a, {lines}) => lines.reduce((b, {time}) => Math.max(b, time), a), 0), order = get('src.order'), rest = operators.timed.filter(row => !operators.source(row)), restTime = sumOver(times.value.of, rest), compared = baseSumColumns(line => line.rows), change = compared.find(({key}) => key === 'change');
  const copied = [{key: 'source', title: 'source line', text: ({source}) => sourceText(source)}, timeColumn('time', times.value.label, sumHint(), ({time}) => time, {rows: ({rows}) => rows, estimated: ({rows}) => estimatedOver(operators, rows, times.value.of)}),
    shareColumn(({time}) => time), ...compared, {key: 'nodes', title: 'nodes', number: true, value: ({rows}) => rows.length}, {key: 'code', title: 'code', text: ({source}) => source.code ?? ''}];
  return html`<div class="source"><div class="toolbar"><${Segments} label="Order" options=${[['line', 'By line'], ['time', 'By time']]} chosen=${order} change=${value => set({'src.order': value})} /><button type="button" onClick=${askPattern}>Links to an editor…</button>
    <span class="count" aria-description=${explain(sumHint(), rest)}>${countText(files.length, 'file')}${restTime > 0 ? `; ${timeText(restTime, 0, rest)} ${unitName.value} on operators without a source line` : ''}</span><span class="push"></span><${CopyMenu} label="source lines" columns=${copied} rows=${files.flatMap(({lines}) => lines)} /></div>
    ${files.map(({file, lines, time}) => html`<section class="card" key=${file}><table class="plain listing"><caption><span class="cut head" title=${file}><bdi>${file}</bdi></span> <span class="quiet" aria-description=${explain(sumHint(), lines.flatMap(({rows}) => rows))}>${timeText(time, 0, lines.flatMap(({rows}) => rows))} ${unitName.value}, ${shareOfWhole(time)}</span></caption>
      <thead><tr><th class="number">${times.value.label} ${unitName.value}</th><th class="number">share</th><th class="number" title=${change?.hint}>${change?.title}</th><th class="number" title="operators of the line">nodes</th><th></th><th>line</th></tr></thead>
      <tbody>${(order === 'time' ? [...lines].sort((a, b) => b.time - a.time) : lines).map((line, at, all) => html`<${Line} key=${line.key} line=${line} before=${all[at - 1]} most=${most} pattern=${pattern} change=${change} />`)}</tbody></table></section>`)}
    <p class="note">Only lines that made operators are in the record. A line's time is that of all its operators, whatever module called it.</p></div>`;
}
