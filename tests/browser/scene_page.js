// SPDX-License-Identifier: BSD-3-Clause
//
// scene_page.js - a report whose picture, a scene, is looked at and moved in. A user sees a canvas; what it says is read from the tooltip, the line below it, the address and the tables.

import {TabPage} from './tab_page.js';

export class ScenePage extends TabPage {
  /** Opens a report at a view with more of its state: "q=bmm". Where the report is open, the address alone changes. */
  async open(path, view, state = '') {
    if (!this.page) await this.launch({width: 1280, height: 800}, {offline: true});
    if (this.page.url().startsWith(`file://${path}#`)) await this.page.evaluate(() => document.activeElement.blur());
    else await this.page.goto('about:blank');
    await this.page.goto(`file://${path}#view=${view}&digits=1${state && `&${state}`}`);
    await this.canvas.waitFor();
    await this.settled();
    return this;
  }

  get canvas() {
    return this.page.locator('.scene-canvas');
  }

  /** Waits until what is in sight stands in the address, and was drawn. */
  async settled() {
    await this.page.waitForFunction(() => document.querySelector('.scene-canvas') && !document.querySelector('.scene-canvas[aria-busy]'));
    await this.page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
  }

  address() {
    return Object.fromEntries(new URLSearchParams(new URL(this.page.url()).hash.slice(1)));
  }

  said() {
    return this.page.locator('.scene .said').innerText();
  }

  async box() {
    return this.canvas.boundingBox();
  }

  /** Moves the pointer to a place on the canvas: a share of its width, and pixels from its top. */
  async point(part, y) {
    const {x, y: top, width} = await this.box();
    await this.page.mouse.move(x + part * width, top + y);
  }

  /** Drags from one share of the width to another. */
  async drag(from, to, y, shift = false) {
    if (shift) await this.page.keyboard.down('Shift');
    await this.point(from, y);
    await this.page.mouse.down();
    await this.point((from + to) / 2, y);
    await this.point(to, y);
    await this.page.mouse.up();
    if (shift) await this.page.keyboard.up('Shift');
    await this.settled();
  }

  /** The rows of a table, cell by cell. */
  table(caption) {
    return this.page.locator('table', {has: this.page.locator('caption', {hasText: caption})}).locator('tbody tr').evaluateAll(rows => rows.map(row => [...row.cells].map(cell => cell.innerText)));
  }

  /** Zooms and pans `count` times; returns the ms that each frame's script took, ascending, and how often it read the canvas's width. */
  async frames(count) {
    return this.page.evaluate(async times => {
      const canvas = document.querySelector('.scene-canvas'), taken = [], box = canvas.getBoundingClientRect();
      let reads = 0;
      const width = Object.getOwnPropertyDescriptor(Element.prototype, 'clientWidth'), ask = globalThis.requestAnimationFrame;
      Object.defineProperty(Element.prototype, 'clientWidth', {configurable: true, get() { reads++; return width.get.call(this); }});
      globalThis.requestAnimationFrame = draw => ask(now => {
        const from = performance.now();
        draw(now);
        taken.push(performance.now() - from);
      });
      for (let at = 0; at < times; at++) {
        canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: at % 40 < 20 ? -60 : 60, clientX: box.left + box.width * ((at % 7) / 7), clientY: box.top + 40, bubbles: true, cancelable: true}));
        await new Promise(done => ask(() => ask(done)));
      }
      Object.defineProperty(Element.prototype, 'clientWidth', width);
      globalThis.requestAnimationFrame = ask;
      return {taken: taken.sort((a, b) => a - b), reads};
    }, count);
  }
}
