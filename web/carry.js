// SPDX-License-Identifier: BSD-3-Clause
//
// carry.js - what is chosen in a method, found again in the method of a record that was written again. Knows no page.

/** The operator of the method that another document calls so; null if there is none. */
export function sameOperator(method, operator) {
  return (operator && method.operators.find(other => other.name === operator.name && other.subgraph === operator.subgraph)) ?? null;
}

function sameModule(method, module) {
  return (module && method.modules.find(other => other.path === module.path)) ?? null;
}

function sameList(method, only) {
  return only && {...only, list: only.list.map(operator => sameOperator(method, operator)).filter(Boolean)};
}

/* Its place stays; an event that is chosen, if it is the same one. */
function sameTimeline(before, now, kept) {
  const eventOf = ({timeline}) => timeline?.lanes?.flatMap(lane => lane.events)[kept.chosen];
  return eventOf(before)?.name === eventOf(now)?.name ? kept : {...kept, chosen: undefined};
}

/** Options of views that name parts of `before`, with those of `now` instead. */
export function carryOptions(options, before, now) {
  return {
    ...options, operators: {...options.operators, module: sameModule(now, options.operators.module), only: sameList(now, options.operators.only)},
    modules: {...options.modules, module: sameModule(now, options.modules.module)}, timeline: sameTimeline(before, now, options.timeline),
  };
}
