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
const run = fixture => `${fixture}/1_edge/forward`;

describe('dashboards', {skip: missing(), timeout: 600_000}, () => {
  let server, page, methods;
  const picture = name => page.screenshot(join(screenshots, `dashboard_${name}.png`));
  const millis = (fixture, statistic) => methods[fixture].execute[statistic] / 1e3;
  const threeDigits = value => value.toFixed(Math.min(4, Math.max(0, 2 - Math.floor(Math.log10(value)))));

  before(async () => {
    server = await TensorBoard.start(...FIXTURES);
    methods = Object.fromEntries(FIXTURES.map(fixture => [fixture, methodOf(fixture, 'forward')]));
    page = await Dashboards.open(server.url);
  });

  after(async () => {
    await page?.close();
    await server?.stop();
  });

  it('compare the benchmark in Time Series', async () => {
    await page.go('timeseries', 'benchmark_ms');
    await picture('time_series');
    for (const fixture of FIXTURES) {
      const row = await page.cardRow('benchmark_ms/avg', run(fixture));
      assert.ok(row.map(Number).includes(Number(millis(fixture, 'avg').toFixed(4))), `${millis(fixture, 'avg')} in ${row}`);
    }
  });

  it('show a row for each record in HParams, the benchmark in it', async () => {
    await page.go('hparams', 'delegated_share');
    const cells = await page.hparamsCells();
    const numbers = new Set(cells.map(Number));
    for (const name of ['backends', 'delegated_share', 'dtype', 'quantized', 'benchmark_ms/avg', 'benchmark_ms/p50', 'benchmark_ms/p90']) assert.ok(cells.includes(name), name);
    for (const fixture of FIXTURES)
      for (const statistic of ['avg', 'max', 'min', 'p50', 'p90'])
        assert.ok(numbers.has(Number(millis(fixture, statistic).toPrecision(5))), `${fixture} ${statistic}: ${millis(fixture, statistic)} in ${cells}`);
    await picture('hparams');
  });

  it('show the balance in Text', async () => {
    await page.go('text', 'text/1_summary/forward');
    await page.sees('Method::execute', ...FIXTURES.map(fixture => threeDigits(millis(fixture, 'avg'))));
    await picture('text');
  });

  it('draw curves and distributions', async () => {
    for (const [tab, group] of [['scalars', 'benchmark_ms'], ['histograms', 'iteration_op_type_us'], ['distributions', 'iteration_op_type_us']]) {
      await page.go(tab, group);
      await picture(tab);
    }
  });

  it('give the page nothing to complain about', () => assert.deepEqual(page.errors, []));
});
