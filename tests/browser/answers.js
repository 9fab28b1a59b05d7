// SPDX-License-Identifier: BSD-3-Clause
//
// answers.js - what the command says about a record.

import {execFileSync} from 'node:child_process';
import {existsSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {gunzipSync, gzipSync} from 'node:zlib';

import {command, fixtures, missing} from './environment.js';

const every = Number(process.env.EVERY ?? 1);

/** Every folder of fixtures that has a record or a dump; with EVERY=6 each sixth of them. */
export const RECORDS = (missing('command') ? [] : readdirSync(fixtures, {recursive: true}))
  .filter(name => ['etrecord.bin', 'etdump.etdp'].some(file => existsSync(join(fixtures, name, file))))
  .sort()
  .filter((_, at) => at % every === 0);

export function run(...words) {
  return execFileSync(command, words, {maxBuffer: 1 << 28, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']});
}

/** A command's JSON; record is a fixture's name or a path. */
export function answer(name, record, unit = 'ms') {
  return JSON.parse(run(name, pathOf(record), '--format', 'json', '--unit', unit));
}

const pathOf = record => (record.startsWith('/') ? record : join(fixtures, record));

const elementOf = id => new RegExp(`(<script type="application/octet-stream;base64" id="${id.replaceAll('.', '\\.')}">)([^<]*)(</script>)`);

/** A document that a report holds; null if it has none with this id. */
export function embeddedIn(html, id) {
  const found = html.match(elementOf(id));
  return found && JSON.parse(gunzipSync(Buffer.from(found[2], 'base64')));
}

/** The report with a document replaced by what `change` makes of it. */
export function withDocument(html, id, change) {
  return html.replace(elementOf(id), (_, head, text, tail) => head + gzipSync(JSON.stringify(change(JSON.parse(gunzipSync(Buffer.from(text, 'base64')))))).toString('base64') + tail);
}

/** The document that a report holds, with the sections of its methods, as the event file has it. */
export function documentOf(record) {
  const html = run('report', pathOf(record)), whole = embeddedIn(html, 'profile');
  for (const [index, method] of whole.methods.entries()) {
    for (const name of ['timeline', 'memory', 'per_run']) {
      const section = embeddedIn(html, `profile.${index}.${name}`);
      method[name] = section && {...section[name], texts: section.texts};
    }
  }
  return whole;
}

/* Documents number operators, `diff` numbers nodes; and documents hold no values, no costs, no names of kernels and no source lines to compare. What neither has a graph nor ran is in no document. */
const LEFT_OUT = /^(base|new)_(node|macs|bytes|gflops|gbs|intensity|arithmetic)$/;

function comparable({methods, load}, others) {
  const known = new Set(others.map(({method}) => method));
  const taken = methods.filter(({method}) => known.has(method)).map(({numeric_gap: _gaps, by_kernel: _kernels, by_source: _lines, ...method}) => method);
  return JSON.parse(JSON.stringify({load, methods: taken}, (key, value) => (LEFT_OUT.test(key) ? undefined : value)));
}

/** What the library says of two documents: the comparison in a report of both, or one that is given. */
export function comparisonOf(base, newer, given = embeddedIn(run('report', pathOf(base), pathOf(newer)), 'comparison')) {
  return comparable(given, given.methods);
}

/** What `diff` says of the records, of the methods that a document has. */
export function diffOf(base, newer) {
  const documents = [documentOf(base), documentOf(newer)];
  const said = JSON.parse(run('diff', pathOf(base), pathOf(newer), '--format', 'json', '--unit', 'ns'));
  for (const method of said.methods) method.findings = []; // they need events, which documents do not have
  return comparable(said, documents.flatMap(({methods}) => methods));
}
