// SPDX-License-Identifier: BSD-3-Clause
//
// commands.js - the register of what a user can do: its keys, its text, when it is possible. Keys, toolbars and the
// list of keys ("?") read it. It needs no page.

const commands = new Map();

/**
 * Registers a command: {name, keys: ['+', 'shift+ArrowLeft'], text, views: the views that have it (all if missing),
 * group: under which the list of keys has it, run(event), isPossible()}.
 * A key is the event's `key`, behind "shift+" where a letter's case does not tell it; "g t" are two keys, one soon
 * after the other.
 */
export function command(made) {
  commands.set(made.name, {views: null, isPossible: () => true, ...made});
}

/** Returns the commands of a view, those of all views included. */
export function commandsOf(view) {
  return [...commands.values()].filter(({views}) => !views || views.includes(view));
}

/** Runs a command by its name. */
export function run(name, event) {
  const found = commands.get(name);
  if (found?.isPossible()) found.run(event);
}

const keyOf = ({key, shiftKey}) => (shiftKey && key.length > 1 ? `shift+${key}` : key);

const PAIR_MS = 1500; // time in which the second of two keys follows
let before = null; // the last key that ran nothing, {key, at}

/**
 * Runs the command of a key in a view; two keys come before one, and those of the view before those of all views.
 * Returns whether there was one.
 */
export function runKey(view, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const key = keyOf(event),
    list = commandsOf(view),
    find = wanted => {
      const fitting = list.filter(({keys, isPossible}) => keys?.includes(wanted) && isPossible());
      return fitting.find(({views}) => views) ?? fitting[0];
    };
  const found = (before && event.timeStamp - before.at < PAIR_MS && find(`${before.key} ${key}`)) || find(key);
  before = found ? null : {key, at: event.timeStamp};
  if (!found) return false;
  found.run(event);
  return true;
}
