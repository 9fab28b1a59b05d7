// SPDX-License-Identifier: BSD-3-Clause
//
// figures.test.js - each figure that the page shows of each fixture is the one in the command's JSON: summary, operators, modules, comparison.

import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';

import {RECORDS, answer, diffOf, run} from './answers.js';
import {ExecuTorchTab} from './executorch_tab.js';
import {fixtures, missing} from './environment.js';

const SHOWN = 8; // rows of a card
/* SHARD is 2/4 for the second of four processes that share the tests. */
const [shard, shards] = (process.env.SHARD ?? '1/1').split('/').map(Number);
const mine = (_, at) => at % shards === shard - 1;
const ms = value => (value === null ? '–' : value.toFixed(4));
const share = (part, whole) => (whole > 0 ? `${((100 * part) / whole).toFixed(1)} %` : '–');
const unmarked = text => text.replace(/^≈ /, ''); // of what is estimated
const unknown = '(method unknown)', itself = '(top level)';
const longestFirst = key => (a, b) => b[key] - a[key];

/* The decimals of equal times may be those of one as well as of the other, so rows are compared as they are sorted by their texts. */
const sorted = rows => rows.map(row => row.join(' | ')).sort();

const PART_TEXTS = {operators: 'graph operators', inserted: 'inserted copies', runtime: 'runtime, outside operators', unexplained: 'unexplained'};

