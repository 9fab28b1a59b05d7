// SPDX-License-Identifier: BSD-3-Clause
//
// report.test.js - a report is one file that shows the same, opened from a disk with no network; and stays fluid with very many operators.

import assert from 'node:assert/strict';
import {mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';

import {answer, run} from './answers.js';
import {ExecuTorchTab} from './executorch_tab.js';
import {fixtures, missing, screenshots} from './environment.js';
import {TabPage} from './tab_page.js';

const ms = value => value.toFixed(4);

describe('a report', {skip: missing(), timeout: 300_000}, () => {
  const pages = [];
  let folder;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'report-'));
  });

  after(async () => {
    for (const opened of pages) await opened.close();
    rmSync(folder, {recursive: true});
  });

  async function show(path) {
    pages.push(await ExecuTorchTab.openReport(path));
    return pages.at(-1);
  }

  for (const record of ['mv2_xnnpack', 'multi_method', 'vulkan', 'cpp_rich'])
    it(`of ${record} opens from a disk and asks for nothing`, async () => {
      const path = join(folder, `${record}.html`);
      run('report', join(fixtures, record), '-o', path, '--unit', 'ms');
      const dashboard = await show(path);
      const method = answer('summary', record).methods.reduce((a, b) => (b.runs * b.execute.avg > a.runs * a.execute.avg ? b : a));
      if (method.runs) assert.equal((await dashboard.table('Where the time goes')).at(-1)[1], ms(method.execute.avg));
      for (const view of ['Operators', 'Modules', 'Timeline', 'Delegation']) await dashboard.view(view);
      await dashboard.view('Summary');
      await dashboard.screenshot(join(screenshots, `report_${record}.png`));
      assert.deepEqual([dashboard.errors, dashboard.asked], [[], []]);
    });

  it('forbids the network itself, and any script but its own', async () => {
    const path = join(folder, 'mv2_xnnpack.html'), changed = join(folder, 'changed.html');
    const policy = readFileSync(path, 'utf8').match(/Content-Security-Policy" content="([^"]*)"/)[1];
    assert.match(policy, /^default-src 'none'; script-src 'sha256-[\w+/]{43}='; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'$/);
    writeFileSync(changed, readFileSync(path, 'utf8').replace('<script type="module">', '<script type="module">globalThis.intruder = true;'));
    const opened = await new TabPage().launch();
    pages.push(opened);
    await opened.page.goto(`file://${changed}`);
    assert.equal(await opened.page.evaluate(() => globalThis.intruder), undefined);
    assert.ok(opened.errors.some(error => /Content Security Policy/.test(error)));
  });

  it('shows times in the unit asked for', async () => {
    const path = join(folder, 'us.html');
    run('report', join(fixtures, 'add_mul'), '-o', path, '--unit', 'us');
    const dashboard = await show(path);
    assert.equal((await dashboard.table('Where the time goes')).at(-1)[1], answer('summary', 'add_mul', 'us').methods[0].execute.avg.toFixed(1));
  });

  it('leaves nothing behind where it cannot be written', () => {
    const before = readdirSync(folder);
    assert.throws(() => run('report', join(fixtures, 'add_mul'), '-o', join(folder, 'none', 'report.html')));
    assert.deepEqual(readdirSync(folder), before);
  });

  it('keeps few rows of 20,000 in the page', async () => {
    const path = join(folder, 'many.html');
    writeFileSync(path, run('report', join(fixtures, 'mv2_portable')).replace(/(id="profile">\n)([^]*?)(<\/script>)/, (_, head, text, tail) => head + JSON.stringify(enlarged(JSON.parse(text), 20_000)) + tail));
    const dashboard = await show(path);
    await dashboard.view('Operators');
    assert.match(await dashboard.count(), /^20,000 operators/);
    for (const top of [0, 5_000, 300_000, 1e9]) {
      await dashboard.grid().evaluate((grid, to) => { grid.scrollTop = to; }, top);
      await dashboard.frame.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
      const rows = await dashboard.rows();
      assert.ok(rows.length > 10 && rows.length < 200, `${rows.length} rows`);
    }
    assert.equal(await dashboard.grid().locator('[data-row="19999"]').count(), 1);
    await dashboard.grid().focus();
    await dashboard.page.keyboard.press('Home');
    assert.equal(await dashboard.grid().locator('[data-row="0"][aria-selected=true]').count(), 1);
    for (const view of ['Modules', 'Timeline', 'Summary']) await dashboard.view(view);
    assert.ok(await dashboard.frame.evaluate(() => document.querySelectorAll('*').length) < 5_000);
    assert.deepEqual(dashboard.errors, []);
  });
});

/* The document with its timed operators over and over. */
function enlarged(whole, count) {
  const {operators} = whole.methods[0].graph;
  const timed = operators.total.flatMap((total, at) => (total === null ? [] : [at]));
  for (const key of Object.keys(operators)) {
    const column = operators[key];
    operators[key] = Array.from({length: count}, (_, at) => (key === 'carrier' ? -1 : key === 'name' ? `${column[timed[at % timed.length]]}_${at}` : column[timed[at % timed.length]]));
  }
  return whole;
}
