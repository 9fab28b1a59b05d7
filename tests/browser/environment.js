// SPDX-License-Identifier: BSD-3-Clause
//
// environment.js - where the command, the fixtures, TensorBoard and Chromium are; and why the tests cannot run where one is missing.
//
// ETRECORD_TB is the command, VENV the virtual environment that has TensorBoard, CHROMIUM the browser, CHROMIUM_OPTIONS further options of it, FIXTURES the folder of
// tests/fixtures, PACKAGE the Python package, SCREENSHOTS where pictures go, of which none are taken without it. playwright-core is found where require() looks, NODE_PATH included.

import {execFileSync} from 'node:child_process';
import {accessSync, constants} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

const project = fileURLToPath(new URL('../..', import.meta.url));
const require = createRequire(import.meta.url);

export const command = process.env.ETRECORD_TB ? resolve(process.env.ETRECORD_TB) : '';
export const python = join(process.env.VENV ?? join(project, 'build/venv'), 'bin/python');
/* Debian's shell without a window takes a fifth less time than all of the browser, which has the same engine. */
export const chromium = process.env.CHROMIUM ?? ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(isExecutable) ?? 'chromium';
export const chromiumOptions = (process.env.CHROMIUM_OPTIONS ?? '').split(' ').filter(Boolean);
export const fixtures = resolve(process.env.FIXTURES ?? join(project, 'tests/fixtures'));
/** A folder for Python's path that has the package as it is after an installation, with the dashboard. */
export const pythonPath = resolve(process.env.PACKAGE ?? join(project, 'build/dev/tests/package'));
export const screenshots = process.env.SCREENSHOTS ? resolve(process.env.SCREENSHOTS) : '';

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function hasTensorBoard() {
  try {
    execFileSync(python, ['-c', 'import tensorboard'], {stdio: 'ignore'});
    return true;
  } catch {
    return false;
  }
}

/** The driver of the browser, or null. */
export function playwright() {
  try {
    return require('playwright-core');
  } catch {
    return null;
  }
}

/** speedscope's page, or null. */
export function speedscope() {
  try {
    return join(dirname(require.resolve('speedscope/package.json')), 'dist/release/index.html');
  } catch {
    return null;
  }
}

/** False, or what is missing of what is needed: the 'command' alone, or all, or that and 'speedscope'. With CI=true everything has to be there: then it is an error. */
export function missing(needed = 'all') {
  const what = !isExecutable(command) ? 'ETRECORD_TB, the command to be tested,'
    : needed === 'command' ? ''
    : !isExecutable(chromium) ? `Chromium (${chromium})`
    : !hasTensorBoard() ? `the Python package tensorboard (${python})`
    : !playwright() ? 'playwright-core'
    : needed === 'speedscope' && !speedscope() ? 'speedscope'
    : '';
  if (what && process.env.CI === 'true') throw new Error(`${what} is missing`);
  return what ? `${what} is missing` : false;
}
