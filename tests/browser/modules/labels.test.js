// SPDX-License-Identifier: BSD-3-Clause
//
// labels.test.js - how operators, modules and backends are called, what is left of a text in little room, and what colors mean.

import assert from 'node:assert/strict';
import {describe, it} from 'node:test';

import {contrast, hueOf, hueOfVerdict, inkOn, mixed, strengthOf} from '../../../web/src/base/colors.js';
import {laneNameOf} from '../../../web/src/base/events.js';
import {fitted, headOf, itselfText, letteredEnd, longerPath, relativePath, shortBackend, shortOp, tellingEnd} from '../../../web/src/base/labels.js';
import {icicleOf, rowLabel, rowLabels, withSums} from '../../../web/src/base/rows.js';
import {kidsInSight, placesOf} from '../../../web/src/parts/icicle.js';

const table = (name, of, cases) => describe(name, () => {
  for (const [wanted, ...given] of cases) it(`${given.join(', ')}: "${wanted}"`, () => assert.equal(of(...given), wanted));
});

table('an operator is called', shortOp, [
  ['softmax', 'aten._softmax.default'], ['linear', 'aten.linear.default'], ['add', 'aten.add.Tensor'], ['convolution.out', 'convolution.out'], ['', ''],
  ['clone_dim_order', 'dim_order_ops._clone_dim_order.default'], ['Fully Connected (NC, F32) GEMM', 'Fully Connected (NC, F32) GEMM'], ['quantize_per_tensor', 'quantized_decomposed.quantize_per_tensor.default'],
]);

table('a backend is called', shortBackend, [
  ['XNNPACK', 'XnnpackBackend'], ['CPU kernel', 'cpu'], ['QNN', 'QnnBackend'], ['Vulkan', 'VulkanBackend'], ['Core ML', 'CoreMLBackend'], ['OpenVINO', 'OpenvinoBackend'], ['Ethos-U', 'EthosUBackend'], ['Mine', 'MineBackend'], ['', null],
]);

table('the end of a path with a letter is', letteredEnd, [['conv.1.0', 'features.3.conv.1.0'], ['features.0.0', 'features.0.0'], ['layers.*', 'layers.*'], ['mlp', 'encoder.mlp'], ['0', '0']]);

table('a path beside a head is', relativePath, [
  ['mlp.3', 'encoder.layers.encoder_layer_*.mlp.3', 'encoder.layers.encoder_layer_*'], ['', 'layers.*', 'layers.*'], ['features.0.0', 'features.0.0', 'features'], ['conv.1.0', 'features.*.conv.1.0', 'features'],
  ['/conv_proj', 'conv_proj', 'encoder.layers.encoder_layer_*'], ['layers.*.attention', 'layers.*.attention', ''], ['/layers_b.*', 'layers_b.*', 'layers'], ['', '', ''],
]);

table('a path with the end of a head is', longerPath, [['features.*.conv.1.0', 'features.*.conv.1.0', 'features'], ['layers.*.mlp', 'encoder.layers.*.mlp', 'encoder.layers'], ['head', 'head', 'features'], ['a.b', 'a.b', '']]);

table('what tells a name from others is', tellingEnd, [['…4d', 'inception4d', ['inception4d', 'inception3b', 'stem']], ['…12', 'inception12', ['inception12', 'inception1']], ['…out', 'block_out', ['block_in', 'block_out']], ['up', 'up', ['up', 'down']], ['conv1', 'conv1', ['cat', 'conv1']]]);

table('what a module does between its children is', itselfText, [['blocks itself', 'blocks'], ['encoder_layer itself', 'encoder.layers.encoder_layer_*'], ['layers itself', 'layers.*'], ['decode itself', '', 'decode']]);

table('the head that labels leave out is', rows => headOf(rows.map(([pattern, typical]) => ({pattern, typical}))), [
  ['encoder.layers.*', [['encoder.layers.*.mlp', 50], ['encoder.layers.*.attention', 45], ['head', 5]]], ['', [['a', 50], ['b', 50]]], ['', []], ['features', [['features.0', 10], ['features.*', 80], ['classifier', 2]]],
]);

table('a lane of modules is called', laneNameOf, [['encoder_layer', 'encoder.layers.encoder_layer_*'], ['layers', 'layers.*'], ['features', 'features'], ['module', '']]);

table('in a room of six pixels a letter is', (text, letters) => fitted(text, letters * 6, said => [...said].length * 6), [
  ['linear', 'linear', 6], ['line…', 'linear', 5], ['', 'linear', 4], ['', 'where', 4], ['view…', 'view_copy', 7], ['permute…', 'permute_copy', 10], ['native_layer…', 'native_layer_norm', 13], ['', 'permute_copy', 4], ['+7', '7 more', 3], ['7 more', '7 more', 6], ['', '7 more', 1], ['batch…', 'batch_norm_legit', 8],
]);

describe('colors', () => {
  it('are stronger the more there is, from a fifth of the whole on full', () => {
    assert.deepEqual([0, 0.05, 0.2, 0.9].map(share => Number(strengthOf(share).toFixed(2))), [0.22, 0.61, 1, 1]);
  });

  it('say where an operator runs, and in which direction a verdict points', () => {
    assert.deepEqual([-1, 0, 1, 2].map(hueOf), ['cpu', 'delegate', 'second', 'second']);
    assert.deepEqual(['faster', 'gone', 'likely_faster', 'slower', 'new', 'cannot_tell', 'equal', null].map(hueOfVerdict), ['less', 'less', 'less', 'more', 'more', 'runtime', 'runtime', 'runtime']);
  });

  const THEMES = {light: ['#ffffff', '#1b1f24', '#06708d', '#c46a00', '#6b665f', '#6a1b9a', '#1a5fb4', '#b3261e'], dark: ['#1b1f25', '#e8ebef', '#35b3d0', '#eda24a', '#948d86', '#c29bff', '#78a8ff', '#ff8a7d']};
  for (const [name, [surface, text, ...hues]] of Object.entries(THEMES))
    it(`leave text readable at every strength: ${name}`, () => {
      for (const hue of hues) for (let part = 0; part <= 1; part += 0.02) {
        const ground = mixed(surface, hue, part);
        assert.ok(contrast(inkOn(ground, text), ground) >= 4.5, `${hue} at ${part}`);
      }
    });
});

