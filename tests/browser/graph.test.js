// SPDX-License-Identifier: BSD-3-Clause
//
// graph.test.js - the view "Graph" of a report: what it draws, what is chosen in it, and what a reader can take away.

import assert from 'node:assert/strict';
import {existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {gunzipSync, gzipSync} from 'node:zlib';

import {run} from './answers.js';
import {ExecuTorchTab} from './executorch_tab.js';
import {fixtures, missing, screenshots} from './environment.js';
import {TensorBoard} from './tensorboard.js';

/** Replaces the graphs of a section, or of a method and its document's texts, by an ATen graph: a chain of nodes, changed. */
function aten(count, more = {}, graph = {}) {
  const chain = Array(count - 1).fill(1), nodes = {count, name: Array.from({length: count}, (_, i) => `n${i}`), module: 0, inputs: [0, ...chain], counterparts: 0, ...more};
  return section => {
    section.texts = [...section.texts, 'op', 'aten.add.Tensor'];
    section.graphs.list = [{module: 'aten', dialect: 'aten', entry: 'x', has_operators: false, nodes: {...nodes, kind: section.texts.length - 2, op: section.texts.length - 1}, inputs: chain, ...graph}];
  };
}

const options = {skip: missing(), timeout: 600_000}, VIEWPORT = {width: 1280, height: 800};

/* The controls of the graph that are needed seldom are in a menu. */
const openMore = tab => (tab.frame ?? tab.page).locator('.graph .menu.more').evaluate(menu => menu.setAttribute('open', ''));

describe('the graph of a report', options, () => {
  let folder, shown, path = '';

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'graph-'));
    shown = await new ExecuTorchTab().launch(VIEWPORT, {offline: true});
    shown.frame = shown.page;
  });

  after(async () => {
    await shown?.close();
    rmSync(folder, {recursive: true});
  });

  /** Opens the graph of a record's report; `said` is added to the address. Where the report is open, its address alone changes, by way of another view, so that the graph is drawn anew. */
  async function open(record, said = '', base = null) {
    const before = path;
    path = join(folder, `${base ?? ''}_${record}.html`);
    if (!existsSync(path)) run('report', ...(base ? [join(fixtures, base)] : []), join(fixtures, record), '-o', path);
    await shown.page.setViewportSize(VIEWPORT);
    await shown.page.emulateMedia({media: null});
    await shown.page.mouse.move(0, 0);
    if (path === before) await shown.page.goto(`file://${path}#view=summary`);
    else await shown.page.goto('about:blank');
    if (path === before) await shown.page.locator('.summary').waitFor();
    await shown.page.goto(`file://${path}#view=graph${said && `&${said}`}`);
    await drawn(shown);
    return shown;
  }

  const drawn = (tab, pane = 0) => tab.page.waitForFunction(i => document.querySelectorAll('.graph-pane canvas')[i]?.picture?.boxes > 0, pane);
  const inPicture = (tab, act, argument, pane = 0) => tab.page.evaluate(([said, value, i]) => { const canvas = document.querySelectorAll('.graph-pane canvas')[i]; return new Function('picture', 'canvas', 'value', `return (${said})(picture, canvas, value)`)(canvas.picture, canvas, value); }, [act.toString(), argument, pane]);

  /** Where a node's box is on the page: [x, y]. */
  const placeOf = (tab, name, pane = 0) => inPicture(tab, (picture, canvas, wanted) => {
    const node = picture.tree.graph.names.indexOf(wanted), place = picture.reveal(node, {open: true, center: true}), box = canvas.getBoundingClientRect();
    picture.draw(canvas.getContext('2d'));
    return [box.left + (picture.x + place.x + place.w / 2) * picture.zoom, box.top + (picture.y + place.y + place.h / 2) * picture.zoom];
  }, name, pane);
  const addressOf = tab => tab.page.evaluate(() => decodeURIComponent(location.hash));
  const boxes = (tab, pane = 0) => tab.page.locator('.graph-pane').nth(pane).locator('ul button').allInnerTexts();
  const until = (tab, said) => tab.page.waitForFunction(part => decodeURIComponent(location.hash).includes(part), said);
  const clean = tab => assert.deepEqual(tab.errors, []);

  it('shows a readable number of boxes first, with text that can be read, and lists them', async () => {
    const tab = await open('mv2_xnnpack');
    const {shown, layout, sizes} = await inPicture(tab, (picture, canvas) => {
      const c = canvas.getContext('2d'), sizes = [[], []];
      for (const step of [0, 1]) {
        const write = c.fillText;
        c.fillText = function (...words) { sizes[step].push(parseFloat(/([\d.]+)px/.exec(this.font)[1])); write.apply(this, words); };
        if (step) picture.zoomAt(0, 0, 1.6);
        picture.draw(c);
        delete c.fillText;
      }
      const opened = item => item < picture.tree.count || !picture.tree.groups[item - picture.tree.count].state;
      return {shown: picture.tree.groups.length, layout: [picture.layout.width, picture.layout.height], sizes: sizes.map(list => Math.min(...list)), leaves: opened(0)};
    });
    assert.ok(shown > 10);
    assert.ok(Math.max(layout[0] / layout[1], layout[1] / layout[0]) <= 1.6, layout.join());
    assert.ok(sizes[0] >= 6 && sizes[1] >= 9, sizes.join());
    const list = await boxes(tab);
    assert.ok(list.length >= 40 && list.length <= 200, `${list.length} boxes`);
    assert.ok(list.some(text => /^convolution, [\d.]+ µs$/.test(text)), list.slice(0, 5).join());
    await tab.screenshot(join(screenshots, 'graph_mv2_xnnpack.png'));
    clean(tab);
  });

  it('breaks long chains for the pane that it has first, and for another one when the reader fits the picture', async () => {
    const tab = await open('mv2_xnnpack'), columns = () => inPicture(tab, picture => Math.max(...picture.layout.inner.flatMap(inner => inner ? [1, ...inner.column ?? []] : [])));
    const resized = (width, height) => tab.page.waitForFunction(wide => document.querySelector('.graph-pane canvas').picture.full === document.querySelector('.graph-pane canvas').clientWidth && innerWidth === wide, width, {polling: 50});
    const [wide, {x, width}] = [await columns(), await inPicture(tab, picture => ({x: Array.from(picture.layout.x), width: picture.layout.width}))];
    await tab.page.setViewportSize({width: 620, height: 1100});
    await resized(620);
    assert.deepEqual([await columns(), await inPicture(tab, picture => Array.from(picture.layout.x))], [wide, x], 'the window alone moves nothing');
    await tab.page.locator('.graph-pane canvas').focus();
    await tab.page.keyboard.press('m');
    await tab.page.waitForFunction(before => document.querySelector('.graph-pane canvas').picture.layout.width < before, width);
    assert.ok(await columns() < wide, `${await columns()} of ${wide} columns`);
    clean(tab);
  });

  it('selects everywhere what is clicked, and shows it when it is selected elsewhere', async () => {
    const tab = await open('mv2_xnnpack');
    await tab.page.mouse.click(...await placeOf(tab, 'aten_convolution_default_3'));
    await until(tab, 'sel=node:aten_convolution_default_3');
    await tab.page.getByRole('complementary', {name: 'Details of aten_convolution_default_3'}).waitFor();
    assert.ok(await inPicture(tab, picture => picture.chosen.size === 1 && picture.marks !== null));
    await tab.page.evaluate(() => { location.hash = '#view=graph&sel=node:aten_convolution_default_40'; });
    await tab.page.waitForFunction(() => { const {picture} = document.querySelector('.graph-pane canvas'), node = picture.tree.graph.names.indexOf('aten_convolution_default_40'), place = picture.placeOf(node); return place.id === node && (picture.y + place.y) * picture.zoom > 0 && (picture.y + place.y) * picture.zoom < picture.height; });
    clean(tab);
  });

  it('keeps what is open in the address: reload shows it, Back takes it back', async () => {
    const tab = await open('mv2_xnnpack'), before = await boxes(tab), closed = tab.page.locator('.graph-pane ul button[aria-expanded=false]').first();
    await closed.evaluate(button => button.click());
    await until(tab, 'graph.open=edge=');
    await tab.page.waitForFunction(count => document.querySelectorAll('.graph-pane ul button').length > count, before.length);
    const after = await boxes(tab);
    await tab.page.reload();
    await drawn(tab);
    await tab.page.waitForFunction(count => document.querySelectorAll('.graph-pane ul button').length === count, after.length);
    assert.deepEqual(await boxes(tab), after);
    await tab.page.goBack();
    await tab.page.waitForFunction(count => document.querySelectorAll('.graph-pane ul button').length === count, before.length);
    clean(tab);
  });

  it('walks along edges by the arrow keys', async () => {
    const tab = await open('unet_xnnpack', 'sel=node:aten_gelu_default'), selected = async () => /sel=node:([^&]*)/.exec(await addressOf(tab))?.[1];
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp']) {
      const from = await selected();
      await tab.page.keyboard.press(key);
      await tab.page.waitForFunction(name => !decodeURIComponent(location.hash).includes(`sel=node:${name}&`) && !decodeURIComponent(location.hash).endsWith(`sel=node:${name}`), from);
      const to = await selected();
      assert.ok(await inPicture(tab, (picture, canvas, [a, b]) => { const {names, start, from: producers} = picture.tree.graph, [i, j] = [names.indexOf(a), names.indexOf(b)]; return Array.from(producers.slice(start[j], start[j + 1])).includes(i); }, key === 'ArrowDown' ? [from, to] : [to, from]), `${key}: ${from} to ${to}`);
    }
    clean(tab);
  });

  it('marks the hits of a search, and n goes to the next', async () => {
    const tab = await open('mv2_xnnpack', 'q=op:hardtanh');
    await tab.page.waitForFunction(() => document.querySelector('.graph-pane canvas').picture.found?.some(Boolean));
    const found = await inPicture(tab, picture => Array.from(picture.found).map((is, item) => (is && item < picture.tree.count ? picture.tree.graph.ops[picture.tree.graph.op[item]] : null)).filter(Boolean));
    assert.deepEqual([...new Set(found)], ['aten.hardtanh.default']);
    await tab.page.locator('.graph-pane canvas').focus();
    await tab.page.keyboard.press('n');
    await until(tab, 'sel=node:aten_hardtanh_default');
    clean(tab);
  });

  it('shows counterparts in the other panes, one to many with the numbers of each', async () => {
    const tab = await open('llama_xnnpack', 'graph.panes=aten,edge,program&sel=node:aten_view_copy_default_4');
    for (const pane of [0, 1, 2]) {
      await drawn(tab, pane);
      await tab.page.waitForFunction(i => { const {picture} = document.querySelectorAll('.graph-pane canvas')[i]; return picture.chosen.size + picture.counterparts.size > 0; }, pane);
    }
    await tab.screenshot(join(screenshots, 'graph_llama_panes.png'));
    await tab.page.mouse.click(...await placeOf(tab, 'matmul', 0));
    await tab.page.locator('.graph-node').waitFor();
    const said = await tab.page.locator('.graph-node').innerText();
    assert.match(said, /^matmul \(ATen\): [2-9] operators: aten_\w+ [\d.]+ ms, aten_/);
    await tab.page.waitForFunction(() => { const {picture} = document.querySelectorAll('.graph-pane canvas')[1]; return picture.counterparts.size >= 2; });
    clean(tab);
  });

  it('shows the operator of a delegate that carries a fused one', async () => {
    const tab = await open('mv2_xnnpack', 'graph.panes=edge,program&sel=node:aten_hardtanh_default');
    for (const pane of [0, 1]) await drawn(tab, pane);
    await tab.page.waitForFunction(() => { const {picture} = document.querySelectorAll('.graph-pane canvas')[1]; return [...picture.counterparts, ...picture.chosen].length > 0; });
    clean(tab);
  });

  it('compares with the base: changes on one scale, what is new is hatched', async () => {
    const tab = await open('inserted_after', 'base=auto&graph.panes=edge,base&graph.color=change', 'inserted_before');
    await drawn(tab, 1);
    assert.match(await tab.page.locator('.graph-legend').innerText(), /change, [µm]s.*new/s);
    const hatched = await inPicture(tab, picture => Array.from(picture.shown.flags).flatMap((flag, item) => (flag & 2 && item < picture.tree.count ? [picture.tree.graph.modules[picture.tree.graph.module[item]]] : [])));
    assert.deepEqual(hatched, ['features.4', 'features.5']);
    assert.equal(await inPicture(tab, picture => picture.shown.hottest), await inPicture(tab, picture => picture.shown.hottest, null, 1));
    assert.ok((await boxes(tab)).some(text => /^convolution, −/.test(text)), 'the list of boxes has the changes, not the times');
    clean(tab);
  });

  it('draws only the neighborhood of what is selected', async () => {
    const tab = await open('mv2_xnnpack', 'sel=node:aten_convolution_default_3');
    await tab.page.keyboard.press('o');
    await until(tab, 'graph.only=node:aten_convolution_default_3');
    await tab.page.waitForFunction(() => document.querySelector('.graph-pane canvas').picture?.tree.graph.count < 12);
    await tab.page.getByRole('button', {name: /only around/}).click();
    await tab.page.waitForFunction(() => document.querySelector('.graph-pane canvas').picture?.tree.graph.count > 100);
    clean(tab);
  });

  it('adds up: a folded repeat shows the sum and the median of all its instances, and any one can be shown', async () => {
    const tab = await open('llama_portable');
    const sums = await inPicture(tab, picture => { const {tree, shown} = picture, repeat = tree.groups.find(group => group.kind === 1); return {repeat: shown.values[repeat.id], inside: Array.from(repeat.items).reduce((sum, item) => sum + shown.values[item], 0), whole: shown.whole, nodes: shown.values.slice(0, tree.count).reduce((sum, value) => sum + (value || 0), 0)}; });
    assert.ok(Math.abs(sums.repeat - sums.inside) < 1e-6 * sums.whole && Math.abs(sums.whole - sums.nodes) < 1e-6 * sums.whole, JSON.stringify(sums));
    const nodes = JSON.parse(run('nodes', join(fixtures, 'llama_portable'), '--format', 'json', '--unit', 'ns')).graphs.find(({module}) => module === 'edge').nodes;
    assert.ok(Math.abs(sums.whole - nodes.reduce((sum, {typical}) => sum + (typical ?? 0), 0)) < 1e-6 * sums.whole, 'the sum of the boxes is that of the command');
    await tab.page.locator('.graph-pane canvas').focus();
    await tab.page.keyboard.press(']');
    await until(tab, 'i1');
    assert.equal(await inPicture(tab, picture => picture.tree.groups.find(group => group.kind === 1).chosen), 1);
    clean(tab);
  });

  it('draws every overlay, with a legend', async () => {
    const tab = await open('mv2_xnnpack'), choice = tab.page.getByLabel('Color');
    for (const key of await choice.locator('option').evaluateAll(list => list.map(({value}) => value))) {
      await choice.selectOption(key);
      await tab.page.waitForFunction(color => color === 'time' || decodeURIComponent(location.hash).includes(`graph.color=${color}`), key);
      assert.ok((await tab.page.locator('.graph-legend').innerText()).length > 5, key);
    }
    await openMore(tab);
    await tab.page.getByLabel('longest path').check();
    await tab.page.waitForFunction(() => document.querySelector('.graph-pane canvas').picture.marks?.item.some(mark => mark & 8));
    clean(tab);
  });

  it('colors by values of the reader, and says what is wrong with a file', async () => {
    const tab = await open('mv2_xnnpack'), file = tab.page.getByLabel('File of node,value'), give = (name, text) => file.setInputFiles({name, mimeType: 'text/csv', buffer: Buffer.from(text)});
    await give('mine.csv', 'node,value\naten_convolution_default,12.5\n"aten_hardtanh_default",3\n');
    await until(tab, 'graph.color=own');
    await tab.page.waitForFunction(() => document.querySelector('.graph-pane canvas').picture.shown.hottest === 12.5);
    assert.match(await tab.page.locator('.graph-legend').innerText(), /mine\.csv/);
    await give('mine.json', '[{"node": "aten_convolution_default", "value": -2}]');
    await tab.page.waitForFunction(() => document.querySelector('.graph-pane canvas').picture.shown.overlay.scale === 'change');
    await give('bad.csv', 'nothing here');
    assert.match(await tab.page.getByRole('alert').innerText(), /bad\.csv: no line of the form node,value/);
    clean(tab);
  });

  it('gives the picture as SVG', async () => {
    const tab = await open('unet_xnnpack');
    await openMore(tab);
    const [saved] = await Promise.all([tab.page.waitForEvent('download'), tab.page.getByRole('button', {name: 'Save as SVG'}).click()]), path = join(folder, saved.suggestedFilename());
    await saved.saveAs(path);
    const svg = readFileSync(path, 'utf8');
    assert.match(svg, /^<svg xmlns/);
    assert.ok(await tab.page.evaluate(text => !new DOMParser().parseFromString(text, 'image/svg+xml').querySelector('parsererror'), svg));
    for (const part of ['upsample_bilinear2d', 'down1', 'typical, µs']) assert.ok(svg.includes(part), part);
    clean(tab);
  });

  const pictureOf = tab => inPicture(tab, ({zoom, x, y, full, width, mapArea, layout}) => ({zoom, x, y, full, width, map: mapArea, right: (x + layout.width) * zoom, bottom: (y + layout.height) * zoom}));
  const press = async (tab, name) => {
    if (name !== 'Fit') await openMore(tab);
    await tab.page.locator('.graph .toolbar').getByRole('button', {name, exact: true}).click();
  };
  const settled = (tab, zoom) => tab.page.waitForFunction(wanted => Math.abs(document.querySelector('.graph-pane canvas').picture.zoom - wanted) < 1e-3, zoom);
  const openGroups = tab => inPicture(tab, ({tree}) => tree.groups.filter(({id, state}) => id !== tree.root && state > 0).length);

  it('has the map in a strip of its own, which is there only if not all is in view', async () => {
    for (const record of process.env.ALL ? ['mv2_xnnpack', 'llama_portable'] : ['mv2_xnnpack']) {
      const tab = await open(record, '', null), first = await pictureOf(tab);
      assert.ok(first.map.x > first.width && first.width < first.full, JSON.stringify(first));
      assert.ok(await inPicture(tab, picture => { for (let y = 0; y < picture.height; y += 5) if (picture.at(picture.mapArea.x + 9, y)) return false; return true; }), 'nothing is below the map');
      await press(tab, 'Fit');
      await tab.page.waitForFunction(() => !document.querySelector('.graph-pane canvas').picture.mapArea);
      const {right, bottom, full, x, y} = await pictureOf(tab);
      assert.ok(x >= 0 && y >= 0 && right <= full && bottom <= 800, `${record}: ${right} x ${bottom}`);
      clean(tab);
    }
  });

  it('shows the whole, closes all and opens all by buttons and keys, and Back takes each back', async () => {
    const tab = await open('mv2_xnnpack'), first = await pictureOf(tab), before = await openGroups(tab);
    await tab.page.locator('.graph-pane canvas').focus();
    await tab.page.keyboard.press('0');
    await until(tab, 'graph.view=edge=');
    await tab.page.waitForFunction(zoom => document.querySelector('.graph-pane canvas').picture.zoom < zoom, first.zoom);
    await tab.page.goBack();
    await settled(tab, first.zoom);
    await tab.page.keyboard.press('c');
    await until(tab, 'graph.open=edge=*c');
    assert.equal(await openGroups(tab), 0);
    await press(tab, 'Open all');
    await until(tab, 'graph.open=edge=*o');
    assert.equal(await openGroups(tab), await inPicture(tab, ({tree}) => tree.groups.length - 1));
    await tab.page.reload();
    await drawn(tab);
    assert.equal(await openGroups(tab), await inPicture(tab, ({tree}) => tree.groups.length - 1));
    await tab.page.goBack();
    await tab.page.waitForFunction(() => { const {tree} = document.querySelector('.graph-pane canvas').picture; return tree.groups.every(({id, state}) => id === tree.root || state === 0); });
    await tab.page.goBack();
    await settled(tab, first.zoom);
    assert.equal(await openGroups(tab), before);
    await tab.page.keyboard.press('?');
    for (const said of ['Show the whole graph', 'Close all groups', 'Open all groups']) await tab.page.getByRole('dialog', {name: 'Keys'}).getByText(said).waitFor();
    clean(tab);
  });

  it('goes back to the very place that was left', async () => {
    const tab = await open('mv2_xnnpack');
    await tab.page.mouse.move(400, 400);
    await tab.page.mouse.wheel(0, -300);
    const {zoom, x, y} = await pictureOf(tab);
    await tab.page.locator('.graph-pane canvas').focus();
    await tab.page.keyboard.press('c');
    await until(tab, 'graph.open=edge=*c');
    await tab.page.goBack();
    await settled(tab, zoom);
    const now = await pictureOf(tab);
    assert.ok(Math.abs(now.x - x) < 0.1 && Math.abs(now.y - y) < 0.1, JSON.stringify([now, x, y]));
    clean(tab);
  });

  it('offers groups of delegates only where they are boxes', async () => {
    const tab = await open('mv2_xnnpack'), button = tab.page.locator('.menu.more .segments').getByRole('button', {name: 'Delegates', includeHidden: true});
    assert.ok(await button.isDisabled());
    assert.match(await button.getAttribute('title'), /areas here, not boxes/);
    await openMore(tab);
    await tab.page.getByRole('group', {name: 'Graphs'}).getByRole('button', {name: 'Program'}).click();
    await drawn(tab, 1);
    await openMore(tab);
    await button.click();
    await until(tab, 'graph.by=delegate');
    clean(tab);
  });

  it('writes times in one unit, and never a bare 0; what is fused says into what', async () => {
    const tab = await open('mv2_xnnpack'), texts = () => inPicture(tab, (picture, canvas) => {
      const c = canvas.getContext('2d'), said = [], write = c.fillText;
      c.fillText = function (text, ...rest) { said.push(text); write.call(this, text, ...rest); };
      picture.draw(c);
      delete c.fillText;
      return said;
    });
    const isWhole = all => all.some(text => /^<1(\.0)?$/.test(text)) && all.includes('fused'), legend = () => tab.page.locator('.graph-legend').innerText();
    let both = await texts();
    for (let tries = 0; tries < 100 && !isWhole(both); tries++) both = await texts(); // the picture may still be laid out anew
    assert.match(await legend(), /typical, µs\s+XNNPACK\s+stronger: more/);
    assert.ok(both.includes('46.8') || both.includes('36'), both.slice(0, 20).join());
    assert.ok(isWhole(both), both.join());
    assert.ok( !both.includes('0.0') && !both.some(text => /^(median )?0( |$)/.test(text) && !both.includes('▾ 0')));
    const unit = tab.page.getByLabel('Unit of times');
    await tab.page.locator('details.settings').evaluate(menu => menu.setAttribute('open', ''));
    await unit.selectOption('us');
    await unit.selectOption('ms');
    await tab.page.waitForFunction(() => /typical, ms/.test(document.querySelector('.graph-legend').innerText));
    const fused = await placeOf(tab, 'aten__native_batch_norm_legit_no_training_default');
    await tab.page.mouse.move(...fused);
    assert.match(await tab.page.locator('.graph-tip').innerText(), /fused into aten_convolution_default, whose time includes it/);
    clean(tab);
  });

  it('shows all of the tooltip of a box at the lower edge', async () => {
    const tab = await open('llama_xnnpack');
    const [x, y] = await inPicture(tab, (picture, canvas) => {
      const box = canvas.getBoundingClientRect();
      for (let py = picture.height - 6; py > 0; py -= 3) for (let px = 10; px < picture.width; px += 7) if (picture.at(px, py) && !picture.at(px, py).act) return [box.left + px, box.top + py];
      return null;
    });
    await tab.page.mouse.move(x, y);
    const tip = await tab.page.locator('.graph-tip').boundingBox(), canvas = await tab.page.locator('.graph-canvas').boundingBox();
    assert.ok(tip.y >= canvas.y && tip.y + tip.height <= canvas.y + canvas.height, JSON.stringify({tip, canvas}));
  });

  it('outlines delegates, and names them at the pointer', async () => {
    const tab = await open('mv2_xnnpack');
    assert.match(await tab.page.locator('.graph-legend').innerText(), /outline with a number: one of 1 delegate, by the instruction that calls it/);
    const [x, y] = await inPicture(tab, (picture, canvas) => {
      const box = canvas.getBoundingClientRect();
      for (let py = 60; py < picture.height; py += 7) for (let px = 10; px < picture.width; px += 7) if (picture.at(px, py)?.act === 'tint') return [box.left + px, box.top + py];
      return null;
    });
    await tab.page.mouse.move(x, y);
    assert.match(await tab.page.locator('.graph-tip').innerText(), /XnnpackBackend @\d+\s+one of 1 delegate, called by instruction \d+\s+\d+ nodes/);
    const many = await open('llama_xnnpack');
    assert.match(await many.page.locator('.graph-legend').innerText(), /one of \d+ delegates/);
    clean(tab);
  });

  it('lists the instances of a repeat, of which any can be chosen', async () => {
    const tab = await open('llama_portable'), list = tab.page.getByRole('listbox', {name: /Instances of layers/});
    const [x, y] = await inPicture(tab, (picture, canvas) => { const box = canvas.getBoundingClientRect(), at = Array.from({length: picture.areas.length / 6}, (_, i) => picture.areas.slice(6 * i, 6 * i + 6)).find(area => picture.at(area[0] + 1, area[1] + 1)?.act === 'choose'); return [box.left + at[0] + 8, box.top + at[1] + at[3] / 2]; });
    await tab.page.mouse.click(x, y);
    await list.waitFor();
    const area = await list.boundingBox(), canvas = await tab.page.locator('.graph-pane canvas').boundingBox();
    assert.ok(area.x >= canvas.x && area.y >= canvas.y && area.x + area.width <= canvas.x + canvas.width && area.y + area.height <= canvas.y + canvas.height, 'all of the list is in the picture');
    assert.equal(await list.locator('option').count(), 32);
    assert.match(await list.locator('option').nth(31).innerText(), /^31 · [\d.]+ ms$/);
    await list.press('End');
    await list.press('Enter');
    await until(tab, 'i31');
    await list.waitFor({state: 'detached'});
    assert.equal(await inPicture(tab, picture => picture.tree.groups.find(group => group.kind === 1).chosen), 31);
    clean(tab);
  });

  it('can be used by keys alone: the picture has a visible focus, and boxes are buttons of a list', async () => {
    const tab = await open('unet_xnnpack', 'graph.list=1');
    await tab.page.locator('.graph .menu.more > summary').focus();
    await tab.page.keyboard.press('Tab');
    const {width, offset, tag} = await tab.page.evaluate(() => { const style = getComputedStyle(document.activeElement); return {tag: document.activeElement.tagName, width: parseFloat(style.outlineWidth), offset: parseFloat(style.outlineOffset)}; });
    assert.ok(tag === 'CANVAS' && width >= 2 && offset <= -width, `${tag}: outline of ${width}, ${offset} from the edge, beyond which nothing is drawn`);
    await tab.page.keyboard.press('ArrowDown');
    await tab.page.waitForFunction(() => /sel=node:|graph\.node=edge:/.test(decodeURIComponent(location.hash)));
    await tab.page.locator('.graph-list button[aria-expanded=true]').first().press('Enter');
    await until(tab, 'graph.open=edge=');
    clean(tab);
  });

  it('shows the legend in print, without controls', async () => {
    const tab = await open('mv2_xnnpack');
    await tab.page.emulateMedia({media: 'print'});
    assert.ok(await tab.page.locator('.graph-legend').isVisible() && await tab.page.locator('.graph-pane canvas').isVisible());
    assert.ok(!await tab.page.getByRole('button', {name: 'Close all'}).isVisible());
    clean(tab);
  });

  it('shows hostile names as text', async () => {
    const tab = await open('unet_xnnpack');
    await tab.page.evaluate(() => { const {picture} = document.querySelector('.graph-pane canvas'); picture.tree.graph.names.fill('<img src=x onerror=alert(1)>\u202e'); picture.tree.alias.fill('"><script>alert(1)</script>'); });
    const svg = await inPicture(tab, picture => picture.svg());
    assert.ok(!/<img|<script|\u202e/.test(svg), 'names stay text');
    clean(tab);
  });

  /** A report whose section of graphs is another one. */
  async function openWith(change) {
    path = join(folder, 'changed.html');
    const html = run('report', join(fixtures, 'mv2_xnnpack')), element = /(id="profile\.0\.graphs">)([^<]*)/, section = JSON.parse(gunzipSync(Buffer.from(element.exec(html)[2], 'base64')));
    change(section);
    writeFileSync(path, html.replace(element, (_, head) => head + gzipSync(JSON.stringify(section)).toString('base64')));
    await shown.page.goto('about:blank');
    await shown.page.goto(`file://${path}#view=graph&graph.panes=aten`);
    return shown;
  }

  /* modules/graph_layout.test.js lays out more that are extreme. */
  it('lays out a large graph in a worker, and damaged ones without an error', async () => {
    const large = await openWith(aten(6000));
    await drawn(large);
    assert.equal(await inPicture(large, picture => picture.tree.count), 6000);
    clean(large);
    for (const change of [aten(30, {subgraph: 0}, {subgraphs: {count: 1, path: ['a'], owner: [7]}}), aten(10, {inputs: Array(10).fill(1e9)})]) {
      const tab = await openWith(change);
      await tab.page.waitForFunction(() => document.querySelector('.graph-pane canvas')?.picture?.boxes > 0 || document.querySelector('.graph [role=alert]'));
      clean(tab);
    }
    const circles = await openWith(aten(50, {}, {inputs: Array.from({length: 49}, (_, i) => (i % 3 ? 1 : -5))}));
    await circles.page.getByText(/edges lead to an earlier node/).waitFor();
  });

  it('draws the loops of a program, and says where a jump goes', async () => {
    const tab = await open('p_map', 'graph.panes=program');
    await drawn(tab);
    const edges = await inPicture(tab, picture => picture.backward.map(({ends}) => ends.map(node => picture.tree.graph.names[node]).join(' ')));
    assert.deepEqual(edges, ['instruction_6 instruction_1', 'instruction_6 instruction_5', 'instruction_17 instruction_11', 'instruction_17 instruction_16']);
    const said = await inPicture(tab, picture => picture.tree.graph.names.map((name, node) => `${name}: ${picture.describe(node).shape}`).filter(text => text.includes('go to')));
    assert.deepEqual(said, ['instruction_8: if not value_14, go to instruction_1', 'instruction_19: if not value_31, go to instruction_11']);
    clean(tab);
  });

  it('has the aims of a picture in each mode, with control flow, two backends, and a record that is lowered already', async () => {
    for (const record of process.env.ALL ? ['control_flow', 'b_qnn', 'lowered_in_record'] : ['b_qnn']) {
      const tab = await open(record, 'graph.panes=aten,edge,program');
      for (const by of ['Delegates', 'No groups', 'Modules']) {
        await openMore(tab);
        const button = tab.page.locator('.menu.more .segments').getByRole('button', {name: by});
        if (await button.isEnabled()) await button.click();
        await drawn(tab);
      }
      await tab.screenshot(join(screenshots, `graph_${record}.png`));
      clean(tab);
    }
  });
});

