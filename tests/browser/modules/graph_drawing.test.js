// SPDX-License-Identifier: BSD-3-Clause
//
// What the graph's picture writes and colors: texts that nothing strikes through, names that can be recognized, numbers that are never an unexplained 0, colors that everyone can tell apart.

import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'node:test';

import {HUES} from '../../../web/src/base/colors.js';
import {THEMES, inkOn, stepColor} from '../../../web/src/graph/colors.js';
import {GraphPicture} from '../../../web/src/graph/draw.js';
import {CLOSED, OPEN, REPEAT, UNFOLDED, buildTree, groupOf, openDefault, setAll, setState} from '../../../web/src/graph/groups.js';
import {shortOperator} from '../../../web/src/graph/labels.js';
import {legendOf} from '../../../web/src/graph/legend.js';
import {STEPS, spread, stepOf, textsOf, valueOf} from '../../../web/src/graph/overlay.js';
import {SvgContext} from '../../../web/src/graph/svg.js';
import {applyOpen, openText} from '../../../web/src/views/graph_panes.js';
import {run} from '../answers.js';
import {CONES, contrast as contrastOf, distance} from '../colors.js';
import {fixtures, missing} from '../environment.js';
import {graphOfEdges, graphOfNodes} from './graph_nodes.js';

const skip = missing('command');
const graphOf = (record, module = 'edge') => graphOfNodes(JSON.parse(run('nodes', join(fixtures, record), '--format', 'json')).graphs.find(graph => graph.module === module).nodes);

/** Three values, two chained modules "layers.0" … of three operators each, repeated. */
function repeated(instances = 4) {
  const op = ['aten.mm.default', 'aten.add.Tensor', 'aten.relu.default'], count = 3 * instances;
  return graphOfEdges([[], ...Array.from({length: count}, (_, i) => [i])], {op: [0, ...Array.from({length: count}, (_, i) => i % 3)], ops: op, module: [0, ...Array.from({length: count}, (_, i) => 1 + Math.floor(i / 3))], modules: ['', ...Array.from({length: instances}, (_, i) => `layers.${i}`)]});
}

/** A canvas that remembers what was drawn, in order: lines, filled areas, texts as boxes [x, y, x, y]. */
class Recorder extends SvgContext {
  constructor() { super(1, 1); Object.assign(this, {ops: [], points: [], areas: []}); }
  beginPath() { this.points = []; this.areas = []; }
  moveTo(x, y) { this.points.push([x, y, true]); }
  lineTo(x, y) { this.points.push([x, y, false]); }
  quadraticCurveTo(a, b, x, y) { this.points.push([x, y, false]); }
  rect(x, y, w, h) { this.areas.push([x, y, x + w, y + h]); }
  roundRect(x, y, w, h) { this.rect(x, y, w, h); }
  fill() { for (const box of this.areas) this.ops.push({kind: 'area', box, color: this.fillStyle}); }
  fillRect(x, y, w, h) { this.ops.push({kind: 'area', box: [x, y, x + w, y + h], color: this.fillStyle}); }
  strokeRect() {}
  stroke() {
    this.points.forEach(([x, y, starts], i) => {
      const [x0, y0] = this.points[i - 1] ?? [];
      if (!starts) this.ops.push({kind: 'line', box: [Math.min(x, x0), Math.min(y, y0), Math.max(x, x0), Math.max(y, y0)]});
    });
  }
  fillText(text, x, y, room) {
    const size = this.letters.size, width = Math.min(room ?? Infinity, this.measureText(text).width), left = this.textAlign === 'right' ? x - width : x;
    this.ops.push({kind: 'text', text, size, color: this.fillStyle, box: [left, y - 0.7 * size, left + width, y + 0.15 * size]});
  }
}

const meet = (a, b, by = 0) => a[0] < b[2] - by && b[0] < a[2] - by && a[1] < b[3] - by && b[1] < a[3] - by, covers = (outer, inner) => outer[0] <= inner[0] + 0.5 && outer[1] <= inner[1] + 0.5 && outer[2] >= inner[2] - 0.5 && outer[3] >= inner[3] - 0.5;
const common = (a, b) => [Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])];

