// SPDX-License-Identifier: BSD-3-Clause
//
// scene.test.js - the parts of pictures that need no page: rows of boxes, texts that fit, the tree of modules, events and sums over a span.

import assert from 'node:assert/strict';
import {describe, it} from 'node:test';

import {readProfile} from '../../../web/src/base/method.js';
import {axisStep, boxAt, eachPiece, firstEndingAfter, makeRow, neighbor} from '../../../web/src/base/rects.js';
import {CALL, DELEGATE, EXECUTE, KERNEL, clippedTimes, moduleBoxes, readTimeline, sumSpan, timesOfRun, isInterrupted, sameEvents, typicalModule} from '../../../web/src/base/events.js';
import {RECORDS, documentOf} from '../answers.js';
import {missing} from '../environment.js';

const rowOf = spans => makeRow(spans.keys(), {start: index => spans[index][0], end: index => spans[index][1]});
const SPANS = [[0, 10], [10, 10], [10, 40], [50, 51], [51, 52], [60, 100]];

/* Many boxes of widths that a small generator makes. */
function manySpans(count) {
  let seed = 1, at = 0;
  const next = most => (seed = (seed * 48271) % 2147483647) % most;
  return Array.from({length: count}, () => [at += next(5), at += next(20)]);
}

describe('a row of boxes', () => {
  it('finds boxes by bisection as a search of all does', () => {
    const spans = manySpans(500), row = rowOf(spans), [, end] = spans.at(-1);
    for (let x = -5; x < end + 10; x += 3) {
      const wanted = spans.findIndex(([, stop]) => stop > x);
      assert.equal(firstEndingAfter(row, x), wanted < 0 ? spans.length : wanted);
      const held = spans.findIndex(([start, stop]) => start <= x && x < stop);
      if (held >= 0) assert.ok(spans[boxAt(row, x)][0] <= x && x <= spans[boxAt(row, x)][1], `box at ${x}`);
    }
  });

  it('sorts boxes that come in any order', () => {
    const row = makeRow([0, 1, 2], {start: id => [30, 10, 20][id], end: id => [35, 15, 25][id]});
    assert.deepEqual([...row.id], [1, 2, 0]);
  });

  it('hits the box under the pointer, or one up to three pixels away', () => {
    const row = rowOf(SPANS);
    assert.equal(boxAt(row, 5), 0);
    assert.equal(boxAt(row, 45), -1);
    assert.equal(boxAt(row, 48, 3), 3);
    assert.equal(boxAt(row, 55, 3), 4);
    assert.equal(boxAt(row, 101), -1);
  });

  it('draws at most two pieces for each pixel, and leaves out no box', () => {
    const spans = manySpans(20_000), row = rowOf(spans), [, end] = spans.at(-1), width = 1000;
    let pieces = 0, next = 0;
    eachPiece(row, 0, end, width, (left, right, first, behind) => {
      assert.equal(first, next);
      assert.ok(right - left >= 1 - 1e-9 && left >= 0 && left <= width);
      for (let index = first; index < behind; index++) assert.ok((row.x1[index] / end) * width <= (behind > first + 1 ? Math.floor(left) + 1 : right) + 1e-6, 'a merged box ends in its piece, and in its pixel');
      next = behind;
      pieces++;
    });
    assert.equal(next, spans.length);
    assert.ok(pieces <= 2 * width, `${pieces} pieces`);
  });

  it('draws only what is in sight', () => {
    const seen = [];
    eachPiece(rowOf(SPANS), 45, 55, 100, (left, right, index) => seen.push(index));
    assert.deepEqual(seen, [3, 4]);
  });

  it('leads the arrow keys to neighbors', () => {
    const rows = [rowOf([[0, 100]]), rowOf([[0, 40], [50, 90]])];
    assert.deepEqual(neighbor(rows, {row: 1, index: 0}, 'ArrowRight'), {row: 1, index: 1});
    assert.equal(neighbor(rows, {row: 1, index: 1}, 'ArrowRight'), null);
    assert.deepEqual(neighbor(rows, {row: 1, index: 1}, 'ArrowUp'), {row: 0, index: 0});
    assert.deepEqual(neighbor(rows, {row: 0, index: 0}, 'ArrowDown').row, 1);
    assert.equal(neighbor(rows, {row: 0, index: 0}, 'ArrowUp'), null);
  });

  it('marks an axis in round steps', () => assert.deepEqual([600, 1234, 7, 0.06].map(span => axisStep(span)), [100, 500, 2, 0.01]));
});

