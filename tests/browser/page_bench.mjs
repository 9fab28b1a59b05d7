// SPDX-License-Identifier: BSD-3-Clause
//
// page_bench.mjs - how fast and how large the page is, beside what it should be. No test depends on it.
//
//   ETRECORD_TB=build/release/plugin/etrecord-tb [BEFORE=ANOTHER] node tests/browser/page_bench.mjs [NAME=RECORD ...]
//
// It measures the records given, those of the fixtures if none are, a report with 20,000 events, which are those of the first repeated, and a record of 40,000 nodes. What bench/full_size.py
// exports are records of full size: llama=FOLDER mobilenet=FOLDER. Reports of these two names have an aim of size.
// BEFORE is another build of the command: each of its reports is measured in turn with that of this one, and the table has both and their ratio.

import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {command, fixtures, python} from './environment.js';
import {withEvents} from './large.js';
import {ScenePage} from './scene_page.js';

const SLOWER = 4, FRAMES = 200, KEYS = ['a', 'at', 'att', 'atte', 'atten', 'attent', 'attenti', 'attention', 'attent', 'at', ''], REST_MS = 400, ROUNDS = 3;
const SIZES = {llama: 400_000, mobilenet: 220_000}; // bytes
const MANY_EVENTS = 20_000, MANY_NODES = 40_000, MANY = '40,000 nodes', FIXTURES = ['llama=llama_portable', 'mobilenet=mv2_xnnpack', 'llama_xnnpack=llama_xnnpack'];

const MAKE_INPUTS = fileURLToPath(new URL('../bench/make_inputs.py', import.meta.url));

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

/* The figures of a report, {figure: {aim, text, value}}: what the value is a ratio of is time or size. */
async function measure(tab, name, path) {
  const found = {}, add = (figure, aim, value, text = ms(value)) => (found[figure] = {aim, text, value}), size = statSync(path).size;
  add('size of the report', SIZES[name] ? `${SIZES[name].toLocaleString('en-US')} B` : '', size, `${size.toLocaleString('en-US')} B`);
  add('first view', '300 ms', await tab.openAnew(path));
  for (const [title, [first, ...later]] of await tab.switches()) {
    add(`first switch to ${title}`, '50 ms', first);
    add(`later switches to ${title}`, name === MANY ? '100 ms' : '50 ms', Math.max(...later));
  }
  for (const view of ['summary', 'table', 'timeline']) {
    const times = await tab.keys(view);
    add(`key in search, ${view}`, '16 ms', part(times, 0.5), `median ${ms(part(times, 0.5))}, most ${ms(Math.max(...times))}`);
  }
  const drawn = await tab.zooms(path), isMany = Number(drawn.events.replace(/\D/g, '')) >= MANY_EVENTS, middle = part(drawn.taken, 0.5);
  add(`frame of zoom, ${drawn.events}, × ${SLOWER}`, isMany ? '8 ms, p95 16 ms' : '4 ms, p95 8 ms', middle, `median ${ms(middle)}, p95 ${ms(part(drawn.taken, 0.95))}, most ${ms(Math.max(...drawn.taken))}`);
  add('layout reads a frame', '2', drawn.reads, drawn.reads.toFixed(2));
  return found;
}

const folder = mkdtempSync(join(tmpdir(), 'page-bench-')), tab = new Bench(), wanted = process.argv.slice(2).filter(word => word.includes('='));

/* The reports that a command writes: [name, path]. */
function reportsOf(binary, label) {
  const report = (name, record) => {
    const path = join(folder, `${label}-${name.replaceAll(/\W/g, '_')}.html`);
    execFileSync(binary, ['report', record, '-o', path], {stdio: 'ignore'});
    return [name, path];
  };
  const reports = (wanted.length ? wanted : FIXTURES).map(word => {
    const [name, record] = word.split('=');
    return report(name, wanted.length ? record : join(fixtures, record));
  });
  const [[first, path]] = reports, longer = join(folder, `${label}-events.html`), made = join(folder, 'nodes');
  writeFileSync(longer, withEvents(readFileSync(path, 'utf8'), MANY_EVENTS));
  execFileSync(python, [MAKE_INPUTS, made, 'nodes', MANY_NODES]);
  return [...reports, [`${first}, 20,000 events`, longer], report(MANY, made)];
}

try {
  await tab.start();
  const before = process.env.BEFORE ? reportsOf(process.env.BEFORE, 'before') : [];
  console.log(before.length ? '| report | figure | aim | before | now | now / before |\n|---|---|---|---|---|---|' : '| report | figure | aim | measured |\n|---|---|---|---|');
  for (const [at, [name, path]] of reportsOf(command, 'now').entries()) {
    const was = before.length ? await measure(tab, name, before[at][1]) : null;
    for (const [figure, {aim, text, value}] of Object.entries(await measure(tab, name, path))) {
      const other = was?.[figure];
      console.log(`| ${[name, figure, aim, ...(was ? [other?.text ?? '', text, other?.value > 0 ? (value / other.value).toFixed(2) : ''] : [text])].join(' | ')} |`);
    }
  }
  if (tab.errors.length) console.log(`\nThe page complained: ${tab.errors.join('; ')}`);
} finally {
  await tab.close();
  rmSync(folder, {recursive: true});
}
