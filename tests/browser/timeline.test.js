// SPDX-License-Identifier: BSD-3-Clause
//
// timeline.test.js - what a user does in the timeline of a report: hover, zoom, mark a span, search, select, go back.

import assert from 'node:assert/strict';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';

import {answer, run} from './answers.js';
import {fixtures, missing} from './environment.js';
import {timelineIn, withEvents} from './large.js';
import {ScenePage} from './scene_page.js';

const AXIS = 24, MANY = 20_000;

describe('the timeline', {skip: missing(), timeout: 600_000}, () => {
  const tab = new ScenePage(), paths = {};
  let folder;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'timeline-'));
    for (const record of ['llama_xnnpack', 'llama_portable', 'add_mul']) run('report', join(fixtures, record), '-o', paths[record] = join(folder, `${record}.html`), '--unit', 'ns');
    await tab.launch({width: 1280, height: 800}, {offline: true});
  });

  after(async () => {
    await tab.close();
    rmSync(folder, {recursive: true});
  });

  const timelineOf = record => timelineIn(readFileSync(paths[record], 'utf8'));

  /* The position of the run that is nearest to the typical time. */
  const typical = missing() ? 0 : answer('summary', 'llama_portable', 'ns').methods[0].execute.typical;
  const nearestOf = ({runs}) => runs.reduce((best, {execute}, at) => (Math.abs(execute - typical) < Math.abs(runs[best].execute - typical) ? at : best), 0);

  it('opens on a typical layer, with all of the run above it', async () => {
    await tab.open(paths.llama_portable, 'timeline');
    const inSight = () => tab.canvas.evaluate(({scene}) => [scene.from, scene.to, scene.shown.end]);
    const [from, to, end] = await inSight();
    assert.ok(to - from > end / 64 && to - from < end / 16, `${from} to ${to} of ${end}: one of 32 layers`);
    assert.equal(tab.address()['tl.to'], undefined, 'the view to begin with is not in the address');
    await tab.page.locator('.overview canvas').click({position: {x: 10, y: 5}});
    await tab.settled();
    const [first, , whole] = await inSight();
    assert.deepEqual([first, whole], [0, end], 'a click in the overview goes there');
    await tab.page.keyboard.press('0');
    await tab.settled();
    await tab.page.reload();
    await tab.canvas.waitFor();
    await tab.settled();
    assert.deepEqual(await inSight(), [0, end, end], 'all stays all');
  });

  it('shows what differs in other runs, and all of them on demand', async () => {
    await tab.open(paths.llama_portable, 'timeline');
    const labels = () => tab.page.locator('.lane-labels span').evaluateAll(all => all.map(label => label.innerText.replace(/\s+/g, ' ')));
    const strips = (await labels()).filter(label => label.startsWith('run '));
    assert.ok(strips.length > 0 && strips.every(label => /^run \d+ [+−]\d+$/.test(label)), strips.join());
    await tab.page.getByLabel('other runs in full').check();
    await tab.settled();
    const {runs} = timelineOf('llama_portable');
    for (const label of (await labels()).filter(text => text.startsWith('run '))) {
      const [, number, time] = label.match(/^run (\d+) (\d+)$/);
      assert.equal(Number(time), runs.find(({run: of}) => of === Number(number)).execute);
    }
  });

  it('draws strips of the fastest run, the slowest and those beside it, and says so', async () => {
    await tab.open(paths.add_mul, 'timeline');
    const {runs} = timelineOf('add_mul'), shown = Number(await tab.page.getByLabel('Run', {exact: true}).inputValue()), at = runs.findIndex(({run: of}) => of === shown);
    const byTime = [...runs].sort((a, b) => a.execute - b.execute), wanted = new Set([byTime[0], byTime.at(-1), runs[at - 1], runs[at + 1]].filter(Boolean).map(({run: of}) => of));
    wanted.delete(shown);
    const strips = await tab.page.locator('.lane-labels span').evaluateAll(all => all.flatMap(label => label.innerText.match(/(?<=^run )\d+/) ?? []).map(Number));
    assert.deepEqual(strips, [...wanted].sort((a, b) => a - b));
    assert.ok(strips.length < runs.length - 1, 'some runs have none');
    assert.match(await tab.page.locator('.run-facts').innerText(), /strips: the fastest, the slowest, the run before and after; blue is faster there, red slower, gray alike/);
  });

  it('tells what is under the pointer, within 100 ms, and in words', async () => {
    await tab.open(paths.llama_portable, 'timeline');
    const shown = await tab.page.evaluate(async () => {
      const canvas = document.querySelector('.scene-canvas'), box = canvas.getBoundingClientRect(), tip = document.querySelector('.scene-tip');
      const from = performance.now();
      for (let at = 20; at < 1000 && tip.hidden; at++) canvas.dispatchEvent(new PointerEvent('pointermove', {clientX: box.left + at, clientY: box.top + 150, bubbles: true}));
      return {ms: performance.now() - from, text: tip.innerText, hidden: tip.hidden, markup: tip.querySelectorAll('script, img').length};
    });
    assert.equal(shown.hidden, false);
    assert.ok(shown.ms < 100, `${shown.ms} ms`);
    assert.equal(shown.text.split('\n').length, 3, 'three lines');
    for (const part of [/^\S+ · \w+|^\w+/, /[\d.]+ ns · [<\d.]+ % of the run · median [\d.]+, [\d.]+ – [\d.]+/, /CPU kernel · \S+:\d+ · from \d+ ns/]) assert.match(shown.text, part);
    assert.doesNotMatch(shown.text.split('\n')[0], /native_call_|OPERATOR_CALL/);
    await tab.page.mouse.move(5, 5);
    await tab.page.mouse.move(6, 6);
  });

  it('shows why a start is synthetic', async () => {
    await tab.open(paths.llama_xnnpack, 'timeline');
    await tab.page.evaluate(() => document.querySelector('.scene-canvas').focus());
    let text = '';
    for (let part = 0.01; part < 1 && !/placed by order/.test(text); part += 0.003) {
      await tab.point(part, 150);
      text = await tab.page.locator('.scene-tip').innerText();
    }
    assert.match(text, /XNNPACK · .*placed by order: only durations are recorded/);
  });

  it('keeps zoom and span in the address, and shows the same after a reload', async () => {
    await tab.open(paths.llama_portable, 'timeline');
    const length = await tab.page.evaluate(() => history.length);
    await tab.canvas.focus();
    for (const key of ['w', '+', 'd']) await tab.page.keyboard.press(key);
    await tab.settled();
    const {'tl.from': from, 'tl.to': to} = tab.address();
    assert.ok(Number(from) > 0 && Number(to) > Number(from));
    assert.equal(await tab.page.evaluate(() => history.length), length, 'zooming makes no entries of the history');
    await tab.drag(0.2, 0.6, AXIS / 2);
    const span = tab.address()['tl.span'];
    assert.match(span, /^\d+~\d+$/);
    const table = await tab.table('In the marked span');
    await tab.page.reload();
    await tab.canvas.waitFor();
    await tab.settled();
    assert.deepEqual(await tab.table('In the marked span'), table);
    assert.deepEqual([tab.address()['tl.from'], tab.address()['tl.to'], tab.address()['tl.span']], [from, to, span]);
    await tab.page.keyboard.press('0');
    await tab.settled();
    assert.equal(tab.address()['tl.from'], undefined);
  });

  it('sums a span to the nanosecond, on the lanes that are chosen', async () => {
    await tab.open(paths.llama_portable, 'timeline');
    await tab.drag(0.3, 0.5, 100, true);
    const [from, to] = tab.address()['tl.span'].split('~').map(Number), timeline = timelineOf('llama_portable'), {start, stop} = timeline.eventsOf(nearestOf(timeline));
    const [, , total] = (await tab.table('In the marked span'))[0];
    assert.equal(Number(total), start.reduce((sum, begin, event) => sum + Math.max(0, Math.min(to, stop[event]) - Math.max(from, begin)), 0));
    const sums = async () => (await tab.table('In the marked span'))[0].slice(1);
    const before = await sums();
    for (const by of ['Module', 'Backend', 'Source line']) {
      await tab.page.locator('[aria-label="Sum by"] button', {hasText: by}).click();
      assert.deepEqual(await sums(), before, by);
    }
    const [, , self] = before.map(Number);
    assert.ok(Math.abs(self - (to - from)) <= 1, 'all time of the span is in one event, counted once');
  });

  it('marks the hits of a search in place and steps through them', async () => {
    await tab.open(paths.llama_portable, 'timeline');
    const before = await tab.canvas.evaluate(canvas => canvas.toDataURL());
    await tab.page.keyboard.press('/');
    await tab.page.keyboard.type('bmm');
    await tab.settled();
    assert.equal(tab.address().view, 'timeline');
    assert.match(await tab.page.locator('.hits').innerText(), /^64 hits/);
    assert.notEqual(await tab.canvas.evaluate(canvas => canvas.toDataURL()), before);
    await tab.page.keyboard.press('Enter');
    await tab.settled();
    assert.match(tab.address().sel, /^node:.*bmm/);
  });

  it('moves what is selected elsewhere into sight, and zooms to it with F', async () => {
    await tab.open(paths.llama_portable, 'timeline', 'sel=node:aten_bmm_default_63&tl.from=1000&tl.to=2000');
    await tab.page.keyboard.press('f');
    await tab.settled();
    const {'tl.from': from, 'tl.to': to} = tab.address();
    assert.ok(Number(from) > 3e6 && Number(to) - Number(from) < 20_000, `${from} to ${to}`);
    await tab.page.keyboard.press('m');
    await tab.settled();
    assert.match((await tab.table('In the marked span'))[1].join(), /bmm/);
    await tab.page.keyboard.press('Escape');
    await tab.settled();
    assert.equal(tab.address()['tl.span'], undefined);
    assert.match(tab.address().sel, /bmm/);
  });

  it('is walked with arrow keys, and says what is chosen', async () => {
    await tab.open(paths.llama_portable, 'timeline');
    await tab.canvas.focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Home', 'ArrowRight', 'ArrowRight']) await tab.page.keyboard.press(key);
    const said = await tab.said();
    assert.match(said, /: \d+ ns · [<\d.]+ % of the run/);
    await tab.page.keyboard.press('ArrowRight');
    assert.notEqual(await tab.said(), said);
    assert.equal(await tab.page.locator('[tabindex="0"].scene-canvas').count(), 1);
    await tab.page.keyboard.press('?');
    const help = await tab.page.locator('.help').innerText();
    for (const text of ['Zoom in', 'Zoom to what is selected', 'Mark what is selected as the span']) assert.ok(help.includes(text), text);
    await tab.page.keyboard.press('?');
  });

  it('gives names of the runtime only when asked, also of the box that is pointed at', async () => {
    await tab.open(paths.llama_portable, 'timeline');
    const said = tab.page.locator('.scene-tip strong');
    await tab.point(0.5, 150);
    await said.waitFor();
    assert.doesNotMatch(await said.innerText(), /native_call_/);
    await tab.page.keyboard.press('r');
    for (let tries = 0; tries < 1000 && !/native_call_/.test(await said.innerText()); tries++) {
      await tab.point(0.5, 150 + (tries % 2)); // the names come with the next frame
      await tab.settled();
    }
    assert.match(await said.innerText(), /native_call_/);
  });

  it('draws a frame without reading the layout, and prints how long it takes', async () => {
    const many = join(folder, 'many.html');
    writeFileSync(many, withEvents(readFileSync(paths.llama_portable, 'utf8'), MANY));
    for (const [name, path] of [['llama_portable', paths.llama_portable], [`${MANY} events`, many]]) {
      await tab.open(path, 'timeline');
      const {taken, reads} = await tab.frames(50), at = part => taken[Math.floor(part * (taken.length - 1))];
      console.log(`${name}: ${taken.length} frames, median ${at(0.5).toFixed(2)} ms, p95 ${at(0.95).toFixed(2)} ms`);
      assert.ok(taken.length > 25);
      assert.ok(reads <= 2 * taken.length, `${reads} reads of clientWidth`);
      assert.ok(at(0.5) < 100, 'a frame takes no tenth of a second');
    }
  });

  it('shows any run, and says what made it slow', async () => {
    await tab.open(paths.llama_portable, 'timeline');
    const {runs} = timelineOf('llama_portable'), slowest = runs.reduce((a, b) => (b.execute > a.execute ? b : a));
    await tab.page.getByLabel('Run', {exact: true}).selectOption(String(slowest.run));
    await tab.settled();
    assert.deepEqual([tab.address().stat, tab.address().run], ['run', String(slowest.run)]);
    assert.match(await tab.page.locator('.timeline .note').first().innerText(), /^This run took \d+ ns longer than the median.* Longest beyond their medians: \w+ \+\d+ ns/);
    assert.match(await tab.page.getByLabel('Run', {exact: true}).locator('option:checked').innerText(), new RegExp(`^run ${slowest.run}: [\\d.]+ ns,.*slowest`));
    await tab.canvas.focus();
    await tab.page.goBack();
    await tab.settled();
    assert.equal(tab.address().run, undefined);
  });

  it('takes its picture away as SVG', async () => {
    await tab.open(paths.llama_xnnpack, 'timeline');
    await tab.page.locator('.menu summary', {hasText: 'Picture'}).click();
    const [saved] = await Promise.all([tab.page.waitForEvent('download'), tab.page.getByRole('menuitem', {name: 'SVG'}).click()]), svg = readFileSync(await saved.path(), 'utf8');
    assert.equal(saved.suggestedFilename(), 'timeline.svg');
    assert.match(svg, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="\d+/);
    assert.ok(svg.match(/<rect /g).length > 100);
    assert.match(svg, />encoder_layer|>layers|>\d+</);
    for (const said of ['operator', 'call', 'run \\d+ [+−\\d.]+', 'XNNPACK', 'CPU kernels', 'slower in the other run']) assert.match(svg, new RegExp(`<text [^>]*>${said}</text>`), 'names of lanes, and the legend');
    assert.doesNotMatch(svg, /NaN|undefined/);
  });

  it('aligns both timelines of a comparison on one scale', async () => {
    const path = join(folder, 'both.html');
    run('report', join(fixtures, 'turns_base'), join(fixtures, 'turns_new'), '-o', path);
    await tab.open(path, 'timeline', 'base=base');
    await tab.page.locator('.lane-labels', {hasText: 'base'}).waitFor();
    await tab.drag(0.1, 0.4, AXIS / 2);
    const rows = await tab.table('In the marked span');
    assert.equal(rows[0].length, 7, 'key, count, total, self, share, and total and self of the base');
  });

  it('complained about nothing', () => assert.deepEqual(tab.errors, []));
});
