// SPDX-License-Identifier: BSD-3-Clause
//
// modules.test.js - the dashboard's modules without a page: what they make of a record's document is what the command says about it.

import assert from 'node:assert/strict';
import {readFileSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';

import {timedNodes} from '../../web/compare.js';
import {carryOptions, sameOperator} from '../../web/carry.js';
import {filterFleet, fleetLines, fleetRows, hparamsOf} from '../../web/fleet.js';
import {linearScale, logScale} from '../../web/distribution.js';
import {visibleText} from '../../web/dom.js';
import {callsText, changeText, rateText, shareText, shortOp, signOf, timeText} from '../../web/format.js';
import {UNFILTERED, backendsOf, filterOperators, firstMethod, groupOperators, moduleTree, modulesByOwn, readProfile, sortRows, totalOf} from '../../web/model.js';
import {decades, missingPeaksText, peakLines, rooflinePoints} from '../../web/roofline.js';
import {recordLabel} from '../../web/source.js';
import {liveSteps} from '../../web/memory.js';
import {balanceParts} from '../../web/summary.js';
import {ROW_HEIGHT, rowsInSight} from '../../web/table.js';
import {insideOf, labelIn, layoutTree} from '../../web/tree.js';
import {RECORDS, answer, comparisonOf, diffOf, documentOf, run} from './answers.js';
import {fixtures, missing} from './environment.js';

const WEB = fileURLToPath(new URL('../../web/', import.meta.url));
const MODULES = readdirSync(WEB).filter(name => name.endsWith('.js'));

/** A module's path as `nodes` has it, which is as the record spells it, the way the page and all sums have it. */
const shownPath = recorded => recorded.replace('_empty_nn_module_stack_from_metadata_hook', '').replace(/^L\['\w+'\]\.?/, '').replace(/\[(\d+)\]/g, '.$1');

/** Modules of a tree, the outer ones first. */
const allInside = item => [item, ...item.children.flatMap(allInside)];

const near = (a, b, what) => assert.ok(Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b)), `${what}: ${a} is not ${b}`);

/** A rate has four digits in the document, or all in front of the decimal point. */
const roundedFrom = (shown, rate, what) => {
  if (rate === null) return assert.equal(shown, null, what);
  assert.equal(shown, shown < 1000 ? Number(shown.toPrecision(4)) : Math.round(shown), what);
  assert.ok(Math.abs(shown - rate) <= 5.001e-4 * rate, `${what}: ${shown} is not ${rate}`);
};

describe('the text of the modules', () => {
  for (const name of MODULES) {
    const text = readFileSync(`${WEB}${name}`, 'utf8');
    it(`${name} never makes markup of text, and asks no other host`, () => {
      assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|\beval\b|new Function|srcdoc/);
      assert.doesNotMatch(text.replace('http://www.w3.org/2000/svg', ''), /https?:\/\//);
      assert.match(text, /^\/\/ SPDX-License-Identifier: BSD-3-Clause\n/);
    });
  }

  it('has each name on top once, so that a report can hold all modules as one', () => {
    const owners = new Map();
    for (const name of MODULES)
      for (const [, word] of readFileSync(`${WEB}${name}`, 'utf8').matchAll(/^(?:export )?(?:async )?(?:const|let|function|class) (\w+)/gm)) owners.set(word, [...(owners.get(word) ?? []), name]);
    assert.deepEqual([...owners].filter(([, names]) => names.length > 1), []);
  });

  it('is all in reports', () => {
    const build = readFileSync(new URL('../../plugin/CMakeLists.txt', import.meta.url), 'utf8').match(/set\(web_modules ([^)]*)\)/)[1];
    assert.deepEqual(build.split(/\s+/).sort(), [...MODULES].sort());
  });
});

