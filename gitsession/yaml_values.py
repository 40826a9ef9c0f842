"""YAML files that people and projects write for us, as plain values and nothing else."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def values_in(data: bytes) -> Any:
    """The one document in `data`: mappings, lists, texts, numbers, dates, True, False, None.

    Raises ValueError for everything else. Tags and references are not taken: the parser fails at
    some tags in ways of its own, and by references a small file stands for an endless value.
    """
    import yaml

    # The parsers in C are fast and bound how deep a document may go; not everybody has them.
    scanner = getattr(yaml, "CLoader", yaml.Loader)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        for token in yaml.scan(data, Loader=scanner):
            if isinstance(token, (yaml.AliasToken, yaml.TagToken)):
                raise ValueError("tags and references are not read here")
        return yaml.load(data, Loader=loader)  # noqa: S506 (one of the safe loaders)
    except (yaml.YAMLError, RecursionError, ArithmeticError) as error:
        raise ValueError(f"no YAML of plain values ({type(error).__name__})") from None