describe('the figures of', {skip: missing(), timeout: 900_000}, () => {
  let folder, page;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'figures-'));
  });

  after(async () => {
    await page?.close();
    rmSync(folder, {recursive: true});
  });

  async function show(...records) {
    const path = join(folder, `${records.join('_').replaceAll('/', '_')}.html`);
    run('report', ...records.map(record => join(fixtures, record)), '-o', path, '--unit', 'ms');
    if (!page) {
      page = await new ExecuTorchTab().launch();
      page.frame = page.page;
      page.clicksAtOnce = true; // there are thousands of clicks, and executorch_tab.test.js tests the mouse
    }
    await page.go(path, 'digits=1');
  }

  /* One method after the other: what the command says of it. Several unknown ones stand in the same order. */
  async function eachMethod(methods, look) {
    const several = await page.frame.getByLabel('Method', {exact: true}).count();
    const names = several ? await page.frame.getByLabel('Method').locator('option').allInnerTexts() : [(await page.frame.locator('.bar .single').allInnerTexts()).at(-1)];
    for (const [at, name] of names.entries()) {
      const nth = names.slice(0, at).filter(other => other === name).length;
      if (several) await page.frame.getByLabel('Method').selectOption(String(at));
      await look(methods.filter(said => (said.method ?? unknown) === name)[nth]);
    }
  }

  const count = async () => (await page.count()).replace(/,(?=\d)/g, '');

  /* The typical time on the operators of the graph. */
  const onNodes = said => said.parts.find(({part}) => part === 'operators')?.typical ?? 0;

  async function summaryIsShown(said) {
    const {execute} = said;
    const figures = await page.frame.locator('.figure strong').allInnerTexts();
    assert.deepEqual(figures.slice(0, 4), [`${ms(execute.typical)} ms`, `${ms(execute.p50)} ms`, `${ms(execute.p10)} – ${ms(execute.p90)} ms`, `${ms(execute.min)} – ${ms(execute.max)} ms`]);
    const rows = await page.table('Where the time goes'), parts = [...said.parts, execute];
    assert.deepEqual(rows.map(([, time, of]) => [time, of]), parts.map(part => [ms(part.typical), share(part.typical, execute.typical)]));
    assert.equal(rows.at(-1)[0], 'Method::execute');
    for (const [at, {part}] of said.parts.entries()) if (PART_TEXTS[part]) assert.equal(rows[at][0], PART_TEXTS[part]);
    assert.deepEqual(await page.frame.locator('.findings li > div > strong').allTextContents(), said.findings.map(({title}) => title));
  }

  async function cardsAreShown(said) {
    const whole = said.execute.typical;
    for (const [title, list] of [['Operator', said.by_op], ['Backend', said.by_backend], ['Source line', said.by_source]]) {
      const rows = await page.table(title);
      assert.deepEqual(sorted(rows.map(row => row.slice(1, 4).map(unmarked))), sorted(list.toSorted(longestFirst('typical')).slice(0, rows.length).map(row => [ms(row.typical), share(row.typical, whole), row.count])), title);
      assert.equal(rows.length, Math.min(list.length, SHOWN), title);
    }
    const own = said.by_module.filter(row => row.count > 0), rows = await page.table('Module'), byName = new Map(own.map(row => [row.module || itself, row]));
    assert.equal(rows.length, Math.min(own.length, SHOWN));
    assert.deepEqual(rows.map(row => unmarked(row[1])), own.map(row => row.typical).sort((a, b) => b - a).slice(0, SHOWN).map(ms));
    for (const [name, ...told] of rows) {
      const row = byName.get(name);
      assert.deepEqual(told.slice(0, 4).map(unmarked), [ms(row.typical), share(row.typical, whole), String(row.count), ms(row.with_children.typical)], name);
    }
  }

  /* A click on a row of the cards selects what it shows: the details have its time. Backends lead to the table. */
  async function clicksTakeWhatTheyShow() {
    for (const title of ['Operator', 'Module', 'Source line', 'Backend']) {
      const card = page.frame.locator('table.plain', {has: page.frame.locator('caption', {hasText: new RegExp(`^${title}$`)})}).first();
      for (let at = 0; at < Math.min(2, await card.locator('tbody tr').count()); at++) {
        const row = card.locator('tbody tr').nth(at), cells = (await row.locator('td').allInnerTexts()).map(unmarked);
        if (title === 'Source line' && cells[0].includes('not recorded')) continue;
        await page.press(row.locator('td').nth(0));
        if (title === 'Backend') {
          assert.match(await count(), new RegExp(`operators?, ${cells[1]} ms, `), `${title}, row ${at}`);
          await clearFilters();
          await page.view('Summary');
        } else {
          assert.equal(unmarked((await page.details()).time).replace(/ ms$/, ''), title === 'Module' ? cells[4] : cells[1], `${title}, row ${at}`);
        }
      }
    }
  }

  async function operatorsAreShown(said, nodes) {
    const close = page.frame.getByLabel('Close details');
    if (await close.count()) await page.press(close); // beside them the table has fewer columns
    const timed = nodes.filter(node => node.avg !== null && node.match), whole = said.execute.typical;
    await page.view('Operators');
    await clearFilters();
    if (timed.length === 0) return;
    await page.groupBy('Each');
    await page.grid().getByRole('columnheader', {name: /^p50/}).waitFor(); // which is there once the table knows its width
    assert.match(await count(), new RegExp(`^${timed.length} operators?, ${ms(onNodes(said))} ms`));
    const texts = ['typical', 'p50'], rows = await page.rows(), wanted = new Set(timed.map(node => [node.target, ...texts.map(key => ms(node[key])), share(node.typical, whole), node.estimated].join(' ')));
    assert.deepEqual(rows.map(row => unmarked(row['typical ms'])), timed.map(node => node.typical).sort((a, b) => b - a).slice(0, rows.length).map(ms));
    for (const row of rows) {
      const told = [row.operator, ...texts.map(key => unmarked(row[`${key} ms`])), row.share, row['typical ms'].startsWith('≈')].join(' ');
      assert.ok(wanted.has(told), told);
    }
    for (const [button, list] of [['Operator type', said.by_op], ['Module', said.by_module.filter(row => row.count > 0)], ['Source line', said.by_source], ['Backend', said.by_backend]]) {
      await page.groupBy(button);
      const groups = await page.rows();
      assert.deepEqual(groups.map(row => unmarked(row['typical ms'])), list.map(row => row.typical).sort((a, b) => b - a).slice(0, groups.length).map(ms), button);
      assert.ok(groups.length === list.length || groups.length > 20, button);
      await page.press(page.grid().locator('[data-row="0"]'));
      assert.match(await count(), new RegExp(`operators?, ${unmarked(groups[0]['typical ms'])} ms, `), button);
      await clearFilters();
    }
  }

  async function clearFilters() {
    for (const chip of await page.frame.locator('.chip').all()) await page.press(chip);
  }

  /* The contents of Method::execute add up to it; what is on the operators of each module is what the summary says. */
  async function modulesAreShown(said) {
    await page.view('Modules');
    if (!(onNodes(said) > 0)) return;
    const totals = new Map(said.by_module.map(row => [row.module, row])), rows = await page.table('Contents'), table = page.frame.locator('table.plain', {has: page.frame.locator('caption', {hasText: /^Contents/})}), all = table.locator('xpath=..').getByRole('button', {name: /more$/});
    if (await all.count()) await page.press(all);
    const titles = await table.locator('thead th').allInnerTexts(), work = titles.findIndex(title => /^on operators/.test(title)), contents = await page.table('Contents');
    const sum = contents.reduce((time, row) => time + Number(unmarked(row[2])), 0);
    assert.ok(rows.length > 0 && Math.abs(sum - said.execute.typical) <= 0.00005 * (contents.length + 1), `${sum} of ${said.execute.typical}`);
    for (const row of contents) if (totals.has(row[0])) assert.equal(unmarked(row[work < 0 ? 2 : work]), ms(totals.get(row[0]).with_children.typical), row[0]);
  }

  for (const record of RECORDS.filter(mine))
    it(record, async () => {
      const summary = answer('summary', record), {graphs} = answer('nodes', record);
      await show(record);
      await eachMethod(summary.methods, async said => {
        const graph = graphs.find(({module, method}) => module === 'edge' && method === said.method);
        await page.view('Summary');
        if (said.runs > 0) {
          await summaryIsShown(said);
          if (graph) {
            await cardsAreShown(said);
            await clicksTakeWhatTheyShow();
            await operatorsAreShown(said, graph.nodes.filter(({kind}) => kind === 'op'));
            await modulesAreShown(said);
          }
        }
        for (const view of await page.frame.getByRole('tab').allInnerTexts()) {
          await page.view(view);
          await page.frame.getByText('Loading…').waitFor({state: 'hidden'});
          assert.doesNotMatch(await page.frame.locator('body').innerText(), /is not a function|cannot be shown|\bundefined\b|\bNaN\b|\[object/, view);
        }
      });
      assert.deepEqual(page.errors, []);
    });

  const pairs = [...RECORDS.map(record => [record, record]), ['mv2_portable', 'mv2_xnnpack'], ['mv2_xnnpack', 'vit_xnnpack'], ['add_mul', 'old_1_0_1_add_mul'], ['llama_portable', 'llama_xnnpack'], ['control_flow', 'p_cond_names']];
  for (const [base, newer] of pairs.filter(mine))
    it(`${newer} compared with ${base}`, async () => {
      const {methods} = diffOf(base, newer), rowsOf = (list, ...keys) => list.map(node => [node.op, ...keys.map(key => ms(node[key] === null ? null : node[key] / 1e6))]);
      await show(base, newer);
      await eachMethod(methods, async said => {
        const {execute} = said;
        await page.view('Compare');
        await page.frame.locator('.compare .note').first().waitFor();
        if (!execute.base_runs || !execute.new_runs) return assert.match(await page.frame.locator('.compare').innerText(), /has no run times/);
        const totals = await page.table('Medians per inference');
        assert.deepEqual(totals[0].slice(1, 3), [ms(execute.base_p50 / 1e6), ms(execute.new_p50 / 1e6)]);
        assert.equal(await page.frame.locator('.lead.differs').count(), said.may_differ ? 1 : 0);
        const both = said.nodes.filter(node => (said.may_differ ? node.base_runs > 0 && node.new_runs > 0 : node.base_runs > 0 || node.new_runs > 0)), rows = both.length ? await page.table('Operators') : [];
        assert.equal(rows.length, Math.min(both.length, 300));
        const wanted = sorted(rowsOf(both, 'base_p50', 'new_p50')), told = sorted(rows.map(row => row.slice(0, 3)));
        if (rows.length === both.length) assert.deepEqual(told, wanted);
        else assert.deepEqual(told.filter(row => !wanted.includes(row)), []);
      });
      assert.deepEqual(page.errors, []);
    });
});
