// SPDX-License-Identifier: BSD-3-Clause
//
// executorch_tab.test.js - what a user sees in TensorBoard's dashboard ExecuTorch is what the command says about the records.

import assert from 'node:assert/strict';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';

import {answer, comparisonOf, diffOf} from './answers.js';
import {ExecuTorchTab} from './executorch_tab.js';
import {missing, screenshots} from './environment.js';
import {SHARED, TensorBoard} from './tensorboard.js';

const RECORD = 'vit_xnnpack', BASE = 'mv2_portable', OTHER = 'mv2_xnnpack'; // of two models
const ms = value => value.toFixed(4);

describe('the dashboard ExecuTorch', {skip: missing(), timeout: 600_000}, () => {
  const summary = missing() ? null : answer('summary', RECORD).methods[0];
  const timed = missing() ? [] : answer('nodes', RECORD).graphs[0].nodes.filter(node => node.avg !== null);
  let server, dashboard;
  const picture = name => dashboard.screenshot(join(screenshots, `executorch_${name}.png`));

  before(async () => {
    server = await TensorBoard.shared();
    dashboard = await ExecuTorchTab.openIn(server, {width: 1280, height: 900});
  });

  after(async () => {
    await dashboard?.close();
  });

  it('is served for each record once', async () => {
    const runs = await server.json('plugin/etrecord/runs');
    assert.deepEqual(runs.map(({run}) => run), SHARED);
    assert.ok(runs.every(({written}) => written > server.since - 1 && written < Date.now() / 1e3 + 1));
  });

  it('gives out its files and nothing else', async () => {
    for (const [route, type] of [['page.js', /^text\/javascript/], ['page.css', /^text\/css/]]) {
      const got = await fetch(`${server.url}data/plugin/etrecord/${route}`);
      assert.match(got.headers.get('content-type'), type);
      assert.equal(got.headers.get('x-content-type-options'), 'nosniff');
    }
    for (const route of ['package.json', '..%2ftensorboard_plugin.py', '%2e%2e/tensorboard_plugin.py', 'profile', 'profile?run=none', 'compare', `profile?run=${RECORD}/2_program/forward`])
      assert.equal((await fetch(`${server.url}data/plugin/etrecord/${route}`)).status, 404, route);
  });

  it('tells how long an inference takes, and where the time goes, in rows that add up', async () => {
    await dashboard.record(RECORD);
    assert.equal(await dashboard.total(), ms(summary.execute.typical));
    await dashboard.view('Table');
    const copied = await dashboard.copied('Rows by operator'), times = copied.map(row => row['typical ns']);
    assert.ok(Math.abs(times.reduce((a, b) => a + b) / 1e6 - summary.execute.typical) < 1e-6, 'the rows add up to Method::execute');
    for (const {part, typical} of summary.parts.filter(({part: name}) => name !== 'operators')) assert.ok(times.some(time => Math.abs(time / 1e6 - typical) < 1e-9), part);
    await picture('table');
  });

  it('shows what to change', async () => {
    await dashboard.view('Summary');
    const titles = await dashboard.frame.locator('.lever h3').allInnerTexts();
    assert.deepEqual(titles, summary.findings.slice(0, titles.length).map(finding => finding.title));
    assert.ok(titles.length > 0);
    await picture('summary');
  });

  it('lists all timed operators, the longest first', async () => {
    await dashboard.view('Table');
    await dashboard.groupBy('Node');
    assert.match(await dashboard.count(), new RegExp(`^${timed.length} operators, ${ms(summary.parts.find(({part}) => part === 'operators').typical)} ms`));
    assert.equal(await dashboard.grid().getAttribute('aria-rowcount'), String(timed.length + 1));
    const longest = timed.map(node => node.typical).sort((a, b) => b - a);
    const rows = await dashboard.rows();
    assert.deepEqual(rows.map(row => row.ms), longest.slice(0, rows.length).map(ms));
  });

  it('sorts by a column, and back', async () => {
    await dashboard.sortBy('operator');
    assert.ok(timed.map(node => node.target).sort()[0].includes((await dashboard.rows())[0].operator));
    await dashboard.sortBy('ms');
  });

  it('groups by backend and source line to the sums of the summary', async () => {
    await dashboard.groupBy('Backend');
    assert.deepEqual((await dashboard.rows()).map(row => [row.count, row.ms]), summary.by_backend.map(row => [`×${row.count}`, ms(row.typical)]));
    await dashboard.groupBy('Source line');
    const rows = await dashboard.rows();
    assert.deepEqual(rows.map(row => [row.count, row.ms]), summary.by_source.slice(0, rows.length).map(row => [`×${row.count}`, ms(row.typical)]));
    await dashboard.groupBy('Node');
  });

  it('finds what is searched for, from the keyboard', async () => {
    await dashboard.grid().focus();
    await dashboard.page.keyboard.press('/');
    await dashboard.page.keyboard.type('bmm layer_3');
    const wanted = timed.filter(node => node.target.includes('bmm') && node.module.includes('layer_3'));
    assert.ok(wanted.length > 0);
    assert.match(await dashboard.count(), new RegExp(`^${wanted.length} operator`));
    await dashboard.page.keyboard.press('Enter');
    await dashboard.frame.getByRole('complementary').waitFor();
    await dashboard.page.keyboard.press('Escape'); // the search, then its box, then the details
    assert.match(await dashboard.count(), new RegExp(`^${timed.length} operators`));
    await dashboard.page.keyboard.press('Escape');
    await dashboard.page.keyboard.press('Escape');
    await dashboard.frame.getByRole('complementary').waitFor({state: 'detached'});
  });

  it('tells all about an operator', async () => {
    await dashboard.openRow(0);
    const said = await dashboard.details(), node = timed.find(({name}) => name === said.name);
    assert.equal(said.average, `${ms(node.avg)} ms`);
    assert.equal(said.operator, node.target);
    assert.equal(said.module, node.module);
    assert.equal(said['runs as'], node.runs_as);
    assert.deepEqual((said.arguments ?? '').split(/=.*?(?:, (?=\w+=)|$)/).filter(Boolean), Object.keys(node.arguments));
    assert.equal(said['debug handle'], String(node.debug_handle));
    assert.equal(said.output, node.outputs.map(({dtype, shape}) => `${dtype.replace('float', 'f').replace('int', 'i')}[${shape.join(',')}]`).join(', '));
    assert.match(await dashboard.frame.getByRole('complementary').locator('pre').innerText(), new RegExp(RegExp.escape?.(node.source.code) ?? node.source.code.replace(/[^\w\s]/g, '\\$&')));
    await dashboard.page.keyboard.press('Escape');
  });

  it('has a row for each delegate, or one for those that are alike', async () => {
    await dashboard.groupBy('Delegate');
    const said = answer('delegation', RECORD).methods[0], counts = (await dashboard.copied('Rows by delegate')).map(row => row.count);
    assert.equal(counts.reduce((a, b) => a + b), said.delegated_subgraphs);
    await dashboard.page.keyboard.press('u');
    await dashboard.frame.waitForFunction(count => document.querySelector('[role=grid]').ariaRowCount === String(count + 1), said.delegated_subgraphs);
    await picture('delegates');
  });

  it('compares two records as `diff` does, with the newest of the same model before it unless another one is chosen', async () => {
    const said = diffOf(BASE, OTHER), [method] = said.methods;
    const told = await server.json('plugin/etrecord/compare', {base: BASE, new: OTHER});
    assert.deepEqual(comparisonOf(BASE, OTHER, told), said);
    await dashboard.view('Summary');
    await dashboard.record(OTHER);
    await dashboard.view('Compare');
    await dashboard.frame.getByRole('button', {name: 'newest record of the same model before it'}).click();
    await dashboard.frame.getByText('Changes by module').first().waitFor();
    assert.equal(await dashboard.frame.getByLabel('Base', {exact: true}).inputValue(), BASE);
    assert.deepEqual(await server.json('plugin/etrecord/base', {new: BASE}), {run: null}, 'the oldest has none');
    const [name, from, to] = (await dashboard.table('Changes by module'))[0], side = key => method.execute[`${key}_typical`] ?? method.execute[`${key}_p50`];
    assert.deepEqual([name, from, to], ['Method::execute', ms(side('base') / 1e6), ms(side('new') / 1e6)]);
    const timed = method.nodes.filter(node => node.base_runs || node.new_runs), words = verdict => (verdict === 'untimed' ? 'untimed' : verdict.replace('_', ' '));
    await dashboard.frame.getByText('Operators, one by one').click();
    await dashboard.frame.getByText('Operators, largest change').first().waitFor();
    const rows = await dashboard.table('Operators, largest change');
    assert.deepEqual(rows.map(row => row[7].replace(/^[▲▼△▽] /, '')).sort(), timed.map(node => words(node.verdict)).sort());
    assert.equal((await dashboard.frame.locator('.lead .verdict').innerText()).replace(/^[▲▼△▽] /, ''), words(method.execute.verdict));
    await picture('compare');
  });

  it('says of another model what `diff` says, with a warning', async () => {
    const [method] = diffOf(RECORD, OTHER).methods;
    assert.ok(method.may_differ);
    await dashboard.frame.getByLabel('Base', {exact: true}).selectOption({label: `vs ${RECORD}`});
    await dashboard.frame.getByRole('alert').waitFor();
    assert.match(await dashboard.frame.getByRole('alert').innerText(), new RegExp(`two different models: ${method.timed_paired} of ${method.timed_nodes} timed nodes pair`));
    assert.equal((await dashboard.frame.locator('.compare .answer').innerText()).replace(/\s/g, ' '), `${method.verdict_text.replace(/^c/, 'C').replace(/-(?=\d)/g, '−')}.`);
    assert.equal(await dashboard.frame.locator('.lead .verdict').innerText(), 'cannot tell');
    assert.equal((await dashboard.table('Changes by module'))[0][1], ms((method.execute.base_typical ?? method.execute.base_p50) / 1e6));
    await picture('other_models');
    assert.deepEqual(await server.json('plugin/etrecord/base', {new: RECORD}), {run: null});
    await dashboard.view('Summary');
    await dashboard.record(RECORD);
    await dashboard.view('Compare');
    await dashboard.frame.getByRole('button', {name: 'newest record of the same model before it'}).click();
    await dashboard.frame.getByText('No older record').waitFor();
  });

  it('says what it cannot compare', async () => {
    for (const [query, status] of [['', 404], [`?base=none&new=${RECORD}`, 404]])
      assert.equal((await fetch(`${server.url}data/plugin/etrecord/compare${query}`)).status, status, query);
  });

  it('keeps one unit everywhere', async () => {
    await dashboard.view('Summary');
    await dashboard.setting('Unit of times', 'us');
    assert.equal(await dashboard.total(), answer('summary', RECORD, 'us').methods[0].execute.typical.toFixed(1));
    assert.match(await dashboard.frame.locator('.rows-section th', {hasText: 'µs'}).first().innerText(), /^µs$/);
    await dashboard.setting('Unit of times', 'ms');
  });

  it('shows each method of a record', async () => {
    await dashboard.record('multi_method');
    for (const method of answer('summary', 'multi_method').methods.filter(({runs}) => runs > 0)) {
      await dashboard.frame.getByLabel('Method').selectOption({label: method.method});
      assert.equal(await dashboard.total(), ms(method.execute.typical));
    }
  });

  it('keeps to one row of tools', async () => {
    await dashboard.record('llama_xnnpack');
    for (const view of ['Fleet', 'Table']) { // those of a record's other views are tested in a report, by access.test.js
      await dashboard.view(view);
      await dashboard.settled();
      assert.deepEqual(await dashboard.wrapped(), [], view);
    }
    await dashboard.view('Summary');
  });

  it('is there in the dark', async () => {
    await dashboard.record(RECORD);
    await dashboard.setting('Theme', 'dark');
    const luminance = await dashboard.frame.locator('body').evaluate(body => getComputedStyle(body).backgroundColor.match(/\d+/g).map(Number).reduce((a, b) => a + b));
    assert.ok(luminance < 200);
    await picture('dark');
  });

  it('gives the page nothing to complain about', () => assert.deepEqual(dashboard.errors, []));
});
