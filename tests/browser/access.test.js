// SPDX-License-Identifier: BSD-3-Clause
//
// access.test.js - whoever reads the page: without a mouse, without red or green, in either theme, at 200 %, on a narrow and on a wide screen.

import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';

import {run} from './answers.js';
import {CONES, computed, contrast, distance, textsWithColors} from './colors.js';
import {ExecuTorchTab} from './executorch_tab.js';
import {fixtures, missing, screenshots} from './environment.js';

const LEAST_TEXT = 4.5, LEAST_LARGE = 3, LEAST_GRAPHIC = 3, LEAST_DISTANCE = 6; // the first three are WCAG AA's; the last are hundredths of Oklab
const REPORTS = {llama_xnnpack: ['node:aten_mul_tensor_3', 'llama_xnnpack'], compared: ['node:aten_convolution_default', 'inserted_before', 'inserted_after']};
/* Both with details, and without them the one that has more tools. */
const STATES = [['llama_xnnpack', `sel=${REPORTS.llama_xnnpack[0]}`], ['compared', `sel=${REPORTS.compared[0]}&base=base`], ['compared', 'base=base']];
const TELL_APART = [['cpu', 'delegate', 'second', 'runtime'], ['less', 'more', 'runtime']]; // within each list

/* Half the room moves what is wide or has most tools: with ALL=1 it is tried with all. */
const NARROW = process.env.ALL ? STATES : [STATES[0], STATES[2]];

