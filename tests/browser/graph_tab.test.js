// SPDX-License-Identifier: BSD-3-Clause
//
// graph_tab.test.js - what a user sees in the Graphs tab is what the command says about the record.

import assert from 'node:assert/strict';
import {join} from 'node:path';
import {before, describe, it} from 'node:test';

import {missing, screenshots} from './environment.js';
import {GraphTab, shownTime} from './graph_tab.js';
import {SHARED, TensorBoard, nodesOf} from './tensorboard.js';

/* Errors that TensorBoard's page reports by itself, whatever it shows. None are known of 2.21. */
const KNOWN_ERRORS = [];

const RUN = 'mv2_xnnpack', PORTABLE = 'control_flow'; // without delegates, which changes colors alone

const isInside = (name, box) => name === box || name.startsWith(`${box}/`);
const onTop = name => name.split('/')[0];
/* What the tab may show for a time: boxes are right within 2 µs, nodes within 1 µs. */
const shownTimes = (micros, most) => Array.from({length: 2 * most + 1}, (_, i) => shownTime(Math.max(1, Math.round(micros) + i - most)));

describe('the Graphs tab', {skip: missing(), timeout: 600_000}, () => {
  let server, tab, graph, nodes, micros;

  const timed = box => graph.filter(node => isInside(node.name, box) && micros.has(node.fxNode));
  const total = box => timed(box).reduce((sum, node) => sum + micros.get(node.fxNode), 0);
  const tops = () => [...new Set(graph.filter(node => node.op !== 'Const').map(node => onTop(node.name)))];
  const slowest = boxes => boxes.reduce((a, b) => (total(b) > total(a) ? b : a));
  const picture = name => tab.screenshot(join(screenshots, `${RUN}_${name}.png`));

  before(async () => {
    server = await TensorBoard.shared();
    graph = await server.graph(RUN);
    nodes = nodesOf(RUN).find(g => g.module === 'edge' && g.method === 'forward').nodes;
    micros = new Map(nodes.filter(node => node.avg !== null).map(node => [node.name, node.avg]));
    tab = await GraphTab.shared(); // which nobody has used before
  });

  it('is served every node of the record, with times on them', () => {
    assert.deepEqual(graph.map(node => node.fxNode).sort(), nodes.map(node => node.name).sort());
    assert.ok(micros.size > 50);
  });

  it('opens the run with the most to say, with its plain graph', async () => {
    assert.equal(await tab.chosen('Run'), SHARED[0]);
    assert.equal(await tab.chosen('Tag'), 'Default');
    await tab.choose('Run', RUN);
    assert.equal(await tab.chosen('Tag'), 'Default');
    await tab.fit();
    await picture('structure');
  });

  it('draws the boxes of the file, few enough to be read', async () => {
    const drawn = await tab.drawnOnTop();
    assert.deepEqual(drawn.sort(), tops().sort());
    assert.ok(drawn.length >= 5 && drawn.length <= 32, `${drawn.length} boxes on top`);
  });

  it('goes to Profile when a statistic is chosen', async () => {
    await tab.choose('Tag', 'profile/avg');
    assert.ok(await tab.isChecked('Profile'));
    await tab.colorBy('Compute time');
    assert.ok(await tab.isChecked('Compute time'));
    await tab.fit();
    await picture('compute_time');
  });

  it('lists the devices that took the time', async () => {
    const legend = await tab.legend();
    assert.deepEqual(legend.match(/\b[A-Z]+:\d+\b/g), ['XNNPACK:0']);
  });

  it('ends the color scale at the slowest box', async () => {
    const [least, most] = (await tab.legend()).split('\n').map(line => line.trim()).filter(line => line);
    assert.equal(least, '0 µs');
    assert.ok(shownTimes(total(slowest(tops())), 2).includes(most), most);
  });

  it('shows the sum of its nodes on every box', async () => {
    const drawn = await tab.times();
    for (const box of tops()) assert.ok(Math.abs((drawn.get(box) ?? 0) - total(box)) <= 2.01, `${box}: ${drawn.get(box)} for ${total(box)} µs`);
    for (const box of new Set([slowest(tops()), tops().find(top => timed(top).length === 0), tops().at(-1)].filter(Boolean))) {
      await tab.select(box);
      const shown = await tab.stat('Compute Time');
      assert.ok(timed(box).length ? shownTimes(total(box), 2).includes(shown) : shown === null, `${box}: ${shown} for ${total(box)} µs`);
    }
  });

  it('shows the time of a node inside of opened boxes', async () => {
    let box = slowest(tops());
    for (let depth = 1; !graph.some(node => node.name === box && node.op !== 'Const'); depth++) {
      await tab.expand(box);
      await picture(`opened_${depth}`);
      const children = new Set(timed(box).map(node => node.name.split('/').slice(0, depth + 1).join('/')));
      box = slowest([...children]);
      await tab.select(box);
      const shown = await tab.stat('Compute Time');
      assert.ok(shownTimes(total(box), timed(box).length > 1 ? 2 : 1).includes(shown), `${box}: ${shown} for ${total(box)} µs`);
    }
    assert.equal(timed(box).length, 1, `${box} is a node`);
    await picture('leaf');
  });

  it('finds a node by its own name, and what is in a module by its path', async () => {
    const {name, module} = nodes.find(node => node.kind === 'op' && node.module.includes('.'));
    const shown = graph.find(node => node.fxNode === name).name;
    assert.ok((await tab.search(name)).includes(shown), `${shown} by ${name}`);
    assert.ok((await tab.search(module)).includes(shown), `${shown} by ${module}`);
    await picture('search');
  });

  it('can color by delegate where there is one', async () => {
    const isOffered = async () => (await tab.radio('XLA cluster').getAttribute('aria-disabled')) !== 'true';
    assert.ok(await isOffered());
    await tab.colorBy('XLA cluster');
    assert.match(await tab.legend(), /XnnpackBackend/);
    await tab.fit();
    await picture('delegates');
    await tab.choose('Run', PORTABLE);
    await tab.choose('Tag', 'profile/avg');
    await tab.colorBy('Compute time');
    assert.deepEqual((await tab.legend()).match(/\b[A-Z]+:\d+\b/g), ['CPU:0']);
    assert.ok(!(await isOffered()));
  });

  it('gives the page nothing to complain about', () => {
    assert.deepEqual(tab.errors.filter(error => !KNOWN_ERRORS.some(known => known.test(error))), []);
  });
});
