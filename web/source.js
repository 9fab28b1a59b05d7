// SPDX-License-Identifier: BSD-3-Clause
//
// source.js - where profiles come from: the page itself (a report), or TensorBoard.

/* Plain text is what our routes say; any other error is a page of the server. */
async function answerOf(url) {
  const answer = await fetch(url).catch(() => {
    throw new Error('TensorBoard does not answer.');
  });
  if (answer.ok) return answer.json();
  const said = answer.headers.get('content-type')?.startsWith('text/plain') ? await answer.text() : '';
  throw new Error(said || `TensorBoard answered ${answer.status} ${answer.statusText}.`);
}

/** "mobilenet" of "mobilenet/1_edge/forward": the record's folder, without that of the graph its document stands beside. */
export function recordLabel(run) {
  return run.replace(/\/\d+_[^/]+\/[^/]+$/, '') || run;
}

/* A document that a report holds; null if it has none of that name. */
function embeddedDocument(id) {
  const found = document.getElementById(id);
  return found && JSON.parse(found.textContent);
}

function folderOf(whole) {
  return whole.inputs[0]?.replace(/\/[^/]*$/, '') || 'report';
}

/* A report: one record, or one with a base to compare it with. */
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
 * {changes, list(), fleet(), load(run), basesOf(run, records), baseFor(run), compare(base, run)}: list gives the records, [{run, label, written}], which may change later on if `changes`;
 * fleet those with the head of each; a report has none. load a document, compare what the library says of two, basesOf the records to compare with, baseFor the one to begin with, null if there is none.
 */
export function openSource() {
  const whole = embeddedDocument('profile');
  return whole ? reportSource(whole, embeddedDocument('base')) : tensorBoardSource();
}