describe('the page for everyone', {skip: missing(), timeout: 900_000}, () => {
  const folder = missing() ? '' : mkdtempSync(join(tmpdir(), 'access-')), paths = {};
  let page;
  const go = async (name, state = '') => {
    await page.go(paths[name], state);
  };
  const views = () => page.frame.getByRole('tab').allInnerTexts();
  /* Waits for what was asked to be drawn, and for colors that change in steps. */
  const settled = () => page.frame.evaluate(async () => {
    for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame);
    await Promise.allSettled(document.getAnimations().map(({finished}) => finished));
  });
  async function eachView(act) {
    for (const view of await views()) {
      await page.view(view);
      await page.frame.getByText('Loading…').waitFor({state: 'hidden'});
      await settled();
      await act(view);
    }
  }

  before(async () => {
    for (const [name, [, ...records]] of Object.entries(REPORTS)) run('report', ...records.map(record => join(fixtures, record)), '-o', paths[name] = join(folder, `${name}.html`));
    page = await ExecuTorchTab.openReport(paths.compared, {width: 1280, height: 800});
    page.clicksAtOnce = true;
  });

  after(async () => {
    await page?.close();
    rmSync(folder, {recursive: true, force: true});
  });

  /* What each view of each state has, found in one walk: the texts of both themes, the parts that do not fit, the stops of the tab key in each chart. */
  const seen = [];

  it('has texts that can be read in both themes, with a base and with details', async () => {
    for (const [name, state] of STATES) {
      const isCompared = name === 'compared', hasDetails = /sel=/.test(state);
      await go(name, state);
      await eachView(async view => {
        const wrapped = view === 'Graph' && hasDetails ? [] : await page.wrapped();
        const stops = isCompared ? [] : await page.frame.evaluate(() => [...document.querySelectorAll('.scene, svg, .graph-canvas, .grid-table')].map(chart => [chart, ...chart.querySelectorAll('*')].filter(element => element.tabIndex >= 0 && !element.closest('.head-group')).length));
        seen.push({what: `${name}, ${view} ${state}`, wrapped, stops});
        if (!hasDetails) return;
        for (const theme of ['light', 'dark']) {
          await page.setting('Theme', theme);
          await settled();
          for (const {text, color, ground, isLarge} of await textsWithColors(page.page)) assert.ok(contrast(color, ground) >= (isLarge ? LEAST_LARGE : LEAST_TEXT) - 0.01, `${view}, ${theme}: "${text}" has ${contrast(color, ground).toFixed(2)}`);
        }
      });
    }
  });

  it('is one stop of the tab key for each chart', () => {
    assert.ok(seen.some(({stops}) => stops.length));
    for (const {what, stops} of seen) assert.ok(stops.every(count => count <= 1), `${what}: ${stops}`);
  });

  it('has toolbars of one row at 1280, with a base and with details', () => {
    for (const {what, wrapped} of seen) assert.deepEqual(wrapped, [], what);
  });

  it('has pictures that can be read in both themes, also without red or green', async () => {
    for (const theme of ['light', 'dark']) {
      await page.setting('Theme', theme);
      const [surface] = await computed(page.page, ['var(--surface)']);
      for (const names of TELL_APART) {
        const colors = await computed(page.page, names.map(name => `var(--${name})`));
        colors.forEach((color, at) => assert.ok(contrast(color, surface) >= LEAST_GRAPHIC, `${theme}: ${names[at]} has ${contrast(color, surface).toFixed(2)}`));
        for (const cones of Object.keys(CONES))
          colors.forEach((color, at) => colors.slice(0, at).forEach((other, before) => assert.ok(distance(color, other, cones) >= LEAST_DISTANCE, `${theme}, ${cones}: ${names[before]} and ${names[at]} are ${distance(color, other, cones).toFixed(1)} apart`)));
      }
    }
    await page.setting('Theme', 'auto');
  });

  it('shows every view by a key that its tab and the list of keys name', async () => {
    await go('compared');
    for (const view of await views()) {
      const title = await page.frame.getByRole('tab', {name: view, exact: true}).getAttribute('title'), [, number, letter] = title.match(/\((?:(\d) or )?g (\w)\)$/);
      for (const keys of [['g', letter], number ? [number] : []].filter(({length}) => length)) {
        await page.view(view === 'Summary' ? 'Table' : 'Summary');
        for (const key of keys) await page.page.keyboard.press(key);
        await page.frame.getByRole('tab', {name: view, exact: true, selected: true}).waitFor();
      }
    }
    await page.page.keyboard.press('?');
    const listed = await page.frame.getByRole('dialog', {name: 'Keys'}).innerText();
    for (const view of await views()) assert.ok(listed.includes(view), view);
    await page.page.keyboard.press('?');
    await page.frame.getByRole('dialog', {name: 'Keys'}).waitFor({state: 'detached'});
  });

  it('cuts nothing off at 200 %', async () => {
    await page.page.setViewportSize({width: 640, height: 400});
    for (const [name, state] of NARROW) {
      await go(name, state);
      await eachView(async view => {
        const cut = await page.frame.evaluate(() => {
          const {clientWidth, scrollWidth, clientHeight, scrollHeight} = document.documentElement, canScroll = (element, axis) => {
            for (let at = element.parentElement; at; at = at.parentElement) if (/auto|scroll/.test(getComputedStyle(at)[`overflow${axis}`])) return true;
            return false;
          };
          const outside = [...document.querySelectorAll('button, select, input, .figure, .count, h2, td, [role=gridcell], canvas')].filter(element => {
            const {left, right, bottom, width} = element.getBoundingClientRect();
            return width > 0 && element.checkVisibility() && ((right > clientWidth + 1 || left < -1) && !canScroll(element, 'X') || bottom > clientHeight + 1 && !canScroll(element, 'Y'));
          });
          const tall = document.querySelector('.grid-table, .scene-canvas, .graph-canvas canvas');
          return [scrollWidth > clientWidth, scrollHeight > clientHeight, outside.map(element => element.innerText), tall ? tall.getBoundingClientRect().height < 120 : false];
        });
        assert.deepEqual(cut, [false, false, [], false], `${name}, ${view} ${state}`);
      });
    }
    await page.page.setViewportSize({width: 1280, height: 800});
  });

  it('shows all of the bar, and the time of each row, on a phone', async () => {
    await page.page.setViewportSize({width: 390, height: 844});
    await go('compared');
    for (const part of await page.frame.locator('.bar :is(summary, button, input, select):visible').all()) {
      const {x, width} = await part.boundingBox();
      assert.ok(x >= 0 && x + width <= 390, `${await part.evaluate(({outerHTML}) => outerHTML)} is cut`);
    }
    await go('llama_xnnpack', 'view=table');
    const time = await page.frame.locator('.rows .row .number').first().boundingBox();
    assert.ok(time.x + time.width <= 390, 'the time is in sight');
    await page.page.setViewportSize({width: 1280, height: 800});
  });

  it('closes a menu by Escape, which its button then has again, and by leaving it', async () => {
    await go('llama_xnnpack', 'sel=node:aten_mul_tensor_3');
    for (const menu of ['.bar .share', '.bar .settings', '.table-tail .menu']) {
      const button = page.frame.locator(`${menu} > summary`).first();
      await button.press('Enter');
      await page.page.keyboard.press('Tab');
      assert.ok(await button.evaluate(({parentElement: {open}, parentElement}) => open && parentElement.contains(document.activeElement)), menu);
      await page.page.keyboard.press('Escape');
      assert.ok(await button.evaluate(element => !element.parentElement.open && element === document.activeElement), menu);
      await button.press('Enter');
      await page.page.keyboard.press('Shift+Tab');
      assert.equal(await button.evaluate(element => element.parentElement.open), false, menu);
    }
    assert.match(await page.address(), /sel=/, 'nothing else was closed');
  });

  it('shows list, picture and details side by side on a wide screen', async () => {
    await page.page.setViewportSize({width: 2560, height: 1440});
    await go('llama_xnnpack');
    const boxes = async (...selectors) => Promise.all(selectors.map(selector => page.frame.locator(selector).first().boundingBox()));
    for (const [view, ...parts] of [['Summary', '.icicle-picture', '.lever'], ['Table', '.grid-table', '.details'], ['Memory', '.live-bytes', '.memory .grid .card', '.details'], ['Graph', '.graph-canvas', '.details']]) {
      await page.view(view);
      await settled();
      const found = await boxes(...parts);
      found.slice(1).forEach((box, at) => assert.ok(box.x >= found[at].x + found[at].width - 1 && box.y < 1000, `${view}: ${parts[at + 1]} is beside ${parts[at]}`));
      await page.screenshot(join(screenshots, `wide_${view.toLowerCase()}.png`));
    }
    assert.match(await page.frame.locator('.details').innerText(), /all operators with a time/);
    await page.view('Timeline');
    const {y, height} = await page.frame.locator('.timeline-frame').boundingBox();
    assert.ok(height > 800 && y < 120, 'the timeline fills the window');
    await page.page.setViewportSize({width: 1280, height: 800});
  });

  it('gives nothing to complain about', () => assert.deepEqual(page.errors, []));
});
