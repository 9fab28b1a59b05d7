// SPDX-License-Identifier: BSD-3-Clause
//
// lint.test.js - the page's sources are formatted by prettier, and eslint finds nothing in them; build.mjs checks their types. Each is skipped where it is not installed.

import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';

const WEB = fileURLToPath(new URL('../../../web/', import.meta.url)), require = createRequire(import.meta.url);

/* The folder of a package, of this folder's or of the page's; null if it is not installed. */
function folderOf(name) {
  try {
    return dirname(require.resolve(`${name}/package.json`, {paths: [WEB, ...require.resolve.paths(name)]}));
  } catch {
    return null;
  }
}

const skipped = name => (folderOf(name) ? false : `${name} is missing: npm install in tests/browser`);

/* Runs a program of a package in web/, and returns what it said; '' if it found nothing. */
function said(name, program, ...words) {
  const {status, stdout, stderr} = spawnSync(process.execPath, [join(folderOf(name), program), ...words], {cwd: WEB, encoding: 'utf8', env: {...process.env, ETR_TOOLS: join(folderOf('eslint') ?? WEB, 'package.json')}});
  return status === 0 ? '' : stdout + stderr;
}

describe('the sources of the page', () => {
  it('are formatted by prettier, but for what a program writes', {skip: skipped('prettier')}, () => assert.equal(said('prettier', 'bin/prettier.cjs', '--config', '.prettierrc.json', '--check', 'src/**/*.js', '!src/base/descriptions.js'), ''));
  it('pass eslint, with lines of at most 120 characters but for long texts', {skip: skipped('eslint')}, () => assert.equal(said('eslint', 'bin/eslint.js', 'src'), ''));
});
