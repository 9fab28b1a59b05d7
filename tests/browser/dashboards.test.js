// SPDX-License-Identifier: BSD-3-Clause
//
// dashboards.test.js - what a user reads in the tabs beside the Graphs tab is what the command says about the records.

import assert from 'node:assert/strict';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';

import {Dashboards} from './dashboards.js';
import {missing, screenshots} from './environment.js';
import {TensorBoard, methodOf} from './tensorboard.js';

const FIXTURES = ['mv2_xnnpack', 'quantized_xnnpack'];
const GROUPS = ['1_inference_ms', '2_parts_ms', '3_delegate_ms', '3_op_type_ms', '4_memory_bytes', '5_timeline_ms', '~metrics'];

describe('dashboards', {skip: missing(), timeout: 600_000}, () => {
  let server, page, methods;
  const picture = name => page.screenshot(join(screenshots, `dashboard_${name}.png`));
  const millis = (fixture, statistic) => methods[fixture].execute[statistic] / 1e3;

  before(async () => {
    server = await TensorBoard.start(...FIXTURES);
    methods = Object.fromEntries(FIXTURES.map(fixture => [fixture, methodOf(fixture, 'forward')]));
    page = await Dashboards.open(server.url);
  });

  after(async () => {
    await page?.close();
    await server?.stop();
  });

  it('begin with the time of an inference in Time Series, in milliseconds, and have curves, no dots', async () => {
    await page.go('timeseries', '1_inference_ms');
    assert.deepEqual((await page.groups()).filter(name => name !== 'Pinned'), GROUPS);
    await picture('time_series');
    for (const fixture of FIXTURES) {
      const points = await server.json('plugin/scalars/scalars', {run: fixture, tag: '1_inference_ms/measured'});
      const row = await page.cardRow('1_inference_ms/measured', fixture);
      assert.ok(row.map(Number).includes(Number(points.at(-1)[2].toPrecision(4))), `${points.at(-1)[2]} in ${row}`);
      const average = points.reduce((sum, [, , value]) => sum + value, 0) / points.length;
      assert.ok(Math.abs(average - millis(fixture, 'avg')) < 1e-5 * average);
    }
    const tags = await server.json('plugin/scalars/tags');
    for (const tag of Object.keys(tags[FIXTURES[0]]).filter(name => !name.startsWith('~')))
      assert.ok((await server.json('plugin/scalars/scalars', {run: FIXTURES[0], tag})).length > 1, tag);
  });

  it('say in Scalars what a curve is', async () => {
    await page.go('scalars', '1_inference_ms');
    const said = await page.description('1_inference_ms/measured');
    for (const word of ['Method::execute', 'Unit', 'Step', 'etrecord-tb summary']) assert.ok(said.includes(word), said);
    await picture('scalars');
  });

  it('draw curves that belong together in Custom Scalars', async () => {
    await page.go('custom_scalars', 'Parts of an inference (ms, by inference)');
    await page.sees('Time of an inference (ms, by inference)', 'Ten largest operator types (ms, by inference)', 'Matches');
    await picture('custom_scalars');
  });

  it('show a row for each record in HParams, with titles that have units', async () => {
    await page.go('hparams', 'typical ms');
    const cells = await page.hparamsCells();
    const numbers = new Set(cells.map(Number));
    for (const name of ['backend', 'inputs', 'quantization', 'typical ms', 'p90 ms', 'load ms', 'peak MB', 'delegated %', 'XNNPACK', 'int8', 'none'])
      assert.ok(cells.includes(name), `${name} in ${cells}`);
    for (const fixture of FIXTURES)
      for (const statistic of ['typical', 'p90'])
        assert.ok(numbers.has(Number(millis(fixture, statistic).toPrecision(5))), `${fixture} ${statistic}: ${millis(fixture, statistic)} in ${cells}`);
    await picture('hparams');
  });

  it('say in Text what to look at, and how to color the graph', async () => {
    await page.go('text', '1_summary');
    await page.sees(...FIXTURES.map(fixture => new RegExp(`^${fixture}: .* (us|ms).* per inference$`)), 'what to change', 'profile/typical', /^where the time goes/);
    for (const fixture of FIXTURES) await page.sees(methods[fixture].findings[0].title);
    await picture('text');
    await page.page.getByRole('link', {name: 'GRAPHS', exact: true}).first().click();
    await page.page.locator('tf-graph-scene g.node').first().waitFor();
  });

  it('give the page nothing to complain about', () => assert.deepEqual(page.errors, []));
});
