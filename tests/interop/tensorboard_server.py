# SPDX-License-Identifier: BSD-3-Clause
"""A real TensorBoard in a process of its own, asked over HTTP as its pages do."""

import functools
import json
import re
import subprocess
import sys
import threading
import time
import typing
import urllib.error
import urllib.parse
import urllib.request

START_SECONDS = 240
POLL_SECONDS = 0.3  # it looks for changes once a second, and an answer costs as much as loading a run does


class Node(typing.NamedTuple):
    """A node of a graph: its name in TensorBoard, its name in the record, and what it reads, as TensorBoard names it."""

    name: str
    fx_node: str | None
    inputs: tuple

    @classmethod
    def of(cls, node):
        fx_node = next((attr["value"][0]["s"][0] for attr in node.get("attr", []) if attr["key"] == ["fx_node"]), None)
        return cls(node["name"][0], fx_node, tuple(node.get("input", [])))


class TensorBoard:
    """Serves a logdir on a free port of the loopback device until the `with` block ends."""

    def __init__(self, logdir, *options):
        self.arguments = ["--logdir", str(logdir), "--host", "127.0.0.1", "--port", "0", "--reload_interval", "1", *options]
        self.answers = None

    def __enter__(self):
        self.process = subprocess.Popen([sys.executable, "-m", "tensorboard.main", *self.arguments], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = ""
        for line in self.process.stderr:
            said += line
            found = re.search(r"http://127\.0\.0\.1:\d+/", line)
            if found:
                self.url = found.group()
                threading.Thread(target=self.process.stderr.read, daemon=True).start()  # a full pipe would stop the server
                return self
        self.__exit__()
        raise RuntimeError(f"TensorBoard did not start:\n{said}")

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stderr.close()

    def get(self, route, **query):
        """The text of an answer."""
        url = f"{self.url}data/{route}?{urllib.parse.urlencode(query, doseq=True)}"
        with urllib.request.urlopen(url, timeout=60) as answer:
            return answer.read().decode()

    def once(self, key, ask):
        """What `ask` returns. It is asked again only while the logdir may change: an answer about all runs takes a second."""
        if self.answers is None:
            return ask()
        if key not in self.answers:
            self.answers[key] = ask()
        return self.answers[key]

    def json(self, route, **query):
        return self.once((route, *query.items()), lambda: json.loads(self.get(route, **query)))

    def graph(self, run):
        """The nodes of a run's graph."""
        return self.once(("graph", run), lambda: nodes_of(self.get("plugin/graphs/graph", run=run, conceptual="false")))

    def run_metadata(self, run, tag):
        return parse_text_proto(self.get("plugin/graphs/run_metadata", run=run, tag=tag))

    def wait_for(self, runs):
        """Until it has loaded all of these and finds nothing more: the whole answer about graphs stays the same. From then on each question is asked once."""
        deadline = time.monotonic() + START_SECONDS
        info = before = None
        while time.monotonic() < deadline:
            if runs <= set(self.json("runs")):  # which costs little: what it knows about their graphs is asked once all are there
                before, info = info, self.info_so_far()
            if info and info == before and runs <= info.keys() and all(info[run]["run_graph"] for run in runs):
                self.answers = {}
                return
            assert self.process.poll() is None, "TensorBoard ended"
            time.sleep(POLL_SECONDS)
        raise AssertionError(f"not loaded after {START_SECONDS} s: {sorted(runs - (info or {}).keys())}")

    def info_so_far(self):
        """What it knows about graphs, or None while it can't say: its own loader lists a tag before the tag's tensors
        (PluginEventAccumulator._ProcessEvent), and a question in between is answered by an error of the server."""
        try:
            return self.json("plugin/graphs/info")
        except urllib.error.HTTPError as error:
            if error.code != 500:
                raise
            return None


@functools.lru_cache(maxsize=None)
def nodes_of(text):
    """Those of a graph; what both of TensorBoard's loaders serve alike is read once."""
    return tuple(Node.of(node) for node in parse_text_proto(text)["node"])


def parse_text_proto(text):
    """Line by line, and no string un-escaped, as TensorBoard's own page reads it: every field becomes a list of what it holds."""
    root = {}
    stack = [root]
    for line in text.splitlines():
        line = line.strip()
        if line.endswith("{"):
            inner = {}
            stack[-1].setdefault(line[:-1].rstrip(), []).append(inner)
            stack.append(inner)
        elif line == "}":
            stack.pop()
        elif line:
            key, _, value = line.partition(": ")
            stack[-1].setdefault(key, []).append(value.strip('"'))
    assert len(stack) == 1, "braces do not match"
    return root
