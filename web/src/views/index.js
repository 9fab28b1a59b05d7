// SPDX-License-Identifier: BSD-3-Clause
//
// index.js - the views in the order of their tabs: {name, title, letter: its key behind "g", View, isThere(): whether
// the tab is there, isOfAllRecords, section: what it needs of the document,
// prepare(method): makes what it draws and keeps it, once the section is there}.

import {bases, method, records, sectionOf, source} from '../base/app.js';
import {peek} from '../base/store.js';
import {AccuracyView, hasAccuracy} from './accuracy.js';
import {CompareView} from './compare.js';
import {FleetView} from './fleet.js';
import {GraphView} from './graph.js';
import {paneOf, readingOf} from './graph_panes.js';
import {MemoryView} from './memory.js';
import {SummaryView} from './summary.js';
import {TableView} from './table.js';
import {TimelineView, prepareTimeline} from './timeline.js';

/* Without the .pte there is no memory to show. */
const hasMemory = () => Boolean(method.value && source.value?.has(method.value.run, method.value, 'memory'));

function prepareGraph(shown) {
  const reading = readingOf(sectionOf(shown, 'graphs').peek(), shown.graphName, shown);
  if (reading) paneOf(reading, shown.graphName, peek('graph.by'), null);
}

export const VIEWS = [
  {
    name: 'fleet',
    title: 'Fleet',
    letter: 'f',
    View: FleetView,
    isThere: () => Boolean(source.value?.fleet) && records.value.length > 1,
    isOfAllRecords: true,
  },
  {
    name: 'compare',
    title: 'Compare',
    letter: 'b',
    View: CompareView,
    isThere: () => bases.value.length > 0 || Boolean(source.value?.several),
  },
  {name: 'summary', title: 'Summary', letter: 's', View: SummaryView},
  {
    name: 'table',
    title: 'Table',
    letter: 't',
    View: TableView,
    isThere: () => Boolean(method.value) && (method.value.hasGraph || method.value.runs > 0),
  },
  {
    name: 'timeline',
    title: 'Timeline',
    letter: 'l',
    View: TimelineView,
    section: 'timeline',
    prepare: prepareTimeline,
    isThere: () => (method.value?.runs ?? 0) > 0,
  },
  {
    name: 'graph',
    title: 'Graph',
    letter: 'g',
    View: GraphView,
    section: 'graphs',
    prepare: prepareGraph,
    isThere: () => method.value?.hasGraph ?? false,
  },
  {name: 'memory', title: 'Memory', letter: 'y', View: MemoryView, section: 'memory', isThere: hasMemory},
  {name: 'accuracy', title: 'Accuracy', letter: 'a', View: AccuracyView, isThere: hasAccuracy},
];
