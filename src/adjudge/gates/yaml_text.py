"""YAML, read safely: no tag constructs anything but plain data, and aliases cannot multiply without bound.

The stream's events are counted first, with every alias weighing what it stands for; only then is anything
built. Dates stay the text they are. Several documents in one file are an array of them.
"""

from __future__ import annotations

import base64
from typing import Any

from adjudge.gates.parsed import MAX_DEPTH, Parsed, Unparseable

MAX_NODES = 1_000_000


def parse_yaml(text: str) -> Parsed:
    """The value of a YAML text. Raises Unparseable with line and column if known."""
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc] # libyaml is optional
        """The safe loader, without two of its guesses: 2024-02-30 and = are text, not errors."""

        yaml_implicit_resolvers = {  # noqa: RUF012 - the name and shape are PyYAML's
            first: [(tag, rule) for tag, rule in rules if not tag.endswith((":timestamp", ":value"))]
            for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
        }

    try:
        _weigh(yaml.parse(text, Loader=Loader))
        documents = [_plain(document) for document in yaml.load_all(text, Loader=Loader)]
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise Unparseable(f"not YAML: {error.problem or error.context}{place}") from None
    except yaml.YAMLError as error:
        raise Unparseable(f"not YAML: {str(error).splitlines()[0]}") from None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        # PyYAML's own constructors fail like this if a value does not fit its tag:
        # !!bool maybe, !!timestamp x
        raise Unparseable(f"not readable YAML: {type(error).__name__}") from None
    if not documents:
        raise Unparseable("the YAML holds no document")
    return Parsed(documents[0] if len(documents) == 1 else documents, True)


def _weigh(events: Any) -> None:
    """Raise Unparseable if the document, with every alias spelled out, is too deep or too large."""
    import yaml

    weights: dict[str, int] = {}
    depths: dict[str, int] = {}
    stack: list[list[Any]] = [[None, 1, 0]]  # anchor, weight, height of what is open
    for event in events:
        if isinstance(event, yaml.CollectionStartEvent):
            stack.append([event.anchor, 1, 0])
            if len(stack) > MAX_DEPTH:
                raise Unparseable(f"nested deeper than {MAX_DEPTH} levels")
            continue
        if isinstance(event, yaml.CollectionEndEvent):
            anchor, weight, height = stack.pop()
            height += 1
        elif isinstance(event, yaml.ScalarEvent):
            anchor, weight, height = event.anchor, 1, 0
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor in (open_[0] for open_ in stack):
                raise Unparseable(f"the alias *{event.anchor} stands inside what it stands for")
            anchor, weight, height = (
                None,
                weights.get(event.anchor or "", 1),
                depths.get(event.anchor or "", 0),
            )
        else:
            continue
        if anchor:
            weights[anchor], depths[anchor] = weight, height
        stack[-1][1] += weight
        stack[-1][2] = max(stack[-1][2], height)
        if stack[-1][1] > MAX_NODES:
            raise Unparseable(f"more than {MAX_NODES} values once every alias is spelled out")
        if len(stack) + height > MAX_DEPTH:
            raise Unparseable(f"nested deeper than {MAX_DEPTH} levels")


def _plain(value: Any) -> Any:
    """As JSON: keys are text, sets are arrays, bytes are base64."""
    if isinstance(value, dict):
        return {_key(key): _plain(child) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(child) for child in value]
    if isinstance(value, set):
        return sorted(_key(child) for child in value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)


def _key(key: Any) -> str:
    if isinstance(key, str):
        return key
    return "null" if key is None else str(key).lower() if isinstance(key, bool) else str(key)
