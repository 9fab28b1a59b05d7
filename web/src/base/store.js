// SPDX-License-Identifier: BSD-3-Clause
//
// store.js - the state of the page: one flat set of keys with values, each a signal. The state is the address: what
// differs from its default stands in it, so that a
// copied link, a reload and the Back button show the same. It needs no page; follow() connects it to an address.

import {batch, signal} from '@preact/signals';

const declared = new Map(); // key -> {type, signal}
let address = null;

/* ---- Types of values: how each stands in the address ---- */

export const text = (fallback = '') => ({fallback, read: said => said, write: value => value});
export const number = (fallback = 0) => ({
  fallback,
  read: said => (Number.isFinite(Number(said)) && said !== '' ? Number(said) : fallback),
  write: value => String(Number(value.toPrecision(9))),
});
export const flag = (fallback = false) => ({fallback, read: said => said === '1', write: value => (value ? '1' : '0')});
export const oneOf = (fallback, ...others) => ({
  fallback,
  read: said => (others.includes(said) ? said : fallback),
  write: value => value,
});
/** A list of texts without commas. An empty list is written as "-". */
export const list = (fallback = []) => ({
  fallback,
  read: said => (said === '-' ? [] : said.split(',').map(decodeURIComponent)),
  write: value => value.map(encodeURIComponent).join(',') || '-',
});

/**
 * Declares keys: {'tl.from': number(0)}. A key belongs to the view whose name stands before the dot, or to the whole
 * page.
 */
export function declare(keys) {
  for (const [key, type] of Object.entries(keys)) declared.set(key, {type, signal: signal(type.fallback)});
}

const isDefault = ({type}, value) => value === type.fallback || type.write(value) === type.write(type.fallback);

/** Returns the value of a key. A component or computation that calls it is updated when the value changes. */
export const get = key => declared.get(key).signal.value;

/** Returns the value without following it. */
export const peek = key => declared.get(key).signal.peek();

/* ---- The address ---- */

/* Leaves what is readable in a fragment. */
const escaped = said =>
  encodeURIComponent(said).replace(/%(2F|3A|2C|5B|5D|40|3E|3C|2A|28|29|7C|20)/gi, (code, hex) =>
    hex === '20' ? '+' : ['3C', '3E'].includes(hex.toUpperCase()) ? code : decodeURIComponent(code),
  );
const unescaped = said => {
  try {
    return decodeURIComponent(said.replaceAll('+', ' '));
  } catch {
    return said; // a damaged address
  }
};

/**
 * Returns the state as "view=operators&q=conv": the keys that differ from their defaults, in the order of declaration.
 */
export function written(state = Object.fromEntries([...declared].map(([key, entry]) => [key, entry.signal.peek()]))) {
  return [...declared]
    .filter(([key, entry]) => key in state && !isDefault(entry, state[key]))
    .map(([key, {type}]) => `${key}=${escaped(type.write(state[key]))}`)
    .join('&');
}

/* Sets all keys to what the text says; keys that it lacks get their defaults. */
function read(said) {
  const values = new Map(
    said
      .split('&')
      .filter(part => part.includes('='))
      .map(part => [part.slice(0, part.indexOf('=')), unescaped(part.slice(part.indexOf('=') + 1))]),
  );
  batch(() => {
    for (const [key, {type, signal: kept}] of declared)
      kept.value = values.has(key) ? type.read(values.get(key)) : type.fallback;
  });
}

/**
 * Changes keys. What a user would take back with the Back button becomes an entry of the history; with `replace`, as
 * for zooming and typing, the entry is changed.
 */
export function set(changes, {replace = false} = {}) {
  const before = written();
  batch(() => {
    for (const [key, value] of Object.entries(changes))
      declared.get(key).signal.value = value === undefined || value === null ? declared.get(key).type.fallback : value;
  });
  const now = written();
  if (!address || now === before) return;
  if (replace) address.replace(now);
  else address.push(now);
}

/** Returns the defaults of all keys of a view, {key: value}. */
export function defaultsOf(view) {
  return Object.fromEntries(
    [...declared].filter(([key]) => key.startsWith(`${view}.`)).map(([key, {type}]) => [key, type.fallback]),
  );
}

/**
 * Connects the state to an address, {read(), push(text), replace(text), listen(changed, again)}: changed() is called
 * when the user goes back or forward, again() when the address has lost the state.
 */
export function follow(given) {
  address = given;
  read(address.read());
  address.listen(
    () => read(address.read()),
    () => address.replace(written()),
  );
}
