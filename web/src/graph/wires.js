// SPDX-License-Identifier: BSD-3-Clause
//
// Each group is wired for itself. A wire is one value inside one group: from the item that makes it, or a port on top,
// to the items that read it,
// and perhaps a port at the bottom. A value crosses the border of a group once, however many read it inside.

import {IntList, indexBy} from './lists.js';

/* Builds the wires of a tree: value by value, outward from its maker, and inward to each reader. */
class Wiring {
  constructor(tree) {
    const items = tree.count + tree.groups.length;
    this.tree = tree;
    this.group = new IntList(); // of each wire: the number of its group
    this.value = new IntList(); // the node that makes the value
    this.source = new IntList(); // the slot of the item that makes it; -1: it comes in by a port
    this.sourceWire = new IntList(); // the wire of the value inside that item; -1: the item is a node
    this.leaves = new IntList(); // 1: the value leaves the group by a port
    this.firstUse = new IntList(); // of a value that comes in: the first edge that reads it
    this.targetWire = new IntList(); // of each target: its wire
    this.target = new IntList(); // the slot of the item that reads the value
    this.innerWire = new IntList(); // the wire of the value inside that item, or -1
    this.outward = []; // of the value at hand: its wires in the groups around its maker, from the inside
    this.incoming = new Int32Array(tree.groups.length); // of each group: its wire of the value at hand, if
    this.incomingOf = new Int32Array(tree.groups.length).fill(-1); // this is the value at hand
    this.reached = new Int32Array(items).fill(-1); // the last value that reached each item
  }

  add(group, value, source, sourceWire, firstUse) {
    this.group.push(group);
    this.value.push(value);
    this.source.push(source);
    this.sourceWire.push(sourceWire);
    this.leaves.push(0);
    return this.firstUse.push(firstUse);
  }

  reach(wire, item, inner, value) {
    if (this.reached[item] === value) return;
    this.reached[item] = value;
    this.targetWire.push(wire);
    this.target.push(this.tree.slot[item]);
    this.innerWire.push(inner);
  }

  /* The wire of a value in the group of this depth around its maker. */
  outside(value, depth) {
    const {tree, outward} = this,
      level = tree.depth[value] - 1 - depth;
    while (outward.length <= level) {
      const inner = outward.length ? outward.at(-1) : -1,
        item = inner < 0 ? value : this.group.values[inner] + tree.count;
      if (inner >= 0) this.leaves.values[inner] = 1;
      outward.push(this.add(tree.parent[item] - tree.count, value, tree.slot[item], inner, -1));
    }
    return outward[level];
  }

  /* One edge: from a value to a reader; the reader's groups are entered as far as they are not around the maker. */
  edge(value, reader, number) {
    const {tree} = this,
      {parent, depth, count} = tree;
    let a = value,
      b = reader;
    while (depth[a] > depth[b]) a = parent[a];
    while (depth[b] > depth[a]) b = parent[b];
    while (parent[a] !== parent[b]) {
      a = parent[a];
      b = parent[b];
    }
    const shared = parent[b],
      outer = this.outside(value, depth[shared]);
    let item = reader,
      inner = -1;
    while (parent[item] !== shared) {
      const group = parent[item] - count,
        known = this.incomingOf[group] === value;
      if (!known) {
        this.incomingOf[group] = value;
        this.incoming[group] = this.add(group, value, -1, -1, number);
      }
      this.reach(this.incoming[group], item, inner, value);
      if (known) return;
      inner = this.incoming[group];
      item = parent[item];
    }
    this.reach(outer, item, inner, value);
  }

  run() {
    const {graph} = this.tree,
      {start, list} = indexBy(graph.from, graph.count),
      reader = new Int32Array(graph.from.length);
    for (let v = 0; v < graph.count; v++) reader.fill(v, graph.start[v], graph.start[v + 1]);
    for (let value = 0; value < graph.count; value++) {
      this.outward.length = 0;
      for (let k = start[value]; k < start[value + 1]; k++) this.edge(value, reader[list[k]], list[k]);
    }
    return this;
  }
}

/* Numbers of ports: those of values that come in in the order of first use, alike in all instances of a repeat;
   those that leave as they are made. */
function numberPorts(wiring, byGroup, groups) {
  const wires = wiring.group.length,
    inPort = new Int32Array(wires).fill(-1),
    outPort = new Int32Array(wires).fill(-1),
    {firstUse, source, leaves, value} = wiring;
  for (let g = 0; g < groups.length; g++) {
    const own = byGroup.list.subarray(byGroup.start[g], byGroup.start[g + 1]),
      incoming = [],
      outgoing = [];
    for (const wire of own) {
      if (source.values[wire] < 0) incoming.push(wire);
      if (leaves.values[wire]) outgoing.push(wire);
    }
    incoming.sort((a, b) => firstUse.values[a] - firstUse.values[b]);
    // the value made last is that of the chain: its port is in the middle, so that the chain goes on straight
    let middle = 0;
    incoming.forEach((wire, port) => {
      inPort[wire] = port;
      if (value.values[wire] > value.values[incoming[middle]]) middle = port;
    });
    outgoing.forEach((wire, port) => {
      outPort[wire] = port;
    });
    Object.assign(groups[g], {ins: incoming.length, outs: outgoing.length, middle});
  }
  return {inPort, outPort};
}

/**
 * The wires of all groups. Those of group g are `list[start[g]]` and so on; the targets of wire w are targetStart[w] to
 * targetStart[w + 1] - 1.
 */
export function wireGroups(tree) {
  const wiring = new Wiring(tree).run(),
    byGroup = indexBy(wiring.group.all(), tree.groups.length);
  const {start, list} = indexBy(wiring.targetWire.all(), wiring.group.length),
    pick = column => Int32Array.from(list, target => column.values[target]);
  return {
    start: byGroup.start,
    list: byGroup.list,
    value: wiring.value.all().slice(),
    source: wiring.source.all().slice(),
    sourceWire: wiring.sourceWire.all().slice(),
    targetStart: start,
    target: pick(wiring.target),
    innerWire: pick(wiring.innerWire),
    ...numberPorts(wiring, byGroup, tree.groups),
  };
}
