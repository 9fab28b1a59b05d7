# SPDX-License-Identifier: BSD-3-Clause
"""What answers look like in Python and in notebooks: short, whatever they hold."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, TypeVar

_Item = TypeVar("_Item")
_MOST_ROWS, _MOST_COLUMNS, _MOST_TEXT = 12, 8, 60


def number(value: Any) -> str:
    """Returns a number with the digits that matter."""
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def cut(text: str) -> str:
    return text if len(text) <= _MOST_TEXT else text[: _MOST_TEXT - 1] + "…"


def rest(count: int) -> str:
    return f"{count - _MOST_ROWS} more" if count > _MOST_ROWS else ""


def table(heads: list[str], rows: Iterable[Iterable[Any]], below: str) -> str:
    """Returns a small table in HTML, with a line below it."""
    import html

    def line(tag: str, cells: Iterable[Any]) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cut(number(cell)))}</{tag}>" for cell in cells) + "</tr>"

    under = f"<p>{html.escape(below)}</p>" if below else ""
    return f"<table>{line('th', heads)}{''.join(line('td', row) for row in rows)}</table>{under}"


def _cells_of(rows: list[Any]) -> list[dict[str, Any]]:
    """Returns what a table shows of dataclasses: what they choose, or else their first texts and numbers."""
    if hasattr(rows[0], "_cells"):
        return [row._cells() for row in rows]
    plain = [{name: value for name, value in vars(row).items() if value is None or isinstance(value, (str, int, float))} for row in rows]
    names = [name for name in plain[0] if any(row.get(name) is not None for row in plain)][:_MOST_COLUMNS]
    return [{name: row.get(name) for name in names} for row in plain]


class Document(Dict[str, Any]):
    """An answer in JSON, which shows its members in a line each."""

    def __repr__(self) -> str:
        shown = list(self.items())[: 2 * _MOST_ROWS]
        return "{" + ",\n ".join([*(f"{name!r}: {cut(repr(value))}" for name, value in shown), *([f"… {len(self) - len(shown)} more"] if len(self) > len(shown) else [])]) + "}"


def shortened(value: Any) -> Any:
    """Returns a value of an answer: a long list of texts or numbers as one that shows its first items."""
    return Rows(value) if isinstance(value, list) and len(value) > _MOST_ROWS else value


class Rows(List[_Item]):
    """A list that shows its first items, in one line each, and in a notebook as a table."""

    def __repr__(self) -> str:
        shown = [cut(repr(item)) if len(repr(item)) > 200 else repr(item) for item in self[:_MOST_ROWS]]
        return "[" + ",\n ".join([*shown, *([f"… {rest(len(self))}"] if rest(len(self)) else [])]) + "]"

    def _repr_html_(self) -> str:
        import html

        if not self or not hasattr(self[0], "__dataclass_fields__"):
            return f"<pre>{html.escape(repr(self))}</pre>"
        cells = _cells_of(self[:_MOST_ROWS])
        return table(list(cells[0]), [each.values() for each in cells], rest(len(self)))
