// SPDX-License-Identifier: BSD-3-Clause
//
// lint.test.js - the page's sources are formatted by prettier, and eslint finds nothing in them; build.mjs checks their types. Each is skipped where it is not installed. What they found to be right is not looked at again (tests/once.py).

import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {readdirSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';

const WEB = fileURLToPath(new URL('../../../web/', import.meta.url)), ONCE = fileURLToPath(new URL('../../once.py', import.meta.url)), require = createRequire(import.meta.url);

/* The folder of a package, of this folder's or of the page's; null if it is not installed. */
function folderOf(name) {
  try {
    return dirname(require.resolve(`${name}/package.json`, {paths: [WEB, ...require.resolve.paths(name)]}));
  } catch {
    return null;
  }
}

const skipped = name => (folderOf(name) ? false : `${name} is missing: npm install in tests/browser`);

const SOURCES = readdirSync(join(WEB, 'src'), {recursive: true})
  .filter(name => name.endsWith('.js'))
  .sort()
  .map(name => join('src', name));

/* What a program of a package, with the words and the settings in web/, says of these sources; '' if it finds nothing. */
function said(name, program, settings, words, sources) {
  const folder = folderOf(name), rules = [settings, join(folder, 'package.json')], command = [process.execPath, join(folder, program), ...words];
  const {status, stdout, stderr} = spawnSync('python3', [ONCE, ...rules, '--', ...command, '--', ...sources], {cwd: WEB, encoding: 'utf8', env: {...process.env, ETR_TOOLS: join(folderOf('eslint') ?? WEB, 'package.json')}});
  return status === 0 ? '' : stdout + stderr || `exit status ${status}`;
}

describe('the sources of the page', () => {
  it('are formatted by prettier, but for what a program writes', {skip: skipped('prettier')}, () => {
    const written = SOURCES.filter(name => name !== join('src', 'base', 'descriptions.js'));
    assert.equal(said('prettier', 'bin/prettier.cjs', '.prettierrc.json', ['--config', '.prettierrc.json', '--check'], written), '');
  });
  it('pass eslint, with lines of at most 120 characters but for long texts', {skip: skipped('eslint')}, () => assert.equal(said('eslint', 'bin/eslint.js', 'eslint.config.mjs', [], SOURCES), ''));
});
