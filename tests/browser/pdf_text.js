// SPDX-License-Identifier: BSD-3-Clause
//
// pdf_text.js - the text of a PDF that Chromium wrote: the codes of its fonts' glyphs, translated by the tables that the file has for copying.

import {inflateSync} from 'node:zlib';

/* Returns the text of a table of glyphs by code. */
function glyphsOf(table) {
  const glyphs = new Map(), decoded = hex => String.fromCharCode(...hex.match(/.{4}/g).map(code => parseInt(code, 16)));
  for (const [, part] of table.matchAll(/beginbfchar([^]*?)endbfchar/g)) for (const [, code, text] of part.matchAll(/<(\w+)>\s*<(\w+)>/g)) glyphs.set(parseInt(code, 16), decoded(text));
  for (const [, part] of table.matchAll(/beginbfrange([^]*?)endbfrange/g))
    for (const [, from, to, text] of part.matchAll(/<(\w+)>\s*<(\w+)>\s*<(\w+)>/g)) for (let code = parseInt(from, 16); code <= parseInt(to, 16); code++) glyphs.set(code, String.fromCharCode(parseInt(text, 16) + code - parseInt(from, 16)));
  return glyphs;
}

/** Returns the text of a PDF, in the order in which it is drawn. */
export function pdfText(file) {
  const whole = file.toString('latin1'), objects = new Map(), fonts = new Map(), parts = [];
  for (const [, number, body] of whole.matchAll(/(\d+) 0 obj([^]*?)endobj/g)) {
    const [head, stream] = body.split(/stream\r?\n/), bytes = stream && Buffer.from(stream.slice(0, Number(head.match(/\/Length (\d+)/)?.[1] ?? stream.length)), 'latin1');
    objects.set(number, {head, content: bytes && (/FlateDecode/.test(head) && !/Subtype\s*\/Image|Length1/.test(head) ? inflateSync(bytes).toString('latin1') : '')});
  }
  for (const {head} of objects.values()) {
    for (const [, name, number] of head.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const [, table] = objects.get(number)?.head.match(/\/ToUnicode (\d+) 0 R/) ?? [];
      if (table) fonts.set(name, glyphsOf(objects.get(table).content));
    }
  }
  for (const {content} of objects.values()) {
    let glyphs = new Map();
    for (const [, font, hex] of (content ?? '').matchAll(/\/(F\d+) [\d.]+ Tf|<([\dA-Fa-f]+)>/g)) {
      if (font) glyphs = fonts.get(font) ?? new Map();
      else parts.push((hex.match(/.{4}/g) ?? []).map(code => glyphs.get(parseInt(code, 16)) ?? '').join(''));
    }
    parts.push('\n');
  }
  return parts.join('').normalize('NFKC'); // ligatures
}
