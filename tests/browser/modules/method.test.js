// SPDX-License-Identifier: BSD-3-Clause
//
// method.test.js - what the page makes of a record's document is what the command says about the record.

import assert from 'node:assert/strict';
import {join} from 'node:path';
import {describe, it} from 'node:test';

import {sumOver} from '../../../web/src/base/columns.js';
import {search, term} from '../../../web/src/base/filter.js';
import {balanceParts, estimatedOver, firstMethod, groupRows, readProfile, rowsInside} from '../../../web/src/base/method.js';
import {readTimeline, timesOfRun} from '../../../web/src/base/events.js';
import {nodeId, readSelection} from '../../../web/src/base/selection.js';
import {allRowsOf, icicleOf, headOfRows, lineRows, moduleRows, operatorRows, partRows} from '../../../web/src/base/rows.js';
import {placeText} from '../../../web/src/views/table.js';
import {RECORDS, answer, comparisonOf, diffOf, documentOf, run} from '../answers.js';
import {fixtures, missing} from '../environment.js';

/** A module's path as `nodes` has it, which is as the record spells it, the way the page and all sums have it. */
const shownPath = recorded => recorded.replace('_empty_nn_module_stack_from_metadata_hook', '').replace(/^L\['\w+'\]\.?/, '').replace(/\[(\d+)\]/g, '.$1');

const near = (a, b, what) => assert.ok(Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b)), `${what}: ${a} is not ${b}`);
const orNull = value => (Number.isNaN(value) ? null : value);

/** A rate has four digits in the document, or all in front of the decimal point. */
const roundedFrom = (shown, rate, what) => {
  if (rate === null) return assert.equal(shown, null, what);
  assert.equal(shown, shown < 1000 ? Number(shown.toPrecision(4)) : Math.round(shown), what);
  assert.ok(Math.abs(shown - rate) <= 5.001e-4 * rate, `${what}: ${shown} is not ${rate}`);
};

describe('what the library decides for the page', {skip: missing('command')}, () => {
  it('has what changes the meaning of times apart from other notes', () => {
    const cautions = record => [...documentOf(record).methods.flatMap(method => method.cautions), ...documentOf(record).warnings.filter(warning => warning.is_caution).map(({message}) => message)];
    assert.match(cautions('changed_edge').join(), /changed this Edge program/);
    assert.match(cautions('debug_portable').join(), /logged values/);
    assert.deepEqual(cautions('mv2_xnnpack'), []);
    assert.ok(documentOf('debug_portable').methods.every(({notes}) => notes.every(note => !/logged values/.test(note))), 'once');
  });

  it('has tokens per second in the digits of the terminal', () => {
    const [{throughput}] = documentOf('llama_xnnpack').methods;
    assert.equal(throughput.rate_text, run('summary', join(fixtures, 'llama_xnnpack')).match(/[\d,]+ tokens\/s/)[0]);
  });

  it('adds up what differs by its type alone, without interruptions', () => {
    const whole = documentOf('two_partitioners'), split = structuredClone(whole), [{groups}] = split.methods;
    const group = groups.find(({pattern, count, interrupted}) => pattern !== null && count > 1 && interrupted > 0), half = {typical: group.typical / 2, interrupted: group.interrupted / 2};
    groups.push({...group, ...half, count: 1, dtype: 'another'});
    Object.assign(group, half, {count: group.count - 1});
    const times = document => {
      const [method] = readProfile(document).methods;
      return operatorRows(method, {stat: 'typical', of: method.operators.numbers('typical')}).map(({key, time}) => [key, time.toFixed(3)]).sort();
    };
    assert.deepEqual(times(split), times(whole));
  });

  it('says of calls, copies and the runtime where they run, as the terminal does', () => {
    for (const record of ['../../examples/tutorial/before', 'mv2_xnnpack', 'two_partitioners']) {
      const [method] = readProfile(documentOf(record)).methods, said = run('summary', join(fixtures, record), '--top', '0', '--width', '200').split('where the time goes')[1];
      const rows = partRows(method, {stat: 'typical', whole: 0, of: null});
      assert.ok(rows.some(({part}) => part === 'call_overhead') && rows.some(({part}) => part === 'runtime'), record);
      for (const row of rows) {
        const line = said.split('\n').find(text => text.trimStart().startsWith(row.label));
        assert.ok(line, `${record}: ${row.label}`);
        assert.equal(placeText(row), line.trim().split(/ {2,}/).at(-1), row.label);
      }
    }
  });
});

