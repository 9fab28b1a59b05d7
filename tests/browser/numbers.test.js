// SPDX-License-Identifier: BSD-3-Clause
//
// numbers.test.js - every number with a unit explains itself, in every view, and has no more digits than the clock and the spread of the runs support.

import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';

import {documentOf, run} from './answers.js';
import {ExecuTorchTab} from './executorch_tab.js';
import {fixtures, missing} from './environment.js';

const REPORTS = [['llama_xnnpack'], ['turns_base', 'turns_new']], SELECTED = {llama_xnnpack: 'node:aten_linear_default', turns_base: 'node:aten_convolution_default'};

/* The texts with a number and a unit, and the cells with a number: {text, why: what explains it, isTime}. What is no number of the record is left out: scales of pictures, code, names, limits in rules. */
function numbersOf() {
  const found = [], walker = document.createTreeWalker(document.querySelector('.page'), NodeFilter.SHOW_TEXT), unit = /(?<![\w.])\d[\d,.]*\s?(ms|µs|ns|s|bytes|k?B|[GM]B\/s|GFLOP\/s|Gop\/s|dB|%)(?![\w/])/;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const around = node.parentElement, cell = around.closest('td.number, [role=gridcell].number'), text = node.textContent.trim();
    if (!(cell ? /\d/.test(text) : unit.test(text)) || around.closest('code, pre, th, [role=columnheader], .axis, .axis-up, .axis-across, .legend, .graph, .said, .icicle, .aligned, .waterfall, option, [hidden]') || /^(A row is slower|No roof|No rate|the runtime's method allocator needs)/.test(text) || !around.checkVisibility()) continue;
    found.push({text, why: around.closest('[aria-description]')?.getAttribute('aria-description') ?? (/clock step/.test(text) ? text : ''), isTime: /\d (ms|µs|ns)\b/.test(text) || /\b(ms|µs)\b/.test(headOf(cell)), head: headOf(cell)});
  }
  return found;

  function headOf(cell) {
    const at = cell ? [...cell.parentElement.children].indexOf(cell) : -1, head = cell?.closest('table, [role=grid]')?.querySelector('thead tr, .head');
    return head?.children[at]?.textContent ?? '';
  }
}

const decimalsOf = text => (text.match(/\d\.(\d+)/)?.[1] ?? '').length;

describe('numbers', {skip: missing(), timeout: 600_000}, () => {
  const folder = missing() ? '' : mkdtempSync(join(tmpdir(), 'numbers-'));
  let page;

  const go = async (path, fragment) => {
    await page.go(path, fragment);
    await page.settled();
  };

  before(async () => {
    for (const records of REPORTS) run('report', ...records.map(record => join(fixtures, record)), '-o', join(folder, `${records[0]}.html`), '--unit', 'ms');
    page = await ExecuTorchTab.openReport(join(folder, 'llama_xnnpack.html'), {width: 1400, height: 900});
  });

  after(async () => {
    await page?.close();
    rmSync(folder, {recursive: true, force: true});
  });

  for (const [[record, newer], stats] of [[REPORTS[0], process.env.ALL ? ['typical', 'avg', 'p50'] : ['typical', 'avg']], [REPORTS[1], ['typical']]])
    for (const stat of stats)
      it(`explain themselves, with the digits that are known: ${newer ?? record}, ${stat}`, async () => {
        const path = join(folder, `${record}.html`), {methods: [{answer, clocks}]} = documentOf(newer ?? record), least = Math.ceil(-Math.log10(clocks[''] / 1e6) - 1e-9);
        await go(path, '');
        const views = await page.frame.getByRole('tab').allInnerTexts();
        const wrong = new Set();
        let count = 0;
        for (const view of views)
          for (const extra of stat === 'typical' ? ['', `&sel=${SELECTED[record]}`, ...(view === 'Table' ? ['&by=node', '&by=module', '&by=source', '&by=backend', '&by=delegate'] : []), ...(view === 'Timeline' ? ['&tl.span=1000~900000'] : []), ...(view === 'Table' ? ['&sel=delegate:0'] : [])] : view === 'Table' ? ['&by=node', '&by=module'] : ['']) { // another statistic changes the same numbers
            await go(path, `view=${view.toLowerCase()}&stat=${stat}${extra}`);
            const numbers = await page.frame.evaluate(numbersOf), where = ({text, head}) => `${view}${extra}: ${head} "${text}"`;
            for (const number of numbers) if (!number.why || (number.isTime && (!/clock/.test(number.why) || decimalsOf(number.text) > Math.min(4, least)))) wrong.add(where(number));
            count += numbers.length;
          }
        assert.deepEqual([...wrong], []);
        assert.ok(count > (stat === 'typical' ? 500 : 200), `${count} numbers`);
        await go(path, 'view=summary');
        const tokens = '( of [\\d,.]+ tokens?, \\d[\\d,.]*( [kM])? tokens/s)?$', said = answer.text.split('. ')[0].replace(' us', ' µs'), h1 = page.frame.locator('.summary h1');
        assert.match(await h1.innerText(), new RegExp(`^${said}${tokens}`), 'as `summary` says it');
        assert.match(said, /^\d[\d.]* (ms|µs)( ± [\d.]+)? per inference$/, 'as many digits as the spread has');
        await go(path, 'view=summary&digits=1');
        assert.match(await h1.innerText(), new RegExp(`^[\\d.]+ (ms|µs) per inference${tokens}`), 'all digits');
        await go(path, 'view=summary&unit=ns');
        assert.match(await h1.innerText(), new RegExp(`^[\\d,]+ ns per inference${tokens}`), 'another unit');
      });

  it('of a clock that counts microseconds have three decimals of a millisecond, unless they are averages', async () => {
    await go(join(folder, 'llama_xnnpack.html'), 'view=table&by=node');
    const rows = (await page.rows()).filter(row => row['runs on'] === 'XNNPACK');
    assert.ok(rows.length > 5);
    for (const row of rows) assert.ok(decimalsOf(row.ms) <= 3, JSON.stringify(row));
    await page.page.keyboard.press('.');
    assert.ok((await page.rows()).every(row => decimalsOf(row.ms) === 4));
    assert.match(await page.address(), /digits=1/);
  });

  it('are explained to the pointer, and one by one by a key', async () => {
    await go(join(folder, 'llama_xnnpack.html'), 'view=summary&sel=node:aten_linear_default');
    await page.frame.locator('.summary h1').hover();
    const box = page.frame.locator('.explanation');
    await box.waitFor();
    assert.match(await box.innerText(), /^time in the typical run, the mean over the middle third .*; 5 runs; clock step 1 ns, XNNPACK 1 µs; written \d{4}-\d\d-\d\d/);
    const said = new Set();
    for (let at = 0; at < 5; at++) {
      await page.page.keyboard.press('e');
      said.add(`${await box.innerText()} ${(await box.boundingBox()).x}`);
    }
    assert.equal(said.size, 5);
    await page.page.keyboard.press('Escape');
    await box.waitFor({state: 'hidden'});
    assert.match(await page.address(), /sel=node:/); // the selection is the next that Escape takes back
    await page.page.keyboard.press('Escape');
    await page.frame.getByRole('complementary').waitFor({state: 'hidden'});
    assert.deepEqual(page.errors, []);
  });
});
