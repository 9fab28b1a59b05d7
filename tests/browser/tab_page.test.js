// SPDX-License-Identifier: BSD-3-Clause
//
// tab_page.test.js - a page that was closed and is used again, which is faster, tells nothing of what was done in it.

import assert from 'node:assert/strict';
import {createServer} from 'node:http';
import {after, before, describe, it} from 'node:test';

import {missing} from './environment.js';
import {TabPage} from './tab_page.js';

describe('a page that is used again', {skip: missing()}, () => {
  const server = createServer((_, answer) => answer.setHeader('Content-Type', 'text/html').end('<p>a page'));
  let url;

  before(async () => {
    await new Promise(done => server.listen(0, '127.0.0.1', done));
    url = `http://127.0.0.1:${server.address().port}/`;
  });

  after(() => server.close());

  const seen = tab => tab.page.evaluate(async () => {
    const {state} = await navigator.permissions.query({name: 'clipboard-read'}), isDark = matchMedia('(prefers-color-scheme: dark)').matches, isPrint = matchMedia('print').matches;
    return {stored: [localStorage.length, sessionStorage.length, document.cookie], state, isDark, isPrint, entries: history.length, width: innerWidth};
  });

  it('is as a new one', async () => {
    const first = await new TabPage().launch(), {page} = first;
    await page.goto(url);
    const fresh = await seen(first);
    page.on('pageerror', () => assert.fail('a listener is left'));
    await page.route('**/*', route => route.abort());
    await first.context.grantPermissions(['clipboard-read']);
    await page.emulateMedia({media: 'print', colorScheme: 'dark'});
    await page.evaluate(() => {
      for (const store of [localStorage, sessionStorage]) store.setItem('a', 'b');
      document.cookie = 'a=b';
      for (let at = 0; at < 60; at++) location.hash = at;
    });
    assert.notDeepEqual(await seen(first), fresh);
    await first.close();
    const next = await new TabPage().launch();
    assert.equal(next.page, page);
    await page.goto(url);
    assert.deepEqual(await seen(next), {...fresh, entries: 2}); // about:blank and this
    await page.evaluate(() => setTimeout(() => { throw new Error('a mistake'); }));
    await page.waitForEvent('pageerror');
    assert.deepEqual(next.errors, ['a mistake']);
    assert.deepEqual(first.errors, []);
    await next.close();
  });
});
