// SPDX-License-Identifier: BSD-3-Clause
//
// large.js - reports with more events and nodes than a fixture has, made by repeating those of one.

import {readTimeline} from '../../web/src/base/events.js';
import {readProfile} from '../../web/src/base/method.js';
import {embeddedIn, withDocument} from './answers.js';

/** Returns the runs that a report has, and their events. */
export function timelineIn(html) {
  const [method] = readProfile(embeddedIn(html, 'profile')).methods, {timeline, texts} = embeddedIn(html, 'profile.0.timeline');
  return readTimeline(timeline, texts, method);
}

/* What the document has instead of start and duration: of each start the gap to the event before, of each duration what is left behind the last event directly inside. */
function gapsOf({count, start, duration, lane, level}) {
  const isIn = (event, other) => (Math.max(0, lane[event]) === Math.max(0, lane[other]) ? level[event] > level[other] : lane[event] > lane[other]);
  const gap = [start[0]], time = [...duration], around = [-1], last = [];
  for (let event = 1; event < count; event++) {
    gap[event] = start[event] - start[event - 1] - (isIn(event, event - 1) ? 0 : Math.floor(duration[event - 1]));
    for (around[event] = event - 1; around[event] >= 0 && !isIn(event, around[event]);) around[event] = around[around[event]];
    if (around[event] >= 0) last[around[event]] = event;
  }
  last.forEach((inside, event) => (time[event] -= start[inside] + duration[inside] - start[event]));
  return {gap, time};
}

/** Returns the report with the events of its first run, repeated until there are `most`, as one run. */
export function withEvents(html, most) {
  const events = timelineIn(html).eventsOf(0), times = Math.ceil(most / events.count), {execute, lanes} = events;
  const repeated = (valueOf, step = 0) => Array.from({length: events.count * times}, (_, at) => valueOf(at % events.count) + step * Math.floor(at / events.count));
  const columns = Object.fromEntries(['duration', 'lane', 'level', 'measured', 'operator', 'instruction'].map(key => [key, repeated(event => events[key][event])]));
  const {duration, ...kept} = columns, count = events.count * times, start = repeated(event => events.start[event], execute);
  const structure = {count, lanes, ...kept, ...Object.fromEntries(['name', 'match'].map(key => [key, repeated(event => events.raw(key, event))]))};
  const longer = withDocument(html, 'profile', whole => {
    whole.methods[0].execute_per_run[0] = execute * times;
    return whole;
  });
  return withDocument(longer, 'profile.0.timeline', ({texts}) => ({timeline: {runs_left_out: 0, structures: [structure], runs: [{run: 0, structure: 0, ...gapsOf({count, start, duration, ...kept})}]}, texts}));
}

/** Returns the report with the nodes of its first method, repeated until there are `most`: each time in modules of their own, so that all of its layers are there again. */
export function withNodes(html, most) {
  return withDocument(html, 'profile', whole => {
    const {graph} = whole.methods[0], {operators, modules} = graph, count = operators.name.length, times = Math.ceil(most / count), around = modules.path.length;
    const repeat = (column, change = value => value) => (Array.isArray(column) ? Array.from({length: column.length * times}, (_, at) => change(column[at % column.length], Math.floor(at / column.length))) : column);
    const each = (table, changes) => Object.fromEntries(Object.entries(table).map(([key, column]) => [key, repeat(column, changes[key])]));
    const shifted = by => (value, time) => (value === null || value < 0 ? value : value + by * time), named = separator => (name, time) => (time && name ? `${name}${separator}${time}` : name);
    graph.operators = {...each(operators, {name: named('_'), module: shifted(around), carrier: shifted(count)}), count: count * times};
    graph.modules = {...each(modules, {path: (path, time) => (time && path ? `block${time}.${path}` : path), parent: shifted(around)}), ...(modules.count ? {count: around * times} : {})};
    return whole;
  });
}
