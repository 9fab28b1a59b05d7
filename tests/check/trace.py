#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Is a trace what the events are? trace.py PATH/TO/etrecord-tb [FIXTURES]

Every recorded event is in it once, with the duration that `events` has; events of a track lie inside each other or beside each other; those of a
delegate lie inside its call; kernels lie inside Method::execute. Operators in cycles have the time that `nodes` has. Times are whole nanoseconds.
Stacks for flame graphs have the same times: profiles of speedscope open and close each event in order, equal names are one frame, and folded stacks add
up to the time in which something ran.
"""
import collections
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def run(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, check=True).stdout


def recorded(program, fixture, shown):
    """(run, event, instruction, delegate id) -> durations. A delegate's wrappers and phases without a place on the clock are not shown, nor is what is no time."""
    found = collections.defaultdict(list)
    for block in json.loads(run(program, 'events', fixture, '--format', 'json', '--unit', 'cycles'))['blocks']:
        names = block['runs']
        for event in block['events']:
            identifier = event['delegate_debug_identifier']
            key = (event['event_name'], event['instruction_id'], None if identifier is None else str(identifier), tuple(names))
            may_lack_place = identifier is not None and event['role'] in ('container', 'phase')
            is_counted = event['unit'] == 'cycles' and event['role'] in ('operator', 'phase')
            if (event['unit'] == 'ns' or is_counted) and (key in shown or not may_lack_place):
                found[key] += event['raw']
    return {key: sorted(durations) for key, durations in found.items()}


def traced(events, runs_of):
    found = collections.defaultdict(list)
    for event in events:
        args = event['args']
        found[args['event'], args.get('instruction'), args.get('delegate_id'), runs_of[args['run']]].append(args.get('cycles', args['ticks']))
    return {key: sorted(durations) for key, durations in found.items()}


def nanoseconds(event):
    start = round(event['ts'] * 1000)
    return start, start + round(event['dur'] * 1000)


def nesting_faults(events):
    tracks = collections.defaultdict(list)
    for event in events:
        tracks[event['pid'], event['tid']].append(event)
    for track, inside in tracks.items():
        ends = []
        for start, end in sorted((nanoseconds(e) for e in inside), key=lambda span: (span[0], -span[1])):
            while ends and ends[-1] <= start:
                ends.pop()
            if ends and end > ends[-1]:
                yield 'track %s: [%d, %d] overlaps' % (track, start, end)
            ends.append(end)


def parent_faults(events):
    """An event without duration contains nothing. This is the rule by which Perfetto's trace processor nests the events of a track, which no package
    installs: what begins where an open event ends is beside it, unless that one has no duration. (Its newer versions say so only of two such events.)
    """
    tracks = collections.defaultdict(list)
    for event in events:
        tracks[event['pid'], event['tid']].append(nanoseconds(event))
    for track, inside in tracks.items():
        last = None
        for start, end in sorted(inside, key=lambda span: (span[0], -span[1])):
            if last == (start, start):
                yield 'track %s: at %d another one begins with an event without duration' % (track, start)
            last = start, end


def containment_faults(events):
    """Of each run: what is in a call lies in one, what is in Method::execute lies in that."""
    calls, executes = collections.defaultdict(list), {}
    for event in events:
        key = event['pid'], event['args']['run']
        if event['cat'] == 'delegate_call':
            calls[(*key, event['args'].get('instruction'))].append(nanoseconds(event))
        if event['name'] == 'Method::execute':
            executes[key] = nanoseconds(event)
    for event in events:
        key = event['pid'], event['args']['run']
        start, end = nanoseconds(event)
        around = calls[(*key, event['args'].get('instruction'))] if event['cat'] == 'delegate' else [executes[key]] if key in executes else []
        if around and not any(first <= start and end <= last for first, last in around):
            yield '%s of run %d: [%d, %d] is outside of %s' % (event['name'], event['args']['run'], start, end, around)
        if 'scale' not in event['args'] and abs(event['dur'] * 1000 - event['args']['ticks']) > 1:
            yield '%s: %g us are not %d ticks' % (event['name'], event['dur'], event['args']['ticks'])


def share_faults(program, fixture, events):
    """Bars of operators in cycles are as long, to the nanosecond, as the times that their nodes get."""
    drawn, times, runs = collections.Counter(), {}, set()
    for event in events:
        if 'cycles' in event['args'] and 'node' in event['args']:
            runs.add(event['args']['run'])
            drawn[event['args']['node']] += round(event['dur'] * 1000)
    for graph in json.loads(run(program, 'nodes', fixture, '--format', 'json', '--unit', 'ns', '--skip-runs', '0'))['graphs'] if drawn else ():
        if graph['module'] == 'edge':
            times.update((node['name'], round(node['avg'] * len(runs))) for node in graph['nodes'] if node['avg'] is not None)
    yield from ('%s: %d ns drawn, %s ns of its node' % (node, ns, times[node]) for node, ns in drawn.items() if ns != times.get(node))


