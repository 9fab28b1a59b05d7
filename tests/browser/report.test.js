// SPDX-License-Identifier: BSD-3-Clause
//
// report.test.js - a report is one file that shows the same, opened from a disk with no network; and stays fluid with very many operators.

import assert from 'node:assert/strict';
import {copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, afterEach, before, describe, it} from 'node:test';

import {answer, diffOf, run, withDocument} from './answers.js';
import {ExecuTorchTab} from './executorch_tab.js';
import {fixtures, missing, screenshots} from './environment.js';
import {TabPage} from './tab_page.js';

const ms = value => value.toFixed(4);

describe('a report', {skip: missing(), timeout: 600_000}, () => {
  const pages = [];
  let folder;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'report-'));
  });

  afterEach(async () => {
    for (const opened of pages.splice(0)) await opened.close();
  });

  after(() => rmSync(folder, {recursive: true}));

  async function show(path, size) {
    pages.push(await ExecuTorchTab.openReport(path, size));
    return pages.at(-1);
  }

  for (const record of ['mv2_xnnpack', 'cpp_rich'])
    it(`of ${record} opens from a disk and asks for nothing`, async () => {
      const path = join(folder, `${record}.html`);
      run('report', join(fixtures, record), '-o', path, '--unit', 'ms');
      const dashboard = await show(path);
      const method = answer('summary', record).methods.reduce((a, b) =>
        b.runs * b.execute.avg > a.runs * a.execute.avg ? b : a,
      );
      if (method.runs) assert.equal(await dashboard.total(), ms(method.execute.typical));
      for (const view of await dashboard.frame.getByRole('tab').allInnerTexts()) {
        await dashboard.view(view);
        assert.doesNotMatch(await dashboard.frame.locator('body').innerText(), /\[object |undefined/, view);
      }
      await dashboard.view('Summary');
      await dashboard.screenshot(join(screenshots, `report_${record}.png`));
      assert.deepEqual([dashboard.errors, dashboard.asked], [[], []]);
    });

  it('names the values that are most suspicious, each with its node', async () => {
    const examples = join(fixtures, '../../examples/accuracy'),
      path = join(folder, 'accuracy.html');
    const compared = [
      join(examples, 'int8'),
      '--reference',
      join(examples, 'f32.safetensors'),
      '--reference-record',
      join(examples, 'f32'),
    ];
    run('report', ...compared, '-o', path);
    const {values, candidates} = JSON.parse(run('accuracy', ...compared, '--format', 'json'));
    const dashboard = await show(path);
    await dashboard.view('Accuracy');
    const said = (await dashboard.frame.locator('.accuracy .note').first().innerText()).replaceAll(/\s+/g, ' ');
    assert.match(
      said,
      new RegExp(
        `Most suspicious: ${values[candidates[0]].computed_by} \\(\\d+ operators? since the nearest values\\), `,
      ),
    );
    assert.doesNotMatch(said, /object|\(1 operators/);
    assert.equal(
      await dashboard.frame.locator('.accuracy section:has(.pair) h2').first().innerText(),
      values[candidates[0]].computed_by,
      'distributions begin with the most suspicious value',
    );
  });

  it('forbids the network itself, and any script but its own', async () => {
    const path = join(folder, 'mv2_xnnpack.html'),
      changed = join(folder, 'changed.html');
    const policy = readFileSync(path, 'utf8').match(/Content-Security-Policy" content="([^"]*)"/)[1];
    assert.match(
      policy,
      /^default-src 'none'; script-src 'sha256-[\w+/]{43}=' 'sha256-[\w+/]{43}='; worker-src blob:; img-src data: blob:; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'$/,
    );
    writeFileSync(
      changed,
      readFileSync(path, 'utf8').replace('<script type="module">', '<script type="module">globalThis.intruder = true;'),
    );
    const opened = await new TabPage().launch();
    pages.push(opened);
    await opened.page.goto(`file://${changed}`);
    assert.equal(await opened.page.evaluate(() => globalThis.intruder), undefined);
    assert.ok(opened.errors.some(error => /Content Security Policy/.test(error)));
  });

  it('shows what is live in memory, instruction by instruction', async () => {
    const path = join(folder, 'memory.html'),
      [{plan, findings}] = JSON.parse(run('memory', join(fixtures, 'vit_xnnpack'), '--format', 'json')).methods;
    run('report', join(fixtures, 'vit_xnnpack'), '-o', path);
    const dashboard = await show(path),
      said = () => dashboard.frame.locator('.said').first().innerText(),
      bytes = number => number.toLocaleString('en-US');
    await dashboard.view('Memory');
    assert.deepEqual(
      (await dashboard.table('Live at the peak')).map(row => row.slice(0, 2)),
      plan.peak.tensors.map(index => [plan.tensors[index].name, bytes(plan.tensors[index].bytes)]),
    );
    assert.deepEqual((await dashboard.table('Planned buffers'))[0].slice(2, 4), [
      bytes(plan.planned_bytes),
      bytes(plan.peak.bytes),
    ]);
    assert.ok(
      (await said()).startsWith(
        `instruction ${plan.peak.instruction} of ${plan.instructions.count}: ${bytes(plan.peak.bytes)} bytes live`,
      ),
    );
    await dashboard.frame.locator('.live-bytes').focus();
    await dashboard.page.keyboard.press('ArrowRight');
    assert.ok((await said()).includes(`${bytes(plan.instructions.live_bytes[plan.peak.instruction + 1])} bytes live`));
    const text = await dashboard.frame.locator('main').innerText();
    for (const {title} of findings) assert.ok(text.includes(title), title);
    await dashboard.screenshot(join(screenshots, 'memory.png'));
    await dashboard.page.setViewportSize({width: 480, height: 900});
    await dashboard.settled();
    const marks = await dashboard.frame
      .locator('.axis-across')
      .first()
      .locator('span')
      .evaluateAll(all => all.map(mark => mark.getBoundingClientRect()).map(({left, right}) => [left, right]));
    assert.ok(marks.length > 2 && marks.every(([, right], at) => right <= (marks[at + 1]?.[0] ?? 480)), marks.join('; '));
    assert.deepEqual(dashboard.errors, []);
  });

  it('shows times in the unit asked for', async () => {
    const path = join(folder, 'us.html');
    run('report', join(fixtures, 'add_mul'), '-o', path, '--unit', 'us');
    const dashboard = await show(path);
    assert.equal(await dashboard.total(), answer('summary', 'add_mul', 'us').methods[0].execute.typical.toFixed(1));
  });

  it('says of times of modules and nodes that they contain interruptions, which rows by operator have apart', async () => {
    const path = join(folder, 'interrupted.html');
    run('report', join(fixtures, 'two_partitioners'), '-o', path);
    const dashboard = await show(path);
    await dashboard.view('Table');
    assert.match(await dashboard.frame.locator('.count').innerText(), /%, with interruptions/);
    await dashboard.view('Summary');
    assert.equal(await dashboard.frame.getByRole('columnheader', {name: 'least – most'}).count(), 0, 'it has interruptions');
    await dashboard.frame.locator('.lever').first().getByRole('button', {name: 'how'}).click();
    assert.match((await dashboard.details()).time, / ms, with interruptions$/);
    const fits = await dashboard.frame.locator('.details').evaluate(panel => {
      panel.querySelector('p + p').append('Config(do_it_all=True)'.repeat(9));
      return panel.scrollWidth <= panel.clientWidth;
    });
    assert.ok(fits, 'long code breaks');
    await dashboard.view('Graph');
    assert.match(await dashboard.frame.locator('.graph-legend').innerText(), /^typical, with interruptions, ms/);
    await dashboard.setting('Statistic of times', 'avg');
    assert.match(await dashboard.frame.locator('.graph-legend').innerText(), /^avg, ms/);
  });

  it('lists in Summary the rows that it counts, says what it leaves out, and shows each operator by a key', async () => {
    const path = join(folder, 'vit.html');
    run('report', join(fixtures, 'vit_xnnpack'), '-o', path);
    const dashboard = await show(path, {width: 1280, height: 800}), section = dashboard.frame.locator('.rows-section'), rows = section.locator('tbody tr'), tail = section.locator('.table-tail');
    await dashboard.page.keyboard.press('.'); // from all digits to those that are known
    const [more] = (await tail.getByText(/^\d+ more$/).innerText()).split(' '), first = await rows.count();
    await tail.getByText(/^\d+ more$/).click();
    await tail.getByText(/ more below /).waitFor();
    assert.equal(await rows.count(), first + Number(more));
    const isSum = name => / all$/.test(name), left = (await tail.innerText()).match(/\d+(?= more)/g).reduce((sum, count) => sum + Number(count), 0),
      listed = (await rows.locator('td:first-child').allInnerTexts()).filter(name => !isSum(name)).length;
    await dashboard.view('Table');
    const grid = dashboard.frame.getByRole('grid', {name: 'Rows by operator'});
    assert.equal(listed + left, Number(await grid.getAttribute('aria-rowcount')) - 1, 'rows of Table');
    await dashboard.page.keyboard.press('u');
    await dashboard.frame.getByRole('grid', {name: 'Rows by node'}).waitFor();
    await dashboard.page.keyboard.press('u');
    await grid.waitFor();
    assert.deepEqual(dashboard.errors, []);
  });

  it('of a language model says tokens per second and the first token of all phases and methods on one screen', async () => {
    const path = join(folder, 'tokens.html'),
      hero = async (...record) => {
        run('report', ...record, '-o', path);
        return (await (await show(path)).frame.locator('.hero').innerText()).replaceAll(',', '');
      };
    const phases = await hero(join(fixtures, 'prefill_decode')),
      methods = await hero(join(fixtures, '../../examples/language_model'));
    for (const said of [
      /first token after [\d.]+ µs [\d.]+ µs with the load/,
      /prefill: 18 tokens \d+ tokens\/s/,
      /decode: 1 token \d+ tokens\/s/,
      /^[\d.]+ µs per inference\n/,
    ])
      assert.match(phases, said);
    for (const said of [
      /of 1 token \d+ tokens\/s/,
      /first token after [\d.]+ µs \(prefill\) [\d.]+ µs with loading 2 methods/,
      /noisy \(cv over 100\.0 %\): measure again/,
      /prefill: 64 tokens \d+ tokens\/s/,
    ])
      assert.match(methods, said);
  });

  it('of two records shows both, and what changed as `diff` says it', async () => {
    const path = join(folder, 'two.html'),
      [method] = diffOf('mv2_portable', 'mv2_xnnpack').methods;
    run('report', join(fixtures, 'mv2_portable'), join(fixtures, 'mv2_xnnpack'), '-o', path, '--unit', 'ms');
    const dashboard = await show(path);
    await dashboard.view('Compare');
    await dashboard.frame.getByText('Changes by module').first().waitFor();
    const side = key => method.execute[`${key}_typical`] ?? method.execute[`${key}_p50`];
    assert.deepEqual(
      (await dashboard.table('Changes by module'))[0].slice(1, 3),
      [side('base'), side('new')].map(ns => ms(ns / 1e6)),
    );
    await dashboard.frame.getByText('Operators, one by one').click();
    await dashboard.frame.getByText('Operators, largest change').first().waitFor();
    const rows = await dashboard.table('Operators, largest change');
    assert.equal(rows.length, method.nodes.filter(node => node.base_runs || node.new_runs).length);
    await dashboard.frame
      .getByRole('table', {name: /Operators, largest/})
      .getByRole('row', {name: /convolution/})
      .first()
      .click();
    assert.match((await dashboard.details()).operator, /^aten\.convolution/);
    await dashboard.page.keyboard.press('Escape');
    await dashboard.screenshot(join(screenshots, 'report_of_two.png'));
    await dashboard.view('Table');
    for (const width of [1280, 1500]) {
      await dashboard.page.setViewportSize({width, height: 900});
      await dashboard.settled();
      assert.ok(
        await dashboard.frame.locator('.grid-table').evaluate(grid => grid.scrollWidth <= grid.clientWidth),
        `the table fits at ${width}`,
      );
      assert.ok(await dashboard.frame.getByRole('columnheader', {name: 'verdict'}).isVisible());
    }
    await dashboard.page.setViewportSize({width: 480, height: 900});
    const {width: wide} = await dashboard.frame.getByLabel('Record', {exact: true}).boundingBox();
    assert.ok(wide > 120, `${wide} px for the name of a record`);
    await dashboard.record('mv2_portable (base)');
    assert.equal(await dashboard.total(), ms(answer('summary', 'mv2_portable').methods[0].execute.typical));
    assert.equal(await dashboard.frame.getByRole('tab', {name: 'Compare'}).count(), 0);
    assert.deepEqual([dashboard.errors, dashboard.asked], [[], []]);
  });

  it('of three records puts them side by side, as `compare` does, and any of them is shown by a click', async () => {
    const path = join(folder, 'three.html'),
      records = ['turns_base', 'turns_same', 'turns_new'].map(name => join(fixtures, name));
    run('report', ...records, '-o', path, '--unit', 'ms');
    const {records: said, rows} = JSON.parse(
        run('compare', ...records, '--by', 'op', '--format', 'json', '--unit', 'ms'),
      ),
      dashboard = await show(path);
    await dashboard.view('Compare');
    const shown = await dashboard.table('3 records side by side'),
      words = {slower: '▲ slower', faster: '▼ faster', cannot_tell: 'cannot tell', null: ''};
    assert.deepEqual(
      shown.map(([name, typical]) => [name, typical]),
      said.map(({record, methods: [{typical}]}) => [record, ms(typical)]),
    );
    assert.deepEqual(
      shown.map(row => row[5]),
      said.map(({methods: [{verdict}]}) => words[verdict]),
    );
    // The longest bar is as wide as its cell, however narrow that is.
    await dashboard.page.setViewportSize({width: 700, height: 900});
    const rooms = await dashboard.frame
      .locator('.bar-cell .part-bar')
      .evaluateAll(all => all.map(part => part.parentElement.clientWidth - part.clientWidth));
    assert.ok(Math.min(...rooms) < 40, String(rooms));
    const operators = await dashboard.table('Times of operators side by side');
    const timed = rows.filter(({typical}) => typical.every(time => time > 0));
    assert.ok(timed.length > 0);
    for (const {name, typical} of timed) {
      const [, ...times] = operators.find(([op]) => op === name.split('.')[1].replace(/^_/, '')) ?? [];
      assert.deepEqual(times, typical.map(ms), name);
    }
    await dashboard.frame
      .getByRole('table', {name: /side by side/})
      .first()
      .getByRole('row', {name: /^turns_new/})
      .click();
    await dashboard.frame
      .getByLabel('Record')
      .locator('option:checked', {hasText: 'turns_new'})
      .waitFor({state: 'attached'});
    await dashboard.view('Summary');
    // Beside a share there is room for its text.
    const longest = await dashboard.frame
      .locator('.share-cell .part-bar')
      .evaluateAll(all => Math.max(...all.map(part => part.clientWidth / (part.parentElement.clientWidth - 76))));
    assert.ok(longest > 0.5 && longest < 1, String(longest));
    assert.equal(await dashboard.total(), ms(said[2].methods[0].typical));
    assert.deepEqual([dashboard.errors, dashboard.asked], [[], []]);
  });

  it('of ETDumps alone has the changes of kernels in Table, as `diff` does', async () => {
    const path = join(folder, 'dumps.html'),
      sides = ['turns_base', 'turns_new'].map(name => join(folder, name));
    for (const side of sides) {
      mkdirSync(side);
      const from = join(fixtures, side.split('/').pop());
      for (const name of readdirSync(from).filter(name => name.endsWith('.etdp')))
        copyFileSync(join(from, name), join(side, name));
    }
    run('report', ...sides, '-o', path, '--unit', 'ms');
    const [{by_kernel: kernels}] = JSON.parse(run('diff', ...sides, '--format', 'json', '--unit', 'ms')).methods,
      dashboard = await show(path);
    await dashboard.view('Table');
    const slower = kernels.filter(({verdict}) => verdict === 'slower');
    assert.ok(slower.length > 0);
    for (const {kernel} of slower)
      await dashboard.frame.getByRole('row', {name: kernel}).filter({hasText: '▲ slower'}).waitFor();
  });

  it('of an ETDump alone opens kernels into their calls, and copies what `summary --by kernel` prints', async () => {
    const path = join(folder, 'alone.html'),
      dump = join(fixtures, 'mv2_xnnpack', 'etdump.etdp');
    run('report', dump, '-o', path, '--unit', 'us');
    const dashboard = await show(path),
      name = 'Convolution (NHWC, F32) DWConv';
    await dashboard.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await dashboard.view('Table');
    await dashboard.frame.getByText('Columns', {exact: true}).click();
    assert.equal(
      await dashboard.frame.getByLabel(/Show the column (MACs|GFLOP|GB|bytes|type|source)/).count(),
      0,
      'no column of a graph',
    );
    const copied = async item => {
      await dashboard.frame.getByLabel(/^Copy/).first().click();
      await dashboard.frame.getByRole('menuitem', {name: item}).click();
      await dashboard.frame.getByText(/^Copied/).waitFor();
      return dashboard.page.evaluate(() => navigator.clipboard.readText());
    };
    assert.match(await copied('The command that prints them'), /^etrecord-tb summary mv2_xnnpack .*--by kernel/);
    const rowOf = text =>
        text
          .split('\n')
          .find(line => line.includes('DWConv'))
          .split(/,(?! )/),
      [, , , , , , , , , share] = rowOf(run('summary', dump, '--by', 'kernel', '--format', 'csv'));
    assert.ok(rowOf(await copied(/as CSV/)).includes(share), `a share of ${share}`);
    const row = dashboard.frame.getByRole('row', {name});
    await dashboard.page.keyboard.press('.'); // from all digits to those that are known
    await row.getByText('127 – 309').waitFor();
    assert.doesNotMatch(await row.innerText(), /\d\.\d/, 'no digit below whole microseconds, of which the clock is');
    await row.click();
    await dashboard.frame.getByRole('tab', {name: 'Timeline', selected: true}).waitFor();
    const colors = await dashboard.frame.getByRole('list', {name: 'Backends'}).locator('li').allInnerTexts();
    assert.deepEqual(colors.map(said => said.trim()), ['delegate', 'calls and runtime']);
    const [{by_kernel: kernels, runs}] = JSON.parse(run('summary', dump, '--format', 'json')).methods,
      {count} = kernels.find(({kernel}) => kernel === name);
    await dashboard.frame.getByRole('heading', {name, exact: true}).waitFor();
    assert.equal(new Set(await dashboard.frame.locator('.details dl dt').allInnerTexts()).size, count, 'a line for each call, each with a name of its own');
    await dashboard.view('Table');
    await dashboard.page.keyboard.press('?');
    await dashboard.frame.getByRole('dialog', {name: 'Keys'}).waitFor();
    assert.equal(await dashboard.frame.getByText('Show each of what is one row').count(), 0, 'kernels are rows in the timeline alone');
    await dashboard.page.keyboard.press('?');
    await dashboard.view('Timeline');
    assert.equal(await dashboard.frame.locator('.dots circle').count(), count * runs, 'a dot for each call and run');
    assert.deepEqual(dashboard.errors, []);
  });

  it('of an ETDump alone shows each run in all views, without statistics that it lacks', async () => {
    const path = join(folder, 'runs.html'),
      dump = join(fixtures, 'mv2_portable', 'etdump.etdp'),
      numberOf = text => Number(text.replaceAll(',', ''));
    run('report', dump, '-o', path, '--unit', 'ns');
    const [{by_kernel: kernels, runs}] = JSON.parse(run('summary', dump, '--format', 'json', '--unit', 'ns')).methods,
      dashboard = await show(path),
      sums = new Map();
    assert.equal(await dashboard.frame.getByLabel('Statistic of times').count(), 0);
    assert.equal(await dashboard.frame.getByText('Times are of').count(), 0); // no label of a choice that is not there
    assert.doesNotMatch(await dashboard.frame.locator('.answer').innerText(), /Typical run/);
    for (let at = 0; at < runs; at++) {
      await dashboard.view('Summary');
      await dashboard.frame.locator('.run-bars').press(at ? 'ArrowRight' : 'Home');
      await dashboard.frame.locator('.answer', {hasText: 'Typical run: '}).waitFor();
      const whole = numberOf(await dashboard.total());
      await dashboard.view('Table');
      const rows = (await dashboard.rows()).map(row => [
        row.operator,
        numberOf(Object.entries(row).find(([title]) => /^run \d+, ns$/.test(title))[1]),
      ]);
      assert.ok(
        Math.abs(rows.reduce((sum, [, ns]) => sum + ns, 0) - whole) <= rows.length,
        `rows of run ${at} add up to ${whole} ns`,
      );
      for (const [name, ns] of rows) sums.set(name, (sums.get(name) ?? 0) + ns);
    }
    for (const {kernel, avg} of kernels) {
      const [, sum] = [...sums].find(([name]) => kernel.endsWith(name));
      assert.ok(Math.abs(sum / runs - avg) <= 1, `${kernel}: ${sum / runs} ns, average ${avg}`);
    }
    assert.deepEqual(dashboard.errors, []);
  });

  it('of an ETDump alone says in Timeline how long a kernel takes usually, and marks one that took far longer', async () => {
    const path = join(folder, 'interrupted.html'),
      dump = join(fixtures, 'mv2_portable', 'etdump.etdp');
    run('report', dump, '-o', path);
    const isOfKernel = ({texts, timeline: {structures, runs}}, event) =>
      /^native_call_mean/.test(texts[structures[runs[0].structure].name[event]]);
    writeFileSync(
      path,
      withDocument(readFileSync(path, 'utf8'), 'profile.0.timeline', whole => {
        const {time} = whole.timeline.runs[0],
          event = time.findIndex((_, at) => isOfKernel(whole, at));
        time[event] *= 20;
        return whole;
      }),
    );
    const dashboard = await show(path),
      scene = () => dashboard.frame.locator('.scene-canvas');
    await dashboard.view('Timeline');
    await dashboard.frame.getByLabel('Run', {exact: true}).selectOption('1');
    await scene().evaluate(
      canvas =>
        new Promise(done => {
          requestAnimationFrame(() => requestAnimationFrame(done));
        }),
    );
    const marked = await scene().evaluate(({scene: {shown}}) =>
      shown.rows.flatMap(({marks = [], id}) => marks.map(at => [id[at], ...shown.told(id[at]).lines])),
    );
    const [[id, , time, rest], ...others] = marked.filter(([, name]) => name === 'mean');
    assert.deepEqual(others, []);
    assert.match(time, /of the run · median [\d.]+, [\d.]+ – [\d.]+/);
    assert.match(rest, /^far longer than usual: interrupted\?/);
    await scene().evaluate(({scene: {shown}}, chosen) => shown.choose(chosen), id);
    await dashboard.frame
      .locator('.details', {hasText: '▼'})
      .getByRole('heading', {name: 'mean.out', exact: true})
      .waitFor();
    assert.deepEqual(dashboard.errors, []);
  });

  it('marks an operator in Timeline whose typical time contains the interruption itself', async () => {
    const path = join(folder, 'typical.html'),
      record = join(fixtures, 'two_partitioners');
    run('report', record, '-o', path);
    const times = run('nodes', record, '--format', 'csv', '--top', '0', '--columns', 'typical,p50,max')
      .trim()
      .split('\n')
      .slice(1)
      .map(line => line.split(',').slice(-3).map(Number));
    const [[, , max]] = times.filter(([typical, p50, most]) => most > 5 * p50 && most < 5 * typical),
      dashboard = await show(path);
    await dashboard.view('Timeline');
    const select = dashboard.frame.getByLabel('Run', {exact: true}),
      found = [];
    for (const value of await select.locator('option').evaluateAll(options => options.map(option => option.value))) {
      await select.selectOption(value);
      found.push(
        ...(await dashboard.frame.locator('.scene-canvas').evaluate(async canvas => {
          await new Promise(done => {
            requestAnimationFrame(() => requestAnimationFrame(done));
          });
          const {shown} = canvas.scene;
          return shown.rows.flatMap(({marks = [], id}) => marks.map(at => shown.told(id[at]).lines[1]));
        })),
      );
    }
    assert.ok(
      found.some(time => time.startsWith(max.toFixed(3)) && / · median 0\.\d+, /.test(time)),
      `${max}: ${found.join('; ')}`,
    );
    assert.deepEqual(dashboard.errors, []);
  });

  it('links a finding to the section that says how', async () => {
    const path = join(folder, 'how.html'),
      record = join(fixtures, 'mv2_portable');
    run('report', record, '-o', path);
    const {
        findings: [first],
      } = JSON.parse(run('summary', record, '--format', 'json')).methods[0],
      dashboard = await show(path);
    await dashboard.frame.locator('.lever').first().getByRole('button', {name: 'how'}).click();
    assert.equal(await dashboard.frame.locator('.details').getByRole('link').first().getAttribute('href'), first.docs);
  });

  it('marks what is estimated, however narrow the page is', async () => {
    const path = join(folder, 'estimated.html'),
      files = [
        '--etrecord',
        join(fixtures, 'quantized_xnnpack', 'etrecord.bin'),
        '--etdump',
        join(fixtures, 'quantized_xnnpack', 'etdump.etdp'),
      ]; // without the .pte conversions are estimated
    run('report', ...files, '-o', path, '--unit', 'ms');
    const {nodes} = JSON.parse(run('nodes', ...files, '--format', 'json', '--unit', 'ms')).graphs[0],
      dashboard = await show(path);
    const timesOf = wanted =>
        new Set(
          nodes
            .filter(node => node.avg !== null && (node.match === 'aligned') === wanted)
            .map(node => `${wanted ? '≈ ' : ''}${ms(node.typical)}`),
        ),
      told = new Set([...timesOf(true), ...timesOf(false)]);
    await dashboard.view('Table');
    await dashboard.groupBy('Node');
    for (const width of [1400, 900, 600]) {
      await dashboard.page.setViewportSize({width, height: 900});
      const rows = await dashboard.rows();
      assert.ok(rows.some(row => row.ms.startsWith('≈ ')) && rows.every(row => told.has(row.ms)), `${width} wide`);
    }
    await dashboard.groupBy('Operator');
    assert.ok((await dashboard.rows()).some(row => row.ms.startsWith('≈ ')));
    assert.match(await dashboard.frame.locator('.time-legend').innerText(), /≈ matched by order: pass the \.pte/);
    assert.deepEqual(dashboard.errors, []);
  });

  it('leaves nothing behind where it cannot be written', () => {
    const before = readdirSync(folder);
    assert.throws(() => run('report', join(fixtures, 'add_mul'), '-o', join(folder, 'none', 'report.html')));
    assert.deepEqual(readdirSync(folder), before);
  });

  it('keeps few rows of 20,000 in the page', async () => {
    const path = join(folder, 'many.html');
    writeFileSync(
      path,
      withDocument(run('report', join(fixtures, 'mv2_portable')), 'profile', whole => enlarged(whole, 20_000)),
    );
    const dashboard = await show(path);
    await dashboard.view('Table');
    await dashboard.groupBy('Node');
    assert.match(await dashboard.count(), /^20,000 operators/);
    for (const top of [0, 5_000, 300_000, 1e9]) {
      await dashboard.grid().evaluate((grid, to) => {
        grid.scrollTop = to;
      }, top);
      await dashboard.frame.evaluate(
        () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))),
      );
      const rows = await dashboard.rows();
      assert.ok(rows.length > 10 && rows.length < 200, `${rows.length} rows`);
    }
    assert.equal(await dashboard.grid().locator('[data-row="19999"]').count(), 1);
    await dashboard.grid().focus();
    await dashboard.page.keyboard.press('Home');
    await dashboard.grid().locator('[data-row="0"][aria-selected=true]').waitFor();
    for (const view of ['Timeline', 'Summary']) await dashboard.view(view);
    assert.ok((await dashboard.frame.evaluate(() => document.querySelectorAll('*').length)) < 5_000);
    assert.deepEqual(dashboard.errors, []);
  });
});

/* The document with its timed operators over and over. */
function enlarged(whole, count) {
  const {operators} = whole.methods[0].graph;
  const timed = operators.total.flatMap((total, at) => (total === null ? [] : [at]));
  operators.count = count;
  for (const [key, column] of Object.entries(operators)) {
    if (!Array.isArray(column)) continue;
    operators[key] = Array.from({length: count}, (_, at) =>
      key === 'carrier'
        ? -1
        : key === 'name'
          ? `${column[timed[at % timed.length]]}_${at}`
          : column[timed[at % timed.length]],
    );
  }
  return whole;
}
