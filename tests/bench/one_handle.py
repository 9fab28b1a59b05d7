# SPDX-License-Identifier: BSD-3-Clause
"""Models all of whose nodes share one debug handle: what a join that looks at every node of a handle for every event takes too long for.

CASES: name -> what makes a folder's files of it, of about so many nodes.
"""

import math
import os

import forge
import forge_pte
from forge_pte import Model


def chain(count, operator='sigmoid'):
    return [(operator, [i - 1], [8]) for i in range(count)]


def twins(count):
    return [('sigmoid', [-1], [8]) for _ in range(count)]


def write(folder, model, pte=True, record=None, etdump=None):
    for name, data in (
        ('etrecord.bin', record or model.record()),
        ('etdump.etdp', etdump or model.etdump()),
        ('model.pte', model.pte() if pte is True else pte),
    ):
        if data:
            with open(os.path.join(folder, name), 'wb') as file:
                file.write(data)


def slices(count):
    return [('slice_copy', [-1], [i + 1]) for i in range(count)]


def in_delegates(nodes, count):
    """Delegates of so many nodes, a kernel between each and the next."""
    steps, at = [], 0
    while at < len(nodes):
        steps += [list(range(at, min(at + count, len(nodes))))] + ([at + count] if at + count < len(nodes) else [])
        at += count + 1
    return steps


def root_of(count):
    return math.isqrt(count)


def each_alone(nodes):
    return [[i] for i in range(len(nodes))]


def whole(nodes):
    return [list(range(len(nodes)))]


def views(count):
    """Every other node is a view that has no instruction."""
    return [('view_copy' if i % 2 else 'sigmoid', [i - 1], [8] if i % 4 > 1 else [2, 4]) for i in range(count)]


def make_elided_views(folder, count):
    model = Model(views(count), range(0, count, 2))
    model.aliases = {i: i - 1 for i in range(1, count, 2)}
    write(folder, model)


def make_cat(folder, count):
    nodes = chain(count) + [('cat', list(range(count)), [8 * count])]
    write(folder, Model(nodes, range(count + 1)))


def make_shared_list(folder, count):
    """Each kernel reads the same list of as many values."""
    nodes = chain(count) + [('cat', list(range(count)), [8])] + [('cat', [count], [8]) for _ in range(count)]
    write(folder, Model(nodes, range(2 * count + 1), shared_list=list(range(count))))


def make_foreign_kernels(folder, count):
    """Every other kernel is of an operator that the graph does not have."""
    model = Model(chain(count), range(count))
    record = model.record()
    model.nodes = [('sigmoid' if i % 2 else 'neg', inputs, sizes) for i, (_, inputs, sizes) in enumerate(model.nodes)]
    write(folder, model, pte=False, record=record)


def make_shared_payload(folder, count):
    """Each call is of one delegate, of as many operators."""
    nodes = chain(count)
    model = Model(nodes, whole(nodes))
    data, _ = model.payload_of(model.steps[0])
    values = [forge_pte.tensor([8]), forge_pte.tensor([8], 64)]
    pte = forge_pte.program(values, [0], [forge_pte.call(0, [0, 1])] * count, [], [data])
    write(folder, Model(nodes, each_alone(nodes)), pte=pte)


def make_delegate_map(folder, count):
    """A backend that fills the delegate map: an id for each operator."""
    nodes = chain(count)
    model = Model(nodes, whole(nodes))
    ids = {'Sigmoid (NC, F32) #%d' % i: [1] for i in range(count)}
    write(folder, model, pte=False, record=model.record(ids))


def make_runs(folder, count):
    """As many runs as nodes of a delegate, all different, with an event of the delegate each."""
    nodes = chain(count)
    model = Model(nodes, whole(nodes))
    name = 'Sigmoid (NC, F32)'
    runs = [
        ('Execute', [(name, 0, 0, 1, 2, '%s #%d' % (name, i)), ('DELEGATE_CALL', 0, 0, 0, 3), ('Method::execute', -1, 0, 0, 9)])
        for i in range(count)
    ]
    write(folder, model, pte=False, etdump=forge.etdump(runs))


def make_lists_of_results(folder, count):
    """Each kernel writes the same list of as many values."""
    model = Model(twins(count), range(count))
    values = [forge_pte.tensor([8], 64 * i) for i in range(count)] + [forge_pte.tensor_list(list(range(count)))]
    pte = forge_pte.program(values, [0], [forge_pte.kernel(0, [0, count])] * count, ['aten::sigmoid'], [])
    write(folder, model, pte=pte)


def make_deep_tensors(folder, count):
    """Each kernel reads and writes a tensor of as many dimensions."""
    model = Model(twins(count), range(count))
    values = [forge_pte.tensor([1] * count, 64), forge_pte.tensor([1] * (count - 1) + [2], 64), forge_pte.tensor([1] * count, 128)]
    first = [forge_pte.kernel(0, [0, 0])]
    pte = forge_pte.program(values, [0], first + [forge_pte.kernel(0, [1, 2])] * (count - 1), ['aten::sigmoid'], [])
    write(folder, model, pte=pte)


def simple(nodes, steps=range, **more):
    """Kernels only, where no steps are given."""

    def make(folder, count):
        listed = nodes(count)
        write(folder, Model(listed, range(len(listed)) if steps is range else steps(listed), **more.get('model', {})), more.get('pte', True))

    return make


def make_extra_event(folder, count):
    """One event more than the delegate has nodes, in the middle."""
    nodes = chain(count)
    model = Model(nodes, whole(nodes))
    write(folder, model, pte=False, etdump=model.etdump(extra=('exp',)))


CASES = {
    'kernels in a row': simple(chain),
    'kernels in a row, no .pte': simple(chain, pte=False),
    'twins': simple(twins),
    'twins, no .pte': simple(twins, pte=False),
    'slices of one value': simple(slices),
    'slices, the last first': simple(slices, lambda nodes: range(len(nodes) - 1, -1, -1)),
    'delegates, as many as each has nodes': simple(chain, lambda nodes: in_delegates(nodes, root_of(len(nodes)))),
    'the same, no .pte': simple(chain, lambda nodes: in_delegates(nodes, root_of(len(nodes))), pte=False),
    'one delegate': simple(chain, whole),
    'one delegate and an event too many, no .pte': make_extra_event,
    'one delegate, no .pte': simple(chain, whole, pte=False),
    'kernel, delegate, kernel...': simple(chain, lambda nodes: in_delegates(nodes, 1)),
    'the same, no .pte.': simple(chain, lambda nodes: in_delegates(nodes, 1), pte=False),
    'delegates of one node': simple(twins, each_alone),
    'delegates of one node, no .pte': simple(twins, each_alone, pte=False),
    'delegates in a row, no .pte': simple(chain, each_alone, pte=False),
    'twins in a delegate': simple(twins, whole),
    'twins in a delegate, without handles': simple(twins, whole, model={'payload_handle': 0}),
    'in a row in a delegate, without handles': simple(chain, whole, model={'payload_handle': 0}),
    'views': simple(lambda count: chain(count, 'view_copy')),
    'views without instructions': make_elided_views,
    'a long concatenation': make_cat,
    'concatenations of one list': make_shared_list,
    'kernels of unknown operators': make_foreign_kernels,
    'one payload, many calls': make_shared_payload,
    'a delegate map': make_delegate_map,
    'runs, all different': make_runs,
    'results in one list': make_lists_of_results,
    'tensors of many dimensions': make_deep_tensors,
}