const LANES = [{delegated: false, backend: null, levels: 3}, {delegated: true, backend: 'B', levels: 1}];

/* A document of one method: a kernel, a delegate of two operators whose starts were not measured, with 1 ns between calls. */
function smallTimeline() {
  const method = readProfile({
    schema: 'etrecord-tb/profile/1', version: '0', ticks_per_second: 1e9, inputs: [], texts: ['m', 'aten.add.Tensor', 'aten.mul.Tensor', 'Method::execute', 'OPERATOR_CALL', 'native_call_add.out', 'DELEGATE_CALL', 'x', 'y', 'framework', 'handle', 'delegate', 'B', 'aten.sub.Tensor'], load: [], warnings: [],
    methods: [{
      method: 'forward', runs: 1, execute: {avg: 100, p50: 100, total: 100}, execute_per_run: [100], run_numbers: [0], runs_after_load: [0], nearest_run: 0, noise: null, phases_of_runs: [],
      delegates: [{instruction: 1, nodes: 2, backend: 'B'}], delegate_places: {count: 1}, findings: [], balance: [], notes: [],
      graph: {modules: {path: ['', 'a', 'a.b', 'c'], type: [0, 0, 0, 0], pattern: ['', 'a', 'a.b', 'c'], parent: [-1, 0, 1, 0]}, sources: [{file: 'f.py', line: 3, function: 'f', code: 'x + y'}],
        operators: {count: 3, name: ['add', 'mul', 'sub'], op: [1, 2, 13], module: [2, 2, 3], source: [0, 0, -1], delegate: [-1, 1, 1], backend: [-1, 12, 12], match: [10, 10, 10], total: [20, 20, 20], p50: [20, 20, 20]}},
    }],
  }).methods[0];
  const {run, execute: _, duration: _2, start: _3, scale: _4, ...structure} = TABLE, times = {gap: [0, 1, 4, 7, 0, 0], time: [8, 6, 20, 10, 20, 30]};
  return {method, timeline: readTimeline({runs_left_out: 0, structures: [structure], runs: [{run, structure: 0, ...times}]}, method.texts, method)};
}

const TABLE = {run: 0, execute: 100, lanes: LANES, count: 6, name: [3, 4, 5, 6, 7, 8], duration: [100, 30, 20, 60, 20, 30], instruction: [-1, 0, 0, 1, 1, 1], backend: [-1, -1, -1, 12, 12, 12], match: [9, 9, 10, 11, 10, 10],
  start: [0, 1, 5, 32, 32, 52], scale: 1, lane: [0, 0, 0, 0, 1, 1], level: [0, 1, 2, 1, 0, 0], measured: [1, 1, 1, 1, 0, 0], operator: [-1, -1, 0, -1, 1, 2]};

