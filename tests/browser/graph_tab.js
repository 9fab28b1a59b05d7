// SPDX-License-Identifier: BSD-3-Clause
//
// graph_tab.js - TensorBoard's Graphs tab, used as a user uses it.

import {TabPage} from './tab_page.js';
import {TensorBoard} from './tensorboard.js';

let shared = null;

/** A time as the tab shows it: three significant digits. */
export function shownTime(micros) {
  const [unit, size] = micros >= 1e6 ? ['s', 1e6] : micros >= 1e3 ? ['ms', 1e3] : ['µs', 1];
  return `${Number((micros / size).toPrecision(3))} ${unit}`;
}

export class GraphTab extends TabPage {
  /** Opens the graph of a run, or of the one that TensorBoard chooses by itself. */
  static async open(url, run = '') {
    const tab = await new GraphTab().launch();
    await tab.page.goto(`${url}#graphs${run && `&run=${encodeURIComponent(run)}`}`);
    await tab.settled();
    return tab;
  }

  /** The one of all tests of this process that look at the TensorBoard that they share, as the last of them left it: TensorBoard's page takes seconds to load. */
  static shared() {
    return (shared ??= TensorBoard.shared().then(({url}) => GraphTab.open(url)));
  }

  /** The same in a page that shows another tab of TensorBoard. */
  static async openIn(opened, url) {
    const tab = Object.assign(new GraphTab(), opened);
    await tab.page.goto(`${url}#graphs`);
    await tab.settled();
    return tab;
  }

  menu(label) {
    return this.page.locator('tf-graph-controls .control-holder', {hasText: new RegExp(`^\\s*${label}\\b`)}).locator('paper-dropdown-menu').first();
  }

  /** What the menu Run or Tag shows. */
  chosen(label) {
    return this.menu(label).locator('input').inputValue();
  }

  async choose(label, item) {
    await this.menu(label).click();
    await this.menu(label).locator('paper-item').filter({hasText: new RegExp(`^\\s*${item}\\s*$`)}).click();
    await this.settled();
  }

  radio(text) {
    return this.page.locator('tf-graph-controls paper-radio-button').filter({hasText: new RegExp(`^\\s*${text}\\s*$`)});
  }

  async colorBy(text) {
    await this.radio(text).click();
    await this.settled();
  }

  async isChecked(text) {
    return (await this.radio(text).getAttribute('aria-checked')) === 'true';
  }

  /** Everything that the legend says. */
  legend() {
    return this.page.locator('tf-graph-controls .legend-content').innerText();
  }

  node(name) {
    return this.page.locator(`tf-graph-scene g.node[data-name="${name}"]:not(.bridge)`).first();
  }

  /** Names of the boxes and operators that are drawn on top. */
  drawnOnTop() {
    return this.page.locator('tf-graph-scene g.node:not(.bridge)').evaluateAll(nodes => [...new Set(nodes.map(n => n.dataset.name).filter(n => !n.includes('/')))]);
  }

  /** The names that the search lists for a regular expression. */
  async search(text) {
    const matches = this.page.locator('tf-graph-node-search #search-match');
    const input = this.page.locator('tf-graph-node-search input');
    await input.fill('');
    await matches.first().waitFor({state: 'detached'});
    await input.fill(text);
    await matches.first().waitFor();
    const found = (await matches.allInnerTexts()).map(name => name.trim());
    await input.fill('');
    await matches.first().waitFor({state: 'detached'});
    return found;
  }

  /** Clicks or double-clicks a node until the page shows `seen`. */
  async press(name, event, seen) {
    const shape = this.node(name).locator('> .nodeshape');
    await shape[event === 'click' ? 'click' : 'dblclick']({position: {x: 8, y: 4}, force: true});
    for (let tries = 5; ; tries--) { // a click on a page that is busy may get lost, or meet what has just moved there
      try {
        return await seen.waitFor({timeout: event === 'click' ? 32_000 >> tries : 10_000}); // a second double click closes what a slow first one opens
      } catch (error) {
        if (tries === 0) throw error;
        await this.page.evaluate(() => { if (!location.hash.startsWith('#graphs')) location.hash = '#graphs'; });
        await shape.dispatchEvent(event);
      }
    }
  }

  /** Selects a node by a click; the card then tells about it. */
  async select(name) {
    await this.press(name, 'click', this.page.locator('tf-node-info .node-name', {hasText: name}));
  }

  /** Opens a box by a double click. */
  async expand(name) {
    await this.press(name, 'dblclick', this.page.locator(`tf-graph-scene g.node.expanded[data-name="${name}"]`).first());
    await this.page.evaluate(() => getSelection().removeAllRanges());
    await this.settled();
  }

  /** A row of the node card's statistics, "Compute Time" or "Memory"; null where there is none. */
  async stat(label) {
    const row = this.page.locator('tf-node-info .sub-list-table-row', {hasText: label}).filter({visible: true}); // the page hides those of the last node
    return (await row.count()) ? (await row.locator('.sub-list-table-cell').last().innerText()).trim() : null;
  }

  /** The times in microseconds that the page has for its nodes and boxes, also for those that it does not draw. */
  async times() {
    return new Map(await this.page.locator('tf-graph-board').first().evaluate(board => {
      const {index} = board.renderHierarchy.hierarchy;
      return Object.values(index).filter(node => node.stats?.getTotalMicros?.() > 0).map(node => [node.name, node.stats.getTotalMicros()]);
    }));
  }

  async fit() {
    await this.page.getByText('Fit to screen').click();
    await this.settled();
  }

  /** Turns the wheel over a point of the drawing: positive enlarges it. */
  async wheel(x, y, pixels) {
    await this.page.mouse.move(x, y);
    await this.page.mouse.wheel(0, -pixels);
    await this.settled();
  }

  /** Drags the drawing. */
  async drag(x, y, byX, byY) {
    await this.page.mouse.move(x, y);
    await this.page.mouse.down();
    await this.page.mouse.move(x + byX, y + byY, {steps: 5});
    await this.page.mouse.up();
    await this.settled();
  }

  /** Until the graph is drawn and nothing has moved for a third of a second of frames, of which it looks at every fifth. */
  async settled() {
    await this.page.locator('tf-graph-scene g.node').first().waitFor();
    await this.page.locator('tf-graph-scene').first().evaluate(scene => new Promise(done => {
      const look = () => [...scene.shadowRoot.querySelectorAll('#root, g.node, g.edge path')].map(e => e.getAttribute('transform') + e.getAttribute('d') + e.getAttribute('style')).join();
      let before = '', quiet = 0;
      let frames = 0;
      const frame = () => {
        if (frames++ % 5 === 0) {
          const now = look();
          quiet = now === before ? quiet + 1 : 0;
          before = now;
        }
        quiet < 4 ? requestAnimationFrame(frame) : done();
      };
      frame();
    }));
  }
}
