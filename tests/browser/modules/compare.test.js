// SPDX-License-Identifier: BSD-3-Clause
//
// compare.test.js - what the page shows of a comparison is what `diff` says: base, new, change and verdict of each module,
// in Table, icicle, Graph and Compare, of pairs of records. Sums are the library's.

import assert from 'node:assert/strict';
import {join} from 'node:path';
import {describe, it} from 'node:test';

import {RECORDS, embeddedIn, run} from '../answers.js';
import {fixtures, missing} from '../environment.js';

const {baseMethod, compared, method, profile} = await import('../../../web/src/base/app.js');
const {readProfile} = await import('../../../web/src/base/method.js');
const {set} = await import('../../../web/src/base/store.js');
const {baseOf, changeOf, changesBy, goneRows, newOf} = await import('../../../web/src/views/changes.js');
const {moduleRows, operatorRows, partRows} = await import('../../../web/src/base/rows.js');
const {times} = await import('../../../web/src/base/app.js');
const {changeOverlay} = await import('../../../web/src/views/graph_overlays.js');
const {boxes, changeOfBox} = await import('../../../web/src/views/time_picture.js');
const {blocksOf, shortNames, stepsOf} = await import('../../../web/src/views/compare.js');

/* Records of which `diff` compares the modules of each two: of one model, and of two; with what is gone, new, and of several recordings. */
const FAMILIES = [
  ['turns_base', 'turns_new'],
  ['inserted_before', 'inserted_after', 'inserted_xnnpack'],
  ['mv2_portable', 'mv2_xnnpack'],
  ['llama_portable', 'llama_xnnpack'],
  ['bn_folding', 'bn_unfused'],
  ['quantized_xnnpack', 'requantized'],
  ['../../examples/tutorial/before', '../../examples/tutorial/after'],
  ['old_0_6_add_mul', 'old_1_0_1_add_mul', 'seed_2023', 'add_mul', 'add_mul_debug', 'bundled_update', 'extra_modules', 'lowered_in_record'],
  ['b_coreml', 'b_qnn', 'b_vulkan'], // not b_neutron, whose times are cycles
  ['b_coreml', 'xnnpack_openvino'],
  ['attention_addmm', 'two_partitioners'],
  ['cache_by_cat', 'decoder_cache', 'decoder_prompts'],
  ['changed_edge', 'changed_edge_xnnpack', 'xnnpack_openvino'],
  ['debug_portable', 'debug_xnnpack'],
  ['drift', 'multi_method'],
  ['old_1_0_1_two_methods', 'old_1_2_0_two_methods'],
  ['p_zoo_q', 'partly_quantized'],
];
/* ETDumps alone, and one beside its record: nodes are then events. */
const DUMPS = [['mv2_portable/etdump.etdp', 'mv2_xnnpack/etdump.etdp'], ['b_vulkan/etdump.etdp', 'mv2_xnnpack/etdump.etdp'], ['mv2_xnnpack/etdump.etdp', 'mv2_xnnpack']];
const pairsOf = records => records.flatMap((base, at) => records.slice(at + 1).map(newer => [base, newer]));

/* Whether `diff` compares modules of two records. */
function isCompared(...records) {
  try {
    const {methods} = JSON.parse(run('diff', ...records.map(name => join(fixtures, name)), '--by', 'module', '--top', '0', '--format', 'json'));
    return methods.some(({by_module, execute}) => by_module.length && execute.base_runs && execute.new_runs);
  } catch {
    return false; // such as records of two units
  }
}

/* With EVERY the first two of each family; with ALL_PAIRS each two of all records, in both directions, that `diff` compares. */
const PAIRS = process.env.ALL_PAIRS
  ? RECORDS.flatMap(base => RECORDS.filter(newer => isCompared(base, newer)).map(newer => [base, newer]))
  : [...FAMILIES.flatMap(family => pairsOf(family).slice(0, process.env.EVERY ? 1 : undefined)), ...DUMPS, ['inserted_after', 'inserted_before'], ['multi_method', 'multi_method']];

