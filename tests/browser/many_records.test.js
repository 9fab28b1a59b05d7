// SPDX-License-Identifier: BSD-3-Clause
//
// many_records.test.js - who collects records sees all of them: TensorBoard selects no run by itself where there are more than 40.

import assert from 'node:assert/strict';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';

import {Dashboards} from './dashboards.js';
import {ExecuTorchTab} from './executorch_tab.js';
import {missing, screenshots} from './environment.js';
import {TensorBoard} from './tensorboard.js';

const MOST_SELECTED = 40, LATER = 'with ALL=1: what the tab shows of few records is in dashboards.test.js, and how many runs are selected is known';
const COUNT = 14; // if each were three runs, they would be more than 40
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

  it('are no more runs than TensorBoard selects by itself', async () => {
    const runs = await server.json('runs');
    assert.ok(NAMES.every(name => runs.includes(name)) && runs.length <= MOST_SELECTED, `${runs.length} runs`);
  });

  it('are all in Time Series', {skip: !process.env.ALL && LATER}, async () => {
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

  it('have one chart of each kind in Custom Scalars', async () => { // of which dashboards.test.js sees two records' drawn
    const {category} = await server.json('plugin/custom_scalars/layout'), titles = category.flatMap(({chart}) => chart.map(({title}) => title));
    assert.ok(titles.includes('Parts of an inference (ms, by inference)'), titles.join());
    assert.equal(new Set(titles).size, titles.length, titles.join());
  });

  it('name the record in the first line of each page in Text', {skip: !process.env.ALL && LATER}, async () => {
    await page.go('text', 'what to change');
    await page.sees(new RegExp(`^${NAMES[0]}: .* per inference$`));
    await picture('text');
  });

  it('show a graph', {skip: !process.env.ALL && LATER}, async () => {
    await page.go('graphs', 'Search nodes');
    await picture('graphs');
  });

  it('have a row and a point each in the fleet', async () => {
    const dashboard = Object.assign(new ExecuTorchTab(), page);
    await page.page.goto(`${server.url}#etrecord`);
    dashboard.frame = await (await page.page.waitForSelector('iframe')).contentFrame();
    await dashboard.shown();
    await dashboard.openFleet();
    assert.equal(await dashboard.grid().getAttribute('aria-rowcount'), String(COUNT + 1));
    assert.equal(await dashboard.frame.locator('.trend-line .dot').count(), COUNT);
    await dashboard.grid().focus();
    await dashboard.page.keyboard.press('End');
    await dashboard.grid().locator(`[data-row="${COUNT - 1}"][aria-selected=true]`).waitFor();
    await picture('fleet');
  });

  it('give the page nothing to complain about', () => assert.deepEqual(page.errors, []));
});
