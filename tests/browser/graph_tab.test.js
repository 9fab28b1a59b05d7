// SPDX-License-Identifier: BSD-3-Clause
//
// graph_tab.test.js - what a user sees in the Graphs tab is what the command says about the record.

import assert from 'node:assert/strict';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';

import {missing, screenshots} from './environment.js';
import {GraphTab, shownTime} from './graph_tab.js';
import {SHARED, TensorBoard, nodesOf} from './tensorboard.js';

/* Errors that TensorBoard's page reports by itself, whatever it shows. None are known of 2.21. */
const KNOWN_ERRORS = [];

/* Without delegates, the tab differs in its colors alone: the rest is looked at in one of the two. */
const FIXTURES = {
  mv2_portable: {devices: ['CPU:0'], clusters: false, isWhole: false},
  mv2_xnnpack: {devices: ['XNNPACK:0'], clusters: true, isWhole: true},
};

const isInside = (name, box) => name === box || name.startsWith(`${box}/`);
const onTop = name => name.split('/')[0];
/* What the tab may show for a time: boxes are right within 2 µs, nodes within 1 µs. */
const shownTimes = (micros, most) => Array.from({length: 2 * most + 1}, (_, i) => shownTime(Math.max(1, Math.round(micros) + i - most)));

const skip = missing();

for (const [fixture, wanted] of Object.entries(FIXTURES)) {
  describe(fixture, {skip, timeout: 600_000}, () => {
    const run = fixture;
    let server, tab, graph, nodes, micros;

    const timed = box => graph.filter(node => isInside(node.name, box) && micros.has(node.fxNode));
    const total = box => timed(box).reduce((sum, node) => sum + micros.get(node.fxNode), 0);
    const tops = () => [...new Set(graph.filter(node => node.op !== 'Const').map(node => onTop(node.name)))];
    const slowest = boxes => boxes.reduce((a, b) => (total(b) > total(a) ? b : a));
    const picture = name => tab.screenshot(join(screenshots, `${fixture}_${name}.png`));

    before(async () => {
      server = await TensorBoard.shared();
      graph = await server.graph(run);
      nodes = nodesOf(fixture).find(g => g.module === 'edge' && g.method === 'forward').nodes;
      micros = new Map(nodes.filter(node => node.avg !== null).map(node => [node.name, node.avg]));
      tab = await GraphTab.open(server.url, wanted.isWhole ? '' : run);
    });

    after(() => tab?.close());

    if (wanted.isWhole) {
      it('is served every node of the record, with times on them', () => {
        assert.deepEqual(graph.map(node => node.fxNode).sort(), nodes.map(node => node.name).sort());
        assert.ok(micros.size > 50);
      });

      it('opens the run with the most to say, with its plain graph', async () => {
        assert.equal(await tab.chosen('Run'), SHARED[0]);
        assert.equal(await tab.chosen('Tag'), 'Default');
        await tab.choose('Run', run);
        assert.equal(await tab.chosen('Tag'), 'Default');
        await tab.fit();
        await picture('structure');
      });

      it('draws the boxes of the file, few enough to be read', async () => {
        const drawn = await tab.drawnOnTop();
        assert.deepEqual(drawn.sort(), tops().sort());
        assert.ok(drawn.length >= 5 && drawn.length <= 32, `${drawn.length} boxes on top`);
      });
    }

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
      assert.deepEqual(legend.match(/\b[A-Z]+:\d+\b/g), wanted.devices);
    });

    if (wanted.isWhole) {
      it('ends the color scale at the slowest box', async () => {
        const [least, most] = (await tab.legend()).split('\n').map(line => line.trim()).filter(line => line);
        assert.equal(least, '0 µs');
        assert.ok(shownTimes(total(slowest(tops())), 2).includes(most), most);
      });

      it('shows the sum of its nodes on every box', async () => {
        for (const box of tops()) {
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
    }

    it('can color by delegate where there is one', async () => {
      assert.equal((await tab.radio('XLA cluster').getAttribute('aria-disabled')) !== 'true', wanted.clusters);
      if (!wanted.clusters) return;
      await tab.colorBy('XLA cluster');
      assert.match(await tab.legend(), /XnnpackBackend/);
      await tab.fit();
      await picture('delegates');
    });

    it('gives the page nothing to complain about', () => {
      assert.deepEqual(tab.errors.filter(error => !KNOWN_ERRORS.some(known => known.test(error))), []);
    });
  });
}
