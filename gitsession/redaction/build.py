"""Compiles rules.yaml to compiled.py, so that a save never parses YAML.

python -m gitsession.redaction.build
"""

from __future__ import annotations

import os

_HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(_HERE, "rules.yaml")
TARGET = os.path.join(_HERE, "compiled.py")

_HEAD = '''"""The vendor rules as Python values; generated from rules.yaml by `build`."""

from __future__ import annotations

# ruff: noqa: E501
# fmt: off

VERSION = "{version}"
"""Changes with every rule: what was judged under another version is judged again."""

# id, anchors, pattern, before, back, boundary, random, near
RULES: tuple[
    tuple[str, tuple[bytes, ...], bytes, bytes, int, bool, bool, tuple[bytes, ...]], ...
] = (
'''


def render(source: bytes) -> str:
    """Return the text of compiled.py for the YAML source of the rules."""
    import hashlib

    import yaml

    rows = [_row(rule) for rule in yaml.safe_load(source)]
    version = hashlib.sha256("\n".join(rows).encode()).hexdigest()[:12]
    return _HEAD.format(version=version) + "".join(f"    {row},\n" for row in rows) + ")\n"


def _row(rule: dict[str, object]) -> str:
    return repr(
        (
            str(rule["id"]),
            _literals(rule["anchors"]),
            str(rule["pattern"]).encode("latin-1"),
            str(rule.get("before", "")).encode("latin-1"),
            rule.get("back", 0),
            bool(rule.get("boundary")),
            bool(rule.get("random")),
            _literals(rule.get("near", [])),
        )
    )


def _literals(value: object) -> tuple[bytes, ...]:
    assert isinstance(value, list)
    return tuple(str(item).encode("latin-1") for item in value)


if __name__ == "__main__":  # pragma: no cover
    with open(SOURCE, "rb") as source:
        text = render(source.read())
    with open(TARGET, "w", encoding="utf-8") as target:
        target.write(text)