for (const record of RECORDS) {
  describe(record, {skip: missing('command')}, () => {
    const profile = readProfile(documentOf(record)), summary = answer('summary', record, 'ns'), nodes = answer('nodes', record, 'ns');
    const called = (methods, name) => methods.filter(method => (method.method === undefined ? method.name : method.method ?? 'method not known') === name);
    const saidOf = method => called(summary.methods, method.name)[called(profile.methods, method.name).indexOf(method)];
    // Runs that nothing decides have modules in the summary, of all candidates, and no graph in the document.
    const isUndecided = method => !method.hasGraph && (saidOf(method).by_op ?? []).length > 0;
    const timed = profile.methods.filter(method => method.runs > 0);

    it('has the methods of the summary', () => {
      for (const method of profile.methods) assert.equal(method.runs, saidOf(method).runs);
      assert.equal(timed.length, summary.methods.filter(({runs}) => runs > 0).length);
    });

    it('shows the method with most time first', {skip: profile.methods.length === 0}, () => {
      assert.equal(firstMethod(profile).execute.total ?? 0, Math.max(...profile.methods.map(method => method.execute.total ?? 0)));
    });

    for (const method of timed.filter(method => !isUndecided(method))) {
      const said = saidOf(method), {operators} = method;

      it(`${method.name}: parts are the summary's and add up`, () => {
        const parts = list => list.map(({part, backend}) => [part, backend]);
        assert.deepEqual(parts(method.balance), parts(said.parts));
        for (const [at, part] of said.parts.entries()) for (const key of ['typical', 'avg']) near(method.balance[at][key], part[key], `${part.part}, ${key}`);
        near(method.clockHidden, said.clock_hidden, 'hidden by clocks');
        for (const key of ['typical', 'avg']) near(balanceParts(method, key).reduce((sum, part) => sum + part[key], 0), method.execute[key], `sum of parts, ${key}`);
        near(sumOver(operators.avg, operators.timed), said.nodes, 'sum of operators');
        const off = sumOver(operators.numbers('typical'), operators.timed) - (method.balance.find(({part}) => part === 'operators')?.typical ?? 0);
        assert.ok(Math.abs(off) <= 1e-3 * operators.timed.length, `typical times of operators, in whole picoseconds: off by ${off} ns`);
      });

      for (const [by, list] of [['op', said.by_op], ['module', said.by_module.filter(row => row.count > 0)], ['backend', said.by_backend]])
        it(`${method.name}: sums by ${by} are the summary's`, () => {
          const sums = new Map(groupRows(operators, operators.timed, by).map(group => [group.key, group]));
          assert.equal(sums.size, list.length);
          for (const row of list) {
            near(sums.get(row[by])?.time, row.avg, `${by} ${row[by]}`);
            near(sums.get(row[by]).estimated, row.estimated, `${by} ${row[by]} estimated`);
            assert.equal(sums.get(row[by]).count, row.count);
          }
        });

      it(`${method.name}: modules have the summary's total`, () => {
        for (const row of said.by_module) {
          const inside = method.modulesByPath.has(row.module) ? rowsInside(method.modulesByPath.get(row.module)).filter(at => operators.isTimed(at)) : [];
          near(sumOver(operators.avg, inside), row.with_children.avg, `${row.module} total`);
          assert.equal(inside.length, row.with_children.count, row.module);
        }
      });

      it(`${method.name}: patterns are the summary's, and their own times add up`, () => {
        const known = new Set(method.modules.map(({path}) => path));
        assert.deepEqual(method.patterns.map(row => [row.pattern, row.modules, row.count]), said.by_pattern.map(row => [row.pattern, row.modules, row.count]));
        method.patterns.forEach((row, at) => near(row.with_children.avg, said.by_pattern[at].with_children.avg, row.pattern));
        near(method.patterns.reduce((sum, row) => sum + row.avg, 0), said.nodes, 'sum of patterns');
        assert.ok(method.patterns.every(row => known.has(row.slowest)));
      });

      it(`${method.name}: rows of operators and parts add up to Method::execute, and hold each operator once`, () => {
        const times = {stat: 'typical', of: operators.numbers('typical'), whole: method.execute.typical}, rows = allRowsOf(method, times);
        const sum = list => list.reduce((all, {time}) => all + time, 0), off = 1e-3 * operators.timed.length + 1e-6 * times.whole;
        assert.ok(Math.abs(sum(rows) - times.whole) <= off, `${sum(rows)} of ${times.whole}`);
        assert.equal(partRows(method, times).length, method.groups.filter(({pattern}) => pattern === null).length, 'a row of each part of the library, also of what took no time');
        assert.deepEqual(operatorRows(method, times).flatMap(({rows: inside}) => inside).sort((a, b) => a - b), [...operators.timed]);
        const boxes = icicleOf(rows, {head: headOfRows(rows), whole: times.whole, method});
        assert.ok(Math.abs(sum(boxes) - sum(rows)) <= off, 'the icicle adds up');
        for (const box of boxes) assert.ok(Math.abs(sum(box.kids) - box.time) <= off, box.label);
        for (const {key, rows: inside, time} of lineRows(method, times, operators.timed)) {
          const row = said.by_source.find(({file, line}) => (file ? `${file}:${line}` : '') === key);
          assert.deepEqual([inside.length, Math.abs(time - row.typical) <= off], [row.count, true], key);
        }
        const totals = new Map(said.by_module.map(row => [row.module, row.with_children]));
        for (const {modules: [module], time, count} of moduleRows(method, times, operators.timed, false)) {
          assert.equal(count, 1);
          if (module) assert.ok(Math.abs(time - totals.get(module.path).typical) <= off, module.path);
        }
      });

      it(`${method.name}: rows of each run add up to it, and those of all runs to the parts and the kernels of the summary`, () => {
        const {timeline: events, per_run: perRun} = method.document, timeline = readTimeline(events, events.texts, method), sums = new Map();
        const add = (key, time) => sums.set(key, (sums.get(key) ?? 0) + time);
        for (const [at, {execute: whole}] of timeline.runs.entries()) {
          const times = {stat: 'run', of: timesOfRun(timeline, at, perRun, operators.count), whole, events: timeline.eventsOf(at)}, rows = allRowsOf(method, times);
          const sum = rows.reduce((all, {time}) => all + time, 0);
          assert.ok(Math.abs(sum - whole) <= 1e-6 * whole, `run ${at}: ${sum} of ${whole}`);
          for (const {kind, part, op, backend, time, isKernel} of rows) {
            if (kind === 'part') add(`${part} ${backend}`, time);
            if (isKernel && !method.hasGraph) add(`${op} ${backend}`, time);
          }
        }
        if (timeline.leftOut || isUndecided(method)) return;
        const wanted = [...said.parts.filter(({part}) => part !== 'operators').map(({part, backend, avg}) => [`${part} ${backend}`, avg]), ...(method.hasGraph ? [] : said.by_kernel.map(({kernel, backend, avg}) => [`${kernel} ${backend}`, avg]))];
        for (const [key, avg] of wanted) assert.ok(Math.abs((sums.get(key) ?? 0) / method.runs - avg) <= 1e-6 * method.execute.avg + 1, `${key}: ${sums.get(key) / method.runs} is not ${avg}`);
      });

      it(`${method.name}: what a term of the search selects adds up to its group`, () => {
        const sum = said => sumOver(operators.avg, search(method, said).rows);
        for (const [by, field] of [['module', 'own'], ['source', 'line'], ['backend', 'backend']])
          for (const group of groupRows(operators, operators.timed, by)) if (group.key && !/["*?]/.test(group.key)) near(sum(`${term(field, group.key)} timed:yes`), group.time, `${by} ${group.key}`);
        for (const module of method.modules) if (module.path && !/["*?]/.test(module.path)) near(sum(term('module', module.path)), sumOver(operators.avg, rowsInside(module)), `in ${module.path}`);
      });

      it(`${method.name}: a selection is found in the same record written again`, () => {
        const again = readProfile(documentOf(record)).methods[profile.methods.indexOf(method)];
        for (let row = 0; row < operators.count; row += 7) assert.equal(readSelection(again, nodeId(operators, row)).row, row);
        for (const kind of ['node:none', 'module:none.such', 'line:x:1', 'delegate:-7', 'finding:99', 'tensor:1', 'nonsense']) assert.equal(readSelection(method, kind)?.rows.length ?? 0, 0, kind);
      });

      if (method.hasGraph) it(`${method.name}: operators are those of \`nodes\``, () => {
        const graphOf = module => nodes.graphs.find(graph => graph.module === module && graph.method === method.name);
        const listed = (graphOf('edge') ?? graphOf('program')).nodes.filter(node => node.kind === 'op');
        assert.equal(operators.count, listed.length);
        listed.forEach((node, row) => {
          const text = key => operators.text(key, row), number = key => orNull(operators.numbers(key)[row]), source = operators.source(row);
          assert.deepEqual([operators.name(row), operators.op(row), operators.module(row).path, text('match'), text('runs_as'), operators.raw('handle', row) || null, text('subgraph')],
            [node.name, node.target, shownPath(node.module), node.match, node.runs_as, node.debug_handle, node.subgraph]);
          assert.deepEqual([source?.file, source?.line, source?.code], [node.source?.file, node.source?.line, node.source?.code]);
          const names = Object.keys(node.arguments).map(name => `${name}=.+`);
          assert.match(text('arguments') ?? '', new RegExp(`^${names.join(', ')}$`));
          const carrier = operators.indices('carrier')[row];
          assert.equal(carrier < 0 ? null : operators.name(carrier), node.carried_by);
          assert.deepEqual([number('macs'), number('bytes'), text('bound'), text('arithmetic'), number('hinted_costs') > 0, operators.isEstimated(row)], [node.macs, node.bytes, node.bound, node.arithmetic, node.hinted_costs > 0, Boolean(node.estimated)]);
          for (const key of ['gflops', 'gbs', 'intensity', 'of_peak']) roundedFrom(number(key), node[key], `${node.name} ${key}`);
          if (node.match) for (const key of ['p50', 'p90', 'min', 'max', 'calls']) assert.ok(Math.abs(number(key) - node[key]) < 1e-3, `${node.name} ${key}`);
          if (node.match) assert.ok(Math.abs(operators.avg[row] - node.avg) < 1e-3, `${node.name} avg`);
        });
        near(estimatedOver(operators, operators.timed), said.estimated, 'estimated');
      });

      it(`${method.name}: events of every run are where the trace has them`, () => {
        const {document, texts} = method, timeline = readTimeline(document.timeline, document.timeline.texts ?? texts, method), ns = us => Math.round(us * 1000);
        const trace = JSON.parse(run('trace', join(fixtures, record), ...(saidOf(method).method ? ['--method', method.name] : []))).traceEvents.filter(({ph}) => ph !== 'M');
        const rows = list => list.sort((a, b) => a[0] - b[0] || b[1] - a[1] || a[2] - b[2]);
        timeline.runs.forEach(({run: number, execute}, at) => {
          const events = timeline.eventsOf(at), wanted = trace.filter(({args}) => args.run === number), origin = Math.min(...wanted.map(({ts}) => ts));
          assert.equal(execute, method.perRun[document.run_numbers.indexOf(number)]);
          assert.deepEqual(rows(Array.from(events.start, (start, event) => [start, Math.round(events.duration[event]), events.measured[event]])),
            rows(wanted.map(({ts, args}) => [ns(ts - origin), args.ticks, args.start === 'synthetic' ? 0 : 1])), `run ${number}`);
        });
      });

      it(`${method.name}: findings name their operators`, () => {
        const plain = name => name.split('/').pop(); // the page has the bodies that they are in apart
        const ofDelegates = instructions => Array.from({length: operators.count}, (_, row) => row).filter(row => instructions.includes(operators.numbers('delegate')[row])).map(row => operators.name(row));
        const about = ({nodes, instructions}) => (nodes.length ? nodes.map(plain) : ofDelegates(instructions)); // what names only delegates is about their operators
        assert.deepEqual(method.findings.map(finding => [finding.title, Array.from(finding.rows, row => operators.name(row)).sort()]), said.findings.map(finding => [finding.title, about(finding).sort()])); // in the order of `summary`; the document has nodes in that of the graph
      });
    }

    it('counts delegated operators as `delegation` does', () => {
      for (const said of answer('delegation', record).methods) {
        const method = profile.methods.find(other => other.name === (said.method || 'method not known'));
        assert.equal(method.delegation.delegated_nodes, said.delegated_nodes);
        assert.equal(method.delegates.length, said.delegated_subgraphs);
      }
    });

    it("a delegate's nodes and their time are those of its operators, and the call is their time and that beside them", () => {
      for (const {name, delegates, operators} of profile.methods) {
        const owners = operators.indices('delegate');
        for (const delegate of delegates) {
          const mine = [...owners.keys()].filter(row => owners[row] === delegate.instruction);
          const parts = delegate.on_nodes + delegate.off_nodes + delegate.copy_in + delegate.compute + delegate.wait + delegate.copy_out + delegate.other;
          assert.equal(delegate.nodes, mine.length, `${name}, ${delegate.instruction}`);
          assert.ok(Math.abs(delegate.call - parts) < 1e-3, `${name}, ${delegate.instruction}`);
          assert.ok(Math.abs(delegate.on_nodes - sumOver(operators.numbers('typical'), mine)) < 1e-2, `${name}, ${delegate.instruction}`);
        }
      }
    });
  });
}

/* What a page draws of two documents is, number by number, what `diff` says of the records. */
describe('a comparison of documents', {skip: missing('command')}, () => {
  for (const [base, newer] of [
    ['mv2_portable', 'mv2_xnnpack'], ['add_mul', 'old_1_0_1_add_mul'], ['add_mul', 'old_0_6_add_mul'], ['llama_portable', 'llama_xnnpack'], ['vit_xnnpack', 'mv2_xnnpack'], ['multi_method', 'multi_method'],
    ['control_flow_map', 'control_flow'], ['quantized_xnnpack', 'dynamic_xnnpack'], ['mv2_portable/etdump.etdp', 'mv2_xnnpack/etdump.etdp'], ['coreml', 'vulkan'], ['twin_methods', 'twin_methods'], ['p_cond_names', 'p_cond_names'],
  ]) it(`${base} and ${newer}`, () => assert.deepEqual(comparisonOf(base, newer), diffOf(base, newer)));
});

describe('documents', () => {
  it('of another version are refused', () => assert.throws(() => readProfile({schema: 'x', version: '9.9'}), /profile\/1.*written by etrecord-tb 9.9/));

  it('that are broken are refused', () => {
    for (const broken of [{}, {methods: [{}], texts: []}, {methods: 3}]) assert.throws(() => readProfile({schema: 'etrecord-tb/profile/1', ...broken}), /broken/);
  });
});
