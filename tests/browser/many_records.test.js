// SPDX-License-Identifier: BSD-3-Clause
//
// many_records.test.js - who collects records sees all of them: TensorBoard selects no run by itself where there are more than 40.

import assert from 'node:assert/strict';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';

import {Dashboards} from './dashboards.js';
import {missing, screenshots} from './environment.js';
import {TensorBoard} from './tensorboard.js';

const COUNT = 17;
const NAMES = Array.from({length: COUNT}, (_, i) => `nightly/day_${i + 1}`);

describe('many records', {skip: missing(), timeout: 600_000}, () => {
  let server, page;
  const picture = name => page.screenshot(join(screenshots, `many_${name}.png`));

  before(async () => {
    server = await TensorBoard.startWith(NAMES.map((name, i) => ({record: 'quantized_xnnpack', name, options: ['--hparam', `day=${i + 1}`]})));
    page = await Dashboards.open(server.url);
  });

  after(async () => {
    await page?.close();
    await server?.stop();
  });

  it('are all in Time Series', async () => {
    await page.go('timeseries', '1_inference_ms');
    for (const name of [NAMES[0], NAMES.at(-1)]) await page.cardRow('1_inference_ms/measured', name);
    await picture('time_series');
  });

  it('have a row each in HParams', async () => {
    await page.go('hparams', 'typical ms');
    const cells = await page.hparamsCells();
    await picture('hparams');
    for (const name of NAMES) assert.ok(cells.some(cell => cell === name), name);
  });

  it('draw one chart of each kind in Custom Scalars', async () => {
    await page.go('custom_scalars', 'Parts of an inference (ms, by inference)');
    assert.equal(await page.page.getByText('Parts of an inference (ms, by inference)').count(), 1);
  });

  it('name the record in the first line of each page in Text', async () => {
    await page.go('text', 'what to change');
    await page.sees(new RegExp(`^${NAMES[0]}: .* per inference$`));
    await picture('text');
  });

  it('show a graph', async () => {
    await page.go('graphs', 'Search nodes');
    await picture('graphs');
  });

  it('give the page nothing to complain about', () => assert.deepEqual(page.errors, []));
});
