// SPDX-License-Identifier: BSD-3-Clause
//
// share.test.js - what a user sends to others: a picture for a chat, the Markdown for a pull request, the link, the command; and what a comparison says first.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';

import {run} from './answers.js';
import {ExecuTorchTab} from './executorch_tab.js';
import {fixtures, missing, python} from './environment.js';

const PAIRS = [['turns_base', 'turns_new'], ['inserted_before', 'inserted_after'], ['mv2_portable', 'mv2_xnnpack'], ['llama_portable', 'llama_xnnpack'], ['../../examples/tutorial/before', '../../examples/tutorial/after']];
const MODES = 'import sys; sys.path.insert(0, sys.argv[1]); import typical; typical.write_dumps(sys.argv[2], typical.MODES)';
const WORDS = {cannot_tell: 'cannot tell', likely_slower: 'likely slower', likely_faster: 'likely faster', likely_equal: 'likely equal', untimed: 'untimed'};

describe('what is shared', {skip: missing(), timeout: 600_000}, () => {
  const folder = missing() ? '' : mkdtempSync(join(tmpdir(), 'share-')), path = join(folder, 'report.html');
  let page;

  const share = async item => {
    await page.frame.locator('.share > summary').click();
    await page.frame.getByRole('menuitem', {name: item}).click();
    await page.frame.getByText(/^Copied/).waitFor();
    return page.page.evaluate(() => navigator.clipboard.readText());
  };
  const open = async (records, state) => {
    run('report', ...records.map(record => join(fixtures, record)), '-o', path, '--unit', 'ms');
    await page.load(path, state);
    await page.settled();
  };

  before(async () => {
    run('report', join(fixtures, 'vit_xnnpack'), '-o', path, '--unit', 'ms');
    page = await ExecuTorchTab.openReport(path, {width: 1280, height: 800});
    await page.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  });

  after(async () => {
    await page?.close();
    rmSync(folder, {recursive: true, force: true});
  });

  for (const [name, records, view] of [['a record', ['vit_xnnpack'], 'summary'], ['a comparison', ['turns_base', 'turns_new'], 'compare']])
    it(`is a picture of 1200 × 630 pixels that is not empty: ${name}`, async () => {
      await open(records, `view=${view}`);
      await page.frame.locator('.share > summary').click();
      await page.frame.getByRole('menuitem', {name: /^Copy picture/}).click();
      await page.frame.getByText('Copied the picture.').waitFor();
      const {width, height, colors} = await page.page.evaluate(async () => {
        const [item] = await navigator.clipboard.read(), image = await createImageBitmap(await item.getType('image/png'));
        const canvas = Object.assign(document.createElement('canvas'), {width: image.width, height: image.height}), context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        const {data} = context.getImageData(0, 0, image.width, image.height), seen = new Set();
        for (let at = 0; at < data.length; at += 4 * 97) seen.add((data[at] << 16) | (data[at + 1] << 8) | data[at + 2]);
        return {width: image.width, height: image.height, colors: seen.size};
      });
      assert.deepEqual([width, height], [1200, 630]);
      assert.ok(colors > 8, `${colors} colors`);
      assert.deepEqual([page.errors, page.asked], [[], []]);
    });

  it('has the whole verdict in the picture of a comparison', async () => {
    await open(['turns_base', 'turns_new'], 'view=compare');
    const verdict = await page.frame.locator('.compare h1').innerText(), drawn = page.page.evaluate(() => new Promise(done => (URL.createObjectURL = (make => blob => (blob.text().then(done), make.call(URL, blob)))(URL.createObjectURL))));
    await page.frame.locator('.share > summary').click();
    await page.frame.getByRole('menuitem', {name: /^Copy picture/}).click();
    const words = (await drawn).replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' '), [, interval] = /(\(between [^)]*\))/.exec(words) ?? assert.fail(`${words} beside ${verdict}`);
    assert.doesNotMatch(interval, /…/);
  });

  it('is the Markdown of the commands', async () => {
    const plain = text => text.trim().split('\n').map(line => line.trimEnd());
    await open(['vit_xnnpack'], 'view=summary');
    assert.deepEqual(plain(await share(/^Copy as GitHub comment/)), plain(run('summary', join(fixtures, 'vit_xnnpack'), '--format', 'markdown', '--unit', 'ms')));
    await open(['turns_base', 'turns_new'], 'view=compare');
    assert.deepEqual(plain(await share(/^Copy as GitHub comment/)), plain(run('diff', join(fixtures, 'turns_base'), join(fixtures, 'turns_new'), '--format', 'markdown', '--unit', 'ms')));
  });

  it('is the link to the view, and the command', async () => {
    await open(['vit_xnnpack'], 'view=table&by=module');
    assert.equal(await share(/^Copy link/), await page.address());
    const command = await share(/^Copy command/);
    assert.equal(command, 'etrecord-tb summary vit_xnnpack --method forward');
    run(...command.split(' ').slice(1).map(word => (word === 'vit_xnnpack' ? join(fixtures, word) : word)));
    await open(['turns_base', 'turns_new'], 'view=compare');
    assert.equal(await share(/^Copy command.*; names of records stand for their paths/), 'etrecord-tb diff turns_base turns_new');
    await page.frame.getByLabel('Copy Changes by module').click();
    await page.frame.getByRole('menuitem', {name: 'The command that prints them; names of records stand for their paths'}).click();
    await page.frame.getByText(/^Copied the command/).waitFor();
    assert.equal(await page.page.evaluate(() => navigator.clipboard.readText()), 'etrecord-tb diff turns_base turns_new --by module --top 0');
  });

  it('compares operators, of ETDumps alone, and judges the parts as `diff` does', async () => {
    const dumps = ['mv2_xnnpack/etdump.etdp', 'llama_xnnpack/etdump.etdp'];
    const said = JSON.parse(run('diff', ...dumps.map(dump => join(fixtures, dump)), '--format', 'json')).methods[0];
    await open(dumps, 'view=compare');
    const text = await page.frame.locator('.compare').innerText(), rows = await page.table('Changes by operator'), names = rows.map(([name]) => name);
    assert.match(text, /The same operators, the same scale/);
    assert.doesNotMatch(text, /module/);
    assert.equal(new Set(names).size, rows.length, names.join(', '));
    assert.equal(rows.length, 1 + said.by_kernel.length + 2);
    for (const part of said.parts.filter(({part}) => !part.startsWith('operators')))
      assert.equal(rows.find(([name]) => name === part.text)[7], WORDS[part.verdict], part.text);
  });

  it('opens its menu inside a narrow window, where it is in the second row', async () => {
    await open(['llama_portable', 'llama_xnnpack'], 'view=table');
    await page.page.setViewportSize({width: 480, height: 800});
    await page.frame.locator('.share > summary').click();
    const {x, width} = await page.frame.getByRole('menuitem', {name: /^Copy command/}).boundingBox();
    await page.page.setViewportSize({width: 1280, height: 800});
    assert.ok(x >= 0 && x + width <= 480, `${x} and ${width} wide`);
  });

  it('has room for names in Table beside a base, and cuts what is equal in them', async () => {
    await open(['llama_portable', 'llama_xnnpack'], 'view=table');
    for (const width of [1500, 1280, 480]) {
      await page.page.setViewportSize({width, height: 800});
      await page.settled();
      const names = await page.frame.locator('.rows .row .cut:has(.where)').evaluateAll(all => all.map(cell => ({wide: cell.clientWidth, direction: getComputedStyle(cell).direction})));
      assert.ok(names.length > 5);
      for (const {wide, direction} of names) assert.ok(wide >= Math.min(200, 0.25 * width) && direction === 'rtl', `${width}: ${wide} ${direction}`);
    }
    await page.page.setViewportSize({width: 1280, height: 800});
  });

  it('has room for large changes in the columns of Table', async () => {
    await page.page.setViewportSize({width: 1600, height: 800});
    await open(['mv2_xnnpack/etdump.etdp', 'llama_xnnpack/etdump.etdp'], 'view=table');
    const cells = await page.frame.locator('.rows .row > *').evaluateAll(all =>
      all.map(cell => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return [cell.textContent, range.getBoundingClientRect().right - cell.getBoundingClientRect().right];
      }),
    );
    await page.page.setViewportSize({width: 1280, height: 800});
    assert.ok(cells.some(([text]) => /^\+\d{5} %$/.test(text)));
    assert.deepEqual(cells.filter(([text, beyond]) => /^[+−]\d+ %$/.test(text) && beyond > 0.5), []);
  });

  it('says both times of runs in two modes, and to measure again', async () => {
    execFileSync(python, ['-c', MODES, join(fixtures, '../check'), folder], {stdio: 'ignore'});
    run('report', join(fixtures, 'dynamic_xnnpack/etrecord.bin'), ...['0', '1'].flatMap(at => ['--etdump', join(folder, `${at}.etdp`)]), '--skip-runs', '0', '-o', path, '--unit', 'ms');
    await page.load(path, 'view=summary');
    await page.settled();
    assert.equal(await page.frame.locator('h1').innerText(), '25.0 or 37.0 ms per inference');
    const runs = await page.frame.locator('.runs').innerText();
    assert.match(runs, /typical 31\.0 ms of 40 runs/);
    assert.match(runs, /recordings: 37\.0 and 25\.0 ms · two modes: 25 runs at 25\.0 ms, 15 at 37\.0 ms.*: measure again/);
    const drawn = page.page.evaluate(() => new Promise(done => (URL.createObjectURL = (make => blob => (blob.text().then(done), make.call(URL, blob)))(URL.createObjectURL))));
    await page.frame.locator('.share > summary').click();
    await page.frame.getByRole('menuitem', {name: /^Copy picture/}).click();
    const words = (await drawn).replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
    for (const said of ['25.0 or 37.0 ms per inference', 'typical 31.0 ms of 40 runs', ': measure again', 'What to change, but first measure again', /, (rule of thumb|possible|likely|sure)/]) assert.match(words, new RegExp(said));
    await page.load(path, 'view=timeline');
    await page.settled();
    assert.match(await page.frame.getByLabel('Run', {exact: true}).innerText(), /: 25\.0\d* ms, of the larger mode/);
  });

  for (const pair of PAIRS)
    it(`compares modules as \`diff --by module\` does: ${pair.join(' and ')}`, async () => {
      const said = JSON.parse(run('diff', ...pair.map(record => join(fixtures, record)), '--by', 'module', '--top', '0', '--format', 'json', '--unit', 'ns')).methods[0];
      await open(pair, 'view=compare&digits=1');
      const word = verdict => (verdict ? WORDS[verdict] ?? verdict : ''), ms = value => (value === null || value === undefined ? '' : (value / 1e6).toFixed(4));
      const side = (row, key) => row[`${key}_typical`] ?? row[`${key}_p50`];
      const rows = await page.table('Changes by module'), parts = said.parts.length - 1;
      assert.deepEqual([rows[0][1], rows[0][2]], [ms(side(said.execute, 'base')), ms(side(said.execute, 'new'))]);
      const own = said.by_module.filter(row => row.base_nodes || row.new_nodes), wanted = new Map(own.map(row => [row.module ? `${row.module}${row.base_key ? ` (was ${row.base_key})` : ''}` : '(top level)', row]));
      const modules = rows.slice(1, rows.length - parts).filter(([name]) => !/^\d+ more$/.test(name));
      for (const row of modules) {
        const told = wanted.get(row[0]);
        assert.ok(told, row[0]);
        assert.deepEqual([row[1], row[2], row[7].replace(/^[▲▼△▽] /, '')], [ms(side(told, 'base')), ms(side(told, 'new')), word(told.verdict)], row[0]);
      }
      assert.equal(modules.length, Math.min(own.length, 40));
      for (const column of [1, 2]) {
        const sum = rows.slice(1).reduce((all, row) => all + Number(row[column]), 0); // of times that are rounded to 0.0001 ms
        assert.ok(Math.abs(sum - rows[0][column]) <= 5.1e-5 * rows.length, `rows add up to ${sum}, not to ${rows[0][column]}`);
      }
      assert.match(await page.frame.locator('.compare').innerText(), /A module's row leaves out the modules inside it, which have rows of their own, unless one side alone has some\./);
      assert.ok(run('diff', ...pair.map(record => join(fixtures, record)), '--by', 'module').replace(/\s+/g, ' ').includes("A module's row leaves out the modules inside it, which have rows of their own, unless one side alone has some."));
      const steps = await page.frame.locator('.waterfall').getAttribute('aria-label');
      assert.match(steps, /^From [\d.]+ ms to [\d.]+ ms: /);
    });

  it('complained about nothing', () => assert.deepEqual([page.errors, page.asked], [[], []]));
});
