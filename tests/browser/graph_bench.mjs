// SPDX-License-Identifier: BSD-3-Clause
//
// graph_bench.mjs - times of the layout and of frames, crossings, and the same against dagre. No test depends on it.
//
//   ETRECORD_TB=build/release/plugin/etrecord-tb node tests/browser/graph_bench.mjs [layout] [frames] [dagre]
//
// dagre is taken from node_modules of this folder or of NODE_PATH (`npm install --no-save @dagrejs/dagre`); without it, that part is left out.

import {readFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {createRequire} from 'node:module';
import {extname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {CLOSED, OPEN, UNFOLDED, REPEAT, buildTree, groupOf, openDefault, setState} from '../../web/src/graph/groups.js';
import {layoutTree} from '../../web/src/graph/layout.js';
import {makeGraph} from '../../web/src/graph/read.js';
import {run} from './answers.js';
import {fixtures, missing} from './environment.js';
import {quality} from './modules/graph_checks.js';
import {decoderNodes, graphOfNodes} from './modules/graph_nodes.js';
import {TabPage} from './tab_page.js';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url)), require = createRequire(import.meta.url);
const nodesOf = record => JSON.parse(run('nodes', join(fixtures, record), '--format', 'json')).graphs.find(({module}) => module === 'edge').nodes;
const best = (times, act) => { let least = Infinity; for (let i = 0; i < times; i++) { const begin = performance.now(); act(); least = Math.min(least, performance.now() - begin); } return least; };
const ms = time => time.toFixed(time < 10 ? 2 : 0);
const densenet = () => makeGraph(JSON.parse(readFileSync(new URL('modules/densenet.json', import.meta.url), 'utf8')));

function layouts(records, llama) {
  console.log('| graph | nodes | first call | read and group | default layout | open and close a box | crossings flat |\n|---|---|---|---|---|---|---|');
  for (const [name, make] of records) {
    const graph = make(), fresh = performance.now(), cold = buildTree(graph);
    openDefault(cold);
    layoutTree(cold);
    const first = performance.now() - fresh, group = best(9, () => buildTree(graph)), forget = tree => tree.groups.forEach(one => { one.structure = one.layout = null; }), layout = best(9, () => { forget(cold); layoutTree(cold); });
    const closable = cold.groups.filter(one => one.state === OPEN && one.id !== cold.root).at(-1), toggle = closable ? best(9, () => { setState(cold, closable, CLOSED); layoutTree(cold); setState(cold, closable, OPEN); layoutTree(cold); }) / 2 : 0;
    console.log(`| ${name} | ${graph.count} | ${ms(first)} | ${ms(group)} | ${ms(layout)} | ${ms(toggle)} | ${quality(layoutTree(buildTree(graph, {by: 'flat'}))).crossings} |`);
  }
  console.log('\n| decoder, nodes | edges | flat: group | flat: layout | width x height | modules: group | default layout | all open |\n|---|---|---|---|---|---|---|---|');
  for (const layers of [30, 116, 233, 581, 1163]) {
    const graph = graphOfNodes(decoderNodes(llama, layers)), flat = buildTree(graph, {by: 'flat'}), root = groupOf(flat, flat.root), tree = buildTree(graph);
    const layout = best(4, () => { root.structure = root.layout = null; layoutTree(flat); }), {width, height} = layoutTree(flat), first = best(1, () => { openDefault(tree); layoutTree(tree); });
    const all = best(2, () => { for (const one of tree.groups) Object.assign(one, {structure: null, layout: null, state: one.kind === REPEAT ? UNFOLDED : OPEN}); layoutTree(tree); });
    console.log(`| ${graph.count} | ${graph.from.length} | ${ms(best(3, () => buildTree(graph, {by: 'flat'})))} | ${ms(layout)} | ${Math.round(width)} x ${Math.round(height)} | ${ms(best(2, () => buildTree(graph)))} | ${ms(first)} | ${ms(all)} |`);
  }
}

/* Crossings of straight pieces, for dagre's lines. */
function straightCrossings(pieces) {
  const side = (a, b, c) => Math.sign((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])), sorted = pieces.map(piece => ({piece, top: Math.min(piece[0][1], piece[1][1]), bottom: Math.max(piece[0][1], piece[1][1])})).sort((a, b) => a.top - b.top);
  let found = 0;
  sorted.forEach(({piece: [a, b, from], bottom}, i) => {
    for (let j = i + 1; j < sorted.length && sorted[j].top < bottom; j++) {
      const [c, d, other] = sorted[j].piece;
      if (from !== other && side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0) found++;
    }
  });
  return found;
}

function againstDagre(cases) {
  let dagre = null;
  for (const name of ['@dagrejs/dagre', 'dagre']) try { dagre ??= require(name); } catch { /* the next one */ }
  if (!dagre) return console.log('\nagainst dagre: left out, because neither @dagrejs/dagre nor dagre is installed (npm install --no-save @dagrejs/dagre)');
  console.log('\n| same graph, flat | nodes | edges | dagre ms | ours ms | times faster | dagre crossings | ours |\n|---|---|---|---|---|---|---|---|');
  for (const [name, make] of cases) {
    const graph = make(), theirs = new dagre.graphlib.Graph({multigraph: true});
    theirs.setGraph({});
    theirs.setDefaultEdgeLabel(() => ({}));
    for (let node = 0; node < graph.count; node++) theirs.setNode(String(node), {width: 100, height: 34});
    for (let node = 0; node < graph.count; node++) for (let e = graph.start[node]; e < graph.start[node + 1]; e++) theirs.setEdge(String(graph.from[e]), String(node), {}, String(e));
    const slow = best(1, () => dagre.layout(theirs)), fast = best(5, () => layoutTree(buildTree(graph, {by: 'flat'}))), pieces = theirs.edges().flatMap(edge => { const {points} = theirs.edge(edge); return points.slice(1).map((point, i) => [[points[i].x, points[i].y], [point.x, point.y], edge.v]); });
    console.log(`| ${name} | ${graph.count} | ${graph.from.length} | ${ms(slow)} | ${ms(fast)} | ${(slow / fast).toFixed(0)} | ${straightCrossings(pieces)} | ${quality(layoutTree(buildTree(graph, {by: 'flat'}))).crossings} |`);
  }
  return undefined;
}

