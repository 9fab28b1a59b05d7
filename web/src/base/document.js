// SPDX-License-Identifier: BSD-3-Clause
//
// document.js - loads records: from the page itself (a report), or from TensorBoard. Parts of a document that a view
// needs on demand are its sections.

const SECTION_TYPE = 'application/octet-stream;base64';

/* Fetches JSON. Our own routes explain errors in plain text; other errors are HTML pages of the server, of which
   only the status is shown. */
async function answerOf(url) {
  const answer = await fetch(url).catch(() => {
    throw new Error('TensorBoard does not answer.');
  });
  if (answer.ok) return answer.json();
  const said = answer.headers.get('content-type')?.startsWith('text/plain') ? await answer.text() : '';
  throw new Error(said || `TensorBoard answered ${answer.status} ${answer.statusText}.`);
}

/**
 * Returns "mobilenet" for the run "mobilenet/1_edge/forward": the record's folder, without the graph whose run holds
 * the document.
 */
export function recordLabel(run) {
  return run.replace(/\/\d+_[^/]+\/[^/]+$/, '') || run;
}

async function unpackedText(base64) {
  const bytes = Uint8Array.from(atob(base64.trim()), letter => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
}

const unpacked = async base64 => JSON.parse(await unpackedText(base64));

/** Returns the comment for a pull request that a report holds, Markdown; null if it holds none. */
export const commentText = async () => {
  const found = document.getElementById('comment');
  return found && unpackedText(found.textContent);
};

/* Returns what a report embeds under an id, or null. */
async function embedded(id) {
  const found = document.getElementById(id);
  if (!found) return null;
  try {
    return found.getAttribute('type') === SECTION_TYPE
      ? await unpacked(found.textContent)
      : JSON.parse(found.textContent);
  } catch (error) {
    throw new Error(`The section "${id}" of this file is damaged (${error.message}). Write the report again.`, {
      cause: error,
    });
  }
}

/* A section holds a part of a method and the texts to which its columns refer. */
const partOf = (section, name) => ({value: section?.[name] ?? null, texts: section?.texts ?? []});

/* The source of a report: one record, or a base and others; of three and more it also has all of them side by side. */
async function reportSource() {
  const several = await embedded('records'),
    runs = [...document.querySelectorAll(`script[type="${SECTION_TYPE}"]`)]
      .map(({id}) => id)
      .filter(id => /^(profile\d*|base)$/.test(id)),
    documents = new Map(),
    written = Date.parse(document.lastModified) / 1e3;
  const load = run => {
    if (!documents.has(run)) documents.set(run, embedded(run));
    return documents.get(run);
  };
  const records = await Promise.all(
    runs.map(async (run, at) => {
      const label = several ? several.records[(at + 1) % runs.length].record : (await load(run)).record;
      return {run, label: run === 'base' ? `${label} (base)` : label, written};
    }),
  );
  const isBased = run => run !== 'base' && runs.includes('base');
  return {
    isReport: true,
    several,
    list: async () => records,
    load,
    has: (run, method, name) => document.getElementById(`${run}.${method.index}.${name}`) !== null,
    section: async (run, method, name) => partOf(await embedded(`${run}.${method.index}.${name}`), name),
    compare: async (base, run) => ({comparison: await embedded(run.replace('profile', 'comparison'))}),
    basesOf: run => records.filter(record => isBased(run) && record.run === 'base'),
    baseFor: async run => (isBased(run) ? 'base' : null),
  };
}

function tensorBoardSource() {
  const ask = (route, query = {}) => answerOf(new URL(`${route}?${new URLSearchParams(query)}`, import.meta.url));
  return {
    isReport: false,
    list: async () => (await ask('runs')).map(({run, written}) => ({run, written, label: recordLabel(run)})),
    fleet: async () => (await ask('fleet')).map(record => ({...record, label: recordLabel(record.run)})),
    load: run => ask('profile', {run}),
    has: (run, method, name) => Boolean(method.document[name]),
    section: async (run, method, name) => partOf({...method.document, texts: method.texts}, name),
    compare: async (base, run, added, labelOf) => {
      if (!added.length) return {comparison: await ask('compare', {base, new: run})};
      const asked = [base, run, ...added].flatMap(each => [
        ['run', each],
        ['name', labelOf(each)],
      ]);
      const {comparison, records: sideBySide} = await ask('records', asked);
      return {comparison: comparison ?? (await ask('compare', {base, new: run})), sideBySide};
    },
    basesOf: (run, records) => records.filter(record => record.run !== run),
    baseFor: async run => (await ask('base', {new: run})).run,
  };
}

/**
 * Returns the source of the page: {isReport, list(), fleet(), load(run), section(run, method, name), basesOf(run,
 * records), baseFor(run), compare(base, run, added, labelOf)}. In a report nothing changes; in TensorBoard records may
 * appear or be rewritten. list() gives the records, [{run, label, written}]; fleet() also gives their heads, and a
 * report lacks it.
 * several is the library's answer about three records and more side by side, in a report that has it. load() gives the
 * document of a run, section() a part of a method, {value: null if it has none, texts}, and has()
 * whether it has one; compare() gives the library's comparison of two runs and, if others are added in TensorBoard, its
 * answer about all, {comparison, sideBySide}, in which verdicts are the same; basesOf() the records that a run can be
 * compared with, and baseFor() the run to begin with, or null.
 */
export async function openSource() {
  return document.getElementById('profile') ? reportSource() : tensorBoardSource();
}
