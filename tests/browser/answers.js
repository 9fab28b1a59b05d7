// SPDX-License-Identifier: BSD-3-Clause
//
// answers.js - what the command says about a record.

import {execFileSync} from 'node:child_process';
import {join} from 'node:path';

import {command, fixtures} from './environment.js';

export function run(...words) {
  return execFileSync(command, words, {maxBuffer: 1 << 28, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']});
}

/** A command's JSON; record is a fixture's name or a path. */
export function answer(name, record, unit = 'ms') {
  return JSON.parse(run(name, record.startsWith('/') ? record : join(fixtures, record), '--format', 'json', '--unit', unit));
}

/** The document that a report, and the event file, holds. */
export function documentOf(record) {
  const html = run('report', record.startsWith('/') ? record : join(fixtures, record));
  return JSON.parse(html.match(/<script type="application\/json" id="profile">\n([^]*?)<\/script>/)[1]);
}