def digit_faults(text):
    """Times are decimal microseconds with three digits, that is, whole nanoseconds."""
    times = re.findall(r'"(?:ts|dur)":([^,}]*)', text)
    yield from (f'{time} has not three digits' for time in times if not re.fullmatch(r'\d+\.\d{3}', time))


def profile_time(profile):
    """The time under the outermost frames of a profile, and that of each frame without what is inside."""
    stack, total, own, last = [], 0, collections.Counter(), 0
    for event in profile['events']:
        assert event['at'] >= last, 'time goes back'
        if stack:
            own[stack[-1]] += event['at'] - last
            total += event['at'] - last
        last = event['at']
        if event['type'] == 'O':
            stack.append(event['frame'])
        else:
            assert stack.pop() == event['frame'], 'a frame closes that is not the innermost'
    assert not stack and last <= profile['endValue'], 'a frame is left open'
    return total, own


def stack_faults(program, fixture, events):
    document = json.loads(run(program, 'trace', fixture, '--skip-runs', '0', '--format', 'speedscope'))
    names = [frame['name'] for frame in document['shared']['frames']]
    if len(names) != len(set(names)):
        yield 'two frames have one name'
    opened, total = collections.Counter(), 0
    for profile in document['profiles']:
        try:
            time, _ = profile_time(profile)
        except AssertionError as fault:
            yield f"{profile['name']}: {fault}"
            continue
        total += time
        opened.update(names[event['frame']] for event in profile['events'] if event['type'] == 'O')
    if opened != collections.Counter(event['name'] for event in events):
        yield 'speedscope has not the events of the trace'
    lines = run(program, 'trace', fixture, '--skip-runs', '0', '--format', 'folded').decode().splitlines()
    stacks = [line.rpartition(' ') for line in lines]
    if len(stacks) != len({stack for stack, _, _ in stacks}):
        yield 'a folded stack has two lines'
    if sum(int(time) for _, _, time in stacks) != total:
        yield f'folded stacks add up to {sum(int(time) for _, _, time in stacks)} ns, not to {total}'


def check(program, fixture):
    text = run(program, 'trace', fixture, '--skip-runs', '0').decode()
    document = json.loads(text)
    events = [e for e in document['traceEvents'] if e['ph'] == 'X']
    names = [e for e in document['traceEvents'] if e['ph'] == 'M']
    blocks = json.loads(run(program, 'events', fixture, '--format', 'json'))['blocks']
    runs_of = {number: tuple(block['runs']) for block in blocks for number in block['runs']}
    shown = traced(events, runs_of)
    if shown != recorded(program, fixture, shown):
        yield 'not the events that were recorded'
    named = [(e['name'], e['pid'], e['tid']) for e in names]
    if len(named) != len(set(named)) or {(e['pid'], e['tid']) for e in events} != {(p, t) for name, p, t in named if name == 'thread_name'}:
        yield 'tracks and their names differ'
    for event in events:
        if event['args'].get('backend') == 'XnnpackBackend' and event['cat'] == 'delegate' and event['args']['start'] != 'synthetic':
            yield 'XNNPACK measures no starts'
    yield from nesting_faults(events)
    yield from parent_faults(events)
    yield from containment_faults(events)
    yield from share_faults(program, fixture, events)
    yield from digit_faults(text)
    if not any(event['ph'] == 'i' for event in document['traceEvents']):  # these have no duration there
        yield from stack_faults(program, fixture, events)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'trace.json.gz')
        run(program, 'trace', fixture, '-o', path, '--skip-runs', '0')
        with gzip.open(path) as file:
            if json.load(file) != document:
                yield 'the compressed trace is another one'


def main():
    fixtures = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parents[1] / 'fixtures')
    bad = checked = 0
    for folder in sorted(p.parent for p in fixtures.rglob('*.etdp') if 'hostile' not in p.parts)[:: int(os.environ.get('EVERY', '1'))]:
        if not list(folder.glob('etrecord.bin')):
            folder = next(folder.glob('*.etdp'))
        faults = list(check(sys.argv[1], folder))
        checked += 1
        bad += bool(faults)
        for fault in faults[:5]:
            print('OFF', folder, fault)
    print(f'{checked - bad} passed, {bad} failed')
    sys.exit(bad > 0 or not checked)


if __name__ == '__main__':
    main()