/** The picture of a tree in a window, drawn. */
function drawn(tree, {zoom, x = 20, y = 20, width = 1400, height = 1000, overlay} = {}) {
  const picture = new GraphPicture(tree, {describe: () => ({shape: 'f32[1,96,28,28]', bytes: '301 kB'})}), recorder = new Recorder();
  if (overlay) picture.show(overlay);
  picture.resize(width, height);
  if (zoom) Object.assign(picture, {zoom, x, y}); else picture.fit();
  picture.draw(recorder);
  return {picture, ops: recorder.ops};
}

/** The texts that a line crosses: one that is drawn later, or earlier without an area between that covers the place. */
function struck(ops) {
  const found = [];
  ops.forEach((text, i) => {
    if (text.kind !== 'text') return;
    ops.forEach((line, k) => {
      if (line.kind !== 'line' || !meet(text.box, [line.box[0] - 0.1, line.box[1] - 0.1, line.box[2] + 0.1, line.box[3] + 0.1], 1.5)) return;  // corners are round
      const place = common(line.box, text.box), isCovered = k < i && ops.slice(k, i).some(({kind, box}) => kind === 'area' && covers(box, place));
      if (!isCovered) found.push(`${text.text} at ${text.box.map(Math.round)} by ${line.box.map(Math.round)}`);
    });
  });
  return found;
}

/** Texts of which one is written on the other, with no area between that covers the place, as a title at the edge of the picture has. */
function touching(ops) {
  const found = [];
  ops.forEach((one, i) => one.kind === 'text' && ops.slice(i + 1).forEach((other, k) => {
    if (other.kind !== 'text' || !meet(one.box, other.box, 0.5)) return;
    if (!ops.slice(i, i + 1 + k).some(({kind, box}) => kind === 'area' && covers(box, common(one.box, other.box)))) found.push(`${one.text} | ${other.text}`);
  }));
  return found;
}

const timed = graph => ({name: 'avg', values: Float64Array.from({length: graph.count}, (_, node) => 1000 * (node % 7)), adds: true, scale: 'heat', text: value => String(Math.round(value)), long: value => `${value} ns`, clock: new Float64Array(graph.count).fill(1000)});

describe('texts', {skip}, () => {
  for (const record of ['mv2_xnnpack', 'llama_portable', 'p_gru', 'control_flow', 'unet_xnnpack']) {
    it(`${record}: no line strikes through a text, from far away to near, and texts of a box do not touch`, () => {
      const graph = graphOf(record), tree = buildTree(graph);
      openDefault(tree);
      for (const zoom of [0.2, 0.35, 0.5, 0.58, 0.8, 1.2]) {
        for (const y of [20, -200]) {
          const {ops} = drawn(tree, {zoom, y, overlay: timed(graph)}), texts = ops.filter(({kind}) => kind === 'text');
          assert.deepEqual(struck(ops).slice(0, 3), [], `zoom ${zoom}, y ${y}`);
          if (zoom > 0.5) assert.ok(texts.length > 5);
          assert.deepEqual(touching(ops).slice(0, 3), [], `zoom ${zoom}, y ${y}`);
        }
      }
    });
  }

  it('has no buttons in a picture that is taken away', () => {
    const tree = buildTree(graphOf('turns_new'));
    setAll(tree, OPEN);
    const texts = new GraphPicture(tree).svg().match(/(?<=>)[^<]+(?=<\/text>)/g);
    assert.ok(texts.includes('0 … 2 ×3'), texts.join('; '));
    assert.deepEqual(texts.filter(text => /[‹›▾▸]|1 of 3/.test(text)), []);
  });
  it('a title covers what is below it only in a frame that is much higher', () => {
    const tree = buildTree(graphOf('mv2_xnnpack'));
    setAll(tree, OPEN);
    for (const zoom of [0.1, 0.2, 0.3, 0.4]) {
      const {picture, ops} = drawn(tree, {zoom, height: 3000, width: 3000}), titles = ops.filter(({kind, text}) => kind === 'text' && text.startsWith('▾'));
      for (const {text, box} of titles) {
        const {y, h} = picture.titles.find(title => Math.abs(title.x + 7 - box[0]) < 1 && box[1] >= title.y - 1 && box[1] < title.y + 14);
        assert.ok(box[3] <= y + 42 * zoom + 2 || h >= 60, `${text} at zoom ${zoom}: frame of ${h}`);
      }
    }
  });
});

