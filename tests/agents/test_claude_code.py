"""Claude Code: the contract, and what is peculiar to its files."""

from __future__ import annotations

from pathlib import Path

from gitsession.agents.claude_code import AGENT
from gitsession.environment import Environment
from tests.agents.contract import Case, Contract
from tests.builders import CLAUDE_ID, Claude, claude_session


def _put(environment: Environment, data: bytes) -> Path:
    path = Claude().save(environment.home)
    path.write_bytes(data)
    return path


CASE = Case(
    agent=AGENT,
    grow=claude_session,
    put=_put,
    unknown=b'{"type":"new-thing","payload":{"a":[1]},"sessionId":"' + CLAUDE_ID.encode() + b'"}\n',
    native_id=CLAUDE_ID,
)


class TestContract(Contract):
    case = CASE
