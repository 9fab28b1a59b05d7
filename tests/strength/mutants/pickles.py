# SPDX-License-Identifier: BSD-3-Clause
"""Changes in pickles, and in the archives of torch.save with pickles in them: operations go, come twice, change places, have other arguments."""

import functools
import io
import pickletools
import zipfile

import forge


@functools.lru_cache(maxsize=100)
def operations(data):
    starts = [at for _, _, at in pickletools.genops(data)]
    return [data[start:end] for start, end in zip(starts, starts[1:] + [len(data)])]


@functools.lru_cache(maxsize=100)
def entries(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [(info.filename, archive.read(info)) for info in archive.infolist()]


def other_argument(dice, operation):
    changed = bytearray(operation)
    at = dice.below(len(changed))
    changed[at] = dice.pick((0, 1, 255, 127, 128, changed[at] ^ 1, dice.below(256)))
    return bytes(changed)


def mutate_pickle(dice, data, count):
    try:
        list_of = list(operations(data))
    except ValueError:
        return data
    for _ in range(count):
        at, other = dice.below(len(list_of)), dice.below(len(list_of))
        what = dice.below(5)
        if what == 0 and len(list_of) > 1:
            del list_of[at]
        elif what == 1:
            list_of.insert(other, list_of[at])
        elif what == 2:
            list_of[at], list_of[other] = list_of[other], list_of[at]
        elif what == 3:
            list_of[at] = list_of[other]
        else:
            list_of[at] = other_argument(dice, list_of[at])
    return b''.join(list_of)


def mutate(dice, data, count):
    if not data.startswith(b'PK'):
        return mutate_pickle(dice, data, count)
    inner = list(entries(data))
    at = next((i for i, (name, _) in enumerate(inner) if name.endswith('/data.pkl')), None)
    if at is None or dice.often(0.2):
        at, other = dice.below(len(inner)), dice.below(len(inner))
        inner[at] = (inner[at][0], dice.pick((b'', inner[other][1], inner[at][1][:-1], inner[at][1] * 2)))
    else:
        inner[at] = (inner[at][0], mutate_pickle(dice, inner[at][1], count))
    return forge.zip_of_raw(forge.raw_entries(inner))
