// SPDX-License-Identifier: BSD-3-Clause
//
// large.js - reports with more events than a fixture has, made by repeating those of one.

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
