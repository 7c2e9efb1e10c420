"""YAML as values that can be changed and written again without changing the others.

Many readers make more of a bare word than JSON could keep: of `on:` the key true, of `14:` a number, of
`2024-05-01` a date. Such keys and dates are held as the text that they are, and written without quotes again,
so that a verifier reads in them what it read before.
"""

from __future__ import annotations

import json
from typing import Any

import yaml

_TEXT, _DATE, _MERGE = (f"tag:yaml.org,2002:{name}" for name in ("str", "timestamp", "merge"))


class _Bare(str):
    """A text to be written without quotes, whatever a reader makes of it."""

    __slots__ = ()


class _Loader(yaml.SafeLoader):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.bare_keys: set[str] = set()
        self.has_dates = False

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.style is None and key.tag not in (_TEXT, _MERGE):
                self.bare_keys.add(key.value)
                key.tag = _TEXT
        return super().construct_mapping(node, deep)

    def construct_date(self, node: yaml.ScalarNode) -> str:
        self.has_dates = self.has_dates or node.style is None
        return str(node.value)


_Loader.add_constructor(_DATE, _Loader.construct_date)


class _Dumper(yaml.SafeDumper):
    def represent_bare(self, text: _Bare) -> yaml.ScalarNode:
        return self.represent_scalar(_kind(text), str(text))


_Dumper.add_representer(_Bare, _Dumper.represent_bare)


class YamlText:
    """A text that was read: its value, and how it is written with another. Raises yaml.YAMLError."""

    def __init__(self, text: str) -> None:
        loader = _Loader(text)
        try:
            self.value = json.loads(json.dumps(loader.get_single_data(), default=str))
        finally:
            loader.dispose()
        self._keys, self._dates = loader.bare_keys, loader.has_dates

    def render(self, value: Any) -> bytes:
        made = yaml.dump(self._bared(value), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1000)
        return made.encode()

    def _bared(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {_Bare(k) if k in self._keys else k: self._bared(v) for k, v in value.items()}
        if isinstance(value, list):
            return [self._bared(item) for item in value]
        if self._dates and isinstance(value, str) and _kind(value) == _DATE:
            return _Bare(value)
        return value


def _kind(text: str) -> str:
    """What a reader makes of a bare word."""
    rules = yaml.SafeLoader.yaml_implicit_resolvers.get(text[:1], [])
    return next((tag for tag, rule in rules if rule.match(text)), _TEXT)
