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

/*
 * With FEW=1 one record of each kind: a small one, two delegates of a GPU, an ETDump alone, a record whose graph is
 * lowered already, an old one of two methods, one with estimated times. SHARD is 2/8 for the second of eight processes
 * that share all of them.
 */
const FEW = ['add_mul', 'b_vulkan', 'from_executorch/dump_2023', 'lowered_in_record', 'old_1_2_0_two_methods', 'quantized_xnnpack'];
const FEW_PAIRS = ['from_executorch/dump_2023 from_executorch/dump_2023', 'add_mul old_1_0_1_add_mul', 'control_flow p_cond_names'];
const [shard, shards] = (process.env.SHARD ?? '1/1').split('/').map(Number);
const mine = (records, at) => (process.env.FEW ? [...FEW, ...FEW_PAIRS].includes([records].flat().join(' ')) : at % shards === shard - 1);
const ms = value => (value === null ? '–' : value.toFixed(4));
const unmarked = text => text.replace(/^≈ /, ''); // of what is estimated
const unknown = 'method not known', itself = '(top level)';

/* The decimals of equal times may be those of one as well as of the other, so rows are compared as they are sorted by their texts. */
const sorted = rows => rows.map(row => row.join(' | ')).sort();

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
    const names = several ? await page.frame.getByLabel('Method', {exact: true}).locator('option').allInnerTexts() : [(await page.frame.locator('.bar .single').allInnerTexts()).at(-1)];
    for (const [at, name] of names.entries()) {
      const nth = names.slice(0, at).filter(other => other === name).length;
      if (several) await page.frame.getByLabel('Method', {exact: true}).selectOption(String(at));
      await look(methods.filter(said => (said.method ?? unknown) === name)[nth]);
    }
  }

  const count = async () => (await page.count()).replace(/,(?=\d)/g, '');

  /* The typical time on the operators of the graph. */
  const onNodes = said => said.parts.find(({part}) => part === 'operators')?.typical ?? 0;

  async function summaryIsShown(said) {
    assert.equal(await page.total(), ms(said.execute.typical));
    const range = said.runs < 2 ? '^1 run$' : `${ms(said.execute.min)} – ${ms(said.execute.max)} ms`; // one run has no range
    if (said.execute.min !== null) assert.match(await page.frame.locator('.runs').innerText(), new RegExp(range, 'm'));
    const titles = await page.frame.locator('.lever h3').allTextContents();
    assert.deepEqual(titles, said.findings.slice(0, titles.length).map(({title}) => title));
  }

  const timesOf = rows => rows.map(row => unmarked(row.ms).replace(/^≤ /, ''));

  /* The rows by operator, with those of the other parts, add up to Method::execute. */
  async function rowsAddUp(said) {
    await page.view('Table');
    if (await page.frame.getByRole('group', {name: 'Group by'}).count()) await page.groupBy('Operator');
    const rows = await page.copied('Rows by operator'), sum = rows.reduce((all, row) => all + row['typical ns'], 0) / 1e6;
    assert.ok(Math.abs(sum - said.execute.typical) <= 1e-8 * rows.length + 1e-6 * said.execute.typical, `${sum} of ${said.execute.typical}`);
  }

  async function groupsAreShown(said, nodes) {
    const close = page.frame.getByLabel('Close details');
    if (await close.count()) await page.press(close); // beside them the table has fewer columns
    const timed = nodes.filter(node => node.avg !== null && node.match);
    if (timed.length === 0) return;
    await page.groupBy('Node');
    assert.match(await count(), new RegExp(`^${timed.length} operators?, ${ms(onNodes(said))} ms`));
    const rows = await page.rows(), wanted = new Set(timed.map(node => [ms(node.typical), node.estimated].join(' ')));
    assert.deepEqual(timesOf(rows), timed.map(node => node.typical).sort((a, b) => b - a).slice(0, rows.length).map(ms));
    for (const row of rows) assert.ok(wanted.has([unmarked(row.ms), row.ms.startsWith('≈')].join(' ')), row.ms);
    for (const [button, list] of [['Source line', said.by_source], ['Backend', said.by_backend]]) {
      if (button === 'Source line' && !(await page.frame.getByRole('button', {name: button, exact: true}).count())) continue;
      await page.groupBy(button);
      const shown = timesOf(await page.rows());
      assert.deepEqual(shown, list.map(row => row.typical).sort((a, b) => b - a).slice(0, shown.length).map(ms), button);
      assert.ok(shown.length === list.length || shown.length > 20, button);
    }
    await page.groupBy('Module');
    await page.grid().getByRole('columnheader', {name: /^own/}).waitFor(); // which is there once the table knows its width
    const totals = new Map(said.by_module.map(row => [row.module || itself, row])), modules = await page.copied('Rows by module');
    for (const row of modules.filter(({module, count: equal}) => equal === 1 && totals.has(module) && module !== itself)) {
      const told = totals.get(row.module);
      assert.deepEqual([ms(row['typical ns'] / 1e6), ms(row['own ns'] / 1e6)], [ms(told.with_children.typical), ms(told.typical)], row.module);
    }
  }

  for (const record of RECORDS.filter(mine))
    it(record, async () => {
      const summary = answer('summary', record), {graphs} = JSON.parse(run('nodes', join(fixtures, record), '--format', 'json', '--unit', 'ms', '--force')); // an ETDump alone has none
      await show(record);
      await eachMethod(summary.methods, async said => {
        const graph = graphs.find(({module, method}) => module === 'edge' && method === said.method);
        await page.view('Summary');
        if (said.runs > 0) {
          await summaryIsShown(said);
          if (graph) {
            await rowsAddUp(said);
            await groupsAreShown(said, graph.nodes.filter(({kind}) => kind === 'op'));
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

  /* A record with itself, which tells little beside its own figures, of every fourth. */
  const pairs = [...RECORDS.filter((_, at) => at % 4 === 0).map(record => [record, record]), ['mv2_portable', 'mv2_xnnpack'], ['mv2_xnnpack', 'vit_xnnpack'], ['add_mul', 'old_1_0_1_add_mul'], ['llama_portable', 'llama_xnnpack'], ['control_flow', 'p_cond_names']];
  for (const [base, newer] of pairs.filter(mine))
    it(`${newer} compared with ${base}`, async () => {
      const {methods} = diffOf(base, newer);
      await show(base, newer);
      await eachMethod(methods, async said => {
        const {execute} = said;
        await page.view('Compare');
        await page.frame.locator('.compare .hero, .compare .note').first().waitFor();
        if (!execute.base_runs || !execute.new_runs) return assert.match(await page.frame.locator('.compare').innerText(), /has no run times/);
        const side = (row, key) => row[`${key}_typical`] ?? row[`${key}_p50`];
        assert.match(await page.frame.locator('.compare h1').innerText(), new RegExp(`^${ms(side(execute, 'new') / 1e6)} ms per inference`));
        const isJudged = /er$/.test(execute.verdict) && !said.may_differ;
        assert.equal((await page.frame.locator('.compare h1').innerText()).split(' ms per inference')[1], isJudged ? `, ${said.verdict_text}` : '', 'the words of diff');
        assert.equal(await page.frame.getByRole('alert').filter({hasText: 'look like two different models'}).count(), said.may_differ ? 1 : 0);
        assert.deepEqual((await page.table(`Changes by ${said.by_events ? 'operator' : 'module'}`))[0].slice(1, 3), ['base', 'new'].map(key => ms(side(execute, key) / 1e6)));
        if (!(await page.frame.locator('.nodes-of-both[open]').count())) await page.press(page.frame.getByText('Operators, one by one'));
        const both = said.nodes.filter(node => node.base_runs > 0 || node.new_runs > 0);
        if (both.length) await page.frame.getByText(/^Operators, largest change/).first().waitFor();
        const rows = both.length ? await page.table('Operators') : [];
        assert.equal(rows.length, Math.min(both.length, 300));
        const shown = value => (value === null || value === undefined ? '' : ms(value / 1e6)), wanted = sorted(both.map(node => [shown(side(node, 'base')), shown(side(node, 'new'))])), told = sorted(rows.map(row => row.slice(1, 3)));
        if (rows.length === both.length) assert.deepEqual(told, wanted);
        else assert.deepEqual(told.filter(row => !wanted.includes(row)), []);
      });
      assert.deepEqual(page.errors, []);
    });
});
