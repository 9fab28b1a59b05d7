// SPDX-License-Identifier: BSD-3-Clause
//
// fleet.test.js - the list of all records: what it says of each is what the command says, and from it one gets to a record, and to a comparison of two.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {cpSync, mkdtempSync, rmSync, utimesSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';

import {answer} from './answers.js';
import {computed} from './colors.js';
import {ExecuTorchTab} from './executorch_tab.js';
import {fixtures, missing, python, screenshots} from './environment.js';
import {TensorBoard} from './tensorboard.js';

const facts = given => Object.entries(given).flatMap(([name, value]) => ['--hparam', `${name}=${value}`]);
const record = (fixture, name, given = {}, options = []) => ({record: fixture, name, options: [...facts(given), ...options]});
const RECORDS = [
  record('mv2_portable', 'nightly/1', {device: 'pixel8', commit: 'a1b2c3d'}), record('mv2_xnnpack', 'nightly/2', {device: 'pixel8', commit: 'b2c3d4e'}),
  record('mv2_xnnpack', 'nightly/3', {device: 's24', commit: 'b2c3d4e'}, ['--skip-runs', '3']), record('multi_method', 'two', {device: 's24'}), record('vit_xnnpack', 'vit'),
  record('add_mul', 'old'),
];
const [PORTABLE, XNNPACK] = ['mv2_portable', 'mv2_xnnpack'].map(fixture => (missing() ? null : answer('summary', fixture).methods[0]));
const ms = value => value.toFixed(4);

/*
 * Copies of the records, recorded a day apart in this order, and written in the other: the list is by recording, so it
 * is not that of writing.
 */
function recordedInOrder(records, folder) {
  return records.map((given, day) => {
    const copy = join(folder, `${day}`);
    cpSync(join(fixtures, given.record), copy, {recursive: true});
    utimesSync(join(copy, 'etdump.etdp'), 1.7e9 + day * 86400, 1.7e9 + day * 86400);
    return {...given, record: copy};
  }).toReversed();
}

/* Takes the head away from what a run has. */
const FORGET_HEAD = `
import pathlib, sys
from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
from tensorboard.compat.proto import event_pb2
from tensorboard.summary.writer.record_writer import RecordWriter
(path,) = pathlib.Path(sys.argv[1]).glob("events.out.tfevents.*")
kept = [raw for raw in RawEventFileLoader(str(path)).Load() if not any(value.tag == "etrecord_head" for value in event_pb2.Event.FromString(raw).summary.value)]
with path.open("wb") as file:
    for raw in kept:
        RecordWriter(file).write(raw)
`;

/** No part of the page is wider than there is room for. */
async function assertFits(dashboard, width) {
  await dashboard.page.setViewportSize({width, height: 900});
  await dashboard.frame.waitForFunction(wanted => document.documentElement.clientWidth === wanted, width);
  await dashboard.frame.locator('.fleet [data-row]').first().waitFor();
  await dashboard.settled(); // the table takes its width a frame later
  const wide = await dashboard.frame.evaluate(() => [document.documentElement, ...document.querySelectorAll('main, .grid-table, .trend')].filter(part => part.scrollWidth > part.clientWidth).map(part => part.className));
  assert.deepEqual(wide, [], `at ${width}`);
}