describe('the icicle', () => {
  const row = (pattern, op, time, rest) => ({kind: 'operator', key: `${pattern} ${op}`, pattern, op, label: op, time, estimated: 0, count: 1, rows: [], hue: 'cpu', filter: `${pattern} ${op}`, ...rest});
  const method = {name: 'forward', modules: [1, 2].map(() => ({pattern: 'layers.*.mlp'}))}, rows = [row('layers.*.mlp.w1', 'linear', 50), row('layers.*.mlp.w2', 'linear', 30), row('layers.*', 'add', 5), row('norm', 'mul', 1), {...row('', 'runtime', 14), kind: 'part', hue: 'runtime'}];
  const boxes = icicleOf(rows, {head: 'layers.*', whole: 100, method});

  it('has modules, what they do themselves, others, and calls, most time first', () => {
    assert.deepEqual(boxes.map(({label, time, count}) => [label, time, count]), [['mlp', 80, 2], ['calls and runtime', 14, 1], ['layers itself', 5, 1], ['others', 1, 1]]);
    assert.deepEqual(boxes.map(({kids}) => kids.map(({label}) => label)), [['w1 linear', 'w2 linear'], ['runtime'], ['add'], ['norm mul']]);
  });

  it('calls what quantization inserted into modules by that name', () => {
    const inserted = row('', 'quantize_per_tensor', 9);
    const labels = icicleOf([...rows, inserted], {head: 'layers.*', whole: 109, method}).map(({label, time}) => `${label} ${time}`);
    assert.ok(labels.includes('quantization 9'), labels.join(', '));
    assert.deepEqual(icicleOf([inserted], {head: '', whole: 9, method}).map(({label}) => label), ['forward itself'], 'without modules');
  });

  it('labels rows by what is beside the head', () => assert.deepEqual(rows.map(each => rowLabel(each, 'layers.*').join('|')), ['mlp.w1|linear', 'mlp.w2|linear', '|add', '/norm|mul', '|runtime']));

  it('labels rows that would be called alike by a longer place', () => {
    const alike = ['features.*.conv.0.0', 'features.1.conv.0.0', 'features.1.conv.1'].map(pattern => row(pattern, 'convolution', 1));
    assert.deepEqual(alike.map(rowLabels(alike, 'features')).map(label => label.join('|')), ['features.*.conv.0.0|convolution', 'features.1.conv.0.0|convolution', 'conv.1|convolution']);
    assert.deepEqual(alike.slice(1).map(rowLabels(alike.slice(1), 'features')).map(([where]) => where), ['conv.0.0', 'conv.1']);
  });

  it('has a sum of the operators that the answer names together, and those of them that take a twentieth of all', () => {
    const of = (pattern, op, time, dtype) => row(pattern, op, time, {dtype, backend: 'X', count: 2, hue: 'delegate', min: 0, max: 0}), list = [of('a', 'mul', 50, 'int8'), of('a', 'aten.linear.default', 40, 'float32'), of('b', 'aten.linear.default', 30, 'float32'), of('c', 'aten.linear.default', 4, 'float32'), of('d', 'aten.linear.default', 3, 'int8')];
    const shown = withSums(list, [{kind: 'operators', op: 'aten.linear.default', dtype: 'float32', backend: 'X', count: 6}], 0.05);
    assert.deepEqual(shown.map(({kind, label, time, isInset = false}) => [kind, label, time, isInset]), [['several', 'float32 linear, all', 74, false], ['operator', 'aten.linear.default', 40, true], ['operator', 'aten.linear.default', 30, true], ['operator', 'mul', 50, false], ['operator', 'aten.linear.default', 3, false]]);
    for (const part of [{kind: 'operators', op: 'mul', dtype: 'int8', backend: 'X', count: 2}, {kind: 'operators', op: 'aten.linear.default', dtype: 'float32', backend: 'X', count: 7}, {kind: 'calls', op: null, dtype: null, backend: 'X', count: 6}]) assert.deepEqual(withSums(list, [part], 0.05), list, 'one row, another number of operators, no operators');
  });

  it('fills its width, and makes one box of those that are too narrow', () => {
    const kids = Array.from({length: 12}, (_, at) => row('a', `op${at}`, at < 2 ? 40 : 2, {hue: at % 2 ? 'cpu' : 'delegate'})), shown = kidsInSight(kids, 200, 100);
    assert.deepEqual(shown.map(({label}) => label), ['op0', 'op1', '10 more']);
    assert.deepEqual([shown[2].time, shown[2].hue, shown[2].hues], [20, null, [['delegate', 10], ['cpu', 10]]]);
    const places = placesOf(boxes, 1000), end = list => Math.max(...list.map(({x, width}) => x + width));
    assert.ok(Math.abs(end(places.filter(({kid}) => !kid)) - 1000) < 1e-6 && Math.abs(end(places.filter(({kid}) => kid)) - 1000) < 1e-6);
  });
});
