// SPDX-License-Identifier: BSD-3-Clause
//
// editor.js - links from source lines to the reader's editor, by a pattern that the browser keeps.

import {set} from '../base/store.js';

const LINK_KEY = 'etrecord-tb.source-link';

/** Returns the pattern of links that the reader chose, or "". */
export const readPattern = () => {
  try {
    return localStorage.getItem(LINK_KEY) ?? '';
  } catch {
    return ''; // a file opened with cookies blocked
  }
};

/**
 * Returns the address that a pattern such as "vscode://file/{file}:{line}" gives for a line; null if there is no
 * pattern,
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
  const asked = 'Pattern of links to source lines, with {file} and {line}. Empty: none.';
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
