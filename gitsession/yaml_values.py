"""YAML files that people and projects write for us, read as plain values and nothing else."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def values_in(data: bytes) -> Any:
    """Return the one document in `data`: mappings, lists, strings, numbers, dates, booleans, None.

    Raises ValueError for anything else. Tags and aliases are refused: the parser fails on some tags
    in ways of its own, and with aliases a small file can expand to an endless value.
    """
    import yaml

    # The C parsers are fast and limit how deep a document may be; not everybody has them.
    scanner = getattr(yaml, "CLoader", yaml.Loader)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        for token in yaml.scan(data, Loader=scanner):
            if isinstance(token, (yaml.AliasToken, yaml.TagToken)):
                raise ValueError("tags and references are not read here")
        return yaml.load(data, Loader=loader)  # noqa: S506 (one of the safe loaders)
    except (yaml.YAMLError, RecursionError, ArithmeticError) as error:
        raise ValueError(f"no YAML of plain values ({type(error).__name__})") from None
