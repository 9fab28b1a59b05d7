// SPDX-License-Identifier: BSD-3-Clause
//
// sum.mjs - a checksum of what the bundle is made of and of the bundle, so that a test can tell in no time whether it was built of these sources.

import {createHash} from 'node:crypto';
import {readFileSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const MADE_OF = ['build.mjs', 'package-lock.json', 'templates.mjs', 'tsconfig.json'],
  MADE = ['NOTICE', 'page.css', 'page.js'];

/** Returns the line of page.sum for the sources of this folder and the files that were made of them in `out`. */
export function sumOf(out) {
  const sources = readdirSync(join(here, 'src'), {recursive: true}).filter(name => /\.(js|css)$/.test(name));
  const hash = createHash('sha256');
  const add = (folder, name) =>
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(folder, name)))
      .update('\0');
  for (const name of sources.sort()) add(join(here, 'src'), name);
  for (const name of MADE_OF) add(here, name);
  for (const name of MADE) add(out, name);
  return `${hash.digest('hex')}\n`;
}