describe('events of a run', () => {
  const {timeline} = smallTimeline(), events = timeline.eventsOf(0);

  it('are nested, and of a kind', () => {
    assert.deepEqual([...events.parent], [-1, 0, 1, 0, 3, 3]);
    assert.deepEqual([...events.kind], [EXECUTE, CALL, KERNEL, DELEGATE, 4, 4]);
  });

  it('are called by module and operator', () => {
    assert.deepEqual([0, 1, 2, 3, 4].map(event => events.label(event)), ['Method::execute', 'a.b · add', 'add', '(several modules) (2 nodes)', 'a.b · mul']);
  });

  it('have modules over time: those inside a delegate are drawn where it is not one', () => {
    const [first, second] = moduleBoxes(events);
    const told = list => list.map(({label, start, end, isSynthetic}) => [label, start, end, isSynthetic]);
    assert.deepEqual(told(first), [['a', 1, 31, false], ['a', 32, 52, true], ['c', 52, 82, true]]);
    assert.deepEqual(told(second), [['b', 1, 31, false], ['b', 32, 52, true]]);
    assert.deepEqual(told(moduleBoxes(events, 'a')[0]), [['b', 1, 31, false], ['b', 32, 52, true], ['c', 52, 82, true]], 'below a head');
  });

  it('have modules over time whose boxes end where anything else begins, with the time of their own events', () => {
    const paths = ['stages.1.blocks', 'stages.1.blocks', 'stem', 'stages.1.blocks', '', 'stages.1.blocks', 'stages.1.blocks'], modules = paths.map(path => ({path, pattern: path}));
    const run = {
      count: 7, method: {modulesByPath: new Map(modules.map(module => [module.path, module]))}, kind: Array(7).fill(KERNEL), parent: Array(7).fill(-1), operator: [0, 1, 2, 3, 4, 5, 6], measured: Array(7).fill(1),
      start: [0, 10, 20, 60, 70, 75, 85], stop: [8, 18, 58, 65, 75, 80, 90], duration: [8, 8, 38, 5, 5, 5, 5], module: event => modules[event], allInside: () => [],
    };
    const told = list => list.map(({key, start, end, time, events: count}) => [key, start, end, time, count]);
    const [first, second] = moduleBoxes(run, 'stages');
    assert.deepEqual(told(first), [['stages.1', 0, 18, 16, 2], ['stem', 20, 58, 38, 1], ['stages.1', 60, 65, 5, 1], ['stages.1', 75, 90, 10, 2]]);
    assert.deepEqual(told(second), told(first).filter(([key]) => key !== 'stem').map(([key, ...rest]) => [`${key}.blocks`, ...rest]), 'also where the event between has no place on the lane');
  });

  it('have a typical one among equal modules, or none', () => {
    const boxes = (...times) => times.map((time, at) => ({key: `l.${at}`, module: {pattern: 'l.*'}, start: 100 * at, end: 100 * at + time, events: 9}));
    for (const [times, found] of [[[5, 9, 7, 8], [300, 308]], [[5, 9, 7, 8, 7, 7, 7, 7, 7, 90], [700, 707]], [[5, 7, 8], null], [[1, 5, 9, 50, 60], null]]) assert.deepEqual(typicalModule(boxes(...times)), found, times.join());
    assert.equal(typicalModule(boxes(5, 9, 7, 8).map(box => ({...box, module: {pattern: 'l.0'}}))), null, 'of modules that are not equal');
    assert.equal(typicalModule(boxes(5, 9, 7, 8).map(box => ({...box, events: 1}))), null, 'of modules with one event');
    assert.deepEqual(typicalModule([...boxes(5, 9, 7, 8), {key: 'l.2', module: {pattern: 'l.*'}, start: 210, end: 216, events: 1}]), [100, 109], 'a module in parts is one');
  });

  it('are interrupted where they take five times as long as usual', () => {
    for (const [ns, typical, step, is] of [[11_000, 1_000, 42, true], [5_000, 1_000, 42, false], [600, 100, 100, false], [700, 100, 100, true], [10, NaN, 1, false]]) assert.equal(isInterrupted(ns, typical, step), is, `${ns} of ${typical}`);
  });

  it('are the same in another run by their operator and turn, or by their call', () => {
    const run = (operator, instruction) => ({operator, instruction}), own = run([3, 4, 3, -1, -1], [0, 1, 2, 7, 8]), other = run([4, 3, -1, 3], [1, 0, 8, 2]);
    assert.deepEqual([...sameEvents(own, [0, 1, 2, 3, 4], other, [0, 1, 2, 3])].sort((a, b) => a[0] - b[0]), [[0, 1], [1, 0], [2, 3], [4, 2]]);
  });

  it('are clipped to a span to the nanosecond, without what is inside them', () => {
    const {total, self} = clippedTimes(events, [10, 60], () => true);
    assert.deepEqual([...total], [50, 21, 15, 28, 20, 8]);
    assert.deepEqual([...self], [1, 6, 15, 0, 20, 8]);
    assert.equal(self.reduce((a, b) => a + b), 50);
    assert.deepEqual(sumSpan(events, [10, 60], lane => lane === 1, 'op').map(({key, count, total: sum}) => [key, count, sum]), [['mul', 1, 20], ['sub', 1, 8]]);
    assert.deepEqual(sumSpan(events, [10, 60], () => true, 'module').map(({key}) => key).sort(), ['(top level)', 'a.b', 'c', 'runtime'].sort());
    assert.deepEqual(sumSpan(events, [200, 300], () => true, 'op'), []);
  });

  it('are read from structures that runs share, with steps and gaps', () => {
    const {method} = smallTimeline(), {run: _, execute: _2, duration: _3, start: _4, scale: _5, instruction: _6, operator: _7, ...structure} = TABLE;
    Object.assign(method, {perRun: [90, 100], document: {...method.document, run_numbers: [4, 6], runs_after_load: [1], nearest_run: 0}});
    const run = {structure: 0, gap: [0, 1, 4, 7, 0, 0], time: [8, 6, 20, 0, 20, 30]}, read = readTimeline({runs_left_out: 3, structures: [{...structure, instruction_step: [null, 0, 0, 1, 0, 0], operator_step: [null, null, 0, null, 1, 1]}], runs: [{...run, run: 0}, {...run, run: 1}]}, method.texts, method);
    assert.deepEqual([read.nearest, read.runs], [0, [{run: 4, execute: 90, isFirst: false}, {run: 6, execute: 100, isFirst: true}]]);
    assert.equal(read.leftOut, 3);
    const shared = read.eventsOf(1);
    for (const key of ['start', 'operator', 'instruction', 'stop', 'parent', 'kind']) assert.deepEqual([...shared[key]], [...(key === 'start' ? [0, 1, 5, 32, 32, 52] : key === 'stop' ? [90, 31, 25, 82, 52, 82] : events[key])], key);
    assert.deepEqual([...timesOfRun(read, 1, {operators: [2], times: [7, 8]}, 4)], [20, 20, 8, NaN]);
  });
});