describe('labels', () => {
  it('are the names of operators, and long ones can be recognized', () => {
    assert.equal(shortOperator('aten.view_copy.default'), 'view_copy');
    assert.equal(shortOperator('aten._softmax.default'), 'softmax');
    assert.equal(shortOperator('aten.native_layer_norm.default'), 'native_layer_norm');
    assert.equal(shortOperator('aten._native_batch_norm_legit_no_training.default'), 'native_batch…training');
    assert.notEqual(shortOperator('aten._native_batch_norm_legit_no_training.default'), shortOperator('aten.native_batch_norm.default'));
    assert.equal(shortOperator('dim_order_ops._clone_dim_order.default'), 'clone_dim_order');
    assert.ok(shortOperator('x'.repeat(65536)).length <= 30);
  });
  it('without groups a box says its module, if there is room', () => {
    const tree = buildTree(repeated(), {by: 'flat'}), {ops} = drawn(tree, {zoom: 1});
    assert.ok(ops.some(({text}) => text === 'layers.2'), ops.map(({text}) => text).filter(Boolean).join());
    const byModule = buildTree(repeated(), {fold: false});
    setAll(byModule, OPEN);
    assert.ok(!drawn(byModule, {zoom: 1}).ops.some(({text}) => text === 'layers.2'), 'the box around it says it');
  });
});

