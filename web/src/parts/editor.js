// SPDX-License-Identifier: BSD-3-Clause
//
// editor.js - links from source lines to the reader's editor, by a pattern that the browser keeps.

import {set} from '../base/store.js';

const LINK_KEY = 'etrecord-tb.source-link';

/** Returns the source lines of a method, by file: [{file, lines: [{key, source, rows, time}], time}], most time first. */
export function sourceFiles(operators, of) {
  const files = new Map(),
    numbers = operators.indices('source'),
    byLine = new Map();
  for (let row = 0; row < operators.count; row++) {
    const source = operators.sources[numbers[row]],
      key = lineKey(source);
    if (!source) continue;
    if (!byLine.has(key)) {
      byLine.set(key, {key, source, rows: []});
      if (!files.has(source.file)) files.set(source.file, []);
      files.get(source.file).push(byLine.get(key));
    }
    byLine.get(key).rows.push(row);
  }
  for (const line of byLine.values()) line.time = sumOver(of, line.rows);
  return [...files]
    .map(([file, lines]) => ({
      file,
      lines: lines.sort((a, b) => a.source.line - b.source.line),
      time: lines.reduce((sum, {time}) => sum + time, 0),
    }))
    .sort((a, b) => b.time - a.time || compareNames(a.file, b.file));
}

/* ---- Links to an editor ---- */

/** Returns the pattern of links that the reader chose, or "". */
export const readPattern = () => {
  try {
    return localStorage.getItem(LINK_KEY) ?? '';
  } catch {
    return ''; // a file opened with cookies blocked
  }
};

/**
 * Returns the address that a pattern such as "vscode://file/{file}:{line}" gives for a line; null if there is no pattern,
 * or if it would run a script.
 */
export function editorLink(pattern, {file, line}) {
  if (
    !pattern.includes('{file}') ||
    /^\s*(javascript|data|vbscript):/i.test(pattern) ||
    !/^[a-z][a-z0-9+.-]*:/i.test(pattern)
  )
    return null;
  return pattern.replaceAll('{file}', encodeURI(file)).replaceAll('{line}', String(line));
}

export function askPattern() {
  const asked = 'Pattern of links to source lines, with {file} and {line}. An empty one makes none.';
  const said = globalThis.prompt(asked, readPattern() || 'vscode://file/{file}:{line}');
  if (said === null) return;
  try {
    localStorage.setItem(LINK_KEY, said);
  } catch {
    return;
  }
  dispatchEvent(new Event('themechange')); // whatever shows links is drawn again
  set({}, {replace: true});
}
