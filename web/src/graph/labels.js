// SPDX-License-Identifier: BSD-3-Clause
//
// What is written on boxes, and how wide that makes them. Widths depend on names alone: an overlay never moves a box.

import {REPEAT, groupOf} from './groups.js';

/** Sizes in pixels at zoom 1. */
export const SIZE = {header: 24, pad: 12, gap: 18, track: 7, between: 20, betweenLines: 10, betweenOther: 14, rail: 11, nodeHeight: 34, groupHeight: 40, port: 12, character: 7.3, plainCharacter: 6.8, smallCharacter: 5.9, value: 52, badge: 22};

/** The least zoom at which everything that is written on boxes can be read. */
export const READABLE_ZOOM = 0.58;

/* Longer names are cut: names come from files. */
const MAX_LABEL = 60;

/** The start of a text that may be of any length. */
export const cutText = (text, length = MAX_LABEL) => text.length > length ? `${text.slice(0, length - 1)}…` : text;

/** `aten.view_copy.default` without what all operators have. */
export function shortOperator(op) {
  const parts = cutText(op, 200).split('.');
  const name = parts.length > 2 || parts.length > 1 && /^(aten|prims|quantized_decomposed|higher_order|dim_order_ops|control|delegate)$/.test(parts[0]) ? parts[1] : parts.join('.');
  return cutText(name.replace(/^_+|^_*native_|_legit(_no_training)?/g, '')) || cutText(op);
}

/** The label of a node: its operator, or the name of an input or output. */
export function nodeLabel(graph, node) {
  return graph.kind[node] === 0 ? graph.labels[graph.op[node]] : cutText(graph.names[node]);
}

/** The label of a group, with the number of instances of a repeat. */
export function groupLabel(group) {
  return group.kind === REPEAT ? `${cutText(group.label)} ×${group.items.length}` : cutText(group.label);
}

/** The width of the box of a node or of a closed group. */
export function boxWidth(tree, item) {
  const group = groupOf(tree, item);
  if (group) return Math.max(110, Math.min(280, groupLabel(group).length * SIZE.character + 84));
  const {graph} = tree, label = nodeLabel(graph, item).length, below = lineBelow(tree, item).length * SIZE.smallCharacter + (graph.weights[item] ? SIZE.badge : 0);
  return Math.max(54, Math.min(240, Math.max(graph.kind[item] === 0 ? label * SIZE.character + SIZE.value : label * SIZE.plainCharacter, below) + 18));
}

/** What is written below the label of a node: the module that is only this operator, or the type of an input or output. */
export const lineBelow = ({alias, graph}, node) => cutText(alias[node] ?? graph.notes?.[node] ?? '', 40);

/** The width that the title of an open group needs. */
export const titleWidth = group => groupLabel(group).length * SIZE.character + 130;
