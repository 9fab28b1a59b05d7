// SPDX-License-Identifier: BSD-3-Clause
//
// index.js - the entry of the bundle. TensorBoard calls render(); a report, which holds its documents, renders itself.

import {render} from './shell.js';

export {render};

if (globalThis.document?.getElementById('profile')) render();
