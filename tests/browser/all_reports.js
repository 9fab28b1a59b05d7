// SPDX-License-Identifier: BSD-3-Clause
//
// all_reports.js - the tests that look at reports alone, one after another with one browser: `node --test all_reports.js`.

import './tab_page.test.js';
import './access.test.js';
import './axe.test.js';
import './commands.test.js';
import './figures.test.js';
import './icicle.test.js';
import './numbers.test.js';
import './page.test.js';
import './report.test.js';
import './selection.test.js';
import './share.test.js';
import './speedscope.test.js';
import './timeline.test.js';
