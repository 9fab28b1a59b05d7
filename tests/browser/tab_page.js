// SPDX-License-Identifier: BSD-3-Clause
//
// tab_page.js - a page of Chromium, with what it complained about.

import {mkdirSync} from 'node:fs';
import {after} from 'node:test';
import {dirname} from 'node:path';

import {chromium, chromiumOptions, playwright, screenshots} from './environment.js';

const ARGUMENTS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'];
const PATIENCE_MS = Number(process.env.PATIENCE_MS ?? 120_000); // a busy machine is no failure

/* The browser of all pages of this process. */
let browser = null;

/* Pages that were closed, by the options of their contexts. One of them takes half the time of a new one: its process is there, and has compiled the scripts. */
const unused = new Map();

after(async () => (await browser)?.close());

/* Browser and TensorBoard end when this process exits, which a signal alone does not make it do in an orderly way. */
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

async function launched() {
  const started = await playwright().chromium.launch({executablePath: chromium, args: [...ARGUMENTS, ...chromiumOptions], handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false});
  started.on('disconnected', () => { // a browser that crashes fails one test, not all
    browser = null;
    unused.clear();
  });
  return started;
}

async function newPage(options) {
  browser ??= launched();
  const context = await (await browser).newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  return context.newPage();
}

/* Leaves nothing in a page that the next one to use it could see. */
async function emptied(page) {
  page.removeAllListeners();
  await page.unrouteAll({behavior: 'ignoreErrors'});
  await page.goto('about:blank');
  await page.mouse.move(0, 0);
  await page.emulateMedia({media: null, colorScheme: null});
  await page.context().clearPermissions();
  await page.context().clearCookies();
  const session = await page.context().newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', {origin: '*', storageTypes: 'local_storage,session_storage'});
  await session.send('Page.resetNavigationHistory');
  await session.detach();
}

export class TabPage {
  async launch(viewport = {width: 1400, height: 900}, options = {}) { // options are Playwright's of a context
    this.errors = [];
    this.kind = JSON.stringify(options);
    this.page = unused.get(this.kind)?.pop() ?? (await newPage(options));
    this.context = this.page.context();
    await this.page.setViewportSize(viewport);
    this.page.on('console', message => message.type() === 'error' && this.errors.push(message.text()));
    this.page.on('pageerror', error => this.errors.push(error.message));
    return this;
  }

  async close() {
    try {
      await emptied(this.page);
      unused.set(this.kind, [...(unused.get(this.kind) ?? []), this.page]);
    } catch {
      await this.context.close(); // of no use to others, for instance because a download or a dialog is open
    }
  }

  /** For a person to look at: nothing is checked by it. */
  async screenshot(path) {
    if (!screenshots) return;
    mkdirSync(dirname(path), {recursive: true});
    await this.page.screenshot({path});
  }
}