const within = (a, b, part, what) => assert.ok(Math.abs(a - b) <= part * Math.max(1, Math.abs(b)), `${what}: ${a} is not ${b}`);

for (const record of RECORDS)
  describe(`pictures of ${record}`, {skip: missing('command')}, () => {
    const profile = readProfile(documentOf(record));
    for (const method of profile.methods) {
      const timeline = readTimeline(method.document.timeline, method.document.timeline?.texts ?? method.texts, method);
      if (!timeline) continue;
      it(`${method.name}: no event is called as the runtime calls it, and a span is summed to the nanosecond`, () => {
        for (const at of timeline.runs.keys()) {
          const events = timeline.eventsOf(at), span = [Math.round(events.end * 0.21), Math.round(events.end * 0.77)], {total, self, touched} = clippedTimes(events, span, () => true);
          for (let event = 0; event < events.count; event++) assert.doesNotMatch(events.label(event), /^native_call_|OPERATOR_CALL|DELEGATE_CALL/);
          let wanted = 0;
          for (let event = 0; event < events.count; event++) {
            const inside = Math.min(span[1], events.stop[event]) - Math.max(span[0], events.start[event]);
            if (inside > 0) wanted += inside * (events.duration[event] / (events.stop[event] - events.start[event]));
          }
          const covered = touched.reduce((all, event) => all + (events.stop[event] > events.start[event] ? total[event] : 0), 0);
          within(covered, wanted, 1e-12, 'total');
          for (const by of ['op', 'module', 'backend', 'source']) {
            const rows = sumSpan(events, span, () => true, by);
            within(rows.reduce((all, row) => all + row.total, 0), touched.reduce((all, event) => all + total[event], 0), 1e-12, `total by ${by}`);
            within(rows.reduce((all, row) => all + row.self, 0), touched.reduce((all, event) => all + self[event], 0), 1e-12, `self by ${by}`);
          }
          for (const level of moduleBoxes(events))
            for (const [index, box] of level.entries()) {
              if (index) assert.ok(box.start >= level[index - 1].start, 'boxes of modules are in order');
              const covered = events.start.findIndex((start, event) => events.kind[events.parent[event]] === EXECUTE && events.kind[event] !== DELEGATE && start > box.start && events.stop[event] < box.end && !`${events.module(event)?.path}.`.startsWith(`${box.key}.`));
              assert.equal(covered, -1, `${box.key} covers event ${covered}, which is not of it`);
            }
        }
      });
    }
  });
