"""Headings, sentences and tables for a terminal of any width; nothing untrusted reaches it raw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adjudge.reports.terminal import Terminal, cells, cut, pad, wrap

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
    yield terminal.paint(cut(safe(terminal, text), terminal.width, terminal.ellipsis), "bold")


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


def table_lines(
    heads: Sequence[str], rows: Sequence[Sequence[str]], terminal: Terminal, *, elastic: Sequence[int] = ()
) -> Iterator[str]:
    """Columns side by side; where they do not fit, one block a row with a line for each column.

    Names and the `elastic` columns are cut first, to no less than `NARROWEST_COLUMN`.
    """
    name = name_width([row[0] for row in rows], terminal)
    heads = [safe(terminal, head) for head in heads]
    clean = [[safe(terminal, cell) for cell in row] for row in rows]
    widths = [max(cells(heads[at]), *(cells(row[at]) for row in clean)) for at in range(1, len(heads))]
    over = name + sum(width + 2 for width in widths) - terminal.width
    for at in sorted(elastic, reverse=True):
        less = max(0, min(over, widths[at - 1] - NARROWEST_COLUMN))
        widths[at - 1] -= less
        over -= less
    less = max(0, min(over, name - NARROWEST_COLUMN))
    name -= less
    over -= less
    if over <= 0:
        head = "".join(
            f"  {pad(cut(text, width, terminal.ellipsis), width)}"
            for text, width in zip(heads[1:], widths, strict=True)
        )
        yield terminal.paint(f"{'':<{name}}{head}".rstrip(), "dim")
        for row in clean:
            line = "".join(
                f"  {text.rjust(width) if text.replace(',', '').isdigit() else pad(text, width)}"
                for text, width in zip(
                    (cut(t, w, terminal.ellipsis) for t, w in zip(row[1:], widths, strict=True)),
                    widths,
                    strict=True,
                )
            )
            yield (name_cell(row[0], name, terminal) + line).rstrip()
        return
    for row in clean:
        yield cut(row[0], terminal.width, terminal.ellipsis)
        for head, text in zip(heads[1:], row[1:], strict=True):
            yield cut(f"    {head}: {text}", terminal.width, terminal.ellipsis)
