// SPDX-License-Identifier: BSD-3-Clause
//
// modules.test.js - the dashboard's modules without a page: what they make of a record's document is what the command says about it.

import assert from 'node:assert/strict';
import {readFileSync, readdirSync} from 'node:fs';
import {describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';

import {matchOperators, verdictOf} from '../../web/compare.js';
import {delegatesOf} from '../../web/delegation.js';
import {linearScale, logScale} from '../../web/distribution.js';
import {callsText, changeText, shareText, shortOp, signOf, timeText} from '../../web/format.js';
import {backendsOf, filterOperators, firstMethod, groupOperators, moduleTree, readProfile, sortRows, totalOf} from '../../web/model.js';
import {recordLabel} from '../../web/source.js';
import {balanceParts} from '../../web/summary.js';
import {ROW_HEIGHT, rowsInSight} from '../../web/table.js';
import {isEndToEnd, layoutTimeline} from '../../web/timeline.js';
import {insideOf, labelIn, layoutTree} from '../../web/tree.js';
import {answer, documentOf} from './answers.js';
import {missing} from './environment.js';

const WEB = fileURLToPath(new URL('../../web/', import.meta.url));
const MODULES = readdirSync(WEB).filter(name => name.endsWith('.js'));
const RECORDS = ['add_mul', 'control_flow', 'control_flow_map', 'cpp_rich', 'llama_xnnpack', 'multi_method', 'mv2_portable', 'mv2_xnnpack', 'quantized_xnnpack', 'vit_xnnpack'];

const near = (a, b, what) => assert.ok(Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b)), `${what}: ${a} is not ${b}`);

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
    [recordLabel('a/b/1_edge/forward'), 'a/b'], [recordLabel('.'), '.'],
  ]) it(`${wanted}`, () => assert.equal(said, wanted));
});

for (const record of RECORDS) {
  describe(record, {skip: missing('command')}, () => {
    const profile = readProfile(documentOf(record)), summary = answer('summary', record, 'ns'), nodes = answer('nodes', record, 'ns');
    const saidOf = method => summary.methods.find(said => said.method === method.name);
    const timed = profile.methods.filter(method => method.runs > 0);

    it('shows the method with most time first', () => {
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

      it(`${method.name}: operators are those of \`nodes\``, () => {
        const listed = nodes.graphs.find(graph => graph.module === 'edge' && graph.method === method.name).nodes.filter(node => node.kind === 'op');
        assert.equal(method.operators.length, listed.length);
        listed.forEach((node, at) => {
          const operator = method.operators[at];
          assert.deepEqual([operator.name, operator.op, operator.module.path, operator.match, operator.runsAs, operator.handle || null, operator.subgraph],
            [node.name, node.target, node.module, node.match, node.runs_as, node.debug_handle, node.subgraph]);
          assert.deepEqual([operator.source?.file, operator.source?.line, operator.source?.code], [node.source?.file, node.source?.line, node.source?.code]);
          const names = Object.keys(node.arguments).map(name => `${name}=.+`);
          assert.match(operator.arguments ?? '', new RegExp(`^${names.join(', ')}$`));
          assert.equal(method.operators[operator.carrier]?.name ?? null, node.carried_by);
          if (node.match) for (const key of ['avg', 'p50', 'p90', 'min', 'max', 'calls']) assert.ok(Math.abs(operator[key] - node[key]) < 1e-3, `${node.name} ${key}`);
        });
      });

      it(`${method.name}: the tree holds every operator's time once`, () => {
        const root = moduleTree(method);
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
        const {lanes, end} = layoutTimeline(method.timeline);
        assert.equal(lanes.reduce((sum, lane) => sum + lane.events.length, 0), method.timeline.events.length);
        for (const lane of lanes)
          for (let level = 0; level < lane.levels; level++) {
            const events = lane.events.filter(event => event.level === level).sort((a, b) => a.start - b.start || a.duration - b.duration);
            events.forEach((event, at) => assert.ok(at === 0 || event.start >= events[at - 1].start + (events[at - 1].shown ?? events[at - 1].duration) - 1e-6, `${event.name} overlaps`));
            assert.ok(events.every(event => event.start >= 0 && event.start <= end));
          }
      });

      it(`${method.name}: XNNPACK's starts are not taken for measured`, () => {
        for (const lane of layoutTimeline(method.timeline).lanes.filter(lane => lane.backend === 'XnnpackBackend' && lane.events.length > 4)) assert.ok(lane.synthetic);
        assert.ok(layoutTimeline(method.timeline).lanes.filter(lane => lane.backend === null).every(lane => !lane.synthetic));
      });

      it(`${method.name}: the run of the timeline is the median one`, () => {
        const below = method.perRun.filter(ns => ns < method.timeline.execute).length, above = method.perRun.filter(ns => ns > method.timeline.execute).length;
        assert.ok(below <= method.runs / 2 && above <= method.runs / 2);
      });

      it(`${method.name}: compared with itself nothing changes`, () => {
        const {pairs, onlyBase, onlyOther} = matchOperators(method, method);
        assert.deepEqual([pairs.length, onlyBase, onlyOther], [operators.length, [], []]);
        assert.ok(pairs.every(pair => pair.base.p50 === pair.other.p50 && ['within', 'unknown'].includes(verdictOf(pair.base, pair.other, pair.base.ranIn, pair.other.ranIn))));
      });
    }

    it('counts delegated operators as `delegation` does', () => {
      for (const said of answer('delegation', record).methods) {
        const method = profile.methods.find(other => other.name === said.method);
        assert.equal(method.delegation.delegated_nodes, said.delegated_nodes);
        assert.equal(delegatesOf(method).length, said.delegated_subgraphs);
      }
    });
  });
}

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

  it('pairs operators by name, then by shape, and keeps the rest apart', () => {
    const method = (...operators) => ({operators});
    const base = method(operator('a', 1), operator('b', 1, {outputs: 'f32[2]'}), operator('c', 1, {op: 'x'}));
    const other = method(operator('a', 2), operator('z', 1, {outputs: 'f32[2]'}), operator('d', 1, {op: 'y'}), operator('e', null));
    const {pairs, onlyBase, onlyOther} = matchOperators(base, other);
    assert.deepEqual(pairs.map(pair => pair.base.name + pair.other.name), ['aa', 'bz']);
    assert.deepEqual([onlyBase.map(o => o.name), onlyOther.map(o => o.name)], [['c'], ['d']]);
  });

  it('calls a change slower only where the spreads lie apart', () => {
    const time = (p10, p50, p90) => ({p10, p50, p90});
    assert.equal(verdictOf(time(1, 2, 3), time(2, 4, 5), 5, 5), 'within');
    assert.equal(verdictOf(time(1, 2, 3), time(4, 5, 6), 5, 5), 'slower');
    assert.equal(verdictOf(time(4, 5, 6), time(1, 2, 3), 5, 5), 'faster');
    assert.equal(verdictOf(time(4, 5, 6), time(1, 2, 3), 1, 5), 'unknown');
  });

  it('knows starts that were laid end to end', () => {
    const events = (...pairs) => pairs.map(([start, duration]) => ({start, duration}));
    assert.ok(isEndToEnd([events([0, 5], [5, 0], [5, 2], [7, 1])]));
    assert.ok(!isEndToEnd([events([0, 5], [6, 2], [8, 1])]));
    assert.ok(!isEndToEnd([events([0, 5], [5, 2])]));
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

  it('refuses another document', () => assert.throws(() => readProfile({schema: 'x'}), /profile\/1/));
});
