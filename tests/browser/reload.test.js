// SPDX-License-Identifier: BSD-3-Clause
//
// reload.test.js - a logdir that changes while TensorBoard shows it: records that are new, written again, gone; and some that cannot be shown.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {cpSync, mkdtempSync, rmSync, utimesSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {setTimeout} from 'node:timers/promises';

import {answer} from './answers.js';
import {ExecuTorchTab} from './executorch_tab.js';
import {command, fixtures, missing, python, screenshots} from './environment.js';
import {TensorBoard} from './tensorboard.js';

const ms = value => value.toFixed(4);

/* Writes a text where a record has its document. */
const FORGE = `
import sys
from tensorboard.compat.proto import event_pb2, summary_pb2, tensor_pb2, types_pb2
from tensorboard.summary.writer.event_file_writer import EventFileWriter
metadata = summary_pb2.SummaryMetadata(plugin_data={"plugin_name": "etrecord"}, data_class=summary_pb2.DATA_CLASS_BLOB_SEQUENCE)
tensor = tensor_pb2.TensorProto(dtype=types_pb2.DT_STRING, string_val=[sys.argv[2].encode()], tensor_shape={"dim": [{"size": 1}]})
writer = EventFileWriter(sys.argv[1])
writer.add_event(event_pb2.Event(wall_time=1e9, summary={"value": [{"tag": "etrecord", "metadata": metadata, "tensor": tensor}]}))
writer.close()
`;

