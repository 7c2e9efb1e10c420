"""Headings, sentences and tables for a terminal of any width; nothing untrusted reaches it raw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adjudge.reports.rendering.terminal.canvas import Terminal, cells, cut, pad, wrap

NARROWEST_COLUMN = 14
_ASCII = {ord("·"): "|", ord("≥"): ">=", ord("×"): "x", ord("–"): "-", ord("…"): "..."}
"""For terminals that show nothing else."""


def safe(terminal: Terminal, text: str) -> str:
    """Text that cannot steer the terminal; our own signs become ASCII where it shows nothing else."""
    return terminal.safe(text if terminal.unicode else text.translate(_ASCII))


def title_lines(text: str, terminal: Terminal, *, first: bool = False) -> Iterator[str]:
    """A heading, with an empty line before it unless it is the first."""
    if not first:
        yield ""
    yield from sentence_lines(text, terminal, "bold")


def sentence_lines(text: str, terminal: Terminal, *colours: str) -> Iterator[str]:
    """A sentence, wrapped, safe to print."""
    for line in wrap(safe(terminal, text), terminal.width):
        yield terminal.paint(line, *colours) if colours else line


def name_width(names: Sequence[str], terminal: Terminal) -> int:
    """How wide a column of names is: the longest, but at most a third of the terminal."""
    longest = max((cells(safe(terminal, name)) for name in names), default=0)
    return min(longest, max(12, terminal.width // 3))


def name_cell(name: str, width: int, terminal: Terminal) -> str:
    """A name, cut or padded to its column."""
    return pad(cut(safe(terminal, name), width, terminal.ellipsis), width)


def fitting_names(names: Sequence[str], terminal: Terminal) -> list[str]:
    """The names, or shorter ones where not all of them fit into a column of names."""
    longest = max((cells(safe(terminal, name)) for name in names), default=0)
    return list(names) if longest <= name_width(names, terminal) else short_names(names)


def short_names(names: Sequence[str]) -> list[str]:
    """The names without the `(model)` at their end; as they are where that would make two the same."""
    short = [name[: name.rindex(" (")] if name.endswith(")") and " (" in name else name for name in names]
    return short if len(set(short)) == len(set(names)) else list(names)


def table_lines(
    heads: Sequence[str], rows: Sequence[Sequence[str]], terminal: Terminal, *, elastic: Sequence[int] = ()
) -> Iterator[str]:
    """Columns side by side, names first and without a head; numbers to the right, zeros dim.

    Where they do not fit, heads take two lines; then names lose their `(model)`; then names and the
    `elastic` columns are cut, to no less than `NARROWEST_COLUMN`. Where even that does not fit, each row is a
    short paragraph, without its zeros and gaps. There is at least one row.
    """
    heads = ["", *(safe(terminal, head) for head in heads[1:])]
    clean = [[safe(terminal, cell) for cell in row] for row in rows]
    columns = [list(column) for column in zip(*clean, strict=True)]
    widths = [max(map(cells, (head, *column))) for head, column in zip(heads, columns, strict=True)]
    if _missing(widths, terminal) > 0:
        halves = [_half(head) for head in heads]
        widths = [max(half, *map(cells, column)) for half, column in zip(halves, columns, strict=True)]
    if _missing(widths, terminal) > 0:
        columns[0] = short_names(columns[0])
        widths[0] = max(map(cells, columns[0]))
    third = name_width(columns[0], terminal)
    for at, least in ((0, third), *((at, 0) for at in sorted(elastic, reverse=True)), (0, 0)):
        room = widths[at] - max(least, NARROWEST_COLUMN)
        widths[at] -= max(0, min(_missing(widths, terminal), room))
    if _missing(widths, terminal) > 0:
        yield from _paragraphs(heads, clean, terminal)
        return
    numeric = [all(text.replace(",", "").isdigit() for text in column) for column in columns]
    broken = [wrap(head, width) for head, width in zip(heads, widths, strict=True)]
    height = max(map(len, broken))
    for line in zip(*([""] * (height - len(head)) + head for head in broken), strict=True):
        cells_of_line = (_cell(*cell, terminal) for cell in zip(line, widths, numeric, strict=True))
        yield terminal.paint("  ".join(cells_of_line).rstrip(), "dim")
    for row in zip(*columns, strict=True):
        yield "  ".join(_cell(*cell, terminal) for cell in zip(row, widths, numeric, strict=True)).rstrip()


def _half(head: str) -> int:
    """The narrowest column that holds a head on two lines without breaking a word."""
    longest = max(map(cells, head.split()), default=0)
    return next(width for width in range(longest, cells(head) + 1) if len(wrap(head, width)) <= 2)


def _missing(widths: Sequence[int], terminal: Terminal) -> int:
    return sum(widths) + 2 * (len(widths) - 1) - terminal.width


def _cell(text: str, width: int, numeric: bool, terminal: Terminal) -> str:
    text = cut(text, width, terminal.ellipsis)
    if not numeric:
        return pad(text, width)
    return terminal.paint(text.rjust(width), "dim") if text == "0" else text.rjust(width)


def _paragraphs(heads: Sequence[str], rows: Sequence[Sequence[str]], terminal: Terminal) -> Iterator[str]:
    dot, width = safe(terminal, " · "), terminal.width - 4
    for row in rows:
        yield cut(row[0], terminal.width, terminal.ellipsis)
        said = [
            f"{head} {text}".strip()
            for head, text in zip(heads[1:], row[1:], strict=True)
            if text not in ("", "0")
        ]
        line = ""
        for item in said:
            if line and cells(line + dot + item) <= width:
                line += dot + item
                continue
            yield from (f"    {part}" for part in wrap(line, width) if part)
            line = item
        yield from (f"    {part}" for part in wrap(line, width) if part)
