# SPDX-License-Identifier: BSD-3-Clause
"""What answers look like in Python and in notebooks: short, whatever they hold."""

from __future__ import annotations

import html
from typing import Any, Iterable, List, TypeVar

_Item = TypeVar("_Item")
_MOST_ROWS, _MOST_TEXT = 12, 60


def number(value: Any) -> str:
    """Returns a number with the digits that matter."""
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def cut(text: str) -> str:
    return text if len(text) <= _MOST_TEXT else text[: _MOST_TEXT - 1] + "…"


def rest(count: int) -> str:
    return f"{count - _MOST_ROWS} more" if count > _MOST_ROWS else ""


def table(heads: list[str], rows: Iterable[Iterable[Any]], below: str) -> str:
    """Returns a small table in HTML, with a line below it."""
    def line(tag: str, cells: Iterable[Any]) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cut(number(cell)))}</{tag}>" for cell in cells) + "</tr>"

    under = f"<p>{html.escape(below)}</p>" if below else ""
    return f"<table>{line('th', heads)}{''.join(line('td', row) for row in rows)}</table>{under}"


class Rows(List[_Item]):
    """A list that shows its first items, in one line each, and in a notebook as a table."""

    def __repr__(self) -> str:
        shown = [cut(repr(item)) if len(repr(item)) > 200 else repr(item) for item in self[:_MOST_ROWS]]
        return "[" + ",\n ".join([*shown, *([f"… {rest(len(self))}"] if rest(len(self)) else [])]) + "]"

    def _repr_html_(self) -> str:
        if not self or not hasattr(self[0], "_cells"):
            return f"<pre>{html.escape(repr(self))}</pre>"
        cells = [item._cells() for item in self[:_MOST_ROWS]]  # type: ignore[attr-defined]
        return table(list(cells[0]), [each.values() for each in cells], rest(len(self)))