describe('the fleet', {skip: missing(), timeout: 600_000}, () => {
  let server, dashboard, frame, copies;
  const picture = name => dashboard.screenshot(join(screenshots, `fleet_${name}.png`));
  const shown = async () => (await dashboard.rows()).map(row => row.record);
  const rowOf = async name => (await dashboard.rows()).find(row => row.record === name);
  const filter = async (text, count) => {
    await frame.getByLabel('Filter records').fill(text);
    await frame.locator('.fleet .count', {hasText: new RegExp(`^${count} record`)}).waitFor();
  };
  const lines = () => frame.locator('.trend-line').evaluateAll(all => Object.fromEntries(all.map(line => [line.dataset.line, line.querySelectorAll('.dot').length])));

  before(async () => {
    copies = mkdtempSync(join(tmpdir(), 'etrecord-fleet-'));
    server = await TensorBoard.startWith(recordedInOrder(RECORDS, copies), folder => execFileSync(python, ['-c', FORGET_HEAD, join(folder, 'old')], {stdio: 'ignore'}));
    dashboard = await ExecuTorchTab.openIn(server, {width: 1280, height: 900});
    frame = dashboard.frame;
    await dashboard.openFleet();
  });

  after(async () => {
    await dashboard?.close();
    await server?.stop();
    rmSync(copies, {recursive: true, force: true});
  });

  it('is the first tab', async () => assert.equal(await frame.getByRole('tab').first().innerText(), 'Fleet'));

  it('has a row for each method of each record, newest first', async () => {
    assert.deepEqual(await shown(), ['old', 'vit', 'two', 'two', 'nightly/3', 'nightly/2', 'nightly/1']);
    assert.equal(await frame.locator('.fleet .count').innerText(), '6 records, the last recorded first');
    assert.match(await frame.locator('.fleet .hint').innerText(), /^tick two to compare: the older is the base/);
    const {typical, min, max} = XNNPACK.execute, row = await rowOf('nightly/2');
    assert.equal(row['typical, least – most ms'].replace(/\s+/g, ' '), `${ms(typical)} ${ms(min)} – ${ms(max)}`);
    assert.deepEqual([row.model, row.method, row.runs, row.commit, row.device], ['MobileNetV2', 'forward', String(XNNPACK.runs), 'b2c3d4e', 'pixel8']);
    assert.equal((await rowOf('nightly/1')).delegated, '0 %');
    assert.match(row.delegated, /^(99|100) %$/);
    assert.match(row.recorded, /^2023-11-1\d \d\d:\d\d$/);
    await picture('all');
  });

  it('tells the change since the record of the same model before, and of no other', async () => {
    const change = (100 * (XNNPACK.execute.typical - PORTABLE.execute.typical)) / PORTABLE.execute.typical;
    assert.equal((await rowOf('nightly/2')).change, `${change.toFixed(Math.abs(change) < 9.95 ? 1 : 0)} %`.replace('-', '−'));
    for (const name of ['nightly/1', 'two', 'vit', 'old']) assert.equal((await rowOf(name)).change, '', name);
  });

  it('says of a record without a head that it has to be written again', async () => {
    const row = await rowOf('old');
    assert.equal(row['typical, least – most ms'], 'cannot be read: write it again');
    assert.ok(await frame.getByLabel('Compare old').isDisabled());
  });

  it('draws a line for each model, and for each device of it', async () => {
    assert.deepEqual(await lines(), {'MobileNetV2 · forward': 3, 'Dec · decode': 1, 'Enc · encode': 1, 'VisionTransformer · forward': 1});
    await frame.getByLabel('A line for each').selectOption('device');
    assert.deepEqual(await lines(), {'MobileNetV2 · forward · pixel8': 2, 'MobileNetV2 · forward · s24': 1, 'Dec · decode · s24': 1, 'Enc · encode · s24': 1, 'VisionTransformer · forward': 1});
    assert.equal((await rowOf('nightly/3')).change, '');
    await frame.getByLabel('A line for each').selectOption('');
  });

  it('draws lines in gray, and in the accent that of the record that is chosen, with its name', async () => {
    const [gray, accent] = await computed(frame, ['var(--runtime)', 'var(--accent)']), inWords = color => `rgb(${color.join(', ')})`;
    const drawn = () => frame.locator('.trend-line').evaluateAll(all => Object.fromEntries(all.map(line => [line.dataset.line, getComputedStyle(line.querySelector('.line')).stroke])));
    assert.deepEqual(await frame.locator('.trend-names span').allInnerTexts(), ['MobileNetV2 · forward']); // the others are a dot each
    const named = () => frame.locator('.trend-names .chosen').allInnerTexts();
    await frame.getByLabel('Compare two, encode').click();
    assert.ok((await named()).includes('Enc · encode') && (await named()).length < Object.keys(await drawn()).length);
    for (const [line, color] of Object.entries(await drawn())) assert.equal(color, inWords((await named()).includes(line) ? accent : gray), line);
    await frame.getByLabel('Compare two, encode').click();
  });

  it('takes a text from any column, or from one', async () => {
    await filter('b2c3d4e mobile', 2);
    assert.deepEqual(await shown(), ['nightly/3', 'nightly/2']);
    await filter('device=pixel8', 2);
    assert.deepEqual(await shown(), ['nightly/2', 'nightly/1']);
    assert.deepEqual(await lines(), {'MobileNetV2 · forward': 2});
    await filter('method=enc', 1);
    await filter('commit=pixel8', 0);
    await frame.getByText('No record matches.').waitFor();
    await filter('', 6);
  });

  it('sorts by a column', async () => {
    await dashboard.sortBy('typical');
    await frame.locator('[data-row="0"]', {hasText: 'nightly/1'}).waitFor();
    assert.deepEqual((await shown()).slice(-2), ['two', 'old']); // what was not timed is last
  });

  it('fits the page, light and dark', async () => {
    for (const width of [800, 1280]) await assertFits(dashboard, width);
    await dashboard.setting('Theme', 'dark');
    await picture('dark');
    await dashboard.setting('Theme', 'auto');
  });

  it('compares two that are ticked, the older one as the base, by keyboard as well', async () => {
    await frame.getByLabel('Compare nightly/3').focus();
    await dashboard.page.keyboard.press('Space');
    await frame.getByText('tick another: the older is the base, else nightly/3').waitFor();
    assert.match(await frame.evaluate(() => document.activeElement.getAttribute('aria-label')), /^Compare nightly\/3/);
    await frame.getByLabel('Compare nightly/2').click();
    await frame.getByRole('tab', {name: 'Compare', selected: true}).waitFor();
    await frame.locator('.compare .lead', {hasText: '→'}).waitFor();
    assert.equal(await frame.getByLabel('Base', {exact: true}).locator('option:checked').innerText(), 'vs nightly/2');
    assert.equal(await frame.getByLabel('Record').locator('option:checked').innerText(), 'nightly/3');
  });

  it('puts more records beside the two, with a column of times for each', async () => {
    await frame.locator('.add-records summary').click();
    await frame.locator('.add-records').getByLabel('nightly/1', {exact: true}).check();
    await frame.locator('caption', {hasText: '3 records side by side'}).waitFor();
    const rows = await dashboard.table('3 records side by side');
    assert.deepEqual(rows.map(([name, typical]) => [name, typical]), [['nightly/2', ms(XNNPACK.execute.typical)], ['nightly/3', rows[1][1]], ['nightly/1', ms(PORTABLE.execute.typical)]]);
    await frame.locator('.records .box-foot', {hasText: 'corrected for the number of records'}).waitFor();
    const operators = await dashboard.table('Times of operators side by side');
    for (const [at, {by_op}] of [[1, XNNPACK], [3, PORTABLE]]) {
      const {typical} = by_op.find(({op}) => op === 'aten.convolution.default');
      assert.equal(operators.find(([name]) => name === 'convolution')[at], ms(typical));
    }
    await frame.locator('.add-records summary').click();
    await picture('side_by_side');
  });

  it('leads to a record, and to its method', async () => {
    await dashboard.openFleet();
    assert.equal(await frame.locator('.fleet [role=grid] input:checked').count(), 0);
    await frame.locator('[data-row]', {hasText: 'encode'}).getByText('two', {exact: true}).click();
    await frame.getByRole('tab', {name: 'Summary', selected: true}).waitFor();
    await frame.locator('.summary').waitFor();
    assert.equal(await frame.getByLabel('Record').locator('option:checked').innerText(), 'two');
    assert.equal(await frame.getByLabel('Method').locator('option:checked').innerText(), 'encode');
  });

  it('gives the page nothing to complain about', () => assert.deepEqual(dashboard.errors, []));
});
