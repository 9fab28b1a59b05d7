// SPDX-License-Identifier: BSD-3-Clause
//
// executorch_tab.js - the ExecuTorch dashboard, in TensorBoard or as a report, used as a user uses it.

import {TabPage} from './tab_page.js';

const GRAPH_MS = 500; // a graph puts its place into the address once it has stood still for 400

export class ExecuTorchTab extends TabPage {
  /** In TensorBoard, with all digits of times, which tests compare. */
  static async openIn(server, viewport) {
    const tab = await new ExecuTorchTab().launch(viewport);
    await tab.page.goto(`${server.url}#etrecord&digits=1&unit=ms`);
    tab.frame = await (await tab.page.waitForSelector('iframe')).contentFrame();
    return tab.shown();
  }

  /** A report's file, with all digits of times; whatever it asks a network for is an error. */
  static async openReport(path, viewport, options = {}) {
    const tab = await new ExecuTorchTab().launch(viewport, {offline: true, ...options});
    tab.asked = [];
    tab.page.on('request', request => /^(file|blob):/.test(request.url()) || tab.asked.push(request.url()));
    await tab.page.goto(`file://${path}#digits=1`);
    tab.frame = tab.page;
    return tab.shown();
  }

  /** Shows a state of a report as its address has it. Where the report is open, the address alone changes, as a link changes it. */
  async go(path, state) {
    await this.page.goto(`file://${path}#${state}`);
    await this.shown();
  }

  /** The same of a report that is loaded anew, whether or not it is open. */
  async load(path, state) {
    await this.page.goto('about:blank');
    await this.go(path, state);
  }

  /** Until what is drawn is in sight, and where it is stands in the address. */
  async settled() {
    await this.frame.getByText('Loading…').waitFor({state: 'hidden'});
    await this.frame.waitForFunction(() => !document.querySelector('.scene-canvas[aria-busy]'));
    if (await this.frame.locator('.graph-pane canvas').count()) await this.page.waitForTimeout(GRAPH_MS);
    await this.frame.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))));
  }

  async shown() {
    await this.frame.getByRole('tab', {name: 'Summary', exact: true}).waitFor();
    await this.frame.getByText('Loading…').first().waitFor({state: 'hidden'}); // the tabs are there before the record is
    return this;
  }

  async record(label) {
    await this.frame.getByLabel('Record').selectOption({label});
    await this.frame.getByText('Loading…').waitFor({state: 'hidden'});
    await this.view('Summary');
    await this.frame.locator('.summary').waitFor();
  }

  /** Chooses one of the settings behind the bar's last button. */
  async setting(label, value) {
    await this.frame.locator('details.settings').evaluate(menu => menu.setAttribute('open', ''));
    await this.frame.getByLabel(label, {exact: true}).selectOption(value);
    await this.frame.locator('details.settings').evaluate(menu => menu.removeAttribute('open'));
  }

  /** The time of an inference, as the first line says it: "2.39". */
  async total() {
    return (await this.frame.locator('.summary h1').innerText()).split(' ')[0];
  }

  /** Clicks with the mouse, which waits until the element stands still, or with `clicksAtOnce` by an event alone. */
  press(locator) {
    return this.clicksAtOnce ? locator.dispatchEvent('click') : locator.click();
  }

  async view(name) {
    await this.press(this.frame.getByRole('tab', {name, exact: true}));
    await this.frame.getByRole('tab', {name, exact: true, selected: true}).waitFor();
  }

  /** Goes to the list of all records, and waits for its rows. */
  async openFleet() {
    await this.view('Fleet');
    await this.frame.locator('.fleet [data-row]').first().waitFor();
  }

  /** Rows of the small table with this caption: lists of cells' texts. */
  async table(caption) {
    const table = this.frame.locator('table.plain', {has: this.frame.locator('caption', {hasText: new RegExp(`^${caption}`)})}).first();
    return table.locator('tbody tr').evaluateAll(rows => rows.map(row => [...row.cells].map(cell => cell.innerText.trim())));
  }

  async search(text) {
    await this.frame.getByLabel('Search operators').fill(text);
  }

  /** The rows of a table as its menu copies them: JSON, with times in ns. */
  async copied(label) {
    await this.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const menu = this.frame.locator('details.menu', {has: this.frame.getByLabel(`Copy ${label}`)});
    await menu.evaluate(details => details.setAttribute('open', ''));
    await menu.getByRole('menuitem', {name: /as JSON/}).dispatchEvent('click');
    await this.frame.getByText(/^Copied/).waitFor();
    return JSON.parse(await this.page.evaluate(() => navigator.clipboard.readText()));
  }

  /** What the toolbar says of the operators shown. */
  count() {
    return this.frame.locator('.table-page .count').innerText();
  }

  async groupBy(name) {
    await this.press(this.frame.getByRole('group', {name: 'Group by'}).getByRole('button', {name, exact: true}));
  }

  grid() {
    return this.frame.getByRole('grid');
  }

  /** Rows of the operators' table that are in the page: {title of a column: text}. */
  async rows() {
    await this.grid().locator('[data-row]').first().waitFor(); // they are drawn once the grid has its size
    return this.grid().evaluate(grid => {
      const titles = [...grid.querySelectorAll('[role=columnheader]')].map(header => header.innerText.trim().replace(/ [↓↑]$/, ''));
      return [...grid.querySelectorAll('[role=row][data-row]')].map(row => Object.fromEntries([...row.children].map((cell, at) => [titles[at], cell.innerText.trim()])));
    });
  }

  /** The texts of the toolbars whose parts are not in one row; and of the page, if it is wider than the window. */
  wrapped() {
    return this.frame.evaluate(() => [document.documentElement, ...document.querySelectorAll('.toolbar, .bar, .tabs')].filter(bar => {
      const middles = bar === document.documentElement ? [0] : [...bar.children].map(part => part.getBoundingClientRect()).filter(({width}) => width > 0).map(({top, bottom}) => (top + bottom) / 2);
      return Math.max(...middles) - Math.min(...middles) > 14 || bar.scrollWidth > bar.clientWidth + 1;
    }).map(bar => bar.innerText.replaceAll('\n', ' ')));
  }

  /** The address of what is shown. */
  address() {
    return this.page.evaluate(() => location.href);
  }

  async sortBy(title) {
    const header = this.grid().getByRole('columnheader').filter({has: this.frame.getByRole('button', {name: title})});
    const before = await header.getAttribute('aria-sort');
    // A key is lost, and a pointer misses, if the heads are drawn anew between finding one and pressing it, as while columns get their widths.
    for (let tries = 0; tries < 20 && (await header.getAttribute('aria-sort')) === before; tries++) {
      await header.getByRole('button', {name: title}).press('Enter');
      await header.and(this.frame.locator(`[aria-sort]:not([aria-sort="${before}"])`)).waitFor({timeout: 5000}).catch(() => {});
    }
  }

  /** Opens a row of the table, which begins at its top. */
  async openRow(index) {
    await this.grid().evaluate(grid => { grid.scrollTop = 0; });
    await this.grid().locator(`[data-row="${index}"]`).click();
    await this.frame.getByRole('complementary').waitFor();
  }

  /** What the details say: {term: text}. */
  details() {
    return this.frame.getByRole('complementary').evaluate(panel => ({
      name: panel.querySelector('h2').innerText,
      ...Object.fromEntries([...panel.querySelectorAll('dt')].map(term => [term.innerText, term.nextElementSibling.innerText])),
    }));
  }
}