describe('numbers', () => {
  const overlayOf = (values, more = {}) => ({...timed({count: values.length}), values: Float64Array.from(values), ...more});

  it('a time below the step of the clock is no 0, and what is fused has no number', () => {
    const tree = buildTree(repeated(), {by: 'flat'}), shown = spread(tree, overlayOf([NaN, 0, 5000, NaN, ...Array(9).fill(1)], {none: node => (node === 3 ? 'fused' : '')}));
    assert.equal(textsOf(tree, shown, 1).number, '<1000');
    assert.equal(textsOf(tree, shown, 2).number, '5000');
    assert.equal(textsOf(tree, shown, 3).number, 'fused');
    const {ops} = drawn(tree, {zoom: 1, overlay: shown.overlay});
    assert.ok(!ops.some(({text}) => text === '0'), 'a box with 0');
  });
  it('sums of zeros say how much they may hide: of a group, and of the instances of a repeat', () => {
    const tree = buildTree(repeated()), repeat = tree.groups.find(({kind}) => kind === REPEAT), shown = spread(tree, overlayOf([NaN, ...Array(12).fill(0)]));
    assert.deepEqual(textsOf(tree, shown, repeat.id).number, '<12000');
    const inside = groupOf(tree, repeat.items[0]).items[0];
    assert.deepEqual(textsOf(tree, shown, inside), {number: '<4000', median: '<1000'});
  });
  it('color and number of a repeat are both the sum of its instances; of an unfolded one each has its own', () => {
    const tree = buildTree(repeated()), repeat = tree.groups.find(({kind}) => kind === REPEAT), first = groupOf(tree, repeat.items[0]).items, values = [NaN];
    for (let i = 0; i < 4; i++) values.push(i === 0 ? 100 : 10, 40, 0);
    setState(tree, repeat, OPEN);
    const shown = spread(tree, overlayOf(values));
    assert.deepEqual([valueOf(tree, shown, first[0]).value, valueOf(tree, shown, first[1]).value], [130, 160]);
    assert.ok(stepOf(tree, shown, first[1]) > stepOf(tree, shown, first[0]), 'the greater sum is the hotter box, though one instance of the other is the hottest');
    assert.equal(shown.hottest, 160);
    assert.equal(stepOf(tree, shown, first[1]), STEPS);
    assert.equal(stepOf(tree, shown, repeat.id), STEPS, 'the stripe of a group is its hottest operator');
    const picture = new GraphPicture(tree);
    picture.show(shown.overlay);
    picture.toggle(repeat.id, UNFOLDED);
    assert.equal(valueOf(tree, picture.shown, first[0]).value, 100);
    assert.equal(picture.shown.hottest, 100);
  });
  it('the stripe of a group is the change of all of it, with what is gone', () => {
    const tree = buildTree(repeated()), repeat = tree.groups.find(({kind}) => kind === REPEAT), inside = groupOf(tree, repeat.items[0]).items[0];
    const shown = spread(tree, {...overlayOf([NaN, ...Array(12).fill(10)]), scale: 'change', ofModule: () => -500, judgedModule: () => true});
    assert.deepEqual([stepOf(tree, shown, inside), stepOf(tree, shown, repeat.id)], [STEPS, -STEPS], 'its nodes are new, and it is faster');
  });
  it('a change that cannot be told is gray, and that of a group in which nothing is more than noise', () => {
    const tree = buildTree(repeated()), values = [NaN, ...Array(12).fill(10)], {ramps, box} = THEMES.light, picture = new GraphPicture(tree), repeat = tree.groups.find(({kind}) => kind === REPEAT);
    const [inside] = groupOf(tree, repeat.items[0]).items, colors = (...more) => (picture.show(Object.assign({}, overlayOf(values), {scale: 'change'}, ...more)), [inside, repeat.id].map(item => picture.colorOf(item, box)));
    const hueOf = color => Object.keys(ramps).find(hue => ramps[hue].includes(color)), hues = (...more) => colors(...more).map(hueOf);
    assert.deepEqual(hues(), ['more', 'more'], 'values of the reader\'s own are as they are');
    assert.deepEqual(hues({judged: new Uint8Array(tree.count)}), ['runtime', 'runtime']);
    assert.deepEqual(hues({judged: new Uint8Array(tree.count).fill(1)}), ['more', 'more']);
    const ofModules = {judged: new Uint8Array(tree.count), ofModule: () => -500};
    assert.deepEqual(hues(ofModules, {judgedModule: () => true}), ['runtime', 'less'], 'what the library says of a module counts');
    assert.deepEqual(hues(ofModules, {judged: new Uint8Array(tree.count).fill(1), judgedModule: () => false}), ['more', 'runtime']);
  });
  it('the legend says what hues, strength, stripes, hatching and outlines mean', () => {
    const graph = repeated(), tree = buildTree(graph), overlay = {...timed(graph), legend: [['cpu', 'CPU kernels'], ['delegate', 'XNNPACK']], estimated: new Uint8Array(graph.count).fill(1)}, texts = said => said.map(({title, text}) => title ?? text).join('; ');
    const repeat = tree.groups.find(({kind}) => kind === REPEAT);
    repeat.state = OPEN;
    const legend = legendOf({overlays: [overlay], trees: [tree], delegates: 2, theme: THEMES.light, isMarked: true});
    assert.match(texts(legend), /^avg; CPU kernels; XNNPACK; stronger: more; dashed: to the next instance; ×: color and number are the sum.*stripe: the hottest operator.*estimated; leads to it; reads it; outline with a number: one of 2 delegates, by the instruction that calls it; ◆ weights$/);
    const [root] = tree.groups, said = () => texts(legendOf({overlays: [overlay], trees: [tree], delegates: 0, theme: THEMES.light}));
    for (const [group, state, dashed, sum] of [[repeat, CLOSED, false, true], [repeat, UNFOLDED, false, false], [root, CLOSED, false, false]]) {
      const before = group.state;
      group.state = state;
      assert.deepEqual([/dashed/.test(said()), /×/.test(said())], [dashed, sum], 'only what is in view');
      group.state = before;
    }
    const changes = legendOf({overlays: [{...overlay, scale: 'change', hatched: [1], hatchedText: 'new', estimated: null}, {...overlay, scale: 'change', hatched: [1], hatchedText: 'gone', estimated: null}], trees: [tree], delegates: 0, theme: THEMES.dark});
    assert.match(texts(changes), /new; gone/);
    const svg = new GraphPicture(tree).svg(legend);
    for (const part of ['estimated', 'CPU kernels', 'XNNPACK']) assert.ok(svg.includes(part), `${part} in the picture`);
  });
});

