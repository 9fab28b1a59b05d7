// SPDX-License-Identifier: BSD-3-Clause
//
// page.test.js - how one works in the page: what to do stands first, rows are rolled up, copied and printed, all by keyboard, light and dark, narrow and wide.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync, statSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';

import {answer, run} from './answers.js';
import {ExecuTorchTab} from './executorch_tab.js';
import {command, fixtures, missing, screenshots} from './environment.js';
import {pdfText} from './pdf_text.js';

const RECORD = 'llama_xnnpack', LARGEST = {llama_portable: 400_000, mv2_xnnpack: 220_000}; // bytes of a report

const EVERY_INSTRUCTION = Boolean(process.env.ALL); // otherwise each fourth, the peak and the last

describe('the page', {skip: missing(), timeout: 900_000}, () => {
  const folder = missing() ? '' : mkdtempSync(join(tmpdir(), 'page-')), path = join(folder, 'report.html');
  let page, views;
  const settled = () => page.settled();
  const go = async fragment => {
    await page.go(path, fragment);
    await settled();
  };

  before(async () => {
    run('report', join(fixtures, RECORD), '-o', path, '--unit', 'ms');
    page = await ExecuTorchTab.openReport(path, {width: 1280, height: 800});
    views = await page.frame.getByRole('tab').allInnerTexts();
  });

  after(async () => {
    await page?.close();
    rmSync(folder, {recursive: true, force: true});
  });

  it('says how long an inference takes, why, and what to change, above 800 pixels, with no word of statistics', async () => {
    await go('');
    const [said] = answer('summary', RECORD).methods, bottom = async selector => {
      const {y, height} = await page.frame.locator(selector).first().boundingBox();
      return y + height;
    };
    assert.ok(await bottom('.summary h1') < 130 && await bottom('.icicle-picture') < 300 && await bottom('.lever') < 480);
    assert.ok(await page.frame.locator('.rows-section tbody tr').nth(5).isVisible() && await bottom('.rows-section tbody tr >> nth=7') < 800);
    assert.equal(await page.frame.locator('.lever h3').first().innerText(), said.findings[0].title);
    assert.doesNotMatch(await page.frame.locator('.hero, .time-picture, .rows-section').allInnerTexts().then(texts => texts.join(' ')), /average|median|\d\.\d{4}/);
  });

  it('prepares its views when it is idle, so that none has to load when it is first shown', async () => {
    await go('');
    const loading = await page.page.evaluate(async () => {
      const said = [];
      for (let step = 0; step < 30; step++) await new Promise(requestIdleCallback);
      for (const tab of document.querySelectorAll('[role=tab]')) {
        tab.click();
        await new Promise(done => setTimeout(done));
        if (document.getElementById('view').innerText.includes('Loading…')) said.push(tab.innerText);
      }
      return said;
    });
    assert.deepEqual(loading, []);
  });

  it('says what is wrong with a damaged address, and shows the rest', async () => {
    await go('view=nonsense&sel=node:none&q=/(/&stat=run&run=99&node.sort=zzz&tl.from=NaN&mem.at=1e99&graph.view=x&at=none&in=own:none&%=%');
    assert.equal(await page.frame.getByRole('tab', {selected: true}).count(), 0);
    await page.frame.locator('.summary').waitFor();
    assert.match(await page.frame.locator('.hits').innerText(), /not understood/);
    assert.match(await page.frame.getByRole('complementary').innerText(), /no such operator/);
    for (const view of views) await page.view(view);
    assert.deepEqual(page.errors, []);
  });

  it('rolls up repeated operators, with the same sum', async () => {
    await go('view=table');
    const rows = Number(await page.grid().getAttribute('aria-rowcount')) - 1, folded = await page.count();
    assert.ok(rows <= 60, `${rows} rows`);
    await page.groupBy('Node');
    assert.equal(await page.count(), folded.replace(/; .*/, ''));
  });

  it('counts hits as `nodes` does', async () => {
    await go('view=table&by=node');
    for (const [said, ...options] of [['op:aten.mul.Tensor', '--op', 'aten.mul.Tensor'], ['module:layers.3', '--module', 'layers.3'], ['backend:cpu', '--backend', 'cpu']]) {
      await page.search(said);
      const wanted = JSON.parse(run('nodes', join(fixtures, RECORD), '--graph', 'edge', '--format', 'json', ...options)).graphs[0].nodes.filter(node => node.kind === 'op' && node.avg !== null && node.match);
      assert.match(await page.count(), new RegExp(`^${wanted.length.toLocaleString('en-US')} operator`), said);
    }
    await page.search('');
  });

  it('says how a regular expression is written where its text was sought as it is', async () => {
    await go('view=table&q=layers.(1|2).attention');
    assert.match(await page.frame.locator('.hits').innerText(), /^0 hits; .* regular expression$/);
    await page.search('/layers.(1|2).attention/');
    assert.match(await page.frame.locator('.hits').innerText(), /^[1-9]\d* hits,/);
    await page.search('');
  });

  it('looks for words in names and modules, and for lines with src:', async () => {
    await go('view=table&by=node');
    const {nodes} = JSON.parse(run('nodes', join(fixtures, RECORD), '--graph', 'edge', '--format', 'json')).graphs[0], timed = nodes.filter(node => node.kind === 'op' && node.match);
    await page.search('softmax');
    assert.match(await page.count(), new RegExp(`^${timed.filter(({name, target, module}) => [name, target, module].some(text => text.includes('softmax'))).length} operator`));
    const {file, line} = timed.find(({source}) => source).source, name = `${file.split('/').pop()}:${line}`;
    await page.search(`src:${name}`);
    assert.match(await page.count(), new RegExp(`^${timed.filter(({source}) => `${source?.file}:${source?.line}`.includes(name)).length} operator`));
    await page.search('');
  });

  it('copies all rows of a table, and the command that prints them', async () => {
    await page.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await go('view=table&by=node&q=module:layers.3');
    const count = Number(await page.grid().getAttribute('aria-rowcount')) - 1, copied = () => page.page.evaluate(() => navigator.clipboard.readText());
    const choose = async item => {
      await page.frame.getByLabel('Copy Rows by node').click();
      await page.frame.getByRole('menuitem', {name: item}).click();
      await page.frame.getByText(/^Copied/).waitFor();
    };
    await choose(/as CSV/);
    assert.equal((await copied()).split('\n').length, count + 1);
    await choose(/as JSON/);
    const rows = JSON.parse(await copied());
    assert.equal(rows.length, count);
    await choose(/as Markdown/);
    assert.equal((await copied()).split('\n').length, count + 2);
    await choose(/command/);
    const words = (await copied()).replace(/^etrecord-tb /, '').replaceAll("'", '').split(' ').map(word => (word === RECORD ? join(fixtures, RECORD) : word));
    const printed = JSON.parse(execFileSync(command, [...words, '--format', 'json'], {encoding: 'utf8'}));
    const timed = printed.graphs[0].nodes.filter(node => node.kind === 'op' && node.match), sorted = times => times.map(Math.round).sort((a, b) => a - b);
    assert.equal(timed.length, count);
    assert.deepEqual(sorted(rows.map(row => row['typical ns'])), sorted(timed.map(({typical}) => typical * 1e6)));
  });

  it('prints the first 100 rows and the command for the others, in light colors, with heads on each page and no controls, on Letter', async () => {
    await go('view=table&by=node');
    await page.setting('Theme', 'dark');
    const [last] = (await page.page.evaluate(() => { dispatchEvent(new Event('beforeprint')); }), await page.page.waitForTimeout(200), await page.frame.locator('.long-table tbody tr').nth(99).locator('td').allInnerTexts()).slice(2);
    assert.equal(await page.frame.locator('.long-table tbody tr').count(), 100);
    await page.page.evaluate(() => dispatchEvent(new Event('afterprint')));
    const file = await page.page.pdf({format: 'Letter'}), text = pdfText(file), pages = file.toString('latin1').match(/\/Type \/Page\b(?!s)/g).length, more = Number((await page.count()).match(/^[\d,]+/)[0].replace(',', '')) - 100;
    assert.ok(text.includes(last) && text.includes(`${more.toLocaleString('en-US')} more: etrecord-tb nodes`));
    assert.equal(text.split('#operatornodemodule').length - 1, pages);
    assert.doesNotMatch(text, /Columns|Copy|Theme|Group by/);
    await page.setting('Theme', 'auto');
  });

  it('prints every view as wide as the paper, with its pictures', async () => {
    for (const view of views) {
      await page.view(view);
      await settled();
      await page.page.evaluate(() => dispatchEvent(new Event('beforeprint')));
      await page.page.emulateMedia({media: 'print'});
      for (const width of process.env.ALL ? [717, 739] : [717]) { // A4 and Letter without their margins
        await page.page.setViewportSize({width, height: 1000});
        await page.page.waitForTimeout(100);
        assert.deepEqual(await page.page.evaluate(() => [...document.querySelectorAll('.view td, .view svg, .view canvas, .view p')].filter(element => element.checkVisibility() && element.getBoundingClientRect().right > innerWidth + 1).map(element => element.outerHTML.slice(0, 80))), [], `${view} at ${width}`);
      }
      assert.equal(await page.page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), 'light');
      assert.equal(await page.frame.locator('.view button:visible:not(.text-link, .offscreen *, .graph *)').count(), 0, view);
      await page.page.evaluate(() => dispatchEvent(new Event('afterprint')));
      await page.page.emulateMedia({media: null});
      await page.page.setViewportSize({width: 1280, height: 800});
    }
  });

  it('prints all views one after another by a key, on A4, each with its title, what it draws and its last promised row, and shows one again', async () => {
    await go('view=table&by=node');
    await page.page.evaluate(() => { globalThis.print = () => { globalThis.isPrinted = true; }; });
    await page.page.keyboard.press('P');
    await page.page.waitForFunction(() => globalThis.isPrinted);
    await page.page.locator('.table-view .grid-table').waitFor(); // one view again
    assert.equal(await page.page.locator('.all-views').count(), 0);
    await go('view=table&by=node&all=1');
    const titles = await page.page.locator('.all-views .view-title').allInnerTexts();
    assert.deepEqual(titles.map(title => title.split(' · ')[0]), views);
    assert.deepEqual(await page.page.locator('.all-views canvas').evaluateAll(list => list.filter(canvas => !canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(Boolean)).length), 0);
    const text = pdfText(await page.page.pdf({format: 'A4'}));
    for (const title of titles) assert.ok(text.replaceAll(' ', '').includes(title.replaceAll(' ', '')), title);
    assert.match(text, /more: etrecord-tb nodes/);
    await page.page.keyboard.press('Escape');
    await page.page.locator('.all-views').waitFor({state: 'detached'});
  });

  it('says of a delegate where it is and why it ends there', async () => {
    await go('view=table&by=delegate&sel=delegate:6');
    const said = await page.details();
    assert.match(said['cut by'], /^aten_/);
    assert.match(said.because, /^XnnpackBackend's partitioner /);
    for (const row of await page.rows()) assert.notEqual(row.delegate, '');
  });

  it('has times of delegates in the typical run whatever is chosen', async () => {
    await go('view=table&by=delegate&each=1&sel=delegate:6&digits=1');
    const rows = await page.rows(), {typical, share} = await page.details();
    assert.ok(rows.some(row => `${row['typical, ms']} ms` === typical && row.share === share), JSON.stringify([rows[0], typical, share]));
    await go('view=table&by=delegate&each=1&sel=delegate:6&digits=1&stat=avg');
    assert.deepEqual(await page.rows(), rows);
    assert.equal(await page.frame.getByLabel('Statistic of times').count(), 0);
    await go('view=table&by=delegate&each=1&digits=1');
    for (const row of await page.rows()) assert.ok(Number(row['inside, ms']) <= Number(row['typical, ms']), JSON.stringify(row));
  });

  it('marks rows and shows their sum', async () => {
    await go('view=table&by=node');
    await page.grid().focus();
    for (const key of ['Home', ' ', 'ArrowDown', ' ']) await page.page.keyboard.press(key);
    const [first, second] = await page.rows(), text = await page.frame.locator('.table-bar .count').innerText();
    assert.match(text, /^2 marked: 2 operators, /);
    assert.ok(Math.abs(Number(text.match(/([\d.]+) ms/)[1]) - Number(first.ms) - Number(second.ms)) < 0.001, text);
  });

  it('lists tensors that add up to the curve at each instruction', async () => {
    const file = join(folder, 'memory.html'), {methods: [{plan}]} = JSON.parse(run('memory', join(fixtures, 'prefill_decode'), '--format', 'json'));
    run('report', join(fixtures, 'prefill_decode'), '-o', file);
    await page.go(file, 'view=memory');
    await page.settled();
    assert.match(await page.page.locator('.memory').innerText(), /cache of keys and values: 4,096 bytes in 2 buffers .* and all at the peak about 22,528 more, with 2 copies of the cache and 3 other tensors/);
    const bytes = plan.instructions.live_bytes, steps = bytes.map((_, at) => at).filter(at => EVERY_INSTRUCTION || at % 4 === 0 || at === plan.peak.instruction || at === bytes.length - 1);
    const sums = await page.page.evaluate(async instructions => { // in the page, as there are hundreds
      const found = [], tableOf = () => [...document.querySelectorAll('table.plain')].find(table => table.caption?.innerText.startsWith('Live at'));
      for (const at of instructions) {
        location.hash = `view=memory&mem.at=${at}`;
        while (!document.querySelector('.memory').textContent.includes(`instruction ${at} of`)) await new Promise(requestAnimationFrame);
        found.push([...(tableOf()?.tBodies[0].rows ?? [])].reduce((sum, row) => sum + Number(row.cells[1].innerText.replaceAll(',', '')), 0));
      }
      return found;
    }, steps);
    assert.deepEqual(sums, steps.map(at => bytes[at]));
  });

  for (const record of process.env.ALL ? ['prefill_decode', 'decoder_cache', 'mlp_8da4w'] : ['decoder_cache'])
    it(`of noisy runs warns before a verdict: ${record} compared with itself`, async () => {
      const file = join(folder, `${record}.html`);
      run('report', join(fixtures, record), join(fixtures, record), '-o', file);
      await page.page.goto(`file://${file}#view=compare`);
      await page.page.reload();
      await page.frame.locator('.compare .note.warning[role=alert]').waitFor();
      assert.doesNotMatch(await page.frame.locator('.compare .lead .verdict').first().innerText(), /slower|faster/);
    });

  it('chooses a run, and all views show it', async () => {
    await go('');
    const runs = answer('info', RECORD).runs.filter(({method}) => method === 'forward'), slowest = runs.reduce((best, run, at) => (run.execute > runs[best].execute ? at : best), 0);
    const {x, y, width, height} = await page.frame.locator('.run-bars').boundingBox();
    await page.page.mouse.click(x + (width * (slowest + 0.5)) / runs.length, y + height - 2);
    await page.frame.locator('.runs', {hasText: /run \d+ · all runs/}).waitFor();
    assert.equal(await page.total(), runs[slowest].execute.toFixed(2));
    await page.view('Table');
    await page.groupBy('Node');
    await page.grid().getByRole('columnheader').filter({hasText: /run \d+, ms/}).waitFor(); // once the table knows its width
  });

  it('fits at 2560', async () => {
    for (const [width, height] of [...(screenshots ? [[1280, 800]] : []), [2560, 1440]])
      for (const theme of screenshots ? ['light', 'dark'] : ['dark']) { // which changes pictures alone
        await page.page.setViewportSize({width, height});
        await page.setting('Theme', theme);
        for (const view of views) {
          await page.view(view);
          await settled();
          assert.ok(await page.page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth), `${view} at ${width}`);
          assert.equal((await page.frame.locator('header.bar').boundingBox()).height < 60, true, 'the bar has one row');
          await page.screenshot(join(screenshots, `page_${view.toLowerCase()}_${width}_${theme}.png`));
        }
      }
    await page.page.setViewportSize({width: 1280, height: 800});
  });

  for (const [record, bytes] of Object.entries(LARGEST))
    it(`is small: ${record} takes at most ${bytes.toLocaleString('en-US')} bytes`, () => {
      const file = join(folder, `${record}.html`);
      run('report', join(fixtures, record), '-o', file);
      assert.ok(statSync(file).size <= bytes, `${statSync(file).size} bytes`);
    });

  it('gives nothing to complain about', () => assert.deepEqual([page.errors, page.asked], [[], []]));
});
