// SPDX-License-Identifier: BSD-3-Clause
//
// explain.js - explains numbers: shows the description (aria-description) of what is under the pointer or has the focus
// in a box beside it. A key goes through the numbers in sight.

import {signal} from '@preact/signals';

import {command} from '../base/commands.js';
import {html} from '../base/html.js';

const HOVER = 350,
  WIDTH = 420,
  MARGIN = 8; // ms until the box appears; its width and distance in pixels

const shown = signal(null); // {text, left, top or bottom}
let explained = null,
  waits = null; // the element; until its box appears

function showAt(element) {
  clearTimeout(waits);
  explained = element;
  const {left, top, bottom} = element?.getBoundingClientRect() ?? {},
    isHigh = bottom > innerHeight * 0.7;
  shown.value = element && {
    text: element.getAttribute('aria-description'),
    style: {
      left: `${Math.max(MARGIN, Math.min(left, innerWidth - WIDTH - MARGIN))}px`,
      ...(isHigh ? {bottom: `${innerHeight - top + MARGIN}px`} : {top: `${bottom + MARGIN}px`}),
    },
  };
}

const described = target => target.closest?.('[aria-description]:not([aria-description=""])') ?? null;

function hover({target}) {
  const found = described(target);
  if (found === explained) return;
  showAt(null);
  if (found) waits = setTimeout(() => found.isConnected && showAt(found), HOVER);
}

/** Begins to explain what is under the pointer or gets the focus. */
export function explainNumbers() {
  document.addEventListener('pointerover', hover);
  document.addEventListener(
    'focusin',
    ({target}) => /** @type {Element} */ (target).matches(':focus-visible') && showAt(described(target)),
  );
  for (const name of ['pointerdown', 'focusout', 'wheel'])
    document.addEventListener(name, () => showAt(null), {passive: true});
  // Any other key may change what is in sight; Escape has a command.
  document.addEventListener('keydown', ({key}) => /^(e|E|Shift|Escape)$/.test(key) || showAt(null), {capture: true});
}

/* Explains the next number that can be seen; those of pictures are told by the pictures' own keys. */
function step(by) {
  const seen = [...document.querySelectorAll('[aria-description]:not([aria-description=""], svg *)')].filter(
    element => {
      const {left, top, width} = element.getBoundingClientRect(),
        on = width > 0 && document.elementFromPoint(Math.max(0, left) + 2, Math.max(0, top) + 2);
      return on && (element.contains(on) || on.contains(element));
    },
  );
  if (seen.length) showAt(seen[(seen.indexOf(explained) + (explained || by > 0 ? by : 0) + seen.length) % seen.length]);
}

command({
  name: 'explain',
  keys: ['e', 'E'],
  text: 'Explain the next number',
  run: ({key}) => step(key === 'e' ? 1 : -1),
});
command({
  name: 'explain-no-more',
  keys: ['Escape'],
  text: 'Close the explanation',
  isPossible: () => shown.peek() !== null,
  run: () => showAt(null),
});

/** The box with the explanation. */
export const Explanation = () =>
  html`<p class="explanation" role="status" style=${shown.value?.style} hidden=${!shown.value}>${shown.value?.text}
    </p>`;
