// SPDX-License-Identifier: BSD-3-Clause
//
// icicle.test.js - the picture of where the time goes filters the rows, by mouse and keyboard; the filter is in the address, and Escape and Back undo it.

import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';

import {answer, run} from './answers.js';
import {ExecuTorchTab} from './executorch_tab.js';
import {fixtures, missing} from './environment.js';

const RECORD = 'llama_xnnpack';

describe('the icicle', {skip: missing(), timeout: 600_000}, () => {
  const folder = missing() ? '' : mkdtempSync(join(tmpdir(), 'icicle-')), path = join(folder, 'report.html');
  let page;
  const go = async state => {
    await page.go(path, state);
    await page.settled();
  };
  const boxes = () => page.frame.locator('.icicle-picture [data-box]');
  const box = text => boxes().filter({hasText: text}).first();
  const rows = () => page.frame.locator('.rows-section tbody tr').allInnerTexts();

  before(async () => {
    run('report', join(fixtures, RECORD), '-o', path, '--unit', 'ms');
    page = await ExecuTorchTab.openReport(path, {width: 1280, height: 800});
  });

  after(async () => {
    await page?.close();
    rmSync(folder, {recursive: true, force: true});
  });

  it('is as wide as the time, on both rows', async () => {
    await go('');
    const all = await boxes().evaluateAll(list => list.map(item => item.querySelector('.box').getBoundingClientRect()).map(({y, width, left, right}) => ({y: Math.round(y), width, left, right}))), {width} = await page.frame.locator('.icicle-picture').boundingBox();
    for (const y of new Set(all.map(item => item.y))) {
      const row = all.filter(item => item.y === y), sum = row.reduce((total, item) => total + item.width + 1, 0);
      assert.ok(Math.abs(sum - width) < row.length + 1, `${sum} of ${width}`);
    }
  });

  it('filters the rows by a click, dims the rest, and Escape undoes it', async () => {
    await go('');
    const before = await rows();
    await box('attention').click();
    await page.frame.getByText(/^Where the time goes in attention/).waitFor();
    assert.match(await page.address(), /in=module:layers\.\*\.attention/);
    const filtered = await rows();
    assert.ok(filtered.length > 0 && filtered.every(row => row.startsWith('attention')), filtered.join());
    assert.ok((await boxes().evaluateAll(list => list.filter(item => item.getAttribute('opacity') === '0.3').length)) > 0);
    await page.page.keyboard.press('Escape');
    await page.frame.getByText(/^Where the time goes$/).first().waitFor();
    assert.deepEqual(await rows(), before);
    await page.page.goBack();
    await page.frame.getByText(/^Where the time goes in attention/).waitFor();
    await page.page.reload();
    await page.shown();
    assert.deepEqual(await rows(), filtered);
  });

  it('filters by a part that is no operator', async () => {
    await go('');
    await box(/^calling 82/).click();
    assert.match((await rows()).join(), /^calling 82 delegates/);
    assert.equal((await rows()).length, 1);
  });

  it('filters the table to the sum of the module', async () => {
    const wanted = answer('summary', RECORD).methods[0].by_pattern.find(({pattern}) => pattern === 'layers.*.attention').with_children;
    await go('view=table&by=node&in=module:layers.*.attention&digits=1');
    assert.match(await page.count(), new RegExp(`^${wanted.count} operators, ${wanted.typical.toFixed(4)} ms`));
  });

  it('is one stop of the tab key, walked with arrows, says what a box is, and Enter filters', async () => {
    await go('');
    await page.frame.locator('.icicle-picture').focus();
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown']) await page.page.keyboard.press(key);
    assert.match(await page.frame.locator('.icicle [role=status]').innerText(), /layers\.\*\.attention.*; [\d.]+ ms · \d+ %/);
    await page.page.keyboard.press('Enter');
    assert.match(await page.address(), /in=own:layers/);
  });

  it('tells what is under the pointer in three lines, beside the box', async () => {
    await go('');
    const target = await box('attention').boundingBox();
    await page.page.mouse.move(target.x + 20, target.y + 10);
    const tip = page.frame.locator('.tip');
    assert.match(await tip.innerText(), /^layers\.\*\.attention ×16\n[\d.]+ ms · \d+ %/);
    assert.ok((await tip.boundingBox()).y >= target.y + target.height, 'it never covers the box');
  });

  it('complained about nothing', () => assert.deepEqual([page.errors, page.asked], [[], []]));
});
