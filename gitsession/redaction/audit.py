"""The explicit audit: every plugin of detect-secrets, including entropy and keywords, and
betterleaks if installed.

It is slow, and most of its findings are harmless, so it runs only on request (`scan --audit`, `push
--audit`). It masks nothing, uses no network and touches no setting of the library.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from functools import cache

from gitsession.redaction import betterleaks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PLACEHOLDER = re.compile(r"__REDACTED_[a-z0-9.-]+_[0-9a-f]{8}__")
_HARMLESS = re.compile(
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{7,40}|(?:toolu|msg|req|call|chatcmpl)_\w+"
)
"""Ids and object names, which the entropy plugins mistake for keys."""
_PRAGMA = re.compile(
    r"(?:#|//|/\*|<!--|--|;|%)\s{0,4}pragma:\s?(?:allow|white)list(?:[ -]nextline)?[ -]secret", re.I
)
_LONGEST = 20_000


def audit(texts: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """Yield (index of the text, rule, value) for the findings of all detectors. Lines of JSON are
    read string by string. Raises RedactionFailed if a detector cannot finish."""
    seen = set()
    decoded = []
    for index, text in enumerate(texts):
        strings = [string for line in text.splitlines() for string in _strings(line)]
        decoded.append(_PLACEHOLDER.sub("", "\n".join(strings)))
        for part in (part for string in strings for part in string.splitlines()):
            for rule, value in _in_line(part[:_LONGEST]):
                seen.add((index, value))
                yield index, rule, value
    for index, rule, value in betterleaks.ask(decoded) if betterleaks.program() else ():
        if (index, value) not in seen and not _HARMLESS.fullmatch(value):
            yield index, f"audit-{_rule_name(rule)}", value


def is_pragma(line: str) -> bool:
    """Whether a line of a file (never of a transcript) declares that its secret is none."""
    return _PRAGMA.search(line) is not None


def baseline_hashes(text: str) -> frozenset[str]:
    """SHA-1 hashes of the values that a `.secrets.baseline` file lists, except those marked as
    secrets; empty if the text is not such a file."""
    try:
        results = json.loads(text)["results"]
        rows = [row for found in results.values() for row in found]
        return frozenset(str(row["hashed_secret"]) for row in rows if not row.get("is_secret"))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return frozenset()


def baseline_hash(value: str) -> str:
    """A value's hash as used in a baseline: compared in memory, never written."""
    return hashlib.sha1(value.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()


def _strings(line: str) -> Iterator[str]:
    if line.lstrip()[:1] not in ("{", "["):
        yield line
        return
    try:
        waiting: list[Any] = [json.loads(line)]
    except (ValueError, RecursionError):
        yield line
        return
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, list):
            waiting += item[::-1]
        elif isinstance(item, dict):
            for name, value in item.items():
                if isinstance(value, str):  # keyword plugins judge a value by its name
                    yield f"{name} = {json.dumps(value, ensure_ascii=False)}"
                else:
                    waiting.append(value)


def _in_line(line: str) -> Iterator[tuple[str, str]]:
    line = _PLACEHOLDER.sub("", line)
    for rule, plugin in _plugins():
        for secret in plugin.analyze_line(filename="", line=line, line_number=1):
            value = secret.secret_value or ""
            if value and not _HARMLESS.fullmatch(value):
                yield rule, value


@cache
def _plugins() -> list[tuple[str, Any]]:
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class

    found = []
    classes: dict[str, Any] = get_mapping_from_secret_type_to_class()
    for name, kind in sorted(classes.items()):
        found.append((f"audit-{_rule_name(name)}", kind()))
    return found


def _rule_name(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