describe('a logdir that changes', {skip: missing(), timeout: 300_000}, () => {
  let server, dashboard, frame;
  const write = (fixture, name, ...options) => execFileSync(command, ['write', join(fixtures, fixture), '--logdir', server.folder, '--name', name, ...options], {stdio: 'ignore'});
  const forge = (name, text) => execFileSync(python, ['-c', FORGE, join(server.folder, name), text], {stdio: 'ignore'});
  const written = async names => {
    const runs = await server.json('plugin/etrecord/runs');
    return names.map(name => runs.find(({run}) => run === name)?.written);
  };

  async function until(is, what) {
    for (let tries = 0; tries < 300; tries++, await setTimeout(200)) if (await is()) return;
    assert.fail(`not ${what}`);
  }

  /* Changes records, waits until TensorBoard knows, and presses its button. */
  async function change(names, what) {
    const before = await written(names);
    what();
    await until(async () => (await written(names)).every((time, at) => time !== before[at]), `another ${names}`);
    const asked = dashboard.page.waitForResponse(/plugin\/etrecord\/runs/);
    await dashboard.page.locator('.reload-button').click();
    await asked;
  }

  const records = () => frame.getByLabel('Record').locator('option').allInnerTexts();
  const choose = label => frame.getByLabel('Record').selectOption({label});
  const average = async () => dashboard.total();
  const averageOf = fixture => ms(answer('summary', fixture).methods[0].execute.typical);
  const shows = text => frame.locator('main').getByText(text).first().waitFor();

  /* All tabs work, and have the problem and nothing else. */
  async function showsAlone(problem) {
    await shows(problem);
    for (const view of (await frame.getByRole('tab').allInnerTexts()).filter(title => title !== 'Fleet')) {
      await dashboard.view(view);
      assert.deepEqual(await frame.locator('main').evaluate(main => [main.children.length, main.firstElementChild.getAttribute('role')]), [1, 'alert'], view);
      assert.match(await frame.locator('main').innerText(), problem);
      assert.equal(await frame.getByRole('complementary').count(), 0);
    }
    await dashboard.view('Summary');
  }

  before(async () => {
    server = await TensorBoard.start('mv2_xnnpack', 'add_mul');
    forge('aa_later', '{"schema": "etrecord-tb/profile/2"}');
    forge('bb_cut', '{"schema": "etrecord-tb/profile/1"');
    forge('cc_broken', '{"schema": "etrecord-tb/profile/1", "methods": 3}');
    await until(async () => (await written(['aa_later', 'bb_cut', 'cc_broken'])).every(Boolean), 'loaded');
    dashboard = await ExecuTorchTab.openIn(server, {width: 1280, height: 700});
    ({frame} = dashboard);
  });

  after(async () => {
    await dashboard?.close();
    await server?.stop();
  });

  it('has a menu though its first record is of another version', async () => {
    await showsAlone(/cannot be shown.*profile\/2/);
    assert.deepEqual(await records(), ['aa_later', 'add_mul', 'bb_cut', 'cc_broken', 'mv2_xnnpack']);
    await dashboard.screenshot(join(screenshots, 'executorch_not_shown.png'));
  });

  it('shows no figures of the record before under the name of a broken one', async () => {
    for (const [label, problem] of [['bb_cut', /cannot be shown/], ['cc_broken', /cannot be shown.*broken/], ['aa_later', /profile\/2/]]) {
      await choose('mv2_xnnpack');
      await frame.locator('.summary').waitFor();
      assert.equal(await average(), averageOf('mv2_xnnpack'));
      await dashboard.view('Table');
      await dashboard.groupBy('Node');
      await dashboard.openRow(0);
      await choose(label);
      await showsAlone(problem);
    }
  });

  it('keeps the tab, filters, selection and scrolling where a new record appears', async () => {
    await choose('mv2_xnnpack');
    await dashboard.view('Table');
    await dashboard.groupBy('Node');
    await dashboard.search('conv backend:Xnn*');
    await dashboard.openRow(2);
    await drawn();
    await dashboard.grid().evaluate(grid => { grid.scrollTop = 300; });
    await frame.evaluate(() => new Promise(requestAnimationFrame));
    await change(['new'], () => write('add_mul', 'new'));
    await until(async () => (await records()).includes('new'), 'in the menu');
    await staysAsItWas('mv2_xnnpack');
  });

  const drawn = () => frame.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))));

  let selected;
  async function staysAsItWas(fixture) {
    await drawn();
    const wanted = answer('nodes', fixture).graphs[0].nodes, said = await dashboard.details();
    assert.equal(await frame.getByRole('tab', {selected: true}).innerText(), 'Table');
    assert.equal(await frame.getByLabel('Search operators').inputValue().then(text => text.split(' ')[0]), 'conv');
    assert.equal(said.average, `${ms(wanted.find(({name}) => name === said.name).avg)} ms`);
    assert.equal(said.name, selected ??= said.name);
    assert.equal(await dashboard.grid().evaluate(grid => grid.scrollTop), 300);
    const times = new Set(wanted.filter(({typical}) => typical !== null).map(({typical}) => ms(typical)));
    assert.deepEqual((await dashboard.rows()).map(row => row.ms).filter(text => !times.has(text)), []);
  }

  it('keeps them where the record is written again, with the new figures', async () => {
    await dashboard.search('conv');
    await drawn(); // another filter scrolls to the selected row
    await dashboard.grid().evaluate(grid => { grid.scrollTop = 300; });
    await change(['mv2_xnnpack'], () => write('mv2_portable', 'mv2_xnnpack'));
    await until(async () => (await dashboard.details()).backend === 'cpu', 'written again');
    await staysAsItWas('mv2_portable');
    await dashboard.view('Summary');
    assert.equal(await average(), averageOf('mv2_portable'));
  });

  /* Writes a record that was recorded in 2001, so many seconds later. */
  function writeOld(name, seconds, ...options) {
    const folder = mkdtempSync(join(tmpdir(), 'etrecord-tb-'));
    cpSync(join(fixtures, 'mv2_xnnpack'), folder, {recursive: true});
    utimesSync(join(folder, 'etdump.etdp'), 1e9 + seconds, 1e9 + seconds);
    execFileSync(command, ['write', folder, '--logdir', server.folder, '--name', name, ...options], {stdio: 'ignore'});
    rmSync(folder, {recursive: true});
  }

  it('compares with the newest record of the same model before it, whenever that was written', async () => {
    await change(['z_model', 'a_model', 'later'], () => { writeOld('z_model', 2); writeOld('a_model', 1); writeOld('later', 3e9); });
    await dashboard.view('Compare');
    await frame.getByRole('button', {name: 'newest record of the same model before it'}).click();
    await shows('Changes by module');
    assert.equal(await frame.getByLabel('Base', {exact: true}).inputValue(), 'z_model');
    const rowOfBase = async () => (await dashboard.table('Changes by module'))[0]?.join(), before = await rowOfBase();
    await change(['z_model'], () => writeOld('z_model', 2, '--runs', '3-4'));
    await until(async () => ![undefined, before].includes(await rowOfBase()), 'compared again');
    assert.equal(await frame.getByLabel('Base', {exact: true}).inputValue(), 'z_model');
  });

  it('shows nothing of a record that is gone, and shows it again once it is back', async () => {
    await change(['mv2_xnnpack'], () => rmSync(join(server.folder, 'mv2_xnnpack'), {recursive: true}));
    await showsAlone(/no longer in the logdir/);
    await choose('add_mul');
    await frame.locator('.summary').waitFor();
    assert.equal(await average(), averageOf('add_mul'));
    assert.ok(!(await records()).includes('mv2_xnnpack'));
    await change(['add_mul'], () => rmSync(join(server.folder, 'add_mul'), {recursive: true}));
    await shows('no longer in the logdir');
    await change(['add_mul'], () => write('add_mul', 'add_mul'));
    await frame.locator('.summary').waitFor();
    assert.equal(await average(), averageOf('add_mul'));
  });

  it('gives the page nothing to complain about', () => assert.deepEqual(dashboard.errors, []));
});
