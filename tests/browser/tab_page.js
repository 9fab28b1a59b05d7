// SPDX-License-Identifier: BSD-3-Clause
//
// tab_page.js - a page of Chromium, with what it complained about.

import {mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';

import {chromium, playwright} from './environment.js';

const ARGUMENTS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'];
const PATIENCE_MS = Number(process.env.PATIENCE_MS ?? 120_000); // a busy machine is no failure

export class TabPage {
  async launch(viewport = {width: 1400, height: 900}, options = {}) { // options are Playwright's of a context
    this.errors = [];
    this.profile = mkdtempSync(join(tmpdir(), 'chromium-'));
    this.browser = await playwright().chromium.launchPersistentContext(this.profile, {executablePath: chromium, args: ARGUMENTS, viewport, ...options});
    this.browser.setDefaultTimeout(PATIENCE_MS);
    this.page = await this.browser.newPage();
    this.page.on('console', message => message.type() === 'error' && this.errors.push(message.text()));
    this.page.on('pageerror', error => this.errors.push(error.message));
    return this;
  }

  async close() {
    await this.browser.close();
    rmSync(this.profile, {recursive: true, force: true});
  }

  async screenshot(path) {
    mkdirSync(dirname(path), {recursive: true});
    await this.page.screenshot({path});
  }
}
