// SPDX-License-Identifier: BSD-3-Clause
//
// dashboards.js - TensorBoard's tabs beside the Graphs tab, used as a user uses them.

import {TabPage} from './tab_page.js';

export class Dashboards extends TabPage {
  static async open(url) {
    const page = await new Dashboards().launch();
    page.url = url;
    await page.page.goto(url);
    return page;
  }

  /** Opens a tab and waits until it shows a text. */
  async go(tab, text) {
    await this.page.goto(`${this.url}#${tab}`);
    await this.page.getByText(text).filter({visible: true}).first().waitFor();
  }

  /** The groups of Time Series, in their order. */
  groups() {
    return this.page.locator('.group-title').allInnerTexts();
  }

  /** What the info button of a curve in Scalars says. */
  async description(tag) {
    const heading = this.page.locator('tf-scalar-card', {hasText: tag}).first().locator('tf-card-heading');
    await heading.locator('paper-icon-button[icon="info"]').click();
    const said = heading.getByText('Unit').filter({visible: true}).locator('xpath=ancestor::*[contains(., "Step")][1]').first();
    await said.waitFor();
    return said.evaluate(element => element.parentElement.innerText);
  }

  /** The row that a card of Time Series has for a run: its texts. */
  async cardRow(tag, run) {
    await this.page.locator('input[placeholder="Filter tags (regex)"]').fill(`^${tag}$`);
    const row = this.page.locator('card-view').locator('tb-data-table-content-row', {hasText: run}).first();
    await row.waitFor();
    return (await row.innerText()).split(/\s+/);
  }

  /** Texts of the cells of the HParams table. */
  async hparamsCells() {
    const cells = this.page.locator('tf-hparams-table-view vaadin-grid-cell-content');
    await cells.filter({hasText: 'f32['}).first().waitFor();
    return (await cells.allInnerTexts()).map(text => text.trim()).filter(text => text);
  }

  /** Waits until the tab shows all of these texts. */
  async sees(...texts) {
    for (const text of texts) await this.page.getByText(text).filter({visible: true}).first().waitFor();
  }
}