/* Frames in Chromium at nine zooms, from all of the graph to 1:1. */
async function frames(llama) {
  const data = new Map(), server = createServer((request, answer) => {
    const path = new URL(request.url, 'http://local').pathname, found = data.get(path);
    try {
      answer.setHeader('content-type', extname(path) === '.js' ? 'text/javascript' : path === '/' ? 'text/html' : 'application/json');
      answer.end(path === '/' ? '<!doctype html><canvas width="1400" height="900"></canvas>' : found ?? readFileSync(join(PROJECT, path)));
    } catch { answer.writeHead(404).end(); }
  }).listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  const tab = await new TabPage().launch();
  console.log('\n| graph | nodes | tree and layout | in a worker, ms until the tree is here | frame: median | 95th percentile |\n|---|---|---|---|---|---|');
  for (const [layers, by] of [[0, 'flat'], [233, 'flat'], [233, 'module'], [1163, 'flat']]) {
    data.set('/nodes.json', JSON.stringify((layers ? decoderNodes(llama, layers) : llama).map(({name, kind, target, inputs, outputs, module, subgraph, delegate_instruction: delegate, avg}) => ({name, kind, target, inputs, outputs: outputs.map(output => ({name: output.name})), module, subgraph, delegate_instruction: delegate, avg}))));
    await tab.page.goto(`http://127.0.0.1:${server.address().port}/`);
    const shown = await tab.page.evaluate(measure, by);
    console.log(`| ${layers ? `decoder of ${layers} layers` : 'llama'}, ${by} | ${shown.count} | ${ms(shown.layout)} | ${shown.worker === null ? 'too small' : ms(shown.worker)} | ${ms(shown.median)} | ${ms(shown.high)} |`);
  }
  if (tab.errors.length) console.log(tab.errors.join('\n'));
  await tab.close();
  server.close();
}

/* Runs in the page. */
async function measure(by) {
  const {graphOfNodes: read} = await import('/tests/browser/modules/graph_nodes.js'), groups = await import('/web/src/graph/groups.js'), {layoutTree: lay} = await import('/web/src/graph/layout.js'), {GraphPicture} = await import('/web/src/graph/draw.js'), {layOut} = await import('/web/src/graph/worker.js');
  const graph = read(await (await fetch('/nodes.json')).json()), begin = performance.now(), tree = groups.buildTree(graph, {by});
  if (by === 'module') for (const group of tree.groups) group.state = group.kind === groups.REPEAT ? groups.UNFOLDED : groups.OPEN;
  lay(tree);
  const layout = performance.now() - begin, sent = performance.now(), answer = layOut(graph, {by, budget: 140}), worker = answer instanceof Promise ? (await answer, performance.now() - sent) : null;
  const picture = new GraphPicture(tree), context = document.querySelector('canvas').getContext('2d', {alpha: false}), times = [];
  picture.show({name: '', values: Float64Array.from(graph.avg), adds: true, scale: 'heat', text: value => value.toPrecision(2)});
  picture.resize(1400, 900);
  picture.fit(0);
  const least = picture.zoom;
  for (let step = 0; step < 9; step++) {
    picture.zoom = least * (1 / least) ** (step / 8);
    for (let i = 0; i < 24; i++) {
      picture.x = 700 / picture.zoom - picture.layout.width * 0.4 - i * 9;
      picture.y = 450 / picture.zoom - picture.layout.height * (0.3 + i / 400);
      const start = performance.now();
      picture.draw(context);
      if (i > 3) times.push(performance.now() - start);
      await new Promise(requestAnimationFrame);
    }
  }
  times.sort((a, b) => a - b);
  return {count: graph.count, layout, worker, median: times[times.length >> 1], high: times[Math.floor(times.length * 0.95)]};
}

const reason = missing('command'), wanted = process.argv.slice(2), wants = name => wanted.length === 0 || wanted.includes(name);
if (reason) console.log(`left out: ${reason}`);
else {
  const llama = nodesOf('llama_portable'), records = [['mobilenet', () => graphOfNodes(nodesOf('mv2_portable'))], ['vit', () => graphOfNodes(nodesOf('vit_xnnpack'))], ['u-net', () => graphOfNodes(nodesOf('unet_xnnpack'))], ['densenet', densenet], ['gru', () => graphOfNodes(nodesOf('p_gru'))], ['control flow', () => graphOfNodes(nodesOf('control_flow'))]];
  if (wants('layout')) layouts([['llama', () => graphOfNodes(llama)], ...records], llama);
  if (wants('dagre')) againstDagre([...records, ...[2, 4].map(layers => [`decoder of ${layers} layers`, () => graphOfNodes(decoderNodes(llama, layers))])]);
  if (wants('frames') && !missing('browser')) await frames(llama);
}
