// SPDX-License-Identifier: BSD-3-Clause
//
// page_bench.mjs - how fast and how large the page is, beside what it should be. No test depends on it.
//
//   ETRECORD_TB=build/release/plugin/etrecord-tb node tests/browser/page_bench.mjs [NAME=RECORD ...]
//
// It measures the records given, those of the fixtures if none are, and what is made of the first: a report with 20,000 events and one with 40,000 nodes. What bench/full_size.py exports are
// records of full size: llama=FOLDER mobilenet=FOLDER. Reports of these two names have an aim of size.

import {mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

import {run} from './answers.js';
import {fixtures} from './environment.js';
import {withEvents, withNodes} from './large.js';
import {ScenePage} from './scene_page.js';

const SLOWER = 4, FRAMES = 200, KEYS = ['a', 'at', 'att', 'atte', 'atten', 'attent', 'attenti', 'attention', 'attent', 'at', ''], REST_MS = 400, ROUNDS = 3;
const SIZES = {llama: 400_000, mobilenet: 220_000}; // bytes
const MANY_EVENTS = 20_000, MANY_NODES = 40_000, FIXTURES = ['llama=llama_portable', 'mobilenet=mv2_xnnpack', 'llama_xnnpack=llama_xnnpack'];

const part = (times, share) => times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(share * times.length))];
const ms = time => `${time.toFixed(time < 10 ? 1 : 0)} ms`;

/* A page whose work is measured: the time that the CPU spent on its thread, so that a busy machine hardly matters. */
class Bench extends ScenePage {
  async start() {
    await this.launch({width: 1280, height: 800}, {offline: true});
    this.session = await this.page.context().newCDPSession(this.page);
    await this.session.send('Performance.enable', {timeDomain: 'threadTicks'});
  }

  async spent() {
    const {metrics} = await this.session.send('Performance.getMetrics'), of = name => metrics.find(metric => metric.name === name).value;
    return 1000 * (of('ScriptDuration') + of('LayoutDuration') + of('RecalcStyleDuration'));
  }

  /* Returns the ms of script, style and layout that an action takes, until the frame after it. */
  async work(act, given, rest = REST_MS) {
    const before = await this.spent();
    await this.page.evaluate(act, given);
    await this.page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
    const taken = await this.spent() - before;
    await this.page.waitForTimeout(rest);
    return taken;
  }

  async openAnew(path) {
    await this.page.goto('about:blank');
    await this.page.goto(`file://${path}`);
    await this.page.locator('.summary').waitFor();
    const taken = await this.spent();
    await this.page.waitForTimeout(1500); // what the page prepares when it is idle
    return taken;
  }

  /* Returns by tab what each switch to it takes. The first of each is that of a view which was never shown. */
  async switches() {
    const taken = {}, titles = await this.page.getByRole('tab').allInnerTexts();
    for (let round = 0; round < ROUNDS; round++) for (const [at, title] of titles.entries()) (taken[title] ??= []).push(await this.work(index => document.querySelectorAll('[role=tab]')[index].click(), at));
    return Object.entries(taken);
  }

  async keys(view) {
    const taken = [];
    await this.page.locator(`#tab-${view}`).click();
    await this.page.waitForTimeout(REST_MS);
    for (const text of KEYS)
      taken.push(await this.work(said => {
        const box = document.querySelector('.search');
        box.value = said;
        box.dispatchEvent(new Event('input', {bubbles: true}));
      }, text));
    return taken;
  }

  /* Returns what each frame of zooming in and out at moving places takes on a processor that is SLOWER times as slow, and how often it reads a canvas's width. A slowed Chromium spins, which a busy machine distorts. */
  async zooms(path) {
    await this.open(path, 'timeline');
    const taken = [];
    await this.page.evaluate(() => {
      const width = Object.getOwnPropertyDescriptor(Element.prototype, 'clientWidth');
      globalThis.reads = 0;
      Object.defineProperty(Element.prototype, 'clientWidth', {configurable: true, get() { globalThis.reads++; return width.get.call(this); }});
    });
    for (let at = 0; at < FRAMES; at++)
      taken.push(SLOWER * await this.work(index => {
        const canvas = document.querySelector('.scene-canvas'), box = canvas.getBoundingClientRect();
        canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: index % 40 < 20 ? -60 : 60, clientX: box.left + box.width * ((index % 7) / 7), clientY: box.top + 40, bubbles: true, cancelable: true}));
      }, at, 0));
    const events = (await this.page.locator('.timeline').innerText()).match(/[\d,]+ events?/)[0];
    return {taken, events, reads: await this.page.evaluate(() => globalThis.reads) / FRAMES};
  }
}

/* The rows of a report: [figure, aim, measured]. */
async function measure(tab, name, path) {
  const rows = [['size of the report', SIZES[name] ? `${SIZES[name].toLocaleString('en-US')} B` : '', `${statSync(path).size.toLocaleString('en-US')} B`]];
  rows.push(['first view', '300 ms', ms(await tab.openAnew(path))]);
  const most = list => list.sort(([a], [b]) => b - a).slice(0, 3).map(([time, title]) => `${title} ${ms(time)}`).join(', '), taken = await tab.switches();
  rows.push(['first switch to a view', '50 ms', most(taken.map(([title, [time]]) => [time, title]))], ['later switches', '50 ms', most(taken.map(([title, [, ...times]]) => [Math.max(...times), title]))]);
  for (const view of ['summary', 'table', 'timeline']) {
    const times = await tab.keys(view);
    rows.push([`key in search, ${view}`, '16 ms', `median ${ms(part(times, 0.5))}, most ${ms(Math.max(...times))}`]);
  }
  const drawn = await tab.zooms(path), isMany = Number(drawn.events.replace(/\D/g, '')) >= MANY_EVENTS;
  rows.push([`frame of zoom, ${drawn.events}, × ${SLOWER}`, isMany ? '8 ms, p95 16 ms' : '4 ms, p95 8 ms', `median ${ms(part(drawn.taken, 0.5))}, p95 ${ms(part(drawn.taken, 0.95))}, most ${ms(Math.max(...drawn.taken))}`]);
  rows.push(['layout reads a frame', '2', drawn.reads.toFixed(2)]);
  return rows;
}

const folder = mkdtempSync(join(tmpdir(), 'page-bench-')), tab = new Bench(), wanted = process.argv.slice(2).filter(word => word.includes('='));
try {
  await tab.start();
  const reports = (wanted.length ? wanted : FIXTURES).map(word => {
    const [name, record] = word.split('='), path = join(folder, `${name}.html`);
    run('report', wanted.length ? record : join(fixtures, record), '-o', path);
    return [name, path];
  });
  const [[first, path]] = reports, html = readFileSync(path, 'utf8');
  for (const [name, made] of [[`${first}, 20,000 events`, withEvents(html, MANY_EVENTS)], [`${first}, 40,000 nodes`, withNodes(html, MANY_NODES)]]) {
    const file = join(folder, `${reports.length}.html`);
    writeFileSync(file, made);
    reports.push([name, file]);
  }
  console.log('| report | figure | aim | measured |\n|---|---|---|---|');
  for (const [name, file] of reports) for (const row of await measure(tab, name, file)) console.log(`| ${[name, ...row].join(' | ')} |`);
  if (tab.errors.length) console.log(`\nThe page complained: ${tab.errors.join('; ')}`);
} finally {
  await tab.close();
  rmSync(folder, {recursive: true});
}
