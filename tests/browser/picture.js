// SPDX-License-Identifier: BSD-3-Clause
//
// picture.js - makes the picture of the Graphs tab that the README shows: `node picture.js FILE.png`, with the environment of the tests.

import {GraphTab} from './graph_tab.js';
import {TensorBoard} from './tensorboard.js';

const server = await TensorBoard.start('mv2_portable');
const tab = await GraphTab.open(server.url);
try {
  await tab.choose('Tag', 'profile/avg');
  await tab.colorBy('Compute time');
  for (const box of ['features.2', 'features.2/conv.0']) await tab.expand(box);
  await tab.select('features.2/conv.0/0_convolution');
  await tab.drag(1020, 200, -330, -40);
  await tab.wheel(650, 560, 400);
  await tab.screenshot(process.argv[2]);
} finally {
  await tab.close();
  await server.stop();
}