/* Times of operators are in whole picoseconds in the document. */
const near = (got, want, what, count = 2) =>
  assert.ok(Math.abs((got ?? 0) - (want ?? 0)) <= 1e-3 * count + 1e-9 * Math.abs(want ?? 0), `${what}: ${got} is not ${want}`);

/** A row of the page says what a row of `diff` says: times in ns. */
function same(got, want, what) {
  assert.ok(got, `${what}: no row`);
  near(baseOf(got), want.base_typical, `${what}, base`);
  near(newOf(got), want.new_typical, `${what}, new`);
  near(changeOf(got), want.change_typical, `${what}, change`);
  assert.equal(got.verdict, want.verdict, `${what}, verdict`);
  assert.deepEqual(got.interval, want.interval, `${what}, interval`);
}

describe('the short names of two records', () => {
  for (const [base, name, short] of [
    ['turns/new/etdump-1', 'turns/base/etdump-1', ['new/etdump-1', 'base/etdump-1']],
    ['seg/float', 'seg/int8', ['float', 'int8']],
    ['before', 'after', ['before', 'after']],
    ['nightly/pixel8-build-000041', 'nightly/pixel8-build-000042', ['…l8-build-000041', '…l8-build-000042']],
    ['float32/segment-of-a-camera', 'quantized/segment-of-a-camera', ['float32/segment…', 'quantized/segme…']],
    ['a', 'a/b', ['a', 'a/b']],
    ['same', 'same', ['base', 'this']],
  ])
    it(`${base} and ${name}`, () => assert.deepEqual(shortNames(base, name), short));
});

