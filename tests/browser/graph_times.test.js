// SPDX-License-Identifier: BSD-3-Clause
//
// graph_times.test.js - the times that TensorBoard's page puts on the nodes and boxes of many records are those that `nodes` and `summary --by module` print.
// The page takes the time of a box from its first start to its last end, in whole microseconds.

import assert from 'node:assert/strict';
import {after, before, describe, it} from 'node:test';

import {answer} from './answers.js';
import {missing} from './environment.js';
import {GraphTab} from './graph_tab.js';
import {TensorBoard} from './tensorboard.js';

/* Control flow; with ALL=1 also modules in modules, several methods, small and large operators, several backends, without modules, compute units, quantized and large graphs. */
const RECORDS = ['control_flow'];
const MORE = ['p_gru', 'multi_method', 'mv2_xnnpack', 'add_mul', 'cpp_rich', 'llama_xnnpack', 'quantized_xnnpack', 'b_coreml', 'b_qnn', 'unet_xnnpack'];
if (process.env.ALL) RECORDS.push(...MORE);
const BOX_MICROS = 2, NODE_MICROS = 1;

describe('times in GRAPHS', {skip: missing(), timeout: 900_000}, () => {
  let server, tab, withModules = 0;

  before(async () => {
    server = await (process.env.ALL ? TensorBoard.start(...RECORDS) : TensorBoard.shared());
    tab = await (process.env.ALL ? GraphTab.open(server.url) : GraphTab.shared());
  });

  after(async () => {
    if (!process.env.ALL) return;
    await tab?.close();
    await server?.stop();
  });

  for (const record of RECORDS)
    it(record, async () => {
      const {graphs} = answer('nodes', record, 'us'), shown = await server.graph(record);
      const first = graphs.find(({nodes}) => nodes.length === shown.length && nodes.every(({name}, at) => name === shown[at].fxNode));
      assert.ok(first, 'the run has one of the graphs');
      const method = answer('summary', record, 'us').methods.find(said => said.method === first.method);
      await tab.choose('Run', record.replace(/[.+]/g, '\\$&'));
      await tab.choose('Tag', 'profile/avg');
      const drawn = await tab.times(), sums = new Map();
      const near = (got, wanted, most, what) => assert.ok(Math.abs(got - wanted) <= most + 0.01, `${what}: the page has ${got} µs, the command ${wanted}`);
      for (const [at, {name}] of shown.entries()) { // in the order of `nodes`
        const {avg} = first.nodes[at];
        if (avg === null) continue;
        near(drawn.get(name), Math.max(avg, 1), NODE_MICROS, name);
        for (let box = name; box; box = box.slice(0, Math.max(0, box.lastIndexOf('/')))) sums.set(box, (sums.get(box) ?? 0) + avg);
      }
      for (const [name, sum] of sums) if (drawn.has(name)) near(drawn.get(name), sum, BOX_MICROS, name);
      const moduleOf = box => (box.includes('-') ? box.slice(box.lastIndexOf('/') + 1).replace(/^[^-]*-/, '') : box.replaceAll('/', '.'));
      const boxOf = new Map([...drawn.keys()].filter(name => sums.has(name)).map(name => [moduleOf(name), name]).reverse());
      const modules = method.by_module.filter(({module, with_children: {avg}}) => module && avg > 0 && boxOf.has(module));
      for (const {module, with_children: {avg}} of modules) near(drawn.get(boxOf.get(module)), avg, BOX_MICROS, module);
      withModules += modules.length > 0;
    });

  it('compares boxes of half of the records or more with modules', () => assert.ok(withModules >= RECORDS.length / 2, `of ${withModules}`));

  it('gives the page nothing to complain about', () => assert.deepEqual(tab.errors, []));
});
