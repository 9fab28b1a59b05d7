// SPDX-License-Identifier: BSD-3-Clause
//
// all_dashboards.js - the tests that need TensorBoard, one after another with one browser, and with one TensorBoard wherever they change nothing in its logdir: `node --test all_dashboards.js`.

import './state.test.js';
import './graph.test.js';
import './executorch_tab.test.js';
import './graph_tab.test.js';
import './graph_times.test.js';
import './dashboards.test.js';
import './many_records.test.js';
import './fleet.test.js';
import './hostile.test.js';
import './reload.test.js';
