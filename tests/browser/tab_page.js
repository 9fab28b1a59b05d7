// SPDX-License-Identifier: BSD-3-Clause
//
// tab_page.js - a page of Chromium, with what it complained about.

import {mkdirSync} from 'node:fs';
import {after} from 'node:test';
import {dirname} from 'node:path';

import {chromium, playwright, screenshots} from './environment.js';

const ARGUMENTS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'];
const PATIENCE_MS = Number(process.env.PATIENCE_MS ?? 120_000); // a busy machine is no failure

/* The browser of all pages of this process. Each page has a context of its own: storage, permissions and caches. */
let browser = null;

after(async () => (await browser)?.close());

export class TabPage {
  async launch(viewport = {width: 1400, height: 900}, options = {}) { // options are Playwright's of a context
    this.errors = [];
    browser ??= playwright().chromium.launch({executablePath: chromium, args: ARGUMENTS});
    this.context = await (await browser).newContext({viewport, ...options});
    this.context.setDefaultTimeout(PATIENCE_MS);
    this.page = await this.context.newPage();
    this.page.on('console', message => message.type() === 'error' && this.errors.push(message.text()));
    this.page.on('pageerror', error => this.errors.push(error.message));
    return this;
  }

  async close() {
    await this.context.close();
  }

  /** For a person to look at: nothing is checked by it. */
  async screenshot(path) {
    if (!screenshots) return;
    mkdirSync(dirname(path), {recursive: true});
    await this.page.screenshot({path});
  }
}
