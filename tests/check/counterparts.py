#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Are the panes of the page's graph in step, by what `nodes` and ExecuTorch say? counterparts.py ETRECORD_TB FIXTURES...

Of each node of another pane, the operators behind it in the report are those of `nodes`: of an ATen node all Edge nodes that name it as their aten_node, of an instruction
its edge_nodes, and in a delegate those that they carry. Of an instruction they also have the debug handles that ExecuTorch's debug_handle_map gives to it, and of a delegate's call those of its delegate_map. The
bodies of control flow belong to the operators that have them as arguments in ExecuTorch's own graphs, in that order.
"""
import collections
import os
import pathlib
import subprocess
import sys

import common
from report_documents import column, documents_in


def names_of(section, graph):
    """Path of the subgraph and name of each drawn node; those of the method's own operators are None."""
    paths = column(graph['subgraphs'], 'path') if 'subgraphs' in graph else []
    return [(paths[inside] if inside is not None and inside >= 0 else None, name) for inside, name in zip(column(graph['nodes'], 'subgraph', -1), column(graph['nodes'], 'name'), strict=True)]


def words(section, table, key):
    return [None if number is None or number < 0 else section['texts'][number] for number in column(table, key, -1)]


def counterparts(graph):
    """The operators behind each drawn node."""
    at, steps, found = 0, iter(graph.get('counterparts', [])), []
    for count in column(graph['nodes'], 'counterparts', 0):
        found.append([])
        for _ in range(count):
            at += next(steps)
            found[-1].append(at)
    return found


def handles(value):
    return set(value if isinstance(value, list) else [value]) - {None, 0}


def check_aten(score, graph, section, edge):
    """By name and body: the body of ATen's graph that corresponds to that of an Edge node has its place among the bodies of its owner."""
    wanted = collections.defaultdict(set)
    for at, node in enumerate(edge):
        if node['aten_node'] is not None:
            wanted[node['aten_node']].add(at)
    named, got = collections.Counter(name for _, name in names_of(section, graph)), collections.defaultdict(set)
    for (_, name), behind in zip(names_of(section, graph), counterparts(graph), strict=True):
        got[name] |= set(behind)
    for name in named:
        score.equal(sorted(got[name]), sorted(wanted[name]), f'ATen node {name}')


def check_program(score, graph, section, edge, program, truth, method):
    names = collections.defaultdict(list)
    for at, node in enumerate(edge):
        names[node['name']].append(at)
    by_name = {(node['subgraph'], node['name']): node for node in program}
    by_instruction = (truth.get('debug_handle_map') or {}).get(method) or {}
    delegates = (truth.get('delegate_map') or {}).get(method) or {}
    for (inside, name), behind in zip(names_of(section, graph), counterparts(graph), strict=True):
        node, wanted = by_name[inside, name], []
        for other in node.get('edge_nodes', []):
            found = names[other]
            if len(found) > 1:  # in several bodies
                found = [at for at in found if len(node['edge_nodes']) == 1 and edge[at]['debug_handle'] == node['debug_handle']]
            wanted += found if len(found) == 1 else []
        carried = [at for at, node in enumerate(edge) if inside is not None and node['carried_by'] is not None and node['carried_by'] in (edge[leader]['name'] for leader in wanted)]
        score.equal(sorted(behind), sorted(wanted + carried), f'program node {name} in {inside}')
        number = name.removeprefix('instruction_')
        if inside is not None or not number.isdigit() or not behind:
            continue
        own = set().union(*(handles(edge[at]['debug_handle']) for at in behind))
        known = handles(by_instruction.get(number))
        for listed in ((delegates.get(number) or {}).get('delegate_map') or {}).values():
            known |= handles(listed)
        if known:
            score.equal(sorted(own - known), [], f'handles of {name} that ExecuTorch does not give to it')


def check_bodies(score, graph, section, truth_graphs, root):
    """Bodies by their paths, with the operator that owns them and their place among its bodies."""
    if 'subgraphs' not in graph:
        return
    subgraphs, rows = graph['subgraphs'], names_of(section, graph)
    paths, roles = column(subgraphs, 'path'), words(section, subgraphs, 'role')
    seen = collections.Counter()
    for path, role, owner, parent in zip(paths, roles, column(subgraphs, 'owner'), column(subgraphs, 'parent', -1), strict=True):
        around = paths[parent] if parent >= 0 else None
        nodes = truth_graphs.get('::'.join([root, *(around.split('/') if around else [])]))
        score.equal(rows[owner][0], around, f'the graph of the owner of {path}')
        if nodes is None or role == 'delegate':
            continue
        last = path.rpartition('/')[2]
        owners = [(node['name'], [name for name in node['inputs'] if '::'.join([root, *(around.split('/') if around else []), name]) in truth_graphs]) for node in nodes if last in node['inputs']]
        owners = [(name, bodies) for name, bodies in owners if last in bodies]
        if len(owners) != 1:
            continue
        name, bodies = owners[0]
        kinds = {'cond': ['true', 'false'], 'while_loop': ['cond', 'body']}.get(next(node['target'] for node in nodes if node['name'] == name))
        if rows[owner][1] is not None:
            score.equal(rows[owner][1], name, f'owner of {path}')
        score.equal(role, kinds[bodies.index(last)] if kinds else 'body', f'role of {path}')
        score.equal(seen[owner], bodies.index(last), f'place of {path}')
        seen[owner] += 1


def check(binary, folder, truth):
    score = common.Score(os.path.basename(folder.rstrip('/')))
    got, complaint = common.run(binary, 'nodes', folder)
    done = subprocess.run([binary, 'report', folder, '-o', '-'], capture_output=True, text=True)
    if got is None or done.returncode:
        return score.fail(complaint or done.stderr)
    documents = documents_in(done.stdout)
    for number, method in enumerate(documents['profile']['methods']):
        section = documents.get('profile.%d.graphs' % number)
        if section is None or method['graph'] is None or method['graph']['module'] != 'edge':
            continue
        of = {graph['module']: [node for node in graph['nodes'] if node['kind'] == 'op' or graph['module'] != 'edge'] for graph in got['graphs'] if graph['method'] == method['method']}
        for graph in section['graphs']['list']:
            if graph['dialect'] == 'program':
                check_program(score, graph, section, of['edge'], of['program'], truth, method['method'])
            elif not graph['has_operators']:
                check_aten(score, graph, section, of['edge'])
            only = len(documents['profile']['methods']) == 1
            root = {'aten': 'exported_program', 'edge': 'edge_dialect_exported_program'}.get(graph['module']) if only else None
            if root:
                check_bodies(score, graph, section, truth.get('graphs') or {}, root)
    return score.done() if score.total else None


def main():
    binary, verdicts = os.path.abspath(sys.argv[1]), []
    for folder in sorted(str(path.parent) for root in sys.argv[2:] for path in pathlib.Path(root).rglob('etrecord.bin') if 'hostile' not in path.parts)[:: common.EVERY]:
        verdicts.append(check(binary, folder, common.truth(folder) or {}))
    print(f'{verdicts.count(True)} passed, {verdicts.count(False)} failed, {verdicts.count(None)} have no Edge graph')
    sys.exit(False in verdicts or True not in verdicts)


if __name__ == '__main__':
    main()
