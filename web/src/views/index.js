// SPDX-License-Identifier: BSD-3-Clause
//
// index.js - the views in the order of their tabs: {name, title, letter: its key behind "g", View, isThere(): whether the tab is there, isOfAllRecords, section: what it needs of the document,
// prepare(method): makes what it draws and keeps it, once the section is there}.

import {bases, method, records, sectionOf, source} from '../base/app.js';
import {peek} from '../base/store.js';
import {AccuracyView, hasAccuracy} from './accuracy.js';
import {CompareView} from './compare.js';
import {DelegationView} from './delegation.js';
import {FleetView} from './fleet.js';
import {GraphView} from './graph.js';
import {paneOf, readingOf} from './graph_panes.js';
import {MemoryView} from './memory.js';
import {ModulesView} from './modules.js';
import {OperatorsView} from './operators.js';
import {RooflineView} from './roofline.js';
import {SourceView} from './source.js';
import {SummaryView} from './summary.js';
import {TimelineView, prepareTimeline} from './timeline.js';

function prepareGraph(shown) {
  const reading = readingOf(sectionOf(shown, 'graphs').peek(), shown.graphName, shown);
  if (reading) paneOf(reading, shown.graphName, peek('graph.by'), null);
}

export const VIEWS = [
  {name: 'fleet', title: 'Fleet', letter: 'f', View: FleetView, isThere: () => Boolean(source.value?.fleet) && records.value.length > 1, isOfAllRecords: true},
  {name: 'summary', title: 'Summary', letter: 's', View: SummaryView},
  {name: 'operators', title: 'Operators', letter: 'o', View: OperatorsView},
  {name: 'modules', title: 'Modules', letter: 'm', View: ModulesView},
  {name: 'timeline', title: 'Timeline', letter: 't', View: TimelineView, section: 'timeline', prepare: prepareTimeline},
  {name: 'graph', title: 'Graph', letter: 'g', View: GraphView, section: 'graphs', prepare: prepareGraph, isThere: () => method.value?.hasGraph ?? false},
  {name: 'source', title: 'Source', letter: 'c', View: SourceView},
  {name: 'memory', title: 'Memory', letter: 'y', View: MemoryView, section: 'memory'},
  {name: 'accuracy', title: 'Accuracy', letter: 'a', View: AccuracyView, isThere: hasAccuracy},
  {name: 'delegation', title: 'Delegation', letter: 'd', View: DelegationView},
  {name: 'roofline', title: 'Roofline', letter: 'r', View: RooflineView},
  {name: 'compare', title: 'Compare', letter: 'b', View: CompareView, isThere: () => bases.value.length > 0},
];
