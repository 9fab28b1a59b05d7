// SPDX-License-Identifier: BSD-3-Clause
//
// modules_view.test.js - what a user does in the icicle of a report: open modules and go back, unroll, change order and statistic, compare.

import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';

import {answer, run} from './answers.js';
import {fixtures, missing} from './environment.js';
import {ScenePage} from './scene_page.js';

const LEVEL = 38;

describe('the modules', {skip: missing(), timeout: 600_000}, () => {
  const tab = new ScenePage(), paths = {};
  let folder;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'modules-'));
    for (const record of ['llama_portable', 'llama_xnnpack', 'b_qnn']) run('report', join(fixtures, record), '-o', paths[record] = join(folder, `${record}.html`), '--unit', 'ms');
    run('report', join(fixtures, 'inserted_before'), join(fixtures, 'inserted_after'), '-o', paths.compared = join(folder, 'compared.html'));
    await tab.launch({width: 1280, height: 800}, {offline: true});
  });

  after(async () => {
    await tab.close();
    rmSync(folder, {recursive: true});
  });

  const crumbs = () => tab.page.locator('.crumbs button[aria-current], .crumbs button:not(.text-link)').allInnerTexts();
  const contents = () => tab.table('Contents');

  it('add up to Method::execute', async () => {
    for (const record of ['llama_portable', 'llama_xnnpack', 'b_qnn']) {
      await tab.open(paths[record], 'modules&digits=1'); // as they are, not as many digits as are known
      const [method] = answer('summary', record).methods, rows = await contents();
      const sum = rows.reduce((all, [, , time]) => all + Number(time.replace('≈ ', '')), 0);
      assert.ok(Math.abs(sum - method.execute.typical) < 1e-4 * rows.length, `${record}: ${sum} of ${method.execute.typical}`);
    }
  });

  it('roll up 32 equal layers, and unroll them by a key', async () => {
    await tab.open(paths.llama_portable, 'modules');
    assert.equal((await contents())[0][0], 'layers.* ×32');
    await tab.page.keyboard.press('u');
    await tab.settled();
    assert.equal((await contents()).filter(([name]) => /^layers\.\d+$/.test(name)).length, 32);
    await tab.page.goBack();
    await tab.settled();
    assert.equal((await contents())[0][0], 'layers.* ×32');
  });

  it('are drilled by clicks, and Back goes up again', async () => {
    await tab.open(paths.llama_portable, 'modules');
    await tab.point(0.3, 1.5 * LEVEL);
    await tab.page.mouse.down();
    await tab.page.mouse.up();
    await tab.settled();
    assert.deepEqual(await crumbs(), ['Method::execute', 'layers.* ×32']);
    assert.equal(tab.address()['mod.at'], 'layers.*');
    await tab.point(0.3, 1.5 * LEVEL);
    await tab.page.mouse.down();
    await tab.page.mouse.up();
    await tab.settled();
    assert.deepEqual((await crumbs()).slice(0, 2), ['Method::execute', 'layers.* ×32']);
    assert.equal((await crumbs()).length, 3);
    await tab.page.goBack();
    await tab.settled();
    assert.deepEqual(await crumbs(), ['Method::execute', 'layers.* ×32']);
    await tab.page.goBack();
    await tab.settled();
    assert.deepEqual(await crumbs(), ['Method::execute']);
    await tab.page.goForward();
    await tab.settled();
    await tab.page.reload();
    await tab.canvas.waitFor();
    assert.deepEqual(await crumbs(), ['Method::execute', 'layers.* ×32']);
    await tab.page.keyboard.press('Backspace');
    await tab.settled();
    assert.deepEqual(await crumbs(), ['Method::execute']);
  });

  it('tell what is under the pointer, and what is chosen', async () => {
    await tab.open(paths.llama_portable, 'modules');
    await tab.point(0.3, 1.5 * LEVEL);
    const tip = await tab.page.locator('.scene-tip').innerText();
    for (const part of [/^layers\.\* ×32/, /typical\s+[\d.]+ ms, [\d.]+ % of Method::execute/, /slowest\s+layers\.\d+, /]) assert.match(tip, part);
    await tab.canvas.focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown']) await tab.page.keyboard.press(key);
    assert.match(await tab.said(), /of Method::execute/);
    assert.match(tab.address().sel, /^(pattern|module|node):/);
  });

  it('show what is selected elsewhere, whatever module was open', async () => {
    await tab.open(paths.llama_portable, 'modules', 'mod.at=tok&sel=node:aten_bmm_default_30');
    assert.deepEqual(await crumbs(), ['Method::execute']);
    await tab.open(paths.llama_portable, 'modules', 'mod.at=layers.*&sel=node:aten_bmm_default_30');
    assert.deepEqual(await crumbs(), ['Method::execute', 'layers.* ×32']);
    await tab.canvas.focus();
    await tab.page.keyboard.press('f');
    await tab.settled();
    assert.ok(Number(tab.address()['mod.to']) > Number(tab.address()['mod.from']), 'F zooms to its box');
  });

  it('show medians, whose sum is no median', async () => {
    await tab.open(paths.llama_portable, 'modules', 'stat=p50');
    assert.match(await tab.page.locator('.modules').innerText(), /Medians do not add up/);
    assert.deepEqual(await crumbs(), ['sum of the medians of all operators']);
  });

  it('are coloured by their change, and hatch what is new', async () => {
    await tab.open(paths.compared, 'modules', 'base=base');
    await tab.page.locator('[aria-label="Change against the base"]').waitFor();
    await tab.settled();
    const byChange = await tab.canvas.evaluate(canvas => canvas.toDataURL());
    await tab.page.locator('[aria-label="Colour"] button', {hasText: 'Backend'}).click();
    await tab.settled();
    assert.notEqual(await tab.canvas.evaluate(canvas => canvas.toDataURL()), byChange);
    assert.match((await tab.page.locator('.modules thead').innerText()), /base p50/);
  });

  it('say what is wrong with an address that asks for a module that is not there', async () => {
    await tab.open(paths.llama_portable, 'modules', 'mod.at=layers.99');
    assert.deepEqual(await crumbs(), ['Method::execute']);
  });

  it('complained about nothing', () => assert.deepEqual(tab.errors, []));
});
