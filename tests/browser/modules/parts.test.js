// SPDX-License-Identifier: BSD-3-Clause
//
// parts.test.js - what the page is made of, without a page: its texts, numbers, the search, the state, tables, the roofline, the fleet.

import assert from 'node:assert/strict';
import {readFileSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';

import {Columns, sortRows} from '../../../web/src/base/columns.js';
import {recordLabel} from '../../../web/src/base/document.js';
import {optionsOf, search, termsOf, without} from '../../../web/src/base/filter.js';
import {placesOfRoofline} from '../../../web/src/parts/roofline.js';
import {about, callsText, changeText, rateText, savingText, shareText, signOf, timeText, unitFor} from '../../../web/src/base/format.js';
import {visibleText} from '../../../web/src/base/html.js';
import {backendsOf, readProfile} from '../../../web/src/base/method.js';
import {declare, flag, follow, get, list, number, oneOf, set, text, written} from '../../../web/src/base/store.js';
import {timeColumn} from '../../../web/src/parts/bits.js';
import {editorLink} from '../../../web/src/parts/editor.js';
import {FORMATS} from '../../../web/src/parts/export.js';
import {ROW_HEIGHT, fittingColumns, rowsInSight} from '../../../web/src/parts/table.js';
import {recordsBeside, timedNodes} from '../../../web/src/views/compare.js';
import {snrText} from '../../../web/src/views/accuracy.js';
import {intervalText} from '../../../web/src/views/changes.js';
import {filterFleet, fleetLines, fleetRows, hparamsOf, previousRows} from '../../../web/src/views/fleet.js';
import {marksOf} from '../../../web/src/views/memory.js';

const SOURCES = fileURLToPath(new URL('../../../web/src/', import.meta.url));

describe('the roofline', () => {
  const points = [{x: 0.5, y: 2, time: 25}, {x: 20, y: 50, time: 100}], of = (peaks, given = points) => placesOfRoofline(given, peaks, 400, 300);

  it('has the most time first and largest, and whole decades around the rates', () => {
    const {at, ticksX, ticksY, roof} = of(null);
    assert.deepEqual(at.map(({r, point}) => [r, point.time]), [[22, 100], [11, 25]]);
    assert.deepEqual([ticksX, ticksY].map(list => list.map(([value]) => Number(value.toPrecision(3)))), [[0.1, 1, 10, 100], [1, 10, 100]]);
    assert.deepEqual([ticksX[0][1], ticksX.at(-1)[1], ticksY[0][1], ticksY.at(-1)[1]], [56, 378, 264, 12]);
    assert.ok(at.every(({x, y}) => x > 56 && x < 378 && y > 12 && y < 264) && at[0].x > at[1].x && at[0].y < at[1].y);
    assert.deepEqual(roof, [], 'no line without a peak');
  });

  it('has the line of the peaks: memory up to where arithmetic limits', () => {
    const {roof, ticksX, ticksY} = of({gflops: 100, gbs: 10});
    assert.deepEqual(roof.map(place => place.map(Math.round)), [[ticksX[0][1], ticksY[0][1]], [ticksX[2][1], ticksY[2][1]], [ticksX[3][1], ticksY[2][1]]].map(place => place.map(Math.round)));
    assert.equal(new Set(of({gflops: 100, gbs: null}).roof.map(([, y]) => y)).size, 1, 'arithmetic alone is level');
    assert.equal(of({gflops: null, gbs: 10}).roof.length, 3);
  });

  it('takes a single point', () => assert.ok(of(null, [{x: 1, y: 1, time: 1}]).at.every(({x, y}) => Number.isFinite(x) && Number.isFinite(y))));
});

describe('the text of the modules', () => {
  for (const name of readdirSync(SOURCES, {recursive: true}).filter(file => file.endsWith('.js'))) {
    const said = readFileSync(join(SOURCES, name), 'utf8');
    it(`${name} never makes markup of text, and asks no other host`, () => {
      assert.doesNotMatch(said, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|\beval\b|new Function|srcdoc/);
      assert.doesNotMatch(said.replaceAll('http://www.w3.org/2000/svg', ''), /https?:\/\//);
      assert.match(said, /^\/\/ SPDX-License\-Identifier: BSD-3-Clause\n/);
    });
  }
});

describe('numbers', () => {
  for (const [said, wanted] of [
    [timeText(1234567, 'ms'), '1.2346'], [timeText(1234567, 'us'), '1234.6'], [timeText(1234.6, 'ns'), '1235'], [timeText(1e9, 's'), '1.0000000'], [timeText(1000, 'cycles', {ticksPerSecond: 2e9}), '2000'],
    [timeText(null, 'ms'), '–'], [timeText(NaN, 'ms'), '–'], [shareText(1, 4), '25 %'], [shareText(0.004, 1), '0.4 %'], [shareText(1, 1e5), '<0.1 %'], [shareText(0, 4), '0 %'], [shareText(0.995, 1), '100 %'], [shareText(1, 0), '–'], [shareText(null, 4), '–'],
    [changeText(4, 5), '+25 %'], [changeText(4, 3), '−25 %'], [changeText(100, 102.5), '+2.5 %'], [changeText(4, 4), '0.0 %'], [changeText(0, 3), '–'], [signOf('-0.0000'), '0.0000'], [changeText(4, NaN), ''],
    [intervalText({interval: [-0.043, 0.132]}), '−4.3 … +13 %'], [intervalText({interval: [-0.95, 12]}), '−95 … +1200 %'], [intervalText({interval: [0.1, null]}), '+10 …  %'], [intervalText({interval: null}), ''], [intervalText(), ''],
    [intervalText({interval: [-0.7, 12], verdict: 'cannot_tell'}), '−70 …  %'], [intervalText({interval: [-0.92, 8], verdict: 'cannot_tell'}), ' … +800 %'], [intervalText({interval: [-0.92, 90200], verdict: 'cannot_tell'}), ''],
    [callsText(0), '–'], [callsText(1), '1'], [callsText(4 / 9), '0.44'],
    [rateText(null), '–'], [rateText(NaN), '–'], [rateText(0), '0'], [rateText(0.012345), '0.0123'], [rateText(12.345), '12.3'], [rateText(4321.5), '4,322'], [rateText(8624000), '8.62 M'], [rateText(99999), '100 k'],
    [recordLabel('a/b/1_edge/forward'), 'a/b'], [recordLabel('.'), '.'],
  ]) it(`${wanted}`, () => assert.equal(said, wanted));
});

/* Times in ns as a page shows them whose inference takes `whole` ns: three digits of the whole, one more of its parts. */
describe('digits', () => {
  const ms = 1e6, us = 1e3;
  for (const [ns, unit, whole, grain, wanted] of [
    [912.7 * ms, 'ms', 912.7 * ms, 1, '913'], [71.62 * ms, 'ms', 912.7 * ms, 1, '71.6'], [0.04 * ms, 'ms', 912.7 * ms, 1, '<0.1'], [976.8895 * ms, 'ms', 912.7 * ms, 1, '977'],
    [2.0134 * ms, 'ms', 2.0134 * ms, 1, '2.01'], [0.1236 * ms, 'ms', 2.01 * ms, us, '0.124'], [0.0004 * ms, 'ms', 2.01 * ms, us, '<0.001'], [0, 'ms', 2.01 * ms, us, '0'],
    [160.4 * us, 'us', 160.4 * us, 1, '160'], [81.52 * us, 'us', 404 * us, us, '82'], [81.52 * us, 'us', 404 * us, 41.7, '81.5'], [12.15 * ms, 'ms', 2.39 * ms, 1, '12.2'], [3175 * us, 'us', 402 * us, 1, '3180'],
    [-333.7 * us, 'us', 160 * us, 1, '-334'], [1.234e9, 's', 12e9, 1, '1.23'],
  ]) it(`${ns} ns of ${whole} by a clock of ${grain} is ${wanted} ${unit}`, () => assert.equal(timeText(ns, unit, {whole, grain}), wanted));
  for (const [ns, wanted] of [[999_999, 'us'], [1e6, 'ms'], [9.99e9, 'ms'], [1e10, 's'], [0, 'ms'], [NaN, 'ms']]) it(`${ns} ns are shown in ${wanted}`, () => assert.equal(unitFor(ns), wanted));
  for (const [saves, wanted] of [[{low: 303 * ms, high: 452 * ms}, '300 – 450'], [{low: null, high: 131 * ms}, 'up to 130'], [{low: 11 * ms, high: 11.2 * ms}, '11'], [{low: null, high: null}, ''], [{low: 0.76 * ms, high: 1.52 * ms}, '0.76 – 1.5']])
    it(`saves "${wanted}"`, () => assert.equal(savingText(saves, 'ms'), wanted));
});

/* A method with operators of two modules and backends; the third one was not timed. */
function smallMethod() {
  const operators = {count: 3, name: ['a', 'b', 'c'], op: [0, 0, 0], module: [1, 2, 3], match: [1, 1, null], backend: [2, 3, null], total: [1e6, 2e6, null], p50: [1e6, 2e6, null], gflops: [5, null, 6], intensity: [2, 2, 3], arithmetic: 4};
  const graph = {module: 'edge', modules: {path: ['', 'layers.1', 'layers.1.fc', 'layers.10'], parent: [-1, 0, 1, 0]}, sources: [], operators};
  const method = {method: 'forward', runs: 1, execute: {avg: 3e6, total: 3e6}, execute_per_run: [3e6], run_numbers: [0], runs_after_load: [0], nearest_run: 0, noise: null, phases_of_runs: [],
    balance: [], clock_hidden: 0, delegates: [], delegate_places: {count: 0}, findings: [], graph};
  return readProfile({schema: 'etrecord-tb/profile/1', texts: ['aten.add.Tensor', 'handle', 'cpu', 'X', 'float'], methods: [method], warnings: [], inputs: []}).methods[0];
}

describe('the search', () => {
  const method = smallMethod(), names = said => Array.from(search(method, said).rows, row => method.operators.name(row)).join('');
  for (const [said, found] of [
    ['', 'abc'], ['LAYERS.1 add', 'abc'], ['fc add', 'b'], ['fc mul', ''], ['cpu', ''], ['src:cpu', ''], ['backend:x', 'b'], ['timed:yes', 'ab'], ['timed:no', 'c'], ['module:layers.1', 'ab'], ['own:layers.1', 'a'], ['module:layers.*', 'abc'], ['op:add', 'abc'],
    ['op:aten.add.Tensor', 'abc'], ['op:aten.mul*', ''], ['/layers\\.1(\\.|$)/', 'ab'], ['avg>1.5', 'b'], ['avg<=1 op:add', 'a'], ['p50>=1', 'ab'], ['gflops>5', 'c'], ['"layers.1.fc"', 'b'],
  ]) it(`"${said}"`, () => assert.equal(names(said), found));

  it('says what it does not understand', () => assert.match(search(method, '/(/').problem, /regular expression/i));
  it('keeps spaces in quotes', () => assert.deepEqual(termsOf('a own:"b c" /d e/ f'), ['a', 'own:"b c"', '/d e/', 'f']));
  it('takes terms away', () => assert.equal(without('a backend:x b', 'backend'), 'a b'));
  it('becomes options of the command', () => assert.deepEqual([optionsOf('op:add module:layers.1'), optionsOf('conv'), optionsOf('')], [['--op', "'*add*'", '--module', "'layers.1'"], null, []]));
  it('knows where operators run', () => assert.deepEqual(backendsOf(method.operators), ['X', 'cpu']));
});

describe('the state', () => {
  const history = [''];
  let changed = null;
  declare({'test.text': text(), 'test.number': number(0), 'test.flag': flag(), 'test.one': oneOf('a', 'b', 'c'), 'test.list': list()});
  follow({read: () => history.at(-1), push: said => history.push(said), replace: said => (history[history.length - 1] = said), listen: f => (changed = f)});

  it('stands in the address, without defaults', () => {
    set({'test.text': 'a b&c=d/ä', 'test.number': 1 / 3, 'test.list': ['x,y', 'z']});
    assert.equal(written(), 'test.text=a+b%26c%3Dd/%C3%A4&test.number=0.333333333&test.list=x%2Cy,z'.replace('%2C', encodeURIComponent('%2C')).replace('%252C', '%252C'));
    assert.equal(history.at(-1), written());
  });
  it('comes back from it', () => {
    set({'test.text': '', 'test.one': 'b'});
    history.pop();
    changed();
    assert.deepEqual([get('test.text'), get('test.one'), get('test.list')], ['a b&c=d/ä', 'a', ['x,y', 'z']]);
  });
  it('changes the entry for what is not worth one', () => {
    const before = history.length;
    set({'test.number': 7}, {replace: true});
    assert.equal(history.length, before);
  });
  it('takes no nonsense from an address', () => {
    history.push('test.number=NaNx&test.one=zzz&test.flag=2&unknown=1&%=%&test.text=%E0%A4%A');
    changed();
    assert.deepEqual([get('test.number'), get('test.one'), get('test.flag'), get('test.text')], [0, 'a', false, '%E0%A4%A']);
  });
});

describe('columns', () => {
  const columns = new Columns({a: [1, null, 3], b: 5, c: null, t: [0, null, 1], u: 1, s: ['x', 'y', 'z']}, 3, ['zero', 'one']);
  it('are lists, single values or missing', () => {
    assert.deepEqual([[...columns.numbers('a')], [...columns.numbers('b')], [...columns.numbers('c')], [...columns.indices('a')], [...columns.indices('none')]], [[1, NaN, 3], [5, 5, 5], [NaN, NaN, NaN], [1, -1, 3], [-1, -1, -1]]);
    assert.deepEqual([0, 1, 2].map(row => columns.text('t', row)), ['zero', null, 'one']);
    assert.deepEqual([columns.text('u', 2), columns.text('s', 1), columns.text('none', 0), columns.has('c'), columns.has('b')], ['one', 'y', null, false, true]);
  });
});

describe('tables', () => {
  it('sort what has no value last, either way', () => {
    const values = [3, null, 1, 2, NaN], sorted = descending => sortRows(values, value => value, descending);
    assert.deepEqual([sorted(false), sorted(true)], [[1, 2, 3, null, NaN], [3, 2, 1, null, NaN]]);
  });

  it('draw few rows, wherever they were scrolled to', () => {
    for (const top of [0, 1000, 20_000 * ROW_HEIGHT, -5]) {
      const {first, end} = rowsInSight(top, 800, 20_000);
      assert.ok(end - first < 60 && first >= 0 && end <= 20_000);
      if (top >= 0 && top < 19_000 * ROW_HEIGHT) assert.ok(first * ROW_HEIGHT <= top && end * ROW_HEIGHT >= top + 800);
    }
  });

  it('leave out the columns for wide pages until the others have room', () => {
    const all = [{key: 'name', width: 'minmax(200px, 2fr)'}, {key: 'rate', width: '80px', from: 300}, {key: 'between', width: '110px', from: 400}, {key: 'verdict', width: '110px'}], keys = room => fittingColumns(all, room).map(({key}) => key);
    assert.deepEqual([keys(0), keys(600)], [['name', 'verdict'], ['name', 'rate', 'between', 'verdict']]);
    assert.deepEqual([keys(540), keys(430), keys(390)], [['name', 'rate', 'verdict'], ['name', 'rate', 'verdict'], ['name', 'verdict']]);
    assert.deepEqual(keys(200), ['name', 'verdict'], 'what is always shown stays');
  });

  const columns = [{key: 'a', title: 'name', text: row => row.a}, {key: 'b', title: 'time', number: true, value: row => row.b, text: row => String(row.b)}, {key: 'bar', title: '', cell: () => 'drawn'}], rows = [{a: 'x|y, "z"', b: 1.5}, {a: '=1+1', b: NaN}];
  it('are copied as Markdown', () => assert.equal(FORMATS.Markdown(columns, rows), '| name | time |\n|---|--:|\n| x\\|y, "z" | 1.5 |\n| =1+1 | NaN |'));
  it('are copied as CSV, in which no cell is a formula', () => assert.equal(FORMATS.CSV(columns, rows), 'name,time\n"x|y, ""z""",1.5\n\'=1+1,NaN'));
  it('are copied as JSON', () => assert.deepEqual(JSON.parse(FORMATS.JSON(columns, rows)), [{name: 'x|y, "z"', time: 1.5}, {name: '=1+1', time: null}]));
  it('name the unit of the values in JSON, and have counts as numbers', () => {
    const time = timeColumn('t', 'avg', '', ({ns}) => ns), count = {key: 'n', title: 'nodes', number: true, text: ({n}) => n.toLocaleString('en-US')};
    assert.deepEqual([time.title, time.head], ['avg, ms', 'avg ms']);
    assert.deepEqual(JSON.parse(FORMATS.JSON([time, count], [{ns: 124530, n: 1234}])), [{'avg ns': 124530, nodes: 1234}]);
    assert.equal(FORMATS.CSV([timeColumn('t', 'avg', '', ({ns}) => ns, {estimated: () => 1})], [{ns: 124530}, {ns: NaN}]), 'avg ms\n0.1245\n', 'numbers without marks');
  });

  it('list what was timed, new and gone among the others', () => {
    const node = (name, base_p50, new_p50) => ({name, base_runs: base_p50 === null ? 0 : 3, new_runs: new_p50 === null ? 0 : 3, base_p50, new_p50});
    assert.equal(timedNodes([node('a', 3, 4), node('b', null, 3), node('c', null, null), node('d', 5, null), node('e', 9, 7)]).map(({name}) => name).join(''), 'dbea');
  });
});

describe('links to an editor', () => {
  for (const [pattern, made] of [['vscode://file/{file}:{line}', 'vscode://file//src/a%20b.py:7'], ['', null], ['javascript:alert("{file}")', null], [' JavaScript:{file}', null], ['{file}', null]])
    it(`"${pattern}"`, () => assert.equal(editorLink(pattern, {file: '/src/a b.py', line: 7}), made));
});

describe('axes', () => {
  it('have round marks, and none that would cover one that is given', () => {
    for (const [end, count, given, texts] of [[23776, 4, [], ['0', '10000', '20000']], [23776, 4, [{at: 1, text: 'planned'}], ['0', '10000', '20000', 'planned']], [23776, 4, [{at: 0.84, text: 'planned'}], ['0', '10000', 'planned']],
      [1, 10, [], ['0', '1']], [317, 10, [], ['0', '50', '100', '150', '200', '250', '300']]]) assert.deepEqual(marksOf(end, count, String, given).map(({text}) => text), texts, `${end}`);
  });

  it('have no SNR beyond which values are equal', () => { for (const [snr, said] of [[100, 'equal'], [41.26, '41.3'], [-3, '-3.0'], [NaN, '']]) assert.equal(snrText(snr), said); });
});

describe('the fleet', () => {
  const method = (name, typical, parts = ['a']) => ({method: name, runs: 3, skipped_runs: 0, model: 'm.Wrapper', parts, execute: {typical, min: typical, max: typical}, delegated_time_share: 0});
  const entry = (label, written, hparams, ...methods) => ({run: label, label, written: 60 * written, head: {schema: 'etrecord-tb/head/1', ticks_per_second: 1e9, recorded: null, hparams, methods}});
  const rows = fleetRows([entry('late', 3, {device: 's24', 'Cores': '4'}, method('f', 2)), entry('early', 1, {device: 'pixel8'}, method('f', 1), method('g', null)), entry('other', 2, {device: 'pixel8'}, method('f', 9, ['b'])),
    {run: 'old', label: 'old', written: 240, head: null}, {run: 'next', label: 'next', written: 300, head: {schema: 'etrecord-tb/head/2'}}]);
  const labels = found => found.map(row => `${row.label} ${row.method}`.trim());

  it('has its rows by date', () => assert.deepEqual(labels(rows), ['early f', 'early g', 'other f', 'late f', 'old', 'next']));
  it('goes by the time of recording, where it is known', () => {
    const [a, b] = [entry('a', 1, {}, method('f', 1)), entry('b', 2, {}, method('f', 1))];
    a.head.recorded = 180;
    assert.deepEqual(labels(fleetRows([a, b])), ['b f', 'a f']);
  });
  it('knows what has no head that it can read', () => assert.deepEqual(rows.map(row => Boolean(row.isBroken)), [false, false, false, false, true, true]));
  it('has a column for each fact', () => assert.deepEqual(hparamsOf(rows), ['Cores', 'device']));

  it('filters', () => {
    for (const [text, found] of [['', 6], ['PIXEL', 3], ['device=pixel8', 3], ['device=pixel8 method=g', 1], ['cores=4', 1], ['device=', 4], ['nothing=4', 0], ['wrapper', 4]]) assert.equal(filterFleet(rows, text).length, found, text);
  });

  it('has an order, and a change, only of what was recorded a minute apart', () => {
    const [b2, b10, a, later] = [['b2', 1], ['b10', 1.5], ['a', 1.9], ['later', 2.6]].map(([label, minute]) => entry(label, minute, {}, method('f', 1)));
    const ordered = fleetRows([later, b10, a, b2]), previous = previousRows(fleetLines(ordered, ''));
    assert.deepEqual(labels(ordered), ['a f', 'b2 f', 'b10 f', 'later f']);
    assert.deepEqual(ordered.map(row => previous.get(row)?.label), [undefined, undefined, undefined, 'b10']);
  });

  it('draws no line through different models, nor through what was not timed', () => {
    assert.deepEqual(fleetLines(rows, '').map(line => labels(line.rows)), [['early f', 'late f'], ['other f']]);
    assert.deepEqual(fleetLines(rows, 'device').map(line => labels(line.rows)), [['early f'], ['other f'], ['late f']]);
  });

  it('calls no two lines alike', () => {
    assert.deepEqual(fleetLines(rows, '').map(line => line.label), ['early · Wrapper · f', 'other · Wrapper · f']);
    assert.deepEqual(fleetLines(rows, 'device').map(line => line.label), ['early · Wrapper · f · pixel8', 'other · Wrapper · f · pixel8', 'Wrapper · f · s24']);
  });
});

describe('the ETDumps of a record', () => {
  it('are runs that were written together in one folder; the base of a `bench --against` is none of them', () => {
    const all = [['a/etdump-1', 5], ['a/etdump-2/1_edge/forward', 5], ['a/2026', 6], ['a/2026/base', 6], ['a/b/etdump-1', 7]].map(([run, written]) => ({run, written}));
    assert.deepEqual(all.map(({run}) => recordsBeside(all, run).length), [2, 2, 1, 1, 1]);
  });
});

describe('texts', () => {
  it('mark a sum as estimated if a hundredth of it is', () => {
    for (const [mark, ...given] of [['≈ ', 1, 100], ['', 0.9, 100], ['', 0, 0], ['≈ ', Infinity, 0], ['≈ ', Infinity, 5]]) assert.equal(about(...given), mark, given.join(' of '));
  });

  it('show the characters that the terminal shows', () => {
    const source = readFileSync(new URL('../../../lib/base/utf8.c', import.meta.url), 'utf8');
    const controls = [...source.match(/controls\[\] = \{(.*?)\};/s)[1].matchAll(/\{(\w+), (\w+)\}/g)].map(([, first, last]) => [Number(first), Number(last)]);
    assert.ok(controls.length > 3);
    for (let code = 0; code <= 0x10ffff; code++) {
      const isControl = code !== 9 && code !== 10 && controls.some(([first, last]) => first <= code && code <= last); // the page's own texts have tabs and line ends
      assert.equal(visibleText(String.fromCodePoint(code)), isControl ? '?' : String.fromCodePoint(code), code.toString(16));
    }
  });
});
