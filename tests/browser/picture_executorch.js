// SPDX-License-Identifier: BSD-3-Clause
//
// picture_executorch.js - makes the pictures of the dashboard and of a report that the README shows: `node picture_executorch.js DASHBOARD.png REPORT.png`,
// with the environment of the tests.

import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

import {run} from './answers.js';
import {ExecuTorchTab} from './executorch_tab.js';
import {fixtures} from './environment.js';
import {TensorBoard} from './tensorboard.js';

const RECORD = 'vit_xnnpack';
const [, , dashboardFile, reportFile] = process.argv;

async function pictureOfDashboard(path) {
  const server = await TensorBoard.start(RECORD, 'mv2_xnnpack');
  const dashboard = await ExecuTorchTab.openIn(server, {width: 1280, height: 880});
  try {
    await dashboard.record(RECORD);
    await dashboard.page.keyboard.press('.'); // the digits that a reader sees
    await dashboard.screenshot(path);
  } finally {
    await dashboard.close();
    await server.stop();
  }
}

async function pictureOfReport(path) {
  const folder = mkdtempSync(join(tmpdir(), 'report-'));
  run('report', join(fixtures, RECORD), '-o', join(folder, 'report.html'));
  const dashboard = await ExecuTorchTab.openReport(join(folder, 'report.html'), {width: 1400, height: 760}, {colorScheme: 'dark'});
  try {
    await dashboard.page.keyboard.press('.');
    await dashboard.view('Table');
    await dashboard.groupBy('Node');
    await dashboard.openRow(2);
    await dashboard.page.mouse.move(0, 0);
    await dashboard.screenshot(path);
  } finally {
    await dashboard.close();
    rmSync(folder, {recursive: true});
  }
}

await pictureOfDashboard(dashboardFile);
await pictureOfReport(reportFile);
