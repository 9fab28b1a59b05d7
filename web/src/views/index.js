// SPDX-License-Identifier: BSD-3-Clause
//
// index.js - the views in the order of their tabs: {name, title, View, isThere(): whether the tab is there, isOfAllRecords}.

import {bases, records, source} from '../base/app.js';
import {CompareView} from './compare.js';
import {ModulesView} from './modules.js';
