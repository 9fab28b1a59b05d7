// SPDX-License-Identifier: BSD-3-Clause
//
// Lays out large graphs beside the page. The page's script is its own worker; trees and layouts are plain data, so they
// are sent as they are.

import {buildTree, openDefault} from './groups.js';
import {layoutTree} from './layout.js';

/* Smaller graphs are laid out at once: sending them takes as long. */
const LARGE = 4000;

function treeOf(graph, options) {
  const tree = Object.assign(buildTree(graph, options), {pane: options.pane});
  openDefault(tree, options.budget);
  layoutTree(tree);
  return tree;
}

if (globalThis.WorkerGlobalScope && !globalThis.document)
  globalThis.onmessage = ({data: {graph, options}}) => globalThis.postMessage(treeOf(graph, options));

/* The address of this script: in a report, the script is an element of the page. */
function scriptUrl() {
  const inline = document.getElementById('page-script');
  return inline ? URL.createObjectURL(new Blob([inline.textContent], {type: 'text/javascript'})) : import.meta.url;
}

/**
 * Builds the tree of a graph with the layout of what is open at first, for a pane of a size ({by, budget, pane}): at
 * once, or for large graphs in a worker. Returns the tree or a promise of it.
 */
export function layOut(graph, options) {
  if (graph.count < LARGE || typeof Worker === 'undefined') return treeOf(graph, options);
  return new Promise(resolve => {
    const here = () => resolve(treeOf(graph, options)); // where workers are forbidden
    try {
      const worker = new Worker(scriptUrl(), {type: 'module'});
      worker.onmessage = ({data: tree}) => {
        worker.terminate();
        resolve(tree);
      };
      worker.onerror = () => {
        worker.terminate();
        here();
      };
      worker.postMessage({graph, options});
    } catch {
      here();
    }
  });
}
