// SPDX-License-Identifier: BSD-3-Clause
//
// bundle.test.js - the committed bundle is what build.mjs makes of the sources, which the type checker has seen then, holds the licences of what is in it, and is small.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';

const WEB = fileURLToPath(new URL('../../../web/', import.meta.url)), LARGEST = 128 * 1024; // bytes, compressed as reports hold it
const OUT_OF_DATE = 'out of date: npm ci --prefix web && npm run build --prefix web';

describe('the bundle', () => {
  it('is made of the sources, as its checksum says', async () => {
    const {sumOf} = await import(join(WEB, 'sum.mjs'));
    assert.equal(sumOf(WEB), readFileSync(join(WEB, 'page.sum'), 'utf8'), OUT_OF_DATE);
  });

  it('is made of the sources, byte by byte, and they have no mistakes in types', {skip: Boolean(process.env.EVERY)}, () => {
    const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
    try {
      execFileSync(process.execPath, [join(WEB, 'build.mjs'), folder]);
      for (const name of ['page.js', 'page.css', 'NOTICE', 'page.sum']) assert.ok(readFileSync(join(folder, name)).equals(readFileSync(join(WEB, name))), `web/${name}: ${OUT_OF_DATE}`);
    } finally {
      rmSync(folder, {recursive: true});
    }
  });

  it('holds the licences of what is in it', () => {
    const head = readFileSync(join(WEB, 'page.js'), 'utf8').slice(0, 30_000);
    for (const name of ['preact', '@preact/signals', '@preact/signals-core']) assert.match(head, new RegExp(`^${name} [\\d.]+ \\(`, 'm'));
    assert.match(head, /Permission is hereby granted/);
  });

  it('has calls in place of templates, which make what htm makes', async () => {
    const {compileTemplates} = await import(join(WEB, 'templates.mjs')), {default: htm} = await import(join(WEB, 'node_modules/htm/dist/htm.mjs'));
    const element = (tag, properties, ...children) => ({tag, properties, children}), spread = {b: 2}, text = 'x', Tag = 'section';
    const run = (source, html) => new Function('html', 'spread', 'text', 'Tag', `return ${source}`)(html, spread, text, Tag);
    for (const template of [
      'html`<p>a</p>`', 'html`<p class="a ${text} b" title=${text} hidden />`', 'html`<p ...${spread} a=1 ...${{c: 3}}>${text}</p>`',
      'html`<${Tag} a=${1}>\n  word\n  ${text} and "quotes" \\ ${[1, 2].map(at => html`<i>${at}</i>`)}\n</${Tag}>`',
      'html`<a /><b>${text ? html`<i>${`${text}!`}</i>` : null}</b>`', 'html``', 'html`${text}`', 'html`<p x=${text}${1}>a <!-- no --> b</p>`', '[`${html`<p />`.tag}`, 1]',
    ]) assert.deepEqual(run(compileTemplates(template), element), run(template, htm.bind(element)), template);
  });

  it('is small', () => assert.ok(gzipSync(readFileSync(join(WEB, 'page.js')), {level: 9}).length <= LARGEST));
  it('names no host but that of SVG', () => assert.deepEqual([...new Set(readFileSync(join(WEB, 'page.js'), 'utf8').replace(/^\/\*![^]*?\*\//, '').match(/https?:\/\/[^"'`/]*/g))].filter(host => !/www\.w3\.org$/.test(host)), []));
});
