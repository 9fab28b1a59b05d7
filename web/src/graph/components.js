// SPDX-License-Identifier: BSD-3-Clause
//
// Strongly connected components: which boxes would form a circle.

/** The component of each vertex of a graph in rows (`start`, `list`), by Tarjan's algorithm without recursion. */
export function components({start, list}, count) {
  const number = new Int32Array(count).fill(-1),
    low = new Int32Array(count),
    component = new Int32Array(count).fill(-1),
    edge = start.slice(0, count);
  const path = [],
    open = []; // the vertices of the walk; visited vertices that have no component yet
  let visited = 0,
    found = 0;
  const leave = vertex => {
    path.pop();
    if (path.length) low[path.at(-1)] = Math.min(low[path.at(-1)], low[vertex]);
    if (low[vertex] !== number[vertex]) return;
    for (let last = -1; last !== vertex;) {
      last = open.pop();
      component[last] = found;
    }
    found++;
  };
  for (let root = 0; root < count; root++) {
    if (number[root] < 0) path.push(root);
    while (path.length) {
      const vertex = path.at(-1);
      if (number[vertex] < 0) {
        number[vertex] = low[vertex] = visited++;
        open.push(vertex);
      }
      if (edge[vertex] === start[vertex + 1]) {
        leave(vertex);
        continue;
      }
      const next = list[edge[vertex]++];
      if (number[next] < 0) path.push(next);
      else if (component[next] < 0) low[vertex] = Math.min(low[vertex], number[next]);
    }
  }
  return component;
}
