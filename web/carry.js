// SPDX-License-Identifier: BSD-3-Clause
//
// carry.js - finds the user's selection again after a record was rewritten. It needs no page.

/** Returns the operator of `method` that has the name and subgraph of `operator`, which is from another document; null if there is none. */
export function sameOperator(method, operator) {
  return (operator && method.operators.find(other => other.name === operator.name && other.subgraph === operator.subgraph)) ?? null;
}

function sameModule(method, module) {
  return (module && method.modules.find(other => other.path === module.path)) ?? null;
}

function sameList(method, only) {
  return only && {...only, list: only.list.map(operator => sameOperator(method, operator)).filter(Boolean)};
}

/* Keeps the visible range; keeps the selected event if the event at the same index has the same name. */
function sameTimeline(before, now, kept) {
  const eventOf = ({timeline}) => timeline?.lanes?.flatMap(lane => lane.events)[kept.chosen];
  return eventOf(before)?.name === eventOf(now)?.name ? kept : {...kept, chosen: undefined};
}

/** Returns the options of the views with each reference to a part of the method `before` replaced by the same part of `now`. */
export function carryOptions(options, before, now) {
  return {
    ...options, operators: {...options.operators, module: sameModule(now, options.operators.module), only: sameList(now, options.operators.only)},
    modules: {...options.modules, module: sameModule(now, options.modules.module)}, timeline: sameTimeline(before, now, options.timeline),
  };
}
