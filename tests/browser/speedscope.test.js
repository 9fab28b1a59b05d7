// SPDX-License-Identifier: BSD-3-Clause
//
// speedscope.test.js - speedscope imports what `trace --format speedscope` writes, without a warning, and finds each name once. Of Chrome's format it
// computes the end of an event from its start and duration, in floating point, and makes the arguments a part of the name.

import assert from 'node:assert/strict';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';

import {RECORDS, run} from './answers.js';
import {fixtures, missing, speedscope} from './environment.js';
import {TabPage} from './tab_page.js';

/* Returns the trace of a record with all runs; null if it has no times. */
function traceOf(record) {
  try {
    return run('trace', join(fixtures, record), '--skip-runs', '0', '--format', 'speedscope');
  } catch {
    return null;
  }
}

describe('speedscope', {skip: missing('speedscope'), timeout: 600_000}, () => {
  let folder, opened;
  const said = [];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'speedscope-'));
    opened = await new TabPage().launch();
    opened.page.on('console', message => ['warning', 'error'].includes(message.type()) && !message.text().startsWith('[.WebGL-') && said.push(message.text()));
  });

  after(async () => {
    await opened?.close();
    rmSync(folder, {recursive: true});
  });

  /* Opens a trace as the command `speedscope FILE` does, and returns the warnings. */
  async function warningsOf(name, trace) {
    const script = join(folder, `${name}.js`);
    writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(name)}, ${JSON.stringify(Buffer.from(trace).toString('base64'))})`);
    said.length = 0;
    await opened.page.goto('about:blank');
    await opened.page.goto(`file://${speedscope()}#localProfilePath=${script}`);
    await opened.page.waitForFunction(() => document.title.endsWith(' - speedscope'));
    return [...said];
  }

  /* Of every 24th record: tests/check/trace.py applies the rule of nesting to all of them. */
  it('imports traces without a warning', async () => {
    let count = 0;
    for (const record of RECORDS.filter((_, at) => at % 24 === 0)) {
      const trace = traceOf(record);
      if (trace === null) continue;
      count++;
      assert.deepEqual(await warningsOf(`${record.replaceAll('/', '_')}.json`, trace), [], record);
    }
    assert.ok(count > 2, `${count} traces`);
  });

  it('warns where events overlap, so that the test above does not pass for want of warnings', async () => {
    const event = (name, ts, dur) => ({ph: 'X', name, pid: 1, tid: 1, ts, dur, args: {}});
    assert.notDeepEqual(await warningsOf('overlap.json', JSON.stringify({traceEvents: [event('a', 0, 10), event('b', 5, 10)]})), []);
  });
});
