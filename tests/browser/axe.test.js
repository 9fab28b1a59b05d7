// SPDX-License-Identifier: BSD-3-Clause
//
// axe.test.js - axe-core finds nothing in any view, light and dark: WCAG A and AA. It is skipped where axe-core is not installed. With ALL=1 it measures colors everywhere, and the first record in both themes.

import assert from 'node:assert/strict';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';

import {run} from './answers.js';
import {ExecuTorchTab} from './executorch_tab.js';
import {fixtures, missing} from './environment.js';

const REPORTS = {
  vit: ['vit_xnnpack'],
  compared: ['inserted_before', 'inserted_after'],
  decoder: ['prefill_decode'],
  dump: ['mv2_xnnpack/etdump.etdp'],
  npu: ['b_ethosu'],
  accuracy: ['debug_xnnpack'],
  several: ['turns_base', 'turns_new', 'turns_same'],
};

/* The views of a record that others do not have as well; of those that are not here, all. */
const VIEWS = {decoder: ['Summary', 'Memory'], dump: ['Summary', 'Table', 'Timeline'], npu: ['Summary', 'Table'], accuracy: ['Summary', 'Table', 'Graph'], several: ['Summary', 'Compare']};

/* The same for each change: of vit those that no state below shows, and of the others what has no like elsewhere. */
if (!process.env.ALL) Object.assign(VIEWS, {vit: ['Memory'], compared: ['Compare', 'Table', 'Timeline'], decoder: ['Summary'], dump: ['Summary', 'Table'], npu: ['Table'], accuracy: ['Summary', 'Graph'], several: ['Compare']});

/* The themes change colors alone, which access.test.js measures in both: one for each record. */
const THEMES = {vit: process.env.ALL ? ['light', 'dark'] : ['light'], decoder: ['light'], several: ['light']};

/* Whose colors axe measures, which takes half of its time: those of views and of what is open beside them that access.test.js does not show. */
const COLORS = process.env.ALL ? Object.keys(REPORTS) : ['accuracy', 'npu', 'several'];

/* What is open beside the views themselves: other tables, of which one for each change, details, menus, the roofline. */
const STATES = [...(process.env.ALL ? ['module', 'delegate', 'node'] : ['module']).map(by => `view=table&by=${by}`), 'view=table&roof=1', 'view=summary&levers=1&sel=finding:0', 'view=timeline&q=linear', 'view=graph&q=linear'];

/* The script of axe-core; null if it is not installed. */
function axe() {
  try {
    return readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  } catch {
    return null;
  }
}

describe('axe-core', {skip: missing() || (axe() ? false : 'axe-core is missing: npm install in tests/browser'), timeout: 600_000}, () => {
  const folder = missing() ? '' : mkdtempSync(join(tmpdir(), 'axe-'));
  let page;

  before(async () => {
    for (const [name, records] of Object.entries(REPORTS))
      run('report', ...records.map(record => join(fixtures, record)), '-o', join(folder, `${name}.html`));
    page = await ExecuTorchTab.openReport(join(folder, 'vit.html'), {width: 1280, height: 800});
    page.clicksAtOnce = true;
  });

  after(async () => {
    await page?.close();
    rmSync(folder, {recursive: true, force: true});
  });

  /* Asserts that axe finds nothing in what is shown. */
  async function isClean(what, withColors = true) {
    await page.frame.getByText('Loading…').waitFor({state: 'hidden'});
    if (!(await page.page.evaluate(() => Boolean(globalThis.axe)))) await page.page.evaluate(`${axe()}; null`);
    const {violations} = await page.page.evaluate(options => globalThis.axe.run(document, options), {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'], resultTypes: ['violations'], preload: false, iframes: false, rules: {'color-contrast': {enabled: withColors}}});
    assert.deepEqual(violations.map(({id, nodes}) => `${id}: ${nodes.slice(0, 3).map(({html}) => html.slice(0, 160)).join(' | ')}`), [], what);
  }

  it('finds nothing in what is open beside the views', async () => {
    await page.page.emulateMedia({colorScheme: 'light'});
    for (const state of STATES) {
      await page.go(join(folder, 'vit.html'), state);
      await isClean(state, Boolean(process.env.ALL) || !state.startsWith('view=table&by')); // tables have the colors of the view
    }
    for (const name of ['Share', 'Settings']) {
      await page.frame.locator(`summary[aria-label="${name}"]`).click();
      await isClean(name);
    }
  });

  for (const name of Object.keys(REPORTS))
    for (const colorScheme of THEMES[name] ?? ['dark'])
      it(`finds nothing in the views of ${name}, ${colorScheme}`, async () => {
        await page.page.emulateMedia({colorScheme});
        await page.go(join(folder, `${name}.html`), '');
        for (const view of VIEWS[name] ?? (await page.frame.getByRole('tab').allInnerTexts())) {
          await page.view(view);
          await isClean(view, COLORS.includes(name));
        }
      });
});
