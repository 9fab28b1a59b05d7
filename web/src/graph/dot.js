// SPDX-License-Identifier: BSD-3-Clause
//
// What is drawn of a graph, as a text for Graphviz: the boxes that are open, and one edge for each value that goes from box to box.

import {OPEN, REPEAT, groupOf} from './groups.js';
import {groupLabel, nodeLabel} from './labels.js';

const quoted = text => `"${text.replace(/[\\"]/g, '\\$&').replace(/[\p{Cc}\p{Bidi_Control}]/gu, '?')}"`;

/* The innermost drawn box of a node; of a folded repeat that is the box at the same place in the instance that is shown. */
function boxOf(tree, node) {
  const way = [];
  for (let item = node; item >= 0; item = tree.parent[item]) way.unshift(item);
  let box = tree.root;
  for (let k = 1; k < way.length; k++) {
    const outer = groupOf(tree, box),
      repeat = outer.kind === REPEAT && outer.state === OPEN;
    box = outer.items[repeat ? outer.chosen : tree.slot[way[k]]];
    const group = groupOf(tree, box);
    if (!group || (group.state === 0 && !repeat)) return box;
  }
  return box;
}

/** The text of a graph in the DOT language. `label(item)` adds a line to the label of a box. */
export function dotText(tree, label = () => '') {
  const {graph, count} = tree,
    lines = ['digraph G {', '  node [shape=box, fontname="sans-serif"];'],
    boxes = Array.from({length: count}, (_, node) => boxOf(tree, node)),
    edges = new Set();
  const write = (id, indent) => {
    const group = groupOf(tree, id),
      folded = group?.kind === REPEAT && group.state === OPEN,
      text = [group ? groupLabel(group) : nodeLabel(graph, id), label(id)].filter(Boolean).join('\n');
    if (!group || group.state === 0) {
      lines.push(`${indent}n${id} [label=${quoted(text).replaceAll('\n', '\\n')}];`);
      return;
    }
    lines.push(`${indent}subgraph cluster_${id} {`, `${indent}  label=${quoted(text).replaceAll('\n', '\\n')};`);
    for (const item of folded ? groupOf(tree, group.items[group.chosen]).items : group.items)
      write(item, `${indent}  `);
    lines.push(`${indent}}`);
  };
  for (const item of groupOf(tree, tree.root).items) write(item, '  ');
  for (let node = 0; node < count; node++)
    for (let e = graph.start[node]; e < graph.start[node + 1]; e++)
      if (boxes[node] !== boxes[graph.from[e]]) edges.add(`  n${boxes[graph.from[e]]} -> n${boxes[node]};`);
  graph.loops.from.forEach((from, i) => {
    if (boxes[from] !== boxes[graph.loops.to[i]])
      edges.add(
        `  n${boxes[from]} -> n${boxes[graph.loops.to[i]]} [style=dashed, constraint=false, label="next pass"];`,
      );
  });
  return [...lines, ...edges, '}', ''].join('\n');
}