describe('the graph in TensorBoard', options, () => {
  let server, tab;

  before(async () => {
    server = await TensorBoard.shared();
    tab = await new ExecuTorchTab().launch(VIEWPORT);
  });
  after(() => tab?.close());

  it('is laid out in a worker, which is the script that TensorBoard serves, where it is large', async () => {
    const workers = [], ended = [];
    tab.page.on('worker', worker => { workers.push(worker.url()); worker.on('close', () => ended.push(worker.url())); });
    await tab.page.route(/plugin\/etrecord\/profile\?/, async route => {
      const answer = await route.fetch(), document = await answer.json(), [method] = document.methods, section = {texts: document.texts, graphs: method.graphs};
      aten(6000)(section);
      await route.fulfill({response: answer, json: {...document, texts: section.texts}});
    });
    await tab.page.goto(`${server.url}#etrecord`);
    tab.frame = await (await tab.page.waitForSelector('iframe')).contentFrame();
    await tab.shown();
    await tab.view('Graph');
    await openMore(tab);
    await tab.frame.getByRole('group', {name: 'Graphs'}).getByRole('button', {name: 'ATen'}).click();
    await tab.frame.waitForFunction(() => document.querySelector('.graph-pane canvas')?.picture?.tree.count === 6000 && document.querySelector('.graph-pane canvas').picture.boxes > 0);
    assert.equal(workers.length, 1, workers.join());
    assert.match(workers[0], /\/data\/plugin\/etrecord\/page\.js/);
    assert.deepEqual(ended, workers, 'the worker has ended');
    assert.deepEqual(tab.errors, []);
  });
});
