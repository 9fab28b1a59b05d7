// SPDX-License-Identifier: BSD-3-Clause
//
// environment.js - where the command, the fixtures, TensorBoard and Chromium are; and why the tests cannot run where one is missing.
//
// ETRECORD_TB is the command, PYTHON an interpreter that has the package tensorboard, CHROMIUM the browser, FIXTURES the folder
// of tests/fixtures, SCREENSHOTS where pictures go.

import {execFileSync} from 'node:child_process';
import {accessSync, constants} from 'node:fs';
import {join, resolve} from 'node:path';

const project = resolve(import.meta.dirname, '../..');

export const command = process.env.ETRECORD_TB ? resolve(process.env.ETRECORD_TB) : '';
export const python = process.env.PYTHON ?? join(project, 'build/venv/bin/python');
export const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium';
export const fixtures = resolve(process.env.FIXTURES ?? join(project, 'tests/fixtures'));
export const screenshots = resolve(process.env.SCREENSHOTS ?? join(project, 'build/screenshots'));

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

async function hasPlaywright() {
  try {
    await import('playwright-core');
    return true;
  } catch {
    return false;
  }
}

/** False, or what is missing. With CI=true everything has to be there: then it is an error. */
export async function missing() {
  const what = !isExecutable(command) ? 'ETRECORD_TB, the command to be tested,'
    : !isExecutable(chromium) ? `Chromium (${chromium})`
    : !hasTensorBoard() ? `the Python package tensorboard (${python})`
    : !(await hasPlaywright()) ? 'playwright-core (npm ci in tests/browser)'
    : '';
  if (what && process.env.CI === 'true') throw new Error(`${what} is missing`);
  return what ? `${what} is missing` : false;
}
