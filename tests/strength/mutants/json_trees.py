# SPDX-License-Identifier: BSD-3-Clause
"""Changes in JSON documents: subtrees go, come twice, change places; values become those of others, extremes, or of another type."""

import functools
import json

import chance

MOST_BYTES = 300_000
TWICE = '\ue000twice'  # behind a key that is to stand in its object a second time
EXTREMES = chance.NUMBERS + [0.5, 1e308, float('nan'), float('inf'), True, None, '', '0', '1', '-1', '007', '4294967296', 'a,b;c', 'x' * 300, [], {}]


class Tree:
    """A document, the places in it, and how to get back to what it was."""

    def __init__(self, data):
        self.root = [json.loads(data)]
        self.places, self.by_key, self.undo = [], {}, []
        self.collect(self.root, '')

    def collect(self, container, name):
        for key in range(len(container)) if isinstance(container, list) else container:
            label = key if isinstance(key, str) else name
            place = (container, key)
            self.places.append(place)
            self.by_key.setdefault(label, []).append(place)
            if isinstance(container[key], (list, dict)):
                self.collect(container[key], label)

    def remember(self, container):
        self.undo.append((container, container.copy()))

    def restore(self):
        for container, before in reversed(self.undo):
            if isinstance(container, list):
                container[:] = before
            else:
                container.clear()
                container.update(before)
        self.undo.clear()


@functools.lru_cache(maxsize=200)
def tree_of(data):
    return Tree(data)


def place_of(dice, tree):
    """Any place, or one of any key: what is rare has its turn."""
    return dice.pick(tree.places if dice.often(0.5) else tree.by_key[dice.pick(tree.keys)])


def is_there(container, key):
    return key < len(container) if isinstance(container, list) else key in container


def put(tree, place, value):
    tree.remember(place[0])
    place[0][place[1]] = value


def delete(dice, tree, place):
    tree.remember(place[0])
    del place[0][place[1]]


def twice(dice, tree, place):
    container, key = place
    tree.remember(container)
    if isinstance(container, list):
        container.insert(dice.below(len(container) + 1), container[key])
    else:
        container[key + TWICE] = container[key]


def rename(dice, tree, place):
    container, key = place
    if isinstance(container, dict):
        tree.remember(container)
        container[dice.pick(tree.keys)] = container.pop(key)


def as_another_of_its_key(dice, tree, place):
    others = tree.by_key[place[1] if isinstance(place[1], str) and place[1] in tree.by_key else dice.pick(tree.keys)]
    container, key = dice.pick(others)
    if is_there(container, key):
        put(tree, place, container[key])


def as_any_other(dice, tree, place):
    container, key = place_of(dice, tree)
    if is_there(container, key):
        put(tree, place, container[key])


def exchange(dice, tree, place):
    container, key = place
    other = dice.pick(list(range(len(container)) if isinstance(container, list) else container))
    tree.remember(container)
    container[key], container[other] = container[other], container[key]


def extreme(dice, tree, place):
    put(tree, place, dice.pick(EXTREMES))


def near(dice, tree, place):
    value = place[0][place[1]]
    step = dice.pick((-1, 1, 2))
    if isinstance(value, int):
        put(tree, place, value + step)
    elif isinstance(value, str) and value.isdigit():
        put(tree, place, str(int(value) + step))
    elif isinstance(value, str):
        put(tree, place, value[: dice.below(len(value) + 1)] if dice.often(0.5) else value + dice.pick('_/,;.1 \u00e9"\\\0'))
    elif isinstance(value, list):
        put(tree, place, value[: dice.below(len(value) + 1)] if dice.often(0.6) else value * (2 + dice.below(4)))


def wrapped(dice, tree, place):
    value = place[0][place[1]]
    put(tree, place, dice.pick(([value], {'as_int': value}, {'as_tensor': {'name': value}}, {'as_graph': value}, str(value)[:100])))


CHANGES = [(3, delete), (3, twice), (1, rename), (4, as_another_of_its_key), (1, as_any_other), (2, exchange), (3, extreme), (4, near), (1, wrapped)]


def mutate(dice, data, count):
    """The document with so many changes; as it is, if they make no document, or too large a one."""
    try:
        tree = tree_of(data)
    except ValueError:
        return data
    tree.keys = list(tree.by_key)
    for _ in range(count):
        place = place_of(dice, tree)
        if is_there(*place):
            dice.weighted(CHANGES)(dice, tree, place)
    try:
        text = json.dumps(tree.root[0] if tree.root else None)
    except (ValueError, RecursionError):  # it holds itself
        text = None
    finally:
        tree.restore()
    if text is None or len(text) > MOST_BYTES:
        return data
    return text.replace('\\ue000twice', '').encode()