describe('numbers', () => {
  for (const [said, wanted] of [
    [timeText(1234567, 'ms'), '1.2346'], [timeText(1234567, 'us'), '1234.6'], [timeText(1234.6, 'ns'), '1235'], [timeText(1e9, 's'), '1.0000000'], [timeText(1000, 'cycles', 2e9), '2000'],
    [timeText(null, 'ms'), '–'], [timeText(NaN, 'ms'), '–'], [shareText(1, 4), '25.0 %'], [shareText(1, 0), '–'], [shareText(null, 4), '–'],
    [changeText(4, 5), '+25.0 %'], [changeText(4, 3), '−25.0 %'], [changeText(4, 4), '0.0 %'], [changeText(0, 3), '–'], [signOf('-0.0000'), '0.0000'],
    [callsText(0), '–'], [callsText(1), '1'], [callsText(4 / 9), '0.44'], [shortOp('aten.linear.default'), 'linear'], [shortOp('_operator.add'), 'add'], [shortOp(''), ''],
    [rateText(null), '–'], [rateText(NaN), '–'], [rateText(0), '0'], [rateText(0.012345), '0.0123'], [rateText(12.345), '12.3'], [rateText(4321.5), '4,322'], [rateText(8624000), '8.62 M'], [rateText(99999), '100 k'],
    [recordLabel('a/b/1_edge/forward'), 'a/b'], [recordLabel('.'), '.'],
  ]) it(`${wanted}`, () => assert.equal(said, wanted));
});

