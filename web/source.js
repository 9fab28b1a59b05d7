// SPDX-License-Identifier: BSD-3-Clause
//
// source.js - loads records: from the page itself (a report), or from TensorBoard.

/* Fetches JSON. Our own routes explain errors in plain text; other errors are HTML pages of the server, of which only the status is shown. */
async function answerOf(url) {
  const answer = await fetch(url).catch(() => {
    throw new Error('TensorBoard does not answer.');
  });
  if (answer.ok) return answer.json();
  const said = answer.headers.get('content-type')?.startsWith('text/plain') ? await answer.text() : '';
  throw new Error(said || `TensorBoard answered ${answer.status} ${answer.statusText}.`);
}

/** Returns "mobilenet" for the run "mobilenet/1_edge/forward": the record's folder, without the graph whose run holds the document. */
export function recordLabel(run) {
  return run.replace(/\/\d+_[^/]+\/[^/]+$/, '') || run;
}

/* Returns the document that a report embeds under an id; null if there is none. */
async function embeddedDocument(id) {
  const found = document.getElementById(id);
  if (!found) return null;
  const bytes = Uint8Array.from(atob(found.textContent), digit => digit.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).json();
}

/* Returns a record of a report with the sections of its methods. */
async function embeddedRecord(id) {
  const whole = await embeddedDocument(id);
  for (const [index, method] of whole?.methods.entries() ?? []) {
    for (const name of ['timeline', 'memory']) {
      const section = await embeddedDocument(`${id}.${index}.${name}`);
      method[name] = section && {...section[name], texts: section.texts};
    }
  }
  return whole;
}

function folderOf(whole) {
  return whole.inputs[0]?.replace(/\/[^/]*$/, '') || 'report';
}

/* The source of a report, which has one record, or a record and its base. */
function reportSource(whole, base) {
  const records = [{run: 'profile', label: folderOf(whole)}];
  if (base) records.push({run: 'base', label: `${folderOf(base)} (base)`});
  return {
    changes: false, list: async () => records, load: async run => (run === 'base' ? base : whole), compare: async () => embeddedDocument('comparison'),
    basesOf: run => records.filter(record => run === 'profile' && record.run === 'base'), baseFor: async () => 'base',
  };
}

function tensorBoardSource() {
  const ask = (route, query = {}) => answerOf(new URL(`${route}?${new URLSearchParams(query)}`, import.meta.url));
  return {
    changes: true, list: async () => (await ask('runs')).map(({run, written}) => ({run, written, label: recordLabel(run)})), fleet: async () => (await ask('fleet')).map(record => ({...record, label: recordLabel(record.run)})),
    load: run => ask('profile', {run}), compare: (base, run) => ask('compare', {base, new: run}),
    basesOf: (run, records) => records.filter(record => record.run !== run), baseFor: async run => (await ask('base', {new: run})).run,
  };
}

/**
 * Returns the source of the page: {changes, list(), fleet(), load(run), basesOf(run, records), baseFor(run), compare(base, run)}. `changes` is true if records may appear or be rewritten.
 * list() gives the records, [{run, label, written}]; fleet() also gives their heads, and a report lacks it. load() gives the document of a run, compare() the library's comparison of two runs,
 * basesOf() the records that a run can be compared with, and baseFor() the run to begin with, or null.
 */
export async function openSource() {
  const whole = await embeddedRecord('profile');
  return whole ? reportSource(whole, await embeddedRecord('base')) : tensorBoardSource();
}
