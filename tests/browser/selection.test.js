// SPDX-License-Identifier: BSD-3-Clause
//
// selection.test.js - what is chosen in one view is chosen in all, and in sight there.

import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';

import {answer, run} from './answers.js';
import {ExecuTorchTab} from './executorch_tab.js';
import {fixtures, missing} from './environment.js';
import {randomFrom} from './random.js';

const RECORDS = ['llama_portable', 'llama_xnnpack'];
const LETTERS = {table: 't', timeline: 'l', graph: 'g', memory: 'y'}, NODES = Number(process.env.NODES ?? 4), SEED = Number(process.env.SEED ?? 5);

/* Runs in the page: whether the operator is marked and in sight in the view that is shown; 'none' if the view has nothing of it. */
function isInSight({view, name}) {
  const within = ({left, right, top, bottom}, frame = document.getElementById('view').getBoundingClientRect()) => right > frame.left - 1 && left < frame.right + 1 && bottom > frame.top - 1 && top < frame.bottom + 1 && bottom > 0 && top < innerHeight;
  const canvas = document.querySelector('.scene-canvas'), box = canvas?.getBoundingClientRect();
  if (canvas) {
    const {scene} = canvas;
    return scene.chosen.some(({id}) => {
      const {row, from, to} = scene.boxOf(id);
      return scene.x(to) >= 0 && scene.x(from) <= scene.width && within({left: box.left + scene.x(from), right: box.left + scene.x(to), top: box.top + row.top, bottom: box.top + row.top + row.height});
    });
  }
  if (view === 'graph') {
    const picture = document.querySelector('.graph-pane canvas')?.picture, node = picture?.tree.graph.names.indexOf(name) ?? -1, place = node < 0 ? null : picture.placeOf(node);
    return Boolean(place) && [[place.x, picture.x, picture.width], [place.y, picture.y, picture.height]].every(([at, origin, size]) => (origin + at) * picture.zoom > -1 && (origin + at) * picture.zoom < size + 1);
  }
  if (view === 'memory') {
    const map = document.querySelector('.memory-map');
    return map ? (document.querySelector('.memory').innerText.includes('selected') ? within(map.getBoundingClientRect()) : 'none') : document.getElementById('view').innerText.includes('was not given') && 'none';
  }
  const marked = [...document.querySelectorAll('.grid-table .row.chosen')], grid = document.querySelector('.grid-table')?.getBoundingClientRect();
  return marked.some(element => within(element.getBoundingClientRect(), grid));
}

describe('a selection', {skip: missing(), timeout: 900_000}, () => {
  const folder = missing() ? '' : mkdtempSync(join(tmpdir(), 'selection-')), random = randomFrom(SEED), paths = {}, nodes = {};
  let page;
  const keys = async (...list) => { for (const key of list) await page.page.keyboard.press(key); };
  const settled = () => page.frame.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))));
  const go = async (record, state) => {
    await page.go(paths[record], state);
  };

  before(async () => {
    for (const record of RECORDS) {
      run('report', join(fixtures, record), '-o', paths[record] = join(folder, `${record}.html`));
      nodes[record] = answer('nodes', record).graphs.find(({module}) => module === 'edge').nodes.filter(node => node.avg > 0 && !node.subgraph).map(({name}) => name);
    }
    page = await ExecuTorchTab.openReport(paths[RECORDS[0]], {width: 1280, height: 800});
  });

  after(async () => {
    await page?.close();
    rmSync(folder, {recursive: true, force: true});
  });

  it('by search in any view is in sight in all others', async () => {
    const seen = new Set();
    for (let round = 0; round < NODES; round++) {
      const record = RECORDS[round % RECORDS.length], name = nodes[record][random(nodes[record].length)];
      await go(record, 'view=table');
      const tabs = (await page.frame.getByRole('tab').allInnerTexts()).map(text => text.toLowerCase()), views = Object.keys(LETTERS).filter(view => tabs.includes(view)), from = views[round % views.length];
      await go(record, `view=${from}`);
      await keys('/');
      await page.page.keyboard.insertText(`/^${name}\\b/`);
      await keys('Enter', 'Escape', 'Escape');
      assert.equal((await page.details()).name, name);
      for (const view of views.filter(other => other !== from)) {
        await keys('g', LETTERS[view]);
        await page.frame.locator(`.${view}-view`).waitFor();
        await page.page.waitForFunction(isInSight, {view, name}, {timeout: 30_000}).catch(() => assert.fail(`${name}, chosen in ${from}, is not in sight in ${view}`));
        await settled();
        if (await page.frame.evaluate(isInSight, {view, name}) === true) seen.add(view);
      }
    }
    assert.deepEqual([...seen].sort(), Object.keys(LETTERS).sort(), 'each view has shown one');
    assert.deepEqual(page.errors, []);
  });

  it('of a row that stands for repeated operators means all of them', async () => {
    await go('llama_portable', 'view=table');
    const row = page.grid().locator('.row', {hasText: /permute_copy[^]*×\d/}).first(), [, count] = (await row.innerText()).match(/×(\d+)/);
    await row.click();
    await page.page.waitForFunction(() => location.hash.includes('sel=repeated:'));
    assert.equal((await page.details()).operators, `${count} operators`);
    await page.press(page.frame.getByRole('complementary').getByRole('button', {name: `${count} operators`}));
    await page.frame.getByRole('group', {name: 'Group by'}).getByRole('button', {name: 'Node', pressed: true}).waitFor();
    assert.match(await page.count(), new RegExp(`^${count} operators`));
  });

  it('gives nothing to complain about', () => assert.deepEqual(page.errors, []));
});
