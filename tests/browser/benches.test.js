// SPDX-License-Identifier: BSD-3-Clause
//
// benches.test.js - the curves over the benches of a record, in all tabs that have any; a further bench shows after a reload.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {copyFileSync, mkdirSync, readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout} from 'node:timers/promises';
import {after, before, describe, it} from 'node:test';

import {Dashboards} from './dashboards.js';
import {command, fixtures, missing, screenshots} from './environment.js';
import {TensorBoard} from './tensorboard.js';

const FIXTURE = join(fixtures, 'quantized_xnnpack'), runner = process.env.RUNNER;

describe('benches', {skip: missing() || (runner ? false : 'RUNNER, the stand-in for a runner, is missing'), timeout: 600_000}, () => {
  let server, page;
  const picture = name => page.screenshot(join(screenshots, `benches_${name}.png`));

  function bench(folder) {
    rmSync(join(folder, 'steps'), {force: true}); // the stand-in begins with its first step
    execFileSync(command, ['bench', '--record', 'm', '--logdir', '.', '--repeat', '2', '--warmup', '0', '--skip-runs', '0', '--',
      runner, '--dump', join(FIXTURE, 'etdump.etdp'), '--steps', 'ok', '--etdump_path', 'out.etdp'], {cwd: folder, stdio: 'ignore'});
  }

  const lines = () => readFileSync(join(server.folder, 'm', 'history.jsonl'), 'utf8').trim().split('\n').map(JSON.parse).filter(({kind}) => kind === 'method');
  const curve = tag => server.json('plugin/scalars/scalars', {run: 'm/0_benches', tag}).catch(() => []);

  before(async () => {
    server = await TensorBoard.startWith([{record: 'quantized_xnnpack', name: 'written', options: []}], folder => {
      mkdirSync(join(folder, 'm'));
      for (const file of ['etrecord.bin', 'model.pte']) copyFileSync(join(FIXTURE, file), join(folder, 'm', file));
      for (let i = 0; i < 3; i++) bench(folder);
    });
    page = await Dashboards.open(server.url);
  });

  after(async () => {
    await page?.close();
    await server?.stop();
  });

  async function hasBenches(count) {
    for (let tries = 0; tries < 300; tries++, await setTimeout(200)) if ((await curve('0_bench_ms/p50')).length === count) return;
    assert.fail(`no ${count} benches`);
  }

  it('are the first group of Time Series', async () => {
    await hasBenches(3);
    await page.go('timeseries', '0_bench_ms');
    assert.equal((await page.groups()).find(name => name !== 'Pinned'), '0_bench_ms');
    const row = await page.cardRow('0_bench_ms/p50', 'm/0_benches');
    assert.ok(row.map(Number).includes(Number(lines().at(-1).p50.toPrecision(4))), `${lines().at(-1).p50} in ${row}`);
    await picture('time_series');
  });

  it('have a chart of the median and its spread, before the charts of the inferences', async () => {
    await page.go('custom_scalars', 'Median, p10 to p90 (ms, by bench)');
    const [margin, inference] = await Promise.all(['Median, p10 to p90 (ms, by bench)', 'Time of an inference (ms, by inference)'].map(async text => (await page.page.getByText(text).first().boundingBox()).y));
    assert.ok(margin < inference);
    await picture('custom_scalars');
  });

  it('are a row each in Histograms and Distributions', async () => {
    for (const tab of ['histograms', 'distributions']) {
      await page.go(tab, '9_bench_spread_ms');
      await picture(tab);
    }
    const rows = await server.json('plugin/histograms/histograms', {run: 'm/0_benches', tag: '9_bench_spread_ms/all'});
    assert.deepEqual(rows.map(([, step]) => step), [0, 1, 2]);
  });

  it('show one more after a reload', async () => {
    bench(server.folder);
    await hasBenches(4);
    await page.go('timeseries', '0_bench_ms');
    await page.page.locator('.reload-button').click();
    await page.cardRow('0_bench_ms/p50', 'm/0_benches');
    assert.deepEqual((await curve('0_bench_ms/p50')).map(([, step]) => step), [0, 1, 2, 3]);
  });

  it('give the page nothing to complain about', () => assert.deepEqual(page.errors, []));
});
