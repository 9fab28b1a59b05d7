// SPDX-License-Identifier: BSD-3-Clause
//
// html.js - the template function of all views. Text from a record may be hostile: it only becomes text nodes and
// attributes, and its invisible characters become visible.

import htm from 'htm';
import {h} from 'preact';

/* The characters for which etr_is_control() (plugin/output/plain_text.h) returns true, except those by which our own
   texts are laid out. */
const INVISIBLE = /(?![\t\n])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u{feff}\u{e0000}-\u{e007f}]/gu;
/* Attributes that people read or hear; others, such as values of options, stay as they are. */
const SHOWN = ['title', 'aria-label', 'aria-description', 'placeholder', 'alt'];

/**
 * Returns the text with "?" for each control character and each mark that turns the direction of writing, like text in
 * a terminal.
 */
export const visibleText = text => text.replace(INVISIBLE, '?');

const visibleChild = child =>
  typeof child === 'string' ? visibleText(child) : Array.isArray(child) ? child.map(visibleChild) : child;

function element(tag, properties, ...children) {
  if (properties)
    for (const key of SHOWN) if (typeof properties[key] === 'string') properties[key] = visibleText(properties[key]);
  return h(tag, properties, ...(typeof tag === 'string' ? children.map(visibleChild) : children));
}

/** Makes virtual elements of a template: html`<p class=${name}>${text}</p>`. */
export const html = htm.bind(element);
