// SPDX-License-Identifier: BSD-3-Clause
//
// What is written on boxes, and how wide that makes them. Widths depend on names alone: an overlay never moves a box.

import {REPEAT, groupOf} from './groups.js';

/** Sizes in pixels at zoom 1. */
export const SIZE = {header: 24, pad: 12, gap: 18, track: 7, between: 20, betweenLines: 10, betweenOther: 14, rail: 11, nodeHeight: 34, groupHeight: 40, port: 12, character: 7.3, value: 52};

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
  const operator = tree.graph.kind[item] === 0, alias = cutText(tree.alias[item] ?? '', 40);
  return Math.max(54, Math.min(240, Math.max(nodeLabel(tree.graph, item).length * SIZE.character + (operator ? SIZE.value : 0), alias.length * 5.4) + 18));
}

/** The width that the title of an open group needs. */
export const titleWidth = group => groupLabel(group).length * SIZE.character + 130;
