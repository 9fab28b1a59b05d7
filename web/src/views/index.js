// SPDX-License-Identifier: BSD-3-Clause
//
// index.js - the views in the order of their tabs: {name, title, View, isThere(): whether the tab is there, isOfAllRecords}.

import {bases} from '../base/app.js';
import {CompareView} from './compare.js';
import {OperatorsView} from './operators.js';
import {SummaryView} from './summary.js';

export const VIEWS = [
  {name: 'summary', title: 'Summary', View: SummaryView},
  {name: 'operators', title: 'Operators', View: OperatorsView},
  {name: 'compare', title: 'Compare', View: CompareView, isThere: () => bases.value.length > 0},
];