for (const [base, newer] of PAIRS)
  describe(`${base} and ${newer}`, {skip: missing('command')}, () => {
    const paths = [base, newer].map(name => join(fixtures, name)),
      html = missing('command') ? '' : run('report', ...paths),
      diff = by => JSON.parse(run('diff', ...paths, '--by', by, '--top', '0', '--format', 'json', '--unit', 'ns')),
      said = missing('command') ? null : diff('module'),
      patterns = missing('command') ? null : diff('pattern');
    let count = 0;
    /* `isOfEvents`: also where there are no modules, because a side has no graph. */
    const each = (act, isOfEvents = false) => {
      profile.value = readProfile(embeddedIn(html, 'profile'));
      compared.value = {
        base: 'base',
        profile: readProfile(embeddedIn(html, 'base')),
        comparison: embeddedIn(html, 'comparison'),
      };
      for (const {index, name} of profile.value.methods) {
        set({method: `#${index}`});
        const told = said.methods.find(other => (other.method ?? 'method not known') === name);
        if ((isOfEvents ? told : told?.by_module.length) && method.value.runs && told.execute.base_runs)
          act(told, new Map(told.by_module.map(row => [row.module, row])));
      }
    };

    it('has the library\'s rows in Table, each module and what is gone', () =>
      each((told, wanted) => {
        const made = moduleRows(method.value, times.value, method.value.operators.timed, false),
          rows = [...made, ...goneRows('module', made)];
        const seen = new Set();
        for (const row of rows) {
          const path = row.key === '(top level)' ? '' : row.key,
            want = wanted.get(path);
          same(changesBy.value.module(row), path === '' ? want : want.with_children, row.key);
          seen.add(path);
          if (!row.change && path !== '') near(row.time, want.with_children.new_typical, `${row.key}, time`, 1 + row.rows.length);
        }
        for (const [path, row] of wanted)
          assert.ok(
            seen.has(path) || path === '' || !method.value.modulesByPath.has(path) || row.with_children.verdict === 'untimed',
            `${path} is not in Table`,
          );
      }));

    it('has rows of operators that add up to those of modules', () =>
      each((told, wanted) => {
        const made = operatorRows(method.value, times.value),
          rows = [...made, ...goneRows('operator', made)].filter(({kind}) => kind === 'operator'),
          changes = new Set(rows.map(changesBy.value.row).filter(Boolean));
        const sum = [...changes].reduce((all, row) => all + changeOf(row), 0);
        near(sum, wanted.get('').with_children.change_typical, 'sum of the changes of operators');
      }));

    it('has the library\'s changes of parts in rows of parts', () =>
      each(told => {
        const made = [...operatorRows(method.value, times.value), ...partRows(method.value, times.value)],
          rows = [...made, ...goneRows('operator', made)].filter(({kind}) => kind === 'part');
        for (const {part, backend, base_typical: from, new_typical: to} of told.parts) {
          if (part === 'operators') continue;
          const changes = rows.filter(row => row.part === part && row.backend === backend).map(changesBy.value.row);
          near(changes.reduce((sum, change) => sum + (baseOf(change) ?? 0), 0), from, `${part} of ${backend}, base`);
          near(changes.reduce((sum, change) => sum + (newOf(change) ?? 0), 0), to, `${part} of ${backend}, new`);
        }
      }));

    it('knows what ran operators that are gone', () =>
      each(() => {
        const {operators} = baseMethod.value,
          known = new Set(Array.from(operators.timed, row => `${operators.module(row)?.pattern ?? ''} ${operators.op(row)} ${operators.backend(row)}`));
        for (const row of goneRows('operator', operatorRows(method.value, times.value)).filter(({kind, change}) => kind === 'operator' && change.verdict === 'gone')) {
          assert.ok(known.has(`${row.change.base_key ?? row.pattern} ${row.op} ${row.backend}`), `${row.pattern}: ${row.op} in ${row.backend}`);
          assert.equal(row.hue === 'cpu', row.backend === 'cpu', row.op);
        }
      }));

    it('has the library\'s rows in the icicle', () =>
      each((told, wanted) => {
        const byPattern = new Map(
          patterns.methods[said.methods.indexOf(told)].by_pattern.map(row => [row.pattern, row]),
        );
        for (const box of boxes.value) {
          const got = changeOfBox(box, null),
            want = byPattern.get(box.pattern);
          if (box.filter) same(got, box.filter.startsWith('own:') ? want : want.with_children, box.label);
          else assert.equal(got, undefined, box.label);
          if (box.filter && !box.filter.startsWith('own:')) near(box.time, want.with_children.new_typical, box.label, 1 + want.with_children.new_nodes);
        }
        assert.ok(!(wanted.get('').with_children.new_typical > 0) || boxes.value.some(({filter, label}) => filter || label === 'others'), 'no box was compared');
      }));

    it('has the library\'s sums at the boxes of the graph', () =>
      each((told, wanted) => {
        const {operators} = method.value,
          pane = {graph: {count: 0}, rowsOf: () => [], operators};
        const overlay = changeOverlay(pane);
        for (const [path, row] of wanted) {
          near(overlay.ofModule(path), row.with_children.change_typical, path);
          assert.equal(overlay.judgedModule(path), /slower|faster|new|gone/.test(row.with_children.verdict ?? ''), `${path}: ${row.with_children.verdict}`);
        }
        assert.ok(overlay.legend.some(([hue, text]) => hue === 'runtime' && text === 'cannot tell'));
        const {nodes} = compared.value.comparison.methods[method.value.index];
        assert.equal(overlay.legend.some(([, text]) => /^gone from the base: not drawn/.test(text)), nodes.some(({verdict}) => verdict === 'gone'));
      }));

    it('has the library\'s sums in Compare, which add up', () =>
      each((told, wanted) => {
        const answer = compared.value.comparison.methods[method.value.index],
          {blocks} = blocksOf(answer);
        for (const block of blocks)
          if (wanted.has(block.path) && block.path !== '' && !/ itself$/.test(block.label)) {
            const whole = wanted.get(block.path).with_children;
            near(block.base, whole.base_typical, `${block.label}, base`);
            near(block.now, whole.new_typical, `${block.label}, new`);
            assert.equal(block.verdict, whole.verdict, block.label);
          }
        near(blocks.reduce((sum, {now}) => sum + now, 0), told.execute.new_typical, 'blocks add up to the new time');
        near(blocks.reduce((sum, row) => sum + row.base, 0), told.execute.base_typical, 'blocks add up to the base');
        near(stepsOf(answer).reduce((sum, {change}) => sum + change, 0), told.execute.change_typical, 'steps add up');
        count++;
      }, true));

    it('was compared, of ETDumps alone', () => assert.ok(count > 0 || !paths[0].endsWith('.etdp')));
  });
