// SPDX-License-Identifier: BSD-3-Clause
//
// commands.test.js - the command that a table offers prints its rows, of every table of every view; a table that no command prints says so.

import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';

import {run} from './answers.js';
import {ExecuTorchTab} from './executorch_tab.js';
import {fixtures, missing} from './environment.js';

/* How each record's table is grouped, searched and summed; the second one has cycles of a backend. */
const TABLES = {
  llama_xnnpack: ['&by=node&q=backend:cpu', '&by=module', '&by=module&each=1', '&by=source', '&by=backend', '&by=delegate&each=1', '&by=operator', '&by=module&stat=p50', '&by=node&stat=p50'],
  b_qnn: ['&by=node', '&by=module', '&by=delegate&each=1'],
}, RECORDS = Object.keys(TABLES);

/* For each change one of those that differ in the statistic or in what is folded alone; with ALL=1 all. */
if (!process.env.ALL) TABLES.llama_xnnpack = TABLES.llama_xnnpack.filter(table => !['&by=module', '&by=operator', '&by=node&stat=p50'].includes(table));

/* The cells of comma-separated values. */
const cellsOf = line => line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).map(cell => cell.replace(/^"(.*)"$/, '$1').replaceAll('""', '"'));

describe('the command of a table', {skip: missing(), timeout: 600_000}, () => {
  const folder = missing() ? '' : mkdtempSync(join(tmpdir(), 'commands-'));
  let page;

  const copied = async (menu, item) => {
    await menu.locator('summary').dispatchEvent('click');
    await menu.evaluate(details => details.setAttribute('open', ''));
    await menu.getByRole('menuitem', {name: item}).dispatchEvent('click');
    await page.frame.getByText(/^Copied/).waitFor();
    return page.page.evaluate(() => navigator.clipboard.readText());
  };

  /* Runs it: the cells of all rows that it prints, of all its tables. Of memory only the text has all of them. */
  const printed = (record, command) => {
    const words = command.match(/'[^']*'|\S+/g).slice(1).map(word => (word === record ? join(fixtures, record) : word.replaceAll("'", '')));
    return words[0] === 'memory' ? run(...words).trim().split('\n').map(line => line.split(/\s+/)) : run(...words, '--unit', 'ms', '--format', 'csv').trim().split('\n').map(cellsOf);
  };

  before(async () => {
    for (const record of RECORDS) run('report', join(fixtures, record), '-o', join(folder, `${record}.html`), '--unit', 'ms');
    page = await ExecuTorchTab.openReport(join(folder, `${RECORDS[0]}.html`), {width: 1400, height: 900});
    await page.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  });

  after(async () => {
    await page?.close();
    rmSync(folder, {recursive: true, force: true});
  });

  for (const record of RECORDS)
    it(`prints its rows: ${record}`, async () => {
      let count = 0;
      await page.page.goto(`file://${join(folder, `${record}.html`)}#digits=1`);
      await page.page.reload();
      await page.shown();
      for (const view of await page.frame.getByRole('tab').allInnerTexts())
        for (const extra of view === 'Table' ? TABLES[record] : ['']) {
          await page.page.goto(`file://${join(folder, `${record}.html`)}#view=${view.toLowerCase()}&digits=1${extra}`);
          await page.frame.getByRole('tab', {name: view, selected: true}).waitFor();
          await page.settled();
          for (const menu of await page.frame.locator('details.menu:has([aria-label^="Copy "])').all()) {
            const name = `${view}${extra}: ${await menu.locator('summary').getAttribute('aria-label')}`;
            if (await menu.getByText('No command prints this table.').count()) continue;
            const command = await copied(menu, 'The command that prints them'), [head, ...rows] = (await copied(menu, /as CSV/)).split('\n').map(cellsOf), all = new Set(printed(record, command).flatMap(cells => cells.flatMap(cell => [cell, Number(cell).toFixed(4), Number(cell).toLocaleString('en-US')])));
            const time = head.findIndex(title => /^(typical|avg|p50) ms$|^bytes$|^planned$/.test(title));
            assert.ok(rows.length > 0, name);
            // Method::execute is the sum of its parts, which the command prints.
            for (const row of rows.filter(([name]) => name !== 'Method::execute')) if (time >= 0 && row[time] && row[time] !== '–') assert.ok(all.has(row[time].replace('≈ ', '')), `${name}: ${command} has no ${row[time]} of ${row}`);
            count++;
          }
        }
      assert.ok(count > TABLES[record].length, `${count} commands`);
      assert.deepEqual(page.errors, []);
    });
});
