"""Lines as people leak them: the secret goes, the words around it stay."""

from __future__ import annotations

import re

import pytest

from gitsession.redaction import redact_text
from tests.redaction.leaks import GROUPS, NOT_SEEN, marked_lines, unmarked

LINES = [(group, line) for group in GROUPS for line in marked_lines(GROUPS[group])]
_PLAIN = re.compile(r"«.*?»|__REDACTED_[a-z-]+_[0-9a-f]{8}__")


@pytest.mark.parametrize(("group", "line"), LINES)
def test_a_leaked_line(group: str, line: str) -> None:
    text, secrets = unmarked(line)
    masked = redact_text(text)
    assert secrets and not any(secret in masked for secret in secrets), group
    kept = _PLAIN.sub(" ", masked)
    around = _PLAIN.sub(" ", line.replace("\\n", "\n"))
    assert [word for word in re.findall(r"\w{3,}", around) if word not in kept] == []
    assert redact_text(masked) == masked


def test_there_are_many_of_every_sort() -> None:
    assert len(LINES) >= 150
    assert all(len(marked_lines(lines)) >= 10 for lines in GROUPS.values())


@pytest.mark.parametrize("line", marked_lines(NOT_SEEN))
@pytest.mark.xfail(strict=True, reason="nothing beside the value says what it is")
def test_a_line_that_is_not_understood_yet(line: str) -> None:
    text, secrets = unmarked(line)
    masked = redact_text(text)
    assert not any(secret in masked for secret in secrets)
