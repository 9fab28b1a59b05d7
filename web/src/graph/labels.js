// SPDX-License-Identifier: BSD-3-Clause
//
// What is written on boxes, and how wide that makes them. Widths depend on names alone: an overlay never moves a box.

import {shortOp} from '../base/labels.js';
import {REPEAT, groupOf} from './groups.js';

/** Sizes in pixels at zoom 1. */
export const SIZE = {
  header: 24,
  pad: 12,
  gap: 18,
  track: 7,
  between: 20,
  betweenLines: 10,
  betweenOther: 14,
  rail: 11,
  nodeHeight: 34,
  groupHeight: 40,
  port: 12,
  character: 7.3,
  plainCharacter: 6.8,
  smallCharacter: 6.2,
  value: 52,
  badge: 22,
};

/** The sizes of texts at zoom 1: of labels, and of all else. */
export const TEXT = {label: 12, small: 11};
/** The least zoom of the first view, at which no text is smaller than 11 pixels. */
export const READABLE_ZOOM = 1;

/* Longer names are cut: names come from files. */
const MAX_LABEL = 60;
/* Longer names of operators lose the words in their middle, which leaves up to so many letters of both ends. */
const MAX_OPERATOR = 26,
  HEAD = 14,
  TAIL = 9;

/** The start of a text that may be of any length. */
export const cutText = (text, length = MAX_LABEL) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

/** The end of a text that may be of any length: paths differ at their ends. */
export const cutPath = (text, length) => (text.length > length ? `…${text.slice(1 - length)}` : text);

/**
 * The name of an operator as the other views write it: `view_copy` of `aten.view_copy.default`. Of a long name words in
 * the middle are left out: `_native_batch…training`.
 */
export function shortOperator(op) {
  const name = cutText(shortOp(cutText(op, 200)));
  if (name.length <= MAX_OPERATOR) return name;
  const head = name.slice(0, HEAD + 1),
    tail = name.slice(-TAIL),
    from = head.lastIndexOf('_'),
    to = tail.indexOf('_');
  return `${from > HEAD / 2 ? head.slice(0, from) : head}…${to >= 0 && to < TAIL / 2 ? tail.slice(to + 1) : tail}`;
}

/** The label of a node: its operator, or the name of an input or output. */
export function nodeLabel(graph, node) {
  return graph.kind[node] === 0 ? graph.labels[graph.op[node]] : cutText(graph.names[node]);
}

/** The label of a group, with the number of instances of a repeat. */
export function groupLabel(group) {
  return group.kind === REPEAT ? `${cutText(group.label)} ×${group.items.length}` : cutText(group.label);
}

/** The module of a node as far as no box around it says it: "layers.3.wq", or '' if its boxes say all. */
export function moduleLabel(tree, node) {
  const {graph} = tree,
    path = graph.modules[graph.module[node]] ?? '',
    around = groupOf(tree, tree.parent[node]).path;
  if (tree.alias[node] !== undefined) return cutText(tree.alias[node], 40);
  return path === around
    ? ''
    : cutPath(around && path.startsWith(`${around}.`) ? path.slice(around.length + 1) : path, 40);
}

/** The width of the box of a node or of a closed group. */
export function boxWidth(tree, item) {
  const group = groupOf(tree, item);
  if (group) return Math.max(110, Math.min(280, groupLabel(group).length * SIZE.character + 84));
  const {graph} = tree,
    label = nodeLabel(graph, item).length,
    below = lineBelow(tree, item).length * SIZE.smallCharacter + (graph.weights[item] ? SIZE.badge : 0);
  return Math.max(
    54,
    Math.min(
      240,
      Math.max(graph.kind[item] === 0 ? label * SIZE.character + SIZE.value : label * SIZE.plainCharacter, below) + 18,
    ),
  );
}

/**
 * What is written below the label of a node: the module that is only this operator, or the type of an input or output.
 */
export const lineBelow = ({alias, graph}, node) => cutText(alias[node] ?? graph.notes?.[node] ?? '', 40);

/** The width that the title of an open group needs. */
export const titleWidth = group => groupLabel(group).length * SIZE.character + 130;