describe('what is open', () => {
  it('is said by few letters where all is open or closed, and read again', () => {
    const tree = buildTree(repeated(40), {fold: false}), before = tree.groups.map(({state}) => state);
    openDefault(tree);
    const states = () => tree.groups.map(({state}) => state), beginning = states();
    for (const state of [OPEN, CLOSED]) {
      setAll(tree, state);
      groupOf(tree, tree.root).items.length && setState(tree, tree.groups[2], state === OPEN ? CLOSED : OPEN);
      const said = openText(tree, beginning), wanted = states();
      assert.ok(said.length < 12, said);
      beginning.forEach((old, i) => { tree.groups[i].state = old; });
      applyOpen(tree, beginning, said, {setState, chooseInstance: () => {}});
      assert.deepEqual(states(), wanted);
      assert.equal(groupOf(tree, tree.root).state, OPEN);
    }
    assert.equal(openText(tree, states()), '');
    assert.equal(before.length, tree.groups.length);
  });
});

// ---- Colors ----

const rgbOf = color => (color.startsWith('#') ? [1, 3, 5].map(at => parseInt(color.slice(at, at + 2), 16)) : color.match(/\d+/g).map(Number)), apart = (one, other, cones) => distance(rgbOf(one), rgbOf(other), cones);
const lightness = color => contrastOf(rgbOf(color), [0, 0, 0]);

describe('colors', () => {
  for (const [name, theme] of Object.entries(THEMES)) {
    it(`${name}: text on every box has a contrast of 4.5 or more`, () => {
      const grounds = ['box', 'closed', 'port', 'title'].map(key => theme[key]);
      for (const hue of HUES) for (let step = 0; step <= STEPS; step++) grounds.push(stepColor(theme, {scale: 'heat'}, step, hue, theme.box));
      for (let step = -STEPS; step <= STEPS; step++) for (const hue of [null, 'runtime']) grounds.push(stepColor(theme, {scale: 'change'}, step, hue, theme.box));
      for (let step = -1; step < HUES.length; step++) grounds.push(stepColor(theme, {scale: 'category', hues: HUES}, step, 'runtime', theme.box));
      for (const ground of grounds) for (const [ink, color] of Object.entries(inkOn(theme, ground))) assert.ok(contrastOf(rgbOf(color), rgbOf(ground)) >= 4.5, `${ink} ${color} on ${ground}: ${contrastOf(rgbOf(color), rgbOf(ground)).toFixed(2)}`);
    });
    it(`${name}: marks differ for everyone`, () => {
      const marks = ['chosen', 'above', 'below', 'path', 'hit'];
      marks.forEach((one, i) => marks.slice(i + 1).forEach(other => Object.keys(CONES).forEach(cones => assert.ok(apart(theme[one], theme[other], cones) >= 10, `${one} and ${other}, ${cones}: ${apart(theme[one], theme[other], cones).toFixed(1)}`))));
    });
    it(`${name}: scales become steadily darker or lighter, so that they need no hue`, () => {
      for (const scale of Object.values(theme.ramps)) for (let i = 4; i < scale.length; i += 4) assert.ok(Math.sign(lightness(scale[i]) - lightness(scale[i - 4])) === (theme.isDark ? 1 : -1), `step ${i}`);
    });
  }
  it('hues are those of the style sheet, in both themes', () => {
    const style = readFileSync(new URL('../../../web/src/style.css', import.meta.url), 'utf8');
    for (const hue of [...HUES, 'less', 'more']) {
      const [, light, dark] = style.match(new RegExp(`--${hue}: light-dark\\((#\\w+), (#\\w+)\\)`));
      assert.deepEqual([THEMES.light[hue], THEMES.dark[hue]], [light, dark], hue);
    }
  });
  it('what has no value has no color, and a time of 0 the palest', () => {
    const theme = THEMES.light;
    assert.equal(stepColor(theme, {scale: 'heat'}, NaN, 'cpu', 'none'), 'none');
    assert.equal(stepColor(theme, {scale: 'heat'}, 0, 'cpu', 'none'), theme.ramps.cpu[0]);
    assert.equal(stepColor(theme, {scale: 'change'}, 0, 'cpu', 'none'), 'none');
  });
});
