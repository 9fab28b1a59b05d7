// SPDX-License-Identifier: BSD-3-Clause
//
// state.test.js - the address holds all: after any actions a reload and, in turn, the copied address in a new page show the same text; Back takes steps back. In a report, in a comparison and in TensorBoard.
// SEED=... tries other actions.

import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';

import {run} from './answers.js';
import {ExecuTorchTab} from './executorch_tab.js';
import {fixtures, missing} from './environment.js';
import {randomFrom} from './random.js';
import {TensorBoard} from './tensorboard.js';

const VIEWPORT = {width: 1280, height: 800}, ROUNDS = Number(process.env.ROUNDS ?? 1), ACTIONS = 10, SEED = Number(process.env.SEED ?? 7), LONGEST = 2000;
const report = (...records) => async folder => {
  const path = join(folder, `${records.length}.html`);
  run('report', ...records.map(record => join(fixtures, record)), '-o', path, '--unit', 'ms');
  return {page: await ExecuTorchTab.openReport(path, VIEWPORT)};
};
const PLACES = {
  'a report': report('llama_xnnpack'),
  'a comparison': report('inserted_before', 'inserted_after'),
  TensorBoard: async () => {
    const page = await ExecuTorchTab.openIn(await TensorBoard.shared(), VIEWPORT);
    await page.record('llama_xnnpack');
    return {page, isFrame: true};
  },
};

/* Addresses are the same in all places: of the copied one a report tells, of a reload the others, which have more views, and a page around. */
const FIRST = {'a report': 1, 'a comparison': 0, TensorBoard: 0};

for (const [place, open] of Object.entries(PLACES))
  describe(`the state in ${place}`, {skip: missing(), timeout: 900_000}, () => {
    const folder = missing() ? '' : mkdtempSync(join(tmpdir(), 'state-'));
    let page, isFrame, views, begin;
    /* The text of the page without the explanation of what is under the pointer; of a long table, which holds the rows in sight, those that are marked. */
    const text = () => page.frame.evaluate(() => {
      const marked = [...document.querySelectorAll('.grid-table .row.chosen')].map(row => row.innerText);
      const left = [...document.querySelectorAll('.grid-table .rows, .explanation')].filter(part => !part.hidden);
      for (const part of left) part.hidden = true;
      const said = document.body.innerText;
      for (const part of left) part.hidden = false;
      return [said, ...marked].join('\n');
    });
    const settled = () => page.settled();
    const again = async () => {
      page.frame = isFrame ? await (await page.page.waitForSelector('iframe')).contentFrame() : page.page;
      await page.shown();
      await settled();
    };
    const go = async address => {
      await page.page.goto('about:blank');
      await page.page.goto(address);
      await again();
    };

    before(async () => {
      ({page, isFrame = false} = await open(folder));
      views = await page.frame.getByRole('tab').allInnerTexts();
      begin = await page.address();
    });

    after(async () => {
      await page?.close();
      rmSync(folder, {recursive: true, force: true});
    });

    function actionsOf(random) {
      const oneOf = list => list[random(list.length)], key = keys => page.frame.locator('body').press(oneOf(keys));
      const pressOne = async selector => {
        const buttons = page.frame.locator(selector), count = await buttons.count();
        if (count) await buttons.nth(random(count)).dispatchEvent('click');
      };
      return [
        () => page.view(oneOf(views)), () => key(['n', 'N', 'Escape']), () => key([...'123456789']), async () => page.search(oneOf(['', 'attention', 'op:mul', '/layers\\.(1|2)/', 'backend:cpu avg>0.001'])),
        async () => (await page.frame.getByLabel('Statistic of times').count()) && page.setting('Statistic of times', oneOf(['typical', 'avg', 'p50'])), () => page.setting('Unit of times', oneOf(['ms', 'us', 'ns'])), () => key([...'upormq+-0']), () => key(['ArrowDown', 'ArrowRight', 'Backspace', 'Enter']),
        async () => {
          const box = await page.frame.locator('.scene-canvas, .icicle-picture, .graph-canvas canvas, .live-bytes').first().boundingBox({timeout: 100}).catch(() => null), at = [random(98), random(200)];
          if (box) await page.page.mouse.click(box.x + (box.width * (1 + at[0])) / 100, box.y + Math.min(box.height - 2, 5 + at[1]));
          await page.page.mouse.move(1, 1); // a tooltip is no state
        },
        () => pressOne('[role=columnheader] button, .segments button'), () => pressOne('.grid-table .row[data-row] .cut, .plain tr.link, .levers .text-link'),
      ];
    }

    it('is the address', async () => {
      const random = randomFrom(SEED), actions = actionsOf(random);
      for (let round = 0; round < ROUNDS; round++) {
        for (let at = 0; at < ACTIONS; at++) {
          await actions[random(actions.length)]();
          await page.frame.evaluate(() => document.activeElement?.blur());
        }
        await settled();
        const shown = await text(), address = await page.address();
        assert.ok(address.length < LONGEST);
        if ((FIRST[place] + round) % 2) await go(address);
        else await page.page.reload().then(again);
        assert.equal(await text(), shown, address);
      }
    });

    it('goes back step by step', async () => {
      await page.page.goto(begin); // which changes the address alone
      await again();
      await page.view('Summary');
      await settled();
      const steps = [() => page.view('Table'), () => page.groupBy('Node'), () => page.openRow(3), () => page.view('Timeline')], shown = [];
      for (const step of steps) {
        shown.push([await page.address(), await text()]);
        await step();
        await settled();
      }
      for (const [address, said] of shown.reverse()) {
        await page.page.goBack();
        await settled();
        assert.deepEqual([await page.address(), await text()], [address, said]);
      }
    });

    it('gives nothing to complain about', () => assert.deepEqual(page.errors, []));
  });
