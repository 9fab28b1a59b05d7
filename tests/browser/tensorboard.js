// SPDX-License-Identifier: BSD-3-Clause
//
// tensorboard.js - a record written by the command, and a real TensorBoard that serves it.

import {execFileSync, spawn} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join, resolve} from 'node:path';
import {after} from 'node:test';
import {setTimeout} from 'node:timers/promises';

import {command, fixtures, python, pythonPath} from './environment.js';

const START_MS = 120_000;
const POLL_MS = 100;

/** The fixtures' records that `TensorBoard.shared()` serves, each as a run of its name. */
export const SHARED = ['add_mul', 'control_flow', 'cpp_rich', 'llama_xnnpack', 'multi_method', 'mv2_portable', 'mv2_xnnpack', 'p_gru', 'vit_xnnpack'];

let shared = null;

after(async () => (await shared)?.stop());

function answer(subcommand, fixture) {
  const said = execFileSync(command, [subcommand, join(fixtures, fixture), '--format', 'json', '--unit', 'us'], {maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore']});
  return JSON.parse(said);
}

/** What the command says about a fixture's graphs, in microseconds. */
export function nodesOf(fixture) {
  return answer('nodes', fixture).graphs;
}

/** Where the time of a method goes, in microseconds. */
export function methodOf(fixture, name) {
  return answer('summary', fixture).methods.find(method => method.method === name);
}

/** The page's own format, line by line: every field becomes a list of what it holds. */
function parseTextProto(text) {
  const stack = [{}];
  for (const line of text.split('\n').map(l => l.trim()).filter(l => l)) {
    const inside = stack.at(-1);
    if (line.endsWith('{')) {
      const inner = {};
      (inside[line.slice(0, -1).trim()] ??= []).push(inner);
      stack.push(inner);
    } else if (line === '}') {
      stack.pop();
    } else {
      const [, key, value] = line.match(/^(\w+): "?(.*?)"?$/);
      (inside[key] ??= []).push(value);
    }
  }
  return stack[0];
}

export class TensorBoard {
  /** The one of all tests of this process that change nothing in its logdir. It stops behind the last of them. */
  static shared() {
    return (shared ??= TensorBoard.start(...SHARED));
  }

  /** Writes these records, fixtures' names or paths, into a new logdir and serves it on a free port of the loopback device. */
  static start(...names) {
    return TensorBoard.startWith(names.map(name => ({record: name, name: basename(name), options: []})));
  }

  /** The same of {record, name, options}: what each is called in the logdir, and further options of the command. `change` may change the folder before it is served. */
  static async startWith(records, change = () => {}) {
    const server = new TensorBoard();
    server.folder = mkdtempSync(join(tmpdir(), 'etrecord-tb-'));
    server.since = Date.now() / 1e3;
    for (const {record, name, options} of records)
      execFileSync(command, ['write', resolve(fixtures, record), '--logdir', server.folder, '--name', name, ...options], {stdio: 'ignore'});
    change(server.folder);
    server.process = spawn(python, ['-m', 'tensorboard.main', '--logdir', server.folder, '--host', '127.0.0.1', '--port', '0'],
      {stdio: ['ignore', 'ignore', 'pipe'], env: {...process.env, PYTHONPATH: pythonPath}});
    server.end = () => { // where the tests end early
      server.process.kill();
      rmSync(server.folder, {recursive: true, force: true});
    };
    process.once('exit', server.end);
    try {
      server.url = await server.announced();
      await server.loaded(records.map(({name}) => name));
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** Its address, which it says once it listens. */
  announced() {
    return new Promise((resolve, reject) => {
      let said = '';
      this.process.stderr.on('data', data => {
        said += data;
        const found = said.match(/http:\/\/127\.0\.0\.1:\d+\//);
        if (found) resolve(found[0]);
      });
      this.process.on('exit', () => reject(new Error(`TensorBoard ended:\n${said}`)));
    });
  }

  /** Until it has read the run of each record to its last profile. */
  async loaded(names) {
    for (const end = Date.now() + START_MS; Date.now() < end; await setTimeout(POLL_MS)) {
      const runs = Object.entries(await this.infoSoFar());
      if (names.every(name => runs.some(([run, has]) => run === name && has.run_graph && has.tags['profile/timeline']))) return;
    }
    throw new Error(`TensorBoard has not loaded ${names}`);
  }

  /** What it knows about graphs; nothing while it can't say: its own loader lists a tag before the tag's tensors, and fails in between. */
  async infoSoFar() {
    const answer = await fetch(`${this.url}data/plugin/graphs/info`);
    if (answer.status === 500) return {};
    if (!answer.ok) throw new Error(`${answer.status} for ${answer.url}`);
    return answer.json();
  }

  async stop() {
    process.off('exit', this.end);
    if (this.process.exitCode === null) {
      const ended = new Promise(resolve => this.process.once('exit', resolve));
      this.process.kill();
      await ended;
    }
    rmSync(this.folder, {recursive: true});
  }

  async text(route, query = {}) {
    const answer = await fetch(`${this.url}data/${route}?${new URLSearchParams(query)}`);
    if (!answer.ok) throw new Error(`${answer.status} for ${answer.url}`);
    return answer.text();
  }

  async json(route, query) {
    return JSON.parse(await this.text(route, query));
  }

  /** Nodes of a run's graph: {name, op, device, fxNode}. */
  async graph(run) {
    const attribute = (node, key) => node.attr?.find(a => a.key[0] === key)?.value[0].s[0];
    const graph = parseTextProto(await this.text('plugin/graphs/graph', {run, conceptual: false}));
    return graph.node.map(node => ({name: node.name[0], op: node.op[0], device: node.device?.[0], fxNode: attribute(node, 'fx_node')}));
  }
}