for (const record of RECORDS) {
  describe(record, {skip: missing('command')}, () => {
    const profile = readProfile(documentOf(record)), summary = answer('summary', record, 'ns'), nodes = answer('nodes', record, 'ns');
    const called = (methods, name) => methods.filter(method => (method.method === undefined ? method.name : method.method ?? '(method unknown)') === name);
    const saidOf = method => called(summary.methods, method.name)[called(profile.methods, method.name).indexOf(method)];
    const timed = profile.methods.filter(method => method.runs > 0);

    it('has the methods of the summary', () => {
      for (const method of profile.methods) assert.equal(method.runs, saidOf(method).runs);
      assert.equal(timed.length, summary.methods.filter(({runs}) => runs > 0).length);
    });

    it('shows the method with most time first', {skip: profile.methods.length === 0}, () => {
      const most = Math.max(...profile.methods.map(method => method.execute.total));
      assert.equal(profile.methods[firstMethod(profile)].execute.total, most);
    });

    for (const method of timed) {
      const said = saidOf(method), operators = method.operators.filter(operator => operator.timed);

      it(`${method.name}: parts are the summary's and add up`, () => {
        for (const part of method.balance) near(part.avg, said[part.part], part.part);
        near(method.clockHidden, said.clock_hidden, 'hidden by clocks');
        near(balanceParts(method).reduce((sum, part) => sum + part.avg, 0), said.execute.avg, 'sum of parts');
        near(totalOf(method.operators), said.nodes, 'sum of operators');
      });

      for (const [by, list] of [['op', said.by_op], ['module', said.by_module.filter(row => row.count > 0)], ['backend', said.by_backend]])
        it(`${method.name}: sums by ${by} are the summary's`, () => {
          const sums = new Map(groupOperators(operators, by).map(group => [group.key, group]));
          assert.equal(sums.size, list.length);
          for (const row of list) {
            near(sums.get(row[by])?.avg, row.avg, `${by} ${row[by]}`);
            near(sums.get(row[by]).estimated, row.estimated, `${by} ${row[by]} estimated`);
            assert.equal(sums.get(row[by]).count, row.count);
          }
        });

      it(`${method.name}: modules have the summary's own time and total`, () => {
        const own = new Map(modulesByOwn(method).map(item => [item.module.path, item])), root = moduleTree(method), total = new Map(root ? allInside(root).map(item => [item.module.path, item]) : []);
        assert.deepEqual([...own.keys()].sort(), said.by_module.filter(row => row.count > 0).map(row => row.module).sort());
        for (const row of said.by_module) {
          near(own.get(row.module)?.own ?? 0, row.avg, `${row.module} own`);
          near(total.get(row.module)?.avg ?? 0, row.total, `${row.module} total`);
          assert.deepEqual([own.get(row.module)?.operators.length ?? 0, total.get(row.module)?.count ?? 0], [row.count, row.total_count]);
        }
      });

      it(`${method.name}: patterns are the summary's, and their own times add up`, () => {
        const known = new Set(method.modules.map(({path}) => path));
        assert.deepEqual(method.patterns.map(row => [row.pattern, row.modules, row.count]), said.by_pattern.map(row => [row.pattern, row.modules, row.count]));
        method.patterns.forEach((row, at) => near(row.total, said.by_pattern[at].total, row.pattern));
        near(method.patterns.reduce((sum, row) => sum + row.avg, 0), said.nodes, 'sum of patterns');
        assert.ok(method.patterns.every(row => known.has(row.slowest)));
      });

      it(`${method.name}: what a click takes adds up to what was clicked`, () => {
        const sum = options => totalOf(filterOperators(method.operators, {...UNFILTERED, ...options})), root = moduleTree(method);
        for (const by of ['op', 'module', 'source', 'backend']) for (const group of groupOperators(operators, by)) near(sum({groups: {[by]: group.key}}), group.avg, `${by} ${group.key}`);
        for (const item of root ? allInside(root) : []) near(sum({module: item.module}), item.avg, `in ${item.module.path}`);
      });

      it(`${method.name}: what is chosen is found in the same record written again`, () => {
        const again = readProfile(documentOf(record)).methods[profile.methods.indexOf(method)], only = {text: 'a finding', list: operators.slice(0, 3)}, module = method.modules.at(-1) ?? null;
        const carried = carryOptions({operators: {...UNFILTERED, only, module}, modules: {module}, timeline: {chosen: 0}}, method, again);
        assert.deepEqual(carried.operators.only.list, only.list.map(({index}) => again.operators[index]));
        assert.equal(carried.modules.module, module && again.modules[module.index]);
        assert.equal(carried.timeline.chosen, 0);
        assert.ok(operators.every(operator => sameOperator(again, operator) === again.operators[operator.index]));
      });

      if (method.hasGraph) it(`${method.name}: operators are those of \`nodes\``, () => {
        const graphOf = module => nodes.graphs.find(graph => graph.module === module && graph.method === method.name);
        const listed = (graphOf('edge') ?? graphOf('program')).nodes.filter(node => node.kind === 'op');
        assert.equal(method.operators.length, listed.length);
        listed.forEach((node, at) => {
          const operator = method.operators[at];
          assert.deepEqual([operator.name, operator.op, operator.module.path, operator.match, operator.runsAs, operator.handle || null, operator.subgraph],
            [node.name, node.target, shownPath(node.module), node.match, node.runs_as, node.debug_handle, node.subgraph]);
          assert.deepEqual([operator.source?.file, operator.source?.line, operator.source?.code], [node.source?.file, node.source?.line, node.source?.code]);
          const names = Object.keys(node.arguments).map(name => `${name}=.+`);
          assert.match(operator.arguments ?? '', new RegExp(`^${names.join(', ')}$`));
          assert.equal(method.operators[operator.carrier]?.name ?? null, node.carried_by);
          assert.deepEqual([operator.macs, operator.bytes, operator.bound, operator.arithmetic, operator.hinted], [node.macs, node.bytes, node.bound, node.arithmetic, node.hinted_costs > 0]);
          for (const [key, shown] of [['gflops', 'gflops'], ['gbs', 'gbs'], ['intensity', 'intensity'], ['of_peak', 'ofPeak']]) roundedFrom(operator[shown], node[key], `${node.name} ${key}`);
          if (node.match) for (const key of ['avg', 'p50', 'p90', 'min', 'max', 'calls']) assert.ok(Math.abs(operator[key] - node[key]) < 1e-3, `${node.name} ${key}`);
        });
      });

      it(`${method.name}: the tree holds every operator's time once`, () => {
        const root = moduleTree(method);
        if (!root) return assert.equal(said.nodes, 0);
        near(root.avg, said.nodes, 'root');
        assert.equal(root.count, operators.length);
        for (const box of layoutTree(root)) {
          assert.ok(box.from >= -1e-9 && box.from + box.width <= 1 + 1e-9, `a box from ${box.from}, ${box.width} wide`);
          if (box.item?.children && insideOf(box.item).length) near(insideOf(box.item).reduce((sum, item) => sum + item.avg, 0), box.item.avg, 'inside');
        }
      });

      it(`${method.name}: findings name their operators`, () => {
        const plain = name => name.split('/').pop(); // the page has the bodies that they are in apart
        assert.deepEqual(method.findings.map(finding => [finding.title, finding.operators.map(operator => operator.name)]),
          said.findings.map(finding => [finding.title, finding.nodes.map(plain)]));
      });

      it(`${method.name}: no two events of the timeline stand on one place`, () => {
        const {lanes, end} = method.timeline;
        for (const lane of lanes)
          for (let level = 0; level < lane.levels; level++) {
            const events = lane.events.filter(event => event.level === level && event.length > 0);
            events.forEach((event, at) => assert.ok(at === 0 || event.start >= events[at - 1].start + events[at - 1].length - 2, `${event.name} overlaps`)); // two of whole nanoseconds
            assert.ok(events.every(event => event.start >= 0 && event.start <= end));
          }
        assert.ok(lanes.every(lane => lane.events.length > 0 && lane.events.every(event => event.level < lane.levels)));
        assert.ok(lanes.every(lane => lane.backend !== 'XnnpackBackend' || lane.levels === 1), 'what stands end to end takes one level');
      });

      it(`${method.name}: events stand where the trace has them`, () => {
        const trace = JSON.parse(run('trace', join(fixtures, record), ...(saidOf(method).method ? ['--method', method.name] : []))).traceEvents.filter(({ph, args}) => ph !== 'M' && args.run === method.timeline.run);
        const shown = method.timeline.lanes.flatMap(lane => lane.events), origin = Math.min(...trace.map(({ts}) => ts)), ns = us => Math.round(us * 1000);
        const rows = list => list.sort((a, b) => a[1] - b[1] || b[2] - a[2] || (a[0] < b[0] ? -1 : 1));
        // Inside delegates the page has what people read, the trace the id.
        assert.deepEqual(rows(shown.map(event => [event.lane.delegated ? '' : event.name, event.start, Math.round(event.duration), event.synthetic])),
          rows(trace.map(({ts, cat, args}) => [cat === 'delegate' ? '' : args.event, ns(ts - origin), args.ticks, args.start === 'synthetic'])));
      });

      it(`${method.name}: XNNPACK's starts are not taken for measured`, () => {
        const {lanes} = method.timeline;
        for (const lane of lanes.filter(({delegated, backend}) => !delegated || backend === 'XnnpackBackend')) assert.ok(lane.events.every(event => event.synthetic === lane.delegated), lane.label);
      });

      it(`${method.name}: the run of the timeline is the median one`, () => {
        const below = method.perRun.filter(ns => ns < method.timeline.execute).length, above = method.perRun.filter(ns => ns > method.timeline.execute).length;
        assert.ok(below <= method.runs / 2 && above <= method.runs / 2);
      });
    }

    it('counts delegated operators as `delegation` does', () => {
      for (const said of answer('delegation', record).methods) {
        const method = profile.methods.find(other => other.name === said.method);
        assert.equal(method.delegation.delegated_nodes, said.delegated_nodes);
        assert.equal(method.delegates.length, said.delegated_subgraphs);
      }
    });

    it('has of memory what `memory` says', () => {
      for (const {method: name, plan, findings} of JSON.parse(run('memory', join(fixtures, record), '--format', 'json')).methods) {
        const shown = profile.methods.find(other => other.name === name)?.memory;
        if (!shown) continue; // of a method without graph and runs
        assert.deepEqual([shown.peak, shown.instructions, shown.buffers, shown.findings], [plan.peak, plan.instructions, plan.buffers, findings]);
        assert.deepEqual(shown.peak_tensors, (plan.peak?.tensors ?? []).slice(0, 100).map(index => plan.tensors[index]));
        assert.equal(shown.delegates.reduce((sum, {bytes}) => sum + bytes, 0), plan.delegates.reduce((sum, {bytes}) => sum + bytes, 0));
      }
    });

    it("a delegate's nodes and their time are those of its operators", () => {
      for (const {name, delegates, operators} of profile.methods) {
        for (const delegate of delegates) {
          const mine = operators.filter(operator => operator.delegate === delegate.instruction);
          assert.equal(delegate.nodes, mine.length, `${name}, ${delegate.instruction}`);
          assert.ok(Math.abs(delegate.on_nodes - mine.reduce((sum, operator) => sum + (operator.avg ?? 0), 0)) < 1e-3, `${name}, ${delegate.instruction}`);
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

describe('live bytes', () => {
  for (const [live, most, steps] of [[[], 4, []], [[3, 1], 4, [3, 1]], [[1, 5, 2, 4, 3], 2, [5, 4]], [[1, 5, 2, 4, 3], 1, [5]]])
    it(`${live} in ${most} steps`, () => assert.deepEqual(liveSteps(live, most), steps));
});

describe('lists', () => {
  const operator = (name, avg, more = {}) => ({name, op: 'aten.add.Tensor', module: {path: more.path ?? '', type: ''}, backend: 'cpu', timed: avg !== null, avg, p10: avg, p50: avg, p90: avg, ranIn: 2, ...more});

  it('filters by every word, backend, time and module', () => {
    const list = [operator('a', 1, {path: 'layers.1'}), operator('b', 2, {path: 'layers.1.fc', backend: 'X'}), operator('c', null, {path: 'layers.10'})];
    const names = options => filterOperators(list, options).map(found => found.name).join('');
    assert.equal(names({}), 'abc');
    assert.equal(names({search: 'LAYERS.1 add'}), 'abc');
    assert.equal(names({search: 'fc add'}), 'b');
    assert.equal(names({search: 'fc mul'}), '');
    assert.equal(names({backend: 'X'}), 'b');
    assert.equal(names({timed: true}), 'ab');
    assert.equal(names({module: list[0].module}), 'ab');
    assert.equal(names({only: {list: [list[2]]}}), 'c');
    assert.equal(names({groups: {module: 'layers.1', op: 'aten.add.Tensor'}}), 'a');
    assert.equal(names({groups: {op: 'aten.add'}}), '');
    assert.deepEqual(backendsOf(list.slice(0, 2)), ['X', 'cpu']);
  });

  it('sorts what has no value last, either way', () => {
    const values = [3, null, 1, 2], sorted = descending => sortRows(values, value => value, descending);
    assert.deepEqual([sorted(false), sorted(true)], [[1, 2, 3, null], [3, 2, 1, null]]);
  });

  it('draws few rows, wherever it was scrolled to', () => {
    for (const top of [0, 1000, 20_000 * ROW_HEIGHT, -5]) {
      const {first, end} = rowsInSight(top, 800, 20_000);
      assert.ok(end - first < 60 && first >= 0 && end <= 20_000);
      if (top >= 0 && top < 19_000 * ROW_HEIGHT) assert.ok(first * ROW_HEIGHT <= top && end * ROW_HEIGHT >= top + 800);
    }
  });

  it('lists what was timed, new and gone among the others', () => {
    const node = (name, base_p50, new_p50) => ({name, base_runs: base_p50 === null ? 0 : 3, new_runs: new_p50 === null ? 0 : 3, base_p50, new_p50});
    assert.equal(timedNodes([node('a', 3, 4), node('b', null, 3), node('c', null, null), node('d', 5, null), node('e', 9, 7)]).map(({name}) => name).join(''), 'dbea');
  });

  it('has a point of the roofline for each rate that is known, the longest first', () => {
    const point = (name, avg, gflops, intensity) => ({name, avg, gflops, intensity});
    assert.equal(rooflinePoints([point('a', 1, 5, 2), point('b', 3, null, 2), point('c', 4, 0, 0), point('d', 2, 6, 3)]).map(({name}) => name).join(''), 'da');
  });

  it('has a line of peaks for floats and one for integers, if both are multiplied', () => {
    const peaks = {gflops: 100, integer_gops: 400, gbs: 20, flops_given: true, integer_given: false, bandwidth_given: true};
    assert.deepEqual(peakLines(peaks, [{arithmetic: 'float'}]), [{name: 'float', gflops: 100, gbs: 20, given: true}]);
    assert.deepEqual(peakLines(peaks, [{arithmetic: 'integer'}]), [{name: 'integer', gflops: 400, gbs: 20, given: false}]);
    assert.deepEqual(peakLines({...peaks, gbs: null}, [{arithmetic: 'float'}]), []);
    assert.deepEqual(peakLines({}, []), []);
    assert.match(missingPeaksText({...peaks, gbs: null}, [{arithmetic: 'float'}]), /no peak of bandwidth is known/);
    assert.match(missingPeaksText({gbs: 20}, [{arithmetic: 'integer'}]), /no peak of compute is known/);
    assert.match(missingPeaksText({}, [{arithmetic: 'float'}]), /no peak of bandwidth or compute is known/);
  });

  it('places rates by powers of ten', () => {
    const {at, ticks} = decades([2, 30], 0, 200);
    assert.deepEqual([ticks, at(1), at(10), at(100)], [[1, 10, 100], 0, 100, 200]);
    assert.deepEqual(decades([10], 0, 1).ticks, [10, 100]);
  });

  it('places times on bars', () => {
    const at = logScale([{min: 1, max: 100}, {min: 0, max: 10}]);
    assert.deepEqual([at(0), at(1), Math.round(at(10)), at(100)], [0, 0, 50, 100]);
    assert.deepEqual([linearScale(8)(2), linearScale(0)(2)], [25, 0]);
  });

  it('names a module as seen from the one around it', () => {
    const item = path => ({module: {path}});
    assert.equal(labelIn(null, item('')), '(the model)');
    assert.equal(labelIn(item('a'), item('a.b.c')), 'b.c');
    assert.equal(labelIn(item(''), item('a.b')), 'a.b');
    assert.equal(labelIn(item('a'), item('ab')), 'ab');
  });

  describe('of a fleet', () => {
    const method = (name, p50, parts = ['a']) => ({method: name, runs: 3, skipped_runs: 0, model: 'm.Wrapper', parts, execute: {p10: p50, p50, p90: p50}, delegated_time_share: 0});
    const entry = (label, written, hparams, ...methods) => ({run: `${label}/1_edge/forward`, label, written, head: {schema: 'etrecord-tb/head/1', ticks_per_second: 1e9, hparams, methods}});
    const rows = fleetRows([entry('late', 3, {device: 's24', 'Cores': '4'}, method('f', 2)), entry('early', 1, {device: 'pixel8'}, method('f', 1), method('g', null)), entry('other', 2, {device: 'pixel8'}, method('f', 9, ['b'])),
      {run: 'old', label: 'old', written: 4, head: null}, {run: 'next', label: 'next', written: 5, head: {schema: 'etrecord-tb/head/2'}}]);
    const labels = found => found.map(row => `${row.label} ${row.method}`.trim());

    it('has its rows by date', () => assert.deepEqual(labels(rows), ['early f', 'early g', 'other f', 'late f', 'old', 'next']));
    it('knows what has no head that it can read', () => assert.deepEqual(rows.map(row => Boolean(row.isOld)), [false, false, false, false, true, true]));
    it('has a column for each fact', () => assert.deepEqual(hparamsOf(rows), ['Cores', 'device']));

    it('filters', () => {
      for (const [text, found] of [['', 6], ['PIXEL', 3], ['device=pixel8', 3], ['device=pixel8 method=g', 1], ['cores=4', 1], ['device=', 4], ['nothing=4', 0], ['wrapper', 4]]) assert.equal(filterFleet(rows, text).length, found, text);
    });

    it('draws no line through different models, nor through what was not timed', () => {
      assert.deepEqual(fleetLines(rows, '').map(line => labels(line.rows)), [['early f', 'late f'], ['other f']]);
      assert.deepEqual(fleetLines(rows, 'device').map(line => labels(line.rows)), [['early f'], ['other f'], ['late f']]);
    });
  });

  it('refuses another document', () => assert.throws(() => readProfile({schema: 'x'}), /profile\/1/));

  it('refuses a broken one', () => {
    for (const broken of [{}, {methods: [{}], texts: []}, {methods: 3}]) assert.throws(() => readProfile({schema: 'etrecord-tb/profile/1', ...broken}), /broken/);
  });
});

describe('texts', () => {
  it('show the characters that the terminal shows', () => {
    const source = readFileSync(new URL('../../plugin/output/plain_text.c', import.meta.url), 'utf8');
    const controls = [...source.match(/controls\[\] = \{(.*?)\};/s)[1].matchAll(/\{(\w+), (\w+)\}/g)].map(([, first, last]) => [Number(first), Number(last)]);
    assert.ok(controls.length > 3);
    for (let code = 0; code <= 0x10ffff; code++) {
      const isControl = code !== 9 && code !== 10 && controls.some(([first, last]) => first <= code && code <= last); // the page's own texts have tabs and line ends
      assert.equal(visibleText(String.fromCodePoint(code)), isControl ? '?' : String.fromCodePoint(code), code.toString(16));
    }
  });
});
