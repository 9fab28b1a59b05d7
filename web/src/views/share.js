// SPDX-License-Identifier: BSD-3-Clause
//
// share.js - what a user sends to others: the address, the command, all views on paper.

import {comparedMethod, labelOf, method, shownRun} from '../base/app.js';
import {run} from '../base/commands.js';
import {html} from '../base/html.js';
import {get} from '../base/store.js';
import {commandOf, quoted} from '../parts/bits.js';
import {copy} from '../parts/export.js';

/* The command that prints what the page shows first. */
const firstCommand = () => (comparedMethod.value && get('view') === 'compare' ? `etrecord-tb diff BASE ${shownRun.value === 'profile' ? 'RECORD' : quoted(labelOf(shownRun.value))}` : commandOf('summary').replace(' --top 0', ''));

export function ShareMenu() {
  if (!method.value) return null;
  const close = event => event.currentTarget.closest('details').removeAttribute('open');
  const item = (text, what, act) => html`<button type="button" role="menuitem" onClick=${event => (close(event), act())}>${text}<span class="small quiet">${what}</span></button>`;
  return html`<details class="menu share"><summary aria-label="Share">Share</summary><div role="menu">
    ${item('Copy link', 'to this view, with its filter and zoom', () => copy((globalThis.parent === globalThis ? location : parent.location).href, 'the link'))}
    ${item('Copy command', firstCommand(), () => copy(firstCommand(), 'the command'))}${item('Print', 'all views, in light colours', () => run('print'))}</div></details>`;
}
