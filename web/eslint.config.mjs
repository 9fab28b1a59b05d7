// SPDX-License-Identifier: BSD-3-Clause
//
// eslint.config.mjs - what no source of the page may have: names that are not defined or not used, and other likely mistakes.

import {createRequire} from 'node:module';

const require = createRequire(`${process.env.ETR_TOOLS ?? import.meta.url}`);
const js = require('@eslint/js'),
  globals = require('globals');

export default [
  js.configs.recommended,
  {
    files: ['src/**/*.js'],
    languageOptions: {ecmaVersion: 2023, sourceType: 'module', globals: {...globals.browser, ...globals.worker}},
    rules: {
      eqeqeq: 'error',
      'no-unused-vars': ['error', {argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'none'}],
      'no-control-regex': 'off', // names of files are searched for control characters
      'no-shadow': 'off',
      'no-nested-ternary': 'off',
      'prefer-const': 'error',
      'max-len': ['error', {code: 120, ignoreStrings: true, ignoreRegExpLiterals: true}],
    },
  },
];
